//! `ken promote propose`.

use ken_core::Type;
use ken_engine::Result;
use ken_engine::ops::promote::{PromotionView, ProposeInput};
use serde_json::{Map, Value};

use crate::Reach;
use crate::entry_content::{read_enforcement, read_stated};
use crate::request::Request;
use crate::verb::{Call, Group, HttpPath, Nature, Verb};

/// The memories that a proposal can lead into.
const MEMORIES: &[&str] = &["semantic", "procedural"];

/// Propose that entries become a norm, or that records become knowledge.
pub struct PromotePropose;

impl Verb for PromotePropose {
    const NAME: &'static str = "promote propose";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Propose that entries become a norm, or that records become knowledge";
    const EXAMPLE: &'static str =
        "ken promote propose L-e71631 --to procedural --type commit_norm --reason 'twice in reviews'";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/promotions")];
    const GROUP: Group = Group::Reach;
    const NATURE: Nature = Nature::WRITES;
    type Request = ProposeRequest;
    type Answer = PromotionView;

    fn run(call: &mut Call, request: ProposeRequest) -> Result<PromotionView> {
        let content = request.content()?;
        let input = ProposeInput {
            sources: request.sources,
            to: request.to,
            kind: request.kind,
            content,
            evidence: request.evidence,
            unverified: request.unverified,
            reason: request.reason,
        };
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::promote::propose(ledger, site, models, caller, input)
    }
}

/// What `promote propose` takes.
#[derive(Clone, Debug, Request)]
pub struct ProposeRequest {
    /// Source entries: ids, handles or unique prefixes of either
    #[field(required)]
    pub sources: Vec<String>,
    /// Target memory: semantic or procedural
    #[field(long, value_name = "MEMORY", words = MEMORIES)]
    pub to: String,
    /// Type of the new entry: lesson, commit_norm, pr_expectation ...
    #[field(long = "type", value_name = "TYPE", words = Type::WORDS)]
    pub kind: Option<String>,
    /// Statement (default: that of the source, if there is only one)
    #[field(long)]
    pub statement: Option<String>,
    /// Title, one line for lists
    #[field(long)]
    pub title: Option<String>,
    /// Id to use instead of a generated one
    #[field(long)]
    pub id: Option<String>,
    /// Evidence, such as commit:HASH or pr:#N (default: that of the sources)
    #[field(long, value_name = "KIND:REF")]
    pub evidence: Vec<String>,
    /// Code it describes: a path, lines of it or a symbol
    #[field(long, value_name = "PATH[:A-B|#SYMBOL]")]
    pub anchor: Vec<String>,
    /// Verification step, a command or an instruction
    #[field(long, value_name = "TEXT")]
    pub verify: Vec<String>,
    /// Tag; `/` nests, as in auth/jwt
    #[field(long, value_name = "T")]
    pub tag: Vec<String>,
    /// Norms: how it is enforced, as JSON or a keyword
    #[field(long)]
    pub enforcement: Option<String>,
    /// Norms: an example of following it
    #[field(long)]
    pub example: Vec<String>,
    /// Norms: when it does not apply
    #[field(long)]
    pub exception: Vec<String>,
    /// The entry as a JSON object
    #[field(long, value_name = "JSON")]
    pub content: Option<String>,
    /// Accept evidence that cannot be found in this repository
    #[field(long)]
    pub unverified: bool,
    /// Why it should be promoted
    #[field(long, default = "")]
    pub reason: String,
}

impl ProposeRequest {
    /// What the new entry will say. A field of its own wins over the same word in `content`.
    fn content(&self) -> Result<Map<String, Value>> {
        let mut content = match &self.content {
            Some(text) => read_stated(text)?,
            None => Map::new(),
        };
        let mut set = |name: &str, value: Value| drop(content.insert(name.to_owned(), value));
        let texts = [("title", &self.title), ("statement", &self.statement), ("id", &self.id)];
        for (name, text) in texts {
            if let Some(text) = text {
                set(name, Value::from(text.as_str()));
            }
        }
        let lists = [
            ("tags", &self.tag),
            ("anchors", &self.anchor),
            ("verification", &self.verify),
            ("examples", &self.example),
            ("exceptions", &self.exception),
        ];
        for (name, list) in lists {
            if !list.is_empty() {
                set(name, Value::from(list.clone()));
            }
        }
        if let Some(text) = &self.enforcement {
            set("enforcement", read_enforcement(text)?);
        }
        Ok(content)
    }
}
