//! Runs the console samples of README.md and docs/**/*.md and compares their output: none of them can be wrong, or written by hand.
//!
//! A sample is a block with the info string `console`: commands behind `$ `, each followed by its output. What it needs is set up in a
//! comment that a reader of the page does not see:
//!
//! ```text
//! <!-- setup store
//! @ set KEN_NOW=2026-11-16T09:00:00Z
//! printf 'retries = 3\n' > config.toml
//! & ken config approvers.Ada yes
//! -->
//! ```
//!
//! A word behind `setup` (`bare`, `repository` or `store`) begins in a new scratch repository; without one the page goes on in the same.
//! More words name scripts of `tests/pages`, which are run first: several pages tell of the same repository.
//! `@ set NAME=VALUE` sets a variable for all commands that follow, `& ` runs a command that a person confirms, and everything else is a
//! script for `sh`, which finds this repository in `$REPOSITORY`. A line `...` in an output stands for any lines, and `...` at the end of a line for the rest of it. `console ignore`
//! marks a block that cannot be run here.

use std::path::{Path, PathBuf};

use crate::transcript::{shell, shell_alone};
use crate::world::World;

/// Blocks of all pages that cannot be run: another program is needed, or an agent host.
pub const IGNORED_MAX: usize = 6;

/// When a page is read, unless it says otherwise.
const NOW: &str = "2026-11-16T09:00:00Z";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// README.md and every page of docs.
pub fn pages() -> Vec<PathBuf> {
    let root = root();
    let mut pages = vec![root.join("README.md")];
    gather(&root.join("docs"), &mut pages);
    pages.sort();
    pages
}

fn gather(folder: &Path, pages: &mut Vec<PathBuf>) {
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        match path.is_dir() {
            true => gather(&path, pages),
            false if path.extension().is_some_and(|end| end == "md") => pages.push(path),
            false => {}
        }
    }
}

/// What a page is made of, as far as running it is concerned.
#[derive(Debug, PartialEq, Eq)]
enum Part<'a> {
    /// Lines that are kept unchanged.
    Text(&'a str),
    /// A hidden setup: where it is run, and its lines.
    Setup { world: &'a str, script: Vec<&'a str> },
    /// A command of a sample with the lines of its output, and the empty lines behind it.
    Command { lines: Vec<&'a str>, output: Vec<&'a str>, gap: usize },
}

/// Whether a page has samples that are run.
pub fn has_samples(text: &str) -> bool {
    text.lines().any(|line| line == "```console")
}

/// How many blocks of a page are marked as not to be run.
pub fn ignored(text: &str) -> usize {
    text.lines().filter(|line| *line == "```console ignore").count()
}

fn read(text: &str) -> Result<Vec<Part<'_>>, String> {
    let mut parts = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        parts.push(Part::Text(line));
        if let Some(world) = line.strip_prefix("<!-- setup") {
            let mut script = Vec::new();
            loop {
                let line = lines.next().ok_or("a setup comment has no end")?;
                parts.push(Part::Text(line));
                if line == "-->" {
                    break;
                }
                script.push(line);
            }
            parts.push(Part::Setup { world: world.trim(), script });
        } else if line == "```console" {
            while let Some(line) = lines.next() {
                if line == "```" {
                    parts.push(Part::Text(line));
                    break;
                }
                if !line.starts_with("$ ") {
                    return Err(format!("{line:?} begins a sample and is no command"));
                }
                let mut command = vec![line];
                while command.last().is_some_and(|line| line.ends_with('\\')) {
                    command.extend(lines.next());
                }
                let mut output = Vec::new();
                while let Some(line) = lines.next_if(|line| *line != "```" && !line.starts_with("$ ")) {
                    output.push(line);
                }
                let shown = output.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
                let gap = output.len() - shown;
                output.truncate(shown);
                parts.push(Part::Command { lines: command, output, gap });
            }
        } else if let Some(info) = line.strip_prefix("```").filter(|_| !line.ends_with("ignore")) {
            while let Some(line) = lines.next_if(|line| *line != "```") {
                if line.starts_with("$ ken") {
                    return Err(format!(
                        "{line:?} is in a block of {info:?}; samples are in blocks of `console`"
                    ));
                }
                parts.push(Part::Text(line));
            }
            parts.extend(lines.next().map(Part::Text));
        } else if line.starts_with("```") {
            while let Some(line) = lines.next_if(|line| *line != "```") {
                parts.push(Part::Text(line));
            }
            parts.extend(lines.next().map(Part::Text));
        }
    }
    Ok(parts)
}

