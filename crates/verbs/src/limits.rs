//! Every bound and threshold of this crate, with its unit and its reason, by the file that keeps it.

/// `merge.rs`: merging, through every door.
pub(crate) mod merge {
    /// UPK-1: below this nearness nobody even asks whether two entries say the same; an agent does not merge them.
    pub const MERGED_COSINE_MIN: f64 = 0.82;
}

/// `forage.rs`: reading of the web. Its other bounds are those of `ken-forage`.
pub(crate) mod forage {
    /// Characters of the title of an entry that a page made: longer ones are cut in lists anyway.
    pub const TITLE_CHARS_MAX: usize = 120;
    /// Characters of a query in a list.
    pub const QUERY_SHOWN_CHARS: usize = 100;
    /// COR-30: recall is weak where the best answer is less similar than this,
    pub const WEAK_SIMILARITY_MAX: f64 = 0.35;
    /// or where fewer answers than this come from one source.
    pub const WEAK_RESULTS_MIN: usize = 3;
    /// Cycles that `forage status` lists: older ones are in `ken events`.
    pub const CYCLES_SHOWN: usize = 10;
    /// Requests that one `ken maintain` serves: each may take a minute. What is left waits for the next.
    pub const MAINTAINED_REQUESTS_MAX: usize = 3;
    /// Entries that one `forage recheck` looks at: each may cost a page of the day.
    pub const RECHECKED_MAX: usize = 40;
}

/// `around.rs`: What stands around an entry: the code at its anchors, who was shown it, and what was used with it.
pub(crate) mod around {
    /// Lines of code shown of each side of an anchor: more is read in an editor.
    pub const CODE_LINES_MAX: usize = 60;
    /// Entries named as used together with one.
    pub const USED_WITH_MAX: usize = 10;
    /// Days that are counted one by one: more than a year is no recent activity.
    pub const DAYS_MAX: usize = 400;
    /// Milliseconds of a day.
    pub const DAY_MILLIS: i64 = 86_400_000;
}

/// `content.rs`: What requests are made of beyond plain words: texts, words of a vocabulary, numbers.
pub(crate) mod content {
    /// The most that is read of a text that somebody names: a device has no end.
    pub const TEXT_BYTES_MAX: u64 = 64 << 20;
    /// One line of JSON. An entry has a few thousand bytes; a device has no line break.
    pub const LINE_BYTES_MAX: u64 = 16 << 20;
    /// A list of entries as one JSON document, which is held in memory; longer ones are JSON Lines.
    pub const LIST_BYTES_MAX: u64 = 256 << 20;
    /// A secret that is to be purged: keys and certificates have a few thousand bytes.
    pub const SECRET_BYTES_MAX: u64 = 1 << 20;
}

/// `digest.rs`: Digestion (DIG-1): `reduce` makes candidates of documents, commits and pull requests; `staging` is where they wait.
pub(crate) mod digest {
    /// Candidates of one source. A document with more is no guide, and nobody would look at all of them.
    pub const CANDIDATES_MAX: usize = 2_000;
    /// Undecided sentences of one source that a judge is asked about, what speaks of a duty first.
    pub const ASKED_MAX: usize = 60;
    /// Sentences in one question to a judge.
    pub const ASKED_AT_ONCE: usize = 20;
}

/// `digest/reflect.rs`: `reflect`: what waits in staging beside what the store holds: what says the same, what belongs together, what cannot both hold.
pub(crate) mod digest_reflect {
    /// The share of words from which on two texts are looked at as one, where meanings cannot be compared.
    pub const WORDS_SAME_MIN: f64 = 0.7;
    /// The share of words from which on two texts speak of the same thing.
    pub const WORDS_SUBJECT_MIN: f64 = 0.5;
    /// Candidates whose meanings are compared with each other.
    pub const MEANINGS_MAX: usize = 600;
    /// A word in more texts than this tells none of them apart.
    pub const COMMON_WORD_MIN: usize = 200;
    /// Pairs of each kind that are told.
    pub const PAIRS_MAX: usize = 500;
}

/// `digest/sources.rs`: What `reduce` reads: files below the repository root and messages of commits. Nothing else is ever opened.
pub(crate) mod digest_sources {
    /// A source longer than this is no document that a person wrote.
    pub const SOURCE_BYTES_MAX: u64 = 2 * 1024 * 1024;
    /// Files of one call.
    pub const FILES_MAX: usize = 2_000;
    /// Bytes of one call, all files together.
    pub const BYTES_MAX: u64 = 64 * 1024 * 1024;
    /// Commits of one range, the newest first.
    pub const COMMITS_MAX: usize = 5_000;
}

