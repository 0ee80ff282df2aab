//! Judging a change by norms: which tier it is of, which norms apply, and where it fails them (GAT-3).

mod conventional;
mod pattern;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use ken_core::action::{CommitMessage, MessageExtent};
use ken_core::norm::change::{Change, Changed, Commit, Form, What};
use ken_core::norm::{
    Applies, Check, Classifier, Counts, Each, Enforcement, Needed, Occasion, On, RequiredFile, Tier, Who,
};
use ken_core::words::one_line;
use ken_core::{Fault, kinds::Type};
use serde::Serialize;
use serde_json::Value;

use pattern::{Globs, Pattern, Reach};

use crate::limits::norms::NAMED_MAX;
pub use crate::limits::norms::PLACES_MAX;

/// A norm that a change can be judged by: everything it says was read and compiled.
pub struct Norm {
    pub id: String,
    /// How it is checked.
    pub enforcement: Enforcement,
    /// Which changes it speaks of.
    pub applies: Applies,
    asks: Asks,
    except_paths: Option<Globs>,
    except_commits: Option<Pattern>,
}

/// What is wrong with the `enforcement` of a norm, patterns included; nothing where it can be checked.
pub fn faults(kind: Type, enforcement: Option<&Value>) -> Vec<Fault> {
    Norm::read("", kind, enforcement).err().unwrap_or_default()
}

impl Norm {
    /// Reads how a norm is checked, and compiles its patterns. All faults are told together.
    pub fn read(id: &str, kind: Type, enforcement: Option<&Value>) -> Result<Norm, Vec<Fault>> {
        let (enforcement, applies) = ken_core::norm::read(kind, enforcement)?;
        let mut compiler = Compiler { faults: Vec::new() };
        let asks = compiler.asks(&enforcement);
        let except_paths = compiler.globs("except.paths", &applies.except.paths);
        let except_commits = compiler.pattern("except.commits", applies.except.commits.as_deref());
        if !compiler.faults.is_empty() {
            return Err(compiler.faults);
        }
        Ok(Norm { id: id.to_owned(), enforcement, applies, asks, except_paths, except_commits })
    }
}

/// How a change stands before a norm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Judgement {
    /// What was found.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// What the norm's exceptions left out of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// It keeps the norm.
    Passed {
        /// What was looked at.
        how: String,
    },
    /// It does not.
    Failed {
        /// Where, the first of them.
        places: Vec<Place>,
        /// Places beyond these.
        more: usize,
    },
    /// The norm does not speak of it.
    NotApplicable { why: String },
    /// Somebody has to vouch for it. Whether they did is for the caller to look up, by the id of the change.
    Missing {
        /// Who may; whoever may approve where nobody is named.
        by: Vec<String>,
        /// Authors of the change, who may not: it is for another person.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        not_by: Vec<String>,
    },
    /// The norm is shown, and blocks nothing.
    Advised {
        /// What is shown beside the rule.
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// It could not be found out here.
    CannotTell {
        /// Why, and what to do.
        why: String,
    },
}

impl Verdict {
    /// The word used in answers.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Passed { .. } => "passed",
            Verdict::Failed { .. } => "failed",
            Verdict::NotApplicable { .. } => "not applicable",
            Verdict::Missing { .. } => "missing",
            Verdict::Advised { .. } => "advised",
            Verdict::CannotTell { .. } => "cannot tell",
        }
    }

    /// Whether the change must wait. What nobody could find out is not passed.
    pub fn blocks(&self) -> bool {
        match self {
            Verdict::Failed { .. } | Verdict::Missing { .. } | Verdict::CannotTell { .. } => true,
            Verdict::Passed { .. } | Verdict::NotApplicable { .. } | Verdict::Advised { .. } => false,
        }
    }
}

/// Where a change fails a norm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The commit or the file.
    #[serde(flatten)]
    pub spot: Spot,
    /// What is wrong there.
    pub why: String,
}

/// A commit, a file, or the change as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Spot {
    Commit {
        /// Its full hash.
        commit: String,
        /// Its subject, for people.
        subject: String,
    },
    File {
        path: String,
        /// The line, where it is about one.
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
    },
    Change {},
}

