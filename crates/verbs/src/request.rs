//! What a verb takes: a table of fields, and a typed request that is read from a JSON object.
//!
//! Every door makes such an object: the command line of its words, HTTP of path, query and body, MCP of the arguments. Names, types,
//! defaults, and what excludes what are checked here, on the values.

use ken_core::schema::respell;
use ken_core::words::nearest;
use ken_core::{Code, Refusal};
pub use ken_engine::Result;
pub use ken_request_derive::Request;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::limits::request::PATH_BYTES_MAX;

/// What a verb takes.
pub trait Request: Clone + Sized + 'static {
    /// Names of which exactly one must be given.
    const ONE_OF: &'static [&'static str] = &[];
    /// What stands at the end of its help.
    const AFTER_HELP: &'static str = "";

    /// Adds its fields, in the order in which the command line takes them.
    fn fields(fields: &mut Vec<Field>);

    /// Reads it from values that are checked and complete.
    fn take(values: &mut Values) -> Result<Self>;
}

impl Request for () {
    fn fields(_: &mut Vec<Field>) {}

    fn take(_: &mut Values) -> Result<()> {
        Ok(())
    }
}

/// Something that a verb takes.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub name: &'static str,
    /// What it is for.
    pub about: &'static str,
    pub kind: FieldKind,
    /// Whether there can be several.
    pub many: bool,
    /// Whether it must be there.
    pub required: bool,
    /// It must be there, unless this other one is.
    pub unless: Option<&'static str>,
    /// The words it may be, where they are known.
    pub words: fn() -> &'static [&'static str],
    /// No other word is read. Else the verb reads the word, and says which ones there are.
    pub only_words: bool,
    /// The smallest and the largest whole number.
    pub range: (u64, u64),
    /// Says what is wrong with a text.
    pub check: Option<Check>,
    /// Its value where none is given.
    pub default: Option<fn() -> String>,
    /// Others that exclude it.
    pub conflicts: &'static [&'static str],
    /// Others that it needs.
    pub requires: &'static [&'static str],
    /// Other names that it is taken by, such as those of earlier versions.
    pub aliases: &'static [&'static str],
    /// Commas separate several.
    pub split: bool,
    /// Its flag on the command line, without dashes; none for what stands by itself.
    pub flag: Option<&'static str>,
    pub short: Option<char>,
    /// What stands for its value in help.
    pub value_name: &'static str,
    /// The heading of help that it stands under.
    pub heading: Option<&'static str>,
    /// Help does not list it.
    pub hidden: bool,
    /// Its value may begin with a dash.
    pub hyphens: bool,
    /// Its value may be a negative number: it is refused with a reason.
    pub signed: bool,
    /// Its flag may stand without a value, which is an empty text then.
    pub may_be_bare: bool,
    /// Its flag takes all words behind it.
    pub several: bool,
    /// It names a file, on the command line.
    pub names_a_file: bool,
}

/// Says what is wrong with a text.
pub type Check = fn(&str) -> std::result::Result<(), String>;

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// It is there or not.
    Switch,
    /// A whole number.
    Integer,
    Number,
    Text,
    /// A text that the command line reads from a file.
    Content,
}

impl Field {
    /// An optional field that nothing more is said of.
    pub const fn plain(name: &'static str, about: &'static str, kind: FieldKind) -> Field {
        Field {
            name,
            about,
            kind,
            many: false,
            required: false,
            unless: None,
            words: || &[],
            only_words: false,
            range: (0, u64::MAX),
            check: None,
            default: None,
            conflicts: &[],
            requires: &[],
            aliases: &[],
            split: false,
            flag: None,
            short: None,
            value_name: "",
            heading: None,
            hidden: false,
            hyphens: false,
            signed: false,
            may_be_bare: false,
            several: false,
            names_a_file: false,
        }
    }

    /// Whether it stands by itself on the command line, without a flag.
    pub fn is_place(&self) -> bool {
        self.flag.is_none()
    }

    /// What it holds, as JSON Schema.
    pub fn schema(&self) -> Value {
        let mut one = match self.kind {
            FieldKind::Switch => json!({"type": "boolean"}),
            FieldKind::Integer => json!({"type": "integer", "minimum": self.range.0}),
            FieldKind::Number => json!({"type": "number"}),
            FieldKind::Text | FieldKind::Content => json!({"type": "string"}),
        };
        let words = (self.words)();
        if !words.is_empty() {
            one["enum"] = json!(words);
        }
        let mut schema = if self.many { json!({"type": "array", "items": one}) } else { one };
        let suffix = if self.kind == FieldKind::Content { "; the text itself, not a file name" } else { "" };
        schema["description"] = Value::from(format!("{}{suffix}", self.about));
        schema
    }

