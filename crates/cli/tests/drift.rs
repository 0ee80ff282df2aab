//! Drift (DRI-1): what nobody keeps up is told with a reason, and put away only as a person says.

use serde_json::{Value, json};

use super::world::{Answer, World};

/// Adds an entry at a time; gives its id.
fn add(world: &mut World, day: &str, kind: &str, statement: &str, more: &[&str]) -> String {
    at(world, day);
    let args = ["add", kind, statement, "--evidence", "pr:1", "--verify", "look", "--json"];
    world.ken_args(&[&args[..], more].concat()).ok().json()["id"].as_str().unwrap().to_owned()
}

/// The day it is from now on.
fn at(world: &mut World, day: &str) {
    world.env.retain(|(name, _)| name != "KEN_NOW");
    world.env.push(("KEN_NOW".to_owned(), format!("{day}T03:04:05Z")));
}

fn drift(world: &World, flags: &str) -> Value {
    world.ken(&format!("drift --json {flags}")).ok().json()
}

/// The ids that give a signal in the whole store.
fn signs(world: &World, signal: &str) -> Vec<String> {
    let report = drift(world, "");
    let list = report["store"]["signals"][signal].as_array().unwrap();
    let mut ids: Vec<String> = list.iter().map(|sign| sign["id"].as_str().unwrap().to_owned()).collect();
    ids.sort();
    ids
}

fn as_actor(world: &World, actor: &str, args: &[&str]) -> Answer {
    let mut command = world.command(&World::binary().display().to_string());
    command.args(args).env("KEN_ACTOR", actor).output().unwrap().into()
}

const NET: [&str; 2] = ["--anchor", "src/net.rs"];

#[test]
fn a_store_without_signals_is_healthy() {
    let mut world = World::with_store();
    assert_eq!(drift(&world, "")["recommendation"], "healthy");
    add(
        &mut world,
        "2026-01-02",
        "pattern",
        "Tokens are compared in constant time.",
        &["--anchor", "src/net.rs", "--reviewer", "security"],
    );
    let report = drift(&world, "");
    assert_eq!(
        report,
        json!({
            "reviewers": [{
                "reviewer": "security", "entries": 1, "recommendation": "healthy",
                "signals": {"stale": [], "bloated": [], "contradictory": [], "orphaned": [], "drifted": [], "broken": []},
            }],
            "store": {
                "entries": 1, "recommendation": "healthy",
                "signals": {"stale": [], "bloated": [], "contradictory": [], "orphaned": [], "drifted": [], "broken": []},
            },
            "recommendation": "healthy",
            "check": {
                "entries": 1, "fresh": 1, "moved": 0, "drifted": 0, "broken": 0, "unverifiable": 0, "to_accept": 0,
            },
        })
    );
}

#[test]
fn stale_is_what_was_not_confirmed_for_more_than_ninety_days() {
    let mut world = World::with_store();
    let old = add(&mut world, "2026-01-02", "lesson", "The first thing that was learned here.", &NET);
    at(&mut world, "2026-04-02");
    assert_eq!(drift(&world, "")["recommendation"], "healthy", "exactly 90 days are not stale");
    at(&mut world, "2026-04-03");
    assert_eq!(signs(&world, "stale"), [old.as_str()]);
    let report = drift(&world, "");
    assert_eq!(report["recommendation"], "needs_pruning");
    let why = "stated on 2026-01-02, 91 days ago, and never confirmed";
    assert_eq!(report["store"]["signals"]["stale"][0]["why"], why);
    world.ken("config drift.stale_days 91").ok();
    assert_eq!(drift(&world, "")["recommendation"], "healthy");
    world.ken("config drift.stale_days 0").fails_with(2);
    world.ken("config drift.stale_days default").ok();
    // What is not handed out is nobody's to keep up.
    world.ken(&format!("view mute {old}")).ok();
    assert!(signs(&world, "stale").is_empty());
    world.ken(&format!("view mute --undo {old}")).ok();
    world.ken(&format!("retract {old}")).ok();
    assert!(signs(&world, "stale").is_empty());
}

