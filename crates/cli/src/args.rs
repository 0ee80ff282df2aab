//! The words of the command line: verbs, flags, and the groups in which help shows them.

use std::path::PathBuf;

mod brief;
mod digest;
mod doors;
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
pub use kenning::verbs::ReasonRequest as ReasonArgs;
pub use kenning::verbs::check::CheckRequest as CheckArgs;
pub use kenning::verbs::drift::DriftRequest as DriftArgs;
pub use kenning::verbs::foreign::{
    ExportRequest as ExportArgs, ImportRequest as ImportArgs, SyncRequest as SyncArgs,
};
pub use kenning::verbs::overlay::AnnotateRequest as AnnotateArgs;
pub use kenning::verbs::scan::ScanRequest as ScanArgs;

pub use brief::*;
pub use digest::*;
pub use doors::*;
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
    Edit(IdArgs),
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
    Belief(NameArgs),
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
                | Verb::Friction(FrictionArgs { verb: FrictionVerb::Report(_) })
                | Verb::Signals
                | Verb::Health(_)
                | Verb::Reflect(ReflectArgs { link: false })
                | Verb::Staging(StagingArgs { verb: StagingVerb::List | StagingVerb::Show(_) })
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
pub struct InitArgs {
    /// Keep the store out of git
    #[arg(long)]
    pub private: bool,
    /// Install a pre-commit hook that writes out what waits in the journal
    #[arg(long)]
    pub hooks: bool,
    /// Offer example norms, to be accepted one by one in a terminal
    #[arg(long)]
    pub with_norms: bool,
    /// Take away what init made; knowledge is never deleted
    #[arg(long, conflicts_with_all = ["private", "hooks", "with_norms"])]
    pub remove: bool,
}

/// What an entry says. Flags that can be given several times make lists.
#[derive(Clone, Debug, Default, Args)]
pub struct ContentArgs {
    /// A line for lists
    #[arg(long, help_heading = "What it says")]
    pub title: Option<String>,
    /// The claim, in one to three sentences
    #[arg(long, help_heading = "What it says")]
    pub statement: Option<String>,
    /// One line
    #[arg(long, help_heading = "What it says")]
    pub summary: Option<String>,
    /// Whatever is longer than the claim
    #[arg(long, help_heading = "What it says")]
    pub detail: Option<String>,
    /// commit:HASH, pr:#N, doc:PATH, test:PATH or transcript:REF
    #[arg(long, value_name = "KIND:REF", help_heading = "What it rests on")]
    pub evidence: Vec<String>,
    /// Where it can be seen
    #[arg(long, value_name = "PATH[:A-B|#SYMBOL]", help_heading = "What it rests on")]
    pub anchor: Vec<String>,
    /// A step that shows whether it holds, one to three of them
    #[arg(long, value_name = "TEXT", help_heading = "What it rests on")]
    pub verify: Vec<String>,
    /// A condition that must hold for it to be true
    #[arg(long, value_name = "COND", help_heading = "What it rests on")]
    pub depends_on: Vec<String>,
    /// A label; `/` nests
    #[arg(long, value_name = "T", help_heading = "What it says")]
    pub tag: Vec<String>,
    /// A field of work; `/` nests
    #[arg(long, value_name = "D", help_heading = "What it says")]
    pub domain: Vec<String>,
    /// Your own id for it
    #[arg(long)]
    pub id: Option<String>,
    /// thread, project or global
    #[arg(long)]
    pub scope: Option<String>,
    /// The line of work it belongs to
    #[arg(long)]
    pub thread: Option<String>,
    /// positive, negative or neutral
    #[arg(long)]
    pub polarity: Option<String>,
    /// ephemeral, stable or permanent
    #[arg(long, value_name = "CLASS")]
    pub decay_class: Option<String>,
    /// workaround, convention or principle: the decay class in other words
    #[arg(long, value_name = "WORD")]
    pub durability: Option<String>,
    /// A name under which there is one entry at most
    #[arg(long, value_name = "NAME")]
    pub merge_key: Option<String>,
    /// Where an entry has that name already: merge, supersede or reject
    #[arg(long, value_name = "WHAT")]
    pub on_conflict: Option<String>,
    /// The finer kind: technique, decision, tool_error ...
    #[arg(long)]
    pub subtype: Option<String>,
    /// What it is about
    #[arg(long)]
    pub subject: Option<String>,
    /// The reviewer whose knowledge it is
    #[arg(long)]
    pub reviewer: Option<String>,
    /// The role it is for
    #[arg(long)]
    pub role: Option<String>,
    /// How bad, 0 to 10
    #[arg(long, value_name = "0..10", value_parser = number)]
    pub severity: Option<f64>,
    /// How sure, 0 to 10
    #[arg(long, value_name = "0..10", value_parser = number)]
    pub confidence: Option<f64>,
    /// Entities: what it is called
    #[arg(long, help_heading = "Of some types")]
    pub name: Option<String>,
    /// Entities: what it is
    #[arg(long, help_heading = "Of some types")]
    pub description: Option<String>,
    /// Your own field: KEY=VALUE
    #[arg(long, value_name = "KEY=VALUE", help_heading = "Of some types")]
    pub attribute: Vec<String>,
    /// Relationships: the one side
    #[arg(long, help_heading = "Of some types")]
    pub from: Option<String>,
    /// Relationships: how they relate
    #[arg(long, help_heading = "Of some types")]
    pub relation: Option<String>,
    /// Relationships: the other side
    #[arg(long, help_heading = "Of some types")]
    pub to: Option<String>,
    /// Norms: what to do
    #[arg(long, help_heading = "Of some types")]
    pub rule: Option<String>,
    /// Norms: what following it looks like
    #[arg(long, help_heading = "Of some types")]
    pub example: Vec<String>,
    /// Norms: when it does not apply
    #[arg(long, help_heading = "Of some types")]
    pub exception: Vec<String>,
    /// Norms: how it is checked, as JSON or a word
    #[arg(long, help_heading = "Of some types")]
    pub enforcement: Option<String>,
    /// Spikes: what was asked
    #[arg(long, help_heading = "Of some types")]
    pub hypothesis: Option<String>,
    /// Spikes: confirmed, rejected, partial or inconclusive
    #[arg(long, help_heading = "Of some types")]
    pub outcome: Option<String>,
    /// Spikes: what was decided
    #[arg(long, help_heading = "Of some types")]
    pub decision: Option<String>,
    /// Spikes: how many attempts it took
    #[arg(long, help_heading = "Of some types", value_parser = whole::<u32>)]
    pub rounds: Option<u32>,
    /// The whole entry as a JSON object
    #[arg(long, value_name = "JSON")]
    pub content: Option<String>,
    /// Enter it with gaps; it stays a candidate until they are filled
    #[arg(long)]
    pub draft: bool,
    /// Accept evidence that is not in this repository
    #[arg(long)]
    pub unverified: bool,
}

