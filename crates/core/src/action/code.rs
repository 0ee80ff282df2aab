//! Programs in other languages that stand on a command line: which commands they start, and which files they write.
//!
//! Only calls with literal arguments are read. `python -c "print('git push -f')"` starts nothing; a string is no call.

use std::collections::BTreeMap;

use super::UNKNOWN;
use super::invocation::Mode;

use crate::limits::action_code::{CALL_TOKENS_MAX, CHARS_MAX, EFFECTS_MAX};

/// What a program does to the world, as far as its text says.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Effect {
    /// It runs a line in a shell.
    Shell(String),
    /// It starts a program without a shell.
    Words(Vec<String>),
    /// It changes a file.
    File { path: String, mode: Mode },
    /// It writes a text to some file.
    Text(String),
}

/// Where an interpreter gets its program from.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Source {
    Text(String),
    Input,
    File,
}

pub(super) fn is_interpreter(program: &str) -> bool {
    let bare = program.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.');
    matches!(bare, "python" | "pypy" | "node" | "nodejs" | "perl" | "ruby" | "php" | "awk" | "gawk" | "mawk")
}

/// The program that stands on the line, if one does.
pub(super) fn inline(program: &str, words: &[String]) -> Source {
    let bare = program.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.');
    if matches!(bare, "awk" | "gawk" | "mawk") {
        let mut skips = false;
        let script = words.iter().find(|word| {
            let is_value = std::mem::replace(&mut skips, matches!(word.as_str(), "-F" | "-v" | "-i" | "-f"));
            !is_value && !word.starts_with('-')
        });
        return script.map_or(Source::File, |script| Source::Text(script.clone()));
    }
    let letters: &[char] = match bare {
        "python" | "pypy" => &['c'],
        "php" => &['r'],
        "node" | "nodejs" => &['e', 'p'],
        _ => &['e', 'E'],
    };
    let mut words = words.iter();
    let mut text = String::new();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-" => return Source::Input,
            "--eval" | "--print" => text.extend(words.next().map(String::as_str)),
            option if option.starts_with("--") => {}
            option if option.starts_with('-') => {
                if option.ends_with(letters) {
                    text.extend(words.next().map(String::as_str));
                    text.push('\n');
                    if bare == "python" || bare == "pypy" {
                        break;
                    }
                }
            }
            _ => return if text.is_empty() { Source::File } else { Source::Text(text) },
        }
    }
    if text.is_empty() { Source::Input } else { Source::Text(text) }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// A name, with the dots in it.
    Name(String),
    Text(String),
    Command(String),
    Sign(char),
}

/// What the calls in a program do.
pub(super) fn effects(interpreter: &str, program: &str) -> Vec<Effect> {
    // Backticks run a command in these, and quote a text in JavaScript.
    let runs_backticks = ["ruby", "perl", "php"].iter().any(|name| interpreter.starts_with(name));
    let tokens = joined(tokens(program, runs_backticks));
    let mut known: BTreeMap<&str, String> = BTreeMap::new();
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        if found.len() >= EFFECTS_MAX {
            break;
        }
        match &tokens[at] {
            Token::Name(name) => {
                remember(&tokens, at, name, &mut known);
                if tokens.get(at + 1) == Some(&Token::Sign('(')) {
                    call(name, &tokens, at + 2, &known, &mut found);
                }
            }
            Token::Command(line) => found.push(Effect::Shell(line.clone())),
            Token::Text(_) | Token::Sign(_) => {}
        }
    }
    found
}

/// Notes what a name stands for: `p = "a"`, `p = Path("a")`, `for p in Path("a").glob("*")`.
fn remember<'a>(tokens: &'a [Token], at: usize, name: &'a str, known: &mut BTreeMap<&'a str, String>) {
    if let (Some(Token::Sign('=')), Some(next)) = (tokens.get(at + 1), tokens.get(at + 2)) {
        match (next, tokens.get(at + 3), tokens.get(at + 4)) {
            (Token::Text(text), ..) => drop(known.insert(name, text.clone())),
            (Token::Name(path), Some(Token::Sign('(')), Some(Token::Text(text)))
                if path.ends_with("Path") =>
            {
                known.insert(name, text.clone());
            }
            _ => {}
        }
    }
    if name == "for"
        && let (Some(Token::Name(variable)), Some(Token::Name(word))) =
            (tokens.get(at + 1), tokens.get(at + 2))
        && word == "in"
    {
        let rest =
            tokens[at + 3..].iter().take(CALL_TOKENS_MAX).take_while(|token| **token != Token::Sign(':'));
        let text = rest.filter_map(|token| match token {
            Token::Text(text) => Some(text),
            Token::Name(_) | Token::Command(_) | Token::Sign(_) => None,
        });
        let mut texts = text.take(2);
        let value = match (texts.next(), texts.next()) {
            (Some(folder), Some(pattern)) if !folder.contains('*') => format!("{folder}/{pattern}"),
            (Some(text), _) if text.contains('*') => text.clone(),
            (Some(text), _) => format!("{text}/{UNKNOWN}"),
            (None, _) => return,
        };
        known.insert(variable, value);
    }
}

