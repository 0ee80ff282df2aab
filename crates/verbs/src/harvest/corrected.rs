//! What the person says for always: corrections that state a convention.
//!
//! Only the person's own turns are read. A sentence counts if it is general and not meant for one occasion, not asked, and not taken back later.

use ken_hosts::transcript::{Act, Turn};
use ken_language::WordList;

use super::Draft;
use super::concluded::kind_of_person;
use super::said::{Sentence, identifiers, joined, sentences, tokens, typed};
use crate::limits::harvest::{GENERAL_WORDS_MIN, PERSON_CHARS_MAX, SHARED_WORDS_MIN, STATEMENT_CHARS_MAX};

static STANDING: WordList = WordList::new(include_str!("../../words/harvest/standing.txt"));
static ONE_OFF: WordList = WordList::new(include_str!("../../words/harvest/one_off.txt"));
static DUTY: WordList = WordList::new(include_str!("../../words/harvest/duty.txt"));
static NOT_HABIT: WordList = WordList::new(include_str!("../../words/harvest/not_habit.txt"));
static COMPLAINT: WordList = WordList::new(include_str!("../../words/harvest/complaint.txt"));
static RELAYING: WordList = WordList::new(include_str!("../../words/harvest/relaying.txt"));
static DROPPED: WordList = WordList::new(include_str!("../../words/harvest/dropped.txt"));
static WITHDRAWN: WordList = WordList::new(include_str!("../../words/harvest/withdrawn.txt"));

pub(super) fn drafts(turns: &[Turn]) -> Vec<Draft> {
    let person: Vec<(usize, &Turn, &str)> = turns
        .iter()
        .enumerate()
        .filter_map(|(at, turn)| match &turn.act {
            Act::Asked(text) if turn.agent.is_none() => Some((at, turn, text.as_str())),
            _ => None,
        })
        .collect();
    let mut found = Vec::new();
    for (number, (at, turn, text)) in person.iter().enumerate() {
        if text.chars().count() > PERSON_CHARS_MAX {
            // Somebody pasted a document; what of it they mean is not known.
            continue;
        }
        let all = typed(text);
        let is_answer =
            turns[..*at].iter().any(|turn| turn.agent.is_none() && !matches!(turn.act, Act::Asked(_)));
        let general: Vec<&Sentence> = all.iter().filter(|one| is_general(one, is_answer)).collect();
        if general.is_empty() || all.iter().any(|one| one.has(&WITHDRAWN)) {
            continue;
        }
        let later: Vec<&str> = person[number + 1..].iter().map(|(_, _, text)| *text).collect();
        if is_withdrawn(&general, &later) {
            continue;
        }
        let statement = without_answer(&joined(general.iter().copied(), STATEMENT_CHARS_MAX));
        let kind = kind_of_person(&statement);
        let rest: Vec<&Sentence> = all.iter().filter(|one| !general.contains(one)).collect();
        let after = turns[at + 1..].iter().take_while(|turn| !matches!(turn.act, Act::Asked(_)));
        let reply = after.clone().find(|turn| matches!(turn.act, Act::Said(_)) && turn.agent.is_none());
        // How the agent understood it, and the file it was corrected in.
        let understood = reply.and_then(|turn| match &turn.act {
            Act::Said(text) => Some(joined(&sentences(text), STATEMENT_CHARS_MAX)),
            _ => None,
        });
        let rest = [joined(rest, STATEMENT_CHARS_MAX), understood.unwrap_or_default()].join("\n");
        found.push(Draft {
            detail: Some(rest.trim().to_owned()).filter(|rest| !rest.is_empty()),
            lines: (turn.lines.0, reply.map_or(turn.lines.1, |turn| turn.lines.1)),
            ..Draft::new(kind, statement)
        });
    }
    found
}

/// Whether a sentence of a person is meant for always.
fn is_general(one: &Sentence, is_answer: bool) -> bool {
    if one.is_question() || one.has(&ONE_OFF) || one.is_hedged() || one.words().count() < GENERAL_WORDS_MIN {
        return false;
    }
    if is_conditional(one) || speaks_of_self(one) || is_past(one) || one.has(&COMPLAINT) || is_relayed(one) {
        return false;
    }
    // `The banner should never overlap` is what to build, and not how things are built here.
    let standing = one.has(&STANDING) && (!is_task(one) || habit(one) || one.has(LOCAL));
    if standing && (habit(one) || one.has(&DUTY) || is_order(one) || from_now_on(one)) {
        return true;
    }
    // Without a word for always, or without a duty, only what is said back to the agent corrects it.
    is_answer
        && (standing && !tells_of_events(one)
            || habit(one) && contrasts(one)
            || is_rule(one)
            || is_universal(one))
}

