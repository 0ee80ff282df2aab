//! Who may do what to an entry (COR-21): a function of what a change comes to, of what is known of the entry, and of who calls. Every append
//! asks it, whatever operation makes the change.

use serde_json::{Map, Value};

use super::link::may_be_one;
use crate::entry::Entry;
use crate::fields::{Anchor, Fields};
use crate::kinds::{Memory, Status};
use crate::promotion;
use crate::refusal::{Code, Refusal};
use crate::words::normalise_statement;

/// Who could be asked about a call (COR-7, COR-12).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Attendance {
    /// Nobody: an agent makes the call, or a process without a controlling terminal.
    #[default]
    Unattended,
    /// A person at a terminal makes the call and can be asked.
    Attended,
    /// A person was asked and confirmed this very call.
    Confirmed,
}

/// Whether a caller is among those who put norms in force, and take them out of it (GAT-2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Approver {
    #[default]
    No,
    /// They are, and confirmed nothing yet.
    ToAsk,
    /// They confirmed this very call.
    Confirmed,
}

/// What a caller may do beyond what anybody may.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Authority {
    pub attendance: Attendance,
    pub approver: Approver,
    /// Who really calls, as refusals name them: `agent:codex`, `human:Ada`.
    pub who: String,
}

impl Authority {
    /// A person at a terminal, who may be an approver and confirmed the call as one.
    pub fn attended(who: &str, is_approver: bool) -> Authority {
        let approver = if is_approver { Approver::Confirmed } else { Approver::No };
        Authority { attendance: Attendance::Attended, approver, who: who.to_owned() }
    }
}

/// What somebody does to an entry, as refusals say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryAction {
    /// In the act: `retracting`.
    pub doing: &'static str,
    /// What one can do: `retract`.
    pub verb: &'static str,
}

impl EntryAction {
    pub const ADD: EntryAction = EntryAction::new("stating again", "state");
    pub const ANCHOR: EntryAction = EntryAction::new("anchoring", "anchor");
    pub const ARCHIVE: EntryAction = EntryAction::new("archiving", "archive");
    pub const CALL_STALE: EntryAction = EntryAction::new("calling stale", "call stale");
    pub const CHANGE: EntryAction = EntryAction::new("changing", "change");
    pub const EDIT: EntryAction = EntryAction::new("rewording", "reword");
    pub const INVALIDATE: EntryAction = EntryAction::new("invalidating", "invalidate");
    pub const LINK: EntryAction = EntryAction::new("linking", "tie");
    pub const MERGE: EntryAction = EntryAction::new("merging", "merge");
    pub const MUTE: EntryAction = EntryAction::new("muting", "mute");
    pub const PURGE: EntryAction = EntryAction::new("purging", "purge");
    pub const RESTORE: EntryAction = EntryAction::new("restoring", "restore");
    pub const RETRACT: EntryAction = EntryAction::new("retracting", "retract");
    pub const SUPERSEDE: EntryAction = EntryAction::new("superseding", "supersede");
    pub const UNDO: EntryAction = EntryAction::new("undoing a change of", "move");
    pub const UNLINK: EntryAction = EntryAction::new("unlinking", "untie");

    const fn new(doing: &'static str, verb: &'static str) -> EntryAction {
        EntryAction { doing, verb }
    }
}

/// What a change does to an entry that not everybody may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// A norm that people agreed on binds no longer, or again, or says something else.
    Moves,
    /// It is no longer handed out.
    Hides,
    /// It is no longer handed out in one clone: there a norm would bind nobody.
    Covers,
    /// It was not handed out, and is handed out as verified again.
    Returns,
    /// It says something else.
    Rewords,
    /// Nothing is left of the places that it is held against.
    TakesAnchors,
}

/// What became of an entry, as far as not everybody may do it.
pub fn effects(before: &Entry, after: Option<&Entry>) -> Vec<Effect> {
    let (was, is) = (before.status.is_retrieved(), after.is_some_and(|after| after.status.is_retrieved()));
    let fields = after.map(|after| (&before.fields, &after.fields));
    let is_reworded = fields.is_some_and(|(before, after)| rewords(before, after));
    let found = [
        (Effect::Moves, is_approved(before) && (was != is || is_reworded)),
        (Effect::Hides, was && !is),
        (Effect::Returns, !was && after.is_some_and(|after| after.status == Status::Verified)),
        (Effect::Rewords, is_reworded),
        (Effect::TakesAnchors, fields.is_some_and(|(before, after)| loses_anchors(before, after))),
    ];
    found.into_iter().filter(|(_, is_so)| *is_so).map(|(effect, _)| effect).collect()
}

