//! IN-8: every way from one status to another, and the way back. One table; decisions ask it, and the docs print it.

use crate::entry::Entry;
use crate::kinds::Status;
use crate::refusal::{Code, Refusal};

/// What moves an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It is stated.
    Add,
    /// The scanner or its admission keeps it out.
    Reject,
    /// A person lets it in.
    Release,
    /// It was used and that went well.
    Use,
    /// It was proven.
    Prove,
    /// What it depends on no longer holds, or nobody needs it.
    Fade,
    /// It is put away.
    Archive,
    /// It is taken back.
    Retract,
    /// Another one takes its place.
    Supersede,
    /// Another one that says the same stands for it.
    Merge,
    /// It is brought back.
    Restore,
}

impl Cause {
    /// What is done, as a verb.
    pub fn word(self) -> &'static str {
        match self {
            Cause::Add => "add",
            Cause::Reject => "reject",
            Cause::Release => "release",
            Cause::Use => "use",
            Cause::Prove => "prove",
            Cause::Fade => "fade",
            Cause::Archive => "archive",
            Cause::Retract => "retract",
            Cause::Supersede => "supersede",
            Cause::Merge => "merge",
            Cause::Restore => "restore",
        }
    }
}

/// One way from some statuses to another.
pub struct Step {
    /// Where it may begin; nowhere is an entry that is not there yet.
    pub from: &'static [Status],
    /// Where it leads; none is where the entry stood before.
    pub to: Option<Status>,
    /// What moves it.
    pub cause: Cause,
    /// When that happens.
    pub when: &'static str,
    /// The way back.
    pub back: &'static str,
}

const HANDED_OUT: &[Status] = &[Status::Candidate, Status::Active, Status::Verified];
const LET_IN: &[Status] = &[
    Status::Candidate,
    Status::Active,
    Status::Verified,
    Status::Stale,
    Status::Archived,
    Status::Retracted,
    Status::Superseded,
];

/// Every way there is.
pub const STEPS: &[Step] = &[
    Step {
        from: &[],
        to: Some(Status::Candidate),
        cause: Cause::Add,
        when: "it is added and nothing is wrong with it",
        back: "`ken undo`, `ken retract`",
    },
    Step {
        from: &[],
        to: Some(Status::Rejected),
        cause: Cause::Reject,
        when: "the scan reports high or critical, or the admission score is below 0.25",
        back: "`ken quarantine release`, by a person",
    },
    Step {
        from: LET_IN,
        to: Some(Status::Rejected),
        cause: Cause::Reject,
        when: "it came by git or is older than the rules, and the scan now reports high or critical",
        back: "`ken quarantine release`, by a person",
    },
    Step {
        from: &[Status::Rejected],
        to: Some(Status::Candidate),
        cause: Cause::Release,
        when: "a person releases it, with a reason",
        back: "`ken retract`",
    },
    Step {
        from: &[Status::Candidate],
        to: Some(Status::Active),
        cause: Cause::Use,
        when: "it was used successfully once",
        back: "failures lower its belief; `ken archive`, `ken retract`",
    },
    Step {
        from: &[Status::Candidate, Status::Active],
        to: Some(Status::Verified),
        cause: Cause::Prove,
        when: "its source run succeeded, or belief reached alpha 8, or two agents or people confirmed it independently; and two clones speak for it, or a hook observed a success, or a person accepted its proof",
        back: "failures lower its belief; `ken archive`, `ken retract`",
    },
    Step {
        from: HANDED_OUT,
        to: Some(Status::Stale),
        cause: Cause::Fade,
        when: "it was not used for 90 days and nothing shows that it holds, or it misled 5 times",
        back: "it is confirmed, helps or holds again; `ken restore`",
    },
    Step {
        from: LET_IN,
        to: Some(Status::Archived),
        cause: Cause::Archive,
        when: "somebody puts it away",
        back: "`ken restore`",
    },
    Step {
        from: LET_IN,
        to: Some(Status::Retracted),
        cause: Cause::Retract,
        when: "somebody retracts it; a tombstone remains",
        back: "`ken restore`",
    },
    Step {
        from: LET_IN,
        to: Some(Status::Superseded),
        cause: Cause::Supersede,
        when: "another entry replaces it",
        back: "`ken restore`",
    },
    Step {
        from: HANDED_OUT,
        to: Some(Status::Superseded),
        cause: Cause::Merge,
        when: "another entry says the same and stands for both",
        back: "`ken merge --undo`",
    },
    Step {
        from: &[Status::Stale, Status::Archived, Status::Retracted, Status::Superseded],
        to: None,
        cause: Cause::Restore,
        when: "somebody restores it",
        back: "the verb that put it there",
    },
];

/// The way an entry takes for some cause, if there is one from where it stands.
pub fn step(from: Status, cause: Cause) -> Option<&'static Step> {
    STEPS.iter().find(|step| step.cause == cause && step.from.contains(&from))
}

/// Refuses what has no way from where the entry stands. Being there already is no fault; the caller sees to that.
pub fn check(entry: &Entry, cause: Cause) -> Result<(), Refusal> {
    if step(entry.status, cause).is_some() {
        return Ok(());
    }
    let refusal = Refusal::new(
        Code::NotAllowed,
        format!("{} is {}; there is no way to {} it from there", entry.id(), entry.status, cause.word()),
    );
    Err(match entry.status {
        Status::Rejected => refusal.hint(format!(
            "a person may release it: ken quarantine release {} --reason '...'; `ken purge` deletes it permanently",
            entry.id()
        )),
        _ => refusal.hint("docs/concepts/intake.md lists the allowed status changes"),
    })
}

/// The table as Markdown.
pub fn table() -> String {
    let words = |statuses: &[Status]| match statuses {
        [] => "(new)".to_owned(),
        _ if statuses == LET_IN => "any but quarantined".to_owned(),
        _ => statuses.iter().map(|status| status.label()).collect::<Vec<_>>().join(", "),
    };
    let mut out = String::from("| from | to | by | when | way back |\n|---|---|---|---|---|\n");
    for step in STEPS {
        let to = step.to.map_or("where it stood", Status::label);
        out += &format!(
            "| {} | {to} | {} | {} | {} |\n",
            words(step.from),
            step.cause.word(),
            step.when,
            step.back
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    // IN-8: every one has a way back.
    #[test]
    fn from_every_status_there_is_a_way_to_being_handed_out() {
        for status in Status::ALL {
            let mut reached = vec![*status];
            let mut at = 0;
            while at < reached.len() {
                let here = reached[at];
                for step in STEPS.iter().filter(|step| step.from.contains(&here)) {
                    let to = step.to.unwrap_or(Status::Candidate);
                    if !reached.contains(&to) {
                        reached.push(to);
                    }
                }
                at += 1;
            }
            assert!(reached.iter().any(|status| status.is_retrieved()), "{status}");
        }
    }

    #[test]
    fn every_status_can_be_reached_and_only_a_person_lets_a_rejected_one_in() {
        for status in Status::ALL {
            assert!(STEPS.iter().any(|step| step.to == Some(*status)), "{status}");
        }
        let out = STEPS.iter().filter(|step| step.from.contains(&Status::Rejected));
        assert_eq!(out.map(|step| step.cause).collect::<Vec<_>>(), [Cause::Release]);
    }

    // The docs say what the code does.
    #[test]
    fn the_docs_have_this_table() {
        let page = include_str!("../../../docs/concepts/intake.md");
        assert!(page.contains(&table()), "put this into docs/concepts/intake.md:\n{}", table());
    }
}
