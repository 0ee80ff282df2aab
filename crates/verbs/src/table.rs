//! The table of verbs: every operation that doors offer, a file for each.
//!
//! Doors read the table: the command line makes its commands of it, MCP its tools, the reference page its lines.

pub mod add;
pub mod adopt;
pub mod applied;
pub mod approver_invite;
pub mod archive;
pub mod belief;
pub mod brief;
pub mod check;
pub mod commit;
pub mod config;
pub mod confirm;
pub mod diff;
pub mod doctor;
pub mod drift;
pub mod edit;
pub mod embed;
pub mod eval_calibration;
pub mod eval_judge;
pub mod events;
pub mod export;
pub mod feedback;
pub mod flush;
pub mod forage_find;
pub mod forage_gap;
pub mod forage_override;
pub mod forage_read;
pub mod forage_recheck;
pub mod forage_run;
pub mod forage_status;
pub mod forage_strategies;
pub mod friction_export;
pub mod friction_record;
pub mod friction_report;
pub mod gate;
pub mod gate_attest;
pub mod harvest;
pub mod health_report;
pub mod health_review;
pub mod import;
pub mod init;
pub mod inject;
pub mod link;
pub mod list;
pub mod log;
pub mod maintain;
pub mod menu;
pub mod merge;
pub mod migrate;
pub mod mirror_add;
pub mod mirror_remove;
pub mod mirror_status;
pub mod note;
pub mod outcomes;
pub mod override_norm;
pub mod promote;
pub mod promote_approve;
pub mod promote_list;
pub mod promote_propose;
pub mod promote_reject;
pub mod promote_show;
pub mod purge;
pub mod quarantine_list;
pub mod queue;
pub mod rebuild;
pub mod recover;
pub mod reduce;
pub mod reflect;
pub mod release;
pub mod reset;
pub mod restore;
pub mod retract;
pub mod review_complete;
pub mod review_list;
pub mod review_report;
pub mod review_show;
pub mod review_start;
pub mod reweave;
pub mod scan;
pub mod schema;
pub mod search;
pub mod show;
pub mod signals;
pub mod staging_accept;
pub mod staging_drop;
pub mod staging_list;
pub mod staging_restore;
pub mod staging_show;
pub mod stats;
pub mod status;
pub mod supersede;
pub mod surface;
pub mod sync;
pub mod tag;
pub mod task_finish;
pub mod task_list;
pub mod task_show;
pub mod task_start;
pub mod thread_archive;
pub mod thread_list;
pub mod token_add;
pub mod token_list;
pub mod token_revoke;
pub mod undo;
pub mod unmerge;
pub mod verify;
pub mod view;
pub mod where_is;
pub mod why;

pub use add::Add;
pub use adopt::Adopt;
pub use applied::Applied;
pub use approver_invite::ApproverInvite;
pub use archive::Archive;
pub use belief::Belief;
pub use brief::Brief;
pub use check::Check;
pub use commit::Commit;
pub use config::Config;
pub use confirm::Confirm;
pub use diff::Diff;
pub use doctor::Doctor;
pub use drift::Drift;
pub use edit::Edit;
pub use embed::Embed;
pub use eval_calibration::EvalCalibration;
pub use eval_judge::EvalJudge;
pub use events::Events;
pub use export::Export;
pub use feedback::Feedback;
pub use flush::Flush;
pub use forage_find::ForageFind;
pub use forage_gap::ForageGap;
pub use forage_override::ForageOverride;
pub use forage_read::ForageRead;
pub use forage_recheck::ForageRecheck;
pub use forage_run::ForageRun;
pub use forage_status::ForageStatus;
pub use forage_strategies::ForageStrategies;
pub use friction_export::FrictionExport;
pub use friction_record::FrictionRecord;
pub use friction_report::FrictionReport;
pub use gate::Gate;
pub use gate_attest::GateAttest;
pub use harvest::Harvest;
pub use health_report::HealthReport;
pub use health_review::HealthReview;
pub use import::Import;
pub use init::Init;
pub use inject::Inject;
pub use link::Link;
pub use list::List;
pub use log::Log;
pub use maintain::Maintain;
pub use menu::Menu;
pub use merge::Merge;
pub use migrate::Migrate;
pub use mirror_add::MirrorAdd;
pub use mirror_remove::MirrorRemove;
pub use mirror_status::MirrorStatus;
pub use note::Note;
pub use outcomes::Outcomes;
pub use override_norm::Override;
pub use promote::Promote;
pub use promote_approve::PromoteApprove;
pub use promote_list::PromoteList;
pub use promote_propose::PromotePropose;
pub use promote_reject::PromoteReject;
pub use promote_show::PromoteShow;
pub use purge::Purge;
pub use quarantine_list::QuarantineList;
pub use queue::Queue;
pub use rebuild::Rebuild;
pub use recover::Recover;
pub use reduce::Reduce;
pub use reflect::Reflect;
pub use release::Release;
pub use reset::Reset;
pub use restore::Restore;
pub use retract::Retract;
pub use review_complete::ReviewComplete;
pub use review_list::ReviewList;
pub use review_report::ReviewReport;
pub use review_show::ReviewShow;
pub use review_start::ReviewStart;
pub use reweave::Reweave;
pub use scan::Scan;
pub use schema::Schema;
pub use search::Search;
pub use show::Show;
pub use signals::Signals;
pub use staging_accept::StagingAccept;
pub use staging_drop::StagingDrop;
pub use staging_list::StagingList;
pub use staging_restore::StagingRestore;
pub use staging_show::StagingShow;
pub use stats::Stats;
pub use status::Status;
pub use supersede::Supersede;
pub use surface::Surface;
pub use sync::Sync;
pub use tag::Tag;
pub use task_finish::TaskFinish;
pub use task_list::TaskList;
pub use task_show::TaskShow;
pub use task_start::TaskStart;
pub use thread_archive::ThreadArchive;
pub use thread_list::ThreadList;
pub use token_add::TokenAdd;
pub use token_list::TokenList;
pub use token_revoke::TokenRevoke;
pub use undo::Undo;
pub use unmerge::Unmerge;
pub use verify::Verify;
pub use view::{Annotate, Invalidate, Mute, Pin, Reinstate, Unmute, Unpin};
pub use where_is::Where;
pub use why::Why;

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
