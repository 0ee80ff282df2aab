//! Definitions that no grammar sees: a line that introduces a name, with its block by brackets or by indentation (COR-22).
//!
//! For code inside macros, for SQL, and for languages without a grammar. Words are the tokens, and comments do not count. Reading is linear in the text.

use std::cell::Cell;

use ken_language::WordList;

use crate::limits::{DEFINITION_STEPS_PER_WORD, DEFINITIONS_AROUND_MAX, NAME_TOKENS_MAX};
use crate::{Language, Outline, Symbol, Token, prose};

/// Who takes prints of such definitions, and the version of how.
pub(crate) const BY: &str = "definitions.1";

static DEFINING: WordList = WordList::new(include_str!("../words/defining.txt"));
static MODIFIERS: WordList = WordList::new(include_str!("../words/modifiers.txt"));
static CONTROL: WordList = WordList::new(include_str!("../words/control.txt"));
static CONTINUING: WordList = WordList::new(include_str!("../words/continuing.txt"));
static CLOSING: WordList = WordList::new(include_str!("../words/closing.txt"));
static SQL_CREATED: WordList = WordList::new(include_str!("../words/sql_created.txt"));
static SQL_BETWEEN: WordList = WordList::new(include_str!("../words/sql_between.txt"));

/// How the definitions of a file are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    /// Each begins with a word of its own, as in Rust.
    Keyword,
    /// Functions may be a name, parameters and a block, as in C.
    Named,
    Sql,
    /// Targets with a colon.
    Make,
    /// Nothing is known of the language: everything above, and assignments at the margin.
    Unknown,
}

impl Dialect {
    fn detect(path: &str, language: Option<Language>) -> Dialect {
        let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        match (language, extension) {
            (Some(Language::Rust | Language::Python | Language::Go | Language::Ruby), _) => Dialect::Keyword,
            (Some(_), _) => Dialect::Named,
            (None, "sql" | "psql" | "pgsql" | "ddl" | "plsql" | "pks" | "pkb") => Dialect::Sql,
            (None, "mk" | "mak") => Dialect::Make,
            (None, _) if matches!(name.as_str(), "makefile" | "gnumakefile" | "justfile" | ".justfile") => {
                Dialect::Make
            }
            (None, _) => Dialect::Unknown,
        }
    }
}

/// Reads the definitions of a text.
pub(crate) fn read(path: &str, text: &str, language: Option<Language>) -> Outline {
    let dialect = Dialect::detect(path, language);
    let source = Source::new(text, dialect, language == Some(Language::Rust));
    let found = source.definitions(dialect);
    let tokens = source.words.iter().map(|word| Token {
        print: prose::word_print(word.text),
        line: word.line,
        last: word.line,
    });
    Outline { tokens: tokens.collect(), symbols: symbols(&found, &source.words), fault: None }
}

/// Symbols with the names of what is around them.
fn symbols(found: &[Definition], words: &[Word<'_>]) -> Vec<Symbol> {
    let mut symbols: Vec<Symbol> = Vec::with_capacity(found.len());
    let mut around: Vec<(usize, &Definition)> = Vec::new();
    for definition in found {
        while around.last().is_some_and(|(_, outer)| outer.to < definition.to) {
            around.pop();
        }
        match around.last() {
            // The variables of a function are its own business.
            Some((_, outer)) if outer.sort == Sort::Function && definition.sort == Sort::Value => continue,
            Some((place, outer)) if outer.sort == Sort::Holder => symbols[*place].holds_others = true,
            Some(_) | None => {}
        }
        let nearest = around.len().saturating_sub(DEFINITIONS_AROUND_MAX);
        let mut name: Vec<&str> = around[nearest..].iter().map(|(_, outer)| outer.name.as_str()).collect();
        name.push(&definition.name);
        around.push((symbols.len(), definition));
        symbols.push(Symbol {
            name: name.join("."),
            holds_others: false,
            lines: (words[definition.from].line, words[definition.to - 1].line),
            tokens: (definition.from as u32, definition.to as u32),
            faulty: false,
        });
    }
    symbols
}

/// The definitions someone may mean: by the whole name or its end, in the same letters or else in others.
pub(crate) fn find(outline: &Outline, name: &str) -> Vec<usize> {
    let found = outline.find(name);
    if !found.is_empty() {
        return found;
    }
    let asked = name.trim().to_lowercase();
    let is_meant = |symbol: &Symbol| {
        let own = symbol.name.to_lowercase();
        own == asked || own.strip_suffix(&asked).is_some_and(|before| before.ends_with('.'))
    };
    (0..outline.symbols.len()).filter(|at| !asked.is_empty() && is_meant(&outline.symbols[*at])).collect()
}

/// A name and the words it is defined by.
struct Definition {
    name: String,
    sort: Sort,
    from: usize,
    to: usize,
}

/// What a word introduces, as far as it matters for what is inside of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Function,
    /// A type, a module, a macro: others are defined in it.
    Holder,
    Value,
}

