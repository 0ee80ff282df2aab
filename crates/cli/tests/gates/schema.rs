//! `knowledge.schema`: entries of the right shape, and lines that say what their hash says.

use ken_testkit::key_of;
use serde_json::{Value, json};

use super::{Fail, Pass, Refused, Story, Team, Warn, check};
use crate::team::{AGENT, forged, sealed, statement};
use crate::world::Answer;

#[test]
fn knowledge_schema() {
    check("knowledge.schema", STORIES);
}

/// Somebody purges a norm by a line about a lesson, in a change; judged in a clone that wrote none of it.
fn purged(team: &Team, replica: &str, take_out: bool) -> Answer {
    team.norm("norm.one", "Run the formatter before every commit.", &[]);
    let lesson = team.lesson("Retry with jitter.");
    let base = team.commit("chore: a norm");
    let (key, ledger) = (team.key(&lesson), team.ledger(&lesson));
    let norm = team.ledger("norm.one");
    let lines: Vec<Value> =
        team.world.read(&norm).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let hashes: Vec<&Value> = lines.iter().map(|line| &line["hash"]).collect();
    let replica = if replica.is_empty() { lines[0]["replica"].as_str().unwrap() } else { replica };
    let line = sealed(json!({
        "actor": "human:Cy", "clock": "2026-01-02T04:00:00.000Z-0000", "entry": key, "replica": replica, "seq": 900,
        "type": "entry.purged", "v": 1, "data": {"hashes": hashes, "reason": "secrets"},
    }));
    team.forge(&ledger, &line);
    if take_out {
        std::fs::remove_file(team.world.path().join(norm)).unwrap();
    }
    team.commit("chore: less");
    let clone = team.clone_by("Cy");
    team.ken_in(&clone, "Cy", &["gate", "--json", "--diff", &format!("{base}..HEAD")])
}

