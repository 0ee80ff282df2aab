//! Promotion on a real terminal (GAT-2): who may approve, what they type, what counts, and where one person alone is shown.

mod signed;

use serde_json::Value;

use super::pty::{CTRL_D, ken_on_terminal};
use super::team::{AGENT, Team};
use super::world::{Answer, World};

const RULE: &str = "Run the formatter before every commit.";

/// A norm that an agent stated and proposed; gives the name of the proposal.
fn proposed(team: &Team) -> String {
    team.candidate("norm.one", RULE, &[]);
    team.proposal("norm.one", &[])
}

fn state(team: &Team, proposal: &str) -> String {
    let shown = team.ken(&["promote", "show", proposal, "--json"]).ok().json();
    shown["state"].as_str().unwrap().to_owned()
}

/// Whether a norm holds changes back, as the gate over an empty change tells.
fn in_force(team: &Team, norm: &str) -> bool {
    team.commit("chore: what there is");
    let seen = team.gate(&["--diff", "HEAD..HEAD"]).json();
    seen["norms"].as_array().unwrap().iter().any(|one| one["norm"] == norm)
}

fn says(answer: &Answer, pieces: &[&str]) {
    let whole = format!("{}{}", answer.out, answer.err);
    for piece in pieces {
        assert!(whole.contains(piece), "{piece:?} is missing:\n{whole}");
    }
}

/// What is typed, and whether that is a yes.
#[test]
fn only_a_yes_is_a_yes() {
    for (typed, yes) in [
        ("yes\n", true),
        ("  yes \n", true),
        ("yes\u{4}\u{4}", true),
        ("YES\n", true),
        ("Y\n", false),
        ("approve\n", false),
        ("no\n", false),
        ("yes P-0000000000\n", false),
        ("\n", false),
        (CTRL_D, false),
    ] {
        let team = Team::new();
        let proposal = proposed(&team);
        let talk = [("Type `yes` to approve", typed)];
        let answer = team.terminal("Bo", &["promote", "approve", &proposal], &talk);
        assert_eq!(answer.code, if yes { 0 } else { 4 }, "{typed:?}: {}", answer.out);
        // Whoever is asked sees what they are asked about.
        says(&answer, &[RULE, "it keeps coming up", "doc:docs/guide.md", AGENT]);
        says(&answer, &[if yes { "norm.one is in force" } else { "not confirmed; nothing was changed" }]);
        assert_eq!(state(&team, &proposal), if yes { "approved" } else { "open" }, "{typed:?}");
        assert_eq!(in_force(&team, "norm.one"), yes, "{typed:?}");
    }
}

/// Who sits at the terminal.
#[test]
fn only_an_approver_who_did_not_ask_may_approve() {
    let team = Team::new();
    let proposal = proposed(&team);
    let approve = ["promote", "approve", &proposal];
    says(&team.terminal("Cy", &approve, &[]).fails_with(4), &["Cy is not one", "approvers: Ada, Bo"]);
    says(
        &team.terminal(AGENT, &approve, &[]).fails_with(4),
        &["requires a person, and you are agent:coder", "Ada, Bo"],
    );
    for name in kenning::environment::HOST_VARIABLES {
        // An agent's host is known by its variables, whatever name it gives itself.
        for me in [("GIT_AUTHOR_NAME", "Bo"), ("KEN_ACTOR", "human:Bo")] {
            let answer = ken_on_terminal(&team.world, &[(name, "1"), me], &approve, &[]).fails_with(4);
            says(
                &answer,
                &["requires a person, and you are agent:", "ask Ada, Bo to run it in their own terminal"],
            );
        }
    }
    let nobody = team.ken_by("Bo", &approve).fails_with(4);
    says(
        &nobody,
        &["a person must confirm in a terminal, and this is not one", "can run it in their own terminal"],
    );
    let piped = team.world.ken_stdin(&approve, "yes\n").fails_with(4);
    says(&piped, &["a person must confirm in a terminal, and this is not one"]);
    assert_eq!(state(&team, &proposal), "open");
    // Case makes no other person, and a person of the same name as an agent is none of it.
    team.approve("bo", &proposal).ok();
    assert!(in_force(&team, "norm.one"));
}

