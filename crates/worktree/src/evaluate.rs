//! Whether a condition holds in a tree (VAL-1).

use std::collections::HashMap;
use std::rc::Rc;
use std::time::Instant;

use globset::GlobBuilder;
use ken_core::condition::{Atom, Condition, Order, Pattern, Test, Value as Wanted, VersionOp};
pub use ken_core::validity::Answer;
use regex_automata::meta::Regex;
use regex_automata::util::syntax;
use regex_automata::{Input, meta};
use serde_json::Value;

use crate::facts;
use crate::limits::{
    Limits, PATTERN_COMPILED_BYTES_MAX, PATTERN_OVERLAP_BYTES, PATTERN_STEP_BYTES, SETTINGS_BYTES_MAX,
};
use crate::manifests::{Ecosystem, Manifests, Named, Says};
use crate::settings::{self, Settings};
use crate::tree::{Look, Tree, blob_id};
use crate::version::{Fit, Ranges, Version};

/// The answer to the opposite. The words say what was found, and stay.
fn opposite(answer: Answer) -> Answer {
    match answer {
        Answer::Holds(why) => Answer::Broken(why),
        Answer::Broken(why) => Answer::Holds(why),
        Answer::Unverifiable(why) => Answer::Unverifiable(why),
    }
}

/// Finds definitions by parsing.
pub trait Symbols {
    /// Whether a file defines a symbol. The error says why nobody can tell, as a sentence about the path.
    fn has(&mut self, tree: &mut dyn Tree, path: &str, symbol: &str) -> Result<bool, String>;
}

/// Parses nothing: whether a symbol is there cannot be told.
pub struct NoSymbols;

impl Symbols for NoSymbols {
    fn has(&mut self, _: &mut dyn Tree, path: &str, _: &str) -> Result<bool, String> {
        Err(format!("{path} cannot be parsed"))
    }
}

/// Evaluates one condition. For several of one tree, an [`Evaluator`] reads manifests and settings once.
pub fn evaluate(
    condition: &Condition,
    tree: &mut dyn Tree,
    symbols: &mut dyn Symbols,
    limits: &Limits,
) -> Answer {
    Evaluator::new(*limits).evaluate(condition, tree, symbols)
}

/// Says what is wrong with a condition that no tree could ever meet: a pattern or glob that cannot be compiled, a version that is none.
pub fn check(condition: &Condition) -> Result<(), String> {
    match &condition.atom {
        Atom::Pattern { path, pattern } => compiled(pattern).and(glob(path)).map(drop),
        Atom::Setting { test: Test::Matches(pattern), .. } => compiled(pattern).map(drop),
        Atom::Version { version, .. } => match Version::parse(version) {
            Some(_) => Ok(()),
            None => Err(format!("`{version}` is not a version; write one such as 1.38 or 2.0.0-rc1")),
        },
        Atom::Exists { .. }
        | Atom::Symbol { .. }
        | Atom::Content { .. }
        | Atom::Setting { test: Test::Present | Test::Compare(..), .. }
        | Atom::Name(_) => Ok(()),
    }
}

/// What the answer to a condition depends on: as long as none of it changes, neither does the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Needs {
    /// One file or folder.
    Path(String),
    /// The files that a glob matches, and which ones there are. A path without `*` may be such a glob, too.
    Glob(String),
    /// Every file that [`crate::manifests::is_manifest`] knows.
    Manifests,
    /// One file or folder of this name, or else the listing of the tree and the manifests in it.
    Name(String),
}

/// What the answer to a condition depends on.
pub fn needs(condition: &Condition) -> Needs {
    match &condition.atom {
        Atom::Version { .. } => Needs::Manifests,
        Atom::Exists { path }
        | Atom::Symbol { path, .. }
        | Atom::Content { path, .. }
        | Atom::Setting { path, .. } => Needs::Path(path.clone()),
        Atom::Pattern { path, .. } => Needs::Glob(path.clone()),
        Atom::Name(name) => Needs::Name(name.clone()),
    }
}

