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
