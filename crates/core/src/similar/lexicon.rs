//! The words that the comparison of claims knows: which mean the same, which exclude each other, and which do not matter.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

use super::Aspect;

/// The tables below, with every word in its compared form.
pub(super) struct Lexicon {
    pub small: BTreeSet<&'static str>,
    /// Groups of words that exclude each other; each member is a list of keys.
    pub opposites: Vec<Vec<Vec<String>>>,
    /// Every key of these groups: most words are in none, and are asked for often.
    pub opposite_keys: HashSet<String>,
    pub products: HashMap<&'static str, &'static str>,
    /// Words that are said as one, by the first of them.
    pub phrases: HashMap<&'static str, Vec<&'static Phrase>>,
    synonyms: HashMap<String, String>,
    /// What they are compared as.
    heads: HashSet<String>,
    opposed: BTreeSet<String>,
}

/// Words that are said as one, and what they are compared as.
pub(super) type Phrase = (&'static [&'static str], &'static str);

pub(super) fn lexicon() -> &'static Lexicon {
    static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::new);
    &LEXICON
}

impl Lexicon {
    fn new() -> Lexicon {
        let mut lexicon = Lexicon {
            small: SMALL.split_whitespace().collect(),
            opposites: Vec::new(),
            opposite_keys: HashSet::new(),
            products: HashMap::new(),
            phrases: HashMap::new(),
            synonyms: HashMap::new(),
            heads: HashSet::new(),
            opposed: BTreeSet::new(),
        };
        for phrase in PHRASES {
            lexicon.phrases.entry(phrase.0[0]).or_default().push(phrase);
        }
        for line in PRODUCTS.lines() {
            let mut names = line.split_whitespace();
            if let Some(first) = names.next() {
                lexicon.products.insert(first, first);
                lexicon.products.extend(names.map(|name| (name, first)));
            }
        }
        for line in SYNONYMS.lines() {
            let mut words = line.split_whitespace().map(stem);
            if let Some(first) = words.next() {
                lexicon.synonyms.extend(words.map(|word| (word, first.clone())));
            }
        }
        lexicon.heads = lexicon.synonyms.values().cloned().collect();
        for line in OPPOSITES.lines() {
            let group: Vec<Vec<String>> = line
                .split_whitespace()
                .map(|side| side.split('/').map(|word| lexicon.key(word)).collect())
                .collect();
            lexicon
                .opposed
                .extend(line.split_whitespace().flat_map(|side| side.split('/')).map(str::to_owned));
            lexicon.opposite_keys.extend(group.iter().flatten().cloned());
            lexicon.opposites.push(group);
        }
        lexicon
    }

    /// The form in which a word of the language is compared.
    pub fn key(&self, lower: &str) -> String {
        if let Some(product) = self.products.get(lower) {
            return (*product).to_owned();
        }
        if self.small.contains(lower) {
            return lower.to_owned();
        }
        let stem = stem(lower);
        self.synonyms.get(&stem).cloned().unwrap_or(stem)
    }

    /// Whether a word is one of the language that the tables know; a capital then does not make it a name.
    pub fn known(&self, lower: &str) -> bool {
        let stem = stem(lower);
        self.small.contains(lower)
            || NEGATORS.contains(&lower)
            || self.opposed.contains(lower)
            || self.synonyms.contains_key(&stem)
            || self.heads.contains(&stem)
    }

    pub fn opposed(&self, lower: &str) -> bool {
        self.opposed.contains(lower)
    }
}

