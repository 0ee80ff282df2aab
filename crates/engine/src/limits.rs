//! Every bound and threshold of this crate, with its unit and its reason, by the file that keeps it.

/// `replays.rs`: the answers that a server keeps for idempotency keys.
pub(crate) mod replays {
    /// The status of an answer whose text was purged: the request was carried out, and what it answered is gone (410 of HTTP).
    pub const PURGED: u16 = 410;
    /// The status of a request that somebody began to carry out.
    pub const BEGUN: u16 = 102;
}

/// `deliver.rs`: How entries are handed over: as one line, as a paragraph, or whole (OUT-3).
pub(crate) mod deliver {
    /// Characters of the claim in a line: with handle, belief and age it fits a terminal of 120 columns.
    pub const SUMMARY_CHARS_MAX: usize = 100;
    /// Characters of the claim in a paragraph: one or two sentences, which decide whether the whole is wanted.
    pub const PREVIEW_CHARS_MAX: usize = 200;
    /// Characters of a title beside the claim: one line.
    pub const TITLE_CHARS_MAX: usize = 80;
    /// Characters of any one text that is handed over whole; the rest is a `ken show` away.
    pub const HANDED_CHARS_MAX: usize = 6_000;
    /// Characters of why an entry failed: one line under it.
    pub const REASON_CHARS_MAX: usize = 120;
}

/// `norms.rs`: Judging a change by norms: which tier it is of, which norms apply, and where it fails them (GAT-3).
pub(crate) mod norms {
    /// Places that are told; of the others only the number is.
    pub const PLACES_MAX: usize = 20;
    /// Names in one sentence.
    pub const NAMED_MAX: usize = 5;
}

/// `norms/pattern.rs`: Patterns of norms, compiled within bounds: regular expressions in linear time, and globs.
pub(crate) mod norms_pattern {
    /// A compiled regular expression. Norms come with a repository: nobody should be able to fill the memory with one.
    pub const COMPILED_BYTES_MAX: usize = 1024 * 1024;
}

/// `opposed.rs`: Whether two entries say the opposite about one subject (UPK-3).
pub(crate) mod opposed {
    /// Words of a title that are looked at: a longer one is a statement, and its first words say what it is about.
    pub const TITLE_WORDS_MAX: usize = 40;
    /// The share of the words of the shorter of two titles that both have, from which on they are read for what they say to do: less is another subject.
    pub const SHARE_OF_SHORTER_MIN: f64 = 0.3;
}

/// `standing.rs`: Whose statements others have vouched for (decision 0039).
pub(crate) mod standing {
    /// Entries of an author for each one of them that is verified, at most, for all of them to count in full: one honest lesson must not carry a
    /// flood, and few people get more than some of a hundred entries verified.
    pub const ENTRIES_PER_VERIFIED_MAX: u32 = 100;
}

/// `together.rs`: Which of some entries were used together.
pub(crate) mod together {
    /// Entries of one run that are taken to have been used together.
    pub const USED_TOGETHER_MAX: usize = 100;
}

/// `ops/mod.rs`: what every verb shares: finding entries by their names.
pub(crate) mod ops {
    /// Entries or pieces of evidence that one call names. A run uses a few; a longer list is a mistake in a program, and telling each of its
    /// faults would take seconds and megabytes.
    pub const NAMES_MAX: usize = 1_000;
}

/// `ops/brief.rs`: `brief`: what somebody who begins here should know of this store, by rules over what it holds (UPK-5).
pub(crate) mod ops_brief {
    /// Signs of one rule that are kept: a store in which more is wrong needs no longer list.
    pub const SIGNS_MAX: usize = 50;
    /// Entries that no longer hold and are listed; beyond them only their number is given.
    pub const FALLEN_MAX: usize = 200;
    /// Entries of one insight that are named.
    pub const NAMED_MAX: usize = 20;
    /// The most believed entries that are kept: some may have been handed out already.
    pub const BELIEVED_MAX: usize = 10;
    /// Characters of a claim in a line.
    pub const CLAIM_CHARS_MAX: usize = 120;
    /// Characters of a claim where there is room for all of it.
    pub const WHOLE_CLAIM_CHARS_MAX: usize = 1_000;
}

