//! Who may approve, and their signatures: SSH signatures as git makes them, by `ssh-keygen`, which knows agents and hardware keys.
//!
//! Making one starts that program; checking one starts nothing.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use ken_core::promotion::NAMESPACE;
use ken_core::{Code, Refusal};
use ken_engine::{Error, Result};
use ssh_key::{Algorithm, PublicKey, SshSig};

/// Where the key is that a person signs approvals with.
pub const KEY_VARIABLE: &str = "KEN_APPROVAL_KEY";

/// Whether a word can name a person: whatever git calls them.
pub fn is_name(name: &str) -> bool {
    let chars = name.chars().count();
    name.trim() == name && (1..=100).contains(&chars) && !name.chars().any(char::is_control)
}

/// A public key as it is kept: algorithm and bytes, without the comment, which often names a machine.
pub fn read_key(text: &str) -> std::result::Result<String, String> {
    let key =
        PublicKey::from_openssh(text.trim()).map_err(|error| format!("it cannot be parsed: {error}"))?;
    match key.algorithm() {
        Algorithm::Ed25519 | Algorithm::SkEd25519 => {}
        other => return Err(format!("{other} keys are not supported")),
    }
    let bare = PublicKey::new(key.key_data().clone(), "");
    bare.to_openssh().map(|text| text.trim().to_owned()).map_err(|error| error.to_string())
}

/// Whether a signature under a text was made with a key, for approvals and nothing else.
pub fn verify(key: &str, text: &str, signature: &str) -> bool {
    let Ok(key) = PublicKey::from_openssh(key) else { return false };
    let Ok(signature) = SshSig::from_pem(armoured(signature)) else { return false };
    key.verify(NAMESPACE, text.as_bytes(), &signature).is_ok()
}

const BEGIN: &str = "-----BEGIN SSH SIGNATURE-----";
const END: &str = "-----END SSH SIGNATURE-----";

/// A signature as a file has it, from the one line that the ledger holds.
fn armoured(line: &str) -> String {
    let mut out = format!("{BEGIN}\n");
    for chunk in line.as_bytes().chunks(70) {
        out.push_str(&String::from_utf8_lossy(chunk));
        out.push('\n');
    }
    out + END + "\n"
}

/// Signs a text with the key of whoever sits here.
pub fn sign(text: &str, git: Option<&ken_worktree::git::Git>) -> Result<String> {
    let key = key_file(git)?;
    let attempt = "starting ssh-keygen to sign the approval";
    let mut child = Command::new("ssh-keygen")
        .args(["-Y", "sign", "-n", NAMESPACE, "-f"])
        .arg(&key)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(Error::failed(attempt))?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(text.as_bytes()).map_err(Error::failed(attempt))?;
    }
    let output = child.wait_with_output().map_err(Error::failed(attempt))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let inner = said.split_once(BEGIN).and_then(|(_, rest)| rest.split_once(END)).map(|(inner, _)| inner);
    match inner.filter(|_| output.status.success()) {
        Some(inner) => Ok(inner.split_whitespace().collect()),
        None => {
            let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            Err(Refusal::new(Code::NotAllowed, format!("the approval could not be signed: {why}"))
                .hint(format!("set {KEY_VARIABLE} to the key to sign with"))
                .into())
        }
    }
}

fn key_file(git: Option<&ken_worktree::git::Git>) -> Result<PathBuf> {
    let named = std::env::var_os(KEY_VARIABLE).filter(|name| !name.is_empty()).map(PathBuf::from);
    let of_git = || {
        let text = git?.text(&["config", "--type=path", "--get", "user.signingkey"]).ok()?;
        Some(PathBuf::from(text.trim())).filter(|path| path.is_file())
    };
    let usual = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".ssh/id_ed25519"));
    if let Some(named) = named.as_ref().filter(|named| !named.is_file()) {
        let message = format!("{KEY_VARIABLE} is {}, which is not a file", named.display());
        return Err(Refusal::new(Code::NotAllowed, message)
            .hint("set it to a private key file, or to the public key file of a key in your SSH agent")
            .into());
    }
    let found = named.or_else(of_git).or_else(usual);
    found.filter(|path| path.is_file()).ok_or_else(|| {
        Refusal::new(
            Code::NotAllowed,
            "approvals must be signed in this project, and no signing key was found",
        )
        .hint(format!(
            "set {KEY_VARIABLE} or git's user.signingkey, or create ~/.ssh/id_ed25519 \
                 with `ssh-keygen -t ed25519`"
        ))
        .into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";

    // A comment says on which machine a key was made (STO-9).
    #[test]
    fn a_key_is_kept_without_its_comment() {
        assert_eq!(read_key(&format!("  {KEY} ada@desk \n")), Ok(KEY.to_owned()));
        for bad in ["", "yes", "ssh-ed25519", "ssh-ed25519 AAAA", "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAAQC7"]
        {
            assert!(read_key(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_no_signature_fits_nothing() {
        for bad in ["", "AAAA", "not base64 at all", "U1NIU0lHAAAAAQ=="] {
            assert!(!verify(KEY, "text", bad), "{bad}");
        }
    }

    #[test]
    fn names_are_what_git_calls_people() {
        for good in ["Ada", "Ada Lovelace", "J. R. Hacker", "Łukasz", "o'brien"] {
            assert!(is_name(good), "{good}");
        }
        for bad in ["", " Ada", "Ada\n", &"a".repeat(101)] {
            assert!(!is_name(bad), "{bad:?}");
        }
    }
}
