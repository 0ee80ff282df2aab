//! What follows when a fact that entries rest on changes, vanishes or comes back, by the cases of `evals/cascade` (VAL-1b, VAL-2).

use crate::verbs::Verbs as _;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use kenning::core::Millis;
use kenning::core::decide::{Change, Outcome};
use kenning::{Accept, AddInput, Caller, Channel, CheckAnswer, Checked, Options, Reach, Which};
use serde_json::{Map, Value, json};

/// How many cases there must be at least, all files together.
const CASES_MIN: usize = 360;
/// What a case is about, as the MEME paper has it; the first word of its title.
const KINDS: [&str; 6] = ["exact", "aggregation", "tracking", "deletion", "cascade", "absence"];

#[test]
fn facts_in_files_change_and_come_back() {
    run_all("changes.txt");
}

#[test]
fn versions_move_under_decisions() {
    run_all("versions.txt");
}

#[test]
fn settings_and_flags_are_turned() {
    run_all("settings.txt");
}

#[test]
fn code_is_renamed_rewritten_moved_and_deleted() {
    run_all("code.txt");
}

#[test]
fn what_is_absent_counts() {
    run_all("absence.txt");
}

#[test]
fn entries_are_taken_back_replaced_and_restored() {
    run_all("entries.txt");
}

#[test]
fn chains_diamonds_and_two_causes() {
    run_all("shapes.txt");
}

#[test]
fn circles_are_told() {
    run_all("circles.txt");
}

#[test]
fn commits_are_checked_out() {
    run_all("history.txt");
}

#[test]
fn packages_are_raised_lowered_and_taken_out() {
    run_all("packages.txt");
}

#[test]
fn services_change_beneath_their_clients() {
    run_all("services.txt");
}

#[test]
fn files_and_symbols_get_other_names() {
    run_all("renames.txt");
}

#[test]
fn pipelines_are_rebuilt() {
    run_all("pipelines.txt");
}

#[test]
fn schemas_migrate() {
    run_all("schemas.txt");
}

#[test]
fn teams_change_their_minds() {
    run_all("teams.txt");
}

#[test]
fn branches_say_different_things() {
    run_all("branches.txt");
}

#[test]
fn chains_of_many_steps() {
    run_all("chains.txt");
}

#[test]
fn several_facts_together() {
    run_all("together.txt");
}

#[test]
fn facts_are_removed() {
    run_all("removed.txt");
}

#[test]
fn what_nobody_knows_is_not_told_as_true() {
    run_all("unknown.txt");
}

#[test]
fn there_are_enough_cases_and_every_file_is_run() {
    let me = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cascade.rs")).unwrap();
    let mut count = 0;
    for file in fs::read_dir(folder()).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".txt") {
            assert!(me.contains(&format!("run_all(\"{name}\")")), "{name} is not run");
            count += cases(&name).len();
        }
    }
    assert!(count >= CASES_MIN, "{count} cases, at least {CASES_MIN} are wanted");
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../evals/cascade")
}

/// Runs every case of a file and names all that fail.
fn run_all(file: &str) {
    let mut failed: Vec<String> = Vec::new();
    for case in cases(file) {
        let ended = run(&case);
        // `cargo xtask eval cascade` counts these.
        println!("cascade: {} {}", case.kind, if ended.is_ok() { "right" } else { "wrong" });
        failed.extend(ended.err());
    }
    assert!(failed.is_empty(), "\n{}", failed.join("\n"));
}

/// A story: a title and what happens, line by line.
struct Case {
    /// `entries.txt: A fact is retracted`.
    name: String,
    /// One of [`KINDS`].
    kind: &'static str,
    steps: Vec<Step>,
}

/// One line, with the lines below it that are indented.
struct Step {
    number: usize,
    text: String,
    block: String,
}