/// The page with the output of this run. What was right keeps its text, with its elisions and whatever chance chose then.
pub fn replay(text: &str) -> Result<String, String> {
    let mut page = String::new();
    let mut add = |line: &str| {
        page.push_str(line);
        page.push('\n');
    };
    let mut scratch: Option<World> = None;
    for part in read(text)? {
        match part {
            Part::Text(line) => add(line),
            Part::Setup { world, script } => {
                let mut words = world.split_whitespace();
                if let Some(kind) = words.next() {
                    scratch = Some(fresh(kind)?);
                }
                let world = scratch.as_mut().ok_or("the first setup names no world")?;
                for name in words {
                    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/pages/{name}.sh"));
                    let shared =
                        std::fs::read_to_string(&path).map_err(|error| format!("{name}.sh: {error}"))?;
                    set_up(world, &shared.lines().collect::<Vec<_>>())?;
                }
                set_up(world, &script)?;
            }
            Part::Command { lines, output, gap } => {
                let world = match &mut scratch {
                    Some(world) => world,
                    None => scratch.insert(fresh("store")?),
                };
                let shown = run(world, &lines);
                lines.iter().for_each(|line| add(line));
                match fits(&output, &shown) {
                    true => output.iter().for_each(|line| add(line)),
                    false => shown.iter().for_each(|line| add(line)),
                }
                (0..gap).for_each(|_| add(""));
            }
        }
    }
    Ok(page)
}

fn fresh(kind: &str) -> Result<World, String> {
    let mut world = match kind {
        "bare" => World::bare(),
        "repository" => World::repository(),
        "store" => World::with_store(),
        other => return Err(format!("there is no world {other:?}; write bare, repository or store")),
    };
    for name in ["KEN_NOW", "GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"] {
        set(&mut world, name, NOW);
    }
    set(&mut world, "REPOSITORY", &root().display().to_string());
    Ok(world)
}

fn set(world: &mut World, name: &str, value: &str) {
    world.env.retain(|(known, _)| known != name);
    world.env.push((name.to_owned(), value.to_owned()));
}

fn set_up(world: &mut World, script: &[&str]) -> Result<(), String> {
    let mut waiting = String::new();
    for line in script.iter().chain(&["@ end"]) {
        let Some((mark, rest)) = line.split_once(' ').filter(|(mark, _)| matches!(*mark, "@" | "&")) else {
            waiting += &format!("{line}\n");
            continue;
        };
        if !waiting.is_empty() {
            let script = format!("set -e\n{}", std::mem::take(&mut waiting));
            succeeds(&script, shell_alone(world, &script))?;
        }
        match (mark, rest.strip_prefix("set ").and_then(|pair| pair.split_once('='))) {
            ("@", Some((name, value))) => set(world, name, value),
            ("@", None) if rest == "end" => {}
            ("&", _) => succeeds(rest, shell(world, rest))?,
            _ => return Err(format!("{line:?} is no setting; write @ set NAME=VALUE")),
        }
    }
    Ok(())
}

fn succeeds(script: &str, answer: crate::world::Answer) -> Result<(), String> {
    match answer.code {
        0 => Ok(()),
        code => Err(format!("the setup ended with {code}:\n{script}\n{}{}", answer.out, answer.err)),
    }
}

