//! An agent that wants its own words believed, or a guard out of its way: no name, variable, pipe or terminal of its own helps it
//! (COR-7, COR-11, COR-19). And a person who works alone still gets verified entries.

use std::process::Stdio;

use serde_json::{Value, json};

use super::mcp::client::{Called, Client, NEWEST, USUAL};
use super::pty::ken_on_terminal;
use super::team::{AGENT, Team};
use super::world::{Answer, World};

const CLAIM: &str = "Retry network calls with jitter, or all clients come back at once.";

/// `ken` by somebody, where nobody sits at a terminal: what it says is not confirmed by the test either.
fn alone(world: &World, env: &[(&str, &str)], args: &[&str]) -> Answer {
    let mut command = world.command("setsid");
    command.arg("--wait").arg(World::binary()).args(args).envs(env.iter().copied()).stdin(Stdio::null());
    command.output().unwrap().into()
}

fn show(world: &World, id: &str) -> Value {
    world.ken_args(&["show", id, "--json"]).ok().json()
}

/// A lesson that an agent stated, with a step that a machine can take.
fn stated(world: &World, env: &[(&str, &str)]) -> String {
    let args = [
        &["add", "lesson", CLAIM, "--evidence", "pr:1", "--anchor", "src/net.rs", "--json", "--verify"][..],
        &["grep retry src/net.rs"],
    ];
    let answer = alone(world, env, &args.concat());
    answer.ok().json()["handle"].as_str().unwrap().to_owned()
}

/// Ada types a confirmation at her terminal, on some day.
fn confirmed(world: &World, day: &str, args: &[&str]) -> Answer {
    ken_on_terminal(world, &[("KEN_NOW", &format!("{day}T12:00:00Z"))], args, &[("Type `yes`", "yes\n")])
}

