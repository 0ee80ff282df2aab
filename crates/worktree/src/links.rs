//! Where paths lead when links are followed. Looking at a tree never touches what lies outside of it: neither what is there nor whether
//! anything is shows in an answer.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::limits::LINKS_MAX;

/// Where a path of a tree leads.
#[derive(Debug)]
pub enum Way {
    /// To something inside the tree; no link is left on the way.
    At(PathBuf),
    /// To nothing, inside the tree.
    Nowhere,
    /// Out of the tree. Nobody looked whether anything is there.
    Outside,
}

/// Follows a path from a folder of a tree. The root and the folder have no links on their way.
pub fn follow(root: &Path, folder: &Path, path: &Path) -> io::Result<Way> {
    let mut at = folder.to_owned();
    let Some(mut left) = steps(root, path, &mut at) else { return Ok(Way::Outside) };
    let mut links = 0;
    while let Some(step) = left.pop() {
        if step == ".." {
            at.pop();
            continue;
        }
        let next = at.join(&step);
        // Above the root there is one way back, and no other name is looked at.
        if root.starts_with(&next) {
            at = next;
            continue;
        }
        if !next.starts_with(root) {
            return Ok(Way::Outside);
        }
        match fs::symlink_metadata(&next) {
            Ok(looks) if looks.is_symlink() => {
                links += 1;
                if links > LINKS_MAX {
                    return Err(too_many_links(&next));
                }
                let target = fs::read_link(&next)?;
                match steps(root, &target, &mut at) {
                    Some(more) => left.extend(more),
                    None => return Ok(Way::Outside),
                }
            }
            Ok(_) => at = next,
            Err(error) if is_missing(&error) => return Ok(Way::Nowhere),
            Err(error) => return Err(error),
        }
    }
    Ok(if at.starts_with(root) { Way::At(at) } else { Way::Outside })
}

/// The path that a program writes to which is given this one: links are followed, wherever they lead, and what is not there yet stays as
/// it is written.
pub fn real(path: &Path) -> PathBuf {
    let mut at = PathBuf::new();
    let mut left: Vec<OsString> = path.components().rev().map(|part| part.as_os_str().to_owned()).collect();
    let mut links = 0;
    while let Some(step) = left.pop() {
        if step == ".." {
            at.pop();
            continue;
        }
        let next = at.join(&step);
        match fs::read_link(&next) {
            Ok(target) if links < LINKS_MAX => {
                links += 1;
                left.extend(target.components().rev().map(|part| part.as_os_str().to_owned()));
            }
            // No link, or nothing at all.
            Ok(_) | Err(_) => at = next,
        }
    }
    at
}

/// The names on a path, the last one first. An absolute path begins at the root if it leads there by any name, and else is none of ours.
fn steps(root: &Path, path: &Path, at: &mut PathBuf) -> Option<Vec<OsString>> {
    let relative = if path.is_absolute() {
        let top = path.ancestors().find(|top| top.canonicalize().is_ok_and(|top| top == root))?;
        root.clone_into(at);
        path.strip_prefix(top).ok()?
    } else {
        path
    };
    let mut steps = Vec::new();
    for part in relative.components().rev() {
        match part {
            Component::Normal(_) | Component::ParentDir => steps.push(part.as_os_str().to_owned()),
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir => return None,
        }
    }
    Some(steps)
}

fn is_missing(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidFilename, InvalidInput, NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory | InvalidFilename | InvalidInput)
}

/// In the words of the system, where it has some.
fn too_many_links(path: &Path) -> io::Error {
    path.canonicalize().err().unwrap_or_else(|| io::Error::other("too many links"))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A tree, its neighbour, and links from the one into the other.
    fn world() -> (tempfile::TempDir, PathBuf) {
        let world = tempfile::tempdir().unwrap();
        let top = world.path().canonicalize().unwrap();
        let root = top.join("tree");
        fs::create_dir_all(root.join("src/deep")).unwrap();
        fs::create_dir_all(top.join("outside")).unwrap();
        fs::write(root.join("src/a.rs"), "a").unwrap();
        fs::write(top.join("outside/secret"), "s").unwrap();
        for (target, name) in [
            ("src/a.rs", "plain"),
            ("../tree/src/a.rs", "around"),
            ("../outside/secret", "there"),
            ("../outside/nothing", "not_there"),
            ("../outside", "folder"),
            ("/etc/hostname", "absolute"),
            ("..", "up"),
            ("gone", "dangling"),
            ("loop", "loop"),
            ("src/deep", "deep"),
        ] {
            symlink(target, root.join(name)).unwrap();
        }
        symlink(root.join("src/a.rs"), root.join("whole")).unwrap();
        (world, root)
    }

    #[test]
    fn a_link_out_of_a_tree_tells_nothing_of_what_is_there() {
        let (_world, root) = world();
        let way = |path: &str| match follow(&root, &root, Path::new(path)) {
            Ok(Way::At(at)) => at.strip_prefix(&root).unwrap().display().to_string(),
            Ok(Way::Nowhere) => "nowhere".to_owned(),
            Ok(Way::Outside) => "outside".to_owned(),
            Err(_) => "error".to_owned(),
        };
        for (path, leads) in [
            ("src/a.rs", "src/a.rs"),
            ("plain", "src/a.rs"),
            ("around", "src/a.rs"),
            ("whole", "src/a.rs"),
            ("deep/../a.rs", "src/a.rs"),
            ("src/a.rs/x", "nowhere"),
            ("dangling", "nowhere"),
            ("there", "outside"),
            ("not_there", "outside"),
            ("folder/secret", "outside"),
            ("folder/nothing", "outside"),
            ("absolute", "outside"),
            ("up", "outside"),
            ("up/outside/secret", "outside"),
            ("up/tree/src/a.rs", "src/a.rs"),
            ("loop", "error"),
        ] {
            assert_eq!(way(path), leads, "{path}");
        }
    }

    #[test]
    fn a_write_goes_where_the_link_leads_also_to_what_is_not_there_yet() {
        let (_world, root) = world();
        let top = root.parent().unwrap();
        for (path, leads) in [
            ("tree/plain", "tree/src/a.rs"),
            ("tree/deep/new.rs", "tree/src/deep/new.rs"),
            ("tree/deep/../b.rs", "tree/src/b.rs"),
            ("tree/dangling", "tree/gone"),
            ("tree/folder/x", "outside/x"),
            ("tree/none/x", "tree/none/x"),
        ] {
            assert_eq!(real(&top.join(path)), top.join(leads), "{path}");
        }
    }
}
