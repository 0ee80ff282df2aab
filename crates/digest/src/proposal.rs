//! Rules of three kinds that can be enforced, proposed with what they are about filled in (COR-26). Nothing is in force by a proposal.

use crate::limits::proposal::{COMMAND_CHARS_MAX, EDIT_WORDS_MAX, MOOD_WORDS_MAX};
use ken_language::WordList;

static PROGRAMS: WordList = WordList::new(include_str!("../words/programs.txt"));
static EDITS: WordList = WordList::new(include_str!("../words/edits.txt"));
static RUNS: WordList = WordList::new(include_str!("../words/runs.txt"));
static ENDS_OF_WORK: WordList = WordList::new(include_str!("../words/ends_of_work.txt"));
static CHANGES: WordList = WordList::new(include_str!("../words/changes.txt"));
static PROGRAMS_AS_NAMES: WordList = WordList::new(include_str!("../words/programs_as_names.txt"));

/// A rule that a machine could hold an agent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proposal {
    /// Files that are not to be edited; by hand, where a program makes them.
    ProtectedPaths {
        globs: Vec<String>,
        /// A program may change them: only an edit by an agent is meant.
        by_hand: bool,
        /// What to do instead.
        instead: Option<String>,
    },
    /// Commands that are not to be run, with what to do instead.
    InsteadOf { commands: Vec<String>, instead: String },
    /// A command that has to have succeeded before a commit, after edits of some files, or of any.
    BeforeCommit { run: String, files: Vec<String> },
}

/// A rule as its file states it.
#[derive(Clone, Copy, Debug)]
pub struct Stated<'a> {
    /// Its words, with their marks of code.
    pub words: &'a str,
    /// What introduces it.
    pub front: &'a str,
    /// The folder of its file; empty at the top.
    pub folder: &'a str,
}

/// Whether a word is the name of a program.
pub fn is_program(word: &str) -> bool {
    PROGRAMS.contains(word)
}

/// Words before a colon that deny what follows.
const DENYING: &[&str] = &["never", "avoid", "do not", "don't", "don’t", "not allowed", "forbidden"];
const CONDITIONS: &[&str] = &["unless", "except", "without", "until"];
const BY_HAND: &[&str] = &["hand", "manually", "directly", "manual", "hand-edit", "hand-edited"];

/// What a rule could be held to; none where its words leave a doubt.
pub fn propose(stated: &Stated<'_>) -> Option<Proposal> {
    let front = stated.front.to_lowercase();
    let nearest = front.rsplit(": ").next().unwrap_or_default();
    let denied = DENYING.iter().any(|word| nearest.starts_with(word));
    let sentences = sentences(stated.words, denied);
    protected_paths(&sentences, stated)
        .or_else(|| instead_of(&sentences))
        .or_else(|| before_commit(&sentences, stated, &front))
}

/// What is said of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mood {
    Plain,
    Denied,
    Asked,
}

#[derive(Clone, Debug)]
struct Token {
    /// The word in small letters, or the code as it is written.
    word: String,
    is_code: bool,
    mood: Mood,
    /// The command that begins here.
    command: Option<String>,
}

#[derive(Clone, Debug, Default)]
struct Sentence {
    tokens: Vec<Token>,
    lower: String,
}

impl Sentence {
    fn has(&self, words: &[&str]) -> bool {
        self.tokens.iter().any(|token| !token.is_code && words.contains(&token.word.as_str()))
    }

    fn commands(&self, mood: impl Fn(Mood) -> bool) -> impl Iterator<Item = &String> {
        self.tokens.iter().filter(move |token| mood(token.mood)).filter_map(|token| token.command.as_ref())
    }
}

