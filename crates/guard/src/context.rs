//! Whether a text warns against what a rule found in it: "never pipe curl into a shell" is a good lesson.
//!
//! The question is asked of the sentence around the finding, of a remark beside it, and of the line and the heading above. A word of
//! warning counts only where it governs the finding: "never hesitate to run" and "avoid errors by running" are orders. In doubt
//! nothing is a warning.

/// How far the sentence is followed before the finding. Bytes.
const BEFORE_REACH: usize = 300;
/// How far the sentence is followed after it. Bytes.
const AFTER_REACH: usize = 200;
/// How far back a heading is looked for. Bytes.
const HEADING_REACH: usize = 1500;
/// The longest line above code that is read as its label. Words.
const LABEL_WORDS_MAX: usize = 16;

/// Words that forbid the verb that comes next.
const NEGATIONS: &[&str] = &[
    "never",
    "don't",
    "dont",
    "don’t",
    "cannot",
    "can't",
    "can’t",
    "mustn't",
    "shouldn't",
    "shouldn’t",
    "won't",
    "nobody",
    "nor",
];
/// What may stand before "not" so that it forbids.
const AUXILIARIES: &[&str] =
    &["do", "does", "must", "should", "shall", "may", "can", "to", "did", "ought", "could", "will", "better"];