fn call(name: &str, tokens: &[Token], at: usize, known: &BTreeMap<&str, String>, found: &mut Vec<Effect>) {
    let (owner, method) = name.rsplit_once('.').unwrap_or(("", name));
    let arguments = arguments(tokens, at, known);
    let path = |number: usize| match arguments.get(number) {
        Some(Argument::Text(text)) => Some(text.clone()),
        Some(Argument::List(_) | Argument::Other) | None => None,
    };
    let mut file = |path: Option<String>, mode: Mode| {
        found.extend(path.map(|path| Effect::File { path, mode }));
    };
    match method {
        "system"
        | "popen"
        | "Popen"
        | "run"
        | "call"
        | "check_call"
        | "check_output"
        | "getoutput"
        | "getstatusoutput"
        | "exec"
        | "execSync"
        | "spawn"
        | "spawnSync"
        | "execFile"
        | "execFileSync"
        | "shell_exec"
        | "passthru"
        | "capture2"
        | "capture2e"
        | "capture3"
        | "create_subprocess_shell" => {
            match arguments.as_slice() {
                [Argument::Text(program), Argument::List(words), ..] => {
                    let words = std::iter::once(program.clone()).chain(words.iter().cloned());
                    found.push(Effect::Words(words.collect()));
                }
                [Argument::List(words), ..] => found.push(Effect::Words(words.clone())),
                // Perl and Ruby: `system("git", "push", "-f")`.
                [Argument::Text(program), Argument::Text(_), ..] if !program.contains(' ') => {
                    let words = arguments.iter().map_while(|argument| match argument {
                        Argument::Text(text) => Some(text.clone()),
                        Argument::List(_) | Argument::Other => None,
                    });
                    found.push(Effect::Words(words.collect()));
                }
                [Argument::Text(line), ..] => found.push(Effect::Shell(line.clone())),
                [Argument::Other, ..] | [] => {}
            }
        }
        "open" => {
            let modes = arguments.iter().skip(1).filter_map(|argument| match argument {
                Argument::Text(text) => Some(text.as_str()),
                Argument::List(_) | Argument::Other => None,
            });
            for mode in modes {
                let is_mode = mode.len() <= 3 && mode.chars().all(|char| "rwaxbt+<>".contains(char));
                if is_mode && mode.contains(['w', 'a', 'x', '+', '>']) {
                    let written = if mode.contains('a') { Mode::Append } else { Mode::Replace };
                    // Perl names the file last.
                    let at = if mode.contains('>') { 2 } else { 0 };
                    file(path(at), written);
                    return;
                }
            }
            // `Path("a").open("w")` and `p.open("w")`.
            if let Some(mode) = path(0).filter(|mode| matches!(mode.as_str(), "w" | "a" | "wb" | "x" | "w+"))
            {
                let written = if mode.contains('a') { Mode::Append } else { Mode::Replace };
                file(owner_path(owner, tokens, at, known), written);
            }
        }
        "write_text" | "write_bytes" | "touch" => file(owner_path(owner, tokens, at, known), Mode::Replace),
        "unlink" if path(0).is_none() => file(owner_path(owner, tokens, at, known), Mode::Remove),
        "write" if owner != "File" && owner != "IO" && owner != "Bun" => {
            found.extend(path(0).map(Effect::Text));
        }
        "writeFileSync" | "writeFile" | "file_put_contents" => file(path(0), Mode::Replace),
        "write" if owner == "File" || owner == "IO" || owner == "Bun" => file(path(0), Mode::Replace),
        "appendFileSync" | "appendFile" => file(path(0), Mode::Append),
        "remove" | "unlink" | "unlinkSync" | "rmSync" | "rmtree" | "rm_rf" | "removedirs" | "rmdir" => {
            file(path(0), Mode::Remove);
        }
        "delete" if owner == "File" => file(path(0), Mode::Remove),
        "rename" | "renameSync" | "replace" | "move"
            if path(1).is_some() && matches!(owner, "os" | "shutil" | "fs" | "File" | "FileUtils") =>
        {
            file(path(0), Mode::Remove);
            file(path(1), Mode::Replace);
        }
        "copy" | "copy2" | "copyfile" | "copytree" | "copyFileSync" | "cpSync" | "cp" => {
            file(path(1), Mode::Replace);
        }
        _ => {}
    }
}

