//! `note` and `friction record` in a few words: episodic records, no questions asked.

use ken_core::{Code, Refusal};
use serde_json::Value;

use super::add::AddAnswer;
use super::friction::{self, FrictionInput};
use super::signals::{self, SignalInput};
use crate::error::Result;
use crate::intake::Intake;
use crate::ledger::Ledger;
use crate::ports::{Repository, Writer};

/// Records an observation worth a line.
pub fn note(
    ledger: &mut Ledger,
    repository: &dyn Repository,
    text: &str,
    tags: &[String],
    intake: &Intake<'_>,
    writer: &Writer,
) -> Result<AddAnswer> {
    let said = SignalInput { tags: tags.to_vec(), ..SignalInput::default() };
    signals::note(ledger, repository, text, &said, intake, writer)
}

/// Records something in the way, with whatever context there is.
pub fn friction(
    ledger: &mut Ledger,
    repository: &dyn Repository,
    kind: &str,
    context: Value,
    intake: &Intake<'_>,
    writer: &Writer,
) -> Result<AddAnswer> {
    let Value::Object(context) = context else {
        return Err(Refusal::new(Code::Invalid, "the context must be a JSON object").field("context").into());
    };
    let input = FrictionInput { kind: kind.to_owned(), context, ..FrictionInput::default() };
    friction::record(ledger, repository, input, intake, writer)
}
