//! `add`: the one intake (shape, provenance, scan, scope rules, admission, dedup, append, project).

use std::collections::{BTreeMap, HashMap, HashSet};

use ken_core::Gap;
use ken_core::admission::Origin;
use ken_core::belief;
use ken_core::condition::Condition;
use ken_core::decide::{
    self, AddFacts, AddRequest, Addition, Context, Judged, OnConflict, Outcome, View, merge_name,
};
use ken_core::entry::{fold, revise as revise_fields};
use ken_core::event::{Basis, Seal};
use ken_core::evidence::Reference;
use ken_core::score::days_between;
use ken_core::trust::Trust;
use ken_core::validity::Answer;
use ken_core::words::{nearest, with_article};
use ken_core::{
    Anchor, Body, Citation, Clock, Code, Entry, EntryEvent, EntryKey, Event, EvidenceType, Fault, Fields,
    GivenId, Intent, Memory, Millis, Refusal, Scan, Spot, Type, TypeName, schema,
};
use ken_recall::Calibration;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::caller::Attendance;
use crate::cores;
use crate::error::{Error, Result};
use crate::flow::LedgerOrigins;
use crate::intake::{self, Intake};
use crate::ledger::Ledger;
use crate::limits::ops::NAMES_MAX;
use crate::log::ReadSet;
use crate::ops::similar;
use crate::ports::{Embedder, Presence, Repository, Uncaptured, Writer};
use crate::projection::{Projection, in_one_read};
use crate::validity::{InLedger, Names};
use crate::view::AdmissionView;

use super::authority::{is_or_was_verified, refuse_reword};
use super::grounds::decided;

/// A wish to add an entry, as any door hears it.
#[derive(Clone, Debug, Default)]
pub struct AddInput {
    /// The type, when it is said beside the content.
    pub kind: Option<String>,
    /// The memory it must belong to, when the caller says so.
    pub memory: Option<Memory>,
    /// The fields, with `id`, `type`, `schema_version` and `provenance` if the caller has them.
    pub content: Map<String, Value>,
    /// Evidence as people write it.
    pub evidence: Vec<String>,
    /// May enter with gaps.
    pub draft: bool,
    /// What becomes of evidence and anchors that are not in this repository.
    pub on_absent: OnAbsent,
    /// Anchors of the entry it takes the place of: they were looked for when they were stated.
    pub inherited_anchors: Vec<String>,
    /// Was taken out of a transcript by a machine: it may have gaps, and noise is refused (IN-7).
    pub extracted: bool,
    /// UPK-4: what it starts with as the summary of other entries.
    pub distilled: Option<SummaryStart>,
    /// What to do where another entry goes by the same merge key.
    pub on_conflict: OnConflict,
    /// When it was first said where it comes from, if that was elsewhere and earlier.
    pub since: Option<Millis>,
    /// Where it comes from. What it says of itself, a page or a peer, counts where that is less.
    pub origin: Origin,
}

/// UPK-4: what an entry that sums up others starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SummaryStart {
    /// Its alpha, in thousandths.
    pub alpha: u32,
    /// The mean weight of the ties between those entries, in thousandths.
    pub cluster_weight: u32,
}

/// What becomes of evidence and anchors whose absence from the repository is proved (COR-12).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnAbsent {
    /// Refused, unless a person confirms it.
    #[default]
    Refuse,
    /// The same, where somebody said `--unverified`: at a terminal that is the answer to the question.
    Accept,
    /// A gap, as in an import: somebody else looked for it where it comes from.
    Gap,
}

impl OnAbsent {
    /// What the flag `--unverified` asks for.
    pub fn for_flag(unverified: bool) -> OnAbsent {
        if unverified { OnAbsent::Accept } else { OnAbsent::Refuse }
    }

    /// Whether what is absent may be cited all the same.
    pub fn accepts(self, attendance: Attendance) -> bool {
        match (self, attendance) {
            (OnAbsent::Gap, _) | (_, Attendance::Confirmed) | (OnAbsent::Accept, Attendance::Attended) => {
                true
            }
            (OnAbsent::Refuse, Attendance::Attended)
            | (OnAbsent::Refuse | OnAbsent::Accept, Attendance::Unattended) => false,
        }
    }
}

/// What to say of a citation whose absence is proved.
pub(super) fn absent_fault(what: &str, attendance: Attendance) -> Fault {
    let instead = match attendance {
        Attendance::Unattended => "cite something that exists",
        Attendance::Attended | Attendance::Confirmed => "cite something that exists, or pass --unverified",
    };
    fault("evidence", format!("{what} is not in this repository; {instead}"))
}

/// The refusal of what is wrong; a person at a terminal is asked where it is only that things are absent.
pub(super) fn refuse_absent(
    faults: Vec<Fault>,
    absent: &[String],
    attendance: Attendance,
) -> Option<Refusal> {
    let all_absent = faults.len() == absent.len();
    let refusal = Refusal::from_faults(Code::Invalid, faults)?;
    Some(match attendance == Attendance::Attended && all_absent {
        true => refusal.confirm(format!("citing {}, which is not in this repository,", absent.join(" and "))),
        false => refusal,
    })
}

/// What became of it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AddAnswer {
    /// What became of it.
    pub outcome: Outcome,
    pub id: String,
    /// Its short citation.
    pub handle: String,
    /// Why, in sentences.
    pub reasons: Vec<String>,
    /// What it lacks.
    #[serde(skip)]
    pub gaps: Vec<Gap>,
    /// An entry said all of it already, evidence included: there was nothing to write.
    #[serde(skip)]
    pub is_unchanged: bool,
    /// The entry that says it is not handed out, and stays so.
    #[serde(skip)]
    pub is_retired: bool,
    /// An anchor cannot be tracked, or a condition does not hold or cannot be checked.
    #[serde(skip)]
    pub is_doubtful: bool,
    /// What the scanner said.
    pub scan: Scan,
    /// What spoke for it, where that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admission: Option<AdmissionView>,
}

impl AddAnswer {
    /// Whether it was kept out.
    pub fn is_rejected(&self) -> bool {
        self.outcome == Outcome::Rejected
    }
}