fn cases(file: &str) -> Vec<Case> {
    let text = fs::read_to_string(folder().join(file)).unwrap();
    let mut cases: Vec<Case> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if let Some(title) = line.strip_prefix("# ") {
            let name = format!("{file}: {title}");
            assert!(cases.iter().all(|case| case.name != name), "{name} is there twice");
            let kind = KINDS.into_iter().find(|kind| title.starts_with(&format!("{kind}: ")));
            let kind = kind.unwrap_or_else(|| panic!("{name}: a title begins with one of {KINDS:?}"));
            cases.push(Case { name, kind, steps: Vec::new() });
            continue;
        }
        if line.trim().is_empty() {
            continue;
        }
        let steps = &mut cases.last_mut().unwrap_or_else(|| panic!("{file}:{}: no title yet", at + 1)).steps;
        match line.strip_prefix("    ") {
            Some(indented) => {
                let step =
                    steps.last_mut().unwrap_or_else(|| panic!("{file}:{}: a block of nothing", at + 1));
                step.block.push_str(indented);
                step.block.push('\n');
            }
            None => steps.push(Step { number: at + 1, text: line.trim().to_owned(), block: String::new() }),
        }
    }
    cases
}

fn run(case: &Case) -> Result<(), String> {
    let mut stage = Stage::new();
    for step in &case.steps {
        stage
            .step(step)
            .map_err(|why| format!("{}\n  line {}: {}\n  {why}", case.name, step.number, step.text))?;
    }
    stage.curtain().map_err(|why| format!("{}\n  at the end: {why}", case.name))
}

/// Steps that change entries and not files.
const LEDGER_VERBS: &[&str] = &["retract", "archive", "restore", "supersede", "revise", "accept"];

/// Files by their paths.
type Files = BTreeMap<String, String>;

/// A repository with a store, and what is in it.
struct Stage {
    folder: tempfile::TempDir,
    ken: Reach,
    files: Files,
    /// The files at each expectation, for `undo`.
    seen: Vec<Files>,
    /// Each entry's short citation.
    ids: BTreeMap<String, String>,
    last: Option<Value>,
    /// Entries came or changed since the last expectation.
    ledger_grew: bool,
}

impl Stage {
    fn new() -> Stage {
        let folder = tempfile::tempdir().unwrap();
        git(folder.path(), &["init", "-q", "-b", "main"]).unwrap();
        kenning::init_with(&options(folder.path()), kenning::SetUp::default()).unwrap();
        let ken = kenning::open_for(options(folder.path()), ada()).unwrap();
        Stage {
            folder,
            ken,
            files: Files::new(),
            seen: Vec::new(),
            ids: BTreeMap::new(),
            last: None,
            ledger_grew: false,
        }
    }

    fn step(&mut self, step: &Step) -> Result<(), String> {
        if let Some((id, said)) = step.text.split_once(" = ")
            && !id.trim().contains(' ')
        {
            self.ledger_grew = true;
            return self.add(id.trim(), said);
        }
        self.ledger_grew |= LEDGER_VERBS.iter().any(|verb| step.text.starts_with(verb));
        let (verb, rest) = step.text.split_once(' ').unwrap_or((step.text.as_str(), ""));
        let rest = rest.trim();
        match verb {
            "file" => self.write(rest, &step.block, Before::Missing),
            "change" => self.write(rest, &step.block, Before::There),
            "append" => {
                let (path, more) = content(rest, &step.block)?;
                let text = format!("{}{more}", self.text(&path)?);
                self.put(&path, Some(text))
            }
            "edit" => {
                let (path, edit) = rest.split_once(": ").ok_or("write `edit PATH: OLD -> NEW`")?;
                let (old, new) = arrow(edit)?;
                let text = self.text(path)?;
                if text.matches(old).count() != 1 {
                    return Err(format!("{old:?} is there {} times", text.matches(old).count()));
                }
                self.put(path, Some(text.replace(old, new)))
            }
            "delete" => {
                let below = format!("{rest}/");
                let paths = self.files.keys().filter(|path| *path == rest || path.starts_with(&below));
                let paths: Vec<String> = paths.cloned().collect();
                if paths.is_empty() {
                    return Err(format!("there is no {rest}"));
                }
                paths.iter().try_for_each(|path| self.put(path, None))
            }
            "move" => {
                let (from, to) = arrow(rest)?;
                let text = self.text(from)?;
                self.put(from, None)?;
                self.put(to, Some(text))
            }
            "undo" => {
                let before = self.seen.iter().rev().find(|files| **files != self.files);
                self.set_files(before.cloned().ok_or("no expectation saw other files")?)
            }
            "retract" => said(self.ken.retract(rest, "it was wrong")),
            "archive" => said(self.ken.archive(rest, "it is put away")),
            "restore" => said(self.ken.restore(rest, "it was right after all")),
            "supersede" => {
                let (old, new) = arrow(rest)?;
                said(self.ken.supersede(old, new, "it was replaced"))
            }
            "revise" => {
                let (id, parts) = parts(rest)?;
                let (depends_on, anchors) = split_parts(&parts);
                let mut set = Map::new();
                set.insert("depends_on".to_owned(), json!(depends_on));
                if !anchors.is_empty() {
                    set.insert("anchors".to_owned(), json!(anchors));
                }
                said(self.ken.revise(&id, Change { set, ..Change::default() }, &[], false))
            }
            "accept" => {
                let accept = if rest == "drifted" { Accept::Drifted } else { Accept::Found };
                let checked = self.check()?;
                let accepted =
                    self.ken.accept(&checked.entries, accept).map_err(|error| error.to_string())?;
                if accepted.is_empty() { Err("there was nothing to accept".to_owned()) } else { Ok(()) }
            }
            "commit" => {
                self.git(&["add", "-A", "--", ".", ":!.kenning"])?;
                self.git(&["commit", "-q", "--allow-empty", "-m", rest])?;
                self.git(&["tag", rest])
            }
            "checkout" => {
                self.git(&["checkout", "-q", rest])?;
                self.files = read_files(self.folder.path());
                Ok(())
            }
            "revert" => {
                self.git(&["revert", "--no-edit", rest])?;
                self.files = read_files(self.folder.path());
                Ok(())
            }
            "expect" => self.expect(rest),
            "says" => self.says(rest),
            other => Err(format!("{other:?} is no verb; see evals/cascade/README.md")),
        }
    }

