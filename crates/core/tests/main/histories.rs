//! Small histories told as text: what several clones say, and how the entries stand when all of it has met.
//!
//! Steps are separated by ` · `. A step is `CLONE VERB ENTRY ...`, one second after the step before it, or at second N when `@N` stands in
//! front. A clone sees its own events, and those of another after `A pulls B`. Whatever is decided goes through [`ken_core::decide`].

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use expect_test::{Expect, expect};
use ken_core::belief::Side;
use ken_core::decide::{self, AddFacts, AddRequest, Authority, Change, Context, View};
use ken_core::entry::{Bases, Entry, fold};
use ken_core::event::{Body, Confirmed, EntryEvent, Event, Intent, RunEvent};
use ken_core::evidence::Reference;
use ken_core::kinds::{Confirmation, Relation, Status, Type};
use ken_core::{Citation, EntryKey, EventHash, GivenId, Refusal, ReplicaId, Scan, schema};
use serde_json::{Map, Value, json};

use crate::stage::{Raw, Writer, clock, lesson_key, replica};

/// Tells a history and compares refusals, then how every entry stands, with what is expected.
fn check(history: &str, expected: Expect) {
    let mut stage = Stage::default();
    let mut said = Vec::new();
    let mut second = 0;
    for step in history.split('·').map(str::trim) {
        let mut words = step.split_whitespace().peekable();
        if let Some(at) = words.peek().and_then(|word| word.strip_prefix('@')) {
            second = at.parse().unwrap();
            words.next();
        }
        let words: Vec<&str> = words.collect();
        if let Err(refusal) = stage.step(second, &words) {
            said.push(format!("{step}: {}: {refusal}", refusal.code.word()));
        }
        second += 1;
    }
    said.extend(stage.ending());
    expected.assert_eq(&said.join("\n"));
}

/// Several clones, what each of them has, and the names the story uses.
#[derive(Default)]
struct Stage {
    writer: Writer,
    clones: BTreeMap<String, Vec<Event>>,
    names: BTreeMap<String, EntryKey>,
    /// The last write of each clone.
    last: BTreeMap<String, Vec<EventHash>>,
}

impl Stage {
    fn step(&mut self, second: i64, words: &[&str]) -> Result<(), Refusal> {
        let [who, verb, subject, rest @ ..] = words else { panic!("not a step: {words:?}") };
        let context = Context {
            now: clock(second).millis(),
            replica: number(who),
            actor: format!("agent:{who}"),
            authority: Authority::default(),
        };
        if *verb == "pulls" {
            let theirs = self.clones.get(*subject).cloned().unwrap_or_default();
            self.clones.entry((*who).to_owned()).or_default().extend(theirs);
            return Ok(());
        }
        if *verb == "adds" {
            let request = request(subject, rest, &context)?;
            let Ok(facts) = AddFacts::load(&Seen(self.events(who)), &request);
            let addition = decide::add(facts, request, &context)?;
            self.names.insert((*subject).to_owned(), addition.key);
            self.write(who, second, addition.intents);
            return Ok(());
        }
        let entry = self.entry(who, subject);
        let reason = || "because".to_owned();
        let set = |pair: &str| -> Map<String, Value> {
            let (name, value) = pair.split_once('=').unwrap_or((pair, "null"));
            [(name.to_owned(), serde_json::from_str(value).unwrap_or_else(|_| json!(value)))]
                .into_iter()
                .collect()
        };
        let relation = |word: &str| Relation::from_word(word).unwrap();
        let intents = match (*verb, rest) {
            ("cites", [evidence]) => decide::cite(&entry, citation(evidence, &context)),
            ("tags", tags) => {
                let change = Change { tags_add: owned(tags), ..Change::default() };
                decide::revise(&entry, change)?
            }
            ("untags", tags) => {
                let change = Change { tags_remove: owned(tags), ..Change::default() };
                decide::revise(&entry, change)?
            }
            ("sets", pairs) => {
                let change =
                    Change { set: pairs.iter().flat_map(|pair| set(pair)).collect(), ..Change::default() };
                decide::revise(&entry, change)?
            }
            ("confirms", []) => {
                let (kind, run) = (Confirmation::Independent, Some(format!("run-{who}")));
                let confirmed = Confirmed {
                    kind,
                    run,
                    agents: Vec::new(),
                    reason: reason(),
                    at: None,
                    uncounted: None,
                    withdraws: None,
                };
                decide::confirm(&entry, confirmed, &self.support(who, &entry), &context)?
            }
            ("uses", [run]) => {
                let seen = decide::Observation {
                    source: format!("run:{run}"),
                    side: Side::For,
                    weight: 1000,
                    reason: reason(),
                    at: None,
                    witnessed: false,
                };
                decide::observe(&entry, seen, &self.support(who, &entry), &context)
            }
            ("proves", []) => decide::prove(
                &entry,
                vec!["cargo test".to_owned()],
                false,
                &self.support(who, &entry),
                &context,
            )?,
            ("rises", ["to", status]) => {
                let status = Status::from_word(status).unwrap();
                // COR-19: a promotion is worth what it rests on.
                let steps = vec!["look".to_owned()];
                let proved = intent(&entry, EntryEvent::Proved { steps, accepted: true }.into());
                let rests_on = Vec::new();
                vec![
                    proved,
                    intent(&entry, EntryEvent::Promoted { status, reason: reason(), rests_on }.into()),
                ]
            }
            ("pins", []) => vec![intent(&entry, EntryEvent::Pinned { words: entry.trusted_words() }.into())],
            ("archives", []) => decide::archive(&entry, reason(), &context)?,
            ("retracts", []) => decide::retract(&entry, reason(), &context)?,
            ("restores", []) => decide::restore(&entry, reason(), &context)?,
            // What a later version may have said: no verb of this one leads here.
            ("moves", ["to", status]) => {
                let status = Status::from_word(status).unwrap();
                vec![intent(&entry, EntryEvent::Restored { status, reason: reason() }.into())]
            }
            ("supersedes", ["by", new]) => {
                decide::supersede(&entry, &self.entry(who, new), reason(), &context)?
            }
            ("links", [word, to]) => decide::link(&entry, relation(word), &self.entry(who, to), &context)?,
            ("unlinks", [word, to]) => decide::unlink(&entry, relation(word), &self.entry(who, to)),
            ("sees", []) => {
                vec![intent(&entry, Body::Run(RunEvent::exposed(None, None, "pulled", Vec::new())))]
            }
            ("purges", []) => {
                let about: Vec<Event> = self.about(who, entry.key);
                decide::purge(&entry, &about, reason())
            }
            ("dreams", []) => {
                let raw = Raw::new("entry.dreamt", json!({"of": "sheep"}));
                let event = self.writer.raw(number(who), clock(second), Some(entry.key), raw);
                self.keep(who, vec![event]);
                return Ok(());
            }
            ("undoes", []) => {
                let about = self.about(who, entry.key);
                let last = &self.last[*who];
                let last = about.iter().filter(|event| last.contains(&event.hash));
                let cited =
                    |event: &&Event| matches!(event.body, Some(Body::Entry(EntryEvent::Cited { .. })));
                let last = last.min_by_key(|event| (cited(event), event.order())).unwrap();
                decide::undo(&about, last, &context)?
            }
            _ => panic!("not a verb: {words:?}"),
        };
        self.write(who, second, intents);
        Ok(())
    }