impl Sort {
    /// What a word of the text introduces, if it does.
    fn introduced_by(word: &str) -> Option<Sort> {
        match DEFINING.value(word)? {
            "function" => Some(Sort::Function),
            "holder" => Some(Sort::Holder),
            _ => Some(Sort::Value),
        }
    }
}

/// A word or a sign of the text.
struct Word<'t> {
    text: &'t str,
    /// Where it begins, in bytes.
    at: usize,
    line: u32,
    indent: u32,
    is_first: bool,
    is_quoted: bool,
}

struct Source<'t> {
    source: &'t str,
    words: Vec<Word<'t>>,
    /// For a bracket, the one that closes or opens it.
    partners: Vec<Option<usize>>,
    /// For the first word of a line, the first word of the next line that is not indented more.
    outdents: Vec<usize>,
    /// For each word, the first of its line.
    firsts: Vec<usize>,
    /// How many more words may be looked at, so that no text takes longer than its length allows.
    steps_left: Cell<usize>,
}

impl<'t> Source<'t> {
    fn new(text: &'t str, dialect: Dialect, has_lifetimes: bool) -> Source<'t> {
        let words = split(text, dialect, has_lifetimes);
        let mut firsts = Vec::with_capacity(words.len());
        let mut outdents = vec![words.len(); words.len()];
        let mut deeper: Vec<usize> = Vec::new();
        for (at, word) in words.iter().enumerate() {
            let first = if word.is_first { at } else { *firsts.last().unwrap_or(&at) };
            firsts.push(first);
            if word.is_first {
                while deeper.last().is_some_and(|open| word.indent <= words[*open].indent) {
                    if let Some(open) = deeper.pop() {
                        outdents[open] = at;
                    }
                }
                deeper.push(at);
            }
        }
        let partners = partners(&words);
        let steps_left = Cell::new(words.len() * DEFINITION_STEPS_PER_WORD);
        Source { source: text, words, partners, outdents, firsts, steps_left }
    }

    /// Whether one more word may be looked at.
    fn step(&self) -> bool {
        self.steps_left.set(self.steps_left.get().saturating_sub(1));
        self.steps_left.get() > 0
    }

    /// Every definition, the outer before the inner.
    fn definitions(&self, dialect: Dialect) -> Vec<Definition> {
        let words = 0..self.words.len();
        let mut found: Vec<Definition> = match dialect {
            Dialect::Make => words.filter_map(|at| self.target(at)).collect(),
            Dialect::Sql => words.filter_map(|at| self.created(at)).collect(),
            Dialect::Keyword | Dialect::Named | Dialect::Unknown => {
                words.filter_map(|at| self.defined(at, dialect)).collect()
            }
        };
        found.sort_by_key(|definition| (definition.from, std::cmp::Reverse(definition.to)));
        found.dedup_by_key(|definition| (definition.from, definition.to));
        found
    }

    fn text(&self, at: usize) -> &'t str {
        self.words.get(at).filter(|word| !word.is_quoted).map_or("", |word| word.text)
    }

