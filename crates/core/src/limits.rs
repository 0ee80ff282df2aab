//! Every bound and threshold of the domain, with its unit and its reason.

/// A claim is one to three sentences; what is longer belongs into `detail`.
pub const STATEMENT_CHARS_MAX: usize = 4_000;
/// A title must fit a line of a list.
pub const TITLE_CHARS_MAX: usize = 300;
/// A summary is one line.
pub const SUMMARY_CHARS_MAX: usize = 500;
/// Long explanations, logs and examples; anything longer is a document, and is cited instead.
pub const DETAIL_CHARS_MAX: usize = 100_000;
/// Any other single text (a tag, a reference, a condition, a verification step).
pub const WORD_CHARS_MAX: usize = 1_000;
/// The regular expression of a condition: longer ones are programs, and nobody reads them.
pub const CONDITION_REGEX_CHARS_MAX: usize = 500;
/// Members of one list field.
pub const LIST_LEN_MAX: usize = 200;
/// ENT-5: one to three verification steps.
pub const VERIFICATION_STEPS_MAX: usize = 3;
/// One ledger line. Diffs of longer lines help nobody, and a reader must be able to hold it.
pub const LINE_BYTES_MAX: usize = 1024 * 1024;
/// The data of one event. The rest of its line is for the envelope: actor, parents, signature.
pub const DATA_BYTES_MAX: usize = LINE_BYTES_MAX - 64 * 1024;
/// What one line keeps of a foreign file, escaped: some parts are not cut, and the line has room for one of them.
pub const DOCUMENT_PIECE_BYTES_MAX: usize = DATA_BYTES_MAX / 4;
/// Levels of lists and objects in the data of one event. Our parser follows 128, and an answer wraps an entry in a few more.
pub const DATA_LEVELS_MAX: usize = 64;
/// A caller's own id. Fits every file system after encoding.
pub const GIVEN_ID_CHARS_MAX: usize = 120;
/// Shortest handle: `L-` and six digits (STO-8).
pub const HANDLE_DIGITS_MIN: usize = 6;
/// Files in one ledger folder before new ones go into two-hex subfolders (STO-3).
pub const FOLDER_FILES_MAX: usize = 5_000;
/// Entries in one atomic batch of a bulk add.
pub const BATCH_ENTRIES_MAX: usize = 1_000;
/// A prefix shorter than this is more likely a typing error than a reference.
pub const PREFIX_CHARS_MIN: usize = 3;
/// A clock further ahead than this is said aloud: somebody's machine is wrong.
pub const CLOCK_AHEAD_NOTICE_MILLIS: i64 = 5 * 60 * 1000;
/// COR-4: a clock further ahead of this machine's than this is wrong: it dates no event about anything else.
pub const CLOCK_WRONG_MILLIS: i64 = 24 * 60 * 60 * 1000;
/// BEL-1: the belief in an entry nobody has used yet is Beta(5, 5).
pub const PRIOR_ALPHA: f64 = 5.0;
/// BEL-1: see [`PRIOR_ALPHA`].
pub const PRIOR_BETA: f64 = 5.0;
/// BEL-1: what a machine fetched from the web is doubted a little.
pub const FORAGED_ALPHA: f64 = 3.0;
/// BEL-1: see [`FORAGED_ALPHA`].
pub const FORAGED_BETA: f64 = 5.0;
/// BEL-2: an observation fades for so many days, and no further.
pub const FADING_DAYS_MAX: i32 = 180;
/// BEL-3: what one observation counts at most, in thousandths.
pub const OBSERVATION_WEIGHT_MAX: u32 = 1_500;
/// BEL-5: alpha and beta together.
pub const EVIDENCE_MAX: f64 = 150.0;
/// BEL-6: an alpha below this share of its peak comes back faster.
pub const MASTERY_SHARE: f64 = 0.5;
/// BEL-6: by this share of the way to the peak.
pub const MASTERY_BONUS: f64 = 0.2;
/// COR-3: the share of a success that the next entry in the order of use gets.
pub const RANK_SHARE: f64 = 0.7;
/// BEL-7: observations that a reset needs, beyond the prior.
pub const RESET_OBSERVATIONS_MIN: f64 = 50.0;
/// BEL-7: a reset is for what is neither believed nor doubted.
pub const RESET_MEAN: std::ops::RangeInclusive<f64> = 0.35..=0.65;
/// BEL-8: what is known of an entry fades by so many days when its thread is put away.
pub const WIDENED_DAYS: i32 = 30;
/// OUT-6: what two entries weigh when a run has used both for the first time.
pub const TOGETHER_FIRST: f64 = 1.0;
/// OUT-6: by how much each further time multiplies it.
pub const TOGETHER_USED: f64 = 1.1;
/// OUT-6: and by how much more if one answer had handed out both.
pub const TOGETHER_RETRIEVED: f64 = 1.05;
/// OUT-6: no two entries belong together more than this.
pub const TOGETHER_MAX: f64 = 10.0;
/// OUT-6: what is left of it after a day.
pub const TOGETHER_DAY: f64 = 0.995;
/// OUT-6: below this they have nothing to do with each other any more.
pub const TOGETHER_MIN: f64 = 0.1;
/// IN-8: belief that makes an entry verified.
pub const VERIFIED_ALPHA: f64 = 8.0;
/// IN-8: independent confirmations that make an entry verified.
pub const VERIFIED_CONFIRMATIONS: usize = 2;
/// Agents in one run.
pub const RUN_AGENTS_MAX: usize = 100;
/// The name of a run or an agent.
pub const RUN_NAME_CHARS_MAX: usize = 100;
/// A run in which nothing happened for so long was left lying.
pub const RUN_ABANDONED_HOURS: i64 = 24;
/// REV-7: agents that must find something independently for it to become an entry.
pub const REVIEW_AGENTS_MIN: usize = 2;
/// Findings in one event: a long report is several, in one write.
pub const REPORT_FINDINGS_PER_EVENT: usize = 100;
/// REV-4: reviews in which an entry is injected and not found again, before it is archived.
pub const REVIEW_LIMIT: u32 = 10;
/// HEA-1: a norm that nobody confirmed for more days than this is stale.
pub const NORM_STALE_DAYS: i64 = 90;
/// BEL-9: notes of one clone beside one entry; what needs more is an entry of its own.
pub const NOTES_MAX: usize = 50;
/// VAL-2: freshness of what cannot be verified halves in this many days.
pub const FRESHNESS_HALF_LIFE_DAYS: f64 = 90.0;
/// VAL-2: what cannot be verified and is this old has its age told.
pub const AGE_NOTE_DAYS: i64 = 30;
/// VAL-2: above this the age is a caveat.
pub const AGE_CAVEAT_DAYS: i64 = 90;
/// Entries of a chain of causes that an answer names.
pub const CHAIN_SHOWN_MAX: usize = 1_000;
/// OUT-2: the six weights sum to one within this.
pub const WEIGHTS_SUM_TOLERANCE: f64 = 1e-6;
/// OUT-5: a best answer below this was no answer; that is recorded against it.
pub const ANSWER_SIMILARITY_MIN: f64 = 0.38;
/// OUT-3: above this, with two sources, a line each is enough.
pub const SUMMARY_SCORE_MIN: f64 = 0.5;
/// OUT-3: above this a paragraph each is enough; below it, everything is shown.
pub const STANDARD_SCORE_MIN: f64 = 0.35;
/// REV-5: entries injected into one agent in one run.
pub const INJECTED_MAX: usize = 5;
/// SUR-3: what is handed to an agent unasked, in tokens.
pub const SURFACE_TOKENS: usize = 500;
/// SUR-1: an executor is interrupted with less.
pub const EXECUTOR_TOKENS: usize = 200;
/// A query is recorded up to here: enough to see what was asked.
pub const RECORDED_QUERY_CHARS_MAX: usize = 300;
/// IN-5: an admission score below this keeps an entry out.
pub const ADMISSION_REJECT_MIN: f64 = 0.25;
/// IN-5: below this it comes in as a candidate, whatever was proposed.
pub const ADMISSION_DEMOTE_MIN: f64 = 0.35;
/// COR-5: how credible a page is of whose site nothing is known.
pub const CREDIBILITY_UNKNOWN: f64 = 0.5;
/// IN-5: what comes from elsewhere needs this much.
pub const ADMISSION_FOREIGN_MIN: f64 = 0.40;
const _: () =
    assert!(ADMISSION_REJECT_MIN < ADMISSION_DEMOTE_MIN && ADMISSION_DEMOTE_MIN < ADMISSION_FOREIGN_MIN);

