//! `scan`: what the scanner says of texts, or of everything in the store.

use std::io;
use std::sync::LazyLock;

use ken_core::{Code, Refusal, Scope, Tier};
use ken_engine::intake::Objection;
use ken_engine::{Error, Result};
use ken_guard::Verdict;
use serde::Serialize;

use crate::Options;
use crate::request::Request;
use crate::scan::{StoreScan, scope_objections, tier};
use crate::verb::{Call, Content, Group, HttpPath, Nature, Verb, is_too_long, read_word, sorted};

/// Scan for secrets, prompt injection and unsafe commands.
pub struct Scan;

/// The tiers that a scan can fail on.
static TIERS: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| Tier::ALL[1..].iter().map(|tier| tier.word()).collect());
/// The scopes whose rules differ.
const SCOPES: &[&str] = &["project", "global"];

/// What `scan` takes.
#[derive(Clone, Debug, Request)]
pub struct ScanRequest {
    /// Files to scan (default: standard input)
    #[field(conflicts("jsonl", "stored"))]
    pub files: Vec<Content>,
    /// Scan the `text` field of each JSON line and print a verdict per line
    #[field(long, value_name = "FILE", conflicts("stored"))]
    pub jsonl: Option<String>,
    /// Scan all entries with the current rules and report what would change
    #[field(long)]
    pub stored: bool,
    /// Explain each finding: the rule, and why the text does not fit the scope
    #[field(long)]
    pub explain: bool,
    /// Scope whose rules apply: project or global
    #[field(long, value_name = "SCOPE", conflicts("jsonl", "stored"), words = SCOPES)]
    pub scope: Option<String>,
    /// Exit with 1 at this tier or above: low, medium, high (default) or critical
    #[field(long, value_name = "TIER", words = &TIERS)]
    pub fail_on: Option<String>,
}

impl ScanRequest {
    /// The tier from which on the scan finds something, where one is named.
    pub fn fail_on(&self) -> Result<Option<Tier>> {
        let read = |text: &str| read_word("fail-on", "tier", text, &TIERS, read_tier);
        self.fail_on.as_deref().map(read).transpose()
    }

    /// What texts are held against.
    pub fn rules(&self) -> Result<TextRules> {
        let read = |text: &str| read_word("scope", "scope", text, SCOPES, read_scope);
        let scope = self.scope.as_deref().map(read).transpose()?;
        let fail_on = self.fail_on()?.unwrap_or(Tier::High);
        Ok(TextRules { scope, explain: self.explain, fail_on })
    }
}

fn read_tier(word: &str) -> Option<Tier> {
    Tier::from_word(word).filter(|tier| *tier > Tier::Safe)
}

fn read_scope(word: &str) -> Option<Scope> {
    Scope::from_word(word).filter(|scope| SCOPES.contains(&scope.word()))
}

/// What texts are held against.
#[derive(Clone, Copy, Debug)]
pub struct TextRules {
    /// The scope that they should fit.
    pub scope: Option<Scope>,
    /// Whether rules and scopes are explained.
    pub explain: bool,
    /// The tier from which on a text is bad.
    pub fail_on: Tier,
}

impl TextRules {
    /// Scans a text; what names may not be said beyond the project is in the settings of the store that the options mean.
    pub fn judge(&self, options: &Options, text: &str) -> Result<JudgedText> {
        self.judge_with(text, |scope| scope_objections(options, text, scope))
    }

    fn judge_with(
        &self,
        text: &str,
        objections: impl FnOnce(Scope) -> Result<Vec<Objection>>,
    ) -> Result<JudgedText> {
        let verdict = ken_guard::scan(text);
        // Without a word, an explanation is about how far a text may reach; only what was asked for counts.
        let judged = self.scope.or(self.explain.then_some(Scope::Global));
        let fit = match judged {
            Some(scope) => {
                let objections = objections(scope)?;
                Some(ScopeFit { fits: objections.is_empty(), objections, scope })
            }
            None => None,
        };
        let misfit = self.scope.is_some() && fit.as_ref().is_some_and(|fit| !fit.fits);
        let is_bad = tier(verdict.tier) >= self.fail_on || misfit;
        Ok(JudgedText { verdict, fit, is_bad })
    }
}

/// What the scanner says of a text, with the places in its bytes.
#[derive(Clone, Debug)]
pub struct JudgedText {
    /// What was found.
    pub verdict: Verdict,
    /// Whether it may be said at a scope, where that was asked.
    pub fit: Option<ScopeFit>,
    /// It is bad enough to fail on.
    pub is_bad: bool,
}

/// What `scan` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScanAnswer {
    /// What was found.
    #[serde(flatten)]
    pub scanned: Scanned,
    /// It is bad enough to fail on.
    #[serde(skip)]
    pub is_bad: bool,
}

/// What was scanned.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Scanned {
    /// One text.
    Text(ScannedText),
    /// Several of them.
    Texts {
        /// Each of them.
        files: Vec<ScannedText>,
    },
    /// The store.
    Store(StoreScan),
}

/// What the scanner says of a text, for programs. Places are counted in characters.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScannedText {
    /// The file, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// What was found.
    pub findings: Vec<TextFinding>,
    /// The version of the rules.
    pub scanner: u32,
    /// Whether it may be said at a scope, where that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<ScopeFit>,
    /// How bad it is.
    pub tier: &'static str,
}

/// Something that was found in a text.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TextFinding {
    /// The axis of the rule.
    pub axis: &'static str,
    /// The character behind it.
    pub end: usize,
    /// The rule.
    pub rule: &'static str,
    /// How bad it is.
    pub severity: &'static str,
    /// Its first character.
    pub start: usize,
    /// What the rule is about, where that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<&'static str>,
}

