//! What an entry says: its fields, parsed once and valid ever after.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use schemars::JsonSchema;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::anchor::{Captured, Spot};
use crate::kinds::{DecayClass, EvidenceType, Polarity, Scope, SpikeOutcome, Type};
use crate::words::normalise_tag;

/// The fields of an entry. All are optional here; [`crate::schema`] says which a type has and which it needs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Fields {
    /// A line for lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The claim: one to three sentences, a general heuristic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statement: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Whatever is longer than the claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Free labels; `/` nests.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub tags: BTreeSet<Tag>,
    /// Fields of work; `/` nests.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub domains: BTreeSet<Tag>,
    /// The finer kind within the type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subtype: Option<String>,
    /// Do, do not, or neither.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub polarity: Option<Polarity>,
    /// How far it reaches; `project` when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// The line of work it belongs to, for scope `thread`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// How fast belief in it fades; `stable` when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decay_class: Option<DecayClass>,
    /// A name under which there is one entry of this type and scope at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merge_key: Option<String>,
    /// Where in the repository it can be seen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub anchors: Vec<Anchor>,
    /// One to three steps that show whether it holds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub verification: Vec<String>,
    /// Conditions that must hold for it to be true.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
    /// Who or what it came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// What it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The document it was taken from, and where in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<Document>,
    /// The reviewer whose knowledge it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
    /// The role it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// How bad, 0 to 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<f64>,
    /// The word of the original scale.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity_word: Option<String>,
    /// How sure the finder was, 0 to 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Entities: what it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Entities: what it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The caller's own fields.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub attributes: Map<String, Value>,
    /// Relationships: the one side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Relationships: how they relate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relation: Option<String>,
    /// Relationships: the other side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Norms: what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Norms: what following it looks like.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
    /// Norms: when it does not apply.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exceptions: Vec<String>,
    /// Norms: how it is checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enforcement: Option<Value>,
    /// Spikes: what was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hypothesis: Option<String>,
    /// Spikes: how it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<SpikeOutcome>,
    /// Spikes: what was decided because of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// Spikes: how many attempts it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// Episodic records: what was going on.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub context: Map<String, Value>,
    /// Fields of a newer version, and a caller's own, kept as they are. [`Fields::read`] and [`Fields::read_strictly`] fill it.
    #[serde(flatten, skip_deserializing)]
    #[schemars(skip)]
    pub extra: Map<String, Value>,
}

/// Every name above, sorted: what is not here goes to `extra`.
const NAMES: &[&str] = &[
    "anchors",
    "attributes",
    "confidence",
    "context",
    "decay_class",
    "decision",
    "depends_on",
    "description",
    "detail",
    "document",
    "domains",
    "enforcement",
    "examples",
    "exceptions",
    "from",
    "hypothesis",
    "merge_key",
    "name",
    "outcome",
    "polarity",
    "relation",
    "reviewer",
    "role",
    "rounds",
    "rule",
    "scope",
    "severity",
    "severity_word",
    "source",
    "statement",
    "subject",
    "subtype",
    "summary",
    "tags",
    "thread",
    "title",
    "to",
    "verification",
];

/// What of an object is not in [`NAMES`].
struct Unknown(Map<String, Value>);

impl<'de> Deserialize<'de> for Unknown {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Unknown, D::Error> {
        struct UnknownVisitor;

        impl<'de> Visitor<'de> for UnknownVisitor {
            type Value = Unknown;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Unknown, A::Error> {
                let mut unknown = Map::new();
                while let Some(UnknownName(name)) = map.next_key()? {
                    match name {
                        Some(name) => drop(unknown.insert(name, map.next_value()?)),
                        None => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(Unknown(unknown))
            }
        }

        from.deserialize_map(UnknownVisitor)
    }
}

/// A name that is not in [`NAMES`]; nothing where it is.
struct UnknownName(Option<String>);

impl<'de> Deserialize<'de> for UnknownName {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<UnknownName, D::Error> {
        struct NameVisitor;

