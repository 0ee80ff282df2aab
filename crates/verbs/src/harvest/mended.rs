//! A command that failed and passes later: what was wrong, as the agent explains it (a cause), or what had to be set up first.
//!
//! The pair alone proves little: a test that was written first fails and passes, too. It counts where the agent says, between the failure and its
//! next words to the person, why it failed, in words that name what was changed.

use std::collections::BTreeSet;

use ken_hosts::transcript::{Act, Turn};
use ken_language::WordList;

use super::said::{Sentence, identifiers, joined, sentences, tokens};
use super::signature::signature;
use super::{Draft, DraftKind, path_of};
use crate::conversation::commands::command;
use crate::limits::harvest::{
    COMMAND_CHARS_MAX, COMMANDS_TOLD_MIN, DETAIL_CHARS_MAX, EXPLANATION_WORDS_MIN, PLACES_MAX,
    STATEMENT_CHARS_MAX,
};

static OWN_SLIP: WordList = WordList::new(include_str!("../../words/harvest/own_slip.txt"));
static PROBLEM: WordList = WordList::new(include_str!("../../words/harvest/problem.txt"));
static NECESSITY: WordList = WordList::new(include_str!("../../words/harvest/necessity.txt"));

/// A run of a command whose end says something.
struct Run<'a> {
    at: usize,
    steps: Vec<String>,
    line: &'a str,
    output: &'a str,
    succeeded: bool,
}

impl Run<'_> {
    /// Whether it runs another command, by itself or among others that must all succeed, or the same one with more flags.
    fn includes(&self, other: &Run<'_>) -> bool {
        let count = other.steps.len();
        count > 0 && self.steps.windows(count).any(|part| part == other.steps)
            || has_more_flags(self.line, other.line)
    }
}

/// One agent's turns in, drafts out.
pub(super) fn drafts(turns: &[&Turn]) -> Vec<Draft> {
    let runs = runs(turns);
    let mut found: Vec<Draft> = Vec::new();
    for (number, pass) in runs.iter().enumerate().filter(|(_, run)| run.succeeded) {
        // The failures of the same command since it last passed.
        let before = runs[..number].iter().rev().filter(|run| pass.includes(run));
        let failures: Vec<&Run<'_>> = before.take_while(|run| !run.succeeded).collect();
        let (Some(last), Some(first)) = (failures.first(), failures.last()) else { continue };
        if checks_form(last.line) {
            continue;
        }
        let mended = Mended { turns, first, last, pass };
        let draft = if passed_unchanged(&mended, &runs) { None } else { mended.draft() };
        let Some(draft) = draft else { continue };
        // `pytest tests/a.py` and `pytest` tell of the same failure.
        let same = |known: &Draft| {
            known.statement == draft.statement
                || overlap(known.lines, draft.lines) && known.kind == draft.kind
        };
        match found.iter_mut().find(|known| same(known)) {
            Some(known) => known.lines = (known.lines.0.min(draft.lines.0), known.lines.1.max(draft.lines.1)),
            None => found.push(draft),
        }
    }
    let more = diagnosed(turns, &found);
    found.extend(more);
    found
}

/// The lines between a failure and its end that prove nothing about the code as it was: a test that was written first, an edit that was not
/// finished, a formatter, luck, the agent's own slip. What is said there explains what the agent just did.
pub(super) fn discounted(turns: &[&Turn]) -> Vec<(u32, u32)> {
    let runs = runs(turns);
    let mut found = Vec::new();
    for (number, pass) in runs.iter().enumerate().filter(|(_, run)| run.succeeded) {
        let before = runs[..number].iter().rev().filter(|run| pass.includes(run));
        let failures: Vec<&Run<'_>> = before.take_while(|run| !run.succeeded).collect();
        let (Some(last), Some(first)) = (failures.first(), failures.last()) else { continue };
        let mended = Mended { turns, first, last, pass };
        let since = &turns[last.at + 1..pass.at];
        let edits: Vec<&Turn> = since.iter().copied().filter(|turn| is_edit(turn)).collect();
        let is_own = said(since).into_iter().flat_map(sentences).any(|one| one.has(&OWN_SLIP))
            || !edits.is_empty() && (mended.is_test_first() || mended.is_unfinished(&edits));
        if is_own || checks_form(last.line) || passed_unchanged(&mended, &runs) {
            found.push((turns[first.at].lines.0, turns[pass.at].lines.1));
        }
    }
    found
}