/// `ops/brief/knowledge.rs`: Rules about what the store says: belief that falls, entries at odds, questions without answers, the same said twice.
pub(crate) mod ops_brief_knowledge {
    /// Sets of labels that are held against each other: most stores have few.
    pub const LABEL_SETS_MAX: usize = 200;
    /// Pairs of titles about one subject that are read word by word in one briefing: it is made while somebody waits.
    pub const COMPARED_MAX: usize = 10_000;
    /// Noted pairs of entries that are read in one briefing: a person has answered others long before there are more.
    pub const NOTED_READ_MAX: usize = 500;
}

/// `ops/brief/told.rs`: A briefing as text, within a budget, and which entries it names.
pub(crate) mod ops_brief_told {
    /// Lines of what can be relied on most.
    pub const BELIEVED_LINES_MAX: usize = 5;
    /// Entries that a line names.
    pub const NAMED_IN_LINE_MAX: usize = 3;
    /// Insights of one rule, where not everything is asked for: what one rule finds must not crowd out the others.
    pub const PER_RULE_MAX: usize = 3;
    /// Tokens kept back to say that there is more.
    pub const MORE_TOKENS: usize = 16;
}

/// `ops/documents.rs`: Files of other systems on their way in (DOO-6): their items become entries, and their texts are kept beside them.
pub(crate) mod ops_documents {
    /// Characters of the beginning of an item's text.
    pub const BEGINNING_CHARS_MAX: usize = 100;
    /// Lines of one part that are left out before all of it is.
    pub const LINES_LEFT_OUT_MAX: usize = 8;
}

/// `ops/friction.rs`: `friction`: recording what gets in the way, adding it up, and writing the ledger out (FRI-1).
pub(crate) mod ops_friction {
    /// Characters of the context in a statement: the whole of it is kept beside it.
    pub const CONTEXT_CHARS_MAX: usize = 1_000;
    /// Records of one millisecond that say the same: more are a loop, and each needs a name of its own.
    pub const AGAIN_MAX: usize = 1_000;
}

/// `ops/gate.rs`: `gate`: what the gates say of a store, or of a change to it (GAT-1).
pub(crate) mod ops_gate {
    /// Entries that are looked at together and held in memory for it: a few megabytes.
    pub const TOGETHER_MAX: usize = 500;
}

/// `ops/grounds.rs`: Decisions that rest on how an entry stands, and what becomes of them when somebody else changes it at the same time.
pub(crate) mod ops_grounds {
    /// So often a decision is made anew before the caller is told that others are quicker.
    pub const ATTEMPTS_MAX: usize = 5;
}

/// `ops/health.rs`: `health`: how a whole store stands, and which of its figures are over their limits (HEA-1).
pub(crate) mod ops_health {
    /// Entries of one figure that are named; the others are counted.
    pub const NAMED_MAX: usize = 20;
    /// How many reviews before the limit of REV-4 an entry is said to be near it.
    pub const DEBT_NEAR: u32 = 2;
    /// Days of friction that are added up.
    pub const FRICTION_DAYS: i64 = 30;
}

/// `ops/maintain.rs`: `maintain`: the services that keep a store in order (UPK-1 to UPK-4, UPK-8).
pub(crate) mod ops_maintain {
    /// UPK-1: how near two entries are, in thousandths, from which on they are merged.
    pub const MERGE_MIN: u32 = 980;
    /// UPK-1: the same from which on somebody is asked.
    pub const ASK_MIN: u32 = 820;
    /// IN-6: the same from which on they say the same where nothing keeps them apart.
    pub const SAME_MIN: u32 = 920;
    /// Pairs with like titles that are compared in one run: more are a list of one thing with other numbers.
    pub const COMPARED_MAX: usize = 200_000;
    /// Milliseconds of a day.
    pub const DAY_MILLIS: i64 = 86_400_000;
    /// UPK-2: days without use after which an entry is stale.
    pub const UNUSED_DAYS: i64 = 90;
    /// UPK-2: prediction errors from which on an entry that is hardly used is stale.
    pub const ERRORS_MIN: u32 = 5;
    /// UPK-2: accesses below which it is hardly used.
    pub const ACCESSES_FEW: usize = 3;
    /// UPK-4: the weight above which two entries belong to one group.
    pub const DISTILLED_EDGE: f64 = 2.0;
    /// UPK-4: the mean weight above which a group is summed up.
    pub const DISTILLED_MEAN: f64 = 3.0;
    /// UPK-4: entries of such a group.
    pub const DISTILLED_ENTRIES_MIN: usize = 5;
    /// Pairs that are told as used together: a person reads no more.
    pub const PAIRS_TOLD_MAX: usize = 20;
    const _: () = assert!(ASK_MIN < SAME_MIN && SAME_MIN < MERGE_MIN);
}

