//! The suite `sessions`: what is captured and reported out of conversations, in the words of four hosts (COR-15).
//!
//! Every conversation of `evals/sessions` is played through `ken hook` in a repository of its own, and the store is read back with
//! `ken`: which entries came in, how the run ended, and what is believed of the entries that were there before.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use ken_core::belief::ranked_weight;
use serde_json::Value;

use super::pairs::{need, percent, read_file};
use crate::context::{Failure, capture, describe, failed};
use crate::harness::arguments::{Flag, Takes};
use crate::harness::figure::Figure;
use crate::harness::report::Report;
use crate::harness::scratch::Scratch;
use crate::harness::session::Session;
use crate::harness::{Suite, Tool};
use crate::page;

pub(crate) const SUITE: Suite = Suite {
    page: Some("docs/internals/sessions-quality.md"),
    flags: &[Flag { name: "--only", takes: Takes::Value("ID") }],
    needs: &[Tool::Ken],
    optimised: false,
    ..Suite::evaluation("sessions", run)
};

const FOLDER: &str = "evals/sessions";
const SPLITS: [&str; 4] = ["dev", "held", "fresh", "last"];
const HOSTS: [&str; 4] = ["claude-code", "codex", "cursor", "gemini"];
/// Belief before anybody said anything, and what one report or one mended failure adds (BEL-1, BEL-3, BEL-4).
const PRIOR: f64 = 5.0;
const ADDED: f64 = 1.0;
/// Belief is shown with two places.
const EXACT: f64 = 0.01;

struct Conversation {
    host: &'static str,
    id: String,
    split: String,
    theme: String,
    /// What the store holds before, by its letter.
    entries: Vec<(String, Value)>,
    transcript: Vec<Value>,
    calls: Vec<(String, Value)>,
    capture: Vec<Captured>,
    used: BTreeSet<String>,
    /// The same in the order of the report: what helped first gains most (COR-3).
    order: Vec<String>,
    wrong: BTreeSet<String>,
    credited: BTreeSet<String>,
    shown: BTreeSet<String>,
    pairs: usize,
}

/// An entry that came out of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Captured {
    statement: String,
    kind: String,
    subtype: String,
    anchor: String,
    tags: Vec<String>,
}

