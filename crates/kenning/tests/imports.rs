//! What one import or sync wrote is one change: `undo` takes back all of it, and what only a person may take up waits in the queue.

use crate::verbs::Verbs as _;
use ken_core::decide::Authority;
use std::fs;
use std::path::PathBuf;

use kenning::core::{Body, EntryEvent, Intent, LinkEvent, Millis, Relation};
use kenning::foreign::{ImportInput, ImportReport, SyncInput};
use kenning::ops::find;
use kenning::ops::queue::Verdict;
use kenning::{AddInput, Caller, Channel, Options, Query, Reach, Writer};
use serde_json::json;

const DAY: i64 = 86_400_000;
const NOW: i64 = 1_750_000_000_000;

const RULES: &str = "# Rules\n\n- Always run the tests before a commit.\n- Never push to main directly.\n- Use tabs for indentation in Go files.\n";
const REWORDED: &str = "# Rules\n\n- Always run all the tests before a commit.\n- Never push to main or release directly.\n- Use two tabs for indentation in Go files.\n";

struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    fn new() -> Desk {
        let desk = Desk { folder: tempfile::tempdir().unwrap() };
        desk.write("src/net.rs", "fn retry() {\n    jitter();\n}\n");
        desk.git(&["init", "-q", "-b", "main"]);
        kenning::init(desk.folder.path(), Default::default()).unwrap();
        desk.commit("begin");
        desk
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn git(&self, args: &[&str]) {
        super::git(self.folder.path(), args);
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
    }

    fn open(&self, actor: &str, day: i64) -> Reach {
        let options = Options { from: self.folder.path().to_owned(), no_model: true, ..Options::default() };
        let caller = Caller::new(actor, Millis(NOW + day * DAY), Channel::Library);
        kenning::open_for(options, caller.at_terminal(true)).unwrap()
    }

    fn person(&self) -> Reach {
        self.open("human:Ada", 4)
    }

    fn agent(&self) -> Reach {
        self.open("agent:codex", 4)
    }

    /// What is in use, in the order of the alphabet.
    fn says(&self) -> Vec<String> {
        let ken = self.person();
        let entries = ken.ledger.list(&Query::default()).unwrap().entries;
        let says = entries.iter().map(|stored| stored.entry.fields.statement().into_owned());
        let mut says: Vec<String> = says.collect();
        says.sort();
        says
    }
}

fn import(ken: &mut Reach, format: &str, path: PathBuf) -> ImportReport {
    let input = ImportInput { format: format.to_owned(), path, dry_run: false, name: None };
    ken.import(&input, &mut |_| true).unwrap()
}

fn finding(says: &str) -> String {
    format!(
        "---\nlastConfirmed: 2025-12-01\nprovenance: independent\n---\n{says}\n\nTwo reviews found it on their own.\n\nEvidence: `src/net.rs:2`, retry() calls jitter.\nVerify: grep -n jitter src/net.rs\n"
    )
}

// Three reworded norms of one CLAUDE.md: `ken undo` gave one of them back, and a later import had the old and the new one.
#[test]
fn one_undo_takes_back_all_that_an_import_changed_and_importing_again_brings_it_back() {
    let desk = Desk::new();
    desk.write("CLAUDE.md", RULES);
    import(&mut desk.person(), "agents-md", desk.path("CLAUDE.md"));
    let before = desk.says();
    assert_eq!(before.len(), 3, "{before:?}");
    desk.write("CLAUDE.md", REWORDED);
    import(&mut desk.person(), "agents-md", desk.path("CLAUDE.md"));
    let after = desk.says();
    assert!(after.len() == 3 && after.iter().all(|rule| !before.contains(rule)), "{after:?}");
    desk.person().undo(None).unwrap();
    assert_eq!(desk.says(), before);
    let again = import(&mut desk.person(), "agents-md", desk.path("CLAUDE.md"));
    assert_eq!(again.restored, 3, "{again:?}");
    assert_eq!(desk.says(), after);
    // An undo is one change as well.
    desk.person().undo(None).unwrap();
    assert_eq!(desk.says(), before);
}

