//! `promote propose|list|show|approve|reject`: how knowledge gains authority (GAT-2).

use std::collections::BTreeMap;

use ken_core::answer::PromotionState;
use ken_core::decide::{self, Context};
use ken_core::promotion::{
    Answer, Approved, Authority, Draft, Policy, Promotion, Proposed, Standing, Verify, authority, signed_text,
};
use ken_core::words::{nearest, with_article};
use ken_core::{
    Body, Citation, Code, Entry, EntryKey, Fields, Intent, LinkEvent, Memory, PromotionEvent, Refusal,
    Relation, Type, flow, schema,
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::add::{
    AddInput, Commits, EvidencePresence, Flow, OnAbsent, absent_fault, cite, decide_with, found,
    refuse_absent,
};
use super::{context, find};
use crate::caller::Attendance;
use crate::deliver;
use crate::error::{Error, Result};
use crate::intake::{self, Intake};
use crate::ledger::Ledger;
use crate::ports::{Repository, Stored, Writer};
use crate::projection::Projection;
use crate::query::{Overlaid, Query};

/// A wish that something gains authority, as any door hears it.
#[derive(Clone, Debug, Default)]
pub struct ProposeInput {
    /// What it is made from.
    pub sources: Vec<String>,
    /// The memory it should enter.
    pub to: String,
    /// The type of the new entry, where there will be one.
    pub kind: Option<String>,
    /// What the new entry should say; where it says nothing the only source does.
    pub content: Map<String, Value>,
    /// Evidence as people write it; that of the sources where there is none.
    pub evidence: Vec<String>,
    /// May cite a file that is not there.
    pub unverified: bool,
    pub reason: String,
}

/// A proposal as people see it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PromotionView {
    pub id: String,
    /// How it stands.
    pub state: PromotionState,
    /// The memory it should enter.
    pub to: Memory,
    /// What it is made from.
    pub sources: Vec<SourceView>,
    /// What speaks for it.
    pub evidence: Vec<String>,
    pub reason: String,
    pub proposer: String,
    pub proposed_at: String,
    /// What the new entry would say; none where the source itself should count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draft: Option<Value>,
    /// What the source says that should count, whole: an approval is of all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub says: Option<Value>,
    /// Hash of the words that an approval would be of: given back with it, no other words are approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// The entry that counts, or should.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered_at: Option<String>,
    /// Why, where they said no.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Whether one person both asked and agreed.
    pub solo: bool,
    /// What somebody should know.
    pub notes: Vec<String>,
}

/// An entry that a proposal is made from.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SourceView {
    pub id: String,
    pub memory: Memory,
    /// What it says, in a line.
    pub title: String,
}

/// Asks for it. What the new entry would say goes through the whole intake now, so that nobody is asked about what could not be.
pub fn propose(
    ledger: &mut Ledger,
    repository: &dyn Repository,
    input: ProposeInput,
    intake: &Intake<'_>,
    writer: &Writer,
) -> Result<PromotionView> {
    let context = context(ledger, writer)?;
    let (intents, notes) = decide_proposal(ledger, repository, input, intake, &context)?;
    let (name, is_known) = name_of(ledger.projection(), &intents)?;
    if !is_known {
        ledger.append(intents, writer)?;
    }
    let mut view = show(ledger.projection(), &name)?;
    view.notes.extend(notes);
    if is_known {
        view.notes.push(format!(
            "it was already proposed; nothing was written. To ask differently, first: ken promote reject {name} --reason '...'"
        ));
    }
    Ok(view)
}

/// What [`propose`] would do, in sentences; nothing is written.
pub fn plan(
    ledger: &mut Ledger,
    repository: &dyn Repository,
    input: ProposeInput,
    intake: &Intake<'_>,
    writer: &Writer,
) -> Result<Vec<String>> {
    let context = context(ledger, writer)?;
    let (intents, notes) = decide_proposal(ledger, repository, input, intake, &context)?;
    let (name, is_known) = name_of(ledger.projection(), &intents)?;
    let mut steps = vec![match is_known {
        true => format!("write nothing: {name} already proposes it"),
        false => format!("propose it as {name}, which counts once an approver confirms it"),
    }];
    steps.extend(notes);
    Ok(steps)
}

