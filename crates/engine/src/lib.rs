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
pub mod open_store;
mod opposed;
pub mod ops;
pub mod ports;
pub mod projection;
pub mod query;
pub mod reach;
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
    LoggedBatch, ReadSet, Received, Sealer, Tail, Topic, Version,
};
pub use open_store::{
    Access, Between, Care, Embedding, Erasure, Finding, GitHistory, History, IndexPageMoment, LedgerAt,
    Mirrored, OpenStore, Problem, ProblemKind, Recorder, Recovered, Report, SetUp, SetUpReport,
};
pub use ports::{
    Asked, Brief, Checkout, DocumentLine, Effort, Embedder, Ground, Hit, Injected, Ledger, LedgerLine,
    ModelCard, Placed, Presence, Questions, Relevant, Repository, Stored, Uncaptured, Use, Writer,
    read_mending,
};
pub use projection::{
    Counts, Deliveries, Documents, Entries, Links, Projection, Runs, Search, Settings, Upkeep, in_one_read,
};
pub use query::{Overlaid, Page, Query, Sort, Threads};
pub use reach::Reach;
pub use redacted::Redacted;
pub use standing::AuthorRecord;
pub use state::{CloneState, MemoryState, Named, Record, RecordForm, RecordKind, RecordScope};
pub use tokens::{RuleOfThumb, Tokens};
pub use upkeep::{Delivered, Episode, Tended};
pub use validity::{Subject, Validity};
