//! Every word list of the workspace is sorted, has no item twice, and says what it is for.

use std::fs;
use std::path::{Path, PathBuf};

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.map(|entry| entry.expect("a readable folder").path()) {
        match entry.is_dir() {
            true => files(&entry, found),
            // What is no text is a table, and in the order of its own.
            false => {
                found.extend(Some(entry).filter(|path| path.extension().is_some_and(|end| end == "txt")))
            }
        }
    }
}

#[test]
fn word_lists_are_sorted_and_explained() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of the crates");
    let mut lists = Vec::new();
    for folder in fs::read_dir(crates).expect("a readable folder") {
        files(&folder.expect("a readable folder").path().join("words"), &mut lists);
    }
    assert!(lists.len() >= 15, "only {} lists below {}", lists.len(), crates.display());
    let mut faults = Vec::new();
    for path in lists {
        let text = fs::read_to_string(&path).expect("a readable list");
        let name = path.strip_prefix(crates).expect("below the crates").display();
        faults.extend(ken_language::word_list::fault(&text).map(|fault| format!("{name}: {fault}")));
        if !text.starts_with("# ") {
            faults.push(format!("{name}: its first line must say what it is for, after `# `"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