#[test]
fn bloated_is_more_than_a_reviewer_keeps_up() {
    let mut world = World::with_store();
    world.ken("config drift.entries_max 3").ok();
    for (n, day) in [(1, "2026-01-05"), (2, "2026-01-02"), (3, "2026-01-03"), (4, "2026-01-04")] {
        let statement = format!("Pattern number {n} of performance is about loop {n}.");
        let id = add(&mut world, day, "pattern", &statement, &["--reviewer", "performance", NET[0], NET[1]]);
        add(&mut world, day, "pattern", &format!("{statement} No reviewer has it."), &NET);
        let report = drift(&world, "");
        let bloated = report["reviewers"][0]["signals"]["bloated"].as_array().unwrap();
        assert_eq!(bloated.len(), usize::from(n == 4), "{id}");
        assert_eq!(report["recommendation"], if n == 4 { "needs_pruning" } else { "healthy" });
        assert_eq!(report["store"]["signals"]["bloated"], report["reviewers"][0]["signals"]["bloated"]);
    }
    let why = drift(&world, "")["store"]["signals"]["bloated"][0]["why"].as_str().unwrap().to_owned();
    assert!(why.contains("performance has 4 entries, more than 3"), "{why}");
}

#[test]
fn contradictory_is_a_fault_here_and_none_there() {
    let mut world = World::with_store();
    world.write("src/auth.rs", "fn check() {}\n");
    let of = |reviewer: &'static str, path: &'static str| ["--reviewer", reviewer, "--anchor", path];
    let pattern = add(
        &mut world,
        "2026-01-02",
        "pattern",
        "Sessions are compared too early.",
        &of("security", "src/auth.rs:1"),
    );
    let other =
        add(&mut world, "2026-01-02", "lesson", "Retries need jitter.", &of("security", "src/net.rs"));
    let norm =
        add(&mut world, "2026-01-02", "commit_norm", "Commits say why.", &["--rule", "Commits say why."]);
    assert_eq!(drift(&world, "")["recommendation"], "healthy");
    let fp = add(
        &mut world,
        "2026-01-02",
        "false_positive",
        "The early check in `src/auth.rs:1` is meant so.",
        &["--reviewer", "security", "--anchor", "src/net.rs"],
    );
    // The same path on both sides, once by an anchor and once by what is said.
    let mut both = vec![pattern.clone(), other.clone(), fp.clone()];
    both.sort();
    assert_eq!(signs(&world, "contradictory"), both);
    let report = drift(&world, "--reviewer security");
    assert_eq!(report["recommendation"], "needs_review");
    assert_eq!(report["reviewers"][0]["recommendation"], "needs_review");
    assert_eq!(report.get("store"), None);
    let whys = report["reviewers"][0]["signals"]["contradictory"].to_string();
    assert!(whys.contains(&format!("src/auth.rs is also described by the false positive {fp}")), "{whys}");
    world.ken(&format!("retract {fp}")).ok();
    assert_eq!(drift(&world, "")["recommendation"], "healthy");
    // The same statement, however it is written.
    world.write("src/other.rs", "fn other() {}\n");
    add(
        &mut world,
        "2026-01-02",
        "false_positive",
        "sessions  are compared TOO early!",
        &of("reliability", "src/other.rs"),
    );
    assert_eq!(signs(&world, "contradictory").len(), 2);
    let own = drift(&world, "--reviewer security");
    assert_eq!(own["recommendation"], "healthy", "what others say is the store's to tell");
    assert!(!signs(&world, "contradictory").contains(&norm));
}

#[test]
fn orphaned_is_what_cites_a_path_that_is_gone() {
    let mut world = World::with_store();
    world.write("src/gone.rs", "fn gone() {\n    let words = 1 + 2;\n    println!(\"{words}\");\n}\n");
    world.write(
        "src/moves.rs",
        "fn moves() {\n    let other = 3 * 4;\n    println!(\"{other}\");\n    done();\n}\n",
    );
    world.git("add -A");
    world.git("commit -q -m code");
    let gone = add(&mut world, "2026-01-02", "lesson", "Words are added up.", &["--anchor", "src/gone.rs"]);
    let moves = add(
        &mut world,
        "2026-01-02",
        "lesson",
        "Others are multiplied.",
        &["--anchor", "src/moves.rs#moves"],
    );
    let said = add(
        &mut world,
        "2026-01-02",
        "lesson",
        "The table in `src/gone.rs:2` is by hand, see `v1.2` and `read/write`.",
        &NET,
    );
    let outside =
        add(&mut world, "2026-01-02", "lesson", "It is like `../elsewhere/x.py` and `/etc/hosts.txt`.", &NET);
    assert_eq!(drift(&world, "")["recommendation"], "healthy");
    std::fs::remove_file(world.path().join("src/gone.rs")).unwrap();
    world.git("mv src/moves.rs src/moved.rs");
    let mut expected = vec![gone.clone(), said];
    expected.sort();
    assert_eq!(
        signs(&world, "orphaned"),
        expected,
        "what moved ({moves}) and what is outside ({outside}) is not gone"
    );
    let report = drift(&world, "");
    assert_eq!(report["recommendation"], "needs_pruning");
    let whys = report["store"]["signals"]["orphaned"].to_string();
    assert!(whys.contains("src/gone.rs is gone from the working tree"), "{whys}");
    // A folder counts where what is above it is there.
    let folder = add(&mut world, "2026-01-02", "lesson", "Everything in `src/old` is generated.", &NET);
    assert!(signs(&world, "orphaned").contains(&folder));
}

