//! `docs/reference/rules.md` explains every rule id that the code cites, and names tests that exist.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const PAGE: &str = include_str!("../../../docs/reference/rules.md");

/// What the id of a rule begins with. `UTF-8`, `SHA-256` and `ADR-1` look alike and are no rules.
const PREFIXES: &[&str] = &[
    "STO", "ENT", "IN", "BEL", "VAL", "REV", "DRI", "GAT", "DIG", "FRI", "HEA", "OUT", "SUR", "UPK", "EXT",
    "FED", "FOR", "DOO", "COR",
];

/// The least number of distinct ids that the code cites: fewer would mean that the search found no files.
const CITED_MIN: usize = 80;

/// A row of a table on the page.
struct Row<'a> {
    id: &'a str,
    tests: &'a str,
}

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All Rust files below a folder, without build outputs.
fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            if entry.file_name() != "target" {
                rust_files(&path, files);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The rule ids in a text.
fn ids(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for prefix in PREFIXES {
        for (start, _) in text.match_indices(&format!("{prefix}-")) {
            let before = text[..start].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-') {
                continue;
            }
            let number = start + prefix.len() + 1;
            let digits = text[number..].bytes().take_while(u8::is_ascii_digit).count();
            if digits == 0 {
                continue;
            }
            // `VAL-1b` has a letter behind its number.
            let letter = text[number + digits..].bytes().take_while(u8::is_ascii_lowercase).count();
            let end = number + digits + letter;
            let mut after = text[end..].chars();
            let next = after.next();
            let is_date = next == Some('-') && after.next().is_some_and(|c| c.is_ascii_digit());
            if letter <= 1 && !is_date && !next.is_some_and(|c| c.is_alphanumeric() || c == '_') {
                found.push(&text[start..end]);
            }
        }
    }
    found
}

/// The rows of the tables on the page, without heads and rulers.
fn rows(page: &str) -> Vec<Row<'_>> {
    let lines = page.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let cells = lines.map(|line| line.split(" | ").collect::<Vec<_>>());
    cells
        .filter(|cells| cells[0] != "id")
        .map(|cells| {
            assert_eq!(cells.len(), 3, "a row has an id, a rule and a test: {cells:?}");
            Row { id: cells[0], tests: cells[2] }
        })
        .collect()
}

/// The tests that a cell names, as path and name.
fn tests(cell: &str) -> Vec<(&str, &str)> {
    cell.split('`').skip(1).step_by(2).filter_map(|code| code.rsplit_once("::")).collect()
}

/// Whether a file has a function of this name that is a test.
fn has_test(text: &str, name: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let is_test = |at: usize| {
        let above = lines[..at].iter().rev();
        let mut attributes = above.take_while(|line| line.starts_with("#[") || line.starts_with("//"));
        attributes.any(|line| line.starts_with("#[test]"))
    };
    let head = format!("fn {name}(");
    lines.iter().enumerate().any(|(at, line)| line.starts_with(&head) && is_test(at))
}

/// What is wrong with a page, given the ids that are cited (with a file each) and a way to read a file of the repository.
fn faults(
    page: &str,
    cited: &BTreeMap<String, String>,
    read: impl Fn(&str) -> Option<String>,
) -> Vec<String> {
    let mut faults = Vec::new();
    let mut explained = BTreeSet::new();
    for row in rows(page) {
        if ids(row.id) != [row.id] {
            faults.push(format!("`{}` is no rule id", row.id));
        }
        if !explained.insert(row.id) {
            faults.push(format!("{} has two rows", row.id));
        }
        let named = tests(row.tests);
        if named.is_empty() && !["not built yet", "no test"].iter().any(|word| row.tests.contains(word)) {
            faults.push(format!("{} names no test and does not say why", row.id));
        }
        for (path, name) in named {
            match read(path) {
                None => faults.push(format!("{} names {path}, which does not exist", row.id)),
                Some(text) if !has_test(&text, name) => {
                    faults.push(format!("{} names {path}::{name}, which does not exist", row.id));
                }
                Some(_) => {}
            }
        }
    }
    for (id, file) in cited.iter().filter(|(id, _)| !explained.contains(id.as_str())) {
        faults.push(format!("{id}, cited in {file}, has no row"));
    }
    faults
}

