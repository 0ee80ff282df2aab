//! Paths as people and agents type them, read by their letters alone: nothing here looks at a file.

use std::ops::Range;

/// Folders at the root of a machine that hold what somebody put there. What begins with one of them and goes on is a path on one machine
/// (STO-9); other words with a slash in front may be routes such as `/api/users`.
const ROOTS: &[&str] = &[
    "Users",
    "Volumes",
    "home",
    "media",
    "mnt",
    "opt",
    "private",
    "root",
    "srv",
    "var",
    "workspace",
    "workspaces",
];

/// Folders that every machine of a kind has: `/usr/bin/env` names the same program everywhere, and a pattern that is looked for.
const SYSTEM: &[&str] = &["bin", "dev", "etc", "tmp", "usr"];

/// What a route of a server stands behind.
const METHODS: &[&str] = &["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];

/// Steps that are about files alone: whatever begins with a slash in them is a path.
const FILE_STEPS: &[&str] = &["exists", "test"];

/// Whether a path begins at the root of a machine, at a home folder or at a drive.
pub fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '\\'])
        || path.starts_with("~/")
        || is_on_drive(path)
        || path.starts_with("file://")
}

fn is_on_drive(path: &str) -> bool {
    let bytes = path.as_bytes();
    matches!(bytes, [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic())
}

/// A path without `.`, `..` and doubled slashes; none where it leads above its beginning. A `/` at either end stays, and what is left of
/// nothing is `.`.
pub fn normal(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            // What `**` stands for has no one parent.
            ".." => drop(parts.pop().filter(|parent| *parent != "**")?),
            part => parts.push(part),
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    let end = if path.ends_with('/') && !parts.is_empty() { "/" } else { "" };
    Some(match (root, parts.is_empty()) {
        ("", true) => ".".to_owned(),
        _ => format!("{root}{}{end}", parts.join("/")),
    })
}

/// A text in which every absolute path that `inside` knows is replaced; none where nothing is.
pub fn replaced(text: &str, inside: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut found = String::new();
    let mut from = 0;
    for word in absolute_words(text) {
        if let Some(path) = inside(&text[word.clone()]) {
            found.push_str(&text[from..word.start]);
            found.push_str(&path);
            from = word.end;
        }
    }
    (from > 0).then(|| found + &text[from..])
}

/// The first word of a verification step that is a path on one machine.
pub fn of_one_machine(step: &str) -> Option<&str> {
    let is_about_files = step.split_whitespace().next().is_some_and(|first| FILE_STEPS.contains(&first));
    let is_one = |word: &Range<usize>| {
        let path = &step[word.clone()];
        let before = step[..word.start].split_whitespace().next_back().unwrap_or_default();
        let root = path.trim_start_matches('/').split_once('/');
        let is_below_root = root.is_some_and(|(root, below)| ROOTS.contains(&root) && !below.is_empty());
        let is_system = root.is_some_and(|(root, _)| SYSTEM.contains(&root));
        !METHODS.contains(&before)
            && (is_about_files && !is_system
                || is_below_root
                || is_on_drive(path)
                || path.starts_with("file://"))
    };
    absolute_words(step).into_iter().find(is_one).map(|word| &step[word])
}

/// The first path in a text that begins at the root of a machine, at a home folder or at a drive; routes behind the name of a method are
/// none.
pub fn first_absolute(text: &str) -> Option<&str> {
    let is_route = |word: &Range<usize>| {
        METHODS.contains(&text[..word.start].split_whitespace().next_back().unwrap_or_default())
    };
    absolute_words(text).into_iter().find(|word| !is_route(word)).map(|word| &text[word])
}

/// The words of a text that begin with a slash, a home folder or a drive, also right behind a flag: `-I/usr/include`. URLs are none.
fn absolute_words(text: &str) -> Vec<Range<usize>> {
    let is_end = |c: char| c.is_whitespace() || "\"'`()[]{}<>,;|".contains(c);
    let is_before = |c: char| is_end(c) || matches!(c, '=' | ':' | '@');
    let mut words = Vec::new();
    let mut end = 0;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let rest = &text[at..];
        let is_from_root = rest.starts_with('/') && !(before == ':' && rest.starts_with("//"));
        let begins =
            is_from_root || rest.starts_with("file://") || rest.starts_with("~/") || is_on_drive(rest);
        let is_behind_flag = || is_flag(text[..at].rsplit(is_before).next().unwrap_or_default());
        if at >= end && begins && (is_before(before) || is_from_root && is_behind_flag()) {
            // The colon of a drive or a scheme separates no two paths.
            let lead =
                rest.find(":/").filter(|colon| !rest[..*colon].contains('/')).map_or(0, |colon| colon + 2);
            let ends = |(from, c): (usize, char)| is_end(c) || from >= lead && rest[from..].starts_with(":/");
            end = at + rest.char_indices().find(|one| ends(*one)).map_or(rest.len(), |(from, _)| from);
            words.push(at..end);
        }
        before = c;
    }
    words
}

