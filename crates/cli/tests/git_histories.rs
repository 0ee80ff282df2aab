//! The store under git, through the real binary: merges, worktrees, resets, purges and everything else people do to a repository.

mod random;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::world::{Answer, World};

/// A folder to work in: the world's repository, a worktree, a clone.
struct Place<'a> {
    world: &'a World,
    folder: PathBuf,
    env: Vec<(&'static str, String)>,
}

impl Place<'_> {
    fn of(world: &World) -> Place<'_> {
        Place { world, folder: world.path(), env: Vec::new() }
    }

    /// A folder beside the repository.
    fn beside<'a>(world: &'a World, name: &str) -> Place<'a> {
        Place { world, folder: world.path().with_file_name(name), env: Vec::new() }
    }

    /// A clone of the repository, with somebody else at work in it.
    fn cloned<'a>(world: &'a World, name: &str) -> Place<'a> {
        world.git(&format!("clone -q . ../{name}"));
        let mut place = Place::beside(world, name);
        place.git("config user.name Bob");
        place.git("config user.email bob@example.org");
        place.env.push(("KEN_ACTOR", "human:Bob".to_owned()));
        place
    }

    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.env.push((name, value.to_owned()));
        self
    }

    fn run(&self, program: &str, args: &[&str]) -> Answer {
        let mut command = self.world.command(program);
        command.current_dir(&self.folder).args(args);
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        self.world.answered(command, None)
    }

    fn ken_args(&self, args: &[&str]) -> Answer {
        self.run(&World::binary().display().to_string(), args)
    }

    fn ken(&self, words: &str) -> Answer {
        self.ken_args(&words.split_whitespace().collect::<Vec<_>>())
    }

    fn git(&self, words: &str) -> String {
        let answer = self.run("git", &words.split_whitespace().collect::<Vec<_>>());
        assert_eq!(answer.code, 0, "git {words}: {}{}", answer.out, answer.err);
        answer.out.trim().to_owned()
    }

    fn commit(&self, message: &str) {
        self.git("add -A");
        self.git(&format!("commit -q -m {message}"));
    }

    /// Adds a lesson with some evidence; gives its handle.
    fn lesson(&self, statement: &str, evidence: &str) -> String {
        let args = ["add", "lesson", statement, "--evidence", evidence, "--anchor", "src/net.rs"];
        let args = [&args[..], &["--verify", "look", "--json"]].concat();
        self.ken_args(&args).ok().json()["handle"].as_str().unwrap().to_owned()
    }

    fn show(&self, id: &str) -> Value {
        self.ken(&format!("show {id} --json")).ok().json()
    }

    /// The statements of a list.
    fn statements(&self, flags: &str) -> Vec<String> {
        let list = self.ken(&format!("list --json {flags}")).ok().json();
        let all = list["items"].as_array().unwrap().iter();
        let mut all: Vec<String> = all.map(|entry| entry["statement"].as_str().unwrap().to_owned()).collect();
        all.sort();
        all
    }

    /// Everything that is known, without what depends on the branch and on the place.
    fn state(&self) -> BTreeMap<String, Value> {
        let list = self.ken("list --all --limit 0 --json").ok().json();
        let ids = list["items"].as_array().unwrap().iter().map(|entry| entry["id"].as_str().unwrap());
        let shown = ids.map(|id| {
            let mut view = self.show(id);
            for name in ["on_this_branch", "events_elsewhere", "file"] {
                view.as_object_mut().unwrap().remove(name);
            }
            (id.to_owned(), view)
        });
        shown.collect()
    }

    fn verify(&self) -> Value {
        self.ken("verify --json").ok().json()
    }

    /// The codes of what `verify` notices.
    fn notices(&self) -> Vec<String> {
        let report = self.verify();
        let codes = report["notices"].as_array().unwrap().iter();
        codes.map(|finding| finding["code"].as_str().unwrap().to_owned()).collect()
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.folder.join(path)).unwrap()
    }
}

