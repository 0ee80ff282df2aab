//! Which words an event that earns trust is about (COR-18): it counts for those and for no others, whatever the clocks.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::{Entry, revise};
use crate::event::{BeliefEvent, Body, EntryEvent, Event};
use crate::fields::Fields;
use crate::ids::EventHash;
use crate::kinds::{Status, TypeName};

/// The hash of the words that trust is earned for. Tags, domains, scope and anchors are no part of it.
pub fn words(kind: &TypeName, fields: &Fields) -> String {
    let claim = kind.known().map_or_else(|| fields.statement().into_owned(), |known| fields.claim(known));
    let said = json!([
        claim,
        fields.title,
        fields.summary,
        fields.detail,
        fields.verification,
        fields.depends_on,
        fields.polarity,
        fields.enforcement,
    ]);
    blake3::hash(crate::canonical::value_to_string(&said).as_bytes()).to_hex()[..40].to_owned()
}

/// Whether an event earns or costs trust: it carries the words that it is about.
pub fn is_about_words(body: &Body) -> bool {
    matches!(
        body,
        Body::Entry(EntryEvent::Confirmed(_) | EntryEvent::Promoted { .. } | EntryEvent::Proved { .. })
            | Body::Belief(BeliefEvent::Observed { .. })
    )
}

/// Whether an event carries the words that it is about: what earns or costs trust, and that another entry says the same.
pub(super) fn names_words(body: &Body) -> bool {
    is_about_words(body) || matches!(body, Body::Entry(EntryEvent::Merged(_)))
}

/// Events of one entry that are about other words than it has now. They are kept, and they do not count.
pub(super) fn about_other_words<'a>(
    kind: &TypeName,
    stated: &Fields,
    events: impl Iterator<Item = &'a Event> + Clone,
) -> BTreeSet<EventHash> {
    let earns = |event: &Event| event.body.as_ref().is_some_and(names_words);
    let revises = |event: &Event| matches!(event.body, Some(Body::Entry(EntryEvent::Revised(_))));
    let mut any_trust = false;
    // Without a change and without a name for the words there are no other words.
    let mut may_differ = false;
    for event in events.clone() {
        let trust = earns(event);
        any_trust |= trust;
        may_differ |= revises(event) || (trust && event.words.is_some()) || pin(event).is_some();
    }
    if !any_trust || !may_differ {
        return BTreeSet::new();
    }
    let pinned = Pinned::among(events.clone());
    let mut fields = Cow::Borrowed(stated);
    let mut now: Option<String> = None;
    let mut about: BTreeMap<EventHash, Option<String>> = BTreeMap::new();
    for event in events {
        if let Some(Body::Entry(EntryEvent::Revised(revised))) = &event.body {
            fields = Cow::Owned(revise(fields.into_owned(), revised));
            now = None;
        }
        if earns(event) {
            let words_then = match (&event.words, &pinned) {
                (Some(named), _) => Some(named.clone()),
                (None, Pinned::Words(pinned)) => Some((*pinned).to_owned()),
                (None, Pinned::Disputed) => None,
                (None, Pinned::No) => Some(now.get_or_insert_with(|| words(kind, &fields)).clone()),
            };
            about.insert(event.hash, words_then);
        }
    }
    let now = now.unwrap_or_else(|| words(kind, &fields));
    about.into_iter().filter(|(_, then)| then.as_ref() != Some(&now)).map(|(hash, _)| hash).collect()
}

/// Confirmations that were taken back, and the events that take them back. Who takes one of those back makes the confirmation count again.
pub(super) fn withdrawn<'a>(ordered: impl DoubleEndedIterator<Item = &'a Event>) -> BTreeSet<EventHash> {
    let mut withdrawn = BTreeSet::new();
    for event in ordered.rev() {
        if let Some(Body::Entry(EntryEvent::Confirmed(confirmed))) = &event.body
            && let Some(hash) = confirmed.withdraws
            && withdrawn.insert(event.hash)
        {
            withdrawn.insert(hash);
        }
    }
    withdrawn
}

/// What events count for that were written before events named their words.
enum Pinned<'a> {
    No,
    Words(&'a str),
    /// Two pins name different words: somebody else's pin takes trust away and gives it to nothing.
    Disputed,
}

impl<'a> Pinned<'a> {
    fn among(events: impl Iterator<Item = &'a Event>) -> Pinned<'a> {
        let mut found = Pinned::No;
        for words in events.filter_map(pin) {
            found = match found {
                Pinned::No => Pinned::Words(words),
                Pinned::Words(known) if known == words => Pinned::Words(known),
                Pinned::Words(_) | Pinned::Disputed => Pinned::Disputed,
            };
        }
        found
    }
}

fn pin(event: &Event) -> Option<&str> {
    match &event.body {
        Some(Body::Entry(EntryEvent::Pinned { words })) => Some(words),
        _ => None,
    }
}

/// Whether an entry has trust of versions that did not name the words it was about, and no event says which those were.
pub fn is_unpinned<'a>(events: impl IntoIterator<Item = &'a Event>) -> bool {
    let mut unnamed = false;
    for event in events {
        if pin(event).is_some() {
            return false;
        }
        unnamed |= event.words.is_none() && event.body.as_ref().is_some_and(is_about_words);
    }
    unnamed
}

/// What a change of words cost an entry, or gave back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// The status it had and no longer has.
    pub status: Option<Status>,
    pub confirmations: usize,
    pub observations: usize,
    /// It had been proved.
    pub proof: bool,
}

impl Cost {
    /// What `after` lacks of the trust that `before` had.
    pub fn between(before: &Entry, after: &Entry) -> Cost {
        let fell = super::trust(after.standing) < super::trust(before.standing);
        Cost {
            status: fell.then_some(before.standing),
            confirmations: before.confirmed_by.difference(&after.confirmed_by).count(),
            observations: before.whole_record().0.len().saturating_sub(after.whole_record().0.len()),
            proof: before.proved.is_some() && after.proved.is_none(),
        }
    }

    pub fn is_none(&self) -> bool {
        *self == Cost::default()
    }
}
