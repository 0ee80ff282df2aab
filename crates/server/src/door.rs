//! The store behind the door: opened when it is first needed, kept open, and asked by one caller at a time.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use ken_hosts::hook::Host;
use kenning::access::{self, Access};
use kenning::core::{Code, EntryKey, Refusal};
use kenning::deliveries::{self, Delivered, Delivery};
use kenning::verb::{Call, Effect, InRun, Prepared, Row};
use kenning::{
    Caller, Channel, CloneState, Error, Identity, Options, Origin, Part, Person, Reach, Result, SetUp,
    Version, Workspace,
};

use rmcp::model::JsonObject;

use crate::shared::{Deed, SharedStore};
use crate::tool::{Answer, Profile};
use crate::verb;

/// How a server is started.
#[derive(Clone)]
pub struct Settings {
    /// Which store.
    pub options: Options,
    /// A workspace that is open already; else the options say which one is opened.
    pub workspace: Option<Workspace>,
    /// What is asked of a store that several servers share; none where this server's is its own.
    pub shared: Option<Arc<dyn SharedStore>>,
    /// What the environment says about who calls: an agent, at most.
    pub identity: Identity,
    /// Which tools are listed.
    pub profile: Profile,
    /// The agent host that starts it, where somebody says so.
    pub host: Option<String>,
    /// The host's conversation, where it says so: what is read belongs to its run.
    pub session: Option<String>,
}

impl Settings {
    /// Writes a call down, where there is an audit log.
    pub(crate) fn record(&self, deed: impl FnOnce() -> Deed) {
        if let Some(shared) = &self.shared {
            shared.record(&deed());
        }
    }

    /// The small state of the clone; none where there is no store.
    pub(crate) fn state(&self) -> Option<Arc<dyn CloneState>> {
        match &self.workspace {
            Some(workspace) => Some(workspace.state()),
            None => kenning::state(&self.options),
        }
    }
}

/// An entry with how it stands.
pub(crate) type Standing = (EntryKey, Version);

/// What a request says about who makes it. [`ServedStore::caller`] makes the caller of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asker {
    /// What the client calls itself.
    pub client: Option<String>,
    /// The run it says it is in.
    pub run: Option<String>,
    /// Its name in that run.
    pub agent: Option<String>,
    /// It came over HTTP, where any program of this machine may call itself anything.
    pub over_http: bool,
    /// The name of the token that it came with.
    pub token: Option<String>,
    /// The person who confirmed this very request.
    pub person: Option<Person>,
    /// What the audit log is told of it, where it is told anything.
    pub deed: Option<Deed>,
}

/// The workspace that a server works on: opened when it is first needed, and shared by all calls.
pub(crate) struct ServedStore {
    pub(crate) settings: Settings,
    open: Mutex<Option<Opened>>,
}

#[derive(Clone)]
struct Opened {
    workspace: Workspace,
    is_global: bool,
}

/// The verbs for one request.
pub(crate) struct CallScope<'a> {
    /// The verbs.
    pub(crate) ken: &'a mut Reach,
    /// The global store answers, since there is none here.
    pub(crate) is_global: bool,
}

/// Verbs by which entries are pulled: they wait for nobody who records.
const PULLED: [&str; 3] = ["show", "list", "search"];
/// What a client is called that gives no name.
const UNNAMED: &str = "mcp";
/// What is said where there is no store.
const NO_STORE_HINT: &str = "run `ken init` in the project, or call the tool `init`";

impl ServedStore {
    pub(crate) fn new(settings: Settings) -> Arc<ServedStore> {
        Arc::new(ServedStore { settings, open: Mutex::new(None) })
    }

    /// The host that a call comes from: as the server was told, else as the client calls itself.
    pub(crate) fn host(&self, asker: &Asker) -> String {
        let named = self.settings.host.clone().or_else(|| asker.client.as_deref().map(host_of));
        named.filter(|name| !name.is_empty()).unwrap_or_else(|| UNNAMED.to_owned())
    }

    /// What the agent of a host goes by, through hooks and here alike.
    pub(crate) fn agent(&self, asker: &Asker) -> String {
        let host = self.host(asker);
        Host::from_word(&host).map_or(host, |known| known.agent().to_owned())
    }

    /// What a client is credited as. What it calls itself is its own word: the names of tokens, and of sessions in the browser, are not for it.
    fn actor(&self, asker: &Asker) -> String {
        let agent = self.agent(asker);
        if !asker.over_http {
            return format!("agent:{agent}");
        }
        let access = self.settings.state().map(Access::of);
        let listed = access.and_then(|access| access.list(self.settings.identity.time()).ok());
        let is_other = |name: &str| name == agent && asker.token.as_deref() != Some(name);
        let is_token = listed.into_iter().flatten().any(|token| is_other(&token.name));
        // A client that gives no name is called so.
        let is_reserved = agent != UNNAMED && access::RESERVED.contains(&agent.as_str());
        match is_token || is_reserved {
            true => format!("agent:mcp-{agent}"),
            false => format!("agent:{agent}"),
        }
    }

