//! How knowledge gains authority (GAT-2): a proposal, a person's answer, and whether that answer counts.
//!
//! Nothing becomes binding, and nothing episodic becomes knowledge, without an artifact: what it is made from, the evidence, a reason,
//! and a named person who is not the one who asked. Whether an approval counts is judged when it is read, by whoever may approve
//! then and there; the ledger only says who said yes to which words.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::canonical;
use crate::clock::Clock;
use crate::entry::Entry;
use crate::event::{Body, Event, PromotionEvent};
use crate::fields::Citation;
use crate::ids::{EntryKey, GivenId};
use crate::kinds::{Memory, TypeName};

/// What somebody asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Proposed {
    /// Its name, made from the rest.
    pub promotion: String,
    /// The memory that it should enter.
    pub to: Memory,
    /// What it is made from.
    pub sources: Vec<EntryKey>,
    /// What speaks for it.
    pub evidence: Vec<Citation>,
    pub reason: String,
    /// What the new entry would say; none where the source itself should count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<Draft>,
}

/// An entry that is not there yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Draft {
    #[serde(rename = "type")]
    pub kind: TypeName,
    /// The id it should have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<GivenId>,
    /// What it would say.
    pub fields: Value,
}

impl Draft {
    /// Names what it says, as [`crate::Entry::binding_hash`] names what an entry says.
    pub fn binding_hash(&self) -> String {
        let said = serde_json::json!([self.kind, self.id, self.fields]);
        blake3::hash(crate::canonical::value_to_string(&said).as_bytes()).to_hex()[..40].to_owned()
    }
}

impl Proposed {
    /// The name of a proposal by somebody: the same proposal has the same one, and a changed one has another.
    pub fn name_of(&self, proposer: &str) -> String {
        let mut said = serde_json::to_value(self).unwrap_or_default();
        if let Value::Object(members) = &mut said {
            members.insert("promotion".to_owned(), Value::from(proposer));
            // When it was cited is no part of what is asked for.
            for citation in members.get_mut("evidence").and_then(Value::as_array_mut).into_iter().flatten() {
                if let Value::Object(citation) = citation {
                    citation.remove("cited_at");
                }
            }
        }
        let hash = blake3::hash(canonical::value_to_string(&said).as_bytes());
        format!("P-{}", &hash.to_hex()[..10])
    }
}

/// A person's yes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Approved {
    /// To which proposal.
    pub promotion: String,
    /// Names what the entry said then: no other words were approved.
    pub words: String,
    /// How they were asked: `terminal`, `mcp`.
    pub channel: String,
    /// They had also asked for it, as a team of one does; shown wherever it is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub solo: bool,
    /// Their signature under [`signed_text`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// What a signature of an approval is made over.
pub fn signed_text(promotion: &str, entry: EntryKey, words: &str, approver: &str) -> String {
    format!("kenning approval 1\n{promotion}\n{entry}\n{words}\n{}\n", name_of(approver))
}

/// What a signature of a person's word about a change is made over.
pub fn attested_text(norm: EntryKey, change: &str, actor: &str) -> String {
    format!("kenning attestation 1\n{norm}\n{change}\n{}\n", name_of(actor))
}

/// The namespace of those signatures: one made for anything else is none.
pub const NAMESPACE: &str = "kenning";

/// An approval as an entry carries it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Approval {
    pub at: Clock,
    pub by: String,
    /// To which proposal.
    pub promotion: String,
    /// What the entry said then.
    pub words: String,
    /// How they were asked.
    pub channel: String,
    /// They had also asked for it, as a team of one does; shown wherever it is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub solo: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

impl Approval {
    /// Who agreed, in a few words.
    pub fn told(&self) -> String {
        let solo = if self.solo { " (solo)" } else { "" };
        format!("approved by {}{solo}", name_of(&self.by))
    }
}

/// What became of a proposal.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Answer {
    /// Nobody has answered yet.
    Open,
    Approved {
        by: String,
        at: Clock,
        /// The entry that counts since.
        entry: Option<EntryKey>,
        /// Whether they had also asked for it, as a team of one does.
        solo: bool,
    },
    /// Somebody did not.
    Rejected { by: String, at: Clock, reason: String },
}

/// A proposal as it stands: the fold of its events.
#[derive(Clone, Debug, PartialEq)]
pub struct Promotion {
    /// What is asked for.
    pub proposed: Proposed,
    pub by: String,
    pub at: Clock,
    /// What became of it.
    pub answer: Answer,
}