/// What a command prints, standard error among it, and its exit code where that is not 0.
fn run(world: &World, lines: &[&str]) -> Vec<String> {
    let mut script = lines.join("\n");
    script.replace_range(..2, "");
    let answer = shell_alone(world, &format!("{{ {script}\n}} 2>&1"));
    let project = world.path().display().to_string();
    let above = world.path().parent().unwrap().display().to_string();
    let said = answer.out.replace(&project, "/path/to/project").replace(&above, "/path/to");
    let mut shown: Vec<String> = said.lines().map(|line| line.trim_end().to_owned()).collect();
    while shown.last().is_some_and(String::is_empty) {
        shown.pop();
    }
    if answer.code != 0 {
        shown.push(format!("[exit code {}]", answer.code));
    }
    shown
}

/// Whether an output is the one that a page shows.
fn fits(page: &[&str], shown: &[String]) -> bool {
    match page {
        [] => shown.is_empty(),
        ["...", rest @ ..] => (0..=shown.len()).any(|from| fits(rest, &shown[from..])),
        [line, rest @ ..] => match shown {
            [] => false,
            [first, more @ ..] => same(line, first) && fits(rest, more),
        },
    }
}

fn same(page: &str, shown: &str) -> bool {
    let (page, shown) = (steady(page), steady(shown));
    match page.strip_suffix("...") {
        Some(beginning) => shown.starts_with(beginning),
        None => page == shown,
    }
}

/// A line without what chance or the machine chooses: long hashes, durations, and how many tokens a text with a random key has.
fn steady(line: &str) -> String {
    let mut out = String::new();
    let mut word = String::new();
    for letter in line.chars().chain(['\n']) {
        if letter.is_ascii_alphanumeric() {
            word.push(letter);
            continue;
        }
        let is_hash = matches!(word.len(), 10 | 12 | 40)
            // Two commits with `..` between them are hashes; what follows one dot is part of a name or a number.
            && (!out.ends_with('.') || out.ends_with(".."))
            && word.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        let is_measured = matches!(word.as_str(), "ms" | "seconds" | "tokens") && out.ends_with(' ');
        if is_measured {
            out.truncate(
                out.trim_end_matches([' ', '.', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']).len(),
            );
        }
        out += if is_hash { "HASH" } else { &word };
        word.clear();
        out.push(letter);
    }
    out.pop();
    out
}

/// Tests of the runner itself.
pub const CHECKS: &[(&str, fn())] = &[
    ("a_sample_that_is_right_stays_as_it_is", || {
        let page = "<!-- setup bare\necho one > file\n-->\nText.\n```console\n$ cat file\none\n\n$ printf 'a\\nb\\nc d\\n'\n...\nc ...\n```\n";
        assert_eq!(replay(page).unwrap(), page);
    }),
    ("a_sample_that_is_wrong_is_corrected", || {
        let page = "```console\n$ echo new \\\n    words; exit 3\nold\n```\n";
        assert_eq!(
            replay(page).unwrap(),
            "```console\n$ echo new \\\n    words; exit 3\nnew words\n[exit code 3]\n```\n"
        );
    }),
    ("what_chance_chose_is_no_difference", || {
        assert!(same("run 0123456789 took 12 ms", "run abcdefabcd took 7.5 ms"));
        assert!(!same("lesson.e71631b1b36420a1", "lesson.e71631b1b36420a2"));
        assert!(!same("took 12 ms", "took 12 lines"));
    }),
    ("a_block_that_is_not_run_says_so", || {
        assert!(replay("```sh\n$ ken list\n```\n").is_err());
        let page = "```console ignore\n$ no-such-program\n```\n";
        assert_eq!((replay(page).as_deref(), ignored(page)), (Ok(page), 1));
    }),
    ("a_setup_that_fails_is_an_error", || {
        assert!(replay("<!-- setup bare\nfalse\n-->\n").is_err());
        assert!(replay("<!-- setup moon\n-->\n").is_err());
        assert!(replay("<!-- setup\n-->\n").is_err());
    }),
    ("few_blocks_are_not_run", || {
        let count: usize = pages().iter().map(|page| ignored(&std::fs::read_to_string(page).unwrap())).sum();
        assert!(
            count <= IGNORED_MAX,
            "{count} blocks of `console ignore`; at most {IGNORED_MAX} are allowed"
        );
    }),
];
