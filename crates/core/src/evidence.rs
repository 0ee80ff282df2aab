//! Evidence as people write it: `commit:abc123`, `#42`, `docs/adr/7.md` (ENT-4).

use crate::fields::relative_path;
use crate::kinds::EvidenceType;
use crate::limits::WORD_CHARS_MAX;
use crate::words::nearest;

/// How evidence begins that rests on a person's word: `said:Ada`, a spelling of `transcript:said:Ada`.
pub(crate) const SAID: &str = "said";

/// A parsed reference to evidence, not yet looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// What kind of thing.
    pub evidence_type: EvidenceType,
    pub evidence_ref: String,
}

impl Reference {
    /// Reads `type:ref`, or a bare ref whose type can be told from its form.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if let Some((word, rest)) = text.split_once(':') {
            // `url:` is a spelling of `doc:` (COR-17); what it names is an address.
            if word.eq_ignore_ascii_case("url") {
                if !rest.contains("://") {
                    return Err(format!(
                        "{text:?} is not a URL; write url:https://..., or doc:PATH for a file"
                    ));
                }
                return Reference::with_type(EvidenceType::Doc, rest);
            }
            // What a person said is a transcript that nobody kept (COR-24).
            if word.eq_ignore_ascii_case(SAID) {
                return match rest.trim() {
                    "" => Err(format!("{text:?} names nobody; write said:NAME, the person who said it")),
                    by => Reference::with_type(EvidenceType::Transcript, &format!("{SAID}:{by}")),
                };
            }
            if let Some(evidence_type) = EvidenceType::from_word(word) {
                return Reference::with_type(evidence_type, rest);
            }
            let looks_like_kind =
                !rest.starts_with("//") && !rest.is_empty() && word.chars().all(|c| c.is_ascii_alphabetic());
            if looks_like_kind && !word.eq_ignore_ascii_case("sha256") && !word.eq_ignore_ascii_case("run") {
                let near = nearest(word, EvidenceType::WORDS.iter().copied());
                let near = near.map(|n| format!("did you mean `{n}:{rest}`? ")).unwrap_or_default();
                return Err(format!(
                    "unknown kind of evidence {text:?}; {near}allowed: commit:, pr:, doc:, url:, test:, transcript:, said:"
                ));
            }
        }
        Reference::with_type(infer(text)?, text)
    }

    /// Checks the form of a reference of a stated type.
    pub fn with_type(evidence_type: EvidenceType, text: &str) -> Result<Self, String> {
        let text = text.trim();
        let wrong = |wanted: &str| Err(format!("{text:?} is not {wanted}"));
        if text.is_empty() {
            return Err(format!("`{evidence_type}:` has no reference; write {evidence_type}:REF"));
        }
        if text.chars().count() > WORD_CHARS_MAX || text.chars().any(char::is_control) {
            return Err(format!(
                "a reference has at most {WORD_CHARS_MAX} characters and no control characters"
            ));
        }
        let evidence_ref = match evidence_type {
            EvidenceType::Commit => {
                let hex = text.len() >= 4 && text.len() <= 64 && text.bytes().all(|b| b.is_ascii_hexdigit());
                if !hex {
                    return wrong(
                        "a commit: write 4 to 64 hexadecimal digits, or HEAD, a branch or a tag of this repository",
                    );
                }
                text.to_ascii_lowercase()
            }
            EvidenceType::Pr => {
                let number = text.strip_prefix('#').unwrap_or(text);
                let url = text.starts_with("https://") || text.starts_with("http://");
                if !url && (number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit())) {
                    return wrong("a pull request: a number like #42, or its URL");
                }
                if url { text.to_owned() } else { number.to_owned() }
            }
            EvidenceType::Doc | EvidenceType::Test => {
                if text.to_ascii_lowercase().starts_with("file:") {
                    return Err(format!(
                        "{text:?} is a path on one machine; write a path inside the repository"
                    ));
                }
                if !text.contains("://") {
                    relative_path(text)?;
                }
                text.to_owned()
            }
            EvidenceType::Transcript => {
                if text.starts_with('/')
                    || text.starts_with("~/")
                    || text.contains(":\\")
                    || text.to_ascii_lowercase().starts_with("file:")
                {
                    return Err(format!(
                        "{text:?} is a path on one machine; write its hash, sha256:..., or the run"
                    ));
                }
                text.to_owned()
            }
        };
        Ok(Reference { evidence_type, evidence_ref })
    }

    /// The path to look for, if the evidence is a file of this repository.
    pub fn path(&self) -> Option<&str> {
        let file = matches!(self.evidence_type, EvidenceType::Doc | EvidenceType::Test)
            && !self.evidence_ref.contains("://");
        if !file {
            return None;
        }
        let text = self.evidence_ref.split_once('#').map_or(self.evidence_ref.as_str(), |(path, _)| path);
        match text.rsplit_once(':') {
            Some((path, lines)) if lines.starts_with(|c: char| c.is_ascii_digit()) => Some(path),
            _ => Some(text.split_once("::").map_or(text, |(path, _)| path)),
        }
    }
}

