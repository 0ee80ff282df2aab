//! `knowledge.staleness`: somebody still stands behind each norm. It warns, and flags the norm for review.

use super::{Pass, Story, Team, Warn, check};
use crate::pty::ken_on_terminal;
use crate::team::AGENT;
use crate::world::Answer;

#[test]
fn knowledge_staleness() {
    check("knowledge.staleness", STORIES);
}

/// Stories begin on 2026-01-02; these are so many days later.
const DAY_40: &str = "2026-02-11T03:04:05Z";
const DAY_90: &str = "2026-04-02T03:04:05Z";
const DAY_92: &str = "2026-04-04T03:04:05Z";

fn norm(team: &Team) -> String {
    team.norm("norm.one", "Run the formatter before every commit.", &[])
}

fn gate_at(team: &Team, now: &str, more: &[&str]) -> Answer {
    team.ken_at(now, &[&["gate", "--json"], more].concat())
}

/// Bo, who did not state the norm, confirms it at a terminal (COR-11).
fn confirmed_by_bo(team: &Team) {
    let env = [("KEN_ACTOR", "human:Bo"), ("KEN_NOW", DAY_40)];
    ken_on_terminal(&team.world, &env, &["confirm", "norm.one"], &[("Type `yes`", "yes\n")]).ok();
}

const STORIES: &[Story] = &[
    Story {
        name: "a new norm",
        tell: |team| {
            norm(team);
            team.gate(&[])
        },
        ends: Pass,
    },
    Story {
        name: "ninety days to the second",
        tell: |team| {
            norm(team);
            gate_at(team, DAY_90, &[])
        },
        ends: Pass,
    },
    Story {
        name: "confirmed on the way",
        tell: |team| {
            norm(team);
            confirmed_by_bo(team);
            gate_at(team, DAY_92, &[])
        },
        ends: Pass,
    },
    Story {
        name: "approved on the way",
        tell: |team| {
            let id = team.candidate("norm.one", "Run the formatter before every commit.", &[]);
            let proposal = team.proposal(&id, &[]);
            let later = [("GIT_AUTHOR_NAME", "Bo"), ("KEN_NOW", DAY_40)];
            crate::pty::ken_on_terminal(
                &team.world,
                &later,
                &["promote", "approve", &proposal],
                &[("Type `yes`", "yes\n")],
            )
            .ok();
            gate_at(team, DAY_92, &[])
        },
        ends: Pass,
    },
    Story {
        name: "an old lesson: only norms bind",
        tell: |team| {
            team.lesson("Retry with jitter.");
            gate_at(team, DAY_92, &[])
        },
        ends: Pass,
    },
    Story {
        name: "an old norm that was taken back",
        tell: |team| {
            norm(team);
            team.ken(&["retract", "norm.one", "--reason", "over"]).ok();
            gate_at(team, DAY_92, &[])
        },
        ends: Pass,
    },
    Story {
        name: "an old norm that the change does not touch",
        tell: |team| {
            norm(team);
            let base = team.commit("chore: a norm");
            team.lesson("Retry with jitter.");
            team.commit("docs: a lesson");
            gate_at(team, DAY_92, &["--diff", &format!("{base}..HEAD")])
        },
        ends: Pass,
    },
    Story {
        name: "ninety-two days",
        tell: |team| {
            norm(team);
            gate_at(team, DAY_92, &[])
        },
        ends: Warn("norm.one was not confirmed for 92 days"),
    },
    Story {
        name: "a candidate grows old as well",
        tell: |team| {
            team.candidate("norm.two", "Sign every tag.", &[]);
            gate_at(team, DAY_92, &[])
        },
        ends: Warn("norm.two"),
    },
    Story {
        name: "a tag is no confirmation",
        tell: |team| {
            norm(team);
            team.ken_at(DAY_40, &["tag", "norm.one", "style"]).ok();
            gate_at(team, DAY_92, &[])
        },
        ends: Warn("needs a review"),
    },
    Story {
        name: "being looked at is no confirmation",
        tell: |team| {
            norm(team);
            team.ken_at(DAY_40, &["show", "norm.one"]).ok();
            team.ken_at(DAY_40, &["search", "formatter"]).ok();
            gate_at(team, DAY_92, &[])
        },
        ends: Warn("ken confirm norm.one"),
    },
    Story {
        name: "confirmed long ago",
        tell: |team| {
            norm(team);
            confirmed_by_bo(team);
            gate_at(team, "2026-05-20T03:04:05Z", &[])
        },
        ends: Warn("for 98 days"),
    },
    Story {
        name: "an old norm that the change touches",
        tell: |team| {
            norm(team);
            let base = team.commit("chore: a norm");
            team.ken_at(DAY_40, &["tag", "norm.one", "style"]).ok();
            team.commit("chore: a tag");
            gate_at(team, DAY_92, &["--diff", &format!("{base}..HEAD")])
        },
        ends: Warn("norm.one"),
    },
    Story {
        name: "an agent that was shown the norm and then says it holds (REV-2)",
        tell: |team| {
            norm(team);
            let by_agent = |args: &[&str]| {
                let mut command = team.world.command(&crate::world::World::binary().display().to_string());
                command.env("KEN_ACTOR", AGENT).env("KEN_NOW", DAY_40).args(args);
                Answer::from(command.output().unwrap())
            };
            by_agent(&["search", "formatter"]).ok();
            by_agent(&["confirm", "norm.one"]);
            gate_at(team, DAY_92, &[])
        },
        ends: Warn("for 92 days"),
    },
];
