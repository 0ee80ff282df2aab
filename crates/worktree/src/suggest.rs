//! Conditions that an entry seems to rest on, for somebody to accept.

use std::collections::BTreeMap;

use ken_core::anchor::Spot;
use ken_core::condition::{Atom, Condition};

use crate::evaluate::{Answer, Evaluator, Symbols};
use crate::facts;
use crate::limits::{Limits, SUGGESTION_FILE_BYTES_MAX, SUGGESTION_FILES_MAX, SUGGESTIONS_MAX};
use crate::manifests::{Ecosystem, Manifests, Says};
use crate::tree::{Look, Tree, is_stores};
use crate::version::Version;

/// A condition that holds now.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Suggestion {
    /// As it would be written.
    pub condition: String,
    /// Why it is proposed, and why it holds.
    pub why: String,
}

/// Proposes conditions for an entry with some anchors (`path`, `path:47`, `path#symbol`) and some text, the best first. Each of them holds now.
pub fn suggest(
    anchors: &[String],
    text: &str,
    tree: &mut dyn Tree,
    symbols: &mut dyn Symbols,
) -> Vec<Suggestion> {
    let mut evaluator = Evaluator::new(Limits::default());
    let mut ideas: Vec<Idea> = Vec::new();
    let spots: Vec<Spot> = anchors.iter().map(|anchor| Spot::parse(anchor)).collect();
    // An anchor follows its code when that moves; as a condition the same words would not.
    ideas.extend(packages(&spots, text, tree, &mut evaluator));
    ideas.extend(written(&spots, text, tree));
    ideas.extend(told_facts(text));
    ideas.sort_by(|a, b| b.weight.cmp(&a.weight).then_with(|| a.conditions.cmp(&b.conditions)));
    let mut suggestions: Vec<Suggestion> = Vec::new();
    for idea in ideas {
        let holding = idea.conditions.iter().find_map(|text| {
            let condition = Condition::parse(text).ok()?;
            match evaluator.evaluate(&condition, tree, symbols) {
                Answer::Holds(why) => Some((condition.to_string(), why)),
                Answer::Broken(_) | Answer::Unverifiable(_) => None,
            }
        });
        let Some((condition, why)) = holding else { continue };
        // That a file exists goes without saying where something in it is asked for.
        let path = condition.strip_suffix(" exists").unwrap_or(&condition);
        if suggestions.iter().all(|other| !other.condition.starts_with(path)) {
            suggestions.push(Suggestion { condition, why: format!("{}; {why}", idea.because) });
        }
        if suggestions.len() == SUGGESTIONS_MAX {
            break;
        }
    }
    suggestions
}

/// Something to propose; the first of its conditions that holds is taken.
struct Idea {
    weight: u32,
    conditions: Vec<String>,
    because: String,
}

impl Idea {
    fn new(weight: u32, condition: String, because: String) -> Idea {
        Idea { weight, conditions: vec![condition], because }
    }
}

/// The text itself has a condition in it.
const WEIGHT_WRITTEN: u32 = 9;
/// The text names it in backticks.
const WEIGHT_MARKED: u32 = 5;
/// The text names it.
const WEIGHT_NAMED: u32 = 4;
/// An anchored file uses it.
const WEIGHT_USED: u32 = 3;
/// A word of the text is a fact.
const WEIGHT_FACT: u32 = 1;

/// Names of packages that are words of everyday language, too: they count only where they are marked or used.
const EVERYDAY: &[&str] = &[
    "bytes", "chrono", "click", "config", "content", "core", "default", "either", "errors", "express",
    "fields", "flask", "future", "futures", "http", "https", "image", "json", "lazy", "loop", "next", "once",
    "open", "path", "paste", "process", "quote", "rand", "rich", "request", "requests", "rust", "schedule",
    "semver", "server", "simple", "socket", "string", "test", "tests", "text", "time", "tokens", "toml",
    "types", "url", "util", "utils", "uuid", "which", "yaml",
];

