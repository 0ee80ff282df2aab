//! Parses a transcript, a console session as text, and runs its commands again in scratch repositories.

use std::path::Path;

use crate::pty::line_on_terminal;
use crate::transcript::{files, shell_alone, steady};
use crate::world::{Answer, World};

/// The prefix of a line that begins a section.
const SECTION: &str = "=== ";

/// The prefixes of a command: without a terminal, on a terminal, and on a terminal where a person confirms it.
const COMMANDS: &[&str] = &["$ ", "% ", "& "];

/// For commands behind `&`: parts of the questions with which `ken` makes sure that a person is there, and what is typed then.
const PERSON_ANSWERS: &[(&str, &str)] = &[("requires a person. Type `yes` to continue: ", "yes\n")];

/// A part of a transcript.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    /// A comment or an empty line.
    Text(String),
    /// A new scratch repository.
    Section { line: String, world: String },
    /// A setting for the commands that follow.
    Setting { line: String, setting: Setting },
    /// A command with its lines in the file, what is typed if it has a terminal (question and answer), and the output in the file.
    Command {
        lines: Vec<String>,
        command: String,
        typed: Option<Vec<(String, String)>>,
        answered: Vec<String>,
    },
}

#[derive(Debug, PartialEq, Eq)]
enum Setting {
    /// Sets an environment variable, or unsets it.
    Variable(String, Option<String>),
    /// Whether `ken` must refuse the commands and leave all content of the store unchanged.
    Refused(bool),
    /// The width of the terminal.
    Columns(usize),
    /// Skips the rest of the section, and keeps its text, if this file does not exist.
    Needs(String),
}

/// The transcript with the output of this run, and why parts of it were skipped.
pub struct Replayed {
    pub text: String,
    pub skipped: Vec<String>,
}

/// Runs a transcript. An error is a transcript that cannot be parsed, or a command that broke a rule of all transcripts.
pub fn replay(text: &str) -> Result<Replayed, String> {
    let mut played = Replayed { text: String::new(), skipped: Vec::new() };
    let mut section: Option<SectionRun> = None;
    let mut missing = false;
    let whole = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    for part in read(text)? {
        let (lines, settled) = match part {
            Part::Text(line) => (vec![line], None),
            Part::Section { line, world } => {
                section = Some(SectionRun::new(&world)?);
                missing = false;
                (vec![line], None)
            }
            Part::Setting { line, setting } => {
                let section =
                    section.as_mut().ok_or_else(|| format!("{line:?} is before the first section"))?;
                if let Setting::Needs(file) = &setting
                    && !Path::new(file).exists()
                {
                    played.skipped.push(format!("a part of a transcript: no {file} here"));
                    missing = true;
                }
                section.set(setting);
                (vec![line], None)
            }
            Part::Command { lines, answered, .. } if missing => (lines, Some(whole(&answered))),
            Part::Command { lines, command, typed, .. } => {
                let section =
                    section.as_ref().ok_or_else(|| format!("{command:?} is before the first section"))?;
                let if_asked = if lines[0].starts_with("& ") { PERSON_ANSWERS } else { &[] };
                (lines, Some(section.run(&command, typed.as_deref(), if_asked)?))
            }
        };
        played.text += &whole(&lines);
        played.text += &settled.unwrap_or_default();
    }
    Ok(played)
}

/// Parses a transcript.
fn read(text: &str) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(rest) = line.strip_prefix(SECTION) {
            let world = rest.split_once(": ").map_or(rest, |(world, _)| world).to_owned();
            parts.push(Part::Section { line: line.to_owned(), world });
        } else if let Some(rest) = line.strip_prefix("@ ") {
            parts.push(Part::Setting { line: line.to_owned(), setting: setting(rest)? });
        } else if COMMANDS.iter().any(|mark| line.starts_with(mark)) {
            let mut seen = vec![line.to_owned()];
            let mut command = line[2..].to_owned();
            while let Some(line) = lines.next_if(|line| *line == ">" || line.starts_with("> ")) {
                seen.push(line.to_owned());
                command = format!("{command}\n{}", line.strip_prefix("> ").unwrap_or_default());
            }
            let mut typed = (!line.starts_with("$ ")).then(Vec::new);
            while let Some(line) = lines.next_if(|line| line.starts_with("< ")) {
                seen.push(line.to_owned());
                let typed = typed.as_mut().ok_or_else(|| format!("{line:?}: nothing is typed behind `$`"))?;
                typed.push(answer(line)?);
            }
            let mut answered: Vec<String> = Vec::new();
            while let Some(line) = lines.next_if(|line| !begins_a_part(line)) {
                answered.push(line.to_owned());
            }
            // Empty lines at the end are no output.
            let end = answered.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
            let empty = answered.split_off(end);
            parts.push(Part::Command { lines: seen, command, typed, answered });
            parts.extend(empty.into_iter().map(Part::Text));
        } else if line.is_empty() || line.starts_with('#') {
            parts.push(Part::Text(line.to_owned()));
        } else {
            return Err(format!("{line:?} follows no command and is no comment"));
        }
    }
    Ok(parts)
}

