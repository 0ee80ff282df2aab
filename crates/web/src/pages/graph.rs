//! The graph: entries by domain, with their links and what was used together; the same as a list.

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;
use serde_json::json;

use super::{Page, render};
use crate::answers::{List, Listed};
use crate::ask::ask;
use crate::layout::Layout;
use crate::limits::ENTRIES_MAX;
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "graph.html")]
struct Graph<'a> {
    layout: Layout<'a>,
    domains: Vec<Domain>,
    all_domains: Vec<String>,
    domain: String,
    entries: u64,
    total: u64,
    ties: usize,
}

struct Domain {
    name: String,
    entries: Vec<Node>,
}

struct Node {
    entry: Listed,
    percent: u32,
    links: Vec<Tie>,
    used_with: Vec<Tie>,
}

/// A line to another entry that is on the page.
struct Tie {
    relation: String,
    to: String,
    title: String,
}

pub(crate) fn page(visit: &Visit<'_>) -> Page {
    let layout = Layout::new(visit, "/graph", "Graph").with_graph();
    let domain = visit.asked("domain").unwrap_or_default().to_owned();
    let given = json!({
        "memory": ["semantic", "procedural"],
        "domain": visit.asked("domain"),
        "limit": ENTRIES_MAX,
        "links": true,
    });
    let list: List = ask(visit, "list", given)?;
    let entries = list.items.len() as u64;
    let titles: BTreeMap<String, String> =
        list.items.iter().map(|entry| (entry.id.clone(), entry.title.clone())).collect();
    let mut groups: BTreeMap<String, Vec<Node>> = BTreeMap::new();
    let mut ties = 0;
    for entry in list.items {
        let tie = |relation: &str, to: &str| {
            let title = titles.get(to)?.clone();
            Some(Tie { relation: relation.replace('_', " "), to: to.to_owned(), title })
        };
        let links: Vec<Tie> = entry.links.iter().filter_map(|link| tie(&link.relation, &link.to)).collect();
        let used_with: Vec<Tie> =
            entry.used_with.iter().filter_map(|other| tie("used with", &other.id)).collect();
        ties += links.len() + used_with.iter().filter(|other| entry.id < other.to).count();
        let name = entry.domains.first().cloned().unwrap_or_else(|| "no domain".to_owned());
        let percent = (entry.belief.mean * 100.0).round() as u32;
        groups.entry(name).or_default().push(Node { percent, links, used_with, entry });
    }
    let all_domains: BTreeSet<String> = groups.keys().filter(|name| *name != "no domain").cloned().collect();
    let domains = groups.into_iter().map(|(name, entries)| Domain { name, entries }).collect();
    let all_domains = all_domains.into_iter().collect();
    render(&Graph { layout, domains, all_domains, domain, entries, total: list.total, ties })
}
