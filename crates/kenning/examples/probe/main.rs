//! What `cargo xtask eval` and `cargo xtask bench` measure inside a process, compiled as the product is.
//!
//! Not meant for people: each verb prints one JSON object.

mod baselines;
mod compare;
mod fts;
mod health;
mod learning;
mod speed;
mod warm;

use serde_json::Value;

/// Whatever went wrong; the caller shows it.
type Outcome = Result<Value, Box<dyn std::error::Error>>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let answer = match words.as_slice() {
        ["compare", format, each, questions, files @ ..] => {
            compare::compare(format, each, questions.parse()?, files)?
        }
        ["fts-fill", entries, database] => fts::fill(entries, database)?,
        ["fts-ask", database, queries] => fts::ask_file(database, queries)?,
        ["room", database] => fts::room(database)?,
        ["synthetic-vectors", root] => warm::synthetic_vectors(root)?,
        ["warm", root, queries, rounds] => warm::ask(root, queries, rounds.parse()?)?,
        ["list", root, rounds] => warm::list(root, rounds.parse()?)?,
        ["scan", count] => speed::scan(count.parse()?)?,
        ["rebuild", "--embeddings", seconds] => speed::embed(seconds.parse()?)?,
        ["large", count, entries, queries] => speed::large(count.parse()?, entries, queries)?,
        ["reviews", root, found] => learning::reviews(root, found)?,
        ["complete", root, runs @ ..] => learning::complete(root, runs)?,
        ["tasks", root, rounds] => learning::tasks(root, rounds.parse()?)?,
        ["used", root, rounds] => learning::used(root, rounds.parse()?)?,
        ["observe", root, times, from] => learning::observe(root, times.parse()?, from.parse()?)?,
        ["beliefs", root, rounds, times] => learning::beliefs(root, rounds.parse()?, times.parse()?)?,
        ["health", root, rounds] => health::ask(root, rounds.parse()?)?,
        _ => return Err(format!("there is no verb for {words:?}").into()),
    };
    println!("{answer}");
    Ok(())
}