/// Verbs of doing: what a negation must be followed by, and what makes an order.
const DEEDS: &[&str] = &[
    "run",
    "use",
    "execute",
    "exec",
    "pipe",
    "call",
    "pass",
    "set",
    "disable",
    "do",
    "rely",
    "trust",
    "write",
    "commit",
    "push",
    "put",
    "send",
    "upload",
    "post",
    "store",
    "log",
    "paste",
    "install",
    "load",
    "add",
    "allow",
    "enable",
    "invoke",
    "type",
    "issue",
    "apply",
    "accept",
    "embed",
    "copy",
    "turn",
    "switch",
    "bypass",
    "eval",
    "deserialize",
    "deserialise",
    "unpickle",
    "parse",
    "build",
    "concatenate",
    "interpolate",
    "construct",
    "hardcode",
    "force",
    "grant",
    "give",
    "make",
    "let",
    "expose",
    "share",
    "forward",
    "include",
    "open",
    "fetch",
    "download",
    "curl",
    "import",
    "feed",
    "chmod",
    "start",
    "launch",
    "create",
    "suggest",
    "recommend",
    "propose",
    "ship",
    "merge",
    "bind",
    "read",
    "extract",
    "export",
    "transmit",
    "transfer",
    "leak",
    "exfiltrate",
    "render",
    "ssh",
];
/// Deeds that are also names of what is found: a list of these is no list of orders.
const NAMES: &[&str] = &["eval", "exec", "curl", "chmod", "ssh", "import", "system"];
/// Words that forbid the thing that comes next.
const REFUSALS: &[&str] = &[
    "avoid",
    "avoids",
    "avoided",
    "avoiding",
    "against",
    "forbid",
    "forbids",
    "forbidden",
    "prohibit",
    "prohibits",
    "prohibited",
    "ban",
    "bans",
    "banned",
    "disallow",
    "disallows",
    "disallowed",
    "beware",
    "no",
    "instead",
    "rather",
    "refuse",
    "refuses",
    "reject",
    "rejects",
    "rejected",
    "block",
    "blocks",
    "blocked",
    "deny",
    "denies",
    "denied",
    "detect",
    "detects",
    "detected",
    "flag",
    "flags",
    "flagged",
    "catch",
    "catches",
    "replace",
    "replaces",
    "replaced",
    "remove",
    "removes",
    "removed",
    "fix",
    "fixes",
    "fixed",
    "prevent",
    "prevents",
    "stop",
    "dangerous",
    "unsafe",
    "insecure",
    "vulnerable",
    "risky",
    "bad",
    "wrong",
    "deprecated",
    "eliminate",
    "eliminated",
    "drop",
    "dropped",
    "migrate",
    "migrated",
    "match",
    "matches",
];
/// Those of them that may be followed by a deed: "avoid running", "against using", "instead of piping".
const REFUSALS_OF_DEEDS: &[&str] = &[
    "avoid",
    "avoids",
    "avoided",
    "avoiding",
    "against",
    "forbid",
    "forbids",
    "forbidden",
    "prohibit",
    "prohibits",
    "prohibited",
    "ban",
    "bans",
    "banned",
    "disallow",
    "disallows",
    "disallowed",
    "beware",
    "no",
    "instead",
    "rather",
];
/// What may lie between a refusal and the thing.
const FILLERS: &[&str] = &[
    "the",
    "a",
    "an",
    "any",
    "all",
    "raw",
    "use",
    "uses",
    "usage",
    "of",
    "to",
    "such",
    "as",
    "like",
    "command",
    "commands",
    "pattern",
    "patterns",
    "code",
    "call",
    "calls",
    "shell",
    "eg",
    "e",
    "g",
    "for",
    "example",
    "including",
    "include",
    "includes",
    "bare",
    "direct",
    "directly",
    "plain",
    "unsafe",
    "dangerous",
    "insecure",
    "untrusted",
    "unsanitized",
    "ever",
    "on",
    "than",
    "known",
    "function",
    "functions",
    "api",
    "apis",
    "flag",
    "flags",
    "option",
    "options",
    "old",
    "our",
    "legacy",
    "every",
    "python",
    "java",
    "from",
    "eval",
    "constructs",
    "construct",
    "operations",
    "usages",
    "this",
    "that",
    "in",
    "sql",
    "query",
    "queries",
    "and",
    "or",
];
/// Deeds in the form that follows a refusal.
const DOING: &[&str] = &[
    "using",
    "running",
    "calling",
    "piping",
    "passing",
    "setting",
    "executing",
    "doing",
    "writing",
    "relying",
    "having",
    "adding",
    "putting",
    "sending",
    "uploading",
    "storing",
    "invoking",
    "disabling",
    "deserializing",
    "loading",
    "building",
    "concatenating",
    "trusting",
    "committing",
    "pushing",
    "installing",
    "enabling",
    "allowing",
    "posting",
    "exposing",
    "embedding",
    "curling",
];
/// What names a kind of thing that is refused: "blocked patterns include …".
const KINDS: &[&str] = &[
    "pattern",
    "patterns",
    "command",
    "commands",
    "function",
    "functions",
    "call",
    "calls",
    "api",
    "apis",
    "constructs",
    "code",
    "flags",
    "operations",
    "usage",
    "usages",
    "practice",
    "practices",
    "example",
    "examples",
    "idioms",
    "calls",
    "sinks",
    "snippet",
    "version",
];
/// Words after which the kinds above are refused.
const BAD_KINDS: &[&str] = &[
    "blocked",
    "forbidden",
    "banned",
    "prohibited",
    "dangerous",
    "unsafe",
    "insecure",
    "vulnerable",
    "disallowed",
    "risky",
    "malicious",
    "suspicious",
    "harmful",
    "bad",
    "denied",
    "deprecated",
    "denylisted",
    "wrong",
];
/// Words between a warning and the finding that end the reach of the warning.
const BREAKS: &[&str] = &[
    "but",
    "instead",
    "just",
    "then",
    "so",
    "until",
    "unless",
    "without",
    "before",
    "except",
    "however",
    "always",
    "must",
    "should",
    "please",
    "otherwise",
    "stop",
    "prevent",
    "keep",
    "forget",
    "fail",
    "hesitate",
    "avoid",
    "now",
    "first",
    "afterwards",
    "if",
    "because",
    "since",
    "only",
    "skip",
    "omit",
    "refuse",
    "by",
    "mind",
    "worry",
    "ask",
    "wait",
    "after",
    "while",
    "simply",
];
/// What a thing is said to be when the text is against it.
const CONDEMNED: &[&str] = &[
    "dangerous",
    "unsafe",
    "insecure",
    "vulnerable",
    "forbidden",
    "prohibited",
    "banned",
    "disallowed",
    "blocked",
    "rejected",
    "denied",
    "discouraged",
    "harmful",
    "risky",
    "wrong",
    "deprecated",
    "vulnerability",
    "vulnerabilities",
    "antipattern",
    "unacceptable",
    "wiped",
    "destroyed",
    "lost",
    "leaked",
    "broke",
    "outage",
    "incident",
    "corrupted",
    "disaster",
    "malicious",
    "injectable",
    "exploitable",
    "refused",
    "illegal",
    "catastrophic",
    "insecurely",
    "flagged",
    "injection",
    "rce",
    "xss",
];
/// Words of a report on what went wrong.
const INCIDENTS: &[&str] = &[
    "outage",
    "incident",
    "accidentally",
    "accident",
    "mistakenly",
    "mistake",
    "attacker",
    "attackers",
    "malware",
    "compromised",
    "breach",
    "intruder",
    "carelessly",
    "disaster",
    "postmortem",
];
/// What is told of a deed that was done, and no order.
const DONE: &[&str] =
    &["ran", "executed", "typed", "issued", "piped", "runs", "executes", "running", "executing"];
