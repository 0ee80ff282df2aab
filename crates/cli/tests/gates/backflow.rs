//! `episodic.no_backflow`: norms and promoted records have an approved promotion (GAT-2).

use ken_testkit::key_of;
use serde_json::{Value, json};

use super::{Fail, Pass, Refused, Story, Team, Warn, check};
use crate::team::{AGENT, forged, sealed, statement};
use crate::world::Answer;

#[test]
fn episodic_no_backflow() {
    check("episodic.no_backflow", STORIES);
}

const RULE: &str = "Run the formatter before every commit.";
const NOTED: &str = "The nightly build fails when the disk is full.";

/// A line that says that somebody approved a norm, which some proposal asks for.
fn forge_approval(team: &Team, by: &str, norm: &str, proposal: &str) {
    let words = approved_words(team, norm);
    let data = json!({"promotion": proposal, "words": words, "channel": "terminal"});
    let line = forged(by, 1, "promotion.approved", Some(&team.key(norm)), &data);
    team.forge(&team.ledger(norm), &line);
}

/// What names the words of a norm: as `ken` says it of a norm with the same words, in a team of its own.
fn approved_words(team: &Team, norm: &str) -> String {
    let shown = team.ken(&["show", norm, "--json"]).ok().json();
    let rule = shown["rule"].as_str().or(shown["statement"].as_str()).unwrap().to_owned();
    let other = Team::new();
    other.norm(norm, &rule, &[]);
    let text = other.world.read(&other.ledger(norm));
    let line = text.lines().find(|line| line.contains("promotion.approved")).unwrap();
    let line: Value = serde_json::from_str(line).unwrap();
    line["data"]["words"].as_str().unwrap().to_owned()
}

fn as_refusal(mut answer: Answer) -> Answer {
    answer.err = std::mem::take(&mut answer.out);
    answer
}

/// A proposal about a candidate, committed, and the name of it.
fn proposed(team: &Team) -> String {
    team.candidate("norm.one", RULE, &[]);
    let proposal = team.proposal("norm.one", &[]);
    team.commit("chore: a proposal");
    proposal
}

