//! The words of the verbs that learn: tasks, reviews, confirmations, feedback, belief.

use clap::{Args, Subcommand};

pub use kenning::verbs::learn::{
    BeliefRequest as BeliefArgs, ConfirmRequest as ConfirmArgs, FeedbackRequest as FeedbackArgs,
    OutcomesRequest as OutcomesArgs, QueueRequest as QueueArgs, ThreadArchiveRequest as ThreadArchiveArgs,
    ThreadListRequest as ThreadListArgs,
};
pub use kenning::verbs::review::{
    ReviewReportRequest as ReviewReportArgs, ReviewStartRequest as ReviewStartArgs,
};
pub use kenning::verbs::task::{
    RunListRequest as RunListArgs, RunNameRequest as RunNameArgs, TaskFinishRequest as TaskFinishArgs,
    TaskStartRequest as TaskStartArgs,
};

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
pub struct ThreadArgs {
    #[command(subcommand)]
    pub verb: ThreadVerb,
}

#[derive(Clone, Debug, Subcommand)]
pub enum ThreadVerb {
    /// Put a thread away: what only it sees counts for less
    Archive(ThreadArchiveArgs),
    /// List the threads that have entries
    List(ThreadListArgs),
}