/// `foreign/disk.rs`: Files of other systems on the disk: found without following links, read within limits, replaced as a whole.
pub(crate) mod foreign_disk {
    /// A file that is larger is no knowledge; what it holds is cited instead.
    pub const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;
    /// Bytes that are no text are kept up to here.
    pub const BINARY_BYTES_MAX: u64 = 256 * 1024;
    /// Files of one folder, at most: more is a file system, and no store.
    pub const FILES_MAX: usize = 500_000;
    /// Folders below each other, at most.
    pub const LEVELS_MAX: usize = 64;
}

/// `foreign/import.rs`: `import`: files of other systems become entries, in batches that can be interrupted and taken up again.
pub(crate) mod foreign_import {
    /// Files in one batch: one write each.
    pub const BATCH_FILES_MAX: usize = 500;
    /// And bytes.
    pub const BATCH_BYTES_MAX: u64 = 8 * 1024 * 1024;
    /// Batches that are read before they can be written.
    pub const BATCHES_AHEAD_MAX: usize = 2;
    /// From this on a file is taken for one of a format.
    pub const CLAIM_MIN: u8 = 50;
    /// The beginning of a file, to tell its format by.
    pub const HEAD_BYTES: usize = 4_096;
}

/// `foreign/mod.rs`: Knowledge in the files of other systems (DOO-6): brought in, written out, and kept in step.
pub(crate) mod foreign {
    /// Places that a line is anchored at because it names them.
    pub const PLACES_NAMED_MAX: usize = 20;
}

/// `foreign/sync.rs`: `sync`: native files of other systems and the ledger kept in step, in both directions.
pub(crate) mod foreign_sync {
    use std::time::Duration;

    /// DOO-6: more files than this are not taken away without asking,
    pub const GONE_FILES_MAX: usize = 10;
    /// and no more than this share of them.
    pub const GONE_PERCENT_MAX: usize = 10;
    /// A file that changed this recently may change again without looking different.
    pub const FRESH: Duration = Duration::from_secs(2);
    /// Files of which it is asked who edited each: of more, whoever runs this is taken for it.
    pub const AUTHORS_ASKED_MAX: usize = 50;
}

/// `global.rs`: Knowledge that reaches beyond a project: `promote --to global` (DRI-2).
pub(crate) mod global {
    /// DRI-2: projects that must have learned the same.
    pub const PROJECTS_MIN: usize = 2;
    /// Entries of another project with the likest words that are compared.
    pub const LOOKED_AT_MAX: usize = 20;
}

/// `overrides.rs`: `override`: a person lets what a norm holds back happen once.
pub(crate) mod overrides {
    /// How long a norm stays lifted for the one action that it is lifted for.
    pub const LIFTED_MINUTES: i64 = 10;
}

/// `lib.rs`: what all verbs share, and the short ones.
pub(crate) mod shared {
    /// Entries of a long list that are read before any of them is told: a run that failed is looked up once for all of them.
    pub const LISTED_TOGETHER_MAX: usize = 256;
}

/// `maintain.rs`: which services are due and allowed, and what they did.
pub(crate) mod maintain {
    /// Entries without an embedding that a dry run computes the embeddings of, a second or two of work. It leaves more to `ken rebuild --embeddings`: who only
    /// asks what would be done does not wait minutes for it.
    pub const EMBEDDED_AT_DRY_RUN_MAX: usize = 200;
}

/// `recall.rs`: The verbs that find: `search`, `surface`, `inject`, `menu`, `applied`, and `embed`, which prepares them.
pub(crate) mod recall {
    /// A single add takes its own text and so many that were left; more are queued.
    pub const EMBEDDED_AT_WRITE_MAX: usize = 8;
    /// Vectors that are made behind writers before others have their turn: some 20 milliseconds of one core.
    pub const EMBEDDED_BEHIND_AT_ONCE: usize = 4;
}

/// `run.rs`: Running one allowed program: without a shell, within a time, and without letting it talk for ever.
pub(crate) mod run {
    /// What is kept of what a program prints.
    pub const OUTPUT_BYTES_MAX: usize = 64 * 1024;
    /// Characters of it that are told.
    pub const TOLD_CHARS_MAX: usize = 300;
}

