//! Knowledge in the files of other systems (DOO-6): brought in, written out, and kept in step.

pub(crate) mod databases;
pub(crate) mod disk;
pub(crate) mod edit;
pub mod export;
pub mod import;
pub(crate) mod outgoing;
pub mod sources;
pub mod sync;
pub(crate) mod undone;

use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
pub use export::{ExportInput, ExportReport};
pub use import::{ImportInput, ImportProgress, ImportReport};
use ken_core::admission::Origin;
use ken_core::decide::Observation;
use ken_core::{Code, DocumentName, EntryKey, Kept, KeptPart, Refusal, Relation, Spot, drift};
use ken_engine::ops::documents::{Arriving, ArrivingItem, ArrivingPart, New, Stands, Wish};
use ken_engine::{Caller, Error, Ledger, Presence, Repository, Result};
pub use ken_formats as formats;
use ken_formats::{Document, Format, Item, Part, Role, Standing};
use serde_json::{Map, Value, json};
pub use sources::ChangedSource;
pub(crate) use sources::SourcesAsked;
pub use sync::{Conflict, Mirror, SyncAction, SyncInput, SyncReport, Take};

use crate::limits::foreign::PLACES_NAMED_MAX;
use crate::repository::RepositoryView;
use crate::{Adapters, AddInput, Config, Layout, OnAbsent, Site};

/// How the name of a folder begins that is not in this repository.
const OUTSIDE: &str = "outside:";

/// A note about a file, for a person.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileNote {
    pub path: String,
    /// What there is to say.
    pub note: String,
}

impl FileNote {
    fn new(path: impl Into<String>, note: impl Into<String>) -> FileNote {
        let clean = |text: String| ken_guard::redact(&text).into_owned();
        FileNote { path: clean(path.into()), note: clean(note.into()) }
    }
}

/// A folder with files of other systems.
#[derive(Clone)]
struct Folder {
    /// Where it is.
    at: PathBuf,
    /// What it is called in the ledger: its path in the repository, or a name.
    root: String,
    /// The one file that is meant, where it is not all of them.
    only: Option<String>,
    /// Reads what is no file of text.
    adapters: &'static dyn Adapters,
}

impl Folder {
    /// A file of it as git calls it.
    fn in_repository(&self, path: &str) -> String {
        match self.root.as_str() {
            "" => path.to_owned(),
            root => format!("{root}/{path}"),
        }
    }
}

/// The format that goes by a word, or which there are.
pub(crate) fn format(word: &str) -> Result<&'static dyn Format> {
    formats::named(word).ok_or_else(|| {
        let words: Vec<&str> = formats::ALL.iter().map(|format| format.word()).collect();
        let near = ken_core::words::nearest(word, words.iter().copied());
        let hint = near.map(|near| format!("did you mean {near}? ")).unwrap_or_default();
        Refusal::new(Code::Invalid, format!("unknown format {word:?}"))
            .hint(format!("{hint}formats: {}", words.join(", ")))
            .field("format")
            .into()
    })
}

/// A file that was read, with what its format makes of it.
struct Taken {
    name: DocumentName,
    hash: String,
    reading: Reading,
}

enum Reading {
    /// Text, taken apart.
    Text(Document),
    /// Bytes that are no text, in base64.
    Bytes(String),
}

impl Taken {
    fn new(format: &dyn Format, name: DocumentName, bytes: &[u8]) -> Taken {
        let hash = Kept::hash_of(bytes);
        let reading = match std::str::from_utf8(bytes) {
            Ok(text) => Reading::Text(format.read(&name.path, text)),
            Err(_) => Reading::Bytes(STANDARD.encode(bytes)),
        };
        Taken { name, hash, reading }
    }

    fn notes(&self) -> Vec<FileNote> {
        match &self.reading {
            Reading::Text(document) => {
                document.notes.iter().map(|note| FileNote::new(&self.name.path, note)).collect()
            }
            Reading::Bytes(_) => {
                vec![FileNote::new(&self.name.path, "is not UTF-8 text; it is kept unchanged")]
            }
        }
    }

