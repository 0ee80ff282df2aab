//! `pack`: a token budget filled with what an agent needs, the same bytes for the same store, task and budget (OUT-7).

use ken_core::{Code, Memory, Refusal, Status, Type};
use serde::Serialize;

use super::run::InjectionCap;
use super::search::{self, AnswerStatus, Means, SearchInput, TokenCount};
use crate::budget::{self, Item, LINE, TITLE};
use crate::deliver::{self, Tier};
use crate::error::Result;
pub use crate::limits::ops_pack::BUDGET_MIN;
use crate::limits::ops_pack::CONSIDERED_MAX;
use crate::ports::{Hit, Stored};
use crate::projection::Projection;
use crate::query::Query;

/// The parts of a pack, with the share of the budget that each has when nobody says otherwise, of a hundred.
pub const SECTIONS: [(&str, usize); 5] = [
    ("Task knowledge", 35),
    ("Observations", 20),
    ("Structured facts", 15),
    ("History", 15),
    ("Scratch", 15),
];

/// What is to be packed.
#[derive(Clone, Debug)]
pub struct PackInput {
    /// What the agent is about to do.
    pub task: String,
    /// The most tokens, a hard limit.
    pub budget: usize,
    /// The share of each section, of their sum.
    pub shares: [usize; 5],
    /// The thread that asks.
    pub thread: Option<String>,
    /// It is put before an agent in a run, and this is how much may be.
    pub injecting: Option<InjectionCap>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PackAnswer {
    /// How it stands.
    pub status: AnswerStatus,
    pub text: String,
    /// Names it: the same text has the same one.
    pub digest: String,
    /// Its tokens, and what counted them.
    pub tokens: TokenCount,
    /// The most it may have.
    pub budget: usize,
    pub sections: Vec<Section>,
    /// Why words answered alone.
    pub fallback: Option<String>,
    #[serde(skip)]
    /// The entries in it.
    pub hits: Vec<Hit>,
}

/// A part of a pack.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Section {
    /// What it is for.
    pub name: &'static str,
    /// Tokens it was given, with what the parts before it left.
    pub given: usize,
    /// Tokens it took.
    pub taken: usize,
    /// The entries in it.
    pub entries: Vec<String>,
}