/// The type of a bare reference, told from its form.
fn infer(text: &str) -> Result<EvidenceType, String> {
    if text.is_empty() {
        return Err("is empty; write commit:HASH, pr:#N, doc:PATH, test:PATH or transcript:REF".to_owned());
    }
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    let hex = text.bytes().all(|b| b.is_ascii_hexdigit());
    if text.starts_with('#') && text.len() > 1 && text[1..].bytes().all(|b| b.is_ascii_digit()) {
        return Ok(EvidenceType::Pr);
    }
    if digits && text.len() < 7 {
        return Err(format!(
            "{text:?} could be a pull request or a commit; write pr:#{text} or commit:{text}"
        ));
    }
    if hex && (7..=64).contains(&text.len()) {
        return Ok(EvidenceType::Commit);
    }
    if text.starts_with("sha256:") || text.starts_with("run:") || text.starts_with("run-") {
        return Ok(EvidenceType::Transcript);
    }
    if text.contains("://") {
        return Ok(EvidenceType::Doc);
    }
    if text.contains('/') || text.contains('.') {
        let lower = text.to_lowercase();
        let file = lower.rsplit('/').next().unwrap_or(&lower);
        let test =
            lower.split('/').any(|part| matches!(part, "test" | "tests" | "spec" | "specs" | "__tests__"))
                || file.starts_with("test_")
                || file.contains("_test.")
                || file.contains(".test.")
                || file.contains(".spec.");
        return Ok(if test { EvidenceType::Test } else { EvidenceType::Doc });
    }
    Err(format!(
        "{text:?} is ambiguous; write commit:{text}, pr:{text}, doc:{text}, test:{text} or transcript:{text}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_is_told_from_the_form() {
        let cases = [
            ("commit:abc123", "commit abc123"),
            ("ABCDEF0", "commit abcdef0"),
            ("#42", "pr 42"),
            ("pr:42", "pr 42"),
            ("docs/adr/7.md", "doc docs/adr/7.md"),
            ("README.md", "doc README.md"),
            ("https://example.org/x", "doc https://example.org/x"),
            ("url:https://example.org/x", "doc https://example.org/x"),
            ("tests/login.rs", "test tests/login.rs"),
            ("src/a_test.go", "test src/a_test.go"),
            ("sha256:00ff", "transcript sha256:00ff"),
            ("run-7", "transcript run-7"),
            ("said:Ada", "transcript said:Ada"),
            ("Said: Ada", "transcript said:Ada"),
            ("transcript:said:Ada", "transcript said:Ada"),
        ];
        for (text, expected) in cases {
            let read = Reference::parse(text).unwrap();
            assert_eq!(format!("{} {}", read.evidence_type, read.evidence_ref), expected);
        }
    }

    #[test]
    fn what_cannot_be_told_is_refused_with_the_choices() {
        let cases = [
            ("1234", "pr:#1234 or commit:1234"),
            ("hello", "commit:hello"),
            ("comit:abc123", "did you mean `commit:abc123`"),
            ("commit:xyz", "hexadecimal"),
            (
                "doc:../../etc/passwd",
                "\"../../etc/passwd\" points outside the repository; write a path inside it",
            ),
            ("doc:/etc/passwd", "absolute"),
            ("pr:none", "pull request"),
            ("said:", "write said:NAME, the person who said it"),
            ("url:docs/adr/7.md", "write url:https://..., or doc:PATH"),
            ("", "is empty; write commit:HASH"),
            ("test:", "`test:` has no reference; write test:REF"),
        ];
        let mut wrong = Vec::new();
        for (text, words) in cases {
            let error = Reference::parse(text).unwrap_err();
            if !error.contains(words) {
                wrong.push(format!("{text}: {words:?} is not in {error:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn the_file_behind_a_reference_is_found() {
        let path = |text| Reference::parse(text).unwrap().path().map(str::to_owned);
        assert_eq!(path("doc:docs/a.md:12-14").as_deref(), Some("docs/a.md"));
        assert_eq!(path("test:tests/a.rs::works").as_deref(), Some("tests/a.rs"));
        assert_eq!(path("doc:docs/a.md#intro").as_deref(), Some("docs/a.md"));
        assert_eq!(path("https://example.org/x"), None);
    }
}
