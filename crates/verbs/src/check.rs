//! `check`: whether entries still hold, in the working tree, in a commit, and across a change.

use crate::config::ALLOW;
use crate::ground::{commit_named, ground, ground_at, ground_of, time_of};
use std::collections::BTreeSet;
use std::time::Duration;

use ken_core::condition::{Atom, Condition, Pattern};
use ken_core::step::{Step, Wanted};
use ken_core::validity::Answer;
use ken_core::{Code, EntryKey, Refusal, decide, paths};
use ken_engine::ops::check::{
    self, Accept, Accepted, Change, CheckAnswer, Checked, DiffAnswer, Touched, Which,
};
use ken_engine::validity::judge_stored;
use ken_engine::{Caller, CodeTree, Effort, Error, Ledger, Result, ops};
use ken_worktree::{Look, Suggestion};
use serde::Serialize;

use crate::run::{Ran, run};
use crate::{
    Access, AddInput, EntryView, Layout, ListAnswer, ModelsInUse, Query, Repository, STORE_FOLDER, Site,
    WhyAnswer,
};
use ken_worktree::CodeGround;

/// At the end of an allowed command: more names may follow.
const REST: &str = "*";

/// What became of one verification step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StepOutcome {
    Passed,
    /// It did not.
    Failed,
    /// It is for a person, or is not allowed here.
    NotRun,
}

impl StepOutcome {
    /// The word used in answers.
    pub fn word(&self) -> &'static str {
        match self {
            StepOutcome::Passed => "passed",
            StepOutcome::Failed => "failed",
            StepOutcome::NotRun => "not run",
        }
    }
}

/// One verification step, and what became of it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StepAnswer {
    /// As it was written.
    pub step: String,
    /// What became of it.
    pub outcome: StepOutcome,
    pub why: String,
}

/// The verification steps of one entry.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Proof {
    pub id: String,
    /// Its short citation.
    pub handle: String,
    pub steps: Vec<StepAnswer>,
}

/// Looks at entries: which still hold.
pub fn check(ledger: &mut Ledger, site: &Site, caller: &Caller, which: &Which) -> Result<CheckAnswer> {
    if let Which::Named(names) = which
        && let [name] = names.as_slice()
        && let Err(error) = ops::find(&**ledger, name)
    {
        let named = |name: &str| Which::Named(vec![name.to_owned()]);
        return crate::global_store::in_global(
            ledger,
            &site.workspace,
            caller,
            name,
            error,
            |global, name| check(&mut global.ledger, &global.site, &global.caller, &named(name)),
        );
    }
    let mut ground = self::ground(ledger, site);
    ground.load_all();
    let answer = check::check(&**ledger, &mut ground, which)?;
    ground.save();
    if matches!(which, Which::All) {
        crate::last_check::note_check(ledger, site.state(), caller);
    }
    if let Which::Named(names) = which {
        let mut keys = Vec::new();
        for name in names {
            keys.extend(ops::find_any(&**ledger, name)?.map(|stored| stored.entry.key));
        }
        crate::exposures::remember_pulled(ledger, site, caller, keys)?;
    }
    Ok(answer)
}

/// The same for what a commit holds, against its tree. Nothing is checked out and nothing is recorded (STO-11).
pub fn check_as_of(ledger: &Ledger, site: &Site, when: &str, which: &Which) -> Result<CheckAnswer> {
    let snapshot = crate::past::as_of(ledger, when)?;
    let mut ground = ground_of(site, when)?;
    check::check(&*snapshot, &mut ground, which)
}

/// Entries as they were.
pub fn list_as_of(
    ledger: &Ledger,
    layout: &Layout,
    caller: &Caller,
    when: &str,
    query: &Query,
) -> Result<ListAnswer> {
    let query = crate::thread::as_seen(ledger, caller, query)?;
    ops::read::list(&*crate::past::as_of(ledger, when)?, &query, time_of(layout, caller, when)?)
}

