//! A file's content, read once, with everything that is asked of it again and again.

use std::collections::HashMap;
use std::sync::OnceLock;

use sha1::{Digest, Sha1};

use crate::limits::{BINARY_BYTES, DEFINITIONS_BYTES_MAX, FILE_BYTES_MAX};
use crate::outline::name_print;
use crate::prints::{self, Sums};
use crate::worker::Reader;
use crate::{Language, Outline, Symbol, Unread, definitions, prose};

/// A file's content, read once.
#[derive(Debug)]
pub struct Code {
    path: String,
    /// Its git blob id.
    pub blob: String,
    pub text: String,
    /// Its language, if that has a grammar.
    pub language: Option<Language>,
    /// What the grammar made of it.
    pub outline: Option<Outline>,
    /// Why there is no outline although there is a language.
    pub unread: Option<Unread>,
    /// Who takes prints of it.
    by: String,
    /// Headings and keys, where there is no grammar, depend on the kind of file.
    kind: prose::Kind,
    index: OnceLock<Index>,
    prose: OnceLock<(Outline, Index)>,
    definitions: OnceLock<Option<(Outline, Index)>>,
}

/// Git's blob id of some bytes, as hexadecimal digits.
pub fn blob_id(bytes: &[u8]) -> String {
    let mut hash = Sha1::new();
    hash.update(format!("blob {}\0", bytes.len()).as_bytes());
    hash.update(bytes);
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Code {
    /// Reads a file. The error says why nothing can be said of it.
    pub fn read(path: &str, bytes: &[u8], reader: &mut dyn Reader) -> Result<Code, String> {
        let (text, language) = Code::text_of(path, bytes)?;
        let (outline, unread) = match language.map(|language| reader.read(language, text)) {
            Some(Ok(outline)) => (Some(outline), None),
            Some(Err(unread)) => (None, Some(unread)),
            None => (None, None),
        };
        Ok(Code {
            by: language.filter(|_| outline.is_some()).map_or(prose::BY.to_owned(), Language::by),
            path: path.to_owned(),
            blob: blob_id(bytes),
            text: text.to_owned(),
            language,
            outline,
            unread,
            kind: prose::Kind::from_path(path),
            index: OnceLock::new(),
            prose: OnceLock::new(),
            definitions: OnceLock::new(),
        })
    }

    /// Says that a file will be read soon.
    pub fn prefetch(path: &str, bytes: &[u8], reader: &mut dyn Reader) {
        if let Ok((text, Some(language))) = Code::text_of(path, bytes) {
            reader.prefetch(language, text);
        }
    }

    /// The text of a file and its language, or why it is not read.
    fn text_of<'a>(path: &str, bytes: &'a [u8]) -> Result<(&'a str, Option<Language>), String> {
        if bytes.len() > FILE_BYTES_MAX {
            let (size, most) = (bytes.len() >> 20, FILE_BYTES_MAX >> 20);
            return Err(format!("{path} has {size} MiB; files over {most} MiB are not read"));
        }
        if bytes.iter().take(BINARY_BYTES).any(|byte| *byte == 0) {
            return Err(format!("{path} is a binary file"));
        }
        let Ok(text) = std::str::from_utf8(bytes) else {
            return Err(format!("{path} is not UTF-8"));
        };
        Ok((text, Language::detect(path, text.lines().next().unwrap_or_default())))
    }

    /// How many lines it has.
    pub fn line_count(&self) -> u32 {
        self.text.lines().count() as u32
    }

    /// As its grammar sees it; as text where there is none, or where it was not read.
    pub(crate) fn view(&self) -> View<'_> {
        match &self.outline {
            Some(outline) => {
                let index = self.index.get_or_init(|| {
                    Index::new(outline, |symbol| print_without_name(outline, symbol, name_print))
                });
                View { by: &self.by, outline, index }
            }
            None => self.prose(),
        }
    }

    /// As text: words and headings.
    pub(crate) fn prose(&self) -> View<'_> {
        let (outline, index) = self.prose.get_or_init(|| {
            let outline = prose::read(&self.text, self.kind, self.outline.as_ref());
            let index = Index::new(&outline, |symbol| prose::symbol_print(&outline, self.kind, symbol));
            (outline, index)
        });
        View { by: prose::BY, outline, index }
    }

    /// As definitions that no grammar sees, if it is code.
    pub(crate) fn definitions(&self) -> Option<View<'_>> {
        let read = self.definitions.get_or_init(|| {
            let is_code = self.language.is_some() || self.kind == prose::Kind::Plain;
            if !is_code || self.text.len() > DEFINITIONS_BYTES_MAX {
                return None;
            }
            let outline = definitions::read(&self.path, &self.text, self.language);
            let index =
                Index::new(&outline, |symbol| print_without_name(&outline, symbol, prose::word_print));
            Some((outline, index))
        });
        read.as_ref().map(|(outline, index)| View { by: definitions::BY, outline, index })
    }

    /// As whoever took those prints saw it, if that can be had.
    pub(crate) fn seen_by(&self, by: &str) -> Option<View<'_>> {
        if by == prose::BY {
            return Some(self.prose());
        }
        if by == definitions::BY {
            return self.definitions();
        }
        Some(self.view()).filter(|view| view.by == by)
    }

    /// Why prints of that taker cannot be had.
    pub(crate) fn why_unseen(&self, path: &str, by: &str) -> String {
        match &self.unread {
            Some(Unread::NoGrammar) => format!("this version of ken has no grammar for {path}"),
            Some(Unread::TooLarge) => format!("{path} is too large for its grammar"),
            Some(Unread::TooSlow) => format!("{path} took its grammar too long"),
            Some(Unread::TooMany) => format!("{path} has too much in it for its grammar"),
            Some(Unread::Crashed(why)) => format!("the grammar stopped on {path}: {why}"),
            None => format!("{path} was remembered by `{by}` and is now read by `{}`", self.view().by),
        }
    }
}

