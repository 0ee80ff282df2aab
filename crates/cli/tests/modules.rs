//! Modules import downwards: no two of them need each other, and no verb knows another verb.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Modules of a crate and the modules that each imports.
type Arrows = BTreeMap<String, BTreeSet<String>>;

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false if path.extension().is_some_and(|kind| kind == "rs") => found.push(path),
            false => {}
        }
    }
    found
}

/// The code of a file, without comments and tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The first names behind `crate::`, those in braces too: `crate::{a::B, C}` is `a` and `C`.
fn named(code: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for behind in code.split("crate::").skip(1) {
        let word = |text: &str| -> String {
            text.trim().chars().take_while(|sign| sign.is_alphanumeric() || *sign == '_').collect()
        };
        match behind.strip_prefix('{') {
            None => drop(names.insert(word(behind))),
            Some(list) => {
                let mut depth = 0;
                let mut start = 0;
                for (at, sign) in list.char_indices() {
                    match sign {
                        '{' => depth += 1,
                        '}' if depth == 0 => {
                            names.insert(word(&list[start..at]));
                            break;
                        }
                        '}' => depth -= 1,
                        ',' if depth == 0 => {
                            names.insert(word(&list[start..at]));
                            start = at + 1;
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    names
}

/// Where the root of a crate has its names from: `pub use list::ListAnswer;` is `ListAnswer` from `list`.
fn exports(root: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for statement in root.split(';') {
        let Some((_, path)) = statement.rsplit_once("use ") else { continue };
        let path = path.trim().trim_start_matches("self::").trim_start_matches("crate::");
        let Some((module, rest)) = path.split_once("::") else { continue };
        for item in rest.split([',', '{', '}']) {
            let name = item.split([':', ' ']).rfind(|word| !word.is_empty()).unwrap_or_default();
            found.insert(name.trim().to_owned(), module.to_owned());
        }
    }
    found
}

fn arrows(name: &str) -> Arrows {
    let source = crates().join(name).join("src");
    let module = |path: &Path| {
        let first = path.strip_prefix(&source).unwrap().components().next().unwrap();
        first.as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned()
    };
    let files = files(&source);
    let modules: BTreeSet<String> = files.iter().map(|path| module(path)).collect();
    let exports = exports(&code(&source.join("lib.rs")));
    let mut arrows = Arrows::new();
    for path in files.iter().filter(|path| module(path) != "lib") {
        let own = module(path);
        for name in named(&code(path)) {
            let target = if modules.contains(&name) { Some(&name) } else { exports.get(&name) };
            if let Some(target) = target.filter(|target| **target != own && modules.contains(*target)) {
                arrows.entry(own.clone()).or_default().insert(target.clone());
            }
        }
    }
    arrows
}

/// Modules that need each other, directly or through others.
fn knots(arrows: &Arrows) -> Vec<BTreeSet<String>> {
    let reached = |from: &String| {
        let mut seen = BTreeSet::new();
        let mut next: Vec<&String> = arrows.get(from).into_iter().flatten().collect();
        while let Some(module) = next.pop() {
            if seen.insert(module.clone()) {
                next.extend(arrows.get(module).into_iter().flatten());
            }
        }
        seen
    };
    let below: BTreeMap<&String, BTreeSet<String>> =
        arrows.keys().map(|name| (name, reached(name))).collect();
    let mut found: Vec<BTreeSet<String>> = Vec::new();
    for (name, reaches) in below.iter().filter(|(name, reaches)| reaches.contains(**name)) {
        if found.iter().any(|knot| knot.contains(*name)) {
            continue;
        }
        let knot = reaches.iter().filter(|other| below.get(other).is_some_and(|back| back.contains(*name)));
        found.push(knot.cloned().collect());
    }
    found
}

#[test]
fn modules_of_the_verbs_import_downwards() {
    let arrows = arrows("verbs");
    assert!(arrows.len() > 60, "{} modules import something", arrows.len());
    assert_eq!(knots(&arrows), Vec::<BTreeSet<String>>::new());
}

/// Crates that still have modules which need each other: how many, at most. The numbers only fall.
#[test]
fn knots_elsewhere_grow_no_larger() {
    for (name, max) in [("core", 13), ("engine", 27), ("log-git", 23), ("index", 0), ("log-memory", 0)] {
        let knots = knots(&arrows(name));
        let tied: usize = knots.iter().map(BTreeSet::len).sum();
        assert_eq!(tied, max, "{name}: {knots:?}; where it is less, write the smaller number here");
    }
}

#[test]
fn each_verb_has_a_file_and_knows_no_other_verb() {
    let folder = crates().join("verbs/src/table");
    let mut faults = Vec::new();
    let mut verbs = 0;
    for path in files(&folder) {
        let (code, name) = (code(&path), path.file_stem().unwrap().to_string_lossy().into_owned());
        let count = code.matches("impl Verb for").count();
        verbs += count;
        // Seven verbs of one family differ in a word each, and are made by one macro.
        if count != if name == "view" { 2 } else { 1 } {
            faults.push(format!("{name} has {count} verbs"));
        }
        if code.contains("crate::table::") || code.contains("super::") {
            faults.push(format!("{name} knows another verb"));
        }
    }
    assert!(faults.is_empty(), "{faults:?}");
    assert!(verbs > 80, "{verbs}");
}

#[test]
fn a_knot_is_found() {
    let arrow =
        |from: &str, to: &[&str]| (from.to_owned(), to.iter().map(|name| (*name).to_owned()).collect());
    let tied = Arrows::from([arrow("a", &["b"]), arrow("b", &["c"]), arrow("c", &["b"]), arrow("d", &["a"])]);
    assert_eq!(knots(&tied), [BTreeSet::from(["b".to_owned(), "c".to_owned()])]);
    assert!(
        named("use crate::{list::{List, Page}, Reach}; crate::add::add()")
            .is_superset(&BTreeSet::from(["list", "Reach", "add"].map(str::to_owned)))
    );
}
