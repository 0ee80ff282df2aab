//! `config.toml`: the settings of a store, each with its default, its allowed values and one sentence.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ken_core::promotion::{self, Approver, Policy};
use ken_core::words::nearest;
use ken_core::{Code, Refusal, reviewers};
use ken_engine::ops::maintain::{self, Level, SERVICES};
use ken_engine::{Caller, CloneState, Error, Ledger, RecordKind, Result};
use ken_forage::Address;
use serde::Serialize;
use toml_edit::{DocumentMut, Item, Value};

use crate::approvers;

/// A setting that exists.
pub struct Setting {
    /// Its dotted key.
    pub key: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// What it is when nobody set it.
    pub default: &'static str,
    /// Who may set it.
    pub who: WhoSets,
    /// What it does.
    pub about: &'static str,
}

/// Who may set a setting (COR-7, COR-21).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WhoSets {
    /// Agents, too: how much is shown to whoever asks, and what the project is called. Nothing of it keeps a text out, hides an entry, changes
    /// a rank or names a server.
    Anybody,
    /// People and their scripts: it sets up what weakens nothing, such as where entries are mirrored.
    NoAgent,
    /// Somebody who can be asked: it changes what is found or shown.
    Asked,
    /// A person who confirms it: what is kept out, who approves, what starts programs, who reads the texts, what changes the store unasked,
    /// and what is recorded of agents.
    Person,
}

/// Settings that share a beginning and are named by whoever sets them: `reviewers.NAME`.
pub struct Family {
    /// What their keys begin with.
    pub name: &'static str,
    /// What one of them may be.
    pub kind: Kind,
    /// What one of them does.
    pub about: &'static str,
    /// Whether a word can name one.
    pub is_name: fn(&str) -> bool,
    /// What one of them is when nobody set it.
    pub default: &'static str,
    /// Who may set one of them.
    pub who: WhoSets,
    /// Those that are there without being set, with what they are then.
    pub shipped: fn() -> Vec<(&'static str, &'static str)>,
}

/// Every family of settings.
pub const FAMILIES: &[Family] = &[
    Family {
        name: APPROVERS,
        kind: Kind::Approver,
        about: "A person who may approve promotions and norms: `yes` or their ed25519 public key",
        is_name: approvers::is_name,
        default: "",
        who: WhoSets::Person,
        shipped: Vec::new,
    },
    Family {
        name: MIRRORS,
        kind: Kind::Mirror,
        about: "A folder of another system to sync with the ledger, as FORMAT:FOLDER",
        is_name: reviewers::is_name,
        default: "",
        who: WhoSets::NoAgent,
        shipped: Vec::new,
    },
    Family {
        name: MIRRORS_AUTO,
        kind: Kind::Switch,
        about: "Update the files of this mirror after each change; false leaves it to `ken mirror sync`",
        is_name: reviewers::is_name,
        default: "true",
        who: WhoSets::NoAgent,
        shipped: Vec::new,
    },
    Family {
        name: "reviewers",
        kind: Kind::Text,
        about: "Keywords to search for this reviewer's entries, besides the change itself",
        is_name: reviewers::is_name,
        default: "",
        who: WhoSets::NoAgent,
        shipped: || reviewers::SHIPPED.iter().map(|reviewer| (reviewer.name, reviewer.keywords)).collect(),
    },
];

/// The family of people who may approve.
pub(crate) const APPROVERS: &str = "approvers";
/// The family of folders that are kept in step.
pub(crate) const MIRRORS: &str = "mirrors";
/// The family of switches that say whether a mirror follows by itself (COR-10).
pub(crate) const MIRRORS_AUTO: &str = "mirrors_auto";

/// A setting that a key means, of the list or of a family.
struct Meant {
    key: String,
    kind: Kind,
    who: WhoSets,
    default: &'static str,
    about: &'static str,
}

/// What a setting may be.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A whole number within bounds.
    Number(i64, i64),
    /// `true` or `false`.
    Switch,
    /// One of some words.
    Choice(&'static [&'static str]),
    Text,
    /// `yes`, or a public key.
    Approver,
    /// A format and a folder.
    Mirror,
}

/// How a role is served.
const POLICIES: &[&str] = &["pull", "inject", "off"];

