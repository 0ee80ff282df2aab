//! Whether two statements advise the opposite about one thing, as far as their clauses tell (COR-27).
//!
//! A norm may not be blocked by a guess, so [`super::between`] takes both apart whole. What is found here only makes somebody look: one clause says
//! to do what a clause of the other says not to do. Where something narrows one of the two, both may hold, and nothing is said.

use std::collections::BTreeSet;

use ken_language::{Shape, Token, WordList, are_opposites, sentences, tokens};

use super::lexicon::{BAN, CONDITIONS, REASONS};
use crate::limits::contradiction::{ALIKE_SHARE_MIN, CLAUSES_MAX};

static NARROWING: WordList = WordList::new(include_str!("../../words/contradiction/narrowing.txt"));
static USING: WordList = WordList::new(include_str!("../../words/contradiction/using.txt"));

static REACHING: WordList = WordList::new(include_str!("../../words/contradiction/reaching.txt"));
static HOLDING: WordList = WordList::new(include_str!("../../words/contradiction/holding.txt"));
static STANDING: WordList = WordList::new(include_str!("../../words/contradiction/standing.txt"));

/// The key of all words for using something.
const USE: &str = "use";
/// How the reader writes `instead of` and `rather than`.
const INSTEAD_OF: &str = "instead_of";
/// Methods of HTTP that are common words in small letters: in capitals they tell two things apart.
const METHODS: [&str; 2] = ["GET", "PUT"];
/// Words behind which it is said how something is done.
const MANNER: [&str; 5] = ["with", "by", "via", "using", "through"];
/// Words behind which it is said where something stands.
const INSIDE: [&str; 5] = ["in", "inside", "under", "below", "at"];
/// Words that add a second place to a first one.
const ADDING: [&str; 4] = ["also", "too", "either", "or"];

/// A statement, taken apart once to be compared with others.
#[derive(Debug)]
pub struct Advice(Vec<Clause>);

impl Advice {
    pub fn parse(text: &str) -> Advice {
        // A question advises nothing.
        if text.trim_end().ends_with('?') {
            return Advice(Vec::new());
        }
        let mut clauses: Vec<Clause> = sentences(&tokens(text)).flat_map(in_sentence).collect();
        clauses.truncate(CLAUSES_MAX);
        Advice(clauses)
    }

    /// Whether one says to do what the other says not to do. Which comes first does not matter.
    pub fn opposes(&self, other: &Advice) -> bool {
        self.0.iter().any(|one| other.0.iter().any(|other| one.opposes(other)))
    }

    /// Whether anything is advised against: of two statements of which one says to do what the other says not to do, one denies.
    pub fn denies(&self) -> bool {
        self.0.iter().any(|clause| clause.denied)
    }
}

/// What one clause says to do, or not to do.
#[derive(Debug, Default)]
struct Clause {
    /// The words that carry meaning, in the form in which they are compared.
    keys: BTreeSet<String>,
    /// Those that name something: code, a product, a path.
    names: BTreeSet<String>,
    numbers: BTreeSet<String>,
    /// Common acronyms: they tell two clauses apart where both have some.
    acronyms: BTreeSet<String>,
    denied: bool,
    /// Something says where alone it holds.
    narrowed: bool,
    /// `, not spaces`: the verb is in the clause before.
    elliptic: bool,
    /// The keys as they come, each with the small word before it.
    sequence: Vec<(String, String)>,
    /// Verbs for what a thing is there for: `must not hold sessions`.
    holding: BTreeSet<String>,
    /// Verbs for where a thing is: `live in`.
    standing: BTreeSet<String>,
    /// A second place is allowed beside the one that is named.
    adds: bool,
    /// Each `before` and `after`, with the keys that come first.
    turns: Vec<Turn>,
}

/// On which side of something it is to happen.
#[derive(Debug)]
struct Turn {
    /// `Before` or `after`, in the form in which it is compared.
    key: String,
    first: BTreeSet<String>,
}

