//! GAT-2 over random histories: no path leads from what is episodic to what is known or binding, but an approved artifact.

use ken_core::decide::{Authority, Change};
use ken_core::promotion::{Answer, Approver, Policy, Standing};
use ken_core::{Entry, Memory, Millis, Relation, ReplicaId};
use ken_engine::intake::Intake;
use ken_engine::memory::MemoryRepository;
use ken_engine::ops::add::{AddInput, add};
use ken_engine::ops::change::{self, Citing};
use ken_engine::ops::gate::gate;
use ken_engine::ops::note;
use ken_engine::ops::promote::{self, ProposeInput, Yes};
use ken_engine::{Attendance, Ledger, Query, Result, Writer};
use proptest::prelude::*;
use serde_json::json;

const BEGIN: i64 = 1_790_000_000_000;
const TEXTS: &[&str] = &[
    "The build breaks when the cache is cold.",
    "Review took two rounds since the plan was vague.",
    "Deploys on Friday end in a rollback.",
];
const PEOPLE: &[&str] = &["human:Ada", "human:Bob", "human:Eve", "agent:codex"];

#[derive(Clone, Debug)]
enum Act {
    Note(usize),
    Friction(usize),
    /// Says a text of its own, or that of a record.
    Add {
        text: usize,
        norm: bool,
        copied: bool,
    },
    /// Cites records, and perhaps something else too.
    Cite {
        record: usize,
        norm: bool,
        beside: bool,
    },
    Derive {
        entry: usize,
        record: usize,
    },
    Reword {
        entry: usize,
        record: usize,
    },
    Replace {
        entry: usize,
        record: usize,
    },
    Propose {
        source: usize,
        procedural: bool,
        who: usize,
        said: Option<usize>,
    },
    Approve {
        which: usize,
        who: usize,
    },
    Reject {
        which: usize,
        who: usize,
    },
    Retract {
        entry: usize,
        who: usize,
    },
    Restore {
        entry: usize,
        who: usize,
    },
    Undo {
        who: usize,
    },
}

fn act() -> impl Strategy<Value = Act> {
    let text = 0..TEXTS.len();
    let who = 0..PEOPLE.len();
    let some = 0..6_usize;
    prop_oneof![
        text.clone().prop_map(Act::Note),
        text.clone().prop_map(Act::Friction),
        (text, any::<bool>(), any::<bool>()).prop_map(|(text, norm, copied)| Act::Add { text, norm, copied }),
        (some.clone(), any::<bool>(), any::<bool>()).prop_map(|(record, norm, beside)| Act::Cite {
            record,
            norm,
            beside
        }),
        (some.clone(), some.clone()).prop_map(|(entry, record)| Act::Derive { entry, record }),
        (some.clone(), some.clone()).prop_map(|(entry, record)| Act::Reword { entry, record }),
        (some.clone(), some.clone()).prop_map(|(entry, record)| Act::Replace { entry, record }),
        (some.clone(), any::<bool>(), who.clone(), prop::option::of(0..TEXTS.len()))
            .prop_map(|(source, procedural, who, said)| Act::Propose { source, procedural, who, said }),
        (some.clone(), who.clone()).prop_map(|(which, who)| Act::Approve { which, who }),
        (some.clone(), who.clone()).prop_map(|(which, who)| Act::Reject { which, who }),
        (some.clone(), who.clone()).prop_map(|(entry, who)| Act::Retract { entry, who }),
        (some, who.clone()).prop_map(|(entry, who)| Act::Restore { entry, who }),
        who.prop_map(|who| Act::Undo { who }),
    ]
}

struct World {
    ledger: Ledger,
    repository: MemoryRepository,
    now: Millis,
}

fn policy() -> Policy {
    let approver = |name: &str| Approver { name: name.to_owned(), key: None };
    Policy { approvers: vec![approver("Ada"), approver("Bob")], solo: false, signed: false }
}

impl World {
    fn of(history: &[Act]) -> World {
        let repository = MemoryRepository { paths: vec!["docs/a.md".into()], ..MemoryRepository::default() };
        let mut world = World {
            ledger: ken_log_memory::ledger(ReplicaId([1; 6])).unwrap(),
            repository,
            now: Millis(BEGIN),
        };
        for act in history {
            world.now.0 += 1;
            // What is refused does not happen.
            let _ = world.act(act);
        }
        world
    }

    fn writer(&self, who: usize) -> Writer {
        let actor = PEOPLE[who].to_owned();
        let approver = policy().approver(&actor).is_some();
        Writer { actor, now: self.now, authority: Authority::attended("human:Ada", approver) }
    }

    fn entries(&self, episodic: bool) -> Vec<Entry> {
        let all = self.ledger.list(&Query { all: true, ..Query::default() }).unwrap().entries;
        let mut all: Vec<Entry> = all.into_iter().map(|stored| stored.entry).collect();
        all.retain(|entry| (entry.memory() == Memory::Episodic) == episodic);
        all.sort_by_key(|entry| (entry.created, entry.key));
        all
    }

