//! The event: the one thing that is stored. Its canonical line is the file format (STO-3, STO-4).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::admission::Admission;
use crate::belief::Side;
use crate::canonical;
use crate::clock::{Clock, Millis};
use crate::document::{DocumentName, Kept, Seen};
use crate::entry::{FEEDBACK, KeyCheck};
use crate::exposed::{Numbers, Times};
use crate::fields::{Anchor, Citation};
use crate::forage::ForageEvent;
use crate::ids::{EntryKey, EventHash, GivenId, ReplicaId};
use crate::judged::Scan;
use crate::kinds::{Confirmation, Relation, Scope, Status, TypeName, Uncounted};
use crate::limits::LINE_BYTES_MAX;
use crate::promotion::{Approved, Proposed};
use crate::run::{Finished, Reported, Started};

/// The version of the envelope that this code writes.
pub const ENVELOPE_VERSION: u64 = 1;

/// What happened, in families of like events.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// The life of one entry.
    Entry(EntryEvent),
    /// Ties between entries.
    Link(LinkEvent),
    /// What agents did and saw.
    Run(RunEvent),
    /// How an entry did when it was used.
    Belief(BeliefEvent),
    /// How the store behaves.
    Setting(SettingEvent),
    /// How knowledge gains authority.
    Promotion(PromotionEvent),
    /// What people vouch for at a gate.
    Gate(GateEvent),
    /// Files of other systems.
    Document(DocumentEvent),
    /// Reading of the web.
    Forage(ForageEvent),
}

/// The life of one entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", content = "data")]
pub enum EntryEvent {
    /// It was stated.
    #[serde(rename = "entry.added")]
    Added(Added),
    /// It was kept out (IN-1): what it said is in the quarantine of the clone that heard it, and nowhere else.
    #[serde(rename = "entry.rejected")]
    Rejected(Box<Rejected>),
    /// A person let it in after all.
    #[serde(rename = "entry.released")]
    Released {
        reason: String,
        /// The hash of the words that were let in: no others are.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        words: Option<String>,
    },
    /// Somebody said the same in other words (IN-6).
    #[serde(rename = "entry.reinforced")]
    Reinforced {
        statement: String,
        /// How near in meaning, in thousandths.
        similarity: u32,
        /// Whoever said it took that back.
        #[serde(default, skip_serializing_if = "is_false")]
        withdrawn: bool,
    },
    /// Some of its fields were changed.
    #[serde(rename = "entry.revised")]
    Revised(Revised),
    /// Evidence was cited for it.
    #[serde(rename = "entry.cited")]
    Cited { citation: Citation },
    /// It was put away, whole.
    #[serde(rename = "entry.archived")]
    Archived { reason: String },
    /// It was taken back.
    #[serde(rename = "entry.retracted")]
    Retracted { reason: String },
    /// It came back from wherever it was.
    #[serde(rename = "entry.restored")]
    Restored {
        /// The status it returns to.
        status: Status,
        reason: String,
    },
    /// Another entry took its place.
    #[serde(rename = "entry.superseded")]
    Superseded {
        /// The entry that replaces it.
        by: EntryKey,
        reason: String,
    },
    /// It says what another entry says, which stands for both from now on (UPK-1).
    #[serde(rename = "entry.merged")]
    Merged(Merged),
    /// It is an entry of its own again, and nobody asks again whether the two are one.
    #[serde(rename = "entry.unmerged")]
    Unmerged {
        /// The entry that stood for both.
        from: EntryKey,
        reason: String,
    },
    /// Nobody needed it for long, or it misled too often (UPK-2).
    #[serde(rename = "entry.staled")]
    Staled { reason: String },
    /// The code it speaks of was found again, or looked at again (VAL-3).
    #[serde(rename = "entry.reanchored")]
    Reanchored {
        /// Each place as it was, with what takes its place.
        anchors: Vec<Reanchored>,
    },
    /// A verification step was run, and passed (VAL-4). No confirmation: nobody found it out anew.
    #[serde(rename = "entry.proved")]
    Proved {
        /// The steps that passed.
        steps: Vec<String>,
        /// A person looked at the steps and accepted them as a proof (COR-19).
        #[serde(default, skip_serializing_if = "is_false")]
        accepted: bool,
    },
    /// Somebody found the same again (REV-2, REV-3).
    #[serde(rename = "entry.confirmed")]
    Confirmed(Confirmed),
    /// It rose on the ladder of trust: used with success, or verified (IN-8).
    #[serde(rename = "entry.promoted")]
    Promoted {
        /// Where it stands now.
        status: Status,
        reason: String,
        /// The earlier events that this rests on, where it is verified (COR-19). Those of the same write come right before it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        rests_on: Vec<EventHash>,
    },
    /// Names the words that earlier confirmations, promotions, proofs and observations were about, where those do not say (COR-18).
    #[serde(rename = "entry.pinned")]
    Pinned { words: String },
    /// It reaches further than its thread (ENT-8).
    #[serde(rename = "entry.rescoped")]
    Rescoped {
        /// How far it reaches now.
        scope: Scope,
        reason: String,
    },
    /// Its bytes were taken out (STO-13).
    #[serde(rename = "entry.purged")]
    Purged {
        /// The events whose lines must not be kept.
        hashes: Vec<EventHash>,
        reason: String,
    },
}

