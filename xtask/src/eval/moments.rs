//! The suite `moments`: whether the right entries are put before an agent at the moment in which they matter, and nothing is at others.
//!
//! Prompts and touched files of `evals/moments` go through `ken hook`, and prompts through `ken surface`, over stores of five projects.
//! Every moment is played in a conversation of its own, and once more in conversations of ten. From what the hook says it considered, the
//! thresholds are chosen again, each store's by the others, and held against those of the product.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ken_recall::delivery::{Likeness, Thresholds};
use serde_json::{Value, json};

use super::pairs::{need, percent, read_file};
use crate::context::{Failure, capture, failed};
use crate::harness::arguments::{Flag, Takes};
use crate::harness::figure::Figure;
use crate::harness::report::Report;
use crate::harness::session::Session;
use crate::harness::{Suite, Tool};
use crate::page;

pub(crate) const SUITE: Suite = Suite {
    page: Some("docs/internals/moments-quality.md"),
    flags: &[Flag { name: "--misses", takes: Takes::Nothing }],
    needs: &[Tool::Ken],
    optimised: false,
    ..Suite::evaluation("moments", run)
};

const FOLDER: &str = "evals/moments";
const STORES: [&str; 5] = ["web-backend", "rust-cli", "data-pipeline", "mobile-app", "infrastructure"];
/// Entries that one prompt brings up at most; as in `verbs/session.rs`.
const ASKED_MAX: usize = 2;
/// Moments of one conversation.
const SESSION_MOMENTS: usize = 10;

/// An entry of a store.
struct Known {
    id: String,
    content: Value,
    anchor: String,
}

/// A moment of work.
struct Moment {
    id: String,
    what: What,
    /// Entries that a colleague who knows them would mention now.
    matters: BTreeSet<String>,
    /// Entries that are no noise here, and need not be said.
    fits: BTreeSet<String>,
}

enum What {
    Prompt(String),
    Touch(String),
}

impl Moment {
    fn is_prompt(&self) -> bool {
        matches!(self.what, What::Prompt(_))
    }

    fn text(&self) -> &str {
        match &self.what {
            What::Prompt(text) | What::Touch(text) => text,
        }
    }

    /// Whether one of the entries that matter is among these.
    fn is_served(&self, shown: &[String]) -> bool {
        shown.iter().any(|id| self.matters.contains(id))
    }

    /// Entries among these that have nothing to do with the moment.
    fn noise(&self, shown: &[String]) -> usize {
        shown.iter().filter(|id| !self.matters.contains(*id) && !self.fits.contains(*id)).count()
    }
}

/// What a hook did at a moment.
#[derive(Clone, Debug, Default)]
struct Answered {
    /// The ids of the entries it put before the agent.
    shown: Vec<String>,
    tokens: usize,
    /// What it looked at: the id and how like the prompt it is.
    considered: Vec<(String, Likeness)>,
}

/// Everything that was played over one store. The lists are as long as its moments.
struct Played {
    name: &'static str,
    moments: Vec<Moment>,
    alone: Vec<Answered>,
    /// Without a model.
    by_words: Vec<Answered>,
    /// What `ken surface` handed a researcher.
    surfaced: Vec<Answered>,
    /// In conversations of ten: whether an entry that matters was shown by then.
    in_session: Vec<bool>,
    /// Tokens of each conversation, its beginning included.
    session_tokens: Vec<usize>,
}

