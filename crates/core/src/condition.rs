//! Conditions that an entry depends on, as they are written (VAL-1).
//!
//! Reading one looks at nothing but its text. Whether it holds is asked of a tree, elsewhere.

use std::fmt::{self, Write};
use std::ops::Range;
use std::str::FromStr;

use crate::fields::relative_path;
use crate::limits::{CONDITION_REGEX_CHARS_MAX, WORD_CHARS_MAX};
use crate::paths::is_absolute;

/// `[NOT] atom`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Condition {
    /// Whether the opposite must hold.
    pub negated: bool,
    /// What is looked at.
    pub atom: Atom,
}

/// What a condition looks at. Paths are relative to the repository, with `/` between their parts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Atom {
    /// `tokio ^1.38`: which version manifests and locks name.
    Version {
        /// The package, module or language.
        name: String,
        /// How it is compared.
        op: VersionOp,
        /// With what; `1.38` stands for everything that begins with it.
        version: String,
    },
    /// `src/net.rs` or `src/net.rs exists`: a file or folder is there.
    Exists { path: String },
    /// `src/net.rs#retry`: a symbol is defined there.
    Symbol {
        path: String,
        /// The symbol: `retry`, `Client.retry` or `Client::retry`.
        symbol: String,
    },
    /// `src/net.rs@1a2b3c4`: the file is still the same.
    Content {
        path: String,
        /// The first digits of its git blob id, in lower case.
        blob: String,
    },
    /// `src/**/*.rs =~ /regex/`: a pattern is found.
    Pattern {
        /// The file, or a glob.
        path: String,
        /// What is looked for.
        pattern: Pattern,
    },
    /// `config/app.toml:net.retries = 3`: a setting is there, or has some value.
    Setting {
        path: String,
        /// The names and list places that lead to it.
        key: Vec<String>,
        /// What is asked of it.
        test: Test,
    },
    /// A word that may be an entry's id, a file or a fact; what it is shows when it is evaluated.
    Name(String),
}

/// A regular expression, not yet compiled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pattern {
    /// What stands between the slashes.
    pub regex: String,
    /// Whether capitals and small letters are the same: flag `i`.
    pub ignores_case: bool,
}

/// What is asked of a setting.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Test {
    /// That it is there.
    Present,
    /// How it compares with a value.
    Compare(Order, Value),
    /// That its text has a pattern.
    Matches(Pattern),
}

/// A value as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Value {
    /// Without its quotes.
    pub text: String,
    /// Whether it had quotes, and so is a text even if it looks like a number.
    pub quoted: bool,
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// `=` or `==`.
    Equal,
    /// `!=`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    AtMost,
    /// `>`.
    Greater,
    /// `>=`.
    AtLeast,
}

/// How two versions are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VersionOp {
    /// In order.
    Order(Order),
    /// `^`: nothing left of the first part that is not zero changed.
    Caret,
    /// `~`: the second part did not change.
    Tilde,
    /// `~=`: as Python has it, all parts but the last that is written did not change.
    Compatible,
}

impl Condition {
    /// The file it looks at, or a pattern of files; none where any file may change its answer.
    pub fn path(&self) -> Option<&str> {
        match &self.atom {
            Atom::Exists { path }
            | Atom::Symbol { path, .. }
            | Atom::Content { path, .. }
            | Atom::Pattern { path, .. }
            | Atom::Setting { path, .. } => Some(path),
            Atom::Version { .. } | Atom::Name(_) => None,
        }
    }

    /// The name that may be an entry's.
    pub fn name(&self) -> Option<&str> {
        match &self.atom {
            Atom::Name(name) => Some(name),
            Atom::Version { .. }
            | Atom::Exists { .. }
            | Atom::Symbol { .. }
            | Atom::Content { .. }
            | Atom::Pattern { .. }
            | Atom::Setting { .. } => None,
        }
    }

