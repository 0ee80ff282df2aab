//! What others put into a repository: links, forged lines, wrong clocks, branches from before the store.

use forge::sealed;

use super::world::World;

/// Seals lines the way a stranger with an editor could.
mod forge {
    use kenning::core::EventHash;
    use serde_json::Value;

    /// The line of an event whose hash is right, whatever it claims.
    pub(super) fn sealed(mut envelope: Value) -> String {
        let text = kenning::core::canonical::value_to_string(&envelope);
        let hash = EventHash::from_parts(&[text.as_bytes()]);
        envelope["hash"] = Value::from(hash.to_string());
        kenning::core::canonical::value_to_string(&envelope)
    }
}

fn entry_file(world: &World) -> String {
    let listing = std::fs::read_dir(world.path().join(".kenning/semantic/v1/entities")).unwrap();
    let name = listing.flatten().next().unwrap().file_name().into_string().unwrap();
    format!(".kenning/semantic/v1/entities/{name}")
}

#[cfg(unix)]
#[test]
fn a_link_in_a_store_never_leads_a_write_out_of_it() {
    let world = World::with_store();
    world.write("victim", "mine\n");
    std::fs::create_dir_all(world.path().join(".kenning/episodic/v1")).unwrap();
    let link = world.path().join(".kenning/episodic/v1/friction_ledger.jsonl");
    std::os::unix::fs::symlink(world.path().join("victim"), link).unwrap();
    let answer = world.ken_args(&["friction", "record", "--type", "redo", "--context", "{\"a\":1}"]);
    assert!(answer.err.contains("does not follow links"), "{}", answer.err);
    world.ken("verify");
    assert_eq!(world.read("victim"), "mine\n");
    // The same for a folder.
    let folder = world.path().join(".kenning/semantic/v1/entities");
    std::fs::create_dir_all(folder.parent().unwrap()).unwrap();
    std::fs::create_dir_all(world.path().join("outside")).unwrap();
    std::os::unix::fs::symlink(world.path().join("outside"), &folder).unwrap();
    world.lesson("Something learned.");
    assert_eq!(std::fs::read_dir(world.path().join("outside")).unwrap().count(), 0);
}

// A branch with `.kenning -> ../other/.kenning` was read as if it were ours, and `flush` wrote into the other repository.
#[cfg(unix)]
#[test]
fn a_store_that_is_a_link_into_another_repository_is_neither_read_nor_written() {
    use std::os::unix::fs::symlink;
    let theirs = World::with_store();
    theirs.lesson("Their own secret ways.");
    theirs.git("add -A");
    theirs.git("commit -q -m lesson");
    let looks = |world: &World| {
        let mut files: Vec<String> = Vec::new();
        let mut folders = vec![world.path().join(".kenning")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().flatten() {
                let meta = entry.metadata().unwrap();
                files.push(format!("{:?} {} {:?}", entry.path(), meta.len(), meta.modified().unwrap()));
                folders.extend(meta.is_dir().then(|| entry.path()));
            }
        }
        files.sort();
        files
    };
    let before = looks(&theirs);
    let ours = World::repository();
    symlink(theirs.path().join(".kenning"), ours.path().join(".kenning")).unwrap();
    ours.git("add -A");
    ours.git("commit -q -m link");
    for words in [
        "list",
        "search secret",
        "verify",
        "doctor",
        "gate",
        "note hello",
        "flush",
        "init",
        "rebuild",
        "config admission.mode",
        "brief",
    ] {
        let answer = ours.ken(words).fails_with(4);
        assert!(answer.err.contains(".kenning is a symbolic link"), "{words}: {}", answer.err);
        assert!(!answer.out.contains("secret ways") && !answer.err.contains("secret ways"), "{words}");
    }
    let said = serde_json::json!({"cwd": ours.path(), "session_id": "s", "hook_event_name": "SessionStart"});
    let hook = ours.ken_stdin(&["hook", "start", "--host", "claude-code"], &said.to_string()).ok();
    assert!(!hook.out.contains("secret ways"), "{}", hook.out);
    assert_eq!(looks(&theirs), before);
    // The same for a folder on the way to a ledger file, and for where a sandbox would put the journal.
    for below in ["semantic", "episodic/v1", ".local"] {
        let ours = World::with_store();
        ours.lesson("One of ours.");
        let at = ours.path().join(".kenning").join(below);
        drop(std::fs::remove_dir_all(&at));
        std::fs::create_dir_all(at.parent().unwrap()).unwrap();
        symlink(theirs.path().join(".kenning").join(below), at).unwrap();
        for words in ["list", "note hello", "flush"] {
            let answer = ours.ken(words).fails_with(4);
            assert!(answer.err.contains(&format!(".kenning/{below} is a symbolic link")), "{}", answer.err);
        }
    }
    // Further in, what is behind a link is not read, and that is said.
    let ours = World::with_store();
    ours.lesson("One of ours.");
    let link = ours.path().join(".kenning/semantic/v1/entities/more");
    symlink(theirs.path().join(".kenning/semantic/v1/entities"), link).unwrap();
    let answer = ours.ken("list").ok();
    assert!(answer.err.contains("semantic/v1/entities/more is a link"), "{}", answer.err);
    assert!(!answer.out.contains("secret ways"), "{}", answer.out);
    assert_eq!(looks(&theirs), before);
}

