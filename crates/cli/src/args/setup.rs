//! The words of `setup`.

use kenning::request::Request;

#[derive(Clone, Debug, Request)]
#[request(
    after_help = "Hosts: claude-code, codex, cursor, gemini, vscode, claude-desktop, windsurf, zed, opencode.\n\
                  With --global, setup writes the user's files instead of the project's."
)]
pub struct SetupArgs {
    /// Agent host, such as claude-code, codex, cursor or gemini; `--list` names all
    pub host: Option<String>,
    /// Check each part; exit code 1 unless everything is up to date
    #[field(long, conflicts("remove", "print", "list"))]
    pub check: bool,
    /// Remove what setup wrote; leave the rest of each file unchanged
    #[field(long, conflicts("print", "list"))]
    pub remove: bool,
    /// Dry run: print what would be written
    #[field(long, conflicts("list"))]
    pub print: bool,
    /// List the supported hosts and the state of each
    #[field(long, conflicts("host"))]
    pub list: bool,
    /// Write without asking for confirmation
    #[field(long, short, conflicts("check", "print", "list"))]
    pub yes: bool,
    /// Write the absolute path of `ken` instead of its name
    #[field(long)]
    pub absolute: bool,
}