/// Whether a text may be said at a scope.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScopeFit {
    /// It may.
    pub fits: bool,
    /// What speaks against it.
    #[serde(serialize_with = "sorted")]
    pub objections: Vec<Objection>,
    /// The scope.
    pub scope: Scope,
}

impl ScannedText {
    /// A verdict for programs.
    pub fn new(text: &str, verdict: &Verdict, explain: bool) -> ScannedText {
        let mut chars = Vec::with_capacity(verdict.findings.len() * 2);
        let mut marks: Vec<usize> = verdict.findings.iter().flat_map(|f| [f.start, f.end]).collect();
        marks.sort_unstable();
        let (mut byte, mut count) = (0, 0);
        for mark in marks {
            count += text.get(byte..mark).unwrap_or_default().chars().count();
            byte = mark;
            chars.push((mark, count));
        }
        let at = |byte: usize| match chars.binary_search_by_key(&byte, |(mark, _)| *mark) {
            Ok(found) | Err(found) => chars.get(found).map_or(0, |(_, count)| *count),
        };
        let findings = verdict.findings.iter().map(|finding| TextFinding {
            axis: finding.axis.word(),
            end: at(finding.end),
            rule: finding.rule,
            severity: finding.severity.word(),
            start: at(finding.start),
            why: explain.then(|| ken_guard::why(finding.rule)),
        });
        ScannedText {
            file: None,
            findings: findings.collect(),
            scanner: ken_guard::SCANNER,
            scope: None,
            tier: verdict.tier.word(),
        }
    }
}

impl Verb for Scan {
    const NAME: &'static str = "scan";
    const ABOUT: &'static str = "Scan for secrets, prompt injection and unsafe commands";
    const EXAMPLE: &'static str = "ken scan notes.md --explain";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/scan")];
    const GROUP: Group = Group::KeepClean;
    const NATURE: Nature = Nature::READS;
    // It names a file of this machine, and answers line by line.
    const AT_TERMINAL: &'static [&'static str] = &["jsonl"];
    type Request = ScanRequest;
    type Answer = ScanAnswer;

    fn run(call: &mut Call, request: ScanRequest) -> Result<ScanAnswer> {
        let fail_on = request.fail_on()?;
        check_store(call.options())?;
        if request.jsonl.is_some() {
            return Err(Refusal::new(Code::Invalid, "`jsonl` is available only on the command line")
                .field("jsonl")
                .into());
        }
        if request.stored {
            let report = crate::scan::scan_store(&call.reach()?.ledger)?;
            let is_bad = is_bad(&report, fail_on);
            return Ok(ScanAnswer { scanned: Scanned::Store(report), is_bad });
        }
        if request.files.is_empty() {
            return Err(Refusal::new(Code::Invalid, "there is nothing to scan").field("files").into());
        }
        let rules = request.rules()?;
        let is_one = request.files.len() == 1;
        let (mut files, mut is_bad) = (Vec::new(), false);
        for content in &request.files {
            let text = read_text(content, call.options())?;
            let judged = match call.opened() {
                Some(ken) => rules.judge_with(&text, |scope| {
                    Ok(crate::scan::objections_at_scope(&ken.site, &text, scope))
                })?,
                None => rules.judge(call.options(), &text)?,
            };
            is_bad |= judged.is_bad;
            let file = (!is_one).then(|| content.name());
            let scanned = ScannedText::new(&text, &judged.verdict, rules.explain);
            files.push(ScannedText { file, scope: judged.fit, ..scanned });
        }
        let scanned = match files.len() {
            1 => Scanned::Text(files.remove(0)),
            _ => Scanned::Texts { files },
        };
        Ok(ScanAnswer { scanned, is_bad })
    }

    fn finds(answer: &ScanAnswer) -> bool {
        answer.is_bad
    }
}

/// Refuses where a store is named that is none: `--store` means something else here than people think.
pub fn check_store(options: &Options) -> Result<()> {
    let Some(folder) = options.store.as_ref().filter(|_| options.find().is_none()) else {
        return Ok(());
    };
    let message = format!("{} is not a store; `--store` takes the folder of a store", folder.display());
    Err(Refusal::new(Code::NoStore, message)
        .hint("`ken scan FILE` scans a file; `ken scan --store` without a folder scans every entry")
        .field("store")
        .into())
}

/// Reads a text to be scanned. A scanner that stops at the first odd byte could be stopped with one.
pub fn read_text(content: &Content, options: &Options) -> Result<String> {
    let bytes = content.bytes(&options.from).map_err(|error| match content.name().as_str() {
        "-" if !is_too_long(&error) => Error::failed("reading standard input")(error),
        name => unreadable(name, error),
    })?;
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// What to say of a file that cannot be read.
pub fn unreadable(name: &str, error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::NotFound => {
            Refusal::new(Code::NotFound, format!("{name} does not exist")).field("file").into()
        }
        io::ErrorKind::IsADirectory => {
            Refusal::new(Code::Invalid, format!("{name} is a folder; name files instead"))
                .hint("git ls-files -z | xargs -0 ken scan")
                .field("file")
                .into()
        }
        _ if is_too_long(&error) => Refusal::new(Code::Invalid, format!("{name}: {error}"))
            .hint("scan it in parts: split -l 1000, or name the files one by one")
            .field("file")
            .into(),
        _ => Error::failed(format!("reading {name}"))(error),
    }
}

fn is_bad(report: &StoreScan, fail_on: Option<Tier>) -> bool {
    match fail_on {
        Some(tier) => Tier::ALL.iter().any(|known| *known >= tier && report.tiers.contains_key(known.word())),
        None => report.changes.iter().any(|change| change.now >= Tier::High),
    }
}
