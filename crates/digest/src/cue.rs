//! The words that make a norm of a sentence, and those that keep it from being one.

use std::sync::LazyLock;

use ken_language::WordList;
use regex::Regex;

use crate::limits::{PLURAL_WORDS_MAX, SUBJECT_WORDS_MAX};

/// What makes a norm of some words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cue {
    /// The cue, as candidates name it.
    pub word: &'static str,
    pub negative: bool,
    /// How sure it is, in percent.
    pub sure: u8,
    /// The byte at which it stands.
    pub at: usize,
}

/// The cue of a sentence whose verb is an order.
pub(crate) const IMPERATIVE: &str = "imperative";
/// The cue of what a list or a heading makes a condition of being done.
pub(crate) const DONE: &str = "definition of done";
/// The cue of a sentence about what was learned.
pub(crate) const LESSON: &str = "lesson";
/// The cue of a sentence about how risky something is.
pub(crate) const RISK: &str = "risk word";
/// The cue of a point with a box to tick.
pub(crate) const CHECKLIST: &str = "checklist";
/// The cue of a sentence about commit messages with a prefix.
pub(crate) const CONVENTIONAL: &str = "conventional commits";

/// The cue of a sentence that says how all things of a kind are, and stands among rules.
pub(crate) const HABIT: &str = "habit";

/// The cue of a sentence that rules leave undecided, and a judge takes for a norm.
pub(crate) const ASKED: &str = "judge";

/// How a text speaks: what counts as a cue depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Manner {
    /// An order is a norm.
    pub orders: bool,
    /// How things are is how they have to be.
    pub guide: bool,
    /// It is a point of a list.
    pub point: bool,
    /// A duty counts only if it is one of people, or of what they make.
    pub people: bool,
}

/// Everything that asks for something counts.
pub(crate) const ANY: Manner = Manner { orders: true, guide: true, point: true, people: false };

struct Rule {
    word: &'static str,
    pattern: Regex,
    negative: bool,
    sure: u8,
    /// Counts only in guides.
    guide: bool,
    /// Counts only in points of a list.
    point: bool,
    /// Words that may not come right before.
    not_after: &'static [&'static str],
}

