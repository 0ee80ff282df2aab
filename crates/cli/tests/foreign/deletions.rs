//! Files that are gone: a retraction only if history says so, and never many at once without asking (DOO-6).

use super::{Desk, KNOWLEDGE, finding, says};

/// A mirror of numbered findings, in step and committed.
fn mirror(count: usize) -> Desk {
    let texts: Vec<(String, String)> = (0..count)
        .map(|number| {
            let says = format!("Service {number} owns table t{} and port {}.", number * 31, 9_000 + number);
            (format!("f{number}.md"), finding(&says))
        })
        .collect();
    let files: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    Desk::mirrored("flux-drive", "k", &files)
}

fn retracted(desk: &Desk) -> usize {
    desk.entries().iter().filter(|entry| entry["status"] == "retracted").count()
}

#[test]
fn a_file_that_is_gone_and_not_committed_waits() {
    let desk = mirror(3);
    desk.remove("k/f0.md");
    let ledger = desk.ledger();
    for args in [&["mirror", "sync", "--check"][..], &["mirror", "sync"], &["mirror", "sync", "--yes"]] {
        says(
            &desk.ken(args).fails_with(1),
            &["waiting", "f0.md", "the deletion is not committed", "--restore"],
        );
    }
    assert_eq!((desk.ledger(), retracted(&desk)), (ledger, 0));
    assert!(!desk.exists("k/f0.md"), "it is not brought back unasked");
    says(&desk.ken(&["mirror", "sync", "--restore"]).ok(), &["restored", "f0.md"]);
    assert!(desk.exists("k/f0.md"));
    assert_eq!(desk.git("status --porcelain k"), "");
    says(&desk.sync().ok(), &["in sync"]);
}

#[test]
fn a_file_that_a_commit_deletes_is_retracted_by_its_author() {
    let desk = mirror(3);
    desk.remove("k/f0.md");
    desk.git("add -A");
    desk.git("-c user.name=Grace commit -q -m gone");
    says(&desk.ken(&["mirror", "sync", "--check"]).fails_with(1), &["to retract", "f0.md"]);
    assert_eq!(retracted(&desk), 0);
    says(&desk.sync().ok(), &["retracted", "f0.md"]);
    let shown = desk.show("f0");
    assert_eq!(shown["status"], "retracted");
    let log = desk.ken(&["log", "f0", "--json"]).ok().out;
    assert!(log.contains("human:Grace"), "{log}");
    let before = desk.events();
    says(&desk.sync().ok(), &["in sync"]);
    assert_eq!((desk.events(), desk.exists("k/f0.md")), (before, false), "it does not come back");
}

// A format that writes retracted entries told of a conflict, and `--take ledger` brought the file back.
#[test]
fn a_deletion_that_a_person_answered_with_a_retraction_is_done() {
    let record =
        |title: &str| format!("# {title}\n\n## Status\n\nAccepted\n\n## Decision\n\nWe use {title}.\n");
    let (one, two) = (record("Postgres"), record("Kafka"));
    let desk = Desk::mirrored("adr", "k", &[("0001-postgres.md", &one), ("0002-kafka.md", &two)]);
    desk.remove("k/0001-postgres.md");
    desk.git("add -A");
    desk.git("commit -q -m gone");
    desk.ken(&["retract", "0001-postgres", "--reason", "its file was deleted"]).ok();
    for args in [
        &["mirror", "sync", "--check"][..],
        &["mirror", "sync"],
        &["mirror", "sync", "--take", "ledger"],
        &["mirror", "sync", "--check"],
    ] {
        says(&desk.ken(args).ok(), &["in sync"]);
        assert!(!desk.exists("k/0001-postgres.md"), "{args:?}");
    }
    assert_eq!((retracted(&desk), desk.show("0002-kafka")["status"].as_str()), (1, Some("candidate")));
}

#[test]
fn a_file_that_git_never_had_waits() {
    let desk = Desk::new();
    desk.write(".gitignore", "/k/\n");
    desk.write("k/one.md", finding("One thing is so."));
    desk.ken(&["config", "mirrors.own", "flux-drive:k"]).ok();
    desk.sync().ok();
    desk.commit("all");
    desk.remove("k/one.md");
    says(
        &desk.ken(&["mirror", "sync", "--yes"]).fails_with(1),
        &["one.md", "no commit deleted it", "--restore"],
    );
    assert_eq!(retracted(&desk), 0);
    desk.ken(&["mirror", "sync", "--restore"]).ok();
    assert_eq!(desk.read("k/one.md"), finding("One thing is so."));
    // A person may also say so.
    desk.remove("k/one.md");
    desk.ken(&["retract", "one", "--reason", "wrong"]).ok();
    says(&desk.sync().ok(), &["in sync"]);
    assert!(!desk.exists("k/one.md"));
}