/// Adds one entry.
pub fn add(
    ledger: &mut Ledger,
    repository: &dyn Repository,
    input: AddInput,
    intake: &Intake<'_>,
    writer: &Writer,
) -> Result<AddAnswer> {
    add_if(ledger, repository, input, intake, writer, |_, _| Ok(()))
}

/// Adds one entry, unless `check` refuses what would become of it.
pub fn add_if(
    ledger: &mut Ledger,
    repository: &dyn Repository,
    input: AddInput,
    intake: &Intake<'_>,
    writer: &Writer,
    check: impl Fn(&dyn Projection, &AddAnswer) -> Result<()>,
) -> Result<AddAnswer> {
    let mut answers = add_all_if(ledger, repository, vec![input], intake, writer, check)?;
    answers.pop().ok_or_else(|| Error::failed("adding an entry")("nothing came back"))
}

/// Adds entries in one atomic batch: all of them or none.
pub fn add_all(
    ledger: &mut Ledger,
    repository: &dyn Repository,
    inputs: Vec<AddInput>,
    intake: &Intake<'_>,
    writer: &Writer,
) -> Result<Vec<AddAnswer>> {
    add_all_if(ledger, repository, inputs, intake, writer, |_, _| Ok(()))
}

fn add_all_if(
    ledger: &mut Ledger,
    repository: &dyn Repository,
    inputs: Vec<AddInput>,
    intake: &Intake<'_>,
    writer: &Writer,
    check: impl Fn(&dyn Projection, &AddAnswer) -> Result<()>,
) -> Result<Vec<AddAnswer>> {
    decided(ledger, |ledger, _| {
        let context = super::context(ledger, writer)?;
        let decided = decide_all(ledger, repository, inputs.clone(), intake, &context)?;
        let answers: Vec<AddAnswer> =
            decided.answers.iter().cloned().collect::<std::result::Result<_, _>>().map_err(Error::Refused)?;
        answers.iter().try_for_each(|answer| check(ledger.projection(), answer))?;
        decided.write_if_unchanged(ledger, writer)?;
        Ok(answers)
    })
}

/// What becomes of a wish, or why nothing does.
pub type Decision = std::result::Result<AddAnswer, Refusal>;

/// A batch that is decided and not written.
#[derive(Default)]
pub struct Decided {
    /// What becomes of each wish.
    pub answers: Vec<Decision>,
    /// The entry that each wish is about.
    pub keys: Vec<Option<EntryKey>>,
    /// What is to be written for those that were not refused.
    pub intents: Vec<Intent>,
    held: Vec<(EntryKey, Value)>,
    /// Names that were free, or were somebody's, and how the entries were.
    read: ReadSet,
}

impl Decided {
    /// Writes it as [`Decided::write`] does, if nobody took a name in between, and nobody said the same.
    pub(super) fn write_if_unchanged(mut self, ledger: &mut Ledger, writer: &Writer) -> Result<Vec<Event>> {
        let read = std::mem::take(&mut self.read);
        self.hold(ledger)?;
        ledger.append_on(&read, self.intents, writer)
    }

    fn hold(&self, ledger: &mut Ledger) -> Result<()> {
        self.held.iter().try_for_each(|(key, held)| ledger.hold(*key, held))
    }

    /// Writes it, all of it or nothing. What was kept out is in the quarantine before the ledger says so.
    pub fn write(self, ledger: &mut Ledger, writer: &Writer) -> Result<Vec<Event>> {
        self.hold(ledger)?;
        ledger.append(self.intents, writer)
    }
}

/// Decides a batch without writing it. A wish that is refused leaves the others alone.
pub fn decide_all(
    ledger: &mut Ledger,
    repository: &dyn Repository,
    inputs: Vec<AddInput>,
    intake: &Intake<'_>,
    context: &Context,
) -> Result<Decided> {
    decide_with(ledger, repository, inputs, Flow::Checked, intake, context)
}

/// Names the files that the anchors of wishes are in, so that parsing them can begin before they are captured.
pub fn prefetch_anchors(inputs: &[AddInput], intake: &Intake<'_>) {
    let Some(ground) = intake.ground else { return };
    let anchors = inputs.iter().filter_map(|input| input.content.get("anchors")?.as_array()).flatten();
    let places = anchors.filter_map(|anchor| anchor.as_str().or_else(|| anchor.get("at")?.as_str()));
    ground.borrow_mut().prefetch(places.filter_map(|at| Spot::parse(at).path).collect());
}

/// Whether it is looked at where a wish comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// Nothing episodic becomes knowledge (GAT-2).
    Checked,
    /// A person approved that it does.
    Approved,
}

pub(super) fn decide_with(
    ledger: &mut Ledger,
    repository: &dyn Repository,
    inputs: Vec<AddInput>,
    flow: Flow,
    intake: &Intake<'_>,
    context: &Context,
) -> Result<Decided> {
    prefetch_anchors(&inputs, intake);
    let ScannedBatch(scanned) = ScannedBatch::now(inputs, intake.names, repository);
    decide_scanned(ledger, repository, scanned, flow, intake, context)
}

/// Wishes that were scanned before their turn comes: a scan needs nothing but the texts.
#[derive(Clone, Debug)]
pub struct ScannedBatch(Vec<Scanned>);

impl ScannedBatch {
    /// Scans wishes one after the other, beside other work.
    pub fn aside(inputs: Vec<AddInput>, names: &intake::Names, repository: &dyn Repository) -> ScannedBatch {
        ScannedBatch(inputs.into_iter().map(|input| Scanned::new(input, names, repository)).collect())
    }

    /// Scans wishes on all cores, for who waits for them.
    pub fn now(
        mut inputs: Vec<AddInput>,
        names: &intake::Names,
        repository: &dyn Repository,
    ) -> ScannedBatch {
        let scan = |input: &mut AddInput| Scanned::new(std::mem::take(input), names, repository);
        ScannedBatch(cores::each(&mut inputs, scan))
    }