    /// `fact.db = Statement | condition | at PLACE`.
    fn add(&mut self, id: &str, rest: &str) -> Result<(), String> {
        let (statement, parts) = parts(rest)?;
        let parts = self.cited(parts)?;
        let (depends_on, anchors) = split_parts(&parts);
        let (kind, subtype) = match id.split('.').next() {
            Some("dec" | "adr") => ("experience", Some("decision")),
            Some("conv") => ("experience", Some("convention")),
            Some("bug") => ("experience", Some("bug")),
            Some("lesson") => ("lesson", None),
            _ => ("experience", Some("learning")),
        };
        let mut content = json!({
            "id": id, "statement": statement, "depends_on": depends_on, "anchors": anchors,
            "verification": ["look at it"],
        });
        if let Some(subtype) = subtype {
            content["subtype"] = json!(subtype);
        }
        let input = AddInput {
            kind: Some(kind.to_owned()),
            content: content.as_object().cloned().unwrap_or_default(),
            evidence: vec!["pr:1".to_owned()],
            draft: anchors.is_empty(),
            ..AddInput::default()
        };
        let answer = self.ken.add(input).map_err(|error| error.to_string())?;
        self.ids.insert(id.to_owned(), answer.handle.clone());
        let outcome = if anchors.is_empty() { Outcome::Held } else { Outcome::Added };
        if answer.outcome != outcome || answer.id != id {
            return Err(format!("{} as {}: {:?}", answer.outcome, answer.id, answer.reasons));
        }
        let unseen: Vec<&String> = answer.reasons.iter().filter(|why| why.contains("not watched")).collect();
        if unseen.is_empty() { Ok(()) } else { Err(format!("{unseen:?}")) }
    }

    /// `[lesson.poll]` stands for the short citation of that entry.
    fn cited(&self, parts: Vec<String>) -> Result<Vec<String>, String> {
        let cited = |part: String| match part.strip_prefix('[').and_then(|part| part.strip_suffix(']')) {
            Some(id) => self.ids.get(id).cloned().ok_or(format!("there is no entry {id}")),
            None => Ok(part),
        };
        parts.into_iter().map(cited).collect()
    }

    fn write(&mut self, rest: &str, block: &str, before: Before) -> Result<(), String> {
        let (path, text) = content(rest, block)?;
        match (before, self.files.get(&path)) {
            (Before::Missing, Some(_)) => return Err(format!("{path} is there already: `change` it")),
            (Before::There, None) => return Err(format!("there is no {path}: make a `file`")),
            (Before::There, Some(old)) if *old == text => return Err(format!("{path} does not change")),
            (Before::Missing, None) | (Before::There, Some(_)) => {}
        }
        self.put(&path, Some(text))
    }