/// Whether people agreed on a norm.
pub fn is_approved(entry: &Entry) -> bool {
    entry.memory() == Memory::Procedural && !entry.approvals.is_empty()
}

/// Whether a caller may do something to an entry. `was_verified` says whether it is verified, or was before somebody changed its words.
pub fn may(
    effect: Effect,
    entry: &Entry,
    was_verified: bool,
    action: EntryAction,
    authority: &Authority,
) -> Result<(), Refusal> {
    let (handle, who, doing) = (entry.handle(), &authority.who, action.doing);
    let is_asked = authority.attendance != Attendance::Unattended;
    let is_free = is_asked || !was_verified;
    match (effect, authority.approver) {
        (Effect::Moves, Approver::Confirmed) => Ok(()),
        (Effect::Moves, Approver::ToAsk) => {
            Err(for_a_person(&format!("{doing} {handle}, an approved norm,"), who))
        }
        (Effect::Moves, Approver::No) => Err(for_an_approver(entry, action, who)),
        (Effect::Covers, _) if !is_asked && !was_verified && is_approved(entry) => {
            Err(for_a_person(&format!("{doing} {handle}, an approved norm,"), who))
        }
        _ if is_free => Ok(()),
        (Effect::Hides | Effect::Returns | Effect::Covers, _) => {
            Err(for_a_person(&format!("{doing} {handle}, which is or was verified,"), who))
        }
        (Effect::Rewords, _) => {
            let refusal = for_a_person(&format!("rewording {handle}, which is or was verified,"), who);
            Err(for_agents(refusal, who, || {
                format!(
                    "add what you found as an entry of its own and `ken link NEW contradicts {handle}`; a person decides"
                )
            }))
        }
        (Effect::TakesAnchors, _) => {
            let what = format!("taking all anchors away from {handle}, which is or was verified,");
            Err(for_agents(for_a_person(&what, who), who, || {
                "you may add anchors, and replace them one by one; all of them are for a person to take away"
                    .to_owned()
            }))
        }
    }
}

/// What an agent can do instead; a person needs no other way.
fn for_agents(refusal: Refusal, who: &str, hint: impl FnOnce() -> String) -> Refusal {
    if who.starts_with("human:") { refusal } else { refusal.hint(hint()) }
}

fn for_an_approver(entry: &Entry, action: EntryAction, who: &str) -> Refusal {
    let by = promotion::name_of(&entry.approvals[0].by);
    // Whoever approved it once may be an approver still, whom nobody asked.
    let instead = match entry.approvals.iter().any(|approval| approval.by == who) {
        true => "and confirms that in a terminal".to_owned(),
        false => format!("and you are {who}"),
    };
    let message =
        format!("{} was approved by {by}; only an approver can {} it, {instead}", entry.id(), action.verb);
    Refusal::new(Code::NotAllowed, message)
        .hint("ask an approver to run it in their own terminal; `ken config` lists them under approvers")
}

/// What somebody is told who asks for what only a person does, and is none or cannot be asked.
pub fn for_a_person(what: &str, who: &str) -> Refusal {
    let (message, hint) = match who.starts_with("human:") {
        true => (
            format!("{what} requires confirmation by a person in a terminal, and this is not a terminal"),
            "run it in your own terminal",
        ),
        false => (
            format!("{what} requires a person, and you are {who}"),
            "ask a person to run it in their terminal",
        ),
    };
    Refusal::new(Code::NotAllowed, message).hint(hint).confirm(what)
}

/// Whether nothing is left of the places that an entry is held against. Of a single one it may be another.
fn loses_anchors(before: &Fields, after: &Fields) -> bool {
    let is_kept = |anchor: &Anchor| after.anchors.iter().any(|other| other.at == anchor.at);
    match before.anchors.as_slice() {
        [] => false,
        [_] => after.anchors.is_empty(),
        several => !several.iter().any(is_kept),
    }
}

/// Fields beside what an entry says: labels, where it can be seen and where it came from. An agent may change them on a verified entry.
const BESIDE: [&str; 6] = ["tags", "domains", "anchors", "attributes", "source", "document"];

/// Whether a field is part of what an entry says.
pub fn is_said(field: &str) -> bool {
    !BESIDE.contains(&field)
}

/// Whether an entry says something else with other fields.
pub fn rewords(before: &Fields, after: &Fields) -> bool {
    let said = |fields: &Fields| -> Map<String, Value> {
        let Ok(Value::Object(mut all)) = serde_json::to_value(fields) else { return Map::new() };
        all.retain(|field, _| is_said(field));
        all
    };
    said(before) != said(after)
}

