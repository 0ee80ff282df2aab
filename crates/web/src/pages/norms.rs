//! Norms and gates: the rules of the team, who approved them, and what the gates say of the store.

use askama::Template;
use serde_json::json;

use super::queue::{Proposal, proposals};
use super::{Page, render};
use crate::answers::{Gate, List, Listed, Promotions};
use crate::ask::ask;
use crate::layout::{Layout, Notice};
use crate::limits::{ASKED_MAX, NORMS_MAX};
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "norms.html")]
struct NormsPage<'a> {
    layout: Layout<'a>,
    norms: Vec<Listed>,
    open: Vec<Proposal>,
    answered: Vec<Proposal>,
    approvers: Vec<String>,
    solo: bool,
    /// None while it was not asked for: it takes long in a large store, and is loaded after the page.
    gate: Option<Gate>,
}

pub(crate) fn page(visit: &Visit<'_>, notice: Option<Notice>) -> Page {
    let layout = Layout::new(visit, "/norms", "Norms and gates").noting(notice);
    let norms: List = ask(visit, "list", json!({"memory": ["procedural"], "limit": NORMS_MAX}))?;
    let promotions: Promotions = ask(visit, "promote list", json!({"all": true, "limit": ASKED_MAX}))?;
    let gate: Option<Gate> = match visit.wants("gate") {
        true => Some(ask(visit, "gate", json!({}))?),
        false => None,
    };
    let all = proposals(&promotions).into_iter();
    let (open, answered) = all.partition(|proposal| proposal.promotion.state == "open");
    let (approvers, solo) = (promotions.approvers, promotions.solo);
    render(&NormsPage { layout, norms: norms.items, open, answered, approvers, solo, gate })
}
