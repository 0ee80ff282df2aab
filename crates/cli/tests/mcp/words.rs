//! What is said when something is asked wrongly, and the names that some hosts require.

use serde_json::{Value, json};

use super::client::{Client, NEWEST, USUAL};
use crate::world::World;

// SEP-1303: what is wrong with a call is told to the model, as an answer of the tool.
#[test]
fn faults_of_a_call_are_answers_that_say_what_to_do() {
    let world = World::with_store();
    let handle = world.lesson("Retry network calls with jitter, or all clients come back at once.");
    let table: &[(&str, Value, &str, &str, &str)] = &[
        ("recall", json!({"query": "x", "limt": 3}), "invalid", "limt", "did you mean `limit`?"),
        ("recall", json!({}), "invalid", "query", "`query` is missing"),
        ("recall", json!({"query": 3}), "invalid", "query", "expected a string"),
        ("recall", json!({"query": "x", "limit": "many"}), "invalid", "limit", "expected a whole number"),
        ("recall", json!({"query": "x", "types": ["leson"]}), "invalid", "types", "lesson"),
        ("recall", json!({"query": "x", "tags": 7}), "invalid", "tags", "a list of strings"),
        ("recall", json!({"query": "x", "run": "two words"}), "invalid", "run", "run"),
        ("brief", json!({"task": "x", "role": "king"}), "invalid", "role", "planner"),
        ("remember", json!({"statement": "x", "typ": "lesson"}), "invalid", "typ", "did you mean `type`?"),
        ("remember", json!({"statement": "x", "type": "novel"}), "invalid", "type", "novel"),
        ("finish", json!({"outcome": "meh"}), "invalid", "outcome", "success"),
        ("finish", json!({"findings": "[]"}), "invalid", "run", "review"),
        ("queue", json!({"answers": [{"item": "x"}]}), "invalid", "answers[0]", "answer"),
        ("fetch", json!({"id": "L-zzzzzz"}), "not_found", "id", "L-zzzzzz"),
        ("show", json!({"ids": ["L-zzzzzz"]}), "not_found", "id", "L-zzzzzz"),
        ("show", json!({"idz": ["x"]}), "invalid", "idz", "did you mean `ids`?"),
        ("archive", json!({"id": handle, "reason": ["a", "b"]}), "invalid", "reason", "one text"),
        ("feedback", json!({"id": handle, "helpful": "yes"}), "invalid", "helpful", "true or false"),
        ("check", json!({"diff": "no..where"}), "not_found", "commit", "git log"),
        ("check", json!({"paths": ["src/nowhere"]}), "not_found", "ids", "neither in the working tree"),
        ("check", json!({"diff": "HEAD", "paths": ["src"]}), "invalid", "diff", "cannot be combined"),
        ("check", json!({"diff": "HEAD", "changed": true}), "invalid", "diff", "cannot be combined"),
        ("check", json!({"changed": true, "paths": "src"}), "invalid", "changed", "cannot be combined"),
        ("check", json!({"paths": [""]}), "invalid", "ids", "an empty name"),
        ("check", json!({"cursor": "soon"}), "invalid", "cursor", "`cursor` of the last answer"),
    ];
    for revision in [USUAL, NEWEST] {
        let mut client = Client::start(&world, &[], revision);
        for (tool, arguments, code, field, says) in table {
            let error = client.call(tool, arguments.clone()).error();
            assert_eq!(error["code"], *code, "{tool} {arguments}: {error}");
            assert_eq!(error["field"], *field, "{tool} {arguments}: {error}");
            let whole = error.to_string();
            assert!(whole.contains(says), "{tool} {arguments}: {error}");
        }
        // The conversation goes on.
        client.call("recall", json!({"query": "retry"})).ok();
    }
}

#[test]
fn all_faults_of_an_entry_are_told_at_once_as_the_command_line_does() {
    let world = World::with_store();
    let said = "Retry network calls with jitter, or all clients come back at once.";
    let shell = world.ken_args(&["add", "lesson", said, "--tag", "Not A Tag", "--json"]);
    let mut client = Client::start(&world, &[], NEWEST);
    let error = client.call("remember", json!({"statement": said, "tags": ["Not A Tag"]})).error();
    assert_eq!(error, shell.json()["error"]);
    assert!(error["faults"].as_array().is_some_and(|faults| faults.len() > 1), "{error}");
}