/// `harvest.rs` and its folder: Transcripts of agent hosts become drafts (EXT-1).
pub(crate) mod harvest {
    /// Characters of a turn that a judge is shown.
    pub const SPAN_CHARS_MAX: usize = 2_000;
    /// Characters of a transcript in one worksheet: an agent reads it in its context.
    pub const SHEET_CHARS_MAX: usize = 8_000;
    /// Characters of a transcript in one question to a judge.
    pub const JUDGED_CHARS_MAX: usize = 40_000;
    /// Questions about one transcript: of a longer one the beginning is judged.
    pub const JUDGED_PIECES_MAX: usize = 10;
    /// Files of one call.
    pub const FILES_MAX: usize = 5_000;
    /// Folders below each other: hosts keep sessions by year, month and day, sub-agents below them.
    pub const DEPTH_MAX: usize = 8;
    /// Bytes of one transcript that are read; the longest sessions have some hundred megabytes.
    pub const TRANSCRIPT_BYTES_MAX: u64 = 1 << 30;
    /// Bytes of one line: a picture that was pasted is in it.
    pub const LINE_BYTES_MAX: u64 = 32 << 20;
    /// Bytes of a transcript that is one document, which is held in memory.
    pub const DOCUMENT_BYTES_MAX: u64 = 128 << 20;
    /// Bytes of a transcript that a hook reads: a host waits for it.
    pub const HOOK_BYTES_MAX: u64 = 8 << 20;
    /// Drafts that one hook adds: each takes a write.
    pub const HOOK_DRAFTS_MAX: usize = 5;
    /// Drafts of one transcript. A session with more has mostly noise.
    pub const DRAFTS_MAX: usize = 40;
    /// The version of the extractor. Raised when it finds more or something else: then transcripts are read again.
    pub const VERSION: u32 = 2;
    /// How far the words of what follows from acts may lie below what words alone need, as the logarithm of the odds.
    pub const SUPPORTED_MARGIN: f64 = 0.5;
    /// Statements of one transcript that are remembered as handled.
    pub const HANDLED_MAX: usize = 500;
    /// Characters of a claim that is made of sentences: entries have one to three.
    pub const STATEMENT_CHARS_MAX: usize = 600;
    /// Characters of further words.
    pub const DETAIL_CHARS_MAX: usize = 1_200;
    /// Words of a claim: fewer say nothing that could be checked.
    pub const STATEMENT_WORDS_MIN: usize = 4;
    /// A longer sentence is something that was pasted.
    pub const SENTENCE_CHARS_MAX: usize = 1_000;
    /// A longer turn of a person is a document that was pasted.
    pub const PERSON_CHARS_MAX: usize = 4_000;
    /// Words of a sentence that states a rule.
    pub const GENERAL_WORDS_MIN: usize = 4;
    /// Words of a sentence that explains something.
    pub const EXPLANATION_WORDS_MIN: usize = 6;
    /// Words that say why an approach was given up.
    pub const REASON_WORDS_MIN: usize = 10;
    /// Commands in a sentence that gives the steps of a set-up.
    pub const COMMANDS_TOLD_MIN: usize = 2;
    /// Characters of a name in code. Shorter ones (`i`, `ok`) are in every text.
    pub const TOKEN_CHARS_MIN: usize = 3;
    /// Words that a later turn shares with what it takes back.
    pub const SHARED_WORDS_MIN: usize = 2;
    /// Names in code that two texts about the same thing share.
    pub const SHARED_NAMES_MIN: usize = 1;
    /// Files of one draft.
    pub const PLACES_MAX: usize = 10;
    /// Commits of one draft.
    pub const COMMITS_MAX: usize = 2;
    /// Characters of a command line in a draft.
    pub const COMMAND_CHARS_MAX: usize = 200;
    /// Characters of the line that names an error.
    pub const SIGNATURE_CHARS_MAX: usize = 240;
    /// Lines of an output that are searched for it.
    pub const SIGNATURE_LINES_MAX: usize = 2_000;
    /// The share of lines that an edit put in and a later one must take out.
    pub const REVERTED_LINES_SHARE: f64 = 0.8;
}