#[test]
fn one_undo_takes_back_all_edits_of_a_sync_and_no_earlier_change() {
    let desk = Desk::new();
    desk.write("k/one.md", &finding("Every retry waits with jitter."));
    desk.write("k/two.md", &finding("Sockets are closed once."));
    desk.person().set_setting("mirrors.own", "flux-drive:k").unwrap();
    desk.person().sync(&SyncInput::default()).unwrap();
    let before = desk.says();
    desk.write("k/one.md", &finding("Every retry waits with random jitter."));
    desk.write("k/two.md", &finding("Sockets are closed once, by their owner."));
    let report = desk.person().sync(&SyncInput::default()).unwrap();
    assert_eq!(report.actions.len(), 2, "{report:?}");
    let after = desk.says();
    assert!(after.iter().all(|says| !before.contains(says)), "{after:?}");
    desk.person().undo(None).unwrap();
    assert_eq!(desk.says(), before);
}

// `ken undo` said "it is a record of a finding" of the confirmation, and the citation stayed.
#[test]
fn undo_takes_back_an_addition_that_confirmed_an_entry() {
    let desk = Desk::new();
    let lesson = |evidence: &str| {
        let content = json!({
            "statement": "Every retry waits with jitter.",
            "anchors": ["src/net.rs"],
            "verification": ["grep -n jitter src/net.rs"],
        });
        let content = content.as_object().cloned().unwrap();
        let (kind, evidence) = (Some("lesson".to_owned()), vec![evidence.to_owned()]);
        AddInput { kind, content, evidence, ..AddInput::default() }
    };
    let id = desk.open("human:Bob", 0).add(lesson("pr:1")).unwrap().id;
    let shown = || {
        let view = desk.open("human:Bob", 9).show(&id).unwrap();
        let counts = view.provenance.iter().filter(|citation| !citation.withdrawn).count();
        (view.last_confirmed.is_some(), counts)
    };
    let before = shown();
    let again = desk.agent().add(lesson("pr:2")).unwrap();
    assert!(again.reasons.join("; ").contains("confirmed independently"), "{:?}", again.reasons);
    assert_eq!(shown(), (true, 2));
    let undone = desk.agent().undo(None).unwrap();
    assert!(undone[0].reasons.join("; ").contains("withdrew the confirmation"), "{:?}", undone[0].reasons);
    assert_eq!(shown(), before);
    let again = desk.agent().undo(None).unwrap();
    assert!(again[0].reasons.join("; ").contains("the confirmation counts again"), "{:?}", again[0].reasons);
    assert_eq!(shown(), (true, 2), "an undo is undone");
    // It said "the confirmation counts again" here, too.
    let third = desk.agent().undo(None).unwrap();
    assert!(third[0].reasons.join("; ").contains("withdrew the confirmation"), "{:?}", third[0].reasons);
    assert_eq!(shown(), before);
}

// `ken undo` after `ken feedback` went for what the same actor had written before that, or said "was changed again since".
#[test]
fn undo_takes_feedback_back_and_nothing_else() {
    let desk = Desk::new();
    desk.write("k/one.md", &finding("Every retry waits with jitter."));
    import(&mut desk.person(), "flux-drive", desk.path("k"));
    let status = || desk.person().show("one").unwrap().status.word();
    assert_eq!(status(), "candidate");
    desk.person().feedback("one", true, "").unwrap();
    assert_eq!(status(), "active");
    let undone = desk.person().undo(None).unwrap();
    assert!(undone[0].reasons.join("; ").contains("took the feedback back"), "{:?}", undone[0].reasons);
    assert_eq!(status(), "candidate");
    desk.person().undo(None).unwrap();
    assert_eq!(status(), "active");
    desk.person().undo(None).unwrap();
    // It can be said again, and what another says is another's.
    desk.person().feedback("one", false, "").unwrap();
    desk.open("human:Bob", 4).feedback("one", true, "").unwrap();
    desk.person().undo(None).unwrap();
    assert_eq!(status(), "active");
}