    /// What of it could not be read.
    fn broken(&self) -> Vec<FileNote> {
        match &self.reading {
            Reading::Text(document) => {
                document.broken.iter().map(|why| FileNote::new(&self.name.path, why)).collect()
            }
            Reading::Bytes(_) => Vec::new(),
        }
    }

    /// How many entries it holds.
    fn items(&self) -> usize {
        match &self.reading {
            Reading::Text(document) => document.items().count(),
            Reading::Bytes(_) => 0,
        }
    }

    /// What the files around it are tied to, and by whom.
    fn ties(&self) -> Vec<Tie> {
        let Reading::Text(document) = &self.reading else { return Vec::new() };
        let mut ties = Vec::new();
        for item in document.items() {
            let from = item.name.clone();
            ties.extend(item.ties.iter().map(|(relation, to)| Tie {
                from: from.clone(),
                how: How::Tied(*relation),
                to: to.clone(),
            }));
            if let Standing::SupersededBy(by) = &item.standing {
                ties.push(Tie { from: from.clone(), how: How::Superseded, to: by.clone() });
            }
        }
        ties
    }

    /// The file on its way in; all its entries are new.
    fn arriving(self, around: &RepositoryView, left_out: &mut usize) -> Arriving {
        let place = cited(&self.name);
        let (parts, derived) = match self.reading {
            Reading::Bytes(bytes) => (vec![ArrivingPart::Ready(Box::new(kept_bytes(bytes)))], false),
            Reading::Text(document) => {
                let derived = document.role == Role::Derived;
                let part = |part| match part {
                    Part::Text(text) => ArrivingPart::Text(text),
                    Part::Item(item) => {
                        let (text, name) = (item.text.clone(), item.name.clone());
                        let wish = Wish::Add(Box::new(wish(*item, &place, around, left_out)));
                        ArrivingPart::Item(Box::new(ArrivingItem { text, name, wish }))
                    }
                };
                (document.parts.into_iter().map(part).collect(), derived)
            }
        };
        Arriving { document: self.name, hash: self.hash, derived, parts }
    }
}

/// One item says something of another, by their names.
#[derive(Clone, Debug)]
struct Tie {
    from: String,
    how: How,
    to: String,
}

#[derive(Clone, Copy, Debug)]
enum How {
    Tied(Relation),
    Untied(Relation),
    Superseded,
}

/// The file as a citation: its path in the repository, or what it is called.
fn cited(name: &DocumentName) -> String {
    let root = name.root.strip_prefix(OUTSIDE).unwrap_or(&name.root);
    if root.is_empty() { name.path.clone() } else { format!("{root}/{}", name.path) }
}

/// An item as a wish to add it: gaps are allowed, and places that are not here are left out.
fn wish(item: Item, place: &str, around: &RepositoryView, left_out: &mut usize) -> New {
    let Item { kind, mut content, mut evidence, standing, stated, confirmed, observed, .. } = item;
    // A path that the text names and that is here is a place where it can be seen. One that is gone makes it an orphan (COR-1).
    if kind.needs_anchor() {
        let named = places_in(&content, around);
        let anchors = content.entry("anchors").or_insert_with(|| json!([]));
        if let Value::Array(anchors) = anchors {
            for place in named {
                let is_new = !anchors.iter().any(|known| is_in_same_file(known, &place));
                if is_new && anchors.len() < PLACES_NAMED_MAX {
                    anchors.push(Value::from(place));
                }
            }
        }
    }
    if let Some(Value::Array(anchors)) = content.get_mut("anchors") {
        let before = anchors.len();
        anchors.retain(|anchor| {
            let path = anchor.as_str().and_then(|at| Spot::parse(at).path);
            path.is_some_and(|path| around.path(&path) != Presence::Absent)
        });
        *left_out += before - anchors.len();
        if anchors.is_empty() {
            content.remove("anchors");
        }
    }
    if evidence.is_empty() {
        evidence.push(format!("doc:{place}"));
    }
    content.insert("document".to_owned(), json!({ "path": place }));
    let input = AddInput {
        kind: Some(kind.word().to_owned()),
        content,
        evidence,
        draft: true,
        on_absent: OnAbsent::Gap,
        since: stated,
        origin: Origin::Import,
        ..AddInput::default()
    };
    let stands = match standing {
        Standing::Current | Standing::SupersededBy(_) => Stands::Current,
        Standing::Archived(why) => Stands::Archived(why),
        Standing::Retracted(why) => Stands::Retracted(why),
    };
    let observed = observed.into_iter().map(observation);
    New { input, stands, confirmed, observed: observed.collect(), left_out: 0 }
}

