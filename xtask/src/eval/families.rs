//! The suite `families`: how far the scanner reaches beyond the texts its rules were written with.
//!
//! The texts are our own, by axis and family. `known.txt` is at hand when rules are written, `unseen.txt` is not: a family of it that has no
//! counterpart in `known.txt` is left out altogether. Values are drawn when the suite runs, so that no secret is in the repository.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ken_guard::{Axis, Tier};

use super::guard::{PAGE, scan};
use super::pairs::percent;
use crate::context::{Failure, failed};
use crate::harness::Suite;
use crate::harness::arguments::{Flag, Takes};
use crate::harness::figure::Figure;
use crate::harness::report::Report;
use crate::harness::session::Session;
use crate::page;

pub(crate) const SUITE: Suite = Suite {
    page: Some(PAGE),
    flags: &[
        Flag { name: "--set", takes: Takes::Value("known|unseen|fresh") },
        Flag { name: "--misses", takes: Takes::Nothing },
    ],
    optimised: false,
    // A goal that is missed is told, not hidden: it says how far there is to go.
    strict: false,
    ..Suite::evaluation("families", run)
};

const FOLDER: &str = "evals/guard/families";
const SETS: [&str; 3] = ["known", "unseen", "fresh"];
/// A text with drawn values is read so often, with other values each time.
const DRAWS: u64 = 4;

/// A word for an axis in the files, and the axes it stands for.
const AXES: [(&str, &[Axis]); 4] = [
    ("secrets", &[Axis::CredentialLeakage, Axis::CredentialDetection]),
    ("exfiltration", &[Axis::DataExfiltration]),
    ("unsafe", &[Axis::UnsafeCode]),
    ("orders", &[Axis::PromptInjection]),
];

/// One text, with its values drawn.
struct Row {
    axis: &'static str,
    axes: &'static [Axis],
    is_bad: bool,
    family: String,
    text: String,
}

#[derive(Clone, Copy, Default)]
struct Count {
    texts: usize,
    found: usize,
}