// An agent's import of an edited verified entry exited 0, said that an import takes it up, and asked nobody.
#[test]
fn an_edit_that_only_a_person_may_import_waits_in_the_queue() {
    let desk = Desk::new();
    desk.write("k/one.md", &finding("Every retry waits with jitter."));
    import(&mut desk.person(), "flux-drive", desk.path("k"));
    let bob = |day| desk.open("human:Bob", day).confirmed_by(ken_testkit::person("human:Bob"));
    for day in 1..3 {
        bob(day).confirm("one", "found again").unwrap();
    }
    let mut prover = bob(3);
    let key = find(prover.ledger.projection(), "one").unwrap().entry.key;
    prover.prove(&[key], true).unwrap();
    assert_eq!(desk.person().show("one").unwrap().status.word(), "verified");
    desk.write("k/one.md", &finding("No retry waits."));
    let report = import(&mut desk.agent(), "flux-drive", desk.path("k"));
    assert_eq!(report.waiting.len(), 1, "{report:?}");
    assert!(report.waiting[0].note.contains("ken queue"), "{report:?}");
    assert!(report.changed_sources.is_empty(), "{:?}", report.changed_sources);
    let items = desk.agent().queue(usize::MAX).unwrap().items;
    let item = items.iter().find(|item| item.item == "edited one").unwrap();
    assert!(item.question.starts_with("k/one.md, which was imported, was edited"), "{}", item.question);
    let apply = Verdict { item: "edited one".into(), answer: "apply".into(), reason: "it holds".into() };
    assert!(!desk.agent().judge_one(&apply).unwrap().accepted, "an agent applies nothing");
    let ruled = desk.person().judge_one(&apply).unwrap();
    assert!(ruled.accepted, "{ruled:?}");
    assert_eq!(desk.says(), ["No retry waits."]);
    assert!(desk.agent().queue(usize::MAX).unwrap().items.iter().all(|item| item.item != "edited one"));
}

// A person at a terminal was told that it was not one, and nothing could apply the edit of an approved norm.
#[test]
fn an_approver_at_a_terminal_is_asked_before_an_edit_moves_an_approved_norm() {
    for takes_up in ["import", "queue"] {
        let desk = Desk::new();
        let approver = || desk.person().confirmed_by(ken_testkit::person("human:Ada"));
        for setting in ["approvers.Ada", "approvals.solo"] {
            approver().set_setting(setting, if setting == "approvers.Ada" { "yes" } else { "true" }).unwrap();
        }
        desk.write(
            "CLAUDE.md",
            "# Rules\n\n- Never edit files below `vendor/` by hand.\n- Use tabs in Go files.\n",
        );
        import(&mut desk.person(), "auto", desk.path("."));
        let norm = |text: &str| {
            let ken = desk.person();
            let every = Query { all: true, text: Some(text.to_owned()), ..Query::default() };
            ken.ledger.list(&every).unwrap().entries.remove(0)
        };
        let approved = norm("by hand");
        approver().accept_stated(&approved.id).unwrap();
        desk.write(
            "CLAUDE.md",
            "# Rules\n\n- Edit files below `vendor/` whenever you like.\n- Use spaces in Go files.\n",
        );
        let report = import(&mut desk.agent(), "auto", desk.path("."));
        assert_eq!(report.waiting.len(), 1, "{report:?}");
        let before = desk.says();
        let item = format!("edited {}", approved.id);
        let apply = Verdict { item, answer: "apply".into(), reason: "it is so".into() };
        let input = ImportInput { format: "auto".into(), path: desk.path("."), dry_run: false, name: None };
        // Whoever can be asked is asked, before anything is written.
        let asked = match takes_up {
            "import" => desk.person().import(&input, &mut |_| true).map(drop),
            _ => desk.person().judge_one(&apply).map(drop),
        };
        let refusal = match asked {
            Err(kenning::Error::Refused(refusal)) => refusal,
            other => panic!("{takes_up}: {other:?}"),
        };
        let asks = refusal.confirm.unwrap();
        assert!(asks.starts_with("applying the edit of CLAUDE.md, which changes N-"), "{asks}");
        assert_eq!(desk.says(), before);
        match takes_up {
            "import" => drop(approver().import(&input, &mut |_| true).unwrap()),
            _ => assert!(approver().judge_one(&apply).unwrap().accepted),
        }
        assert_eq!(desk.says(), ["Edit files below `vendor/` whenever you like.", "Use spaces in Go files."]);
        assert_eq!(norm("by hand").entry.status.word(), "superseded");
    }
}

