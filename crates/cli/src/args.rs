//! The words of the command line: verbs, flags, and the groups in which help shows them.

use std::path::PathBuf;

mod digest;
mod doors;
mod foreign;
mod govern;
mod health;
mod hook;
mod learn;
mod setup;

use clap::{Args, Parser, Subcommand};

/// Knowledge next to the code: where each piece came from, how far it can be believed, and whether it still holds.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "ken",
    version,
    disable_help_subcommand = true,
    max_term_width = 100,
    propagate_version = false
)]
pub struct Cli {
    /// Answer in JSON
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub json: bool,
    /// The store to use, instead of the one found from here
    #[arg(long, global = true, value_name = "DIR", help_heading = "Everywhere")]
    pub store: Option<PathBuf>,
    /// Use the global store, for knowledge that reaches beyond this repository
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub global: bool,
    /// Leave out notes on standard error
    #[arg(long, short, global = true, help_heading = "Everywhere")]
    pub quiet: bool,
    /// Take no meanings: words alone answer
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub no_model: bool,
    /// What to do
    #[command(subcommand)]
    pub verb: Option<Verb>,
}

pub use kenning::verb::{InRun, number, whole};
pub use kenning::verbs::add::AddRequest as AddArgs;
pub use kenning::verbs::change::{
    ArchiveRequest as ArchiveArgs, EditRequest as EditArgs, LinkRequest as LinkArgs,
    ReleaseRequest as ReleaseArgs, ReviseRequest as ReviseArgs, SupersedeRequest as SupersedeArgs,
    TagRequest as TagArgs,
};
pub use kenning::verbs::diff::DiffRequest as DiffArgs;
pub use kenning::verbs::doctor::DoctorRequest as DoctorArgs;
pub use kenning::verbs::keep::{
    AdoptRequest as AdoptArgs, CommitRequest as CommitArgs, FlushRequest as FlushArgs,
    PurgeRequest as PurgeArgs, RecoverRequest as RecoverArgs, SchemaRequest as SchemaArgs,
    VerifyRequest as VerifyArgs,
};
pub use kenning::verbs::list::ListRequest as ListArgs;
pub use kenning::verbs::overlay::AnnotateRequest as AnnotateArgs;
pub use kenning::verbs::show::{LogRequest as LogArgs, ShowRequest as ShowArgs};
pub use kenning::verbs::stores::{ConfigRequest as ConfigArgs, InitRequest as InitArgs};
pub use kenning::verbs::{
    ContentRequest as ContentArgs, EntryRequest as NameArgs, ReasonRequest as ReasonArgs,
};

pub use digest::*;
pub use doors::*;
pub use foreign::*;
pub use govern::*;
pub use health::*;
pub use hook::*;
pub use learn::*;
pub use setup::*;

