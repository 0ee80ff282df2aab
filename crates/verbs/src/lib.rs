//! Every verb as an operation over ports, the table that lists them, and the workspace they run in.
//!
//! Nothing here chooses a log, an index, a model or a provider: [`Adapters`] does, and `kenning` has the one of the product.

pub mod access;
mod adapters;
mod adopt;
mod approvers;
mod archive;
pub mod around;
mod background;
mod brief;
mod bulk;
mod call;
mod change_set;
mod check;
mod compared;
pub mod config;
pub mod connection;
mod content;
pub mod deliveries;
mod diff;
mod digest;
mod doctor;
mod drift;
mod eval_judge;
pub mod evaluate;
mod field;
pub mod foreign;
mod gate;
mod global;
pub mod harvest;
mod health;
mod identity;
mod judge;
mod learn;
mod limits;
mod maintain;
mod merge;
mod options;
mod overlay;
mod overrides;
mod promote;
mod queue;
mod recall;
mod resume;
mod role;
mod run;
mod scan;
pub mod session;
mod stats;
mod status;
pub mod table;
pub mod templates;
pub mod verb;
mod workspace;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

pub use self::promote::PromotionPlan;
pub use adapters::{Adapters, Models, Opener};
pub use adopt::Adopted;
pub use background::MAINTAINER;
pub use brief::BriefAnswer;
pub use bulk::{BulkOptions, BulkProgress, BulkReport, Unit, invalid_json, read_content};
pub use change_set::TreeAfter;
pub use check::{Proof, StepAnswer, StepOutcome};
pub use config::{Config, WhoSets};
pub use diff::{Diff, DiffEntry, DiffTotals, FieldChange};
pub use digest::{
    AcceptAnswer, AlreadyKnown, ContradictingPair, DropAnswer, DroppedLine, Duplicate, GapLine, KeptOut,
    LeftOut, ReduceAnswer, ReflectAnswer, RelatedPair, ReweaveAnswer, ReweaveInput, SourceLine, Staged,
    StagedLine, StagingAnswer,
};
pub use doctor::{Check, State};
pub use eval_judge::{EvalJudgeAnswer, JudgedSet};
pub use gate::{Attestation, Of, Programs};
pub use harvest::{
    DraftKind, DraftLine, DraftOutcome, HarvestAnswer, HarvestInput, HarvestSheet, SheetSpan, TranscriptLine,
    TranscriptState,
};
pub use identity::{Identity, Place};
pub use judge::JudgeUse;
pub use ken_core as core;
pub(crate) use ken_core::decide::is_approved;
use ken_core::decide::{self, Approver, Authority, Change};
use ken_core::{Code, EntryKey, Intent, Millis, Refusal, Scope, Status};
use ken_engine::intake::{self, Intake, Names};
pub use ken_engine::intake::{ADMISSION, Objection, redacted};
pub use ken_engine::norms;
pub use ken_engine::ops::add::{AddAnswer, AddInput, OnAbsent};
pub use ken_engine::ops::brief::{Insight, RULES, Severity};
pub use ken_engine::ops::change::{ChangeAnswer, Swept};
use ken_engine::ops::change::{Spared, Sweep};
pub use ken_engine::ops::check::{
    Accept, Accepted, Affected, CheckAnswer, Checked, DiffAnswer, Effect, Norm, Summary, Touched, Which,
};
pub use ken_engine::ops::drift::{DriftAnswer, Kept, Prunable};
pub use ken_engine::ops::friction::{ExportFormat, FrictionExport, FrictionInput, FrictionReport};
pub use ken_engine::ops::gate::{GateAnswer, GateView, NormView, PlaceView};
pub use ken_engine::ops::health::{Compared, HealthReport, HealthReview};
pub use ken_engine::ops::history::{Happening, WhyAnswer};
pub use ken_engine::ops::maintain::{Deed, ServiceOutcome, ServiceReport};
pub use ken_engine::ops::merge::{MergeAnswer, UnmergeAnswer};
pub use ken_engine::ops::overlay::OverlayAnswer;
pub use ken_engine::ops::promote::{PromotionView, ProposeInput, SourceView};
pub use ken_engine::ops::read::ListAnswer;
pub use ken_engine::ops::run::check_name;
pub use ken_engine::ops::search::SCORING;
pub use ken_engine::ops::search::{SearchAnswer, SearchInput};
pub use ken_engine::ops::signals::{ClusterView, SignalInput, SignalLine, SignalsAnswer};
pub use ken_engine::ops::surface::{SurfaceAnswer, SurfaceInput};
pub use ken_engine::replays;
use ken_engine::state;
pub use ken_engine::state::{MemoryState, Purged, purge as purge_state};
use ken_engine::validity::judge_stored;
pub use ken_engine::view::{EntryLine, EntryView, Excerpt};
pub use ken_engine::{
    Access, Caller, Channel, CloneState, Deliveries, Documents, Entries, Error, Failure, Finding, GitHistory,
    JudgementStore, Ledger, Links, Origin, Overlaid, Part, Person, Presence, Projection, Query, RecordKind,
    Recovered, Report, Repository, Result, Rows, Runs, Search, SetUp, SetUpReport, Settings, Snapshot, Sort,
    Stored, Threads, Tier, Timeline, Upkeep, Vectors, Version, Writer, deliver, ops,
};
use ken_engine::{Effort, IndexPageMoment, ModelCard, exposure};
pub use ken_guard as guard;
pub use ken_hosts as hosts;
pub use ken_recall::Mode;
use ken_worktree::git::Git;
use ken_worktree::links::{self, Way};
pub use ken_worktree::{CodeGround, Layout, Parser, STORE_FOLDER, STORE_VERSION, Suggestion};
pub use learn::{
    BeliefAnswer, CalibrationAnswer, CompleteAnswer, ConfirmAnswer, FinishAnswer, FinishInput,
    OutcomesAnswer, ReportAnswer, ReviewStarted, ReviewView, RunLine, StartAnswer, Subject as ReviewSubject,
    ThreadAnswer, ThreadLine,
};
pub use maintain::{MaintainAnswer, may_maintain};
pub use options::{Options, Secret};
pub use overrides::OverrideAnswer;
pub use recall::{EmbedReport, Menu};
pub use scan::{SecretPurge, StoreScan, TierChange, scope_objections, tier};
pub use session::session_run;
pub use stats::{Calls, StatsAnswer};
pub use status::{Attention, Standing, StatusAnswer, Uncommitted};
pub use workspace::Workspace;
use workspace::{Adding, Handle, Pool, UnderWay, Written};