/// Words before a verb that make a thought of it.
static SUPPOSED: WordList = WordList::new(include_str!("../words/supposed.txt"));

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let rule = |word, pattern: &str, negative, sure| Rule {
        word,
        pattern: Regex::new(pattern).expect("a constant"),
        negative,
        sure,
        guide: false,
        point: false,
        not_after: &[],
    };
    let supposed = |rule: Rule| Rule { not_after: &SUPPOSED, ..rule };
    let guide = |rule: Rule| Rule { guide: true, ..rule };
    let point = |rule: Rule| Rule { guide: true, point: true, ..rule };
    vec![
        rule("must not", r"\bmust(?: not|n['’]t| never)\b", true, 95),
        supposed(rule("must", r"\bmust\b", false, 95)),
        rule("shall not", r"\bshall(?: not| never)\b", true, 95),
        rule("shall", r"\bshall\b", false, 95),
        rule("should not", r"\bshould(?: not|n['’]t| never)\b", true, 85),
        rule("should", r"\bshould\b", false, 85),
        rule("ought to", r"\bought (?:not )?to\b", false, 80),
        rule("may not", r"\bmay not\b", true, 90),
        rule("may only", r"\bmay only\b", false, 90),
        rule("only", r"\bonly [a-z' -]{1,50} may\b", false, 88),
        guide(rule(
            "only",
            r"(?:^|[:;,] |\band )only (?:the|an?|maintainers?|owners?|members?|admins?|reviewers?) ",
            false,
            75,
        )),
        supposed(rule("have to", r"\b(?:has|have) to [a-z]+", false, 88)),
        supposed(guide(rule("needs", r"\bneeds [a-z]+", false, 82))),
        guide(Rule {
            not_after: &[
                "you", "we", "i", "not", "don't", "doesn't", "would", "might", "may", "who", "if", "they",
                "no", "the", "a", "that", "of", "in", "any", "your", "to", "will",
            ],
            ..rule("need", r"\bneed (?:an?|one|two|the|to|at least|X+)\b", false, 80)
        }),
        Rule {
            not_after: &["if", "when", "don't", "not", "as"],
            ..rule(
                "need to",
                r"(?:^|[,;:] |\b(?:then|so|and|but|that|first|also) )you(?: will|['’]ll)?(?: also| first)? need to [a-z]+",
                false,
                84,
            )
        },
        supposed(guide(rule("requires", r"\brequires?\b", false, 85))),
        rule(
            "required",
            r"\b(?:is|are|be) (?:always |also )?(?:required|mandatory|compulsory|obligatory)\b",
            false,
            90,
        ),
        rule("expected", r"\b(?:is|are) expected (?:to|that)\b", false, 88),
        rule(
            "forbidden",
            r"\b(?:is|are|be) (?:strictly )?(?:forbidden|prohibited|banned|off[- ]limits|disallowed)\b",
            true,
            92,
        ),
        rule("not allowed", r"\bnot (?:be )?(?:allowed|permitted|acceptable|accepted|tolerated)\b", true, 90),
        rule(
            "not accepted",
            r"\b(?:cannot|can['’]t|can not|do not|don['’]t|won['’]t|will not|never) (?:be )?(?:accepte?d?|merged?|approved?)\b",
            true,
            85,
        ),
        guide(rule("to be", r"\b(?:is|are) (?:not )?to be [a-z]+(?:ed|en|n|t)\b", false, 80)),
        guide(rule(
            "we expect",
            r"\bwe (?:expect|insist|ask|require|demand|prefer|strongly prefer)\b",
            false,
            80,
        )),
        supposed(rule("never", r"\bnever\b", true, 92)),
        supposed(rule("always", r"(?:^|[,;:] (?:and |but |so )?)always\b", false, 90)),
        supposed(guide(rule("always", r"\balways\b", false, 86))),
        rule(
            "do not",
            r"(?:^|[,;:(] ?(?:and |but |so |please |then |or |instead |either )?|\b(?:please|so|but|then|and|or) )(?:please )?(?:do not|don['’]t)\b",
            true,
            90,
        ),
        rule("please", r"\bplease(?: also| always| do)? [a-z]+", false, 80),
        Rule {
            not_after: &["to", "this", "that", "it", "which", "and", "not"],
            ..guide(rule("make sure", r"\bmakes? sure\b|\bensures?\b|\bbe sure to\b", false, 82))
        },
        rule(
            CONVENTIONAL,
            r"\b(?:follow|use|uses|follows|adhere to|stick to|write|in the)\b.{0,40}\bconventional[- ]commits?\b",
            false,
            90,
        ),
        guide(rule("takes precedence", r"\b(?:takes?|has|have) precedence\b|\bprevails?\b", false, 76)),
        guide(rule(
            "how it is done",
            r"^(?:an?|all|every|each|any|new|[a-z]{2,} [a-z]{3,}s|[a-z]{4,}s)\b.{0,60}\b(?:comes? with|goe?s? through|is kept in|are kept in|go(?:es)? into)\b",
            false,
            66,
        )),
        guide(rule(
            "how it is named",
            r"^(?:the )?.{0,40}\b(?:names?|titles?|messages?|branches|subjects?|subject lines?)\b.{0,20}\b(?:starts?|begins?|ends?) with\b",
            false,
            70,
        )),
        guide(rule(
            "no",
            r"^no [a-z-]+(?: [a-z-]+){0,2}? (?:may|can|talks?|calls?|imports?|uses?|reads?|writes?|depends?|touch(?:es)?|runs?|sends?|stores?|returns?|blocks?|leaves?|enters?|gets?|keeps?|logs?|opens?|starts?|ships?|merges?|lands?|goes?|waits?|sleeps?|knows?|without|outside|unless|before|until)\b",
            true,
            82,
        )),
        guide(rule("we only", r"^we only [a-z]+|^we [a-z]+ .{1,60}\bonly\.?$", false, 74)),
        point(rule("contrast", r", not [a-zX]", false, 68)),
        point(rule("no", r"^(?:[a-z]+(?: [a-z]+)?: )?no [a-zX]+", true, 82)),
        point(rule(
            "one per",
            r"^(?:one|a single|exactly one|at (?:most|least) [a-z0-9]+)\b.{1,60}\bper\b",
            false,
            78,
        )),
        rule(
            DONE,
            r"\b(?:is|are|counts? as|considered) (?:only )?(?:done|finished|complete|ready|ready to merge|ready for review) (?:only )?(?:when|once|if)\b",
            false,
            88,
        ),
        guide(rule(
            RISK,
            r"\b(?:high|low|medium|critical)[- ]risk\b|\b(?:is|are|counts? as) (?:critical|risky|dangerous)\b",
            false,
            80,
        )),
        rule(
            LESSON,
            r"^lessons?(?: learn(?:ed|t))?\b.{0,60}:|^learn(?:ed|t):|\bthe lesson (?:is|was)\b|\bwe(?: have)? learn(?:ed|t)\b|\blesson learn(?:ed|t)\b",
            false,
            80,
        ),
    ]
});

