//! What a tree says of its files, and what it does not touch.

use std::collections::HashMap;
use std::fs::{self, File};

use ken_worktree::git::Git;
use ken_worktree::{CommitTree, Look, Tree, WorkingTree, blob_id};

use crate::world::{World, run};

fn told(look: Look) -> String {
    match look {
        Look::Absent => "absent".to_owned(),
        Look::Folder => "folder".to_owned(),
        Look::File { blob, size } => format!("file {} {size}", &blob[..7]),
        Look::Unknown(why) => why.to_string(),
    }
}

#[test]
fn both_trees_see_the_same_files() {
    let world = World::new(&[("src/a.rs", "fn a() {}\n"), ("b c/ü.txt", "x"), (".gitignore", "/target\n")]);
    world.write("target/x", b"");
    world.write(".kenning/config.toml", b"");
    for tree in [&mut world.tree() as &mut dyn Tree, &mut world.at("HEAD"), &mut world.at("main")] {
        assert_eq!(told(tree.look("src/a.rs")), format!("file {} 10", &blob_id(b"fn a() {}\n")[..7]));
        assert_eq!(tree.read("src/a.rs").unwrap().unwrap(), b"fn a() {}\n");
        assert_eq!(tree.read("b c/ü.txt").unwrap().unwrap(), b"x");
        assert_eq!(told(tree.look("src")), "folder");
        assert_eq!(told(tree.look("src/b.rs")), "absent");
        assert_eq!(told(tree.look("src/a.rs/b")), "absent");
        assert_eq!(told(tree.look("../src")), "absent");
        assert_eq!(tree.read("src").unwrap(), None);
        assert_eq!(tree.list().unwrap().to_vec(), [".gitignore", "b c/ü.txt", "src/a.rs"]);
        assert_eq!(tree.since("src/a.rs"), Some(1_700_000_000));
        assert!(told(tree.look(".git/config")).contains(".git"));
        assert!(tree.read(".git/config").is_err());
    }
}

#[test]
fn the_listing_is_that_of_the_disk() {
    let world = World::new(&[("a", "1"), ("b", "2")]);
    fs::remove_file(world.root().join("a")).unwrap();
    world.write("c", b"3");
    assert_eq!(world.tree().list().unwrap().to_vec(), ["b", "c"]);
    assert_eq!(world.at("HEAD").list().unwrap().to_vec(), ["a", "b"]);
}

#[test]
fn changes_have_their_time() {
    let world = World::new(&[("a", "1"), ("b", "2"), ("d/c", "3")]);
    world.write("b", b"22");
    world.commit("second", 1_700_000_500);
    world.write("d/c", b"33");
    let mut tree = world.tree();
    assert_eq!(tree.since("a"), Some(1_700_000_000));
    assert_eq!(tree.since("b"), Some(1_700_000_500));
    let written = fs::metadata(world.root().join("d/c")).unwrap().modified().unwrap();
    let written = written.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs() as i64;
    assert_eq!(tree.since("d/c"), Some(written), "not committed yet");
    assert_eq!(tree.since("none"), None);
    let mut first = world.at("HEAD~1");
    assert_eq!(first.since("b"), Some(1_700_000_000));
    assert_eq!(first.read("b").unwrap().unwrap(), b"2");
}

#[test]
fn known_blobs_are_used_again_unless_the_file_was_just_written() {
    let world = World::new(&[("a", "1")]);
    let mut tree = world.tree();
    tree.look("a");
    assert!(tree.has_learned());
    let mut known = tree.into_known();
    let again = |known: HashMap<String, ken_worktree::KnownBlob>| {
        let mut tree = WorkingTree::new(&world.root(), Some(&world.found()), known);
        (told(tree.look("a")), tree.has_learned())
    };
    assert!(again(known.clone()).1, "taken within a moment of the write: not trusted");
    let entry = known.get_mut("a").unwrap();
    entry.at += 10_000_000_000;
    entry.blob = "0123456789".to_owned();
    assert_eq!(again(known.clone()), ("file 0123456 1".to_owned(), false), "not read again");
    known.get_mut("a").unwrap().stamp.inode += 1;
    assert_eq!(again(known.clone()).0, format!("file {} 1", &blob_id(b"1")[..7]));
    fs::remove_file(world.root().join("a")).unwrap();
    assert_eq!(again(known), ("absent".to_owned(), true));
}