impl Clause {
    fn opposes(&self, other: &Clause) -> bool {
        if self.narrowed != other.narrowed {
            return false;
        }
        let differ = |one: &BTreeSet<String>, other: &BTreeSet<String>| {
            !one.is_empty() && !other.is_empty() && one != other
        };
        if differ(&self.numbers, &other.numbers) || differ(&self.acronyms, &other.acronyms) {
            return false;
        }
        let at_another_time = matches!(
            (self.turns.as_slice(), other.turns.as_slice()),
            ([one], [other]) if one.key != other.key
        );
        if self.denied == other.denied {
            return !self.denied
                && ((at_another_time && self.is_turned_round(other)) || self.stands_elsewhere(other));
        }
        // Not before it and after it is one order.
        if at_another_time {
            return false;
        }
        let (no, yes) = if self.denied { (self, other) } else { (other, self) };
        let only_no: Vec<&String> = no.keys.difference(&yes.keys).collect();
        // `Cache GET responses` and `do not cache POST responses` go together.
        if yes.keys.difference(&no.keys).any(|one| only_no.iter().any(|other| are_opposites(one, other))) {
            return false;
        }
        let uses = no.keys.contains(USE) && yes.keys.contains(USE);
        let shared = no.keys.intersection(&yes.keys).count();
        let things = shared - usize::from(uses);
        if things == 0 {
            return false;
        }
        let names_one = no.names.intersection(&yes.names).next().is_some();
        let share = shared as f64 / (no.keys.len() + yes.keys.len() - shared) as f64;
        let is_whole = only_no.is_empty() && no.keys.len() == yes.keys.len();
        // What is not to be used at all is not to be used for something either.
        let covers = uses && only_no.is_empty();
        (is_whole && (things > 1 || names_one || uses))
            || covers
            || no.forbids_all_of(yes)
            || (names_one && no.refuses_the_use_of(yes))
            || (things > 1 && share >= ALIKE_SHARE_MIN && !no.elliptic)
    }
}

impl Clause {
    /// Whether something is to come before what it comes after in the other, both in the same words.
    fn is_turned_round(&self, other: &Clause) -> bool {
        let rest = |clause: &Clause, turn: &Turn| -> BTreeSet<String> {
            clause.keys.iter().filter(|key| **key != turn.key).cloned().collect()
        };
        let ([one], [two]) = (self.turns.as_slice(), other.turns.as_slice()) else { return false };
        let words = rest(self, one);
        one.first == two.first
            && !one.first.is_empty()
            && one.first.len() < words.len()
            && words == rest(other, two)
    }

    /// The one place in which it says that something stands.
    fn place(&self) -> Option<&str> {
        let (key, before) = self.sequence.last()?;
        let is_place = !self.standing.is_empty() && !self.adds && INSIDE.contains(&before.as_str());
        (is_place && self.names.contains(key)).then_some(key)
    }

    /// Whether one thing stands in two places, of which neither is inside the other.
    fn stands_elsewhere(&self, other: &Clause) -> bool {
        let (Some(here), Some(there)) = (self.place(), other.place()) else { return false };
        let rest = |clause: &Clause, place: &str| -> BTreeSet<String> {
            let is_rest = |key: &&String| *key != place && !clause.standing.contains(*key);
            clause.keys.iter().filter(is_rest).cloned().collect()
        };
        let things = rest(self, here);
        let is_apart = !here.starts_with(there) && !there.starts_with(here);
        is_apart && !things.is_empty() && things == rest(other, there)
    }

    /// Whether the other begins with all that this one forbids, and goes on with how it is done: what is never done is not done in a way.
    fn forbids_all_of(&self, yes: &Clause) -> bool {
        let key = |at: usize| yes.sequence.get(at).map(|(key, _)| key);
        let begins = self.sequence.iter().enumerate().all(|(at, (word, _))| key(at) == Some(word));
        let goes_on = yes.sequence.get(self.sequence.len());
        self.sequence.len() > 1
            && !self.elliptic
            && begins
            && goes_on.is_some_and(|(_, before)| MANNER.contains(&before.as_str()))
    }

    /// Whether a thing that is to be used for something must not hold it.
    fn refuses_the_use_of(&self, yes: &Clause) -> bool {
        let kept: BTreeSet<&String> = self.keys.difference(&self.holding).collect();
        yes.keys.contains(USE)
            && !self.keys.contains(USE)
            && !self.holding.is_empty()
            && kept.len() > 1
            && kept.iter().all(|key| yes.keys.contains(*key))
    }