/// `session.rs`: An agent's conversation, as the hooks of its host tell it: what is put before the agent, what is taken down, and how it ended.
pub(crate) mod session {
    /// Entries that a briefing names. With the next two it is held by the cap of REV-5; each takes less, so that the first does not take everything.
    pub const BRIEFED_MAX: usize = 2;
    /// Entries that one prompt brings up.
    pub const ASKED_MAX: usize = 2;
    /// Entries that one file brings up.
    pub const TOUCHED_MAX: usize = 2;
    /// A shorter prompt asks for nothing that could be looked up.
    pub const PROMPT_WORDS_MIN: usize = 3;
    /// Of a long prompt the beginning says what is wanted; the rest is what was pasted.
    pub const PROMPT_CHARS_MAX: usize = 2_000;
    /// Answers that are looked at for one prompt: some of them were given before.
    pub const CONSIDERED_MAX: usize = 10;
    /// Bytes of a file that is read for the ids in it.
    pub const READ_BYTES_MAX: u64 = 256 * 1024;
    /// Rules of one folder that are read.
    pub const RULES_MAX: usize = 50;
    /// Entries about one file that are looked at, the best first: somebody waits.
    pub const LOOKED_AT_MAX: usize = 200;
    /// Entries that one file can show.
    pub const SHOWN_MAX: usize = 1_000;
    /// Entries that are recorded in one line.
    pub const RECORDED_AT_ONCE: usize = 200;
    /// Of more entries at once, an agent that looks through files has read few: they may still be put before it.
    pub const READ_AT_ONCE_MAX: usize = 20;
    /// Places that one statement is anchored in.
    pub const ANCHORS_MAX: usize = 3;
    /// Entries that one stop can add.
    pub const ADDED_MAX: usize = 10;
}

/// `session/breaker.rs`: What goes wrong again and again is left alone for a while, longer each time.
pub(crate) mod session_breaker {
    /// So many failures in a row are no accident.
    pub const FAILURES_MAX: u32 = 3;
    /// How often the time limit of an event doubles while it is late: four times as long is the most that a host is made to wait.
    pub const SLACK_MAX: u32 = 2;
}

/// `session/door.rs`: The door that hosts' hooks come in by. Nothing that happens behind it makes a host fail or wait.
pub(crate) mod session_door {
    use std::time::Duration;

    /// What a host says is read up to here; a longer call is left alone. A file that an agent writes is in the call, so that norms about
    /// it hold up to this size.
    pub const INPUT_BYTES_MAX: u64 = 16 * 1024 * 1024;
    /// Characters of a line in it.
    pub const LOG_CHARS_MAX: usize = 400;
    /// Writing down how it went takes no time, unless a disk hangs: then the host waits no longer than this for it.
    pub const WRITING_DOWN: Duration = Duration::from_millis(250);
    /// Reading code and adding entries goes deep; the first thread of a program has as much.
    pub const STACK_BYTES: usize = 8 * 1024 * 1024;
    /// Projects of one host whose norms are held against what it does.
    pub const PROJECTS_MAX: usize = 8;
    /// How long reading what the host said may take beyond the limit.
    pub const READING: Duration = Duration::from_millis(50);
}

/// `session/markdown.rs`: The lines of a Markdown text that its author says, told from those that are only shown: code, quotations, tables, comments.
pub(crate) mod session_markdown {
    /// Digits of a number in front of a list item.
    pub const NUMBER_DIGITS_MAX: usize = 3;
}

/// `session/norms.rs`: Norms in force: they are shown when a session begins, and what an agent is about to do is held against them.
pub(crate) mod session_norms {
    /// Tokens of the norms that a session is shown when it begins (COR-26). The briefing has a room of its own.
    pub const TOKENS_MAX: usize = 300;
    /// Characters of one rule; a longer one is told by its first sentences, or its title.
    pub const RULE_CHARS_MAX: usize = 200;
    /// Characters of what is allowed in place of what a rule forbids.
    pub const ALLOWED_CHARS_MAX: usize = 120;
    /// Bytes of a file that is compared with what will be written over it. A larger one is taken for a new one.
    pub const BEFORE_BYTES_MAX: u64 = 1 << 20;
}

/// `session/notes.rs`: What is kept of a conversation between two hooks: which commands failed, which lines were heard, which entries were named.
pub(crate) mod session_notes {
    /// Commands that are remembered.
    pub const COMMANDS_MAX: usize = 100;
    /// Lines that are remembered.
    pub const LINES_MAX: usize = 500;
    /// Entries that are remembered.
    pub const NAMED_MAX: usize = 200;
}

/// `session/reads.rs`: Which files of the store a path or a pattern means.
pub(crate) mod session_reads {
    /// Files that a pattern means, at most.
    pub const MATCHED_MAX: usize = 200;
    /// Files of a folder, at most.
    pub const BELOW_MAX: usize = 1_000;
    /// Names that are looked at for one path.
    pub const LOOKED_AT_MAX: usize = 5_000;
}

/// `session/report.rs`: What an agent says in its last message about entries it was shown: which it used, and which were wrong (COR-15).
pub(crate) mod session_report {
    /// Words between an entry and a pronoun that stands for it: one that is farther away is about something else.
    pub const PRONOUN_WORDS_MAX: usize = 60;
}