/// Fills a budget.
pub fn pack(recall: &dyn Projection, input: &PackInput, means: &Means<'_>) -> Result<PackAnswer> {
    if input.budget < BUDGET_MIN {
        let message =
            format!("a budget of {} tokens is too small; at least {BUDGET_MIN} are needed", input.budget);
        return Err(Refusal::new(Code::Invalid, message).field("budget").into());
    }
    let sum: usize = input.shares.iter().sum();
    if sum == 0 {
        let message = "every share of the pack is 0, so it would be empty";
        return Err(Refusal::new(Code::Invalid, message)
            .field("shares")
            .hint("`ken config pack.task 35`")
            .into());
    }
    let (mut fallback, mut degraded) = (None, false);
    let mut asked = |recall: &dyn Projection, among: Query| -> Result<Vec<Hit>> {
        let ask = SearchInput {
            query: input.task.clone(),
            plain: true,
            limit: CONSIDERED_MAX,
            by_relevance: true,
            steady: true,
            thread: input.thread.clone(),
            tier: Some(Tier::Summary),
            among,
            ..SearchInput::default()
        };
        let answer = search::search(recall, &ask, means)?;
        degraded |= answer.status == AnswerStatus::Degraded;
        fallback = fallback.take().or(answer.fallback);
        let mut hits = answer.hits;
        if let Some(cap) = &input.injecting {
            hits.retain(|hit| !cap.before.contains(&hit.stored.entry.key));
        }
        Ok(hits)
    };
    let distilled = asked(recall, Query::default())?;
    let raw = asked(recall, Query { memories: vec![Memory::Episodic], ..Query::default() })?;
    let gone = vec![Status::Superseded, Status::Archived, Status::Retracted];
    let past = asked(recall, Query { statuses: gone, ..Query::default() })?;
    let is_fact = |hit: &&Hit| {
        let kind = hit.stored.entry.kind.known();
        hit.stored.entry.memory() == Memory::Procedural
            || matches!(kind, Some(Type::Entity | Type::Relationship))
    };
    let is_observed = |hit: &&Hit| hit.stored.entry.kind.known() == Some(Type::FalsePositive);
    let task: Vec<&Hit> = distilled.iter().filter(|hit| !is_fact(hit) && !is_observed(hit)).collect();
    let observed: Vec<&Hit> = distilled.iter().filter(is_observed).chain(&raw).collect();
    let facts: Vec<&Hit> = distilled.iter().filter(is_fact).collect();
    let candidates = [task, observed, facts, past.iter().collect(), Vec::new()];

    let most = input.injecting.as_ref().map_or(usize::MAX, InjectionCap::room);
    let mut page = Page::new(recall, candidates, input.budget, most, means)?;
    // The best answer of all comes in whatever its section's share; then each section gets its own; then room that is left goes
    // to whatever answers best.
    page.put_best(LINE, input.budget);
    let mut sections = Vec::new();
    let mut carried = 0;
    for (at, ((name, _), share)) in SECTIONS.into_iter().zip(input.shares).enumerate() {
        let given = input.budget * share / sum + carried;
        // What is put into scratch is the agent's own.
        let taken = page.fill(at, given);
        carried = given.saturating_sub(taken);
        sections.push(Section { name, given, taken, entries: Vec::new() });
    }
    let scratch = input.budget * input.shares[SECTIONS.len() - 1] / sum;
    let room = input.budget.saturating_sub(scratch);
    while page.put_best(LINE, room) {}
    while page.put_best(TITLE, room) {}
    page.grow(room);
    carried = 0;
    for (at, (section, share)) in sections.iter_mut().zip(input.shares).enumerate() {
        section.entries = page.ids(at);
        section.taken = page.taken(at);
        section.given = input.budget * share / sum + carried;
        carried = section.given.saturating_sub(section.taken);
    }
    let (found, hits) = (page.found(), page.hits());
    let mut text = page.text();
    let status = match (found == 0, degraded) {
        (true, _) => AnswerStatus::Empty,
        (false, true) => AnswerStatus::Degraded,
        (false, false) => AnswerStatus::Ok,
    };
    if found == 0 {
        text = super::surface::NOTHING.to_owned();
    } else if let (true, Some(cap)) = (most == 0, &input.injecting) {
        text = format!("matching entries: {found}; {}", cap.told());
    } else if hits.is_empty() {
        text = format!("matching entries: {found}; none fits {} tokens", input.budget);
    }
    let digest = blake3::hash(text.as_bytes()).to_hex()[..16].to_owned();
    let tokens = TokenCount { count: means.tokens.count(&text), by: means.tokens.counted_by().to_owned() };
    Ok(PackAnswer { status, text, digest, tokens, budget: input.budget, sections, fallback, hits })
}

/// An entry that may come into a pack, in its forms: named, as a line, as a paragraph.
struct Candidate {
    hit: Hit,
    forms: [String; 3],
    chosen: Option<usize>,
}

/// A pack in the making: what may come in, by section, and what does.
struct Page<'a> {
    sections: Vec<Vec<Candidate>>,
    budget: usize,
    /// Entries, at most.
    most: usize,
    means: &'a Means<'a>,
}

