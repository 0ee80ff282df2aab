//! What is named when entries are stated and checked: commits, paths, folders; and that everything that counts entries counts alike.

use crate::verbs::Verbs as _;
use ken_core::decide::Authority;
use std::fs;
use std::path::Path;

use ken_engine::{Overlaid, Projection, Writer};
use kenning::core::decide::{self, Choice};
use kenning::core::{Entry, Millis, Verdict};
use kenning::{AddInput, Caller, Channel, CheckAnswer, Options, Query, Reach, Which};
use serde_json::{Map, Value, json};

/// A repository with one commit, and a store in it.
struct Repository {
    folder: tempfile::TempDir,
}

impl Repository {
    fn new() -> Repository {
        let repository = Repository { folder: tempfile::tempdir().unwrap() };
        for (path, text) in [
            ("src/net/client.rs", "pub fn send() -> u32 {\n    let limit = 3;\n    limit + 4\n}\n"),
            ("src/net/server.rs", "pub fn listen() -> u32 {\n    let port = 80;\n    port + 1\n}\n"),
            ("src/main.rs", "fn main() {\n    println!(\"started\");\n}\n"),
            ("docs/outage.md", "# The outage\n"),
        ] {
            repository.write(path, text);
        }
        repository.git(&["init", "-q", "-b", "main"]);
        repository.git(&["add", "-A"]);
        repository.git(&["commit", "-q", "-m", "begin"]);
        repository.git(&["tag", "v1.0"]);
        repository.git(&["tag", "20240101"]);
        kenning::init(repository.path(), Default::default()).unwrap();
        repository
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn git(&self, args: &[&str]) -> String {
        crate::git(self.path(), args)
    }

    /// The store, as somebody in a folder of the repository sees it.
    fn open_in(&self, folder: &str) -> Reach {
        let options = Options { from: self.path().join(folder), no_model: true, ..Options::default() };
        let caller = Caller::new("human:ada", Millis(1_750_000_000_000), Channel::Library);
        kenning::open_for(options, caller).unwrap()
    }

    fn open(&self) -> Reach {
        self.open_in("")
    }
}

fn lesson(word: &str, anchor: &str, evidence: &str) -> AddInput {
    let content: Map<String, Value> = json!({
        "statement": format!("The {word} must be looked at before each release."),
        "anchors": [anchor],
        "verification": ["look"],
    })
    .as_object()
    .cloned()
    .unwrap();
    AddInput {
        kind: Some("lesson".to_owned()),
        content,
        evidence: vec![evidence.to_owned()],
        ..AddInput::default()
    }
}

fn checked(ken: &mut Reach, names: &[&str]) -> kenning::Result<CheckAnswer> {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let which = ken.which(&names)?;
    ken.check(&which)
}

/// The titles of entries that were checked, by their words.
fn words(answer: &CheckAnswer) -> Vec<String> {
    let mut words: Vec<String> = answer
        .entries
        .iter()
        .filter_map(|entry| entry.head.title.split_whitespace().nth(1).map(str::to_owned))
        .collect();
    words.sort();
    words
}

#[test]
fn cor_24_a_cited_branch_tag_or_head_is_the_commit_it_names_when_it_is_written() {
    let repository = Repository::new();
    let commit = repository.git(&["rev-parse", "HEAD"]);
    let mut ken = repository.open();
    for (word, evidence) in [
        ("client", "commit:HEAD"),
        ("server", "commit:main"),
        ("program", "commit:v1.0"),
        ("date", "commit:20240101"),
        ("start", "HEAD"),
    ] {
        let answer = ken.add(lesson(word, "src/main.rs#main", evidence)).unwrap();
        let shown = json!(ken.show(&answer.id).unwrap());
        let citation = &shown["provenance"][0];
        assert_eq!(
            (&citation["evidence_type"], &citation["evidence_ref"]),
            (&json!("commit"), &json!(commit))
        );
        assert_ne!(citation["unverified"], json!(true), "{evidence}: {citation}");
    }
    let refused = ken.add(lesson("rest", "src/main.rs#main", "commit:nowhere")).unwrap_err().to_string();
    assert!(refused.contains("\"nowhere\" is not a commit"), "{refused}");
    assert!(refused.contains("a branch or a tag of this repository"), "{refused}");
}

#[test]
fn an_absolute_path_inside_the_repository_is_taken_as_a_relative_one() {
    let repository = Repository::new();
    let mut ken = repository.open();
    let absolute = |path: &str| repository.path().join(path).display().to_string();
    let anchor = format!("{}#send", absolute("src/net/client.rs"));
    let evidence = format!("doc:{}", absolute("docs/outage.md"));
    let id = ken.add(lesson("client", &anchor, &evidence)).unwrap().id;
    let shown = json!(ken.show(&id).unwrap());
    assert_eq!(shown["anchors"][0]["at"], json!("src/net/client.rs#send"), "{shown}");
    assert_eq!(shown["provenance"][0]["evidence_ref"], json!("docs/outage.md"), "{shown}");
    assert_eq!(checked(&mut ken, &[&absolute("src/net")]).unwrap().summary.fresh, 1);
    let outside = ken.add(lesson("host", "/etc/hosts", "pr:1")).unwrap_err().to_string();
    assert!(outside.contains("absolute path"), "{outside}");
    // Ways round a corner of the same repository were taken for ways out of it.
    for (word, anchor) in [
        ("corner", format!("{}//src/./main.rs", repository.path().display())),
        ("turn", absolute("src/../src/main.rs")),
        ("bend", "src/../src/main.rs".to_owned()),
    ] {
        let id = ken.add(lesson(word, &anchor, "pr:1")).unwrap().id;
        assert_eq!(json!(ken.show(&id).unwrap())["anchors"][0]["at"], json!("src/main.rs"), "{anchor}");
    }
}

// STO-9: conditions and verification steps went into the ledger as they were typed.
#[test]
fn sto_9_no_condition_and_no_step_names_a_path_of_this_machine() {
    let repository = Repository::new();
    let mut ken = repository.open();
    let main = repository.path().join("src/main.rs").display().to_string();
    let stated = |condition: String, step: String| {
        let mut input = lesson("client", "src/main.rs", "pr:1");
        input.content.insert("depends_on".to_owned(), json!([condition]));
        input.content.insert("verification".to_owned(), json!([step]));
        input
    };
    let id = ken.add(stated(format!("{main} exists"), format!("grep -n started {main}"))).unwrap().id;
    let shown = json!(ken.show(&id).unwrap());
    assert_eq!(shown["depends_on"], json!(["src/main.rs exists"]), "{shown}");
    assert_eq!(shown["verification"], json!(["grep -n started src/main.rs"]), "{shown}");
    for (condition, step, path) in [
        ("/etc/hosts exists", "look", "/etc/hosts"),
        ("src/main.rs exists", "read /home/ada/hosts", "/home/ada/hosts"),
    ] {
        let refused = ken.add(stated(condition.to_owned(), step.to_owned())).unwrap_err().to_string();
        assert!(refused.contains(path) && refused.contains("write"), "{refused}");
    }
    // What every machine has is no path of one, and a pattern is no file.
    let mut input = lesson("server", "src/main.rs", "pr:1");
    input.content.insert("verification".to_owned(), json!(["grep '/usr/bin/env' src/main.rs"]));
    assert_eq!(ken.add(input).unwrap().outcome.word(), "added");
}

// Its neighbours moved with the file; what the grammar could not see was said to be gone.
#[test]
fn a_place_that_was_never_tracked_follows_the_file_that_git_renames() {
    let repository = Repository::new();
    let mut ken = repository.open();
    repository.write("conf/limits.zzz", "queue 20\nretry 3\nwait 40\n");
    repository.git(&["add", "conf"]);
    repository.git(&["commit", "-q", "-m", "limits"]);
    let id = ken.add(lesson("client", "conf/limits.zzz#unseen", "pr:1")).unwrap().id;
    let mut seen = || {
        let answer = checked(&mut ken, &[&id]).unwrap();
        let found = &answer.entries[0].anchors[0].found;
        (found.verdict.word(), found.now.clone())
    };
    assert_eq!(seen(), ("unverifiable", None));
    let moved = |to: &str| ("unverifiable", Some(format!("{to}#unseen")));
    repository.git(&["mv", "conf/limits.zzz", "conf/bounds.zzz"]);
    assert_eq!(seen(), moved("conf/bounds.zzz"), "staged");
    repository.git(&["commit", "-q", "-m", "rename"]);
    assert_eq!(seen(), moved("conf/bounds.zzz"), "committed");
    repository.git(&["mv", "conf/bounds.zzz", "bounds.zzz"]);
    repository.git(&["commit", "-q", "-m", "rename again"]);
    assert_eq!(seen(), moved("bounds.zzz"));
    repository.git(&["rm", "-q", "bounds.zzz"]);
    repository.git(&["commit", "-q", "-m", "remove"]);
    assert_eq!(seen(), ("unverifiable", None));
}

#[test]
fn cor_23_checking_a_folder_is_about_everything_below_it() {
    let repository = Repository::new();
    let mut ken = repository.open();
    for (word, anchor) in [
        ("client", "src/net/client.rs#send"),
        ("server", "src/net/server.rs:1-2"),
        ("program", "src/main.rs#main"),
    ] {
        ken.add(lesson(word, anchor, "pr:1")).unwrap();
    }
    assert_eq!(words(&checked(&mut ken, &["src/net"]).unwrap()), ["client", "server"]);
    assert_eq!(words(&checked(&mut ken, &["./src/net/"]).unwrap()), ["client", "server"]);
    assert_eq!(words(&checked(&mut ken, &["src/net/server.rs"]).unwrap()), ["server"]);
    assert_eq!(words(&checked(&mut ken, &["."]).unwrap()), ["client", "program", "server"]);
    assert!(words(&checked(&mut ken, &["docs"]).unwrap()).is_empty(), "no entry is about it, and it exists");
    // A file that is gone is still what entries are about.
    fs::remove_file(repository.path().join("src/net/client.rs")).unwrap();
    let gone = checked(&mut ken, &["src/net/client.rs"]).unwrap();
    assert_eq!((words(&gone), gone.summary.broken), (vec!["client".to_owned()], 1));
    // From a folder below the top a path is relative to that folder, or to the top.
    let mut below = repository.open_in("src");
    assert_eq!(words(&checked(&mut below, &["net"]).unwrap()), ["client", "server"]);
    assert_eq!(words(&checked(&mut below, &["src/net"]).unwrap()), ["client", "server"]);
    for nowhere in ["src/nowhere", "src/net/clint.rs", "docs/*.rs"] {
        let refused = checked(&mut ken, &[nowhere]).unwrap_err().to_string();
        assert!(refused.contains("neither in the working tree nor in the last commit"), "{refused}");
    }
    for outside in ["..", "../elsewhere/x.rs", "src/../../x.rs", "/etc/hosts"] {
        let refused = checked(&mut ken, &[outside]).unwrap_err().to_string();
        assert!(refused.contains("is outside of this repository"), "{refused}");
    }
    // `src/net/../net` and globs were refused as if there were no such files.
    let top = repository.path().display().to_string();
    for (name, expected) in [
        ("src/net/../net/./server.rs", vec!["server"]),
        ("src/net/..", vec!["client", "program", "server"]),
        ("src/..", vec!["client", "program", "server"]),
        (&top, vec!["client", "program", "server"]),
        (&format!("{top}/src/../src/main.rs"), vec!["program"]),
        ("src/**/*er.rs", vec!["server"]),
        ("src/*.rs", vec!["program"]),
        // This one is gone, and still what an entry is anchored at.
        ("**/client.rs", vec!["client"]),
    ] {
        assert_eq!(words(&checked(&mut ken, &[name]).unwrap()), expected, "{name}");
    }
    assert_eq!(words(&checked(&mut below, &["../src/main.rs"]).unwrap()), ["program"]);
    assert_eq!(words(&checked(&mut below, &["*.rs"]).unwrap()), ["program"]);
    // What led out of the repository and back was outside of it, a symbol was no place, and an empty name meant everything.
    let back = format!("../../{}/src/main.rs", repository.path().file_name().unwrap().display());
    assert_eq!(words(&checked(&mut below, &[&back]).unwrap()), ["program"]);
    assert_eq!(words(&checked(&mut ken, &["src/main.rs#main"]).unwrap()), ["program"]);
    assert_eq!(words(&checked(&mut below, &["main.rs#main"]).unwrap()), ["program"]);
    for (name, says) in [("src/main.rs#other", "no entry is anchored at"), ("", "an empty name")] {
        assert!(checked(&mut ken, &[name]).unwrap_err().to_string().contains(says), "{name}");
    }
    let both = {
        let first = ken.list(&Query { limit: 1, ..Query::default() }).unwrap().items[0].head.id.clone();
        checked(&mut ken, &[&first, "src/net"]).unwrap()
    };
    assert_eq!(both.summary.entries, 3, "an entry and a folder can be named together");
}

/// `list`, `status` and `verify` counted 4, 3 and 5: entries of threads and notes were counted here and not there.
#[test]
fn everything_that_counts_entries_counts_alike() {
    let repository = Repository::new();
    let mut ken = repository.open();
    for word in ["client", "server", "program"] {
        ken.add(lesson(word, "src/main.rs#main", "pr:1")).unwrap();
    }
    let mut of_thread = lesson("migration", "src/main.rs#main", "pr:1");
    of_thread.content.insert("thread".to_owned(), json!("migration"));
    ken.add(of_thread).unwrap();
    ken.note("The build was slow today because the cache was cold.", &[]).unwrap();
    let retracted = ken.add(lesson("mistake", "src/main.rs#main", "pr:1")).unwrap().id;
    ken.retract(&retracted, "it was wrong").unwrap();
    let listed = ken.list(&Query::default()).unwrap().total;
    let status = json!(ken.status().unwrap())["holds"]["entries"].clone();
    let verified = json!(ken.verify(false).unwrap());
    let health = json!(ken.health_report().unwrap())["counts"]["handed_out"].clone();
    assert_eq!(listed, 4);
    assert_eq!(status, json!(4));
    assert_eq!((&verified["in_use"], &verified["entries"]), (&json!(4), &json!(6)));
    assert_eq!(health, json!(4));
}

/// The entries that are drifted or broken, as a check finds them.
fn found(ken: &mut Reach) -> Vec<String> {
    let checked = ken.check(&Which::All).unwrap().entries;
    let is_fallen = |verdict: Verdict| matches!(verdict, Verdict::Drifted | Verdict::Broken);
    checked.into_iter().filter(|entry| is_fallen(entry.verdict)).map(|entry| entry.head.id).collect()
}

/// The same, as the queue asks about them.
fn asked(ken: &mut Reach) -> Vec<String> {
    let items = ken.queue(usize::MAX).unwrap().items;
    items.into_iter().filter_map(|item| item.item.strip_prefix("holds ").map(str::to_owned)).collect()
}

#[test]
fn the_queue_asks_about_what_a_check_finds_and_judges_nothing_else() {
    let repository = Repository::new();
    let mut ken = repository.open();
    ken.add(lesson("client", "src/net/client.rs#send", "pr:1")).unwrap();
    ken.add(lesson("server", "src/net/server.rs#listen", "pr:1")).unwrap();
    let program = ken.add(lesson("program", "src/main.rs#main", "pr:1")).unwrap().id;
    let mut of_no_place = lesson("nothing", "src/main.rs#main", "pr:1");
    of_no_place.content.remove("anchors");
    ken.add(AddInput { draft: true, ..of_no_place }).unwrap();
    assert!(asked(&mut ken).is_empty() && found(&mut ken).is_empty());
    // As long as no entry states a condition, only those whose files changed are read.
    repository.write("src/main.rs", "fn main() {\n    let answer = 6 * 7;\n    drop(answer);\n}\n");
    assert_eq!((asked(&mut ken), found(&mut ken).len()), (found(&mut ken), 1));
    for (word, condition) in [("rest", program.as_str()), ("page", "docs/outage.md")] {
        let mut resting = lesson(word, "src/main.rs#main", "pr:1");
        resting.content.insert("depends_on".to_owned(), json!([condition]));
        ken.add(resting).unwrap();
    }
    let changes: [&dyn Fn(&mut Reach); 4] = [
        &|_| repository.write("src/net/client.rs", "pub fn send() -> u64 {\n    7 * 6 * 5\n}\n"),
        &|_| fs::remove_file(repository.path().join("src/net/server.rs")).unwrap(),
        &|ken| drop(ken.retract(&program, "it was wrong").unwrap()),
        &|_| fs::remove_file(repository.path().join("docs/outage.md")).unwrap(),
    ];
    for (at, change) in changes.iter().enumerate() {
        change(&mut ken);
        let asked = asked(&mut ken);
        assert_eq!(asked, found(&mut ken), "after change {at}");
        assert!(asked.len() > at, "after change {at}: {asked:?}");
    }
    let (whole, first) = (ken.queue(usize::MAX).unwrap(), ken.queue(2).unwrap());
    assert_eq!(first.total, whole.items.len());
    assert_eq!(json!(first.items), json!(whole.items[..2]));
}

#[test]
fn a_diff_within_a_limit_is_the_beginning_of_the_whole_one() {
    let repository = Repository::new();
    let mut ken = repository.open();
    let old = ken.add(lesson("old", "src/main.rs#main", "pr:1")).unwrap().id;
    repository.git(&["add", "-A"]);
    repository.git(&["commit", "-q", "-m", "entries"]);
    for word in ["client", "server", "program"] {
        ken.add(lesson(word, "src/main.rs#main", "pr:1")).unwrap();
    }
    ken.retract(&old, "it was wrong").unwrap();
    for range in ["HEAD", "HEAD~1", "HEAD~1..HEAD"] {
        let whole = ken.diff(range).unwrap();
        assert_eq!(whole.totals, None);
        for limit in [1, 2, 9] {
            let part = ken.diff_within(range, Some(limit)).unwrap();
            let totals = part.totals.unwrap();
            for (part, whole, total) in [
                (&part.added, &whole.added, totals.added),
                (&part.changed, &whole.changed, totals.changed),
                (&part.removed, &whole.removed, totals.removed),
            ] {
                assert_eq!(total, whole.len(), "{range}");
                assert_eq!(json!(part), json!(whole[..limit.min(whole.len())]), "{range}");
            }
        }
    }
}

/// Every entry of a state, in its order, and every one as far as its validity is concerned.
fn held(state: &dyn Projection) -> (Vec<(String, Entry)>, Vec<String>) {
    let every = Query { all: true, overlaid: Overlaid::Any, ..Query::default() };
    let mut entries = Vec::new();
    state
        .each(&every, &mut |stored| {
            entries.push((stored.id, stored.entry));
            Ok(())
        })
        .unwrap();
    assert_eq!(entries.len(), state.list(&every).unwrap().total);
    for (id, entry) in &entries {
        assert_eq!(state.stored(entry.key).unwrap().map(|stored| stored.entry).as_ref(), Some(entry));
        assert_eq!(state.resolve(id).unwrap(), [entry.key], "{id}");
    }
    let mut subjects: Vec<String> =
        state.subjects().unwrap().iter().map(|subject| format!("{subject:?}")).collect();
    subjects.sort();
    (entries, subjects)
}

/// One entry stands for another from now on, as a service would say it.
fn merge(ken: &mut Reach, kept: &str, absorbed: &str) {
    let store = &mut ken.ledger;
    let writer = Writer {
        actor: "human:ada".to_owned(),
        now: Millis(1_750_000_000_000),
        authority: Authority::attended("human:Ada", false),
    };
    let entry = |id: &str| store.entry(store.resolve(id).unwrap()[0]).unwrap().unwrap();
    let (kept, absorbed) = (entry(kept), entry(absorbed));
    let choice = Choice { kept: &kept, absorbed: &absorbed };
    let intents = decide::merge(choice, Some(990), "the same".to_owned()).unwrap();
    store.append(intents, &writer).unwrap();
}

// A tree is not folded again where the working tree holds the same lines: what is told of it must be what its own lines make.
#[test]
fn sto_11_a_tree_seen_beside_the_working_tree_is_what_its_lines_make() {
    let repository = Repository::new();
    let commit = |tag: &str| {
        repository.git(&["add", "-A"]);
        repository.git(&["commit", "-q", "-m", tag]);
        repository.git(&["tag", tag]);
    };
    let add = |word: &str| {
        let mut ken = repository.open();
        ken.add(lesson(word, "src/net/client.rs#send", "doc:docs/outage.md")).unwrap().id
    };
    let words = ["timeout", "retry", "socket", "buffer", "cache"];
    let ids: Vec<String> = words.iter().map(|word| add(word)).collect();
    commit("one");
    repository.open().retract(&ids[0], "it was wrong").unwrap();
    repository.open().link(&ids[1], "supports", &ids[2], false).unwrap();
    add("window");
    commit("two");
    merge(&mut repository.open(), &ids[3], &ids[4]);
    commit("three");
    repository.git(&["checkout", "-q", "-b", "side", "one"]);
    add("stream");
    repository.open().confirm(&ids[2], "seen again").unwrap();
    commit("side-one");
    for branch in ["side", "main"] {
        repository.git(&["checkout", "-q", "-f", branch]);
        for is_committed in [true, false] {
            if !is_committed {
                add(&format!("{branch}-draft"));
            }
            let ken = repository.open();
            for tree in ["one", "two", "three", "side-one", "HEAD"] {
                let whole = held(&*ken.ledger.snapshot().git().unwrap().as_of_commit(tree, None).unwrap());
                assert_eq!(
                    held(&*ken.ledger.snapshot().git().unwrap().tree_at(tree).unwrap()),
                    whole,
                    "{tree} beside {branch}"
                );
                let ledgers = ken
                    .ledger
                    .snapshot()
                    .git()
                    .unwrap()
                    .ledgers_at(&[Some("one"), Some(tree), None])
                    .unwrap();
                let seen = ken
                    .ledger
                    .snapshot()
                    .git()
                    .unwrap()
                    .snapshot_of(&ledgers[1])
                    .map(|state| held(&*state))
                    .unwrap();
                assert_eq!(seen, whole, "the ledger of {tree} beside {branch}");
            }
        }
    }
}

#[test]
fn val_1_the_verdicts_that_drift_goes_by_are_those_of_a_check() {
    let repository = Repository::new();
    let add = |word: &str, anchor: &str, depends_on: &[&str]| {
        let mut input = lesson(word, anchor, "doc:docs/outage.md");
        input.content.insert("depends_on".to_owned(), json!(depends_on));
        repository.open().add(input).unwrap().id
    };
    let sends = add("timeout", "src/net/client.rs#send", &[]);
    let rests = add("retry", "src/net/server.rs#listen", &[&sends]);
    add("socket", "src/main.rs#main", &[&rests, "path:src/main.rs"]);
    add("buffer", "src/net/client.rs:1-2", &["file_exists:src/none.rs"]);
    add("window", "src/net/server.rs:2", &[]);
    repository.git(&["add", "-A"]);
    repository.git(&["commit", "-q", "-m", "known"]);
    repository.write("src/net/client.rs", "pub fn send() -> u32 {\n    let limit = 30;\n    limit * 40\n}\n");
    repository.write("src/moved.rs", "pub fn listen() -> u32 {\n    let port = 80;\n    port + 1\n}\n");
    fs::remove_file(repository.path().join("src/net/server.rs")).unwrap();
    for _ in 0..2 {
        let mut ken = repository.open();
        let drift = ken.drift(None).unwrap();
        let check = ken.check(&Which::All).unwrap();
        assert_eq!(drift.check, check.summary);
        let signals = drift.drift.store.unwrap().signals;
        let mut told: Vec<(String, String)> = Vec::new();
        for sign in signals.drifted.iter().chain(&signals.broken) {
            told.push((sign.head.id.clone(), sign.why.clone()));
        }
        let orphaned: Vec<&String> = signals.orphaned.iter().map(|sign| &sign.head.id).collect();
        let mut fallen: Vec<(String, String)> = Vec::new();
        for entry in &check.entries {
            if let Some((_, why)) = entry.fallen().filter(|_| !orphaned.contains(&&entry.head.id)) {
                fallen.push((entry.head.id.clone(), why));
            }
        }
        told.sort();
        fallen.sort();
        assert_eq!(told, fallen);
        assert!(!told.is_empty(), "{check:?}");
    }
}
