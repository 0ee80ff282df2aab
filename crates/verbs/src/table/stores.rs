//! The verbs about stores themselves: init, where, config, migrate.

use crate::request::Request;
use ken_core::weights::{Signals, Weights};
use ken_core::{Code, Refusal, admission, score};
use ken_engine::intake::ADMISSION;
use ken_engine::ops::search::SCORING;
use ken_engine::{Result, SetUp, SetUpReport};
use ken_worktree::{Layout, STORE_VERSION};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::NoFields;
use crate::config::SettingView;
use crate::connection::{Connected, connected};
use crate::verb::{Call, ForAdmins, Group, HttpPath, Nature, Verb, sorted};
use crate::{Options, Reach, Workspace, read_content};

/// Create a store in this repository.
pub struct Init;

/// What `init` takes.
#[derive(Clone, Debug, Request)]
pub struct InitRequest {
    /// Keep the store out of git
    #[field(long)]
    pub private: bool,
    /// Install a pre-commit hook that flushes the journal
    #[field(long)]
    pub hooks: bool,
    /// Offer example norms, accepted one by one in a terminal
    #[field(long)]
    pub with_norms: bool,
    /// Remove what init created; entries are never deleted
    #[field(long, conflicts("private", "hooks", "with_norms"))]
    pub remove: bool,
}

impl Verb for Init {
    const NAME: &'static str = "init";
    const ABOUT: &'static str = "Create a store in this repository";
    const EXAMPLE: &'static str = "ken init --hooks";
    const GROUP: Group = Group::Begin;
    const NATURE: Nature = Nature::WRITES.at_terminal();
    const EVERYDAY: bool = true;
    type Request = InitRequest;
    type Answer = SetUpReport;

    /// Makes or removes the store. Example norms are offered by the terminal, one by one, once there is a store.
    fn run(call: &mut Call, request: InitRequest) -> Result<SetUpReport> {
        match request.remove {
            true => Workspace::remove(call.adapters(), call.options()),
            false => Workspace::init(
                call.adapters(),
                call.options(),
                SetUp { private: request.private, hooks: request.hooks },
            ),
        }
    }
}

/// Show which stores apply here and why.
pub struct Where;

/// What `where` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WhereAnswer {
    /// Who acts.
    pub actor: String,
    /// Where the global store is, if there is one.
    pub global: Option<StorePlaces>,
    /// The folder of the global store, whether there is one or not.
    pub global_folder: String,
    /// How many entries agents may be handed here, where that can be told.
    pub handed_out: Option<usize>,
    /// The agent hosts that are connected here.
    #[serde(serialize_with = "sorted")]
    pub hosts: Vec<Connected>,
    /// Where the store of this project is, if there is one.
    pub project: Option<StorePlaces>,
    /// Whether nothing is recorded.
    pub read_only: bool,
    /// Why that is the store of this project, or why there is none.
    pub why: &'static str,
}

/// Where the parts of a store are.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StorePlaces {
    /// The branch, where the store is in a repository; empty where none is checked out.
    pub branch: Option<String>,
    /// The index.
    pub index: String,
    /// The journal.
    pub journal: String,
    /// The ledger's folder.
    pub store: String,
    /// The name of the working tree, where the store is in a repository.
    pub worktree: Option<String>,
}

impl StorePlaces {
    fn new(layout: &Layout) -> StorePlaces {
        let git = layout.git.as_ref();
        StorePlaces {
            branch: git.map(|git| git.branch()),
            index: layout.tree_home().join("index").display().to_string(),
            journal: layout.clone_home().join("journal").display().to_string(),
            store: layout.store.display().to_string(),
            worktree: git.map(|git| git.tree_name()),
        }
    }
}

