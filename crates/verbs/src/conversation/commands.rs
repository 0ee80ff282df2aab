//! Which commands say something about the work by how they end, and how a command ended that another one speaks for.

use ken_language::WordList;
use ken_shell::{Node, Redirect, Then, Wrapper, program_name};

use super::summary;

/// Programs that look at something: that nothing was found is no failure, and that something was is no success.
static LOOKING: WordList = WordList::new(include_str!("../../words/session/looking.txt"));
/// What is done before a command, and is no part of what was done.
const PREPARING: &[&str] = &["cd", "export", "pushd", "set", "source", ".", "unset"];
/// Programs at the end of a pipe that pass on what they read. They do not fail by themselves.
static PASSING: WordList = WordList::new(include_str!("../../words/session/passing_commands.txt"));
/// The same, but they fail where they find nothing.
const SEARCHING: &[&str] = &["awk", "egrep", "fgrep", "grep", "rg", "sed", "wc"];
/// Programs that change how long or how another one runs, and not what it does.
const RUNNERS: &[&str] = &["nice", "time", "timeout"];

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
    let mut steps = steps(line)?;
    let mut pipefail = false;
    // Where it was done, and with which settings, is not what was done.
    let prepares = |step: &Step| {
        let first = step.parts[0].first().map_or("", String::as_str);
        step.parts.len() == 1 && PREPARING.contains(&first) && step.then != Some(Then::Or)
    };
    steps.retain(|step| {
        let is_aside = prepares(step);
        pipefail |= is_aside && step.parts[0].iter().any(|word| word.contains("pipefail"));
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
        for filter in filters {
            let program = filter.first().map_or("", |first| program_name(first));
            let passes = PASSING.contains(program);
            if !passes && !SEARCHING.contains(&program) {
                return None;
            }
            exit_code = match (passes, pipefail, exit_code) {
                (true, true, code) => code,
                (true, false, ExitCode::Own) => ExitCode::OwnFailure,
                (false, true, ExitCode::Own) => ExitCode::OwnSuccess,
                _ => ExitCode::Foreign,
            };
            if program == "head" || !passes && !shows_failures(filter) {
                output = Output::Part;
            }
        }
        looks &= first.first().is_none_or(|first| LOOKING.contains(program_name(first)));
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
                    .all(|part| part.first().is_some_and(|first| LOOKING.contains(program_name(first))))
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
    let words = part.join(" ").strip_prefix("echo ")?.replace(['"', '\''], "");
    let sign = if is_filtered { "${PIPESTATUS[0]}" } else { "$?" };
    let (before, after) = words.split_once(sign)?;
    let is_plain = |text: &str| !text.contains('$');
    (is_plain(before) && is_plain(after))
        .then(|| Output::Echoed { before: before.trim().to_owned(), after: after.trim().to_owned() })
}

/// A pipe, and what stands between it and the next.
#[derive(Debug)]
struct Step {
    /// The words of each command of the pipe.
    parts: Vec<Vec<String>>,
    then: Option<Then>,
}

/// The steps of a line; none where how they end cannot be told from how the line ends.
fn steps(line: &str) -> Option<Vec<Step>> {
    let mut script = ken_shell::read(line);
    if let [ken_shell::Step { node: Node::Simple(simple), .. }] = script.steps.as_slice()
        && let Some((handed, [])) = ken_shell::handed_to_a_shell(&simple.words)
    {
        script = ken_shell::read(&handed);
    }
    let mut found = Vec::new();
    let is_whole = !script.malformed && !script.cut_short;
    is_whole.then(|| add_steps(script.steps, &mut found))??;
    if let Some(last) = found.last_mut().filter(|last| last.then == Some(Then::Next)) {
        last.then = None;
    }
    Some(found)
}

/// Adds the steps of a list. What is in a group stands in the place of the group.
fn add_steps(steps: Vec<ken_shell::Step>, found: &mut Vec<Step>) -> Option<()> {
    for ken_shell::Step { node, then } in steps {
        let stages = match node {
            Node::Pipeline(stages) => stages,
            one => vec![one],
        };
        let mut stages = stages.into_iter();
        match stages.next()? {
            Node::Group { steps, redirects } | Node::Subshell { steps, redirects } => {
                inputs(&redirects)?.is_empty().then_some(())?;
                add_steps(steps, found)?;
                found.last().filter(|last| last.then != Some(Then::Background))?;
            }
            first => found.push(Step { parts: vec![words(&first)?], then: None }),
        }
        let last = found.last_mut()?;
        for stage in stages {
            last.parts.push(words(&stage)?);
        }
        last.then = then;
    }
    Some(())
}

/// The words of a command as they are written, without what is set for it, what it is run by, and where its output goes.
fn words(command: &Node) -> Option<Vec<String>> {
    let (mut words, redirects): (Vec<String>, &[Redirect]) = match command {
        Node::Simple(simple) => {
            (simple.words.iter().map(|word| word.raw.clone()).collect(), simple.redirects.as_slice())
        }
        Node::Test(words) => {
            let words = words.iter().map(|word| word.raw.clone());
            (std::iter::once("[[".to_owned()).chain(words).collect(), &[])
        }
        Node::Pipeline(_)
        | Node::Negated(_)
        | Node::Group { .. }
        | Node::Branches { .. }
        | Node::Subshell { .. }
        | Node::Loop { .. }
        | Node::Function { .. } => return None,
    };
    while let Some(runner) = Wrapper::of(&words).filter(|wrapper| RUNNERS.contains(&wrapper.name)) {
        let inner = runner.inner(&words).to_vec();
        if inner.is_empty() {
            break;
        }
        words = inner;
    }
    words.extend(inputs(redirects)?);
    Some(words)
}

/// What a command reads is a part of what it does.
fn inputs(redirects: &[Redirect]) -> Option<Vec<String>> {
    let mut found = Vec::new();
    for redirect in redirects {
        match redirect {
            Redirect::Read(file) => found.extend(["<".to_owned(), file.raw.clone()]),
            Redirect::HereString(text) => found.extend(["<<<".to_owned(), text.raw.clone()]),
            Redirect::HereDocument(_) => return None,
            Redirect::Write(_) | Redirect::Append(_) | Redirect::Duplicate => {}
        }
    }
    Some(found)
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
            ("make a && make b", "(cd x; make a && make b) | tail"),
            ("cargo test", "{ cargo test; } > log"),
            ("python a.py < b", "timeout -k 5 9 python a.py <b"),
        ] {
            assert!(name(one).is_some() && name(one) == name(other), "{one} {other}");
        }
        assert_ne!(name("cargo test"), name("cargo test --all"));
        assert_ne!(name("make a && make b"), name("make b"));
        assert_ne!(name("bash -c \"make $A\""), name("bash -c \"make $B\""));
        assert_ne!(name("sh -c 'make $1' x a"), name("sh -c 'make $1' x b"));
        assert_ne!(name("python a.py < b"), name("python a.py < c"));
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
            "make |",
            "! make",
            "(make &)",
            "if make; then echo x; fi",
            "for i in 1 2; do make; done",
            "python - <<E\nx\nE",
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