fn packages(spots: &[Spot], text: &str, tree: &mut dyn Tree, evaluator: &mut Evaluator) -> Vec<Idea> {
    let used = used(spots, tree);
    let marked: Vec<&str> = marked(text).flat_map(words).collect();
    let plain: Vec<&str> = words(text).collect();
    let manifests = evaluator.manifests(tree);
    let mut ideas = Vec::new();
    for (name, ecosystem) in manifests.wanted() {
        let same = |word: &&str| is_same(word, name, ecosystem);
        let by = used.iter().find(|(import, _)| imports(import, name, ecosystem));
        let is_everyday = name.len() < 4 || EVERYDAY.contains(&name);
        let mut weight = 0;
        let mut because = Vec::new();
        if marked.iter().any(&same) {
            weight += WEIGHT_MARKED;
            because.push("the text mentions it".to_owned());
        } else if plain.iter().any(same) && (!is_everyday || by.is_some()) {
            weight += WEIGHT_NAMED;
            because.push("the text mentions it".to_owned());
        }
        if let Some((_, path)) = by {
            weight += WEIGHT_USED;
            because.push(format!("{path} uses it"));
        }
        let conditions = compatible(manifests, name, ecosystem);
        if weight > 0 && !conditions.is_empty() {
            ideas.push(Idea { weight, conditions, because: because.join(" and ") });
        }
    }
    ideas
}

/// Conditions that versions compatible with those of today meet, the narrowest first.
fn compatible(manifests: &Manifests, name: &str, ecosystem: Ecosystem) -> Vec<String> {
    let mut conditions = Vec::new();
    let mentions = manifests.named(name).into_iter().filter(|named| named.ecosystem == ecosystem);
    let (fixed, wanted): (Vec<_>, Vec<_>) = mentions.partition(|named| matches!(named.says, Says::Is(..)));
    for named in fixed.into_iter().chain(wanted) {
        let version = match &named.says {
            Says::Is(_, version) => Some(version.clone()),
            Says::Wants(text, _) => {
                let start = text.find(|c: char| c.is_ascii_digit());
                start.and_then(|start| Version::parse(text[start..].split([',', ' ', '|']).next()?))
            }
        };
        let Some(version) = version else { continue };
        let short: Vec<String> = version.numbers().iter().take(2).map(u64::to_string).collect();
        let short = short.join(".");
        match ecosystem {
            Ecosystem::Python => conditions.push(format!("{name} ~= {short}")),
            Ecosystem::Cargo | Ecosystem::Npm | Ecosystem::Go | Ecosystem::Language => {
                conditions.push(format!("{name} ^{short}"));
            }
        }
        conditions.push(format!("{name} >= {short}"));
    }
    conditions
}

/// Whether a word of the text means a package.
fn is_same(word: &str, name: &str, ecosystem: Ecosystem) -> bool {
    let loosely = |text: &str| text.to_ascii_lowercase().replace(['_', '.'], "-");
    match ecosystem {
        Ecosystem::Cargo | Ecosystem::Python => loosely(word) == loosely(name),
        Ecosystem::Npm => word.eq_ignore_ascii_case(name),
        Ecosystem::Go | Ecosystem::Language => word == name || name.rsplit('/').next() == Some(word),
    }
}

/// Whether what a file imports is of a package.
fn imports(import: &str, name: &str, ecosystem: Ecosystem) -> bool {
    match ecosystem {
        Ecosystem::Cargo => import.replace('_', "-") == name.replace('_', "-"),
        Ecosystem::Npm | Ecosystem::Language => import == name,
        Ecosystem::Go => import == name || import.starts_with(&format!("{name}/")),
        Ecosystem::Python => {
            let known = DISTRIBUTIONS.iter().find(|(module, _)| *module == import);
            is_same(known.map_or(import, |(_, name)| name), name, Ecosystem::Python)
        }
    }
}

/// Python modules that are not called as what is installed.
const DISTRIBUTIONS: &[(&str, &str)] = &[
    ("PIL", "pillow"),
    ("bs4", "beautifulsoup4"),
    ("cv2", "opencv-python"),
    ("dateutil", "python-dateutil"),
    ("dotenv", "python-dotenv"),
    ("jwt", "pyjwt"),
    ("psycopg2", "psycopg2-binary"),
    ("sklearn", "scikit-learn"),
    ("yaml", "pyyaml"),
];

/// What the anchored files import, each with a file that does.
fn used(spots: &[Spot], tree: &mut dyn Tree) -> BTreeMap<String, String> {
    let mut used = BTreeMap::new();
    for path in spots.iter().filter_map(|spot| spot.path.as_deref()).take(SUGGESTION_FILES_MAX) {
        let Look::File { size, .. } = tree.look(path) else { continue };
        if size > SUGGESTION_FILE_BYTES_MAX {
            continue;
        }
        let Ok(Some(bytes)) = tree.read(path) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        for import in imported(path, &text) {
            used.entry(import).or_insert_with(|| path.to_owned());
        }
    }
    used
}

