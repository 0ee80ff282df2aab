//! The languages that are read by their grammar.

use serde::{Deserialize, Serialize};

/// A language with a grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Language {
    Rust,
    Python,
    TypeScript,
    /// JavaScript, and TypeScript with elements in it: one grammar reads both.
    JavaScript,
    Go,
    Java,
    C,
    Cpp,
    Ruby,
    Shell,
}

/// Raised whenever the same text would get other tokens, or other names: prints of two versions are not comparable.
pub const PRINT_VERSION: u32 = 1;

impl Language {
    /// Every language there is a grammar for, in this build or another.
    pub const ALL: [Self; 10] = [
        Self::Rust,
        Self::Python,
        Self::TypeScript,
        Self::JavaScript,
        Self::Go,
        Self::Java,
        Self::C,
        Self::Cpp,
        Self::Ruby,
        Self::Shell,
    ];

    /// The language of a file, by its name; else by the `#!` line it begins with.
    pub fn detect(path: &str, first_line: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        if matches!(name, "Gemfile" | "Rakefile") {
            return Some(Self::Ruby);
        }
        name.rsplit_once('.')
            .and_then(|(_, extension)| by_extension(extension))
            .or_else(|| by_line(first_line))
    }

    /// What it is called in files and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Python => "python",
            Self::TypeScript => "typescript",
            Self::JavaScript => "javascript",
            Self::Go => "go",
            Self::Java => "java",
            Self::C => "c",
            Self::Cpp => "cpp",
            Self::Ruby => "ruby",
            Self::Shell => "shell",
        }
    }

    /// Whether this build can read it.
    pub fn is_built_in(self) -> bool {
        match self {
            Self::Rust => cfg!(feature = "rust"),
            Self::Python => cfg!(feature = "python"),
            Self::TypeScript | Self::JavaScript => cfg!(feature = "typescript"),
            Self::Go => cfg!(feature = "go"),
            Self::Java => cfg!(feature = "java"),
            Self::C => cfg!(feature = "c"),
            Self::Cpp => cfg!(feature = "cpp"),
            Self::Ruby => cfg!(feature = "ruby"),
            Self::Shell => cfg!(feature = "shell"),
        }
    }

    /// Who made the prints of a text: `rust.1`. Only prints by the same can be compared.
    pub fn by(self) -> String {
        format!("{}.{PRINT_VERSION}", self.word())
    }
}

fn by_extension(extension: &str) -> Option<Language> {
    Some(match extension.to_ascii_lowercase().as_str() {
        "rs" => Language::Rust,
        "py" | "pyi" => Language::Python,
        "ts" | "mts" | "cts" => Language::TypeScript,
        "js" | "mjs" | "cjs" | "jsx" | "tsx" => Language::JavaScript,
        "go" => Language::Go,
        "java" => Language::Java,
        "c" | "h" => Language::C,
        "cc" | "cpp" | "cxx" | "hpp" | "hh" | "hxx" | "inl" => Language::Cpp,
        "rb" | "rake" => Language::Ruby,
        "sh" | "bash" => Language::Shell,
        _ => return None,
    })
}

fn by_line(line: &str) -> Option<Language> {
    let mut words =
        line.strip_prefix("#!")?.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let program = words.find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='))?;
    match program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
        "sh" | "bash" => Some(Language::Shell),
        "python" => Some(Language::Python),
        "ruby" => Some(Language::Ruby),
        "node" => Some(Language::JavaScript),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_known_by_name_or_first_line() {
        for (path, first_line, word) in [
            ("src/lib.rs", "", "rust"),
            ("a/b.PY", "", "python"),
            ("a.pyi", "", "python"),
            ("a.mts", "", "typescript"),
            ("a.tsx", "", "javascript"),
            ("a.cjs", "", "javascript"),
            ("a.go", "", "go"),
            ("A.java", "", "java"),
            ("a.h", "", "c"),
            ("a.hpp", "", "cpp"),
            ("lib/Rakefile", "", "ruby"),
            ("run.bash", "", "shell"),
            ("run", "#!/bin/sh -e", "shell"),
            ("run", "#!/usr/bin/env -S python3.12 -u", "python"),
            ("run.in", "#! /usr/bin/env LANG=C ruby", "ruby"),
            ("bin/cli", "#!/usr/bin/node", "javascript"),
            ("run", "#!/usr/bin/perl", "none"),
            ("rs", "", "none"),
            ("README.md", "# python", "none"),
            ("", "", "none"),
        ] {
            assert_eq!(
                Language::detect(path, first_line).map_or("none", Language::word),
                word,
                "{path} {first_line}"
            );
        }
    }

    #[test]
    fn prints_say_who_made_them() {
        assert_eq!(Language::Rust.by(), "rust.1");
        let mut words = Language::ALL.map(Language::word).to_vec();
        words.dedup();
        assert_eq!(words.len(), Language::ALL.len());
    }
}
