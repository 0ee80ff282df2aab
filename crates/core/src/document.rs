//! A file of another system that the store keeps in step with (DOO-6): its text, to the byte, and which entry each piece of it is.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::canonical;
use crate::clock::Clock;
use crate::entry::Entry;
use crate::event::{Body, DocumentEvent, Event};
use crate::ids::EntryKey;
use crate::kinds::Status;
use crate::limits::DOCUMENT_PIECE_BYTES_MAX;

/// What names a file: the format it is written in, the folder that was read, and its path there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DocumentName {
    /// The word of its format.
    pub format: String,
    /// The folder that was read: repository-relative, or the name of one elsewhere.
    pub root: String,
    /// The path below it, with `/`.
    pub path: String,
}

impl DocumentName {
    /// Names a file.
    pub fn new(format: impl Into<String>, root: impl Into<String>, path: impl Into<String>) -> DocumentName {
        DocumentName { format: format.into(), root: root.into(), path: path.into() }
    }
}

/// A file as it was when the store was last in step with it, or a piece of one that is too long for a line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Kept {
    pub document: DocumentName,
    /// The hash of its bytes, as they were on the disk.
    pub hash: String,
    /// It is made from the others.
    #[serde(default, skip_serializing_if = "is_false")]
    pub derived: bool,
    /// Which piece this is, counted from zero.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub piece: u32,
    /// How many pieces follow it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: u32,
    /// Its parts in order.
    pub parts: Vec<KeptPart>,
}

/// A part of a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KeptPart {
    /// Its text; redacted where it held a secret.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Its bytes in base64, where they are no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<String>,
    /// The entry it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<EntryKey>,
    /// What its own system calls that entry.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// How that entry stood when the two were in step: a short hash of each thing that it says.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub seen: BTreeMap<String, String>,
    /// What was taken out of its text, and why: secrets by their kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redacted: Vec<String>,
    /// Why none of its text is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withheld: Option<String>,
    /// It is more text of the part before it, which is too long for a line.
    #[serde(default, skip_serializing_if = "is_false")]
    pub continued: bool,
}

/// How entries of a file stood when the two were found to be in step again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Seen {
    pub document: DocumentName,
    /// The hash of its bytes: of another text this says nothing.
    pub hash: String,
    /// The same short hashes as in [`KeptPart::seen`].
    pub entries: BTreeMap<EntryKey, BTreeMap<String, String>>,
}

impl KeptPart {
    /// Text around entries.
    pub fn text(text: impl Into<String>) -> KeptPart {
        KeptPart { text: text.into(), ..KeptPart::default() }
    }

    /// What is left of a part that was purged: enough to know its text when the file brings it again.
    pub fn purged(text: &str) -> KeptPart {
        let name = format!("purged {}", &blake3::hash(text.as_bytes()).to_hex()[..16]);
        KeptPart { name, withheld: Some("it was purged".to_owned()), ..KeptPart::default() }
    }

    /// What it takes up in a line, or a little more.
    fn size(&self) -> usize {
        let words = self.redacted.iter().chain(&self.withheld).chain([&self.name]);
        let bytes = self.bytes.as_ref().map_or(0, String::len);
        let around = words.map(|word| escaped_len(word) + 4).sum::<usize>() + 64 * self.seen.len() + 300;
        escaped_len(&self.text) + bytes + around
    }

    /// Whether it is what stood in the file, to the byte.
    pub fn is_whole(&self) -> bool {
        self.redacted.is_empty() && self.withheld.is_none()
    }
}

impl Kept {
    /// The hash by which a file is known.
    pub fn hash_of(bytes: &[u8]) -> String {
        blake3::hash(bytes).to_hex()[..40].to_owned()
    }

    /// Its text, where all of it is text.
    pub fn text(&self) -> Option<String> {
        self.parts
            .iter()
            .all(|part| part.bytes.is_none())
            .then(|| self.parts.iter().map(|part| part.text.as_str()).collect())
    }

    /// Whether nothing was taken out of it.
    pub fn is_whole(&self) -> bool {
        self.parts.iter().all(KeptPart::is_whole)
    }

    /// The entries in it.
    pub fn entries(&self) -> impl Iterator<Item = (EntryKey, &KeptPart)> {
        self.parts.iter().filter_map(|part| part.entry.map(|key| (key, part)))
    }

    /// The same in pieces that each fit a line.
    pub fn in_pieces(self) -> Vec<Kept> {
        let mut pieces: Vec<Vec<KeptPart>> = vec![Vec::new()];
        let mut bytes = 0;
        for part in self.parts.into_iter().flat_map(split) {
            let size = part.size();
            if bytes + size > DOCUMENT_PIECE_BYTES_MAX && bytes > 0 {
                pieces.push(Vec::new());
                bytes = 0;
            }
            bytes += size;
            pieces.last_mut().expect("there is one").push(part);
        }
        let last = pieces.len() as u32 - 1;
        let (document, hash, derived) = (self.document, self.hash, self.derived);
        let piece = |(at, parts): (usize, Vec<KeptPart>)| Kept {
            document: document.clone(),
            hash: hash.clone(),
            derived,
            piece: at as u32,
            more: last - at as u32,
            parts,
        };
        pieces.into_iter().enumerate().map(piece).collect()
    }