/// How risky a change is, and what says so.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Classified {
    /// The highest tier that anything says.
    pub tier: Tier,
    /// What says how risky it is, the highest first.
    pub why: Vec<Reason>,
}

/// Why a change is of a tier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// The risk tier that says so.
    pub norm: String,
    pub tier: Tier,
    /// What it found.
    pub why: String,
}

/// The tree after a change, and the programs that may be run in it.
///
/// Errors are sentences that say why nobody can tell. Nothing outside of the repository is read, and no program is run that this clone
/// does not allow.
pub trait Tree {
    /// Whether something is at a path.
    fn has(&mut self, path: &str) -> Result<bool, String>;

    /// Every file, sorted, without those that git ignores and those of the store.
    fn files(&mut self) -> Result<Rc<[String]>, String>;

    /// The text of a file; none where there is none.
    fn text(&mut self, path: &str) -> Result<Option<String>, String>;

    /// Runs a program in the tree.
    fn run(&mut self, words: &[String]) -> Ran;
}

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ran {
    Passed,
    Failed(String),
    /// It was not run, and why.
    NotRun(String),
}

/// How risky a change is, by every norm that says so.
pub fn tier<'a>(
    change: &Change,
    norms: impl IntoIterator<Item = &'a Norm>,
    occasion: Occasion,
) -> Classified {
    let mut why = Vec::new();
    for norm in norms.into_iter().filter(|norm| norm.applies.on.includes(occasion)) {
        let Asks::Risk(risk) = &norm.asks else { continue };
        let mut seen = Seen::new(norm, change);
        if let Some(found) = risk.found(&mut seen) {
            why.push(Reason { norm: norm.id.clone(), tier: risk.tier, why: found });
        }
    }
    why.sort_by(|a, b| b.tier.cmp(&a.tier).then_with(|| a.norm.cmp(&b.norm)));
    Classified { tier: why.first().map(|reason| reason.tier).unwrap_or_default(), why }
}

/// Judges a change by one norm.
pub fn judge(norm: &Norm, change: &Change, tree: &mut dyn Tree, occasion: Occasion, tier: Tier) -> Judgement {
    let mut seen = Seen::new(norm, change);
    let verdict = match not_asked(norm, occasion, tier).or_else(|| seen.is_left_out()) {
        Some(why) => Verdict::NotApplicable { why },
        None => verdict(&norm.asks, &mut seen, tree),
    };
    Judgement { verdict, left_out: seen.left_out }
}

fn not_asked(norm: &Norm, occasion: Occasion, tier: Tier) -> Option<String> {
    if !norm.applies.on.includes(occasion) {
        let when = match norm.applies.on {
            On::Merge => Occasion::Merge,
            On::Release | On::Both => Occasion::Release,
        };
        return Some(format!("it applies only before a {}", when.word()));
    }
    let tiers = &norm.applies.tiers;
    if !tiers.is_empty() && !tiers.contains(&tier) {
        let tiers: Vec<&str> = tiers.iter().map(|tier| tier.word()).collect();
        return Some(format!("it applies to changes of tier {}, and this one is {tier}", tiers.join(" or ")));
    }
    None
}

/// What a norm asks of a change, compiled.
enum Asks {
    Message {
        pattern: Option<Pattern>,
        forbid: Option<Pattern>,
    },
    Conventional {
        types: Vec<String>,
        max_subject: Option<u32>,
    },
    NoMerges,
    SignOff,
    Paths {
        forbid: Globs,
    },
    Content {
        files: Option<Globs>,
        forbid: Option<Pattern>,
        require: Option<Pattern>,
    },
    Files {
        when: Option<Globs>,
        counts: Counts,
        need: Vec<Globs>,
        place: Needed,
    },
    Lines {
        lines: u32,
        files: Option<Globs>,
    },
    /// It is held against what an agent is about to do, in the hook before its tools.
    Agent,
    /// A command that an agent's session has to have run: no change shows it.
    Session {
        run: String,
        /// The files after whose edit it has to have run; every file where there are none.
        files: Option<Globs>,
    },
    Command {
        words: Vec<String>,
    },
    Person {
        by: Vec<String>,
        who: Who,
    },
    Nothing {
        text: Option<String>,
    },
    Risk(Risk),
}