/// The places that a text names, quoted or not, and that this repository has.
fn places_in(content: &Map<String, Value>, around: &RepositoryView) -> Vec<String> {
    let texts = ["statement", "rule", "detail"].into_iter().filter_map(|field| content.get(field)?.as_str());
    let places = texts.flat_map(drift::places_named);
    let is_here = |place: &&str| {
        let path = Spot::parse(place).path;
        path.is_some_and(|path| around.path(&path) == Presence::Present)
    };
    places.filter(is_here).map(str::to_owned).collect()
}

fn is_in_same_file(anchor: &Value, place: &str) -> bool {
    anchor.as_str().is_some_and(|at| Spot::parse(at).path == Spot::parse(place).path)
}

/// One use of an item, in our words.
fn observation(seen: ken_formats::Observed) -> Observation {
    let ken_formats::Observed { source, side, weight, reason, at } = seen;
    Observation { source, side, weight, reason, at, witnessed: false }
}

/// Bytes that are no text, as they may be kept: whatever they would be as text is looked at first (IN-1).
fn kept_bytes(bytes: String) -> KeptPart {
    let raw = STANDARD.decode(&bytes).unwrap_or_default();
    let wide = |little: bool| -> String {
        let pairs = raw.chunks_exact(2).map(|pair| match little {
            true => u16::from_le_bytes([pair[0], pair[1]]),
            false => u16::from_be_bytes([pair[0], pair[1]]),
        });
        char::decode_utf16(pairs).map(|c| c.unwrap_or(' ')).collect()
    };
    let narrow: String = raw.iter().map(|byte| char::from(*byte)).filter(|c| *c != '\0').collect();
    let mut readings = vec![String::from_utf8_lossy(&raw).into_owned(), narrow];
    // Two bytes for a letter leave many empty ones; without them it is no such text.
    let empty = raw.iter().filter(|byte| **byte == 0).count();
    if raw.starts_with(&[0xff, 0xfe]) || raw.starts_with(&[0xfe, 0xff]) || empty * 4 > raw.len() {
        readings.extend([wide(true), wide(false)]);
    }
    let found = readings.iter().find_map(|text| {
        let verdict = ken_guard::scan(text);
        verdict.findings.into_iter().find(|found| found.severity.is_rejected() || found.axis.is_secret())
    });
    match found {
        Some(found) => KeptPart {
            withheld: Some(format!("its content was rejected ({}, {})", found.axis.word(), found.rule)),
            ..KeptPart::default()
        },
        None => KeptPart { bytes: Some(bytes), ..KeptPart::default() },
    }
}

/// Why a file may not even be named in a ledger; none for most.
fn unnameable(path: &str) -> Option<String> {
    let found = ken_guard::scan(path).findings.into_iter();
    let mut bad = found.filter(|found| found.severity.is_rejected() || found.axis.is_secret());
    bad.next().map(|found| format!("its name was rejected ({}, {})", found.axis.word(), found.rule))
}

/// Marks of a merge that nobody finished.
fn is_unmerged(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let begins = |mark: &str| text.lines().any(|line| line.starts_with(mark));
    begins("<<<<<<< ") && begins(">>>>>>> ")
}

/// The folder that a path means, and what it is called in the ledger.
fn folder(site: &Site, path: &Path, name: Option<&str>) -> Result<Folder> {
    refuse_links(&site.layout, path)?;
    let looks = std::fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Error::from(
            Refusal::new(Code::NotFound, format!("{} does not exist", path.display()))
                .hint("give a file or a folder that exists"),
        ),
        _ => Error::failed(format!("reading {}", path.display()))(error),
    })?;
    let full = path.canonicalize().map_err(Error::failed(format!("reading {}", path.display())))?;
    let (at, only) = if looks.is_dir() {
        (full, None)
    } else {
        let file = full.file_name().and_then(|name| name.to_str()).map(str::to_owned);
        (full.parent().unwrap_or(&full).to_owned(), file)
    };
    stay_inside(site, &at)?;
    let root = match name {
        Some(name) => name.to_owned(),
        None => root_name(&site.layout, &at),
    };
    if let Some(why) = unnameable(&root) {
        return Err(Refusal::new(
            Code::Rejected,
            format!("the folder name cannot be stored in the ledger: {why}"),
        )
        .hint("give it a name: --name NAME")
        .into());
    }
    Ok(Folder { at, root, only, adapters: site.workspace.adapters() })
}

