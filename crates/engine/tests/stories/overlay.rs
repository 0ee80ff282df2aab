//! Overlays (BEL-9): what this clone shows changes, the ledger does not.

use expect_test::expect;

use crate::story::check;

const NETWORK: &str = r#"
    given ada adds lesson jitter "Retry network calls with jitter."
    given ada adds lesson backoff "Retry network calls with backoff and a limit on attempts of any kind."
    given ada adds lesson units "Name the unit of every number."
"#;

#[test]
fn what_is_muted_is_not_seen_here() {
    check(
        &format!(
            r#"{NETWORK}
        ada mutes jitter because noise
        ada mutes jitter
        list
        list overlaid:hidden
        list overlaid:any
        search "retry network calls"
        log jitter
        ada unmutes jitter
        search "retry network calls"
        "#
        ),
        expect![[r#"
            ada mutes jitter because noise
                changed jitter: muted in this clone: hidden everywhere; undo with `ken view mute --undo jitter`
            ada mutes jitter
                unchanged jitter: nothing to change; nothing was written
            list
                [units backoff]
            list overlaid:hidden
                [jitter]
            list overlaid:any
                [units backoff jitter]
            search "retry network calls"
                [backoff]
            log jitter
                human:ada: added as a lesson, with 1 citation
                human:ada: cited pr:1 by human:ada, unverified
            ada unmutes jitter
                changed jitter: no longer muted
            search "retry network calls"
                [jitter backoff]
        "#]],
    );
}

#[test]
fn what_is_pinned_comes_first() {
    check(
        &format!(
            r#"{NETWORK}
        search "retry network calls"
        ada pins backoff
        search "retry network calls"
        list pinned-first
        list overlaid:pinned
        ada mutes backoff
        list overlaid:pinned
        ada unmutes backoff
        ada unpins backoff
        list pinned-first
        "#
        ),
        expect![[r#"
            search "retry network calls"
                [jitter backoff]
            ada pins backoff
                changed backoff: pinned in this clone: ranked above other entries; undo with `ken view pin --undo backoff`
            search "retry network calls"
                [backoff jitter]
            list pinned-first
                [backoff units jitter]
            list overlaid:pinned
                [backoff]
            ada mutes backoff
                changed backoff: muted in this clone: hidden everywhere; undo with `ken view mute --undo backoff`
            list overlaid:pinned
                []
            ada unmutes backoff
                changed backoff: no longer muted
            ada unpins backoff
                changed backoff: no longer pinned
            list pinned-first
                [units backoff jitter]
        "#]],
    );
}

#[test]
fn what_is_doubted_is_hidden_until_it_is_trusted_again() {
    check(
        &format!(
            r#"{NETWORK}
        ada invalidates units because "it is wrong here"
        list
        list overlaid:hidden
        ada reinstates units
        list
        "#
        ),
        expect![[r#"
            ada invalidates units because "it is wrong here"
                changed units: invalidated in this clone: hidden everywhere; undo with `ken view hide --undo units`
            list
                [backoff jitter]
            list overlaid:hidden
                [units]
            ada reinstates units
                changed units: no longer invalidated
            list
                [units backoff jitter]
        "#]],
    );
}

// A sweep takes what is muted like everything else, and leaves what is pinned.
#[test]
fn a_sweep_leaves_what_is_pinned() {
    check(
        &format!(
            r#"{NETWORK}
        ada pins jitter
        ada mutes backoff
        on 2026-03-01
        ada archives-older-than 2026-02-01
        list all overlaid:any
        "#
        ),
        expect![[r#"
            ada pins jitter
                changed jitter: pinned in this clone: ranked above other entries; undo with `ken view pin --undo jitter`
            ada mutes backoff
                changed backoff: muted in this clone: hidden everywhere; undo with `ken view mute --undo backoff`
            on 2026-03-01
            ada archives-older-than 2026-02-01
                archived [units backoff]
            list all overlaid:any
                [backoff units jitter]
        "#]],
    );
}
