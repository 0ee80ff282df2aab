//! `cargo xtask train harvest`: learns which passages of conversations are worth keeping, and says how the weights would do on repositories that
//! they never saw.
//!
//! The passages are those of the sessions in `corpora/transcripts/dev.tar.xz` below `KEN_CORPORA`; what was judged of them is in
//! `evals/world/passages.jsonl`, what readers would keep of each session in `evals/world/harvest.jsonl`. The same data give the same weights.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ken_digest::conversation::{Around, Example, Message, Speaker, Weighed, Weights, choose, fit, passages};
use ken_hosts::transcript::{Reader, Transcript, read_document, spoken};
use serde_json::Value;

use crate::context::{Context, Failure, Outcome, capture, failed};
use crate::page;

const VARIABLE: &str = "KEN_CORPORA";
const SESSIONS: &str = "corpora/transcripts/dev.tar.xz";
const JUDGED: &str = "evals/world/passages.jsonl";
const KEPT: &str = "evals/world/harvest.jsonl";
const FILES: [(Speaker, &str); 2] = [
    (Speaker::Agent, "crates/digest/words/worth/agent.tsv"),
    (Speaker::Person, "crates/digest/words/worth/person.tsv"),
];
/// Records between a draft and a label that mean the same.
pub(crate) const RECORDS_APART_MAX: u64 = 6;
/// Repositories with few passages are left out together.
const TOGETHER: &[&str] = &["LeroySalih+planner-004", "SproutSeeds+coda"];
/// How much a passage counts: one that is worth keeping with changes, by its speaker; one that nobody judged, of a session that somebody read, and of another.
const COUNT_CHANGED_AGENT: f64 = 0.6;
const COUNT_CHANGED_PERSON: f64 = 0.7;
const COUNT_READ: f64 = 0.25;
const COUNT_UNREAD: f64 = 0.1;

/// What somebody thought of a passage.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Judged {
    Not,
    WithChanges,
    AsItIs,
    /// The readers disagree, or it was pasted: nothing is learned from it.
    LeftOut,
}

/// A conversation with what is known of it.
pub(crate) struct Conversation {
    pub(crate) name: String,
    passages: Vec<(Weighed, u64, Option<Judged>)>,
    /// The records of what readers keep, those that mean the same together; none where nobody read it.
    things: Option<Vec<Vec<u64>>>,
}

impl Conversation {
    fn repository(&self) -> &str {
        let name = self.name.split('/').next().unwrap_or_default();
        if TOGETHER.contains(&name) { TOGETHER[0] } else { name }
    }
}

pub(crate) fn run(context: &Context, folds: bool, write: bool) -> Outcome {
    let Some(conversations) = gather(&context.root)? else {
        return failed(format!("the corpus is not here: set {VARIABLE} to a folder with `{SESSIONS}`"));
    };
    println!("{}", left_out(&conversations));
    if folds {
        return Ok(());
    }
    let all: Vec<&Conversation> = conversations.iter().collect();
    for (speaker, file) in FILES {
        let lines = Weights::lines(speaker, &learn(&all, speaker));
        match write {
            true => {
                let to = context.root.join(file);
                fs::write(&to, lines)
                    .map_err(|error| Failure::Failed(format!("cannot write {file}: {error}")))?;
                println!("wrote {file}");
            }
            false => println!("{lines}"),
        }
    }
    Ok(())
}

