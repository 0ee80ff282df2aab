//! `gate`: the gates over this store, or over what a change does to it; and people's word about a change (GAT-1, GAT-3).

use std::collections::{BTreeMap, BTreeSet};

use ken_core::evidence::Reference;
use ken_core::gate::{BadLine, Moved};
use ken_core::norm::change::Change;
use ken_core::norm::{self, Enforcement, Occasion, Who};
use ken_core::promotion::{self, Policy, Standing};
use ken_core::{
    Body, Citation, Code, Entry, EntryEvent, EntryKey, Event, EventHash, Fault, Refusal, ReplicaId, Status,
    Type, decide,
};
use ken_engine::norms::{self, Judgement, Norm, Ran, Spot, Tree, Verdict};
use ken_engine::ops::gate::{self, GateAnswer, Look, NormView, PlaceView};
use ken_engine::ops::promote::{authorities, norms as norms_of};
use ken_engine::{Repository, Result, ops};
use ken_store::{LedgerAt, Snapshot};
use serde::Serialize;

use crate::change_set::TreeAfter;
use crate::{Kenning, approvers, config};

/// A change between two trees, as far as knowledge is concerned.
struct Between {
    /// Where the two parted.
    parted: LedgerAt,
    base: (LedgerAt, Snapshot),
    head: (LedgerAt, Snapshot),
}

impl Kenning {
    /// Looks at everything that this store holds.
    pub fn gate(&mut self) -> Result<GateAnswer> {
        let problems = self.store.problems()?;
        let lines: Vec<BadLine> = problems
            .into_iter()
            .map(|(file, problem)| BadLine {
                file,
                line: problem.line as u64,
                problem: format!("this line {}", problem.problem),
            })
            .collect();
        let around = self.repository();
        let policy = self.who_approves();
        let mut answer = gate::gate(
            &self.store,
            &Look {
                policy: &policy,
                verify: &approvers::verify,
                changed: None,
                lines: &lines,
                moved: &[],
                places: None,
                is_missing: &|citation| is_missing(citation, &|path| around.path_exists(path)),
                unjudged: policy.approvers.is_empty(),
                now: self.now(),
            },
        )?;
        answer.judged = "the store".to_owned();
        self.tell_policy(&policy, "here", &mut answer);
        Ok(answer)
    }

    /// Looks at what a change does, `BASE..HEAD`: to what is known, and by the norms in force at its base.
    pub fn gate_diff(&mut self, range: &str, programs: Programs) -> Result<GateAnswer> {
        let (base, head) = self.ends(range)?;
        let (git, base) = self.commit_named(&base)?;
        let head = match head.is_empty() {
            true => None,
            false => Some(self.commit_named(&head)?.1),
        };
        let tip = match &head {
            Some(head) => head.clone(),
            None => self.commit_named("HEAD")?.1,
        };
        // What others did since the two parted is no part of this change.
        let parted = git.text(&["merge-base", &base, &tip]).ok().map(|text| text.trim().to_owned());
        let parted = parted.filter(|text| !text.is_empty()).unwrap_or_else(|| base.clone());
        let between = Between {
            parted: self.store.ledger_at(Some(&parted))?,
            base: self.snapshot(Some(&base))?,
            head: self.snapshot(head.as_deref())?,
        };
        // Who may approve is read from the base: nobody lets themselves in (GAT-2).
        let policy = between.base.0.config.as_deref().map(config::policy_of).unwrap_or_default();
        let changed = between.changed();
        let lines = between.bad_lines(short(&parted), &policy);
        let moved = between.moved(&policy)?;
        let change = self.change_between(&base, head.as_deref().unwrap_or_default())?;
        let look = Looking { policy: &policy, changed: Some(&changed), lines: &lines, moved: &moved };
        let mut answer = self.look_at(&between.head, head.as_deref(), look)?;
        let shown = head.as_deref().map_or("the working tree", short);
        answer.judged = format!("{}..{shown}", short(&base));
        self.tell_policy(&policy, "at the base", &mut answer);
        let now = between.head.0.config.as_deref().map(config::policy_of).unwrap_or_default();
        if now != policy {
            answer.notes.push(
                "this change edits who may approve; it is judged by who may at its base, so look at that yourself"
                    .to_owned(),
            );
        }
        let mut norms = in_force(&between.base.1, &policy)?;
        for (entry, solo) in in_force(&between.head.1, &policy)? {
            // One that the change does not speak of was taken out of force at the base since the two parted.
            if changed.contains(&entry.key) && !norms.iter().any(|(known, _)| known.key == entry.key) {
                norms.push((entry, solo));
            }
        }
        let judging = Judging { head: head.as_deref(), occasion: Occasion::Merge, programs, policy: &policy };
        self.judge_norms(&between.head.1, norms, &change, &judging, &mut answer)?;
        answer.count();
        Ok(answer)
    }

