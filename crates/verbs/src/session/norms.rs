//! Norms in force: they are shown when a session begins, and what an agent is about to do is held against them.
//!
//! The rules in force are noted beside the journal whenever they were read from the store. A hook that is late, or is left alone because
//! the store failed, goes by that note: a busy store lifts no norm.

use crate::action_norm::{ActionNorm, bound};
use std::fs;
use std::path::{Path, PathBuf};

use ken_core::action::{
    Action, Branch, Decision, MessageExtent, Place, Rule, Verdict, commit_messages, decide_following,
    makes_commit, starts,
};
use ken_core::norm::{self, Enforcement};
use ken_core::run::INJECTED;
use ken_core::words::one_line;
use ken_core::{EntryKey, Millis};
use ken_engine::{CloneState, RecordKind, Result, Stored, deliver, norms, view};
use ken_hosts::hook::{self, Call, Deed, Event, Host, Stop};
use ken_worktree::Layout;

use super::notes::Notes;
use super::{HookAnswer, Session};
use crate::conversation::plain;
use crate::gate::in_force;
use crate::limits::session_norms::{ALLOWED_CHARS_MAX, BEFORE_BYTES_MAX, RULE_CHARS_MAX, TOKENS_MAX};
use crate::overrides;

/// What a session is told of the norms in force when it begins.
#[derive(Default)]
pub(super) struct StandingNorms {
    pub(super) text: String,
    /// The norms in it.
    pub(super) keys: Vec<EntryKey>,
    pub(super) ids: Vec<String>,
    /// All norms that can apply, with those that found no room: the briefing leaves them out.
    pub(super) all: Vec<String>,
}

/// How near the files of a norm are to the folder that the agent works in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Nearness {
    /// They lie in that folder, or the folder lies among them.
    Here,
    /// It is about files anywhere, or about no files.
    Anywhere,
    /// They all lie in other folders.
    Elsewhere,
}

/// How near some globs and paths are to a folder below the top of the repository; the top is near to everything.
fn nearness<'p>(folder: &str, paths: impl IntoIterator<Item = &'p str>) -> Nearness {
    let wanted: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let mut nearest = None;
    for path in paths {
        let parts = path.split('/').filter(|part| !part.is_empty());
        let fixed: Vec<&str> = parts.take_while(|part| !part.contains(['*', '?', '[', '{'])).collect();
        let found = match fixed.iter().zip(&wanted).all(|(one, other)| one == other) {
            _ if fixed.is_empty() || wanted.is_empty() => Nearness::Anywhere,
            true => Nearness::Here,
            false => Nearness::Elsewhere,
        };
        nearest = Some(nearest.map_or(found, |nearest: Nearness| nearest.min(found)));
    }
    nearest.unwrap_or(Nearness::Anywhere)
}

/// The order of norms that are as near as one another: what is held back first, then what is checked, then what is only shown.
fn strength(enforcement: &Enforcement) -> u8 {
    match enforcement {
        Enforcement::Mechanical(_) if !enforcement.action_rules().is_empty() => 0,
        Enforcement::Mechanical(_) => 1,
        Enforcement::Attested { .. } => 2,
        Enforcement::Advisory { .. } => 3,
        Enforcement::Tier(_) => 4,
    }
}

/// A norm in one line, with what is allowed in its place.
fn standing_line(stored: &Stored, enforcement: &Enforcement) -> String {
    let mut line = format!("- {}", deliver::headline(stored, RULE_CHARS_MAX));
    let mut add = |label: &str, text: &str| {
        let text = one_line(&deliver::safe(text), ALLOWED_CHARS_MAX);
        if !text.is_empty() {
            line.push_str(&format!(" {label}: {text}"));
        }
    };
    add("Instead", enforcement.instead().unwrap_or_default());
    add("Except", &stored.entry.fields.exceptions.join("; "));
    line
}