    /// What a word defines, if it introduces a name or is one.
    fn defined(&self, at: usize, dialect: Dialect) -> Option<Definition> {
        let text = self.text(at);
        let (name, sort, from) = if let Some(sort) = Sort::introduced_by(text) {
            (self.introduced(at)?, sort, self.start(at)?)
        } else if !text.starts_with(is_name_start) {
            return None;
        } else if self.text(at + 1) == "(" && dialect != Dialect::Keyword {
            (self.function(at)?, Sort::Function, self.firsts[at])
        } else if dialect == Dialect::Unknown && self.words[at].is_first && self.words[at].indent == 0 {
            (self.assigned(at)?, Sort::Value, at)
        } else {
            return None;
        };
        Some(Definition { name, sort, from, to: self.end(at).max(at + 1) })
    }

    /// Where the statement begins that has a defining word: before its modifiers and attributes. None where it is no statement.
    fn start(&self, at: usize) -> Option<usize> {
        let mut from = at;
        while !self.words[from].is_first {
            let before = from - 1;
            let opened = self.partners[before].filter(|_| self.text(before) == ")");
            let restricted = opened.filter(|open| *open > 0 && MODIFIERS.contains(self.text(open - 1)));
            if MODIFIERS.contains(self.text(before)) || self.words[before].is_quoted {
                from = before;
            } else if let Some(open) = restricted {
                from = open - 1;
            } else {
                break;
            }
        }
        if !self.words[from].is_first {
            return matches!(self.text(from - 1), "{" | "}" | ";" | "]" | ")").then_some(from);
        }
        while from > 0 {
            let above = self.firsts[from - 1];
            let is_attribute =
                self.text(above) == "@" || self.text(above) == "#" && self.text(above + 1) == "[";
            if !is_attribute {
                break;
            }
            from = above;
        }
        Some(from)
    }

    /// The name that a defining word introduces.
    fn introduced(&self, at: usize) -> Option<String> {
        let word = self.text(at);
        if word == "impl" {
            return self.implemented(at + 1);
        }
        let mut next = at + 1;
        if word == "func" && self.text(next) == "(" {
            next = self.partners[next]? + 1;
        }
        while matches!(self.text(next), "!" | "*" | "&" | "?" | "mut" | "ref") {
            next += 1;
        }
        if self.text(next) == "<" {
            next = self.after_angles(next)?;
        }
        // In `const unsafe fn x` the last word introduces the name.
        let follows = self.text(next);
        let is_modifier = MODIFIERS.contains(follows) || Sort::introduced_by(follows).is_some();
        if is_modifier
            && (self.text(next + 1).starts_with(is_name_start) || self.words.get(next + 1)?.is_quoted)
        {
            return None;
        }
        self.name(next).map(|(name, _)| name)
    }

    /// A name, which may have several parts, and where it ends.
    fn name(&self, at: usize) -> Option<(String, usize)> {
        if self.words.get(at).is_some_and(|word| word.is_quoted) {
            return self.quoted_name(at);
        }
        let first = self.text(at);
        if !first.starts_with(is_name_start) {
            return None;
        }
        let (mut name, mut next) = (first.to_owned(), at + 1);
        while next < at + NAME_TOKENS_MAX {
            let colons = if self.text(next) == ":" && self.text(next + 1) == ":" { 2 } else { 1 };
            let after = self.text(next + colons);
            let is_part =
                self.is_joined(next) && self.is_joined(next + colons) && after.starts_with(is_name_start);
            match self.text(next) {
                "." | ":" if is_part => name = format!("{name}.{after}"),
                "-" if is_part => name = format!("{name}-{after}"),
                _ => break,
            }
            next += colons + 1;
        }
        Some((name, next))
    }