    /// Reads a condition; the error says why it is none and what may be written.
    pub fn parse(text: &str) -> Result<Condition, String> {
        let text = text.trim();
        let length = text.chars().count();
        if length > WORD_CHARS_MAX {
            return Err(format!("has {length} characters; a condition has at most {WORD_CHARS_MAX}"));
        }
        if let Some(odd) = text.chars().find(|c| c.is_control()) {
            return Err(format!("contains {odd:?}; a condition is one line"));
        }
        let (negated, rest) = without_not(text);
        if negated && without_not(rest).0 {
            return Err(format!("`{text}` says NOT twice; write it once or not at all"));
        }
        if rest.is_empty() {
            let what = if negated { "NOT needs a condition" } else { "is empty" };
            return Err(format!("{what}; {ALLOWED}"));
        }
        Ok(Condition { negated, atom: atom(rest)? })
    }
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Condition::parse(text)
    }
}

/// Where the path that a condition begins with stands in its text; none where it begins with a name.
pub fn path_in(text: &str) -> Option<Range<usize>> {
    let rest = text.trim_start();
    let (negated, after) = without_not(rest);
    let rest = if negated { after } else { rest };
    let begins = |rest: &str| text.len() - rest.len();
    let (start, end) = match rest.strip_prefix('"') {
        Some(inner) => (begins(inner), begins(inner) + inner.find('"')?),
        None => {
            let lead = if rest.starts_with("file://") { "file://".len() } else { 0 };
            // The colon of a drive ends no path.
            let lead = if lead == 0 && is_absolute(rest) && rest[1..].starts_with(':') { 2 } else { lead };
            (begins(rest), begins(rest) + lead + subject(&rest[lead..]).ok()?.0.text.len())
        }
    };
    let path = &text[start..end];
    (path.contains('/') || is_absolute(path)).then_some(start..end)
}

/// What may be written, for messages.
const ALLOWED: &str = "write `tokio ^1.38`, `src/net.rs exists`, `src/net.rs#retry`, `src/net.rs@1a2b3c4`, \
     `src/**/*.rs =~ /regex/`, `config/app.toml:net.retries = 3`, an entry's id or a fact such as `docker`, each with or without NOT before it";

/// Takes the negation off.
fn without_not(text: &str) -> (bool, &str) {
    if let Some(rest) = text.strip_prefix('!') {
        return (true, rest.trim_start());
    }
    match text.get(..3) {
        Some(word) if word.eq_ignore_ascii_case("not") => match text[3..].chars().next() {
            None => (true, ""),
            Some(c) if c.is_whitespace() => (true, text[3..].trim_start()),
            Some(_) => (false, text),
        },
        _ => (false, text),
    }
}

fn atom(text: &str) -> Result<Atom, String> {
    let (subject, rest) = subject(text)?;
    let spaced = rest.starts_with(char::is_whitespace);
    let rest = rest.trim_start();
    match rest.chars().next() {
        None => alone(subject, text),
        Some('#') if !spaced => symbol(subject, &rest[1..]),
        Some('@') if !spaced => content(subject, &rest[1..]),
        Some(':') if !spaced => setting(subject, &rest[1..], text),
        Some(_) if rest.eq_ignore_ascii_case("exists") => Ok(Atom::Exists { path: subject.file()? }),
        Some(_) => match operator(rest) {
            Some((Operator::Matches, right)) => {
                Ok(Atom::Pattern { path: subject.glob()?, pattern: between_slashes(right.trim())? })
            }
            Some((Operator::Version(op), right)) => version(subject, op, right.trim(), text),
            None if !subject.quoted && rest.starts_with(|c: char| c.is_ascii_digit()) => {
                let name = subject.text;
                Err(format!(
                    "`{text}` does not say how to compare; write `{name} ^{rest}` (compatible) or `{name} = {rest}`"
                ))
            }
            None => Err(format!("`{text}` is not a condition; {ALLOWED}")),
        },
    }
}

/// The path or name that a condition begins with.
struct Subject {
    text: String,
    quoted: bool,
}

/// Characters of a bare path. Others are possible in quotes.
fn is_bare(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '+')
}

impl Subject {
    /// As the path of one file or folder.
    fn file(&self) -> Result<String, String> {
        let path = self.glob()?;
        if !self.quoted && path.contains(['*', '?']) {
            return Err(format!("`{path}` is a glob; only patterns may have one: `{path} =~ /regex/`"));
        }
        Ok(path)
    }

