//! Worlds in which nobody can tell: an honest `unverifiable` with the reason, never a crash, never a read outside the repository.

use expect_test::expect;

use super::{NET, checked, commit, lesson, standing, told, world};
use crate::transcript::{files, play};
use crate::world::{Answer, World};

/// A word that is in files outside of the repository, and must never be in an answer or in the store.
const OUTSIDE: &str = "moonstone";

/// A token that no scanner takes for an example.
const TOKEN: &str = concat!("gh", "p_", "8Fq2LxV0sTnB5uKd7WjR3yHcZ1mPaE4gQoX9");

/// Fails if a word is in any file of the store, of the clone's own folder, or in an answer.
fn nowhere(world: &World, word: &str, answers: &[&str]) {
    let word = word.to_lowercase();
    let output = world.command("find").args([".kenning", ".git/kenning", "-type", "f"]).output().unwrap();
    for path in String::from_utf8(output.stdout).unwrap().lines() {
        let bytes = std::fs::read(world.path().join(path)).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).to_lowercase().contains(&word), "{word} is in {path}");
    }
    for answer in answers {
        assert!(!answer.to_lowercase().contains(&word), "{word} is in {answer}");
    }
}

/// Adds a lesson about a place, and gives what was said about it.
fn about(world: &World, id: &str, at: &str) -> Answer {
    lesson(world, id, &["--anchor", at])
}

fn place(world: &World, folder: &str) -> std::path::PathBuf {
    world.path().parent().unwrap().join(folder)
}

