use proptest::prelude::*;

use super::*;

#[derive(serde::Deserialize)]
struct Pair {
    a: String,
    b: String,
    same: bool,
    #[serde(default)]
    differ: String,
    #[serde(default)]
    polarity: (Option<Polarity>, Option<Polarity>),
    #[serde(default)]
    anchors: (Vec<Anchor>, Vec<Anchor>),
}

impl Pair {
    fn differences(&self) -> Vec<Difference> {
        let one = Claim { text: &self.a, polarity: self.polarity.0, anchors: &self.anchors.0 };
        let two = Claim { text: &self.b, polarity: self.polarity.1, anchors: &self.anchors.1 };
        differences(&one, &two)
    }
}

fn pairs() -> Vec<Pair> {
    let lines = include_str!("../../../../evals/dedup/pairs.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"))).collect()
}

fn told(a: &str, b: &str) -> String {
    let list = differences(&Claim::plain(a), &Claim::plain(b));
    list.iter().map(|found| format!("{}: {found}", found.aspect.word())).collect::<Vec<_>>().join("; ")
}

#[test]
fn no_opposite_and_no_near_miss_is_taken_for_the_same() {
    let different: Vec<Pair> = pairs().into_iter().filter(|pair| !pair.same).collect();
    assert!(different.len() >= 110);
    let missed: Vec<String> = different
        .iter()
        .filter(|pair| pair.differences().is_empty())
        .map(|pair| format!("{}: {} | {}", pair.differ, pair.a, pair.b))
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn most_rewordings_may_still_be_one() {
    let same: Vec<Pair> = pairs().into_iter().filter(|pair| pair.same).collect();
    assert!(same.len() >= 40);
    let apart: Vec<String> = same
        .iter()
        .filter(|pair| !pair.differences().is_empty())
        .map(|pair| format!("{} | {} | {}", pair.a, pair.b, pair.differences()[0]))
        .collect();
    println!("{} of {} rewordings are kept apart: {apart:#?}", apart.len(), same.len());
    assert!(apart.len() * 100 <= same.len() * 15, "{apart:#?}");
}

#[test]
fn it_says_what_differs() {
    for (a, b, why) in [
        (
            "Never rebase shared branches.",
            "Always rebase shared branches.",
            "negation: only the first says `Never`; opposite: the first says `Never`, the second says `Always`",
        ),
        ("Wait 3 s.", "Wait 30 s.", "number: the first says `3 s`, the second says `30 s`"),
        (
            "Raise `retry_max` first.",
            "Raise `retry_min` first.",
            "identifier: the first names `retry_max`, the second names `retry_min`",
        ),
        (
            "Enable the cache.",
            "Disable the cache.",
            "opposite: the first says `Enable`, the second says `Disable`",
        ),
        (
            "Look at src/a.rs first.",
            "Look at src/b.rs first.",
            "path: the first names `src/a.rs`, the second names `src/b.rs`",
        ),
        (
            "Use Python 3.11 here.",
            "Use Python 3.12 here.",
            "version: the first names `3.11`, the second names `3.12`",
        ),
        (
            "Debounce the input.",
            "Throttle the input.",
            "wording: the first says `Debounce`, the second says `Throttle`",
        ),
        (
            "The unsafe path is used.",
            "The safe path is used.",
            "opposite: the first says `unsafe`, the second says `safe`",
        ),
        (
            "Only owners may archive boards.",
            "Owners may archive only boards.",
            "condition: the first says `Only owners`, the second says `only boards`",
        ),
        (
            "Queues feed workers.",
            "Workers feed queues.",
            "order: the first says `Queues feed workers`, the second says `Workers feed queues`",
        ),
    ] {
        assert_eq!(told(a, b), why);
    }
}

#[test]
fn equal_quantities_are_equal_however_they_are_written() {
    for (a, b) in [
        ("Wait 60 seconds.", "Wait 1 minute."),
        ("Wait 0.5 s.", "Wait 500 ms."),
        ("Keep 1,000 rows.", "Keep 1k rows."),
        ("Keep 1_000 rows.", "Keep a thousand rows."),
        ("Keep twenty-five rows.", "Keep 25 rows."),
        ("Sample 5 percent.", "Sample 5%."),
        ("Use v2.1 of the driver.", "Use 2.1 of the driver."),
        ("Keep two hundred rows.", "Keep 200 rows."),
    ] {
        assert_eq!(told(a, b), "", "{a} | {b}");
    }
}

#[test]
fn a_long_text_is_compared_in_linear_time() {
    let one =
        "never use `alpha_beta` before 30 ms, unless not the client or src/x.rs says so. ".repeat(2_000);
    let two = one.replace("client", "server");
    // Quadratic work would be felt: this is forty times the longest statement.
    assert!(!told(&one, &two).is_empty());
}

proptest! {
    #[test]
    fn a_claim_does_not_differ_from_itself(text in "\\PC{0,120}") {
        prop_assert_eq!(told(&text, &text), "");
    }

    #[test]
    fn it_does_not_matter_which_comes_first(a in "[a-c0-9 `./,'A-C_-]{0,40}", b in "[a-c0-9 `./,'A-C_-]{0,40}") {
        prop_assert_eq!(told(&a, &b).is_empty(), told(&b, &a).is_empty());
    }
}
