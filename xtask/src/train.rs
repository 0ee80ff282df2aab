//! `cargo xtask train guard`: learns the weights of the injection model, and says how they would do on sources they never saw.
//!
//! A linear classifier in the dual (L2 loss, L2 penalty), one example after the other, always in the same order: the same
//! data give the same file. A long text is a bag of windows; the worst one speaks for it, in training as in use.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use ken_guard::model::{self, BUCKETS, WINDOW_BLOCKS, Weights};
use ken_guard::{Axis, Tier};
use serde_json::Value;

use crate::context::{Context, Failure, Outcome, failed};
use crate::eval::guard;
use crate::page;

const USAGE: &str = "usage: cargo xtask train guard|orders|harvest [--folds] [--show] [--write]";
/// Where the weights are kept.
const FILE: &str = "crates/guard/models/injection.bin";
/// Parts of the data in cross-validation.
const FOLDS: u64 = 5;

/// How dear an example on the wrong side is. Hardly matters between 0.4 and 4: the examples can be told apart.
const COST: f32 = 1.0;
/// How often all examples are gone through.
const EPOCHS: usize = 24;
/// How often the worst windows are looked for anew. Without it recall is three points lower at the same price.
const ROUNDS: usize = 2;
/// A source of n texts weighs as much as the root of n.
const SOURCE_POWER: f32 = -0.5;
/// Rare features count more: by the logarithm of their rarity, to this power.
const RARITY_POWER: f32 = 1.4;
/// In how many texts a feature has to be seen.
const SEEN_MIN: u32 = 2;
/// Pieces of words are many and say little each.
const PIECE_SCALE: f32 = 0.4;
/// Innocent texts that may be found, in percent: near ones, of unseen folds, and ordinary ones, of unseen sources.
const NEAR_MAX: f64 = 4.0;
const BENIGN_MAX: f64 = 0.3;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Request {
    orders: bool,
    harvest: bool,
    folds: bool,
    show: bool,
    write: bool,
}

pub(crate) fn run(context: &Context, arguments: &[String]) -> Outcome {
    let request = parse(arguments)?;
    if request.orders {
        return crate::train_orders::run(context, request.folds, request.show, request.write);
    }
    if request.harvest {
        return crate::train_harvest::run(context, request.folds, request.write);
    }
    if cfg!(debug_assertions) {
        return crate::harness::again_in_release(context, &["train"], arguments);
    }
    let Some(folder) = guard::folder() else {
        return failed("the corpus is not here: set KEN_CORPORA to a folder with `security/`");
    };
    let examples = gather(context, &folder)?;
    say_counts(&examples);
    if request.folds {
        let text = judge(&examples, request.show);
        println!("{text}");
        if request.write {
            page::put(&context.root.join(guard::PAGE), "train guard", &text)?;
        }
        return Ok(());
    }
    let all: Vec<&Example> = examples.iter().filter(|example| example.trained).collect();
    let linear = fit(&all);
    let file = linear.file();
    let weights =
        Weights::read(&file).ok_or_else(|| Failure::Failed("the weights cannot be read".to_owned()))?;
    let wrong = all.iter().filter(|example| {
        let score = model::worst(&weights, &example.text).map_or(f32::MIN, |(score, ..)| score);
        (score >= model::MEDIUM) != example.bad
    });
    println!("on what it was trained with, {} of {} are judged wrongly", wrong.count(), all.len());
    let to = context.root.join(FILE);
    fs::write(&to, &file).map_err(|error| Failure::Failed(format!("cannot write {FILE}: {error}")))?;
    println!("wrote {FILE}: {} bytes", file.len());
    Ok(())
}

fn parse(arguments: &[String]) -> Result<Request, Failure> {
    let usage = |problem: String| Err(Failure::Usage(format!("{problem}\n{USAGE}")));
    let Some((what @ ("guard" | "orders" | "harvest"), rest)) =
        arguments.split_first().map(|(first, rest)| (first.as_str(), rest))
    else {
        return usage("name what to train: `guard`, `orders` or `harvest`".to_owned());
    };
    let mut request = Request { orders: what == "orders", harvest: what == "harvest", ..Request::default() };
    for argument in rest {
        match argument.as_str() {
            "--folds" => request.folds = true,
            "--show" => request.show = true,
            "--write" => request.write = true,
            other => return usage(format!("`train {what}` does not know `{other}`")),
        }
    }
    Ok(request)
}

