//! A text in the editor of whoever works here. What was written is never lost: it stays in a file until it was taken.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::Command;

use kenning::core::{Code, Refusal};
use kenning::{Error, Result};
use tempfile::NamedTempFile;

use crate::output::eprintln;

/// A text that somebody edited, and the file it is in.
pub(crate) struct Edited {
    /// What the editor left.
    pub(crate) text: String,
    file: NamedTempFile,
}

/// Reads a text that was edited elsewhere. A device has no end, so there is one here.
pub(crate) fn read_text(file: &Path) -> io::Result<String> {
    let bytes = kenning::verb::read_bounded(std::fs::File::open(file)?)?;
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8 text"))
}

/// Opens a text in an editor and waits until it is closed. `instead` says what to do where there is no editor.
pub(crate) fn edit(text: &str, suffix: &str, instead: &str) -> Result<Edited> {
    let doing = "opening the editor";
    let editor = editor(instead)?;
    let mut file =
        tempfile::Builder::new().prefix("ken-").suffix(suffix).tempfile().map_err(Error::failed(doing))?;
    file.write_all(text.as_bytes()).map_err(Error::failed(doing))?;
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or(FALLBACK);
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
    Ok(Edited { text, file })
}

/// The editor of a terminal on which nobody chose one.
const FALLBACK: &str = if cfg!(windows) { "notepad" } else { "vi" };

fn editor(instead: &str) -> Result<String> {
    let chosen = |name: &str| std::env::var(name).ok().filter(|editor| !editor.trim().is_empty());
    match chosen("VISUAL").or_else(|| chosen("EDITOR")) {
        Some(editor) => Ok(editor),
        None if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() => Ok(FALLBACK.to_owned()),
        None => Err(Refusal::new(
            Code::NotAllowed,
            "no editor can be opened: there is no terminal, and neither VISUAL nor EDITOR is set",
        )
        .hint(instead)
        .into()),
    }
}

impl Edited {
    /// Keeps the text that nothing came of, and says how to go on with it. `again` is the command, without the file.
    pub(crate) fn keep(self, error: Error, again: &str) -> Error {
        let Ok((_, path)) = self.file.keep() else { return error };
        // Without the secrets that it may have been refused for (IN-2).
        if let Cow::Owned(clean) = kenning::guard::redact(&self.text)
            && std::fs::write(&path, clean).is_err()
        {
            drop(std::fs::remove_file(&path));
            return error;
        }
        let path = path.display();
        let kept = format!("what you wrote is kept: correct it in {path}, then run `{again} --file {path}`");
        match error {
            Error::Refused(refusal) => {
                let hint = match &refusal.hint {
                    Some(hint) => format!("{hint}; {kept}"),
                    None => kept,
                };
                refusal.hint(hint).into()
            }
            Error::Busy(_) | Error::Full(_) | Error::Damaged(..) | Error::Denied(_) | Error::Failed(_) => {
                eprintln!("note: {kept}");
                error
            }
        }
    }
}