/// Words and pieces of code, each with whether a stop follows it.
fn raw_tokens(words: &str) -> Vec<(String, bool, char)> {
    let mut tokens = Vec::new();
    let mut rest = words;
    while !rest.is_empty() {
        rest = rest.trim_start();
        let trimmed = rest.trim_start_matches(['(', '"', '*', '[', '“']);
        if let Some(inner) = trimmed.strip_prefix('`')
            && let Some(end) = inner.find('`')
        {
            let after = &inner[end + 1..];
            let tail: String = after.chars().take_while(|c| !c.is_whitespace() && *c != '`').collect();
            tokens.push((inner[..end].trim().to_owned(), true, stop_of(&tail)));
            rest = &after[tail.len()..];
            continue;
        }
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        // A piece of code may follow without a blank.
        let end = rest[..end]
            .find('`')
            .filter(|at| *at > 0 && !rest[..*at].ends_with(['(', '"', '*']))
            .unwrap_or(end);
        let word = &rest[..end];
        rest = &rest[end..];
        if word.is_empty() {
            break;
        }
        let tail: String = word
            .chars()
            .rev()
            .take_while(|c| !c.is_alphanumeric())
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .collect();
        tokens.push((word.to_owned(), false, stop_of(&tail)));
    }
    tokens
}

/// The stop among the signs after a word; a blank where there is none.
fn stop_of(tail: &str) -> char {
    tail.chars().find(|c| matches!(c, '.' | ';' | '!' | ',' | ':' | ')' | '—' | '–')).unwrap_or(' ')
}

fn sentences(words: &str, denied: bool) -> Vec<Sentence> {
    let mut raw: std::collections::VecDeque<(String, bool, char)> = raw_tokens(words).into();
    // A label such as `Never:` denies the rest.
    let label =
        raw.front().filter(|(_, is_code, stop)| !is_code && *stop == ':').map(|(word, ..)| bare(word));
    let denied = denied || label.is_some_and(|label| DENYING.contains(&label.as_str()));
    let start = if denied { Mood::Denied } else { Mood::Plain };
    let mut sentences = vec![Sentence::default()];
    let mut mood = start;
    // Whether something was denied since the word that denies.
    let mut met = false;
    let mut since = 0;
    while let Some((word, is_code, stop)) = raw.pop_front() {
        let sentence = sentences.last_mut().expect("there is always one");
        since += 1;
        if since > MOOD_WORDS_MAX && mood != start {
            (mood, met) = (Mood::Plain, false);
        }
        let was = mood;
        let mut token =
            Token { word: if is_code { word.clone() } else { bare(&word) }, is_code, mood, command: None };
        if is_code {
            token.command = command_of(&word);
        } else {
            let next = raw.front().map(|(word, ..)| bare(word)).unwrap_or_default();
            match token.word.as_str() {
                "never" | "not" | "don't" | "don’t" | "avoid" | "cannot" | "can't" | "no" | "skip"
                | "without" | "shouldn't" => {
                    (mood, met) = (Mood::Denied, false);
                }
                "instead" | "rather" if matches!(next.as_str(), "of" | "than") => {
                    (mood, met) = (Mood::Denied, false)
                }
                "over" if mood == Mood::Asked => (mood, met) = (Mood::Denied, false),
                "use" | "run" | "prefer" | "execute" | "always" | "instead" | "via" | "through" | "with"
                | "but" | "using"
                    if mood != Mood::Denied || met =>
                {
                    mood = Mood::Asked
                }
                _ => {}
            }
            token.mood = mood;
            if mood != was {
                since = 0;
            }
            let is_lower = word.starts_with(|c: char| c.is_ascii_lowercase());
            if PROGRAMS_AS_NAMES.contains(&token.word) && is_lower || is_recipe(&word, &next) {
                let mut command = token.word.clone();
                while stop == ' '
                    && let Some((next, false, after)) = raw.front().cloned()
                {
                    let is_word = next
                        .trim_end_matches(['.', ',', ';', ')', ':'])
                        .chars()
                        .all(|c| c.is_ascii_lowercase() || matches!(c, '-' | ':'));
                    if !is_word || command.contains(' ') || is_small_word(&bare(&next)) {
                        break;
                    }
                    command = format!("{command} {}", bare(&next));
                    raw.pop_front();
                    if after != ' ' {
                        break;
                    }
                }
                token.command = Some(command);
            }
        }
        if token.command.is_some() {
            since = 0;
        }
        met |= token.command.is_some() || token.is_code || EDITS.contains(&token.word);
        sentence.lower.push_str(&if is_code { "x".to_owned() } else { word.to_lowercase() });
        sentence.lower.push(' ');
        sentence.tokens.push(token);
        match stop {
            '.' | '!' if is_code || word.len() > 2 && !word.contains("e.g") && !word.contains("i.e") => {
                sentences.push(Sentence::default());
                (mood, met, since) = (start, false, 0);
            }
            ';' | '—' => (mood, met) = if met { (Mood::Plain, false) } else { (mood, met) },
            _ => {}
        }
    }
    sentences.retain(|sentence| !sentence.tokens.is_empty());
    sentences
}

