//! The pure domain of Kenning: events, how they fold into entries, and what may be said about them.
//!
//! Nothing here reads a file, a clock or a die. Time, neighbours and facts about the repository arrive as arguments, so that replaying,
//! merging and importing are the same function applied to the same set.

pub mod action;
pub mod admission;
pub mod anchor;
pub mod answer;
pub mod belief;
pub mod calibration;
pub mod canonical;
pub mod clock;
pub mod cluster;
pub mod condition;
pub mod contradiction;
pub mod decide;
pub mod document;
pub mod drift;
pub mod entry;
pub mod event;
pub mod evidence;
pub mod exposed;
pub mod fields;
pub mod finding;
pub mod flow;
pub mod forage;
pub mod friction;
pub mod gate;
pub mod head;
pub mod ids;
pub mod judged;
pub mod kinds;
pub mod lifecycle;
pub mod limits;
pub mod merge;
pub mod norm;
pub mod opposition;
pub mod overlay;
pub mod patch;
pub mod paths;
pub mod place;
pub mod plain_schema;
pub mod promotion;
pub mod refusal;
pub mod reviewers;
pub mod run;
pub mod schema;
#[cfg(feature = "schema")]
mod schema_of;
pub mod score;
pub mod signal;
pub mod similar;
pub mod step;
pub mod together;
pub mod trust;
pub mod validity;
pub mod weights;
pub mod words;

pub use anchor::{Captured, PlaceVerdict, Spot, Verdict};
pub use clock::{Clock, Millis};
pub use document::{DocumentName, Kept, KeptPart};
pub use entry::{Entry, Gap, Link};
pub use event::{
    BeliefEvent, Body, DocumentEvent, EntryEvent, Event, GateEvent, Intent, LinkEvent, PromotionEvent,
    RunEvent, Serviced, ServicedOutcome, SettingEvent,
};
pub use fields::{Anchor, Citation, Fields, Tag};
pub use forage::ForageEvent;
pub use head::EntryHead;
pub use ids::{EntryKey, EventHash, GivenId, ReplicaId};
pub use judged::{Scan, Tier};
pub use kinds::{Confirmation, EvidenceType, Memory, Relation, Scope, Status, Type, TypeName, Uncounted};
pub use overlay::{Overlay, OverlayChange, OverlayEvent};
pub use refusal::{Code, Fault, Refusal};