// After an edit that was edited back, and an undo, an import left the words of the file superseded and other words in use, for good.
#[test]
fn after_an_undo_an_import_compares_the_file_and_the_store_again() {
    let desk = Desk::new();
    let file = desk.path("CLAUDE.md");
    for rules in [RULES, REWORDED, RULES] {
        desk.write("CLAUDE.md", rules);
        import(&mut desk.person(), "agents-md", file.clone());
    }
    let in_file = desk.says();
    desk.person().undo(None).unwrap();
    assert_ne!(desk.says(), in_file);
    let again = import(&mut desk.person(), "agents-md", file.clone());
    assert_eq!(again.restored, 3, "{again:?}");
    assert!(again.changed_sources.is_empty(), "{again:?}");
    assert_eq!(desk.says(), in_file);
    // Once is enough, and that is one change as well.
    assert_eq!(import(&mut desk.person(), "agents-md", file.clone()).restored, 0);
    desk.person().undo(None).unwrap();
    assert_ne!(desk.says(), in_file);
    desk.person().undo(None).unwrap();
    assert_eq!(desk.says(), in_file);
    // What somebody put away deliberately stays away, also where they undid that twice.
    let mut ken = desk.person();
    let entries = ken.ledger.list(&Query::default()).unwrap().entries;
    ken.retract(&entries[0].id, "it is wrong").unwrap();
    ken.supersede(&entries[1].id, &entries[2].id, "it says it all").unwrap();
    ken.undo(None).unwrap();
    ken.undo(None).unwrap();
    drop(ken);
    let left = desk.says();
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(import(&mut desk.person(), "agents-md", file).restored, 0);
    assert_eq!(desk.says(), left);
}

// The file said it, the entry said what it had said before, and no import noticed.
#[test]
fn a_revision_that_was_undone_comes_back_with_the_next_import() {
    let desk = Desk::new();
    desk.write("k/one.md", &finding("Every retry waits with jitter."));
    import(&mut desk.person(), "flux-drive", desk.path("k"));
    desk.write("k/one.md", &finding("Every retry waits with random jitter."));
    import(&mut desk.person(), "flux-drive", desk.path("k"));
    assert_eq!(desk.says(), ["Every retry waits with random jitter."]);
    for _ in 0..2 {
        desk.person().undo(None).unwrap();
        assert_eq!(desk.says(), ["Every retry waits with jitter."]);
        let again = import(&mut desk.person(), "flux-drive", desk.path("k"));
        assert_eq!((again.restored, again.unchanged), (1, 1), "{again:?}");
        assert_eq!(desk.says(), ["Every retry waits with random jitter."]);
        assert_eq!(import(&mut desk.person(), "flux-drive", desk.path("k")).restored, 0);
    }
}

// `undo` withdrew the citation that an import had added, and the next import said that nothing had changed.
#[test]
fn a_citation_that_was_undone_comes_back_with_the_next_import() {
    let desk = Desk::new();
    let content = json!({ "rule": "Always run the tests before a commit." });
    let input = AddInput {
        kind: Some("commit_norm".to_owned()),
        content: content.as_object().cloned().unwrap(),
        evidence: vec!["pr:1".to_owned()],
        draft: true,
        ..AddInput::default()
    };
    let id = desk.person().add(input).unwrap().id;
    desk.write("CLAUDE.md", "# Rules\n\n- Always run the tests before a commit.\n");
    let cited = || {
        let view = desk.person().show(&id).unwrap();
        let counts = view.provenance.iter().filter(|citation| !citation.withdrawn);
        counts.map(|citation| citation.evidence_ref.clone()).collect::<Vec<_>>()
    };
    assert_eq!(import(&mut desk.person(), "agents-md", desk.path("CLAUDE.md")).reinforced, 1);
    let with_file = cited();
    assert_eq!(with_file.len(), 2, "{with_file:?}");
    desk.person().undo(None).unwrap();
    assert_eq!(cited(), ["1"]);
    let again = import(&mut desk.person(), "agents-md", desk.path("CLAUDE.md"));
    assert_eq!(again.reinforced, 1, "{again:?}");
    assert!(again.notes.iter().any(|note| note.note.contains("again")), "{again:?}");
    assert_eq!(cited(), with_file);
    assert_eq!(import(&mut desk.person(), "agents-md", desk.path("CLAUDE.md")).reinforced, 0);
}

