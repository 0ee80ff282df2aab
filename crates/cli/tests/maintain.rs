//! `maintain`, `merge` and `unmerge` through the binary: what services do, that twice is once, and every way back (UPK-1, UPK-2, UPK-8).

use serde_json::{Value, json};

use crate::judging::{allow, judging, judging_in_turn};
use crate::pty::ken_on_terminal;
use crate::world::{Answer, World};

fn line(id: &str, statement: &str) -> String {
    let entry = json!({
        "type": "lesson", "id": id, "statement": statement, "provenance": ["pr:1"], "anchors": ["src/net.rs"],
        "verification": ["look"], "domains": [id],
    });
    format!("{entry}\n")
}

/// Three lessons that say the same, one that may, and some that differ in a number.
fn world() -> World {
    let world = World::with_store();
    world.write("src/net.rs", "fn net() {}\n");
    let mut lines = line("jitter", "Use exponential backoff with jitter for retries.");
    lines += &line("the", "Use exponential backoff with jitter for the retries.");
    lines += &line("all", "Use exponential backoff with jitter for all retries.");
    lines += &line("backoff", "For retries, use exponential backoff with jitter.");
    for at in 0..8 {
        lines +=
            &line(&format!("room{at}"), &format!("Shard {at} of the archive is kept in room {}.", at * 7));
    }
    world.ken_stdin(&["add", "--file", "-"], &lines).ok();
    world.ken("rebuild --embeddings").ok();
    world
}

fn at(world: &World, now: &str, words: &str) -> Answer {
    with(world, ("KEN_NOW", now), words)
}

fn with(world: &World, (name, value): (&str, &str), words: &str) -> Answer {
    let mut command = world.command(World::binary().to_str().unwrap());
    command.env(name, value).args(words.split_whitespace());
    world.answered(command, None)
}

fn status(world: &World, id: &str) -> String {
    world.ken(&format!("show {id} --json")).ok().json()["status"].as_str().unwrap().to_owned()
}

fn service(answer: &Value, name: &str) -> Value {
    let services = answer["services"].as_array().unwrap();
    services.iter().find(|one| one["service"] == name).unwrap_or_else(|| panic!("{answer:#}")).clone()
}

fn length(value: &Value) -> usize {
    value.as_array().map_or(0, Vec::len)
}

#[test]
fn dedup_merges_what_is_the_same_once_and_one_undo_takes_it_back() {
    let world = world();
    let before = world.ken("list --json --all").ok().json();
    let dry = world.ken("maintain dedup --dry-run --json").ok().json();
    assert_eq!((&dry["written"], &dry["services"][0]["outcome"]), (&json!(0), &json!("dry_run")));
    assert_eq!(world.ken("list --json --all").ok().json(), before, "a dry run writes nothing");
    let ran = world.ken("maintain service:consolidation:dedup --json").ok().json();
    assert_eq!((&ran["written"], length(&ran["services"][0]["changes"])), (&json!(2), 2), "{ran:#}");
    let kept = world.ken("show jitter --json").ok().json();
    assert_eq!(kept["merged_from"], json!(["all", "the"]));
    assert_eq!(kept["domains"], json!(["all", "jitter", "the"]));
    let merged = world.ken("show the --json").ok().json();
    assert_eq!((&merged["status"], &merged["merged_into"]), (&json!("superseded"), &json!("jitter")));
    assert!(!world.ken("search retries --json").ok().out.contains("\"the\""), "one of them is handed out");
    // The fourth may say the same: it waits for a judge, and is not asked about again once that was answered.
    let queue = world.ken("queue --json").ok().json();
    assert_eq!(queue["items"][0]["item"], "same backoff jitter", "{queue:#}");
    let again = world.ken("maintain dedup --json").ok().json();
    assert_eq!(again["written"], 0, "twice is once");
    world
        .ken_args(&["queue", "--item", "same backoff jitter", "--answer", "different", "--reason", "no"])
        .ok();
    let after = world.ken("maintain dedup --json").ok().json();
    assert_eq!((&after["written"], length(&after["services"][0]["left"])), (&json!(0), 0), "{after:#}");
    assert_eq!(length(&world.ken("queue --json").ok().json()["items"]), 0);
    world.ken("rebuild").ok();
    assert_eq!(world.ken("show jitter --json").ok().json()["merged_from"], kept["merged_from"]);
    world.ken("verify").ok();
}

