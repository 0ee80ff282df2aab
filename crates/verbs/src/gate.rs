//! `gate`: the gates over this store, or over what a change does to it; and people's word about a change (GAT-1, GAT-3).

mod between;

use std::collections::BTreeSet;
use std::rc::Rc;

use ken_core::answer::NormState;
use ken_core::entry::Attested;
use ken_core::evidence::Reference;
use ken_core::gate::{BadLine, LineFault, Moved};
use ken_core::norm::change::Change;
use ken_core::norm::{self, Enforcement, Occasion, Who};
use ken_core::promotion::{self, Policy};
use ken_core::{Citation, Code, Entry, EntryKey, Fault, Refusal, Type, decide};
use ken_engine::norms::{self, Judgement, Norm, Ran, Spot, Tree, Verdict};
use ken_engine::ops::gate::{self, GateAnswer, Look, NormView, PlaceView};
use ken_engine::{Caller, Error, Ledger, Presence, Repository, Result, ops};
use serde::Serialize;

pub(crate) use self::between::in_force;
use self::between::{Between, LedgerState};
use crate::change_set::TreeAfter;
use crate::{Layout, ModelsInUse, Site, approvers, config};

/// What is judged beside a store: a change, or what a release brings.
#[derive(Clone, Copy, Debug)]
pub enum Of<'a> {
    /// `BASE..HEAD`; `BASE` alone is the working tree against it.
    Change(&'a str),
    /// Everything since the tag before it.
    Release(&'a str),
}

impl Of<'_> {
    /// As it is written on the command line.
    fn flag(&self) -> String {
        match self {
            Of::Change(range) => format!("--diff {range}"),
            Of::Release(reference) => format!("--release {reference}"),
        }
    }
}

/// A change with everything that it is judged by.
struct Case<'a> {
    between: Between<'a>,
    /// Who may approve where it is judged from.
    policy: Policy,
    change: Change,
    /// Names the change.
    name: String,
    /// The commit after it; none for the working tree.
    head: Option<String>,
    parted: String,
    occasion: Occasion,
    judged: String,
    flag: String,
}

/// Looks at everything that this store holds.
pub fn gate(ledger: &Ledger, site: &Site, caller: &Caller) -> Result<GateAnswer> {
    let problems = ledger.snapshot().problems()?;
    let lines: Vec<BadLine> = problems.iter().map(|(file, problem)| bad_line(file, problem)).collect();
    let around = crate::repository::repository(site);
    let policy = crate::promote::who_approves(&site.config);
    let mut answer = gate::gate(
        &**ledger,
        &Look {
            policy: &policy,
            verify: &approvers::verify,
            changed: None,
            lines: &lines,
            moved: &[],
            places: None,
            is_missing: &|citation| is_missing(citation, &|path| around.path(path)),
            unjudged: policy.approvers.is_empty(),
            now: caller.now(),
        },
    )?;
    answer.judged = "the store".to_owned();
    tell_policy(&policy, "here", &mut answer);
    Ok(answer)
}

/// Looks at what a change does, or at what a release brings: to what is known, and by the norms in force at the base.
pub fn gate_of(
    ledger: &Ledger,
    site: &Site,
    caller: &Caller,
    of: Of<'_>,
    programs: Programs,
) -> Result<GateAnswer> {
    let case = self::case(ledger, &site.layout, of)?;
    let (policy, between) = (&case.policy, &case.between);
    // A branch that is behind its base edits nothing.
    let after = match between.head.ledger.config == between.parted.config {
        true => policy.clone(),
        false => policy_in(&between.head),
    };
    let (changed, lines, moved) = match case.occasion {
        Occasion::Merge => {
            (Some(between.changed()), between.bad_lines(&case.parted, policy), between.moved(policy, &after)?)
        }
        Occasion::Release => {
            let problems = between.head.ledger.problems.iter();
            (None, problems.map(|(file, problem)| bad_line(file, problem)).collect(), Vec::new())
        }
    };
    let look = Looking { policy, changed: changed.as_ref(), lines: &lines, moved: &moved };
    let mut answer = look_at(site, caller, &between.head, case.head.as_deref(), look)?;
    answer.judged = case.judged.clone();
    tell_policy(policy, "where this is judged from", &mut answer);
    if after != *policy {
        answer.notes.push(
            "this change edits the list of approvers; it is checked with the approvers at its base, so review that edit yourself"
                .to_owned(),
        );
    }
    let mut norms = in_force(&*between.base.store, policy)?;
    for (entry, solo) in in_force(&*between.head.store, policy)? {
        // One that the change does not speak of was taken out of force at the base since the two parted.
        let speaks = changed.as_ref().is_none_or(|changed| changed.contains(&entry.key));
        if speaks && !norms.iter().any(|(known, _)| known.key == entry.key) {
            norms.push((entry, solo));
        }
    }
    judge_norms(ledger, site, &case, norms, programs, &mut answer)?;
    answer.count();
    Ok(answer)
}

