//! Briefings (UPK-5): each rule speaks when its trigger is met and not before, and a budget and a cap are kept.

use std::collections::{BTreeMap, BTreeSet};

use expect_test::{Expect, expect};
use ken_core::belief::Side;
use ken_core::decide::Authority;
use ken_core::run::{RunKind, RunOutcome};
use ken_core::{
    BeliefEvent, Body, EntryEvent, EntryKey, Intent, LinkEvent, Millis, Relation, ReplicaId, RunEvent,
    Serviced, ServicedOutcome, Status, place,
};
use ken_engine::intake::Intake;
use ken_engine::memory::MemoryRepository;
use ken_engine::ops::add::{AddInput, add};
use ken_engine::ops::brief::{Asking, Briefing, RULES, Room, Severity, brief, tell};
use ken_engine::ops::maintain::Policy;
use ken_engine::ops::run::{self, FinishInput, StartInput};
use ken_engine::ops::stats;
use ken_engine::{Ledger, RuleOfThumb, Tokens, Writer};
use serde_json::json;

const DAY: i64 = 86_400_000;

struct Story {
    ledger: Ledger,
    now: Millis,
    runs: usize,
    policy: Policy,
}

/// A run: how it was gone about, how it ended, how well, what it cost, its rounds.
type Done<'a> = (&'a str, RunOutcome, f64, f64, u32);

impl Story {
    fn new() -> Story {
        Story {
            ledger: ken_log_memory::ledger(ReplicaId([1; 6])).unwrap(),
            now: crate::NOW,
            runs: 0,
            policy: Policy::default(),
        }
    }

    fn writer(&self) -> Writer {
        Writer {
            actor: "human:Ada".into(),
            now: self.now,
            authority: Authority::attended("human:Ada", false),
        }
    }

    /// A lesson about some domains; its polarity is `+`, `-` or nothing.
    fn lesson(&mut self, domains: &str, polarity: &str, title: &str) -> EntryKey {
        self.lesson_from(None, domains, polarity, title)
    }

    /// The same, from another instance.
    fn lesson_from(&mut self, peer: Option<&str>, domains: &str, polarity: &str, title: &str) -> EntryKey {
        let domains: Vec<&str> = domains.split_whitespace().collect();
        let mut content = json!({
            "title": title, "statement": format!("{title}."), "domains": domains,
            "anchors": ["src/a.rs"], "verification": ["look"],
        });
        match polarity {
            "+" => content["polarity"] = "positive".into(),
            "-" => content["polarity"] = "negative".into(),
            _ => {}
        }
        if let Some(peer) = peer {
            content["source"] = json!({ "peer": peer });
        }
        let input = AddInput {
            kind: Some("lesson".to_owned()),
            content: content.as_object().unwrap().clone(),
            evidence: vec!["pr:1".to_owned()],
            ..AddInput::default()
        };
        let writer = self.writer();
        let around = MemoryRepository::default();
        let answer = add(&mut self.ledger, &around, input, &Intake::default(), &writer).unwrap();
        self.ledger.resolve(&answer.id).unwrap()[0]
    }

    fn say(&mut self, entry: Option<EntryKey>, body: Body) {
        let _file = place::runs_file(ReplicaId([1; 6]), self.now);
        let writer = self.writer();
        self.ledger.append(vec![Intent { entry, body }], &writer).unwrap();
    }

    fn verify(&mut self, key: EntryKey) {
        let proved = EntryEvent::Proved { steps: vec!["look".to_owned()], accepted: true };
        self.say(Some(key), Body::Entry(proved));
        let promoted =
            EntryEvent::Promoted { status: Status::Verified, reason: "proven".into(), rests_on: Vec::new() };
        self.say(Some(key), Body::Entry(promoted));
    }

    fn miss(&mut self, key: EntryKey, times: usize) {
        for at in 0..times {
            let missed = RunEvent::Missed { run: None, query: format!("what of {at}?"), similarity: 200 };
            self.say(Some(key), Body::Run(missed));
        }
    }

    fn observe(&mut self, key: EntryKey, times: usize) {
        self.observe_on(key, Side::For, times);
    }

