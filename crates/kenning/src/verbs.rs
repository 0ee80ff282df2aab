//! The table of verbs: every operation that doors offer, a file for each group of like verbs.
//!
//! Doors read the table: the command line makes its commands of it, MCP its tools, the reference page its lines.

pub mod check;
pub mod digest;
pub mod drift;
pub mod eval;
pub mod foreign;
pub mod health;
pub mod overlay;
pub mod scan;

pub use check::Check;
pub use digest::{
    Reduce, Reflect, Reweave, StagingAccept, StagingDrop, StagingList, StagingRestore, StagingShow,
};
pub use drift::Drift;
pub use eval::EvalCalibration;
pub use foreign::{Export, Import, Sync};
pub use health::{FrictionExport, FrictionRecord, FrictionReport, HealthReport, HealthReview, Note, Signals};
pub use overlay::{Annotate, Invalidate, Mute, Pin, Reinstate, Unmute, Unpin};
pub use scan::Scan;

use crate::verb::{Row, row};

/// Calls a macro with every verb, in the order of help. The one list there is.
#[macro_export]
macro_rules! for_each_verb {
    ($each:ident) => {
        $each! {
            Note,
            Scan,
            Check,
            Pin,
            Unpin,
            Mute,
            Unmute,
            Invalidate,
            Reinstate,
            Annotate,
            Drift,
            Reduce,
            StagingList,
            StagingShow,
            StagingAccept,
            StagingDrop,
            StagingRestore,
            Reflect,
            Reweave,
            Import,
            Export,
            Sync,
            EvalCalibration,
            FrictionRecord,
            FrictionReport,
            FrictionExport,
            Signals,
            HealthReport,
            HealthReview,
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
