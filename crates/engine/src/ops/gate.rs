//! `gate`: what the gates say of a store, or of a change to it (GAT-1).

use std::collections::{BTreeMap, BTreeSet};

use ken_core::answer::{GateState, NormState};
use ken_core::flow::Origins;
use ken_core::gate::{self, BadLine, Found, GATES, GateFacts, Level, Moved};
use ken_core::promotion::{Authority, Policy, Promotion, Verify, authority};
use ken_core::{Citation, Entry, EntryKey, Memory, Millis, Status};
use serde::Serialize;

use super::promote::promotions_by_name;
use crate::deliver;
use crate::error::{Error, Result};
use crate::flow::{LedgerOrigins, LoadedOrigins};
use crate::limits::ops_gate::TOGETHER_MAX;
use crate::norms;
use crate::ports::Stored;
use crate::projection::Projection;
use crate::query::{Overlaid, Query, Sort};
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
pub fn gate(ledger: &dyn Projection, look: &Look<'_>) -> Result<GateAnswer> {
    let found = match look.changed {
        Some(changed) => of_a_change(ledger, look, changed)?,
        None => of_everything(ledger, look)?,
    };
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

/// Every entry there is.
fn every() -> Query {
    Query { all: true, purge_asked: true, overlaid: Overlaid::Any, sort: Sort::Any, ..Query::default() }
}

/// What gates look at beside the entries themselves.
#[derive(Default)]
struct Beside {
    /// The id and the status of the entries, and of what they link to.
    standing: BTreeMap<EntryKey, (String, Status)>,
    /// The ledger file of each, where the ledger says it.
    here: BTreeMap<EntryKey, (String, u64)>,
    /// Whether norms, and what came from episodic records, have authority.
    authority: BTreeMap<EntryKey, Authority>,
}

impl Beside {
    fn learn(&mut self, stored: &Stored, promotions: &BTreeMap<String, Promotion>, look: &Look<'_>) {
        let (key, entry) = (stored.entry.key, &stored.entry);
        self.standing.insert(key, (entry.id(), entry.status));
        if let Some(file) = stored.file().filter(|_| look.places.is_none()) {
            self.here.insert(key, (file.to_owned(), 1));
        }
        if !entry.approvals.is_empty() {
            self.authority.insert(key, authority(entry, promotions, look.policy, look.verify));
        }
    }

    /// Learns how that stands to which some entries link.
    fn learn_targets<'e>(
        &mut self,
        ledger: &dyn Projection,
        entries: impl Iterator<Item = &'e Entry>,
    ) -> Result<()> {
        for to in entries.flat_map(|entry| &entry.links).map(|link| link.to) {
            if !self.standing.contains_key(&to)
                && let Some(other) = ledger.stored(to)?.filter(|other| !other.purge_asked)
            {
                self.standing.insert(to, (other.entry.id(), other.entry.status));
            }
        }
        Ok(())
    }
}

/// What gates found, one after the other.
struct Findings<'a, O> {
    look: &'a Look<'a>,
    origins: &'a O,
    found: Vec<Vec<Found>>,
}

impl<'a, O: Origins<Error = Error>> Findings<'a, O> {
    fn new(look: &'a Look<'a>, origins: &'a O) -> Findings<'a, O> {
        Findings { look, origins, found: GATES.iter().map(|_| Vec::new()).collect() }
    }

    /// Norms, and what is no entry: that is told once.
    fn norms(&mut self, norms: &[Entry], beside: &Beside) -> Result<()> {
        self.some(norms, beside, self.look.lines, self.look.moved)
    }

    fn others(&mut self, entries: &[Entry], beside: &Beside) -> Result<()> {
        self.some(entries, beside, &[], &[])
    }

    fn some(&mut self, entries: &[Entry], beside: &Beside, lines: &[BadLine], moved: &[Moved]) -> Result<()> {
        let look = self.look;
        let mut facts = GateFacts {
            entries,
            standing: &beside.standing,
            files: look.places.unwrap_or(&beside.here),
            changed: look.changed,
            lines,
            moved,
            authority: &beside.authority,
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
        facts.backflow = gate::backflow(&facts, self.origins)?;
        for (gate, found) in GATES.iter().zip(&mut self.found) {
            found.extend(gate::look(gate, &facts));
        }
        Ok(())
    }
}

/// Reads norms first, then episodic records for what comes from them, and then, once, everything else.
fn of_everything(ledger: &dyn Projection, look: &Look<'_>) -> Result<Vec<Vec<Found>>> {
    let promotions = promotions_by_name(ledger)?;
    let of = |memory| Query { memories: vec![memory], ..every() };
    let mut beside = Beside::default();
    let mut norms: Vec<Entry> = Vec::new();
    ledger.each(&of(Memory::Procedural), &mut |stored| {
        if !stored.purge_asked {
            beside.learn(&stored, &promotions, look);
            norms.push(stored.entry);
        }
        Ok(())
    })?;
    beside.learn_targets(ledger, norms.iter())?;
    let mut origins = LoadedOrigins::new(ledger, std::iter::empty());
    ledger.each(&of(Memory::Episodic), &mut |stored| {
        origins.learn(&stored.entry);
        Ok(())
    })?;
    let mut findings = Findings::new(look, &origins);
    findings.norms(&norms, &beside)?;
    drop(norms);
    let mut some = |entries: &mut Vec<Entry>, beside: &mut Beside| -> Result<()> {
        beside.learn_targets(ledger, entries.iter())?;
        findings.others(entries, beside)?;
        entries.clear();
        *beside = Beside::default();
        Ok(())
    };
    let others = Query { memories: vec![Memory::Semantic, Memory::Episodic], ..every() };
    let mut together: Vec<Entry> = Vec::with_capacity(TOGETHER_MAX);
    let mut beside = Beside::default();
    ledger.each(&others, &mut |stored| {
        if stored.purge_asked {
            return Ok(());
        }
        beside.learn(&stored, &promotions, look);
        together.push(stored.entry);
        if together.len() >= TOGETHER_MAX {
            some(&mut together, &mut beside)?;
        }
        Ok(())
    })?;
    some(&mut together, &mut beside)?;
    Ok(findings.found)
}

/// The same for the entries that a change touches: of the others only norms, and what those entries point to, are read.
fn of_a_change(
    ledger: &dyn Projection,
    look: &Look<'_>,
    changed: &BTreeSet<EntryKey>,
) -> Result<Vec<Vec<Found>>> {
    let promotions = promotions_by_name(ledger)?;
    let mut beside = Beside::default();
    let (mut norms, mut others): (Vec<Entry>, Vec<Entry>) = Default::default();
    let procedural = Query { memories: vec![Memory::Procedural], ..every() };
    let touched = Query { only: Some(changed.iter().copied().collect()), ..every() };
    for (query, is_of_norms) in [(&procedural, true), (&touched, false)] {
        ledger.each(query, &mut |stored| {
            if stored.purge_asked || (stored.entry.memory() == Memory::Procedural) != is_of_norms {
                return Ok(());
            }
            beside.learn(&stored, &promotions, look);
            if is_of_norms { &mut norms } else { &mut others }.push(stored.entry);
            Ok(())
        })?;
    }
    let touched = norms.iter().chain(&others).filter(|entry| changed.contains(&entry.key));
    beside.learn_targets(ledger, touched)?;
    let origins = LedgerOrigins::new(ledger);
    let mut findings = Findings::new(look, &origins);
    findings.norms(&norms, &beside)?;
    findings.others(&others, &beside)?;
    Ok(findings.found)
}
