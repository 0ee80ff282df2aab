//! What a command line names: files, and what the programs that show contents are pointed at. A line is looked at and never run, so
//! what variables, braces and scripts come to is not known.

/// A word of a command line that could be a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Named {
    /// The path; a pattern where `*` or `?` are in it.
    pub(super) path: String,
    /// The program shows what is in it, and in everything below it.
    pub(super) shown: bool,
}

impl Named {
    pub(super) fn is_pattern(&self) -> bool {
        self.path.contains(['*', '?'])
    }
}

/// Programs that print what is in the files they are given. `for` hands them on to one.
const SHOWING: &[&str] = &[
    "ag", "awk", "bat", "cat", "cut", "diff", "egrep", "fgrep", "for", "grep", "head", "jq", "less", "more",
    "nl", "od", "perl", "rg", "sed", "sort", "strings", "tac", "tail", "uniq", "xxd", "yq",
];
/// The same among what git does.
const GIT_SHOWING: &[&str] = &["blame", "cat-file", "diff", "grep", "log", "show"];
/// Words in front of a program.
const BEFORE: &[&str] = &["command", "do", "env", "nohup", "sudo", "then", "time", "xargs"];
const SHELLS: &[&str] = &["bash", "sh", "zsh"];

/// The words of a line that could be files, from the folder it is run in.
pub(super) fn named(line: &str) -> Vec<Named> {
    let line = line.trim();
    if let Some(inner) = handed_to_a_shell(line) {
        return named(inner);
    }
    let handed_on = line.contains("xargs") || line.contains("-exec");
    let mut folder = String::new();
    let mut found = Vec::new();
    for command in commands(line) {
        let mut words = command.split_whitespace().map(bare).skip_while(|word| {
            word.is_empty() || word.starts_with('-') || word.contains('=') || BEFORE.contains(word)
        });
        let Some(program) = words.next().map(|word| word.rsplit('/').next().unwrap_or(word)) else {
            continue;
        };
        let mut rest = words.filter(|word| !word.starts_with('-'));
        if program == "cd" {
            folder = joined(&folder, rest.next().unwrap_or_default());
            continue;
        }
        let shown = match program {
            "git" => rest.next().is_some_and(|verb| GIT_SHOWING.contains(&verb)),
            "find" => handed_on,
            program => SHOWING.contains(&program),
        };
        for word in candidates(&command) {
            let path = match word.split_once(':') {
                // `REF:PATH` counts from the top of the repository.
                Some((_, path)) if program == "git" && !path.is_empty() => path.to_owned(),
                _ => joined(&folder, word),
            };
            let named = Named { path, shown };
            if shown || !named.is_pattern() {
                found.push(named);
            }
        }
        let recursive = command.split_whitespace().any(|word| {
            word == "--recursive"
                || word.starts_with('-') && !word.starts_with("--") && word.contains(['r', 'R'])
        });
        if !folder.is_empty() && (matches!(program, "rg" | "ag") || program.ends_with("grep") && recursive) {
            found.push(Named { path: folder.clone(), shown });
        }
    }
    found
}

/// What `bash -lc '...'` runs.
fn handed_to_a_shell(line: &str) -> Option<&str> {
    let (shell, rest) = line.split_once(char::is_whitespace)?;
    let (flag, rest) = rest.trim_start().split_once(char::is_whitespace)?;
    let is_shell =
        SHELLS.contains(&shell.rsplit('/').next()?) && flag.starts_with('-') && flag.ends_with('c');
    let rest = rest.trim();
    let within = ['\'', '"'].iter().find_map(|quote| rest.strip_prefix(*quote)?.strip_suffix(*quote));
    is_shell.then(|| within.unwrap_or(rest))
}

/// The commands of a line, each by itself.
fn commands(line: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut quote: Option<char> = None;
    for sign in line.chars() {
        match (quote, sign) {
            (None, '\'' | '"') => quote = Some(sign),
            (Some(open), _) if open == sign => quote = None,
            _ => {}
        }
        match (quote, sign) {
            (None, '|' | ';' | '&' | '\n' | '(' | ')' | '`') => all.push(String::new()),
            _ => all.last_mut().expect("there is always one").push(sign),
        }
    }
    all
}

fn candidates(command: &str) -> impl Iterator<Item = &str> {
    command
        .split(|c: char| c.is_whitespace() || "|;&<>()\"'`$={},".contains(c))
        .filter(|word| !word.starts_with('-') && !word.contains("://"))
        .filter(|word| word.contains(['/', '.', '*']))
        .filter(|word| word.contains(|c: char| c.is_alphanumeric() || c == '*'))
}

fn joined(folder: &str, word: &str) -> String {
    if folder.is_empty() || word.starts_with('/') {
        return word.to_owned();
    }
    format!("{}/{word}", folder.trim_end_matches('/'))
}

fn bare(word: &str) -> &str {
    word.trim_matches(['"', '\''])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_a_shell_would() {
        for (line, wanted) in [
            ("cat src/net.rs", "src/net.rs!"),
            ("cat .kenning/*/*.jsonl", ".kenning/*/*.jsonl!"),
            ("grep -r x .kenning", ".kenning!"),
            ("grep -rn 'a|b' .kenning | head -5", ".kenning!"),
            ("cd .kenning && cat INDEX.md", ".kenning/INDEX.md!"),
            ("cd .kenning; cd lessons && cat *", ".kenning/lessons/*!"),
            ("cd .kenning && rg jitter", ".kenning!"),
            ("cd .kenning && ls", ""),
            ("git show HEAD:.kenning/INDEX.md", ".kenning/INDEX.md!"),
            ("git add .kenning", ".kenning"),
            ("git commit -m 'x' -- .kenning/*", ""),
            ("ls -l .kenning", ".kenning"),
            ("bash -lc \"cd .kenning && head -3 INDEX.md\"", ".kenning/INDEX.md!"),
            ("bash -lc cat .kenning/INDEX.md", ".kenning/INDEX.md!"),
            ("LC_ALL=C sudo sed -n 1,9p .kenning/INDEX.md", ".kenning/INDEX.md!"),
            ("find .kenning -type f | xargs cat", ".kenning!"),
            ("find .kenning -type f", ".kenning"),
            ("curl https://x.example/a.md", ""),
            ("echo 'open", ""),
        ] {
            let found: Vec<String> = named(line)
                .into_iter()
                .map(|named| format!("{}{}", named.path, if named.shown { "!" } else { "" }))
                .collect();
            assert_eq!(found.join(" "), wanted, "{line}");
        }
    }
}
