//! `knowledge.contradictions`: nobody is told to do what somebody else is told never to do.

use serde_json::json;

use super::{Fail, Pass, Refused, Story, Team, Warn, check};
use crate::team::{AGENT, forged};

#[test]
fn knowledge_contradictions() {
    check("knowledge.contradictions", STORIES);
}

const ALWAYS: &str = "Always rebase feature branches onto main before review.";
const NEVER: &str = "Never rebase feature branches onto main before review.";

/// Two branches, each with a norm in force that the other does not know, merged.
fn merged(team: &Team, ours: &str, theirs: &str, more: &[&str]) {
    let side = team.clone_by("Bo");
    // In a clone of its own, so that nobody sees what the other does.
    let id = "norm.theirs";
    let args =
        [&["add", "commit_norm", theirs, "--id", id, "--evidence", "doc:docs/guide.md"], more].concat();
    crate::pty::ken_on_terminal_in(
        &team.world,
        &side,
        &[("GIT_AUTHOR_NAME", "Bo")],
        &args,
        &[("Type `yes`", "yes\n")],
    )
    .ok();
    team.git_in(&side, "add -A");
    team.git_in(&side, "commit -q -m theirs");
    team.norm("norm.ours", ours, &[]);
    team.commit("chore: ours");
    team.world.git("fetch -q ../Bo HEAD");
    team.world.git("merge -q --no-edit FETCH_HEAD");
}

const STORIES: &[Story] = &[
    Story {
        name: "norms about different things",
        tell: |team| {
            team.norm("norm.one", ALWAYS, &[]);
            team.norm("norm.two", "Never commit generated files.", &[]);
            team.gate(&[])
        },
        ends: Pass,
    },
    Story {
        name: "one of the two was taken back",
        tell: |team| {
            team.norm("norm.one", ALWAYS, &[]);
            team.ken(&["retract", "norm.one", "--reason", "we changed our minds"]).ok();
            team.norm("norm.two", NEVER, &[]);
            team.gate(&[])
        },
        ends: Pass,
    },
    Story {
        name: "the one superseded the other",
        tell: |team| {
            team.norm("norm.one", ALWAYS, &[]);
            let args = ["supersede", "norm.one", "--rule", NEVER, "--evidence", "pr:3"];
            team.ken(&args).ok();
            team.gate(&[])
        },
        ends: Pass,
    },
    Story {
        name: "lessons may disagree: they bind nobody",
        tell: |team| {
            team.lesson(ALWAYS);
            team.lesson(NEVER);
            team.gate(&[])
        },
        ends: Pass,
    },
    Story {
        name: "a narrower norm is an exception, and left to people",
        tell: |team| {
            team.norm("norm.one", "Squash before merging.", &[]);
            team.norm("norm.two", "Do not squash before merging release branches.", &[]);
            team.gate(&[])
        },
        ends: Pass,
    },
    Story {
        name: "clones that agree are merged",
        tell: |team| {
            merged(team, ALWAYS, "Never commit generated files.", &[]);
            team.gate(&["--diff", "HEAD~1..HEAD"])
        },
        ends: Pass,
    },
    Story {
        name: "a contradiction of the base is not the change's",
        tell: |team| {
            team.candidate("norm.one", ALWAYS, &[]);
            team.candidate("norm.two", NEVER, &[]);
            let base = team.commit("chore: candidates");
            team.lesson("Retry with jitter.");
            team.commit("docs: a lesson");
            team.gate(&["--diff", &format!("{base}..HEAD")])
        },
        ends: Pass,
    },
    Story {
        name: "two clones put opposites in force, and are merged",
        tell: |team| {
            merged(team, ALWAYS, NEVER, &[]);
            team.gate(&[])
        },
        ends: Fail("contradict each other"),
    },
    Story {
        name: "the same, as a change",
        tell: |team| {
            merged(team, ALWAYS, NEVER, &[]);
            team.gate(&["--diff", "HEAD~1..HEAD"])
        },
        ends: Fail("norm.ours"),
    },
    Story {
        name: "two values of one thing",
        tell: |team| {
            merged(team, "Line length is 80.", "Line length is 120.", &[]);
            team.gate(&[])
        },
        ends: Fail("contradict each other"),
    },
    Story {
        name: "two checks that no change can pass",
        tell: |team| {
            let must = r#"{"kind":"mechanical","check":"commit_message","pattern":"^[A-Z]+-[0-9]+"}"#;
            let never = r#"{"kind":"mechanical","check":"commit_message","forbid":"^[A-Z]+-[0-9]+"}"#;
            merged(team, "Use short words.", "No tickets in subjects.", &["--enforcement", never]);
            // Nothing is in force yet that the first can clash with, on the main branch.
            team.candidate("norm.tickets", "Subjects begin with a ticket.", &["--enforcement", must]);
            team.gate(&[])
        },
        ends: Warn("contradict each other"),
    },
    Story {
        name: "a link says so",
        tell: |team| {
            team.norm("norm.one", "Ship on Fridays.", &[]);
            team.norm("norm.two", "Keep the weekend free of alarms.", &[]);
            team.ken(&["link", "norm.one", "contradicts", "norm.two"]).ok();
            team.gate(&[])
        },
        ends: Fail("a `contradicts` link says so"),
    },
    Story {
        name: "a candidate against a norm in force: told, and blocks nothing",
        tell: |team| {
            team.norm("norm.one", ALWAYS, &[]);
            team.candidate("norm.two", NEVER, &[]);
            team.gate(&[])
        },
        ends: Warn("contradict each other"),
    },
    Story {
        name: "a forged opposite that nobody approved",
        tell: |team| {
            team.norm("norm.one", ALWAYS, &[]);
            let data = crate::team::statement("commit_norm", json!({"rule": NEVER}));
            let key = ken_testkit::key_of(&data);
            let line = forged(AGENT, 1, "entry.added", Some(&key), &data);
            team.forge(&format!(".kenning/procedural/v1/commit_norms/commit_norm.{key}.jsonl"), &line);
            team.gate(&[])
        },
        ends: Warn("contradict each other"),
    },
    Story {
        name: "write: the promotion of an opposite is blocked",
        tell: |team| {
            team.norm("norm.one", ALWAYS, &[]);
            let id = team.candidate("norm.two", NEVER, &[]);
            let proposal = team.proposal(&id, &[]);
            let mut answer = team.approve("Bo", &proposal);
            answer.err = std::mem::take(&mut answer.out);
            answer
        },
        ends: Refused(4, "knowledge.contradictions blocks this promotion: it contradicts norm.one"),
    },
];