struct Risk {
    tier: Tier,
    paths: Option<Globs>,
    content: Option<Pattern>,
    lines: Option<u32>,
    commits: Option<Pattern>,
}

struct Compiler {
    faults: Vec<Fault>,
}

impl Compiler {
    fn fault(&mut self, member: &str, problem: String) {
        self.faults.push(Fault { field: format!("enforcement.{member}"), problem });
    }

    fn pattern(&mut self, member: &str, text: Option<&str>) -> Option<Pattern> {
        Pattern::new(text?).map_err(|problem| self.fault(member, problem)).ok()
    }

    fn globs(&mut self, member: &str, texts: &[String]) -> Option<Globs> {
        if texts.is_empty() {
            return None;
        }
        Globs::new(texts).map_err(|problem| self.fault(member, problem)).ok()
    }

    fn asks(&mut self, enforcement: &Enforcement) -> Asks {
        let check = match enforcement {
            Enforcement::Mechanical(check) => check,
            Enforcement::Attested { by, who } => return Asks::Person { by: by.clone(), who: *who },
            Enforcement::Advisory { text } => return Asks::Nothing { text: text.clone() },
            Enforcement::Tier(classifier) => return Asks::Risk(self.risk(classifier)),
        };
        match check {
            Check::CommitMessage { pattern, forbid } => Asks::Message {
                pattern: self.pattern("pattern", pattern.as_deref()),
                forbid: self.pattern("forbid", forbid.as_deref()),
            },
            Check::ConventionalCommits { types, max_subject } => {
                Asks::Conventional { types: types.clone(), max_subject: *max_subject }
            }
            Check::NoMergeCommits => Asks::NoMerges,
            Check::SignedOff => Asks::SignOff,
            Check::Paths { forbid } => match self.globs("forbid", forbid) {
                Some(forbid) => Asks::Paths { forbid },
                None => Asks::Nothing { text: None },
            },
            Check::Content { files, forbid, require } => Asks::Content {
                files: self.globs("files", files),
                forbid: self.pattern("forbid", forbid.as_deref()),
                require: self.pattern("require", require.as_deref()),
            },
            Check::RequiredFile(RequiredFile { when, counts, need, each, place }) => {
                let need = match each {
                    Each::Some => self.globs("need", need).into_iter().collect(),
                    Each::All => {
                        need.iter().filter_map(|one| self.globs("need", std::slice::from_ref(one))).collect()
                    }
                };
                Asks::Files { when: self.globs("when", when), counts: *counts, need, place: *place }
            }
            Check::MaxLines { lines, files } => {
                Asks::Lines { lines: *lines, files: self.globs("files", files) }
            }
            Check::Actions { .. } => Asks::Agent,
            Check::BeforeCommit { run, files } => {
                Asks::Session { run: run.clone(), files: self.globs("files", files) }
            }
            Check::Command { words } => Asks::Command { words: words.clone() },
        }
    }

    fn risk(&mut self, classifier: &Classifier) -> Risk {
        Risk {
            tier: classifier.tier,
            paths: self.globs("paths", &classifier.paths),
            content: self.pattern("content", classifier.content.as_deref()),
            lines: classifier.lines,
            commits: self.pattern("commits", classifier.commits.as_deref()),
        }
    }
}

/// A change without what a norm leaves out. What was left out is told once it mattered.
struct Seen<'a> {
    norm: &'a Norm,
    change: &'a Change,
    left_out: Vec<String>,
}