#[derive(Clone, Debug, Args)]
pub struct AddArgs {
    /// TYPE, TYPE and the claim, or the claim alone (a lesson)
    #[arg(value_name = "TYPE|TEXT")]
    pub what: Vec<String>,
    #[command(flatten)]
    pub content: ContentArgs,
    /// Read the entry from a file: a JSON object, a list, or JSON Lines; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub file: Option<String>,
    /// It was taken out of a transcript by a machine: gaps are allowed, noise is refused
    #[arg(long)]
    pub extracted: bool,
    /// Say what would become of it and why, and write nothing
    #[arg(long, conflicts_with = "file")]
    pub explain: bool,
    /// Propose conditions it seems to depend on, from its anchors and the manifests; you choose
    #[arg(long)]
    pub suggest_deps: bool,
    /// JSON Lines: all of them or none
    #[arg(long)]
    pub atomic: bool,
    /// JSON Lines: go on after the last acknowledged line of the same file
    #[arg(long, conflicts_with = "atomic")]
    pub resume: bool,
    /// JSON Lines: leave faulty lines out and say which
    #[arg(long, conflicts_with = "atomic")]
    pub keep_going: bool,
    #[command(flatten)]
    pub in_run: InRun,
}

#[derive(Clone, Debug, Args)]
pub struct IdArgs {
    /// An id, a handle, or the beginning of one
    pub id: String,
}

#[derive(Clone, Debug, Args)]
pub struct NameArgs {
    /// An id, a handle, or the beginning of one
    pub id: String,
    /// As it was at a time or in a commit
    #[arg(long, value_name = "TIME|COMMIT")]
    pub as_of: Option<String>,
}

#[derive(Clone, Debug, Args)]
pub struct ShowArgs {
    /// Ids, handles, or beginnings of them
    #[arg(required = true)]
    pub ids: Vec<String>,
    /// What the quarantine of this clone holds of it, for a person to judge
    #[arg(long, conflicts_with = "as_of")]
    pub held: bool,
    /// As it was at a time or in a commit
    #[arg(long, value_name = "TIME|COMMIT")]
    pub as_of: Option<String>,
    #[command(flatten)]
    pub in_run: InRun,
}

#[derive(Clone, Debug, Args)]
pub struct LogArgs {
    /// An entry; without one, the latest changes of the store
    pub id: Option<String>,
    /// As it was at a time or in a commit
    #[arg(long, value_name = "TIME|COMMIT")]
    pub as_of: Option<String>,
    /// At most this many entries' worth, when no entry is named
    #[arg(long, default_value_t = 20, value_parser = whole::<usize>)]
    pub limit: usize,
}

