//! `ken friction export`.

use std::fs::OpenOptions;
use std::io;
use std::io::Write;
use std::path::{Path, PathBuf};

use ken_core::{Code, Refusal};
use ken_engine::ops::friction;
use ken_engine::ops::friction::ExportFormat;
use ken_engine::{Error, Result};
use ken_worktree::disk::{Disk, RealDisk};
use serde::Serialize;

use crate::Reach;
use crate::request::Request;
use crate::verb::{Call, ForAdmins, Group, HttpPath, Nature, Verb, read_word};

/// Export the friction events.
pub struct FrictionExport;

/// What `friction export` takes.
#[derive(Clone, Debug, Request)]
pub struct FrictionExportRequest {
    /// Format: jsonl or csv
    #[field(long, default = "jsonl", words = ExportFormat::WORDS)]
    pub format: String,
    /// File to write (default: standard output)
    #[field(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Overwrite an existing file
    #[field(long, requires("out"))]
    pub force: bool,
}

/// What `friction export` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum FrictionExportAnswer {
    /// The records themselves.
    Text(friction::FrictionExport),
    /// They are in a file.
    File(FrictionFile),
}

/// A file that the friction ledger was written to.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FrictionFile {
    /// The file, as it was named.
    pub file: String,
    /// How it is written.
    pub format: ExportFormat,
    /// How many records it holds.
    pub records: usize,
}

impl Verb for FrictionExport {
    const NAME: &'static str = "friction export";
    const ABOUT: &'static str = "Export the friction events";
    const EXAMPLE: &'static str = "ken friction export --format csv --out friction.csv";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/friction/export")];
    const FOR_ADMINS: ForAdmins = ForAdmins::ToWrite;
    const GROUP: Group = Group::WriteDown;
    const NATURE: Nature = Nature::WRITES;
    const AT_TERMINAL: &'static [&'static str] = &["out", "force"];
    type Request = FrictionExportRequest;
    type Answer = FrictionExportAnswer;

    fn run(call: &mut Call, request: FrictionExportRequest) -> Result<FrictionExportAnswer> {
        let format =
            read_word("format", "format", &request.format, ExportFormat::WORDS, ExportFormat::from_word)?;
        let Reach { ledger, caller, .. } = call.reach()?;
        let export = crate::health::friction_export(ledger, caller, format)?;
        let Some(file) = &request.out else { return Ok(FrictionExportAnswer::Text(export)) };
        write_out(&call.options().from, file, &export.content, request.force)?;
        let friction::FrictionExport { format, records, .. } = export;
        let file = file.display().to_string();
        Ok(FrictionExportAnswer::File(FrictionFile { file, format, records }))
    }
}

/// Writes a file that a person named: a new one, or in place of the one that is there if that was said. A link is replaced, not followed.
fn write_out(from: &Path, named: &Path, text: &str, force: bool) -> Result<()> {
    let (file, shown) = (from.join(named), named.display());
    let doing = format!("writing {shown}");
    let created = OpenOptions::new().write(true).create_new(true).open(&file);
    match created.and_then(|mut file| file.write_all(text.as_bytes())) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && !force => {
            Err(Refusal::new(Code::NotAllowed, format!("{shown} already exists and was not changed"))
                .hint("choose another file, or overwrite it with --force")
                .field("out")
                .into())
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            RealDisk.replace(&file, text.as_bytes()).map_err(Error::failed(doing))
        }
        done => done.map_err(Error::failed(doing)),
    }
}
