use super::*;

fn known<'a>(title: &'a str, statement: &'a str, place: &'a str, polarity: Option<Polarity>) -> Known<'a> {
    Known::new(title.into(), statement.into(), vec![place], Some(Type::Pattern), polarity, Vec::new())
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
    let entry = Known::new(TITLE.into(), CLAIM.into(), vec![], None, None, vec![wording]);
    let found = matching(&finding(wording, "", "a.rs"), &entry, None);
    assert!(found.is_same && found.reasons.contains(&"the same words".to_owned()), "{found:?}");
}
