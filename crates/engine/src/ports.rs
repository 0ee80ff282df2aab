//! What the engine needs of the world. The contracts are written here; `ken-store` keeps them.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use ken_core::condition::Condition;
use ken_core::decide::View;
use ken_core::promotion::Promotion;
use ken_core::run::{Exposure, Run, RunKind};
use ken_core::validity::Answer;
use ken_core::{
    Anchor, Clock, DocumentName, Entry, EntryKey, Event, Intent, Kept, Memory, Millis, Overlay, OverlayEvent,
    PlaceVerdict, Relation, ReplicaId, Serviced,
};
use ken_recall::{Calibration, Mode, Question, Ranked, TextMatch};
use serde::Serialize;
use serde_json::Value;

use crate::error::{Error, Result};
use crate::glance::Glance;
use crate::log::{LogEnd, ReadSet, Version};
use crate::ops::queue::Agenda;
use crate::query::{Overlaid, Page, Query};
use crate::validity::{Footing, Subject, Validity};

/// On whose behalf and when something is written.
#[derive(Clone, Debug)]
pub struct Writer {
    pub actor: String,
    /// The time it is.
    pub now: Millis,
    /// Whether that is a person who may put norms in force, and out of it (GAT-2).
    pub approver: bool,
}

/// An entry as the store shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    pub entry: Entry,
    /// The id it is shown with: its own, or with a suffix where an earlier entry has the same (STO-8).
    pub id: String,
    /// What the checked-out branch has of it; none from a log without branches.
    pub checkout: Option<Checkout>,
    /// A peer asked for its purge, and nobody here has answered yet (STO-13).
    pub purge_asked: bool,
    /// Whether it still holds; the default until somebody looks.
    pub validity: Validity,
    /// What this clone lays over it (BEL-9).
    pub overlay: Overlay,
}

impl Stored {
    /// Whether the checked-out branch has it. A log without branches has everything.
    pub fn is_on_branch(&self) -> bool {
        self.checkout.as_ref().is_none_or(|checkout| checkout.present)
    }

    /// How many of its events the checked-out branch lacks.
    pub fn events_elsewhere(&self) -> u32 {
        self.checkout.as_ref().map_or(0, |checkout| checkout.events_elsewhere)
    }

    /// Its ledger file, below the store's folder.
    pub fn file(&self) -> Option<&str> {
        self.checkout.as_ref()?.file.as_deref()
    }
}

/// What the checked-out branch has of an entry: an extension of the log that lies in git.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checkout {
    /// Whether the branch's ledger files have it.
    pub present: bool,
    /// How many of its events those files lack.
    pub events_elsewhere: u32,
    /// Its ledger file; none while it is in the journal alone.
    pub file: Option<String>,
}

/// An event with the place it was found in.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    pub event: Event,
    /// Where git has it; none from a log without branches.
    pub line: Option<LedgerLine>,
}

impl Placed {
    /// Whether the checked-out branch has it. A log without branches has everything.
    pub fn is_on_branch(&self) -> bool {
        self.line.as_ref().is_none_or(|line| line.file.is_some())
    }

    /// Whether this clone wrote it, or noticed it: then it was scanned.
    pub fn is_in_journal(&self) -> bool {
        self.line.as_ref().is_some_and(|line| line.written_on.is_some())
    }
}

/// Where git has an event: an extension of the log that lies there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LedgerLine {
    /// The ledger file of the checked-out branch that holds it.
    pub file: Option<String>,
    /// The branch it was written on, where this clone's journal has it.
    pub written_on: Option<String>,
}