/// What the agent found out and mended without a command that failed first: the person told of the failure, or another command shows that it is gone.
///
/// More is asked of the words then: a problem in the question, a cause around the edit, and a run that passes after it.
fn diagnosed(turns: &[&Turn], known: &[Draft]) -> Vec<Draft> {
    let runs = runs(turns);
    let mut found = Vec::new();
    let mut starts: Vec<usize> =
        (0..turns.len()).filter(|at| matches!(turns[*at].act, Act::Asked(_))).collect();
    starts.push(turns.len());
    for part in starts.windows(2) {
        let (from, to) = (part[0], part[1]);
        let Act::Asked(question) = &turns[from].act else { continue };
        let lines = (turns[from].lines.0, turns[to - 1].lines.1);
        if known.iter().any(|draft| draft.kind == DraftKind::Cause && overlap(draft.lines, lines)) {
            continue;
        }
        let edits: Vec<usize> = (from..to).filter(|at| is_edit(turns[*at])).collect();
        let (Some(first), Some(last)) = (edits.first().copied(), edits.last().copied()) else { continue };
        let inside: Vec<&Run<'_>> = runs.iter().filter(|run| from < run.at && run.at < to).collect();
        let failed = inside.iter().rev().find(|run| !run.succeeded && run.at < last);
        let passed = inside.iter().rfind(|run| run.at > last).filter(|run| run.succeeded);
        let reports =
            signature(question).is_some() || sentences(question).iter().any(|one| one.has(&PROBLEM));
        let Some(passed) = passed.filter(|_| reports) else { continue };
        let texts = said(&turns[from..to]);
        if texts.iter().flat_map(|text| sentences(text)).any(|one| one.has(&OWN_SLIP)) {
            continue;
        }
        let changed: Vec<&Turn> = edits.iter().map(|at| turns[*at]).collect();
        let mut about = edited_names(&changed);
        about.extend(tokens(question));
        let gives_cause = |text: &&str| sentences(text).iter().any(|one| one.is_causal() && !one.is_plan());
        let before: Vec<Explanation> = said(&turns[from..last])
            .into_iter()
            .filter(gives_cause)
            .filter_map(|text| explanation(text, &about, Place::Before))
            .collect();
        let after: Vec<Explanation> = said(&turns[first..to])
            .into_iter()
            .filter(gives_cause)
            .filter_map(|text| explanation(text, &about, Place::After))
            .collect();
        let Some(best) = after.last().or(before.last()).filter(|_| !after.is_empty()) else { continue };
        let rest: Vec<&Sentence> = before.iter().flat_map(|one| &one.sentences).collect();
        let error = failed.and_then(|run| signature(run.output)).or_else(|| signature(question));
        let mut places: Vec<String> =
            changed.iter().filter_map(|turn| path_of(turn)).map(str::to_owned).collect();
        places.dedup();
        places.truncate(PLACES_MAX);
        found.push(Draft {
            detail: Some(joined(rest, DETAIL_CHARS_MAX)).filter(|rest| !rest.is_empty()),
            signature: error,
            command: None,
            places,
            lines: (lines.0, turns[passed.at].lines.1),
            ..Draft::new(DraftKind::Cause, joined(&best.sentences, STATEMENT_CHARS_MAX))
        });
    }
    found
}

fn overlap(one: (u32, u32), other: (u32, u32)) -> bool {
    one.0 <= other.1 && other.0 <= one.1
}

fn runs<'a>(turns: &[&'a Turn]) -> Vec<Run<'a>> {
    let mut found = Vec::new();
    for (at, turn) in turns.iter().enumerate() {
        let Act::Ran { command: line, succeeded, output } = &turn.act else { continue };
        let told = command(line).and_then(|known| Some((known.succeeded(*succeeded, output)?, known.steps)));
        if let Some((succeeded, steps)) = told {
            found.push(Run { at, steps, line, output, succeeded });
        }
    }
    found
}

/// Whether a command only checks how code is written: what it complains about is mended in a moment, and teaches nobody.
fn checks_form(line: &str) -> bool {
    const FORM: &[&str] = &[
        "lint",
        "fmt",
        "format",
        "prettier",
        "black",
        "ruff",
        "flake8",
        "isort",
        "codespell",
        "shellcheck",
        "clippy",
        "stylelint",
        "rubocop",
        "gofumpt",
        "checkstyle",
        "spotless",
        "biome",
        "ktlint",
        "pycodestyle",
    ];
    let last = line.rsplit("&&").next().unwrap_or(line).to_lowercase();
    last.split_whitespace().take(4).any(|word| FORM.iter().any(|form| word.contains(form)))
}

