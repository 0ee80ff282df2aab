//! What each type of entry may and must say: validation with every fault named, and the published JSON Schema.

use serde_json::{Map, Value, json};

use crate::condition::{self, Condition};
use crate::fields::{Fields, relative_path};
use crate::kinds::{Memory, Scope, Type};
use crate::limits::*;
use crate::paths;
use crate::plain_schema::simplify;
use crate::refusal::Fault;
use crate::words::{nearest, with_article};

/// The schema version that new entries state.
pub const SCHEMA_VERSION: &str = "1.0.0";

const COMMON: &[&str] = &[
    "title",
    "statement",
    "summary",
    "detail",
    "tags",
    "domains",
    "polarity",
    "scope",
    "thread",
    "decay_class",
    "merge_key",
    "anchors",
    "verification",
    "depends_on",
    "source",
    "subject",
    "document",
    "reviewer",
    "role",
    "attributes",
];
const FINDING: &[&str] = &["severity", "severity_word", "confidence"];
const NORM: &[&str] = &["rule", "examples", "exceptions", "enforcement"];

/// Words of answers that no caller's own field may take.
pub const RESERVED: &[&str] = &[
    "key",
    "handle",
    "memory",
    "status",
    "status_reason",
    "validity",
    "belief",
    "last_confirmed",
    "confirmation",
    "review_debt",
    "gaps",
    "created",
    "created_by",
    "updated",
    "links",
    "superseded_by",
    "on_this_branch",
    "not_run",
    "scan",
    "admission",
    "released",
    "taint",
    "similar_to",
    "unverified",
    "extra",
    "error",
];

/// The names of the fields a type has of its own, beside the common ones.
fn own_fields(kind: Type) -> Vec<&'static str> {
    let own: &[&[&'static str]] = match kind {
        Type::Entity => &[&["name", "description"]],
        Type::Relationship => &[&["from", "relation", "to"]],
        Type::Spike => &[&["hypothesis", "outcome", "decision", "rounds"]],
        Type::Pattern | Type::Incident | Type::FalsePositive => &[FINDING],
        Type::Skill | Type::Experience => &[&["subtype"], FINDING],
        Type::Lesson => &[FINDING],
        Type::CommitNorm | Type::PrExpectation | Type::UserExpectation | Type::RiskTier => &[NORM],
        Type::Friction => &[&["subtype", "context"], FINDING],
        Type::Signal | Type::Run | Type::Observation => &[&["subtype", "context"], FINDING],
    };
    own.concat()
}

/// Every field a type may have, in reading order.
pub fn field_names(kind: Type) -> Vec<&'static str> {
    let mut names = COMMON.to_vec();
    names.extend(own_fields(kind));
    names
}

/// Whether a text is a word that every ledger is full of: a type, a status, a field, a relation.
pub fn is_word_of_the_format(text: &str) -> bool {
    let known: [&[&str]; 6] = [
        Type::WORDS,
        crate::kinds::Status::WORDS,
        crate::kinds::Relation::WORDS,
        crate::kinds::EvidenceType::WORDS,
        RESERVED,
        &[
            "fields",
            "reason",
            "citation",
            "evidence",
            "evidence_ref",
            "evidence_type",
            "cited_by",
            "cited_at",
        ],
    ];
    known.iter().any(|words| words.contains(&text))
        || Type::ALL.iter().any(|kind| field_names(*kind).contains(&text))
}

/// The fields a type must have. `|` separates words of which one is enough.
pub fn required(kind: Type) -> &'static [&'static str] {
    match kind {
        Type::Entity => &["name|title"],
        Type::Relationship => &["from", "relation", "to"],
        Type::CommitNorm | Type::PrExpectation | Type::UserExpectation | Type::RiskTier => {
            &["rule|statement"]
        }
        Type::Spike => &["hypothesis|statement"],
        Type::Friction => &["subtype"],
        _ => &["statement"],
    }
}