/// A call of a tool by a client that names itself in the request.
fn call_as(client: &mut Client, name: &str, tool: &str, arguments: Value) -> Called {
    let mut request = client.speech.request("tools/call", json!({"name": tool, "arguments": arguments}));
    request["params"]["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({"name": name, "version": "1"});
    Called::of(&client.ask(request))
}

// Alpha, beta and gamma of one connection verified what alpha had stated.
#[test]
fn a_client_with_three_names_is_one_client() {
    let world = World::with_store();
    let mut client = Client::start(&world, &[], NEWEST);
    let wish =
        json!({"statement": CLAIM, "evidence": ["pr:1"], "anchors": ["src/net.rs"], "verify": ["look"]});
    let id = call_as(&mut client, "alpha", "remember", wish).ok().value["id"].as_str().unwrap().to_owned();
    for name in ["alpha", "beta", "gamma"] {
        let confirmed = call_as(&mut client, name, "confirm", json!({"id": id})).ok();
        assert_eq!(confirmed.value["kind"], "primed", "{name}: {}", confirmed.text);
        call_as(&mut client, name, "finish", json!({"outcome": "success", "quality": 1, "used": [id]})).ok();
    }
    assert_eq!(show(&world, &id)["status"], "candidate");
    assert_eq!(show(&world, &id)["last_confirmed"], Value::Null);
    // Another name for each of many days, each in a run of its own, is still one clone.
    for day in 3..9 {
        let now = format!("2026-01-{day:02}T03:04:05Z");
        let (actor, run) = (format!("agent:a{day}"), format!("r{day}"));
        let env = [("KEN_NOW", now.as_str()), ("KEN_ACTOR", &actor)];
        alone(&world, &env, &["task", "start", "--goal", "x", "--run", &run]).ok();
        alone(&world, &env, &["confirm", &id, "--run", &run]).ok();
        alone(&world, &env, &["task", "finish", "--run", &run, "--outcome", "success", "--used", &id]).ok();
    }
    assert_eq!(show(&world, &id)["status"], "active", "used, and believed by nobody else");
}

#[test]
fn a_connection_is_initialized_once() {
    let world = World::with_store();
    let mut client = Client::start(&world, &[], USUAL);
    let again = client.request(
        "initialize",
        json!({"protocolVersion": USUAL, "capabilities": {}, "clientInfo": {"name": "another", "version": "1"}}),
    );
    let message = again["error"]["message"].as_str().unwrap_or_else(|| panic!("{again}"));
    assert!(message.contains("already initialized"), "{message}");
    client.call("recall", json!({"query": "retry"})).ok();
}

#[test]
fn a_task_that_succeeds_does_not_verify_what_it_stated() {
    let world = World::with_store();
    let env = [("KEN_ACTOR", "agent:alpha"), ("KEN_RUN", "t1")];
    alone(&world, &env, &["task", "start", "--goal", "make it faster", "--run", "t1"]).ok();
    let id = stated(&world, &env);
    alone(&world, &env, &["check", &id, "--run"]).ok();
    let done = alone(
        &world,
        &env,
        &["task", "finish", "--run", "t1", "--outcome", "success", "--used", &id, "--json"],
    )
    .ok();
    assert_eq!(done.json()["verified"], json!([]));
    let again = [("KEN_ACTOR", "agent:alpha"), ("KEN_RUN", "t2")];
    alone(&world, &again, &["task", "start", "--goal", "once more", "--run", "t2"]).ok();
    alone(
        &world,
        &again,
        &["task", "finish", "--run", "t2", "--outcome", "success", "--quality", "1", "--used", &id],
    )
    .ok();
    alone(&world, &again, &["feedback", &id, "--helpful"]).ok();
    assert_eq!(show(&world, &id)["status"], "active");
    let log = world.ken_args(&["log", &id]).ok().out;
    assert!(log.contains("proved: grep retry src/net.rs passed\n") && !log.contains("now verified"), "{log}");
}

// `KEN_ACTOR=human:Ada` credits Ada; it makes nobody a person.
#[test]
fn a_variable_and_no_terminal_confirm_nothing() {
    let world = World::with_store();
    let id = stated(&world, &[("KEN_ACTOR", "agent:alpha")]);
    for day in ["2026-01-05", "2026-01-06"] {
        let env = [("KEN_ACTOR", "human:Bo"), ("KEN_NOW", &format!("{day}T12:00:00Z"))];
        let answer = alone(&world, &env, &["confirm", &id, "--json"]).ok().json();
        assert_eq!(answer["kind"], "primed", "{answer}");
        assert!(answer["reasons"][0].as_str().unwrap().contains("There is no terminal here"), "{answer}");
    }
    let answer = alone(&world, &[("KEN_ACTOR", "human:Bo")], &["check", &id, "--run", "--accept-steps"]);
    answer.fails_with(4);
    // A terminal that nobody types at confirms nothing either: `script -c 'ken confirm ID'`.
    ken_on_terminal(&world, &[], &["confirm", &id], &[("Type `yes`", "\n")]).fails_with(4);
    assert_eq!(show(&world, &id)["last_confirmed"], Value::Null);
    let typed = ken_on_terminal(&world, &[], &["confirm", &id, "--json"], &[("Type `yes`", "yes\n")]).ok();
    assert!(typed.out.contains("\"independent\""), "{}", typed.out);
}

// `KEN_ACTOR=human:Ada setsid ken retract NORM` lifted the norm.
#[test]
fn an_approver_s_name_moves_no_norm() {
    let team = Team::new();
    let norm = team.norm("norm.one", "Commits name their issue.", &[]);
    for verb in ["retract", "archive", "mute", "invalidate"] {
        for actor in ["human:Ada", AGENT] {
            let answer = alone(&team.world, &[("KEN_ACTOR", actor)], &[verb, &norm]).fails_with(4);
            assert!(
                answer.err.contains("person") || answer.err.contains("approver"),
                "{verb}: {}",
                answer.err
            );
        }
    }
    assert_eq!(show(&team.world, &norm)["status"], "active");
    team.terminal("Ada", &["retract", &norm], &[("Type `yes`", "yes\n")]).ok();
    assert_eq!(show(&team.world, &norm)["status"], "retracted");
}

#[test]
fn what_an_agent_may_set_is_a_short_list() {
    let world = World::with_store();
    let mut client = Client::start(&world, &[], NEWEST);
    for (key, value) in [("list.limit", "20"), ("project.name", "shop")] {
        client.call("config", json!({"key": key, "value": [value]})).ok();
    }
    for (key, value) in [
        ("search.limit", "1"),
        ("pack.task", "0"),
        ("guard.hosts", "db.internal"),
        ("admission", "default"),
        ("scoring", "default"),
        ("embedder.kind", "none"),
        ("embedder.url", "http://localhost:1"),
        ("hooks.off", "true"),
        ("search.exposures", "false"),
        ("search.global", "false"),
        ("surface.debugger", "off"),
        ("health.problems", "1000"),
        ("drift.stale_days", "36500"),
        ("check.fail_on", "never"),
        ("reviewers.security", "nothing"),
        ("mirrors.k", "flux-drive:k"),
        ("approvers.Mallory", "yes"),
    ] {
        let error = client.call("config", json!({"key": key, "value": [value]})).error();
        assert_eq!(error["code"], "not_allowed", "{key}: {error}");
        // Nor at the shell, whoever is credited.
        let sets_up = key.starts_with("mirrors.") || key.starts_with("reviewers.");
        alone(&world, &[("KEN_ACTOR", "agent:alpha")], &["config", key, value]).fails_with(4);
        alone(&world, &[("KEN_ACTOR", "human:Ada")], &["config", key, value]).fails_with(if sets_up {
            0
        } else {
            4
        });
    }
    let before = world.ken("config --json").ok().json();
    assert!(!before.to_string().contains("Mallory"), "{before}");
}

// An edit of the tracked file is no authority: what it switches off stays on until a person of this clone says so.
#[test]
fn an_edit_of_the_settings_file_lifts_no_norm() {
    let team = Team::new();
    let push = r#"{"kind":"mechanical","check":"actions","rules":["command: git push --force main|master"],"instead":"open a pull request"}"#;
    team.norm("norm.push", "Nobody forces a push.", &["--enforcement", push]);
    let held_back = || {
        let said = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "session_id": "s1",
            "tool_input": {"command": "git push --force origin main"}, "cwd": team.world.path()});
        let args = ["hook", "touch", "--host", "claude-code"];
        let mut with_time = team.world.command(&World::binary().display().to_string());
        with_time.env("KEN_HOOK_TIMEOUT_MS", "60000").args(args);
        team.world.answered(with_time, Some(&said.to_string())).out.contains("\"deny\"")
    };
    assert!(held_back());
    let settings = team.world.read(".kenning/config.toml");
    team.world.write(".kenning/config.toml", &format!("{settings}\n[hooks]\noff = true\n"));
    assert!(held_back(), "an edit switched the hooks off");
    let doctor = team.ken(&["doctor"]).out;
    assert!(doctor.contains("hooks.off = true in config.toml has no effect"), "{doctor}");
    let without: String =
        settings.lines().filter(|line| !line.contains("yes")).map(|l| format!("{l}\n")).collect();
    team.world.write(".kenning/config.toml", &without);
    assert!(held_back(), "an edit took the approvers away");
    team.world.write(".kenning/config.toml", &settings);
    team.settle("hooks.off", "true");
    assert!(!held_back(), "a person confirmed it here");
}