fn case<'a>(ledger: &'a Ledger, layout: &Layout, of: Of<'_>) -> Result<Case<'a>> {
    match of {
        Of::Change(range) => case_of_change(ledger, layout, range),
        Of::Release(reference) => case_of_release(ledger, layout, reference),
    }
}

fn case_of_change<'a>(ledger: &'a Ledger, layout: &Layout, range: &str) -> Result<Case<'a>> {
    // Where the two parted is looked at in either form; who may approve is read from the base itself, not from a commit that
    // the author of a change could choose (GAT-2).
    let (base, head) = crate::diff::ends(layout, &range.replacen("...", "..", 1))?;
    let (git, base) = crate::ground::commit_named(layout, &base)?;
    let head = match head.is_empty() {
        true => None,
        false => Some(crate::ground::commit_named(layout, &head)?.1),
    };
    let tip = match &head {
        Some(head) => head.clone(),
        None => crate::ground::commit_named(layout, "HEAD")?.1,
    };
    let parted = git.merge_base(&base, &tip).map_err(Error::failed("asking git for the merge base"))?;
    let parted = parted.unwrap_or_else(|| base.clone());
    let between = self::between(ledger, Some(&parted), Some(&base), head.as_deref())?;
    let change = crate::change_set::change_between(layout, &base, head.as_deref().unwrap_or_default())?;
    let shown = head.as_deref().map_or("the working tree", short);
    Ok(Case {
        policy: policy_in(&between.base),
        name: between.name(&change),
        judged: format!("{}..{shown}", short(&base)),
        flag: Of::Change(range).flag(),
        occasion: Occasion::Merge,
        between,
        change,
        head,
        parted,
    })
}

/// A release is of what was merged: it is judged by the norms, and by who may approve, in it.
fn case_of_release<'a>(ledger: &'a Ledger, layout: &Layout, reference: &str) -> Result<Case<'a>> {
    let (_, head) = crate::ground::commit_named(layout, reference)?;
    let (base, change) = crate::change_set::change_of_release(layout, reference)?;
    let parted = match base.as_str() {
        "" => None,
        tag => Some(crate::ground::commit_named(layout, &format!("refs/tags/{tag}"))?.1),
    };
    let between = self::between(ledger, parted.as_deref(), Some(&head), Some(&head))?;
    let since = if base.is_empty() { "the beginning" } else { &base };
    Ok(Case {
        policy: policy_in(&between.base),
        name: between.name(&change),
        judged: format!("release {reference}, since {since}"),
        flag: Of::Release(reference).flag(),
        occasion: Occasion::Release,
        between,
        change,
        head: Some(head),
        parted: base,
    })
}

/// A person vouches for a change, where a norm asks for that. The door has asked them about the very change that is named.
pub fn attest(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    name: &str,
    of: Of<'_>,
    change: &str,
    note: &str,
) -> Result<Attestation> {
    let asked = attestable(ledger, &site.layout, caller, name, of)?;
    caller.require_person("attesting a change")?;
    if asked.change != change {
        let message = format!(
            "the change is no longer the one you were asked about: it was {change} and is now {}",
            asked.change
        );
        return Err(Refusal::new(Code::NotAllowed, message)
            .hint("review it again; nothing was written")
            .into());
    }
    let mut note = note.to_owned();
    ken_engine::intake::clean_word("note", &mut note)?;
    let writer = crate::writer::writer(&site.config, caller);
    let context = ops::context(ledger, &writer)?;
    let stored = ops::find(&**ledger, name)?;
    let signature = match crate::promote::who_approves(&site.config).signed {
        false => None,
        true => {
            let text = promotion::attested_text(stored.entry.key, &asked.change, &writer.actor);
            Some(crate::promote::signed_by_caller(site, caller, &text)?)
        }
    };
    let intents = decide::attest(&stored.entry, asked.change.clone(), note, signature, &context);
    ken_engine::Ledger::append(ledger, intents, &writer)?;
    crate::writer::finish(ledger, site, models, caller, asked)
}