    /// As a path that may be a glob.
    fn glob(&self) -> Result<String, String> {
        relative_path(&self.text)?;
        let slashed = self.text.replace('\\', "/");
        let parts: Vec<&str> = slashed.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
        let path = parts.join("/");
        // Judged once more in the form in which it is kept.
        relative_path(&path)?;
        match path.is_empty() {
            true => Err(format!("`{}` names no file; {ALLOWED}", self.text)),
            false => Ok(path),
        }
    }
}

/// Splits off the path or name: something in quotes, or everything up to a space or an operator.
fn subject(text: &str) -> Result<(Subject, &str), String> {
    if text.starts_with('"') {
        let (text, rest) = in_quotes(text)?;
        return Ok((Subject { text, quoted: true }, rest));
    }
    let mut end = text.len();
    for (at, c) in text.char_indices() {
        let next = text[at + c.len_utf8()..].chars().next();
        let ends = match c {
            '#' | ':' | '=' | '<' | '>' | '^' => true,
            '!' => next == Some('='),
            '~' => at > 0 && next.is_some_and(|next| matches!(next, '=' | '0'..='9') || next.is_whitespace()),
            '@' => at > 0 && is_id(&text[at + 1..]),
            c => c.is_whitespace(),
        };
        if ends {
            end = at;
            break;
        }
    }
    let (text, rest) = text.split_at(end);
    Ok((Subject { text: text.to_owned(), quoted: false }, rest))
}

/// Whether what follows an `@` is meant as a blob id or a version, and not part of a name such as `icons/a@2x.png`.
fn is_id(text: &str) -> bool {
    let digits = |c: char| c.is_ascii_hexdigit();
    let parts = |c: char| c.is_ascii_digit() || c == '.';
    !text.is_empty() && (text.chars().all(digits) || text.chars().all(parts))
}

/// Reads a quoted text; `\"` and `\\` stand for the character. Gives what comes after it, too.
fn in_quotes(text: &str) -> Result<(String, &str), String> {
    let mut chars = text.char_indices();
    let quote = chars.next().map(|(_, c)| c);
    let mut said = String::new();
    while let Some((at, c)) = chars.next() {
        if Some(c) == quote {
            return Ok((said, &text[at + c.len_utf8()..]));
        }
        if c != '\\' {
            said.push(c);
            continue;
        }
        match chars.next() {
            Some((_, next)) if Some(next) == quote || next == '\\' => said.push(next),
            Some((_, next)) => said.extend([c, next]),
            None => break,
        }
    }
    Err(format!("`{text}` has no closing quote"))
}

fn alone(subject: Subject, text: &str) -> Result<Atom, String> {
    let path = subject.file()?;
    if subject.quoted || subject.text.contains(['/', '\\']) {
        if !subject.quoted && path.contains(['"', '\'', '`', '|', ';', ',', '(', ')']) {
            return Err(format!("`{text}` is not a condition; if it is a path, put it in double quotes"));
        }
        // Names such as `icons/a@2x.png` go on after it.
        let id = path.rsplit_once('@').filter(|(file, id)| file.contains('.') && !id.contains(['.', '/']));
        if let Some((file, id)) = id.filter(|_| !subject.quoted) {
            return Err(format!(
                "`{id}` in `{text}` is not a blob id; `git hash-object {file}` prints one; quote the path if the `@` belongs to it"
            ));
        }
        return Ok(Atom::Exists { path });
    }
    match path.chars().all(|c| is_bare(c) || c == '@') {
        true => Ok(Atom::Name(path)),
        false => Err(format!("`{text}` is not a condition; {ALLOWED}")),
    }
}

fn symbol(subject: Subject, rest: &str) -> Result<Atom, String> {
    let mut symbol = rest.trim();
    while let Some(shorter) = symbol.strip_suffix("exists").filter(|s| s.ends_with(char::is_whitespace)) {
        symbol = shorter.trim_end();
    }
    if subject.text.is_empty() {
        return Err(format!("`#{symbol}` does not say in which file; write `path#{symbol}`"));
    }
    let path = subject.file()?;
    match symbol.is_empty() {
        true => Err(format!("`{path}#` names no symbol; write `{path}#symbol`, or `{path}` alone")),
        false => Ok(Atom::Symbol { path, symbol: symbol.to_owned() }),
    }
}

