//! Small pieces of pages: a bar of belief, badges, addresses. Each writes its own markup, and escapes what it is given.

use askama::Template;
use askama::filters::HtmlSafe;
use statrs::distribution::ContinuousCDF;

use crate::answers::Belief;
use crate::limits::METER_WIDTH;
use crate::visit::Problem;

/// How far an entry is believed: the mean, and between which rates the true one lies with 95 %.
#[derive(Template)]
#[template(path = "parts/meter.html")]
pub(crate) struct Meter {
    percent: u32,
    low_percent: u32,
    high_percent: u32,
    mean: f64,
    low: f64,
    span: f64,
    /// Nobody has used the entry yet.
    untested: bool,
}
impl HtmlSafe for Meter {}

impl Meter {
    pub(crate) fn new(belief: &Belief) -> Meter {
        let (low, high) = interval(belief.alpha, belief.beta);
        Meter::of(belief.mean, low, high, belief.observations <= 0.0)
    }

    pub(crate) fn of(mean: f64, low: f64, high: f64, untested: bool) -> Meter {
        let rounded = |part: f64| (part.clamp(0.0, 1.0) * 100.0).round() as u32;
        let place = |part: f64| (part.clamp(0.0, 1.0) * METER_WIDTH * 10.0).round() / 10.0;
        Meter {
            percent: rounded(mean),
            low_percent: rounded(low),
            high_percent: rounded(high),
            mean: place(mean),
            low: place(low),
            span: place(high - low),
            untested,
        }
    }
}

/// As `ken why --belief` computes it: 95 %, as much below as above.
fn interval(alpha: f64, beta: f64) -> (f64, f64) {
    match statrs::distribution::Beta::new(alpha, beta) {
        Ok(belief) => (belief.inverse_cdf(0.025), belief.inverse_cdf(0.975)),
        Err(_) => (0.0, 1.0),
    }
}

/// A word in a frame, such as a status or a verdict; its sign says the same as its colour.
#[derive(Template)]
#[template(path = "parts/badge.html")]
pub(crate) struct Badge {
    tone: &'static str,
    sign: &'static str,
    word: String,
}
impl HtmlSafe for Badge {}

/// A badge for the word that a status, verdict, state or outcome is.
pub(crate) fn badge(word: &str) -> Badge {
    let (tone, sign) = match word {
        "fresh" | "verified" | "pass" | "succeeded" | "approved" | "in_force" | "healthy" | "mends"
        | "safe" => ("good", "✓"),
        "active" | "open" => ("strong", "●"),
        "moved" | "reanchors" => ("note", "→"),
        "drifted" | "warn" | "warns" | "stale" | "needs_review" | "medium" | "low" | "missing"
        | "abandoned" | "rising" | "needs-changes" => ("warn", "▲"),
        "broken" | "fail" | "failed" | "blocks" | "rejected" | "retracted" | "contradicts"
        | "contradicted" | "high" | "critical" | "killed" | "void" | "orphaned" | "action_required"
        | "risky" => ("bad", "✕"),
        "unverifiable" | "unknown" => ("dim", "?"),
        "candidate" => ("dim", "○"),
        _ => ("dim", "·"),
    };
    Badge { tone, sign, word: word.replace('_', " ") }
}

/// Where the page of an entry is.
pub(crate) fn entry_address(id: &str) -> String {
    format!("/entries/{}", escaped(id))
}

/// Text as a part of an address, with everything escaped that is not a letter, a digit or one of `-._~`.
pub(crate) fn escaped(text: &str) -> String {
    let mut address = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                address.push(char::from(byte))
            }
            other => address.push_str(&format!("%{other:02X}")),
        }
    }
    address
}

/// Whether text may become a link: an address of the web, and nothing else.
pub(crate) fn is_web_address(text: &str) -> bool {
    (text.starts_with("https://") || text.starts_with("http://")) && !text.contains(char::is_whitespace)
}

