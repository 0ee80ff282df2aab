//! What a verb takes, as schemas, help and other doors see it.

use std::any::TypeId;

use clap::builder::StyledStr;
use clap::{Arg, ArgAction};
use ken_core::{Code, Refusal};
use ken_engine::{Error, Result};
use serde_json::{Value, json};

use crate::content::{Content, TEXT_MARK};

/// Something that a verb takes.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name: that of the flag, with `_` for `-`.
    pub name: String,
    /// What it is for.
    pub about: String,
    /// What it holds.
    pub kind: FieldKind,
    /// Whether there can be several.
    pub many: bool,
    /// Whether it must be there.
    pub required: bool,
    /// The words it may be, where they are known.
    pub words: Vec<String>,
    /// Other names that it is taken by, such as those of earlier versions.
    pub(crate) aliases: Vec<String>,
    /// The flag that it is on the command line; none for what stands by itself.
    pub(crate) flag: Option<String>,
}

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
    pub(crate) fn from_arg(given: &Arg) -> Field {
        let parsed = given.get_value_parser().type_id();
        let is = |wanted: TypeId| parsed == wanted;
        let kind = match given.get_action() {
            ArgAction::SetTrue | ArgAction::SetFalse | ArgAction::Count => FieldKind::Switch,
            _ if is(TypeId::of::<Content>()) => FieldKind::Content,
            _ if is(TypeId::of::<f64>()) => FieldKind::Number,
            _ if is(TypeId::of::<usize>())
                || is(TypeId::of::<u64>())
                || is(TypeId::of::<u32>())
                || is(TypeId::of::<u16>()) =>
            {
                FieldKind::Integer
            }
            _ => FieldKind::Text,
        };
        let many = given.get_num_args().is_some_and(|range| range.max_values() > 1)
            || matches!(given.get_action(), ArgAction::Append);
        let aliases = given.get_all_aliases().unwrap_or_default();
        let name = given.get_long().map_or_else(|| given.get_id().to_string(), str::to_owned);
        let mut about = given.get_help().map(StyledStr::to_string).unwrap_or_default();
        if kind == FieldKind::Content {
            about.push_str("; the text itself, not a file name");
        }
        let words = match kind {
            FieldKind::Switch => Vec::new(),
            _ => given.get_possible_values().iter().map(|word| word.get_name().to_owned()).collect(),
        };
        Field {
            name: name.replace('-', "_"),
            about,
            kind,
            many,
            required: given.is_required_set(),
            words,
            aliases: aliases.into_iter().map(|alias| alias.replace('-', "_")).collect(),
            flag: given.get_long().map(|long| format!("--{long}")),
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
            FieldKind::Integer => json!({"type": "integer", "minimum": 0}),
            FieldKind::Number => json!({"type": "number"}),
            FieldKind::Text | FieldKind::Content => json!({"type": "string"}),
        };
        if !self.words.is_empty() {
            one["enum"] = json!(self.words);
        }
        let mut schema = if self.many { json!({"type": "array", "items": one}) } else { one };
        if !self.about.is_empty() {
            schema["description"] = Value::from(self.about.clone());
        }
        schema
    }

    pub(crate) fn texts(&self, value: Value) -> Result<Vec<String>> {
        let wrong = |wanted: &str| -> Error {
            let message = format!("{}: expected {wanted}", self.name);
            Refusal::new(Code::Invalid, message).field(self.name.clone()).into()
        };
        let text = |value: Value| match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        let is_text = |value: &Value| value.is_string() || value.is_null();
        let all_texts = match &value {
            Value::Array(list) => !self.many || list.iter().all(is_text),
            value => is_text(value),
        };
        if self.kind == FieldKind::Text && !all_texts {
            return Err(wrong(if self.many { "texts" } else { "a text" }));
        }
        if matches!(&value, Value::Array(list) if list.contains(&Value::Null)) {
            return Err(wrong("texts, not null"));
        }
        let mut texts = match (self.kind, value) {
            (FieldKind::Switch, Value::Bool(set)) => vec![set.to_string()],
            (FieldKind::Switch, _) => return Err(wrong("true or false")),
            (_, Value::Array(list)) if self.many => list.into_iter().map(text).collect(),
            (FieldKind::Content, value) => vec![text(value)],
            (_, Value::Array(_)) => return Err(wrong("one text")),
            (_, value) => vec![text(value)],
        };
        // No command line can have one, and no program that is asked takes one.
        if self.kind != FieldKind::Content && texts.iter().any(|text| text.contains('\0')) {
            return Err(wrong("a text without NUL characters"));
        }
        let not_a_number = |text: &&String| match self.kind {
            FieldKind::Integer => text.parse::<u64>().is_err(),
            FieldKind::Number => text.parse::<f64>().is_err(),
            FieldKind::Switch | FieldKind::Text | FieldKind::Content => false,
        };
        if let Some(given) = texts.iter().find(not_a_number) {
            let wanted = match self.kind {
                FieldKind::Integer => "a whole number from 0 up",
                _ => "a number",
            };
            return Err(wrong(&format!("{wanted} instead of {given:?}")));
        }
        if self.kind == FieldKind::Content {
            texts = texts.into_iter().map(|text| format!("{TEXT_MARK}{text}")).collect();
        }
        Ok(texts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // A NUL reached git as an argument, and came back as a failure of the machine.
    #[test]
    fn a_nul_is_refused_before_anybody_hands_it_on() {
        let field = Field::from_arg(&Arg::new("as_of").long("as-of"));
        assert!(matches!(field.texts(json!("main\0")), Err(Error::Refused(_))));
        assert!(field.texts(json!("main")).is_ok());
    }

    #[test]
    fn what_is_no_text_is_not_taken_for_one() {
        let field = Field::from_arg(&Arg::new("statement").long("statement"));
        for given in [json!({"a": [1]}), json!(42), json!(true), json!(["a"])] {
            let message = field.texts(given).unwrap_err().to_string();
            assert!(message.starts_with("statement: expected"), "{message}");
        }
    }

    // `null` in a list became the word.
    #[test]
    fn nothing_in_a_list_is_no_word() {
        let field = Field::from_arg(&Arg::new("text").action(clap::ArgAction::Append).num_args(1..));
        assert_eq!(field.texts(json!(["a", "b"])).unwrap(), ["a", "b"]);
        assert!(matches!(field.texts(json!([null])), Err(Error::Refused(_))));
    }

    /// What a caller over MCP reads when a value has the wrong type: the field's name, never a flag of the command line.
    #[test]
    fn a_wrong_number_is_named_by_its_field() {
        let limit =
            Field::from_arg(&Arg::new("limit").long("limit").value_parser(clap::value_parser!(usize)));
        assert_eq!(limit.schema()["minimum"], 0);
        assert_eq!(limit.texts(json!(12)).unwrap(), ["12"]);
        for given in [json!("many"), json!(-1), json!(1.5)] {
            let message = limit.texts(given).unwrap_err().to_string();
            assert!(message.starts_with("limit: expected a whole number from 0 up instead of"), "{message}");
        }
    }
}
