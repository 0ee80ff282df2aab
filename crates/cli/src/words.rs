//! The words of the command line before clap reads them: those that a verb had before, and flags that make another verb.

use std::ffi::OsString;

use clap::CommandFactory;
use kenning::verb::Row;

use crate::args::Cli;

/// What was typed, as clap knows it.
pub(crate) struct Read {
    pub words: Vec<OsString>,
    /// What stood there, where that is what a verb was called before (COR-32).
    pub former: Option<String>,
}

/// Reads the words of a command. A verb that a flag makes is one word of it: `why L-1 --belief` is `why --belief` about `L-1`.
pub(crate) fn read(mut words: Vec<OsString>, rows: &[Row]) -> Read {
    let Some(at) = verb_at(&words) else { return Read { words, former: None } };
    let said = |count: usize| -> Option<String> {
        let some: Option<Vec<&str>> = words.get(at..at + count)?.iter().map(|word| word.to_str()).collect();
        Some(some?.join(" "))
    };
    for count in [2, 1] {
        let Some(said) = said(count) else { continue };
        if let Some(row) = rows.iter().find(|row| row.name == said && row.mode().is_none()) {
            if let Some(mode) = mode_of(&words[at + count..], row, rows) {
                let flag = OsString::from(&mode.name[row.name.len() + 1..]);
                let mut behind = words.split_off(at + count);
                if let Some(there) = behind.iter().position(|word| *word == flag) {
                    behind.remove(there);
                }
                words.append(&mut behind);
                words.splice(at..at + count, mode.path().into_iter().map(OsString::from));
            }
            return Read { words, former: None };
        }
        if let Some(row) = rows.iter().find(|row| row.former.contains(&said.as_str())) {
            words.splice(at..at + count, row.path().into_iter().map(OsString::from));
            return Read { words, former: Some(said) };
        }
    }
    Read { words, former: None }
}

/// The verb that a flag of these words makes of another one.
fn mode_of<'r>(rest: &[OsString], row: &Row, rows: &'r [Row]) -> Option<&'r Row> {
    let flags: Vec<&OsString> = rest.iter().take_while(|word| *word != "--").collect();
    rows.iter().find(|other| {
        other.mode().is_some_and(|(base, flag)| {
            base == row.name && flags.iter().any(|word| **word == *format!("--{flag}"))
        })
    })
}

/// Where the verb stands: behind the flags that stand before it, with their values.
fn verb_at(words: &[OsString]) -> Option<usize> {
    // Most lines begin with the verb, and need none of this.
    let takes_value = |word: &str| {
        Cli::command().get_arguments().any(|argument| {
            argument.get_action().takes_values()
                && argument.get_long().is_some_and(|long| word == format!("--{long}"))
        })
    };
    let mut at = 1;
    loop {
        let word = words.get(at)?.to_str()?;
        match word {
            "--" => return None,
            _ if !word.starts_with('-') => return Some(at),
            _ => at += if takes_value(word) { 2 } else { 1 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_line(line: &str) -> (String, Option<String>) {
        let entries = crate::dispatch::entries();
        let rows: Vec<Row> = entries.iter().map(|entry| entry.row).collect();
        let words = std::iter::once("ken").chain(line.split_whitespace()).map(OsString::from).collect();
        let Read { words, former } = read(words, &rows);
        let words: Vec<String> =
            words.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
        (words.join("|"), former)
    }

    #[test]
    fn a_flag_makes_another_verb_and_former_words_are_read() {
        for (line, words, former) in [
            ("why L-1", "why|L-1", None),
            ("why L-1 --belief --json", "why --belief|L-1|--json", None),
            ("why -- --belief", "why|--|--belief", None),
            ("--json --store x why --belief L-1", "--json|--store|x|why --belief|L-1", None),
            ("view pin L-1 --undo", "view|pin --undo|L-1", None),
            ("belief L-1", "why --belief|L-1", Some("belief")),
            ("unpin L-1", "view|pin --undo|L-1", Some("unpin")),
            ("staging list", "digest|list", Some("staging list")),
            ("--quiet flush --stage", "--quiet|commit --no-commit|--stage", Some("flush")),
            ("add lesson flush", "add|lesson|flush", None),
            ("", "", None),
        ] {
            assert_eq!(read_line(line), (words.to_owned(), former.map(str::to_owned)), "{line}");
        }
    }

    #[test]
    fn no_former_word_is_a_verb_and_no_two_verbs_had_the_same() {
        let entries = crate::dispatch::entries();
        let former: Vec<&str> = entries.iter().flat_map(|entry| entry.row.former).copied().collect();
        for (at, word) in former.iter().enumerate() {
            assert!(!former[..at].contains(word), "{word}");
            assert!(entries.iter().all(|entry| entry.row.name != *word), "{word}");
        }
    }
}
