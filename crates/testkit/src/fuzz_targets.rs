//! What must hold for any bytes whatsoever, as plain functions: called by the coverage-guided targets in `fuzz/` and by `fuzz-smoke`.
//!
//! Each panics when its property is broken.

mod formats;

use std::collections::BTreeMap;
use std::convert::Infallible;

pub use formats::{
    adr, agents_md, basic_memory, decapod, flux_drive, formicos, front_matter, gsd, mem0, okf, server_memory,
    wfc, wfc_solutions,
};
use ken_core::decide::{self, AddFacts, AddRequest, Authority, Context, View};
use ken_core::entry::{Entry, fold};
use ken_core::event::{Event, Line, LineFault, Seal, read_line};
use ken_core::finding::{Finding, ReportedFinding as Heard, merge, read};
use ken_core::{
    Citation, Clock, EntryKey, EventHash, EvidenceType, Fields, GivenId, Millis, ReplicaId, Type,
};
use ken_core::{canonical, schema};
use ken_log_git::disk::Looks;
use ken_log_git::journal::{Frame, parse_bytes};
use ken_log_git::lines::read_lines;
use ken_recall::postings::{self, Postings};
use ken_recall::question::{Field, QUERY_BYTES_MAX, normal};
use ken_recall::shelf::Text;
use ken_recall::{Among, Calibration, MemoryShelf, Mode, Question, TextMatch, Wish, rank, terms};
use serde_json::Value;

/// A target by its name.
pub type Target = (&'static str, fn(&[u8]));

pub const TARGETS: &[Target] = &[
    ("adr", adr),
    ("agents_md", agents_md),
    ("basic_memory", basic_memory),
    ("content", content),
    ("decapod", decapod),
    ("digest", digest),
    ("findings", findings),
    ("flux_drive", flux_drive),
    ("formicos", formicos),
    ("front_matter", front_matter),
    ("gsd", gsd),
    ("journal_tail", journal_tail),
    ("ledger_line", ledger_line),
    ("mem0", mem0),
    ("okf", okf),
    ("postings", postings),
    ("question", question),
    ("scanner", scanner),
    ("server_memory", server_memory),
    ("wfc", wfc),
    ("wfc_solutions", wfc_solutions),
];

/// Any bytes as a ledger file: nothing panics, what is accepted reads back equal, and its events fold.
///
/// A changed byte nearly always breaks a hash, so each line that is a JSON object is also tried with the hash that its content gives it.
pub fn ledger_line(bytes: &[u8]) {
    let mut events = Vec::new();
    let looks = Looks { size: bytes.len() as u64, mtime: 0, inode: 0, is_folder: false, is_file: true };
    for (line, offset, length) in read_lines("a.jsonl", looks, bytes).lines {
        let text = &bytes[offset as usize..(offset + length) as usize];
        let text = std::str::from_utf8(text).expect("what was read is text");
        events.extend(accepted(text, line));
    }
    for line in bytes.split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok()) {
        if let Ok(line_read) = read_line(line) {
            events.extend(accepted(line, line_read));
        }
        let Some(line) = rehashed(line) else { continue };
        match read_line(&line) {
            Ok(line_read) => events.extend(accepted(&line, line_read)),
            Err(LineFault::HashMismatch { stated, actual }) => {
                panic!("canonical content has one hash, not {stated} and {actual}: {line}")
            }
            Err(LineFault::NotJson(_) | LineFault::NotAnEvent(_) | LineFault::TooLong(_)) => {}
        }
    }
    for entry in folded(&events) {
        let text = canonical::to_string(&entry);
        let read: Entry = serde_json::from_str(&text).expect("an entry's own text is an entry");
        assert_eq!(read, entry, "an entry reads back from its text");
    }
}

/// What must hold for a line that was accepted.
fn accepted(text: &str, line: Line) -> Option<Event> {
    match line {
        Line::Event(event) => {
            assert_eq!(event.line(), text, "the bytes of a line are kept");
            let stub = event.stub();
            assert_eq!(read_line(&stub.line()), Ok(Line::Stub(stub)), "a stub reads back");
            assert_eq!(read_line(event.line()), Ok(Line::Event(event.clone())), "an event reads back");
            let _ = event.data();
            Some(*event)
        }
        Line::Stub(stub) => {
            assert_eq!(read_line(&stub.line()), Ok(Line::Stub(stub)), "a stub reads back");
            None
        }
    }
}