impl Verb for Where {
    const NAME: &'static str = "status --stores";
    const FORMER: &'static [&'static str] = &["where"];
    const ABOUT: &'static str = "Show which stores apply here and why";
    const EXAMPLE: &'static str = "ken status --stores";
    const GROUP: Group = Group::Begin;
    const NATURE: Nature = Nature::READS;
    type Request = NoFields;
    type Answer = WhereAnswer;

    fn run(call: &mut Call, _: NoFields) -> Result<WhereAnswer> {
        // What lies in no folder is nowhere, and can still be counted.
        let in_no_folder = call
            .opened()
            .filter(|ken| !ken.site.pool().is_in_folder())
            .map(|ken| crate::list::handed_out(&ken.ledger).ok());
        let options = call.options();
        let here = (Options { global: false, ..options.clone() }).find().filter(|_| in_no_folder.is_none());
        let global = (Options { global: true, ..options.clone() }).find();
        let why = match (&options.store, &here) {
            _ if in_no_folder.is_some() => "opened by this program; it lies in no folder",
            (Some(_), _) => "named by --store or KEN_STORE",
            (None, Some(layout)) if layout.store.join("VERSION").is_file() => "found by walking up from here",
            (None, Some(_)) => "this branch has no store folder, but this clone has a journal",
            (None, None) => "none in this folder or any parent; `ken init` creates one",
        };
        // A store that cannot be opened is for `ken doctor`; this says where things are, and makes nothing.
        let has_index = here.as_ref().is_some_and(|layout| layout.tree_home().join("index").is_dir());
        let open = || {
            crate::list::handed_out(
                &Reach::open(call.adapters(), options.clone(), call.caller().clone()).ok()?.ledger,
            )
            .ok()
        };
        Ok(WhereAnswer {
            actor: call.caller().actor().to_owned(),
            global: global.as_ref().map(StorePlaces::new),
            global_folder: options.global_root().display().to_string(),
            handed_out: match in_no_folder {
                Some(count) => count,
                None if has_index => open(),
                None => None,
            },
            hosts: connected(options),
            project: here.as_ref().map(StorePlaces::new),
            read_only: options.read_only,
            why,
        })
    }
}

/// Read and change settings.
pub struct Config;

/// What `config` takes.
#[derive(Clone, Debug, Request)]
pub struct ConfigRequest {
    /// Setting (default: list all)
    pub key: Option<String>,
    /// New value; weights such as semantic=0.5; or `default`
    pub value: Vec<String>,
}

/// What `config` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum ConfigAnswer {
    /// A setting as it stands.
    Value {
        /// Its dotted key.
        key: String,
        /// Its value.
        value: String,
    },
    /// A setting that was changed.
    Changed {
        /// Its dotted key.
        key: String,
        /// Its new value.
        value: String,
    },
    /// Every setting.
    All {
        /// In the order in which they are shown.
        #[serde(serialize_with = "sorted")]
        settings: Vec<SettingView>,
    },
    /// Weights, as they stand now.
    Weights(NamedWeights),
}

/// Weights with their name.
#[derive(Clone, Debug)]
pub struct NamedWeights {
    /// What they are called.
    pub name: &'static str,
    /// Each signal with its weight, in the order in which they are shown.
    pub weights: Vec<(&'static str, f64)>,
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for NamedWeights {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "NamedWeights".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let weights = serde_json::json!({"type": "object", "additionalProperties": {"type": "number"}});
        schemars::json_schema!({"type": "object", "additionalProperties": weights})
    }
}

impl Serialize for NamedWeights {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let weights: Map<String, Value> = self
            .weights
            .iter()
            .map(|(signal, weight)| ((*signal).to_owned(), Value::from(*weight)))
            .collect();
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(self.name, &weights)?;
        map.end()
    }
}

impl Verb for Config {
    const NAME: &'static str = "config";
    const ABOUT: &'static str = "Read and change settings";
    const EXAMPLE: &'static str = "ken config list.limit 100";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/config"), HttpPath::new("PATCH", "/config")];
    const FOR_ADMINS: ForAdmins = ForAdmins::ToWrite;
    const GROUP: Group = Group::KeepInOrder;
    const NATURE: Nature = Nature::WRITES;
    type Request = ConfigRequest;
    type Answer = ConfigAnswer;

