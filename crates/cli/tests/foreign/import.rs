//! `ken import`: what it does twice, halfway, and with paths that are not what they should be (DOO-6).

use super::{Desk, KNOWLEDGE, SIGNAL, SOLUTION, finding, says};

#[test]
fn importing_twice_adds_nothing() {
    let desk = Desk::new();
    desk.write("k/one.md", finding("One thing is so."));
    desk.write("k/two.md", finding("Another thing is not."));
    let first = desk.ken(&["import", "flux-drive", "k", "--json"]).ok().json();
    assert_eq!((first["added"].as_u64(), first["files"].as_u64()), (Some(2), Some(2)), "{first}");
    let (ledger, events) = (desk.ledger(), desk.events());
    let second = desk.ken(&["import", "flux-drive", "k", "--json"]).ok().json();
    assert_eq!((second["added"].as_u64(), second["held"].as_u64()), (Some(0), Some(0)), "{second}");
    assert_eq!(second["unchanged"], 2);
    assert_eq!((desk.ledger(), desk.events()), (ledger, events));
    // The same finding in another folder is the same entry.
    desk.write("copy/one.md", finding("One thing is so."));
    let third = desk.ken(&["import", "flux-drive", "copy", "--json"]).ok().json();
    assert_eq!((third["held"].as_u64(), third["reinforced"].as_u64()), (Some(0), Some(1)), "{third}");
    assert_eq!(desk.entries().len(), 2);
}

/// Each file and each entry was kept once for each process.
#[test]
fn two_imports_at_once_keep_everything_once() {
    let desk = Desk::new();
    for number in 0..20 {
        desk.write(&format!("k/f{number}.md"), finding(&format!("Thing {number} is so.")));
    }
    std::thread::scope(|scope| {
        let import = || desk.ken(&["import", "flux-drive", "k", "--json"]).ok().json();
        let imports = [scope.spawn(import), scope.spawn(import)];
        for one in imports {
            assert_eq!(one.join().unwrap()["complete"], true);
        }
    });
    let ledger = desk.ledger().into_values().map(|bytes| String::from_utf8(bytes).unwrap());
    let ledger = ledger.collect::<String>();
    for kind in ["entry.added", "document.kept"] {
        assert_eq!(ledger.matches(&format!("\"{kind}\"")).count(), 20, "{kind}");
    }
}

#[test]
fn importing_a_changed_file_revises_its_entry() {
    let desk = Desk::new();
    desk.write("k/one.md", finding("One thing is so."));
    desk.ken(&["import", "flux-drive", "k"]).ok();
    let key = desk.show("one")["key"].clone();
    desk.edit("k/one.md", "One thing is so.", "One thing is so on Mondays.");
    let report = desk.ken(&["import", "flux-drive", "k", "--json"]).ok().json();
    assert_eq!((report["changed"].as_u64(), report["added"].as_u64()), (Some(1), Some(0)), "{report}");
    let shown = desk.show("one");
    assert_eq!((&shown["key"], shown["statement"].as_str()), (&key, Some("One thing is so on Mondays.")));
    assert_eq!(desk.entries().len(), 1);
    desk.ken(&["export", "flux-drive", "../out"]).ok();
    assert_eq!(super::tree(&desk.folder.join("../out"))["one.md"], desk.read("k/one.md").into_bytes());
}

#[test]
fn a_dry_run_says_what_would_come_and_writes_nothing() {
    let desk = Desk::new();
    desk.write("k/one.md", finding("One thing is so."));
    desk.write("k/odd.md", "---\nwhat: ever\n---\nAn odd thing.\n");
    let (ledger, before) = (desk.ledger(), desk.tree(".kenning"));
    let answer = desk.ken(&["import", "flux-drive", "k", "--dry-run"]).ok();
    says(&answer, &["2 entries would be added", "`what` is a key", "nothing was written", "--dry-run"]);
    assert_eq!(desk.ledger(), ledger);
    let tracked = |tree: super::Tree| tree.into_keys().collect::<Vec<_>>();
    assert_eq!(tracked(desk.tree(".kenning")), tracked(before));
    assert_eq!(desk.entries().len(), 0);
    // And again for what changed since.
    desk.ken(&["import", "flux-drive", "k"]).ok();
    desk.edit("k/one.md", "is so", "is not so");
    let ledger = desk.ledger();
    let report = desk.ken(&["import", "flux-drive", "k", "--dry-run", "--json"]).ok().json();
    assert_eq!(report["changed"], 1, "{report}");
    assert_eq!(desk.ledger(), ledger);
}