/// Words that make a rule of the project out of a sentence, whatever it is about.
const LOCAL: &[&str] = &[
    "in this repo",
    "in this repository",
    "in this project",
    "in this codebase",
    "in this code base",
    "in our codebase",
    "in our code base",
    "in our repo",
    "from now on",
    "going forward",
    "the rule is",
    "the rule here",
    "the convention is",
    "the convention here",
    "our rule",
    "our convention",
    "our policy",
    "our standard",
    "house rule",
    "remember this",
];

/// Whether a sentence tells what to build or to change: it begins with such an order, or with one thing.
fn is_task(one: &Sentence) -> bool {
    const BUILDING: &[&str] = &[
        "make",
        "let",
        "ensure",
        "show",
        "add",
        "fix",
        "change",
        "move",
        "rename",
        "update",
        "set",
        "remove",
        "hide",
        "write",
        "create",
        "implement",
        "render",
        "return",
        "the",
        "this",
        "that",
        "it",
        "its",
        "can",
        "could",
        "also",
        "there",
    ];
    const BEFORE: &[&str] =
        &["no", "nope", "and", "but", "so", "ok", "okay", "yes", "hey", "hm", "please", "then", "now"];
    let first = one.words().find(|word| !BEFORE.contains(word)).unwrap_or_default();
    BUILDING.contains(&first)
}

/// Whether `always` or `never` tells how something behaves: `it never happens`, `that never worked`. `Are always prefixed` tells how it is done.
fn tells_of_events(one: &Sentence) -> bool {
    let words: Vec<&str> = one.words().collect();
    words.iter().enumerate().any(|(at, word)| {
        if !["always", "never"].contains(word) {
            return false;
        }
        let before = at.checked_sub(1).map(|at| words[at]).unwrap_or_default();
        let next = words.get(at + 1).copied().unwrap_or_default();
        let is_state = ["is", "are", "be", "must", "should"].contains(&before);
        !is_state && next.len() > 3 && (next.ends_with("ed") || next.ends_with('s') || next.ends_with("en"))
    })
}

/// Whether a habit is held against something else, or names what it is about: `we use pnpm here, not npm`.
fn contrasts(one: &Sentence) -> bool {
    const OPENING: &[&str] =
        &["no", "nope", "nah", "actually", "wait", "stop", "don't", "not", "please", "fyi"];
    OPENING.contains(&one.first())
        || one.has(&[
            "here",
            "instead",
            "instead of",
            "rather than",
            "not",
            "don't",
            "never",
            "only",
            "otherwise",
        ])
        || !identifiers(&one.text).is_empty()
}

/// `Only x may ...`, `must never`, `no x in y please`.
fn is_rule(one: &Sentence) -> bool {
    let only = one.first() == "only" && one.has(&["may", "can", "should", "is allowed to", "are allowed to"]);
    only || one.has(&["may only", "must never", "must not", "is not allowed", "are not allowed"])
}

/// `It's x everywhere`: told of everything, and no task to do everywhere.
fn is_universal(one: &Sentence) -> bool {
    let declares = one.has(&["is", "are", "it's", "has to", "have to", "that's", "must"]);
    declares && !is_order(one) && one.has(&["everywhere", "anywhere", "for all", "throughout"])
}

fn from_now_on(one: &Sentence) -> bool {
    one.has(&["from now on", "going forward", "from here on", "from today on", "in future", "in the future"])
}

/// `we use`, `we never pass`, `we don't mock`: how things are done, in the present.
fn habit(one: &Sentence) -> bool {
    const ADVERBS: &[&str] =
        &["always", "never", "only", "usually", "generally", "normally", "all", "here", "deliberately"];
    let words: Vec<&str> = one.words().collect();
    words.iter().enumerate().any(|(at, word)| {
        if *word != "we" || !at_clause(&words, at) {
            return false;
        }
        let mut rest = words[at + 1..].iter().skip_while(|word| ADVERBS.contains(word));
        let Some(verb) = rest.next() else { return false };
        let denies = *verb == "don't" || *verb == "do" && words.get(at + 2) == Some(&"not");
        if denies {
            return rest.find(|word| **word != "not").is_some_and(|verb| !NOT_HABIT.contains(verb));
        }
        !NOT_HABIT.contains(verb) && !verb.ends_with("ed") && !verb.ends_with("ing")
    })
}

