//! The one gate into a ledger: only what holds no secret becomes events (IN-2).

use ken_core::entry::rekey;
use ken_core::{Body, Code, Intent, Refusal};

use crate::cores::each;
use crate::error::{Error, Result};
use crate::intake::{redact_all, without_secrets};
use crate::ports::Writer;

/// What is to be said, and by whom, without the values of secrets.
///
/// [`seal`](crate::log::seal) makes events of nothing else, and a log appends no others: whoever writes comes through here. Every
/// string counts, those of names, keys of objects and the actor included.
#[derive(Clone, Debug)]
pub struct Redacted {
    intents: Vec<Intent>,
    writer: Writer,
}

impl Redacted {
    /// Takes the values of secrets out. Refuses what is nothing without them, such as an id or the name of a file.
    pub fn new(mut intents: Vec<Intent>, writer: &Writer) -> Result<Redacted> {
        each(&mut intents, redact).into_iter().collect::<Result<()>>()?;
        // A statement without its secret is another statement.
        rekey(&mut intents);
        let mut writer = writer.clone();
        writer.actor = without_secrets(&writer.actor).unwrap_or(writer.actor);
        Ok(Redacted { intents, writer })
    }

    /// What is to be said.
    pub fn intents(&self) -> &[Intent] {
        &self.intents
    }

    /// On whose behalf.
    pub fn writer(&self) -> &Writer {
        &self.writer
    }
}

fn redact(intent: &mut Intent) -> Result<()> {
    let mut data = intent.body.data();
    if !redact_all("", &mut data) {
        return Ok(());
    }
    let name = intent.body.type_name();
    // What is read back may differ from what was redacted.
    let body = Body::from_data(name, &data).filter(|body| !redact_all("", &mut body.data()));
    intent.body = body.ok_or_else(|| refused(name))?;
    Ok(())
}

fn refused(what: &str) -> Error {
    Refusal::new(
        Code::Rejected,
        format!("{what} holds a secret that cannot be taken out; nothing was written"),
    )
    .hint("reword it; `ken scan` shows what was found and why")
    .into()
}