/// The conversations; none where the corpus is not set.
pub(crate) fn gather(root: &Path) -> Result<Option<Vec<Conversation>>, Failure> {
    let Some(corpora) = std::env::var_os(VARIABLE).filter(|folder| !folder.is_empty()) else {
        return Ok(None);
    };
    let archive = PathBuf::from(corpora).join(SESSIONS);
    if !archive.is_file() {
        return Ok(None);
    }
    let world = |error: std::io::Error| Failure::Failed(format!("a scratch folder: {error}"));
    let folder = std::env::temp_dir().join(format!("kenning-train-harvest-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(world)?;
    let mut unpack = Command::new("tar");
    unpack.arg("xJf").arg(&archive).arg("-C").arg(&folder);
    capture(&mut unpack)?;
    let found = read_all(root, &folder.join("dev"));
    fs::remove_dir_all(&folder).map_err(world)?;
    found.map(Some)
}

fn rows(root: &Path, file: &str) -> Result<Vec<Value>, Failure> {
    let text = fs::read_to_string(root.join(file))
        .map_err(|error| Failure::Failed(format!("cannot read {file}: {error}")))?;
    let row =
        |line: &str| serde_json::from_str(line).map_err(|error| Failure::Failed(format!("{file}: {error}")));
    text.lines().map(row).collect()
}

fn read_all(root: &Path, folder: &Path) -> Result<Vec<Conversation>, Failure> {
    let mut judged: BTreeMap<String, BTreeMap<String, Judged>> = BTreeMap::new();
    for row in rows(root, JUDGED)? {
        let of = judged.entry(row["session"].as_str().unwrap_or_default().to_owned()).or_default();
        for (key, worth) in row["passages"].as_object().into_iter().flatten() {
            let worth = match worth.as_u64() {
                Some(0) => Judged::Not,
                Some(1) => Judged::WithChanges,
                Some(2) => Judged::AsItIs,
                _ => Judged::LeftOut,
            };
            of.insert(key.clone(), worth);
        }
    }
    let mut kept: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for row in rows(root, KEPT)? {
        let lines = row["keep"].as_array().into_iter().flatten().filter_map(|one| one["line"].as_u64());
        kept.entry(row["session"].as_str().unwrap_or_default().to_owned()).or_default().extend(lines);
    }
    let mut found = Vec::new();
    for file in files_below(folder) {
        let name = file.strip_prefix(folder).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        let Some(transcript) = transcript(&file) else { continue };
        let known = judged.get(&name);
        let mut passages_of = Vec::new();
        for one in spoken(&transcript.turns) {
            let speaker = if one.is_person { Speaker::Person } else { Speaker::Agent };
            let around = Around {
                closes: one.closes,
                opens: one.opens,
                failures: one.failures,
                edits: one.edits,
                lookups: one.lookups,
            };
            for passage in passages(&Message { speaker, text: one.text, around }) {
                let worth = known.and_then(|known| known.get(&passage.key())).copied();
                let line = u64::from(transcript.turns[one.at].lines.0);
                passages_of.push((Weighed { passage, worth: 0.0, at: one.at }, line, worth));
            }
        }
        let things = kept.get(&name).map(|lines| together(lines));
        found.push(Conversation { name, passages: passages_of, things });
    }
    Ok(found)
}

/// Records, those that mean the same as one.
pub(crate) fn together(lines: &[u64]) -> Vec<Vec<u64>> {
    let mut lines = lines.to_vec();
    lines.sort_unstable();
    let mut things: Vec<Vec<u64>> = Vec::new();
    for line in lines {
        match things.last_mut() {
            Some(thing) if line - thing[thing.len() - 1] <= RECORDS_APART_MAX => thing.push(line),
            _ => things.push(vec![line]),
        }
    }
    things
}

fn files_below(folder: &Path) -> BTreeSet<PathBuf> {
    let (mut found, mut open) = (BTreeSet::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            match entry.path() {
                path if path.is_dir() => open.push(path),
                path => {
                    found.insert(path);
                }
            }
        }
    }
    found
}

/// A transcript: a value on each line, or one document.
fn transcript(file: &Path) -> Option<Transcript> {
    let bytes = fs::read(file).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    if let Ok(document) = serde_json::from_str::<Value>(&text)
        && let Some(found) = read_document(None, &document)
    {
        return Some(found);
    }
    let mut reader = Reader::new(None);
    for line in text.lines() {
        if !reader.push(line) {
            break;
        }
    }
    reader.finish()
}

/// The weights for one speaker that some conversations teach.
fn learn(conversations: &[&Conversation], speaker: Speaker) -> Vec<f64> {
    // A repository counts as the root of its passages: else the weights would be those of the one that talks most.
    let mut of_repository: BTreeMap<&str, f64> = BTreeMap::new();
    let mut all = 0.0;
    for conversation in conversations {
        let count = conversation.passages.iter().filter(|(one, ..)| one.passage.speaker == speaker).count();
        *of_repository.entry(conversation.repository()).or_default() += count as f64;
        all += count as f64;
    }
    let mut examples = Vec::new();
    for conversation in conversations {
        let own = of_repository[conversation.repository()].max(1.0);
        let share = (all / (of_repository.len() as f64 * own)).sqrt();
        for (one, _, judged) in &conversation.passages {
            if one.passage.speaker != speaker {
                continue;
            }
            let changed = match speaker {
                Speaker::Agent => COUNT_CHANGED_AGENT,
                Speaker::Person => COUNT_CHANGED_PERSON,
            };
            let (is_worth_keeping, count) = match judged {
                Some(Judged::LeftOut) => continue,
                Some(Judged::AsItIs) => (true, 1.0),
                Some(Judged::WithChanges) => (true, changed),
                Some(Judged::Not) => (false, 1.0),
                None if conversation.things.is_some() => (false, COUNT_READ),
                None => (false, COUNT_UNREAD),
            };
            let count = count * share;
            examples.push(Example { values: Weights::own().values(&one.passage), is_worth_keeping, count });
        }
    }
    fit(&examples)
}

#[derive(Clone, Copy, Default)]
struct Count {
    sessions: usize,
    drafts: usize,
    as_it_is: usize,
    with_changes: usize,
    unjudged: usize,
    things: usize,
    found: usize,
}

impl Count {
    fn row(&self, name: &str) -> [String; 7] {
        let judged = (self.drafts - self.unjudged).max(1);
        let share =
            |count: usize, of: usize| format!("{count} ({:.0} %)", 100.0 * count as f64 / of.max(1) as f64);
        [
            name.to_owned(),
            self.sessions.to_string(),
            self.drafts.to_string(),
            share(self.as_it_is, judged),
            share(self.as_it_is + self.with_changes, judged),
            self.unjudged.to_string(),
            format!("{} of {}", share(self.found, self.things), self.things),
        ]
    }
}

/// How weights do that were learned without the repository they are asked about.
pub(crate) fn left_out(conversations: &[Conversation]) -> String {
    let names: BTreeSet<&str> = conversations.iter().map(Conversation::repository).collect();
    let mut table = Vec::new();
    let mut all = Count::default();
    for name in names {
        let others: Vec<&Conversation> =
            conversations.iter().filter(|one| one.repository() != name).collect();
        let (agent, person) = (learn(&others, Speaker::Agent), learn(&others, Speaker::Person));
        let weights = Weights::with(&agent, &person).expect("as many as there are features");
        let mut count = Count::default();
        for conversation in conversations.iter().filter(|one| one.repository() == name) {
            measure(conversation, &weights, &mut count);
        }
        table.push(count.row(name));
        for (sum, one) in [
            (&mut all.sessions, count.sessions),
            (&mut all.drafts, count.drafts),
            (&mut all.as_it_is, count.as_it_is),
            (&mut all.with_changes, count.with_changes),
            (&mut all.unjudged, count.unjudged),
            (&mut all.things, count.things),
            (&mut all.found, count.found),
        ] {
            *sum += one;
        }
    }
    table.push(all.row("all"));
    let head = [
        "Left out",
        "Sessions",
        "Passages chosen",
        "Worth keeping as it is",
        "Or with small changes",
        "Not judged",
        "Found of what readers keep",
    ];
    page::table(head, &table)
}

fn measure(conversation: &Conversation, weights: &Weights, count: &mut Count) {
    let weighed = conversation.passages.iter().map(|(one, ..)| {
        let worth = weights.worth(&one.passage);
        Weighed { worth, ..one.clone() }
    });
    let chosen = choose(weighed.collect());
    let of = |one: &Weighed| {
        conversation
            .passages
            .iter()
            .find(|(other, ..)| other.at == one.at && other.passage.text == one.passage.text)
            .map(|(_, line, judged)| (*line, *judged))
            .expect("it was chosen from them")
    };
    count.sessions += 1;
    count.drafts += chosen.len();
    let told: Vec<(u64, Option<Judged>)> = chosen.iter().map(of).collect();
    for (_, judged) in &told {
        match judged {
            Some(Judged::AsItIs) => count.as_it_is += 1,
            Some(Judged::WithChanges) => count.with_changes += 1,
            Some(Judged::Not) => {}
            Some(Judged::LeftOut) | None => count.unjudged += 1,
        }
    }
    for thing in conversation.things.iter().flatten() {
        count.things += 1;
        let lies_at = |(line, _): &(u64, Option<Judged>)| {
            thing.iter().any(|other| other.abs_diff(*line) <= RECORDS_APART_MAX)
        };
        count.found += usize::from(told.iter().any(lies_at));
    }
}