/// The store: the ledger and the projection that answers for it.
///
/// `append` is atomic and durable: when it returns, all of it survives a crash; when it fails, none of it is there. What it wrote
/// is visible to every later call, and to other processes at their next one. Reads see whole batches only.
pub trait Ledger: View<Error = Error> + Quarantine + Runs + Promotions + Documents + Overlays {
    /// The clone that writes.
    fn replica(&mut self) -> Result<ReplicaId>;
    /// Seals and keeps what is to be said, in order, and gives it back as events.
    fn append(&mut self, intents: Vec<Intent>, writer: &Writer) -> Result<Vec<Event>> {
        self.append_on(&ReadSet::default(), intents, writer)
    }
    /// The same on the strength of what was read. If any of it changed since, nothing is written, and the error says so
    /// ([`Error::is_conflict`]): read again and decide again.
    fn append_on(&mut self, read: &ReadSet, intents: Vec<Intent>, writer: &Writer) -> Result<Vec<Event>>;
    /// Begins a read transaction: until [`end_read`](Self::end_read) everything is read at one moment, with one lock for thousands of
    /// lookups. Says whether it did. Nothing is appended meanwhile.
    fn begin_read(&self) -> bool {
        false
    }
    /// Ends the read transaction.
    fn end_read(&self) {}
    /// How the log ends for this handle, where that can be told.
    fn log_end(&self) -> Result<Option<LogEnd>> {
        Ok(None)
    }
    /// Entries tied to this one from their side: how, and which.
    fn tied_to(&self, key: EntryKey) -> Result<Vec<(Relation, EntryKey)>>;
    /// The version of an entry, for what is read before a decision.
    fn version(&self, key: EntryKey) -> Result<Version>;
    /// The entries that answer to a name: an id, a handle, a key, or the beginning of one. An exact match is the only one.
    fn resolve(&self, name: &str) -> Result<Vec<EntryKey>>;
    /// Asked before a person or an agent is told that no entry has a name: fails where [`resolve`](Self::resolve) missed one because an
    /// index is damaged. It reads every entry; what looks up many names, such as citations, does without it.
    fn confirm_absent(&self, name: &str) -> Result<()> {
        let _ = name;
        Ok(())
    }
    /// An entry with where it is.
    fn stored(&self, key: EntryKey) -> Result<Option<Stored>>;
    /// Entries by what they are, a page at a time, in a stable order.
    fn list(&self, query: &Query) -> Result<Page>;
    /// The keys of every entry that a query means, in its order and without its limits.
    fn keys(&self, query: &Query) -> Result<Vec<EntryKey>> {
        let whole = Query { after: None, limit: 0, ..query.clone() };
        Ok(self.list(&whole)?.entries.iter().map(|stored| stored.entry.key).collect())
    }
    /// Every entry that a query means, one after the other in its order: whoever looks at all of a large store need not hold it. What
    /// `each` asks of the ledger meanwhile is answered from the same moment.
    fn each(&self, query: &Query, each: &mut dyn FnMut(Stored) -> Result<()>) -> Result<()> {
        self.list(query)?.entries.into_iter().try_for_each(each)
    }
    /// Every semantic and procedural entry in short, whatever its status, by key; those whose purge was asked for are left out.
    fn glances(&self) -> Result<Arc<Vec<Glance>>> {
        let memories = vec![Memory::Semantic, Memory::Procedural];
        let every = Query { memories, all: true, overlaid: Overlaid::Any, ..Query::default() };
        let mut all: Vec<Glance> = self.list(&every)?.entries.iter().map(Glance::new).collect();
        all.sort_by_key(|glance| glance.key);
        Ok(Arc::new(all))
    }
    /// The events of an entry in the order they apply.
    fn history(&self, key: EntryKey) -> Result<Vec<Placed>>;
    /// Every entry as far as its validity is concerned, what is no longer handed out included, episodic records left out.
    fn subjects(&self) -> Result<Vec<Subject>>;
    /// What the entries that are in use rest on.
    fn footing(&self) -> Result<Arc<Footing>> {
        Ok(Arc::new(Footing::new(&self.subjects()?)))
    }
    /// What waits for a judgement by what entries say; `make` finds it, unless it is known for this very state of the store.
    fn agenda(&self, make: &dyn Fn() -> Result<Agenda>) -> Result<Arc<Agenda>> {
        make().map(Arc::new)
    }
    /// The same, one after the other: whoever looks at all of a large store need not hold it.
    fn each_subject(&self, each: &mut dyn FnMut(Subject) -> Result<()>) -> Result<()> {
        self.subjects()?.into_iter().try_for_each(each)
    }
    /// The latest write of this clone by somebody, newest event last, without what was merely noticed.
    fn latest_by(&self, actor: &str) -> Result<Vec<Event>>;
}

