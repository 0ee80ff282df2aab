//! The tools in an agent's hands: what it makes up is refused, what it is shown is whole or says how to get the rest, and what it works
//! off is mended, not deleted.

use serde_json::json;

use super::client::{Client, NEWEST};
use crate::world::World;

// COR-12: `commit:deadbeef` and `src/nope.rs#foo` were accepted.
#[test]
fn an_agent_cannot_cite_what_does_not_exist() {
    let world = World::with_store();
    let head = world.git("rev-parse HEAD");
    let mut client = Client::start(&world, &[], NEWEST);
    let mut wish = json!({
        "statement": "Retry network calls with jitter, or all clients come back at once.",
        "evidence": ["commit:deadbeef", "doc:docs/nope.md"],
        "anchors": ["src/nope.rs#foo", "src/net.rs#nowhere"],
        "verify": ["grep jitter src/net.rs"],
    });
    let error = client.call("remember", wish.clone()).error();
    let faults: Vec<&str> =
        error["faults"].as_array().unwrap().iter().map(|fault| fault["problem"].as_str().unwrap()).collect();
    let told = faults.join("\n");
    for named in ["commit \"deadbeef\"", "doc \"docs/nope.md\"", "src/nope.rs#foo", "src/net.rs#nowhere"] {
        assert!(told.contains(named), "{named} is not named: {told}");
    }
    assert!(!told.contains("--unverified"), "an agent may not insist: {told}");
    wish["evidence"] = json!([format!("commit:{head}")]);
    wish["anchors"] = json!(["src/net.rs#retry"]);
    let id = client.call("remember", wish).ok().value["id"].as_str().unwrap().to_owned();
    let error =
        client.call("correct_entry", json!({"id": id, "reason": "x", "evidence": ["commit:badc0de"]}));
    assert!(error.error()["message"].as_str().unwrap().contains("badc0de"));
    let error = client.call("correct_entry", json!({"id": id, "reason": "x", "anchors": ["src/gone.rs"]}));
    assert!(error.error()["message"].as_str().unwrap().contains("src/gone.rs"));
}

// COR-6: a claim was cut in the middle, and the rest was nowhere in the answer.
#[test]
fn recall_cuts_no_claim_and_says_how_to_get_the_rest() {
    let world = World::with_store();
    let long = "Retry network calls with jitter, or all clients come back at the same moment after an outage. \
                The gateway was knocked over three times by that last winter, each time for most of a day. \
                Full jitter was measured against equal jitter, and it was the better one by far.";
    for number in 0..12 {
        world.lesson(&format!("In service {number}: {long}"));
    }
    let mut client = Client::start(&world, &[], NEWEST);
    let recalled = client.call("recall", json!({"query": "retry network calls", "limit": 12})).ok();
    assert!(recalled.text.contains("`show_entry`"), "{}", recalled.text);
    for result in recalled.value["results"].as_array().unwrap() {
        let text = result["text"].as_str().unwrap();
        let first = text.lines().next().unwrap();
        let claim = first.split(" · ").next().unwrap();
        let is_named = claim.contains("In service") && claim.ends_with("[…]");
        assert!(is_named || claim.ends_with('.') || claim.ends_with(". […]"), "{text}");
    }
}

// An agent that was told to work off the queue deleted what lacked a citation.
#[test]
fn the_queue_shows_what_entries_say_and_how_to_mend_them() {
    let world = World::with_store();
    let mut client = Client::start(&world, &[], NEWEST);
    let said = "Retry network calls with jitter, or all clients come back at once.";
    let id = client.call("remember", json!({"statement": said, "draft": true})).ok().value["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let queue = client.call("queue", json!({})).ok();
    for part in [said, "correct_entry", "show_entry", "\"evidence\": [\"commit:HASH\"]"] {
        assert!(queue.text.contains(part), "{part} is missing: {}", queue.text);
    }
    assert!(!queue.text.contains("retract"), "{}", queue.text);
    let item = queue.value["items"][0]["item"].clone();
    let retracted = client.call(
        "queue",
        json!({"answers": [{"item": item, "answer": "retract", "reason": "it has no citation"}]}),
    );
    assert!(retracted.is_error && retracted.text.contains("no reason to retract it"), "{retracted:?}");
    let filled = json!({"id": id, "reason": "found it", "evidence": ["pr:1"], "anchors": ["src/net.rs#retry"],
        "verify": ["grep jitter src/net.rs"]});
    client.call("correct_entry", filled).ok();
    assert_eq!(client.call("queue", json!({})).ok().value["total"], 0);
}

#[test]
fn a_change_names_the_entries_it_affects_and_a_successor_its_id() {
    let world = World::with_store();
    world.write("src/net.rs", "fn retry() {\n    let pause = 3;\n    sleep(pause);\n}\n");
    world.git("add -A");
    world.git("commit -q -m pause");
    let mut client = Client::start(&world, &[], NEWEST);
    let wish = json!({"statement": "Retries pause for three seconds.", "evidence": ["pr:1"],
        "anchors": ["src/net.rs#retry"], "verify": ["look"]});
    let old = client.call("remember", wish).ok().value["id"].as_str().unwrap().to_owned();
    world.write(
        "src/net.rs",
        "fn retry() {\n    let pause = 30;\n    log(pause);\n    sleep(pause * 2);\n}\n",
    );
    let checked = client.call("check", json!({"diff": "HEAD"})).ok();
    for part in ["[L-", "Retries pause for three seconds", "src/net.rs#retry"] {
        assert!(checked.text.contains(part), "{part} is missing: {}", checked.text);
    }
    let wish = json!({"statement": "Retries pause for a minute.", "evidence": ["pr:2"], "supersedes": old});
    let replaced = client.call("remember", wish).ok();
    let new = replaced.value["superseded_by"].as_str().unwrap();
    assert_ne!(new, old);
    assert_eq!(replaced.value["id"], old.as_str());
    assert!(replaced.text.contains(new) && replaced.text.contains(&old), "{}", replaced.text);
}
