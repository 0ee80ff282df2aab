//! The verbs that keep a store clean beyond the intake: what the rules of today say of what is there, and purging a secret.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ken_core::{Body, Code, EntryKey, Event, Refusal, Scope, Status, Tier};
use ken_engine::intake::{self, Names, Objection};
use ken_engine::state::{self, Purged, written_forms};
use ken_engine::{Caller, Error, IndexPageMoment, Ledger, Overlaid, Query, RecordKind, Result};
use ken_guard::known::KnownValue;
use ken_worktree::git::Git;
use serde::Serialize;

use crate::intake_rules::scope_names;
use crate::limits::scan::{CUT_NAME_CHARS_MIN, SLUG_START_CHARS_MIN};
use crate::repository::RepositoryView;
use crate::{Config, Options, STORE_FOLDER, Site};

/// A tier of the scanner as answers hold it.
pub fn tier(tier: ken_guard::Tier) -> Tier {
    intake::tier(tier)
}

/// IN-4: what speaks against saying a text at some scope. Without a store no names are known.
pub fn scope_objections(options: &Options, text: &str, scope: Scope) -> Result<Vec<Objection>> {
    let Some(layout) = options.find() else {
        let around = RepositoryView::new(options.from.clone(), Git::discover(&options.from), true);
        return Ok(intake::objections("text", text, scope, &Names::default(), &around));
    };
    let own = layout.git.as_ref().map(|_| layout.clone_home());
    let config = Config::read(&layout.store, own.as_deref())?;
    let around = RepositoryView::new(layout.root, layout.git, !options.global);
    Ok(intake::objections("text", text, scope, &scope_names(&config), &around))
}

/// What the rules of today say of everything in a store.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StoreScan {
    /// The version of the rules.
    pub scanner: u32,
    /// Entries that were looked at.
    pub scanned: usize,
    /// How many there are of each tier.
    pub tiers: BTreeMap<&'static str, usize>,
    /// Entries whose tier is not what it was when they came in.
    pub changes: Vec<TierChange>,
}

/// An entry of which the rules of today think differently.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TierChange {
    pub id: String,
    /// What was said when it came in; `never scanned` where nothing was.
    pub before: String,
    /// What is said now.
    pub now: Tier,
    /// What was found.
    pub why: String,
}

/// A secret as it is remembered: enough to know it when it comes again, and nothing that says what it was.
fn known_value(secret: &str) -> Result<KnownValue> {
    let mut salt = [0_u8; 16];
    getrandom::fill(&mut salt).map_err(|error| Error::failed("drawing a salt")(error.to_string()))?;
    Ok(KnownValue::new(secret, salt))
}

/// IN-4: what speaks against saying a text at some scope.
pub(crate) fn objections_at_scope(site: &Site, text: &str, scope: Scope) -> Vec<Objection> {
    intake::objections("text", text, scope, &scope_names(&site.config), &crate::repository::repository(site))
}

/// Scans every entry, and what the quarantine holds, with the rules of this version.
pub fn scan_store(ledger: &Ledger) -> Result<StoreScan> {
    let mut report = StoreScan { scanner: ken_guard::SCANNER, ..StoreScan::default() };
    let page = ledger.list(&Query { all: true, overlaid: Overlaid::Any, ..Query::default() })?;
    for stored in page.entries {
        let key = stored.entry.key;
        // What it said when it came in, and what it says, as the ledger has it: not as this version judged it on opening.
        let history: Vec<_> = ledger.history(key)?.into_iter().map(|placed| placed.event).collect();
        let Some(said) = ken_core::entry::fold(&history, &|_| false) else { continue };
        let before = said.scan.as_ref().map(|scan| scan.tier);
        let mut now = intake::scan_entry(&said);
        if let Some(held) = ledger.held(key)? {
            let mut held = held.get("fields").cloned().unwrap_or_default();
            intake::clean_value("quarantine", "", &mut held, &mut now);
            // Its secrets were taken out before it was put there; that they were found is known from then.
            if let Some(scan) = said.scan.filter(|scan| scan.scanner == ken_guard::SCANNER) {
                now = scan;
            }
        } else if said.status == Status::Rejected || said.released.is_some() {
            continue;
        }
        report.scanned += 1;
        *report.tiers.entry(now.tier.word()).or_default() += 1;
        if before != Some(now.tier) {
            report.changes.push(TierChange {
                id: stored.id,
                before: before.map_or("never scanned", Tier::word).to_owned(),
                now: now.tier,
                why: if now.findings.is_empty() { "nothing was found".to_owned() } else { now.worst() },
            });
        }
    }
    Ok(report)
}

