//! The knowledge folder of GSD Reflect: signals, spikes, lessons and reflections, a file each, and the `index.md` made from them.

mod body;
mod compose;
mod index;
mod read;
mod spelling;
mod write;

use ken_core::kinds::Scope;
use ken_core::{Millis, Type};

use crate::front::Front;
use crate::{Document, File, Format, Outgoing, Place, Rewritten, Role, Source, StoreFacts, prose};

/// The knowledge folder of GSD Reflect.
pub(crate) struct Gsd;

impl Format for Gsd {
    fn word(&self) -> &'static str {
        "gsd"
    }

    fn about(&self) -> &'static str {
        "the knowledge folder of GSD Reflect: signals, spikes, lessons, reflections and index.md"
    }

    fn claims(&self, path: &str, head: &str) -> u8 {
        claims(path, head)
    }

    fn read(&self, path: &str, text: &str) -> Document {
        read::read(path, text)
    }

    fn rewrite(&self, item: Place<'_>, now: &Outgoing<'_>) -> Rewritten {
        write::rewrite(item, now)
    }

    fn path_for(&self, now: &Outgoing<'_>, known: &StoreFacts<'_>) -> Option<String> {
        let kind = Kind::for_type(now.kind.known()?)?;
        // Other observations are about one use of one entry, and GSD keeps none.
        if kind == Kind::Reflection && now.fields.subtype.as_deref() != Some(kind.word()) {
            return None;
        }
        let project = match now.fields.scope() {
            Scope::Global => GLOBAL.to_owned(),
            Scope::Project | Scope::Thread => prose::slug(known.project, SLUG_CHARS_MAX),
        };
        let (date, slug) = (now.created.date(), slug(now, kind));
        let (folder, stem) = match kind {
            Kind::Signal => (project, format!("{date}-{slug}")),
            Kind::Spike => (project, slug),
            Kind::Lesson => (category(now).to_owned(), slug),
            Kind::Reflection => (project, format!("reflect-{date}")),
        };
        let root = root(known);
        let path = |stem: &str| format!("{root}{}/{folder}/{stem}.md", kind.folder());
        Some(path(&prose::free(&stem, |stem| known.paths.contains(&path(stem)))))
    }

    fn insert(&self, path: &str, text: Option<&str>, now: &Outgoing<'_>) -> String {
        match text {
            // A file holds one entry, and what is there stays.
            Some(text) if !text.trim().is_empty() => text.to_owned(),
            Some(_) | None => compose::compose(path, now),
        }
    }

    fn derived(&self, files: &[Source<'_>], known: &StoreFacts<'_>) -> Vec<File> {
        index::derived(files, known)
    }
}

/// What stands for a project where knowledge is of all of them.
const GLOBAL: &str = "_global";
/// Characters of a slug, at most.
const SLUG_CHARS_MAX: usize = 50;
/// The folders that lessons are sorted into.
const CATEGORIES: &[&str] =
    &["architecture", "workflow", "tooling", "testing", "debugging", "performance", "other"];

/// What a file is in the words of GSD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Signal,
    Spike,
    Lesson,
    Reflection,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Signal, Kind::Spike, Kind::Lesson, Kind::Reflection];

    fn word(self) -> &'static str {
        match self {
            Kind::Signal => "signal",
            Kind::Spike => "spike",
            Kind::Lesson => "lesson",
            Kind::Reflection => "reflection",
        }
    }

    fn folder(self) -> &'static str {
        match self {
            Kind::Signal => "signals",
            Kind::Spike => "spikes",
            Kind::Lesson => "lessons",
            Kind::Reflection => "reflections",
        }
    }

    fn prefix(self) -> &'static str {
        match self {
            Kind::Signal => "sig",
            Kind::Spike => "spk",
            Kind::Lesson => "les",
            Kind::Reflection => "reflect",
        }
    }

    /// A reflection looks back on many signals at once: it is a record of something that happened, so it is episodic, and nothing that
    /// it says becomes knowledge without somebody who promotes it (C8).
    fn entry(self) -> Type {
        match self {
            Kind::Signal => Type::Signal,
            Kind::Spike => Type::Spike,
            Kind::Lesson => Type::Lesson,
            Kind::Reflection => Type::Observation,
        }
    }

    /// The kind that says what an entry of ours says; none where GSD has no word for it.
    fn for_type(entry: Type) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.entry() == entry)
    }

    fn from_word(word: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// What a file is by its path: the folder before the one that says so, and the kind.
fn located(path: &str) -> Option<(&str, Kind)> {
    let mut at = 0;
    for part in path.split_inclusive('/') {
        let name = part.strip_suffix('/')?;
        if let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.folder() == name) {
            return Some((&path[..at], kind));
        }
        at += part.len();
    }
    None
}