#[test]
fn an_undo_takes_back_everything_a_service_did_and_the_pairs_stay_apart() {
    let world = world();
    world.ken("maintain dedup").ok();
    assert_eq!((status(&world, "the"), status(&world, "all")), ("superseded".into(), "superseded".into()));
    world.ken("undo").ok();
    assert_eq!((status(&world, "the"), status(&world, "all")), ("candidate".into(), "candidate".into()));
    let again = world.ken("maintain dedup --json").ok().json();
    let changes = service(&again, "dedup")["changes"].to_string();
    assert!(!changes.contains("\"jitter\""), "nobody asks again: {changes}");
}

#[test]
fn what_is_said_of_a_merged_id_counts_for_the_kept_entry_and_an_unmerge_lists_it() {
    let world = world();
    world.ken("maintain dedup").ok();
    world.ken("feedback the --helpful").ok();
    let kept = world.ken("show jitter --json").ok().json();
    assert_eq!((&kept["status"], &kept["belief"]["alpha"]), (&json!("active"), &json!(6.0)));
    let apart = world.ken("merge --undo the --json").ok().json();
    assert_eq!((length(&apart["since"]), &apart["kept"]["id"]), (1, &json!("jitter")));
    let (kept, merged) =
        (world.ken("show jitter --json").ok().json(), world.ken("show the --json").ok().json());
    assert_eq!((&kept["belief"]["alpha"], &merged["belief"]["alpha"]), (&json!(6.0), &json!(5.0)));
    assert_eq!((&merged["status"], kept["merged_from"].clone()), (&json!("candidate"), json!(["all"])));
}

#[test]
fn stale_sweep_puts_away_what_nobody_used_and_there_are_four_ways_back() {
    let world = world();
    let later = "2027-08-01T00:00:00Z";
    let first = at(&world, later, "maintain stale_sweep --json").ok().json();
    assert_eq!(first["written"], 0, "the code is as they say: {first:#}");
    world.write("src/net.rs", "fn other() {}\n");
    let swept = at(&world, later, "maintain stale_sweep --json").ok().json();
    assert_eq!(swept["written"], 12, "{swept:#}");
    assert_eq!(status(&world, "room1"), "stale");
    assert_eq!(length(&world.ken("list --json").ok().json()["items"]), 0);
    assert!(world.ken("list --all --json").ok().out.contains("room1"), "visible to who asks for it");
    assert_eq!(at(&world, later, "maintain stale_sweep --json").ok().json()["written"], 0, "twice is once");
    at(&world, later, "feedback room1 --helpful").ok();
    at(&world, later, "restore room2").ok();
    assert_eq!((status(&world, "room1"), status(&world, "room2")), ("active".into(), "candidate".into()));
    assert_eq!(
        at(&world, later, "maintain stale_sweep --json").ok().json()["written"],
        0,
        "they have 90 days"
    );
    // What holds again comes back by itself; all of it is one step.
    world.write("src/net.rs", "fn net() {}\n");
    let back = at(&world, later, "maintain stale_sweep --json").ok().json();
    assert_eq!((&back["written"], status(&world, "room3")), (&json!(10), "candidate".into()), "{back:#}");
    at(&world, later, "undo").ok();
    assert_eq!(status(&world, "room3"), "stale");
    world.ken("verify").ok();
}

