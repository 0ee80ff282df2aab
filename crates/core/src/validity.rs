//! Whether an entry still holds: one verdict from its anchors, its conditions and the entries it rests on (VAL-1b, VAL-2).

use std::collections::{HashMap, VecDeque};

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use serde::{Deserialize, Serialize};

use crate::anchor::Verdict;
use crate::answer::ConditionVerdict;

/// What a condition answers, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "verdict", content = "why", rename_all = "snake_case")]
pub enum Answer {
    Holds(String),
    /// It does not.
    Broken(String),
    /// Nobody can tell.
    Unverifiable(String),
}

impl Answer {
    /// What it is without the reason.
    pub fn verdict(&self) -> ConditionVerdict {
        match self {
            Answer::Holds(_) => ConditionVerdict::Holds,
            Answer::Broken(_) => ConditionVerdict::Broken,
            Answer::Unverifiable(_) => ConditionVerdict::Unverifiable,
        }
    }

    /// The answer of a verdict and its reason.
    pub fn new(verdict: ConditionVerdict, why: String) -> Answer {
        match verdict {
            ConditionVerdict::Holds => Answer::Holds(why),
            ConditionVerdict::Broken => Answer::Broken(why),
            ConditionVerdict::Unverifiable => Answer::Unverifiable(why),
        }
    }

    pub fn why(&self) -> &str {
        match self {
            Answer::Holds(why) | Answer::Broken(why) | Answer::Unverifiable(why) => why,
        }
    }
}

/// What is known of one entry by itself.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    /// What it is called in sentences.
    pub name: String,
    /// Why nobody should rest on it, if it was taken back, replaced or put away: `retracted: it was wrong`.
    pub retired: Option<String>,
    /// What became of the places it speaks of.
    pub anchors: Vec<Verdict>,
    /// What its conditions answer, those about other entries left out.
    pub conditions: Vec<Answer>,
    /// The entries it rests on.
    pub rests_on: Vec<Rest>,
}

/// That one entry rests on another, or on its absence.
#[derive(Clone, Debug)]
pub struct Rest {
    /// It must not hold.
    pub negated: bool,
    /// Which, by its place in the list.
    pub on: usize,
}

/// What follows for one entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Whether it still holds.
    pub verdict: Verdict,
    /// Where it is broken because of others: the entry it rests on, and how many steps the cause is away.
    pub because: Option<(usize, u32)>,
    /// What each condition about an entry answers.
    pub rests: Vec<Answer>,
}

/// Where an entry is broken because of others: from the entry it rests on to the one that is the cause.
pub fn chain(outcomes: &[Outcome], at: usize) -> Vec<usize> {
    let mut chain = Vec::new();
    let mut next = outcomes[at].because;
    while let Some((on, steps)) = next {
        chain.push(on);
        next = outcomes[on].because.filter(|_| steps > 1);
    }
    chain
}

/// VAL-2: one verdict, the worst counts.
///
/// A place that is gone while others are left is a change of what is spoken of, not the end of it.
pub fn verdict<'a>(anchors: &[Verdict], conditions: impl IntoIterator<Item = &'a Answer>) -> Verdict {
    let mut worst = Verdict::Fresh;
    let mut told = !anchors.is_empty();
    for condition in conditions {
        told = true;
        worst = worst.max(match condition {
            Answer::Holds(_) => Verdict::Fresh,
            Answer::Unverifiable(_) => Verdict::Unverifiable,
            Answer::Broken(_) => Verdict::Broken,
        });
    }
    let all_gone = anchors.iter().all(|anchor| *anchor == Verdict::Broken);
    for anchor in anchors {
        worst = worst.max(match anchor {
            Verdict::Broken if !all_gone => Verdict::Drifted,
            other => *other,
        });
    }
    if told { worst } else { Verdict::Unverifiable }
}