/// The first statement of an entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Added {
    #[serde(rename = "type")]
    pub kind: TypeName,
    /// The id its caller gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<GivenId>,
    /// Its short citation, fixed now (STO-8).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// What it says, as canonical JSON: [`crate::fields::Fields`] reads it.
    pub fields: Value,
    /// The first citations.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "known_citations")]
    pub evidence: Vec<Citation>,
    /// Stages of the intake that did not run: a later version knows what it still has to look at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_run: Vec<String>,
    /// What the scanner said of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scan: Option<Scan>,
    /// What spoke for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub admission: Option<Admission>,
    /// When it was first said where it comes from, if that was elsewhere and earlier (DOO-6).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Millis>,
}

/// One entry stands for another. It is said of the one that is put away, and of these two texts only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Merged {
    /// The entry that stands for both.
    pub into: EntryKey,
    /// The hash of the words of that entry, as the writer saw it (COR-18). Belief is pooled while it has these words.
    pub into_words: String,
    /// How near the two are in meaning, in thousandths, where that was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity: Option<u32>,
    pub reason: String,
}

/// A place that changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reanchored {
    /// The place as it was written.
    pub from: String,
    /// The place as it is now, with what was seen there.
    pub to: Anchor,
}

/// What is kept of an entry that was kept out: enough to name it, nothing of what it said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rejected {
    #[serde(rename = "type")]
    pub kind: TypeName,
    /// Its short citation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// The hash of what it said, after redaction.
    pub hash: String,
    /// What the scanner said of it.
    pub scan: Scan,
    /// What spoke for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub admission: Option<Admission>,
    /// Why it was kept out.
    pub reason: String,
}

/// Somebody found the same again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Confirmed {
    /// Whether they had been told.
    pub kind: Confirmation,
    /// The run in which it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The agents that found it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// How it was found.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// When, where that was elsewhere and earlier (DOO-6).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Millis>,
    /// Why it does not count, of a primed one (COR-11).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncounted: Option<Uncounted>,
    /// The confirmation that it takes back instead of making one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdraws: Option<EventHash>,
}

/// The citations that this version can read. One of a kind that it does not know must not hide the whole entry (STO-10).
fn known_citations<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<Citation>, D::Error> {
    let all = Vec::<Value>::deserialize(from)?;
    Ok(all.into_iter().filter_map(|citation| serde_json::from_value(citation).ok()).collect())
}

/// A change of fields. Lists that are sets change by member, so that two branches can both add one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Revised {
    /// Fields with their new values; null takes one away.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub set: Map<String, Value>,
    /// Members that joined a set field.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub add: BTreeMap<String, Vec<String>>,
    /// Members that left one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub remove: BTreeMap<String, Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the scanner said of the new values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scan: Option<Scan>,
}

/// Ties between entries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", content = "data")]
pub enum LinkEvent {
    /// The entry relates to another.
    #[serde(rename = "link.linked")]
    Linked { relation: Relation, to: EntryKey },
    /// It no longer does.
    #[serde(rename = "link.unlinked")]
    Unlinked {
        /// How it did.
        relation: Relation,
        to: EntryKey,
    },
    /// It seems to say what another one says; somebody should look (IN-6).
    #[serde(rename = "link.proposed")]
    Proposed {
        to: EntryKey,
        /// How near in meaning, in thousandths.
        similarity: u32,
    },
    /// Somebody looked: it says something else than the other one, and nobody asks again (UPK-1).
    #[serde(rename = "link.dismissed")]
    Dismissed { to: EntryKey, reason: String },
}

/// What agents did and saw. These wait in the journal until they are flushed (STO-14).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", content = "data")]
pub enum RunEvent {
    /// An entry was put before somebody (REV-1).
    #[serde(rename = "run.exposed")]
    Exposed {
        /// The run, when there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run: Option<String>,
        /// The agent of that run; the actor where nobody says.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<String>,
        /// How it got there: `pulled`, `injected` or `upstream`.
        how: String,
        /// The entries, where one answer held several; else the event is about one.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        entries: Vec<EntryKey>,
        /// When each of them was shown, where this stands for several events of the journal.
        #[serde(rename = "at", default, skip_serializing_if = "Option::is_none")]
        times: Option<Times>,
        /// The running numbers of those events, which stay in the clone that wrote them.
        #[serde(default, skip_serializing_if = "Numbers::is_empty")]
        covers: Numbers,
    },
    /// The best answer to a question was too weak to be one: a prediction error of that entry (OUT-5).
    #[serde(rename = "run.missed")]
    Missed {
        /// The run, when there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run: Option<String>,
        /// What was asked.
        query: String,
        /// How near the entry came, in thousandths.
        similarity: u32,
    },
    /// Nothing relevant was found (SUR-6).
    #[serde(rename = "run.unanswered")]
    Unanswered {
        /// The run, when there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run: Option<String>,
        /// What was asked.
        query: String,
        /// The role that asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        role: Option<String>,
    },
    /// What was handed over exceeded its budget, since it was critical (SUR-3).
    #[serde(rename = "run.exceeded")]
    Exceeded {
        /// The run, when there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run: Option<String>,
        /// The budget, in tokens.
        budget: u32,
        /// What was handed over, in tokens.
        tokens: u32,
    },
    /// A run began (REV-1).
    #[serde(rename = "run.started")]
    Started(Box<Started>),
    /// An agent reported what it found.
    #[serde(rename = "run.reported")]
    Reported(Box<Reported>),
    /// A run ended.
    #[serde(rename = "run.finished")]
    Finished(Box<Finished>),
    /// The context of an agent was cleared or compacted: what may be injected is counted anew (REV-5). What it was shown, it was
    /// shown all the same.
    #[serde(rename = "run.cleared")]
    Cleared { run: String, agent: String },
    /// A service that keeps the store in order ran, proposed what it may not do by itself, or was refused (UPK-6).
    #[serde(rename = "run.serviced")]
    Serviced(Box<Serviced>),
}