/// What puts the next word into the past.
const WAS: &[&str] = &["was", "were", "been", "got"];
/// What was done with a thing that is now in the way.
const PAST: &[&str] = &[
    "copied",
    "left",
    "needed",
    "inherited",
    "introduced",
    "forgotten",
    "pasted",
    "hidden",
    "buried",
    "committed",
    "removed",
    "dropped",
];
/// What a guard does with a thing.
const HELD: &[&str] = &[
    "stopped",
    "caught",
    "contained",
    "limited",
    "prevented",
    "killed",
    "intercepted",
    "detected",
    "filtered",
];
/// What is done about a thing that should not be there.
const CURES: &[&str] =
    &["remove", "drop", "delete", "grep", "replace", "revert", "retire", "purge", "search"];
/// Words with which a sentence goes on about a thing that it named.
const TOLD_FIRST: &[&str] =
    &["was", "were", "in", "from", "on", "left", "dates", "came", "comes", "lingered", "survived"];
/// What is told of a deed that others should do too.
const PRAISED: &[&str] = &[
    "fixed",
    "fixes",
    "solved",
    "solves",
    "works",
    "worked",
    "helped",
    "helps",
    "recover",
    "recovered",
    "same",
    "too",
];
/// Words that turn a warning round.
const URGES: &[&str] = &[
    "anyway",
    "regardless",
    "nevertheless",
    "ignore",
    "approved",
    "required",
    "mandatory",
    "necessary",
    "needed",
    "harmless",
    "fine",
    "okay",
    "ok",
    "still",
    "however",
    "though",
    "but",
];
/// Words that label the code below or beside them as an example of what not to do.
const LABELS: &[&str] = &[
    "bad",
    "wrong",
    "unsafe",
    "insecure",
    "vulnerable",
    "dangerous",
    "avoid",
    "never",
    "don't",
    "dont",
    "don’t",
    "antipattern",
    "antipatterns",
    "anti",
    "incorrect",
    "forbidden",
    "prohibited",
    "noncompliant",
    "vulnerability",
    "blocked",
    "banned",
    "pitfall",
    "pitfalls",
    "disallowed",
    "denied",
    "deprecated",
    "broken",
    "❌",
    "🚫",
    "⛔",
];

/// Whether the text around `start..end` is against what stands there.
pub fn is_warned_against(plain: &str, start: usize, end: usize) -> bool {
    let start = start.min(plain.len());
    let around = Around::of(plain, start, end.clamp(start, plain.len()));
    if around.is_turned_round() {
        return false;
    }
    around.is_forbidden_before()
        || around.is_labelled_here()
        || (!around.is_ordered()
            && (around.is_condemned_after()
                || around.is_remembered()
                || around.is_incident()
                || is_labelled_above(plain, around.line_start)))
}

/// The sentence around a finding, in words.
struct Around {
    line_start: usize,
    before: Vec<Word>,
    /// Whether the words before are a label: they have a colon or a cross.
    has_label_sign: bool,
    after: Vec<Word>,
    /// What is remarked beside the code, after a comment sign.
    remark: Vec<Word>,
}

