//! Verification steps that a machine can take (VAL-4). What is not one of these is for a person or an agent to read.

/// A step that can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// `exists PATH`, `test -f PATH`: something is there.
    Exists {
        path: String,
        /// It must be a file, or a folder.
        kind: Wanted,
    },
    /// `grep [-i] [-F] [-w] [-v] PATTERN PATH...`: a pattern is found, or is not. Read here, without starting a program.
    Grep {
        /// What is looked for, as a regular expression.
        pattern: String,
        /// The files, folders or globs.
        paths: Vec<String>,
        /// It must not be found (`! grep`, `grep -L`).
        absent: bool,
    },
    /// `test NAME`: the project's test command with this name.
    Test { name: String },
    /// Anything else that begins with a program: it runs only if it is allowed.
    Command {
        /// The program and its arguments, taken apart without a shell.
        words: Vec<String>,
    },
}

/// What has to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    Any,
    File,
    Folder,
}

impl Step {
    /// Reads a step; the error says why no machine can take it.
    pub fn parse(text: &str) -> Result<Step, String> {
        let text = text.trim().trim_start_matches("$ ");
        let (text, absent) = match text.strip_prefix("! ") {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        let mut words = split(text)?;
        // `grep: X file` is what some write for `grep X file`.
        if let Some(first) = words.first_mut()
            && let Some(word) = first.strip_suffix(':').filter(|word| KINDS.contains(word))
        {
            *first = word.to_owned();
        }
        if words.first().is_some_and(|first| first == "command") {
            words.remove(0);
        }
        let Some((first, rest)) = words.split_first() else {
            return Err("it is empty".to_owned());
        };
        match (first.as_str(), rest) {
            ("exists", [path]) if !absent => Ok(Step::Exists { path: inside(path)?, kind: Wanted::Any }),
            ("test", [flag, path]) if flag.starts_with('-') && !absent => {
                let kind = match flag.as_str() {
                    "-e" => Wanted::Any,
                    "-f" | "-s" | "-r" => Wanted::File,
                    "-d" => Wanted::Folder,
                    other => return Err(format!("`test {other}` is not supported; use -e, -f or -d")),
                };
                Ok(Step::Exists { path: inside(path)?, kind })
            }
            ("test", [name]) if !absent => Ok(Step::Test { name: name.clone() }),
            ("grep" | "rg", rest) => grep(rest, absent),
            _ if absent => Err("`!` is supported only before grep".to_owned()),
            _ => Ok(Step::Command { words }),
        }
    }
}

/// The words that a step may begin with.
const KINDS: &[&str] = &["grep", "exists", "test", "command"];

fn grep(words: &[String], absent: bool) -> Result<Step, String> {
    let mut absent = absent;
    let (mut fixed, mut whole, mut ignore_case) = (false, false, false);
    let mut plain: Vec<&String> = Vec::new();
    let mut flags_over = false;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if flags_over || !word.starts_with('-') || word == "-" {
            plain.push(word);
            continue;
        }
        if word == "--" {
            flags_over = true;
        } else if word == "-e" {
            plain.insert(0, words.next().ok_or("`grep -e` has no pattern")?);
        } else if word.starts_with("--") {
            match word.as_str() {
                "--fixed-strings" => fixed = true,
                "--ignore-case" => ignore_case = true,
                "--word-regexp" => whole = true,
                "--quiet" | "--recursive" | "--line-number" | "--extended-regexp" => {}
                other => return Err(format!("grep {other} is not supported")),
            }
        } else {
            for flag in word.chars().skip(1) {
                match flag {
                    'F' => fixed = true,
                    'i' => ignore_case = true,
                    'w' => whole = true,
                    'L' => absent = !absent,
                    'q' | 'r' | 'R' | 'n' | 'E' | 'l' | 's' | 'H' | 'h' | 'o' | 'P' => {}
                    other => return Err(format!("grep -{other} is not supported")),
                }
            }
        }
    }
    let [pattern, paths @ ..] = plain.as_slice() else {
        return Err("grep needs a pattern and a file".to_owned());
    };
    if paths.is_empty() {
        return Err("grep needs a file".to_owned());
    }
    let mut regex = if fixed { escape(pattern) } else { (*pattern).clone() };
    if whole {
        regex = format!(r"\b(?:{regex})\b");
    }
    if ignore_case {
        regex = format!("(?i){regex}");
    }
    let paths = paths.iter().map(|path| inside(path)).collect::<Result<_, _>>()?;
    Ok(Step::Grep { pattern: regex, paths, absent })
}