/// What became of a service, and what it cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Serviced {
    pub service: String,
    pub outcome: ServicedOutcome,
    /// How many changes it made or proposes.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub changes: u32,
    /// Why it was refused, or what was left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What was asked of a judge for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<Judged>,
}

/// Whether a service did what it found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ServicedOutcome {
    /// It did.
    Ran,
    /// The policy leaves it to a person.
    Proposed,
    /// A budget or a cap is used up.
    Refused,
    /// What it did was taken back.
    Undone,
}

impl ServicedOutcome {
    pub fn word(self) -> &'static str {
        match self {
            ServicedOutcome::Ran => "ran",
            ServicedOutcome::Proposed => "proposed",
            ServicedOutcome::Refused => "refused",
            ServicedOutcome::Undone => "undone",
        }
    }
}

/// What a judge was asked, and what that cost.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Judged {
    /// The protocol, the model and the place.
    pub judge: String,
    pub calls: u32,
    /// Tokens that it read and wrote.
    pub tokens_read: u64,
    pub tokens_written: u64,
    /// In millionths of the currency of the prices that are set.
    #[serde(default)]
    pub cost_micros: u64,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// How an entry did when it was used. No event carries a total (BEL-2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", content = "data")]
pub enum BeliefEvent {
    /// A run that used it ended, or somebody said how it did.
    #[serde(rename = "belief.observed")]
    Observed {
        /// The run or the word of feedback: there is one observation of an entry for each.
        source: String,
        /// What it speaks for.
        side: Side,
        /// How much, in thousandths.
        weight: u32,
        reason: String,
        /// When, if that was elsewhere and earlier (COR-1).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Millis>,
        /// The hook of a session that knows the secret given at its start saw the outcome (COR-19).
        #[serde(default, skip_serializing_if = "is_false")]
        witnessed: bool,
    },
    /// BEL-7: a person wiped the slate.
    #[serde(rename = "belief.reset")]
    Reset { reason: String },
    /// BEL-8: its thread was put away, so that what is known of it counts for less.
    #[serde(rename = "belief.widened")]
    Widened { thread: String },
}

/// How knowledge gains authority (GAT-2): somebody proposes, a named person answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", content = "data")]
pub enum PromotionEvent {
    /// Somebody asks for it, and says from what, with which evidence and why.
    #[serde(rename = "promotion.proposed")]
    Proposed(Box<Proposed>),
    /// A person agreed: what the event is about counts.
    #[serde(rename = "promotion.approved")]
    Approved(Box<Approved>),
    /// A person did not.
    #[serde(rename = "promotion.rejected")]
    Rejected { promotion: String, reason: String },
}

/// What people vouch for at a gate (GAT-3).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", content = "data")]
pub enum GateEvent {
    /// A person says of a change that it keeps to a norm that no machine can check.
    #[serde(rename = "gate.attested")]
    Attested {
        /// Names the change by what it does, whatever its commits are called.
        change: String,
        /// What they have to say about it.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        note: String,
        /// Their signature, where approvals are signed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
    },
}

/// Files of other systems that the store is kept in step with (DOO-6).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", content = "data")]
pub enum DocumentEvent {
    /// The store and a file say the same, and this is how the file says it.
    #[serde(rename = "document.kept")]
    Kept(Box<Kept>),
    /// The file is as it was, and says what its entries say now: what changed of them since, it has no words for.
    #[serde(rename = "document.seen")]
    Seen(Box<Seen>),
    /// The file is gone, or is no longer followed.
    #[serde(rename = "document.left")]
    Left { document: DocumentName, reason: String },
}

impl RunEvent {
    /// Entries were put before somebody just now.
    pub fn exposed(
        run: Option<String>,
        agent: Option<String>,
        how: &str,
        entries: Vec<EntryKey>,
    ) -> RunEvent {
        let (how, times, covers) = (how.to_owned(), None, Numbers::default());
        RunEvent::Exposed { run, agent, how, entries, times, covers }
    }

    /// The run that it is about, where there is one.
    pub fn run(&self) -> Option<&str> {
        match self {
            RunEvent::Exposed { run, .. }
            | RunEvent::Missed { run, .. }
            | RunEvent::Unanswered { run, .. }
            | RunEvent::Exceeded { run, .. } => run.as_deref(),
            RunEvent::Started(started) => Some(&started.run),
            RunEvent::Reported(reported) => Some(&reported.run),
            RunEvent::Finished(finished) => Some(&finished.run),
            RunEvent::Cleared { run, .. } => Some(run),
            RunEvent::Serviced(_) => None,
        }
    }
}