    /// Adds those that are not refused, all of them or none, unless `check` refuses what becomes of them. They are decided again where another
    /// process wrote some of them in between.
    pub fn add(
        &self,
        ledger: &mut Ledger,
        repository: &dyn Repository,
        intake: &Intake<'_>,
        writer: &Writer,
        check: impl Fn(&[Decision]) -> Result<()>,
    ) -> Result<Vec<Decision>> {
        decided(ledger, |ledger, _| {
            let context = super::context(ledger, writer)?;
            let wishes = self.0.clone();
            let mut decided = decide_scanned(ledger, repository, wishes, Flow::Checked, intake, &context)?;
            check(&decided.answers)?;
            let answers = std::mem::take(&mut decided.answers);
            decided.write_if_unchanged(ledger, writer)?;
            Ok(answers)
        })
    }
}

/// A wish whose texts were scanned, and from which the values of secrets were taken out.
#[derive(Clone, Debug)]
pub(super) struct Scanned {
    input: AddInput,
    scan: Scan,
    /// Whether it is known already that its words fit its scope.
    is_in_scope: bool,
}

impl Scanned {
    fn new(mut input: AddInput, names: &intake::Names, repository: &dyn Repository) -> Scanned {
        pin(&mut input, repository);
        let scan = clean(&mut input);
        let is_in_scope = intake::fits_scope(&input.content, names, repository);
        Scanned { input, scan, is_in_scope }
    }

    /// The same of what somebody else wrote: words that do not fit its scope are left out first. Says how many.
    pub(super) fn fitting(
        mut input: AddInput,
        names: &intake::Names,
        repository: &dyn Repository,
    ) -> (Scanned, usize) {
        pin(&mut input, repository);
        let left_out = intake::leave_out(&mut input.content, names, repository);
        let scan = clean(&mut input);
        // Where nothing was left out and nothing redacted, the words are those that were looked at.
        let is_in_scope = left_out == 0 && scan.findings.is_empty();
        (Scanned { input, scan, is_in_scope }, left_out)
    }

    /// The name it wishes to have.
    pub(super) fn id(&self) -> Option<GivenId> {
        self.input.content.get("id").and_then(Value::as_str).and_then(|id| GivenId::parse(id).ok())
    }

    /// It goes by no name of its own.
    pub(super) fn without_id(&mut self) {
        self.input.content.remove("id");
    }
}

pub(super) fn decide_scanned(
    ledger: &mut Ledger,
    repository: &dyn Repository,
    scanned: Vec<Scanned>,
    flow: Flow,
    intake: &Intake<'_>,
    context: &Context,
) -> Result<Decided> {
    let commits = Commits::look_up(repository, scanned.iter().map(|one| &one.input));
    let read = |one| read(one, repository, &commits, intake, context);
    let mut requests: Vec<_> = scanned.into_iter().map(read).collect();
    weigh_peers(ledger.projection(), &mut requests, context)?;
    if flow == Flow::Checked {
        in_one_read(ledger.projection(), || refuse_episodic(ledger.projection(), &mut requests))?;
    }
    // Of many at once it would be seen who says what the store says, and not who says what another of them does: they wait.
    if let [Ok(Wish { request, .. })] = requests.as_mut_slice()
        && !intake.compares_later
    {
        look_around(ledger, request, intake.embedder)?;
    }
    // The conditions of a single wish are evaluated at once, which can take too long for a read transaction.
    if requests.len() == 1 {
        return decide_read(ledger.projection(), requests, intake, context);
    }
    in_one_read(ledger.projection(), || decide_read(ledger.projection(), requests, intake, context))
}

/// Looks which entries are near in meaning; where that cannot be told, which share words.
fn look_around(ledger: &mut Ledger, request: &mut AddRequest, embedder: Option<&dyn Embedder>) -> Result<()> {
    let (memory, fields) = (request.kind.memory(), &request.fields);
    request.judged.near = match embedder {
        Some(_) if request.judged.scan.tier.is_rejected() => Some(Vec::new()),
        Some(embedder) => similar::near(ledger, memory, fields, embedder)?,
        None => None,
    };
    if request.judged.near.is_none() && !request.judged.scan.tier.is_rejected() {
        request.judged.sharing_words = similar::sharing_words(ledger, memory, fields)?;
    }
    Ok(())
}

/// A wish that was read, or why it is refused.
type ReadWish = std::result::Result<Wish, Refusal>;

/// IN-5: the word of another instance counts by what became of its entries here. Of one whose entries nobody used, nothing is known.
fn weigh_peers(ledger: &dyn Projection, requests: &mut [ReadWish], context: &Context) -> Result<()> {
    let mut known: BTreeMap<String, Origin> = BTreeMap::new();
    for wish in requests.iter_mut().flatten() {
        let AddRequest { fields, judged, .. } = &mut wish.request;
        let peer = fields.source.as_ref().and_then(|source| source.peer.as_ref());
        let Some(peer) = peer.filter(|_| judged.arrival.from == Origin::UnknownPeer) else { continue };
        judged.arrival.from = match known.get(peer) {
            Some(from) => *from,
            None => {
                let glances = ledger.glances()?;
                let of_peer = glances.iter().filter(|glance| glance.peer.as_ref() == Some(peer));
                let marks = of_peer.flat_map(|glance| &glance.record.0);
                let trust = Trust::on(belief::day(context.now), marks);
                let is_known = trust.succeeded + trust.failed > 0;
                let from = if is_known { Origin::Peer(trust.score()) } else { Origin::UnknownPeer };
                known.insert(peer.clone(), from);
                from
            }
        };
    }
    Ok(())
}

/// Refuses wishes that are something episodic under another name.
fn refuse_episodic(ledger: &dyn Projection, requests: &mut [ReadWish]) -> Result<()> {
    let origins = LedgerOrigins::new(ledger);
    for request in requests {
        let Ok(wish) = request else { continue };
        match crate::flow::check_wish(&origins, &wish.request) {
            Ok(()) => {}
            Err(Error::Refused(refusal)) => *request = Err(refusal),
            Err(failed) => return Err(failed),
        }
    }
    Ok(())
}

