//! Thresholds live in `limits.rs` of their crate: the number of numeric constants elsewhere may only fall.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Numeric constants outside of `limits.rs`, by crate, at most. Of the first group only bit masks, tags, versions, units and widths of formats are left, and a
/// few that one function explains; the second group still has thresholds among them. Whoever moves some lowers the number. A crate that is not listed has none.
const ELSEWHERE: &[(&str, usize)] = &[
    ("core", 9),
    ("engine", 5),
    ("guard", 38),
    ("verbs", 12),
    // Not moved yet.
    ("anchors", 15),
    ("cli", 33),
    ("embed", 38),
    ("formats", 17),
    ("hosts", 10),
    ("index", 15),
    ("kenning", 1),
    ("log-git", 17),
    ("providers", 3),
    ("server", 19),
    ("testkit", 5),
    ("worktree", 16),
];

const NUMERIC: &[&str] =
    &["f32", "f64", "i32", "i64", "u8", "u16", "u32", "u64", "usize", "Duration", "Millis", "Days"];

/// Whether a line defines a constant of a numeric type.
fn defines_number(line: &str) -> bool {
    let line = line.trim_start();
    let Some((_, definition)) =
        line.split_once("const ").filter(|(before, _)| before.is_empty() || before.starts_with("pub"))
    else {
        return false;
    };
    let Some((name, rest)) = definition.split_once(": ") else { return false };
    let is_name = name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    is_name && rest.split_once(" =").is_some_and(|(kind, _)| NUMERIC.contains(&kind))
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn thresholds_do_not_creep_out_of_limits() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut counted: BTreeMap<String, usize> = BTreeMap::new();
    for folder in std::fs::read_dir(crates).unwrap() {
        let folder = folder.unwrap();
        let mut files = Vec::new();
        rust_files(&folder.path().join("src"), &mut files);
        let count = counted.entry(folder.file_name().into_string().unwrap()).or_default();
        for path in files {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap();
            if name == "limits.rs" || name.contains("tests") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            *count += code.lines().filter(|line| defines_number(line)).count();
        }
    }
    let told: Vec<String> = counted
        .iter()
        .filter_map(|(name, count)| {
            let allowed =
                ELSEWHERE.iter().find(|(known, _)| known == name).map_or(0, |(_, allowed)| *allowed);
            (*count > allowed).then(|| {
                format!("crates/{name}: {count} numeric constants outside of limits.rs, {allowed} allowed")
            })
        })
        .collect();
    assert!(
        told.is_empty(),
        "a threshold belongs into limits.rs, with its unit and its reason:\n{}",
        told.join("\n")
    );
}

#[test]
fn a_numeric_constant_is_recognised() {
    for line in ["const A_MAX: usize = 3;", "    pub(crate) const WAIT: Duration = Duration::from_secs(1);"] {
        assert!(defines_number(line), "{line}");
    }
    for line in [
        "const NAME: &str = \"a\";",
        "// const A: u8 = 1;",
        "let constant: u8 = 1;",
        "const fn a(b: u8) -> u8 {",
    ] {
        assert!(!defines_number(line), "{line}");
    }
}

/// How often each file of `verbs` names a folder of a clone or of a worktree: for the clone's settings, the locks of the global store, and what
/// `where` says. What verbs keep goes through `ken_engine::CloneState`.
const CLONE_FOLDERS: &[(&str, usize)] = &[
    ("maintain.rs", 1),
    ("reach/workspace.rs", 4),
    ("scan.rs", 1),
    ("session/door.rs", 2),
    ("table/where_is.rs", 3),
];

#[test]
fn no_verb_writes_into_a_folder_of_the_clone_by_itself() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("verbs/src");
    let mut files = Vec::new();
    rust_files(&root, &mut files);
    files.sort();
    let found = files.iter().filter_map(|path| {
        let text = std::fs::read_to_string(path).unwrap();
        let count = ["clone_home()", "tree_home()"].iter().map(|name| text.matches(name).count()).sum();
        let name = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
        (count > 0).then_some((name, count))
    });
    let found: Vec<(String, usize)> = found.collect();
    let listed: Vec<(String, usize)> =
        CLONE_FOLDERS.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
    assert_eq!(found, listed, "use a port, or shorten this list");
}