/// Every setting, with what it may be, what it is when nobody set it, who may set it and what it does.
#[rustfmt::skip]
pub const SETTINGS: &[Setting] = &[
    setting(APPROVALS_MCP, Kind::Switch, "false", WhoSets::Person, "Let MCP clients ask a person for approval; this clone only, never shared"),
    setting("approvals.signed", Kind::Switch, "false", WhoSets::Person, "Accept only approvals signed with the approver's key"),
    setting("approvals.solo", Kind::Switch, "false", WhoSets::Person, "Let approvers approve their own proposals, for a team of one; always shown"),
    setting("check.allow", Kind::Text, "", WhoSets::Person, "Commands `ken check --execute` may run, comma-separated; this clone only, never shared"),
    setting("check.fail_on", Kind::Choice(&["broken", "drifted", "moved", "never"]), "broken", WhoSets::Asked, "The least severe verdict for which `ken check` exits with 1"),
    setting("check.seconds", Kind::Number(1, 3_600), "60", WhoSets::Asked, "Timeout in seconds of a command started by `ken check --execute`"),
    setting("drift.entries_max", Kind::Number(1, 100_000), "50", WhoSets::Asked, "A reviewer with more entries than this is reported as bloated"),
    setting("drift.stale_days", Kind::Number(1, 36_500), "90", WhoSets::Asked, "Days without confirmation after which an entry is stale"),
    setting("embedder.background", Kind::Switch, "true", WhoSets::Asked, "Compute missing embeddings in a background process after a bulk add"),
    setting("embedder.kind", Kind::Choice(&["bundled", "openai", "ollama", "none"]), "bundled", WhoSets::Asked, "Embedding model: the bundled one, a server, or none"),
    setting("embedder.model", Kind::Text, "", WhoSets::Asked, "Name of the model on the server, for openai and ollama"),
    setting("embedder.url", Kind::Text, "", WhoSets::Asked, "URL of the server, for openai and ollama; remote ones need KEN_EMBEDDER_URL"),
    setting("embedder.weights", Kind::Text, "", WhoSets::Asked, "Model file inside the repository to use instead of the bundled model"),
    setting("forage.agents", Kind::Switch, "false", WhoSets::Person, "Let agents start a cycle; otherwise what they ask for waits for `ken forage run`"),
    setting("forage.deny", Kind::Text, "", WhoSets::NoAgent, "Domains that nothing is read from, comma-separated; subdomains are covered"),
    setting("forage.on", Kind::Switch, "false", WhoSets::Person, "Let the forager read the web, within its limits; this clone only, never shared"),
    setting("forage.pages_max", Kind::Number(0, 1_000), "40", WhoSets::Person, "Pages a day that the forager may read"),
    setting("forage.private", Kind::Text, "", WhoSets::Person, "Private addresses that pages may be read from, such as 10.0.0.5:8080,10.0.0.6:80"),
    setting("forage.proactive", Kind::Number(0, 1_000), "0", WhoSets::Person, "Pages a day for gaps that the briefing finds; 0 leaves them to people"),
    setting("forage.provider", Kind::Choice(&["none", "searxng", "brave", "sites"]), "none", WhoSets::Person, "Where pages are found: a SearXNG server, a service like Brave's, or a list of sites"),
    setting("forage.sites", Kind::Text, "", WhoSets::Person, "Sites, sitemaps and feeds for the provider sites, as URLs, comma-separated"),
    setting("forage.url", Kind::Text, "", WhoSets::Person, "URL of the search provider; its key is in KEN_FORAGE_KEY"),
    setting("guard.customers", Kind::Text, "", WhoSets::Person, "Customer names and ids that no entry may contain, comma-separated; ACME-* is a prefix"),
    setting("guard.hosts", Kind::Text, "", WhoSets::Person, "Hosts that entries may name although they look internal, comma-separated"),
    setting("guard.organisations", Kind::Text, "", WhoSets::Person, "Organisation names that no entry may contain, comma-separated"),
    setting("health.backlog", Kind::Number(0, 1_000_000), "500", WhoSets::Asked, "Threshold of `ken health review`: entries without an embedding"),
    setting("health.broken_percent", Kind::Number(0, 100), "10", WhoSets::Asked, "Threshold of `ken health review`: percent of entries broken in the last check"),
    setting("health.contradictions", Kind::Number(0, 1_000_000), "0", WhoSets::Asked, "Threshold of `ken health review`: pairs of contradictory norms"),
    setting("health.debt_over", Kind::Number(0, 1_000_000), "10", WhoSets::Asked, "Threshold of `ken health review`: entries at or near the review debt limit"),
    setting("health.friction_week", Kind::Number(0, 1_000_000), "10", WhoSets::Asked, "Threshold of `ken health review`: friction events in the last seven days"),
    setting("health.gaps_percent", Kind::Number(0, 100), "20", WhoSets::Asked, "Threshold of `ken health review`: percent of entries without evidence, anchor or step"),
    setting("health.orphaned_percent", Kind::Number(0, 100), "10", WhoSets::Asked, "Threshold of `ken health review`: percent of entries that cite a deleted file"),
    setting("health.problems", Kind::Number(0, 1_000_000), "0", WhoSets::Asked, "Threshold of `ken health review`: unreadable lines in ledger files"),
    setting("health.stale_norms", Kind::Number(0, 1_000_000), "0", WhoSets::Asked, "Threshold of `ken health review`: norms not confirmed for 90 days"),
    setting("health.waiting", Kind::Number(0, 1_000_000), "5000", WhoSets::Asked, "Threshold of `ken health review`: journal events not yet in ledger files"),
    setting("hooks.harvest", Kind::Switch, "true", WhoSets::Asked, "Extract drafts from transcripts when an agent stops, compacts or ends"),
    setting("hooks.off", Kind::Switch, "false", WhoSets::Person, "Disable all hooks"),
    setting("hooks.timeout_ms", Kind::Number(0, 60_000), "0", WhoSets::Person, "Timeout of a hook in milliseconds; 0 uses the default of each event"),
    setting("index_page.write", Kind::Switch, "true", WhoSets::Anybody, "Write INDEX.md, the list of entries for those who read files"),
    setting("list.limit", Kind::Number(1, 10_000), "50", WhoSets::Anybody, "Entries per page of `ken list`"),
    setting("judge.calls_max", Kind::Number(0, 100_000), "200", WhoSets::Person, "Calls a day to the judge"),
    setting("judge.cents_max", Kind::Number(0, 1_000_000), "100", WhoSets::Person, "Cents a day that the judge may cost, by the prices that are set"),
    setting("judge.kind", Kind::Choice(&["none", "openai", "anthropic", "ollama"]), "none", WhoSets::Person, "Language model that judges what rules cannot; only a person sets it, for this clone"),
    setting("judge.model", Kind::Text, "", WhoSets::Person, "Name of the model that judges"),
    setting("judge.price_read", Kind::Number(0, 1_000_000), "0", WhoSets::Person, "Cents for a million tokens that the judge reads"),
    setting("judge.price_written", Kind::Number(0, 1_000_000), "0", WhoSets::Person, "Cents for a million tokens that the judge writes"),
    setting("judge.tokens_max", Kind::Number(0, 1_000_000_000), "500000", WhoSets::Person, "Tokens a day that the judge reads and writes"),
    setting("judge.url", Kind::Text, "", WhoSets::Person, "URL of the server of the judge; keys are environment variables"),
    setting("maintain.auto", Kind::Text, "", WhoSets::Person, "Categories of services `ken maintain` runs under auto_notify, comma-separated"),
    setting("maintain.level", Kind::Choice(Level::WORDS), "suggest", WhoSets::Person, "What `ken maintain` does without a service's name: nothing, some categories, or all"),
    setting("maintain.runs_max", Kind::Number(0, 1_000), "24", WhoSets::Person, "Runs of `ken maintain` a day that may change entries without being named"),
    setting("pack.facts", Kind::Number(0, 100), "15", WhoSets::Asked, "Percent of a pack's budget for structured facts"),
    setting("pack.history", Kind::Number(0, 100), "15", WhoSets::Asked, "Percent of a pack's budget for superseded knowledge"),
    setting("pack.observations", Kind::Number(0, 100), "20", WhoSets::Asked, "Percent of a pack's budget for raw records and false positives"),
    setting("pack.scratch", Kind::Number(0, 100), "15", WhoSets::Asked, "Percent of a pack's budget for the agent's own notes"),
    setting("pack.task", Kind::Number(0, 100), "35", WhoSets::Asked, "Percent of a pack's budget for task knowledge"),
    setting("project.name", Kind::Text, "", WhoSets::Anybody, "Project name recorded with runs (default: the repository's folder name)"),
    setting("review.entries", Kind::Number(0, 20), "5", WhoSets::Person, "Maximum number of entries injected into one agent per run"),
    setting("review.limit", Kind::Number(1, 1_000), "10", WhoSets::Person, "Reviews an entry is injected into without independent confirmation before archiving"),
    setting("search.exposures", Kind::Switch, "true", WhoSets::Person, "Record exposures and unanswered queries of search and surface in the journal"),
    setting("search.global", Kind::Switch, "true", WhoSets::Asked, "Include results from the global store"),
    setting("search.limit", Kind::Number(1, 1_000), "10", WhoSets::Asked, "Maximum number of results of `ken search`"),
    setting("show.exposures", Kind::Switch, "true", WhoSets::Person, "Record exposures of show, list, why and log to agents in the journal"),
    setting("surface.debugger", Kind::Choice(POLICIES), "pull", WhoSets::Asked, "How knowledge reaches a debugger: pull, inject or off"),
    setting("surface.executor", Kind::Choice(POLICIES), "pull", WhoSets::Asked, "How knowledge reaches an executor that deviates from its plan: pull, inject or off"),
    setting("surface.planner", Kind::Choice(POLICIES), "pull", WhoSets::Asked, "How knowledge reaches a planner: pull, inject or off"),
    setting("surface.researcher", Kind::Choice(POLICIES), "pull", WhoSets::Asked, "How knowledge reaches a researcher: pull, inject or off"),
];

