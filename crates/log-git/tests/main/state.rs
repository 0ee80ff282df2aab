//! What every place for small state promises, over files and in memory; and the page that lists all of it.

use std::ops::Deref;

use ken_engine::state::OnPurge;
use ken_engine::{CloneState, MemoryState, RecordForm, RecordKind, RecordScope};
use ken_log_git::{FileState, Layout};

mod in_memory {
    ken_testkit::state_stories!(Box::new(super::MemoryState::default()));
}

mod in_files {
    ken_testkit::state_stories!(super::files());
}

/// Small state in files of a folder, which goes with it.
struct Files(FileState, #[allow(dead_code, reason = "it holds the folder")] tempfile::TempDir);

impl Deref for Files {
    type Target = dyn CloneState;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

fn files() -> Files {
    let folder = tempfile::tempdir().unwrap();
    let layout = Layout { store: folder.path().join(".kenning"), root: folder.path().to_owned(), git: None };
    Files(FileState::new(layout), folder)
}

#[test]
fn the_page_lists_every_kind() {
    let mut table =
        "| record | of a | form | bytes at most | kept | a purge |\n|---|---|---|---|---|---|\n".to_owned();
    for kind in RecordKind::ALL {
        let rules = kind.rules();
        let scope = match rules.scope {
            RecordScope::Clone => "clone",
            RecordScope::Worktree => "worktree",
            RecordScope::Store => "store",
        };
        let form = match rules.form {
            RecordForm::Whole => "whole",
            RecordForm::DurableWhole => "durable whole",
            RecordForm::List => "list",
            RecordForm::DurableList => "durable list",
            RecordForm::RollingList => "rolling list",
        };
        let age =
            rules.kept.map(|kept| format!("{} days", kept.as_secs() / 86_400).replace("1 days", "a day"));
        let count = rules.records_max.map(|most| format!("{most} of them"));
        let kept: Vec<String> = age.into_iter().chain(count).collect();
        let purge = match rules.on_purge {
            OnPurge::Stays => "holds no text of entries",
            OnPurge::Removed => "removes it",
            OnPurge::Reworded => "removes it; all of them, where an entry goes",
            OnPurge::Lines => "takes lines out",
            OnPurge::Edited(_) => "empties it",
        };
        let (pattern, bytes, kept) = (rules.pattern, rules.bytes_max, kept.join(", "));
        table.push_str(&format!("| `{pattern}` | {scope} | {form} | {bytes} | {kept} | {purge} |\n"));
    }
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/internals/small-state.md");
    let before = std::fs::read_to_string(page).unwrap();
    let (text, _) = before.split_once("<!-- kinds -->\n").expect("the page has a place for the table");
    expect_test::expect_file![page].assert_eq(&format!("{text}<!-- kinds -->\n\n{table}"));
}
