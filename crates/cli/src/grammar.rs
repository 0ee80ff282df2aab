//! The command line of a verb, made of its fields: what clap takes, and the JSON object that was typed.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueHint};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command};
use kenning::request::{Field, FieldKind};
use kenning::verb::Row;
use serde_json::{Map, Value, json};

/// A verb with what it takes.
pub fn command(row: &Row) -> Command {
    let command = outline(row).args(row.all_fields().iter().map(argument));
    let command = match row.after_help {
        "" => command,
        text => command.after_help(text),
    };
    match row.one_of {
        [] => command,
        names => command.group(ArgGroup::new("one of").required(true).args(names)),
    }
}

/// A verb without what it takes: its name, and what it does.
pub fn outline(row: &Row) -> Command {
    let last = row.path().pop().unwrap_or(row.name);
    Command::new(last).about(row.about).hide(row.mode().is_some())
}

fn argument(field: &Field) -> Arg {
    let mut argument = Arg::new(field.name)
        .help(field.about)
        .long(field.flag)
        .short(field.short)
        .help_heading(field.heading)
        .hide(field.hidden)
        .required(field.required && field.default.is_none())
        .aliases(field.aliases)
        .conflicts_with_all(field.conflicts);
    argument = field.requires.iter().fold(argument, |argument, other| argument.requires(*other));
    if let Some(other) = field.unless {
        argument = argument.required_unless_present(other);
    }
    if field.kind == FieldKind::Switch {
        return argument.action(ArgAction::SetTrue);
    }
    argument = argument
        .action(if field.many { ArgAction::Append } else { ArgAction::Set })
        .value_name(field.value_name)
        .allow_hyphen_values(field.hyphens)
        .allow_negative_numbers(field.signed)
        .value_parser(Text(*field));
    if field.names_a_file {
        argument = argument.value_hint(ValueHint::AnyPath);
    }
    if field.only_words {
        argument = argument.value_parser(PossibleValuesParser::new((field.words)()));
    } else {
        argument = argument.hide_possible_values(true);
    }
    if field.split {
        argument = argument.value_delimiter(',');
    }
    if field.several || (field.many && field.is_place()) {
        argument = argument.num_args(1..);
    }
    if field.may_be_bare {
        argument = argument.num_args(0..=1).default_missing_value("");
    }
    match field.default {
        Some(default) => argument.default_value(default()),
        None => argument,
    }
}

/// Reads a text of a field. A word of a vocabulary is read by the verb, so that a wrong one gets the same answer through every door;
/// completions know the words.
#[derive(Clone)]
struct Text(Field);

impl TypedValueParser for Text {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        let field = self.0;
        let read = move |text: &str| match field.fault(text) {
            None => Ok(text.to_owned()),
            Some(fault) => Err(fault),
        };
        TypedValueParser::parse_ref(&read, command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        match (self.0.words)() {
            [] => None,
            words => Some(Box::new(words.iter().map(PossibleValue::new))),
        }
    }
}

/// What was typed for some fields, as a request is read from it.
pub fn given(matches: &ArgMatches, fields: &[Field]) -> Map<String, Value> {
    let is_typed = |field: &&Field| matches.value_source(field.name) == Some(ValueSource::CommandLine);
    fields.iter().filter(is_typed).map(|field| (field.name.to_owned(), typed(matches, field))).collect()
}

fn typed(matches: &ArgMatches, field: &Field) -> Value {
    if field.kind == FieldKind::Switch {
        return Value::from(matches.get_flag(field.name));
    }
    let texts = matches.get_many::<String>(field.name).into_iter().flatten();
    let mut values: Vec<Value> = texts
        .map(|text| match field.kind {
            FieldKind::Content => json!({ "file": text }),
            _ => field.value(text),
        })
        .collect();
    match field.many {
        true => Value::Array(values),
        false => values.pop().unwrap_or_default(),
    }
}
