//! Which files of the store a path or a pattern means.

use std::path::Path;

use crate::limits::session_reads::{BELOW_MAX, LOOKED_AT_MAX, MATCHED_MAX};

/// The files below a store that a path in it means, in their order: itself, what matches it, or everything below it.
pub(super) fn files(store: &Path, below: &str) -> Vec<String> {
    let below = below.trim_matches('/');
    if below.contains(['*', '?']) {
        let parts: Vec<&str> = below.split('/').collect();
        let mut found = Vec::new();
        for file in walk(store, "") {
            let names: Vec<&str> = file.split('/').collect();
            // A pattern that means a folder means nothing to a program that shows files, unless it looks below.
            if matches(&parts, &names) && found.len() < MATCHED_MAX {
                found.push(file);
            }
        }
        return found;
    }
    if store.join(below).is_dir() {
        let mut found = walk(store, below);
        found.truncate(BELOW_MAX);
        return found;
    }
    vec![below.to_owned()]
}

/// Every plain file below a folder; links are not followed.
fn walk(store: &Path, below: &str) -> Vec<String> {
    let mut folders = vec![below.to_owned()];
    let mut files = Vec::new();
    let mut left = LOOKED_AT_MAX;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(store.join(&folder)).into_iter().flatten().flatten() {
            if left == 0 {
                break;
            }
            left -= 1;
            let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else { continue };
            let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Whether a path is what a pattern means. What is below a folder that it means counts as well: `grep -r x .kenning/*`.
fn matches(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern, path) {
        ([], _) => true,
        (["**", rest @ ..], _) => (0..=path.len()).any(|at| matches(rest, &path[at..])),
        ([first, rest @ ..], [name, names @ ..]) => {
            let hidden = name.starts_with('.') && !first.starts_with('.');
            !hidden && is_like(first.as_bytes(), name.as_bytes()) && matches(rest, names)
        }
        ([_, ..], []) => false,
    }
}

fn is_like(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern, name) {
        ([], []) => true,
        ([b'*', rest @ ..], _) => {
            is_like(rest, name) || name.split_first().is_some_and(|(_, tail)| is_like(pattern, tail))
        }
        ([b'?', rest @ ..], [_, tail @ ..]) => is_like(rest, tail),
        ([sign, rest @ ..], [first, tail @ ..]) => sign == first && is_like(rest, tail),
        (_, []) | ([], _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_means_what_a_shell_would_make_of_it() {
        let store = tempfile::tempdir().unwrap();
        for file in ["INDEX.md", "a/one.jsonl", "a/two.jsonl", "a/.hidden", "b/c/one.jsonl"] {
            let path = store.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        for (below, wanted) in [
            ("INDEX.md", "INDEX.md"),
            ("a", "a/.hidden a/one.jsonl a/two.jsonl"),
            ("a/*", "a/one.jsonl a/two.jsonl"),
            ("*.md", "INDEX.md"),
            ("a/???.jsonl", "a/one.jsonl a/two.jsonl"),
            ("**/one.jsonl", "a/one.jsonl b/c/one.jsonl"),
            ("b/*", "b/c/one.jsonl"),
            ("x/*", ""),
            ("", "INDEX.md a/.hidden a/one.jsonl a/two.jsonl b/c/one.jsonl"),
        ] {
            assert_eq!(files(store.path(), below).join(" "), wanted, "{below}");
        }
    }
}
