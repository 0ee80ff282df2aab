//! Patches in Codex's form: what they do to each file, hunk by hunk.

use serde_json::Value;

use super::{Act, cut};
use crate::limits::transcript::EDIT_BYTES_MAX;

const BEGIN: &str = "*** Begin Patch";

/// The patch in an argument of a tool: itself, or in a command line or list of words that hands it to `apply_patch`.
pub(super) fn within(argument: &Value) -> Option<String> {
    let text = match argument {
        Value::String(text) => text.clone(),
        Value::Array(words) => {
            words.iter().filter_map(Value::as_str).find(|word| word.contains(BEGIN))?.to_owned()
        }
        _ => return None,
    };
    let start = text.find(BEGIN)?;
    let head = text[..start].trim();
    // A patch that is merely printed or searched for changes nothing.
    (head.is_empty() || head.contains("apply_patch")).then(|| text[start..].to_owned())
}

pub(super) fn acts(patch: &str, done: bool) -> Vec<Act> {
    edits_of(patch)
        .into_iter()
        .map(|(path, old, new)| Act::Edited {
            path,
            old: cut(&old, EDIT_BYTES_MAX),
            new: cut(&new, EDIT_BYTES_MAX),
            done,
        })
        .collect()
}

/// Each hunk of a patch: the file, the lines as they were and as they will be, context included.
pub fn edits_of(patch: &str) -> Vec<(String, String, String)> {
    const HEADS: &[&str] = &["*** Update File: ", "*** Delete File: ", "*** Add File: "];
    let mut found: Vec<(String, String, String)> = Vec::new();
    let mut path: Option<String> = None;
    let mut is_new = true;
    for line in patch.lines() {
        if line.starts_with("*** End Patch") {
            break;
        }
        if let Some(named) = HEADS.iter().find_map(|head| line.strip_prefix(head)) {
            path = Some(named.trim().to_owned());
            is_new = true;
            // A file that is deleted has no hunks.
            if line.starts_with(HEADS[1]) {
                found.push((named.trim().to_owned(), String::new(), String::new()));
            }
            continue;
        }
        if line.starts_with("*** ") {
            continue;
        }
        if line.starts_with("@@") {
            is_new = true;
            continue;
        }
        let Some(path) = &path else { continue };
        if is_new {
            found.push((path.clone(), String::new(), String::new()));
            is_new = false;
        }
        let Some((_, old, new)) = found.last_mut() else { continue };
        let (sign, rest) = line.split_at(line.chars().next().map_or(0, char::len_utf8));
        let push = |into: &mut String| {
            into.push_str(rest);
            into.push('\n');
        };
        match sign {
            "+" => push(new),
            "-" => push(old),
            _ => {
                push(old);
                push(new);
            }
        }
    }
    found
}