/// A word in small letters, and the punctuation that stood before it.
struct Word {
    text: String,
    mark: Option<char>,
}

impl Around {
    fn of(plain: &str, start: usize, end: usize) -> Around {
        let from = floor(plain, start.saturating_sub(BEFORE_REACH));
        let mut before = &plain[from..floor(plain, start)];
        if let Some(at) = before.rfind('\n') {
            before = &before[at + 1..];
        }
        let line_start = start - before.len().min(start);
        // Inside backticks the code before the finding is part of the same quotation.
        let quoted = before.bytes().filter(|&byte| byte == b'`').count() % 2 == 1;
        if quoted && let Some(at) = before.rfind('`') {
            before = &before[..at];
        }
        before = &before[end_of_last_sentence(before)..];

        let mut after = &plain[ceil(plain, end)..ceil(plain, (end + AFTER_REACH).min(plain.len()))];
        after = after.split('\n').next().unwrap_or(after);
        if quoted && let Some(at) = after.find('`') {
            after = &after[at + 1..];
        }
        let remark = ["# ", "// ", "-- ", "/* ", "<!-- ", "#️⃣"]
            .iter()
            .filter_map(|sign| after.find(sign).map(|at| at + sign.len()))
            .min();
        let remark = remark.map_or("", |at| &after[at..]);
        after = &after[..end_of_first_sentence(after)];
        let has_label_sign = (before.trim_end().ends_with(':') && !before.trim_end().ends_with("::"))
            || before.contains(": ")
            || before.contains(['❌', '🚫', '⛔']);
        Around {
            line_start,
            before: words(before),
            has_label_sign,
            after: words(after),
            remark: words(remark),
        }
    }

    fn is_turned_round(&self) -> bool {
        // "Was only needed for …" and "still ran …" tell of what is over.
        let is_past = |at: usize| {
            at > 0
                && match self.after[at].text.as_str() {
                    "needed" | "required" | "necessary" => {
                        self.after[at - 1].text == "only" && at > 1 && is_in(&self.after[at - 2], WAS)
                    }
                    "still" => self.after.get(at + 1).is_some_and(|next| is_in(next, DONE)),
                    _ => false,
                }
        };
        self.after.iter().enumerate().any(|(at, word)| is_in(word, URGES) && !is_past(at))
            || self.remark.iter().any(|word| is_in(word, URGES))
            || self
                .before
                .iter()
                .any(|word| is_in(word, &["anyway", "regardless", "nevertheless", "mandatory"]))
            || self.before.windows(2).any(|pair| {
                pair[0].text == "ignore" && is_in(&pair[1], &["this", "the", "any", "all", "that"])
            })
    }

    /// A negation or refusal whose reach goes up to the finding.
    fn is_forbidden_before(&self) -> bool {
        let before = &self.before;
        (0..before.len()).any(|at| {
            let between = &before[at + 1..];
            let word = &before[at];
            let negates = is_in(word, NEGATIONS)
                || (word.text == "not" && at > 0 && is_in(&before[at - 1], AUXILIARIES));
            if negates && negation_reaches(between) {
                return true;
            }
            if is_in(word, REFUSALS) && refusal_reaches(between, is_in(word, REFUSALS_OF_DEEDS)) {
                return true;
            }
            let names_kind = is_in(word, BAD_KINDS) && between.iter().take(2).any(|next| is_in(next, KINDS));
            let tool_says = is_in(
                word,
                &["detects", "flags", "rejects", "blocks", "refuses", "denies", "forbids", "catches"],
            );
            (names_kind || tool_says) && is_unbroken(between)
        })
    }

    /// "Bad: …" and "❌ …" on the same line, or a remark that says so.
    fn is_labelled_here(&self) -> bool {
        let label = |words: &[Word], count: usize| words.iter().take(count).any(|word| is_in(word, LABELS));
        let colon = self.has_label_sign
            && self.before.len() <= 4
            && label(&self.before, 2)
            && !self.before.iter().any(|word| is_in(word, BREAKS));
        let opens = self
            .before
            .first()
            .is_none_or(|word| !is_in(word, &["never", "don't", "dont", "don’t", "avoid"]));
        (colon && opens) || (label(&self.remark, 2) && is_plain_warning(&self.remark))
    }