/// Decides wishes that were read.
fn decide_read(
    ledger: &dyn Projection,
    requests: Vec<ReadWish>,
    intake: &Intake<'_>,
    context: &Context,
) -> Result<Decided> {
    // Of one, it is told at once what its conditions answer; of many, `check` tells.
    let alone = requests.len() == 1;
    let mut decided = Decided::default();
    decided.read.log_end = ledger.log_end()?;
    let mut batch = Batch::new(ledger, context);
    for request in requests {
        let (answer, key) = match request {
            Ok(wish) => decide_one(&mut batch, wish, alone, intake, &mut decided)?,
            Err(refusal) => (Err(refusal), None),
        };
        decided.answers.push(answer);
        decided.keys.push(key);
    }
    decided.intents = batch.intents;
    Ok(decided)
}

/// Notes how names are on which the decision about a wish rests, before it is made.
fn note_names(read: &mut ReadSet, ledger: &dyn Projection, request: &AddRequest) -> Result<()> {
    if let Some(id) = &request.id {
        read.ids.insert(id.clone(), ledger.holder(id)?);
    }
    if let Some(name) = merge_name(&TypeName::Known(request.kind), &request.fields) {
        let holder = ledger.merged(&name)?;
        read.merges.insert(name, holder);
    }
    Ok(())
}

/// What becomes of a wish, and the entry it is about.
type Became = (Decision, Option<EntryKey>);

/// Decides one wish of a batch. What it needs is looked up first, and a lookup that fails ends the whole batch.
fn decide_one(
    batch: &mut Batch<'_>,
    Wish { request, mut doubts, remarks, cites_absent_only }: Wish,
    alone: bool,
    intake: &Intake<'_>,
    decided: &mut Decided,
) -> Result<Became> {
    let wished_key = request.key();
    let version = batch.view.version(wished_key)?;
    note_names(&mut decided.read, batch.view, &request)?;
    if alone && !request.judged.scan.tier.is_rejected() {
        doubts.extend(unmet(&request.fields.depends_on, batch.view, intake)?);
    }
    let scan = request.judged.scan.clone();
    let wished = request.clone();
    let facts = AddFacts::load(batch, &request)?;
    if let Some(old) = &facts.by_merge_key
        && request.on_conflict == OnConflict::Supersede
        && intake.attendance == Attendance::Unattended
        && is_or_was_verified(batch.view, old)?
    {
        let id = old.id();
        let message = format!("superseding {id}, which is or was verified, requires a person");
        let hint = format!("add it without a merge key, and ask a person to run `ken supersede {id} NEW`");
        return Ok((Err(Refusal::new(Code::NotAllowed, message).hint(hint).field("on_conflict")), None));
    }
    let by_merge_key = facts.by_merge_key.clone();
    // Of many, only what is new must still be new: what is cited twice is cited.
    if alone || facts.existing.is_none() {
        decided.read.entries.insert(wished_key, version);
    }
    let addition = match decide::add(facts, request, batch.context) {
        Ok(addition) => addition,
        Err(refusal) => return Ok((Err(refusal), None)),
    };
    for intent in &addition.intents {
        if let Body::Entry(EntryEvent::Revised(revised)) = &intent.body
            && let Some(old) = by_merge_key.as_ref().filter(|old| intent.entry == Some(old.key))
        {
            let (after, who) = (revise_fields(old.fields.clone(), revised), &batch.context.actor);
            if let Some(refusal) = refuse_reword(batch.view, old, &after, intake.attendance, who)? {
                return Ok((Err(refusal), None));
            }
        }
    }
    let key = addition.key;
    if addition.outcome == Outcome::Rejected && !addition.intents.is_empty() {
        decided.held.push((key, held(&wished, batch.context)));
    }
    let mut answer = answer(&addition, scan);
    if addition.outcome == Outcome::Added {
        answer.is_doubtful = !doubts.is_empty();
        answer.reasons.extend(doubts.into_iter().chain(remarks));
    }
    if cites_absent_only && !answer.gaps.contains(&Gap::Provenance) {
        answer.gaps.push(Gap::Provenance);
    }
    batch.say(addition);
    Ok((Ok(answer), Some(key)))
}

/// A wish that was read, with what was noticed about its anchors and evidence.
struct Wish {
    request: AddRequest,
    /// Why anchors cannot be tracked, in sentences.
    doubts: Vec<String>,
    /// What names that may mean several things were taken for, in sentences.
    remarks: Vec<String>,
    /// All it cites is proved to be absent.
    cites_absent_only: bool,
}

/// An anchor at which nothing was captured.
#[derive(Debug)]
pub(super) struct Unseen {
    /// As it was written.
    pub(super) at: String,
    why: Uncaptured,
}

impl Unseen {
    /// Whether it is proved that there is no such place.
    pub(super) fn is_absent(&self) -> bool {
        matches!(self.why, Uncaptured::Absent(_))
    }

    /// What follows for an entry that keeps the anchor.
    pub(super) fn note(&self) -> String {
        format!("{} cannot be tracked: {}", self.at, self.why.reason())
    }

    /// What is wrong with it where it is refused.
    pub(super) fn fault(&self, attendance: Attendance) -> Fault {
        let instead = match attendance {
            Attendance::Unattended => "anchor existing code",
            Attendance::Attended | Attendance::Confirmed => "anchor existing code, or pass --unverified",
        };
        fault("anchors", format!("{}: {}; {instead}", self.at, self.why.reason()))
    }
}

/// What came of looking at the places of an entry.
#[derive(Debug, Default)]
pub(super) struct Capturing {
    /// What names that may mean several things were taken for, in sentences.
    pub(super) remarks: Vec<String>,
    /// Places at which nothing was captured.
    pub(super) unseen: Vec<Unseen>,
}

