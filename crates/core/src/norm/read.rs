//! Reads the `enforcement` of a norm strictly, and names everything that is wrong with it at once.

use serde_json::{Map, Value};

use super::{
    Applies, Check, Classifier, Counts, Each, Enforcement, Except, Needed, On, RULES, RequiredFile, Tier, Who,
};
use crate::action::Rule;
use crate::fields::relative_path;
use crate::kinds::Type;
use crate::limits::norm_read::{LIST_MAX, SLIP_MAX, TEXT_CHARS_MAX};
use crate::refusal::Fault;
use crate::step::Step;
use crate::words::nearest;

const KINDS: &[&str] = &["mechanical", "attested", "advisory", "tier"];
const CHECKS: &[&str] = &[
    "commit_message",
    "paths",
    "content",
    "required_file",
    "command",
    "actions",
    "protected_paths",
    "instead_of",
    "before_commit",
];
const FIELD: &str = "enforcement";

/// Reads how a norm is checked. Nothing said is an advisory norm.
pub fn read(kind: Type, enforcement: Option<&Value>) -> Result<(Enforcement, Applies), Vec<Fault>> {
    match enforcement {
        None | Some(Value::Null) => Ok((Enforcement::Advisory { text: None }, Applies::default())),
        Some(Value::String(text)) => {
            bare(text).map(|read| (read, Applies::default())).map_err(|fault| vec![fault])
        }
        Some(Value::Object(map)) => object(kind, map),
        Some(other) => Err(vec![fault(
            FIELD,
            format!(
                "{} is not an enforcement; expected an object with a \"kind\", or a string",
                shown(other)
            ),
        )]),
    }
}

/// A word or a text instead of an object.
fn bare(text: &str) -> Result<Enforcement, Fault> {
    let text = text.trim();
    let word = text.to_lowercase();
    let meant = KINDS.iter().find(|kind| strsim::levenshtein(kind, &word) <= SLIP_MAX);
    match (word.as_str(), meant) {
        ("", _) => Ok(Enforcement::Advisory { text: None }),
        ("advisory", _) => Ok(Enforcement::Advisory { text: None }),
        ("attested", _) => Ok(Enforcement::Attested { by: Vec::new(), who: Who::Anyone }),
        ("mechanical", _) => Err(fault(
            FIELD,
            "mechanical needs a check or a rule, such as {\"kind\":\"mechanical\",\"rule\":\"conventional_commits\"}",
        )),
        ("tier", _) => Err(fault(
            FIELD,
            "tier needs what makes a change risky, such as {\"kind\":\"tier\",\"tier\":\"high\",\"paths\":[\"migrations/**\"]}",
        )),
        (_, Some(meant)) => {
            Err(fault(FIELD, format!("unknown kind of enforcement {text:?}; did you mean {meant:?}?")))
        }
        (_, None) if text.starts_with(['{', '[']) => {
            Err(fault(FIELD, "it looks like JSON but cannot be parsed; check quotes and commas"))
        }
        (_, None) => Ok(Enforcement::Advisory { text: Some(text.to_owned()) }),
    }
}

/// Why a word is refused as the enforcement of a norm that is stated now: nothing would ever check it. None for a word with a meaning,
/// and for a sentence, which is shown beside the rule.
pub fn unknown_enforcement(text: &str) -> Option<String> {
    let text = text.trim();
    let word = text.to_lowercase().split_whitespace().collect::<Vec<_>>().join("_").replace('-', "_");
    if let Some(rule) = RULES.iter().find(|rule| rule.name == word) {
        return Some(format!(
            "{text:?} is a rule, and a rule is given as JSON: {{\"kind\":\"mechanical\",\"rule\":\"{}\"}}",
            rule.name
        ));
    }
    if text.contains(char::is_whitespace) || text.starts_with(['{', '[']) {
        return None;
    }
    // A kind, or a slip in one, is answered where the whole enforcement is read.
    if KINDS.iter().any(|kind| strsim::levenshtein(kind, &word) <= SLIP_MAX) {
        return None;
    }
    let rules: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
    Some(format!(
        "unknown enforcement {text:?}; allowed: advisory, attested, or JSON such as \
         {{\"kind\":\"mechanical\",\"rule\":\"NAME\"}} with one of the rules {}",
        rules.join(", ")
    ))
}

fn object(kind: Type, map: &Map<String, Value>) -> Result<(Enforcement, Applies), Vec<Fault>> {
    let mut faults = Vec::new();
    let mut members = Members::new(map, FIELD, &mut faults);
    let enforcement = enforcement(kind, &mut members);
    let applies = applies(kind, &mut members);
    // Who does not know the kind does not know its members.
    if enforcement.is_some() || !members.is_lost {
        members.report_unknown();
    }
    match enforcement {
        Some(enforcement) if faults.is_empty() => Ok((enforcement, applies)),
        Some(_) | None => Err(faults),
    }
}

