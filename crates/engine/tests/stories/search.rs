//! What a search finds by words alone, and what it leaves out.

use expect_test::expect;

use crate::story::check;

const NETWORK: &str = r#"
    given ada adds lesson jitter "Retry network calls with jitter." tags=net
    given ada adds lesson backoff "Retry network calls with backoff and a limit on attempts." domains=backend
    given ada adds lesson units "Name the unit of every number."
    given ada adds commit_norm sign "Sign every commit."
    given ada adds lesson login "Retry the network in the login." scope=thread thread=login
    given ada adds lesson gone "Retry network calls at once."
    given ada retracts gone
"#;

#[test]
fn words_are_found_in_every_store_alike() {
    check(
        &format!(
            r#"{NETWORK}
        asks "retry network calls"
        asks "retry network calls" tag:net
        asks "retry network calls" domain:backend
        asks "retry network calls" type:commit_norm
        asks "retry network calls" status:retracted
        asks "unit of a number"
        asks "sign commits"
        asks "-jitter retry network"
        asks "weather in Paris"
        asks ""
        "#
        ),
        expect![[r#"
            asks "retry network calls"
                [jitter backoff]
            asks "retry network calls" tag:net
                [jitter]
            asks "retry network calls" domain:backend
                [backoff]
            asks "retry network calls" type:commit_norm
                []
            asks "retry network calls" status:retracted
                [gone]
            asks "unit of a number"
                [units]
            asks "sign commits"
                [sign]
            asks "-jitter retry network"
                [backoff]
            asks "weather in Paris"
                []
            asks ""
                refused: there is nothing to search for
        "#]],
    );
}

#[test]
fn a_search_follows_every_change() {
    check(
        &format!(
            r#"{NETWORK}
        ada revises units title="Wobbegong"
        asks wobbegong
        ada archives units
        asks wobbegong
        ada restores units
        asks wobbegong
        ada revises units title=null
        asks wobbegong
        ada supersedes jitter backoff
        asks "retry network calls"
        "#
        ),
        expect![[r#"
            ada revises units title="Wobbegong"
                changed units, now candidate: set title
            asks wobbegong
                [units]
            ada archives units
                changed units, now archived: archived; `ken restore units` brings it back
            asks wobbegong
                []
            ada restores units
                changed units, now candidate: restored to candidate
            asks wobbegong
                [units]
            ada revises units title=null
                changed units, now candidate: took away title
            asks wobbegong
                []
            ada supersedes jitter backoff
                changed jitter, now superseded: superseded by backoff
            asks "retry network calls"
                [backoff]
        "#]],
    );
}
