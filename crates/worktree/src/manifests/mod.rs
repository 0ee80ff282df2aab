//! What the manifests and locks of a tree say about versions.

mod cargo;
mod go;
mod languages;
mod npm;
mod python;

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::time::Instant;

use crate::limits::{MANIFESTS_MAX, SETTINGS_BYTES_MAX};
use crate::tree::{Look, Tree};
use crate::version::{Ranges, Rules, Version};

/// Everything that the manifests of one tree say, read as far as somebody asked.
#[derive(Default)]
pub struct Manifests {
    /// Files that were not read yet, the next one last.
    waiting: Option<Vec<String>>,
    read: usize,
    by_name: HashMap<String, Vec<Named>>,
    damaged: Vec<String>,
}

/// One mention of a package, module or language.
#[derive(Clone, Debug)]
pub struct Named {
    /// As it is written there.
    pub name: String,
    /// Whose it is.
    pub ecosystem: Ecosystem,
    /// The file that says so.
    pub file: Rc<str>,
    /// What it says.
    pub says: Says,
}

/// What a mention says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Says {
    /// This very version.
    Is(String, Version),
    /// Versions that would do; none where it is not said in versions.
    Wants(String, Option<Ranges>),
}

/// Whose names and rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ecosystem {
    /// crates.
    Cargo,
    Npm,
    Python,
    Go,
    /// Compilers and interpreters.
    Language,
}

impl Named {
    /// The folder of the file; empty for the root.
    pub fn folder(&self) -> &str {
        folder(&self.file)
    }

    fn is_called(&self, name: &str) -> bool {
        match self.ecosystem {
            Ecosystem::Cargo => self.name.replace('_', "-") == name.replace('_', "-"),
            Ecosystem::Npm | Ecosystem::Go => self.name == name,
            Ecosystem::Python => plain(&self.name) == plain(name),
            Ecosystem::Language => self.name.eq_ignore_ascii_case(name),
        }
    }
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A name in small letters, with one `-` for each run of `-`, `_` and `.`: Python's rule, and good enough to look others up by.
fn plain(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    for c in name.chars().flat_map(char::to_lowercase) {
        match c {
            '-' | '_' | '.' if plain.ends_with('-') => {}
            '-' | '_' | '.' => plain.push('-'),
            c => plain.push(c),
        }
    }
    plain
}

impl Manifests {
    /// Reads on until everything is read. Says whether it came to the end in time.
    pub fn read(&mut self, tree: &mut dyn Tree, deadline: Instant) -> Result<(), String> {
        if self.waiting.is_none() {
            let listing = tree.list()?;
            let mut files: Vec<String> = listing.iter().filter(|path| is_manifest(path)).cloned().collect();
            // Those nearest to the root speak first, and are sure to be among those that are read.
            files.sort_by_key(|path| (path.matches('/').count(), path.clone()));
            if files.len() > MANIFESTS_MAX {
                self.damaged
                    .push(format!("there are {} manifests; at most {MANIFESTS_MAX} are read", files.len()));
                files.truncate(MANIFESTS_MAX);
            }
            files.reverse();
            self.waiting = Some(files);
        }
        while let Some(path) = self.waiting.as_mut().and_then(Vec::pop) {
            if Instant::now() > deadline {
                self.waiting.get_or_insert_default().push(path);
                return Err("reading the manifests took too long".to_owned());
            }
            self.take(tree, path);
        }
        Ok(())
    }

    fn take(&mut self, tree: &mut dyn Tree, path: String) {
        let Some(reader) = reader_of(&path) else { return };
        if matches!(tree.look(&path), Look::File { size, .. } if size > SETTINGS_BYTES_MAX) {
            return self.damaged.push(format!("{path} is too long to be parsed"));
        }
        let text = match tree.read(&path) {
            Ok(Some(bytes)) => match String::from_utf8(bytes) {
                Ok(text) => text,
                Err(_) => return self.damaged.push(format!("{path} is not UTF-8")),
            },
            Ok(None) => return,
            Err(why) => return self.damaged.push(why),
        };
        let mut found = ManifestReader { file: path.as_str().into(), ecosystem: reader.0, named: Vec::new() };
        match reader.1(text.trim_start_matches('\u{feff}'), &mut found) {
            Ok(()) => self.read += 1,
            Err(why) => {
                self.damaged.push(format!("{path} is damaged: {}", why.lines().next().unwrap_or_default()))
            }
        }
        for named in found.named {
            self.by_name.entry(plain(&named.name)).or_default().push(named);
        }
    }