fn begins_a_part(line: &str) -> bool {
    line == "#" || ["# ", "@ ", SECTION].iter().chain(COMMANDS).any(|mark| line.starts_with(mark))
}

fn setting(rest: &str) -> Result<Setting, String> {
    let (word, value) = rest.split_once(' ').unwrap_or((rest, ""));
    match (word, value, value.split_once('=')) {
        ("set", _, Some((name, value))) => Ok(Setting::Variable(name.to_owned(), Some(value.to_owned()))),
        ("unset", _, None) => Ok(Setting::Variable(value.to_owned(), None)),
        ("refused", "on", _) => Ok(Setting::Refused(true)),
        ("refused", "off", _) => Ok(Setting::Refused(false)),
        ("columns", _, _) => {
            value.parse().map(Setting::Columns).map_err(|_| format!("`@ {rest}` is no number"))
        }
        ("needs", _, _) => Ok(Setting::Needs(value.to_owned())),
        _ => Err(format!("there is no setting `@ {rest}`")),
    }
}

/// `< "question" words` is typed, with the enter key, once the question is on the screen.
fn answer(line: &str) -> Result<(String, String), String> {
    let parts = line.strip_prefix("< \"").and_then(|rest| rest.split_once('"'));
    let (question, words) = parts.ok_or_else(|| format!("{line:?}: write < \"question\" answer"))?;
    Ok((question.to_owned(), format!("{}\n", words.strip_prefix(' ').unwrap_or(words))))
}

/// A section while it runs.
struct SectionRun {
    world: World,
    columns: usize,
    refused: bool,
}

/// The evidence, anchor and verification of the prepared lessons.
const REST: &str = "--evidence pr:1 --anchor src/net.rs --verify look";

impl SectionRun {
    /// Creates the scratch repository that the section names.
    fn new(world: &str) -> Result<SectionRun, String> {
        let with_lessons = |lessons: &[(&str, &str)]| {
            let world = World::with_store();
            for (id, statement) in lessons {
                shell_alone(&world, &format!("ken add lesson '{statement}' --id {id} {REST}")).ok();
            }
            world
        };
        let world = match world {
            "bare" => World::bare(),
            "repository" => World::repository(),
            "store" => World::with_store(),
            "one" => with_lessons(&[("one", "Retry with jitter.")]),
            "three" => {
                let world = with_lessons(&[
                    ("one", "Retry with jitter."),
                    ("two", "Close what you open."),
                    ("three", "Name the unit."),
                ]);
                world.git("add -A");
                world.git("commit -q -m three");
                world
            }
            other => {
                let known = "bare, repository, store, one, three";
                return Err(format!(
                    "there is no world {other:?}; a section begins `=== WORLD: ` with one of {known}"
                ));
            }
        };
        Ok(SectionRun { world, columns: 100, refused: false })
    }

    fn set(&mut self, setting: Setting) {
        match setting {
            Setting::Variable(name, value) => {
                self.world.env.retain(|(known, _)| *known != name);
                self.world.env.extend(value.map(|value| (name, value)));
            }
            Setting::Refused(refused) => self.refused = refused,
            Setting::Columns(columns) => self.columns = columns,
            Setting::Needs(_) => {}
        }
    }

    /// Runs a command and renders its output; or says which rule it broke.
    fn run(
        &self,
        command: &str,
        typed: Option<&[(String, String)]>,
        if_asked: &[(&str, &str)],
    ) -> Result<String, String> {
        let of_ken = command.split_whitespace().any(|word| word == "ken");
        let before = (self.refused && of_ken).then(|| files(&self.world));
        let answer = match typed {
            Some(typed) => line_on_terminal(&self.world, self.columns, command, typed, if_asked),
            None => shell_alone(&self.world, command),
        };
        // The echo of what was typed may be wider than the terminal.
        let shown = answer.out.lines().filter(|_| typed.is_some_and(<[_]>::is_empty) && if_asked.is_empty());
        let widest = shown.map(visible_width).max().unwrap_or_default();
        let wrong = if answer.out.contains("panicked at") || answer.err.contains("panicked at") {
            "this panicked".to_owned()
        } else if before.is_some() && answer.code == 0 {
            "this was not refused".to_owned()
        } else if before.is_some_and(|before| files(&self.world) != before) {
            "this was refused, and changed the store".to_owned()
        } else if widest > self.columns {
            format!("a line of {widest} columns is on a terminal of {}", self.columns)
        } else {
            return Ok(render(&self.world, &answer));
        };
        Err(format!("{wrong}:\n$ {command}\n{}{}", answer.out, answer.err))
    }
}

/// The number of columns of a line, without colour codes.
fn visible_width(line: &str) -> usize {
    let mut parts = line.split('\u{1b}');
    let first = parts.next().map_or(0, |text| text.chars().count());
    first + parts.map(|text| text.split_once('m').map_or(0, |(_, text)| text.chars().count())).sum::<usize>()
}