    fn support(&self, who: &str, entry: &Entry) -> decide::Support {
        decide::Support::of(entry, &self.about(who, entry.key))
    }

    fn write(&mut self, who: &str, second: i64, intents: Vec<Intent>) {
        let mut tick = clock(second);
        let mut events = Vec::new();
        let mut bases = Bases::default();
        let seen = Seen(self.events(who));
        Bases::needed(&intents).into_iter().filter_map(|key| seen.folded(key)).for_each(|e| bases.insert(&e));
        for intent in intents {
            let (basis, body) = (bases.of(&intent), intent.body.clone());
            let event = self.writer.seal_upon(number(who), tick, intent.entry, body, basis);
            bases.follow(&intent, event.hash);
            events.push(event);
            tick = tick.next(tick.millis());
        }
        if !events.is_empty() {
            self.keep(who, events);
        }
    }

    fn keep(&mut self, who: &str, events: Vec<Event>) {
        self.last.insert(who.to_owned(), events.iter().map(|event| event.hash).collect());
        self.clones.entry(who.to_owned()).or_default().extend(events);
    }

    fn events(&self, who: &str) -> &[Event] {
        self.clones.get(who).map_or(&[], Vec::as_slice)
    }

    /// The events about an entry that a clone still has; of purged ones only stubs are left.
    fn about(&self, who: &str, key: EntryKey) -> Vec<Event> {
        let seen = Seen(self.events(who));
        let purged = seen.purged();
        let about = seen.0.iter().filter(|event| event.entry == Some(key) && !purged.contains(&event.hash));
        about.cloned().collect()
    }

    fn entry(&self, who: &str, name: &str) -> Entry {
        let key = self.names.get(name).unwrap_or_else(|| panic!("nobody added {name}"));
        Seen(self.events(who)).folded(*key).unwrap_or_else(|| panic!("{who} does not have {name}"))
    }

    /// One line for every entry, from the union of all clones. It is the same from whichever side the union is made.
    fn ending(&self) -> Vec<String> {
        let forward: Vec<Event> = self.clones.values().flatten().cloned().collect();
        let backward: Vec<Event> = self.clones.values().rev().flatten().rev().cloned().collect();
        let name = |key: EntryKey| {
            self.names
                .iter()
                .find(|(_, named)| **named == key)
                .map_or("?", |(name, _)| name.as_str())
                .to_owned()
        };
        let line = |(called, key): (&String, &EntryKey)| {
            let entry = Seen(&forward).folded(*key);
            assert_eq!(entry, Seen(&backward).folded(*key), "the order of arrival decides about {called}");
            match entry {
                Some(entry) => format!("{called} {}", shown(&entry, name)),
                None => format!("{called} is not there"),
            }
        };
        self.names.iter().map(line).collect()
    }
}

