//! Numbers in prose: digits, number words and units, all in one base, so that `1 minute` and `60 s` are one quantity.

use crate::token::Shape;

/// Reads a quantity or a version, with the unit that is written to it.
pub(crate) fn number(word: &str) -> Option<(String, Shape)> {
    let word = word.trim_start_matches(['~', '≈', '+', '$', '€', '£']);
    let word =
        word.strip_prefix('#').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit())).unwrap_or(word);
    let marked = word.len() > 1
        && (word.starts_with(['v', 'V', '^']) || word.starts_with(">=") || word.starts_with("=="))
        && word.trim_start_matches(['v', 'V', '^', '>', '=']).starts_with(|c: char| c.is_ascii_digit());
    let body = if marked { word.trim_start_matches(['v', 'V', '^', '>', '=']) } else { word };
    let negative = body.len() > 1 && body.starts_with('-');
    let body = if negative { &body[1..] } else { body };
    if !body.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let lower = body.to_lowercase();
    if let Some(hex) = lower.strip_prefix("0x") {
        let value = u64::from_str_radix(&hex.replace('_', ""), 16).ok()?;
        return Some((value.to_string(), Shape::Number));
    }
    let dots = body.matches('.').count();
    let dated = body.len() >= 8
        && body.matches('-').count() == 2
        && body.chars().all(|c| c.is_ascii_digit() || c == '-');
    let starred = body.ends_with(".x") || body.ends_with(".*");
    if dated
        || starred
        || (dots >= 2 && body.chars().filter(|c| *c != '.').all(|c| c.is_ascii_alphanumeric() || c == '-'))
    {
        let key = lower.trim_end_matches(".x").trim_end_matches(".*");
        return Some((key.to_owned(), Shape::Version));
    }
    let digits_end = body
        .char_indices()
        .find(|(_, c)| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '_')))
        .map_or(body.len(), |(at, _)| at);
    let (digits, unit) = body.split_at(digits_end);
    if marked {
        // A version keeps its zeros: 1.2 is not 1.20.
        return Some((lower, Shape::Version));
    }
    let value: f64 = digits.replace([',', '_'], "").parse().ok()?;
    let value = if negative { -value } else { value };
    let plain = || {
        // What could be a version keeps its zeros, too.
        if dots == 1 { digits.to_owned() } else { value.to_string() }
    };
    let unit = unit.trim_start_matches('-');
    if unit.is_empty() {
        return Some((plain(), Shape::Number));
    }
    if let Some(times) = match unit {
        "k" | "K" => Some(1e3),
        "M" => Some(1e6),
        "B" => None,
        "x" | "X" => Some(1.0),
        _ => None,
    } {
        return Some(((value * times).to_string(), Shape::Number));
    }
    if let Some(key) = with_unit(value, unit) {
        return Some((key, Shape::Number));
    }
    if matches!(unit, "st" | "nd" | "rd" | "th") {
        return Some((format!("{value} th"), Shape::Number));
    }
    // Times of day, ranges, sizes: as they are.
    if unit
        .chars()
        .all(|c| c.is_ascii_digit() || matches!(c, ':' | '-' | '.' | 'x' | '/' | '%' | 'e' | '+' | ','))
    {
        return Some((lower, Shape::Number));
    }
    None
}

/// A number word, and whether it is one only beside another number.
pub(crate) fn number_word(lower: &str) -> Option<(u32, bool)> {
    let plain = |n| Some((n, false));
    match lower {
        "zero" => plain(0),
        "one" | "single" | "once" => Some((1, true)),
        "two" | "twice" | "both" => Some((2, lower == "both")),
        "three" | "thrice" => plain(3),
        "four" => plain(4),
        "five" => plain(5),
        "six" => plain(6),
        "seven" => plain(7),
        "eight" => plain(8),
        "nine" => plain(9),
        "ten" => plain(10),
        "eleven" => plain(11),
        "twelve" | "dozen" => plain(12),
        "thirteen" => plain(13),
        "fourteen" => plain(14),
        "fifteen" => plain(15),
        "sixteen" => plain(16),
        "seventeen" => plain(17),
        "eighteen" => plain(18),
        "nineteen" => plain(19),
        "twenty" => plain(20),
        "thirty" => plain(30),
        "forty" => plain(40),
        "fifty" => plain(50),
        "sixty" => plain(60),
        "seventy" => plain(70),
        "eighty" => plain(80),
        "ninety" => plain(90),
        "hundred" => plain(100),
        "thousand" => plain(1000),
        "million" => plain(1_000_000),
        _ => None,
    }
}

/// What a word makes of the number before it.
pub(crate) fn multiple(lower: &str) -> Option<f64> {
    match lower {
        "hundred" => Some(100.0),
        "thousand" => Some(1e3),
        "million" | "millions" => Some(1e6),
        "billion" => Some(1e9),
        _ => None,
    }
}

/// A quantity in the base of its unit: `1 minute` and `60 s` are one.
pub(crate) fn with_unit(count: f64, unit: &str) -> Option<String> {
    let bare = unit.trim_end_matches(['.', ',']);
    let lower = bare.to_lowercase();
    let (times, base) = match lower.as_str() {
        "ns" | "nanosecond" | "nanoseconds" => (1e-9, "s"),
        "us" | "µs" | "μs" | "microsecond" | "microseconds" => (1e-6, "s"),
        "ms" | "msec" | "millisecond" | "milliseconds" | "millis" => (1e-3, "s"),
        "s" | "sec" | "secs" | "second" | "seconds" => (1.0, "s"),
        "m" | "min" | "mins" | "minute" | "minutes" => (60.0, "s"),
        "h" | "hr" | "hrs" | "hour" | "hours" => (3600.0, "s"),
        "d" | "day" | "days" => (86_400.0, "s"),
        "w" | "week" | "weeks" => (604_800.0, "s"),
        "month" | "months" => (1.0, "month"),
        "year" | "years" | "yr" => (12.0, "month"),
        "b" | "byte" | "bytes" => (1.0, "byte"),
        "kb" | "kilobyte" | "kilobytes" => (1e3, "byte"),
        "mb" | "megabyte" | "megabytes" => (1e6, "byte"),
        "gb" | "gigabyte" | "gigabytes" => (1e9, "byte"),
        "tb" | "terabyte" | "terabytes" => (1e12, "byte"),
        "kib" => (1024.0, "byte"),
        "mib" => (1_048_576.0, "byte"),
        "gib" => (1_073_741_824.0, "byte"),
        "bit" | "bits" => (1.0, "bit"),
        "%" | "percent" | "pct" => (1.0, "%"),
        "px" | "pixel" | "pixels" => (1.0, "px"),
        "hz" => (1.0, "hz"),
        "khz" => (1e3, "hz"),
        "mhz" => (1e6, "hz"),
        "ghz" => (1e9, "hz"),
        "rps" | "qps" => (1.0, "rps"),
        _ => return None,
    };
    Some(format!("{} {base}", (count * times * 1e9).round() / 1e9))
}