/// Whether `we` begins a clause that states something: after `how`, `what` or `if` it does not.
fn at_clause(words: &[&str], at: usize) -> bool {
    const OPENING: &[&str] = &[
        "how", "what", "where", "why", "when", "if", "whether", "which", "should", "can", "do", "could",
        "until", "before", "once", "after", "that", "than", "did", "shall", "would",
    ];
    at == 0 || !OPENING.contains(&words[at - 1])
}

/// An order: `never commit`, `always run`, `please don't ever`.
fn is_order(one: &Sentence) -> bool {
    const FIRST: &[&str] = &[
        "always", "never", "please", "don't", "do", "use", "keep", "put", "stop", "avoid", "prefer",
        "remember", "no",
    ];
    const BEFORE: &[&str] = &["nope", "and", "but", "so", "also", "ok", "okay", "yes", "hey", "hm", "btw"];
    let first = one.words().find(|word| !BEFORE.contains(word));
    first.is_some_and(|word| FIRST.contains(&word))
}

fn is_conditional(one: &Sentence) -> bool {
    ["if", "unless", "suppose", "imagine", "when"].contains(&one.first())
        || one.has(&["what if", "would be nice", "we could", "let's see", "wondering"])
}

/// `Translate to German: we always use tabs`, `pasted from slack: bob: never npm`: the words of another, or a text to work on.
fn is_relayed(one: &Sentence) -> bool {
    let Some((before, after)) = one.text.split_once(": ") else { return false };
    let speakers = after.matches(": ").count() > 0;
    Sentence::new(before).has(&RELAYING) || speakers
}

/// Told of what was, and not of what is.
fn is_past(one: &Sentence) -> bool {
    one.has(&[
        "yesterday",
        "last week",
        "last year",
        "last month",
        "last time",
        "ago",
        "back then",
        "used to",
        "once upon",
    ])
}

/// `I always get lost in these renames`: about the person, and not about the work.
fn speaks_of_self(one: &Sentence) -> bool {
    let words: Vec<&str> = one.words().collect();
    let own =
        words.windows(2).any(|pair| ["i", "you", "they"].contains(&pair[0]) && STANDING.contains(pair[1]));
    own || one.has(&["reminds me", "drives me", "never change", "never mind", "thanks", "eh", "haha", "lol"])
}

/// Whether the person takes it back later: in the next turn, or wherever they speak of the same thing.
pub(super) fn is_withdrawn(general: &[&Sentence], later: &[&str]) -> bool {
    let about: std::collections::BTreeSet<String> =
        general.iter().flat_map(|one| tokens(&one.text).into_iter().chain(identifiers(&one.text))).collect();
    // What a sentence is about: its words but those that most such sentences have.
    const FRAME: &[&str] = &[
        "here",
        "this",
        "that",
        "with",
        "from",
        "project",
        "repo",
        "repository",
        "code",
        "codebase",
        "always",
        "never",
        "only",
        "every",
        "everywhere",
        "instead",
        "please",
        "rather",
        "than",
        "should",
        "must",
        "when",
        "them",
        "they",
        "into",
        "for",
        "use",
        "using",
    ];
    let named: std::collections::BTreeSet<&String> =
        about.iter().filter(|word| !FRAME.contains(&word.as_str())).collect();
    later.iter().enumerate().any(|(number, text)| {
        let all = typed(text);
        let first = all.iter().find(|one| one.words().count() > 2 || one.has(&WITHDRAWN));
        all.iter().any(|one| {
            let shared =
                tokens(&one.text).iter().filter(|word| about.contains(*word) && word.len() > 3).count();
            // What somebody takes back in the middle of a turn is what they said in it.
            let is_next = number == 0 && first == Some(one);
            let takes_back = one.has(&WITHDRAWN) && (is_next || shared >= SHARED_WORDS_MIN);
            // `I was wrong about httpx`, `wait, we dropped httpx`, `forget it: we use requests after all`.
            let names = identifiers(&one.text).into_iter().chain(tokens(&one.text));
            let names_it = names.filter(|word| word.len() > 3 && named.contains(word)).count() > 0;
            let is_over = one.has(&WITHDRAWN) || one.has(&DROPPED);
            let replaces = is_over && habit(one) && general.iter().any(|before| habit(before));
            takes_back || is_over && (names_it || replaces)
        })
    })
}