// More than ten files, or more than a tenth of them, asks.
#[test]
fn many_files_are_not_retracted_without_a_yes() {
    for (all, gone, asks) in
        [(12, 1, false), (40, 4, false), (40, 5, true), (130, 10, false), (130, 11, true)]
    {
        let desk = mirror(all);
        (0..gone).for_each(|number| desk.remove(&format!("k/f{number}.md")));
        desk.commit("gone");
        let answer = desk.sync();
        if asks {
            assert_eq!(answer.code, 1, "{gone} of {all}: {}", answer.out);
            says(&answer, &["with ken mirror sync --yes"]);
            assert_eq!(retracted(&desk), 0, "{gone} of {all}");
            desk.ken(&["mirror", "sync", "--yes"]).ok();
        } else {
            assert_eq!(answer.code, 0, "{gone} of {all}: {}", answer.out);
        }
        assert_eq!(retracted(&desk), gone, "{gone} of {all}");
        says(&desk.sync().ok(), &["in sync"]);
    }
}

#[test]
fn many_files_are_not_removed_without_a_yes() {
    let desk = mirror(12);
    for number in 0..3 {
        desk.ken(&["retract", &format!("f{number}"), "--reason", "wrong"]).ok();
    }
    says(&desk.sync().fails_with(1), &["with ken mirror sync --yes"]);
    assert_eq!(desk.tree("k").len(), 12);
    desk.ken(&["mirror", "sync", "--yes"]).ok();
    assert_eq!(desk.tree("k").len(), 9);
    says(&desk.sync().ok(), &["in sync"]);
}

#[test]
fn many_lines_are_not_retracted_without_a_yes() {
    let mut text = KNOWLEDGE.to_owned();
    for line in 0..20 {
        text.push_str(&format!(
            "- [2026-01-01] Service {line} owns table t{} (Source: pr-{line})\n",
            line * 31
        ));
    }
    let desk = Desk::mirrored("wfc", "r", &[("security/KNOWLEDGE.md", &text)]);
    desk.write("r/security/KNOWLEDGE.md", KNOWLEDGE);
    says(&desk.sync().fails_with(1), &["20 entries were removed", "ken mirror sync --yes"]);
    assert_eq!(retracted(&desk), 0);
    desk.ken(&["mirror", "sync", "--yes"]).ok();
    assert_eq!(retracted(&desk), 20);
}

// A branch on which the files never were deletes nothing.
#[test]
fn a_branch_without_the_files_retracts_nothing() {
    let desk = Desk::new();
    desk.git("branch bare");
    desk.write("k/one.md", finding("One thing is so."));
    desk.write("k/two.md", finding("Another thing is not."));
    desk.ken(&["config", "mirrors.own", "flux-drive:k"]).ok();
    desk.sync().ok();
    desk.commit("mirror");
    let config = desk.read(".kenning/config.toml");
    desk.git("checkout -q bare");
    // The settings are not on that branch either; put them there.
    desk.write(".kenning/config.toml", &config);
    let answer = desk.ken(&["mirror", "sync", "--yes"]);
    assert_eq!(answer.code, 0, "{}{}", answer.out, answer.err);
    assert_eq!(retracted(&desk), 0);
    assert!(!desk.exists("k/one.md"), "files of another branch are not written here");
    desk.git("checkout -q -- .");
    desk.git("clean -qfd k");
    desk.git("checkout -q main");
    says(&desk.sync().ok(), &["in sync"]);
    assert_eq!((retracted(&desk), desk.entries().len()), (0, 2));
}

// The ledger came along and the files did not: a sparse checkout, a partial copy.
#[test]
fn a_checkout_without_the_folder_retracts_nothing() {
    let desk = mirror(3);
    std::fs::remove_dir_all(desk.folder.join("k")).unwrap();
    says(&desk.ken(&["mirror", "sync", "--yes"]).fails_with(1), &["the deletion is not committed"]);
    assert_eq!(retracted(&desk), 0);
    desk.git("checkout -q -- k");
    says(&desk.sync().ok(), &["in sync"]);
}

#[test]
fn a_deletion_of_what_changed_here_is_a_conflict() {
    let gone = || {
        let desk = mirror(12);
        desk.ken(&["edit", "f0", "--statement", "Service 0 owns nothing at all."]).ok();
        desk.remove("k/f0.md");
        desk.commit("gone");
        desk
    };
    let desk = gone();
    says(&desk.sync().fails_with(1), &["conflict", "f0.md", "deleted", "statement"]);
    assert_eq!(retracted(&desk), 0);
    desk.ken(&["mirror", "sync", "--take", "ledger"]).ok();
    assert!(desk.read("k/f0.md").contains("owns nothing at all"), "{}", desk.read("k/f0.md"));
    says(&desk.sync().ok(), &["in sync"]);
    let desk = gone();
    desk.ken(&["mirror", "sync", "--take", "file"]).ok();
    assert_eq!(retracted(&desk), 1);
    assert!(!desk.exists("k/f0.md"));
}

// A finding that two files hold goes when the last one goes.
#[test]
fn an_entry_in_two_files_stays_while_one_is_left() {
    let desk = Desk::mirrored(
        "flux-drive",
        "k",
        &[("one.md", &finding("One thing is so.")), ("copy.md", &finding("One thing is so."))],
    );
    assert_eq!(desk.entries().len(), 1);
    desk.remove("k/copy.md");
    desk.commit("less");
    desk.sync().ok();
    assert_eq!(retracted(&desk), 0);
    desk.remove("k/one.md");
    desk.commit("none");
    desk.sync().ok();
    assert_eq!(retracted(&desk), 1);
}