impl DocumentEvent {
    /// The file that it is about.
    pub fn document(&self) -> &DocumentName {
        match self {
            DocumentEvent::Kept(kept) => &kept.document,
            DocumentEvent::Seen(seen) => &seen.document,
            DocumentEvent::Left { document, .. } => document,
        }
    }
}

/// What a store is told to do differently, for everybody who uses it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", content = "data")]
pub enum SettingEvent {
    /// A setting has a new value.
    #[serde(rename = "setting.changed")]
    Changed {
        name: String,
        /// Its value; null is the default.
        value: Value,
    },
}

fn is_false(truth: &bool) -> bool {
    !*truth
}

impl Body {
    /// Its family and name: `entry.added`.
    pub fn type_name(&self) -> &'static str {
        match self {
            Body::Entry(EntryEvent::Added(_)) => "entry.added",
            Body::Entry(EntryEvent::Rejected(_)) => "entry.rejected",
            Body::Entry(EntryEvent::Released { .. }) => "entry.released",
            Body::Entry(EntryEvent::Reinforced { .. }) => "entry.reinforced",
            Body::Entry(EntryEvent::Revised(_)) => "entry.revised",
            Body::Entry(EntryEvent::Cited { .. }) => "entry.cited",
            Body::Entry(EntryEvent::Archived { .. }) => "entry.archived",
            Body::Entry(EntryEvent::Retracted { .. }) => "entry.retracted",
            Body::Entry(EntryEvent::Restored { .. }) => "entry.restored",
            Body::Entry(EntryEvent::Superseded { .. }) => "entry.superseded",
            Body::Entry(EntryEvent::Merged(_)) => "entry.merged",
            Body::Entry(EntryEvent::Unmerged { .. }) => "entry.unmerged",
            Body::Entry(EntryEvent::Staled { .. }) => "entry.staled",
            Body::Entry(EntryEvent::Reanchored { .. }) => "entry.reanchored",
            Body::Entry(EntryEvent::Proved { .. }) => "entry.proved",
            Body::Entry(EntryEvent::Confirmed(_)) => "entry.confirmed",
            Body::Entry(EntryEvent::Promoted { .. }) => "entry.promoted",
            Body::Entry(EntryEvent::Pinned { .. }) => "entry.pinned",
            Body::Entry(EntryEvent::Rescoped { .. }) => "entry.rescoped",
            Body::Entry(EntryEvent::Purged { .. }) => "entry.purged",
            Body::Link(LinkEvent::Linked { .. }) => "link.linked",
            Body::Link(LinkEvent::Unlinked { .. }) => "link.unlinked",
            Body::Link(LinkEvent::Proposed { .. }) => "link.proposed",
            Body::Link(LinkEvent::Dismissed { .. }) => "link.dismissed",
            Body::Run(RunEvent::Exposed { .. }) => "run.exposed",
            Body::Run(RunEvent::Missed { .. }) => "run.missed",
            Body::Run(RunEvent::Unanswered { .. }) => "run.unanswered",
            Body::Run(RunEvent::Exceeded { .. }) => "run.exceeded",
            Body::Run(RunEvent::Started(_)) => "run.started",
            Body::Run(RunEvent::Reported(_)) => "run.reported",
            Body::Run(RunEvent::Finished(_)) => "run.finished",
            Body::Run(RunEvent::Cleared { .. }) => "run.cleared",
            Body::Run(RunEvent::Serviced(_)) => "run.serviced",
            Body::Belief(BeliefEvent::Observed { .. }) => "belief.observed",
            Body::Belief(BeliefEvent::Reset { .. }) => "belief.reset",
            Body::Belief(BeliefEvent::Widened { .. }) => "belief.widened",
            Body::Setting(SettingEvent::Changed { .. }) => "setting.changed",
            Body::Promotion(PromotionEvent::Proposed(_)) => "promotion.proposed",
            Body::Promotion(PromotionEvent::Approved(_)) => "promotion.approved",
            Body::Promotion(PromotionEvent::Rejected { .. }) => "promotion.rejected",
            Body::Gate(GateEvent::Attested { .. }) => "gate.attested",
            Body::Document(DocumentEvent::Kept(_)) => "document.kept",
            Body::Document(DocumentEvent::Seen(_)) => "document.seen",
            Body::Document(DocumentEvent::Left { .. }) => "document.left",
            Body::Forage(ForageEvent::Requested(_)) => "forage.requested",
            Body::Forage(ForageEvent::Completed(_)) => "forage.completed",
            Body::Forage(ForageEvent::Strategy { .. }) => "forage.strategy",
            Body::Forage(ForageEvent::Override { .. }) => "forage.override",
        }
    }

    /// The promotion that it tells about.
    pub fn promotion(&self) -> Option<&str> {
        match self {
            Body::Promotion(PromotionEvent::Proposed(proposed)) => Some(&proposed.promotion),
            Body::Promotion(PromotionEvent::Approved(approved)) => Some(&approved.promotion),
            Body::Promotion(PromotionEvent::Rejected { promotion, .. }) => Some(promotion),
            Body::Run(_)
            | Body::Entry(_)
            | Body::Link(_)
            | Body::Belief(_)
            | Body::Setting(_)
            | Body::Gate(_)
            | Body::Document(_)
            | Body::Forage(_) => None,
        }
    }

    /// The run that it tells about, where it is about one as a whole.
    pub fn run(&self) -> Option<&str> {
        match self {
            Body::Run(RunEvent::Started(started)) => Some(&started.run),
            Body::Run(RunEvent::Reported(reported)) => Some(&reported.run),
            Body::Run(RunEvent::Finished(finished)) => Some(&finished.run),
            Body::Run(RunEvent::Cleared { run, .. }) => Some(run),
            Body::Run(_)
            | Body::Entry(_)
            | Body::Link(_)
            | Body::Belief(_)
            | Body::Setting(_)
            | Body::Promotion(_)
            | Body::Gate(_)
            | Body::Document(_)
            | Body::Forage(_) => None,
        }
    }

    /// Whether it waits in the journal until it is flushed (STO-14): what follows from using knowledge does not dirty the tree.
    pub fn is_deferred(&self) -> bool {
        match self {
            Body::Entry(EntryEvent::Promoted { .. }) => true,
            // Who repeats what they were told uses it.
            Body::Entry(EntryEvent::Confirmed(confirmed)) => confirmed.kind == Confirmation::Primed,
            Body::Entry(_)
            | Body::Link(_)
            | Body::Setting(_)
            | Body::Promotion(_)
            | Body::Gate(_)
            | Body::Document(_)
            | Body::Forage(ForageEvent::Override { .. }) => false,
            Body::Belief(BeliefEvent::Reset { .. } | BeliefEvent::Widened { .. }) => false,
            Body::Belief(BeliefEvent::Observed { .. }) | Body::Run(_) | Body::Forage(_) => true,
        }
    }

    fn read(type_name: &str, data: &RawValue) -> Option<Body> {
        #[derive(Serialize)]
        struct Tagged<'a> {
            #[serde(rename = "type")]
            type_name: &'a str,
            data: &'a RawValue,
        }
        fn family<T: for<'a> Deserialize<'a>>(tagged: &Tagged<'_>) -> Option<T> {
            serde_json::from_str(&serde_json::to_string(tagged).ok()?).ok()
        }
        fn straight<T: for<'a> Deserialize<'a>>(
            data: &RawValue,
            body: impl FnOnce(T) -> Body,
        ) -> Option<Body> {
            serde_json::from_str(data.get()).ok().map(body)
        }
        // The commonest are read straight, without a second pass over their text.
        match type_name {
            "entry.added" => return straight(data, |added| Body::Entry(EntryEvent::Added(added))),
            "entry.cited" => {
                #[derive(Deserialize)]
                struct Cited {
                    citation: Citation,
                }
                let body = |Cited { citation }| Body::Entry(EntryEvent::Cited { citation });
                return straight(data, body);
            }
            "entry.reanchored" => {
                #[derive(Deserialize)]
                struct Moved {
                    anchors: Vec<Reanchored>,
                }
                return straight(data, |Moved { anchors }| Body::Entry(EntryEvent::Reanchored { anchors }));
            }
            "run.started" => return straight(data, |started| Body::Run(RunEvent::Started(started))),
            "run.finished" => return straight(data, |finished| Body::Run(RunEvent::Finished(finished))),
            "run.exposed" => {
                #[derive(Deserialize)]
                struct Exposed {
                    run: Option<String>,
                    agent: Option<String>,
                    how: String,
                    #[serde(default)]
                    entries: Vec<EntryKey>,
                    #[serde(rename = "at")]
                    times: Option<Times>,
                    #[serde(default)]
                    covers: Numbers,
                }
                return straight(data, |exposed: Exposed| {
                    let Exposed { run, agent, how, entries, times, covers } = exposed;
                    Body::Run(RunEvent::Exposed { run, agent, how, entries, times, covers })
                });
            }
            _ => {}
        }
        let tagged = Tagged { type_name, data };
        match type_name.split_once('.')?.0 {
            "entry" => family(&tagged).map(Body::Entry),
            "link" => family(&tagged).map(Body::Link),
            "run" => family(&tagged).map(Body::Run),
            "belief" => family(&tagged).map(Body::Belief),
            "setting" => family(&tagged).map(Body::Setting),
            "promotion" => family(&tagged).map(Body::Promotion),
            "gate" => family(&tagged).map(Body::Gate),
            "document" => family(&tagged).map(Body::Document),
            "forage" => family(&tagged).map(Body::Forage),
            _ => None,
        }
    }

    /// What an event of some name says, from its data; none where this version does not know it.
    pub fn from_data(type_name: &str, data: &Value) -> Option<Body> {
        let raw = RawValue::from_string(data.to_string()).ok()?;
        Body::read(type_name, &raw)
    }

    /// The event's data as a JSON value.
    pub fn data(&self) -> Value {
        let tagged = match self {
            Body::Entry(event) => serde_json::to_value(event),
            Body::Link(event) => serde_json::to_value(event),
            Body::Run(event) => serde_json::to_value(event),
            Body::Belief(event) => serde_json::to_value(event),
            Body::Setting(event) => serde_json::to_value(event),
            Body::Promotion(event) => serde_json::to_value(event),
            Body::Gate(event) => serde_json::to_value(event),
            Body::Document(event) => serde_json::to_value(event),
            Body::Forage(event) => serde_json::to_value(event),
        };
        match tagged.expect("events have string keys") {
            Value::Object(mut map) => map.remove("data").unwrap_or(Value::Null),
            _ => Value::Null,
        }
    }
}

