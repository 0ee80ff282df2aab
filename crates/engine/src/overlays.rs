//! What a clone lays over its entries (BEL-9), as questions need it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use ken_core::overlay::fold;
use ken_core::{EntryKey, Overlay, OverlayEvent};

use crate::error::Result;
use crate::query::{Overlaid, Query};
use crate::state::{CloneState, RecordKind};

/// Overlays by the entries they lie on.
#[derive(Default)]
pub struct Overlays(BTreeMap<EntryKey, Overlay>);

/// What is laid over entries, as small state has it, and how many lines of that cannot be read.
pub fn overlays(state: &dyn CloneState) -> Result<(Overlays, usize)> {
    let bytes = state.read(&RecordKind::Overlays.record())?.unwrap_or_default();
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let read: Vec<Option<OverlayEvent>> = lines.map(|line| serde_json::from_slice(line).ok()).collect();
    let odd = read.iter().filter(|event| event.is_none()).count();
    let events: Vec<OverlayEvent> = read.into_iter().flatten().collect();
    Ok((Overlays(fold(&events)), odd))
}

impl Overlays {
    /// What is laid over an entry.
    pub fn overlay(&self, key: EntryKey) -> Overlay {
        self.0.get(&key).cloned().unwrap_or_default()
    }

    /// Names everything that is laid.
    pub fn mark(&self) -> String {
        let written = serde_json::to_vec(&self.0).unwrap_or_default();
        blake3::hash(&written).to_hex()[..16].to_owned()
    }

    /// The entries of some kind, by what is laid over them.
    pub fn keys(&self, which: Overlaid) -> Vec<EntryKey> {
        let meant = self.0.iter().filter(|(_, overlay)| which.admits(overlay));
        meant.map(|(key, _)| *key).collect()
    }

    /// A query with what it says of overlays as keys.
    pub fn narrowed<'q>(&self, query: &'q Query) -> Cow<'q, Query> {
        let only = |which: Overlaid| {
            let mut keys = self.keys(which);
            keys.retain(|key| query.only.as_ref().is_none_or(|only| only.contains(key)));
            Some(keys)
        };
        let mut narrowed = query.clone();
        match query.overlaid {
            Overlaid::Visible => {
                let hidden = self.keys(Overlaid::Hidden);
                if hidden.is_empty() {
                    return Cow::Borrowed(query);
                }
                narrowed.without.extend(hidden);
            }
            Overlaid::Hidden => narrowed.only = only(Overlaid::Hidden),
            Overlaid::Pinned => narrowed.only = only(Overlaid::Pinned),
            Overlaid::Any => return Cow::Borrowed(query),
        }
        Cow::Owned(narrowed)
    }
}