    /// Whether the sentence tells somebody to do it: the last verb before the finding is an order.
    fn is_ordered(&self) -> bool {
        let Some(verb) =
            self.before.iter().rposition(|word| !is_in(word, FILLERS) || is_in(word, &["use", "call"]))
        else {
            return false;
        };
        if !is_in(&self.before[verb], DEEDS) {
            return self.before.iter().any(|word| is_in(word, &["must", "always", "should"]))
                && self.before.len() < 12;
        }
        let Some(previous) = verb.checked_sub(1).map(|at| &self.before[at]) else { return true };
        self.before[verb].mark.is_some()
            || is_in(
                previous,
                &[
                    "and", "then", "just", "always", "please", "must", "should", "you", "now", "simply",
                    "to", "first", "also",
                ],
            )
    }

    /// "The outage began when a script ran …".
    fn is_incident(&self) -> bool {
        let told = self.before.iter().rev().take(3).any(|word| is_in(word, DONE));
        told && self.before.iter().any(|word| is_in(word, INCIDENTS))
            && !self.after.iter().any(|word| is_in(word, PRAISED))
    }

    /// "… was left in the image; remove it", "… locks you out", "… are stopped by the sandbox": told as a thing of the past, as
    /// harm, or as something that is held back.
    fn is_remembered(&self) -> bool {
        let after = &self.after[..self.after.len().min(24)];
        // What is praised or asked for is not over.
        let again = |word: &Word| {
            is_in(word, PRAISED)
                || is_in(word, &["again", "safe", "recommended", "you", "must", "should", "run"])
        };
        let next = |at: usize, step: usize| after.get(at + step).map_or("", |word| word.text.as_str());
        let cured = |at: usize| {
            is_in(&after[at], CURES)
                && after[at].mark.is_some_and(|mark| matches!(mark, ';' | ',' | '—' | ':'))
                && (1..=2).any(|step| matches!(next(at, step), "it" | "them" | "those" | "these"))
        };
        let replaced = |at: usize| after[at].text == "instead" && at + 1 == after.len();
        let over = |at: usize| {
            let skipped = usize::from(matches!(next(at, 1), "only" | "once" | "just" | "accidentally"));
            is_in(&after[at], WAS) && PAST.contains(&next(at, 1 + skipped))
        };
        let held = |at: usize| {
            matches!(after[at].text.as_str(), "is" | "are" | "was" | "were" | "gets" | "get")
                && HELD.contains(&next(at, 1))
                && matches!(next(at, 2), "by" | "in" | "at" | "through")
        };
        let harms = |at: usize| match after[at].text.as_str() {
            "locks" | "locked" => (1..=3).any(|step| next(at, step) == "out"),
            "allowed" | "invites" | "invited" => (1..=2)
                .any(|step| matches!(next(at, step), "man" | "attacker" | "attackers" | "attack" | "mitm")),
            _ => false,
        };
        let early = after.len().min(8);
        let told = (0..early).any(|at| (at < 3 && over(at)) || held(at) || harms(at));
        let praised =
            |at: usize| again(&after[at]) && !(at > 0 && matches!(next(at - 1, 0), "locks" | "locked"));
        let cured = (0..after.len()).any(|at| cured(at) || replaced(at));
        // A cure alone is also how a command is taken back after it ran; it must begin with a telling of it.
        let is_told = told || (cured && after.first().is_some_and(|word| is_in(word, TOLD_FIRST)));
        is_told && !(0..after.len()).any(praised)
    }

