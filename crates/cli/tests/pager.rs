//! Long output on a terminal goes through the pager that somebody chose.

use crate::pty::ken_on_terminal;
use crate::world::World;

/// A pager that marks what it was given, and ends at once.
const MARKING: &str = "sed s/^/~~/";

fn on_terminal(env: &[(&str, &str)], args: &[&str]) -> String {
    ken_on_terminal(&World::bare(), &[&[("TERM", "xterm")], env].concat(), args, &[]).ok().out
}

#[test]
fn what_is_longer_than_the_screen_is_paged_and_nothing_else() {
    let long = on_terminal(&[("KEN_PAGER", MARKING)], &["help", "--all"]);
    assert!(long.lines().all(|line| line.starts_with("~~")), "{long}");
    let help = on_terminal(&[("KEN_PAGER", MARKING)], &["add", "--help"]);
    assert!(help.starts_with("~~"), "{help}");
    let short = on_terminal(&[("KEN_PAGER", MARKING)], &["help", "start"]);
    assert!(!short.contains("~~") && short.contains("setup"), "{short}");
}

// `list` counted 2 where `status` said 1 entry, and did not say what the other one is.
#[test]
fn a_list_tells_entries_and_notes_apart() {
    let world = World::with_store();
    let listed = || ken_on_terminal(&world, &[("TERM", "xterm")], &["--no-pager", "list"], &[]).ok().out;
    world.ken_args(&["add", "lesson", "Retry with jitter.", "--draft"]).ok();
    assert!(!listed().contains("1 of 1:"), "{}", listed());
    world.ken_args(&["note", "The build was slow today."]).ok();
    assert!(listed().contains("2 of 2: 1 entry, 1 note"), "{}", listed());
}

#[test]
fn a_pager_can_be_chosen_and_left_out() {
    let chosen = on_terminal(&[("KEN_PAGER", ""), ("PAGER", MARKING)], &["help", "--all"]);
    assert!(chosen.starts_with("~~"), "{chosen}");
    for (env, args) in [
        (&[("KEN_PAGER", MARKING)][..], &["--no-pager", "help", "--all"][..]),
        (&[("KEN_PAGER", MARKING)], &["add", "--help", "--no-pager"]),
        (&[("KEN_PAGER", "cat")], &["help", "--all"]),
        // One that cannot be started keeps nobody from the answer.
        (&[("KEN_PAGER", "no-such-pager")], &["help", "--all"]),
        // Nobody closes a pager for an agent.
        (&[("KEN_PAGER", MARKING), ("CLAUDECODE", "1")], &["help", "--all"]),
    ] {
        let whole = on_terminal(env, args);
        assert!(!whole.contains("~~") && whole.contains("--"), "{args:?}: {whole}");
    }
    let piped = World::bare().ken("help --all").ok().out;
    assert!(piped.contains("Scripts and shells"), "{piped}");
}