/// What a file imports, by its lines. This only finds names that some manifest has anyway, so that a comment does no harm.
fn imported(path: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let first = |text: &str, is_part: fn(char) -> bool| -> String {
        text.trim_start().chars().take_while(|c| is_part(*c)).collect()
    };
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    for line in text.lines() {
        let line = line.trim_start();
        match ending {
            "rs" => {
                for (at, _) in line.match_indices("::") {
                    let before: String = line[..at].chars().rev().take_while(|c| is_word(*c)).collect();
                    found.push(before.chars().rev().collect());
                }
                if let Some(rest) = line.strip_prefix("extern crate ") {
                    found.push(first(rest, is_word));
                }
            }
            "py" | "pyi" => {
                if let Some(rest) = line.strip_prefix("import ") {
                    found.extend(rest.split(',').map(|part| first(part, is_word)));
                } else if let Some(rest) = line.strip_prefix("from ") {
                    found.push(first(rest, is_word));
                }
            }
            "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" | "vue" | "svelte" => {
                let before = ["from ", "require(", "import ", "import("];
                let after = before.iter().flat_map(|word| line.split(word).skip(1));
                for rest in after {
                    let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'' | '`')) else {
                        continue;
                    };
                    let name = rest[1..].split(quote).next().unwrap_or_default();
                    let parts = if name.starts_with('@') { 2 } else { 1 };
                    found.push(name.split('/').take(parts).collect::<Vec<_>>().join("/"));
                }
            }
            "go" => {
                let quoted = line.split('"').nth(1).filter(|name| name.contains('/'));
                found.extend(quoted.map(str::to_owned));
            }
            _ => {}
        }
    }
    found.retain(|name| !name.is_empty() && !name.starts_with('.'));
    found
}

/// What the text says in so many words: conditions, and files that are there.
fn written(spots: &[Spot], text: &str, tree: &mut dyn Tree) -> Vec<Idea> {
    let mut ideas = Vec::new();
    for span in marked(text) {
        let Ok(condition) = Condition::parse(span) else { continue };
        match condition.atom {
            Atom::Version { .. }
            | Atom::Symbol { .. }
            | Atom::Content { .. }
            | Atom::Pattern { .. }
            | Atom::Setting { .. } => {
                ideas.push(Idea::new(WEIGHT_WRITTEN, span.to_owned(), "the text says so".to_owned()));
            }
            // Those are looked at below, among the words.
            Atom::Exists { .. } | Atom::Name(_) => {}
        }
    }
    let is_anchored = |path: &str| spots.iter().any(|spot| spot.path.as_deref() == Some(path));
    let paths =
        words(text).filter(|word| word.contains(['/', '.']) && !is_stores(word) && !is_anchored(word));
    for path in paths.take(SUGGESTION_FILES_MAX * 4) {
        if matches!(Condition::parse(path), Ok(Condition { atom: Atom::Exists { .. } | Atom::Name(_), .. }))
            && matches!(tree.look(path), Look::File { .. })
        {
            ideas.push(Idea::new(WEIGHT_NAMED, format!("{path} exists"), "the text mentions it".to_owned()));
        }
    }
    ideas
}

/// Facts that say how a project is built and run, and that a text would name by their word. Languages are none: every text names one.
const WORTH_SAYING: &[&str] = &[
    "bazel",
    "cmake",
    "devcontainer",
    "docker",
    "github_actions",
    "gitlab_ci",
    "gradle",
    "helm",
    "kubernetes",
    "maven",
    "monorepo",
    "nix",
    "pre_commit",
    "protobuf",
    "submodules",
    "terraform",
    "workspace",
];

fn told_facts(text: &str) -> Vec<Idea> {
    let lower =
        text.to_lowercase().replace("github actions", "github_actions").replace("gitlab ci", "gitlab_ci");
    let facts = words(&lower).filter_map(facts::fact).filter(|fact| WORTH_SAYING.contains(&fact.word));
    facts
        .map(|fact| Idea::new(WEIGHT_FACT, fact.word.to_owned(), "the text mentions it".to_owned()))
        .collect()
}

/// What stands in backticks.
fn marked(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2).map(str::trim).filter(|span| !span.is_empty())
}