/// The hooks of a session of Claude Code: a command fails, the agent names an entry, the command passes, the session ends.
fn session(world: &World, id: &str, day: &str, handle: &str, transcript: Option<bool>) {
    let file = world.path().join(format!("{id}.jsonl"));
    let hook = |event: &str, mut said: Value| {
        said["session_id"] = json!(id);
        said["cwd"] = json!(world.path());
        if transcript.is_some() {
            said["transcript_path"] = json!(file);
        }
        let mut command = world.command(&World::binary().display().to_string());
        command.args(["hook", event, "--host", "claude-code"]);
        command.env("KEN_NOW", format!("{day}T08:00:00Z")).env("KEN_HOOK_TIMEOUT_MS", "60000");
        world.answered(command, Some(&said.to_string())).ok()
    };
    let given = hook("session-start", json!({"hook_event_name": "SessionStart", "source": "startup"})).out;
    // The host writes what its hook said into the transcript; who pipes JSON has none, or an invented one.
    std::fs::write(&file, if transcript == Some(true) { given } else { "{}".to_owned() }).unwrap();
    let shown = json!({"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": {"file_path": "src/net.rs"}});
    hook("touch", shown);
    let command = json!({"tool_name": "Bash", "tool_input": {"command": "cargo test"}});
    for name in ["PostToolUseFailure", "PostToolUse"] {
        let mut said = command.clone();
        said["hook_event_name"] = json!(name);
        hook("ran", said);
    }
    let words = format!("As [{handle}] says, it was the pause.");
    hook("stop", json!({"hook_event_name": "Stop", "last_assistant_message": words}));
    hook("end", json!({"hook_event_name": "SessionEnd"}));
}

