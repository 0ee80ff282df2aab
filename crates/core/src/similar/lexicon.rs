//! The words that only the comparison of claims knows. In the lists of one column order counts: the first word that differs is quoted.

use super::Aspect;

/// Prefixes that turn a word into another that excludes it.
pub(super) const TURNING_PREFIXES: &[&str] = &[
    "un", "in", "im", "ir", "il", "dis", "de", "a", "anti", "mis", "non", "pre", "post", "sub", "super",
    "inter", "intra", "over", "under", "up", "down", "out", "counter", "multi", "mono", "semi", "auto",
    "micro", "macro", "re",
];

/// Small words of which a swap between otherwise equal texts changes the claim.
pub(super) const SWAPPED_SMALL_WORDS: &[(&str, &str)] = &[
    ("and", "or"),
    ("from", "to"),
    ("from", "into"),
    ("from", "in"),
    ("from", "by"),
    ("in", "out"),
    ("on", "off"),
    ("with", "from"),
    ("if", "until"),
    ("when", "until"),
    ("while", "until"),
    ("because", "if"),
    ("for", "from"),
    ("on", "from"),
    ("at", "from"),
    ("if", "even"),
    ("since", "until"),
    ("while", "although"),
];

/// Small words of place and manner; of two otherwise equal texts, each has its own.
pub(super) const PLACING: &[&str] = &[
    "within", "across", "between", "during", "per", "against", "over", "under", "through", "around",
    "toward", "towards", "via", "among", "up", "down", "out", "off", "from", "into", "onto", "along",
];

/// Small words that must be said of the same things.
pub(super) const BINDING: &[&str] =
    &["to", "from", "into", "onto", "than", "against", "before", "after", "befor", "over"];

/// Words that are said of the word behind them, and in what two texts differ where they are said of another.
pub(super) const FOCUSING: &[(Aspect, &[&str])] = &[
    (Aspect::Condition, &["only"]),
    (Aspect::Condition, &["all", "every", "each"]),
    (Aspect::Condition, &["each"]),
    (Aspect::Condition, &["any"]),
    (Aspect::Condition, &["even"]),
    (Aspect::Condition, &["some"]),
    (Aspect::Comparison, &[">="]),
    (Aspect::Comparison, &["<="]),
    (Aspect::Comparison, &["exactly"]),
    (Aspect::Order, &["that", "which", "who", "whom", "whose"]),
];
