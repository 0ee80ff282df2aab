//! References that hold only here and now, rewritten so that they hold elsewhere and later: an absolute path inside the repository becomes a
//! relative one (STO-9), and `HEAD`, a branch or a tag becomes the commit it names (COR-24).

use ken_core::condition::Condition;
use ken_core::{condition, paths};
use serde_json::{Map, Value};

use crate::ports::Repository;

/// Rewrites citations as they were typed.
pub(super) fn pin_evidence<'a>(
    evidence: impl IntoIterator<Item = &'a mut String>,
    repository: &dyn Repository,
) {
    for text in evidence {
        let (kind, reference) = match text.split_once(':') {
            Some((kind, reference)) if is_kind(kind) => (kind, reference),
            _ if is_head(text) => ("commit", text.as_str()),
            _ => ("", text.as_str()),
        };
        if let Some(pinned) = pinned(kind, reference.trim(), repository) {
            *text = if kind.is_empty() { pinned } else { format!("{kind}:{pinned}") };
        }
    }
}

/// Rewrites the anchors, conditions, verification steps and citations in the fields of an entry.
pub(super) fn pin_fields(fields: &mut Map<String, Value>, repository: &dyn Repository) {
    for anchor in list(fields, "anchors") {
        let at = match anchor {
            Value::Object(anchor) => anchor.get_mut("at"),
            other => Some(other),
        };
        if let Some(Value::String(at)) = at
            && let Some(place) = place(at, repository)
        {
            *at = place;
        }
    }
    for text in list(fields, "depends_on") {
        let Value::String(text) = text else { continue };
        if let Some(path) = condition::path_in(text)
            && let Some(place) = place(&text[path.clone()], repository)
        {
            text.replace_range(path, &place);
        }
        // Of one that cannot be read, nobody knows which part is the path.
        if Condition::parse(text).is_err()
            && let Some(pinned) = paths::replaced(text, |path| repository.inside(path))
        {
            *text = pinned;
        }
    }
    for step in list(fields, "verification") {
        if let Value::String(step) = step
            && let Some(pinned) = paths::replaced(step, |path| repository.inside(path))
        {
            *step = pinned;
        }
    }
    if let Some(Value::String(path)) =
        fields.get_mut("document").and_then(|document| document.get_mut("path"))
        && let Some(place) = place(path, repository)
    {
        *path = place;
    }
    for citation in list(fields, "provenance") {
        match citation {
            Value::String(text) => pin_evidence([text], repository),
            Value::Object(citation) => {
                let kind =
                    citation.get("evidence_type").and_then(Value::as_str).unwrap_or_default().to_owned();
                if let Some(Value::String(reference)) = citation.get_mut("evidence_ref")
                    && let Some(pinned) = pinned(&kind, reference.trim(), repository)
                {
                    *reference = pinned;
                }
            }
            _ => {}
        }
    }
}

fn list<'a>(fields: &'a mut Map<String, Value>, name: &str) -> impl Iterator<Item = &'a mut Value> {
    fields.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten()
}

/// A place as the ledger has it: an absolute path inside the repository becomes a relative one, and `src/../src/a.rs` becomes `src/a.rs`.
/// None where it stays as it is, or leads out of the repository.
fn place(text: &str, repository: &dyn Repository) -> Option<String> {
    repository.inside(text).or_else(|| {
        let is_path = !paths::is_absolute(text) && !text.contains("://");
        let is_odd = text.starts_with("./") || text.contains("/.") || text.contains("//");
        paths::normal(text).filter(|normal| is_path && is_odd && normal != text)
    })
}

/// A reference of a kind of evidence that holds elsewhere and later; none where it does already, or nothing better is known.
fn pinned(kind: &str, reference: &str, repository: &dyn Repository) -> Option<String> {
    match kind.to_ascii_lowercase().as_str() {
        "commit" => repository.commit_named(reference),
        "doc" | "test" => place(reference, repository),
        "" => repository.inside(reference),
        _ => None,
    }
}

fn is_kind(word: &str) -> bool {
    ["commit", "doc", "test"].iter().any(|kind| word.eq_ignore_ascii_case(kind))
}

