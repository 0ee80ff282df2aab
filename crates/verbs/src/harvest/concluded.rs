//! What the person and the agent conclude in their own words: passages that are worth keeping, as a small model over general words and shapes
//! tells (`ken_digest::conversation`).

use ken_digest::conversation::{Around, Message, Speaker, Weighed, Weights, choose, passages, says_the_same};
use ken_digest::limits::conversation::WORTH_AGENT_MIN;
use ken_hosts::transcript::{Act, Turn, spoken};
use ken_language::WordList;

use super::corrected::{is_about_self, is_withdrawn, withdraws};
use super::said::{Sentence, identifiers, sentences, typed};
use super::{Draft, DraftKind};
use crate::limits::harvest::{SHARED_NAMES_MIN, SUPPORTED_MARGIN};

static CORRECTING: WordList = WordList::new(include_str!("../../words/harvest/correcting.txt"));
static CHOOSING: WordList = WordList::new(include_str!("../../words/harvest/choosing.txt"));
static GIVEN_UP: WordList = WordList::new(include_str!("../../words/harvest/given_up.txt"));
static CAUSE: WordList = WordList::new(include_str!("../../words/harvest/cause.txt"));
static DECISION: WordList = WordList::new(include_str!("../../words/harvest/decision.txt"));
static SETUP: WordList = WordList::new(include_str!("../../words/harvest/setup.txt"));
static CONVENTION: WordList = WordList::new(include_str!("../../words/harvest/convention.txt"));

/// All passages of some turns, weighed.
pub(super) fn weighed(turns: &[Turn]) -> Vec<Weighed> {
    let weights = Weights::own();
    let mut found = Vec::new();
    for one in spoken(turns) {
        let speaker = if one.is_person { Speaker::Person } else { Speaker::Agent };
        let around = Around {
            closes: one.closes,
            opens: one.opens,
            failures: one.failures,
            edits: one.edits,
            lookups: one.lookups,
        };
        for passage in passages(&Message { speaker, text: one.text, around }) {
            let worth = weights.worth(&passage);
            found.push(Weighed { passage, worth, at: one.at });
        }
    }
    found
}

/// What was inferred from the acts of a session, in the words of the passage that says it best; none where no such passage is nearly worth keeping
/// by itself.
pub(super) fn supported(draft: Draft, passages: &[Weighed]) -> Option<Draft> {
    let says_it = |one: &&Weighed| {
        one.passage.speaker == Speaker::Agent
            && one.worth >= WORTH_AGENT_MIN - SUPPORTED_MARGIN
            && says_the_same(&one.passage.text, &draft.statement)
    };
    let best = passages.iter().filter(says_it).max_by(|a, b| a.worth.total_cmp(&b.worth))?;
    Some(Draft { statement: best.passage.statement(), ..draft })
}

/// The passages that are worth keeping as drafts. What lies in `discounted` lines proves nothing, and what was taken back later is left out.
pub(super) fn drafts(turns: &[Turn], passages: Vec<Weighed>, discounted: &[(u32, u32)]) -> Vec<Draft> {
    let counts = |one: &Weighed| {
        let line = turns[one.at].lines.0;
        !discounted.iter().any(|(from, to)| (*from..=*to).contains(&line)) && !is_taken_back(one, turns)
    };
    let passages = passages.into_iter().filter(counts).collect();
    choose(passages).iter().map(|one| draft(one, turns)).collect()
}

fn draft(one: &Weighed, turns: &[Turn]) -> Draft {
    let statement = one.passage.statement();
    let kind = match one.passage.speaker {
        Speaker::Person => kind_of_person(&statement),
        Speaker::Agent => kind_of_agent(&statement),
    };
    Draft { lines: turns[one.at].lines, ..Draft::new(kind, statement) }
}