#[derive(Clone, Debug, Args)]
pub struct ListArgs {
    /// semantic, procedural or episodic
    #[arg(long)]
    pub memory: Vec<String>,
    /// A type: lesson, entity, commit_norm ...
    #[arg(long = "type", value_name = "TYPE")]
    pub kind: Vec<String>,
    /// candidate, active, verified ...; without this, the three that are handed to agents
    #[arg(long)]
    pub status: Vec<String>,
    /// Every status
    #[arg(long, short)]
    pub all: bool,
    /// A domain, with everything nested in it
    #[arg(long)]
    pub domain: Option<String>,
    /// A tag, with everything nested in it
    #[arg(long)]
    pub tag: Vec<String>,
    /// thread, project or global
    #[arg(long)]
    pub scope: Option<String>,
    /// A reviewer's entries
    #[arg(long)]
    pub reviewer: Option<String>,
    /// Words that occur in it
    #[arg(long)]
    pub text: Option<String>,
    /// Changed since: a time, or 7d, 12h, 2w
    #[arg(long, value_name = "TIME|AGE")]
    pub since: Option<String>,
    /// Stated by you
    #[arg(long)]
    pub mine: bool,
    /// Only what is pinned in this clone
    #[arg(long, conflicts_with_all = ["muted", "as_of"])]
    pub pinned: bool,
    /// Only what is muted or invalidated in this clone, and shown nowhere else
    #[arg(long, conflicts_with = "as_of")]
    pub muted: bool,
    /// Only what is in this branch's files
    #[arg(long)]
    pub this_branch: bool,
    /// updated, created or id
    #[arg(long, default_value = "updated")]
    pub sort: String,
    /// Entries on a page; 0 is all of them
    #[arg(long, allow_negative_numbers = true, value_parser = whole::<usize>)]
    pub limit: Option<usize>,
    /// The `next` of the page before
    #[arg(long, value_name = "NEXT", allow_hyphen_values = true)]
    pub after: Option<String>,
    /// As it was at a time or in a commit
    #[arg(long, value_name = "TIME|COMMIT")]
    pub as_of: Option<String>,
    #[command(flatten)]
    pub in_run: InRun,
    /// What a thread sees: its own entries beside those of everybody
    #[arg(long)]
    pub thread: Option<String>,
}

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
pub struct ReviseArgs {
    /// An id, a handle, or the beginning of one
    pub entry: String,
    #[command(flatten)]
    pub content: ContentArgs,
    /// A tag to take away
    #[arg(long, value_name = "T")]
    pub untag: Vec<String>,
    /// A field to take away
    #[arg(long, value_name = "FIELD")]
    pub clear: Vec<String>,
    /// Why
    #[arg(long)]
    pub reason: Option<String>,
}

#[derive(Clone, Debug, Args)]
pub struct SupersedeArgs {
    /// The entry to replace
    pub old: String,
    /// An entry that is there already; without one, say the new one with flags
    pub new: Option<String>,
    #[command(flatten)]
    pub content: ContentArgs,
    /// Why
    #[arg(long, default_value = "")]
    pub reason: String,
}

#[derive(Clone, Debug, Args)]
pub struct ArchiveArgs {
    /// An id, a handle, or the beginning of one
    #[arg(required_unless_present = "older_than")]
    pub id: Option<String>,
    /// Every entry that has not changed for that many days, procedural ones excepted
    #[arg(long, value_name = "DAYS", conflicts_with = "id")]
    pub older_than: Option<String>,
    /// Why
    #[arg(long, default_value = "")]
    pub reason: String,
}

#[derive(Clone, Debug, Args)]
pub struct LinkArgs {
    /// The one entry
    pub from: String,
    /// relates_to, depends_on, supports, contradicts, supersedes, derived_from, example_of or part_of
    pub relation: String,
    /// The other entry
    pub to: String,
    /// Take the tie away
    #[arg(long)]
    pub remove: bool,
}

#[derive(Clone, Debug, Args)]
pub struct TagArgs {
    /// An id, a handle, or the beginning of one
    pub id: String,
    /// Tags to add
    pub tags: Vec<String>,
    /// Tags to take away
    #[arg(long, value_name = "T")]
    pub remove: Vec<String>,
}

#[derive(Clone, Debug, Args)]
pub struct DiffArgs {
    /// BASE..HEAD, BASE...HEAD, or BASE for the working tree
    #[arg(default_value = "HEAD")]
    pub range: String,
    /// text, json or markdown
    #[arg(long, default_value = "text")]
    pub format: String,
}

#[derive(Clone, Debug, Args)]
pub struct CommitArgs {
    /// The message
    #[arg(long, short, default_value = kenning::templates::COMMIT_MESSAGE)]
    pub message: String,
}

#[derive(Clone, Debug, Args)]
pub struct FlushArgs {
    /// Stage the store afterwards, for the pre-commit hook
    #[arg(long)]
    pub stage: bool,
}