/// Whether a bare word can only mean a commit: `HEAD`, `HEAD~2`, `HEAD^`.
fn is_head(text: &str) -> bool {
    text.trim().strip_prefix("HEAD").is_some_and(|rest| rest.is_empty() || rest.starts_with(['~', '^', '@']))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ports::Presence;

    /// A repository in `/home/ada/shop` whose branch `main` is at commit `c0ffee1`.
    struct Shop;

    impl Repository for Shop {
        fn commits(&self, names: &[String]) -> Vec<Presence> {
            vec![Presence::Present; names.len()]
        }

        fn path(&self, _: &str) -> Presence {
            Presence::Present
        }

        fn symbol(&self, _: &str) -> Presence {
            Presence::Present
        }

        fn inside(&self, path: &str) -> Option<String> {
            paths::normal(path)?.strip_prefix("/home/ada/shop/").map(str::to_owned)
        }

        fn commit_named(&self, name: &str) -> Option<String> {
            matches!(name, "HEAD" | "main" | "v1.0" | "20240101").then(|| "c0ffee1".to_owned())
        }
    }

    #[test]
    fn cor_24_names_of_commits_are_resolved_when_they_are_written() {
        let cases = [
            ("commit:HEAD", "commit:c0ffee1"),
            ("HEAD", "commit:c0ffee1"),
            ("commit:main", "commit:c0ffee1"),
            ("Commit: v1.0", "Commit:c0ffee1"),
            ("commit:abc123", "commit:abc123"),
            ("commit:20240101", "commit:c0ffee1"),
            ("commit:nowhere", "commit:nowhere"),
            ("doc:/home/ada/shop/docs/a.md:3-9", "doc:docs/a.md:3-9"),
            ("/home/ada/shop/tests/a.rs", "tests/a.rs"),
            ("doc:docs/../docs/./a.md:3-9", "doc:docs/a.md:3-9"),
            ("test:../a.rs", "test:../a.rs"),
            ("/etc/passwd", "/etc/passwd"),
            ("pr:42", "pr:42"),
            ("https://example.org/HEAD", "https://example.org/HEAD"),
        ];
        for (text, expected) in cases {
            let mut written = text.to_owned();
            pin_evidence([&mut written], &Shop);
            assert_eq!(written, expected, "{text}");
        }
    }

    #[test]
    fn sto_9_absolute_paths_inside_the_repository_become_relative() {
        let mut fields = json!({
            "anchors": [
                "/home/ada/shop/src/a.rs#send", { "at": "/home/ada/shop//src/./b.rs:3-9" }, "src/c.rs", "/etc/passwd",
                "src/../src/d.rs#Client::send", "./src//f.rs#send", "./g.rs", "../e.rs", "/home/ada/shop/src/../../pay/f.rs", "#send",
            ],
            "depends_on": [
                "/home/ada/shop/src/a.rs exists", "NOT /home/ada/shop/src/a.rs#send", "src/x/../a.rs@1a2b3c4", "tokio ^1.38",
                "\"/home/ada/shop/a b.rs\" =~ /x/", "config/app.toml:log = /home/ada/shop/log", "/etc/passwd exists",
                "exists /home/ada/shop/src/a.rs", "src/a.rs stands in /home/ada/shop/src",
            ],
            "verification": [
                "grep -n send /home/ada/shop/src/a.rs", "read /etc/passwd", "run make -C/home/ada/shop/src test", "-I/home/ada/shop/src",
            ],
            "document": { "path": "/home/ada/shop/docs/a.md", "position": "3" },
            "provenance": ["HEAD", { "evidence_type": "commit", "evidence_ref": "main" }, { "evidence_type": "pr", "evidence_ref": "1" }],
        });
        pin_fields(fields.as_object_mut().unwrap(), &Shop);
        let expected = json!({
            "anchors": [
                "src/a.rs#send", { "at": "src/b.rs:3-9" }, "src/c.rs", "/etc/passwd",
                "src/d.rs#Client::send", "src/f.rs#send", "g.rs", "../e.rs", "/home/ada/shop/src/../../pay/f.rs", "#send",
            ],
            "depends_on": [
                "src/a.rs exists", "NOT src/a.rs#send", "src/a.rs@1a2b3c4", "tokio ^1.38",
                "\"a b.rs\" =~ /x/", "config/app.toml:log = /home/ada/shop/log", "/etc/passwd exists",
                "exists src/a.rs", "src/a.rs stands in src",
            ],
            "verification": ["grep -n send src/a.rs", "read /etc/passwd", "run make -Csrc test", "-Isrc"],
            "document": { "path": "docs/a.md", "position": "3" },
            "provenance": [
                "commit:c0ffee1", { "evidence_type": "commit", "evidence_ref": "c0ffee1" },
                { "evidence_type": "pr", "evidence_ref": "1" },
            ],
        });
        assert_eq!(fields, expected);
    }
}