/// What is named is read, and nothing that a link in the repository, or the name itself, leads to.
fn refuse_links(layout: &Layout, path: &Path) -> Result<()> {
    let top = layout.root.clone();
    let top = top.canonicalize().unwrap_or(top);
    // `link/` would be what the link leads to.
    let named: PathBuf = path.components().collect();
    let is_ours = |part: &Path| {
        let above = part.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
        above.canonicalize().is_ok_and(|above| above.starts_with(&top))
    };
    let is_link = |part: &Path| std::fs::symlink_metadata(part).is_ok_and(|looks| looks.is_symlink());
    let link = named.ancestors().find(|part| is_link(part) && (*part == named || is_ours(part)));
    let Some(link) = link else { return Ok(()) };
    let message = format!("{} is a symbolic link, and ken does not follow links", link.display());
    Err(Refusal::new(Code::NotAllowed, message)
        .hint("name the file or the folder it leads to, if that is what you mean")
        .field("path")
        .into())
}

/// Who comes through a door of a server reads and writes this repository, and no other folder of the machine.
pub(crate) fn stay_inside(site: &Site, path: &Path) -> Result<()> {
    if !site.options.inside {
        return Ok(());
    }
    let top = site.layout.root.clone();
    let top = top.canonicalize().unwrap_or(top);
    // A folder that is still to be made is judged by the one it will be in.
    let real = path.ancestors().find_map(|folder| folder.canonicalize().ok()).unwrap_or_default();
    let climbs = path.components().any(|part| part == std::path::Component::ParentDir);
    if real.starts_with(&top) && !climbs {
        return Ok(());
    }
    Err(Refusal::new(
        Code::NotAllowed,
        "that path is outside the repository, which MCP clients cannot access",
    )
    .hint("give a path inside the repository, or ask a person to run the command in a terminal")
    .field("path")
    .into())
}

fn root_name(layout: &Layout, at: &Path) -> String {
    let top = layout.root.clone();
    let top = top.canonicalize().unwrap_or(top);
    let named = |path: &Path| -> String {
        let parts: Vec<_> = path.iter().filter_map(|part| part.to_str()).collect();
        parts.join("/")
    };
    match at.strip_prefix(&top) {
        Ok(below) => named(below),
        // No path of a machine goes into a ledger (STO-9); two names tell most folders apart.
        Err(_) => {
            let parts: Vec<_> =
                at.iter().filter_map(|part| part.to_str()).filter(|part| *part != "/").collect();
            format!("{OUTSIDE}{}", parts[parts.len().saturating_sub(2)..].join("/"))
        }
    }
}

/// The files that quote an entry, as they are to be kept once it is purged: without its text.
pub(crate) fn files_without(store: &Ledger, key: EntryKey) -> Result<Vec<Kept>> {
    let mut files = Vec::new();
    for name in store.homes()?.remove(&key).unwrap_or_default() {
        let Some(mut kept) = store.document(&name)? else { continue };
        for part in kept.parts.iter_mut().filter(|part| part.entry == Some(key)) {
            *part = KeptPart::purged(&part.text);
        }
        files.push(kept);
    }
    Ok(files)
}

/// Keeps files as they are to be kept after a purge, and says which still hold what was purged.
pub(crate) fn keep_without(
    store: &mut Ledger,
    config: &Config,
    caller: &Caller,
    files: Vec<Kept>,
) -> Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    for kept in &files {
        let place = cited(&kept.document);
        store.notice(format!(
            "{place} contains it; the ledger's copy was deleted, the file itself you must edit"
        ));
    }
    let writer = crate::writer::writer(config, caller);
    ken_engine::ops::documents::keep(store, files, &writer)?;
    Ok(())
}