fn content(subject: Subject, rest: &str) -> Result<Atom, String> {
    let path = subject.file()?;
    if rest.contains('.') {
        return Err(format!("`{path}@{rest}` is not a condition; for a version write `{path} = {rest}`"));
    }
    if !(7..=64).contains(&rest.len()) || !rest.chars().all(|c| c.is_ascii_hexdigit()) {
        return Err(format!(
            "`{path}@{rest}` has no blob id; write 7 to 64 hexadecimal digits, as `git hash-object {path}` prints them"
        ));
    }
    Ok(Atom::Content { path, blob: rest.to_ascii_lowercase() })
}

fn setting(subject: Subject, rest: &str, text: &str) -> Result<Atom, String> {
    let drive = subject.text.len() == 1 && rest.starts_with(['/', '\\']);
    if rest.starts_with("//") || drive {
        relative_path(text.split_whitespace().next().unwrap_or(text))?;
    }
    if rest.starts_with(':') {
        return Err(format!(
            "`{text}` does not say in which file; write `path#symbol` for a symbol, `path:key` for a setting"
        ));
    }
    let path = subject.file()?;
    let lines = rest.trim_end();
    if lines.starts_with(|c: char| c.is_ascii_digit()) && lines.chars().all(|c| matches!(c, '0'..='9' | '-'))
    {
        return Err(format!(
            "`{text}` names lines, and lines move; write `{path}#symbol` or `{path} =~ /regex/`"
        ));
    }
    let (key, rest) = key(rest).map_err(|why| format!("`{text}` {why}"))?;
    let rest = rest.trim();
    if rest.is_empty() || rest.eq_ignore_ascii_case("exists") {
        return Ok(Atom::Setting { path, key, test: Test::Present });
    }
    let test = match operator(rest) {
        Some((Operator::Matches, right)) => match right.trim() {
            right if right.starts_with('/') => Test::Matches(between_slashes(right)?),
            right => Test::Matches(pattern(value(right, text)?.text, false)?),
        },
        Some((Operator::Version(VersionOp::Order(order)), right)) => {
            Test::Compare(order, value(right.trim(), text)?)
        }
        Some((Operator::Version(VersionOp::Caret | VersionOp::Tilde | VersionOp::Compatible), _)) | None => {
            return Err(format!(
                "`{text}` does not say how to compare the setting; allowed are = == != < <= > >= and =~"
            ));
        }
    };
    Ok(Atom::Setting { path, key, test })
}

/// Reads `a.b`, `a[0].b` and `a."b.c"`; gives what comes after it, too.
fn key(text: &str) -> Result<(Vec<String>, &str), String> {
    let mut parts = Vec::new();
    let mut rest = text;
    loop {
        if rest.starts_with('"') {
            let (part, after) = in_quotes(rest)?;
            parts.push(part);
            rest = after;
        } else {
            let end =
                rest.find(|c: char| c.is_whitespace() || ".[]=<>!~^\"".contains(c)).unwrap_or(rest.len());
            if end == 0 {
                return Err("names no setting; write `path:key` or `path:key = value`".to_owned());
            }
            parts.push(rest[..end].to_owned());
            rest = &rest[end..];
        }
        while let Some(index) = rest.strip_prefix('[') {
            let (index, after) = index.split_once(']').ok_or("has no closing bracket")?;
            if index.is_empty() || !index.chars().all(|c| c.is_ascii_digit()) {
                return Err(format!("has `[{index}]`; a list index is a number, counted from 0"));
            }
            parts.push(index.to_owned());
            rest = after;
        }
        match rest.strip_prefix('.') {
            Some(after) => rest = after,
            None => return Ok((parts, rest)),
        }
    }
}

fn value(text: &str, whole: &str) -> Result<Value, String> {
    if text.starts_with(['"', '\'']) {
        let (said, rest) = in_quotes(text)?;
        return match rest.trim().is_empty() {
            true => Ok(Value { text: said, quoted: true }),
            false => Err(format!("`{whole}` has text after the closing quote")),
        };
    }
    match text.is_empty() {
        true => Err(format!("`{whole}` has nothing to compare with; write an empty string as \"\"")),
        false => Ok(Value { text: text.to_owned(), quoted: false }),
    }
}