fn run(session: &Session<'_>) -> Result<Report, Failure> {
    let stores: Vec<Result<Played, Failure>> = std::thread::scope(|scope| {
        let tools = (session.ken_path(), &session.scratch, session.context.root.as_path());
        let (ken, scratch, root) = tools;
        let threads: Vec<_> = STORES
            .iter()
            .map(|name| {
                scope.spawn(move || Player { ken, scratch, name, handles: BTreeMap::new() }.play(root))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("a player does not panic")).collect()
    });
    let stores: Vec<Played> = stores.into_iter().collect::<Result<_, Failure>>()?;
    let all: Vec<&Played> = stores.iter().collect();
    if session.flags.has("--misses") {
        all.iter().for_each(|played| print_misses(played));
    }
    let whole = Count::alone(&all);
    let left_out = left_out(&all);
    let surfaced = Count::new(&all, |played| &played.surfaced, Moment::is_prompt);
    let by_words = Count::new(&all, |played| &played.by_words, Moment::is_prompt);
    let touches = Count::new(&all, |played| &played.alone, |moment| !moment.is_prompt());
    let tokens: Vec<usize> = all.iter().flat_map(|played| played.session_tokens.iter().copied()).collect();
    let in_session =
        all.iter().map(|played| in_session(played)).fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let served =
        |name: &str, count: &Count| Figure::new(name, percent(count.served, count.wanted)).at(count.wanted);
    let noise = |name: &str, count: &Count| {
        Figure::new(name, per_hundred(count.noise, count.prompts)).at(count.prompts)
    };
    let prompts = Count::new(&all, |played| &played.alone, Moment::is_prompt);
    let figures = vec![
        served("moments.served", &whole),
        served("moments.prompts_served", &prompts),
        served("moments.touches_served", &touches),
        noise("moments.noise", &prompts),
        Figure::new("moments.disturbed", percent(whole.disturbed, whole.quiet)).at(whole.quiet),
        served("moments.left_out_served", &left_out.total),
        noise("moments.left_out_noise", &left_out.total),
        Figure::new("moments.session_served", percent(in_session.0, in_session.1)).at(in_session.1),
        Figure::new("moments.session_tokens", mean(&tokens)).at(tokens.len()),
        served("moments.surface_served", &surfaced),
        noise("moments.surface_noise", &surfaced),
        served("moments.words_served", &by_words),
        noise("moments.words_noise", &by_words),
    ];
    let mut rows: Vec<[String; 8]> = all.iter().map(|played| row(played, &left_out)).collect();
    rows.push(total_row(&all, &left_out));
    let mut tables = page::table(
        [
            "Store",
            "Moments",
            "Served",
            "Not needed, per 100 prompts",
            "Disturbed",
            "Served, left out",
            "Not needed, left out",
            "Tokens per session",
        ],
        &rows,
    );
    tables.push_str("\n### Thresholds\n\n");
    tables.push_str(&page::table(
        ["Chosen on", "First", "More", "Cosine", "Served", "Not needed, per 100 prompts"],
        &left_out.rows,
    ));
    tables.push('\n');
    tables.push_str(&curve(&all));
    Ok(Report { tables, ..Report::new(figures) }.note(format!(
        "the product has: first {}, more {}, cosine {}, by words alone {}",
        Thresholds::PROMPT.first_similarity_min,
        Thresholds::PROMPT.more_similarity_min,
        Thresholds::PROMPT.cosine_min,
        Thresholds::PROMPT.words_similarity_min
    )))
}

/// What is counted over some moments.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Count {
    /// Moments in which an entry matters, and those in which one of these was shown.
    wanted: usize,
    served: usize,
    /// Moments in which none does, and those in which something was shown all the same.
    quiet: usize,
    disturbed: usize,
    /// Prompts, and entries shown at them that have nothing to do with them.
    prompts: usize,
    noise: usize,
}

impl Count {
    fn add(&mut self, moment: &Moment, shown: &[String]) {
        if moment.matters.is_empty() {
            self.quiet += 1;
            self.disturbed += usize::from(moment.noise(shown) > 0);
        } else {
            self.wanted += 1;
            self.served += usize::from(moment.is_served(shown));
        }
        self.prompts += usize::from(moment.is_prompt());
        self.noise += moment.noise(shown);
    }

    fn new(all: &[&Played], list: fn(&Played) -> &Vec<Answered>, which: fn(&Moment) -> bool) -> Count {
        let mut count = Count::default();
        for played in all {
            for (moment, answered) in
                played.moments.iter().zip(list(played)).filter(|(moment, _)| which(moment))
            {
                count.add(moment, &answered.shown);
            }
        }
        count
    }

    fn alone(all: &[&Played]) -> Count {
        Count::new(all, |played| &played.alone, |_| true)
    }

