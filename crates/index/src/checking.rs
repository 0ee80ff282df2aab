//! What is wrong with the entries of a projection: schema, provenance, ids and links.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use ken_core::entry::is_about_words;
use ken_core::event::Line;
use ken_core::{Body, EntryEvent, EntryKey, Relation};
use ken_engine::{Entries, Finding, Report, Result, Stored};

use crate::error::index_error;
use crate::projection::{Base, Projected};

/// An entry that supersedes others.
struct Successor {
    id: String,
    is_in_use: bool,
    supersedes: BTreeSet<EntryKey>,
}

impl Successor {
    fn of(stored: &Stored) -> Option<Successor> {
        let links = stored.entry.links.iter().filter(|link| link.relation == Relation::Supersedes);
        let supersedes: BTreeSet<EntryKey> = links.map(|link| link.to).collect();
        let is_in_use = stored.entry.status.is_retrieved();
        (!supersedes.is_empty()).then(|| Successor { id: stored.id.clone(), is_in_use, supersedes })
    }
}

/// Entries that supersede each other, ring by ring.
fn rings(successors: &BTreeMap<EntryKey, Successor>) -> Vec<BTreeSet<EntryKey>> {
    let reached = |from: EntryKey| {
        let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(key) = open.pop() {
            let next = successors.get(&key).into_iter().flat_map(|one| &one.supersedes);
            open.extend(next.copied().filter(|key| reached.insert(*key)));
        }
        reached
    };
    let mut rings: Vec<BTreeSet<EntryKey>> = Vec::new();
    for key in successors.keys() {
        let behind = reached(*key);
        if behind.contains(key) && !rings.iter().any(|ring| ring.contains(key)) {
            rings.push(behind.into_iter().filter(|other| reached(*other).contains(key)).collect());
        }
    }
    rings
}

fn ring_finding(ring: &BTreeSet<EntryKey>, successors: &BTreeMap<EntryKey, Successor>) -> Finding {
    let members = || ring.iter().filter_map(|key| successors.get(key).map(|one| (*key, one)));
    let names: Vec<&str> = members().map(|(_, one)| one.id.as_str()).collect();
    let names = names.join(" and ");
    let (message, hint) = match members().find(|(_, one)| one.is_in_use) {
        Some((used, kept)) => {
            let over = |(_, one): &(EntryKey, &Successor)| one.supersedes.contains(&used);
            let other = members().find(over).map_or("ID", |(_, one)| one.id.as_str());
            let message =
                format!("{names} supersede each other; {} is in use, since that was said last", kept.id);
            let hint = format!(
                "if that is right: ken link {other} supersedes {} --remove; otherwise: ken restore {other}",
                kept.id
            );
            (message, hint)
        }
        None => (
            format!("{names} supersede each other, and none of them is in use"),
            "ken restore ID brings back the one that holds".to_owned(),
        ),
    };
    Finding { code: "supersession_ring", file: None, line: None, message, hint: Some(hint) }
}

/// The ledger file that states an entry.
fn file_that_says<B: Base>(projection: &Projected<B>, key: EntryKey) -> Result<Option<String>> {
    let mut history = projection.history(key)?.into_iter();
    Ok(history.find(|placed| placed.event.type_name == "entry.added").and_then(|placed| placed.line?.file))
}

