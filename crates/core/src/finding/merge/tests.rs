use super::*;

fn finding(place: &str, title: &str, severity: f64) -> Finding {
    let places = if place.is_empty() { vec![] } else { vec![place.to_owned()] };
    Finding { title: title.to_owned(), places, severity, ..Finding::default() }
}

/// Groups as lines: who, how bad, what, and the ties.
fn told(found: &[(&str, Finding)]) -> Vec<String> {
    let found: Vec<ReportedFinding<'_>> =
        found.iter().map(|(agent, finding)| ReportedFinding { agent, family: None, finding }).collect();
    merge(&found)
        .iter()
        .map(|group| {
            format!(
                "{} {} {} | {:?} {:?}",
                group.agents.join("+"),
                group.finding.severity,
                group.finding.title,
                group.co_located,
                group.cross_references
            )
        })
        .collect()
}

#[test]
fn same_place_and_issue_merge_other_issues_stand_beside_and_the_same_elsewhere_is_told() {
    // REV-6.
    let timeout = "HTTP client has no timeout, requests wait for ever";
    let found = [
        ("a", finding("src/net.rs:47", timeout, 5.0)),
        ("b", finding("src/net.rs:49-52", "Requests of the HTTP client wait for ever: no timeout", 8.0)),
        ("b", finding("src/net.rs:48", "Response status is not checked", 5.0)),
        ("c", finding("src/poll.rs:9", timeout, 5.0)),
    ];
    let expected = [
        "a+b 8 Requests of the HTTP client wait for ever: no timeout | [1] [2]",
        "b 5 Response status is not checked | [0] []",
        "c 5 HTTP client has no timeout, requests wait for ever | [] [0]",
    ];
    assert_eq!(told(&found), expected);
    let mut turned = found.clone();
    turned.reverse();
    assert_eq!(told(&turned), expected, "the order of the reports does not matter");
}

#[test]
fn two_findings_of_one_agent_are_one_only_in_the_same_words_at_the_same_place() {
    // COR-3.
    let first = finding("a.rs:10", "The cache is never invalidated after a write to the index", 5.0);
    let second = finding("a.rs:11", "The cache is never invalidated after a read from the index", 5.0);
    let groups = |agents: [&'static str; 2], findings: [&Finding; 2]| {
        let found: Vec<ReportedFinding<'_>> = agents
            .into_iter()
            .zip(findings)
            .map(|(agent, finding)| ReportedFinding { agent, family: None, finding })
            .collect();
        merge(&found).len()
    };
    assert_eq!(groups(["a", "b"], [&first, &first]), 1, "two agents agree");
    assert_eq!(groups(["a", "a"], [&first, &first]), 1, "one agent repeats itself");
    assert_eq!(groups(["a", "a"], [&first, &second]), 2, "one agent means two things");
}

#[test]
fn a_dismissal_neither_words_a_report_nor_takes_it_in() {
    // COR-3: the dismissal is graver, longer and comes first in every order.
    let dismissed = Finding {
        dismissed: true,
        verification: vec!["a step of the dismissal, which is the longer one".to_owned()],
        places: vec!["a.rs:10".to_owned(), "b.rs:1".to_owned()],
        confidence: Some(10.0),
        ..finding("a.rs:10", "A cache is never invalidated after a write to the index: it is meant so", 9.5)
    };
    let report = Finding {
        verification: vec!["look".to_owned()],
        ..finding("a.rs:10", "The cache is never invalidated after a write to the index", 5.0)
    };
    for turned in [false, true] {
        let mut found = vec![
            ReportedFinding { agent: "ann", family: None, finding: &dismissed },
            ReportedFinding { agent: "bob", family: None, finding: &report },
        ];
        if turned {
            found.reverse();
        }
        let groups = merge(&found);
        let [group] = groups.as_slice() else { panic!("{groups:?}") };
        assert_eq!(group.finding, report);
        assert_eq!(
            (group.agents.as_slice(), group.dismissed_by.as_slice()),
            (&["bob".to_owned()][..], &["ann".to_owned()][..])
        );
        assert!(group.severity_conflict.is_empty(), "{group:?}");
        assert_eq!(group.members, [0, 1]);
    }
    // Two reports that are not one do not become one by a dismissal of both.
    let write = finding("a.rs:10", "The cache is stale after a write", 5.0);
    let read = finding("a.rs:10", "The index is slow to open", 5.0);
    let both = Finding {
        dismissed: true,
        ..finding("a.rs:10", "The cache is stale after a write, the index is slow to open", 5.0)
    };
    let found: Vec<ReportedFinding<'_>> = [("ann", &both), ("bob", &write), ("cid", &read)]
        .map(|(agent, finding)| ReportedFinding { agent, family: None, finding })
        .to_vec();
    let titles: Vec<String> = merge(&found)
        .into_iter()
        .filter(|group| !group.finding.dismissed)
        .map(|group| group.finding.title)
        .collect();
    assert_eq!(titles, [write.title, read.title]);
}