    fn observe_on(&mut self, key: EntryKey, side: Side, times: usize) {
        for _ in 0..times {
            self.runs += 1;
            let source = format!("observed-{}", self.runs);
            let (weight, reason) = (1000, "as it went".into());
            let observed = BeliefEvent::Observed { source, side, weight, reason, at: None, witnessed: false };
            self.say(Some(key), Body::Belief(observed));
        }
    }

    fn run(&mut self, done: Done<'_>, used: &[EntryKey]) {
        self.run_as(done, used, None);
    }

    fn run_as(&mut self, done: Done<'_>, used: &[EntryKey], ended_as: Option<&str>) {
        let (strategy, outcome, quality, cost, rounds) = done;
        self.runs += 1;
        let name = format!("run-{}", self.runs);
        let input = StartInput {
            kind: RunKind::Task,
            run: Some(name.clone()),
            about: "work".into(),
            project: String::new(),
            thread: None,
            agents: Vec::new(),
            strategy: Some(strategy.to_owned()),
            paths: Vec::new(),
        };
        let writer = self.writer();
        run::start(&mut self.ledger, input, &writer).unwrap();
        let used = used.iter().map(|key| self.ledger.stored(*key).unwrap().unwrap().id).collect();
        let input = FinishInput {
            run: name,
            outcome,
            quality: Some(quality),
            used: Some(used),
            wrong: Vec::new(),
            cost: Some(cost),
            rounds: Some(rounds),
            strategy: ended_as.map(str::to_owned),
        };
        run::finish(&mut self.ledger, input, &writer).unwrap();
    }

    /// A run that began one way and ended another.
    fn escalate(&mut self, from: &str, to: &str, outcome: RunOutcome) {
        self.run_as((from, outcome, 0.5, 0.0, 1), &[], Some(to));
    }

    fn serviced(&mut self, service: &str, outcome: ServicedOutcome, changes: u32) {
        let serviced = Serviced { service: service.to_owned(), outcome, changes, reason: None, judged: None };
        self.say(None, Body::Run(RunEvent::Serviced(Box::new(serviced))));
    }

    fn briefing(&self) -> Briefing {
        let asking = Asking { thread: None, policy: &self.policy, fallen: &BTreeMap::new(), now: self.now };
        brief(self.ledger.projection(), &asking).unwrap()
    }

    /// The insights of one rule, a line each.
    fn says(&self, rule: &str, expected: Expect) {
        assert!(RULES.iter().any(|known| known.name == rule));
        let told = self.briefing().insights.into_iter().filter(|insight| insight.rule == rule);
        let lines = told.map(|insight| {
            let task = insight.task.map(|task| format!(" → {}", task.role)).unwrap_or_default();
            format!("{} [{}] {}{task}", insight.severity.word(), insight.affected, insight.text)
        });
        expected.assert_eq(&lines.collect::<Vec<_>>().join("\n"));
    }
}

const GOOD: RunOutcome = RunOutcome::Succeeded;
const BAD: RunOutcome = RunOutcome::Failed;

#[test]
fn upk_5_a_belief_that_fell_and_moved_lately_is_told() {
    let mut story = Story::new();
    let key = story.lesson("net", "", "Retry with jitter");
    story.observe(key, 20);
    story.says("confidence_decline", expect![""]);
    story.now = Millis(story.now.0 + 90 * DAY);
    story.says("confidence_decline", expect![""]);
    // It fades slowly; that it is used again shows how far it fell.
    story.observe(key, 1);
    story.says(
        "confidence_decline",
        expect!["attention [1] Belief in 1 entry fell by more than 20 % from its peak, and changed in the last 7 days. → researcher"],
    );
    story.now = Millis(story.now.0 + 8 * DAY);
    story.says("confidence_decline", expect![""]);
}

#[test]
fn upk_3_two_entries_that_say_the_opposite_need_a_person_and_sooner_where_both_are_verified() {
    let mut story = Story::new();
    let one = story.lesson("net retry", "+", "Use jitter when calls are retried");
    let other = story.lesson("net", "-", "Use jitter when queries are retried");
    story.verify(one);
    story.says(
        "contradiction",
        expect!["attention [2] Two entries about net contradict each other: one says do, the other do not. → researcher"],
    );
    story.verify(other);
    story.says(
        "contradiction",
        expect!["action_required [2] Two verified entries about net contradict each other: one says do, the other do not. → researcher"],
    );
}