/// The path that a method is called on: `Path("a").write_text(`, or a name that stands for one.
fn owner_path(owner: &str, tokens: &[Token], at: usize, known: &BTreeMap<&str, String>) -> Option<String> {
    if let Some(path) = known.get(owner) {
        return Some(path.clone());
    }
    // `at` is after the `(` of the call; before it are `)`, `.name` and `(`.
    let mut before = tokens.get(..at.checked_sub(2)?)?.iter().rev().peekable();
    before.next_if(|token| **token == Token::Sign(')'))?;
    while before.next_if(|token| **token == Token::Sign(')')).is_some() {}
    match before.next()? {
        Token::Text(text) => Some(text.clone()),
        Token::Name(name) => known.get(name.as_str()).cloned(),
        Token::Command(_) | Token::Sign(_) => None,
    }
}

enum Argument {
    Text(String),
    List(Vec<String>),
    Other,
}

/// The arguments of a call, from after its `(`.
fn arguments(tokens: &[Token], begin: usize, known: &BTreeMap<&str, String>) -> Vec<Argument> {
    let mut found = Vec::new();
    let mut at = begin;
    let value = |token: &Token| match token {
        Token::Text(text) => Some(text.clone()),
        Token::Name(name) => known.get(name.as_str()).cloned(),
        Token::Command(_) | Token::Sign(_) => None,
    };
    let tokens = &tokens[..tokens.len().min(begin + CALL_TOKENS_MAX)];
    while let Some(token) = tokens.get(at) {
        match token {
            Token::Sign(')') => return found,
            Token::Sign('[') => {
                let mut words = Vec::new();
                at += 1;
                while let Some(token) = tokens.get(at) {
                    match token {
                        Token::Sign(']') => break,
                        Token::Sign(_) => {}
                        other => words.push(value(other).unwrap_or_else(|| UNKNOWN.to_string())),
                    }
                    at += 1;
                }
                found.push(Argument::List(words));
            }
            // `Path("a")` as an argument, and `f"..."`.
            Token::Name(name) if name.ends_with("Path") && tokens.get(at + 1) == Some(&Token::Sign('(')) => {
                found.push(tokens.get(at + 2).and_then(value).map_or(Argument::Other, Argument::Text));
                at += 3;
            }
            other => found.push(value(other).map_or(Argument::Other, Argument::Text)),
        }
        // Up to the next argument.
        let mut open = 0usize;
        at += 1;
        while let Some(token) = tokens.get(at) {
            match token {
                Token::Sign('(' | '[' | '{') => open += 1,
                Token::Sign(')') if open == 0 => return found,
                Token::Sign(')' | ']' | '}') => open = open.saturating_sub(1),
                Token::Sign(',') if open == 0 => {
                    at += 1;
                    break;
                }
                Token::Name(_) | Token::Text(_) | Token::Command(_) | Token::Sign(_) => {}
            }
            at += 1;
        }
    }
    found
}

/// Puts paths together that are made of parts: `Path("a") / "b"`, `os.path.join("a", "b")`.
fn joined(tokens: Vec<Token>) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let mut rest = tokens.into_iter().peekable();
    while let Some(token) = rest.next() {
        match (&token, found.as_slice()) {
            (Token::Text(part), [.., Token::Text(_), Token::Sign(')'), Token::Sign('/')]) => {
                let at = found.len() - 3;
                if let Token::Text(text) = &mut found[at] {
                    *text = format!("{text}/{part}");
                }
                found.pop();
            }
            (Token::Name(name), _) if name.ends_with("path.join") || name == "join" => {
                let mut parts = Vec::new();
                if rest.peek() == Some(&Token::Sign('(')) {
                    for token in rest.by_ref().take_while(|token| *token != Token::Sign(')')) {
                        match token {
                            Token::Text(text) => parts.push(text),
                            Token::Name(_) => parts.push(UNKNOWN.to_string()),
                            Token::Command(_) | Token::Sign(_) => {}
                        }
                    }
                }
                found.push(Token::Text(parts.join("/")));
            }
            _ => found.push(token),
        }
    }
    found
}

