//! Real code to mutate: this repository's own, and what lies on the machine. Nothing of it is copied into the repository.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use ken_anchors::{InProcess, Language, Reader};

use super::dice::Dice;
use crate::context::{Context, capture};

/// A source file.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// As it is called in the repository that is made up around it.
    pub(super) path: String,
    pub(super) text: String,
    pub(super) language: Option<Language>,
    /// Functions that can be cut out of it.
    pub(super) functions: Vec<Function>,
}

/// A function, by its lines.
#[derive(Clone, Debug)]
pub(super) struct Function {
    /// With the names around it.
    pub(super) name: String,
    /// First and last line, counted from one.
    pub(super) lines: (u32, u32),
    /// What it is in: name and lines.
    pub(super) around: Option<(String, (u32, u32))>,
}

/// All that was found of a language.
pub(super) struct TextIndex {
    pub(super) language: Option<Language>,
    pub(super) sources: Vec<Source>,
    /// Files that were left out because there were more than needed.
    pub(super) more: usize,
    /// Files that were left out because a third of them is in another one as well.
    pub(super) copies: usize,
}

/// Files of one language that are taken.
const FILES_MAX: usize = 120;
/// Languages with fewer files are not measured.
const FILES_MIN: usize = 4;
/// Sizes of the files that are taken, in bytes.
const BYTES: std::ops::RangeInclusive<u64> = 1_000..=60_000;

/// Looks for code, and says in sentences what is missing.
pub(super) fn find(context: &Context, extra: &[PathBuf], dice: &mut Dice) -> (Vec<TextIndex>, Vec<String>) {
    let mut said = Vec::new();
    let mut roots: Vec<(&str, PathBuf)> = vec![("this repository", context.root.clone())];
    let mut ask = |what: &'static str, command: &mut Command| match capture(command) {
        Ok(answer) => {
            let folders: Vec<(&str, PathBuf)> = answer
                .lines()
                .map(PathBuf::from)
                .filter(|folder| folder.is_dir())
                .map(|folder| (what, folder))
                .collect();
            if folders.is_empty() {
                said.push(format!("skipped: {what} (none on this machine)"));
            }
            folders
        }
        Err(_) => {
            said.push(format!("skipped: {what} (its program is not on this machine)"));
            Vec::new()
        }
    };
    let python = "import sysconfig; print(sysconfig.get_paths()['stdlib'])";
    roots.extend(ask("Python's standard library", &mut context.program("python3", ["-c", python])));
    roots.extend(ask("node's modules", &mut context.program("npm", ["root", "-g"])));
    roots.extend(ask("git's scripts", &mut context.program("git", ["--exec-path"])));
    match packages(context) {
        Some(folders) => roots.extend(folders.into_iter().map(|folder| ("sources of packages", folder))),
        None => said.push("skipped: sources of packages (`cargo metadata` did not answer)".to_owned()),
    }
    for folder in extra {
        match folder.is_dir() {
            true => roots.push(("--code", folder.clone())),
            false => said.push("skipped: a folder given with --code (it is none)".to_owned()),
        }
    }
    let mut files: BTreeMap<Option<Language>, Vec<(String, PathBuf)>> = BTreeMap::new();
    for (number, (what, root)) in roots.iter().enumerate() {
        let ours = *what == "this repository";
        // Other people's Rust would outnumber ours; their C and JavaScript are what we lack.
        let wanted = |language: Option<Language>| match language {
            Some(Language::Rust) => ours || *what == "--code",
            Some(_) => true,
            None => ours,
        };
        for path in walk(root) {
            let Ok(relative) = path.strip_prefix(root) else { continue };
            let relative = relative.to_string_lossy().replace('\\', "/");
            let Some(language) = language(&path, &relative) else { continue };
            if wanted(language) {
                let name = if ours { relative } else { format!("r{number}/{relative}") };
                files.entry(language).or_default().push((name, path));
            }
        }
    }
    let mut shelves = Vec::new();
    for (language, mut found) in files {
        let word = language.map_or("markdown", Language::word);
        found.sort();
        dice.shuffle(&mut found);
        let mut sources: Vec<Source> = Vec::new();
        let (mut seen, mut copies) = (HashSet::<u64>::new(), 0);
        let mut left = found.len();
        for (path, file) in &found {
            if sources.len() == FILES_MAX {
                break;
            }
            left -= 1;
            let Some(source) = source(path, file, language) else { continue };
            // The same code built for two systems: whether it moved to its copy has no answer.
            let bodies: Vec<u64> = source.functions.iter().map(|function| body(&source, function)).collect();
            let known = bodies.iter().filter(|body| seen.contains(*body)).count();
            if known * 3 > bodies.len() {
                copies += 1;
                continue;
            }
            seen.extend(bodies);
            sources.push(source);
        }
        if sources.len() < FILES_MIN {
            said.push(format!("skipped: {word} ({} usable files, {FILES_MIN} are needed)", sources.len()));
            continue;
        }
        shelves.push(TextIndex { language, sources, more: left, copies });
    }
    for language in Language::ALL {
        if !shelves.iter().any(|shelf| shelf.language == Some(language)) {
            let sentence = format!("skipped: {} (no sources on this machine)", language.word());
            if !said.iter().any(|known| known.contains(&format!(": {} (", language.word()))) {
                said.push(sentence);
            }
        }
    }
    (shelves, said)
}