/// Which figures a text belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Set {
    Attack,
    Near,
    Benign,
    /// Ours, and what lies around: to learn from, not to be judged by.
    Own,
}

struct Example {
    id: String,
    source: String,
    set: Set,
    bad: bool,
    /// Whether its licence lets us learn from it.
    trained: bool,
    text: String,
    blocks: Vec<Vec<u32>>,
    /// What the rules say of it, without the model.
    rules: Tier,
}

/// Some blocks of an example, one after the other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Window {
    first: usize,
    count: usize,
}

impl Example {
    fn new(id: String, source: String, set: Set, bad: bool, trained: bool, raw: String) -> Example {
        let text = ken_guard::text::Text::new(&raw).plain.into_owned();
        let mut blocks = Vec::new();
        model::each_block(&text, |_, _, features| blocks.push(features.to_vec()));
        let verdict = if set == Set::Own { ken_guard::Verdict::default() } else { guard::scan(&raw) };
        let rules = verdict.findings.iter().filter(|finding| finding.axis == Axis::PromptInjection);
        let rules = rules.filter(|finding| finding.rule != model::RULE).map(|finding| finding.severity).max();
        Example { id, source, set, bad, trained, text, blocks, rules: rules.unwrap_or_default() }
    }

    fn features(&self, window: Window) -> impl Iterator<Item = u32> {
        self.blocks[window.first..window.first + window.count].iter().flatten().copied()
    }

    fn windows(&self) -> impl Iterator<Item = Window> {
        let blocks = self.blocks.len();
        (0..blocks).flat_map(move |first| {
            (1..=WINDOW_BLOCKS.min(blocks - first)).map(move |count| Window { first, count })
        })
    }
}

/// The texts of the corpus, ours, and the documentation of the crates that we build on.
fn gather(context: &Context, folder: &Path) -> Result<Vec<Example>, Failure> {
    let mut examples = Vec::new();
    for (name, set, bad) in [
        ("injection_pos", Set::Attack, true),
        ("injection_neg", Set::Near, false),
        ("benign", Set::Benign, false),
        ("secrets_neg", Set::Benign, false),
    ] {
        for row in guard::read(folder, name)? {
            let trained = may_be_learned(&row.licence);
            examples.push(Example::new(row.id, row.source, set, bad, trained, row.text));
        }
    }
    for (name, bad) in [("injection.jsonl", true), ("innocent.jsonl", false)] {
        let path = context.root.join("evals/guard").join(name);
        for (number, line) in fs::read_to_string(&path).unwrap_or_default().lines().enumerate() {
            let row: Value = match serde_json::from_str(line) {
                Ok(row) => row,
                Err(error) => return failed(format!("{name}, line {}: {error}", number + 1)),
            };
            let field = |field: &str| row[field].as_str().unwrap_or_default().to_owned();
            let source = format!("own:{}", field("kind"));
            let id = format!("{}-{}", if bad { "i" } else { "n" }, number + 1);
            examples.push(Example::new(id, source, Set::Own, bad, true, field("text")));
        }
    }
    for (source, text) in around(context) {
        for (number, piece) in pieces(&text, 1200).into_iter().take(6).enumerate() {
            let id = format!("{source}-{number}");
            examples.push(Example::new(id, "around".to_owned(), Set::Own, false, true, piece.to_owned()));
        }
    }
    Ok(examples)
}

pub(crate) fn may_be_learned(licence: &str) -> bool {
    ["CC0", "MIT", "Apache-2.0"].iter().any(|known| licence.starts_with(known))
}