    /// Takes a key in its place.
    fn put(&mut self, key: &str, before: &str) {
        self.keys.insert(key.to_owned());
        self.sequence.push((key.to_owned(), before.to_owned()));
    }
}

/// The clauses of a sentence that say something.
fn in_sentence(sentence: &[Token]) -> Vec<Clause> {
    let mut clauses = Vec::new();
    let mut clause = Clause::default();
    let (mut uses, mut is_main, mut is_reason) = (false, true, false);
    let mut small = String::new();
    for (at, token) in sentence.iter().enumerate() {
        let lower = token.text.to_lowercase();
        let (text, key) = (lower.as_str(), token.key.as_str());
        if at > 0 && sentence[at - 1].clause != token.clause {
            clauses.push(std::mem::take(&mut clause));
            (is_main, is_reason) = (true, false);
            clause.elliptic = token.negates;
        }
        // `And not by the request` denies what follows it, and not what goes before.
        let joined = at > 0 && matches!(sentence[at - 1].text.to_lowercase().as_str(), "and" | "but");
        if joined && is_main && !is_reason && token.negates && key != "non" && !NARROWING.contains(text) {
            clauses.push(std::mem::take(&mut clause));
            clause.elliptic = matches!(text, "not" | "no");
        }
        if key == INSTEAD_OF {
            clauses.push(std::mem::take(&mut clause));
            (is_main, is_reason) = (true, false);
            clause.denied = true;
            if uses {
                clause.put(USE, "");
            }
            continue;
        }
        is_reason |= text == "so" || REASONS.contains(text) || key == "because";
        if is_reason {
            continue;
        }
        clause.narrowed |= NARROWING.contains(text) || NARROWING.contains(key);
        is_main &= !(CONDITIONS.contains(text) || CONDITIONS.contains(key));
        clause.adds |= ADDING.contains(&text);
        if matches!(text, "before" | "after") {
            clause.turns.push(Turn { key: token.key.clone(), first: clause.keys.clone() });
        }
        let bans = BAN.contains(text);
        // `Tests touch the network` uses it; `do not touch the file` is about changing it.
        if USING.contains(text) || (REACHING.contains(text) && !clause.keys.is_empty()) {
            clause.put(USE, &small);
            uses = true;
        } else if (token.negates && key != "non") || bans {
            // What a condition denies is not advised against.
            if is_main && !NARROWING.contains(text) {
                clause.denied ^= true;
                let verb_follows = sentence.get(at + 1).is_some_and(|next| next.text.ends_with("ing"));
                if (bans && !verb_follows) || (uses && !bans) {
                    clause.put(USE, &small);
                }
            }
        } else {
            if HOLDING.contains(text) {
                clause.holding.insert(token.key.clone());
            }
            if STANDING.contains(text) {
                clause.standing.insert(token.key.clone());
            }
            clause.take(token, &small);
        }
        small = if token.shape == Shape::Small { lower } else { String::new() };
    }
    clauses.push(clause);
    clauses.retain(|clause| !clause.keys.is_empty());
    clauses
}