// Each file goes to the format that claims it; a README of the project is nobody's.
#[test]
fn auto_tells_the_formats_of_a_repository_apart() {
    let desk = Desk::new();
    desk.write("README.md", "# Demo\n\nNothing to see.\n");
    desk.write("docs/guide.md", "# Guide\n\nRead it.\n");
    desk.write("config/flux-drive/knowledge/one.md", finding("One thing is so."));
    desk.write("config/flux-drive/knowledge/README.md", "# About\n\n`lastConfirmed`, `provenance`\n");
    desk.write("wfc/reviewers/security/KNOWLEDGE.md", KNOWLEDGE);
    desk.write("docs/solutions/runtime-errors/session.md", SOLUTION);
    desk.write(".planning/knowledge/signals/demo/2026-01-01-plan-without-research.md", SIGNAL);
    let report = desk.ken(&["import", "auto", ".", "--json"]).ok().json();
    let formats = serde_json::json!({ "flux-drive": 2, "wfc": 1, "wfc-solutions": 1, "gsd": 1 });
    assert_eq!(report["formats"], formats, "{report}");
    assert_eq!(desk.entries().len(), 8, "{:#?}", desk.entries());
    for format in ["flux-drive", "wfc", "wfc-solutions", "gsd"] {
        desk.ken(&["export", format, &format!("../out/{format}")]).ok();
    }
    let out = super::tree(&desk.folder.join("../out"));
    assert_eq!(out["wfc/wfc/reviewers/security/KNOWLEDGE.md"], KNOWLEDGE.as_bytes());
    let before = desk.events();
    desk.ken(&["import", "auto", "."]).ok();
    assert_eq!(desk.events(), before);
}

// Said, understood, and nothing written.
#[test]
fn what_cannot_be_imported_is_said_in_a_sentence() {
    let desk = Desk::new();
    std::fs::create_dir_all(desk.folder.join("hollow")).unwrap();
    desk.write("notes/todo.txt", "buy milk\n");
    let ledger = desk.ledger();
    for (args, code, pieces) in [
        (
            ["import", "flux", "src"],
            2,
            vec!["unknown format \"flux\"", "did you mean flux-drive", "wfc-solutions"],
        ),
        (["import", "AUTO", "src"], 2, vec!["unknown format"]),
        (["import", "gsd", "nowhere"], 3, vec!["does not exist", "nowhere"]),
        (["import", "gsd", "hollow"], 3, vec!["files were found", "hollow", "gsd"]),
        (["import", "auto", "hollow"], 3, vec!["no known format was found", "hollow"]),
        (["import", "auto", "notes"], 3, vec!["no known format was found"]),
    ] {
        says(&desk.ken(&args).fails_with(code), &pieces);
    }
    assert_eq!(desk.ledger(), ledger);
    desk.ken(&["import", "gsd"]).fails_with(2);
}

#[test]
fn one_file_can_be_imported_alone() {
    let desk = Desk::new();
    desk.write("k/one.md", finding("One thing is so."));
    desk.write("k/two.md", finding("Another thing is not."));
    let report = desk.ken(&["import", "flux-drive", "k/one.md", "--json"]).ok().json();
    assert_eq!((report["files"].as_u64(), report["added"].as_u64()), (Some(1), Some(1)), "{report}");
    assert_eq!(desk.entries().len(), 1);
    desk.ken(&["export", "flux-drive", "../out.md"]).ok();
    assert_eq!(std::fs::read(desk.folder.join("../out.md")).unwrap(), desk.read("k/one.md").into_bytes());
    // The rest of the folder comes later, and the one is known.
    let report = desk.ken(&["import", "flux-drive", "k", "--json"]).ok().json();
    assert_eq!((report["unchanged"].as_u64(), report["added"].as_u64()), (Some(1), Some(1)), "{report}");
}