    /// Looks at what a release brings, since the tag before it: by the norms in force in it.
    pub fn gate_release(&mut self, reference: &str, programs: Programs) -> Result<GateAnswer> {
        let (_, head) = self.commit_named(reference)?;
        let (base, change) = self.change_of_release(reference)?;
        let ledger = self.snapshot(Some(&head))?;
        let policy = ledger.0.config.as_deref().map(config::policy_of).unwrap_or_default();
        let lines: Vec<BadLine> =
            ledger.0.problems.iter().map(|(file, problem)| bad_line(file, problem)).collect();
        let look = Looking { policy: &policy, changed: None, lines: &lines, moved: &[] };
        let mut answer = self.look_at(&ledger, Some(&head), look)?;
        let since = if base.is_empty() { "the beginning" } else { &base };
        answer.judged = format!("release {reference}, since {since}");
        self.tell_policy(&policy, "in it", &mut answer);
        let norms = in_force(&ledger.1, &policy)?;
        let judging = Judging { head: Some(&head), occasion: Occasion::Release, programs, policy: &policy };
        self.judge_norms(&ledger.1, norms, &change, &judging, &mut answer)?;
        answer.count();
        Ok(answer)
    }

    /// A person vouches for a change, where a norm asks for that. The door has asked them.
    pub fn attest(&mut self, name: &str, range: &str, note: &str) -> Result<Attestation> {
        let asked = self.attestable(name, range)?;
        let mut note = note.to_owned();
        ken_engine::way_in::clean_word("note", &mut note)?;
        let writer = self.writer();
        let context = ops::context(&mut self.store, &writer)?;
        let stored = ops::find(&self.store, name)?;
        let intents = decide::attest(&stored.entry, asked.change.clone(), note, &context);
        ken_engine::Ledger::append(&mut self.store, intents, &writer)?;
        self.finish(asked)
    }

    /// What somebody is about to vouch for; or why they cannot.
    pub fn attestable(&mut self, name: &str, range: &str) -> Result<Attestation> {
        self.store.may_write()?;
        self.person("vouching for a change")?;
        let stored = ops::find(&self.store, name)?;
        let entry = &stored.entry;
        let enforcement = entry.fields.enforcement.as_ref();
        let read = entry.kind.known().map(|kind| norm::read(kind, enforcement));
        let Some(Ok((Enforcement::Attested { by, who }, _))) = read else {
            let message = format!("{} is not a norm that somebody vouches for", stored.id);
            return Err(Refusal::new(Code::NotAllowed, message)
                .hint("only norms whose enforcement is `attested` ask for it; `ken gate --diff` says which")
                .into());
        };
        let actor = self.actor();
        if !may_vouch(&actor, &by, &self.who_approves()) {
            let person = promotion::name_of(&actor);
            let names = if by.is_empty() { self.who_approves().names() } else { by.join(", ") };
            let message = format!("{} asks for the word of {names}, and this is {person}", stored.id);
            return Err(Refusal::new(Code::NotAllowed, message).into());
        }
        let (base, head) = self.ends(range)?;
        let change = self.change_between(&base, &head)?;
        if who == Who::Another && has_written(&change, &actor) {
            let message = format!("{} asks for another person than those who made the change", stored.id);
            return Err(Refusal::new(Code::NotAllowed, message).into());
        }
        let rule = entry.fields.statement().into_owned();
        Ok(Attestation {
            norm: stored.id,
            rule,
            change: change.id,
            files: change.files.len(),
            commits: change.commits.len(),
        })
    }

    fn snapshot(&mut self, commit: Option<&str>) -> Result<(LedgerAt, Snapshot)> {
        let ledger = self.store.ledger_at(commit)?;
        let snapshot = self.store.snapshot_of(&ledger)?;
        Ok((ledger, snapshot))
    }

