//! The queue: what waits for a judgement, one thing at a time.

use askama::Template;
use serde_json::{Value, json};

use super::{Page, render};
use crate::answers::{Entries, Entry, Item, KeptOut, Promotion, Promotions, Queue};
use crate::ask::ask;
use crate::layout::{Layout, Notice};
use crate::limits::{ASKED_MAX, ITEMS_MAX};
use crate::parts::{Meter, capital, capitalised, shown};
use crate::visit::{Problem, Visit};
use crate::words::{self, Stretch};

#[derive(Template)]
#[template(path = "queue.html")]
struct QueuePage<'a> {
    layout: Layout<'a>,
    /// The item that is judged now.
    item: Option<Item>,
    cards: Vec<Card>,
    answers: Vec<Choice>,
    at: usize,
    items: Vec<Item>,
    open: u64,
    promotions: Vec<Proposal>,
    approvers: Vec<String>,
    /// Why this visitor may answer no proposal.
    cannot_answer: String,
    quarantined: Vec<KeptOut>,
    /// Names the form of the item: what was typed about one is not offered for another.
    form: String,
}

/// One of the entries that an item is about.
struct Card {
    entry: Entry,
    meter: Meter,
    statement: Vec<Stretch>,
}

struct Choice {
    answer: String,
    label: String,
    key: usize,
}

/// A proposal that waits for an approver.
pub(crate) struct Proposal {
    pub(crate) promotion: Promotion,
    /// Its rule or statement, in a line.
    pub(crate) headline: String,
    /// All that an approval would be of: what the entry says, or would say.
    pub(crate) says: Vec<(String, String)>,
    /// Why this visitor may not approve it; none where they may.
    pub(crate) cannot_approve: Option<String>,
}

/// The proposals of an answer, with what this visitor may do about each.
pub(crate) fn proposals(promotions: &Promotions) -> Vec<Proposal> {
    let all = promotions.promotions.iter();
    all.map(|one| Proposal::new(one.clone(), promotions.cannot_approve.get(&one.id))).collect()
}

impl Proposal {
    fn new(promotion: Promotion, cannot_approve: Option<&String>) -> Proposal {
        let fields = if promotion.says.is_empty() { &promotion.draft } else { &promotion.says };
        let is_empty = |value: &Value| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        let fields: Vec<(&str, String)> = fields
            .iter()
            .filter(|(_, value)| !is_empty(value))
            .map(|(name, value)| (name.as_str(), shown(value)))
            .collect();
        let headline = ["rule", "statement", "title", "name"]
            .iter()
            .find_map(|wanted| fields.iter().find(|(name, _)| name == wanted))
            .map(|(_, text)| text.clone())
            .unwrap_or_default();
        let cannot_approve = cannot_approve.cloned().or_else(|| {
            let is_open = promotion.state == "open" && fields.is_empty();
            is_open.then(|| "what it would put in force is missing here".to_owned())
        });
        let says = fields.into_iter().map(|(name, text)| (name.replace('_', " "), text)).collect();
        Proposal { promotion, headline, says, cannot_approve }
    }
}

pub(crate) fn page(visit: &Visit<'_>, notice: Option<Notice>) -> Page {
    let layout = Layout::new(visit, "/queue", "Queue").noting(notice);
    let mut queue: Queue = ask(visit, "queue", json!({"limit": ITEMS_MAX}))?;
    queue.items.iter_mut().for_each(|item| item.question = question(item));
    let promotions: Promotions = ask(visit, "promote list", json!({"limit": ASKED_MAX}))?;
    let at = visit.asked("at").and_then(|at| at.parse::<usize>().ok()).unwrap_or(0);
    let at = at.min(queue.items.len().saturating_sub(1));
    let item = queue.items.get(at).cloned();
    let cards = match &item {
        Some(item) => cards(visit, item)?,
        None => Vec::new(),
    };
    let answers = item.iter().flat_map(|item| item.answers.iter().enumerate());
    let answers = answers
        .map(|(number, answer)| Choice { answer: answer.clone(), label: label(answer), key: number + 1 })
        .collect();
    let form = item.as_ref().map(|item| judging(&item.item)).unwrap_or_default();
    render(&QueuePage {
        layout,
        cards,
        answers,
        at,
        item,
        open: queue.total,
        items: queue.items,
        promotions: proposals(&promotions),
        approvers: promotions.approvers,
        cannot_answer: promotions.cannot_answer,
        quarantined: queue.kept_out,
        form,
    })
}

/// Names the form that judges an item.
pub(crate) fn judging(item: &str) -> String {
    format!("queue {item}")
}

/// Names the place in the list of proposals where one stands.
pub(crate) fn approval(at: impl std::borrow::Borrow<usize>) -> String {
    format!("approval-{}", at.borrow())
}

/// What a button says.
fn label(answer: &str) -> String {
    capital(&answer.replace('_', " "))
}

/// The question of an item, in the words of its buttons.
fn question(item: &Item) -> String {
    let asked = item.answers.iter().fold(item.question.clone(), |question, answer| {
        question.replace(&format!("`{answer}`"), &format!("“{}”", label(answer)))
    });
    capitalised(&asked)
}

/// The entries of an item in full; two of them with the words marked that differ.
fn cards(visit: &Visit<'_>, item: &Item) -> Result<Vec<Card>, Problem> {
    let ids: Vec<&str> = item.entries.iter().map(|entry| entry.id.as_str()).collect();
    let entries: Vec<Entry> = match ids.as_slice() {
        [] => Vec::new(),
        [id] => vec![ask(visit, "show", json!({"ids": [id]}))?],
        ids => ask::<Entries>(visit, "show", json!({"ids": ids}))?.entries,
    };
    let whole = |text: &str| vec![Stretch { text: text.to_owned(), differs: false }];
    let mut statements: Vec<Vec<Stretch>> = entries.iter().map(|entry| whole(&entry.statement)).collect();
    if let [left, right] = entries.as_slice() {
        let (left, right) = words::compare(&left.statement, &right.statement);
        statements = vec![left, right];
    }
    let card = |(entry, statement): (Entry, Vec<Stretch>)| Card {
        meter: Meter::new(&entry.belief),
        entry,
        statement,
    };
    Ok(entries.into_iter().zip(statements).map(card).collect())
}