/// Carries verdicts along: who rests on what is broken, taken back or replaced is broken, with the whole chain (VAL-1b).
///
/// Entries that rest on each other in a circle are told so, and nothing follows from the circle alone.
pub fn propagate(standings: &[Standing]) -> Vec<Outcome> {
    let mut graph = DiGraph::<(), ()>::with_capacity(standings.len(), standings.len());
    for _ in standings {
        graph.add_node(());
    }
    for (at, standing) in standings.iter().enumerate() {
        for rest in &standing.rests_on {
            graph.add_edge(NodeIndex::new(at), NodeIndex::new(rest.on), ());
        }
    }
    let mut outcomes: Vec<Option<Outcome>> = vec![None; standings.len()];
    // Components come with those that others rest on first.
    for component in kosaraju_scc(&graph) {
        let mut members: Vec<usize> = component.into_iter().map(NodeIndex::index).collect();
        // By name, so that the same circle is told the same way whoever asks.
        members.sort_by(|a, b| standings[*a].name.cmp(&standings[*b].name).then(a.cmp(b)));
        let alone =
            members.len() == 1 && !standings[members[0]].rests_on.iter().any(|rest| rest.on == members[0]);
        if alone {
            outcomes[members[0]] = Some(outcome(members[0], standings, &outcomes, &[]));
        } else {
            circle(&members, standings, &mut outcomes);
        }
    }
    outcomes.into_iter().map(|outcome| outcome.expect("every entry is in a component")).collect()
}

/// Judges the members of a circle. What can be told of one is carried around; what is left cannot be told.
fn circle(members: &[usize], standings: &[Standing], outcomes: &mut [Option<Outcome>]) {
    let mut resting: HashMap<usize, Vec<usize>> = HashMap::new();
    for at in members {
        for rest in &standings[*at].rests_on {
            resting.entry(rest.on).or_default().push(*at);
        }
    }
    let mut ahead: VecDeque<usize> = members.iter().copied().collect();
    while let Some(at) = ahead.pop_front() {
        if outcomes[at].is_some() {
            continue;
        }
        let found = outcome(at, standings, outcomes, members);
        // One that rests only on what is known is out of the circle: a negation may have cut it.
        let known = |rest: &Rest| outcomes[rest.on].is_some() || standings[rest.on].retired.is_some();
        let is_known = standings[at].rests_on.iter().all(known);
        if is_known || found.verdict == Verdict::Broken || standings[at].retired.is_some() {
            outcomes[at] = Some(found);
            ahead.extend(resting.get(&at).into_iter().flatten());
        }
    }
    let open: Vec<usize> = members.iter().copied().filter(|at| outcomes[*at].is_none()).collect();
    let told: Vec<Outcome> = open.iter().map(|at| outcome(*at, standings, outcomes, members)).collect();
    for (at, outcome) in open.into_iter().zip(told) {
        outcomes[at] = Some(outcome);
    }
}

fn outcome(at: usize, standings: &[Standing], outcomes: &[Option<Outcome>], circle: &[usize]) -> Outcome {
    let standing = &standings[at];
    let mut because: Option<(usize, u32)> = None;
    let mut rests = Vec::with_capacity(standing.rests_on.len());
    for rest in &standing.rests_on {
        let other = &standings[rest.on];
        let mut steps = 1;
        let answer = match (&other.retired, &outcomes[rest.on]) {
            (Some(why), _) => gone(rest, format!("{} is {why}", other.name)),
            (None, Some(found)) => match found.verdict {
                Verdict::Broken => {
                    steps += found.because.map_or(0, |(_, steps)| steps);
                    gone(rest, format!("{} is broken", other.name))
                }
                // What it rests on changed: that is not the end of it, and no longer sure.
                Verdict::Drifted => Answer::Unverifiable(format!("{} has drifted", other.name)),
                Verdict::Fresh | Verdict::Moved | Verdict::Unverifiable => there(rest, other),
            },
            (None, None) => Answer::Unverifiable(format!("a circle: {}", names(circle, standings))),
        };
        if let Answer::Broken(_) = &answer
            && because.is_none_or(|(_, known)| steps < known)
        {
            because = Some((rest.on, steps));
        }
        rests.push(answer);
    }
    Outcome { verdict: verdict(&standing.anchors, standing.conditions.iter().chain(&rests)), because, rests }
}

/// The members of a circle in a sentence; a long one is cut.
fn names(circle: &[usize], standings: &[Standing]) -> String {
    const NAMED: usize = 8;
    let named: Vec<&str> = circle.iter().take(NAMED).map(|at| standings[*at].name.as_str()).collect();
    let more = circle.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    match circle {
        [_] => format!("{} depends on itself", named.join("")),
        _ => format!("{}{more} depend on each other", named.join(", ")),
    }
}

fn gone(rest: &Rest, why: String) -> Answer {
    if rest.negated { Answer::Holds(why) } else { Answer::Broken(why) }
}