    fn look_at(
        &mut self,
        of: &(LedgerAt, Snapshot),
        commit: Option<&str>,
        look: Looking<'_>,
    ) -> Result<GateAnswer> {
        let (ledger, snapshot) = of;
        let around = self.repository();
        let there: Vec<String> = match commit {
            Some(commit) => self.store.git().map(|git| git.names_at(commit)).unwrap_or_default(),
            None => Vec::new(),
        };
        let exists = |path: &str| match commit {
            // The names are sorted: a folder's files follow where its own name would be.
            Some(_) => {
                let from = there.partition_point(|name| name.as_str() < path);
                let is_it = |name: &String| {
                    name == path || name.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'))
                };
                there[from..].iter().take_while(|name| name.starts_with(path)).any(is_it)
            }
            None => around.path_exists(path),
        };
        gate::gate(
            snapshot,
            &Look {
                policy: look.policy,
                verify: &approvers::verify,
                changed: look.changed,
                lines: look.lines,
                moved: look.moved,
                places: Some(&ledger.places()),
                is_missing: &|citation| is_missing(citation, &exists),
                unjudged: look.policy.approvers.is_empty(),
                now: self.now(),
            },
        )
    }

    /// Holds a change against norms that are in force.
    fn judge_norms(
        &mut self,
        after: &Snapshot,
        mut norms: Vec<(Entry, bool)>,
        change: &Change,
        judging: &Judging<'_>,
        answer: &mut GateAnswer,
    ) -> Result<()> {
        norms.sort_by_key(|(entry, _)| entry.id());
        let mut read: Vec<(Entry, bool, std::result::Result<Norm, Vec<Fault>>)> = Vec::new();
        for (entry, solo) in norms {
            let Some(kind) = entry.kind.known() else { continue };
            let norm = Norm::read(&entry.id(), kind, entry.fields.enforcement.as_ref());
            read.push((entry, solo, norm));
        }
        let tiers = read.iter().filter_map(|(_, _, norm)| norm.as_ref().ok());
        let tier = norms::tier(change, tiers, judging.occasion);
        answer.change = Some(change.id.clone());
        answer.tier = Some(tier.tier.word().to_owned());
        answer.tier_why = tier.why.iter().map(|reason| format!("{}: {}", reason.norm, reason.why)).collect();
        let mut tree = Programmed {
            inner: self.tree_after(judging.head.unwrap_or_default())?,
            programs: judging.programs,
        };
        let mut views = Vec::new();
        for (entry, solo, norm) in &read {
            if entry.kind.known() == Some(Type::RiskTier) && norm.is_ok() {
                continue;
            }
            let (enforcement, mut judged) = match norm {
                Ok(norm) => {
                    let judged = norms::judge(norm, change, &mut tree, judging.occasion, tier.tier);
                    (norm.enforcement.word(), judged)
                }
                Err(faults) => {
                    let told: Vec<String> =
                        faults.iter().map(|fault| format!("{}: {}", fault.field, fault.problem)).collect();
                    let why = format!("its enforcement cannot be read: {}", told.join("; "));
                    ("unreadable", Judgement { verdict: Verdict::CannotTell { why }, left_out: Vec::new() })
                }
            };
            if let Verdict::Missing { by, not_by } = &judged.verdict {
                let here = ken_engine::Ledger::stored(&self.store, entry.key)?.map(|stored| stored.entry);
                let there = ken_engine::Ledger::stored(after, entry.key)?.map(|stored| stored.entry);
                let said = here.iter().chain(&there).flat_map(|entry| &entry.attested);
                let vouched = said.filter(|said| said.change == change.id).find(|said| {
                    let wrote = !not_by.is_empty() && has_written(change, &said.by);
                    !wrote && may_vouch(&said.by, by, judging.policy)
                });
                if let Some(vouched) = vouched {
                    let how = format!("{} vouches for it", promotion::name_of(&vouched.by));
                    judged.verdict = Verdict::Passed { how };
                }
            }
            views.push(norm_view(entry, *solo, enforcement, judged));
        }
        answer.norms = views;
        Ok(())
    }

