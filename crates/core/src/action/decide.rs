//! Holds an action against the rules in force.

use ken_language::WordList;
use ken_shell::{Arguments, DELETED_REFSPEC, FORCED_REFSPEC, Operand, Opt, Standing};

use super::glob::{self, Text};
use super::invocation::{Invocation, Mode, Output, invocations};
use super::rule::{CommandPattern, Form, Names, OptionPattern, Rule, Verdict, folded};
use super::{Action, Branch, Place, UNKNOWN, dependency, is_unknown, path, writes};

use crate::limits::action_decide::{LINKED_MAX, PART_CHARS_MAX, PATH_CHARS_MAX};

/// What becomes of an action, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// Whether it is denied, or a person is asked.
    pub verdict: Verdict,
    /// The rule, by its place in the list.
    pub rule: usize,
    /// The part of the action that the rule speaks of: a command of the line, or a file.
    pub part: String,
    /// Why, in words.
    pub why: String,
}

/// What the rules say of an action. The strictest verdict counts, and among equals the first rule; none is that nothing speaks against it.
pub fn decide(rules: &[Rule], action: &Action<'_>, place: &Place<'_>) -> Option<Decision> {
    decide_following(rules, action, place, &|_| None)
}

/// The same where somebody knows links: `leads` says which path an absolute one leads to, and none where it is what it is called. A file
/// is then judged by its name and by where that leads.
pub fn decide_following(
    rules: &[Rule],
    action: &Action<'_>,
    place: &Place<'_>,
    leads: &dyn Fn(&str) -> Option<String>,
) -> Option<Decision> {
    let deeds = Effects::collect(action, place, leads);
    let mut decided: Option<Decision> = None;
    for (at, rule) in rules.iter().enumerate() {
        let Some(found) = deeds.matched(rule) else { continue };
        let (verdict, why) = match found.certainty {
            Certainty::Sure => (rule.verdict(), found.why),
            Certainty::Maybe => (
                Verdict::Ask,
                format!("{}; the command line does not show whether this is intended", found.why),
            ),
        };
        if decided.as_ref().is_none_or(|decided| verdict > decided.verdict) {
            decided = Some(Decision { verdict, rule: at, part: found.part, why });
        }
    }
    if decided.is_none() && deeds.cut_short && !rules.is_empty() {
        let why = "the command line is too long or too deeply nested to be analysed";
        decided = Some(Decision {
            verdict: Verdict::Ask,
            rule: 0,
            part: "the line".to_owned(),
            why: why.to_owned(),
        });
    }
    decided
}

/// Whether a rule speaks of something for certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Certainty {
    /// It depends on something that only running it would tell.
    Maybe,
    Sure,
}

struct Match {
    certainty: Certainty,
    part: String,
    why: String,
}

/// An action taken apart: what it starts, which files it changes, which dependencies it adds.
struct Effects<'a> {
    root: String,
    leads: &'a dyn Fn(&str) -> Option<String>,
    /// Links that the line itself makes, and what each leads to.
    linked: Vec<(String, String)>,
    started: Vec<Started>,
    changes: Vec<Change>,
    /// A name, and what adds it.
    dependencies: Vec<(String, String)>,
    /// There is more in the line than was read.
    cut_short: bool,
}

/// A program that is started. A `git push` of several branches is several of these.
struct Started {
    invocation: Invocation,
    variants: Vec<Arguments>,
}

struct Change {
    /// Absolute, or below the home folder.
    full: String,
    /// From the top of the repository, where it lies in there.
    relative: Option<String>,
    mode: Mode,
    read: Text,
    by: String,
}