/// Takes down what is to be seen at each place (VAL-3), and says of which nothing is, and which could mean something else.
pub(super) fn capture(anchors: &mut [Anchor], intake: &Intake<'_>) -> Capturing {
    let mut capturing = Capturing::default();
    for anchor in anchors {
        // What somebody else says was seen there counts for nothing.
        anchor.captured = None;
        let Some(ground) = intake.ground else { continue };
        match ground.borrow_mut().capture(anchor) {
            Ok(None) => {}
            Ok(Some(taken)) => capturing.remarks.push(format!("{} {taken}", anchor.at)),
            Err(why) => capturing.unseen.push(Unseen { at: anchor.at.clone(), why }),
        }
    }
    capturing
}

/// Conditions that do not hold, or that nobody can ever tell.
pub(super) fn unmet(
    conditions: &[String],
    ledger: &dyn Projection,
    intake: &Intake<'_>,
) -> Result<Vec<String>> {
    let names = InLedger(ledger);
    let mut told = Vec::new();
    for text in conditions {
        let condition = match Condition::parse(text) {
            Ok(condition) => condition,
            Err(why) => {
                told.push(format!("`{text}` cannot be checked: {why}"));
                continue;
            }
        };
        if let Some(name) = condition.name()
            && names.named(name)?.is_some()
        {
            continue;
        }
        match intake.ground.map(|ground| ground.borrow_mut().condition(&condition)) {
            Some(Answer::Holds(_)) | None => {}
            Some(Answer::Broken(why)) => told.push(format!("`{text}` does not hold: {why}")),
            Some(Answer::Unverifiable(why)) => told.push(format!("`{text}` cannot be checked: {why}")),
        }
    }
    Ok(told)
}

/// Rewrites what holds only here and now.
fn pin(input: &mut AddInput, repository: &dyn Repository) {
    super::pinned::pin_evidence(&mut input.evidence, repository);
    super::pinned::pin_fields(&mut input.content, repository);
}

/// Scans every text of a wish and takes secrets out of it, before anything else looks at it.
fn clean(input: &mut AddInput) -> Scan {
    let mut scan = intake::unsullied();
    intake::clean(&mut input.content, &mut scan);
    for text in input.evidence.iter_mut().chain(&mut input.kind) {
        intake::clean_text("evidence", text, &mut scan);
    }
    scan
}

/// What the quarantine keeps of a wish: all that is needed to state it after all.
fn held(request: &AddRequest, context: &Context) -> Value {
    json!({
        "type": request.kind.word(),
        "id": request.id.as_ref().map(GivenId::as_str),
        "fields": request.fields,
        "evidence": request.evidence,
        "scan": request.judged.scan,
        "by": context.actor,
        "at": context.now.to_string(),
    })
}

/// A wish as the quarantine kept it.
pub fn from_held(held: &Value) -> Option<AddRequest> {
    let kind = Type::from_word(held.get("type")?.as_str()?)?;
    let fields = Fields::read(held.get("fields")?);
    let evidence: Vec<Citation> = serde_json::from_value(held.get("evidence")?.clone()).ok()?;
    let scan: Scan = serde_json::from_value(held.get("scan")?.clone()).ok()?;
    let id = held.get("id").and_then(Value::as_str).and_then(|id| GivenId::parse(id).ok());
    Some(AddRequest { id, ..AddRequest::scanned(kind, fields, evidence, scan) })
}

fn hash(kind: Type, fields: &Fields) -> String {
    let text = serde_json::to_string(&json!([kind.word(), fields])).unwrap_or_default();
    blake3::hash(text.as_bytes()).to_hex()[..40].to_owned()
}

fn answer(addition: &Addition, scan: Scan) -> AddAnswer {
    AddAnswer {
        outcome: addition.outcome,
        id: addition.id.clone(),
        handle: addition.handle.clone(),
        reasons: addition.reasons.clone(),
        gaps: addition.gaps.clone(),
        is_unchanged: addition.intents.is_empty() && addition.outcome != Outcome::Rejected,
        is_retired: addition.is_retired,
        is_doubtful: false,
        scan,
        admission: addition.admission.as_ref().map(AdmissionView::from),
    }
}

/// Which of the cited commits exist, asked once for a whole batch.
pub struct Commits(HashMap<String, Presence>);

impl Commits {
    fn look_up<'a>(repository: &dyn Repository, inputs: impl Iterator<Item = &'a AddInput>) -> Commits {
        let mut names: HashSet<String> = HashSet::new();
        for input in inputs {
            let written = input.evidence.iter().filter_map(|text| Reference::parse(text).ok());
            let stated = input
                .content
                .get("provenance")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(stated_reference);
            names.extend(
                written
                    .chain(stated)
                    .filter(|r| r.evidence_type == EvidenceType::Commit)
                    .map(|r| r.evidence_ref),
            );
        }
        let names: Vec<String> = names.into_iter().collect();
        let found = if names.is_empty() { Vec::new() } else { repository.commits(&names) };
        Commits(names.into_iter().zip(found).collect())
    }

    /// Looks up the commits of some references.
    pub fn resolve(repository: &dyn Repository, evidence: &[String]) -> Commits {
        let input = AddInput { evidence: evidence.to_vec(), ..AddInput::default() };
        Commits::look_up(repository, std::iter::once(&input))
    }
}

fn too_many(count: usize) -> String {
    format!("has {count} members; at most {NAMES_MAX} are allowed in one call")
}

fn stated_reference(value: &Value) -> Option<Reference> {
    if let Value::String(text) = value {
        return Reference::parse(text).ok();
    }
    let kind = EvidenceType::from_word(value.get("evidence_type")?.as_str()?)?;
    Reference::with_type(kind, value.get("evidence_ref")?.as_str()?).ok()
}