#[derive(Clone, Debug, Args)]
pub struct RecoverArgs {
    /// Everything this clone's journal has, from other branches too
    #[arg(long)]
    pub all: bool,
}

#[derive(Clone, Debug, Args)]
pub struct AdoptArgs {
    /// The edited ledger file
    pub file: PathBuf,
}

#[derive(Clone, Debug, Args)]
pub struct VerifyArgs {
    /// Mend what can be mended without losing a word
    #[arg(long)]
    pub fix: bool,
}

#[derive(Clone, Debug, Args)]
pub struct SchemaArgs {
    /// A type; without one, all of them
    #[arg(value_name = "TYPE")]
    pub kind: Option<String>,
}

#[derive(Clone, Debug, Args)]
pub struct ConfigArgs {
    /// A setting; without one, all of them
    pub key: Option<String>,
    /// Its new value; for `scoring` and `admission`, weights such as semantic=0.5, or `default`
    pub value: Vec<String>,
}

#[derive(Clone, Debug, Args)]
pub struct PurgeArgs {
    /// An id, a handle, or the beginning of one
    #[arg(required_unless_present = "secret", conflicts_with = "secret")]
    pub id: Option<String>,
    /// Whatever holds a secret, which is asked for or read from standard input
    #[arg(long)]
    pub secret: bool,
    /// Purge it even where many entries hold it
    #[arg(long, requires = "secret")]
    pub many: bool,
    /// Why; goes into the ledger
    #[arg(long, default_value = "")]
    pub reason: String,
    /// Do not ask
    #[arg(long, short)]
    pub yes: bool,
}

#[derive(Clone, Debug, Args)]
pub struct ReleaseArgs {
    /// An id, a handle, or the beginning of one
    pub id: String,
    /// Why it is harmless; goes into the ledger
    #[arg(long)]
    pub reason: String,
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
    Add(KnowledgeAddArgs),
    /// List entries
    List(KnowledgeListArgs),
    /// Show an entry
    Show(KnowledgeShowArgs),
    /// Promote knowledge to more authority
    Promote(KnowledgePromoteArgs),
    /// Check everything
    Verify,
    /// Read documents, commits and pull requests into candidates
    Reduce(KnowledgeReduceArgs),
    /// Compare what waits with the entries
    Reflect,
    /// Tie new evidence to an entry
    Reweave(KnowledgeReweaveArgs),
    /// Archive what has not changed for some days
    Archive(KnowledgeArchiveArgs),
}

#[derive(Clone, Debug, Args)]
pub struct KnowledgeAddArgs {
    /// semantic, procedural or episodic
    #[arg(long = "type", value_name = "MEMORY")]
    pub memory: String,
    /// commit, pr, expectation or risk
    #[arg(long, value_name = "KIND")]
    pub norm_type: Option<String>,
    /// commit:HASH, pr:#N, doc:PATH, test:PATH or transcript:REF
    #[arg(long, value_name = "REF")]
    pub evidence: Vec<String>,
    /// The entry as a JSON object
    #[arg(long, value_name = "JSON")]
    pub content: String,
}

#[derive(Clone, Debug, Args)]
pub struct KnowledgeListArgs {
    /// semantic, procedural or episodic
    #[arg(long = "type", value_name = "MEMORY")]
    pub memory: Option<String>,
    /// commit, pr, expectation or risk
    #[arg(long, value_name = "KIND")]
    pub norm_type: Option<String>,
    /// At most this many
    #[arg(long, value_parser = whole::<usize>)]
    pub limit: Option<usize>,
}

#[derive(Clone, Debug, Args)]
pub struct KnowledgeShowArgs {
    /// Its id
    pub id: String,
}

#[derive(Clone, Debug, Args)]
pub struct KnowledgePromoteArgs {
    /// Where it comes from: a memory, or memory/type
    #[arg(long)]
    pub from: String,
    /// The memory it should go to
    #[arg(long)]
    pub to: String,
}

#[derive(Clone, Debug, Args)]
pub struct KnowledgeReduceArgs {
    /// Paths, patterns of paths, git:RANGE
    #[arg(long, value_name = "SOURCE", num_args = 1.., required = true)]
    pub sources: Vec<String>,
}

#[derive(Clone, Debug, Args)]
pub struct KnowledgeReweaveArgs {
    /// The entry
    #[arg(long, value_name = "ID")]
    pub entry: String,
    /// commit:HASH, pr:#N, doc:PATH, test:PATH or transcript:REF
    #[arg(long, value_name = "REF", required = true)]
    pub evidence: Vec<String>,
}

#[derive(Clone, Debug, Args)]
pub struct KnowledgeArchiveArgs {
    /// Days without a change
    #[arg(long, value_name = "DAYS")]
    pub older_than: String,
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