#[cfg(unix)]
#[test]
fn nothing_outside_is_read() {
    use std::os::unix::fs::symlink;
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "x").unwrap();
    let world = World::new(&[("src/a.rs", "x"), ("b", "y")]);
    let root = world.root();
    symlink(outside.path().join("secret"), root.join("out")).unwrap();
    symlink(outside.path(), root.join("outs")).unwrap();
    symlink("src/a.rs", root.join("in")).unwrap();
    symlink("src", root.join("ins")).unwrap();
    symlink(".git/config", root.join("config")).unwrap();
    symlink("nowhere", root.join("dangling")).unwrap();
    symlink("loop", root.join("loop")).unwrap();
    let mut tree = world.tree();
    for path in ["out", "outs", "outs/secret"] {
        assert!(told(tree.look(path)).contains("is a symbolic link that leaves the repository"), "{path}");
        assert!(tree.read(path).is_err());
    }
    assert!(told(tree.look("config")).contains("into the .git folder"));
    assert_eq!(tree.read("in").unwrap().unwrap(), b"x");
    assert_eq!(tree.read("ins/a.rs").unwrap().unwrap(), b"x");
    assert_eq!(told(tree.look("dangling")), "absent");
    assert!(told(tree.look("loop")).contains("cannot be read"));
    world.commit("links", 1_700_000_001);
    let mut commit = world.at("HEAD");
    assert!(told(commit.look("in")).contains("is a symbolic link"));
    assert!(told(commit.look("ins/a.rs")).contains("is a symbolic link"));
}

#[cfg(unix)]
#[test]
fn odd_and_large_files_are_not_opened() {
    let world = World::new(&[("a", "x")]);
    let made = std::process::Command::new("mkfifo").arg(world.root().join("pipe")).status().unwrap();
    assert!(made.success());
    File::create(world.root().join("large")).unwrap().set_len(40 * 1024 * 1024).unwrap();
    let mut tree = world.tree();
    assert_eq!(told(tree.look("pipe")), "pipe is not a regular file");
    assert_eq!(told(tree.look("large")), "large has 42 MB; files over 32 MiB are not read");
    assert!(tree.look("large").is_there());
    assert!(tree.read("large").is_err());
    fs::remove_file(world.root().join("pipe")).unwrap();
    world.commit("large", 1_700_000_001);
    assert_eq!(told(world.at("HEAD").look("large")), "large has 42 MB; files over 32 MiB are not read");
}

#[test]
fn without_git_the_folder_is_walked() {
    let world = World::plain(&[("src/a.rs", "x"), (".gitignore", "*.log\n"), ("x.log", ""), (".env", "A=1")]);
    let mut tree = world.tree();
    assert_eq!(tree.list().unwrap().to_vec(), [".env", ".gitignore", "src/a.rs"]);
    assert_eq!(told(tree.look(".git")), "absent");
    assert!(tree.since("src/a.rs").is_some());
}

#[test]
fn an_unborn_branch_is_a_tree_too() {
    let world = World::plain(&[("a", "x")]);
    world.git(&["init", "-q"]);
    let mut tree = world.tree();
    assert_eq!(tree.list().unwrap().to_vec(), ["a"]);
    assert!(tree.since("a").is_some());
    assert_eq!(told(tree.look("b")), "absent");
    let mut commit = world.at("HEAD");
    assert!(told(commit.look("a")).contains("the commit does not exist in this clone"));
    assert!(commit.list().is_err());
    assert_eq!(commit.since("a"), None);
}

#[test]
fn a_sparse_checkout_says_so() {
    let world = World::new(&[("in/a", "1"), ("out/b", "2"), ("top", "3")]);
    world.git(&["sparse-checkout", "set", "in"]);
    let mut tree = world.tree();
    assert_eq!(told(tree.look("out/b")), "out/b is outside the sparse checkout");
    assert_eq!(told(tree.look("out")), "out is outside the sparse checkout");
    assert!(!tree.look("out/b").is_there());
    assert_eq!(told(tree.look("out/c")), "absent");
    assert_eq!(tree.list().unwrap().to_vec(), ["in/a", "top"]);
    assert_eq!(world.at("HEAD").read("out/b").unwrap().unwrap(), b"2");
}