    fn text(&self, path: &str) -> Result<String, String> {
        self.files.get(path).cloned().ok_or(format!("there is no {path}"))
    }

    fn put(&mut self, path: &str, text: Option<String>) -> Result<(), String> {
        let mut files = self.files.clone();
        match text {
            Some(text) => files.insert(path.to_owned(), text),
            None => files.remove(path),
        };
        self.set_files(files)
    }

    /// Makes the files on the disk be these.
    fn set_files(&mut self, files: Files) -> Result<(), String> {
        let root = self.folder.path();
        let done = || -> std::io::Result<()> {
            for path in self.files.keys().filter(|path| !files.contains_key(*path)) {
                fs::remove_file(root.join(path))?;
                // Git keeps no empty folders, and neither do we.
                let mut folder = Path::new(path).parent();
                while let Some(empty) = folder.filter(|folder| !folder.as_os_str().is_empty()) {
                    if fs::remove_dir(root.join(empty)).is_err() {
                        break;
                    }
                    folder = empty.parent();
                }
            }
            for (path, text) in files.iter().filter(|(path, text)| self.files.get(*path) != Some(text)) {
                fs::create_dir_all(root.join(path).parent().unwrap_or(root))?;
                fs::write(root.join(path), text)?;
            }
            Ok(())
        };
        done().map_err(|error| error.to_string())?;
        self.files = files;
        Ok(())
    }

    fn git(&self, args: &[&str]) -> Result<(), String> {
        git(self.folder.path(), args)
    }

    /// Answers from what is remembered, and once more from nothing: both must say the same.
    fn check(&mut self) -> Result<CheckAnswer, String> {
        let remembered = check(&mut self.ken)?;
        let kept = self.kept();
        let away: Vec<(PathBuf, Vec<u8>)> =
            kept.iter().filter_map(|path| Some((path.clone(), fs::read(path).ok()?))).collect();
        if away.is_empty() && remembered.entries.iter().any(|entry| !entry.conditions.is_empty()) {
            return Err("nothing is remembered between checks".to_owned());
        }
        self.forget()?;
        let anew = check(&mut self.ken)?;
        self.forget()?;
        for (path, bytes) in away {
            fs::write(path, bytes).map_err(|error| error.to_string())?;
        }
        same("from memory", &json!(remembered), "from nothing", &json!(anew))?;
        Ok(remembered)
    }

    /// The files that hold what was found out before.
    fn kept(&self) -> Vec<PathBuf> {
        let home = self.folder.path().join(".git/kenning");
        ["judgements", "judgements-wal", "judgements-shm", "judgements-journal"]
            .map(|name| home.join(name))
            .into()
    }

