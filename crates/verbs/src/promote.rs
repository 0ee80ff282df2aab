//! How knowledge gains authority (GAT-2): proposing, and a person's answer.

use ken_core::answer::PromotionState;
use ken_core::decide::Outcome;
use ken_core::promotion::{self, Authority, Policy};
use ken_core::{Code, Entry, Memory, Refusal};
use ken_engine::ops::promote::{self, PromotionView, ProposeInput, Yes};
use ken_engine::{Caller, Error, Ledger, Result, ops};

use serde::Serialize;

use crate::{Config, ModelsInUse, Site, approvers};

/// What a promotion would do.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PromotionPlan {
    /// Nothing was written.
    pub dry_run: bool,
    /// The entry that would be promoted.
    pub id: String,
    /// Where it would go.
    pub to: String,
    /// What would be done, a sentence each.
    pub steps: Vec<String>,
}

/// Whether somebody approves, or only looks at what they would approve.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answering {
    Look,
    Approve,
}

/// Who may approve here.
pub fn who_approves(config: &Config) -> Policy {
    config.policy()
}

/// Asks that something gains authority.
pub fn propose(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    input: ProposeInput,
) -> Result<PromotionView> {
    ledger.may_write()?;
    let (writer, around, rules) = (
        crate::writer::writer(&site.config, caller),
        crate::repository::repository(site),
        crate::intake_rules::rules(ledger, site, models, caller)?,
    );
    refuse_in_force(ledger, &site.config, &input)?;
    let mut answer = promote::propose(ledger, &around, input, &rules.intake(), &writer)?;
    if answer.state == PromotionState::Open {
        let entry = match &answer.entry {
            Some(id) => ops::find_any(&**ledger, id)?,
            None => None,
        };
        if let Some(stored) = entry {
            answer.notes.extend(contradiction_told(ledger, &site.config, &stored.entry));
        }
        answer.notes.push(who_can_answer(&site.config, &answer.id));
    }
    crate::writer::finish(ledger, site, models, caller, answer)
}

/// What [`propose`] would do.
pub fn plan_proposal(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    input: ProposeInput,
) -> Result<PromotionPlan> {
    let (writer, around, rules) = (
        crate::writer::writer(&site.config, caller),
        crate::repository::repository(site),
        crate::intake_rules::rules(ledger, site, models, caller)?,
    );
    refuse_in_force(ledger, &site.config, &input)?;
    let ids: Result<Vec<String>> =
        input.sources.iter().map(|name| Ok(ops::find(&**ledger, name)?.id)).collect();
    let (id, to) = (ids?.join(", "), input.to.clone());
    let steps = promote::plan(ledger, &around, input, &rules.intake(), &writer)?;
    Ok(PromotionPlan { dry_run: true, id, to, steps })
}

/// What to do with a proposal, and who can.
pub fn who_can_answer(config: &Config, id: &str) -> String {
    let policy = who_approves(config);
    match policy.names() {
        names if names.is_empty() => {
            "there are no approvers yet; a person adds one: ken config approvers.NAME yes".to_owned()
        }
        names => format!("{names} can answer in a terminal: ken promote approve {id}"),
    }
}

/// Proposals: those that wait, or all of them.
pub fn promotions(ledger: &Ledger, all: bool) -> Result<Vec<PromotionView>> {
    promote::list(&**ledger, all)
}

/// One proposal, whole.
pub fn promotion(ledger: &Ledger, name: &str) -> Result<PromotionView> {
    promote::show(&**ledger, name)
}

/// Refuses what only an approver may do, with what to do instead.
pub fn approver(config: &Config, caller: &Caller, what: &str) -> Result<()> {
    let policy = who_approves(config);
    let names = policy.names();
    if !caller.is_human() {
        let hint = match names.is_empty() {
            true => "a person adds approvers in their own terminal: ken config approvers.NAME yes".to_owned(),
            false => format!("ask {names} to run it in their own terminal"),
        };
        let message = format!("{what} requires a person, and you are {}", caller.who());
        return Err(Refusal::new(Code::NotAllowed, message).hint(hint).into());
    }
    let actor = caller.actor().to_owned();
    if policy.approver(&actor).is_none() {
        let who = promotion::name_of(&actor);
        let (message, hint) = match names.is_empty() {
            true => (
                format!("{what} requires an approver, and there are none"),
                format!("add one and commit it: ken config 'approvers.{who}' yes"),
            ),
            false => {
                (format!("{what} requires an approver; {who} is not one"), format!("approvers: {names}"))
            }
        };
        return Err(Refusal::new(Code::NotAllowed, message).hint(hint).into());
    }
    Ok(())
}