/// Reads a wish strictly and names everything that is wrong with it.
fn read(
    scanned: Scanned,
    repository: &dyn Repository,
    commits: &Commits,
    intake: &Intake<'_>,
    context: &Context,
) -> std::result::Result<Wish, Refusal> {
    let mut faults = Vec::new();
    let mut absent = Vec::new();
    let AddInput {
        kind,
        memory,
        mut content,
        evidence,
        draft,
        on_absent,
        inherited_anchors,
        extracted,
        distilled,
        mut on_conflict,
        since,
        origin,
    } = scanned.input;
    let draft = draft || extracted;
    if let Some(said) = content.remove("on_conflict") {
        on_conflict = read_on_conflict(&said, &mut faults).unwrap_or(on_conflict);
        if !content.contains_key("merge_key") {
            faults.push(fault("on_conflict", "needs a merge key: --merge-key NAME".to_owned()));
        }
    }
    faults.extend(claims_distilled(&content));
    if let Some(SummaryStart { alpha, cluster_weight }) = distilled {
        let source = content.entry("source").or_insert_with(|| json!({}));
        if !source.is_object() {
            *source = json!({});
        }
        source["distilled"] = alpha.into();
        source["cluster_weight"] = cluster_weight.into();
    }
    // What a machine took out of a transcript, and what a page says, fades fast unless somebody says more (ENT-7, COR-5).
    let fades = extracted || matches!(origin, Origin::Page(_)) || names_a_page(&content);
    read_durability(&mut content, fades, &mut faults);
    let kind = read_type(kind.as_deref(), memory, content.remove("type"), &mut faults);
    let id = match content.remove("id") {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => {
            GivenId::parse(&text).map_err(|problem| faults.push(fault("id", problem))).ok()
        }
        Some(_) => {
            faults.push(fault("id", "is not a string".to_owned()));
            None
        }
    };
    match content.remove("schema_version") {
        None => {}
        Some(Value::String(version)) if version.split('.').next() == Some("1") => {}
        Some(other) => {
            faults.push(fault("schema_version", format!("unknown version {other}; allowed: 1.x.y")))
        }
    }
    let mut citations = Vec::new();
    match content.remove("provenance") {
        None | Some(Value::Null) => {}
        Some(Value::Array(list)) if list.len() > NAMES_MAX => {
            faults.push(fault("provenance", too_many(list.len())));
        }
        Some(Value::Array(list)) => {
            for (at, item) in list.into_iter().enumerate() {
                citations.extend(
                    read_citation(&item, since, context)
                        .map_err(|problem| faults.push(fault(&format!("provenance[{at}]"), problem))),
                );
            }
        }
        Some(_) => faults.push(fault("provenance", "is not a list of citations".to_owned())),
    }
    if evidence.len() > NAMES_MAX {
        faults.push(fault("evidence", too_many(evidence.len())));
    }
    let few = evidence.iter().filter(|_| evidence.len() <= NAMES_MAX);
    for text in few {
        match Reference::parse(text) {
            // It was cited when the entry was stated, where it was (COR-1).
            Ok(reference) => citations.push(cite_since(reference, since, context)),
            Err(problem) => faults.push(fault("evidence", problem)),
        }
    }
    // What a machine sums up is said now, whatever it cites.
    let since = since.or_else(|| cited_before(&citations, context).filter(|_| !extracted));
    let accepts_absent = !repository.proves_absence() || on_absent.accepts(intake.attendance);
    let mut absent_citations = 0;
    for citation in &mut citations {
        let found = found(citation, repository, commits);
        citation.unverified = !matches!(found, EvidencePresence::Yes);
        if matches!(found, EvidencePresence::No) {
            absent_citations += 1;
            if !accepts_absent {
                let what = format!("{} {:?}", citation.evidence_type, citation.evidence_ref);
                faults.push(absent_fault(&what, intake.attendance));
                absent.push(what);
            }
        }
    }
    let mut fields = match kind {
        Some(kind) => match schema::read_content(kind, content) {
            Ok(fields) => {
                if kind.memory() == Memory::Procedural {
                    faults.extend(crate::norms::faults(kind, fields.enforcement.as_ref()));
                }
                fields
            }
            Err(more) => {
                faults.extend(more);
                Fields::default()
            }
        },
        None => Fields::default(),
    };
    let (mut doubts, mut remarks) = (Vec::new(), Vec::new());
    if !scanned.scan.tier.is_rejected() {
        let capturing = capture(&mut fields.anchors, intake);
        remarks = capturing.remarks;
        for anchor in capturing.unseen {
            let is_invented = anchor.is_absent() && !inherited_anchors.contains(&anchor.at);
            match is_invented && !accepts_absent {
                true => {
                    faults.push(anchor.fault(intake.attendance));
                    absent.push(format!("anchor {:?}", anchor.at));
                }
                false => doubts.push(anchor.note()),
            }
        }
    }
    if !faults.is_empty() {
        // The missing citation is always reported, whatever else is wrong.
        if citations.is_empty()
            && kind.is_some_and(Type::needs_provenance)
            && !draft
            && !faults.iter().any(|f| f.field == "evidence")
        {
            faults.push(fault(
                "provenance",
                "provenance required: at least one citation, --evidence KIND:REF".to_owned(),
            ));
        }
        return Err(refuse_absent(faults, &absent, intake.attendance).expect("there is a fault"));
    }
    let kind = kind.expect("without a type there is a fault");
    if extracted {
        intake::check_noise(&fields)?;
    }
    if !scanned.is_in_scope {
        intake::check_scope(&fields, intake.names, repository)?;
    }
    let calibration = intake.embedder.map_or(Calibration::MINILM, |embedder| embedder.card().calibration);
    let mut judged = Judged {
        hash: hash(kind, &fields),
        weights: intake.weights.clone(),
        same_min: if extracted { calibration.ask_min } else { calibration.reinforce_min },
        ask_min: calibration.ask_min,
        ..Judged::from(origin, kind, &fields, !citations.is_empty(), scanned.scan)
    };
    if let Some(since) = since {
        judged.arrival.age_days = days_between(since, context.now).max(0) as f64;
    }
    let cites_absent_only =
        repository.proves_absence() && absent_citations > 0 && absent_citations == citations.len();
    let (evidence, restores) = (citations, !extracted);
    let request = AddRequest { kind, id, fields, evidence, draft, on_conflict, since, restores, judged };
    Ok(Wish { request, doubts, remarks, cites_absent_only })
}

fn read_on_conflict(said: &Value, faults: &mut Vec<Fault>) -> Option<OnConflict> {
    let found = OnConflict::ALL.into_iter().find(|value| said.as_str() == Some(value.word()));
    if found.is_none() {
        faults.push(fault("on_conflict", format!("unknown value {said}; allowed: merge, supersede, reject")));
    }
    found
}

