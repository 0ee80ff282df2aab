//! `ken rebuild --embeddings`.

use ken_engine::Result;
use serde::Serialize;

use crate::embedding::EmbedReport;
use crate::request::Request;
use crate::verb::{Call, Group, Nature, Verb};

/// Compute missing embeddings.
pub struct Embed;

impl Verb for Embed {
    const NAME: &'static str = "rebuild --embeddings";
    const FORMER: &'static [&'static str] = &["embed"];
    const ABOUT: &'static str = "Compute missing embeddings";
    const EXAMPLE: &'static str = "ken rebuild --embeddings --status";
    const GROUP: Group = Group::KeepInOrder;
    const NATURE: Nature = Nature::WRITES.at_terminal();
    type Request = EmbedRequest;
    type Answer = EmbedAnswer;

    fn run(call: &mut Call, request: EmbedRequest) -> Result<EmbedAnswer> {
        let ken = call.reach()?;
        if request.status {
            let model = crate::embedding::embedder(&mut ken.ledger, &mut ken.models)
                .map(|embedder| embedder.card().name.clone());
            let backlog = crate::embedding::backlog(&mut ken.ledger, &mut ken.models)?;
            let (model, fallback) = match model {
                Ok(name) => (Some(name), None),
                Err(why) => (None, Some(why)),
            };
            return Ok(EmbedAnswer::Status(EmbedStatus { backlog, fallback, model }));
        }
        crate::embedding::embed(&mut ken.ledger, &ken.site.config, &mut ken.models, &ken.caller, &mut |_| {
            true
        })
        .map(EmbedAnswer::Made)
    }
}

/// What `embed` takes.
#[derive(Clone, Debug, Request)]
pub struct EmbedRequest {
    /// Only print how many entries lack an embedding
    #[field(long)]
    pub status: bool,
}

/// What `embed` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum EmbedAnswer {
    /// How many entries wait.
    Status(EmbedStatus),
    /// Which vectors were made.
    Made(EmbedReport),
}

/// How many entries wait for a vector.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EmbedStatus {
    /// Entries without a vector.
    pub backlog: usize,
    /// Why no vectors are made, where there is no model.
    pub fallback: Option<String>,
    /// The model that makes them.
    pub model: Option<String>,
}
