//! The table of verbs: every operation that doors offer, a file for each group of like verbs.
//!
//! Doors read the table: the command line makes its commands of it, MCP its tools, the reference page its lines.

pub mod add;
pub mod change;
pub mod content;
pub mod diff;
pub mod doctor;
pub mod keep;
pub mod list;
pub mod overlay;
pub mod show;
pub mod stores;

pub use add::Add;
pub use change::{Archive, Edit, Link, Release, Restore, Retract, Revise, Supersede, Tag, Undo};
pub use content::ContentRequest;
pub use diff::Diff;
pub use doctor::Doctor;
pub use keep::{Adopt, Commit, Flush, Purge, Rebuild, Recover, Schema, Verify};
pub use list::List;
pub use overlay::{Annotate, Invalidate, Mute, Pin, Reinstate, Unmute, Unpin};
pub use show::{Log, Show, Why};
pub use stores::{Config, Init, Migrate, Where};
pub mod brief;
pub mod gate;
pub mod learn;
pub mod overlay;
pub mod promote;
pub mod review;
pub mod search;
pub mod stats;
pub mod task;

pub use brief::Brief;
pub use gate::{Gate, GateAttest};
pub use learn::{Belief, Confirm, Feedback, Outcomes, Queue, Reset, ThreadArchive, ThreadList};
pub use overlay::{Annotate, Invalidate, Mute, Pin, Reinstate, Unmute, Unpin};
pub use promote::{Promote, PromoteApprove, PromoteList, PromotePropose, PromoteReject, PromoteShow};
pub use review::{ReviewComplete, ReviewList, ReviewReport, ReviewShow, ReviewStart};
pub use search::{Applied, Embed, Inject, Menu, Search, Surface};
pub use stats::Stats;
pub use task::{TaskFinish, TaskList, TaskShow, TaskStart};

use crate::verb::{Row, row};

/// Calls a macro with every verb, in the order of help. The one list there is.
#[macro_export]
macro_rules! for_each_verb {
    ($each:ident) => {
        $each! {
            Init,
            Add,
            Show,
            List,
            Why,
            Log,
            Revise,
            Edit,
            Supersede,
            Retract,
            Archive,
            Restore,
            Release,
            Link,
            Tag,
            Search,
            Surface,
            Inject,
            Menu,
            Applied,
            Brief,
            Stats,
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
            ThreadArchive,
            ThreadList,
            Reset,
            Pin,
            Unpin,
            Mute,
            Unmute,
            Invalidate,
            Reinstate,
            Annotate,
            Undo,
            Diff,
            Commit,
            Flush,
            Recover,
            Adopt,
            Verify,
            Rebuild,
            Where,
            Schema,
            Config,
            Migrate,
            Purge,
            Doctor,
            Queue,
            Embed,
        }
    };
}

macro_rules! rows {
    ($($verb:ident),* $(,)?) => { &[$(row::<$verb>()),*] };
}

/// Every verb.
pub const TABLE: &[Row] = for_each_verb!(rows);

/// The row of a verb by its words, such as `task start`, or by its tool name, such as `task_start`.
pub fn find(name: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.name == name || row.tool() == name)
}

/// An entry and a reason: what many verbs take.
#[derive(Clone, Debug, clap::Args)]
pub struct ReasonRequest {
    /// An id, a handle, or the beginning of one
    pub id: String,
    /// Why
    #[arg(long, default_value = "")]
    pub reason: String,
}

/// An entry, now or in the past: what `why` and `belief` take.
#[derive(Clone, Debug, clap::Args)]
pub struct EntryRequest {
    /// An id, a handle, or the beginning of one
    pub id: String,
    /// As it was at a time or in a commit
    #[arg(long, value_name = "TIME|COMMIT")]
    pub as_of: Option<String>,
}

/// What a verb takes that takes nothing.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct NoFields {}