impl<'a> Effects<'a> {
    fn collect(
        action: &Action<'_>,
        place: &Place<'_>,
        leads: &'a dyn Fn(&str) -> Option<String>,
    ) -> Effects<'a> {
        let mut deeds = Effects {
            root: path::normal(place.root),
            leads,
            linked: Vec::new(),
            started: Vec::new(),
            changes: Vec::new(),
            dependencies: Vec::new(),
            cut_short: false,
        };
        let folder = path::join(place.root, place.folder);
        match action {
            Action::Command { line } => {
                let walked = invocations(line, place);
                deeds.cut_short = walked.cut_short;
                for invocation in walked.started {
                    deeds.start(invocation);
                }
            }
            Action::Edit { path, old, new } => {
                deeds.change(&folder, path, Mode::Replace, Text::Plain, "an edit");
                if let Some(new) = new {
                    deeds.depend(&folder, path, *old, new);
                }
            }
            Action::Write { path, content, before } => {
                deeds.change(&folder, path, Mode::Replace, Text::Plain, "a write");
                deeds.depend(&folder, path, *before, content);
            }
        }
        deeds
    }

    fn depend(&mut self, folder: &str, path: &str, before: Option<&str>, after: &str) {
        let led = self.followed(folder, path, Mode::Replace);
        for path in std::iter::once(path).chain(led.iter().map(String::as_str)) {
            let added = dependency::added_by_change(path, before, after);
            self.dependencies.extend(added.into_iter().map(|name| (name, path.to_owned())));
        }
    }

    fn start(&mut self, invocation: Invocation) {
        let arguments = Arguments::read(&invocation.words);
        let line = shown(&invocation);
        for (link, target) in writes::links(&invocation, &arguments) {
            if self.linked.len() >= LINKED_MAX {
                break;
            }
            self.linked
                .push((path::join(&invocation.folder, &link), path::join(&invocation.folder, &target)));
        }
        for output in writes::outputs(&invocation, &arguments) {
            self.change(&invocation.folder, &output.path, output.mode, Text::ShellGlob, &line);
            let full = path::join(&invocation.folder, &output.path);
            if path::relative(&self.root, &full).is_some() {
                let added = added_by_output(&output, &arguments);
                self.dependencies.extend(added.into_iter().map(|name| (name, line.clone())));
            }
        }
        if path::relative(&self.root, &invocation.folder).is_some() {
            let added = dependency::added_by_command(&arguments);
            self.dependencies.extend(added.into_iter().map(|name| (name, line.clone())));
        }
        let variants = if arguments.program == "git" && arguments.subcommand() == "push" {
            pushes(&arguments, &invocation.branch)
        } else {
            vec![arguments]
        };
        self.started.push(Started { invocation, variants });
    }

    fn change(&mut self, folder: &str, path: &str, mode: Mode, read: Text, by: &str) {
        if folder.len() + path.len() > PATH_CHARS_MAX {
            return;
        }
        let led = self.followed(folder, path, mode);
        for full in std::iter::once(path::join(folder, path)).chain(led) {
            let relative = path::relative(&self.root, &full).filter(|relative| !relative.is_empty());
            self.changes.push(Change { full, relative, mode, read, by: by.to_owned() });
        }
    }

    /// Where a path leads besides its own name. Whoever removes a link removes nothing behind it.
    fn followed(&self, folder: &str, path: &str, mode: Mode) -> Vec<String> {
        let full = path::join(folder, path);
        let by_name = |link: &str, target: &str| {
            let rest = full.strip_prefix(link)?;
            let is_behind = rest.starts_with('/') || (rest.is_empty() && mode != Mode::Remove);
            is_behind.then(|| format!("{target}{rest}"))
        };
        let mut led: Vec<String> =
            self.linked.iter().filter_map(|(link, target)| by_name(link, target)).collect();
        // A `..` behind a link is not the folder that the link is in, so the path is asked for as it is written.
        let written = if full == path::normal(path) { path.to_owned() } else { format!("{folder}/{path}") };
        let written = written.trim_end_matches('/');
        let real = match (mode, written.rsplit_once('/')) {
            (Mode::Remove, Some((above, name))) => (self.leads)(above).map(|above| format!("{above}/{name}")),
            _ => (self.leads)(written),
        };
        led.extend(real.map(|real| path::normal(&real)).filter(|real| *real != full));
        led
    }

    fn matched(&self, rule: &Rule) -> Option<Match> {
        match &rule.form {
            Form::Command(stages) => self.command(stages),
            Form::Edit(globs) => self.changes.iter().find(|change| change.is_meant(globs)).map(|change| {
                let part = change.relative.clone().unwrap_or_else(|| change.full.clone());
                let why = match change.mode {
                    Mode::Remove => format!("{} removes or moves {}", change.by, visible(&part)),
                    Mode::Replace | Mode::Append => format!("{} changes {}", change.by, visible(&part)),
                };
                Match { certainty: Certainty::Sure, part: visible(&part), why }
            }),
            Form::Dependency(names) => {
                let found = self.dependencies.iter().find(|(name, _)| names.includes(name));
                found.map(|(name, by)| Match {
                    certainty: Certainty::Sure,
                    part: by.clone(),
                    why: format!("{by} adds the dependency {}", visible(name)),
                })
            }
        }
    }

    fn command(&self, stages: &[CommandPattern]) -> Option<Match> {
        let (last, before) = stages.split_last()?;
        let mut best: Option<Match> = None;
        for started in &self.started {
            let mut certainty = None;
            if before.is_empty() {
                certainty = started.certainty(last, self);
            } else if started.is_program(last) && before.iter().all(|stage| self.feeds(started, stage)) {
                certainty = Some(Certainty::Sure);
            }
            let Some(certainty) = certainty else { continue };
            if best.as_ref().is_none_or(|best| certainty > best.certainty) {
                let part = shown(&started.invocation);
                let why = match before.is_empty() {
                    true => format!("the command line runs `{part}`"),
                    false => format!("the command line runs the output of another program: `{part}`"),
                };
                best = Some(Match { certainty, part, why });
            }
        }
        best
    }

    /// Whether a program runs what this stage prints.
    fn feeds(&self, started: &Started, stage: &CommandPattern) -> bool {
        let sources = started.invocation.fed_by.iter().filter_map(|at| self.started.get(*at));
        sources.into_iter().any(|source| source.certainty(stage, self).is_some())
    }
}

