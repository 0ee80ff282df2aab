//! `ken schema`.

use ken_core::{Code, Refusal, Type, schema};
use ken_engine::Result;
use ken_engine::ops::add::unknown_type;
use serde_json::{Map, Value};

use crate::request::Request;
use crate::verb::{Call, Group, Nature, Verb};

/// Print the JSON Schema of an entry type.
pub struct Schema;

/// What `schema` takes.
#[derive(Clone, Debug, Request)]
pub struct SchemaRequest {
    /// Entry type (default: all)
    #[field(value_name = "TYPE", words = Type::WORDS)]
    pub kind: Option<String>,
}

impl Verb for Schema {
    const NAME: &'static str = "schema";
    const ABOUT: &'static str = "Print the JSON Schema of an entry type";
    const EXAMPLE: &'static str = "ken schema lesson";
    const GROUP: Group = Group::ForPrograms;
    const NATURE: Nature = Nature::READS.at_terminal();
    type Request = SchemaRequest;
    type Answer = Value;

    fn run(_: &mut Call, request: SchemaRequest) -> Result<Value> {
        request.schema()
    }
}

impl SchemaRequest {
    /// The schema that is asked for, or all of them by the names of their types. It needs no store.
    pub fn schema(&self) -> Result<Value> {
        match &self.kind {
            Some(word) => match Type::from_word(&word.to_lowercase().replace('-', "_")) {
                Some(kind) => Ok(schema::json_schema(kind)),
                None => Err(Refusal::new(Code::Invalid, unknown_type(word)).field("type").into()),
            },
            None => {
                let all = Type::ALL.iter().map(|kind| (kind.word().to_owned(), schema::json_schema(*kind)));
                Ok(Value::Object(all.collect::<Map<_, _>>()))
            }
        }
    }
}
