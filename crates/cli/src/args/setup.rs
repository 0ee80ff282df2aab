//! The words of `setup`.

use clap::Args;

#[derive(Clone, Debug, Args)]
#[command(after_help = "With --global the files of the user are written instead of those of the project.")]
pub struct SetupArgs {
    /// claude-code, codex, cursor, gemini, vscode, claude-desktop, windsurf, zed or opencode
    pub host: Option<String>,
    /// Say how each part stands; exit code 1 unless all of it is current
    #[arg(long, conflicts_with_all = ["remove", "print", "list"])]
    pub check: bool,
    /// Take away what was written; every other byte stays
    #[arg(long, conflicts_with_all = ["print", "list"])]
    pub remove: bool,
    /// Print what would be written, and write nothing
    #[arg(long, conflicts_with = "list")]
    pub print: bool,
    /// List the hosts and how each stands
    #[arg(long, conflicts_with = "host")]
    pub list: bool,
    /// Write without asking
    #[arg(long, short, conflicts_with_all = ["check", "print", "list"])]
    pub yes: bool,
    /// Name the program by its path, even where PATH finds it
    #[arg(long)]
    pub absolute: bool,
}
