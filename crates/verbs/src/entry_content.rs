//! What an entry says, as fields of a request: `add`, `edit`, `supersede` and `promote` share them.

use crate::request::Request;
use ken_core::schema;
use std::path::{Component, Path, PathBuf};

use ken_core::decide::OnConflict;
use ken_core::kinds::{DecayClass, Polarity, SpikeOutcome};
use ken_core::{Code, Refusal, Scope};
use ken_engine::Result;
use ken_engine::ops::add::{AddInput, DURABILITY_WORDS, OnAbsent};
use serde_json::{Map, Value, json};

/// What an entry says. Flags that can be given several times make lists.
#[derive(Clone, Debug, Default, Request)]
pub struct ContentRequest {
    /// Title, one line for lists
    #[field(long, heading = "Content")]
    pub title: Option<String>,
    /// Statement, one to three sentences
    #[field(long, heading = "Content")]
    pub statement: Option<String>,
    /// Summary, one line
    #[field(long, heading = "Content", hidden)]
    pub summary: Option<String>,
    /// Details that do not fit the statement
    #[field(long, heading = "Content")]
    pub detail: Option<String>,
    /// Evidence: commit:HASH, pr:#N, doc:PATH, test:PATH or transcript:REF
    #[field(long, alias = "provenance", value_name = "KIND:REF", heading = "Evidence")]
    pub evidence: Vec<String>,
    /// Code it describes: a path, lines of it or a symbol
    #[field(long, value_name = "PATH[:A-B|#SYMBOL]", heading = "Evidence")]
    pub anchor: Vec<String>,
    /// Verification step; may be given up to three times
    #[field(long, alias = "verification", value_name = "TEXT", heading = "Evidence")]
    pub verify: Vec<String>,
    /// Condition that must hold for the entry to be valid
    #[field(long, value_name = "COND", heading = "Evidence")]
    pub depends_on: Vec<String>,
    /// Tag; `/` nests, as in auth/jwt
    #[field(long, value_name = "T", heading = "Content")]
    pub tag: Vec<String>,
    /// Domain; `/` nests
    #[field(long, value_name = "D", heading = "Content")]
    pub domain: Vec<String>,
    /// Id to use instead of a generated one
    #[field(long)]
    pub id: Option<String>,
    /// Scope: thread, project or global
    #[field(long, words = Scope::WORDS)]
    pub scope: Option<String>,
    /// Thread (line of work) it belongs to
    #[field(long, hidden)]
    pub thread: Option<String>,
    /// Polarity: positive, negative or neutral
    #[field(long, words = Polarity::WORDS, hidden)]
    pub polarity: Option<String>,
    /// Decay class: ephemeral, stable or permanent
    #[field(long, value_name = "CLASS", words = DecayClass::WORDS, hidden)]
    pub decay_class: Option<String>,
    /// Decay class by durability: workaround, convention or principle
    #[field(long, value_name = "WORD", words = DURABILITY_WORDS, hidden)]
    pub durability: Option<String>,
    /// Unique key: at most one entry may have it
    #[field(long, value_name = "NAME", hidden)]
    pub merge_key: Option<String>,
    /// If the merge key is taken: merge, supersede or reject
    #[field(long, value_name = "WHAT", words = OnConflict::WORDS, hidden)]
    pub on_conflict: Option<String>,
    /// Subtype, such as technique, decision or tool_error
    #[field(long, hidden)]
    pub subtype: Option<String>,
    /// Subject, a word or two
    #[field(long, hidden)]
    pub subject: Option<String>,
    /// Reviewer the entry belongs to
    #[field(long, hidden)]
    pub reviewer: Option<String>,
    /// Role the entry is for
    #[field(long, hidden)]
    pub role: Option<String>,
    /// Severity, 0 to 10
    #[field(long, value_name = "0..10", hidden)]
    pub severity: Option<f64>,
    /// Confidence, 0 to 10
    #[field(long, value_name = "0..10", hidden)]
    pub confidence: Option<f64>,
    /// Entities: name
    #[field(long, heading = "Type-specific", hidden)]
    pub name: Option<String>,
    /// Entities: description
    #[field(long, heading = "Type-specific", hidden)]
    pub description: Option<String>,
    /// Custom field: NAME=VALUE
    #[field(long, value_name = "NAME=VALUE", heading = "Type-specific", hidden)]
    pub attribute: Vec<String>,
    /// Relationships: source entity
    #[field(long, heading = "Type-specific", hidden)]
    pub from: Option<String>,
    /// Relationships: kind of relation
    #[field(long, heading = "Type-specific", hidden)]
    pub relation: Option<String>,
    /// Relationships: target entity
    #[field(long, heading = "Type-specific", hidden)]
    pub to: Option<String>,
    /// Norms: the rule to follow
    #[field(long, heading = "Type-specific")]
    pub rule: Option<String>,
    /// Norms: an example of following it
    #[field(long, heading = "Type-specific", hidden)]
    pub example: Vec<String>,
    /// Norms: when it does not apply
    #[field(long, heading = "Type-specific", hidden)]
    pub exception: Vec<String>,
    /// Norms: how it is enforced, as JSON or a keyword
    #[field(long, heading = "Type-specific")]
    pub enforcement: Option<String>,
    /// Spikes: the hypothesis
    #[field(long, heading = "Type-specific", hidden)]
    pub hypothesis: Option<String>,
    /// Spikes: outcome: confirmed, rejected, partial or inconclusive
    #[field(long, heading = "Type-specific", words = SpikeOutcome::WORDS, hidden)]
    pub outcome: Option<String>,
    /// Spikes: the decision
    #[field(long, heading = "Type-specific", hidden)]
    pub decision: Option<String>,
    /// Spikes: number of attempts
    #[field(long, heading = "Type-specific", hidden)]
    pub rounds: Option<u32>,
    /// Any other field of its type, as `ken schema TYPE` lists them
    #[field(long, value_name = "NAME=VALUE", heading = "Content")]
    pub field: Vec<String>,
    /// The entry as a JSON object
    #[field(long, value_name = "JSON")]
    pub content: Option<String>,
    /// Add an incomplete entry; it stays a candidate until complete
    #[field(long)]
    pub draft: bool,
    /// Accept evidence that cannot be found in this repository
    #[field(long)]
    pub unverified: bool,
}