/// Takes whatever holds a secret out of journal, tree, index, vectors and quarantine (STO-13).
pub fn purge_secret(
    ledger: &mut Ledger,
    site: &Site,
    caller: &Caller,
    secret: &str,
    reason: &str,
    many: bool,
) -> Result<SecretPurge> {
    const SECRET_CHARS_MIN: usize = 6;
    // A secret stands in a few entries; a word stands in many.
    const ENTRIES_MAX: usize = 5;
    ledger.may_write()?;
    caller.require_person("an irreversible purge")?;
    let secret = secret.trim();
    if secret.chars().count() < SECRET_CHARS_MIN {
        return Err(Refusal::new(
            Code::Invalid,
            format!("the secret has fewer than {SECRET_CHARS_MIN} characters, which would purge too much"),
        )
        .hint("give the whole secret, on one line")
        .into());
    }
    let mut reason = reason.replace(secret, "[the secret]");
    intake::clean_word("reason", &mut reason)?;
    // What a purge takes out no longer says which files there are.
    let mut copies = crate::foreign::sync::copies(ledger, site)?;
    let named: Vec<Named> = copies.iter().filter_map(|(at, shown)| Named::after(secret, at, shown)).collect();
    let forms = forms(secret);
    let mut holding: Vec<Event> = Vec::new();
    for form in &forms {
        let found = ledger.events_holding(form)?.into_iter();
        let new: Vec<_> = found.filter(|event| holding.iter().all(|held| held.hash != event.hash)).collect();
        holding.extend(new);
    }
    for name in named.iter().map(|named| named.name.as_str()) {
        let of_file = ledger.events_holding(name)?.into_iter().filter(is_of_a_file);
        let new: Vec<_> =
            of_file.filter(|event| holding.iter().all(|held| held.hash != event.hash)).collect();
        holding.extend(new);
    }
    let keys: Vec<EntryKey> = holding.iter().filter_map(|event| event.entry).collect();
    let entries = keys.iter().collect::<std::collections::BTreeSet<_>>().len();
    if entries > ENTRIES_MAX && !many && !ken_guard::contains_secret(secret) {
        let message =
            format!("{entries} entries contain this text, so it looks like an ordinary word, not a secret");
        return Err(Refusal::new(Code::NotAllowed, message)
            .hint("nothing was purged; a purge is irreversible; to purge all of them, pass --many")
            .into());
    }
    for key in &keys {
        ledger.vectors().forget(*key)?;
    }
    let writer = crate::writer::writer(&site.config, caller);
    let mut purge = SecretPurge { events: holding.len(), ..SecretPurge::default() };
    if !holding.is_empty() {
        let intents = ken_core::decide::purge_events(&holding, reason);
        ledger.append(intents, &writer)?;
        purge.files = ledger.take_out_purged()?;
    }
    // A file that is named after what it says, keeps the secret in its name.
    for named in &named {
        if let Some((at, shown)) = named.rename() {
            copies.remove(&named.at);
            copies.insert(at, shown);
        }
    }
    // However many entries held it: a mirrored file or the next `add` would bring it back.
    ledger.remember_purged(known_value(secret)?)?;
    let names = named.iter().map(|named| named.name.clone());
    let texts: Vec<String> = forms.iter().cloned().chain(names).collect();
    for text in &texts {
        if let Ok(git) = ledger.snapshot_mut().git_mut() {
            purge.temporaries += git.remove_temporaries_holding(text)?;
        }
    }
    for (kind, count) in state::purge(&**site.state(), Purged::Texts(&texts))? {
        let counted = match kind {
            RecordKind::JudgeAnswers => &mut purge.judgements,
            RecordKind::Replays => &mut purge.replays,
            RecordKind::Quarantine => &mut purge.quarantined,
            RecordKind::Overlays => &mut purge.overlays,
            _ => &mut purge.records,
        };
        *counted += count;
    }
    let mut seen = std::collections::BTreeSet::new();
    for key in keys.into_iter().filter(|key| seen.insert(*key)) {
        match ledger.stored(key)? {
            None => purge.gone.push(key.to_string()),
            Some(stored) => purge.changed.push(stored.id),
        }
    }
    crate::index_file::write_index_page(ledger, site, caller, IndexPageMoment::Purge);
    crate::archive_pages::write_archive_pages(ledger, site, caller)?;
    // Lines that are no events, settings and files of others are a person's to mend.
    purge.left = holding_files(&site.layout.store, &forms);
    purge.left.extend(copies_holding(copies, &forms));
    // No answer says what went. Git reads the star in a path as anything.
    for said in [&mut purge.files, &mut purge.gone, &mut purge.changed] {
        said.iter_mut().for_each(|line| *line = without(line, secret, "*"));
    }
    purge.left.iter_mut().for_each(|line| *line = without(line, secret, "[the secret]"));
    purge.left.sort();
    purge.left.dedup();
    Ok(purge)
}

