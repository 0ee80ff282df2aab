//! The table of verbs: every operation that doors offer, a file for each group of like verbs.
//!
//! Doors read the table: the command line makes its commands of it, MCP its tools, the reference page its lines.

pub mod add;
pub mod brief;
pub mod change;
pub mod check;
pub mod content;
pub mod diff;
pub mod digest;
pub mod doctor;
pub mod drift;
pub mod eval;
pub mod events;
pub mod forage;
pub mod foreign;
pub mod gate;
pub mod health;
pub mod keep;
pub mod learn;
pub mod list;
pub mod maintain;
pub mod mirror;
pub mod overlay;
pub mod overrides;
pub mod promote;
pub mod quarantine;
pub mod review;
pub mod scan;
pub mod search;
pub mod show;
pub mod stats;
pub mod status;
pub mod stores;
pub mod task;
pub mod token;

pub use add::Add;
pub use brief::Brief;
pub use change::{Archive, Edit, Link, Merge, Release, Restore, Retract, Supersede, Tag, Undo, Unmerge};
pub use check::Check;
pub use content::{ContentRequest, path_from_root};
pub use diff::Diff;
pub use digest::{
    Harvest, Reduce, Reflect, Reweave, StagingAccept, StagingDrop, StagingList, StagingRestore, StagingShow,
};
pub use doctor::Doctor;
pub use drift::Drift;
pub use eval::{EvalCalibration, EvalJudge};
pub use events::Events;
pub use forage::{
    ForageFind, ForageGap, ForageOverride, ForageRead, ForageRecheck, ForageRun, ForageStatus,
    ForageStrategies,
};
pub use foreign::{Export, Import, Sync};
pub use gate::{Gate, GateAttest};
pub use health::{FrictionExport, FrictionRecord, FrictionReport, HealthReport, HealthReview, Note, Signals};
pub use keep::{Adopt, Commit, Flush, Purge, Rebuild, Recover, Schema, Verify};
pub use learn::{Belief, Confirm, Feedback, Outcomes, Queue, Reset, ThreadArchive, ThreadList};
pub use list::List;
pub use maintain::Maintain;
pub use mirror::{MirrorAdd, MirrorRemove, MirrorStatus};
pub use overlay::{Annotate, Invalidate, Mute, Pin, Reinstate, Unmute, Unpin};
pub use overrides::Override;
pub use promote::{Promote, PromoteApprove, PromoteList, PromotePropose, PromoteReject, PromoteShow};
pub use quarantine::QuarantineList;
pub use review::{ReviewComplete, ReviewList, ReviewReport, ReviewShow, ReviewStart};
pub use scan::Scan;
pub use search::{Applied, Embed, Inject, Menu, Search, Surface};
pub use show::{Log, Show, Why};
pub use stats::Stats;
pub use status::Status;
pub use stores::{Config, Init, Migrate, Where};
pub use task::{TaskFinish, TaskList, TaskShow, TaskStart};
pub use token::{ApproverInvite, TokenAdd, TokenList, TokenRevoke};

use crate::verb::{Family, Row, row, tool};