/// Whether two words are a recipe of `just` or `make`: their names are words of English, too.
fn is_recipe(word: &str, next: &str) -> bool {
    matches!(word, "just" | "make")
        && next.contains('-')
        && next.chars().all(|c| c.is_ascii_lowercase() || c == '-')
}

fn is_small_word(word: &str) -> bool {
    word.len() < 2
        || matches!(
            word,
            "or" | "and"
                | "to"
                | "for"
                | "in"
                | "is"
                | "on"
                | "as"
                | "the"
                | "with"
                | "when"
                | "if"
                | "before"
                | "after"
                | "only"
                | "not"
                | "instead"
                | "commands"
                | "directly"
                | "use"
                | "from"
                | "workspaces"
                | "workspace"
                | "code"
                | "project"
                | "package"
                | "packages"
                | "scripts"
                | "because"
                | "at"
                | "via"
                | "files"
                | "command"
                | "must"
        )
}

fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

/// A piece of code that is a command: it begins with a program.
fn command_of(code: &str) -> Option<String> {
    let code = code.trim_start_matches("$ ").trim();
    let first = code.split_whitespace().next()?;
    (PROGRAMS.contains(first) && code.len() <= COMMAND_CHARS_MAX && !code.contains("::"))
        .then(|| code.to_owned())
}

/// Whether a rule of an action can be made of a command.
fn is_simple(command: &str) -> bool {
    !command.contains(['&', '|', '<', '>', '"', '\'', '$', '*', '(', ';', '`'])
}

fn instead_of(sentences: &[Sentence]) -> Option<Proposal> {
    let all = || sentences.iter().flat_map(|sentence| &sentence.tokens);
    let mut commands: Vec<String> = Vec::new();
    for sentence in sentences {
        if sentence.has(CONDITIONS) && !sentence.has(&["never"]) {
            continue;
        }
        for command in sentence.commands(|mood| mood == Mood::Denied).filter(|command| is_simple(command)) {
            if !commands.contains(command) {
                commands.push(command.clone());
            }
        }
    }
    let asked = all().filter(|token| token.mood != Mood::Denied);
    let named = asked.clone().find_map(|token| token.command.clone());
    // What is asked for may be a program that nobody knows.
    let other = || {
        let mut asked = asked.filter(|token| token.mood == Mood::Asked && token.is_code);
        asked.find(|token| is_command_like(&token.word)).map(|token| token.word.clone())
    };
    let instead = named.or_else(other)?;
    // `Never use grep to read JSON` does not forbid grep.
    const TOOLS: &[&str] = &["awk", "cat", "echo", "find", "grep", "head", "ls", "rm", "sed", "tail"];
    if sentences.iter().any(|sentence| sentence.has(&["when", "for", "if", "to"])) {
        commands.retain(|command| !TOOLS.contains(&command.as_str()));
    }
    commands
        .retain(|command| !instead.starts_with(command.as_str()) && !command.starts_with(instead.as_str()));
    (!commands.is_empty()).then_some(Proposal::InsteadOf { commands, instead })
}

/// Whether a piece of code may be a command of a program of its own.
fn is_command_like(code: &str) -> bool {
    code.split_whitespace().all(|word| {
        word.chars().all(|c| {
            c.is_ascii_lowercase()
                || c.is_ascii_digit()
                || matches!(c, '-' | ':' | '.' | '/' | '<' | '>' | '=')
        })
    }) && code.starts_with(|c: char| c.is_ascii_lowercase())
        && !code.contains("()")
}