// `init` in a clone whose `.kenning/INDEX.md` was a link to nothing made that file, wherever it was.
#[cfg(unix)]
#[test]
fn a_new_store_is_not_written_through_links_that_were_there_before() {
    let world = World::repository();
    let victim = world.path().with_file_name("victim");
    std::fs::create_dir_all(world.path().join(".kenning")).unwrap();
    std::os::unix::fs::symlink(&victim, world.path().join(".kenning/INDEX.md")).unwrap();
    world.ken("init").ok();
    world.ken("list").ok();
    assert!(!victim.exists());
}

// Evidence behind a link was `verified` where there was a file, and refused where there was none: a question about any path of the machine.
#[cfg(unix)]
#[test]
fn evidence_and_anchors_behind_a_link_tell_nothing_of_the_machine() {
    use std::os::unix::fs::symlink;
    let world = World::with_store();
    let outside = world.path().with_file_name("outside");
    std::fs::create_dir_all(&outside).unwrap();
    std::fs::write(outside.join("there.md"), "words\n").unwrap();
    for (name, target) in [("there.md", "there.md"), ("none.md", "none.md")] {
        symlink(outside.join(target), world.path().join(name)).unwrap();
    }
    symlink(&outside, world.path().join("folder")).unwrap();
    let add = |at: &str| {
        let evidence = format!("doc:{at}");
        let words = ["add", "lesson", "Look there.", "--evidence", &evidence, "--anchor", at];
        let answer = world.ken_args(&[&words[..], &["--verify", "look", "--explain"]].concat());
        let said = format!("{} {} {}", answer.code, answer.out, answer.err);
        said.replace("there.md", "F").replace("none.md", "F")
    };
    assert_eq!(add("there.md"), add("none.md"));
    assert_eq!(add("folder/there.md"), add("folder/none.md"));
    assert!(add("there.md").contains("leaves the repository"), "{}", add("there.md"));
}

