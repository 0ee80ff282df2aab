//! The five systems that this one comes from, each end to end through the binary, on files of their own and with the verbs of their users.
//!
//! Their files are not ours to hand out: they are read where `KEN_CORPORA` says, and a story without them says that it was skipped.
//! FormicOS has published none; its story is told over the sample of `crates/formats`.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::team::{AGENT, Team};
use crate::world::{Answer, World};

/// A folder or file of the shared ones; none, and a word about it, where they are not here.
fn shared(path: &str) -> Option<PathBuf> {
    let found = std::env::var_os("KEN_CORPORA")
        .map(|root| PathBuf::from(root).join(path))
        .filter(|path| path.exists());
    if found.is_none() {
        eprintln!("SKIPPED: {path} is not below KEN_CORPORA, so this story was not told");
    }
    found
}

/// Copies files into the repository.
fn put(world: &World, from: &Path, to: &str) {
    for item in std::fs::read_dir(from).unwrap().flatten() {
        let name = format!("{to}/{}", item.file_name().to_string_lossy());
        match item.path().is_dir() {
            true => put(world, &item.path(), &name),
            false => world.write(&name, &std::fs::read_to_string(item.path()).unwrap()),
        }
    }
}

fn commit(world: &World, message: &str) {
    world.git("add -A");
    world.git(&format!("commit -q --allow-empty -m {message}"));
}

fn on(world: &mut World, day: &str) {
    for (name, value) in &mut world.env {
        if name == "KEN_NOW" {
            *value = format!("{day}T08:00:00Z");
        }
    }
}

/// A repository whose folder of knowledge is kept in step.
fn mirrored(format: &str, from: &Path, to: &str, more: &[(&str, &str)]) -> World {
    let mut world = World::repository();
    on(&mut world, "2026-03-02");
    put(&world, from, to);
    more.iter().for_each(|(path, text)| world.write(path, text));
    world.ken("init").ok();
    world.ken_args(&["config", "mirrors.own", &format!("{format}:{to}")]).ok();
    world.ken("mirror sync").ok();
    commit(&world, "knowledge");
    world
}