/// The name of a proposal, and whether it is there already.
fn name_of(ledger: &dyn Projection, intents: &[Intent]) -> Result<(String, bool)> {
    let name = intents.iter().find_map(|intent| intent.body.promotion().map(str::to_owned));
    let name = name.ok_or_else(|| Error::failed("proposing a promotion")("nothing was decided"))?;
    let asked = intents.iter().find_map(|intent| match &intent.body {
        Body::Promotion(PromotionEvent::Proposed(asked)) => Some(asked),
        _ => None,
    });
    // Another reason or more evidence for what is still open is the same wish: nobody should have to answer it twice.
    let is_same = |known: &Promotion| match asked {
        Some(asked) => known.is_open() && known.proposed.asks_the_same(asked),
        None => false,
    };
    let known = ledger.promotions()?;
    let exact = known.iter().find(|known| known.proposed.promotion == name);
    let known = exact.or_else(|| known.iter().find(|known| is_same(known)));
    let known = known.map(|known| known.proposed.promotion.clone());
    Ok((known.clone().unwrap_or(name), known.is_some()))
}

fn decide_proposal(
    ledger: &mut Ledger,
    repository: &dyn Repository,
    mut input: ProposeInput,
    intake: &Intake<'_>,
    context: &Context,
) -> Result<(Vec<Intent>, Vec<String>)> {
    intake::clean_word("reason", &mut input.reason)?;
    let to = read_memory(&input.to)?;
    let sources =
        input.sources.iter().map(|name| find(ledger.projection(), name)).collect::<Result<Vec<Stored>>>()?;
    let entries: Vec<&Entry> = sources.iter().map(|stored| &stored.entry).collect();
    let evidence = read_evidence(&input, &entries, repository, intake.attendance, context)?;
    let mut notes = Vec::new();
    let itself = matches!(entries.as_slice(), [one] if one.memory() == to)
        && input.content.is_empty()
        && input.kind.is_none();
    let draft = match itself {
        true => None,
        false => Some(read_draft(&input, to, &entries, &mut notes)?),
    };
    if let ([one], true) = (entries.as_slice(), itself) {
        if to != Memory::Procedural {
            let message = format!("{} is already {to}", one.id());
            return Err(Refusal::new(Code::NotAllowed, message).field("to").into());
        }
        if !one.status.is_retrieved() {
            let message = format!("{} is {} and cannot be put in force", one.id(), one.status);
            return Err(Refusal::new(Code::NotAllowed, message)
                .hint(format!("ken restore {} first", one.id()))
                .into());
        }
    }
    let proposed = Proposed {
        promotion: String::new(),
        to,
        sources: entries.iter().map(|entry| entry.key).collect(),
        evidence,
        reason: input.reason,
        draft,
    };
    let intents = decide::ask(proposed.clone(), &entries, context)?;
    if let Some(draft) = &proposed.draft {
        // The same steps as when it is approved, with nothing written: what fails then should fail now.
        let wish = wish(draft, &proposed.evidence);
        let mut decided =
            decide_with(ledger, repository, vec![wish], Flow::Approved, &words_only(intake), context)?;
        let answer = decided.answers.remove(0).map_err(Error::Refused)?;
        if answer.is_rejected() {
            return Err(Refusal::new(
                Code::Rejected,
                format!("the proposal would be quarantined: {}", answer.reasons.join("; ")),
            )
            .hint("reword it: --statement '...'")
            .into());
        }
    }
    Ok((intents, notes))
}

/// Nothing is compared by meaning: what is promoted is meant to say what its source says.
fn words_only<'a>(intake: &Intake<'a>) -> Intake<'a> {
    Intake { embedder: None, weights: intake.weights.clone(), ..*intake }
}

fn read_memory(word: &str) -> Result<Memory> {
    Memory::from_word(word).filter(|memory| *memory != Memory::Episodic).ok_or_else(|| {
        Refusal::new(Code::Invalid, format!("unknown target {word:?}; allowed: semantic, procedural"))
            .field("to")
            .into()
    })
}

