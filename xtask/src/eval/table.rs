//! The tables of the suite `recall`, with the targets that the numbers are held against.

use serde_json::Value;

use super::sets::Name;
use crate::page;

/// What a set gave: the answer of `ken eval retrieval`, and that of the probe.
pub(super) struct Outcome {
    pub(super) name: Name,
    pub(super) ours: Value,
    pub(super) plainer: Value,
}

/// The tables as text, and how many targets were met.
pub(super) struct Report {
    pub(super) text: String,
    pub(super) met: usize,
    pub(super) targets: usize,
}

/// A least value of a measure.
struct Target {
    set: Name,
    way: &'static str,
    /// Where the measure is among R@5, R@10, R@20, nDCG@10, MRR.
    at: usize,
    least: f64,
    /// A wish beyond the target.
    stretch: Option<f64>,
}

const TARGETS: [Target; 4] = [
    Target { set: Name::Locomo, way: "hybrid", at: 1, least: 0.74, stretch: Some(0.80) },
    Target { set: Name::Locomo, way: "hybrid", at: 2, least: 0.81, stretch: None },
    Target { set: Name::Locomo, way: "lexical", at: 1, least: 0.70, stretch: None },
    Target { set: Name::Cosqa, way: "hybrid", at: 1, least: 0.80, stretch: None },
];

/// The lower bound of hybrid over its better half, in points.
const BOUND_MIN: f64 = -2.0;
/// How far the composite's order may move recall, in points.
const COMPOSITE_APART_MAX: f64 = 1.0;

const MEASURES: [&str; 5] = ["R@5", "R@10", "R@20", "nDCG@10", "MRR"];

/// Every way with what it is, in the order of the table.
const WAYS: [(&str, &str); 7] = [
    ("fts5", "plain FTS5"),
    ("bm25", "BM25 only, our terms"),
    ("lexical", "**ken, lexical**"),
    ("semantic", "**ken, semantic**"),
    ("fusion", "RRF of the two (k = 60)"),
    ("hybrid", "**ken, hybrid**"),
    ("composite", "**ken, composite**"),
];

pub(super) fn report(command: &str, skipped: &[String], results: &[Outcome]) -> Report {
    let mut verdicts = Verdicts::default();
    let mut text = format!("```sh\n{command}\n```\n\n");
    for sentence in skipped {
        text.push_str(&format!("- {sentence}\n"));
    }
    for result in results {
        let count = |name: &str| result.ours[name].as_u64().unwrap_or(0);
        text.push_str(&format!(
            "- {}: {} texts, {} questions\n",
            result.name.word(),
            count("texts"),
            count("questions")
        ));
    }
    let ways: Vec<[String; 9]> = results.iter().flat_map(|result| way_rows(result, &mut verdicts)).collect();
    text.push_str("\n### Ways to answer\n\n");
    text.push_str(&page::table(
        ["Set", "Way", "R@5", "R@10", "R@20", "nDCG@10", "MRR", "Target", "Met"],
        &ways,
    ));
    let pairs: Vec<[String; 6]> =
        results.iter().flat_map(|result| pair_rows(result, &mut verdicts)).collect();
    text.push_str("\n### Differences in R@10, in points\n\n");
    text.push_str(&page::table(["Set", "What", "Difference", "Lower bound", "Target", "Met"], &pairs));
    for result in results.iter().filter(|result| result.name == Name::Fixture) {
        text.push_str("\n### The fixture by kind of question: R@10\n\n");
        text.push_str(&page::table(
            ["Kind", "Questions", "lexical", "semantic", "hybrid", "composite"],
            &category_rows(&result.ours),
        ));
        text.push_str("\n### The fixture: when the answer is that there is none\n\n");
        text.push_str(&page::table(
            ["Way", "Empty, and rightly so", "Empty, though there is an answer"],
            &empty_rows(&result.ours),
        ));
    }
    Report { text, met: verdicts.met, targets: verdicts.targets }
}

#[derive(Default)]
struct Verdicts {
    met: usize,
    targets: usize,
}

impl Verdicts {
    fn word(&mut self, met: bool) -> String {
        self.targets += 1;
        self.met += usize::from(met);
        if met { "yes" } else { "**no**" }.to_owned()
    }
}