// COR-19: Ada works alone, with agents. What they say of their own entries verifies nothing; what her host saw does.
#[test]
fn a_team_of_one_gets_verified_entries_by_an_observed_outcome() {
    let world = World::with_store();
    let id = stated(&world, &[("KEN_ACTOR", "agent:claude-code")]);
    confirmed(&world, "2026-01-05", &["confirm", &id]).ok();
    let second = confirmed(&world, "2026-01-06", &["confirm", &id]).ok();
    assert!(second.out.contains("not verified yet"), "{}", second.out);
    // Somebody pipes the events of a session that never was into `ken hook`.
    session(&world, "invented", "2026-01-07", &id, None);
    session(&world, "invented-too", "2026-01-07", &id, Some(false));
    confirmed(&world, "2026-01-08", &["confirm", &id]).ok();
    assert_eq!(show(&world, &id)["status"], "active", "a piped session is no witness");
    session(&world, "real", "2026-01-09", &id, Some(true));
    let third = confirmed(&world, "2026-01-10", &["confirm", &id]).ok();
    assert!(third.out.contains("it is verified now"), "{}", third.out);
    let line = world.ken_args(&["log", &id, "--json"]).ok().out;
    assert!(line.contains("now verified"), "{line}");
}

#[test]
fn a_team_of_one_gets_verified_entries_by_a_proof_that_the_person_accepts() {
    let world = World::with_store();
    let id = stated(&world, &[("KEN_ACTOR", "agent:claude-code")]);
    confirmed(&world, "2026-01-05", &["confirm", &id]).ok();
    confirmed(&world, "2026-01-06", &["confirm", &id]).ok();
    // The agent runs its own step, which passes.
    alone(&world, &[("KEN_ACTOR", "agent:claude-code")], &["check", &id, "--run"]).ok();
    confirmed(&world, "2026-01-07", &["confirm", &id]).ok();
    assert_eq!(show(&world, &id)["status"], "candidate", "its own step proves nothing");
    let accepted = confirmed(&world, "2026-01-08", &["check", &id, "--run", "--accept-steps"]).ok();
    assert!(accepted.out.contains("`grep retry src/net.rs` as a proof"), "{}", accepted.out);
    assert_eq!(show(&world, &id)["status"], "verified");
}