impl Captured {
    fn read(value: &Value) -> Captured {
        let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
        let tags = value["tags"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let first = value["anchors"].as_array().and_then(|all| all.first());
        let anchor = first.and_then(|anchor| anchor["at"].as_str());
        Captured {
            statement: text("statement"),
            kind: text("type"),
            subtype: text("subtype"),
            anchor: anchor.map_or_else(|| text("anchor"), str::to_owned),
            tags: tags.map(str::to_owned).collect(),
        }
    }

    fn shown(&self) -> String {
        let parts = [&self.kind, &self.subtype, &self.tags.join("+"), &self.anchor];
        let parts: Vec<&str> =
            parts.iter().map(|part| part.as_str()).filter(|part| !part.is_empty()).collect();
        format!("{}: {}", parts.join(" "), self.statement)
    }
}

/// What became of a conversation.
#[derive(Default)]
struct Played {
    captured: Vec<Captured>,
    /// Alpha and beta of the entries that were there before.
    belief: BTreeMap<String, (f64, f64)>,
    verified: usize,
    shown: BTreeSet<String>,
    pairs: usize,
    /// How the run stands; empty where none began.
    state: String,
}

fn run(session: &Session<'_>) -> Result<Report, Failure> {
    let only = session.flags.value("--only");
    let mut conversations = Vec::new();
    for host in HOSTS {
        let name = format!("{FOLDER}/{host}.jsonl");
        conversations.extend(read_file(&session.context.root, &name, |row| conversation(host, row))?);
    }
    conversations.retain(|one| only.is_none_or(|only| one.id == only));
    let player = Player { ken: session.ken_path(), scratch: &session.scratch, template: template(session)? };
    let played = player.play_all(&conversations)?;
    let both: Vec<(&Conversation, &Played)> = conversations.iter().zip(&played).collect();
    if only.is_some() {
        both.iter()
            .for_each(|(_, played)| played.captured.iter().for_each(|one| println!("{}", one.shown())));
    }
    let misses: Vec<String> = both.iter().flat_map(|(one, played)| misses(one, played)).collect();
    misses.iter().for_each(|miss| println!("{miss}"));
    let all = Count::new(both.iter().copied());
    let mut report = Report::new(all.figures());
    let splits = SPLITS.map(|split| (split.to_owned(), split));
    let hosts = HOSTS.map(|host| (host.to_owned(), host));
    let mut rows: Vec<[String; 8]> = Vec::new();
    for (name, word) in splits.iter().chain(&hosts) {
        let of = both.iter().copied().filter(|(one, _)| one.split == *word || one.host == *word);
        rows.push(Count::new(of).row(name));
    }
    rows.push(all.row("all"));
    report.tables = page::table(
        ["Conversations", "Number", "Captured", "Wrongly captured", "Reports", "Pairs", "Shown", "Belief"],
        &rows,
    );
    report.tables.push_str("\n### Misses\n\n");
    match misses.is_empty() {
        true => report.tables.push_str("None.\n"),
        false => misses
            .iter()
            .for_each(|miss| report.tables.push_str(&format!("- {}\n", miss.replace('|', "\\|")))),
    }
    Ok(report)
}

/// What is counted over some conversations: how many there are, and how many are right.
#[derive(Default)]
struct Count {
    conversations: usize,
    captures: (usize, usize),
    /// Entries that came in and should not have, of all that came in.
    wrong: (usize, usize),
    /// Conversations in which nothing may be captured, and something was.
    noisy: (usize, usize),
    reports: (usize, usize),
    pairs: (usize, usize),
    shown: (usize, usize),
    belief: (usize, usize),
    verified: usize,
}

impl Count {
    fn new<'a>(both: impl Iterator<Item = (&'a Conversation, &'a Played)>) -> Count {
        let mut count = Count::default();
        let mut add = |of: fn(&mut Count) -> &mut (usize, usize), right: usize, all: usize| {
            let of = of(&mut count);
            of.0 += right;
            of.1 += all;
        };
        let (mut conversations, mut verified) = (0, 0);
        for (one, played) in both {
            conversations += 1;
            verified += played.verified;
            let right = one.capture.iter().filter(|wanted| played.captured.contains(wanted)).count();
            add(|count| &mut count.captures, right, one.capture.len());
            let extra = played.captured.iter().filter(|came| !is_wanted(one, came)).count();
            add(|count| &mut count.wrong, extra, played.captured.len());
            if one.capture.is_empty() {
                add(|count| &mut count.noisy, usize::from(extra > 0), 1);
            }
            let told = |name: &String| played.belief.get(name).copied() == Some(one.belief_of(name));
            let reported = one.used.union(&one.wrong).filter(|name| told(name)).count();
            add(|count| &mut count.reports, reported, one.used.len() + one.wrong.len());
            add(|count| &mut count.pairs, usize::from(one.pairs == played.pairs), 1);
            let seen = one.shown.intersection(&played.shown).count();
            add(|count| &mut count.shown, seen, one.shown.len());
            let believed = one.entries.iter().filter(|(name, _)| told(name)).count();
            add(|count| &mut count.belief, believed, one.entries.len());
        }
        Count { conversations, verified, ..count }
    }

    fn figures(&self) -> Vec<Figure> {
        let share =
            |name: &str, (part, whole): (usize, usize)| Figure::new(name, percent(part, whole)).at(whole);
        vec![
            share("sessions.capture", self.captures),
            share("sessions.wrong", self.wrong),
            share("sessions.noisy", self.noisy),
            share("sessions.reports", self.reports),
            share("sessions.pairs", self.pairs),
            share("sessions.shown", self.shown),
            share("sessions.belief", self.belief),
            Figure::new("sessions.verified", self.verified as f64).at(self.conversations),
        ]
    }

    fn row(&self, name: &str) -> [String; 8] {
        let of = |(part, whole): (usize, usize)| format!("{part} of {whole}");
        [
            name.to_owned(),
            self.conversations.to_string(),
            of(self.captures),
            of(self.wrong),
            of(self.reports),
            of(self.pairs),
            of(self.shown),
            of(self.belief),
        ]
    }
}

/// Whether a statement was to be captured, however it was taken.
fn is_wanted(one: &Conversation, came: &Captured) -> bool {
    one.capture.iter().any(|wanted| wanted.statement == came.statement)
}