/// One entry as it was, judged by the tree of then.
pub fn show_as_of(
    ledger: &Ledger,
    site: &Site,
    caller: &Caller,
    when: &str,
    name: &str,
) -> Result<EntryView> {
    let snapshot = crate::past::as_of(ledger, when)?;
    let mut ground = ground_of(site, when)?;
    let mut stored = ops::find(&*snapshot, name)?;
    judge_stored(&*snapshot, &mut ground, &mut [&mut stored], Effort::Thorough)?;
    ken_engine::view::view(&*snapshot, &stored, time_of(&site.layout, caller, when)?)
}

/// Why an entry could be relied on then.
pub fn why_as_of(ledger: &Ledger, site: &Site, caller: &Caller, when: &str, name: &str) -> Result<WhyAnswer> {
    let snapshot = crate::past::as_of(ledger, when)?;
    let mut ground = ground_of(site, when)?;
    ops::history::why(&*snapshot, name, Some(&mut ground), time_of(&site.layout, caller, when)?)
}

/// The files that differ from the last commit: changed, staged, new or gone.
pub fn changed_files(layout: &Layout) -> Result<Touched> {
    let Some(git) = layout.git.as_ref() else {
        return Err(Refusal::new(
            Code::NotAllowed,
            "this store is not in a git repository, so changes cannot be determined",
        )
        .hint("`ken check` without --changed checks every entry")
        .into());
    };
    let listed = git
        .bytes_unfiltered(&["status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"])
        .map_err(Error::failed("asking git for changed files"))?;
    let listed = String::from_utf8_lossy(&listed);
    let names = listed.split('\0').filter_map(|item| item.get(3..)).map(str::to_owned);
    let files: BTreeSet<String> = names.filter(|name| is_code(name)).collect();
    let manifests = files.iter().any(|file| ken_worktree::manifests::is_manifest(file));
    Ok(Touched { files, manifests, ..Touched::default() })
}

/// Which entries are meant by names of entries, files and folders (COR-23).
pub fn which(ledger: &Ledger, site: &Site, names: &[String]) -> Result<Which> {
    let (mut entries, mut touched) = (Vec::new(), Touched::default());
    for name in names {
        if name.trim().is_empty() {
            return Err(Refusal::new(Code::Invalid, "an empty name means no entry and no path")
                .hint("name an entry, file or folder, or leave it out to check every entry")
                .field("ids")
                .into());
        }
        match ops::find(&**ledger, name) {
            Ok(_) => entries.push(name.clone()),
            Err(error) => match path_of(ledger, site, name)? {
                Some(path) if path.is_empty() => return Ok(Which::All),
                Some(path) if is_glob(&path) && !is_known_path(ledger, site, &path)? => {
                    touched.files.extend(files_like(ledger, site, &path)?);
                }
                Some(path) => drop(touched.folders.insert(path)),
                None if name.contains('#') => entries.extend(anchored_at(ledger, site, name)?),
                None if is_path(name) => return Err(no_such_path(name)),
                // The global store may have one entry of that name.
                None if names.len() == 1 => entries.push(name.clone()),
                None => return Err(error),
            },
        }
    }
    Ok(match touched.folders.is_empty() && touched.files.is_empty() {
        true => Which::Named(entries),
        false => Which::Touching(touched, entries),
    })
}