/// The evidence that is given, or that the sources rest on. Each is looked for, as in every other intake.
fn read_evidence(
    input: &ProposeInput,
    sources: &[&Entry],
    repository: &dyn Repository,
    attendance: Attendance,
    context: &Context,
) -> Result<Vec<Citation>> {
    let mut given = input.evidence.clone();
    given.iter_mut().try_for_each(|text| intake::clean_word("evidence", text))?;
    super::pinned::pin_evidence(&mut given, repository);
    let commits = Commits::resolve(repository, &given);
    let mut citations = Vec::new();
    for text in &given {
        let reference = ken_core::evidence::Reference::parse(text)
            .map_err(|problem| Refusal::new(Code::Invalid, problem).field("evidence"))?;
        let mut citation = cite(reference, context);
        citation.unverified = match found(&citation, repository, &commits) {
            EvidencePresence::Yes => false,
            EvidencePresence::Unknown => true,
            EvidencePresence::No if OnAbsent::for_flag(input.unverified).accepts(attendance) => true,
            EvidencePresence::No => {
                let (fault, absent) = (absent_fault(text, attendance), [text.clone()]);
                return Err(refuse_absent(vec![fault], &absent, attendance)
                    .expect("there is a fault")
                    .into());
            }
        };
        citations.push(citation);
    }
    if citations.is_empty() {
        let of_sources = sources.iter().filter(|source| source.memory() != Memory::Episodic);
        citations.extend(of_sources.flat_map(|source| source.evidence().cloned()));
    }
    citations.sort();
    citations.dedup();
    Ok(citations)
}

fn read_draft(
    input: &ProposeInput,
    to: Memory,
    sources: &[&Entry],
    notes: &mut Vec<String>,
) -> Result<Draft> {
    let mut content = input.content.clone();
    let only = match sources {
        [one] => Some(*one),
        _ => None,
    };
    let has_words =
        ["statement", "rule", "description", "title", "name"].iter().any(|word| content.contains_key(*word));
    if !has_words {
        let Some(only) = only.filter(|only| !only.fields.statement().is_empty()) else {
            return Err(Refusal::new(Code::Invalid, "several sources need a common statement")
                .hint("give one: --statement '...'")
                .field("statement")
                .into());
        };
        content.insert("statement".into(), Value::from(only.fields.statement().into_owned()));
    }
    let said = ["statement", "rule"].iter().find_map(|word| content.get(*word)?.as_str());
    let said = said.map(str::to_owned).unwrap_or_default();
    let kind =
        match content.remove("type").and_then(|kind| kind.as_str().map(str::to_owned)).or(input.kind.clone())
        {
            Some(word) => read_type(&word, to)?,
            None => {
                let kind = guess_type(to, &said);
                notes.push(format!("it would be {}, which differs from --type", with_article(kind.word())));
                kind
            }
        };
    // A lesson and its norm are about the same code.
    if let Some(only) = only.filter(|_| to == Memory::Semantic) {
        for name in ["anchors", "verification", "tags", "domains"] {
            let fields = serde_json::to_value(&only.fields).unwrap_or_default();
            if let (false, Some(value)) = (content.contains_key(name), fields.get(name)) {
                content.insert(name.to_owned(), value.clone());
            }
        }
    }
    let id = match content.remove("id") {
        None | Some(Value::Null) => None,
        Some(id) => Some(
            ken_core::GivenId::parse(id.as_str().unwrap_or_default())
                .map_err(|problem| Refusal::new(Code::Invalid, format!("id: {problem}")).field("id"))?,
        ),
    };
    let mut scan = intake::unsullied();
    intake::clean(&mut content, &mut scan);
    if scan.tier.is_rejected() {
        return Err(intake::kept_out("what is proposed", &scan));
    }
    let fields: Fields = schema::read_content(kind, content)
        .map_err(|faults| Refusal::from_faults(Code::Invalid, faults).expect("there is a fault"))?;
    Ok(Draft {
        kind: ken_core::TypeName::Known(kind),
        id,
        fields: serde_json::to_value(fields).unwrap_or_default(),
    })
}

