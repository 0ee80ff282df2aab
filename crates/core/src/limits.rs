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
/// Characters of an actor's name: a longer one is cut where it is shown and where git says it.
pub const ACTOR_CHARS_MAX: usize = 120;
/// Letters of a name that is not scanned: no secret that the rules know is a word of small letters, and no order is one word.
pub const PLAIN_NAME_BYTES_MAX: usize = 20;
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
/// The events of one import call lie within so many milliseconds: all are dated by its start, and the clock runs ahead by a millisecond
/// for every 65,536 of them.
pub const IMPORT_CALL_MILLIS: i64 = 1_000;
/// BEL-1: the belief in an entry nobody has used yet is Beta(5, 5).
pub const PRIOR_ALPHA: f64 = 5.0;
/// BEL-1: see [`PRIOR_ALPHA`].
pub const PRIOR_BETA: f64 = 5.0;
/// BEL-1: what a machine fetched from the web is doubted a little.
pub const FORAGED_ALPHA: f64 = 3.0;
/// BEL-1: see [`FORAGED_ALPHA`].
pub const FORAGED_BETA: f64 = 5.0;
/// COR-30: pages of one cycle of the forager.
pub const FORAGE_CYCLE_PAGES_MAX: u32 = 5;
/// COR-30: requests of weak recall that wait; more are what nobody will ever look up.
pub const FORAGE_WAITING_MAX: usize = 20;
/// COR-30: days that a request waits, and that its question is not asked again. What matters is asked again.
pub const FORAGE_WAITING_DAYS_MAX: u32 = 14;
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
/// UPK-4: the most that an entry which sums up others starts with.
pub const DISTILLED_ALPHA_MAX: f64 = 30.0;
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
/// COR-19: clones that must speak for an entry before it is verified, where nothing was observed or proved.
pub const VERIFIED_ORIGINS: usize = 2;
/// COR-19: events that a promotion names as what it rests on, the latest ones. An old entry has hundreds of observations.
pub const RESTS_ON_MAX: usize = 16;
/// Agents in one run.
pub const RUN_AGENTS_MAX: usize = 100;
/// The name of a run or an agent.
pub const RUN_NAME_CHARS_MAX: usize = 100;
/// A run in which nothing happened for so long was left lying.
pub const RUN_ABANDONED_HOURS: i64 = 24;
/// Runs that began longer ago are not looked at to see whether they were left lying, in days: a store has years of them.
pub const RUN_SWEPT_DAYS: i64 = 30;
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

/// FED-5: how far other instances are trusted.
pub mod trust {
    /// The prior: as much for as against.
    pub const PRIOR: f64 = 1.0;
    /// What a success adds.
    pub const SUCCESS: f64 = 1.0;
    /// What a failure adds: trust is lost faster than it is won.
    pub const FAILURE: f64 = 2.0;
    /// What is left of an observation after a day.
    pub const DAILY: f64 = 0.9995;
    /// Trust is this percentile.
    pub const PERCENTILE: f64 = 0.10;
}

