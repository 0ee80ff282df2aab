//! `ken demo`: plays to the end, and leaves nothing behind.

use crate::world::World;

/// The titles of the scenes. A new scene adds its title here.
const TITLES: &[&str] = &[
    "== 1. A store next to the code",
    "== 2. No claim without evidence",
    "== 3. Other kinds of knowledge",
    "== 4. Reading it back",
    "== 5. Why should I believe that?",
    "== 6. The right entry, in other words",
    "== 7. A few entries for an agent",
    "== 8. Nothing bad gets in",
    "== 9. Is it still true?",
    "== 10. Did it help?",
    "== 11. Found again, or merely repeated?",
    "== 12. In the agent's hands",
    "== 13. What the team agreed on",
    "== 14. Files of other systems",
    "== 15. Two people, two branches, one merge",
    "== 16. What did the branches bring?",
    "== 17. A crash in the middle",
    "== 18. git reset --hard",
];

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

#[test]
fn the_demo_plays_every_scene_and_leaves_nothing_behind() {
    let (world, scratch) = world();
    let answer = world.ken("demo").ok();
    let titles: Vec<&str> =
        answer.out.lines().filter(|line| line.starts_with("== ") && line.contains(". ")).collect();
    assert_eq!(titles, TITLES, "{}", answer.out);
    for words in [
        "provenance required",
        "added L-",
        "0.38 =",
        "words alone answered",
        "Knowledge Applied",
        "rejected L-",
        "moved to src/transport.py#send",
        "because of L-",
        "found it helpful",
        "repeated by who had been told",
        "there is none here",
        "blocked by 1 finding",
        "confirmed independently",
        "claude-code session-start: 1 call, 1 hit",
        "3 files taken away, 0 left behind",
        "read flux-drive (2 files), wfc (1 file)",
        "in step now: ",
        "+A lock that is held while a request waits stops every other booking of that ship.",
        "are 2 lines of their files",
        "Merge made by",
        "2400 after --resume",
        "nothing is lost: `ken recover` puts them back",
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