// An import of a changed file said "0 entries added" of the bullet that it added.
#[test]
fn what_is_added_to_a_file_that_was_imported_is_counted() {
    let desk = Desk::new();
    desk.write("CLAUDE.md", RULES);
    import(&mut desk.person(), "agents-md", desk.path("CLAUDE.md"));
    desk.write("CLAUDE.md", &format!("{RULES}- Write errors in plain words.\n"));
    let report = import(&mut desk.person(), "agents-md", desk.path("CLAUDE.md"));
    assert_eq!((report.added + report.held, report.reinforced, report.changed), (1, 0, 1), "{report:?}");
    assert_eq!(desk.says().len(), 4);
}

// On a branch without the events of the mirror, each sync said "added ... reinforced" of every file.
#[test]
fn a_sync_on_another_branch_says_nothing_of_files_that_are_as_they_were() {
    let desk = Desk::new();
    desk.write("k/one.md", &finding("Every retry waits with jitter."));
    desk.person().set_setting("mirrors.own", "flux-drive:k").unwrap();
    desk.commit("mirror");
    desk.git(&["branch", "other"]);
    desk.person().sync(&SyncInput::default()).unwrap();
    desk.commit("synced");
    desk.git(&["checkout", "-q", "other"]);
    for _ in 0..2 {
        let report = desk.person().sync(&SyncInput::default()).unwrap();
        assert!(report.actions.is_empty() && report.is_in_step(), "{report:?}");
    }
    desk.write("k/one.md", &finding("Every retry waits with random jitter."));
    assert_eq!(desk.person().sync(&SyncInput::default()).unwrap().actions.len(), 1);
}

// Two records that supersede each other left none in use.
#[test]
fn of_two_files_that_supersede_each_other_one_stays_in_use() {
    let desk = Desk::new();
    let record = |number: u32, title: &str, other: &str| {
        format!(
            "# {number}. {title}\n\nDate: 2024-02-0{number}\n\n## Status\n\nSuperseded by [{other}]({other}.md)\n\n## Context\n\nWe had none.\n\n## Decision\n\n{title} everywhere.\n"
        )
    };
    desk.write("docs/adr/0001-use-sqlite.md", &record(1, "Use SQLite", "0002-use-files"));
    desk.write("docs/adr/0002-use-files.md", &record(2, "Use files", "0001-use-sqlite"));
    let mut ken = desk.person();
    import(&mut ken, "adr", desk.path("docs/adr"));
    let notices = ken.ledger.take_notices().join("; ");
    let says = desk.says();
    assert!(says.len() == 1 && says[0].starts_with("Use files"), "{says:?}");
    assert!(notices.contains("was not superseded by"), "{notices}");
}

/// Says of each entry that the next one supersedes it, as clones that know nothing of each other can.
fn supersede_in_a_ring(ken: &mut Reach, names: &[&str]) {
    let writer = Writer {
        actor: "human:Ada".to_owned(),
        now: Millis(NOW + 4 * DAY),
        authority: Authority::attended("human:Ada", false),
    };
    for (at, name) in names.iter().enumerate() {
        let next = names[(at + 1) % names.len()];
        let (old, new) =
            (find(ken.ledger.projection(), name).unwrap(), find(ken.ledger.projection(), next).unwrap());
        let (old, new) = (old.entry.key, new.entry.key);
        let superseded = Body::Entry(EntryEvent::Superseded { by: new, reason: String::new() });
        let linked = Body::Link(LinkEvent::Linked { relation: Relation::Supersedes, to: old });
        let about = |(key, body)| Intent { entry: Some(key), body };
        let intents = [(old, superseded), (new, linked)].map(about).into();
        ken.ledger.append(intents, &writer).unwrap();
    }
}