    fn run(call: &mut Call, request: ConfigRequest) -> Result<ConfigAnswer> {
        let ken = call.reach()?;
        let value = (!request.value.is_empty()).then(|| request.value.join(" "));
        Ok(match (request.key, value) {
            (Some(key), value) if key == SCORING => {
                ConfigAnswer::Weights(weights::<score::Signal>(ken, SCORING, value.as_deref())?)
            }
            (Some(key), value) if key == ADMISSION => {
                ConfigAnswer::Weights(weights::<admission::Signal>(ken, ADMISSION, value.as_deref())?)
            }
            (Some(key), Some(value)) => {
                crate::config::set_setting(&ken.ledger, &mut ken.site.config, &ken.caller, &key, &value)?;
                if key.starts_with("embedder.") {
                    // Another model makes its own vectors; until they are there, words answer for what lacks one.
                    let Reach { ledger, site, models, .. } = call.reopen()?;
                    crate::embedding::embed_in_background(ledger, site, models);
                }
                ConfigAnswer::Changed { key, value }
            }
            (Some(key), None) => {
                let value = ken_guard::redact(&ken.site.config.get(&key)?).into_owned();
                ConfigAnswer::Value { key, value }
            }
            (None, _) => {
                let mut settings = ken.site.config.all();
                // The file may have been written by hand, or by somebody else.
                for setting in &mut settings {
                    setting.value = ken_guard::redact(&setting.value).into_owned();
                }
                ConfigAnswer::All { settings }
            }
        })
    }

    fn only_reads(request: &ConfigRequest) -> bool {
        request.value.is_empty()
    }
}

/// Weights are everybody's: changing them is an event, not a line of the settings file (OUT-2, IN-5).
fn weights<S: Signals>(ken: &mut Reach, name: &'static str, value: Option<&str>) -> Result<NamedWeights> {
    match value {
        None => {}
        Some("default") => {
            crate::recall::set_weights::<S>(&mut ken.ledger, &ken.site.config, &ken.caller, name, None)?
        }
        Some(text) => {
            let mut weights = crate::recall::weights::<S>(&ken.ledger, name)?.written();
            if text.trim_start().starts_with('{') {
                weights = read_content(text)?;
            } else {
                for pair in text.split([' ', ',']).filter(|pair| !pair.is_empty()) {
                    let number = pair
                        .split_once('=')
                        .and_then(|(name, number)| Some((name, number.parse::<f64>().ok()?)));
                    let Some((signal, number)) = number else {
                        let example = S::ALL[0].0.word();
                        let message =
                            format!("invalid weight {pair:?}; expected NAME=NUMBER, such as {example}=0.5");
                        return Err(Refusal::new(Code::Invalid, message).field(name).into());
                    };
                    weights.insert(signal.to_owned(), number.into());
                }
            }
            let weights = Weights::<S>::read(&Value::Object(weights)).map_err(|problem| {
                Refusal::new(Code::Invalid, problem)
                    .field(name)
                    .hint(format!("`ken config {name}` lists the weights"))
            })?;
            crate::recall::set_weights(&mut ken.ledger, &ken.site.config, &ken.caller, name, Some(&weights))?;
        }
    }
    Ok(NamedWeights { name, weights: crate::recall::weights::<S>(&ken.ledger, name)?.each().collect() })
}

/// Migrate a store to this version.
pub struct Migrate;

/// What `migrate` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MigrateAnswer {
    /// Whether anything was to be moved.
    pub migrated: bool,
    /// The version that the store is of.
    pub version: &'static str,
    /// Entries whose earlier trust now names the words that it was earned for.
    #[serde(skip_serializing_if = "is_zero")]
    pub pinned: usize,
    /// Whether git no longer tracks INDEX.md. A `git commit` records that.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub index_page_untracked: bool,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Verb for Migrate {
    const NAME: &'static str = "maintain migrate";
    const FORMER: &'static [&'static str] = &["migrate"];
    const ABOUT: &'static str = "Migrate a store to this version";
    const EXAMPLE: &'static str = "ken maintain migrate";
    const GROUP: Group = Group::KeepInOrder;
    const NATURE: Nature = Nature::WRITES.at_terminal();
    type Request = NoFields;
    type Answer = MigrateAnswer;

    fn run(call: &mut Call, _: NoFields) -> Result<MigrateAnswer> {
        let ken = call.reach()?;
        ken.ledger.may_write()?;
        let pinned = crate::edit::pin_words(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller)?;
        let index_page_untracked = crate::commit::untrack_index_page(&ken.ledger, &ken.site.layout)?;
        let migrated = pinned > 0 || index_page_untracked;
        Ok(MigrateAnswer { migrated, version: STORE_VERSION, pinned, index_page_untracked })
    }
}