impl Session<'_> {
    /// The norms in force that can apply here, those of the folder first, as many as the room has (COR-26).
    pub(super) fn standing_norms(&self) -> Result<StandingNorms> {
        let folder = self.call.cwd.as_deref().and_then(|cwd| self.inside(cwd)).unwrap_or_default();
        let mut norms = Vec::new();
        for (entry, _) in in_force(&*self.ken.ledger, &self.ken.site.config.policy_here())? {
            let Some(stored) = self.ken.ledger.stored(entry.key)?.filter(|stored| !stored.overlay.hides())
            else {
                continue;
            };
            if !self.is_seen_here(&stored)? {
                continue;
            }
            // One whose check cannot be read binds people all the same.
            let said = entry.fields.enforcement.as_ref();
            let read = entry.kind.known().and_then(|kind| norm::read(kind, said).ok());
            let advisory = Enforcement::Advisory { text: None };
            let enforcement = read.map_or(advisory, |(enforcement, _)| enforcement);
            let anchors = entry.fields.anchors.iter().map(|anchor| anchor.path());
            let near = nearness(&folder, enforcement.globs().into_iter().chain(anchors));
            let line = standing_line(&stored, &enforcement);
            norms.push((near, strength(&enforcement), stored.id, entry.key, line));
        }
        norms.sort();
        let all = norms.iter().map(|(_, _, id, ..)| id.clone()).collect();
        let mut told = StandingNorms { all, ..StandingNorms::default() };
        let mut lines = vec!["Norms in force here:".to_owned()];
        for (at, (_, _, id, key, line)) in norms.iter().enumerate() {
            let more = match norms.len() - at - 1 {
                0 => None,
                more => Some(format!("and {more} more: `ken list --memory procedural`")),
            };
            let page: Vec<&str> = lines.iter().chain([line]).chain(&more).map(String::as_str).collect();
            let text = deliver::block(&page.join("\n"));
            if crate::recall::tokens_of(&self.ken.models, &text) > TOKENS_MAX {
                break;
            }
            lines.push(line.clone());
            told.text = text;
            told.keys.push(*key);
            told.ids.push(id.clone());
        }
        Ok(told)
    }

    /// Says whether a norm holds back what is about to be done. What no norm speaks of goes on.
    pub(super) fn hold_back(&mut self, deeds: &[Deed], told: &mut HookAnswer) -> Result<()> {
        if deeds.is_empty() {
            return Ok(());
        }
        let policy = self.ken.site.config.policy_here();
        let mut bound_norms = Vec::new();
        for (entry, _) in in_force(&*self.ken.ledger, &policy)? {
            let handle = self.handle(entry.key)?;
            bound_norms.extend(bound(&entry, handle));
        }
        let layout = self.ken.site.layout.clone();
        note(&**self.ken.site.state(), &bound_norms);
        // The notes are read where a norm asks for a command alone: this stands before every tool.
        let asks_for_commands = bound_norms.iter().any(|norm| norm.before.is_some());
        let mut notes = if asks_for_commands { self.notes() } else { Notes::default() };
        let place = Here {
            state: &**self.ken.site.state(),
            layout: &layout,
            call: self.call,
            now: self.ken.caller.now(),
            owed: notes.owed().to_vec(),
        };
        if edited(&mut notes, &bound_norms, deeds, &layout, self.call) {
            notes.keep(&**self.ken.site.state(), &self.run);
        }
        let Some(held) = held_back(&bound_norms, deeds, &place) else {
            if let Some(text) = unread_message(&bound_norms, deeds, &place) {
                told.did.push("the message of a commit cannot be read before it is made".to_owned());
                if self.call.hears {
                    self.say(deliver::block(&text), Vec::new(), told);
                }
            }
            return Ok(());
        };
        match held {
            Held::Lifted(handle) => told.did.push(format!("a person overrode norm {handle} once")),
            Held::Back { norm, stop, text } => {
                if let Ok(key) = norm.key.parse::<EntryKey>() {
                    self.begin()?;
                    self.expose(vec![key], INJECTED)?;
                }
                told.did.push(format!("blocked by norm {}", norm.handle));
                told.entries.push(norm.handle.clone());
                told.held_back = Some((stop, text));
            }
        }
        Ok(())
    }

    fn handle(&self, key: EntryKey) -> Result<String> {
        let stored = self.ken.ledger.stored(key)?;
        Ok(stored.map(|stored| view::handle(&stored)).unwrap_or_else(|| key.to_string()))
    }
}