#[cfg(unix)]
#[test]
fn endless_files_in_place_of_small_ones_are_refused() {
    let world = World::with_store();
    std::fs::remove_file(world.path().join(".kenning/config.toml")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", world.path().join(".kenning/config.toml")).unwrap();
    assert!(world.ken("list").fails_with(2).err.contains("config.toml"));
}

// STO-13: a line that claims to be ours is not ours when our journal does not have it.
#[test]
fn a_forged_purge_in_our_name_purges_nothing() {
    let world = World::with_store();
    let handle = world.lesson("Keep me.");
    let file = entry_file(&world);
    let first: serde_json::Value = serde_json::from_str(world.read(&file).lines().next().unwrap()).unwrap();
    let forged = sealed(serde_json::json!({
        "actor": "mallory", "clock": "2026-01-02T03:04:06.000Z-0000", "entry": first["entry"], "replica": first["replica"],
        "seq": 500, "type": "entry.purged", "v": 1, "data": {"hashes": [first["hash"]], "reason": "because"},
    }));
    world.write(&file, &format!("{}{forged}\n", world.read(&file)));
    world.ken("note hello").ok();
    assert!(world.read(&file).contains("Keep me."));
    let notices = world.ken("verify --json").json()["notices"].to_string();
    assert!(notices.contains("requested the purge"), "{notices}");
    world.ken(&format!("show {handle}")).fails_with(4);
}

// One machine's wrong clock orders the entry it touched and nothing else.
#[test]
fn a_line_from_the_far_future_does_not_set_our_clock() {
    let world = World::with_store();
    world.lesson("An old one.");
    let file = entry_file(&world);
    let first: serde_json::Value = serde_json::from_str(world.read(&file).lines().next().unwrap()).unwrap();
    let ahead = sealed(serde_json::json!({
        "actor": "mallory", "clock": "9998-12-31T23:59:59.999Z-0000", "entry": first["entry"], "replica": "0a0a0a0a0a0a",
        "seq": 1, "type": "entry.revised", "v": 1, "data": {"set": {"detail": "from the future"}},
    }));
    world.write(&file, &format!("{}{ahead}\n", world.read(&file)));
    let id = first["entry"].as_str().unwrap();
    let told = world.ken_args(&["edit", id, "--detail", "from now"]).ok();
    assert!(told.err.contains("ahead of this machine's clock"), "{}", told.err);
    assert_eq!(world.ken(&format!("show {id} --json")).ok().json()["detail"], "from now");
    let other = world.lesson("A new one.");
    let created = world.ken(&format!("show {other} --json")).ok().json()["created"].to_string();
    assert!(created.contains("2026-01-02"), "{created}");
}

// COR-4: a laptop wakes up in 2036, writes, and is set right.
#[test]
fn one_write_with_a_wrong_clock_dates_nothing_else() {
    let mut world = World::with_store();
    world.env.push(("KEN_NOW".to_owned(), "2036-05-06T07:08:09Z".to_owned()));
    let wrong = world.lesson("Written by a clock of the future.");
    world.ken("task start --goal work --run TT").ok();
    world.env.pop();
    let told = world
        .ken_args(&["add", "lesson", "Written after it.", "--evidence", "pr:1", "--draft", "--json"])
        .ok();
    assert!(told.err.contains("dated by the current clock"), "{}", told.err);
    let right = told.json()["id"].as_str().unwrap().to_owned();
    let created = world.ken(&format!("show {right} --json")).ok().json()["created"].to_string();
    assert!(created.contains("2026-01-02"), "{created}");
    // It is said once, and the date of the event stays what it is.
    let again =
        world.ken_args(&["add", "lesson", "And after that.", "--evidence", "pr:1", "--draft", "--json"]).ok();
    assert!(!again.err.contains("clock"), "{}", again.err);
    let shown = world.ken(&format!("show {wrong}")).ok();
    assert!(shown.out.contains("dated 2036 by a wrong clock"), "{}", shown.out);
    assert!(!shown.out.contains("2036-"), "{}", shown.out);
    let created = shown.out.lines().find(|line| line.trim_start().starts_with("created")).unwrap();
    assert!(created.contains("dated 2036 by a wrong clock"), "a list and `show` say the same: {created}");
    let runs = world.ken("task list").ok();
    assert!(runs.out.contains("dated 2036 by a wrong clock") && !runs.out.contains("2036-"), "{}", runs.out);
    let runs = world.ken("task list --json").ok().json();
    assert!(!runs["items"][0]["started"].as_str().unwrap().starts_with("2036"), "{runs}");
    let listed = world.ken("list").ok();
    assert!(
        listed.out.contains("dated 2036 by a wrong clock") && !listed.out.contains("2036-"),
        "{}",
        listed.out
    );
    // What is said of it is ordered after it.
    world.ken_args(&["edit", &wrong, "--detail", "said today"]).ok();
    assert_eq!(world.ken(&format!("show {wrong} --json")).ok().json()["detail"], "said today");
    let verified = world.ken("verify --json").ok().json();
    let notices = verified["notices"].as_array().unwrap();
    let named = |notice: &&serde_json::Value| notice["code"] == "wrong_clock";
    assert!(notices.iter().filter(named).count() >= 2, "{verified}");
    assert!(world.ken("doctor").out.contains("days ahead of this machine's clock"));
}

// STO-7: reverting a merge and merging again loses lines in git; any clone can tell which and bring them back.
#[test]
fn what_a_revert_took_out_is_named_and_recovered_in_a_clone_that_never_wrote_it() {
    let world = World::with_store();
    world.git("checkout -q -b feature");
    world.lesson("Learned on the feature branch.");
    world.ken("commit").ok();
    world.git("checkout -q main");
    world.write("x", "x");
    world.git("add x");
    world.git("commit -q -m x");
    world.git("merge -q --no-edit feature");
    world.git("revert --no-edit -m1 HEAD");
    world.git("merge -q feature");
    world.git("clone -q . ../clone");
    let inside = |words: &str| {
        let mut command = world.command(&World::binary().display().to_string());
        let output = command
            .current_dir(world.path().join("../clone"))
            .args(words.split_whitespace())
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert!(!inside("list").contains("feature branch"));
    assert!(inside("verify").contains("was removed by commit"), "{}", inside("verify"));
    assert!(inside("recover").contains("put back"));
    assert!(inside("list").contains("feature branch"));
}

#[test]
fn writing_on_a_branch_from_before_the_store_makes_the_store_whole() {
    let world = World::repository();
    world.git("branch old");
    world.ken("init").ok();
    world.lesson("Learned on main.");
    world.ken("commit").ok();
    world.git("checkout -q old");
    world.lesson("Learned on the old branch.");
    for name in ["VERSION", ".gitattributes", ".gitignore", "config.toml"] {
        assert!(world.path().join(".kenning").join(name).is_file(), "{name}");
    }
}

// STO-4: a hand edit in a clone that did not write the entry can be adopted there.
#[test]
fn a_colleague_can_adopt_a_hand_edit_of_our_entry() {
    let world = World::with_store();
    world.lesson("Before the edit.");
    world.ken("commit").ok();
    std::fs::remove_dir_all(world.path().join(".git/kenning")).unwrap();
    let file = entry_file(&world);
    world.write(&file, &world.read(&file).replace("Before the edit.", "After the edit."));
    let answer = world.ken_args(&["recover", "--adopt", &file]).ok();
    assert!(answer.out.contains("revised"), "{}", answer.out);
    assert!(world.ken("list").ok().out.contains("After the edit."));
    assert_eq!(world.ken("verify --json").json()["errors"], serde_json::json!([]));
}

#[test]
fn a_list_by_text_looks_at_words_and_not_at_names_of_fields() {
    let world = World::with_store();
    world.lesson("Item 3 \"quoted\" tail.");
    for (text, found) in [("\"quoted\"", 1), ("anchors", 0), ("item 3", 1), ("statement", 0)] {
        let answer = world.ken_args(&["list", "--text", text, "--json"]).ok().json();
        assert_eq!(answer["total"], found, "{text}");
    }
}

// `scan --jsonl /dev/zero` took all the memory there was.
#[cfg(unix)]
#[test]
fn what_has_no_end_is_read_up_to_a_limit() {
    let world = World::with_store();
    let answer = world.ken("scan --jsonl /dev/zero").fails_with(2);
    assert!(
        answer.err.contains("line 1 of /dev/zero") && answer.err.contains("longer than 16 MiB"),
        "{}",
        answer.err
    );
    // Lines before it have their verdict.
    let endless = format!("{{\"text\":\"fine\"}}\n{{\"text\":\"{}", "x".repeat((16 << 20) + 1));
    let answer = world.ken_stdin(&["scan", "--jsonl", "-"], &endless).fails_with(2);
    assert!(answer.out.starts_with("1\tsafe"), "{}", answer.out);
    let answer = world.ken("scan /dev/zero").fails_with(2);
    assert!(answer.err.contains("longer than 64 MiB"), "{}", answer.err);
    let lines = format!(
        "{{\"type\":\"lesson\",\"statement\":\"One.\"}}\n{{\"statement\":\"{}",
        "x".repeat((16 << 20) + 1)
    );
    let answer = world.ken_stdin(&["add", "--file", "-", "--draft"], &lines);
    assert_ne!(answer.code, 0);
    assert!(answer.err.contains("longer than 16 MiB"), "{}", answer.err);
    let secret = "s".repeat((1 << 20) + 1);
    let answer = world.ken_stdin(&["purge", "--secret", "--reason", "leaked"], &secret);
    assert_ne!(answer.code, 0);
    assert!(answer.err.contains("longer than 1 MiB"), "{}", answer.err);
}

// 100,000 ids that nobody has were looked up one by one, and each was told: 7.6 seconds and 15 MB.
#[test]
fn a_hundred_thousand_bad_ids_are_one_fault() {
    let world = World::with_store();
    let run = world.ken_args(&["task", "start", "--goal", "Try it.", "--json"]).ok().json()["run"]
        .as_str()
        .unwrap()
        .to_owned();
    let ids: Vec<String> = (0..20_000).map(|n| format!("L-{n:06}")).collect();
    let used: Vec<&str> = ids.iter().flat_map(|id| ["--used", id]).collect();
    let answer =
        world.ken_args(&[&["task", "finish", "--run", &run, "--outcome", "success"][..], &used].concat());
    assert_ne!(answer.code, 0);
    assert!(answer.err.contains("used: has 20000 members; at most 1000 are allowed"), "{}", answer.err);
    assert!(answer.err.len() < 1_000, "{}", answer.err.len());
    // A word that is no verb was looked for once for each word behind it.
    let words: Vec<&str> = ids.iter().map(String::as_str).collect();
    let begun = std::time::Instant::now();
    world.ken_args(&[&["histry"][..], &words].concat()).fails_with(2);
    assert!(begun.elapsed() < std::time::Duration::from_secs(5), "{:?}", begun.elapsed());
}