const fn setting(
    key: &'static str,
    kind: Kind,
    default: &'static str,
    who: WhoSets,
    about: &'static str,
) -> Setting {
    Setting { key, kind, default, who, about }
}

/// Values of shared settings that weaken a guard. In a clone they count once a person confirmed them there: an edit of the tracked file
/// is no authority (COR-7).
const WEAKENING: &[(&str, Option<&str>)] = &[
    // Whatever it lists.
    ("guard.hosts", None),
    ("hooks.off", Some("true")),
    ("search.exposures", Some("false")),
    ("show.exposures", Some("false")),
];
/// Where the clone's own settings keep the weakening values that a person confirmed.
const CONFIRMED: &str = "confirmed";

/// Whether a value of a shared setting weakens a guard.
fn weakens(key: &str, value: &str) -> bool {
    !value.is_empty() && WEAKENING.iter().any(|(weak, of)| *weak == key && of.is_none_or(|of| of == value))
}

/// Settings that a stranger's commit must not decide: they are kept beside the journal, in this clone alone.
const OWN: &[&str] = &[
    APPROVALS_MCP,
    "check.allow",
    // Nothing is read from the web, and no query is sent, unless a person allowed it in this clone.
    "forage.agents",
    "forage.on",
    "forage.pages_max",
    "forage.private",
    "forage.proactive",
    "forage.provider",
    "forage.sites",
    "forage.url",
    // Nothing is sent to a judge unless a person allowed it in this clone.
    "judge.calls_max",
    "judge.cents_max",
    "judge.kind",
    "judge.model",
    "judge.price_read",
    "judge.price_written",
    "judge.tokens_max",
    "judge.url",
];
/// Whether an MCP client may ask a person.
pub(crate) const APPROVALS_MCP: &str = "approvals.mcp";

/// The settings of one store.
pub struct Config {
    home: Home,
    document: DocumentMut,
    own: DocumentMut,
    /// Names the folder that the clone is in: settings that were copied along count for nothing.
    bound: String,
}

/// Where settings are written.
enum Home {
    Files {
        path: PathBuf,
        /// Where the clone keeps its own settings; none where the store has no place outside the tree.
        own_path: Option<PathBuf>,
    },
    /// In the small state of a workspace that lies in no folder.
    Records(Arc<dyn CloneState>),
}

/// A setting as it stands.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SettingView {
    /// Its dotted key.
    pub key: String,
    pub value: String,
    /// Whether that is the default.
    pub is_default: bool,
    /// What it does.
    pub about: &'static str,
}

