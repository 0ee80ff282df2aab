//! The words of `import`, `export` and `sync`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Clone, Debug, Args)]
pub struct ImportArgs {
    /// flux-drive, wfc, wfc-solutions, gsd, decapod, formicos, okf, agents-md, server-memory, basic-memory, mem0, adr, or auto
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

#[derive(Clone, Debug, Args)]
pub struct ExportArgs {
    /// flux-drive, wfc, wfc-solutions, gsd, decapod, formicos, okf, agents-md, server-memory, basic-memory, mem0 or adr
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

#[derive(Clone, Debug, Args)]
pub struct SyncArgs {
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
    pub take: Option<TakeArg>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum TakeArg {
    /// What the file says
    File,
    /// What the ledger says
    Ledger,
}