/// The verbs of a workspace for one caller.
pub struct Kenning {
    workspace: Workspace,
    under_way: UnderWay,
    store: Ledger,
    config: Config,
    models: Arc<dyn Models>,
    /// The store knows which model's vectors to ask.
    model_in_use: bool,
    /// When the settings were written that `config` was read from.
    written: Written,
    /// Mirrors are being brought in step: what is written meanwhile is written for them.
    in_sync: bool,
    /// What is written now belongs to one command.
    in_command: bool,
    options: Options,
    layout: Layout,
    caller: Caller,
}

/// An entry as an editor shows it.
#[derive(Clone, Debug)]
pub struct Editable {
    /// The name by which `revise` finds it, whichever store it is in.
    pub name: String,
    /// Its short citation.
    pub handle: String,
    /// None where its type is of a newer version.
    pub kind: Option<ken_core::Type>,
    pub status: Status,
    /// The fields that people may write.
    pub fields: serde_json::Map<String, serde_json::Value>,
}

impl Kenning {
    /// Opens the store that some options mean, for one caller.
    pub fn open(adapters: &'static dyn Adapters, options: Options, caller: Caller) -> Result<Kenning> {
        Workspace::open(adapters, options)?.on_behalf_of(caller)
    }

    fn new(workspace: Workspace, pool: Arc<Pool>, handle: Handle, caller: Caller) -> Kenning {
        let Handle { store, config, models, model_in_use, written, is_used: _ } = handle;
        let (options, layout) = (pool.options().clone(), pool.layout().clone());
        let under_way = UnderWay::new(pool);
        Kenning {
            workspace,
            under_way,
            store,
            config,
            models,
            model_in_use,
            written,
            in_sync: false,
            in_command: false,
            options,
            layout,
            caller,
        }
    }

    /// The handle of a call that is over, and where it belongs.
    fn into_handle(self) -> (Arc<Pool>, Handle) {
        let Kenning { under_way, store, config, models, model_in_use, written, .. } = self;
        (under_way.pool().clone(), Handle { store, config, models, model_in_use, written, is_used: true })
    }

    /// The store beneath.
    pub fn store(&mut self) -> &mut Ledger {
        &mut self.store
    }

    pub fn config(&mut self) -> &mut Config {
        &mut self.config
    }

    /// Changes a setting, where the caller may (`config::SETTINGS`).
    pub fn set_setting(&mut self, key: &str, value: &str) -> Result<()> {
        self.store.may_write()?;
        let who = self.config.who_sets(key)?;
        if key == "maintain.auto" {
            maintain::check_categories(value)?;
        }
        // What is written outside the repository is for a person to say (COR-10).
        let is_outside = key.starts_with("mirrors.") && config::read_outside_mirror(value).is_some();
        let is_asked = match who {
            WhoSets::Person => true,
            WhoSets::Asked => self.caller.is_unattended(),
            WhoSets::NoAgent => is_outside || self.caller.is_agent(),
            WhoSets::Anybody => false,
        };
        if is_asked {
            self.caller.require_person(&match key {
                check::ALLOW => "allowing programs".to_owned(),
                config::APPROVALS_MCP => "allowing approvals through an MCP client".to_owned(),
                _ if key.starts_with("approvals.") || key.starts_with("approvers.") => {
                    "changing the approvers".to_owned()
                }
                _ if is_outside => format!("syncing a folder outside the repository, as {key}"),
                _ => format!("changing {key}"),
            })?;
        }
        self.config.set(key, value)
    }

    /// Where everything lies.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Sentences that somebody should read.
    pub fn take_notices(&mut self) -> Vec<String> {
        self.store.take_notices()
    }

    /// How an entry stands, for whoever wants to find it so again; none where no entry of the project has that name.
    pub fn standing_of(&self, name: &str) -> Result<Option<(EntryKey, Version)>> {
        match self.store.resolve(name)?.as_slice() {
            [key] => Ok(Some((*key, self.store.version(*key)?))),
            [] | [_, ..] => Ok(None),
        }
    }

    /// The next change is kept only if an entry still stands as it did.
    pub fn expect(&mut self, entry: (EntryKey, Version)) {
        self.store.expect(Some(entry));
    }

    /// The small state of this clone.
    pub(crate) fn clone_state(&self) -> &Arc<dyn CloneState> {
        self.under_way.pool().state()
    }

    /// What was found out about code in this worktree; none where that is not kept.
    pub(crate) fn judgements(&self) -> Option<Arc<dyn JudgementStore>> {
        self.under_way.pool().judgements()
    }

    /// Whether the store lies in a folder of the project.
    pub(crate) fn is_in_folder(&self) -> bool {
        self.under_way.pool().is_in_folder()
    }