/// ENT-7: words for how long something lasts, each with the decay class that it means.
const DURABILITIES: [(&str, &str); 3] =
    [("workaround", "ephemeral"), ("convention", "stable"), ("principle", "permanent")];

/// The words for how long something lasts.
pub const DURABILITY_WORDS: &[&str] = &[DURABILITIES[0].0, DURABILITIES[1].0, DURABILITIES[2].0];

/// Whether content says that a page is its source.
fn names_a_page(content: &Map<String, Value>) -> bool {
    content.get("source").and_then(|source| source.get("page")).is_some_and(Value::is_string)
}

/// What starts with the belief in other entries is for `maintain` alone to say.
pub(super) fn claims_distilled(content: &Map<String, Value>) -> Option<Fault> {
    let source = content.get("source")?;
    let is_said = |name: &&str| source.get(*name).is_some_and(|said| !said.is_null());
    let name = ["distilled", "cluster_weight"].into_iter().find(is_said)?;
    Some(fault(&format!("source.{name}"), "is set by `ken maintain distill` alone; leave it out".to_owned()))
}

/// ENT-7: words for how long something lasts are decay classes; what fades fast is ephemeral unless it says more.
fn read_durability(content: &mut Map<String, Value>, fades: bool, faults: &mut Vec<Fault>) {
    if let Some(said) = content.remove("durability") {
        match DURABILITIES.iter().find(|(word, _)| said.as_str() == Some(word)) {
            Some((word, class)) => match content.get("decay_class") {
                None => drop(content.insert("decay_class".to_owned(), Value::from(*class))),
                Some(other) if other.as_str() == Some(class) => {}
                Some(other) => faults
                    .push(fault("durability", format!("{word} means {class}, but decay_class is {other}"))),
            },
            None => faults.push(fault(
                "durability",
                format!("unknown value {said}; allowed: workaround, convention, principle"),
            )),
        }
    }
    if fades && !content.contains_key("decay_class") {
        content.insert("decay_class".to_owned(), Value::from("ephemeral"));
    }
}

fn read_type(
    said: Option<&str>,
    memory: Option<Memory>,
    stated: Option<Value>,
    faults: &mut Vec<Fault>,
) -> Option<Type> {
    let stated = match stated {
        None => None,
        Some(Value::String(text)) => Some(text),
        Some(_) => {
            faults.push(fault("type", "is not a string".to_owned()));
            return None;
        }
    };
    let word = match (said, stated.as_deref()) {
        (Some(said), Some(stated)) if said != stated => {
            faults.push(fault("type", format!("is {said:?} in the command and {stated:?} in the content")));
            return None;
        }
        (Some(word), _) | (None, Some(word)) => word.to_owned(),
        (None, None) => match memory {
            Some(Memory::Semantic) => "entity".to_owned(),
            _ => {
                let fits = |kind: &&Type| memory.is_none_or(|memory| kind.memory() == memory);
                let words: Vec<&str> = Type::ALL.iter().filter(fits).map(|kind| kind.word()).collect();
                faults.push(fault("type", format!("is missing; allowed: {}", words.join(", "))));
                return None;
            }
        },
    };
    let Some(kind) = Type::from_word(&word) else {
        faults.push(fault("type", unknown_type(&word)));
        return None;
    };
    if let Some(memory) = memory.filter(|memory| *memory != kind.memory()) {
        let problem = format!("{} belongs to {} memory, not to {memory}", with_article(kind), kind.memory());
        faults.push(fault("type", problem));
        return None;
    }
    Some(kind)
}

/// Words that people use for types.
const OTHER_WORDS: &[(Type, &[&str])] = &[
    (Type::Lesson, &["fact", "gotcha", "tip", "learned", "insight", "knowledge"]),
    (Type::CommitNorm, &["rule", "norm", "policy", "standard"]),
    (Type::Spike, &["experiment", "research"]),
    (Type::Incident, &["issue", "outage", "postmortem"]),
    (Type::Signal, &["note", "todo"]),
    (Type::Entity, &["service", "module", "component"]),
];

/// What to say about a word that is no type.
pub fn unknown_type(word: &str) -> String {
    let lower = word.to_lowercase();
    let parent = Type::ALL.iter().find(|kind| kind.subtypes().contains(&lower.as_str()));
    let known = OTHER_WORDS.iter().find(|(_, words)| words.contains(&lower.as_str()));
    let near = match (parent, known) {
        (Some(parent), _) => format!("did you mean `{parent}` with `--subtype {lower}`? "),
        (None, Some((kind, _))) => format!("did you mean `{kind}`? "),
        (None, None) => nearest(word, Type::WORDS.iter().copied())
            .map(|near| format!("did you mean `{near}`? "))
            .unwrap_or_default(),
    };
    format!("unknown entry type {word:?}; {near}allowed: {}", Type::WORDS.join(", "))
}

fn read_citation(
    value: &Value,
    since: Option<Millis>,
    context: &Context,
) -> std::result::Result<Citation, String> {
    if let Value::String(text) = value {
        return Reference::parse(text).map(|reference| cite_since(reference, since, context));
    }
    let Value::Object(map) = value else {
        return Err("is not a citation: {evidence_type, evidence_ref, cited_by, cited_at}".to_owned());
    };
    let known = ["evidence_type", "evidence_ref", "cited_by", "cited_at", "unverified"];
    if let Some(odd) = map.keys().find(|name| !known.contains(&name.as_str())) {
        return Err(format!("has an unknown field {odd:?}; allowed: {}", known.join(", ")));
    }
    let text = |name: &str| map.get(name).and_then(Value::as_str);
    let kind_word = text("evidence_type").ok_or("has no evidence_type")?;
    let kind = EvidenceType::from_word(kind_word).ok_or_else(|| {
        format!("unknown evidence_type {kind_word:?}; allowed: {}", EvidenceType::WORDS.join(", "))
    })?;
    let reference = Reference::with_type(kind, text("evidence_ref").ok_or("has no evidence_ref")?)?;
    let mut citation = cite_since(reference, since, context);
    if let Some(by) = text("cited_by").filter(|by| !by.trim().is_empty()) {
        if let Some(fault) = schema::check_text("cited_by", by, ken_core::limits::WORD_CHARS_MAX) {
            return Err(format!("cited_by {}", fault.problem));
        }
        citation.cited_by = by.to_owned();
    }
    match map.get("cited_at") {
        None => {}
        Some(at) => {
            citation.cited_at =
                at.as_i64().filter(|at| *at >= 0).ok_or("cited_at is not a Unix time in seconds")?
        }
    }
    Ok(citation)
}

