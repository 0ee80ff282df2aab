//! What `merge` and `unmerge` do (UPK-1, COR-20): one entry stands for two, and both stand as before.

use expect_test::expect;

use crate::story::check;

const TWO: &str = r#"
    given ada adds lesson one "Retry with jitter." domains=net
    given bo adds lesson two "Retry with some jitter." domains=http
"#;

fn check_two(story: &str, expected: expect_test::Expect) {
    check(&format!("{TWO}{story}"), expected);
}

#[test]
fn what_is_said_of_a_merged_entry_counts_for_the_kept_one_and_stays_there() {
    check_two(
        r#"
        bo finds-helpful two
        ada merges one two because "the same advice"
        show one
        show two
        cy finds-helpful one
        list
        ada unmerges one
        show one
        show two
        log two
        "#,
        expect![[r#"
            bo finds-helpful two
                changed two, now active: 1 for it; it is active now
            ada merges one two because "the same advice"
                changed one: two stands for both; `ken merge --undo one` undoes it
            show one
                one lesson superseded; because merged: the same advice; superseded by two; rests on pr:1?; domains ["net"]; statement "Retry with jitter."
            show two
                two lesson active; because used with success: human:bo found it helpful; merged from one; rests on pr:1?; domains ["http","net"]; statement "Retry with some jitter."
            cy finds-helpful one
                changed two, now active: 1 for it
            list
                [two]
            ada unmerges one
                changed one: one is candidate again; 1 observation made since stays with two
            show one
                one lesson candidate; rests on pr:1?; domains ["net"]; statement "Retry with jitter."
            show two
                two lesson active; because used with success: human:bo found it helpful; rests on pr:1?; domains ["http"]; statement "Retry with some jitter."
            log two
                human:bo: added as a lesson, with 1 citation
                human:bo: cited pr:1 by human:bo, unverified
                human:bo: 1.000 for it: human:bo found it helpful
                human:bo: now active: used with success: human:bo found it helpful
                human:cy: 1.000 for it: human:cy found it helpful
        "#]],
    );
}

#[test]
fn the_more_trusted_one_is_kept_and_a_merge_twice_is_one() {
    check_two(
        r#"
        ada finds-helpful two
        cy merges one two
        cy merges two one
        cy restores one
        cy undoes
        show one
        cy undoes
        show one
        "#,
        expect![[r#"
            ada finds-helpful two
                changed two, now active: 1 for it; it is active now
            cy merges one two
                changed one: two stands for both; `ken merge --undo one` undoes it
            cy merges two one
                unchanged one: two stands for both already; nothing was written
            cy restores one
                refused: one was merged into another entry, which stands for both
            cy undoes
                changed one, now candidate: undid the merge; now candidate
            show one
                one lesson candidate; rests on pr:1?; domains ["net"]; statement "Retry with jitter."
            cy undoes
                changed one, now superseded: undid the unmerge of your last undo; now superseded
            show one
                one lesson superseded; because merged: undone; superseded by two; rests on pr:1?; domains ["net"]; statement "Retry with jitter."
        "#]],
    );
}

#[test]
fn a_merge_needs_two_entries_of_one_kind_that_are_handed_out_and_agree() {
    check_two(
        r#"
        given ada adds pattern three "Retry with jitter, as a pattern."
        given ada adds commit_norm four "Commits retry with jitter."
        given ada adds lesson five "Do not retry with jitter." polarity=negative
        given ada adds lesson six "Do retry with jitter." polarity=positive
        ada merges one one
        ada merges one three
        ada merges one four
        ada merges five six
        given ada archives two
        ada merges one two
        ada unmerges one
        "#,
        expect![[r#"
            ada merges one one
                refused: one cannot be merged with itself
            ada merges one three
                refused: one is a lesson and three is a pattern
            ada merges one four
                refused: four is procedural; only semantic entries are merged
            ada merges five six
                refused: five and six contradict each other
            ada merges one two
                refused: two is archived and cannot be merged
            ada unmerges one
                refused: one is not merged with another entry
        "#]],
    );
}

#[test]
fn a_purge_of_the_kept_entry_brings_the_merged_one_back() {
    check_two(
        r#"
        ada merges one two
        list
        ada purges two
        list
        show one
        "#,
        expect![[r#"
            ada merges one two
                changed one: two stands for both; `ken merge --undo one` undoes it
            list
                [two]
            ada purges two
                purged 2 events of two
            list
                [one]
            show one
                one lesson candidate; rests on pr:1?; domains ["net"]; statement "Retry with jitter."
        "#]],
    );
}

#[test]
fn three_entries_become_one_and_the_middle_one_can_be_taken_out() {
    check_two(
        r#"
        given cy adds lesson three "Retry with a little jitter."
        ada merges two three
        ada merges one two
        show one
        ada unmerges two
        show one
        show two
        "#,
        expect![[r#"
            ada merges two three
                changed three: two stands for both; `ken merge --undo three` undoes it
            ada merges one two
                changed one: two stands for both; `ken merge --undo one` undoes it
            show one
                one lesson superseded; because merged; superseded by two; rests on pr:1?; domains ["net"]; statement "Retry with jitter."
            ada unmerges two
                refused: 2 entries were merged into two
            show one
                one lesson superseded; because merged; superseded by two; rests on pr:1?; domains ["net"]; statement "Retry with jitter."
            show two
                two lesson candidate; merged from one three; rests on pr:1?; domains ["http","net"]; statement "Retry with some jitter."
        "#]],
    );
}