// No type asks for a polarity, and most entries have none.
#[test]
fn cor_27_titles_that_say_the_opposite_are_a_pair_whatever_their_status() {
    let mut story = Story::new();
    story.lesson("net", "", "Use jitter when calls are retried");
    story.lesson("ui", "", "Do not animate the login page");
    story.says("contradiction", expect![""]);
    story.lesson("db", "", "Never use jitter, write the delays down");
    story.says(
        "contradiction",
        expect!["attention [2] Two entries seem to contradict each other: one says to do what the other says not to do. → researcher"],
    );
}

#[test]
fn upk_3_opposite_sides_about_different_things_are_weak() {
    let mut story = Story::new();
    for (polarity, title) in [
        ("+", "Use jitter when calls are retried"),
        ("-", "Keep sockets open over night"),
        ("", "Ports are numbers"),
    ] {
        let key = story.lesson("net", polarity, title);
        story.verify(key);
    }
    let far = story.lesson("ui", "-", "Use jitter in animations");
    story.verify(far);
    story.says(
        "contradiction",
        expect!["info [2] About net, 1 verified entry says do and 1 says do not; their wording is too different to tell whether they contradict each other. → researcher"],
    );
}

#[test]
fn upk_3_what_somebody_called_a_contradiction_is_one() {
    let mut story = Story::new();
    let (one, other) = (story.lesson("net", "", "Retry at once"), story.lesson("ui", "", "Wait first"));
    let linked = LinkEvent::Linked { relation: Relation::Contradicts, to: other };
    story.say(Some(one), Body::Link(linked));
    story.says(
        "contradiction",
        expect!["action_required [2] Two entries in use are linked as contradictory. → researcher"],
    );
}

#[test]
fn upk_5_questions_that_are_answered_badly_leave_a_gap() {
    let mut story = Story::new();
    let keys: Vec<EntryKey> = ["Retry with jitter", "Pool connections", "Close idle sockets"]
        .map(|t| story.lesson("net", "", t))
        .into();
    story.miss(keys[0], 2);
    story.says("coverage_gap", expect![""]);
    story.miss(keys[0], 1);
    story.says(
        "coverage_gap",
        expect!["info [1] Queries about net are answered poorly: 1 entry was at least 3 times the best result, but not relevant. → researcher"],
    );
    story.miss(keys[1], 3);
    story.miss(keys[2], 3);
    story.says(
        "coverage_gap",
        expect!["attention [3] Queries about net are answered poorly: 3 entries were at least 3 times the best result, but not relevant. → researcher"],
    );
}

#[test]
fn upk_5_a_cluster_is_stale_when_every_entry_of_it_fails() {
    let mut story = Story::new();
    let keys: Vec<EntryKey> = ["Retry with jitter", "Pool connections", "Close idle sockets"]
        .map(|t| story.lesson("net", "", t))
        .into();
    keys.iter().for_each(|key| story.miss(*key, 4));
    story.says("stale_cluster", expect![""]);
    story.run(("plan", GOOD, 0.8, 1.0, 2), &keys[..2]);
    story.says(
        "stale_cluster",
        expect!["attention [2] 2 entries that are used together answer queries poorly: each was the best result but not relevant more than 3 times. → researcher"],
    );
    let sound = story.lesson("net", "", "Name every port");
    story.run(("plan", GOOD, 0.8, 1.0, 2), &[keys[1], sound]);
    story.says("stale_cluster", expect![""]);
}

#[test]
fn upk_5_titles_that_share_most_words_in_one_domain_may_be_one_entry() {
    let mut story = Story::new();
    story.lesson("net", "", "Retry network calls with jitter always");
    story.lesson("net", "", "Retry network calls with jitter");
    story.lesson("ui", "", "Retry network calls using jitter");
    story.lesson("net", "", "Retry network calls 3 times with jitter");
    story.lesson("net", "", "Pool connections per host");
    story.says(
        "merge_opportunity",
        expect!["info [2] Two entries about net may be duplicates: their titles share most of their words. → researcher"],
    );
}

