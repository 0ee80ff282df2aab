//! Two plain ways to answer by words, to be held against ours: SQLite's FTS5, and BM25 over our terms with nothing else.

use std::collections::HashMap;

use ken_recall::keyword::{Keywords, Weighted, top};
use ken_recall::shelf::{MemoryShelf, Text};
use ken_recall::{Question, Term};
use kenning::evaluate::Collection;
use rusqlite::Connection;
use serde_json::{Map, Value};

use crate::fts;

/// Answers that are taken of each.
const ANSWERS: usize = 20;

/// The texts of a collection, each said once: the store keeps what is said twice as one entry, too.
pub struct Texts {
    /// The words that each is found by.
    pub words: Vec<String>,
    by_name: HashMap<String, usize>,
}

impl Texts {
    pub fn of(collection: &Collection) -> Texts {
        let mut texts = Texts { words: Vec::new(), by_name: HashMap::new() };
        let mut known: HashMap<String, usize> = HashMap::new();
        for (name, content) in &collection.texts {
            let words = words_of(content);
            let at = *known.entry(words.clone()).or_insert_with(|| {
                texts.words.push(words);
                texts.words.len() - 1
            });
            texts.by_name.insert(name.clone(), at);
        }
        texts
    }

    /// The numbers of some texts, as an answer has them.
    pub fn numbers(&self, names: &[String]) -> Vec<String> {
        names.iter().filter_map(|name| self.by_name.get(name)).map(usize::to_string).collect()
    }
}

/// Everything a text says, without what it is and where it stood.
fn words_of(content: &Map<String, Value>) -> String {
    let mut words = Vec::new();
    for (_, value) in content.iter().filter(|(name, _)| !matches!(name.as_str(), "type" | "document")) {
        gather(value, &mut words);
    }
    words.join("\n")
}

fn gather<'a>(value: &'a Value, into: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => into.push(text),
        Value::Array(list) => list.iter().for_each(|item| gather(item, into)),
        Value::Object(map) => map.values().for_each(|item| gather(item, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// SQLite's own full-text index with its stemmer and its ranking.
pub struct Fts(Connection);

impl Fts {
    pub fn over(texts: &Texts) -> rusqlite::Result<Fts> {
        let connection = Connection::open_in_memory()?;
        fts::insert(&connection, texts.words.iter().map(String::as_str))?;
        Ok(Fts(connection))
    }

    pub fn ask(&self, query: &str) -> rusqlite::Result<Vec<String>> {
        let found = fts::ask(&self.0, query, ANSWERS)?;
        Ok(found.into_iter().map(|number| (number - 1).to_string()).collect())
    }
}

/// Our terms and our BM25, without subjects, neighbours, feedback and meaning.
pub struct Bm25(MemoryShelf);

impl Bm25 {
    pub fn over(texts: &Texts) -> Bm25 {
        let mut shelf = MemoryShelf::default();
        texts.words.iter().for_each(|words| shelf.push(Text { text: words, ..Text::default() }));
        Bm25(shelf)
    }

    pub fn ask(&self, query: &str) -> Vec<String> {
        let mut terms: Weighted = Vec::new();
        for word in Question::plain(query).words {
            let term = Term::from_form(&word.form);
            match terms.iter_mut().find(|(known, _)| *known == term) {
                Some((_, weight)) => *weight += 1.0,
                None => terms.push((term, 1.0)),
            }
        }
        let scores = Keywords::open(&self.0).and_then(|mut keywords| keywords.score(&terms));
        let Ok(scores) = scores;
        top(&scores.by_doc, ANSWERS).into_iter().map(|(doc, _)| doc.to_string()).collect()
    }
}
