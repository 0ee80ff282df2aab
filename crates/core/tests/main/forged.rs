//! What a line of somebody else changes of an entry: every kind of event, forged, and the page that tells of it.

use std::collections::BTreeSet;

use ken_core::belief::belief_at;
use ken_core::entry::{Bases, Cost, Entry, fold};
use ken_core::event::{
    Basis, BeliefEvent, Body, DocumentEvent, EntryEvent, Event, GateEvent, Intent, LinkEvent, PromotionEvent,
    RunEvent, Seal, SettingEvent,
};
use ken_core::forage::ForageEvent;
use ken_core::kinds::Status;
use ken_core::{Clock, EntryKey, Millis, ReplicaId};
use serde_json::{Value, json};

use crate::stage::{Writer, clock, lesson_key, replica};

const STATEMENT: &str = "Retry with jitter.";

fn key() -> EntryKey {
    lesson_key(STATEMENT)
}

fn body(kind: &str, data: Value) -> Body {
    Body::from_data(kind, &data).unwrap_or_else(|| panic!("{kind} {data} is no event"))
}

/// A lesson of Ada that Bo confirmed, used, proved and promoted, each in a clone of their own.
fn trusted() -> Vec<Event> {
    let mut writer = Writer::default();
    let mut bases = Bases::default();
    let fields = json!({
        "statement": STATEMENT, "title": "Jitter", "detail": "Up to 2 s.", "verification": ["look"],
        "anchors": [{"at": "src/net.rs"}],
    });
    let cited = json!({"evidence_type": "pr", "evidence_ref": "#1", "cited_by": "human:Ada", "cited_at": 1});
    let told = [
        (
            0,
            "entry.added",
            json!({"type": "lesson", "id": "net.jitter", "fields": fields, "evidence": [cited]}),
        ),
        (0, "entry.cited", json!({"citation": cited})),
        (1, "entry.confirmed", json!({"kind": "independent", "run": "run-bo"})),
        (
            1,
            "belief.observed",
            json!({"source": "run:bo", "side": "for", "weight": 1000, "reason": "it helped"}),
        ),
        (1, "entry.proved", json!({"steps": ["look"], "accepted": true})),
        (1, "entry.promoted", json!({"status": "verified", "reason": "two confirmed it"})),
    ];
    let write = |(at, (who, kind, data)): (usize, (u8, &str, Value))| {
        let intent = Intent { entry: Some(key()), body: body(kind, data) };
        let basis = bases.of(&intent);
        let event =
            writer.seal_upon(replica(who), clock(10 + at as i64), intent.entry, intent.body.clone(), basis);
        bases.follow(&intent, event.hash);
        event
    };
    told.into_iter().enumerate().map(write).collect()
}

/// One event of every kind, as a stranger would word it.
fn samples() -> Vec<Body> {
    let lines =
        ken_testkit::forged_lines(&key().to_string(), STATEMENT, &lesson_key("Another one.").to_string());
    lines.into_iter().map(|(kind, data)| body(kind, data)).collect()
}

/// Who writes an event of this kind in the first place. Without a catch-all: a new kind is decided on here, and in the table.
fn writer_of(body: &Body) -> &'static str {
    match body {
        Body::Entry(event) => match event {
            EntryEvent::Added(_) | EntryEvent::Rejected(_) | EntryEvent::Reinforced { .. } => "whoever adds",
            EntryEvent::Released { .. } => "a person, for this clone only",
            EntryEvent::Revised(_) | EntryEvent::Cited { .. } => "whoever revises",
            EntryEvent::Archived { .. }
            | EntryEvent::Retracted { .. }
            | EntryEvent::Restored { .. }
            | EntryEvent::Superseded { .. } => "anybody; an approver where a norm is in force",
            EntryEvent::Merged(_) => "who finds that two say the same; a person where it is verified",
            EntryEvent::Unmerged { .. } => "anybody",
            EntryEvent::Staled { .. } => "`ken maintain`; a person where it is verified",
            EntryEvent::Reanchored { .. } | EntryEvent::Proved { .. } => "`ken check`",
            EntryEvent::Confirmed(_) => "who found the same; independent if they were not shown it",
            EntryEvent::Promoted { .. } => "ken, from what was confirmed and observed",
            EntryEvent::Pinned { .. } => "`ken maintain migrate`, by a person",
            EntryEvent::Rescoped { .. } => "whoever promotes it",
            EntryEvent::Purged { .. } => "a person, for lines of their own clone",
        },
        Body::Link(event) => match event {
            LinkEvent::Linked { .. } | LinkEvent::Unlinked { .. } | LinkEvent::Dismissed { .. } => "anybody",
            LinkEvent::Proposed { .. } => "ken, from similarity",
        },
        Body::Run(event) => match event {
            RunEvent::Exposed { .. }
            | RunEvent::Missed { .. }
            | RunEvent::Unanswered { .. }
            | RunEvent::Exceeded { .. }
            | RunEvent::Cleared { .. } => "ken, from what it handed out",
            RunEvent::Serviced(_) => "`ken maintain`",
            RunEvent::Started(_) | RunEvent::Reported(_) | RunEvent::Finished(_) => {
                "who takes part in the run"
            }
        },
        Body::Belief(event) => match event {
            BeliefEvent::Observed { .. } => "ken, when a run ends; who gives feedback",
            BeliefEvent::Reset { .. } => "a person",
            BeliefEvent::Widened { .. } => "ken, when a thread is archived",
        },
        Body::Setting(SettingEvent::Changed { .. }) => "a person",
        Body::Promotion(event) => match event {
            PromotionEvent::Proposed(_) => "anybody",
            PromotionEvent::Approved(_) | PromotionEvent::Rejected { .. } => "an approver",
        },
        Body::Gate(GateEvent::Attested { .. }) => "who the norm names",
        Body::Document(DocumentEvent::Kept(_) | DocumentEvent::Seen(_) | DocumentEvent::Left { .. }) => {
            "`ken mirror sync` and `ken import`"
        }
        Body::Forage(event) => match event {
            ForageEvent::Override { .. } => "a person",
            ForageEvent::Requested(_) | ForageEvent::Completed(_) | ForageEvent::Strategy { .. } => {
                "`ken forage`"
            }
        },
    }
}