/// Whether a sentence takes back what was said before it.
pub(super) fn withdraws(one: &Sentence) -> bool {
    one.has(&WITHDRAWN)
}

/// Whether a person speaks of this occasion, of themselves, of what was, or passes on what another said.
pub(super) fn is_about_self(one: &Sentence) -> bool {
    one.has(&ONE_OFF)
        || one.has(&COMPLAINT)
        || one.has(&WITHDRAWN)
        || speaks_of_self(one)
        || is_past(one)
        || is_relayed(one)
        || one.is_question()
}

/// A statement without the `No,` in front of it.
fn without_answer(statement: &str) -> String {
    const HEADS: &[&str] = &[
        "no", "nope", "nah", "hm", "hmm", "wait", "stop", "ah", "ok", "okay", "well", "actually", "sorry",
        "hey", "also", "btw", "yes", "yeah", "and", "but",
    ];
    let mut rest = statement.trim();
    while let Some((word, after)) = rest.split_once([',', '.', '!', ' ', ':', '-', '–', '—']) {
        if !HEADS.contains(&word.to_lowercase().as_str()) {
            break;
        }
        rest = after.trim_start_matches([',', '.', '!', ' ', ':', '-', '–', '—']);
    }
    let mut signs = rest.chars();
    signs.next().map(|first| first.to_uppercase().chain(signs).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn general(text: &str) -> bool {
        typed(text).iter().any(|one| is_general(one, true))
    }

    #[test]
    fn what_is_meant_for_always_is_told_from_what_is_meant_for_now() {
        for text in [
            "No, we use pnpm here, not npm.",
            "We never pass floats for money anywhere in this code base.",
            "we don't mock the database in integration tests",
            "Never call the vendor API from a request handler.",
            "From now on all views go into repeatable migrations.",
            "In this repo every migration must be reversible.",
            "Only `api/schemas.py` may parse a decimal string.",
            "please always run the linter before you commit",
            "two things: marts are always prefixed mart_, and no `select *` in a mart please",
            "in meadow everything time based is evaluated on read, never by a job",
            "It's fmt.Errorf with %w everywhere, errors.Is has to work through the chain",
            "we don't do default exports here",
            "Please never import from `internal/` outside of its package.",
            "Migrations are always written by hand, don't let alembic generate them",
            "In this project dates are stored as UTC millis, never as strings",
            "Remember this: no NaN sentinels in firmware code",
            "aquí siempre @Inject de jakarta, nunca @Autowired",
        ] {
            assert!(general(text), "{text}");
        }
        for text in [
            "We need a view in the warehouse db.",
            "Look how we do views today first.",
            "use LL-1204 in the message this time",
            "I always get lost in these renames :)",
            "should we always use pnpm?",
            "please rename it everywhere",
            "we saw that yesterday",
            "we shipped it last week",
            "for now we use the old endpoint",
            "If we use Redis it would be faster.",
            "great, thanks",
            "never mind",
            "maybe we use sqlite in all tests",
            "that test always fails on my machine",
            "We threw that out last year.",
            "never change :) no really, thanks",
            "that never worked for me on the old box",
            "it never happens on the staging machines",
            "we ship on friday so keep it small",
            "every test is green now, great",
            "make the button always visible",
            "the banner should never overlap the footer",
            "always nice to see green tests",
            "I never understood that file",
            "we use the staging db for this ticket",
            "Translate to German: We always use tabs here.",
            "Pasted from slack: bob: from now on we use pnpm, never npm ann: no way",
        ] {
            assert!(!general(text), "{text}");
        }
    }

    #[test]
    fn what_is_said_for_always_can_be_taken_back_much_later() {
        let said = typed("We use httpx in this project.");
        let said: Vec<&Sentence> = said.iter().collect();
        for later in [
            vec!["add a test", "actually, forget it: we use requests after all"],
            vec!["add a test", "I was wrong about httpx, we use requests"],
            vec!["add a test", "wait, we dropped httpx last month"],
        ] {
            assert!(is_withdrawn(&said, &later), "{later:?}");
        }
        for later in [
            vec!["add a test for the httpx client", "thanks"],
            vec!["forget about the banner, it is fine", "we use pytest for tests"],
            vec!["the old parser is gone, good"],
        ] {
            assert!(!is_withdrawn(&said, &later), "{later:?}");
        }
    }
}