/// The same object in canonical form, with the hash that its content gives it.
fn rehashed(line: &str) -> Option<String> {
    let Ok(Value::Object(mut envelope)) = serde_json::from_str(line) else { return None };
    envelope.remove("hash");
    let mut content = envelope.clone();
    content.remove("sig");
    let hash = EventHash::from_parts(&[canonical::to_string(&content).as_bytes()]);
    envelope.insert("hash".into(), Value::from(hash.to_string()));
    Some(canonical::to_string(&envelope))
}

/// Every entry, which must be the same from either end of the ledger.
fn folded(events: &[Event]) -> Vec<Entry> {
    let mut of: BTreeMap<Option<EntryKey>, Vec<&Event>> = BTreeMap::new();
    for event in events {
        of.entry(event.entry).or_default().push(event);
    }
    let fold_both = |events: Vec<&Event>| {
        let forward = fold(events.iter().copied(), &|_| false);
        assert_eq!(
            forward,
            fold(events.iter().rev().copied(), &|_| false),
            "the order of lines does not matter"
        );
        forward
    };
    of.into_values().filter_map(fold_both).collect()
}

/// Any bytes as a journal segment, and sound frames with any damage: whole frames outside the damage survive.
pub fn journal_tail(bytes: &[u8]) {
    sound(bytes, &parse_bytes(bytes).0);
    let (choice, rest) = bytes.split_at(bytes.len().min(4));
    let number = |at: usize| choice.get(at).copied().map_or(0, usize::from);
    let frames: Vec<Vec<u8>> = (0..1 + number(0) % 4).map(|n| frame(n, number(1) % 5)).collect();
    let whole = frames.concat();
    let ends: Vec<usize> = frames
        .iter()
        .scan(0, |at, frame| {
            *at += frame.len();
            Some(*at)
        })
        .collect();
    let alone: Vec<Frame> = parse_bytes(&whole).0;
    assert_eq!(alone.len(), frames.len(), "sound frames are all read");

    // What a crash leaves: some prefix, then anything.
    let cut = (number(2) * 256 + number(3)) % (whole.len() + 1);
    let torn = [&whole[..cut], rest].concat();
    let survivors = ends.iter().filter(|end| **end <= cut).count();
    let read = parse_bytes(&torn).0;
    sound(&torn, &read);
    assert_eq!(read.get(..survivors), Some(&alone[..survivors]), "whole frames before the damage survive");

    // What a bad disk leaves: some bytes exchanged in place. Frames that lie wholly before or behind are found again.
    let length = rest.len().min(whole.len() - cut);
    let damaged = [&whole[..cut], &rest[..length], &whole[cut + length..]].concat();
    let read = parse_bytes(&damaged).0;
    sound(&damaged, &read);
    let mut start = 0;
    for (frame, end) in alone.iter().zip(&ends) {
        // A frame is found by the line break in front of its mark, so the damage must end one byte earlier.
        if *end <= cut || start > cut + length {
            assert!(read.contains(frame), "the frame at {start} is untouched by {length} bytes at {cut}");
        }
        start = *end;
    }
}

/// Frames that were read lie in order, inside the bytes, and do not overlap.
fn sound(bytes: &[u8], frames: &[Frame]) {
    let mut at = 0;
    for frame in frames {
        assert!(
            frame.start.offset >= at && frame.end.offset > frame.start.offset,
            "frames follow one another"
        );
        at = frame.end.offset;
    }
    assert!(at <= bytes.len() as u64, "frames end where the bytes end");
}