impl Clause {
    /// Takes a word with the small word before it.
    fn take(&mut self, token: &Token, before: &str) {
        if METHODS.contains(&token.text.as_str()) {
            self.put(&token.key, before);
            return;
        }
        match token.shape {
            Shape::Small => {}
            Shape::Number | Shape::Version => {
                self.numbers.insert(token.key.clone());
            }
            Shape::Word | Shape::Name | Shape::Code | Shape::Path if token.vague => {
                self.acronyms.insert(token.key.clone());
            }
            Shape::Word | Shape::Name | Shape::Code | Shape::Path if token.light => {}
            Shape::Word => self.put(&token.key, before),
            Shape::Name | Shape::Code | Shape::Path => {
                self.names.insert(token.key.clone());
                self.put(&token.key, before);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opposed(one: &str, other: &str) -> bool {
        let (one, other) = (Advice::parse(one), Advice::parse(other));
        assert_eq!(one.opposes(&other), other.opposes(&one), "which comes first does not matter");
        one.opposes(&other)
    }

    #[test]
    fn advice_for_and_against_one_thing_is_opposed() {
        let missed = [
            ("Use sqlx for database access.", "Do not use sqlx; write SQL with the driver."),
            ("Use Redis for session storage.", "Do not use Redis for sessions."),
            ("Use Moment.js for dates.", "Do not use Moment.js; date-fns is already bundled."),
            ("Use tabs, not spaces.", "Use spaces, not tabs."),
            ("Use tabs and not spaces.", "Use spaces and not tabs."),
            ("Use jest for unit tests.", "Use vitest instead of jest for unit tests."),
            ("Prefer pnpm over npm in this repository.", "Use npm, not pnpm."),
            ("Log request bodies for debugging.", "Do not log request bodies: they hold personal data."),
            ("Do not commit the lock file.", "Commit the lock file so that builds are reproducible."),
            ("Commit generated files.", "Generated files are never committed."),
            ("Run migrations at startup.", "Do not run migrations at startup; use the deploy job."),
            (
                "Tests may sleep while waiting for the worker.",
                "Tests must not sleep while waiting for the worker.",
            ),
            ("Use global state for configuration.", "Avoid global state for configuration."),
            ("The cache survives a restart.", "The cache does not survive a restart."),
            ("Retry failed uploads with exponential backoff.", "Never retry failed uploads."),
            ("Always run migrations before deploy.", "Run migrations after deploy."),
            ("Feature flags live in config.toml.", "Feature flags live in flags.yaml."),
            ("Feature flags live in `config.toml`.", "Feature flags are kept in `flags.yaml`."),
            ("Tests may use the network.", "Tests must never touch the network."),
            ("Use Redis for sessions.", "Redis must not hold sessions."),
            ("Use Redis for sessions.", "Do not store sessions in Redis."),
            ("Store money as floats.", "Do not store money as floats."),
        ]
        .into_iter()
        .filter(|(one, other)| !opposed(one, other));
        assert_eq!(missed.collect::<Vec<_>>(), []);
    }

    #[test]
    fn what_may_both_hold_is_not_opposed() {
        let wrong = [
            (
                "Retry the upload when the gateway answers 503.",
                "Do not retry the upload when the gateway answers 401.",
            ),
            ("Use `unwrap` in tests only.", "Do not use `unwrap` in library code."),
            ("Merge after the tests pass.", "Never merge before the tests pass."),
            ("Run the tests before a deploy.", "Deploy after the tests run."),
            ("Open the file before the loop.", "Close the file after the loop."),
            ("Push tags after merging to main.", "Never push to main."),
            ("Retry failed uploads in the background.", "Never retry failed uploads of drafts."),
            ("Unit tests live in `src/`.", "Integration tests live in `tests/`."),
            ("Settings live in `config/`.", "Settings live in `config/app.toml`."),
            ("Flags live in `config.toml`.", "Flags also live in `flags.yaml`."),
            ("Use Redis for sessions.", "Redis must not hold sessions of admins."),
            ("Use Redis for sessions.", "Do not touch the sessions of others."),
            ("Replace `unwrap` with `expect`.", "Do not use `unwrap`."),
            ("Do not commit secrets.", "Commit early and often."),
            ("Use Redis for sessions.", "Do not use Redis for queues."),
            ("Cache GET responses.", "Do not cache POST responses."),
            ("Retry GET requests.", "Do not retry PUT requests."),
            ("Use UTC in the database.", "Do not use local time in the database."),
            ("Use the retry helper for network calls.", "Do not write your own retry loops."),
            (
                "Implementation details are directly accessible.",
                "Test behaviour, not implementation details.",
            ),
            ("Tests must not depend on the network.", "Tests must not depend on the clock."),
            ("Ask before deleting data.", "Do not delete data without asking."),
            ("Should we use Redis?", "Do not use Redis."),
            (
                "Sessions are stored in Redis, not in the database.",
                "Store sessions in Redis and not in the database.",
            ),
            (
                "Thumbnails are made by the worker and not by the request.",
                "The worker makes thumbnails; the request does not make them.",
            ),
            (
                "Workers must cache the parsed settings file and not parse it for every request.",
                "Cache the parsed settings file so that workers do not parse it for every request again.",
            ),
        ]
        .into_iter()
        .filter(|(one, other)| opposed(one, other));
        assert_eq!(wrong.collect::<Vec<_>>(), []);
    }
}
