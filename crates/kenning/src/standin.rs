//! To be replaced when the briefing and the sessions are merged.
/// The run of a host's conversation.
pub fn session_run(host: &str, session: &str) -> String {
    format!("{host}-{session}")
}

