//! WFC: a `KNOWLEDGE.md` for each reviewer, one fact to a line, in five sections.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use ken_core::evidence::Reference;
use ken_core::kinds::{Scope, Status, Type};
use ken_core::limits::{DETAIL_CHARS_MAX, STATEMENT_CHARS_MAX};
use regex::Regex;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::{
    Appended, Document, Format, Item, Known, Outgoing, Part, Place, Rewritten, Role, Standing, front, prose,
};

/// What WFC's own writer puts on one line, in characters.
const FACT_CHARS_MAX: usize = 500;
/// How far back from there a cut looks for the end of a word.
const CUT_CHARS: usize = 80;
/// The name of a folder, in characters.
const FOLDER_CHARS_MAX: usize = 60;

const KNOWLEDGE: &str = "KNOWLEDGE.md";
const ARCHIVE: &str = "KNOWLEDGE-ARCHIVE.md";

/// The knowledge of WFC's reviewers.
pub(crate) struct Wfc;

impl Format for Wfc {
    fn word(&self) -> &'static str {
        "wfc"
    }

    fn about(&self) -> &'static str {
        "WFC reviewers: a KNOWLEDGE.md for each, one fact to a line, and its archive"
    }

    fn claims(&self, path: &str, head: &str) -> u8 {
        let says_so = heading(head).is_some();
        let sections = head.lines().filter(|line| Section::under(line.trim()).is_some()).count();
        match (Kept::named(path), says_so) {
            (Some(_), true) => 98,
            (Some(_), false) if sections > 0 => 90,
            (Some(_), false) => 40,
            (None, true) if sections > 0 => 80,
            (None, _) => 0,
        }
    }

    fn read(&self, path: &str, text: &str) -> Document {
        let Some(kept) = Kept::of(path, text) else {
            return Document::opaque(Role::Other, text, None);
        };
        let reviewer = reviewer(path, text);
        let is_global = path.contains("global/reviewers/");
        let mut document = Document { role: Role::Entries, parts: Vec::new(), notes: Vec::new() };
        let mut names = BTreeMap::new();
        let mut is_told = false;
        for (at, line) in lines(text, kept).enumerate() {
            let number = at + 1;
            let note = match line.what {
                What::Blank | What::Heading(_) => None,
                What::Unknown => Some(format!(
                    "line {number}: WFC has no section of this name; its lines are kept as they are"
                )),
                What::Text if line.under == Under::Unknown => None,
                What::Text => Some(format!("line {number}: is no entry; it is kept as it is")),
                What::Entry(entry) => {
                    let section = match line.under {
                        Under::Section(section) => Some(section),
                        Under::Archive => None,
                        Under::Nothing | Under::Unknown => {
                            add_text(&mut document, line.text);
                            if line.under == Under::Nothing {
                                document.notes.push(format!(
                                    "line {number}: stands in no section; it is kept as it is"
                                ));
                            }
                            continue;
                        }
                    };
                    if section.is_none() && !is_told {
                        is_told = true;
                        document.notes.push(format!(
                            "line {number}: an archive of WFC does not say which section its lines are from; they are read as learnings"
                        ));
                    }
                    let (mut item, notes) = entry.item(line.text, section, &reviewer);
                    document.notes.extend(notes.iter().map(|note| format!("line {number}: {note}")));
                    let times = names.entry(item.name.clone()).or_insert(0_usize);
                    *times += 1;
                    if *times > 1 {
                        item.name = format!("{}-{times}", item.name);
                    }
                    if is_global {
                        item.content.insert("scope".to_owned(), json!(Scope::Global.word()));
                    }
                    if kept == Kept::Archive {
                        item.standing = Standing::Archived(format!("it is in {ARCHIVE}"));
                    }
                    document.parts.push(Part::Item(Box::new(item)));
                    continue;
                }
            };
            document.notes.extend(note);
            add_text(&mut document, line.text);
        }
        document
    }

    fn rewrite(&self, item: Place<'_>, now: &Outgoing<'_>) -> Rewritten {
        let mut rewritten = Rewritten::in_place(item.text);
        rewritten.unsaid =
            now.changed.iter().filter(|field| !SAID.contains(&field.as_str())).cloned().collect();
        let Some(entry) = Entry::of(item.text) else {
            rewritten.unsaid = now.changed.iter().cloned().collect();
            return rewritten;
        };
        let line = entry.rewritten(item.text, now, &mut rewritten.unsaid);
        rewritten.text = Some(line.clone());
        if now.has_changed("status") {
            move_line(item.path, line, now, &mut rewritten);
        }
        rewritten
    }

    fn path_for(&self, now: &Outgoing<'_>, known: &Known<'_>) -> Option<String> {
        Section::of(now)?;
        let reviewer = now.fields.reviewer.as_deref().map(str::trim).filter(|name| !name.is_empty())?;
        let folder = prose::slug(reviewer, FOLDER_CHARS_MAX);
        let is_global = now.fields.scope() == Scope::Global;
        let files = || {
            known.paths.iter().filter(move |path| {
                Kept::named(path).is_some() && path.contains("global/reviewers/") == is_global
            })
        };
        let own = files().find(|path| {
            let name = folder_of(path).rsplit('/').next().unwrap_or_default();
            name.eq_ignore_ascii_case(reviewer) || name == folder
        });
        let path = own.map(|path| beside(path, KNOWLEDGE)).unwrap_or_else(|| {
            // A new reviewer sits beside the others.
            let above = files().find_map(|path| folder_of(path).rsplit_once('/')).map(|(above, _)| above);
            match above {
                Some(above) => format!("{above}/{folder}/{KNOWLEDGE}"),
                None if is_global => format!("global/reviewers/{folder}/{KNOWLEDGE}"),
                None => format!("{folder}/{KNOWLEDGE}"),
            }
        });
        Some(if is_put_away(now.status) { beside(&path, ARCHIVE) } else { path })
    }

    fn insert(&self, path: &str, text: Option<&str>, now: &Outgoing<'_>) -> String {
        let Some(section) = Section::of(now) else { return text.unwrap_or_default().to_owned() };
        let line = written(now);
        let is_archive = Kept::named(path) == Some(Kept::Archive);
        match text.filter(|text| !text.trim().is_empty()) {
            Some(text) if is_archive => at_end(text, &line),
            Some(text) => in_section(text, section, &line),
            None if is_archive => format!("{}{line}\n", archive_head()),
            None => {
                let name = folder_of(path).rsplit('/').next().unwrap_or_default();
                let name = if name.is_empty() { now.fields.reviewer.as_deref().unwrap_or("") } else { name };
                let mut skeleton = knowledge_head(name);
                for one in Section::ALL {
                    skeleton.push_str(&format!("\n## {}\n", one.header()));
                    if one == section {
                        skeleton.push_str(&format!("\n{line}\n"));
                    }
                }
                skeleton
            }
        }
    }
}