impl<'a> Seen<'a> {
    fn new(norm: &'a Norm, change: &'a Change) -> Seen<'a> {
        Seen { norm, change, left_out: Vec::new() }
    }

    /// Why the whole change is left out, if it is.
    fn is_left_out(&mut self) -> Option<String> {
        if self.norm.applies.except.is_empty() {
            return None;
        }
        let own = |commit: &&Commit| !commit.is_merge;
        let commits: Vec<&Commit> = self.change.commits.iter().filter(own).collect();
        if !commits.is_empty() && commits.iter().all(|commit| self.excepted_commit(commit).is_some()) {
            self.commits();
            return Some("every commit of the change is an exception".to_owned());
        }
        let files: Vec<&Changed> = self.change.files.iter().filter(|file| !file.is_stores).collect();
        if !files.is_empty() && files.iter().all(|file| self.excepted_file(file).is_some()) {
            self.files(None);
            return Some("every file of the change is an exception".to_owned());
        }
        None
    }

    fn excepted_commit(&self, commit: &Commit) -> Option<String> {
        if let Some(pattern) = &self.norm.except_commits
            && pattern.is_in(&commit.message())
        {
            return Some(format!("its message matches `{}`", pattern.text));
        }
        let author = self.norm.applies.except.authors.iter().find(|author| commit.is_by(author))?;
        Some(format!("{author} made it"))
    }

    fn excepted_file(&self, file: &Changed) -> Option<&'a str> {
        let globs = self.norm.except_paths.as_ref()?;
        // A file that moved is an exception if both its places are.
        let find = |path| globs.find(path, file.form, Reach::Narrow);
        file.paths().all(|path| find(path).is_some()).then(|| find(&file.path).unwrap_or_default())
    }

    /// Commits, without exceptions. Merges are among them.
    fn commits(&mut self) -> Vec<&'a Commit> {
        let mut kept = Vec::new();
        for commit in &self.change.commits {
            match self.excepted_commit(commit) {
                Some(why) => self.leave_out(format!("commit {}: {why}", short(&commit.hash))),
                None => kept.push(commit),
            }
        }
        kept
    }

    /// Files, without exceptions. The store's own are among them only if the norm names them.
    fn files(&mut self, named_by: Option<&Globs>) -> Vec<&'a Changed> {
        let names_the_store = named_by.is_some_and(Globs::names_the_store);
        let mut kept = Vec::new();
        for file in self.change.files.iter().filter(|file| names_the_store || !file.is_stores) {
            match self.excepted_file(file) {
                Some(glob) => self.leave_out(format!("{}: exception `{glob}`", plain(&file.path))),
                None => kept.push(file),
            }
        }
        kept
    }

    fn leave_out(&mut self, what: String) {
        match self.left_out.len() {
            PLACES_MAX => self.left_out.push("and more".to_owned()),
            count if count > PLACES_MAX => {}
            _ if self.left_out.contains(&what) => {}
            _ => self.left_out.push(what),
        }
    }
}

/// Places, the first of them in full.
#[derive(Default)]
struct Places {
    first: Vec<Place>,
    more: usize,
}

impl Places {
    fn add(&mut self, spot: Spot, why: String) {
        match self.first.len() < PLACES_MAX {
            true => self.first.push(Place { spot, why }),
            false => self.more += 1,
        }
    }

    fn commit(&mut self, commit: &Commit, why: String) {
        let subject = plain(&one_line(&commit.subject, 100));
        self.add(Spot::Commit { commit: commit.hash.clone(), subject }, why);
    }

    fn file(&mut self, file: &Changed, line: Option<u32>, why: String) {
        self.add(Spot::File { path: file.path.clone(), line }, why);
    }

    fn or_passed(self, how: impl FnOnce() -> String) -> Verdict {
        match self.first.is_empty() {
            true => Verdict::Passed { how: how() },
            false => Verdict::Failed { places: self.first, more: self.more },
        }
    }
}

/// The command that has to have succeeded in a session before it commits; none where the norm asks no such thing.
pub fn command_before_commit(norm: &Norm) -> Option<&str> {
    match &norm.asks {
        Asks::Session { run, .. } => Some(run),
        _ => None,
    }
}

/// Whether the edit of a file asks for that command anew.
pub fn is_for_file(norm: &Norm, path: &str) -> bool {
    match &norm.asks {
        Asks::Session { files: Some(files), .. } => files.holds(path, Form::File, Reach::Narrow),
        Asks::Session { files: None, .. } => true,
        _ => false,
    }
}

