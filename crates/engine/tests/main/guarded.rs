//! Whatever makes the events: what they come to is held against who calls (COR-21).

use ken_core::decide::{Attendance, Authority};
use ken_core::{Body, Code, EntryEvent, EntryKey, Intent, Status};
use ken_engine::{Error, Writer};

use crate::Story;

/// A story with a verified entry, and its key.
fn with_verified() -> (Story, EntryKey) {
    let mut story = Story::new();
    let added = story.add(Story::lesson("Retry with jitter.", &["commit:abcdef0"]));
    assert!(added.starts_with("added"), "{added}");
    let key = key_of(&story);
    let promoted =
        EntryEvent::Promoted { status: Status::Verified, reason: "proved".to_owned(), rests_on: Vec::new() };
    let writer = story.writer.clone();
    story.ledger.append(vec![about(key, promoted)], &writer).unwrap();
    (story, key)
}

fn key_of(story: &Story) -> EntryKey {
    let all = story.ledger.list(&ken_engine::Query::default()).unwrap();
    all.entries[0].entry.key
}

fn about(key: EntryKey, event: EntryEvent) -> Intent {
    Intent { entry: Some(key), body: Body::Entry(event) }
}

fn agent(story: &Story) -> Writer {
    let authority = Authority {
        attendance: Attendance::Unattended,
        who: "agent:codex".to_owned(),
        ..Authority::default()
    };
    Writer { actor: "agent:codex".to_owned(), now: story.writer.now, authority }
}

#[test]
fn an_agent_hides_no_verified_entry_whatever_event_does_it() {
    let reason = || "over".to_owned();
    for event in [
        EntryEvent::Archived { reason: reason() },
        EntryEvent::Retracted { reason: reason() },
        EntryEvent::Staled { reason: reason() },
    ] {
        let (mut story, key) = with_verified();
        let before = story.ledger.history(key).unwrap().len();
        let agent = agent(&story);
        match story.ledger.append(vec![about(key, event.clone())], &agent) {
            Err(Error::Refused(refusal)) => {
                assert_eq!(refusal.code, Code::NotAllowed);
                assert!(refusal.message.contains("which is or was verified"), "{}", refusal.message);
                assert!(refusal.confirm.is_some(), "a person can be asked");
            }
            other => panic!("{event:?}: {other:?}"),
        }
        assert_eq!(story.ledger.history(key).unwrap().len(), before, "nothing was written");
        // Somebody who can be asked may.
        let writer = story.writer.clone();
        story.ledger.append(vec![about(key, event)], &writer).unwrap();
    }
}

// An entry with the handle of another one as its id answered in its place.
#[test]
fn no_entry_takes_the_handle_of_another_as_its_id() {
    let mut story = Story::new();
    story.add(Story::lesson("Retry with jitter.", &["commit:abcdef0"]));
    let key = key_of(&story);
    let handle = story.ledger.entry(key).unwrap().unwrap().handle();
    let mut input = Story::lesson("Sockets stay open.", &["commit:abcdef0"]);
    input.content.insert("id".to_owned(), handle.clone().into());
    let told = story.add(input);
    assert_eq!(told, format!("refused: the id {handle} is the handle of another entry"));
}
