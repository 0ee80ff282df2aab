//! `gate`: what the gates say of a store, or of a change to it (GAT-1).

use std::collections::{BTreeMap, BTreeSet};

use ken_core::answer::{GateState, NormState};
use ken_core::gate::{self, BadLine, Found, GATES, GateFacts, Level, Moved};
use ken_core::promotion::{Authority, Policy, Verify, authority};
use ken_core::{Citation, Entry, EntryKey, Memory, Millis, Status};
use serde::Serialize;

use super::promote::promotions_by_name;
use crate::deliver;
use crate::error::Result;
use crate::flow::LoadedOrigins;
use crate::limits::ops_gate::TOGETHER_MAX;
use crate::norms;
use crate::ports::Ledger;
use crate::query::{Overlaid, Query};
use crate::view;

/// How it is looked.
pub struct Look<'a> {
    /// Who may approve, where it is judged from.
    pub policy: &'a Policy,
    /// Whether a signature fits.
    pub verify: Verify<'a>,
    /// What a change touches; everything where no change is judged.
    pub changed: Option<&'a BTreeSet<EntryKey>>,
    /// Lines that are not as they were written.
    pub lines: &'a [BadLine],
    /// Norms in force that a change takes out of it.
    pub moved: &'a [Moved],
    /// Where each entry is told of, if not where the ledger says.
    pub places: Option<&'a BTreeMap<EntryKey, (String, u64)>>,
    /// Whether cited evidence is known to be missing.
    pub is_missing: &'a dyn Fn(&Citation) -> bool,
    /// Whether approvals cannot be judged, since nobody may approve where they are judged from.
    pub unjudged: bool,
    /// The time it is.
    pub now: Millis,
}

/// One gate, and how it came out.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GateView {
    pub name: &'static str,
    /// What it looks at.
    pub checks: &'static str,
    /// What follows from a failure.
    pub on_failure: &'static str,
    /// How it came out.
    pub state: GateState,
    /// What it found.
    pub found: Vec<Found>,
}

/// How a norm came out.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NormView {
    pub norm: String,
    /// What it asks for.
    pub rule: String,
    /// `mechanical`, `attested` or `advisory`.
    pub enforcement: &'static str,
    /// How it came out.
    pub state: NormState,
    /// Whether it blocks.
    pub blocks: bool,
    /// Why, in a sentence.
    pub why: String,
    /// Where it is not kept.
    pub places: Vec<PlaceView>,
    /// When it does not apply.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exceptions: Vec<String>,
    /// Whether one person both asked for it and approved it.
    pub solo: bool,
}

/// A place where a norm is not kept.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlaceView {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What is wrong there.
    pub why: String,
}

/// What `gate` answers.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GateAnswer {
    /// Whether everything may pass.
    pub passed: bool,
    /// How many things block.
    pub blocking: usize,
    /// How many things somebody should look at.
    pub warnings: usize,
    /// What was judged: the store, or a change.
    pub judged: String,
    /// Names the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    /// How risky the change is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tier_why: Vec<String>,
    pub gates: Vec<GateView>,
    /// Every norm that a change was held against.
    pub norms: Vec<NormView>,
    /// Whether one person may approve what they propose here.
    pub solo: bool,
    /// What somebody should know.
    pub notes: Vec<String>,
}

impl GateAnswer {
    /// Adds up what blocks and what warns.
    pub fn count(&mut self) {
        let found = self.gates.iter().flat_map(|gate| &gate.found);
        let (blocks, warns): (Vec<_>, Vec<_>) = found.partition(|found| found.level == Level::Blocks);
        self.blocking = blocks.len() + self.norms.iter().filter(|norm| norm.blocks).count();
        let unkept = |norm: &&NormView| !norm.blocks && norm.state.is_unkept();
        self.warnings = warns.len() + self.norms.iter().filter(unkept).count();
        self.passed = self.blocking == 0;
    }
}

/// Looks through every gate. Norms are held against each other and are in memory together; everything else is looked at some at a time.
pub fn gate(ledger: &dyn Ledger, look: &Look<'_>) -> Result<GateAnswer> {
    let every = Query { all: true, purge_asked: true, overlaid: Overlaid::Any, ..Query::default() };
    let promotions = promotions_by_name(ledger)?;
    let mut origins = LoadedOrigins::new(ledger, std::iter::empty());
    let mut standing: BTreeMap<EntryKey, (String, Status)> = BTreeMap::new();
    let mut here: BTreeMap<EntryKey, (String, u64)> = BTreeMap::new();
    let mut known: BTreeMap<EntryKey, Authority> = BTreeMap::new();
    let mut norms: Vec<Entry> = Vec::new();
    ledger.each(&every, &mut |stored| {
        origins.learn(&stored.entry);
        if stored.purge_asked {
            return Ok(());
        }
        let key = stored.entry.key;
        standing.insert(key, (stored.entry.id(), stored.entry.status));
        if let Some(file) = stored.file().filter(|_| look.places.is_none()) {
            here.insert(key, (file.to_owned(), 1));
        }
        if !stored.entry.approvals.is_empty() {
            known.insert(key, authority(&stored.entry, &promotions, look.policy, look.verify));
        }
        if stored.entry.memory() == Memory::Procedural {
            norms.push(stored.entry);
        }
        Ok(())
    })?;
    let files = look.places.unwrap_or(&here);
    let mut found: Vec<Vec<Found>> = GATES.iter().map(|_| Vec::new()).collect();
    // What is no entry is told once, with the norms.
    let mut look_at = |entries: &[Entry], lines: &[BadLine], moved: &[Moved]| -> Result<()> {
        let mut facts = GateFacts {
            entries,
            standing: &standing,
            files,
            changed: look.changed,
            lines,
            moved,
            authority: &known,
            backflow: BTreeMap::new(),
            faults: &|entry| match entry.kind.known() {
                Some(kind) if kind.memory() == Memory::Procedural => {
                    norms::faults(kind, entry.fields.enforcement.as_ref())
                }
                _ => Vec::new(),
            },
            is_missing: look.is_missing,
            unjudged: look.unjudged,
            now: look.now,
        };
        facts.backflow = gate::backflow(&facts, &origins)?;
        for (gate, found) in GATES.iter().zip(&mut found) {
            found.extend(gate::look(gate, &facts));
        }
        Ok(())
    };
    look_at(&norms, look.lines, look.moved)?;
    drop(norms);
    let mut together: Vec<Entry> = Vec::with_capacity(TOGETHER_MAX);
    ledger.each(&every, &mut |stored| {
        if stored.purge_asked || stored.entry.memory() == Memory::Procedural {
            return Ok(());
        }
        together.push(stored.entry);
        if together.len() >= TOGETHER_MAX {
            look_at(&together, &[], &[])?;
            together.clear();
        }
        Ok(())
    })?;
    look_at(&together, &[], &[])?;
    let gates = GATES.iter().zip(found).map(|(gate, mut found)| {
        gate::in_order(&mut found);
        for found in &mut found {
            found.message = deliver::safe(&found.message);
            found.head.iter_mut().for_each(|head| head.title = view::shown_title(&head.title));
        }
        let state = match found.iter().map(|found| found.level).max() {
            None => GateState::Pass,
            Some(Level::Warns) => GateState::Warn,
            Some(Level::Blocks) => GateState::Fail,
        };
        GateView { name: gate.name, checks: gate.checks, on_failure: gate.on_failure, state, found }
    });
    let mut answer = GateAnswer { gates: gates.collect(), solo: look.policy.solo, ..GateAnswer::default() };
    answer.count();
    Ok(answer)
}
