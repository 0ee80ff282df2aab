//! What a person or a program sees: tables, lines, JSON, errors and notes.

use std::borrow::Cow;
use std::fmt::Arguments;
use std::hash::{BuildHasher, RandomState};
use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::{LazyLock, OnceLock};

use anstream::adapter::strip_str;
use anstream::{AutoStream, ColorChoice};
use comfy_table::{ColumnConstraint, ContentArrangement, Table, Width, presets};
use kenning::core::{Code, Refusal};
use kenning::{Error, Listing, Result};
use serde::Serialize;
use serde_json::{Value, json};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::limits::PRINTED_TOGETHER_BYTES_MIN;

/// A line on standard output. A reader that has seen enough (`ken list | head`) is no error.
macro_rules! line_out {
    () => { $crate::output::print(format_args!("")) };
    ($($words:tt)*) => { $crate::output::print(format_args!($($words)*)) };
}
/// A line on standard error, for people.
macro_rules! line_err {
    ($($words:tt)*) => { $crate::output::tell(format_args!($($words)*)) };
}
pub(crate) use {line_err as eprintln, line_out as println};

/// Why standard output did not take an answer.
static LOST: OnceLock<String> = OnceLock::new();

/// Whether standard output shows no colours.
fn is_plain() -> bool {
    static IS_PLAIN: OnceLock<bool> = OnceLock::new();
    *IS_PLAIN.get_or_init(|| AutoStream::choice(&std::io::stdout()) == ColorChoice::Never)
}

/// Writes a line to standard output. What cannot be written is remembered, see [`lost`].
pub fn print(text: Arguments<'_>) {
    let text = text.to_string();
    // A program that reads a pipe gets the text without escapes, and without what hides some of it.
    let text = if is_plain() && !on_terminal() { unhidden(&text) } else { own_colours_only(&text) };
    if !crate::pager::take(&text) {
        put(&text);
    }
}

/// Writes a line whose colours are those of a terminal.
pub(crate) fn put(text: &str) {
    let written = if is_plain() {
        // The stream that leaves colours out writes every line by itself.
        let line = strip_str(&format!("{text}\n")).to_string();
        std::io::stdout().lock().write_all(line.as_bytes())
    } else {
        writeln!(anstream::stdout().lock(), "{text}")
    };
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => drop(LOST.set(error.to_string())),
        Err(_) | Ok(()) => {}
    }
}

/// Writes a line to standard error. When nobody listens there, nobody can be told.
pub fn tell(text: Arguments<'_>) {
    let text = text.to_string();
    drop(writeln!(anstream::stderr().lock(), "{}", own_colours_only(&text)));
}

/// Puts a question on standard error; the answer is typed behind it.
pub fn tell_question(text: &str) {
    let mut out = anstream::stderr().lock();
    drop(write!(out, "{}", own_colours_only(text)).and_then(|()| out.flush()));
}

/// Why part of the answer is missing, if it is.
pub fn lost() -> Option<&'static str> {
    LOST.get().map(String::as_str)
}

/// How answers are given.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    /// In JSON.
    pub json: bool,
    /// Without notes.
    pub quiet: bool,
}

/// Exit codes, documented in `docs/reference/exit-codes.md`.
pub mod exit {
    /// It worked.
    pub const OK: u8 = 0;
    /// A check found something wrong.
    pub const FOUND: u8 = 1;
    /// The request is not well-formed.
    pub const USAGE: u8 = 2;
    /// There is no such entry, store or commit.
    pub const NOT_FOUND: u8 = 3;
    /// A rule says no.
    pub const REFUSED: u8 = 4;
    /// Nothing may be written here.
    pub const READ_ONLY: u8 = 5;
    /// The world failed: disk, git, permissions.
    pub const FAILED: u8 = 6;
    /// Stopped by Ctrl-C.
    pub const INTERRUPTED: u8 = 130;
}

impl Output {
    /// An answer: JSON for programs, else whatever `human` prints.
    pub fn answer<T: Serialize>(&self, value: &T, human: impl FnOnce()) -> Result<()> {
        if self.json {
            let text = serde_json::to_string_pretty(value).map_err(Error::failed("writing the answer"))?;
            println!("{}", escaped(&text));
        } else {
            human();
        }
        Ok(())
    }