fn version(subject: Subject, op: VersionOp, version: &str, text: &str) -> Result<Atom, String> {
    // What Python calls extras is no part of the name.
    let name = subject.text.split('[').next().unwrap_or_default();
    let fits = |c: char| is_bare(c) || c == '@';
    if subject.quoted
        || !name.starts_with(|c: char| c.is_alphanumeric() || c == '@' || c == '_')
        || !name.chars().all(fits)
    {
        return Err(format!(
            "`{}` is not a package name; for a setting write `path:key = value`",
            subject.text
        ));
    }
    if version.contains([',', '|']) || version.contains(char::is_whitespace) {
        return Err(format!("`{text}` compares more than once; write one condition for each comparison"));
    }
    let is_equality = matches!(op, VersionOp::Order(Order::Equal | Order::NotEqual));
    let version = match version.strip_suffix(".*") {
        Some(shorter) if is_equality => shorter,
        _ => version,
    };
    let digits = version.strip_prefix(['v', 'V']).unwrap_or(version);
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-' | '_' | '!');
    if !digits.starts_with(|c: char| c.is_ascii_digit()) || !version.chars().all(fits) {
        return Err(format!(
            "`{text}` has no version after its operator; write one such as 1.38 or 2.0.0-rc1"
        ));
    }
    Ok(Atom::Version { name: name.to_owned(), op, version: version.to_owned() })
}

fn between_slashes(text: &str) -> Result<Pattern, String> {
    let inner = text.strip_prefix('/').and_then(|inner| inner.rsplit_once('/'));
    let Some((regex, flags)) = inner else {
        return Err(format!("`{text}` is not a pattern; write it between slashes: `/regex/`"));
    };
    match flags {
        "" => pattern(regex.to_owned(), false),
        "i" => pattern(regex.to_owned(), true),
        _ => Err(format!("`{text}` has the flags `{flags}`; only `i` (ignore case) is allowed")),
    }
}

fn pattern(regex: String, ignores_case: bool) -> Result<Pattern, String> {
    let length = regex.chars().count();
    if length > CONDITION_REGEX_CHARS_MAX {
        return Err(format!(
            "the pattern has {length} characters; at most {CONDITION_REGEX_CHARS_MAX} are allowed"
        ));
    }
    match regex.is_empty() {
        true => Err("the pattern is empty; write `/regex/`".to_owned()),
        false => Ok(Pattern { regex, ignores_case }),
    }
}

/// What an operator asks for.
#[derive(Clone, Copy)]
enum Operator {
    Version(VersionOp),
    Matches,
}

/// Operators as they are written, longer ones before those that they begin with.
const OPERATORS: &[(&str, Operator)] = &[
    ("=~", Operator::Matches),
    ("~=", Operator::Version(VersionOp::Compatible)),
    ("==", Operator::Version(VersionOp::Order(Order::Equal))),
    ("!=", Operator::Version(VersionOp::Order(Order::NotEqual))),
    ("<=", Operator::Version(VersionOp::Order(Order::AtMost))),
    (">=", Operator::Version(VersionOp::Order(Order::AtLeast))),
    ("=", Operator::Version(VersionOp::Order(Order::Equal))),
    ("<", Operator::Version(VersionOp::Order(Order::Less))),
    (">", Operator::Version(VersionOp::Order(Order::Greater))),
    ("^", Operator::Version(VersionOp::Caret)),
    ("~", Operator::Version(VersionOp::Tilde)),
];

fn operator(text: &str) -> Option<(Operator, &str)> {
    OPERATORS.iter().find_map(|(sign, operator)| Some((*operator, text.strip_prefix(sign)?)))
}

impl Order {
    pub fn sign(self) -> &'static str {
        match self {
            Order::Equal => "=",
            Order::NotEqual => "!=",
            Order::Less => "<",
            Order::AtMost => "<=",
            Order::Greater => ">",
            Order::AtLeast => ">=",
        }
    }
}