/// Errors of code that does not fit together yet.
const UNFINISHED: &[&str] = &[
    "cannot find",
    "not defined",
    "is not declared",
    "undeclared",
    "undefined",
    "unresolved",
    "no field",
    "no member",
    "no method",
    "syntaxerror",
    "syntax error",
    "unexpected token",
    "mismatched types",
    "not in scope",
    "cannot resolve",
    "has no attribute",
    "nameerror",
    "compilation error",
    "expected ';'",
    "missing import",
    "is not assignable",
    "does not satisfy",
    "unused",
    "indentationerror",
    "cannot be resolved",
    "does not compile",
    "could not compile",
];

/// Whether a line is another one with more flags: `./renew.sh --force edge-3`. Another argument would be another thing.
fn has_more_flags(line: &str, other: &str) -> bool {
    let split = |line: &'_ str| -> (Vec<String>, BTreeSet<String>) {
        let words = line.split_whitespace().map(str::to_owned);
        let (flags, plain): (Vec<String>, Vec<String>) = words.partition(|word| word.starts_with('-'));
        (plain, flags.into_iter().collect())
    };
    let is_plain = |line: &str| !line.contains(['|', ';', '&', '>', '$', '\n']);
    let ((plain, flags), (other_plain, other_flags)) = (split(line), split(other));
    is_plain(line) && is_plain(other) && plain == other_plain && flags.is_superset(&other_flags)
}

/// The program that the last command of a line runs, with its first word: `npx vitest`, `make test`, `python -m pytest`.
fn program(line: &str) -> Vec<&str> {
    let last = line.rsplit("&&").next().unwrap_or(line);
    let words: Vec<&str> = last.split_whitespace().filter(|word| !word.contains('=')).collect();
    let count = if words.get(1).is_some_and(|word| word.starts_with('-')) { 3 } else { 2 };
    words.into_iter().take(count).collect()
}

/// Whether what failed passed before anything was changed: then it was a matter of luck. A narrower run of the same program counts.
fn passed_unchanged(mended: &Mended<'_, '_>, runs: &[Run<'_>]) -> bool {
    let between = runs.iter().filter(|run| run.at > mended.last.at && run.at <= mended.pass.at);
    let same = |run: &&Run<'_>| run.succeeded && program(run.line) == program(mended.last.line);
    between.filter(same).any(|run| {
        let since = &mended.turns[mended.last.at + 1..run.at];
        let is_alone = run.steps.len() == mended.last.steps.len() && run.line == mended.last.line;
        since.iter().all(|turn| !changes(turn)) && (run.at != mended.pass.at || is_alone)
    })
}

/// Whether a turn may have changed something: an edit, or a command that does more than look.
fn changes(turn: &Turn) -> bool {
    match &turn.act {
        Act::Edited { done, .. } | Act::Wrote { done, .. } => *done,
        Act::Ran { command: line, .. } => command(line).is_some(),
        _ => false,
    }
}

fn is_edit(turn: &Turn) -> bool {
    matches!(&turn.act, Act::Edited { done: true, .. } | Act::Wrote { done: true, .. })
}

struct Mended<'t, 'r> {
    turns: &'t [&'t Turn],
    first: &'r Run<'r>,
    last: &'r Run<'r>,
    pass: &'r Run<'r>,
}

/// Sentences of a message that explain something.
struct Explanation {
    sentences: Vec<Sentence>,
    /// How much of it names what was changed, or gives a cause.
    weight: usize,
}

impl Mended<'_, '_> {
    fn draft(&self) -> Option<Draft> {
        let after = said_after(&self.turns[self.pass.at + 1..]);
        let since = &self.turns[self.last.at + 1..self.pass.at];
        let slips = said(since).into_iter().chain(after.iter().copied());
        if slips.flat_map(sentences).any(|one| one.has(&OWN_SLIP)) {
            return None;
        }
        match since.iter().any(|turn| is_edit(turn)) {
            true => self.cause(&after),
            false => self.setup(&after),
        }
    }

