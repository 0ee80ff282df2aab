//! `ken search`.

use ken_engine::Result;
use ken_engine::ops::pack::PackAnswer;
use ken_engine::ops::search::{LIMIT_MAX, SearchAnswer};
use serde::Serialize;

use crate::Reach;
use crate::forage::ask_the_web;
use crate::search_request::{SearchRequest, input};
use crate::verb::{Call, Group, HttpPath, InRun, Nature, Verb};

/// Search for entries relevant to a question.
pub struct Search;

impl Verb for Search {
    const NAME: &'static str = "search";
    const ABOUT: &'static str = "Search for entries relevant to a question";
    const EXAMPLE: &'static str = "ken search 'how should a client try again?' --explain";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/search")];
    const GROUP: Group = Group::Find;
    const NATURE: Nature = Nature::READS;
    const EVERYDAY: bool = true;
    type Request = SearchRequest;
    type Answer = SearchOrPack;

    fn run(call: &mut Call, request: SearchRequest) -> Result<SearchOrPack> {
        let mut input = input(&request)?;
        let ken = call.reach()?;
        if let Some(budget) = request.pack {
            return Ok(SearchOrPack::Pack(Box::new(crate::recall::pack(
                &mut ken.ledger,
                &ken.site,
                &mut ken.models,
                &ken.caller,
                &input.query,
                budget,
                input.thread,
            )?)));
        }
        input.limit = match request.limit {
            Some(0) => LIMIT_MAX,
            Some(limit) => limit,
            None => ken.site.config.number("search.limit"),
        };
        let answer = match &request.as_of {
            Some(when) => crate::recall::search_as_of(
                &mut ken.ledger,
                &ken.site,
                &mut ken.models,
                &ken.caller,
                when,
                &input,
            )?,
            None => {
                let Reach { ledger, site, models, caller, .. } = ken;
                let answer = crate::recall::search(ledger, site, models, caller, &input)?;
                ask_the_web(ledger, site, caller, &answer);
                answer
            }
        };
        Ok(SearchOrPack::Search(Box::new(answer)))
    }

    fn in_run(request: &SearchRequest) -> Option<&InRun> {
        Some(&request.in_run)
    }
}

/// What `search` answers: entries by their score, or a token budget filled with them.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum SearchOrPack {
    /// Entries, best first.
    Search(Box<SearchAnswer>),
    /// A filled token budget, for `--pack`.
    Pack(Box<PackAnswer>),
}