const STORIES: &[Story] = &[
    Story { name: "an empty store", tell: |team| team.gate(&[]), ends: Pass },
    Story {
        name: "a lesson, a note and a norm",
        tell: |team| {
            team.lesson("Retry with jitter.");
            team.note("The build was slow today.");
            team.norm("norm.one", "Run the formatter before every commit.", &[]);
            team.gate(&[])
        },
        ends: Pass,
    },
    Story {
        name: "two branches that wrote to one ledger are merged",
        tell: |team| {
            let id = team.lesson("Retry with jitter.");
            team.commit("docs: a lesson");
            team.world.git("checkout -q -b side");
            team.ken(&["edit", &id, "--detail", "On the side."]).ok();
            team.commit("docs: more");
            team.world.git("checkout -q main");
            team.ken(&["tag", &id, "network"]).ok();
            team.commit("docs: a tag");
            team.world.git("merge -q --no-edit side");
            team.gate(&["--diff", "HEAD~1..HEAD"])
        },
        ends: Pass,
    },
    Story {
        name: "a line that is there twice is one event",
        tell: |team| {
            let id = team.norm("norm.one", "Run the formatter before every commit.", &[]);
            team.edit(&team.ledger(&id), |text| format!("{text}{text}"));
            team.gate(&[])
        },
        ends: Pass,
    },
    Story {
        name: "an event of a newer version",
        tell: |team| {
            let id = team.lesson("Retry with jitter.");
            let line =
                forged("human:Ada", 1, "entry.celebrated", Some(&team.key(&id)), &json!({"with": "cake"}));
            team.forge(&team.ledger(&id), &line);
            team.gate(&[])
        },
        ends: Pass,
    },
    Story {
        name: "a branch that is behind its base takes nothing away",
        tell: |team| {
            team.world.git("checkout -q -b behind");
            team.lesson("Learned on the branch.");
            team.commit("docs: a lesson");
            team.world.git("checkout -q main");
            team.norm("norm.later", "Run the formatter before every commit.", &[]);
            team.commit("chore: a norm");
            team.gate(&["--diff", "main..behind"])
        },
        ends: Pass,
    },
    Story {
        name: "damage that the base has already is not the change's",
        tell: |team| {
            let id = team.norm("norm.one", "Run the formatter before every commit.", &[]);
            team.edit(&team.ledger(&id), |text| text.replacen("formatter", "formatten", 1));
            let base = team.commit("chore: damaged");
            team.world.write("README.md", "Hello.\n");
            team.commit("docs: a greeting");
            team.gate(&["--diff", &format!("{base}..HEAD")])
        },
        ends: Pass,
    },
    Story {
        name: "a byte of a norm's line is changed",
        tell: |team| {
            let id = team.norm("norm.one", "Run the formatter before every commit.", &[]);
            team.edit(&team.ledger(&id), |text| text.replacen("formatter", "formatten", 1));
            team.gate(&[])
        },
        ends: Fail("this line"),
    },
    Story {
        name: "the same, as a change",
        tell: |team| {
            let id = team.norm("norm.one", "Run the formatter before every commit.", &[]);
            let base = team.commit("chore: a norm");
            team.edit(&team.ledger(&id), |text| text.replacen("formatter", "formatten", 1));
            team.commit("chore: nothing to see");
            team.gate(&["--diff", &format!("{base}..HEAD")])
        },
        ends: Fail("this line"),
    },
    Story {
        name: "a line of a norm is taken out",
        tell: |team| {
            let id = team.norm("norm.one", "Run the formatter before every commit.", &[]);
            team.ken(&["tag", &id, "style"]).ok();
            let base = team.commit("chore: a norm");
            team.edit(&team.ledger(&id), |text| {
                text.lines()
                    .filter(|line| !line.contains("promotion.approved"))
                    .map(|line| format!("{line}\n"))
                    .collect()
            });
            team.commit("chore: tidy");
            team.gate(&["--diff", &format!("{base}..HEAD")])
        },
        ends: Fail("ledger files are append-only"),
    },
    Story {
        name: "the file of a norm is deleted in the working tree",
        tell: |team| {
            let id = team.norm("norm.one", "Run the formatter before every commit.", &[]);
            team.commit("chore: a norm");
            let file = team.ledger(&id);
            std::fs::remove_file(team.world.path().join(file)).unwrap();
            team.gate(&["--diff", "HEAD"])
        },
        ends: Fail("procedural/v1/commit_norms/norm.one.jsonl lost 2 lines"),
    },
    Story {
        name: "an agent forges a norm of the wrong shape, with a right hash",
        tell: |team| {
            let fields =
                json!({"rule": "Ask nobody.", "enforcement": {"kind": "mechanical", "rule": "whatever"}});
            let data = statement("commit_norm", fields);
            let key = key_of(&data);
            let line = forged(AGENT, 1, "entry.added", Some(&key), &data);
            team.forge(&format!(".kenning/procedural/v1/commit_norms/commit_norm.{key}.jsonl"), &line);
            team.gate(&[])
        },
        ends: Fail("does not match its schema"),
    },
    Story {
        name: "what says who approved is edited",
        tell: |team| {
            let id = team.candidate("norm.one", "Run the formatter before every commit.", &[]);
            let proposal = team.proposal(&id, &[]);
            team.approve("Bo", &proposal).ok();
            team.edit(&team.file_like("promotions"), |text| text.replacen("agent:coder", "human:coder", 1));
            team.gate(&[])
        },
        ends: Fail("this line"),
    },
    Story {
        name: "histories that never met: everything is gone",
        tell: |team| {
            team.norm("norm.one", "Run the formatter before every commit.", &[]);
            team.commit("chore: a norm");
            team.world.git("checkout -q --orphan other");
            team.world.git("rm -q -r --cached .kenning");
            team.world.git("commit -q -m orphan");
            team.gate(&["--diff", "main..other"])
        },
        ends: Fail("ledger files are append-only"),
    },
    Story {
        name: "the whole store is taken out",
        tell: |team| {
            team.norm("norm.one", "Run the formatter before every commit.", &[]);
            let base = team.commit("chore: a norm");
            team.world.git("rm -q -r .kenning");
            team.world.git("commit -q -m gone");
            team.gate(&["--diff", &format!("{base}..HEAD")])
        },
        ends: Fail("ledger files are append-only"),
    },
    Story {
        name: "a stranger purges the lines of a norm, by a line about something else",
        tell: |team| purged(team, "0a0a0a0a0a0a", false),
        ends: Fail("is not an approver at the base"),
    },
    Story {
        name: "the same, and the lines are taken out",
        tell: |team| purged(team, "0a0a0a0a0a0a", true),
        ends: Fail("human:Cy purged"),
    },
    Story {
        name: "the same, in the name of the clone that wrote them",
        tell: |team| purged(team, "", true),
        ends: Fail("human:Cy purged"),
    },
    Story {
        name: "two events with one number of one clone",
        tell: |team| {
            let id = team.norm("norm.one", "Run the formatter before every commit.", &[]);
            let base = team.commit("chore: a norm");
            let text = team.world.read(&team.ledger(&id));
            let mut line: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
            line["actor"] = json!("human:Mallory");
            line.as_object_mut().unwrap().remove("hash");
            team.forge(&team.ledger(&id), &sealed(line));
            team.commit("chore: twice");
            team.gate(&["--diff", &format!("{base}..HEAD")])
        },
        ends: Fail("two lines have the number 4"),
    },
    Story {
        name: "the ledger of a norm becomes a link",
        tell: |team| {
            let id = team.norm("norm.one", "Run the formatter before every commit.", &[]);
            let base = team.commit("chore: a norm");
            let file = team.world.path().join(team.ledger(&id));
            std::fs::rename(&file, team.world.path().join("elsewhere.jsonl")).unwrap();
            std::os::unix::fs::symlink(team.world.path().join("elsewhere.jsonl"), &file).unwrap();
            team.commit("chore: moved");
            team.gate(&["--diff", &format!("{base}..HEAD")])
        },
        ends: Fail("ledger files are append-only"),
    },
    Story {
        name: "a conflict that nobody resolved",
        tell: |team| {
            let id = team.norm("norm.one", "Run the formatter before every commit.", &[]);
            team.edit(&team.ledger(&id), |text| format!("<<<<<<< ours\n{text}=======\n>>>>>>> theirs\n"));
            team.gate(&[])
        },
        ends: Fail("conflict"),
    },
    Story {
        name: "a byte of a lesson's line is changed: nothing that binds",
        tell: |team| {
            let id = team.lesson("Retry with jitter.");
            team.edit(&team.ledger(&id), |text| text.replacen("jitter", "jitten", 1));
            team.gate(&[])
        },
        ends: Warn("this line"),
    },
    Story {
        name: "a forged lesson without a claim",
        tell: |team| {
            let data = statement("lesson", json!({"title": "Only a title"}));
            let key = key_of(&data);
            let line = forged(AGENT, 1, "entry.added", Some(&key), &data);
            team.forge(&format!(".kenning/semantic/v1/entities/lesson.{key}.jsonl"), &line);
            team.gate(&[])
        },
        ends: Warn("does not match its schema: statement"),
    },
    Story {
        name: "write: a check that does not exist",
        tell: |team| {
            let enforcement = r#"{"kind":"mechanical","check":"vibes"}"#;
            team.ken(&[
                "add",
                "commit_norm",
                "Feel good.",
                "--evidence",
                "pr:1",
                "--enforcement",
                enforcement,
            ])
        },
        ends: Refused(2, "enforcement.check"),
    },
    Story {
        name: "write: a pattern that cannot be read",
        tell: |team| {
            let enforcement = r#"{"kind":"mechanical","check":"commit_message","pattern":"(("}"#;
            team.ken(&["add", "commit_norm", "Match it.", "--evidence", "pr:1", "--enforcement", enforcement])
        },
        ends: Refused(2, "enforcement.pattern"),
    },
    Story {
        name: "write: a tier on a norm that is none",
        tell: |team| {
            let enforcement = r#"{"kind":"tier","tier":"high","lines":5}"#;
            team.ken(&[
                "add",
                "commit_norm",
                "Be careful.",
                "--evidence",
                "pr:1",
                "--enforcement",
                enforcement,
            ])
        },
        ends: Refused(2, "only a risk_tier"),
    },
];