fn there(rest: &Rest, other: &Standing) -> Answer {
    let why = format!("{} stands", other.name);
    if rest.negated { Answer::Broken(why) } else { Answer::Holds(why) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, anchors: &[Verdict], rests_on: &[usize]) -> Standing {
        Standing {
            name: name.to_owned(),
            anchors: anchors.to_vec(),
            rests_on: rests_on.iter().map(|on| Rest { negated: false, on: *on }).collect(),
            ..Standing::default()
        }
    }

    fn verdicts(standings: &[Standing]) -> String {
        let outcomes = propagate(standings);
        let told = (0..outcomes.len()).map(|at| {
            let chain: Vec<&str> =
                chain(&outcomes, at).into_iter().map(|at| standings[at].name.as_str()).collect();
            format!("{} {}", outcomes[at].verdict, chain.join(">")).trim().to_owned()
        });
        told.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn val_2_one_verdict_the_worst_counts() {
        use Verdict::*;
        let (holds, broken, open) = (
            Answer::Holds(String::new()),
            Answer::Broken(String::new()),
            Answer::Unverifiable(String::new()),
        );
        let table: &[(&[Verdict], &[&Answer], Verdict)] = &[
            (&[], &[], Unverifiable),
            (&[Fresh, Fresh], &[], Fresh),
            (&[Fresh, Moved], &[&holds], Moved),
            (&[Fresh, Unverifiable], &[], Unverifiable),
            (&[Fresh], &[&open], Unverifiable),
            (&[Fresh, Drifted], &[&open], Drifted),
            (&[Fresh, Broken], &[], Drifted),
            (&[Broken, Broken], &[&holds], Broken),
            (&[Fresh], &[&holds, &broken], Broken),
            (&[], &[&holds], Fresh),
        ];
        for (anchors, conditions, expected) in table {
            assert_eq!(verdict(anchors, conditions.iter().copied()), *expected, "{anchors:?} {conditions:?}");
        }
    }

    #[test]
    fn val_1b_what_rests_on_the_broken_is_broken_with_the_whole_chain() {
        use Verdict::*;
        let mut chain = [
            entry("a", &[Fresh], &[1]),
            entry("b", &[Fresh], &[2]),
            entry("c", &[Broken], &[]),
            entry("d", &[Fresh], &[]),
        ];
        assert_eq!(verdicts(&chain), "broken b>c, broken c, broken, fresh");
        chain[2].anchors = vec![Fresh];
        assert_eq!(verdicts(&chain), "fresh, fresh, fresh, fresh");
        chain[2].retired = Some("retracted: it was wrong".to_owned());
        assert_eq!(verdicts(&chain), "broken b>c, broken c, fresh, fresh");
        chain[1].rests_on[0].negated = true;
        assert_eq!(verdicts(&chain), "fresh, fresh, fresh, fresh");
    }

    #[test]
    fn val_1b_circles_are_told_and_a_cause_in_one_is_carried_around() {
        use Verdict::*;
        let mut ring = [
            entry("a", &[Fresh], &[1]),
            entry("b", &[Fresh], &[2]),
            entry("c", &[Fresh], &[0]),
            entry("d", &[Fresh], &[0]),
        ];
        assert_eq!(verdicts(&ring), "unverifiable, unverifiable, unverifiable, fresh");
        assert_eq!(propagate(&ring)[0].rests[0].why(), "a circle: a, b, c depend on each other");
        ring[1].anchors = vec![Broken];
        assert_eq!(verdicts(&ring), "broken b, broken, broken a>b, broken a>b");
        let own = [entry("a", &[Fresh], &[0])];
        assert_eq!(verdicts(&own), "unverifiable");
    }

    #[test]
    fn val_1b_a_negation_cuts_a_circle_and_a_circle_is_told_in_one_order() {
        use Verdict::*;
        let mut ring = [entry("c", &[Broken], &[1]), entry("a", &[Fresh], &[2]), entry("b", &[Fresh], &[0])];
        ring[2].rests_on[0].negated = true;
        assert_eq!(verdicts(&ring), "broken, fresh, fresh");
        ring[0].anchors = vec![Fresh];
        assert_eq!(verdicts(&ring), "unverifiable, unverifiable, unverifiable");
        assert_eq!(propagate(&ring)[0].rests[0].why(), "a circle: a, b, c depend on each other");
    }

    #[test]
    fn a_chain_of_a_hundred_thousand_does_not_overflow() {
        let mut long: Vec<Standing> =
            (0..100_000).map(|at| entry("e", &[Verdict::Fresh], &[at + 1])).collect();
        long.push(entry("end", &[Verdict::Fresh], &[]));
        assert!(propagate(&long).iter().all(|outcome| outcome.verdict == Verdict::Fresh));
    }
}