/// An answer about a whole store had 268,000 characters, more than some hosts let a model see.
#[test]
fn cor_23_check_answers_in_pages_and_takes_folders() {
    let world = World::with_store();
    let lines: Vec<String> = (0..120)
        .map(|number| {
            let path = format!("src/part{}/file{number}.rs", number % 4);
            world.write(&path, &format!("pub fn step_{number}() -> u32 {{\n    {number} + {number}\n}}\n"));
            json!({
                "statement": format!("Step {number} of the import must run before the next one begins."),
                "anchors": [format!("{path}#step_{number}")], "verification": ["look"],
            })
            .to_string()
        })
        .collect();
    world.write("steps.jsonl", &lines.join("\n"));
    world.ken("add lesson --file steps.jsonl --evidence pr:1").ok();
    std::fs::remove_dir_all(world.path().join("src/part3")).unwrap();
    let mut client = Client::start(&world, &[], NEWEST);
    let (mut ids, mut cursor, mut pages, mut told) = (Vec::new(), None, 0, 0);
    loop {
        let arguments = cursor.as_ref().map_or(json!({}), |cursor| json!({ "cursor": cursor }));
        let page = client.call("check", arguments).ok();
        let size = page.text.len() + page.value.to_string().len();
        assert!(size <= 8_000, "{size} characters: {}", page.text);
        assert_eq!(page.value["summary"]["entries"], 120, "the summary is of all entries: {}", page.value);
        assert_eq!(page.value["summary"]["broken"], 30);
        let entries = page.value["entries"].as_array().unwrap();
        if pages == 0 {
            assert_eq!(entries[0]["verdict"], "broken", "the worst come first");
        }
        ids.extend(entries.iter().map(|entry| entry["id"].as_str().unwrap().to_owned()));
        pages += 1;
        told += page.text.lines().filter(|line| line.contains("] broken: ")).count();
        cursor = page.value.get("cursor").and_then(Value::as_str).map(str::to_owned);
        if cursor.is_none() {
            break;
        }
        assert!(page.text.contains("cursor"), "{}", page.text);
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 120, "every entry is on one page, {pages} pages");
    assert_eq!(told, 30, "the text leaves no broken entry out");
    let folder = client.call("check", json!({"paths": ["src/part1"]})).ok();
    assert!(folder.text.starts_with("30 looked at: 30 fresh"), "{}", folder.text);
}

// The list names `decision` among the types: it is an experience of that kind.
#[test]
fn a_decision_can_be_remembered_by_that_word() {
    let world = World::with_store();
    let mut client = Client::start(&world, &[], NEWEST);
    let said = "Entries lie in plain files, since those merge the way that code does.";
    let decision = json!({"statement": said, "type": "decision", "evidence": "pr:1", "anchors": "src/net.rs", "verify": "look"});
    let added = client.call("remember", decision).ok();
    let shown = world.ken_args(&["show", added.value["id"].as_str().unwrap(), "--json"]).ok().json();
    assert_eq!((&shown["type"], &shown["subtype"]), (&json!("experience"), &json!("decision")), "{shown}");
}

#[test]
fn what_is_not_there_is_an_error_of_the_protocol() {
    let world = World::with_store();
    for revision in [USUAL, NEWEST] {
        let mut client = Client::start(&world, &[], revision);
        let table = [
            ("tools/call", json!({"name": "recal", "arguments": {}}), vec![-32602], "did you mean `recall`?"),
            ("resources/read", json!({"uri": "ken://nothing"}), vec![-32602, -32002], "ken://briefing"),
            ("resources/read", json!({"uri": "file:///etc/passwd"}), vec![-32602, -32002], "ken://briefing"),
            ("resources/read", json!({"uri": "ken://entry/L-zzzzzz"}), vec![-32602, -32002], "L-zzzzzz"),
            ("prompts/get", json!({"name": "recal-first"}), vec![-32602], "recall-first"),
            ("prompts/get", json!({"name": "recall-first"}), vec![-32602], "needs `task`"),
            ("tools/forget", json!({}), vec![-32601], ""),
        ];
        for (method, params, codes, says) in table {
            let answer = client.request(method, params.clone());
            let error = &answer["error"];
            let code = error["code"].as_i64().unwrap_or_else(|| panic!("{method} {params}: {answer}"));
            assert!(codes.contains(&code), "{method} {params}: {answer}");
            assert!(error.to_string().contains(says), "{method} {params}: {answer}");
        }
        // The newest revision knows one code for a resource that is not there.
        if revision == NEWEST {
            let answer = client.request("resources/read", json!({"uri": "ken://nothing"}));
            assert_eq!(answer["error"]["code"], -32602, "{answer}");
        }
    }
}

