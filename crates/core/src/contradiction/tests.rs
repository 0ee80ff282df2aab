//! Whether the labelled pairs are told apart, and the laws.

use proptest::prelude::*;
use serde_json::Value;

use super::*;

const PAIRS: &str = include_str!("../../../../evals/norms/pairs.jsonl");

/// A norm as the labelled pairs write it.
struct Written {
    rule: String,
    subject: Option<String>,
    merge_key: Option<String>,
    enforcement: Option<Value>,
    exceptions: Vec<String>,
    scope: String,
}

impl Written {
    fn of(value: &Value) -> Written {
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
    Norm {
        id: "n",
        kind: None,
        rule,
        subject: None,
        merge_key: None,
        enforcement: None,
        exceptions: &[],
        scope: "",
    }
}

fn labelled() -> Vec<(Value, Written, Written)> {
    let pairs = PAIRS.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    pairs.map(|pair| (pair.clone(), Written::of(&pair["a"]), Written::of(&pair["b"]))).collect()
}

/// GAT `knowledge.contradictions`: of what is called a contradiction, at least 98 in a hundred are.
#[test]
fn labelled_pairs_are_told_apart() {
    let (mut right, mut wrong, mut missed) = (0, Vec::new(), Vec::new());
    for (pair, a, b) in labelled() {
        let rules = format!("{} | {}", a.rule, b.rule);
        match (pair["contradicts"].as_bool().unwrap(), between(&a.norm(), &b.norm())) {
            (true, Some(_)) => right += 1,
            (false, Some(found)) => wrong.push(format!("{rules}: {}", found.why)),
            (true, None) => missed.push(format!("{} {rules}", pair["split"])),
            (false, None) => {}
        }
    }
    if std::env::var_os("SHOW").is_some() {
        println!(
            "wrong:\n{}\nmissed:\n{}",
            wrong.join("\n"),
            missed.iter().filter(|m| m.starts_with("\"dev")).cloned().collect::<Vec<_>>().join("\n")
        );
        println!("right {right} wrong {} missed {}", wrong.len(), missed.len());
    }
    assert!(right * 2 >= (right + wrong.len()) * 2 * 98 / 100, "{wrong:#?}");
    assert!(right * 100 >= (right + missed.len()) * 70, "{missed:#?}");
}