/// Endings off, coarsely: `deploying`, `deployed`, `deploys` and `deployment` are one word. Endings that make another thing of
/// it stay: a caller is not a call.
pub(super) fn stem(word: &str) -> String {
    if word.len() <= 3 || !word.is_ascii() {
        return word.to_owned();
    }
    let mut stem = word;
    if let Some(rest) = stem.strip_suffix("ies").filter(|rest| rest.len() >= 3) {
        return format!("{rest}y");
    }
    if let Some(rest) = stem.strip_suffix("ier").filter(|rest| rest.len() >= 3) {
        return format!("{rest}y");
    }
    for ending in ["sses", "xes", "ches", "shes", "zes"] {
        if stem.ends_with(ending) {
            stem = &stem[..stem.len() - 2];
        }
    }
    if stem.ends_with('s') && !stem.ends_with("ss") && !stem.ends_with("us") && !stem.ends_with("is") {
        stem = &stem[..stem.len() - 1];
    }
    for ending in ["ization", "isation"] {
        if let Some(rest) = stem.strip_suffix(ending).filter(|rest| rest.len() >= 3) {
            return format!("{rest}iz");
        }
    }
    for ending in ["ication", "ation", "ment", "ing", "ion", "ied", "ed", "ly"] {
        let Some(rest) = stem.strip_suffix(ending) else { continue };
        if rest.len() < if ending == "ment" { 5 } else { 3 } || !rest.contains(['a', 'e', 'i', 'o', 'u', 'y'])
        {
            continue;
        }
        stem = rest;
        if ending == "ied" || ending == "ication" {
            return format!("{stem}y");
        }
        break;
    }
    let letters = stem.as_bytes();
    let doubled = letters.len() > 3
        && letters[letters.len() - 1] == letters[letters.len() - 2]
        && !b"lsz".contains(&letters[letters.len() - 1]);
    if doubled {
        stem = &stem[..stem.len() - 1];
    }
    if stem.len() > 3 {
        stem = stem.strip_suffix('e').unwrap_or(stem);
    }
    if stem.len() > 4 {
        stem = stem.strip_suffix("at").filter(|rest| rest.len() > 4).unwrap_or(stem);
    }
    match stem.strip_suffix("is") {
        Some(rest) if rest.len() >= 5 => format!("{rest}iz"),
        _ => stem.to_owned(),
    }
}

/// A number word, and whether it is one only beside another number.
pub(super) fn number_word(lower: &str) -> Option<(u32, bool)> {
    let plain = |n| Some((n, false));
    match lower {
        "zero" => plain(0),
        "one" | "single" | "once" => Some((1, true)),
        "two" | "twice" | "both" => Some((2, lower == "both")),
        "three" | "thrice" => plain(3),
        "four" => plain(4),
        "five" => plain(5),
        "six" => plain(6),
        "seven" => plain(7),
        "eight" => plain(8),
        "nine" => plain(9),
        "ten" => plain(10),
        "eleven" => plain(11),
        "twelve" | "dozen" => plain(12),
        "thirteen" => plain(13),
        "fourteen" => plain(14),
        "fifteen" => plain(15),
        "sixteen" => plain(16),
        "seventeen" => plain(17),
        "eighteen" => plain(18),
        "nineteen" => plain(19),
        "twenty" => plain(20),
        "thirty" => plain(30),
        "forty" => plain(40),
        "fifty" => plain(50),
        "sixty" => plain(60),
        "seventy" => plain(70),
        "eighty" => plain(80),
        "ninety" => plain(90),
        "hundred" => plain(100),
        "thousand" => plain(1000),
        "million" => plain(1_000_000),
        _ => None,
    }
}

/// What a word makes of the number before it.
pub(super) fn multiple(lower: &str) -> Option<f64> {
    match lower {
        "hundred" => Some(100.0),
        "thousand" => Some(1e3),
        "million" | "millions" => Some(1e6),
        "billion" => Some(1e9),
        _ => None,
    }
}

