//! How likely a passage is worth keeping: a linear model for each speaker, and how its weights are learned.

use crate::limits::worth::{HELD, RATE, STEPS};
use std::sync::LazyLock;

use regex::Regex;

use super::{Passage, Speaker};

const AGENT: &str = include_str!("../../words/worth/agent.tsv");
const PERSON: &str = include_str!("../../words/worth/person.tsv");

/// The features of each speaker's passages, with their weights.
pub struct Weights {
    agent: Vec<Feature>,
    person: Vec<Feature>,
}

/// A line of a data file: `weight`, `name`, the count from which on more of it makes no difference, and what is looked for.
struct Feature {
    weight: f64,
    name: String,
    most: f64,
    /// None for what is told by the form of a passage, or by what happened around it.
    pattern: Option<Regex>,
}

/// A passage that was judged, to learn from.
pub struct Example {
    pub values: Vec<f64>,
    pub is_worth_keeping: bool,
    /// How much it counts.
    pub count: f64,
}

/// The name of what every passage has.
const CONSTANT: &str = "constant";

impl Weights {
    /// The weights that are part of the program.
    pub fn own() -> &'static Weights {
        static OWN: LazyLock<Weights> = LazyLock::new(|| Weights {
            agent: read(AGENT).expect("a constant"),
            person: read(PERSON).expect("a constant"),
        });
        &OWN
    }

    /// The same features with other weights, in their order.
    pub fn with(agent: &[f64], person: &[f64]) -> Option<Weights> {
        let mut weights = Weights { agent: read(AGENT)?, person: read(PERSON)? };
        for (features, values) in [(&mut weights.agent, agent), (&mut weights.person, person)] {
            if features.len() != values.len() {
                return None;
            }
            for (feature, value) in features.iter_mut().zip(values) {
                feature.weight = *value;
            }
        }
        Some(weights)
    }

    /// What of each feature of its speaker a passage has.
    pub fn values(&self, passage: &Passage) -> Vec<f64> {
        let masked = masked(&passage.text);
        let form = Form::new(passage);
        let features = self.features(passage.speaker);
        let mut values: Vec<f64> = Vec::with_capacity(features.len());
        for feature in features {
            let value = match &feature.pattern {
                Some(pattern) if feature.most > 1.0 => {
                    (pattern.find_iter(&masked).count() as f64).min(feature.most) / feature.most
                }
                Some(pattern) => f64::from(u8::from(pattern.is_match(&masked))),
                None => form.value(&feature.name, |name| {
                    let at = features.iter().position(|other| other.name == name);
                    at.and_then(|at| values.get(at).copied()).unwrap_or_default()
                }),
            };
            values.push(value);
        }
        values
    }

    /// How likely a passage is worth keeping, as the logarithm of the odds.
    pub fn worth(&self, passage: &Passage) -> f64 {
        let values = self.values(passage);
        self.features(passage.speaker).iter().zip(values).map(|(feature, value)| feature.weight * value).sum()
    }

    /// The lines of a speaker's data file with other weights.
    pub fn lines(speaker: Speaker, weights: &[f64]) -> String {
        let (text, mut at) = (source(speaker), 0);
        let mut lines = String::new();
        for line in text.lines() {
            match line.split_once('\t') {
                Some((_, rest)) if !line.starts_with('#') => {
                    let weight = weights.get(at).copied().unwrap_or_default();
                    // No minus in front of a zero.
                    lines.push_str(&format!("{:.2}\t{rest}", (weight * 100.0).round() / 100.0 + 0.0));
                    at += 1;
                }
                _ => lines.push_str(line),
            }
            lines.push('\n');
        }
        lines
    }

    fn features(&self, speaker: Speaker) -> &[Feature] {
        match speaker {
            Speaker::Agent => &self.agent,
            Speaker::Person => &self.person,
        }
    }
}

fn source(speaker: Speaker) -> &'static str {
    match speaker {
        Speaker::Agent => AGENT,
        Speaker::Person => PERSON,
    }
}

fn read(text: &str) -> Option<Vec<Feature>> {
    let mut features = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut fields = line.split('\t');
        let (weight, name, most) = (fields.next()?, fields.next()?, fields.next()?);
        let pattern = fields.next().filter(|pattern| !pattern.is_empty()).map(Regex::new).transpose().ok()?;
        features.push(Feature {
            weight: weight.parse().ok()?,
            name: name.to_owned(),
            most: most.parse().ok()?,
            pattern,
        });
    }
    Some(features)
}

/// A passage in small letters in which names, code, links and numbers are only that they are there: no word of one project is left.
fn masked(text: &str) -> String {
    static MASKS: LazyLock<[(Regex, &str); 5]> = LazyLock::new(|| {
        let mask = |pattern: &str| Regex::new(pattern).expect("a constant");
        [
            (mask(r"\[([^\]]*)\]\([^)]*\)"), " zlink "),
            (mask(r"`[^`]*`"), " zcode "),
            (mask(r"https?://\S+"), " zurl "),
            (mask(r"\S*/\S+|\S*_\S+|\b\w+\.\w+\b|\b[a-z]+[A-Z]\w*|#\d+|\b[A-Z]{2,}\w*"), " zname "),
            (mask(r"\b\d[\d.,]*\b"), " znum "),
        ]
    });
    let mut text = text.to_owned();
    for (pattern, word) in MASKS.iter() {
        if let std::borrow::Cow::Owned(changed) = pattern.replace_all(&text, *word) {
            text = changed;
        }
    }
    text.to_lowercase().replace('\u{2019}', "'")
}

