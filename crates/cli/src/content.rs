//! From flags to the content of an entry.

use kenning::core::{Code, Refusal};
use kenning::{AddInput, Result};
use serde_json::{Map, Value, json};

use crate::args::ContentArgs;

impl ContentArgs {
    /// The wish that these flags and this content make together. A flag wins over the same word in the content.
    pub fn into_input(self, kind: Option<String>) -> Result<AddInput> {
        let mut content = match &self.content {
            Some(text) => kenning::read_content(text)?,
            None => Map::new(),
        };
        let (draft, unverified, evidence) = (self.draft, self.unverified, self.evidence.clone());
        content.extend(self.into_fields()?);
        Ok(AddInput { kind, content, evidence, draft, unverified, ..AddInput::default() })
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
            fields.insert("enforcement".to_owned(), serde_json::from_str(&text).unwrap_or(Value::from(text)));
        }
        if !self.attribute.is_empty() {
            let mut attributes = Map::new();
            for pair in self.attribute {
                let Some((name, value)) = pair.split_once('=') else {
                    return Err(Refusal::new(
                        Code::Invalid,
                        format!("--attribute {pair:?} has no `=`; write KEY=VALUE"),
                    )
                    .field("attributes")
                    .into());
                };
                attributes.insert(
                    name.to_owned(),
                    serde_json::from_str(value).unwrap_or_else(|_| Value::from(value)),
                );
            }
            fields.insert("attributes".to_owned(), Value::Object(attributes));
        }
        Ok(fields)
    }
}