/// Calls a macro with every verb, in the order of help. The one list there is.
#[macro_export]
macro_rules! for_each_verb {
    ($each:ident) => {
        $each! {
            Init,
            Status,
            Add,
            Note,
            Show,
            List,
            Search,
            Surface,
            Inject,
            Menu,
            Applied,
            Brief,
            Stats,
            Why,
            Log,
            Edit,
            Supersede,
            Merge,
            Unmerge,
            Retract,
            Archive,
            Restore,
            QuarantineList,
            Release,
            Scan,
            Check,
            Confirm,
            Feedback,
            Belief,
            TaskStart,
            TaskFinish,
            TaskList,
            TaskShow,
            ReviewStart,
            ReviewReport,
            ReviewComplete,
            ReviewShow,
            ReviewList,
            Outcomes,
            Promote,
            PromotePropose,
            PromoteList,
            PromoteShow,
            PromoteApprove,
            PromoteReject,
            Gate,
            GateAttest,
            Override,
            ApproverInvite,
            ThreadList,
            ThreadArchive,
            Reset,
            Link,
            Tag,
            Pin,
            Unpin,
            Mute,
            Unmute,
            Invalidate,
            Reinstate,
            Annotate,
            Drift,
            Queue,
            Reduce,
            StagingList,
            StagingShow,
            StagingAccept,
            StagingDrop,
            StagingRestore,
            Reflect,
            Reweave,
            Harvest,
            ForageFind,
            ForageRead,
            ForageGap,
            ForageRun,
            ForageStatus,
            ForageStrategies,
            ForageRecheck,
            ForageOverride,
            Import,
            Export,
            MirrorAdd,
            Sync,
            MirrorStatus,
            MirrorRemove,
            Undo,
            Diff,
            Commit,
            Flush,
            Recover,
            Adopt,
            Verify,
            Rebuild,
            Embed,
            Maintain,
            EvalCalibration,
            EvalJudge,
            Where,
            Schema,
            Config,
            Migrate,
            Purge,
            Doctor,
            FrictionRecord,
            FrictionReport,
            FrictionExport,
            Signals,
            HealthReport,
            HealthReview,
            TokenAdd,
            TokenList,
            TokenRevoke,
            Events,
        }
    };
}

macro_rules! rows {
    ($($verb:ident),* $(,)?) => { &[$(row::<$verb>()),*] };
}

/// Every verb.
pub const TABLE: &[Row] = for_each_verb!(rows);

/// What each verb answers, as JSON Schema, by its name. What several answers have in common is defined by the generator.
#[cfg(feature = "schema")]
pub fn answers(generator: &mut schemars::SchemaGenerator) -> Vec<(&'static str, schemars::Schema)> {
    use crate::verb::Verb;
    macro_rules! answers {
        ($($verb:ident),* $(,)?) => {
            vec![$((<$verb as Verb>::NAME, generator.subschema_for::<<$verb as Verb>::Answer>())),*]
        };
    }
    for_each_verb!(answers)
}

/// Words that several verbs begin with, and that do nothing by themselves.
pub const FAMILIES: &[Family] = &[
    Family::new("task", "Start and finish tasks, so that belief follows their outcomes"),
    Family::new("review", "Run a review by several agents: exposures, findings, lessons"),
    Family::new("thread", "Manage threads: lines of work with private entries"),
    Family::new("digest", "Find rules in documents and commits, and accept what is worth keeping"),
    Family::new("forage", "Look things up on the web, within limits; off until a person turns it on"),
    Family::new("view", "Pin, hide or annotate entries, in this clone only"),
    Family::new("quarantine", "List and release what the scanner kept out"),
    Family::new("mirror", "Keep files of other systems in step with the store"),
    Family::new("friction", "Record and report friction: tool errors, redone work, failed validations"),
    Family::new("health", "Report the health of the store and exceeded thresholds"),
    Family::new("token", "Tokens with which programs use `ken serve`"),
    Family::new("eval", "Measure retrieval and calibration"),
    Family::new("knowledge", "Commands with Decapod's flags; JSON unless on a terminal"),
];

/// The row of a verb by its words, such as `task start`, or by its tool name, such as `task_start`; words that it had before do, too.
pub fn find(name: &str) -> Option<&'static Row> {
    let is_former = |row: &&Row| row.former.iter().any(|former| *former == name || tool(former) == name);
    TABLE.iter().find(|row| row.name == name || row.tool() == name).or_else(|| TABLE.iter().find(is_former))
}

/// An entry and a reason: what many verbs take.
#[derive(Clone, Debug, clap::Args)]
pub struct ReasonRequest {
    /// Entry: an id, a handle or a unique prefix of either
    pub id: String,
    /// Reason, recorded in the ledger
    #[arg(long, default_value = "")]
    pub reason: String,
}

/// An entry, now or in the past: what `why` and `belief` take.
#[derive(Clone, Debug, clap::Args)]
pub struct EntryRequest {
    /// Entry: an id, a handle or a unique prefix of either
    pub id: String,
    /// Show the state at a time or in a commit
    #[arg(long, value_name = "TIME|COMMIT")]
    pub as_of: Option<String>,
}

/// What a verb takes that takes nothing.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct NoFields {}