/// The forms in which a secret may stand: as it is, in small letters, as a tag, and as part of an id or of the name of a file.
fn forms(secret: &str) -> Vec<String> {
    let small = secret.to_lowercase();
    let tag = small.replace([' ', '-'], "_");
    let mut forms = vec![secret.to_owned()];
    for form in [ken_formats::prose::slug(secret, usize::MAX), tag, small] {
        if form.chars().count() >= SLUG_START_CHARS_MIN && !forms.contains(&form) {
            forms.push(form);
        }
    }
    forms
}

/// A file outside of the store whose name holds a secret, as it is or as names are written: in small letters, with hyphens.
struct Named {
    at: PathBuf,
    shown: String,
    name: String,
    /// What it is to be called.
    instead: String,
}

impl Named {
    /// None where the name of a file does not hold the secret.
    fn after(secret: &str, at: &Path, shown: &str) -> Option<Named> {
        let name = at.file_name()?.to_str()?;
        let stem = ken_formats::prose::stem(name);
        let instead = renamed(stem, secret)?;
        let instead = format!("{instead}{}", &name[stem.len()..]);
        Some(Named { at: at.to_owned(), shown: shown.to_owned(), name: name.to_owned(), instead })
    }

    /// Gives the file another name, and says where it is then. Where that fails, a person is told that the file is still there.
    fn rename(&self) -> Option<(PathBuf, String)> {
        let ending = ken_formats::prose::stem(&self.instead).len();
        let (stem, ending) = self.instead.split_at(ending);
        let free =
            ken_formats::prose::free(stem, |stem| self.at.with_file_name(format!("{stem}{ending}")).exists());
        let name = format!("{free}{ending}");
        let at = self.at.with_file_name(&name);
        std::fs::rename(&self.at, &at).ok()?;
        Some((at, self.shown.replace(&self.name, &name)))
    }
}

/// A name without a secret, where it holds one: as it is, in other letters, or as a slug, whose end may be cut off with that of the name.
fn renamed(stem: &str, secret: &str) -> Option<String> {
    let without = without(stem, secret, "purged");
    if without != stem {
        return Some(without);
    }
    let slug = ken_formats::prose::slug(secret, usize::MAX);
    let cut = (SLUG_START_CHARS_MIN..slug.len()).rev().find(|length| stem.ends_with(&slug[..*length]))?;
    (stem.len() >= CUT_NAME_CHARS_MIN).then(|| format!("{}purged", &stem[..stem.len() - cut]))
}

/// A text with something in the place of a secret, also where that stands in other letters or as a slug.
fn without(text: &str, secret: &str, instead: &str) -> String {
    let mut text = text.replace(secret, instead);
    for form in forms(secret).iter().skip(1) {
        let mut from = 0;
        while let Some(at) = text[from..].to_ascii_lowercase().find(form) {
            text.replace_range(from + at..from + at + form.len(), instead);
            from += at + instead.len();
        }
    }
    text
}