fn read_type(word: &str, to: Memory) -> Result<Type> {
    let plain = word.to_lowercase().replace('-', "_");
    let allowed: Vec<&str> =
        Type::ALL.iter().filter(|kind| kind.memory() == to).map(|kind| kind.word()).collect();
    Type::from_word(&plain).filter(|kind| kind.memory() == to).ok_or_else(|| {
        let near = nearest(&plain, allowed.iter().copied())
            .map(|near| format!("did you mean `{near}`? "))
            .unwrap_or_default();
        let message = format!("unknown {to} type {word:?}; {near}allowed: {}", allowed.join(", "));
        Refusal::new(Code::Invalid, message).field("type").into()
    })
}

/// What kind of entry it will be where nobody says: read off its words.
fn guess_type(to: Memory, words: &str) -> Type {
    let words = words.to_lowercase();
    let has = |some: &[&str]| some.iter().any(|word| words.contains(word));
    match to {
        Memory::Semantic | Memory::Episodic => Type::Lesson,
        Memory::Procedural if has(&["commit"]) => Type::CommitNorm,
        Memory::Procedural if has(&["pull request", "review", "merge", "branch"]) => Type::PrExpectation,
        Memory::Procedural if has(&["risk"]) => Type::RiskTier,
        Memory::Procedural => Type::UserExpectation,
    }
}

fn wish(draft: &Draft, evidence: &[Citation]) -> AddInput {
    let mut content = match &draft.fields {
        Value::Object(fields) => fields.clone(),
        _ => Map::new(),
    };
    if let Some(id) = &draft.id {
        content.insert("id".into(), Value::from(id.as_str()));
    }
    content.insert("provenance".into(), serde_json::to_value(evidence).unwrap_or_default());
    AddInput {
        kind: Some(draft.kind.word().to_owned()),
        content,
        // What distilled records lack stays marked as missing (ENT-5).
        draft: true,
        on_absent: OnAbsent::Gap,
        ..AddInput::default()
    }
}

/// The proposal of some name, or the beginning of one.
pub fn find_promotion(ledger: &dyn Projection, name: &str) -> Result<Promotion> {
    let wanted = name.trim().to_lowercase();
    let all = ledger.promotions()?;
    let exact = all.iter().find(|one| one.proposed.promotion.to_lowercase() == wanted);
    if let Some(exact) = exact {
        return Ok(exact.clone());
    }
    let begins = |one: &&Promotion| {
        let id = one.proposed.promotion.to_lowercase();
        id.starts_with(&wanted) || id.trim_start_matches("p-").starts_with(&wanted)
    };
    let found: Vec<&Promotion> = all.iter().filter(|_| wanted.len() >= 3).filter(begins).collect();
    match found.as_slice() {
        [one] => Ok((*one).clone()),
        [] => {
            let open: Vec<&str> = all
                .iter()
                .filter(|one| one.answer == Answer::Open)
                .map(|one| one.proposed.promotion.as_str())
                .collect();
            let hint = match open.is_empty() {
                true => {
                    "there are no open proposals; `ken promote list --all` includes answered ones".to_owned()
                }
                false => format!("open proposals: {}", open.join(", ")),
            };
            Err(Refusal::new(Code::NotFound, format!("unknown proposal {name:?}"))
                .hint(hint)
                .field("promotion")
                .into())
        }
        many => {
            let names: Vec<&str> = many.iter().map(|one| one.proposed.promotion.as_str()).collect();
            Err(Refusal::new(Code::Ambiguous, format!("{name:?} matches {}", names.join(", ")))
                .hint("give more characters")
                .field("promotion")
                .into())
        }
    }
}

/// Every proposal, or those that wait for an answer.
pub fn list(ledger: &dyn Projection, all: bool) -> Result<Vec<PromotionView>> {
    let promotions = ledger.promotions()?;
    let wanted = promotions.iter().filter(|one| all || one.answer == Answer::Open);
    wanted.map(|one| view(ledger, one)).collect()
}

/// One proposal, whole.
pub fn show(ledger: &dyn Projection, name: &str) -> Result<PromotionView> {
    view(ledger, &find_promotion(ledger, name)?)
}