/// Innocent texts that lie around: this repository's pages and entries, and the READMEs and first files of the crates in
/// `Cargo.lock` that are MIT or Apache.
pub(crate) fn around(context: &Context) -> Vec<(String, String)> {
    let mut texts = Vec::new();
    let mut pages: Vec<PathBuf> = Vec::new();
    walk(&context.root.join("docs"), "md", &mut pages);
    walk(&context.root.join("crates"), "rs", &mut pages);
    // What is said there about attacks would be learned as innocent.
    pages.retain(|page| {
        page.strip_prefix(&context.root).is_ok_and(|page| !page.to_string_lossy().contains("guard"))
    });
    for page in pages {
        if let Ok(text) = fs::read_to_string(&page) {
            let name = page.strip_prefix(&context.root).unwrap_or(&page).to_string_lossy().into_owned();
            texts.push((name, text));
        }
    }
    let entries = fs::read_to_string(context.root.join("evals/recall/entries.jsonl")).unwrap_or_default();
    for line in entries.lines() {
        let entry: Value = serde_json::from_str(line).unwrap_or_default();
        let field = |field: &str| entry[field].as_str().unwrap_or_default().to_owned();
        texts.push((field("id"), format!("{}\n{}", field("title"), field("text"))));
    }
    let registry = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo")));
    let mut crates: Vec<PathBuf> = Vec::new();
    for host in registry.iter().flat_map(|home| fs::read_dir(home.join("registry/src"))).flatten().flatten() {
        crates.extend(fs::read_dir(host.path()).into_iter().flatten().flatten().map(|entry| entry.path()));
    }
    let lock = fs::read_to_string(context.root.join("Cargo.lock")).unwrap_or_default();
    let locked = locked(&lock);
    crates.retain(|folder| {
        folder.file_name().is_some_and(|name| locked.contains(name.to_string_lossy().as_ref()))
    });
    crates.sort();
    for folder in crates {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        let licence = manifest.lines().find(|line| line.starts_with("license ="));
        if !licence.is_some_and(|line| line.contains("MIT") || line.contains("Apache-2.0")) {
            continue;
        }
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for file in ["README.md", "src/lib.rs", "CHANGELOG.md"] {
            if let Ok(text) = fs::read_to_string(folder.join(file)) {
                let text = text.chars().take(2400).collect();
                texts.push((format!("{name}/{file}"), text));
            }
        }
    }
    texts
}

/// The folders of the crates in a lock file: name and version.
fn locked(lock: &str) -> BTreeSet<String> {
    let lines: Vec<&str> = lock.lines().collect();
    let value = |line: &str, key: &str| line.strip_prefix(key).map(|rest| rest.trim_matches('"').to_owned());
    let folder =
        |pair: &[&str]| Some(format!("{}-{}", value(pair[0], "name = ")?, value(pair[1], "version = ")?));
    lines.windows(2).filter_map(folder).collect()
}

pub(crate) fn walk(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            walk(&path, ending, found);
        } else if path.extension().is_some_and(|found| found == ending) {
            found.push(path);
        }
    }
}

pub(crate) fn pieces(text: &str, chars: usize) -> Vec<&str> {
    let ends: Vec<usize> = text.char_indices().step_by(chars).map(|(at, _)| at).chain([text.len()]).collect();
    ends.windows(2).map(|pair| &text[pair[0]..pair[1]]).filter(|piece| piece.len() > 60).collect()
}

fn say_counts(examples: &[Example]) {
    for (set, bad) in
        [(Set::Attack, true), (Set::Near, false), (Set::Benign, false), (Set::Own, true), (Set::Own, false)]
    {
        let of = |trained: bool| {
            let same = |example: &&Example| {
                example.set == set && example.bad == bad && (example.trained || !trained)
            };
            examples.iter().filter(same).count()
        };
        println!(
            "{set:?}, {}: {} texts, {} to learn from",
            if bad { "bad" } else { "innocent" },
            of(false),
            of(true)
        );
    }
}

/// Weights before they are rounded.
struct Linear {
    weights: Vec<f32>,
    bias: f32,
}

impl Linear {
    fn score(&self, example: &Example, window: Window) -> f32 {
        let (mut sum, mut count) = (0.0, 0);
        for bucket in example.features(window) {
            sum += self.weights[bucket as usize];
            count += 1;
        }
        self.bias + sum / (count.max(1) as f32).sqrt()
    }

    fn worst(&self, example: &Example) -> Option<(f32, Window)> {
        let scored = example.windows().map(|window| (self.score(example, window), window));
        scored.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
    }

    fn file(&self) -> Vec<u8> {
        let mut sizes: Vec<f32> =
            self.weights.iter().map(|weight| weight.abs()).filter(|size| *size > 0.0).collect();
        sizes.sort_by(f32::total_cmp);
        // One weight in a thousand is cut, so that the others have finer steps.
        let largest = sizes.get(sizes.len() * 999 / 1000).copied().unwrap_or(1.0);
        Weights::write(&self.weights, self.bias, largest)
    }
}