fn enforcement(kind: Type, members: &mut Members<'_>) -> Option<Enforcement> {
    let word = match members.text("kind") {
        Some(word) => word,
        None if members.has("kind") => return members.lose(),
        None if members.has("check") || members.has("rule") => "mechanical".to_owned(),
        None => {
            members.fault("kind", format!("it is missing; expected one of {}", KINDS.join(", ")));
            return members.lose();
        }
    };
    match (word.as_str(), kind) {
        ("mechanical" | "attested", Type::RiskTier) => {
            members.fault("kind", format!("a risk_tier cannot use {word:?}; use tier or advisory"));
            members.lose()
        }
        ("mechanical", _) => check(members).map(Enforcement::Mechanical),
        ("attested", _) => {
            let by = members.texts("by");
            let who = if members.flag("another") { Who::Another } else { Who::Anyone };
            Some(Enforcement::Attested { by, who })
        }
        ("advisory", _) => Some(Enforcement::Advisory { text: members.text("text") }),
        ("tier", Type::RiskTier) => classifier(members).map(Enforcement::Tier),
        ("tier", other) => {
            members.fault(
                "kind",
                format!("only a risk_tier can use tier, and this is {}", crate::words::with_article(other)),
            );
            members.lose()
        }
        (other, _) => {
            members.fault("kind", unknown_word(other, KINDS));
            members.lose()
        }
    }
}

fn check(members: &mut Members<'_>) -> Option<Check> {
    let rules: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
    let (check, rule) = (members.text("check"), members.text("rule"));
    match (check, rule) {
        (Some(_), Some(_)) => {
            members.fault("rule", "a norm has a check or a rule, not both");
            members.lose()
        }
        (None, None) => {
            if !members.has("check") && !members.has("rule") {
                members.fault(
                    "check",
                    format!(
                        "a mechanical norm needs a check ({}) or a rule ({})",
                        CHECKS.join(", "),
                        rules.join(", ")
                    ),
                );
            }
            members.lose()
        }
        (None, Some(name)) => match RULES.iter().find(|rule| rule.name == name) {
            Some(rule) => (rule.read)(members),
            None => {
                let problem = match CHECKS.contains(&name.as_str()) {
                    true => format!("{name:?} is a check; write it as \"check\""),
                    false => unknown_word(&name, &rules),
                };
                members.fault("rule", problem);
                members.lose()
            }
        },
        (Some(name), None) => match name.as_str() {
            "commit_message" => {
                let (pattern, forbid) = (members.text("pattern"), members.text("forbid"));
                members.needs(
                    "pattern",
                    pattern.is_some() || forbid.is_some(),
                    "give a pattern each message must match, or one it must not match with forbid",
                )?;
                Some(Check::CommitMessage { pattern, forbid })
            }
            "paths" | "protected_paths" => {
                let forbid = members.globs("forbid");
                members.needs("forbid", !forbid.is_empty(), "name globs, such as [\"vendor/**\"]")?;
                Some(Check::Paths { forbid })
            }
            "content" => {
                let files = members.globs("files");
                let (forbid, require) = (members.text("forbid"), members.text("require"));
                members.needs(
                    "forbid",
                    forbid.is_some() || require.is_some(),
                    "give a pattern no added line may match, or one files must match with require",
                )?;
                Some(Check::Content { files, forbid, require })
            }
            "required_file" => {
                let (when, need) = (members.globs("when"), members.globs("need"));
                let place = members.place();
                members.needs("need", !need.is_empty(), "name globs, such as [\"CHANGELOG.md\"]")?;
                Some(Check::RequiredFile(RequiredFile {
                    when,
                    counts: Counts::Touched,
                    need,
                    each: Each::Some,
                    place,
                }))
            }
            "command" => {
                let run = members.text("run");
                members.needs(
                    "run",
                    run.is_some(),
                    "name the program and its arguments, such as \"cargo test\"",
                )?;
                match Step::parse(&format!("command {}", run?)) {
                    Ok(Step::Command { words }) => Some(Check::Command { words }),
                    Ok(Step::Exists { .. } | Step::Grep { .. } | Step::Test { .. }) => {
                        members.fault(
                            "run",
                            "it contains no program; to check files use required_file or content",
                        );
                        None
                    }
                    Err(why) => {
                        members.fault("run", why);
                        None
                    }
                }
            }
            "before_commit" => {
                let (run, files) = (members.text("run"), members.globs("files"));
                members.needs("run", run.is_some(), "name the command, such as \"cargo fmt\"")?;
                let run = run?.split_whitespace().collect::<Vec<_>>().join(" ");
                Some(Check::BeforeCommit { run, files })
            }
            "actions" | "instead_of" => {
                let (texts, instead) = (members.texts("rules"), members.text("instead"));
                members.needs(
                    "instead",
                    instead.is_some() || name == "actions",
                    "say what to do instead, such as \"just test\"",
                )?;
                members.needs(
                    "rules",
                    !texts.is_empty(),
                    "name what is forbidden, such as [\"command: git push --force main\", \"edit: src/generated/**\"]",
                )?;
                let mut rules = Vec::new();
                for text in &texts {
                    match Rule::parse(text) {
                        Ok(rule) => rules.push(rule),
                        Err(why) => {
                            members.fault("rules", format!("{}: {why}", shown(&Value::from(text.as_str()))))
                        }
                    }
                }
                (rules.len() == texts.len()).then_some(Check::Actions { rules, instead })
            }
            other => {
                let problem = match rules.contains(&other) {
                    true => format!("{other:?} is a rule; write it as \"rule\""),
                    false => unknown_word(other, CHECKS),
                };
                members.fault("check", problem);
                members.lose()
            }
        },
    }
}

