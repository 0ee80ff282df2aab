//! Which commands say something about the work by how they end, and how a command ended that another one speaks for.

use ken_language::WordList;

use super::summary;

/// Programs that look at something: that nothing was found is no failure, and that something was is no success.
static LOOKING: WordList = WordList::new(include_str!("../../words/session/looking.txt"));
/// What is done before a command, and is no part of what was done.
const PREPARING: &[&str] = &["cd", "export", "pushd", "set", "source", ".", "unset"];
/// Programs at the end of a pipe that pass on what they read. They do not fail by themselves.
static PASSING: WordList = WordList::new(include_str!("../../words/session/passing_commands.txt"));
/// The same, but they fail where they find nothing.
const SEARCHING: &[&str] = &["awk", "egrep", "fgrep", "grep", "rg", "sed", "wc"];
const SHELLS: &[&str] = &["bash", "sh", "zsh"];

/// A command whose end may say something.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Command {
    /// The same for the same command, with and without a filter; its words are kept nowhere.
    pub(crate) name: String,
    /// The names of its parts that must all succeed, in their order.
    pub(crate) steps: Vec<String>,
    /// What its exit code says.
    exit_code: ExitCode,
    /// What its output can tell.
    output: Output,
}

/// What the exit code of a whole line says about the command in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExitCode {
    /// It is the command's own.
    Own,
    /// A failure is the command's; a success may be the filter's.
    OwnFailure,
    /// A success is the command's; a failure may be the filter's.
    OwnSuccess,
    /// It is another one's.
    Foreign,
}

/// What the output of a line tells.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Output {
    /// The lines with which programs sum up how they ended.
    Summary,
    /// The same, but only its beginning, or lines that somebody chose: that no failure is in it says nothing.
    Part,
    /// The exit code, between two texts: `cmd; echo "exit: $?"`.
    Echoed { before: String, after: String },
}

impl Command {
    /// Whether it succeeded, by what the host says and by what was printed.
    pub(crate) fn succeeded(&self, told: Option<bool>, output: &str) -> Option<bool> {
        match (self.exit_code, told) {
            (ExitCode::Own, Some(told)) => return Some(told),
            (ExitCode::OwnFailure, Some(false)) => return Some(false),
            (ExitCode::OwnSuccess, Some(true)) => return Some(true),
            (ExitCode::Own, None) | (ExitCode::OwnFailure | ExitCode::OwnSuccess | ExitCode::Foreign, _) => {}
        }
        match &self.output {
            Output::Summary => summary::succeeded(output),
            Output::Part => summary::succeeded(output).filter(|succeeded| !succeeded),
            Output::Echoed { before, after } => {
                let last = output.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
                let code = last.strip_prefix(before.as_str())?.strip_suffix(after.as_str())?;
                code.trim().parse::<u8>().ok().map(|code| code == 0)
            }
        }
    }
}

