//! The suite `dedup`: whether one claim in two wordings is told from two claims that only look alike, over labelled pairs.
//!
//! It fails when a single different pair is taken for one: what the second one says would be lost.

use ken_core::Anchor;
use ken_core::kinds::Polarity;
use ken_core::similar::{Claim, differences};
use serde_json::Value;

use super::pairs::{need, percent, read_file};
use crate::context::Failure;
use crate::harness::Suite;
use crate::harness::arguments::{Flag, Takes};
use crate::harness::figure::Figure;
use crate::harness::report::Report;
use crate::harness::session::Session;

pub(crate) const SUITE: Suite = Suite {
    flags: &[Flag { name: "--wrong", takes: Takes::Nothing }],
    optimised: false,
    ..Suite::evaluation("dedup", run)
};

const PAIRS: &str = "evals/dedup/pairs.jsonl";

/// Two statements with what is recorded beside each.
struct Pair {
    texts: [String; 2],
    polarity: (Option<Polarity>, Option<Polarity>),
    anchors: (Vec<Anchor>, Vec<Anchor>),
    same: bool,
}

impl Pair {
    fn differs(&self) -> bool {
        let one = Claim { text: &self.texts[0], polarity: self.polarity.0, anchors: &self.anchors.0 };
        let two = Claim { text: &self.texts[1], polarity: self.polarity.1, anchors: &self.anchors.1 };
        !differences(&one, &two).is_empty()
    }
}

fn run(session: &Session<'_>) -> Result<Report, Failure> {
    let pairs = read_file(&session.context.root, PAIRS, pair)?;
    let wrong = |pair: &&Pair| pair.same == pair.differs();
    if session.flags.has("--wrong") {
        for pair in pairs.iter().filter(wrong) {
            let what = if pair.same { "kept apart" } else { "taken for one" };
            println!("{what}: {} | {}", pair.texts[0], pair.texts[1]);
        }
    }
    let share = |same: bool| {
        let all = pairs.iter().filter(|pair| pair.same == same);
        (percent(all.clone().filter(wrong).count(), all.clone().count()), all.count())
    };
    let ((merged, different), (apart, same)) = (share(false), share(true));
    // Whoever compares bytes merges no different pair, and keeps every rewording apart.
    Ok(Report::new(vec![
        Figure::new("dedup.merged", merged).at(different).floor("by equal texts", 0.0),
        Figure::new("dedup.apart", apart).at(same).floor("by equal texts", 100.0),
    ])
    .note("differences alone, without the model: `cargo test -p kenning --test dedup` has the rest"))
}

fn pair(row: &Value) -> Result<Pair, String> {
    let beside = |name: &str| row.get(name).cloned();
    let bad = |error: serde_json::Error| error.to_string();
    Ok(Pair {
        texts: [need(row, "a")?, need(row, "b")?],
        polarity: beside("polarity")
            .map(serde_json::from_value)
            .transpose()
            .map_err(bad)?
            .unwrap_or_default(),
        anchors: beside("anchors").map(serde_json::from_value).transpose().map_err(bad)?.unwrap_or_default(),
        same: row["same"].as_bool().ok_or("`same` is missing")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::pairs::read;

    #[test]
    fn every_pair_can_be_read() {
        let pairs = read(PAIRS, include_str!("../../../evals/dedup/pairs.jsonl"), pair).unwrap();
        assert!(pairs.iter().filter(|pair| !pair.same).count() >= 110);
    }
}