fn way_rows(result: &Outcome, verdicts: &mut Verdicts) -> Vec<[String; 9]> {
    let known = result.plainer["ways"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut rows = Vec::new();
    for (way, called) in WAYS {
        let Some(found) = known.iter().find(|known| known["way"] == way) else { continue };
        let mean = |at: usize| found["means"][at].as_f64().unwrap_or(0.0);
        let (mut targets, mut met) = (Vec::new(), Vec::new());
        for target in TARGETS.iter().filter(|target| target.set == result.name && target.way == way) {
            let stretch = target.stretch.map(|least| {
                format!(" (wish {least:.2}: {})", if mean(target.at) >= least { "yes" } else { "no" })
            });
            targets.push(format!(
                "{} ≥ {:.2}{}",
                MEASURES[target.at],
                target.least,
                stretch.unwrap_or_default()
            ));
            met.push(verdicts.word(mean(target.at) >= target.least));
        }
        let number = |at: usize| format!("{:.3}", mean(at));
        rows.push([
            result.name.word().to_owned(),
            called.to_owned(),
            number(0),
            number(1),
            number(2),
            number(3),
            number(4),
            targets.join(", "),
            met.join(", "),
        ]);
    }
    rows
}

fn pair_rows(result: &Outcome, verdicts: &mut Verdicts) -> Vec<[String; 6]> {
    let number = |name: &str| result.plainer[name].as_f64().unwrap_or(f64::NAN);
    let set = || result.name.word().to_owned();
    let points = |value: f64| format!("{value:+.1}");
    let half = result.plainer["better_half"].as_str().unwrap_or_default();
    let bound = number("hybrid_over_better_half_lower");
    let apart = number("composite_over_hybrid_points");
    vec![
        [
            set(),
            format!("hybrid over its better half ({half})"),
            points(number("hybrid_over_better_half_points")),
            points(bound),
            format!("bound > {BOUND_MIN}"),
            verdicts.word(bound > BOUND_MIN),
        ],
        [
            set(),
            "hybrid over RRF".to_owned(),
            points(number("hybrid_over_fusion_points")),
            points(number("hybrid_over_fusion_lower")),
            String::new(),
            String::new(),
        ],
        [
            set(),
            "composite over hybrid".to_owned(),
            points(apart),
            String::new(),
            format!("within {COMPOSITE_APART_MAX}"),
            verdicts.word(apart.abs() <= COMPOSITE_APART_MAX),
        ],
    ]
}

fn modes(ours: &Value) -> &[Value] {
    ours["modes"].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn category_rows(ours: &Value) -> Vec<[String; 6]> {
    let Some(kinds) = modes(ours).first().and_then(|mode| mode["by_category"].as_object()) else {
        return Vec::new();
    };
    let answerable = kinds.iter().filter(|(_, measures)| measures["questions"].as_u64() > Some(0));
    answerable
        .map(|(kind, measures)| {
            let of = |word: &str| {
                let mode = modes(ours).iter().find(|mode| mode["mode"] == word);
                let share = mode.and_then(|mode| mode["by_category"][kind]["recall_10"].as_f64());
                share.map(|share| format!("{share:.3}")).unwrap_or_default()
            };
            let count = measures["questions"].to_string();
            [kind.clone(), count, of("lexical"), of("semantic"), of("hybrid"), of("composite")]
        })
        .collect()
}

fn empty_rows(ours: &Value) -> Vec<[String; 3]> {
    let share = |mode: &Value, share: &str, of: &str| {
        format!("{:.3} of {}", mode[share].as_f64().unwrap_or(0.0), mode[of])
    };
    modes(ours)
        .iter()
        .map(|mode| {
            let way = mode["mode"].as_str().unwrap_or_default().to_owned();
            [way, share(mode, "empty_right", "unanswerable"), share(mode, "empty_wrong", "questions")]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn locomo(hybrid_at_10: f64) -> Outcome {
        let way = |way: &str, at_10: f64| json!({"way": way, "means": [0.5, at_10, 0.9, 0.5, 0.5]});
        let plainer = json!({
            "ways": [way("hybrid", hybrid_at_10), way("lexical", 0.7), way("fts5", 0.4)],
            "better_half": "lexical",
            "hybrid_over_better_half_points": 4.0,
            "hybrid_over_better_half_lower": -2.5,
            "hybrid_over_fusion_points": 1.0,
            "hybrid_over_fusion_lower": 0.2,
            "composite_over_hybrid_points": -0.4,
        });
        Outcome { name: Name::Locomo, ours: json!({"texts": 3, "questions": 2, "modes": []}), plainer }
    }

    #[test]
    fn each_target_is_judged_by_itself() {
        let report = report("command", &[], &[locomo(0.75)]);
        assert_eq!((report.met, report.targets), (4, 5), "{}", report.text);
        assert!(report.text.contains("R@10 ≥ 0.74 (wish 0.80: no), R@20 ≥ 0.81"), "{}", report.text);
        assert!(report.text.contains("bound > -2"), "{}", report.text);
        assert_eq!(super::report("command", &[], &[locomo(0.73)]).met, 3);
    }
}
