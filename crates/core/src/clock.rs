//! The hybrid logical clock that orders events, and times as people write them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::limits::CLOCK_WRONG_MILLIS;

/// Milliseconds since the epoch, as a clock on the wall would show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millis(pub i64);

/// The latest moment that can be written: the calendar keeps the last day of 9999 free for time zones.
const MILLIS_MAX: i64 = 253_402_207_199_999;
const _: () = assert!(MILLIS_MAX < 1 << 48, "a clock packs into 48 and 16 bits");

/// Flips between the order of unsigned and of signed numbers.
const SIGN: u64 = 1 << 63;

impl Millis {
    /// The latest moment that can be written, at the end of the year 9999.
    pub const MAX: Millis = Millis(MILLIS_MAX);

    /// Reads RFC 3339 (`2026-11-15T02:04:26Z`) or a plain date (`2026-11-15`, midnight UTC).
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let stamp = text.parse::<jiff::Timestamp>().ok().or_else(|| {
            let date = text.parse::<jiff::civil::Date>().ok()?;
            date.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
        });
        let millis = stamp.map(|stamp| stamp.as_millisecond()).filter(|ms| (0..=MILLIS_MAX).contains(ms));
        millis
            .map(Millis)
            .ok_or_else(|| format!("{text:?} is not a time; write 2026-11-15 or 2026-11-15T02:04:26Z"))
    }

    /// Whole seconds since the epoch.
    pub fn seconds(self) -> i64 {
        self.0.div_euclid(1000)
    }

    /// The calendar day in UTC, `2026-11-15`.
    pub fn date(self) -> String {
        self.to_string()[..10].to_owned()
    }

    /// The calendar month in UTC, `2026-11`: names the ledgers that are kept by month.
    pub fn month(self) -> String {
        self.to_string()[..7].to_owned()
    }
}

impl fmt::Display for Millis {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stamp = jiff::Timestamp::from_millisecond(self.0.clamp(0, MILLIS_MAX)).unwrap_or_default();
        write!(out, "{stamp:.3}")
    }
}

impl Serialize for Millis {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Millis {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Millis::parse(&text).map_err(serde::de::Error::custom)
    }
}

/// A hybrid logical clock: wall time, then a counter for events within one millisecond.
///
/// Written as `2026-11-15T02:04:26.123Z-0000`, so that text order is time order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Clock {
    millis: i64,
    counter: u16,
}

impl Clock {
    /// Before every event.
    pub const ZERO: Clock = Clock { millis: 0, counter: 0 };

    /// The first tick of a millisecond.
    pub fn at(now: Millis) -> Self {
        Clock { millis: now.0.clamp(0, MILLIS_MAX), counter: 0 }
    }

    /// The last tick of a millisecond: everything of that moment is not later.
    pub fn end_of(now: Millis) -> Self {
        Clock { millis: now.0.clamp(0, MILLIS_MAX), counter: u16::MAX }
    }

    /// The tick of a millisecond with some counter; none where no clock shows that time.
    pub fn of(now: Millis, counter: u16) -> Option<Self> {
        (0..=MILLIS_MAX).contains(&now.0).then_some(Clock { millis: now.0, counter })
    }

    /// A tick later than `self` and not earlier than `now`. Only the last tick of all is followed by itself.
    pub fn next(self, now: Millis) -> Self {
        if now.0.min(MILLIS_MAX) > self.millis {
            return Clock::at(now);
        }
        match self.counter.checked_add(1) {
            Some(counter) => Clock { millis: self.millis, counter },
            None if self.millis < MILLIS_MAX => Clock { millis: self.millis + 1, counter: 0 },
            None => self,
        }
    }

    /// The wall time part.
    pub fn millis(self) -> Millis {
        Millis(self.millis)
    }

    /// The counter within its millisecond.
    pub fn counter(self) -> u16 {
        self.counter
    }

    /// Whether it is so far ahead of this machine's clock that one of the two is wrong (COR-4).
    pub fn is_wrong_at(self, now: Millis) -> bool {
        self.millis.saturating_sub(now.0) > CLOCK_WRONG_MILLIS
    }

    /// The moment as people are shown it, which is never later than now.
    pub fn shown(self, now: Millis) -> Millis {
        self.millis().min(now)
    }

    /// The day as people are shown it: never later than now, and a wrong clock is named.
    pub fn shown_date(self, now: Millis) -> String {
        if self.is_wrong_at(now) { self.told_wrong() } else { self.shown(now).date() }
    }

    /// What is said of a date that only a wrong clock can have given: `dated 2036 by a wrong clock`.
    pub fn told_wrong(self) -> String {
        format!("dated {} by a wrong clock", &self.millis().date()[..4])
    }

    /// One number in the same order, for an index column.
    ///
    /// All 64 bits are needed from the year 6429 on, so the lowest number, not zero, is the earliest clock.
    pub fn packed(self) -> i64 {
        let bits = ((self.millis as u64) << 16) | u64::from(self.counter);
        (bits ^ SIGN) as i64
    }

    /// The clock behind such a number.
    pub fn unpacked(packed: i64) -> Self {
        let bits = packed as u64 ^ SIGN;
        Clock { millis: (bits >> 16) as i64, counter: (bits & 0xffff) as u16 }
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}-{:04x}", Millis(self.millis), self.counter)
    }
}

impl FromStr for Clock {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not a clock like 2026-11-15T02:04:26.123Z-0000");
        let (time, counter) = text.rsplit_once('-').ok_or_else(wrong)?;
        if counter.len() != 4 || !time.ends_with('Z') {
            return Err(wrong());
        }
        let clock = Clock {
            millis: Millis::parse(time).map_err(|_| wrong())?.0,
            counter: u16::from_str_radix(counter, 16).map_err(|_| wrong())?,
        };
        // One moment has one spelling, or equal events could differ in their bytes.
        if clock.to_string() == text { Ok(clock) } else { Err(wrong()) }
    }
}

impl Serialize for Clock {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Clock {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(from)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_order_is_time_order() {
        let mut clock = Clock::at(Millis(1_700_000_000_123));
        for now in [5, 1_700_000_000_123, 1_700_000_000_500, 1_700_000_000_499] {
            let later = clock.next(Millis(now));
            assert!(
                later > clock && later.to_string() > clock.to_string() && later.packed() > clock.packed()
            );
            assert_eq!(later.to_string().parse::<Clock>().unwrap(), later);
            clock = later;
        }
    }

    #[test]
    fn a_full_counter_moves_on_to_the_next_millisecond() {
        let full = Clock::end_of(Millis(7));
        assert_eq!(full.next(Millis(7)), Clock::at(Millis(8)));
    }

    #[test]
    fn other_spellings_of_a_moment_are_refused() {
        for text in [
            "",
            "2026-11-15T02:04:26Z-0000",
            "2026-11-15T02:04:26.123Z-00G0",
            "2026-11-15T02:04:26.123+00:00-0000",
        ] {
            assert!(text.parse::<Clock>().is_err(), "{text}");
        }
        assert!(Millis::parse("yesterday").unwrap_err().contains("2026-11-15"));
        assert_eq!(Millis::parse("2026-11-15").unwrap().to_string(), "2026-11-15T00:00:00.000Z");
    }
}
