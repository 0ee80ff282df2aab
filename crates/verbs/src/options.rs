//! How a store is opened, as an edge or a program says it.

use std::env;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ken_worktree::{Layout, Parser, STORE_FOLDER};

/// How to open a store: what the environment says, or what a program chooses.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Where to start looking for a store.
    pub from: PathBuf,
    /// The store itself, when it is named (`KEN_STORE`, `--store`).
    pub store: Option<PathBuf>,
    /// Use the global store.
    pub global: bool,
    /// The folder of the global store (`KEN_GLOBAL`).
    pub global_folder: Option<PathBuf>,
    /// Read and write files of the repository alone (`KEN_INSIDE`): a door that others come through says so.
    pub inside: bool,
    /// Record nothing (`KEN_READONLY`).
    pub read_only: bool,
    /// Take no meanings: words alone answer (`KEN_NO_MODEL`, `--no-model`).
    pub no_model: bool,
    /// Ask no server for meanings, whatever the settings say: somebody waits who must not wait long.
    pub offline: bool,
    /// A process of its own may make missing vectors (`KEN_BACKGROUND=0` forbids it).
    pub background: bool,
    /// How the grammars are run that read code.
    pub parser: Parser,
    /// Programs that verification steps may start, beside those of the clone's settings (`KEN_CHECK_ALLOW`).
    pub allowed_commands: Option<String>,
    /// The server that takes meanings, or the confirmation of the one in the settings (`KEN_EMBEDDER_URL`).
    pub embedder_url: Option<String>,
    /// The key of that server (`KEN_EMBEDDER_KEY`).
    pub embedder_key: Option<Secret>,
    /// The key of OpenAI (`OPENAI_API_KEY`); no other host ever sees it.
    pub openai_key: Option<Secret>,
    /// The key of the server of the judge (`KEN_JUDGE_KEY`).
    pub judge_key: Option<Secret>,
    /// The key of Anthropic (`ANTHROPIC_API_KEY`); no other host ever sees it.
    pub anthropic_key: Option<Secret>,
    /// No hook does anything (`KEN_HOOKS=0`).
    pub hooks_off: bool,
    /// What each hook may take (`KEN_HOOK_TIMEOUT_MS`).
    pub hook_limit: Option<Duration>,
    /// Folders of the projects that a host was opened for, as it tells its hooks (`CLAUDE_PROJECT_DIR` and the like).
    pub projects: Vec<PathBuf>,
}

impl Options {
    /// What a program says: a folder to start from, nothing of the environment.
    pub fn at(from: impl AsRef<Path>) -> Options {
        Options { from: from.as_ref().to_owned(), ..Options::default() }
    }

    /// The folder whose store is the global one.
    pub fn global_root(&self) -> PathBuf {
        if let Some(folder) = &self.global_folder {
            return folder.clone();
        }
        let data = env::var_os("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        let home =
            env::var_os("HOME").or_else(|| env::var_os("USERPROFILE")).map(PathBuf::from).unwrap_or_default();
        data.unwrap_or_else(|| home.join(".local/share")).join("kenning")
    }

    /// The places of the store that is meant; none where there is no store.
    pub fn find(&self) -> Option<Layout> {
        if self.global {
            // Every search asks: where there is no global store, nothing else is looked for.
            let root = self.global_root();
            return root.join(STORE_FOLDER).join("VERSION").is_file().then(|| Layout::at(&root));
        }
        match &self.store {
            Some(folder) => {
                let layout = named(folder);
                layout.store.join("VERSION").is_file().then_some(layout)
            }
            None => Layout::find(&self.from),
        }
    }

    /// The places where a new store would be.
    pub fn place_for_new(&self) -> Layout {
        match (&self.store, self.global) {
            (_, true) => Layout::at(&self.global_root()),
            (Some(folder), false) => named(folder),
            (None, false) => Layout::for_new(&self.from),
        }
    }
}

/// The store that a named folder is or holds.
fn named(folder: &Path) -> Layout {
    let is_store =
        folder.join("VERSION").is_file() || folder.file_name().is_some_and(|name| name == STORE_FOLDER);
    if !is_store {
        return Layout::at(folder);
    }
    let root = folder.parent().map(Path::to_owned).unwrap_or_else(|| PathBuf::from("."));
    let root = if root.as_os_str().is_empty() { PathBuf::from(".") } else { root };
    Layout { store: folder.to_owned(), ..Layout::at(&root) }
}

/// A text that is handed on and never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps a text from being printed.
    pub fn new(text: impl Into<String>) -> Secret {
        Secret(text.into())
    }

    /// The text, for whoever needs it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("[hidden]")
    }
}