    /// What is wrong with a number or a word that was typed or sent as a text; nothing where it can be read.
    pub fn fault(&self, text: &str) -> Option<String> {
        let words = (self.words)();
        match self.kind {
            FieldKind::Integer => {
                let (min, max) = self.range;
                let fits = text.parse::<u64>().is_ok_and(|number| (min..=max).contains(&number));
                (!fits).then(|| match (min, max >= u64::from(u16::MAX)) {
                    (0, true) => "expected a whole number".to_owned(),
                    (min, true) => format!("expected a whole number from {min} up"),
                    (min, false) => format!("expected a whole number from {min} to {max}"),
                })
            }
            FieldKind::Number => {
                let is_number = text.parse::<f64>().is_ok_and(f64::is_finite);
                (!is_number).then(|| "expected a number".to_owned())
            }
            _ if self.only_words && !words.contains(&text) => Some(format!("allowed: {}", words.join(", "))),
            _ => self.check.and_then(|check| check(text).err()),
        }
    }

    /// The value that a text of the command line, or of an address, is.
    pub fn value(&self, text: &str) -> Value {
        match self.kind {
            FieldKind::Switch => Value::from(text == "true"),
            FieldKind::Integer => text.parse::<u64>().map_or_else(|_| Value::from(text), Value::from),
            FieldKind::Number => text.parse::<f64>().map_or_else(|_| Value::from(text), Value::from),
            FieldKind::Text | FieldKind::Content => Value::from(text),
        }
    }

    /// One value as it was sent, or what is wrong with it.
    fn read_one(&self, value: Value) -> Result<Value> {
        let wrong = |wanted: &str| self.wrong(format!("expected {wanted}"));
        let text = match (self.kind, value) {
            (FieldKind::Switch, Value::Bool(set)) => return Ok(Value::from(set)),
            (FieldKind::Switch, _) => return Err(wrong("true or false")),
            (FieldKind::Text, Value::String(text)) => text,
            (FieldKind::Text, _) => return Err(wrong(if self.many { "texts" } else { "a text" })),
            (FieldKind::Content, Value::String(text)) if is_file_name(&text) => {
                return Err(
                    self.wrong(format!("expected the text itself; {text:?} looks like the name of a file"))
                );
            }
            (FieldKind::Content, Value::String(text)) => return Ok(Value::from(text)),
            (FieldKind::Content, other) => return Ok(Value::from(other.to_string())),
            (FieldKind::Integer | FieldKind::Number, Value::String(text)) => text,
            (FieldKind::Integer | FieldKind::Number, other) => other.to_string(),
        };
        // No command line can have one, and no program that is asked takes one.
        if text.contains('\0') {
            return Err(wrong("a text without NUL characters"));
        }
        match self.fault(&text) {
            None => Ok(self.value(&text)),
            Some(fault) if self.kind == FieldKind::Text => {
                Err(self.wrong(format!("invalid value {text:?}: {fault}")))
            }
            Some(fault) => Err(self.wrong(format!("{fault} instead of {text:?}"))),
        }
    }

    /// What was sent for it, as the request takes it.
    fn read(&self, value: Value) -> Result<Value> {
        let values = match value {
            Value::Array(list) if self.many && list.contains(&Value::Null) => {
                return Err(self.wrong("expected texts, not null".to_owned()));
            }
            Value::Array(list) if self.many => list,
            Value::Array(_) => match self.kind {
                FieldKind::Integer | FieldKind::Number => {
                    return Err(self.wrong("expected one number".to_owned()));
                }
                FieldKind::Text => return Err(self.wrong("expected one text".to_owned())),
                FieldKind::Switch | FieldKind::Content => vec![value],
            },
            one => vec![one],
        };
        let mut read = Vec::new();
        for value in values {
            match (self.split, value) {
                (true, Value::String(text)) => {
                    for part in text.split(',') {
                        read.push(self.read_one(Value::from(part))?);
                    }
                }
                (_, value) => read.push(self.read_one(value)?),
            }
        }
        Ok(match self.many {
            true => Value::Array(read),
            false => read.remove(0),
        })
    }

    fn wrong(&self, what: String) -> ken_engine::Error {
        Refusal::new(Code::Invalid, format!("{}: {what}", self.name)).field(self.name).into()
    }
}

/// Whether somebody sent the name of a file where the text in it is meant: a scan of the name would find nothing.
fn is_file_name(text: &str) -> bool {
    let text = text.trim();
    let is_one_word = !text.is_empty() && text.len() <= PATH_BYTES_MAX && !text.contains(char::is_whitespace);
    let extension = text.rsplit_once('.').map(|(_, extension)| extension);
    let ends_as_one = extension
        .is_some_and(|end| (1..=5).contains(&end.len()) && end.bytes().all(|c| c.is_ascii_alphanumeric()));
    let is_data = text.contains(['{', '[', '"', ':', '=']);
    is_one_word && !is_data && (text == "-" || text.contains('/') || ends_as_one)
}