    /// Files were changed: what was wrong with them.
    fn cause(&self, after: &[&str]) -> Option<Draft> {
        let window = &self.turns[self.first.at + 1..self.pass.at];
        let edits: Vec<&Turn> = window.iter().copied().filter(|turn| is_edit(turn)).collect();
        let mut about = edited_names(&edits);
        about.extend(tokens(&self.signature().unwrap_or_default()));
        // What was said before the last failure did not mend it, at least not alone.
        let split = self.last.at - self.first.at;
        let (guessed, told) = window.split_at(split.min(window.len()));
        let read = |texts: Vec<&str>, place: Place| -> Vec<Explanation> {
            texts.into_iter().filter_map(|text| explanation(text, &about, place)).collect()
        };
        let early = read(said(guessed), Place::Before);
        let main: Vec<Explanation> =
            read(said(told), Place::Before).into_iter().chain(read(after.to_vec(), Place::After)).collect();
        let best = main.iter().max_by_key(|one| one.weight)?;
        let gives_cause = best.sentences.iter().any(Sentence::is_causal);
        if self.is_unfinished(&edits) && !gives_cause {
            return None;
        }
        // A test that was written first may still run into something that was wrong before: then what was there is named.
        if self.is_test_first() && !(gives_cause && names_what_was(best, &edits)) {
            return None;
        }
        let rest = early.iter().chain(main.iter().filter(|one| !std::ptr::eq(*one, best)));
        let mut places: Vec<String> = Vec::new();
        for path in edits.iter().filter_map(|turn| path_of(turn)) {
            if !places.iter().any(|known| known == path) {
                places.push(path.to_owned());
            }
        }
        places.truncate(PLACES_MAX);
        Some(Draft { places, ..self.written(DraftKind::Cause, best, rest, self.first) })
    }

    /// Whether the agent wrote the test that fails, for something that the person did not call broken: it fails because there is nothing yet.
    fn is_test_first(&self) -> bool {
        let before = &self.turns[..self.first.at];
        let since = before.iter().rposition(|turn| matches!(turn.act, Act::Asked(_)));
        let asked = since.and_then(|at| match &before[at].act {
            Act::Asked(text) => Some(text.as_str()),
            _ => None,
        });
        let is_problem =
            |text: &str| signature(text).is_some() || sentences(text).iter().any(|one| one.has(&PROBLEM));
        let is_test = |path: &str| {
            let lower = path.to_lowercase();
            lower.split(['/', '_', '.', '-']).any(|part| ["test", "tests", "spec", "specs"].contains(&part))
        };
        let wrote =
            before[since.unwrap_or(0)..].iter().filter(|turn| is_edit(turn)).filter_map(|turn| path_of(turn));
        wrote.into_iter().any(is_test) && !asked.is_some_and(is_problem)
    }

    /// Whether the failure is that of an edit which was not finished: the compiler names it, and the same files are edited on.
    fn is_unfinished(&self, edits: &[&Turn]) -> bool {
        let error = format!("{} {}", self.first.output, self.last.output).to_lowercase();
        let before = &self.turns[..self.first.at];
        let since = before.iter().rposition(|turn| matches!(turn.act, Act::Asked(_))).unwrap_or(0);
        let own: BTreeSet<&str> =
            before[since..].iter().filter(|turn| is_edit(turn)).filter_map(|turn| path_of(turn)).collect();
        let goes_on = edits.iter().filter_map(|turn| path_of(turn)).all(|path| own.contains(path));
        goes_on && UNFINISHED.iter().any(|word| error.contains(word))
    }

    /// Nothing was edited: what had to be done before the command could work, as the agent sums it up.
    fn setup(&self, after: &[&str]) -> Option<Draft> {
        let window = &self.turns[self.first.at + 1..self.pass.at];
        let done = window.iter().filter_map(|turn| match &turn.act {
            Act::Ran { command: line, succeeded, .. } if *succeeded != Some(false) => {
                command(line).map(|_| line.as_str())
            }
            _ => None,
        });
        let failed = tokens(self.last.line);
        let commands: Vec<&str> = done.chain([self.pass.line]).collect();
        let about: BTreeSet<String> =
            commands.iter().flat_map(|line| tokens(line)).filter(|name| !failed.contains(name)).collect();
        let told: Vec<Explanation> = after.iter().filter_map(|text| recipe(text, &about)).collect();
        let best = told.first()?;
        let guessed: Vec<Explanation> =
            said(window).into_iter().filter_map(|text| recipe(text, &about)).collect();
        let rest = guessed.iter().chain(&told[1..]);
        Some(self.written(DraftKind::Setup, best, rest, self.first))
    }

    fn signature(&self) -> Option<String> {
        signature(self.first.output).or_else(|| signature(self.last.output))
    }