/// A quantity in the base of its unit: `1 minute` and `60 s` are one.
pub(super) fn with_unit(count: f64, unit: &str) -> Option<String> {
    let bare = unit.trim_end_matches(['.', ',']);
    let lower = bare.to_lowercase();
    let (times, base) = match lower.as_str() {
        "ns" | "nanosecond" | "nanoseconds" => (1e-9, "s"),
        "us" | "µs" | "μs" | "microsecond" | "microseconds" => (1e-6, "s"),
        "ms" | "msec" | "millisecond" | "milliseconds" | "millis" => (1e-3, "s"),
        "s" | "sec" | "secs" | "second" | "seconds" => (1.0, "s"),
        "m" | "min" | "mins" | "minute" | "minutes" => (60.0, "s"),
        "h" | "hr" | "hrs" | "hour" | "hours" => (3600.0, "s"),
        "d" | "day" | "days" => (86_400.0, "s"),
        "w" | "week" | "weeks" => (604_800.0, "s"),
        "month" | "months" => (1.0, "month"),
        "year" | "years" | "yr" => (12.0, "month"),
        "b" | "byte" | "bytes" => (1.0, "byte"),
        "kb" | "kilobyte" | "kilobytes" => (1e3, "byte"),
        "mb" | "megabyte" | "megabytes" => (1e6, "byte"),
        "gb" | "gigabyte" | "gigabytes" => (1e9, "byte"),
        "tb" | "terabyte" | "terabytes" => (1e12, "byte"),
        "kib" => (1024.0, "byte"),
        "mib" => (1_048_576.0, "byte"),
        "gib" => (1_073_741_824.0, "byte"),
        "bit" | "bits" => (1.0, "bit"),
        "%" | "percent" | "pct" => (1.0, "%"),
        "px" | "pixel" | "pixels" => (1.0, "px"),
        "hz" => (1.0, "hz"),
        "khz" => (1e3, "hz"),
        "mhz" => (1e6, "hz"),
        "ghz" => (1e9, "hz"),
        "rps" | "qps" => (1.0, "rps"),
        _ => return None,
    };
    Some(format!("{} {base}", (count * times * 1e9).round() / 1e9))
}

/// Words that deny what follows, in the languages lessons are most often written in.
pub(super) const NEGATORS: &[&str] = &[
    "not",
    "never",
    "no",
    "none",
    "nor",
    "neither",
    "nothing",
    "nobody",
    "nowhere",
    "without",
    "avoid",
    "avoids",
    "avoiding",
    "avoided",
    "instead_of",
    "non",
    "unless",
    "except",
    "forbidden",
    "forbid",
    "forbids",
    "prohibit",
    "prohibited",
    "prohibits",
    "disallow",
    "disallowed",
    "refrain",
    "dont",
    "cant",
    "wont",
    "isnt",
    "doesnt",
    "nicht",
    "kein",
    "keine",
    "keinen",
    "nie",
    "niemals",
    "ohne",
    "pas",
    "jamais",
    "sans",
    "nunca",
    "sin",
    "senza",
    "não",
    "niet",
    "geen",
    "nooit",
    "zonder",
    "не",
    "нет",
    "никогда",
    "без",
];

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

/// Words of extent: denied, they mean another thing than beside a negation.
pub(super) const SCOPES: &[&str] = &["all", "every", "each", "only", "always", "both", "any"];

/// Small words that lead a phrase of time, place, manner or condition, which may stand in front or behind; and those before a verb
/// that stands in front where it is an order: `x should run`, `run x`.
pub(super) const LEADING: &[&str] = &[
    "in", "on", "at", "for", "with", "by", "from", "to", "into", "onto", "of", "as", "if", "when",
    "whenever", "while", "until", "because", "since", "befor", "before", "after", "during", "within",
    "under", "over", "via", "per", "through", "across", "between", "against", "and", "or", "but", "so",
    "then", "where", "whether", "although", "though", "unless", "once", "be", "is", "are", "was", "were",
    "should", "must", "will", "can", "may",
];

