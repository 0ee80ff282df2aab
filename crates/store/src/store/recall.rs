//! Keeping the vectors that help to tell which entries answer a question.

use ken_core::entry::fold;
use ken_core::event::EntryEvent;
use ken_core::{Body, EntryKey, Event, Millis, belief};
use ken_engine::Embedder;
use ken_engine::text::meaning_of;
use ken_index::Unembedded;
use ken_index::vectors::text_hash;

use super::*;

/// Texts whose vectors are made and kept in one go.
pub(crate) const EMBEDDED_AT_ONCE: usize = 32;

impl Store {
    /// Held by the one process that works on the backlog; none when another one does.
    pub(super) fn only_embedder(&self) -> Result<Option<std::fs::File>> {
        let failed = |error: io::Error| Error::failed("making vectors")(error);
        let folder = self.projection.home.join("vectors");
        std::fs::create_dir_all(&folder).map_err(failed)?;
        let file = std::fs::File::create(folder.join("embedding.lock")).map_err(failed)?;
        Ok(fs4::FileExt::try_lock(&file).is_ok().then_some(file))
    }

    /// The belief in every entry.
    pub fn beliefs(&self, now: Millis) -> Result<Vec<(EntryKey, belief::Belief)>> {
        self.projection.index.beliefs(belief::day(now)).map_err(index_error)
    }
}

/// The slots of the vectors of some texts, made where they are missing. The same text is made once.
pub(crate) fn vectors_for(
    vectors: &mut VectorFile,
    embedder: &dyn Embedder,
    texts: &[Unembedded],
) -> Result<Vec<u32>> {
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

/// Takes the vectors of everything that an entry ever said out, whichever model made them (STO-13). Another entry that says the same waits
/// for a vector of its own.
pub(crate) fn forget_vectors_of(
    index: &Index,
    in_use: &mut Option<(String, VectorFile)>,
    key: EntryKey,
    history: Vec<Placed>,
    home: &Path,
) -> Result<()> {
    let events: Vec<Event> = history.into_iter().map(|placed| placed.event).collect();
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
    for vectors in &mut VectorFile::all(home) {
        vectors.forget(&texts).map_err(Error::failed("removing embeddings"))?;
    }
    if let Some((_, vectors)) = in_use {
        vectors.refresh();
    }
    match index.slot_of(key).map_err(index_error)? {
        Some(slot) => index.distrust_slots(&[slot]).map_err(index_error),
        None => Ok(()),
    }
}