    /// What the same prompts would have been shown with other thresholds.
    fn with(all: &[&Played], thresholds: &Thresholds) -> Count {
        let mut count = Count::default();
        for played in all {
            for (moment, answered) in
                played.moments.iter().zip(&played.alone).filter(|(moment, _)| moment.is_prompt())
            {
                count.add(moment, &shown_with(answered, thresholds));
            }
        }
        count
    }

    /// A moment that is served counts as much as an entry that was not needed.
    fn worth(&self) -> i64 {
        self.served as i64 - self.noise as i64
    }
}

/// What the hook would have shown with other thresholds.
fn shown_with(answered: &Answered, thresholds: &Thresholds) -> Vec<String> {
    let likeness: Vec<Likeness> = answered.considered.iter().map(|(_, likeness)| *likeness).collect();
    let chosen = thresholds.choose(&likeness, true).into_iter().take(ASKED_MAX);
    chosen.map(|at| answered.considered[at].0.clone()).collect()
}

/// The thresholds among which is chosen, the strictest first.
fn grid() -> Vec<Thresholds> {
    let mut grid = Vec::new();
    for first_similarity_min in [0.38, 0.3, 0.25, 0.2, 0.15, 0.12, 0.1] {
        for cosine_min in [0.42, 0.4, 0.38, 0.36, 0.34, 0.32, 0.3, 0.28, 0.25, 0.2] {
            for more_similarity_min in [2.0, 0.5, 0.38, 0.3, 0.2] {
                grid.push(Thresholds {
                    first_similarity_min,
                    more_similarity_min,
                    cosine_min,
                    ..Thresholds::PROMPT
                });
            }
        }
    }
    grid
}

/// The best thresholds for some stores; among equals the strictest.
fn best(of: &[&Played]) -> Thresholds {
    let mut best = (i64::MIN, Thresholds::PROMPT);
    for thresholds in grid() {
        let worth = Count::with(of, &thresholds).worth();
        if worth > best.0 {
            best = (worth, thresholds);
        }
    }
    best.1
}

/// What each store gets with the thresholds that the others chose.
struct LeftOut {
    by_store: BTreeMap<&'static str, Count>,
    total: Count,
    rows: Vec<[String; 6]>,
}

fn left_out(all: &[&Played]) -> LeftOut {
    let mut found = LeftOut { by_store: BTreeMap::new(), total: Count::default(), rows: Vec::new() };
    for played in all {
        let others: Vec<&Played> = all.iter().copied().filter(|other| other.name != played.name).collect();
        let thresholds = best(&others);
        let count = Count::with(&[*played], &thresholds);
        found.rows.push(threshold_row(&format!("all but {}", played.name), &thresholds, &count));
        found.by_store.insert(played.name, count);
        let total = &mut found.total;
        total.wanted += count.wanted;
        total.served += count.served;
        total.quiet += count.quiet;
        total.disturbed += count.disturbed;
        total.prompts += count.prompts;
        total.noise += count.noise;
    }
    let chosen = best(all);
    found.rows.push(threshold_row("all", &chosen, &Count::with(all, &chosen)));
    found.rows.push(threshold_row(
        "the product",
        &Thresholds::PROMPT,
        &Count::with(all, &Thresholds::PROMPT),
    ));
    found
}

fn threshold_row(name: &str, thresholds: &Thresholds, count: &Count) -> [String; 6] {
    let more = match thresholds.more_similarity_min {
        above if above > 1.0 => "never".to_owned(),
        more => format!("{more}"),
    };
    [
        name.to_owned(),
        thresholds.first_similarity_min.to_string(),
        more,
        thresholds.cosine_min.to_string(),
        format!("{:.1} %", percent(count.served, count.wanted)),
        format!("{:.1}", per_hundred(count.noise, count.prompts)),
    ]
}