/// Every verb.
#[derive(Clone, Debug, Subcommand)]
pub enum Verb {
    /// Make a store in this repository
    Init(InitArgs),
    /// Connect an agent host: its MCP entry, hooks and instructions
    #[command(
        after_help = "With --global the files of the user are written instead of those of the project."
    )]
    Setup(SetupArgs),
    /// Add an entry, or many from a file
    Add(AddArgs),
    /// Record an observation, no questions asked
    Note(NoteArgs),
    /// Show an entry, whole
    Show(ShowArgs),
    /// List entries
    List(ListArgs),
    /// Find the entries that matter for a question
    Search(SearchArgs),
    /// Hand a role the few entries that matter, within a token budget
    #[command(hide = true)]
    Surface(SurfaceArgs),
    /// The same for a host that puts it before an agent: at most five entries
    #[command(hide = true)]
    Inject(SurfaceArgs),
    /// A menu of one-liners to choose from
    #[command(hide = true)]
    Menu(MenuArgs),
    /// Say what was used and what was dismissed, as a section for a report
    #[command(hide = true)]
    Applied(AppliedArgs),
    /// What to know of this store at the start, and what needs somebody's attention
    #[command(hide = true)]
    Brief(BriefArgs),
    /// What agents were handed here, and what it was worth
    #[command(hide = true)]
    Stats(StatsArgs),
    /// Explain why an entry can or cannot be relied on
    Why(NameArgs),
    /// Tell what happened to an entry
    Log(LogArgs),
    /// Change fields of an entry
    #[command(hide = true)]
    Revise(ReviseArgs),
    /// Change an entry in your editor
    #[command(hide = true)]
    Edit(EditArgs),
    /// Replace an entry by another
    Supersede(SupersedeArgs),
    /// Take an entry back; a tombstone stays
    Retract(ReasonArgs),
    /// Put an entry away, whole
    Archive(ArchiveArgs),
    /// Bring an entry back
    Restore(ReasonArgs),
    /// Let in what was kept out; for a person
    #[command(hide = true)]
    Release(ReleaseArgs),
    /// Look for secrets, injected orders and unsafe commands
    Scan(ScanArgs),
    /// Look at the code: which entries still hold, and what a change does to them
    Check(CheckArgs),
    /// Say that an entry was found again
    Confirm(ConfirmArgs),
    /// Say whether an entry helped
    Feedback(FeedbackArgs),
    /// How far an entry can be believed, and how that came about
    #[command(hide = true)]
    Belief(BeliefArgs),
    /// Begin and end a task, so that what it used learns from it
    Task(TaskArgs),
    /// Begin and end a review: what agents are told, what they find, what is learned
    Review(ReviewArgs),
    /// What tasks and reviews came to
    #[command(hide = true)]
    Outcomes(OutcomesArgs),
    /// Let an entry reach further, or ask that it binds: proposals, and a person's answer
    #[command(hide = true)]
    Promote(PromoteArgs),
    /// Look through the gates: what blocks a merge or a release, and why
    Gate(GateArgs),
    /// Lines of work whose entries nobody else sees
    #[command(hide = true)]
    Thread(ThreadArgs),
    /// Wipe what is believed of an entry; for a person
    #[command(hide = true)]
    Reset(ReasonArgs),
    /// Tie one entry to another
    #[command(hide = true)]
    Link(LinkArgs),
    /// Add and remove tags of an entry
    #[command(hide = true)]
    Tag(TagArgs),
    /// Lift an entry above the others, in this clone
    #[command(hide = true)]
    Pin(ReasonArgs),
    /// No longer lift it
    #[command(hide = true)]
    Unpin(ReasonArgs),
    /// Show an entry nowhere in this clone
    #[command(hide = true)]
    Mute(ReasonArgs),
    /// Show it again
    #[command(hide = true)]
    Unmute(ReasonArgs),
    /// Hold an entry to be wrong, in this clone, and show it nowhere
    #[command(hide = true)]
    Invalidate(ReasonArgs),
    /// No longer hold it to be wrong
    #[command(hide = true)]
    Reinstate(ReasonArgs),
    /// Put a note beside an entry, in this clone
    #[command(hide = true)]
    Annotate(AnnotateArgs),
    /// Say what nobody keeps up: stale, bloated, contradictory and orphaned entries
    #[command(hide = true)]
    Drift(DriftArgs),
    /// What waits for a judgement: likely duplicates, broken and incomplete entries
    #[command(hide = true)]
    Queue(QueueArgs),
    /// Read documents, commits and pull requests into candidates that wait in staging
    #[command(hide = true)]
    Reduce(ReduceArgs),
    /// What waits in staging: look at it, take it, drop it
    #[command(hide = true)]
    Staging(StagingArgs),
    /// Compare what waits with the entries: duplicates, relations, contradictions, gaps
    #[command(hide = true)]
    Reflect(ReflectArgs),
    /// Tie new evidence to an entry, and reword or replace it
    #[command(hide = true)]
    Reweave(ReweaveArgs),
    /// Bring in knowledge that lies in the files of another system
    #[command(hide = true)]
    Import(ImportArgs),
    /// Write knowledge as the files of another system
    #[command(hide = true)]
    Export(ExportArgs),
    /// Keep files of other systems and the ledger in step, both ways
    #[command(hide = true)]
    Sync(SyncArgs),
    /// Say the opposite of your last change
    Undo,
    /// Show the knowledge a change adds, changes and takes away
    Diff(DiffArgs),
    /// Stage and commit the store alone
    Commit(CommitArgs),
    /// Write out what waits in the journal
    #[command(hide = true)]
    Flush(FlushArgs),
    /// Put back what this branch's files have lost
    #[command(hide = true)]
    Recover(RecoverArgs),
    /// Turn a hand edit of a ledger file into events
    #[command(hide = true)]
    Adopt(AdoptArgs),
    /// Check every line, hash, parent, link and id
    Verify(VerifyArgs),
    /// Make the index anew from the ledger
    #[command(hide = true)]
    Rebuild,
    /// Make the vectors that are missing
    #[command(hide = true)]
    Embed(EmbedArgs),
    /// Measure how well the right entries are found
    #[command(hide = true)]
    Eval(EvalArgs),
    /// Read code for another `ken`
    #[command(hide = true)]
    ParseWorker,
    /// Say which stores apply here and why
    #[command(hide = true)]
    Where,
    /// Print the JSON Schema of a type
    #[command(hide = true)]
    Schema(SchemaArgs),
    /// Read and change settings
    #[command(hide = true)]
    Config(ConfigArgs),
    /// Move a store up to this version
    #[command(hide = true)]
    Migrate,
    /// Take the bytes of an entry out, for good
    #[command(hide = true)]
    Purge(PurgeArgs),
    /// Look for what could keep the store from working
    #[command(hide = true)]
    Doctor(DoctorArgs),
    /// Record and add up what gets in the way: tool errors, redone work, failed validations
    #[command(hide = true)]
    Friction(FrictionArgs),
    /// Signals that speak of the same thing, and what they lack to be proposed
    #[command(hide = true)]
    Signals,
    /// How the whole store stands, and what is over its limit
    #[command(hide = true)]
    Health(HealthArgs),
    /// Serve an agent over standard input and output (MCP)
    #[command(hide = true)]
    Mcp(McpArgs),
    /// Serve agents over HTTP
    #[command(hide = true)]
    Serve(ServeArgs),
    /// Answer a hook of an agent's host: reads its JSON, prints the answer it expects
    #[command(hide = true)]
    Hook(HookArgs),
    /// Watch Kenning at work on a scratch repository
    Demo(DemoArgs),
    /// Print completions for a shell
    #[command(hide = true)]
    Completions(CompletionArgs),
    /// The same verbs with Decapod's flags; JSON unless on a terminal
    #[command(hide = true)]
    Knowledge(KnowledgeArgs),
    /// Help: `ken help all` lists every verb
    #[command(hide = true)]
    Help(HelpArgs),
}