    /// A note for people, on standard error.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            tell_wrapped(&format!("note: {}", without_secrets(text)));
        }
    }

    /// An error, for people on standard error and for programs on standard output; gives the exit code.
    pub fn error(&self, error: &Error) -> u8 {
        match error {
            Error::Refused(refusal) => self.refusal(refusal),
            Error::Busy(_) | Error::Full(_) | Error::Damaged(..) | Error::Denied(_) | Error::Failed(_) => {
                self.say_error(error.code(), &error.to_string(), error.hint(), None, &[]);
                exit::FAILED
            }
        }
    }

    fn refusal(&self, refusal: &Refusal) -> u8 {
        let field = refusal.faults.first().map(|fault| fault.field.as_str());
        let faults: Vec<Value> = refusal
            .faults
            .iter()
            .map(|fault| json!({"field": fault.field, "problem": fault.problem}))
            .collect();
        self.say_error(refusal.code.word(), &refusal.message, refusal.hint.as_deref(), field, &faults);
        match refusal.code {
            Code::Invalid | Code::Ambiguous | Code::Incomplete | Code::ProvenanceRequired => exit::USAGE,
            Code::NotFound | Code::NoStore => exit::NOT_FOUND,
            Code::NotAllowed
            | Code::DirectionalFlow
            | Code::IdTaken
            | Code::Rejected
            | Code::OutOfScope
            | Code::Noise
            | Code::Changed => exit::REFUSED,
            Code::ReadOnly | Code::Version => exit::READ_ONLY,
        }
    }

    /// Prints an error in both forms.
    pub fn say_error(
        &self,
        code: &str,
        message: &str,
        hint: Option<&str>,
        field: Option<&str>,
        faults: &[Value],
    ) {
        // What was typed is quoted in errors, and it may hold a secret (IN-2).
        let (message, hint) = (without_secrets(message), hint.map(without_secrets));
        tell_wrapped(&format!("error: {message}"));
        if let Some(hint) = &hint {
            tell_wrapped(&format!("hint: {hint}"));
        }
        if self.json {
            let mut error = json!({"code": code, "message": message, "hint": hint, "field": field});
            if faults.len() > 1 {
                error["faults"] = json!(faults);
                let problems = error["faults"].as_array_mut().into_iter().flatten();
                problems.for_each(|fault| {
                    let clean = fault["problem"].as_str().map(without_secrets);
                    fault["problem"] = json!(clean);
                });
            }
            println!("{:#}", json!({ "error": kenning::redacted(error) }));
        }
    }
}

/// A message without secrets. What it quotes is written with escapes, and a secret may be split by what they stand for.
fn without_secrets(text: &str) -> String {
    let clean = kenning::guard::redact(text);
    if !clean.contains("\\u{") {
        return clean.into_owned();
    }
    let mut parts = clean.split("\\u{");
    let mut read = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let letter = part
            .split_once('}')
            .and_then(|(digits, rest)| Some((char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, rest)));
        match letter {
            Some((letter, rest)) => {
                read.push(letter);
                read.push_str(rest);
            }
            None => {
                read.push_str("\\u{");
                read.push_str(part);
            }
        }
    }
    match kenning::guard::redact(&read) {
        Cow::Borrowed(_) => clean.into_owned(),
        Cow::Owned(read) => plain(&read),
    }
}

/// Whether standard output is a terminal.
pub fn on_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// How many columns the terminal has.
pub fn columns() -> usize {
    Table::new().width().map_or(100, usize::from).max(40)
}

/// The width to write for.
pub fn width() -> usize {
    columns().clamp(40, 160)
}