/// Another project on the same machine, with a store.
fn beside(world: &World, name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = world.path().with_file_name(name);
    std::fs::create_dir_all(&folder).unwrap();
    for (path, text) in files.iter().chain(&[("README.md", "A project.\n")]) {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    world.git(&format!("init -q -b main ../{name}"));
    ken_in(world, &folder, &["init"]).ok();
    folder
}

fn ken_in(world: &World, folder: &Path, args: &[&str]) -> Answer {
    let mut command = world.command(&World::binary().display().to_string());
    command.current_dir(folder).args(args);
    world.answered(command, None)
}

/// A review from its beginning to its end, each agent with what it found.
fn review(world: &World, run: &str, summary: &str, reports: &[(&str, Value)]) -> Answer {
    let agents: Vec<&str> = reports.iter().map(|(agent, _)| *agent).collect();
    world
        .ken_args(&["review", "start", "--run", run, "--agents", &agents.join(","), "--summary", summary])
        .ok();
    for (agent, findings) in reports {
        let report = ["review", "report", "--run", run, "--agent", agent, "--findings", "-"];
        world.ken_stdin(&report, &json!({ "findings": findings }).to_string()).ok();
    }
    world.ken_args(&["review", "complete", "--run", run]).ok()
}

fn says(answer: &Answer, pieces: &[&str]) {
    let whole = format!("{}{}", answer.out, answer.err);
    for piece in pieces {
        assert!(whole.contains(piece), "{piece:?} is missing:\n{whole}");
    }
}

// Flux-drive: `lastConfirmed` moves with an independent confirmation alone, and ten reviews that were told in vain put an entry away.
#[test]
fn a_review_changes_the_files_of_flux_drive_as_its_text_says() {
    let Some(knowledge) = shared("corpora/flux-drive/knowledge") else { return };
    let folder = "config/flux-drive/knowledge";
    let script = "is_stale() {\n  stat -c %Y \"$1\" || echo 0\n}\n";
    let mut world = mirrored("flux-drive", &knowledge, folder, &[("hooks/lib-discovery.sh", script)]);
    let file = format!("{folder}/shell-stat-fallback-epoch-zero.md");
    let before = world.read(&file);
    assert!(before.contains("lastConfirmed: 2026-02-12\n"), "{before}");
    let found = json!([{
        "severity": "P1", "file": "hooks/lib-discovery.sh", "line": 2,
        "title": "Shell stat fallback converts errors into epoch 0",
        "description": "Shell stat calls with || echo 0 fallback silently convert errors into epoch 0, which compares as very old in any timestamp check: a deleted file appears maximally stale.",
    }]);
    let both = [("fd-safety", found.clone()), ("fd-quality", found)];

    // Two agents find it, and neither was told: the day in the file is today's, and nothing else changes.
    let done = review(&world, "r1", "rename the settings page", &both);
    says(&done, &["shell-stat-fallback-epoch-zero confirmed independently"]);
    assert_eq!(world.read(&file), before.replace("lastConfirmed: 2026-02-12", "lastConfirmed: 2026-03-02"));

    // Told before, they find it again: that refreshes nothing.
    on(&mut world, "2026-03-05");
    let about_it = "shell stat fallback in hooks: the staleness check with epoch zero";
    let done = review(&world, "r2", about_it, &both);
    says(&done, &["shell-stat-fallback-epoch-zero repeated by agents that had seen the entry"]);
    assert!(world.read(&file).contains("lastConfirmed: 2026-03-02\n"));

    // The review before was the first that was told in vain; with nine more it is ten.
    let nothing = [("fd-safety", json!([])), ("fd-quality", json!([]))];
    for round in 0..8 {
        review(&world, &format!("d{round}"), about_it, &nothing);
    }
    assert!(world.path().join(&file).exists(), "nine reviews are not ten");
    let done = review(&world, "d8", about_it, &nothing);
    says(&done, &["archived shell-stat-fallback-epoch-zero"]);
    assert!(!world.path().join(&file).exists());
    let kept = world.read(&format!("{folder}/archive/shell-stat-fallback-epoch-zero.md"));
    assert!(kept.contains("|| echo 0") && kept.contains("lastConfirmed: 2026-03-02"), "{kept}");
    // The others were never told of, and never decay.
    assert!(world.path().join(folder).join("agent-merge-accountability.md").exists());
}

// WFC: a finding becomes a line of its reviewer, old lines drift, and what two projects learned reaches a third.
#[test]
fn a_knowledge_md_gets_its_line_drifts_and_reaches_another_project() {
    let Some(reviewers) = shared("corpora/wfc/reviewers") else { return };
    let hook = ("wfc/scripts/hooks/security_hook.py", "def check():\n    pass\n");
    let mut world = mirrored("wfc", &reviewers, "wfc/reviewers", &[hook]);
    let file = "wfc/reviewers/security/KNOWLEDGE.md";
    let before = world.read(file);
    let claim = "The archive unpacker joins member names to the target folder without checking for parent references, so a crafted archive writes outside of it";
    let found = json!([{
        "severity": 8, "confidence": 9, "category": "injection", "description": claim, "file": hook.0, "line_start": 1,
    }]);
    review(
        &world,
        "r1",
        "a cache for the theme of the editor",
        &[("security", found), ("performance", json!([]))],
    );
    // What is in no file yet goes there at the next commit's hook, or at a sync.
    world.ken("mirror sync").ok();
    let after = world.read(file);
    let new: Vec<&str> = after.lines().filter(|line| !before.contains(line)).collect();
    assert_eq!(new, [format!("- [2026-03-02] {claim} (Source: transcript:r1)")]);
    // It stands after the last line of its section, and every other line is as it was.
    let section = after.split("## Patterns Found").nth(1).unwrap().split("## ").next().unwrap();
    assert_eq!(section.trim_end().lines().last(), Some(new[0]));
    assert_eq!(after.replace(&format!("{}\n", new[0]), ""), before);

    // In November nobody has confirmed what was written in February.
    on(&mut world, "2026-11-02");
    let drift = world.ken("drift --json").json();
    let stale = drift["store"]["signals"]["stale"].as_array().unwrap();
    let of_february = stale.iter().filter(|one| one["why"].as_str().unwrap().contains("2026-02-16")).count();
    assert!(of_february >= 40, "{drift}");
    let performance =
        drift["reviewers"].as_array().unwrap().iter().find(|one| one["reviewer"] == "performance");
    assert_eq!(performance.unwrap()["recommendation"], "needs_pruning", "{drift}");

    // A second project wrote down the same. What both have may go to everybody.
    let line = format!(
        "# KNOWLEDGE.md -- Security Reviewer\n\n## Patterns Found\n\n- [2026-10-20] {claim} (Source: review-7)\n"
    );
    let second = beside(&world, "second", &[(file, &line)]);
    ken_in(&world, &second, &["import", "wfc", "wfc/reviewers"]).ok();
    let id = world.ken_args(&["search", "archive unpacker parent references", "--json"]).ok().json();
    let id = id["results"][0]["id"].as_str().unwrap().to_owned();
    world.ken("--global init").ok();
    let alone = world.ken_args(&["promote", &id, "--to", "global", "--reason", "both met it"]);
    assert_ne!(alone.code, 0, "one project is not two: {}", alone.out);
    let seen = second.display().to_string();
    let asked = ["promote", &id, "--to", "global", "--seen-in", &seen, "--reason", "both met it"];
    let dry = world.ken_args(&[&asked[..], &["--dry-run"]].concat()).ok();
    assert!(dry.out.contains("would add it to the global store, as learned in"), "{}", dry.out);
    assert_eq!(world.ken("--global list --json").ok().json()["items"], serde_json::json!([]));
    world.ken_args(&asked).ok();

    // A third one that never heard of it asks.
    let third = beside(&world, "third", &[]);
    let heard = ken_in(&world, &third, &["search", "unpacking archives safely", "--json"]).ok().json();
    assert_eq!(heard["results"][0]["scope"], "global", "{heard}");
    assert!(heard["results"][0]["preview"].as_str().unwrap().contains("archive unpacker"), "{heard}");
}

// GSD: a researcher is handed spikes with their marks, and an executor is left alone unless its plan fails.
#[test]
fn a_knowledge_folder_of_gsd_is_surfaced_by_role() {
    let Some(knowledge) = shared("corpora/gsd/knowledge") else { return };
    let world = mirrored("gsd", &knowledge, "knowledge", &[]);
    world.ken("rebuild --embeddings --quiet").ok();
    let asked = |role: &str, more: &[&str], task: &str| {
        let args = [&["surface", "--role", role, "--json"], more, &[task]].concat();
        world.ken_args(&args).ok().json()
    };
    let logs = "where does Claude Code keep its session logs";
    for role in ["researcher", "planner", "debugger"] {
        let answer = asked(role, &[], logs);
        let first = &answer["entries"][0];
        assert_eq!(first["id"], "spk-2026-03-01-claude-code-session-log-location", "{role}: {answer}");
        assert!(
            first["marks"].to_string().contains("confirmed by experiment: high confidence"),
            "{role}: {first}"
        );
        assert!(answer["tokens"]["count"].as_u64().unwrap() <= 500, "{role}: {answer}");
    }
    let left_alone = asked("executor", &[], logs);
    assert_eq!(left_alone["entries"], json!([]));
    assert!(left_alone["text"].as_str().unwrap().contains("an executor follows its plan"), "{left_alone}");
    let blocked =
        asked("executor", &["--deviation", "blocking"], "the session log is not where the plan says");
    assert_eq!(blocked["entries"][0]["id"], "spk-2026-03-01-claude-code-session-log-location", "{blocked}");
    assert!(blocked["tokens"]["count"].as_u64().unwrap() <= 200, "{blocked}");
    // What nobody wrote about is said to be nothing, and is not filled up.
    let nothing = asked("researcher", &[], "the colour palette of the landing page for the bakery");
    assert_eq!(nothing["text"], "checked knowledge base, no relevant entries found", "{nothing}");
    // Signals are raw: they reach who asks for records, and nobody else.
    let trouble = "parallel executors contaminate each other's commits";
    let types = |answer: &Value| -> Vec<String> {
        let entries = answer["entries"].as_array().unwrap();
        entries.iter().filter_map(|one| one["type"].as_str()).map(str::to_owned).collect()
    };
    assert!(!types(&asked("debugger", &[], trouble)).contains(&"signal".to_owned()));
    let records = asked("debugger", &["--episodic"], trouble);
    assert!(types(&records).contains(&"signal".to_owned()), "{records}");
}

// Decapod: friction enters nothing by itself. A person approves, all six gates pass, and the norm then holds changes back.
#[test]
fn what_decapod_digests_is_promoted_through_its_gates() {
    let Some(seeds) = shared("seeds") else { return };
    let mut specs =
        std::fs::read_dir(seeds).unwrap().flatten().map(|item| std::fs::read_to_string(item.path()).unwrap());
    let Some(spec) = specs.find(|text| text.starts_with("# Knowledge Store Specification")) else {
        eprintln!("SKIPPED: the specification of Decapod is not among the seeds, so this story was not told");
        return;
    };
    let team = Team::new();
    let path = "constitution/interfaces/KNOWLEDGE_STORE.md";
    team.world.write(path, &spec);
    team.commit("docs: the specification");

    // Its own document is digested into norms that wait, and none of them binds.
    let reduced = team.ken(&["knowledge", "reduce", "--sources", path]).ok().json();
    let staged = reduced["staged"].as_array().unwrap().clone();
    let append_only =
        staged.iter().find(|one| one["statement"].to_string().contains("never modify history, only add"));
    let append_only = append_only.unwrap_or_else(|| panic!("{reduced}"));
    assert_eq!(
        append_only["evidence"][0],
        format!("doc:{path}#L{}", line_of(&spec, "Provenance is append-only"))
    );
    team.ken(&["knowledge", "reflect"]).ok();

    // The same thing goes wrong three times.
    let context = |attempt: usize| json!({"gate": "knowledge.provenance", "missing": "evidence_ref", "attempt": attempt});
    let frictions: Vec<String> = (1..=3)
        .map(|attempt| {
            let record = [
                "friction",
                "record",
                "--type",
                "validation_fail",
                "--context",
                &context(attempt).to_string(),
                "--json",
            ];
            team.ken_by(AGENT, &record).ok().json()["id"].as_str().unwrap().to_owned()
        })
        .collect();
    let direct = team.ken(&["knowledge", "promote", "--from", "episodic/friction", "--to", "procedural"]);
    says(&direct.fails_with(4), &["directional flow violation"]);

    // An agent proposes, with the document as evidence. It cannot approve, and who asked cannot either.
    let rule = "Use conventional commits, so that a gate can tell what a change is.";
    let mut propose: Vec<&str> = vec!["promote", "propose"];
    propose.extend(frictions.iter().map(String::as_str));
    let evidence = format!("doc:{path}");
    propose.extend([
        "--to",
        "procedural",
        "--type",
        "commit_norm",
        "--id",
        "norm.commit.conventional",
        "--statement",
        rule,
    ]);
    let enforcement = r#"{"kind":"mechanical","rule":"conventional_commits"}"#;
    propose.extend([
        "--enforcement",
        enforcement,
        "--evidence",
        &evidence,
        "--reason",
        "three writes failed on it",
        "--json",
    ]);
    let proposal = team.ken_by(AGENT, &propose).ok().json()["id"].as_str().unwrap().to_owned();
    says(
        &team.terminal(AGENT, &["promote", "approve", &proposal], &[]).fails_with(4),
        &["requires a person"],
    );
    assert!(team.gate(&[]).json()["norms"].as_array().is_none_or(Vec::is_empty), "nothing binds yet");
    says(&team.approve("Bo", &proposal).ok(), &["norm.commit.conventional is in force"]);

    // It has its sources, its evidence and its approver, and every gate is content.
    let shown = team.ken(&["knowledge", "show", "norm.commit.conventional"]).ok().json();
    assert_eq!(shown["provenance"][0]["evidence_ref"], path);
    let gates = team.ken(&["gate"]).ok();
    for gate in [
        "knowledge.schema",
        "knowledge.provenance",
        "knowledge.links",
        "knowledge.staleness",
        "knowledge.contradictions",
        "episodic.no_backflow",
    ] {
        says(&gates, &[&format!("pass  {gate}")]);
    }
    // From now on a change is held against it.
    team.commit("chore: a norm");
    team.world.write("src/net.rs", "fn retry() {}\n");
    team.commit("feat: less waiting");
    assert_eq!(team.gate(&["--diff", "HEAD~1..HEAD"]).code, 0);
    team.world.write("src/net.rs", "fn retry() { wait(); }\n");
    team.commit("wip on it");
    let held = team.gate(&["--diff", "HEAD~1..HEAD"]);
    assert_ne!(held.code, 0, "{}", held.out);
    assert!(held.out.contains("norm.commit.conventional"), "{}", held.out);
}

/// The number of the line that has these words.
fn line_of(text: &str, words: &str) -> usize {
    text.lines().position(|line| line.contains(words)).unwrap() + 1
}

// FormicOS: what it believed is where learning goes on from, and its own log is left as it is.
#[test]
fn an_export_of_formicos_goes_on_learning() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../formats/tests/samples/formicos/events.jsonl");
    let log = std::fs::read_to_string(sample).unwrap();
    let mut world = World::repository();
    on(&mut world, "2026-03-20");
    world.write("formic/events.jsonl", &log);
    world.ken("init").ok();
    // The last line of the sample is cut off, which is no success.
    world.ken_args(&["import", "formicos", "formic"]).fails_with(1);
    let belief = |world: &World, id: &str| {
        let told = world.ken_args(&["why", "--belief", id, "--json"]).ok().json();
        (told["alpha"].as_f64().unwrap(), told["beta"].as_f64().unwrap(), told["mean"].as_f64().unwrap())
    };
    let (skill, lock) = ("mem-colony-7-s-0", "mem-colony-7-e-0");
    let before = belief(&world, skill);
    assert!(before.0 > 5.0 && before.1 > 5.0, "it begins with what FormicOS had seen: {before:?}");

    // A task uses it and succeeds, another one uses the other entry and fails.
    let task = |run: &str, goal: &str, outcome: &str, used: &str| {
        world.ken_args(&["task", "start", "--run", run, "--goal", goal]).ok();
        let heard = world.ken_args(&["search", goal, "--run", run, "--json"]).ok().json();
        assert!(heard["results"].to_string().contains(used), "{goal}: {heard}");
        world.ken_args(&["task", "finish", "--run", run, "--outcome", outcome, "--used", used]).ok();
    };
    let lock_before = belief(&world, lock);
    task("t1", "retries without jitter stampede", "success", skill);
    task("t2", "a lock without a pid is never freed", "failure", lock);
    let (after, lock_after) = (belief(&world, skill), belief(&world, lock));
    assert!(after.2 > before.2 && (after.0 - before.0 - 1.0).abs() < 0.05, "{before:?} to {after:?}");
    assert!(
        lock_after.2 < lock_before.2 && lock_after.1 > lock_before.1,
        "{lock_before:?} to {lock_after:?}"
    );

    // What was brought in comes out to the byte; learning is the ledger's.
    world.ken_args(&["export", "formicos", "out"]).ok();
    assert_eq!(world.read("out/events.jsonl"), log);
    // Brought in once more, it adds nothing and undoes nothing.
    world.ken_args(&["import", "formicos", "formic"]).ok();
    assert_eq!(belief(&world, skill), after);
}
