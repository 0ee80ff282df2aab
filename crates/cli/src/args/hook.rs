//! The words of `ken hook`.

use clap::Args;

#[derive(Clone, Debug, Args)]
pub struct HookArgs {
    /// session-start, prompt, touch, ran, compact, stop or end
    pub event: String,
    /// claude-code, codex, cursor or gemini; told from what it says when left out
    #[arg(long)]
    pub host: Option<String>,
    /// Say on standard error what was done and why
    #[arg(long)]
    pub debug: bool,
}
