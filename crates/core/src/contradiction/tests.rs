//! Whether the labelled pairs are told apart, what is said of them, and the laws.

use expect_test::{Expect, expect};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

const PAIRS: &str = include_str!("../../../../evals/norms/pairs.jsonl");

/// A norm as the labelled pairs write it.
#[derive(Clone)]
struct Written {
    rule: String,
    subject: Option<String>,
    merge_key: Option<String>,
    enforcement: Option<Value>,
    exceptions: Vec<String>,
    scope: String,
}

impl Written {
    fn parse(value: &Value) -> Written {
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        let exceptions = value["exceptions"].as_array().into_iter().flatten();
        Written {
            rule: text("rule").unwrap(),
            subject: text("subject"),
            merge_key: text("merge_key"),
            enforcement: value.get("enforcement").cloned(),
            exceptions: exceptions.map(|text| text.as_str().unwrap().to_owned()).collect(),
            scope: text("scope").unwrap_or_default(),
        }
    }

    fn norm(&self) -> Norm<'_> {
        Norm {
            id: "n",
            kind: None,
            rule: &self.rule,
            subject: self.subject.as_deref(),
            merge_key: self.merge_key.as_deref(),
            enforcement: self.enforcement.as_ref(),
            exceptions: &self.exceptions,
            scope: &self.scope,
        }
    }
}

fn plain_norm(rule: &str) -> Norm<'_> {
    Norm { id: "n", rule, ..Norm::default() }
}

fn labelled() -> Vec<(Value, Written, Written)> {
    let pairs = PAIRS.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    pairs.map(|pair| (pair.clone(), Written::parse(&pair["a"]), Written::parse(&pair["b"]))).collect()
}

/// Gate `knowledge.contradictions`: of what is called a contradiction at least 98 in a hundred are, and most are found.
#[test]
fn labelled_pairs_are_told_apart() {
    let (mut right, mut wrong, mut missed) = (0, Vec::new(), Vec::new());
    for (pair, a, b) in labelled() {
        let rules = format!("{} | {}", a.rule, b.rule);
        match (pair["contradicts"].as_bool().unwrap(), between(&a.norm(), &b.norm())) {
            (true, Some(_)) => right += 1,
            (false, Some(found)) => wrong.push(format!("{rules}: {}", found.why)),
            (true, None) => missed.push(rules),
            (false, None) => {}
        }
    }
    assert!(right * 100 >= (right + wrong.len()) * 98, "wrong: {wrong:#?}");
    assert!(right * 100 >= (right + missed.len()) * 85, "missed: {missed:#?}");
}

#[test]
fn among_many_finds_what_between_finds() {
    let pairs = labelled();
    let all: Vec<Written> = pairs.iter().flat_map(|(_, a, b)| [a.clone(), b.clone()]).collect();
    let norms: Vec<Norm<'_>> = all.iter().map(Written::norm).collect();
    let found: Vec<(usize, usize, Contradiction)> = among(&norms);
    assert!(found.is_sorted_by_key(|(one, other, _)| (*one, *other)));
    for (at, (_, a, b)) in pairs.iter().enumerate() {
        let here = found.iter().find(|(one, other, _)| (*one, *other) == (2 * at, 2 * at + 1));
        assert_eq!(
            here.map(|(_, _, found)| found),
            between(&a.norm(), &b.norm()).as_ref(),
            "{} | {}",
            a.rule,
            b.rule
        );
    }
}

fn check(a: &str, b: &str, expected: Expect) {
    let found = between(&plain_norm(a), &plain_norm(b));
    expected
        .assert_eq(&found.map_or_else(String::new, |found| format!("{}: {}", found.how.word(), found.why)));
}

#[test]
fn a_contradiction_explains_itself() {
    check(
        "Squash before merging.",
        "Do not squash before merging.",
        expect![
            "modality: one says must never (`Do not squash before merging.`), the other must (`Squash before merging.`), about `squash merging`"
        ],
    );
    check(
        "Indent with 4 spaces.",
        "Indent with tabs.",
        expect![
            "value: one says `spaces` (`Indent with 4 spaces.`), the other `tabs` (`Indent with tabs.`), about `Indent`"
        ],
    );
    check(
        "Functions have at most 50 lines.",
        "Functions must have at least 100 lines.",
        expect![
            "value: one says `at most 50` (`Functions have at most 50 lines.`), the other `at least 100` (`Functions must have at least 100 lines.`), about `Functions lines`"
        ],
    );
    check(
        "log_level = info",
        "log_level = debug",
        expect!["value: one sets `log_level` to `debug`, the other to `info`"],
    );
    check("Never merge without a review.", "Every merge must have a review.", expect![""]);
}

#[test]
fn who_does_it_to_whom_matters() {
    for (a, b) in [
        ("Controllers must not use models.", "Models must use controllers."),
        ("The core must not import the engine.", "The engine must import the core."),
        ("Tests must pass before merging.", "Do not merge before tests pass."),
        ("Merge after the tests pass.", "Never merge before the tests pass."),
        ("Comments should say why.", "Comments should not say what."),
        ("Merge requires approval.", "Do not merge without approval."),
    ] {
        assert_eq!(between(&plain_norm(a), &plain_norm(b)), None, "{a} | {b}");
    }
}

#[test]
fn checks_explain_themselves() {
    let forbid = json!({"kind": "mechanical", "check": "paths", "forbid": ["vendor/**"]});
    let need = json!({"check": "required_file", "when": ["Cargo.lock"], "need": ["vendor/**"]});
    let (a, b) = (
        Norm { enforcement: Some(&forbid), ..plain_norm("Vendored code stays as it is.") },
        Norm { enforcement: Some(&need), ..plain_norm("A lock file brings its code.") },
    );
    let found = between(&a, &b).unwrap();
    assert_eq!(found.how, How::Enforcement);
    assert_eq!(found.left, "forbids `vendor/**`");
    assert_eq!(found.right, "needs `vendor/**` with a change of `Cargo.lock`");
}