/// What a line has words for.
const SAID: &[&str] = &["statement", "attributes", "status"];

/// Which of the two files it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    Knowledge,
    Archive,
}

impl Kept {
    fn named(path: &str) -> Option<Kept> {
        match path.rsplit('/').next().unwrap_or(path) {
            KNOWLEDGE => Some(Kept::Knowledge),
            ARCHIVE => Some(Kept::Archive),
            _ => None,
        }
    }

    fn of(path: &str, text: &str) -> Option<Kept> {
        Kept::named(path).or_else(|| heading(text).map(|(kept, _)| kept))
    }
}

/// The five sections, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Section {
    Patterns,
    FalsePositives,
    Incidents,
    Rules,
    Context,
}

impl Section {
    const ALL: [Section; 5] =
        [Section::Patterns, Section::FalsePositives, Section::Incidents, Section::Rules, Section::Context];

    fn header(self) -> &'static str {
        match self {
            Section::Patterns => "Patterns Found",
            Section::FalsePositives => "False Positives to Avoid",
            Section::Incidents => "Incidents Prevented",
            Section::Rules => "Repository-Specific Rules",
            Section::Context => "Codebase Context",
        }
    }

    fn key(self) -> &'static str {
        match self {
            Section::Patterns => "patterns_found",
            Section::FalsePositives => "false_positives",
            Section::Incidents => "incidents_prevented",
            Section::Rules => "repo_rules",
            Section::Context => "codebase_context",
        }
    }

    /// What its lines are to us.
    fn kind(self) -> (Type, Option<&'static str>) {
        match self {
            Section::Patterns => (Type::Pattern, None),
            Section::FalsePositives => (Type::FalsePositive, None),
            Section::Incidents => (Type::Incident, None),
            Section::Rules => (Type::Experience, Some("convention")),
            Section::Context => (Type::Experience, Some("learning")),
        }
    }

    /// The section that a header opens.
    fn under(line: &str) -> Option<Section> {
        let header = line.strip_prefix("## ")?.trim();
        Section::ALL.into_iter().find(|section| section.header().eq_ignore_ascii_case(header))
    }

    /// The section that an entry belongs in; WFC has none for most types.
    fn of(now: &Outgoing<'_>) -> Option<Section> {
        let subtype = now.fields.subtype.as_deref();
        Section::ALL.into_iter().find(|section| {
            let (kind, own) = section.kind();
            now.kind.known() == Some(kind) && (own.is_none() || own == subtype)
        })
    }
}