/// A completed review in which an entry was put before an agent unasked (REV-4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Injected {
    pub run: String,
    /// The project it belongs to.
    pub project: String,
    /// When it was put there last.
    pub clock: Clock,
}

/// A successful run that said it used an entry (OUT-6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    pub run: String,
    /// When it ended.
    pub clock: Clock,
}

/// Questions that this store did not answer (OUT-5, SUR-6).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Questions {
    /// Those whose best answer was too weak to be one: prediction errors.
    pub missed: usize,
    /// Those that nothing answered.
    pub unanswered: usize,
    /// What the latest of these asked.
    pub latest: Vec<String>,
}

/// What is known of runs, and of what was seen and used in them.
pub trait Runs {
    /// A run as it stands, with what was reported.
    fn run(&self, name: &str) -> Result<Option<Run>>;
    /// Every run as it stands, oldest first, without what was reported.
    fn runs(&self) -> Result<Vec<Run>>;
    /// The same of runs that began or ended since a time: a store has few of those, however old it is.
    fn runs_since(&self, since: Millis) -> Result<Vec<Run>> {
        let is_of_lately = |run: &Run| {
            run.at.millis() >= since || run.finished.as_ref().is_some_and(|(_, at)| at.millis() >= since)
        };
        Ok(self.runs()?.into_iter().filter(is_of_lately).collect())
    }
    /// The same of runs of some kinds.
    fn runs_of(&self, kinds: &[RunKind]) -> Result<Vec<Run>> {
        Ok(self.runs()?.into_iter().filter(|run| kinds.contains(&run.started.kind)).collect())
    }
    /// The name of every run.
    fn run_names(&self) -> Result<Vec<String>> {
        Ok(self.runs()?.into_iter().map(|run| run.started.run).collect())
    }
    /// The names of runs that succeeded, or ended, with several entries used.
    fn runs_with_uses(&self) -> Result<Vec<String>> {
        let used_several = |run: &Run| {
            run.finished.as_ref().is_some_and(|(end, _)| end.used.as_ref().is_some_and(|used| used.len() > 1))
        };
        Ok(self.runs()?.into_iter().filter(used_several).map(|run| run.started.run).collect())
    }
    /// What became of services since a time, oldest first (UPK-6).
    fn serviced(&self, since: Millis) -> Result<Vec<Serviced>>;
    /// Who was shown what in a run, or on a day (`@2026-11-15`) in none.
    fn exposures(&self, run: &str) -> Result<Vec<Exposure>>;
    /// What an agent was shown in a run, or on a day in none.
    fn shown_to(&self, run: &str, agent: &str) -> Result<HashSet<EntryKey>> {
        let shown = self.exposures(run)?.into_iter().filter(|seen| seen.agent == agent);
        Ok(shown.map(|seen| seen.entry).collect())
    }
    /// Everybody who was shown an entry since a time, with the run, or the day (`@2026-11-15`) where there was none.
    fn shown(&self, key: EntryKey, since: Millis) -> Result<Vec<(String, Exposure)>>;
    /// What one actor had injected since a time under whichever name, with the run, or the day where there was none.
    fn injected_by(&self, actor: &str, since: Millis) -> Result<Vec<(String, Exposure)>>;
    /// Completed reviews in which an entry was injected before they ended.
    fn injected(&self, key: EntryKey) -> Result<Vec<Injected>>;
    /// Successful runs that said they used an entry.
    fn uses(&self, key: EntryKey) -> Result<Vec<Use>>;
    /// Entries that name a run as their source.
    fn made_in(&self, run: &str) -> Result<Vec<EntryKey>>;
    /// Entries with an anchor in a file: verified ones first, then active ones, the newest first.
    fn at_path(&self, path: &str) -> Result<Vec<EntryKey>>;
    /// How often each entry was put before somebody.
    fn times_shown(&self) -> Result<BTreeMap<EntryKey, usize>>;
    /// What was asked since a time and not answered, with at most so many questions, the latest first.
    fn questions(&self, since: Millis, latest: usize) -> Result<Questions>;
}