    fn forget(&self) -> Result<(), String> {
        for path in self.kept().into_iter().filter(|path| path.exists()) {
            fs::remove_file(path).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// `expect fact.db broken, dec.json broken because fact.db, rest fresh`: every entry that is handed out is named.
    fn expect(&mut self, rest: &str) -> Result<(), String> {
        let answer = self.check()?;
        counted_alike(&mut self.ken, &answer)?;
        self.compare_with_touched(&answer)?;
        self.seen.push(self.files.clone());
        self.last = Some(json!(answer));
        self.ledger_grew = false;
        let mut open: BTreeMap<&str, &Checked> =
            answer.entries.iter().map(|entry| (entry.head.id.as_str(), entry)).collect();
        let mut wrong = Vec::new();
        let mut others = None;
        for wanted in rest.split(',').map(str::trim) {
            let (id, wanted) = wanted.split_once(' ').ok_or(format!("{wanted:?} is no expectation"))?;
            if matches!(id, "all" | "rest") {
                others = Some(wanted);
                continue;
            }
            if !self.ids.contains_key(id) {
                return Err(format!("there is no entry {id}"));
            }
            let found = open.remove(id).map_or("away".to_owned(), shown);
            if found != wanted {
                wrong.push(format!("{id} is {found}, not {wanted}"));
            }
        }
        for (id, entry) in open {
            let found = shown(entry);
            match others {
                Some(wanted) if found == wanted => {}
                Some(wanted) => wrong.push(format!("{id} is {found}, not {wanted}")),
                None => wrong.push(format!("{id} is {found}, and nothing is said of it")),
            }
        }
        match wrong.is_empty() {
            true => Ok(()),
            false => {
                let told: Vec<String> = answer.entries.iter().flat_map(reasons).collect();
                Err(format!("{}\n    {}", wrong.join("\n  "), told.join("\n    ")))
            }
        }
    }

    /// Where only files changed since the last expectation, asking about those files alone finds every entry that they changed.
    fn compare_with_touched(&mut self, answer: &CheckAnswer) -> Result<(), String> {
        let (Some(before), Some(files), false) = (&self.last, self.seen.last(), self.ledger_grew) else {
            return Ok(());
        };
        // Code that was found elsewhere may be in any file, and is looked for by a check of everything alone.
        let moved = |entry: &Value| entry["verdict"] == "moved";
        if before["entries"].as_array().into_iter().flatten().any(moved) || answer.summary.moved > 0 {
            return Ok(());
        }
        let paths = files.keys().chain(self.files.keys());
        let changed = paths.filter(|path| files.get(*path) != self.files.get(*path)).cloned().collect();
        let touched = kenning::Touched { files: changed, manifests: true, ..Default::default() };
        let touched =
            self.ken.check(&Which::Touching(touched, Vec::new())).map_err(|error| error.to_string())?;
        let before: Vec<Value> = before["entries"].as_array().cloned().unwrap_or_default();
        for entry in &answer.entries {
            match touched.entries.iter().find(|other| other.head.id == entry.head.id) {
                Some(other) => same("among all", &json!(entry), "among what is touched", &json!(other))?,
                None if before.contains(&json!(entry)) => {}
                None => {
                    return Err(format!("{} changed, and is not found by the files that did", entry.head.id));
                }
            }
        }
        Ok(())
    }

    /// `says dec.json: fact.db is broken`: one of its conditions or places is told so.
    fn says(&mut self, rest: &str) -> Result<(), String> {
        let (id, wanted) = rest.split_once(": ").ok_or("write `says ID: TEXT`")?;
        let answer = check(&mut self.ken)?;
        let entry = answer
            .entries
            .iter()
            .find(|entry| entry.head.id == id)
            .ok_or(format!("{id} is not handed out"))?;
        // Cases name entries by their ids, answers by their short citations.
        let named = |line: &String| {
            self.ids.iter().fold(line.clone(), |line, (id, handle)| line.replace(handle.as_str(), id))
        };
        let told = reasons(entry);
        match told.iter().any(|line| line.contains(wanted) || named(line).contains(wanted)) {
            true => Ok(()),
            false => Err(format!("it says\n    {}", told.join("\n    "))),
        }
    }

    /// The last answer must be the same from a store that is opened anew, for each entry asked by itself, and with nothing remembered.
    fn curtain(self) -> Result<(), String> {
        let last = self.last.clone().ok_or("nothing was expected")?;
        let before = self.seen.last() == Some(&self.files);
        if !before {
            return Err("something changes after the last expectation".to_owned());
        }
        let open =
            || kenning::open_for(options(self.folder.path()), ada()).map_err(|error| error.to_string());
        let mut ken = open()?;
        same("before", &last, "opened anew", &json!(check(&mut ken)?))?;
        for entry in last["entries"].as_array().into_iter().flatten() {
            let id = entry["id"].as_str().unwrap_or_default();
            let alone = ken.check(&Which::Named(vec![id.to_owned()])).map_err(|error| error.to_string())?;
            // Of everything, what is fresh is not called by its title.
            let untitled = |entry: &Value| {
                let mut entry = entry.clone();
                entry.as_object_mut().map(|entry| entry.remove("title"));
                entry
            };
            same("among all", &untitled(entry), "alone", &untitled(&json!(alone.entries[0])))?;
        }
        drop(ken);
        self.forget()?;
        same("before", &last, "with nothing remembered", &json!(check(&mut open()?)?))
    }
}

/// Whether a file must be there before it is written.
enum Before {
    Missing,
    There,
}

fn ada() -> Caller {
    Caller::new("human:ada", Millis(1_750_000_000_000), Channel::Library)
}

fn options(folder: &Path) -> Options {
    Options { from: folder.to_owned(), no_model: true, ..Options::default() }
}

/// Whoever counts what no longer holds counts what `check` counted.
fn counted_alike(ken: &mut Reach, answer: &CheckAnswer) -> Result<(), String> {
    let failed = |error: kenning::Error| error.to_string();
    let wanted = json!({ "broken": answer.summary.broken, "drifted": answer.summary.drifted });
    let picked = |from: &Value| json!({ "broken": from["broken"], "drifted": from["drifted"] });
    same("check", &wanted, "status", &picked(&json!(ken.status().map_err(failed)?)))?;
    let health = json!(ken.health_report().map_err(failed)?);
    same("check", &wanted, "health", &picked(&health["validity"]))
}

fn check(ken: &mut Reach) -> Result<CheckAnswer, String> {
    ken.check(&Which::All).map_err(|error| error.to_string())
}

fn said<T>(answer: kenning::Result<T>) -> Result<(), String> {
    answer.map(drop).map_err(|error| error.to_string())
}

fn same(one: &str, first: &Value, other: &str, second: &Value) -> Result<(), String> {
    match first == second {
        true => Ok(()),
        false => Err(format!("{one}: {first}\n  {other}: {second}")),
    }
}

/// `broken because dec.json fact.db`.
fn shown(entry: &Checked) -> String {
    match entry.because.is_empty() {
        true => entry.verdict.to_string(),
        false => format!("{} because {}", entry.verdict, entry.because.join(" ")),
    }
}

fn reasons(entry: &Checked) -> Vec<String> {
    let conditions = entry
        .conditions
        .iter()
        .map(|it| format!("{}: {} {}: {}", entry.head.id, it.text, it.verdict, it.why));
    let anchors = entry.anchors.iter().map(|it| {
        let now = it.found.now.as_deref().map(|now| format!(" now {now}")).unwrap_or_default();
        format!("{}: {} {}{now}: {}", entry.head.id, it.at, it.found.verdict, it.found.why)
    });
    conditions.chain(anchors).collect()
}

/// `PATH: TEXT` with `\n` for a new line, or `PATH:` and a block.
fn content(rest: &str, block: &str) -> Result<(String, String), String> {
    if let Some(path) = rest.strip_suffix(':') {
        return Ok((path.to_owned(), block.to_owned()));
    }
    let (path, text) = rest.split_once(": ").ok_or("write `PATH: TEXT`, or `PATH:` and an indented block")?;
    Ok((path.to_owned(), format!("{}\n", text.replace("\\n", "\n"))))
}

fn arrow(text: &str) -> Result<(&str, &str), String> {
    text.split_once(" -> ").ok_or(format!("{text:?} has no ` -> `"))
}

/// `FIRST | PART | PART`.
fn parts(text: &str) -> Result<(String, Vec<String>), String> {
    let mut parts = text.split(" | ").map(|part| part.trim().to_owned());
    let first = parts.next().filter(|first| !first.is_empty()).ok_or("nothing is said")?;
    Ok((first, parts.collect()))
}

/// Conditions, and the places that are written `at PLACE`.
fn split_parts(parts: &[String]) -> (Vec<&str>, Vec<&str>) {
    let anchors = parts.iter().filter_map(|part| part.strip_prefix("at ")).collect();
    let conditions = parts.iter().filter(|part| !part.starts_with("at ") && *part != "nothing");
    (conditions.map(String::as_str).collect(), anchors)
}

fn git(folder: &Path, args: &[&str]) -> Result<(), String> {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false"]);
    command.args(["-c", "core.autocrlf=false", "-c", "core.hooksPath=", "-c", "advice.detachedHead=false"]);
    let output = command
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_DATE", "2025-06-15T12:00:00Z")
        .env("GIT_COMMITTER_DATE", "2025-06-15T12:00:00Z")
        .output()
        .map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// The files of a folder, git's and the store's own left out.
fn read_files(root: &Path) -> Files {
    fn below(root: &Path, folder: &Path, files: &mut Files) {
        for item in fs::read_dir(folder).unwrap() {
            let path = item.unwrap().path();
            if path.ends_with(".git") || path.ends_with(".kenning") {
                continue;
            }
            if path.is_dir() {
                below(root, &path, files);
                continue;
            }
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            if let Ok(text) = fs::read_to_string(&path) {
                files.insert(name, text);
            }
        }
    }
    let mut files = Files::new();
    below(root, root, &mut files);
    files
}
