//! `import`, `export` and `sync`: files of other systems (DOO-6). Through a door that others come through, paths stay in the repository.

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::Args;
use ken_engine::Result;

use crate::foreign::{
    ExportInput, ExportReport, ImportInput, ImportReport, SyncInput, SyncReport, Take, formats,
};
use crate::verb::{Call, Group, Nature, Verb, Words};

/// The words of the formats.
static FORMATS: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| formats::ALL.iter().map(|format| format.word()).collect());
/// The same, and the one that tells them apart itself.
static FORMATS_OR_AUTO: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| FORMATS.iter().copied().chain(["auto"]).collect());

/// Bring in knowledge that lies in the files of another system.
pub struct Import;

/// What `import` takes.
#[derive(Clone, Debug, Args)]
pub struct ImportRequest {
    /// flux-drive, wfc, wfc-solutions, gsd, decapod, formicos, okf, agents-md, server-memory, basic-memory, mem0, adr, or auto
    #[arg(value_parser = Words(&FORMATS_OR_AUTO), hide_possible_values = true)]
    pub format: String,
    /// A file or a folder
    pub path: PathBuf,
    /// Say what would come in, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// What the folder is called in the ledger, where its path will not do
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
}

impl ImportRequest {
    /// What is to be brought in; the path is relative to where the call comes from.
    pub fn input(self, call: &Call) -> ImportInput {
        let ImportRequest { format, path, dry_run, name } = self;
        ImportInput { format, path: call.options().from.join(path), dry_run, name }
    }
}

impl Verb for Import {
    const NAME: &'static str = "import";
    const ABOUT: &'static str = "Bring in knowledge that lies in the files of another system";
    const GROUP: Group = Group::OtherSystems;
    const NATURE: Nature = Nature::WRITES;
    type Request = ImportRequest;
    type Answer = ImportReport;

    fn run(call: &mut Call, request: ImportRequest) -> Result<ImportReport> {
        let input = request.input(call);
        call.ken()?.import(&input, &mut |_| true)
    }

    fn finds(report: &ImportReport) -> bool {
        report.rejected + report.refused > 0
    }
}

/// Write knowledge as the files of another system.
pub struct Export;

/// What `export` takes.
#[derive(Clone, Debug, Args)]
pub struct ExportRequest {
    /// flux-drive, wfc, wfc-solutions, gsd, decapod, formicos, okf, agents-md, server-memory, basic-memory, mem0 or adr
    #[arg(value_parser = Words(&FORMATS), hide_possible_values = true)]
    pub format: String,
    /// A folder, or a file where the format is one file
    pub path: PathBuf,
    /// Also entries that live in files of other formats
    #[arg(long)]
    pub all: bool,
    /// Only files that came from this folder, as the ledger calls it
    #[arg(long, value_name = "NAME")]
    pub root: Option<String>,
    /// Replace files that say something else
    #[arg(long)]
    pub overwrite: bool,
    /// Say what would be written, and write nothing
    #[arg(long)]
    pub dry_run: bool,
}

impl Verb for Export {
    const NAME: &'static str = "export";
    const ABOUT: &'static str = "Write knowledge as the files of another system";
    const GROUP: Group = Group::OtherSystems;
    const NATURE: Nature = Nature::WRITES;
    const AT_TERMINAL: &'static [&'static str] = &["overwrite"];
    type Request = ExportRequest;
    type Answer = ExportReport;

    fn run(call: &mut Call, request: ExportRequest) -> Result<ExportReport> {
        let ExportRequest { format, path, all, root, overwrite, dry_run } = request;
        let path = call.options().from.join(path);
        call.ken()?.export(&ExportInput { format, path, all, root, overwrite, dry_run })
    }

    fn finds(report: &ExportReport) -> bool {
        !report.redacted.is_empty() || !report.left_out.is_empty()
    }
}

/// Keep files of other systems and the ledger in step, both ways.
pub struct Sync;

/// What `sync` takes.
#[derive(Clone, Debug, Args)]
pub struct SyncRequest {
    /// The mirrors that are meant; all of them when left out
    #[arg(value_name = "MIRROR")]
    pub mirrors: Vec<String>,
    /// Say what is out of step, change nothing, and exit with 1 if anything is
    #[arg(long)]
    pub check: bool,
    /// Many files may go, on either side
    #[arg(long, conflicts_with = "check")]
    pub yes: bool,
    /// Write files anew that are gone and that no commit deletes
    #[arg(long)]
    pub restore: bool,
    /// Which side counts where both changed
    #[arg(long, value_name = "SIDE")]
    pub take: Option<Take>,
}

impl From<SyncRequest> for SyncInput {
    fn from(request: SyncRequest) -> SyncInput {
        let SyncRequest { mirrors, check, yes, restore, take } = request;
        SyncInput { mirrors, check, yes, restore, take }
    }
}

impl Verb for Sync {
    const NAME: &'static str = "sync";
    const ABOUT: &'static str = "Keep files of other systems and the ledger in step, both ways";
    const GROUP: Group = Group::OtherSystems;
    const NATURE: Nature = Nature::REMOVES;
    const AT_TERMINAL: &'static [&'static str] = &["yes"];
    type Request = SyncRequest;
    type Answer = SyncReport;

    fn run(call: &mut Call, request: SyncRequest) -> Result<SyncReport> {
        call.ken()?.sync(&request.into())
    }

    fn finds(report: &SyncReport) -> bool {
        !report.is_in_step()
    }
}
