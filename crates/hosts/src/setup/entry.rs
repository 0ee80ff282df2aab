//! What the entry of a server says: whose it is, what it starts, and which variables are not for it to set.

use serde_json::Value;

use super::Scope;

/// The keys by which an entry names a server that is not started here.
const REMOTE: [&str; 4] = ["url", "serverUrl", "httpUrl", "uri"];
/// The keys of variables.
pub(super) const VARIABLES: [&str; 2] = ["env", "environment"];
/// Who acts. No file of a host says so: it would make an agent a person.
const ACTOR: &str = "KEN_ACTOR";
/// What a stranger's project must not decide: which store is used, where texts are sent, which commands run.
const NOT_OF_A_PROJECT: [&str; 6] =
    ["KEN_STORE", "KEN_GLOBAL", "KEN_EMBEDDER_URL", "KEN_CHECK_ALLOW", "PATH", "HOME"];
/// The beginnings of variables that have other code loaded or run.
const LOADS: [&str; 3] = ["LD_", "DYLD_", "GIT_"];

/// Whether an entry is ours: it starts `ken mcp` here, wherever that `ken` lies.
pub(super) fn is_ours(entry: &Value) -> bool {
    let elsewhere = REMOTE.iter().any(|key| entry.get(key).is_some());
    let words = words(entry);
    !elsewhere && matches!(words.as_slice(), [program, verb, ..] if is_ken(program) && verb == "mcp")
}

/// Whether a program is called as ours is.
pub(super) fn is_ken(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    matches!(name, "ken" | "ken.exe")
}

/// The program and its arguments.
pub(super) fn words(entry: &Value) -> Vec<String> {
    let texts = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(|text| text.as_str().map(str::to_owned)).collect()
    };
    let mut words = match entry.get("command") {
        Some(Value::String(program)) => vec![program.clone()],
        Some(list) => texts(list),
        None => return Vec::new(),
    };
    words.extend(entry.get("args").map(texts).unwrap_or_default());
    words
}

/// The variables it sets.
pub(super) fn variables(entry: &Value) -> Vec<(String, String)> {
    let text = |(key, value): (&String, &Value)| (key.clone(), value.as_str().unwrap_or_default().to_owned());
    let tables = VARIABLES.iter().filter_map(|key| entry.get(key)?.as_object());
    tables.flatten().map(text).collect()
}

/// The variables of an entry that are not for it to set. What lies in a user's own files is the user's word, but for who acts.
pub(super) fn unwanted(entry: &Value, scope: Scope) -> Vec<String> {
    let is_unwanted = |name: &String| match scope {
        Scope::Project => is_unwanted(name),
        Scope::Global => name.eq_ignore_ascii_case(ACTOR),
    };
    variables(entry).into_iter().map(|(name, _)| name).filter(is_unwanted).collect()
}

/// Whether a variable is not for a project's file to set: it says who acts, which store is used or what is run.
pub fn is_unwanted(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    name == ACTOR
        || NOT_OF_A_PROJECT.contains(&name.as_str())
        || LOADS.iter().any(|begin| name.starts_with(begin))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn whose_an_entry_is() {
        for (entry, ours) in [
            (json!({"command": "ken", "args": ["mcp"]}), true),
            (json!({"command": "/opt/ken", "args": ["mcp", "--host", "zed"], "env": {"A": "b"}}), true),
            (json!({"command": "C:\\tools\\ken.exe", "args": ["mcp"]}), true),
            (json!({"command": ["ken", "mcp", "--host", "opencode"]}), true),
            (json!({"command": "ken"}), false),
            (json!({"command": "ken", "args": ["serve"]}), false),
            (json!({"command": "ken", "args": "mcp"}), false),
            (json!({"command": "/opt/kenning", "args": ["mcp"]}), false),
            (json!({"command": "node", "args": ["mcp"]}), false),
            (json!({"command": ["npx", "ken", "mcp"]}), false),
            (json!({"command": "ken", "args": ["mcp"], "url": "https://example.org"}), false),
            (json!({"httpUrl": "https://example.org"}), false),
            (json!({"serverUrl": "https://example.org"}), false),
            (json!("ken mcp"), false),
            (json!(null), false),
        ] {
            assert_eq!(is_ours(&entry), ours, "{entry}");
        }
    }

    #[test]
    fn which_variables_are_unwanted() {
        for (name, in_project, in_home) in [
            ("KEN_ACTOR", true, true),
            ("ken_actor", true, true),
            ("KEN_STORE", true, false),
            ("KEN_GLOBAL", true, false),
            ("KEN_CHECK_ALLOW", true, false),
            ("KEN_EMBEDDER_URL", true, false),
            ("LD_PRELOAD", true, false),
            ("DYLD_INSERT_LIBRARIES", true, false),
            ("GIT_SSH_COMMAND", true, false),
            ("PATH", true, false),
            ("KEN_NO_MODEL", false, false),
            ("RUST_LOG", false, false),
        ] {
            for key in VARIABLES {
                let entry = json!({key: {name: "x"}});
                assert_eq!(!unwanted(&entry, Scope::Project).is_empty(), in_project, "{entry}");
                assert_eq!(!unwanted(&entry, Scope::Global).is_empty(), in_home, "{entry}");
            }
        }
    }
}