/// How two entries that somebody wants to merge compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// They say the same, word for word.
    Equal,
    /// Their embeddings are near.
    Near,
    /// Something in them differs, or their embeddings are not near.
    Apart,
    /// Nothing in their words keeps them apart, and there are no embeddings to compare.
    Unknown,
}

impl Likeness {
    /// Compares two entries. `is_near` says what their embeddings say, where there are any.
    pub fn of(one: &Entry, other: &Entry, is_near: Option<bool>) -> Likeness {
        let says = |entry: &Entry| normalise_statement(&entry.fields.statement());
        match is_near {
            _ if !may_be_one(one, other) => Likeness::Apart,
            _ if says(one) == says(other) => Likeness::Equal,
            Some(true) => Likeness::Near,
            Some(false) => Likeness::Apart,
            None => Likeness::Unknown,
        }
    }
}

/// A merge that somebody asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merging {
    /// The entry that stands for both is or was verified.
    pub kept_is_verified: bool,
    /// The entry that is put away is or was verified.
    pub absorbed_is_verified: bool,
    pub likeness: Likeness,
}

/// Why a merge is for a person to decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeDoubt {
    /// It puts a verified entry away.
    HidesVerified,
    /// The two do not say the same.
    Apart,
    /// A verified entry would stand for words that nothing compared with its own.
    NotCompared,
}

impl Merging {
    /// Why a person decides about it; none where an agent may merge the two.
    pub fn doubt(self) -> Option<MergeDoubt> {
        match self {
            Merging { absorbed_is_verified: true, .. } => Some(MergeDoubt::HidesVerified),
            Merging { likeness: Likeness::Apart, .. } => Some(MergeDoubt::Apart),
            Merging { likeness: Likeness::Unknown, kept_is_verified: true, .. } => {
                Some(MergeDoubt::NotCompared)
            }
            Merging { likeness: Likeness::Equal | Likeness::Near | Likeness::Unknown, .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Without a model the guard had nothing to compare and let every merge through.
    #[test]
    fn an_agent_merges_with_a_verified_entry_only_what_is_known_to_say_the_same() {
        use Likeness::*;
        let table = [
            // kept is verified, absorbed is verified, likeness, doubt
            (false, false, Equal, None),
            (false, false, Near, None),
            (false, false, Apart, Some(MergeDoubt::Apart)),
            (false, false, Unknown, None),
            (true, false, Equal, None),
            (true, false, Near, None),
            (true, false, Apart, Some(MergeDoubt::Apart)),
            (true, false, Unknown, Some(MergeDoubt::NotCompared)),
            (false, true, Equal, Some(MergeDoubt::HidesVerified)),
            (false, true, Near, Some(MergeDoubt::HidesVerified)),
            (false, true, Apart, Some(MergeDoubt::HidesVerified)),
            (false, true, Unknown, Some(MergeDoubt::HidesVerified)),
            (true, true, Equal, Some(MergeDoubt::HidesVerified)),
            (true, true, Near, Some(MergeDoubt::HidesVerified)),
            (true, true, Apart, Some(MergeDoubt::HidesVerified)),
            (true, true, Unknown, Some(MergeDoubt::HidesVerified)),
        ];
        for (kept_is_verified, absorbed_is_verified, likeness, doubt) in table {
            let merging = Merging { kept_is_verified, absorbed_is_verified, likeness };
            assert_eq!(merging.doubt(), doubt, "{merging:?}");
        }
    }

    #[test]
    fn labels_places_and_sources_are_not_what_an_entry_says() {
        let read = |more: Value| {
            let mut all = serde_json::json!({"statement": "Retry with jitter.", "verification": ["look"]});
            all.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
            Fields::read(&all)
        };
        let before = read(serde_json::json!({}));
        let changes = [
            (serde_json::json!({"tags": ["net"], "domains": ["backend"]}), false),
            (serde_json::json!({"anchors": ["src/net.rs"]}), false),
            (serde_json::json!({"attributes": {"lifecycle_state": "triaged"}}), false),
            (serde_json::json!({"statement": "Never retry."}), true),
            (serde_json::json!({"title": "Never retry"}), true),
            (serde_json::json!({"detail": "Only on Sundays."}), true),
            (serde_json::json!({"depends_on": ["file:gone.rs"]}), true),
            (serde_json::json!({"decay_class": "volatile"}), true),
            (serde_json::json!({"severity": 1}), true),
        ];
        for (change, expected) in changes {
            assert_eq!(rewords(&before, &read(change.clone())), expected, "{change}");
        }
    }
}