/// Something that is about to be said: everything of an event but what the ledger gives it.
#[derive(Clone, Debug, PartialEq)]
pub struct Intent {
    /// The entry it is about.
    pub entry: Option<EntryKey>,
    pub body: Body,
}

/// What the ledger adds to an intent when it seals it.
#[derive(Clone, Debug)]
pub struct Seal {
    pub replica: ReplicaId,
    /// The writer's running number.
    pub seq: u64,
    /// The writer's newest events where this is written.
    pub parents: Vec<EventHash>,
    pub clock: Clock,
    /// On whose behalf.
    pub actor: String,
    /// What the writer saw of the entry.
    pub basis: Basis,
}

/// What the writer of an event saw of the entry that it is about (COR-18).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Basis {
    /// The statement that it had.
    pub upon: Option<EventHash>,
    /// The hash of its words; see [`crate::entry::words`]. Only what earns or costs trust names them.
    pub words: Option<String>,
}

/// An event as the ledger holds it. Its line is kept to the byte, so that nothing unknown is ever lost.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its content hash.
    pub hash: EventHash,
    /// Who wrote it.
    pub replica: ReplicaId,
    /// The writer's running number.
    pub seq: u64,
    /// The writer's newest events where it was written.
    pub parents: Vec<EventHash>,
    pub clock: Clock,
    /// On whose behalf.
    pub actor: String,
    /// The entry it is about.
    pub entry: Option<EntryKey>,
    /// The statement of that entry that its writer saw.
    pub upon: Option<EventHash>,
    /// The hash of the words that it is about, where it earns or costs trust.
    pub words: Option<String>,
    /// Its family and name.
    pub type_name: String,
    /// What happened, if this version knows the event.
    pub body: Option<Body>,
    line: String,
    key_check: Option<KeyCheck>,
}