/// What somebody is about to vouch for; or why they cannot.
pub fn attestable(
    ledger: &Ledger,
    layout: &Layout,
    caller: &Caller,
    name: &str,
    of: Of<'_>,
) -> Result<Attestation> {
    ledger.may_write()?;
    caller.require_human("attesting a change")?;
    let stored = ops::find(&**ledger, name)?;
    let entry = &stored.entry;
    let enforcement = entry.fields.enforcement.as_ref();
    let read = entry.kind.known().map(|kind| norm::read(kind, enforcement));
    let Some(Ok((Enforcement::Attested { by, who }, _))) = read else {
        let message = format!("{} is not a norm that needs an attestation", stored.id);
        return Err(Refusal::new(Code::NotAllowed, message)
            .hint("only norms with enforcement `attested` need one; `ken gate --diff` lists them")
            .into());
    };
    let case = self::case(ledger, layout, of)?;
    let actor = caller.actor().to_owned();
    if !may_vouch(&actor, &by, &case.policy) {
        let person = promotion::name_of(&actor);
        let names = match (by.is_empty(), case.policy.names()) {
            (false, _) => by.join(", "),
            (true, names) if names.is_empty() => {
                "an approver, and there are none at the base of the change".to_owned()
            }
            (true, names) => names,
        };
        let message = format!("{} needs an attestation by {names}; you are {person}", stored.id);
        return Err(Refusal::new(Code::NotAllowed, message)
            .hint("the list of approvers is read from the base of the change")
            .into());
    }
    if who == Who::Another && has_written(&case.change, &actor) {
        let message = format!("{} needs an attestation by someone who did not make the change", stored.id);
        return Err(Refusal::new(Code::NotAllowed, message).into());
    }
    Ok(Attestation {
        norm: stored.id,
        rule: entry.fields.statement().into_owned(),
        change: case.name,
        files: case.change.files.iter().filter(|file| !file.is_stores).count(),
        commits: case.change.commits.len(),
    })
}

/// Reads the trees of a change: where it parted from its base, none where it begins at the beginning; its base; and what it leads to,
/// none for the working tree. One that is named twice is read once.
fn between<'a>(
    ledger: &'a Ledger,
    parted: Option<&str>,
    base: Option<&str>,
    head: Option<&str>,
) -> Result<Between<'a>> {
    let mut trees: Vec<Option<&str>> = Vec::new();
    for tree in parted.iter().map(|parted| Some(*parted)).chain([base, head]) {
        if !trees.contains(&tree) {
            trees.push(tree);
        }
    }
    let ledgers = ledger.snapshot().git()?.ledgers_at(&trees)?;
    let files_of = |tree: Option<&str>| {
        let known = trees.iter().zip(&ledgers).find(|(known, _)| **known == tree);
        known.map(|(_, files)| files.clone()).unwrap_or_default()
    };
    let known = |tree: Option<&str>| -> Result<Rc<LedgerState<'_>>> {
        let files = files_of(tree);
        let store = ledger.snapshot().git()?.snapshot_of(&files)?;
        Ok(Rc::new(LedgerState { ledger: files, store }))
    };
    let parted = parted.map(|parted| files_of(Some(parted))).unwrap_or_default();
    let base_state = known(base)?;
    let head = if head == base { base_state.clone() } else { known(head)? };
    Ok(Between { parted, base: base_state, head })
}

fn look_at(
    site: &Site,
    caller: &Caller,
    of: &LedgerState<'_>,
    commit: Option<&str>,
    look: Looking<'_>,
) -> Result<GateAnswer> {
    let LedgerState { ledger, store } = of;
    let around = crate::repository::repository(site);
    let there: Vec<String> = match commit {
        Some(commit) => match site.layout.git.as_ref() {
            Some(git) => git
                .names_at(commit)
                .map_err(Error::failed(format!("reading the names of files in {}", short(commit))))?,
            None => Vec::new(),
        },
        None => Vec::new(),
    };
    let exists = |path: &str| match commit {
        // The names are sorted: a folder's files follow where its own name would be.
        Some(_) => {
            let from = there.partition_point(|name| name.as_str() < path);
            let is_it = |name: &String| {
                name == path || name.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'))
            };
            there[from..].iter().take_while(|name| name.starts_with(path)).any(is_it).into()
        }
        None => around.path(path),
    };
    gate::gate(
        &**store,
        &Look {
            policy: look.policy,
            verify: &approvers::verify,
            changed: look.changed,
            lines: look.lines,
            moved: look.moved,
            places: Some(&ledger.places()),
            is_missing: &|citation| is_missing(citation, &exists),
            unjudged: look.policy.approvers.is_empty(),
            now: caller.now(),
        },
    )
}

