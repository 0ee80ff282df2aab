//! What is recorded of the code at an anchor, and what is not: nothing of secrets, nothing of files that git ignores.

use ken_core::{Anchor, Verdict};
use ken_engine::{CodeTree, Effort};
use ken_worktree::{CodeGround, Parser};

use crate::world::World;

/// What reaches the ledger of an anchor, as JSON, or why nothing does.
fn captured(world: &World, at: &str) -> String {
    let git = ken_worktree::git::Git::at(&world.root());
    let mut ground = CodeGround::working(&world.root(), git.as_ref(), None, true, Parser::Here);
    let mut anchor = Anchor { at: at.to_owned(), captured: None, extra: Default::default() };
    match ground.capture(&mut anchor) {
        Ok(_) => serde_json::to_string(&anchor).unwrap(),
        Err(why) => {
            assert_eq!(anchor.captured, None);
            why.reason().to_owned()
        }
    }
}

/// The excerpt of an anchor was left out since it held a password, and the password was among the words to search for.
#[test]
fn no_word_of_a_flagged_line_is_recorded() {
    let settings = "host = tern.example\nDB_PASS=Gannet7kelp # gravel_otter\nretries = exponential_backoff\n";
    let code = "fn connect_gateway() {\n    login(user, password: \"Gannet7kelp\"); // hollyhock_meadow\n}\n\nfn leave_quietly() { sweep_remains(); }\n";
    let notes =
        "# Gate opens with password Gannet7kelpdrift\n\n## Closing hours\n\nNobody enters after midnight.\n";
    let world = World::new(&[("gate.ini", settings), ("src/gate.rs", code), ("gate.md", notes)]);
    for at in [
        "gate.ini",
        "gate.ini:2",
        "gate.ini:1-3",
        "src/gate.rs",
        "src/gate.rs:1-3",
        "src/gate.rs#connect_gateway",
        "gate.md",
        "gate.md:1",
        "gate.md#closing hours",
        "gate.md:5",
    ] {
        let said = captured(&world, at).to_lowercase();
        assert!(said.contains("\"print\""), "{at}: {said}");
        for word in ["gravel", "otter", "gannet", "hollyhock", "kelpdrift"] {
            assert!(!said.contains(word), "{at} records {word}: {said}");
        }
    }
    // What it is found again by stays: the words of other lines, and the name that somebody gave.
    assert!(captured(&world, "gate.ini").contains("exponential_backoff"));
    assert!(captured(&world, "src/gate.rs#leave_quietly").contains("sweep_remains"));
    assert!(captured(&world, "src/gate.rs#connect_gateway").contains("\"needles\":[\"connect_gateway\"]"));
}

/// What is said of an anchor of which nothing was recorded.
fn judged(world: &World, at: &str) -> (Verdict, String) {
    let git = ken_worktree::git::Git::at(&world.root());
    let mut ground = CodeGround::working(&world.root(), git.as_ref(), None, true, Parser::Here);
    let anchor = Anchor { at: at.to_owned(), captured: None, extra: Default::default() };
    let place = ground.judge(&[anchor], Effort::Thorough).remove(0);
    (place.verdict, place.why)
}

/// A file was renamed without git being told, and an anchor in it of which nothing was ever recorded was said to be broken.
#[test]
fn a_place_that_was_never_recorded_is_not_broken() {
    let text = "foo! { @gate_keeper }\nfn other() {}\n";
    let moved = |world: &World| {
        let git = ken_worktree::git::Git::at(&world.root());
        let mut ground = CodeGround::working(&world.root(), git.as_ref(), None, true, Parser::Here);
        let at = "src/m.rs#gate_keeper".to_owned();
        let anchor = Anchor { at, captured: None, extra: Default::default() };
        let place = ground.judge(&[anchor], Effort::Thorough).remove(0);
        (place.verdict, place.now.unwrap_or_default())
    };
    let world = World::new(&[("src/m.rs", text), ("src/twin.rs", text)]);
    std::fs::rename(world.root().join("src/m.rs"), world.root().join("src/k.rs")).unwrap();
    let now = (Verdict::Unverifiable, "src/k.rs#gate_keeper".to_owned());
    assert_eq!(moved(&world), now, "an untracked file has its bytes");
    world.git(&["add", "-A"]);
    assert_eq!(moved(&world), now, "it is staged");
    world.commit("moved", 1_700_000_100);
    assert_eq!(moved(&world), now, "it is committed");
    // Where two files have its bytes, nobody can tell which it is.
    let world = World::new(&[("src/m.rs", text)]);
    std::fs::rename(world.root().join("src/m.rs"), world.root().join("src/k.rs")).unwrap();
    world.write("src/j.rs", text.as_bytes());
    assert_eq!(moved(&world), (Verdict::Unverifiable, String::new()));
    std::fs::remove_file(world.root().join("src/k.rs")).unwrap();
    std::fs::remove_file(world.root().join("src/j.rs")).unwrap();
    let gone = (Verdict::Unverifiable, "src/m.rs is gone, and no fingerprint was stored".to_owned());
    assert_eq!(judged(&world, "src/m.rs#gate_keeper"), gone);
}

