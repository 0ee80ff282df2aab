//! The suite `belief`: whether belief finds out which entries are good, over runs whose outcomes are dice of known weight.
//!
//! Nothing is stored: what a run would have written is put into records and folded by the core, as everywhere else. Like `guard` it
//! fails when a target is missed.

use std::fmt::Write as _;

use ken_core::belief::{self, Beta, Mark, Moved, Record, Side};
use ken_core::calibration::{self, Bin, Reliability};
use ken_core::kinds::DecayClass;
use ken_core::score;

use crate::context::Failure;
use crate::harness::Suite;
use crate::harness::arguments::{Flag, Takes};
use crate::harness::figure::Figure;
use crate::harness::report::Report;
use crate::harness::session::Session;
use crate::page;

pub(crate) const SUITE: Suite = Suite {
    page: Some("docs/internals/belief-quality.md"),
    flags: &[Flag { name: "--seed", takes: Takes::Value("N") }],
    ..Suite::evaluation("belief", run)
};

/// Entries of each kind, and how often a run that uses one succeeds.
const GOOD: usize = 50;
const BAD: usize = 50;
const GOOD_RATE: f64 = 0.7;
const BAD_RATE: f64 = 0.3;
/// The belief that everything starts from.
const PRIOR: Beta = Beta { alpha: 5.0, beta: 5.0 };
const RUNS: usize = 2_000;
const RUNS_A_DAY: usize = 5;
/// Entries that a run is credited to.
const CREDITED: usize = 3;
/// Entries that a question finds, of which so many are handed over.
const FOUND: usize = 12;
/// Uses of each entry after which good and bad must be told apart.
const USES: usize = 30;
/// How often everything is repeated, each time with other dice, in a quick run and in a full one.
const WORLDS: [u64; 2] = [5, 20];
/// Runs between two looks at the order.
const STEP: usize = 10;
/// Runs at the end that show what is used once all is known.
const LAST: usize = 500;
/// A false positive is found by one question in so many.
const FALSE_EVERY: usize = 4;
/// Days without any use, to see whether what was learned stays.
const SILENCE_DAYS: i32 = 365;

fn run(session: &Session<'_>) -> Result<Report, Failure> {
    let seed: u64 = session.flags.number("--seed", 1)?;
    let worlds = session.effort.pick(WORLDS[0], WORLDS[1]);
    let seeds: Vec<u64> = (0..worlds).map(|at| seed.wrapping_mul(1_000_003).wrapping_add(at)).collect();
    Ok(report(&seeds))
}

/// How the outcome of a run comes from the entries it used.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Credit {
    /// There is one outcome for each entry, as good as the entry.
    Own,
    /// There is one outcome for all: nine of ten runs succeed of which most entries are good, and one of ten of the others. So the
    /// runs that use a good entry succeed with .7, and those that use a bad one with .3.
    Most,
    /// There is one outcome for all, with the mean of the three rates. So the runs that use a good entry succeed with .57, and those
    /// that use a bad one with .43.
    Mean,
}

impl Credit {
    const ALL: [Credit; 3] = [Credit::Own, Credit::Most, Credit::Mean];

    fn words(self) -> &'static str {
        match self {
            Credit::Own => "each its own",
            Credit::Most => "shared, most decide",
            Credit::Mean => "shared, mean rate",
        }
    }

    /// Whether runs that use an entry succeed as often as the targets say. Where rates are mixed, they are .43 and .57 instead of .3 and
    /// .7, and no arithmetic tells so little apart in so few uses; it is measured all the same.
    fn has_targets(self) -> bool {
        match self {
            Credit::Own | Credit::Most => true,
            Credit::Mean => false,
        }
    }

    /// How often runs that use an entry succeed, if the two others are any: what the ideal observer says.
    fn seen_rate(self, kind: Kind) -> f64 {
        let rate = match kind {
            Kind::Good => GOOD_RATE,
            Kind::Bad => BAD_RATE,
            Kind::False => 0.0,
        };
        // Of the 99 others, 49 are of its own kind.
        let alike = 49.0 / 99.0;
        let others = match kind {
            Kind::Good => GOOD_RATE * alike + BAD_RATE * (1.0 - alike),
            Kind::Bad | Kind::False => BAD_RATE * alike + GOOD_RATE * (1.0 - alike),
        };
        match self {
            Credit::Own => rate,
            Credit::Most => {
                let both_unlike = (50.0 / 99.0) * (49.0 / 98.0);
                match kind {
                    Kind::Good => 0.9 - 0.8 * both_unlike,
                    Kind::Bad => 0.1 + 0.8 * both_unlike,
                    Kind::False => 0.0,
                }
            }
            Credit::Mean => (rate + 2.0 * others) / 3.0,
        }
    }
}

