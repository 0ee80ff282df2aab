//! `import`, `export` and `sync`: files of other systems (DOO-6). Through a door that others come through, paths stay in the repository.

use crate::Reach;
use std::path::PathBuf;
use std::sync::LazyLock;

use clap::Args;
use ken_engine::Result;

use crate::foreign::export::STORE;
use crate::foreign::{
    ExportInput, ExportReport, ImportInput, ImportReport, SyncInput, SyncReport, Take, formats,
};
use crate::verb::{Call, ForAdmins, Group, Nature, Verb, Words};

/// The words of the formats.
static FORMATS: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| formats::ALL.iter().map(|format| format.word()).collect());
/// The same, and the one that tells them apart itself.
static FORMATS_OR_AUTO: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| FORMATS.iter().copied().chain(["auto"]).collect());

/// The same, and a store of our own.
static FORMATS_OR_STORE: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| FORMATS.iter().copied().chain([STORE]).collect());

/// Import entries from the files of another system.
pub struct Import;

/// What `import` takes.
#[derive(Clone, Debug, Args)]
pub struct ImportRequest {
    /// Format, such as agents-md, adr, mem0 or basic-memory; auto detects it
    #[arg(value_parser = Words(&FORMATS_OR_AUTO), hide_possible_values = true)]
    pub format: String,
    /// File or folder to read
    pub path: PathBuf,
    /// Dry run: list what would be imported
    #[arg(long)]
    pub dry_run: bool,
    /// Name of the folder in the ledger (default: its path)
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
}

impl ImportRequest {
    /// What is to be brought in; the path is relative to where the call comes from.
    pub fn input(self, call: &Call) -> ImportInput {
        let ImportRequest { format, path, dry_run, name } = self;
        // What people call it becomes the word that the ledger has.
        let format = formats::named(&format).map_or(format, |known| known.word().to_owned());
        ImportInput { format, path: call.options().from.join(path), dry_run, name }
    }
}

impl Verb for Import {
    const NAME: &'static str = "import";
    const ABOUT: &'static str = "Import entries from the files of another system";
    const EXAMPLE: &'static str = "ken import auto . --dry-run";
    const FOR_ADMINS: ForAdmins = ForAdmins::ToWrite;
    const GROUP: Group = Group::OtherSystems;
    const NATURE: Nature = Nature::WRITES;
    type Request = ImportRequest;
    type Answer = ImportReport;

    fn run(call: &mut Call, request: ImportRequest) -> Result<ImportReport> {
        let input = request.input(call);
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::foreign::import::import(ledger, site, models, caller, &input, &mut |_| true)
    }

    fn finds(report: &ImportReport) -> bool {
        // A file that was named and not read is no success; of a folder, some files are none of the format's.
        let is_unread = report.file.is_some() && !report.left_out.is_empty();
        let is_whole = report.waiting.is_empty() && report.unreadable.is_empty();
        report.rejected + report.refused > 0 || !is_whole || is_unread
    }
}

/// Export entries as files of another system.
pub struct Export;

/// What `export` takes.
#[derive(Clone, Debug, Args)]
pub struct ExportRequest {
    /// Format, such as agents-md, adr, mem0 or basic-memory; store copies the whole ledger
    #[arg(value_parser = Words(&FORMATS_OR_STORE), hide_possible_values = true)]
    pub format: String,
    /// Folder to write to, or a file if the format is a single file
    pub path: PathBuf,
    /// Include entries imported from other formats
    #[arg(long)]
    pub all: bool,
    /// Only files imported from this folder, by its name in the ledger
    #[arg(long, value_name = "NAME")]
    pub root: Option<String>,
    /// Overwrite files with different content
    #[arg(long)]
    pub overwrite: bool,
    /// Dry run: list what would be written, write nothing
    #[arg(long)]
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

/// Sync files of other systems with the ledger, both ways.
pub struct Sync;

/// What `sync` takes.
#[derive(Clone, Debug, Args)]
pub struct SyncRequest {
    /// Mirrors to sync (default: all)
    #[arg(value_name = "MIRROR")]
    pub mirrors: Vec<String>,
    /// Dry run: list differences, exit code 1 if there are any
    #[arg(long)]
    pub check: bool,
    /// Allow the deletion of many files
    #[arg(long, conflicts_with = "check")]
    pub yes: bool,
    /// Recreate missing files that no commit deleted, or whose deletion waits for a person
    #[arg(long)]
    pub restore: bool,
    /// Which side wins a conflict
    #[arg(long, value_name = "SIDE")]
    pub take: Option<Take>,
}

impl From<SyncRequest> for SyncInput {
    fn from(request: SyncRequest) -> SyncInput {
        let SyncRequest { mirrors, check, yes, restore, take } = request;
        SyncInput { mirrors, check, yes, restore, take, only: None }
    }
}

impl Verb for Sync {
    const NAME: &'static str = "mirror sync";
    const FORMER: &'static [&'static str] = &["sync"];
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Sync files of other systems with the ledger, both ways";
    const EXAMPLE: &'static str = "ken mirror sync --check";
    const FOR_ADMINS: ForAdmins = ForAdmins::ToWrite;
    const GROUP: Group = Group::OtherSystems;
    const NATURE: Nature = Nature::REMOVES;
    const AT_TERMINAL: &'static [&'static str] = &["yes"];
    type Request = SyncRequest;
    type Answer = SyncReport;

    fn run(call: &mut Call, request: SyncRequest) -> Result<SyncReport> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::foreign::sync::sync(ledger, site, models, caller, &request.into())
    }

    fn finds(report: &SyncReport) -> bool {
        !report.is_in_step()
    }
}