/// Why the message of a commit that is about to be made fails a norm; none where it keeps it, or where the norm asks more than is
/// known of the message.
pub fn message_fault(norm: &Norm, message: &CommitMessage) -> Option<String> {
    let CommitMessage { text: message, extent } = message;
    let applies = &norm.applies;
    // Who will be the author, and how risky the change is, a message does not tell.
    if *extent == MessageExtent::Unknown
        || !applies.tiers.is_empty()
        || !applies.except.authors.is_empty()
        || !applies.on.includes(Occasion::Merge)
    {
        return None;
    }
    let (first, rest) = message.trim().split_once("\n\n").unwrap_or((message.trim(), ""));
    let subject = first.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    let commit = Commit { subject, body: rest.trim().to_owned(), ..Commit::default() };
    let reads_all = norm.except_commits.is_some() || matches!(norm.asks, Asks::Message { .. });
    if reads_all && *extent == MessageExtent::Beginning {
        return None;
    }
    if norm.except_commits.as_ref().is_some_and(|pattern| pattern.is_in(&commit.message())) {
        return None;
    }
    let kept = match &norm.asks {
        Asks::Message { pattern, forbid } => matches_patterns(&commit, pattern.as_ref(), forbid.as_ref()),
        Asks::Conventional { types, max_subject } => {
            conventional::check(&commit.subject, types, *max_subject)
        }
        Asks::NoMerges
        | Asks::SignOff
        | Asks::Paths { .. }
        | Asks::Content { .. }
        | Asks::Files { .. }
        | Asks::Lines { .. }
        | Asks::Agent
        | Asks::Session { .. }
        | Asks::Command { .. }
        | Asks::Person { .. }
        | Asks::Nothing { .. }
        | Asks::Risk(_) => Ok(()),
    };
    // Its first line and no more: the message may be a file that nobody wanted to show.
    let first = first.lines().next().unwrap_or_default();
    if ken_guard::contains_secret(first) {
        return kept.err().map(|why| format!("the commit message is refused: {why}"));
    }
    let shown = plain(&one_line(first, 100));
    kept.err().map(|why| format!("the commit message {shown:?} is refused: {why}"))
}

fn matches_patterns(
    commit: &Commit,
    pattern: Option<&Pattern>,
    forbid: Option<&Pattern>,
) -> Result<(), String> {
    let message = commit.message();
    let lacks = pattern.filter(|pattern| !pattern.is_in(&message));
    let has = forbid.filter(|forbid| forbid.is_in(&message));
    match (lacks, has) {
        (None, None) => Ok(()),
        (Some(lacks), None) => Err(format!("its message does not match `{}`", lacks.text)),
        (None, Some(has)) => Err(format!("its message matches `{}`, which is forbidden", has.text)),
        (Some(lacks), Some(has)) => Err(format!(
            "its message does not match `{}`, and matches `{}`, which is forbidden",
            lacks.text, has.text
        )),
    }
}