fn run(session: &Session<'_>) -> Result<Report, Failure> {
    let chosen = session.flags.value("--set");
    if let Some(chosen) = chosen
        && !SETS.contains(&chosen)
    {
        return Err(Failure::Usage(format!("there is no set `{chosen}`")));
    }
    let root = &session.context.root;
    let known: BTreeSet<(&'static str, String)> =
        read(root, "known")?.into_iter().map(|row| (row.axis, row.family)).collect();
    let mut report = Report::default();
    let mut table = Vec::new();
    for set in SETS.into_iter().filter(|set| chosen.is_none_or(|chosen| chosen == *set)) {
        let mut families: BTreeMap<(usize, bool, String), Count> = BTreeMap::new();
        for row in read(root, set)? {
            let verdict = scan(&row.text);
            let found = row.axes.iter().any(|axis| verdict.on(*axis) >= Tier::Medium);
            if session.flags.has("--misses") && found != row.is_bad {
                let what = if row.is_bad { "missed" } else { "wrong" };
                println!("{what} {set} {} {}: {}", row.axis, row.family, row.text.replace('\n', "\\n"));
            }
            let place = AXES.iter().position(|(word, _)| *word == row.axis).unwrap_or_default();
            let count = families.entry((place, !row.is_bad, row.family)).or_default();
            count.texts += 1;
            count.found += usize::from(found);
        }
        table.extend(families.iter().map(|((place, is_good, family), count)| {
            let axis = AXES[*place].0;
            let seen = match set {
                "unseen" if known.contains(&(axis, family.clone())) => "family in",
                "unseen" | "fresh" => "family left out",
                _ => "in",
            };
            let [bad, good] = if *is_good { ["", "x"] } else { ["x", ""] };
            let share = format!("{:.1} %", percent(count.found, count.texts));
            [
                set.to_owned(),
                axis.to_owned(),
                family.clone(),
                seen.to_owned(),
                count.texts.to_string(),
                if bad.is_empty() { String::new() } else { share.clone() },
                if good.is_empty() { String::new() } else { share },
            ]
        }));
        report.figures.extend(figures(set, &families));
    }
    report.tables = page::table(["Set", "Axis", "Family", "Rules saw it", "Texts", "Found", "Wrong"], &table);
    Ok(report)
}

/// One figure for each axis, of texts that should be found and of those that should not.
fn figures(set: &str, families: &BTreeMap<(usize, bool, String), Count>) -> Vec<Figure> {
    let mut figures = Vec::new();
    for (place, (axis, _)) in AXES.iter().enumerate() {
        for (is_good, what) in [(false, "found"), (true, "wrong")] {
            let of = families.iter().filter(|((at, good, _), _)| *at == place && *good == is_good);
            let sum = of.fold(Count::default(), |sum, (_, count)| Count {
                texts: sum.texts + count.texts,
                found: sum.found + count.found,
            });
            let name = format!("families.{set}_{axis}_{what}");
            if sum.texts == 0 {
                continue;
            }
            figures.push(Figure::new(&name, percent(sum.found, sum.texts)).at(sum.texts));
        }
    }
    figures
}

fn read(root: &Path, set: &str) -> Result<Vec<Row>, Failure> {
    let name = format!("{FOLDER}/{set}.txt");
    let text = std::fs::read_to_string(root.join(&name))
        .map_err(|error| Failure::Failed(format!("cannot read {name}: {error}")))?;
    rows(&name, &text)
}

fn rows(name: &str, text: &str) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    let mut heading = None;
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty()) {
        if let Some(words) = line.strip_prefix("## ") {
            heading = heading_of(words);
            if heading.is_none() {
                return failed(format!("{name}, line {}: `{words}` is no heading", at + 1));
            }
            continue;
        }
        let Some((axis, axes, is_bad, family)) = heading else {
            return failed(format!("{name}, line {}: a text before the first heading", at + 1));
        };
        let times = if fill(line, &mut Dice(1)) == unescaped(line) { 1 } else { DRAWS };
        for draw in 0..times {
            let mut dice = Dice(at as u64 * DRAWS + draw + 1);
            rows.push(Row { axis, axes, is_bad, family: family.to_owned(), text: fill(line, &mut dice) });
        }
    }
    Ok(rows)
}

type Heading<'a> = (&'static str, &'static [Axis], bool, &'a str);

/// `secrets bad log`.
fn heading_of(words: &str) -> Option<Heading<'_>> {
    let mut words = words.splitn(3, ' ');
    let axis = words.next()?;
    let (axis, axes) = AXES.into_iter().find(|(word, _)| *word == axis)?;
    let is_bad = match words.next()? {
        "bad" => true,
        "good" => false,
        _ => return None,
    };
    Some((axis, axes, is_bad, words.next()?))
}

fn unescaped(line: &str) -> String {
    line.replace("\\n", "\n").replace("\\t", "\t")
}

/// The same numbers each time: an evaluation that drew others would be another one.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % most.max(1) as u64) as usize
    }

    fn letters(&mut self, of: &str, length: usize) -> String {
        (0..length).filter_map(|_| of.chars().nth(self.below(of.len()))).collect()
    }
}

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const DIGITS: &str = "0123456789";
const WORDS: [&str; 12] = [
    "heron", "maple", "quartz", "tundra", "copper", "lantern", "willow", "falcon", "harbor", "velvet",
    "marble", "saffron",
];

/// A text with its values drawn: `{alnum32}`, `{hex40}`, `{b64_44}`, `{b64u43}`, `{up20}`, `{pw}`, `{uuid}`.
fn fill(line: &str, dice: &mut Dice) -> String {
    let mut filled = String::with_capacity(line.len() + 64);
    let mut rest = line;
    while let Some(open) = rest.find('{') {
        filled.push_str(&rest[..open]);
        rest = &rest[open..];
        match rest.find('}').and_then(|close| Some((close, drawn(&rest[1..close], dice)?))) {
            Some((close, value)) => {
                filled.push_str(&value);
                rest = &rest[close + 1..];
            }
            None => {
                filled.push('{');
                rest = &rest[1..];
            }
        }
    }
    filled.push_str(rest);
    unescaped(&filled)
}