    /// Who mentions a name, those nearest to the root first.
    pub fn named(&self, name: &str) -> Vec<&Named> {
        let same = |named: &&Named| named.is_called(name);
        let found: Vec<&Named> = self.by_name.get(&plain(name)).into_iter().flatten().filter(same).collect();
        if !found.is_empty() || name.contains('/') {
            return found;
        }
        // Nobody writes the whole path of a Go module where its last word will do.
        let last = |named: &&Named| {
            let is_version = |word: &&str| word.starts_with('v') && word[1..].parse::<u32>().is_ok();
            let word = named.name.rsplit('/').find(|word| !is_version(word));
            named.ecosystem == Ecosystem::Go && word == Some(name)
        };
        self.by_name.values().flatten().filter(last).collect()
    }

    /// Every package that somebody here asks for by name, and not only a lock.
    pub fn wanted(&self) -> BTreeSet<(&str, Ecosystem)> {
        let is_wanted = |named: &&Named| match named.ecosystem {
            Ecosystem::Cargo | Ecosystem::Npm | Ecosystem::Python => matches!(named.says, Says::Wants(..)),
            Ecosystem::Go => true,
            Ecosystem::Language => false,
        };
        let named = self.by_name.values().flatten().filter(is_wanted);
        named.map(|named| (named.name.as_str(), named.ecosystem)).collect()
    }

    /// How many files were read.
    pub fn count(&self) -> usize {
        self.read
    }

    /// What could not be read, each as a sentence.
    pub fn damaged(&self) -> &[String] {
        &self.damaged
    }
}

/// Collects what one file says.
struct ManifestReader {
    file: Rc<str>,
    ecosystem: Ecosystem,
    named: Vec<Named>,
}

impl ManifestReader {
    fn add(&mut self, name: &str, ecosystem: Ecosystem, says: Says) {
        if !name.is_empty() {
            self.named.push(Named { name: name.to_owned(), ecosystem, file: Rc::clone(&self.file), says });
        }
    }

    /// This very version.
    fn is(&mut self, name: &str, version: &str) {
        self.add(name, self.ecosystem, exact(version));
    }

    /// Versions that would do.
    fn wants(&mut self, name: &str, requirement: &str, rules: Rules) {
        let says = Says::Wants(requirement.to_owned(), Ranges::required(requirement, rules));
        self.add(name, self.ecosystem, says);
    }

    /// A language, as a requirement.
    fn language_wants(&mut self, name: &str, requirement: &str, rules: Rules) {
        let says = Says::Wants(requirement.to_owned(), Ranges::required(requirement, rules));
        self.add(name, Ecosystem::Language, says);
    }

