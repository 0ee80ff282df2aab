//! `status`: where one stands. Only what is already known is told: no anchor is compared with the code, and it says when that was last done.

use crate::last_check::last_check;
use ken_engine::ops::brief::{Briefing, Holds, Waiting};
use ken_engine::ops::queue::{self, QueueCounts};
use ken_engine::{Caller, Ledger};
use serde::Serialize;

use crate::foreign::{ChangedSource, SourcesAsked};
use crate::limits::status::SOURCES_READ_MAX;
use crate::{Error, ModelsInUse, Query, Result, Site};

/// The next step where there is no store.
pub(crate) const INIT: &str = "ken init";
/// Folders of a store with a file for each entry, apart from the citations in them.
const ENTRY_FOLDERS: [&str; 2] = ["semantic/v1/", "procedural/v1/"];

/// What `status` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StatusAnswer {
    /// Nothing where there is no store.
    #[serde(flatten)]
    pub standing: Option<Standing>,
    /// The command that is most worth running now.
    pub next: String,
}

/// What a store holds, what changed in it, what is broken and what waits.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Standing {
    /// Entries by status.
    pub holds: Holds,
    /// Changes since the last commit; none where git does not track the store.
    pub uncommitted: Option<Uncommitted>,
    /// Entries that no longer hold, as of the last check.
    pub broken: usize,
    /// Entries whose code changed, as of the last check; they may still hold.
    pub drifted: usize,
    /// When all entries were last compared with the code; none if never in this worktree.
    pub checked_at: Option<String>,
    /// Lines of ledger files that cannot be read.
    pub damaged_lines: usize,
    /// What waits for a person.
    pub waiting: Attention,
    /// Imported files that no longer say what was imported from them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed_sources: Vec<ChangedSource>,
}

/// Entries that differ from the last commit. One file of records (citations, signals, runs) has many, so only entries are counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Uncommitted {
    /// Entries whose file is not in the last commit.
    pub added: usize,
    /// Entries whose file has new lines.
    pub changed: usize,
    /// Entries whose file is gone.
    pub removed: usize,
    /// Other files of the store that changed: records, settings.
    pub other_files: usize,
}

/// What waits for a person.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Attention {
    /// What the queue asks about, and what was kept out.
    #[serde(flatten)]
    pub queue: Waiting,
    /// Pairs of entries that contradict each other.
    pub contradictions: usize,
    /// Edited and deleted files of mirrors that a person decides about.
    pub held: usize,
    /// How many items the queue has, entries whose code changed included, as of the last check.
    pub open: usize,
    /// Promotions that nobody approved or rejected yet.
    pub approvals: usize,
}

impl Uncommitted {
    /// Whether everything is committed.
    pub fn is_empty(&self) -> bool {
        *self == Uncommitted::default()
    }

    /// Reads what `git status --porcelain -z --ignored` prints about the store's folder; none where git ignores all of it.
    fn read(printed: &str, folder: &str) -> Option<Uncommitted> {
        let mut found = Uncommitted::default();
        for line in printed.split('\0').filter(|line| line.len() > 3) {
            let (code, path) = line.split_at(3);
            let inside = path.strip_prefix(folder).unwrap_or(path).trim_start_matches('/');
            let is_entry = ENTRY_FOLDERS.iter().any(|folder| inside.starts_with(folder))
                && !inside.contains("/provenance/");
            match (is_entry, code.trim()) {
                (_, "!!") if inside.is_empty() => return None,
                (_, "!!") => {}
                // The page is made from the index; it holds no knowledge of its own.
                (false, _) if inside == "INDEX.md" => {}
                (false, _) => found.other_files += 1,
                (true, "??" | "A" | "AM") => found.added += 1,
                (true, "D" | "AD" | "MD") => found.removed += 1,
                (true, _) => found.changed += 1,
            }
        }
        Some(found)
    }
}

impl Standing {
    /// The one command that is most worth running now.
    fn next(&self) -> &'static str {
        let changes = self.uncommitted.as_ref().is_some_and(|changes| !changes.is_empty());
        match self {
            _ if self.damaged_lines > 0 => "ken verify",
            _ if self.holds.entries == 0 => "ken add 'what was learned' --evidence commit:HASH",
            _ if self.broken + self.drifted > 0 => "ken queue",
            _ if self.waiting.approvals > 0 => "ken promote list",
            _ if self.waiting.open > 0 => "ken queue",
            _ if self.waiting.queue.rejected > 0 => "ken quarantine list",
            _ if changes => "ken commit",
            _ => "ken search 'what you are about to do'",
        }
    }
}

