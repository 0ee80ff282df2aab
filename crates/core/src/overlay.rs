//! What one clone sees differently: pins, mutes, doubts and notes, laid over entries and never in the ledger (BEL-9).
//!
//! An overlay changes what is shown here and nothing else: no belief, no debt, no status. It is folded from its own log, so everything
//! that was laid can be told, and everything can be taken back.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::clock::Millis;
use crate::ids::EntryKey;

/// What is laid over one entry in this clone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Overlay {
    /// It stands above the unpinned, and no sweep takes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned: Option<Laid>,
    /// Nobody here wants to see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub muted: Option<Laid>,
    /// Somebody here holds it to be wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invalidated: Option<Laid>,
    /// What somebody here wants remembered beside it, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
}

/// Who laid something, when and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Laid {
    pub by: String,
    pub at: Millis,
    /// Why, if anybody said.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// A note beside an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Note {
    /// Who wrote it.
    pub by: String,
    pub at: Millis,
    /// What it says.
    pub text: String,
}

/// One change of an overlay, as its log holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OverlayEvent {
    pub entry: EntryKey,
    pub at: Millis,
    pub actor: String,
    #[serde(flatten)]
    pub change: OverlayChange,
}

/// What can be done to an overlay. Each has its opposite.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum OverlayChange {
    /// Lifted above the unpinned.
    Pinned {
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// No longer lifted.
    Unpinned {
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// Out of sight.
    Muted {
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// In sight again.
    Unmuted {
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// Held to be wrong, and out of sight.
    Invalidated {
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// No longer held to be wrong.
    Reinstated {
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// A note was put beside it.
    Annotated {
        /// What it says.
        text: String,
    },
    /// Its notes were taken away.
    Cleared,
}

impl OverlayChange {
    /// Whether it takes an entry out of sight.
    pub fn hides(&self) -> bool {
        matches!(self, OverlayChange::Muted { .. } | OverlayChange::Invalidated { .. })
    }

    /// What is said with it: a reason or a note.
    pub fn text_mut(&mut self) -> Option<&mut String> {
        match self {
            OverlayChange::Pinned { reason }
            | OverlayChange::Unpinned { reason }
            | OverlayChange::Muted { reason }
            | OverlayChange::Unmuted { reason }
            | OverlayChange::Invalidated { reason }
            | OverlayChange::Reinstated { reason } => Some(reason),
            OverlayChange::Annotated { text } => Some(text),
            OverlayChange::Cleared => None,
        }
    }
}

impl Overlay {
    /// Nothing is laid.
    pub fn is_empty(&self) -> bool {
        *self == Overlay::default()
    }

    /// It appears on no read path of this clone.
    pub fn hides(&self) -> bool {
        self.muted.is_some() || self.invalidated.is_some()
    }

    /// One event onto an overlay; says whether it changed anything. What is so already keeps who said it first.
    pub fn apply(&mut self, event: &OverlayEvent) -> bool {
        let laid =
            |reason: &String| Some(Laid { by: event.actor.clone(), at: event.at, reason: reason.clone() });
        let lay = |place: &mut Option<Laid>, reason: &String| {
            let is_new = place.is_none();
            if is_new {
                *place = laid(reason);
            }
            is_new
        };
        match &event.change {
            OverlayChange::Pinned { reason } => lay(&mut self.pinned, reason),
            OverlayChange::Muted { reason } => lay(&mut self.muted, reason),
            OverlayChange::Invalidated { reason } => lay(&mut self.invalidated, reason),
            OverlayChange::Unpinned { .. } => self.pinned.take().is_some(),
            OverlayChange::Unmuted { .. } => self.muted.take().is_some(),
            OverlayChange::Reinstated { .. } => self.invalidated.take().is_some(),
            OverlayChange::Annotated { text } => {
                let is_new = self.notes.iter().all(|note| note.text != *text);
                if is_new {
                    let (by, text) = (event.actor.clone(), text.clone());
                    self.notes.push(Note { by, at: event.at, text });
                }
                is_new
            }
            OverlayChange::Cleared => !std::mem::take(&mut self.notes).is_empty(),
        }
    }

    /// The overlay in sentences, what hides the entry first.
    pub fn told(&self) -> Vec<String> {
        let marks = [("invalidated", &self.invalidated), ("muted", &self.muted), ("pinned", &self.pinned)];
        let mut told: Vec<String> = marks
            .into_iter()
            .filter_map(|(word, laid)| {
                let laid = laid.as_ref()?;
                let why = if laid.reason.is_empty() { String::new() } else { format!(": {}", laid.reason) };
                Some(format!("{word} in this clone by {} on {}{why}", laid.by, laid.at.date()))
            })
            .collect();
        told.extend(self.notes.iter().map(|note| format!("note by {}", note.told())));
        told
    }
}

impl Note {
    /// Who, when and what: `human:Ada on 2026-01-02: see the ticket`.
    pub fn told(&self) -> String {
        format!("{} on {}: {}", self.by, self.at.date(), self.text)
    }
}

/// Folds a log, in its order, into what is laid over each entry. Entries with nothing over them are left out.
pub fn fold<'a>(events: impl IntoIterator<Item = &'a OverlayEvent>) -> BTreeMap<EntryKey, Overlay> {
    let mut overlays: BTreeMap<EntryKey, Overlay> = BTreeMap::new();
    for event in events {
        overlays.entry(event.entry).or_default().apply(event);
    }
    overlays.retain(|_, overlay| !overlay.is_empty());
    overlays
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: EntryKey = EntryKey([7; 8]);

    fn change(word: &str) -> OverlayChange {
        let reason = String::new();
        match word {
            "pin" => OverlayChange::Pinned { reason },
            "unpin" => OverlayChange::Unpinned { reason },
            "mute" => OverlayChange::Muted { reason },
            "unmute" => OverlayChange::Unmuted { reason },
            "invalidate" => OverlayChange::Invalidated { reason },
            "reinstate" => OverlayChange::Reinstated { reason },
            "clear" => OverlayChange::Cleared,
            text => OverlayChange::Annotated { text: text.to_owned() },
        }
    }

    fn told(story: &str) -> String {
        let events: Vec<OverlayEvent> = story
            .split_whitespace()
            .enumerate()
            .map(|(at, word)| OverlayEvent {
                entry: KEY,
                at: Millis(at as i64),
                actor: "human:Ada".to_owned(),
                change: change(word),
            })
            .collect();
        let Some(overlay) = fold(&events).remove(&KEY) else { return "nothing".to_owned() };
        let mut words = Vec::new();
        for (set, word) in [
            (overlay.pinned.is_some(), "pinned"),
            (overlay.muted.is_some(), "muted"),
            (overlay.invalidated.is_some(), "invalidated"),
            (overlay.hides(), "hidden"),
        ] {
            words.extend(set.then(|| word.to_owned()));
        }
        words.extend(overlay.notes.iter().map(|note| note.text.clone()));
        words.join(" ")
    }

    #[test]
    fn overlays_fold_in_the_order_of_their_log() {
        let stories = [
            ("", "nothing"),
            ("pin", "pinned"),
            ("pin unpin", "nothing"),
            ("pin pin unpin", "nothing"),
            ("unpin pin", "pinned"),
            ("mute", "muted hidden"),
            ("mute unmute", "nothing"),
            ("mute reinstate", "muted hidden"),
            ("invalidate unmute", "invalidated hidden"),
            ("invalidate mute reinstate unmute", "nothing"),
            ("pin mute", "pinned muted hidden"),
            ("one two one", "one two"),
            ("one two clear", "nothing"),
            ("one clear two", "two"),
            ("pin one clear", "pinned"),
        ];
        for (story, expected) in stories {
            assert_eq!(told(story), expected, "{story:?}");
        }
    }

    #[test]
    fn who_said_it_first_is_kept() {
        let mut overlay = Overlay::default();
        let event = |actor: &str, at: i64| OverlayEvent {
            entry: KEY,
            at: Millis(at),
            actor: actor.to_owned(),
            change: OverlayChange::Muted { reason: format!("by {actor}") },
        };
        assert!(overlay.apply(&event("human:Ada", 1)));
        assert!(!overlay.apply(&event("human:Bob", 2)));
        assert_eq!(overlay.told(), ["muted in this clone by human:Ada on 1970-01-01: by human:Ada"]);
    }

    #[test]
    fn a_line_of_the_log_reads_as_it_was_written() {
        for word in ["pin", "unpin", "mute", "unmute", "invalidate", "reinstate", "clear", "a-note"] {
            let event =
                OverlayEvent { entry: KEY, at: Millis(5), actor: "agent:x".to_owned(), change: change(word) };
            let line = serde_json::to_string(&event).unwrap();
            assert_eq!(serde_json::from_str::<OverlayEvent>(&line).unwrap(), event, "{line}");
        }
    }
}
