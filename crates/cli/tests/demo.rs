//! `ken demo`: plays to the end, and leaves nothing behind.

use expect_test::expect;

use crate::world::World;

/// A world whose temporary folder is its own, and empty.
fn world() -> (World, std::path::PathBuf) {
    let mut world = World::bare();
    let scratch = world.path().join("tmp");
    std::fs::create_dir_all(&scratch).unwrap();
    world.env.push(("TMPDIR".to_owned(), scratch.display().to_string()));
    // The watcher's own settings must not reach the stage.
    world.env.push(("KEN_READONLY".to_owned(), "1".to_owned()));
    world.env.push(("CLAUDECODE".to_owned(), "1".to_owned()));
    world.env.push(("GIT_DIR".to_owned(), "nowhere".to_owned()));
    (world, scratch)
}

fn names(folder: &std::path::Path) -> Vec<String> {
    let listing = std::fs::read_dir(folder).unwrap();
    listing.map(|item| item.unwrap().file_name().into_string().unwrap()).collect()
}

fn titles(out: &str) -> Vec<&str> {
    out.lines().filter(|line| line.starts_with("== ") && line.contains(". ")).collect()
}

#[test]
fn the_story_is_told_in_a_minute_of_reading() {
    let (world, scratch) = world();
    let answer = world.ken("demo").ok();
    expect![[r#"
        == 1. Keep what was learned
        == 2. Find it in other words
        == 3. Tell the agent in time
        == 4. Notice what stopped being true
        == 5. Learn from the outcome"#]]
    .assert_eq(&titles(&answer.out).join("\n"));
    for words in [
        "committed ",
        "] Retry with full jitter",
        "About src/client.py:",
        "drifts       L-",
        "now active",
        "ken demo CHAPTER, one of entries, search, ",
    ] {
        assert!(answer.out.contains(words), "{words} is missing:\n{}", answer.out);
    }
    // Commands and their output are skimmed, and no answer may be one that warns of itself.
    let words = answer.out.split_whitespace().count();
    assert!(words < 420, "{words} words:\n{}", answer.out);
    assert!(!answer.out.contains("no strong answer"), "{}", answer.out);
    assert_eq!(names(&scratch), Vec::<String>::new());
}

#[test]
fn a_chapter_is_played_on_its_own() {
    let (world, scratch) = world();
    let answer = world.ken("demo search").ok();
    expect![[r#"
        == 1. Search by meaning
        == 2. A few entries for an agent"#]]
    .assert_eq(&titles(&answer.out).join("\n"));
    // The lesson about jitter comes before a norm that has the word in an example.
    let (_, keyword_search) = answer.out.split_once("ken --no-model search jitter").unwrap();
    assert!(keyword_search.starts_with(" -n 1\n[L-"), "{keyword_search}");
    // What the chapter needed before it began is not shown.
    assert!(!answer.out.contains("ken init\nmade"), "{}", answer.out);
    assert_eq!(names(&scratch), Vec::<String>::new());
    let answer = world.ken("demo serch").fails_with(2);
    assert!(answer.err.contains("possible values: story, entries, search"), "{}", answer.err);
}

#[test]
fn all_chapters_play_in_one_repository_and_leave_nothing_behind() {
    let (world, scratch) = world();
    let answer = world.ken("demo all").ok();
    expect![[r#"
        == 1. A store next to the code
        == 2. No claim without evidence
        == 3. Other types of entries
        == 4. Reading entries
        == 5. Why should I believe that?
        == 6. Search by meaning
        == 7. A few entries for an agent
        == 8. Nothing harmful gets in
        == 9. Is it still true?
        == 10. Did it help?
        == 11. Confirmed, or merely repeated?
        == 12. In an agent's hands
        == 13. What the team agreed on
        == 14. Files of other systems
        == 15. Two people, two branches, one merge
        == 16. What did the branches bring?
        == 17. A crash in the middle
        == 18. git reset --hard"#]]
    .assert_eq(&titles(&answer.out).join("\n"));
    for words in [
        "provenance required",
        "added L-",
        "0.38 =",
        "Knowledge Applied",
        "quarantined L-",
        "moved to src/transport.py#send",
        "because of L-",
        "found it helpful",
        "repeated by agents that had seen the entry",
        "a person must confirm in a terminal, and this is not one",
        "blocked by 1 finding",
        "confirmed independently",
        "claude-code session-start: 1 call, 1 hit",
        "3 files removed, 0 left",
        "read flux-drive (2 files), wfc (1 file)",
        "now in sync: ",
        "+A lock that is held while a request waits stops every other booking of that ship.",
        "are 2 lines of their files",
        "Merge made by",
        "2400 after --resume",
        "the journal has them: run `ken recover`",
        "0 errors",
    ] {
        assert!(answer.out.contains(words), "{words} is missing:\n{}", answer.out);
    }
    assert!(!answer.out.contains("null"), "{}", answer.out);
    // Only the scene with an agent in it has one.
    let (before, after) = answer.out.split_once("== 12.").unwrap();
    let (_, after) = after.split_once("== 13.").unwrap();
    assert!(!before.contains("agent:") && !after.contains("by agent:"), "{}", answer.out);
    assert!(!answer.out.contains(&scratch.display().to_string()), "{}", answer.out);
    assert_eq!(names(&scratch), Vec::<String>::new());
    assert_eq!(names(&world.path()), ["tmp"]);
}

#[test]
fn without_git_the_demo_says_so_and_leaves_nothing_behind() {
    let (mut world, scratch) = world();
    world.env.push(("PATH".to_owned(), scratch.display().to_string()));
    let answer = world.ken("demo").fails_with(6);
    assert!(answer.err.contains("git, which the demo needs"), "{}", answer.err);
    assert_eq!(names(&scratch), Vec::<String>::new());
}