/// Holds a change against norms that are in force.
fn judge_norms(
    ledger: &Ledger,
    site: &Site,
    case: &Case<'_>,
    mut norms: Vec<(Entry, bool)>,
    programs: Programs,
    answer: &mut GateAnswer,
) -> Result<()> {
    let Case { change, occasion, .. } = case;
    norms.sort_by_key(|(entry, _)| entry.id());
    let mut read: Vec<(Entry, bool, std::result::Result<Norm, Vec<Fault>>)> = Vec::new();
    for (entry, solo) in norms {
        let Some(kind) = entry.kind.known() else { continue };
        let norm = Norm::read(&entry.id(), kind, entry.fields.enforcement.as_ref());
        read.push((entry, solo, norm));
    }
    let tiers = read.iter().filter_map(|(_, _, norm)| norm.as_ref().ok());
    let tier = norms::tier(change, tiers, *occasion);
    answer.change = Some(case.name.clone());
    answer.tier = Some(tier.tier.word().to_owned());
    answer.tier_why = tier.why.iter().map(|reason| format!("{}: {}", reason.norm, reason.why)).collect();
    let mut tree = Programmed {
        inner: crate::change_set::tree_after(site, case.head.as_deref().unwrap_or_default())?,
        programs,
    };
    let mut views = Vec::new();
    for (entry, solo, norm) in &read {
        if entry.kind.known() == Some(Type::RiskTier) && norm.is_ok() {
            continue;
        }
        let (enforcement, mut judged) = match norm {
            Ok(norm) => {
                let judged = norms::judge(norm, change, &mut tree, *occasion, tier.tier);
                (norm.enforcement.word(), judged)
            }
            Err(faults) => {
                let told: Vec<String> =
                    faults.iter().map(|fault| format!("{}: {}", fault.field, fault.problem)).collect();
                let why = format!("its enforcement cannot be parsed: {}", told.join("; "));
                ("unreadable", Judgement { verdict: Verdict::CannotTell { why }, left_out: Vec::new() })
            }
        };
        if let Verdict::Missing { by, not_by } = &judged.verdict {
            let here = ledger.stored(entry.key)?.map(|stored| stored.entry);
            let there = case.between.head.store.stored(entry.key)?;
            let said = here.iter().chain(there.as_ref().map(|stored| &stored.entry));
            let said = said.flat_map(|entry| &entry.attested).filter(|said| said.change == case.name);
            let vouched = said.filter(|said| is_signed(said, entry.key, &case.policy)).find(|said| {
                let wrote = !not_by.is_empty() && has_written(change, &said.by);
                !wrote && may_vouch(&said.by, by, &case.policy)
            });
            if let Some(vouched) = vouched {
                let how = format!("{} attested it", promotion::name_of(&vouched.by));
                judged.verdict = Verdict::Passed { how };
            }
        }
        let mut view = norm_view(entry, *solo, enforcement, judged, &case.flag);
        // What was purged here is shown nowhere (STO-13), and binds where it is still in force.
        if case.between.base.ledger.purged.contains(&entry.key) {
            view.rule = "(its content was purged)".to_owned();
            view.exceptions.clear();
        }
        views.push(view);
    }
    answer.norms = views;
    Ok(())
}

fn tell_policy(policy: &Policy, whence: &str, answer: &mut GateAnswer) {
    if policy.approvers.is_empty() {
        answer.notes.push(format!(
            "there are no approvers {whence}, so no norm is in force; add one: ken config approvers.NAME yes"
        ));
    }
    if policy.solo {
        answer.notes.push("approvals.solo: one person may propose and approve".to_owned());
    }
    if policy.signed {
        answer.notes.push("approvals.signed: only signed approvals count".to_owned());
    }
}

/// Whether programs that norms name are started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Programs {
    /// As far as the clone allows them.
    Started,
    /// Not at all.
    Left,
}

/// What somebody vouches for.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Attestation {
    pub norm: String,
    /// What it asks for.
    pub rule: String,
    /// Names the change by what it does.
    pub change: String,
    /// How many files it touches.
    pub files: usize,
    /// How many commits it has.
    pub commits: usize,
}

struct Looking<'a> {
    policy: &'a Policy,
    changed: Option<&'a BTreeSet<EntryKey>>,
    lines: &'a [BadLine],
    moved: &'a [Moved],
}

/// A tree in which programs are started only where that was asked for.
struct Programmed<'a> {
    inner: TreeAfter<'a>,
    programs: Programs,
}

impl Tree for Programmed<'_> {
    fn has(&mut self, path: &str) -> std::result::Result<bool, String> {
        self.inner.has(path)
    }

    fn files(&mut self) -> std::result::Result<std::rc::Rc<[String]>, String> {
        self.inner.files()
    }

    fn text(&mut self, path: &str) -> std::result::Result<Option<String>, String> {
        self.inner.text(path)
    }

    fn run(&mut self, words: &[String]) -> Ran {
        match self.programs {
            Programs::Started => self.inner.run(words),
            Programs::Left => Ran::NotRun("commands run only with --execute".to_owned()),
        }
    }
}