/// How a run comes by its entries.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Choice {
    /// All in turn: each entry is used as often as every other.
    Dealt,
    /// The best of those that were found, by a draw from the belief in each.
    Draws,
    /// The same, by the mean of the belief in each.
    Means,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Good,
    Bad,
    /// Whatever runs do with it fails.
    False,
}

struct Subject {
    kind: Kind,
    record: Record,
}

/// Entries whose worth is known, and the dice.
struct World {
    subjects: Vec<Subject>,
    class: DecayClass,
    dice: Dice,
    run: usize,
    deck: Vec<usize>,
    /// What was believed before each use, and what came.
    predictions: Vec<(f64, bool)>,
    /// The same, said by one who knows how often runs succeed that use the entry.
    ideal: Vec<(f64, bool)>,
    /// By entry: outcomes less what the two others account for, and uses; for one who is told their rates.
    told: Vec<(f64, usize)>,
}

impl World {
    fn new(class: DecayClass, seed: u64) -> World {
        let subject =
            |at| Subject { kind: if at < GOOD { Kind::Good } else { Kind::Bad }, record: Record::default() };
        World {
            subjects: (0..GOOD + BAD).map(subject).collect(),
            class,
            dice: Dice(seed),
            run: 0,
            deck: Vec::new(),
            predictions: Vec::new(),
            ideal: Vec::new(),
            told: vec![(0.0, 0); GOOD + BAD + 1],
        }
    }

    fn day(&self) -> i32 {
        (self.run / RUNS_A_DAY) as i32
    }

    fn belief(&self, at: usize, day: i32) -> Beta {
        belief::fold(&self.subjects[at].record, PRIOR, self.class, day).now
    }

    /// Some entries, each of them once.
    fn any(&mut self, count: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..GOOD + BAD).collect();
        for at in 0..count {
            let other = at + self.dice.below(all.len() - at);
            all.swap(at, other);
        }
        all.truncate(count);
        all
    }

    fn dealt(&mut self) -> Vec<usize> {
        let mut hand: Vec<usize> = Vec::new();
        while hand.len() < CREDITED {
            if self.deck.is_empty() {
                self.deck = self.any(GOOD + BAD);
            }
            // At a turn of the deck an entry may come twice; its second time is the next run's.
            match self.deck.iter().rposition(|at| !hand.contains(at)) {
                Some(place) => hand.push(self.deck.remove(place)),
                None => self.deck.clear(),
            }
        }
        hand
    }

    fn chosen(&mut self, choice: Choice) -> Vec<usize> {
        if choice == Choice::Dealt {
            return self.dealt();
        }
        let found = self.any(FOUND);
        self.best(found, choice, CREDITED)
    }

    fn best(&mut self, found: Vec<usize>, choice: Choice, count: usize) -> Vec<usize> {
        let day = self.day();
        let mut ranked: Vec<(f64, usize)> = found
            .into_iter()
            .map(|at| {
                let now = self.belief(at, day);
                match choice {
                    Choice::Draws => (score::draw(now.alpha, now.beta, &self.dice.next().to_le_bytes()), at),
                    Choice::Means | Choice::Dealt => (now.mean(), at),
                }
            })
            .collect();
        // They were found in any order, so those that are alike stay in any order.
        ranked.sort_by(|one, other| other.0.total_cmp(&one.0));
        ranked.into_iter().take(count).map(|(_, at)| at).collect()
    }

    /// One run: which of the entries did well, and what that does to the belief in them.
    fn use_them(&mut self, hand: &[usize], credit: Credit) {
        let rate = |kind: Kind| match kind {
            Kind::Good => GOOD_RATE,
            Kind::Bad => BAD_RATE,
            Kind::False => 0.0,
        };
        let kinds: Vec<Kind> = hand.iter().map(|at| self.subjects[*at].kind).collect();
        let spoiled = kinds.contains(&Kind::False);
        let mean = kinds.iter().map(|kind| rate(*kind)).sum::<f64>() / kinds.len() as f64;
        let good = kinds.iter().filter(|kind| **kind == Kind::Good).count();
        let shared = match credit {
            Credit::Own => None,
            Credit::Most if spoiled => Some(0.0),
            Credit::Most if good * 2 > kinds.len() => Some(0.9),
            Credit::Most => Some(0.1),
            Credit::Mean => Some(mean),
        };
        let shared = shared.map(|rate| self.dice.falls(rate));
        let quality = self.dice.share() / 2.0;
        let day = self.day();
        for (at, kind) in hand.iter().zip(&kinds) {
            let succeeded = shared.unwrap_or_else(|| self.dice.falls(rate(*kind)));
            self.predictions.push((self.belief(*at, day).mean(), succeeded));
            self.ideal.push((credit.seen_rate(*kind), succeeded));
            let others = mean - rate(*kind) / kinds.len() as f64;
            self.told[*at].0 += f64::from(u8::from(succeeded)) - others;
            self.told[*at].1 += 1;
            // Quality follows the outcome: what succeeds is at least half good.
            let (side, quality) =
                if succeeded { (Side::For, 0.5 + quality) } else { (Side::Against, quality) };
            let weight = belief::outcome_weight(side, quality);
            self.subjects[*at].record.0.push(Mark { day, what: Moved::Observed(side, weight) });
        }
        self.run += 1;
    }

    fn means(&self, kind: Kind, day: i32) -> Vec<f64> {
        let of = |at: usize| self.belief(at, day).mean();
        (0..self.subjects.len()).filter(|at| self.subjects[*at].kind == kind).map(of).collect()
    }

    /// How often a good entry is believed more than a bad one.
    fn auc(&self) -> f64 {
        auc(&self.means(Kind::Good, self.day()), &self.means(Kind::Bad, self.day()))
    }

    /// The same for one who counts successes, forgets nothing and weighs nothing.
    fn counted_auc(&self) -> f64 {
        let share = |subject: &Subject| {
            let marks = &subject.record.0;
            let helped =
                marks.iter().filter(|mark| matches!(mark.what, Moved::Observed(Side::For, _))).count();
            helped as f64 / marks.len().max(1) as f64
        };
        let scores: Vec<f64> = self.subjects.iter().map(share).collect();
        auc(&scores[..GOOD], &scores[GOOD..GOOD + BAD])
    }

    /// The same for one who is told the true rates of the other entries of each run.
    fn told_auc(&self) -> f64 {
        let scores: Vec<f64> = self.told.iter().map(|(sum, uses)| sum / (*uses).max(1) as f64).collect();
        auc(&scores[..GOOD], &scores[GOOD..GOOD + BAD])
    }
}