/// The dependencies that a shell command writes into a manifest.
fn added_by_output(output: &Output, arguments: &Arguments) -> Vec<String> {
    match (&output.text, arguments.program.as_str()) {
        (Some(text), _) => dependency::added_by_change(&output.path, None, text),
        (None, "sed" | "gsed") => {
            let given: Vec<&str> = arguments.values(&["-e", "--expression"]).collect();
            let first =
                arguments.operands.iter().map(|operand| operand.text.as_str()).find(|text| !text.is_empty());
            let scripts = if given.is_empty() { first.into_iter().collect() } else { given };
            scripts.into_iter().flat_map(|script| dependency::added_by_sed(&output.path, script)).collect()
        }
        (None, _) => Vec::new(),
    }
}

impl Change {
    fn is_meant(&self, globs: &Names) -> bool {
        let matches = |glob: &str, read: Text| {
            let is_outside = glob.starts_with('/') || glob.starts_with('~');
            match (&self.relative, is_outside) {
                (_, true) => glob::matches(glob, &self.full, read),
                (Some(relative), false) => glob::matches(glob, relative, read),
                (None, false) => false,
            }
        };
        let any = |globs: &[String], read: Text| globs.iter().any(|glob| matches(glob, read));
        if any(&globs.any_of, self.read) {
            // `vendor/*` names more than the one file that is excepted.
            return !any(&globs.except, Text::Plain);
        }
        // Who removes a folder removes what is in it.
        self.mode == Mode::Remove
            && self.relative.as_ref().is_some_and(|folder| {
                let inside = format!("{folder}/");
                let mut prefixes = globs.any_of.iter().filter_map(|glob| glob::literal_prefix(glob));
                prefixes.any(|prefix| prefix.starts_with(&inside))
            })
    }
}

impl Names {
    fn includes(&self, name: &str) -> bool {
        let any =
            |patterns: &[String]| patterns.iter().any(|glob| glob::matches_word(glob, name, Text::Plain));
        any(&self.any_of) && !any(&self.except)
    }
}

/// Programs without subcommands: every operand is alike.
static PLAIN: WordList = WordList::new(include_str!("../../words/action/plain.txt"));

/// What `eval` and `source` are, for a rule about shells.
const SHELL_WORDS: &[&str] = &["eval", "source", "."];

impl Started {
    fn is_program(&self, pattern: &CommandPattern) -> bool {
        self.variants.iter().any(|arguments| {
            let named =
                |name: &str| pattern.programs.iter().any(|program| glob::matches(program, name, Text::Plain));
            named(&arguments.program)
                || (SHELL_WORDS.contains(&arguments.program.as_str()) && (named("sh") || named("bash")))
        })
    }

    fn certainty(&self, pattern: &CommandPattern, deeds: &Effects<'_>) -> Option<Certainty> {
        let named = |arguments: &Arguments| {
            pattern.programs.iter().any(|program| glob::matches(program, &arguments.program, Text::Plain))
        };
        let fits = self.variants.iter().filter(|arguments| named(arguments));
        fits.filter_map(|arguments| self.variant(arguments, pattern, deeds)).max()
    }

    fn variant(
        &self,
        arguments: &Arguments,
        pattern: &CommandPattern,
        deeds: &Effects<'_>,
    ) -> Option<Certainty> {
        let environment = &self.invocation.environment;
        let is_set = |(name, value): &(String, String)| {
            let given = environment.iter().rev().find(|(given, _)| given == name);
            given.is_some_and(|(_, given)| glob::matches_word(value, given, Text::Plain))
        };
        if !pattern.environment.iter().all(is_set) {
            return None;
        }
        // Whoever asks a program for help runs nothing.
        if arguments.has(&["--help", "-help"]) {
            return None;
        }
        if !self.has_options(arguments, pattern) || !self.has_texts(pattern) {
            return None;
        }
        let words = self.has_words(arguments, pattern, deeds)?;
        Some(words.min(self.is_on_branch(pattern)?))
    }

