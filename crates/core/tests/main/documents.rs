//! Laws of files of other systems (DOO-6): whatever they hold, they come back from the lines of a ledger, in whatever order these arrive.

use std::collections::BTreeMap;

use ken_core::canonical;
use ken_core::document::Seen;
use ken_core::event::{Body, DocumentEvent, Event};
use ken_core::limits::{DATA_BYTES_MAX, DOCUMENT_PIECE_BYTES_MAX};
use ken_core::{DocumentName, EntryKey, Kept, KeptPart};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use crate::stage::{Raw, Writer, clock, read, replica};

fn name(number: u8) -> DocumentName {
    DocumentName::new("flux-drive", "k", format!("f{number}.md"))
}

fn kept(number: u8, parts: Vec<KeptPart>) -> Kept {
    let text: String = parts.iter().map(|part| part.text.as_str()).collect();
    Kept {
        document: name(number),
        hash: Kept::hash_of(text.as_bytes()),
        derived: false,
        piece: 0,
        more: 0,
        parts,
    }
}

/// Text that is short, or longer than a line, of letters that take up one to six bytes there.
fn any_text() -> impl Strategy<Value = String> {
    let long = select(vec!["a", "é", "\n", "\"", "\0", "日", "ab\u{1}\r\n"]);
    prop_oneof![
        6 => any::<String>(),
        1 => (long, 1..400_000_usize).prop_map(|(letter, times)| letter.repeat(times)),
    ]
}

fn any_part() -> impl Strategy<Value = KeptPart> {
    let entry = prop::option::of(any::<u8>().prop_map(|number| EntryKey([number; 8])));
    let seen = prop::collection::btree_map("[a-z]{1,8}", "[0-9a-f]{8}", 0..4);
    (any_text(), entry, seen, prop::collection::vec("line [0-9]: [a-z]{3}", 0..2)).prop_map(
        |(text, entry, seen, redacted)| {
            let name = entry.map(|key| key.to_string()).unwrap_or_default();
            KeptPart { text, entry, name, seen, redacted, ..KeptPart::default() }
        },
    )
}

fn any_parts() -> impl Strategy<Value = Vec<KeptPart>> {
    prop::collection::vec(any_part(), 0..4)
}

/// One thing that one clone says of one file.
#[derive(Clone, Debug)]
struct Step {
    replica: u8,
    file: u8,
    second: i64,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    Kept(Vec<KeptPart>),
    Left,
    Seen(u8),
    /// A word of a later version.
    Future,
}

fn any_step() -> impl Strategy<Value = Step> {
    let small = prop::collection::vec(("[a-c]{1,3}", any::<bool>()), 0..4).prop_map(|parts| {
        let part = |(text, is_entry): (String, bool)| {
            let entry = is_entry.then_some(EntryKey([1; 8]));
            let text = if text.len() == 3 { text.repeat(DOCUMENT_PIECE_BYTES_MAX / 3) } else { text };
            KeptPart { text, entry, ..KeptPart::default() }
        };
        What::Kept(parts.into_iter().map(part).collect())
    });
    let what = prop_oneof![5 => small, 1 => Just(What::Left), 1 => any::<u8>().prop_map(What::Seen), 1 => Just(What::Future)];
    (0..3_u8, 0..2_u8, 0..4_i64, what).prop_map(|(replica, file, second, what)| Step {
        replica,
        file,
        second,
        what,
    })
}

/// The events of a story; the pieces of one file follow each other, as its writer wrote them.
fn told(steps: &[Step]) -> Vec<Event> {
    let mut writer = Writer::default();
    let mut clocks: BTreeMap<u8, ken_core::Clock> = BTreeMap::new();
    let mut events = Vec::new();
    let mut hashes: BTreeMap<u8, String> = BTreeMap::new();
    for step in steps {
        let says = |said: DocumentEvent| Body::Document(said);
        let bodies = match &step.what {
            What::Kept(parts) => {
                let kept = kept(step.file, parts.clone());
                hashes.insert(step.file, kept.hash.clone());
                kept.in_pieces().into_iter().map(|piece| says(DocumentEvent::Kept(Box::new(piece)))).collect()
            }
            What::Left => {
                vec![says(DocumentEvent::Left { document: name(step.file), reason: String::new() })]
            }
            What::Seen(number) => {
                let entries = BTreeMap::from([(
                    EntryKey([1; 8]),
                    BTreeMap::from([("statement".to_owned(), number.to_string())]),
                )]);
                let hash = hashes.get(&step.file).cloned().unwrap_or_default();
                vec![says(DocumentEvent::Seen(Box::new(Seen { document: name(step.file), hash, entries })))]
            }
            What::Future => {
                let at = clock(step.second);
                let raw = Raw::new("document.sung", json!({ "document": name(step.file), "parts": [] }));
                events.push(writer.raw(replica(step.replica), at, None, raw));
                continue;
            }
        };
        for body in bodies {
            let last = clocks.entry(step.replica).or_insert(ken_core::Clock::ZERO);
            *last = last.next(clock(step.second).millis());
            events.push(writer.seal(replica(step.replica), *last, None, body));
        }
    }
    events
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    // What goes into lines comes out of them as it was, part by part; and each line is one that a ledger takes.
    #[test]
    fn a_file_comes_back_from_its_pieces(parts in any_parts()) {
        let whole = kept(0, parts);
        let pieces = whole.clone().in_pieces();
        for (at, piece) in pieces.iter().enumerate() {
            prop_assert_eq!((piece.piece as usize, piece.more as usize), (at, pieces.len() - 1 - at));
            prop_assert_eq!(&piece.hash, &whole.hash);
            let line = canonical::value_to_string(&serde_json::to_value(piece).unwrap());
            prop_assert!(line.len() <= DATA_BYTES_MAX, "{} bytes", line.len());
        }
        let mut writer = Writer::default();
        let events: Vec<Event> = (0..).zip(pieces).map(|(second, piece)| {
            let body = Body::Document(DocumentEvent::Kept(Box::new(piece)));
            let event = writer.seal(replica(1), clock(second), None, body);
            read(event.line())
        }).collect();
        let mut folded = Kept::fold_all(&events);
        prop_assert_eq!(folded.remove(&name(0)).map(|(_, kept)| kept), Some(whole));
        // A file whose last piece is missing is not there yet.
        if events.len() > 1 {
            prop_assert!(Kept::fold_all(&events[..events.len() - 1]).is_empty());
            prop_assert!(Kept::fold_all(&events[1..]).is_empty());
        }
    }

    // FED-2: order, duplicates and words of later versions change nothing.
    #[test]
    fn files_are_the_same_in_whatever_order_their_lines_arrive(
        steps in prop::collection::vec(any_step(), 0..8),
        order in any::<prop::sample::Index>(),
        twice in any::<bool>(),
    ) {
        let events = told(&steps);
        let folded = Kept::fold_all(&events);
        let mut other: Vec<Event> = events.iter().rev().cloned().collect();
        if !other.is_empty() {
            let middle = order.index(other.len());
            other.rotate_left(middle);
        }
        if twice {
            other.extend(events.iter().cloned());
        }
        prop_assert_eq!(Kept::fold_all(&other), folded.clone());
        let known: Vec<&Event> = events.iter().filter(|event| event.body.is_some()).collect();
        prop_assert_eq!(Kept::fold_all(known.iter().copied()), folded);
    }
}
