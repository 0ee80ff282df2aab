//! The secret that a session is given at its start, and whether the session still knows it (COR-19).
//!
//! The host puts it into the conversation with the rest of the briefing, so it stands in the conversation's transcript. Events that
//! somebody pipes into `ken hook` under an invented name come with no transcript that has it. An agent that copies its own secret
//! into a forged event is not stopped: that is malice with the user's own rights.

use std::path::Path;

use ken_worktree::disk::{Disk, RealDisk};

use super::{beginning, end};

/// The file in the clone's folder with the key that every secret is made of.
const KEY_FILE: &str = "session.key";
/// How the line with the secret begins.
const LINE: &str = "Session key (Kenning's own, nothing to do): ";

/// The line that gives a session its secret; none where no key can be kept.
pub(super) fn line(home: &Path, run: &str) -> Option<String> {
    let key = read_key(home).or_else(|| make_key(home))?;
    Some(format!("{LINE}{}", secret(&key, run)))
}

/// Whether the transcript of a session has the secret it was given.
pub(super) fn is_known(home: &Path, run: &str, transcript: Option<&Path>) -> bool {
    let (Some(key), Some(transcript)) = (read_key(home), transcript) else { return false };
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

fn read_key(home: &Path) -> Option<[u8; 32]> {
    let text = std::fs::read_to_string(home.join(KEY_FILE)).ok()?;
    blake3::Hash::from_hex(text.trim()).ok().map(|key| *key.as_bytes())
}

fn make_key(home: &Path) -> Option<[u8; 32]> {
    let mut key = [0; 32];
    getrandom::fill(&mut key).ok()?;
    RealDisk.replace(&home.join(KEY_FILE), blake3::Hash::from_bytes(key).to_hex().as_bytes()).ok()?;
    // Two sessions may begin at once; the file has the one that counts.
    read_key(home)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_knows_its_own_secret_and_no_other() {
        let home = tempfile::tempdir().unwrap();
        let transcript = home.path().join("transcript.jsonl");
        let given = line(home.path(), "claude-code-s1").unwrap();
        assert_eq!(given, line(home.path(), "claude-code-s1").unwrap(), "it is given once and for all");
        std::fs::write(&transcript, format!("{{\"said\": {given:?}}}\n")).unwrap();
        assert!(is_known(home.path(), "claude-code-s1", Some(&transcript)));
        assert!(!is_known(home.path(), "claude-code-s2", Some(&transcript)));
        assert!(!is_known(home.path(), "claude-code-s1", None));
        let other = tempfile::tempdir().unwrap();
        assert!(!is_known(other.path(), "claude-code-s1", Some(&transcript)), "another clone");
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