/// What one threshold costs and gives, the others as they are.
fn curve(all: &[&Played]) -> String {
    let mut rows: Vec<[String; 4]> = Vec::new();
    for first in [0.1, 0.15, 0.2, 0.25, 0.3, 0.38, 0.5] {
        let count = Count::with(all, &Thresholds { first_similarity_min: first, ..Thresholds::PROMPT });
        rows.push(curve_row(format!("first {first}"), &count));
    }
    for cosine in [0.2, 0.25, 0.3, 0.34, 0.38, 0.42] {
        let count = Count::with(all, &Thresholds { cosine_min: cosine, ..Thresholds::PROMPT });
        rows.push(curve_row(format!("cosine {cosine}"), &count));
    }
    page::table(
        ["One threshold changed", "Served", "Not needed, per 100 prompts", "Quiet moments disturbed"],
        &rows,
    )
}

fn curve_row(name: String, count: &Count) -> [String; 4] {
    [
        name,
        format!("{:.1} %", percent(count.served, count.wanted)),
        format!("{:.1}", per_hundred(count.noise, count.prompts)),
        format!("{} of {}", count.disturbed, count.quiet),
    ]
}

fn row(played: &Played, left_out: &LeftOut) -> [String; 8] {
    let count = Count::alone(&[played]);
    let prompts = Count::new(&[played], |played| &played.alone, Moment::is_prompt);
    let out = left_out.by_store[played.name];
    cells(played.name, &count, &prompts, &out, &played.session_tokens)
}

fn total_row(all: &[&Played], left_out: &LeftOut) -> [String; 8] {
    let tokens: Vec<usize> = all.iter().flat_map(|played| played.session_tokens.iter().copied()).collect();
    let prompts = Count::new(all, |played| &played.alone, Moment::is_prompt);
    cells("all", &Count::alone(all), &prompts, &left_out.total, &tokens)
}

fn cells(name: &str, count: &Count, prompts: &Count, out: &Count, tokens: &[usize]) -> [String; 8] {
    [
        name.to_owned(),
        (count.wanted + count.quiet).to_string(),
        format!("{} of {}", count.served, count.wanted),
        format!("{:.1}", per_hundred(prompts.noise, prompts.prompts)),
        format!("{} of {}", count.disturbed, count.quiet),
        format!("{} of {} prompts", out.served, out.wanted),
        format!("{:.1}", per_hundred(out.noise, out.prompts)),
        format!("{:.0}", mean(tokens)),
    ]
}

/// Moments of conversations in which an entry matters, and those in which it had been shown by then.
fn in_session(played: &Played) -> (usize, usize) {
    let wanted =
        played.moments.iter().zip(&played.in_session).filter(|(moment, _)| !moment.matters.is_empty());
    wanted.fold((0, 0), |(served, all), (_, is_served)| (served + usize::from(*is_served), all + 1))
}

fn per_hundred(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

fn mean(values: &[usize]) -> f64 {
    values.iter().sum::<usize>() as f64 / values.len().max(1) as f64
}

fn print_misses(played: &Played) {
    for (moment, answered) in played.moments.iter().zip(&played.alone) {
        let shown = answered.shown.join(", ");
        if !moment.matters.is_empty() && !moment.is_served(&answered.shown) {
            let wanted: Vec<&str> = moment.matters.iter().map(String::as_str).collect();
            println!("{}: not served {}: `{}` (shown: {shown})", moment.id, wanted.join(", "), moment.text());
        } else if moment.noise(&answered.shown) > 0 {
            println!("{}: not needed {shown}: `{}`", moment.id, moment.text());
        }
    }
}

/// Plays the moments of one store.
struct Player<'a> {
    ken: &'a Path,
    scratch: &'a crate::harness::scratch::Scratch,
    name: &'static str,
    /// Ids of the evaluation by the handles that the store gave.
    handles: BTreeMap<String, String>,
}