fn protected_paths(sentences: &[Sentence], stated: &Stated<'_>) -> Option<Proposal> {
    for (at, sentence) in sentences.iter().enumerate() {
        let edits = |token: &&Token| !token.is_code && EDITS.contains(&token.word);
        let denied = sentence.tokens.iter().find(edits).filter(|token| token.mood == Mood::Denied);
        let is_made = sentence.lower.contains("generated");
        let other = is_made
            && sentences[at..].iter().any(|other| {
                other
                    .tokens
                    .iter()
                    .any(|token| edits(&token) && (token.mood == Mood::Denied || other.has(&["instead"])))
            });
        if denied.is_none() && !other || sentence.has(CONDITIONS) {
            continue;
        }
        // Paths up to the words that say what to do instead.
        let mut globs: Vec<String> = Vec::new();
        let mut begun = false;
        let verb = sentence.tokens.iter().position(|token| edits(&token));
        for (position, token) in sentence.tokens.iter().enumerate() {
            begun |= edits(&token) || is_made;
            let is_far =
                !is_made && verb.is_some_and(|verb| position.abs_diff(verb) > EDIT_WORDS_MAX + globs.len());
            if is_far {
                continue;
            }
            let asks = token.mood == Mood::Asked && !token.is_code
                || token.word == "edit" && other && denied.is_none()
                || token.word == "from"
                || token.word == "in" && !begun;
            if asks && !globs.is_empty() {
                break;
            }
            if (token.is_code || token.word.contains(['/', '.'])) && token.command.is_none() {
                let name =
                    if token.is_code { token.word.clone() } else { path_word(stated.words, &token.word) };
                // `read/write` is no path; `src/a.ts` and `gen/` are.
                let last = name.rsplit('/').next().unwrap_or_default();
                if token.is_code || last.is_empty() || last.contains('.') || name.contains('*') {
                    globs.extend(crate::enforcement::glob(&name).map(|glob| placed(&glob, stated.folder)));
                }
            }
        }
        globs.dedup();
        if globs.is_empty() || globs.iter().any(|glob| glob.len() > 200) {
            continue;
        }
        let by_hand = is_made
            || sentence.has(BY_HAND)
            || sentences[at..]
                .iter()
                .any(|later| later.commands(|mood| mood != Mood::Denied).next().is_some());
        let instead = sentences[at..]
            .iter()
            .find_map(|later| later.commands(|mood| mood != Mood::Denied).next().cloned());
        return Some(Proposal::ProtectedPaths { globs, by_hand, instead });
    }
    None
}

/// A path as it is written: words are kept in small letters.
fn path_word(words: &str, lower: &str) -> String {
    let at = words.to_lowercase().find(lower);
    let word = at.and_then(|at| words.get(at..at + lower.len())).unwrap_or(lower);
    // The sign of a folder was taken off with the other signs.
    let is_folder =
        at.is_some_and(|at| words.get(at + lower.len()..).is_some_and(|rest| rest.starts_with('/')));
    if is_folder { format!("{word}/") } else { word.to_owned() }
}

/// A glob as its file means it: names without a folder anywhere below, others below the folder of the file.
fn placed(glob: &str, folder: &str) -> String {
    let is_name = !glob.contains('/');
    match folder {
        "" if is_name => format!("**/{glob}"),
        "" => glob.to_owned(),
        folder if glob.starts_with(&format!("{folder}/")) => glob.to_owned(),
        folder if is_name => format!("{folder}/**/{glob}"),
        folder => format!("{folder}/{glob}"),
    }
}