/// Reads and checks the content of an entry strictly, and names everything that is wrong with it at once.
///
/// An entity keeps the caller's own fields as they are. Elsewhere an unknown word is
/// more likely a slip of the pen.
pub fn read_content(kind: Type, content: Map<String, Value>) -> Result<Fields, Vec<Fault>> {
    let mut faults = Vec::new();
    let mut named = Map::new();
    let mut own = Map::new();
    let names = field_names(kind);
    for (name, value) in content {
        if names.contains(&name.as_str()) {
            if !value.is_null() {
                named.insert(name, value);
            }
        } else if RESERVED.contains(&name.as_str()) {
            let problem = "is a reserved name; put your own field under `attributes`";
            faults.push(fault(&name, problem.to_owned()));
        } else if kind == Type::Entity || name.starts_with("x_") {
            own.insert(name, value);
        } else {
            faults.push(unknown_field(kind, &name, &names));
        }
    }
    let mut named = Value::Object(named);
    let fields = match Fields::read_strictly(&named) {
        Ok(fields) => fields,
        Err(_) => {
            faults.extend(shape_faults(&mut named));
            Fields::read(&named)
        }
    };
    let missing_ok: Vec<String> = faults.iter().map(|f| f.field.clone()).collect();
    faults.extend(check(kind, &fields).into_iter().filter(|f| !missing_ok.contains(&f.field)));
    faults.extend(machine_paths(&fields));
    if !faults.is_empty() {
        return Err(faults);
    }
    if own.is_empty() {
        return Ok(fields);
    }
    // A caller's own field may have a name that another type uses; it is kept as it will be read again.
    if let Value::Object(map) = &mut named {
        map.extend(own);
    }
    Ok(Fields::read(&named))
}

/// Absolute paths in conditions and verification steps (STO-9). Entries that have some already stay readable.
fn machine_paths(fields: &Fields) -> Vec<Fault> {
    let conditions = fields.depends_on.iter().filter_map(|text| {
        // Of one that cannot be read, nobody knows which part is the path.
        let path = match condition::path_in(text) {
            Some(path) if Condition::parse(text).is_ok() || paths::is_absolute(&text[path.clone()]) => {
                &text[path]
            }
            None if Condition::parse(text).is_ok() => return None,
            Some(_) | None => paths::first_absolute(text)?,
        };
        let problem = "is an absolute path; write it relative to the repository";
        paths::is_absolute(path).then(|| fault("depends_on", format!("{path:?} in `{text}` {problem}")))
    });
    let steps = fields.verification.iter().filter_map(|step| {
        let path = paths::of_one_machine(step)?;
        let problem = "is a path on one machine; write a path inside the repository, or say it in words";
        Some(fault("verification", format!("{path:?} in `{step}` {problem}")))
    });
    conditions.chain(steps).collect()
}

/// Takes out the fields that do not have their shape, and says what is wrong with each.
fn shape_faults(named: &mut Value) -> Vec<Fault> {
    let mut faults = Vec::new();
    if let Value::Object(map) = named {
        map.retain(|name, value| {
            let single: Map<String, Value> = [(name.clone(), value.clone())].into_iter().collect();
            match Fields::read_strictly(&Value::Object(single)) {
                Ok(_) => true,
                Err(error) => {
                    faults.push(fault(name, plain(&error.to_string(), value)));
                    false
                }
            }
        });
    }
    faults
}

/// Fields that go by two names: what answers and ledgers write, and what people write on the command line. Every door takes both.
const SPELLINGS: &[(&str, &str)] = &[
    ("provenance", "evidence"),
    ("verification", "verify"),
    ("anchors", "anchor"),
    ("tags", "tag"),
    ("domains", "domain"),
    ("examples", "example"),
    ("exceptions", "exception"),
];

/// Whether a name is the one of two that ledgers write.
pub fn is_written_spelling(name: &str) -> bool {
    SPELLINGS.iter().any(|(written, _)| *written == name)
}

/// The other name of a field that goes by two.
pub fn other_spelling(name: &str) -> Option<&'static str> {
    SPELLINGS.iter().find_map(|(written, typed)| match name {
        _ if name == *written => Some(*typed),
        _ if name == *typed => Some(*written),
        _ => None,
    })
}

