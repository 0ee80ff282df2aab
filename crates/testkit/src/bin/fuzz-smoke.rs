//! Random and damaged input through every fuzz target for some seconds, on the stable compiler.
//!
//! `fuzz-smoke [--seconds N] [--seed N] [--target NAME]`. The seed is printed first; the same seed makes the same inputs in the same order.
//! `fuzz-smoke --write-corpus FOLDER` only writes the inputs that it begins with, a folder per target, for a fuzzer that is guided by coverage.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use ken_testkit::fuzz_targets::{NESTED_DEEPLY, TARGETS, Target, nested};

/// Time for all targets together, when nothing else is said.
const SECONDS: u64 = 20;
/// Inputs grow by splicing; beyond this they only get slower.
const INPUT_BYTES_MAX: usize = 8 * 1024;
/// Mutations of one input.
const MUTATIONS_MAX: u64 = 6;

fn main() -> ExitCode {
    let options = match Options::read(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(problem) => {
            eprintln!(
                "fuzz-smoke: {problem}; usage: fuzz-smoke [--seconds N] [--seed N] [--target NAME] [--write-corpus FOLDER]"
            );
            return ExitCode::from(2);
        }
    };
    if let Some(folder) = &options.corpus {
        return match write_corpus(folder) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("fuzz-smoke: cannot write {}: {error}", folder.display());
                ExitCode::FAILURE
            }
        };
    }
    println!("fuzz-smoke: seed {}", options.seed);
    let targets: Vec<&Target> = TARGETS
        .iter()
        .filter(|(name, _)| options.target.as_deref().is_none_or(|wanted| wanted == *name))
        .collect();
    let share = Duration::from_secs(options.seconds) / targets.len().max(1) as u32;
    for target in targets {
        match run(target, &seeds(target.0), options.seed, share) {
            Ok(inputs) => println!("fuzz-smoke: {} {inputs} inputs", target.0),
            Err(broken) => {
                println!(
                    "fuzz-smoke: {} BROKEN after {} inputs with seed {}",
                    target.0, broken.inputs, options.seed
                );
                println!("{}", broken.problem);
                println!("input as text: {}", String::from_utf8_lossy(&broken.input));
                println!("input as hex: {}", hex(&broken.input));
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

struct Options {
    seconds: u64,
    seed: u64,
    target: Option<String>,
    corpus: Option<PathBuf>,
}

impl Options {
    fn read(mut words: impl Iterator<Item = String>) -> Result<Options, String> {
        let by_time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_nanos() as u64);
        let mut options = Options { seconds: SECONDS, seed: by_time, target: None, corpus: None };
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(|| format!("`{word}` needs a value"))?;
            let number = || value.parse::<u64>().map_err(|_| format!("`{value}` is no number"));
            match word.as_str() {
                "--seconds" => options.seconds = number()?,
                "--seed" => options.seed = number()?,
                "--write-corpus" => options.corpus = Some(value.into()),
                "--target" if TARGETS.iter().any(|(name, _)| *name == value) => options.target = Some(value),
                "--target" => {
                    let names: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
                    return Err(format!("`{value}` is no target; there are {}", names.join(", ")));
                }
                _ => return Err(format!("unknown option `{word}`")),
            }
        }
        Ok(options)
    }
}

/// An input on which a property does not hold.
struct Broken {
    inputs: u64,
    input: Vec<u8>,
    problem: String,
}

/// Every seed as it is, then mutations of them until the time is up.
fn run(target: &Target, seeds: &[Vec<u8>], seed: u64, share: Duration) -> Result<u64, Broken> {
    let begun = Instant::now();
    let mut dice = Dice::new(seed);
    let mut inputs = 0;
    // To a reader of Markdown it is a long line like any other, read several times over.
    let deepest = if MARKDOWN.contains(&target.0) { 1_000 } else { NESTED_DEEPLY };
    let depths = [50, 124, 127, 128, 1_000, NESTED_DEEPLY].into_iter().filter(|depth| *depth <= deepest);
    let deep = depths.flat_map(nested).map(String::into_bytes);
    for input in seeds.iter().cloned().chain(deep) {
        inputs += 1;
        try_one(target, &input).map_err(|problem| Broken { inputs, input, problem })?;
    }
    while begun.elapsed() < share {
        let mut input = dice.pick(seeds).clone();
        input.truncate(INPUT_BYTES_MAX);
        for _ in 0..1 + dice.below(MUTATIONS_MAX) {
            mutate(&mut input, seeds, &mut dice);
            input.truncate(INPUT_BYTES_MAX);
        }
        inputs += 1;
        if let Err(problem) = try_one(target, &input) {
            let input = smaller(target, input);
            return Err(Broken { inputs, input, problem });
        }
    }
    Ok(inputs)
}

/// What the last panic said, and where.
static SAID: Mutex<String> = Mutex::new(String::new());

fn try_one(target: &Target, input: &[u8]) -> Result<(), String> {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(|info| {
        *SAID.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = info.to_string();
    }));
    let ended = catch_unwind(AssertUnwindSafe(|| target.1(input)));
    std::panic::set_hook(before);
    ended.map_err(|_| SAID.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone())
}