    fn tell_policy(&mut self, policy: &Policy, whence: &str, answer: &mut GateAnswer) {
        if policy.approvers.is_empty() {
            answer.notes.push(format!(
                "nobody is an approver {whence}, so no norm is in force: ken config approvers.NAME yes"
            ));
        }
        if policy.solo {
            answer.notes.push("approvals.solo: one person may propose and approve".to_owned());
        }
        if policy.signed {
            answer.notes.push("approvals.signed: only signed approvals count".to_owned());
        }
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
pub struct Attestation {
    /// The norm.
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

struct Judging<'a> {
    head: Option<&'a str>,
    occasion: Occasion,
    programs: Programs,
    policy: &'a Policy,
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
            Programs::Left => Ran::NotRun("programs are started with --run alone".to_owned()),
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

/// The norms that are in force in a ledger, and whether one person made them so.
fn in_force(ledger: &Snapshot, policy: &Policy) -> Result<Vec<(Entry, bool)>> {
    let mut norms = norms_of(ledger)?;
    let standing = authorities(ledger, &norms, policy, &approvers::verify)?;
    let authority = |entry: &Entry| standing.get(&entry.key).filter(|one| one.state == Standing::InForce);
    norms.retain(|entry| authority(entry).is_some());
    let with = norms.into_iter().map(|entry| {
        let solo = authority(&entry).is_some_and(|one| one.solo);
        (entry, solo)
    });
    Ok(with.collect())
}

fn norm_view(entry: &Entry, solo: bool, enforcement: &'static str, judged: Judgement) -> NormView {
    let blocks = judged.verdict.blocks();
    let mut places = Vec::new();
    let (state, why) = match judged.verdict {
        Verdict::Passed { how } => ("pass", how),
        Verdict::Failed { places: found, more } => {
            let count = found.len() + more;
            places = found.into_iter().map(place_view).collect();
            let more = if more > 0 { format!("; {more} more are not listed") } else { String::new() };
            let noun = if count == 1 { "place" } else { "places" };
            ("fail", format!("not kept in {count} {noun}{more}"))
        }
        Verdict::NotApplicable { why } => ("skip", why),
        Verdict::Missing { by, not_by } => {
            let who = if by.is_empty() { "an approver".to_owned() } else { by.join(" or ") };
            let other = if not_by.is_empty() { "" } else { ", who did not write it," };
            let id = entry.id();
            let how = format!("in a terminal: ken gate attest {id} --diff RANGE");
            ("missing", format!("{who}{other} must vouch for this change, {how}"))
        }
        Verdict::Advised { text } => {
            ("advisory", text.unwrap_or_else(|| "shown, and blocks nothing".to_owned()))
        }
        Verdict::CannotTell { why } => ("unknown", why),
    };
    let mut exceptions = entry.fields.exceptions.clone();
    exceptions.extend(judged.left_out.into_iter().map(|what| format!("left out here: {what}")));
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

fn bad_line(file: &str, problem: &ken_store::lines::Problem) -> BadLine {
    BadLine {
        file: file.to_owned(),
        line: problem.line as u64,
        problem: format!("this line {}", problem.problem),
    }
}

impl Between {
    /// Entries about which the change says anything.
    fn changed(&self) -> BTreeSet<EntryKey> {
        let before = self.parted.hashes();
        let new = self.head.0.events.iter().filter(|(event, _, _)| !before.contains(&event.hash));
        new.filter_map(|(event, _, _)| event.entry).collect()
    }

    /// Lines that the change damages, takes away or says twice.
    fn bad_lines(&self, base: &str, policy: &Policy) -> Vec<BadLine> {
        let known: BTreeSet<(&str, &str)> = self
            .parted
            .problems
            .iter()
            .map(|(file, problem)| (file.as_str(), problem.problem.as_str()))
            .collect();
        let damaged = self
            .head
            .0
            .problems
            .iter()
            .filter(|(file, problem)| !known.contains(&(file.as_str(), problem.problem.as_str())));
        let mut lines: Vec<BadLine> = damaged.map(|(file, problem)| bad_line(file, problem)).collect();
        let after = self.head.0.hashes();
        let mut gone: BTreeMap<&str, u64> = BTreeMap::new();
        for (_, file, _) in self.parted.events.iter().filter(|(event, _, _)| !after.contains(&event.hash)) {
            *gone.entry(file).or_default() += 1;
        }
        lines.extend(gone.into_iter().map(|(file, count)| BadLine {
            file: file.to_owned(),
            line: 0,
            problem: match count {
                1 => format!("a line that {base} has is gone from {file}; a ledger only grows"),
                _ => format!("{count} lines that {base} has are gone from {file}; a ledger only grows"),
            },
        }));
        lines.extend(self.purged_lines(base, policy));
        lines.extend(self.numbered_twice());
        lines
    }

    /// Lines about norms that the change has purged by somebody who may not take a norm out of force.
    fn purged_lines(&self, base: &str, policy: &Policy) -> Vec<BadLine> {
        let before = self.parted.hashes();
        let mut purgers: BTreeMap<EventHash, &str> = BTreeMap::new();
        for (event, _, _) in self.head.0.events.iter().filter(|(event, _, _)| !before.contains(&event.hash)) {
            if let Some(Body::Entry(EntryEvent::Purged { hashes, .. })) = &event.body
                && policy.approver(&event.actor).is_none()
            {
                purgers.extend(hashes.iter().map(|hash| (*hash, event.actor.as_str())));
            }
        }
        let held = self.parted.events.iter().chain(&self.parted.purged);
        let mut found: BTreeMap<(&str, &str), u64> = BTreeMap::new();
        for (event, file, _) in held.filter(|(_, file, _)| file.starts_with("procedural/")) {
            if let Some(by) = purgers.get(&event.hash) {
                *found.entry((file, by)).or_default() += 1;
            }
        }
        let told = found.into_iter().map(|((file, by), count)| BadLine {
            file: file.to_owned(),
            line: 0,
            problem: format!(
                "{count} of the lines that {base} has in {file} are purged by {by}, who is no approver at the base"
            ),
        });
        told.collect()
    }

    /// New lines that have the number of another line of the same clone (STO-4).
    fn numbered_twice(&self) -> Vec<BadLine> {
        let before = self.parted.hashes();
        let mut first: BTreeMap<(ReplicaId, u64), EventHash> = BTreeMap::new();
        let (old, new): (Vec<_>, Vec<_>) =
            self.head.0.events.iter().partition(|(event, _, _)| before.contains(&event.hash));
        let mut found = Vec::new();
        for (event, file, line) in old.into_iter().chain(new) {
            let held = *first.entry((event.replica, event.seq)).or_insert(event.hash);
            if held != event.hash && !before.contains(&event.hash) {
                let problem = format!(
                    "this line has the number {} of clone {}, as another line has",
                    event.seq, event.replica
                );
                found.push(BadLine { file: file.clone(), line: *line, problem });
            }
        }
        found
    }

    /// Norms that the change takes out of force, or puts back into it. Labels may change; whoever changes words has no approval.
    fn moved(&self, policy: &Policy) -> Result<Vec<Moved>> {
        let keys = |norms: Vec<(Entry, bool)>| norms.into_iter().map(|(entry, _)| entry.key);
        let base: BTreeSet<EntryKey> = keys(in_force(&self.base.1, policy)?).collect();
        let head: BTreeSet<EntryKey> = keys(in_force(&self.head.1, policy)?).collect();
        let before = self.parted.hashes();
        let new = self.head.0.events.iter().filter(|(event, _, _)| !before.contains(&event.hash));
        let mut moved = Vec::new();
        for (event, _, _) in new {
            let Some(key) = event.entry.filter(|key| base.contains(key) != head.contains(key)) else {
                continue;
            };
            if head.contains(&key) {
                let was = ken_engine::Ledger::stored(&self.base.1, key)?;
                let is_restored = matches!(event.body, Some(Body::Entry(EntryEvent::Restored { .. })))
                    && was.is_some_and(|was| !was.entry.approvals.is_empty());
                if is_restored {
                    moved.push(moved_by("restored", key, event, policy));
                }
                continue;
            }
            let what = match &event.body {
                Some(Body::Entry(EntryEvent::Archived { .. })) => "archived",
                Some(Body::Entry(EntryEvent::Retracted { .. })) => "retracted",
                Some(Body::Entry(EntryEvent::Superseded { .. })) => "superseded",
                Some(Body::Entry(EntryEvent::Revised(_))) => "revised",
                Some(Body::Entry(EntryEvent::Rescoped { .. })) => "rescoped",
                Some(Body::Entry(EntryEvent::Purged { .. })) => "purged",
                Some(Body::Entry(EntryEvent::Restored { status, .. })) if *status == Status::Candidate => {
                    "demoted"
                }
                _ => continue,
            };
            moved.push(moved_by(what, key, event, policy));
        }
        Ok(moved)
    }
}

fn moved_by(what: &str, entry: EntryKey, event: &Event, policy: &Policy) -> Moved {
    let void = match policy.approver(&event.actor) {
        Some(_) => None,
        None => Some("who is no approver at the base".to_owned()),
    };
    Moved { entry, what: what.to_owned(), by: event.actor.clone(), void }
}

/// The file that a citation names, if it names one.
fn path_of(citation: &Citation) -> Option<String> {
    let reference = Reference::of(citation.evidence_type, &citation.evidence_ref).ok()?;
    reference.path().map(str::to_owned)
}

fn is_missing(citation: &Citation, exists: &dyn Fn(&str) -> bool) -> bool {
    // What nobody found when it was cited was accepted as such.
    !citation.unverified && path_of(citation).is_some_and(|path| !exists(&path))
}

fn short(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}
