//! What a shell is offered while somebody types, and the man pages.

use crate::transcript::files;
use crate::world::{Answer, World};

/// What is offered for the last of some words.
pub fn offered(world: &World, words: &[&str]) -> Vec<String> {
    let mut command = world.command(&World::binary().display().to_string());
    command.arg("--").args(words).env("KEN_COMPLETE", "bash");
    command.env("_CLAP_COMPLETE_INDEX", (words.len() - 1).to_string());
    let answer: Answer = command.output().unwrap().into();
    assert_eq!((answer.code, answer.err.as_str()), (0, ""), "{words:?}");
    answer.out.lines().map(str::to_owned).collect()
}

#[test]
fn entries_and_tags_are_completed_and_nothing_is_recorded() {
    let world = World::with_store();
    let add = |id: &str, statement: &str, tag: &str| {
        world
            .ken_args(&[
                "add",
                "lesson",
                statement,
                "--id",
                id,
                "--tag",
                tag,
                "--evidence",
                "pr:1",
                "--draft",
            ])
            .ok();
    };
    add("net.retry", "Retry with jitter.", "net/http");
    add("sockets", "Close sockets before a restart.", "net/tcp");
    world.ken("rebuild").ok();
    let before = files(&world);
    // By handle, and by id as soon as one is typed.
    assert_eq!(offered(&world, &["ken", "show", "L-7"]), ["L-7b9baa"]);
    assert_eq!(offered(&world, &["ken", "show", "ne"]), ["net.retry"]);
    assert_eq!(offered(&world, &["ken", "link", "L-7b9baa", "supports", "sock"]), ["sockets"]);
    assert_eq!(offered(&world, &["ken", "task", "finish", "--used", "L-7"]), ["L-7b9baa"]);
    assert_eq!(offered(&world, &["ken", "list", "--tag", "net"]), ["net/http", "net/tcp"]);
    assert_eq!(offered(&world, &["ken", "tag", "sockets", "net/t"]), ["net/tcp"]);
    assert!(files(&world) == before, "completing wrote something");
}

#[test]
fn where_there_is_no_store_only_verbs_and_flags_are_offered() {
    let world = World::bare();
    assert_eq!(offered(&world, &["ken", "show", "L"]), [""; 0]);
    assert_eq!(offered(&world, &["ken", "conf"]), ["confirm", "config"]);
    assert!(offered(&world, &["ken", "queue", "--e"]).contains(&"--edit".to_owned()));
}

#[test]
fn every_shell_has_a_script_that_asks_ken() {
    let world = World::bare();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = world.ken(&format!("completions {shell}")).ok().out;
        assert!(script.contains("KEN_COMPLETE"), "{shell}: {script}");
    }
}

#[test]
fn man_pages_are_written_for_every_verb() {
    let world = World::bare();
    world.ken("completions man pages").ok();
    for (page, part) in [("ken.1", "ken"), ("ken-add.1", "evidence"), ("ken-task-start.1", "task")] {
        let text = world.read(&format!("pages/{page}"));
        assert!(text.contains(".TH") && text.contains(part), "{page}: {text}");
    }
    assert!(!world.path().join("pages/ken-parse-worker.1").exists());
}