/// Sentences that are about norms, about the past or about nothing that is.
static NOT_NORMS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"\bkey ?words\b|\brfc ?2119\b|\bto be interpreted\b",
        r"|\b(?:said|wrote|claimed|thought|believed|told us) that\b|\bis said to\b",
        r"|\bperhaps\b|\bmaybe\b|\bone day\b|\bsomeday\b|\bin a better world\b|\bif (?:[a-z]+ ){1,5}were\b",
        r"|\bthanks?\b|\bthankful\b|\bgrateful\b|\bgratitude\b|\bowe a\b",
        r"|^(?:back )?in (?:19|20)\d\d\b|^until (?:19|20)\d\d\b|\bused to (?:be|have|do|use|require)\b|\bversion \d[0-9.]* (?:of [a-z ]+ )?(?:required|said|was|asked)\b",
        r"|^for (?:example|instance)\b|^e\.g\b|\bfeel free\b|\bno need to\b|\bnice to have\b",
    ))
    .expect("a constant")
});

/// What lets people do something, or leaves it to them.
static PERMISSION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^(?:may|optional): |\b(?:you|they|authors?|developers?) (?:may|can|could)\b|\bmay (?:be|also|of)\b|\bfree to\b|\bwelcome\b|\boptional(?:ly)?\b|\bnot necessary\b|\bneed not\b|\b(?:not|n['’]t) (?:need|have) to\b",
    )
    .expect("a constant")
});

/// What comes after a cue and takes it back.
static TAKEN_BACK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?:must|should|shall) (?:all )?(?:simply |just )?(?:be considered\b|be a\b|suffice\b|be (?:fine|enough|easy|obvious)\b|be able to\b|come away\b|have (?:been|had|[a-z]+ed)\b|be (?:grateful|thankful|kidding|joking)|thank\b)",
        r"|^(?:please) (?:note|see|feel|find|enjoy|refer|join|visit|let)\b",
        r"|(?:do not|don['’]t) (?:need|have to|worry|hesitate|panic|be (?:shy|afraid|scared|discouraged|intimidated|surprised)|let (?:this|that)|expect)\b",
        r"|^need (?:not|for)\b",
        r"|^(?:never|always) (?:mind|welcome|had|was|were|got|said|saw|went|came|did|does|knew|made|took|been|stopped|answered)\b",
        r"|^(?:never|always) [a-z]{3,}ed\b",
    ))
    .expect("a constant")
});

/// Verbs that begin an order and are hardly ever anything else there.
static VERBS: WordList = WordList::new(include_str!("../words/verbs.txt"));

/// Verbs that are as often nouns: an order only if what follows is what follows a verb.
static VERBS_OR_NOUNS: WordList = WordList::new(include_str!("../words/verbs_or_nouns.txt"));

/// What follows a verb.
static AFTER_VERB: WordList = WordList::new(include_str!("../words/after_verb.txt"));