impl Verb {
    /// Whether it only reads: then it can be run once more.
    pub fn reads(&self) -> bool {
        matches!(
            self,
            Verb::Search(_)
                | Verb::Surface(_)
                | Verb::Inject(_)
                | Verb::Menu(_)
                | Verb::Applied(_)
                | Verb::Brief(_)
                | Verb::Stats(_)
                | Verb::Show(_)
                | Verb::List(_)
                | Verb::Why(_)
                | Verb::Log(_)
                | Verb::Belief(_)
                | Verb::Outcomes(_)
                | Verb::Diff(_)
                | Verb::Verify(_)
                | Verb::Scan(_)
                | Verb::Gate(GateArgs { verb: None, .. })
                | Verb::Doctor(DoctorArgs { fix: false, .. })
                | Verb::Drift(DriftArgs { prune: false, .. })
                | Verb::Friction(FrictionArgs { verb: FrictionVerb::Report { .. } })
                | Verb::Signals
                | Verb::Health(_)
                | Verb::Reflect(ReflectArgs { link: false })
                | Verb::Staging(StagingArgs { verb: StagingVerb::List | StagingVerb::Show { .. } })
        )
    }
}

impl Verb {
    /// In which run it happens, where its words say so.
    pub fn in_run(&self) -> Option<&InRun> {
        match self {
            Verb::Add(args) => Some(&args.in_run),
            Verb::Show(args) => Some(&args.in_run),
            Verb::List(args) => Some(&args.in_run),
            Verb::Search(args) => Some(&args.in_run),
            Verb::Surface(args) | Verb::Inject(args) => Some(&args.in_run),
            Verb::Menu(args) => Some(&args.in_run),
            Verb::Brief(args) => Some(&args.in_run),
            Verb::Confirm(args) => Some(&args.in_run),
            Verb::Feedback(args) => Some(&args.in_run),
            _ => None,
        }
    }
}