/// Renames fields that a door knows by their other name. What is given under both names stays, and is refused as unknown.
pub fn respell(given: &mut Map<String, Value>, is_known: impl Fn(&str) -> bool) {
    let names: Vec<String> = given.keys().filter(|name| !is_known(name)).cloned().collect();
    for name in names {
        if let Some(other) = other_spelling(&name)
            && is_known(other)
            && !given.contains_key(other)
            && let Some(value) = given.remove(&name)
        {
            given.insert(other.to_owned(), value);
        }
    }
}

fn unknown_field(kind: Type, name: &str, names: &[&'static str]) -> Fault {
    let near = nearest(name, names.iter().copied());
    let hint = match near {
        Some(near) => format!("did you mean `{near}`? "),
        None => String::new(),
    };
    fault(
        name,
        format!(
            "{} has no such field; {hint}custom fields go under `attributes` or start with `x_` (see `ken schema {kind}`)",
            with_article(kind)
        ),
    )
}

/// Checks fields of the right shape: lengths, ranges, required words, closed sub-types.
pub fn check(kind: Type, fields: &Fields) -> Vec<Fault> {
    let mut faults = Vec::new();
    for alternatives in required(kind) {
        let words: Vec<&str> = alternatives.split('|').collect();
        if !words.iter().any(|word| has_text(fields, word)) {
            let wanted = words.join("` or `");
            faults.push(fault(
                words[0],
                format!("is missing or empty; {} needs `{wanted}`", with_article(kind)),
            ));
        }
    }
    let texts = [
        ("title", &fields.title, TITLE_CHARS_MAX),
        ("statement", &fields.statement, STATEMENT_CHARS_MAX),
        ("summary", &fields.summary, SUMMARY_CHARS_MAX),
        ("detail", &fields.detail, DETAIL_CHARS_MAX),
        ("name", &fields.name, TITLE_CHARS_MAX),
        ("description", &fields.description, STATEMENT_CHARS_MAX),
        ("rule", &fields.rule, STATEMENT_CHARS_MAX),
        ("hypothesis", &fields.hypothesis, STATEMENT_CHARS_MAX),
        ("decision", &fields.decision, STATEMENT_CHARS_MAX),
        ("from", &fields.from, WORD_CHARS_MAX),
        ("relation", &fields.relation, WORD_CHARS_MAX),
        ("to", &fields.to, WORD_CHARS_MAX),
        ("subject", &fields.subject, WORD_CHARS_MAX),
        ("thread", &fields.thread, WORD_CHARS_MAX),
        ("merge_key", &fields.merge_key, WORD_CHARS_MAX),
        ("reviewer", &fields.reviewer, WORD_CHARS_MAX),
        ("role", &fields.role, WORD_CHARS_MAX),
        ("severity_word", &fields.severity_word, WORD_CHARS_MAX),
    ];
    let missing: Vec<String> = faults.iter().map(|fault| fault.field.clone()).collect();
    for (name, text, chars_max) in texts {
        if let Some(text) =
            text.as_ref().filter(|text| !(text.trim().is_empty() && missing.iter().any(|m| m == name)))
        {
            faults.extend(check_text(name, text, chars_max));
        }
    }
    let lists = [
        ("verification", &fields.verification, VERIFICATION_STEPS_MAX),
        ("depends_on", &fields.depends_on, LIST_LEN_MAX),
        ("examples", &fields.examples, LIST_LEN_MAX),
        ("exceptions", &fields.exceptions, LIST_LEN_MAX),
    ];
    for (name, list, len_max) in lists {
        if list.len() > len_max {
            faults.push(fault(name, format!("has {} members; at most {len_max} are allowed", list.len())));
        }
        faults.extend(list.iter().take(len_max).filter_map(|text| check_text(name, text, WORD_CHARS_MAX)));
    }
    let lengths =
        [("tags", fields.tags.len()), ("domains", fields.domains.len()), ("anchors", fields.anchors.len())];
    for (name, len) in lengths {
        if len > LIST_LEN_MAX {
            faults.push(fault(name, format!("has {len} members; at most {LIST_LEN_MAX} are allowed")));
        }
    }
    let places = fields.anchors.iter().map(|anchor| ("anchors", anchor.at.as_str()));
    let tags = fields.tags.iter().map(|tag| ("tags", tag.as_str()));
    let domains = fields.domains.iter().map(|domain| ("domains", domain.as_str()));
    for (name, text) in places.chain(tags).chain(domains) {
        faults.extend(check_text(name, text, WORD_CHARS_MAX));
    }
    for (name, number) in [("severity", fields.severity), ("confidence", fields.confidence)] {
        if number.is_some_and(|n| !(0.0..=10.0).contains(&n)) {
            faults.push(fault(name, "is outside 0 to 10".to_owned()));
        }
    }
    if let Some(subtype) = &fields.subtype {
        let known = kind.subtypes();
        if !known.is_empty() && !known.contains(&subtype.as_str()) {
            let near = nearest(subtype, known.iter().copied())
                .map(|n| format!("did you mean `{n}`? "))
                .unwrap_or_default();
            faults.push(fault(
                "subtype",
                format!(
                    "unknown subtype {subtype:?} of {}; {near}allowed: {}",
                    with_article(kind),
                    known.join(", ")
                ),
            ));
        }
    }
    if fields.scope == Some(Scope::Thread) && fields.thread.is_none() {
        faults.push(fault("thread", "scope `thread` needs the name of its thread".to_owned()));
    }
    if let Some(path) =
        fields.document.as_ref().and_then(|d| d.path.as_deref()).filter(|path| !path.contains("://"))
    {
        faults.extend(relative_path(path).err().map(|problem| fault("document", problem)));
    }
    faults
}

fn has_text(fields: &Fields, name: &str) -> bool {
    let value = match name {
        "title" => &fields.title,
        "statement" => &fields.statement,
        "name" => &fields.name,
        "from" => &fields.from,
        "relation" => &fields.relation,
        "to" => &fields.to,
        "rule" => &fields.rule,
        "hypothesis" => &fields.hypothesis,
        "subtype" => &fields.subtype,
        _ => return true,
    };
    value.as_ref().is_some_and(|text| !text.trim().is_empty())
}

/// Checks one text: not empty, not too long, nothing that a terminal or a database would trip over.
pub fn check_text(name: &str, text: &str, chars_max: usize) -> Option<Fault> {
    let chars = text.chars().count();
    if text.trim().is_empty() {
        return Some(fault(name, "is empty; give a value or omit it".to_owned()));
    }
    if chars > chars_max {
        let hint = if name == "statement" {
            "; state it in one to three sentences and put the rest in `detail`"
        } else {
            ""
        };
        return Some(fault(name, format!("has {chars} characters; at most {chars_max} are allowed{hint}")));
    }
    let odd = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t' | '\r'))?;
    Some(fault(
        name,
        format!("contains the control character U+{:04X}; only line breaks and tabs are allowed", odd as u32),
    ))
}

fn fault(field: &str, problem: String) -> Fault {
    Fault { field: field.to_owned(), problem }
}

fn shape(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Makes the parser's message readable for somebody who did not write the parser.
fn plain(message: &str, value: &Value) -> String {
    if message.starts_with("invalid type") {
        let wanted = message.rsplit_once("expected ").map_or("another shape", |(_, wanted)| wanted);
        let wanted = match wanted {
            "a string" => "a text",
            "a sequence" => "a list",
            "a map" => "an object",
            other => other,
        };
        return format!("is {}; expected {wanted}", shape(value));
    }
    if message.contains("untagged enum Shape") {
        return "is not an anchor; write path, path:47-52 or path#symbol, inside the repository".to_owned();
    }
    message.replace("unknown variant", "unknown value").replace("expected one of", "allowed:")
}

/// The published JSON Schema of a type (ENT-3), from the Rust types.
pub fn json_schema(kind: Type) -> Value {
    let whole = schemars::schema_for!(Fields).to_value();
    let properties = whole.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    let mut own = Map::new();
    own.insert("id".into(), json!({"type": "string", "description": "The caller's own id.", "maxLength": GIVEN_ID_CHARS_MAX, "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]*$"}));
    own.insert("type".into(), json!({"const": kind.word()}));
    own.insert("schema_version".into(), json!({"type": "string", "description": "Semver of the entry's schema.", "pattern": "^1\\.[0-9]+\\.[0-9]+$"}));
    own.insert(
        "provenance".into(),
        json!({
            "type": "array", "items": {"$ref": "#/$defs/Citation"},
            "description": "Citations: where the knowledge comes from.",
        }),
    );
    for name in field_names(kind) {
        let mut property = properties.get(name).cloned().unwrap_or(Value::Bool(true));
        if let Value::Object(map) = &mut property {
            map.remove("default");
            limit(name, map);
            if name == "subtype" && !kind.subtypes().is_empty() {
                map.insert("enum".into(), json!(kind.subtypes()));
            }
        }
        own.insert(name.to_owned(), property);
    }
    let mut needs: Vec<Value> = Vec::new();
    for alternatives in required(kind) {
        let any: Vec<Value> = alternatives.split('|').map(|word| json!({"required": [word]})).collect();
        needs.push(if any.len() == 1 { any[0].clone() } else { json!({"anyOf": any}) });
    }
    let mut defs = whole.get("$defs").cloned().unwrap_or_else(|| json!({}));
    let citation = schemars::schema_for!(crate::fields::Citation).to_value();
    if let (Value::Object(defs), Value::Object(mut citation)) = (&mut defs, citation) {
        if let Some(Value::Object(inner)) = citation.remove("$defs") {
            defs.extend(inner);
        }
        citation.remove("$schema");
        defs.insert("Citation".into(), Value::Object(citation));
        defs.insert("Anchor".into(), json!({
            "description": "A place in the repository: path, path:47, path:47-52, path#symbol or #symbol.",
            "anyOf": [{"type": "string"}, {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]}],
        }));
    }
    let memory = kind.memory();
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": format!("ken:schema/{}/{}", SCHEMA_VERSION, kind.word()),
        "title": kind.word(),
        "description": format!("A {} entry of Kenning, {} memory.", kind.word(), memory.word()),
        "type": "object",
        "properties": own,
        "patternProperties": {"^x_": true},
        "additionalProperties": kind == Type::Entity,
        "propertyNames": {"not": {"enum": RESERVED}},
        "allOf": needs,
        "$defs": defs,
        "x-memory": memory.word(),
        "x-provenance-required": memory != Memory::Episodic,
    });
    simplify(&mut schema);
    schema
}