impl Player<'_> {
    fn play(mut self, repository: &Path) -> Result<Played, Failure> {
        let entries = read_file(repository, &format!("{FOLDER}/{}.entries.jsonl", self.name), known)?;
        let moments = read_file(repository, &format!("{FOLDER}/{}.moments.jsonl", self.name), moment)?;
        check(self.name, &entries, &moments).map_err(Failure::Failed)?;
        let root = self.store(&entries, &moments)?;
        let mut played = Played {
            name: self.name,
            alone: Vec::new(),
            by_words: Vec::new(),
            surfaced: Vec::new(),
            in_session: Vec::new(),
            session_tokens: Vec::new(),
            moments: Vec::new(),
        };
        for moment in &moments {
            played.alone.push(self.hook(&root, moment, &moment.id, true)?);
        }
        for moment in &moments {
            let (words, surfaced) = match &moment.what {
                What::Prompt(text) => (
                    self.hook(&root, moment, &format!("words-{}", moment.id), false)?,
                    self.surface(&root, text)?,
                ),
                What::Touch(_) => Default::default(),
            };
            played.by_words.push(words);
            played.surfaced.push(surfaced);
        }
        for (at, some) in moments.chunks(SESSION_MOMENTS).enumerate() {
            let session = format!("ten-{}-{at}", self.name);
            let began = self.began(&root, &session)?;
            let mut tokens = began.tokens;
            let mut shown: BTreeSet<String> = began.shown.into_iter().collect();
            for moment in some {
                let answered = self.hook(&root, moment, &session, true)?;
                tokens += answered.tokens;
                shown.extend(answered.shown);
                played.in_session.push(shown.intersection(&moment.matters).next().is_some());
            }
            played.session_tokens.push(tokens);
        }
        played.moments = moments;
        Ok(played)
    }

    /// A repository with the files that entries and moments name, and a store with the entries.
    fn store(&mut self, entries: &[Known], moments: &[Moment]) -> Result<PathBuf, Failure> {
        let root = self.scratch.folder.join(self.name);
        let problem = |error: std::io::Error| Failure::Failed(format!("{}: {error}", self.name));
        let touched = moments.iter().filter(|moment| !moment.is_prompt()).map(Moment::text);
        for path in entries.iter().map(|entry| entry.anchor.as_str()).chain(touched) {
            let file = root.join(path);
            file.parent().map_or(Ok(()), fs::create_dir_all).map_err(problem)?;
            fs::write(file, format!("{path}\n")).map_err(problem)?;
        }
        let given: String = entries.iter().map(|entry| format!("{}\n", entry.content)).collect();
        let file = self.scratch.folder.join(format!("{}.jsonl", self.name));
        fs::write(&file, given).map_err(problem)?;
        capture(&mut self.scratch.git(&root, &["init", "-q", "-b", "main"]))?;
        self.scratch.name_the_author(&root)?;
        capture(self.command(&root).arg("init"))?;
        capture(self.command(&root).args(["add", "--atomic", "--file"]).arg(&file))?;
        // Many entries at once are embedded by a process of their own, which is off here.
        capture(self.command(&root).args(["embed", "--quiet"]))?;
        let list = self.json(&root, &["list", "--all"])?;
        for entry in list["items"].as_array().into_iter().flatten() {
            let same = entries.iter().find(|known| known.content["statement"] == entry["statement"]);
            if let (Some(known), Some(handle)) = (same, entry["handle"].as_str()) {
                self.handles.insert(handle.to_owned(), known.id.clone());
            }
        }
        match self.handles.len() == entries.len() {
            true => Ok(root),
            false => failed(format!(
                "{}: {} of {} entries are in the store",
                self.name,
                self.handles.len(),
                entries.len()
            )),
        }
    }

    fn command(&self, root: &Path) -> Command {
        let mut command = self.scratch.program(self.ken, root);
        // A machine that is busy with the other stores is no reason to be late.
        command.env("KEN_HOOK_TIMEOUT_MS", "60000");
        command
    }

    fn json(&self, root: &Path, arguments: &[&str]) -> Result<Value, Failure> {
        let output = capture(self.command(root).arg("--json").args(arguments))?;
        serde_json::from_str(&output)
            .map_err(|error| Failure::Failed(format!("`ken {}`: {error}", arguments.join(" "))))
    }

    fn surface(&self, root: &Path, task: &str) -> Result<Answered, Failure> {
        let answer = self.json(root, &["surface", "--role", "researcher", "--", task])?;
        let handles =
            answer["entries"].as_array().into_iter().flatten().filter_map(|entry| entry["handle"].as_str());
        let shown = handles.filter_map(|handle| self.handles.get(handle).cloned()).collect();
        Ok(Answered {
            shown,
            tokens: answer["tokens"]["count"].as_u64().unwrap_or(0) as usize,
            considered: Vec::new(),
        })
    }

    fn began(&self, root: &Path, session: &str) -> Result<Answered, Failure> {
        let payload = json!({"session_id": session, "cwd": root, "hook_event_name": "SessionStart", "source": "startup"});
        self.call(root, "session-start", &payload, true)
    }

    fn hook(
        &self,
        root: &Path,
        moment: &Moment,
        session: &str,
        with_model: bool,
    ) -> Result<Answered, Failure> {
        let (event, payload) = match &moment.what {
            What::Prompt(prompt) => (
                "prompt",
                json!({"session_id": session, "cwd": root, "hook_event_name": "UserPromptSubmit", "prompt": prompt}),
            ),
            What::Touch(path) => (
                "touch",
                json!({"session_id": session, "cwd": root, "hook_event_name": "PreToolUse", "tool_name": "Edit",
                    "tool_input": {"file_path": root.join(path), "old_string": "a", "new_string": "b"}}),
            ),
        };
        self.call(root, event, &payload, with_model)
    }

    /// What a hook says to the host, and what it says it did.
    fn call(&self, root: &Path, event: &str, payload: &Value, with_model: bool) -> Result<Answered, Failure> {
        let mut command = self.command(root);
        if !with_model {
            command.arg("--no-model");
        }
        command.args(["hook", event, "--host", "claude-code", "--debug"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = command.spawn().and_then(|mut child| {
            if let Some(mut input) = child.stdin.take() {
                input.write_all(payload.to_string().as_bytes())?;
            }
            child.wait_with_output()
        });
        let output = match output {
            Ok(output) => output,
            Err(error) => return failed(format!("{}: `ken hook {event}`: {error}", self.name)),
        };
        let (said, did) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let mut shown: Vec<(usize, String)> = self
            .handles
            .iter()
            .filter_map(|(handle, id)| Some((said.find(handle.as_str())?, id.clone())))
            .collect();
        shown.sort();
        let tokens =
            did.lines().find_map(|line| line.split_once(" tokens, entries:")?.0.parse().ok()).unwrap_or(0);
        Ok(Answered {
            shown: shown.into_iter().map(|(_, id)| id).collect(),
            tokens,
            considered: did.lines().filter_map(|line| self.considered(line)).collect(),
        })
    }

    /// Reads `considered L-1a2b3c: similarity 0.4123, cosine 0.3881`.
    fn considered(&self, line: &str) -> Option<(String, Likeness)> {
        let (handle, rest) = line.strip_prefix("considered ")?.split_once(": similarity ")?;
        let (similarity, cosine) = rest.split_once(", cosine ")?;
        let likeness = Likeness { similarity: similarity.parse().ok()?, cosine: cosine.parse().ok() };
        Some((self.handles.get(handle)?.clone(), likeness))
    }
}

fn known(row: &Value) -> Result<Known, String> {
    let kind = need(row, "type")?;
    let anchor = need(row, "anchor")?;
    let mut content = json!({
        "type": if kind == "decision" { "experience" } else { "lesson" },
        "statement": need(row, "statement")?,
        "tags": row["tags"],
        "anchors": [anchor],
        "provenance": ["pr:1"],
        "verification": ["look at the code"],
    });
    if kind == "decision" {
        content["subtype"] = "decision".into();
    } else if kind != "lesson" {
        return Err(format!("there is no type `{kind}` here"));
    }
    if let Some(title) = row["title"].as_str() {
        content["title"] = title.into();
    }
    Ok(Known { id: need(row, "id")?, content, anchor })
}

fn moment(row: &Value) -> Result<Moment, String> {
    let names = |name: &str| -> BTreeSet<String> {
        row[name].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let what = match (row["prompt"].as_str(), row["touch"].as_str()) {
        (Some(prompt), None) => What::Prompt(prompt.to_owned()),
        (None, Some(path)) => What::Touch(path.to_owned()),
        _ => return Err("one of `prompt` and `touch` is wanted".to_owned()),
    };
    if !row["matters"].is_array() {
        return Err("`matters` is missing; it is empty where no entry does".to_owned());
    }
    Ok(Moment { id: need(row, "id")?, what, matters: names("matters"), fits: names("fits") })
}

/// Whether each name is one, and no moment stands there twice.
fn check(store: &str, entries: &[Known], moments: &[Moment]) -> Result<(), String> {
    let ids: BTreeSet<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
    if ids.len() != entries.len() {
        return Err(format!("{store}: two entries have the same id"));
    }
    let mut seen = BTreeSet::new();
    for moment in moments {
        if let Some(name) =
            moment.matters.iter().chain(&moment.fits).find(|name| !ids.contains(name.as_str()))
        {
            return Err(format!("{store}, {}: there is no entry `{name}`", moment.id));
        }
        if !seen.insert(&moment.id) {
            return Err(format!("{store}: two moments are called {}", moment.id));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::pairs::read;

    const FILES: [(&str, &str); 5] = [
        (
            include_str!("../../../evals/moments/web-backend.entries.jsonl"),
            include_str!("../../../evals/moments/web-backend.moments.jsonl"),
        ),
        (
            include_str!("../../../evals/moments/rust-cli.entries.jsonl"),
            include_str!("../../../evals/moments/rust-cli.moments.jsonl"),
        ),
        (
            include_str!("../../../evals/moments/data-pipeline.entries.jsonl"),
            include_str!("../../../evals/moments/data-pipeline.moments.jsonl"),
        ),
        (
            include_str!("../../../evals/moments/mobile-app.entries.jsonl"),
            include_str!("../../../evals/moments/mobile-app.moments.jsonl"),
        ),
        (
            include_str!("../../../evals/moments/infrastructure.entries.jsonl"),
            include_str!("../../../evals/moments/infrastructure.moments.jsonl"),
        ),
    ];

    #[test]
    fn every_moment_can_be_read_and_names_entries_that_are_there() {
        let (mut wanted, mut quiet) = (0, 0);
        for (name, (entries, moments)) in STORES.into_iter().zip(FILES) {
            let entries = read(name, entries, known).unwrap();
            let moments = read(name, moments, moment).unwrap();
            check(name, &entries, &moments).unwrap();
            assert!((40..=120).contains(&entries.len()), "{name}: {}", entries.len());
            wanted += moments.iter().filter(|moment| !moment.matters.is_empty()).count();
            quiet += moments.iter().filter(|moment| moment.matters.is_empty()).count();
        }
        assert!(wanted >= 200 && quiet >= 80, "{wanted} and {quiet}");
    }

    fn asked(matters: &[&str], shown: &[&str]) -> (Moment, Answered) {
        let row = json!({"id": "x", "prompt": "p", "matters": matters});
        let shown: Vec<String> = shown.iter().map(|id| (*id).to_owned()).collect();
        (moment(&row).unwrap(), Answered { shown, ..Answered::default() })
    }

    #[test]
    fn a_count_can_be_wrong() {
        let mut count = Count::default();
        for (moment, answered) in [
            asked(&["a"], &["a", "b"]),
            asked(&["a"], &["b"]),
            asked(&["a"], &[]),
            asked(&[], &["a"]),
            asked(&[], &[]),
        ] {
            count.add(&moment, &answered.shown);
        }
        let expected = Count { wanted: 3, served: 1, quiet: 2, disturbed: 1, prompts: 5, noise: 3 };
        assert_eq!((count, count.worth()), (expected, -2));
    }

    #[test]
    fn other_thresholds_show_other_entries() {
        let considered = vec![
            ("a".to_owned(), Likeness { similarity: 0.5, cosine: Some(0.5) }),
            ("b".to_owned(), Likeness { similarity: 0.4, cosine: Some(0.2) }),
        ];
        let answered = Answered { considered, ..Answered::default() };
        let with = |cosine_min| shown_with(&answered, &Thresholds { cosine_min, ..Thresholds::PROMPT });
        assert_eq!((with(0.6).len(), with(0.3).len(), with(0.1).len()), (0, 1, 2));
    }
}