// What is verified is taken away by a person; an agent may say that it is wrong.
#[test]
fn an_agent_hides_no_verified_entry() {
    let world = World::with_store();
    let id = stated(&world, &[("KEN_ACTOR", "agent:alpha")]);
    confirmed(&world, "2026-01-05", &["confirm", &id]).ok();
    confirmed(&world, "2026-01-06", &["confirm", &id]).ok();
    confirmed(&world, "2026-01-06", &["check", &id, "--run", "--accept-steps"]).ok();
    assert_eq!(show(&world, &id)["status"], "verified");
    let mut client = Client::start(&world, &["--host", "alpha"], NEWEST);
    for verb in ["view mute", "view hide", "archive", "retract"] {
        let tool = &verb.replace(' ', "_");
        let error = client.call(tool, json!({"id": id})).error();
        assert_eq!(error["code"], "not_allowed", "{tool}: {error}");
        for actor in ["agent:alpha", "human:Ada"] {
            let words: Vec<&str> = verb.split(' ').chain([id.as_str()]).collect();
            alone(&world, &[("KEN_ACTOR", actor)], &words).fails_with(4);
        }
    }
    alone(&world, &[("KEN_ACTOR", "agent:alpha")], &["archive", "--older-than", "0"]).ok();
    let sweep = [("KEN_ACTOR", "agent:alpha"), ("KEN_NOW", "2027-08-01")];
    alone(&world, &sweep, &["maintain", "stale_sweep"]).ok();
    assert_eq!(show(&world, &id)["status"], "verified", "a service takes it away for no agent either");
    let other = world.lesson("Retry at once, for ever.");
    alone(&world, &[("KEN_ACTOR", "agent:alpha")], &["supersede", &id, &other]).fails_with(4);
    // What an agent learned since is kept beside it, and a person decides.
    let wish = json!({"statement": "Retry after one second.", "evidence": ["pr:2"], "supersedes": id, "draft": true});
    let beside = client.call("remember", wish).ok();
    assert!(beside.text.contains("is verified and stays"), "{}", beside.text);
    let learned = show(&world, beside.value["id"].as_str().unwrap());
    assert!(learned["links"].to_string().contains("contradicts"), "{learned:#}");
    assert_eq!(show(&world, &id)["status"], "verified");
    client.call("feedback", json!({"id": id, "not_helpful": true})).ok();
    // A candidate of its own it may take back.
    let own = world.lesson("Close sockets where they were opened.");
    alone(&world, &[("KEN_ACTOR", "agent:alpha")], &["retract", &own]).ok();
    ken_on_terminal(&world, &[], &["view", "mute", &id], &[]).ok();
    // Nor in two steps: first other words, which nobody vouched for, then away with it.
    let wish = json!({"id": id, "reason": "clearer", "detail": "Retry at once."});
    assert_eq!(client.call("correct_entry", wish).error()["code"], "not_allowed");
    assert_eq!(show(&world, &id)["status"], "verified");
    alone(&world, &[("KEN_ACTOR", "agent:alpha")], &["archive", &id]).fails_with(4);
}

// A secret for a name became the name of an agent, in which nothing looks like a secret any more.
#[test]
fn a_client_that_is_called_like_a_secret_has_no_name() {
    let world = World::with_store();
    let token = ["ghp", "_", "v9Qx2mT7Lk4RwZ8cJ5nB1yH6dFsAqEuXpG3o"].concat();
    let params =
        json!({"protocolVersion": NEWEST, "capabilities": {}, "clientInfo": {"name": token, "version": "1"}});
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    let wish = json!({"name": "remember", "arguments": {"statement": "Close sockets.", "draft": true}});
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": wish});
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let lines = format!("{request}\n{ready}\n{call}\n");
    world.ken_stdin(&["mcp"], &lines).ok();
    let listed = world.ken("list --json").ok();
    assert!(listed.out.contains("Close sockets"), "{}", listed.out);
    let mut grep = world.command("grep");
    grep.args(["-ril", &token[4..], ".kenning", ".git/kenning"]);
    world.answered(grep, None).fails_with(1);
}

// COR-14: `revise --attribute lifecycle_state=verified` skipped every state in between, and another attribute dropped the state.
#[test]
fn a_signal_keeps_its_state_and_its_order() {
    let world = World::with_store();
    let noted = world.ken_args(&["add", "signal", "The importer is slow.", "--json"]).ok().json();
    let id = noted["id"].as_str().unwrap();
    let state = || show(&world, id)["attributes"]["lifecycle_state"].clone();
    let jump = world.ken_args(&["edit", id, "--attribute", "lifecycle_state=verified"]).fails_with(4);
    assert!(jump.err.contains("cannot become verified"), "{}", jump.err);
    world.ken_args(&["edit", id, "--attribute", "lifecycle_state=triaged"]).ok();
    assert_eq!(state(), "triaged");
    world.ken_args(&["edit", id, "--attribute", "team=core"]).ok();
    assert_eq!(state(), "triaged");
    assert_eq!(show(&world, id)["attributes"]["team"], "core");
}