/// Where a line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Under {
    Nothing,
    Section(Section),
    Unknown,
    Archive,
}

struct Line<'a> {
    /// With its line break.
    text: &'a str,
    from: usize,
    under: Under,
    what: What,
}

enum What {
    Blank,
    /// The title, a section's header, or a comment.
    Heading(Option<Section>),
    /// The header of a section that WFC does not have.
    Unknown,
    Entry(Entry),
    Text,
}

fn lines(text: &str, kept: Kept) -> impl Iterator<Item = Line<'_>> {
    let mut under = match kept {
        Kept::Knowledge => Under::Nothing,
        Kept::Archive => Under::Archive,
    };
    let mut from = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = from;
        from += line.len();
        let trimmed = line.trim_start_matches('\u{feff}').trim();
        let what = if trimmed.is_empty() {
            What::Blank
        } else if trimmed.starts_with("## ") {
            match Section::under(trimmed) {
                Some(section) => {
                    under = Under::Section(section);
                    What::Heading(Some(section))
                }
                None => {
                    under = Under::Unknown;
                    What::Unknown
                }
            }
        } else if trimmed.starts_with("# ") || trimmed.starts_with("<!--") {
            What::Heading(None)
        } else {
            Entry::of(line).map_or(What::Text, What::Entry)
        };
        Line { text: line, from: start, under, what }
    })
}