/// The language of a file that is wanted; the inner none is Markdown.
fn language(path: &Path, relative: &str) -> Option<Option<Language>> {
    let size = path.metadata().ok()?.len();
    if !BYTES.contains(&size) {
        return None;
    }
    if relative.ends_with(".md") {
        return Some(None);
    }
    let known = Language::detect(relative, "");
    if known.is_some() {
        return Some(known);
    }
    if relative.contains('.') {
        return None;
    }
    let text = std::fs::read_to_string(path).ok()?;
    Language::detect(relative, text.lines().next()?).map(Some)
}

/// A function's text without its layout.
fn body(source: &Source, function: &Function) -> u64 {
    let mut hash = DefaultHasher::new();
    let (first, last) = (function.lines.0 as usize - 1, function.lines.1 as usize);
    for line in source.text.lines().take(last).skip(first) {
        line.trim().hash(&mut hash);
    }
    hash.finish()
}

fn packages(context: &Context) -> Option<Vec<PathBuf>> {
    // Other platforms' packages are not on this machine, and would be missed.
    let version = capture(&mut context.program("rustc", ["-vV"])).ok()?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "))?;
    let words = ["metadata", "--format-version", "1", "--offline", "--filter-platform", host];
    let answer = capture(&mut context.cargo(words)).ok()?;
    let answer: serde_json::Value = serde_json::from_str(&answer).ok()?;
    let mut folders = Vec::new();
    for package in answer["packages"].as_array()? {
        if package["source"].is_null() {
            continue;
        }
        let manifest = PathBuf::from(package["manifest_path"].as_str()?);
        folders.push(manifest.parent()?.to_owned());
    }
    folders.sort();
    Some(folders)
}

fn walk(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        let mut entries: Vec<_> = entries.flatten().collect();
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let (Ok(kind), name) = (entry.file_type(), entry.file_name()) else { continue };
            let hidden = name.to_string_lossy().starts_with('.');
            if kind.is_dir()
                && !hidden
                && !["target", "site-packages", "fixtures"].iter().any(|skipped| name == *skipped)
            {
                folders.push(entry.path());
            } else if kind.is_file() {
                found.push(entry.path());
            }
        }
    }
    found
}