/// `ops/check.rs`: which entries still hold.
pub(crate) mod ops_check {
    /// Entries that are read one by one: more are found faster in the list of all.
    pub const READ_ALONE_MAX: usize = 200;
}

/// `ops/menu.rs`: `menu`: one-liners to choose from, within a budget; `show` opens one (SUR-8).
pub(crate) mod ops_menu {
    /// Lines of a menu, at most.
    pub const LINES_MAX: usize = 100;
    /// Characters of a claim in a line.
    pub const CLAIM_CHARS_MAX: usize = 80;
}

/// `ops/pack.rs`: `pack`: a token budget filled with what an agent needs, the same bytes for the same store, task and budget (OUT-7).
pub(crate) mod ops_pack {
    /// Entries considered for one section: more than any budget holds.
    pub const CONSIDERED_MAX: usize = 30;
    /// A budget below this holds no entry.
    pub const BUDGET_MIN: usize = 50;
}

/// `ops/review.rs`: Reviews: what each agent is told at the start, what they report, and what is learned at the end (REV-4 to REV-8).
pub(crate) mod ops_review {
    /// Entries considered for one agent: six times what it is told (REV-5), so that some may drop out.
    pub const CONSIDERED_MAX: usize = 30;
    /// Faults that one answer names: whoever has more has one mistake many times.
    pub const FAULTS_TOLD_MAX: usize = 20;
    /// Findings of one review whose meaning is taken, where words do not decide: it bounds the time of a review without a fast model.
    pub const MEANINGS_MAX: usize = 64;
    /// Entries near in meaning that a finding is compared with, beside those at its place.
    pub const NEIGHBOURS_MAX: usize = 5;
}

/// `ops/review/compare.rs`: Which entry says what a finding says, and why it is the same.
pub(crate) mod ops_review_compare {
    /// Words that a finding shares with an entry at its place if both are about one subject.
    pub const SUBJECT_WORDS_MIN: usize = 2;
    /// Lines between two places that may still be one.
    pub const NEAR_LINES_MAX: u32 = 40;
    /// Texts that share as much as the same claim does are never as far apart as this.
    pub const COSINE_OF_SAME_WORDS_MIN: f64 = 0.4;
}

/// `ops/run.rs`: Runs: `task start`, `task finish`, and what an entry earns when a run that used it ends (REV-1, BEL-3).
pub(crate) mod ops_run {
    /// What a run is about, up to here.
    pub const ABOUT_CHARS_MAX: usize = 2_000;
    /// BEL-3: where nobody said how well it went, an outcome counts for one.
    pub const QUALITY_UNKNOWN: f64 = 0.5;
}

/// `ops/search.rs`: `search`: the entries that matter for a question, best first, and why.
pub(crate) mod ops_search {
    /// Answers, when nobody says how many.
    pub const LIMIT: usize = 10;
    /// Answers, at most.
    pub const LIMIT_MAX: usize = 1_000;
    /// Characters of what speaks against an entry.
    pub const TROUBLE_CHARS_MAX: usize = 300;
    /// Events of an entry that its full form shows.
    pub const HISTORY_EVENTS_MAX: usize = 5;
    /// COR-33: an answer less similar than this share of the most similar one left waits, whatever its score.
    pub const SIMILARITY_SHARE_MIN: f64 = 0.5;
}