impl VersionOp {
    pub fn sign(self) -> &'static str {
        match self {
            VersionOp::Order(order) => order.sign(),
            VersionOp::Caret => "^",
            VersionOp::Tilde => "~",
            VersionOp::Compatible => "~=",
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.negated {
            out.write_str("NOT ")?;
        }
        self.atom.fmt(out)
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Signs that lean on the version are written that way, the others with a space.
            Atom::Version { name, op: op @ (VersionOp::Caret | VersionOp::Tilde), version } => {
                write!(out, "{name} {}{version}", op.sign())
            }
            Atom::Version { name, op: op @ (VersionOp::Order(_) | VersionOp::Compatible), version } => {
                write!(out, "{name} {} {version}", op.sign())
            }
            Atom::Exists { path } => write!(out, "{} exists", Shown(path, "")),
            Atom::Symbol { path, symbol } => write!(out, "{}#{symbol}", Shown(path, "")),
            Atom::Content { path, blob } => write!(out, "{}@{blob}", Shown(path, "")),
            Atom::Pattern { path, pattern } => write!(out, "{} =~ {pattern}", Shown(path, "*?[]{},")),
            Atom::Setting { path, key, test } => {
                write!(out, "{}:", Shown(path, ""))?;
                for (at, part) in key.iter().enumerate() {
                    let dot = if at > 0 { "." } else { "" };
                    write!(out, "{dot}{}", ShownKey(part))?;
                }
                match test {
                    Test::Present => Ok(()),
                    Test::Compare(order, value) => write!(out, " {} {value}", order.sign()),
                    Test::Matches(pattern) => write!(out, " =~ {pattern}"),
                }
            }
            Atom::Name(name) => out.write_str(name),
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "/{}/{}", self.regex, if self.ignores_case { "i" } else { "" })
    }
}

impl fmt::Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.quoted {
            true => quote(&self.text, out),
            false => out.write_str(&self.text),
        }
    }
}

/// A path, in quotes where it has characters that a bare one has not; the second part names further ones.
struct Shown<'a>(&'a str, &'static str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A file called `not` would be read as the negation.
        match self.0.chars().all(|c| is_bare(c) || self.1.contains(c)) && !self.0.eq_ignore_ascii_case("not")
        {
            true => out.write_str(self.0),
            false => quote(self.0, out),
        }
    }
}

struct ShownKey<'a>(&'a str);

impl fmt::Display for ShownKey<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_bare = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        match !self.0.is_empty() && self.0.chars().all(is_bare) {
            true => out.write_str(self.0),
            false => quote(self.0, out),
        }
    }
}

