//! What `confirm` does: independent and primed confirmations.

use expect_test::expect;

use crate::story::check;

#[test]
fn a_person_confirms_once_a_day() {
    check(
        r#"
        given ada adds lesson one "Retry with jitter."
        on 2026-01-05
        bea confirms one because "seen in the logs"
        bea confirms one
        on 2026-01-06
        bea confirms one
        log one
        "#,
        expect![[r#"
            on 2026-01-05
            bea confirms one because "seen in the logs"
                changed one, now candidate: confirmed independently: last confirmed today, review debt 0
            bea confirms one
                unchanged one, now candidate: nothing to change; nothing was written
            on 2026-01-06
            bea confirms one
                changed one, now candidate: confirmed independently: last confirmed today, review debt 0; not verified yet: everything that speaks for it comes from this clone; it takes a confirmation from another clone, an outcome that a hook observed, or `ken check ID --execute --accept-steps` by a person
            log one
                human:ada: added as a lesson, with 1 citation
                human:ada: cited pr:1 by human:ada, unverified
                human:bea: confirmed independently: seen in the logs
                human:bea: confirmed independently
        "#]],
    );
}

// REV-2: who stated it today knows it already.
#[test]
fn an_agent_does_not_confirm_what_it_said_itself() {
    check(
        r#"
        agent:bot adds lesson one "Retry with jitter."
        agent:bot confirms one
        agent:eve confirms one
        show one
        log one
        "#,
        expect![[r#"
            agent:bot adds lesson one "Retry with jitter."
                added one
            agent:bot confirms one
                changed one, now candidate: Noted. You wrote this entry, so your own confirmation does not count.
            agent:eve confirms one
                changed one, now candidate: Noted. An agent of this clone wrote this entry today, so your confirmation does not count: that may have been you.
            show one
                one lesson candidate; rests on pr:1?; statement "Retry with jitter."
            log one
                agent:bot: added as a lesson, with 1 citation
                agent:bot: cited pr:1 by agent:bot, unverified
                agent:bot: confirmed by its author (not counted)
                agent:eve: confirmed by an agent that may have stated it (not counted) (eve)
        "#]],
    );
}

// COR-11. Regression: the log called all of these "repeated by an agent that had seen it".
#[test]
fn the_confirmation_of_a_person_that_does_not_count_is_logged_with_the_reason() {
    check(
        r#"
        given ada adds lesson one "Retry with jitter."
        ada confirms one
        on 2026-01-05
        ada confirms-without-a-terminal one because "still true"
        bea confirms-without-a-terminal one
        log one
        "#,
        expect![[r#"
            ada confirms one
                changed one, now candidate: Noted. You wrote this entry, so your own confirmation does not count.
            on 2026-01-05
            ada confirms-without-a-terminal one because "still true"
                changed one, now candidate: Noted. You wrote this entry, so your own confirmation does not count.
            bea confirms-without-a-terminal one
                changed one, now candidate: Noted. There is no terminal here, so nobody can tell whether you had seen this entry; the confirmation does not count.
            log one
                human:ada: added as a lesson, with 1 citation
                human:ada: cited pr:1 by human:ada, unverified
                human:ada: confirmed by its author (not counted)
                human:ada: confirmed by its author (not counted): still true
                human:bea: confirmed by somebody who may have seen it: there was no terminal (not counted)
        "#]],
    );
}

#[test]
fn what_was_put_away_comes_back_when_it_is_found_again() {
    check(
        r#"
        given ada adds lesson one "Retry with jitter."
        given ada adds lesson two "Close what you open."
        ada archives one
        ada retracts two
        on 2026-01-05
        bea confirms one
        bea confirms two
        list
        "#,
        expect![[r#"
            ada archives one
                changed one, now archived: archived; `ken restore one` restores it
            ada retracts two
                changed two, now retracted: retracted; `ken restore two` restores it
            on 2026-01-05
            bea confirms one
                changed one, now candidate: confirmed independently: last confirmed today, review debt 0; it was archived and is restored
            bea confirms two
                refused: two is retracted and cannot be confirmed
            list
                [one]
        "#]],
    );
}
