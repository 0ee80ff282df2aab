//! What an entry says, as fields of a request: `add`, `revise`, `supersede` and `promote` share them.

use ken_core::decide::OnConflict;
use ken_core::kinds::{DecayClass, Polarity, SpikeOutcome};
use ken_core::{Code, Refusal, Scope};
use ken_engine::Result;
use ken_engine::ops::add::{AddInput, DURABILITY_WORDS, OnAbsent};
use serde_json::{Map, Value, json};

use crate::read_content;
use crate::verb::{Words, number, whole};

/// What an entry says. Flags that can be given several times make lists.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ContentRequest {
    /// A line for lists
    #[arg(long, help_heading = "What it says")]
    pub title: Option<String>,
    /// The claim, in one to three sentences
    #[arg(long, help_heading = "What it says")]
    pub statement: Option<String>,
    /// One line
    #[arg(long, help_heading = "What it says")]
    pub summary: Option<String>,
    /// Whatever is longer than the claim
    #[arg(long, help_heading = "What it says")]
    pub detail: Option<String>,
    /// commit:HASH, pr:#N, doc:PATH, test:PATH or transcript:REF
    #[arg(long, value_name = "KIND:REF", help_heading = "What it rests on")]
    pub evidence: Vec<String>,
    /// Where it can be seen
    #[arg(long, value_name = "PATH[:A-B|#SYMBOL]", help_heading = "What it rests on")]
    pub anchor: Vec<String>,
    /// A step that shows whether it holds, one to three of them
    #[arg(long, value_name = "TEXT", help_heading = "What it rests on")]
    pub verify: Vec<String>,
    /// A condition that must hold for it to be true
    #[arg(long, value_name = "COND", help_heading = "What it rests on")]
    pub depends_on: Vec<String>,
    /// A label; `/` nests
    #[arg(long, value_name = "T", help_heading = "What it says")]
    pub tag: Vec<String>,
    /// A field of work; `/` nests
    #[arg(long, value_name = "D", help_heading = "What it says")]
    pub domain: Vec<String>,
    /// Your own id for it
    #[arg(long)]
    pub id: Option<String>,
    /// thread, project or global
    #[arg(long, value_parser = Words(Scope::WORDS), hide_possible_values = true)]
    pub scope: Option<String>,
    /// The line of work it belongs to
    #[arg(long)]
    pub thread: Option<String>,
    /// positive, negative or neutral
    #[arg(long, value_parser = Words(Polarity::WORDS), hide_possible_values = true)]
    pub polarity: Option<String>,
    /// ephemeral, stable or permanent
    #[arg(long, value_name = "CLASS", value_parser = Words(DecayClass::WORDS), hide_possible_values = true)]
    pub decay_class: Option<String>,
    /// workaround, convention or principle: the decay class in other words
    #[arg(long, value_name = "WORD", value_parser = Words(DURABILITY_WORDS), hide_possible_values = true)]
    pub durability: Option<String>,
    /// A name under which there is one entry at most
    #[arg(long, value_name = "NAME")]
    pub merge_key: Option<String>,
    /// Where an entry has that name already: merge, supersede or reject
    #[arg(long, value_name = "WHAT", value_parser = Words(OnConflict::WORDS), hide_possible_values = true)]
    pub on_conflict: Option<String>,
    /// The finer kind: technique, decision, tool_error ...
    #[arg(long)]
    pub subtype: Option<String>,
    /// What it is about
    #[arg(long)]
    pub subject: Option<String>,
    /// The reviewer whose knowledge it is
    #[arg(long)]
    pub reviewer: Option<String>,
    /// The role it is for
    #[arg(long)]
    pub role: Option<String>,
    /// How bad, 0 to 10
    #[arg(long, value_name = "0..10", value_parser = number)]
    pub severity: Option<f64>,
    /// How sure, 0 to 10
    #[arg(long, value_name = "0..10", value_parser = number)]
    pub confidence: Option<f64>,
    /// Entities: what it is called
    #[arg(long, help_heading = "Of some types")]
    pub name: Option<String>,
    /// Entities: what it is
    #[arg(long, help_heading = "Of some types")]
    pub description: Option<String>,
    /// Your own field: KEY=VALUE
    #[arg(long, value_name = "KEY=VALUE", help_heading = "Of some types")]
    pub attribute: Vec<String>,
    /// Relationships: the one side
    #[arg(long, help_heading = "Of some types")]
    pub from: Option<String>,
    /// Relationships: how they relate
    #[arg(long, help_heading = "Of some types")]
    pub relation: Option<String>,
    /// Relationships: the other side
    #[arg(long, help_heading = "Of some types")]
    pub to: Option<String>,
    /// Norms: what to do
    #[arg(long, help_heading = "Of some types")]
    pub rule: Option<String>,
    /// Norms: what following it looks like
    #[arg(long, help_heading = "Of some types")]
    pub example: Vec<String>,
    /// Norms: when it does not apply
    #[arg(long, help_heading = "Of some types")]
    pub exception: Vec<String>,
    /// Norms: how it is checked, as JSON or a word
    #[arg(long, help_heading = "Of some types")]
    pub enforcement: Option<String>,
    /// Spikes: what was asked
    #[arg(long, help_heading = "Of some types")]
    pub hypothesis: Option<String>,
    /// Spikes: confirmed, rejected, partial or inconclusive
    #[arg(long, help_heading = "Of some types", value_parser = Words(SpikeOutcome::WORDS), hide_possible_values = true)]
    pub outcome: Option<String>,
    /// Spikes: what was decided
    #[arg(long, help_heading = "Of some types")]
    pub decision: Option<String>,
    /// Spikes: how many attempts it took
    #[arg(long, help_heading = "Of some types", value_parser = whole::<u32>)]
    pub rounds: Option<u32>,
    /// The whole entry as a JSON object
    #[arg(long, value_name = "JSON")]
    pub content: Option<String>,
    /// Enter it with gaps; it stays a candidate until they are filled
    #[arg(long)]
    pub draft: bool,
    /// Accept evidence that is not in this repository
    #[arg(long)]
    pub unverified: bool,
}

impl ContentRequest {
    /// The wish that these flags and this content make together. A flag wins over the same word in the content.
    pub fn into_input(self, kind: Option<String>) -> Result<AddInput> {
        let mut content = match &self.content {
            Some(text) => read_content(text)?,
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
