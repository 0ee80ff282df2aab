//! The words of `ken hook`.

use clap::Args;

#[derive(Clone, Debug, Args)]
pub struct HookArgs {
    /// Event: session-start, prompt, touch, act, ran, compact, stop or end
    pub event: String,
    /// Host: claude-code, codex, cursor or gemini; detected from its JSON if omitted
    #[arg(long)]
    pub host: Option<String>,
    /// Print what the hook did and why on standard error
    #[arg(long)]
    pub debug: bool,
}
