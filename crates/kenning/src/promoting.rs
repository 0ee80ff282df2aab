//! How knowledge gains authority (GAT-2): proposing, and a person's answer.

use ken_core::promotion::{self, Authority, Policy};
use ken_core::{Code, Entry, Memory, Refusal};
use ken_engine::ops::promote::{self, PromotionView, ProposeInput, Yes};
use ken_engine::{Error, Result, ops};

use crate::{Kenning, approvers, environment};

/// How a person was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// They typed it into a terminal.
    Terminal,
}

impl Channel {
    fn word(self) -> &'static str {
        match self {
            Channel::Terminal => "terminal",
        }
    }
}

impl Kenning {
    /// Who may approve here.
    pub fn who_approves(&self) -> Policy {
        self.config.policy()
    }

    /// Asks that something gains authority.
    pub fn propose(&mut self, input: ProposeInput) -> Result<PromotionView> {
        self.store.may_write()?;
        let (writer, around, rules) = (self.writer(), self.repository(), self.rules()?);
        let mut answer = promote::propose(&mut self.store, &around, input, &rules.way_in(), &writer)?;
        if answer.state == "open" {
            answer.notes.push(self.who_can_answer(&answer.id));
        }
        self.finish(answer)
    }

    /// What to do with a proposal, and who can.
    pub fn who_can_answer(&mut self, id: &str) -> String {
        let policy = self.who_approves();
        match policy.names() {
            names if names.is_empty() => {
                "nobody is an approver here yet; a person says who is: ken config approvers.NAME yes"
                    .to_owned()
            }
            names => format!("{names} can answer in a terminal: ken promote approve {id}"),
        }
    }

    /// Proposals: those that wait, or all of them.
    pub fn promotions(&mut self, all: bool) -> Result<Vec<PromotionView>> {
        promote::list(&self.store, all)
    }

    /// One proposal, whole.
    pub fn promotion(&mut self, name: &str) -> Result<PromotionView> {
        promote::show(&self.store, name)
    }

    /// Refuses what only an approver may do, with what to do instead.
    pub fn approver(&mut self, what: &str) -> Result<()> {
        let policy = self.who_approves();
        let names = policy.names();
        if !self.is_person() {
            // Whatever name it gives itself, the host of an agent is known.
            let host = environment::agent_host().filter(|_| !self.person_answered);
            let who = host.map_or_else(|| self.actor(), str::to_owned);
            let hint = match names.is_empty() {
                true => {
                    "a person says who may approve, in a terminal of their own: ken config approvers.NAME yes"
                        .to_owned()
                }
                false => format!("ask {names} to do it in a terminal of their own"),
            };
            return Err(Refusal::new(Code::NotAllowed, format!("{what} is for a person, and this is {who}"))
                .hint(hint)
                .into());
        }
        let actor = self.actor();
        if policy.approver(&actor).is_none() {
            let who = promotion::name_of(&actor);
            let (message, hint) = match names.is_empty() {
                true => (
                    format!("{what} is for an approver, and nobody is one here"),
                    format!("say who is, and commit it: ken config 'approvers.{who}' yes"),
                ),
                false => (format!("{what} is for an approver; {who} is none"), format!("these are: {names}")),
            };
            return Err(Refusal::new(Code::NotAllowed, message).hint(hint).into());
        }
        Ok(())
    }

    /// A person says yes. The door has asked them.
    pub fn approve_promotion(&mut self, name: &str, channel: Channel) -> Result<PromotionView> {
        self.answer(name, channel, promote::approve)
    }

    /// An approver accepts the norm that they have just stated. The door has asked them.
    pub fn accept_stated(&mut self, name: &str, channel: Channel) -> Result<PromotionView> {
        self.answer(name, channel, promote::accept_stated)
    }

    fn answer(&mut self, name: &str, channel: Channel, say: SayYes) -> Result<PromotionView> {
        self.store.may_write()?;
        self.approver("approving a promotion")?;
        let (writer, around, rules) = (self.writer(), self.repository(), self.rules()?);
        let policy = self.who_approves();
        let git = self.store.git().cloned();
        let key = policy.approver(&writer.actor).and_then(|approver| approver.key.clone());
        let mut sign = |text: &str| match policy.signed {
            false => Ok(None),
            true => signed(text, key.as_deref(), git.as_ref()).map(Some),
        };
        let mut yes =
            Yes { policy: &policy, channel: channel.word(), sign: &mut sign, verify: &approvers::verify };
        let answer = say(&mut self.store, &around, name, &mut yes, &rules.way_in(), &writer)?;
        self.finish(answer)
    }