impl Config {
    /// Reads and checks a store's settings. A missing file is all defaults.
    pub fn read(store: &Path, clone_home: Option<&Path>) -> Result<Config> {
        ken_worktree::layout::refuse_links(store)?;
        let path = store.join("config.toml");
        const CONFIG_BYTES_MAX: u64 = 1024 * 1024;
        if let Ok(looks) = std::fs::symlink_metadata(&path)
            && (!looks.is_file() || looks.len() > CONFIG_BYTES_MAX)
        {
            return Err(Refusal::new(
                Code::Invalid,
                ".kenning/config.toml is not an ordinary file of at most 1 MiB",
            )
            .hint("restore it with git, or delete it: every setting has a default")
            .into());
        }
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
                return Err(Refusal::new(Code::Invalid, ".kenning/config.toml is not UTF-8 text")
                    .hint("fix the file by hand, or restore it with git")
                    .into());
            }
            Err(error) => return Err(Error::failed("reading .kenning/config.toml")(error)),
        };
        let document = parsed(&text)?;
        let own_path = clone_home.map(|home| home.join("config.toml"));
        let bound = bound(store);
        // Nobody but this program writes there; what cannot be read, or comes from elsewhere, allows nothing.
        let own = own_path.as_ref().and_then(|path| std::fs::read_to_string(path).ok());
        let own: Option<DocumentMut> = own.and_then(|text| text.parse().ok());
        let mut own: DocumentMut =
            own.filter(|own| own.get(BOUND).and_then(Item::as_str) == Some(&bound)).unwrap_or_default();
        name_approvers(&mut own);
        let config = Config { home: Home::Files { path, own_path }, document, own, bound };
        config.checked()
    }

    /// Reads the settings of a store that lies in no folder. They are those of one workspace: none is shared with a stranger's clone.
    pub(crate) fn of_records(state: Arc<dyn CloneState>) -> Result<Config> {
        let read = |kind: RecordKind| parsed(&state.text(&kind.record()).unwrap_or_default());
        let (document, own) = (read(RecordKind::Settings)?, read(RecordKind::OwnSettings)?);
        Config { home: Home::Records(state), document, own, bound: String::new() }.checked()
    }

    fn checked(self) -> Result<Config> {
        let config = self;
        for key in config.keys_used() {
            if OWN.contains(&key.as_str()) {
                let message = format!("{key} is a setting of one clone and cannot be shared");
                let hint = format!(
                    "remove it from the file, and run `ken config {key} ...` in each clone that needs it"
                );
                return Err(Refusal::new(Code::Invalid, format!(".kenning/config.toml: {message}"))
                    .hint(hint)
                    .into());
            }
            let checked = meant(&key).and_then(|setting| match config.shared(&setting.key) {
                Some(value) if is_outside(&setting, &value) => {
                    let message = format!("{key} points outside the repository and cannot be shared");
                    let hint = format!(
                        "remove it from the file, and run `ken config {key} ...` in the clone that has it"
                    );
                    Err(Refusal::new(Code::Invalid, message).hint(hint).into())
                }
                Some(value) => check(&setting, &value),
                None => Ok(()),
            });
            checked.map_err(in_file)?;
        }
        Ok(config)
    }

    fn keys_used(&self) -> Vec<String> {
        fn walk(prefix: &str, table: &dyn toml_edit::TableLike, keys: &mut Vec<String>) {
            for (name, item) in table.iter() {
                let key = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") };
                match item.as_table_like() {
                    Some(table) => walk(&key, table, keys),
                    None => keys.push(key),
                }
            }
        }
        let mut keys = Vec::new();
        walk("", self.document.as_table(), &mut keys);
        keys
    }

    fn raw(&self, key: &str) -> Option<String> {
        match self.is_own(key) {
            true => written(&self.own, key),
            false => self.shared(key).filter(|value| self.is_confirmed(key, value)),
        }
    }

    /// Whether a shared value counts here: all but those that weaken a guard do.
    fn is_confirmed(&self, key: &str, value: &str) -> bool {
        let kept = || self.own.get(CONFIRMED).and_then(|all| all.get(key)).and_then(Item::as_str);
        !weakens(key, value) || !self.has_own() || kept() == Some(value)
    }

    /// Shared values that count for nothing here until a person confirms them.
    pub(crate) fn unconfirmed(&self) -> Vec<(&'static str, String)> {
        let all = WEAKENING.iter().filter_map(|(key, _)| Some((*key, self.shared(key)?)));
        all.filter(|(key, value)| !self.is_confirmed(key, value)).collect()
    }

    /// Keeps what a person just confirmed in this clone: a weakening value, or who approves.
    fn keep_confirmed(&mut self, setting: &Meant, value: &str) -> Result<()> {
        let is_approvers = matches!(setting.kind, Kind::Approver) || setting.key == "approvals.signed";
        let weakens = weakens(&setting.key, value);
        if !self.has_own() || !(is_approvers || weakens) {
            return Ok(());
        }
        if weakens {
            let home = self.own.entry(CONFIRMED).or_insert_with(toml_edit::table);
            home[&setting.key] = toml_edit::value(value);
        }
        if is_approvers {
            for table in [APPROVERS, "approvals"] {
                // `approvals.mcp` is kept here anyway.
                let mcp = written(&self.own, APPROVALS_MCP).filter(|_| table == "approvals");
                match self.document.get(table) {
                    Some(shared) => self.own[table] = shared.clone(),
                    None => drop(self.own.remove(table)),
                }
                if let Some(mcp) = mcp {
                    self.own["approvals"]["mcp"] = toml_edit::value(mcp == "true");
                }
            }
        }
        self.write(setting, true)
    }

    /// Who may approve, for what is held back here: somebody whom a person of this clone made an approver stays one until a person of
    /// this clone says otherwise, whatever an edit of the tracked file takes away (COR-7).
    pub(crate) fn policy_here(&self) -> Policy {
        let (mut shared, confirmed) = (policy(&self.document), policy(&self.own));
        if confirmed.approvers.is_empty() {
            return shared;
        }
        let known = |name: &str| shared.approvers.iter().any(|approver| approver.name == name);
        let lost: Vec<Approver> =
            confirmed.approvers.iter().filter(|approver| !known(&approver.name)).cloned().collect();
        shared.approvers.extend(lost);
        shared.signed &= confirmed.signed;
        shared
    }

    fn shared(&self, key: &str) -> Option<String> {
        written(&self.document, key)
    }

    /// Whether a setting is one of this clone alone: such a mirror counts before a shared one of its name.
    fn is_own(&self, key: &str) -> bool {
        OWN.contains(&key) || (key.starts_with(MIRRORS_DOT) && written(&self.own, key).is_some())
    }

    /// The mirrors outside the repository, by name: only this clone knows of them (COR-10).
    pub(crate) fn own_mirrors(&self) -> Vec<(String, String)> {
        let table = self.own.get(MIRRORS).and_then(Item::as_table_like);
        let all = table.into_iter().flat_map(|table| table.iter());
        all.filter_map(|(name, value)| Some((name.to_owned(), value.as_str()?.to_owned()))).collect()
    }

    /// Whether the files of a mirror follow each change (COR-10).
    pub(crate) fn follows(&self, mirror: &str) -> bool {
        self.get(&format!("{MIRRORS_AUTO}.{mirror}")).map_or(true, |value| value != "false")
    }

    /// Who may set a setting.
    pub fn who_sets(&self, key: &str) -> Result<WhoSets> {
        Ok(meant(key)?.who)
    }

    /// The value of a setting.
    pub fn get(&self, key: &str) -> Result<String> {
        let setting = meant(key)?;
        Ok(self.raw(&setting.key).unwrap_or_else(|| setting.default.to_owned()))
    }

    /// A number setting that exists.
    pub fn number(&self, key: &'static str) -> usize {
        self.get(key).ok().and_then(|text| text.parse().ok()).unwrap_or(0)
    }

    /// A switch that exists.
    pub fn switch(&self, key: &'static str) -> bool {
        self.get(key).is_ok_and(|text| text == "true")
    }

    /// Whether the clone keeps settings of its own.
    fn has_own(&self) -> bool {
        !matches!(&self.home, Home::Files { own_path: None, .. })
    }

    fn unset(&mut self, setting: &Meant) -> Result<()> {
        let (table, name) = setting.key.split_once('.').unwrap_or(("", &setting.key));
        let is_own = self.is_own(&setting.key);
        let document = if is_own { &mut self.own } else { &mut self.document };
        if let Some(home) = document.get_mut(table).and_then(Item::as_table_like_mut) {
            home.remove(name);
        }
        self.write(setting, is_own)
    }

    fn write(&self, setting: &Meant, is_own: bool) -> Result<()> {
        let (path, own_path) = match &self.home {
            Home::Files { path, own_path } => (path, own_path),
            Home::Records(state) => {
                let (kind, document) = match is_own {
                    true => (RecordKind::OwnSettings, &self.own),
                    false => (RecordKind::Settings, &self.document),
                };
                return state.write(&kind.record(), document.to_string().as_bytes());
            }
        };
        if is_own {
            let Some(path) = own_path else {
                return Err(Refusal::new(
                    Code::NotAllowed,
                    format!(
                        "{} is stored in the .git folder, and this store is not in a git repository",
                        setting.key
                    ),
                )
                .hint("run `git init`, or allow commands once with KEN_CHECK_ALLOW='...'")
                .into());
            };
            let mut own = self.own.clone();
            own[BOUND] = toml_edit::value(self.bound.as_str());
            let home = path.parent().map_or(Ok(()), std::fs::create_dir_all);
            return home
                .and_then(|()| std::fs::write(path, own.to_string()))
                .map_err(Error::failed("writing the settings of this clone"));
        }
        std::fs::write(path, self.document.to_string()).map_err(Error::failed("writing .kenning/config.toml"))
    }

    /// Every setting as it stands.
    pub fn all(&self) -> Vec<SettingView> {
        let mut keys: Vec<String> = SETTINGS.iter().map(|setting| setting.key.to_owned()).collect();
        for family in FAMILIES {
            let shipped = (family.shipped)().into_iter().map(|(name, _)| name.to_owned());
            let names = shipped.chain(self.members(family.name));
            keys.extend(names.map(|name| format!("{}.{name}", family.name)));
        }
        keys.sort();
        keys.dedup();
        let meant = keys.iter().filter_map(|key| meant(key).ok());
        let views = meant.map(|setting| {
            let raw = self.raw(&setting.key);
            SettingView {
                is_default: raw.is_none(),
                value: raw.unwrap_or_else(|| setting.default.to_owned()),
                about: setting.about,
                key: setting.key,
            }
        });
        views.collect()
    }

    /// Who may approve.
    pub fn policy(&self) -> Policy {
        policy(&self.document)
    }

    /// The names of a family's settings that somebody set.
    pub fn members(&self, family: &str) -> Vec<String> {
        let table = self.document.get(family).and_then(Item::as_table_like);
        table.map(|table| table.iter().map(|(name, _)| name.to_owned()).collect()).unwrap_or_default()
    }

    /// A setting of a family, if somebody set it.
    pub fn member(&self, family: &str, name: &str) -> Option<String> {
        let value = self.document.get(family)?.get(name)?.as_str()?;
        Some(value.to_owned())
    }

    /// Changes a setting and keeps every comment of the file; `default` takes it out.
    pub fn set(&mut self, key: &str, value: &str) -> Result<()> {
        let mut setting = meant(key)?;
        if matches!(setting.kind, Kind::Approver) {
            setting.key = with_small_prefix(&setting.key);
        }
        if value == "default" {
            self.unset(&setting)?;
            return self.keep_confirmed(&setting, value);
        }
        check(&setting, value)?;
        if matches!(setting.kind, Kind::Approver) && setting.key.starts_with("approvers.agent:") {
            return Err(Refusal::new(Code::Invalid, "an approver is a person, not an agent")
                .hint("write the name that git has for the person: ken config 'approvers.Ada Lovelace' yes")
                .field("key")
                .into());
        }
        if let std::borrow::Cow::Owned(shown) = ken_guard::redact(value) {
            return Err(Refusal::new(
                Code::Rejected,
                format!(
                    "{} cannot be {shown:?}: it contains a secret, and config.toml is shared",
                    setting.key
                ),
            )
            .hint("pass API keys in the environment; see docs/reference/environment.md")
            .field("value")
            .into());
        }
        let new: Value = match setting.kind {
            Kind::Number(..) => value.parse::<i64>().map(Value::from).unwrap_or_else(|_| Value::from(value)),
            Kind::Switch => Value::from(value == "true"),
            Kind::Approver => Value::from(approvers::read_key(value).unwrap_or_else(|_| value.to_owned())),
            Kind::Choice(_) | Kind::Text | Kind::Mirror => Value::from(value),
        };
        let (table, name) = setting.key.split_once('.').unwrap_or(("", &setting.key));
        let is_own = OWN.contains(&setting.key.as_str()) || is_outside(&setting, value);
        // It is in one place only, whichever that was.
        if matches!(setting.kind, Kind::Mirror)
            && self.is_own(&setting.key) != is_own
            && self.raw(&setting.key).is_some()
        {
            self.unset(&setting)?;
        }
        let document = if is_own { &mut self.own } else { &mut self.document };
        let comments = document.trailing().as_str().unwrap_or_default().to_owned();
        let root = document.as_table_mut();
        let first = root.is_empty();
        let home = root.entry(table).or_insert_with(toml_edit::table);
        home[name] = toml_edit::value(new);
        // A file of comments alone keeps them on top.
        if let (true, Some(table)) = (first, home.as_table_mut()) {
            table.decor_mut().set_prefix(comments);
            document.set_trailing("");
        }
        self.write(&setting, is_own)?;
        self.keep_confirmed(&setting, value)
    }
}