/// Why a line of a ledger is not an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineFault {
    /// Not JSON, or only the beginning of some.
    NotJson(String),
    /// JSON without the envelope of an event.
    NotAnEvent(String),
    /// Its content is not what its hash says.
    HashMismatch {
        /// What the line states.
        stated: String,
        /// What its content gives.
        actual: EventHash,
    },
    /// Longer than a line may be.
    TooLong(usize),
}

impl std::fmt::Display for LineFault {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LineFault::NotJson(why) => write!(out, "is not JSON ({why})"),
            LineFault::NotAnEvent(why) => write!(out, "is not an event ({why})"),
            LineFault::HashMismatch { stated, actual } => {
                write!(out, "was changed after it was written: its hash says {stated}, its content {actual}")
            }
            LineFault::TooLong(bytes) => write!(out, "has {bytes} bytes; at most {LINE_BYTES_MAX} are read"),
        }
    }
}

/// What a parser says of one line of a file, where "line 1" would mislead.
pub fn in_line(error: &serde_json::Error) -> String {
    let what = error.to_string();
    let what = what.split(" at line ").next().unwrap_or(&what);
    format!("{what}, column {}", error.column())
}

/// What is left of a purged event: its place in its writer's history and nothing of its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stub {
    /// The hash of the purged event.
    pub hash: EventHash,
    /// Its parents, so that the history stays whole.
    #[serde(default)]
    pub parents: Vec<EventHash>,
    /// Marks the line as a stub.
    pub purged: bool,
    /// Who wrote it.
    pub replica: ReplicaId,
    /// The writer's running number.
    pub seq: u64,
}

/// One line of a ledger, read.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    Event(Box<Event>),
    /// What a purge left.
    Stub(Stub),
}

impl Event {
    /// Seals an intent: gives it its place in the writer's history and its name.
    pub fn seal(intent: &Intent, seal: Seal) -> Event {
        // Written piece by piece in the order of the keys, since the hash is one more key among them.
        let entry = intent.entry.map(|entry| format!(",\"entry\":\"{entry}\"")).unwrap_or_default();
        let head = format!(
            "{{\"actor\":{},\"clock\":\"{}\",\"data\":{}{entry}",
            canonical::to_string(&seal.actor),
            seal.clock,
            canonical::value_to_string(&intent.body.data()),
        );
        let parents: Vec<String> = seal.parents.iter().map(|parent| format!("\"{parent}\"")).collect();
        let parents =
            if parents.is_empty() { String::new() } else { format!(",\"parents\":[{}]", parents.join(",")) };
        let upon = seal.basis.upon.map(|upon| format!(",\"upon\":\"{upon}\"")).unwrap_or_default();
        let words = seal.basis.words.as_ref();
        let words =
            words.map(|words| format!(",\"words\":{}", canonical::to_string(words))).unwrap_or_default();
        let tail = format!(
            "{parents},\"replica\":\"{}\",\"seq\":{},\"type\":\"{}\"{upon},\"v\":{ENVELOPE_VERSION}{words}}}",
            seal.replica,
            seal.seq,
            intent.body.type_name(),
        );
        let hash = EventHash::from_parts(&[head.as_bytes(), tail.as_bytes()]);
        Event {
            hash,
            replica: seal.replica,
            seq: seal.seq,
            parents: seal.parents,
            clock: seal.clock,
            actor: seal.actor,
            entry: intent.entry,
            upon: seal.basis.upon,
            words: seal.basis.words,
            type_name: intent.body.type_name().to_owned(),
            body: Some(intent.body.clone()),
            line: format!("{head},\"hash\":\"{hash}\"{tail}"),
            key_check: key_check(Some(&intent.body), intent.entry),
        }
    }