// Knowledge of another repository is called by a name, never by a path of this machine (STO-9).
#[test]
fn a_folder_elsewhere_is_known_by_a_name() {
    let desk = Desk::new();
    let elsewhere = desk.folder.with_file_name("elsewhere").join("k");
    super::write(&elsewhere.join("one.md"), finding("One thing is so.").as_bytes());
    let report = desk.ken(&["import", "flux-drive", "../elsewhere/k", "--json"]).ok().json();
    assert_eq!(report["root"], "outside:elsewhere/k");
    let machine = desk.folder.parent().unwrap().display().to_string();
    assert_eq!(desk.holding(&machine), Vec::<String>::new());
    let again = desk.ken(&["import", "flux-drive", "../elsewhere/k", "--json"]).ok().json();
    assert_eq!(again["unchanged"], 1, "{again}");
    // By a name of one's own it is another folder.
    let named =
        desk.ken(&["import", "flux-drive", "../elsewhere/k", "--name", "theirs", "--json"]).ok().json();
    assert_eq!((named["root"].as_str(), named["reinforced"].as_u64()), (Some("theirs"), Some(1)), "{named}");
}

// A person who stops it, a machine that dies: the same command goes on from there, and nothing is doubled.
#[cfg(unix)]
#[test]
fn an_interrupted_import_goes_on_where_it_was() {
    let desk = Desk::new();
    let count = 1_800;
    for number in 0..count {
        let says = format!("Service {number} owns table t{} and port {}.", number * 31, 9_000 + number);
        desk.write(&format!("k/finding-{number}.md"), finding(&says));
    }
    let start = || {
        let mut command = desk.world.command(&crate::world::World::binary().display().to_string());
        command.args(["import", "flux-drive", "k"]);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        command.spawn().unwrap()
    };
    // Waits until a batch is in the ledger.
    let until = |events: usize, child: &mut std::process::Child| {
        while desk.events() <= events && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
    };
    let before = desk.events();
    let mut child = start();
    until(before, &mut child);
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let status = child.wait().unwrap();
    assert!(matches!(status.code(), Some(0 | 130)), "{status}");
    let before = desk.events();
    let mut child = start();
    until(before, &mut child);
    child.kill().unwrap();
    child.wait().unwrap();
    let last = desk.ken(&["import", "flux-drive", "k", "--json"]).ok().json();
    assert_eq!(last["complete"], true, "{last}");
    assert!(last["unchanged"].as_u64().unwrap() >= 500, "{last}");
    assert_eq!(desk.entries().len(), count);
    desk.ken(&["verify"]).ok();
    desk.ken(&["export", "flux-drive", "../out"]).ok();
    super::assert_same(&desk.tree("k"), &super::tree(&desk.folder.join("../out")), "flux-drive");
}

