//! The secret that a session is given at its start, and whether the session still knows it (COR-19).
//!
//! The host puts it into the conversation with the rest of the briefing, so it stands in the conversation's transcript. Events that
//! somebody pipes into `ken hook` under an invented name come with no transcript that has it. An agent that copies its own secret
//! into a forged event is not stopped: that is malice with the user's own rights.

use std::path::Path;

use ken_engine::{CloneState, RecordKind};

use super::{beginning, end};

/// How the line with the secret begins.
const LINE: &str = "Session key (Kenning's own, nothing to do): ";

/// The line that gives a session its secret; none where no key can be kept.
pub(super) fn line(state: &dyn CloneState, run: &str) -> Option<String> {
    let key = read_key(state).or_else(|| make_key(state))?;
    Some(format!("{LINE}{}", secret(&key, run)))
}

/// Whether the transcript of a session has the secret it was given.
pub(super) fn is_known(state: &dyn CloneState, run: &str, transcript: Option<&Path>) -> bool {
    let (Some(key), Some(transcript)) = (read_key(state), transcript) else { return false };
    let secret = secret(&key, run);
    [beginning(transcript), end(transcript)].into_iter().flatten().any(|text| text.contains(&secret))
}

/// Whether a command line starts `ken hook`: then what the hooks of this session heard may not come from its host.
pub(super) fn starts_hook(command: &str) -> bool {
    let words: Vec<&str> =
        command.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
    words.windows(2).any(|pair| pair == ["ken", "hook"])
}

fn secret(key: &[u8; 32], run: &str) -> String {
    blake3::keyed_hash(key, run.as_bytes()).to_hex()[..24].to_owned()
}

/// The key that every secret is made of.
fn read_key(state: &dyn CloneState) -> Option<[u8; 32]> {
    let text = state.text(&RecordKind::SessionKey.record())?;
    blake3::Hash::from_hex(text.trim()).ok().map(|key| *key.as_bytes())
}

fn make_key(state: &dyn CloneState) -> Option<[u8; 32]> {
    let mut key = [0; 32];
    getrandom::fill(&mut key).ok()?;
    let text = blake3::Hash::from_bytes(key).to_hex();
    state.write(&RecordKind::SessionKey.record(), text.as_bytes()).ok()?;
    // Two sessions may begin at once; the record has the one that counts.
    read_key(state)
}

#[cfg(test)]
mod tests {
    use ken_engine::MemoryState;

    use super::*;

    #[test]
    fn a_session_knows_its_own_secret_and_no_other() {
        let (state, folder) = (MemoryState::default(), tempfile::tempdir().unwrap());
        let transcript = folder.path().join("transcript.jsonl");
        let given = line(&state, "claude-code-s1").unwrap();
        assert_eq!(given, line(&state, "claude-code-s1").unwrap(), "it is given once and for all");
        std::fs::write(&transcript, format!("{{\"said\": {given:?}}}\n")).unwrap();
        assert!(is_known(&state, "claude-code-s1", Some(&transcript)));
        assert!(!is_known(&state, "claude-code-s2", Some(&transcript)));
        assert!(!is_known(&state, "claude-code-s1", None));
        assert!(!is_known(&MemoryState::default(), "claude-code-s1", Some(&transcript)), "another clone");
    }

    #[test]
    fn a_command_that_starts_the_hook_is_known() {
        for (command, wanted) in [
            ("echo '{}' | ken hook", true),
            ("printf x | /usr/bin/ken hook --host codex", true),
            ("ken  hook", true),
            ("cat docs/hook.md", false),
            ("ken search hook", false),
            ("kenning hook", false),
        ] {
            assert_eq!(starts_hook(command), wanted, "{command}");
        }
    }
}
