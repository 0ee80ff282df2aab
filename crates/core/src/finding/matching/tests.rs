use super::*;

fn known(title: &str, statement: &str, place: &str, polarity: Option<Polarity>) -> KnownEntry {
    KnownEntry::new(title, statement, vec![place.to_owned()], Some(Type::Pattern), polarity, None)
}

fn finding(title: &str, text: &str, place: &str) -> Finding {
    let text = Some(text.to_owned()).filter(|text| !text.is_empty());
    Finding { title: title.to_owned(), text, places: vec![place.to_owned()], ..Finding::default() }
}

const TITLE: &str = "Upstream calls ignore a cancelled context";
const CLAIM: &str = "Middleware that calls an upstream must look at ctx.Err() after the call returns, or a client that hung up \
     trips the circuit breaker.";

#[test]
fn the_same_fault_is_found_again_with_reasons() {
    let entry = known(TITLE, CLAIM, "src/forward.go:47-52", None);
    let again = finding(
        "Cancelled request counted as a failure of the upstream",
        "Nobody looks at ctx.Err() after the upstream call, so the circuit breaker trips when a client goes away.",
        "src/forward.go:50",
    );
    for cosine in [Some(0.78), None] {
        let found = matching(&again, &entry, cosine);
        let reasons = found.reasons.join("; ");
        assert!(found.is_same, "{found:?}");
        assert!(reasons.starts_with("same file src/forward.go, line 50 near lines 47-52"), "{reasons}");
        assert!(reasons.contains("ctx.Err") && reasons.contains("cancellation"), "{reasons}");
        assert_eq!(reasons.contains("cosine 0.78"), cosine.is_some());
    }
    let elsewhere = Finding { places: vec!["src/relay.go:9".to_owned()], ..again.clone() };
    assert!(matching(&elsewhere, &entry, Some(0.78)).is_same, "a pattern recurs");
}

#[test]
fn another_fault_at_the_same_line_is_another_fault() {
    let entry = known(TITLE, CLAIM, "src/forward.go:47-52", None);
    let other = finding(
        "Upstream response body is never closed",
        "Connections leak until the pool is exhausted.",
        "src/forward.go:49",
    );
    for cosine in [Some(0.6), None] {
        assert!(!matching(&other, &entry, cosine).is_same);
    }
}

#[test]
fn what_contradicts_never_matches_however_alike_it_is() {
    for (entry, title) in [
        ("No rate limit on the login route", "Rate limit on the login route is too strict"),
        ("AddItem does not validate the quantity", "RemoveItem does not validate the quantity"),
        ("bcrypt cost of 4 for passwords", "bcrypt cost of 14 for passwords"),
        ("rustls 0.20 is vulnerable", "rustls 0.22 is vulnerable"),
        ("Copy of the loop variable is missing", "Copy of the loop variable is redundant"),
        ("The cache key contains the tenant", "The cache key does not contain the tenant"),
    ] {
        let found = matching(&finding(title, "", "a.rs:1"), &known(entry, entry, "a.rs:1", None), Some(0.95));
        assert!(!found.is_same, "{entry} | {title}: {found:?}");
        assert!(found.reasons.len() >= 2, "{found:?}");
    }
}

#[test]
fn a_recommendation_is_found_again_where_it_is_missed() {
    let claim = "Settings are read with deny_unknown_fields, so that a mistyped key is an error.";
    let entry =
        known("Unknown keys in settings are errors", claim, "src/settings.rs", Some(Polarity::Positive));
    let missed = finding(
        "Mistyped keys in settings are ignored",
        "The struct lacks deny_unknown_fields.",
        "src/remote.rs:9",
    );
    assert!(matching(&missed, &entry, Some(0.7)).is_same);
    let against = finding(
        "deny_unknown_fields breaks upgrades",
        "Old programs refuse settings with new keys.",
        "src/settings.rs:2",
    );
    assert!(!matching(&against, &entry, Some(0.7)).is_same);
}

#[test]
fn the_words_of_others_count_as_its_own() {
    let wording = "Retries of all clients come at the same moment since the backoff has no jitter";
    let entry = KnownEntry::new(TITLE, CLAIM, Vec::new(), None, None, [wording]);
    let found = matching(&finding(wording, "", "a.rs"), &entry, None);
    assert!(found.is_same && found.reasons.contains(&"the same words".to_owned()), "{found:?}");
}

#[test]
fn a_claim_turned_round_never_matches_it() {
    // IN-6, REV-2: an agent reported these at the line of the entry, and each was taken for a confirmation.
    let compare = "Compare session tokens in constant time because == leaks the prefix by timing.";
    let retry = "Retry a failed upload at most 3 times.";
    for (entry, title, text) in [
        (compare, "Never compare session tokens in constant time.", ""),
        (compare, "Session tokens need no constant time comparison.", ""),
        (compare, "Comparing session tokens in constant time is pointless here and should be removed.", ""),
        (compare, "It is wrong that == leaks the prefix; session tokens may be compared with ==.", ""),
        (compare, "Avoid comparing session tokens in constant time.", ""),
        (compare, "Constant time compare", "Nothing to see here, all good."),
        (retry, "Retry a failed upload at most 30 times.", ""),
        (retry, "Retry a failed upload at least 3 times.", ""),
        (retry, "Stop retrying a failed upload.", ""),
        (retry, "Retry a failed download at most 3 times.", ""),
    ] {
        for cosine in [Some(0.95), None] {
            let found = matching(
                &finding(title, text, "src/auth.rs:2"),
                &known(entry, entry, "src/auth.rs:2", None),
                cosine,
            );
            assert!(!found.is_same, "{entry} | {title}: {found:?}");
        }
    }
}

