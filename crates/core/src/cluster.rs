//! Signals that speak of the same thing, put together until they weigh enough to be looked at (DIG-2).
//!
//! A cluster proposes and makes no entry. Signals of one type, one side and at least two tags that all of them share make one; each
//! signal is in one cluster only, so that nothing counts twice. The same signals give the same clusters, in whatever order they come.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};

use serde::Serialize;

use crate::kinds::Polarity;
pub use crate::limits::cluster::{SHARED_TAGS_MIN, TAGS_MAX};

/// How bad what a signal tells is, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Barely worth a line.
    Minor,
    /// Worth looking at.
    Notable,
    /// Must not happen again.
    Critical,
}

impl Severity {
    /// The words, the gravest first.
    pub const WORDS: &'static [&'static str] = &["critical", "notable", "minor"];

    /// The word that people and programs use.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Critical => "critical",
            Severity::Notable => "notable",
            Severity::Minor => "minor",
        }
    }

    /// Reads a word.
    pub fn from_word(word: &str) -> Option<Severity> {
        [Severity::Critical, Severity::Notable, Severity::Minor]
            .into_iter()
            .find(|known| known.word() == word)
    }

    /// What a number from 0 to 10 means, or none where nobody said one: between the words of the scale (REV-6) the nearer one counts.
    pub fn from_number(number: Option<f64>) -> Severity {
        match number {
            Some(number) if number >= 8.25 => Severity::Critical,
            Some(number) if number >= 5.5 => Severity::Notable,
            Some(_) | None => Severity::Minor,
        }
    }

    fn factor(self) -> u64 {
        match self {
            Severity::Critical => 1_500,
            Severity::Notable => 1_000,
            Severity::Minor => 700,
        }
    }

    /// What a cluster whose gravest signal is this one must weigh, in thousandths.
    pub fn threshold(self) -> u64 {
        match self {
            Severity::Critical => 3_000,
            Severity::Notable => 4_000,
            Severity::Minor => 5_000,
        }
    }
}

/// How sure whoever made a signal was, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    Low,
    Medium,
    High,
}

impl Confidence {
    /// The words, the surest first.
    pub const WORDS: &'static [&'static str] = &["high", "medium", "low"];

    /// The word that people and programs use.
    pub fn word(self) -> &'static str {
        match self {
            Confidence::High => "high",
            Confidence::Medium => "medium",
            Confidence::Low => "low",
        }
    }

    /// Reads a word.
    pub fn from_word(word: &str) -> Option<Confidence> {
        [Confidence::High, Confidence::Medium, Confidence::Low].into_iter().find(|known| known.word() == word)
    }

    /// What a number from 0 to 10 means; medium where nobody said one.
    pub fn from_number(number: Option<f64>) -> Confidence {
        match number {
            Some(number) if number >= 7.5 => Confidence::High,
            Some(number) if number < 4.5 => Confidence::Low,
            Some(_) | None => Confidence::Medium,
        }
    }

    fn factor(self) -> u64 {
        match self {
            Confidence::High => 2_000,
            Confidence::Medium => 1_000,
            Confidence::Low => 500,
        }
    }
}

/// What one signal weighs, in thousandths.
pub fn weight(confidence: Confidence, severity: Severity) -> u64 {
    confidence.factor() * severity.factor() / 1_000
}

/// A signal as far as clustering looks at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    pub id: String,
    /// Its type, normalised like a tag; none where nobody said one.
    pub kind: Option<String>,
    /// Its tags, normalised.
    pub tags: BTreeSet<String>,
    /// For, against, or neither. The two never mix.
    pub polarity: Polarity,
    pub severity: Severity,
    pub confidence: Confidence,
}

impl Signal {
    /// What it weighs, in thousandths.
    pub fn weight(&self) -> u64 {
        weight(self.confidence, self.severity)
    }
}

/// Signals that speak of the same thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// The type of all of them.
    pub kind: Option<String>,
    /// The side of all of them.
    pub polarity: Polarity,
    /// The tags that all of them share. A signal alone has its own, however few.
    pub tags: BTreeSet<String>,
    /// Where they are in what was given, by their ids.
    pub members: Vec<usize>,
    pub severity: Severity,
    /// What they weigh together, in thousandths.
    pub weight: u64,
}