    fn is_on_branch(&self, pattern: &CommandPattern) -> Option<Certainty> {
        if pattern.branches.is_empty() {
            return Some(Certainty::Sure);
        }
        match &self.invocation.branch {
            Branch::Known(branch) => {
                let is_one =
                    pattern.branches.iter().any(|glob| glob::matches_word(glob, branch, Text::Plain));
                is_one.then_some(Certainty::Sure)
            }
            Branch::Unknown => Some(Certainty::Maybe),
            Branch::Elsewhere => None,
        }
    }

    fn has_options(&self, arguments: &Arguments, pattern: &CommandPattern) -> bool {
        let is_option = |name: &&String| name.starts_with('-');
        let excepted: Vec<&str> = pattern.except.iter().filter(is_option).map(String::as_str).collect();
        let names_of = |name: &str| {
            let mut names: Vec<String> = arguments.names_of(name).into_iter().map(str::to_owned).collect();
            names.push(name.to_owned());
            names
        };
        let has_name = |name: &str, value: &Option<String>| {
            let mut names = names_of(name);
            // `--force except --force-with-lease` is met by the other ways to force only.
            names.retain(|name| !excepted.contains(&name.as_str()));
            arguments.options.iter().any(|option| {
                names.contains(&option.name)
                    && match (value, &option.value) {
                        (None, _) => true,
                        (Some(wanted), Some(given)) => {
                            glob::matches_word(&wanted.to_lowercase(), &given.to_lowercase(), Text::Plain)
                        }
                        (Some(_), None) => false,
                    }
            })
        };
        // `-rf` is met by `-fr`, by `-r -f` and by `--recursive --force`.
        let is_given = |wanted: &OptionPattern| {
            has_name(&wanted.name, &wanted.value)
                || arguments.letters(&wanted.name).is_some_and(|letters| {
                    wanted.value.is_none() && letters.iter().all(|letter| has_name(letter, &None))
                })
        };
        if !pattern.options.iter().all(|alternatives| alternatives.iter().any(is_given)) {
            return false;
        }
        // `publish except --dry-run`: an option that nothing in the rule asks for excuses the command.
        let asked: Vec<String> =
            pattern.options.iter().flatten().flat_map(|option| names_of(&option.name)).collect();
        !excepted.iter().any(|name| {
            !asked.iter().any(|asked| asked == name)
                && names_of(name).iter().any(|name| arguments.has(&[name.as_str()]))
        })
    }

    fn has_texts(&self, pattern: &CommandPattern) -> bool {
        if pattern.texts.is_empty() {
            return true;
        }
        let mut said = folded(&self.invocation.words[1..].join(" "));
        if let Some(input) = &self.invocation.input {
            said.push(' ');
            said.push_str(&folded(input));
        }
        pattern.texts.iter().all(|alternatives| alternatives.iter().any(|text| said.contains(text)))
    }

    /// Whether the operands have the words of the pattern in order.
    fn has_words(
        &self,
        arguments: &Arguments,
        pattern: &CommandPattern,
        deeds: &Effects,
    ) -> Option<Certainty> {
        let excepted: Vec<&String> = pattern.except.iter().filter(|word| !word.starts_with('-')).collect();
        let mut certainty = Certainty::Sure;
        let mut rest = arguments.operands.as_slice();
        for (number, alternatives) in pattern.words.iter().enumerate() {
            let is_anchored = number == 0
                && !PLAIN.contains(arguments.program.as_str())
                && alternatives.iter().all(|word| is_subcommand(word));
            let mut found = None;
            for (at, operand) in rest.iter().enumerate() {
                if let Some(how) = self.is_word(operand, alternatives, &excepted, deeds) {
                    found = Some((at, how));
                    break;
                }
                if is_anchored && operand.standing != Standing::AfterOption {
                    break;
                }
            }
            let (at, how) = found?;
            certainty = certainty.min(how);
            rest = &rest[at + 1..];
        }
        Some(certainty)
    }