/// How often the first of a pair is above the second; a tie is half.
fn auc(above: &[f64], below: &[f64]) -> f64 {
    let pair = |one: f64, other: f64| match one.total_cmp(&other) {
        std::cmp::Ordering::Greater => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Less => 0.0,
    };
    let won: f64 = above.iter().flat_map(|one| below.iter().map(move |other| pair(*one, *other))).sum();
    won / (above.len() * below.len()) as f64
}

/// Goals are for the mean over all worlds; the worst one stands beside it.
fn report(seeds: &[u64]) -> Report {
    let stable = Credit::ALL.map(|credit| told(credit, DecayClass::Stable, seeds));
    let mut figures = Vec::new();
    for told in &stable {
        let (brier, auc) = match told.credit {
            Credit::Own => ("belief.brier_own", "belief.auc_own"),
            Credit::Most => ("belief.brier_most", "belief.auc_most"),
            Credit::Mean => continue,
        };
        figures.push(
            Figure::new(auc, told.auc.mean())
                .floor("counted successes", told.counted.mean())
                .note(format!("{:.4} in the worst world", told.auc.lowest())),
        );
        figures.push(
            Figure::new(brier, told.above.mean())
                .note(format!("{:.4} in the worst world", told.above.highest())),
        );
    }
    let falsehoods = falsehoods(seeds);
    let counted = falsehoods.iter().filter(|falsehood| falsehood.has_target());
    let sunk = counted.map(|falsehood| falsehood.sunk.0.len().min(falsehood.stayed)).min().unwrap_or(0);
    let share = 100.0 * sunk as f64 / seeds.len().max(1) as f64;
    let silent = format!("also after {SILENCE_DAYS} days without any use");
    figures.push(Figure::new("belief.false_sunk", share).note(silent));
    let figures = figures.into_iter().map(|figure| figure.at(seeds.len())).collect();
    let mut tables = String::new();
    told_apart(&mut tables, &stable, seeds);
    for told in stable.iter().filter(|told| told.credit == Credit::Most) {
        reliability(&mut tables, told);
    }
    speeds(&mut tables, seeds);
    tables.push_str("\n### A false positive\n\n");
    let rows: Vec<[String; 9]> = falsehoods.iter().map(|falsehood| falsehood.row(seeds.len())).collect();
    let head = [
        "Outcome",
        "Handed over",
        "Sunk for good",
        "Runs until then",
        "Uses until then",
        "Uses, last 500",
        "Sunk after a year",
        "Good ones above it",
        "Its mean at the end",
    ];
    tables.push_str(&page::table(head, &rows));
    Report { tables, ..Report::new(figures) }
}