fn classifier(members: &mut Members<'_>) -> Option<Classifier> {
    let tier = members.text("tier");
    members.needs(
        "tier",
        tier.is_some() || members.has("tier"),
        &format!("expected one of {}", words_of_tiers()),
    )?;
    let read = tier_of(&tier?);
    let paths = members.globs("paths");
    let (content, commits, lines) =
        (members.text("content"), members.text("commits"), members.number("lines"));
    let says_something = !paths.is_empty() || content.is_some() || commits.is_some() || lines.is_some();
    members.needs(
        "paths",
        says_something,
        "name what makes a change risky: paths, content, lines or commits",
    );
    match read {
        Ok(tier) => Some(Classifier { tier, paths, content, lines, commits }),
        Err(why) => {
            members.fault("tier", why);
            None
        }
    }
}

fn applies(kind: Type, members: &mut Members<'_>) -> Applies {
    let mut tiers = Vec::new();
    for word in members.texts("tiers") {
        match tier_of(&word) {
            Ok(tier) => tiers.push(tier),
            Err(why) => members.fault("tiers", why),
        }
    }
    if kind == Type::RiskTier && members.has("tiers") {
        members.fault("tiers", "a risk_tier defines the tier of a change and cannot depend on it");
    }
    const ON: &[&str] = &["merge", "release", "both"];
    let on = match members.text("on").as_deref() {
        None | Some("both") => On::Both,
        Some("merge") => On::Merge,
        Some("release") => On::Release,
        Some(other) => {
            members.fault("on", unknown_word(other, ON));
            On::Both
        }
    };
    let except = match members.member("except") {
        None | Some(Value::Null) => Except::default(),
        Some(Value::Object(map)) => {
            let mut inner = Members::new(map, "enforcement.except", members.faults);
            let except = Except {
                paths: inner.globs("paths"),
                commits: inner.text("commits"),
                authors: inner.texts("authors"),
            };
            inner.report_unknown();
            except
        }
        Some(other) => {
            let problem = format!(
                "{} is not an object; expected {{\"paths\":[...],\"commits\":\"...\",\"authors\":[...]}}",
                shown(other)
            );
            members.fault("except", problem);
            Except::default()
        }
    };
    Applies { tiers, on, except }
}

fn tier_of(word: &str) -> Result<Tier, String> {
    let known: Vec<&str> = Tier::ALL.iter().map(|tier| tier.word()).collect();
    Tier::ALL.iter().find(|tier| tier.word() == word).copied().ok_or_else(|| unknown_word(word, &known))
}

fn words_of_tiers() -> String {
    Tier::ALL.iter().map(|tier| tier.word()).collect::<Vec<_>>().join(", ")
}

/// The members of an object while they are read: each that was asked for is known, the others are faults.
pub(super) struct Members<'a> {
    map: &'a Map<String, Value>,
    field: &'static str,
    faults: &'a mut Vec<Fault>,
    known: Vec<&'static str>,
    is_lost: bool,
}