/// A sound frame with some events, written as the format says and not as the store does.
fn frame(number: usize, events: usize) -> Vec<u8> {
    let mut body = String::new();
    for n in 0..events {
        let seq = number * 10 + n;
        let content = format!(
            "{{\"actor\":\"a\",\"clock\":\"2026-11-15T02:04:26.123Z-{seq:04x}\",\"data\":{{}},\"replica\":\"010101010101\",\"seq\":{seq},\"type\":\"x.y\",\"v\":1}}"
        );
        let line = rehashed(&content).expect("an object");
        body.push_str(&format!("episodic/v1/runs/{n}.jsonl\t{line}\n"));
    }
    let check = &EventHash::from_parts(&[body.as_bytes()]).to_string()[..16];
    let clock = Clock::at(Millis(1_794_708_240_000));
    let head = format!(
        "#ken1 {{\"boot\":\"b\",\"branch\":\"main\",\"bytes\":{},\"check\":\"{check}\",\"clock\":\"{clock}\",\"seq\":{number},\"tree\":\"\"}}\n",
        body.len()
    );
    (head + &body).into_bytes()
}

/// Any JSON object as the content of an entry of every type: what is accepted is valid for ever, and can be stored and read back.
pub fn content(bytes: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return };
    let _ = Fields::read(&value);
    let Value::Object(map) = value else { return };
    for kind in Type::ALL {
        let Ok(fields) = schema::read_content(*kind, map.clone()) else { continue };
        let Ok(Value::Object(again)) = serde_json::to_value(&fields) else { panic!("fields are an object") };
        match schema::read_content(*kind, again) {
            Ok(again) => assert_eq!(again, fields, "accepted content reads back: {kind}"),
            Err(faults) => panic!("accepted content is valid: {kind}: {faults:?}"),
        }
        stored(*kind, fields);
    }
}

/// Adds an entry, seals its events, and folds what can be read of them.
fn stored(kind: Type, fields: Fields) {
    let context = Context {
        now: Millis(1_794_708_240_000),
        replica: ReplicaId([1; 6]),
        actor: "ada".into(),
        authority: Authority::default(),
    };
    let citation = Citation {
        evidence_type: EvidenceType::Commit,
        evidence_ref: "abc123".into(),
        cited_by: "ada".into(),
        cited_at: 1_794_708_240,
        unverified: false,
        withdrawn: false,
    };
    let request = AddRequest::scanned(kind, fields.clone(), vec![citation], ken_core::Scan::default());
    let Ok(facts) = AddFacts::load(&Empty, &request);
    let Ok(addition) = decide::add(facts, request, &context) else { return };
    let mut events = Vec::new();
    for (seq, intent) in addition.intents.iter().enumerate() {
        let seal = Seal {
            replica: context.replica,
            seq: seq as u64,
            parents: Vec::new(),
            clock: Clock::at(context.now),
            actor: context.actor.clone(),
            basis: ken_core::event::Basis::default(),
        };
        let event = Event::seal(intent, seal);
        assert_eq!(
            read_line(event.line()),
            Ok(Line::Event(Box::new(event.clone()))),
            "what is written can be read"
        );
        events.push(event);
    }
    let entry = fold(&events, &|_| false).expect("it was added");
    assert_eq!(entry.fields, fields, "an entry says what was added");
    let text = canonical::to_string(&entry);
    assert_eq!(serde_json::from_str::<Entry>(&text).ok(), Some(entry), "an entry reads back from its text");
}

/// Any bytes as a question: it is understood, within its bounds, and can be put to a shelf.
pub fn question(bytes: &[u8]) {
    let typed = String::from_utf8_lossy(bytes);
    let fits = |fits: bool| Question::parse(&typed, &|_: Field, _| fits);
    let mut questions = vec![fits(true), fits(false)];
    questions.push(Question::plain(&typed));
    let mut shelf = MemoryShelf::default();
    let texts =
        ["Retry network calls with jitter.", "src/net/retry.rs: MAX_RETRY_COUNT", "接続プール", &typed];
    for (at, text) in (0..).zip(texts) {
        let (subject, place) = (Some(text).filter(|_| at % 2 == 0), Some(("talk", at)));
        shelf.push(Text { text, subject, place, vector: Some(&[0.6, 0.8, 0.0]), ..Text::default() });
    }
    for question in &questions {
        // Pieces that a quote ends are joined with a blank.
        assert!(question.text.len() <= 2 * QUERY_BYTES_MAX, "a question has a bound");
        assert_eq!(question.cut, typed.len() > QUERY_BYTES_MAX, "who is cut is told");
        assert_eq!(question.words, terms::words(&question.text), "the words are those of the text");
        assert!(question.words.iter().all(|word| !word.form.is_empty()), "no word is nothing");
        let mut sought = question.phrases.iter().chain(&question.excluded);
        assert!(
            sought.all(|text| !text.is_empty() && normal(text) == *text),
            "phrases are in their normal form"
        );
        assert!(
            question.conditions.iter().all(|condition| !condition.value.trim().is_empty()),
            "conditions have values"
        );
        for mode in [Mode::Lexical, Mode::Semantic, Mode::Nearest, Mode::Hybrid] {
            let wish = Wish {
                question,
                mode,
                wanted: 3,
                among: Among::All,
                reserved: None,
                calibration: Calibration::MINILM,
            };
            let Ok(ranked) = rank(&shelf, &wish, Some(&mut |_| Some(vec![0.0, 0.6, 0.8])));
            let sound =
                |found: &TextMatch| (0.0..=1.0).contains(&found.similarity) && found.raw().is_finite();
            assert!(ranked.found.len() <= 3 && ranked.found.iter().all(sound), "{:?}", ranked.found);
        }
    }
}

