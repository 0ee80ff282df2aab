//! Norms at the moment of action: what an agent is about to do is held against the norms that are in force.

use ken_core::action::{Action, Branch, Decision, Place, Rule, Verdict, decide};
use ken_core::norm;
use ken_core::run::INJECTED;
use ken_core::{Entry, EntryKey};
use ken_engine::{Result, deliver, view};
use ken_hosts::hook::{self, Deed, Stop};

use super::{HookAnswer, Session};
use crate::gate::in_force;
use crate::overrides;

/// Bytes of a file that is compared with what will be written over it. A larger one is taken for a new one.
const BEFORE_BYTES_MAX: u64 = 1 << 20;

/// A norm that says something about actions.
pub(crate) struct Bound {
    pub(crate) entry: Entry,
    rules: Vec<Rule>,
    instead: Option<String>,
}

impl Session<'_> {
    /// Says whether a norm holds back what is about to be done. What no norm speaks of goes on.
    pub(super) fn hold_back(&mut self, deeds: &[Deed], told: &mut HookAnswer) -> Result<()> {
        if deeds.is_empty() {
            return Ok(());
        }
        let policy = self.ken.config.policy();
        let bound: Vec<Bound> =
            in_force(&*self.ken.store, &policy)?.into_iter().filter_map(|(entry, _)| bound(entry)).collect();
        let Some((norm, decision)) = self.decided(&bound, deeds) else { return Ok(()) };
        let key = norm.entry.key;
        let home = self.ken.layout().clone_home();
        if overrides::used_up(&home, key, self.ken.now()) {
            let handle = self.handle(key)?;
            told.did.push(format!("a person lifted norm {handle} for this once"));
            return Ok(());
        }
        let stop = match decision.verdict {
            Verdict::Ask => Stop::Ask,
            Verdict::Deny => Stop::Deny,
        };
        let text = self.reason(norm, &decision, stop)?;
        self.begin()?;
        self.expose(vec![key], INJECTED)?;
        let handle = self.handle(key)?;
        told.did.push(format!("{} by norm {handle}", decision.verdict.as_str()));
        told.entries.push(handle);
        told.held_back = Some((stop, text));
        Ok(())
    }

    /// The strictest word of the norms about some deeds.
    fn decided<'n>(&self, bound: &'n [Bound], deeds: &[Deed]) -> Option<(&'n Bound, Decision)> {
        let (norms, rules): (Vec<&Bound>, Vec<Rule>) =
            bound.iter().flat_map(|norm| norm.rules.iter().map(move |rule| (norm, rule.clone()))).unzip();
        if rules.is_empty() {
            return None;
        }
        let layout = self.ken.layout();
        let root = layout.root.canonicalize().unwrap_or_else(|_| layout.root.clone());
        let folder = self.call.cwd.as_ref().map(|cwd| cwd.canonicalize().unwrap_or_else(|_| cwd.clone()));
        let (root, folder) = (root.to_string_lossy(), folder.as_ref().map(|folder| folder.to_string_lossy()));
        let branch = match layout.git.as_ref().map(|git| git.branch()) {
            Some(branch) if !branch.is_empty() => Branch::Known(branch),
            Some(_) | None => Branch::Unknown,
        };
        let place = Place { root: &root, folder: folder.as_deref().unwrap_or(&root), branch };
        let mut strictest: Option<(&Bound, Decision)> = None;
        for deed in deeds {
            let before = match deed {
                Deed::Write { path, .. } => self.before(path),
                Deed::Run(_) | Deed::Edit { .. } => None,
            };
            let action = match deed {
                Deed::Run(line) => Action::Command { line },
                Deed::Edit { path, old, new } => {
                    Action::Edit { path, old: old.as_deref(), new: new.as_deref() }
                }
                Deed::Write { path, content } => Action::Write { path, content, before: before.as_deref() },
            };
            if let Some(found) = decide(&rules, &action, &place)
                && strictest.as_ref().is_none_or(|(_, known)| found.verdict > known.verdict)
            {
                strictest = Some((norms[found.rule], found));
            }
        }
        strictest
    }

    /// What a file holds that is about to be written over.
    fn before(&self, path: &str) -> Option<String> {
        let file = self.ken.layout().root.join(self.inside(path.as_ref())?);
        let size = std::fs::metadata(&file).ok().filter(|data| data.is_file())?.len();
        (size <= BEFORE_BYTES_MAX).then(|| std::fs::read_to_string(&file).ok())?
    }

    /// What the agent is told, and the person if the host asks one.
    fn reason(&self, norm: &Bound, decision: &Decision, stop: Stop) -> Result<String> {
        let handle = self.handle(norm.entry.key)?;
        let title = deliver::safe(&norm.entry.fields.title());
        let mut text = format!("Norm {handle} is in force: {title}\n{}.", deliver::safe(&decision.why));
        if let Some(instead) = &norm.instead {
            text.push_str(&format!("\nInstead: {}", deliver::safe(instead)));
        }
        let asks = stop == Stop::Ask && hook::asks(self.call.host);
        if !asks {
            let how = format!(
                "\nOnly a person can lift it, for once: `ken override {handle}` in a terminal of their own."
            );
            text.push_str(&how);
        }
        Ok(text)
    }

    fn handle(&self, key: EntryKey) -> Result<String> {
        let stored = self.ken.store.stored(key)?;
        Ok(stored.map(|stored| view::handle(&stored)).unwrap_or_else(|| key.to_string()))
    }
}

/// What a norm says about actions; none where it says nothing.
pub(crate) fn bound(entry: Entry) -> Option<Bound> {
    let (enforcement, _) = norm::read(entry.kind.known()?, entry.fields.enforcement.as_ref()).ok()?;
    let rules = enforcement.action_rules();
    let instead = enforcement.instead().map(str::to_owned);
    (!rules.is_empty()).then_some(Bound { entry, rules, instead })
}