/// Leaves out parts of a bad input as long as it stays bad: short ones are easier to understand.
fn smaller(target: &Target, mut input: Vec<u8>) -> Vec<u8> {
    let mut length = input.len() / 2;
    while length > 0 {
        let mut at = 0;
        while at < input.len() {
            let end = (at + length).min(input.len());
            let rest = [&input[..at], &input[end..]].concat();
            if try_one(target, &rest).is_err() {
                input = rest;
            } else {
                at = end;
            }
        }
        length /= 2;
    }
    input
}

/// Numbers at the edges of what types hold.
const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "-0.0",
    "1e-400",
    "1e400",
    "255",
    "256",
    "65535",
    "65536",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "0.1",
    "1.7976931348623157e308",
    "5e-324",
    "10.000000000000002",
];

/// Pieces that mean something to one of the parsers.
const WORDS: &[&str] = &[
    "\"",
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "true",
    "{}",
    "[]",
    "\"\"",
    "\\u0000",
    "\\ud800",
    "\u{0}",
    "\u{feff}",
    "\n",
    "\r\n",
    "\t",
    "#ken1 ",
    "\n#ken1 {",
    "<<<<<<< ours\n",
    "=======\n",
    ">>>>>>> theirs\n",
    "\"purged\":true,",
    "\"purged\":false,",
    "\"sig\":\"x\",",
    "\"hash\":",
    "./",
    "../",
    ".//",
    "/etc/passwd",
    "~/",
    "C:\\",
    ":0",
    ":1-2",
    "#",
    "\"tags\":[\"a\"],",
    "\"tags\":{},",
    "\"attributes\":{\"x_a\":1},",
    "\"x_a\":1,",
    "\"at\":\"./a\"",
    "\"scope\":\"thread\",",
    "\"thread\":\"t\",",
    "\"subtype\":\"decision\",",
    "\u{130}",
    "\u{3f4}",
    "e\u{301}",
    "\u{fb01}",
    "\u{202e}",
    " ",
    "entry.added",
    "entry.revised",
    "entry.restored",
    "link.linked",
    "run.exposed",
    "\"bytes\":",
    "\"set\":{\"tags\":null}",
    "\"add\":{\"tags\":[\"A b\"]}",
];

fn mutate(input: &mut Vec<u8>, seeds: &[Vec<u8>], dice: &mut Dice) {
    let at = dice.below(input.len() as u64 + 1) as usize;
    let end = (at + dice.below(24) as usize).min(input.len());
    match dice.below(13) {
        0 if at < input.len() => input[at] ^= 1 << dice.below(8),
        1 if at < input.len() => input[at] = dice.below(256) as u8,
        2 => input.truncate(at),
        3 => drop(input.drain(at..end)),
        4 => {
            let piece = input[at..end].to_vec();
            input.splice(at..at, piece);
        }
        5 => {
            // A whole line again, or another one's line.
            let other = dice.pick(seeds);
            let lines: Vec<&[u8]> = other.split_inclusive(|byte| *byte == b'\n').collect();
            if !lines.is_empty() {
                let line = lines[dice.below(lines.len() as u64) as usize].to_vec();
                input.splice(at..at, line);
            }
        }
        6 => {
            // The beginning of this one, the end of another.
            let other = dice.pick(seeds);
            let from = dice.below(other.len() as u64 + 1) as usize;
            input.truncate(at);
            input.extend_from_slice(&other[from..]);
        }
        7 => {
            let number: &&str = dice.pick(NUMBERS);
            replace_number(input, at, number);
        }
        8 => replace_value(input, at, seeds, dice),
        9 => {
            let depth = 1 << dice.below(9);
            let (open, close) = if dice.below(2) == 0 { ("[", "]") } else { ("{\"a\":", "}") };
            input.splice(end..end, close.repeat(depth).into_bytes());
            input.splice(at..at, open.repeat(depth).into_bytes());
        }
        10 => drop(input.splice(at..at, dice.pick(WORDS).bytes())),
        _ => {
            // The beginning of some text: there most formats have their meaning.
            let quotes: Vec<usize> = (0..input.len()).filter(|at| input[*at] == b'"').collect();
            if !quotes.is_empty() {
                let at = *dice.pick(&quotes) + 1;
                input.splice(at..at, dice.pick(WORDS).bytes());
            }
        }
    }
}