/// Verbs that say little: a rewording adds them, drops them, and changes one for another.
pub(super) const LIGHT: &[&str] = &[
    "set",
    "put",
    "puts",
    "keep",
    "keeps",
    "kept",
    "have",
    "make",
    "makes",
    "made",
    "take",
    "takes",
    "taken",
    "give",
    "gives",
    "given",
    "stay",
    "stays",
    "remain",
    "remains",
    "treat",
    "treats",
    "treated",
    "contain",
    "contains",
    "write",
    "written",
    "perform",
    "performs",
    "performed",
    "happen",
    "happens",
    "follow",
    "provide",
    "provides",
    "mean",
    "means",
    "cause",
    "causes",
    "caused",
    "result",
    "results",
    "lead",
    "leads",
    "go",
    "goes",
    "come",
    "comes",
    "coming",
    "belong",
    "belongs",
    "want",
    "run",
    "runs",
    "running",
    "do",
    "work",
    "works",
    "add",
    "adds",
    "place",
    "places",
    "thing",
    "things",
    "way",
    "ways",
    "case",
    "cases",
    "used",
    "instead",
    "again",
    "like",
    "directly",
    "correctly",
];

/// Small words at which the thing that another is said of ends.
pub(super) const PARTING: &[&str] = &[
    "befor", "after", "to", "in", "on", "at", "for", "with", "and", "or", "from", "by", "when", "if",
    "while", "because", "so", "is", "are", "must", "should", "will", "can",
];

/// The small words that are counted for that.
pub(super) const COUNTED_SMALL_WORDS: &[&str] = &[
    "and", "or", "from", "to", "into", "in", "out", "on", "off", "by", "with", "if", "when", "while",
    "because", "for", "than", "at", "even", "since", "until", "although", "within", "across", "between",
    "during", "per", "against", "over", "under", "through", "around", "toward", "towards", "via", "among",
    "up", "down", "off", "onto", "along",
];

/// Small words after which a reason follows, not a restriction.
pub(super) const EXPLAINING: &[&str] = &[
    "because",
    "since",
    "otherwise",
    "thereby",
    "thus",
    "hence",
    "therefore",
    "as",
    "which",
    "it",
    "they",
    "this",
    "these",
    "else",
    "lest",
    "or",
];

/// Small words after which a restriction follows.
pub(super) const NARROWING: &[&str] = &[
    "in", "on", "for", "during", "if", "when", "while", "under", "with", "at", "within", "via", "through",
    "whose", "only", "from", "to", "of", "by", "that",
];

/// Forms of `be`, which make a passive with the participle that follows.
pub(super) const BEING: &[&str] = &["be", "is", "are", "was", "were", "been", "being", "gets", "get"];

/// Abbreviations whose full stop ends no sentence.
pub(super) const SHORTENED: &[&str] = &["e.g", "i.e", "etc", "vs", "cf", "incl", "approx", "e.g.", "i.e."];

/// Signs that stand alone in prose and mean something.
pub(super) const SIGNS: &[&str] = &[
    "<", ">", "<=", ">=", "==", "!=", "=", "≤", "≥", "≠", "=<", "=>", "<>", "->", "<-", "&&", "||", "+", "|",
    "&", "===", "!==",
];

/// Acronyms that a paraphrase may drop or spell out; they count only against another name.
pub(super) const COMMON_ACRONYMS: &[&str] =
    &["api", "url", "uri", "id", "ui", "db", "io", "ok", "pr", "cpu", "i"];

/// Endings by which a dotted word is a file.
pub(super) const FILE_ENDINGS: &[&str] = &[
    "rs",
    "py",
    "js",
    "ts",
    "tsx",
    "jsx",
    "mjs",
    "cjs",
    "go",
    "java",
    "kt",
    "rb",
    "php",
    "c",
    "h",
    "cpp",
    "hpp",
    "cc",
    "cs",
    "swift",
    "scala",
    "sh",
    "bash",
    "zsh",
    "ps1",
    "bat",
    "sql",
    "md",
    "rst",
    "txt",
    "json",
    "jsonl",
    "yaml",
    "yml",
    "toml",
    "ini",
    "cfg",
    "conf",
    "lock",
    "xml",
    "html",
    "css",
    "scss",
    "vue",
    "svelte",
    "proto",
    "graphql",
    "tf",
    "csv",
    "env",
    "log",
    "ex",
    "exs",
    "erl",
    "hs",
    "ml",
    "lua",
    "dart",
    "zig",
    "nix",
    "gradle",
    "properties",
    "service",
];