#[test]
fn upk_5_rules_about_work_wait_for_enough_runs() {
    let mut story = Story::new();
    for _ in 0..3 {
        story.run(("plan first", GOOD, 0.9, 1.0, 3), &[]);
    }
    story.run(("dive in", BAD, 0.3, 1.0, 12), &[]);
    story.says("strategy_efficiency", expect![""]);
    story.says("diminishing_rounds", expect![""]);
    story.says("cost_outlier", expect![""]);
    story.run(("dive in", BAD, 0.3, 9.0, 12), &[]);
    story.run(("dive in", GOOD, 0.6, 1.0, 2), &[]);
    story.says(
        "strategy_efficiency",
        expect![[r#"info [0] Runs with the strategy "dive in" reach a quality of 40 % on average (3 runs), those with "plan first" 90 %. → planner"#]],
    );
    story.says(
        "diminishing_rounds",
        expect!["attention [0] 2 runs took 10 rounds or more and reached a quality below 40 %: more rounds did not help. → planner"],
    );
    story.says(
        "cost_outlier",
        expect!["info [0] Run run-5 cost 9, 9.0 times the median of 6 runs. → planner"],
    );
    story.says("knowledge_return", expect![""]);
    story.run(("dive in", GOOD, 0.6, 5.0, 2), &[]);
    story.says(
        "knowledge_return",
        expect!["attention [0] 47 % of the cost of runs went to 5 runs that succeeded but left no entry. → planner"],
    );
    // What was long ago is no news.
    story.now = Millis(story.now.0 + 91 * DAY);
    assert!(story.briefing().insights.is_empty());
}

#[test]
fn upk_5_one_way_few_entries_and_many_failures_go_in_circles() {
    let mut story = Story::new();
    let titles = ["Retry with jitter", "Pool connections", "Close idle sockets", "Name ports", "Log once"];
    let keys = titles.map(|title| story.lesson("", "", title));
    // Regression: with fewer than five entries in use nothing was said, and that is the narrowest circle.
    for at in 0..20 {
        let outcome = if at % 3 == 0 { BAD } else { GOOD };
        story.run(("dive in", outcome, 0.5, 0.0, 1), &keys[..1]);
        if at == 3 {
            story.says("stagnation", expect![""]);
        }
    }
    story.says(
        "stagnation",
        expect!["attention [0] 7 of 20 runs failed, nearly all with one strategy and the same few entries: try another strategy. → planner"],
    );
    story.run(("dive in", GOOD, 0.5, 0.0, 1), &keys);
    story.says(
        "stagnation",
        expect!["attention [0] 7 of 21 runs failed, nearly all with one strategy and the same few entries: try another strategy. → planner"],
    );
}

#[test]
fn upk_5_what_is_wrong_too_often_should_fade_faster() {
    let mut story = Story::new();
    for title in ["Retry with jitter", "Pool connections", "Close idle sockets"] {
        let key = story.lesson("net", "", title);
        story.miss(key, 3);
    }
    story.says(
        "evaporation",
        expect!["info [3] Entries about net are mostly stable and are wrong or archived too often: ephemeral may suit them better. → researcher"],
    );
}

// IN-5. Regression: the signal stayed 0.3, whatever became of the entries of that instance.
#[test]
fn the_word_of_an_instance_counts_by_what_became_of_its_entries_here() {
    let mut story = Story::new();
    let signal = |story: &mut Story, peer: &str, title: &str| {
        let key = story.lesson_from(Some(peer), "net", "", title);
        let admission = story.ledger.stored(key).unwrap().unwrap().entry.admission.unwrap();
        (key, admission.values().find(|(name, _)| *name == "federation").unwrap().1)
    };
    let (first, unknown) = signal(&mut story, "north", "Retry with jitter");
    assert_eq!(unknown, 0.3);
    // Beta(10, 1): its 10th percentile is 0.794, and 0.8 of that counts.
    story.observe(first, 9);
    let (second, trusted) = signal(&mut story, "north", "Pool connections");
    assert_eq!(trusted, 0.635);
    assert_eq!(signal(&mut story, "south", "Close idle sockets").1, 0.3);
    // Beta(10, 13): 0.306.
    story.observe_on(second, Side::Against, 6);
    assert!(
        signal(&mut story, "north", "Name ports").1 < 0.25,
        "one whose entries fail counts less than a stranger"
    );
}

#[test]
fn upk_5_an_instance_whose_entries_fail_loses_trust() {
    let mut story = Story::new();
    let first = story.lesson_from(Some("north"), "net", "", "Retry with jitter");
    let second = story.lesson_from(Some("north"), "ui", "", "Pool connections");
    // Of who was never seen to be wrong nothing is said, however little is known.
    story.observe(first, 1);
    story.says("trust_drop", expect![""]);
    // Beta(10, 3): its 10th percentile is 0.614.
    story.observe(first, 8);
    story.observe_on(second, Side::Against, 1);
    story.says("trust_drop", expect![""]);
    // Beta(10, 7): 0.434.
    story.observe_on(second, Side::Against, 2);
    story.says("trust_drop", expect!["attention [1] Trust in the instance north is 43 %: 9 observations for its entries, 3 against. → researcher"]);
}

#[test]
fn upk_5_what_only_others_know_is_told_by_domain() {
    let mut story = Story::new();
    story.lesson_from(Some("north"), "net", "", "Retry with jitter");
    story.lesson_from(Some("south"), "net ui", "", "Pool connections");
    story.lesson("ui", "", "Buttons have labels");
    story.says(
        "inbound",
        expect!["info [2] All entries about net come from other instances: north, south. → researcher"],
    );
    story.lesson("net", "", "Close idle sockets");
    story.says("inbound", expect![""]);
}

#[test]
fn upk_5_a_lag_of_exactly_fifteen_points_is_none() {
    for (quality, told) in [(0.75, false), (0.749, true)] {
        let mut story = Story::new();
        for _ in 0..3 {
            story.run(("plan first", GOOD, 0.9, 0.0, 3), &[]);
            story.run(("dive in", GOOD, quality, 0.0, 3), &[]);
        }
        let insights = story.briefing().insights;
        assert_eq!(insights.iter().any(|one| one.rule == "strategy_efficiency"), told, "{quality}");
    }
}

#[test]
fn upk_6_a_service_earns_its_autonomy_and_loses_it() {
    let mut story = Story::new();
    for _ in 0..4 {
        story.serviced("dedup", ServicedOutcome::Ran, 2);
    }
    // A run that found nothing to do, and a proposal that nobody followed, earn nothing.
    story.serviced("dedup", ServicedOutcome::Ran, 0);
    story.serviced("dedup", ServicedOutcome::Proposed, 2);
    story.says("earned_autonomy", expect![""]);
    story.serviced("dedup", ServicedOutcome::Ran, 1);
    story.says("earned_autonomy", expect!["info [0] dedup was run by hand 5 times in 90 days and undone 0 times: it could run by itself. → person"]);
    let action = |story: &Story| {
        let insights = story.briefing().insights;
        insights.into_iter().find(|one| one.rule == "earned_autonomy").unwrap().action
    };
    assert_eq!(action(&story), "ken config maintain.auto merge && ken config maintain.level auto_notify");
    story.policy = Policy::parse("auto_notify", "staleness");
    assert_eq!(action(&story), "ken config maintain.auto merge,staleness");
    story.policy = Policy::parse("auto_notify", "merge");
    story.says("earned_autonomy", expect![""]);
    for _ in 0..3 {
        story.serviced("dedup", ServicedOutcome::Undone, 2);
    }
    story.says(
        "earned_autonomy",
        expect![
            "attention [0] What dedup did was undone 3 times in 90 days: let a person decide again. → person"
        ],
    );
    assert_eq!(action(&story), "ken config maintain.level suggest");
    story.policy = Policy::default();
    story.says("earned_autonomy", expect![""]);
}

#[test]
fn upk_6_what_services_changed_by_themselves_is_told_for_a_week() {
    let mut story = Story::new();
    story.serviced("dedup", ServicedOutcome::Ran, 2);
    story.says("maintained", expect![""]);
    story.policy = Policy::parse("auto_notify", "merge");
    story.says(
        "maintained",
        expect!["attention [0] Services changed entries in the last 7 days: dedup 2 changes. → person"],
    );
    story.serviced("dedup", ServicedOutcome::Undone, 2);
    story.says("maintained", expect![""]);
    story.serviced("stale_sweep", ServicedOutcome::Ran, 1);
    story.says(
        "maintained",
        expect!["attention [0] Services changed entries in the last 7 days: stale_sweep 1 change. → person"],
    );
    story.now = Millis(story.now.0 + 8 * DAY);
    story.says("maintained", expect![""]);
}

#[test]
fn upk_6_services_should_not_work_alone_where_entries_are_wrong() {
    let mut story = Story::new();
    let key = story.lesson("net", "", "Retry with jitter");
    story.observe_on(key, Side::Against, 2);
    story.policy = Policy::parse("autonomous", "");
    story.observe(key, 2);
    story.says("earned_autonomy", expect![""]);
    story.observe_on(key, Side::Against, 1);
    story.says("earned_autonomy", expect!["attention [1] 3 of 5 observations about net speak against its entries: services should not work there alone. → person"]);
}

#[test]
fn upk_5_choices_that_did_best_are_recommended() {
    let mut story = Story::new();
    for _ in 0..5 {
        story.run(("plan first", GOOD, 0.9, 0.0, 3), &[]);
    }
    story.says("configuration", expect![""]);
    story.run(("dive in", GOOD, 0.8, 0.0, 12), &[]);
    story.says("configuration", expect![""]);
    story.run(("dive in", GOOD, 0.8, 0.0, 12), &[]);
    story.says("configuration", expect![[r#"info [0] Of runs that succeeded, these choices did best: strategy "plan first" (5 runs, quality 90 % against 80 %, confidence high); 1 to 5 rounds (5 runs, quality 90 % against 80 %, confidence high). → planner"#]]);
}

#[test]
fn upk_5_who_ends_with_another_strategy_may_begin_with_it() {
    let mut story = Story::new();
    story.escalate("dive in", "plan first", GOOD);
    story.says("escalation", expect![""]);
    story.escalate("dive in", "plan first", GOOD);
    story.escalate("plan first", "ask", BAD);
    story.escalate("plan first", "ask", BAD);
    story.says("escalation", expect![[r#"
        info [0] 2 runs began with the strategy "dive in" and ended with "plan first"; 2 succeeded: begin with "plan first". → planner
        info [0] 2 runs began with the strategy "plan first" and ended with "ask"; 0 succeeded: the change did not help. → planner"#]]);
}

#[test]
fn upk_5_every_insight_has_a_command_and_a_task() {
    let mut story = busy();
    for _ in 0..3 {
        story.run(("plan first", GOOD, 0.9, 1.0, 3), &[]);
        story.run(("dive in", BAD, 0.3, 9.0, 12), &[]);
    }
    for insight in story.briefing().insights {
        assert!(insight.action.starts_with("ken "), "{insight:?}");
        let task = insight.task.unwrap();
        assert!(task.goal.starts_with(&format!("[maintenance:{}] ", insight.category)), "{task:?}");
    }
}

/// A store with something of everything.
fn busy() -> Story {
    let mut story = Story::new();
    for at in 0..8 {
        let word = ["ports", "pools", "sockets", "queues"][at / 2];
        let key = match at % 2 {
            0 => story.lesson("net", "+", &format!("Use {word} with care")),
            _ => story.lesson("net", "-", &format!("Give {word} a timeout and care")),
        };
        story.verify(key);
        story.observe(key, at);
        story.miss(key, at);
    }
    story
}

#[test]
fn upk_5_the_gravest_comes_first_and_the_same_store_gives_the_same_bytes() {
    let story = busy();
    let severities: Vec<Severity> =
        story.briefing().insights.iter().map(|insight| insight.severity).collect();
    assert!(severities.is_sorted() && severities[0] == Severity::ActionRequired, "{severities:?}");
    let told = |briefing: &Briefing| tell(briefing, Some(500), None, &RuleOfThumb).text;
    assert_eq!(told(&story.briefing()), told(&busy().briefing()));
    let lines: Vec<String> = told(&story.briefing()).lines().take(3).map(str::to_owned).collect();
    expect![[r#"
        This store has 8 entries (8 verified). Search it with `ken search`.
        Highest belief:
        - [L-2ac9af] Give queues a timeout and care. · verified, moderate"#]]
    .assert_eq(&lines.join("\n"));
}

#[test]
fn sur_3_a_budget_is_kept_and_says_that_there_is_more() {
    let briefing = busy().briefing();
    let whole = tell(&briefing, None, None, &RuleOfThumb);
    assert_eq!((whole.more, whole.insights.len()), (0, briefing.insights.len()));
    for budget in [0, 20, 60, 120, 200, 300, 500] {
        let told = tell(&briefing, Some(budget), None, &RuleOfThumb);
        assert!(told.tokens <= budget, "{} of {budget}: {}", told.tokens, told.text);
        assert_eq!(told.insights.len() + told.more, briefing.insights.len());
        for id in &told.named {
            let handle = format!("[L-{}]", &id["lesson.".len()..][..6]);
            assert!(told.text.contains(&handle), "{handle} is named nowhere: {}", told.text);
        }
    }
    let told = tell(&briefing, Some(300), None, &RuleOfThumb);
    assert!(told.text.ends_with("`ken brief --all`"), "{}", told.text);
}

#[test]
fn rev_5_what_nobody_asked_for_names_no_entry_beyond_its_room() {
    let briefing = busy().briefing();
    let named = |left: usize, given: &[String]| {
        let room = Room { given: given.iter().cloned().collect(), left };
        let told = tell(&briefing, Some(2_000), Some(room), &RuleOfThumb);
        let mut said: BTreeSet<&str> = told.text.split("L-").skip(1).map(|rest| &rest[..6]).collect();
        for id in &told.named {
            assert!(said.remove(&id["lesson.".len()..][..6]), "{id} is not in the text");
        }
        assert!(said.is_empty(), "{said:?} are named beside: {}", told.text);
        let shown = told.insights.iter().flat_map(|insight| &insight.entries);
        assert!(shown.map(|entry| &entry.id).all(|id| told.named.contains(id)));
        assert!(told.insights.iter().all(|insight| insight.task.is_none() || !insight.entries.is_empty()));
        told.named
    };
    assert!(named(0, &[]).is_empty());
    let two = named(2, &[]);
    assert_eq!(two.len(), 2);
    // What was given before costs nothing.
    let three = named(1, &two);
    assert!(three.len() == 3 && two.iter().all(|id| three.contains(id)), "{three:?}");
}

#[test]
fn rev_5_what_is_injected_stands_in_a_fence() {
    let room = Room { given: BTreeSet::new(), left: 2 };
    let told = tell(&busy().briefing(), Some(200), Some(room), &RuleOfThumb);
    assert!(told.text.starts_with('<') || told.text.contains("Kenning"), "{}", told.text);
    assert!(RuleOfThumb.count(&told.text) <= 200);
}

#[test]
fn doo_8_what_is_handed_out_and_never_of_use_has_not_earned_its_place() {
    let mut story = Story::new();
    let keys = ["Retry with jitter", "Pool connections", "Close idle sockets", "Name ports"]
        .map(|t| story.lesson("", "", t));
    story.now = Millis(story.now.0 + 31 * DAY);
    for key in &keys[..3] {
        for _ in 0..5 {
            let exposed = RunEvent::exposed(None, None, "pulled", vec![*key]);
            story.say(None, Body::Run(exposed));
        }
    }
    story.observe(keys[1], 1);
    story.miss(keys[2], 2);
    let asked = RunEvent::Unanswered { run: None, query: "how are ports named?".into(), role: None };
    story.say(None, Body::Run(asked));
    let usage = stats::usage(story.ledger.projection(), Millis(0), story.now, &RuleOfThumb).unwrap();
    let titles: BTreeSet<&str> = usage.unearned.iter().map(|one| one.title.as_str()).collect();
    assert_eq!(titles, BTreeSet::from(["Retry with jitter", "Close idle sockets"]));
    assert!(usage.unearned.iter().all(|one| one.delivered == 5 && one.tokens >= 5 * 5));
    assert_eq!((usage.entries, usage.never_delivered, usage.unearned_count), (4, 1, 2));
    assert_eq!((usage.questions.missed, usage.questions.unanswered), (2, 1));
    assert_eq!(usage.questions.latest, ["how are ports named?"]);
    let younger = Millis(story.now.0 - 2 * DAY);
    assert_eq!(
        stats::usage(story.ledger.projection(), Millis(0), younger, &RuleOfThumb).unwrap().unearned_count,
        0
    );
}