/// Rules made of the words that matter here, in any order.
fn rules() -> impl Strategy<Value = String> {
    let words = vec![
        "must",
        "never",
        "not",
        "no",
        "may",
        "need",
        "without",
        "with",
        "squash",
        "commits",
        "before",
        "merging",
        "`main`",
        "4",
        "at least",
        "at most",
        "exactly",
        "spaces",
        "tabs",
        "is",
        "be",
        "required",
        "optional",
        "forbidden",
        "allowed",
        "avoid",
        "when",
        "tests",
        "fail,",
        "instead of",
        "indent",
        "the",
        "only",
        "unless",
        ".",
        "= 5",
        "delete",
        "keep",
        "skip",
        "two days",
        "every",
        "over",
        "1.2.3",
    ];
    prop::collection::vec(prop::sample::select(words), 0..12).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn which_comes_first_does_not_matter(a in rules(), b in rules()) {
        let (a, b) = (plain_norm(&a), plain_norm(&b));
        let turned = between(&b, &a).map(|found| Contradiction { left: found.right, right: found.left, ..found });
        prop_assert_eq!(between(&a, &b), turned);
    }

    #[test]
    fn nothing_contradicts_itself(rule in rules()) {
        let loud = format!("{}!", rule.to_uppercase());
        let quiet = rule.to_lowercase().replace(',', "");
        prop_assert_eq!(between(&plain_norm(&rule), &plain_norm(&rule)), None);
        prop_assert_eq!(between(&plain_norm(&rule), &plain_norm(&loud)), None);
        prop_assert_eq!(between(&plain_norm(&quiet), &plain_norm(&loud)), None);
    }

    #[test]
    fn another_scope_is_another_world(a in rules(), b in rules()) {
        let b = Norm { scope: "elsewhere", ..plain_norm(&b) };
        prop_assert_eq!(between(&plain_norm(&a), &b), None);
    }

    #[test]
    fn any_text_gets_an_answer(a in "\\PC{0,60}", b in any::<String>()) {
        let key = Norm { merge_key: Some(&a), subject: Some(&b), ..plain_norm(&a) };
        let other = Norm { merge_key: Some(&a), ..plain_norm(&b) };
        prop_assert_eq!(between(&key, &key), None);
        prop_assert_eq!(between(&key, &other).is_some(), between(&other, &key).is_some());
        prop_assert_eq!(!among(&[key, other]).is_empty(), between(&key, &other).is_some());
    }

    #[test]
    fn among_two_is_between_them(a in rules(), b in rules()) {
        let (a, b) = (plain_norm(&a), plain_norm(&b));
        prop_assert_eq!(among(&[a, b]).pop().map(|(_, _, found)| found), between(&a, &b));
    }
}

// Ten thousand candidates with the same words took a minute.
#[test]
fn very_many_norms_of_the_same_words_are_compared_with_the_first() {
    const MANY: usize = 1_000;
    let lengths: Vec<String> = (0..MANY).map(|n| format!("Lines must be at most {n} characters.")).collect();
    let exact: Vec<String> = (0..MANY).map(|n| format!("Use {n} spaces.")).collect();
    let backends: Vec<String> = (0..MANY).map(|n| format!("The backend must be tool{n}.")).collect();
    let opposite =
        |n: usize| if n.is_multiple_of(2) { "Always squash commits." } else { "Never squash commits." };
    let opposites: Vec<String> = (0..MANY).map(|n| opposite(n).to_owned()).collect();
    let found = |rules: &[String]| {
        let norms: Vec<Norm<'_>> = rules.iter().map(|rule| plain_norm(rule)).collect();
        among(&norms)
    };
    assert!(found(&lengths).is_empty() && found(&backends).is_empty());
    for rules in [&exact, &opposites] {
        let found = found(rules);
        assert!(found.len() <= MANY * TOGETHER_MAX, "{}", found.len());
        let told: BTreeSet<usize> = found.iter().flat_map(|(one, other, _)| [*one, *other]).collect();
        assert_eq!(told.len(), MANY, "each is told of once at least");
        let in_front: BTreeSet<(usize, usize)> = found.iter().map(|(one, other, _)| (*one, *other)).collect();
        assert!((1..MANY).step_by(2).all(|at| in_front.contains(&(0, at))), "the first meets all");
    }
}

#[test]
fn one_opposite_is_found_among_very_many_that_differ_in_a_number() {
    let mut rules: Vec<String> = (0..500).map(|n| format!("Check {n} must run before a merge.")).collect();
    rules.push("Check 444 must never run before a merge.".to_owned());
    let norms: Vec<Norm<'_>> = rules.iter().map(|rule| plain_norm(rule)).collect();
    let found: Vec<(usize, usize)> = among(&norms).into_iter().map(|(one, other, _)| (one, other)).collect();
    assert_eq!(found, [(444, 500)]);
}

#[test]
fn many_stars_take_no_long() {
    let forbid = json!({"check": "paths", "forbid": ["**/a/".repeat(200) + "z"]});
    let need = json!({"check": "required_file", "need": ["a/".repeat(200) + "b"]});
    let norms = [
        Norm { enforcement: Some(&forbid), ..plain_norm("Leave z alone.") },
        Norm { enforcement: Some(&need), ..plain_norm("Bring b.") },
    ];
    assert!(among(&norms).is_empty());
}
