//! Entries on their way out: which words of a file change because an entry did.

use std::collections::{BTreeMap, BTreeSet};

use ken_core::promotion::Standing;
use ken_core::{DocumentName, Entry, EntryKey, Kept, Memory, Relation, Status, belief};
use ken_engine::{Caller, Ledger, Overlaid, Query, Result, Stored, Threads};
use ken_formats::{Appended, Document, Format, Outgoing, Part, Place, StoreFacts};

use crate::{Config, Site};

/// A file as it should be.
#[derive(Debug, Default)]
pub(super) struct Rendered {
    /// Its text; none where nothing of it is left.
    pub text: Option<String>,
    /// Where it belongs now, if that is elsewhere.
    pub moved_to: Option<String>,
    /// Text for the ends of other files.
    pub appended: Vec<Appended>,
    /// What its format has no words for, in sentences.
    pub unsaid: Vec<String>,
}

/// A file with what changed here since the two were in step. `document` is its text, taken apart.
pub(super) fn render(
    ledger: &Ledger,
    caller: &Caller,
    format: &dyn Format,
    kept: &Kept,
    document: &Document,
    pending: &BTreeMap<EntryKey, BTreeSet<String>>,
) -> Result<Rendered> {
    let mut rendered = Rendered::default();
    let mut text = String::new();
    let mut left = 0;
    let mut items = kept.parts.iter().filter(|part| !part.name.is_empty());
    for part in &document.parts {
        let item = match part {
            Part::Text(around) => {
                text.push_str(around);
                continue;
            }
            Part::Item(item) => item,
        };
        let entry = items.next().and_then(|part| part.entry);
        let changed = entry.and_then(|key| Some((key, pending.get(&key)?)));
        let Some((key, changed)) = changed else {
            text.push_str(&item.text);
            left += 1;
            continue;
        };
        let Some(stored) = ledger.stored(key)? else {
            continue;
        };
        let place = Place { path: &kept.document.path, text: &item.text, name: &item.name };
        let owned = ties_of(ledger, &stored)?;
        let rewritten = format.rewrite(place, &outgoing(&stored, &owned, changed.clone(), caller.now()));
        if let Some(new) = rewritten.text {
            text.push_str(&new);
            left += 1;
        }
        rendered.moved_to = rendered.moved_to.or(rewritten.moved_to);
        rendered.appended.extend(rewritten.appended);
        // What else an entry rests on and belongs to is ours to know.
        let unsaid = rewritten.unsaid.iter().filter(|field| !matches!(field.as_str(), "citations" | "links"));
        let unsaid: Vec<&str> = unsaid.map(String::as_str).collect();
        if !unsaid.is_empty() {
            rendered.unsaid.push(format!(
                "{}: {} has no words for {}",
                stored.id,
                format.word(),
                unsaid.join(", ")
            ));
        }
    }
    let was_one = document.items().count() == 1 && document.parts.len() == 1;
    rendered.text = (left > 0 || !was_one).then_some(text);
    Ok(rendered)
}

/// Entries that a format can hold and that no file of it does, with the file that each belongs into. Those that came out of other files stay
/// there, unless all are asked for.
pub(super) fn homeless(
    ledger: &Ledger,
    site: &Site,
    caller: &Caller,
    format: &dyn Format,
    among: &Among<'_>,
) -> Result<Vec<(Stored, String)>> {
    let homes = ledger.homes()?;
    let is_here =
        |name: &DocumentName| name.format == format.word() && among.root.is_none_or(|root| root == name.root);
    let query = Query {
        memories: vec![Memory::Semantic, Memory::Procedural, Memory::Episodic],
        overlaid: Overlaid::Any,
        threads: Threads::SeenFrom(None),
        only: among.only.map(|only| only.iter().copied().collect()),
        all: true,
        ..Query::default()
    };
    let mut paths = among.paths.clone();
    let project = crate::repository::project(site);
    let mut found = Vec::new();
    let mut stored: Vec<Stored> = ledger.list(&query)?.entries;
    stored.sort_by_key(|stored| (stored.entry.created, stored.entry.key));
    for stored in stored {
        let goes_out = stored.entry.status.is_retrieved() && stored.is_on_branch() && !stored.purge_asked;
        let homes = homes.get(&stored.entry.key).map(Vec::as_slice).unwrap_or_default();
        let from = stored.entry.fields.document.as_ref().and_then(|document| document.path.as_deref());
        let came = match from {
            None => false,
            Some(from) if homes.is_empty() => {
                !among.is_below(from) && !ledger.quoting(stored.entry.key)?.is_empty()
            }
            Some(from) => homes.iter().any(|name| is_below(from, &name.root)),
        };
        if !may_instruct(ledger, &site.config, format, &stored)? {
            continue;
        }
        if !goes_out || homes.iter().any(is_here) || (came && !among.all) {
            continue;
        }
        let owned = ties_of(ledger, &stored)?;
        let known = StoreFacts {
            paths: &paths,
            folder: among.folder,
            is_global: site.options.global,
            project: &project,
            now: caller.now(),
        };
        let path = format.path_for(&outgoing(&stored, &owned, BTreeSet::new(), caller.now()), &known);
        if let Some(path) = path {
            paths.insert(path.clone());
            found.push((stored, path));
        }
    }
    Ok(found)
}