#[test]
fn a_submodule_that_is_not_checked_out_says_so() {
    let inner = World::new(&[("lib.c", "x")]);
    let world = World::new(&[("a", "1")]);
    world.git(&["submodule", "add", "-q", inner.root().to_str().unwrap(), "vendor/inner"]);
    world.commit("inner", 1_700_000_001);
    assert!(world.tree().look("vendor/inner/lib.c").is_there(), "checked out");
    let clone = tempfile::tempdir().unwrap();
    let from = world.root();
    run(clone.path(), &["clone", "-q", from.to_str().unwrap(), "."], "1700000000 +0000");
    let git = Git::at(clone.path()).unwrap();
    let mut tree = WorkingTree::new(clone.path(), Some(&git), HashMap::new());
    assert_eq!(
        told(tree.look("vendor/inner/lib.c")),
        "vendor/inner/lib.c is in a submodule that is not checked out"
    );
    assert_eq!(told(tree.look("vendor/other")), "absent");
    let mut commit = CommitTree::new(&git, "HEAD");
    assert!(told(commit.look("vendor/inner/lib.c")).contains("is in a submodule"));
    assert_eq!(told(commit.look("vendor/inner")), "folder");
}

// The journal keeps the name of the branch on which a line was written, and it may hold anything.
#[test]
fn a_secret_in_the_name_of_a_branch_is_taken_out() {
    let world = World::new(&[("a", "1")]);
    let branch = |name: &str| {
        world.git(&["checkout", "-q", "-b", name]);
        Git::at(&world.root()).unwrap().branch()
    };
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    assert_eq!(branch(&format!("feat/{token}")), "feat/[REDACTED:github-token]");
    assert_eq!(branch("feat/retries-wait-with-jitter"), "feat/retries-wait-with-jitter");
}

#[test]
fn shallow_and_partial_clones_fetch_nothing() {
    let world = World::new(&[("a", "old")]);
    world.write("a", b"new");
    world.commit("second", 1_700_000_500);
    world.git(&["config", "uploadpack.allowFilter", "true"]);
    let url = format!("file://{}", world.root().display());
    let clone = tempfile::tempdir().unwrap();
    run(clone.path(), &["clone", "-q", "--depth=1", &url, "."], "1700000000 +0000");
    let git = Git::at(clone.path()).unwrap();
    assert_eq!(CommitTree::new(&git, "HEAD").read("a").unwrap().unwrap(), b"new");
    assert!(
        told(CommitTree::new(&git, "HEAD~1").look("a")).contains("the commit does not exist in this clone")
    );
    let clone = tempfile::tempdir().unwrap();
    run(clone.path(), &["clone", "-q", "--filter=blob:none", &url, "."], "1700000000 +0000");
    let git = Git::at(clone.path()).unwrap();
    let mut old = CommitTree::new(&git, "HEAD~1");
    assert_eq!(told(old.look("a")), "a is not in this clone");
    assert!(old.look("a").is_there());
    assert!(old.read("a").is_err());
    assert_eq!(CommitTree::new(&git, "HEAD").read("a").unwrap().unwrap(), b"new");
}

#[test]
fn repositories_with_longer_names_are_read() {
    let world = World::plain(&[("a", "x")]);
    world.git(&["init", "-q", "--object-format=sha256"]);
    world.commit("first", 1_700_000_000);
    let mut commit = world.at("HEAD");
    assert!(matches!(commit.look("a"), Look::File { blob, size: 1 } if blob.len() == 64));
    assert_eq!(commit.read("a").unwrap().unwrap(), b"x");
    assert!(matches!(world.tree().look("a"), Look::File { blob, .. } if blob.len() == 40));
}

#[test]
fn a_root_below_the_top_is_a_tree_of_its_own() {
    let world = World::new(&[("app/a", "1"), ("other/b", "2")]);
    let mut tree = WorkingTree::new(&world.root().join("app"), Some(&world.found()), HashMap::new());
    assert_eq!(tree.list().unwrap().to_vec(), ["a"]);
    assert_eq!(tree.since("a"), Some(1_700_000_000));
    assert_eq!(told(tree.look("b")), "absent");
}

#[test]
fn settings_of_a_stranger_start_nothing() {
    let world = World::new(&[("a", "1")]);
    let mark = world.root().join("started");
    let hook = format!("touch '{}'; false", mark.display());
    for setting in ["core.fsmonitor", "diff.external", "core.pager", "gpg.program"] {
        world.git(&["config", setting, &hook]);
    }
    world.git(&["config", "log.showSignature", "true"]);
    fs::remove_file(&mark).ok();
    world.write("a", b"2");
    let git = world.found();
    let mut tree = world.tree();
    tree.list().unwrap();
    tree.look("absent");
    tree.since("a");
    git.text(&["diff", "HEAD"]).unwrap();
    git.text(&["status", "--porcelain"]).unwrap();
    git.committed_at("HEAD").unwrap();
    assert!(!mark.exists());
}