/// Words said as one. An empty key is filler.
const PHRASES: &[Phrase] = &[
    (&["prior", "to"], "before"),
    (&["ahead", "of"], "before"),
    (&["up", "front"], "first"),
    (&["instead", "of"], "instead_of"),
    (&["rather", "than"], "instead_of"),
    (&["in", "place", "of"], "instead_of"),
    (&["as", "opposed", "to"], "instead_of"),
    (&["in", "preference", "to"], "instead_of"),
    (&["over"], "over"),
    (&["at", "least"], ">="),
    (&["no", "less", "than"], ">="),
    (&["no", "fewer", "than"], ">="),
    (&["not", "less", "than"], ">="),
    (&["a", "minimum", "of"], ">="),
    (&["or", "more"], ">="),
    (&["or", "higher"], ">="),
    (&["or", "newer"], ">="),
    (&["or", "later"], ">="),
    (&["at", "most"], "<="),
    (&["no", "more", "than"], "<="),
    (&["not", "more", "than"], "<="),
    (&["a", "maximum", "of"], "<="),
    (&["up", "to"], "<="),
    (&["or", "less"], "<="),
    (&["or", "fewer"], "<="),
    (&["or", "older"], "<="),
    (&["or", "earlier"], "<="),
    (&["more", "than"], ">"),
    (&["greater", "than"], ">"),
    (&["larger", "than"], ">"),
    (&["longer", "than"], ">"),
    (&["higher", "than"], ">"),
    (&["less", "than"], "<"),
    (&["fewer", "than"], "<"),
    (&["smaller", "than"], "<"),
    (&["shorter", "than"], "<"),
    (&["lower", "than"], "<"),
    (&["exactly"], "exactly"),
    (&["precisely"], "exactly"),
    (&["nothing", "but"], "only"),
    (&["just"], "only"),
    (&["solely"], "only"),
    (&["exclusively"], "only"),
    (&["no", "matter"], "always"),
    (&["no", "op"], "noop"),
    (&["no", "ops"], "noop"),
    (&["whether", "or", "not"], "whether"),
    (&["turn", "on"], "enable"),
    (&["turned", "on"], "enable"),
    (&["switch", "on"], "enable"),
    (&["switched", "on"], "enable"),
    (&["turn", "off"], "disable"),
    (&["turned", "off"], "disable"),
    (&["switch", "off"], "disable"),
    (&["switched", "off"], "disable"),
    (&["opt", "in"], "optin"),
    (&["opt", "out"], "optout"),
    (&["set", "up"], "setup"),
    (&["clean", "up"], "cleanup"),
    (&["cleaned", "up"], "cleanup"),
    (&["make", "sure"], ""),
    (&["makes", "sure"], ""),
    (&["be", "sure", "to"], ""),
    (&["take", "care", "to"], ""),
    (&["remember", "to"], ""),
    (&["do", "not", "forget", "to"], ""),
    (&["not", "forget", "to"], ""),
    (&["it", "is", "important", "to"], ""),
    (&["it", "is", "best", "to"], ""),
    (&["in", "order", "to"], "to"),
    (&["so", "as", "to"], "to"),
    (&["due", "to"], "because"),
    (&["because", "of"], "because"),
    (&["as", "soon", "as"], "when"),
    (&["in", "case"], "if"),
    (&["in", "the", "event"], "if"),
    (&["provided", "that"], "if"),
    (&["as", "long", "as"], "if"),
    (&["every", "time"], "when"),
    (&["each", "time"], "when"),
    (&["any", "time"], "when"),
    (&["at", "all", "times"], "always"),
    (&["have", "to"], "must"),
    (&["has", "to"], "must"),
    (&["needs", "to"], "must"),
    (&["need", "to"], "must"),
    (&["are", "required", "to"], "must"),
    (&["is", "required", "to"], "must"),
    (&["must", "not"], "not"),
    (&["does", "not"], "not"),
    (&["do", "not"], "not"),
    (&["not", "ever"], "not"),
    (&["under", "no", "circumstances"], "never"),
    (&["by", "hand"], "manual"),
    (&["by", "default"], "default"),
    (&["at", "once"], "immediately"),
    (&["right", "away"], "immediately"),
    (&["straight", "away"], "immediately"),
    (&["out", "of", "date"], "stale"),
    (&["end", "to", "end"], "e2e"),
    (&["continuous", "integration"], "ci"),
    (&["pull", "request"], "pr"),
    (&["pull", "requests"], "pr"),
    (&["environment", "variable"], "envvar"),
    (&["environment", "variables"], "envvar"),
    (&["env", "var"], "envvar"),
    (&["env", "vars"], "envvar"),
    (&["time", "out"], "timeout"),
    (&["times", "out"], "timeout"),
    (&["start", "up"], "startup"),
    (&["roll", "back"], "rollback"),
    (&["rolled", "back"], "rollback"),
    (&["rolling", "back"], "rollback"),
    (&["back", "off"], "backoff"),
    (&["back", "up"], "backup"),
    (&["look", "up"], "lookup"),
    (&["shut", "down"], "shutdown"),
    (&["shutting", "down"], "shutdown"),
    (&["shuts", "down"], "shutdown"),
    (&["some", "times"], "sometimes"),
    (&["a", "lot", "of"], "many"),
    (&["plenty", "of"], "many"),
    (&["for", "instance"], ""),
    (&["for", "example"], ""),
    (&["such", "as"], ""),
    (&["in", "fact"], ""),
    (&["of", "course"], ""),
    (&["good", "practice"], ""),
];