fn view(ledger: &dyn Projection, promotion: &Promotion) -> Result<PromotionView> {
    let Promotion { proposed, by, at, answer } = promotion;
    let mut sources = Vec::new();
    let mut notes = Vec::new();
    for key in &proposed.sources {
        match ledger.stored(*key)? {
            Some(stored) => sources.push(SourceView {
                id: stored.id.clone(),
                memory: stored.entry.memory(),
                title: deliver::safe(&stored.entry.fields.title()),
            }),
            None => notes.push(format!("its source {key} is missing")),
        }
    }
    let target = match promotion.target() {
        Some(key) => ledger.stored(key)?,
        None => None,
    };
    let entry =
        promotion.target().map(|key| target.as_ref().map_or(key.to_string(), |stored| stored.id.clone()));
    let itself = target.as_ref().filter(|_| proposed.draft.is_none());
    let (state, answered_by, answered_at, said, solo) = match answer {
        Answer::Open => (PromotionState::Open, None, None, None, false),
        Answer::Approved { by, at, solo, .. } => (PromotionState::Approved, Some(by), Some(at), None, *solo),
        Answer::Rejected { by, at, reason } => {
            (PromotionState::Rejected, Some(by), Some(at), Some(reason.clone()), false)
        }
    };
    let draft = proposed.draft.as_ref().map(|draft| {
        let mut shown = intake::redacted(draft.fields.clone());
        if let Value::Object(members) = &mut shown {
            members.insert("type".into(), Value::from(draft.kind.word()));
            if let Some(id) = &draft.id {
                members.insert("id".into(), Value::from(id.as_str()));
            }
        }
        shown
    });
    Ok(PromotionView {
        id: proposed.promotion.clone(),
        state,
        to: proposed.to,
        sources,
        evidence: proposed
            .evidence
            .iter()
            .map(|one| format!("{}:{}", one.evidence_type, one.evidence_ref))
            .collect(),
        reason: intake::redacted_text(&proposed.reason),
        proposer: by.clone(),
        proposed_at: at.millis().to_string(),
        draft,
        says: itself.map(|stored| says(&stored.entry)),
        words: match &proposed.draft {
            Some(draft) => Some(draft.binding_hash()),
            None => itself.map(|stored| stored.entry.binding_hash()),
        },
        entry,
        answered_by: answered_by.cloned(),
        answered_at: answered_at.map(|at| at.millis().to_string()),
        answer: said.map(|reason| intake::redacted_text(&reason)),
        solo,
        notes,
    })
}

/// Everything of a norm that binds people.
fn says(entry: &Entry) -> Value {
    let fields = intake::redacted(serde_json::to_value(&entry.fields).unwrap_or_default());
    let mut shown = Map::new();
    shown.insert("type".into(), Value::from(entry.kind.word()));
    if let Value::Object(fields) = fields {
        let binds = |name: &str| !matches!(name, "tags" | "domains" | "anchors" | "thread");
        shown.extend(fields.into_iter().filter(|(name, _)| binds(name)));
    }
    Value::Object(shown)
}

/// How a person says yes.
pub struct Yes<'a> {
    pub policy: &'a Policy,
    /// How they were asked.
    pub channel: &'a str,
    /// Signs a text, where approvals are signed here.
    pub sign: &'a mut dyn FnMut(&str) -> Result<Option<String>>,
    /// Whether a signature fits.
    pub verify: Verify<'a>,
    /// Hash of the words that they were shown: they agree to nothing else.
    pub shown: Option<String>,
}

/// Says yes: the entry counts from now on. All of it is one write.
pub fn approve(
    ledger: &mut Ledger,
    repository: &dyn Repository,
    name: &str,
    yes: &mut Yes<'_>,
    intake: &Intake<'_>,
    writer: &Writer,
) -> Result<PromotionView> {
    let promotion = find_promotion(ledger.projection(), name)?;
    let context = context(ledger, writer)?;
    let (intents, notes) = decide_yes(ledger, repository, &promotion, Vec::new(), yes, intake, &context)?;
    ledger.append(intents, writer)?;
    let mut view = show(ledger.projection(), &promotion.proposed.promotion)?;
    view.notes.extend(notes);
    Ok(view)
}