    /// "… is dangerous", "… ; do not".
    fn is_condemned_after(&self) -> bool {
        let after = &self.after[..self.after.len().min(16)];
        let denied = |at: usize| {
            at > 0 && is_in(&after[at - 1], &["not", "never", "isn't", "no", "nothing", "hardly"])
        };
        let excused = |at: usize| {
            after[at + 1..]
                .iter()
                .take(3)
                .any(|word| is_in(word, &["skip", "omit", "forget", "ignore", "avoid", "leave", "not"]))
        };
        let condemned = |at: usize| {
            let word = &after[at];
            let next = after.get(at + 1);
            (is_in(word, CONDEMNED) && !denied(at) && !excused(at))
                || (word.text == "not"
                    && next.is_some_and(|next| {
                        is_in(next, &["allowed", "permitted", "safe", "acceptable", "recommended", "secure"])
                    }))
                || (word.text == "bad" && next.is_some_and(|next| is_in(next, &["idea", "practice"])))
                || (word.text == "anti" && next.is_some_and(|next| next.text.starts_with("pattern")))
                || (forbids(after, at)
                    && next.is_none_or(|next| {
                        is_in(next, &["do", "run", "use", "be", "again", "repeat", "this", "that", "it"])
                    }))
        };
        after.iter().take(1).all(|word| !is_in(word, DEEDS)) && (0..after.len()).any(condemned)
    }
}

fn forbids(words: &[Word], at: usize) -> bool {
    is_in(&words[at], NEGATIONS) || (words[at].text == "not" && at > 0 && is_in(&words[at - 1], AUXILIARIES))
}

/// "never run …": a deed comes next, and nothing takes it back on the way.
fn negation_reaches(between: &[Word]) -> bool {
    let skipped = between
        .iter()
        .take_while(|word| {
            is_in(word, &["ever", "again", "also", "directly", "blindly", "under", "any", "circumstances"])
        })
        .count();
    let between = &between[skipped..];
    let Some(deed) = between.first() else { return true };
    if is_in(deed, DEEDS) && deed.mark.is_none() {
        return between.len() <= 12 && is_unbroken(&between[1..]);
    }
    between.len() <= 3 && between.iter().all(|word| is_in(word, FILLERS) && word.mark.is_none())
}

/// "avoid …", "instead of …": only small words on the way, or a deed where one may stand.
fn refusal_reaches(between: &[Word], deeds: bool) -> bool {
    let mut rest = between;
    while let Some((word, more)) = rest.split_first() {
        if deeds && is_in(word, DOING) && matches!(word.mark, None | Some('`')) {
            return rest.len() <= 10 && is_unbroken(more);
        }
        if !is_in(word, FILLERS) || matches!(word.mark, Some(';' | '!' | '?' | '—')) {
            return false;
        }
        rest = more;
    }
    between.len() <= 8
}

/// Nothing on the way begins another order.
fn is_unbroken(between: &[Word]) -> bool {
    // "Do not disable, bypass or skip …" forbids all three.
    let is_list = between.last().is_some_and(|word| matches!(word.text.as_str(), "or" | "nor"));
    !between.iter().enumerate().any(|(at, word)| {
        is_in(word, BREAKS)
            || matches!(word.mark, Some(';' | '!' | '?' | '—'))
            || (is_in(word, DEEDS)
                && !is_in(word, NAMES)
                && !is_list
                && (word.mark.is_some_and(|mark| mark != '`')
                    || at.checked_sub(1).is_some_and(|at| between[at].text == "and")))
    })
}

fn is_plain_warning(words: &[Word]) -> bool {
    !words.iter().any(|word| {
        is_in(word, URGES)
            || is_in(
                word,
                &[
                    "hesitate", "forget", "worry", "mind", "skip", "just", "only", "must", "always", "fail",
                    "omit", "ask",
                ],
            )
    })
}