/// Orders that ask for nothing to be kept to.
static IDLE_ORDERS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^(?:see|enjoy|have fun|join|visit|check out|read more|read on|feel free|let us know|let me|let's|find (?:more|out|the|us)|get (?:in touch|started|help)|take a look|look at|say hi|go ahead|come|ask (?:on|us)|contact|be (?:aware|warned)|note that|clone|install|do you|remember that|think of|consider (?:this|the following)|start (?:by|with|the|here)|open (?:the )?(?:http|X)|follow (?:us|the link)|back (?:in|when|then)|default|do i)\b",
    )
    .expect("a constant")
});

/// Words that may stand before an order.
static BEFORE_ORDER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^(?:(?:also|then|first|second|finally|lastly|instead|otherwise|afterwards|next|and|but|so|either|please|generally|usually|just|simply|kindly)[, ]+|\(|[a-z]+ly,? )+",
    )
    .expect("a constant")
});

/// A clause that says when, where or how, before the one that matters.
static FRONT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^(?:if|when|whenever|before|after|once|unless|for|in|on|while|where|wherever|until|with|without|as|to|instead|by|during|at|even|since|because|whether|from|within)\b",
    )
    .expect("a constant")
});

/// Whether a word in lower case can begin an order.
pub(crate) fn is_verb(word: &str) -> bool {
    VERBS.contains(word) || VERBS_OR_NOUNS.contains(word)
}

/// Whether a word in lower case is a verb that an order or a statement can have.
pub fn is_any_verb(word: &str) -> bool {
    is_verb(word) || STATES.contains(word)
}

/// A text in which cues are looked for: lower case, code and quoted words blotted out, every byte where it was.
pub(crate) fn blotted(text: &str, is_code: &dyn Fn(usize) -> bool) -> String {
    let mut quoted = false;
    let last_quote = text.rfind('"').unwrap_or(0);
    let mut out = String::with_capacity(text.len());
    for (at, letter) in text.char_indices() {
        let is_mark = matches!(letter, '"' | '“' | '”');
        if is_mark {
            quoted = match letter {
                '“' => true,
                '”' => false,
                _ => !quoted && at < last_quote,
            };
        }
        match is_code(at) || quoted && !is_mark {
            true => out.extend(std::iter::repeat_n('X', letter.len_utf8())),
            false => out.push(letter.to_ascii_lowercase()),
        }
    }
    out
}

/// Whether a blotted sentence has a verb of duty, whoever is to keep to it.
pub(crate) fn is_duty(text: &str) -> bool {
    static DUTY: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"^(?:must|shall|should|ought|may|have|need|required|expected|forbidden|not allowed|do not)",
        )
        .expect("a constant")
    });
    let manner = Manner { orders: false, guide: false, point: false, people: false };
    cue(text, manner).is_some_and(|cue| DUTY.is_match(cue.word))
}

/// Verbs that say how things are.
static STATES: WordList = WordList::new(include_str!("../words/states.txt"));

/// Whether a blotted sentence says how all things of a kind are: `All timestamps are stored in UTC`, `Handlers return a Result`. Among rules that is
/// a rule, and elsewhere a fact.
pub(crate) fn is_practice(text: &str) -> bool {
    static POINTS_AWAY: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(?:above|below|following|here|both|these|those|currently|today|already|usually|often|sometimes|mostly)\b|[:?]$|^(?:each|all|any) of\b|^(?:most|many|some|few|several)\b")
            .expect("a constant")
    });
    if !is_habit(text) || POINTS_AWAY.is_match(text) {
        return false;
    }
    let words: Vec<&str> = text.split(' ').map(|word| word.trim_end_matches([',', '.', ';'])).collect();
    let verb_at = |from: usize, is_one: &dyn Fn(&str) -> bool| {
        words.iter().skip(from).take(SUBJECT_WORDS_MAX).any(|word| is_one(word))
    };
    match words[0] {
        "every" | "each" | "no" => verb_at(2, &is_told_of_one),
        "everyone" | "everybody" | "everything" | "nobody" | "nothing" => verb_at(1, &is_told_of_one),
        "all" | "any" => verb_at(2, &|word| is_told_of_many(word) || is_told_of_one(word)),
        // What people do is as often a fact about them.
        "we" => false,
        _ => (1..=PLURAL_WORDS_MAX).any(|at| {
            let is_plural = |word: &str| {
                word.len() > 3
                    && word.ends_with('s')
                    && !["ss", "us", "is"].iter().any(|end| word.ends_with(end))
            };
            let verb = words.get(at).copied().unwrap_or_default();
            is_plural(words[at - 1]) && (matches!(verb, "don't" | "don’t") || is_told_of_many(verb))
        }),
    }
}