const STORIES: &[Story] = &[
    Story {
        name: "a norm that an approver stated and accepted",
        tell: |team| {
            team.norm("norm.one", RULE, &[]);
            team.gate(&[])
        },
        ends: Pass,
    },
    Story {
        name: "a candidate binds nobody",
        tell: |team| {
            team.candidate("norm.one", RULE, &[]);
            team.gate(&[])
        },
        ends: Pass,
    },
    Story {
        name: "a note that became a lesson by an approved promotion",
        tell: |team| {
            let note = team.note(NOTED);
            let proposal = team.proposal(&note, &["--to", "semantic", "--type", "lesson"]);
            team.approve("Bo", &proposal).ok();
            team.gate(&[])
        },
        ends: Pass,
    },
    Story {
        name: "a note that became a norm, brought by a branch and merged",
        tell: |team| {
            team.world.git("checkout -q -b side");
            let note = team.note(NOTED);
            let proposal = team.proposal(&note, &["--statement", "Check the disk before the nightly build."]);
            team.approve("Bo", &proposal).ok();
            team.ken(&["commit", "--no-commit"]).ok();
            team.commit("chore: a norm");
            team.world.git("checkout -q main");
            team.commit("chore: meanwhile");
            team.world.git("merge -q --no-edit side");
            team.gate(&["--diff", "HEAD~1..HEAD"])
        },
        ends: Pass,
    },
    Story {
        name: "a note beside a lesson with evidence of its own",
        tell: |team| {
            team.note("Retries collide.");
            team.lesson("Retry with jitter.");
            team.gate(&[])
        },
        ends: Pass,
    },
    Story {
        name: "another clone states in its own words what was noted here, without knowing",
        tell: |team| {
            let other = team.clone_by("Bo");
            team.note(NOTED);
            let args =
                ["add", "lesson", NOTED, "--evidence", "pr:1", "--anchor", "src/net.rs", "--verify", "look"];
            team.ken_in(&other, "Bo", &args).ok();
            let commit = ["commit", "-m", "docs: a lesson"];
            team.ken_in(&other, "Bo", &commit).ok();
            team.world.git("pull -q --no-rebase --no-edit ../Bo main");
            team.gate(&[])
        },
        ends: Pass,
    },
    Story {
        name: "an approver takes a norm back: told, and the change is still held against it",
        tell: |team| {
            team.norm("norm.one", RULE, &[]);
            let base = team.commit("chore: a norm");
            team.ken(&["retract", "norm.one", "--reason", "over"]).ok();
            team.commit("chore: less");
            team.gate(&["--diff", &format!("{base}..HEAD")])
        },
        ends: Warn("norm.one, a norm in force, is retracted by human:Ada"),
    },
    Story {
        name: "a branch that is behind its base moves no norm",
        tell: |team| {
            team.world.git("checkout -q -b behind");
            team.lesson("Retry with jitter.");
            team.commit("docs: a lesson");
            team.world.git("checkout -q main");
            team.norm("norm.one", RULE, &[]);
            team.commit("chore: a norm");
            team.gate(&["--diff", "main..behind"])
        },
        ends: Pass,
    },
    Story {
        name: "an agent tags a norm: a label is nobody's to approve",
        tell: |team| {
            team.norm("norm.one", RULE, &[]);
            let base = team.commit("chore: a norm");
            team.ken_by(AGENT, &["tag", "norm.one", "style"]).ok();
            team.commit("chore: a tag");
            team.gate(&["--diff", &format!("{base}..HEAD")])
        },
        ends: Pass,
    },
    Story {
        name: "an agent tags a candidate that is then approved",
        tell: |team| {
            let proposal = proposed(team);
            let base = team.world.git("rev-parse HEAD");
            team.ken_by(AGENT, &["tag", "norm.one", "style"]).ok();
            team.approve("Bo", &proposal).ok();
            team.commit("chore: approved");
            team.gate(&["--diff", &format!("{base}..HEAD")])
        },
        ends: Pass,
    },
    Story {
        name: "somebody who is no approver puts a norm back that was taken out",
        tell: |team| {
            team.norm("norm.one", RULE, &[]);
            team.ken(&["retract", "norm.one", "--reason", "over"]).ok();
            let base = team.commit("chore: a norm that was");
            let data = json!({"reason": "I want it back", "status": "active"});
            let line = forged("human:Cy", 1, "entry.restored", Some(&team.key("norm.one")), &data);
            team.forge(&team.ledger("norm.one"), &line);
            team.commit("chore: more");
            team.gate(&["--diff", &format!("{base}..HEAD")])
        },
        ends: Fail("put back in force by human:Cy, who is not an approver at the base"),
    },
    Story {
        name: "an agent forges an approval",
        tell: |team| {
            let proposal = proposed(team);
            forge_approval(team, AGENT, "norm.one", &proposal);
            team.gate(&[])
        },
        ends: Fail("agent:coder is not an approver; approvers: Ada, Bo"),
    },
    Story {
        name: "somebody who is no approver forges one, as a change",
        tell: |team| {
            let proposal = proposed(team);
            forge_approval(team, "human:Cy", "norm.one", &proposal);
            team.commit("chore: approved");
            team.gate(&["--diff", "HEAD~1..HEAD"])
        },
        ends: Fail("Cy is not an approver"),
    },
    Story {
        name: "an approval of a proposal that nobody made",
        tell: |team| {
            team.candidate("norm.one", RULE, &[]);
            forge_approval(team, "human:Bo", "norm.one", "P-0123456789");
            team.gate(&[])
        },
        ends: Fail("but that proposal is unknown"),
    },
    Story {
        name: "an approval of a proposal about something else",
        tell: |team| {
            team.candidate("norm.one", RULE, &[]);
            let other = team.candidate("norm.two", "Sign every tag.", &[]);
            let proposal = team.proposal(&other, &[]);
            forge_approval(team, "human:Bo", "norm.one", &proposal);
            team.gate(&[])
        },
        ends: Fail("is about another entry"),
    },
    Story {
        name: "who approves is who asked",
        tell: |team| {
            team.candidate("norm.one", RULE, &[]);
            let proposal = team.proposal_by("Bo", "norm.one", &[]);
            forge_approval(team, "human:Bo", "norm.one", &proposal);
            team.gate(&[])
        },
        ends: Fail("Bo proposed it, so another approver must approve it"),
    },
    Story {
        name: "the change lets its author in",
        tell: |team| {
            let base = team.world.git("rev-parse HEAD");
            team.ken(&["config", "approvers.Cy", "yes"]).ok();
            let id = team.candidate("norm.one", RULE, &[]);
            let proposal = team.proposal(&id, &[]);
            team.approve("Cy", &proposal).ok();
            team.commit("chore: Cy decides");
            team.gate(&["--diff", &format!("{base}..HEAD")])
        },
        ends: Fail("Cy is not an approver; approvers: Ada, Bo"),
    },
    Story {
        name: "who approved may no more",
        tell: |team| {
            let proposal = proposed(team);
            team.approve("Bo", &proposal).ok();
            team.settle("approvers.Bo", "default");
            team.gate(&[])
        },
        ends: Fail("Bo is not an approver; approvers: Ada"),
    },
    Story {
        name: "other words than those that were approved",
        tell: |team| {
            team.norm("norm.one", RULE, &[]);
            let set = json!({"set": {"rule": "Merge without asking."}});
            let line = forged(AGENT, 1, "entry.revised", Some(&team.key("norm.one")), &set);
            team.forge(&team.ledger("norm.one"), &line);
            team.gate(&[])
        },
        ends: Fail("its text differs from what Ada approved"),
    },
    Story {
        name: "somebody who is no approver takes a norm back in a change",
        tell: |team| {
            team.norm("norm.one", RULE, &[]);
            let base = team.commit("chore: a norm");
            let line = forged(
                "human:Cy",
                1,
                "entry.retracted",
                Some(&team.key("norm.one")),
                &json!({"reason": "in my way"}),
            );
            team.forge(&team.ledger("norm.one"), &line);
            team.commit("chore: less");
            team.gate(&["--diff", &format!("{base}..HEAD")])
        },
        ends: Fail("retracted by human:Cy, who is not an approver at the base"),
    },
    Story {
        name: "the same from a clone in which Cy made himself an approver",
        tell: |team| {
            team.norm("norm.one", RULE, &[]);
            let base = team.commit("chore: a norm");
            let other = team.clone_by("Cy");
            team.ken_in(&other, "Cy", &["config", "approvers.Cy", "yes"]).ok();
            team.ken_in(&other, "Cy", &["retract", "norm.one", "--reason", "in my way"]).ok();
            team.ken_in(&other, "Cy", &["commit", "-m", "chore: less"]).ok();
            team.world.git("fetch -q ../Cy main");
            team.gate(&["--diff", &format!("{base}..FETCH_HEAD")])
        },
        ends: Fail("retracted by human:Cy, who is not an approver at the base"),
    },
    Story {
        name: "a forged lesson says word for word what was noted",
        tell: |team| {
            let note = team.note(NOTED);
            team.ken(&["commit", "--no-commit"]).ok();
            let file = team.file_like("signals");
            let text = team.world.read(&file);
            let noted: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
            assert!(note.contains(noted["entry"].as_str().unwrap()), "{note}: {noted}");
            let data = statement(
                "lesson",
                json!({"statement": NOTED, "anchors": [{"at": "src/net.rs"}], "verification": ["look"]}),
            );
            let key = key_of(&data);
            let line = sealed(json!({
                "actor": AGENT, "clock": "2026-01-02T04:00:00.000Z-0000", "entry": key,
                "replica": noted["replica"], "seq": 900, "type": "entry.added", "v": 1, "data": data,
            }));
            team.forge(&format!(".kenning/semantic/v1/entities/lesson.{key}.jsonl"), &line);
            team.gate(&[])
        },
        ends: Fail("repeats the episodic record"),
    },
    Story {
        name: "a forged lesson whose only source is a note, as a change",
        tell: |team| {
            let note = team.note(NOTED);
            team.ken(&["commit", "--no-commit"]).ok();
            let base = team.commit("chore: notes");
            let mut data = statement(
                "lesson",
                json!({"statement": "Watch the disk.", "anchors": [{"at": "src/net.rs"}], "verification": ["look"]}),
            );
            data["evidence"] = json!([{"evidence_type": "transcript", "evidence_ref": note, "cited_by": AGENT, "cited_at": 1}]);
            let key = key_of(&data);
            let line = forged(AGENT, 1, "entry.added", Some(&key), &data);
            team.forge(&format!(".kenning/semantic/v1/entities/lesson.{key}.jsonl"), &line);
            team.commit("docs: a lesson");
            team.gate(&["--diff", &format!("{base}..HEAD")])
        },
        ends: Fail("is an episodic record"),
    },
    Story {
        name: "a lesson that a forged tie derives from a note",
        tell: |team| {
            let note = team.note(NOTED);
            let lesson = team.lesson("Watch the disk.");
            let to = note.rsplit('.').next().unwrap().to_owned();
            let line = forged(
                AGENT,
                1,
                "link.linked",
                Some(&team.key(&lesson)),
                &json!({"relation": "derived_from", "to": to}),
            );
            team.forge(&team.ledger(&lesson), &line);
            team.gate(&[])
        },
        ends: Fail("it is derived from the episodic record"),
    },
    Story {
        name: "write: a lesson in the words of a note",
        tell: |team| {
            team.note(NOTED);
            team.ken(&[
                "add",
                "lesson",
                NOTED,
                "--evidence",
                "pr:1",
                "--anchor",
                "src/net.rs",
                "--verify",
                "look",
            ])
        },
        ends: Refused(4, "directional flow violation"),
    },
    Story {
        name: "write: a lesson that rests on a note alone",
        tell: |team| {
            let note = team.note(NOTED);
            let evidence = format!("transcript:{note}");
            let args = [
                "add",
                "lesson",
                "Watch the disk.",
                "--evidence",
                &evidence,
                "--anchor",
                "src/net.rs",
                "--verify",
                "look",
            ];
            team.ken(&args)
        },
        ends: Refused(4, "directional flow violation"),
    },
    Story {
        name: "write: a tie that derives a lesson from a note",
        tell: |team| {
            let note = team.note(NOTED);
            let lesson = team.lesson("Watch the disk.");
            team.ken(&["link", &lesson, "derived_from", &note])
        },
        ends: Refused(4, "directional flow violation"),
    },
    Story {
        name: "write: a lesson is revised into the words of a note",
        tell: |team| {
            team.note(NOTED);
            let lesson = team.lesson("Watch the disk.");
            team.ken(&["edit", &lesson, "--statement", NOTED])
        },
        ends: Refused(4, "directional flow violation"),
    },
    Story {
        name: "write: an approval by somebody who is none",
        tell: |team| {
            let proposal = proposed(team);
            as_refusal(team.terminal("Cy", &["promote", "approve", &proposal], &[]))
        },
        ends: Refused(4, "Cy is not one"),
    },
];