#[test]
fn without_a_name_nothing_runs_unless_the_policy_says_so() {
    let world = world();
    let proposed = world.ken("maintain --json").ok().json();
    assert_eq!((&proposed["level"], &proposed["written"]), (&json!("suggest"), &json!(0)));
    assert_eq!(service(&proposed, "dedup")["outcome"], "proposed");
    assert!(length(&service(&proposed, "dedup")["changes"]) > 0);
    assert_eq!(
        service(&world.ken("maintain --json").ok().json(), "dedup")["outcome"],
        "proposed",
        "it still waits"
    );
    let services: Vec<Value> = proposed["services"].as_array().unwrap().clone();
    assert!(services.iter().all(|one| one["service"] != "confidence_reset"), "it never runs by itself");
    let agent = ("KEN_ACTOR", "agent:alpha");
    with(&world, agent, "maintain confidence_reset").fails_with(4);
    with(&world, agent, "config maintain.level autonomous").fails_with(4);
    world.ken("maintain polish").fails_with(2);
    world.write(".kenning/config.toml", "[maintain]\nlevel = \"auto_notify\"\nauto = \"merge\"\n");
    let ran = world.ken("maintain --json").ok().json();
    assert_eq!((&ran["written"], &service(&ran, "dedup")["outcome"]), (&json!(2), &json!("ran")), "{ran:#}");
    assert_eq!(service(&ran, "stale_sweep")["outcome"], "proposed");
    let again = world.ken("maintain --json").ok().json();
    assert_eq!((&again["written"], &service(&again, "dedup")["outcome"]), (&json!(0), &json!("not_due")));
    world.write(".kenning/config.toml", "[maintain]\nlevel = \"autonomous\"\nruns_max = 1\n");
    world.ken("undo").ok();
    let bounded = world.ken("maintain --json").ok().json();
    assert_eq!(
        service(&bounded, "stale_sweep")["outcome"],
        "refused",
        "the day's runs are used up: {bounded:#}"
    );
    assert!(bounded["notes"].to_string().contains("maintain.runs_max"), "{bounded:#}");
}