/// Any bytes as a document, a commit message and an export of pull requests: every candidate says something, lies within the text and is
/// found again.
pub fn digest(bytes: &[u8]) {
    use ken_digest::{Commit, Form, Place, Pull, Source, reduce};
    let text = String::from_utf8_lossy(bytes);
    let lines = u32::try_from(text.lines().count().max(1)).unwrap_or(u32::MAX);
    for path in ["CONTRIBUTING.md", "docs/a.md", "notes.txt"] {
        let form = Form::detect(path, &text);
        let found = reduce(&Source::Document { path, text: &text, form });
        for candidate in &found {
            assert!(!candidate.statement.trim().is_empty() && !candidate.statement.contains('\n'));
            assert!(candidate.confidence <= 100);
            match &candidate.place {
                Place::Lines { first, last, .. } => assert!(1 <= *first && first <= last && *last <= lines),
                Place::Commit { .. } | Place::Pull { .. } => panic!("a document has lines"),
            }
        }
        assert_eq!(found, reduce(&Source::Document { path, text: &text, form }));
    }
    let commits = vec![Commit { hash: "00ff".to_owned(), message: text.to_string() }; 12];
    reduce(&Source::Commits(&commits));
    if let Ok(pulls) = Pull::read(&text) {
        reduce(&Source::Pulls(&pulls));
    }
}

/// Any bytes as a text to be scanned: findings lie in it, a second look says the same, and of what was redacted nothing is left.
pub fn scanner(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let verdict = ken_guard::scan(&text);
    for finding in &verdict.findings {
        assert!(text.get(finding.start..finding.end).is_some(), "{finding:?} is no part of the text");
        assert!(finding.severity <= verdict.tier, "the verdict is the worst finding");
        assert!(!ken_guard::why(finding.rule).is_empty(), "{} explains itself", finding.rule);
    }
    assert_eq!(verdict, ken_guard::scan(&text), "scanning twice is scanning once");
    let clean = ken_guard::redact(&text);
    assert!(!ken_guard::contains_secret(&clean), "redacted text is clean");
    assert_eq!(ken_guard::redact(&clean), clean, "redacting twice is redacting once");
    let fenced = ken_guard::fence::fenced(&text, 500).text;
    assert_eq!(ken_guard::fence::fenced(&fenced, 500).text, fenced, "fencing twice is fencing once");
}

/// Any bytes as a reviewer's report: it is taken whole or refused with a reason, and what is taken can be written, read and merged.
pub fn findings(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let report = match read(&text) {
        Ok(report) => report,
        Err(refusal) => return assert!(!refusal.message.is_empty() && !refusal.faults.is_empty()),
    };
    for finding in &report.findings {
        assert!((0.0..=10.0).contains(&finding.severity), "{finding:?}");
        assert!(!finding.statement().trim().is_empty(), "{finding:?}");
        assert!(finding.places.iter().all(|place| ken_core::Anchor::parse(place).is_ok()), "{finding:?}");
        let written = serde_json::to_string(finding).expect("a finding is JSON");
        let again: Finding = serde_json::from_str(&written).expect("what is written is read");
        assert_eq!(&again, finding);
    }
    let found: Vec<Heard<'_>> =
        report.findings.iter().take(100).map(|finding| Heard { agent: "a", family: None, finding }).collect();
    let members: usize = merge(&found).iter().map(|group| group.members.len()).sum();
    assert_eq!(members, found.len(), "each finding is in one group");
}