    fn is_word(
        &self,
        operand: &Operand,
        alternatives: &[String],
        excepted: &[&String],
        deeds: &Effects,
    ) -> Option<Certainty> {
        if operand.standing == Standing::Every {
            return Some(Certainty::Sure);
        }
        let text = operand.text.as_str();
        let bare = match text.strip_prefix("./").unwrap_or(text).trim_end_matches('/') {
            "" if text.starts_with('/') => "/",
            "" => text,
            bare => bare,
        };
        let from_top = path::relative(&deeds.root, &path::join(&self.invocation.folder, text));
        let spellings = [Some(text), Some(bare), from_top.as_deref().filter(|path| !path.is_empty())];
        let fits = |glob: &str, read: Text| {
            spellings.iter().flatten().any(|text| glob::matches_word(glob, text, read))
        };
        if excepted.iter().any(|glob| fits(glob, Text::Plain)) {
            return None;
        }
        if alternatives.iter().any(|glob| fits(glob, Text::Plain)) {
            return Some(Certainty::Sure);
        }
        // Only where something goes is worth a question; an unknown file name is everyday.
        (is_unknown(text) && self.is_push() && alternatives.iter().any(|glob| fits(glob, Text::Guess)))
            .then_some(Certainty::Maybe)
    }

    fn is_push(&self) -> bool {
        self.variants.iter().any(|arguments| arguments.program == "git" && arguments.subcommand() == "push")
    }
}

/// A word that names a subcommand: it has nothing of a path or a wildcard.
fn is_subcommand(word: &str) -> bool {
    word.starts_with(|char: char| char.is_ascii_alphabetic())
        && word.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | ':'))
}

/// A `git push` for each branch that it changes, with the branch as an operand. A dry run changes none.
fn pushes(arguments: &Arguments, branch: &Branch) -> Vec<Arguments> {
    if arguments.has(&["--dry-run", "-n"]) {
        return Vec::new();
    }
    let operand = |text: &str| Operand { text: text.to_owned(), standing: Standing::Sure };
    let current = || match branch {
        Branch::Known(branch) => Some(operand(branch)),
        Branch::Unknown => Some(operand(&UNKNOWN.to_string())),
        Branch::Elsewhere => None,
    };
    let mut words = arguments.operands.iter();
    let head: Vec<Operand> = words.by_ref().take(2).cloned().collect();
    let variant = |destination: Option<Operand>, mark: Option<&str>| {
        let mut variant = arguments.clone();
        variant.operands = head.iter().cloned().chain(destination).collect();
        variant.options.extend(mark.map(|name| Opt { name: name.to_owned(), value: None }));
        variant
    };
    let mut found = Vec::new();
    let mut words = words.peekable();
    if words.peek().is_none() {
        let destination = if arguments.has(&["--all", "--mirror", "--branches"]) {
            Some(Operand { text: "*".to_owned(), standing: Standing::Every })
        } else if arguments.has(&["--tags"]) {
            None
        } else {
            current()
        };
        return vec![variant(destination, None)];
    }
    while let Some(word) = words.next() {
        // `tag v1` is the tag of that name.
        if word.text == "tag" {
            let name = words.next().map_or("", |word| word.text.as_str());
            found.push(variant(Some(operand(&format!("refs/tags/{name}"))), None));
            continue;
        }
        let (is_forced, refspec) = match word.text.strip_prefix('+') {
            Some(rest) => (true, rest),
            None => (false, word.text.as_str()),
        };
        let (source, destination) = match refspec.split_once(':') {
            Some((source, "")) => (source, source),
            Some((source, destination)) => (source, destination),
            None => (refspec, refspec),
        };
        let is_deletion = source.is_empty();
        let mark = match (is_forced, is_deletion) {
            (true, _) => Some(FORCED_REFSPEC),
            (false, true) => Some(DELETED_REFSPEC),
            (false, false) => None,
        };
        let short = destination.strip_prefix("refs/heads/").or_else(|| destination.strip_prefix("heads/"));
        let destination = match short.unwrap_or(destination) {
            "HEAD" | "@" => current(),
            "*" => Some(Operand { text: "*".to_owned(), standing: Standing::Every }),
            name => Some(operand(name)),
        };
        found.push(variant(destination, mark));
    }
    found
}

/// An invocation as a person reads it.
fn shown(invocation: &Invocation) -> String {
    match invocation.words.is_empty() {
        true => "a redirection".to_owned(),
        false => visible(&invocation.words.join(" ")),
    }
}

fn visible(text: &str) -> String {
    let text = text.replace(UNKNOWN, "…");
    let mut short: String =
        text.chars().take(PART_CHARS_MAX).map(|char| if char == '\n' { ' ' } else { char }).collect();
    if short.len() < text.len() && text.chars().count() > PART_CHARS_MAX {
        short.push('…');
    }
    short
}