#[test]
fn the_page_of_rules_explains_every_id_and_names_tests_that_exist() {
    let root = root();
    let mut files = Vec::new();
    rust_files(&root.join("crates"), &mut files);
    rust_files(&root.join("xtask"), &mut files);
    let mut cited = BTreeMap::new();
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        for id in ids(&String::from_utf8_lossy(&bytes)) {
            cited.entry(id.to_owned()).or_insert_with(|| file.display().to_string());
        }
    }
    assert!(cited.len() >= CITED_MIN, "only {} rule ids are cited: {cited:?}", cited.len());
    let faults = faults(PAGE, &cited, |path| std::fs::read_to_string(root.join(path)).ok());
    assert!(faults.is_empty(), "docs/reference/rules.md:\n{}", faults.join("\n"));
}

#[test]
fn ids_of_rules_are_told_from_what_looks_like_them() {
    for (text, expected) in [
        ("see (REV-4), STO-13: and VAL-1b.", vec!["STO-13", "VAL-1b", "REV-4"]),
        ("REV-2 to REV-4, IN-1's", vec!["IN-1", "REV-2", "REV-4"]),
        ("`BEL-9`/ENT-6", vec!["ENT-6", "BEL-9"]),
        ("UTF-8, SHA-256, ADR-12, CVE-2021-44228, FNV-1a, KEN-1, SA-001, RFC-9110", vec![]),
        ("LOGIN-1, _IN-1, X-IN-1, IN-, IN-x, IN-2026-01-02, IN-1abc, IN-1_2, in-1", vec![]),
    ] {
        assert_eq!(ids(text), expected, "{text}");
    }
}

#[test]
fn every_fault_of_the_page_is_found() {
    let file = "#[test]\nfn it_holds() {}\n\n#[test]\n// Slow.\n#[ignore]\n    fn it_is_slow() {}\n\nfn helper() {}\n";
    let check = |rows: &str, cited: &[&str]| {
        let page = format!("# Rules\n\n| id | rule | test |\n|---|---|---|\n{rows}");
        let cited: BTreeMap<String, String> =
            cited.iter().map(|id| ((*id).to_owned(), "lib.rs".to_owned())).collect();
        faults(&page, &cited, |path| (path == "a.rs").then(|| file.to_owned())).join("; ")
    };
    let good = "| REV-4 | R. | `a.rs::it_holds`<br>`a.rs::it_is_slow` |\n| IN-1 | R. | not built yet |\n";
    assert_eq!(check(good, &["REV-4", "IN-1"]), "");
    for (rows, cited, expected) in [
        (good, "REV-5", "REV-5, cited in lib.rs, has no row"),
        ("| REV-4 | R. | no test |\n| REV-4 | R. | no test |\n", "REV-4", "REV-4 has two rows"),
        ("| REV-4 | R. | later |\n", "REV-4", "REV-4 names no test and does not say why"),
        ("| UTF-8 | R. | no test |\n", "UTF-8", "`UTF-8` is no rule id"),
        ("| REV-4 | R. | `b.rs::it_holds` |\n", "REV-4", "REV-4 names b.rs, which does not exist"),
        ("| REV-4 | R. | `a.rs::it_hold` |\n", "REV-4", "REV-4 names a.rs::it_hold, which does not exist"),
        ("| REV-4 | R. | `a.rs::helper` |\n", "REV-4", "REV-4 names a.rs::helper, which does not exist"),
    ] {
        assert_eq!(check(rows, &[cited]), expected, "{rows}");
    }
}