/// `ops/signals.rs`: `note` with what it says about a signal, and `signals`: those that speak of the same thing, with what each lacks to be proposed (DIG-2).
pub(crate) mod ops_signals {
    /// Characters of what a signal says in a line.
    pub const TITLE_CHARS_MAX: usize = 100;
}

/// `ops/similar.rs`: Which entries say the same in other words: asked when one is added, and again when the meaning of a queued one is known (IN-6).
pub(crate) mod ops_similar {
    /// Entries near in meaning that are looked at.
    pub const NEAR_MAX: usize = 8;
}

/// `ops/stats.rs`: `stats`: which entries earn their place, and what was asked in vain (DOO-8).
pub(crate) mod ops_stats {
    /// Entries that are listed: the ends of a ranking, not all of it.
    pub const LISTED_MAX: usize = 10;
    /// Questions that are quoted: enough to see what is missing.
    pub const QUOTED_MAX: usize = 5;
    /// Characters of a title: one line of a terminal.
    pub const TITLE_CHARS_MAX: usize = 80;
}

/// `ops/surface/mod.rs`: `surface` and `inject`: knowledge handed to an agent by its role, within a budget (SUR-1 to SUR-9).
pub(crate) mod ops_surface {
    /// An experiment that is less likely an answer than this share of the best has nothing to do with the task.
    pub const SPIKE_SHARE_MIN: f64 = 0.02;
    /// Entries considered for one role.
    pub const CONSIDERED_MAX: usize = 20;
}

/// `ops/surface/plan.rs`: What is handed over and how much of each: everything fits its budget, and what is critical stays (SUR-3, SUR-5).
pub(crate) mod ops_surface_plan {
    /// A task up to here is part of the command that shows the rest.
    pub const COMMAND_CHARS_MAX: usize = 100;
    /// Characters of a claim in a line, as far as whole sentences fit.
    pub const LINE_CHARS_MAX: usize = 100;
    /// Characters of a claim that has room to grow: more than claims have.
    pub const CLAIM_CHARS_MAX: usize = 1_000;
    /// From here on an entry is critical, of ten.
    pub const CRITICAL_SEVERITY_MIN: f64 = 9.0;
}

/// `text.rs`: What an entry is found by: the words it is looked up with, the text its meaning is taken from, and where it came from.
pub(crate) mod text {
    /// Explanations are searched up to here; whole logs would drown the claim.
    pub const DETAIL_CHARS_MAX: usize = 8_000;
    /// A vector speaks for a claim, not for an essay; a model looks at the beginning anyway.
    pub const MEANING_CHARS_MAX: usize = 2_000;
}

/// `validity.rs`: Whether entries still hold: their places and conditions are looked at, and what follows is carried along (VAL-1b, VAL-2).
pub(crate) mod validity {
    /// Characters of what speaks against an entry, in a line about it.
    pub const TROUBLE_CHARS_MAX: usize = 100;
}

/// `view.rs`: How an entry is shown: the same facts at every door.
pub(crate) mod view {
    /// Entries that are followed back to find out what one was made from.
    pub const SOURCES_MAX: usize = 64;
    /// Ties of others to an entry that are shown.
    pub const LINKED_FROM_MAX: usize = 50;
}

/// `cores.rs`: Work that falls into parts.
pub(crate) mod cores {
    /// Parts that are too few for a second thread to be worth its start.
    pub const ALONE_MAX: usize = 16;
    /// Threads that work on them.
    pub const WORKERS_MAX: usize = 4;
    /// Parts of a stream that wait for one thread, with the one it works on.
    pub const AHEAD_MAX: usize = 2;
}

/// `scanned.rs`: Texts that this process found to hold no secret.
pub(crate) mod scanned {
    /// Hashes that are kept, eight bytes each: far more than one import says at a time. When there are more, it begins anew.
    pub const TEXTS_MAX: usize = 1 << 16;
    /// Bytes of a text that is remembered as harmless: what comes again is short.
    pub const HARMLESS_BYTES_MAX: usize = 64;
}