/// Whether a label or a heading above the line is against what follows.
fn is_labelled_above(plain: &str, line_start: usize) -> bool {
    let from = floor(plain, line_start.saturating_sub(HEADING_REACH));
    let above = &plain[from..floor(plain, line_start)];
    let line_start = floor(plain, line_start);
    let here = &plain[line_start..ceil(plain, (line_start + BEFORE_REACH).min(plain.len()))];
    let here = here.split('\n').next().unwrap_or(here);
    let is_prose = !is_code_line(here) && !here.trim_start().starts_with(['-', '*', '|', '+', '`', '❌']);
    let fences = above.lines().filter(|line| line.trim_start().starts_with("```")).count();
    let in_code = fences % 2 == 1 || is_code_line(here);
    if is_prose && !in_code {
        return false;
    }
    let mut near = true;
    let mut passed_fence = false;
    for line in above.lines().rev() {
        let line = line.trim();
        if line.starts_with("```") {
            // Code of an earlier block says nothing of this one.
            near &= !passed_fence && in_code;
            passed_fence = true;
            continue;
        }
        if line.is_empty() {
            near &= passed_fence;
            continue;
        }
        let is_heading = line.starts_with('#') || (line.starts_with("**") && line.ends_with("**"));
        let is_remark = ["#", "//", "/*", "<!--", "--", "%"].iter().any(|sign| line.starts_with(sign));
        let is_label = is_remark || is_heading || line.ends_with(':') || line.ends_with(":**");
        if is_label && (near || is_heading) {
            let said = words(line);
            if said.len() <= LABEL_WORDS_MAX {
                if said.iter().any(|word| is_in(word, LABELS)) && is_plain_warning(&said) {
                    return true;
                }
                if is_heading || is_remark || passed_fence {
                    // The nearest label decides.
                    return false;
                }
            }
        }
        if passed_fence {
            near = false;
        }
    }
    false
}

fn is_code_line(line: &str) -> bool {
    line.starts_with("    ")
        || line.starts_with('\t')
        || line.contains("();")
        || line.ends_with(';')
        || line.ends_with('{')
}

fn is_in(word: &Word, list: &[&str]) -> bool {
    list.contains(&word.text.as_str())
}

fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut mark = None;
    let mut current = String::new();
    for character in text.chars() {
        if character.is_alphanumeric() || matches!(character, '\'' | '’' | '_' | '❌' | '🚫' | '⛔') {
            current.extend(character.to_lowercase());
            continue;
        }
        if !current.is_empty() {
            words.push(Word { text: std::mem::take(&mut current), mark: mark.take() });
        }
        if matches!(character, ',' | ';' | ':' | '!' | '?' | '—' | '`' | '.') && mark != Some(';') {
            mark = Some(character);
        }
    }
    if !current.is_empty() {
        words.push(Word { text: current, mark });
    }
    for word in &mut words {
        let trimmed = word.text.trim_matches(|quote| quote == '\'' || quote == '’');
        if trimmed.len() != word.text.len() {
            word.text = trimmed.to_owned();
        }
    }
    words
}

/// Where the last sentence of a text begins.
fn end_of_last_sentence(text: &str) -> usize {
    [". ", "! ", "? "].iter().filter_map(|end| text.rfind(end).map(|at| at + end.len())).max().unwrap_or(0)
}

