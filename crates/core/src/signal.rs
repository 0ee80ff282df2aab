//! The states of a signal, and which follows which (COR-14). They are those of GSD, and lie where its files bring them: in an attribute.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::decide::Change;
use crate::entry::Entry;
use crate::kinds::Type;
use crate::refusal::{Code, Refusal};

/// How far somebody got with a signal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SignalState {
    /// It was recorded, and nobody looked yet.
    #[default]
    Detected,
    /// Somebody looked, and it matters.
    Triaged,
    /// Something else has to happen first.
    Blocked,
    /// What caused it was mended.
    Remediated,
    /// It did not come back since.
    Verified,
    /// It was none. This is the end.
    Invalidated,
}

/// The names of the attribute: the newer one, and that of older files.
const ATTRIBUTES: [&str; 2] = ["lifecycle_state", "lifecycle"];

impl SignalState {
    pub const ALL: [SignalState; 6] = [
        SignalState::Detected,
        SignalState::Triaged,
        SignalState::Blocked,
        SignalState::Remediated,
        SignalState::Verified,
        SignalState::Invalidated,
    ];
    /// Their words, in the same order.
    pub const WORDS: &'static [&'static str] =
        &["detected", "triaged", "blocked", "remediated", "verified", "invalidated"];

    /// The word that people and programs use.
    pub fn as_str(self) -> &'static str {
        Self::WORDS[self as usize]
    }

    /// Reads a word.
    pub fn from_word(word: &str) -> Option<SignalState> {
        SignalState::ALL.into_iter().find(|state| state.as_str() == word)
    }

    /// The state that attributes tell; a signal that says nothing of it, or something else, was detected.
    pub fn from_attributes(attributes: &Map<String, Value>) -> SignalState {
        let told = ATTRIBUTES.iter().find_map(|name| attributes.get(*name)).and_then(Value::as_str);
        told.and_then(|word| SignalState::from_word(word.trim())).unwrap_or_default()
    }

    /// The states that may follow.
    pub fn next(self) -> &'static [SignalState] {
        match self {
            SignalState::Detected => &[SignalState::Triaged, SignalState::Blocked, SignalState::Invalidated],
            SignalState::Triaged => &[
                SignalState::Blocked,
                SignalState::Remediated,
                SignalState::Invalidated,
                SignalState::Detected,
            ],
            SignalState::Blocked => {
                &[SignalState::Triaged, SignalState::Remediated, SignalState::Invalidated]
            }
            SignalState::Remediated => {
                &[SignalState::Verified, SignalState::Detected, SignalState::Invalidated]
            }
            SignalState::Verified => &[SignalState::Detected, SignalState::Invalidated],
            SignalState::Invalidated => &[],
        }
    }
}

/// The state of an entry, where it is a signal.
pub fn state_of(entry: &Entry) -> Option<SignalState> {
    (entry.kind.known() == Some(Type::Signal)).then(|| SignalState::from_attributes(&entry.fields.attributes))
}

/// Takes a new state out of a change, and makes it the attribute that holds it, if it may follow. A change without one keeps the state
/// that the signal has, and attributes that name one ask for it like everybody else.
pub fn moved(entry: &Entry, change: &mut Change) -> Result<(), Refusal> {
    if state_of(entry).is_some() {
        keep_state(entry, change);
    }
    let Some(wanted) = change.set.remove(STATE) else { return Ok(()) };
    let refuse = |message: String| Refusal::new(Code::NotAllowed, message).field(STATE);
    let Some(from) = state_of(entry) else {
        return Err(refuse(format!("{} is not a signal and has no state", entry.id()))
            .hint("only signals have a state; use archive, retract or restore for other entries"));
    };
    let word = wanted.as_str().unwrap_or_default().trim();
    let Some(to) = SignalState::from_word(word) else {
        let message = format!("unknown state {word:?}; allowed: {}", SignalState::WORDS.join(", "));
        return Err(Refusal::new(Code::Invalid, message).field(STATE));
    };
    if to != from && !from.next().contains(&to) {
        let next: Vec<&str> = from.next().iter().map(|state| state.as_str()).collect();
        let hint = match next.is_empty() {
            true => "an invalidated signal cannot change; record a new one with `ken note`".to_owned(),
            false => format!("allowed next states: {}", next.join(", ")),
        };
        let message = format!("{} is {} and cannot become {}", entry.id(), from.as_str(), to.as_str());
        return Err(refuse(message).hint(hint));
    }
    let attributes = change.set.get("attributes").and_then(Value::as_object);
    let mut attributes = attributes.unwrap_or(&entry.fields.attributes).clone();
    let name = ATTRIBUTES.into_iter().find(|name| attributes.contains_key(*name)).unwrap_or(ATTRIBUTES[0]);
    attributes.insert(name.to_owned(), Value::from(to.as_str()));
    change.set.insert("attributes".to_owned(), Value::Object(attributes));
    Ok(())
}

/// Attributes are given whole. The state is no part of that: left out, it stays; named, it is a wish like any other.
fn keep_state(entry: &Entry, change: &mut Change) {
    let Some(given) = change.set.get_mut("attributes") else { return };
    let held = ATTRIBUTES.iter().find_map(|name| entry.fields.attributes.get_key_value(*name));
    let mut attributes = given.as_object().cloned().unwrap_or_default();
    let mut wanted = None;
    for name in ATTRIBUTES {
        wanted = wanted.or(attributes.remove(name));
    }
    if let Some((name, state)) = held {
        attributes.insert(name.clone(), state.clone());
    }
    let wanted = wanted.filter(|wanted| held.map(|(_, state)| state) != Some(wanted));
    if !attributes.is_empty() || given.is_object() {
        *given = Value::Object(attributes);
    }
    if let Some(wanted) = wanted
        && !change.set.contains_key(STATE)
    {
        change.set.insert(STATE.to_owned(), wanted);
    }
}

/// What a change calls the state of a signal.
pub const STATE: &str = "lifecycle_state";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cor_14_states_follow_each_other_as_in_gsd() {
        let table: Vec<String> = SignalState::ALL
            .into_iter()
            .map(|state| {
                let next: Vec<&str> = state.next().iter().map(|state| state.as_str()).collect();
                format!("{}: {}", state.as_str(), next.join(" "))
            })
            .collect();
        assert_eq!(
            table,
            [
                "detected: triaged blocked invalidated",
                "triaged: blocked remediated invalidated detected",
                "blocked: triaged remediated invalidated",
                "remediated: verified detected invalidated",
                "verified: detected invalidated",
                "invalidated: ",
            ]
        );
        for (state, word) in SignalState::ALL.into_iter().zip(SignalState::WORDS) {
            assert_eq!((state.as_str(), SignalState::from_word(word)), (*word, Some(state)));
        }
    }

    #[test]
    fn an_older_name_and_an_odd_value_are_read() {
        let told = |text: &str| {
            SignalState::from_attributes(serde_json::from_str::<Value>(text).unwrap().as_object().unwrap())
        };
        assert_eq!(told(r#"{"lifecycle": "triaged"}"#), SignalState::Triaged);
        assert_eq!(told(r#"{"lifecycle_state": "verified"}"#), SignalState::Verified);
        assert_eq!(told(r#"{"lifecycle_state": 7}"#), SignalState::Detected);
        assert_eq!(told("{}"), SignalState::Detected);
    }
}
