//! `docs/internals/reliability.md`: what the programme tried in all its runs.

use super::parts::{PARTS, Part};
use super::record::{self, PartRecord, Record};
use crate::context::{Context, Failure, Outcome};
use crate::{dist, harness, page};

/// Puts the table of all parts on the page.
pub(super) fn write(context: &Context, record: &Record) -> Outcome {
    let machine = harness::machine::describe(context, &dist::target_folder(context)?)?;
    let text = text(record, &machine, &record::commit(context)?);
    page::put(&context.root.join("docs/internals/reliability.md"), "torture", &text).map_err(|failure| {
        Failure::Failed(format!("{failure}; the page is written by hand around the table"))
    })
}

fn text(record: &Record, machine: &[String], commit: &str) -> String {
    let rows: Vec<[String; 7]> =
        PARTS.iter().map(|part| row(part, &record.known(part.name).cloned().unwrap_or_default())).collect();
    let head = ["part", "tries", "failures", "still failing", "minutes", "last run", "command"];
    let mut text = page::table(head, &rows);
    text.push_str(&format!(
        "\nLast written on {}; the newest commit that changed the product was {commit}. The machine of that run:\n\n",
        record::today()
    ));
    for line in machine {
        text.push_str(&format!("- {line}\n"));
    }
    text.push_str("\nWhat a try is, and what must hold:\n\n");
    for part in PARTS {
        text.push_str(&format!("- **{}**: {}\n", part.name, part.meaning));
    }
    let open: Vec<String> = PARTS.iter().flat_map(|part| open(part, record.known(part.name))).collect();
    if !open.is_empty() {
        text.push_str("\nStill failing, with the command that repeats each:\n\n");
        text.push_str(&open.concat());
    }
    text
}

fn row(part: &Part, tried: &PartRecord) -> [String; 7] {
    let target = match part.target {
        u64::MAX => String::new(),
        target => format!(" of {}", grouped(target)),
    };
    let last =
        if tried.tries == 0 { "never".to_owned() } else { format!("{}, {}", tried.date, tried.commit) };
    [
        part.name.to_owned(),
        format!("{}{target} {}", grouped(tried.tries), part.unit),
        tried.failures.to_string(),
        tried.open.len().to_string(),
        format!("{:.1}", tried.seconds / 60.0),
        last,
        format!("`cargo xtask torture {}`", part.name),
    ]
}

fn open(part: &Part, tried: Option<&PartRecord>) -> Vec<String> {
    let names = tried.map(|tried| tried.open.clone()).unwrap_or_default();
    names.iter().map(|name| format!("- {}: `{}`\n", part.name, part.run.repeat(name))).collect()
}

/// A number with its thousands set apart.
fn grouped(number: u64) -> String {
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
    fn every_part_has_a_row_a_sentence_and_its_open_failures() {
        let mut record: Record = Record::empty();
        let kills = record.part("kills");
        (kills.tries, kills.failures, kills.open) = (12_345, 1, vec!["17".to_owned()]);
        let text = text(&record, &["2 cores".to_owned()], "abc");
        for part in PARTS {
            assert!(text.contains(&format!("| {} ", part.name)), "{}", part.name);
            assert!(text.contains(&format!("- **{}**: ", part.name)), "{}", part.name);
        }
        assert!(text.contains("12,345 of 10,000 kills"), "{text}");
        assert!(text.contains("- kills: `KEN_SEED=17 cargo test"), "{text}");
    }

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!(
            ["7", "1,000", "900,000", "1,234,567"],
            [7, 1_000, 900_000, 1_234_567].map(grouped).each_ref().map(String::as_str)
        );
    }
}