#[test]
fn a_person_prunes_and_an_agent_does_not() {
    let mut world = World::with_store();
    world.write("src/gone.rs", "fn gone() {}\n");
    let old = add(&mut world, "2026-01-02", "lesson", "The first thing that was learned here.", &NET);
    let pinned = add(&mut world, "2026-01-02", "lesson", "The second thing that was learned is dear.", &NET);
    let norm = add(
        &mut world,
        "2026-01-02",
        "commit_norm",
        "Commits say why they were made.",
        &["--rule", "Say why."],
    );
    world.write("src/auth.rs", "fn check() {}\n");
    let disputed =
        add(&mut world, "2026-01-02", "pattern", "Checks come too late.", &["--anchor", "src/auth.rs"]);
    let fp = add(
        &mut world,
        "2026-01-02",
        "false_positive",
        "Late checks are fine here.",
        &["--anchor", "src/auth.rs"],
    );
    let orphan =
        add(&mut world, "2026-05-01", "lesson", "What is gone was fine.", &["--anchor", "src/gone.rs"]);
    let young = add(&mut world, "2026-05-01", "lesson", "The newest thing that was learned.", &NET);
    std::fs::remove_file(world.path().join("src/gone.rs")).unwrap();
    world.ken(&format!("view pin {pinned}")).ok();
    at(&mut world, "2026-05-02");
    let status =
        |world: &World, id: &str| world.ken(&format!("show {id} --json")).ok().json()["status"].clone();

    let refused = as_actor(&world, "agent:helper", &["drift", "--prune", "--yes", "--json"]).fails_with(4);
    assert!(refused.err.contains("a person"), "{}", refused.err);
    assert!(refused.err.contains("ken drift --prune"), "{}", refused.err);
    let nobody = world.ken("drift --prune").fails_with(4);
    assert!(nobody.err.contains("--yes"), "{}", nobody.err);
    world.ken("drift --yes").fails_with(2);
    assert_eq!(status(&world, &old), "candidate");
    // Looking is for everybody.
    as_actor(&world, "agent:helper", &["drift"]).ok();

    let answer = world.ken("drift --prune --yes --json").ok().json();
    let mut archived: Vec<&str> =
        answer["archived"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    archived.sort_unstable();
    let mut expected = [old.as_str(), orphan.as_str()];
    expected.sort_unstable();
    assert_eq!(archived, expected);
    let kept = answer["kept"].to_string();
    for (id, why) in
        [(&pinned, "pinned"), (&norm, "procedural"), (&disputed, "contradictory"), (&fp, "contradictory")]
    {
        assert!(kept.contains(id.as_str()) && kept.contains(why), "{kept}");
        assert_eq!(status(&world, id), "candidate");
    }
    assert_eq!(status(&world, &young), "candidate");
    assert_eq!(status(&world, &old), "archived");
    let why = world.ken(&format!("why {old}")).ok().out;
    assert!(why.contains("pruned: stated on 2026-01-02"), "{why}");
    // One write, and reversible: all of it, or one by one.
    world.ken("undo").ok();
    assert_eq!((status(&world, &old), status(&world, &orphan)), (json!("candidate"), json!("candidate")));
    world.ken("undo").ok();
    assert_eq!(status(&world, &orphan), "archived");
    world.ken(&format!("restore {old}")).ok();
    assert_eq!(status(&world, &old), "candidate");
    let again = world.ken("drift --prune --yes").ok().out;
    assert!(again.contains(&format!("archived {old}")), "{again}");
    let none = world.ken("drift --prune --yes").ok().out;
    assert!(none.contains("nothing was archived"), "{none}");
}

#[test]
fn in_the_global_store_no_path_is_gone() {
    let world = World::repository();
    world.ken("--global init").ok();
    let args =
        ["--global", "add", "lesson", "Names of tests are sentences about the product.", "--scope", "global"];
    let whole = ["--evidence", "pr:1", "--anchor", "src/gone.rs", "--verify", "look", "--json"];
    world.ken_args(&[&args[..], &whole].concat()).ok();
    let report = world.ken("--global drift --json").ok().json();
    assert_eq!(
        (report["store"]["entries"].clone(), report["recommendation"].clone()),
        (json!(1), json!("healthy"))
    );
}

#[test]
fn on_a_terminal_each_entry_is_asked_for() {
    // What is typed, and how many of three are put away.
    for (typed, expected) in [("y\nn\ny\n", 2), ("a\n", 3), ("n\na\n", 2), ("y\nq\n", 1), ("\n\n\n", 0)] {
        let mut world = World::with_store();
        for n in 1..4 {
            add(
                &mut world,
                "2026-01-02",
                "lesson",
                &format!("The lesson with number {n} is of chapter {n}."),
                &NET,
            );
        }
        at(&mut world, "2026-06-01");
        let Some(seen) = super::transcript::on_terminal(&world, 100, "ken drift --prune", typed) else {
            return;
        };
        assert!(seen.contains("Archive it?"), "{seen}");
        let archived = world.ken("list --status archived --json").ok().json()["total"].clone();
        assert_eq!(archived, expected, "{typed:?}: {seen}");
    }
}

#[test]
fn reviewers_are_known_by_name() {
    let mut world = World::with_store();
    let id = add(
        &mut world,
        "2026-01-02",
        "pattern",
        "Tokens are compared in constant time.",
        &["--anchor", "src/net.rs", "--reviewer", "security"],
    );
    let listed = world.ken("list --reviewer security --json").ok();
    assert_eq!(listed.json()["items"][0]["id"], id.as_str());
    assert_eq!(listed.err, "");
    let known = world.ken("list --reviewer reliability --json").ok();
    assert_eq!(
        (known.json()["total"].clone(), known.err.as_str()),
        (json!(0), ""),
        "it ships, and has nothing yet"
    );
    let slip = world.ken("list --reviewer secuirty --json").ok();
    assert!(slip.err.contains("unknown reviewer \"secuirty\"; did you mean `security`?"), "{}", slip.err);
    assert!(slip.err.contains("there are security (1)"), "{}", slip.err);
    world.ken("drift --reviewer secuirty").fails_with(3);
    assert_eq!(drift(&world, "--reviewer reliability")["recommendation"], "healthy");

    // More and changed ones come from the settings; a slip of the pen is still one.
    assert!(world.ken("config reviewers.fd-safety").ok().out.contains("credentials"));
    world.ken_args(&["config", "reviewers.accessibility", "contrast focus labels"]).ok();
    world.ken_args(&["config", "reviewers.security", "tokens secrets"]).ok();
    assert_eq!(world.ken("config reviewers.accessibility").ok().out, "contrast focus labels\n");
    assert_eq!(world.ken("list --reviewer accessibility").ok().err, "");
    let all = world.ken("config --json").ok().json().to_string();
    assert!(all.contains("reviewers.accessibility") && all.contains("reviewers.fd-game-design"), "{all}");
    let slip = world.ken("config reviewer.security x").fails_with(2);
    assert!(slip.err.contains("did you mean `reviewers.security`?"), "{}", slip.err);
    assert!(slip.err.contains("reviewers.NAME"), "{}", slip.err);
    world.ken_args(&["config", "reviewers.Not A Name", "x"]).fails_with(2);
    world.ken("config reviewers.security default").ok();
    assert!(world.ken("config reviewers.security").ok().out.contains("injection"));
    let file = world.read(".kenning/config.toml");
    world.write(".kenning/config.toml", &format!("{file}\n[reviewer]\nsecurity = \"x\"\n"));
    let slip = world.ken("list").fails_with(2);
    assert!(slip.err.contains("reviewers.security"), "{}", slip.err);
}
