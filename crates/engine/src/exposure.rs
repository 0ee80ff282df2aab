//! What is recorded of what somebody is shown (REV-1): who, which entries, how, and in which run. The one place that builds these events.

use ken_core::exposed::day_of;
use ken_core::limits::exposed::SHOWN_MAX;
use ken_core::{Body, Clock, EntryKey, Intent, RunEvent};

use crate::caller::Caller;
use crate::error::Result;
use crate::projection::Projection;

/// Who is shown something: an agent, in a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reader<'a> {
    /// The run; none is a day of its actor.
    pub run: Option<&'a str>,
    /// The agent's name in it; none is its actor.
    pub agent: Option<&'a str>,
}

impl<'a> Reader<'a> {
    /// Whoever makes a call.
    pub fn from_caller(caller: &'a Caller) -> Reader<'a> {
        Reader { run: caller.run(), agent: caller.agent() }
    }
}

/// What a reader was shown, as events.
impl Reader<'_> {
    /// Entries were put before the reader, all in one answer: one event, or several where one line could not hold so many.
    pub fn shown(&self, how: &str, entries: Vec<EntryKey>) -> Vec<Intent> {
        let one = |some: &[EntryKey]| {
            let agent = self.agent.map(str::to_owned);
            self.intent(None, RunEvent::exposed(self.run_name(), agent, how, some.to_vec()))
        };
        entries.chunks(SHOWN_MAX).map(one).collect()
    }

    /// Nothing relevant was found (SUR-6).
    pub fn unanswered(&self, query: String, role: Option<&str>) -> Intent {
        self.intent(None, RunEvent::Unanswered { run: self.run_name(), query, role: role.map(str::to_owned) })
    }

    /// The best answer was too weak to be one (OUT-5).
    pub fn missed(&self, best: EntryKey, query: String, similarity_thousandths: u32) -> Intent {
        let similarity = similarity_thousandths;
        self.intent(Some(best), RunEvent::Missed { run: self.run_name(), query, similarity })
    }

    /// What was handed over took more tokens than its budget (SUR-3).
    pub fn exceeded(&self, budget_tokens: usize, tokens: usize) -> Intent {
        let whole = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let (budget, tokens) = (whole(budget_tokens), whole(tokens));
        self.intent(None, RunEvent::Exceeded { run: self.run_name(), budget, tokens })
    }

    fn run_name(&self) -> Option<String> {
        self.run.map(str::to_owned)
    }

    fn intent(&self, entry: Option<EntryKey>, body: RunEvent) -> Intent {
        Intent { entry, body: Body::Run(body) }
    }
}

/// Of some entries those that the caller was not shown in this run yet, or on this day outside of any: once is enough.
pub fn not_shown_yet(
    runs: &dyn Projection,
    caller: &Caller,
    entries: Vec<EntryKey>,
) -> Result<Vec<EntryKey>> {
    if entries.is_empty() {
        return Ok(entries);
    }
    let place = caller.run().map_or_else(|| day_of(Clock::at(caller.now())), str::to_owned);
    let shown = runs.shown_to(&place, caller.name())?;
    Ok(entries.into_iter().filter(|key| !shown.contains(key)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rev_1_an_answer_is_one_event_and_a_long_one_several() {
        let reader = Reader { run: Some("r"), agent: None };
        let exposures = reader;
        let listed = |count: usize| -> Vec<usize> {
            let entries = vec![EntryKey([1; 8]); count];
            let told = exposures.shown("pulled", entries).into_iter().map(|intent| match intent {
                Intent { entry: None, body: Body::Run(RunEvent::Exposed { run, how, entries, .. }) } => {
                    assert_eq!((run.as_deref(), how.as_str()), (Some("r"), "pulled"));
                    entries.len()
                }
                other => panic!("{other:?} is no exposure of an answer"),
            });
            told.collect()
        };
        assert_eq!(listed(0), Vec::<usize>::new());
        assert_eq!(listed(1), [1]);
        assert_eq!(listed(SHOWN_MAX + 1), [SHOWN_MAX, 1]);
    }
}