/// Words too common to carry a claim.
const SMALL: &str = "a an the this that these those it its he she they them their we our us you your i my me his her
is are was were be been being am do does did done doing has have had having will would shall should must may might can could
need needs needed ought let lets of to in on at for with by from as into onto upon about and or but so then than if when whenever
while until because since whether which who whom whose what where why how there here also too very really simply please
always ever just even still already yet both either such own same other another any all every each some one's itself
themselves yourself via per within during through across along among amongst between toward towards around against
thus hence therefore thereby otherwise else lest though although however whereas while likewise moreover furthermore
well quite rather fully properly correctly carefully explicitly actually basically generally usually typically normally
often mostly certainly clearly definitely ensure ensures ensuring sure out off up down only > < >= <= exactly
sometimes optional over e.g i.e etc vs not_ gets get getting got become becomes
that's it's better best good recommended recommend important
use uses used using utilize utilise employ adopt apply leverage prefer favor favour together";

/// Names of products and platforms, with their other spellings after them. A capital is not needed to know them.
const PRODUCTS: &str = "postgres postgresql pg psql
mysql
mariadb
sqlite sqlite3
oracle
mongodb mongo
redis
valkey
memcached
kafka
rabbitmq
nats
sqs
kinesis
dynamodb
cassandra
elasticsearch elastic
opensearch
clickhouse
bigquery
snowflake
docker
podman
containerd
kubernetes k8s kube
nomad
helm
terraform
pulumi
ansible
aws
gcp
azure
s3
gcs
lambda
linux
windows
macos mac osx
ubuntu
debian
alpine
fedora
android
ios
python py
javascript js
typescript ts
golang
java
kotlin
scala
ruby
php
perl
swift
csharp
haskell
elixir
react reactjs
vue vuejs
angular
svelte
django
flask
fastapi
rails
spring
express
nextjs
node nodejs
deno
bun
npm
yarn
pnpm
pip
poetry
uv
conda
cargo
maven
gradle
bazel
cmake
webpack
vite
rollup
esbuild
jest
vitest
mocha
pytest
unittest
junit
cypress
playwright
selenium
eslint
prettier
black
ruff
flake8
mypy
pyright
clippy
rustfmt
git
mercurial
svn
github
gitlab
bitbucket
jenkins
circleci
nginx
apache
caddy
haproxy
envoy
traefik
grpc
graphql
rest
soap
json
yaml yml
toml
xml
csv
protobuf
avro
parquet
jwt
oauth
saml
tls
ssl
mtls
tcp
udp
http
https
http2
websocket websockets
sse
ipv4
ipv6
dns
ssh
ftp
sftp
bash
zsh
fish
powershell
vim
emacs
chrome
firefox
safari
utc
gmt
utf8
latin1
ascii
sha1
sha256
md5
bcrypt
argon2
aes
rsa
gzip
brotli
zstd
x86
arm64 aarch64
prometheus
grafana
datadog
sentry
opentelemetry otel
tokio
async-std
rayon
serde
openssl
rustls
celery
sidekiq
airflow
spark
hadoop
pandas
polars
numpy
pytorch
tensorflow
openai
anthropic
claude
gemini
cron
systemd
launchd
stdin
stdout
stderr";

