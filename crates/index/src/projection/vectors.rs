//! Keeping the vectors that help to tell which entries answer a question.

use std::path::Path;

use ken_core::entry::fold;
use ken_core::event::EntryEvent;
use ken_core::{Body, EntryKey, Event};
use ken_engine::limits::ledger::EMBEDDED_AT_ONCE;
use ken_engine::text::meaning_of;
use ken_engine::{Embedder, Error, ModelCard, Result, Vectors};
use ken_recall::vectors::Vectors as _;

use super::{Base, Projected};
use crate::error::index_error;
use crate::vectors::{VectorFile, text_hash};
use crate::{Index, SqlResult, Unembedded};

/// What keeps vectors: the file of each model, and an index that knows which entry has which of them.
pub trait KeepsVectors: Base {
    /// The vectors in use, with the name of their model.
    fn vectors_mut(&mut self) -> &mut Option<(String, VectorFile)>;

    /// The folder with the files of vectors.
    fn folder(&self) -> &Path;

    /// Another folder that may have vectors already, where this one has none.
    fn other_folder(&self) -> Option<&Path> {
        None
    }

    /// Whether files may be written.
    fn may_keep(&self) -> bool;

    /// Writes the index when nobody else of this process does, after so many vectors were made.
    fn write(&self, made: usize, write: &mut dyn FnMut(&Index) -> SqlResult<()>) -> SqlResult<()> {
        let _ = made;
        write(self.index())
    }
}

impl<B: KeepsVectors> Projected<B> {
    /// Tells an index that was made anew which vectors there are.
    pub fn use_vectors_again(&mut self) -> Result<()> {
        let Some((model, mut vectors)) = self.base.vectors_mut().take() else { return Ok(()) };
        let used = self.base.index().use_vectors(&model, &mut vectors).map_err(index_error);
        *self.base.vectors_mut() = Some((model, vectors));
        used
    }
}

impl<B: KeepsVectors> Vectors for Projected<B> {
    fn use_model(&mut self, card: &ModelCard) -> Result<()> {
        let open = |folder: &Path| VectorFile::open(folder, &card.name, card.dimensions);
        let mut vectors = open(self.base.folder());
        if vectors.is_empty()
            && let Some(others) = self.base.other_folder().map(open).filter(|others| !others.is_empty())
            && others.copy_to(&vectors).is_ok()
        {
            vectors.refresh();
        }
        // A store that may not be written has an index of its own in memory, which may.
        self.base.index().use_vectors(&card.name, &mut vectors).map_err(index_error)?;
        *self.base.vectors_mut() = Some((card.name.clone(), vectors));
        Ok(())
    }

    fn uses(&self, model: &str) -> bool {
        self.base.vectors().is_some_and(|(used, _)| used == model)
    }

    fn catch_up(&mut self) {
        if let Some((_, vectors)) = self.base.vectors_mut()
            && vectors.len_on_disk() > vectors.len()
        {
            vectors.refresh();
        }
    }

    fn known_dimensions(&self, model: &str) -> Option<usize> {
        VectorFile::known_dimensions(self.base.folder(), model)
    }

    fn embed(&mut self, embedder: &dyn Embedder, at_most: usize) -> Result<Vec<EntryKey>> {
        let limit = at_most.min(EMBEDDED_AT_ONCE);
        let texts = self.base.index().unembedded(limit).map_err(index_error)?;
        let Some((_, vectors)) = self.base.vectors_mut() else { return Ok(Vec::new()) };
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let slots = slots_for(vectors, embedder, &texts)?;
        self.base.write(texts.len(), &mut |index| index.embedded(&texts, &slots)).map_err(index_error)?;
        Ok(texts.iter().map(|text| text.key).collect())
    }

    fn take_damage(&mut self) -> bool {
        self.base.vectors().is_some_and(|(_, vectors)| vectors.take_damage())
    }

    fn check(&mut self) -> Result<usize> {
        let may_keep = self.base.may_keep();
        let Some((_, vectors)) = self.base.vectors_mut() else { return Ok(0) };
        let damaged = vectors.damaged();
        for slot in damaged.iter().filter(|_| may_keep) {
            vectors.take_out(*slot as usize).map_err(Error::failed("removing a damaged embedding"))?;
        }
        if !damaged.is_empty() {
            self.base.index().distrust_slots(&damaged).map_err(index_error)?;
            self.taken_out.set(damaged.len());
        }
        Ok(damaged.len())
    }

    /// Another entry that says the same waits for a vector of its own.
    fn forget(&mut self, key: EntryKey) -> Result<()> {
        let events: Vec<Event> = self.base.history(key)?.into_iter().map(|placed| placed.event).collect();
        let says = |event: &Event| {
            matches!(event.body, Some(Body::Entry(EntryEvent::Added(_) | EntryEvent::Revised(_))))
        };
        let mut texts: Vec<_> = (1..=events.len())
            .filter(|count| says(&events[count - 1]))
            .filter_map(|count| fold(&events[..count], &|_| false))
            .map(|entry| text_hash(&meaning_of(&entry.fields)))
            .collect();
        texts.sort_unstable();
        texts.dedup();
        for vectors in &mut VectorFile::all(self.base.folder()) {
            vectors.forget(&texts).map_err(Error::failed("removing embeddings"))?;
        }
        if let Some((_, vectors)) = self.base.vectors_mut() {
            vectors.refresh();
        }
        match self.base.index().slot_of(key).map_err(index_error)? {
            Some(slot) => self.base.index().distrust_slots(&[slot]).map_err(index_error),
            None => Ok(()),
        }
    }
}

/// The slots of the vectors of some texts, made where they are missing. The same text is made once.
fn slots_for(vectors: &mut VectorFile, embedder: &dyn Embedder, texts: &[Unembedded]) -> Result<Vec<u32>> {
    vectors.refresh();
    let hashes: Vec<_> = texts.iter().map(|text| text.text).collect();
    let mut slots = vectors.find(&hashes);
    let mut wanted: Vec<&Unembedded> = Vec::new();
    for (text, slot) in texts.iter().zip(&slots) {
        if slot.is_none() && wanted.iter().all(|other| other.text != text.text) {
            wanted.push(text);
        }
    }
    let meanings: Vec<&str> = wanted.iter().map(|text| text.meaning.as_str()).collect();
    let made = if meanings.is_empty() { Vec::new() } else { embedder.embed(&meanings)? };
    let pairs: Vec<_> = wanted.iter().map(|text| text.text).zip(made).collect();
    let new = vectors.append(&pairs).map_err(Error::failed("keeping vectors"))?;
    for (at, slot) in slots.iter_mut().enumerate().filter(|(_, slot)| slot.is_none()) {
        *slot = wanted.iter().position(|text| text.text == texts[at].text).map(|made| new[made]);
    }
    let slots: Vec<u32> = slots.into_iter().flatten().collect();
    match slots.len() == texts.len() {
        true => Ok(slots),
        false => {
            let problem =
                format!("{} returned embeddings that differ from its model card", embedder.card().name);
            Err(Error::failed("computing embeddings")(problem))
        }
    }
}