    /// The texts in quotes that follow a word: `"bucket" "logs"` is `bucket.logs`.
    fn quoted_name(&self, at: usize) -> Option<(String, usize)> {
        let (mut name, mut next) = (String::new(), at);
        while let Some(open) =
            self.words.get(next).filter(|word| word.is_quoted && next < at + NAME_TOKENS_MAX)
        {
            let inside = &self.words[next + 1..];
            let length = inside.iter().take(NAME_TOKENS_MAX).position(|word| word.text == open.text)?;
            let text = &self.source[open.at + open.text.len()..inside[length].at];
            name = if name.is_empty() { text.to_owned() } else { format!("{name}.{text}") };
            next += length + 2;
        }
        name.starts_with(is_name_start).then_some((name, next))
    }

    /// The type of `impl<T> Retry for net::Client<T>`: `Client`.
    fn implemented(&self, at: usize) -> Option<String> {
        let mut next = if self.text(at) == "<" { self.after_angles(at)? } else { at };
        let mut name = None;
        while next < at + NAME_TOKENS_MAX * 4 {
            match self.text(next) {
                "{" | "where" | ";" | "" => break,
                "for" => name = None,
                "<" => {
                    next = self.after_angles(next)?;
                    continue;
                }
                "dyn" | "mut" => {}
                word if word.starts_with(is_name_start) => name = Some(word),
                _ => {}
            }
            next += 1;
        }
        name.map(str::to_owned)
    }

    /// A function without a word of its own: a name, parameters, and a block.
    fn function(&self, at: usize) -> Option<String> {
        if CONTROL.contains(self.text(at)) || Sort::introduced_by(self.text(at)).is_some() {
            return None;
        }
        let before = if self.words[at].is_first { "" } else { self.text(at - 1) };
        let is_typed = before.starts_with(is_name_start)
            && !CONTROL.contains(before)
            && Sort::introduced_by(before).is_none();
        if !is_typed && !matches!(before, "" | "*" | "&" | ">" | "]" | "?" | ":" | "~") {
            return None;
        }
        let indent = self.words[at].indent;
        let mut next = self.partners[at + 1]? + 1;
        while next < self.words.len() && self.step() {
            match self.text(next) {
                "{" => break,
                "(" | "[" => next = self.partners[next]?,
                ";" | "=" | "," | ")" | "]" | "}" | "." => return None,
                _ if self.words[next].is_first && self.words[next].indent <= indent => return None,
                _ => {}
            }
            next += 1;
        }
        (self.text(next) == "{").then(|| self.text(at).to_owned())
    }

    /// A name that something is assigned to.
    fn assigned(&self, at: usize) -> Option<String> {
        let (name, next) = self.name(at)?;
        let is_assigned = match (self.text(next), self.text(next + 1)) {
            ("=", second) => second != "=",
            (":", "=") | ("<", "-") | ("?", "=") => true,
            _ => false,
        };
        is_assigned.then_some(name)
    }

    /// What `create table orders` in SQL makes.
    fn created(&self, at: usize) -> Option<Definition> {
        if !self.text(at).eq_ignore_ascii_case("create") {
            return None;
        }
        let is_on = |list: &WordList, at: usize| list.contains(&self.text(at).to_ascii_lowercase());
        let mut next = at + 1;
        while is_on(&SQL_BETWEEN, next) {
            next += 1;
        }
        if !is_on(&SQL_CREATED, next) {
            return None;
        }
        next += 1;
        while is_on(&SQL_BETWEEN, next) {
            next += 1;
        }
        let mut name = String::new();
        loop {
            let (part, after) = self.sql_name(next)?;
            name = if name.is_empty() { part } else { format!("{name}.{part}") };
            next = after;
            if self.text(next) != "." || next > at + NAME_TOKENS_MAX * 4 {
                break;
            }
            next += 1;
        }
        // `create index on orders` has no name.
        let is_nameless = name.eq_ignore_ascii_case("on") && self.text(next) != "(";
        (!is_nameless).then(|| Definition { name, sort: Sort::Value, from: at, to: self.sql_end(next) })
    }

