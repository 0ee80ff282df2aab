//! What a keyword search finds and leaves out.

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
        search "retry network calls"
        search "retry network calls" tag:net
        search "retry network calls" domain:backend
        search "retry network calls" type:commit_norm
        search "retry network calls" status:retracted
        search "unit of a number"
        search "sign commits"
        search "-jitter retry network"
        search "weather in Paris"
        search ""
        "#
        ),
        expect![[r#"
            search "retry network calls"
                [jitter backoff]
            search "retry network calls" tag:net
                [jitter]
            search "retry network calls" domain:backend
                [backoff]
            search "retry network calls" type:commit_norm
                []
            search "retry network calls" status:retracted
                [gone]
            search "unit of a number"
                [units]
            search "sign commits"
                [sign]
            search "-jitter retry network"
                [backoff]
            search "weather in Paris"
                []
            search ""
                refused: the query is empty
        "#]],
    );
}

#[test]
fn a_search_follows_every_change() {
    check(
        &format!(
            r#"{NETWORK}
        ada revises units title="Wobbegong"
        search wobbegong
        ada archives units
        search wobbegong
        ada restores units
        search wobbegong
        ada revises units title=null
        search wobbegong
        ada supersedes jitter backoff
        search "retry network calls"
        "#
        ),
        expect![[r#"
            ada revises units title="Wobbegong"
                changed units, now candidate: set title
            search wobbegong
                [units]
            ada archives units
                changed units, now archived: archived; `ken restore units` restores it
            search wobbegong
                []
            ada restores units
                changed units, now candidate: restored to candidate
            search wobbegong
                [units]
            ada revises units title=null
                changed units, now candidate: took away title
            search wobbegong
                []
            ada supersedes jitter backoff
                changed jitter, now superseded: superseded by backoff
            search "retry network calls"
                [backoff]
        "#]],
    );
}