    /// A person says no.
    pub fn reject_promotion(&mut self, name: &str, reason: &str) -> Result<PromotionView> {
        self.store.may_write()?;
        self.approver("rejecting a promotion")?;
        let writer = self.writer();
        let answer = promote::reject(&mut self.store, name, reason.to_owned(), &writer)?;
        self.finish(answer)
    }

    /// Whether an entry has authority here, and why.
    pub fn authority(&mut self, name: &str) -> Result<Option<Authority>> {
        let stored = ops::find(&self.store, name)?;
        self.authority_of(&stored.entry)
    }

    /// Says of a norm that was just stated that it binds nobody yet.
    pub(crate) fn say_if_it_waits(&mut self, answer: &mut crate::AddAnswer) {
        let stated = ops::find(&self.store, &answer.id).ok().filter(|_| answer.outcome == "added");
        if stated.is_some_and(|stored| stored.entry.memory() == Memory::Procedural) {
            answer.reasons.push(format!(
                "it blocks nothing until an approver accepts it: ken promote {} --to procedural --reason '...'",
                answer.id
            ));
        }
    }

    /// Says of a norm that took another one's place that it binds nobody yet.
    pub(crate) fn say_if_successor_waits(&mut self, answer: &mut ops::change::ChangeAnswer) {
        let successor = ops::find(&self.store, &answer.id).ok().and_then(|old| old.entry.superseded_by);
        let successor = successor.and_then(|key| ken_engine::Ledger::stored(&self.store, key).ok().flatten());
        let Some(new) = successor.filter(|new| new.entry.memory() == Memory::Procedural) else { return };
        let authority = self.authority_of(&new.entry).ok().flatten();
        if authority.is_some_and(|authority| authority.state != promotion::Standing::InForce) {
            answer.reasons.push(format!(
                "{0} blocks nothing until an approver accepts it: ken promote {0} --to procedural --reason '...'",
                new.id
            ));
        }
    }

    pub(crate) fn authority_of(&self, entry: &Entry) -> Result<Option<Authority>> {
        let policy = self.config.policy();
        let found = promote::authorities(&self.store, [entry], &policy, &approvers::verify)?;
        let none = || Authority {
            state: promotion::Standing::None,
            promotion: None,
            by: None,
            solo: false,
            why: "a candidate: nobody has accepted it, so it blocks nothing".to_owned(),
        };
        let is_norm = entry.memory() == Memory::Procedural;
        let stands = entry.status.is_retrieved();
        let found = found.into_values().next().or_else(|| (is_norm && stands).then(none));
        Ok(found.map(|found| match is_norm && !stands {
            true => {
                let why = format!("it is {}, so it blocks nothing", entry.status);
                Authority { state: promotion::Standing::None, why, ..found }
            }
            false => found,
        }))
    }
}

/// Whether something has authority, in a sentence.
pub(crate) fn told(authority: &Authority) -> String {
    match authority.state {
        promotion::Standing::InForce => format!("it is in force: {}", authority.why),
        promotion::Standing::Void => format!("it is not in force: {}", authority.why),
        promotion::Standing::None => authority.why.clone(),
    }
}

type SayYes = fn(
    &mut dyn ken_engine::Recall,
    &dyn ken_engine::Repository,
    &str,
    &mut Yes<'_>,
    &ken_engine::way_in::WayIn<'_>,
    &ken_engine::Writer,
) -> Result<PromotionView>;

/// A signature that the key which is known here fits: with any other the approval would count for nothing.
fn signed(text: &str, key: Option<&str>, git: Option<&ken_store::git::Git>) -> Result<String> {
    let Some(key) = key else {
        return Err(Refusal::new(
            Code::NotAllowed,
            "approvals must be signed here, and config.toml knows no key of yours",
        )
        .hint("ken config approvers.NAME 'ssh-ed25519 ...', with your public key, by another approver")
        .into());
    };
    let signature = approvers::sign(text, git)?;
    match approvers::verify(key, text, &signature) {
        true => Ok(signature),
        false => Err(Error::Refused(
            Refusal::new(
                Code::NotAllowed,
                "the key you sign with is not the one that config.toml knows of you",
            )
            .hint(format!("{} names the key to sign with", approvers::KEY_VARIABLE)),
        )),
    }
}
