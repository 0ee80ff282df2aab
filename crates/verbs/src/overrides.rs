//! `override`: a person lets what a norm holds back happen once.

use std::fs;
use std::path::{Path, PathBuf};

use ken_core::{Code, Millis, Refusal};
use ken_engine::ops::signals::SignalInput;
use ken_engine::{Error, Result, ops, view};
use serde::Serialize;

use crate::Kenning;
use crate::gate::in_force;
use crate::limits::overrides::LIFTED_MINUTES;
use crate::session::norms::bound;

/// The folder of this clone in which it is noted which norms are lifted.
const FOLDER: &str = "overrides";

/// What `override` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OverrideAnswer {
    pub id: String,
    /// Its short citation.
    pub handle: String,
    /// Until when the next action may happen.
    pub until: String,
    /// The record of it.
    pub recorded: String,
    /// Whether it counts against the norm.
    pub counts_against: bool,
}

impl Kenning {
    /// Lets the next action happen that a norm would hold back. It is recorded, and where the norm was wrong it costs it belief.
    pub fn override_norm(&mut self, name: &str, reason: &str, wrong: bool) -> Result<OverrideAnswer> {
        self.store.may_write()?;
        let stored = ops::find(&*self.store, name)?;
        let policy = self.config.policy();
        let norms = in_force(&*self.store, &policy)?;
        let binds = norms
            .iter()
            .any(|(entry, _)| entry.key == stored.entry.key && bound(entry, String::new()).is_some());
        if !binds {
            let message = format!("{} is not a norm in force that blocks actions", stored.id);
            return Err(Refusal::new(Code::NotAllowed, message)
                .hint("`ken gate` lists the norms in force; those with enforcement `actions`, `paths`, `commit_message` or `conventional_commits` block actions")
                .field("id")
                .into());
        }
        self.person(&format!("overriding {}", stored.id))?;
        let until = Millis(self.now().0 + LIFTED_MINUTES * 60_000);
        let said = match reason.trim() {
            "" => format!("The norm {} was overridden once.", stored.id),
            reason => format!("The norm {} was overridden once: {reason}", stored.id),
        };
        let input = SignalInput { tags: vec!["override".to_owned()], ..SignalInput::default() };
        let recorded = self.note_signal(&said, &input)?;
        if wrong {
            self.feedback(&stored.id, false, &format!("it held back what was right. {reason}"))?;
        }
        lift(&self.layout.clone_home(), &stored.entry.key.to_string(), until)
            .map_err(Error::failed("recording the override"))?;
        Ok(OverrideAnswer {
            handle: view::handle(&stored),
            id: stored.id,
            until: until.to_string(),
            recorded: recorded.id,
            counts_against: wrong,
        })
    }
}

fn file(home: &Path, key: &str) -> PathBuf {
    home.join(FOLDER).join(key)
}

fn lift(home: &Path, key: &str, until: Millis) -> std::io::Result<()> {
    fs::create_dir_all(home.join(FOLDER))?;
    fs::write(file(home, key), until.0.to_string())
}

/// Whether a norm is lifted now. It is used up by that.
pub(crate) fn used_up(home: &Path, key: &str, now: Millis) -> bool {
    let file = file(home, key);
    let until = fs::read_to_string(&file).ok().and_then(|text| text.trim().parse::<i64>().ok());
    // Two actions at once: the one that takes the note away is the one it was written for.
    let is_own = until.is_some() && fs::remove_file(&file).is_ok();
    is_own && until.is_some_and(|until| now.0 <= until)
}
