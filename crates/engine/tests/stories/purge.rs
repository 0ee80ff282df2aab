//! What `purge` does: the events are gone, and no answer uses them.

use expect_test::expect;

use crate::story::check;

#[test]
fn a_purged_entry_is_gone_and_can_be_stated_again() {
    check(
        r#"
        given ada adds lesson one "Retry with jitter."
        given ada adds lesson two "Close what you open."
        given ada links two supports one
        ada purges one because "a name in it"
        show one
        list all
        show two
        search jitter
        ada undoes
        on 2026-01-05
        ada adds lesson one "Retry with jitter."
        show one
        log one
        "#,
        expect![[r#"
            ada purges one because "a name in it"
                purged 2 events of one
            show one
                refused: no entry matches "one"
            list all
                [two]
            show two
                two lesson candidate; supports 7b9baa8856474b00; rests on pr:1?; statement "Close what you open."
            search jitter
                []
            ada undoes
                refused: the last change cannot be undone: its entry is gone
            on 2026-01-05
            ada adds lesson one "Retry with jitter."
                added one
            show one
                one lesson candidate; rests on pr:1?; statement "Retry with jitter."
            log one
                human:ada: purged 2 events: a name in it
                human:ada: added as a lesson, with 1 citation
                human:ada: cited pr:1 by human:ada, unverified
        "#]],
    );
}
