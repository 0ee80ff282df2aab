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

/// The key of all words for using something.
const USE: &str = "use";
/// How the reader writes `instead of` and `rather than`.
const INSTEAD_OF: &str = "instead_of";
/// Methods of HTTP that are common words in small letters: in capitals they tell two things apart.
const METHODS: [&str; 2] = ["GET", "PUT"];

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

    /// Whether anything is advised against: of two statements that oppose each other, one denies.
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
}

impl Clause {
    fn opposes(&self, other: &Clause) -> bool {
        if self.denied == other.denied || self.narrowed != other.narrowed {
            return false;
        }
        let differ = |one: &BTreeSet<String>, other: &BTreeSet<String>| {
            !one.is_empty() && !other.is_empty() && one != other
        };
        if differ(&self.numbers, &other.numbers) || differ(&self.acronyms, &other.acronyms) {
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
            || (things > 1 && share >= ALIKE_SHARE_MIN && !no.elliptic)
    }
}

/// The clauses of a sentence that say something.
fn in_sentence(sentence: &[Token]) -> Vec<Clause> {
    let mut clauses = Vec::new();
    let mut clause = Clause::default();
    let (mut uses, mut is_main, mut is_reason) = (false, true, false);
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
                clause.keys.insert(USE.to_owned());
            }
            continue;
        }
        is_reason |= text == "so" || REASONS.contains(text) || key == "because";
        if is_reason {
            continue;
        }
        clause.narrowed |= NARROWING.contains(text) || NARROWING.contains(key);
        is_main &= !(CONDITIONS.contains(text) || CONDITIONS.contains(key));
        let bans = BAN.contains(text);
        if USING.contains(text) {
            clause.keys.insert(USE.to_owned());
            uses = true;
        } else if (token.negates && key != "non") || bans {
            // What a condition denies is not advised against.
            if is_main && !NARROWING.contains(text) {
                clause.denied ^= true;
                let verb_follows = sentence.get(at + 1).is_some_and(|next| next.text.ends_with("ing"));
                if (bans && !verb_follows) || (uses && !bans) {
                    clause.keys.insert(USE.to_owned());
                }
            }
        } else {
            clause.take(token);
        }
    }
    clauses.push(clause);
    clauses.retain(|clause| !clause.keys.is_empty());
    clauses
}

impl Clause {
    fn take(&mut self, token: &Token) {
        if METHODS.contains(&token.text.as_str()) {
            self.keys.insert(token.key.clone());
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
            Shape::Word => {
                self.keys.insert(token.key.clone());
            }
            Shape::Name | Shape::Code | Shape::Path => {
                self.names.insert(token.key.clone());
                self.keys.insert(token.key.clone());
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
        for (one, other) in [
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
        ] {
            assert!(opposed(one, other), "{one} | {other}");
        }
    }

    #[test]
    fn what_may_both_hold_is_not_opposed() {
        for (one, other) in [
            (
                "Retry the upload when the gateway answers 503.",
                "Do not retry the upload when the gateway answers 401.",
            ),
            ("Use `unwrap` in tests only.", "Do not use `unwrap` in library code."),
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
        ] {
            assert!(!opposed(one, other), "{one} | {other}");
        }
    }
}