impl Cluster {
    /// What it must weigh, in thousandths.
    pub fn threshold(&self) -> u64 {
        self.severity.threshold()
    }

    /// Whether somebody should look at it.
    pub fn qualifies(&self) -> bool {
        self.missing() == 0
    }

    /// What it lacks, in thousandths.
    pub fn missing(&self) -> u64 {
        self.threshold().saturating_sub(self.weight)
    }

    /// How many more signals as grave as its gravest, told with medium confidence, it would take.
    pub fn more_needed(&self) -> u64 {
        self.missing().div_ceil(weight(Confidence::Medium, self.severity))
    }
}

/// Two tags of one type and side.
type Pair<'a> = (&'a str, &'a str);

/// Puts signals together: those that qualify first, then by how little they lack. Who shares no two tags with anybody is alone.
///
/// The heaviest pair of tags takes its signals, then the heaviest of what is left. Every pair is looked at as often as it has signals.
pub fn clusters(signals: &[Signal]) -> Vec<Cluster> {
    let mut sides: BTreeMap<(Option<&str>, &'static str), Vec<usize>> = BTreeMap::new();
    for (at, signal) in signals.iter().enumerate() {
        sides.entry((signal.kind.as_deref(), signal.polarity.word())).or_default().push(at);
    }
    let mut found = Vec::new();
    for members in sides.into_values() {
        one_side(signals, members, &mut found);
    }
    let first = |cluster: &Cluster| cluster.members.first().map(|at| signals[*at].id.clone());
    found.sort_by_cached_key(|cluster| (cluster.missing(), Reverse(cluster.weight), first(cluster)));
    found
}

fn one_side(signals: &[Signal], mut of: Vec<usize>, found: &mut Vec<Cluster>) {
    of.sort_by(|a, b| signals[*a].id.cmp(&signals[*b].id));
    let mut shared: HashMap<Pair<'_>, Vec<usize>> = HashMap::new();
    for at in &of {
        for pair in pairs(&signals[*at]) {
            shared.entry(pair).or_default().push(*at);
        }
    }
    shared.retain(|_, members| members.len() > 1);
    let mut weights: HashMap<Pair<'_>, u64> = HashMap::new();
    let mut heap: BinaryHeap<(u64, Reverse<Pair<'_>>)> = BinaryHeap::new();
    for (pair, members) in &shared {
        let sum = members.iter().map(|at| signals[*at].weight()).sum();
        weights.insert(*pair, sum);
        heap.push((sum, Reverse(*pair)));
    }
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    while let Some((sum, Reverse(pair))) = heap.pop() {
        let now = weights.get(&pair).copied().unwrap_or(0);
        if now == 0 {
            continue;
        }
        // What others took since counts no more; it comes back where it belongs now.
        if now != sum {
            heap.push((now, Reverse(pair)));
            continue;
        }
        let left: Vec<usize> = shared[&pair].iter().copied().filter(|at| !taken.contains(at)).collect();
        if left.len() < 2 {
            weights.remove(&pair);
            continue;
        }
        for at in &left {
            taken.insert(*at);
            for other in pairs(&signals[*at]) {
                if let Some(weight) = weights.get_mut(&other) {
                    *weight = weight.saturating_sub(signals[*at].weight());
                }
            }
        }
        found.push(cluster(signals, left));
    }
    let alone = of.into_iter().filter(|at| !taken.contains(at));
    found.extend(alone.map(|at| cluster(signals, vec![at])));
}

fn pairs(signal: &Signal) -> Vec<Pair<'_>> {
    let tags: Vec<&str> = signal.tags.iter().take(TAGS_MAX).map(String::as_str).collect();
    let mut all = Vec::with_capacity(tags.len() * tags.len().saturating_sub(1) / 2);
    for (at, one) in tags.iter().enumerate() {
        all.extend(tags[at + 1..].iter().map(|other| (*one, *other)));
    }
    all
}

fn cluster(signals: &[Signal], members: Vec<usize>) -> Cluster {
    let first = &signals[members[0]];
    let in_all = |tag: &&String| members.iter().all(|at| signals[*at].tags.contains(*tag));
    Cluster {
        kind: first.kind.clone(),
        polarity: first.polarity,
        tags: first.tags.iter().filter(in_all).cloned().collect(),
        severity: members.iter().map(|at| signals[*at].severity).max().unwrap_or(Severity::Minor),
        weight: members.iter().map(|at| signals[*at].weight()).sum(),
        members,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `deviation +ci,cache critical/high`: type, side, tags, severity, confidence.
    fn read(lines: &str) -> Vec<Signal> {
        let line = |(at, line): (usize, &str)| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let (severity, confidence) = words[2].split_once('/').unwrap();
            let (polarity, tags) = match words[1].split_at(1) {
                ("+", tags) => (Polarity::Positive, tags),
                ("-", tags) => (Polarity::Negative, tags),
                (_, tags) => (Polarity::Neutral, tags),
            };
            Signal {
                id: format!("s{at:02}"),
                kind: Some(words[0].to_owned()),
                tags: tags.split(',').map(str::to_owned).collect(),
                polarity,
                severity: Severity::from_word(severity).unwrap(),
                confidence: Confidence::from_word(confidence).unwrap(),
            }
        };
        lines.lines().map(str::trim).filter(|line| !line.is_empty()).enumerate().map(line).collect()
    }

    fn told(signals: &[Signal]) -> Vec<String> {
        let line = |cluster: &Cluster| {
            let ids: Vec<&str> = cluster.members.iter().map(|at| signals[*at].id.as_str()).collect();
            let tags: Vec<&str> = cluster.tags.iter().map(String::as_str).collect();
            let word = if cluster.qualifies() { "qualifies" } else { "waits" };
            let (weight, threshold) = (cluster.weight, cluster.threshold());
            format!("{} [{}] {weight}/{threshold} {word}", ids.join(" "), tags.join(","))
        };
        clusters(signals).iter().map(line).collect()
    }

    #[test]
    fn dig_2_a_signal_weighs_its_confidence_times_its_severity() {
        let table = [
            (Confidence::High, [3_000, 2_000, 1_400]),
            (Confidence::Medium, [1_500, 1_000, 700]),
            (Confidence::Low, [750, 500, 350]),
        ];
        for (confidence, weights) in table {
            let severities = [Severity::Critical, Severity::Notable, Severity::Minor];
            assert_eq!(severities.map(|severity| weight(confidence, severity)), weights, "{confidence:?}");
        }
        assert_eq!(
            (Severity::from_number(None), Confidence::from_number(None)),
            (Severity::Minor, Confidence::Medium)
        );
        for (word, number) in [("critical", 9.5), ("notable", 7.0), ("minor", 4.0), ("minor", 1.0)] {
            assert_eq!(Severity::from_number(Some(number)).word(), word, "{number}");
        }
        for (word, number) in [("high", 9.0), ("medium", 6.0), ("low", 3.0)] {
            assert_eq!(Confidence::from_number(Some(number)).word(), word, "{number}");
        }
    }

    #[test]
    fn dig_2_the_gravest_signal_says_how_much_is_enough() {
        let table = [
            // One critical signal that somebody is sure of is enough by itself.
            ("struggle .ci,cache critical/high", "s00 [cache,ci] 3000/3000 qualifies"),
            ("struggle .ci,cache critical/medium", "s00 [cache,ci] 1500/3000 waits"),
            (
                "struggle .ci,cache critical/medium\nstruggle .ci,cache,x critical/medium",
                "s00 s01 [cache,ci] 3000/3000 qualifies",
            ),
            (
                "struggle .ci,cache notable/high\nstruggle .cache,ci notable/high",
                "s00 s01 [cache,ci] 4000/4000 qualifies",
            ),
            (
                "struggle .a,b notable/high\nstruggle .a,b notable/medium\nstruggle .a,b minor/medium",
                "s00 s01 s02 [a,b] 3700/4000 waits",
            ),
            (
                "s .a,b minor/high\ns .a,b minor/high\ns .a,b minor/high\ns .a,b minor/medium",
                "s00 s01 s02 s03 [a,b] 4900/5000 waits",
            ),
            (
                "s .a,b minor/high\ns .a,b minor/high\ns .a,b minor/high\ns .a,b minor/medium\ns .a,b minor/low",
                "s00 s01 s02 s03 s04 [a,b] 5250/5000 qualifies",
            ),
        ];
        for (lines, expected) in table {
            assert_eq!(told(&read(lines)), [expected], "{lines}");
        }
    }

    #[test]
    fn dig_2_type_side_and_two_tags_keep_signals_apart() {
        let lines = "struggle -ci,cache notable/high
            struggle +ci,cache notable/high
            struggle .ci,cache notable/high
            deviation -ci,cache notable/high
            struggle -ci,other notable/high
            struggle -cache,ci,linux notable/high";
        assert_eq!(
            told(&read(lines)),
            [
                "s00 s05 [cache,ci] 4000/4000 qualifies",
                "s01 [cache,ci] 2000/4000 waits",
                "s02 [cache,ci] 2000/4000 waits",
                "s03 [cache,ci] 2000/4000 waits",
                "s04 [ci,other] 2000/4000 waits",
            ]
        );
    }

    #[test]
    fn dig_2_a_chain_of_neighbours_is_no_cluster_and_nothing_counts_twice() {
        let lines = "s .a,b minor/high
            s .a,b,c minor/high
            s .b,c minor/high
            s .b,c,d minor/high
            s .c,d minor/high";
        // The heaviest pair is `b,c`; what it took no longer counts for `a,b` and `c,d`.
        assert_eq!(
            told(&read(lines)),
            ["s01 s02 s03 [b,c] 4200/5000 waits", "s00 [a,b] 1400/5000 waits", "s04 [c,d] 1400/5000 waits"]
        );
        let missing = &clusters(&read(lines))[0];
        assert_eq!((missing.missing(), missing.more_needed()), (800, 2));
    }

    proptest::proptest! {
        #[test]
        fn dig_2_the_order_of_signals_changes_nothing(
            rows in proptest::collection::vec((0..3_u8, 0..3_u8, proptest::collection::btree_set(0..6_u8, 0..5), 0..3_u8, 0..3_u8), 0..40),
            turn in 0..40_usize,
        ) {
            let signal = |(at, row): (usize, &(u8, u8, BTreeSet<u8>, u8, u8))| Signal {
                id: format!("s{at:02}"),
                kind: (row.0 > 0).then(|| format!("k{}", row.0)),
                tags: row.2.iter().map(|tag| format!("t{tag}")).collect(),
                polarity: [Polarity::Positive, Polarity::Negative, Polarity::Neutral][row.1 as usize],
                severity: [Severity::Minor, Severity::Notable, Severity::Critical][row.3 as usize],
                confidence: [Confidence::Low, Confidence::Medium, Confidence::High][row.4 as usize],
            };
            let signals: Vec<Signal> = rows.iter().enumerate().map(signal).collect();
            let mut turned = signals.clone();
            turned.reverse();
            turned.rotate_left(turn % rows.len().max(1));
            proptest::prop_assert_eq!(told(&signals), told(&turned));
            let all = clusters(&signals);
            let mut members: Vec<usize> = all.iter().flat_map(|cluster| cluster.members.clone()).collect();
            members.sort_unstable();
            proptest::prop_assert_eq!(members, (0..signals.len()).collect::<Vec<_>>(), "each is in one cluster");
            for cluster in &all {
                let of = |at: &usize| (&signals[*at].kind, signals[*at].polarity);
                proptest::prop_assert!(cluster.members.iter().all(|at| of(at) == (&cluster.kind, cluster.polarity)));
                proptest::prop_assert!(cluster.members.len() == 1 || cluster.tags.len() >= SHARED_TAGS_MIN);
            }
        }
    }

    #[test]
    fn dig_2_ten_thousand_signals_with_a_few_tags_in_common_are_put_together() {
        let signals: Vec<Signal> = (0..10_000)
            .map(|at: usize| Signal {
                id: format!("s{at:05}"),
                kind: Some("struggle".to_owned()),
                tags: (0..5).map(|n| format!("t{}", (at * (n + 3) + n) % 97)).collect(),
                polarity: Polarity::Neutral,
                severity: Severity::Minor,
                confidence: Confidence::Medium,
            })
            .collect();
        let all = clusters(&signals);
        assert_eq!(all.iter().map(|cluster| cluster.members.len()).sum::<usize>(), signals.len());
    }
}
