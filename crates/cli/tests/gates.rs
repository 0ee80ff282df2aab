//! The gate table (GAT-1): for every gate, stories that pass it and stories that do not, with exit code and message.

mod backflow;
mod contradictions;
mod hooks;
mod links;
mod norms;
mod provenance;
mod schema;
mod staleness;

use super::team::Team;
use super::world::Answer;

/// A story about one gate.
struct Story {
    name: &'static str,
    /// What happens; ends with what the gate answers, or with the write that is refused.
    tell: fn(&Team) -> Answer,
    ends: Ends,
}

/// How a story ends.
enum Ends {
    /// The gate lets it pass.
    Pass,
    /// The gate finds something, and nothing is blocked.
    Warn(&'static str),
    /// The gate finds something, and it blocks.
    Fail(&'static str),
    /// Nothing was written in the first place.
    Refused(i32, &'static str),
}

use Ends::{Fail, Pass, Refused, Warn};

/// Tells every story of a gate, and insists on six that pass and six that do not.
fn check(gate: &str, stories: &[Story]) {
    let passing = stories.iter().filter(|story| matches!(story.ends, Pass)).count();
    assert!(passing >= 6 && stories.len() - passing >= 6, "{gate}: {passing} of {}", stories.len());
    let wrong: Vec<String> = stories
        .iter()
        .filter_map(|story| told(gate, story).map(|why| format!("{gate}, {}: {why}", story.name)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is not as the story says.
fn told(gate: &str, story: &Story) -> Option<String> {
    let answer = (story.tell)(&Team::new());
    let whole = format!("{}{}", answer.out, answer.err);
    let (state, code, message) = match story.ends {
        Refused(code, message) => {
            let right = answer.code == code && answer.err.contains(message);
            return (!right).then(|| format!("exit {}: {whole}", answer.code));
        }
        Pass => ("pass", 0, ""),
        Warn(message) => ("warn", 0, message),
        Fail(message) => ("fail", 1, message),
    };
    if answer.code != code {
        return Some(format!("exit {} instead of {code}: {whole}", answer.code));
    }
    let seen = answer.json();
    let seen = seen["gates"].as_array().unwrap().iter().find(|seen| seen["name"] == gate).unwrap().clone();
    let right = seen["state"] == state && (message.is_empty() || seen["found"].to_string().contains(message));
    (!right).then(|| format!("{state} and {message:?} are wanted: {seen:#}"))
}

/// GAT-1: people read the same as machines, and code review reads it too.
#[test]
fn a_gate_says_what_blocks_and_what_to_do() {
    let team = Team::new();
    team.norm("norm.one", "Run the formatter before every commit.", &[]);
    team.commit("chore: a norm");
    let file = team.ledger("norm.one");
    team.edit(&file, |text| text.replacen("formatter", "formatten", 1));
    let read = team.ken(&["gate"]).fails_with(1);
    for piece in
        ["gates over the store", "fail  knowledge.schema", "blocks: this line", "blocked by", &file[9..]]
    {
        assert!(read.out.contains(piece), "{piece}: {}", read.out);
    }
    for gate in [
        "knowledge.schema",
        "knowledge.provenance",
        "knowledge.links",
        "knowledge.staleness",
        "knowledge.contradictions",
        "episodic.no_backflow",
    ] {
        assert!(read.out.contains(gate), "{gate}");
    }
    let sarif = team.ken(&["gate", "--format", "sarif"]).fails_with(1).json();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "gate-blocks", "{sarif:#}");
    let place = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(place.as_str().unwrap(), file, "{sarif:#}");
}
