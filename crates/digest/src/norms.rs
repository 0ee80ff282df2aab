//! Norms among the passages of a document.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use ken_core::Type;
use ken_core::kinds::Polarity;
use ken_core::words::{normalise_tag, one_line};
use ken_language::{Negation, split};
use regex::Regex;

use crate::cue::{self, CHECKLIST, Cue, DONE, IMPERATIVE, LESSON, Manner, RISK, blotted};
use crate::document::{Passage, Shape};
use crate::limits::{
    HEADING_WORDS_MAX, QUOTE_CHARS_MAX, RULING_PERCENT_MIN, RULING_SENTENCES_MIN, SENTENCE_CHARS_MAX,
    SENTENCE_WORDS_MIN, SUBJECT_WORDS_MAX, UNDECIDED_WORDS_MAX, UNDECIDED_WORDS_MIN, VOICE_ASKS_PERCENT_MIN,
    VOICE_DUTIES_MIN, VOICE_DUTIES_PERCENT_MIN, VOICE_SENTENCES_MIN,
};
use crate::tier::{self, Label, Tiered};
use crate::{Candidate, Place, Voice, enforcement, kind, sentence};

/// Sections that tell of other things than how to work.
static ASIDE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:[0-9.]+ )?(?:history|acknowledge?ments?|thanks?|thank you|credits|change ?log|release notes|who we are|about us|our story|licen[cs]e|table of contents|contents|references|glossary|examples?)\b")
        .expect("a constant")
});
/// Sections of rules.
static RULES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(?:conventions?|rules?|guidelines?|standards|invariants?|norms|(?:code|coding|commit|test|testing|team|engineering|naming|house|api|security) (?:style|principles?|polic(?:y|ies)|practices)|style ?guide|how we work|definition of done|expectations|dos? and don['’]?ts?)\b")
        .expect("a constant")
});
/// Headings that say so and nothing else.
static PLAIN_RULES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:[a-z-]+ )??(?:[a-z-]+ )??(?:conventions|guidelines|standards|style ?guide)$|^(?:(?:our|team|house|project|code|coding|style|engineering|development|naming|commit|testing|review) )*rules$")
        .expect("a constant")
});
/// Sections that tell how something is, or why.
static DESCRIBES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(?:architecture|structure|layout|layers|stack|components|features?|how it works|background|context|motivation|rationale|why|what|status|comparison|alternatives|roadmap|api reference|commands|configuration|options|benchmarks?|performance|limitations|support(?:ed)?|compatibility|directory|where to look|map)\b")
        .expect("a constant")
});
/// Sections whose orders are steps, and no norms.
static STEPS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(?:set ?up|setting up|install(?:ation|ing)?|getting started|quick ?start|first steps|usage|tutorial|prerequisites|how to run|building|troubleshooting|faq|frequently|questions|overview|introduction)\b")
        .expect("a constant")
});
/// Sections and leads whose points are all conditions of being done.
static DONE_LIST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\bdefinition of done\b|\b(?:is|are) (?:only )?(?:done|finished|complete|ready) (?:when|once|if)\b|\bacceptance criteria\b").expect("a constant")
});
/// Sections and leads whose boxes are to be ticked.
static CHECK_LIST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\bcheck ?list\b|\bbefore (?:you|opening|submitting|asking|merging|committing|pushing|requesting|a|your|the)\b|\breview|\bpull request|\bmerge\b|\brelease\b|\bdone\b").expect("a constant")
});
/// Leads whose points are nobody's duty.
static NO_DUTY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(?:may|can|could|optional|optionally|for example|examples?|e\.g|for instance|such as|include|includes|following (?:commands?|tools?|folders?|parts?))\b").expect("a constant")
});
/// The number that a clause of a policy begins with.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:\(?\d+(?:\.\d+)+[.):]?\s+|\(?\d{1,3}[.)]\s+|[A-Z]{1,4}-\d+[:.)]?\s+|\([a-z]\)\s+|§+\s*[\d.]+\s+)").expect("a constant")
});
/// Sentences that speak of what the one before named.
static SPEAKS_BACK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:but |and )?(?:it|they|them|these|those|this|such|its|their|instead|otherwise)\b|^(?:if|when|unless) [^,]{1,50}\bone\b[^,]{0,20}, (?:it|they)\b|^[a-z]+ (?:it|them)\b|^(?:needs|requires) |\binstead\.?$").expect("a constant")
});
static MODAL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?:must|should|shall|may not|has to|have to)\b").expect("a constant"));
static PRONOUN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?:it|they|its|their)\b").expect("a constant"));
static EMPTY_HEADING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:[a-z]+ )?(?:rules?|guidelines?|general|notes?|requirements|instructions.*|principles|basics|conventions|tips|dos?|do['’]s|always|other notes|contributing.*|how to contribute)$").expect("a constant")
});
/// Headings that forbid what is below them.
static FORBIDS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^[^a-z]*(?:the )?(?:don['’]?ts?|do nots?|never|never(?: ever)? do(?: this| these| any of these)?|what not to do|things (?:not to do|we (?:don['’]t|never) do)|(?:strictly )?(?:forbidden|prohibited|not allowed))[^a-z]*$")
        .expect("a constant")
});
static PATH: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[A-Za-z0-9_.*-]+(?:/[A-Za-z0-9_.*-]*)+").expect("a constant"));

