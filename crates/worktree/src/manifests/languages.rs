//! Small files that pin a language: rust-toolchain, .python-version, .nvmrc.

use super::ManifestReader;

pub(super) fn rust_toolchain(text: &str, found: &mut ManifestReader) -> Result<(), String> {
    match text.contains('[') {
        true => {
            let root = super::toml(text)?;
            if let Some(channel) = root["toolchain"]["channel"].as_str() {
                found.language_is("rust", channel);
            }
        }
        false => pinned("rust", text, found),
    }
    Ok(())
}

pub(super) fn python_version(text: &str, found: &mut ManifestReader) -> Result<(), String> {
    pinned("python", text, found);
    Ok(())
}

pub(super) fn node_version(text: &str, found: &mut ManifestReader) -> Result<(), String> {
    pinned("node", text, found);
    Ok(())
}

/// The first line that is no comment.
fn pinned(name: &str, text: &str, found: &mut ManifestReader) {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    if let Some(line) = line {
        found.language_is(name, line);
    }
}