fn misses(one: &Conversation, played: &Played) -> Vec<String> {
    let head = format!("{} ({}, {})", one.id, one.split, one.theme);
    let mut found = Vec::new();
    for wanted in one.capture.iter().filter(|wanted| !played.captured.contains(wanted)) {
        found.push(format!("{head}: not captured: {}", wanted.shown()));
    }
    for came in played.captured.iter().filter(|came| !one.capture.contains(came)) {
        let how = if is_wanted(one, came) { "captured otherwise" } else { "wrongly captured" };
        found.push(format!("{head}: {how}: {}", came.shown()));
    }
    for (name, _) in &one.entries {
        let (wanted, is) = (one.belief_of(name), played.belief.get(name).copied().unwrap_or_default());
        if wanted != is {
            found.push(format!("{head}: belief in {name} is {is:?}, not {wanted:?}"));
        }
    }
    if one.pairs != played.pairs {
        found.push(format!("{head}: {} commands failed and passed later, not {}", played.pairs, one.pairs));
    }
    for name in one.shown.difference(&played.shown) {
        found.push(format!("{head}: {name} was not shown"));
    }
    let reports = one.used.len() + one.wrong.len() + one.capture.len();
    if reports > 0 && played.state != "ended" {
        found.push(format!("{head}: the run is {:?}, not ended", played.state));
    }
    found
}

impl Conversation {
    /// Alpha and beta of an entry after the conversation.
    fn belief_of(&self, name: &String) -> (f64, f64) {
        let rank = self.order.iter().position(|used| used == name);
        let ranked = |rank: usize| f64::from(ranked_weight((ADDED * 1000.0) as u32, rank)) / 1000.0;
        let gain =
            rank.map(ranked).or_else(|| self.credited.contains(name).then_some(ADDED)).unwrap_or_default();
        let loss = if self.wrong.contains(name) { ADDED } else { 0.0 };
        (PRIOR + gain, PRIOR + loss)
    }
}

/// A repository with the files that conversations speak of, and an empty store.
fn template(session: &Session<'_>) -> Result<PathBuf, Failure> {
    let root = session.scratch.folder.join("template");
    let write = |path: &Path, text: &str| {
        let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
        folder
            .and_then(|()| fs::write(path, text))
            .map_err(|error| Failure::Failed(format!("cannot write a scratch file: {error}")))
    };
    let tree = fs::read_to_string(session.context.root.join(FOLDER).join("tree.txt"))
        .map_err(|error| Failure::Failed(format!("cannot read {FOLDER}/tree.txt: {error}")))?;
    for path in tree.lines() {
        write(&root.join(path), &format!("{path}\n"))?;
    }
    capture(&mut session.scratch.git(&root, &["init", "-q", "-b", "main"]))?;
    session.scratch.name_the_author(&root)?;
    capture(&mut session.ken(&root, &["init"]))?;
    session.commit(&root, "code")?;
    Ok(root)
}

struct Player<'a> {
    ken: &'a Path,
    scratch: &'a Scratch,
    template: PathBuf,
}