    /// Who makes the call.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    pub fn actor(&self) -> String {
        self.caller.actor().to_owned()
    }

    /// The name of the agent that acts, as runs know it.
    pub fn agent(&self) -> String {
        self.caller.name().to_owned()
    }

    /// The time it is.
    pub fn now(&self) -> Millis {
        self.caller.now()
    }

    /// What the intake goes by here.
    pub(crate) fn rules(&mut self) -> Result<Rules> {
        let names = scope_names(&self.config);
        let ground = RefCell::new(self.bare_ground().at_leisure());
        let attendance = self.caller.attendance();
        let weights = self.weights(intake::ADMISSION)?;
        Ok(Rules { names, weights, embedder: self.embedder().ok(), ground, attendance })
    }

    fn repository(&self) -> RepositoryView {
        let is_project = !self.options.global;
        RepositoryView::new(self.layout.root.clone(), self.layout.git.clone(), is_project)
    }

    /// Every entry in a line, the first thousand of them. What is in it counts as read.
    pub fn index_page(&mut self) -> Result<String> {
        const LINES_MAX: usize = 1_000;
        let query =
            Query { limit: LINES_MAX, sort: Sort::Id, threads: Threads::SeenFrom(None), ..Query::default() };
        let answer = self.list(&query)?;
        let mut text = "# Knowledge index\n".to_owned();
        for line in &answer.entries {
            let said =
                ken_core::words::one_line(&ken_guard::fence::fenced(&line.title, usize::MAX).text, 120);
            text.push_str(&format!("\n- `{}` {} ({}): {said}", line.handle, line.kind, line.status));
        }
        let more = answer.total.saturating_sub(answer.entries.len());
        if more > 0 {
            text.push_str(&format!("\n\nand {more} more; use `recall` to find them"));
        }
        text.push('\n');
        Ok(text)
    }

    /// An entry in a line, for a person who is asked about it; nobody is told of it.
    pub fn headline(&mut self, name: &str) -> Result<String> {
        let stored = ops::find(&*self.store, name)?;
        let entry = &stored.entry;
        if entry.status == ken_core::Status::Rejected {
            return Ok(format!(
                "{id} ({}, stated by {}, {}). Its text is in quarantine and not shown here; read it first: ken show {id} --quarantined",
                entry.kind,
                deliver::credited(&entry.created_by),
                entry.status_reason.as_deref().unwrap_or("rejected"),
                id = stored.id,
            ));
        }
        let title = ken_guard::fence::fenced(&entry.fields.title(), 200).text;
        let scan = entry
            .scan
            .as_ref()
            .map(|scan| format!(", scan {:?}", scan.tier).to_lowercase())
            .unwrap_or_default();
        Ok(format!(
            "{} {title:?} ({}, {}, stated by {}{scan})",
            stored.id,
            entry.kind,
            entry.status,
            deliver::credited(&entry.created_by)
        ))
    }

    /// How many entries agents may be handed here.
    pub fn handed_out(&self) -> Result<usize> {
        let is_handed_out =
            |status: &str| ken_core::Status::from_word(status).is_some_and(ken_core::Status::is_retrieved);
        let counts = self.store.counts()?;
        let counted = counts.iter().filter(|(memory, _, status, _)| {
            memory != ken_core::Memory::Episodic.word() && is_handed_out(status)
        });
        Ok(usize::try_from(counted.map(|(.., count)| count).sum::<i64>()).unwrap_or(0))
    }

    /// Does something that writes more than once, as one command: `undo` takes back all of it (COR-2). A command within another one is
    /// part of it.
    pub(crate) fn as_one_command<T>(&mut self, work: impl FnOnce(&mut Kenning) -> T) -> T {
        if std::mem::replace(&mut self.in_command, true) {
            return work(self);
        }
        self.store.begin_command();
        let done = work(self);
        self.store.end_command();
        self.in_command = false;
        done
    }

    /// What every write ends with.
    fn finish<T>(&mut self, answer: T) -> Result<T> {
        self.follow_mirrors();
        self.embed_what_was_written();
        Ok(answer)
    }

    /// INDEX.md follows, where this is a moment at which it is written (COR-16).
    ///
    /// Who reads over HTTP waits for nobody who writes, and reads no files here.
    pub(crate) fn write_index_page(&mut self, moment: IndexPageMoment) {
        let is_remote = moment == IndexPageMoment::Reading && self.caller.channel() == Channel::Http;
        if self.config.switch("index_page.write") && !self.options.read_only && !is_remote {
            let now = self.caller.now();
            if let Ok(git) = self.store.snapshot_mut().git_mut() {
                git.write_index_page(moment, now);
            }
        }
    }

    /// Adds an entry.
    pub fn add(&mut self, input: AddInput) -> Result<AddAnswer> {
        self.as_one_command(|ken| ken.add_one(input))
    }

    fn add_one(&mut self, input: AddInput) -> Result<AddAnswer> {
        let input = with_source(&self.caller, input);
        let is_for_all =
            input.content.get("scope").and_then(|scope| scope.as_str()) == Some(Scope::Global.word());
        let mut answer = self.state_if(input, self.said_again_check())?;
        if is_for_all && !self.options.global && !answer.is_rejected() {
            answer.reasons.push(format!(
                "its scope is global, and it is in this project's store alone; `ken promote {} --to global` takes it to the global one, `ken --global add` states it there",
                answer.id
            ));
        }
        match self.under_way.pool().take_found() {
            0 => {}
            1 => answer.reasons.push(
                "two entries that were added at the same time may repeat or contradict each other; `ken queue` lists them"
                    .to_owned(),
            ),
            pairs => answer.reasons.push(format!(
                "{pairs} pairs of entries that were added at the same time may repeat or contradict each other; `ken queue` lists them"
            )),
        }
        crate::learn::said_again(&mut self.store, &self.config, &self.caller, &mut answer)?;
        self.say_if_hidden(&mut answer);
        crate::promote::say_if_it_waits(&self.store, &self.config, &mut answer);
        Ok(answer)
    }

    /// Adds an entry, whoever stated the same before.
    pub(crate) fn state(&mut self, input: AddInput) -> Result<AddAnswer> {
        self.state_if(input, |_, _| Ok(()))
    }

    fn state_if(
        &mut self,
        input: AddInput,
        check: impl Fn(&dyn Projection, &AddAnswer) -> Result<()>,
    ) -> Result<AddAnswer> {
        let (writer, around, rules) = (writer(&self.config, &self.caller), self.repository(), self.rules()?);
        let adding = Adding::new(self.under_way.pool().clone());
        let intake = Intake {
            compares_later: adding.is_beside_others() && rules.embedder.is_some(),
            ..rules.intake()
        };
        let answer = ops::add::add_if(&mut self.store, &around, input, &intake, &writer, check)?;
        drop(adding);
        self.finish(answer)
    }

    /// What would become of an entry, and why; nothing is written.
    pub fn would_add(&mut self, input: AddInput) -> Result<AddAnswer> {
        let (writer, around, rules) = (writer(&self.config, &self.caller), self.repository(), self.rules()?);
        let context = ops::context(&mut self.store, &writer)?;
        let intake = rules.intake();
        let mut decided = ops::add::decide_all(&mut self.store, &around, vec![input], &intake, &context)?;
        decided.answers.remove(0).map_err(Error::Refused)
    }

    /// Adds entries: all of them or none.
    pub fn add_all(&mut self, inputs: Vec<AddInput>) -> Result<Vec<AddAnswer>> {
        let (writer, around, rules) = (writer(&self.config, &self.caller), self.repository(), self.rules()?);
        let answers = ops::add::add_all(&mut self.store, &around, inputs, &rules.intake(), &writer)?;
        self.finish(answers)
    }

    /// Records an observation worth a line.
    pub fn note(&mut self, text: &str, tags: &[String]) -> Result<AddAnswer> {
        self.note_signal(text, &SignalInput { tags: tags.to_vec(), ..SignalInput::default() })
    }

    /// Records something in the way.
    pub fn friction(&mut self, kind: &str, context: serde_json::Value) -> Result<AddAnswer> {
        let (writer, around, rules) = (writer(&self.config, &self.caller), self.repository(), self.rules()?);
        let answer = ops::note::friction(&mut self.store, &around, kind, context, &rules.intake(), &writer)?;
        self.finish(answer)
    }

    /// One entry, whole. When a run reads it, that is remembered (REV-1).
    pub fn show(&mut self, name: &str) -> Result<EntryView> {
        let mut stored = match ops::find(&*self.store, name) {
            Ok(stored) => stored,
            Err(error) => return self.in_global(name, error, |global, name| global.show(name)),
        };
        if self.store.snapshot_mut().look_again(&[stored.entry.key])? {
            stored = ops::find(&*self.store, name)?;
        }
        let mut ground = self.ground();
        judge_stored(&*self.store, &mut ground, &mut [&mut stored], Effort::Thorough)?;
        ground.save();
        let mut view = ken_engine::view::view(&*self.store, &stored, self.caller.now())?;
        view.authority = crate::promote::authority_of(&self.store, &self.config, &stored.entry)?;
        self.remember_pulled(vec![stored.entry.key])?;
        Ok(view)
    }

    /// Remembers what somebody read: every run, and every agent outside of one (REV-1). Once is enough.
    fn remember_pulled(&mut self, keys: Vec<EntryKey>) -> Result<()> {
        warn_of_unknown_run(&mut self.store, &self.caller)?;
        if !records_pulls(&self.store, &self.config, &self.caller) {
            return Ok(());
        }
        let entries = exposure::not_shown_yet(&*self.store, &self.caller, keys)?;
        if entries.is_empty() {
            return Ok(());
        }
        let intents = ken_engine::Reader::from_caller(&self.caller).shown(ken_core::run::PULLED, entries);
        self.record(intents)
    }

    /// Records what somebody was shown, together with what other calls of this process record at the same time.
    fn record(&mut self, intents: Vec<Intent>) -> Result<()> {
        let writer = writer(&self.config, &self.caller);
        let channel = self.caller.channel();
        self.under_way.pool().record(&mut self.store, intents, &writer, channel)
    }

    /// Entries, a page at a time.
    ///
    /// Entries of a thread are listed for those who work in it, name it, or ask for everything (ENT-8).
    pub fn list(&mut self, query: &Query) -> Result<ListAnswer> {
        let query = as_seen(&self.store, &self.caller, query)?;
        let query = &query;
        let page = self.store.list(query)?;
        let keys: Vec<_> = page
            .entries
            .iter()
            .take(self.config.number("list.limit"))
            .map(|stored| stored.entry.key)
            .collect();
        let page = if self.store.snapshot_mut().look_again(&keys)? { self.store.list(query)? } else { page };
        self.remember_pulled(page.entries.iter().map(|stored| stored.entry.key).collect())?;
        let entries = ken_engine::view::lines(&*self.store, &page.entries, self.caller.now())?;
        self.write_index_page(IndexPageMoment::Reading);
        Ok(ListAnswer { entries, next: page.next, total: page.total })
    }

    /// The same without pages, one after the other: none of them is held. Says how many there were.
    pub fn each_listed(
        &mut self,
        query: &Query,
        each: &mut dyn FnMut(EntryLine) -> Result<()>,
    ) -> Result<usize> {
        let query = as_seen(&self.store, &self.caller, query)?;
        let first = Query { limit: self.config.number("list.limit"), ..query.clone() };
        let keys: Vec<_> = match first.limit {
            0 => Vec::new(),
            _ => self.store.list(&first)?.entries.iter().map(|stored| stored.entry.key).collect(),
        };
        self.store.snapshot_mut().look_again(&keys)?;
        let mut pulled = Vec::new();
        if records_pulls(&self.store, &self.config, &self.caller) {
            self.store.each(&query, &mut |stored| {
                pulled.push(stored.entry.key);
                Ok(())
            })?;
        }
        self.remember_pulled(pulled)?;
        let (store, now) = (&*self.store, self.caller.now());
        let mut total = 0;
        let mut together: Vec<Stored> = Vec::with_capacity(limits::shared::LISTED_TOGETHER_MAX);
        let mut tell = |some: &mut Vec<Stored>| -> Result<()> {
            total += some.len();
            let lines = ken_engine::view::lines(store, some, now)?;
            some.clear();
            lines.into_iter().try_for_each(&mut *each)
        };
        store.each(&query, &mut |stored| {
            together.push(stored);
            if together.len() < limits::shared::LISTED_TOGETHER_MAX { Ok(()) } else { tell(&mut together) }
        })?;
        tell(&mut together)?;
        self.write_index_page(IndexPageMoment::Reading);
        Ok(total)
    }

    /// What happened to an entry.
    pub fn log(&mut self, name: &str) -> Result<Vec<Happening>> {
        if let Err(error) = ops::find(&*self.store, name) {
            return self.in_global(name, error, |global, name| global.log(name));
        }
        self.remember_pulled(vec![ops::find(&*self.store, name)?.entry.key])?;
        ops::history::log(&*self.store, name)
    }

    /// Why an entry can or cannot be relied on.
    pub fn why(&mut self, name: &str) -> Result<WhyAnswer> {
        if let Err(error) = ops::find(&*self.store, name) {
            return self.in_global(name, error, |global, name| global.why(name));
        }
        let mut ground = self.ground();
        let answer = ops::history::why(&*self.store, name, Some(&mut ground), self.caller.now());
        ground.save();
        let stored = ops::find(&*self.store, name)?;
        self.remember_pulled(vec![stored.entry.key])?;
        let mut answer = answer?;
        answer.entry.authority = crate::promote::authority_of(&self.store, &self.config, &stored.entry)?;
        answer.because.extend(answer.entry.authority.iter().map(promote::told));
        Ok(answer)
    }

    /// The store as it was, at a time or in a commit.
    pub fn as_of(&mut self, when: &str) -> Result<Box<dyn Projection>> {
        past(&self.store, when, None)
    }

    /// What of an entry people may write, for an editor; one of the global store is found, too.
    pub fn editable(&mut self, name: &str) -> Result<Editable> {
        let stored = match ops::find(&*self.store, name) {
            Ok(stored) => stored,
            Err(error) => {
                return self.in_global(name, error, |global, name| {
                    let found = global.editable(name)?;
                    Ok(Editable { name: format!("global:{}", found.name), ..found })
                });
            }
        };
        let mut stored = self.store.stored(stored.entry.key)?.unwrap_or(stored);
        // What was seen at a place is not for people to write.
        stored.entry.fields.anchors.iter_mut().for_each(|anchor| anchor.captured = None);
        let fields =
            serde_json::to_value(&stored.entry.fields).map_err(Error::failed("opening the editor"))?;
        let serde_json::Value::Object(fields) = fields else {
            return Err(Refusal::new(Code::NotAllowed, "the entry has no fields").into());
        };
        Ok(Editable {
            name: stored.entry.key.to_string(),
            handle: stored.entry.handle(),
            kind: stored.entry.kind.known(),
            status: stored.entry.status,
            fields,
        })
    }

    /// New values for fields, labels that come or go, evidence that is added.
    pub fn revise(
        &mut self,
        name: &str,
        change: Change,
        evidence: &[String],
        unverified: bool,
    ) -> Result<ChangeAnswer> {
        let (writer, around, rules) = (writer(&self.config, &self.caller), self.repository(), self.rules()?);
        let citing = ops::change::Citing { evidence, on_absent: OnAbsent::for_flag(unverified) };
        let (intake, wish) = (rules.intake(), change.clone());
        let said = |store: &dyn Projection| -> Result<Option<(EntryKey, String)>> {
            let stored = ops::find_any(store, name)?;
            Ok(stored.map(|stored| (stored.entry.key, stored.entry.fields.statement().into_owned())))
        };
        let before = said(&*self.store)?;
        let revised = ops::change::revise(&mut self.store, &around, name, wish, citing, &intake, &writer);
        let revised = revised.and_then(|mut answer| {
            let after = said(&*self.store)?;
            if let (Some((key, _)), Some(embedder)) =
                (after.as_ref().filter(|_| after != before), intake.embedder)
            {
                let remarks = ops::similar::remarks_on_revised(&mut self.store, *key, embedder, &writer)?;
                answer.reasons.extend(remarks);
            }
            Ok(answer)
        });
        drop(rules);
        match revised {
            Ok(answer) => self.finish(answer),
            Err(error) => {
                self.in_global(name, error, |global, name| global.revise(name, change, evidence, unverified))
            }
        }
    }

    /// Replaces one entry by another that is there.
    pub fn supersede(&mut self, old: &str, new: &str, reason: &str) -> Result<ChangeAnswer> {
        let writer = writer(&self.config, &self.caller);
        let superseded = ops::change::supersede(&mut self.store, old, new, reason.to_owned(), &writer);
        let mut answer = match superseded {
            Ok(answer) => answer,
            Err(error) => {
                return self.in_global(old, error, |global, old| global.supersede(old, new, reason));
            }
        };
        self.say_if_successor_waits(&mut answer);
        self.finish_standing(answer)
    }

    /// Replaces an entry by one that is stated now.
    pub fn supersede_by_new(&mut self, old: &str, input: AddInput, reason: &str) -> Result<ChangeAnswer> {
        let (writer, around, rules) = (writer(&self.config, &self.caller), self.repository(), self.rules()?);
        let (intake, wish, why) = (rules.intake(), input.clone(), reason.to_owned());
        let superseded =
            ops::change::supersede_by_new(&mut self.store, &around, old, wish, why, &intake, &writer);
        drop(rules);
        let mut answer = match superseded {
            Ok(answer) => answer,
            Err(error) => {
                return self.in_global(old, error, |global, old| global.supersede_by_new(old, input, reason));
            }
        };
        self.say_if_successor_waits(&mut answer);
        self.finish_standing(answer)
    }

    /// Puts an entry away, whole.
    pub fn archive(&mut self, name: &str, reason: &str) -> Result<ChangeAnswer> {
        let writer = writer(&self.config, &self.caller);
        match ops::change::archive(&mut self.store, name, reason.to_owned(), &writer) {
            Ok(answer) => self.finish_standing(answer),
            Err(error) => self.in_global(name, error, |global, name| global.archive(name, reason)),
        }
    }

    /// Names the words that the trust of older versions was earned for, and says of how many entries (COR-18).
    pub fn pin_words(&mut self) -> Result<usize> {
        let writer = writer(&self.config, &self.caller);
        let pinned = ops::change::pin_all(&mut self.store, &writer)?;
        self.finish(pinned)
    }

    /// Archives every entry that has not changed for some days, norms excepted. Where nobody can be asked, verified ones stay.
    pub fn archive_older_than(&mut self, days: u32, dry_run: bool) -> Result<Swept> {
        let spared = if self.caller.is_unattended() { Spared::Verified } else { Spared::Nothing };
        let writer = writer(&self.config, &self.caller);
        let before = Millis(writer.now.0 - i64::from(days) * 86_400_000);
        let reason = format!("not changed for {days} days");
        let sweep = Sweep { before, spared, reason, dry_run };
        let answer = ops::change::archive_older(&mut self.store, sweep, &writer)?;
        if dry_run { Ok(answer) } else { self.finish_standing(answer) }
    }

    /// Takes an entry back; the tombstone stays.
    pub fn retract(&mut self, name: &str, reason: &str) -> Result<ChangeAnswer> {
        let writer = writer(&self.config, &self.caller);
        match ops::change::retract(&mut self.store, name, reason.to_owned(), &writer) {
            Ok(answer) => self.finish_standing(answer),
            Err(error) => self.in_global(name, error, |global, name| global.retract(name, reason)),
        }
    }

    /// Brings an entry back to where it stood.
    pub fn restore(&mut self, name: &str, reason: &str) -> Result<ChangeAnswer> {
        let writer = writer(&self.config, &self.caller);
        match ops::change::restore(&mut self.store, name, reason.to_owned(), &writer) {
            Ok(answer) => self.finish_standing(answer),
            Err(error) => self.in_global(name, error, |global, name| global.restore(name, reason)),
        }
    }

    /// Refuses to hide a verified entry where nobody can be asked: an agent may say that it is wrong, and a person takes it away
    /// (BEL-9, COR-19).
    pub(crate) fn may_hide(&mut self, name: &str, what: &str) -> Result<()> {
        match self.verified_for_a_person(name)? {
            Some(handle) => {
                self.caller.require_person(&format!("{what} {handle}, which is or was verified,"))
            }
            None => Ok(()),
        }
    }

    /// The handle of an entry that only a person may hide, where nobody can be asked: it is verified, or was before somebody changed
    /// its words.
    pub fn verified_for_a_person(&mut self, name: &str) -> Result<Option<String>> {
        let Some(stored) = (if self.caller.is_unattended() { self.named_anywhere(name)? } else { None })
        else {
            return Ok(None);
        };
        Ok(is_or_was_verified(&self.store, &stored)?.then(|| ken_engine::view::handle(&stored)))
    }

    /// The entry that a name means, here or in the global store; none where whoever acts on it will say so.
    fn named_anywhere(&mut self, name: &str) -> Result<Option<Stored>> {
        if let Some(stored) = ops::find_any(&*self.store, name)? {
            return Ok(Some(stored));
        }
        let Some(Ok(global)) = self.global_store(Access::Read) else { return Ok(None) };
        let found = ops::find_any(&*global.store, ops::run::GlobalLedger::bare(name));
        self.workspace.take_back(global);
        found
    }

    /// The same verbs, confirmed by a person.
    pub fn confirmed_by(self, person: Person) -> Kenning {
        Kenning { caller: self.caller.clone().confirmed_by(person), ..self }
    }

    /// A person lets in what was kept out.
    pub fn release(&mut self, name: &str, reason: &str) -> Result<ChangeAnswer> {
        let stored = ops::find(&*self.store, name)?;
        let why = stored.entry.status_reason.as_deref();
        let why = why.filter(|_| stored.entry.status == ken_core::Status::Rejected);
        let why = why.map(|why| format!(", {why},")).unwrap_or_default();
        self.caller.require_person(&format!("releasing {}{why}", stored.id))?;
        let writer = writer(&self.config, &self.caller);
        let answer = ops::change::release(&mut self.store, name, reason.to_owned(), &writer)?;
        self.finish(answer)
    }

    /// What the quarantine of this clone holds of an entry, without secrets.
    ///
    /// For a person: an agent that could read it would have read it.
    pub fn held(&mut self, name: &str) -> Result<Option<serde_json::Value>> {
        self.caller.require_human("reading the quarantine")?;
        let stored = ops::find(&*self.store, name)?;
        self.store.held(stored.entry.key)
    }

    /// Ties one entry to another, or unties them.
    pub fn link(&mut self, from: &str, relation: &str, to: &str, remove: bool) -> Result<ChangeAnswer> {
        let writer = writer(&self.config, &self.caller);
        match ops::change::link(&mut self.store, from, relation, to, remove, &writer) {
            Ok(answer) => self.finish(answer),
            Err(error) => self.in_global(from, error, |global, from| global.link(from, relation, to, remove)),
        }
    }

    /// Says the opposite of what the same actor last wrote here, or in the global store where that was later (COR-2). A person may take
    /// back what another actor wrote last.
    pub fn undo(&mut self, by: Option<&str>) -> Result<Vec<ChangeAnswer>> {
        let writer = writer(&self.config, &self.caller);
        let actor = by.unwrap_or(&writer.actor);
        if actor.trim().is_empty() {
            return Err(Refusal::new(Code::Invalid, "an actor is needed, such as agent:maintain")
                .field("by")
                .into());
        }
        if actor != writer.actor {
            self.caller.require_person(&format!("undoing a change by {actor}"))?;
        }
        if let Some(mut global) = self.global_to_write() {
            let undone =
                if self.is_last_change_global(&global, actor)? { Some(global.undo(by)) } else { None };
            self.workspace.take_back(global);
            if let Some(undone) = undone {
                let mut answers = undone?;
                answers
                    .iter_mut()
                    .for_each(|answer| answer.head.handle = format!("global:{}", answer.handle));
                return Ok(answers);
            }
        }
        let answer = ops::change::undo(&mut self.store, actor, self.caller.attendance(), &writer)?;
        self.finish_standing(answer)
    }

    /// Whether the last change of an actor is one of the global store.
    fn is_last_change_global(&self, global: &Kenning, actor: &str) -> Result<bool> {
        let last = |ken: &Kenning| -> Result<_> {
            let events = ken.store.latest_by(actor)?;
            Ok(events.iter().map(|event| event.clock).max())
        };
        Ok(last(global)? > last(self)?)
    }

    /// Takes the bytes of an entry out of journal, tree and index, and says which files were touched.
    pub fn purge(&mut self, name: &str, reason: &str) -> Result<(String, Vec<String>)> {
        self.store.may_write()?;
        self.caller.require_person("an irreversible purge")?;
        let stored = match ops::find(&*self.store, name) {
            Ok(stored) => stored,
            // A peer's request hides the entry; a person who says its name agrees.
            Err(error) => match self.store.resolve(name)?.as_slice() {
                [key] => self.store.stored(*key)?.ok_or(error)?,
                _ => return Err(error),
            },
        };
        let writer = writer(&self.config, &self.caller);
        decide::may_move(
            &stored.entry,
            decide::EntryAction::PURGE,
            &ops::context(&mut self.store, &writer)?,
        )?;
        self.store.vectors().forget(stored.entry.key)?;
        let quoting = crate::foreign::files_without(&self.store, stored.entry.key)?;
        ops::change::purge(&mut self.store, &stored, reason.to_owned(), &writer)?;
        let files = self.store.take_out_purged()?;
        crate::foreign::keep_without(&mut self.store, &self.config, &self.caller, quoting)?;
        self.store.let_go(stored.entry.key)?;
        let texts = replays::texts_of(&stored.entry, &stored.id);
        state::purge(&**self.clone_state(), Purged::Entry(&texts))?;
        self.write_archive_pages()?;
        self.write_index_page(IndexPageMoment::Purge);
        Ok((stored.entry.key.to_string(), files))
    }

    /// Writes out what waits in the journal, and brings the mirrors in step that follow by themselves (COR-10).
    pub fn flush(&mut self) -> Result<usize> {
        self.sync_followers(false);
        let now = self.caller.now();
        let flushed = self.store.snapshot_mut().git_mut()?.flush(now)?;
        self.write_index_page(IndexPageMoment::Commit);
        Ok(flushed)
    }

    /// Flushes, then stages and commits the store's folder alone. Answers what git said; nothing when there was nothing to commit.
    pub fn commit(&mut self, message: &str) -> Result<Option<String>> {
        let mut message = message.to_owned();
        intake::clean_word("message", &mut message)?;
        self.flush()?;
        self.finish(())?;
        let Some(git) = self.layout.git.clone() else {
            return Err(Refusal::new(
                Code::NotAllowed,
                "this store is not in a git repository, so it cannot be committed",
            )
            .into());
        };
        let folder = STORE_FOLDER;
        git.bytes(&["add", "--", folder]).map_err(Error::failed("staging the store"))?;
        if !git.has_staged(folder).map_err(Error::failed("asking git for changes"))? {
            return Ok(None);
        }
        // A page that is ignored from now on is still in the last commit: named by its folder alone, git would take it up again.
        let without =
            if self.store.snapshot().owns_index_page() { ":(exclude).kenning/INDEX.md" } else { folder };
        let said = git
            .text(&["commit", "--quiet", "-m", &message, "--", folder, without])
            .map_err(Error::failed("committing the store"))?;
        let head = git.text(&["log", "-1", "--format=%h %s"]).map_err(Error::failed("reading the commit"))?;
        Ok(Some(format!("{}{}", said, head.trim())))
    }

    /// Leaves INDEX.md to this clone, where an older store has it tracked (COR-16), and says whether that was to be done.
    pub fn untrack_index_page(&mut self) -> Result<bool> {
        if self.store.snapshot().owns_index_page() {
            return Ok(false);
        }
        let path = self.layout.store.join(".gitignore");
        let mut ignored = std::fs::read_to_string(&path).unwrap_or_default();
        if !ignored.is_empty() && !ignored.ends_with('\n') {
            ignored.push('\n');
        }
        ignored.push_str("INDEX.md\n");
        std::fs::write(&path, ignored).map_err(Error::failed("ignoring INDEX.md"))?;
        let path = self.layout.store.join(".gitattributes");
        let attributes = std::fs::read_to_string(&path).unwrap_or_default();
        let others: String = attributes
            .split_inclusive('\n')
            .filter(|line| !line.trim_start().starts_with("INDEX.md"))
            .collect();
        if others != attributes {
            std::fs::write(&path, others).map_err(Error::failed("taking INDEX.md out of .gitattributes"))?;
        }
        if let Some(git) = &self.layout.git {
            let page = format!("{STORE_FOLDER}/INDEX.md");
            git.bytes(&["rm", "--cached", "--quiet", "--ignore-unmatch", "--", &page])
                .map_err(Error::failed("taking INDEX.md out of git"))?;
            // The next commit says both, or the page comes back with a clone that does not ignore it.
            for file in [".gitignore", ".gitattributes"].map(|name| format!("{STORE_FOLDER}/{name}")) {
                if self.layout.root.join(&file).exists() {
                    git.bytes(&["add", "--", &file]).map_err(Error::failed("staging the store"))?;
                }
            }
        }
        Ok(true)
    }

    /// Stages the store's folder, for the pre-commit hook.
    pub fn stage(&mut self) -> Result<()> {
        match self.layout.git.as_ref() {
            Some(git) => {
                git.bytes(&["add", "--", STORE_FOLDER]).map(drop).map_err(Error::failed("staging the store"))
            }
            None => Ok(()),
        }
    }

    /// What the pre-commit hook does: mirrors both ways, what waits in the journal, and all of that staged.
    pub fn flush_and_stage(&mut self) -> Result<usize> {
        self.sync_followers(true);
        let now = self.caller.now();
        let flushed = self.store.snapshot_mut().git_mut()?.flush(now)?;
        self.write_index_page(IndexPageMoment::Commit);
        self.stage()?;
        Ok(flushed)
    }
}