/// Reads how a norm is enforced, as JSON or as a word. A word that means nothing is refused: it would be kept and never checked.
pub(crate) fn read_enforcement(text: &str) -> std::result::Result<Value, Refusal> {
    match ken_core::norm::unknown_enforcement(text) {
        Some(problem) => Err(Refusal::new(Code::Invalid, problem)
            .hint("a sentence for reviewers is kept as advisory; `ken schema commit_norm` has every form")
            .field("enforcement")),
        None => Ok(serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))),
    }
}

/// Reads an entry as a JSON object that is stated now: what it says of its enforcement is held to the same as the flag.
pub(crate) fn read_stated(text: &str) -> std::result::Result<Map<String, Value>, Refusal> {
    let content = read_content(text)?;
    if let Some(Value::String(text)) = content.get("enforcement") {
        read_enforcement(text)?;
    }
    Ok(content)
}

impl ContentRequest {
    /// Reads the paths of anchors and evidence from the folder that a call comes from: where a file is there, it is meant, and its path
    /// from the root of the repository is what is stored. Says what was changed, in sentences.
    pub fn read_paths_from(&mut self, folder: &Path, root: &Path) -> Vec<String> {
        let mut said = Vec::new();
        for given in self.anchor.iter_mut().chain(&mut self.evidence) {
            if let Some(stored) = path_from_root(given, folder, root) {
                said.push(format!("{given} is stored as {stored}"));
                *given = stored;
            }
        }
        said
    }

    /// The wish that these flags and this content make together. A flag wins over the same word in the content.
    pub fn into_input(self, kind: Option<String>) -> Result<AddInput> {
        let mut content = match &self.content {
            Some(text) => read_stated(text)?,
            None => Map::new(),
        };
        let (draft, unverified, evidence) = (self.draft, self.unverified, self.evidence.clone());
        content.extend(self.into_fields()?);
        let on_absent = OnAbsent::for_flag(unverified);
        Ok(AddInput { kind, content, evidence, draft, on_absent, ..AddInput::default() })
    }

