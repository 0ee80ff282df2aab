//! `add`: an entry is stated and goes through the whole intake.

use ken_core::Scope;
use ken_engine::intake::Intake;
use ken_engine::ops::add::{AddAnswer, AddInput};
use ken_engine::{Caller, Error, Ledger, Projection, Result, ops};

use crate::intake_rules::{rules, with_source};
use crate::{Adding, ModelsInUse, Site};

/// Adds an entry.
pub fn add(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    input: AddInput,
) -> Result<AddAnswer> {
    ledger.as_one_command(|ledger| add_one(ledger, site, models, caller, input))
}

pub(crate) fn add_one(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    input: AddInput,
) -> Result<AddAnswer> {
    let input = with_source(caller, input);
    let is_for_all =
        input.content.get("scope").and_then(|scope| scope.as_str()) == Some(Scope::Global.word());
    let mut answer = state_if(ledger, site, models, caller, input, crate::learn::said_again_check(caller))?;
    if is_for_all && !site.options.global && !answer.is_rejected() {
        answer.reasons.push(format!(
            "its scope is global, and it is in this project's store alone; `ken promote {} --to global` takes it to the global one, `ken --global add` states it there",
            answer.id
        ));
    }
    match site.pool().take_found() {
        0 => {}
        1 => answer.reasons.push(
            "two entries that were added at the same time may repeat or contradict each other; `ken queue` lists them"
                .to_owned(),
        ),
        pairs => answer.reasons.push(format!(
            "{pairs} pairs of entries that were added at the same time may repeat or contradict each other; `ken queue` lists them"
        )),
    }
    crate::learn::said_again(ledger, &site.config, caller, &mut answer)?;
    crate::overlay::say_if_hidden(ledger, &mut answer);
    crate::promote::say_if_it_waits(ledger, &site.config, &mut answer);
    Ok(answer)
}

/// Adds an entry, whoever stated the same before.
pub(crate) fn state(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    input: AddInput,
) -> Result<AddAnswer> {
    state_if(ledger, site, models, caller, input, |_, _| Ok(()))
}

pub(crate) fn state_if(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    input: AddInput,
    check: impl Fn(&dyn Projection, &AddAnswer) -> Result<()>,
) -> Result<AddAnswer> {
    let (writer, around, rules) = (
        crate::writer::writer(&site.config, caller),
        crate::repository::repository(site),
        self::rules(ledger, site, models, caller)?,
    );
    let adding = Adding::new(site.pool().clone());
    let intake =
        Intake { compares_later: adding.is_beside_others() && rules.embedder.is_some(), ..rules.intake() };
    let answer = ops::add::add_if(ledger, &around, input, &intake, &writer, check)?;
    drop(adding);
    crate::writer::finish(ledger, site, models, caller, answer)
}

/// What would become of an entry, and why; nothing is written.
pub fn would_add(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    input: AddInput,
) -> Result<AddAnswer> {
    let (writer, around, rules) = (
        crate::writer::writer(&site.config, caller),
        crate::repository::repository(site),
        self::rules(ledger, site, models, caller)?,
    );
    let context = ops::context(ledger, &writer)?;
    let intake = rules.intake();
    let mut decided = ops::add::decide_all(ledger, &around, vec![input], &intake, &context)?;
    decided.answers.remove(0).map_err(Error::Refused)
}

/// Adds entries: all of them or none.
pub fn add_all(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    inputs: Vec<AddInput>,
) -> Result<Vec<AddAnswer>> {
    let (writer, around, rules) = (
        crate::writer::writer(&site.config, caller),
        crate::repository::repository(site),
        self::rules(ledger, site, models, caller)?,
    );
    let answers = ops::add::add_all(ledger, &around, inputs, &rules.intake(), &writer)?;
    crate::writer::finish(ledger, site, models, caller, answers)
}
