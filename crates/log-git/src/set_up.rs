//! `init` and its inverse: the folder, its git attributes, and the hook that flushes before a commit.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ken_engine::{SetUp, SetUpReport};

use crate::git::Git;
use crate::layout::{Layout, STORE_FOLDER, STORE_VERSION};

const CONFIG: &str = "# Settings of this store, shared by everybody who uses the repository. `ken config` lists every key with its default.\n";
const ATTRIBUTES: &str = "*.jsonl -text merge=union\n";
const IGNORE: &str = "INDEX.md\n.local/\n.index/\n.health/\n.review/\n.*.tmp\n";
const EXCLUDE_MARK: &str = "# kenning: a private store";
const HOOK_BEGIN: &str = "# >>> kenning: write out what waits in the journal >>>";
const HOOK_END: &str = "# <<< kenning <<<";

/// The files that make a folder a store.
pub(crate) fn files() -> [(&'static str, String); 4] {
    [
        ("VERSION", format!("{STORE_VERSION}\n")),
        ("config.toml", CONFIG.to_owned()),
        (".gitattributes", ATTRIBUTES.to_owned()),
        (".gitignore", IGNORE.to_owned()),
    ]
}

/// Makes a store, or completes one. Doing it twice is doing it once.
pub fn set_up(layout: &Layout, options: SetUp) -> io::Result<SetUpReport> {
    let mut report = SetUpReport { store: STORE_FOLDER.to_owned(), ..SetUpReport::default() };
    fs::create_dir_all(&layout.store)?;
    for (name, text) in files() {
        let path = layout.store.join(name);
        // A link that leads nowhere is taken, too: nothing is written through it.
        if fs::symlink_metadata(&path).is_err() {
            fs::write(&path, text)?;
            // An empty VERSION after a power loss would keep the store from opening.
            fs::File::open(&path)?.sync_all()?;
            report.done.push(format!("created {STORE_FOLDER}/{name}"));
        }
    }
    match (&layout.git, options.private) {
        (Some(git), true) => report.done.extend(exclude(git)?),
        (None, true) => report
            .done
            .push("this folder is not in a git repository, so the store is private anyway".to_owned()),
        _ => {}
    }
    if options.hooks {
        match &layout.git {
            Some(git) => report.done.extend(install_hook(git)?),
            None => report
                .done
                .push("this folder is not in a git repository, so no hook was installed".to_owned()),
        }
    }
    report.changed = report.done.iter().any(|line| {
        line.starts_with("created") || line.starts_with("installed") || line.starts_with("added")
    });
    Ok(report)
}

/// Takes away what `init` made. Knowledge is never deleted: a store that holds any stays, and the answer says how to delete it.
pub fn remove(layout: &Layout, holds_knowledge: bool) -> io::Result<SetUpReport> {
    let mut report = SetUpReport { store: STORE_FOLDER.to_owned(), ..SetUpReport::default() };
    if let Some(git) = &layout.git {
        report.done.extend(remove_hook(git)?);
    }
    if holds_knowledge {
        report.done.push(format!(
            "{STORE_FOLDER} contains entries and was not changed; to delete it: git rm -r {STORE_FOLDER}"
        ));
    } else {
        if fs::symlink_metadata(&layout.store).is_ok_and(|looks| looks.is_dir()) {
            fs::remove_dir_all(&layout.store)?;
            report.done.push(format!("removed {STORE_FOLDER}"));
        }
        if let Some(git) = &layout.git {
            report.done.extend(unexclude(git)?);
            for folder in [git.common_dir.join("kenning"), git.git_dir.join("kenning")] {
                if folder.exists() {
                    fs::remove_dir_all(&folder)?;
                    report.done.push("removed this clone's journal and index".to_owned());
                }
            }
        }
    }
    report.changed = report.done.iter().any(|line| line.starts_with("removed"));
    Ok(report)
}

fn exclude(git: &Git) -> io::Result<Option<String>> {
    let path = git.common_dir.join("info/exclude");
    let old = fs::read_to_string(&path).unwrap_or_default();
    if old.contains(EXCLUDE_MARK) {
        return Ok(None);
    }
    let break_before = if old.is_empty() || old.ends_with('\n') { "" } else { "\n" };
    fs::create_dir_all(git.common_dir.join("info"))?;
    fs::write(&path, format!("{old}{break_before}{EXCLUDE_MARK}\n/{STORE_FOLDER}/\n"))?;
    Ok(Some(format!("added /{STORE_FOLDER}/ to this clone's info/exclude")))
}

fn unexclude(git: &Git) -> io::Result<Option<String>> {
    let path = git.common_dir.join("info/exclude");
    let Ok(old) = fs::read_to_string(&path) else { return Ok(None) };
    let new = old.replace(&format!("{EXCLUDE_MARK}\n/{STORE_FOLDER}/\n"), "");
    if new == old {
        return Ok(None);
    }
    fs::write(&path, new)?;
    Ok(Some("removed the store from this clone's info/exclude".to_owned()))
}

fn hook_path(git: &Git) -> PathBuf {
    let configured = git.text(&["rev-parse", "--git-path", "hooks"]).unwrap_or_default();
    let folder = if configured.trim().is_empty() {
        git.common_dir.join("hooks")
    } else {
        git.work_tree.join(configured.trim())
    };
    folder.join("pre-commit")
}

fn install_hook(git: &Git) -> io::Result<Vec<String>> {
    let path = hook_path(git);
    let old = fs::read_to_string(&path).unwrap_or_default();
    if old.contains(HOOK_BEGIN) {
        return Ok(Vec::new());
    }
    let shell = old.is_empty()
        || old.lines().next().is_some_and(|line| line.starts_with("#!") && line.contains("sh"));
    if !shell {
        let words = "the pre-commit hook is not a shell script and was not changed; call `ken commit --no-commit --stage` from it";
        return Ok(vec![words.to_owned()]);
    }
    // It fails open: a commit must never be held up by its notes.
    let block = format!(
        "{HOOK_BEGIN}\nif command -v ken >/dev/null 2>&1; then ken commit --no-commit --stage --quiet || true; fi\n{HOOK_END}\n"
    );
    let head = old.lines().next().unwrap_or("#!/bin/sh");
    let rest = old.split_once('\n').map_or("", |(_, rest)| rest);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(&path, format!("{head}\n{block}{rest}"))?;
    make_executable(&path)?;
    Ok(vec!["installed the pre-commit hook (ken commit --no-commit --stage)".to_owned()])
}

fn remove_hook(git: &Git) -> io::Result<Option<String>> {
    let path = hook_path(git);
    let Ok(old) = fs::read_to_string(&path) else { return Ok(None) };
    let (Some(from), Some(to)) = (old.find(HOOK_BEGIN), old.find(HOOK_END)) else { return Ok(None) };
    let rest = old[to + HOOK_END.len()..].strip_prefix('\n').unwrap_or(&old[to + HOOK_END.len()..]);
    let new = format!("{}{rest}", &old[..from]);
    if new.trim() == "#!/bin/sh" {
        fs::remove_file(&path)?;
    } else {
        fs::write(&path, new)?;
    }
    Ok(Some("removed the pre-commit hook".to_owned()))
}

#[cfg(unix)]
fn make_executable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_path: &Path) -> io::Result<()> {
    Ok(())
}
