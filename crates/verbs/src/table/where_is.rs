//! `ken status --stores`.

use ken_engine::Result;
use ken_worktree::Layout;
use serde::Serialize;

use crate::connection::{Connected, connected};
use crate::requests::NoFields;
use crate::verb::{Call, Group, Nature, Verb, sorted};
use crate::{Options, Reach};

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
