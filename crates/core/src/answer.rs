//! The closed vocabularies of answers: what became of a request, as a value inside and as a word at the edges.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::decide::Outcome;
use crate::kinds::vocabulary;
use crate::run::RunOutcome;

vocabulary!(
    /// Whether a request changed anything.
    ChangeOutcome {
        /// Something is different now.
        Changed = "changed",
        /// It was so already; nothing was written.
        Unchanged = "unchanged",
    }
);

impl ChangeOutcome {
    /// The outcome of a request that wrote something, or nothing.
    pub fn from_changed(changed: bool) -> ChangeOutcome {
        if changed { ChangeOutcome::Changed } else { ChangeOutcome::Unchanged }
    }
}

vocabulary!(
    /// What became of the report of a reviewer.
    ReportOutcome {
        /// It was taken in.
        Recorded = "recorded",
        /// The same report is there already.
        Unchanged = "unchanged",
    }
);

vocabulary!(
    /// What became of an item of a file.
    ItemOutcome {
        /// A new entry.
        Added = "added",
        /// An entry said the same already; it was cited.
        Reinforced = "reinforced",
        /// A new entry with gaps.
        Held = "held",
        /// It was kept out; its text is in this clone's quarantine.
        Rejected = "rejected" labelled "quarantined",
        /// The entry of its merge key took its words.
        Merged = "merged",
        /// Its author had undone the addition of the same entry: it is back.
        Restored = "restored",
        /// It could not become an entry.
        Refused = "refused",
        /// It is an entry already.
        Known = "known",
    }
);

impl From<Outcome> for ItemOutcome {
    fn from(outcome: Outcome) -> ItemOutcome {
        match outcome {
            Outcome::Added => ItemOutcome::Added,
            Outcome::Reinforced => ItemOutcome::Reinforced,
            Outcome::Held => ItemOutcome::Held,
            Outcome::Rejected => ItemOutcome::Rejected,
            Outcome::Merged => ItemOutcome::Merged,
            Outcome::Restored => ItemOutcome::Restored,
        }
    }
}

vocabulary!(
    /// How a run stands.
    RunState {
        /// It goes on.
        Open = "open",
        /// It ended well.
        Succeeded = "succeeded",
        /// It ended badly.
        Failed = "failed",
        /// Somebody stopped it.
        Killed = "killed",
        /// Nobody came back to it.
        Abandoned = "abandoned",
        /// A conversation that its host ended; nobody said whether it went well.
        Ended = "ended",
    }
);

impl From<RunOutcome> for RunState {
    fn from(outcome: RunOutcome) -> RunState {
        match outcome {
            RunOutcome::Succeeded => RunState::Succeeded,
            RunOutcome::Failed => RunState::Failed,
            RunOutcome::Killed => RunState::Killed,
            RunOutcome::Abandoned => RunState::Abandoned,
        }
    }
}

vocabulary!(
    /// How a proposal stands.
    PromotionState {
        /// Nobody answered it.
        Open = "open",
        /// An approver accepted it.
        Approved = "approved",
        /// An approver turned it down.
        Rejected = "rejected",
    }
);

vocabulary!(
    /// How a gate came out.
    GateState {
        /// It found nothing.
        Pass = "pass",
        /// Somebody should look at what it found.
        Warn = "warn",
        /// What it found blocks.
        Fail = "fail",
    }
);

vocabulary!(
    /// How a norm came out.
    NormState {
        /// It is kept.
        Pass = "pass",
        /// It is not kept.
        Fail = "fail",
        /// Somebody has to vouch for the change.
        Missing = "missing",
        /// It could not be found out here.
        Unknown = "unknown",
        /// It is shown, and blocks nothing.
        Advisory = "advisory",
        /// It does not apply.
        Skip = "skip",
    }
);

impl NormState {
    /// Whether it is known or to be feared that it is not kept.
    pub fn is_unkept(self) -> bool {
        match self {
            NormState::Fail | NormState::Missing | NormState::Unknown => true,
            NormState::Pass | NormState::Advisory | NormState::Skip => false,
        }
    }
}

vocabulary!(
    /// What a condition came to.
    ConditionVerdict {
        Holds = "holds",
        /// It does not.
        Broken = "broken",
        /// Nobody can tell.
        Unverifiable = "unverifiable",
    }
);

vocabulary!(
    /// What a sync does to a file of a mirror or, because of one, to the ledger.
    SyncChange {
        /// A new file was taken in.
        Added = "added",
        /// An edit was taken in.
        Edited = "edited",
        /// A file goes by another name.
        Moved = "moved",
        /// Entries were retracted with their file.
        Retracted = "retracted",
        /// The file has what the ledger says.
        Written = "written",
        /// The file is gone.
        Removed = "removed",
        /// The file is back.
        Restored = "restored",
        /// A file that is made from the others.
        Made = "made",
    }
);

vocabulary!(
    /// What became of evidence that was tied to an entry.
    ReweaveOutcome {
        /// The entry cites it.
        Cited = "cited",
        /// The entry has new words.
        Revised = "revised",
        /// Another entry took its place.
        Superseded = "superseded",
        /// It was so already.
        Unchanged = "unchanged",
    }
);

vocabulary!(
    /// In what two texts say the same.
    DuplicateKind {
        /// In their words.
        Same = "same",
        Near = "near",
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_both_ways() {
        for state in NormState::ALL {
            assert_eq!(NormState::from_word(state.word()), Some(*state));
            assert_eq!(serde_json::to_value(state).unwrap(), state.word());
        }
        assert_eq!(NormState::from_word("passed"), None);
    }

    #[test]
    fn an_item_has_the_word_of_its_addition() {
        for outcome in Outcome::ALL {
            assert_eq!(ItemOutcome::from(*outcome).word(), outcome.word());
        }
    }

    #[test]
    fn a_run_has_the_word_of_its_end() {
        for (_, outcome) in RunOutcome::WORDS {
            assert_eq!(RunState::from(*outcome).word(), outcome.word());
        }
    }
}