fn told_apart(text: &mut String, stable: &[Told], seeds: &[u64]) {
    text.push_str("\n### Told apart\n\n");
    let mut rows: Vec<[String; 9]> = stable.iter().map(|told| told.row("stable")).collect();
    rows.push(told(Credit::Most, DecayClass::Permanent, seeds).row("permanent"));
    rows.push(told(Credit::Most, DecayClass::Ephemeral, seeds).row("ephemeral"));
    let head = [
        "Outcome",
        "Class",
        "Brier",
        "Ideal",
        "Above",
        "Calibration error",
        "AUC, 30 uses (worst)",
        "Counted, 30 uses (worst)",
        "AUC, 60 uses",
    ];
    text.push_str(&page::table(head, &rows));
    for told in stable.iter().filter(|told| told.credit == Credit::Mean) {
        let _ = writeln!(
            text,
            "\nShared, mean rate: one who is told the true rates of the two other entries of each run has an AUC of {:.3} after {USES} uses and of {:.3} after {}.",
            told.told_early.mean(),
            told.told_late.mean(),
            2 * USES
        );
    }
}

fn reliability(text: &mut String, told: &Told) {
    let _ = writeln!(text, "\n### Reliability: {}\n", told.credit.words());
    let row = |bin: &Bin| {
        [
            format!("{:.0}-{:.0} %", bin.from * 100.0, bin.to * 100.0),
            bin.count.to_string(),
            format!("{:.1} %", bin.predicted * 100.0),
            format!("{:.1} %", bin.observed * 100.0),
        ]
    };
    let rows: Vec<[String; 4]> = told.reliability.bins.iter().map(row).collect();
    text.push_str(&page::table(["Said", "Uses", "Predicted", "Came"], &rows));
}

fn speeds(text: &mut String, seeds: &[u64]) {
    text.push_str("\n### Runs until good and bad are told apart\n\n");
    let mut rows: Vec<[String; 8]> = Vec::new();
    for credit in Credit::ALL {
        for choice in [Choice::Dealt, Choice::Draws, Choice::Means] {
            rows.push(speed(credit, choice, seeds));
        }
    }
    let head = [
        "Outcome",
        "Chosen",
        "AUC .9",
        "AUC .95",
        "AUC .99",
        "At the end",
        "Good among used, last 500",
        "Success, last 500",
    ];
    text.push_str(&page::table(head, &rows));
}

/// A number from each world.
#[derive(Default)]
struct Spread(Vec<f64>);

impl Spread {
    fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len().max(1) as f64
    }

    fn lowest(&self) -> f64 {
        self.0.iter().copied().fold(f64::INFINITY, f64::min)
    }

    fn highest(&self) -> f64 {
        self.0.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    /// The middle one of so many worlds, where those that are missing never came there.
    fn median(&self, worlds: usize) -> Option<f64> {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(worlds / 2).copied()
    }
}

/// How well belief tells entries apart that are all used equally often.
struct Told {
    credit: Credit,
    above: Spread,
    ideal: Spread,
    auc: Spread,
    late: Spread,
    counted: Spread,
    told_early: Spread,
    told_late: Spread,
    reliability: Reliability,
}

impl Told {
    fn row(&self, class: &str) -> [String; 9] {
        [
            self.credit.words().to_owned(),
            class.to_owned(),
            format!("{:.4}", self.reliability.brier),
            format!("{:.4}", self.ideal.mean()),
            format!("{:.4}", self.above.mean()),
            format!("{:.4}", self.reliability.calibration_error()),
            format!("{:.4} ({:.4})", self.auc.mean(), self.auc.lowest()),
            format!("{:.4} ({:.4})", self.counted.mean(), self.counted.lowest()),
            format!("{:.4}", self.late.mean()),
        ]
    }
}