/// Whether a text in small letters denies or condemns something.
pub(crate) fn denies(lower: &str) -> bool {
    split::words(lower, &['\'', '’', '_']).any(|word| {
        Negation::Heading.contains(word)
            || word.starts_with("avoid")
            || word.ends_with("n't")
            || word.ends_with("n’t")
    })
}

/// The candidates of some passages; `at` makes a place of lines.
pub(crate) fn norms(passages: &[Passage], voice: Voice, at: &dyn Fn(u32, u32) -> Place) -> Vec<Candidate> {
    let ruling = Ruling::read(passages, voice);
    passages.iter().flat_map(|passage| of_passage(passage, ruling.rules(passage), voice, at)).collect()
}

/// Sections in which how things are is how they have to be.
struct Ruling<'a>(BTreeMap<&'a [String], Section>);

/// What is known of a section.
struct Section {
    /// What the nearest heading that tells makes of it: rules, or something else.
    told: Option<bool>,
    /// Most of its sentences ask for something.
    asks: bool,
}

impl<'a> Ruling<'a> {
    /// The nearest heading that tells decides; where none does, a list of a guide that mostly asks for something is one of rules.
    fn read(passages: &'a [Passage], voice: Voice) -> Ruling<'a> {
        let mut asked: BTreeMap<&[String], (usize, usize)> = BTreeMap::new();
        for passage in passages.iter().filter(|passage| !matches!(passage.shape, Shape::Row(_))) {
            let (all, asks) = asked.entry(&passage.headings).or_default();
            if voice != Voice::Instructions {
                continue;
            }
            let (from, to) = body(passage);
            for (from, to) in sentence::sentences(passage, from, to) {
                let seen = blotted(&passage.text[from..to], &|at| passage.is_code(from + at));
                *all += usize::from(seen.split_whitespace().count() >= UNDECIDED_WORDS_MIN);
                *asks += usize::from(cue::cue(&seen, cue::ANY).is_some());
            }
        }
        let section = |headings: &[String], (all, asks): (usize, usize)| {
            let last = headings.len().saturating_sub(1);
            let told = headings.iter().enumerate().rev().find_map(|(at, heading)| {
                let heading = heading.to_lowercase();
                let heading = NUMBER.replace(&heading, "");
                // The title of a page and a heading in prose have to say it, and nothing else.
                let rules = match (voice, at) {
                    (Voice::Instructions, at) if at > 0 || last == 0 => RULES.is_match(&heading),
                    (Voice::Instructions, _) => PLAIN_RULES.is_match(heading.trim()),
                    (Voice::Reference | Voice::Talk, at) => {
                        at == last && PLAIN_RULES.is_match(heading.trim())
                    }
                };
                match DESCRIBES.is_match(&heading) || STEPS.is_match(&heading) {
                    true => Some(false),
                    false => rules.then_some(true),
                }
            });
            Section { told, asks: asks >= RULING_SENTENCES_MIN && asks * 100 >= all * RULING_PERCENT_MIN }
        };
        Ruling(asked.into_iter().map(|(headings, counts)| (headings, section(headings, counts))).collect())
    }

    fn rules(&self, passage: &Passage) -> bool {
        let Some(section) = self.0.get(passage.headings.as_slice()) else { return false };
        section.told.unwrap_or_else(|| {
            // A paragraph of several sentences explains some of them by the others.
            let (from, to) = body(passage);
            section.asks
                && (passage.shape != Shape::Paragraph || sentence::sentences(passage, from, to).len() == 1)
        })
    }
}

/// Whether passages mostly say what is to be done: some with a verb of duty, and half of them in any form. A walk-through has orders alone.
pub(crate) fn asks_mostly(passages: &[Passage]) -> bool {
    let (mut all, mut duties, mut asks) = (0, 0, 0);
    for passage in passages.iter().filter(|passage| !matches!(passage.shape, Shape::Row(_))) {
        let is_walk = passage.headings.iter().any(|heading| STEPS.is_match(&heading.to_lowercase()));
        let (from, to) = body(passage);
        for (from, to) in sentence::sentences(passage, from, to) {
            let words = passage.text[from..to].split_whitespace().count();
            if words < UNDECIDED_WORDS_MIN || to - from > SENTENCE_CHARS_MAX {
                continue;
            }
            let seen = blotted(&passage.text[from..to], &|at| passage.is_code(from + at));
            all += 1;
            // Whoever speaks of `name` describes something, and asks nobody for anything.
            duties += usize::from(!seen.starts_with('X') && cue::is_duty(&seen));
            asks += usize::from(!is_walk && cue::cue(&seen, cue::ANY).is_some());
        }
    }
    all >= VOICE_SENTENCES_MIN
        && duties >= VOICE_DUTIES_MIN
        && duties * 100 >= all * VOICE_DUTIES_PERCENT_MIN
        && asks * 100 >= all * VOICE_ASKS_PERCENT_MIN
}

/// Sentences that are no norm by the rules and may be one: a duty of something that is no person, and in instructions how something always is.
pub(crate) fn undecided(
    passages: &[Passage],
    voice: Voice,
    at: &dyn Fn(u32, u32) -> Place,
) -> Vec<Candidate> {
    let mut found = Vec::new();
    let ruling = Ruling::read(passages, voice);
    for passage in passages.iter().filter(|passage| !matches!(passage.shape, Shape::Row(_))) {
        let above: Vec<String> = passage.headings.iter().map(|heading| heading.to_lowercase()).collect();
        let is_aside = above.iter().any(|heading| ASIDE.is_match(NUMBER.replace(heading, "").trim()));
        let lead = passage.lead.as_deref().unwrap_or_default().to_lowercase();
        if is_aside || NO_DUTY.is_match(&lead) {
            continue;
        }
        let known = of_passage(passage, ruling.rules(passage), voice, at);
        let (from, to) = body(passage);
        for (from, to) in sentence::sentences(passage, from, to) {
            let words = passage.text[from..to].split_whitespace().count();
            let seen = blotted(&passage.text[from..to], &|at| passage.is_code(from + at));
            let is_known = |norm: &Candidate| {
                let sentence = one_line(&passage.text[from..to], QUOTE_CHARS_MAX);
                norm.quote.contains(&sentence) || sentence.contains(&norm.quote)
            };
            let fits = (UNDECIDED_WORDS_MIN..=UNDECIDED_WORDS_MAX).contains(&words) && !seen.ends_with(':');
            if !fits || known.iter().any(is_known) {
                continue;
            }
            let sure = match (cue::is_duty(&seen), cue::is_habit(&seen)) {
                (true, _) => 60,
                (false, true) if voice == Voice::Instructions => 50,
                (false, _) => continue,
            };
            let cue = Cue { word: cue::ASKED, negative: denies(&seen), sure, at: 0 };
            found.extend(candidate(passage, from, to, &cue, None, voice, at));
        }
    }
    found
}

fn of_passage(
    passage: &Passage,
    rules: bool,
    voice: Voice,
    at: &dyn Fn(u32, u32) -> Place,
) -> Vec<Candidate> {
    let above: Vec<String> = passage.headings.iter().map(|heading| heading.to_lowercase()).collect();
    if above.iter().any(|heading| ASIDE.is_match(NUMBER.replace(heading, "").trim())) {
        return Vec::new();
    }
    if let Shape::Row(cells) = &passage.shape {
        return of_row(passage, cells, voice, at).into_iter().collect();
    }
    let near = above.last().map(String::as_str).unwrap_or_default();
    let lead = passage.lead.as_deref().unwrap_or_default().to_lowercase();
    let point = passage.shape != Shape::Paragraph;
    if point && NO_DUTY.is_match(&lead) && !DONE_LIST.is_match(&lead) {
        return Vec::new();
    }
    let steps = above.iter().skip(1).any(|heading| STEPS.is_match(heading));
    let guide = voice == Voice::Instructions;
    let manner = Manner { orders: guide && !steps, guide, point, people: voice == Voice::Reference };
    if point && let Some(tier) = below_tier(passage, near, &lead, voice, at) {
        return vec![tier];
    }
    if point && let Some(cue) = inherited(passage, voice, near, &lead) {
        let (from, to) = body(passage);
        return candidate(passage, from, to, &cue, None, voice, at).into_iter().collect();
    }
    let (from, to) = body(passage);
    let sentences = sentence::sentences(passage, from, to);
    let mut found = Vec::new();
    let mut told = 0;
    for (number, (from, to)) in sentences.iter().copied().enumerate() {
        if number < told {
            continue;
        }
        if let Some((tier, taken)) = labelled(passage, &sentences[number..], near, manner, voice, at) {
            told = number + taken;
            found.push(tier);
            continue;
        }
        let before = number.checked_sub(1).map(|before| sentences[before]);
        // What it asks for is in the list or the code below; and a sentence without end is none.
        if passage.text[from..to].ends_with(':') || to - from > 4 * SENTENCE_CHARS_MAX {
            continue;
        }
        let mut parts = parts(passage, from, to, manner);
        if rules && parts.is_empty() && voice != Voice::Talk {
            parts.extend(habit(passage, from, to));
        }
        for part in parts {
            found.extend(candidate(
                passage,
                part.from,
                part.to,
                &part.cue,
                part.subject.as_deref().or(back(passage, from, to, before).as_deref()),
                voice,
                at,
            ));
        }
    }
    found
}

/// A tier that a label begins, such as `High risk: anything in auth/. Needs two reviewers.`, and how many sentences it takes. What such
/// changes need is no duty of all the others.
fn labelled(
    passage: &Passage,
    sentences: &[(usize, usize)],
    near: &str,
    manner: Manner,
    voice: Voice,
    at: &dyn Fn(u32, u32) -> Place,
) -> Option<(Candidate, usize)> {
    let seen = |from: usize, to: usize| blotted(&passage.text[from..to], &|at| passage.is_code(from + at));
    let (from, mut end) = *sentences.first().filter(|_| voice != Voice::Talk)?;
    let label = Label::parse(&seen(from, end))?;
    let area = passage.text[from + label.end..end].trim().trim_end_matches('.').to_owned();
    let is_norm = |from, to| {
        let orders = Manner { orders: true, ..manner };
        cue::cue(&seen(from, to), orders).is_some_and(|cue| cue.word != RISK)
    };
    // Whoever says it in one sentence has said of what; it is read like any other.
    if area.is_empty() || area.len() > SENTENCE_CHARS_MAX / 3 || is_norm(from + label.end, end) {
        return None;
    }
    let mut needs = Vec::new();
    for (from, to) in sentences.iter().copied().skip(1) {
        let lower = seen(from, to);
        let goes_on = tier::goes_on(&lower);
        let begins = needs.is_empty() && is_norm(from, to) && tier::is_need(&lower);
        if !(goes_on || begins) {
            break;
        }
        let words = passage.text[from..to].trim().trim_end_matches('.');
        let is_word = words
            .split_whitespace()
            .next()
            .is_some_and(|word| word.chars().count() > 1 && word.chars().all(|c| c.is_ascii_uppercase()));
        needs.push(small(words, is_word || passage.is_code(from)));
        end = to;
    }
    let asked = needs.iter().any(|need| tier::is_need(&need.to_lowercase()));
    if !(label.says_risk || tier::is_about_risk(near) || asked) {
        return None;
    }
    let taken = 1 + needs.len();
    let tiered = Tiered { word: label.word, area, needs };
    Some((of_tier(passage, from, end, &tiered, voice, at), taken))
}

/// A point of a list that is all about one tier: what falls into it, or what it needs.
fn below_tier(
    passage: &Passage,
    near: &str,
    lead: &str,
    voice: Voice,
    at: &dyn Fn(u32, u32) -> Place,
) -> Option<Candidate> {
    let above = if lead.is_empty() { near } else { lead };
    let word = tier::of_list(NUMBER.replace(above, "").trim()).filter(|_| voice != Voice::Talk)?;
    let (from, to) = body(passage);
    let area = passage.text[from..to].trim().trim_end_matches(['.', ';', ',']).to_owned();
    let fits = area.chars().count() <= SENTENCE_CHARS_MAX && !area.is_empty() && !area.ends_with('?');
    let tiered = Tiered { word, area, needs: Vec::new() };
    fits.then(|| of_tier(passage, from, to, &tiered, voice, at))
}

fn of_tier(
    passage: &Passage,
    from: usize,
    to: usize,
    tiered: &Tiered,
    voice: Voice,
    at: &dyn Fn(u32, u32) -> Place,
) -> Candidate {
    let (first, last) = passage.lines(from, to);
    Candidate {
        kind: Type::RiskTier,
        statement: tiered.labelled_statement(),
        polarity: Polarity::Positive,
        place: at(first, last),
        quote: one_line(&passage.text[from..to], QUOTE_CHARS_MAX),
        cue: RISK.to_owned(),
        tags: tags(&passage.headings),
        confidence: if voice == Voice::Instructions { 84 } else { 74 },
        enforcement: tiered.enforcement(),
    }
}

/// A passage without the number in front of it.
fn body(passage: &Passage) -> (usize, usize) {
    let start = NUMBER.find(&passage.text).filter(|_| !passage.is_code(0)).map_or(0, |number| number.end());
    (start, passage.text.len())
}

/// What a box, a heading or a lead makes of a point, whatever its own words are.
fn inherited(passage: &Passage, voice: Voice, near: &str, lead: &str) -> Option<Cue> {
    let cue = |word, sure| Some(Cue { word, negative: false, sure, at: 0 });
    if passage.text.trim_end().ends_with('?') {
        return None;
    }
    if is_forbidden_below(passage, voice) {
        return Some(Cue { word: "do not", negative: true, sure: 86, at: 0 });
    }
    if DONE_LIST.is_match(near) || DONE_LIST.is_match(lead) {
        return cue(DONE, 88);
    }
    if passage.shape == Shape::Box
        && (voice == Voice::Instructions || CHECK_LIST.is_match(near) || CHECK_LIST.is_match(lead))
    {
        return cue(CHECKLIST, 84);
    }
    // `You must:` makes duties of its points, `Never:` makes them forbidden.
    let lead = lead.trim_end_matches([':', ' ']);
    let short = !lead.is_empty() && lead.split_whitespace().count() <= SUBJECT_WORDS_MAX;
    let manner = Manner { orders: false, guide: false, point: false, people: false };
    let given = if short { cue::cue(&format!("{lead} x"), manner) } else { None };
    given.filter(|given| given.sure >= 85 && lead.len() - given.at < 24)
}

/// Whether the heading forbids its points: `Don'ts`, `Never`. A point that says so itself needs no heading for it.
fn is_forbidden_below(passage: &Passage, voice: Voice) -> bool {
    let heading = passage.headings.last().map(|heading| heading.to_lowercase()).unwrap_or_default();
    let heading = NUMBER.replace(&heading, "");
    let own = passage.text.to_lowercase();
    let introduced = passage.lead.is_some();
    voice != Voice::Talk && !introduced && FORBIDS.is_match(heading.trim()) && !denies(&own)
}

/// A sentence, or a half of one, that is a norm.
struct Part {
    from: usize,
    to: usize,
    cue: Cue,
    subject: Option<String>,
}

/// A sentence that says how all things of a kind are.
fn habit(passage: &Passage, from: usize, to: usize) -> Option<Part> {
    let seen = blotted(&passage.text[from..to], &|at| passage.is_code(from + at));
    let fits = (UNDECIDED_WORDS_MIN..=UNDECIDED_WORDS_MAX).contains(&seen.split_whitespace().count());
    let cue = Cue { word: cue::HABIT, negative: denies(&seen), sure: 66, at: 0 };
    (fits && cue::is_practice(&seen)).then_some(Part { from, to, cue, subject: None })
}

/// A sentence as one norm, or as two if both halves are whole ones.
fn parts(passage: &Passage, from: usize, to: usize, manner: Manner) -> Vec<Part> {
    let seen = blotted(&passage.text[from..to], &|at| passage.is_code(from + at));
    let Some(whole) = cue::cue(&seen, manner) else { return Vec::new() };
    let whole = Part { from, to, cue: whole, subject: None };
    if whole.cue.word == LESSON || whole.cue.word == DONE {
        return vec![whole];
    }
    for (end, start) in sentence::joints(passage, from, to) {
        let (left, right) = (&seen[..end - from], &seen[start - from..]);
        let joint = &passage.text[end..start];
        let plain =
            Manner { orders: joint == ", but ", guide: manner.guide, point: false, people: manner.people };
        let (Some(one), Some(other)) = (
            cue::cue(left, Manner { orders: manner.orders && joint == ", but ", ..plain }),
            cue::cue(right, plain),
        ) else {
            continue;
        };
        // Without a comma only two verbs of duty make two norms.
        let modal = MODAL.is_match(right);
        if joint == " and " && !(modal && MODAL.is_match(&left[one.at..])) {
            continue;
        }
        if one.word == RISK || other.word == RISK || other.word == "only" && joint == " and " {
            continue;
        }
        let subject = subject(&passage.text[from..end], &one);
        let borrowed = match modal || PRONOUN.is_match(right) {
            true => subject,
            false => condition(&passage.text[from..end], left),
        };
        let first = Part { from, to: end, cue: one, subject: None };
        let mut rest = parts(passage, start, to, Manner { orders: false, ..manner });
        if rest.is_empty() {
            rest.push(Part { from: start, to, cue: other, subject: None });
        }
        for part in &mut rest {
            part.subject = part.subject.take().or_else(|| borrowed.clone());
        }
        return std::iter::once(first).chain(rest).collect();
    }
    vec![whole]
}

/// The words before a cue, if they are few enough to be its subject.
fn subject(text: &str, cue: &Cue) -> Option<String> {
    let words = text.get(..cue.at)?.trim().trim_end_matches([',', ':']);
    let words = words.rsplit(": ").next().unwrap_or(words);
    let few = (1..=SUBJECT_WORDS_MAX).contains(&words.split_whitespace().count());
    few.then(|| words.to_owned())
}

/// The condition that a sentence begins with; it holds for both halves.
fn condition(text: &str, seen: &str) -> Option<String> {
    let begins = seen.starts_with("if ") || seen.starts_with("when ") || seen.starts_with("unless ");
    let (front, _) = text.split_once(", ").filter(|_| begins)?;
    Some(format!("{front},"))
}

/// The sentence before, if this one speaks of something that only it names.
fn back(passage: &Passage, from: usize, to: usize, before: Option<(usize, usize)>) -> Option<String> {
    let (start, end) = before?;
    let own = passage.text[from..to].to_lowercase();
    let short = end - start <= SENTENCE_CHARS_MAX / 3;
    (short && SPEAKS_BACK.is_match(&own)).then(|| passage.text[start..end].trim().to_owned())
}

fn candidate(
    passage: &Passage,
    from: usize,
    to: usize,
    cue: &Cue,
    context: Option<&str>,
    voice: Voice,
    at: &dyn Fn(u32, u32) -> Place,
) -> Option<Candidate> {
    let words = passage.text[from..to].trim();
    if words.chars().count() > SENTENCE_CHARS_MAX || words.split_whitespace().count() < SENTENCE_WORDS_MIN {
        return None;
    }
    if voice == Voice::Talk && !meant_for_always(&words.to_lowercase(), cue) {
        return None;
    }
    let statement = statement(passage, words, passage.is_code(from), cue, context, voice);
    let lower = statement.to_lowercase();
    let kind = kind::entry_type(&lower, &passage.headings, cue);
    let negative = cue.negative || lower.starts_with("no ");
    let names = names(passage, from, to, context);
    let enforcement = enforcement::enforcement(&enforcement::NormSentence {
        lower: &passage.text[from..to].to_lowercase(),
        names: &names,
        negative,
        cue: cue.word,
    });
    let (first, last) = passage.lines(from, to);
    let less = if voice == Voice::Instructions || cue.sure >= 90 { 0 } else { 10 };
    Some(Candidate {
        kind,
        statement,
        polarity: if negative { Polarity::Negative } else { Polarity::Positive },
        place: at(first, last),
        quote: one_line(&passage.text[from..to], QUOTE_CHARS_MAX),
        cue: cue.word.to_owned(),
        tags: tags(&passage.headings),
        confidence: cue.sure - less,
        // A tier classifies changes; it is no check of them.
        enforcement: enforcement.filter(|value| (value["kind"] == "tier") == (kind == Type::RiskTier)),
    })
}

/// In a conversation most requests are about one change: only what is said of all of them is a norm.
fn meant_for_always(lower: &str, cue: &Cue) -> bool {
    static ALWAYS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\bnever\b|\balways\b|\bfrom now on\b|\bin future\b|\bin the future\b|\bin this (?:repo|repository|codebase|project)\b|\bwe (?:don['’]t|do not|require|expect)\b|\b(?:all|every|each|any) (?:new )?[a-z]+s? (?:must|should|needs?|has to|have to)\b|\bour (?:convention|policy|rule)s?\b")
            .expect("a constant")
    });
    ALWAYS.is_match(lower) || matches!(cue.word, CHECKLIST | LESSON | DONE | cue::CONVENTIONAL | cue::ASKED)
}

/// What it says, so that it can be understood alone.
fn statement(
    passage: &Passage,
    words: &str,
    is_name: bool,
    cue: &Cue,
    context: Option<&str>,
    voice: Voice,
) -> String {
    let words = words.trim_end_matches([';', ',', ':', ' ']).trim();
    let heading = || {
        let heading = passage.headings.iter().skip(usize::from(passage.headings.len() > 1)).next_back()?;
        let heading = NUMBER.replace(heading, "").trim().to_owned();
        let fits = (1..=HEADING_WORDS_MAX).contains(&heading.split_whitespace().count())
            && passage.headings.len() > 1;
        // `What not to do: add a version` would say the opposite.
        let lower = heading.to_lowercase();
        let denies = denies(&lower) || FORBIDS.is_match(&lower);
        // `Cargo: never run it` has its subject, and `Rules` is none.
        let labelled = words.split_once(": ").is_some_and(|(label, _)| label.split_whitespace().count() <= 4);
        let empty = EMPTY_HEADING.is_match(&lower);
        (fits && !denies && !labelled && !empty && !shares_word(&heading, words)).then_some(heading)
    };
    let lead = passage.lead.as_deref().map(|lead| lead.trim().trim_end_matches(':').trim().to_owned());
    let front = match (context, lead) {
        (Some(context), _) if context.ends_with([',', '.', '!']) => Some((context.to_owned(), " ")),
        (Some(context), _) if MODAL.is_match(&words.to_lowercase()) => Some((context.to_owned(), " ")),
        (Some(context), _) => Some((context.to_owned(), ": ")),
        (None, Some(lead))
            if cue.at == 0 && matches!(cue.word, DONE | CHECKLIST) || lead_speaks(passage, cue) =>
        {
            Some((
                passage.lead.as_deref().map_or(lead, |lead| lead.trim().trim_end_matches(':').to_owned()),
                " ",
            ))
        }
        (None, _) => {
            let elliptic = matches!(cue.word, IMPERATIVE | "no" | "do not" | "one per" | CHECKLIST | DONE)
                || cue.at == 0 && matches!(cue.word, "never" | "always" | "please" | "needs" | "requires");
            heading().filter(|_| elliptic).map(|heading| (heading, ": "))
        }
    };
    let front = match is_forbidden_below(passage, voice) && passage.shape != Shape::Paragraph {
        true => Some(forbidding(words)),
        false => front,
    };
    let words = match &front {
        Some((front, _)) if front == DO_NOT => small(words, is_name),
        Some(_) | None => words.to_owned(),
    };
    let begins_with_name = front.is_none() && is_name;
    let text = match front {
        Some((front, joint)) => format!("{front}{joint}{words}"),
        None => words,
    };
    let mut letters = text.chars();
    match letters.next() {
        // A name is written as it is.
        Some(_) if begins_with_name => text,
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => text,
    }
}

const DO_NOT: &str = "Do not";

/// What a heading such as `Don'ts` puts in front of its points: `Do not commit secrets`, `Not allowed: force-pushing`.
fn forbidding(words: &str) -> (String, &'static str) {
    let first = words.split_whitespace().next().unwrap_or_default().to_lowercase();
    match cue::is_verb(first.trim_matches(|c: char| !c.is_alphanumeric())) {
        true => (DO_NOT.to_owned(), " "),
        false => ("Not allowed".to_owned(), ": "),
    }
}

/// Some words as they stand inside a sentence.
fn small(words: &str, is_name: bool) -> String {
    let mut letters = words.chars();
    match letters.next() {
        Some(first) if !is_name => first.to_lowercase().chain(letters).collect(),
        Some(_) | None => words.to_owned(),
    }
}

/// Whether the norm is in the lead and the point only completes it.
fn lead_speaks(passage: &Passage, cue: &Cue) -> bool {
    let says = |text: &str| {
        let lower = text.to_lowercase().replace('’', "'");
        lower.contains(cue.word) || cue.word == "do not" && lower.contains("don't")
    };
    passage.lead.as_deref().is_some_and(says) && !says(&passage.text)
}

/// Whether a heading and some words have a word in common, but for its ending.
fn shares_word(heading: &str, words: &str) -> bool {
    let stem = |word: &str| word.chars().take(5).collect::<String>();
    let stems = |text: &str| -> Vec<String> {
        text.to_lowercase()
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| word.len() > 3)
            .map(stem)
            .collect()
    };
    let said = stems(words);
    stems(heading).iter().any(|word| said.contains(word))
}

