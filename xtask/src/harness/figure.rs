//! A figure: one measured number with its unit, its floor and what it is held against.
//!
//! What a figure is called, which direction is better and what it should reach stands in [`super::goals`], once. A suite only says what it measured.

use std::time::Duration;

use super::goals::FIGURES;
use super::measure::Series;

/// What a number counts. Values are kept in the unit that is named here, and shown in a form that people read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Unit {
    Seconds,
    PerSecond,
    Bytes,
    Count,
    Percent,
    /// From 0 to 1.
    Share,
    /// Percentage points, with a sign.
    Points,
    /// How many times as much.
    Times,
}

impl Unit {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Unit::Seconds => "seconds",
            Unit::PerSecond => "per second",
            Unit::Bytes => "bytes",
            Unit::Count => "count",
            Unit::Percent => "percent",
            Unit::Share => "share",
            Unit::Points => "points",
            Unit::Times => "times",
        }
    }

    pub(crate) fn show(self, value: f64) -> String {
        match self {
            Unit::Seconds => duration(Duration::from_secs_f64(value.max(0.0))),
            Unit::PerSecond if value < 100.0 => format!("{value:.1}/s"),
            Unit::PerSecond => format!("{}/s", grouped(value as u64)),
            Unit::Bytes if value >= 1e6 => format!("{:.2} MB", value / 1e6),
            Unit::Bytes => format!("{} B", grouped(value.ceil() as u64)),
            Unit::Count if value.fract() == 0.0 => grouped(value as u64),
            Unit::Count => format!("{value:.1}"),
            Unit::Percent => format!("{value:.2} %"),
            Unit::Share => format!("{value:.4}"),
            Unit::Points => format!("{value:+.1} points"),
            Unit::Times => format!("{value:.2}"),
        }
    }
}

/// Which of two values is the better one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Better {
    Lower,
    Higher,
}

impl Better {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Better::Lower => "lower",
            Better::Higher => "higher",
        }
    }
}

/// What a value should reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Limit {
    AtMost(f64),
    AtLeast(f64),
    /// How many times worse than its floor a value may be.
    RatioAtMost(f64),
    /// How far a value may lie beyond its floor.
    BeyondFloorAtMost(f64),
}

/// A limit, for every size or for one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Goal {
    pub(crate) at: Option<usize>,
    pub(crate) limit: Limit,
}

/// What is known of a figure before it is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spec {
    /// The suite, a dot, and a word: `ledger.show`.
    pub(crate) name: &'static str,
    /// What it is, in words.
    pub(crate) what: &'static str,
    pub(crate) unit: Unit,
    pub(crate) better: Better,
    pub(crate) goals: &'static [Goal],
    /// By how much two measurements of the same thing differ, where it is not what is usual for the unit.
    pub(crate) noise: Option<Noise>,
    /// Why it cannot be measured yet.
    pub(crate) pending: Option<&'static str>,
}

/// By how much a value can get worse without anything having changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Noise {
    /// A share of the value.
    Relative(f64),
    /// In the value's own unit.
    Absolute(f64),
}

impl Spec {
    pub(crate) fn find(name: &str) -> Option<&'static Spec> {
        FIGURES.iter().find(|spec| spec.name == name)
    }

    /// The suite that measures it.
    #[cfg(test)]
    pub(crate) fn suite(&self) -> &'static str {
        self.name.split_once('.').map_or(self.name, |(suite, _)| suite)
    }

    pub(crate) fn noise(&self) -> Noise {
        self.noise.unwrap_or(match self.unit {
            Unit::Seconds | Unit::PerSecond => Noise::Relative(0.25),
            Unit::Times => Noise::Relative(0.15),
            Unit::Bytes => Noise::Relative(0.02),
            Unit::Count => Noise::Absolute(0.0),
            Unit::Percent | Unit::Points => Noise::Absolute(0.5),
            Unit::Share => Noise::Absolute(0.005),
        })
    }

    /// The limits that hold for a size.
    pub(crate) fn limits(&self, size: Option<usize>) -> impl Iterator<Item = Limit> {
        self.goals.iter().filter(move |goal| goal.at.is_none() || goal.at == size).map(|goal| goal.limit)
    }
}

/// What a value is held against: the least that the machine could do for the same effect, or a plainer way.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Floor {
    pub(crate) what: String,
    /// In the unit of the figure.
    pub(crate) value: f64,
}

/// One measured number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figure {
    pub(crate) spec: &'static Spec,
    /// Entries, files, questions or pairs that it was measured with.
    pub(crate) size: Option<usize>,
    pub(crate) value: f64,
    /// The best of several runs.
    pub(crate) best: Option<f64>,
    /// Processor time of one run, in seconds.
    pub(crate) cpu: Option<f64>,
    pub(crate) floor: Option<Floor>,
    /// How far the runs lie apart: half of the distance between the quarters, as a share of the value.
    pub(crate) spread: Option<f64>,
    /// What else there is to say.
    pub(crate) note: String,
}

impl Figure {
    /// A figure of the table. Its name has to be in there: that is a mistake of whoever wrote the suite.
    pub(crate) fn new(name: &str, value: f64) -> Figure {
        let spec = Spec::find(name).unwrap_or_else(|| panic!("`{name}` is not in the table of figures"));
        Figure {
            spec,
            size: None,
            value,
            best: None,
            cpu: None,
            floor: None,
            spread: None,
            note: String::new(),
        }
    }

    /// The median of a series, with its best and its processor time.
    pub(crate) fn time(name: &str, series: &Series) -> Figure {
        Figure {
            best: Some(series.best().as_secs_f64()),
            cpu: series.cpu().map(|cpu| cpu.as_secs_f64()),
            spread: series.spread(),
            ..Figure::new(name, series.wall().as_secs_f64())
        }
    }