/// Every file below a folder with its bytes, and every folder.
fn everything(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        for item in std::fs::read_dir(&folder).into_iter().flatten() {
            let path = item.unwrap().path();
            if path.is_dir() {
                found.insert(path.clone(), Vec::new());
                pending.push(path);
            } else {
                found.insert(path.clone(), std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// The files below a folder that contain some words.
fn files_with(folder: &Path, words: &str) -> Vec<PathBuf> {
    let hit = |bytes: &Vec<u8>| bytes.windows(words.len()).any(|window| window == words.as_bytes());
    everything(folder).into_iter().filter(|(_, bytes)| hit(bytes)).map(|(path, _)| path).collect()
}

// STO-8: two clones that add the same thing make one entry with both citations. STO-7: and nobody resolves a conflict.
#[test]
fn two_branches_that_say_the_same_make_one_entry_with_both_citations() {
    let world = World::with_store();
    let (ada, bob) = (Place::of(&world), Place::cloned(&world, "bob"));
    let said = "Retry network calls with jitter.";
    let ours = ada.lesson(said, "pr:1");
    ada.commit("ours");
    bob.git("checkout -q -b feature");
    let theirs = bob.lesson(said, "pr:2");
    bob.commit("theirs");
    assert_eq!(ours, theirs);
    ada.git("pull -q --no-rebase --no-edit ../bob feature");
    assert_eq!(ada.statements("--all"), [said]);
    let shown = ada.show(&ours);
    let refs: Vec<&str> =
        shown["provenance"].as_array().unwrap().iter().map(|c| c["evidence_ref"].as_str().unwrap()).collect();
    assert_eq!(refs.len(), 2, "{refs:?}");
    assert!(refs.iter().any(|text| text.contains('1')) && refs.iter().any(|text| text.contains('2')));
    assert_eq!(ada.notices(), Vec::<String>::new());
}

// STO-7, FED-2: the later clock decides a field, sets unite, and both clones come to the same.
#[test]
fn two_branches_that_revise_the_same_entry_agree_after_merging_either_way() {
    let world = World::with_store();
    let ada = Place::of(&world);
    let id = ada.lesson("Retry network calls with jitter.", "pr:1");
    ada.commit("entry");
    let bob = Place::cloned(&world, "bob").with("KEN_NOW", "2026-01-03T00:00:00Z");
    ada.ken_args(&["edit", &id, "--title", "Jitter", "--tag", "net"]).ok();
    ada.ken_args(&["archive", &id, "--reason", "old"]).ok();
    ada.commit("ours");
    bob.ken_args(&["edit", &id, "--title", "Retry with jitter", "--tag", "retry"]).ok();
    bob.commit("theirs");
    bob.git("fetch -q origin");
    bob.git("checkout -q -b joined");
    bob.git("merge -q --no-edit origin/main");
    ada.git("pull -q --no-rebase --no-edit ../bob main");
    let shown = ada.show(&id);
    assert_eq!(shown["title"], "Retry with jitter");
    assert_eq!(shown["tags"], serde_json::json!(["net", "retry"]));
    assert_eq!(shown["status"], "archived");
    // On the same day: no date is shown that lies after it (COR-4).
    let ada = ada.with("KEN_NOW", "2026-01-03T00:00:00Z");
    assert_eq!(ada.state(), bob.state());
    assert_eq!((ada.notices(), bob.notices()), (vec![], vec![]));
}

// STO-2, STO-7: the generated page unites in a merge, and the next write puts it in order.
#[test]
fn the_index_page_merges_without_conflict_and_is_in_order_again_after_the_next_write() {
    let world = World::with_store();
    let ada = Place::of(&world);
    let id = ada.lesson("Common ground.", "pr:1");
    ada.commit("common");
    ada.git("checkout -q -b feature");
    ada.lesson("Said on the feature branch.", "pr:2");
    ada.ken_args(&["edit", &id, "--title", "CodeTree, as the feature sees it"]).ok();
    ada.commit("feature");
    ada.git("checkout -q main");
    ada.lesson("Said on main.", "pr:3");
    ada.ken_args(&["edit", &id, "--title", "CodeTree, as main sees it"]).ok();
    ada.commit("main");
    ada.git("merge -q --no-edit feature");
    ada.lesson("Said after the merge.", "pr:4");
    ada.ken("list").ok();
    let page = ada.read(".kenning/INDEX.md");
    let lines: Vec<&str> = page.lines().filter(|line| line.starts_with("- ")).collect();
    let mut sorted = lines.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(lines, sorted);
    assert_eq!(lines.len(), 4, "{page}");
    assert!(page.contains("as main sees it") && !page.contains("as the feature sees it"), "{page}");
}

// STO-12: one clone is one store, whatever the worktree or branch.
#[test]
fn worktrees_share_one_store_and_mark_what_is_not_on_their_branch() {
    let world = World::with_store();
    let main = Place::of(&world);
    main.git("worktree add -q -b side ../side");
    let side = Place::beside(&world, "side");
    let id = side.lesson("Learned on the side.", "pr:1");
    let seen = main.show(&id);
    assert_eq!(seen["on_this_branch"], false);
    assert_eq!(side.show(&id)["on_this_branch"], true);
    assert!(main.ken("list").ok().out.contains("not on this branch"));
    assert!(main.ken(&format!("show {id}")).ok().out.contains("not on this branch"));
    assert_eq!(main.statements("--this-branch"), Vec::<String>::new());
    assert_eq!(side.statements("--this-branch"), ["Learned on the side."]);
    // What another worktree wrote is not lost here, so there is nothing to tell or to put back.
    let list = main.ken("list").ok();
    assert_eq!(list.err, "");
    assert_eq!(main.notices(), Vec::<String>::new());
    assert!(!main.read(".kenning/INDEX.md").contains(&id));
    assert_eq!(main.git("status --porcelain"), "");
    side.commit("side");
    main.git("merge -q side");
    assert_eq!(main.show(&id)["on_this_branch"], true);
    assert_eq!(main.statements("--this-branch"), ["Learned on the side."]);
}

// STO-12: a branch from before the store still belongs to a clone that has one.
#[test]
fn a_branch_without_the_store_still_sees_what_this_clone_knows() {
    let world = World::repository();
    let ada = Place::of(&world);
    ada.git("branch before");
    ada.ken("init").ok();
    let id = ada.lesson("Learned later.", "pr:1");
    ada.commit("store");
    ada.git("checkout -q before");
    assert_eq!(ada.show(&id)["on_this_branch"], false);
    assert_eq!(ada.git("status --porcelain"), "");
}

// STO-5: the next command says how many events are no longer in the tree and how to put them back, once.
#[test]
fn after_reset_hard_the_next_command_says_what_is_gone_and_recover_puts_it_back() {
    let world = World::with_store();
    let ada = Place::of(&world);
    let first = ada.lesson("Committed, then reset away.", "pr:1");
    ada.commit("entry");
    let second = ada.lesson("Never committed.", "pr:2");
    ada.git("reset -q --hard HEAD~1");
    ada.git("clean -qfd");
    let told = ada.ken("list --json").ok();
    assert!(
        told.err.contains("4 events written on this branch are missing from its ledger files"),
        "{}",
        told.err
    );
    assert!(told.err.contains("ken recover"), "{}", told.err);
    assert_eq!(told.json()["total"], 2);
    assert_eq!(ada.ken("list --json").ok().err, "");
    assert_eq!(ada.show(&first)["on_this_branch"], false);
    assert_eq!(ada.notices(), ["not_in_tree"; 4]);
    assert_eq!(ada.ken("recover --json").ok().json()["put_back"], 4);
    assert_eq!(ada.notices(), Vec::<String>::new());
    assert_eq!(ada.show(&second)["on_this_branch"], true);
    ada.ken("list").ok();
    assert!(ada.read(".kenning/INDEX.md").contains(&second));
    assert_eq!(ada.ken("recover --json").ok().json()["put_back"], 0);
}

// STO-5: so does dropping a stash, with and without new files in it.
#[test]
fn a_dropped_stash_loses_nothing() {
    for stash in ["stash -q", "stash -q -u"] {
        let world = World::with_store();
        let ada = Place::of(&world);
        let old = ada.lesson("Was there before.", "pr:1");
        ada.commit("entry");
        ada.ken_args(&["edit", &old, "--title", "Stashed title"]).ok();
        let new = ada.lesson("Stashed away.", "pr:2");
        ada.git(stash);
        ada.git("stash drop -q");
        let told = ada.ken("list").ok();
        assert!(told.err.contains("missing from its ledger files"), "{stash}: {}", told.err);
        assert_eq!(ada.show(&old)["title"], "Stashed title");
        ada.ken("recover").ok();
        assert_eq!(ada.notices(), Vec::<String>::new(), "{stash}");
        assert_eq!(ada.show(&new)["on_this_branch"], true);
        assert_eq!(ada.show(&old).get("events_elsewhere"), None);
    }
}

// STO-5: and cleaning away every file that git does not know, ignored ones too.
#[test]
fn clean_of_everything_untracked_loses_nothing() {
    let world = World::with_store();
    let ada = Place::of(&world);
    let id = ada.lesson("Not yet committed.", "pr:1");
    ada.git("clean -qfdx");
    ada.git("checkout -q -f HEAD");
    assert_eq!(ada.show(&id)["statement"], "Not yet committed.");
    assert_eq!(ada.ken("recover --json").ok().json()["put_back"], 2);
    assert_eq!(ada.show(&id)["on_this_branch"], true);
    assert_eq!(ada.notices(), Vec::<String>::new());
}

// STO-7: reverting a merge and merging again loses lines in git; `verify` says which, and `recover` has them.
#[test]
fn a_reverted_merge_that_is_merged_again_is_told_by_verify_and_mended_by_recover() {
    let world = World::with_store();
    let ada = Place::of(&world);
    ada.git("checkout -q -b feature");
    let first = ada.lesson("First of the feature.", "pr:1");
    ada.commit("first");
    ada.git("checkout -q main");
    ada.git("merge -q --no-ff --no-edit feature");
    ada.git("revert --no-edit -m 1 HEAD");
    ada.git("checkout -q feature");
    let second = ada.lesson("Second of the feature.", "pr:2");
    ada.commit("second");
    ada.git("checkout -q main");
    // The citations of both are in one file, which the revert deleted and the feature went on with: git asks, and keeping it is right.
    let merge = ada.run("git", &["merge", "-q", "--no-edit", "feature"]);
    if merge.code != 0 {
        assert!(merge.out.contains("modify/delete"), "{}", merge.out);
        ada.git("add -A");
        ada.git("commit -q --no-edit");
    }
    assert_eq!(ada.show(&second)["on_this_branch"], true);
    assert_eq!(ada.show(&first)["on_this_branch"], false);
    let report = ada.verify();
    let notices = report["notices"].as_array().unwrap();
    assert!(!notices.is_empty());
    for notice in notices {
        assert_eq!(notice["code"], "missing_parent", "{notice}");
        assert!(notice["message"].as_str().unwrap().contains("branch feature"), "{notice}");
        assert!(notice["hint"].as_str().unwrap().contains("ken recover"), "{notice}");
    }
    // STO-4: a clone that never had the journal is told which branch or commit has them.
    let bob = Place::cloned(&world, "bob");
    let theirs = bob.verify();
    for notice in theirs["notices"].as_array().unwrap() {
        assert!(notice["message"].as_str().unwrap().contains("branch origin/feature has it"), "{notice}");
    }
    assert_eq!(theirs["notices"].as_array().unwrap().len(), notices.len());
    for place in [&ada, &bob] {
        place.ken("recover").ok();
        assert_eq!(place.notices(), Vec::<String>::new());
        assert_eq!(place.show(&first)["on_this_branch"], true);
    }
}

// STO-4: a picked commit builds on events that stayed behind; that is a notice with the branch that has them, not an error.
#[test]
fn a_cherry_picked_commit_says_what_it_builds_on() {
    let world = World::with_store();
    let ada = Place::of(&world);
    ada.git("checkout -q -b feature");
    let first = ada.lesson("First of the feature.", "pr:1");
    ada.commit("first");
    let second = ada.lesson("Second of the feature.", "pr:2");
    ada.commit("second");
    ada.git("checkout -q main");
    let pick = ada.run("git", &["cherry-pick", "feature"]);
    if pick.code != 0 {
        // The month's citations were begun in the commit that stayed behind.
        assert!(pick.out.contains("modify/delete"), "{}", pick.out);
        ada.git("add -A");
        ada.git("-c core.editor=true cherry-pick --continue");
    }
    assert_eq!(ada.show(&second)["on_this_branch"], true);
    let report = ada.verify();
    for notice in report["notices"].as_array().unwrap() {
        assert!(notice["message"].as_str().unwrap().contains("written on branch feature"), "{notice}");
    }
    ada.ken("recover").ok();
    assert_eq!(ada.show(&first)["on_this_branch"], true);
    assert_eq!(ada.notices(), Vec::<String>::new());
    ada.commit("recovered");
    ada.git("merge -q --no-edit feature");
    assert_eq!(ada.notices(), Vec::<String>::new());
}

// STO-2, STO-12: what was committed reaches others whole.
#[test]
fn a_clone_reads_everything_that_was_committed() {
    let world = World::with_store();
    let ada = Place::of(&world);
    let first = ada.lesson("The first lesson.", "pr:1");
    let second = ada.lesson("The second lesson.", "pr:2");
    ada.ken_args(&["supersede", &first, &second, "--reason", "better"]).ok();
    ada.ken_args(&["tag", &second, "net"]).ok();
    ada.ken_args(&["note", "The build is slow today."]).ok();
    ada.ken("commit").ok();
    let bob = Place::cloned(&world, "bob");
    assert_eq!(ada.state(), bob.state());
    assert_eq!(bob.verify()["pass"], true);
    assert_eq!(bob.notices(), Vec::<String>::new());
    assert_eq!(bob.git("status --porcelain"), "");
}

// STO-6: a copied clone notices and takes a new replica id; both go on without meeting in a number.
#[test]
fn a_copied_clone_takes_a_new_name_and_both_go_on() {
    let world = World::with_store();
    let ada = Place::of(&world);
    ada.lesson("Before the copy.", "pr:1");
    ada.commit("before");
    let copied = world.command("cp").args(["-r", ".", "../copy"]).status().unwrap();
    assert!(copied.success());
    let copy = Place::beside(&world, "copy");
    assert!(copy.ken("list").ok().err.contains("this clone is a copy"));
    for number in 0..3 {
        ada.lesson(&format!("Original, number {number}."), "pr:2");
        let answer = copy.lesson(&format!("Copy, number {number}."), "pr:3");
        assert_eq!(copy.show(&answer)["on_this_branch"], true);
    }
    assert_eq!(copy.ken("list").ok().err, "");
    ada.commit("original");
    copy.commit("copy");
    ada.git("pull -q --no-rebase --no-edit ../copy main");
    copy.git("pull -q --no-rebase --no-edit ../repo main");
    assert_eq!(ada.statements("").len(), 7);
    assert_eq!(ada.state(), copy.state());
    assert_eq!((ada.notices(), copy.notices()), (vec![], vec![]));
    let replicas = |place: &Place<'_>| place.read(".git/kenning/replica");
    assert_ne!(replicas(&ada), replicas(&copy));
}

// STO-4: conflict markers are read as the union, reported, and healed by `verify --fix`.
#[test]
fn conflict_markers_in_a_ledger_are_read_as_the_union_and_healed() {
    let world = World::with_store();
    let ada = Place::of(&world);
    let id = ada.lesson("Common ground.", "pr:1");
    ada.commit("common");
    ada.git("checkout -q -b feature");
    ada.ken_args(&["tag", &id, "theirs"]).ok();
    ada.commit("theirs");
    ada.git("checkout -q main");
    ada.ken_args(&["tag", &id, "ours"]).ok();
    ada.commit("ours");
    // Somebody's git does not know the attributes.
    std::fs::create_dir_all(ada.folder.join(".git/info")).unwrap();
    std::fs::write(ada.folder.join(".git/info/attributes"), "* merge=text\n").unwrap();
    let merge = ada.run("git", &["merge", "-q", "--no-edit", "feature"]);
    assert_eq!(merge.code, 1, "{}", merge.out);
    let file = ada.show(&id)["file"].as_str().unwrap().to_owned();
    assert!(ada.read(&format!(".kenning/{file}")).contains("<<<<<<<"));
    let shown = ada.show(&id);
    assert_eq!(shown["tags"], serde_json::json!(["ours", "theirs"]));
    assert_eq!(shown.get("events_elsewhere"), None);
    assert_eq!(ada.notices(), ["conflict_marker"; 3]);
    let fixed = ada.ken("verify --fix --json").ok().json();
    assert!(fixed["fixed"].to_string().contains("removed conflict markers"), "{fixed}");
    assert_eq!(ada.notices(), Vec::<String>::new());
    assert!(!ada.read(&format!(".kenning/{file}")).contains("<<<<<<<"));
    ada.commit("merged");
    assert_eq!(ada.show(&id)["tags"], serde_json::json!(["ours", "theirs"]));
}

// STO-2: where the git folder cannot be written the journal lives beside the ledger, and moves home later.
#[test]
fn a_sandbox_that_protects_the_git_folder_keeps_its_journal_in_the_store_and_it_moves_home() {
    let world = World::with_store();
    let ada = Place::of(&world);
    let before = ada.lesson("From before the sandbox.", "pr:1");
    ada.commit("before");
    // Permissions do not bind root, so a file stands where the folder should be.
    let (home, away) = (ada.folder.join(".git/kenning"), ada.folder.join(".git/kenning.away"));
    std::fs::rename(&home, &away).unwrap();
    std::fs::write(&home, "").unwrap();
    let inside = ada.lesson("Learned in the sandbox.", "pr:2");
    assert!(ada.folder.join(".kenning/.local/journal/00000001.log").is_file());
    assert_eq!(ada.statements("").len(), 2);
    assert!(!ada.git("status --porcelain --untracked-files=all").contains(".local"));
    ada.git("checkout -q -f HEAD");
    ada.git("clean -qfd");
    assert_eq!(ada.show(&inside)["on_this_branch"], false);
    std::fs::remove_file(&home).unwrap();
    std::fs::rename(&away, &home).unwrap();
    let told = ada.ken("list --json").ok();
    assert!(told.err.contains("moved 2 events"), "{}", told.err);
    assert_eq!(told.json()["total"], 2);
    let left = std::fs::read_dir(ada.folder.join(".kenning/.local/journal")).into_iter().flatten().flatten();
    let segments = left.filter(|item| item.path().extension().is_some_and(|ending| ending == "log"));
    assert_eq!(segments.count(), 0);
    assert!(!ada.ken("list").ok().err.contains("moved"));
    ada.ken("recover").ok();
    let after = ada.lesson("Learned at home.", "pr:3");
    for id in [&before, &inside, &after] {
        assert_eq!(ada.show(id)["on_this_branch"], true);
    }
    assert_eq!(ada.notices(), Vec::<String>::new());
}

// STO-1: a private store stays out of git and out of the tracked files that git knows.
#[test]
fn a_private_store_stays_out_of_git() {
    let world = World::repository();
    let ada = Place::of(&world);
    ada.ken("init --private --hooks").ok();
    let id = ada.lesson("For my eyes only.", "pr:1");
    assert_eq!(ada.git("status --porcelain --untracked-files=all"), "");
    assert!(!ada.folder.join(".gitignore").exists());
    ada.git("commit -q --allow-empty -m empty");
    assert_eq!(ada.git("ls-tree -r --name-only HEAD"), "src/net.rs");
    ada.git("checkout -q -b other");
    assert_eq!(ada.show(&id)["statement"], "For my eyes only.");
    assert_eq!(ada.verify()["pass"], true);
}

// STO-1: a folder without git works too.
#[test]
fn a_store_without_git_works() {
    let world = World::bare();
    world.write("src/net.rs", "fn retry() {}\n");
    let ada = Place::of(&world);
    ada.ken("init").ok();
    let id = ada.lesson("Without any git.", "pr:1");
    ada.ken_args(&["edit", &id, "--title", "Gitless"]).ok();
    ada.ken_args(&["archive", &id]).ok();
    ada.ken_args(&["restore", &id]).ok();
    assert_eq!(ada.show(&id)["title"], "Gitless");
    std::fs::remove_dir_all(ada.folder.join(".kenning/semantic")).unwrap();
    let told = ada.ken("list --json").ok();
    assert!(told.err.contains("5 events"), "{}", told.err);
    assert_eq!(told.json()["total"], 1);
    ada.ken("recover").ok();
    assert_eq!(ada.notices(), Vec::<String>::new());
    ada.ken("list --as-of HEAD").fails_with(4);
    ada.ken("commit").fails_with(4);
}

// STO-14: using knowledge does not dirty the tree; `ken commit --no-commit` writes it out.
#[test]
fn reading_in_a_run_leaves_the_tree_clean_until_it_is_flushed() {
    let world = World::with_store();
    let ada = Place::of(&world);
    let id = ada.lesson("Read me.", "pr:1");
    ada.commit("entry");
    let agent = Place::of(&world).with("KEN_RUN", "r1");
    agent.show(&id);
    agent.show(&id);
    agent.ken("list").ok();
    assert_eq!(ada.git("status --porcelain"), "");
    assert_eq!(ada.notices(), Vec::<String>::new());
    assert_eq!(ada.ken("commit --no-commit --json").ok().json()["flushed"], 1);
    assert!(ada.git("status --porcelain --untracked-files=all").contains("episodic/v1/runs/"));
    assert_eq!(ada.ken("commit --no-commit --json").ok().json()["flushed"], 0);
    assert_eq!(ada.notices(), Vec::<String>::new());
    // What is written out says who was shown the entry, and does not change it.
    assert_eq!(ada.show(&id)["updated"], ada.show(&id)["created"]);
    let shown = ada.ken(&format!("show {id} --exposures --json")).ok().out;
    assert!(shown.contains("\"r1\""), "{shown}");
    let log = ada.ken(&format!("log {id} --json")).ok().out;
    assert!(!log.contains("r1"), "{log}");
}

// STO-14: so does the pre-commit hook, and the commit holds it.
#[test]
fn the_pre_commit_hook_writes_out_and_stages_what_waits() {
    let mut world = World::with_store();
    world.ken("init --hooks").ok();
    let path = std::env::var("PATH").unwrap();
    let folder = World::binary().parent().unwrap().display().to_string();
    world.env.push(("PATH".to_owned(), format!("{folder}:{path}")));
    let ada = Place::of(&world);
    let id = ada.lesson("Read me.", "pr:1");
    ada.commit("entry");
    Place::of(&world).with("KEN_RUN", "r1").show(&id);
    assert_eq!(ada.git("status --porcelain"), "");
    world.write("src/net.rs", "fn retry() { jitter(); }\n");
    ada.git("add src/net.rs");
    ada.git("commit -q -m change");
    let files = ada.git("show --name-only --format= HEAD");
    assert!(files.contains("src/net.rs") && files.contains(".kenning/episodic/v1/runs/"), "{files}");
    assert_eq!(ada.git("status --porcelain"), "");
    assert_eq!(ada.ken("commit --no-commit --json").ok().json()["flushed"], 0);
    // In a worktree too, where git runs hooks with its own folders in the environment.
    ada.git("worktree add -q -b side ../side");
    let side = Place::beside(&world, "side");
    Place::beside(&world, "side").with("KEN_RUN", "r2").show(&id);
    side.git("commit -q --allow-empty -m side");
    assert!(side.git("show --name-only --format= HEAD").contains(".kenning/episodic/v1/runs/"));
    assert_eq!(
        (side.git("status --porcelain"), ada.git("status --porcelain")),
        (String::new(), String::new())
    );
}

// STO-11: `--as-of COMMIT` answers from that tree's lines alone, `--as-of TIME` from the events held now that are not later.
#[test]
fn as_of_a_commit_and_as_of_a_time_answer_about_the_past_and_record_nothing() {
    let world = World::with_store();
    let at = |now: &str| Place::of(&world).with("KEN_NOW", now);
    let id = at("2026-01-10T00:00:00Z").lesson("First wording.", "pr:1");
    at("").commit("one");
    at("2026-01-20T00:00:00Z").ken_args(&["edit", &id, "--title", "Second title"]).ok();
    at("2026-01-20T00:00:00Z").commit("two");
    let late = at("2026-01-30T00:00:00Z").lesson("Not committed.", "pr:2");
    let ada = Place::of(&world);
    let before = everything(&ada.folder);
    let total = |when: &str| ada.ken(&format!("list --json --as-of {when}")).ok().json()["total"].clone();
    let title =
        |when: &str| ada.ken(&format!("show {id} --json --as-of {when}")).ok().json()["title"].clone();
    assert_eq!((total("HEAD"), total("HEAD~1"), total("HEAD~2")), (1.into(), 1.into(), 0.into()));
    assert_eq!((title("HEAD~1"), title("HEAD")), ("First wording.".into(), "Second title".into()));
    ada.ken(&format!("show {late} --as-of HEAD")).fails_with(3);
    assert_eq!(
        (total("2026-01-05"), total("2026-01-15"), total("2026-01-31")),
        (0.into(), 1.into(), 2.into())
    );
    assert_eq!((title("2026-01-15"), title("2026-01-25")), ("First wording.".into(), "Second title".into()));
    Place::of(&world).with("KEN_RUN", "r1").ken(&format!("show {id} --as-of HEAD")).ok();
    ada.ken("list --as-of no-such-branch").fails_with(3);
    let changed: Vec<PathBuf> = everything(&ada.folder)
        .into_iter()
        .filter(|(path, bytes)| before.get(path) != Some(bytes))
        .map(|(path, _)| path)
        // The index may note how git looks; it is no record of anything.
        .filter(|path| !path.starts_with(ada.folder.join(".git/kenning/index")))
        .collect();
    assert_eq!(changed, Vec::<PathBuf>::new());
}

// STO-13: bytes are gone from tree, journal and index; a branch that brings them back fails `verify` until it is fixed, and nothing
// shows them meanwhile.
#[test]
fn purged_bytes_are_gone_and_a_branch_that_brings_them_back_is_caught() {
    let world = World::with_store();
    let ada = Place::of(&world);
    ada.lesson("Something to keep.", "pr:1");
    ada.commit("keep");
    ada.git("checkout -q -b feature");
    let secret = "xyzzyplugh";
    let id = ada.lesson(&format!("The word is {secret}."), "pr:2");
    ada.ken_args(&["edit", &id, "--detail", &format!("Say {secret} aloud.")]).ok();
    ada.commit("secret");
    ada.git("checkout -q main");
    ada.git("merge -q --no-edit feature");
    ada.git("checkout -q -b later HEAD~1");
    ada.git("checkout -q main");
    let said = ada.ken(&format!("purge {id} --yes --reason leaked")).ok().out;
    assert!(said.contains("git filter-repo"), "{said}");
    let held = || {
        let mut held = files_with(&ada.folder.join(".kenning"), secret);
        held.extend(files_with(&ada.folder.join(".git/kenning"), secret));
        held
    };
    assert_eq!(held(), Vec::<PathBuf>::new());
    assert_eq!(ada.verify()["errors"], serde_json::json!([]));
    let hidden = || {
        ada.ken(&format!("show {id}")).fails_with(3);
        for command in ["list --all --json", "list --as-of feature --all --json", "log", "verify"] {
            let answer = ada.ken(command);
            assert!(!format!("{}{}", answer.out, answer.err).contains(secret), "{command}: {}", answer.out);
        }
        for when in ["feature", "2026-02-01"] {
            assert!(!ada.ken(&format!("show {id} --as-of {when}")).fails_with(3).out.contains(secret));
        }
        assert_eq!(ada.statements("--all"), ["Something to keep."]);
    };
    hidden();
    ada.commit("purged");
    // Looking at the branch that has the line and coming back leaves no trace of it.
    ada.git("checkout -q feature");
    hidden();
    ada.git("checkout -q main");
    hidden();
    assert_eq!(ada.verify()["errors"], serde_json::json!([]));
    assert_eq!(held(), Vec::<PathBuf>::new());
    // The branch that has the line, checked out and merged.
    for step in ["checkout -q later", "merge -q --no-edit feature"] {
        ada.git(step);
    }
    let report = ada.ken("verify --json").fails_with(1).json();
    assert_eq!(report["pass"], false);
    assert!(
        report["errors"].as_array().unwrap().iter().all(|error| error["code"] == "purged_bytes"),
        "{report}"
    );
    assert!(!report["errors"].as_array().unwrap().is_empty());
    hidden();
    let fixed = ada.ken("verify --fix --json").ok().json();
    assert!(fixed["fixed"].to_string().contains("stub"), "{fixed}");
    assert_eq!(held(), Vec::<PathBuf>::new());
    assert_eq!(ada.verify()["errors"], serde_json::json!([]));
    hidden();
}

// STO-13: the next write replaces a purged line that came back by a stub.
#[test]
fn the_next_write_takes_purged_bytes_out_again() {
    let world = World::with_store();
    let ada = Place::of(&world);
    ada.git("checkout -q -b feature");
    let secret = "xyzzyplugh";
    let id = ada.lesson(&format!("The word is {secret}."), "pr:2");
    ada.commit("secret");
    ada.git("checkout -q main");
    ada.ken(&format!("purge {id} --yes")).ok();
    ada.commit("purged");
    ada.git("merge -q --no-edit feature");
    assert!(!files_with(&ada.folder.join(".kenning"), secret).is_empty());
    ada.lesson("Something else.", "pr:3");
    assert_eq!(files_with(&ada.folder.join(".kenning"), secret), Vec::<PathBuf>::new());
    assert_eq!(ada.verify()["errors"], serde_json::json!([]));
}

// STO-14: KEN_READONLY records nothing, not even beside the ledger.
#[test]
fn read_only_records_nothing() {
    let world = World::with_store();
    let ada = Place::of(&world);
    let id = ada.lesson("Look, do not touch.", "pr:1");
    ada.commit("entry");
    ada.lesson("Gone from the tree.", "pr:2");
    ada.git("checkout -q -f HEAD");
    ada.git("clean -qfd");
    let reader = Place::of(&world).with("KEN_READONLY", "1").with("KEN_RUN", "r1");
    let parent = ada.folder.parent().unwrap().to_owned();
    let before = everything(&parent);
    assert_eq!(reader.statements("--all").len(), 2);
    reader.show(&id);
    for command in ["list", "log", "verify", "where", "doctor", "diff", "list --as-of HEAD"] {
        reader.ken(command);
    }
    for command in ["recover", "flush", "verify --fix", "note hello", "init"] {
        reader.ken(command).fails_with(5);
    }
    reader.ken_args(&["tag", &id, "net"]).fails_with(5);
    let after = everything(&parent);
    let changed: Vec<&PathBuf> = after
        .iter()
        .filter(|(path, bytes)| before.get(*path) != Some(*bytes))
        .map(|(path, _)| path)
        .chain(before.keys().filter(|path| !after.contains_key(*path)))
        .collect();
    assert_eq!(changed, Vec::<&PathBuf>::new());
}