/// Evaluates conditions of one tree, and remembers what its manifests and settings say. Make a new one when the tree changes.
pub struct Evaluator {
    limits: Limits,
    manifests: Manifests,
    settings: HashMap<String, Rc<Result<Settings, Answer>>>,
    facts: HashMap<&'static str, Result<Option<String>, String>>,
    patterns: HashMap<Pattern, Rc<Result<Regex, String>>>,
}

impl Evaluator {
    /// Knows nothing yet.
    pub fn new(limits: Limits) -> Evaluator {
        Evaluator {
            limits,
            manifests: Manifests::default(),
            settings: HashMap::new(),
            facts: HashMap::new(),
            patterns: HashMap::new(),
        }
    }

    /// Evaluates a condition. All calls must be about the same tree.
    pub fn evaluate(
        &mut self,
        condition: &Condition,
        tree: &mut dyn Tree,
        symbols: &mut dyn Symbols,
    ) -> Answer {
        let deadline = Instant::now() + self.limits.time;
        let answer = match &condition.atom {
            Atom::Version { name, op, version } => self.version(tree, name, *op, version, deadline),
            Atom::Exists { path } => exists(tree, path),
            Atom::Symbol { path, symbol } => has_symbol(tree, symbols, path, symbol),
            Atom::Content { path, blob } => content(tree, path, blob),
            Atom::Pattern { path, pattern } => self.pattern(tree, path, pattern, deadline),
            Atom::Setting { path, key, test } => self.setting(tree, path, key, test),
            Atom::Name(name) => self.name(tree, name, deadline),
        };
        if condition.negated { opposite(answer) } else { answer }
    }

    /// What the manifests say, all of them read.
    pub(crate) fn manifests(&mut self, tree: &mut dyn Tree) -> &Manifests {
        let deadline = Instant::now() + self.limits.time;
        // Whatever was not read in time is missing, which is no harm to those who only look around.
        let _ = self.manifests.read(tree, deadline);
        &self.manifests
    }

    fn version(
        &mut self,
        tree: &mut dyn Tree,
        name: &str,
        op: VersionOp,
        text: &str,
        deadline: Instant,
    ) -> Answer {
        let Some(version) = Version::parse(text) else {
            return Answer::Unverifiable(format!("`{text}` is not a version"));
        };
        if let Err(why) = self.manifests.read(tree, deadline) {
            return Answer::Unverifiable(why);
        }
        let named = self.manifests.named(name);
        if named.is_empty() {
            return match (self.manifests.damaged(), self.manifests.count()) {
                ([damaged, ..], _) => Answer::Unverifiable(damaged.clone()),
                ([], count) if count > 0 && tree.unlisted().is_some() => {
                    let why = tree.unlisted().unwrap_or_default();
                    Answer::Unverifiable(format!("no manifest names {name}, and {why}"))
                }
                ([], 0) => Answer::Unverifiable(format!("there is no manifest that could name {name}")),
                // It may be named otherwise, or come from elsewhere: that it is absent says nothing of its version (COR-14).
                ([], _) => Answer::Unverifiable(format!("no manifest names {name}")),
            };
        }
        match (judge(name, op, text, &Ranges::asked(op, &version), &named), self.manifests.damaged()) {
            (Answer::Unverifiable(why), [damaged, ..]) => Answer::Unverifiable(format!("{why}; {damaged}")),
            (answer, _) => answer,
        }
    }