/// Writes our bounds into a generated property.
fn limit(name: &str, property: &mut Map<String, Value>) {
    let chars = match name {
        "title" | "name" => TITLE_CHARS_MAX,
        "statement" | "description" | "rule" | "hypothesis" | "decision" => STATEMENT_CHARS_MAX,
        "summary" => SUMMARY_CHARS_MAX,
        "detail" => DETAIL_CHARS_MAX,
        "verification" => return drop(property.insert("maxItems".into(), json!(VERIFICATION_STEPS_MAX))),
        "severity" | "confidence" => {
            property.insert("minimum".into(), json!(0));
            return drop(property.insert("maximum".into(), json!(10)));
        }
        _ => return,
    };
    property.insert("minLength".into(), json!(1));
    property.insert("maxLength".into(), json!(chars));
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn object(text: &str) -> Map<String, Value> {
        serde_json::from_str(text).unwrap()
    }

    // STO-9: conditions and steps kept absolute paths as they were typed.
    #[test]
    fn sto_9_conditions_and_steps_name_no_path_on_one_machine() {
        let content = object(
            r#"{
                "statement": "x",
                "depends_on": [
                    "NOT /home/ada/x exists", "C:\\x exists", "src/a.rs exists", "a.toml:log = /var/x", "exists /data/x",
                    "NOT exists ~/x", "src/a.rs stands beside /data/y"
                ],
                "verification": ["grep x /home/ada/x", "GET /home/feed"]
            }"#,
        );
        let faults = read_content(Type::Lesson, content).unwrap_err();
        let text: Vec<String> = faults.iter().map(|f| format!("{}: {}", f.field, f.problem)).collect();
        expect![[r#"
            depends_on: "/home/ada/x" in `NOT /home/ada/x exists` is an absolute path; write it relative to the repository
            depends_on: "C:\\x" in `C:\x exists` is an absolute path; write it relative to the repository
            depends_on: "/data/x" in `exists /data/x` is an absolute path; write it relative to the repository
            depends_on: "~/x" in `NOT exists ~/x` is an absolute path; write it relative to the repository
            depends_on: "/data/y" in `src/a.rs stands beside /data/y` is an absolute path; write it relative to the repository
            verification: "/home/ada/x" in `grep x /home/ada/x` is a path on one machine; write a path inside the repository, or say it in words"#]]
        .assert_eq(&text.join("\n"));
    }

    // ENT-3: all faults of a write are reported together.
    #[test]
    fn every_fault_is_named_at_once() {
        let content = object(
            r#"{"sumary":"x","polarity":"sideways","severity":11,"anchors":["/etc/passwd"],"tags":"a"}"#,
        );
        let faults = read_content(Type::Lesson, content).unwrap_err();
        let text: Vec<String> = faults.iter().map(|f| format!("{}: {}", f.field, f.problem)).collect();
        expect![[r#"
            sumary: a lesson has no such field; did you mean `summary`? custom fields go under `attributes` or start with `x_` (see `ken schema lesson`)
            anchors: "/etc/passwd" is an absolute path; write it relative to the repository
            polarity: unknown value `sideways`, allowed: `positive`, `negative`, `neutral`
            tags: is a text; expected a list
            statement: is missing or empty; a lesson needs `statement`
            severity: is outside 0 to 10"#]]
        .assert_eq(&text.join("\n"));
    }

    #[test]
    fn an_entity_keeps_its_callers_own_fields() {
        let fields =
            read_content(Type::Entity, object(r#"{"name":"N","colour":"red","attributes":{"a":1}}"#))
                .unwrap();
        assert_eq!(fields.extra["colour"], "red");
        assert_eq!(fields.attributes["a"], 1);
        assert!(read_content(Type::Entity, object(r#"{"name":"N","status":"red"}"#)).is_err());
    }

    // ENT-3: the published schema and the check that guards the disk agree.
    #[test]
    fn the_schema_accepts_what_the_check_accepts() {
        let cases = [
            (
                Type::Lesson,
                r#"{"statement":"s","tags":["a"],"anchors":["src/a.rs:1-2"],"severity":3.5,"x_own":1}"#,
                true,
            ),
            (Type::Lesson, r#"{"title":"s"}"#, false),
            (Type::Lesson, r#"{"statement":"s","sumary":"x"}"#, false),
            (Type::Lesson, r#"{"statement":"s","severity":11}"#, false),
            (Type::Lesson, r#"{"statement":"s","polarity":"up"}"#, false),
            (Type::Entity, r#"{"name":"N","anything":[1]}"#, true),
            (Type::Entity, r#"{"description":"d"}"#, false),
            (Type::Relationship, r#"{"from":"a","relation":"calls","to":"b"}"#, true),
            (Type::Relationship, r#"{"from":"a","to":"b"}"#, false),
            (Type::CommitNorm, r#"{"rule":"r","examples":["e"],"enforcement":{"kind":"advisory"}}"#, true),
            (Type::Spike, r#"{"hypothesis":"h","outcome":"partial","rounds":2}"#, true),
            (Type::Spike, r#"{"hypothesis":"h","outcome":"maybe"}"#, false),
            (Type::Skill, r#"{"statement":"s","subtype":"technique"}"#, true),
            (Type::Skill, r#"{"statement":"s","subtype":"tecnique"}"#, false),
            (Type::Friction, r#"{"subtype":"redo","context":{"a":1}}"#, true),
            (Type::Lesson, r#"{"statement":"s","verification":["a","b","c","d"]}"#, false),
        ];
        for (kind, text, accepted) in cases {
            let schema = json_schema(kind);
            let validator = jsonschema::validator_for(&schema).unwrap();
            let value: Value = serde_json::from_str(text).unwrap();
            let by_schema = validator.is_valid(&value);
            let by_check = read_content(kind, object(text)).is_ok();
            assert_eq!((by_schema, by_check), (accepted, accepted), "{kind} {text}");
        }
    }

    #[test]
    fn every_type_has_a_schema_that_is_itself_valid() {
        for kind in Type::ALL {
            assert!(jsonschema::meta::is_valid(&json_schema(*kind)), "{kind}");
        }
    }
}