    /// Who makes a call: a client is an agent, and no variable makes a person of it.
    pub(crate) fn caller(&self, asker: &Asker) -> Result<Caller> {
        let identity = &self.settings.identity;
        let named = identity.actor.as_ref().filter(|actor| actor.starts_with("agent:"));
        let actor = named.cloned().unwrap_or_else(|| self.actor(asker));
        let run = asker.run.clone().or_else(|| identity.run.clone()).or_else(|| {
            let session = self.settings.session.as_deref()?;
            Some(kenning::session_run(&self.host(asker), session))
        });
        let own = asker.agent.clone().or_else(|| identity.agent.clone());
        let agent = own.or_else(|| run.as_ref().map(|_| self.agent(asker)));
        let origin = Origin { host: Some(self.host(asker)), token: asker.token.clone(), ..Origin::default() };
        let caller =
            Caller::new(actor, identity.time(), Channel::Mcp).from_origin(origin).in_run(run, agent)?;
        Ok(match &asker.person {
            Some(person) => caller.confirmed_by(person.clone()),
            None => caller,
        })
    }

    /// Works on the project's store, or on the global one where there is none here and that is enough.
    pub(crate) fn ask<T>(
        &self,
        asker: &Asker,
        reads: bool,
        work: impl Fn(&mut CallScope<'_>) -> Result<T>,
    ) -> Result<T> {
        let caller = self.caller(asker)?;
        for attempt in 0..2 {
            let Opened { workspace, is_global } = self.opened(reads)?;
            if is_global && !reads {
                return Err(no_store().into());
            }
            let answer = workspace.call(&caller, |ken| {
                if self.settings.session.is_some() && asker.run.is_none() && !is_global {
                    kenning::session::join_session(&mut ken.ledger, &ken.site, &ken.caller)?;
                }
                work(&mut CallScope { ken, is_global })
            });
            match answer {
                Err(Error::Damaged(Part::Index, _)) if attempt == 0 && reads && self.is_own() => {
                    self.open_anew();
                }
                answer => return answer,
            }
        }
        Err(Error::damaged(Part::Index, "asking the store")("its index is still damaged after a rebuild"))
    }

    /// Runs a verb of the table in this process, for a client of MCP.
    pub(crate) fn run(&self, row: &'static Row, asker: &Asker, given: JsonObject) -> Result<verb::Outcome> {
        let ready = row.read(given)?;
        let join = |ken: &mut Reach, caller: &Caller| match self.settings.session.is_some()
            && caller.run().is_none()
        {
            true => kenning::session::join_session(&mut ken.ledger, &ken.site, &ken.caller),
            false => Ok(()),
        };
        self.run_for(row, &*ready, &join, &|in_run| {
            let mut asker = asker.clone();
            if let Some(named) = in_run {
                (asker.run, asker.agent) = (named.run.clone(), named.agent.clone());
            }
            self.caller(&asker)
        })
    }

    /// Runs a request of a verb for a caller, who is made once the run that it names is known.
    pub(crate) fn run_for(
        &self,
        row: &Row,
        ready: &dyn Prepared,
        join: &dyn Fn(&mut Reach, &Caller) -> Result<()>,
        caller: &dyn Fn(Option<&InRun>) -> Result<Caller>,
    ) -> Result<verb::Outcome> {
        let reads = row.nature.effect == Effect::Reads;
        for attempt in 0..2 {
            let mut workspace = None;
            let mut open = |in_run: Option<&InRun>| {
                let caller = caller(in_run)?;
                let Ok(opened) = self.opened(reads) else {
                    // Some verbs need no store; the others say that there is none.
                    return Ok(Call::new(&kenning::Product, self.settings.options.clone(), caller));
                };
                // The global store answers for want of one here; nothing is written to it unasked.
                if opened.is_global && !reads {
                    return Err(no_store().into());
                }
                let mut ken = match PULLED.contains(&row.name) {
                    true => opened.workspace.reading_for(caller.clone())?,
                    false => opened.workspace.on_behalf_of(caller.clone())?,
                };
                if !opened.is_global {
                    join(&mut ken, &caller)?;
                }
                workspace = Some(opened.workspace);
                Ok(Call::on(ken))
            };
            match ready.run(&mut open) {
                Err(Error::Damaged(Part::Index, _)) if attempt == 0 && reads && self.is_own() => {
                    self.open_anew();
                }
                Err(error) => return Err(error),
                Ok(done) => {
                    if let (Some(workspace), Some(ken)) = (workspace, done.call.into_reach()) {
                        workspace.take_back(ken);
                    }
                    return Ok(verb::Outcome {
                        answer: done.answer,
                        finds: done.finds,
                        rejects: done.rejects,
                    });
                }
            }
        }
        Err(Error::damaged(Part::Index, "asking the store")("its index is still damaged after a rebuild"))
    }

    /// How an entry of the project stands.
    pub(crate) fn standing_of(&self, caller: Caller, id: &str) -> Result<Option<Standing>> {
        let opened = self.opened(true)?;
        let ken = opened.workspace.reading_for(caller)?;
        let standing = kenning::show::standing_of(&ken.ledger, id);
        opened.workspace.take_back(ken);
        standing
    }

    /// The workspace of the project, which may come into being or go while the server runs.
    fn opened(&self, reads: bool) -> Result<Opened> {
        if let Some(workspace) = &self.settings.workspace {
            return Ok(Opened { workspace: workspace.clone(), is_global: false });
        }
        let here = self.settings.options.find();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(opened) = open.as_ref().filter(|opened| opened.is_global == here.is_none()) {
            return Ok(opened.clone());
        }
        let is_global = here.is_none();
        let options = Options { global: is_global, ..self.settings.options.clone() };
        if is_global && (!reads || options.find().is_none()) {
            return Err(no_store().into());
        }
        let opened = Opened { workspace: kenning::open_with(options)?, is_global };
        *open = Some(opened.clone());
        Ok(opened)
    }

    /// Whether the store was opened here, and can be opened again.
    fn is_own(&self) -> bool {
        self.settings.workspace.is_none()
    }

    /// Has the store opened again, with an index that is made anew.
    fn open_anew(&self) {
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = None;
        kenning::discard_index(&self.settings.options);
    }

    /// Starts the services that are due and allowed, in a process of their own (UPK-8).
    pub(crate) fn maintain(&self) {
        if self.is_own() && !kenning::may_maintain(&self.settings.options) {
            return;
        }
        let caller = Caller::new(kenning::MAINTAINER, self.settings.identity.time(), Channel::Mcp);
        if let Ok(Opened { workspace, is_global: false }) = self.opened(false) {
            let _ = workspace.call(&caller, |ken| {
                kenning::maintain::maintain_in_background(&ken.ledger, &ken.site, &ken.caller);
                Ok(())
            });
        }
    }

    /// Makes a store here.
    pub(crate) fn init(&self) -> Result<Answer> {
        let report = match &self.settings.workspace {
            Some(workspace) => workspace.set_up(SetUp::default())?,
            None => kenning::init_with(&self.settings.options, SetUp::default())?,
        };
        let text = if report.changed {
            "The store was created; `remember` writes to it."
        } else {
            "The store already exists; nothing was changed."
        };
        Answer::new(text.to_owned(), &report)
    }

    /// The tokens of what was handed over; nothing is counted where there is no store.
    pub(crate) fn tokens(&self, asker: &Asker, text: &str) -> u64 {
        let count =
            self.ask(asker, true, |room| Ok(kenning::recall::tokens_of(&room.ken.models, text) as u64));
        count.unwrap_or(0)
    }

    /// Counts a call in the tally of the clone.
    pub(crate) fn count(&self, asker: &Asker, tool: &str, began: Instant, outcome: Outcome) {
        let Some(state) = self.settings.state() else { return };
        if self.settings.options.read_only {
            return;
        }
        let delivery = Delivery {
            at: self.settings.identity.time().0,
            door: "mcp".to_owned(),
            host: self.host(asker),
            what: tool.to_owned(),
            how: outcome.how,
            tokens: outcome.tokens,
            entries: outcome.entries,
            millis: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        };
        deliveries::count(&*state, &delivery);
    }
}

/// What is counted of a call.
pub(crate) struct Outcome {
    pub(crate) how: Delivered,
    pub(crate) tokens: u64,
    pub(crate) entries: Vec<String>,
}

/// There is no store, and what to do about it.
pub(crate) fn no_store() -> Refusal {
    Refusal::new(Code::NoStore, "there is no knowledge store in this project yet").hint(NO_STORE_HINT)
}

/// What clients call themselves, and the host that each is.
const CLIENTS: &[(&str, &str)] = &[
    ("claude-code", "claude-code"),
    ("claude-ai", "claude-desktop"),
    ("codex", "codex"),
    ("cursor", "cursor"),
    ("gemini", "gemini"),
    ("visual studio code", "vscode"),
    ("vscode", "vscode"),
    ("windsurf", "windsurf"),
    ("zed", "zed"),
    ("opencode", "opencode"),
];

/// The host of a client, or the client's own name as a word.
fn host_of(client: &str) -> String {
    let name = client.to_lowercase();
    match CLIENTS.iter().find(|(begins, _)| name.starts_with(begins)) {
        Some((_, host)) => (*host).to_owned(),
        None => {
            let word: String =
                name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(40).collect();
            word.trim_matches('-').to_owned()
        }
    }
}