/// A file with at least three functions, and without a fault; minified ones have their functions on one line.
fn source(path: &str, file: &Path, language: Option<Language>) -> Option<Source> {
    let text = std::fs::read_to_string(file).ok()?.replace("\r\n", "\n");
    if text.contains('\u{c}') || text.lines().any(|line| line.len() > 2_000) {
        return None;
    }
    let functions = match language {
        Some(language) => functions(language, &text)?,
        None => sections(&text),
    };
    (functions.len() >= 3).then(|| Source { path: path.to_owned(), text, language, functions })
}

fn functions(language: Language, text: &str) -> Option<Vec<Function>> {
    let outline = InProcess::default().read(language, text).ok()?;
    if outline.fault.is_some() {
        return None;
    }
    let lines: Vec<&str> = text.lines().collect();
    let mut functions: Vec<Function> = Vec::new();
    for symbol in &outline.symbols {
        let (first, last) = symbol.lines;
        let name = symbol.name.rsplit('.').next()?;
        let alone = outline.symbols.iter().filter(|other| other.name == symbol.name).count() == 1;
        let inside = functions.iter().any(|known| known.lines.0 <= first && last <= known.lines.1);
        if !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let body = &lines[first as usize - 1..(last as usize).min(lines.len())];
        if !alone || inside || symbol.holds_others || body.len() < 4 || body.len() > 200 {
            continue;
        }
        if !is_function(language, name, body) {
            continue;
        }
        let around = symbol.name.rsplit_once('.').and_then(|(around, _)| {
            let holder = outline.symbols.iter().rfind(|other| {
                other.name == around && other.lines.0 <= first && last <= other.lines.1 && other.holds_others
            })?;
            let alone = outline.symbols.iter().filter(|other| other.name == around).count() == 1;
            alone.then(|| (around.to_owned(), holder.lines))
        });
        functions.push(Function { name: symbol.name.clone(), lines: symbol.lines, around });
    }
    Some(functions)
}

/// Whether lines look like one whole function of that name, and nothing else.
fn is_function(language: Language, name: &str, body: &[&str]) -> bool {
    let Some(at) = body.iter().position(|line| super::mutate::words_in(line, name).next().is_some()) else {
        return false;
    };
    let Some(found) = super::mutate::words_in(body[at], name).next() else { return false };
    let after = body[at][found + name.len()..].trim_start();
    let last = body.last().map_or("", |line| line.trim());
    let closes = matches!(last, "}" | "};");
    match language {
        Language::Rust => {
            body[at].contains("fn ") && (after.starts_with('(') || after.starts_with('<')) && last == "}"
        }
        Language::Python => body[at].trim_start().starts_with("def ") && after.starts_with('('),
        Language::Ruby => body[at].trim_start().starts_with("def ") && last == "end",
        Language::TypeScript | Language::JavaScript => after.starts_with('(') && closes,
        Language::Shell => after.starts_with("()") && last == "}",
        Language::Go | Language::Java | Language::C | Language::Cpp => after.starts_with('(') && last == "}",
    }
}

/// The sections of a Markdown file that have no others in them.
fn sections(text: &str) -> Vec<Function> {
    let mut headings: Vec<(usize, String, u32)> = Vec::new();
    let mut fenced = false;
    let count = text.lines().count() as u32;
    for (line, number) in text.lines().zip(1..) {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        let level = line.len() - line.trim_start_matches('#').len();
        if !fenced && level > 0 && line[level..].starts_with(' ') {
            headings.push((level, line[level..].trim().to_owned(), number));
        }
    }
    let mut sections = Vec::new();
    for (at, (level, name, first)) in headings.iter().enumerate() {
        let next = headings.get(at + 1);
        let last = next.map_or(count, |(_, _, next)| next - 1);
        let leaf = next.is_none_or(|(other, _, _)| other <= level);
        let alone = headings.iter().filter(|(_, other, _)| other == name).count() == 1;
        let plain = name.chars().all(|c| c.is_alphanumeric() || c == ' ' || c == '-');
        if leaf && alone && plain && last - first >= 3 {
            sections.push(Function { name: name.clone(), lines: (*first, last), around: None });
        }
    }
    sections
}
