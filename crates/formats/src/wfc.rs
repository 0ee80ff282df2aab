//! WFC: a `KNOWLEDGE.md` for each reviewer, one fact to a line, in five sections.

mod line;

use std::collections::BTreeMap;

use ken_core::kinds::{Scope, Status, Type};
use serde_json::json;

use self::line::{Entry, written};
use crate::{
    Appended, Document, Format, Outgoing, Part, Place, Rewritten, Role, Standing, StoreFacts, front, plain,
    prose,
};

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
        let Some(kept) = Kept::parse(path, text) else {
            return Document::opaque(Role::Other, text, None);
        };
        let reviewer = reviewer(path, text);
        let is_global = path.contains("global/reviewers/");
        let mut document =
            Document { role: Role::Entries, parts: Vec::new(), notes: Vec::new(), broken: Vec::new() };
        let mut names = BTreeMap::new();
        let mut is_told = false;
        for (at, line) in lines(text, kept).enumerate() {
            let number = at + 1;
            let note = match line.what {
                What::Blank | What::Heading(_) => None,
                What::Unknown => Some(format!(
                    "line {number}: WFC has no section of this name; its lines are kept unchanged"
                )),
                What::Text if line.under == Under::Unknown => None,
                What::Text => Some(format!("line {number}: is no entry; it is kept unchanged")),
                What::Entry(entry) => {
                    let section = match line.under {
                        Under::Section(section) => Some(section),
                        Under::Archive => None,
                        Under::Nothing | Under::Unknown => {
                            add_text(&mut document, line.text);
                            if line.under == Under::Nothing {
                                document.notes.push(format!(
                                    "line {number}: stands in no section; it is kept unchanged"
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
        let Some(entry) = Entry::parse(item.text) else {
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

    fn path_for(&self, now: &Outgoing<'_>, known: &StoreFacts<'_>) -> Option<String> {
        Section::for_entry(now)?;
        let reviewer = now.fields.reviewer.as_deref().map(str::trim).filter(|name| !name.is_empty())?;
        let folder = prose::slug(reviewer, FOLDER_CHARS_MAX);
        let is_global = known.is_global || now.fields.scope() == Scope::Global;
        let global_reviewers = global_reviewers(known.folder);
        if global_reviewers.is_some() && !is_global {
            return None;
        }
        let is_of_its_tier =
            |path: &&String| global_reviewers.is_some() || path.contains("global/reviewers/") == is_global;
        let files = || known.paths.iter().filter(|path| Kept::named(path).is_some()).filter(is_of_its_tier);
        let own = files().find(|path| {
            let name = folder_of(path).rsplit('/').next().unwrap_or_default();
            name.eq_ignore_ascii_case(reviewer) || name == folder
        });
        let path = own.map(|path| beside(path, KNOWLEDGE)).unwrap_or_else(|| {
            // A new reviewer sits beside the others.
            let above = files().find_map(|path| folder_of(path).rsplit_once('/')).map(|(above, _)| above);
            match (above, global_reviewers) {
                (Some(above), _) => format!("{above}/{folder}/{KNOWLEDGE}"),
                (None, Some(reviewers)) => format!("{reviewers}{folder}/{KNOWLEDGE}"),
                // In a folder of reviewers it is one of them.
                (None, None) if is_global && !known.folder.ends_with("reviewers") => {
                    format!("global/reviewers/{folder}/{KNOWLEDGE}")
                }
                (None, None) => format!("{folder}/{KNOWLEDGE}"),
            }
        });
        Some(if is_put_away(now.status) { beside(&path, ARCHIVE) } else { path })
    }

    fn insert(&self, path: &str, text: Option<&str>, now: &Outgoing<'_>) -> String {
        let Some(section) = Section::for_entry(now) else { return text.unwrap_or_default().to_owned() };
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

/// Where the reviewers lie in a folder that WFC keeps for every project, `~/.wfc` or a folder of it; none in any other folder.
fn global_reviewers(folder: &str) -> Option<&'static str> {
    let folder = format!("/{}/", folder.trim_matches('/'));
    let (_, inside) = folder.rsplit_once("/.wfc/")?;
    // Some keep the reviewers elsewhere in it.
    Some("knowledge/global/reviewers/".strip_prefix(inside).unwrap_or_default())
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

    fn parse(path: &str, text: &str) -> Option<Kept> {
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
    fn for_entry(now: &Outgoing<'_>) -> Option<Section> {
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
            Entry::parse(line).map_or(What::Text, What::Entry)
        };
        Line { text: line, from: start, under, what }
    })
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
            match Section::for_entry(now) {
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
        return prose::short(&plain::plain(folder));
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