// Pages offered Approve to whoever looked.
#[test]
fn a_list_of_proposals_says_what_whoever_asks_may_not_do() {
    let team = Team::new();
    let asked = proposed(&team);
    team.candidate("norm.two", "Sign every tag.", &[]);
    let propose = ["promote", "propose", "norm.two", "--to", "procedural", "--reason", "twice", "--json"];
    let own = team.ken_by("Bo", &propose).ok().json()["id"].clone();
    let list = |who: &str| team.ken_by(who, &["promote", "list", "--json"]).ok().json();
    for (who, why) in [("Cy", "Cy is not one"), (AGENT, "requires a person, and you are agent:coder")] {
        let told = list(who)["cannot_answer"].clone();
        assert!(told.as_str().is_some_and(|told| told.contains(why)), "{who}: {told}");
    }
    let (ada, bo) = (list("Ada"), list("Bo"));
    assert!(ada["cannot_answer"].is_null() && ada["cannot_approve"].is_null(), "{ada:#}");
    assert!(bo["cannot_answer"].is_null() && bo["cannot_approve"][&asked].is_null(), "{bo:#}");
    let told = bo["cannot_approve"][own.as_str().unwrap()].as_str().unwrap();
    assert!(told.contains("another approver must approve it"), "{told}");
}

#[test]
fn where_nobody_may_approve_the_refusal_says_how_somebody_could() {
    let team = Team::without_approvers();
    let proposal = proposed(&team);
    let approve = ["promote", "approve", &proposal];
    let answer = team.terminal("Bo", &approve, &[]).fails_with(4);
    says(&answer, &["there are none", "ken config 'approvers.Bo' yes"]);
    let agent = team.ken_by(AGENT, &approve).fails_with(4);
    says(&agent, &["requires a person", "ken config approvers.NAME yes"]);
    // An agent does not let itself or others in.
    says(&team.ken_by(AGENT, &["config", "approvers.Cy", "yes"]).fails_with(4), &["requires a person"]);
    says(&team.ken_by(AGENT, &["config", "approvals.solo", "true"]).fails_with(4), &["requires a person"]);
    assert_eq!(state(&team, &proposal), "open");
}

/// An agent that proposes is told who can answer, and how.
#[test]
fn a_proposal_says_who_can_answer() {
    let team = Team::new();
    team.candidate("norm.one", RULE, &[]);
    let args = ["promote", "norm.one", "--to", "procedural", "--reason", "it keeps coming up"];
    let answer = team.ken_by(AGENT, &args).ok();
    says(&answer, &["proposed", "Ada, Bo can answer in a terminal: ken promote approve P-"]);
    // Asking twice is asking once.
    says(&team.ken_by(AGENT, &args).ok(), &["it was already proposed; nothing was written"]);
    says(&team.ken(&["promote", "list"]).ok(), &["open", "procedural", AGENT, "Run the formatter"]);
    team.ken(&["promote", "show", "P-0000000000"]).fails_with(3);
    team.ken(&["promote", "propose", "norm.none", "--to", "procedural", "--reason", "x"]).fails_with(3);
}