/// What a person wants to do, and the verbs for it. `ken help all` prints this.
pub const GROUPS: &[(&str, &[&str])] = &[
    ("Begin", &["init", "setup", "demo", "where", "doctor"]),
    ("Write down", &["add", "note", "friction"]),
    ("Find", &["search", "brief", "surface", "inject", "menu", "applied"]),
    ("Read", &["show", "list", "why", "log", "diff"]),
    ("Change", &["revise", "edit", "tag", "link", "supersede", "retract", "archive", "restore", "undo"]),
    ("Learn", &["task", "review", "confirm", "feedback", "belief", "outcomes", "reset"]),
    ("Reach", &["promote", "thread"]),
    ("Govern", &["gate"]),
    ("See it your way", &["pin", "unpin", "mute", "unmute", "invalidate", "reinstate", "annotate"]),
    ("Keep true", &["check", "drift", "queue", "signals", "health"]),
    ("Digest", &["reduce", "staging", "reflect", "reweave"]),
    ("Keep clean", &["scan", "release", "purge"]),
    ("Other systems", &["import", "export", "sync"]),
    ("Share", &["commit", "flush", "recover", "adopt"]),
    ("Keep in order", &["verify", "rebuild", "embed", "migrate", "config"]),
    ("Measure", &["stats", "eval"]),
    ("For agents", &["mcp", "serve", "hook"]),
    ("For programs", &["schema", "completions", "knowledge", "help"]),
];

#[derive(Clone, Debug, Args)]
pub struct SearchArgs {
    /// A question, words, "quoted words", -not, tag:auth, type:lesson, path:src/
    #[arg(required = true, value_name = "QUERY")]
    pub query: Vec<String>,
    /// Answers, at most
    #[arg(long, short = 'n', value_parser = whole::<usize>)]
    pub limit: Option<usize>,
    /// summary, standard, full or auto
    #[arg(long, default_value = "auto")]
    pub tier: String,
    /// lexical, semantic, hybrid (relevance alone) or composite
    #[arg(long, default_value = "composite")]
    pub mode: String,
    /// Print the sum that each score is
    #[arg(long)]
    pub explain: bool,
    /// Take the mean of each belief instead of a draw from it
    #[arg(long)]
    pub no_explore: bool,
    /// Every status, thread and memory
    #[arg(long, short)]
    pub all: bool,
    /// semantic, procedural or episodic
    #[arg(long)]
    pub memory: Vec<String>,
    /// A type: lesson, entity, commit_norm ...
    #[arg(long = "type", value_name = "TYPE")]
    pub kind: Vec<String>,
    /// A tag, with everything nested in it
    #[arg(long)]
    pub tag: Vec<String>,
    /// The thread that asks: its own entries are seen by nobody else
    #[arg(long)]
    pub thread: Option<String>,
    /// Only what is in this branch's files
    #[arg(long)]
    pub this_branch: bool,
    /// Fill a token budget instead: the same bytes for the same store, query and budget
    #[arg(long, value_name = "TOKENS", value_parser = whole::<usize>,
        conflicts_with_all = ["limit", "tier", "mode", "explain", "no_explore", "all", "memory", "kind", "tag", "this_branch", "debug"])]
    pub pack: Option<usize>,
    /// List everything that was considered and why it was left out
    #[arg(long)]
    pub debug: bool,
    /// Search what a commit held, judged by its tree, or what was known at a time
    #[arg(long, value_name = "TIME|COMMIT", conflicts_with = "pack")]
    pub as_of: Option<String>,
    #[command(flatten)]
    pub in_run: InRun,
}

#[derive(Clone, Debug, Args)]
pub struct SurfaceArgs {
    /// What is about to be done, or what went wrong
    #[arg(required = true, value_name = "TASK")]
    pub task: Vec<String>,
    /// researcher, planner, debugger or executor
    #[arg(long)]
    pub role: String,
    /// Executors: bug, missing_critical, blocking or architectural
    #[arg(long, value_name = "KIND")]
    pub deviation: Option<String>,
    /// Tokens, at most: 500, for an executor 200
    #[arg(long, value_name = "TOKENS", value_parser = whole::<usize>)]
    pub budget: Option<usize>,
    /// The best so many whole, while the budget allows
    #[arg(long, value_name = "N", value_parser = whole::<usize>)]
    pub full: Option<usize>,
    /// What an agent before this one was given; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub upstream: Option<String>,
    /// Raw records too
    #[arg(long)]
    pub episodic: bool,
    /// The thread that asks
    #[arg(long)]
    pub thread: Option<String>,
    /// List everything that was considered and why it was left out
    #[arg(long)]
    pub debug: bool,
    #[command(flatten)]
    pub in_run: InRun,
}

#[derive(Clone, Debug, Args)]
pub struct MenuArgs {
    /// What it should be about; without one, everything
    #[arg(value_name = "TASK")]
    pub task: Vec<String>,
    /// Tokens, at most
    #[arg(long, default_value_t = 500, value_parser = whole::<usize>)]
    pub budget: usize,
    #[command(flatten)]
    pub in_run: InRun,
}