impl<'a> Members<'a> {
    fn new(map: &'a Map<String, Value>, field: &'static str, faults: &'a mut Vec<Fault>) -> Members<'a> {
        Members { map, field, faults, known: Vec::new(), is_lost: false }
    }

    fn has(&self, name: &str) -> bool {
        self.map.get(name).is_some_and(|value| !value.is_null())
    }

    fn member(&mut self, name: &'static str) -> Option<&'a Value> {
        if !self.known.contains(&name) {
            self.known.push(name);
        }
        self.map.get(name).filter(|value| !value.is_null())
    }

    fn fault(&mut self, name: &str, problem: impl Into<String>) {
        self.faults.push(fault(format!("{}.{name}", self.field), problem));
    }

    /// Says that the other members cannot be understood.
    fn lose<T>(&mut self) -> Option<T> {
        self.is_lost = true;
        None
    }

    pub(super) fn text(&mut self, name: &'static str) -> Option<String> {
        match self.member(name)? {
            Value::String(text) if text.trim().is_empty() => {
                self.fault(name, "it is empty; give a value or omit it");
                None
            }
            Value::String(text) if text.chars().count() > TEXT_CHARS_MAX => {
                self.fault(name, format!("it has more than {TEXT_CHARS_MAX} characters"));
                None
            }
            Value::String(text) => Some(text.clone()),
            other => {
                let problem = format!("{} is not a string; expected one quoted string", shown(other));
                self.fault(name, problem);
                None
            }
        }
    }

    /// A list of texts; one text alone is a list of one.
    pub(super) fn texts(&mut self, name: &'static str) -> Vec<String> {
        let items = match self.member(name) {
            None => return Vec::new(),
            Some(Value::Array(items)) => items.iter().collect(),
            Some(one) => vec![one],
        };
        if items.is_empty() {
            self.fault(name, "the list is empty; add a value or omit it");
        }
        if items.len() > LIST_MAX {
            self.fault(name, format!("it lists more than {LIST_MAX}"));
        }
        let mut texts = Vec::new();
        for item in items {
            match item {
                Value::String(text) if text.trim().is_empty() => self.fault(name, "one of the list is empty"),
                Value::String(text) if text.chars().count() > TEXT_CHARS_MAX => {
                    self.fault(
                        name,
                        format!("an item of the list has more than {TEXT_CHARS_MAX} characters"),
                    );
                }
                Value::String(text) => texts.push(text.clone()),
                other => {
                    let problem = format!("{} is not a string; expected a list of strings", shown(other));
                    self.fault(name, problem);
                }
            }
        }
        texts
    }

    /// A list of globs, relative to the top of the repository. `docs/` is everything below it.
    pub(super) fn globs(&mut self, name: &'static str) -> Vec<String> {
        let mut globs = Vec::new();
        for text in self.texts(name) {
            let glob = text.strip_prefix("./").unwrap_or(&text);
            if let Err(why) = relative_path(glob) {
                self.fault(name, why);
                continue;
            }
            globs.push(if glob.ends_with('/') { format!("{glob}**") } else { glob.to_owned() });
        }
        globs
    }

    pub(super) fn number(&mut self, name: &'static str) -> Option<u32> {
        let value = self.member(name)?;
        let number =
            value.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| *number > 0);
        if number.is_none() {
            self.fault(name, format!("{} is not a whole number of at least 1", shown(value)));
        }
        number
    }

    /// Whether what is needed has to be in the tree, or in the change.
    pub(super) fn place(&mut self) -> Needed {
        if self.flag("exists") { Needed::InTheTree } else { Needed::InTheChange }
    }

    fn flag(&mut self, name: &'static str) -> bool {
        match self.member(name) {
            None => false,
            Some(Value::Bool(flag)) => *flag,
            Some(other) => {
                let problem = format!("{} is neither true nor false", shown(other));
                self.fault(name, problem);
                false
            }
        }
    }

    /// Reports what is missing, unless something wrong was reported in its place already.
    pub(super) fn needs(&mut self, name: &str, is_there: bool, wanted: &str) -> Option<()> {
        if is_there {
            return Some(());
        }
        if !self.has(name) {
            self.fault(name, format!("it is missing; {wanted}"));
        }
        None
    }

    fn report_unknown(&mut self) {
        let unknown: Vec<&String> =
            self.map.keys().filter(|name| !self.known.contains(&name.as_str())).collect();
        for name in unknown {
            let problem = match nearest(name, self.known.iter().copied()) {
                Some(near) => format!("unknown field; did you mean {near:?}?"),
                None => format!("unknown field; allowed: {}", self.known.join(", ")),
            };
            self.fault(name, problem);
        }
    }
}

fn fault(field: impl Into<String>, problem: impl Into<String>) -> Fault {
    Fault { field: field.into(), problem: problem.into() }
}

fn unknown_word(word: &str, known: &[&str]) -> String {
    let meant = nearest(word, known.iter().copied());
    let meant = meant.map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
    format!("{word:?} is not one of {}{meant}", known.join(", "))
}

/// A value as a message quotes it.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => format!("{:?}", crate::words::one_line(text, 60)),
    }
}
