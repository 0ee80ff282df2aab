//! The words of `setup`.

use clap::Args;

#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Hosts: claude-code, codex, cursor, gemini, vscode, claude-desktop, windsurf, zed, opencode.\n\
                  With --global, setup writes the user's files instead of the project's."
)]
pub struct SetupArgs {
    /// Agent host, such as claude-code, codex, cursor or gemini; `--list` names all
    pub host: Option<String>,
    /// Check each part; exit code 1 unless everything is up to date
    #[arg(long, conflicts_with_all = ["remove", "print", "list"])]
    pub check: bool,
    /// Remove what setup wrote; leave the rest of each file unchanged
    #[arg(long, conflicts_with_all = ["print", "list"])]
    pub remove: bool,
    /// Dry run: print what would be written
    #[arg(long, conflicts_with = "list")]
    pub print: bool,
    /// List the supported hosts and the state of each
    #[arg(long, conflicts_with = "host")]
    pub list: bool,
    /// Write without asking for confirmation
    #[arg(long, short, conflicts_with_all = ["check", "print", "list"])]
    pub yes: bool,
    /// Write the absolute path of `ken` instead of its name
    #[arg(long)]
    pub absolute: bool,
}
