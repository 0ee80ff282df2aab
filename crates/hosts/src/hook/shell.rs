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
/// The words of a line that could be files, from the folder it is run in.
pub(super) fn named(line: &str) -> Vec<Named> {
    let handed_on = ["xargs", "parallel", "-exec"].iter().any(|word| line.contains(word));
    let mut found = Vec::new();
    for command in ken_shell::commands(line) {
        let (program, folder) = (command.program(), command.folder.as_str());
        let mut operands = command.words.iter().skip(1).filter(|word| !word.starts_with('-'));
        let shown = match program {
            "git" => operands.next().is_some_and(|verb| GIT_SHOWING.contains(&verb.as_str())),
            "find" => handed_on,
            program => SHOWING.contains(&program),
        };
        for word in command.words.iter().chain(&command.beside).flat_map(|word| candidates(word)) {
            let path = match word.split_once(':') {
                // `REF:PATH` counts from the top of the repository.
                Some((_, path)) if program == "git" && !path.is_empty() => path.to_owned(),
                _ => joined(folder, word),
            };
            let named = Named { path, shown };
            if shown || !named.is_pattern() {
                found.push(named);
            }
        }
        // What is in a heredoc is named, and not shown.
        let told = command.input.iter().flat_map(|text| candidates(text));
        let told = told.map(|word| Named { path: joined(folder, word), shown: false });
        found.extend(told.filter(|named| !named.is_pattern()));
        let recursive = command.words.iter().any(|word| {
            word == "--recursive"
                || word.starts_with('-') && !word.starts_with("--") && word.contains(['r', 'R'])
        });
        if !folder.is_empty() && (matches!(program, "rg" | "ag") || program.ends_with("grep") && recursive) {
            found.push(Named { path: folder.to_owned(), shown });
        }
    }
    found
}

fn candidates(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || "|;&<>()\"'`$={},".contains(c))
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
            ("(cd docs && ls); cat .kenning/INDEX.md", ".kenning/INDEX.md!"),
            ("timeout 5 cat .kenning/INDEX.md > out.txt", ".kenning/INDEX.md! out.txt!"),
            ("tee notes.md <<E\nsee src/net.rs\nE", "notes.md src/net.rs"),
        ] {
            let found: Vec<String> = named(line)
                .into_iter()
                .map(|named| format!("{}{}", named.path, if named.shown { "!" } else { "" }))
                .collect();
            assert_eq!(found.join(" "), wanted, "{line}");
        }
    }
}