fn before_commit(sentences: &[Sentence], stated: &Stated<'_>, front: &str) -> Option<Proposal> {
    // A section of checks: `Verification`, `Before you push`.
    const CHECKS: &[&str] = &[
        "validation",
        "verification",
        "quality gate",
        "pre-commit",
        "pre commit",
        "definition of done",
        "checks before",
    ];
    let nearest = front.rsplit(": ").next().unwrap_or_default();
    let is_step =
        is_before(front) || is_change(front) || CHECKS.iter().any(|words| nearest.starts_with(words));
    let is_step = is_step || nearest.starts_with("run ") && nearest.contains("checks");
    for (at, sentence) in sentences.iter().enumerate() {
        let skipped = sentence.lower.contains("skip ") || sentence.lower.contains("without running");
        let wanted = |mood: Mood| if skipped { mood == Mood::Denied } else { mood != Mood::Denied };
        let Some(position) =
            sentence.tokens.iter().position(|token| wanted(token.mood) && token.command.is_some())
        else {
            continue;
        };
        let token = &sentence.tokens[position];
        let command = token.command.clone().unwrap_or_default();
        let is_asked = sentence.tokens[..position]
            .iter()
            .any(|token| RUNS.contains(&token.word) || token.mood == Mood::Asked)
            || position == 0 && has_note(&sentence.lower)
            || skipped;
        // A command that begins a line has its note after it.
        let before = at.checked_sub(1).map(|before| sentences[before].lower.as_str()).unwrap_or_default();
        let says = |text: &str| is_before(text) || is_change(text);
        let is_checked = ["validate with", "verify with", "must pass", "passes before"]
            .iter()
            .any(|words| sentence.lower.contains(words));
        let is_wanted = says(&sentence.lower)
            || skipped
            || is_checked
            || is_step
            || before.contains("changed") && sentence.has(&["run"]);
        let is_left = [
            "optional",
            "only if the user",
            "do not run",
            "if you want",
            "may run",
            "can run",
            "can be run",
            "to reproduce",
            "to debug",
        ]
        .iter()
        .any(|words| sentence.lower.contains(words) || front.contains(words));
        if !is_asked || !is_wanted || is_left || !is_runnable(&command) {
            continue;
        }
        let mut files: Vec<String> = Vec::new();
        for token in sentence.tokens[..position]
            .iter()
            .chain(sentences[..at].iter().flat_map(|sentence| &sentence.tokens))
        {
            if token.command.is_none() && (token.is_code || token.word.contains('/')) {
                let name =
                    if token.is_code { token.word.clone() } else { path_word(stated.words, &token.word) };
                files.extend(crate::enforcement::glob(&name).map(|glob| placed(&glob, stated.folder)));
            }
        }
        if files.is_empty() && !stated.folder.is_empty() {
            files.push(format!("{}/**", stated.folder));
        }
        files.dedup();
        return Some(Proposal::BeforeCommit { run: command, files });
    }
    None
}

/// Whether a command at the beginning of a text stands alone, or has a note: ``cargo fmt` (before you push)`, ``cargo test` must pass`.
fn has_note(lower: &str) -> bool {
    let rest = lower.split_once(' ').map_or("", |(_, rest)| rest).trim_start();
    rest.is_empty()
        || rest.starts_with(['(', '-', '–', '—', '#'])
        || rest.starts_with("must ")
        || rest.starts_with("before ")
        || rest.starts_with("after ")
        || rest.starts_with("when ")
}

/// Programs that change nothing and check nothing.
fn is_runnable(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let first = words.next().unwrap_or_default();
    words.next().is_some()
        && !matches!(
            first,
            "git"
                | "gh"
                | "cd"
                | "ls"
                | "cat"
                | "rm"
                | "grep"
                | "rg"
                | "find"
                | "curl"
                | "source"
                | "brew"
                | "apt"
                | "sed"
                | "tail"
                | "head"
                | "echo"
                | "wget"
                | "ssh"
        )
}

/// Whether a text in small letters speaks of the time before a commit.
fn is_before(text: &str) -> bool {
    ["before ", "prior to "].iter().any(|word| {
        text.match_indices(word).any(|(at, _)| {
            let rest = &text[at + word.len()..];
            ENDS_OF_WORK.items().iter().any(|end| rest.starts_with(end))
        })
    }) || text.contains("finished making")
        || text.contains("validate before")
}