impl Proposed {
    /// Whether two ask for the same, whatever reason and evidence each gives: the same sources, into the same memory, in the same words.
    pub fn asks_the_same(&self, other: &Proposed) -> bool {
        self.to == other.to && self.sources == other.sources && self.draft == other.draft
    }
}

impl Promotion {
    /// Whether nobody has answered it yet.
    pub fn is_open(&self) -> bool {
        self.answer == Answer::Open
    }

    /// Folds the events of one proposal, in whatever order they come; none where nobody proposed it.
    ///
    /// A proposal whose name is not made from what it says is none: whoever approves a name approves what they saw under it.
    pub fn fold<'a>(events: impl IntoIterator<Item = &'a Event>) -> Option<Promotion> {
        let ordered: BTreeMap<_, &Event> = events.into_iter().map(|event| (event.order(), event)).collect();
        let (first, proposed) = ordered.values().find_map(|event| match &event.body {
            Some(Body::Promotion(PromotionEvent::Proposed(proposed)))
                if proposed.name_of(&event.actor) == proposed.promotion =>
            {
                Some((*event, proposed))
            }
            _ => None,
        })?;
        let mut promotion = Promotion {
            proposed: (**proposed).clone(),
            by: first.actor.clone(),
            at: first.clock,
            answer: Answer::Open,
        };
        for event in ordered.values() {
            let (by, at) = (event.actor.clone(), event.clock);
            match &event.body {
                Some(Body::Promotion(PromotionEvent::Approved(approved))) => {
                    promotion.answer = Answer::Approved { by, at, entry: event.entry, solo: approved.solo };
                }
                // A yes made an entry; taking that back is done there.
                Some(Body::Promotion(PromotionEvent::Rejected { reason, .. }))
                    if !matches!(promotion.answer, Answer::Approved { .. }) =>
                {
                    promotion.answer = Answer::Rejected { by, at, reason: reason.clone() };
                }
                _ => {}
            }
        }
        Some(promotion)
    }

    /// Folds the events of many proposals, oldest first.
    pub fn fold_all(events: &[Event]) -> Vec<Promotion> {
        let mut of: BTreeMap<&str, Vec<&Event>> = BTreeMap::new();
        for event in events {
            if let Some(promotion) = event.body.as_ref().and_then(Body::promotion) {
                of.entry(promotion).or_default().push(event);
            }
        }
        let mut all: Vec<Promotion> = of.into_values().filter_map(Promotion::fold).collect();
        all.sort_by(|a, b| (a.at, &a.proposed.promotion).cmp(&(b.at, &b.proposed.promotion)));
        all
    }

    /// The entry whose authority is asked for, where it is there already.
    pub fn target(&self) -> Option<EntryKey> {
        match (&self.proposed.draft, &self.answer) {
            (None, _) => self.proposed.sources.first().copied(),
            (Some(_), Answer::Approved { entry, .. }) => *entry,
            (Some(_), Answer::Open | Answer::Rejected { .. }) => None,
        }
    }
}

/// A person who may approve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approver {
    pub name: String,
    /// The public key that their approvals are signed with.
    pub key: Option<String>,
}

/// Who may approve, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// The people who may.
    pub approvers: Vec<Approver>,
    /// Whether one may approve what one proposed: a team of one.
    pub solo: bool,
    /// Whether only signed approvals count.
    pub signed: bool,
}

/// The name of a person, as an actor has it: `human:Ada` is `Ada`.
pub fn name_of(actor: &str) -> &str {
    actor.strip_prefix("human:").unwrap_or(actor).trim()
}

impl Policy {
    /// The approver that an actor is: a person, by name; case makes no other one.
    pub fn approver(&self, actor: &str) -> Option<&Approver> {
        let name = actor.strip_prefix("human:")?.trim().to_lowercase();
        self.approvers.iter().find(|approver| approver.name.trim().to_lowercase() == name)
    }

    /// Their names, for sentences.
    pub fn names(&self) -> String {
        self.approvers.iter().map(|approver| approver.name.as_str()).collect::<Vec<_>>().join(", ")
    }
}

/// Whether a signature under a text was made with a key, in [`NAMESPACE`].
pub type Verify<'a> = &'a dyn Fn(&str, &str, &str) -> bool;

/// Whether an entry has authority, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Authority {
    /// How it stands.
    pub state: Standing,
    /// The proposal that gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promotion: Option<String>,
    /// Who said yes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Whether who said yes had also asked for it.
    pub solo: bool,
    /// In a sentence.
    pub why: String,
}

