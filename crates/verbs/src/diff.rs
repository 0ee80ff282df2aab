//! `diff`: the knowledge a change adds, changes and takes away.

use std::collections::BTreeMap;

use ken_core::{Citation, Code, EntryKey, Millis, Refusal};
use ken_engine::{BRANCH, Caller, Error, Ledger, Overlaid, Query, Stored};
use ken_worktree::git::Git;
use serde::Serialize;
use serde_json::Value;

use crate::{EntryLine, Layout, Projection, Result};

/// The knowledge between two commits.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Diff {
    /// Entries that are new.
    pub added: Vec<DiffEntry>,
    /// Entries that stand or read differently.
    pub changed: Vec<DiffEntry>,
    /// Entries that are no longer there.
    pub removed: Vec<DiffEntry>,
    /// How many there are of each, where a limit was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub totals: Option<DiffTotals>,
}

/// How many entries a change adds, changes and removes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffTotals {
    pub added: usize,
    pub changed: usize,
    pub removed: usize,
}

/// An entry of a diff.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffEntry {
    /// The entry, as it is after the change; before it where it was removed.
    #[serde(flatten)]
    pub entry: EntryLine,
    /// What it rests on.
    pub evidence: Vec<String>,
    /// What is different, in words.
    pub changes: Vec<FieldChange>,
}

/// One field of an entry before and after a change, in words; empty where there was nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FieldChange {
    /// The field, or `status`, `evidence`, `links`.
    pub field: String,
    /// What it said before.
    pub before: String,
    /// What it says now.
    pub after: String,
}

impl Diff {
    /// Whether nothing is different.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }
}

/// The knowledge between two states, `BASE..HEAD`; with nothing behind the dots, the working tree.
///
/// Three dots compare with where the two branches parted, as a pull request does.
pub fn diff(ledger: &Ledger, layout: &Layout, caller: &Caller, range: &str) -> Result<Diff> {
    diff_within(ledger, layout, caller, range, None)
}

/// The same with at most so many entries of each kind, and how many there are.
pub fn diff_within(
    ledger: &Ledger,
    layout: &Layout,
    caller: &Caller,
    range: &str,
    limit: Option<usize>,
) -> Result<Diff> {
    let (base, head) = ends(layout, range)?;
    let commit = Some(head.as_str()).filter(|head| !head.is_empty());
    let now = caller.now();
    // Entries that read the same in both trees are no part of the answer, and are not read.
    if let Some(between) = ledger.snapshot().git()?.between(&base, commit)? {
        let before = entries(&*between.before)?;
        let after = match &between.after {
            Some(after) => entries(&**after)?,
            None => entries_here(ledger, Some(between.keys.into_iter().collect()))?,
        };
        return Ok(compare(&before, &after, 0, limit, now));
    }
    let before = entries(&*ledger.snapshot().git()?.as_of_commit(&base, None)?)?;
    if !head.is_empty() {
        let after = entries(&*ledger.snapshot().git()?.as_of_commit(&head, None)?)?;
        return Ok(compare(&before, &after, 0, limit, now));
    }
    let Some(limit) = limit else {
        return Ok(compare(&before, &entries_here(ledger, None)?, 0, None, now));
    };
    // Of what is new, only as many are read as are told.
    let (known, mut new): (Vec<EntryKey>, Vec<EntryKey>) =
        ledger.keys(&here(None))?.into_iter().partition(|key| before.contains_key(key));
    new.sort_unstable();
    let unread = new.len().saturating_sub(limit);
    new.truncate(limit);
    let after = entries_here(ledger, Some(known.into_iter().chain(new).collect()))?;
    Ok(compare(&before, &after, unread, Some(limit), now))
}

/// The two ends of a range; an empty second one is the working tree.
pub(crate) fn ends(layout: &Layout, range: &str) -> Result<(String, String)> {
    let (base, head) = match (range.split_once("..."), range.split_once("..")) {
        (Some((base, head)), _) => {
            (merge_base(layout, base, if head.is_empty() { "HEAD" } else { head })?, head.to_owned())
        }
        (None, Some((base, head))) => (base.to_owned(), head.to_owned()),
        (None, None) => (range.to_owned(), String::new()),
    };
    Ok((if base.is_empty() { "HEAD".to_owned() } else { base }, head))
}