/// Where one stands. It costs no look at the code and records nothing.
pub fn status(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
) -> Result<StatusAnswer> {
    // Git reads the folder meanwhile.
    let uncommitted = ask_uncommitted(site);
    let thread = crate::thread::thread_or(ledger, caller, None)?;
    let Briefing { mut holds, broken, drifted, waiting, .. } =
        crate::brief::briefing(ledger, site, caller, thread)?;
    if let Some(global) = crate::recall::global_to_ask(ledger, site, caller) {
        holds.global = global.ledger.list(&Query { limit: 1, ..Query::default() })?.total;
        site.workspace.take_back(global);
    }
    let standing = Standing {
        holds,
        uncommitted: uncommitted.map_or(Ok(None), |asked| asked())?,
        broken,
        drifted,
        checked_at: last_check(site.state()).map(|at| at.to_string()),
        damaged_lines: ledger.snapshot().problem_count()?,
        waiting: attention(ledger, site, models, caller, waiting, broken + drifted)?,
        changed_sources: crate::foreign::sources::outdated_imports(
            ledger,
            site,
            SourcesAsked { root: None, brief: Some(SOURCES_READ_MAX) },
        )?,
    };
    let next = standing.next().to_owned();
    Ok(StatusAnswer { standing: Some(standing), next })
}

/// What waits for a person, counted as the queue counts it.
fn attention(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    waiting: Waiting,
    fallen: usize,
) -> Result<Attention> {
    let held = crate::foreign::sync::held::held_changes(ledger, site, models, caller)?;
    let QueueCounts { contradictions, duplicates, drafts, held, .. } = queue::waiting(&**ledger, &held)?;
    Ok(Attention {
        queue: Waiting { duplicates, drafts, ..waiting },
        contradictions,
        held,
        open: fallen + held + contradictions + duplicates + drafts,
        approvals: crate::promote::promotions(ledger, false)?.len(),
    })
}

/// Asks git what differs from the last commit, and gives what waits for its answer; none where git does not track the store.
fn ask_uncommitted(site: &Site) -> Option<impl FnOnce() -> Result<Option<Uncommitted>> + use<>> {
    let git = site.layout.git.clone().filter(|_| site.pool().is_in_folder())?;
    let folder = site.layout.store.strip_prefix(&git.work_tree).ok()?;
    let folder = folder.to_string_lossy().replace('\\', "/");
    let asking = std::thread::spawn(move || {
        let asked =
            ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--ignored=matching"];
        let printed = git.bytes(&[asked.as_slice(), &["--", &folder]].concat())?;
        Ok(Uncommitted::read(&String::from_utf8_lossy(&printed), &folder))
    });
    let ended = || std::io::Error::other("the thread that asked ended early");
    Some(move || {
        let answer = asking.join().unwrap_or_else(|_| Err(ended()));
        answer.map_err(Error::failed("asking git what changed in the store"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(printed: &str) -> Option<Uncommitted> {
        Uncommitted::read(&printed.replace('\n', "\0"), ".kenning")
    }

    #[test]
    fn entries_are_counted_by_their_files_and_records_apart() {
        let printed = "?? .kenning/semantic/v1/entities/lesson.one.jsonl\n M .kenning/semantic/v1/entities/lesson.two.jsonl\n\
            A  .kenning/procedural/v1/commit_norms/norm.commit.001.jsonl\n D .kenning/semantic/v1/entities/lesson.three.jsonl\n\
            ?? .kenning/semantic/v1/provenance/2026-11.6841a2628743.jsonl\n M .kenning/INDEX.md\n!! .kenning/.local/\n";
        let found = read(printed).unwrap();
        assert_eq!(found, Uncommitted { added: 2, changed: 1, removed: 1, other_files: 1 });
    }

    #[test]
    fn a_store_that_git_ignores_has_nothing_to_commit() {
        assert_eq!(read("!! .kenning/\n"), None);
        assert_eq!(read(""), Some(Uncommitted::default()));
    }
}