/// Standard output as it is, standard error behind `! `, and an exit code that is not 0 behind `? `. An escape character, which
/// begins a colour, is written as `␛`.
fn render(world: &World, answer: &Answer) -> String {
    let out = steady(world, &answer.out).replace('\u{1b}', "␛");
    let mut lines: Vec<String> = out.lines().map(escaped).collect();
    if let Some(last) = lines.last_mut().filter(|last| last.is_empty()) {
        last.push('\\');
    }
    lines.extend(steady(world, &answer.err).lines().map(|line| format!("! {line}").trim_end().to_owned()));
    lines.extend(Some(format!("? {}", answer.code)).filter(|_| answer.code != 0));
    lines.into_iter().map(|line| line + "\n").collect()
}

/// A line of output, with a `\` in front where it would look like another part of a transcript.
fn escaped(line: &str) -> String {
    let marked =
        line.starts_with(['$', '%', '&', '#', '@', '<', '>', '!', '?', '\\']) || line.starts_with(SECTION);
    if marked { format!("\\{line}") } else { line.to_owned() }
}

/// Tests of the runner itself.
pub const CHECKS: &[(&str, fn())] = &[
    ("an_answer_is_written_down_as_it_was", || {
        let script = "printf 'a\\n# b\\n\\n'; echo \"$NAME\" >&2; exit 3";
        let before = format!("# About.\n\n=== bare: one\n@ set NAME=Ada\n$ {script}\n");
        let played = played(&format!("{before}\n# Next.\n$ true\n"));
        assert_eq!(played, format!("{before}a\n\\# b\n\\\n! Ada\n? 3\n\n# Next.\n$ true\n"));
        // What was written down is read as it was meant.
        stays(&played);
    }),
    ("a_wrong_answer_is_not_kept", || {
        assert_eq!(played("=== bare: one\n$ echo new\nold\n? 4\n"), "=== bare: one\n$ echo new\nnew\n");
    }),
    ("a_command_of_many_lines_is_one_command", || {
        stays(
            "=== bare: one\n$ cat > file <<'END'\n> first\n>\n> third\n> END\n$ cat file\nfirst\n\nthird\n",
        );
    }),
    ("what_this_machine_lacks_is_left_as_it_is", || {
        let text = "=== bare: one\n@ needs /no/such/file\n$ cat /no/such/file\nits content\n";
        stays(text);
        assert_eq!(replay(text).map(|played| played.skipped.len()), Ok(1));
    }),
    ("each_section_begins_anew", || {
        let first = "=== bare: one\n@ set NAME=Ada\n$ echo \"$NAME\" > file\n";
        stays(&format!("{first}\n=== bare: two\n$ ls\n$ echo \"[$NAME]\"\n[]\n"));
    }),
    ("what_must_be_refused_is_refused_and_changes_nothing", || {
        let fault = |command: &str| fault(&format!("=== store: one\n@ refused on\n$ {command}\n"));
        assert_eq!(fault("ken nothing-like-it"), None);
        assert_eq!(fault("ken list").as_deref(), Some("this was not refused:"));
        let changed = fault("echo x >> .kenning/VERSION; ken nothing-like-it");
        assert_eq!(changed.as_deref(), Some("this was refused, and changed the store:"));
    }),
    ("a_line_that_does_not_fit_the_terminal_is_noticed", || {
        let fault = |command: &str| fault(&format!("=== bare: one\n@ columns 20\n% {command}\n"));
        assert_eq!(fault("printf '\\033[1m%20s\\033[0m\\n' x"), None);
        let wide = fault("printf '%21s\\n' x");
        assert_eq!(wide.as_deref(), Some("a line of 21 columns is on a terminal of 20:"));
    }),
    ("a_panic_is_noticed", || {
        let told = fault("=== bare: one\n$ echo \"thread 'main' panicked at x.rs\" >&2\n");
        assert_eq!(told.as_deref(), Some("this panicked:"));
    }),
    ("a_transcript_that_cannot_be_read_is_an_error", || {
        for text in ["words\n", "$ true\n", "=== moon: one\n", "=== bare: one\n@ refused often\n"] {
            assert!(fault(text).is_some(), "{text}");
        }
        assert!(fault("=== bare: one\n$ true\n< \"Name?\" Ada\n").is_some());
    }),
    ("a_person_is_asked_on_the_controlling_terminal", || {
        let script = "printf 'Name? ' > /dev/tty; read name < /dev/tty; echo \"Hello $name.\"";
        stays(&format!("=== bare: one\n% {script}\n< \"Name?\" Ada\nName? Ada\nHello Ada.\n"));
        // Behind `&` the runner answers that a person is there.
        let question = "This requires a person. Type `yes` to continue: ";
        let script = format!("printf '{question}'; read word; echo \"[$word]\"");
        stays(&format!("=== bare: one\n& {script}\n{question}yes\n[yes]\n"));
    }),
];

fn played(text: &str) -> String {
    replay(text).map(|played| played.text).unwrap_or_else(|fault| panic!("{fault}"))
}

/// Insists that a transcript is answered as it stands.
fn stays(text: &str) {
    assert_eq!(played(text), text);
}

/// The first line of what is wrong with a transcript.
fn fault(text: &str) -> Option<String> {
    replay(text).err().map(|fault| fault.lines().next().unwrap_or_default().to_owned())
}