    /// A language, pinned to a version or to all that begin with one.
    fn language_is(&mut self, name: &str, version: &str) {
        let says = match exact(version) {
            Says::Is(text, version) if version.numbers().len() >= 3 => Says::Is(text, version),
            // `3.11` is whatever of 3.11 is newest.
            Says::Is(text, version) => {
                let ranges = Ranges::asked(
                    ken_core::condition::VersionOp::Order(ken_core::condition::Order::Equal),
                    &version,
                );
                Says::Wants(text, Some(ranges))
            }
            wants => wants,
        };
        self.add(name, Ecosystem::Language, says);
    }
}

fn exact(version: &str) -> Says {
    match Version::parse(version) {
        Some(parsed) => Says::Is(version.trim().trim_start_matches("==").to_owned(), parsed),
        None => Says::Wants(version.to_owned(), None),
    }
}

type Reader = (Ecosystem, fn(&str, &mut ManifestReader) -> Result<(), String>);

/// Whether conditions on versions depend on a file.
pub fn is_manifest(path: &str) -> bool {
    // What others wrote and somebody copied here says nothing about this project.
    let is_copied =
        path.split('/').any(|part| matches!(part, "node_modules" | "vendor" | "third_party" | ".venv"));
    !is_copied && reader_of(path).is_some()
}

/// Who reads a file, by its name.
fn reader_of(path: &str) -> Option<Reader> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let reader: Reader = match name {
        "Cargo.toml" => (Ecosystem::Cargo, cargo::manifest),
        "Cargo.lock" => (Ecosystem::Cargo, cargo::lock),
        "package.json" => (Ecosystem::Npm, npm::manifest),
        "package-lock.json" | "npm-shrinkwrap.json" => (Ecosystem::Npm, npm::package_lock),
        "yarn.lock" => (Ecosystem::Npm, npm::yarn_lock),
        "pnpm-lock.yaml" => (Ecosystem::Npm, npm::pnpm_lock),
        "bun.lock" => (Ecosystem::Npm, npm::bun_lock),
        "pyproject.toml" => (Ecosystem::Python, python::pyproject),
        "Pipfile" => (Ecosystem::Python, python::pipfile),
        "Pipfile.lock" => (Ecosystem::Python, python::pipfile_lock),
        "poetry.lock" | "uv.lock" | "pdm.lock" => (Ecosystem::Python, python::lock),
        "go.mod" => (Ecosystem::Go, go::manifest),
        "rust-toolchain" | "rust-toolchain.toml" => (Ecosystem::Language, languages::rust_toolchain),
        ".python-version" => (Ecosystem::Language, languages::python_version),
        ".nvmrc" | ".node-version" => (Ecosystem::Language, languages::node_version),
        name if name.ends_with(".txt") => {
            let is_one = name.starts_with("requirements")
                || name.ends_with("requirements.txt")
                || folder.rsplit('/').next() == Some("requirements");
            return is_one.then_some((Ecosystem::Python, python::requirements));
        }
        _ => return None,
    };
    Some(reader)
}

/// Reads the `[[package]]` tables of a lock: Cargo, Poetry, uv and PDM write them alike, a key to a line.
fn toml_packages(text: &str, found: &mut ManifestReader) -> Result<(), String> {
    let mut name: Option<String> = None;
    let mut is_package = false;
    for (at, line) in text.lines().enumerate() {
        if line.starts_with("<<<<<<<") || line.starts_with(">>>>>>>") {
            return Err(format!("line {} is a merge conflict marker", at + 1));
        }
        if line.starts_with('[') {
            is_package = line.trim_end() == "[[package]]";
            name = None;
            continue;
        }
        let Some((key, value)) = line.split_once('=').filter(|_| is_package) else { continue };
        let value = value.trim();
        let key = key.trim();
        if !matches!(key, "name" | "version") || line.starts_with(char::is_whitespace) {
            continue;
        }
        let value = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
        let Some(value) = value else { return Err(format!("line {} has an unterminated string", at + 1)) };
        match key {
            "name" => name = Some(value.to_owned()),
            _ => match name.take() {
                Some(name) => found.is(&name, value),
                None => return Err(format!("line {} is a version without a package", at + 1)),
            },
        }
    }
    let has_head = text.is_empty() || text.contains("version") || text.contains("[[package]]");
    has_head.then_some(()).ok_or_else(|| "it has no packages and no version".to_owned())
}

/// Reads a manifest in TOML.
fn toml(text: &str) -> Result<serde_json::Value, String> {
    crate::settings::toml(text)
}

/// The members of an object; nothing for anything else.
fn members(value: &serde_json::Value) -> impl Iterator<Item = (&str, &serde_json::Value)> {
    value.as_object().into_iter().flatten().map(|(name, value)| (name.as_str(), value))
}