#[test]
fn who_asked_does_not_approve_unless_the_team_is_one_person() {
    let team = Team::new();
    team.candidate("norm.one", RULE, &[]);
    let proposal = team.proposal_by("Bo", "norm.one", &[]);
    let answer = team.approve("Bo", &proposal).fails_with(4);
    says(&answer, &["Bo proposed it, so another approver must approve it", "approvals.solo"]);
    assert_eq!(state(&team, &proposal), "open");
    team.settle("approvals.solo", "true");
    says(&team.approve("Bo", &proposal).ok(), &["solo: the same person proposed and approved it"]);
    // Every result says so.
    let solo = |args: &[&str]| says(&team.ken(args).ok(), &["solo"]);
    solo(&["promote", "list", "--all"]);
    solo(&["promote", "show", &proposal]);
    solo(&["show", "norm.one"]);
    solo(&["list"]);
    solo(&["why", "norm.one"]);
    solo(&["search", "formatter", "commit"]);
    solo(&["gate"]);
    team.commit("chore: a norm");
    team.world.write("src/a.rs", "fn a() {}\n");
    team.commit("feat: a");
    says(
        &team.ken(&["gate", "--diff", "HEAD~1..HEAD"]).ok(),
        &["norm.one (advisory, approved solo)", "approvals.solo"],
    );
    for args in
        [&["show", "norm.one"][..], &["list"], &["search", "formatter"], &["promote", "show", &proposal]]
    {
        let json = team.ken(&[args, &["--json"]].concat()).ok().out;
        assert!(json.contains("solo"), "{args:?}: {json}");
    }
    // What was one person's yes counts for nothing once the team says that it takes two.
    team.settle("approvals.solo", "false");
    says(&team.ken(&["gate"]).fails_with(1), &["directional flow violation", "Bo proposed it"]);
}

/// GAT-2: a norm that an approver states at a terminal is accepted in the same step.
#[test]
fn an_approver_accepts_what_they_state() {
    let add = ["add", "commit_norm", RULE, "--id", "norm.one", "--evidence", "doc:docs/guide.md"];
    for (typed, code, yes) in [
        ("yes\n", 0, true),
        ("Yes\n", 0, true),
        ("\n", 0, false),
        ("no\n", 0, false),
        (CTRL_D, 0, false),
        // A word that once answered another question is a slip here, and says so.
        ("y\n", 4, false),
        ("approve\n", 4, false),
        ("accept\n", 4, false),
    ] {
        let team = Team::new();
        let answer = team.terminal("Ada", &add, &[("You are an approver. Type `yes`", typed)]);
        assert_eq!(answer.code, code, "{typed:?}: {}", answer.out);
        says(
            &answer,
            &[if yes { "norm.one is in force" } else { "norm.one stays a candidate and blocks nothing" }],
        );
        let shown = team.ken(&["show", "norm.one", "--json"]).ok().json();
        assert_eq!(shown["status"], if yes { "active" } else { "candidate" }, "{typed:?}");
        assert_eq!(in_force(&team, "norm.one"), yes, "{typed:?}");
    }
    // To state a norm and to accept it is one act, not two by one person.
    let stated = Team::new();
    stated.norm("norm.one", RULE, &[]);
    for args in
        [&["show", "norm.one"][..], &["promote", "list", "--all"], &["list"], &["gate", "--diff", "HEAD"]]
    {
        let said = stated.ken(args).ok().out;
        assert!(!said.contains("solo"), "{args:?}: {said}");
    }
    says(&stated.ken(&["show", "norm.one"]).ok(), &["in force: stated and accepted by Ada"]);
    // Nobody else is asked.
    let team = Team::new();
    for who in ["Cy", AGENT] {
        let answer = team.terminal(who, &add, &[]).ok();
        assert!(!answer.out.contains("Type `yes`"), "{}", answer.out);
    }
    let hosted = Team::new();
    let agent = [("CLAUDECODE", "1"), ("KEN_ACTOR", "human:Ada")];
    let answer = ken_on_terminal(&hosted.world, &agent, &add, &[]).ok();
    assert!(!answer.out.contains("Type `yes`"), "{}", answer.out);
    assert!(!in_force(&hosted, "norm.one"));
    // Without a terminal it is a candidate, and the answer says what to do.
    let piped = Team::new();
    says(&piped.ken(&add).ok(), &["it blocks nothing until an approver accepts it"]);
    assert!(!in_force(&piped, "norm.one"));
}

