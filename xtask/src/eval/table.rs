//! The tables and figures of the suite `recall`.

use serde_json::Value;

use super::sets::Name;
use crate::harness::figure::Figure;
use crate::harness::report::Report;
use crate::page;

/// What a set gave: the answer of `ken eval retrieval`, and that of the probe.
pub(super) struct Outcome {
    pub(super) name: Name,
    pub(super) ours: Value,
    pub(super) plainer: Value,
}

/// Where R@10, R@20 and the like are among the means that the probe gives.
const AT_10: usize = 1;
const AT_20: usize = 2;

/// The figures: set, way, which mean.
const FIGURES: [(&str, Name, &str, usize); 7] = [
    ("recall.fixture_lexical", Name::Fixture, "lexical", AT_10),
    ("recall.fixture_hybrid", Name::Fixture, "hybrid", AT_10),
    ("recall.fixture_composite", Name::Fixture, "composite", AT_10),
    ("recall.locomo_lexical", Name::Locomo, "lexical", AT_10),
    ("recall.locomo_hybrid", Name::Locomo, "hybrid", AT_10),
    ("recall.locomo_hybrid_20", Name::Locomo, "hybrid", AT_20),
    ("recall.cosqa_hybrid", Name::Cosqa, "hybrid", AT_10),
];

/// The way that every figure is held against.
const FLOOR: (&str, &str) = ("fts5", "plain FTS5");

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

pub(super) fn report(results: &[Outcome]) -> Report {
    let mut report = Report::new(figures(results));
    for result in results {
        let count = |name: &str| result.ours[name].as_u64().unwrap_or(0);
        let (texts, questions) = (count("texts"), count("questions"));
        report = report.note(format!("{}: {texts} texts, {questions} questions", result.name.word()));
    }
    let text = &mut report.tables;
    let ways: Vec<[String; 7]> = results.iter().flat_map(way_rows).collect();
    text.push_str("### Ways to answer\n\n");
    text.push_str(&page::table(["Set", "Way", "R@5", "R@10", "R@20", "nDCG@10", "MRR"], &ways));
    let pairs: Vec<[String; 4]> = results.iter().flat_map(pair_rows).collect();
    text.push_str("\n### Differences in R@10, in points\n\n");
    text.push_str(&page::table(["Set", "What", "Difference", "Lower bound"], &pairs));
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
    report
}

fn figures(results: &[Outcome]) -> Vec<Figure> {
    let mut figures = Vec::new();
    for result in results {
        let asked = result.ours["questions"].as_u64().unwrap_or(0) as usize;
        let mean = |way: &str, at: usize| {
            let found = ways(result).iter().find(|known| known["way"] == way)?;
            found["means"][at].as_f64()
        };
        for (name, _, way, at) in FIGURES.iter().filter(|(_, set, ..)| *set == result.name) {
            let Some(value) = mean(way, *at) else { continue };
            let figure = Figure::new(name, value).at(asked);
            figures.push(match mean(FLOOR.0, *at) {
                Some(floor) => figure.floor(FLOOR.1, floor),
                None => figure,
            });
        }
        let composite = modes(&result.ours).iter().find(|mode| mode["mode"] == "composite");
        if result.name == Name::Fixture
            && let Some(share) = composite.and_then(|mode| mode["empty_right"].as_f64())
        {
            figures.push(Figure::new("recall.fixture_empty", share * 100.0).at(asked));
        }
    }
    let asked: usize =
        results.iter().map(|result| result.ours["questions"].as_u64().unwrap_or(0) as usize).sum();
    let numbers = |name: &'static str| {
        results.iter().filter_map(move |result| Some((result.name.word(), result.plainer[name].as_f64()?)))
    };
    let worst = numbers("hybrid_over_better_half_lower").min_by(|one, other| one.1.total_cmp(&other.1));
    figures.extend(worst.map(|(set, value)| Figure::new("recall.over_half", value).at(asked).note(set)));
    let moved = numbers("composite_over_hybrid_points").map(|(set, value)| (set, value.abs()));
    let most = moved.max_by(|one, other| one.1.total_cmp(&other.1));
    figures.extend(most.map(|(set, value)| Figure::new("recall.composite_apart", value).at(asked).note(set)));
    figures
}

fn ways(result: &Outcome) -> &[Value] {
    result.plainer["ways"].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn way_rows(result: &Outcome) -> Vec<[String; 7]> {
    let mut rows = Vec::new();
    for (way, called) in WAYS {
        let Some(found) = ways(result).iter().find(|known| known["way"] == way) else { continue };
        let number = |at: usize| format!("{:.3}", found["means"][at].as_f64().unwrap_or(0.0));
        rows.push([
            result.name.word().to_owned(),
            called.to_owned(),
            number(0),
            number(1),
            number(2),
            number(3),
            number(4),
        ]);
    }
    rows
}

fn pair_rows(result: &Outcome) -> Vec<[String; 4]> {
    let number = |name: &str| result.plainer[name].as_f64().unwrap_or(f64::NAN);
    let set = || result.name.word().to_owned();
    let points = |value: f64| format!("{value:+.1}");
    let half = result.plainer["better_half"].as_str().unwrap_or_default();
    vec![
        [
            set(),
            format!("hybrid over its better half ({half})"),
            points(number("hybrid_over_better_half_points")),
            points(number("hybrid_over_better_half_lower")),
        ],
        [
            set(),
            "hybrid over RRF".to_owned(),
            points(number("hybrid_over_fusion_points")),
            points(number("hybrid_over_fusion_lower")),
        ],
        [
            set(),
            "composite over hybrid".to_owned(),
            points(number("composite_over_hybrid_points")),
            String::new(),
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
    fn figures_stand_beside_plain_full_text_search() {
        let report = report(&[locomo(0.75)]);
        let figure = |name: &str| report.figures.iter().find(|figure| figure.spec.name == name).unwrap();
        let hybrid = figure("recall.locomo_hybrid");
        assert_eq!((hybrid.value, hybrid.size, hybrid.met()), (0.75, Some(2), Some(true)));
        assert_eq!(hybrid.floor.as_ref().map(|floor| floor.value), Some(0.4));
        assert_eq!(figure("recall.over_half").met(), Some(false), "-2.5 is below -2");
        assert_eq!(figure("recall.composite_apart").value, 0.4);
        assert!(report.tables.contains("| LoCoMo | **ken, hybrid**  | 0.500 | 0.750 |"), "{}", report.tables);
    }
}