    /// The fields that the flags alone say.
    pub fn into_fields(self) -> Result<Map<String, Value>> {
        let mut fields = Map::new();
        let words = [
            ("title", self.title),
            ("statement", self.statement),
            ("summary", self.summary),
            ("detail", self.detail),
            ("id", self.id),
            ("scope", self.scope),
            ("thread", self.thread),
            ("polarity", self.polarity),
            ("decay_class", self.decay_class),
            ("durability", self.durability),
            ("merge_key", self.merge_key),
            ("on_conflict", self.on_conflict),
            ("subtype", self.subtype),
            ("subject", self.subject),
            ("reviewer", self.reviewer),
            ("role", self.role),
            ("name", self.name),
            ("description", self.description),
            ("from", self.from),
            ("relation", self.relation),
            ("to", self.to),
            ("rule", self.rule),
            ("hypothesis", self.hypothesis),
            ("outcome", self.outcome),
            ("decision", self.decision),
        ];
        fields
            .extend(words.into_iter().filter_map(|(name, word)| Some((name.to_owned(), Value::from(word?)))));
        let lists = [
            ("tags", self.tag),
            ("domains", self.domain),
            ("anchors", self.anchor),
            ("verification", self.verify),
            ("depends_on", self.depends_on),
            ("examples", self.example),
            ("exceptions", self.exception),
        ];
        fields.extend(
            lists
                .into_iter()
                .filter(|(_, list)| !list.is_empty())
                .map(|(name, list)| (name.to_owned(), Value::from(list))),
        );
        fields.extend(self.severity.map(|number| ("severity".to_owned(), json!(number))));
        fields.extend(self.confidence.map(|number| ("confidence".to_owned(), json!(number))));
        fields.extend(self.rounds.map(|number| ("rounds".to_owned(), json!(number))));
        if let Some(text) = self.enforcement {
            fields.insert("enforcement".to_owned(), read_enforcement(&text)?);
        }
        if !self.attribute.is_empty() {
            let attributes = read_pairs("attribute", "attributes", &self.attribute)?;
            fields.insert("attributes".to_owned(), Value::Object(attributes));
        }
        for (name, value) in read_pairs("field", "field", &self.field)? {
            match (name.as_str(), &value) {
                ("enforcement", Value::String(text)) => {
                    fields.insert(name, read_enforcement(text)?);
                }
                _ => drop(fields.insert(name, value)),
            }
        }
        Ok(fields)
    }

    /// Whether nothing of what an entry can say is given.
    pub fn says_nothing(&self) -> bool {
        let fields = self.clone().into_fields();
        let is_bare = self.evidence.is_empty() && self.content.is_none() && !self.draft && !self.unverified;
        is_bare && fields.is_ok_and(|fields| fields.is_empty())
    }
}

/// Reads pairs of a name and a value: JSON, or else a text.
fn read_pairs(flag: &str, field: &str, pairs: &[String]) -> Result<Map<String, Value>> {
    let mut read = Map::new();
    for pair in pairs {
        let Some((name, value)) = pair.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            let message = format!("--{flag} {pair:?} has no `=`; write NAME=VALUE");
            return Err(Refusal::new(Code::Invalid, message).field(field).into());
        };
        read.insert(name.to_owned(), serde_json::from_str(value).unwrap_or_else(|_| Value::from(value)));
    }
    Ok(read)
}

/// An anchor or a citation of a file by its path from the root of the repository, where it names a file by its path from a folder further
/// down. None where it stays as it is.
pub fn path_from_root(given: &str, folder: &Path, root: &Path) -> Option<String> {
    let (root, folder) = (root.canonicalize().ok()?, folder.canonicalize().ok()?);
    let below = folder.strip_prefix(&root).ok().filter(|below| !below.as_os_str().is_empty())?;
    let (kind, place) = match given.split_once(':') {
        Some((kind @ ("doc" | "test"), place)) => (Some(kind), place),
        Some(("commit" | "pr" | "transcript", _)) => return None,
        Some(_) | None => (None, given),
    };
    let path = place.split(['#', ':']).next().filter(|path| !path.is_empty())?;
    let mut stored = PathBuf::new();
    for part in below.join(path).components() {
        match part {
            Component::Normal(name) => stored.push(name),
            Component::CurDir => {}
            // Nothing outside of the repository is meant.
            Component::ParentDir if stored.pop() => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    // Links are not followed here: what is behind one is judged where it is read.
    root.join(&stored).symlink_metadata().ok()?;
    let names: Vec<&str> = stored.iter().map(|name| name.to_str()).collect::<Option<_>>()?;
    let kind = kind.map(|kind| format!("{kind}:")).unwrap_or_default();
    Some(format!("{kind}{}{}", names.join("/"), &place[path.len()..]))
}

/// Reads one JSON object, and says line and column when it is none.
pub fn read_content(text: &str) -> std::result::Result<Map<String, Value>, Refusal> {
    let wanted = "write an object: {\"statement\": \"...\"}";
    let refused = |message: &str| Err(Refusal::new(Code::Invalid, message).field("content").hint(wanted));
    // Some editors put a byte order mark in front.
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return refused("the content is empty");
    }
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(mut map)) => {
            schema::respell(&mut map, schema::is_written_spelling);
            Ok(map)
        }
        Ok(_) => refused("the content is JSON, but not an object"),
        Err(error) => Err(invalid_json(&error)),
    }
}

/// What a JSON parser stumbled over, with line and column.
pub fn invalid_json(error: &serde_json::Error) -> Refusal {
    let what = error.to_string();
    let what = what.split(" at line ").next().unwrap_or(&what);
    let message = format!("invalid JSON at line {} column {}: {what}", error.line(), error.column());
    Refusal::new(Code::Invalid, message).field("content")
}