// Entries that superseded each other were all out of use, and nothing said so.
#[test]
fn verify_names_entries_that_supersede_each_other_and_what_ends_it() {
    let desk = Desk::new();
    for name in ["one", "two", "three", "four", "five"] {
        desk.write(&format!("k/{name}.md"), &finding(&format!("Rule {name} is about jitter.")));
    }
    let mut ken = desk.person();
    import(&mut ken, "flux-drive", desk.path("k"));
    supersede_in_a_ring(&mut ken, &["one", "two"]);
    supersede_in_a_ring(&mut ken, &["three", "four", "five"]);
    let rings = |ken: &mut Reach| -> Vec<(String, String)> {
        let notices = ken.verify(false).unwrap().notices.into_iter();
        let rings = notices.filter(|one| one.code == "supersession_ring");
        rings.map(|one| (one.message, one.hint.unwrap())).collect()
    };
    let mut told = rings(&mut ken);
    told.sort();
    assert_eq!(told.len(), 2, "{told:?}");
    let with = |part: &str| told.iter().find(|(message, _)| message.contains(part)).unwrap();
    // Of two the later word counts: `two` was superseded last, by `one`.
    assert_eq!(
        with("is in use, ").1,
        "if that is right: ken link two supersedes one --remove; otherwise: ken restore two"
    );
    assert!(with("none of them is in use").1.starts_with("ken restore"), "{told:?}");
    assert_eq!(desk.says(), ["Rule one is about jitter."]);
    ken.link("two", "supersedes", "one", true).unwrap();
    ken.restore("three", "it holds").unwrap();
    assert_eq!(rings(&mut ken), []);
    assert_eq!(desk.says(), ["Rule one is about jitter.", "Rule three is about jitter."]);
}

// After `import; undo; import` a superseded record was archived, and no entry had its links.
#[test]
fn what_comes_back_after_an_undo_is_superseded_and_linked_as_its_files_say() {
    let desk = Desk::new();
    let record = |title: &str, status: &str| {
        format!("# {title}\n\n## Status\n\n{status}\n\n## Decision\n\n{title} everywhere.\n")
    };
    desk.write("adr/0001-use-zip.md", &record("Use zip", "Superseded by [ADR-0002](0002-use-lz4.md)"));
    desk.write(
        "adr/0002-use-lz4.md",
        &record("Use lz4", "Accepted\n\nSupersedes [ADR-0001](0001-use-zip.md)"),
    );
    desk.write("adr/0003-use-zstd.md", &record("Use zstd", "Superseded by ADR-0009"));
    let note = |title: &str, says: &str| {
        let slug = title.to_lowercase().replace(' ', "-");
        format!("---\ntitle: {title}\ntype: note\npermalink: {slug}\n---\n\n# {title}\n\n{says}\n")
    };
    desk.write("notes/Cache ttl.md", &note("Cache ttl", "- [decision] The cache forgets after a day"));
    desk.write(
        "notes/Retries.md",
        &note("Retries", "- [decision] Retries wait\n\n- relates_to [[Cache ttl]]"),
    );
    for (format, folder, links) in [("adr", "adr", 1), ("basic-memory", "notes", 2)] {
        let stand = || {
            let ken = desk.person();
            let every = Query { all: true, ..Query::default() };
            let mut all: Vec<_> = ken.ledger.list(&every).unwrap().entries;
            all.sort_by_key(|stored| stored.entry.key);
            let stand = |stored: kenning::Stored| {
                let entry = stored.entry;
                (entry.id(), entry.status, entry.superseded_by, entry.links)
            };
            all.into_iter().map(stand).collect::<Vec<_>>()
        };
        import(&mut desk.person(), format, desk.path(folder));
        let before = stand();
        assert_eq!(before.iter().map(|(_, _, _, links)| links.len()).sum::<usize>(), links, "{before:?}");
        for _ in 0..2 {
            desk.person().undo(None).unwrap();
            assert_ne!(stand(), before, "{format}");
            let again = import(&mut desk.person(), format, desk.path(folder));
            assert!(again.restored > 0 && again.tied > 0, "{again:?}");
            assert_eq!(stand(), before, "{format}");
        }
        let once_more = import(&mut desk.person(), format, desk.path(folder));
        assert_eq!((once_more.restored, once_more.tied), (0, 0), "{once_more:?}");
        assert_eq!(stand(), before, "{format}");
    }
    let why = desk.person().show("0003-use-zstd").unwrap().status_reason.unwrap_or_default();
    assert!(why.contains("superseded by"), "{why}");
}