/// What a request is read from: an object whose names and types fit its fields.
#[derive(Clone, Debug)]
pub struct Values(Map<String, Value>);

impl Values {
    /// One value; what is not there reads as nothing.
    pub fn take<T: DeserializeOwned>(&mut self, name: &str) -> Result<T> {
        let value = self.0.remove(name).unwrap_or_default();
        serde_json::from_value(value)
            .map_err(|error| Refusal::new(Code::Invalid, format!("{name}: {error}")).field(name).into())
    }
}

/// The fields of a request.
pub fn fields_of<R: Request>() -> Vec<Field> {
    let mut fields = Vec::new();
    R::fields(&mut fields);
    fields
}

/// Reads a request from what was given of it by its fields' names, each of the right type.
pub fn typed<R: Request>(given: Map<String, Value>) -> Result<R> {
    R::take(&mut completed(&fields_of::<R>(), given))
}

/// What is given and, of everything else, what it is when it is not.
fn completed(fields: &[Field], mut given: Map<String, Value>) -> Values {
    for field in fields.iter().filter(|field| !given.contains_key(field.name)).collect::<Vec<_>>() {
        let usual = match (field.default, field.kind) {
            (Some(default), _) if field.many => json!([field.value(&default())]),
            (Some(default), _) => field.value(&default()),
            (None, FieldKind::Switch) => Value::from(false),
            (None, _) if field.many => json!([]),
            (None, _) => continue,
        };
        given.insert(field.name.to_owned(), usual);
    }
    Values(given)
}

/// Checks what another program sent for the fields of a verb, and reads each value: what is left out is not there, and no field is that
/// the verb does not have.
pub(crate) fn checked(
    verb: &str,
    fields: &[Field],
    one_of: &[&str],
    given: Map<String, Value>,
) -> Result<Map<String, Value>> {
    let mut given = named(verb, fields, given)?;
    let mut read = Map::new();
    for field in fields {
        let Some(value) = given.remove(field.name) else { continue };
        let value = field.read(value)?;
        let is_said = value != Value::Bool(false) && value.as_array().is_none_or(|list| !list.is_empty());
        if is_said {
            read.insert(field.name.to_owned(), value);
        }
    }
    agree(verb, fields, one_of, &read)?;
    Ok(read)
}

/// What was sent, by the names of the fields: former names and other spellings are read.
fn named(verb: &str, fields: &[Field], given: Map<String, Value>) -> Result<Map<String, Value>> {
    // Models write null for what they leave out.
    let mut given: Map<String, Value> = given.into_iter().filter(|(_, value)| !value.is_null()).collect();
    let known: Vec<&str> = fields.iter().map(|field| field.name).collect();
    for field in fields {
        for alias in field.aliases {
            if let Some(value) = given.remove(&alias.replace('-', "_")) {
                given.entry(field.name).or_insert(value);
            }
        }
    }
    respell(&mut given, |name| known.contains(&name));
    for name in ["anchor", "evidence"] {
        if let Some(Value::Array(list)) = given.get_mut(name) {
            list.iter_mut().for_each(name_place);
        }
    }
    let Some(unknown) = given.keys().find(|name| !known.contains(&name.as_str())) else { return Ok(given) };
    let near = nearest(unknown, known.iter().copied());
    let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    Err(Refusal::new(Code::Invalid, format!("{verb} has no field `{unknown}`{near}"))
        .hint(takes(&known))
        .field(unknown.clone())
        .into())
}

/// Whether what is given goes together: what is needed is there, and nothing that another excludes.
fn agree(verb: &str, fields: &[Field], one_of: &[&str], given: &Map<String, Value>) -> Result<()> {
    let has = |name: &str| given.contains_key(name);
    let refuse = |message: String, field: &str| -> Result<()> {
        Err(Refusal::new(Code::Invalid, message).field(field).into())
    };
    for field in fields {
        if !has(field.name) {
            let is_missing = field.required && field.default.is_none();
            if is_missing || field.unless.is_some_and(|other| !has(other)) {
                let or = field.unless.map(|other| format!(" or `{other}`")).unwrap_or_default();
                let message = format!("{verb} needs `{}`{or}: {}", field.name, field.about);
                return refuse(message, field.name);
            }
            continue;
        }
        if let Some(other) = field.conflicts.iter().find(|other| has(other)) {
            let message = format!("`{}` cannot be given together with `{other}`", field.name);
            return refuse(message, field.name);
        }
        if let Some(other) = field.requires.iter().find(|other| !has(other)) {
            let message = format!("`{}` needs `{other}`", field.name);
            return refuse(message, other);
        }
    }
    match one_of.iter().filter(|name| has(name)).count() {
        0 if !one_of.is_empty() => {
            let names: Vec<String> = one_of.iter().map(|name| format!("`{name}`")).collect();
            refuse(format!("{verb} needs {}", names.join(" or ")), one_of[0])
        }
        0 | 1 => Ok(()),
        _ => refuse(format!("only one of {} can be given", one_of.join(", ")), one_of[0]),
    }
}