/// The command of a line, where how it ends says something.
///
/// Parts that must all succeed (`a && b`) are one command. A filter at the end of a pipe is no part of it, nor is what only looks
/// afterwards (`a; tail log`, `a || true`): then the exit code is another one's, and the output tells.
pub(crate) fn command(line: &str) -> Option<Command> {
    let line = handed_to_a_shell(line.trim());
    let mut steps = steps(line)?;
    let mut pipefail = false;
    // Where it was done, and with which settings, is not what was done.
    let prepares = |step: &Step| {
        let first = words(&step.parts[0]).first().cloned().unwrap_or_default();
        step.parts.len() == 1 && PREPARING.contains(&first.as_str()) && step.then != Some(Then::Or)
    };
    steps.retain(|step| {
        let is_aside = prepares(step);
        pipefail |= is_aside && step.parts[0].contains("pipefail");
        !is_aside
    });
    let last_chained = steps.iter().position(|step| step.then != Some(Then::And))?;
    let (chain, after) = steps.split_at(last_chained + 1);
    let then = chain.last()?.then;
    let mut exit_code = ExitCode::Own;
    let mut output = Output::Summary;
    let mut plain: Vec<String> = Vec::new();
    let mut looks = true;
    for step in chain {
        let (first, filters) = step.parts.split_first()?;
        let first = words(first);
        for filter in filters {
            let filter = words(filter);
            let program = filter.first().map(|first| program(first).to_owned()).unwrap_or_default();
            let passes = PASSING.contains(program.as_str());
            if !passes && !SEARCHING.contains(&program.as_str()) {
                return None;
            }
            exit_code = match (passes, pipefail, exit_code) {
                (true, true, code) => code,
                (true, false, ExitCode::Own) => ExitCode::OwnFailure,
                (false, true, ExitCode::Own) => ExitCode::OwnSuccess,
                _ => ExitCode::Foreign,
            };
            if program == "head" || !passes && !shows_failures(&filter) {
                output = Output::Part;
            }
        }
        looks &= first.first().is_none_or(|first| LOOKING.contains(program(first)));
        plain.push(first.join(" "));
    }
    if looks || plain.iter().all(String::is_empty) {
        return None;
    }
    match then {
        None => {}
        // What follows whatever happened must only look; else its end is the end of both.
        Some(Then::Next | Then::Or) => {
            let only_looks = |step: &Step| {
                step.parts
                    .iter()
                    .all(|part| words(part).first().is_some_and(|first| LOOKING.contains(program(first))))
            };
            if !after.iter().all(only_looks) {
                return None;
            }
            let is_filtered = chain.iter().any(|step| step.parts.len() > 1);
            if let Some(echoed) = after.last().and_then(|step| echoed(step, is_filtered)) {
                output = echoed;
            }
            exit_code = ExitCode::Foreign;
        }
        Some(Then::And | Then::Background) => return None,
    }
    let name = |text: &str| blake3::hash(text.as_bytes()).to_hex()[..16].to_owned();
    let steps = plain.iter().map(|step| name(step)).collect();
    Some(Command { name: name(&plain.join(" && ")), steps, exit_code, output })
}

/// Whether lines that tell of a failure get through a search: one for `ok` alone shows nothing else.
fn shows_failures(filter: &[String]) -> bool {
    const WANTED: &[&str] = &["fail", "error", "result", "tests", "passed"];
    let text = filter.join(" ").to_lowercase();
    let inverts = filter.iter().any(|word| word.starts_with("-v") || word == "--invert-match");
    let only_ok = text.contains("ok") && !text.contains("fail") && !text.contains("error");
    inverts || WANTED.iter().any(|word| text.contains(word)) && !only_ok
}

/// `echo $?` at the end: what stands around the exit code. After a pipe it is the filter's.
fn echoed(step: &Step, is_filtered: bool) -> Option<Output> {
    let [part] = step.parts.as_slice() else { return None };
    let words = part.trim().strip_prefix("echo ")?.trim().replace(['"', '\''], "");
    let sign = if is_filtered { "${PIPESTATUS[0]}" } else { "$?" };
    let (before, after) = words.split_once(sign)?;
    let is_plain = |text: &str| !text.contains('$');
    (is_plain(before) && is_plain(after))
        .then(|| Output::Echoed { before: before.trim().to_owned(), after: after.trim().to_owned() })
}

/// What `bash -lc '...'` runs.
fn handed_to_a_shell(line: &str) -> &str {
    let inner = || {
        let (shell, rest) = line.split_once(char::is_whitespace)?;
        let (flag, rest) = rest.trim_start().split_once(char::is_whitespace)?;
        let is_shell = SHELLS.contains(&program(shell)) && flag.starts_with('-') && flag.ends_with('c');
        let rest = rest.trim();
        let within = ['\'', '"'].iter().find_map(|quote| rest.strip_prefix(*quote)?.strip_suffix(*quote));
        is_shell.then(|| within.unwrap_or(rest))
    };
    inner().unwrap_or(line)
}

