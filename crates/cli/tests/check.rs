//! Whether entries still hold, through the binary: stories of code that changes, and of worlds in which nobody can tell.

mod anchors;
mod changes;
mod conditions;
mod faults;
mod recalled;
mod steps;
mod strangers;
mod worker;

use std::fmt::Write;

use serde_json::Value;

use crate::world::{Answer, World};

/// Code with a type, a method and a function, each with a body of its own.
const NET: &str = "\
pub struct Client {
    limit: u32,
}

impl Client {
    pub fn retry(&self, request: &Request) -> Result<Answer, Fault> {
        let mut waited = Duration::ZERO;
        for attempt in 0..self.limit {
            if let Some(answer) = self.send(request, attempt) {
                return Ok(answer);
            }
            waited += jitter(attempt);
        }
        Err(Fault::Exhausted(waited))
    }
}

fn jitter(attempt: u32) -> Duration {
    let base = 1u64 << attempt.min(6);
    Duration::from_millis(base * 100 + noise(base))
}
";

/// A repository with that code and a store, committed. There is no model: validity asks for none.
fn world() -> World {
    let mut world = World::repository();
    world.env.push(("KEN_NO_MODEL".to_owned(), "1".to_owned()));
    world.write("src/net.rs", NET);
    world.ken("init").ok();
    commit(&world, "code");
    world
}

fn commit(world: &World, message: &str) {
    world.git("add -A");
    world.git(&format!("commit -q --allow-empty -m {message}"));
}

/// Adds a lesson that has everything else a lesson needs.
fn lesson(world: &World, id: &str, more: &[&str]) -> Answer {
    let statement = format!("What {id} says about the client.");
    let verify: &[&str] = if more.contains(&"--verify") { &[] } else { &["--verify", "look"] };
    let args = [&["add", "lesson", &statement, "--id", id, "--evidence", "pr:1"], verify, more].concat();
    let answer = world.ken_args(&args);
    // Some of these stories are about places that are not there: a person at a terminal insisted on them (COR-12).
    #[cfg(unix)]
    if answer.err.contains("anchor existing code") {
        let mut command = world.command(&World::binary().display().to_string());
        command.args(args).arg("--unverified");
        return crate::pty::confirmed(world, &command, None).ok();
    }
    answer.ok()
}

/// What `ken check` says in JSON, whatever it is.
fn checked(world: &World, args: &[&str]) -> Value {
    let answer = world.ken_args(&[&["check", "--json", "--fail-on", "never"], args].concat());
    assert!(!answer.err.contains("panicked"), "{}", answer.err);
    answer.ok().json()
}

/// How entries stand by their ids, with the conditions and places that are not as they were.
fn standing(world: &World, args: &[&str]) -> String {
    told(&checked(world, args))
}

fn told(answer: &Value) -> String {
    let list = |value: &Value| value.as_array().unwrap().clone();
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    let mut entries = list(&answer["entries"]);
    entries.sort_by_key(|entry| word(&entry["id"]));
    let mut text = String::new();
    for entry in entries {
        write!(text, "{}: {}", word(&entry["id"]), word(&entry["verdict"])).unwrap();
        let because: Vec<String> = list(&entry["because"]).iter().map(word).collect();
        if !because.is_empty() {
            write!(text, ", because of {}", because.join(" <- ")).unwrap();
        }
        text.push('\n');
        for condition in list(&entry["conditions"]).iter().filter(|condition| condition["verdict"] != "holds")
        {
            let [what, verdict, why] = ["text", "verdict", "why"].map(|name| word(&condition[name]));
            writeln!(text, "  {what} {verdict}: {why}").unwrap();
        }
        for anchor in list(&entry["anchors"]).iter().filter(|anchor| anchor["verdict"] != "fresh") {
            let [at, verdict, why] = ["at", "verdict", "why"].map(|name| word(&anchor[name]));
            match anchor["now"].as_str() {
                Some(now) => writeln!(text, "  {at} {verdict}, now {now}").unwrap(),
                None => writeln!(text, "  {at} {verdict}: {why}").unwrap(),
            }
        }
    }
    text
}