/// Puts a number in the place of the next one.
fn replace_number(input: &mut Vec<u8>, from: usize, number: &str) {
    let Some(start) = input[from..].iter().position(u8::is_ascii_digit).map(|at| from + at) else { return };
    let length = input[start..].iter().take_while(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e')).count();
    input.splice(start..start + length, number.bytes());
}

/// Puts some JSON value in the place of the next text, whole: the damage that a parser sees and a checksum would not.
fn replace_value(input: &mut Vec<u8>, from: usize, seeds: &[Vec<u8>], dice: &mut Dice) {
    let quote =
        |from: usize, input: &[u8]| input[from..].iter().position(|byte| *byte == b'"').map(|at| from + at);
    let Some(start) = quote(from, input) else { return };
    let Some(end) = quote(start + 1, input) else { return };
    let value: Vec<u8> = match dice.below(4) {
        0 => dice.pick(NUMBERS).bytes().collect(),
        1 => format!("\"{}\"", dice.pick(WORDS).escape_default()).into_bytes(),
        2 => b"[{\"at\":\"a\",\"more\":[1]},null]".to_vec(),
        _ => {
            let other = dice.pick(seeds);
            let from = dice.below(other.len() as u64 + 1) as usize;
            match quote(from, other)
                .and_then(|start| quote(start + 1, other).map(|end| other[start..=end].to_vec()))
            {
                Some(text) => text,
                None => b"{}".to_vec(),
            }
        }
    };
    input.splice(start..=end, value);
}

/// What mutations begin with: the golden stores, or the contents of their entries, and what the targets look at beside.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let ledgers = texts("../../fixtures", Some("jsonl"));
    let lines = ledgers.iter().flat_map(|ledger| ledger.lines());
    let mut seeds: Vec<String> = match target {
        "content" => {
            let read = lines.filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
            let fields = read.filter_map(|line| line.pointer("/data/fields").map(ToString::to_string));
            fields.chain(CONTENTS.iter().map(|text| (*text).to_owned())).collect()
        }
        "question" => QUESTIONS.iter().map(|text| (*text).to_owned()).collect(),
        "findings" => REPORTS.iter().map(|text| (*text).to_owned()).collect(),
        "scanner" => scanned(),
        "digest" => GUIDES.iter().map(|text| (*text).to_owned()).collect(),
        "postings" => LISTS.iter().map(|text| (*text).to_owned()).collect(),
        name if MARKDOWN.contains(&name) || JSON.contains(&name) => {
            let files = FILES.iter().map(|text| (*text).to_owned());
            files.chain(texts("../formats/tests/samples", None)).collect()
        }
        "journal_tail" => JOURNALS.iter().map(|text| (*text).to_owned()).chain(ledgers.clone()).collect(),
        _ => lines.map(|line| format!("{line}\n")).chain(ledgers.clone()).collect(),
    };
    seeds.push(String::new());
    seeds.into_iter().map(String::into_bytes).chain(crashers(target)).collect()
}

/// Inputs that once broke a target.
fn crashers(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/crashers").join(target);
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|item| item.path()).collect();
    paths.sort();
    paths.iter().filter_map(|path| std::fs::read(path).ok()).collect()
}

/// Writes the inputs of every target into a folder of its name.
fn write_corpus(folder: &Path) -> std::io::Result<()> {
    for (target, _) in TARGETS {
        let folder = folder.join(target);
        std::fs::create_dir_all(&folder)?;
        for (number, seed) in seeds(target).iter().enumerate() {
            std::fs::write(folder.join(format!("seed-{number}")), seed)?;
        }
    }
    Ok(())
}

/// Guides that norms are read from, a message and an export.
const GUIDES: &[&str] = &[
    include_str!("../../../../evals/reduce/terse.md"),
    include_str!("../../../../evals/reduce/policy.md"),
    include_str!("../../../../evals/reduce/prose.md"),
    "feat!: drop v1\n\nBREAKING CHANGE: clients must send a token.\nLesson: never trust the clock.\n",
    r#"[{"number":7,"body":"- [ ] Always add a test.","reviews":[{"body":"We never log tokens in this repo."}],"comments":[]}]"#,
];

