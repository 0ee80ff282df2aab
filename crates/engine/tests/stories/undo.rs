//! What `undo` does: the opposite of the caller's last write.

use expect_test::expect;

use crate::story::check;

const THREE: &str = r#"
    given ada adds lesson one "Retry with jitter."
    given ada adds lesson two "Close what you open."
    given ada adds lesson three "Name the unit."
"#;

fn check_three(story: &str, expected: expect_test::Expect) {
    check(&format!("{THREE}{story}"), expected);
}

// Two in a row give back what the first took, and say so. They do not walk back in time as git users may expect: an undo is a write like
// any other, and the ledger has no word for what it was about (the opposite of a link or of new anchors has no reason at all), so a chain
// could undo one change twice and leave out another.
#[test]
fn an_addition_is_retracted_and_brought_back() {
    check_three(
        r#"
        ada adds lesson four "Four."
        ada undoes
        ada undoes
        show four
        "#,
        expect![[r#"
            ada adds lesson four "Four."
                added four
            ada undoes
                changed four, now retracted: undid the addition; now retracted
            ada undoes
                changed four, now candidate: undid the retraction of your last undo; now candidate
            show four
                four lesson candidate; because undone; rests on pr:1?; statement "Four."
        "#]],
    );
}

// Adding again what one undid said "reinforced", and the entry stayed away.
#[test]
fn what_its_author_undid_is_back_once_it_is_added_again() {
    check_three(
        r#"
        ada adds lesson four "Four." citing pr:1
        ada undoes
        ada adds lesson four "Four." citing pr:2
        show four
        ada undoes
        show four
        ada retracts three
        ada adds lesson three "Name the unit."
        show three
        "#,
        expect![[r#"
            ada adds lesson four "Four." citing pr:1
                added four
            ada undoes
                changed four, now retracted: undid the addition; now retracted
            ada adds lesson four "Four." citing pr:2
                restored four: its addition was undone; it is restored to candidate
            show four
                four lesson candidate; because stated again; rests on pr:1? pr:2?; statement "Four."
            ada undoes
                changed four, now retracted: undid the restoration; withdrew pr:2: it stays listed, marked as withdrawn; now retracted
            show four
                four lesson retracted; because undone; rests on pr:1? pr:2? (withdrawn); statement "Four."
            ada retracts three
                changed three, now retracted: retracted; `ken restore three` restores it
            ada adds lesson three "Name the unit."
                reinforced three: three already says this, with the same evidence; nothing was written; it is retracted; `ken restore three` restores it
            show three
                three lesson retracted; rests on pr:1?; statement "Name the unit."
        "#]],
    );
}

// A retraction that was undone, and undone again, was taken for an addition that was undone: the next add brought the entry back.
#[test]
fn a_retraction_that_is_redone_is_no_addition_that_was_undone() {
    check_three(
        r#"
        ada retracts one because "it is wrong"
        ada undoes
        ada undoes
        show one
        ada adds lesson one "Retry with jitter."
        ada adds-all "Retry with jitter."
        ada undoes
        ada undoes
        show one
        "#,
        expect![[r#"
            ada retracts one because "it is wrong"
                changed one, now retracted: retracted; `ken restore one` restores it
            ada undoes
                changed one, now candidate: undid the retraction; now candidate
            ada undoes
                changed one, now retracted: undid the restoration of your last undo; now retracted
            show one
                one lesson retracted; because redone: it is wrong; rests on pr:1?; statement "Retry with jitter."
            ada adds lesson one "Retry with jitter."
                reinforced one: one already says this, with the same evidence; nothing was written; it is retracted; `ken restore one` restores it
            ada adds-all "Retry with jitter."
                reinforced one: one already says this, with the same evidence; nothing was written; it is retracted; `ken restore one` restores it
            ada undoes
                changed one, now candidate: undid the retraction of your last undo; now candidate
            ada undoes
                changed one, now retracted: undid the restoration of your last undo; now retracted
            show one
                one lesson retracted; because redone: it is wrong; rests on pr:1?; statement "Retry with jitter."
        "#]],
    );
}

// The one that came back and the one that had come back by its undo were both in use, with one merge key.
#[test]
fn what_is_added_again_after_an_undo_takes_its_merge_key_again() {
    check_three(
        r#"
        ada adds lesson first "First." merge_key=k1
        ada adds lesson second "Second." merge_key=k1 superseding
        ada undoes
        list
        ada adds lesson "Second."
        ada adds lesson "Second." merge_key=k1 rejecting
        ada adds lesson second "Second." merge_key=k1 superseding
        list
        show second
        ada undoes
        list
        "#,
        expect![[r#"
            ada adds lesson first "First." merge_key=k1
                added first
            ada adds lesson second "Second." merge_key=k1 superseding
                added second: it supersedes first, which had the same merge key
            ada undoes
                changed second, now retracted: undid the link; undid the addition; now retracted
                changed first, now candidate: undid the supersession; now candidate
            list
                [first three two one]
            ada adds lesson "Second."
                refused: the merge key "k1" belongs to first: "First."
            ada adds lesson "Second." merge_key=k1 rejecting
                refused: the merge key "k1" belongs to first: "First."
            ada adds lesson second "Second." merge_key=k1 superseding
                restored second: its addition was undone; it is restored to candidate; it supersedes first, which had the same merge key
            list
                [second three two one]
            show second
                second lesson candidate; because stated again; supersedes first; rests on pr:1?; merge_key "k1"; statement "Second."
            ada undoes
                changed second, now retracted: undid the link; undid the restoration; now retracted
                changed first, now candidate: undid the supersession; now candidate
            list
                [first three two one]
        "#]],
    );
}

#[test]
fn a_revision_is_turned_around_and_its_citation_is_withdrawn() {
    check_three(
        r#"
        ada revises one title=T citing pr:7
        ada undoes
        show one
        ada tags one a b
        ada undoes
        show one
        "#,
        expect![[r#"
            ada revises one title=T citing pr:7
                changed one, now candidate: set title; cited pr:7 by human:ada, unverified
            ada undoes
                changed one, now candidate: withdrew pr:7: it stays listed, marked as withdrawn; undid the revision; now candidate
            show one
                one lesson candidate; rests on pr:1? pr:7? (withdrawn); statement "Retry with jitter."
            ada tags one a b
                changed one, now candidate: added tags a, b
            ada undoes
                changed one, now candidate: undid the revision; now candidate
            show one
                one lesson candidate; rests on pr:1? pr:7? (withdrawn); statement "Retry with jitter."
        "#]],
    );
}

#[test]
fn what_was_put_away_is_back_and_what_was_brought_back_is_away() {
    check_three(
        r#"
        ada archives one
        ada undoes
        ada retracts one
        ada undoes
        ada archives two
        ada restores two
        ada undoes
        ada restores two
        list
        "#,
        expect![[r#"
            ada archives one
                changed one, now archived: archived; `ken restore one` restores it
            ada undoes
                changed one, now candidate: undid the archiving; now candidate
            ada retracts one
                changed one, now retracted: retracted; `ken restore one` restores it
            ada undoes
                changed one, now candidate: undid the retraction; now candidate
            ada archives two
                changed two, now archived: archived; `ken restore two` restores it
            ada restores two
                changed two, now candidate: restored to candidate
            ada undoes
                changed two, now archived: undid the restoration; now archived
            ada restores two
                changed two, now candidate: restored to candidate
            list
                [two one three]
        "#]],
    );
}

#[test]
fn links_and_supersessions_are_undone_whole() {
    check_three(
        r#"
        ada links one supports two
        ada undoes
        show one
        ada links one supports two
        ada unlinks one supports two
        ada undoes
        show one
        ada unlinks one supports two
        ada supersedes one two
        ada undoes
        show one
        show two
        ada replaces one "Retry with much jitter." citing pr:2
        ada undoes
        show one
        list all sort:id
        "#,
        expect![[r#"
            ada links one supports two
                changed one, now candidate: supports two
            ada undoes
                changed one, now candidate: undid the link; now candidate
            show one
                one lesson candidate; rests on pr:1?; statement "Retry with jitter."
            ada links one supports two
                changed one, now candidate: supports two
            ada unlinks one supports two
                changed one, now candidate: no longer supports two
            ada undoes
                changed one, now candidate: undid the removal of a link; now candidate
            show one
                one lesson candidate; supports two; rests on pr:1?; statement "Retry with jitter."
            ada unlinks one supports two
                changed one, now candidate: no longer supports two
            ada supersedes one two
                changed one, now superseded: superseded by two
            ada undoes
                changed two, now candidate: undid the link; now candidate
                changed one, now candidate: undid the supersession; now candidate
            show one
                one lesson candidate; because undone; rests on pr:1?; statement "Retry with jitter."
            show two
                two lesson candidate; rests on pr:1?; statement "Close what you open."
            ada replaces one "Retry with much jitter." citing pr:2
                changed one, now superseded: superseded by lesson.9dd6043ac62db5d3
            ada undoes
                changed lesson.9dd6043ac62db5d3, now retracted: undid the link; undid the addition; now retracted
                changed one, now candidate: undid the supersession; now candidate
            show one
                one lesson candidate; because undone; rests on pr:1?; statement "Retry with jitter."
            list all sort:id
                [lesson.9dd6043ac62db5d3 one three two]
        "#]],
    );
}

#[test]
fn a_reinforcement_is_withdrawn_and_can_be_made_again() {
    check_three(
        r#"
        ada adds lesson "Retry with jitter." citing pr:99
        ada undoes
        show one
        ada undoes
        show one
        ada undoes
        ada adds lesson "Retry with jitter." citing pr:99
        show one
        log one
        "#,
        expect![[r#"
            ada adds lesson "Retry with jitter." citing pr:99
                reinforced one: one already says this; 1 citation added to it
            ada undoes
                changed one, now candidate: withdrew pr:99: it stays listed, marked as withdrawn; now candidate
            show one
                one lesson candidate; rests on pr:1? pr:99? (withdrawn); statement "Retry with jitter."
            ada undoes
                changed one, now candidate: pr:99 counts as evidence again; now candidate
            show one
                one lesson candidate; rests on pr:1? pr:99?; statement "Retry with jitter."
            ada undoes
                changed one, now candidate: withdrew pr:99: it stays listed, marked as withdrawn; now candidate
            ada adds lesson "Retry with jitter." citing pr:99
                reinforced one: one already says this; 1 citation added to it
            show one
                one lesson candidate; rests on pr:1? pr:99?; statement "Retry with jitter."
            log one
                human:ada: added as a lesson, with 1 citation
                human:ada: cited pr:1 by human:ada, unverified
                human:ada: cited pr:99 by human:ada, unverified
                human:ada: withdrew pr:99
                human:ada: cited pr:99 by human:ada, unverified
                human:ada: withdrew pr:99
                human:ada: cited pr:99 by human:ada, unverified
        "#]],
    );
}

// What the first gap was filled with is withdrawn: the entry has the gap again.
#[test]
fn a_gap_that_a_withdrawn_citation_filled_is_open_again() {
    check(
        r#"
        given ada adds lesson one "Retry with jitter." bare draft
        ada revises one citing pr:7
        show one
        ada undoes
        show one
        "#,
        expect![[r#"
            ada revises one citing pr:7
                changed one, now candidate: cited pr:7 by human:ada, unverified
            show one
                one lesson candidate; rests on pr:7?; statement "Retry with jitter."; 2 gaps
            ada undoes
                changed one, now candidate: withdrew pr:7: it stays listed, marked as withdrawn; now candidate
            show one
                one lesson candidate; rests on pr:7? (withdrawn); statement "Retry with jitter."; 3 gaps
        "#]],
    );
}

#[test]
fn each_undoes_their_own_unless_somebody_went_on_from_there() {
    check_three(
        r#"
        bea undoes
        bea tags two bea
        ada tags two ada
        bea undoes
        ada undoes
        show two
        bea undoes
        "#,
        expect![[r#"
            bea undoes
                refused: there is no change by human:bea to undo
            bea tags two bea
                changed two, now candidate: added tags bea
            ada tags two ada
                changed two, now candidate: added tags ada
            bea undoes
                refused: the last change cannot be undone: two was changed again since (the revision by human:ada)
            ada undoes
                changed two, now candidate: undid the revision; now candidate
            show two
                two lesson candidate; rests on pr:1?; statement "Close what you open."; tags ["bea"]
            bea undoes
                refused: the last change cannot be undone: two was changed again since (the revision by human:ada)
        "#]],
    );
}

// A confirmation that was only noted was passed over, and the change before it was undone.
#[test]
fn after_a_confirmation_that_does_not_count_nothing_older_is_undone() {
    check_three(
        r#"
        ada adds lesson four "Four."
        ada confirms four
        ada undoes
        show four
        "#,
        expect![[r#"
            ada adds lesson four "Four."
                added four
            ada confirms four
                changed four, now candidate: Noted. You wrote this entry, so your own confirmation does not count.
            ada undoes
                refused: the last command of human:ada was a confirmation that does not count: there is nothing to undo
            show four
                four lesson candidate; rests on pr:1?; statement "Four."
        "#]],
    );
}