/// What else a line of this kind does, where that is not the fold of its entry, and what keeps it in bounds.
fn beyond(body: &Body) -> &'static str {
    match body {
        Body::Entry(EntryEvent::Added(_)) => {
            "another claim is not applied, and fails `verify` and `gate`; changed words fail `gate --diff`"
        }
        Body::Entry(EntryEvent::Revised(_)) => {
            "an unknown clone's line with an early date fails `gate --diff`"
        }
        Body::Entry(EntryEvent::Merged(_)) => {
            "counts only for the words that it names, and while the other entry is trusted no less; gives that one no status"
        }
        Body::Entry(EntryEvent::Staled { .. }) => "norms are never stale",
        Body::Entry(EntryEvent::Released { .. }) => "counts only if this clone's journal has it",
        Body::Entry(EntryEvent::Purged { .. }) => {
            "takes bytes out only of lines of the same clone; in our name only if our journal has it"
        }
        Body::Entry(EntryEvent::Confirmed(_) | EntryEvent::Promoted { .. } | EntryEvent::Proved { .. })
        | Body::Belief(BeliefEvent::Observed { .. }) => "counts only for the words that it names",
        Body::Setting(_) => "changes that setting for everybody who merges it",
        Body::Promotion(PromotionEvent::Approved(_)) => {
            "counts only from an approver at the base, for the words that it names"
        }
        Body::Promotion(PromotionEvent::Proposed(_) | PromotionEvent::Rejected { .. }) => {
            "waits for an approver"
        }
        Body::Gate(_) => "counts only from who the norm names",
        Body::Run(RunEvent::Serviced(_)) => "is a record; nothing follows from it",
        Body::Run(_) => "changes the run of that name",
        Body::Document(_) => "names a file; the entry is changed by its own events only",
        Body::Forage(ForageEvent::Requested(_)) => {
            "counts against the budget of its day; no other clone serves it"
        }
        Body::Forage(ForageEvent::Completed(_)) => "gives back only what the same clone reserved",
        Body::Forage(ForageEvent::Strategy { .. }) => "says how a domain is read, not whether",
        Body::Forage(ForageEvent::Override { .. }) => "changes that domain for everybody who merges it",
        Body::Entry(_) | Body::Link(_) | Body::Belief(_) => "",
    }
}

/// What differs between an entry and the same entry with one more line.
fn changes(before: &Entry, after: &Entry) -> BTreeSet<&'static str> {
    let mut found = BTreeSet::new();
    let mut say = |is: bool, what: &'static str| {
        if is {
            found.insert(what);
        }
    };
    say(before.trusted_words() != after.trusted_words(), "words");
    let mean = |entry: &Entry| belief_at(entry, clock(100).millis()).now.mean();
    let lacks = |one: &Entry, other: &Entry| {
        let cost = Cost::between(one, other);
        cost.status.is_some() || cost.confirmations > 0 || cost.proof || mean(other) < mean(one)
    };
    let (gains, loses) = (lacks(after, before), lacks(before, after));
    say(gains, "adds trust");
    say(loses, "takes trust");
    say(!after.status.is_retrieved(), "puts it away");
    say(before.citations != after.citations, "citations");
    say(before.links != after.links, "links");
    say(before.fields.anchors != after.fields.anchors, "anchors");
    say(before.fields.scope() != after.fields.scope(), "scope");
    say(before.wordings != after.wordings, "wordings");
    say(before.similar_to != after.similar_to || before.unlike != after.unlike, "similar entries");
    say(before.aliases != after.aliases, "aliases");
    say(before.missed != after.missed, "prediction errors");
    say(before.approvals != after.approvals, "approvals");
    say(before.attested != after.attested, "attestations");
    found
}