/// How an entry stands, in one line.
fn shown(entry: &Entry, name: impl Fn(EntryKey) -> String) -> String {
    let mut line = entry.status.to_string();
    let mut say = |word: &str, texts: Vec<String>| {
        if !texts.is_empty() {
            line.push_str(&format!(" · {word} {}", texts.join(" ")));
        }
    };
    say("by", entry.superseded_by.into_iter().map(&name).collect());
    say("id", entry.given_id.iter().map(GivenId::to_string).collect());
    say("alias", entry.aliases.iter().map(GivenId::to_string).collect());
    say("confirmed by", entry.confirmed_by.iter().cloned().collect());
    say(
        "observed",
        (!entry.record.0.is_empty()).then(|| entry.record.0.len().to_string()).into_iter().collect(),
    );
    say("proved", entry.proved.iter().map(|_| "once".to_owned()).collect());
    say("title", entry.fields.title.iter().map(|title| format!("{title:?}")).collect());
    say("tags", entry.fields.tags.iter().map(ToString::to_string).collect());
    say("links", entry.links.iter().map(|link| format!("{}:{}", link.relation, name(link.to))).collect());
    let cited = entry.citations.iter();
    let cited = cited.map(|c| {
        let withdrawn = if c.withdrawn { " (withdrawn)" } else { "" };
        format!("{}@{}{withdrawn}", c.evidence_ref, c.cited_by.trim_start_matches("agent:"))
    });
    say("cites", cited.collect());
    say("gaps", entry.gaps().iter().map(|gap| gap.word().to_owned()).collect());
    line
}

/// What a clone sees: the fold of the events it has.
struct Seen<'a>(&'a [Event]);

impl Seen<'_> {
    fn purged(&self) -> BTreeSet<EventHash> {
        let purges = self.0.iter().filter_map(|event| match &event.body {
            Some(Body::Entry(EntryEvent::Purged { hashes, .. })) => Some(hashes),
            _ => None,
        });
        purges.flatten().copied().collect()
    }

    fn folded(&self, key: EntryKey) -> Option<Entry> {
        let purged = self.purged();
        fold(self.0.iter().filter(|event| event.entry == Some(key)), &|hash| purged.contains(hash))
    }

    fn all(&self) -> impl Iterator<Item = Entry> {
        let keys: BTreeSet<EntryKey> = self.0.iter().filter_map(|event| event.entry).collect();
        keys.into_iter().filter_map(|key| self.folded(key))
    }
}

impl View for Seen<'_> {
    type Error = Infallible;

    fn entry(&self, key: EntryKey) -> Result<Option<Entry>, Infallible> {
        Ok(self.folded(key))
    }

    fn holder(&self, id: &GivenId) -> Result<Option<EntryKey>, Infallible> {
        Ok(self.all().find(|entry| entry.given_id.as_ref() == Some(id)).map(|entry| entry.key))
    }

    fn handle_taken(&self, handle: &str) -> Result<bool, Infallible> {
        Ok(self.all().any(|entry| entry.handle.as_deref() == Some(handle)))
    }

    fn merged(&self, _: &str) -> Result<Option<EntryKey>, Infallible> {
        Ok(None)
    }
}

