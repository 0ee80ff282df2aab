//! What is searched: numbered texts with their terms, their vectors and their places in the documents they were taken from.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;

use crate::postings::Postings;
use crate::terms::{self, Term};
use crate::vectors::{Flat, Vectors, encode};

/// Numbered texts. Numbers need not be dense, and a text that is gone may still be in lists: whoever asks for the best ones says
/// which count.
pub trait TextIndex {
    /// What can go wrong with asking.
    type Error;
    /// One more than the highest number.
    fn bound(&self) -> u32;
    /// How many terms each text has, by number; 0 where there is none.
    fn lengths(&self) -> Result<Vec<u16>, Self::Error>;
    /// The written lists of the texts that have a term, each ascending; see [`crate::postings`].
    fn lists(&self, term: Term) -> Result<Vec<Vec<u8>>, Self::Error>;
    /// The words of one text as terms, without what says which subject it has: a subject is nothing that a text says.
    fn terms_of(&self, doc: u32) -> Result<HashMap<Term, u32>, Self::Error>;
    /// The texts up to two places before and after it in the same document, with how far each is.
    fn beside(&self, doc: u32) -> Result<Vec<(u32, u32)>, Self::Error>;
    /// Whether any text has a place in a document.
    fn has_places(&self) -> Result<bool, Self::Error>;
    /// How near texts are in meaning, by number; NaN where that is not known. None where there are no vectors at all.
    fn cosines(&self, meaning: &[f32]) -> Result<Option<Vec<f32>>, Self::Error>;
    /// The same for a few texts that the scan may have passed over.
    fn cosines_of(&self, meaning: &[f32], docs: &[u32]) -> Result<Vec<Option<f32>>, Self::Error>;
}

/// A text to be put on a shelf.
#[derive(Clone, Copy, Debug, Default)]
pub struct Text<'a> {
    /// What it is found by.
    pub text: &'a str,
    /// The part of it whose meaning is taken; all of it when left out.
    pub spoken: Option<&'a str>,
    /// What it is about, if that has a name.
    pub subject: Option<&'a str>,
    /// The document it was taken from, and where in it.
    pub place: Option<(&'a str, u32)>,
    /// What it means.
    pub vector: Option<&'a [f32]>,
}

/// The terms of a text with what they say of its subject, and how long it is.
pub struct Terms {
    /// Each term with how often it occurs.
    pub counts: HashMap<Term, u32>,
    /// How many words there are.
    pub length: u32,
}

/// The terms a text is found by. `spoken` is the part of it whose meaning is taken: it says whether it names its subject itself.
pub fn terms_of(text: &str, spoken: &str, subject: Option<&str>) -> Terms {
    let mut counts = terms::terms(text);
    // A text of nothing but stop words is still a text: only what is gone has no length.
    let length = counts.values().sum::<u32>().max(1);
    let name = subject.map(subject_name).filter(|name| !name.is_empty());
    if let Some(name) = name {
        let said: HashSet<String> = terms::words(spoken).into_iter().map(|word| word.form).collect();
        if name.split(' ').all(|form| said.contains(form)) {
            counts.insert(Term::of_spoken_subject(&name), 1);
        }
        counts.insert(Term::of_subject(&name), 1);
        counts.insert(Term::of_any_subject(), 1);
    }
    Terms { counts, length }
}

/// The form in which a subject is compared: its words, stemmed, with a blank between them.
pub fn subject_name(subject: &str) -> String {
    terms::words(subject).into_iter().map(|word| word.form).collect::<Vec<_>>().join(" ")
}

/// A shelf in memory: for tests, for benchmarks, and as the plainest statement of what a shelf is.
#[derive(Default)]
pub struct MemoryShelf {
    lengths: Vec<u16>,
    lists: HashMap<Term, Postings>,
    terms: Vec<HashMap<Term, u32>>,
    places: HashMap<(String, u32), u32>,
    place_of: Vec<Option<(String, u32)>>,
    vectors: Option<Flat>,
    slots: Vec<Option<u32>>,
}

impl MemoryShelf {
    /// Adds a text under the next number.
    pub fn push(&mut self, text: Text<'_>) {
        let doc = u32::try_from(self.lengths.len()).unwrap_or(u32::MAX);
        let found = terms_of(text.text, text.spoken.unwrap_or(text.text), text.subject);
        self.lengths.push(u16::try_from(found.length).unwrap_or(u16::MAX));
        for (term, times) in &found.counts {
            self.lists.entry(*term).or_default().push(doc, *times);
        }
        self.terms.push(terms::terms(text.text));
        let place = text.place.map(|(document, position)| (document.to_owned(), position));
        if let Some(place) = &place {
            self.places.insert(place.clone(), doc);
        }
        self.place_of.push(place);
        self.slots.push(text.vector.map(|vector| {
            let flat = self.vectors.get_or_insert_with(|| Flat::new(vector.len()));
            flat.push(vector);
            flat.len() as u32 - 1
        }));
    }
}

impl TextIndex for MemoryShelf {
    type Error = Infallible;

    fn bound(&self) -> u32 {
        self.lengths.len() as u32
    }

    fn lengths(&self) -> Result<Vec<u16>, Infallible> {
        Ok(self.lengths.clone())
    }

    fn lists(&self, term: Term) -> Result<Vec<Vec<u8>>, Infallible> {
        Ok(self.lists.get(&term).map(Postings::written).into_iter().collect())
    }

    fn terms_of(&self, doc: u32) -> Result<HashMap<Term, u32>, Infallible> {
        Ok(self.terms[doc as usize].clone())
    }

    fn beside(&self, doc: u32) -> Result<Vec<(u32, u32)>, Infallible> {
        let Some((document, position)) = &self.place_of[doc as usize] else { return Ok(Vec::new()) };
        let around = position.saturating_sub(2)..=position.saturating_add(2);
        let others = around.filter(|other| other != position);
        Ok(others
            .filter_map(|other| {
                Some((*self.places.get(&(document.clone(), other))?, other.abs_diff(*position)))
            })
            .collect())
    }

    fn has_places(&self) -> Result<bool, Infallible> {
        Ok(!self.places.is_empty())
    }

    fn cosines(&self, meaning: &[f32]) -> Result<Option<Vec<f32>>, Infallible> {
        let Some(flat) = &self.vectors else { return Ok(None) };
        let by_slot = flat.cosines(meaning);
        let of = |slot: &Option<u32>| slot.map_or(f32::NAN, |slot| by_slot[slot as usize]);
        Ok(Some(self.slots.iter().map(of).collect()))
    }

    fn cosines_of(&self, meaning: &[f32], docs: &[u32]) -> Result<Vec<Option<f32>>, Infallible> {
        let Some(flat) = &self.vectors else { return Ok(vec![None; docs.len()]) };
        let code = encode(meaning);
        Ok(docs.iter().map(|doc| Some(flat.cosine_of(&code, self.slots[*doc as usize]?))).collect())
    }
}