fn writer(config: &Config, caller: &Caller) -> Writer {
    Writer { actor: caller.actor().to_owned(), now: caller.now(), authority: authority(config, caller) }
}

/// What whoever calls may do beyond what anybody may (COR-21).
fn authority(config: &Config, caller: &Caller) -> Authority {
    let policy = config.policy();
    // The name on a commit is only a name, and that somebody is credited with a call is no authority (COR-7): what an approver alone may
    // do is done by the person who confirms it.
    let approver = match caller.person() {
        Some(person) if policy.approver(person.name()).is_some() => Approver::Confirmed,
        None if is_approver(config, caller) => Approver::ToAsk,
        Some(_) | None => Approver::No,
    };
    Authority { attendance: caller.attendance(), approver, who: caller.who() }
}

/// Names the run that states an entry as its source, where there is one and nothing else is said.
fn with_source(caller: &Caller, mut input: AddInput) -> AddInput {
    if let Some(run) = caller.run()
        && !input.content.contains_key("source")
    {
        let mut source = serde_json::Map::from_iter([("run".to_owned(), run.into())]);
        source.extend(caller.agent().map(|agent| ("agent".to_owned(), agent.into())));
        input.content.insert("source".to_owned(), source.into());
    }
    input
}

/// Says that a run nobody started is named: a slip of the pen would take what is read out of the right one.
pub(crate) fn warn_of_unknown_run(store: &mut Ledger, caller: &Caller) -> Result<()> {
    if let Some(run) = caller.run().map(str::to_owned)
        && store.run(&run)?.is_none()
    {
        store.notice(format!("run {run} was never started; its exposures are recorded under that name"));
    }
    Ok(())
}