/// A store with two rules of a CLAUDE.md, the first of them approved by Ada, and its id.
fn approved(desk: &Desk) -> String {
    for (setting, value) in [("approvers.Ada", "yes"), ("approvals.solo", "true")] {
        approver(desk).set_setting(setting, value).unwrap();
    }
    desk.write(
        "CLAUDE.md",
        "# Rules\n\n- Never edit files below `vendor/` by hand.\n- Use tabs in Go files.\n",
    );
    import(&mut desk.person(), "agents-md", desk.path("CLAUDE.md"));
    let id = saying(desk, "by hand").id;
    approver(desk).accept_stated(&id).unwrap();
    id
}

/// Ada, who confirmed what she is asked.
fn approver(desk: &Desk) -> Reach {
    desk.person().confirmed_by(ken_testkit::person("human:Ada"))
}

/// The entry of any status that says something.
fn saying(desk: &Desk, words: &str) -> kenning::Stored {
    let ken = desk.person();
    let every = Query { all: true, text: Some(words.to_owned()), ..Query::default() };
    ken.ledger.list(&every).unwrap().entries.remove(0)
}

// `undo` refused: "was approved by Ada; only an approver can move it, and you are human:Ada".
#[test]
fn an_approver_is_asked_before_an_undo_moves_an_approved_norm() {
    let desk = Desk::new();
    let norm = approved(&desk);
    let standing = || saying(&desk, "by hand").entry.status.word();
    let before = standing();
    let asked = || match desk.person().undo(None) {
        Err(kenning::Error::Refused(refusal)) => {
            refusal.confirm.unwrap_or_else(|| panic!("{}", refusal.message))
        }
        other => panic!("{other:?}"),
    };
    approver(&desk).retract(&norm, "over").unwrap();
    let asks = asked();
    assert!(asks.starts_with("undoing a change of N-") && asks.contains("an approved norm"), "{asks}");
    assert_eq!(standing(), "retracted");
    approver(&desk).undo(None).unwrap();
    assert_eq!(standing(), before);
    // The same of an import that reworded it.
    desk.write(
        "CLAUDE.md",
        "# Rules\n\n- Edit files below `vendor/` whenever you like.\n- Use tabs in Go files.\n",
    );
    import(&mut approver(&desk), "agents-md", desk.path("CLAUDE.md"));
    assert_eq!(standing(), "superseded");
    asked();
    assert_eq!(standing(), "superseded");
    approver(&desk).undo(None).unwrap();
    assert_eq!(standing(), before);
    // Where nobody can be asked, it is not said that an approver is none.
    let writer = Writer {
        actor: "human:Ada".to_owned(),
        now: Millis(NOW + 4 * DAY),
        authority: Authority::attended("human:Ada", false),
    };
    let refused = kenning::ops::change::retract(&mut desk.person().ledger, &norm, "x".to_owned(), &writer);
    let refusal = refused.unwrap_err().to_string();
    assert!(refusal.contains("confirms that in a terminal") && !refusal.contains("you are"), "{refusal}");
}

// An edit of an approved norm held back the whole file: what else an agent had added to it was neither imported nor mentioned.
#[test]
fn an_edit_that_waits_for_a_person_holds_nothing_else_back() {
    let desk = Desk::new();
    let norm = approved(&desk);
    let rules = "# Rules\n\n- Edit files below `vendor/` whenever you like.\n- Use spaces in Go files.\n- Write errors in plain words.\n";
    desk.write("CLAUDE.md", rules);
    for new in [2, 0] {
        let events = |ken: &mut Reach| ken.ledger.latest_by("agent:codex").unwrap();
        let before = events(&mut desk.agent());
        let report = import(&mut desk.agent(), "agents-md", desk.path("CLAUDE.md"));
        assert_eq!(report.added + report.held, new, "{report:?}");
        assert_eq!(report.waiting.len(), 1, "{report:?}");
        assert!(report.waiting[0].note.contains("is an approved norm"), "{report:?}");
        assert!(report.changed_sources.is_empty(), "{report:?}");
        assert_eq!(new == 0, events(&mut desk.agent()) == before, "what waits is not written again");
        let says = [
            "Never edit files below `vendor/` by hand.",
            "Use spaces in Go files.",
            "Write errors in plain words.",
        ];
        assert_eq!(desk.says(), says);
    }
    let item = format!("edited {norm}");
    let items = desk.agent().queue(usize::MAX).unwrap().items;
    assert!(items.iter().any(|one| one.item == item), "{items:?}");
    let apply = Verdict { item, answer: "apply".into(), reason: "it is so".into() };
    assert!(approver(&desk).judge_one(&apply).unwrap().accepted);
    assert_eq!(
        desk.says(),
        [
            "Edit files below `vendor/` whenever you like.",
            "Use spaces in Go files.",
            "Write errors in plain words."
        ]
    );
    assert_eq!(import(&mut desk.agent(), "agents-md", desk.path("CLAUDE.md")).unchanged, 1);
}