/// A table on a terminal; tab-separated lines elsewhere. The column named by `wide` gives way first, its mark never does.
pub fn table(header: &[&str], rows: Vec<(Vec<String>, String)>, wide: usize) {
    if !on_terminal() {
        for (mut row, mark) in rows {
            row[wide] = marked(std::mem::take(&mut row[wide]), &mark);
            println!("{}", tabbed(&row));
        }
        return;
    }
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(header.to_vec());
    let widths: Vec<usize> = (0..header.len())
        .map(|at| {
            rows.iter().map(|(row, _)| row[at].chars().count()).max().unwrap_or(0).max(header[at].len())
        })
        .collect();
    let others: usize =
        widths.iter().enumerate().filter(|(at, _)| *at != wide).map(|(_, width)| width + 2).sum();
    let room = width().saturating_sub(others + 4).max(16);
    for (mut row, mark) in rows {
        let mark_chars = if mark.is_empty() { 0 } else { mark.chars().count() + 3 };
        let beside = room.saturating_sub(mark_chars);
        // Where both do not fit on a line, the mark stands below.
        row[wide] = match (row[wide].chars().count() <= beside || beside >= 24, mark.is_empty()) {
            (true, _) | (false, true) => marked(cut(&row[wide], beside), &mark),
            (false, false) => format!("{}\n({mark})", cut(&row[wide], room)),
        };
        table.add_row(row);
    }
    if let Some(column) = table.column_mut(wide) {
        column.set_constraint(ColumnConstraint::UpperBoundary(Width::Fixed(
            u16::try_from(room + 2).unwrap_or(80),
        )));
    }
    println!("{}", table.trim_fmt());
}

/// A text with its mark behind it.
pub(crate) fn marked(text: String, mark: &str) -> String {
    if mark.is_empty() { text } else { format!("{text} ({mark})") }
}

/// A row as a program that reads a pipe gets it.
pub(crate) fn tabbed(row: &[String]) -> String {
    row.iter().map(|cell| cell.replace(['\t', '\n', '\r'], " ")).collect::<Vec<_>>().join("\t")
}

/// A long answer on its way to standard output: it is printed some lines at a time, and never held whole.
#[derive(Default)]
pub(crate) struct Lines {
    /// What was not printed yet.
    waiting: Vec<u8>,
}

impl Lines {
    /// Adds a line of text.
    pub(crate) fn add(&mut self, line: &str) {
        self.waiting.extend_from_slice(line.as_bytes());
        self.waiting.push(b'\n');
        if self.waiting.len() >= PRINTED_TOGETHER_BYTES_MIN {
            self.put();
        }
    }

    /// Prints the whole lines that wait, as they are.
    pub(crate) fn put(&mut self) {
        self.print(false);
    }

    /// Prints JSON to its end.
    pub(crate) fn end(&mut self) {
        self.waiting.push(b'\n');
        self.print(true);
    }

    fn print(&mut self, is_json: bool) {
        let Some(end) = self.waiting.iter().rposition(|byte| *byte == b'\n') else { return };
        let rest = self.waiting.split_off(end + 1);
        let lines = std::mem::replace(&mut self.waiting, rest);
        let lines = String::from_utf8_lossy(&lines[..end]);
        println!("{}", if is_json { escaped(&lines) } else { Cow::Borrowed(&*lines) });
    }
}