/// An anchor or a citation as the text that names it, where it is an object as answers give it.
fn name_place(given: &mut Value) {
    let text = |name: &str| given.get(name).and_then(Value::as_str);
    let named = match (text("at"), text("evidence_type"), text("evidence_ref")) {
        (Some(at), _, _) => at.to_owned(),
        (None, Some(kind), Some(reference)) => format!("{kind}:{reference}"),
        _ => return,
    };
    *given = Value::from(named);
}

/// What can be given, in a sentence.
pub fn takes<T: std::borrow::Borrow<str>>(known: &[T]) -> String {
    match known {
        [] => "it takes no arguments".to_owned(),
        known => format!("it takes {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, PartialEq, Request)]
    struct Sample {
        /// What it is about
        id: String,
        /// Rows per page
        #[field(long, short = 'n', default = 20, min = 1, max = 1000)]
        limit: usize,
        /// Kind of thing
        #[field(long = "type", words = &["lesson", "fact"])]
        kind: Option<String>,
        /// Labels
        #[field(long, split, alias = "labels")]
        tag: Vec<String>,
        /// Only look
        #[field(long, conflicts("kind"))]
        dry_run: bool,
        /// What it says
        #[field(long)]
        body: Option<crate::content::Content>,
        /// How sure one is
        #[field(long, requires("dry_run"))]
        sure: Option<f64>,
    }

    fn read(given: Value) -> std::result::Result<Sample, String> {
        let Value::Object(given) = given else { panic!("{given}") };
        let fields = fields_of::<Sample>();
        let given = checked("sample", &fields, Sample::ONE_OF, given).map_err(|error| error.to_string())?;
        typed(given).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_left_out_has_its_usual_value() {
        let wanted = Sample {
            id: "L-1".to_owned(),
            limit: 20,
            kind: None,
            tag: Vec::new(),
            dry_run: false,
            body: None,
            sure: None,
        };
        assert_eq!(read(json!({"id": "L-1"})), Ok(wanted.clone()));
        assert_eq!(read(json!({"id": "L-1", "type": null, "tag": [], "dry_run": false})), Ok(wanted));
    }

    #[test]
    fn names_of_before_other_spellings_and_lists_with_commas_are_read() {
        let read =
            read(json!({"id": "L-1", "labels": ["a,b", "c"], "dry_run": true, "sure": "0.5"})).unwrap();
        assert_eq!(
            (read.tag, read.dry_run, read.sure),
            (["a", "b", "c"].map(str::to_owned).to_vec(), true, Some(0.5))
        );
    }

    #[test]
    fn what_cannot_be_read_is_named_by_its_field() {
        for (given, told) in [
            (json!({}), "sample needs `id`: What it is about"),
            (json!({"id": 7}), "id: expected a text"),
            (json!({"id": ["L-1"]}), "id: expected one text"),
            (
                json!({"id": "a", "body": "/etc/passwd"}),
                "body: expected the text itself; \"/etc/passwd\" looks like the name of a file",
            ),
            (
                json!({"id": "a", "body": "notes.md"}),
                "body: expected the text itself; \"notes.md\" looks like the name of a file",
            ),
            (
                json!({"id": "a", "body": "-"}),
                "body: expected the text itself; \"-\" looks like the name of a file",
            ),
            (json!({"id": {"a": 1}}), "id: expected a text"),
            // A NUL reached git as an argument, and came back as a failure of the machine.
            (json!({"id": "main\0"}), "id: expected a text without NUL characters"),
            (
                json!({"id": "a", "limit": "many"}),
                "limit: expected a whole number from 1 to 1000 instead of \"many\"",
            ),
            (
                json!({"id": "a", "limit": -1}),
                "limit: expected a whole number from 1 to 1000 instead of \"-1\"",
            ),
            (json!({"id": "a", "limit": [1]}), "limit: expected one number"),
            (json!({"id": "a", "tag": [null]}), "tag: expected texts, not null"),
            (json!({"id": "a", "dry_run": "yes"}), "dry_run: expected true or false"),
            (json!({"id": "a", "sure": 0.5}), "`sure` needs `dry_run`"),
            (
                json!({"id": "a", "type": "fact", "dry_run": true}),
                "`dry_run` cannot be given together with `type`",
            ),
            (json!({"id": "a", "limt": 3}), "sample has no field `limt`; did you mean `limit`?"),
        ] {
            assert_eq!(read(given.clone()).unwrap_err(), told, "{given}");
        }
    }
}
