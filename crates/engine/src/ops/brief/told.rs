//! A briefing as text, within a budget, and which entries it names.

use std::collections::{BTreeMap, BTreeSet};

use super::{Believed, Briefing, Insight, Severity, count};
use crate::deliver;
use crate::limits::ops_brief_told::{BELIEVED_LINES_MAX, MORE_TOKENS, NAMED_IN_LINE_MAX, PER_RULE_MAX};
use crate::tokens::Tokens;
use ken_core::{EntryHead, Verdict};

/// How many entries may be put before an agent that did not ask (REV-5).
#[derive(Clone, Debug)]
pub struct Room {
    /// Entries it was given before, by their ids: they cost nothing.
    pub given: BTreeSet<String>,
    /// Further ones there is room for.
    pub left: usize,
}

impl Room {
    /// Whether an entry may be named; if so, it takes its place.
    fn admits(&mut self, entry: &EntryHead) -> bool {
        if self.given.contains(&entry.id) {
            return true;
        }
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        self.given.insert(entry.id.clone());
        true
    }
}

/// What is said, and what of the briefing is in it.
#[derive(Clone, Debug, Default)]
pub struct BriefingText {
    pub text: String,
    /// Ids of entries that it names, in order.
    pub named: Vec<String>,
    /// The insights it gives, as far as their entries may be named.
    pub insights: Vec<Insight>,
    /// Insights that are left out.
    pub more: usize,
    pub tokens: usize,
}

/// Says as much of a briefing as a budget holds; without one, everything. Where there is a room, no entry beyond it is named, and the
/// text stands in a fence.
pub fn tell(
    briefing: &Briefing,
    budget: Option<usize>,
    room: Option<Room>,
    tokens: &dyn Tokens,
) -> BriefingText {
    let fenced = room.is_some();
    let fence = if fenced { tokens.count(&deliver::block("")) } else { 0 };
    let whole = budget.is_none();
    let room_for_lines = budget.map(|budget| budget.saturating_sub(fence));
    let for_more = if briefing.insights.is_empty() { 0 } else { MORE_TOKENS };
    let can_shorten = briefing.believed.iter().any(|believed| deliver::rest_of(&believed.line).is_some());
    let for_rest = if can_shorten && !whole { tokens.count(deliver::REST) + 1 } else { 0 };
    let kept_back = for_more + for_rest;
    let kept_back = room_for_lines.map_or(0, |room| room.min(kept_back));
    let left = room_for_lines.map(|room| room - kept_back);
    let mut page = Page { tokens, left, lines: Vec::new(), naming: Naming { room, named: Vec::new() } };
    page.say(|_| Some(holds(briefing)));
    page.say(|naming| fallen(briefing, naming, whole));
    page.say(|_| waiting(briefing));
    // Half of what is left is for what the rules say.
    let least = page.left.map_or(0, |left| left / 2);
    let before_believed = page.lines.len();
    for (at, believed) in briefing.believed.iter().enumerate() {
        let may = whole || at < BELIEVED_LINES_MAX && page.left.is_some_and(|left| left > least);
        if !may || !page.say(|naming| believed_line(at, believed, whole, naming)) {
            break;
        }
    }
    let after_believed = page.lines.len();
    let mut told = BriefingText::default();
    for severity in Severity::ALL {
        let mut heading = format!("{}\n", heading(severity));
        let mut of_rule: BTreeMap<&str, usize> = BTreeMap::new();
        for insight in briefing.insights.iter().filter(|insight| insight.severity == severity) {
            let before = of_rule.entry(&insight.rule).or_default();
            *before += 1;
            let mut shown = None;
            let said = (whole || *before <= PER_RULE_MAX)
                && page.say(|naming| {
                    let (line, insight) = line(insight, naming, whole);
                    shown = Some(insight);
                    Some(format!("{heading}{line}"))
                });
            match said {
                true => {
                    heading.clear();
                    told.insights.extend(shown);
                }
                false => told.more += 1,
            }
        }
    }
    if told.more > 0 {
        page.left = page.left.map(|left| left + for_more.min(kept_back));
        let more = count(told.more, "more insight", "more insights");
        page.say(|_| Some(format!("{more}: `ken brief --all`")));
    }
    page.fill_with(&briefing.believed, before_believed, after_believed);
    let mut text = page.lines.join("\n");
    if let Some(rest) = deliver::rest_of(&text).filter(|_| !whole) {
        text = format!("{text}\n{rest}");
    }
    told.text = if fenced { deliver::block(&text) } else { text };
    told.tokens = tokens.count(&told.text);
    told.named = page.naming.named;
    told
}

/// What one of the most believed entries says.
fn believed_line(at: usize, believed: &Believed, whole: bool, naming: &mut Naming) -> Option<String> {
    let heading = if at == 0 { "Highest belief:\n- " } else { "- " };
    let says = if whole && !believed.claim.is_empty() { &believed.claim } else { &believed.line };
    naming.admits(&believed.entry).then(|| format!("{heading}{says}"))
}

fn heading(severity: Severity) -> &'static str {
    match severity {
        Severity::ActionRequired => "Action required:",
        Severity::Attention => "Attention:",
        Severity::Info => "For information:",
    }
}

