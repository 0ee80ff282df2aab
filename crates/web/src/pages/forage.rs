//! Forage: what was read on the web, why, what became of it, and what people decided of domains.

use askama::Template;
use serde_json::json;

use super::{Page, render};
use crate::answers::{Forage, ForageStrategies};
use crate::ask::ask;
use crate::layout::{Layout, Notice};
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "forage.html")]
struct ForagePage<'a> {
    layout: Layout<'a>,
    forage: Forage,
    strategies: ForageStrategies,
}

pub(crate) fn page(visit: &Visit<'_>, notice: Option<Notice>) -> Page {
    let layout = Layout::new(visit, "/forage", "Web").noting(notice);
    let forage: Forage = ask(visit, "forage status", json!({}))?;
    let strategies: ForageStrategies = ask(visit, "forage strategies", json!({}))?;
    render(&ForagePage { layout, forage, strategies })
}

/// How a level reads a page, in words.
pub(crate) fn level(number: &u64) -> &'static str {
    match number {
        0 => "plain text",
        1 => "the article",
        _ => "whatever is no navigation",
    }
}
