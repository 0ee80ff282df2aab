//! The budget of the forager, folded from events in any order (FOR-4, COR-30).

use ken_core::entry::gaps;
use ken_core::event::{Basis, Seal};
use ken_core::forage::{Completed, DomainAction, ForageEvent, ForageMode, Foraging, Requested};
use ken_core::{Body, Clock, Event, Fields, Intent, Millis, ReplicaId, Type, TypeName};
use proptest::prelude::*;

const DAY: i64 = 86_400_000;
const NOON: i64 = 20_000 * DAY + DAY / 2;

fn event(replica: u8, seq: u64, at: i64, said: ForageEvent) -> Event {
    let seal = Seal {
        replica: ReplicaId([replica; 6]),
        seq,
        parents: Vec::new(),
        clock: Clock::at(Millis(at)),
        actor: "human:ada".to_owned(),
        basis: Basis::default(),
    };
    Event::seal(&Intent { entry: None, body: Body::Forage(said) }, seal)
}

fn requested(name: &str, mode: ForageMode, pages: u32, answers: Option<&str>) -> ForageEvent {
    ForageEvent::Requested(Box::new(Requested {
        request: name.to_owned(),
        mode,
        trigger: mode.word().to_owned(),
        query: format!("about {name}"),
        pages,
        answers: answers.map(str::to_owned),
    }))
}

fn completed(name: &str, pages: u32) -> ForageEvent {
    ForageEvent::Completed(Box::new(Completed {
        request: name.to_owned(),
        mode: ForageMode::Operator,
        reason: "done".to_owned(),
        pages,
        read: pages,
        entries: 0,
        rejected: 0,
        bytes: 0,
        duration_ms: 0,
    }))
}

fn decided(domain: &str, action: DomainAction) -> ForageEvent {
    ForageEvent::Override { domain: domain.to_owned(), action, reason: String::new() }
}

#[test]
fn what_a_cycle_does_not_use_it_gives_back() {
    let date = Millis(NOON).date();
    let operator = ForageMode::Operator;
    let mut events = vec![
        event(1, 1, NOON, requested("a", operator, 5, None)),
        event(2, 1, NOON, requested("b", operator, 5, None)),
    ];
    assert_eq!(Foraging::fold(&events).pages_on(&date), 10);
    // Only who reserved gives back; a stranger's word changes nothing.
    events.push(event(2, 2, NOON, completed("a", 0)));
    assert_eq!(Foraging::fold(&events).pages_on(&date), 10);
    events.push(event(1, 2, NOON, completed("a", 2)));
    assert_eq!(Foraging::fold(&events).pages_on(&date), 7);
    // Of two endings the costlier one counts.
    events.push(event(1, 3, NOON, completed("a", 1)));
    let all = Foraging::fold(&events);
    assert_eq!((all.pages_on(&date), all.pages_on("1999-01-01")), (7, 0));
    assert_eq!(
        (all.may_reserve(&date, 40, 9), all.may_reserve(&date, 9, 5), all.may_reserve(&date, 7, 5)),
        (5, 2, 0)
    );
}

#[test]
fn requests_wait_in_their_order_and_not_for_ever() {
    use ForageMode::{Operator, Proactive, Reactive};
    let events = [
        event(1, 1, NOON - 20 * DAY, requested("old", Operator, 0, None)),
        event(1, 2, NOON - 3, requested("p", Proactive, 0, None)),
        event(1, 3, NOON - 2, requested("r1", Reactive, 0, None)),
        event(1, 4, NOON - 1, requested("r2", Reactive, 0, None)),
        event(1, 5, NOON, requested("o", Operator, 0, None)),
        event(1, 6, NOON, requested("cycle", Reactive, 5, Some("r1"))),
        event(2, 1, NOON, requested("stranger", Operator, 0, None)),
    ];
    let all = Foraging::fold(&events);
    let own = Some(ReplicaId([1; 6]));
    let open: Vec<&str> =
        all.open(own, Millis(NOON)).iter().map(|one| one.requested.request.as_str()).collect();
    assert_eq!(open, ["o", "r2", "p"]);
    assert!(!all.may_wait("about r2", own, Millis(NOON)) && !all.may_wait("about cycle", own, Millis(NOON)));
    assert!(all.may_wait("about old", own, Millis(NOON)) && all.may_wait("anything", own, Millis(NOON)));
}

