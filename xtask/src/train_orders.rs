//! `cargo xtask train orders`: learns the weights of the model for orders phrased as conventions, and says how they would do on classes of
//! orders and sources of innocent texts that they never saw.
//!
//! A linear classifier in the dual (L2 loss, L2 penalty) over the sentences that have a frame, always in the same order: the same data give
//! the same file.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use ken_guard::orders::{self, BUCKETS, Feature, Frames};

use crate::context::{Context, Failure, Outcome, failed};
use crate::eval::guard;
use crate::page;
use crate::train::{around, may_be_learned, pieces, walk};

/// Where the frames and the weights are kept.
const SOURCE: &str = "crates/guard/models/orders.txt";
const FILE: &str = "crates/guard/models/orders.bin";
/// Orders and honest conventions, by class.
const TEXTS: &str = "evals/guard/orders.txt";
/// Sentences that are drawn from lists.
const TEMPLATES: &str = "evals/guard/order_templates.txt";
/// How many sentences are drawn from a template.
const DRAWS: u64 = 12;
/// Parts of the data in cross-validation: whole classes, whole sources.
const FOLDS: usize = 7;
/// How often all sentences are gone through.
const EPOCHS: usize = 60;
/// How dear a sentence on the wrong side is: of an order, of an honest convention beside one, of any other innocent text.
const COST_ORDER: f32 = 0.09;
const COST_NEAR: f32 = 0.06;
const COST_OTHER: f32 = 0.03;
/// And of a drawn one, of which there are many alike.
const COST_DRAWN: f32 = 0.02;
/// Lines that are tried.
const LINES: [f32; 12] = [-0.2, 0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Set {
    Order,
    Near,
    /// The same, drawn from templates: to learn from, not to be judged by.
    DrawnOrder,
    DrawnNear,
    /// Texts as people write them into such a store.
    Entry,
    /// Pages and sources that lie around: to learn from.
    Around,
}

struct Example {
    set: Set,
    /// Its class, or its source.
    group: String,
    trained: bool,
    text: String,
    windows: Vec<Vec<Feature>>,
}

pub(crate) fn run(context: &Context, folds: bool, show: bool, write: bool) -> Outcome {
    let Some(folder) = guard::folder() else {
        return failed("the corpus is not here: set KEN_CORPORA to a folder with `security/`");
    };
    let source = read(context, SOURCE)?;
    let compiled = orders::compile(&source).map_err(|fault| Failure::Failed(format!("{SOURCE}, {fault}")))?;
    let frames =
        Frames::read(&compiled).ok_or_else(|| Failure::Failed("the frames cannot be read".to_owned()))?;
    let examples = gather(context, &folder, &frames)?;
    for (set, name) in [
        (Set::Order, "orders"),
        (Set::Near, "honest conventions"),
        (Set::DrawnOrder, "drawn orders"),
        (Set::DrawnNear, "drawn conventions"),
        (Set::Entry, "entries"),
        (Set::Around, "other texts"),
    ] {
        let of: Vec<&Example> = examples.iter().filter(|example| example.set == set).collect();
        let framed = of.iter().filter(|example| !example.windows.is_empty()).count();
        println!("{name}: {} texts, {framed} with a frame", of.len());
    }
    if folds {
        let text = judge(&examples, show);
        println!("{text}");
        if write {
            page::put(&context.root.join(guard::PAGE), "train orders", &text)?;
        }
        return Ok(());
    }
    let all: Vec<&Example> = examples.iter().filter(|example| example.trained).collect();
    let linear = fit(&all);
    let mut sizes: Vec<f32> =
        linear.weights.iter().map(|weight| weight.abs()).filter(|size| *size > 0.0).collect();
    sizes.sort_by(f32::total_cmp);
    let largest = sizes.get(sizes.len() * 999 / 1000).copied().unwrap_or(1.0);
    let file = orders::write(&source, &linear.weights, linear.bias, largest).map_err(Failure::Failed)?;
    fs::write(context.root.join(FILE), &file)
        .map_err(|error| Failure::Failed(format!("cannot write {FILE}: {error}")))?;
    let wrong = all.iter().filter(|example| {
        (linear.score(example) >= orders::MEDIUM) != matches!(example.set, Set::Order | Set::DrawnOrder)
    });
    println!("on what it was trained with, {} of {} are judged wrongly", wrong.count(), all.len());
    println!("wrote {FILE}: {} bytes", file.len());
    Ok(())
}

fn read(context: &Context, name: &str) -> Result<String, Failure> {
    fs::read_to_string(context.root.join(name))
        .map_err(|error| Failure::Failed(format!("cannot read {name}: {error}")))
}

fn gather(context: &Context, folder: &Path, frames: &Frames) -> Result<Vec<Example>, Failure> {
    let mut examples = Vec::new();
    let mut add = |set: Set, group: &str, trained: bool, raw: &str| {
        let text = ken_guard::text::Text::new(raw).plain.into_owned();
        let mut windows = Vec::new();
        frames.each_window(&text, |_, _, features| windows.push(features.to_vec()));
        examples.push(Example { set, group: group.to_owned(), trained, text, windows });
    };
    let mut heading = None;
    for line in read(context, TEXTS)?.lines().filter(|line| !line.is_empty()) {
        match (line.strip_prefix("## ").and_then(|words| words.split_once(' ')), heading.clone()) {
            (Some((kind, class)), _) => heading = Some((kind == "bad", class.to_owned())),
            (None, Some((is_bad, class))) => {
                add(if is_bad { Set::Order } else { Set::Near }, &class, true, line)
            }
            (None, None) => return failed(format!("{TEXTS}: a text before the first heading")),
        }
    }
    for (is_bad, class, text) in drawn(&read(context, TEMPLATES)?)? {
        add(if is_bad { Set::DrawnOrder } else { Set::DrawnNear }, &class, true, &text);
    }
    for (name, kept) in [("benign", ""), ("injection_neg", "synthetic-memory")] {
        for row in guard::read(folder, name)?.into_iter().filter(|row| row.source.starts_with(kept)) {
            add(Set::Entry, &row.source, may_be_learned(&row.licence), &row.text);
        }
    }
    for line in read(context, "evals/guard/innocent.jsonl")?.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
        add(Set::Entry, "innocent", true, row["text"].as_str().unwrap_or_default());
    }
    for (name, text) in around(context) {
        let is_entry = !name.contains('/') && !name.contains('.');
        let (set, group) = match name.split('/').next().unwrap_or_default() {
            _ if is_entry => (Set::Entry, "entries"),
            "docs" => (Set::Around, "docs"),
            "crates" => (Set::Around, "sources"),
            _ => (Set::Around, "registry"),
        };
        pieces(&text, 1200).into_iter().take(8).for_each(|piece| add(set, group, true, piece));
    }
    for project in ["gsd", "wfc", "flux-drive"] {
        let mut pages = Vec::new();
        walk(&folder.join("../corpora").join(project), "md", &mut pages);
        for page in pages {
            let text = fs::read_to_string(&page).unwrap_or_default();
            pieces(&text, 1200)
                .into_iter()
                .for_each(|piece| add(Set::Entry, &format!("corpora:{project}"), true, piece));
        }
    }
    Ok(examples)
}