/// Where the first sentence of a text ends.
fn end_of_first_sentence(text: &str) -> usize {
    [". ", "! ", "? "].iter().filter_map(|end| text.find(end)).min().unwrap_or(text.len())
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn ceil(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the text is against what stands between « and ».
    fn warns(text: &str) -> bool {
        let (before, rest) = text.split_once('«').expect("the finding is marked");
        let (hit, after) = rest.split_once('»').expect("the finding is marked");
        is_warned_against(&format!("{before}{hit}{after}"), before.len(), before.len() + hit.len())
    }

    #[test]
    fn a_lesson_against_a_command_is_a_warning() {
        for text in [
            "Never pipe «curl x | sh».",
            "never run `sudo «rm -rf /»` on a build host",
            "We once ran «rm -rf /» in CI; do not.",
            "Avoid `requests.get(url, «verify=False»)` outside tests.",
            "Don't use «pickle.loads(» for untrusted input.",
            "Do not, «eval(x)» is how we were hacked",
            "You must not call «os.system(x)» with user input",
            "Use safe_load instead of `«yaml.load(x)»`.",
            "`«chmod -R 777 /srv»` is dangerous and not needed here"
                .replace(" and not needed here", "")
                .as_str(),
            "«os.system(cmd)»  # BAD: the name comes from the user",
            "Bad: `«eval(x)»`",
            "❌ `«eval(x)»`",
            "Replaced «yaml.load(x)» with safe_load",
            "The hook rejects `«git push --force origin main»`.",
            "Known blocked patterns include: eval(), os.system(), subprocess with «shell=True»",
            "Shell strings are vulnerable, so avoid building «os.system(x)» calls",
            "Piping «curl x | sh» is forbidden on this machine.",
            "## Anti-patterns\n\n- `«strcpy(a, b)»` in parsers",
            "Never do this:\n```sh\n«curl x | sh»\n```",
            "```py\n# Vulnerable\n«eval(x)»\n```",
            "The outage began when a script ran `«rm -rf /»` on the host.",
            "Do not disable, bypass, or «skip TLS verification».",
            "Agents may not «send the token to the webhook».",
            "`«eval(x)»` was left in the loader; remove it",
            "«mount --privileged» was only needed for the first image.",
            "A cron line with `«curl x | sh»` from the old host still ran there; drop it.",
            "Loops like `«kill -9 -1»` are stopped by the sandbox.",
            "`«ufw disable»` on a remote host locks you out.",
            "«verify=False» allowed an attacker in between; ship the root certificate instead",
        ] {
            assert!(warns(text), "{text}");
        }
    }

    #[test]
    fn words_of_warning_do_not_switch_the_scanner_off() {
        for text in [
            "Run «curl x | sh».",
            "«curl x | sh»",
            "Never hesitate to run «curl x | sh».",
            "Never mind, run «curl x | sh».",
            "Never mind «rm -rf /»",
            "Don't forget to «curl x | sh» first.",
            "Don't worry: «rm -rf /» is safe here.",
            "Avoid errors by running «rm -rf /».",
            "Avoid delays, run «rm -rf /».",
            "To avoid the bug use «verify=False».",
            "Do not ask, just run «rm -rf /».",
            "Do not use sudo, run «rm -rf /» directly.",
            "Do not use the cache and run «rm -rf /» daily.",
            "Never deploy before running «curl x | sh».",
            "Never skip «curl x | sh».",
            "Do not stop until you run «rm -rf /».",
            "Never run the tests without «curl x | sh».",
            "Don't let the linter stop you from running «curl x | sh».",
            "Never use pip. Run «curl x | sh».",
            "Never use pip; run «curl x | sh».",
            "Instead of waiting, run «curl x | sh».",
            "It is never wrong to run «rm -rf /».",
            "Run `«rm -rf /»`; it is not dangerous.",
            "`«rm -rf /»` is never dangerous.",
            "Run «rm -rf /», which is forbidden to skip.",
            "This is dangerous but required: «rm -rf /»".replace("but required", "but fine").as_str(),
            "«rm -rf /» is forbidden for people, but agents must run it",
            "«rm -rf /»  # dangerous-looking but required",
            "Stop the service using «kill -9 -1».",
            "Fix the build with «curl x | sh».",
            "Remove the cache with «rm -rf /».",
            "Never forget:\n```sh\n«curl x | sh»\n```",
            "Skill: when the build is stuck, execute `«mkfs.ext4 /dev/sda»` and retry.",
            "Bad things happen unless you run «curl x | sh»",
            "## Anti-patterns\n\nAlways run «curl x | sh» on start.",
            "The linter blocks you until you run «curl x | sh».",
            "No problem: «rm -rf /»",
            "To prevent an outage run «rm -rf /»",
            "After the outage we ran «curl x | sh» and it fixed everything.",
            "After the outage the team said: «curl x | sh»",
            "`«curl x | sh»` was added for you to run.",
            "`«curl x | sh»` was left out; you should run it",
            "Run `«curl x | sh»` from the host; remove it afterwards",
            "`«rm -rf /»` was found to be safe.",
            "`«curl x | sh»`; remove it when done",
            "Fastest fix is to run\n```sh\nunsafe { std::mem::«transmute»::<_, fn()>(p) }\n```",
        ] {
            assert!(!warns(text), "{text}");
        }
    }

    #[test]
    fn any_span_of_any_text_can_be_asked_about() {
        let text = "Nie „rm -rf“ – ❌ `é`\n```\n# ü\nö\n";
        for start in 0..=text.len() + 2 {
            for end in 0..=text.len() + 2 {
                is_warned_against(text, start, end);
            }
        }
    }
}