    fn written<'a>(
        &self,
        kind: DraftKind,
        best: &Explanation,
        rest: impl Iterator<Item = &'a Explanation>,
        first: &Run<'_>,
    ) -> Draft {
        let rest: Vec<&Sentence> = rest.flat_map(|one| &one.sentences).collect();
        let rest = joined(rest, DETAIL_CHARS_MAX);
        Draft {
            detail: (!rest.is_empty()).then_some(rest),
            signature: self.signature(),
            command: Some(self.last.line.chars().take(COMMAND_CHARS_MAX).collect()),
            lines: (self.turns[first.at].lines.0, self.turns[self.pass.at].lines.1),
            ..Draft::new(kind, joined(&best.sentences, STATEMENT_CHARS_MAX))
        }
    }
}

/// Whether an explanation names something that the edits found there.
fn names_what_was(explanation: &Explanation, edits: &[&Turn]) -> bool {
    let was: BTreeSet<String> = edits
        .iter()
        .filter_map(|turn| match &turn.act {
            Act::Edited { old, .. } => Some(tokens(old)),
            _ => None,
        })
        .flatten()
        .collect();
    explanation.sentences.iter().any(|one| identifiers(&one.text).iter().any(|name| was.contains(name)))
}

/// The names in what was edited, and of the files.
fn edited_names(edits: &[&Turn]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for turn in edits {
        match &turn.act {
            Act::Edited { path, old, new, .. } => {
                names.extend(tokens(path));
                names.extend(tokens(old));
                names.extend(tokens(new));
            }
            Act::Wrote { path, content, .. } => {
                names.extend(tokens(path));
                names.extend(tokens(content));
            }
            _ => {}
        }
    }
    names
}

fn said<'a>(turns: &[&'a Turn]) -> Vec<&'a str> {
    turns
        .iter()
        .filter_map(|turn| match &turn.act {
            Act::Said(text) => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

/// What the agent says after something, until the person speaks.
fn said_after<'a>(turns: &[&'a Turn]) -> Vec<&'a str> {
    let until = turns.iter().position(|turn| matches!(turn.act, Act::Asked(_))).unwrap_or(turns.len());
    said(&turns[..until])
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Before,
    After,
}

/// Sentences of a message that tell something: no questions, guesses, plans, and no reports that all is well.
fn told(text: &str) -> Vec<Sentence> {
    let tells = |one: &Sentence| {
        let is_status =
            one.has(&["tests pass", "passes now", "pass now", "passes again", "all green", "is green"])
                && !one.is_causal();
        let is_short = one.words().count() < EXPLANATION_WORDS_MIN && !one.is_causal();
        !one.is_question() && !one.is_hedged() && !one.is_plan() && !is_status && !is_short
    };
    sentences(text).into_iter().filter(tells).collect()
}

/// A message that explains, if its sentences name what was changed. After the command passes a cause has to be given; before, where somebody looks
/// for it, what is said of the code is enough.
fn explanation(text: &str, about: &BTreeSet<String>, place: Place) -> Option<Explanation> {
    let all = told(text);
    let named = |one: &Sentence| identifiers(&one.text).iter().filter(|name| about.contains(*name)).count();
    let names: usize = all.iter().map(named).sum();
    let causes = all.iter().filter(|one| one.is_causal()).count();
    let explains = match place {
        Place::Before => names > 0,
        Place::After => names > 0 && causes > 0,
    };
    let weight = names * 2 + causes * 3;
    explains.then_some(Explanation { sentences: all, weight })
}

/// A message that says what it takes: it names what was run, and says that it is needed or gives the steps.
fn recipe(text: &str, about: &BTreeSet<String>) -> Option<Explanation> {
    let all = told(text);
    let named = |one: &Sentence| identifiers(&one.text).iter().filter(|name| about.contains(*name)).count();
    let in_code = |one: &Sentence| {
        let parts = one.text.split('`').skip(1).step_by(2);
        parts.filter(|part| tokens(part).iter().any(|name| about.contains(name))).count()
    };
    let is_recipe = |one: &Sentence| {
        named(one) > 0 && (one.is_causal() || one.has(&NECESSITY)) || in_code(one) >= COMMANDS_TOLD_MIN
    };
    let found: Vec<Sentence> = all.into_iter().filter(is_recipe).collect();
    let weight = found.iter().map(named).sum();
    (!found.is_empty()).then_some(Explanation { sentences: found, weight })
}