/// Notes the rules in force for a hook that cannot ask the store. Failing to costs nothing now.
fn note(state: &dyn CloneState, norms: &[ActionNorm]) {
    let (Ok(text), noted) = (serde_json::to_vec(norms), RecordKind::HookNorms.record()) else { return };
    if state.read(&noted).ok().flatten().as_deref() != Some(text.as_slice()) {
        drop(state.write(&noted, &text));
    }
}

/// Where and when a call is made.
struct Here<'a> {
    state: &'a dyn CloneState,
    layout: &'a Layout,
    call: &'a Call,
    now: Millis,
    /// Norms whose command has not succeeded since a file of theirs was edited.
    owed: Vec<String>,
}

/// Takes down which norms want their command to run again, since a file of theirs is about to be edited. Says whether one is new.
fn edited(notes: &mut Notes, norms: &[ActionNorm], deeds: &[Deed], layout: &Layout, call: &Call) -> bool {
    let asking: Vec<(&ActionNorm, norms::Norm)> =
        norms.iter().filter_map(|norm| Some((norm, norm.before_commit()?))).collect();
    if asking.is_empty() {
        return false;
    }
    let whereabouts = Whereabouts::of(layout, call);
    let mut is_news = false;
    for deed in deeds {
        let (Deed::Edit { path, .. } | Deed::Write { path, .. }) = deed else { continue };
        let whole = plain(&whereabouts.folder.join(path)).unwrap_or_default();
        let Ok(inside) = whole.strip_prefix(&whereabouts.root) else { continue };
        let inside = inside.to_string_lossy().replace('\\', "/");
        for (norm, read) in &asking {
            is_news |= norms::is_for_file(read, &inside) && notes.owes(&norm.key);
        }
    }
    is_news
}

/// Takes down whose command a line was that succeeded.
pub(super) fn ran(notes: &mut Notes, line: &str, state: &dyn CloneState, layout: &Layout, call: &Call) {
    if notes.owed().is_empty() {
        return;
    }
    let whereabouts = Whereabouts::of(layout, call);
    let norms: Vec<ActionNorm> = state.value(&RecordKind::HookNorms.record()).unwrap_or_default();
    for norm in norms {
        let read = norm.before_commit();
        let command = read.as_ref().and_then(norms::command_before_commit);
        if command.is_some_and(|command| starts(line, &whereabouts.place(), command)) {
            notes.did_what_it_owed(&norm.key);
        }
    }
}

/// What the rules that were noted last say of a call. For a hook that is late, or that the store fails.
pub(super) fn noted(
    state: &dyn CloneState,
    layout: &Layout,
    call: &Call,
    now: Millis,
) -> Option<(Stop, String)> {
    let Event::Touching { deeds, .. } = &call.event else { return None };
    let norms: Vec<ActionNorm> = state.value(&RecordKind::HookNorms.record())?;
    let owed = Notes::read(state, &super::own_run(call, now)).owed().to_vec();
    match held_back(&norms, deeds, &Here { state, layout, call, now, owed })? {
        Held::Lifted(_) => None,
        Held::Back { stop, text, .. } => Some((stop, text)),
    }
}

/// What becomes of deeds that a norm speaks of.
enum Held<'n> {
    /// A person lifted the norm.
    Lifted(String),
    Back {
        norm: &'n ActionNorm,
        stop: Stop,
        text: String,
    },
}

fn held_back<'n>(norms: &'n [ActionNorm], deeds: &[Deed], here: &Here<'_>) -> Option<Held<'n>> {
    let (norm, decision) = decided(norms, deeds, here)?;
    if overrides::used_up(here.state, &norm.key, here.now) {
        return Some(Held::Lifted(norm.handle.clone()));
    }
    let stop = match decision.verdict {
        Verdict::Ask => Stop::Ask,
        Verdict::Deny => Stop::Deny,
    };
    Some(Held::Back { norm, stop, text: reason(norm, &decision.why, stop, here.call.host) })
}