#[test]
fn what_contradicts_a_norm_in_force_is_not_accepted_and_stays_a_candidate() {
    let team = Team::new();
    team.norm("norm.tabs", "Use tabs for indentation.", &[]);
    let add =
        ["add", "commit_norm", "Use spaces for indentation.", "--id", "norm.spaces", "--evidence", "pr:2"];
    let answer = team.terminal("Ada", &add, &[("Type `yes`", "yes\n")]).ok();
    says(
        &answer,
        &[
            "it contradicts norm.tabs, which is in force, so it cannot be approved",
            "norm.spaces stays a candidate: the gate knowledge.contradictions blocks this promotion",
        ],
    );
    assert!(!in_force(&team, "norm.spaces"));
    team.ken(&["retract", "norm.tabs", "--reason", "we changed our minds"]).ok();
    let proposal = team.proposal("norm.spaces", &[]);
    team.approve("Bo", &proposal).ok();
    assert!(in_force(&team, "norm.spaces"));
}

#[test]
fn an_answer_is_given_once() {
    let team = Team::new();
    let proposal = proposed(&team);
    team.approve("Bo", &proposal).ok();
    says(&team.approve("Ada", &proposal).fails_with(4), &["was already approved by Bo"]);
    let reject = |who: &str, proposal: &str, reason: &str| {
        team.ken_by(who, &["promote", "reject", proposal, "--reason", reason])
    };
    says(&reject("Ada", &proposal, "no").fails_with(4), &["was already approved by Bo"]);
    let other = team.candidate("norm.two", "Sign every tag.", &[]);
    let second = team.proposal(&other, &[]);
    says(&reject("Cy", &second, "no").fails_with(4), &["Cy is not one"]);
    says(&reject(AGENT, &second, "no").fails_with(4), &["requires a person"]);
    says(&reject("Ada", &second, " ").fails_with(2), &["a rejection needs a reason"]);
    reject("Ada", &second, "nobody can keep it").ok();
    assert_eq!(state(&team, &second), "rejected");
    says(&team.ken(&["promote", "show", &second]).ok(), &["rejected", "by human:Ada", "nobody can keep it"]);
    says(&team.approve("Bo", &second).fails_with(4), &["was already rejected by Ada", "propose it again"]);
    says(&team.ken(&["promote", "list"]).ok(), &["there are no open proposals"]);
    assert!(!in_force(&team, "norm.two"));
    // With what is new it is another proposal.
    let third = team.proposal(&other, &["--evidence", "pr:9"]);
    team.approve("Bo", &third).ok();
    assert!(in_force(&team, "norm.two"));
}

#[test]
fn what_was_taken_back_meanwhile_is_not_approved() {
    let team = Team::new();
    let proposal = proposed(&team);
    team.ken(&["retract", "norm.one", "--reason", "wrong"]).ok();
    says(
        &team.approve("Bo", &proposal).fails_with(4),
        &["directional flow violation", "which no longer exists"],
    );
    let lesson = team.lesson("Reviews stall without a description.");
    let words = ["--statement", "Describe every pull request.", "--type", "pr_expectation"];
    let second = team.proposal(&lesson, &words);
    team.ken(&["retract", &lesson, "--reason", "wrong"]).ok();
    says(&team.approve("Bo", &second).fails_with(4), &["directional flow violation"]);
    team.ken(&["restore", &lesson, "--reason", "it was right"]).ok();
    says(&team.approve("Bo", &second).ok(), &["is in force"]);
}

/// The whole way of a record: noted, proposed, approved, and tied to where it came from.
#[test]
fn a_record_becomes_a_norm_with_its_sources() {
    let team = Team::new();
    let one = team.note("The nightly build fails when the disk is full.");
    let two = team.note("The disk was full again.");
    let refused = team.ken_by(
        AGENT,
        &["promote", "propose", &one, &two, "--to", "procedural", "--evidence", "pr:4", "--reason", "twice"],
    );
    says(&refused.fails_with(2), &["several sources need a common statement"]);
    let words = [
        &two,
        "--statement",
        "Check the disk before the nightly build.",
        "--type",
        "user_expectation",
        "--id",
        "norm.disk",
    ];
    let proposal = team.proposal(&one, &words);
    let answer = team.approve("Bo", &proposal).ok();
    says(&answer, &["norm.disk is in force", &one, &two]);
    let shown = team.ken(&["show", "norm.disk", "--json"]).ok().json();
    let links = shown["links"].to_string();
    assert!(links.contains("derived_from"), "{shown:#}");
    assert_eq!(shown["memory"], "procedural", "{shown:#}");
    says(&team.ken(&["why", "norm.disk"]).ok(), &["approved by Bo"]);
    team.ken(&["commit", "--no-commit"]).ok();
    assert!(in_force(&team, "norm.disk"));
    team.gate(&[]).ok();
}