/// A value as a document has it.
fn written(document: &DocumentMut, key: &str) -> Option<String> {
    // A name may hold dots of its own.
    let (table, name) = key.split_once('.').unwrap_or(("", key));
    let value = document.as_item().get(table)?.get(name)?.as_value()?;
    Some(value.as_str().map_or_else(|| value.to_string().trim().to_owned(), str::to_owned))
}

/// How the keys of mirrors begin.
const MIRRORS_DOT: &str = "mirrors.";

/// Whether a value is a mirror outside the repository.
fn is_outside(setting: &Meant, value: &str) -> bool {
    matches!(setting.kind, Kind::Mirror) && read_outside_mirror(value).is_some()
}

/// The format and the folder of a mirror outside the repository: below the home of whoever works here (`~/.wfc`), or an absolute path.
pub(crate) fn read_outside_mirror(value: &str) -> Option<(String, String)> {
    let (format, path) = value.trim().split_once(':')?;
    let (format, path) = (format.trim(), path.trim());
    let is_outside =
        path.strip_prefix("~/").is_some_and(|rest| !rest.is_empty()) || Path::new(path).is_absolute();
    let climbs = path.split(['/', '\\']).any(|part| part == ".." || is_own_folder(part));
    let is_top = path.trim_end_matches('/').is_empty();
    (is_outside && !climbs && !is_top && ken_formats::named(format).is_some())
        .then(|| (format.to_owned(), path.to_owned()))
}