/// A file, seen in one of the ways it can be.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) by: &'a str,
    pub(crate) outline: &'a Outline,
    pub(crate) index: &'a Index,
}

impl<'a> View<'a> {
    /// The symbols that someone may mean by a name.
    pub(crate) fn find(self, name: &str) -> Vec<usize> {
        match self.by {
            prose::BY => prose::find(self.outline, name),
            definitions::BY => definitions::find(self.outline, name),
            _ => self.outline.find(name),
        }
    }

    /// Symbols of exactly that name.
    pub(crate) fn named(self, name: &str) -> &'a [usize] {
        self.index
            .by_name
            .get(name)
            .map(|group| self.index.groups[*group].symbols.as_slice())
            .unwrap_or_default()
    }

    /// The print and size of symbols taken together, without their own names.
    pub(crate) fn print(self, symbols: &[usize]) -> (u64, u32) {
        together(symbols.iter().map(|at| self.index.prints[*at]))
    }

    pub(crate) fn symbol(self, at: usize) -> &'a Symbol {
        &self.outline.symbols[at]
    }

    pub(crate) fn range(self, at: usize) -> (usize, usize) {
        let (from, to) = self.outline.symbols[at].tokens;
        (from as usize, to as usize)
    }

    pub(crate) fn whole(self) -> (usize, usize) {
        (0, self.outline.tokens.len())
    }

    /// First and last line of a window of tokens.
    pub(crate) fn lines(self, from: usize, to: usize) -> (u32, u32) {
        let tokens = &self.outline.tokens[from..to];
        let first = tokens.first().map_or(1, |token| token.line);
        (first, tokens.iter().map(|token| token.last).max().unwrap_or(first))
    }
}

/// What is looked up in a view.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) sums: Sums,
    /// Symbols of one name, in order.
    pub(crate) groups: Vec<Group>,
    by_name: HashMap<String, usize>,
    pub(crate) by_print: HashMap<u64, Vec<usize>>,
    /// For each symbol, its print and size without its own name.
    prints: Vec<(u64, u32)>,
}

/// Everything that has one qualified name.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) symbols: Vec<usize>,
    pub(crate) print: u64,
    pub(crate) tokens: u32,
}

impl Index {
    fn new(outline: &Outline, print: impl Fn(&Symbol) -> (u64, u32)) -> Index {
        let prints: Vec<(u64, u32)> = outline.symbols.iter().map(print).collect();
        let mut groups: Vec<Group> = Vec::new();
        let mut by_name: HashMap<String, usize> = HashMap::new();
        for (at, symbol) in outline.symbols.iter().enumerate() {
            let group = *by_name.entry(symbol.name.clone()).or_insert_with(|| {
                groups.push(Group { name: symbol.name.clone(), symbols: Vec::new(), print: 0, tokens: 0 });
                groups.len() - 1
            });
            groups[group].symbols.push(at);
        }
        let mut by_print: HashMap<u64, Vec<usize>> = HashMap::new();
        for (at, group) in groups.iter_mut().enumerate() {
            (group.print, group.tokens) = together(group.symbols.iter().map(|symbol| prints[*symbol]));
            by_print.entry(group.print).or_default().push(at);
        }
        Index { sums: Sums::new(&outline.tokens), groups, by_name, by_print, prints }
    }
}

/// One print for several; that of one alone is its own.
fn together(prints: impl Iterator<Item = (u64, u32)>) -> (u64, u32) {
    let mut all: Option<(u64, u32)> = None;
    for (print, tokens) in prints {
        all = Some(match all {
            None => (print, tokens),
            Some((before, sum)) => {
                let halves = [before, print].into_iter().flat_map(|half| [(half >> 32) as u32, half as u32]);
                (prints::fingerprint(halves), sum + tokens)
            }
        });
    }
    all.unwrap_or_default()
}

/// A symbol's own name is left out wherever it stands in it: what was only renamed keeps its print.
fn print_without_name(outline: &Outline, symbol: &Symbol, name_print: fn(&str) -> u32) -> (u64, u32) {
    let own = name_print(last_name(&symbol.name));
    let tokens = &outline.tokens[symbol.tokens.0 as usize..symbol.tokens.1 as usize];
    let named = tokens.iter().filter(|token| token.print == own).count();
    let masked = tokens.iter().map(|token| if token.print == own { 0 } else { token.print });
    (prints::fingerprint(masked), (tokens.len() - named) as u32)
}

/// The name itself, without the names around it.
pub(crate) fn last_name(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}