/// How an entry stands on the ladder of authority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Nobody gave it any.
    None,
    /// Somebody did, and it does not count here.
    Void,
    InForce,
}

/// Judges the approvals of an entry: one that counts is enough.
pub fn authority(
    entry: &Entry,
    promotions: &BTreeMap<String, Promotion>,
    policy: &Policy,
    verify: Verify<'_>,
) -> Authority {
    let mut found = Authority {
        state: Standing::None,
        promotion: None,
        by: None,
        solo: false,
        why: "nobody has approved it".to_owned(),
    };
    for approval in &entry.approvals {
        found.promotion = Some(approval.promotion.clone());
        found.by = Some(name_of(&approval.by).to_owned());
        match judge(entry, approval, promotions.get(&approval.promotion), policy, verify) {
            Ok(own) => {
                let by = name_of(&approval.by);
                found.state = Standing::InForce;
                found.solo = own == Own::Solo;
                found.why = match own {
                    Own::No => format!("approved by {by}"),
                    Own::Stated => format!("stated and accepted by {by}"),
                    Own::Solo => format!("approved by {by}, who also proposed it (approvals.solo)"),
                };
                return found;
            }
            Err(why) => {
                found.state = Standing::Void;
                found.why = why;
            }
        }
    }
    found
}

/// Whether who approves is who asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Own {
    /// Another person asked.
    No,
    /// An approver said it themselves, as a norm.
    Stated,
    /// The same person asked, in a team of one.
    Solo,
}

/// Whether one approval counts, or why it does not.
fn judge(
    entry: &Entry,
    approval: &Approval,
    promotion: Option<&Promotion>,
    policy: &Policy,
    verify: Verify<'_>,
) -> Result<Own, String> {
    let by = name_of(&approval.by);
    let Some(promotion) = promotion else {
        return Err(format!("{by} approved {}, but that proposal is unknown", approval.promotion));
    };
    let target = match &promotion.proposed.draft {
        None => promotion.proposed.sources.first() == Some(&entry.key),
        Some(draft) => draft.kind == entry.kind,
    };
    if !target || promotion.proposed.to != entry.memory() {
        return Err(format!("{} is about another entry", approval.promotion));
    }
    if promotion.proposed.evidence.is_empty() || promotion.proposed.reason.trim().is_empty() {
        return Err(format!("{} has no evidence or no reason", approval.promotion));
    }
    let own = may_approve(policy, &approval.by, promotion, entry)?;
    // What binds nobody may be worded better later.
    if entry.memory() == Memory::Procedural && approval.words != entry.binding_hash() {
        return Err(format!("its text differs from what {by} approved"));
    }
    if policy.signed {
        let key = policy.approver(&approval.by).and_then(|approver| approver.key.as_deref());
        let Some(key) = key else {
            return Err(format!("approvals must be signed in this project, and the key of {by} is unknown"));
        };
        let Some(signature) = &approval.signature else {
            return Err(format!("approvals must be signed in this project, and that of {by} is not"));
        };
        let text = signed_text(&approval.promotion, entry.key, &approval.words, &approval.by);
        if !verify(key, &text, signature) {
            return Err(format!("the signature of {by} is invalid"));
        }
    }
    Ok(own)
}

/// Whether who asks stated the norm themselves. Nobody's words but their own gain anything then: nothing is promoted to a norm.
pub fn is_stated(promotion: &Promotion, entry: &Entry) -> bool {
    promotion.proposed.draft.is_none()
        && entry.memory() == Memory::Procedural
        && entry.created_by == promotion.by
}

/// Whether somebody may say yes to a proposal, or why not.
pub fn may_approve(
    policy: &Policy,
    actor: &str,
    promotion: &Promotion,
    entry: &Entry,
) -> Result<Own, String> {
    if policy.approver(actor).is_none() {
        let who = name_of(actor);
        return Err(match policy.names() {
            names if names.is_empty() => format!("{who} is not an approver; there are none"),
            names => format!("{who} is not an approver; approvers: {names}"),
        });
    }
    if name_of(&promotion.by).to_lowercase() != name_of(actor).to_lowercase() {
        return Ok(Own::No);
    }
    match (is_stated(promotion, entry), policy.solo) {
        (true, _) => Ok(Own::Stated),
        (false, true) => Ok(Own::Solo),
        (false, false) => Err(format!(
            "{} proposed it, so another approver must approve it; for a team of one set `approvals.solo`",
            name_of(actor)
        )),
    }
}