    fn pattern(&mut self, tree: &mut dyn Tree, path: &str, pattern: &Pattern, deadline: Instant) -> Answer {
        let regex = self.patterns.entry(pattern.clone()).or_insert_with(|| Rc::new(compiled(pattern)));
        let regex = match &*Rc::clone(regex) {
            Ok(regex) => regex.clone(),
            Err(why) => return Answer::Unverifiable(why.clone()),
        };
        let files: Vec<String> = match tree.look(path) {
            Look::File { .. } => vec![path.to_owned()],
            Look::Unknown(why) => return Answer::Unverifiable(why.to_string()),
            Look::Absent if !path.contains(['*', '?', '[', '{']) => {
                return Answer::Broken(format!("{path} does not exist"));
            }
            look @ (Look::Absent | Look::Folder) => {
                let all = if look == Look::Folder { format!("{path}/**") } else { path.to_owned() };
                match glob(&all).and_then(|glob| Ok((glob, tree.list()?))) {
                    Ok((glob, list)) => {
                        list.iter().filter(|path| glob.is_match(path.as_str())).cloned().collect()
                    }
                    Err(why) => return Answer::Unverifiable(why),
                }
            }
        };
        let is_one = files.len() == 1 && files[0] == path;
        let lacking = if is_one { None } else { tree.unlisted() };
        if files.is_empty() {
            let why = format!("no file matches {path}");
            return match lacking {
                Some(lacking) => Answer::Unverifiable(format!("{why}, and {lacking}")),
                None => Answer::Broken(why),
            };
        }
        let mut unread = None;
        let mut bytes_left = self.limits.pattern_bytes;
        for (at, file) in files.iter().enumerate() {
            if at >= self.limits.pattern_files {
                return Answer::Unverifiable(format!(
                    "{path} matches {} files; {pattern} is searched in at most {}",
                    files.len(),
                    self.limits.pattern_files
                ));
            }
            let bytes = match tree.read(file) {
                Ok(Some(bytes)) if !is_binary(&bytes) => bytes,
                Ok(Some(_)) if is_one => return Answer::Unverifiable(format!("{path} is a binary file")),
                Ok(Some(_)) | Ok(None) => continue,
                Err(why) => {
                    unread.get_or_insert(why);
                    continue;
                }
            };
            let Some(left) = bytes_left.checked_sub(bytes.len() as u64) else {
                return Answer::Unverifiable(format!("{path} matches too much text to search"));
            };
            bytes_left = left;
            match search(&regex, &bytes, deadline) {
                Ok(Some(start)) => {
                    let line = bytes[..start].iter().filter(|byte| **byte == b'\n').count() + 1;
                    return Answer::Holds(format!("{pattern} is in line {line} of {file}"));
                }
                Ok(None) => {}
                Err(()) => return Answer::Unverifiable(format!("searching for {pattern} took too long")),
            }
        }
        match (unread.or(lacking), is_one) {
            (Some(why), _) => Answer::Unverifiable(format!("{pattern} was not found, and {why}")),
            (None, true) => Answer::Broken(format!("{pattern} is not in {path}")),
            (None, false) => {
                Answer::Broken(format!("{pattern} is in none of the {} files of {path}", files.len()))
            }
        }
    }

    fn setting(&mut self, tree: &mut dyn Tree, path: &str, key: &[String], test: &Test) -> Answer {
        let settings = match self.settings.get(path) {
            Some(settings) => Rc::clone(settings),
            None => {
                let settings = Rc::new(read_settings(tree, path));
                self.settings.insert(path.to_owned(), Rc::clone(&settings));
                settings
            }
        };
        let settings = match &*settings {
            Ok(settings) => settings,
            Err(answer) => return answer.clone(),
        };
        let name = key.join(".");
        let Some(value) = settings.get(key) else {
            return Answer::Broken(format!("{path} has no {name}"));
        };
        let pattern = match test {
            Test::Present => return Answer::Holds(format!("{name} is in {path}")),
            Test::Compare(order, wanted) => return compare(path, &name, value, *order, wanted),
            Test::Matches(pattern) => pattern,
        };
        let shown = shown(path, &name, value);
        match compiled(pattern) {
            Err(why) => Answer::Unverifiable(why),
            Ok(regex) => match regex.is_match(plain(value).as_bytes()) {
                true => Answer::Holds(format!("{name} is {shown} in {path}")),
                false => {
                    Answer::Broken(format!("{name} is {shown} in {path}, which does not match {pattern}"))
                }
            },
        }
    }

