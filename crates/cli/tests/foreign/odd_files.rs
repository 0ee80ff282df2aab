//! Files that are no files: links, pipes, names that are odd, and what may not be read (DOO-6).

use super::{Desk, finding, says};

#[cfg(unix)]
#[test]
fn links_and_pipes_are_not_read_and_are_reported() {
    use std::os::unix::fs::symlink;
    let desk = Desk::new();
    let secret = desk.folder.with_file_name("private.md");
    super::write(&secret, finding("Nobody here should know of the swordfish.").as_bytes());
    desk.write("k/one.md", finding("One thing is so."));
    symlink(&secret, desk.folder.join("k/link.md")).unwrap();
    symlink("..", desk.folder.join("k/around")).unwrap();
    symlink("nowhere", desk.folder.join("k/dangling.md")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(desk.folder.join("k/pipe.md")).status().unwrap();
    assert!(made.success());
    let report = desk.ken(&["import", "flux-drive", "k", "--json"]).ok().json();
    let mut left: Vec<(&str, &str)> = Vec::new();
    for note in report["left_out"].as_array().unwrap() {
        left.push((note["path"].as_str().unwrap(), note["note"].as_str().unwrap()));
    }
    left.sort_unstable();
    let link = "is a link; links are not followed";
    assert_eq!(
        left,
        [("around", link), ("dangling.md", link), ("link.md", link), ("pipe.md", "is not a regular file")]
    );
    assert_eq!(desk.entries().len(), 1);
    assert_eq!(desk.holding("swordfish"), Vec::<String>::new());
    says(
        &desk.ken(&["import", "flux-drive", "k", "--dry-run"]).ok(),
        &["not read:", "links are not followed"],
    );
    // A pipe that is named itself is no knowledge, and nobody waits for it.
    desk.ken(&["import", "flux-drive", "k/pipe.md"]).fails_with(3);
    // A mirror does not follow them either, and a mirror that is a link is none.
    desk.ken(&["config", "mirrors.own", "flux-drive:k"]).ok();
    says(&desk.sync().ok(), &["links are not followed"]);
    symlink("k", desk.folder.join("alias")).unwrap();
    desk.ken(&["config", "mirrors.own", "flux-drive:alias"]).ok();
    says(&desk.sync().fails_with(4), &["is a symbolic link"]);
}

// `import agents-md notes.md` with `notes.md -> /etc/hosts` read the whole of `/etc`.
#[cfg(unix)]
#[test]
fn what_is_named_for_an_import_is_read_and_nothing_that_a_link_leads_to() {
    use std::os::unix::fs::symlink;
    let desk = Desk::new();
    let outside = desk.folder.with_file_name("outside");
    super::write(&outside.join("one.md"), finding("Nobody here should know of the swordfish.").as_bytes());
    symlink(outside.join("one.md"), desk.folder.join("link.md")).unwrap();
    symlink(&outside, desk.folder.join("linked")).unwrap();
    for path in ["link.md", "linked", "linked/", "linked/one.md", "./linked/../linked/one.md"] {
        for flags in [&[][..], &["--dry-run"]] {
            let answer = desk.ken(&[&["import", "auto", path], flags].concat()).fails_with(4);
            says(&answer, &["is a symbolic link, and ken does not follow links"]);
        }
    }
    assert_eq!(desk.entries().len(), 0);
    // A file that is named is read alone: what lies beside it is not even listed.
    desk.write("k/one.md", finding("One thing is so."));
    desk.write("k/two.md", finding("Another thing is so."));
    symlink(&outside, desk.folder.join("k/linked")).unwrap();
    let report = desk.ken(&["import", "flux-drive", "k/one.md", "--json"]).ok().json();
    assert_eq!(report["files"], 1, "{report}");
    assert_eq!(report["left_out"].as_array().map_or(0, Vec::len), 0, "{report}");
    assert_eq!(desk.holding("swordfish"), Vec::<String>::new());
}

// Whoever runs this as root may read everything; then there is nothing to show.
#[cfg(unix)]
#[test]
fn what_may_not_be_read_is_reported_and_the_rest_comes_in() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    desk.write("k/one.md", finding("One thing is so."));
    desk.write("k/shut.md", finding("Another thing is not."));
    let shut = desk.folder.join("k/shut.md");
    std::fs::set_permissions(&shut, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(&shut).is_ok() {
        eprintln!("SKIPPED: this user may read every file");
        return;
    }
    let report = desk.ken(&["import", "flux-drive", "k", "--json"]).ok().json();
    assert_eq!(report["added"], 1, "{report}");
    assert_eq!(report["left_out"][0]["path"], "shut.md", "{report}");
}

// A file cut off in the middle was imported with exit code 0; a script that went on had lost half of it and did not know.
#[test]
fn a_broken_file_is_no_success_and_what_could_be_read_comes_in() {
    let desk = Desk::new();
    let entity = |name: &str, said: &str| {
        format!(
            "{{\"type\":\"entity\",\"name\":\"{name}\",\"entityType\":\"service\",\"observations\":[\"{said}\"]}}\n"
        )
    };
    let cut_off = &entity("Mailer", "It sends mail.")[..40];
    desk.write("memory.jsonl", entity("Billing", "It retries with jitter.") + cut_off);
    let dry = desk.ken(&["import", "server-memory", "memory.jsonl", "--dry-run"]).fails_with(1);
    says(&dry, &["1 entry would be added", "could not be read:", "memory.jsonl: line 2: this is not JSON"]);
    let report = desk.ken(&["import", "server-memory", "memory.jsonl", "--json"]).fails_with(1).json();
    assert_eq!((&report["added"], &report["complete"]), (&1.into(), &true.into()), "{report}");
    assert_eq!(report["unreadable"][0]["path"], "memory.jsonl", "{report}");
    assert_eq!(desk.entries().len(), 1);
    // A file of which nothing can be read says why, too.
    desk.write("mem0.json", "{\"results\": [");
    let answer = desk.ken(&["import", "mem0", "mem0.json"]).fails_with(1);
    says(&answer, &["0 entries added", "could not be read:", "mem0.json: is not JSON (EOF"]);
}

#[test]
fn names_with_odd_characters_come_and_go_as_they_are() {
    let desk = Desk::new();
    let names = [
        "with blank.md",
        "quote'\".md",
        "ünïcödé-日本.md",
        "-dash.md",
        "semi;colon&.md",
        "deep/er/and deeper.md",
        "[x].md",
        "%41.md",
    ];
    for (number, name) in names.iter().enumerate() {
        desk.write(
            &format!("odd folder/{name}"),
            finding(&format!("Thing number {number} is about part {}.", number * 17)),
        );
    }
    desk.ken(&["import", "flux-drive", "odd folder"]).ok();
    assert_eq!(desk.entries().len(), names.len());
    desk.ken(&["export", "flux-drive", "../out"]).ok();
    super::assert_same(&desk.tree("odd folder"), &super::tree(&desk.folder.join("../out")), "odd names");
    desk.ken(&["config", "mirrors.own", "flux-drive:odd folder"]).ok();
    let before = desk.events();
    says(&desk.sync().ok(), &["in sync"]);
    assert_eq!(desk.events(), before);
    // Its history is asked for by the same names.
    desk.commit("all");
    desk.remove("odd folder/ünïcödé-日本.md");
    desk.commit("less");
    says(&desk.ken(&["mirror", "sync", "--yes"]).ok(), &["retracted"]);
}

#[cfg(unix)]
#[test]
fn names_that_no_ledger_can_hold_are_reported() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let desk = Desk::new();
    desk.write("k/one.md", finding("One thing is so."));
    if std::fs::write(desk.folder.join("k").join(OsStr::from_bytes(b"caf\xe9.md")), "x").is_err() {
        eprintln!("SKIPPED: this file system has only names in UTF-8");
        return;
    }
    desk.write("k/back\\slash.md", finding("A stroke the wrong way."));
    desk.write("k/colon:colon.md", finding("A drive letter of somebody."));
    let report = desk.ken(&["import", "flux-drive", "k", "--json"]).ok().json();
    let left = report["left_out"].as_array().unwrap();
    assert_eq!(left.len(), 3, "{report}");
    assert_eq!(report["added"], 1, "{report}");
}