// A person retracted a rule; its bullet was moved below another heading, and the next import of an agent had it in use again.
#[test]
fn what_a_person_retracted_does_not_come_back_with_another_heading() {
    let desk = Desk::new();
    let rules =
        |heading: &str, rule: &str| format!("# Shop\n\n- The cache is cold.\n\n## {heading}\n\n- {rule}\n");
    let by_hand = "Never edit files below vendor/ by hand.";
    desk.write("CLAUDE.md", &rules("Style", by_hand));
    import(&mut desk.person(), "agents-md", desk.path("CLAUDE.md"));
    let old = saying(&desk, "by hand");
    assert_eq!(old.entry.kind.word(), "user_expectation");
    desk.person().retract(&old.id, "we do").unwrap();
    for heading in ["Commits", "Naming", "Pull requests"] {
        desk.write("CLAUDE.md", &rules(heading, by_hand));
        for actor in ["agent:codex", "human:Ada"] {
            let report = import(&mut desk.open(actor, 4), "agents-md", desk.path("CLAUDE.md"));
            assert_eq!(report.added + report.held, 0, "{heading}: {report:?}");
            assert_eq!(desk.says(), ["The cache is cold."], "{heading}: {report:?}");
        }
        assert_eq!(desk.person().show(&old.id).unwrap().status.word(), "retracted", "{heading}");
    }
    desk.write("CLAUDE.md", &rules("Commits", by_hand));
    let report = import(&mut desk.agent(), "agents-md", desk.path("CLAUDE.md"));
    let told = format!("{} stays retracted (we do); `ken restore {}` brings it back", old.id, old.id);
    assert!(report.notes.iter().any(|note| note.note == told), "{report:?}");
    // Other words wait for a person, and are another entry then.
    let other = "Never edit any files below vendor/ by hand.";
    desk.write("CLAUDE.md", &rules("Commits", other));
    for _ in 0..2 {
        let report = import(&mut desk.agent(), "agents-md", desk.path("CLAUDE.md"));
        assert_eq!((report.added + report.held, report.waiting.len()), (0, 1), "{report:?}");
        assert_eq!(desk.says(), ["The cache is cold."]);
    }
    let report = import(&mut desk.person(), "agents-md", desk.path("CLAUDE.md"));
    assert_eq!(report.added + report.held, 1, "{report:?}");
    assert_eq!(desk.says(), [other, "The cache is cold."]);
    assert_eq!(desk.person().show(&old.id).unwrap().status.word(), "retracted");
    assert_eq!(import(&mut desk.agent(), "agents-md", desk.path("CLAUDE.md")).unchanged, 1);
}

// An import of a reworded rule said "0 entries added" above "is superseded by".
#[test]
fn a_new_entry_with_edited_words_is_counted_as_added() {
    let desk = Desk::new();
    desk.write("CLAUDE.md", RULES);
    import(&mut desk.person(), "agents-md", desk.path("CLAUDE.md"));
    for (rules, new) in [(REWORDED, 3), (RULES, 0)] {
        let before = desk.says();
        desk.write("CLAUDE.md", rules);
        let report = import(&mut desk.person(), "agents-md", desk.path("CLAUDE.md"));
        assert_ne!(desk.says(), before);
        // Words that come back are no new entry.
        assert_eq!(report.added + report.held, new, "{report:?}");
    }
}