    /// One part of a name in SQL: `orders`, `"Orders"` or `[Orders]`.
    fn sql_name(&self, at: usize) -> Option<(String, usize)> {
        let word = self.words.get(at)?;
        if word.is_quoted {
            return self.quoted_name(at);
        }
        if word.text == "[" {
            let close = self.partners[at]?;
            return Some((self.source[word.at + 1..self.words[close].at].to_owned(), close + 1));
        }
        word.text.starts_with(is_name_start).then(|| (word.text.to_owned(), at + 1))
    }

    /// Where a statement of SQL ends: its semicolon, outside of brackets, blocks and quotes.
    fn sql_end(&self, from: usize) -> usize {
        let (mut at, mut depth) = (from, 0_u32);
        while at < self.words.len() && self.step() {
            let word = self.text(at).to_ascii_lowercase();
            match word.as_str() {
                "(" | "[" | "{" => at = self.partners[at].unwrap_or(at),
                "$" => at = self.dollar_end(at).unwrap_or(at),
                "begin" | "case" => depth += 1,
                "end" => {
                    let of = self.text(at + 1).to_ascii_lowercase();
                    let is_inner = matches!(of.as_str(), "if" | "loop" | "while" | "repeat" | "for");
                    depth = depth.saturating_sub(u32::from(!is_inner));
                    at += usize::from(is_inner || of == "case");
                }
                ";" if depth == 0 => return at + 1,
                "go" | "/" | "delimiter" if at > from && self.words[at].is_first => return at,
                "create" if at > from && self.words[at].is_first && self.words[at].indent == 0 => return at,
                _ => {}
            }
            at += 1;
        }
        at.min(self.words.len())
    }

    /// The last sign of a text in dollar quotes, `$tag$ ... $tag$`, that begins here.
    fn dollar_end(&self, at: usize) -> Option<usize> {
        let is_named = self.text(at + 1) != "$";
        let tag = if is_named { self.text(at + 1) } else { "" };
        let close = at + 1 + usize::from(is_named);
        if self.text(close) != "$" || (at..close).any(|word| !self.is_joined(word + 1)) {
            return None;
        }
        let ends = |from: usize| {
            self.text(from) == "$"
                && self.text(from + close - at) == "$"
                && (!is_named || self.text(from + 1) == tag)
        };
        (close + 1..self.words.len())
            .take_while(|_| self.step())
            .find(|from| ends(*from))
            .map(|from| from + close - at)
    }

    /// A target or variable of a makefile or a justfile: a name at the margin, and a colon or an equals sign behind it.
    fn target(&self, at: usize) -> Option<Definition> {
        let word = self.words.get(at).filter(|word| word.is_first && word.indent == 0)?;
        let (name, next) = self.name(at)?;
        let mut rest = self.words[next..].iter().take_while(|other| other.line == word.line);
        let is_target = rest.any(|word| matches!(word.text, ":" | "="));
        is_target.then(|| Definition { name, sort: Sort::Value, from: at, to: self.by_indentation(at) })
    }

    /// Where the definition ends that a word begins: its block in braces, its semicolon, or where the text is not indented more.
    fn end(&self, start: usize) -> usize {
        let indent = self.words[start].indent;
        let mut at = start;
        while at < self.words.len() && self.step() {
            let word = &self.words[at];
            if at > start && word.is_first {
                if word.indent > indent {
                    return self.by_indentation(start);
                }
                if !matches!(word.text, "{" | "(" | ")" | "]" | ">" | "-" | "=" | ":")
                    && !CONTINUING.contains(word.text)
                {
                    return at;
                }
            }
            match self.text(at) {
                "{" => match self.partners[at] {
                    // A type in braces comes before the block: `function f(): { a: number } {`.
                    Some(close) if self.text(close + 1) == "{" => at = close,
                    Some(close) => return close + 1 + usize::from(self.text(close + 1) == ";"),
                    None => return self.by_indentation(start),
                },
                "(" | "[" => match self.partners[at] {
                    Some(close) => at = close,
                    None => return self.by_indentation(start),
                },
                ")" | "]" | "}" => return at,
                ";" => return at + 1,
                _ => {}
            }
            at += 1;
        }
        at
    }