/// The entries that are anchored at one symbol, `src/net.rs#send`, as it was named from where the caller is.
fn anchored_at(ledger: &Ledger, site: &Site, name: &str) -> Result<Vec<String>> {
    let (file, symbol) = name.split_once('#').unwrap_or((name, ""));
    let Some(path) = path_of(ledger, site, file)? else { return Err(no_such_path(name)) };
    let place = format!("{path}#{symbol}");
    let keys: BTreeSet<EntryKey> = ledger
        .subjects()?
        .iter()
        .filter(|subject| subject.anchors.iter().any(|at| at.path == path))
        .map(|subject| subject.key)
        .collect();
    let mut found = Vec::new();
    for key in keys {
        let stored = ledger.stored(key)?;
        let is_there =
            |stored: &ken_engine::Stored| stored.entry.fields.anchors.iter().any(|anchor| anchor.at == place);
        found.extend(stored.filter(is_there).map(|stored| stored.id));
    }
    if found.is_empty() {
        return Err(Refusal::new(Code::NotFound, format!("no entry is anchored at {place:?}"))
            .hint(format!("`ken check {path}` checks the entries of that file"))
            .field("ids")
            .into());
    }
    Ok(found)
}

/// A file, folder or glob of the repository, as it was named from where the caller is; none where neither the tree, the last commit nor an
/// anchor has it.
fn path_of(ledger: &Ledger, site: &Site, name: &str) -> Result<Option<String>> {
    let root = site.layout.root.canonicalize().unwrap_or_else(|_| site.layout.root.clone());
    let from = site.options.from.canonicalize().unwrap_or_else(|_| site.options.from.clone());
    let below = from.strip_prefix(&root).ok().and_then(|below| below.to_str()).unwrap_or_default();
    let inside: Vec<String> = match paths::is_absolute(name) {
        true => crate::repository::repository(site).inside(name).into_iter().collect(),
        // A way may lead out of the repository and back into it.
        false if paths::normal(&format!("./{below}/{name}")).is_none() => {
            let whole = from.to_str().map(|from| format!("{from}/{name}"));
            whole.and_then(|path| crate::repository::repository(site).inside(&path)).into_iter().collect()
        }
        false => [&format!("{below}/{name}"), name]
            .into_iter()
            .filter_map(|path| paths::normal(path.trim_start_matches('/')))
            .collect(),
    };
    if inside.is_empty() && is_path(name) {
        return Err(Refusal::new(Code::Invalid, format!("{name:?} is outside of this repository"))
            .hint("name an entry, or a file, folder or glob inside the repository")
            .field("ids")
            .into());
    }
    for path in inside {
        let path = if path == "." { "" } else { path.trim_end_matches('/') }.to_owned();
        let is_there = path.is_empty()
            || ken_core::fields::relative_path(&path).is_ok()
                && (is_known_path(ledger, site, &path)?
                    || is_glob(&path) && !files_like(ledger, site, &path)?.is_empty());
        if is_there {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// The files that a glob means: in the tree, in the last commit, and where entries are anchored. `*` stays within a folder.
fn files_like(ledger: &Ledger, site: &Site, glob: &str) -> Result<BTreeSet<String>> {
    let built = globset::GlobBuilder::new(glob).literal_separator(true).build();
    let glob = match built {
        Ok(glob) => glob.compile_matcher(),
        Err(error) => {
            let message = format!("`{glob}` is not a valid glob: {}", error.kind());
            return Err(Refusal::new(Code::Invalid, message).field("ids").into());
        }
    };
    let mut files: BTreeSet<String> = BTreeSet::new();
    if let Ok(listed) = ground(ledger, site).tree().list() {
        files.extend(listed.iter().filter(|path| glob.is_match(path)).cloned());
    }
    // A repository without a commit has no files of one.
    let committed = site.layout.git.as_ref().and_then(|git| git.names_at("HEAD").ok());
    files.extend(committed.into_iter().flatten().filter(|path| glob.is_match(path)));
    let subjects = ledger.subjects()?;
    let anchors = subjects.iter().flat_map(|subject| &subject.anchors).map(|at| at.path.clone());
    files.extend(anchors.filter(|path| !path.is_empty() && glob.is_match(path.trim_end_matches('/'))));
    Ok(files)
}

fn is_known_path(ledger: &Ledger, site: &Site, path: &str) -> Result<bool> {
    if ground(ledger, site).tree().look(path).is_there() {
        return Ok(true);
    }
    let in_head = site.layout.git.as_ref().is_some_and(|git| {
        git.run(&["cat-file", "-e", &format!("HEAD:{path}")]).is_ok_and(|output| output.status.success())
    });
    let is_at =
        |place: &str| place.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    Ok(in_head || ledger.subjects()?.iter().flat_map(|subject| &subject.anchors).any(|at| is_at(&at.path)))
}

/// Records where the code is now.
pub fn accept(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    checked: &[Checked],
    accept: Accept,
) -> Result<Vec<Accepted>> {
    ledger.may_write()?;
    let writer = crate::writer::writer(&site.config, caller);
    let mut ground = self::ground(ledger, site);
    let (accepted, not_accepted) = check::accept(ledger, &mut ground, checked, accept, &writer)?;
    not_accepted.into_iter().for_each(|why| ledger.notice(why));
    crate::writer::finish(ledger, site, models, caller, accepted)
}

/// What a change does to entries: `BASE..HEAD`, or `BASE` for the working tree. Three dots begin where the branches parted.
pub fn check_diff(ledger: &Ledger, site: &Site, range: &str) -> Result<DiffAnswer> {
    if range.split("..").next().is_some_and(|base| base.trim().is_empty()) {
        return Err(Refusal::new(Code::Invalid, format!("{range:?} has no base to compare with"))
            .hint("write BASE..HEAD, or BASE for the working tree")
            .field("diff")
            .into());
    }
    let (base, head) = crate::diff::ends(&site.layout, range)?;
    let (mut before, base_commit) = ground_at(site, &base)?;
    let (mut after, head_commit) = match head.as_str() {
        "" => (self::ground(ledger, site), None),
        head => ground_at(site, head).map(|(ground, commit)| (ground, Some(commit)))?,
    };
    let (git, _) = commit_named(&site.layout, &base)?;
    let mut args =
        vec!["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", &base_commit];
    args.extend(head_commit.as_deref());
    args.push("--");
    let mut listed = git.bytes_unfiltered(&args).map_err(Error::failed("asking git for changed files"))?;
    if head_commit.is_none() {
        let untracked = ["ls-files", "-z", "--others", "--exclude-standard"];
        listed.extend(git.bytes(&untracked).map_err(Error::failed("asking git for untracked files"))?);
    }
    let listed = String::from_utf8_lossy(&listed);
    let files = listed.split('\0').filter(|name| !name.is_empty() && is_code(name)).map(str::to_owned);
    let earlier = ledger.snapshot().git()?.tree_at(&base_commit)?.subjects()?;
    let mut born = BTreeSet::new();
    if let Some(head) = head_commit.as_deref().filter(|_| !earlier.is_empty()) {
        let known: BTreeSet<EntryKey> = earlier.iter().map(|subject| subject.key).collect();
        let now = ledger.snapshot().git()?.tree_at(head)?.subjects()?;
        born.extend(now.iter().map(|subject| subject.key).filter(|key| !known.contains(key)));
    }
    let change = Change {
        earlier,
        born,
        base,
        head: if head.is_empty() { "the working tree".to_owned() } else { head },
        before: &mut before,
        after: &mut after,
        files: files.collect(),
    };
    let answer = check::diff(&**ledger, change)?;
    after.save();
    Ok(answer)
}

/// Runs the verification steps of entries that a machine can take (VAL-4). A pass is recorded as a proof; one whose steps a person
/// accepted may verify (COR-19).
pub fn prove(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    keys: &[EntryKey],
    accepted: bool,
) -> Result<Vec<Proof>> {
    if accepted {
        let mut all: Vec<String> = Vec::new();
        for stored in keys.iter().filter_map(|key| ledger.stored(*key).transpose()) {
            let stored = stored?;
            let steps = stored.entry.fields.verification.join("`, `");
            all.push(format!("`{steps}` as a proof of {}", ken_engine::view::handle(&stored)));
        }
        caller.require_person(&format!("accepting {}", all.join(", ")))?;
    }
    let writer = crate::writer::writer(&site.config, caller);
    let mut ground = self::ground(ledger, site);
    let (mut proofs, mut intents) = (Vec::new(), Vec::new());
    for key in keys {
        let Some(stored) = ledger.stored(*key)? else { continue };
        if stored.entry.fields.verification.is_empty() {
            continue;
        }
        let mut steps = Vec::new();
        for step in &stored.entry.fields.verification {
            let (outcome, why) = self::step(site, step, &mut ground);
            steps.push(StepAnswer { step: step.clone(), outcome, why });
        }
        let passed = steps.iter().filter(|step| step.outcome == StepOutcome::Passed);
        let passed: Vec<String> = passed.map(|step| step.step.clone()).collect();
        let failed = steps.iter().any(|step| step.outcome == StepOutcome::Failed);
        // What one step proves and another disproves is not proved.
        if !failed && ledger.access() == Access::Write {
            let context = ops::context(ledger, &writer)?;
            let support = ops::support(&**ledger, &stored.entry)?;
            let proved = decide::prove(&stored.entry, passed, accepted, &support, &context);
            intents.extend(proved.map_err(Error::Refused)?);
        }
        let handle = ken_engine::view::handle(&stored);
        proofs.push(Proof { id: stored.id, handle, steps });
    }
    if !intents.is_empty() {
        ledger.append(intents, &writer)?;
    }
    crate::writer::finish(ledger, site, models, caller, proofs)
}

fn step(site: &Site, text: &str, ground: &mut CodeGround) -> (StepOutcome, String) {
    let step = match Step::parse(text) {
        Ok(step) => step,
        Err(why) => return (StepOutcome::NotRun, why),
    };
    match step {
        Step::Exists { path, kind } => {
            let look = ground.tree().look(&path);
            match (&look, kind) {
                (Look::Folder, Wanted::File) => (StepOutcome::Failed, format!("{path} is a folder")),
                (Look::File { .. }, Wanted::Folder) => {
                    (StepOutcome::Failed, format!("{path} is not a folder"))
                }
                (Look::Unknown(why), _) if !look.is_there() => (StepOutcome::NotRun, why.to_string()),
                (look, _) => {
                    outcome(look.is_there(), format!("{path} exists"), format!("{path} does not exist"))
                }
            }
        }
        Step::Grep { pattern, paths, absent } => {
            let mut found = Vec::new();
            for path in paths {
                let path = match ground.tree().look(&path) {
                    Look::Folder => format!("{path}/**"),
                    // Nothing is proved about what is not there.
                    Look::Absent if !path.contains(['*', '?', '[', '{']) => {
                        return (StepOutcome::Failed, format!("{path} does not exist"));
                    }
                    Look::Absent | Look::File { .. } | Look::Unknown(_) => path,
                };
                let pattern = Pattern { regex: pattern.clone(), ignores_case: false };
                let condition = Condition { negated: false, atom: Atom::Pattern { path, pattern } };
                match ground.condition(&condition) {
                    Answer::Holds(why) => found.push(why),
                    Answer::Broken(_) => {}
                    Answer::Unverifiable(why) => return (StepOutcome::NotRun, why),
                }
            }
            let said = found.first().cloned().unwrap_or_else(|| "the pattern was not found".to_owned());
            outcome(found.is_empty() == absent, said.clone(), said)
        }
        Step::Test { name } => {
            let tests = allowed(site)
                .into_iter()
                .find(|words| words.last().is_some_and(|last| last == REST) && is_test(words));
            let Some(mut words) = tests else {
                return (
                    StepOutcome::NotRun,
                    format!("{ALLOW} allows no test command, such as `cargo test {REST}`"),
                );
            };
            words.pop();
            words.push(name);
            command(site, &words)
        }
        Step::Command { words } => command(site, &words),
    }
}

/// Runs a program, if this clone allows it.
pub(crate) fn command(site: &Site, words: &[String]) -> (StepOutcome, String) {
    if !self::allowed(site).iter().any(|allowed| fits(allowed, words)) {
        let why = format!("a manual step; only commands in {ALLOW} are run");
        return (StepOutcome::NotRun, why);
    }
    let seconds = site.config.number("check.seconds").max(1) as u64;
    match run(words, &site.layout.root, Duration::from_secs(seconds)) {
        Ran::Passed => (StepOutcome::Passed, "it succeeded".to_owned()),
        Ran::Failed(why) => (StepOutcome::Failed, why),
        Ran::NotStarted(why) => (StepOutcome::NotRun, why),
    }
}

/// Commands that a person allowed in this clone, or in this environment.
fn allowed(site: &Site) -> Vec<Vec<String>> {
    let set = site.config.get(ALLOW).unwrap_or_default();
    let listed = site.options.allowed_commands.iter().map(String::as_str).chain([set.as_str()]);
    let commands = listed.flat_map(|text| text.split([',', ';', '\n']));
    commands
        .map(|command| command.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .filter(|words: &Vec<String>| !words.is_empty())
        .collect()
}

/// Conditions that an entry about to be added seems to depend on; somebody has to accept them.
pub fn suggest_dependencies(ledger: &Ledger, site: &Site, input: &AddInput) -> Vec<Suggestion> {
    let texts = |name: &str| -> Vec<String> {
        let value = input.content.get(name).and_then(|value| value.as_array()).cloned().unwrap_or_default();
        value
            .iter()
            .filter_map(|item| item.as_str().or_else(|| item.get("at")?.as_str()).map(str::to_owned))
            .collect()
    };
    let (anchors, stated) = (texts("anchors"), texts("depends_on"));
    let words: Vec<&str> = ["title", "statement", "rule", "detail"]
        .iter()
        .filter_map(|name| input.content.get(*name)?.as_str())
        .collect();
    let mut ground = self::ground(ledger, site);
    let suggested = ground.suggest(&anchors, &words.join("\n"));
    suggested.into_iter().filter(|suggestion| !stated.contains(&suggestion.condition)).collect()
}

/// Whether a name can only be meant as a path.
fn is_path(name: &str) -> bool {
    name.contains('/') || name.contains('\\') || name.starts_with('.') || is_glob(name)
}

/// Whether a path may mean several files.
fn is_glob(path: &str) -> bool {
    path.contains(['*', '?', '[', '{'])
}

fn no_such_path(name: &str) -> Error {
    Refusal::new(
        Code::NotFound,
        format!("{name:?} is neither in the working tree nor in the last commit, and no entry is anchored there"),
    )
    .hint("name an entry, or a file or folder of this repository; `ken check` without a name checks every entry")
    .field("ids")
    .into()
}

/// The store's own files are no code.
fn is_code(path: &str) -> bool {
    !path.strip_prefix(STORE_FOLDER).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether a command is the one that is allowed, or has more words where that is allowed: names, and neither options nor ways out.
fn fits(allowed: &[String], words: &[String]) -> bool {
    let Some((REST, first)) = allowed.split_last().map(|(last, first)| (last.as_str(), first)) else {
        return allowed == words;
    };
    let is_plain = |word: &String| {
        !word.starts_with('-')
            && !word.starts_with('~')
            && !word.contains('=')
            && ken_core::fields::relative_path(word).is_ok()
    };
    words.strip_prefix(first).is_some_and(|rest| !first.is_empty() && rest.iter().all(is_plain))
}

fn is_test(words: &[String]) -> bool {
    words.iter().any(|word| word.contains("test"))
}

fn outcome(passed: bool, well: String, badly: String) -> (StepOutcome, String) {
    if passed { (StepOutcome::Passed, well) } else { (StepOutcome::Failed, badly) }
}