/// Schema, provenance, ids and links of every entry.
pub fn check_entries<B: Base>(projection: &Projected<B>, report: &mut Report) -> Result<()> {
    let index = projection.index();
    for (given, ids) in index.clashes().map_err(index_error)? {
        report.notices.push(Finding {
            code: "id_twice",
            file: None,
            line: None,
            message: format!(
                "{} entries have the id {given}; they are shown as {}",
                ids.len(),
                ids.join(", ")
            ),
            hint: Some("supersede or retract the wrong ones".to_owned()),
        });
    }
    for id in index.purges_asked().map_err(index_error)? {
        report.notices.push(Finding {
            code: "purge_asked",
            file: None,
            line: None,
            message: format!(
                "another clone requested the purge of {id}; it is hidden until a person confirms here"
            ),
            hint: Some(format!(
                "to confirm: ken purge {id}; otherwise remove the request: git log -- .kenning"
            )),
        });
    }
    let every = ken_engine::Query { all: true, overlaid: ken_engine::Overlaid::Any, ..Default::default() };
    let mut successors: BTreeMap<EntryKey, Successor> = BTreeMap::new();
    projection.each(&every, &mut |stored| {
        report.entries += 1;
        let entry = &stored.entry;
        if let Some(successor) = Successor::of(&stored) {
            successors.insert(entry.key, successor);
        }
        let is_in_use = entry.status.is_retrieved()
            && entry.memory() != ken_core::Memory::Episodic
            && !stored.overlay.hides();
        report.in_use += usize::from(is_in_use);
        let Some(kind) = entry.kind.known() else {
            report.notices.push(Finding {
                code: "unknown_type",
                file: None,
                line: None,
                message: format!(
                    "{} is a {}, a type of a newer version; it is kept unchanged",
                    stored.id, entry.kind
                ),
                hint: None,
            });
            return Ok(());
        };
        // What was kept out says nothing here, and that is as it should be (IN-1).
        let says = entry.status != ken_core::Status::Rejected;
        if !says && let Some(file) = file_that_says(projection, entry.key)? {
            report.notices.push(Finding {
                code: "kept_out",
                message: format!(
                    "{} is quarantined, but its text is in a file that agents may read",
                    stored.id
                ),
                hint: Some(format!(
                    "delete the text with `ken purge {0}`, or a person may `ken quarantine release {0}`",
                    stored.id
                )),
                file: Some(file),
                line: None,
            });
        }
        for fault in ken_core::schema::check(kind, &entry.fields).into_iter().filter(|_| says) {
            report.errors.push(Finding {
                code: "schema",
                file: None,
                line: None,
                message: format!("{}: {}: {}", stored.id, fault.field, fault.problem),
                hint: Some(format!("ken edit {} ...", stored.id)),
            });
        }
        for gap in entry.gaps() {
            let missing_provenance = gap == ken_core::Gap::Provenance;
            let finding = Finding {
                code: if missing_provenance { "provenance" } else { "gap" },
                file: None,
                line: None,
                message: match missing_provenance {
                    true => format!("{}: provenance required: it cites no evidence", stored.id),
                    false => format!("{} has no {}", stored.id, gap.word()),
                },
                hint: Some(format!("ken edit {} {} ...", stored.id, gap.flag())),
            };
            report.notices.push(finding);
        }
        for link in &entry.links {
            if index.has_entry(link.to).map_err(index_error)? {
                continue;
            }
            report.notices.push(Finding {
                code: "link",
                file: None,
                line: None,
                message: format!("{} {} {}, which does not exist", stored.id, link.relation, link.to),
                hint: None,
            });
        }
        Ok(())
    })?;
    report.notices.extend(rings(&successors).into_iter().map(|ring| ring_finding(&ring, &successors)));
    Ok(())
}

/// Entries whose trust is of versions that did not name the words it was earned for (COR-18).
#[derive(Default)]
pub struct Pins {
    unnamed: HashSet<EntryKey>,
    pinned: HashSet<EntryKey>,
}

impl Pins {
    pub fn take(&mut self, line: &Line) {
        let Line::Event(event) = line else { return };
        let (Some(key), Some(body)) = (event.entry, &event.body) else { return };
        if matches!(body, Body::Entry(EntryEvent::Pinned { .. })) {
            self.pinned.insert(key);
        } else if event.words.is_none() && is_about_words(body) {
            self.unnamed.insert(key);
        }
    }

    pub fn finding(&self) -> Option<Finding> {
        let count = self.unnamed.difference(&self.pinned).count();
        let entries = if count == 1 { "1 entry has".to_owned() } else { format!("{count} entries have") };
        (count > 0).then(|| Finding {
            code: "words_unnamed",
            file: None,
            line: None,
            message: format!(
                "{entries} confirmations, promotions, proofs or observations that name no words; they count for the words at their date"
            ),
            hint: Some("`ken maintain migrate` pins them to the words shown now; read those first".to_owned()),
        })
    }
}
