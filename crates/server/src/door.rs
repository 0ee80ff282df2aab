//! The store behind the door: opened when it is first needed, kept open, and asked by one caller at a time.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime};

use ken_hosts::hook::Host;
use kenning::core::{Code, Refusal};
use kenning::deliveries::{Delivered, Deliveries, Delivery};
use kenning::{Error, Kenning, Layout, Options, Part, Result, SetUp, Speaker};

use crate::tool::{Answer, Profile};
use crate::verb::Verb;

/// How a server is started.
#[derive(Clone)]
pub struct Settings {
    /// Which store, who acts, in which run.
    pub options: Options,
    /// Which tools are listed.
    pub profile: Profile,
    /// The agent host that starts it, where somebody says so.
    pub host: Option<String>,
    /// The host's conversation, where it says so: what is read belongs to its run.
    pub session: Option<String>,
    /// This program, for the verbs that are the command line's own.
    pub program: PathBuf,
    /// Those verbs; asked for when somebody wants more than the tools of every day.
    pub verbs: fn() -> Vec<Verb>,
}

/// Who asks, as far as a request says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Caller {
    /// What the client calls itself.
    pub client: Option<String>,
    /// The run it says it is in.
    pub run: Option<String>,
    /// Its name in that run.
    pub agent: Option<String>,
    /// A person answered a question about this very request.
    pub person: bool,
}

/// The store and what is known of it.
pub(crate) struct Door {
    pub(crate) settings: Settings,
    open: Mutex<Option<Opened>>,
}

struct Opened {
    ken: Kenning,
    /// The settings of the store and of the clone when they were read; others are read anew.
    config: [Option<SystemTime>; 2],
    is_global: bool,
}

/// A store that was opened for a request.
pub(crate) struct Room<'a> {
    /// The store.
    pub(crate) ken: &'a mut Kenning,
    /// The global one answers, since there is none here.
    pub(crate) is_global: bool,
}

/// What is said where there is no store.
const NO_STORE_HINT: &str = "run `ken init` in the project, or call the tool `init`";

impl Door {
    pub(crate) fn new(settings: Settings) -> Arc<Door> {
        Arc::new(Door { settings, open: Mutex::new(None) })
    }

    /// The host that a call comes from: as the server was told, else as the client calls itself.
    pub(crate) fn host(&self, caller: &Caller) -> String {
        let named = self.settings.host.clone().or_else(|| caller.client.as_deref().map(host_of));
        named.filter(|name| !name.is_empty()).unwrap_or_else(|| "mcp".to_owned())
    }

    /// Who acts in a call: a client is an agent, and no variable makes a person of it.
    pub(crate) fn actor(&self, caller: &Caller) -> String {
        let named = self.settings.options.actor.as_ref().filter(|actor| actor.starts_with("agent:"));
        named.cloned().unwrap_or_else(|| format!("agent:{}", self.agent(caller)))
    }

    /// What the agent of a host goes by, through hooks and here alike.
    pub(crate) fn agent(&self, caller: &Caller) -> String {
        let host = self.host(caller);
        Host::from_word(&host).map_or(host, |known| known.agent().to_owned())
    }

    /// The run that a call belongs to: as it says, else the environment's, else the host's conversation.
    pub(crate) fn run(&self, caller: &Caller) -> Option<String> {
        let options = &self.settings.options;
        caller.run.clone().or_else(|| options.run.clone()).or_else(|| {
            let session = self.settings.session.as_deref()?;
            Some(kenning::session_run(&self.host(caller), session))
        })
    }

    fn speaker(&self, caller: &Caller) -> Speaker {
        let options = &self.settings.options;
        let run = self.run(caller);
        let own = caller.agent.clone().or_else(|| options.agent.clone());
        let agent = own.or_else(|| run.as_ref().map(|_| self.agent(caller)));
        Speaker { actor: Some(self.actor(caller)), run, agent, person: caller.person }
    }

    /// Asks the store, and the global one where there is none here and that is enough.
    pub(crate) fn ask<T>(
        &self,
        caller: &Caller,
        reads: bool,
        work: impl Fn(&mut Room<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        for attempt in 0..2 {
            let opened = self.opened(&mut open, reads)?;
            let is_global = opened.is_global;
            if is_global && !reads {
                return Err(no_store().into());
            }
            opened.ken.speak_for(self.speaker(caller))?;
            if self.settings.session.is_some() && caller.run.is_none() && !is_global {
                opened.ken.join_session(&self.host(caller))?;
            }
            match work(&mut Room { ken: &mut opened.ken, is_global }) {
                Err(Error::Damaged(Part::Index, _)) if attempt == 0 && reads => {
                    *open = None;
                    Kenning::discard_index(&self.settings.options);
                }
                answer => return answer,
            }
        }
        Err(Error::damaged(Part::Index, "asking the store")(
            "its index is damaged, and stays so after it was made anew",
        ))
    }

    fn opened<'a>(&self, open: &'a mut Option<Opened>, reads: bool) -> Result<&'a mut Opened> {
        let here = Kenning::find(&self.settings.options);
        // A store may come into being, go, or get other settings while the server runs.
        let changed = open.as_ref().is_some_and(|opened| {
            opened.is_global == here.is_some() || opened.config != written(opened.ken.layout())
        });
        if changed {
            *open = None;
        }
        if open.is_none() {
            let is_global = here.is_none();
            let options = Options { global: is_global, ..self.settings.options.clone() };
            if is_global && (!reads || Kenning::find(&options).is_none()) {
                return Err(no_store().into());
            }
            let mut ken = Kenning::open(options)?;
            ken.take_notices();
            let config = written(ken.layout());
            *open = Some(Opened { ken, config, is_global });
        }
        Ok(open.as_mut().expect("it was opened above"))
    }

    /// Makes a store here.
    pub(crate) fn init(&self) -> Result<Answer> {
        let report = Kenning::init(&self.settings.options, SetUp::default())?;
        let text = if report.changed {
            "A store is ready in this project; `remember` writes to it."
        } else {
            "The store is there already; nothing was changed."
        };
        Answer::of(text.to_owned(), &report)
    }

    /// The tokens of what was handed over; nothing is counted where there is no store.
    pub(crate) fn tokens(&self, caller: &Caller, text: &str) -> u64 {
        let count = self.ask(caller, true, |room| Ok(room.ken.tokens_of(text) as u64));
        count.unwrap_or(0)
    }

    /// Counts a call in the tally of the clone.
    pub(crate) fn count(&self, caller: &Caller, tool: &str, began: Instant, outcome: Outcome) {
        let Some(layout) = Kenning::find(&self.settings.options) else { return };
        if self.settings.options.read_only {
            return;
        }
        Deliveries::of(&layout.clone_home()).count(&Delivery {
            at: self.settings.options.time().0,
            door: "mcp".to_owned(),
            host: self.host(caller),
            what: tool.to_owned(),
            how: outcome.how,
            tokens: outcome.tokens,
            entries: outcome.entries,
            millis: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        });
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

/// When the settings of a store and of this clone were last written.
fn written(layout: &Layout) -> [Option<SystemTime>; 2] {
    [&layout.store, &layout.clone_home()].map(|folder| {
        let looks = std::fs::metadata(folder.join("config.toml"));
        looks.and_then(|looks| looks.modified()).ok()
    })
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