/// What was asked for on the ladder of authority, and what was answered (GAT-2).
pub trait Promotions {
    /// Every proposal as it stands, oldest first.
    fn promotions(&self) -> Result<Vec<Promotion>>;
}

/// A file of another system, in short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentLine {
    pub document: DocumentName,
    /// The hash of its bytes when the store was in step with it.
    pub hash: String,
    /// It is made from the others.
    pub derived: bool,
    /// When that was.
    pub at: Clock,
    /// Whether the checked-out branch says so; always in a log without branches.
    pub on_branch: bool,
}

/// Files of other systems that the store keeps in step with (DOO-6).
pub trait Documents {
    /// Every file that is known, by its name; of one format or folder where that is asked for.
    fn documents(&self, format: Option<&str>, root: Option<&str>) -> Result<Vec<DocumentLine>>;
    /// A file with all its parts.
    fn document(&self, name: &DocumentName) -> Result<Option<Kept>>;
    /// Everything that was ever said about files with the text of an entry in it.
    fn quoting(&self, key: EntryKey) -> Result<Vec<Event>>;
    /// Whether an entry was purged and nobody stated it since.
    fn was_purged(&self, key: EntryKey) -> Result<bool>;
    /// The files that hold each entry.
    fn homes(&self) -> Result<BTreeMap<EntryKey, Vec<DocumentName>>>;
    /// Entries that no file holds any more, with the known files that held them before.
    fn former_homes(&self) -> Result<BTreeMap<EntryKey, Vec<DocumentName>>>;
}

/// Where the words of what was kept out wait for a person (IN-1): in this clone alone, and never in a tracked file.
///
/// What is held survives a crash once `hold` returns.
pub trait Quarantine {
    /// Keeps what an entry would have said.
    fn hold(&mut self, key: EntryKey, held: &Value) -> Result<()>;
    /// What an entry would have said.
    fn held(&self, key: EntryKey) -> Result<Option<Value>>;
    /// Lets it go.
    fn let_go(&mut self, key: EntryKey) -> Result<()>;
}

/// What this clone lays over entries (BEL-9): in this clone alone, and never in a tracked file.
///
/// What was laid survives a crash once `lay` returns. The ledger is not written.
pub trait Overlays {
    /// What is laid over an entry; nothing over most.
    fn overlay(&self, key: EntryKey) -> Overlay;
    /// Keeps a change unless it is so already, and says whether it was not.
    fn lay(&mut self, event: OverlayEvent) -> Result<bool>;
}

/// Whether something of the repository is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    Present,
    /// It is not.
    Absent,
    /// It could not be looked up: git failed, or a folder may not be read. Nothing follows from that.
    Unknown,
}

impl From<bool> for Presence {
    fn from(is_there: bool) -> Presence {
        if is_there { Presence::Present } else { Presence::Absent }
    }
}

