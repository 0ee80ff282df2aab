//! Every verb as an operation over ports, the table that lists them, and the workspace they run in.
//!
//! Nothing here chooses a log, an index, a model or a provider: [`Adapters`] does, and `kenning` has the one of the product.

extern crate self as ken_verbs;

pub mod access;
pub mod action_norm;
pub mod adopt;
pub mod after_write;
mod approvers;
pub mod archive;
pub mod archive_pages;
pub mod around;
mod background;
pub mod brief;
pub mod bulk;
mod call;
pub mod change_set;
pub mod check;
pub mod compared;
pub mod config;
pub mod connection;
mod content;
mod conversation;
pub mod deliveries;
pub mod diff;
pub mod digest;
pub mod doctor;
pub mod drift;
pub mod embedding;
pub mod entry_content;
pub mod eval_judge;
pub mod evaluate;
pub mod forage;
pub mod foreign;
pub mod gate;
pub mod global;
pub mod global_store;
pub mod ground;
pub mod harvest;
pub mod health;
mod identity;
pub mod index_file;
pub mod intake_rules;
pub mod judge;
pub mod last_check;
pub mod learn;
mod limits;
pub mod maintain;
pub mod merge;
mod options;
pub mod overlay;
pub mod overrides;
pub mod promote;
pub mod queue;
mod reach;
pub mod recall;
pub mod request;
pub mod requests;
mod resume;
mod role;
mod run;
pub mod scan;
pub mod search_request;
pub mod session;
pub mod stats;
pub mod status;
pub mod table;
pub mod templates;
pub mod thread;
pub mod tokens;
pub mod verb;
pub mod verdicts;

pub mod add;
pub mod commit;
pub mod edit;
pub(crate) mod exposures;
pub mod index_page;
pub mod link;
pub mod list;
pub mod note;
pub mod page;
pub mod past;
pub mod purge;
pub mod quarantine;
pub(crate) mod repository;
pub mod retract;
pub mod show;
pub mod supersede;
pub mod undo;
pub mod why;
pub(crate) mod writer;

pub use self::promote::PromotionPlan;
pub use adopt::Adopted;
pub use background::MAINTAINER;
pub use brief::BriefAnswer;
pub use bulk::{BulkOptions, BulkProgress, BulkReport, Unit};
pub use change_set::TreeAfter;
pub use check::{Proof, StepAnswer, StepOutcome};
pub use config::{Config, WhoSets};
pub use conversation::session_run;
pub use diff::{Diff, DiffEntry, DiffTotals, FieldChange};
pub use digest::{
    AcceptAnswer, AlreadyKnown, ContradictingPair, DropAnswer, DroppedLine, Duplicate, GapLine, KeptOut,
    LeftOut, ReduceAnswer, ReflectAnswer, RelatedPair, ReweaveAnswer, ReweaveInput, SourceLine, Staged,
    StagedLine, StagingAnswer,
};
pub use doctor::{Check, State};
pub use edit::Editable;
pub use embedding::EmbedReport;
pub use entry_content::invalid_json;
pub use entry_content::read_content;
pub use eval_judge::{EvalJudgeAnswer, JudgedSet};
pub use gate::{Attestation, Of, Programs};
pub use harvest::{
    DraftKind, DraftLine, DraftOutcome, HarvestAnswer, HarvestInput, HarvestSheet, SheetSpan, TranscriptLine,
    TranscriptState,
};
pub use identity::{Identity, Place};
pub use judge::JudgeUse;
pub use ken_core as core;
pub(crate) use ken_core::decide::is_approved;
pub use ken_engine::intake::{ADMISSION, Objection, redacted};
pub use ken_engine::norms;
pub use ken_engine::ops::add::{AddAnswer, AddInput, OnAbsent};
pub use ken_engine::ops::brief::{Insight, RULES, Severity};
pub use ken_engine::ops::change::{ChangeAnswer, Swept};
pub use ken_engine::ops::check::{
    Accept, Accepted, Affected, CheckAnswer, Checked, DiffAnswer, Effect, Norm, Summary, Touched, Which,
};
pub use ken_engine::ops::drift::{DriftAnswer, Kept, Prunable};
pub use ken_engine::ops::friction::{ExportFormat, FrictionExport, FrictionInput, FrictionReport};
pub use ken_engine::ops::gate::{GateAnswer, GateView, NormView, PlaceView};
pub use ken_engine::ops::health::{Compared, HealthReport, HealthReview};
pub use ken_engine::ops::history::{Happening, WhyAnswer};
pub use ken_engine::ops::maintain::{Deed, ServiceOutcome, ServiceReport};
pub use ken_engine::ops::merge::{MergeAnswer, UnmergeAnswer};
pub use ken_engine::ops::overlay::OverlayAnswer;
pub use ken_engine::ops::promote::{PromotionView, ProposeInput, SourceView};
pub use ken_engine::ops::read::ListAnswer;
pub use ken_engine::ops::run::check_name;
pub use ken_engine::ops::search::SCORING;
pub use ken_engine::ops::search::{SearchAnswer, SearchInput};
pub use ken_engine::ops::signals::{ClusterView, SignalInput, SignalLine, SignalsAnswer};
pub use ken_engine::ops::surface::{SurfaceAnswer, SurfaceInput};
pub use ken_engine::replays;
pub use ken_engine::state::{MemoryState, Purged, purge as purge_state};
pub use ken_engine::view::{EntryLine, EntryView, Excerpt};
pub use ken_engine::{
    Access, Caller, Channel, CloneState, Deliveries, Documents, Entries, Error, Failure, Finding, GitHistory,
    JudgementStore, Ledger, Links, Listing, Origin, Overlaid, Part, Person, Presence, Projection, Query,
    RecordKind, Recovered, Report, Repository, Result, Rows, Runs, Search, SetUp, SetUpReport, Settings,
    Snapshot, Sort, Stored, Threads, Tier, Timeline, Upkeep, Vectors, Version, Writer, deliver, ops,
};
pub use ken_guard as guard;
pub use ken_hosts as hosts;
pub use ken_recall::Mode;
pub use ken_worktree::{CodeGround, Layout, Parser, STORE_FOLDER, STORE_VERSION, Suggestion};
pub use learn::{
    BeliefAnswer, CalibrationAnswer, CompleteAnswer, ConfirmAnswer, FinishAnswer, FinishInput,
    OutcomesAnswer, ReportAnswer, ReviewStarted, ReviewView, RunLine, StartAnswer, Subject as ReviewSubject,
    ThreadAnswer, ThreadLine,
};
pub use maintain::{MaintainAnswer, may_maintain};
pub use options::{Options, Secret};
pub use overrides::OverrideAnswer;
pub use reach::adapters::{Adapters, Models, Opener, Runtime};
use reach::workspace::Adding;
pub use reach::workspace::Workspace;
pub use reach::{ModelsInUse, Reach, Site};
pub use recall::Menu;
pub use scan::{SecretPurge, StoreScan, TierChange, scope_objections, tier};
pub use stats::{Calls, StatsAnswer};
pub use status::{Attention, Standing, StatusAnswer, Uncommitted};