/// Whether it speaks of a change after which something is to be done.
fn is_change(text: &str) -> bool {
    const STARTS: &[&str] = &["after ", "if ", "when ", "whenever ", "once ", "every time "];
    let needs = ["changes need ", "changes require ", "change requires ", "changes must "]
        .iter()
        .any(|words| text.contains(words));
    needs
        || STARTS.iter().any(|start| {
            text.match_indices(start)
                .filter(|(at, _)| *at == 0 || text[..*at].ends_with([' ', '(', '[']))
                .any(|(at, _)| {
                    let clause = text[at + start.len()..].split([',', ';', ':']).next().unwrap_or_default();
                    clause
                        .split_whitespace()
                        .take(9)
                        .any(|word| CHANGES.contains(word.trim_matches(|c: char| !c.is_alphanumeric())))
                })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proposed(words: &str, front: &str, folder: &str) -> String {
        match propose(&Stated { words, front, folder }) {
            None => "nothing".to_owned(),
            Some(Proposal::ProtectedPaths { globs, by_hand, instead }) => {
                let how = if by_hand { " by hand" } else { "" };
                let instead = instead.map(|instead| format!(", instead {instead}")).unwrap_or_default();
                format!("protected{how}: {}{instead}", globs.join(" "))
            }
            Some(Proposal::InsteadOf { commands, instead }) => {
                format!("{instead} instead of {}", commands.join(" "))
            }
            Some(Proposal::BeforeCommit { run, files }) => {
                format!("before commit: {run} {}", files.join(" "))
            }
        }
    }

    #[test]
    fn cor_26_rules_of_three_kinds_are_proposed_with_what_they_are_about() {
        let table = [
            (
                "Never edit `src/gen/api.ts` by hand; run `make api`.",
                "protected by hand: src/gen/api.ts, instead make api",
            ),
            ("Do not modify files in `vendor/`.", "protected: vendor/**"),
            ("Never: Edit ui/schema.json manually", "protected by hand: ui/schema.json"),
            ("`docs/cli.md` is generated, edit `cli/help.rs` instead.", "protected by hand: docs/cli.md"),
            ("Use `pnpm`, never `npm` or `yarn`.", "pnpm instead of npm yarn"),
            ("Use pnpm - never npm or yarn.", "pnpm instead of npm yarn"),
            ("Use pnpm (not npm).", "pnpm instead of npm"),
            ("Do not run `cargo test` directly. Use `just test`.", "just test instead of cargo test"),
            ("Use `rg` instead of `grep`.", "rg instead of grep"),
            ("Prefer `uv pip install` over `pip install`.", "uv pip install instead of pip install"),
            ("Run `make lint` before committing.", "before commit: make lint "),
            ("Before you push, run `cargo fmt`.", "before commit: cargo fmt "),
            (
                "If you change `db/schema.sql`, run `make migrate`.",
                "before commit: make migrate db/schema.sql",
            ),
            ("`just docs` (after changes of the CLI)", "before commit: just docs "),
            ("Never: Skip cargo fmt", "before commit: cargo fmt "),
        ];
        for (words, wanted) in table {
            assert_eq!(proposed(words, "", ""), wanted, "{words}");
        }
        assert_eq!(proposed("Do not edit `api.json`.", "", "web"), "protected: web/**/api.json");
        assert_eq!(
            proposed("Run `make lint`", "Before committing", "web"),
            "before commit: make lint web/**"
        );
    }

    #[test]
    fn in_doubt_nothing_is_proposed() {
        for words in [
            "Do not use `unwrap`; use `?`.",
            "Run `make dev` to start the server.",
            "Do not edit `src/a.ts` unless you are asked to.",
            "You can run `just bench` to compare.",
            "The cache is in `src/cache.rs`.",
            "Do not change the public API.",
            "Use `cargo test -p core` for one crate.",
            "Avoid `Arc<Mutex<T>>`; prefer channels.",
            "Use `jq`, never `grep`, when reading JSON.",
            "`npm start` restarts when a file changes.",
            "Do not touch the read/write split of the store.",
        ] {
            assert_eq!(proposed(words, "", ""), "nothing", "{words}");
        }
    }
}