/// What somebody is about to say yes to; or why they cannot. Nothing is written.
pub fn approvable(
    ledger: &mut Ledger,
    repository: &dyn Repository,
    name: &str,
    yes: &mut Yes<'_>,
    intake: &Intake<'_>,
    writer: &Writer,
) -> Result<PromotionView> {
    let promotion = find_promotion(ledger.projection(), name)?;
    let context = context(ledger, writer)?;
    decide_yes(ledger, repository, &promotion, Vec::new(), yes, intake, &context)?;
    view(ledger.projection(), &promotion)
}

/// An approver stated a norm: it is proposed and accepted in one write.
pub fn accept_stated(
    ledger: &mut Ledger,
    repository: &dyn Repository,
    name: &str,
    yes: &mut Yes<'_>,
    intake: &Intake<'_>,
    writer: &Writer,
) -> Result<PromotionView> {
    let context = context(ledger, writer)?;
    let stored = find(ledger.projection(), name)?;
    let input = ProposeInput {
        sources: vec![stored.id.clone()],
        to: Memory::Procedural.word().to_owned(),
        reason: "stated by an approver".to_owned(),
        unverified: true,
        ..ProposeInput::default()
    };
    let (asked, _) = decide_proposal(ledger, repository, input, intake, &context)?;
    let Some(Body::Promotion(PromotionEvent::Proposed(proposed))) = asked.first().map(|intent| &intent.body)
    else {
        return Err(Error::failed("accepting a norm")("nothing was proposed"));
    };
    let name = proposed.promotion.clone();
    let promotion = Promotion {
        proposed: (**proposed).clone(),
        by: writer.actor.clone(),
        at: stored.entry.updated,
        answer: Answer::Open,
    };
    let (intents, notes) = decide_yes(ledger, repository, &promotion, asked, yes, intake, &context)?;
    ledger.append(intents, writer)?;
    let mut view = show(ledger.projection(), &name)?;
    view.notes.extend(notes);
    Ok(view)
}

fn decide_yes(
    ledger: &mut Ledger,
    repository: &dyn Repository,
    promotion: &Promotion,
    before: Vec<Intent>,
    yes: &mut Yes<'_>,
    intake: &Intake<'_>,
    context: &Context,
) -> Result<(Vec<Intent>, Vec<String>)> {
    let proposed = &promotion.proposed;
    for key in &proposed.sources {
        let source = ledger.entry(*key)?;
        let usable = source.as_ref().is_some_and(|source| {
            !matches!(source.status, ken_core::Status::Retracted | ken_core::Status::Rejected)
        });
        if !usable {
            return Err(flow::violation(format!(
                "{} is derived from {key}, which no longer exists",
                proposed.promotion
            ))
            .into());
        }
    }
    let mut intents = before;
    let mut notes = Vec::new();
    let entry = match &proposed.draft {
        None => {
            let key = proposed.sources.first().copied().unwrap_or(EntryKey([0; 8]));
            let entry = ledger.entry(key)?.ok_or_else(|| flow::violation("its norm no longer exists"))?;
            if !entry.status.is_retrieved() {
                let message = format!("{} is {} and cannot be put in force", entry.id(), entry.status);
                return Err(Refusal::new(Code::NotAllowed, message)
                    .hint(format!("ken restore {} first", entry.id()))
                    .into());
            }
            entry
        }
        Some(draft) => {
            let wish = wish(draft, &proposed.evidence);
            let mut decided =
                decide_with(ledger, repository, vec![wish], Flow::Approved, &words_only(intake), context)?;
            let answer = decided.answers.remove(0).map_err(Error::Refused)?;
            if answer.is_rejected() {
                return Err(Refusal::new(
                    Code::Rejected,
                    format!("the proposed text was quarantined: {}", answer.reasons.join("; ")),
                )
                .into());
            }
            let key = decided.intents.first().and_then(|intent| intent.entry);
            let entry = match key.and_then(|key| decide::foreseen(&decided.intents, key, context)) {
                Some(entry) => entry,
                // It is said already: that entry counts.
                None => find(ledger.projection(), &answer.id)?.entry,
            };
            notes.extend(answer.reasons);
            let is_new = !decided.intents.is_empty();
            intents.append(&mut decided.intents);
            for source in proposed.sources.iter().filter(|source| **source != entry.key) {
                let body = Body::Link(LinkEvent::Linked { relation: Relation::DerivedFrom, to: *source });
                let tied = entry
                    .links
                    .iter()
                    .any(|link| link.relation == Relation::DerivedFrom && link.to == *source);
                if is_new && !tied {
                    intents.push(Intent { entry: Some(entry.key), body });
                }
            }
            entry
        }
    };
    if let Some((id, why)) = contradicts(ledger.projection(), &entry, yes.policy, yes.verify)? {
        let message = format!(
            "the gate knowledge.contradictions blocks this promotion: it contradicts {id}, which is in force: {why}"
        );
        return Err(Refusal::new(Code::NotAllowed, message)
            .hint(format!("retract or supersede {id} first, or reject this one"))
            .into());
    }
    let words = entry.binding_hash();
    let would_count = proposed.draft.as_ref().map_or_else(|| words.clone(), Draft::binding_hash);
    if yes.shown.as_ref().is_some_and(|shown| *shown != would_count) {
        let message =
            format!("{} was reworded since it was shown to you, so nothing was approved", entry.id());
        return Err(Refusal::new(Code::NotAllowed, message)
            .hint("read it as it is now, then approve it again")
            .field("words")
            .into());
    }
    let text = signed_text(&proposed.promotion, entry.key, &words, &context.actor);
    let signature = (yes.sign)(&text)?;
    let said = Approved {
        promotion: proposed.promotion.clone(),
        words,
        channel: yes.channel.to_owned(),
        solo: false,
        signature,
    };
    intents.extend(decide::approve(promotion, &entry, yes.policy, said, context)?);
    Ok((intents, notes))
}