/// GAT-2: agents obey some files to the letter. What nobody accepted, or nobody used yet, is not written there.
pub(super) fn may_instruct(
    store: &Ledger,
    config: &Config,
    format: &dyn Format,
    stored: &Stored,
) -> Result<bool> {
    match format.word() {
        "agents-md" => {}
        "adr" => return Ok(is_decided(&stored.entry)),
        _ => return Ok(true),
    }
    if stored.entry.memory() != Memory::Procedural {
        return Ok(matches!(stored.entry.status, Status::Active | Status::Verified));
    }
    let authority = crate::promote::authority_of(store, config, &stored.entry)?;
    Ok(authority.is_some_and(|authority| authority.state == Standing::InForce))
}

/// What an entry is tied to, by the ids of the others.
pub(super) fn ties_of(store: &Ledger, stored: &Stored) -> Result<OwnedTies> {
    let mut ties = Vec::new();
    for link in &stored.entry.links {
        if let Some(other) = store.stored(link.to)? {
            ties.push((link.relation, other.id));
        }
    }
    let superseded_by = match stored.entry.superseded_by {
        Some(by) => store.stored(by)?.map(|other| other.id),
        None => None,
    };
    Ok(OwnedTies { ties, superseded_by })
}

/// Whether an entry is a decision and not only a proposal of an agent: people read a record as what was decided.
fn is_decided(entry: &Entry) -> bool {
    let was_used = matches!(entry.status, Status::Active | Status::Verified);
    let was_imported = entry.fields.document.is_some();
    let by_person = entry.created_by.starts_with("human:") && entry.gaps().is_empty();
    was_used || was_imported || by_person || entry.confirmed_by.iter().any(|by| by.starts_with("human:"))
}

/// Whether a file lies in a folder.
fn is_below(path: &str, root: &str) -> bool {
    let root = root.strip_prefix(super::OUTSIDE).unwrap_or(root);
    root.is_empty() || path.strip_prefix(root).is_some_and(|rest| rest.starts_with('/'))
}

impl Among<'_> {
    fn is_below(&self, path: &str) -> bool {
        self.root.is_some_and(|root| is_below(path, root))
    }
}

/// Which entries are meant, and where they would go.
pub(super) struct Among<'a> {
    /// The files that are there.
    pub paths: &'a BTreeSet<String>,
    /// The one folder that is written to; none for all of the format.
    pub root: Option<&'a str>,
    /// That folder, as its mirror names it.
    pub folder: &'a str,
    /// Also entries that came out of other files.
    pub all: bool,
    /// None but these entries.
    pub only: Option<&'a BTreeSet<EntryKey>>,
}

/// What an entry is tied to.
pub(super) struct OwnedTies {
    ties: Vec<(Relation, String)>,
    superseded_by: Option<String>,
}

/// An entry as formats take it.
pub(super) fn outgoing<'a>(
    stored: &'a Stored,
    owned: &OwnedTies,
    changed: BTreeSet<String>,
    now: ken_core::Millis,
) -> Outgoing<'a> {
    let entry = &stored.entry;
    let belief = belief::belief_at(entry, now).now;
    Outgoing {
        id: &stored.id,
        handle: entry.handle.as_deref().unwrap_or(&stored.id),
        kind: &entry.kind,
        fields: &entry.fields,
        citations: entry.evidence().collect(),
        status: entry.status,
        reason: entry.status_reason.as_deref(),
        created: entry.since.unwrap_or(entry.created.millis()),
        updated: entry.updated.millis(),
        created_by: &entry.created_by,
        last_confirmed: entry.last_confirmed.map(|at| at.millis()),
        confirmation: entry.confirmation,
        belief: (belief.alpha, belief.beta),
        ties: owned.ties.clone(),
        superseded_by: owned.superseded_by.clone(),
        changed,
    }
}