/// GAT-2: what has no artifact does not flow, in Decapod's words or ours.
#[test]
fn everything_at_once_is_refused() {
    let team = Team::new();
    for from in ["episodic/friction", "episodic", "semantic/lesson"] {
        for verb in [&["promote"][..], &["knowledge", "promote"]] {
            let args = [verb, &["--from", from, "--to", "procedural"]].concat();
            says(
                &team.ken(&args).fails_with(4),
                &["directional flow violation", "ken promote propose ID --to procedural"],
            );
        }
    }
    says(
        &team.ken(&["promote", "--from", "episodic/friction", "--to", "semantic"]).fails_with(4),
        &["directional flow violation"],
    );
}

/// A norm that people agreed on is moved by nobody else, whatever the verb.
#[test]
fn nobody_else_takes_a_norm_out_of_force() {
    let team = Team::new();
    team.norm("norm.one", RULE, &[]);
    for who in ["Cy", AGENT] {
        for args in [
            &["retract", "norm.one", "--reason", "x"][..],
            &["archive", "norm.one", "--reason", "x"],
            &["supersede", "norm.one", "--rule", "Do as you like.", "--evidence", "pr:5", "--reason", "x"],
            &["undo"],
        ] {
            let answer = team.ken_by(who, args);
            assert_ne!(answer.code, 0, "{who} {args:?}: {}", answer.out);
        }
    }
    assert!(in_force(&team, "norm.one"));
    // What an approver took out of force comes back by an approver alone.
    team.ken(&["retract", "norm.one", "--reason", "over"]).ok();
    for who in ["Cy", AGENT] {
        for args in [&["restore", "norm.one", "--reason", "x"][..], &["undo"]] {
            let answer = team.ken_by(who, args);
            assert_ne!(answer.code, 0, "{who} {args:?}: {}", answer.out);
        }
    }
    assert!(!in_force(&team, "norm.one"));
    // Nor by who was one, or by an agent in the name of one, saying the opposite of what was said last.
    let hosted =
        ken_on_terminal(&team.world, &[("CLAUDECODE", "1"), ("KEN_ACTOR", "human:Ada")], &["undo"], &[]);
    says(&hosted.fails_with(4), &["was approved by Ada; only an approver can move it"]);
    team.ken(&["restore", "norm.one", "--reason", "not over"]).ok();
    assert!(in_force(&team, "norm.one"));
}

mod with_norms {
    use super::*;

    fn repository() -> World {
        let mut world = World::repository();
        world.env.push(("KEN_NO_MODEL".to_owned(), "1".to_owned()));
        world
    }

    fn statuses(world: &World) -> Vec<(String, String)> {
        let listed = world.ken("list --json").ok().json();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        listed["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| (text(&one["id"]), text(&one["status"])))
            .collect()
    }

    const OFFER: &str = "[y] accept  [n] skip  [q] quit: ";

    #[test]
    fn examples_are_offered_one_by_one() {
        let world = repository();
        let talk = [
            ("Type `yes` to become one as Ada", "yes\n"),
            (OFFER, "y\n"),
            (OFFER, "n\n"),
            (OFFER, "y\n"),
            (OFFER, "q\n"),
        ];
        let answer = ken_on_terminal(&world, &[], &["init", "--with-norms"], &talk).ok();
        says(
            &answer,
            &[
                "approvers.Ada = yes",
                "Norms you accept are in force at once.",
                "is in force",
                "2 norms accepted",
            ],
        );
        let found = statuses(&world);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.iter().all(|(_, status)| status == "active"), "{found:?}");
        world.git("add -A");
        world.git("commit -q -m store");
        let seen = world.ken("gate --json --diff HEAD..HEAD").ok().json();
        assert_eq!(seen["norms"].as_array().unwrap().len(), 2, "{seen:#}");
    }