/// Words as names and paths are written.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '@');
    text.split(move |c: char| !is_part(c))
        .map(|word| word.trim_end_matches(['.', '/', '-']))
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::evaluate::NoSymbols;
    use crate::tree::MemoryTree;

    fn check(anchors: &[&str], text: &str, expected: Expect) {
        struct Every;
        impl Symbols for Every {
            fn has(&mut self, _: &mut dyn Tree, _: &str, symbol: &str) -> Result<bool, String> {
                Ok(symbol != "gone")
            }
        }
        let mut tree = MemoryTree::new(&[
            (
                "Cargo.toml",
                "[dependencies]\ntokio = '1.30'\nserde_json = '1'\nbytes = '1'\nrusqlite = '0.31'\n",
            ),
            (
                "Cargo.lock",
                "version = 4\n[[package]]\nname = \"tokio\"\nversion = \"1.38.2\"\n[[package]]\nname = \"serde_json\"\nversion = \"1.0.100\"\n[[package]]\nname = \"bytes\"\nversion = \"1.6.0\"\n[[package]]\nname = \"rusqlite\"\nversion = \"0.31.0\"\n[[package]]\nname = \"mio\"\nversion = \"1.0.0\"\n",
            ),
            ("src/net.rs", "use tokio::time;\nuse std::io;\nfn retry() { bytes::Bytes::new(); }\n"),
            (
                "web/package.json",
                "{\"dependencies\": {\"@tanstack/query\": \"^5.1.0\", \"react\": \"^18.2.0\"}}",
            ),
            ("web/app.tsx", "import React from 'react';\nimport { q } from \"@tanstack/query/core\";\n"),
            ("py/pyproject.toml", "[project]\ndependencies = ['PyYAML>=6.0', 'requests==2.31.0']\n"),
            ("py/main.py", "import yaml, os\nfrom requests.adapters import x\n"),
            ("go.mod", "module m\n\ngo 1.22\n\nrequire github.com/gin-gonic/gin v1.9.1\n"),
            ("main.go", "import (\n\t\"fmt\"\n\t\"github.com/gin-gonic/gin/binding\"\n)\n"),
            ("config/app.toml", "[net]\nretries = 3\n"),
            ("Dockerfile", ""),
        ]);
        let anchors: Vec<String> = anchors.iter().map(|anchor| (*anchor).to_owned()).collect();
        let told = suggest(&anchors, text, &mut tree, &mut Every);
        let told: String = told.iter().map(|one| format!("{}: {}\n", one.condition, one.why)).collect();
        expected.assert_eq(&told);
        suggest(&anchors, text, &mut tree, &mut NoSymbols);
    }

    #[test]
    fn what_is_used_and_named_is_proposed() {
        check(
            &["src/net.rs:1-3", "src/net.rs#retry", "src/net.rs#gone"],
            "Retry with tokio; `config/app.toml:net.retries = 3` is enough. The time in bytes does not matter in docker.",
            expect![[r#"
                config/app.toml:net.retries = 3: the text says so; net.retries is 3 in config/app.toml
                bytes ^1.6: the text mentions it and src/net.rs uses it; bytes is 1.6.0 (Cargo.lock)
                tokio ^1.38: the text mentions it and src/net.rs uses it; tokio is 1.38.2 (Cargo.lock)
                docker: the text mentions it; docker follows from Dockerfile
            "#]],
        );
        check(
            &["web/app.tsx"],
            "Use rusqlite.",
            expect![[r#"
                rusqlite ^0.31: the text mentions it; rusqlite is 0.31.0 (Cargo.lock)
                @tanstack/query ^5.1: web/app.tsx uses it; @tanstack/query is required as ^5.1.0 (web/package.json)
                react ^18.2: web/app.tsx uses it; react is required as ^18.2.0 (web/package.json)
            "#]],
        );
        check(
            &["py/main.py"],
            "",
            expect![[r#"
                PyYAML >= 6.0: py/main.py uses it; PyYAML is required as >=6.0 (py/pyproject.toml)
                requests ~= 2.31: py/main.py uses it; requests is required as ==2.31.0 (py/pyproject.toml)
            "#]],
        );
        check(
            &["main.go"],
            "see config/app.toml.",
            expect![[r#"
                config/app.toml exists: the text mentions it; config/app.toml exists
                github.com/gin-gonic/gin ^1.9: main.go uses it; github.com/gin-gonic/gin is v1.9.1 (go.mod)
            "#]],
        );
        check(&[], "mio wakes up too often, and time flies", expect![""]);
        check(&["gone.rs", "../x", "/etc/passwd"], "`` ` ```x", expect![""]);
    }
}