fn quote(text: &str, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    out.write_char('"')?;
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            out.write_char('\\')?;
        }
        out.write_char(c)?;
    }
    out.write_char('"')
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    fn told(text: &str) -> String {
        match Condition::parse(text) {
            Ok(condition) => {
                let kind = match condition.atom {
                    Atom::Version { .. } => "version",
                    Atom::Exists { .. } => "exists",
                    Atom::Symbol { .. } => "symbol",
                    Atom::Content { .. } => "content",
                    Atom::Pattern { .. } => "pattern",
                    Atom::Setting { .. } => "setting",
                    Atom::Name(_) => "name",
                };
                format!("{kind}: {condition}\n")
            }
            Err(why) => format!("refused: {why}\n"),
        }
    }

    /// VAL-1.
    #[test]
    fn what_is_a_condition() {
        let texts = [
            "tokio ^1.38",
            "tokio>=1.38.0",
            "not tokio = v1.38",
            "!tokio == 1.*",
            "@types/node ~18.2",
            "uvicorn[standard] ~=0.23",
            "github.com/gin-gonic/gin >= v1.9.1",
            "src/net.rs",
            "./src//net.rs exists",
            "src/",
            "NOT \"docs/my file.md\" exists",
            "icons/logo@2x.png",
            "./not",
            "src/net.rs#Client::retry",
            "src/net.rs#retry exists",
            "src/net.cpp#operator==",
            "Makefile#build",
            "src/net.rs@1A2B3C4",
            "src/**/*.rs =~ /a/b c/i",
            "README.md=~/x/",
            "config/app.toml:net.retries = 3",
            "package.json:scripts.test",
            "a.yaml:jobs[0].\"a.b\".name=~ /x/",
            "a.yaml:jobs.0 =~ ubuntu",
            ".env:URL='http://localhost'",
            "tsconfig.json:compilerOptions.strict == true",
            "L-1a2b3c",
            "norm.commit.001",
            "lesson.0123456789abcdef",
            "Cargo.toml",
            "docker",
        ];
        let told: String = texts.into_iter().map(told).collect();
        expect![[r#"
            version: tokio ^1.38
            version: tokio >= 1.38.0
            version: NOT tokio = v1.38
            version: NOT tokio = 1
            version: @types/node ~18.2
            version: uvicorn ~= 0.23
            version: github.com/gin-gonic/gin >= v1.9.1
            exists: src/net.rs exists
            exists: src/net.rs exists
            exists: src exists
            exists: NOT "docs/my file.md" exists
            exists: "icons/logo@2x.png" exists
            exists: "not" exists
            symbol: src/net.rs#Client::retry
            symbol: src/net.rs#retry
            symbol: src/net.cpp#operator==
            symbol: Makefile#build
            content: src/net.rs@1a2b3c4
            pattern: src/**/*.rs =~ /a/b c/i
            pattern: README.md =~ /x/
            setting: config/app.toml:net.retries = 3
            setting: package.json:scripts.test
            setting: a.yaml:jobs.0."a.b".name =~ /x/
            setting: a.yaml:jobs.0 =~ /ubuntu/
            setting: .env:URL = "http://localhost"
            setting: tsconfig.json:compilerOptions.strict = true
            name: L-1a2b3c
            name: norm.commit.001
            name: lesson.0123456789abcdef
            name: Cargo.toml
            name: docker
        "#]]
        .assert_eq(&told);
    }

    /// VAL-1: whatever is refused says what may be written instead.
    #[test]
    fn what_is_no_condition() {
        let texts = [
            "",
            "NOT",
            "NOT NOT docker",
            "tokio 1.38",
            "tokio >=1.2, <2",
            "tokio ^",
            "tokio@1.38.0",
            "src/net.rs@abc",
            "src/net.rs:47",
            "src/net.rs:47-52",
            "src/net.rs#",
            "#retry",
            "Client::retry",
            "/etc/passwd",
            "../secret exists",
            "a/../../b =~ /x/",
            "~/x",
            "C:\\x",
            "https://example.org/x",
            "src/*.rs",
            "src/a.rs =~ x",
            "src/a.rs =~ //",
            "src/a.rs =~ /x/g",
            "a.toml: x",
            "a.toml:x ^3",
            "a.toml:x =",
            "a.toml:x[y] = 3",
            "\"open",
            "the retries must stay below five",
            "src/net.rs must exist",
            "foo()",
            ".",
            "a\nb",
        ];
        let told: String = texts.into_iter().map(told).collect();
        expect![[r#"
            refused: is empty; write `tokio ^1.38`, `src/net.rs exists`, `src/net.rs#retry`, `src/net.rs@1a2b3c4`, `src/**/*.rs =~ /regex/`, `config/app.toml:net.retries = 3`, an entry's id or a fact such as `docker`, each with or without NOT before it
            refused: NOT needs a condition; write `tokio ^1.38`, `src/net.rs exists`, `src/net.rs#retry`, `src/net.rs@1a2b3c4`, `src/**/*.rs =~ /regex/`, `config/app.toml:net.retries = 3`, an entry's id or a fact such as `docker`, each with or without NOT before it
            refused: `NOT NOT docker` says NOT twice; write it once or not at all
            refused: `tokio 1.38` does not say how to compare; write `tokio ^1.38` (compatible) or `tokio = 1.38`
            refused: `tokio >=1.2, <2` compares more than once; write one condition for each comparison
            refused: `tokio ^` has no version after its operator; write one such as 1.38 or 2.0.0-rc1
            refused: `tokio@1.38.0` is not a condition; for a version write `tokio = 1.38.0`
            refused: `src/net.rs@abc` has no blob id; write 7 to 64 hexadecimal digits, as `git hash-object src/net.rs` prints them
            refused: `src/net.rs:47` names lines, and lines move; write `src/net.rs#symbol` or `src/net.rs =~ /regex/`
            refused: `src/net.rs:47-52` names lines, and lines move; write `src/net.rs#symbol` or `src/net.rs =~ /regex/`
            refused: `src/net.rs#` names no symbol; write `src/net.rs#symbol`, or `src/net.rs` alone
            refused: `#retry` does not say in which file; write `path#retry`
            refused: `Client::retry` does not say in which file; write `path#symbol` for a symbol, `path:key` for a setting
            refused: "/etc/passwd" is an absolute path; write it relative to the repository
            refused: "../secret" points outside the repository; write a path inside it
            refused: "a/../../b" points outside the repository; write a path inside it
            refused: "~/x" is an absolute path; write it relative to the repository
            refused: "C:\\x" is an absolute path; write it relative to the repository
            refused: "https://example.org/x" is a URL; write a path inside the repository
            refused: `src/*.rs` is a glob; only patterns may have one: `src/*.rs =~ /regex/`
            refused: `x` is not a pattern; write it between slashes: `/regex/`
            refused: the pattern is empty; write `/regex/`
            refused: `/x/g` has the flags `g`; only `i` (ignore case) is allowed
            refused: `a.toml: x` names no setting; write `path:key` or `path:key = value`
            refused: `a.toml:x ^3` does not say how to compare the setting; allowed are = == != < <= > >= and =~
            refused: `a.toml:x =` has nothing to compare with; write an empty string as ""
            refused: `a.toml:x[y] = 3` has `[y]`; a list index is a number, counted from 0
            refused: `"open` has no closing quote
            refused: `the retries must stay below five` is not a condition; write `tokio ^1.38`, `src/net.rs exists`, `src/net.rs#retry`, `src/net.rs@1a2b3c4`, `src/**/*.rs =~ /regex/`, `config/app.toml:net.retries = 3`, an entry's id or a fact such as `docker`, each with or without NOT before it
            refused: `src/net.rs must exist` is not a condition; write `tokio ^1.38`, `src/net.rs exists`, `src/net.rs#retry`, `src/net.rs@1a2b3c4`, `src/**/*.rs =~ /regex/`, `config/app.toml:net.retries = 3`, an entry's id or a fact such as `docker`, each with or without NOT before it
            refused: `foo()` is not a condition; write `tokio ^1.38`, `src/net.rs exists`, `src/net.rs#retry`, `src/net.rs@1a2b3c4`, `src/**/*.rs =~ /regex/`, `config/app.toml:net.retries = 3`, an entry's id or a fact such as `docker`, each with or without NOT before it
            refused: `.` names no file; write `tokio ^1.38`, `src/net.rs exists`, `src/net.rs#retry`, `src/net.rs@1a2b3c4`, `src/**/*.rs =~ /regex/`, `config/app.toml:net.retries = 3`, an entry's id or a fact such as `docker`, each with or without NOT before it
            refused: contains '\n'; a condition is one line
        "#]].assert_eq(&told);
    }

    #[test]
    fn long_texts_are_refused() {
        assert!(Condition::parse(&"a".repeat(WORD_CHARS_MAX + 1)).unwrap_err().contains("at most"));
        let long = format!("a.rs =~ /{}/", "x".repeat(CONDITION_REGEX_CHARS_MAX + 1));
        assert!(Condition::parse(&long).unwrap_err().contains("at most"));
    }

    const PIECES: &[&str] = &[
        "NOT ", "!", "not ", " ", "a", "Zé", "1.2", "/", "..", ".", "./", "\\", "#", "@", "abcdef0", ":",
        "::", "=", "==", "=~", "~=", "~", "^", "<", ">=", "!=", "exists", " exists", "\"", "'", "[0]", "[",
        "]", "*", "/x/", "/x/i", "-", "v1", "b.c", "~/", "http://", "{a,b}", "\t", ",",
    ];

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in any::<String>()) {
            let _ = Condition::parse(&text);
        }

        #[test]
        fn what_is_shown_is_read_back(pieces in prop::collection::vec(select(PIECES), 1..9)) {
            let text = pieces.concat();
            if let Ok(condition) = Condition::parse(&text) {
                let shown = condition.to_string();
                prop_assert_eq!(Condition::parse(&shown), Ok(condition), "{} became {}", text, shown);
            }
        }
    }
}