/// Words that mean the same in a lesson, one meaning a line.
const SYNONYMS: &str = "use using utilize utilise employ adopt apply leverage prefer rely favor favour
run execute invoke launch
begin start commence
stop halt cease
make create build construct produce generate
remove delete drop erase
check verify validate confirm inspect examine
fix repair correct resolve remedy
fail break crash
failure fault breakage outage
error exception
change modify alter edit adjust
show display present
get fetch retrieve obtain
keep retain preserve
save store persist
send transmit
big large huge
small little tiny
fast quick rapid speedy
slow sluggish
problem issue trouble
bug defect
directory folder dir
function method routine
parameter param argument arg
configuration config settings setting configure
repository repo
environment env
application app
documentation docs doc
dependency deps dep
database db
developer dev engineer
production prod
authentication auth
authorization authz
information info
message msg
temporary temp tmp
maximum max
minimum min
update refresh
upgrade bump
lead cause result trigger
hide conceal mask
ask request query
answer response reply
describe explain document
move relocate
split divide
combine merge join
wait block
permit allow
forbid prohibit disallow
require demand
include contain
return yield
throw raise
catch handle
test spec
happen occur
lock mutex
often frequent
immediately instant prompt
entire whole complete full
accidentally inadvertently unintentionally
silent quiet
hang freeze stuck
user person
before beforehand
after afterwards afterward following
first initially
last final
old outdated stale obsolete
broken corrupt
wrong incorrect
write emit
choose select
pass supply provide give hand
type kind
flaky unstable unreliable intermittent
reliably consistently
deploy release rollout ship
place location spot
put insert
add append attach
see observe notice
know learn
find discover locate detect
log record
limit cap bound
many numerous several multiple
few handful
part portion piece
shared common
job task
machine host
column field
page screen
copy duplicate
cleanup tidy
manual manually hand
automatic automatically
separate distinct
only solely
hardcode hard-code
retry reattempt
startup boot
finish end
ordering order sequence
duration length
clear obvious
reuse recycle
cheap inexpensive
expensive costly
cut reduce lower decrease shrink
grow increase enlarge
expose reveal
secret credential
catch caught
write written wrote
run ran
hold held
send sent
make made built
keep kept
lose lost
break broke broken
throw thrown threw
take taken took
give gave given
choose chosen chose
find found
leave left_behind
know known knew
see seen saw
begin began begun
get got gotten
do done
go went gone
hide hidden
teach taught
think thought
api interface
night nightly
day daily
week weekly
hour hourly
together alongside
easy simple";