        impl Visitor<'_> for NameVisitor {
            type Value = UnknownName;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a name")
            }

            fn visit_str<E>(self, name: &str) -> Result<UnknownName, E> {
                Ok(UnknownName(NAMES.binary_search(&name).is_err().then(|| name.to_owned())))
            }
        }

        from.deserialize_str(NameVisitor)
    }
}

impl Fields {
    /// Reads fields leniently, for ledgers of any version: what does not have the shape we know is kept in `extra`.
    pub fn read(value: &Value) -> Fields {
        let Value::Object(map) = value else { return Fields::default() };
        if let Ok(fields) = Fields::read_strictly(value) {
            return fields;
        }
        let mut good = Map::new();
        let mut odd = Map::new();
        for (name, value) in map {
            let single = Value::Object([(name.clone(), value.clone())].into_iter().collect());
            let home = if Fields::read_strictly(&single).is_ok() { &mut good } else { &mut odd };
            home.insert(name.clone(), value.clone());
        }
        let mut fields = Fields::read_strictly(&Value::Object(good)).unwrap_or_default();
        fields.extra.extend(odd);
        fields
    }

    /// Reads fields as [`Fields::read`] does, from JSON. No tree of values is made of those that have the shape we know.
    pub fn read_text(json: &str) -> Fields {
        let strictly = || {
            let mut fields: Fields = serde_json::from_str(json)?;
            fields.extra = serde_json::from_str::<Unknown>(json)?.0;
            Ok::<Fields, serde_json::Error>(fields)
        };
        strictly().unwrap_or_else(|_| Fields::read(&serde_json::from_str(json).unwrap_or_default()))
    }

    /// Whether one is recorded as advice to do, the other not to do.
    pub fn has_opposite_polarity(&self, other: &Fields) -> bool {
        matches!(
            (self.polarity, other.polarity),
            (Some(Polarity::Positive), Some(Polarity::Negative))
                | (Some(Polarity::Negative), Some(Polarity::Positive))
        )
    }

    /// Reads fields of which every known one must have the shape we know.
    pub fn read_strictly(value: &Value) -> Result<Fields, serde_json::Error> {
        let mut fields = Fields::deserialize(value)?;
        let unknown = value
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(name, _)| NAMES.binary_search(&name.as_str()).is_err());
        fields.extra = unknown.map(|(name, value)| (name.clone(), value.clone())).collect();
        Ok(fields)
    }

    /// The scope, with its default.
    pub fn scope(&self) -> Scope {
        self.scope.unwrap_or(if self.thread.is_some() { Scope::Thread } else { Scope::Project })
    }

    /// The decay class, with its default for deliberate statements (ENT-7).
    pub fn decay_class(&self) -> DecayClass {
        self.decay_class.unwrap_or(DecayClass::Stable)
    }

    /// The title or what stands for it.
    pub fn title(&self) -> Cow<'_, str> {
        let title = self.title.as_deref().or(self.name.as_deref()).or(self.summary.as_deref());
        title.map_or_else(|| self.statement(), Cow::from)
    }

    /// The statement or what stands for it in types that have their own word for it.
    pub fn statement(&self) -> Cow<'_, str> {
        let words =
            [&self.statement, &self.rule, &self.description, &self.hypothesis, &self.title, &self.name];
        if let Some(text) = words.into_iter().flatten().find(|text| !text.trim().is_empty()) {
            return Cow::from(text);
        }
        match (&self.from, &self.relation, &self.to) {
            (Some(from), Some(relation), Some(to)) => Cow::from(format!("{from} {relation} {to}")),
            _ => Cow::from(""),
        }
    }

    /// What makes this entry the one it is (STO-8).
    pub fn claim(&self, kind: Type) -> String {
        match kind {
            Type::Entity => format!("{}\u{1f}{}", self.title(), self.description.as_deref().unwrap_or("")),
            Type::Relationship => {
                let part = |text: &Option<String>| text.clone().unwrap_or_default();
                format!("{}\u{1f}{}\u{1f}{}", part(&self.from), part(&self.relation), part(&self.to))
            }
            _ => self.statement().into_owned(),
        }
    }

    /// The scope as it enters the key: threads are scopes of their own.
    pub fn scope_key(&self) -> String {
        match (self.scope(), &self.thread) {
            (Scope::Thread, Some(thread)) => format!("thread:{thread}"),
            (scope, _) => scope.word().to_owned(),
        }
    }
}