impl<'a> Page<'a> {
    fn new(
        recall: &dyn Projection,
        found: [Vec<&Hit>; 5],
        budget: usize,
        most: usize,
        means: &'a Means<'a>,
    ) -> Result<Page<'a>> {
        let mut sections = Vec::new();
        let together: Vec<&Stored> = found.iter().flatten().map(|hit| &hit.stored).collect();
        let mut caveats = deliver::caveats(recall, &together, means.now)?.into_iter();
        for hits in found {
            let mut section = Vec::new();
            for hit in hits {
                let caveats = caveats.next().unwrap_or_default();
                let rendered = |tier| deliver::render(tier, &hit.stored, &caveats, means.now);
                let forms = [deliver::named(&hit.stored), rendered(Tier::Summary), rendered(Tier::Standard)];
                section.push(Candidate { hit: hit.clone(), forms, chosen: None });
            }
            sections.push(section);
        }
        Ok(Page { sections, budget, most, means })
    }

    fn section_text(&self, at: usize) -> String {
        let chosen = self.sections[at].iter().filter_map(|one| Some(&one.forms[one.chosen?]));
        let lines: Vec<String> = chosen.map(|text| format!("- {text}")).collect();
        if lines.is_empty() {
            String::new()
        } else {
            format!("## {}\n{}\n", SECTIONS[at].0, lines.join("\n"))
        }
    }

    fn text(&self) -> String {
        let sections =
            (0..self.sections.len()).map(|at| self.section_text(at)).filter(|text| !text.is_empty());
        let mut text = sections.collect::<Vec<_>>().join("\n");
        if let Some(rest) = deliver::rest_of(&text) {
            text.push_str(rest);
        }
        if text.is_empty() { text } else { deliver::block(text.trim_end()) }
    }

    fn taken(&self, at: usize) -> usize {
        self.means.tokens.count(&self.section_text(at))
    }

    /// Puts an entry in, in some form, if that fits the whole and its section; says whether it did.
    fn put(&mut self, at: usize, number: usize, form: usize, room: usize, given: usize) -> bool {
        if self.sections.iter().flatten().filter(|one| one.chosen.is_some()).count() >= self.most {
            return false;
        }
        self.sections[at][number].chosen = Some(form);
        if self.means.tokens.count(&self.text()) <= room.min(self.budget) && self.taken(at) <= given {
            return true;
        }
        self.sections[at][number].chosen = None;
        false
    }

    /// Lets the best of what is in grow while there is room (COR-6).
    fn grow(&mut self, room: usize) {
        let places: Vec<(usize, usize)> = self.in_order(|one| one.chosen.is_some());
        let mut chosen: Vec<Option<usize>> =
            places.iter().map(|(at, number)| self.sections[*at][*number].chosen).collect();
        let items = vec![Item { forms: 3, must_stay: false }; places.len()];
        let order: Vec<usize> = (0..places.len()).collect();
        let room = room.min(self.budget);
        budget::grow(&items, &order, &mut chosen, &mut |chosen| {
            for ((at, number), form) in places.iter().zip(chosen) {
                self.sections[*at][*number].chosen = *form;
            }
            self.means.tokens.count(&self.text()) <= room
        });
        for ((at, number), form) in places.iter().zip(chosen) {
            self.sections[*at][*number].chosen = form;
        }
    }

    /// Fills a section in the order of relevance, and says what it took.
    fn fill(&mut self, at: usize, given: usize) -> usize {
        for number in 0..self.sections[at].len() {
            if self.sections[at][number].chosen.is_none() {
                self.put(at, number, LINE, self.budget, given);
            }
        }
        self.taken(at)
    }

    /// Puts in the most relevant entry that is not in yet and fits; says whether there was one.
    fn put_best(&mut self, form: usize, room: usize) -> bool {
        let waiting = self.in_order(|one| one.chosen.is_none());
        waiting.into_iter().any(|(at, number)| self.put(at, number, form, room, usize::MAX))
    }

    /// Some candidates by section and number, the most relevant first.
    fn in_order(&self, are_wanted: impl Fn(&Candidate) -> bool) -> Vec<(usize, usize)> {
        let mut waiting: Vec<(usize, usize, f64)> = Vec::new();
        for (at, section) in self.sections.iter().enumerate() {
            let wanted = section.iter().enumerate().filter(|(_, one)| are_wanted(one));
            waiting.extend(wanted.map(|(number, one)| (at, number, one.hit.found.similarity)));
        }
        // What is no longer handed out and raw records wait until what is known has had its turn.
        let rank = |at: usize| usize::from(at == 1 || at == 3);
        waiting.sort_by(|a, b| {
            let unpinned = |at: (usize, usize)| self.sections[at.0][at.1].hit.stored.overlay.pinned.is_none();
            rank(a.0)
                .cmp(&rank(b.0))
                .then(unpinned((a.0, a.1)).cmp(&unpinned((b.0, b.1))))
                .then(b.2.total_cmp(&a.2))
                .then((a.0, a.1).cmp(&(b.0, b.1)))
        });
        waiting.into_iter().map(|(at, number, _)| (at, number)).collect()
    }

    fn chosen(&self, at: usize) -> impl Iterator<Item = &Hit> {
        self.sections[at].iter().filter(|one| one.chosen.is_some()).map(|one| &one.hit)
    }

    fn ids(&self, at: usize) -> Vec<String> {
        self.chosen(at).map(|hit| hit.stored.id.clone()).collect()
    }

    fn hits(&self) -> Vec<Hit> {
        (0..self.sections.len()).flat_map(|at| self.chosen(at).cloned().collect::<Vec<_>>()).collect()
    }

    fn found(&self) -> usize {
        self.sections.iter().map(Vec::len).sum()
    }
}
