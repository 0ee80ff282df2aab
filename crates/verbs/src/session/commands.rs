//! Which commands say something about the work by how they end.

/// Programs that look at something: that nothing was found is no failure, and that something was is no success.
const LOOKING: &[&str] = &[
    "[", "awk", "cat", "cd", "command", "cut", "diff", "du", "echo", "env", "fd", "file", "find", "grep",
    "head", "history", "jq", "ken", "kill", "less", "ls", "ps", "pwd", "rg", "sed", "sleep", "sort", "stat",
    "tail", "test", "tree", "true", "type", "wc", "which",
];

/// A name for a command whose end says something, the same for the same command; its words are kept nowhere.
///
/// In a pipe, and where one command follows another whatever became of it, the last one speaks for all: that says nothing.
pub(super) fn name(line: &str) -> Option<String> {
    let parts = together(line)?;
    let mut telling: Vec<Vec<&str>> = parts.iter().map(|part| words(part)).collect();
    // Where it was done is not what was done.
    telling.retain(|words| words.first() != Some(&"cd"));
    let looks = |words: &Vec<&str>| words.first().is_none_or(|first| LOOKING.contains(&program(first)));
    if telling.iter().all(looks) {
        return None;
    }
    let plain: Vec<String> = telling.iter().map(|words| words.join(" ")).collect();
    Some(blake3::hash(plain.join(" && ").as_bytes()).to_hex()[..16].to_owned())
}

/// The commands of a line that must all succeed for it to succeed; none where that is not so.
fn together(line: &str) -> Option<Vec<String>> {
    let mut parts = vec![String::new()];
    let mut quote: Option<char> = None;
    let mut signs = line.trim().trim_end_matches(';').chars().peekable();
    while let Some(sign) = signs.next() {
        let part = parts.last_mut()?;
        match (quote, sign) {
            (Some(open), _) => {
                part.push(sign);
                if sign == open {
                    quote = None;
                }
            }
            (None, '\'' | '"') => {
                part.push(sign);
                quote = Some(sign);
            }
            (None, '\\') => {
                part.push(sign);
                part.extend(signs.next());
            }
            (None, '&') if signs.peek() == Some(&'&') => {
                signs.next();
                parts.push(String::new());
            }
            // `2>&1` and `&>file` send output somewhere, and are no end of a command.
            (None, '&') if part.ends_with('>') || signs.peek() == Some(&'>') => part.push(sign),
            (None, '|' | ';' | '&' | '\n' | '`') => return None,
            (None, _) => part.push(sign),
        }
    }
    quote.is_none().then_some(parts)
}

/// The words of a command, without what is set for it and where its output goes.
fn words(part: &str) -> Vec<&str> {
    let is_set = |word: &&str| {
        word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        })
    };
    let sends = |word: &&str| ["2>&1", "&>/dev/null", ">/dev/null", "2>/dev/null"].contains(word);
    part.split_whitespace().skip_while(is_set).filter(|word| !sends(word)).collect()
}

fn program(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_command_has_the_same_name() {
        for (one, other) in [
            ("cargo test", "  cargo   test "),
            ("cargo test", "cargo test 2>&1"),
            ("cargo test", "cd crates/core && cargo test"),
            ("npm test", "CI=1 npm test;"),
            ("make a && make b", "make a  &&  make b"),
        ] {
            assert!(name(one).is_some() && name(one) == name(other), "{one} {other}");
        }
        assert_ne!(name("cargo test"), name("cargo test --all"));
    }

    #[test]
    fn what_says_nothing_has_no_name() {
        for line in [
            "",
            "   ",
            "ls -l",
            "grep -r x .",
            "/usr/bin/rg x",
            "cd src",
            "cargo test | tail -5",
            "cargo test || true",
            "cargo test; echo done",
            "cargo test &",
            "test -f x && echo y",
            "echo `make`",
            "echo 'open",
            "A=1",
        ] {
            assert_eq!(name(line), None, "{line}");
        }
        for line in [
            "pytest -k 'a|b'",
            "make \"x;y\"",
            "grep x y && make",
            "npm run build &> log",
            "go test ./... > out",
        ] {
            assert!(name(line).is_some(), "{line}");
        }
    }
}