/// Whether it is recorded what this caller was shown.
fn records_pulls(store: &Ledger, config: &Config, caller: &Caller) -> bool {
    let matters = caller.run().is_some() || caller.is_agent();
    matters && store.access() == Access::Write && config.switch("show.exposures")
}

/// A query without entries of other threads, unless it asks for everything (ENT-8).
pub(crate) fn as_seen(store: &Ledger, caller: &Caller, query: &Query) -> Result<Query> {
    let mut query = query.clone();
    if query.threads == Threads::Any && query.scope.is_none() && !query.all {
        query.threads = Threads::SeenFrom(crate::learn::thread_or(store, caller, None)?);
    }
    Ok(query)
}

/// The same, where the vectors of a model can be asked, too.
pub(crate) fn past(store: &Ledger, when: &str, model: Option<&ModelCard>) -> Result<Box<dyn Projection>> {
    match Millis::parse(when) {
        Ok(time) => store.snapshot().as_of_time(time, model),
        Err(_) => store.snapshot().git()?.as_of_commit(when, model),
    }
}

/// Why an entry is not for an agent, a hook or a script to hide or reword; none where it is (COR-21).
pub(crate) fn needs_a_person(store: &Ledger, key: EntryKey) -> Result<Option<String>> {
    let Some(stored) = store.stored(key)? else { return Ok(None) };
    let handle = ken_engine::view::handle(&stored);
    if is_approved(&stored.entry) {
        return Ok(Some(format!("{handle} is an approved norm")));
    }
    Ok(is_or_was_verified(store, &stored)?.then(|| format!("{handle} is or was verified")))
}

