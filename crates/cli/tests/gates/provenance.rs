//! `knowledge.provenance`: every entry rests on something, and what it rests on is there.

use ken_testkit::key_of;
use serde_json::json;

use super::{Fail, Pass, Refused, Story, Team, Warn, check};
use crate::team::{AGENT, forged};
use crate::world::World;

#[test]
fn knowledge_provenance() {
    check("knowledge.provenance", STORIES);
}

fn uncited(kind: &str, words: &str) -> serde_json::Value {
    let member = if kind == "commit_norm" { "rule" } else { "statement" };
    json!({"type": kind, "fields": {member: words, "anchors": [{"at": "src/net.rs"}], "verification": ["look"]}, "evidence": []})
}

fn forge_norm(team: &Team) {
    let data = uncited("commit_norm", "Trust me.");
    let key = key_of(&data);
    let line = forged(AGENT, 1, "entry.added", Some(&key), &data);
    team.forge(&format!(".kenning/procedural/v1/commit_norms/commit_norm.{key}.jsonl"), &line);
}

const STORIES: &[Story] = &[
    Story {
        name: "a pull request",
        tell: |team| {
            team.lesson("Retry with jitter.");
            team.gate(&[])
        },
        ends: Pass,
    },
    Story {
        name: "a file that is there",
        tell: |team| {
            team.norm("norm.one", "Run the formatter before every commit.", &[]);
            team.gate(&[])
        },
        ends: Pass,
    },
    Story {
        name: "a file that nobody could find when it was cited, and somebody said so",
        tell: |team| {
            let args = [
                "add",
                "entity",
                "--name",
                "Cache",
                "--description",
                "Keeps things.",
                "--evidence",
                "doc:docs/gone.md",
                "--unverified",
            ];
            let mut command = team.world.command(&World::binary().display().to_string());
            command.args(args);
            crate::pty::confirmed(&team.world, &command, None).ok();
            team.gate(&[])
        },
        ends: Pass,
    },
    Story {
        name: "a commit",
        tell: |team| {
            let head = team.world.git("rev-parse HEAD");
            team.norm(
                "norm.one",
                "Run the formatter before every commit.",
                &["--evidence", &format!("commit:{head}")],
            );
            team.gate(&[])
        },
        ends: Pass,
    },
    Story {
        name: "records cite nothing, and need not",
        tell: |team| {
            team.note("The build was slow today.");
            team.ken(&["friction", "record", "--type", "redo", "--context", "{\"a\":1}"]).ok();
            team.gate(&[])
        },
        ends: Pass,
    },
    Story {
        name: "what the base lacks is not the change's",
        tell: |team| {
            team.ken(&["add", "lesson", "Nobody knows why.", "--draft"]).ok();
            let base = team.commit("docs: a draft");
            team.lesson("Retry with jitter.");
            team.commit("docs: a lesson");
            team.gate(&["--diff", &format!("{base}..HEAD")])
        },
        ends: Pass,
    },
    Story {
        name: "what is retracted needs nothing any more",
        tell: |team| {
            let id = team.ken(&["add", "lesson", "Nobody knows why.", "--draft", "--json"]).ok().json();
            team.ken(&["retract", id["id"].as_str().unwrap(), "--reason", "no source"]).ok();
            team.gate(&[])
        },
        ends: Pass,
    },
    Story {
        name: "a folder that is there, in a commit",
        tell: |team| {
            let base = team.world.git("rev-parse HEAD");
            let args = [
                "add",
                "entity",
                "--name",
                "Docs",
                "--description",
                "What we write.",
                "--evidence",
                "doc:docs",
            ];
            team.ken(&args).ok();
            team.commit("docs: an entity");
            team.gate(&["--diff", &format!("{base}..HEAD")])
        },
        ends: Pass,
    },
    Story {
        name: "a forged norm that cites nothing",
        tell: |team| {
            forge_norm(team);
            team.gate(&[])
        },
        ends: Fail("provenance required"),
    },
    Story {
        name: "the same, committed as a change",
        tell: |team| {
            forge_norm(team);
            team.commit("chore: trust");
            team.gate(&["--diff", "HEAD~1..HEAD"])
        },
        ends: Fail("provenance required"),
    },
    Story {
        name: "the same, merged from a branch",
        tell: |team| {
            team.world.git("checkout -q -b side");
            forge_norm(team);
            team.commit("chore: trust");
            team.world.git("checkout -q main");
            team.commit("chore: meanwhile");
            team.world.git("merge -q --no-edit side");
            team.gate(&["--diff", "HEAD~1..HEAD"])
        },
        ends: Fail("provenance required"),
    },
    Story {
        name: "a draft lesson",
        tell: |team| {
            team.ken(&["add", "lesson", "Nobody knows why.", "--draft"]).ok();
            team.gate(&[])
        },
        ends: Warn("provenance required"),
    },
    Story {
        name: "the file it rests on is gone",
        tell: |team| {
            team.norm("norm.one", "Run the formatter before every commit.", &[]);
            std::fs::remove_file(team.world.path().join("docs/guide.md")).unwrap();
            team.gate(&[])
        },
        ends: Warn("doc:docs/guide.md"),
    },
    Story {
        name: "one of two files is gone",
        tell: |team| {
            team.world.write("docs/more.md", "More.\n");
            team.norm(
                "norm.one",
                "Run the formatter before every commit.",
                &["--evidence", "doc:docs/more.md"],
            );
            std::fs::remove_file(team.world.path().join("docs/more.md")).unwrap();
            team.gate(&[])
        },
        ends: Warn("cites evidence that no longer exists: doc:docs/more.md"),
    },
    Story {
        name: "a change that brings a norm and takes away what it rests on",
        tell: |team| {
            let base = team.world.git("rev-parse HEAD");
            team.norm("norm.one", "Run the formatter before every commit.", &[]);
            std::fs::remove_file(team.world.path().join("docs/guide.md")).unwrap();
            team.commit("chore: a norm");
            team.gate(&["--diff", &format!("{base}..HEAD")])
        },
        ends: Warn("none of the evidence of norm.one"),
    },
    Story {
        name: "write: a lesson without evidence",
        tell: |team| {
            team.ken(&["add", "lesson", "Retry with jitter.", "--anchor", "src/net.rs", "--verify", "look"])
        },
        ends: Refused(2, "provenance required"),
    },
    Story {
        name: "write: a norm without evidence",
        tell: |team| team.ken(&["add", "commit_norm", "Run the formatter."]),
        ends: Refused(2, "provenance required"),
    },
    Story {
        name: "write: a file that is not there",
        tell: |team| {
            team.ken(&["add", "commit_norm", "Run the formatter.", "--evidence", "doc:docs/gone.md"])
        },
        ends: Refused(2, "docs/gone.md"),
    },
    Story {
        name: "write: a proposal that rests on nothing",
        tell: |team| {
            let note = team.note("The build was slow today.");
            team.ken(&["promote", "propose", &note, "--to", "semantic", "--reason", "it is true"])
        },
        ends: Refused(2, "provenance required"),
    },
];