fn verdict(asks: &Asks, seen: &mut Seen<'_>, tree: &mut dyn Tree) -> Verdict {
    match asks {
        Asks::Message { pattern, forbid } => {
            messages(seen, |commit| matches_patterns(commit, pattern.as_ref(), forbid.as_ref()))
        }
        Asks::Conventional { types, max_subject } => {
            messages(seen, |commit| conventional::check(&commit.subject, types, *max_subject))
        }
        Asks::SignOff => messages(seen, signed_off),
        Asks::NoMerges => {
            if seen.change.commits.is_empty() {
                return no_commits();
            }
            let mut places = Places::default();
            let commits = seen.commits();
            for commit in commits.iter().filter(|commit| commit.is_merge) {
                places.commit(commit, "it is a merge; rebase the change instead".to_owned());
            }
            places.or_passed(|| format!("{}, none a merge", count(commits.len(), "commit")))
        }
        Asks::Paths { forbid } => {
            let mut places = Places::default();
            let files = seen.files(Some(forbid));
            for file in &files {
                let find = |path| Some((path, forbid.find(path, file.form, Reach::Wide)?));
                let Some((path, glob)) = file.paths().find_map(find) else { continue };
                let why = match path == file.path {
                    true => format!("it is {}, which `{glob}` forbids", became(file.what)),
                    false => format!("it was {}, which `{glob}` forbids", plain(path)),
                };
                places.file(file, None, why);
            }
            places
                .or_passed(|| format!("{}, none below {}", count(files.len(), "changed file"), forbid.said()))
        }
        Asks::Content { files, forbid, require } => {
            content(seen, tree, files.as_ref(), forbid.as_ref(), require.as_ref())
        }
        Asks::Files { when, counts, need, place } => {
            required(seen, tree, when.as_ref(), *counts, need, *place)
        }
        Asks::Lines { lines, files } => {
            let counted = changed_files(seen, files.as_ref());
            let sum: u64 = counted.iter().map(|file| lines_of(file)).sum();
            let mut places = Places::default();
            if sum > u64::from(*lines) {
                places.add(
                    Spot::Change {},
                    format!(
                        "{sum} lines changed; at most {lines} are allowed; most of them in {}",
                        largest(&counted)
                    ),
                );
            }
            places.or_passed(|| format!("{sum} of {lines} lines changed"))
        }
        Asks::Agent => {
            Verdict::NotApplicable { why: "it applies to actions of agents, not to changes".to_owned() }
        }
        Asks::Session { run, .. } => {
            let why =
                format!("not checked here: whether `{run}` succeeded before the commit is not in a change");
            Verdict::NotApplicable { why }
        }
        Asks::Command { words } => match tree.run(words) {
            Ran::Passed => Verdict::Passed { how: format!("`{}` ended well", words.join(" ")) },
            Ran::Failed(why) => {
                let mut places = Places::default();
                places.add(Spot::Change {}, format!("`{}` failed: {why}", words.join(" ")));
                places.or_passed(String::new)
            }
            Ran::NotRun(why) => {
                Verdict::CannotTell { why: format!("`{}` was not run: {why}", words.join(" ")) }
            }
        },
        Asks::Person { by, who } => {
            let authors = match who {
                Who::Anyone => Vec::new(),
                Who::Another => seen.change.authors(),
            };
            let not_by = authors.into_iter().map(str::to_owned).collect();
            Verdict::Missing { by: by.clone(), not_by }
        }
        Asks::Nothing { text } => Verdict::Advised { text: text.clone() },
        Asks::Risk(risk) => {
            let why = match risk.found(seen) {
                Some(found) => format!("it makes the change {}: {found}", risk.tier),
                None => format!("nothing in it makes the change {}", risk.tier),
            };
            Verdict::NotApplicable { why }
        }
    }
}

fn no_commits() -> Verdict {
    Verdict::NotApplicable { why: "the change has no commits yet".to_owned() }
}

/// Asks something of every message. Git writes those of merges.
fn messages(seen: &mut Seen<'_>, mut ask: impl FnMut(&Commit) -> Result<(), String>) -> Verdict {
    if seen.change.commits.iter().all(|commit| commit.is_merge) {
        return match seen.change.commits.is_empty() {
            true => no_commits(),
            false => Verdict::NotApplicable { why: "the change has only merge commits".to_owned() },
        };
    }
    let mut places = Places::default();
    let mut asked = 0;
    for commit in seen.commits().into_iter().filter(|commit| !commit.is_merge) {
        asked += 1;
        if let Err(why) = ask(commit) {
            places.commit(commit, why);
        }
    }
    places.or_passed(|| format!("{} looked at", count(asked, "commit message")))
}

fn signed_off(commit: &Commit) -> Result<(), String> {
    let (_, mail) = commit.name_and_mail();
    let message = commit.message();
    let mut mails = message.lines().filter_map(|line| {
        let (name, rest) = line.split_once(':')?;
        let (_, mail) = rest.trim().trim_end_matches('>').rsplit_once('<')?;
        name.trim().eq_ignore_ascii_case("signed-off-by").then(|| mail.trim().to_lowercase())
    });
    match mails.any(|found| mail.is_empty() || found == mail.to_lowercase()) {
        true => Ok(()),
        false => Err(format!(
            "no Signed-off-by line of its author, {}; `git commit --signoff` adds one",
            plain(&commit.author)
        )),
    }
}