    /// What a word stands for: a fact that is known here, a file or folder, or else nobody knows.
    fn name(&mut self, tree: &mut dyn Tree, name: &str, deadline: Instant) -> Answer {
        let fact = facts::fact(name);
        if let Some(fact) = fact {
            match self.fact(tree, fact, deadline) {
                Ok(Some(why)) => return Answer::Holds(why),
                Ok(None) => {}
                Err(why) => return Answer::Unverifiable(why),
            }
        }
        match (tree.look(name), fact) {
            (look, _) if look.is_there() => Answer::Holds(format!("{name} exists")),
            (_, Some(fact)) => {
                let why = format!("no evidence of {name}: there is no {}", fact.told_by);
                match tree.unlisted() {
                    Some(lacking) => Answer::Unverifiable(format!("{why}, and {lacking}")),
                    None => Answer::Broken(why),
                }
            }
            (Look::Unknown(why), None) => Answer::Unverifiable(why.to_string()),
            (_, None) if looks_like_file(name) => Answer::Broken(format!("{name} does not exist")),
            (_, None) => Answer::Unverifiable(format!("{name} is not a known entry, file or fact")),
        }
    }

    fn fact(
        &mut self,
        tree: &mut dyn Tree,
        fact: &'static facts::Fact,
        deadline: Instant,
    ) -> Result<Option<String>, String> {
        if Instant::now() > deadline {
            return Err(format!("checking whether this is {} took too long", fact.word));
        }
        if let Some(known) = self.facts.get(fact.word) {
            return known.clone();
        }
        let found = facts::tell(fact, tree);
        self.facts.insert(fact.word, found.clone());
        found
    }
}

fn exists(tree: &mut dyn Tree, path: &str) -> Answer {
    match tree.look(path) {
        Look::Unknown(why) if !tree.look(path).is_there() => Answer::Unverifiable(why.to_string()),
        Look::File { .. } | Look::Folder | Look::Unknown(_) => Answer::Holds(format!("{path} exists")),
        Look::Absent => Answer::Broken(format!("{path} does not exist")),
    }
}

fn has_symbol(tree: &mut dyn Tree, symbols: &mut dyn Symbols, path: &str, symbol: &str) -> Answer {
    match tree.look(path) {
        Look::Absent => Answer::Broken(format!("{path} does not exist")),
        Look::Folder => Answer::Broken(format!("{path} is a folder")),
        Look::Unknown(why) => Answer::Unverifiable(why.to_string()),
        Look::File { .. } => match symbols.has(tree, path, symbol) {
            Ok(true) => Answer::Holds(format!("{path} has {symbol}")),
            Ok(false) => Answer::Broken(format!("{path} has no {symbol}")),
            Err(why) => Answer::Unverifiable(why),
        },
    }
}

fn content(tree: &mut dyn Tree, path: &str, blob: &str) -> Answer {
    let found = match tree.look(path) {
        Look::File { blob, .. } => blob,
        Look::Absent => return Answer::Broken(format!("{path} does not exist")),
        Look::Folder => return Answer::Broken(format!("{path} is a folder")),
        Look::Unknown(why) => return Answer::Unverifiable(why.to_string()),
    };
    let same = Answer::Holds(format!("{path} is unchanged"));
    if found.starts_with(blob) {
        return same;
    }
    if blob.len() > found.len() {
        return Answer::Unverifiable(format!("{path}@{blob} is a hash of another object format"));
    }
    // A commit of a repository with longer names, or lines that end differently on this disk: the bytes may still be the same.
    match tree.read(path) {
        Ok(Some(bytes)) if blob_id(&bytes).starts_with(blob) => same,
        Ok(Some(bytes)) if bytes.windows(2).any(|pair| pair == b"\r\n") => {
            let mut unix = Vec::with_capacity(bytes.len());
            for (at, byte) in bytes.iter().enumerate() {
                if !(*byte == b'\r' && bytes.get(at + 1) == Some(&b'\n')) {
                    unix.push(*byte);
                }
            }
            match blob_id(&unix).starts_with(blob) {
                true => same,
                false => Answer::Broken(format!("{path} changed")),
            }
        }
        Ok(_) => Answer::Broken(format!("{path} changed")),
        Err(why) => Answer::Unverifiable(why),
    }
}