/// The day of a time: `2026-11-09` of `2026-11-09T01:31:10.244Z`.
pub(crate) fn day(at: &str) -> &str {
    at.get(..10).unwrap_or(at)
}

/// Day and minute of a time: `2026-11-09 01:31`.
pub(crate) fn minute(at: &str) -> String {
    at.get(..16).unwrap_or(at).replace('T', " ")
}

/// A day of seconds since the epoch.
pub(crate) fn day_of_seconds(seconds: i64) -> String {
    // Days to a date of the civil calendar: Howard Hinnant's algorithm.
    let days = seconds.div_euclid(86_400) + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// A value of a field that pages know nothing of, for people.
pub(crate) fn shown(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(values) => values.iter().map(shown).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// A message of the program: what stands between backticks is code. Statements of entries are data, and are not written with this.
#[derive(Template)]
#[template(path = "parts/message.html")]
pub(crate) struct Message {
    pieces: Vec<Piece>,
}
impl HtmlSafe for Message {}

struct Piece {
    text: String,
    is_code: bool,
}

/// A message, as it is.
pub(crate) fn message(text: &str) -> Message {
    let parts: Vec<&str> = text.split('`').collect();
    let is_code = |at: usize| at % 2 == 1 && at + 1 < parts.len() && !parts[at].is_empty();
    let mut pieces: Vec<Piece> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        // A backtick without its pair, or with nothing before the next, stays one.
        let tick = at > 0 && !is_code(at) && !is_code(at - 1);
        let text = if tick { format!("`{part}") } else { (*part).to_owned() };
        pieces.push(Piece { text, is_code: is_code(at) });
    }
    Message { pieces }
}

/// A message with a capital at the beginning of each sentence.
pub(crate) fn sentences(text: &str) -> Message {
    message(&capitalised(text))
}

/// Why something was not done: the message, what to do next on a line of its own, and whether it needs a person.
#[derive(Template)]
#[template(path = "parts/problem.html")]
pub(crate) struct ProblemText {
    message: Message,
    hint: Option<Message>,
    confirm: Option<Message>,
}
impl HtmlSafe for ProblemText {}

pub(crate) fn problem(problem: &Problem) -> ProblemText {
    ProblemText {
        message: sentences(&without_flags(&problem.message)),
        hint: problem
            .hint
            .as_deref()
            .map(without_flags)
            .filter(|hint| !hint.is_empty())
            .map(|hint| sentences(&hint)),
        confirm: problem.confirm.as_deref().map(message),
    }
}

/// What a verb says without flags of its command line: a form has fields. Whole commands, `ken ...`, stay.
fn without_flags(text: &str) -> String {
    let clauses = text.split("; ").filter_map(|clause| {
        let Some(at) = clause.find("--").filter(|_| !clause.contains("ken ")) else { return Some(clause) };
        // `a rejection needs a reason: --reason '...'`
        clause[..at].rsplit_once(": ").map(|(before, _)| before)
    });
    clauses.collect::<Vec<_>>().join("; ")
}

/// A text with its first letter as a capital.
pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

/// A text whose sentences begin with a capital: verbs say some of theirs in the middle of a line. A path, an id, code and what is quoted
/// stay as they are.
pub(crate) fn capitalised(text: &str) -> String {
    const NOT_AN_END: &[&str] = &["e.g", "i.e", "etc"];
    let mut made = String::with_capacity(text.len());
    let (mut begins, mut quoted) = (true, false);
    for word in text.split_inclusive(char::is_whitespace) {
        let ended = word.trim_end();
        let bare = ended.trim_end_matches(['.', '?', '!', ',', ';', ':', ')']);
        let is_plain = bare != "ken" && bare.chars().all(|letter| letter.is_alphabetic() || letter == '\'');
        match begins && !quoted && is_plain {
            true => made.push_str(&capital(word)),
            false => made.push_str(word),
        }
        if word.matches(['"', '`']).count() % 2 == 1 {
            quoted = !quoted;
        }
        let is_end = ended.ends_with(['.', '?', '!']) && bare.len() > 1 && !NOT_AN_END.contains(&bare);
        begins = is_end || begins && ended.is_empty();
    }
    made
}

/// `1 entry`, `2 entries`.
pub(crate) fn count(number: impl std::borrow::Borrow<u64>, one: &str, many: &str) -> String {
    let number = *number.borrow();
    format!("{number} {}", noun(number, one, many))
}

/// `entry` of one, `entries` of any other number.
pub(crate) fn noun<'a>(number: impl std::borrow::Borrow<u64>, one: &'a str, many: &'a str) -> &'a str {
    if *number.borrow() == 1 { one } else { many }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Forms were told of flags: `--reason 'why it is harmless'`.
    #[test]
    fn a_form_is_told_of_no_flags() {
        for (text, wanted) in [
            ("a rejection needs a reason: --reason '...'", "a rejection needs a reason"),
            ("reason is empty; give a reason: --reason '...'", "reason is empty; give a reason"),
            ("--reason 'why it is harmless'", ""),
            ("`ken retract a --reason '...'` takes it back", "`ken retract a --reason '...'` takes it back"),
            ("it is archived", "it is archived"),
        ] {
            assert_eq!(without_flags(text), wanted);
        }
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        assert_eq!(day_of_seconds(0), "1970-01-01");
        assert_eq!(day_of_seconds(1_788_831_070), "2026-09-08");
        assert_eq!(day_of_seconds(951_782_400), "2000-02-29");
    }

    #[test]
    fn only_addresses_of_the_web_become_links() {
        assert!(is_web_address("https://example.org/a?b=c"));
        assert!(!is_web_address("javascript:alert(1)"));
        assert!(!is_web_address("HTTPS://example.org onclick=x"));
        assert!(!is_web_address("data:text/html,x"));
    }

    #[test]
    fn text_between_backticks_is_code_and_stays_escaped() {
        let markup = |text: &str| message(text).to_string();
        assert_eq!(markup("`send` has changed"), "<code>send</code> has changed");
        assert_eq!(
            markup("run `ken check`, then `ken queue`."),
            "run <code>ken check</code>, then <code>ken queue</code>."
        );
        assert_eq!(markup("one ` alone"), "one ` alone");
        assert_eq!(markup("`a` and ` alone"), "<code>a</code> and ` alone");
        assert_eq!(markup("none: ``"), "none: ``");
        assert_eq!(markup("`<b>` <i>"), "<code>&#60;b&#62;</code> &#60;i&#62;");
    }

    #[test]
    fn sentences_begin_with_a_capital_and_code_does_not() {
        let same = [
            "src/net.py: gone; is it still true?",
            "net.retries is 5",
            "`send` has changed",
            "ken check does",
            "",
        ];
        for text in same {
            assert_eq!(capitalised(text), text);
        }
        assert_eq!(capitalised("missing: anchor, step"), "Missing: anchor, step");
        assert_eq!(
            capitalised("Two are contradictory. supersede the one in src/a.rs. or not"),
            "Two are contradictory. Supersede the one in src/a.rs. Or not"
        );
        assert_eq!(capitalised("a code, e.g. this"), "A code, e.g. this");
        assert_eq!(capitalised("no entry matches \"a. b\""), "No entry matches \"a. b\"");
    }

    #[test]
    fn ids_are_escaped_in_addresses() {
        assert_eq!(entry_address("a b/../\"<>"), "/entries/a%20b%2F..%2F%22%3C%3E");
    }

    #[test]
    fn a_meter_says_in_words_what_its_bar_shows() {
        let belief =
            Belief { alpha: 8.887829654569897, beta: 5.0, mean: 0.639972542552413, observations: 3.9 };
        let markup = Meter::new(&belief).to_string();
        assert!(markup.contains("64 %") && markup.contains("38 to 86 %"), "{markup}");
    }
}
