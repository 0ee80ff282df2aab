//! `ken import`.

use std::path::PathBuf;
use std::sync::LazyLock;

use ken_engine::Result;

use crate::Reach;
use crate::foreign::{ImportInput, ImportReport, formats};
use crate::request::Request;
use crate::requests::FORMATS;
use crate::verb::{Call, ForAdmins, Group, Nature, Verb};

/// The same, and the one that tells them apart itself.
static FORMATS_OR_AUTO: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| FORMATS.iter().copied().chain(["auto"]).collect());

/// Import entries from the files of another system.
pub struct Import;

/// What `import` takes.
#[derive(Clone, Debug, Request)]
pub struct ImportRequest {
    /// Format, such as agents-md, adr, mem0 or basic-memory; auto detects it
    #[field(words = &FORMATS_OR_AUTO)]
    pub format: String,
    /// File or folder to read
    #[field(default = ".")]
    pub path: PathBuf,
    /// Dry run: list what would be imported
    #[field(long)]
    pub dry_run: bool,
    /// Name of the folder in the ledger (default: its path)
    #[field(long, value_name = "NAME")]
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