/// A pipe, and what stands between it and the next.
#[derive(Debug)]
struct Step {
    parts: Vec<String>,
    then: Option<Then>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `;`
    Next,
    /// `&`
    Background,
}

/// The steps of a line; none where a shell would read it otherwise.
fn steps(line: &str) -> Option<Vec<Step>> {
    let new = || Step { parts: vec![String::new()], then: None };
    let mut steps = vec![new()];
    let mut quote: Option<char> = None;
    let mut signs = line.trim().trim_end_matches(';').chars().peekable();
    while let Some(sign) = signs.next() {
        let step = steps.last_mut()?;
        let part = step.parts.last_mut()?;
        let then = match (quote, sign) {
            (Some(open), _) => {
                part.push(sign);
                if sign == open {
                    quote = None;
                }
                None
            }
            (None, '\'' | '"') => {
                part.push(sign);
                quote = Some(sign);
                None
            }
            (None, '\\') => {
                let next = signs.next();
                // A line that goes on below.
                part.extend([sign, next.unwrap_or(' ')].iter().filter(|_| next != Some('\n')));
                None
            }
            (None, '&') if signs.peek() == Some(&'&') => {
                signs.next();
                Some(Then::And)
            }
            // `2>&1` and `&>file` send output somewhere, and are no end of a command.
            (None, '&') if part.ends_with('>') || signs.peek() == Some(&'>') => {
                part.push(sign);
                None
            }
            (None, '&') => Some(Then::Background),
            (None, '|') if signs.peek() == Some(&'|') => {
                signs.next();
                Some(Then::Or)
            }
            (None, '|') => {
                if signs.peek() == Some(&'&') {
                    signs.next();
                }
                step.parts.push(String::new());
                None
            }
            (None, ';' | '\n') => Some(Then::Next),
            (None, '`') => return None,
            (None, _) => {
                part.push(sign);
                None
            }
        };
        if then.is_some() {
            step.then = then;
            steps.push(new());
        }
    }
    let is_empty = |step: &Step| step.parts.iter().all(|part| part.trim().is_empty());
    // A line that ends with `&` has nothing after it, and is not over.
    let ends_open = steps.len() > 1 && steps.last().is_some_and(is_empty);
    if ends_open {
        steps.pop();
        if let Some(last) = steps.last_mut().filter(|last| last.then == Some(Then::Next)) {
            last.then = None;
        }
    }
    let whole = steps.iter().all(|step| step.parts.iter().all(|part| !part.trim().is_empty()));
    (quote.is_none() && whole).then_some(steps)
}

/// The words of a command, without what is set for it, what it is run by, and where its output goes.
fn words(part: &str) -> Vec<String> {
    let is_set = |word: &str| {
        word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        })
    };
    let mut rest = part.split_whitespace().skip_while(|word| is_set(word)).peekable();
    // `time`, `nice -n 5` and `timeout 60` run something else.
    while let Some(runner) = rest.peek().copied().filter(|word| ["nice", "time", "timeout"].contains(word)) {
        rest.next();
        while rest.peek().is_some_and(|word| word.starts_with('-') || is_amount(word)) {
            rest.next();
        }
        if rest.peek().is_none() {
            return vec![runner.to_owned()];
        }
    }
    let mut found = Vec::new();
    while let Some(word) = rest.next() {
        let bare = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&');
        match bare.strip_prefix(">>").or(bare.strip_prefix('>')) {
            Some("") => drop(rest.next()),
            Some(_) => {}
            None => found.push(word.to_owned()),
        }
    }
    found
}

/// `60`, `5m`.
fn is_amount(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
        && word.trim_end_matches(['s', 'm', 'h']).chars().all(|c| c.is_ascii_digit() || c == '.')
}