/// UPK-5: when the rules of a briefing speak up.
pub mod brief {
    /// An alpha that lost more than this share of its peak.
    pub const DECLINE_SHARE: f64 = 0.20;
    /// And that moved in so many days.
    pub const DECLINE_DAYS: i32 = 7;
    /// Two entries with more of their domains in common may contradict each other.
    pub const CONTRADICTION_OVERLAP: f64 = 0.30;
    /// UPK-3: words of two titles in common from which on both are about the same subject.
    pub const SUBJECT_OVERLAP: f64 = 0.40;
    /// An entry that was the best answer and none so often leaves a gap.
    pub const GAP_ERRORS_MIN: u32 = 3;
    /// So many of them in one domain ask for attention.
    pub const GAP_ENTRIES_MIN: usize = 3;
    /// Entries that weigh more together belong to one cluster.
    pub const CLUSTER_WEIGHT: f64 = 0.5;
    /// A cluster is stale when each of its entries has more errors.
    pub const CLUSTER_ERRORS: u32 = 3;
    /// Two entries with more of their domains and of their titles in common may say the same.
    pub const MERGE_OVERLAP: f64 = 0.50;
    /// Entries with one word of a title in common that are compared: a word that more have tells nothing apart.
    pub const SHARED_WORD_MAX: usize = 64;
    /// Runs count for so many days: what was long ago is no news.
    pub const RUNS_DAYS: i64 = 90;
    /// A way of going about things is judged by so many runs.
    pub const STRATEGY_RUNS_MIN: usize = 3;
    /// And lags when its quality is so far below the best one's.
    pub const STRATEGY_LAG: f64 = 0.15;
    /// Rounds that are many.
    pub const ROUNDS_MANY: u32 = 10;
    /// Quality that is poor after so many.
    pub const ROUNDS_QUALITY: f64 = 0.40;
    /// Such runs before it is said.
    pub const ROUNDS_RUNS_MIN: usize = 2;
    /// Runs with a cost before any is an outlier.
    pub const COST_RUNS_MIN: usize = 5;
    /// So many times the median is one.
    pub const COST_FACTOR: f64 = 2.5;
    /// Successful runs that left nothing behind, before it is said.
    pub const RETURN_RUNS_MIN: usize = 3;
    /// And the share of all spending that they took.
    pub const RETURN_SHARE: f64 = 0.30;
    /// Entries of a domain before anything is said of how fast they fade.
    pub const FADING_ENTRIES_MIN: usize = 3;
    /// Entries where their belief is what speaks.
    pub const FADING_BELIEVED_MIN: usize = 5;
    /// Mean errors from which on they should fade faster.
    pub const FADING_ERRORS: f64 = 3.0;
    /// The share of them that was put away, from which on they should.
    pub const FADING_PUT_AWAY: f64 = 0.40;
    /// The mean belief below which they should.
    pub const FADING_DOUBTED: f64 = 0.40;
    /// The mean belief from which on ephemeral ones may fade slower,
    pub const LASTING_BELIEVED: f64 = 0.70;
    /// with fewer errors than this,
    pub const LASTING_ERRORS: f64 = 1.0;
    /// and less than this put away.
    pub const LASTING_PUT_AWAY: f64 = 0.10;
    /// Runs, and entries in use, before work can be said to go in circles.
    pub const CIRCLES_MIN: usize = 5;
    /// Different ways of going about things, in effect: fewer are one.
    pub const CIRCLES_WAYS: f64 = 1.5;
    /// Different entries in use, in effect: fewer are the same few.
    pub const CIRCLES_ENTRIES: f64 = 3.0;
    /// The share of runs that failed.
    pub const CIRCLES_FAILED: f64 = 0.30;
    /// Entries handed out by then and never of use have not earned their place: days since they were stated,
    pub const UNEARNED_DAYS: i64 = 30;
    /// and times they were handed out.
    pub const UNEARNED_TIMES: usize = 5;
}