/// Whether a word can be the verb of a plural.
fn is_told_of_many(word: &str) -> bool {
    STATES.contains(word) || is_verb(word)
}

/// Whether a word can be the verb of a singular.
fn is_told_of_one(word: &str) -> bool {
    if matches!(word, "is" | "has" | "does" | "doesn't" | "isn't" | "goes") {
        return true;
    }
    let stems = [word.strip_suffix('s'), word.strip_suffix("es")];
    stems.into_iter().flatten().any(is_told_of_many)
        || word.strip_suffix("ies").is_some_and(|stem| is_told_of_many(&format!("{stem}y")))
}

/// Whether a blotted sentence says how something always is: `Every migration has a down step`, `Log lines carry the request id`.
pub(crate) fn is_habit(text: &str) -> bool {
    static HABIT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?:every|each|all|any|no|nobody|we|only|new|never|always)\b|^[a-z-]+(?: [a-z-]+)?s (?:[a-z]{2,}|X)").expect("a constant")
    });
    static TELLS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(?:was|were|had|did|will|would|can|could|might|has been|have been|i|you)\b|^(?:this|thus|is|as|its|his|these|those)\b")
            .expect("a constant")
    });
    !text.ends_with('?') && HABIT.is_match(text) && !TELLS.is_match(text) && !NOT_NORMS.is_match(text)
}

/// What makes a norm of a blotted sentence, if anything does.
pub(crate) fn cue(text: &str, manner: Manner) -> Option<Cue> {
    let text = text.trim_end_matches(['"', ')', '”']);
    if text.ends_with('?') || NOT_NORMS.is_match(text) {
        return None;
    }
    let fits = |rule: &&Rule| (manner.guide || !rule.guide) && (manner.point || !rule.point);
    let ruled = RULES.iter().filter(fits).filter_map(|rule| found(rule, text, manner.people));
    let best = ruled.reduce(|best, next| if next.sure > best.sure { next } else { best });
    let best = best.or_else(|| order(text, manner));
    let allowed = PERMISSION.find(text).map(|allowed| allowed.start());
    best.filter(|best| best.sure >= 80 || allowed.is_none_or(|allowed| best.at < allowed))
}

fn found(rule: &Rule, text: &str, people: bool) -> Option<Cue> {
    rule.pattern.find_iter(text).find_map(|met| {
        let before = text[..met.start()].split_whitespace().next_back().unwrap_or_default();
        let before = before.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'');
        if rule.not_after.contains(&before)
            || TAKEN_BACK.is_match(text[met.start()..].trim_start_matches([',', ';', ':', '(', ' ']))
        {
            return None;
        }
        // `A test that needs the network` and `if it must go` ask for nothing.
        if ["that", "which", "who", "what", "where", "there"].contains(&before)
            || is_condition(text, met.start())
        {
            return None;
        }
        // What a tool does is how it is, and not how it has to be.
        let told = text.starts_with('X') || text.starts_with("note that");
        if matches!(rule.word, "never" | "always") && told {
            return None;
        }
        if !matches!(rule.word, "not accepted" | "contrast") && is_aside(text, met.start()) {
            return None;
        }
        if people && !is_of_people(text, met.start()) {
            return None;
        }
        // `Should you need it` is a condition; `SHOULD: ...` is a level.
        let label = text[met.end()..].starts_with(':');
        if met.start() == 0 && !label && matches!(rule.word, "should" | "must" | "have to") {
            return None;
        }
        let nobody = text.starts_with("nobody") || text.starts_with("no one") || text.starts_with("no ");
        Some(Cue { word: rule.word, negative: rule.negative || nobody, sure: rule.sure, at: met.start() })
    })
}