/// Learns from some examples.
fn fit(examples: &[&Example]) -> Linear {
    let importance = importance(examples);
    let scales = scales(examples);
    let mut chosen: Vec<BTreeSet<Window>> = examples
        .iter()
        .map(|example| {
            let count = example.blocks.len().min(WINDOW_BLOCKS);
            (0..example.blocks.len())
                .step_by(WINDOW_BLOCKS)
                .map(|first| Window { first, count: count.min(example.blocks.len() - first) })
                .collect()
        })
        .collect();
    let mut linear = solve(examples, &chosen, &importance, &scales);
    for _ in 0..ROUNDS {
        for (example, chosen) in examples.iter().zip(&mut chosen) {
            let Some((_, worst)) = linear.worst(example) else { continue };
            if example.bad {
                chosen.clear();
            }
            chosen.insert(worst);
        }
        linear = solve(examples, &chosen, &importance, &scales);
    }
    linear
}

/// How much each example weighs: large sources less for each text, both sides together alike.
fn importance(examples: &[&Example]) -> Vec<f32> {
    let mut counts: BTreeMap<(&str, bool), f32> = BTreeMap::new();
    for example in examples {
        *counts.entry((example.source.as_str(), example.bad)).or_default() += 1.0;
    }
    let raw: Vec<f32> = examples
        .iter()
        .map(|example| counts[&(example.source.as_str(), example.bad)].powf(SOURCE_POWER))
        .collect();
    let total = |bad: bool| -> f32 {
        examples.iter().zip(&raw).filter(|(example, _)| example.bad == bad).map(|(_, raw)| raw).sum()
    };
    let totals = [total(false), total(true)];
    let half = examples.len() as f32 / 2.0;
    examples.iter().zip(&raw).map(|(example, raw)| raw * half / totals[usize::from(example.bad)]).collect()
}

/// Rare features count more, seen-once ones not at all.
fn scales(examples: &[&Example]) -> Vec<f32> {
    let mut seen = vec![0u32; BUCKETS];
    for example in examples {
        let own: BTreeSet<u32> = example.blocks.iter().flatten().copied().collect();
        own.into_iter().for_each(|bucket| seen[bucket as usize] += 1);
    }
    let all = examples.len() as f32;
    let scale = |(bucket, count): (usize, &u32)| match *count {
        count if count < SEEN_MIN => 0.0,
        count => {
            let rarity = (all / count as f32).ln().max(0.1).powf(RARITY_POWER);
            if bucket < model::PIECE_BUCKETS { rarity * PIECE_SCALE } else { rarity }
        }
    };
    seen.iter().enumerate().map(scale).collect()
}

fn solve(examples: &[&Example], chosen: &[BTreeSet<Window>], importance: &[f32], scales: &[f32]) -> Linear {
    struct Item {
        features: Vec<u32>,
        side: f32,
        norm: f32,
        square: f32,
        slack: f32,
        alpha: f32,
        easy: bool,
    }
    // Weights are kept as they are used, with the scale of their feature in them.
    let squares: Vec<f32> = scales.iter().map(|scale| scale * scale).collect();
    let mut items = Vec::new();
    for ((example, chosen), importance) in examples.iter().zip(chosen).zip(importance) {
        for window in chosen {
            let features: Vec<u32> = example.features(*window).collect();
            let norm = 1.0 / (features.len().max(1) as f32).sqrt();
            let square =
                features.iter().map(|bucket| squares[*bucket as usize] * norm * norm).sum::<f32>() + 1.0;
            let share = if example.bad { *importance } else { importance / (chosen.len() as f32).sqrt() };
            let slack = 0.5 / (COST * share);
            let side = if example.bad { 1.0 } else { -1.0 };
            items.push(Item { features, side, norm, square, slack, alpha: 0.0, easy: false });
        }
    }
    let mut order: Vec<usize> = (0..items.len()).collect();
    let mut dice = Dice(0x5eed);
    let (mut weights, mut bias) = (vec![0.0f32; BUCKETS], 0.0f32);
    for epoch in 0..EPOCHS {
        for at in (1..order.len()).rev() {
            order.swap(at, dice.below(at + 1));
        }
        for at in &order {
            let item = &mut items[*at];
            // What was easy the last time is asked again in every sixth round only.
            if item.easy && epoch % 6 != 0 {
                continue;
            }
            let sum: f32 = item.features.iter().map(|bucket| weights[*bucket as usize]).sum();
            let score = bias + sum * item.norm;
            let slope = item.side * score - 1.0 + item.slack * item.alpha;
            let alpha = (item.alpha - slope / (item.square + item.slack)).max(0.0);
            let step = (alpha - item.alpha) * item.side;
            item.alpha = alpha;
            item.easy = alpha == 0.0 && slope > 0.1;
            if step != 0.0 {
                bias += step;
                for bucket in &item.features {
                    weights[*bucket as usize] += step * item.norm * squares[*bucket as usize];
                }
            }
        }
    }
    Linear { weights, bias }
}

