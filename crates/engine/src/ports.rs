//! What the engine needs of the world. The contracts are written here; `ken-log-git` keeps them.

use ken_core::condition::Condition;
use ken_core::decide::{Attendance, Authority};
use ken_core::validity::Answer;
use ken_core::{Anchor, Clock, DocumentName, Entry, Event, Millis, Overlay, PlaceVerdict};
use ken_recall::{Calibration, Mode, Question, Ranked, TextMatch};
use serde::Serialize;

use crate::error::Result;
use crate::query::Query;
use crate::validity::Validity;

/// On whose behalf and when something is written.
#[derive(Clone, Debug)]
pub struct Writer {
    pub actor: String,
    /// The time it is.
    pub now: Millis,
    /// What whoever calls may do beyond what anybody may (COR-21).
    pub authority: Authority,
}

impl Writer {
    /// Whether nobody can be asked about what is written.
    pub fn is_unattended(&self) -> bool {
        self.authority.attendance == Attendance::Unattended
    }
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
pub trait CodeTree {
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
