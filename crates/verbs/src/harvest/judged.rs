//! Drafts that a judge finds: it reads a transcript in pieces, and each claim must be supported by the span that it cites.

use ken_engine::judge::{COMMAND, Claim, Extract, Span};
use ken_hosts::transcript::{Act, Turn};

use super::{Draft, DraftKind};
use crate::judge::JudgeSession;
use crate::limits::harvest::{JUDGED_CHARS_MAX, JUDGED_PIECES_MAX, SPAN_CHARS_MAX};

/// What a judge finds in some turns; nothing more once it stops answering.
pub(super) fn drafts(turns: &[Turn], session: &mut JudgeSession) -> Vec<Draft> {
    let mut found = Vec::new();
    for spans in pieces(turns, JUDGED_CHARS_MAX).iter().take(JUDGED_PIECES_MAX) {
        let Some(ruling) = session.ask(&Extract { spans }) else { continue };
        found.extend(ruling.answer.into_iter().map(|claim| draft(claim, turns)));
    }
    found
}

/// The turns of a transcript in pieces of so many characters, without secrets. What a sub-agent does is told by the agent that started it.
pub(super) fn pieces(turns: &[Turn], chars_max: usize) -> Vec<Vec<Span>> {
    let mut pieces: Vec<Vec<Span>> = vec![Vec::new()];
    let mut chars = 0;
    for span in turns.iter().filter(|turn| turn.agent.is_none()).filter_map(span) {
        let length = span.text.chars().count();
        if chars + length > chars_max && chars > 0 {
            pieces.push(Vec::new());
            chars = 0;
        }
        chars += length;
        pieces.last_mut().expect("there is always one").push(span);
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

fn span(turn: &Turn) -> Option<Span> {
    let (who, text) = match &turn.act {
        Act::Asked(text) => ("person", text.clone()),
        Act::Said(text) => ("agent", text.clone()),
        Act::Ran { command, succeeded, output } => {
            let ended = match succeeded {
                Some(true) => "succeeded",
                Some(false) => "failed",
                None => "ended",
            };
            (COMMAND, format!("$ {command}\n{ended}\n{}", end_of(output)))
        }
        Act::Edited { path, old, new, done: true } => ("edit", format!("{path}\n-{old}\n+{new}")),
        Act::Wrote { path, content, done: true } => ("edit", format!("{path}\n+{content}")),
        // What was only looked at, or failed, is told by what follows.
        Act::Tasked(_)
        | Act::Edited { .. }
        | Act::Wrote { .. }
        | Act::Looked { .. }
        | Act::Used { .. }
        | Act::Compacted => return None,
    };
    let text: String = ken_guard::redact(&text).chars().take(SPAN_CHARS_MAX).collect();
    Some(Span { line: turn.lines.0, who, text })
}

/// What a command printed says most at its end.
fn end_of(output: &str) -> String {
    let skipped = output.chars().count().saturating_sub(SPAN_CHARS_MAX / 2);
    output.chars().skip(skipped).collect()
}

pub(super) fn draft(claim: Claim, turns: &[Turn]) -> Draft {
    let kind = match claim.kind.as_str() {
        "decision" => DraftKind::Decision,
        "convention" => DraftKind::Convention,
        "setup" => DraftKind::Setup,
        "cause" => DraftKind::Cause,
        _ => DraftKind::Lesson,
    };
    let cited = turns.iter().find(|turn| turn.lines.0 == claim.line);
    let lines = cited.map_or((claim.line, claim.line), |turn| turn.lines);
    let polarity = Some(claim.polarity).filter(|polarity| polarity != "neutral");
    Draft { lines, polarity, detail: Some(claim.quote), ..Draft::new(kind, claim.statement) }
}
