//! The answers of `check` for code hosts.

use kenning::core::answer::ConditionVerdict;
use kenning::core::condition::Condition;
use kenning::core::words::one_line;
use kenning::core::{Spot, Verdict};
use kenning::{CheckAnswer, Checked, DiffAnswer, Effect};
use serde_json::Value;

use crate::commands::sarif::{self, Rule};

/// Characters of a title in a message.
const TITLE_CHARS_MAX: usize = 100;

/// Every rule: its name, what it means, and how loud it is.
const RULES: &[Rule] = &[
    ("entry-broken", "An entry no longer holds.", "error"),
    ("entry-contradicted", "A condition of an entry no longer holds.", "error"),
    ("entry-orphaned", "All code that an entry describes was deleted.", "error"),
    ("entry-drifted", "Code that an entry describes was changed.", "warning"),
    ("entry-unverifiable", "An entry can no longer be verified.", "note"),
    ("entry-moved", "Code that an entry describes was moved.", "note"),
    ("norm-touched", "A norm is about a changed file.", "note"),
];

pub(super) fn of_check(answer: &CheckAnswer) -> Value {
    let results = answer.entries.iter().filter_map(|entry| {
        let rule = match entry.verdict {
            Verdict::Broken => "entry-broken",
            Verdict::Drifted => "entry-drifted",
            Verdict::Moved => "entry-moved",
            Verdict::Fresh | Verdict::Unverifiable => return None,
        };
        Some(result(rule, entry, &[]))
    });
    sarif::document(RULES, results.collect())
}

pub(super) fn of_diff(answer: &DiffAnswer) -> Value {
    let entries = answer.entries.iter().filter_map(|affected| {
        let rule = match affected.effect {
            Effect::Breaks => "entry-broken",
            Effect::Contradicts => "entry-contradicted",
            Effect::Orphans => "entry-orphaned",
            Effect::Drifts => "entry-drifted",
            Effect::Obscures => "entry-unverifiable",
            Effect::Reanchors => "entry-moved",
            Effect::Mends => return None,
        };
        Some(result(rule, &affected.entry, &answer.changed))
    });
    let norms = answer.norms.iter().map(|norm| {
        let text = format!("{}: {}", norm.head.id, norm.rule);
        let file = norm.files.first().map(String::as_str).unwrap_or_default();
        one("norm-touched", &text, &Spot { path: Some(file.to_owned()), ..Spot::default() }, &norm.head.id)
    });
    sarif::document(RULES, entries.chain(norms).collect())
}

fn result(rule: &str, entry: &Checked, changed: &[String]) -> Value {
    let head = &entry.head;
    let title = one_line(&head.title, TITLE_CHARS_MAX);
    let mut said = vec![format!("{} ({title}) is {}.", head.handle, entry.verdict)];
    said.extend(
        entry
            .conditions
            .iter()
            .filter(|condition| condition.verdict != ConditionVerdict::Holds)
            .map(|condition| format!("{} {}: {}.", condition.text, condition.verdict, condition.why)),
    );
    said.extend(entry.anchors.iter().filter(|anchor| anchor.found.verdict != Verdict::Fresh).map(|anchor| {
        let now = anchor.found.now.as_ref().map(|now| format!(", now {now}")).unwrap_or_default();
        format!("{} {}{now}: {}.", anchor.at, anchor.found.verdict, anchor.found.why)
    }));
    if !entry.chain.is_empty() {
        let cause = entry.cause.as_ref().map(|cause| format!(": {cause}")).unwrap_or_default();
        said.push(format!("Because of {}{cause}.", entry.chain.join(", which depends on ")));
    }
    let text = said.join(" ");
    let spot = place(entry, &text, changed);
    one(rule, &text, &spot, &head.id)
}

/// The place that has most to do with it: in a file that the change touches, if there is one.
fn place(entry: &Checked, text: &str, changed: &[String]) -> Spot {
    let mut anchors: Vec<_> = entry.anchors.iter().collect();
    anchors.sort_by_key(|anchor| std::cmp::Reverse(anchor.found.verdict));
    let anchors =
        anchors.into_iter().map(|anchor| Spot::parse(anchor.found.now.as_deref().unwrap_or(&anchor.at)));
    let broken = entry.conditions.iter().filter(|condition| condition.verdict != ConditionVerdict::Holds);
    let conditions = broken.filter_map(|condition| {
        let path = Condition::parse(&condition.text).ok()?.path()?.to_owned();
        Some(Spot { path: Some(path), ..Spot::default() })
    });
    let spots: Vec<Spot> = conditions.chain(anchors).filter(|spot| spot.path.is_some()).collect();
    let is_changed = |spot: &&Spot| spot.path.as_ref().is_some_and(|path| changed.contains(path));
    let named = || changed.iter().find(|file| text.contains(file.as_str()));
    let file = |path: &str| Spot { path: Some(path.to_owned()), ..Spot::default() };
    let found = spots.iter().find(is_changed).cloned().or_else(|| named().map(|path| file(path)));
    found.or_else(|| spots.into_iter().next()).unwrap_or_else(|| file(".kenning/VERSION"))
}

fn one(rule: &str, text: &str, spot: &Spot, entry: &str) -> Value {
    let path = spot.path.as_deref().unwrap_or_default();
    sarif::result(RULES, rule, text, (path, spot.lines), entry)
}