impl Player<'_> {
    /// Plays all of them, on as many threads as there are cores: each waits for processes most of the time.
    fn play_all(&self, conversations: &[Conversation]) -> Result<Vec<Played>, Failure> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let next = AtomicUsize::new(0);
        let played: Mutex<BTreeMap<usize, Result<Played, Failure>>> = Mutex::default();
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    loop {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let Some(one) = conversations.get(at) else { break };
                        let result = self.play(one);
                        played.lock().unwrap_or_else(PoisonError::into_inner).insert(at, result);
                    }
                });
            }
        });
        played.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect()
    }

    fn play(&self, one: &Conversation) -> Result<Played, Failure> {
        let problem = |error: std::io::Error| Failure::Failed(format!("{}: {error}", one.id));
        let root = self.scratch.folder.join(&one.id);
        copy(&self.template, &root).map_err(problem)?;
        let transcript = self.scratch.folder.join(format!("{}.transcript.jsonl", one.id));
        let lines: String = one.transcript.iter().map(|line| format!("{line}\n")).collect();
        fs::write(&transcript, lines).map_err(problem)?;
        let mut handles: BTreeMap<String, String> = BTreeMap::new();
        for (name, entry) in &one.entries {
            let text = |field: &str| entry[field].as_str().unwrap_or_default().to_owned();
            let (statement, anchor) = (text("statement"), text("anchor"));
            let add =
                ["add", "lesson", &statement, "--evidence", "pr:1", "--anchor", &anchor, "--verify", "look"];
            let answer = self.json(&root, &add)?;
            handles.insert(name.clone(), answer["handle"].as_str().unwrap_or_default().to_owned());
        }
        let mut played = Played::default();
        let replacements: Vec<(String, String)> = handles
            .iter()
            .map(|(name, handle)| (format!("{{{name}}}"), handle.clone()))
            .chain([
                ("{ROOT}".to_owned(), root.display().to_string()),
                ("{HOME}".to_owned(), self.scratch.folder.join("home").display().to_string()),
                ("{TRANSCRIPT}".to_owned(), transcript.display().to_string()),
            ])
            .collect();
        for (event, payload) in &one.calls {
            let mut payload = payload.clone();
            replace(&mut payload, &replacements);
            let (said, did) = self.hook(one, &root, event, &payload)?;
            played.pairs += did.matches("the command failed before and passes now").count();
            let names = handles.iter().filter(|(_, handle)| said.contains(handle.as_str()));
            played.shown.extend(names.map(|(name, _)| name.clone()));
        }
        self.read_back(one, &root, &handles, &mut played)?;
        fs::remove_dir_all(&root).map_err(problem)?;
        Ok(played)
    }

    fn read_back(
        &self,
        one: &Conversation,
        root: &Path,
        handles: &BTreeMap<String, String>,
        played: &mut Played,
    ) -> Result<(), Failure> {
        let list = self.json(root, &["list", "--all"])?;
        let ids = list["items"].as_array().into_iter().flatten().filter_map(|entry| entry["id"].as_str());
        for id in ids {
            let entry = self.json(root, &["show", id])?;
            played.verified += usize::from(entry["status"] == "verified");
            let handle = entry["handle"].as_str().unwrap_or_default();
            match handles.iter().find(|(_, known)| *known == handle) {
                Some((name, _)) => {
                    let part = |part: &str| entry["belief"][part].as_f64().unwrap_or_default();
                    // Shown belief is rounded, and decays within the second that the conversation takes.
                    let whole = |value: f64| {
                        if (value - value.round()).abs() < EXACT { value.round() } else { value }
                    };
                    played.belief.insert(name.clone(), (whole(part("alpha")), whole(part("beta"))));
                }
                None => played.captured.push(Captured::read(&entry)),
            }
        }
        let runs = self.json(root, &["task", "list"])?;
        let of_host = |run: &&Value| run["run"].as_str().is_some_and(|run| run.starts_with(one.host));
        let run = runs["items"].as_array().into_iter().flatten().find(of_host);
        played.state = run.and_then(|run| run["state"].as_str()).unwrap_or_default().to_owned();
        Ok(())
    }

    fn command(&self, root: &Path) -> Command {
        let mut command = self.scratch.program(self.ken, root);
        // A machine that is busy with the other conversations is no reason to be late.
        command.env("KEN_HOOK_TIMEOUT_MS", "60000");
        command
    }

    fn json(&self, root: &Path, arguments: &[&str]) -> Result<Value, Failure> {
        let mut command = self.command(root);
        let output = match command.arg("--json").args(arguments).output() {
            Ok(output) => output,
            Err(error) => return failed(format!("cannot start `{}`: {error}", describe(&command))),
        };
        match serde_json::from_slice(&output.stdout) {
            Ok(answer) if output.status.success() => Ok(answer),
            _ => failed(format!(
                "`ken {}` failed: {}",
                arguments.join(" "),
                String::from_utf8_lossy(&output.stderr).trim()
            )),
        }
    }

    /// What a hook says to the host, and what it says it did.
    fn hook(
        &self,
        one: &Conversation,
        root: &Path,
        event: &str,
        payload: &Value,
    ) -> Result<(String, String), Failure> {
        let mut command = self.command(root);
        command.args(["hook", event, "--host", one.host, "--debug"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = command.spawn().and_then(|mut child| {
            if let Some(mut input) = child.stdin.take() {
                input.write_all(payload.to_string().as_bytes())?;
            }
            child.wait_with_output()
        });
        match output {
            Ok(output) => {
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                Ok((text(&output.stdout), text(&output.stderr)))
            }
            Err(error) => failed(format!("{}: `ken hook {event}`: {error}", one.id)),
        }
    }
}

/// Puts names and places into every text of a payload.
fn replace(value: &mut Value, with: &[(String, String)]) {
    match value {
        Value::String(text) => with.iter().for_each(|(from, to)| *text = text.replace(from, to)),
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, with)),
        Value::Object(fields) => fields.values_mut().for_each(|field| replace(field, with)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Copies a folder with everything in it.
pub(super) fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for item in fs::read_dir(from)? {
        let item = item?;
        let target = to.join(item.file_name());
        if item.file_type()?.is_dir() {
            copy(&item.path(), &target)?;
        } else {
            fs::copy(item.path(), target)?;
        }
    }
    Ok(())
}

fn conversation(host: &'static str, row: &Value) -> Result<Conversation, String> {
    let list = |name: &str| row[name].as_array().cloned().unwrap_or_default();
    let names = |name: &str| -> BTreeSet<String> {
        list(name).iter().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let entries: Vec<(String, Value)> = row["entries"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, entry)| (name.clone(), entry.clone()))
        .collect();
    let calls: Vec<(String, Value)> = list("calls")
        .iter()
        .map(|call| Ok((need(call, "event")?, call["payload"].clone())))
        .collect::<Result<_, String>>()?;
    if calls.is_empty() || calls.iter().any(|(_, payload)| !payload.is_object()) {
        return Err("`calls` has to be a list of events with a payload each".to_owned());
    }
    let one = Conversation {
        host,
        id: need(row, "id")?,
        split: need(row, "split")?,
        theme: need(row, "theme")?,
        transcript: list("transcript"),
        calls,
        capture: list("capture").iter().map(Captured::read).collect(),
        used: names("used"),
        order: list("used").iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        wrong: names("wrong"),
        credited: names("credited"),
        shown: names("shown"),
        pairs: row["pairs"].as_u64().unwrap_or(0) as usize,
        entries,
    };
    let is_known = |name: &String| one.entries.iter().any(|(known, _)| known == name);
    let sets = [&one.used, &one.wrong, &one.credited, &one.shown];
    match sets.iter().flat_map(|set| set.iter()).find(|name| !is_known(name)) {
        Some(name) => Err(format!("there is no entry `{name}`")),
        None => Ok(one),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::eval::pairs::read;

    #[test]
    fn every_conversation_can_be_read_and_a_third_is_held_out() {
        let files = [
            include_str!("../../../evals/sessions/claude-code.jsonl"),
            include_str!("../../../evals/sessions/codex.jsonl"),
            include_str!("../../../evals/sessions/cursor.jsonl"),
            include_str!("../../../evals/sessions/gemini.jsonl"),
        ];
        let all: Vec<Conversation> = HOSTS
            .iter()
            .zip(files)
            .flat_map(|(host, text)| read(host, text, |row| conversation(host, row)).unwrap())
            .collect();
        let says = |one: &&Conversation| {
            !one.capture.is_empty()
                || one.pairs > 0
                || one.used.len() + one.wrong.len() + one.credited.len() > 0
        };
        let with = all.iter().filter(says).count();
        let held = all.iter().filter(|one| one.split != "dev").count();
        assert!(with >= 60 && all.len() - with >= 60, "{with} of {}", all.len());
        assert!(held * 3 >= all.len() && all.iter().all(|one| SPLITS.contains(&one.split.as_str())));
        let ids: BTreeSet<&str> = all.iter().map(|one| one.id.as_str()).collect();
        assert_eq!(ids.len(), all.len());
    }

    #[test]
    fn a_count_can_be_wrong() {
        let row = json!({"id": "x", "split": "dev", "theme": "t", "calls": [{"event": "stop", "payload": {}}],
            "entries": {"A": {"statement": "s", "anchor": "f"}}, "used": ["A"],
            "capture": [{"type": "lesson", "statement": "a b c", "anchor": "f"}]});
        let one = conversation("codex", &row).unwrap();
        let shown = json!({"type": "lesson", "statement": "a b c", "anchors": [{"at": "f"}], "tags": []});
        let mut played = Played { captured: vec![Captured::read(&shown)], ..Played::default() };
        played.belief.insert("A".to_owned(), (6.0, 5.0));
        played.state = "ended".to_owned();
        assert_eq!(misses(&one, &played), Vec::<String>::new());
        played.belief.insert("A".to_owned(), (5.0, 5.0));
        played.captured[0].anchor.clear();
        played.captured.push(Captured { statement: "x".to_owned(), ..played.captured[0].clone() });
        let count = Count::new([(&one, &played)].into_iter());
        assert_eq!((count.captures, count.wrong, count.reports), ((0, 1), (1, 2), (0, 1)));
        assert_eq!(misses(&one, &played).len(), 4);
    }
}
