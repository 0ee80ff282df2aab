//! Which entries say the same in other words: asked when one is added, and again when the meaning of a queued one is known (IN-6).

use std::collections::HashSet;

use ken_core::decide::{self, Bounds, Near, SIMILARITY};
use ken_core::{Body, Entry, EntryKey, Fields, Intent, LinkEvent, Memory};
use ken_recall::{Mode, Question};

use crate::error::Result;
use crate::ledger::{Ledger, read_mending};
use crate::limits::ops_similar::NEAR_MAX;
use crate::ports::{Asked, Embedder, Writer};
use crate::query::Query;
use crate::text::meaning_of;

/// The entries that are nearest in meaning, the nearest first; none when that cannot be told now. Of episodic records nobody asks.
pub fn near(
    ledger: &mut Ledger,
    memory: Memory,
    fields: &Fields,
    embedder: &dyn Embedder,
) -> Result<Option<Vec<Near>>> {
    if memory == Memory::Episodic {
        return Ok(Some(Vec::new()));
    }
    let question = Question::plain(&meaning_of(fields));
    // Asking for one type would have every entry of it looked up first; the few that are near are told apart when it is decided.
    let among = Query { memories: vec![Memory::Semantic, Memory::Procedural], ..Query::default() };
    let asked = Asked {
        question: &question,
        among: &among,
        mode: Mode::Nearest,
        wanted: NEAR_MAX,
        thread: fields.thread.as_deref(),
        embedder: Some(embedder),
        by_standing: false,
        debug: false,
        unasked_in: None,
    };
    let relevant = read_mending(ledger, |entries| entries.relevant(&asked))?;
    if relevant.fallback.is_some() {
        return Ok(None);
    }
    let near = relevant
        .hits
        .iter()
        .filter_map(|hit| Some(Near { key: hit.stored.entry.key, cosine: hit.found.cosine? }));
    let mut near: Vec<Near> = near.collect();
    near.sort_by(|a, b| b.cosine.total_cmp(&a.cosine));
    Ok(Some(near))
}

/// The entries that share most words with a text, where nothing tells what is near in meaning.
pub(super) fn sharing_words(ledger: &mut Ledger, memory: Memory, fields: &Fields) -> Result<Vec<EntryKey>> {
    if memory == Memory::Episodic {
        return Ok(Vec::new());
    }
    let among = Query { memories: vec![Memory::Semantic, Memory::Procedural], ..Query::default() };
    let question = [Question::plain(&meaning_of(fields))];
    let found = read_mending(ledger, |entries| entries.worded_like(&question, &among, NEAR_MAX))?;
    Ok(found.into_iter().flatten().collect())
}

/// Which of the entries whose meaning has just become known are compared with the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// Those that came in without this look.
    Queued,
    /// All: what was added at the same time had no meaning yet when they were looked at.
    Every,
}

/// What is said to whoever gave an entry other words about the entries near in meaning, as it is said to whoever adds one. Pairs that somebody
/// should look at are noted.
pub fn remarks_on_revised(
    ledger: &mut Ledger,
    key: EntryKey,
    embedder: &dyn Embedder,
    writer: &Writer,
) -> Result<Vec<String>> {
    let Some(entry) = ledger.entry(key)? else { return Ok(Vec::new()) };
    let Some(near) = near(ledger, entry.memory(), &entry.fields, embedder)? else { return Ok(Vec::new()) };
    let near: Vec<Near> = near.into_iter().filter(|near| near.key != key).collect();
    let near = decide::near_entries(ledger.projection(), entry.memory(), &near)?;
    let calibration = &embedder.card().calibration;
    let bounds = Bounds { ask_min: calibration.ask_min, same_min: calibration.reinforce_min };
    let remarks = decide::remarks_on_revised(&entry, &near, bounds);
    let noted = decide::propose(&entry, near, bounds);
    if !noted.is_empty() {
        ledger.append(noted, writer)?;
    }
    Ok(remarks)
}

/// Looks whether entries whose meaning has just become known say what others say, or the opposite, and notes it in one write. Says how many pairs
/// there were.
///
/// Nothing is merged: what was acknowledged stays as it is.
pub fn propose(
    ledger: &mut Ledger,
    keys: &[EntryKey],
    compared: Compared,
    embedder: &dyn Embedder,
    writer: &Writer,
) -> Result<usize> {
    let calibration = &embedder.card().calibration;
    let bounds = Bounds { ask_min: calibration.ask_min, same_min: calibration.reinforce_min };
    let mut intents: Vec<Intent> = Vec::new();
    // Both of a pair may be among the keys.
    let mut pairs = HashSet::new();
    for key in keys {
        let is_compared = |entry: &Entry| match compared {
            Compared::Queued => entry.not_run.iter().any(|stage| stage == SIMILARITY),
            Compared::Every => true,
        };
        let Some(entry) = ledger.entry(*key)?.filter(is_compared) else { continue };
        let Some(near) = near(ledger, entry.memory(), &entry.fields, embedder)? else { continue };
        let near = decide::near_entries(ledger.projection(), entry.memory(), &near)?;
        for intent in decide::propose(&entry, near, bounds) {
            if let Body::Link(LinkEvent::Proposed { to, .. }) = &intent.body
                && pairs.insert((intent.entry, *to))
            {
                intents.push(intent);
            }
        }
    }
    let count = intents.len();
    if count > 0 {
        ledger.append(intents, writer)?;
    }
    Ok(count)
}
