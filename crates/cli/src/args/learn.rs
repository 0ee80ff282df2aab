//! The words of the verbs that learn: tasks, reviews, confirmations, feedback, belief.

use clap::{Args, Subcommand};

use super::{InRun, number, whole};

#[derive(Clone, Debug, Args)]
pub struct TaskArgs {
    #[command(subcommand)]
    pub verb: TaskVerb,
}

#[derive(Clone, Debug, Subcommand)]
pub enum TaskVerb {
    /// Begin a task
    Start(TaskStartArgs),
    /// End it: every entry it used learns from how it went
    Finish(TaskFinishArgs),
    /// List tasks, newest first
    List(RunListArgs),
    /// Show a task: what it was shown, how it ended
    Show(RunNameArgs),
}

#[derive(Clone, Debug, Args)]
pub struct TaskStartArgs {
    /// What it is for
    #[arg(long)]
    pub goal: String,
    /// Your own name for it; made when left out
    #[arg(long, value_name = "RUN")]
    pub run: Option<String>,
    /// The line of work it belongs to: it sees that thread's entries
    #[arg(long)]
    pub thread: Option<String>,
    /// How it is gone about
    #[arg(long)]
    pub strategy: Option<String>,
    /// A whole conversation of an agent, and not one task
    #[arg(long)]
    pub session: bool,
}

#[derive(Clone, Debug, Args)]
pub struct TaskFinishArgs {
    /// The task; KEN_RUN when left out
    #[arg(long, value_name = "RUN")]
    pub run: Option<String>,
    /// success, failure, killed or abandoned
    #[arg(long)]
    pub outcome: String,
    /// How well, 0 to 1
    #[arg(long, value_name = "0..1", value_parser = number, allow_negative_numbers = true)]
    pub quality: Option<f64>,
    /// An entry that it used; without any, everything it was shown counts
    #[arg(long, value_name = "ID")]
    pub used: Vec<String>,
    /// It used none of what it was shown
    #[arg(long, conflicts_with = "used")]
    pub used_none: bool,
    /// What it cost, in whatever you count in
    #[arg(long, value_name = "NUMBER", value_parser = number, allow_negative_numbers = true)]
    pub cost: Option<f64>,
    /// How many rounds it took
    #[arg(long, value_parser = whole::<u32>)]
    pub rounds: Option<u32>,
    /// How it was gone about
    #[arg(long)]
    pub strategy: Option<String>,
}

#[derive(Clone, Debug, Args)]
pub struct RunListArgs {
    /// Only those that are not over
    #[arg(long)]
    pub open: bool,
}

#[derive(Clone, Debug, Args)]
pub struct RunNameArgs {
    /// The run; KEN_RUN when left out
    #[arg(value_name = "RUN")]
    pub name: Option<String>,
    /// The same
    #[arg(long, value_name = "RUN", conflicts_with = "name")]
    pub run: Option<String>,
}

#[derive(Clone, Debug, Args)]
pub struct ReviewArgs {
    #[command(subcommand)]
    pub verb: ReviewVerb,
}

#[derive(Clone, Debug, Subcommand)]
pub enum ReviewVerb {
    /// Begin a review: what each agent is told, at most five entries each
    Start(ReviewStartArgs),
    /// Hand in what an agent found
    Report(ReviewReportArgs),
    /// End it: confirm, create, put away, all at once
    Complete(RunNameArgs),
    /// Show a review: who was shown what, what was found
    Show(RunNameArgs),
    /// List reviews, newest first
    List(RunListArgs),
}

#[derive(Clone, Debug, Args)]
pub struct ReviewStartArgs {
    /// Who takes part: `NAME[=ROLE][@FAMILY]`, with commas between
    #[arg(long, value_name = "A,B", value_delimiter = ',', required = true)]
    pub agents: Vec<String>,
    /// What is reviewed, in a few sentences
    #[arg(long, required_unless_present = "diff", conflicts_with = "diff")]
    pub summary: Option<String>,
    /// The change that is reviewed, as a unified diff; - is standard input
    #[arg(long, value_name = "FILE")]
    pub diff: Option<String>,
    /// Your own name for it; made when left out
    #[arg(long, value_name = "RUN")]
    pub run: Option<String>,
    /// The line of work it belongs to
    #[arg(long)]
    pub thread: Option<String>,
    /// How it is gone about
    #[arg(long)]
    pub strategy: Option<String>,
}

#[derive(Clone, Debug, Args)]
pub struct ReviewReportArgs {
    /// The review; KEN_RUN when left out
    #[arg(long, value_name = "RUN")]
    pub run: Option<String>,
    /// Who found it; may be left out where the findings say so, KEN_AGENT otherwise
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// The findings: JSON, JSONL or a Findings Index; - is standard input
    #[arg(long, value_name = "FILE")]
    pub findings: String,
}

#[derive(Clone, Debug, Args)]
pub struct ConfirmArgs {
    /// An id, a handle, or the beginning of one
    pub id: String,
    /// How it was found
    #[arg(long, default_value = "")]
    pub reason: String,
    #[command(flatten)]
    pub in_run: InRun,
}

#[derive(Clone, Debug, Args)]
pub struct FeedbackArgs {
    /// An id, a handle, or the beginning of one
    pub id: String,
    /// It helped
    #[arg(long, required_unless_present = "not_helpful", conflicts_with = "not_helpful")]
    pub helpful: bool,
    /// It did not
    #[arg(long)]
    pub not_helpful: bool,
    /// Why
    #[arg(long, default_value = "")]
    pub reason: String,
    #[command(flatten)]
    pub in_run: InRun,
}

#[derive(Clone, Debug, Args)]
pub struct ThreadArgs {
    #[command(subcommand)]
    pub verb: ThreadVerb,
}

#[derive(Clone, Debug, Subcommand)]
pub enum ThreadVerb {
    /// Put a thread away: what only it sees counts for less
    Archive {
        /// The thread
        thread: String,
    },
    /// List the threads that have entries
    List,
}

#[derive(Clone, Debug, Args)]
pub struct OutcomesArgs {
    /// 24h, 7d, 4w or all
    #[arg(long, default_value = "7d")]
    pub period: String,
}

#[derive(Clone, Debug, Args)]
pub struct QueueArgs {
    /// Items at most
    #[arg(long, default_value_t = 10, value_parser = whole::<usize>)]
    pub limit: usize,
    /// The item that is judged, as the list names it
    #[arg(long, requires_all = ["answer", "reason"])]
    pub item: Option<String>,
    /// One of the answers it allows
    #[arg(long, requires = "item")]
    pub answer: Option<String>,
    /// Why
    #[arg(long, requires = "item")]
    pub reason: Option<String>,
}