/// Judges by everything that mentions a name.
fn judge(name: &str, op: VersionOp, text: &str, asked: &Ranges, named: &[&Named]) -> Answer {
    let is_locked = |wants: &Named| {
        named.iter().any(|other| {
            let folder = other.folder();
            let covers = folder.is_empty()
                || wants.folder() == folder
                || wants.folder().starts_with(&format!("{folder}/"));
            matches!(other.says, Says::Is(..)) && other.ecosystem == wants.ecosystem && covers
        })
    };
    let mut claims: Vec<Claim> = Vec::new();
    for named in named {
        match &named.says {
            Says::Is(version, parsed) => claims.push(Claim {
                words: format!("{version} ({})", named.file),
                fit: Ranges::only(parsed).fit(asked),
                by: named,
                allowed: None,
            }),
            Says::Wants(_, None) => {}
            Says::Wants(..) if is_locked(named) => {}
            Says::Wants(wanted, Some(ranges)) => {
                let shown = if wanted.is_empty() { "any version" } else { wanted };
                let words = format!("required as {shown} ({})", named.file);
                let same = claims.iter_mut().find(|claim| {
                    claim.allowed.is_some()
                        && claim.by.ecosystem == named.ecosystem
                        && claim.by.folder() == named.folder()
                });
                // What is asked for twice in one folder must be met twice.
                match same {
                    Some(claim) => {
                        let both = claim.allowed.as_ref().unwrap_or(ranges).and(ranges);
                        // What no version meets says nothing about any.
                        claim.fit = if both.is_empty() { Fit::Some } else { both.fit(asked) };
                        claim.words = format!("{} and {words}", claim.words);
                        claim.allowed = Some(both);
                    }
                    None => claims.push(Claim {
                        words,
                        fit: ranges.fit(asked),
                        by: named,
                        allowed: Some(ranges.clone()),
                    }),
                }
            }
        }
    }
    if claims.is_empty() {
        let wants: Vec<String> = named.iter().map(|named| told(named)).collect();
        return Answer::Unverifiable(format!(
            "{name} is required as {}, which has no version",
            listed(&wants)
        ));
    }
    let all: Vec<&Claim> = claims.iter().collect();
    let chosen = match fit_of(&all) {
        Fit::Some => chosen_by_root(named, &all).filter(|chosen| fit_of(chosen) != Fit::Some).unwrap_or(all),
        Fit::All | Fit::None => all,
    };
    let words = listed(&chosen.iter().map(|claim| claim.words.clone()).collect::<Vec<_>>());
    match (fit_of(&chosen), op) {
        (Fit::All, _) => Answer::Holds(format!("{name} is {words}")),
        (Fit::None, VersionOp::Order(Order::NotEqual)) => {
            Answer::Broken(format!("{name} is {words}, and must not be"))
        }
        (Fit::None, op) => Answer::Broken(format!("{name} is {words}, not {}{text}", spaced(op))),
        (Fit::Some, _) if chosen.iter().any(|claim| claim.allowed.as_ref().is_some_and(Ranges::is_empty)) => {
            Answer::Unverifiable(format!("{name} is {words}, which no version meets"))
        }
        (Fit::Some, _) if chosen.len() == 1 => {
            Answer::Unverifiable(format!("{name} is {words}, and no lock file says which version that is"))
        }
        (Fit::Some, _) => {
            Answer::Unverifiable(format!("{name} is {words}; not all of them are {}{text}", spaced(op)))
        }
    }
}

