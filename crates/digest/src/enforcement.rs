//! How a norm could be checked by a machine, where its words leave no doubt (GAT-3). In doubt there is none, and the norm is advice.

use std::sync::LazyLock;

use ken_core::kinds::Polarity;
use regex::Regex;
use serde_json::{Value, json};

use crate::cue::CONVENTIONAL;
use crate::proposal::Proposal;

static CONVENTIONAL_COMMITS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\bconventional[- ]commits?\b").expect("a constant"));
static SIGN_OFF: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\bsign[- ]?off (?:every|each|all|your) commits?\b|\bcommits? (?:must|should|have to|need to) be signed[- ]off\b").expect("a constant")
});
static EDIT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"\b(?:edit|touch|modify|change|alter)(?: any| the| files?| anything| code)* $",
        r"|\b(?:edit|touch|modify|change|alter)(?: [a-z]+){1,4} (?:in|under|below) $",
    ))
    .expect("a constant")
});
static CHANGED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^.{0,60} (?:be|get) (?:edited|touched|modified|changed|altered)\b").expect("a constant")
});
static BY_HAND: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\bby hand\b|\bmanual(?:ly)?\b|\bdirectly\b|\bwithout\b|\bunless\b|\bexcept\b|\bbefore\b")
        .expect("a constant")
});
static EVERY_CHANGE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:every|any|each|all)?\s*(?:code )?changes? (?:to|in|under|of|below)\b.*?\b(?:needs?|requires?|must (?:come with|have|include|bring)|comes? with)\b(.*)$")
        .expect("a constant")
});
static TIER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(low|medium|high|critical)(?:[- ]risk| tier)\b").expect("a constant"));

impl Proposal {
    /// The enforcement that it proposes.
    pub fn enforcement(&self) -> Value {
        let mut value = match self {
            // What a program makes is in changes as well: only the edits of an agent can be told apart.
            Proposal::ProtectedPaths { globs, by_hand: true, .. } => {
                json!({"kind": "mechanical", "check": "actions", "rules": [format!("edit: {}", globs.join(" "))]})
            }
            Proposal::ProtectedPaths { globs, by_hand: false, .. } => {
                json!({"kind": "mechanical", "check": "protected_paths", "forbid": globs})
            }
            Proposal::InsteadOf { commands, instead } => {
                let rules: Vec<String> =
                    commands.iter().map(|command| format!("command: {command}")).collect();
                json!({"kind": "mechanical", "check": "instead_of", "rules": rules, "instead": instead})
            }
            Proposal::BeforeCommit { run, files } => {
                json!({"kind": "mechanical", "check": "before_commit", "run": run, "files": files})
            }
        };
        if let Proposal::ProtectedPaths { by_hand: true, instead: Some(instead), .. } = self {
            value["instead"] = Value::from(instead.as_str());
        }
        if value["files"].as_array().is_some_and(Vec::is_empty)
            && let Some(map) = value.as_object_mut()
        {
            map.remove("files");
        }
        value
    }

    /// Whether the rule asks or forbids.
    pub fn polarity(&self) -> Polarity {
        match self {
            Proposal::ProtectedPaths { .. } | Proposal::InsteadOf { .. } => Polarity::Negative,
            Proposal::BeforeCommit { .. } => Polarity::Positive,
        }
    }
}

/// Words as a norm's check needs them: what it says in lower case, and the names in it as they are written.
pub(crate) struct NormSentence<'a> {
    /// The sentence in lower case.
    pub lower: &'a str,
    /// The names in it, with the byte they begin at.
    pub names: &'a [(usize, String)],
    pub negative: bool,
    /// What made it a norm.
    pub cue: &'a str,
}

/// How it could be checked.
pub(crate) fn enforcement(said: &NormSentence<'_>) -> Option<Value> {
    if !said.negative && (said.cue == CONVENTIONAL || CONVENTIONAL_COMMITS.is_match(said.lower)) {
        return Some(json!({"kind": "mechanical", "rule": "conventional_commits"}));
    }
    if !said.negative && SIGN_OFF.is_match(said.lower) {
        return Some(json!({"kind": "mechanical", "rule": "signed_off"}));
    }
    let globs =
        |names: &[(usize, String)]| names.iter().filter_map(|(_, name)| glob(name)).collect::<Vec<_>>();
    if let Some(tier) = TIER.captures(said.lower).filter(|_| !globs(said.names).is_empty()) {
        return Some(json!({"kind": "tier", "tier": &tier[1], "paths": globs(said.names)}));
    }
    // What may not be edited by hand may be edited by a tool: nobody can tell the two apart in a change.
    if said.negative && !BY_HAND.is_match(said.lower) {
        let forbid = globs(said.names);
        let begins = said.names.first().map_or(0, |(at, _)| *at);
        let plain =
            EDIT.is_match(said.lower.get(..begins).unwrap_or_default()) || CHANGED.is_match(said.lower);
        return (plain && !forbid.is_empty() && forbid.len() == said.names.len())
            .then(|| json!({"kind": "mechanical", "check": "paths", "forbid": forbid}));
    }
    let change = EVERY_CHANGE.captures(said.lower).filter(|_| !said.negative)?;
    let asked = change.get(1)?;
    let (when, need): (Vec<_>, Vec<_>) = said.names.iter().cloned().partition(|(at, _)| *at < asked.start());
    let (when, mut need) = (globs(&when), globs(&need));
    if need.is_empty()
        && Regex::new(r"^ (?:an? )?(?:new )?tests?\b").expect("a constant").is_match(asked.as_str())
    {
        need.push("tests/**".to_owned());
    }
    let plain = !when.is_empty() && !need.is_empty();
    plain.then(|| json!({"kind": "mechanical", "check": "required_file", "when": when, "need": need}))
}

/// The pattern that a name of files means; none if it names no files.
pub(crate) fn glob(name: &str) -> Option<String> {
    let fits =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '*' | '{' | '}' | ',');
    let inside = ken_core::fields::relative_path(name.trim_end_matches('/')).is_ok();
    if !name.chars().all(fits) || !inside || name.starts_with('-') || !name.contains(['/', '.']) {
        return None;
    }
    if let Some(folder) = name.strip_suffix('/') {
        return Some(format!("{folder}/**"));
    }
    let last = name.rsplit('/').next().unwrap_or(name);
    let is_file = last.contains('*')
        || last
            .rsplit_once('.')
            .is_some_and(|(stem, end)| !end.is_empty() && (!stem.is_empty() || name.contains('/')));
    match is_file {
        true => Some(name.to_owned()),
        false if name.contains('/') => Some(format!("{name}/**")),
        false => None,
    }
}