/// The headings below the title, as labels.
fn tags(headings: &[String]) -> Vec<String> {
    let below = headings.iter().skip(usize::from(headings.len() > 1));
    let mut tags: Vec<String> = below
        .filter_map(|heading| {
            let words: String = NUMBER
                .replace(heading, "")
                .chars()
                .map(|c| if c.is_alphanumeric() { c } else { ' ' })
                .collect();
            let few = words.split_whitespace().take(5).collect::<Vec<_>>().join(" ");
            normalise_tag(&few).ok()
        })
        .collect();
    tags.sort();
    tags.dedup();
    tags
}

/// The names of files in a sentence, with where they stand; those of the sentence it speaks back to come first.
fn names(passage: &Passage, from: usize, to: usize, context: Option<&str>) -> Vec<(usize, String)> {
    let text = &passage.text[from..to];
    let mut found: Vec<(usize, String)> = passage
        .code_in(from, to)
        .iter()
        .map(|(start, end)| (start - from, passage.text[*start..*end].to_owned()))
        .filter(|(_, name)| enforcement::glob(name).is_some())
        .collect();
    let bare = PATH
        .find_iter(text)
        .filter(|met| !passage.is_code(from + met.start()))
        .filter(|met| !text[..met.start()].ends_with(':'));
    found.extend(
        bare.filter(|met| met.as_str().ends_with('/') || met.as_str().contains('*'))
            .map(|met| (met.start(), met.as_str().to_owned())),
    );
    if found.is_empty()
        && let Some(context) = context
    {
        found.extend(
            PATH.find_iter(context)
                .filter(|met| met.as_str().ends_with('/'))
                .map(|met| (0, met.as_str().to_owned())),
        );
    }
    found.sort();
    found
}