/// What a person is about to say yes to; or why they cannot.
pub fn approvable(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    name: &str,
) -> Result<PromotionView> {
    answer(ledger, site, models, caller, name, None, Answering::Look, promote::approvable)
}

/// A person approves what they were shown.
pub fn approve_promotion(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    shown: &PromotionView,
) -> Result<PromotionView> {
    let answer = self::answer(
        ledger,
        site,
        models,
        caller,
        &shown.id,
        shown.words.clone(),
        Answering::Approve,
        promote::approve,
    )?;
    crate::writer::finish(ledger, site, models, caller, answer)
}

/// An approver accepts the norm that they have just stated.
pub fn accept_stated(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    name: &str,
) -> Result<PromotionView> {
    let answer =
        self::answer(ledger, site, models, caller, name, None, Answering::Approve, promote::accept_stated)?;
    crate::writer::finish(ledger, site, models, caller, answer)
}

fn answer(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    name: &str,
    shown: Option<String>,
    answering: Answering,
    say: SayYes,
) -> Result<PromotionView> {
    ledger.may_write()?;
    self::approver(&site.config, caller, "approving a promotion")?;
    let (writer, around, rules) = (
        crate::writer::writer(&site.config, caller),
        crate::repository::repository(site),
        crate::intake_rules::rules(ledger, site, models, caller)?,
    );
    let policy = who_approves(&site.config);
    let git = site.layout.git.clone();
    let key = policy.approver(&writer.actor).and_then(|approver| approver.key.clone());
    // Whoever only looks signs nothing.
    let (channel, signs) = match (answering, caller.person()) {
        (Answering::Look, _) => ("", false),
        (Answering::Approve, Some(person)) => (person.confirmed().as_str(), policy.signed),
        (Answering::Approve, None) => {
            caller.require_person("approving a promotion")?;
            ("", false)
        }
    };
    let mut sign = |text: &str| match signs {
        false => Ok(None),
        true => signed(text, key.as_deref(), git.as_ref()).map(Some),
    };
    let mut yes = Yes { policy: &policy, channel, sign: &mut sign, verify: &approvers::verify, shown };
    say(ledger, &around, name, &mut yes, &rules.intake(), &writer)
}

/// A signature of whoever acts, by the key that is known of them.
pub(crate) fn signed_by_caller(site: &Site, caller: &Caller, text: &str) -> Result<String> {
    let actor = caller.actor().to_owned();
    let key = who_approves(&site.config).approver(&actor).and_then(|approver| approver.key.clone());
    signed(text, key.as_deref(), site.layout.git.as_ref())
}

/// A person says no.
pub fn reject_promotion(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    name: &str,
    reason: &str,
) -> Result<PromotionView> {
    ledger.may_write()?;
    approver(&site.config, caller, "rejecting a promotion")?;
    caller.require_person("rejecting a promotion")?;
    let writer = crate::writer::writer(&site.config, caller);
    let answer = promote::reject(ledger, name, reason.to_owned(), &writer)?;
    crate::writer::finish(ledger, site, models, caller, answer)
}

/// Whether an entry has authority here, and why.
pub fn authority(ledger: &Ledger, config: &Config, name: &str) -> Result<Option<Authority>> {
    let stored = ops::find(&**ledger, name)?;
    authority_of(ledger, config, &stored.entry)
}

/// The norm that took another one's place and binds nobody yet.
pub fn waiting_successor(ledger: &Ledger, config: &Config, old: &str) -> Result<Option<String>> {
    // An entry of the global store is no norm of this project.
    let Some(old) = ops::find_any(&**ledger, old)? else { return Ok(None) };
    let Some(key) = old.entry.superseded_by else { return Ok(None) };
    let Some(new) = ledger.stored(key)? else { return Ok(None) };
    let waits =
        authority_of(ledger, config, &new.entry)?.filter(|one| one.state != promotion::Standing::InForce);
    Ok(waits.filter(|_| new.entry.memory() == Memory::Procedural).map(|_| new.id))
}

