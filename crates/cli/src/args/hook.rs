//! The words of `ken hook`.

use kenning::request::Request;

#[derive(Clone, Debug, Request)]
pub struct HookArgs {
    /// Event: session-start, prompt, touch, act, ran, compact, stop or end
    pub event: String,
    /// Host: claude-code, codex, cursor or gemini; detected from its JSON if omitted
    #[field(long)]
    pub host: Option<String>,
    /// Print what the hook did and why on standard error
    #[field(long)]
    pub debug: bool,
}