/// Who may approve, by the text of some `config.toml`. What cannot be read allows nobody.
pub fn policy_of(text: &str) -> Policy {
    let Ok(mut document) = text.parse::<DocumentMut>() else { return Policy::default() };
    name_approvers(&mut document);
    policy(&document)
}

/// The key of an approver, with the kind of actor in front of the name as actors are written: `Human:Ada` is `human:Ada`.
fn with_small_prefix(key: &str) -> String {
    let family = format!("{APPROVERS}.");
    let name = key.strip_prefix(&family).unwrap_or(key);
    match name.split_once(':') {
        Some((kind, rest)) if ["human", "agent"].contains(&kind.trim().to_lowercase().as_str()) => {
            format!("{family}{}:{}", kind.trim().to_lowercase(), rest.trim())
        }
        Some(_) | None => key.to_owned(),
    }
}

/// Approvers go by their names. Where a file has the actor, `human:Ada`, the person of that name is meant.
fn name_approvers(document: &mut DocumentMut) {
    let Some(people) = document.get_mut(APPROVERS).and_then(Item::as_table_like_mut) else { return };
    let written: Vec<String> = people.iter().map(|(name, _)| name.to_owned()).collect();
    for actor in written {
        let name = promotion::name_of(&actor).to_owned();
        if name != actor
            && let Some(value) = people.remove(&actor)
            && !people.contains_key(&name)
        {
            people.insert(&name, value);
        }
    }
}

fn policy(document: &DocumentMut) -> Policy {
    let table = |name: &str| document.get(name).and_then(Item::as_table_like);
    let is_on = |name: &str| table("approvals").and_then(|it| it.get(name)?.as_bool()).unwrap_or(false);
    let people = table(APPROVERS).into_iter().flat_map(|people| people.iter());
    let approvers = people.filter_map(|(name, value)| {
        let said = value.as_str()?;
        let key = approvers::read_key(said).ok();
        (said == "yes" || key.is_some()).then(|| Approver { name: name.to_owned(), key })
    });
    Policy { approvers: approvers.collect(), solo: is_on("solo"), signed: is_on("signed") }
}

/// The format and the folder of a mirror; a sentence where they are none.
pub(crate) fn read_mirror(value: &str) -> std::result::Result<(String, String), String> {
    let words = || -> Vec<&str> { ken_formats::ALL.iter().map(|format| format.word()).collect() };
    let Some((format, path)) = value.trim().split_once(':') else {
        return Err(format!("expected FORMAT:FOLDER, where FORMAT is one of {}", words().join(", ")));
    };
    if ken_formats::named(format.trim()).is_none() {
        return Err(format!("unknown format {format:?}; expected one of {}", words().join(", ")));
    }
    let said = path.trim();
    let absolute = || format!("the folder must be inside the repository, but {said:?} is an absolute path");
    let path = match said.trim_end_matches('/') {
        "" if said.is_empty() => return Err("expected a folder; `.` is the whole repository".to_owned()),
        "" => return Err(format!("{}; `.` is the whole repository", absolute())),
        "." => return Ok((format.trim().to_owned(), String::new())),
        path => path.trim_start_matches("./"),
    };
    ken_core::fields::relative_path(path)
        .map_err(|why| format!("the folder must be inside the repository: {why}"))?;
    if path.split('/').any(|part| part.is_empty() || part == ".") {
        return Err(format!("{said:?} contains an empty or `.` component; remove it"));
    }
    if path.split(['/', '\\']).any(is_own_folder) {
        return Err("the store and the .git folder cannot be mirrors".to_owned());
    }
    Ok((format.trim().to_owned(), path.to_owned()))
}

/// Whether some system takes this name for git's folder or the store's: in any letter case, by the short name of NTFS, or with an ending that
/// Windows drops.
pub(crate) fn is_own_folder(name: &str) -> bool {
    let name = name.split(':').next().unwrap_or(name).trim_end_matches(['.', ' ']).to_lowercase();
    name == ".git" || name == crate::STORE_FOLDER || name.starts_with("git~") || name.starts_with("kennin~")
}

