//! Every bound and threshold of this crate, with its unit and its reason, by the file that keeps it.

/// `context.rs`: Whether a text warns against what a rule found in it: "never pipe curl into a shell" is a good lesson.
pub(crate) mod context {
    /// How far the sentence is followed before the finding. Bytes.
    pub const BEFORE_BYTES_MAX: usize = 300;
    /// How far the sentence is followed after it. Bytes.
    pub const AFTER_BYTES_MAX: usize = 200;
    /// How far back a heading is looked for. Bytes.
    pub const HEADING_BYTES_MAX: usize = 1500;
    /// The longest line above code that is read as its label. Words.
    pub const LABEL_WORDS_MAX: usize = 16;
}

/// `encoded.rs`: Orders in disguise: text that becomes an order once it is decoded the way a willing reader would.
pub(crate) mod encoded {
    /// The fewest characters of a base64 or hexadecimal run that can hold an order.
    pub const RUN_BYTES_MIN: usize = 24;
    /// How much of a text is decoded around a sign, on each side.
    pub const AROUND_BYTES: usize = 1024;
    /// How many signs of one disguise are followed.
    pub const SIGNS_MAX: usize = 8;
    /// The most bytes of one run that are decoded.
    pub const RUN_BYTES_MAX: usize = 8 * 1024;
    /// The fewest letters of several words in one.
    pub const GLUED_BYTES_MIN: usize = 20;
    /// The fewest letters in a row that stand apart on purpose.
    pub const SPACED_LETTERS_MIN: usize = 12;
    /// The fewest bytes that are written apart and can hold an order.
    pub const GROUPS_MIN: usize = 12;
}

/// `fence.rs`: What is handed out is data: nothing hidden in it, no marker of a conversation alive in it, an end that it cannot fake.
pub(crate) mod fence {
    /// A label is a name, not a text.
    pub const LABEL_CHARS_MAX: usize = 120;
    /// Longer escapes are none.
    pub const ESCAPE_CHARS_MAX: usize = 2_000;
    /// Markers are short.
    pub const TAG_CHARS_MAX: usize = 200;
}

/// `hidden.rs`: Characters that a person does not see and a machine reads.
pub(crate) mod hidden {
    /// Zero-width characters between Latin letters from which on they are no accident.
    pub const SPLIT_LETTERS_MIN: usize = 3;
    /// Variation selectors in a row from which on they spell something: an emoji takes one.
    pub const SELECTORS_MIN: usize = 4;
}

/// `known.rs`: Values that somebody purged.
pub(crate) mod known {
    /// Rounds of hashing: a millisecond or two for each guess, and for each place of a text that looks like a purged value.
    pub const HASH_ROUNDS: usize = 1 << 14;
}

/// `model.rs`: A small linear model for orders in disguise: what no list of phrases foresees, in any language.
pub(crate) mod model {
    /// From here on a text is worth a look. The lowest line at which, together with the rules, at most 4 % of innocent texts that look
    /// alike and 0.3 % of ordinary ones were found, all of sources that the weights had not seen, with a little room;
    /// the table is in `docs/internals/guard-quality.md`.
    pub const MEDIUM: f32 = 0.1;
    /// From here on a text is kept out. Of the same innocent texts the model found none here that the rules had not.
    pub const HIGH: f32 = 0.5;
    /// A block ends with the first word after so many characters.
    pub const BLOCK_CHARS: usize = 240;
    /// A block ends here even inside of a word: some languages have no blanks, and neither have blobs.
    pub const BLOCK_CHARS_MAX: usize = 360;
    /// A window is this many blocks, or fewer.
    pub const WINDOW_BLOCKS: usize = 4;
    /// Of longer words only the beginning has pieces: what follows is a blob, or made to cost time.
    pub const WORD_CHARS_MAX: usize = 32;
}

/// `noise.rs`: Whether extracted text is worth keeping at all: no trouble of the machine it ran on, no advice that fits everything (IN-7).
pub(crate) mod noise {
    /// Longer texts say something else beside.
    pub const LONG_BYTES_MIN: usize = 400;
    /// A generality is short.
    pub const GENERALITY_WORDS_MAX: usize = 14;
}

