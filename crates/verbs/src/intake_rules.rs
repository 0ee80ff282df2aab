//! What the intake goes by here.

use std::cell::RefCell;

use ken_engine::intake::{Intake, Names};
use ken_engine::ops::add::AddInput;
use ken_engine::{Caller, Ledger, Result, intake};
use ken_worktree::CodeGround;

use crate::{Config, ModelsInUse, Site};

/// What the intake goes by here.
pub(crate) fn rules(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
) -> Result<Rules> {
    let names = scope_names(&site.config);
    let ground = RefCell::new(crate::ground::bare_ground(ledger, site).at_leisure());
    let attendance = caller.attendance();
    let weights = crate::recall::weights(ledger, intake::ADMISSION)?;
    Ok(Rules {
        names,
        weights,
        embedder: crate::embedding::embedder(ledger, models).ok(),
        ground,
        attendance,
    })
}

/// Names the run that states an entry as its source, where there is one and nothing else is said.
pub(crate) fn with_source(caller: &Caller, mut input: AddInput) -> AddInput {
    if let Some(run) = caller.run()
        && !input.content.contains_key("source")
    {
        let mut source = serde_json::Map::from_iter([("run".to_owned(), run.into())]);
        source.extend(caller.agent().map(|agent| ("agent".to_owned(), agent.into())));
        input.content.insert("source".to_owned(), source.into());
    }
    input
}

/// The names that are not said beyond a project (IN-4), as the settings list them.
pub(crate) fn scope_names(config: &Config) -> Names {
    let listed = |key: &str| -> Vec<String> {
        let value = config.get(key).unwrap_or_default();
        // Some write a list with brackets and quotes, and mean the names in it.
        let bare =
            |name: &str| name.trim_matches(|c: char| c.is_whitespace() || "[]\"'".contains(c)).to_owned();
        value.split([',', ';', '\n']).map(bare).filter(|name| !name.is_empty()).collect()
    };
    Names {
        organisations: listed("guard.organisations"),
        customers: listed("guard.customers"),
        hosts: listed("guard.hosts"),
    }
}

/// What the intake goes by, owned.
pub(crate) struct Rules {
    pub(crate) names: Names,
    pub(crate) weights: ken_core::admission::Weights,
    pub(crate) embedder: Option<std::sync::Arc<dyn ken_engine::Embedder>>,
    pub(crate) ground: RefCell<CodeGround>,
    pub(crate) attendance: ken_engine::Attendance,
}

impl Rules {
    pub(crate) fn intake(&self) -> Intake<'_> {
        Intake {
            names: &self.names,
            weights: self.weights.clone(),
            embedder: self.embedder.as_deref(),
            compares_later: false,
            ground: Some(&self.ground),
            attendance: self.attendance,
        }
    }

    /// The same where many come at once: whether they are said already is found out when their vectors are made.
    pub(crate) fn for_many(&self) -> Intake<'_> {
        Intake { embedder: None, ..self.intake() }
    }
}