/// Whether an entry is verified, or was before somebody changed its words.
pub(crate) fn is_or_was_verified(store: &Ledger, stored: &Stored) -> Result<bool> {
    ops::authority::is_or_was_verified(&**store, &stored.entry)
}

/// Whether a person calls who may put norms in force, and out of it; whether they confirmed this is another question.
pub(crate) fn is_approver(config: &Config, caller: &Caller) -> bool {
    caller.is_human() && config.policy().approver(caller.actor()).is_some()
}

/// Whether an approver calls who can be asked for a confirmation, and has given none yet.
pub(crate) fn is_approver_to_ask(config: &Config, caller: &Caller) -> bool {
    !caller.is_unattended() && is_approver(config, caller) && caller.person().is_none()
}

/// The names that are not said beyond a project (IN-4), as the settings list them.
pub(crate) fn scope_names(config: &Config) -> Names {
    let listed = |key: &str| -> Vec<String> {
        let value = config.get(key).unwrap_or_default();
        // Some write a list with brackets and quotes, and mean the names in it.
        let bare =
            |name: &str| name.trim_matches(|c: char| c.is_whitespace() || "[]\"'".contains(c)).to_owned();
        value.split([',', ';', '\n']).map(bare).filter(|name| !name.is_empty()).collect()
    };
    Names {
        organisations: listed("guard.organisations"),
        customers: listed("guard.customers"),
        hosts: listed("guard.hosts"),
    }
}

