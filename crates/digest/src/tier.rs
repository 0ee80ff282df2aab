//! How risky changes are, where a table or a label says so: the tier, what falls into it, and what such a change needs.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Value, json};

use crate::enforcement;

/// A tier with what is said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tiered {
    /// `low`, `medium`, `high` or `critical`.
    pub word: String,
    /// Which changes, as it is written.
    pub area: String,
    /// What such a change needs.
    pub needs: Vec<String>,
}

impl Tiered {
    /// A row of a table with a column of tiers; none if it is a table of something else.
    pub fn of_row(cells: &[(String, String)]) -> Option<(Tiered, Order)> {
        let title = |at: usize| cells[at].0.to_lowercase();
        let tier = (0..cells.len()).find(|at| {
            TIER_TITLE.is_match(&title(*at)) && TIER_CELL.is_match(cells[*at].1.to_lowercase().trim())
        })?;
        let word = TIER_CELL.captures(cells[tier].1.to_lowercase().trim())?[1].to_owned();
        let others = || (0..cells.len()).filter(move |at| *at != tier);
        let order = if tier > 0 { Order::AreaFirst } else { Order::TierFirst };
        let area = match order {
            Order::AreaFirst => Some(0),
            Order::TierFirst => others()
                .find(|at| AREA_TITLE.is_match(&title(*at)) && !NEEDS_TITLE.is_match(&title(*at)))
                .or_else(|| others().find(|at| !NEEDS_TITLE.is_match(&title(*at)))),
        };
        let said = area.map(|at| cells[at].1.clone()).unwrap_or_default();
        // `Severity` and `Level` are as often those of bugs: there only files show that changes are meant.
        if order == Order::TierFirst && !RISK_TITLE.is_match(&title(tier)) && paths(&said).is_empty() {
            return None;
        }
        let needs: Vec<String> = others()
            .filter(|at| Some(*at) != area && !is_nothing(&cells[*at].1))
            .map(|at| match title(at) {
                title if title.is_empty() => cells[at].1.clone(),
                title => format!("{title}: {}", cells[at].1),
            })
            .collect();
        (!is_nothing(&said) || !needs.is_empty()).then_some((Tiered { word, area: said, needs }, order))
    }

    /// What it says, as a sentence.
    pub fn statement(&self, order: Order) -> String {
        let Tiered { word, area, needs } = self;
        let more = if needs.is_empty() { String::new() } else { format!("; {}", needs.join("; ")) };
        let first = area.split([',', ' ']).next().unwrap_or_default();
        let named =
            order == Order::AreaFirst || enforcement::glob(first).is_some() && !paths(area).is_empty();
        match (named, area.is_empty()) {
            (_, true) => format!("{} risk changes{more}", capital(word)),
            (true, false) => format!("Changes to {area} are {word} risk{more}"),
            (false, false) => format!("{} risk: {area}{more}", capital(word)),
        }
    }

    /// What it says where a label began it: `High risk changes (anything in auth/): needs two reviewers`.
    pub fn labelled_statement(&self) -> String {
        let Tiered { word, area, needs } = self;
        match needs.is_empty() {
            true => format!("{} risk changes: {area}", capital(word)),
            false => format!("{} risk changes ({area}): {}", capital(word), needs.join("; ")),
        }
    }

    /// How it could be checked, where it names files and nothing but files.
    pub fn enforcement(&self) -> Option<Value> {
        let paths = paths(&self.area);
        (!paths.is_empty()).then(|| json!({"kind": "tier", "tier": self.word, "paths": paths}))
    }
}

/// What a table of tiers begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// `| Area | Tier |`.
    AreaFirst,
    /// `| Tier | What |`.
    TierFirst,
}

/// The label that a sentence begins with: its tier, where the rest begins, and whether it says that it is about risk.
pub(crate) struct Label {
    pub word: String,
    pub end: usize,
    pub says_risk: bool,
}

impl Label {
    /// The label of a sentence in lower case.
    pub fn parse(seen: &str) -> Option<Label> {
        let met = LABEL.captures(seen)?;
        Some(Label { word: met[1].to_owned(), end: met[0].len(), says_risk: met.get(2).is_some() })
    }
}

/// The tier that a heading or a lead in lower case gives to every point below it: `High-risk changes:`.
pub(crate) fn of_list(above: &str) -> Option<String> {
    LIST.captures(above).map(|met| met[1].to_owned())
}

/// Whether a heading says that what is below it is about risk.
pub(crate) fn is_about_risk(heading: &str) -> bool {
    RISK_TITLE.is_match(heading)
}

/// Whether some words in lower case are what a risky change needs, and not what an order about anything is.
pub(crate) fn is_need(lower: &str) -> bool {
    NEED.is_match(lower)
}

/// Whether a sentence in lower case goes on with what the ones before it asked for.
pub(crate) fn goes_on(lower: &str) -> bool {
    GOES_ON.is_match(lower)
}

static TIER_CELL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^[^a-z0-9]*(low|medium|high|critical)(?:[- ](?:risk|tier))?[^a-z0-9]*$").expect("a constant")
});
static TIER_TITLE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(?:tier|risk|level|severity|class)\b").expect("a constant"));
static RISK_TITLE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(?:tiers?|risks?|risky)\b").expect("a constant"));
static AREA_TITLE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(?:what|which|where|changes?|paths?|areas?|files?|folders?|director(?:y|ies)|scope|appl(?:y|ies)|components?|parts?|modules?|code|covers?|includes?|examples?|touches)\b")
        .expect("a constant")
});
static NEEDS_TITLE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(?:needs?|needed|requires?|required|requirements?|reviews?|reviewers?|approvals?|approvers?|sign-?offs?|checks?|gates?|process|must)\b")
        .expect("a constant")
});
static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^(low|medium|high|critical)([- ](?:risk|tier))?(?: (?:changes?|tier|areas?))?(?: ?: | [–—-] )",
    )
    .expect("a constant")
});
static LIST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(low|medium|high|critical)[- ](?:risk|tier)(?: (?:changes?|areas?|code|files|paths|parts))?(?: are)?:?$")
        .expect("a constant")
});
static NEED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\breview|\bapprov|\bsign-?off|\bmaintainers?\b|\bowners?\b|\brollback\b|\bplan\b|\btests?\b|\bpairs?\b")
        .expect("a constant")
});
static GOES_ON: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?:needs?|requires?|must|should|also|plus|and)\b").expect("a constant"));
/// Words beside names of files that leave no doubt about which files are meant.
static PLAIN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:any|anything|everything|all|every|changes?|edits?|files?|folders?|the|code|to|in|under|below|inside|of|and|or|touching)$")
        .expect("a constant")
});

/// The files that an area means; none if it speaks of anything else.
fn paths(area: &str) -> Vec<String> {
    let words =
        area.split([',', ';', ' ']).map(|word| word.trim_end_matches('.')).filter(|word| !word.is_empty());
    let mut found = Vec::new();
    for word in words {
        match enforcement::glob(word) {
            Some(glob) => found.push(glob),
            None if PLAIN.is_match(&word.to_lowercase()) => {}
            None => return Vec::new(),
        }
    }
    found
}

fn is_nothing(cell: &str) -> bool {
    let cell = cell.trim().to_lowercase();
    matches!(cell.as_str(), "" | "none" | "nothing" | "n/a" | "-" | "–" | "—")
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