#[test]
fn a_warning_agrees_with_the_advice_it_repeats() {
    let compare = "Compare session tokens in constant time because == leaks the prefix by timing.";
    let retry = "Retry a failed upload at most 3 times.";
    for (entry, title) in [
        (compare, "Do not use == to compare session tokens, use a constant time comparison"),
        (compare, "Constant time comparison of session tokens is missing"),
        (retry, "Never retry a failed upload more than three times"),
        (retry, "A failed upload is retried more than 3 times"),
        ("Never log access tokens.", "Stop logging access tokens"),
        ("Never log access tokens.", "Access tokens should be removed from the log"),
        (
            "Flush the journal before acknowledging a commit.",
            "Never acknowledge a commit before the journal is flushed",
        ),
    ] {
        let found = matching(&finding(title, "", "a.rs:1"), &known(entry, entry, "a.rs:1", None), Some(0.9));
        assert!(found.is_same, "{entry} | {title}: {found:?}");
    }
}

#[test]
fn a_lesson_in_its_own_words_is_found_again_inside_its_function() {
    // COR-3: each of these was refused as the opposite of the lesson that it repeats.
    for (lesson, title, text) in [
        (
            "Retrying a charge without an idempotency key bills the customer twice; the gateway deduplicates only by key.",
            "Retrying without an idempotency key bills the customer twice",
            "",
        ),
        (
            "Retrying a charge without an idempotency key bills the customer twice; the gateway deduplicates only by key.",
            "Retry may double-bill",
            "Retrying without an idempotency key bills the customer twice.",
        ),
        ("Session tokens must not be written to the log.", "Session tokens are written to the log", ""),
        (
            "Session tokens must not be written to the log.",
            "Token in log",
            "The session token is written to the log.",
        ),
        (
            "The retry loop has no upper bound and hammers the server when it is down.",
            "Retry loop has no upper bound",
            "",
        ),
        (
            "The retry loop has no upper bound and hammers the server when it is down.",
            "Unbounded retry loop hammers the server",
            "",
        ),
        (
            "Dates from the billing API are in local time without an offset; convert them to UTC at the boundary.",
            "Billing dates are not converted to UTC",
            "The API gives local time without an offset.",
        ),
    ] {
        let entry = known(lesson, lesson, "src/pay.rs#charge", None);
        for cosine in [None, Some(0.65)] {
            let found = matching(&finding(title, text, "src/pay.rs:12"), &entry, cosine);
            assert!(found.is_same, "{lesson} | {title}: {found:?}");
        }
    }
    // What turns it round still does not match.
    for (lesson, title) in [
        ("Session tokens must not be written to the log.", "Session tokens must be written to the log"),
        (
            "Retrying a charge without an idempotency key bills the customer twice.",
            "Stop sending the idempotency key",
        ),
        ("The retry loop has no upper bound.", "The retry loop has an upper bound"),
    ] {
        let entry = known(lesson, lesson, "src/pay.rs#charge", None);
        let found = matching(&finding(title, "", "src/pay.rs:12"), &entry, Some(0.9));
        assert!(!found.is_same, "{lesson} | {title}: {found:?}");
    }
}

#[test]
fn a_line_inside_a_captured_function_is_its_place() {
    let entry = known(TITLE, CLAIM, "src/forward.go#relay", None);
    let captured = |lines| {
        let spot = Spot { path: Some("src/forward.go".to_owned()), lines: Some(lines), symbol: None };
        KnownEntry {
            captured: vec![("src/forward.go#relay".to_owned(), spot)],
            ..known(TITLE, CLAIM, "src/forward.go#relay", None)
        }
    };
    let found = finding("The context is ignored by upstream calls", "", "src/forward.go:50");
    let told = |known: &KnownEntry| {
        let judged = matching(&found, known, None);
        (judged.is_there, judged.reasons[0].clone())
    };
    assert_eq!(told(&entry), (false, "same file src/forward.go".to_owned()));
    assert_eq!(told(&captured((40, 60))), (true, "inside src/forward.go#relay".to_owned()));
    assert_eq!(told(&captured((80, 90))), (false, "same file src/forward.go".to_owned()));
}

#[test]
fn what_is_not_compared_is_neither_the_same_nor_about_the_same() {
    let rows = include_str!("../../../../../evals/review/pairs.jsonl").lines();
    let rows: Vec<serde_json::Value> =
        rows.step_by(4).map(|line| serde_json::from_str(line).unwrap()).collect();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let entries: Vec<KnownEntry> = rows
        .iter()
        .map(|row| known(&text(&row["entry"]["title"]), &text(&row["entry"]["statement"]), "a.rs", None))
        .collect();
    let mut left_out = 0;
    for row in &rows {
        let finding = finding(&text(&row["finding"]["title"]), &text(&row["finding"]["text"]), "a.rs:3");
        let sought = Sought::from_finding(&finding);
        for (known, cosine) in
            entries.iter().flat_map(|known| [None, Some(0.9)].map(|cosine| (known, cosine)))
        {
            if sought.is_unlike(known, cosine, 2) {
                let judged = sought.matching(known, cosine);
                assert!(!judged.is_same && judged.shared < 2, "{finding:?} {judged:?}");
                left_out += 1;
            }
        }
    }
    assert!(left_out > rows.len() * rows.len(), "most of all pairs: {left_out}");
}