    /// Its canonical line, without the line break.
    pub fn line(&self) -> &str {
        &self.line
    }

    /// Whether it is about the entry whose key it names (COR-18); none where it is no `entry.added`.
    pub fn key_check(&self) -> Option<KeyCheck> {
        self.key_check
    }

    /// Its data, whatever the version that wrote it.
    pub fn data(&self) -> Value {
        let value: Value = serde_json::from_str(&self.line).unwrap_or_default();
        value.get("data").cloned().unwrap_or_default()
    }

    /// FED-2: the order in which events apply: by clock, then replica, then hash.
    pub fn order(&self) -> (Clock, ReplicaId, EventHash) {
        (self.clock, self.replica, self.hash)
    }

    /// Whether it waits in the journal until it is flushed (STO-14). Unknown families of the future come from files and stay there.
    pub fn is_deferred(&self) -> bool {
        self.body.as_ref().is_some_and(Body::is_deferred)
    }

    /// Whether it records what was seen or noticed, and not what somebody decided: there is nothing in it to undo.
    pub fn is_record(&self) -> bool {
        let is_noticed =
            matches!(self.body, Some(Body::Link(LinkEvent::Proposed { .. }) | Body::Document(_)));
        (self.is_deferred() && !self.is_feedback() && !self.is_only_noted()) || is_noticed
    }

    /// Whether somebody confirmed an entry, and it does not count: a command of its own that changed nothing.
    pub fn is_only_noted(&self) -> bool {
        matches!(
            &self.body,
            Some(Body::Entry(EntryEvent::Confirmed(confirmed)))
                if confirmed.kind == Confirmation::Primed && confirmed.uncounted.is_some()
        )
    }

    /// Whether somebody said that an entry helped, or that it did not.
    pub fn is_feedback(&self) -> bool {
        matches!(&self.body, Some(Body::Belief(BeliefEvent::Observed { source, .. })) if source.starts_with(FEEDBACK))
    }

    /// What a purge leaves of it.
    pub fn stub(&self) -> Stub {
        Stub {
            hash: self.hash,
            parents: self.parents.clone(),
            purged: true,
            replica: self.replica,
            seq: self.seq,
        }
    }
}

impl Stub {
    /// Its canonical line, without the line break.
    pub fn line(&self) -> String {
        canonical::to_string(self)
    }
}

/// The members of a line, each as it is written.
struct Members<'a>(BTreeMap<std::borrow::Cow<'a, str>, &'a RawValue>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Members<'de>;

            fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = BTreeMap::new();
                while let Some((name, value)) = map.next_entry::<std::borrow::Cow<'de, str>, &RawValue>()? {
                    // Only one of the two would be covered by the hash: the other could say anything.
                    if members.insert(name.clone(), value).is_some() {
                        return Err(serde::de::Error::custom(format!("`{name}` occurs twice")));
                    }
                }
                Ok(Members(members))
            }
        }
        from.deserialize_map(Visitor)
    }
}

/// Reads one line of a ledger and checks that its content is what its hash says.
pub fn read_line(line: &str) -> Result<Line, LineFault> {
    if line.len() > LINE_BYTES_MAX {
        return Err(LineFault::TooLong(line.len()));
    }
    let Members(parts) = serde_json::from_str(line).map_err(|error| match error.classify() {
        Category::Data => LineFault::NotAnEvent(error.to_string()),
        Category::Syntax | Category::Eof | Category::Io => LineFault::NotJson(in_line(&error)),
    })?;
    if parts.get("purged").is_some_and(|purged| purged.get() == "true") {
        return serde_json::from_str(line)
            .map(Line::Stub)
            .map_err(|error| LineFault::NotAnEvent(error.to_string()));
    }
    fn part<'a, T: Deserialize<'a>>(
        parts: &BTreeMap<std::borrow::Cow<'_, str>, &'a RawValue>,
        name: &str,
    ) -> Result<T, LineFault> {
        let raw = parts.get(name).ok_or_else(|| LineFault::NotAnEvent(format!("no `{name}`")))?;
        serde_json::from_str(raw.get()).map_err(|error| LineFault::NotAnEvent(format!("`{name}`: {error}")))
    }
    let stated: std::borrow::Cow<'_, str> = part(&parts, "hash")?;
    let actual = hash_of(&parts);
    if actual.to_string() != stated {
        return Err(LineFault::HashMismatch { stated: stated.into_owned(), actual });
    }
    let type_name: String = part(&parts, "type")?;
    let data = *parts.get("data").ok_or_else(|| LineFault::NotAnEvent("no `data`".to_owned()))?;
    let body = Body::read(&type_name, data);
    let entry = if parts.contains_key("entry") { Some(part(&parts, "entry")?) } else { None };
    let event = Event {
        key_check: key_check(body.as_ref(), entry),
        hash: actual,
        replica: part(&parts, "replica")?,
        seq: part(&parts, "seq")?,
        parents: if parts.contains_key("parents") { part(&parts, "parents")? } else { Vec::new() },
        clock: part(&parts, "clock")?,
        actor: part(&parts, "actor")?,
        entry,
        upon: parts.get("upon").and_then(|raw| serde_json::from_str(raw.get()).ok()),
        // Words that cannot be read are no words that anything has.
        words: parts
            .get("words")
            .map(|raw| serde_json::from_str(raw.get()).unwrap_or_else(|_| raw.get().to_owned())),
        body,
        type_name,
        line: line.to_owned(),
    };
    Ok(Line::Event(Box::new(event)))
}

