//! The extractor without a model: the turns of a transcript in, typed drafts with their lines out.
//!
//! [`drafts`] is the one function between reading and adding. A judge that reads turns with a model answers the same question and replaces or
//! complements it there.

use ken_digest::conversation::says_the_same as says_the_same_words;
use ken_hosts::transcript::{Act, Turn};
use ken_language::flat;

use super::said::identifiers;
use super::{Draft, DraftKind, concluded, corrected, mended, reverted};
use crate::conversation::words::{Labels, Marked, marked_by};
use crate::limits::harvest::{DRAFTS_MAX, SHARED_NAMES_MIN, STATEMENT_WORDS_MIN};

/// What the turns of one transcript teach, in their order: lines that are marked as knowledge, what follows from what was done, and the passages
/// in which the person and the agent conclude something.
pub fn drafts(turns: &[Turn]) -> Vec<Draft> {
    let mut found: Vec<Draft> = Vec::new();
    for turn in turns {
        // A sub-agent reports to another agent, which says what of it counts.
        if let (Act::Said(text), None) = (&turn.act, &turn.agent) {
            let lines = marked_by(text, Labels::Loose).into_iter();
            found.extend(lines.map(|line| Draft::marked(line, turn.lines)));
        }
    }
    let passages = concluded::weighed(turns);
    let mut inferred: Vec<Draft> = Vec::new();
    let mut discounted = Vec::new();
    // A sub-agent works for itself: what it breaks and mends is no part of what the others do.
    for agent in agents(turns) {
        let own: Vec<&Turn> = turns.iter().filter(|turn| turn.agent == agent).collect();
        let dead_ends = reverted::drafts(&own);
        // What was mended on the way into a dead end is gone with it.
        let lies_in = |draft: &Draft| {
            dead_ends.iter().any(|end| end.lines.0 <= draft.lines.0 && draft.lines.0 <= end.lines.1)
        };
        inferred.extend(mended::drafts(&own).into_iter().filter(|draft| !lies_in(draft)));
        inferred.extend(dead_ends);
        if agent.is_none() {
            discounted = mended::discounted(&own);
        }
    }
    // What follows from the acts of a session counts if its words are worth keeping, too; the words of a sub-agent are read by nobody else.
    let mut inferred: Vec<Draft> =
        inferred.into_iter().filter_map(|draft| concluded::supported(draft, &passages)).collect();
    inferred.extend(corrected::drafts(turns));
    let mut said = concluded::drafts(turns, passages, &discounted);
    said.retain(|draft| {
        !inferred.iter().any(|known| says_the_same_words(&known.statement, &draft.statement))
    });
    inferred.extend(said);
    // What the agent worded itself counts for more than what is inferred from the same turns.
    inferred.retain(|draft| !found.iter().any(|known| says_the_same(known, draft)));
    found.extend(inferred);
    found.retain(|draft| draft.statement.split_whitespace().count() >= STATEMENT_WORDS_MIN);
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|draft| seen.insert(ken_core::words::normalise_statement(&draft.statement)));
    found.sort_by_key(|draft| draft.lines);
    found.truncate(DRAFTS_MAX);
    found
}

/// The agents that act in some turns, in the order in which they begin.
fn agents(turns: &[Turn]) -> Vec<Option<String>> {
    let mut found: Vec<Option<String>> = Vec::new();
    for turn in turns {
        if !found.contains(&turn.agent) {
            found.push(turn.agent.clone());
        }
    }
    found
}

/// Whether a marked line is the same knowledge as a cause or a dead end that was inferred around it.
fn says_the_same(marked: &Draft, inferred: &Draft) -> bool {
    let fits = match inferred.kind {
        DraftKind::Cause => marked.kind != DraftKind::DeadEnd && marked.kind != DraftKind::Decision,
        DraftKind::DeadEnd => marked.kind == DraftKind::DeadEnd,
        DraftKind::Setup => true,
        DraftKind::Convention | DraftKind::Decision => {
            matches!(marked.kind, DraftKind::Decision | DraftKind::Convention)
        }
        DraftKind::Lesson => true,
    };
    if !fits {
        return false;
    }
    let names = |draft: &Draft| identifiers(&draft.statement);
    let shared = names(marked).intersection(&names(inferred)).count();
    let near = marked.lines.0 >= inferred.lines.0;
    near && shared >= SHARED_NAMES_MIN
}

impl Draft {
    /// A line that its author marked.
    fn marked(line: Marked, lines: (u32, u32)) -> Draft {
        let kind = match (line.subtype, line.tag) {
            (Some("decision"), _) => DraftKind::Decision,
            (_, Some("root_cause")) => DraftKind::Cause,
            (_, Some("dead_end")) => DraftKind::DeadEnd,
            _ => DraftKind::Lesson,
        };
        let marked = Some(super::Mark { kind: line.kind, subtype: line.subtype, tag: line.tag });
        Draft { marked, lines, ..Draft::new(kind, line.statement) }
    }

    /// A draft of some words, and nothing else yet.
    pub(super) fn new(kind: DraftKind, statement: String) -> Draft {
        Draft {
            kind,
            statement: flat(&statement),
            detail: None,
            signature: None,
            command: None,
            places: Vec::new(),
            lines: (0, 0),
            polarity: None,
            marked: None,
        }
    }
}