/// Whether an event is about a file of another system: its name is in it.
fn is_of_a_file(event: &Event) -> bool {
    matches!(event.body, Some(Body::Document(_)))
}

/// Of files that the store was imported from, exported to or is kept in step with, those that hold a text, with what to do about each.
fn copies_holding(copies: BTreeMap<PathBuf, String>, forms: &[String]) -> impl Iterator<Item = String> {
    let holds = move |path: &Path| {
        std::fs::symlink_metadata(path).is_ok_and(|looks| looks.is_file()) && file_holds(path, forms)
    };
    copies
        .into_iter()
        .filter(move |(path, _)| holds(path))
        .map(|(_, shown)| format!("{shown}: edit it by hand"))
}

/// Files below the store's folder that hold a text in one of its forms, or are named after it, with what to do about each.
fn holding_files(store: &Path, forms: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![store.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                folders.push(entry.path());
                continue;
            }
            let path = entry.path();
            let name = path.strip_prefix(store).unwrap_or(&path).display().to_string();
            let small = name.to_lowercase();
            if kind.is_file() && file_holds(&path, forms) {
                found.push(format!("{STORE_FOLDER}/{name}: edit it by hand"));
            } else if forms.iter().any(|form| small.contains(&form.to_lowercase())) {
                found.push(format!("{STORE_FOLDER}/{name}: give it another name in the same folder"));
            }
        }
    }
    found.sort();
    found
}

/// Whether a file holds a text in one of its forms, as it is or as JSON writes it.
fn file_holds(path: &Path, forms: &[String]) -> bool {
    let forms: Vec<Vec<u8>> = forms.iter().flat_map(|form| written_forms(form)).collect();
    let holds =
        |bytes: &[u8]| forms.iter().any(|form| bytes.windows(form.len()).any(|window| window == *form));
    std::fs::read(path).is_ok_and(|bytes| holds(&bytes))
}

fn is_none_at_all(count: &usize) -> bool {
    *count == 0
}

/// What a purge by secret did.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SecretPurge {
    /// Events that held it.
    pub events: usize,
    /// Entries that are gone, by their key.
    pub gone: Vec<String>,
    /// Entries that lost a change and are still there.
    pub changed: Vec<String>,
    /// Things in the quarantine that held it.
    pub quarantined: usize,
    /// Temporary files of killed processes that held it.
    #[serde(skip_serializing_if = "is_none_at_all")]
    pub temporaries: usize,
    /// Overlays of this clone that held it.
    #[serde(skip_serializing_if = "is_none_at_all")]
    pub overlays: usize,
    /// Kept answers of a judge that held it.
    #[serde(skip_serializing_if = "is_none_at_all")]
    pub judgements: usize,
    /// Answers that `ken serve` kept for repeated requests and that held it.
    #[serde(skip_serializing_if = "is_none_at_all")]
    pub replays: usize,
    /// Other small records of this clone that held it: notes of sessions, tallies, logs.
    #[serde(skip_serializing_if = "is_none_at_all")]
    pub records: usize,
    /// Ledger files that were touched, and how.
    pub files: Vec<String>,
    /// Places that a person must see to.
    pub left: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_made_of_a_secret_holds_it_in_small_letters_too() {
        let secret = "Quokka7/Zanzibar";
        assert_eq!(
            renamed("the-gate-opens-to-quokka7-zanzibar-at-nine", secret).unwrap(),
            "the-gate-opens-to-purged-at-nine"
        );
        assert_eq!(renamed("XQUOKKA7-zanzibar", secret).unwrap(), "Xpurged");
        // The name ends before the secret does.
        let cut = "the-gate-of-the-northern-depot-opens-for-anyone-to-quokka7-za";
        assert_eq!(
            renamed(cut, secret).unwrap(),
            "the-gate-of-the-northern-depot-opens-for-anyone-to-purged"
        );
        assert_eq!(renamed("the-gate-opens-at-nine", secret), None);
        assert_eq!(renamed("the-zanzibar", secret), None);
    }
}