/// Whether some byte lies in the condition that a sentence begins with.
fn is_condition(text: &str, at: usize) -> bool {
    static CONDITION: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?:if|when|whenever|because|since|while|although|though|unless|whether)\b")
            .expect("a constant")
    });
    CONDITION.is_match(text) && !text[..at].contains(',')
}

/// Whether some byte lies in a clause that only tells which, whether or why.
fn is_aside(text: &str, at: usize) -> bool {
    static ASIDE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\b(?:which|whether|whose|why|how|what|where)\b").expect("a constant"));
    let clause = text[..at].rsplit([',', ';', ':', '(']).next().unwrap_or_default();
    // `Where it is used, it must` has its comma; a question word that begins the sentence rules all of it.
    ASIDE.is_match(clause)
}

/// Whether the words before a cue are people, or what people make here; an order is theirs in any case.
fn is_of_people(text: &str, at: usize) -> bool {
    static PEOPLE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(?:you|contributors?|authors?|developers?|maintainers?|reviewers?|agents?|everyone|everybody|nobody|anyone|we|team|pull requests?|prs?|commits?|patch(?:es)?|changes?|branch(?:es)?|tests?|code|releases?|migrations?|new [a-z]+|callers?|users|builds?|ci|pipelines?|deploy(?:s|ments?)|handlers?|modules?|services?|endpoints?|dependenc(?:y|ies)|secrets?)\b")
            .expect("a constant")
    });
    let before = text[..at].trim_end_matches([',', ' ', ':', ';']);
    let clause = before.rsplit(['.', ';', ':']).next().unwrap_or(before);
    clause.trim().is_empty() || PEOPLE.is_match(clause) || before.len() < text[..at].trim_end().len()
}

/// Whether the sentence, or the clause that matters in it, begins with a verb in the mood of an order.
fn order(text: &str, manner: Manner) -> Option<Cue> {
    if !manner.orders {
        return None;
    }
    let mut starts = vec![0];
    let front = FRONT.is_match(text);
    for (at, _) in text.match_indices([',', ':', ';']) {
        let mark = text.as_bytes()[at];
        let rest = &text[at + 1..];
        if rest.starts_with(' ')
            && (mark != b',' || front || rest.starts_with(" so ") || rest.starts_with(" either "))
        {
            starts.push(at + 2);
        }
    }
    starts.extend(text.match_indices(" but ").map(|(at, joint)| at + joint.len()));
    // Half a condition is no order: `Before asking` is none, what comes after its comma may be.
    starts.into_iter().find_map(|start| {
        let clause = &text[start..];
        let skipped = BEFORE_ORDER.find(clause).map_or(0, |met| met.end());
        let clause = &clause[skipped..];
        if clause.starts_with("do not ")
            || clause.starts_with("don't ")
            || IDLE_ORDERS.is_match(clause)
            || FRONT.is_match(clause)
        {
            return None;
        }
        let mut words = clause.split(' ');
        let first = words.next()?.trim_end_matches([',', '.', ':', ';', '!']);
        let second = words.next().unwrap_or_default().trim_matches(|c: char| !c.is_alphanumeric());
        // `Use cases are` and `Test: ...` begin with a noun.
        let third = words.next().unwrap_or_default();
        let states = |word: &str| matches!(word, "is" | "are" | "was" | "were" | "has" | "have");
        if clause.split(' ').next().is_some_and(|word| word.ends_with(':')) || states(third) {
            return None;
        }
        let plain = VERBS.contains(first)
            && !matches!(second, "is" | "are" | "was" | "has" | "must" | "should" | "can" | "may" | "needs");
        let verb = plain
            || VERBS_OR_NOUNS.contains(first) && (AFTER_VERB.contains(second) || second.starts_with('X'));
        let sure = if manner.point { 78 } else { 66 };
        verb.then_some(Cue { word: IMPERATIVE, negative: first == "avoid", sure, at: start + skipped })
    })
}