/// The files that a check speaks of.
fn changed_files<'a>(seen: &mut Seen<'a>, globs: Option<&Globs>) -> Vec<&'a Changed> {
    let files = seen.files(globs);
    let is_meant =
        |file: &&Changed| globs.is_none_or(|globs| globs.holds(&file.path, file.form, Reach::Wide));
    files.into_iter().filter(is_meant).collect()
}

fn content(
    seen: &mut Seen<'_>,
    tree: &mut dyn Tree,
    globs: Option<&Globs>,
    forbid: Option<&Pattern>,
    require: Option<&Pattern>,
) -> Verdict {
    let files = changed_files(seen, globs);
    let files: Vec<&Changed> =
        files.into_iter().filter(|file| file.form == Form::File && file.what != What::Deleted).collect();
    if files.is_empty() {
        let why = match globs {
            Some(globs) => format!("the change contains no file that matches {}", globs.said()),
            None => "the change contains no file to check".to_owned(),
        };
        return Verdict::NotApplicable { why };
    }
    let (binary, texts): (Vec<&Changed>, Vec<&Changed>) = files.into_iter().partition(|file| file.binary);
    let (mut places, mut unread) = (Places::default(), Vec::new());
    for file in &texts {
        if let Some(forbid) = forbid {
            for (line, _) in file.added.iter().filter(|(_, text)| forbid.is_in_line(text)) {
                // The line itself is not quoted: it may be what nobody should see.
                places.file(
                    file,
                    Some(*line),
                    format!("the line matches `{}`, which is forbidden", forbid.text),
                );
            }
        }
        if let Some(require) = require {
            match tree.text(&file.path) {
                Ok(Some(text)) if require.is_in_file(&text) => {}
                Ok(Some(_)) => places.file(file, None, format!("no line matches `{}`", require.text)),
                Ok(None) => unread.push(format!("{} is not in the tree", plain(&file.path))),
                Err(why) => unread.push(why),
            }
        }
    }
    if places.first.is_empty() && !unread.is_empty() {
        return Verdict::CannotTell { why: listed(unread) };
    }
    places.or_passed(|| {
        let looked = format!("{} looked at", count(texts.len(), "file"));
        match binary.is_empty() {
            true => looked,
            false => {
                let names = binary.iter().map(|file| plain(&file.path)).collect();
                format!("{looked}; binary files, not checked: {}", listed(names))
            }
        }
    })
}

fn required(
    seen: &mut Seen<'_>,
    tree: &mut dyn Tree,
    when: Option<&Globs>,
    counts: Counts,
    need: &[Globs],
    place: Needed,
) -> Verdict {
    let touched = seen.files(when);
    let calls = |file: &&&Changed| {
        let is_meant =
            when.is_none_or(|when| file.paths().any(|path| when.holds(path, file.form, Reach::Wide)));
        let grows = file.binary || !file.added.is_empty();
        is_meant
            && match counts {
                Counts::Touched => true,
                // A test that lies among the code calls for no other test.
                Counts::Grown => {
                    let is_answer = need.iter().any(|need| need.holds(&file.path, file.form, Reach::Narrow));
                    grows && file.what != What::Deleted && !is_answer
                }
            }
    };
    let Some(cause) = touched.iter().find(calls) else {
        let why = match when {
            Some(when) => format!("the change touches no file that matches {}", when.said()),
            None => "the change touches no file".to_owned(),
        };
        return Verdict::NotApplicable { why };
    };
    let mut places = Places::default();
    for globs in need {
        let is_there = match place {
            // Exceptions say what calls for a file, not what is no answer to it.
            Needed::InTheChange => Ok(seen.change.files.iter().any(|file| {
                let may_be_named = !file.is_stores || globs.names_the_store();
                let is_it = globs.holds(&file.path, file.form, Reach::Narrow);
                may_be_named && file.what != What::Deleted && is_it
            })),
            Needed::InTheTree => match globs.literal() {
                Some(path) => tree.has(path),
                None => tree
                    .files()
                    .map(|files| files.iter().any(|path| globs.holds(path, Form::File, Reach::Narrow))),
            },
        };
        match (is_there, place) {
            (Ok(true), _) => {}
            (Ok(false), Needed::InTheChange) => places.file(
                cause,
                None,
                format!(
                    "it is {}, and the change adds nothing that matches {}",
                    became(cause.what),
                    globs.said()
                ),
            ),
            (Ok(false), Needed::InTheTree) => places.file(
                cause,
                None,
                format!(
                    "it is {}, and nothing matches {} after the change",
                    became(cause.what),
                    globs.said()
                ),
            ),
            (Err(why), _) => return Verdict::CannotTell { why },
        }
    }
    places.or_passed(|| {
        let needed: Vec<String> = need.iter().map(Globs::said).collect();
        match place {
            Needed::InTheChange => format!("the change adds {}", needed.join(" and ")),
            Needed::InTheTree => format!("{} exists after the change", needed.join(" and ")),
        }
    })
}