/// The sentences of the templates, the same each time: whether it is an order, its class, its words.
fn drawn(source: &str) -> Result<Vec<(bool, String, String)>, Failure> {
    let mut lists: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let (mut heading, mut sentences) = (None, Vec::new());
    for (at, line) in source.lines().enumerate().filter(|(_, line)| !line.is_empty()) {
        let fault = |what: &str| Failure::Failed(format!("{TEMPLATES}, line {}: {what}", at + 1));
        if let Some((kind, class)) = line.strip_prefix("## ").and_then(|words| words.split_once(' ')) {
            heading = Some((kind == "bad", class));
        } else if let Some((name, words)) = line.strip_prefix('@').and_then(|list| list.split_once(" = ")) {
            lists.insert(name, words.split('|').map(str::trim).collect());
        } else if !line.starts_with('#') {
            let (is_bad, class) = heading.ok_or_else(|| fault("a template before the first heading"))?;
            for draw in 0..DRAWS {
                let mut dice = (at as u64 * DRAWS + draw + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let (mut text, mut rest) = (String::new(), line);
                while let Some((before, (name, behind))) =
                    rest.split_once('{').and_then(|(before, slot)| Some((before, slot.split_once('}')?)))
                {
                    let words = lists.get(name).ok_or_else(|| fault(&format!("no list is called {name}")))?;
                    dice = (dice ^ dice >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                    text.push_str(before);
                    text.push_str(words[(dice >> 33) as usize % words.len()]);
                    rest = behind;
                }
                text.push_str(rest);
                let mut words: Vec<&str> = text.split_ascii_whitespace().collect();
                words.retain(|word| *word != ",");
                sentences.push((is_bad, class.to_owned(), words.join(" ")));
            }
        }
    }
    Ok(sentences)
}

struct Linear {
    weights: Vec<f32>,
    bias: f32,
}

impl Linear {
    fn score_window(&self, window: &[Feature]) -> f32 {
        self.bias + window.iter().map(|(bucket, much)| self.weights[*bucket as usize] * much).sum::<f32>()
    }

    /// The worst sentence of a text; far below any line, if none has a frame.
    fn score(&self, example: &Example) -> f32 {
        example.windows.iter().map(|window| self.score_window(window)).fold(-9.0, f32::max)
    }
}

/// Learns from some examples: the dual of a linear classifier with squared hinge loss, one sentence after the other.
fn fit(examples: &[&Example]) -> Linear {
    let rows: Vec<(&[Feature], f32, f32)> = examples
        .iter()
        .flat_map(|example| {
            let (sign, cost) = match example.set {
                Set::Order => (1.0, COST_ORDER),
                Set::Near => (-1.0, COST_NEAR),
                Set::DrawnOrder => (1.0, COST_DRAWN),
                Set::DrawnNear => (-1.0, COST_DRAWN),
                Set::Entry | Set::Around => (-1.0, COST_OTHER),
            };
            example.windows.iter().map(move |window| (window.as_slice(), sign, cost))
        })
        .collect();
    let mut linear = Linear { weights: vec![0.0; BUCKETS], bias: 0.0 };
    let mut duals = vec![0.0f32; rows.len()];
    let sizes: Vec<f32> = rows
        .iter()
        .map(|(window, ..)| 1.0 + window.iter().map(|(_, much)| much * much).sum::<f32>())
        .collect();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    let mut dice = 1u64;
    for _ in 0..EPOCHS {
        for at in (1..order.len()).rev() {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            order.swap(at, (dice >> 33) as usize % (at + 1));
        }
        for at in &order {
            let (window, sign, cost) = rows[*at];
            let slack = 0.5 / cost;
            let gradient = sign * linear.score_window(window) - 1.0 + slack * duals[*at];
            let dual = (duals[*at] - gradient / (sizes[*at] + slack)).max(0.0);
            let change = (dual - duals[*at]) * sign;
            if change != 0.0 {
                duals[*at] = dual;
                linear.bias += change;
                window.iter().for_each(|(bucket, much)| linear.weights[*bucket as usize] += change * much);
            }
        }
    }
    linear
}

/// Scores every text by weights that saw neither its class nor its source.
fn judge(examples: &[Example], show: bool) -> String {
    let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
    for example in examples {
        let next = groups.len();
        groups.entry(&example.group).or_insert(next);
    }
    let fold = |example: &Example| groups[example.group.as_str()] % FOLDS;
    let mut scores = vec![0.0; examples.len()];
    for left_out in 0..FOLDS {
        let rest: Vec<&Example> =
            examples.iter().filter(|example| example.trained && fold(example) != left_out).collect();
        let linear = fit(&rest);
        for (score, example) in
            scores.iter_mut().zip(examples).filter(|(_, example)| fold(example) == left_out)
        {
            *score = linear.score(example);
        }
    }
    let all = fit(&examples.iter().filter(|example| example.trained).collect::<Vec<_>>());
    let seen: Vec<f32> = examples.iter().map(|example| all.score(example)).collect();
    let share = |scores: &[f32], set: Set, group: Option<&str>, line: f32| {
        let of = examples
            .iter()
            .zip(scores)
            .filter(|(example, _)| example.set == set && group.is_none_or(|group| example.group == group));
        let (texts, found) = of.fold((0usize, 0usize), |(texts, found), (_, score)| {
            (texts + 1, found + usize::from(*score >= line))
        });
        if texts == 0 { String::new() } else { format!("{:.1} %", 100.0 * found as f64 / texts as f64) }
    };
    let rows: Vec<[String; 6]> = LINES
        .iter()
        .map(|line| {
            [
                format!("{line:.1}"),
                share(&scores, Set::Order, None, *line),
                share(&scores, Set::Near, None, *line),
                share(&scores, Set::Entry, None, *line),
                share(&scores, Set::Around, None, *line),
                share(&seen, Set::Order, None, *line),
            ]
        })
        .collect();
    let mut text = page::table(
        ["Line", "Orders found", "Near, wrong", "Entries, wrong", "Other texts, wrong", "Orders, class in"],
        &rows,
    );
    let mut names: Vec<(&str, bool)> = examples
        .iter()
        .map(|example| (example.group.as_str(), matches!(example.set, Set::Order | Set::Near)))
        .collect();
    names.sort_unstable();
    names.dedup();
    let rows: Vec<[String; 5]> = names
        .iter()
        .map(|(group, is_class)| {
            let of = |scores: &[f32]| match is_class {
                true => [Set::Order, Set::Near].map(|set| share(scores, set, Some(group), orders::MEDIUM)),
                false => [
                    String::new(),
                    [Set::Entry, Set::Around]
                        .map(|set| share(scores, set, Some(group), orders::MEDIUM))
                        .concat(),
                ],
            };
            let ([found, wrong], [found_in, wrong_in]) = (of(&scores), of(&seen));
            [(*group).to_owned(), found, wrong, found_in, wrong_in]
        })
        .collect();
    text.push('\n');
    text.push_str(&page::table(
        ["Class or source", "Found, left out", "Wrong, left out", "Found, in", "Wrong, in"],
        &rows,
    ));
    if show {
        for (example, score) in examples.iter().zip(&scores) {
            if (*score >= orders::MEDIUM) != matches!(example.set, Set::Order | Set::DrawnOrder) {
                let start: String = example.text.chars().take(200).collect();
                println!("{score:.2} {} {}", example.group, start.replace('\n', "\\n"));
            }
        }
    }
    text
}