    /// Where the lines end that are indented more than the line of a word, with what closes them.
    fn by_indentation(&self, start: usize) -> usize {
        let mut next = self.outdents[self.firsts[start]];
        while let Some(word) = self.words.get(next) {
            if let ("{", Some(close)) = (word.text, self.partners[next]) {
                return close + 1;
            }
            if CLOSING.contains(word.text) || matches!(word.text, "}" | ")" | "]") {
                let line = word.line;
                return next + self.words[next..].iter().take_while(|word| word.line == line).count();
            }
            if !CONTINUING.contains(word.text) {
                return next;
            }
            next = self.outdents[next];
        }
        self.words.len()
    }

    /// Whether no blank is before a word.
    fn is_joined(&self, at: usize) -> bool {
        let (Some(before), Some(word)) =
            (at.checked_sub(1).and_then(|at| self.words.get(at)), self.words.get(at))
        else {
            return false;
        };
        before.at + before.text.len() == word.at
    }

    /// After the angle brackets that open here; none where they do not close soon.
    fn after_angles(&self, at: usize) -> Option<usize> {
        let mut depth = 0_u32;
        for next in at..(at + NAME_TOKENS_MAX * 4).min(self.words.len()) {
            match self.text(next) {
                "<" => depth += 1,
                ">" if self.text(next - 1) == "-" => {}
                ">" => depth -= 1,
                "{" | ";" => return None,
                _ => {}
            }
            if depth == 0 {
                return Some(next + 1);
            }
        }
        None
    }
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// For each bracket the one it belongs to. One without a partner has none, and does not disturb the others.
fn partners(words: &[Word<'_>]) -> Vec<Option<usize>> {
    let mut partners = vec![None; words.len()];
    let mut open: Vec<(usize, &str)> = Vec::new();
    for (at, word) in words.iter().enumerate().filter(|(_, word)| !word.is_quoted) {
        let opening = match word.text {
            "(" | "[" | "{" => {
                open.push((at, word.text));
                continue;
            }
            ")" => "(",
            "]" => "[",
            "}" => "{",
            _ => continue,
        };
        // What a brace closes is closed; a lone `)` closes nothing beyond its braces.
        let partner = open.iter().rposition(|(_, text)| *text == opening);
        let braces = open.iter().rposition(|(_, text)| *text == "{");
        if let Some(place) =
            partner.filter(|place| opening == "{" || braces.is_none_or(|braces| braces < *place))
        {
            partners[at] = Some(open[place].0);
            partners[open[place].0] = Some(at);
            open.truncate(place);
        }
    }
    partners
}

/// The words and signs of a text without its comments.
fn split(text: &str, dialect: Dialect, has_lifetimes: bool) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut begin = 0;
    // Where a comment ends that began on an earlier line.
    let mut resume = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let indent = line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count() as u32;
        let (mut at, end) = (begin.max(resume), begin + line.trim_end().len());
        let mut is_first = true;
        let mut quote_end = 0;
        while at < end {
            let rest = &text[at..end];
            let Some(c) = rest.chars().next() else { break };
            if c.is_whitespace() {
                at += c.len_utf8();
                continue;
            }
            let is_quoted = at < quote_end;
            if !is_quoted {
                let before = text[begin..at].chars().next_back();
                if let Some(after) = comment_end(text, at, end, before, dialect) {
                    at = after;
                    continue;
                }
                if let Some(length) = quoted(rest, has_lifetimes) {
                    quote_end = at + length;
                }
            }
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let length = match is_word(c) {
                true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                false => c.len_utf8(),
            };
            let text = &rest[..length];
            words.push(Word { text, at, line: number, indent, is_first, is_quoted: at < quote_end });
            is_first = false;
            at += length;
        }
        resume = resume.max(at);
        begin += line.len();
    }
    words
}