/// `intake.rs`: The intake: whatever the door, every text is scanned and redacted here before anything else sees it (IN-1 to IN-4).
pub(crate) mod intake {
    /// The longest word for a type that is taken for one.
    pub const KIND_BYTES_MAX: usize = 40;
    /// The shortest text that can hold a secret: no password or token that the rules know is shorter.
    pub const SECRET_BYTES_MIN: usize = 5;
    /// Underscores from which on a name may be a sentence.
    pub const WORDS_OF_A_SENTENCE_MIN: usize = 3;
    /// Texts of an entry are also read one after the other, up to so many bytes: a sentence may be spread over them.
    pub const TOGETHER_BYTES_MAX: usize = 16 * 1024;
    /// Hexadecimal digits of the shortest print of code.
    pub const PRINT_DIGITS_MIN: usize = 16;
}

/// `judge.rs`: Questions that rules cannot answer, and who answers them.
pub(crate) mod judge {
    /// Tokens of an answer that is a word and a reason.
    pub const SHORT_ANSWER_TOKENS: u32 = 300;
    /// Tokens of an answer that is written text.
    pub const WRITTEN_ANSWER_TOKENS: u32 = 4_000;
    /// Characters of a reason that are kept.
    pub const REASON_CHARS_MAX: usize = 300;
    /// Characters of a statement that a judge wrote: longer is an essay.
    pub const CLAIM_CHARS_MAX: usize = 1_200;
    /// Claims of one transcript that are read.
    pub const CLAIMS_MAX: usize = 20;
    /// Characters of a quote: a shorter one is found anywhere.
    pub const QUOTE_CHARS_MIN: usize = 12;
    /// The share of the words of a text that its sources have, at least. A sentence needs words of its own to tie theirs together.
    pub const SUPPORTED_WORDS_MIN: f64 = 0.6;
}

/// `ledger.rs`: A store as an operation holds it.
pub mod ledger {
    /// Texts whose vectors are made and kept in one go: a few hundred milliseconds of work. Who wants more of them does so alone.
    pub const EMBEDDED_AT_ONCE: usize = 32;
}

/// `recorder.rs`: what was shown, recorded in groups.
pub(crate) mod recorder {
    /// Groups that wait for the thread that writes; more wait for the disk.
    pub const WAITING_MAX: usize = 4_096;
    /// Hashes of what was noted of late, eight bytes each. When there are more, it begins anew, and the store knows the rest.
    pub const NOTED_MAX: usize = 100_000;
}

/// `state.rs`: Small state: named records that a clone keeps beside the ledger.
pub(crate) mod state {
    use std::time::Duration;

    /// Bytes of a record of which nothing else is said: a few hundred names or numbers.
    pub const PLAIN_BYTES_MAX: u64 = 64 << 10;
    /// Bytes of what is known of a conversation, and of an answer of a judge.
    pub const ANSWER_BYTES_MAX: u64 = 256 << 10;
    /// Bytes of a tally or of the norms in force: thousands of lines.
    pub const LINES_BYTES_MAX: u64 = 4 << 20;
    /// Bytes of an answer over HTTP, of a day of judging, and of the norms that contradict each other.
    pub const LARGE_BYTES_MAX: u64 = 16 << 20;
    /// Answers that are kept for idempotency keys, and for how long.
    pub const REPLAYS_MAX: usize = 10_000;
    pub const REPLAYS_KEPT: Duration = Duration::from_secs(24 * 3600);
    /// Bytes of the list of candidates that were dropped.
    pub const DROPPED_BYTES_MAX: u64 = 8 << 20;
    /// Questions without a usable answer that are remembered.
    pub const UNANSWERED_MAX: usize = 1_000;
    /// Nobody comes back to a conversation, or to a bulk add, that rested for so long.
    pub const RESTED: Duration = Duration::from_secs(7 * 24 * 3600);
}

/// `wrong_clock.rs`: Events that are dated far ahead.
pub(crate) mod wrong_clock {
    /// Events with a wrong clock that are named; of more, it is said how many.
    pub const WRONG_CLOCKS_NAMED_MAX: usize = 50;
}