    /// Files as they stand, from everything that was said about them: of each the newest that is whole.
    pub fn fold_all<'a>(
        events: impl IntoIterator<Item = &'a Event>,
    ) -> BTreeMap<DocumentName, (Clock, Kept)> {
        let mut ordered: Vec<&Event> = events.into_iter().collect();
        ordered.sort_by_key(|event| event.order());
        ordered.dedup_by_key(|event| event.hash);
        let mut standing: BTreeMap<DocumentName, (Clock, Kept)> = BTreeMap::new();
        let mut begun: BTreeMap<(DocumentName, crate::ids::ReplicaId), Kept> = BTreeMap::new();
        for event in ordered {
            match &event.body {
                Some(Body::Document(DocumentEvent::Left { document, .. })) => {
                    standing.remove(document);
                }
                Some(Body::Document(DocumentEvent::Seen(seen))) => {
                    let known = standing.get_mut(&seen.document).filter(|(_, kept)| kept.hash == seen.hash);
                    for part in known.into_iter().flat_map(|(_, kept)| &mut kept.parts) {
                        if let Some(now) = part.entry.and_then(|key| seen.entries.get(&key)) {
                            part.seen = now.clone();
                        }
                    }
                }
                Some(Body::Document(DocumentEvent::Kept(kept))) => {
                    let id = (kept.document.clone(), event.replica);
                    let whole = if kept.piece == 0 {
                        (**kept).clone()
                    } else {
                        // The first pieces are missing: what was known before still counts.
                        let Some(mut before) = begun.remove(&id) else { continue };
                        if before.hash != kept.hash || before.piece + 1 != kept.piece {
                            continue;
                        }
                        before.parts.extend(kept.parts.iter().cloned());
                        (before.piece, before.more) = (kept.piece, kept.more);
                        before
                    };
                    if whole.more > 0 {
                        begun.insert(id, whole);
                    } else {
                        let whole = Kept { piece: 0, parts: joined(whole.parts), ..whole };
                        standing.insert(kept.document.clone(), (event.clock, whole));
                    }
                }
                _ => {}
            }
        }
        standing
    }
}

/// A part whose text is longer than a piece, with the rest of its text in parts behind it.
fn split(mut part: KeptPart) -> Vec<KeptPart> {
    let max = DOCUMENT_PIECE_BYTES_MAX / 2;
    if escaped_len(&part.text) <= max {
        return vec![part];
    }
    let text = std::mem::take(&mut part.text);
    let mut parts = vec![part];
    let (mut from, mut size) = (0, 0);
    for (at, letter) in text.char_indices() {
        let more = escaped(letter);
        if size + more > max {
            continue_with(&mut parts, &text[from..at]);
            (from, size) = (at, 0);
        }
        size += more;
    }
    continue_with(&mut parts, &text[from..]);
    parts
}

fn continue_with(parts: &mut Vec<KeptPart>, text: &str) {
    match parts.as_mut_slice() {
        [first] if first.text.is_empty() => first.text = text.to_owned(),
        _ => parts.push(KeptPart { continued: true, ..KeptPart::text(text) }),
    }
}

/// The parts as they were before they were split.
fn joined(parts: Vec<KeptPart>) -> Vec<KeptPart> {
    let mut whole: Vec<KeptPart> = Vec::with_capacity(parts.len());
    for part in parts {
        match whole.last_mut().filter(|_| part.continued) {
            Some(before) => before.text.push_str(&part.text),
            None => whole.push(part),
        }
    }
    whole
}

/// The bytes of a text inside a line.
fn escaped_len(text: &str) -> usize {
    text.chars().map(escaped).sum()
}

fn escaped(letter: char) -> usize {
    match letter {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        other => other.len_utf8(),
    }
}

/// How an entry stands, as far as a file can tell of it: a short hash of each thing that it says. The names are those of its fields, and
/// `status`, `last_confirmed`, `citations`, `links`. Every clone that has the same ledger gets the same.
pub fn seen(entry: &Entry) -> BTreeMap<String, String> {
    let mut said = match serde_json::to_value(&entry.fields) {
        Ok(Value::Object(said)) => said,
        _ => serde_json::Map::new(),
    };
    // What was captured at a place is not said by anybody.
    let places: Vec<&str> = entry.fields.anchors.iter().map(|anchor| anchor.at.as_str()).collect();
    if !places.is_empty() {
        said.insert("anchors".to_owned(), json!(places));
    }
    // What use brings about waits in one clone until it is flushed (STO-14), and another would take it for a change.
    let standing = match entry.status {
        Status::Candidate | Status::Active | Status::Verified => Status::Active,
        other @ (Status::Rejected
        | Status::Stale
        | Status::Archived
        | Status::Retracted
        | Status::Superseded) => other,
    };
    said.insert("status".to_owned(), json!([standing, entry.superseded_by]));
    let mut tell = |name: &str, value: Value| {
        said.insert(name.to_owned(), value);
    };
    if let Some(at) = entry.last_confirmed {
        tell("last_confirmed", json!(at.millis().date()));
    }
    let cited: Vec<_> = entry.evidence().map(|cited| (cited.evidence_type, &cited.evidence_ref)).collect();
    if !cited.is_empty() {
        tell("citations", json!(cited));
    }
    if !entry.links.is_empty() {
        tell("links", json!(entry.links));
    }
    let short =
        |value: &Value| blake3::hash(canonical::value_to_string(value).as_bytes()).to_hex()[..8].to_owned();
    said.iter().map(|(name, value)| (name.clone(), short(value))).collect()
}

fn is_false(truth: &bool) -> bool {
    !truth
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}