    #[test]
    fn who_does_not_become_an_approver_gets_candidates() {
        let world = repository();
        let talk = [("Type `yes` to become one", "\n"), (OFFER, "y\n"), (OFFER, "q\n")];
        let answer = ken_on_terminal(&world, &[], &["init", "--with-norms"], &talk).ok();
        says(&answer, &["You are not an approver", "is a candidate", "1 norm accepted"]);
        assert_eq!(statuses(&world)[0].1, "candidate");
    }

    #[test]
    fn input_that_ends_accepts_nothing() {
        let world = repository();
        let talk = [("Type `yes` to become one", CTRL_D), (OFFER, CTRL_D)];
        let answer = ken_on_terminal(&world, &[], &["init", "--with-norms"], &talk).ok();
        says(&answer, &["0 norms accepted"]);
        assert_eq!(statuses(&world), []);
    }

    #[test]
    fn what_is_no_answer_is_asked_again() {
        let world = repository();
        let talk = [
            ("Type `yes` to become one as Ada", "yes\n"),
            (OFFER, "\n"),
            ("Type y, n or q: ", "maybe\n"),
            ("Unknown answer \"maybe\". Type y, n or q: ", "Y\n"),
            (OFFER, "q\n"),
        ];
        let answer = ken_on_terminal(&world, &[], &["init", "--with-norms"], &talk).ok();
        says(
            &answer,
            &[
                "approvers.Ada = yes",
                "checked: commit subjects follow",
                "norm.commit.conventional is in force",
                "1 norm accepted",
            ],
        );
        assert!(!answer.out.contains("{\""), "no JSON is shown: {}", answer.out);
    }

    #[test]
    fn what_is_there_already_is_named_and_not_offered_again() {
        let world = repository();
        let first = [("Type `yes` to become", "yes\n"), (OFFER, "y\n"), (OFFER, "q\n")];
        ken_on_terminal(&world, &[], &["init", "--with-norms"], &first).ok();
        let rule = kenning::templates::templates()[1].rule.replace("Give each", "give EACH");
        let same = ["add", "commit_norm", &rule, "--id", "norm.ours", "--evidence", "pr:1"];
        world.ken_args(&same).ok();
        let answer = ken_on_terminal(&world, &[], &["init", "--with-norms"], &[(OFFER, "q\n")]).ok();
        says(
            &answer,
            &[
                "Conventional subjects already exists: norm.commit.conventional (active)",
                "One purpose to a commit already exists: norm.ours (candidate)",
                "8 example norms follow.",
                "1/8 No keys in files",
                "0 norms accepted",
            ],
        );
    }

    /// The commands that a screen ends with.
    fn next(screen: &str) -> Vec<String> {
        let (_, end) = screen.rsplit_once("accepted\n").unwrap();
        end.lines().filter_map(|line| line.strip_prefix("  ken ")).map(str::to_owned).collect()
    }

    /// A command of a screen, as a shell reads it.
    fn pasted(world: &World, command: &str) -> Answer {
        let shell = ["-c".to_owned(), format!("\"$0\" {command}"), World::binary().display().to_string()];
        world.command("sh").args(shell).output().unwrap().into()
    }