fn program(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(line: &str) -> Option<String> {
        command(line).map(|command| command.name)
    }

    #[test]
    fn the_same_command_has_the_same_name() {
        for (one, other) in [
            ("cargo test", "  cargo   test "),
            ("cargo test", "cargo test 2>&1"),
            ("cargo test", "cd crates/core && cargo test"),
            ("cargo test", "cd crates/core; cargo test"),
            ("cargo test", "cargo test 2>&1 | tail -40"),
            ("cargo test", "cargo test | tee log | grep FAILED"),
            ("cargo test", "cargo test > log 2>&1; tail -5 log"),
            ("cargo test", "cargo test; echo $?"),
            ("cargo test", "cargo test || true"),
            ("cargo test", "set -o pipefail; cargo test | tail"),
            ("cargo test", "set -euo pipefail\ncargo test | tail"),
            ("cargo test", "bash -lc 'cargo test 2>&1 | tail'"),
            ("cargo test", "timeout 600 cargo test"),
            ("npm test", "CI=1 npm test;"),
            ("make a && make b", "make a  &&  make b | tail"),
        ] {
            assert!(name(one).is_some() && name(one) == name(other), "{one} {other}");
        }
        assert_ne!(name("cargo test"), name("cargo test --all"));
        assert_ne!(name("make a && make b"), name("make b"));
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
            "cargo test &",
            "cargo test & echo started",
            "make a; make b",
            "make a || make b",
            "cat x | python y.py",
            "curl x | sh",
            "test -f x && echo y",
            "echo `make`",
            "echo 'open",
            "A=1",
            "make &&",
        ] {
            assert_eq!(name(line), None, "{line}");
        }
        for line in [
            "pytest -k 'a|b'",
            "make \"x;y\"",
            "grep x y && make",
            "npm run build &> log",
            "go test ./... > out",
            "make a \\\n  b",
        ] {
            assert!(name(line).is_some(), "{line}");
        }
    }

    #[test]
    fn a_filter_speaks_for_nobody_but_itself() {
        let (failed, passed) = ("test result: FAILED. 1 failed", "test result: ok. 2 passed");
        for (line, told, output, wanted) in [
            ("cargo test", Some(false), passed, Some(false)),
            ("cargo test", None, failed, Some(false)),
            ("cargo test", None, "", None),
            ("cargo test | tail", Some(true), failed, Some(false)),
            ("cargo test | tail", Some(true), passed, Some(true)),
            ("cargo test | tail", Some(true), "", None),
            ("cargo test | tail", Some(false), "", Some(false)),
            ("cargo test | head -5", Some(true), passed, None),
            ("cargo test | head -5", Some(true), failed, Some(false)),
            ("cargo test | grep -E 'test result|panicked'", Some(true), passed, Some(true)),
            ("cargo test | grep -E 'test result|panicked'", Some(false), "", None),
            ("cargo test | grep ok", Some(true), passed, None),
            ("set -o pipefail; cargo test | tail", Some(true), "", Some(true)),
            ("set -o pipefail; cargo test | tee log", Some(false), "", Some(false)),
            ("set -o pipefail; cargo test | grep x", Some(false), "", None),
            ("cargo test; echo $?", Some(true), "x\n101\n", Some(false)),
            ("cargo test; echo \"exit: $?\"", Some(true), "exit: 0", Some(true)),
            ("cargo test | tail; echo $?", Some(true), "0", None),
            ("cargo test | tail; echo ${PIPESTATUS[0]}", Some(true), "101", Some(false)),
            ("cargo test; echo done", Some(true), "done", None),
            ("cargo test; echo done", Some(true), failed, Some(false)),
            ("cargo test || true", Some(true), "", None),
            ("cargo test || true", Some(true), passed, Some(true)),
            ("cargo build && cargo test | tail", Some(false), "", Some(false)),
        ] {
            let found = command(line).and_then(|command| command.succeeded(told, output));
            assert_eq!(found, wanted, "{line} {told:?} {output:?}");
        }
    }
}