#[test]
fn what_differs_in_a_number_a_name_or_a_negation_stays_apart() {
    for (one, other) in [
        ("Timeout of 5 s for uploads is too short", "Timeout of 30 s for uploads is too short"),
        ("AddItem does not validate the quantity", "RemoveItem does not validate the quantity"),
        ("The cache key contains the tenant", "The cache key does not contain the tenant"),
        ("rustls 0.20 is vulnerable", "rustls 0.21 is vulnerable"),
    ] {
        let found = [("a", finding("src/a.rs:1", one, 5.0)), ("b", finding("src/a.rs:1", other, 5.0))];
        assert_eq!(told(&found).len(), 2, "{one} | {other}");
    }
}

#[test]
fn a_conflict_of_severities_is_told_and_the_worst_counts() {
    let mut first = finding("", "Rollback is missing from the plan", 8.0);
    first.section = Some("Rollout".to_owned());
    first.verification = vec!["read the plan".to_owned()];
    let mut second = Finding { severity: 2.0, ..first.clone() };
    second.verification = vec!["read the plan".to_owned(), "ask who rolls back".to_owned()];
    let found = [
        ReportedFinding { agent: "a", family: Some("x"), finding: &first },
        ReportedFinding { agent: "b", family: Some("y"), finding: &second },
    ];
    let groups = merge(&found);
    assert_eq!(groups.len(), 1);
    assert_eq!((groups[0].finding.severity, groups[0].finding.verification.len()), (8.0, 2));
    assert_eq!(groups[0].severity_conflict, BTreeMap::from([("a".to_owned(), 8.0), ("b".to_owned(), 2.0)]));
    assert_eq!((groups[0].families.join(" "), groups[0].members.clone()), ("x y".to_owned(), vec![0, 1]));
}

#[test]
fn agreement_across_families_weighs_more() {
    // REV-7: two of one family and one of another are 2 + 1.5.
    for (agents, weight) in [
        (vec![], 0.0),
        (vec![("a", Some("x"))], 1.0),
        (vec![("a", Some("x")), ("a", Some("x"))], 1.0),
        (vec![("a", None), ("b", None)], 2.0),
        (vec![("a", Some("x")), ("b", Some("x")), ("c", Some("y"))], 3.5),
        (vec![("a", Some("x")), ("b", Some("y")), ("c", Some("z"))], 4.0),
        (vec![("a", None), ("b", Some("y"))], 2.5),
    ] {
        assert!((convergence(&agents) - weight).abs() < 1e-9, "{agents:?}");
    }
}

#[test]
fn single_cases_are_no_knowledge() {
    let plain = finding("a.rs", "Errors are swallowed", 5.0);
    assert_eq!(is_durable(&plain), Ok(()));
    let categorised = |category: &str| Finding { category: Some(category.to_owned()), ..plain.clone() };
    assert!(is_durable(&categorised("Style/naming")).unwrap_err().contains("style"));
    assert_eq!(is_durable(&categorised("security")), Ok(()));
    assert!(is_durable(&finding("", "TODO left in the handler", 5.0)).unwrap_err().contains("todo left"));
    assert!(is_durable(&Finding { durable: Some(false), ..plain.clone() }).is_err());
    assert_eq!(is_durable(&Finding { durable: Some(true), ..categorised("nit") }), Ok(()));
}

#[test]
fn the_first_rule_of_the_reviewers_counts() {
    // REV-7.
    let case = |dismissed, severity, confidence| {
        kind_of(&Finding { dismissed, severity, confidence, ..Finding::default() })
    };
    assert_eq!(case(true, 9.5, Some(9.0)), Some(Type::FalsePositive));
    assert_eq!(case(false, 9.0, None), Some(Type::Incident));
    assert_eq!(case(false, 8.9, Some(8.0)), Some(Type::Pattern));
    assert_eq!(case(false, 7.0, Some(7.9)), None);
    assert_eq!(case(false, 6.9, Some(10.0)), None);
    assert_eq!(case(false, 8.0, None), None);
}

#[test]
fn many_findings_of_one_file_are_merged_and_none_is_lost() {
    let words = ["cache", "queue", "token", "index", "lock", "retry", "buffer", "schema", "route", "worker"];
    let many: Vec<Finding> = (0..2_000_usize)
        .map(|at| {
            let (one, other) = (words[at % 10], words[at / 10 % 10]);
            finding("src/all.rs", &format!("The {one} drops the {other} of part{at} on restart"), 5.0)
        })
        .collect();
    let found: Vec<ReportedFinding<'_>> =
        many.iter().map(|finding| ReportedFinding { agent: "a", family: None, finding }).collect();
    let groups = merge(&found);
    assert!(groups.iter().map(|group| group.members.len()).sum::<usize>() == 2_000);
}