fn is_markdown(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("md"))
}

fn is_index(path: &str) -> bool {
    located(path).is_none() && path.rsplit('/').next() == Some("index.md")
}

/// Whether an id has the form of GSD: `sig-2026-02-11-slug`, `SIG-260222-009-slug`.
fn is_native_id(id: &str) -> bool {
    let begins = |kind: Kind| {
        let (prefix, rest) = id.split_at_checked(kind.prefix().len()).unwrap_or_default();
        let digits =
            rest.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        prefix.eq_ignore_ascii_case(kind.prefix()) && digits
    };
    Kind::ALL.into_iter().any(begins)
}

/// The time as GSD writes it.
fn moment(time: Millis) -> String {
    format!("{}Z", &time.to_string()[..19])
}

/// Keys that hardly anybody else writes.
const TELLING: &[&str] = &[
    "durability",
    "signal_type",
    "signal_category",
    "lifecycle_state",
    "lifecycle_log",
    "lifecycle",
    "hypothesis",
    "evidence_count",
    "occurrence_count",
    "polarity",
    "detection_method",
    "related_signals",
    "gsd_version",
    "drift_check",
];

fn claims(path: &str, head: &str) -> u8 {
    if is_index(path) {
        return if head.trim_start_matches('\u{feff}').starts_with("# Knowledge Store Index") {
            95
        } else {
            0
        };
    }
    if !is_markdown(path) {
        return 0;
    }
    // The head may end before the block does.
    let closed;
    let text = match Front::parse(head) {
        Some(_) => head,
        None => {
            let whole = head.rfind('\n').map_or("", |at| &head[..=at]);
            closed = format!("{whole}---\n");
            &closed
        }
    };
    let Some(front) = Front::parse(text) else { return 0 };
    let is_id = front.word("id").is_some_and(|id| is_native_id(&id));
    let folder = located(path).is_some();
    let kind = front.str("type").is_some_and(|word| read::kind_of(word).is_some());
    let telling = TELLING.iter().filter(|key| front.values.contains_key(**key)).count();
    match (is_id, folder, kind, telling) {
        (true, true, true, _) => 98,
        (true, true, false, _) | (true, false, true, _) => 92,
        (_, true, true, 1..) | (_, true, _, 2..) | (_, false, true, 3..) => 88,
        (true, false, false, 1..) => 80,
        (true, false, false, 0) | (false, true, true, 0) => 10,
        (false, _, _, _) => 0,
    }
}

/// The folder above `signals/` in what is there already.
fn root<'a>(known: &StoreFacts<'a>) -> &'a str {
    let roots = known.paths.iter().filter_map(|path| located(path).map(|(root, _)| root));
    let index = known.paths.iter().find(|path| is_index(path));
    roots
        .min_by_key(|root| root.len())
        .or(index.map(|path| &path[..path.len() - "index.md".len()]))
        .unwrap_or("")
}

/// The name of a file, from what its entry is called.
fn slug(now: &Outgoing<'_>, kind: Kind) -> String {
    let id = now.id.get(kind.prefix().len() + 1..).filter(|_| is_native_id(now.id));
    let dated = id.and_then(|rest| {
        rest.get(11..).filter(|_| rest.get(..10).is_some_and(|date| prose::time(date).is_some()))
    });
    match dated {
        Some(rest) if !rest.is_empty() => prose::slug(rest, SLUG_CHARS_MAX),
        _ => prose::slug(&now.fields.title(), SLUG_CHARS_MAX),
    }
}

fn category(now: &Outgoing<'_>) -> &'static str {
    let said = now.fields.attributes.get("category").and_then(|value| value.as_str()).unwrap_or("other");
    CATEGORIES.iter().copied().find(|known| *known == said).unwrap_or("other")
}

/// A file that is none of ours to read.
fn other(text: &str, note: Option<String>) -> Document {
    Document::opaque(Role::Other, text, note)
}