/// JSON as it is written: a serializer ends no piece inside of a character that is more than a byte long, and a line holds whole ones.
impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= PRINTED_TOGETHER_BYTES_MIN {
            self.print(true);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A text without what would steer a terminal or turn the reading direction around: lines that came by git can hold anything.
pub fn plain(text: &str) -> String {
    text.chars().map(|letter| if steers(letter) { '\u{fffd}' } else { letter }).collect()
}

/// Whether a character steers a terminal or turns the reading direction around.
fn steers(letter: char) -> bool {
    (letter.is_control() && !matches!(letter, '\n' | '\t'))
        || matches!(letter, '\u{200e}' | '\u{200f}')
        || hides(letter)
}

/// Whether a character has no place in any line, in a pipe either: an 8-bit control, or one that reorders what follows.
fn hides(letter: char) -> bool {
    matches!(letter, '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A line as a pipe gets it: whoever shows it later may be a terminal. A return to the beginning of a line hides what stands there; at the
/// end of a line of Windows it does not.
fn unhidden(line: &str) -> Cow<'_, str> {
    if !line.contains(|letter| letter == '\r' || hides(letter)) {
        return Cow::Borrowed(line);
    }
    let mut letters = line.chars().peekable();
    let mut out = String::with_capacity(line.len());
    while let Some(letter) = letters.next() {
        let returns = letter == '\r' && letters.peek() != Some(&'\n');
        out.push(if returns || hides(letter) { '\u{fffd}' } else { letter });
    }
    Cow::Owned(out)
}

/// What [`coloured`] and [`bold`] write around a text.
const COLOURS: [&str; 6] = ["0m", "1m", "2m", "31m", "32m", "33m"];

/// How those begin until their line is printed: an escape with numbers that nobody outside of this process knows, so that a text that
/// holds the escapes of a colour has none of ours. Whatever measures a line takes it for an escape like any other, and reads numbers
/// of four digits at most.
static OWN: LazyLock<String> = LazyLock::new(|| {
    let drawn = RandomState::new().hash_one(0);
    let numbers = [0, 16, 32, 48].map(|shift| ((drawn >> shift) % 10_000).to_string());
    format!("\u{1b}[{};", numbers.join(";"))
});

/// A line as a terminal gets it: [`plain`], except for the colours of this program. Every line passes here, so a text that nobody made
/// plain before steers nothing either.
pub(crate) fn own_colours_only(line: &str) -> Cow<'_, str> {
    if !line.contains(steers) {
        return Cow::Borrowed(line);
    }
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(letter) = rest.chars().next() {
        let colour = rest.strip_prefix(OWN.as_str()).and_then(|code| {
            COLOURS.into_iter().find_map(|colour| Some((colour, code.strip_prefix(colour)?)))
        });
        if let Some((colour, behind)) = colour {
            out.push_str("\u{1b}[");
            out.push_str(colour);
            rest = behind;
            continue;
        }
        // The end of a line of Windows is no return to its beginning.
        let ends_line = rest.starts_with("\r\n");
        out.push(if steers(letter) && !ends_line { '\u{fffd}' } else { letter });
        rest = &rest[letter.len_utf8()..];
    }
    Cow::Owned(out)
}

/// JSON with the characters as escapes that a printed line may not hold: programs read the same text.
fn escaped(json: &str) -> Cow<'_, str> {
    if !json.contains(|letter: char| steers(letter)) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len());
    for letter in json.chars() {
        match steers(letter) {
            true => out.push_str(&format!("\\u{:04x}", u32::from(letter))),
            false => out.push(letter),
        }
    }
    Cow::Owned(out)
}

/// The same on one line: whoever writes a text must not write the lines around it.
pub fn flat(text: &str) -> String {
    plain(text).replace('\n', " \u{23ce} ").replace('\t', " ")
}

/// The same of what an entry says: agents read it, too, so what imitates a conversation is made harmless, visibly.
fn tamed(text: &str) -> String {
    kenning::guard::fence::fenced(&plain(text), usize::MAX).text
}

/// A text on one line, cut to some characters.
pub fn cut(text: &str, chars_max: usize) -> String {
    kenning::core::words::one_line(&tamed(text), chars_max)
}

/// A text on one line within some columns; what is cut ends at a word where there is one near.
pub fn cut_columns(text: &str, columns: usize) -> String {
    let flat = cut(text, usize::MAX);
    if flat.width() <= columns {
        return flat;
    }
    let mut used = 0;
    let fits = |letter: &char| {
        used += letter.width().unwrap_or(0);
        used < columns
    };
    let kept: String = flat.chars().take_while(fits).collect();
    let whole = match (flat.as_bytes().get(kept.len()), kept.rfind(' ')) {
        (Some(b' '), _) | (_, None) => kept.as_str(),
        // A long word alone is cut; nothing else breaks inside a word.
        (_, Some(at)) if at * 3 >= kept.len() * 2 => &kept[..at],
        (_, Some(_)) => kept.as_str(),
    };
    format!("{}…", whole.trim_end())
}