/// What the intake goes by, owned.
pub(crate) struct Rules {
    names: Names,
    weights: ken_core::admission::Weights,
    embedder: Option<std::sync::Arc<dyn ken_engine::Embedder>>,
    ground: RefCell<CodeGround>,
    attendance: ken_engine::Attendance,
}

impl Rules {
    pub(crate) fn intake(&self) -> Intake<'_> {
        Intake {
            names: &self.names,
            weights: self.weights.clone(),
            embedder: self.embedder.as_deref(),
            compares_later: false,
            ground: Some(&self.ground),
            attendance: self.attendance,
        }
    }

    /// The same where many come at once: whether they are said already is found out when their vectors are made.
    pub(crate) fn for_many(&self) -> Intake<'_> {
        Intake { embedder: None, ..self.intake() }
    }
}

/// What lies around the store.
pub(crate) struct RepositoryView {
    root: PathBuf,
    git: Option<Git>,
    /// Entries speak of this repository.
    is_project: bool,
    /// Branches and tags whose names could be abbreviated hashes; asked for once.
    hexadecimal_names: OnceLock<BTreeSet<String>>,
}

impl RepositoryView {
    fn new(root: PathBuf, git: Option<Git>, is_project: bool) -> RepositoryView {
        RepositoryView { root, git, is_project, hexadecimal_names: OnceLock::new() }
    }