fn holds(briefing: &Briefing) -> String {
    let holds = &briefing.holds;
    let global = match holds.global {
        0 => String::new(),
        global => format!("; the global one {}", count(global, "entry", "entries")),
    };
    if holds.entries == 0 && holds.not_in_use > 0 {
        let others = count(holds.not_in_use, "entry is", "entries are");
        return format!(
            "This store has no entries in use{global}. {others} stale, archived, superseded, retracted or hidden: `ken list --all`."
        );
    }
    if holds.entries == 0 {
        return format!(
            "This store has no entries yet{global}. `ken add` adds one, `ken note` records an observation."
        );
    }
    format!(
        "This store has {} ({}){global}. Search it with `ken search`.",
        count(holds.entries, "entry", "entries"),
        holds.by_status()
    )
}

fn fallen(briefing: &Briefing, naming: &mut Naming, whole: bool) -> Option<String> {
    let counts = [(briefing.broken, Verdict::Broken), (briefing.drifted, Verdict::Drifted)];
    let parts: Vec<String> = counts
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, verdict)| format!("{number} {verdict}"))
        .collect();
    if parts.is_empty() {
        return None;
    }
    let entries: Vec<EntryHead> = briefing.fallen.iter().map(|one| one.entry.clone()).collect();
    let names = naming.names(&entries, briefing.broken + briefing.drifted, whole);
    Some(format!("At the last check: {}{names}. Run `ken check` again.", parts.join(", ")))
}

fn waiting(briefing: &Briefing) -> Option<String> {
    let waiting = &briefing.waiting;
    let mut parts = Vec::new();
    if waiting.rejected > 0 {
        let entries = count(waiting.rejected, "entry", "entries");
        parts.push(format!("{entries} quarantined (`ken quarantine list`)"));
    }
    if waiting.drafts > 0 {
        parts.push(format!(
            "{} (`ken queue`)",
            count(waiting.drafts, "incomplete draft", "incomplete drafts")
        ));
    }
    if waiting.duplicates > 0 {
        parts.push(format!("{} that may be duplicates", count(waiting.duplicates, "pair", "pairs")));
    }
    (!parts.is_empty()).then(|| format!("Waiting for a person: {}.", parts.join(", ")))
}

/// An insight as a line, and as far as its entries may be named.
fn line(insight: &Insight, naming: &mut Naming, whole: bool) -> (String, Insight) {
    let names = naming.names(&insight.entries, insight.affected, whole);
    let mut shown = insight.clone();
    if let Some(room) = &naming.room {
        let all = shown.entries.len();
        shown.entries.retain(|entry| room.given.contains(&entry.id));
        if shown.entries.len() < all {
            // A command and a task may name what must not be named.
            shown.action = "ken brief".to_owned();
            shown.task = None;
        }
    }
    let text = insight.text.trim_end_matches('.');
    (format!("- {text}{names}. `{}`", shown.action), shown)
}

/// Who may be named, and who was.
#[derive(Clone)]
struct Naming {
    room: Option<Room>,
    named: Vec<String>,
}

impl Naming {
    fn admits(&mut self, entry: &EntryHead) -> bool {
        let may = self.room.as_mut().is_none_or(|room| room.admits(entry));
        if may && !self.named.contains(&entry.id) {
            self.named.push(entry.id.clone());
        }
        may
    }

    /// ` ([L-1a2b3c], [L-4d5e6f] and 3 more)`; nothing where nobody may be named.
    fn names(&mut self, entries: &[EntryHead], affected: usize, whole: bool) -> String {
        let most = if whole { usize::MAX } else { NAMED_IN_LINE_MAX };
        let mut names = Vec::new();
        for entry in entries.iter().take(most) {
            if self.admits(entry) {
                names.push(format!("[{}]", entry.handle));
            }
        }
        match (names.is_empty(), affected.saturating_sub(names.len())) {
            (true, _) => String::new(),
            (false, 0) => format!(" ({})", names.join(", ")),
            (false, more) => format!(" ({} and {more} more)", names.join(", ")),
        }
    }
}

/// Lines up to a budget, and the entries they name.
struct Page<'a> {
    tokens: &'a dyn Tokens,
    left: Option<usize>,
    lines: Vec<String>,
    naming: Naming,
}

impl Page<'_> {
    /// Uses what room is left for what entries say (COR-6): first further lines of the most believed, then the best of them grow. Their
    /// lines are from one line of the page to another.
    fn fill_with(&mut self, believed: &[Believed], from: usize, to: usize) {
        if self.left.is_none() {
            return;
        }
        let mut shown = to - from;
        while shown < believed.len()
            && self.say(|naming| believed_line(shown, &believed[shown], false, naming))
        {
            let line = self.lines.pop().expect("it was just said");
            self.lines.insert(from + shown, line);
            shown += 1;
        }
        for (at, believed) in believed.iter().enumerate().take(shown) {
            let line = &self.lines[from + at];
            let grown = match believed.claim.is_empty() {
                true => continue,
                false => line.replace(&believed.line, &believed.claim),
            };
            let cost = self.tokens.count(&grown).saturating_sub(self.tokens.count(line));
            if self.left.is_some_and(|left| left >= cost) {
                self.left = self.left.map(|left| left - cost);
                self.lines[from + at] = grown;
            }
        }
    }

    /// Takes a line in if there is one and there is room for it. What is not said names nobody.
    fn say(&mut self, line: impl FnOnce(&mut Naming) -> Option<String>) -> bool {
        let before = self.naming.clone();
        let fits = |line: &String| {
            let cost = self.tokens.count(line) + 1;
            self.left.is_none_or(|left| left >= cost).then_some(cost)
        };
        match line(&mut self.naming).and_then(|line| Some((fits(&line)?, line))) {
            Some((cost, line)) => {
                self.left = self.left.map(|left| left - cost);
                self.lines.push(line);
                true
            }
            None => {
                self.naming = before;
                false
            }
        }
    }
}
