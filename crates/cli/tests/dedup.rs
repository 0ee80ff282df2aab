//! Bulk adds are compared when their vectors are made, through the binary (IN-6).

use serde_json::{Value, json};

use crate::world::World;

fn line(id: &str, statement: &str) -> String {
    let entry = json!({
        "type": "lesson", "id": id, "statement": statement, "provenance": ["pr:1"], "anchors": ["src/net.rs"],
        "verification": ["look"],
    });
    format!("{entry}\n")
}

fn similar(world: &World, id: &str) -> Value {
    world.ken(&format!("show {id} --json")).ok().json()["similar_to"].clone()
}

#[test]
fn embed_says_which_queued_entries_say_the_same() {
    let world = World::with_store();
    let mut lines = line("jitter", "Use exponential backoff with jitter for retries.");
    for at in 0..10 {
        lines +=
            &line(&format!("room{at}"), &format!("Shard {at} of the archive is kept in room {}.", at * 7));
    }
    lines += &line("backoff", "For retries, use exponential backoff with jitter.");
    world.ken_stdin(&["add", "--file", "-"], &lines).ok();
    assert_eq!(similar(&world, "backoff"), Value::Null, "nobody has looked yet");
    let made = world.ken("rebuild --embeddings --json").ok().json();
    assert_eq!((&made["made"], &made["proposed"]), (&json!(12), &json!(1)));
    let found = similar(&world, "backoff");
    assert_eq!(found[0]["id"], "jitter");
    assert!(found[0]["similarity"].as_f64().unwrap() > 0.92, "{found}");
    assert_eq!(similar(&world, "jitter"), Value::Null, "the newer points to the older");
    assert!(world.ken("why backoff").ok().out.contains("jitter"), "whoever asks is told");
    let again = world.ken("rebuild --embeddings --json").ok().json();
    assert_eq!((&again["made"], &again["proposed"]), (&json!(0), &Value::Null));
    // It is part of the ledger: a new index knows it, and the files are in order.
    world.ken("rebuild").ok();
    assert_eq!(similar(&world, "backoff"), found);
    world.ken("verify").ok();
    world.ken("undo").ok();
    assert_eq!(world.ken("show backoff --json").ok().json()["status"], "retracted");
}