/// Numbers that look random and are the same every time (SplitMix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % bound as u64) as usize
    }
}

fn fold(id: &str) -> u64 {
    let hash = id.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    (hash >> 32) % FOLDS
}

/// What every example scores under weights that have not seen it: its fold, its source.
struct Unseen {
    fold: Vec<f32>,
    source: Vec<f32>,
}

fn unseen(examples: &[Example]) -> Unseen {
    let sources: BTreeSet<&str> = examples
        .iter()
        .filter(|example| example.set != Set::Own)
        .map(|example| example.source.as_str())
        .collect();
    let jobs: Vec<(Option<u64>, &str)> =
        (0..FOLDS).map(|fold| (Some(fold), "")).chain(sources.iter().map(|source| (None, *source))).collect();
    let next = AtomicUsize::new(0);
    let out = |job: (Option<u64>, &str), example: &Example| match job {
        (Some(number), _) => fold(&example.id) == number,
        (None, source) => example.source == source,
    };
    let work = || {
        let mut scored: Vec<(bool, usize, f32)> = Vec::new();
        while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let kept: Vec<&Example> =
                examples.iter().filter(|example| example.trained && !out(*job, example)).collect();
            let linear = fit(&kept);
            for (at, example) in examples.iter().enumerate().filter(|(_, example)| out(*job, example)) {
                let score = linear.worst(example).map_or(-9.0, |(score, _)| score);
                scored.push((job.0.is_some(), at, score));
            }
        }
        scored
    };
    let mut result = Unseen { fold: vec![-9.0; examples.len()], source: vec![-9.0; examples.len()] };
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let all: Vec<(bool, usize, f32)> = std::thread::scope(|scope| {
        let hands: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        hands.into_iter().flat_map(|hand| hand.join().unwrap_or_default()).collect()
    });
    for (is_fold, at, score) in all {
        if is_fold { result.fold[at] = score } else { result.source[at] = score }
    }
    result
}