/// The repository around the store: what evidence points to. Texts are looked at on several threads, and ask it all at once.
pub trait Repository: Sync {
    /// Which of some commits are here, in the same order.
    fn commits(&self, names: &[String]) -> Vec<Presence>;
    /// Whether a path of the repository is there.
    fn path(&self, path: &str) -> Presence;
    /// Whether a name stands somewhere in its files.
    fn symbol(&self, name: &str) -> Presence;
    /// A path of this machine as a path of the repository, if it lies inside; whatever follows the path, such as `#symbol`, is kept.
    fn inside(&self, path: &str) -> Option<String> {
        let _ = path;
        None
    }
    /// The commit that `HEAD`, a branch or a tag names now; none where the name is a hash already, unless a branch or a tag has that name.
    fn commit_named(&self, name: &str) -> Option<String> {
        let _ = name;
        None
    }
    /// Whether what is not here is absent (COR-12). Not so around the global store: its entries speak of other projects.
    fn proves_absence(&self) -> bool {
        true
    }
}

/// How hard is looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Somebody waits for an answer: code that is not where it was is not searched for in a large tree.
    Quick,
    /// Somebody wants to know.
    Thorough,
}

/// A place in short: enough to say whether anything changed there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brief {
    /// As it was written.
    pub at: String,
    /// The file it was seen in; empty when nobody saw it.
    pub path: String,
    /// The content of that file then; empty when nobody saw it.
    pub blob: String,
    /// Names the place with everything that was captured.
    pub mark: u64,
}

impl Brief {
    /// What matters of an anchor.
    pub fn new(anchor: &Anchor) -> Brief {
        let captured = anchor.captured.as_ref();
        let path =
            captured.and_then(|captured| captured.path.clone()).unwrap_or_else(|| anchor.path().to_owned());
        let written = serde_json::to_vec(anchor).unwrap_or_default();
        let hash = blake3::hash(&written);
        let mark = u64::from_le_bytes(hash.as_bytes()[..8].try_into().expect("a hash has eight bytes"));
        Brief {
            at: anchor.at.clone(),
            path,
            blob: captured.map(|captured| captured.blob.clone()).unwrap_or_default(),
            mark,
        }
    }
}

/// Why nothing was captured at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Uncaptured {
    /// It is proved that there is no such place: the file is not in the tree, or its language was parsed and no such name is in it.
    Absent(String),
    /// It cannot be told from here.
    Unknown(String),
}

impl Uncaptured {
    /// The reason, for people.
    pub fn reason(&self) -> &str {
        match self {
            Uncaptured::Absent(why) | Uncaptured::Unknown(why) => why,
        }
    }
}

/// The code that entries speak of: a working tree, or the tree of a commit.
///
/// Nothing outside the repository is ever read. What cannot be told is `unverifiable`, with the reason; nothing here fails.
pub trait Ground {
    /// Whether a file has the content that places were seen in: then they are as they were. False where nobody can tell so quickly.
    fn is_unchanged(&mut self, path: &str, blob: &str) -> bool {
        let _ = (path, blob);
        false
    }
    /// What is known of a place without reading code: its file is as it was, or it was judged before and nothing changed since.
    fn remembered(&mut self, place: &Brief, effort: Effort) -> Option<PlaceVerdict>;
    /// Looks at places.
    fn judge(&mut self, anchors: &[Anchor], effort: Effort) -> Vec<PlaceVerdict>;
    /// What a condition that is about no entry answers.
    fn condition(&mut self, condition: &Condition) -> Answer;
    /// What a condition answered before, if no file that it rests on changed since.
    fn remembered_condition(&mut self, condition: &Condition) -> Option<Answer>;
    /// Takes down what is to be seen at a place; or why it cannot. Where the name may mean several things, it says what it was taken for.
    fn capture(&mut self, anchor: &mut Anchor) -> std::result::Result<Option<String>, Uncaptured>;
    /// Names files in which anchors will be captured soon, in their order: parsing them may begin.
    fn prefetch(&mut self, paths: Vec<String>) {
        drop(paths);
    }
    /// When a file last changed.
    fn since(&mut self, path: &str) -> Option<Millis>;
}