/// A text wrapped to a width, every line indented.
pub fn wrap(text: &str, indent: usize, width: usize) -> String {
    let room = width.saturating_sub(indent).max(20);
    let pad = " ".repeat(indent);
    let mut out = Vec::new();
    for paragraph in tamed(text).lines() {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > room {
                out.push(format!("{pad}{line}"));
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        out.push(if line.is_empty() { String::new() } else { format!("{pad}{line}") });
    }
    out.join("\n")
}

/// Prints a line. On a terminal it is wrapped between words, and the rest is indented below; elsewhere a line stays a line.
pub fn print_wrapped(line: &str) {
    let indent = line.len() - line.trim_start().len();
    print_hanging(line, indent + 2);
}

/// The same, with the rest of the line indented by `hanging` columns.
pub fn print_hanging(line: &str, hanging: usize) {
    match on_terminal() {
        true => println!("{}", wrap_line(line, hanging, width())),
        false => println!("{line}"),
    }
}

/// Tells people a line on standard error. On a terminal that says how wide it is, it is wrapped between words; what is quoted to be
/// typed is never broken.
pub fn tell_wrapped(text: &str) {
    let terminal = console::Term::stderr();
    let size = if terminal.is_term() { terminal.size_checked() } else { None };
    let Some((_, columns)) = size else { return eprintln!("{text}") };
    for line in text.lines() {
        let mut is_quoted = false;
        let joined = |letter: char| {
            is_quoted ^= letter == '`';
            if letter == ' ' && is_quoted { UNBROKEN } else { letter }
        };
        let line: String = line.chars().map(joined).collect();
        eprintln!("{}", wrap_line(&line, 2, usize::from(columns).max(40)).replace(UNBROKEN, " "));
    }
}

/// A blank at which no line is broken.
const UNBROKEN: char = '\u{a0}';

/// Prints a command to be typed, after what it does. On a terminal where it does not fit, it is continued as a shell reads it: between
/// words, with a backslash at the end of each line.
pub fn print_command(lead: &str, command: &str) {
    match on_terminal() {
        true => println!("{}", wrap_command(lead, command, width())),
        false => println!("{lead}{command}"),
    }
}

fn wrap_command(lead: &str, command: &str, columns: usize) -> String {
    let whole = format!("{lead}{command}");
    if console::measure_text_width(&whole) <= columns {
        return whole;
    }
    let mut is_quoted = false;
    let joined = |letter: char| {
        is_quoted ^= letter == '\'';
        if letter == ' ' && is_quoted { UNBROKEN } else { letter }
    };
    let command: String = command.chars().map(joined).collect();
    let indent = lead.len() - lead.trim_start().len();
    let said = lead.trim_end();
    let indent = if said.is_empty() { indent } else { indent + 2 };
    let line = format!("{}{command}", " ".repeat(indent));
    let wrapped = wrap_line(&line, indent + 2, columns.saturating_sub(2)).replace('\n', " \\\n");
    let above =
        if said.is_empty() { String::new() } else { format!("{}\n", wrap_line(said, indent, columns)) };
    format!("{above}{}", wrapped.replace(UNBROKEN, " "))
}

/// Prints what an entry says: every line of it on its own, wrapped on a terminal.
pub fn print_text(text: &str) {
    plain(text).lines().for_each(print_wrapped);
}

/// A line within some columns: wrapped between words, the rest indented. Codes for colours take no room.
fn wrap_line(line: &str, hanging: usize, columns: usize) -> String {
    let pad = " ".repeat(hanging);
    let mut out = String::new();
    let mut used = 0;
    for (at, word) in line.split(' ').enumerate() {
        let wide = console::measure_text_width(word);
        if at > 0 && wide > 0 && used > pad.len() && used + 1 + wide > columns {
            out.truncate(out.trim_end_matches(' ').len());
            out.push('\n');
            out.push_str(&pad);
            used = pad.len();
        } else if at > 0 {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += wide;
    }
    out
}

/// A colour of a terminal. What it says is said by a sign or a word, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// None.
    Plain,
    /// What matters less.
    Dim,
    /// What is well.
    Green,
    /// What needs a look.
    Yellow,
    /// What is broken or gone.
    Red,
}

/// A text in a colour, on a terminal that shows it.
pub fn coloured(text: &str, colour: Colour) -> String {
    let code = match colour {
        Colour::Plain => return plain(text),
        _ if text.is_empty() => return String::new(),
        Colour::Dim => 2,
        Colour::Green => 32,
        Colour::Yellow => 33,
        Colour::Red => 31,
    };
    format!("{own}{code}m{}{own}0m", plain(text), own = *OWN)
}

/// Bold on a terminal that shows it.
pub fn bold(text: &str) -> String {
    format!("{own}1m{}{own}0m", plain(text), own = *OWN)
}

/// Says of a list that more rows follow, and how to read them.
pub fn say_more<T>(page: &Listing<T>) {
    if let Some(cursor) = &page.cursor {
        println!(
            "{}",
            dim(&format!("{} of {}; more: --cursor '{}'", page.items.len(), page.total, flat(cursor)))
        );
    }
}

/// Dim on a terminal that shows it.
pub fn dim(text: &str) -> String {
    coloured(text, Colour::Dim)
}

/// `1 entry`, `2 entries`.
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_wrapped_between_words_and_the_rest_is_indented() {
        let line = "    src/net.rs#send drifted: the body changed in three lines";
        let wrapped = wrap_line(line, 6, 40);
        assert_eq!(wrapped, "    src/net.rs#send drifted: the body\n      changed in three lines");
        assert_eq!(wrap_line(line, 6, 100), line);
        // A word that does not fit stays whole, and colours take no room.
        assert_eq!(
            wrap_line("a-very-long-word-without-spaces b", 2, 10),
            "a-very-long-word-without-spaces\n  b"
        );
        assert_eq!(wrap_line(&dim("one two"), 2, 7), dim("one two"));
        assert_eq!(console::measure_text_width(&bold("one")), 3);
        assert_eq!(wrap_line("drifted      L-123456  x", 2, 40), "drifted      L-123456  x");
    }

    #[test]
    fn a_line_steers_no_terminal_and_keeps_our_colours() {
        let forged = "\u{1b}]0;title\u{7} \u{1b}[2J\u{1b}[8mhidden \u{9b}31m \u{202e}back\rover";
        let printed = own_colours_only(forged).into_owned();
        assert!(!printed.contains(steers), "{printed:?}");
        assert!(printed.contains("hidden") && printed.ends_with("over"), "{printed:?}");
        let own = format!("{} {} and\r\n{}", bold("one"), dim("two"), coloured("three", Colour::Red));
        assert_eq!(
            own_colours_only(&own),
            "\u{1b}[1mone\u{1b}[0m \u{1b}[2mtwo\u{1b}[0m and\r\n\u{1b}[31mthree\u{1b}[0m"
        );
        assert_eq!(strip_str(&own).to_string(), "one two and\r\nthree");
        assert_eq!(
            unhidden("a\u{9b}31m \u{202e}b\u{2066} \u{5d0}\u{200f}"),
            "a\u{fffd}31m \u{fffd}b\u{fffd} \u{5d0}\u{200f}"
        );
        assert_eq!(unhidden("a\rb\r\nc\r"), "a\u{fffd}b\r\nc\u{fffd}");
        let json = serde_json::to_string("\u{9b}31m \u{202e}\u{7f}").unwrap();
        let printed = escaped(&json);
        assert!(!printed.contains(steers), "{printed}");
        assert_eq!(serde_json::from_str::<String>(&printed).unwrap(), "\u{9b}31m \u{202e}\u{7f}");
    }

    // Our six colours went through wherever they stood, so a stranger's title could end one and begin another.
    #[test]
    fn a_colour_in_a_text_of_somebody_else_is_none_of_ours() {
        for code in COLOURS {
            for forged in
                [format!("\u{1b}[{code}x"), format!("\u{1b}[7;{code}x"), format!("\u{1b}[0;{code}x")]
            {
                let printed = own_colours_only(&forged).into_owned();
                assert!(!printed.contains('\u{1b}') && printed.ends_with('x'), "{printed:?}");
            }
        }
        // What was made for one line and comes again as the text of another is no colour, either.
        let again = own_colours_only(&bold(&bold("x"))).into_owned();
        assert!(again.starts_with("\u{1b}[1m\u{fffd}[") && again.ends_with("\u{1b}[0m"), "{again:?}");
        assert_eq!(again.matches('\u{1b}').count(), 2, "{again:?}");
    }

    #[test]
    fn a_command_that_does_not_fit_can_still_be_copied_into_a_shell() {
        let command = "ken edit one --statement 'two words' --anchor PATH#SYMBOL";
        assert_eq!(wrap_command("  correct it: ", command, 80), format!("  correct it: {command}"));
        assert_eq!(
            wrap_command("  correct it: ", command, 44),
            "  correct it:\n    ken edit one --statement 'two words' \\\n      --anchor PATH#SYMBOL"
        );
        assert_eq!(
            wrap_command("  ", command, 44),
            "  ken edit one --statement 'two words' \\\n    --anchor PATH#SYMBOL"
        );
    }
}