#[derive(Clone, Debug, Args)]
pub struct AppliedArgs {
    /// What was used: ids, handles, or beginnings of them
    pub used: Vec<String>,
    /// What was dismissed, and why: ID=REASON
    #[arg(long, value_name = "ID=REASON")]
    pub dismissed: Vec<String>,
}

#[derive(Clone, Debug, Args)]
pub struct EmbedArgs {
    /// Only say how many entries wait
    #[arg(long)]
    pub status: bool,
}

#[derive(Clone, Debug, Args)]
pub struct EvalArgs {
    /// What to measure
    #[command(subcommand)]
    pub verb: EvalVerb,
}

#[derive(Clone, Debug, Subcommand)]
pub enum EvalVerb {
    /// How well the right entries are found, in a throw-away store
    Retrieval(RetrievalArgs),
    /// Whether what is believed at 80 % holds four times out of five, by what happened here
    Calibration,
}

#[derive(Clone, Debug, Args)]
pub struct RetrievalArgs {
    /// locomo: one FILE; pairs: DOCS and QUERIES as JSON Lines
    #[arg(long)]
    pub format: String,
    /// The files
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// lexical, semantic, hybrid or composite; several with commas
    #[arg(long, default_value = "hybrid", value_delimiter = ',')]
    pub mode: Vec<String>,
    /// Ask only the first so many questions
    #[arg(long, value_name = "N", value_parser = whole::<usize>)]
    pub questions: Option<usize>,
    /// Keep the vectors in a folder, for the next time
    #[arg(long, value_name = "DIR")]
    pub vectors: Option<PathBuf>,
    /// One line of JSON a question as well: query, answers, measures
    #[arg(long, value_name = "FILE")]
    pub each: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
pub struct DriftArgs {
    /// Only this reviewer's entries
    #[arg(long)]
    pub reviewer: Option<String>,
    /// Put away what is stale or orphaned, as you confirm; for a person
    #[arg(long)]
    pub prune: bool,
    /// Do not ask: put all of it away
    #[arg(long, short, requires = "prune")]
    pub yes: bool,
}

#[derive(Clone, Debug, Args)]
pub struct ScanArgs {
    /// Files; `-` or nothing is standard input
    #[arg(conflicts_with_all = ["jsonl", "stored"])]
    pub files: Vec<String>,
    /// Scan the `text` of every line of a JSON Lines file, and answer with a verdict for each
    #[arg(long, value_name = "FILE", conflicts_with = "stored")]
    pub jsonl: Option<String>,
    /// Scan every entry of the store with the rules of this version, and say what would change; `--store` without a folder is the same
    #[arg(long)]
    pub stored: bool,
    /// Say of each rule what it is about, and why a text does not fit its scope
    #[arg(long)]
    pub explain: bool,
    /// The scope whose rules are applied: project or global
    #[arg(long, value_name = "SCOPE", conflicts_with_all = ["jsonl", "stored"])]
    pub scope: Option<String>,
    /// Exit with 1 from this tier on: low, medium, high (the default for files) or critical
    #[arg(long, value_name = "TIER")]
    pub fail_on: Option<String>,
}

#[derive(Clone, Debug, Args)]
pub struct CheckArgs {
    /// Entries; all that are handed out when left out
    pub ids: Vec<String>,
    /// Only entries that speak of files that differ from the last commit
    #[arg(long, conflicts_with = "ids")]
    pub changed: bool,
    /// What a change does to entries: BASE..HEAD, or BASE for the working tree; three dots begin where the branches parted
    #[arg(long, value_name = "BASE..HEAD")]
    pub diff: Option<String>,
    /// Judge what a commit holds by the tree of that commit
    #[arg(long, value_name = "COMMIT", conflicts_with_all = ["changed", "accept", "run"])]
    pub as_of: Option<String>,
    /// Record where code that moved is now
    #[arg(long)]
    pub accept: bool,
    /// With --accept: take changed code down as it is now; you looked, and what is said still holds
    #[arg(long, requires = "accept", requires = "ids")]
    pub drifted: bool,
    /// Run the verification steps that a machine can take; programs only if they are allowed in this clone
    #[arg(long)]
    pub run: bool,
    /// text or sarif
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<String>,
    /// Exit with 1 from this verdict on: broken (the default), drifted, moved or never
    #[arg(long, value_name = "VERDICT")]
    pub fail_on: Option<String>,
}

#[derive(Clone, Debug, Args)]
pub struct DemoArgs {
    /// Keep the scratch repository and say where it is
    #[arg(long)]
    pub keep: bool,
}

#[derive(Clone, Debug, Args)]
pub struct CompletionArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

#[derive(Clone, Debug, Args)]
pub struct HelpArgs {
    /// A verb, or `all`
    pub verb: Option<String>,
}

#[derive(Clone, Debug, Args)]
pub struct KnowledgeArgs {
    /// What to do
    #[command(subcommand)]
    pub verb: KnowledgeVerb,
}

#[derive(Clone, Debug, Subcommand)]
pub enum KnowledgeVerb {
    /// Add an entry
    Add {
        /// semantic, procedural or episodic
        #[arg(long = "type", value_name = "MEMORY")]
        memory: String,
        /// commit, pr, expectation or risk
        #[arg(long, value_name = "KIND")]
        norm_type: Option<String>,
        /// commit:HASH, pr:#N, doc:PATH, test:PATH or transcript:REF
        #[arg(long, value_name = "REF")]
        evidence: Vec<String>,
        /// The entry as a JSON object
        #[arg(long, value_name = "JSON")]
        content: String,
    },
    /// List entries
    List {
        /// semantic, procedural or episodic
        #[arg(long = "type", value_name = "MEMORY")]
        memory: Option<String>,
        /// commit, pr, expectation or risk
        #[arg(long, value_name = "KIND")]
        norm_type: Option<String>,
        /// At most this many
        #[arg(long, value_parser = whole::<usize>)]
        limit: Option<usize>,
    },
    /// Show an entry
    Show {
        /// Its id
        id: String,
    },
    /// Promote knowledge to more authority
    Promote {
        /// Where it comes from: a memory, or memory/type
        #[arg(long)]
        from: String,
        /// The memory it should go to
        #[arg(long)]
        to: String,
    },
    /// Check everything
    Verify,
    /// Read documents, commits and pull requests into candidates
    Reduce {
        /// Paths, patterns of paths, git:RANGE
        #[arg(long, value_name = "SOURCE", num_args = 1.., required = true)]
        sources: Vec<String>,
    },
    /// Compare what waits with the entries
    Reflect,
    /// Tie new evidence to an entry
    Reweave {
        /// The entry
        #[arg(long, value_name = "ID")]
        entry: String,
        /// commit:HASH, pr:#N, doc:PATH, test:PATH or transcript:REF
        #[arg(long, value_name = "REF", required = true)]
        evidence: Vec<String>,
    },
    /// Archive what has not changed for some days
    Archive {
        /// Days without a change
        #[arg(long, value_name = "DAYS")]
        older_than: String,
    },
}

/// What stands before an excluded word of a search until it is read: `-redis` is no bundle of flags.
const EXCLUDED_MARK: &str = "\u{2}";

/// Keeps the excluded words of a search from being read as flags: `ken search pool -redis`.
pub fn with_excluded_words(words: impl Iterator<Item = std::ffi::OsString>) -> Vec<std::ffi::OsString> {
    let mut searches = false;
    let mut scans = false;
    let mut words = words.peekable();
    let mut typed = Vec::new();
    // `--store` names a folder everywhere; without one, `scan --store` means the entries of the store.
    while let Some(word) = words.next() {
        scans |= word == "scan";
        let folder = words.peek().is_some_and(|next| !next.to_string_lossy().starts_with('-'));
        typed.push(if scans && word == "--store" && !folder { "--stored".into() } else { word });
    }
    let excluded = |word: &str| {
        let body = word.strip_prefix('-').unwrap_or_default();
        body.starts_with('"') || (body.chars().count() >= 3 && body.chars().take(2).all(char::is_alphabetic))
    };
    typed
        .into_iter()
        .map(|word| match word.to_str() {
            Some("search") => {
                searches = true;
                word
            }
            Some(text) if searches && excluded(text) => format!("{EXCLUDED_MARK}{text}").into(),
            // Bytes that are no text are still a question.
            None if searches => word.to_string_lossy().into_owned().into(),
            _ => word,
        })
        .collect()
}

/// The words of a search as they were typed.
pub fn as_typed(words: &[String]) -> String {
    let words: Vec<&str> =
        words.iter().map(|word| word.strip_prefix(EXCLUDED_MARK).unwrap_or(word)).collect();
    words.join(" ")
}