    fn pick(&self, episodic: bool, at: usize) -> Option<Entry> {
        let all = self.entries(episodic);
        (!all.is_empty()).then(|| all[at % all.len()].clone())
    }

    fn state(&mut self, norm: bool, statement: &str, evidence: Vec<String>) -> Result<()> {
        let content = match norm {
            true => json!({"rule": statement}),
            false => json!({"statement": statement, "anchors": ["docs/a.md"], "verification": ["look"]}),
        };
        let input = AddInput {
            kind: Some(if norm { "commit_norm" } else { "lesson" }.to_owned()),
            content: content.as_object().unwrap().clone(),
            evidence,
            ..AddInput::default()
        };
        let writer = self.writer(3);
        add(&mut self.ledger, &self.repository, input, &Intake::default(), &writer).map(drop)
    }

    fn act(&mut self, act: &Act) -> Result<()> {
        let agent = self.writer(3);
        let intake = Intake::default();
        match act {
            Act::Note(text) => {
                note::note(&mut self.ledger, &self.repository, TEXTS[*text], &[], &intake, &agent)?;
            }
            Act::Friction(text) => {
                let context = json!({"message": TEXTS[*text]});
                note::friction(&mut self.ledger, &self.repository, "redo", context, &intake, &agent)?;
            }
            Act::Add { text, norm, copied } => {
                let said = match copied {
                    true => TEXTS[*text].to_uppercase(),
                    false => format!("{} So warm it.", TEXTS[*text]),
                };
                self.state(*norm, &said, vec!["doc:docs/a.md".into()])?;
            }
            Act::Cite { record, norm, beside } => {
                let Some(record) = self.pick(true, *record) else { return Ok(()) };
                let mut evidence = vec![format!("transcript:{}", record.id())];
                evidence.extend(beside.then(|| "doc:docs/a.md".to_owned()));
                self.state(*norm, &format!("What {} taught.", record.key), evidence)?;
            }
            Act::Derive { entry, record } => {
                let (Some(entry), Some(record)) = (self.pick(false, *entry), self.pick(true, *record)) else {
                    return Ok(());
                };
                let relation = Relation::DerivedFrom.word();
                change::link(&mut self.ledger, &entry.id(), relation, &record.id(), false, &agent)?;
            }
            Act::Reword { entry, record } => {
                let (Some(entry), Some(record)) = (self.pick(false, *entry), self.pick(true, *record)) else {
                    return Ok(());
                };
                let said = json!({"statement": record.fields.statement()});
                let change = Change { set: said.as_object().unwrap().clone(), ..Change::default() };
                let (id, citing) = (entry.id(), Citing::default());
                change::revise(&mut self.ledger, &self.repository, &id, change, citing, &intake, &agent)?;
            }
            Act::Replace { entry, record } => {
                let (Some(entry), Some(record)) = (self.pick(false, *entry), self.pick(true, *record)) else {
                    return Ok(());
                };
                change::supersede(&mut self.ledger, &entry.id(), &record.id(), "newer".into(), &agent)?;
            }
            Act::Propose { source, procedural, who, said } => {
                let Some(source) = self.pick(source % 2 == 0, *source) else { return Ok(()) };
                let mut input = ProposeInput {
                    sources: vec![source.id()],
                    to: if *procedural { "procedural" } else { "semantic" }.to_owned(),
                    evidence: vec!["doc:docs/a.md".into()],
                    reason: "seen often".into(),
                    ..ProposeInput::default()
                };
                if let Some(said) = said {
                    input.content = json!({"statement": TEXTS[*said]}).as_object().unwrap().clone();
                }
                let writer = self.writer(*who);
                promote::propose(&mut self.ledger, &self.repository, input, &intake, &writer)?;
            }
            Act::Approve { which, who } => {
                let all = self.ledger.promotions()?;
                let Some(one) = all.get(which % all.len().max(1)) else { return Ok(()) };
                let (policy, writer) = (policy(), self.writer(*who));
                let mut sign = |_: &str| Ok(None);
                let verify = |_: &str, _: &str, _: &str| false;
                let mut yes = Yes {
                    policy: &policy,
                    channel: "terminal",
                    sign: &mut sign,
                    verify: &verify,
                    shown: None,
                };
                let name = &one.proposed.promotion;
                promote::approve(&mut self.ledger, &self.repository, name, &mut yes, &intake, &writer)?;
            }
            Act::Reject { which, who } => {
                let all = self.ledger.promotions()?;
                let Some(one) = all.get(which % all.len().max(1)) else { return Ok(()) };
                let writer = self.writer(*who);
                promote::reject(&mut self.ledger, &one.proposed.promotion, "no".into(), &writer)?;
            }
            Act::Retract { entry, who } => {
                let Some(entry) = self.pick(false, *entry) else { return Ok(()) };
                let writer = self.writer(*who);
                change::retract(&mut self.ledger, &entry.id(), "old".into(), &writer)?;
            }
            Act::Restore { entry, who } => {
                let Some(entry) = self.pick(false, *entry) else { return Ok(()) };
                let writer = self.writer(*who);
                change::restore(&mut self.ledger, &entry.id(), "new".into(), &writer)?;
            }
            Act::Undo { who } => {
                let writer = self.writer(*who);
                change::undo(&mut self.ledger, &writer.actor, Attendance::Unattended, &writer)?;
            }
        }
        Ok(())
    }