/// What the norms say of some deeds, and why.
struct HeldBack {
    verdict: Verdict,
    why: String,
}

/// The strictest word of the norms about some deeds.
fn decided<'n>(
    norms: &'n [ActionNorm],
    deeds: &[Deed],
    here: &Here<'_>,
) -> Option<(&'n ActionNorm, HeldBack)> {
    let Here { layout, call, .. } = here;
    let mut rules: Vec<Rule> = Vec::new();
    let mut owners: Vec<&ActionNorm> = Vec::new();
    for norm in norms {
        for rule in norm.rules.iter().filter_map(|text| Rule::parse(text).ok()) {
            rules.push(rule);
            owners.push(norm);
        }
    }
    let judges_messages = norms.iter().any(|norm| norm.messages.is_some());
    if rules.is_empty() && !judges_messages && here.owed.is_empty() {
        return None;
    }
    let whereabouts = Whereabouts::of(layout, call);
    let (root, folder, place) = (&whereabouts.root, &whereabouts.folder, whereabouts.place());
    let mut strictest: Option<(&ActionNorm, HeldBack)> = None;
    for deed in deeds {
        if let Deed::Run(line) = deed
            && judges_messages
            && let Some(found) = refused_message(norms, line, root, &place)
        {
            strictest = Some(found);
            break;
        }
        if let Deed::Run(line) = deed
            && let Some(found) = owing(norms, line, &place, &here.owed)
        {
            strictest = Some(found);
        }
        let before = match deed {
            Deed::Write { path, .. } => before(root, &folder.join(path)),
            Deed::Run(_) | Deed::Edit { .. } => None,
        };
        let action = match deed {
            Deed::Run(line) => Action::Command { line },
            Deed::Edit { path, old, new } => Action::Edit { path, old: old.as_deref(), new: new.as_deref() },
            Deed::Write { path, content } => Action::Write { path, content, before: before.as_deref() },
        };
        if let Some(found) = decide_following(&rules, &action, &place, &leads)
            && strictest.as_ref().is_none_or(|(_, known)| found.verdict > known.verdict)
        {
            let Decision { verdict, rule, why, part: _ } = found;
            strictest = Some((owners[rule], HeldBack { verdict, why }));
        }
    }
    strictest
}

/// The first norm whose command has not succeeded since a file of its was edited, where a line commits now. A line that runs the command
/// first, and commits only if it succeeds, is as good.
fn owing<'n>(
    norms: &'n [ActionNorm],
    line: &str,
    place: &Place<'_>,
    owed: &[String],
) -> Option<(&'n ActionNorm, HeldBack)> {
    if owed.is_empty() || !makes_commit(line, place) {
        return None;
    }
    norms.iter().filter(|norm| owed.contains(&norm.key)).find_map(|norm| {
        let read = norm.before_commit()?;
        let command = norms::command_before_commit(&read)?;
        let runs_it_first =
            starts(line, place, command) && crate::conversation::commands::command(line).is_some();
        let why =
            format!("`{command}` has not succeeded in this session since a file that it is for was edited");
        (!runs_it_first).then_some((norm, HeldBack { verdict: Verdict::Ask, why }))
    })
}

/// Where a call is made, with links followed.
struct Whereabouts {
    root: PathBuf,
    root_text: String,
    folder: PathBuf,
    folder_text: String,
    branch: Branch,
}

impl Whereabouts {
    fn of(layout: &Layout, call: &Call) -> Whereabouts {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let root = real(&layout.root);
        let folder = call.cwd.as_deref().map_or_else(|| root.clone(), real);
        let branch = match layout.git.as_ref().map(|git| git.branch()) {
            Some(branch) if !branch.is_empty() => Branch::Known(branch),
            Some(_) | None => Branch::Unknown,
        };
        let [root_text, folder_text] = [&root, &folder].map(|path| path.to_string_lossy().into_owned());
        Whereabouts { root, root_text, folder, folder_text, branch }
    }

    fn place(&self) -> Place<'_> {
        Place { root: &self.root_text, folder: &self.folder_text, branch: self.branch.clone() }
    }
}