fn number(who: &str) -> ReplicaId {
    replica(who.bytes().next().unwrap() - b'A')
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn intent(entry: &Entry, body: Body) -> Intent {
    Intent { entry: Some(entry.key), body }
}

fn citation(text: &str, context: &Context) -> Citation {
    let reference = Reference::parse(text).unwrap();
    Citation {
        evidence_type: reference.evidence_type,
        evidence_ref: reference.evidence_ref,
        cited_by: context.actor.clone(),
        cited_at: context.now.seconds(),
        unverified: false,
        withdrawn: false,
    }
}

/// `type=spike id=x.1 evidence=none draft` and fields; a lesson with everything it needs when nothing is said.
fn request(name: &str, words: &[&str], context: &Context) -> Result<AddRequest, Refusal> {
    let (mut kind, mut id, mut draft) = (Type::Lesson, None, false);
    let mut evidence = vec!["commit:abc1"];
    let mut content = Map::new();
    for word in words {
        match word.split_once('=').unwrap_or((word, "")) {
            ("type", word) => kind = Type::from_word(word).unwrap(),
            ("id", text) => id = Some(GivenId::parse(text).unwrap()),
            ("evidence", "none") => evidence.clear(),
            ("evidence", text) => evidence = text.split(',').collect(),
            ("draft", _) => draft = true,
            (field, text) => drop(content.insert(field.to_owned(), json!(text))),
        }
    }
    let says = format!("{name} holds.");
    match kind {
        Type::Entity => content.entry("name").or_insert(json!(says)),
        Type::CommitNorm => content.entry("rule").or_insert(json!(says)),
        _ => content.entry("statement").or_insert(json!(says)),
    };
    if kind.needs_anchor() && !draft {
        content.entry("anchors").or_insert(json!(["src/a.rs"]));
        content.entry("verification").or_insert(json!(["look"]));
        content.retain(|_, value| value != &json!("none"));
    }
    let fields = schema::read_content(kind, content).unwrap_or_else(|faults| panic!("{faults:?}"));
    let evidence = evidence.into_iter().map(|text| citation(text, context)).collect();
    Ok(AddRequest { id, draft, ..AddRequest::scanned(kind, fields, evidence, Scan::default()) })
}

// STO-8.
#[test]
fn two_clones_that_say_the_same_make_one_entry_with_both_citations() {
    check(
        "A adds L1 evidence=commit:aaaa · B adds L1 evidence=pr:#7",
        expect!["L1 candidate · cites aaaa@A 7@B"],
    );
}

#[test]
fn saying_it_again_adds_what_is_new() {
    check(
        "A adds L1 evidence=commit:aaaa · A adds L1 evidence=commit:aaaa,commit:bbbb",
        expect!["L1 candidate · cites aaaa@A bbbb@A"],
    );
    check(
        "A adds L1 evidence=commit:aaaa · A cites L1 commit:aaaa · B pulls A · B cites L1 commit:aaaa",
        expect!["L1 candidate · cites aaaa@A aaaa@B"],
    );
}

// Regression: an id that was given and answered for vanished when another clone turned out to have said the same earlier, without one.
#[test]
fn the_first_statement_gives_words_and_id_and_the_ids_of_others_stay_aliases() {
    check(
        "@5 A adds L1 id=l.a · @2 B adds L1 · @7 C adds L1 id=l.c",
        expect!["L1 candidate · alias l.a l.c · cites abc1@A abc1@B abc1@C"],
    );
    check(
        "@5 A adds L1 title=later id=l.a · @2 B adds L1 title=earlier",
        expect![[r#"L1 candidate · alias l.a · title "earlier" · cites abc1@A abc1@B"#]],
    );
}

// COR-18: two clones state the same claim, each with a title of its own. The one that more clones name is the one that is shown.
#[test]
fn of_two_statements_the_one_that_most_clones_name_is_first() {
    check(
        "@5 A adds L1 title=of_a · @2 B adds L1 title=of_b",
        expect![[r#"L1 candidate · title "of_b" · cites abc1@A abc1@B"#]],
    );
    check(
        "@5 A adds L1 title=of_a · C pulls A · C tags L1 x · @2 B adds L1 title=of_b",
        expect![[r#"L1 candidate · title "of_a" · tags x · cites abc1@A abc1@B"#]],
    );
}

// COR-18: what was confirmed is the words as they were, so a stranger's line that changes them takes the trust along, whatever its clock.
#[test]
fn a_revision_takes_the_trust_and_its_undo_brings_it_back() {
    let earned = "A adds L1 title=true · A confirms L1 · A uses L1 r1 · A proves L1 · B pulls A · @9 B confirms L1 · A pulls B";
    check(
        earned,
        expect![[
            r#"L1 verified · confirmed by run-A run-B · observed 1 · proved once · title "true" · cites abc1@A"#
        ]],
    );
    check(
        &format!("{earned} · B sets L1 title=other"),
        expect![[r#"L1 candidate · title "other" · cites abc1@A"#]],
    );
    check(
        &format!("{earned} · C pulls B · @2 C sets L1 title=other"),
        expect![[r#"L1 candidate · title "other" · cites abc1@A"#]],
    );
    check(
        &format!("{earned} · B sets L1 title=other · B undoes L1"),
        expect![[
            r#"L1 verified · confirmed by run-A run-B · observed 1 · proved once · title "true" · cites abc1@A"#
        ]],
    );
    // Labels are no words.
    check(
        &format!("{earned} · B tags L1 x"),
        expect![[
            r#"L1 verified · confirmed by run-A run-B · observed 1 · proved once · title "true" · tags x · cites abc1@A"#
        ]],
    );
    // An author corrects a typo, and the others confirm the corrected words.
    check(
        &format!("{earned} · A sets L1 title=corrected · A confirms L1 · B pulls A · B confirms L1"),
        expect![[r#"L1 verified · confirmed by run-A run-B · title "corrected" · cites abc1@A"#]],
    );
}

// COR-18: a clone that states the same claim in other words earns trust for its own.
#[test]
fn trust_does_not_move_between_two_statements_of_one_claim() {
    check(
        "@5 A adds L1 title=of_a · A confirms L1 · A rises L1 to verified · C pulls A · C uses L1 r1 · @2 M adds L1 title=of_m",
        expect![[
            r#"L1 verified · confirmed by run-A · observed 1 · proved once · title "of_a" · cites abc1@A abc1@M"#
        ]],
    );
    // Even if it is the one that is shown.
    check(
        "@5 A adds L1 title=of_a · A confirms L1 · A rises L1 to verified · @2 M adds L1 title=of_m · N pulls M · N tags L1 x · O pulls M · O tags L1 y",
        expect![[r#"L1 candidate · title "of_m" · tags x y · cites abc1@A abc1@M"#]],
    );
}

// A restored entry stands where it stood, and no line puts it higher.
#[test]
fn coming_back_is_no_promotion() {
    check("A adds L1 · A moves L1 to verified", expect!["L1 candidate · cites abc1@A"]);
    check(
        "A adds L1 · A rises L1 to verified · A moves L1 to active · A moves L1 to verified",
        expect!["L1 verified · proved once · cites abc1@A"],
    );
    check(
        "A adds L1 title=true · A rises L1 to verified · A archives L1 · A sets L1 title=other · A restores L1",
        expect![[r#"L1 candidate · title "other" · cites abc1@A"#]],
    );
}

// STO-7.
#[test]
fn concurrent_tags_unite() {
    check(
        "A adds L1 · B pulls A · A tags L1 x · B tags L1 y",
        expect!["L1 candidate · tags x y · cites abc1@A"],
    );
    check(
        "A adds L1 · A tags L1 x y · B pulls A · B untags L1 x · A tags L1 z",
        expect!["L1 candidate · tags y z · cites abc1@A"],
    );
}

#[test]
fn the_later_clock_wins_a_tag_and_its_removal() {
    check(
        "A adds L1 · A tags L1 x · B pulls A · @9 A untags L1 x · @8 B untags L1 x · @10 B tags L1 x",
        expect!["L1 candidate · tags x · cites abc1@A"],
    );
}

// FED-2.
#[test]
fn the_later_clock_wins_a_field() {
    check(
        "A adds L1 · B pulls A · @9 A sets L1 title=nine · @8 B sets L1 title=eight",
        expect![[r#"L1 candidate · title "nine" · cites abc1@A"#]],
    );
}

#[test]
fn the_higher_replica_wins_a_tie() {
    check(
        "A adds L1 · B pulls A · @9 B sets L1 title=of_b · @9 A sets L1 title=of_a",
        expect![[r#"L1 candidate · title "of_b" · cites abc1@A"#]],
    );
}

// One clone on two branches can write twice within one tick; then only the content can decide.
#[test]
fn the_higher_hash_wins_what_is_left() {
    let story = |first: &str, second: &str| {
        let mut writer = Writer::default();
        let key = lesson_key("s");
        let mut write =
            |at, name: &str, data| writer.raw(replica(0), clock(at), Some(key), Raw::new(name, data));
        let added = write(0, "entry.added", json!({"type": "lesson", "fields": {"statement": "s"}}));
        let titles = [first, second].map(|title| write(1, "entry.revised", json!({"set": {"title": title}})));
        let highest = titles.iter().max_by_key(|event| event.hash).unwrap();
        let entry = fold([&added, &titles[0], &titles[1]], &|_| false).unwrap();
        assert_eq!(json!({"title": entry.fields.title}), highest.data()["set"]);
        highest.hash == titles[0].hash
    };
    let first_wins: Vec<bool> =
        ["ab", "bc", "cd", "de", "ef", "fg"].map(|pair| story(&pair[..1], &pair[1..])).to_vec();
    assert!(first_wins.contains(&true) && first_wins.contains(&false), "either can win: {first_wins:?}");
}

#[test]
fn an_archived_entry_comes_back_to_where_it_stood() {
    check("A adds L1 · A archives L1", expect!["L1 archived · cites abc1@A"]);
    check("A adds L1 · A archives L1 · A restores L1", expect!["L1 candidate · cites abc1@A"]);
    check(
        "A adds L1 · A rises L1 to verified · A archives L1 · A retracts L1 · A restores L1",
        expect!["L1 verified · proved once · cites abc1@A"],
    );
    check(
        "A adds L1 · A archives L1 · A archives L1 · A restores L1 · A restores L1",
        expect!["L1 candidate · cites abc1@A"],
    );
}

// IN-8: what the intake rejected, only a person's release brings back.
#[test]
fn a_rejected_entry_is_not_restored() {
    check(
        "A adds L1 · A moves L1 to rejected · A restores L1",
        expect![[r#"
            A restores L1: not_allowed: lesson.1a6b517c32508487 is quarantined; there is no way to restore it from there
            L1 quarantined · cites abc1@A"#]],
    );
}

// ENT-6.
#[test]
fn a_superseded_entry_names_its_successor_until_it_is_restored() {
    check(
        "A adds L1 · A adds L2 · A supersedes L1 by L2",
        expect![[r#"
        L1 superseded · by L2 · cites abc1@A
        L2 candidate · links supersedes:L1 · cites abc1@A"#]],
    );
    check(
        "A adds L1 · A adds L2 · A supersedes L1 by L2 · A restores L1",
        expect![[r#"
        L1 candidate · cites abc1@A
        L2 candidate · links supersedes:L1 · cites abc1@A"#]],
    );
    check(
        "A adds L1 · A adds L2 · A supersedes L1 by L2 · A supersedes L1 by L2 · A archives L1",
        expect![[r#"
        L1 archived · cites abc1@A
        L2 candidate · links supersedes:L1 · cites abc1@A"#]],
    );
}

#[test]
fn what_nobody_changed_is_not_changed_by_reading_or_dreaming() {
    check(
        "A adds L1 · A tags L1 x · A sees L1 · A dreams L1",
        expect!["L1 candidate · tags x · cites abc1@A"],
    );
}

// STO-13.
#[test]
fn a_purged_entry_is_gone_and_can_be_stated_anew() {
    check("A adds L1 · A tags L1 x · B pulls A · A purges L1", expect!["L1 is not there"]);
    check(
        "A adds L1 · A tags L1 x · A purges L1 · A adds L1 evidence=commit:bbbb",
        expect!["L1 candidate · cites bbbb@A"],
    );
}

#[test]
fn the_later_clock_wins_where_an_entry_stands() {
    check(
        "A adds L1 · B pulls A · @9 A archives L1 · @8 B retracts L1",
        expect!["L1 archived · cites abc1@A"],
    );
}

#[test]
fn links_come_and_go() {
    check(
        "A adds L1 · A adds L2 · A links L1 supports L2 · A links L1 part_of L2 · A links L1 part_of L2",
        expect![[r#"
            L1 candidate · links supports:L2 part_of:L2 · cites abc1@A
            L2 candidate · cites abc1@A"#]],
    );
    check(
        "A adds L1 · A adds L2 · A links L1 supports L2 · A unlinks L1 supports L2 · A unlinks L1 supports L2",
        expect![[r#"
            L1 candidate · cites abc1@A
            L2 candidate · cites abc1@A"#]],
    );
}

#[test]
fn every_change_can_be_undone() {
    check("A adds L1 · A undoes L1", expect!["L1 retracted · cites abc1@A"]);
    check("A adds L1 · A purges L1 · A adds L1 · A undoes L1", expect!["L1 retracted · cites abc1@A"]);
    check(
        "A adds L1 title=old · A sets L1 title=new · A undoes L1",
        expect![[r#"L1 candidate · title "old" · cites abc1@A"#]],
    );
    check("A adds L1 · A sets L1 title=new · A undoes L1", expect!["L1 candidate · cites abc1@A"]);
    check(
        "A adds L1 · A tags L1 x y · A untags L1 y · A undoes L1",
        expect!["L1 candidate · tags x y · cites abc1@A"],
    );
    check("A adds L1 · A tags L1 x y · A undoes L1", expect!["L1 candidate · cites abc1@A"]);
    check("A adds L1 · A archives L1 · A undoes L1", expect!["L1 candidate · cites abc1@A"]);
    check("A adds L1 · A retracts L1 · A undoes L1", expect!["L1 candidate · cites abc1@A"]);
    check("A adds L1 · A archives L1 · A restores L1 · A undoes L1", expect!["L1 archived · cites abc1@A"]);
    check(
        "A adds L1 · A adds L2 · A supersedes L1 by L2 · A undoes L1",
        expect![[r#"
        L1 candidate · cites abc1@A
        L2 candidate · links supersedes:L1 · cites abc1@A"#]],
    );
    check(
        "A adds L1 · A adds L2 · A supersedes L1 by L2 · A restores L1 · A undoes L1",
        expect![[r#"
        L1 superseded · by L2 · cites abc1@A
        L2 candidate · links supersedes:L1 · cites abc1@A"#]],
    );
    check(
        "A adds L1 · A adds L2 · A links L1 supports L2 · A undoes L1",
        expect![[r#"
        L1 candidate · cites abc1@A
        L2 candidate · cites abc1@A"#]],
    );
    check(
        "A adds L1 · A adds L2 · A links L1 supports L2 · A unlinks L1 supports L2 · A undoes L1",
        expect![[r#"
            L1 candidate · links supports:L2 · cites abc1@A
            L2 candidate · cites abc1@A"#]],
    );
    check(
        "A adds L1 · A tags L1 x · A undoes L1 · A undoes L1",
        expect!["L1 candidate · tags x · cites abc1@A"],
    );
}

#[test]
fn an_undone_citation_is_withdrawn_wherever_its_events_meet() {
    check(
        "A adds L1 · A cites L1 commit:bbbb · A undoes L1",
        expect!["L1 candidate · cites abc1@A bbbb@A (withdrawn)"],
    );
    check(
        "A adds L1 · A cites L1 commit:bbbb · A undoes L1 · A undoes L1",
        expect!["L1 candidate · cites abc1@A bbbb@A"],
    );
    check(
        "A adds L1 · B pulls A · A cites L1 commit:bbbb · B cites L1 commit:bbbb · A undoes L1 · A pulls B · B pulls A",
        expect!["L1 candidate · cites abc1@A bbbb@A (withdrawn) bbbb@B"],
    );
}

#[test]
fn an_undone_confirmation_does_not_count_and_can_be_undone_again() {
    check(
        "A adds L1 · B pulls A · B confirms L1 · B undoes L1 · A pulls B",
        expect!["L1 candidate · cites abc1@A"],
    );
    check(
        "A adds L1 · B pulls A · B confirms L1 · B undoes L1 · B undoes L1 · A pulls B",
        expect!["L1 candidate · confirmed by run-B · cites abc1@A"],
    );
    check(
        "A adds L1 · B pulls A · B confirms L1 · A confirms L1 · B undoes L1 · A pulls B",
        expect!["L1 candidate · confirmed by run-A · cites abc1@A"],
    );
}

// Two clones that supersede one entry by the other left none of them in use.
#[test]
fn of_two_entries_that_supersede_each_other_the_later_word_counts() {
    check(
        "A adds L1 · A adds L2 · B pulls A · A supersedes L1 by L2 · B supersedes L2 by L1 · A pulls B",
        expect![[r#"
            L1 candidate · links supersedes:L2 · cites abc1@A
            L2 superseded · by L1 · links supersedes:L1 · cites abc1@A"#]],
    );
    check(
        "A adds L1 · A adds L2 · B pulls A · B supersedes L2 by L1 · A supersedes L1 by L2 · B pulls A",
        expect![[r#"
            L1 superseded · by L2 · links supersedes:L2 · cites abc1@A
            L2 candidate · links supersedes:L1 · cites abc1@A"#]],
    );
}

#[test]
fn what_cannot_be_undone_is_refused_with_the_reason() {
    check(
        "A adds L1 · A sees L1 · A undoes L1",
        expect![[r#"
        A undoes L1: not_allowed: the last change cannot be undone: it is a record of what happened
        L1 candidate · cites abc1@A"#]],
    );
    check(
        "A adds L1 · A dreams L1 · A undoes L1",
        expect![[r#"
        A undoes L1: not_allowed: the last change cannot be undone: it is a record of what happened
        L1 candidate · cites abc1@A"#]],
    );
    check(
        "A adds L1 · A tags L1 x · B pulls A · B tags L1 y · A pulls B · A undoes L1",
        expect![[r#"
        A undoes L1: not_allowed: the last change cannot be undone: lesson.1a6b517c32508487 was changed again since (the revision by agent:a1a1a1a1a1a1)
        L1 candidate · tags x y · cites abc1@A"#]],
    );
}

// Regression: what somebody else had said before was taken away with one's own words.
#[test]
fn undoing_leaves_alone_what_others_said() {
    check(
        "A adds L1 · B pulls A · B tags L1 x · A tags L1 x · A pulls B · A undoes L1",
        expect!["L1 candidate · tags x · cites abc1@A"],
    );
    check(
        "B adds L1 evidence=commit:bbbb · A adds L1 · A pulls B · A undoes L1",
        expect![[r#"
        A undoes L1: not_allowed: the last change cannot be undone: somebody else added the same before, and citations cannot be removed
        L1 candidate · cites abc1@A bbbb@B"#]],
    );
    check(
        "A adds L1 · A adds L2 · B pulls A · B links L1 supports L2 · A links L1 supports L2 · A pulls B · A undoes L1",
        expect![[r#"
            L1 candidate · links supports:L2 · cites abc1@A
            L2 candidate · cites abc1@A"#]],
    );
}

// ENT-4, ENT-5.
#[test]
fn what_is_missing_is_named() {
    check(
        "A adds L1 evidence=none",
        expect!["A adds L1 evidence=none: provenance_required: provenance required: a lesson needs evidence"],
    );
    check(
        "A adds L1 type=entity evidence=none",
        expect![
            "A adds L1 type=entity evidence=none: provenance_required: provenance required: an entity needs evidence"
        ],
    );
    check(
        "A adds L1 type=commit_norm evidence=none",
        expect![
            "A adds L1 type=commit_norm evidence=none: provenance_required: provenance required: a commit_norm needs evidence"
        ],
    );
    check(
        "A adds L1 anchors=none verification=none",
        expect![[r#"
        A adds L1 anchors=none verification=none: incomplete: 2 problems
          - anchors: at least one anchor in the code, --anchor PATH[:A-B|#SYMBOL]
          - verification: one to three verification steps, --verify TEXT"#]],
    );
    check("A adds L1 draft evidence=none", expect!["L1 candidate · gaps provenance anchor verification"]);
    check("A adds L1 type=signal evidence=none", expect!["L1 candidate"]);
}

// ENT-6.
#[test]
fn norms_spikes_and_decisions_change_only_by_supersession() {
    check(
        "A adds L1 type=commit_norm · A sets L1 rule=other",
        expect![[r#"
        A sets L1 rule=other: not_allowed: commit_norm.9089897160f2b190 is a commit_norm, which changes only by supersession
        L1 candidate · cites abc1@A"#]],
    );
    check(
        "A adds L1 type=spike · A sets L1 hypothesis=other",
        expect![[r#"
        A sets L1 hypothesis=other: not_allowed: spike.274f411219e741b5 is a spike, which changes only by supersession
        L1 candidate · cites abc1@A"#]],
    );
    check(
        "A adds L1 type=experience subtype=decision · A sets L1 statement=other",
        expect![[r#"
            A sets L1 statement=other: not_allowed: experience.f056e32422d71f1e is an experience, which changes only by supersession
            L1 candidate · cites abc1@A"#]],
    );
    check(
        "A adds L1 type=experience subtype=bug · A sets L1 title=other",
        expect![[r#"L1 candidate · title "other" · cites abc1@A"#]],
    );
    check("A adds L1 type=spike · A tags L1 x", expect!["L1 candidate · tags x · cites abc1@A"]);
}

#[test]
fn a_revision_is_checked_like_an_addition() {
    check(
        "A adds L1 · A sets L1 titel=x severity=11 polarity=up id=y",
        expect![[r#"
        A sets L1 titel=x severity=11 polarity=up id=y: invalid: 4 problems
          - id: is fixed when an entry is added; supersede the entry instead
          - titel: a lesson has no such field; did you mean `title`? see `ken schema lesson`
          - polarity: unknown value `up`, allowed: `positive`, `negative`, `neutral`
          - severity: is outside 0 to 10
        L1 candidate · cites abc1@A"#]],
    );
    check(
        "A adds L1 · A sets L1 statement",
        expect![[r#"
            A sets L1 statement: invalid: statement: is missing or empty; a lesson needs `statement`
            L1 candidate · cites abc1@A"#]],
    );
    check(
        "A adds L1 · A tags L1 a//b",
        expect![[r#"
        A tags L1 a//b: invalid: tags: "a//b" has an empty part; write words, with `/` between levels
        L1 candidate · cites abc1@A"#]],
    );
    check(
        "A adds L1 title=t · A sets L1 title=t · A untags L1 x",
        expect![[r#"L1 candidate · title "t" · cites abc1@A"#]],
    );
}

#[test]
fn an_id_has_one_holder() {
    check(
        "A adds L1 id=x.1 · A adds L2 id=x.1",
        expect![[r#"
        A adds L2 id=x.1: id_taken: the id x.1 belongs to another entry: "L1 holds."
        L1 candidate · id x.1 · cites abc1@A"#]],
    );
    check("A adds L1 id=x.1 · A adds L1 id=x.2", expect!["L1 candidate · id x.1 · cites abc1@A"]);
}

#[test]
fn an_entry_is_not_tied_to_itself() {
    check(
        "A adds L1 · A links L1 supports L1",
        expect![[r#"
        A links L1 supports L1: not_allowed: lesson.1a6b517c32508487 cannot be linked to itself
        L1 candidate · cites abc1@A"#]],
    );
    check(
        "A adds L1 · A supersedes L1 by L1",
        expect![[r#"
        A supersedes L1 by L1: not_allowed: lesson.1a6b517c32508487 cannot supersede itself
        L1 candidate · cites abc1@A"#]],
    );
    check(
        "A adds L1 · A adds L2 · A supersedes L1 by L2 · A supersedes L2 by L1",
        expect![[r#"
        A supersedes L2 by L1: not_allowed: lesson.1a6b517c32508487 is already superseded by lesson.51fd5a66ff4e4dc2
        L1 superseded · by L2 · cites abc1@A
        L2 candidate · links supersedes:L1 · cites abc1@A"#]],
    );
}

// Regression: such an entry was acknowledged, and then its line was too long or too deep to be read again.
#[test]
fn what_could_not_be_read_again_is_refused() {
    let context = Context {
        now: clock(0).millis(),
        replica: number("A"),
        actor: "agent:A".into(),
        authority: Authority::default(),
    };
    let refusal = |attributes: Value| {
        let Ok(fields) = schema::read_content(
            Type::Entity,
            [("name".to_owned(), json!("n")), ("attributes".to_owned(), attributes)].into_iter().collect(),
        ) else {
            panic!("the shape is right")
        };
        let evidence = vec![citation("commit:abc1", &context)];
        let request = AddRequest {
            draft: false,
            ..AddRequest::scanned(Type::Entity, fields, evidence, Scan::default())
        };
        decide::add(AddFacts::default(), request, &context).err().map(|refusal| refusal.message)
    };
    let deep = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!([inner]));
    assert_eq!(refusal(json!({"deep": deep(61)})), None);
    expect!["the content is nested 65 levels deep; at most 64 are allowed"]
        .assert_eq(&refusal(json!({"deep": deep(62)})).unwrap());
    expect!["the content has 1000323 bytes as JSON; at most 983040 are allowed"]
        .assert_eq(&refusal(json!({"long": "x".repeat(1_000_000)})).unwrap());
}

// COR-1: what an import tells of last winter fades from last winter on, and is not new because it came today.
#[test]
fn an_observation_is_as_old_as_it_is_where_it_was_made() {
    let mut writer = Writer::default();
    let key = lesson_key("Wait.");
    let added = Raw::new("entry.added", json!({"type": "lesson", "fields": {"statement": "Wait."}}));
    let seen = |source: &str, at: Option<&str>| {
        let mut data = json!({"source": source, "side": "for", "weight": 1000, "reason": "it helped"});
        at.into_iter().for_each(|at| data["at"] = Value::from(at));
        Raw::new("belief.observed", data)
    };
    let events = [
        writer.raw(replica(1), clock(0), Some(key), added),
        writer.raw(replica(1), clock(1), Some(key), seen("run:new", None)),
        writer.raw(replica(1), clock(2), Some(key), seen("colony-7", Some("2026-05-15T00:00:00.000Z"))),
        // Nobody saw tomorrow.
        writer.raw(replica(1), clock(3), Some(key), seen("colony-8", Some("2036-01-01T00:00:00.000Z"))),
    ];
    let entry = fold(&events, &|_| false).expect("it is stated");
    assert_eq!(entry.record.to_string(), "20772+1000 20588+1000 20772+1000");
}