/// Whether somebody's word counts: of those whom a norm names, or of an approver where it names nobody. Agents have none.
fn may_vouch(actor: &str, named: &[String], policy: &Policy) -> bool {
    if !actor.starts_with("human:") {
        return false;
    }
    let name = promotion::name_of(actor).to_lowercase();
    match named.is_empty() {
        true => policy.approver(actor).is_some(),
        false => named.iter().any(|one| one.trim().to_lowercase() == name),
    }
}

/// Whether a person made one of the commits of a change.
fn has_written(change: &Change, actor: &str) -> bool {
    change.commits.iter().any(|commit| !commit.is_merge && commit.is_by(promotion::name_of(actor)))
}

/// Who may approve, by the settings of a tree.
fn policy_in(known: &LedgerState<'_>) -> Policy {
    known.ledger.config.as_deref().map(config::policy_of).unwrap_or_default()
}

/// Whether a person's word is signed, where approvals must be.
fn is_signed(said: &Attested, norm: EntryKey, policy: &Policy) -> bool {
    if !policy.signed {
        return true;
    }
    let key = policy.approver(&said.by).and_then(|approver| approver.key.as_deref());
    let text = promotion::attested_text(norm, &said.change, &said.by);
    matches!((key, &said.signature), (Some(key), Some(signature)) if approvers::verify(key, &text, signature))
}

fn norm_view(
    entry: &Entry,
    solo: bool,
    enforcement: &'static str,
    judged: Judgement,
    flag: &str,
) -> NormView {
    let blocks = judged.verdict.blocks();
    let mut places = Vec::new();
    let (state, why) = match judged.verdict {
        Verdict::Passed { how } => (NormState::Pass, how),
        Verdict::Failed { places: found, more } => {
            let count = found.len() + more;
            places = found.into_iter().map(place_view).collect();
            let more = if more > 0 { format!("; {more} more are not listed") } else { String::new() };
            let noun = if count == 1 { "place" } else { "places" };
            (NormState::Fail, format!("violated in {count} {noun}{more}"))
        }
        Verdict::NotApplicable { why } => (NormState::Skip, why),
        Verdict::Missing { by, not_by } => {
            let who = if by.is_empty() { "an approver".to_owned() } else { by.join(" or ") };
            let other = if not_by.is_empty() { "" } else { ", who did not write it," };
            let id = entry.id();
            let how = format!("in a terminal: ken gate attest {id} {flag}");
            (NormState::Missing, format!("{who}{other} must attest this change, {how}"))
        }
        Verdict::Advised { text } => {
            (NormState::Advisory, text.unwrap_or_else(|| "advisory: blocks nothing".to_owned()))
        }
        Verdict::CannotTell { why } => (NormState::Unknown, why),
    };
    let mut exceptions = entry.fields.exceptions.clone();
    exceptions.extend(judged.left_out.into_iter().map(|what| format!("skipped: {what}")));
    let rule = ken_core::words::one_line(&entry.fields.statement(), 200);
    NormView { norm: entry.id(), rule, enforcement, state, blocks, why, places, exceptions, solo }
}

fn place_view(place: norms::Place) -> PlaceView {
    let (commit, path, line) = match place.spot {
        Spot::Commit { commit, .. } => (Some(commit), None, None),
        Spot::File { path, line } => (None, Some(path), line),
        Spot::Change {} => (None, None, None),
    };
    PlaceView { commit, path, line, why: place.why }
}

fn bad_line(file: &str, problem: &ken_engine::Problem) -> BadLine {
    BadLine {
        file: file.to_owned(),
        line: problem.line as u64,
        problem: format!("this line {}", problem.problem),
        fault: match problem.kind {
            ken_engine::ProblemKind::Key => LineFault::Forged,
            _ => LineFault::Edited,
        },
    }
}

/// The file that a citation names, if it names one.
fn path_of(citation: &Citation) -> Option<String> {
    let reference = Reference::with_type(citation.evidence_type, &citation.evidence_ref).ok()?;
    reference.path().map(str::to_owned)
}

fn is_missing(citation: &Citation, look: &dyn Fn(&str) -> Presence) -> bool {
    // What nobody found when it was cited was accepted as such.
    !citation.unverified && path_of(citation).is_some_and(|path| look(&path) == Presence::Absent)
}

fn short(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}