fn told(credit: Credit, class: DecayClass, seeds: &[u64]) -> Told {
    let mut predictions = Vec::new();
    let [mut above, mut ideal, mut early, mut late, mut counted, mut told_early, mut told_late] =
        std::array::from_fn(|_| Spread::default());
    for seed in seeds {
        let mut world = World::new(class, *seed);
        for run in 1..=RUNS {
            let hand = world.chosen(Choice::Dealt);
            world.use_them(&hand, credit);
            if run * CREDITED == USES * (GOOD + BAD) {
                early.0.push(world.auc());
                counted.0.push(world.counted_auc());
                told_early.0.push(world.told_auc());
            }
        }
        late.0.push(world.auc());
        told_late.0.push(world.told_auc());
        let best = calibration::reliability(&world.ideal).brier;
        above.0.push(calibration::reliability(&world.predictions).brier - best);
        ideal.0.push(best);
        predictions.extend(world.predictions);
    }
    let reliability = calibration::reliability(&predictions);
    Told { credit, above, ideal, auc: early, late, counted, told_early, told_late, reliability }
}

/// How soon the order is right, and what is used in the end.
fn speed(credit: Credit, choice: Choice, seeds: &[u64]) -> [String; 8] {
    const MARKS: [f64; 3] = [0.9, 0.95, 0.99];
    let mut reached: [Spread; 3] = std::array::from_fn(|_| Spread::default());
    let [mut end, mut good, mut success] = std::array::from_fn(|_| Spread::default());
    for seed in seeds {
        let mut world = World::new(DecayClass::Stable, *seed);
        let mut seen = [false; 3];
        let (mut used, mut used_good) = (0, 0);
        for run in 1..=RUNS {
            let hand = world.chosen(choice);
            if run > RUNS - LAST {
                used += hand.len();
                used_good += hand.iter().filter(|at| **at < GOOD).count();
            }
            world.use_them(&hand, credit);
            if run % STEP == 0 && !seen[2] {
                let auc = world.auc();
                for (at, mark) in MARKS.iter().enumerate() {
                    if auc >= *mark && !seen[at] {
                        seen[at] = true;
                        reached[at].0.push(run as f64);
                    }
                }
            }
        }
        end.0.push(world.auc());
        good.0.push(f64::from(used_good as u32) / f64::from(used as u32));
        let last = &world.predictions[world.predictions.len() - LAST * CREDITED..];
        success.0.push(calibration::reliability(last).base_rate);
    }
    let runs = |spread: &Spread| match spread.median(seeds.len()) {
        Some(runs) => format!("{runs:.0}"),
        None => "never".to_owned(),
    };
    let chosen = match choice {
        Choice::Dealt => "in turn",
        Choice::Draws => "by draws",
        Choice::Means => "by means",
    };
    [
        credit.words().to_owned(),
        chosen.to_owned(),
        runs(&reached[0]),
        runs(&reached[1]),
        runs(&reached[2]),
        format!("{:.4}", end.mean()),
        format!("{:.1} %", good.mean() * 100.0),
        format!("{:.1} %", success.mean() * 100.0),
    ]
}

/// What became of an entry that is never any good.
struct Falsehood {
    credit: Credit,
    /// Whether it was handed over whenever it was found, whatever was believed of it.
    always: bool,
    /// Runs after which it was below every good entry, up to the end; of the worlds in which it was.
    sunk: Spread,
    /// How often it had been used by then.
    uses: Spread,
    /// How often it was used in the last 500 runs.
    late: Spread,
    /// Worlds in which it was still below after a long silence.
    stayed: usize,
    /// The share of good entries that were above it in the end.
    above: Spread,
    mean: Spread,
}

impl Falsehood {
    /// Where draws decide, it is soon left alone, and so is a good entry that had bad luck: which of the two is lower is chance.
    fn has_target(&self) -> bool {
        self.always && self.credit.has_targets()
    }

    fn way(&self) -> &'static str {
        if self.always { "whenever it is found" } else { "if a draw says so" }
    }

    fn row(&self, worlds: usize) -> [String; 9] {
        let told = |spread: &Spread| match spread.0.is_empty() {
            true => String::new(),
            false => format!("{:.0} (at most {:.0})", spread.mean(), spread.highest()),
        };
        [
            self.credit.words().to_owned(),
            self.way().to_owned(),
            format!("{} of {worlds}", self.sunk.0.len()),
            told(&self.sunk),
            told(&self.uses),
            told(&self.late),
            format!("{} of {worlds}", self.stayed),
            format!("{:.1} %", self.above.mean() * 100.0),
            format!("{:.3} (at most {:.3})", self.mean.mean(), self.mean.highest()),
        ]
    }
}

