//! COR-32: words that verbs had before still run, in hooks, settings and CI jobs that were written then, with one notice.

use std::fs;

use crate::world::World;

/// What `ken init --hooks` of the version before wrote.
const HOOK: &str = "#!/bin/sh\n# >>> kenning: write out what waits in the journal >>>\nif command -v ken >/dev/null 2>&1; then ken flush --stage --quiet || true; fi\n# <<< kenning <<<\n";

#[test]
#[cfg(unix)]
fn the_pre_commit_hook_of_the_version_before_stages_what_waits() {
    use std::os::unix::fs::PermissionsExt;

    let mut world = World::with_store();
    let folder = World::binary().parent().unwrap().display().to_string();
    world.env.push(("PATH".to_owned(), format!("{folder}:{}", std::env::var("PATH").unwrap())));
    let hook = world.path().join(".git/hooks/pre-commit");
    fs::write(&hook, HOOK).unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let id = world.lesson("Retry network calls with jitter, or all clients come back at once.");
    world.git("add -A");
    world.git("commit -qm entry");
    world.env.push(("KEN_RUN".to_owned(), "r1".to_owned()));
    world.ken(&format!("show {id}")).ok();
    world.git("commit -q --allow-empty -m notes");
    let files = world.git("show --name-only --format= HEAD");
    assert!(files.contains(".kenning/episodic/v1/runs/"), "{files}");
    let doctor = world.ken("doctor").out;
    assert!(doctor.contains("the pre-commit hook flushes the journal"), "{doctor}");
}

/// Lines of jobs, settings and scripts that people wrote when verbs had these words.
#[test]
fn lines_that_were_written_before_still_run_and_say_the_new_word_once() {
    let world = World::with_store();
    let id = world.lesson("Retry network calls with jitter, or all clients come back at once.");
    let other = world.lesson("Pool connections per host, since the gateway closes the idle ones.");
    world.write("RULES.md", "# Rules\n\nHandlers must never block the event loop.\n");
    let lines = [
        (format!("revise {id} --detail 'Cap the delay at 20 s.'"), "edit"),
        (format!("pin {id} --reason mine"), "view pin"),
        (format!("unpin {id}"), "view pin --undo"),
        (format!("mute {other} --reason mine"), "view mute"),
        (format!("unmute {other}"), "view mute --undo"),
        (format!("invalidate {other} --reason mine"), "view hide"),
        (format!("reinstate {other}"), "view hide --undo"),
        (format!("annotate {id} 'the gateway retries too'"), "view note"),
        (format!("belief {id}"), "why --belief"),
        ("reduce RULES.md".to_owned(), "digest reduce"),
        ("staging list".to_owned(), "digest list"),
        ("reflect".to_owned(), "digest reflect"),
        ("signals".to_owned(), "digest list --signals"),
        ("menu 'retry network calls'".to_owned(), "surface --menu"),
        (format!("applied {id}"), "surface --applied"),
        ("outcomes".to_owned(), "stats --outcomes"),
        ("where".to_owned(), "status --stores"),
        ("flush --stage".to_owned(), "commit --no-commit"),
        ("migrate".to_owned(), "maintain migrate"),
        ("man man1".to_owned(), "completions man"),
    ];
    for (line, now) in &lines {
        let commands = ken_shell::commands(line);
        let words: Vec<&str> = commands[0].words.iter().map(String::as_str).collect();
        let answer = world.ken_args(&words).ok();
        let notices: Vec<&str> = answer.err.lines().filter(|said| said.contains("is now")).collect();
        let [notice] = notices[..] else { panic!("`ken {line}` says {notices:?}") };
        assert!(notice.contains(&format!("is now `ken {now}`")), "`ken {line}`: {notice}");
        let quiet = [&words[..], &["--quiet"]].concat();
        let answer = world.ken_args(&quiet);
        assert!(!answer.err.contains("is now"), "`ken {line} --quiet`: {}", answer.err);
    }
}

/// What comes out is what comes out of the new words, and help shows these alone.
#[test]
fn former_words_answer_as_the_new_ones_do_and_are_not_in_help() {
    let world = World::with_store();
    let id = world.lesson("Retry network calls with jitter, or all clients come back at once.");
    for (former, now) in [
        (format!("belief {id} --json"), format!("why {id} --belief --json")),
        ("where --json".to_owned(), "status --stores --json".to_owned()),
        ("outcomes --json".to_owned(), "stats --outcomes --json".to_owned()),
        ("staging list --json".to_owned(), "digest list --json".to_owned()),
        ("embed --help".to_owned(), "rebuild --embeddings --help".to_owned()),
    ] {
        assert_eq!(world.ken(&former).ok().out, world.ken(&now).ok().out, "{former}");
    }
    let help = world.ken("help --all").ok().out;
    for row in kenning::table::TABLE {
        for former in row.former {
            let is_told = help.lines().any(|line| line.trim_start().starts_with(&format!("{former} ")));
            assert!(!is_told, "`ken help --all` lists {former}:\n{help}");
        }
    }
}