/// Says of a norm that took another one's place that it binds nobody yet.
pub(crate) fn say_if_successor_waits(
    ledger: &Ledger,
    config: &Config,
    answer: &mut ops::change::ChangeAnswer,
) {
    if let Ok(Some(new)) = waiting_successor(ledger, config, &answer.id) {
        answer.reasons.push(format!(
            "{new} blocks nothing until an approver accepts it: ken promote {new} --to procedural --reason '...'"
        ));
    }
}

/// What counts already need not be asked for.
fn refuse_in_force(store: &Ledger, config: &Config, input: &ProposeInput) -> Result<()> {
    let ([name], true) = (input.sources.as_slice(), input.content.is_empty() && input.kind.is_none()) else {
        return Ok(());
    };
    let Some(stored) = ops::find_any(&**store, name)? else { return Ok(()) };
    let is_norm = stored.entry.memory() == Memory::Procedural;
    match authority_of(store, config, &stored.entry)?.filter(|_| is_norm) {
        Some(authority) if authority.state == promotion::Standing::InForce => {
            let message = format!("{} is already in force: {}", stored.id, authority.why);
            Err(Refusal::new(Code::NotAllowed, message).hint(format!("ken show {}", stored.id)).into())
        }
        _ => Ok(()),
    }
}

/// The norm in force that an entry contradicts, in a sentence.
fn contradiction_told(store: &Ledger, config: &Config, entry: &Entry) -> Option<String> {
    let policy = config.policy();
    match promote::contradicts(&**store, entry, &policy, &approvers::verify) {
        Ok(found) => found.map(|(id, why)| {
            format!("it contradicts {id}, which is in force, so it cannot be approved: {why}")
        }),
        Err(error) => Some(format!("could not check whether it contradicts a norm in force: {error}")),
    }
}

/// Says of a norm that was just stated that it binds nobody yet.
pub(crate) fn say_if_it_waits(store: &Ledger, config: &Config, answer: &mut crate::AddAnswer) {
    if answer.outcome == Outcome::Added {
        answer.reasons.extend(what_a_norm_waits_for(store, config, &answer.id));
    }
}

/// What has to happen before a norm binds anybody; nothing of what is none.
pub(crate) fn what_a_norm_waits_for(store: &Ledger, config: &Config, name: &str) -> Vec<String> {
    let stated = ops::find(&**store, name).ok().map(|stored| (stored.id.clone(), stored.entry));
    let Some((id, entry)) = stated.filter(|(_, entry)| entry.memory() == Memory::Procedural) else {
        return Vec::new();
    };
    let mut told = vec![format!(
        "it blocks nothing until an approver accepts it: ken promote {id} --to procedural --reason '...'"
    )];
    told.extend(contradiction_told(store, config, &entry));
    told
}

pub(crate) fn authority_of(store: &Ledger, config: &Config, entry: &Entry) -> Result<Option<Authority>> {
    let policy = config.policy();
    let found = promote::authorities(&**store, [entry], &policy, &approvers::verify)?;
    let none = || Authority {
        state: promotion::Standing::None,
        promotion: None,
        by: None,
        solo: false,
        why: "a candidate: not approved yet, so it blocks nothing".to_owned(),
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

/// Whether something has authority, in a sentence.
pub(crate) fn told(authority: &Authority) -> String {
    match authority.state {
        promotion::Standing::InForce => format!("it is in force: {}", authority.why),
        promotion::Standing::Void => format!("it is not in force: {}", authority.why),
        promotion::Standing::None => authority.why.clone(),
    }
}

type SayYes = fn(
    &mut ken_engine::Ledger,
    &dyn ken_engine::Repository,
    &str,
    &mut Yes<'_>,
    &ken_engine::intake::Intake<'_>,
    &ken_engine::Writer,
) -> Result<PromotionView>;

/// A signature that the key which is known here fits: with any other the approval would count for nothing.
fn signed(text: &str, key: Option<&str>, git: Option<&ken_worktree::git::Git>) -> Result<String> {
    let Some(key) = key else {
        return Err(Refusal::new(
            Code::NotAllowed,
            "approvals must be signed in this project, and config.toml has no key for you",
        )
        .hint("another approver runs ken config approvers.NAME 'ssh-ed25519 ...' with your public key")
        .into());
    };
    let signature = approvers::sign(text, git)?;
    match approvers::verify(key, text, &signature) {
        true => Ok(signature),
        false => Err(Error::Refused(
            Refusal::new(Code::NotAllowed, "your signing key differs from the key in config.toml")
                .hint(format!("set {} to the key to sign with", approvers::KEY_VARIABLE)),
        )),
    }
}