    fn hexadecimal_names(&self) -> &BTreeSet<String> {
        self.hexadecimal_names.get_or_init(|| {
            let args = ["for-each-ref", "--format=%(refname:strip=2)", "refs/heads", "refs/tags"];
            let Some(Ok(listed)) = self.git.as_ref().map(|git| git.run(&args)) else {
                return BTreeSet::new();
            };
            let is_hexadecimal = |name: &&str| name.bytes().all(|byte| byte.is_ascii_hexdigit());
            let listed = String::from_utf8_lossy(&listed.stdout);
            listed.lines().filter(is_hexadecimal).map(str::to_owned).collect()
        })
    }

    /// Whether git has a path that a sparse checkout, or a submodule that is not checked out, keeps from the working tree.
    fn is_tracked_elsewhere(&self, path: &str) -> bool {
        let Some(git) = &self.git else { return false };
        let is_partial =
            git.git_dir.join("info/sparse-checkout").is_file() || self.root.join(".gitmodules").is_file();
        is_partial && git.may_have(path).unwrap_or(true)
    }
}

impl Repository for RepositoryView {
    fn proves_absence(&self) -> bool {
        self.is_project
    }

    fn commits(&self, names: &[String]) -> Vec<Presence> {
        // Without git there is no history to look in.
        let Some(git) = &self.git else { return vec![Presence::Unknown; names.len()] };
        let Ok(found) = git.commits_exist(names) else { return vec![Presence::Unknown; names.len()] };
        let is_proof = found.iter().all(|here| *here) || git.has_full_history().unwrap_or(false);
        let missing = if is_proof { Presence::Absent } else { Presence::Unknown };
        found.into_iter().map(|here| if here { Presence::Present } else { missing }).collect()
    }

    fn inside(&self, path: &str) -> Option<String> {
        let path = path.strip_prefix("file://").unwrap_or(path);
        if !Path::new(path).is_absolute() {
            return None;
        }
        let path = &ken_core::paths::normal(path)?;
        let root = self.root.canonicalize().ok()?;
        let textual = |root: &Path| match path.strip_prefix(root.to_str()?)? {
            "" | "/" => Some(".".to_owned()),
            rest => rest.strip_prefix('/').map(str::to_owned),
        };
        // A folder above the repository may be a link.
        let linked = || {
            let file = ken_core::Spot::parse(path).path?;
            let real = Path::new(&file).canonicalize().ok()?;
            let inside = real.strip_prefix(&root).ok()?.to_str()?.to_owned();
            Some(inside + path.strip_prefix(&file)?)
        };
        textual(&self.root).or_else(|| textual(&root)).or_else(linked)
    }

    fn commit_named(&self, name: &str) -> Option<String> {
        let is_hash = (4..=64).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_hash && !self.hexadecimal_names().contains(name) {
            return None;
        }
        self.git.as_ref()?.commit(name).ok().flatten()
    }

    fn symbol(&self, name: &str) -> Presence {
        let Some(git) = &self.git else { return Presence::Absent };
        match git.run(&["grep", "-q", "-w", "-F", "-e", name, "--", ":!.kenning"]) {
            Ok(output) if output.status.success() => Presence::Present,
            Ok(output) if output.status.code() == Some(1) => Presence::Absent,
            Ok(_) | Err(_) => Presence::Unknown,
        }
    }

    fn path(&self, path: &str) -> Presence {
        if ken_core::fields::relative_path(path).is_err() {
            return Presence::Absent;
        }
        let Ok(root) = self.root.canonicalize() else { return Presence::Unknown };
        match links::follow(&root, &root, Path::new(path)) {
            Ok(Way::At(_)) => Presence::Present,
            Ok(Way::Nowhere) if self.is_tracked_elsewhere(path) => Presence::Unknown,
            Ok(Way::Nowhere) => Presence::Absent,
            // What lies behind a link out of the repository is nobody's evidence, and whether anything does is not told.
            Ok(Way::Outside) | Err(_) => Presence::Unknown,
        }
    }
}
