//! What `archive`, `retract` and `restore` do.

use expect_test::expect;

use crate::story::check;

#[test]
fn an_entry_can_be_put_away_and_brought_back() {
    check(
        r#"
        given ada adds lesson one "Retry with jitter."
        given ada adds lesson two "Close what you open."
        ada archives one because "not used"
        show one
        ada archives one
        list
        list status:archived
        ada restores one because "used again"
        ada restores one
        show one
        ada retracts two because "it is wrong"
        ada retracts two
        show two
        ada restores two
        list
        "#,
        expect![[r#"
            ada archives one because "not used"
                changed one, now archived: archived; `ken restore one` restores it
            show one
                one lesson archived; because not used; rests on pr:1?; statement "Retry with jitter."
            ada archives one
                unchanged one, now archived: nothing to change; nothing was written
            list
                [two]
            list status:archived
                [one]
            ada restores one because "used again"
                changed one, now candidate: restored to candidate
            ada restores one
                unchanged one, now candidate: nothing to change; nothing was written
            show one
                one lesson candidate; because used again; rests on pr:1?; statement "Retry with jitter."
            ada retracts two because "it is wrong"
                changed two, now retracted: retracted; `ken restore two` restores it
            ada retracts two
                unchanged two, now retracted: nothing to change; nothing was written
            show two
                two lesson retracted; because it is wrong; rests on pr:1?; statement "Close what you open."
            ada restores two
                changed two, now candidate: restored to candidate
            list
                [two one]
        "#]],
    );
}

// REV-4: procedural entries stay until a person says otherwise.
#[test]
fn what_did_not_change_for_long_is_archived_but_norms_are_not() {
    check(
        r#"
        given ada adds lesson one "Retry with jitter."
        ada adds commit_norm norm "Sign commits."
        ada notes "Mondays are slow."
        on 2026-02-01
        ada adds lesson two "Close what you open."
        ada archives-older-than 2026-01-02
        ada archives-older-than 2026-01-15
        ada archives-older-than 2026-01-15
        list
        "#,
        expect![[r#"
            ada adds commit_norm norm "Sign commits."
                added norm
            ada notes "Mondays are slow."
                added signal.932393750e7649eb
            on 2026-02-01
            ada adds lesson two "Close what you open."
                added two
            ada archives-older-than 2026-01-02
                archived []
            ada archives-older-than 2026-01-15
                archived [signal.932393750e7649eb one]
            ada archives-older-than 2026-01-15
                archived []
            list
                [two norm]
        "#]],
    );
}
