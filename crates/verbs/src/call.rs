//! One call of a verb: who makes it, on which store, in which run.

use crate::request::Request;
use ken_engine::{Caller, Person, Result};

use crate::{Adapters, Options, Reach, SetUp, Workspace};

/// One call: who makes it, and the store it is made on, opened when it is first needed.
pub struct Call {
    adapters: &'static dyn Adapters,
    options: Options,
    caller: Caller,
    open: Option<Reach>,
}

impl Call {
    /// A call on the store that some options mean.
    pub fn new(adapters: &'static dyn Adapters, options: Options, caller: Caller) -> Call {
        Call { adapters, options, caller, open: None }
    }

    /// A call on a store that is open.
    pub fn on(ken: Reach) -> Call {
        let (adapters, options, caller) =
            (ken.site.workspace.adapters(), ken.site.options.clone(), ken.caller.clone());
        Call { adapters, options, caller, open: Some(ken) }
    }

    pub fn reach(&mut self) -> Result<&mut Reach> {
        if self.open.is_none() {
            let ken = Reach::open(self.adapters, self.options.clone(), self.caller.clone())?;
            self.open = Some(ken);
        }
        Ok(self.open.as_mut().expect("it was opened above"))
    }

    /// The store opened again, for what changed the files under it. What it wanted to say is still said.
    pub(crate) fn reopen(&mut self) -> Result<&mut Reach> {
        let notices = self.open.take().map(|mut ken| ken.ledger.take_notices()).unwrap_or_default();
        let ken = self.reach()?;
        notices.into_iter().for_each(|notice| ken.ledger.notice(notice));
        Ok(ken)
    }

    /// The same call, confirmed by a person.
    pub fn confirmed_by(self, person: Person) -> Call {
        let caller = self.caller.confirmed_by(person.clone());
        Call { caller, open: self.open.map(|ken| ken.confirmed_by(person)), ..self }
    }

    /// The store, for a call that begins a run: it belongs to that one, under the name that is given, and not to the run around it.
    pub fn begin_run(&mut self, run: Option<String>) -> Result<&mut Reach> {
        let agent = self.caller.agent().map(str::to_owned);
        self.reach()?;
        self.caller = self.caller.clone().in_run(run, agent)?;
        let caller = self.caller.clone();
        let ken = self.reach()?;
        ken.caller = caller;
        Ok(ken)
    }

    /// The store, which is made first where there is none: verbs that ask no questions write on first use.
    pub fn reach_or_make(&mut self) -> Result<&mut Reach> {
        if !self.has_store() {
            Workspace::init(self.adapters, &self.options, SetUp::default())?;
        }
        self.reach()
    }

    /// Whether there is a store: one that is open, or one that the options mean.
    pub fn has_store(&self) -> bool {
        self.open.is_some() || self.adapters.find(&self.options).is_some()
    }

    /// The store, where it was opened.
    pub fn opened(&mut self) -> Option<&mut Reach> {
        self.open.as_mut()
    }

    /// The store, where it was opened.
    pub fn into_reach(self) -> Option<Reach> {
        self.open
    }

    /// What opens stores.
    pub fn adapters(&self) -> &'static dyn Adapters {
        self.adapters
    }

    /// Which store is meant.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Who makes the call.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }
}

/// In which run something happens, and who of it acts.
#[derive(Clone, Debug, Default, Request)]
pub struct InRun {
    /// Run this call belongs to (default: KEN_RUN)
    #[field(long, value_name = "RUN", heading = "Run")]
    pub run: Option<String>,
    /// Name of the agent in that run (default: KEN_AGENT)
    #[field(long, value_name = "NAME", heading = "Run")]
    pub agent: Option<String>,
}

/// Makes a call, once the run that it belongs to is known.
pub type Open<'a> = dyn FnMut(Option<&InRun>) -> Result<Call> + 'a;