/// Whether a later message takes a passage back: the person says so, or the agent corrects itself about the same names.
fn is_taken_back(one: &Weighed, turns: &[Turn]) -> bool {
    let own = |turn: &&Turn| turn.agent.is_none();
    let asked: Vec<&str> = turns[one.at + 1..]
        .iter()
        .filter(own)
        .filter_map(|turn| match &turn.act {
            Act::Asked(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    let said = Sentence::new(&one.passage.text);
    if one.passage.speaker == Speaker::Person {
        return typed(&one.passage.text).iter().any(is_about_self) || is_withdrawn(&[&said], &asked);
    }
    if asked.first().is_some_and(|next| typed(next).iter().take(2).any(withdraws)) {
        return true;
    }
    let names = identifiers(&one.passage.text);
    turns[one.at + 1..].iter().filter(own).any(|turn| match &turn.act {
        Act::Said(text) => sentences(text).iter().any(|later| {
            later.has(&CORRECTING)
                && identifiers(&later.text).intersection(&names).count() >= SHARED_NAMES_MIN
        }),
        _ => false,
    })
}

pub(super) fn kind_of_person(statement: &str) -> DraftKind {
    match Sentence::new(statement).has(&CHOOSING) {
        true => DraftKind::Decision,
        false => DraftKind::Convention,
    }
}

/// The kind of what an agent says, by the first list that has a word of it.
fn kind_of_agent(statement: &str) -> DraftKind {
    let said = Sentence::new(statement);
    let kinds: [(DraftKind, &WordList); 5] = [
        (DraftKind::DeadEnd, &GIVEN_UP),
        (DraftKind::Cause, &CAUSE),
        (DraftKind::Decision, &DECISION),
        (DraftKind::Setup, &SETUP),
        (DraftKind::Convention, &CONVENTION),
    ];
    let listed = kinds.iter().find(|(_, words)| said.has(words)).map(|(kind, _)| *kind);
    listed.unwrap_or(if said.is_causal() { DraftKind::Cause } else { DraftKind::Lesson })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(line: u32, act: Act) -> Turn {
        Turn { lines: (line, line), agent: None, act }
    }

    fn said(line: u32, text: &str) -> Turn {
        turn(line, Act::Said(text.to_owned()))
    }

    fn asked(line: u32, text: &str) -> Turn {
        turn(line, Act::Asked(text.to_owned()))
    }

    fn statements(turns: &[Turn]) -> Vec<(DraftKind, String)> {
        drafts(turns, weighed(turns), &[]).into_iter().map(|draft| (draft.kind, draft.statement)).collect()
    }

    #[test]
    fn an_explanation_is_taken_and_reports_plans_and_questions_are_not() {
        let turns = [
            asked(1, "why is the report empty on mondays?"),
            said(2, "Let me look at the job first. All 12 tests pass."),
            said(
                3,
                "**Root cause:** `load_rows` never reads the weekend partition, because the job computes the date before the time zone is applied.\n\nI updated `jobs/load.py` and added two tests. Should I also backfill?",
            ),
            asked(4, "yes"),
        ];
        assert_eq!(
            statements(&turns),
            [(
                DraftKind::Cause,
                "Root cause: `load_rows` never reads the weekend partition, because the job computes the date before the time zone is applied."
                    .to_owned()
            )]
        );
    }

    #[test]
    fn what_is_taken_back_is_left_out() {
        let cause = "The cause is `load_rows`: it never reads the weekend partition, because the job does not apply the time zone, so rows are missing.";
        let later = "I was wrong about `load_rows`, it reads every partition.";
        assert_eq!(statements(&[asked(1, "why?"), said(2, cause), said(3, "Done.")]).len(), 1);
        assert!(statements(&[asked(1, "why?"), said(2, cause), said(3, later)]).is_empty());
        assert!(
            statements(&[
                asked(1, "why?"),
                said(2, cause),
                asked(3, "no, scratch that, it was the other job")
            ])
            .is_empty()
        );
    }

    #[test]
    fn kinds_follow_from_the_words() {
        for (text, kind) in [
            (
                "A redirect around the job does not suppress the notice, so that alternative is out.",
                DraftKind::DeadEnd,
            ),
            ("The loader deliberately skips drafts.", DraftKind::Decision),
            ("The preview requires a built binary on the path.", DraftKind::Setup),
            ("Tests of handlers follow the table convention of the package.", DraftKind::Convention),
            ("The hook is called once per tab.", DraftKind::Lesson),
        ] {
            assert_eq!(kind_of_agent(text), kind, "{text}");
        }
        assert_eq!(kind_of_person("Let's use true and false for the flag"), DraftKind::Decision);
        assert_eq!(kind_of_person("Every component should have a default export"), DraftKind::Convention);
    }
}