/// Nobody may approve at the base: what came before anybody was named cannot be judged, and does not stop the change that names them.
#[test]
fn before_anybody_may_approve_nothing_can_be_judged() {
    let team = Team::without_approvers();
    let base = team.world.git("rev-parse HEAD");
    team.settle("approvers.Ada", "yes");
    team.norm("norm.one", RULE, &[]);
    team.commit("chore: the first approver");
    let seen = team.gate(&["--diff", &format!("{base}..HEAD")]).ok().json();
    let gate =
        seen["gates"].as_array().unwrap().iter().find(|gate| gate["name"] == "episodic.no_backflow").unwrap();
    assert_eq!(gate["state"], "warn", "{seen:#}");
    let notes = seen["notes"].to_string();
    assert!(notes.contains("there are no approvers where this is judged from"), "{notes}");
    assert!(notes.contains("this change edits the list of approvers"), "{notes}");
}

/// GAT-2: a forged approval in the name of an approver is malice that a terminal does not stop; signatures do.
#[test]
fn a_line_in_an_approvers_name_counts_only_where_nothing_is_signed() {
    let team = Team::new();
    let proposal = proposed(&team);
    forge_approval(&team, "human:Bo", "norm.one", &proposal);
    team.gate(&[]).ok();
    let signed = Team::new();
    let proposal = proposed(&signed);
    signed.settle("approvals.signed", "true");
    forge_approval(&signed, "human:Bo", "norm.one", &proposal);
    let seen = signed.gate(&[]).fails_with(1).out;
    assert!(
        seen.contains("approvals must be signed in this project, and the key of Bo is unknown"),
        "{seen}"
    );
}