#[test]
fn a_session_that_begins_runs_what_a_person_allowed_and_a_person_takes_it_back() {
    let mut world = world();
    world.env.retain(|(name, _)| name != "KEN_BACKGROUND");
    let begin = |world: &World| {
        let said = json!({"session_id": "s1", "hook_event_name": "SessionStart", "source": "startup", "cwd": world.path()});
        world.ken_stdin(&["hook", "session-start", "--host", "claude-code"], &said.to_string()).ok();
    };
    begin(&world);
    world.write(".kenning/config.toml", "[maintain]\nlevel = \"auto_notify\"\nauto = \"merge\"\n");
    assert_eq!(status(&world, "the"), "candidate", "nothing ran that nobody allowed");
    begin(&world);
    // Nobody waits for it: it is done soon after.
    let begun = std::time::Instant::now();
    while status(&world, "all") != "superseded" && begun.elapsed().as_secs() < 60 {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert_eq!((status(&world, "the"), status(&world, "all")), ("superseded".into(), "superseded".into()));
    let log = world.ken("log the").ok().out;
    assert!(log.contains("agent:maintain"), "{log}");
    with(&world, ("KEN_ACTOR", "agent:alpha"), "undo --by agent:maintain").fails_with(4);
    let undone =
        ken_on_terminal(&world, &[], &["undo", "--by", "agent:maintain"], &[("Type `yes`", "yes\n")]);
    assert_eq!(undone.code, 0, "{}", undone.out);
    assert_eq!((status(&world, "the"), status(&world, "all")), ("candidate".into(), "candidate".into()));
    let events = world.ken("events --json").ok().out;
    assert!(events.contains("dedup undone: 2 changes"), "{events}");
}

#[test]
fn a_contradiction_waits_in_the_queue_until_somebody_says_that_both_hold() {
    let world = World::with_store();
    let (one, other) = (world.lesson("Retry every call."), world.lesson("Fail fast, and never retry."));
    world.ken_args(&["link", &one, "contradicts", &other]).ok();
    let found = world.ken("maintain contradiction --json").ok().json();
    assert_eq!(
        (&found["written"], length(&service(&found, "contradiction")["left"])),
        (&json!(0), 1),
        "{found:#}"
    );
    let queue = world.ken("queue --json").ok().json();
    let items: Vec<&Value> = queue["items"].as_array().unwrap().iter().collect();
    let item = items.iter().find(|item| item["item"].as_str().unwrap().starts_with("opposed ")).unwrap();
    assert_eq!(item["answers"], json!(["both_hold"]));
    let name = item["item"].as_str().unwrap();
    let answer =
        ["queue", "--item", name, "--answer", "both_hold", "--reason", "one is for reads, one for writes"];
    world.ken_args(&answer).ok();
    assert!(!world.ken("queue --json").ok().out.contains("opposed "), "a recorded resolution ends it");
    let after = world.ken("maintain contradiction --json").ok().json();
    assert_eq!(length(&service(&after, "contradiction")["left"]), 0, "{after:#}");
    assert!(!world.ken("brief --json").ok().out.contains("contradictory"));
    for id in [&one, &other] {
        assert_eq!(status(&world, id), "candidate", "it changes no status and hides neither");
    }
    assert!(world.ken_args(&["log", &one]).ok().out.contains("both hold"));
}

// What came by git, or was added without a model, has no vectors when services look at it first.
#[test]
fn dedup_makes_the_vectors_that_it_needs() {
    let world = World::with_store();
    world.write("src/net.rs", "fn net() {}\n");
    let lines = line("jitter", "Use exponential backoff with jitter for retries.")
        + &line("the", "Use exponential backoff with jitter for the retries.");
    world.ken_stdin(&["--no-model", "add", "--file", "-"], &lines).ok();
    let ran = world.ken("maintain dedup --json").ok().json();
    assert_eq!(length(&service(&ran, "dedup")["changes"]), 1, "{ran:#}");
    assert_eq!(status(&world, "the"), "superseded");
    // It was only said what would be done, and what is said to do next does it.
    world.ken("undo").ok();
    let dry = world.ken("maintain stale_sweep --dry-run --json").ok().json();
    assert_eq!(length(&service(&dry, "stale_sweep")["changes"]), 0);
}

#[test]
fn what_decides_about_the_whole_store_is_set_by_a_person_who_is_asked() {
    let world = World::with_store();
    for (key, value) in
        [("judge.kind", "openai"), ("judge.url", "https://example.org/v1"), ("maintain.level", "autonomous")]
    {
        let mut script = world.command(World::binary().to_str().unwrap());
        let refused: Answer = script.args(["config", key, value]).output().unwrap().into();
        assert!(refused.fails_with(4).err.contains(key));
        ken_on_terminal(&world, &[], &["config", key, value], &[("Type `yes`", "no\n")]).fails_with(4);
    }
    let slip = world.ken_args(&["config", "maintain.auto", "merge,stalenes"]).fails_with(2);
    assert!(slip.err.contains("stalenes") && slip.err.contains("staleness"), "{}", slip.err);
    // Nor does anybody settle what nobody asked, or merge what does not say the same.
    let (one, other) = (world.lesson("Retry every call with jitter."), world.lesson("Close cursors first."));
    let item = format!("opposed {one} {other}");
    world.ken_args(&["queue", "--item", &item, "--answer", "both_hold", "--reason", "x"]).fails_with(2);
    with(&world, ("KEN_ACTOR", "agent:alpha"), &format!("merge {one} {other} --reason same")).fails_with(4);
}

fn related(relation: &str) -> Value {
    json!({ "relation": relation, "reason": "Both ask for backoff with jitter." })
}

#[test]
fn a_judge_that_a_person_allowed_decides_what_rules_cannot_and_its_cost_is_recorded() {
    let (world, (url, asked)) = (world(), judging(related("same")));
    allow(&world, &url, &[]);
    let dry = world.ken("maintain dedup --dry-run --json").ok().json();
    assert!(dry["judge"].is_null() && asked.try_recv().is_err(), "who only looks sends nothing: {dry:#}");
    let ran = world.ken("maintain dedup --json").ok().json();
    assert_eq!((&ran["judge"]["calls"], &ran["judge"]["tokens"]), (&json!(1), &json!(1_100)), "{ran:#}");
    // 1,000 tokens at 100 cents a million, and 100 at 400.
    assert_eq!(ran["judge"]["cents"], 0.14);
    assert_eq!(
        (status(&world, "backoff"), length(&world.ken("queue --json").ok().json()["items"])),
        ("superseded".into(), 0)
    );
    let prompt = asked.recv().unwrap();
    assert_eq!(prompt["model"], "small");
    assert!(prompt["messages"][1]["content"].as_str().unwrap().contains("For retries"), "{prompt:#}");
    let why = world.ken("log backoff --json").ok().out;
    assert!(why.contains("judged same: Both ask for backoff with jitter."), "{why}");
    let log = world.ken("events --json").ok().out;
    assert!(log.contains("run.serviced") && log.contains("openai:small@127.0.0.1"), "{log}");
    // One step takes back what rules and the judge did.
    world.ken("undo").ok();
    assert_eq!((status(&world, "backoff"), status(&world, "the")), ("candidate".into(), "candidate".into()));
    world.ken("verify").ok();
}

#[test]
fn what_a_judge_calls_unrelated_is_never_asked_again() {
    let (world, (url, asked)) = (world(), judging(related("unrelated")));
    allow(&world, &url, &[]);
    world.ken("maintain dedup").ok();
    assert_eq!(asked.try_iter().count(), 1);
    assert_eq!(
        (status(&world, "backoff"), length(&world.ken("queue --json").ok().json()["items"])),
        ("candidate".into(), 0)
    );
    let again = world.ken("maintain dedup --json").ok().json();
    assert!(again["judge"].is_null() && asked.try_recv().is_err(), "{again:#}");
}

/// A second pair for a judge.
fn with_two_pairs() -> World {
    let world = world();
    let lines = line("after", "Close the connection after each test.")
        + &line("every", "After every test, close the connection.");
    world.ken_stdin(&["add", "--file", "-"], &lines).ok();
    world.ken("rebuild --embeddings").ok();
    world
}

// One pair that the judge refused, or answered with garbage, ended the questions of every run: it was asked first again and again.
#[test]
fn a_pair_without_a_usable_answer_is_skipped_and_asked_last_the_next_time() {
    let (url, asked) =
        judging_in_turn(vec!["I would rather not.".to_owned(), related("unrelated").to_string()]);
    let world = with_two_pairs();
    allow(&world, &url, &[]);
    let pair = || asked.recv().unwrap()["messages"][1]["content"].as_str().unwrap().to_owned();
    let first = world.ken("maintain dedup --budget 1 --json").ok().json();
    assert!(first["notes"].to_string().contains("no usable answer"), "{first:#}");
    let refused = pair();
    world.ken("maintain dedup --budget 1 --json").ok();
    let other = pair();
    assert_ne!(other, refused, "another pair comes first");
    let last = world.ken("maintain dedup --json").ok().json();
    assert_eq!((pair(), &last["judge"]["calls"]), (refused, &json!(1)), "{last:#}");
    assert!(!last["notes"].to_string().contains("usable"), "{last:#}");
    // Three in a row are enough: then it is the judge.
    let (url, asked) = judging_in_turn(vec!["no".to_owned()]);
    let world = with_two_pairs();
    allow(&world, &url, &[]);
    let both = world.ken("maintain dedup --json").ok().json();
    assert_eq!(
        (asked.try_iter().count(), &both["judge"]["calls"]),
        (2, &json!(2)),
        "one does not end the rest: {both:#}"
    );
}

// One pair over which the judge's server hung up ended the questions of every run.
#[test]
fn a_pair_over_which_the_judge_hangs_up_does_not_end_the_rest() {
    // A call that failed in passing is made three times more.
    let mut answers = vec![String::new(); 4];
    answers.push(related("unrelated").to_string());
    let (url, asked) = judging_in_turn(answers);
    let world = with_two_pairs();
    allow(&world, &url, &[]);
    let ran = world.ken("maintain dedup --json").ok().json();
    assert_eq!((asked.try_iter().count(), &ran["judge"]["calls"]), (5, &json!(2)), "{ran:#}");
    let notes = ran["notes"].to_string();
    assert!(notes.contains("no usable answer") && notes.contains("closed the connection"), "{ran:#}");
}

#[test]
fn what_a_judge_writes_is_scanned_before_it_is_kept_or_shown_and_a_purge_takes_it_out() {
    let secret = format!("ghp_{}", "Zk3v9QmT7xWb2LrNcY5dHs8PaUe1FjGo4iXt");
    let said = json!({ "relation": "same", "reason": format!("Both log in\u{1b}[31m with {secret} at Wolpertinger.") });
    let (world, (url, _asked)) = (world(), judging(said));
    allow(&world, &url, &[]);
    let shown = world.ken("maintain dedup").ok().out;
    assert!(
        shown.contains("Wolpertinger") && !shown.contains(&secret) && !shown.contains('\u{1b}'),
        "{shown}"
    );
    for place in [".kenning", ".git/kenning"] {
        let holds = |text: &str| {
            let mut grep = world.command("grep");
            grep.args(["-r", "-a", "-l", "-F", text, place]);
            world.answered(grep, None).out
        };
        assert_eq!(holds(&secret), "", "{place}");
    }
    let answers =
        || std::fs::read_dir(world.path().join(".git/kenning/judge/answers")).map_or(0, Iterator::count);
    assert_eq!(answers(), 1);
    let purged = world.ken_stdin(&["purge", "--secret", "--yes", "--json"], "Wolpertinger").ok().json();
    assert_eq!((&purged["judgements"], answers()), (&json!(1), 0), "{purged:#}");
}

#[test]
fn nothing_is_sent_that_nobody_allowed_and_budgets_hold() {
    let (world, (url, asked)) = (world(), judging(related("same")));
    // Neither a commit nor an agent chooses who reads texts.
    let tracked = format!("[judge]\nkind = \"openai\"\nmodel = \"small\"\nurl = \"{url}\"\n");
    let shared = world.read(".kenning/config.toml");
    world.write(".kenning/config.toml", &tracked);
    let refused = world.ken("maintain dedup").fails_with(2);
    assert!(refused.err.contains("a setting of one clone"), "{}", refused.err);
    world.write(".kenning/config.toml", &shared);
    with(&world, ("KEN_ACTOR", "agent:alpha"), "config judge.kind openai").fails_with(4);
    let rules = world.ken("maintain dedup --json").ok().json();
    assert!(rules["notes"].to_string().contains("no judge is configured"), "{rules:#}");
    for (name, usual) in [("calls_max", "200"), ("tokens_max", "500000"), ("cents_max", "100")] {
        allow(&world, &url, &[(name, "0")]);
        let bounded = world.ken("maintain dedup --json").ok().json();
        assert!(bounded["notes"].to_string().contains(&format!("judge.{name}")), "{bounded:#}");
        allow(&world, &url, &[(name, usual)]);
    }
    let bounded = world.ken("maintain dedup --budget 0 --json").ok().json();
    assert!(bounded["notes"].to_string().contains("--budget"), "{bounded:#}");
    assert!(asked.try_recv().is_err(), "no call was made");
    assert_eq!(length(&world.ken("queue --json").ok().json()["items"]), 1, "it waits for somebody");
    // A judge that does not answer is no reason to stop.
    allow(&world, "http://127.0.0.1:9/v1", &[]);
    let down = world.ken("maintain dedup --json").ok().json();
    assert!(down["notes"].to_string().contains("127.0.0.1:9 cannot be reached"), "{down:#}");
    let measured = world.ken("eval judge --judge rules --json").ok().json();
    assert_eq!(measured["sets"].as_array().map(Vec::len), Some(3), "{measured:#}");
    assert!(measured["sets"][0]["precision"].as_f64().unwrap() > 0.9, "{measured:#}");
    world.ken("eval judge --judge oracle").fails_with(2);
}

// After an undo of what `distill` had added, each later run said "1 change" and changed nothing.
#[test]
fn a_distilled_entry_that_was_undone_is_no_change_of_the_next_run() {
    let lessons = [
        "The upload client retries three times with jitter.",
        "The mail worker closes its socket after every batch.",
        "The search indexer reads at most ten files at once.",
        "The billing export writes amounts in cents.",
        "The login page keeps its session for one hour.",
    ];
    let (url, _asked) = judging(
        json!({ "title": "The upload client and the mail worker", "statement": lessons.join(" "), "reason": "all" }),
    );
    let world = World::with_store();
    world.write("src/net.rs", "fn retry() {}\n");
    let handles: Vec<String> = lessons.iter().map(|lesson| world.lesson(lesson)).collect();
    let used: Vec<&str> = handles.iter().flat_map(|handle| ["--used", handle]).collect();
    for run in 0..14 {
        let run = format!("run-{run}");
        world.ken_args(&["task", "start", "--run", &run, "--goal", "Try it."]).ok();
        world
            .ken_args(&[&["task", "finish", "--run", &run, "--outcome", "success"][..], &used].concat())
            .ok();
    }
    allow(&world, &url, &[]);
    let changes = |ran: &Value| ran["services"][0]["changes"].as_array().unwrap().len();
    let ran = world.ken("maintain distill --json").ok().json();
    assert_eq!((changes(&ran), ran["written"].as_u64() > Some(0)), (1, true), "{ran:#}");
    world.ken("undo").ok();
    for _ in 0..2 {
        let ran = world.ken("maintain distill --json").ok().json();
        assert_eq!((changes(&ran), &ran["written"]), (0, &json!(0)), "{ran:#}");
        assert!(ran["notes"].to_string().contains("it is retracted; `ken restore"), "{ran:#}");
    }
}
