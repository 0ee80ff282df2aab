//! `ken export`.

use std::path::PathBuf;
use std::sync::LazyLock;

use ken_engine::Result;

use crate::Reach;
use crate::foreign::export::STORE;
use crate::foreign::{ExportInput, ExportReport};
use crate::request::Request;
use crate::requests::FORMATS;
use crate::verb::{Call, ForAdmins, Group, Nature, Verb};

/// The formats of other systems, and a store of our own.
static FORMATS_OR_STORE: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| FORMATS.iter().copied().chain([STORE]).collect());

/// Export entries as files of another system.
pub struct Export;

/// What `export` takes.
#[derive(Clone, Debug, Request)]
pub struct ExportRequest {
    /// Format, such as agents-md, adr, mem0 or basic-memory; store copies the whole ledger
    #[field(words = &FORMATS_OR_STORE)]
    pub format: String,
    /// Folder to write to, or a file if the format is a single file
    pub path: PathBuf,
    /// Include entries imported from other formats
    #[field(long)]
    pub all: bool,
    /// Only files imported from this folder, by its name in the ledger
    #[field(long, value_name = "NAME")]
    pub root: Option<String>,
    /// Overwrite files with different content
    #[field(long)]
    pub overwrite: bool,
    /// Dry run: list what would be written, write nothing
    #[field(long)]
    pub dry_run: bool,
}

impl Verb for Export {
    const NAME: &'static str = "export";
    const ABOUT: &'static str = "Export entries as files of another system";
    const EXAMPLE: &'static str = "ken export agents-md AGENTS.md";
    const FOR_ADMINS: ForAdmins = ForAdmins::ToWrite;
    const GROUP: Group = Group::OtherSystems;
    const NATURE: Nature = Nature::WRITES;
    const AT_TERMINAL: &'static [&'static str] = &["overwrite"];
    type Request = ExportRequest;
    type Answer = ExportReport;

    fn run(call: &mut Call, request: ExportRequest) -> Result<ExportReport> {
        let ExportRequest { format, path, all, root, overwrite, dry_run } = request;
        let path = call.options().from.join(path);
        let Reach { ledger, site, caller, .. } = call.reach()?;
        crate::foreign::export::export(
            ledger,
            site,
            caller,
            &ExportInput { format, path, all, root, overwrite, dry_run },
        )
    }

    fn finds(report: &ExportReport) -> bool {
        !report.redacted.is_empty() || !report.left_out.is_empty()
    }
}