#[test]
fn search_and_fetch_answer_in_every_profile() {
    let world = World::with_store();
    let statement = "Retry network calls with jitter, or all clients come back at once.";
    world.lesson(statement);
    for profile in ["default", "full", "connectors"] {
        let mut client = Client::start(&world, &["--profile", profile], NEWEST);
        let found = client.call("search", json!({"query": "retry jitter"})).ok();
        let [result] = found.value["results"].as_array().unwrap().as_slice() else { panic!("{found:?}") };
        let id = result["id"].as_str().unwrap();
        assert_eq!(result["title"], statement);
        assert_eq!(result["url"], format!("ken://entry/{id}"));
        let fetched = client.call("fetch", json!({"id": id})).ok().value;
        assert_eq!((&fetched["id"], &fetched["title"]), (&result["id"], &json!(statement)));
        assert_eq!(fetched["url"], result["url"]);
        let text = fetched["text"].as_str().unwrap();
        assert!(text.contains(statement) && text.contains("src/net.rs") && text.contains("pr:1"), "{text}");
        assert_eq!(fetched["metadata"]["status"], "candidate");
        // The address of a result can be read, too, and says the same.
        let read = client.request("resources/read", json!({"uri": result["url"]}));
        assert_eq!(read["result"]["contents"][0]["text"], fetched["text"]);
        // Whoever is not listed can still be called.
        client.call("recall", json!({"query": "retry"})).ok();
        client.call("why", json!({"id": id})).ok();
    }
}

// IN-2: what was sent may hold a secret, and no answer repeats it.
#[test]
fn no_answer_repeats_a_secret() {
    let world = World::with_store();
    let secret = format!("ghp_{}", "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY2zA4");
    let mut client = Client::start(&world, &[], NEWEST);
    for (tool, arguments) in [
        ("recall", json!({"query": "x", "types": [secret]})),
        ("recall", json!({"query": "x", secret.as_str(): 1})),
        ("recall", json!({"query": {"a": secret}})),
        ("fetch", json!({"id": secret})),
        ("show", json!({"ids": [secret]})),
        ("show", json!({secret.as_str(): 1})),
        (
            "remember",
            json!({"statement": format!("The key is {secret} and it is used everywhere."), "draft": true}),
        ),
        ("finish", json!({"outcome": secret})),
        (secret.as_str(), json!({})),
    ] {
        let answer = client.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert!(!answer.to_string().contains(&secret), "{answer}");
    }
    for (method, params) in [
        ("resources/read", json!({"uri": format!("ken://entry/{secret}")})),
        ("resources/read", json!({"uri": format!("ken://{secret}")})),
        ("prompts/get", json!({"name": secret})),
    ] {
        let answer = client.request(method, params);
        assert!(!answer.to_string().contains(&secret), "{answer}");
    }
}

// A server that had its vectors open found what others added by words alone.
#[test]
fn what_others_add_while_the_server_runs_is_found_by_its_meaning() {
    let world = World::with_store();
    world.lesson("Compare session tokens in constant time because == leaks the prefix by timing.");
    let mut client = Client::start(&world, &[], NEWEST);
    client.call("recall", json!({"query": "session tokens"})).ok();
    let statement = "Retry network calls with jitter, or all clients come back at once.";
    world.lesson(statement);
    let found = client.call("search", json!({"query": "how to try again after the connection broke"})).ok();
    let result = &found.value["results"][0];
    assert_eq!(result["title"], statement, "{found:?}");
    assert!(result["relevance"]["cosine"].is_number(), "{result}");
}

/// An agent reads an entry whole, corrects it, and says that one is wrong.
#[test]
fn an_entry_is_shown_corrected_and_said_to_be_wrong() {
    let world = World::with_store();
    let handle = world.lesson("Retry with jitter.");
    let mut client = Client::start(&world, &[], USUAL);
    let shown = client.call("show_entry", json!({"id": handle})).ok();
    assert_eq!(shown.value["statement"], "Retry with jitter.");
    let corrected = json!({"id": handle, "reason": "seen in a load test", "detail": "At most three times."});
    client.call("correct_entry", corrected).ok();
    let shown = client.call("show_entry", json!({"id": handle})).ok();
    assert_eq!(shown.value["detail"], "At most three times.");
    client
        .call("correct_entry", json!({"id": handle, "reason": "it makes things worse", "wrong": true}))
        .ok();
    let belief = world.ken_args(&["belief", &handle, "--json"]).ok().json();
    assert!(belief.to_string().contains("it makes things worse"), "{belief}");
    for bad in [
        json!({"id": handle, "reason": "x"}),
        json!({"id": handle, "reason": "x", "wrong": true, "detail": "y"}),
    ] {
        let refused = client.call("correct_entry", bad).error();
        assert!(refused.to_string().contains("corrected statement, detail or evidence"), "{refused}");
    }
    let finished = json!({"outcome": "success", "used": [], "wrong": [handle]});
    let finished = client.call("finish", finished).ok();
    assert!(
        finished.text.contains("counted for you today") || finished.text.contains("against"),
        "{}",
        finished.text
    );
}
