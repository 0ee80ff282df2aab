//! The queue: what waits for a judgement, one thing at a time.

use askama::Template;
use serde_json::json;

use super::{Page, render};
use crate::answers::{Entries, Entry, Item, Promotion, Promotions, Queue};
use crate::ask::ask;
use crate::layout::{Layout, Notice};
use crate::limits::ITEMS_MAX;
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
    quarantined: Vec<String>,
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
    pub(crate) says: Vec<(String, String)>,
}

impl Proposal {
    pub(crate) fn new(promotion: Promotion) -> Proposal {
        let says =
            promotion.says.iter().map(|(name, value)| (name.replace('_', " "), shown(value))).collect();
        Proposal { promotion, says }
    }
}

pub(crate) fn page(visit: &Visit<'_>, notice: Option<Notice>) -> Page {
    let layout = Layout::new(visit, "/queue", "Queue").noting(notice);
    let mut queue: Queue = ask(visit, "queue", json!({"limit": ITEMS_MAX}))?;
    queue.items.iter_mut().for_each(|item| item.question = question(item));
    let promotions: Promotions = ask(visit, "promote list", json!({}))?;
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
    render(&QueuePage {
        layout,
        cards,
        answers,
        at,
        item,
        open: queue.open,
        items: queue.items,
        promotions: promotions.promotions.into_iter().map(Proposal::new).collect(),
        approvers: promotions.approvers,
        quarantined: queue.for_a_person,
    })
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