fn key_check(body: Option<&Body>, entry: Option<EntryKey>) -> Option<KeyCheck> {
    match body {
        Some(Body::Entry(EntryEvent::Added(added))) => Some(KeyCheck::new(added, entry)),
        _ => None,
    }
}

/// The hash over the canonical event without hash and signature, from the raw parts of its line.
fn hash_of(parts: &BTreeMap<std::borrow::Cow<'_, str>, &RawValue>) -> EventHash {
    let kept = parts.iter().filter(|(name, _)| *name != "hash" && *name != "sig");
    let names: Vec<(String, &[u8])> = kept
        .enumerate()
        .map(|(at, (name, value))| {
            let before = if at == 0 { "{" } else { "," };
            let name = if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
                format!("{before}\"{name}\":")
            } else {
                format!("{before}{}:", canonical::to_string(name))
            };
            (name, value.get().as_bytes())
        })
        .collect();
    let mut pieces: Vec<&[u8]> = names.iter().flat_map(|(name, value)| [name.as_bytes(), *value]).collect();
    pieces.push(if names.is_empty() { b"{}" } else { b"}" });
    EventHash::from_parts(&pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event() -> Event {
        let intent = Intent {
            entry: Some(EntryKey([7; 8])),
            body: Body::Entry(EntryEvent::Archived { reason: "old \"hash\":\"x\"".into() }),
        };
        let seal = Seal {
            replica: ReplicaId([1; 6]),
            seq: 3,
            parents: vec![EventHash([2; 20])],
            clock: Clock::at(Millis(1_700_000_000_000)),
            actor: "human:Ada".into(),
            basis: Basis { upon: Some(EventHash([9; 20])), words: Some("0a".into()) },
        };
        Event::seal(&intent, seal)
    }

    #[test]
    fn a_sealed_event_reads_back_the_same() {
        let event = event();
        assert_eq!(read_line(event.line()), Ok(Line::Event(Box::new(event.clone()))));
        let value: Value = serde_json::from_str(event.line()).unwrap();
        assert_eq!(canonical::value_to_string(&value), event.line());
    }

    // STO-4: a line whose hash does not match is an error and is not applied.
    #[test]
    fn any_changed_byte_is_noticed() {
        let line = event().line().to_owned();
        for at in 0..line.len() {
            let mut bytes = line.clone().into_bytes();
            bytes[at] = if bytes[at] == b'x' { b'y' } else { b'x' };
            let Ok(changed) = String::from_utf8(bytes) else { continue };
            assert!(read_line(&changed).is_err(), "byte {at}: {changed}");
        }
    }

    // A changed line must not pass because the part that was changed is one that nobody looks at.
    #[test]
    fn bytes_that_no_hash_covers_are_refused() {
        let line = event().line().to_owned();
        let twice = line.replacen('{', r#"{"data":{"anything":"goes"},"#, 1);
        assert!(
            matches!(read_line(&twice), Err(LineFault::NotAnEvent(why)) if why.contains("`data` occurs twice"))
        );
        let stub = event().stub().line().replace("true", "false");
        assert!(matches!(read_line(&stub), Err(LineFault::HashMismatch { .. } | LineFault::NotAnEvent(_))));
    }

    #[test]
    fn a_signature_is_not_part_of_the_hash() {
        let line = event().line().replace(r#","type":"#, r#","sig":"abc","type":"#);
        assert!(matches!(read_line(&line), Ok(Line::Event(_))));
    }

    // Invariant 13: an event of the future is kept as it is.
    #[test]
    fn an_unknown_event_survives() {
        let body = r#"{"actor":"a","clock":"2026-11-15T02:04:26.123Z-0000","data":{"deep":[1,{"z":1}]},"replica":"010101010101","seq":1,"type":"dream.dreamt","v":9,"weight":1.50}"#;
        let hash = EventHash::from_parts(&[body.as_bytes()]);
        let line = body.replace(r#""replica""#, &format!(r#""hash":"{hash}","replica""#));
        let Ok(Line::Event(read)) = read_line(&line) else { panic!("not read: {:?}", read_line(&line)) };
        assert_eq!(
            (read.line(), read.body.as_ref(), read.type_name.as_str()),
            (line.as_str(), None, "dream.dreamt")
        );
    }
}