/// What is known of a model that takes the meaning of texts.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelCard {
    /// What names it and its version; vectors of different names never meet.
    pub name: String,
    /// How many numbers a meaning has.
    pub dimensions: usize,
    /// How its cosines are to be read. Thresholds belong to the model: another one has other ones.
    pub calibration: Calibration,
}

/// Takes the meaning of texts.
pub trait Embedder: Send + Sync {
    /// What is known of it.
    fn card(&self) -> &ModelCard;
    /// The meanings of some texts, in order, each with the card's number of dimensions.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>>;
}

/// A question put to the store.
pub struct Asked<'a> {
    /// What was asked, understood.
    pub question: &'a Question,
    /// Which entries may answer.
    pub among: &'a Query,
    /// Which side answers.
    pub mode: Mode,
    /// How many answers are wanted.
    pub wanted: usize,
    /// The thread that asks: its own entries are seen by nobody else (ENT-8).
    pub thread: Option<&'a str>,
    /// What takes the meaning of the question; none to answer by words alone.
    pub embedder: Option<&'a dyn Embedder>,
    /// Hold back what repeats the question and nobody but its writer speaks for (decision 0039). Whoever compares texts does without.
    pub by_standing: bool,
    /// Say of everything that was considered why it was left out.
    pub debug: bool,
    /// The answers are put before an agent that did not ask, in these runs: drafts that nobody reviewed and what only these runs stated
    /// may not answer (COR-26).
    pub unasked_in: Option<&'a [String]>,
}

/// An entry that answers a question.
#[derive(Clone, Debug)]
pub struct Hit {
    pub stored: Stored,
    /// How well it answers, and why.
    pub found: TextMatch,
}

/// What the store answers.
#[derive(Clone, Debug, Default)]
pub struct Relevant {
    /// The entries, the most relevant first.
    pub hits: Vec<Hit>,
    /// How the question was taken.
    pub ranked: Ranked,
    /// Why the meaning took no part, where it should have.
    pub fallback: Option<String>,
    /// Entries that were considered and left out, and why; only when asked for.
    pub left_out: Vec<(String, String)>,
}

/// Runs something that reads much of a ledger in one read transaction.
pub fn in_one_read<T>(ledger: &dyn Ledger, read: impl FnOnce() -> T) -> T {
    struct Begun<'a>(&'a dyn Ledger);
    impl Drop for Begun<'_> {
        fn drop(&mut self) {
            self.0.end_read();
        }
    }
    let _begun = ledger.begin_read().then(|| Begun(ledger));
    read()
}

/// A store that can be asked for what is relevant.
///
/// The same entries, question and model give the same answer, whatever was read in between.
pub trait Recall: Ledger {
    /// The entries that answer a question.
    fn relevant(&mut self, asked: &Asked<'_>) -> Result<Relevant>;
    /// The entries whose words are most like those of each question, the most alike first, for asking many at once. Meaning takes no
    /// part.
    fn worded_like(
        &mut self,
        questions: &[Question],
        among: &Query,
        wanted: usize,
    ) -> Result<Vec<Vec<EntryKey>>> {
        let mut all = Vec::with_capacity(questions.len());
        for question in questions {
            let asked = Asked {
                question,
                among,
                mode: Mode::Lexical,
                wanted,
                thread: among.threads.seen_from(),
                embedder: None,
                by_standing: false,
                debug: false,
                unasked_in: None,
            };
            let relevant = if question.is_empty() { Relevant::default() } else { self.relevant(&asked)? };
            all.push(relevant.hits.iter().map(|hit| hit.stored.entry.key).collect());
        }
        Ok(all)
    }
    /// A digest of everything an answer depends on: entries, links and settings, but not what was read.
    fn digest(&self) -> Result<String>;
    /// A setting that everybody shares.
    fn setting(&self, name: &str) -> Result<Option<Value>>;
    /// How many entries wait for a vector.
    fn backlog(&self) -> Result<usize>;
}