fn escape(text: &str) -> String {
    text.chars()
        .flat_map(|c| (!c.is_alphanumeric() && c.is_ascii()).then_some('\\').into_iter().chain([c]))
        .collect()
}

fn inside(path: &str) -> Result<String, String> {
    crate::fields::relative_path(path)?;
    Ok(path.strip_prefix("./").unwrap_or(path).trim_end_matches('/').to_owned())
}

/// Words as a shell would split them. Nothing of a shell is understood beyond quotes, so nothing of one is allowed.
fn split(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (Some('"') | None, '\\') => {
                let next = letters.next().ok_or("it ends with a backslash")?;
                let word = word.get_or_insert_default();
                if quote == Some('"') && !matches!(next, '"' | '\\' | '$' | '`') {
                    word.push('\\');
                }
                word.push(next);
            }
            (Some('"'), '$' | '`') => {
                return Err(
                    "variables and substitutions are not supported: steps run without a shell".to_owned()
                );
            }
            (Some(_), letter) => word.get_or_insert_default().push(letter),
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, letter) if letter.is_whitespace() => words.extend(word.take()),
            (None, '|' | '&' | ';' | '<' | '>' | '$' | '`' | '(' | ')' | '\n') => {
                return Err(format!("`{letter}` is not supported: steps run without a shell"));
            }
            (None, letter) => word.get_or_insert_default().push(letter),
        }
    }
    if quote.is_some() {
        return Err("a quote is not closed".to_owned());
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn val_4_steps_that_a_machine_can_take() {
        let grep = |pattern: &str, absent| Step::Grep {
            pattern: pattern.into(),
            paths: vec!["src/net.rs".into()],
            absent,
        };
        let table = [
            ("exists src/net.rs", Ok(Step::Exists { path: "src/net.rs".into(), kind: Wanted::Any })),
            ("test -d src/", Ok(Step::Exists { path: "src".into(), kind: Wanted::Folder })),
            ("grep -n jitter src/net.rs", Ok(grep("jitter", false))),
            ("$ grep -qF 'a.b(' ./src/net.rs", Ok(grep(r"a\.b\(", false))),
            ("! grep -iw todo src/net.rs", Ok(grep(r"(?i)\b(?:todo)\b", true))),
            ("test retry_works", Ok(Step::Test { name: "retry_works".into() })),
            (
                "command: cargo test 'a b'",
                Ok(Step::Command { words: vec!["cargo".into(), "test".into(), "a b".into()] }),
            ),
            ("command true", Ok(Step::Command { words: vec!["true".into()] })),
            ("grep: jitter src/net.rs", Ok(grep("jitter", false))),
            ("grep x", Err("grep needs a file")),
            ("cargo test; rm -rf .", Err("`;` is not supported: steps run without a shell")),
            ("cargo test $(id)", Err("`$` is not supported: steps run without a shell")),
            (
                "grep x \"$HOME\"",
                Err("variables and substitutions are not supported: steps run without a shell"),
            ),
            ("echo 'a", Err("a quote is not closed")),
            ("exists ../secret", Err("points outside the repository")),
        ];
        let mut wrong = Vec::new();
        for (text, expected) in table {
            let found = Step::parse(text);
            match expected {
                Ok(step) => assert_eq!(found, Ok(step), "{text}"),
                Err(why) if found.clone().is_err_and(|said| said.contains(why)) => {}
                Err(why) => wrong.push(format!("{text}: {why:?} is not in {found:?}")),
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