/// `orders.rs`: Orders phrased as conventions.
pub(crate) mod orders {
    /// From here on a sentence is worth a look; the table is in `docs/internals/guard-quality.md`.
    pub const MEDIUM: f32 = 0.45;
    /// Binary logarithm of the number of buckets.
    pub const BUCKET_BITS: u32 = 16;
    /// Binary logarithm of the bits that tell most words from those of frames: some twenty for each of them.
    pub const KNOWN_BITS: u32 = 15;
    /// How many high bits of a word's hash lead to where it may be in the list.
    pub const BEGIN_BITS: u32 = 11;
    /// How many weights there are.
    pub const BUCKETS: usize = 1 << BUCKET_BITS;
    /// The number of a set that no frame has: no veto.
    pub const NO_VETO: u16 = u16::MAX;
    /// What a hash begins with.
    pub const START: u64 = 0xcbf2_9ce4_8422_2325;
    /// A longer sentence is read in windows of so many words.
    pub const WINDOW_WORDS_MAX: usize = 48;
    /// So many words further on the next window begins.
    pub const STEP_WORDS: usize = 38;
    /// A sentence of fewer words goes with the next one.
    pub const WINDOW_WORDS_MIN: usize = 4;
    /// How many words before a frame a warning is looked for.
    pub const VETO_WORDS: usize = 4;
    /// How many words the end of a sentence counts: more than any gap.
    pub const SENTENCE_WORDS: usize = 100;
    /// How much a frame counts.
    pub const FRAME: f32 = 1.0;
    /// How much what stands at the ends of a frame counts.
    pub const AROUND: f32 = 0.5;
    /// How much a word inside of a frame counts.
    pub const INSIDE: f32 = 0.3;
    /// How many words before a frame a word that denies is looked for.
    pub const DENIAL_WORDS: usize = 5;
    /// How much the words of a sentence count together. Below one, class left out, a fifth fewer orders were found at the same price.
    pub const WORDS: f32 = 2.4;
    /// Numbers of frames that are told apart.
    pub const COUNTS: [usize; 4] = [1, 2, 3, 5];
    /// Lengths of a sentence that are told apart. Words.
    pub const LENGTHS: [usize; 5] = [8, 14, 20, 28, 36];
}

/// `outgoing.rs`: Commands with which ordinary tools send something to another machine.
pub(crate) mod outgoing {
    /// How far back the line of a command is read: what is piped into it. Bytes.
    pub const BEFORE_BYTES_MAX: usize = 300;
    /// How far a command is read. Bytes.
    pub const ARGUMENTS_BYTES_MAX: usize = 600;
    /// The most commands of a text that are read: enough for a megabyte of shell scripts, few enough for one that is made to be slow.
    pub const COMMANDS_MAX: usize = 12_000;
}

/// `pattern.rs`: Runs the rules that are regular expressions: one pass for their words, then each expression only where a word of it stands.
pub(crate) mod pattern {
    /// How far a rule looks on each side of its word, within the line. Bytes; longer than a command anybody types.
    pub const LINE_REACH_BYTES: usize = 400;
    /// How far a rule that begins with `(?s)` looks on each side, across lines. Bytes; about a screen of code.
    pub const WIDE_REACH_BYTES: usize = 900;
    /// Bytes that all expressions together may read in one text. What is above was made to be slow.
    pub const READ_BYTES_MAX: usize = 4 << 20;
    /// From here on an expression is compiled to run fast. Bytes; below, compiling would take longer than reading.
    pub const FAST_BYTES_MIN: usize = 4 << 10;
    /// The same for the bytes of all texts that a process scans: a bulk add reads thousands of small ones.
    pub const FAST_READ_BYTES_MIN: usize = 64 << 10;
    /// Words that may be noticed in one text, counted once for each rule that asked for them.
    pub const NOTICED_MAX: usize = 400_000;
    /// Matches of one rule that are told one by one.
    pub const MATCHES_MAX: usize = 64;
}

/// `phrase.rs`: A small language for phrases: words in order with bounded gaps, all phrases found in one pass over a text.
pub(crate) mod phrase {
    /// How many words before a phrase a veto is looked for.
    pub const VETO_WORDS: usize = 4;
    /// How many words a report of a quotation may lie before it.
    pub const REPORT_WORDS: usize = 8;
    /// The longest quotation, in words, that a report excuses.
    pub const QUOTATION_WORDS: usize = 60;
    /// How many words the end of a sentence counts.
    pub const SENTENCE_WORDS: usize = 20;
}

/// `redact.rs`: Takes the values of secrets out of a text (IN-2).
pub(crate) mod redact {
    /// How often a text is looked at again: what is left after the values were taken out may read differently.
    pub const ROUNDS_MAX: usize = 8;
}

/// `rules/injection.rs`: Text that gives orders to whoever reads it.
pub(crate) mod rules_injection {
    /// How much of an element is read.
    pub const ELEMENT_BYTES_MAX: usize = 400;
    /// How much is read of what a role says.
    pub const SAID_BYTES_MAX: usize = 300;
    /// The fewest words of a comment that can be an order.
    pub const COMMENT_WORDS_MIN: usize = 3;
    /// How much of a comment is read.
    pub const COMMENT_BYTES_MAX: usize = 512;
}

/// `sanitize.rs`: What may not be kept although it is no attack: names of places, hosts and people that belong to somebody (IN-4).
pub(crate) mod sanitize {
    /// More of a span is not quoted.
    pub const QUOTED_CHARS_MAX: usize = 80;
    /// A sentence of some words.
    pub const SHORT_SENTENCE_BYTES_MAX: usize = 60;
}

/// `scan.rs`: One scan of one text: every rule of every axis, the learned model, and what the words around a hit make of it.
pub(crate) mod scan {
    /// A text of fewer bytes is scanned before another thread has begun.
    pub const ALONE_BYTES_MAX: usize = 32 << 10;
    /// How many threads scan a long text.
    pub const WORKERS_MAX: usize = 4;
    /// Findings of one rule and one severity that are told one by one: a thousand more say nothing new. Secrets are all told.
    pub const TOLD_MAX: usize = 64;
}