/// A row of a table: a requirement with its level, an area with its tier, or a sentence that says so itself.
fn of_row(
    passage: &Passage,
    cells: &[(String, String)],
    voice: Voice,
    at: &dyn Fn(u32, u32) -> Place,
) -> Option<Candidate> {
    static LEVEL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"^(?:must(?: not)?|shall(?: not)?|should(?: not)?|required|mandatory|forbidden|recommended)$",
        )
        .expect("a constant")
    });
    let is_number =
        |cell: &str| cell.split_whitespace().count() == 1 && cell.chars().any(|c| c.is_ascii_digit());
    let (first, last) = passage.lines(0, passage.text.len());
    let made = |kind, statement: String, negative: bool, word: &str, sure, enforcement| Candidate {
        kind,
        statement,
        polarity: if negative { Polarity::Negative } else { Polarity::Positive },
        place: at(first, last),
        quote: one_line(
            &cells.iter().map(|(_, cell)| cell.as_str()).collect::<Vec<_>>().join(" | "),
            QUOTE_CHARS_MAX,
        ),
        cue: word.to_owned(),
        tags: tags(&passage.headings),
        confidence: sure,
        enforcement,
    };
    let level = cells.iter().find(|(_, cell)| LEVEL.is_match(&cell.to_lowercase()));
    if let Some((_, level)) = level {
        let said = cells
            .iter()
            .filter(|(_, cell)| cell != level && !is_number(cell))
            .max_by_key(|(_, cell)| cell.len())?;
        let negative = level.to_lowercase().contains("not") || level.eq_ignore_ascii_case("forbidden");
        let (word, sure) =
            if level.to_lowercase().starts_with("should") { ("should", 85) } else { ("must", 92) };
        let cue = Cue { word, negative, sure, at: 0 };
        let lower = said.1.to_lowercase();
        return Some(made(
            kind::entry_type(&lower, &passage.headings, &cue),
            format!("{}: {}", level.to_uppercase(), said.1),
            negative,
            word,
            sure,
            None,
        ));
    }
    if let Some((tiered, order)) = Tiered::of_row(cells) {
        let enforcement = tiered.enforcement();
        return Some(made(Type::RiskTier, tiered.statement(order), false, RISK, 86, enforcement));
    }
    let manner = Manner {
        orders: false,
        guide: voice == Voice::Instructions,
        point: false,
        people: voice == Voice::Reference,
    };
    let (number, (_, said), cue) = cells.iter().enumerate().find_map(|(number, cell)| {
        let found = cue::cue(&cell.1.to_lowercase(), manner).filter(|cue| cue.sure >= 85)?;
        Some((number, cell, found))
    })?;
    let subject =
        cells.first().filter(|_| number > 0).map(|(_, first)| first).filter(|first| !is_number(first));
    let statement = subject.map_or_else(|| said.clone(), |subject| format!("{subject}: {said}"));
    let kind = kind::entry_type(&statement.to_lowercase(), &passage.headings, &cue);
    Some(made(kind, statement, cue.negative, cue.word, cue.sure - 5, None))
}