/// What the agent is told where it makes a commit whose message nobody can hold against a norm before it is made.
fn unread_message(norms: &[ActionNorm], deeds: &[Deed], here: &Here<'_>) -> Option<String> {
    let norm = norms.iter().find(|norm| norm.messages.is_some())?;
    let whereabouts = Whereabouts::of(here.layout, here.call);
    let place = whereabouts.place();
    let is_unread = deeds.iter().any(|deed| match deed {
        Deed::Run(line) => {
            let messages = commit_messages(line, &place, &|file| message_file(&whereabouts.root, file));
            messages.iter().any(|message| message.extent == MessageExtent::Unknown)
        }
        Deed::Edit { .. } | Deed::Write { .. } => false,
    });
    is_unread.then(|| {
        format!(
            "The message of this commit could not be read before it is made. Norm {} is in force: {}\nCheck the message against it, or give it by `-m` or `-F FILE`; the gate checks it later.",
            norm.handle,
            deliver::safe(&norm.title)
        )
    })
}

/// The first norm that a message fails of the commits that a line makes. Nothing happens then: a commit with such a message is as easily
/// made with another.
fn refused_message<'n>(
    norms: &'n [ActionNorm],
    line: &str,
    root: &Path,
    place: &Place<'_>,
) -> Option<(&'n ActionNorm, HeldBack)> {
    let messages = commit_messages(line, place, &|file| message_file(root, file));
    if messages.is_empty() {
        return None;
    }
    norms.iter().find_map(|norm| {
        let read = norm.of_messages()?;
        let why = messages.iter().find_map(|message| norms::message_fault(&read, message))?;
        Some((norm, HeldBack { verdict: Verdict::Deny, why }))
    })
}

/// Where a path leads that has links on its way.
fn leads(path: &str) -> Option<String> {
    let path = Path::new(path);
    let real = path.is_absolute().then(|| ken_worktree::links::real(path))?;
    Some(real.to_str()?.replace('\\', "/"))
}

/// What a file of the repository holds, if it is small enough to be read here.
fn before(root: &Path, file: &Path) -> Option<String> {
    text_of(&file.canonicalize().ok().filter(|file| file.starts_with(root))?)
}

/// What a file holds that is given as a message, wherever it lies: git reads it as well.
fn message_file(root: &Path, file: &str) -> Option<String> {
    text_of(&root.join(file).canonicalize().ok()?)
}

/// The text of a plain file that is small enough to be read here.
fn text_of(file: &Path) -> Option<String> {
    let size = fs::metadata(file).ok().filter(|data| data.is_file())?.len();
    (size <= BEFORE_BYTES_MAX).then(|| fs::read_to_string(file).ok())?
}

/// What the agent is told, and the person if the host asks one.
fn reason(norm: &ActionNorm, why: &str, stop: Stop, host: Host) -> String {
    let handle = &norm.handle;
    let title = deliver::safe(&norm.title);
    let mut text = format!("Norm {handle} is in force: {title}\n{}.", deliver::safe(why));
    if let Some(instead) = &norm.instead {
        text.push_str(&format!("\nInstead: {}", deliver::safe(instead)));
    }
    if stop == Stop::Deny || !hook::asks(host) {
        text.push_str(&format!(
            "\nOnly a person can override it once, in their own terminal: `ken gate override {handle}`."
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn norms_about_files_of_the_folder_are_nearer_than_those_of_other_folders() {
        for (folder, paths, wanted) in [
            ("api/src", &["api/**"][..], Nearness::Here),
            ("api", &["api/src/net.rs"], Nearness::Here),
            ("api", &["web/**", "api/x"], Nearness::Here),
            ("api", &["**/*.rs"], Nearness::Anywhere),
            ("api", &[], Nearness::Anywhere),
            ("", &["web/**"], Nearness::Anywhere),
            ("api", &["web/**"], Nearness::Elsewhere),
            ("api", &["apiary/**"], Nearness::Elsewhere),
        ] {
            assert_eq!(nearness(folder, paths.iter().copied()), wanted, "{folder} {paths:?}");
        }
    }
}