fn falsehoods(seeds: &[u64]) -> Vec<Falsehood> {
    let ways = Credit::ALL.iter().flat_map(|credit| [true, false].map(|always| (*credit, always)));
    ways.map(|(credit, always)| falsehood(credit, always, seeds)).collect()
}

fn falsehood(credit: Credit, always: bool, seeds: &[u64]) -> Falsehood {
    const FALSE: usize = GOOD + BAD;
    let [mut sunk, mut uses, mut late, mut above, mut mean] = std::array::from_fn(|_| Spread::default());
    let mut stayed = 0;
    for seed in seeds {
        let mut world = World::new(DecayClass::Stable, *seed);
        world.subjects.push(Subject { kind: Kind::False, record: Record::default() });
        let below = |world: &World, day: i32| {
            let worst = world.means(Kind::Good, day).into_iter().fold(f64::INFINITY, f64::min);
            world.belief(FALSE, day).mean() < worst
        };
        let (mut since, mut used_before) = (None, 0);
        for run in 1..=RUNS {
            if run == RUNS - LAST + 1 {
                used_before = world.subjects[FALSE].record.0.len();
            }
            let mut found = world.any(FOUND - 1);
            let hand = match (run % FALSE_EVERY == 0, always) {
                (true, true) => {
                    let mut hand = world.best(found, Choice::Draws, CREDITED - 1);
                    hand.push(FALSE);
                    hand
                }
                (true, false) => {
                    found.push(FALSE);
                    world.best(found, Choice::Draws, CREDITED)
                }
                (false, _) => world.best(found, Choice::Draws, CREDITED),
            };
            world.use_them(&hand, credit);
            if run % STEP == 0 {
                let used = world.subjects[FALSE].record.0.len();
                since = if below(&world, world.day()) { since.or(Some((run, used))) } else { None };
            }
        }
        if let Some((run, used)) = since {
            sunk.0.push(run as f64);
            uses.0.push(used as f64);
        }
        stayed += usize::from(below(&world, world.day() + SILENCE_DAYS));
        late.0.push((world.subjects[FALSE].record.0.len() - used_before) as f64);
        let now = world.belief(FALSE, world.day()).mean();
        above.0.push(auc(&world.means(Kind::Good, world.day()), &[now]));
        mean.0.push(now);
    }
    Falsehood { credit, always, sunk, uses, late, stayed, above, mean }
}

/// Dice that fall the same way for the same seed (SplitMix64).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is not zero.
    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// From 0 to 1.
    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Whether something happens that happens so often.
    fn falls(&mut self, rate: f64) -> bool {
        self.share() < rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_dice_give_the_same_world() {
        let played = |seed| {
            let mut world = World::new(DecayClass::Stable, seed);
            for _ in 0..100 {
                let hand = world.chosen(Choice::Draws);
                world.use_them(&hand, Credit::Most);
            }
            world.predictions
        };
        assert_eq!(played(3), played(3));
        assert_ne!(played(3), played(4));
    }

    #[test]
    fn all_in_turn_is_equally_often() {
        let mut world = World::new(DecayClass::Stable, 1);
        for _ in 0..1000 {
            let hand = world.chosen(Choice::Dealt);
            assert!(hand.len() == 3 && hand[0] != hand[1] && hand[1] != hand[2] && hand[0] != hand[2]);
            world.use_them(&hand, Credit::Own);
        }
        assert!(world.subjects.iter().all(|subject| (29..=31).contains(&subject.record.0.len())));
    }

    #[test]
    fn an_order_is_measured_by_its_pairs() {
        assert_eq!(auc(&[0.7, 0.6], &[0.5, 0.4]), 1.0);
        assert_eq!(auc(&[0.5], &[0.5]), 0.5);
        assert_eq!(auc(&[0.7, 0.3], &[0.5, 0.5]), 0.5);
    }

    #[test]
    fn the_ideal_observer_knows_how_often_runs_succeed() {
        for credit in Credit::ALL {
            let mut world = World::new(DecayClass::Stable, 7);
            for _ in 0..20_000 {
                let hand = world.any(CREDITED);
                world.use_them(&hand, credit);
                world.subjects.iter_mut().for_each(|subject| subject.record.0.clear());
            }
            let found = calibration::reliability(&world.ideal);
            assert!(found.calibration_error() < 0.01, "{credit:?}: {found:?}");
        }
    }
}