/// Reports of reviewers, in each form.
const REPORTS: &[&str] = &[
    r#"[{"title":"T","severity":7.5,"file":"src/a.rs","line":47,"verify":["look"],"evidence":["b.rs:1"]}]"#,
    r#"{"agents_launched":["x"],"findings":[{"id":"SA-1","severity":"P1","agents":["x","y"],"section":"S","title":"T"}],"verdict":"risky"}"#,
    r#"[{"text":"T","severity":9.1,"confidence":8.5,"dismissed":true,"file":"a.py","line_start":3,"line_end":9}]"#,
    "{\"severity\":\"blocking\",\"agent\":\"x\",\"summary\":\"T\",\"file_refs\":[\"a.rs:4\"]}\n{\"severity\":\"notable\",\"summary\":\"U\"}\n",
    "Prose\r\n### Findings Index\r\n- P1 | SA-001 | \"src/a.rs:47\" | T\r\nVerdict: needs-changes\r\n",
];

/// What scanners look for, and what comes near: every example of every rule.
fn scanned() -> Vec<String> {
    let rules = ken_guard::rules::all().flat_map(|rule| rule.hits.iter().chain(rule.misses));
    let secrets = ken_guard::secrets::RULES.iter().flat_map(|rule| rule.hits.iter().chain(rule.misses));
    rules.chain(secrets).map(|text| (*text).to_owned()).collect()
}

/// The texts in a folder beside this crate, of files with some ending or of all.
fn texts(folder: &str, ending: Option<&str>) -> Vec<String> {
    let mut files = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut files);
    files.sort();
    files.retain(|path| ending.is_none() || path.extension().and_then(|said| said.to_str()) == ending);
    files.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect()
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for item in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = item.path();
        if path.is_dir() {
            walk(&path, files);
        } else {
            files.push(path);
        }
    }
}

/// Targets that read files of other systems in Markdown,
const MARKDOWN: &[&str] =
    &["adr", "agents_md", "basic_memory", "flux_drive", "front_matter", "gsd", "okf", "wfc", "wfc_solutions"];
/// and in JSON.
const JSON: &[&str] = &["decapod", "formicos", "mem0", "server_memory"];

/// Files of other systems, one of each, with what is odd in real ones.
const FILES: &[&str] = &[
    "---\r\nlastConfirmed: 2026-03-02\r\nprovenance: compound\r\nowner: {team: [a, b]}\r\n---\r\nA pool in `src/db.rs:12-40` leaks. It does so twice.\r\n\r\nMore.\r\n\r\nEvidence: src/db.rs:12, commit abc1234\r\nVerify: 1. grep pool 2. cargo test\r\n",
    "# KNOWLEDGE.md -- security\n\n## Patterns Found\n- [2026-02-16] Quote what goes to `sh` (Source: PR #12, dev: mira)\n\n## False Positives to Avoid\n- eval() in docs\n",
    "---\ntitle: Build fails\ndate: \"2026-03-02\"\ncategory: build-errors\ntags:\n  - linker\nseverity: high\n---\n\n## Problem\nThe linker stops.\n\n## Solution\n```sh\ncargo clean\n```\n",
    "---\nid: sig-2026-03-02-slow\ntype: signal\nproject: shop\nseverity: notable\npolarity: negative\ntags: [ci, \"a b\"]\nrelated_signals: [sig-2026-03-01-x]\ncreated: 2026-03-02T10:00:00Z\nstatus: active\n---\n\n# Slow\n\n## What Happened\n\nCI took an hour.\n\n## Evidence\n\n`ci/run.sh`\n",
    "# Knowledge Store Index\n\n**Generated:** 2026-03-02T10:00:00Z\n**Total entries:** 1\n\n## Signals (1)\n\n| ID | Project | Severity | Tags | Date | Status |\n|----|----|----|----|----|----|\n| sig-1 | shop | notable | ci | 2026-03-02 | active |\n",
    "{\"ts\":\"1772445600Z\",\"event_id\":\"01J\",\"op\":\"node.create\",\"node_id\":\"F_1\",\"payload\":{\"title\":\"T\",\"node_type\":\"decision\"}}\n{\"source_entry_id\":\"k1\",\"target_class\":\"procedural\",\"evidence_refs\":[\"commit:abc1234\"]}\n",
    "{\"seq\":1,\"type\":\"MemoryEntryCreated\",\"timestamp\":\"2026-03-02T10:00:00Z\",\"entry\":{\"id\":\"mem-1\",\"entry_type\":\"skill\",\"title\":\"T\",\"content\":\"C\",\"decay_class\":\"stable\"}}\n",
    "---\ntype: lesson\ntitle: T\ntimestamp: 2026-03-02T10:00:00Z\n---\n# T\n\nSee [other](other.md).\n\n# Citations\n[1] [a](https://example.org)\n",
    "# Rules\n\n- Always run `cargo test`.\n- NEVER push to main\n  - not even once\n\n<!-- ken:begin -->\nx\n<!-- ken:end -->\n",
    "{\"type\":\"entity\",\"name\":\"Ada\",\"entityType\":\"person\",\"observations\":[\"likes tea\",\"likes tea\"]}\n{\"type\":\"relation\",\"from\":\"Ada\",\"to\":\"Shop\",\"relationType\":\"works at\"}\n",
    "---\ntitle: Coffee\ntype: note\npermalink: notes/coffee\ntags: [drink]\n---\n\n# Coffee\n\n## Observations\n- [method] Water at 94 degrees #heat (measured)\n\n## Relations\n- pairs_with [[Tea]] (mostly)\n",
    "{\"results\":[{\"id\":\"1\",\"memory\":\"Likes tea\",\"hash\":\"h\",\"metadata\":{\"a\":null},\"created_at\":\"2026-03-02T10:00:00-08:00\",\"user_id\":\"u\"}]}",
    "# 1. Use SQLite\n\nDate: 2026-03-02\n\n## Status\n\nSuperseded by [2. Files](0002-files.md)\n\n## Context\n\nC.\n\n## Decision\n\nWe use it.\n\n## Consequences\n\nNone.\n",
];