/// Where the clone's own settings say which folder they are for.
const BOUND: &str = "folder";

/// Names the folder that a store is in, without telling it.
fn bound(store: &Path) -> String {
    let folder = store.canonicalize().unwrap_or_else(|_| store.to_owned());
    blake3::hash(folder.to_string_lossy().as_bytes()).to_hex()[..32].to_owned()
}

/// The settings that a text holds.
fn parsed(text: &str) -> Result<DocumentMut> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        Refusal::new(
            Code::Invalid,
            format!(".kenning/config.toml is not valid TOML: {}", error.to_string().trim()),
        )
        .hint("fix the file by hand, or restore it with git")
    })?;
    name_approvers(&mut document);
    Ok(document)
}

/// A fault of the file, not of the command.
fn in_file(error: Error) -> Error {
    match error {
        Error::Refused(refusal) => {
            let message = format!(".kenning/config.toml: {}", refusal.message);
            Refusal { message, ..refusal }.hint("fix the file by hand, or restore it with git").into()
        }
        failed => failed,
    }
}

fn meant(key: &str) -> Result<Meant> {
    if let Some(setting) = SETTINGS.iter().find(|setting| setting.key == key) {
        let (key, default) = (key.to_owned(), setting.default);
        return Ok(Meant { key, kind: setting.kind, who: setting.who, default, about: setting.about });
    }
    let mut keys: Vec<String> = SETTINGS.iter().map(|setting| setting.key.to_owned()).collect();
    let mut near: Vec<String> = keys.clone();
    for family in FAMILIES {
        let shipped = (family.shipped)();
        let member = key.strip_prefix(family.name).and_then(|rest| rest.strip_prefix('.'));
        let member =
            member.map(|name| if family.name == APPROVERS { promotion::name_of(name) } else { name });
        if let Some(name) = member.filter(|name| (family.is_name)(name)) {
            let default =
                shipped.iter().find(|(known, _)| *known == name).map_or(family.default, |(_, value)| value);
            let key = format!("{}.{name}", family.name);
            return Ok(Meant { key, kind: family.kind, who: family.who, default, about: family.about });
        }
        near.extend(shipped.iter().map(|(name, _)| format!("{}.{name}", family.name)));
        keys.push(format!("{}.NAME", family.name));
    }
    let near = nearest(key, near.iter().map(String::as_str))
        .map(|near| format!("did you mean `{near}`? "))
        .unwrap_or_default();
    Err(Refusal::new(Code::Invalid, format!("unknown setting {key:?}; {near}settings: {}", keys.join(", ")))
        .field("key")
        .into())
}

fn check(setting: &Meant, value: &str) -> Result<()> {
    let problem = match setting.kind {
        Kind::Number(min, max) if !value.parse::<i64>().is_ok_and(|n| (min..=max).contains(&n)) => {
            format!("invalid value {value:?} for {}; expected a whole number from {min} to {max}", setting.key)
        }
        Kind::Switch if value != "true" && value != "false" => {
            format!("invalid value {value:?} for {}; expected true or false", setting.key)
        }
        Kind::Choice(words) if !words.contains(&value) => {
            format!("invalid value {value:?} for {}; expected one of {}", setting.key, words.join(", "))
        }
        Kind::Approver if value != "yes" && approvers::read_key(value).is_err() => {
            let why = approvers::read_key(value).err().unwrap_or_default();
            format!(
                "invalid value {value:?} for {}; expected `yes`, an ed25519 public key as written by `ssh-keygen`, or `default` to take them off the list: {why}",
                setting.key
            )
        }
        Kind::Text if setting.key == "judge.url" && value.contains('@') => {
            "judge.url contains a user name or password; put the key in KEN_JUDGE_KEY".to_owned()
        }
        Kind::Text if setting.key == "embedder.url" && value.contains('@') => {
            "embedder.url contains a user name or password; config.toml is shared, so put keys in KEN_EMBEDDER_KEY"
                .to_owned()
        }
        Kind::Text
            if setting.key == "embedder.weights" && value.split(['/', '\\']).any(|part| part == "..") =>
        {
            "embedder.weights points outside the repository; give a path inside it".to_owned()
        }
        Kind::Text if setting.key == "embedder.weights" && std::path::Path::new(value).is_absolute() => {
            "embedder.weights is an absolute path; config.toml is shared, so give a path inside the repository"
                .to_owned()
        }
        Kind::Mirror if read_mirror(value).is_err() && read_outside_mirror(value).is_none() => {
            let why = read_mirror(value).err().unwrap_or_default();
            format!("invalid value {value:?} for {}: {why}", setting.key)
        }
        Kind::Number(..) | Kind::Switch | Kind::Choice(_) | Kind::Text | Kind::Approver | Kind::Mirror => {
            return Ok(());
        }
    };
    Err(Refusal::new(Code::Invalid, problem).field(&setting.key).into())
}

/// Changes a setting, where the caller may (`config::SETTINGS`).
pub fn set_setting(
    ledger: &Ledger,
    config: &mut Config,
    caller: &Caller,
    key: &str,
    value: &str,
) -> Result<()> {
    ledger.may_write()?;
    let who = config.who_sets(key)?;
    if key == "maintain.auto" {
        check_categories(value)?;
    }
    check_forage_setting(key, value)?;
    // What is written outside the repository is for a person to say (COR-10).
    let is_outside = key.starts_with("mirrors.") && read_outside_mirror(value).is_some();
    let is_asked = match who {
        WhoSets::Person => true,
        WhoSets::Asked => caller.is_unattended(),
        WhoSets::NoAgent => is_outside || caller.is_agent(),
        WhoSets::Anybody => false,
    };
    if is_asked {
        caller.require_person(&match key {
            crate::config::ALLOW => "allowing programs".to_owned(),
            APPROVALS_MCP => "allowing approvals through an MCP client".to_owned(),
            _ if key.starts_with("approvals.") || key.starts_with("approvers.") => {
                "changing the approvers".to_owned()
            }
            _ if is_outside => format!("syncing a folder outside the repository, as {key}"),
            _ => format!("changing {key}"),
        })?;
    }
    config.set(key, value)
}