// COR-1: an import in November makes nothing of February new. What it names and has is its anchor; what it names and has not is told.
#[test]
fn lines_of_february_are_stale_in_november() {
    let desk = Desk::new();
    let lines = "# KNOWLEDGE.md -- Security Reviewer\n\n## Patterns Found\n\n\
        - [2026-02-03] Every retry waits with jitter, see src/net.rs:1 (Source: pr-12)\n\
        - [2026-02-03] The session table is locked by lib/gone.rs alone (Source: pr-13)\n\
        - [2026-11-02] Tokens are compared in constant time everywhere (Source: pr-14)\n";
    desk.write("reviewers/security/KNOWLEDGE.md", lines);
    let november = desk.with("KEN_NOW", "2026-11-16T03:04:05Z");
    november.ken(&["import", "wfc", "reviewers"]).ok();
    let told = |text: &str, field: &str| {
        let list = november.ken(&["list", "--json", "--text", text]).ok().json();
        list["entries"][0][field].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(told("jitter", "created"), "2026-02-03T00:00:00.000Z");
    assert_eq!(told("jitter", "imported"), "2026-11-16T03:04:05.000Z");
    let drift = november.ken(&["drift", "--json"]).ok().json();
    let ids = |signal: &str| -> Vec<String> {
        let signs = drift["store"]["signals"][signal].as_array().unwrap();
        signs.iter().map(|sign| sign["id"].as_str().unwrap().to_owned()).collect()
    };
    let (jitter, locked) = (told("jitter", "id"), told("locked", "id"));
    let mut stale = ids("stale");
    stale.sort();
    let mut both = vec![jitter.clone(), locked.clone()];
    both.sort();
    assert_eq!(stale, both, "{drift}");
    assert_eq!(ids("orphaned"), [locked.as_str()], "{drift}");
    assert_eq!(drift["recommendation"], "needs_pruning");
    let shown = november.ken(&["show", &jitter, "--json"]).ok().json();
    assert_eq!(shown["anchors"][0]["at"], "src/net.rs:1", "{shown}");
    assert_eq!(shown["provenance"][0]["cited_at"], 1_770_076_800, "{shown}");
    says(&november.ken(&["show", &jitter]).ok(), &["created", "2026-02-03", "imported 2026-11-16"]);
    // What changed lately is what was said lately.
    let lately = november.ken(&["list", "--json", "--since", "2026-10-01"]).ok().json();
    assert_eq!(lately["total"], 1, "{lately}");
    let away = november.ken(&["archive", "--older-than", "90d", "--json"]).ok();
    says(&away, &[&jitter, &locked]);
    assert_eq!(november.ken(&["list", "--json"]).ok().json()["total"], 1);
}

// COR-1: a line of instructions that says its date is as old as that, and the file stays as it is.
#[test]
fn dated_lines_of_instructions_are_as_old_as_they_say() {
    let desk = Desk::new();
    let lines = "# Shop\n\n- 2026-02-03: The cache is cold.\n- **2026-02-04** The disk is slow.\n\
        - [2026-02-05] The network is lossy.\n- The clock is late (2026-02-06).\n- Since 2026-02-07 the fan is loud.\n";
    desk.write("AGENTS.md", lines);
    let november = desk.with("KEN_NOW", "2026-11-16T03:04:05Z");
    november.ken(&["import", "agents-md", "AGENTS.md"]).ok();
    let list = november.ken(&["list", "--json"]).ok().json();
    let mut told: Vec<String> = Vec::new();
    for entry in list["entries"].as_array().unwrap() {
        let shown = november.show(entry["id"].as_str().unwrap());
        assert_eq!(shown["created"], entry["created"]);
        told.push(format!(
            "{} {}",
            &shown["created"].as_str().unwrap()[..10],
            shown["statement"].as_str().unwrap()
        ));
    }
    told.sort();
    let expected = [
        "2026-02-03 The cache is cold.",
        "2026-02-04 The disk is slow.",
        "2026-02-05 The network is lossy.",
        "2026-02-06 The clock is late.",
        "2026-11-16 Since 2026-02-07 the fan is loud.",
    ];
    assert_eq!(told, expected);
    november.ken(&["export", "agents-md", "../out"]).ok();
    assert_eq!(super::tree(&desk.folder.join("../out"))["AGENTS.md"], lines.as_bytes());
}

// COR-5: what a page of the web says is admitted as such, whoever brings it in, and begins with less belief.
#[test]
fn a_page_of_the_web_is_admitted_as_one() {
    let desk = Desk::new();
    let lines = "{\"type\": \"lesson\", \"statement\": \"Double the delay up to a cap.\", \"source\": {\"page\": \"https://example.org/backoff\", \"credibility\": 0.2}}\n\
        {\"type\": \"lesson\", \"statement\": \"Drain the queue before a deploy.\"}\n";
    desk.world.ken_stdin(&["add", "--file", "-", "--draft", "--json"], lines).ok();
    let entry = |text: &str| {
        let list = desk.ken(&["list", "--json", "--text", text]).ok().json();
        desk.show(list["entries"][0]["id"].as_str().unwrap())
    };
    let (page, own) = (entry("cap"), entry("queue"));
    assert_eq!((&page["decay_class"], &own["decay_class"]), (&"ephemeral".into(), &"stable".into()));
    assert_eq!((page["belief"]["alpha"].as_f64(), page["belief"]["beta"].as_f64()), (Some(3.0), Some(5.0)));
    let signal =
        |entry: &serde_json::Value, name: &str| entry["admission"]["signals"][name].as_f64().unwrap();
    assert_eq!(signal(&page, "confidence"), 0.375);
    // .6 of what it has to show, and .4 of its site's credit.
    let expected = 0.6 * signal(&own, "provenance") + 0.4 * 0.2;
    assert!((signal(&page, "provenance") - expected).abs() < 0.001, "{page}");
}