/// `session/summary.rs`: The lines with which well-known programs sum up how they ended.
pub(crate) mod session_summary {
    /// Lines that are looked at, from the end: a summary stands there.
    pub const LINES_MAX: usize = 400;
}

/// `session/words.rs`: What is looked for in texts: lines that are marked as knowledge (COR-15), and entries that are named.
pub(crate) mod session_words {
    /// A shorter claim says nothing that could be checked.
    pub const CLAIM_WORDS_MIN: usize = 3;
    /// The same for writing without blanks between words.
    pub const CLAIM_IDEOGRAPHS_MIN: usize = 8;
    /// A line that is shorter was not broken because it was full.
    pub const FULL_LINE_CHARS: usize = 60;
    /// A longer statement that begins with `none` or `open` says something after all.
    pub const PLACEHOLDER_WORDS_MAX: usize = 6;
}

/// `doctor.rs`: what is well and what is not.
pub(crate) mod doctor {
    /// A ledger of more events is not read again by `doctor`: `verify` reads some 15,000 a second.
    pub const EVENTS_READ_MAX: usize = 30_000;
}

/// `table/doctor.rs`: `doctor`: what is well with the store and with the hosts that use it, proven where it can be, and mended where that was asked for.
pub(crate) mod table_doctor {
    use std::time::Duration;

    /// How long a host's server has for one answer.
    pub const ANSWER_WITHIN: Duration = Duration::from_secs(10);
}

/// `table/events.rs`.
pub(crate) mod table_events {
    use ken_engine::Bytes;

    /// Events that are read before any of them is listed: some thousand.
    pub const READ_AT_ONCE: Bytes = Bytes(1 << 20);
}

/// `table/search.rs`: `search`, `surface`, `inject`, `menu`, `applied` and `embed`: finding entries, and handing them over.
pub(crate) mod table_search {
    /// The most that is read of what came from upstream; the rest is left.
    pub const UPSTREAM_BYTES_MAX: u64 = 4 * 1024 * 1024;
}

/// `workspace.rs`: A workspace: the store of a project and the global one beside it, open for many callers at once.
pub(crate) mod workspace {
    use std::time::Duration;

    /// Handles that wait for the next call; more are closed when their call ends.
    pub const IDLE_HANDLES_MAX: usize = 16;
    /// How long a project waits for a lock of the global store: long enough for any write, too short to be noticed.
    pub const GLOBAL_LOCK_WAIT: Duration = Duration::from_millis(400);
}

/// `table/task.rs`.
pub(crate) mod table_task_finish {
    /// Open tasks that a refusal names; more are counted.
    pub const NAMED_MAX: usize = 5;
    /// Characters of a goal in a refusal.
    pub const GOAL_CHARS_MAX: usize = 40;
}

/// `access.rs`: tokens and invitations.
pub(crate) mod access {
    /// Tokens of a clone. Each request reads the list.
    pub const TOKENS_MAX: usize = 1_000;
    /// How long an approver's code is valid, in minutes: long enough to be told by telephone.
    pub const INVITE_MINUTES: i64 = 15;
}

/// `judge.rs`: the judge of this clone.
pub(crate) mod judge {
    /// Answers that were given to other prompts are not used: it goes up with each change of a prompt that its text does not show.
    pub const VERSION: u32 = 1;
    /// Questions in a row without a usable answer that end the questions of a run: then it is the judge and not the question.
    pub const UNUSABLE_IN_A_ROW_MAX: u32 = 3;
    /// Characters of a token, to reserve what a call may read: fewer than English has, so that the budget holds.
    pub const CHARS_PER_TOKEN: u64 = 3;
}

/// `status.rs`: `status`.
pub(crate) mod status {
    /// Imported files that are read to see whether they changed: `check` reads all of them.
    pub const SOURCES_READ_MAX: usize = 200;
}

/// `scan.rs`: `purge --secret`.
pub(crate) mod scan {
    /// Of a secret that a name was made of, so many characters are looked for at least: fewer are the beginning of many words.
    pub const SLUG_START_CHARS_MIN: usize = 6;
    /// The end of a name is cut off only where the name is long. Characters.
    pub const CUT_NAME_CHARS_MIN: usize = 40;
}

/// `page.rs`: lists, a page at a time.
pub(crate) mod page {
    /// Rows of a page, when nobody says how many.
    pub const ROWS: usize = 100;
    /// Rows of a page, at most: a client that wants all of them asks for the next page.
    pub const ROWS_MAX: usize = 1_000;
}

/// `request.rs`: what other programs send.
pub(crate) mod request {
    /// A longer text is no name of a file.
    pub const PATH_BYTES_MAX: usize = 256;
}