/// UPK-5: when the rules of a briefing speak up.
pub mod brief {
    /// An instance that is trusted less is worth a look.
    pub const TRUST_LOW: f64 = 0.5;
    /// Days for which it is told what services changed by themselves.
    pub const NOTICE_DAYS: i64 = 7;
    /// Times a person ran a service before it is said that it could run by itself.
    pub const FOLLOWED_MIN: usize = 5;
    /// Times its work was undone, before it is said that it should not.
    pub const UNDONE_MIN: usize = 3;
    /// Observations of a domain before they say anything of who works in it,
    pub const FEEDBACK_MIN: usize = 3;
    /// and the share of them that speaks against it.
    pub const FEEDBACK_AGAINST: f64 = 0.5;
    /// Successful runs before a configuration is recommended,
    pub const CONFIGURED_RUNS_MIN: usize = 3;
    /// and of each choice before it is one.
    pub const CHOICE_RUNS_MIN: usize = 2;
    /// Runs of a choice that make a recommendation a sure one.
    pub const CHOICE_RUNS_MANY: usize = 5;
    /// Runs that changed their strategy on the way before that is said.
    pub const ESCALATED_RUNS_MIN: usize = 2;
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
    /// Less than any two mean qualities can differ by: they are sums of thousandths, and sums of fractions err in their last digits.
    pub const QUALITY_STEP: f64 = 1e-9;
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

/// `action/code.rs`: Programs in other languages that stand on a command line: which commands they start, and which files they write.
pub(crate) mod action_code {
    /// Characters of a program that are read. One-liners are short; what is longer is a file that was pasted.
    pub const CHARS_MAX: usize = 64 * 1024;
    /// Tokens of one call that are looked at: a longer one has no literal arguments that tell something.
    pub const CALL_TOKENS_MAX: usize = 400;
    /// Calls that are reported: a program with more is a file, and its first calls tell enough.
    pub const EFFECTS_MAX: usize = 200;
}

/// `action/decide.rs`: Holds an action against the rules in force.
pub(crate) mod action_decide {
    /// Characters of the part of an action that is quoted. It has to fit a message.
    pub const PART_CHARS_MAX: usize = 160;
    /// Characters of a path that is looked at: no file system has longer ones.
    pub const PATH_CHARS_MAX: usize = 4_096;
    /// Links that one line makes and that are followed in the rest of it. Nobody makes more to work with them.
    pub const LINKED_MAX: usize = 64;
}

/// `action/glob.rs`: Globs over paths and words: `*` stays within a segment, `**` crosses `/`, `?` is one character, `[a-c]` one of several.
pub(crate) mod action_glob {
    /// Alternatives that one pattern with braces may stand for. More are a list that nobody reads.
    pub const BRACES_MAX: usize = 64;
    /// Pattern length times text length, per segment. A file name is at most 255 characters, and so is any pattern for one.
    pub const CELLS_MAX: usize = 1 << 18;
    /// Letters of a shell glob that say something about the files it names: `*.lock` does, `*` does not.
    pub const TELLING_CHARS_MIN: usize = 3;
}

/// `action/invocation.rs`: What a command line would start: each program with its words, where it runs, and what is known of its input.
pub(crate) mod action_invocation {
    /// Programs that one line starts, at most. A line that starts more is a program of its own, and its first ones tell enough.
    pub const INVOCATIONS_MAX: usize = 400;
    /// Commands that are looked at, with those of loops and functions counted each time.
    pub const STEPS_MAX: usize = 2_000;
    /// `bash -c` in `bash -c`, functions in functions, and aliases of aliases.
    pub const DEPTH_MAX: usize = 16;
    /// Values of one loop variable, items of one `xargs`, words of one brace expansion.
    pub const VALUES_MAX: usize = 64;
    /// Characters of one expanded word. A variable that doubles itself would fill the memory.
    pub const WORD_CHARS_MAX: usize = 64 * 1024;
    /// Characters that all expansions of one line may make. What is expanded after that is unknown.
    pub const EXPANDED_CHARS_MAX: usize = 512 * 1024;
    /// Words of one command. Lists of files that are longer come from a shell glob.
    pub const WORDS_MAX: usize = 1_000;
    /// Characters of a word whose braces are expanded.
    pub const BRACED_CHARS_MAX: usize = 1_000;
}

/// `action/rule.rs`: What a norm says about actions, one rule a line: a command, files, or dependencies that an agent has to leave alone or ask about.
pub(crate) mod action_rule {
    /// Characters of one rule. A longer one is several.
    pub const RULE_CHARS_MAX: usize = 1_000;
    /// Words, options, globs or names of one rule, with their alternatives.
    pub const WORDS_MAX: usize = 100;
}

/// `belief.rs`: How far an entry can be believed: a Beta distribution, folded from what happened when it was used (BEL-1 to BEL-8).
pub(crate) mod belief {
    /// BEL-4: what a word of feedback adds, in thousandths.
    pub const FEEDBACK_WEIGHT: u32 = 1000;
}

/// `calibration.rs`: Whether "80 %" means 80 %: predictions beside what came of them (BEL-11).
pub(crate) mod calibration {
    /// In how many parts predictions are told apart.
    pub const BINS: usize = 10;
}

/// `cluster.rs`: Signals that speak of the same thing, put together until they weigh enough to be looked at (DIG-2).
pub(crate) mod cluster {
    /// Tags of one signal that are looked at, in the order of the alphabet: who has more labels says less with each, and pairs are many.
    pub const TAGS_MAX: usize = 20;
    /// DIG-2: tags that the signals of a cluster share.
    pub const SHARED_TAGS_MIN: usize = 2;
}

/// `contradiction.rs`: Norms that nobody can keep together, each with a sentence that says why (gate `knowledge.contradictions`).
pub(crate) mod contradiction {
    /// Norms that share their words and are all compared with each other. No team has as many rules about one thing, and a ledger may have thousands.
    pub const TOGETHER_MAX: usize = 32;
    /// Characters of a rule that are quoted: two of them fit a message.
    pub const QUOTE_CHARS_MAX: usize = 120;
    /// The share of their words that two clauses have in common which may be about one thing: two in three. With less, clauses about a part of it
    /// and about something beside it are taken for the same.
    pub const ALIKE_SHARE_MIN: f64 = 0.66;
    /// Clauses of a statement that are compared: what it advises stands at its beginning.
    pub const CLAUSES_MAX: usize = 16;
}

/// `decide/near.rs`: What a writer is told of entries near in meaning to the new one.
pub(crate) mod near {
    /// The share of the cosine from which on two texts may say the same, from which on they may be about one subject: in a small store the nearest
    /// entries are about anything.
    pub const SUBJECT_SHARE: f64 = 0.6;
    /// Remarks on one new entry: more are read by nobody.
    pub const REMARKS_MAX: usize = 2;
    /// How near two entries are, in thousandths, from which on they may have been noted because they may say the same (UPK-1); of what was noted
    /// with less, one may say the opposite of the other.
    pub const ASK_MIN: u32 = 820;
    /// Characters of a title that is quoted in one.
    pub const TITLE_CHARS_MAX: usize = 100;
}

/// `drift.rs`: What a store has gathered that nobody keeps up: stale, bloated, contradictory and orphaned knowledge (DRI-1).
pub(crate) mod drift {
    /// Entries of the other side that a sign names; more are counted, for the list is read in a terminal.
    pub const NAMED_MAX: usize = 3;
}

/// `finding/issue.rs`: A text about a fault in code, taken apart for comparison with another: what it names, what it says is there, and what it says is missing.
pub(crate) mod finding_issue {
    /// Content words that a negation reaches: what comes later in a clause mostly belongs to another phrase.
    pub const NEGATED_WORDS_MAX: usize = 3;
}

/// `finding/matching.rs`: Whether a finding says what an entry says, and why (REV-2, REV-8).
pub(crate) mod finding_matching {
    /// REV-6: edit distance of two titles, as a share of the longer one, below which they are the same issue.
    pub const DISTANCE_MAX: f64 = 0.3;
    /// Bytes of a title up to which its letters are compared: the time grows with the square. Longer ones are compared by their words alone.
    pub const COMPARED_BYTES_MAX: usize = 1_200;
    /// REV-6: keywords in common that make the same issue, if they are half of the shorter text.
    pub const SHARED_WORDS_MIN: usize = 3;
    /// Lines between two places that are still one: edits above move them.
    pub const NEAR_LINES_MAX: u32 = 3;
    /// Likelihood, 0 to 1, from which on a finding says what an entry says. Set with the pairs of `evals/review` in view; `docs/internals/review-quality.md` has the figures.
    pub const SAME_SCORE_MIN: f64 = 0.5;
    /// Words that must be shared at another place, where the place does not speak for it.
    pub const SHARED_WORDS_ELSEWHERE_MIN: usize = 3;
    /// Cosine that does at another place without them.
    pub const COSINE_ELSEWHERE_MIN: f64 = 0.5;
    /// Cosine below which two texts are about different things, whatever words they share.
    pub const COSINE_MIN: f64 = 0.3;
    /// Words that a reason names: it has to fit a line.
    pub const REASON_WORDS_MAX: usize = 6;
    /// Likelihood that is left at most to what has too little in common: below `SAME_SCORE_MIN`, with room to be listed as near.
    pub const FAR_SCORE_MAX: f64 = 0.4;
    /// Likelihood that is left at most to what is contradicted: confirming the opposite of an entry is the worst error.
    pub const CONTRADICTED_SCORE_MAX: f64 = 0.1;
    /// Titles that share so many words and differ in one are copies of each other.
    pub const COPIED_WORDS_MIN: usize = 3;
    /// The same, where they differ in two.
    pub const COPIED_AROUND_TWO_MIN: usize = 5;
    /// The same, where the one is a name of code.
    pub const COPIED_AROUND_CODE_MIN: usize = 2;
}

/// `finding/merge.rs`: Makes one finding of what several agents found, counts who agreed, and says what may become an entry (REV-6, REV-7).
pub(crate) mod finding_merge {
    /// Ties that a group names of each kind: a person reads no more, and reports of agents have thousands.
    pub const TIES_MAX: usize = 20;
    /// Groups that one finding is compared with, those that share most of its words: it bounds the time of a review with thousands of findings.
    pub const COMPARED_MAX: usize = 16;
    /// Groups before and behind one in its file that are looked at for being at the same place: it bounds the time for a file with thousands of findings.
    pub const NEIGHBOUR_GROUPS_MAX: usize = 100;
    /// Groups that have a word before it tells them apart no longer.
    pub const COMMON_WORD_GROUPS_MIN: usize = 100;
    /// What each further family of models adds to the convergence: other models err in other ways, so it counts for more than another agent (1.0).
    pub const FURTHER_FAMILY_WEIGHT: f64 = 1.5;
    /// REV-7: severity, 0 to 10, from which on a finding is an incident: P0 of the scale.
    pub const INCIDENT_SEVERITY_MIN: f64 = 9.0;
    /// REV-7: severity, 0 to 10, from which on a finding is a pattern, if its finder is sure: P1 of the scale.
    pub const PATTERN_SEVERITY_MIN: f64 = 7.0;
    /// REV-7: confidence, 0 to 10, at which its finder is sure.
    pub const PATTERN_CONFIDENCE_MIN: f64 = 8.0;
}

/// `finding/read.rs`: Reads a reviewer's report, in whichever of the known forms it comes, into findings (REV-6).
pub(crate) mod finding_read {
    /// Findings in one report. Ten times what the largest review of a large repository has.
    pub const FINDINGS_MAX: usize = 100_000;
    /// Faults that are told of one report. Whoever has more has one mistake many times.
    pub const FAULTS_TOLD_MAX: usize = 20;
    /// Characters of the title that a text without one gets from its beginning: it has to fit a line of a list.
    pub const MADE_TITLE_CHARS_MAX: usize = 120;
}

/// `finding/stance.rs`: What a text asks for and what it warns of, clause by clause, so that a claim is not taken for its opposite (IN-6).
pub(crate) mod finding_stance {
    /// Words in common below which two clauses speak of different things: one word is chance.
    pub const SHARED_WORDS_MIN: usize = 2;
    /// Share of the words of an entry that a clause has if it speaks of the same.
    pub const COVERED_SHARE_MIN: f64 = 0.75;
}

/// `friction.rs`: What gets in the way, added up: by type, by cause, against the time before, and what cost the most (FRI-1).
pub(crate) mod friction {
    /// The context of one record, in bytes as JSON: what is longer is a log, and is named by its path.
    pub const CONTEXT_BYTES_MAX: usize = 64 * 1024;
    /// Minutes, and cost, of one record: half a year of work is no friction.
    pub const MEASURE_MAX: f64 = 100_000.0;
    /// Records of a group that are named: enough to recognise the cause, and they fit three lines.
    pub const EXAMPLES_MAX: usize = 3;
    /// Groups that are named as the costliest: nobody mends more at once.
    pub const COSTLIEST_MAX: usize = 3;
    /// Words of a record that are compared: the first ones say what it is about, and the time grows with each.
    pub const WORDS_MAX: usize = 32;
    /// Words of two records in common, in thousandths of both: with half of them they are about the same cause.
    pub const SHARED_THOUSANDTHS_MIN: usize = 500;
    /// A change of less than this part of the larger number is none.
    pub const STEADY_PART: usize = 4;
    /// Characters of a cause that are shown: one line of a terminal.
    pub const LABEL_CHARS_MAX: usize = 100;
}

/// `merge.rs`: Entries that say the same: which of them stands for the others, and what it has of theirs (UPK-1, COR-20).
pub(crate) mod merge {
    /// COR-20: how many times as long a text must be to be kept for its length alone.
    pub const LONGER_FACTOR: f64 = 1.2;
    /// Merges that are followed from an entry to the one that stands for it: a chain this long is nobody's.
    pub const STEPS_MAX: usize = 64;
    /// Entries that one entry stands for: it bounds what a forged ledger costs.
    pub const MEMBERS_MAX: usize = 1_000;
}

/// `norm/read.rs`: Reads the `enforcement` of a norm strictly, and names everything that is wrong with it at once.
pub(crate) mod norm_read {
    /// Globs, names or types in one list. Nobody reads a longer one.
    pub const LIST_MAX: usize = 200;
    /// Characters of one glob, name or regular expression.
    pub const TEXT_CHARS_MAX: usize = 2_000;
    /// Edits between a word and the one that was probably meant: more make another word of a short one.
    pub const SLIP_MAX: usize = 2;
}

/// `norm/told.rs`: How a norm is checked, in words for a person who has to say yes to it.
pub(crate) mod norm_told {
    /// Globs, types or names that are listed; of the others only the number is.
    pub const LISTED_MAX: usize = 6;
    /// Characters of one pattern. The whole of it is in the entry.
    pub const PATTERN_CHARS_MAX: usize = 72;
}

/// `opposition.rs`: UPK-3: which of two entries of different instances that say the opposite has more behind it.
pub(crate) mod opposition {
    /// Difference of means above which one is ahead in evidence.
    pub const AHEAD_EVIDENCE: f64 = 0.15;
    /// Difference above which one is ahead in recency.
    pub const AHEAD_RECENCY: f64 = 0.2;
    /// Citations and merged entries more from which on one is ahead in provenance.
    pub const AHEAD_PROVENANCE: usize = 2;
    /// Points of three from which on one is ahead of the other.
    pub const AHEAD_POINTS: usize = 2;
    /// Days after which recency is half of what it was.
    pub const HALF_LIFE_DAYS: f64 = 90.0;
    /// Shares of the score.
    pub const WEIGHT_EVIDENCE: f64 = 0.5;
    pub const WEIGHT_RECENCY: f64 = 0.3;
    pub const WEIGHT_PROVENANCE: f64 = 0.2;
    /// Citations and merged entries at which provenance counts half.
    pub const PROVENANCE_HALF: f64 = 10.0;
    /// Lead of a score that chance explains, however much evidence there is.
    pub const THRESHOLD_BASE: f64 = 0.05;
    /// The same for one observation; it falls with their number.
    pub const THRESHOLD_SHARE: f64 = 2.0;
}

/// `patch.rs`: What a change is about, read from its diff: files, the functions its hunks are in, and the words of the lines it adds (REV-5).
pub(crate) mod patch {
    /// Words that are looked for.
    pub const WORDS_MAX: usize = 40;
    /// Sections that are looked for.
    pub const SECTIONS_MAX: usize = 20;
    /// Files that are remembered.
    pub const PATHS_MAX: usize = 500;
}

/// `exposed.rs`: Exposures in ledger files: many `run.exposed` events of the journal become one that says when each entry was shown.
pub mod exposed {
    /// Entries that one event lists: a line has at most a megabyte, and somebody may list everything. More make another event.
    pub const SHOWN_MAX: usize = 2000;
}

/// `place.rs`: Where a line lives: the ledger file of an entry, of a month's citations, of an episodic record (STO-2, STO-3).
pub(crate) mod place {
    /// Longest encoded name that fits every file system, ending and prefix included.
    pub const NAME_BYTES_MAX: usize = 180;
}

/// `reviewers.rs`: The reviewers that ship: what each looks for, as the words that its knowledge is asked with (REV-5).
pub(crate) mod reviewers {
    /// Characters of a reviewer's name.
    pub const NAME_CHARS_MAX: usize = 64;
}

/// `similar.rs`: When two texts that look alike may not be one: what keeps them apart, in words that can be quoted (IN-6).
pub(crate) mod similar {
    /// With more differing words than this on one side, two texts are no longer near copies of each other.
    pub const SWAPPED_WORDS_MAX: usize = 3;
    /// A thing that can change places is named with at most so many words.
    pub const TRADED_WORDS_MAX: usize = 4;
}

/// `words.rs`: Words people type: finding the nearest known one, and normalising texts and tags for comparison.
pub(crate) mod words {
    /// A longer sentence is not quoted in a list: its entry has a title.
    pub const SENTENCE_CHARS_MAX: usize = 400;
}
