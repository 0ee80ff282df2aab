//! Knowledge in the files of other systems (DOO-6): texts in, entries out, and back to the byte.
//!
//! A [`Format`] takes a file apart into [`Part`]s. Their texts, joined, are the file: what a format does not understand is a part as well, so nothing
//! is lost. A part that is an [`Item`] also says what it means to us. The way back starts from the same text: [`Format::rewrite`] changes the words
//! that an entry has changed, and no others. There is no file, no clock and no store in here.

mod adr;
mod agents_md;
pub mod align;
mod basic_memory;
mod content;
mod decapod;
mod flux_drive;
mod formicos;
pub mod front;
mod gsd;
mod json_lines;
mod layout;
mod limits;
mod mem0;
mod object;
mod okf;
pub mod plain;
pub mod prose;
mod rules;
mod server_memory;
mod wfc;
mod wfc_solutions;
mod words;

pub use decapod::promotion_line;
pub use json_lines::ulid;

use std::collections::BTreeSet;

use ken_core::belief::Side;
use ken_core::kinds::{Confirmation, Relation, Status};
use ken_core::{Citation, Fields, Millis, Type, TypeName};
use serde_json::{Map, Value};

/// Every format, in the order in which they are offered.
pub const ALL: &[&dyn Format] = &[
    &flux_drive::FluxDrive,
    &wfc::Wfc,
    &wfc_solutions::WfcSolutions,
    &gsd::Gsd,
    &decapod::Decapod,
    &formicos::FormicOs,
    &okf::Okf,
    &agents_md::AgentsMd,
    &server_memory::ServerMemory,
    &basic_memory::BasicMemory,
    &mem0::Mem0,
    &adr::Adr,
];

/// What people call a format by the file that they have, and its word.
const OTHER_WORDS: &[(&str, &str)] = &[
    ("claude-md", "agents-md"),
    ("claude", "agents-md"),
    ("agents", "agents-md"),
    ("cursor-rules", "agents-md"),
];

/// The format that goes by a word.
pub fn named(word: &str) -> Option<&'static dyn Format> {
    let word = OTHER_WORDS.iter().find(|(other, _)| *other == word).map_or(word, |(_, word)| word);
    ALL.iter().copied().find(|format| format.word() == word)
}

/// How another system writes down what it knows.
pub trait Format: Sync {
    /// What it is called on the command line.
    fn word(&self) -> &'static str;

    /// What it is, in a few words for people.
    fn about(&self) -> &'static str;

    /// How surely a file is one of this format, from 0 (not) to 100 (nothing else looks like this). `head` is its beginning.
    fn claims(&self, path: &str, head: &str) -> u8;

    /// Takes a file apart. Never fails: what is not understood is text, and a note says so.
    fn read(&self, path: &str, text: &str) -> Document;

    /// The text of an item in which an entry's changes are written. `whole` is the document around it.
    fn rewrite(&self, item: Place<'_>, now: &Outgoing<'_>) -> Rewritten;

    /// The file in which an entry that has no place yet belongs; none where the format cannot hold it.
    fn path_for(&self, now: &Outgoing<'_>, known: &StoreFacts<'_>) -> Option<String>;

    /// A file with an entry put in its right place. `text` is the file as it is; none where there is none yet.
    fn insert(&self, path: &str, text: Option<&str>, now: &Outgoing<'_>) -> String;

    /// Files that are made from the entries, as they should be: whole texts by path. `files` are all the others.
    fn derived(&self, files: &[Source<'_>], known: &StoreFacts<'_>) -> Vec<File> {
        let _ = (files, known);
        Vec::new()
    }
}

/// A file, taken apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// What it is for.
    pub role: Role,
    /// Its parts in order: their texts, joined, are the file.
    pub parts: Vec<Part>,
    /// What was not understood, in sentences that name the place.
    pub notes: Vec<String>,
    /// What could not be read at all, a broken line for instance, in such sentences. It is kept unchanged like everything else.
    pub broken: Vec<String>,
}

/// What a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It holds knowledge, or could.
    Entries,
    /// It is made from the others.
    Derived,
    /// It is something else, kept as it is.
    Other,
}

/// A piece of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Text around the entries.
    Text(String),
    Item(Box<Item>),
}

/// An entry in the clothes of another system.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Its piece of the file, to the byte.
    pub text: String,
    /// What its own system calls it; the same after an edit wherever the system has names at all.
    pub name: String,
    /// What it is to us.
    pub kind: Type,
    /// What it says, in our fields, as `ken add` takes them; unknown keys are in `attributes`, as they are.
    pub content: Map<String, Value>,
    /// What it rests on, as `type:reference`.
    pub evidence: Vec<String>,
    /// Where it stands.
    pub standing: Standing,
    /// When it was first said.
    pub stated: Option<Millis>,
    /// When it was last found again, and how.
    pub confirmed: Option<(Confirmation, Millis)>,
    /// Other items it is tied to, by their names.
    pub ties: Vec<(Relation, String)>,
    /// How it did when it was used.
    pub observed: Vec<Observed>,
}