/// A normalised label; see [`normalise_tag`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
pub struct Tag(String);

impl Tag {
    /// Normalises and accepts a label.
    pub fn parse(text: &str) -> Result<Self, String> {
        normalise_tag(text).map(Tag)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Tag {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Tag::parse(&text).map_err(serde::de::Error::custom)
    }
}

/// A place in the repository: `path`, `path:47`, `path:47-52`, `path#symbol`, or `#symbol` alone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Anchor {
    /// The place, repository-relative, with `/`.
    pub at: String,
    /// What was seen there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub captured: Option<Captured>,
    /// What a newer version knows about it.
    #[serde(flatten)]
    #[schemars(skip)]
    pub extra: std::collections::BTreeMap<String, AnyJson>,
}

/// A JSON value of another version, compared by its canonical text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, JsonSchema)]
pub struct AnyJson(String);

impl Serialize for AnyJson {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        serde_json::from_str::<Value>(&self.0).map_err(serde::ser::Error::custom)?.serialize(to)
    }
}

impl<'de> Deserialize<'de> for AnyJson {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Value::deserialize(from).map(|value| AnyJson(value.to_string()))
    }
}

impl Anchor {
    /// Reads the text form. Absolute paths and ways out of the repository are refused (STO-9).
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (place, symbol) = match text.split_once('#') {
            Some((place, symbol)) => (place, Some(symbol)),
            None => (text, None),
        };
        if symbol.is_some_and(|symbol| symbol.trim().is_empty()) {
            return Err(format!("{text:?} has no symbol after `#`; write path#symbol"));
        }
        // Judged in the form in which it is kept: `.//etc/passwd` would otherwise become an absolute path.
        let place = place.replace('\\', "/");
        let mut place = place.as_str();
        while let Some(rest) = place.strip_prefix("./") {
            place = rest.trim_start();
        }
        let (path, lines) = match place.rsplit_once(':') {
            Some((path, lines)) if !lines.is_empty() && lines.starts_with(|c: char| c.is_ascii_digit()) => {
                (path, Some(lines))
            }
            _ => (place, None),
        };
        if let Some(lines) = lines {
            let (from, to) = lines.split_once('-').unwrap_or((lines, lines));
            let number = |text: &str| text.parse::<u32>().ok().filter(|n| *n > 0);
            match (number(from), number(to)) {
                (Some(from), Some(to)) if from <= to => {}
                _ => return Err(format!("{text:?} has an invalid line range; write path:47 or path:47-52")),
            }
        }
        if path.is_empty() && (lines.is_some() || symbol.is_none()) {
            return Err("an anchor is empty; write path, path:47-52 or path#symbol".to_owned());
        }
        if !path.is_empty() {
            relative_path(path)?;
        }
        let at = match symbol {
            Some(symbol) => format!("{place}#{symbol}"),
            None => place.to_owned(),
        };
        Ok(Anchor { at, captured: None, extra: Default::default() })
    }

    /// The path part; empty for a symbol alone.
    pub fn path(&self) -> &str {
        let place = self.at.split_once('#').map_or(self.at.as_str(), |(place, _)| place);
        match place.rsplit_once(':') {
            Some((path, lines)) if lines.starts_with(|c: char| c.is_ascii_digit()) => path,
            _ => place,
        }
    }

    /// The place, taken apart.
    pub fn spot(&self) -> Spot {
        Spot::parse(&self.at)
    }
}

impl<'de> Deserialize<'de> for Anchor {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(AnchorVisitor)
    }
}