/// `--anchor` with the repository itself said ". does not exist".
#[test]
fn the_whole_repository_is_no_anchor() {
    let world = World::new(&[("src/m.rs", "fn other() {}\n")]);
    let git = ken_worktree::git::Git::at(&world.root());
    let mut ground = CodeGround::working(&world.root(), git.as_ref(), None, true, Parser::Here);
    let mut anchor = Anchor { at: ".".to_owned(), captured: None, extra: Default::default() };
    let refused = ground.capture(&mut anchor).unwrap_err();
    assert_eq!(refused.reason(), "it is the whole repository; name a file in it");
}

/// Whole lines of `.env` files that git ignores reached the tracked ledger, in words that no scanner knows.
#[test]
fn nothing_of_an_ignored_file_is_recorded() {
    let world = World::new(&[
        (".gitignore", "*.local\n/private/\n!private/kept.txt\n*.log\n!wanted.log\n"),
        ("deep/.gitignore", "notes.txt\n"),
        ("src/a.rs", "fn a() {}\n"),
    ]);
    let text = "gravel otter lantern quilt\n";
    for file in ["conf.local", "private/kept.txt", "deep/notes.txt", "deep/er/notes.txt", "excluded.txt"] {
        world.write(file, text.as_bytes());
    }
    world.write("code.local", b"fn gravel_otter() {}\n");
    world.write(".git/info/exclude", b"excluded.txt\n");
    world.write("wanted.log", text.as_bytes());
    world.write("new.txt", text.as_bytes());
    world.write("tracked.local", text.as_bytes());
    world.git(&["add", "-f", "tracked.local"]);
    #[cfg(unix)]
    std::os::unix::fs::symlink("conf.local", world.root().join("link.txt")).unwrap();
    let mut ignored = vec![
        "conf.local",
        "conf.local:1",
        "code.local#gravel_otter",
        "code.local#gravel",
        "private/kept.txt",
        "deep/notes.txt",
        "deep/er/notes.txt:1",
        "excluded.txt",
    ];
    if cfg!(unix) {
        ignored.push("link.txt");
    }
    for at in ignored {
        let why = captured(&world, at);
        assert!(
            why.starts_with("git ignores ") && why.ends_with("so nothing of it is recorded"),
            "{at}: {why}"
        );
        assert_eq!(judged(&world, at), (Verdict::Unverifiable, why));
    }
    for at in ["wanted.log", "new.txt", "tracked.local", "src/a.rs"] {
        let said = captured(&world, at);
        assert!(said.contains("\"print\""), "{at}: {said}");
    }
}

/// A rule may also be in a file that the repository's settings name, or in a folder that is no repository.
#[test]
fn rules_of_other_places_count_too() {
    let world = World::new(&[("a.txt", "gravel otter\n")]);
    world.write("rules", b"b.txt\n");
    world.write("b.txt", b"gravel otter\n");
    world.git(&["config", "core.excludesFile", &world.root().join("rules").display().to_string()]);
    assert!(captured(&world, "b.txt").starts_with("git ignores b.txt"));
    assert!(captured(&world, "a.txt").contains("otter"));
    let plain =
        World::plain(&[(".gitignore", "b.txt\n"), ("b.txt", "gravel otter\n"), ("a.txt", "gravel otter\n")]);
    assert!(captured(&plain, "b.txt").starts_with("git ignores b.txt"));
    assert!(captured(&plain, "a.txt").contains("otter"));
}