static ENTRY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^-\s+(?:\[([0-9]{4}-[0-9]{2}-[0-9]{2})\]\s+)?(.+?)(?:\s+\(Source:\s+(.+?)\))?$")
        .expect("the pattern is right")
});
static DATE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\[[0-9]{4}-[0-9]{2}-[0-9]{2}\]$").expect("the pattern is right"));
static ESCAPED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\\*(?:## |- \[|\[)").expect("the pattern is right"));

/// Where on a line its words are.
#[derive(Clone, Debug)]
struct Entry {
    date: Option<Range<usize>>,
    fact: Range<usize>,
    source: Option<Range<usize>>,
    /// Where the line ends, but for blanks.
    end: usize,
}

impl Entry {
    fn of(line: &str) -> Option<Entry> {
        let trimmed = line.trim();
        let start = line.len() - line.trim_start().len();
        let found = ENTRY.captures(trimmed)?;
        let range = |group: usize| found.get(group).map(|text| text.start() + start..text.end() + start);
        let entry = Entry { date: range(1), fact: range(2)?, source: range(3), end: start + trimmed.len() };
        let fact = &line[entry.fact.clone()];
        // Without a date, a line that is set in belongs to the one above it.
        let is_entry = entry.date.is_some()
            || (start == 0 && !DATE.is_match(fact) && fact.contains(char::is_alphanumeric));
        is_entry.then_some(entry)
    }

    fn item(&self, line: &str, section: Option<Section>, reviewer: &str) -> (Item, Vec<String>) {
        let (kind, subtype) = section.map_or((Type::Experience, Some("learning")), Section::kind);
        let date = self.date.clone().map(|date| &line[date]);
        let raw = &line[self.fact.clone()];
        let fact = prose::kept(revealed(raw, date.is_some()));
        let source = self.source.clone().map(|source| &line[source]);
        let mut notes = Vec::new();
        let mut item = Item::new(kind, chunk_id(reviewer, section, date, source, raw), line);
        item.stated = date.and_then(prose::time);
        match date {
            None => notes.push("has no date; WFC itself does not read it".to_owned()),
            Some(date) if item.stated.is_none() => notes.push(format!("{date} is no day")),
            Some(_) => {}
        }
        let content = &mut item.content;
        if fact.chars().count() > STATEMENT_CHARS_MAX {
            let cut = |chars: usize| fact.chars().take(chars).collect::<String>();
            content.insert("statement".to_owned(), json!(cut(STATEMENT_CHARS_MAX)));
            content.insert("detail".to_owned(), json!(cut(DETAIL_CHARS_MAX)));
            notes.push("is longer than a claim; all of it is in `detail`".to_owned());
        } else {
            content.insert("statement".to_owned(), json!(fact));
        }
        if !reviewer.is_empty() {
            content.insert("reviewer".to_owned(), json!(reviewer));
        }
        if let Some(subtype) = subtype {
            content.insert("subtype".to_owned(), json!(subtype));
        }
        if section == Some(Section::FalsePositives) {
            content.insert("polarity".to_owned(), json!("negative"));
        }
        let anchors = prose::anchors(&fact);
        if !anchors.is_empty() {
            content.insert("anchors".to_owned(), json!(anchors));
        }
        if let Some(source) = source {
            let (source, dev) = parted(source);
            item.evidence.extend(reference(source));
            let dev = dev.map(|dev| ("dev".to_owned(), json!(dev)));
            let attributes = [("source".to_owned(), json!(source))].into_iter().chain(dev).collect();
            let (attributes, more) = prose::kept_values(attributes);
            notes.extend(more);
            content.insert("attributes".to_owned(), Value::Object(attributes));
        }
        (item, notes)
    }

    fn rewritten(&self, line: &str, now: &Outgoing<'_>, unsaid: &mut Vec<String>) -> String {
        let mut fact = line[self.fact.clone()].to_owned();
        if now.has_changed("statement") {
            let (new, is_cut) = hidden(&now.fields.statement(), self.date.is_some());
            if is_cut {
                unsaid.push("statement".to_owned());
            }
            fact = new;
        }
        let mut source = line[self.fact.end..self.end].to_owned();
        if now.has_changed("attributes") {
            let said = self.source.clone().map(|source| parted(&line[source]));
            let was =
                said.map_or((None, None), |(source, dev)| (Some(prose::kept(source)), dev.map(prose::kept)));
            let (new, is_all) = sources(&now.fields.attributes);
            if was != new {
                source = match new {
                    (None, None) => String::new(),
                    (source, dev) => suffix(source.as_deref().unwrap_or("unknown"), dev.as_deref()),
                };
            }
            if !is_all {
                unsaid.push("attributes".to_owned());
            }
        }
        format!("{}{fact}{source}{}", &line[..self.fact.start], &line[self.end..])
    }
}

/// What becomes of a line whose entry changed its status.
fn move_line(path: &str, line: String, now: &Outgoing<'_>, rewritten: &mut Rewritten) {
    let is_archived = Kept::named(path) == Some(Kept::Archive);
    let whole = |line: String| if line.ends_with('\n') { line } else { format!("{line}\n") };
    match now.status {
        Status::Retracted => rewritten.text = None,
        Status::Archived | Status::Superseded => {
            if !is_archived {
                rewritten.text = None;
                rewritten.appended.push(Appended {
                    path: beside(path, ARCHIVE),
                    header: archive_head(),
                    text: whole(line),
                });
            }
        }
        Status::Candidate | Status::Active | Status::Verified | Status::Stale if is_archived => {
            // The archive does not know the section; the entry's type does.
            match Section::of(now) {
                Some(section) => {
                    rewritten.text = None;
                    rewritten.appended.push(Appended {
                        path: beside(path, KNOWLEDGE),
                        header: knowledge_head(folder_of(path).rsplit('/').next().unwrap_or_default()),
                        text: format!("\n## {}\n\n{}", section.header(), whole(line)),
                    });
                }
                None => rewritten.unsaid.push("status".to_owned()),
            }
        }
        Status::Candidate | Status::Active | Status::Verified => {}
        Status::Stale | Status::Rejected => rewritten.unsaid.push("status".to_owned()),
    }
}

fn is_put_away(status: Status) -> bool {
    matches!(status, Status::Archived | Status::Superseded)
}

/// An entry as a line, without its line break.
fn written(now: &Outgoing<'_>) -> String {
    let (fact, _) = hidden(&now.fields.statement(), true);
    let (source, dev) = sources(&now.fields.attributes).0;
    let cited =
        || now.citations.first().map(|cited| format!("{}:{}", cited.evidence_type, cited.evidence_ref));
    let source = source.or_else(cited).unwrap_or_else(|| format!("ken {}", now.id));
    format!("- [{}] {fact}{}", now.created.date(), suffix(&source, dev.as_deref()))
}

fn suffix(source: &str, dev: Option<&str>) -> String {
    let source = one_line(source).replace(", Dev: ", ", dev: ");
    let dev = dev.map(|dev| format!(", Dev: {}", one_line(dev).replace(", Dev: ", ", dev: ")));
    format!(" (Source: {source}{})", dev.unwrap_or_default())
}

/// Source and developer among an entry's own fields, and whether those are all there are.
fn sources(attributes: &Map<String, Value>) -> ((Option<String>, Option<String>), bool) {
    let text = |name: &str| {
        let text = attributes.get(name).and_then(Value::as_str).map(str::trim);
        text.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let found = (text("source"), text("dev"));
    let count = usize::from(found.0.is_some()) + usize::from(found.1.is_some());
    (found, attributes.len() == count)
}

/// `initial-seed, Dev: mira` as its two words.
fn parted(source: &str) -> (&str, Option<&str>) {
    match source.rsplit_once(", Dev: ") {
        Some((source, dev)) if !source.trim().is_empty() && !dev.trim().is_empty() => {
            (source.trim(), Some(dev.trim()))
        }
        _ => (source.trim(), None),
    }
}

/// What a source is evidence of, where it is any: a commit, a pull request, a file.
fn reference(source: &str) -> Option<String> {
    let lower = source.to_lowercase();
    let number = lower.strip_prefix("pr ").or_else(|| lower.strip_prefix("pr")).unwrap_or(&lower);
    let is_pull =
        number.strip_prefix('#').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    let hash = lower.strip_prefix("commit ").unwrap_or(&lower);
    let is_commit = (7..=40).contains(&hash.len()) && hash.bytes().all(|b| b.is_ascii_hexdigit());
    let text = if is_pull {
        format!("pr:{}", number.trim_start_matches('#'))
    } else if is_commit {
        format!("commit:{hash}")
    } else if ["commit:", "pr:", "doc:", "test:", "transcript:"].iter().any(|kind| source.starts_with(kind)) {
        source.to_owned()
    } else {
        format!("doc:{}", prose::anchors(&format!("`{source}`")).pop()?)
    };
    Reference::parse(&text).is_ok().then_some(text)
}

/// The name WFC's index gives a line.
fn chunk_id(
    reviewer: &str,
    section: Option<Section>,
    date: Option<&str>,
    source: Option<&str>,
    fact: &str,
) -> String {
    let section = section.map_or("", Section::key);
    let collapsed = fact.split_whitespace().collect::<Vec<_>>().join(" ");
    let whole = format!(
        "{reviewer}:{section}:{}:{}:{collapsed}",
        date.unwrap_or_default(),
        source.unwrap_or("unknown")
    );
    Sha256::digest(whole.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// A statement as it may stand on a line, and whether some of it was cut off: WFC's writer stops at 500 characters, and its budget for an
/// answer ends at the first line that does not fit.
fn hidden(statement: &str, is_dated: bool) -> (String, bool) {
    // Its reader would take the word for the end of the fact.
    let fact = one_line(statement).replace("(Source:", "(source:");
    let chars = fact.chars().count();
    let is_cut = chars > FACT_CHARS_MAX;
    let fact = if is_cut {
        let start: String = fact.chars().take(FACT_CHARS_MAX - 1).collect();
        let word = start.rfind(' ').filter(|at| start[*at..].chars().count() <= CUT_CHARS);
        format!("{}…", start[..word.unwrap_or(start.len())].trim_end())
    } else {
        fact
    };
    (if is_escaped(&fact, is_dated) { format!("\\{fact}") } else { fact }, is_cut)
}

/// A fact without the backslash that keeps it from being something else.
fn revealed(fact: &str, is_dated: bool) -> &str {
    fact.strip_prefix('\\').filter(|rest| is_escaped(rest, is_dated)).unwrap_or(fact)
}

fn is_escaped(fact: &str, is_dated: bool) -> bool {
    // On a line without a date, what begins like one would become it.
    ESCAPED
        .find(fact)
        .is_some_and(|found| !is_dated || !matches!(found.as_str().trim_start_matches('\\'), "["))
}

fn one_line(text: &str) -> String {
    let parts = text.split(['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}']);
    parts.map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// What the title says: which file it is, and whose.
fn heading(text: &str) -> Option<(Kept, &str)> {
    let line = text.trim_start_matches('\u{feff}').lines().map(str::trim).find(|line| !line.is_empty())?;
    let title = line.strip_prefix("# ")?.trim();
    if let Some(rest) = title.strip_prefix(ARCHIVE) {
        return Some((Kept::Archive, rest.trim_start_matches([' ', '-']).trim()));
    }
    let name = title.strip_prefix(KNOWLEDGE)?;
    Some((Kept::Knowledge, name.trim_start_matches([' ', '-', '—', '–', ':']).trim()))
}

/// Whose knowledge it is: the folder's name, or what the title says.
fn reviewer(path: &str, text: &str) -> String {
    let folder = folder_of(path).rsplit('/').next().unwrap_or_default();
    if !matches!(folder, "" | "." | "..") {
        return prose::short(&prose::kept(folder));
    }
    let name = heading(text).map_or("", |(_, name)| name);
    let name = name.strip_suffix("Reviewer").unwrap_or(name).trim();
    if name.is_empty() { String::new() } else { prose::slug(name, FOLDER_CHARS_MAX) }
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A file of another name in the same folder.
fn beside(path: &str, name: &str) -> String {
    match folder_of(path) {
        "" => name.to_owned(),
        folder => format!("{folder}/{name}"),
    }
}

fn archive_head() -> String {
    format!("# {ARCHIVE}\n\n")
}

fn knowledge_head(reviewer: &str) -> String {
    let name = prose::title_of(reviewer);
    let name = if name.is_empty() { "Reviewer".to_owned() } else { format!("{name} Reviewer") };
    format!("# {KNOWLEDGE} -- {name}\n")
}

fn at_end(text: &str, line: &str) -> String {
    let end = front::line_end(text);
    if text.ends_with('\n') { format!("{text}{line}{end}") } else { format!("{text}{end}{line}") }
}

/// A file with a line after the last entry of its section; a section that is missing is put where it belongs.
fn in_section(text: &str, section: Section, line: &str) -> String {
    let end = front::line_end(text);
    let all: Vec<Line<'_>> = lines(text, Kept::Knowledge).collect();
    let after = |one: &Line<'_>| one.from + one.text.len();
    let own = |one: &&Line<'_>| one.under == Under::Section(section);
    // Lines that are set in belong to the entry above them.
    let last = all.iter().rposition(|one| own(&one) && matches!(one.what, What::Entry(_))).map(|at| {
        let more = all[at + 1..]
            .iter()
            .take_while(|one| matches!(one.what, What::Text) && one.text.starts_with([' ', '\t']));
        at + more.count()
    });
    let spliced = |at: usize, new: String| format!("{}{new}{}", &text[..at], &text[at..]);
    if let Some(last) = last {
        let at = after(&all[last]);
        let is_open = !text[..at].ends_with('\n');
        return spliced(at, if is_open { format!("{end}{line}") } else { format!("{line}{end}") });
    }
    if let Some(header) =
        all.iter().position(|one| matches!(one.what, What::Heading(Some(own)) if own == section))
    {
        let at = after(&all[header]);
        let is_open = !text[..at].ends_with('\n');
        let is_tight = all.get(header + 1).is_some_and(|next| !matches!(next.what, What::Blank));
        let (before, behind) = (if is_open { end } else { "" }, if is_tight { end } else { "" });
        return spliced(at, format!("{before}{end}{line}{end}{behind}"));
    }
    let later = all.iter().find(|one| matches!(one.what, What::Heading(Some(other)) if other > section));
    match later {
        Some(later) => spliced(later.from, format!("## {}{end}{end}{line}{end}{end}", section.header())),
        None => {
            let open = if text.ends_with('\n') { "" } else { end };
            format!("{text}{open}{end}## {}{end}{end}{line}{end}", section.header())
        }
    }
}

/// Adds text to a document, joined to what is before it.
fn add_text(document: &mut Document, more: &str) {
    match document.parts.last_mut() {
        Some(Part::Text(text)) => text.push_str(more),
        Some(Part::Item(_)) | None => document.parts.push(Part::Text(more.to_owned())),
    }
}