    #[test]
    fn what_is_said_to_do_next_can_be_done() {
        // Where nobody ever committed anything.
        let unborn = || {
            let mut world = World::bare();
            world.git("init -q -b main");
            world.git("config user.name Ada");
            world.git("config user.email ada@example.org");
            world.env.push(("KEN_NO_MODEL".to_owned(), "1".to_owned()));
            world
        };
        for (answer, expected) in [
            ("yes\n", &["commit", "gate"][..]),
            (
                "\n",
                &[
                    "promote norm.commit.conventional --to procedural --reason 'we agreed on it'",
                    "promote list",
                    "commit",
                    "gate",
                ],
            ),
        ] {
            for world in [unborn(), repository()] {
                let talk = [("Type `yes` to become", answer), (OFFER, "y\n"), (OFFER, "q\n")];
                let screen = ken_on_terminal(&world, &[], &["init", "--with-norms"], &talk).ok();
                let next = next(&screen.out);
                assert_eq!(next, expected);
                for command in next {
                    pasted(&world, &command).ok();
                }
            }
        }
        let world = repository();
        let talk = [("Type `yes` to become", "yes\n"), (OFFER, "y\n"), (OFFER, "q\n")];
        let screen = ken_on_terminal(&world, &[], &["init", "--private", "--with-norms"], &talk).ok();
        assert_eq!(next(&screen.out), ["gate"]);
        world.ken("gate").ok();
    }

    #[test]
    fn an_agent_accepts_nothing_for_anybody() {
        for env in [&[("CLAUDECODE", "1")][..], &[("CLAUDECODE", "1"), ("KEN_ACTOR", "human:Ada")]] {
            let world = repository();
            let answer = ken_on_terminal(&world, env, &["init", "--with-norms"], &[]).fails_with(4);
            says(&answer, &["accepting example norms requires a person, and you are agent:claude-code"]);
            assert!(!world.path().join(".kenning").exists());
        }
        let nobody = repository();
        says(&nobody.ken("init --with-norms").fails_with(4), &["in a terminal, and this is not one"]);
        assert!(!nobody.path().join(".kenning").exists());
    }
}

/// Every file below a folder with its bytes, whatever git and the index do beside it.
fn ledger_files(folder: &std::path::Path) -> std::collections::BTreeMap<std::path::PathBuf, Vec<u8>> {
    let mut files = std::collections::BTreeMap::new();
    let mut pending = vec![folder.join(".kenning")];
    while let Some(folder) = pending.pop() {
        for item in std::fs::read_dir(&folder).into_iter().flatten() {
            let path = item.unwrap().path();
            if path.is_dir() {
                pending.push(path)
            } else {
                drop(files.insert(path.clone(), std::fs::read(path).unwrap()))
            }
        }
    }
    files
}

// A promotion asks others for something or reaches every project: whoever wants to know what it does should not have to do it.
#[test]
fn a_dry_run_says_what_a_promotion_would_do_and_writes_nothing() {
    let team = Team::new();
    team.candidate("norm.one", RULE, &[]);
    let before = ledger_files(&team.world.path());
    let asked = ["promote", "norm.one", "--to", "procedural", "--reason", "it keeps coming up"];
    let dry: Vec<&str> = asked.iter().copied().chain(["--dry-run"]).collect();
    let answer = team.ken(&dry).ok();
    says(&answer, &["norm.one to procedural, dry run: nothing was written", "would propose it as P-"]);
    assert_eq!(ledger_files(&team.world.path()), before);
    assert_eq!(team.ken(&["promote", "list", "--json"]).ok().json()["items"], serde_json::json!([]));
    let named = team.ken(&[&dry[..], &["--json"]].concat()).ok().json();
    assert_eq!((&named["dry_run"], &named["to"]), (&Value::from(true), &Value::from("procedural")));
    // What is refused is refused by a dry run, too.
    let unknown = ["promote", "norm.two", "--to", "procedural", "--reason", "because", "--dry-run"];
    assert_ne!(team.ken(&unknown).code, 0);
    let proposed = team.ken(&[&asked[..], &["--json"]].concat()).ok().json();
    assert!(
        named["steps"][0].as_str().unwrap().contains(proposed["id"].as_str().unwrap()),
        "{named} {proposed}"
    );
    says(&team.ken(&dry).ok(), &["would write nothing: ", "already proposes it"]);
}