/// COR-1: when somebody last cited evidence for an entry, where they say that all of it was cited before today.
fn cited_before(citations: &[Citation], context: &Context) -> Option<Millis> {
    let newest = citations.iter().map(|citation| citation.cited_at).max()?;
    let newest = Millis(newest.checked_mul(1000)?);
    (days_between(newest, context.now) > 0).then_some(newest)
}

/// A citation of something that was first said elsewhere, where that is known.
fn cite_since(reference: Reference, since: Option<Millis>, context: &Context) -> Citation {
    let now = context.now.seconds();
    Citation { cited_at: since.map_or(now, |since| since.seconds().min(now)), ..cite(reference, context) }
}

/// A citation by whoever acts, now.
pub fn cite(reference: Reference, context: &Context) -> Citation {
    Citation {
        evidence_type: reference.evidence_type,
        evidence_ref: reference.evidence_ref,
        cited_by: context.actor.clone(),
        cited_at: context.now.seconds(),
        unverified: false,
        withdrawn: false,
    }
}

/// Whether evidence is here.
pub enum EvidencePresence {
    Yes,
    /// It should be and is not.
    No,
    /// Nobody can tell from here.
    Unknown,
}

/// Looks for evidence (ENT-4).
pub fn found(citation: &Citation, repository: &dyn Repository, commits: &Commits) -> EvidencePresence {
    let reference =
        Reference { evidence_type: citation.evidence_type, evidence_ref: citation.evidence_ref.clone() };
    match citation.evidence_type {
        EvidenceType::Commit => match commits.0.get(&citation.evidence_ref) {
            Some(Presence::Present) => EvidencePresence::Yes,
            Some(Presence::Absent) => EvidencePresence::No,
            Some(Presence::Unknown) | None => EvidencePresence::Unknown,
        },
        EvidenceType::Pr | EvidenceType::Transcript => EvidencePresence::Unknown,
        EvidenceType::Doc | EvidenceType::Test => match reference.path().map(|path| repository.path(path)) {
            Some(Presence::Present) => EvidencePresence::Yes,
            Some(Presence::Absent) => EvidencePresence::No,
            Some(Presence::Unknown) | None => EvidencePresence::Unknown,
        },
    }
}

fn fault(field: &str, problem: String) -> Fault {
    Fault { field: field.to_owned(), problem }
}

/// What is known, and what this batch is about to say.
pub struct Batch<'a> {
    view: &'a dyn Projection,
    context: &'a Context,
    /// What will be written.
    pub intents: Vec<Intent>,
    by_key: HashMap<EntryKey, Vec<usize>>,
    by_id: HashMap<GivenId, EntryKey>,
    by_merge_name: HashMap<String, EntryKey>,
    handles: HashSet<String>,
}

impl<'a> Batch<'a> {
    /// An empty batch.
    pub fn new(view: &'a dyn Projection, context: &'a Context) -> Self {
        Batch {
            view,
            context,
            intents: Vec::new(),
            by_key: HashMap::new(),
            by_id: HashMap::new(),
            by_merge_name: HashMap::new(),
            handles: HashSet::new(),
        }
    }

    /// Takes an addition into the batch.
    pub fn say(&mut self, addition: Addition) {
        if matches!(addition.outcome, Outcome::Added | Outcome::Held | Outcome::Rejected) {
            if let Ok(id) = GivenId::parse(&addition.id) {
                self.by_id.insert(id, addition.key);
            }
            self.handles.insert(addition.handle.clone());
        }
        for intent in addition.intents {
            if let ken_core::Body::Entry(ken_core::EntryEvent::Added(added)) = &intent.body
                && added.fields.get("merge_key").is_some()
                && let Some(name) = merge_name(&added.kind, &Fields::read(&added.fields))
            {
                self.by_merge_name.insert(name, addition.key);
            }
            if let Some(key) = intent.entry {
                self.by_key.entry(key).or_default().push(self.intents.len());
            }
            self.intents.push(intent);
        }
    }
}

impl View for Batch<'_> {
    type Error = Error;

    fn entry(&self, key: EntryKey) -> Result<Option<Entry>> {
        let Some(places) = self.by_key.get(&key).filter(|places| !places.is_empty()) else {
            return self.view.entry(key);
        };
        if let Some(entry) = self.view.entry(key)? {
            return Ok(Some(entry));
        }
        let events: Vec<Event> = places
            .iter()
            .enumerate()
            .map(|(at, place)| {
                let seal = Seal {
                    replica: self.context.replica,
                    seq: at as u64,
                    parents: Vec::new(),
                    clock: Clock::at(self.context.now),
                    actor: self.context.actor.clone(),
                    basis: Basis::default(),
                };
                Event::seal(&self.intents[*place], seal)
            })
            .collect();
        Ok(fold(&events, &|_| false))
    }

    fn holder(&self, id: &GivenId) -> Result<Option<EntryKey>> {
        match self.by_id.get(id) {
            Some(key) => Ok(Some(*key)),
            None => self.view.holder(id),
        }
    }

    fn handle_taken(&self, handle: &str) -> Result<bool> {
        Ok(self.handles.contains(handle) || self.view.handle_taken(handle)?)
    }

    fn merged(&self, name: &str) -> Result<Option<EntryKey>> {
        match self.by_merge_name.get(name) {
            Some(key) => Ok(Some(*key)),
            None => self.view.merged(name),
        }
    }
}