    /// Whether something episodic is in an entry, told without the code that is tested.
    fn is_from_records(&self, entry: &Entry) -> bool {
        let fold = |text: &str| text.to_lowercase().trim_end_matches('.').to_owned();
        let records = self.entries(true);
        let copied = records.iter().any(|record| {
            fold(&record.fields.statement()) == fold(&entry.fields.statement())
                && record.created < entry.created
        });
        let derived = entry.links.iter().any(|link| {
            link.relation == Relation::DerivedFrom && records.iter().any(|record| record.key == link.to)
        });
        let is_record = |text: &str| records.iter().any(|record| record.id() == text);
        let sole =
            !entry.citations.is_empty() && entry.citations.iter().all(|one| is_record(&one.evidence_ref));
        copied || derived || sole
    }

    /// Whether a person who may, and who had not asked, approved it.
    fn is_approved(&self, entry: &Entry) -> bool {
        entry.approvals.iter().any(|approval| {
            self.ledger.promotions().unwrap().iter().any(|promotion| {
                promotion.proposed.promotion == approval.promotion
                    && matches!(promotion.answer, Answer::Approved { .. })
                    && !promotion.proposed.evidence.is_empty()
                    && !promotion.proposed.sources.is_empty()
                    && ["human:Ada", "human:Bob"].contains(&approval.by.as_str())
                    && approval.by != promotion.by
            })
        })
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    // GAT-2, invariant 7.
    #[test]
    fn nothing_episodic_becomes_knowledge_without_an_approved_artifact(history in prop::collection::vec(act(), 1..30)) {
        let world = World::of(&history);
        let known = world.entries(false);
        for entry in &known {
            prop_assert!(
                !world.is_from_records(entry) || world.is_approved(entry),
                "{} came from records without an approval: {:?}", entry.id(), entry.fields.statement()
            );
        }
        let policy = policy();
        let standing = promote::authorities(world.ledger.projection(), &known, &policy, &|_, _, _| false).unwrap();
        for entry in &known {
            let in_force = standing.get(&entry.key).is_some_and(|one| one.state == Standing::InForce);
            prop_assert!(!in_force || world.is_approved(entry), "{} is in force without an approval", entry.id());
        }
        let answer = gate(world.ledger.projection(), &crate::look(&policy, world.now)).unwrap();
        let backflow = answer.gates.iter().find(|gate| gate.name == "episodic.no_backflow").unwrap();
        prop_assert!(backflow.found.is_empty(), "{:?}", backflow.found);
    }
}

// COR-1. Regression: a norm whose evidence was cited in 2023 counted as confirmed on the day it was added.
#[test]
fn a_norm_is_as_old_as_its_newest_citation_says() {
    let mut world = World::of(&[]);
    let mut add = |rule: &str, cited: serde_json::Value| {
        let content = json!({ "rule": rule, "provenance": cited });
        let input = AddInput {
            kind: Some("commit_norm".into()),
            content: content.as_object().unwrap().clone(),
            ..AddInput::default()
        };
        let writer = Writer {
            actor: "human:Ada".into(),
            now: world.now,
            authority: Authority::attended("human:Ada", false),
        };
        add(&mut world.ledger, &world.repository, input, &Intake::default(), &writer).unwrap().id
    };
    let cited =
        |at: i64| json!({"evidence_type": "pr", "evidence_ref": "12", "cited_by": "ada", "cited_at": at});
    let old = add("Name the unit.", json!([cited(1_680_000_000), cited(1_700_000_000)]));
    let now = json!({"evidence_type": "pr", "evidence_ref": "13"});
    let young = add("Sign every tag.", json!([cited(1_700_000_000), now]));
    let stated = |id: &str| {
        let key = world.ledger.resolve(id).unwrap()[0];
        world.ledger.stored(key).unwrap().unwrap().entry.stated_at().millis().date()
    };
    assert_eq!((stated(&old).as_str(), stated(&young)), ("2023-11-14", world.now.date()));
    let answer = gate(world.ledger.projection(), &crate::look(&policy(), world.now)).unwrap();
    let staleness = answer.gates.iter().find(|gate| gate.name == "knowledge.staleness").unwrap();
    let found: Vec<&str> = staleness.found.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with(&format!("{old} was not confirmed for ")), "{found:?}");
}

// A history in which an approval happens: the property above must not hold for want of one.
#[test]
fn an_approved_promotion_lets_a_record_through() {
    let world = World::of(&[
        Act::Note(0),
        Act::Propose { source: 0, procedural: true, who: 3, said: None },
        Act::Approve { which: 0, who: 3 },
        Act::Approve { which: 0, who: 2 },
        Act::Approve { which: 0, who: 0 },
    ]);
    let known = world.entries(false);
    assert_eq!(known.len(), 1);
    assert!(world.is_from_records(&known[0]) && world.is_approved(&known[0]));
}
