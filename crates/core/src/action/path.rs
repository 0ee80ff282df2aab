//! Paths as text: joined and made plain without looking at a file system.

use super::UNKNOWN;

/// A path from a folder. An absolute one, one below the home folder and one that begins with something unknown stay as they are.
pub(super) fn join(folder: &str, path: &str) -> String {
    let is_absolute =
        path.starts_with('/') || path == "~" || path.starts_with("~/") || path.starts_with(UNKNOWN);
    if is_absolute || folder.is_empty() { normal(path) } else { normal(&format!("{folder}/{path}")) }
}

/// A path without `.`, `..` and empty segments.
pub(super) fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let is_absolute = path.starts_with('/');
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => match parts.last() {
                Some(last) if *last != ".." => drop(parts.pop()),
                Some(_) => parts.push(".."),
                None if is_absolute => {}
                None => parts.push(".."),
            },
            other => parts.push(other),
        }
    }
    let joined = parts.join("/");
    if is_absolute { format!("/{joined}") } else { joined }
}

/// A path below the root of the repository, or none if it lies elsewhere. The root itself is empty.
pub(super) fn relative(root: &str, path: &str) -> Option<String> {
    // `$ROOT/src/a.rs`: nobody knows the variable, and most of them name the repository.
    if let Some(rest) = path.strip_prefix(UNKNOWN) {
        return rest.strip_prefix('/').map(str::to_owned);
    }
    let rest = path.strip_prefix(root)?;
    match rest.strip_prefix('/') {
        Some(rest) => Some(rest.to_owned()),
        None if rest.is_empty() => Some(String::new()),
        None if root.is_empty() || root == "/" => Some(rest.to_owned()),
        None => None,
    }
}

/// The last segment.
pub(super) fn file_name(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_made_plain() {
        for (folder, path, expected) in [
            ("/repo", "src/../a", "/repo/a"),
            ("/repo/src", "../../b", "/b"),
            ("/repo", "/tmp/./x/", "/tmp/x"),
            ("/repo", "~/x", "~/x"),
            ("/", "..", "/"),
            ("", "../x", "../x"),
        ] {
            assert_eq!(join(folder, path), expected, "{folder} {path}");
        }
    }

    #[test]
    fn only_what_lies_below_the_root_is_relative() {
        assert_eq!(relative("/repo", "/repo/src/a").as_deref(), Some("src/a"));
        assert_eq!(relative("/repo", "/repository/a"), None);
        assert_eq!(relative("/repo", "/repo").as_deref(), Some(""));
        assert_eq!(relative("/repo", "~/a"), None);
    }
}
