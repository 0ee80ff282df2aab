//! Which entries a list contains, in which order, page by page.

use expect_test::expect;

use crate::story::{after, check};

/// Something for every filter.
const VARIED: &str = r#"
    given ada adds lesson one "Retry with jitter." tags=net/retry domains=backend/http
    given on 2026-01-05
    given agent:bot adds lesson two "Close sockets." tags=net domains=backend reviewer=rita
    given on 2026-01-06
    given ada adds pattern three "Names without units." tags=names domains=frontend
    given on 2026-01-07
    given ada adds lesson four "Only here." scope=thread thread=login
    given on 2026-01-08
    given ada adds commit_norm five "Sign commits." scope=global citing pr:9
    given on 2026-01-09
    given ada notes "Mondays are slow."
    given ada adds lesson six "Gone."
    given on 2026-01-10
    given ada retracts six
"#;

#[test]
fn every_filter_selects_what_it_names() {
    let questions = r#"
        list
        list memory:procedural memory:episodic
        list type:pattern type:commit_norm
        list status:retracted
        list status:retracted status:candidate
        list all
        list all sort:created
        list all sort:id
        list domain:backend
        list domain:backend/http
        list tag:net
        list tag:net tag:net/retry
        list tag:ne
        list scope:thread
        list scope:global
        list thread:login
        list seen-from:login
        list seen-from:nowhere
        list reviewer:rita
        list "text:JITTER retry"
        list text:nothing-like-it
        list since:2026-01-06
        list by:human:ada
        list by:agent:bot
        list tag:net since:2026-01-03
    "#;
    check(
        &format!("{VARIED}{questions}"),
        expect![[r#"
            list
                [signal.932393750e7649eb five four three two one]
            list memory:procedural memory:episodic
                [signal.932393750e7649eb five]
            list type:pattern type:commit_norm
                [five three]
            list status:retracted
                [six]
            list status:retracted status:candidate
                [six signal.932393750e7649eb five four three two one]
            list all
                [six signal.932393750e7649eb five four three two one]
            list all sort:created
                [six signal.932393750e7649eb five four three two one]
            list all sort:id
                [five four one signal.932393750e7649eb six three two]
            list domain:backend
                [two one]
            list domain:backend/http
                [one]
            list tag:net
                [two one]
            list tag:net tag:net/retry
                [one]
            list tag:ne
                []
            list scope:thread
                [four]
            list scope:global
                [five]
            list thread:login
                [four]
            list seen-from:login
                [signal.932393750e7649eb five four three two one]
            list seen-from:nowhere
                [signal.932393750e7649eb five three two one]
            list reviewer:rita
                [two]
            list "text:JITTER retry"
                [one]
            list text:nothing-like-it
                []
            list since:2026-01-06
                [signal.932393750e7649eb five four three]
            list by:human:ada
                [signal.932393750e7649eb five four three one]
            list by:agent:bot
                [two]
            list tag:net since:2026-01-03
                [two]
        "#]],
    );
}

#[test]
fn pages_go_to_the_end_and_never_overlap() {
    for mut run in after(VARIED) {
        for sort in ["sort:updated", "sort:created", "sort:id"] {
            let whole = run.pages(&["all", sort], 0);
            assert_eq!(whole.len(), 7, "the {} {sort}", run.store_name);
            for limit in 1..=8 {
                assert_eq!(run.pages(&["all", sort], limit), whole, "the {} {sort} {limit}", run.store_name);
            }
        }
    }
}

#[test]
fn what_changed_last_comes_first() {
    check(
        r#"
        ada adds lesson one "Retry with jitter."
        on 2026-01-03
        ada adds lesson two "Close what you open."
        on 2026-01-04
        ada tags one net
        list
        list sort:created
        list sort:id
        # A clock that goes back by a day does not change what was said last.
        on 2026-01-03
        ada tags two io
        list
        log two
        "#,
        expect![[r#"
            ada adds lesson one "Retry with jitter."
                added one
            on 2026-01-03
            ada adds lesson two "Close what you open."
                added two
            on 2026-01-04
            ada tags one net
                changed one, now candidate: added tags net
            list
                [one two]
            list sort:created
                [two one]
            list sort:id
                [one two]
            on 2026-01-03
            ada tags two io
                changed two, now candidate: added tags io
            list
                [two one]
            log two
                human:ada: added as a lesson, with 1 citation
                human:ada: cited pr:1 by human:ada, unverified
                human:ada: added tags io
        "#]],
    );
}