/// Reads an anchor as text, or as an object. Most of what an index reads are anchors: nothing of them is read twice.
struct AnchorVisitor;

impl<'de> Visitor<'de> for AnchorVisitor {
    type Value = Anchor;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a place such as path:47-52 or path#symbol")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Anchor, E> {
        Anchor::parse(text).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Anchor, A::Error> {
        let mut at: Option<String> = None;
        let mut captured = None;
        let mut extra = std::collections::BTreeMap::new();
        while let Some(name) = members.next_key::<String>()? {
            match name.as_str() {
                "at" if at.is_some() => return Err(serde::de::Error::duplicate_field("at")),
                "at" => at = Some(members.next_value()?),
                "captured" => {
                    let value: Value = members.next_value()?;
                    match Captured::deserialize(&value) {
                        Ok(known) => captured = Some(known),
                        // What another version captured in a shape of its own is kept, and not judged by.
                        Err(_) => drop(extra.insert(name, AnyJson(value.to_string()))),
                    }
                }
                _ => drop(extra.insert(name, members.next_value()?)),
            }
        }
        let at = at.ok_or_else(|| serde::de::Error::missing_field("at"))?;
        let mut anchor = Anchor::parse(&at).map_err(serde::de::Error::custom)?;
        (anchor.captured, anchor.extra) = (captured, extra);
        Ok(anchor)
    }
}

/// Accepts a path inside the repository.
pub fn relative_path(path: &str) -> Result<(), String> {
    let slashed = path.replace('\\', "/");
    let drive =
        slashed.len() >= 2 && slashed.as_bytes()[1] == b':' && slashed.as_bytes()[0].is_ascii_alphabetic();
    if slashed.starts_with('/') || slashed.starts_with("~/") || drive {
        return Err(format!("{path:?} is an absolute path; write it relative to the repository"));
    }
    if slashed.contains("://") {
        return Err(format!("{path:?} is a URL; write a path inside the repository"));
    }
    if slashed.split('/').any(|part| part == "..") {
        return Err(format!("{path:?} points outside the repository; write a path inside it"));
    }
    if let Some(odd) = path.chars().find(|c| c.is_control()) {
        return Err(format!("{path:?} contains {odd:?}, which is not allowed in a path"));
    }
    Ok(())
}

/// Who or what an entry came from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Source {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
    /// The other instance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// How credible the site of that page is, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credibility: Option<f64>,
    /// UPK-4: an entry that sums up others starts with this alpha, in thousandths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distilled: Option<u32>,
    /// UPK-4: the mean weight of the ties between the entries that it sums up, in thousandths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster_weight: Option<u32>,
    /// Fields of a newer version.
    #[serde(flatten)]
    #[schemars(skip)]
    pub extra: Map<String, Value>,
}

/// The document an entry was taken from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Document {
    /// Its path or URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Where in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// Fields of a newer version.
    #[serde(flatten)]
    #[schemars(skip)]
    pub extra: Map<String, Value>,
}

/// ENT-4: one piece of evidence, cited by somebody at some time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Citation {
    /// What kind of thing is cited.
    pub evidence_type: EvidenceType,
    pub evidence_ref: String,
    /// Who cites it.
    pub cited_by: String,
    /// When, in seconds since the epoch.
    pub cited_at: i64,
    /// Set when the thing could not be found here at the time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unverified: bool,
    /// Set when whoever cited it took that back. It is still shown, and no longer counts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub withdrawn: bool,
}

impl Citation {
    /// What is cited, as a request names it: `pr:1`.
    pub fn reference(&self) -> String {
        format!("{}:{}", self.evidence_type, self.evidence_ref)
    }

    /// Whether two citations are of one thing by one person, whenever they were made.
    pub fn is_of_same(&self, other: &Citation) -> bool {
        self.evidence_type == other.evidence_type
            && self.evidence_ref == other.evidence_ref
            && self.cited_by == other.cited_by
    }