/// The setting that says which programs verification steps may start.
pub const ALLOW: &str = "check.allow";

/// Refuses words that name no service and no category: a slip would silently allow nothing.
pub(crate) fn check_categories(value: &str) -> Result<()> {
    let words = value.split(',').map(str::trim).filter(|word| !word.is_empty());
    for word in words {
        if !SERVICES
            .iter()
            .any(|service| service.by_itself && (service.category == word || service.name == word))
        {
            let known: Vec<&str> =
                SERVICES.iter().filter(|service| service.by_itself).map(|service| service.category).collect();
            return Err(Refusal::new(Code::Invalid, format!("there is no category {word:?}"))
                .hint(format!("categories: {}", known.join(", ")))
                .field("value")
                .into());
        }
    }
    Ok(())
}

/// Refuses a value of a setting of the forager that means nothing.
fn check_forage_setting(key: &str, value: &str) -> Result<()> {
    let is_wrong = |one: &&str| match key {
        "forage.private" => one.parse::<SocketAddr>().is_err(),
        "forage.url" | "forage.sites" => Address::parse(one).is_err(),
        _ => false,
    };
    let mut each = value.split([',', ' ']).map(str::trim).filter(|one| !one.is_empty());
    match each.find(is_wrong) {
        None => Ok(()),
        Some(one) => {
            let wanted = if key == "forage.private" {
                "an address with a port, such as 10.0.0.5:8080"
            } else {
                "an http or https URL"
            };
            let message = format!("{one:?} is not {wanted}");
            Err(Refusal::new(Code::Invalid, message).field("value").into())
        }
    }
}

/// What a person allowed services to do by themselves.
pub(crate) fn maintain_policy(config: &Config) -> Result<maintain::Policy> {
    Ok(maintain::Policy::parse(&config.get("maintain.level")?, &config.get("maintain.auto")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mirror_is_a_format_and_a_folder_of_this_repository() {
        let cases = [
            ("flux-drive:.", Ok("")),
            ("flux-drive:./", Ok("")),
            (" flux-drive : k/ ", Ok("k")),
            ("flux-drive:./a/b//", Ok("a/b")),
            ("flux-drive:.gitignored/gitea", Ok(".gitignored/gitea")),
            ("agents-md:CLAUDE.md", Ok("CLAUDE.md")),
            ("flux-drive", Err("expected FORMAT:FOLDER")),
            ("fluxdrive:k", Err("unknown format \"fluxdrive\"")),
            ("flux-drive:", Err("expected a folder; `.` is the whole repository")),
            ("flux-drive: ", Err("expected a folder; `.` is the whole repository")),
            ("flux-drive:/", Err("\"/\" is an absolute path; `.` is the whole repository")),
            ("flux-drive://", Err("\"//\" is an absolute path")),
            ("flux-drive:.//k", Err("is an absolute path")),
            ("flux-drive:/k", Err("is an absolute path")),
            ("flux-drive:C:\\k", Err("is an absolute path")),
            ("flux-drive:k/../..", Err("points outside the repository")),
            ("flux-drive:a/./b", Err("contains an empty or `.` component")),
            ("flux-drive:a//b", Err("contains an empty or `.` component")),
        ];
        for (value, expected) in cases {
            match (read_mirror(value), expected) {
                (Ok((_, path)), Ok(wanted)) => assert_eq!(path, wanted, "{value:?}"),
                (Err(why), Err(words)) => assert!(why.contains(words), "{value:?}: {why}"),
                (got, wanted) => panic!("{value:?}: {got:?}, and {wanted:?} is wanted"),
            }
        }
    }

    // Whoever wrote the actor instead of the name was told "approvers: human:Ada" and "Ada is not one".
    #[test]
    fn an_approver_written_as_an_actor_is_the_person_of_that_name() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join(".kenning");
        std::fs::create_dir(&store).unwrap();
        let file = store.join("config.toml");
        let open = || Config::read(&store, None).unwrap();
        open().set("approvers.human:Ada Lovelace", "yes").unwrap();
        assert_eq!(open().policy().names(), "Ada Lovelace");
        assert!(open().policy().approver("human:Ada Lovelace").is_some());
        assert_eq!(open().get("approvers.human:Ada Lovelace").unwrap(), "yes");
        // A file that was written earlier, and a commit of it.
        let earlier = "[approvers]\n\"human:Ada\" = \"yes\"\nBen = \"yes\"\n";
        std::fs::write(&file, earlier).unwrap();
        for policy in [open().policy(), policy_of(earlier)] {
            assert!(policy.approver("human:Ada").is_some() && policy.approver("human:Ben").is_some());
        }
        open().set("approvers.Ada", "default").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "[approvers]\nBen = \"yes\"\n");
        open().set("approvers.Human: Dea", "yes").unwrap();
        assert!(open().policy().approver("human:Dea").is_some());
        assert!(open().set("approvers.AGENT:codex", "yes").is_err());
        let no = open().set("approvers.human:Ada Lovelace", "no").unwrap_err().to_string();
        assert!(no.contains("or `default` to take them off the list"), "{no}");
        let agent = open().set("approvers.agent:codex", "yes").unwrap_err().to_string();
        assert!(agent.contains("is a person, not an agent"), "{agent}");
    }

    // STO-9: on a file system that takes other spellings for the same folder, they are the same folder.
    #[test]
    fn no_spelling_of_our_own_folders_is_a_mirror() {
        let git = [".git", ".GIT", ".Git", "git~1", "GIT~2", ".git.", ".git ", ".git::$INDEX_ALLOCATION"];
        for name in git.into_iter().chain([".kenning", ".Kenning", "KENNIN~1"]) {
            for path in [name.to_owned(), format!("a/{name}/hooks"), format!("a\\{name}\\hooks")] {
                let why = read_mirror(&format!("flux-drive:{path}/x")).expect_err(&path);
                assert!(why.contains("the store and the .git folder"), "{path:?}: {why}");
            }
        }
    }
}