/// The ways in which a stranger may date, number and sign a line.
fn strangers() -> Vec<(ReplicaId, u64, Clock)> {
    let (mallory, ada) = (replica(9), replica(0));
    let year_2999 = Clock::at(Millis(32_472_144_000_000));
    vec![
        (mallory, 1, clock(0)),
        (mallory, u64::MAX, clock(90)),
        (mallory, 1, year_2999),
        (ada, 900, clock(0)),
        (ada, u64::MAX, year_2999),
    ]
}

fn forge(body: &Body, (replica, seq, clock): (ReplicaId, u64, Clock), basis: Basis) -> Event {
    let intent = Intent { entry: Some(key()), body: body.clone() };
    let actor = "human:Ada".to_owned();
    Event::seal(&intent, Seal { replica, seq, parents: Vec::new(), clock, actor, basis })
}

fn with(events: &[Event], line: Event) -> Entry {
    fold(events.iter().chain([&line]), &|_| false).expect("Ada states it")
}

// COR-18: whatever a stranger writes, the words that are shown and the trust that is shown belong together.
#[test]
fn no_line_of_a_stranger_gives_the_trust_of_an_entry_to_other_words() {
    let before = fold(&trusted(), &|_| false).unwrap();
    assert_eq!(before.status, Status::Verified);
    let mut bodies = samples();
    for set in [
        json!({"statement": "Never retry."}),
        json!({"title": "Never"}),
        json!({"detail": null}),
        json!({"verification": ["true"]}),
        json!({"depends_on": ["file:x"]}),
        json!({"polarity": "negative"}),
        json!({"enforcement": {"kind": "mechanical"}}),
    ] {
        bodies.push(body("entry.revised", json!({"set": set})));
    }
    for fields in
        [json!({"statement": "Never retry."}), json!({"statement": {"en": "Never."}, "title": "Never"})]
    {
        bodies.push(body("entry.added", json!({"type": "lesson", "fields": fields})));
    }
    let seen = Basis { upon: before.stated_in, words: Some(before.trusted_words()) };
    for body in &bodies {
        for stranger in strangers() {
            for basis in [Basis::default(), seen.clone(), Basis { words: Some("00".into()), ..seen.clone() }]
            {
                let after = with(&trusted(), forge(body, stranger, basis));
                let told = format!("{} {:?} by {stranger:?}", body.type_name(), body.data());
                assert_eq!(
                    (&after.given_id, after.key, &after.created_by),
                    (&before.given_id, before.key, &before.created_by),
                    "{told}"
                );
                if after.trusted_words() != before.trusted_words() {
                    assert_eq!(after.standing, Status::Candidate, "{told}");
                    assert!(after.confirmed_by.is_empty() && after.proved.is_none(), "{told}");
                    assert_eq!(after.record.0.len(), 0, "{told}");
                }
            }
        }
    }
}

#[test]
fn the_page_has_every_kind_of_event_and_what_a_forged_one_changes() {
    let trusted = trusted();
    // What is trusted, and the same before anybody said that it is right.
    let both = [&trusted[..], &trusted[..2]];
    let mut table = String::from(
        "| event | who writes it | a forged line changes of an entry | otherwise |\n|---|---|---|---|\n",
    );
    let samples = samples();
    let names: BTreeSet<&str> = samples.iter().map(Body::type_name).collect();
    let sources = [include_str!("../../src/event.rs"), include_str!("../../src/forage.rs")];
    let kinds: BTreeSet<&str> = sources
        .into_iter()
        .flat_map(str::lines)
        .filter_map(|line| line.trim().strip_prefix("#[serde(rename = \"")?.strip_suffix("\")]"))
        .filter(|name| name.contains('.'))
        .collect();
    assert_eq!(names, kinds, "one sample for each kind");
    for body in &samples {
        let mut found = BTreeSet::new();
        for events in both {
            let before = fold(events, &|_| false).unwrap();
            let seen = Basis { upon: before.stated_in, words: Some(before.trusted_words()) };
            for stranger in strangers() {
                for basis in [Basis::default(), seen.clone()] {
                    found.extend(changes(&before, &with(events, forge(body, stranger, basis))));
                }
            }
        }
        let found: Vec<&str> = found.into_iter().collect();
        let found = if found.is_empty() { "nothing".to_owned() } else { found.join(", ") };
        table += &format!("| `{}` | {} | {found} | {} |\n", body.type_name(), writer_of(body), beyond(body));
    }
    let page = include_str!("../../../../docs/internals/forged-lines.md");
    assert!(page.contains(&table), "put this into docs/internals/forged-lines.md:\n{table}");
}