/// Whether a text is a flag whose value may follow at once: `-I`, `-isystem`.
fn is_flag(text: &str) -> bool {
    text.len() > 1
        && text.starts_with('-')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_made_normal_by_its_letters() {
        let cases = [
            ("src/a.rs", Some("src/a.rs")),
            ("./src//b/../a.rs", Some("src/a.rs")),
            ("src/..", Some(".")),
            ("src/./gen/", Some("src/gen/")),
            ("/home/ada//shop/./src/../a.rs#send", Some("/home/ada/shop/a.rs#send")),
            ("src/**/x.rs", Some("src/**/x.rs")),
            ("src/**/../x.rs", None),
            ("..", None),
            ("src/../../x", None),
            ("/..", None),
        ];
        for (path, expected) in cases {
            assert_eq!(normal(path).as_deref(), expected, "{path}");
        }
    }

    // STO-9: steps are half prose, so that a route is no path.
    #[test]
    fn sto_9_a_step_names_a_path_on_one_machine_or_a_route() {
        let cases = [
            ("cargo test --manifest-path=/home/ada/shop/Cargo.toml", Some("/home/ada/shop/Cargo.toml")),
            ("run `/opt/x/check.sh`, then look", Some("/opt/x/check.sh")),
            ("exists /data/x", Some("/data/x")),
            ("type C:\\Users\\ada\\x.txt", Some("C:\\Users\\ada\\x.txt")),
            ("open file:///srv/x.html", Some("file:///srv/x.html")),
            ("make -C/home/ada/shop/src test", Some("/home/ada/shop/src")),
            ("PATH=bin:/opt/x/bin ./run", Some("/opt/x/bin")),
            ("git log -- src/home/x", None),
            ("GET /home/feed answers 200", None),
            ("open /api/users", None),
            ("open https://example.org/home/x", None),
            ("grep x src/home/a.rs > /dev/null", None),
            ("read the docs at /tmp", None),
            ("grep '/usr/bin/env' src/f6.rs", None),
            ("test -x /usr/bin/env", None),
            ("run `diff /etc/hosts tests/hosts`", None),
            ("grep '/home/ada/shop' src/f6.rs", Some("/home/ada/shop")),
        ];
        for (step, expected) in cases {
            assert_eq!(of_one_machine(step), expected, "{step}");
        }
    }

    #[test]
    fn paths_in_a_text_are_replaced_where_they_are_known() {
        let inside = |path: &str| path.strip_prefix("/r/").map(str::to_owned);
        let text = "grep -n send /r/src/a.rs '/r/src/b.rs' --in=/r/x http://h/r/y /other/z";
        let expected = "grep -n send src/a.rs 'src/b.rs' --in=x http://h/r/y /other/z";
        assert_eq!(replaced(text, inside).as_deref(), Some(expected));
        let text = "make -C/r/src -I/r/a,/r/b -v/r/x:/app -L/other:/r/lib x-C/r/y -a/r/b/c:12";
        let expected = "make -Csrc -Ia,b -vx:/app -L/other:lib x-C/r/y -ab/c:12";
        assert_eq!(replaced(text, inside).as_deref(), Some(expected));
        assert_eq!(replaced("read src/r/a.rs", inside), None);
    }
}