    /// So many things a second, by the median of a series.
    pub(crate) fn rate(name: &str, count: usize, series: &Series) -> Figure {
        let per_second = |wall: Duration| count as f64 / wall.as_secs_f64().max(1e-9);
        Figure {
            best: Some(per_second(series.best())),
            cpu: series.cpu().map(|cpu| cpu.as_secs_f64()),
            spread: series.spread(),
            ..Figure::new(name, per_second(series.wall()))
        }
    }

    pub(crate) fn at(mut self, size: usize) -> Figure {
        self.size = Some(size);
        self
    }

    pub(crate) fn floor(mut self, what: impl Into<String>, value: f64) -> Figure {
        self.floor = Some(Floor { what: what.into(), value });
        self
    }

    /// A floor that was timed.
    pub(crate) fn floor_time(self, what: impl Into<String>, floor: &Series) -> Figure {
        self.floor(what, floor.wall().as_secs_f64())
    }

    /// A floor that did the same number of things in a time.
    pub(crate) fn floor_rate(self, what: impl Into<String>, count: usize, time: Duration) -> Figure {
        self.floor(what, count as f64 / time.as_secs_f64().max(1e-9))
    }

    pub(crate) fn note(mut self, note: impl Into<String>) -> Figure {
        self.note = note.into();
        self
    }

    /// The name under which it is compared with earlier ones.
    pub(crate) fn key(&self) -> String {
        match self.size {
            Some(size) => format!("{}@{size}", self.spec.name),
            None => self.spec.name.to_owned(),
        }
    }

    /// How many times worse than its floor; below 1 it is better.
    pub(crate) fn ratio(&self) -> Option<f64> {
        let floor = self.floor.as_ref()?.value;
        let (worse, better) = match self.spec.better {
            Better::Lower => (self.value, floor),
            Better::Higher => (floor, self.value),
        };
        (better > 0.0).then(|| worse / better)
    }

    /// Whether every goal is met; none where it has none.
    pub(crate) fn met(&self) -> Option<bool> {
        let mut met = None;
        for limit in self.spec.limits(self.size) {
            let floor = self.floor.as_ref().map(|floor| floor.value);
            let holds = match limit {
                Limit::AtMost(most) => self.value <= most,
                Limit::AtLeast(least) => self.value >= least,
                Limit::RatioAtMost(most) => self.ratio().is_some_and(|ratio| ratio <= most),
                Limit::BeyondFloorAtMost(most) => floor.is_some_and(|floor| self.value - floor <= most),
            };
            met = Some(met.unwrap_or(true) && holds);
        }
        met
    }

    /// `≤ 10.0 ms, ratio ≤ 2.5`.
    pub(crate) fn goal(&self) -> String {
        let show = |value: f64| self.spec.unit.show(value);
        let limits = self.spec.limits(self.size).map(|limit| match limit {
            Limit::AtMost(most) => format!("≤ {}", show(most)),
            Limit::AtLeast(least) => format!("≥ {}", show(least)),
            Limit::RatioAtMost(most) => format!("ratio ≤ {most}"),
            Limit::BeyondFloorAtMost(most) => format!("≤ {} beyond the floor", show(most)),
        });
        limits.collect::<Vec<_>>().join(", ")
    }

    pub(crate) fn shown(&self) -> String {
        self.spec.unit.show(self.value)
    }

    pub(crate) fn floor_shown(&self) -> String {
        self.floor
            .as_ref()
            .map(|floor| format!("{} {}", self.spec.unit.show(floor.value), floor.what))
            .unwrap_or_default()
    }

    pub(crate) fn ratio_shown(&self) -> String {
        self.ratio().map(|ratio| format!("{ratio:.2}")).unwrap_or_default()
    }

    pub(crate) fn met_shown(&self) -> String {
        match self.met() {
            Some(true) => "yes",
            Some(false) => "**no**",
            None => "",
        }
        .to_owned()
    }
}

/// `850 µs`, `12.3 ms`, `4.56 s`.
pub(crate) fn duration(time: Duration) -> String {
    let micros = time.as_secs_f64() * 1e6;
    match micros {
        ..1e3 => format!("{micros:.0} µs"),
        ..1e6 => format!("{:.1} ms", micros / 1e3),
        _ => format!("{:.2} s", micros / 1e6),
    }
}

/// `12,345`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_people_write_them() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1234567), "1,234,567");
        assert_eq!(duration(Duration::from_micros(850)), "850 µs");
        assert_eq!(duration(Duration::from_micros(12_340)), "12.3 ms");
        assert_eq!(duration(Duration::from_millis(4_560)), "4.56 s");
    }

    #[test]
    fn a_ratio_above_one_is_worse_than_the_floor_in_either_direction() {
        let slow = Figure::new("ledger.show", 0.006).floor("empty", 0.002);
        assert_eq!(slow.ratio().map(|ratio| (ratio * 10.0).round()), Some(30.0));
        let few = Figure::new("ledger.bulk_add", 5_000.0).at(10_000).floor("bare", 10_000.0);
        assert_eq!(few.ratio(), Some(2.0));
        assert_eq!(few.met(), Some(false), "the rate is too low, though the ratio is small enough");
        assert_eq!(few.goal(), "≥ 8,000/s, ratio ≤ 2.5");
    }

    #[test]
    fn a_goal_of_one_size_holds_for_no_other() {
        assert_eq!(Figure::new("recall.cold", 0.024).at(10_000).met(), Some(true));
        assert_eq!(Figure::new("recall.cold", 0.026).at(10_000).met(), Some(false));
        assert_eq!(Figure::new("recall.cold", 9.0).at(2_000).met(), None);
    }
}
