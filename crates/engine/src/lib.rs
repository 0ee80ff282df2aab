//! The engine of Kenning: one operation per verb, over ports that the edges of the system implement.
//!
//! Every door (command line, library, servers to come) calls these and nothing else, so every door gives the same answer.

pub mod budget;
pub mod caller;
pub mod conditions;
pub mod cores;
pub mod deliver;
pub mod error;
pub mod exposure;
pub mod flow;
pub mod glance;
pub mod intake;
pub mod judge;
pub mod judgements;
mod limits;
pub mod log;
pub mod memory;
pub mod norms;
mod opposed;
pub mod ops;
pub mod ports;
pub mod project;
pub mod query;
pub mod redacted;
pub mod replays;
mod scanned;
pub mod standing;
pub mod state;
pub mod text;
pub mod together;
pub mod tokens;
pub mod upkeep;
pub mod validity;
pub mod view;

pub use caller::{Attendance, Caller, Channel, Confirmed, Origin, Person};
pub use deliver::Tier;
pub use error::{Error, Failure, Part, Result};
pub use exposure::{Exposures, Reader};
pub use glance::Glance;
pub use judge::Judge;
pub use judgements::Judgements;
pub use ken_recall::Calibration;
pub use log::{
    AppendError, Appended, Arrival, Arrived, Batch, Bytes, Conflict, Cursor, EventLog, Floors, LogEnd,
    LoggedBatch, ReadSet, Reading, Received, Sealer, Tail, Topic, Version,
};
pub use ports::{
    Asked, Brief, Checkout, DocumentLine, Documents, Effort, Embedder, Ground, Hit, Injected, Ledger,
    LedgerLine, ModelCard, Overlays, Placed, Presence, Promotions, Quarantine, Questions, Recall, Relevant,
    Repository, Runs, Stored, Uncaptured, Use, Writer, in_one_read,
};
pub use project::{
    Access, Between, Care, Counts, Embedding, Erasure, Finding, IndexPageMoment, LedgerAt, Mirrored, Mirrors,
    Past, Problem, ProblemKind, ProjectStore, Recorder, Recovered, Report, SetUp, SetUpReport,
};
pub use query::{Overlaid, Page, Query, Sort, Threads};
pub use redacted::Redacted;
pub use standing::AuthorRecord;
pub use state::{CloneState, MemoryState, Named, Record, RecordForm, RecordKind, RecordScope};
pub use tokens::{RuleOfThumb, Tokens};
pub use upkeep::{Delivered, Episode, Tended, Upkeep};
pub use validity::{Subject, Validity};