/// `secrets/blocks.rs`: Secrets known by how they are built: key files, signed tokens, addresses with a password, headers, drawn literals in code.
pub(crate) mod secrets_blocks {
    /// The longest key file that is looked at, in bytes.
    pub const KEY_FILE_BYTES_MAX: usize = 16 * 1024;
    /// The longest signed token, address or literal that is looked at, in bytes.
    pub const TOKEN_BYTES_MAX: usize = 4096;
    /// The signature of a shared access address: 32 bytes in base 64, without the padding.
    pub const SIGNATURE_LETTERS: usize = 43;
}

/// `secrets/commands.rs`: Passwords given to commands on their line: `sshpass -p ...`, `mysql -p...`, `curl -u user:...`.
pub(crate) mod secrets_commands {
    /// How far behind the command its options are looked for, in bytes.
    pub const LINE_BYTES_MAX: usize = 400;
}

/// `secrets/mod.rs`: Secrets: values known by their shape, and values told by the words around them.
pub(crate) mod secrets {
    /// Fewer words are looked at before another thread has begun.
    pub const ALONE_WORDS_MAX: usize = 4096;
}

/// `secrets/named.rs`: Keys that look like any other drawn letters, and are known by the name of their maker on the same line.
pub(crate) mod secrets_named {
    /// How far from the maker's name the word "key" or one like it may be, in bytes.
    pub const WORD_WITHIN_BYTES: usize = 40;
    /// How far from the maker's name the key may be, in bytes.
    pub const KEY_WITHIN_BYTES: usize = 160;
}

/// `secrets/told.rs`: Secrets told by the words around them: "the password is ...", `DB_PASS=...`, "log in with admin / ...".
pub(crate) mod secrets_told {
    /// How far the bracket of a call is from the word in its name. Bytes.
    pub const CALL_BYTES_MAX: usize = 40;
    /// How much of the arguments of a call is read. Bytes.
    pub const ARGUMENTS_BYTES_MAX: usize = 200;
    /// How far the attributes of a tag are stepped over. Bytes.
    pub const TAG_BYTES_MAX: usize = 60;
    /// The shortest key that is told in a sentence, in bytes.
    pub const KEY_BYTES_MIN: usize = 20;
    /// How far behind a word its value may be, in bytes.
    pub const BEHIND_BYTES_MAX: usize = 160;
    /// How far before a word its value may be, in bytes.
    pub const BEFORE_BYTES_MAX: usize = 120;
    /// The longest name or literal that is looked at, in bytes.
    pub const LITERAL_BYTES_MAX: usize = 256;
    /// How far before "pass" the name may be whose password follows, in bytes.
    pub const USER_BYTES_MAX: usize = 48;
    /// The longest name of a value that is read, in bytes.
    pub const NAME_BYTES_MAX: usize = 64;
    /// The longest ending of a file's name, in bytes.
    pub const ENDING_BYTES_MAX: usize = 5;
    /// How many digits the id of an entry has behind its kind.
    pub const ENTRY_ID_DIGITS: usize = 16;
}

/// `secrets/value.rs`: Whether a value looks like a secret that somebody uses, or like a word, a reference or a stand-in.
pub(crate) mod secrets_value {
    /// Longer values are names only if they break where names do. Bytes.
    pub const WORDY_BYTES_MAX: usize = 28;
    /// So many breaks in odd places are drawn.
    pub const BREAKS_MIN: usize = 2;
    /// The shortest value that can be a password, in bytes.
    pub const PASSWORD_BYTES_MIN: usize = 5;
    /// The longest one.
    pub const PASSWORD_BYTES_MAX: usize = 128;
    /// The fewest digits behind a phrase that make it a password somebody uses: `changeme1` is what documentation writes.
    pub const CHOSEN_DIGITS_MIN: usize = 2;
    /// No term is longer, in bytes.
    pub const TERM_BYTES_MAX: usize = 16;
    /// A technique with what it does behind, `base64encoded`, is no longer, in bytes.
    pub const DONE_BYTES_MAX: usize = 32;
    /// The shortest key that is one directly behind the name of a key, in bytes.
    pub const SHORT_KEY_BYTES_MIN: usize = 8;
    /// The same of hexadecimal digits alone: shorter ones are abbreviated hashes.
    pub const SHORT_HEX_BYTES_MIN: usize = 10;
    /// Longer ones must be drawn. Bytes.
    pub const SHORT_KEY_BYTES_MAX: usize = 15;
    /// The fewest letters, and the fewest digits, of a short key.
    pub const SHORT_KEY_MIXED_MIN: usize = 3;
}

/// `text.rs`: A text as the rules see it: normalised, with the way back to the bytes that were given (IN-3).
pub(crate) mod text {
    /// How many bytes longer than what it was made of a normalised text may become: one character can stand for eighteen.
    pub const GROWTH_BYTES_MAX: usize = 128 << 10;
    /// The longest reference that is read, from `&` to `;`.
    pub const ENTITY_BYTES_MAX: usize = 20;
}