/// Where a comment ends that begins here: the end of its line, or of its block.
fn comment_end(text: &str, at: usize, end: usize, before: Option<char>, dialect: Dialect) -> Option<usize> {
    let rest = &text[at..end];
    let is_apart = before.is_none_or(|c| c.is_whitespace() || matches!(c, ';' | '{' | '}' | ',' | '(' | ')'));
    let followed = |sign: &str| rest.strip_prefix(sign).map(|after| after.chars().next());
    if !is_apart {
        return None;
    }
    if rest.starts_with("/*") {
        return text[at + 2..].find("*/").map(|length| at + 2 + length + 2);
    }
    let is_line = rest.starts_with("//")
        || rest.starts_with(";;")
        || followed("--").is_some_and(|c| {
            dialect == Dialect::Sql || c.is_none_or(|c| c.is_whitespace() || matches!(c, '-' | '=' | '|'))
        })
        || followed("#").is_some_and(|c| c.is_none_or(|c| c.is_whitespace() || c == '#'));
    is_line.then_some(end)
}

/// The length of a quoted text that begins here and ends on the same line.
fn quoted(rest: &str, has_lifetimes: bool) -> Option<usize> {
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if quote != '`' => is_escaped = true,
            c if c == quote => {
                // `'a, 'b` are lifetimes, `'x'` is a character.
                let is_character = rest[1..at].chars().count() == 1 || rest[1..at].starts_with('\\');
                return (quote != '\'' || !has_lifetimes || is_character).then_some(at + 1);
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::*;

    fn check(path: &str, text: &str, expected: Expect) {
        let outline = read(path, text, Language::detect(path, ""));
        let lines = outline.symbols.iter().map(|symbol| {
            let more = if symbol.holds_others { " +" } else { "" };
            format!("{} {}-{}{more}\n", symbol.name, symbol.lines.0, symbol.lines.1)
        });
        expected.assert_eq(&lines.collect::<String>());
    }

    #[test]
    fn rust_inside_of_macros() {
        check(
            "a.rs",
            r#"
cfg_io! {
    /// fn not_this() {}
    #[inline]
    pub(crate) async fn split<T>(stream: T) -> Half<T>
    where
        T: Read,
    {
        let brace = '{';
        let text = "}";
        Half(stream)
    }

    impl<T: Read> Drop for io::Half<T> {
        fn drop(&mut self) {}
    }
}

impl Command {
    cfg_windows! {
        pub fn raw_arg(&mut self) -> &mut Self { self }
    }
}

macro_rules! number {
    ($t:ty) => {
        extern "C" fn parse(text: &'static str) -> $t { 0 }
        fn $name() {}
    };
}
static TABLE: [u8; 2] = [
    1, 2,
];
const unsafe fn twice() -> u8 { 2 }
"#,
            expect![[r#"
                split 4-12
                Half 14-16 +
                Half.drop 15-15
                Command 19-23 +
                Command.raw_arg 21-21
                number 25-30 +
                number.parse 27-27
                TABLE 31-33
                twice 34-34
            "#]],
        );
    }

    #[test]
    fn sql() {
        check(
            "schema.sql",
            r#"
-- create table ignored (id int);
CREATE TABLE IF NOT EXISTS public.orders (
    id int PRIMARY KEY, -- the key
    note text DEFAULT ');'
);
create unique index concurrently orders_by_note on public.orders (note);
CREATE INDEX ON orders (id);
CREATE OR REPLACE FUNCTION total(a int) RETURNS int AS $body$
BEGIN
    RETURN CASE WHEN a > 0 THEN a ELSE 0 END;
END;
$body$ LANGUAGE plpgsql;
CREATE PROCEDURE [dbo].[Close Orders] AS
BEGIN
    IF 1 = 1 THEN
        DELETE FROM orders;
    END IF;
END;
create view "Open orders" as select * from orders;
"#,
            expect![[r#"
                public.orders 3-6
                orders_by_note 7-7
                total 9-13
                dbo.Close Orders 14-19
                Open orders 20-20
            "#]],
        );
    }

    #[test]
    fn languages_without_a_grammar() {
        check(
            "Client.kt",
            "class Client(val url: String) {\n    private suspend fun <T> retry(times: Int): T {\n        repeat(times) { go() }\n    }\n}\n\ndata class Page(\n    val size: Int,\n)\n",
            expect![[r#"
                Client 1-5 +
                Client.retry 2-4
                Page 7-9 +
                Page.size 8-8
            "#]],
        );
        check(
            "Client.cs",
            "namespace Net;\n\npublic class Client\n{\n    public async Task<int> Retry(int times)\n    {\n        if (times > 3) { return 1; }\n        return await Go(times);\n    }\n}\n",
            expect![[r#"
                Net 1-1
                Client 3-10 +
                Client.Retry 5-9
            "#]],
        );
        check(
            "client.ex",
            "defmodule Net.Client do\n  @doc \"Tries.\"\n  def retry(times) do\n    if times > 3 do\n      1\n    end\n  rescue\n    _ -> 2\n  end\n\n  defp go, do: 1\nend\n",
            expect![[r#"
                Net.Client 1-12 +
                Net.Client.retry 2-9
                Net.Client.go 11-11
            "#]],
        );
        check(
            "client.lua",
            "local M = {}\nfunction M.retry(times)\n  -- end\n  return times\nend\nLIMIT = 3\n",
            expect![[r#"
                M.retry 2-5
                LIMIT 6-6
            "#]],
        );
        check(
            "main.tf",
            "resource \"aws_bucket\" \"logs\" {\n  name = \"a\"\n}\n\nvariable \"region\" {\n}\n",
            expect![[r#"
                aws_bucket.logs 1-3
                region 5-6
            "#]],
        );
        check(
            "Makefile",
            "CC ?= gcc\n\nlint: build\n\tcargo clippy\n\tcargo fmt # all: of it\n\n.PHONY: lint\nrelease-all: lint\n\tmake dist\n",
            expect![[r#"
                CC 1-1
                lint 3-5
                release-all 8-9
            "#]],
        );
    }

    #[test]
    fn a_name_is_found_by_its_end_and_in_other_letters() {
        let outline = read("a.sql", "create table public.Orders (id int);\n", None);
        for name in ["Orders", "public.Orders", "orders", "PUBLIC.ORDERS"] {
            assert_eq!(find(&outline, name), [0], "{name}");
        }
        assert!(find(&outline, "rders").is_empty());
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "([a-z]{1,3}|fn|create table|\\$|'|\"|/\\*|\\*/|--|[{}()\\[\\]<>;:=#\n é]){0,60}") {
            for path in ["a.rs", "a.sql", "a.kt", "a.c", "Makefile"] {
                let outline = read(path, &text, Language::detect(path, ""));
                for symbol in &outline.symbols {
                    prop_assert!(symbol.tokens.0 < symbol.tokens.1);
                    prop_assert!(symbol.tokens.1 as usize <= outline.tokens.len());
                    prop_assert!(symbol.lines.0 <= symbol.lines.1);
                }
            }
        }
    }

    /// Without a bound each definition of these texts would be followed to the end of the text.
    #[test]
    fn reading_is_linear_whatever_the_text() {
        for (path, unit) in [("a.c", "x a(b) "), ("a.sql", " create table x ")] {
            let text = unit.repeat((1 << 18) / unit.len());
            let dialect = Dialect::detect(path, Language::detect(path, ""));
            let source = Source::new(&text, dialect, false);
            source.definitions(dialect);
            assert_eq!(source.steps_left.get(), 0, "{unit}");
        }
    }
}