/// The norm in force that an entry contradicts, and why (`knowledge.contradictions`).
pub fn contradicts(
    ledger: &dyn Projection,
    entry: &Entry,
    policy: &Policy,
    verify: Verify<'_>,
) -> Result<Option<(String, String)>> {
    if entry.memory() != Memory::Procedural {
        return Ok(None);
    }
    let mut norms = norms(ledger)?;
    let standing = authorities(ledger, &norms, policy, verify)?;
    norms.retain(|norm| {
        norm.key != entry.key && standing.get(&norm.key).is_some_and(|one| one.state == Standing::InForce)
    });
    Ok(norms.iter().find_map(|norm| {
        let (_, _, why) = ken_core::gate::contradictions(&[norm, entry]).into_iter().next()?;
        Some((norm.id(), why))
    }))
}

/// Every norm that is handed out.
pub fn norms(ledger: &dyn Projection) -> Result<Vec<Entry>> {
    let query = Query { memories: vec![Memory::Procedural], overlaid: Overlaid::Any, ..Query::default() };
    Ok(ledger.list(&query)?.entries.into_iter().map(|stored| stored.entry).collect())
}

/// Whether entries have authority, by who may give it.
pub fn authorities<'a>(
    ledger: &dyn Projection,
    entries: impl IntoIterator<Item = &'a Entry>,
    policy: &Policy,
    verify: Verify<'_>,
) -> Result<BTreeMap<EntryKey, Authority>> {
    let promotions = promotions_by_name(ledger)?;
    let judged = entries.into_iter().filter(|entry| !entry.approvals.is_empty());
    Ok(judged.map(|entry| (entry.key, authority(entry, &promotions, policy, verify))).collect())
}

/// Every promotion, by its name.
pub(crate) fn promotions_by_name(ledger: &dyn Projection) -> Result<BTreeMap<String, Promotion>> {
    let promotions = ledger.promotions()?;
    Ok(promotions.into_iter().map(|one| (one.proposed.promotion.clone(), one)).collect())
}

pub fn reject(ledger: &mut Ledger, name: &str, mut reason: String, writer: &Writer) -> Result<PromotionView> {
    intake::clean_word("reason", &mut reason)?;
    if reason.trim().is_empty() {
        return Err(Refusal::new(Code::Invalid, "a rejection needs a reason: --reason '...'")
            .field("reason")
            .into());
    }
    let promotion = find_promotion(ledger.projection(), name)?;
    let intents = decide::turn_down(&promotion, reason)?;
    ledger.append(intents, writer)?;
    show(ledger.projection(), &promotion.proposed.promotion)
}
