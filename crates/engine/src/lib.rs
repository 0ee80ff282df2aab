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
pub mod git_history;
pub mod glance;
mod guarded;
pub mod intake;
pub mod judge;
pub mod judgements;
pub mod ledger;
pub mod limits;
pub mod listing;
pub mod log;
pub mod memory;
pub mod norms;
mod opposed;
pub mod ops;
pub mod overlays;
pub mod ports;
pub mod projection;
pub mod query;
pub mod reach;
pub mod recorder;
pub mod redacted;
pub mod replays;
mod scanned;
pub mod snapshot;
pub mod standing;
pub mod state;
pub mod text;
pub mod together;
pub mod tokens;
pub mod upkeep;
pub mod validity;
pub mod view;
pub mod wrong_clock;

pub use caller::{Attendance, Caller, Channel, Confirmed, Origin, Person};
pub use deliver::Tier;
pub use error::{Error, Failure, Part, Result};
pub use exposure::Reader;
pub use git_history::{
    BRANCH, Between, GitHistory, IndexPageMoment, LedgerAt, Mirrored, Problem, ProblemKind, Recovered,
};
pub use glance::Glance;
pub use judge::Judge;
pub use judgements::{JudgementStore, Judgements};
pub use ken_recall::Calibration;
pub use ledger::{Embedded, Ledger, read_mending};
pub use listing::Listing;
pub use log::{
    AppendError, Appended, Arrival, Batch, Bytes, Conflict, Cursor, EventLog, Floors, LogEnd, LoggedBatch,
    ReadSet, Received, Sealer, Tail, Topic, Version,
};
pub use overlays::Overlays;
pub use ports::{
    Asked, Brief, Checkout, CodeTree, DocumentLine, Effort, Embedder, Hit, Injected, LedgerLine, ModelCard,
    Placed, Presence, Questions, Relevant, Repository, Stored, Uncaptured, Use, Writer,
};
pub use projection::{
    Counts, Deliveries, Documents, Entries, Links, Projection, Runs, Search, Settings, Timeline, Upkeep,
    in_one_read,
};
pub use query::{Overlaid, Page, Query, Sort, Subset, Threads};
pub use reach::JoinedStores;
pub use recorder::GroupRecorder;
pub use redacted::Redacted;
pub use snapshot::{Access, Finding, Report, Rows, SetUp, SetUpReport, Snapshot, Vectors};
pub use standing::AuthorRecord;
pub use state::{CloneState, MemoryState, Named, Record, RecordForm, RecordKind, RecordRules, RecordScope};
pub use tokens::{RuleOfThumb, Tokens};
pub use upkeep::{Delivered, Episode, UpkeepEntry};
pub use validity::{Subject, Validity};