    /// What is said behind it, if anything.
    pub fn mark(&self) -> &'static str {
        match (self.withdrawn, self.unverified) {
            (true, _) => " (withdrawn)",
            (false, _) if self.is_hearsay() => " (an agent says so)",
            (false, true) => " (unverified)",
            (false, false) => "",
        }
    }

    /// Whether an agent, and no person, cites what a person is to have said (COR-24).
    fn is_hearsay(&self) -> bool {
        let said = self.evidence_ref.split_once(':').is_some_and(|(word, _)| word == crate::evidence::SAID);
        said && self.evidence_type == EvidenceType::Transcript && !self.cited_by.starts_with("human:")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_name_places_inside_the_repository() {
        for text in [
            "src/a.rs",
            "src/a.rs:47",
            "src/a.rs:47-52",
            "src/a.rs#Store::open",
            "#main",
            "Makefile",
            "ab:c.txt",
        ] {
            assert_eq!(Anchor::parse(text).unwrap().at, text);
        }
        assert_eq!(Anchor::parse("./src/a.rs:4-9").unwrap().path(), "src/a.rs");
        assert_eq!(Anchor::parse("src/a.rs#x").unwrap().path(), "src/a.rs");
        assert_eq!(Anchor::parse(".\\src\\a.php#App\\Login").unwrap().at, "src/a.php#App\\Login");
        assert_eq!(Anchor::parse("././a.rs").unwrap().at, "a.rs");
        for text in
            ["", "/etc/passwd", "../x", "a/../../x", "C:\\x", "a.rs:9-4", "a.rs:0", "a.rs#", ":4", "~/x"]
        {
            assert!(Anchor::parse(&format!("./{text}")).is_err(), "./{text}");
            assert!(Anchor::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn cor_24_what_an_agent_says_a_person_said_is_marked() {
        let cited = |by: &str, to: &str| Citation {
            evidence_type: EvidenceType::Transcript,
            evidence_ref: to.to_owned(),
            cited_by: by.to_owned(),
            cited_at: 0,
            unverified: true,
            withdrawn: false,
        };
        assert_eq!(cited("agent:codex", "said:Ada").mark(), " (an agent says so)");
        assert_eq!(cited("human:Ada", "said:Ada").mark(), " (unverified)");
        assert_eq!(cited("agent:codex", "run-7").mark(), " (unverified)");
    }

    #[test]
    fn every_field_is_known_by_its_name() {
        let schema = schemars::schema_for!(Fields).to_value();
        let names: Vec<&str> = schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(names, NAMES);
    }

    #[test]
    fn fields_of_the_future_are_kept() {
        let value: Value =
            serde_json::from_str(r#"{"title":"t","mood":{"b":1},"severity":"purple","tags":["a"]}"#).unwrap();
        let fields = Fields::read(&value);
        assert_eq!(fields.title(), "t");
        assert_eq!(fields.extra["mood"]["b"], 1);
        assert_eq!(fields.extra["severity"], "purple");
        assert_eq!(fields.tags.len(), 1);
    }

    #[test]
    fn fields_are_the_same_whether_a_tree_of_values_is_made_of_them_or_not() {
        for json in [
            "{}",
            "null",
            "7",
            r#"["t","s"]"#,
            r#"{"title":"t","tags":["A b"],"severity":5,"anchors":["src/a.rs:1-3",{"at":"b.rs"}],"scope":"global"}"#,
            r#"{"title":null,"mood":{"b":[1,2.5,1e30]},"severity":"purple","rounds":-1}"#,
            r#"{"\u0074itle":"t","m\u006fod":1,"attributes":{"x":{"y":18446744073709551615}}}"#,
            r#"{"title":"a","title":"b","mood":1,"mood":2}"#,
            r#"{"anchors":["/etc/passwd"],"detail":"é\n\ud83d\ude00"}"#,
            r#"{"tags":"not a list","extra":{"title":"t"}}"#,
        ] {
            let value: Value = serde_json::from_str(json).unwrap();
            assert_eq!(Fields::read_text(json), Fields::read(&value), "{json}");
        }
    }
}
