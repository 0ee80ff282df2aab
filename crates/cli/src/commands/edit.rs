//! `edit`: an entry in the editor of whoever works here.

use std::io::Write;
use std::process::Command;

use kenning::core::decide::Change;
use kenning::core::{Code, Refusal};
use kenning::table::Edit;
use kenning::table::change::EditRequest;
use kenning::{Error, Result};
use serde_json::Value;

use super::{Session, Shown, change};

const HEAD: &str = "// Change what should change, save and close. Lines that begin with // are left out. An empty file changes nothing.\n";

impl Shown for Edit {
    fn execute(session: &Session, request: EditRequest) -> Result<u8> {
        edit(session, &request.id)
    }
}

fn edit(session: &Session, id: &str) -> Result<u8> {
    let doing = "opening the editor";
    let mut ken = session.open()?;
    let (key, before) = ken.editable(id)?;
    drop(ken);
    let mut file =
        tempfile::Builder::new().prefix("ken-").suffix(".json").tempfile().map_err(Error::failed(doing))?;
    writeln!(file, "{HEAD}{:#}", Value::Object(before.clone())).map_err(Error::failed(doing))?;
    let editor =
        std::env::var("VISUAL").or_else(|_| std::env::var("EDITOR")).unwrap_or_else(|_| "vi".to_owned());
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or("vi");
    let status = Command::new(program)
        .args(words)
        .arg(file.path())
        .status()
        .map_err(Error::failed(format!("starting the editor {program}, which VISUAL or EDITOR names")))?;
    if !status.success() {
        return Err(Refusal::new(
            Code::NotAllowed,
            format!("the editor {program} ended with {status}; nothing was changed"),
        )
        .hint("set EDITOR to the editor you want, for example EDITOR=nano")
        .into());
    }
    let text = std::fs::read_to_string(file.path()).map_err(Error::failed("reading what was edited"))?;
    let text: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .map(|line| format!("{line}\n"))
        .collect();
    let revised = || {
        let after = if text.trim().is_empty() { before.clone() } else { kenning::read_content(&text)? };
        let change = Change::between(&before, &after);
        change::simple(session, |ken| ken.revise(&key.to_string(), change, &[], false))
    };
    revised().map_err(|error| keep_text(error, file))
}

/// What somebody wrote is not thrown away because it was refused.
fn keep_text(error: Error, file: tempfile::NamedTempFile) -> Error {
    match (error, file.keep()) {
        (Error::Refused(refusal), Ok((_, path))) => {
            // Without the secrets that it may have been refused for (IN-2).
            if let Ok(text) = std::fs::read_to_string(&path)
                && let std::borrow::Cow::Owned(clean) = kenning::guard::redact(&text)
                && std::fs::write(&path, clean).is_err()
            {
                drop(std::fs::remove_file(&path));
                return refusal.into();
            }
            let kept = format!("what you wrote is kept in {}", path.display());
            let hint = match &refusal.hint {
                Some(hint) => format!("{hint}; {kept}"),
                None => kept,
            };
            refusal.hint(hint).into()
        }
        (error, _) => error,
    }
}