impl Risk {
    /// What makes a change so risky; none where nothing does.
    fn found(&self, seen: &mut Seen<'_>) -> Option<String> {
        if seen.is_left_out().is_some() {
            return None;
        }
        let files = seen.files(self.paths.as_ref());
        let mut found = Vec::new();
        if let Some(globs) = &self.paths {
            let touches =
                |file: &&&Changed| file.paths().any(|path| globs.holds(path, file.form, Reach::Wide));
            let touched = files.iter().filter(touches);
            let touched: Vec<String> = touched.map(|file| plain(&file.path)).collect();
            if !touched.is_empty() {
                found.push(format!("it touches {}", listed(touched)));
            }
        }
        if let Some(pattern) = &self.content {
            let has = |file: &&&Changed| file.added.iter().any(|(_, text)| pattern.is_in_line(text));
            let having: Vec<String> = files.iter().filter(has).map(|file| plain(&file.path)).collect();
            if !having.is_empty() {
                found.push(format!("lines of {} match `{}`", listed(having), pattern.text));
            }
        }
        if let Some(lines) = self.lines {
            let sum: u64 = files.iter().map(|file| lines_of(file)).sum();
            if sum >= u64::from(lines) {
                found.push(format!("{sum} lines changed"));
            }
        }
        if let Some(pattern) = &self.commits {
            let commits = seen.commits();
            let saying = commits.iter().filter(|commit| !commit.is_merge && pattern.is_in(&commit.message()));
            let saying: Vec<String> = saying.map(|commit| short(&commit.hash).to_owned()).collect();
            if !saying.is_empty() {
                found.push(format!("messages of {} match `{}`", listed(saying), pattern.text));
            }
        }
        (!found.is_empty()).then(|| found.join("; "))
    }
}

/// Lines that come and go; a commit of another repository is none.
fn lines_of(file: &Changed) -> u64 {
    match file.form {
        Form::File | Form::Link => file.lines(),
        Form::Submodule => 0,
    }
}

fn largest(files: &[&Changed]) -> String {
    let mut files: Vec<&&Changed> = files.iter().filter(|file| lines_of(file) > 0).collect();
    files.sort_by_key(|file| std::cmp::Reverse(lines_of(file)));
    let named = files.iter().map(|file| format!("{} ({})", plain(&file.path), lines_of(file)));
    named.take(3).collect::<Vec<_>>().join(", ")
}

fn became(what: What) -> &'static str {
    match what {
        What::Added => "new",
        What::Modified => "changed",
        What::Deleted => "deleted",
        What::Renamed => "moved",
    }
}

fn short(hash: &str) -> &str {
    hash.get(..10).unwrap_or(hash)
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

fn listed(names: Vec<String>) -> String {
    match names.len().saturating_sub(NAMED_MAX) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..NAMED_MAX].join(", ")),
    }
}

/// Text of a stranger in a sentence of ours: nothing in it moves a cursor.
fn plain(text: &str) -> String {
    text.chars()
        .flat_map(|c| if c.is_control() { c.escape_default().collect::<Vec<_>>() } else { vec![c] })
        .collect()
}