fn drawn(name: &str, dice: &mut Dice) -> Option<String> {
    let name =
        name.strip_suffix('b').filter(|name| name.ends_with(|c: char| c.is_ascii_digit())).unwrap_or(name);
    let kind = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let length: usize = name[kind.len()..].parse().unwrap_or(0);
    let upper = LOWER.to_ascii_uppercase();
    let alnum = format!("{LOWER}{upper}{DIGITS}");
    Some(match kind {
        "alnum" => dice.letters(&alnum, length),
        "hex" => dice.letters("0123456789abcdef", length),
        "b64_" => {
            let mut value = dice.letters(&format!("{alnum}+/"), length);
            if length.is_multiple_of(4) {
                value.pop();
                value.push('=');
            }
            value
        }
        "low" => dice.letters(&format!("{LOWER}{DIGITS}"), length),
        "b64u" => dice.letters(&format!("{alnum}-_"), length),
        "up" => format!("A{}", dice.letters(&format!("{upper}{DIGITS}"), length.saturating_sub(1))),
        "uuid" => {
            let mut part = |length| dice.letters("0123456789abcdef", length);
            format!("{}-{}-4{}-a{}-{}", part(8), part(4), part(3), part(3), part(12))
        }
        "pw" => password(dice, &alnum),
        "basic" => base64(format!("svc:{}", dice.letters(&alnum, 16)).as_bytes()),
        "djangoish" => dice.letters(&format!("{alnum}!@#%^&*(-_=+)"), 50),
        "file" => "app-1.2.tar.gz".to_owned(),
        _ => return None,
    })
}

/// What a person would think of: words with a sign and a number, or drawn letters.
fn password(dice: &mut Dice, alnum: &str) -> String {
    let word = WORDS[dice.below(WORDS.len())];
    let other = WORDS[dice.below(WORDS.len())];
    let sign = dice.letters("!*_-+", 1);
    let capital = |word: &str| format!("{}{}", word[..1].to_ascii_uppercase(), &word[1..]);
    match dice.below(4) {
        0 => format!("{}{sign}{}", capital(word), dice.letters(alnum, 4)),
        1 => format!("{word}{}{sign}{}", 10 + dice.below(90), capital(other)),
        2 => dice.letters(&format!("{alnum}!*+-_"), 14),
        _ => format!("{}{}{sign}{}", capital(word), 100 + dice.below(900), dice.letters(LOWER, 2)),
    }
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let number = three.iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte))
            << (8 * (3 - three.len()));
        for place in 0..4 {
            let letter = LETTERS[(number >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= three.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_can_be_read_and_have_texts_of_every_kind() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for set in SETS {
            let rows = read(&root, set).unwrap();
            // The third set has orders alone.
            for (axis, _) in AXES.into_iter().filter(|(axis, _)| set != "fresh" || *axis == "orders") {
                for is_bad in [true, false] {
                    assert!(
                        rows.iter().any(|row| row.axis == axis && row.is_bad == is_bad),
                        "{set} {axis} {is_bad}"
                    );
                }
            }
        }
    }

    #[test]
    fn values_are_drawn_and_the_same_each_time() {
        let once = fill("token={alnum32} {\"a\": {b}} {hex8}", &mut Dice(3));
        assert_eq!(once, fill("token={alnum32} {\"a\": {b}} {hex8}", &mut Dice(3)));
        assert_ne!(once, fill("token={alnum32} {\"a\": {b}} {hex8}", &mut Dice(4)));
        assert!(once.contains("{\"a\": {b}}") && once.len() == 6 + 32 + 1 + 10 + 1 + 8, "{once}");
        assert_eq!(base64(b"svc:ab"), "c3ZjOmFi");
        assert_eq!(base64(b"a"), "YQ==");
    }

    #[test]
    fn a_text_without_a_heading_and_an_unknown_axis_are_named() {
        assert!(rows("x", "a text").is_err());
        assert!(rows("x", "## nothing bad log\na text").is_err());
    }
}