fn merge_base(layout: &Layout, base: &str, head: &str) -> Result<String> {
    let base = if base.is_empty() { "HEAD" } else { base };
    // A name that git does not know has no history, either.
    let parted = |git: &Git| match (git.commit(base)?, git.commit(head)?) {
        (Some(_), Some(_)) => git.merge_base(base, head),
        (Some(_), None) | (None, _) => Ok(None),
    };
    let found = match &layout.git {
        Some(git) => parted(git).map_err(Error::failed("asking git for the merge base"))?,
        None => None,
    };
    found.ok_or_else(|| {
        Refusal::new(Code::NotFound, format!("{base} and {head} have no common history here"))
            .field("range")
            .into()
    })
}

fn entries_here(store: &Ledger, only: Option<Vec<EntryKey>>) -> Result<BTreeMap<EntryKey, Stored>> {
    let page = store.list(&here(only))?;
    // What this clone lays over entries is no part of a change.
    let bare = page.entries.into_iter().map(|stored| Stored { overlay: Default::default(), ..stored });
    Ok(bare.map(|stored| (stored.entry.key, stored)).collect())
}

fn entries(snapshot: &dyn Projection) -> Result<BTreeMap<EntryKey, Stored>> {
    let page = snapshot.list(&Query { all: true, ..Query::default() })?;
    Ok(page.entries.into_iter().map(|stored| (stored.entry.key, stored)).collect())
}

/// Every entry in this branch's ledger files.
fn here(only: Option<Vec<EntryKey>>) -> Query {
    Query { all: true, subset: Some(BRANCH), overlaid: Overlaid::Any, only, ..Query::default() }
}

/// What is different between two sets of entries. So many more are new that were not read, and at most so many of each kind are told.
fn compare(
    before: &BTreeMap<EntryKey, Stored>,
    after: &BTreeMap<EntryKey, Stored>,
    unread: usize,
    limit: Option<usize>,
    now: Millis,
) -> Diff {
    let most = limit.unwrap_or(usize::MAX);
    let mut diff = Diff::default();
    let mut totals = DiffTotals { added: unread, ..DiffTotals::default() };
    let tell = |into: &mut Vec<DiffEntry>, total: &mut usize, stored: &Stored, changes: Vec<FieldChange>| {
        *total += 1;
        if into.len() < most {
            into.push(told(stored, changes, now));
        }
    };
    for (key, new) in after {
        match before.get(key) {
            None => tell(&mut diff.added, &mut totals.added, new, Vec::new()),
            Some(old) => {
                let changes = changes(old, new);
                if !changes.is_empty() {
                    tell(&mut diff.changed, &mut totals.changed, new, changes);
                }
            }
        }
    }
    for (_, old) in before.iter().filter(|(key, _)| !after.contains_key(*key)) {
        tell(&mut diff.removed, &mut totals.removed, old, Vec::new());
    }
    diff.totals = limit.map(|_| totals);
    diff
}

fn told(stored: &Stored, changes: Vec<FieldChange>, now: Millis) -> DiffEntry {
    let evidence = stored.entry.evidence().map(Citation::reference).collect();
    DiffEntry { entry: ken_engine::view::line(stored, now), evidence, changes }
}

fn changes(old: &Stored, new: &Stored) -> Vec<FieldChange> {
    let mut changes = Vec::new();
    let mut differs = |field: &str, before: String, after: String| {
        changes.push(FieldChange { field: field.to_owned(), before, after });
    };
    if old.entry.status != new.entry.status {
        differs("status", old.entry.status.word().to_owned(), new.entry.status.word().to_owned());
    }
    let fields = |stored: &Stored| match serde_json::to_value(&stored.entry.fields) {
        Ok(Value::Object(map)) => map,
        _ => Default::default(),
    };
    let (was, is) = (fields(old), fields(new));
    let names: std::collections::BTreeSet<&String> = was.keys().chain(is.keys()).collect();
    for name in names {
        if was.get(name) != is.get(name) {
            differs(name, words(was.get(name)), words(is.get(name)));
        }
    }
    for (what, a, b) in [
        ("evidence", old.entry.evidence().count(), new.entry.evidence().count()),
        ("links", old.entry.links.len(), new.entry.links.len()),
    ] {
        if a != b {
            differs(what, a.to_string(), b.to_string());
        }
    }
    changes
}

fn words(value: Option<&Value>) -> String {
    match value {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(list)) => list.iter().map(|item| words(Some(item))).collect::<Vec<_>>().join(", "),
        Some(Value::Object(map)) if map.len() == 1 => words(map.values().next()),
        Some(other) => other.to_string(),
    }
}