#[test]
fn not_a_git_repository() {
    let mut world = World::bare();
    world.env.push(("KEN_NO_MODEL".to_owned(), "1".to_owned()));
    world.write("src/net.rs", NET);
    world.ken("init").ok();
    lesson(&world, "wait", &["--anchor", "src/net.rs#jitter", "--depends-on", "src/net.rs#Client"]);
    lesson(&world, "alone", &["--anchor", "#Client.retry"]);
    assert_eq!(standing(&world, &[]), "alone: fresh\nwait: fresh\n");
    std::fs::rename(world.path().join("src/net.rs"), world.path().join("src/http.rs")).unwrap();
    let script = "
ken check
ken check --accept
ken check --changed
ken check --diff HEAD
ken check --as-of HEAD
";
    expect![[r#"
        $ ken check
        broken       L-dcbb3a  What wait says about the client.
            src/net.rs#Client broken: src/net.rs does not exist
            src/net.rs#jitter moved to src/http.rs#jitter
        moved        L-3cd866  What alone says about the client.
            #Client.retry moved to src/http.rs#Client.retry
        2 entries: 1 moved, 1 broken
        `ken check --accept` updates the anchors
        [exit 1]
        $ ken check --accept
        L-dcbb3a  src/net.rs#jitter is now src/http.rs#jitter
        L-3cd866  #Client.retry is now src/http.rs#Client.retry
        broken       L-dcbb3a  What wait says about the client.
            src/net.rs#Client broken: src/net.rs does not exist
        2 entries: 1 fresh, 1 broken
        [exit 1]
        $ ken check --changed
        ! error: this store is not in a git repository, so changes cannot be determined
        ! hint: `ken check` without --changed checks every entry
        [exit 4]
        $ ken check --diff HEAD
        ! error: this store is not in a git repository, so there are no commits
        [exit 4]
        $ ken check --as-of HEAD
        ! error: this store is not in a git repository; give a time instead of a commit
        [exit 4]
    "#]]
    .assert_eq(&play(&world, script));
}

#[test]
fn an_unborn_branch_and_a_detached_head() {
    let mut world = World::bare();
    world.env.push(("KEN_NO_MODEL".to_owned(), "1".to_owned()));
    world.git("init -q -b main");
    world.git("config user.name Ada");
    world.git("config user.email ada@example.org");
    world.write("src/net.rs", NET);
    world.ken("init").ok();
    about(&world, "wait", "src/net.rs#jitter");
    let script = "
ken check
ken check --changed
ken check --diff HEAD
ken check --as-of HEAD
 git add -A
 git commit -q -m first
 git checkout -q --detach
 git mv src/net.rs src/http.rs
ken check --diff HEAD
ken check --as-of HEAD
ken check --accept
";
    expect![[r#"
        $ ken check
        1 entry: 1 fresh
        $ ken check --changed
        1 entry: 1 fresh
        $ ken check --diff HEAD
        ! error: HEAD is not a commit: this repository has no commits yet
        ! hint: commit first, or run `ken check` without a commit
        [exit 3]
        $ ken check --as-of HEAD
        ! error: "HEAD" is neither a commit of this repository nor a time
        ! hint: write a commit, branch or tag, or a time like 2026-11-15 or 2026-11-15T02:04:26Z
        [exit 3]
        $ ken check --diff HEAD
        HEAD to the working tree: 2 files changed
        reanchors    L-dcbb3a  What wait says about the client.
            src/net.rs#jitter moved to src/http.rs#jitter
        All entries after the change:
        1 entry: 1 moved
        $ ken check --as-of HEAD
        1 entry: 1 fresh
        $ ken check --accept
        L-dcbb3a  src/net.rs#jitter is now src/http.rs#jitter
        1 entry: 1 fresh
    "#]]
    .assert_eq(&play(&world, script));
}

#[test]
fn a_shallow_clone_says_that_it_is_one() {
    let mut world = world();
    about(&world, "wait", "src/net.rs#jitter");
    commit(&world, "knowledge");
    let before = world.git("rev-parse HEAD~1");
    world.env.push(("BEFORE".to_owned(), before));
    let script = "
 git clone -q --depth 1 file://$PWD ../shallow
cd ../shallow && ken check
cd ../shallow && ken check --as-of HEAD
cd ../shallow && ken check --diff HEAD~1
cd ../shallow && ken check --diff $BEFORE..HEAD
cd ../shallow && ken check --as-of $BEFORE
";
    expect![[r#"
        $ cd ../shallow && ken check
        1 entry: 1 fresh
        $ cd ../shallow && ken check --as-of HEAD
        1 entry: 1 fresh
        $ cd ../shallow && ken check --diff HEAD~1
        ! error: HEAD~1 is not in this shallow clone
        ! hint: fetch it with `git fetch --unshallow`, or set `fetch-depth: 0` in the workflow
        [exit 3]
        $ cd ../shallow && ken check --diff $BEFORE..HEAD
        ! error: HASH is not in this shallow clone
        ! hint: fetch it with `git fetch --unshallow`, or set `fetch-depth: 0` in the workflow
        [exit 3]
        $ cd ../shallow && ken check --as-of $BEFORE
        ! error: "HASH" is neither a commit of this repository nor a time
        ! hint: this clone is shallow; if it is a commit, fetch it with `git fetch --unshallow`
        [exit 3]
    "#]]
    .assert_eq(&play(&world, script));
}

/// A bare repository has no files to look at; one that the environment names is not the one around the store.
#[test]
fn a_bare_repository_and_one_that_the_environment_names() {
    let world = world();
    about(&world, "wait", "src/net.rs#jitter");
    commit(&world, "knowledge");
    world.git("clone -q --bare . ../bare.git");
    world.git("init -q ../other");
    let script = "
 git mv src/net.rs src/http.rs
cd ../bare.git && ken check
cd ../bare.git && ken check --as-of HEAD
cd ../bare.git && ken --store ../repo check
GIT_DIR=../bare.git ken check
GIT_DIR=../bare.git ken check --changed
GIT_DIR=../bare.git ken check --diff HEAD
GIT_DIR=../other/.git GIT_WORK_TREE=../other GIT_INDEX_FILE=../other/.git/index ken check --diff HEAD
GIT_DIR=.git GIT_INDEX_FILE=.git/index ken check --diff HEAD
GIT_DIR=/nowhere ken check --diff HEAD
";
    expect![[r#"
        $ cd ../bare.git && ken check
        ! error: there is no knowledge store in this folder or any parent
        ! hint: `ken init` creates one at the root of the repository, or in this folder if there is none
        [exit 3]
        $ cd ../bare.git && ken check --as-of HEAD
        ! error: there is no knowledge store in this folder or any parent
        ! hint: `ken init` creates one at the root of the repository, or in this folder if there is none
        [exit 3]
        $ cd ../bare.git && ken --store ../repo check
        moved        L-dcbb3a  What wait says about the client.
            src/net.rs#jitter moved to src/http.rs#jitter
        1 entry: 1 moved
        `ken check --accept` updates the anchors
        $ GIT_DIR=../bare.git ken check
        moved        L-dcbb3a  What wait says about the client.
            src/net.rs#jitter moved to src/http.rs#jitter
        1 entry: 1 moved
        `ken check --accept` updates the anchors
        $ GIT_DIR=../bare.git ken check --changed
        moved        L-dcbb3a  What wait says about the client.
            src/net.rs#jitter moved to src/http.rs#jitter
        1 entry: 1 moved
        `ken check --accept` updates the anchors
        $ GIT_DIR=../bare.git ken check --diff HEAD
        HEAD to the working tree: 2 files changed
        reanchors    L-dcbb3a  What wait says about the client.
            src/net.rs#jitter moved to src/http.rs#jitter
        All entries after the change:
        1 entry: 1 moved
        $ GIT_DIR=../other/.git GIT_WORK_TREE=../other GIT_INDEX_FILE=../other/.git/index ken check --diff HEAD
        HEAD to the working tree: 2 files changed
        reanchors    L-dcbb3a  What wait says about the client.
            src/net.rs#jitter moved to src/http.rs#jitter
        All entries after the change:
        1 entry: 1 moved
        $ GIT_DIR=.git GIT_INDEX_FILE=.git/index ken check --diff HEAD
        HEAD to the working tree: 2 files changed
        reanchors    L-dcbb3a  What wait says about the client.
            src/net.rs#jitter moved to src/http.rs#jitter
        All entries after the change:
        1 entry: 1 moved
        $ GIT_DIR=/nowhere ken check --diff HEAD
        HEAD to the working tree: 2 files changed
        reanchors    L-dcbb3a  What wait says about the client.
            src/net.rs#jitter moved to src/http.rs#jitter
        All entries after the change:
        1 entry: 1 moved
    "#]].assert_eq(&play(&world, script));
}

#[test]
fn a_submodule_checked_out_and_not() {
    let world = world();
    let library = place(&world, "library");
    world.git(&format!("clone -q . {}", library.display()));
    world.git(&format!(
        "-c protocol.file.allow=always submodule --quiet add {} vendor/net",
        library.display()
    ));
    let inside = "vendor/net/src/net.rs";
    let conditions = [
        format!("{inside} exists"),
        format!("{inside}#jitter"),
        format!("{inside} =~ /noise/"),
        format!("NOT {inside} =~ /unsafe/"),
    ];
    let flags: Vec<&str> =
        conditions.iter().flat_map(|condition| ["--depends-on", condition.as_str()]).collect();
    lesson(&world, "inside", &[&["--anchor", "vendor/net/src/net.rs#jitter"], &flags[..]].concat());
    about(&world, "folder", "vendor/net");
    commit(&world, "knowledge");
    let out = standing(&world, &[]);
    let commits = standing(&world, &["--as-of", "HEAD"]);
    world.git("submodule --quiet deinit -f vendor/net");
    let not = standing(&world, &[]);
    expect![[r#"
        folder: fresh
        inside: fresh
        -- in a commit
        folder: fresh
        inside: unverifiable
          vendor/net/src/net.rs exists unverifiable: vendor/net/src/net.rs is in a submodule, which a commit does not contain
          vendor/net/src/net.rs#jitter unverifiable: vendor/net/src/net.rs is in a submodule, which a commit does not contain
          vendor/net/src/net.rs =~ /noise/ unverifiable: vendor/net/src/net.rs is in a submodule, which a commit does not contain
          NOT vendor/net/src/net.rs =~ /unsafe/ unverifiable: vendor/net/src/net.rs is in a submodule, which a commit does not contain
          vendor/net/src/net.rs#jitter unverifiable: vendor/net/src/net.rs is in a submodule, which a commit does not contain
        -- not checked out
        folder: fresh
        inside: unverifiable
          vendor/net/src/net.rs exists unverifiable: vendor/net/src/net.rs is in a submodule that is not checked out
          vendor/net/src/net.rs#jitter unverifiable: vendor/net/src/net.rs is in a submodule that is not checked out
          vendor/net/src/net.rs =~ /noise/ unverifiable: vendor/net/src/net.rs is in a submodule that is not checked out
          NOT vendor/net/src/net.rs =~ /unsafe/ unverifiable: vendor/net/src/net.rs is in a submodule that is not checked out
          vendor/net/src/net.rs#jitter unverifiable: vendor/net/src/net.rs is in a submodule that is not checked out
    "#]].assert_eq(&format!("{out}-- in a commit\n{commits}-- not checked out\n{not}"));
}

/// What is outside the sparse checkout is not gone, whether somebody names it or a pattern would find it.
#[test]
fn a_sparse_checkout() {
    let world = world();
    world.write("docs/guide.md", "# Guide\n\nHow to wait.\n");
    world.write("api/Dockerfile", "FROM scratch\n");
    world.write("api/Cargo.toml", "[package]\nname = \"api\"\n\n[dependencies]\ntokio = \"=1.38.0\"\n");
    let conditions = [
        "src/net.rs exists",
        "src",
        "src/net.rs#jitter",
        "src/**/*.rs =~ /noise/",
        "NOT src/**/*.rs =~ /noise/",
        "docker",
        "tokio = 1.38.0",
        "docs/*.md =~ /wait/",
    ];
    let flags: Vec<&str> = conditions.iter().flat_map(|condition| ["--depends-on", *condition]).collect();
    lesson(&world, "inside", &[&["--anchor", "src/net.rs#jitter"], &flags[..]].concat());
    about(&world, "alone", "#Client.retry");
    about(&world, "guide", "docs/guide.md");
    commit(&world, "knowledge");
    world.git("sparse-checkout set docs .kenning");
    let sparse = standing(&world, &["--accept"]);
    world.git("sparse-checkout disable");
    let whole = standing(&world, &[]);
    expect![[r#"
        alone: unverifiable
          #Client.retry unverifiable: src/net.rs is outside the sparse checkout
        guide: fresh
        inside: unverifiable
          src/net.rs exists unverifiable: src/net.rs is outside the sparse checkout
          src unverifiable: src is outside the sparse checkout
          src/net.rs#jitter unverifiable: src/net.rs is outside the sparse checkout
          src/**/*.rs =~ /noise/ unverifiable: no file matches src/**/*.rs, and 3 files are outside the sparse checkout
          NOT src/**/*.rs =~ /noise/ unverifiable: no file matches src/**/*.rs, and 3 files are outside the sparse checkout
          docker unverifiable: no evidence of docker: there is no Dockerfile or compose file, and 3 files are outside the sparse checkout
          tokio = 1.38.0 unverifiable: there is no manifest that could name tokio
          src/net.rs#jitter unverifiable: src/net.rs is outside the sparse checkout
        -- disabled
        alone: fresh
        guide: fresh
        inside: broken
          NOT src/**/*.rs =~ /noise/ broken: /noise/ is in line 20 of src/net.rs
    "#]].assert_eq(&format!("{sparse}-- disabled\n{whole}"));
}

/// "Symlinks out of the tree": not followed at add, not by a condition, not by a step, and not later.
#[cfg(unix)]
#[test]
fn symbolic_links_out_of_the_tree_are_not_followed() {
    use std::os::unix::fs::symlink;
    let world = world();
    let outside = place(&world, "outside");
    std::fs::create_dir_all(&outside).unwrap();
    std::fs::write(outside.join("secret.rs"), format!("fn {OUTSIDE}() {{\n    {OUTSIDE}_inner();\n}}\n"))
        .unwrap();
    symlink(outside.join("secret.rs"), world.path().join("src/link.rs")).unwrap();
    symlink(&outside, world.path().join("src/linked")).unwrap();
    symlink("../.git", world.path().join("src/gits")).unwrap();
    symlink("net.rs", world.path().join("src/inside.rs")).unwrap();
    symlink("loop.rs", world.path().join("src/loop.rs")).unwrap();
    symlink("nothing.rs", world.path().join("src/dangling.rs")).unwrap();
    let places = [
        "src/link.rs",
        "src/link.rs:1",
        "src/link.rs#moonstone",
        "src/linked/secret.rs",
        "src/linked",
        "src/gits/config",
        "src/loop.rs",
        "src/dangling.rs",
        "src/inside.rs#jitter",
        "#moonstone",
    ];
    let mut said = String::new();
    for (number, at) in places.iter().enumerate() {
        let answer = about(&world, &format!("place{number}"), at);
        said += &answer.out.lines().skip(1).map(|line| format!("{}\n", line.trim())).collect::<String>();
    }
    let conditions = [
        "src/link.rs =~ /moonstone/",
        "src/** =~ /moonstone_inner/",
        "src/link.rs#moonstone",
        "src/linked/secret.rs exists",
        "src/link.rs@0123456789",
    ];
    let flags: Vec<&str> = conditions.iter().flat_map(|condition| ["--depends-on", *condition]).collect();
    lesson(
        &world,
        "rests",
        &[
            &[
                "--anchor",
                "src/net.rs",
                "--verify",
                "grep moonstone src/link.rs",
                "--verify",
                "grep moonstone src",
            ],
            &flags[..],
        ]
        .concat(),
    );
    let found = standing(&world, &[]);
    let ran = world.ken("check rests --run --fail-on never");
    expect![[r#"
        src/link.rs cannot be tracked: src/link.rs is a symbolic link that leaves the repository
        src/link.rs:1 cannot be tracked: src/link.rs is a symbolic link that leaves the repository
        src/link.rs#moonstone cannot be tracked: src/link.rs is a symbolic link that leaves the repository
        src/linked/secret.rs cannot be tracked: src/linked is a symbolic link that leaves the repository
        src/linked cannot be tracked: src/linked is a symbolic link that leaves the repository
        src/gits/config cannot be tracked: src/gits is a symbolic link into the .git folder
        src/loop.rs cannot be tracked: src/loop.rs cannot be read: Too many levels of symbolic links (os error 40)
        src/dangling.rs cannot be tracked: src/dangling.rs does not exist
        #moonstone cannot be tracked: no file defines `moonstone`
        --
        place0: unverifiable
          src/link.rs unverifiable: src/link.rs is a symbolic link that leaves the repository
        place1: unverifiable
          src/link.rs:1 unverifiable: src/link.rs is a symbolic link that leaves the repository
        place2: unverifiable
          src/link.rs#moonstone unverifiable: src/link.rs is a symbolic link that leaves the repository
        place3: unverifiable
          src/linked/secret.rs unverifiable: src/linked is a symbolic link that leaves the repository
        place4: unverifiable
          src/linked unverifiable: src/linked is a symbolic link that leaves the repository
        place5: unverifiable
          src/gits/config unverifiable: src/gits is a symbolic link into the .git folder
        place6: unverifiable
          src/loop.rs unverifiable: src/loop.rs cannot be read: Too many levels of symbolic links (os error 40)
        place7: unverifiable
          src/dangling.rs unverifiable: src/dangling.rs does not exist, and never did in this history
        place8: fresh
        place9: unverifiable
          #moonstone unverifiable: no file defines `moonstone`
        rests: unverifiable
          src/link.rs =~ /moonstone/ unverifiable: src/link.rs is a symbolic link that leaves the repository
          src/** =~ /moonstone_inner/ unverifiable: /moonstone_inner/ was not found, and src/gits is a symbolic link into the .git folder
          src/link.rs#moonstone unverifiable: src/link.rs is a symbolic link that leaves the repository
          src/linked/secret.rs exists unverifiable: src/linked is a symbolic link that leaves the repository
          src/link.rs@0123456789 unverifiable: src/link.rs is a symbolic link that leaves the repository
    "#]].assert_eq(&format!("{said}--\n{found}"));
    nowhere(&world, "moonstone_inner();", &[&said, &ran.out]);

    // A file that becomes a link later is not followed either.
    about(&world, "later", "src/net.rs#jitter");
    std::fs::remove_file(world.path().join("src/net.rs")).unwrap();
    symlink(outside.join("secret.rs"), world.path().join("src/net.rs")).unwrap();
    expect![[r#"
        later: unverifiable
          src/net.rs#jitter unverifiable: src/net.rs is a symbolic link that leaves the repository
    "#]]
    .assert_eq(&standing(&world, &["later"]));
    commit(&world, "links");
    expect![[r#"
        later: unverifiable
          src/net.rs#jitter unverifiable: src/net.rs is a symbolic link, which is not followed in a commit
        place1: unverifiable
          src/link.rs:1 unverifiable: src/link.rs is a symbolic link, which is not followed in a commit
        place3: unverifiable
          src/linked/secret.rs unverifiable: src/linked is a symbolic link, which is not followed in a commit
    "#]]
    .assert_eq(&standing(&world, &["later", "place1", "place3", "--as-of", "HEAD"]));
    nowhere(&world, "moonstone_inner();", &[]);
}

/// A table of files that cannot be read as code: what is said at add, and what becomes of them.
#[test]
fn files_that_are_no_code() {
    let world = world();
    let path = |name: &str| world.path().join(name);
    let sparse = |name: &str| std::fs::File::create(path(name)).unwrap().set_len(200_000_000).unwrap();
    sparse("huge.bin");
    sparse("huge.rs");
    std::fs::write(path("binary.dat"), b"\0\x01\x02\x03").unwrap();
    std::fs::write(path("latin.rs"), b"fn gr\xfc\xdfe() {}\n").unwrap();
    world.write("faulty.rs", "fn broken( { let x = ; }\n\nfn whole() {\n    one();\n    two();\n}\n");
    world.write("empty.rs", "");
    world.write("blank.rs", "\n\n\n");
    let mut names = vec![
        "huge.bin",
        "huge.rs",
        "huge.rs#main",
        "binary.dat",
        "binary.dat:1",
        "latin.rs",
        "latin.rs#größe",
    ];
    if cfg!(unix) {
        assert!(world.command("mkfifo").arg("pipe").status().unwrap().success());
        names.push("pipe");
    }
    names.extend(["faulty.rs", "faulty.rs#whole", "faulty.rs#gone", "empty.rs", "empty.rs:1", "blank.rs:2"]);
    names.extend([
        "src/net.rs:99999999",
        "src/net.rs:4294967295",
        "src/net.rs#nobody",
        "src/",
        "nowhere.rs",
        ".git/config",
    ]);
    let mut text = String::new();
    for (number, at) in names.iter().enumerate() {
        let id = format!("file{number:02}");
        let said = about(&world, &id, at);
        let said: Vec<&str> = said.out.lines().skip(1).map(str::trim).collect();
        let found = checked(&world, &[&id]);
        let anchor = &found["entries"][0]["anchors"][0];
        text +=
            &format!("{at}: {}; {}\n", anchor["verdict"].as_str().unwrap(), anchor["why"].as_str().unwrap());
        text += &said.iter().map(|line| format!("    {line}\n")).collect::<String>();
    }
    expect![[r#"
        huge.bin: unverifiable; huge.bin has 200 MB; files over 32 MiB are not read
            huge.bin cannot be tracked: huge.bin has 200 MB; files over 32 MiB are not read
        huge.rs: unverifiable; huge.rs has 200 MB; files over 32 MiB are not read
            huge.rs cannot be tracked: huge.rs has 200 MB; files over 32 MiB are not read
        huge.rs#main: unverifiable; huge.rs has 200 MB; files over 32 MiB are not read
            huge.rs#main cannot be tracked: huge.rs has 200 MB; files over 32 MiB are not read
        binary.dat: unverifiable; binary.dat is a binary file
            binary.dat cannot be tracked: binary.dat is a binary file
        binary.dat:1: unverifiable; binary.dat is a binary file
            binary.dat:1 cannot be tracked: binary.dat is a binary file
        latin.rs: unverifiable; latin.rs is not UTF-8
            latin.rs cannot be tracked: latin.rs is not UTF-8
        latin.rs#größe: unverifiable; latin.rs is not UTF-8
            latin.rs#größe cannot be tracked: latin.rs is not UTF-8
        pipe: unverifiable; pipe is not a regular file
            pipe cannot be tracked: pipe is not a regular file
        faulty.rs: fresh; unchanged
        faulty.rs#whole: fresh; unchanged
        faulty.rs#gone: unverifiable; no symbol `gone` in faulty.rs
            faulty.rs#gone cannot be tracked: no symbol `gone` in faulty.rs
        empty.rs: fresh; unchanged
        empty.rs:1: unverifiable; line 1 is past the end of empty.rs (0 lines)
            empty.rs:1 cannot be tracked: line 1 is past the end of empty.rs (0 lines)
        blank.rs:2: unverifiable; blank.rs has nothing but blank lines there (2-2)
            blank.rs:2 cannot be tracked: blank.rs has nothing but blank lines there (2-2)
        src/net.rs:99999999: unverifiable; line 99999999 is past the end of src/net.rs (21 lines)
            src/net.rs:99999999 cannot be tracked: line 99999999 is past the end of src/net.rs (21 lines)
        src/net.rs:4294967295: unverifiable; line 4294967295 is past the end of src/net.rs (21 lines)
            src/net.rs:4294967295 cannot be tracked: line 4294967295 is past the end of src/net.rs (21 lines)
        src/net.rs#nobody: unverifiable; no symbol `nobody` in src/net.rs
            src/net.rs#nobody cannot be tracked: no symbol `nobody` in src/net.rs
        src/: fresh; src is a folder and exists
            src/ cannot be tracked: src is a folder
        nowhere.rs: unverifiable; nowhere.rs does not exist, and never did in this history
            nowhere.rs cannot be tracked: nowhere.rs does not exist
        .git/config: unverifiable; .git/config is inside the .git folder
            .git/config cannot be tracked: .git/config is inside the .git folder
    "#]]
    .assert_eq(&text);
    let conditions = [
        "huge.bin =~ /x/",
        "huge.rs#main",
        "huge.bin exists",
        "huge.bin@0123456789",
        "binary.dat =~ /x/",
        "latin.rs#größe",
        "faulty.rs#gone",
        "faulty.rs#whole",
        "** =~ /no such words/",
    ];
    let flags: Vec<&str> = conditions.iter().flat_map(|condition| ["--depends-on", *condition]).collect();
    lesson(&world, "rests", &[&["--anchor", "src/net.rs"], &flags[..]].concat());
    expect![[r#"
        rests: unverifiable
          huge.bin =~ /x/ unverifiable: huge.bin has 200 MB; files over 32 MiB are not read
          huge.rs#main unverifiable: huge.rs has 200 MB; files over 32 MiB are not read
          huge.bin@0123456789 unverifiable: huge.bin has 200 MB; files over 32 MiB are not read
          binary.dat =~ /x/ unverifiable: binary.dat is a binary file
          latin.rs#größe unverifiable: latin.rs is not UTF-8
          faulty.rs#gone unverifiable: faulty.rs does not parse (line 1)
          ** =~ /no such words/ unverifiable: /no such words/ was not found, and huge.bin has 200 MB; files over 32 MiB are not read
    "#]].assert_eq(&standing(&world, &["rests"]));
}

/// Code that was fine when it was taken down, and is none of that any more.
#[test]
fn code_that_became_something_else() {
    let world = world();
    about(&world, "wait", "src/net.rs#jitter");
    commit(&world, "knowledge");
    let path = world.path().join("src/net.rs");
    let faulty = NET
        .replace("pub fn retry(&self", "pub fn retry((&self")
        .replace("struct Client {", "struct Client {{{");
    let becomes: Vec<(&str, Vec<u8>)> = vec![
        ("a binary file", b"\0\x01".to_vec()),
        ("Latin-1", [b"// gr\xfc\xdfe\n", NET.as_bytes()].concat()),
        ("a fault elsewhere in it", faulty.into_bytes()),
        ("a fault in it", NET.replace("let base = 1u64 <<", "let base = 1u64 << ( {").into_bytes()),
        ("CRLF", NET.replace('\n', "\r\n").into_bytes()),
        ("a byte order mark", [b"\xef\xbb\xbf", NET.as_bytes()].concat()),
        (
            "three megabytes of code",
            [NET.as_bytes(), "fn filler(a: u32) -> u32 { a + 1 }\n".repeat(90_000).as_bytes()].concat(),
        ),
    ];
    let mut text = String::new();
    for (what, bytes) in becomes {
        std::fs::write(&path, bytes).unwrap();
        text += &format!("-- {what}\n{}", standing(&world, &[]));
    }
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    text += &format!("-- a folder\n{}", standing(&world, &[]));
    expect![[r#"
        -- a binary file
        wait: unverifiable
          src/net.rs#jitter unverifiable: src/net.rs is a binary file
        -- Latin-1
        wait: unverifiable
          src/net.rs#jitter unverifiable: src/net.rs is not UTF-8
        -- a fault elsewhere in it
        wait: fresh
        -- a fault in it
        wait: unverifiable
          src/net.rs#jitter unverifiable: src/net.rs does not parse (line 18)
        -- CRLF
        wait: fresh
        -- a byte order mark
        wait: fresh
        -- three megabytes of code
        wait: fresh
        -- a folder
        wait: unverifiable
          src/net.rs#jitter unverifiable: src/net.rs is a folder
    "#]]
    .assert_eq(&text);
}

#[test]
fn names_with_blanks_and_letters_of_other_alphabets_and_lines_that_end_as_on_windows() {
    let world = world();
    let odd = "src/größe und маркер.rs";
    world.write(odd, &NET.replace('\n', "\r\n"));
    about(&world, "odd", &format!("{odd}#jitter"));
    about(&world, "line", &format!("{odd}:12"));
    lesson(
        &world,
        "rests",
        &[
            "--anchor",
            odd,
            "--depends-on",
            &format!("\"{odd}\" exists"),
            "--depends-on",
            &format!("\"{odd}\"#jitter"),
        ],
    );
    commit(&world, "knowledge");
    let fresh = standing(&world, &[]);
    world.write(odd, &format!("// Eins.\n{NET}"));
    let changed = told(&checked(&world, &["--changed"]));
    std::fs::rename(world.path().join(odd), world.path().join("src/名前 🦀.rs")).unwrap();
    let moved = standing(&world, &["--accept"]);
    expect![[r##"
        line: fresh
        odd: fresh
        rests: fresh
        -- changed
        line: moved
          src/größe und маркер.rs:12 moved, now src/größe und маркер.rs:13
        odd: fresh
        rests: fresh
        -- renamed and accepted
        line: fresh
        odd: fresh
        rests: broken
          "src/größe und маркер.rs" exists broken: src/größe und маркер.rs does not exist
          "src/größe und маркер.rs"#jitter broken: src/größe und маркер.rs does not exist
    "##]]
    .assert_eq(&format!("{fresh}-- changed\n{changed}-- renamed and accepted\n{moved}"));
}

/// `KEN_READONLY`: it answers, and writes nothing, whether what was found out before can be read or not.
#[test]
fn a_store_that_may_not_be_written_answers_all_the_same() {
    let mut world = world();
    about(&world, "wait", "src/net.rs#jitter");
    commit(&world, "knowledge");
    world.ken("check").ok();
    world.git("mv src/net.rs src/http.rs");
    world.env.push(("KEN_READONLY".to_owned(), "1".to_owned()));
    let judgements = world.path().join(".git/kenning/judgements");
    for damage in [None, Some(&b"this is no database, and was never one"[..]), Some(b"")] {
        if let Some(bytes) = damage {
            std::fs::write(&judgements, bytes).unwrap();
        }
        let before = (files(&world), std::fs::read(&judgements).unwrap());
        assert_eq!(standing(&world, &[]), "wait: moved\n  src/net.rs#jitter moved, now src/http.rs#jitter\n");
        world.ken("check --accept").fails_with(5);
        world.ken("check --diff HEAD").ok();
        assert!((files(&world), std::fs::read(&judgements).unwrap()) == before, "something was written");
    }
    std::fs::remove_file(&judgements).unwrap();
    standing(&world, &[]);
    for name in ["judgements", "judgements-wal", "judgements-shm"] {
        assert!(!judgements.with_file_name(name).exists(), "{name} was written");
    }
}

/// What was found out before is never a source: damaged in any way, it costs time and changes no answer.
#[test]
fn damaged_judgements_change_no_answer() {
    let world = world();
    about(&world, "wait", "src/net.rs#jitter");
    lesson(&world, "rests", &["--anchor", "src/net.rs", "--depends-on", "src/*.rs =~ /noise/"]);
    commit(&world, "knowledge");
    world.write("src/net.rs", &NET.replace("min(6)", "max(2)"));
    let answer = standing(&world, &[]);
    let path = world.path().join(".git/kenning/judgements");
    let whole = std::fs::read(&path).unwrap();
    let mut middle = whole.clone();
    middle[1024..].fill(0xa5);
    let mut words = whole.clone();
    // Every list of files becomes one that cannot be read.
    for at in 0..words.len() - 2 {
        if &words[at..at + 3] == b"[[\"" {
            words[at] = b'{';
        }
    }
    let damages: [(&str, Option<Vec<u8>>); 7] = [
        ("gone", None),
        ("empty", Some(Vec::new())),
        ("cut off", Some(whole[..whole.len() / 2].to_vec())),
        ("its beginning overwritten", Some([&[0xff; 100], &whole[100..]].concat())),
        ("its middle overwritten", Some(middle)),
        ("its words changed", Some(words)),
        ("no database", Some(b"hello".to_vec())),
    ];
    for (what, bytes) in damages {
        match bytes {
            Some(bytes) => std::fs::write(&path, bytes).unwrap(),
            None => std::fs::remove_file(&path).unwrap(),
        }
        assert_eq!(standing(&world, &[]), answer, "{what}");
        assert_eq!(standing(&world, &[]), answer, "{what}, once more");
        world.write("src/net.rs", NET);
        assert_eq!(standing(&world, &[]), "rests: fresh\nwait: fresh\n", "{what}");
        world.write("src/net.rs", &NET.replace("min(6)", "max(2)"));
        assert_eq!(standing(&world, &[]), answer, "{what}, and changed again");
    }
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    assert_eq!(standing(&world, &[]), answer, "a folder in its place");
}

#[test]
fn several_checks_at_once_give_one_answer() {
    let world = world();
    for (number, at) in
        ["src/net.rs", "src/net.rs#jitter", "src/net.rs:12", "#Client.retry"].iter().enumerate()
    {
        about(&world, &format!("place{number}"), at);
    }
    commit(&world, "knowledge");
    world.git("mv src/net.rs src/http.rs");
    let check = || checked(&world, &[]).to_string();
    let answers: Vec<String> = std::thread::scope(|scope| {
        let checks: Vec<_> = (0..6).map(|_| scope.spawn(check)).collect();
        checks.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let alone = check();
    assert!(answers.iter().all(|answer| *answer == alone), "{answers:#?}");
    // Two that accept the same say it once or twice, and neither fails.
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| checked(&world, &["--accept"]));
        }
    });
    assert!(standing(&world, &[]).lines().all(|line| line.ends_with(": fresh")), "{}", standing(&world, &[]));
    world.ken("verify").ok();
}

/// "No code is kept but a short excerpt that the scanner found clean": not in the ledger, the journal, the index, or an answer.
#[test]
fn a_secret_in_anchored_code_reaches_nothing_of_ours() {
    let world = world();
    world.write("src/login.rs", &format!("fn login() {{\n    let token = \"{TOKEN}\";\n    send(token);\n}}\n\nfn {TOKEN}() {{ one(); two(); }}\n"));
    world.write("notes.md", &format!("# Setup\n\n## Use {TOKEN} here\n\nThen call it a day.\n"));
    world.write("deploy.yaml", &format!("name: {TOKEN}\n{TOKEN}: 3\nplain: \"x {TOKEN}\"\n"));
    world.write(".env", &format!("API_TOKEN={TOKEN}\nNAME={TOKEN}\n"));
    let places = [
        "src/login.rs",
        "src/login.rs:2",
        "src/login.rs#login",
        "src/login.rs:6",
        "notes.md",
        "notes.md:5",
        "notes.md:3",
        "deploy.yaml:2",
        ".env",
        ".env:1",
        "src/login.rs#logins",
    ];
    let mut said = String::new();
    for (number, at) in places.iter().enumerate() {
        let answer = about(&world, &format!("place{number:02}"), at);
        said += &format!("{}{}", answer.out, answer.err);
    }
    let conditions = [
        "deploy.yaml:name = x",
        "deploy.yaml:plain =~ /zzz/",
        ".env:NAME = x",
        ".env:API_TOKEN exists",
        "src/login.rs =~ /ghp_[A-Za-z0-9]+/",
    ];
    let flags: Vec<&str> = conditions.iter().flat_map(|condition| ["--depends-on", *condition]).collect();
    lesson(&world, "rests", &[&["--anchor", "src/net.rs"], &flags[..]].concat());
    let mut answers = vec![said];
    for args in [
        &["check"][..],
        &["check", "--json"],
        &["check", "--format", "sarif"],
        &["show", "rests"],
        &["show", "place05", "--json"],
    ] {
        answers.push(world.ken_args(args).out);
    }
    commit(&world, "secrets");
    for (path, gone) in
        [("src/login.rs", "fn nothing() {}\n"), ("notes.md", "# Setup\n"), ("deploy.yaml", "a: 1\n")]
    {
        world.write(path, gone);
    }
    for args in [&["check"][..], &["check", "--diff", "HEAD", "--json"], &["check", "--accept", "--json"]] {
        answers.push(world.ken_args(args).out);
    }
    nowhere(&world, TOKEN, &answers.iter().map(String::as_str).collect::<Vec<_>>());
}

/// Whether git ignores a file is asked anew by every check, and what cannot be updated says why.
#[test]
fn what_git_ignores_may_change() {
    let world = world();
    let ignore = |rules: &str| world.write(".gitignore", rules);
    let says = |why: &str| {
        let answer = checked(&world, &[]).to_string();
        assert!(answer.contains(why), "{answer}");
    };
    let (ignored, unseen) =
        ("git ignores notes.txt, so nothing of it is recorded", "no fingerprint was stored");
    world.write("notes.txt", "The first line of it.\nAnd the second line.\n");
    ignore("notes.txt\n");
    about(&world, "l.notes", "notes.txt");
    for _ in 0..2 {
        ignore("notes.txt\n");
        says(ignored);
        ignore("");
        says(unseen);
    }
    world.ken("check --accept").ok();
    ignore("notes.txt\n");
    world.write("notes.txt", "Nothing of what was there.\nBut other words.\n");
    let answer = world.ken("check l.notes --accept --drifted --fail-on never").ok();
    assert!(
        answer.err.contains(&format!("notes.txt was not updated: {ignored}")),
        "{}\n{}",
        answer.out,
        answer.err
    );
}