/// What is told by the form of a passage, and by what happened around it.
struct Form<'a> {
    passage: &'a Passage,
    words: f64,
}

impl<'a> Form<'a> {
    fn new(passage: &'a Passage) -> Form<'a> {
        Form { passage, words: passage.text.split_whitespace().count() as f64 }
    }

    /// The value of a feature by its name; `other` gives the values of features in front of it.
    fn value(&self, name: &str, other: impl Fn(&str) -> f64) -> f64 {
        let yes = |is: bool| f64::from(u8::from(is));
        let most = |names: &[&str]| names.iter().map(|name| other(name)).fold(0.0, f64::max);
        let around = self.passage.around;
        match name {
            CONSTANT => 1.0,
            "length" => (self.words / 25.0).ln().min(0.6),
            "length_person" => (self.words / 12.0).ln().min(1.0),
            "short" => yes(self.words < 12.0),
            "short_person" => yes(self.words < 6.0),
            "closing" => yes(around.closes),
            "opening" => yes(around.opens),
            "long_message" => yes(self.passage.is_long_message),
            "item" => yes(self.passage.is_item),
            "first" => yes(self.passage.is_first),
            "sentences" => self.passage.sentences as f64 - 1.0,
            "after_failure" => yes(around.failures > 0),
            "after_edits" => (around.edits as f64).min(4.0) / 4.0,
            "after_lookups" => (around.lookups as f64).min(4.0) / 4.0,
            "heading_of_report" => yes(REPORTS.is_match(&self.passage.heading)),
            "heading_of_finding" => yes(FINDS.is_match(&self.passage.heading)),
            "denies_code" => other("negation") * other("code_span"),
            "explains_code" => most(&["because", "consequence", "root_cause"]) * other("code_span"),
            "denies_because" => other("does_not") * most(&["because", "consequence", "contrast"]),
            "marked" => most(&["root_cause", "warning", "by_design", "cannot"]),
            "rule_of_kind" => {
                most(&["must", "never"]) * most(&["always_word", "plural", "contrast", "reason"])
            }
            _ => 0.0,
        }
    }
}

static REPORTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)verif|test|change|what i|summary|next|files|result|status|done|implement|plan|added|update",
    )
    .expect("a constant")
});
static FINDS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)cause|why|find|issue|problem|gotcha|note|caveat|limit|trap|decision|risk|lesson|surpris|known|catch")
        .expect("a constant")
});

/// Learns weights from examples: logistic regression with an L2 penalty on all but the first weight, by gradient descent with momentum. The same
/// examples give the same weights.
pub fn fit(examples: &[Example]) -> Vec<f64> {
    let width = examples.first().map_or(0, |example| example.values.len());
    let mut weights = vec![0.0; width];
    let mut speed = vec![0.0; width];
    let total: f64 = examples.iter().map(|example| example.count).sum::<f64>().max(1.0);
    for step in 0..STEPS {
        let mut slope = vec![0.0; width];
        for example in examples {
            let sum: f64 = weights.iter().zip(&example.values).map(|(weight, value)| weight * value).sum();
            let wanted = f64::from(u8::from(example.is_worth_keeping));
            let off = (1.0 / (1.0 + (-sum).exp()) - wanted) * example.count / total;
            for (slope, value) in slope.iter_mut().zip(&example.values) {
                *slope += off * value;
            }
        }
        for at in 0..width {
            let held = if at == 0 { 0.0 } else { HELD * weights[at] / total };
            speed[at] = 0.9 * speed[at] - RATE * (slope[at] + held);
            weights[at] += speed[at];
        }
        if step > 100 && speed.iter().all(|one| one.abs() < 1e-6) {
            break;
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::super::{Around, Message, passages};
    use super::*;

    fn worth(speaker: Speaker, text: &str) -> f64 {
        let around = Around { closes: true, ..Around::default() };
        let found = passages(&Message { speaker, text, around });
        found.iter().map(|passage| Weights::own().worth(passage)).fold(f64::MIN, f64::max)
    }

    #[test]
    fn an_explanation_is_worth_more_than_a_report() {
        let explained =
            "`close` never returns the handle when the query raises, so the pool runs dry after five errors.";
        let reported = "Updated `pool.py` and added three tests; all 14 tests pass now.";
        assert!(worth(Speaker::Agent, explained) > worth(Speaker::Agent, reported) + 1.0);
        let rule = "Tests should never use the real clock, because they run in parallel.";
        let task = "please fix this error in the second file";
        assert!(worth(Speaker::Person, rule) > worth(Speaker::Person, task) + 1.0);
    }

    #[test]
    fn names_of_a_project_are_no_features() {
        assert_eq!(
            masked("`a.b` in src/x.rs, see [y](z) and 12 THINGS"),
            " zcode  in  zname  see  zlink  and  znum   zname "
        );
    }

    #[test]
    fn weights_are_learned_and_written_back() {
        let example = |value: f64, is_worth_keeping| Example {
            values: vec![1.0, value],
            is_worth_keeping,
            count: 10.0,
        };
        let examples = [example(1.0, true), example(0.9, true), example(0.1, false), example(0.0, false)];
        let weights = fit(&examples);
        assert!(weights[1] > 0.5 && weights[0] < 0.0, "{weights:?}");
        let lines = Weights::lines(Speaker::Agent, &[1.5]);
        assert!(lines.lines().any(|line| line.starts_with("1.50\tconstant")), "{lines}");
    }
}