/// One statement about a version, and whether it is what is asked for.
struct Claim<'a> {
    words: String,
    fit: Fit,
    by: &'a Named,
    allowed: Option<Ranges>,
}

fn fit_of(claims: &[&Claim]) -> Fit {
    match claims {
        claims if claims.iter().all(|claim| claim.fit == Fit::All) => Fit::All,
        claims if claims.iter().all(|claim| claim.fit == Fit::None) => Fit::None,
        _ => Fit::Some,
    }
}

/// Of several versions, those that a manifest of the root asks for.
fn chosen_by_root<'a, 'b>(named: &[&Named], claims: &[&'b Claim<'a>]) -> Option<Vec<&'b Claim<'a>>> {
    let mut wanted: Option<Ranges> = None;
    let mut ecosystem = None;
    for named in named.iter().filter(|named| named.folder().is_empty()) {
        if let Says::Wants(_, Some(ranges)) = &named.says {
            wanted = Some(wanted.map_or_else(|| ranges.clone(), |wanted| wanted.or(ranges.clone())));
            ecosystem.get_or_insert(named.ecosystem);
        }
    }
    let (wanted, ecosystem): (Ranges, Ecosystem) = wanted.zip(ecosystem)?;
    let fits = |claim: &&&Claim| {
        let version = match &claim.by.says {
            Says::Is(_, version) => wanted.has(version),
            Says::Wants(..) => true,
        };
        claim.by.ecosystem == ecosystem && claim.by.folder().is_empty() && version
    };
    let chosen: Vec<&Claim> = claims.iter().filter(fits).copied().collect();
    (!chosen.is_empty()).then_some(chosen)
}

fn told(named: &Named) -> String {
    match &named.says {
        Says::Is(text, _) | Says::Wants(text, _) => format!("{text} ({})", named.file),
    }
}

/// Different ones of some words, a few of them.
fn listed(words: &[String]) -> String {
    let mut different: Vec<&str> = Vec::new();
    for word in words {
        if !different.contains(&word.as_str()) {
            different.push(word);
        }
    }
    let rest = different.len().saturating_sub(3);
    different.truncate(3);
    match rest {
        0 => different.join(" and "),
        _ => format!("{} and {rest} more", different.join(", ")),
    }
}

fn spaced(op: VersionOp) -> String {
    match op {
        VersionOp::Order(Order::Equal) => String::new(),
        VersionOp::Caret | VersionOp::Tilde => op.sign().to_owned(),
        VersionOp::Order(_) | VersionOp::Compatible => format!("{} ", op.sign()),
    }
}

fn read_settings(tree: &mut dyn Tree, path: &str) -> Result<Settings, Answer> {
    match tree.look(path) {
        Look::Folder => return Err(Answer::Broken(format!("{path} is a folder"))),
        Look::File { size, .. } if size > SETTINGS_BYTES_MAX => {
            return Err(Answer::Unverifiable(format!("{path} is too long to be parsed")));
        }
        Look::Absent | Look::File { .. } | Look::Unknown(_) => {}
    }
    let bytes = match tree.read(path) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Err(Answer::Broken(format!("{path} does not exist"))),
        Err(why) => return Err(Answer::Unverifiable(why)),
    };
    let text = String::from_utf8(bytes).map_err(|_| Answer::Unverifiable(format!("{path} is not UTF-8")))?;
    match settings::settings(path, &text) {
        Ok(Some(settings)) => Ok(settings),
        Ok(None) => Err(Answer::Unverifiable(format!(
            "{path} has an unsupported format; supported: {}",
            settings::FORMS
        ))),
        Err(why) => {
            let why = why.lines().next().unwrap_or_default().to_owned();
            Err(Answer::Unverifiable(format!("{path} is damaged: {why}")))
        }
    }
}