fn tokens(program: &str, runs_backticks: bool) -> Vec<Token> {
    let chars: Vec<char> = program.chars().take(CHARS_MAX).collect();
    let mut found = Vec::new();
    let mut at = 0;
    let is_name = |char: char| char == '_' || char.is_alphanumeric();
    while let Some(&char) = chars.get(at) {
        match char {
            '#' => {
                while chars.get(at).is_some_and(|char| *char != '\n') {
                    at += 1;
                }
            }
            '\'' | '"' | '`' => {
                let is_triple =
                    char != '`' && chars.get(at + 1) == Some(&char) && chars.get(at + 2) == Some(&char);
                let width = if is_triple { 3 } else { 1 };
                at += width;
                let mut text = String::new();
                while let Some(&inner) = chars.get(at) {
                    let closes = (0..width).all(|ahead| chars.get(at + ahead) == Some(&char));
                    if closes {
                        break;
                    }
                    if inner == '\\' {
                        at += 1;
                        match chars.get(at) {
                            Some('n') => text.push('\n'),
                            Some('t') => text.push('\t'),
                            Some(other) => text.push(*other),
                            None => {}
                        }
                    } else {
                        text.push(inner);
                    }
                    at += 1;
                }
                at += width;
                found.push(if char == '`' && runs_backticks {
                    Token::Command(text)
                } else {
                    Token::Text(text)
                });
            }
            char if is_name(char) || (char == '.' && chars.get(at + 1).copied().is_some_and(is_name)) => {
                let begin = at;
                at += 1;
                while chars.get(at).copied().is_some_and(is_name)
                    || (chars.get(at) == Some(&'.') && chars.get(at + 1).copied().is_some_and(is_name))
                {
                    at += 1;
                }
                let name: String = chars[begin..at].iter().collect();
                // `f"..."` is a text.
                let is_prefix = name.len() <= 2 && matches!(chars.get(at), Some('"' | '\''));
                if !is_prefix {
                    found.push(Token::Name(name));
                }
            }
            char if char.is_whitespace() => at += 1,
            other => {
                found.push(Token::Sign(other));
                at += 1;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_read_and_texts_are_not() {
        let shell = |line: &str| Effect::Shell(line.to_owned());
        let words = |line: &str| Effect::Words(line.split(' ').map(str::to_owned).collect());
        let file = |path: &str, mode| Effect::File { path: path.to_owned(), mode };
        for (program, expected) in [
            ("import os; os.system('git push -f')", vec![shell("git push -f")]),
            ("subprocess.run(['git', 'push', x], check=True)", vec![words("git push \0")]),
            ("spawnSync('git', ['push'])", vec![words("git push")]),
            ("print('os.system(\"git push\")')", vec![]),
            ("# os.system('git push')\nx = 1", vec![]),
            ("open('a', 'w').write('x')", vec![file("a", Mode::Replace), Effect::Text("x".to_owned())]),
            ("open('a').read()", vec![]),
            ("p = Path('a')\np.write_text(p.read_text())", vec![file("a", Mode::Replace)]),
            ("Path('a').write_text('x')", vec![file("a", Mode::Replace)]),
            ("shutil.move('a', 'b')", vec![file("a", Mode::Remove), file("b", Mode::Replace)]),
            ("for p in Path('a').glob('*.ts'):\n  p.write_text('')", vec![file("a/*.ts", Mode::Replace)]),
            ("(Path('a') / 'b' / 'c').write_text('')", vec![file("a/b/c", Mode::Replace)]),
            ("open(os.path.join('a', 'b'), 'w')", vec![file("a/b", Mode::Replace)]),
            ("require('fs').writeFileSync('a', 'x')", vec![file("a", Mode::Replace)]),
        ] {
            assert_eq!(effects("python3", program), expected, "{program}");
        }
    }
}