/// Words that exclude each other: one group a line, `/` between words of one side.
const OPPOSITES: &str = "enable/enabled/activate/activated disable/disabled/deactivate/deactivated
allow/permit/accept forbid/deny/reject/refuse/block
increase/raise/grow decrease/reduce/lower/shrink
before after
always never sometimes rarely/seldom
sync/synchronous/synchronously async/asynchronous/asynchronously
client/frontend server/backend
read/reads/reading write/writes/writing
reader writer
min/minimum max/maximum
open/opened close/closed
opening closing
first last
start/begin stop/halt end/finish
encode decode
encrypt decrypt
push pull
true false
more less fewer
most least
left right
ascending descending
asc desc
inclusive exclusive
include/included exclude/excluded omit/skip
required/mandatory optional
public private internal
internal external
local remote
local global
upload download
input output
source destination target
sender receiver/recipient
producer consumer
publisher subscriber
parent child
master/primary/leader replica/secondary/follower
early late
eager/eagerly lazy/lazily
strict/strictly lenient/leniently loose
mutable immutable
stateful stateless
static dynamic
static runtime
blocking nonblocking
optimistic pessimistic
success/succeed/successful fail/failure
pass fail
valid invalid
safe unsafe dangerous
add/append/insert remove/delete/drop
create destroy
lock unlock
attach detach
import export
install uninstall
load unload
mount unmount
serialize deserialize
compress decompress
commit rollback/revert
merge split
upgrade downgrade
newer older
new old
latest oldest
higher lower
high low
upper lower
uppercase lowercase
big small
long short
longer shorter
fast slow
faster slower
cheap expensive
hot cold
warm cold
full empty
empty nonempty
null/none/nil nonnull
odd even
vertical horizontal
row column
width height
top bottom
front back
head tail
prefix suffix
prepend append
inside/within outside
inner outer
above below
online offline
up down
upstream downstream
forward backward
forwards backwards
next previous
single multiple
singular plural
serial/sequential/sequentially parallel/concurrent/concurrently
foreground background
manual/manually automatic/automatically
unit integration e2e
staging production development/dev local
debug release
debug info warn/warning error fatal
get post put patch
red green blue
monday tuesday wednesday thursday friday saturday sunday
january february march april june july august september october november december
second minute hour day week month year millisecond
secondly hourly daily weekly monthly yearly
signed unsigned
integer float/decimal string boolean
int float
string bytes
list map set
array object
stack heap queue
stack queue
lifo fifo
thread process
mutex semaphore
tabs spaces
camelcase snakecase
rebase merge
squash merge
optin optout
whitelist/allowlist blacklist/blocklist/denylist
implicit/implicitly explicit/explicitly
relative absolute
shallow deep
hard soft
hit miss
known unknown
trusted untrusted
tests production
throw return
panic return
author reviewer
buyer seller
admin guest
request response
cache bypass
warm evict
expire retain
truncate round
ceil floor
latency throughput
cpu memory disk network
memory disk
json yaml xml toml
user admin
eventually immediately
everything nothing
everyone nobody
all none some
all few
keep/retain/preserve remove/delete/drop/discard
trust distrust
weak strong
loose tight
wide narrow
positive negative
ahead behind
horizontally vertically
plaintext encrypted
plain encrypted
hashed plaintext
idempotent nonidempotent
nullable required
authenticated anonymous
authentication authorization
depth breadth
best worst
better worse
accept reject
approve reject
grant revoke
assign unassign
subscribe unsubscribe
register unregister/deregister
acquire release
allocate free
connect disconnect
freeze thaw
pause resume
suspend resume
show hide
visible hidden
expand collapse
zoom pan
undo redo
mean median
average maximum
sum average
minor major patch
tag branch
fork clone
fetch push
index table view";