/// Where an item stands in its own system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    Current,
    /// It was put away, and why.
    Archived(String),
    /// It was taken back, and why.
    Retracted(String),
    /// Another one, by name, took its place.
    SupersededBy(String),
}

/// One use of an item, as its system remembers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// What names the use: a run, a colony.
    pub source: String,
    /// What it spoke for.
    pub side: Side,
    /// How much, in thousandths.
    pub weight: u32,
    pub reason: String,
    /// When, where its system says so.
    pub at: Option<Millis>,
}

/// Where an item is.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    pub path: &'a str,
    /// The item's text there.
    pub text: &'a str,
    /// The item's name there.
    pub name: &'a str,
}

/// An entry that is to be written in the words of another system.
#[derive(Clone, Debug)]
pub struct Outgoing<'a> {
    /// The id people use.
    pub id: &'a str,
    /// Its short citation.
    pub handle: &'a str,
    pub kind: &'a TypeName,
    /// What it says.
    pub fields: &'a Fields,
    /// What it rests on.
    pub citations: Vec<&'a Citation>,
    /// Where it stands.
    pub status: Status,
    /// Why it stands there.
    pub reason: Option<&'a str>,
    /// When it was first said.
    pub created: Millis,
    /// When it last changed.
    pub updated: Millis,
    /// Who said it first.
    pub created_by: &'a str,
    /// Its latest independent confirmation.
    pub last_confirmed: Option<Millis>,
    /// The kind of its latest confirmation.
    pub confirmation: Option<Confirmation>,
    /// The mean belief in it, and how much it rests on: alpha and beta.
    pub belief: (f64, f64),
    /// Entries it is tied to, by the names they have in this format, or their ids.
    pub ties: Vec<(Relation, String)>,
    /// The entry that took its place, by the same.
    pub superseded_by: Option<String>,
    /// What changed since its text was in step; empty for a new one. The names are those of [`Fields`], and `status`, `last_confirmed`,
    /// `confirmation`, `citations`, `links`.
    pub changed: BTreeSet<String>,
}

impl Outgoing<'_> {
    /// Whether something of it changed.
    pub fn has_changed(&self, field: &str) -> bool {
        self.changed.contains(field)
    }
}

/// What becomes of an item's text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rewritten {
    /// The text in its place; none takes it out.
    pub text: Option<String>,
    /// The path its file moves to, where an item is a file.
    pub moved_to: Option<String>,
    /// Text to be added at the end of files, by path; a file that is not there yet is made, `header` first.
    pub appended: Vec<Appended>,
    /// Changes that this format has no words for, as names of fields.
    pub unsaid: Vec<String>,
}

/// Text for the end of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appended {
    pub path: String,
    /// What comes first in a new one.
    pub header: String,
    /// The text, with its line break.
    pub text: String,
}

/// What is known of the store that is written to.
#[derive(Clone, Debug)]
pub struct StoreFacts<'a> {
    /// The files that are there.
    pub paths: &'a BTreeSet<String>,
    /// The folder that they lie in, as its mirror names it; empty where it has no name.
    pub folder: &'a str,
    /// The store is the global one: all of it holds for every project.
    pub is_global: bool,
    /// What the project is called.
    pub project: &'a str,
    /// The time it is.
    pub now: Millis,
}

/// A file that was there, with what its items are to us.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    pub path: &'a str,
    pub text: &'a str,
}

/// A file to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub path: String,
    pub text: String,
}

impl Document {
    /// A file that is kept as it is.
    pub fn opaque(role: Role, text: &str, note: Option<String>) -> Document {
        let notes = note.into_iter().collect();
        Document { role, parts: vec![Part::Text(text.to_owned())], notes, broken: Vec::new() }
    }

    /// A file that cannot be read, and why.
    pub fn unreadable(text: &str, why: String) -> Document {
        Document { broken: vec![why], ..Document::opaque(Role::Other, text, None) }
    }

    /// A file that is one entry.
    pub fn new(item: Item, notes: Vec<String>) -> Document {
        Document { role: Role::Entries, parts: vec![Part::Item(Box::new(item))], notes, broken: Vec::new() }
    }

    pub fn items(&self) -> impl Iterator<Item = &Item> {
        self.parts.iter().filter_map(|part| match part {
            Part::Item(item) => Some(&**item),
            Part::Text(_) => None,
        })
    }

    pub fn text(&self) -> String {
        self.parts.iter().map(Part::text).collect()
    }
}

impl Part {
    pub fn text(&self) -> &str {
        match self {
            Part::Text(text) => text,
            Part::Item(item) => &item.text,
        }
    }
}

impl Item {
    /// An entry that says nothing yet but what it is.
    pub fn new(kind: Type, name: impl Into<String>, text: impl Into<String>) -> Item {
        Item {
            text: text.into(),
            name: name.into(),
            kind,
            content: Map::new(),
            evidence: Vec::new(),
            standing: Standing::Current,
            stated: None,
            confirmed: None,
            ties: Vec::new(),
            observed: Vec::new(),
        }
    }
}

impl Rewritten {
    /// The text as it should be, in its place.
    pub fn in_place(text: impl Into<String>) -> Rewritten {
        Rewritten { text: Some(text.into()), ..Rewritten::default() }
    }
}
