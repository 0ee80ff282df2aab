//! The words by which rules oblige, allow and forbid, and those of which only one can be meant.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::similar::reading::plain_word;

/// Words that make the rest of a sentence a condition.
pub(super) const CONDITIONS: &[&str] = &[
    "if", "when", "whenever", "while", "once", "unless", "until", "except", "before", "after", "where",
    "whether", "as", "during", "besides", "apart",
];

/// Words after which a reason follows, which is no part of the rule.
pub(super) const REASONS: &[&str] = &["because", "otherwise", "lest", "since"];

/// Words of duty.
pub(super) const MUST: &[&str] = &["must", "shall", "should", "always", "ought", "will"];

/// Words of need: their negation leaves open, it does not forbid.
pub(super) const NEED: &[&str] = &[
    "need",
    "needs",
    "needed",
    "require",
    "requires",
    "have to",
    "has to",
    "need to",
    "needs to",
    "are required to",
    "is required to",
];

/// Words of permission.
pub(super) const MAY: &[&str] = &["may", "can", "allow", "allows", "permit", "permits"];

/// Words that forbid.
pub(super) const BAN: &[&str] = &[
    "forbid",
    "forbids",
    "prohibit",
    "prohibits",
    "ban",
    "bans",
    "disallow",
    "disallows",
    "avoid",
    "avoids",
    "avoided",
    "avoiding",
    "refrain",
    "deny",
    "denies",
];

/// Adjectives that oblige, allow or forbid where something is said to be so; before a noun they are words like others.
pub(super) const PREDICATES: &[(&str, Modal)] = &[
    ("required", Modal::Need),
    ("mandatory", Modal::Need),
    ("necessary", Modal::Need),
    ("obligatory", Modal::Need),
    ("compulsory", Modal::Need),
    ("optional", Modal::Optional),
    ("unnecessary", Modal::Optional),
    ("allowed", Modal::May),
    ("permitted", Modal::May),
    ("acceptable", Modal::May),
    ("permissible", Modal::May),
    ("ok", Modal::May),
    ("okay", Modal::May),
    ("fine", Modal::May),
    ("welcome", Modal::May),
    ("forbidden", Modal::Ban),
    ("prohibited", Modal::Ban),
    ("banned", Modal::Ban),
    ("disallowed", Modal::Ban),
    ("unacceptable", Modal::Ban),
];

/// What a word does to the rest of its sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Modal {
    Must,
    Need,
    May,
    Ban,
    Optional,
}

/// Rules with one of these hold now and then; nothing excludes them.
pub(super) const UNCERTAIN: &[&str] = &[
    "some",
    "sometimes",
    "usually",
    "often",
    "generally",
    "typically",
    "normally",
    "mostly",
    "rarely",
    "seldom",
    "might",
    "could",
    "possibly",
    "perhaps",
    "maybe",
    "ideally",
    "hardly",
    "either",
    "neither",
    "nor",
    "would",
];

/// After a negation these make it one of extent: `not all`, `not only`.
pub(super) const EXTENT: &[&str] =
    &["all", "every", "each", "always", "only", "just", "necessarily", "both", "everything"];

/// Small words that are compared like others, since another one makes another rule.
pub(super) const TELLING: &[&str] = &[
    "before",
    "befor",
    "after",
    "until",
    "unless",
    "except",
    "without",
    "only",
    "from",
    "into",
    "out",
    "off",
    "up",
    "down",
    "over",
    "under",
    "through",
    "between",
    "against",
    "across",
    "around",
    "own",
    "other",
    "another",
    "same",
    "both",
    "during",
    "while",
    "outside",
    "else",
    "via",
    "per",
    "than",
    "instead_of",
    "non",
    "whether",
    "apart",
    "besides",
    "within",
    "again",
    "about",
    "upon",
    "what",
    "whose",
    "how",
    "why",
    "then",
    "otherwise",
];

/// Words that name nothing by themselves: whose default it is has to be said.
pub(super) const GENERIC: &[&str] = &[
    "default",
    "defaults",
    "value",
    "values",
    "option",
    "options",
    "setting",
    "settings",
    "limit",
    "maximum",
    "minimum",
    "number",
    "result",
    "results",
    "size",
    "length",
    "name",
    "type",
    "file",
    "feature",
    "features",
    "parameter",
    "parameters",
    "argument",
    "arguments",
    "field",
    "fields",
    "version",
    "object",
    "allowed",
    "required",
    "optional",
    "permitted",
    "supported",
    "current",
    "item",
    "items",
    "thing",
    "things",
];