#[test]
fn the_last_word_on_a_domain_counts_and_a_reset_removes_it() {
    let events = [
        event(1, 1, 1, decided("a.org", DomainAction::Trust)),
        event(1, 2, 2, decided("a.org", DomainAction::Distrust)),
        event(1, 3, 3, decided("b.org", DomainAction::Trust)),
        event(1, 4, 4, decided("b.org", DomainAction::Reset)),
        event(
            1,
            5,
            5,
            ForageEvent::Strategy { domain: "a.org".to_owned(), level: 2, successes: 1, failures: 1 },
        ),
        event(
            1,
            6,
            6,
            ForageEvent::Strategy { domain: "a.org".to_owned(), level: 1, successes: 3, failures: 0 },
        ),
    ];
    let all = Foraging::fold(&events);
    let told: Vec<(&str, &str)> =
        all.overrides.iter().map(|(domain, one)| (domain.as_str(), one.action.word())).collect();
    assert_eq!(told, [("a.org", "distrust")]);
    let strategy = &all.strategies["a.org"];
    assert_eq!((strategy.level, strategy.successes, strategy.failures), (1, 4, 1));
    // What works as before says nothing new; what failed does.
    let told = |failures| {
        let again = ForageEvent::Strategy { domain: "a.org".to_owned(), level: 1, successes: 1, failures };
        let all = Foraging::fold(events.iter().chain([&event(1, 7, 7, again)]));
        all.strategies["a.org"].at.millis()
    };
    assert_eq!((told(0), told(1)), (Millis(6), Millis(7)));
}

// ENT-5: the page is the anchor of what was read on it, and comparing the two its step, if both can be compared.
#[test]
fn a_page_with_its_sentence_stands_for_anchor_and_step() {
    let gaps_of = |source: serde_json::Value| {
        let fields = Fields::read(&serde_json::json!({"statement": "s", "source": source}));
        gaps(&TypeName::Known(Type::Experience), &fields, true).len()
    };
    let page = "https://example.org/a";
    assert_eq!(gaps_of(serde_json::json!({"page": page, "hash": "00", "sentence": "S."})), 0);
    assert_eq!(gaps_of(serde_json::json!({"page": page, "hash": "00"})), 2);
    assert_eq!(gaps_of(serde_json::json!({"page": page, "hash": 7, "sentence": ""})), 2);
    assert_eq!(gaps_of(serde_json::json!({"hash": "00", "sentence": "S."})), 2);
}

/// What happens to two replicas: one starts or ends a cycle, or hears what the other said.
#[derive(Clone, Debug)]
enum Step {
    Start(u8, u32),
    End(u8, usize, u32),
    Hear(u8),
    /// Time passes: minutes.
    Wait(i64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..2_u8, 0..9_u32).prop_map(|(who, pages)| Step::Start(who, pages)),
        (0..2_u8, 0..30_usize, 0..9_u32).prop_map(|(who, which, pages)| Step::End(who, which, pages)),
        (0..2_u8).prop_map(Step::Hear),
        (0..600_i64).prop_map(Step::Wait),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// No sequence of events lets a replica start a cycle beyond the budget as it knows it; and order and repetition change nothing.
    #[test]
    fn no_replica_goes_beyond_the_budget_that_it_knows(steps in prop::collection::vec(step(), 1..60), day_max in 0..20_u32, seed in any::<u64>()) {
        let mut known: [Vec<Event>; 2] = [Vec::new(), Vec::new()];
        let (mut now, mut seq) = (NOON, 0);
        for step in steps {
            seq += 1;
            let date = Millis(now).date();
            match step {
                Step::Wait(minutes) => now += minutes * 60_000,
                Step::Hear(who) => {
                    let others = known[usize::from(1 - who)].clone();
                    known[usize::from(who)].extend(others);
                }
                Step::Start(who, wanted) => {
                    let all = Foraging::fold(&known[usize::from(who)]);
                    let pages = all.may_reserve(&date, day_max, wanted);
                    prop_assert!(pages <= wanted && pages <= 5);
                    if pages > 0 {
                        known[usize::from(who)].push(event(who, seq, now, requested(&format!("F-{seq}"), ForageMode::Operator, pages, None)));
                        prop_assert!(Foraging::fold(&known[usize::from(who)]).pages_on(&date) <= day_max);
                    }
                }
                // A cycle ends with no more pages than it reserved: the reader stops there.
                Step::End(who, which, pages) => {
                    let all = Foraging::fold(&known[usize::from(who)]);
                    let own: Vec<_> = all.cycles.iter().filter(|cycle| cycle.replica == ReplicaId([who; 6]) && cycle.completed.is_none()).collect();
                    if let Some(cycle) = own.get(which % own.len().max(1)) {
                        let end = completed(&cycle.requested.request, pages.min(cycle.requested.pages));
                        known[usize::from(who)].push(event(who, seq, now, end));
                    }
                }
            }
        }
        let mut shuffled = known[0].clone();
        shuffled.extend(known[0].iter().rev().cloned());
        let by = usize::try_from(seed % 7).unwrap() % shuffled.len().max(1);
        shuffled.rotate_left(by);
        prop_assert_eq!(Foraging::fold(&shuffled), Foraging::fold(&known[0]));
    }
}