/// Any bytes as a list of texts: it ends where it is damaged, and what can be read can be written and read again.
pub fn postings(bytes: &[u8]) {
    let read = |written: &[u8]| {
        let mut found: Vec<(u32, u32)> = Vec::new();
        postings::read(written, |doc, times| found.push((doc, times)));
        found
    };
    let _ = postings::count(bytes);
    let found = read(bytes);
    assert!(found.len() <= bytes.len(), "each takes a byte at least");
    assert!(found.is_sorted_by_key(|(doc, _)| *doc), "numbers do not descend");
    let mut list = Postings::default();
    let mut kept: Vec<(u32, u32)> = Vec::new();
    for (doc, times) in found {
        if kept.last().is_none_or(|(last, _)| *last < doc) {
            list.push(doc, times);
            kept.push((doc, times));
        }
    }
    assert_eq!(read(&list.written()), kept, "what is written is read");
    assert_eq!((postings::count(&list.written()) as usize, list.len()), (kept.len(), kept.len()));
    let cut = list.written().len() / 2;
    assert!(kept.starts_with(&read(&list.written()[..cut])) || cut == 0, "a torn list is its beginning");
}

/// A store with nothing in it.
struct Empty;

impl View for Empty {
    type Error = Infallible;

    fn entry(&self, _: EntryKey) -> Result<Option<Entry>, Infallible> {
        Ok(None)
    }

    fn holder(&self, _: &GivenId) -> Result<Option<EntryKey>, Infallible> {
        Ok(None)
    }

    fn handle_taken(&self, _: &str) -> Result<bool, Infallible> {
        Ok(false)
    }

    fn merged(&self, _: &str) -> Result<Option<EntryKey>, Infallible> {
        Ok(None)
    }
}

/// The depth at which JSON is nested so deep that nobody means it: parsers must refuse it, not overflow.
pub const NESTED_DEEPLY: usize = 100_000;

/// Texts that are nested deeper than any parser should follow, for lists, objects and both inside an envelope.
pub fn nested(depth: usize) -> Vec<String> {
    let lists = "[".repeat(depth) + &"]".repeat(depth);
    let objects = "{\"a\":".repeat(depth) + "1" + &"}".repeat(depth);
    let envelope = |data: &str| {
        format!(
            "{{\"actor\":\"a\",\"clock\":\"2026-11-15T02:04:26.123Z-0000\",\"data\":{data},\"entry\":\"0101010101010101\",\"replica\":\"010101010101\",\"seq\":1,\"type\":\"entry.added\",\"v\":1}}"
        )
    };
    let added = |value: &str| {
        envelope(&format!("{{\"fields\":{{\"mood\":{value},\"statement\":\"s\"}},\"type\":\"lesson\"}}"))
    };
    let own =
        |value: &str| format!("{{\"attributes\":{{\"deep\":{value}}},\"name\":\"n\",\"statement\":\"s\"}}");
    let open = "[".repeat(depth);
    vec![added(&lists), added(&objects), envelope(&lists), own(&lists), own(&objects), lists, objects, open]
}

#[cfg(test)]
mod tests {
    use super::*;

    // serde_json stops at 128 levels. Should that ever change, this overflows the stack of the test.
    #[test]
    fn deep_nesting_is_refused_and_does_not_overflow() {
        for depth in [1, 60, 64, 100, 123, 124, 125, 126, 127, 128, 129, 1_000, NESTED_DEEPLY] {
            for text in nested(depth) {
                for (_, target) in TARGETS {
                    target(text.as_bytes());
                }
            }
        }
    }

    #[test]
    fn frames_written_as_the_format_says_are_read() {
        let bytes = [frame(0, 2), frame(1, 1)].concat();
        let (frames, damage) = parse_bytes(&bytes);
        assert_eq!((frames.len(), damage.len()), (2, 0));
        assert!(frames.iter().flat_map(|frame| &frame.records).all(|record| record.line().is_ok()));
    }
}
