//! Patterns of norms, compiled within bounds: regular expressions in linear time, and globs.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use ken_core::norm::change::Form;
use regex_automata::meta::{Config, Regex};

use crate::limits::norms_pattern::COMPILED_BYTES_MAX;

/// The store's own folder.
const STORE: &str = ".kenning";

/// A regular expression.
pub(super) struct Pattern {
    pub(super) text: String,
    regex: Regex,
    /// It speaks of carriage returns, so lines keep theirs.
    sees_returns: bool,
}

impl Pattern {
    pub(super) fn new(text: &str) -> Result<Pattern, String> {
        let config = Config::new()
            .nfa_size_limit(Some(COMPILED_BYTES_MAX))
            .onepass_size_limit(Some(COMPILED_BYTES_MAX));
        let regex =
            Regex::builder().configure(config).build(text).map_err(|error| match error.size_limit() {
                Some(_) => format!("`{text}` is too large when compiled; write a shorter regular expression"),
                None => {
                    let why = error.syntax_error().map_or_else(|| error.to_string(), ToString::to_string);
                    let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ");
                    format!("`{text}` is not a valid regular expression: {why}")
                }
            })?;
        Ok(Pattern { text: text.to_owned(), regex, sees_returns: text.contains("\\r") })
    }

    pub(super) fn is_in(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// Whether it is in a line, whatever ends the line.
    pub(super) fn is_in_line(&self, line: &str) -> bool {
        match self.sees_returns {
            true => self.is_in(line),
            false => self.is_in(line.strip_suffix('\r').unwrap_or(line)),
        }
    }

    /// Whether it is in a file, whatever ends its lines.
    pub(super) fn is_in_file(&self, text: &str) -> bool {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        match self.sees_returns || !text.contains('\r') {
            true => self.is_in(text),
            false => self.is_in(&text.replace("\r\n", "\n")),
        }
    }
}

/// Several globs. `*` stays within a folder, `**` does not.
pub(super) struct Globs {
    texts: Vec<String>,
    set: GlobSet,
    /// The folders below which everything is meant, and the place of each glob among the texts.
    folders: GlobSet,
    folders_at: Vec<usize>,
}

/// How far a glob such as `vendor/**` speaks of what is at `vendor` itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// As far as possible: whatever is there in place of the folder.
    Wide,
    /// A link or another repository, which stands for the files in it; not a file that only has the folder's name.
    Narrow,
}

impl Globs {
    pub(super) fn new(texts: &[String]) -> Result<Globs, String> {
        let (mut builder, mut folders) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        let mut folders_at = Vec::new();
        let glob = |text: &str| {
            let glob = GlobBuilder::new(text).literal_separator(true).backslash_escape(true).build();
            glob.map_err(|error| format!("`{text}` is not a valid glob: {}", error.kind()))
        };
        for (at, text) in texts.iter().enumerate() {
            builder.add(glob(text)?);
            if let Some(folder) = folder(text) {
                folders.add(glob(folder)?);
                folders_at.push(at);
            }
        }
        let built = |builder: GlobSetBuilder| {
            builder.build().map_err(|error| format!("these globs are too large together: {}", error.kind()))
        };
        Ok(Globs { texts: texts.to_vec(), set: built(builder)?, folders: built(folders)?, folders_at })
    }

    /// The first glob that a path matches, or that means everything below what is at the path.
    pub(super) fn find(&self, path: &str, form: Form, reach: Reach) -> Option<&str> {
        let first = self.set.matches(path).into_iter().min();
        let first = first.or_else(|| {
            let stands_for_it = |at: &usize| match (form, reach) {
                (Form::Link | Form::Submodule, Reach::Wide | Reach::Narrow) => true,
                (Form::File, Reach::Narrow) => false,
                // Below `crates/*/**` there is no file that lies beside those folders.
                (Form::File, Reach::Wide) => folder(&self.texts[*at]).is_some_and(is_named),
            };
            let folders = self.folders.matches(path).into_iter().map(|folder| self.folders_at[folder]);
            folders.filter(stands_for_it).min()
        })?;
        self.texts.get(first).map(String::as_str)
    }

    pub(super) fn holds(&self, path: &str, form: Form, reach: Reach) -> bool {
        self.find(path, form, reach).is_some()
    }

    /// Whether one of them names the store's own files.
    pub(super) fn names_the_store(&self) -> bool {
        self.texts.iter().any(|text| text == STORE || text.starts_with(".kenning/"))
    }

    /// A path, if that is all there is.
    pub(super) fn literal(&self) -> Option<&str> {
        match self.texts.as_slice() {
            [one] if !one.contains(['*', '?', '[', '{', '\\']) => Some(one),
            _ => None,
        }
    }

    pub(super) fn said(&self) -> String {
        self.texts.iter().map(|text| format!("`{text}`")).collect::<Vec<_>>().join(" or ")
    }
}

/// The folder below which a glob means everything.
fn folder(glob: &str) -> Option<&str> {
    let folder = glob.strip_suffix("/**").or_else(|| glob.strip_suffix("/**/*"))?;
    (!folder.is_empty() && folder != "**").then_some(folder)
}

/// Whether the last part of a path has a name, or one of a few.
fn is_named(path: &str) -> bool {
    !path.rsplit('/').next().unwrap_or_default().contains(['*', '?', '['])
}