/// Numbers are compared as numbers, versions as versions, everything else to the letter.
fn compare(path: &str, name: &str, value: &Value, order: Order, wanted: &Wanted) -> Answer {
    let text = plain(value);
    let shown = shown(path, name, value);
    let ordering = match (wanted.quoted, value) {
        (false, Value::Array(_) | Value::Object(_)) => {
            let same = serde_json::from_str::<Value>(&wanted.text).is_ok_and(|wanted| wanted == *value);
            same.then_some(std::cmp::Ordering::Equal)
        }
        // What is written as a text is a version or a word, and no decimal number: "3.10" comes after "3.9".
        (false, Value::String(_)) if has_numbers(path) => as_text(&text, &wanted.text),
        (false, _) => ordered(&text, &wanted.text),
        (true, _) => (text == wanted.text).then_some(std::cmp::Ordering::Equal),
    };
    let holds = match (order, ordering) {
        (Order::Equal, ordering) => ordering.is_some_and(|ordering| ordering.is_eq()),
        (Order::NotEqual, ordering) => !ordering.is_some_and(|ordering| ordering.is_eq()),
        (Order::Less, Some(ordering)) => ordering.is_lt(),
        (Order::AtMost, Some(ordering)) => ordering.is_le(),
        (Order::Greater, Some(ordering)) => ordering.is_gt(),
        (Order::AtLeast, Some(ordering)) => ordering.is_ge(),
        (Order::Less | Order::AtMost | Order::Greater | Order::AtLeast, None) => {
            let why = format!("{name} is {shown} in {path}, which cannot be compared with {wanted} by size");
            return Answer::Unverifiable(why);
        }
    };
    match (holds, order) {
        (true, _) => Answer::Holds(format!("{name} is {shown} in {path}")),
        (false, Order::Equal) => Answer::Broken(format!("{name} is {shown} in {path}, not {wanted}")),
        (false, Order::NotEqual) => Answer::Broken(format!("{name} is {shown} in {path}, and must not be")),
        (false, order) => {
            Answer::Broken(format!("{name} is {shown} in {path}, not {} {wanted}", order.sign()))
        }
    }
}

fn ordered(found: &str, wanted: &str) -> Option<std::cmp::Ordering> {
    if found == wanted || is_truth(wanted) && found.eq_ignore_ascii_case(wanted) {
        return Some(std::cmp::Ordering::Equal);
    }
    if let (Ok(found), Ok(wanted)) = (found.parse::<i128>(), wanted.parse::<i128>()) {
        return Some(found.cmp(&wanted));
    }
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
    if let Some((found, wanted)) = number(found).zip(number(wanted)) {
        return found.partial_cmp(&wanted);
    }
    Some(Version::parse(found)?.cmp(&Version::parse(wanted)?))
}

/// Whether a kind of file tells numbers from texts.
fn has_numbers(path: &str) -> bool {
    let end = path.rsplit('.').next().unwrap_or_default();
    matches!(end, "json" | "jsonc" | "json5" | "yaml" | "yml" | "toml" | "lock")
}

/// Compares texts: whole numbers as such, what has points as versions.
fn as_text(found: &str, wanted: &str) -> Option<std::cmp::Ordering> {
    match (found.parse::<i128>(), wanted.parse::<i128>()) {
        _ if found == wanted => Some(std::cmp::Ordering::Equal),
        (Ok(found), Ok(wanted)) => Some(found.cmp(&wanted)),
        _ => Some(Version::parse(found)?.cmp(&Version::parse(wanted)?)),
    }
}

fn is_truth(text: &str) -> bool {
    text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false")
}

/// A value as text: what is in quotes in its file loses them.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            value.to_string()
        }
    }
}