/// Contents of entries, with every field.
const CONTENTS: &[&str] = &[
    r#"{"statement":"s","title":"t","summary":"u","detail":"d","tags":["a","b/c"],"domains":["d"],"polarity":"negative","decay_class":"stable"}"#,
    r##"{"statement":"s","anchors":["src/a.rs:1-2",{"at":"src/b.rs#f","captured":{"x":1}},"#main"],"verification":["v"],"depends_on":["w"]}"##,
    r##"{"statement":"s","anchors":["./src/a.rs","a\\b.rs:3","#Store::open"],"source":{"agent":"a","orbit":1},"document":{"path":"docs/a.md","position":"1"}}"##,
    r#"{"statement":"s","scope":"thread","thread":"t","severity":3.5,"severity_word":"P2","confidence":10,"reviewer":"r","role":"q","subject":"j"}"#,
    r#"{"name":"N","description":"d","colour":"red","attributes":{"a":1,"b":[null,{"c":true}]},"x_own":1}"#,
    r#"{"from":"a","relation":"calls","to":"b"}"#,
    r#"{"rule":"r","examples":["e"],"exceptions":["x"],"enforcement":{"kind":"mechanical","check":"commit_message","pattern":"^a"}}"#,
    r#"{"hypothesis":"h","outcome":"partial","decision":"d","rounds":2,"anchors":["a"],"verification":["v"]}"#,
    r#"{"subtype":"redo","statement":"s","context":{"a":1}}"#,
    r#"{"statement":"s","subtype":"decision","attributes":{}}"#,
];

/// What people type.
const QUESTIONS: &[&str] = &[
    "how do we retry network calls",
    "\"connection reset\" by peer -redis -\"read replica\"",
    "tag:auth type:lesson path:src/ -status:archived by:\"Ada L\" token",
    "error[E0502]: cannot borrow `x` as mutable --release -v",
    "parseHTTPResponse2 MAX_RETRY_COUNT src/net/retry.rs:47 TCK-1432 v1.2.3",
    "Caroline's caf\u{e9} \u{2014} na\u{ef}ve, don\u{2019}t",
    "接続プール のリトライ",
    "a OR b AND (c NEAR d) * ^ ''; DROP TABLE docs; --",
];

/// Lists of texts, as they are written.
const LISTS: &[&str] =
    &["\u{0}", "\u{2}\u{2}\u{4}", "\u{3}\u{0}\u{3}\u{7}\u{10}\u{5}\u{9}", "\u{1}\u{1}\u{1}"];

/// Frames of a journal, sound and not.
const JOURNALS: &[&str] = &[
    "#ken1 {\"boot\":\"b\",\"branch\":\"main\",\"bytes\":18446744073709551615,\"check\":\"00\",\"clock\":\"2026-11-15T02:04:26.123Z-0000\",\"seq\":1,\"tree\":\"\"}\nf\tx\n",
    "\u{1}\u{2}\u{0}\u{40}#ken1 {\"bytes\":0,\"check\":\"af1349b9f5f9a1a6\",\"clock\":\"2026-11-15T02:04:26.123Z-0000\",\"seq\":1}\n",
];

/// Marsaglia's xorshift: small, and the same on every machine.
struct Dice(u64);

impl Dice {
    fn new(seed: u64) -> Dice {
        // Zero would stay zero for ever.
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % bound.max(1)
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