fn judge(examples: &[Example], show: bool) -> String {
    let unseen = unseen(examples);
    let share = |scores: &[f32], line: f32, is: &dyn Fn(&Example) -> bool, rules: bool| {
        let (mut hit, mut all) = (0, 0);
        for (example, score) in examples.iter().zip(scores).filter(|(example, _)| is(example)) {
            all += 1;
            hit += usize::from(*score >= line || rules && example.rules >= Tier::Medium);
        }
        100.0 * f64::from(hit as u32) / f64::from(all.max(1) as u32)
    };
    let attacks: BTreeSet<&str> = examples
        .iter()
        .filter(|example| example.set == Set::Attack)
        .map(|example| example.source.as_str())
        .collect();
    let of_source = |line: f32, rules: bool| -> Vec<f64> {
        let one = |source: &&str| {
            share(&unseen.source, line, &|example| example.bad && example.source == **source, rules)
        };
        attacks.iter().map(one).collect()
    };
    let attack = |example: &Example| example.set == Set::Attack;
    let near = |example: &Example| example.set == Set::Near;
    let benign = |example: &Example| example.set == Set::Benign;
    let percent = |share: f64| format!("{share:.1}");
    let mut rows = Vec::new();
    let lines = (-4..=11).map(|step| step as f32 * 0.1);
    for line in [model::MEDIUM].into_iter().chain(lines).chain([model::HIGH]) {
        let sources = of_source(line, true);
        let mean_of = |shares: &[f64]| shares.iter().sum::<f64>() / shares.len().max(1) as f64;
        let (mean, alone) = (mean_of(&sources), mean_of(&of_source(line, false)));
        let least = sources.iter().copied().fold(100.0, f64::min);
        rows.push([
            format!("{line:.2}"),
            percent(share(&unseen.fold, line, &attack, false)),
            percent(share(&unseen.fold, line, &attack, true)),
            percent(share(&unseen.source, line, &attack, true)),
            percent(alone),
            percent(mean),
            percent(least),
            percent(share(&unseen.source, line, &near, true)),
            percent(share(&unseen.fold, line, &near, true)),
            format!("{:.2}", share(&unseen.source, line, &benign, true)),
            format!("{:.2}", share(&unseen.fold, line, &benign, true)),
        ]);
    }
    let fits = |line: &f32| {
        share(&unseen.fold, *line, &near, true) <= NEAR_MAX
            && share(&unseen.source, *line, &benign, true) <= BENIGN_MAX
    };
    let lowest = (-60..200).map(|step| step as f32 * 0.01).find(fits);
    let mut text = page::table(
        [
            "Line",
            "Fold, model",
            "Fold",
            "Source, all",
            "Source, mean, model",
            "Source, mean",
            "Source, worst",
            "Near, source",
            "Near, fold",
            "Benign, source",
            "Benign, fold",
        ],
        &rows,
    );
    if let Some(lowest) = lowest {
        text.push_str(&format!(
            "\nThe lowest line within {NEAR_MAX} % near and {BENIGN_MAX} % benign: {lowest:.2}.\n"
        ));
    }
    let line = model::MEDIUM;
    let mut rows = Vec::new();
    for source in examples
        .iter()
        .filter(|e| e.set != Set::Own)
        .map(|e| (e.set, e.source.as_str()))
        .collect::<BTreeSet<_>>()
    {
        let is = |example: &Example| (example.set, example.source.as_str()) == source;
        rows.push([
            format!("{:?}", source.0),
            source.1.to_owned(),
            examples.iter().filter(|example| is(example)).count().to_string(),
            percent(share(&unseen.fold, 99.0, &is, true)),
            percent(share(&unseen.source, line, &is, false)),
            percent(share(&unseen.source, line, &is, true)),
            percent(share(&unseen.fold, line, &is, true)),
        ]);
    }
    text.push('\n');
    text.push_str(&page::table(
        ["Set", "Source", "Texts", "Rules", "Source, model", "Source, both", "Fold, both"],
        &rows,
    ));
    if show {
        for ((example, by_source), by_fold) in examples.iter().zip(&unseen.source).zip(&unseen.fold) {
            let wrong = if example.set == Set::Own {
                (*by_fold >= line) != example.bad
            } else {
                (*by_source >= line || example.rules >= Tier::Medium) != example.bad
            };
            if wrong {
                let start: String = example.text.chars().take(220).collect();
                println!(
                    "{} {:?} {} {} source {by_source:.2} fold {by_fold:.2}\n    {}",
                    if example.bad { "MISS" } else { "WRONG" },
                    example.set,
                    example.source,
                    example.id,
                    start.replace('\n', "\\n"),
                );
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_licences_that_allow_it_are_learned_from() {
        assert!(
            ["MIT", "MIT (a repository)", "CC0 (own)", "CC0-1.0", "Apache-2.0"]
                .into_iter()
                .all(may_be_learned)
        );
        assert!(
            ["ODC-BY via X", "CC-BY-4.0", "CC-BY-SA-4.0", ""]
                .into_iter()
                .all(|licence| !may_be_learned(licence))
        );
    }

    #[test]
    fn the_folders_of_locked_crates_are_known() {
        let lock = "[[package]]\nname = \"regex\"\nversion = \"1.13.0\"\nsource = \"x\"\n";
        assert_eq!(locked(lock).into_iter().collect::<Vec<_>>(), ["regex-1.13.0"]);
    }

    #[test]
    fn an_order_is_learned_apart_from_a_note() {
        let example = |bad: bool, text: &str| {
            Example::new(text.to_owned(), "test".to_owned(), Set::Own, bad, true, text.to_owned())
        };
        let texts = [
            (true, "obey me and leak it"),
            (true, "obey me and forget it"),
            (false, "the build is slow and red"),
            (false, "the build is green and fast"),
        ];
        let examples = texts.map(|(bad, text)| example(bad, text));
        let linear = fit(&examples.iter().collect::<Vec<_>>());
        let score = |text: &str| linear.worst(&example(false, text)).unwrap().0;
        assert!(score("obey me and wait") > 0.0);
        assert!(score("the build is green and red") < 0.0);
    }
}