/// A value for messages. Those that may be secret are not shown: messages end up in logs and in what agents read.
fn shown(path: &str, name: &str, value: &Value) -> String {
    const SECRET: &[&str] =
        &["pass", "secret", "token", "key", "credential", "auth", "private", "dsn", "url", "uri"];
    let name = name.to_ascii_lowercase();
    let file = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let is_secret =
        file.contains(".env") || file.contains("secret") || SECRET.iter().any(|word| name.contains(word));
    let is_harmless = matches!(value, Value::Null | Value::Bool(_));
    if is_secret && !is_harmless {
        return "a value that is not shown".to_owned();
    }
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a table".to_owned(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => {
            let short: String = text.chars().take(60).collect();
            let dots = if short.len() < text.len() { "..." } else { "" };
            format!("{:?}", short + dots)
        }
    }
}

fn compiled(pattern: &Pattern) -> Result<Regex, String> {
    let config = meta::Config::new().utf8_empty(false).nfa_size_limit(Some(PATTERN_COMPILED_BYTES_MAX));
    let syntax = syntax::Config::new().multi_line(true).case_insensitive(pattern.ignores_case).utf8(false);
    let built = Regex::builder().configure(config).syntax(syntax).build(&pattern.regex);
    built.map_err(|error| match error.size_limit() {
        Some(_) => format!("the pattern {pattern} is too large when compiled; write a shorter one"),
        None => {
            let why = error.syntax_error().map_or_else(|| error.to_string(), ToString::to_string);
            let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            format!("the pattern {pattern} is invalid: {why}")
        }
    })
}

/// A glob: `*` stays within a folder, `**` does not.
fn glob(path: &str) -> Result<globset::GlobMatcher, String> {
    let glob = GlobBuilder::new(path).literal_separator(true).build();
    glob.map(|glob| glob.compile_matcher())
        .map_err(|error| format!("{path} is not a valid glob: {}", error.kind()))
}

/// Where a pattern begins. The error means that there was no time left.
///
/// The text is looked through in steps, so that the clock is looked at now and then. What is around a step is seen by `^`, `$` and `\b`.
fn search(regex: &Regex, bytes: &[u8], deadline: Instant) -> Result<Option<usize>, ()> {
    let mut start = 0;
    loop {
        if Instant::now() > deadline {
            return Err(());
        }
        let end = (start + PATTERN_STEP_BYTES + PATTERN_OVERLAP_BYTES).min(bytes.len());
        if let Some(found) = regex.find(Input::new(bytes).range(start..end)) {
            return Ok(Some(found.start()));
        }
        if end == bytes.len() {
            return Ok(None);
        }
        start += PATTERN_STEP_BYTES;
    }
}

/// As git tells: a zero byte near the beginning.
fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().take(8_000).any(|byte| *byte == 0)
}

/// Whether a word is surely meant as a file: such are gone when they are not there, while other words may be entries.
fn looks_like_file(name: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "bat", "bzl", "c", "cc", "cfg", "cjs", "conf", "cpp", "cs", "css", "csv", "env", "go", "gradle", "h",
        "hpp", "html", "ini", "java", "js", "json", "jsonc", "jsx", "kt", "lock", "md", "mjs", "mod", "nix",
        "php", "proto", "ps1", "py", "rb", "rs", "rst", "scss", "sh", "sql", "sum", "swift", "tf", "toml",
        "ts", "tsx", "txt", "vue", "xml", "yaml", "yml",
    ];
    const NAMES: &[&str] = &[
        "BUILD",
        "CHANGELOG",
        "CODEOWNERS",
        "Containerfile",
        "Dockerfile",
        "Gemfile",
        "Jenkinsfile",
        "Justfile",
        "LICENSE",
        "Makefile",
        "Pipfile",
        "Procfile",
        "README",
        "Rakefile",
        "Vagrantfile",
        "WORKSPACE",
        "justfile",
    ];
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    name.starts_with('.') || NAMES.contains(&name) || ending.is_some_and(|ending| ENDINGS.contains(&ending))
}