/// Verbs that take several things at once: two rules with two values go together.
pub(super) const GATHERING: &[&str] = &[
    "support",
    "test",
    "tests",
    "tested",
    "handle",
    "allow",
    "include",
    "see",
    "follow",
    "return",
    "returns",
    "cover",
    "read",
    "mention",
    "link",
    "accept",
    "accepts",
    "recognise",
    "recognize",
    "understand",
    "know",
    "check",
    "checked",
    "consider",
    "add",
    "example",
    "try",
    "also",
    "contain",
    "list",
    "offer",
    "provide",
    "build",
    "built",
];

/// Verbs that say little: one side may have one that the other leaves out.
pub(super) const SAYING_LITTLE: &[&str] = &[
    "add", "write", "written", "make", "do", "put", "set", "provide", "perform", "happen", "happens", "have",
    "run", "directly", "contain", "include", "create",
];

/// Words of which one is the other's opposite where it is what is to be done: the first as it is, the others turned round.
const TURNED: &[(&str, &[&str])] = &[
    ("enable", &["disable", "deactivate"]),
    ("keep", &["remove", "delete", "drop", "discard", "erase"]),
    ("include", &["exclude", "omit"]),
    ("accept", &["reject", "refuse", "decline"]),
    ("show", &["hide"]),
    ("lock", &["unlock"]),
    ("", &["skip", "neglect", "forget", "bypass"]),
];

/// The opposite of a word, by its compared form; empty where it turns whatever is done.
pub(super) fn turned(key: &str) -> Option<&'static str> {
    static TABLE: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
        let pairs = TURNED.iter().flat_map(|(head, others)| {
            let head = if head.is_empty() { String::new() } else { plain_word(head) };
            others.iter().map(move |other| (plain_word(other), head.clone()))
        });
        pairs.collect()
    });
    TABLE.get(key).map(String::as_str)
}

/// `Include`, in its compared form.
pub(super) fn include() -> &'static str {
    static KEY: LazyLock<String> = LazyLock::new(|| plain_word("include"));
    &KEY
}

/// Values of one choice, a choice a line: whoever takes one of them for something does not take another for it.
const CHOICES: &str = "tab space
camel_case snake_case kebab_case pascal_case screaming_case
single_quotes double_quotes
imperative_mood past_tense present_tense
lf crlf
utc local_time
json yaml xml toml
npm yarn pnpm bun
prettier biome dprint
black yapf autopep8
squash rebase merge
lowercase uppercase
singular plural
ascending descending
american british";

/// Values that are written as several words, and how they are compared.
pub(super) const VALUES: &[(&[&str], &str)] = &[
    (&["single", "quotes"], "single_quotes"),
    (&["single", "quote"], "single_quotes"),
    (&["double", "quotes"], "double_quotes"),
    (&["double", "quote"], "double_quotes"),
    (&["imperative", "mood"], "imperative_mood"),
    (&["imperative"], "imperative_mood"),
    (&["past", "tense"], "past_tense"),
    (&["present", "tense"], "present_tense"),
    (&["local", "time"], "local_time"),
    (&["kebab-case"], "kebab_case"),
    (&["kebab", "case"], "kebab_case"),
    (&["snake-case"], "snake_case"),
    (&["snake", "case"], "snake_case"),
    (&["camelcase"], "camel_case"),
    (&["camel-case"], "camel_case"),
    (&["camel", "case"], "camel_case"),
    (&["pascalcase"], "pascal_case"),
    (&["pascal-case"], "pascal_case"),
    (&["pascal", "case"], "pascal_case"),
    (&["lower", "case"], "lowercase"),
    (&["upper", "case"], "uppercase"),
    (&["hard", "tabs"], "tabs"),
];

/// The choice that a value belongs to, by its compared form.
pub(super) fn choice(key: &str) -> Option<usize> {
    static TABLE: LazyLock<HashMap<String, usize>> = LazyLock::new(|| {
        let mut table = HashMap::new();
        for (number, line) in CHOICES.lines().enumerate() {
            for word in line.split_whitespace() {
                table.insert(word.to_owned(), number);
                table.insert(plain_word(word), number);
            }
        }
        table
    });
    TABLE.get(key).copied()
}

/// How things are brought together; of these only one can be the way in which something else is done.
pub(super) const LANDING: &[&str] = &["squash", "rebase", "merge"];
