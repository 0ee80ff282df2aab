//! Reads a shell command line into a tree: quoting, lists, pipelines, substitutions, heredocs, compound commands.
//!
//! Nothing is expanded here: see [`super::invocation`]. A line that no shell would accept is read as far as it makes sense, for a guard
//! that gives up on a missing quote is easily avoided.

use std::rc::Rc;

use crate::limits::action_shell::{CHARS_MAX, COMMANDS_MAX, DEPTH_MAX};

/// A command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Script {
    pub(super) nodes: Vec<Node>,
    /// Bodies of heredocs, by their number.
    pub(super) heredocs: Vec<Word>,
    /// It is longer or deeper than what was read of it.
    pub(super) cut_short: bool,
}

/// One command of a list.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Simple(Simple),
    /// Commands whose output goes into the next.
    Pipeline(Vec<Node>),
    /// `{ ...; }`, `if`, `while`, `case`: everything in it may run, in this order.
    Group {
        nodes: Vec<Node>,
        redirects: Vec<Redirect>,
    },
    /// `( ... )`: it leaves the folder and the variables as they were.
    Subshell {
        nodes: Vec<Node>,
        redirects: Vec<Redirect>,
    },
    /// `for NAME in WORDS; do ...; done`.
    Loop {
        variable: String,
        values: Vec<Word>,
        nodes: Vec<Node>,
        redirects: Vec<Redirect>,
    },
    /// `NAME() { ... }`: nothing runs before it is called.
    Function {
        name: String,
        body: Rc<Vec<Node>>,
    },
}

/// A program with its words.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Simple {
    pub(super) assignments: Vec<Assignment>,
    pub(super) words: Vec<Word>,
    pub(super) redirects: Vec<Redirect>,
}

/// `NAME=value` or `NAME=(a b)`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Assignment {
    pub(super) name: String,
    pub(super) values: Vec<Word>,
}

/// A word, not expanded yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Word {
    pub(super) pieces: Vec<Piece>,
}

/// A part of a word.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece {
    Text {
        text: String,
        quoted: bool,
    },
    Variable {
        name: String,
        /// What stands for it where it is not set: `${NAME:-word}`.
        fallback: Option<Word>,
        quoted: bool,
    },
    /// `$( ... )` and backticks.
    Output {
        nodes: Vec<Node>,
        quoted: bool,
    },
    /// `<( ... )` and `>( ... )`.
    Process(Vec<Node>),
    /// Arithmetic, and expansions that are not followed.
    Unknown,
}

/// Where input comes from or output goes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Redirect {
    pub(super) kind: RedirectKind,
}

/// What a redirection does.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RedirectKind {
    Write(Word),
    Append(Word),
    Read(Word),
    /// A heredoc, by its number.
    HereDocument(usize),
    HereString(Word),
    /// `2>&1`.
    Duplicate,
}

/// Reads a command line.
pub(super) fn read(line: &str) -> Script {
    let chars: Vec<char> = line.chars().take(CHARS_MAX).filter(|char| *char != '\0').collect();
    let mut parser = Parser { chars, ..Parser::default() };
    let mut nodes = Vec::new();
    loop {
        nodes.extend(parser.list());
        if parser.is_at_end() {
            break;
        }
        // A stray `)` or `fi`: what follows is read all the same.
        parser.skip_stray();
    }
    let cut_short = parser.cut_short || line.chars().nth(CHARS_MAX).is_some();
    Script { nodes, heredocs: parser.heredocs, cut_short }
}

#[derive(Default)]
struct Parser {
    chars: Vec<char>,
    at: usize,
    depth: usize,
    commands: usize,
    heredocs: Vec<Word>,
    /// Heredocs whose bodies begin after this line.
    pending: Vec<Pending>,
    cut_short: bool,
}

struct Pending {
    number: usize,
    delimiter: String,
    /// `<<-`: tabs at the beginning of a line do not count.
    strips_tabs: bool,
    /// A quoted delimiter: nothing in the body is expanded.
    is_literal: bool,
}

/// Words that end a list inside a compound command.
const CLOSERS: &[&str] = &["then", "elif", "else", "fi", "do", "done", "esac", "}"];

impl Parser {
    fn is_at_end(&self) -> bool {
        self.at >= self.chars.len()
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn peek_at(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn starts(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(ahead, char)| self.peek_at(ahead) == Some(char))
    }

    fn skip_stray(&mut self) {
        match self.peek_word().map(|word| word.chars().count()) {
            Some(length) => self.at += length,
            None => self.at += 1,
        }
    }

    /// Spaces, comments and continued lines; not the end of a line.
    fn skip_blanks(&mut self) {
        while let Some(char) = self.peek() {
            match char {
                ' ' | '\t' | '\r' => self.at += 1,
                '\\' if self.peek_at(1) == Some('\n') => self.at += 2,
                '#' if self.is_at_word_start() => {
                    while self.peek().is_some_and(|char| char != '\n') {
                        self.at += 1;
                    }
                }
                _ => break,
            }
        }
    }

    fn is_at_word_start(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.chars.get(at));
        before.is_none_or(|char| char.is_whitespace() || matches!(char, ';' | '&' | '|' | '(' | ')'))
    }

    /// Passes the end of a line, and reads the heredocs that begin there.
    fn newline(&mut self) {
        self.at += 1;
        for pending in std::mem::take(&mut self.pending) {
            let body = self.heredoc_body(&pending);
            self.heredocs[pending.number] = body;
        }
    }

    fn heredoc_body(&mut self, pending: &Pending) -> Word {
        let mut text = String::new();
        while !self.is_at_end() {
            let mut line = String::new();
            while let Some(char) = self.peek() {
                self.at += 1;
                if char == '\n' {
                    break;
                }
                line.push(char);
            }
            let bare = if pending.strips_tabs { line.trim_start_matches('\t') } else { line.as_str() };
            if bare.trim_end_matches('\r') == pending.delimiter {
                break;
            }
            text.push_str(bare);
            text.push('\n');
        }
        if pending.is_literal {
            return Word { pieces: vec![Piece::Text { text, quoted: true }] };
        }
        // Inside such a body `$( )` runs, and quotes are ordinary characters.
        self.nested(text.chars().collect(), |parser| {
            let mut word = Word::default();
            while !parser.is_at_end() {
                parser.quoted_piece(&mut word, None);
            }
            word
        })
    }

    /// Reads other characters with the same heredocs.
    fn nested<T: Default>(&mut self, chars: Vec<char>, read: impl FnOnce(&mut Parser) -> T) -> T {
        if self.depth >= DEPTH_MAX {
            self.cut_short = true;
            return T::default();
        }
        let heredocs = std::mem::take(&mut self.heredocs);
        let (depth, commands) = (self.depth + 1, self.commands);
        let mut parser =
            Parser { chars, at: 0, depth, commands, heredocs, pending: Vec::new(), cut_short: false };
        let value = read(&mut parser);
        self.commands = parser.commands;
        self.cut_short |= parser.cut_short;
        self.heredocs = parser.heredocs;
        value
    }

    /// A word without quotes or expansions ahead, as reserved words are written.
    fn peek_word(&self) -> Option<String> {
        let word: String = self.chars[self.at.min(self.chars.len())..]
            .iter()
            .take(16)
            .take_while(|char| {
                !char.is_whitespace() && !matches!(char, ';' | '&' | '|' | '(' | ')' | '<' | '>')
            })
            .collect();
        (!word.is_empty()).then_some(word)
    }

    /// Commands up to the end, a `)`, a `;;` or a word that closes a compound command.
    fn list(&mut self) -> Vec<Node> {
        let mut nodes = Vec::new();
        loop {
            self.skip_blanks();
            match self.peek() {
                None | Some(')') => return nodes,
                Some('\n') => self.newline(),
                Some(';') if self.peek_at(1) == Some(';') => return nodes,
                Some(';' | '|') => self.at += 1,
                Some('&') if self.peek_at(1) != Some('>') => self.at += 1,
                Some(_) => {
                    if self.peek_word().is_some_and(|word| CLOSERS.contains(&word.as_str())) {
                        return nodes;
                    }
                    let before = self.at;
                    nodes.extend(self.pipeline());
                    if self.at == before {
                        self.at += 1;
                    }
                }
            }
        }
    }

    fn pipeline(&mut self) -> Option<Node> {
        let mut stages = Vec::new();
        loop {
            stages.extend(self.command());
            self.skip_blanks();
            if self.peek() != Some('|') || self.peek_at(1) == Some('|') {
                break;
            }
            self.at += 1;
            if self.peek() == Some('&') {
                self.at += 1;
            }
            // The next command may stand on the next line.
            self.skip_blanks();
            while self.peek() == Some('\n') {
                self.newline();
                self.skip_blanks();
            }
        }
        match stages.len() {
            0 | 1 => stages.pop(),
            _ => Some(Node::Pipeline(stages)),
        }
    }

    fn command(&mut self) -> Option<Node> {
        if self.depth >= DEPTH_MAX || self.commands >= COMMANDS_MAX {
            self.cut_short = true;
            self.at = self.chars.len();
            return None;
        }
        self.skip_blanks();
        self.depth += 1;
        self.commands += 1;
        let node = self.command_here();
        self.depth -= 1;
        node
    }

    fn command_here(&mut self) -> Option<Node> {
        if self.starts("((") {
            self.skip_arithmetic();
            return None;
        }
        if self.peek() == Some('(') {
            self.at += 1;
            let nodes = self.list_until_parenthesis();
            return Some(Node::Subshell { nodes, redirects: self.redirects() });
        }
        let word = self.peek_word().unwrap_or_default();
        match word.as_str() {
            "!" => {
                self.at += 1;
                self.command()
            }
            // A name may follow, and only before a compound command.
            "coproc" => {
                self.at += 6;
                self.skip_blanks();
                let before = self.at;
                if let Some(name) = self.peek_word() {
                    self.at += name.chars().count();
                    self.skip_blanks();
                    let is_compound = self.peek() == Some('(')
                        || matches!(
                            self.peek_word().as_deref(),
                            Some("{" | "if" | "while" | "until" | "for" | "case")
                        );
                    if !is_compound {
                        self.at = before;
                    }
                }
                self.command()
            }
            "{" => {
                self.at += 1;
                let nodes = self.lists_until("}");
                Some(Node::Group { nodes, redirects: self.redirects() })
            }
            "if" => {
                self.at += 2;
                let nodes = self.lists_until("fi");
                Some(Node::Group { nodes, redirects: self.redirects() })
            }
            "while" | "until" => {
                self.at += 5;
                let nodes = self.lists_until("done");
                Some(Node::Group { nodes, redirects: self.redirects() })
            }
            "for" | "select" => {
                self.at += word.len();
                Some(self.loop_command())
            }
            "case" => {
                self.at += 4;
                let nodes = self.case_command();
                Some(Node::Group { nodes, redirects: self.redirects() })
            }
            "function" => {
                self.at += 8;
                self.skip_blanks();
                let name = self.peek_word()?;
                self.at += name.chars().count();
                self.function(name)
            }
            "[[" => {
                self.skip_test();
                None
            }
            _ => self.simple(),
        }
    }

    /// Everything up to the word that closes a compound command.
    fn lists_until(&mut self, closer: &str) -> Vec<Node> {
        let mut nodes = Vec::new();
        loop {
            nodes.extend(self.list());
            match self.peek_word() {
                Some(word) if CLOSERS.contains(&word.as_str()) => {
                    self.at += word.chars().count();
                    if word == closer {
                        return nodes;
                    }
                }
                _ if self.starts(";;") => self.at += 2,
                Some(_) | None => return nodes,
            }
        }
    }

    fn list_until_parenthesis(&mut self) -> Vec<Node> {
        let mut nodes = Vec::new();
        loop {
            nodes.extend(self.list());
            match self.peek() {
                Some(')') => {
                    self.at += 1;
                    return nodes;
                }
                Some(_) => self.skip_stray(),
                None => return nodes,
            }
        }
    }

    fn loop_command(&mut self) -> Node {
        self.skip_blanks();
        if self.starts("((") {
            self.skip_arithmetic();
        }
        let variable = self.peek_word().filter(|word| word != "do").unwrap_or_default();
        self.at += variable.chars().count();
        let mut values = Vec::new();
        self.skip_blanks();
        if self.peek_word().as_deref() == Some("in") {
            self.at += 2;
            loop {
                self.skip_blanks();
                match self.peek() {
                    None | Some(';' | '\n' | '&' | '|' | ')') => break,
                    Some(_) => match self.word() {
                        Some(word) => values.push(word),
                        None => break,
                    },
                }
            }
        }
        let nodes = self.lists_until("done");
        Node::Loop { variable, values, nodes, redirects: self.redirects() }
    }

    fn case_command(&mut self) -> Vec<Node> {
        self.skip_blanks();
        let mut nodes = Vec::new();
        // What is compared may hold a substitution that runs.
        if let Some(word) = self.word() {
            nodes.push(Node::Simple(Simple {
                words: vec![Word { pieces: vec![Piece::Text { text: ":".to_owned(), quoted: false }] }, word],
                ..Simple::default()
            }));
        }
        self.skip_lines();
        if self.peek_word().as_deref() == Some("in") {
            self.at += 2;
        }
        loop {
            self.skip_lines();
            if self.is_at_end() {
                return nodes;
            }
            if self.peek_word().as_deref() == Some("esac") {
                self.at += 4;
                return nodes;
            }
            let before = self.at;
            if self.peek() == Some('(') {
                self.at += 1;
            }
            // The patterns of one case.
            while self.peek().is_some_and(|char| char != ')' && char != '\n') {
                match self.word() {
                    Some(_) => {}
                    None => self.at += 1,
                }
                self.skip_blanks();
            }
            if self.peek() == Some(')') {
                self.at += 1;
            }
            nodes.extend(self.list());
            while matches!(self.peek(), Some(';' | '&')) {
                self.at += 1;
            }
            if self.at == before {
                self.at += 1;
            }
        }
    }

    fn skip_lines(&mut self) {
        self.skip_blanks();
        while self.peek() == Some('\n') {
            self.newline();
            self.skip_blanks();
        }
    }

    fn function(&mut self, name: String) -> Option<Node> {
        self.skip_blanks();
        if self.starts("()") {
            self.at += 2;
        }
        self.skip_lines();
        let body = match self.command() {
            Some(Node::Group { nodes, .. } | Node::Subshell { nodes, .. }) => nodes,
            Some(other) => vec![other],
            None => Vec::new(),
        };
        Some(Node::Function { name, body: Rc::new(body) })
    }

    /// `(( ... ))` changes numbers only.
    fn skip_arithmetic(&mut self) {
        let mut open = 0usize;
        while let Some(char) = self.peek() {
            self.at += 1;
            match char {
                '(' => open += 1,
                ')' => {
                    open = open.saturating_sub(1);
                    if open == 0 {
                        return;
                    }
                }
                _ => {}
            }
        }
    }

    /// `[[ ... ]]` compares; `<` and `&&` in it are no operators of the shell.
    fn skip_test(&mut self) {
        self.at += 2;
        loop {
            self.skip_blanks();
            if self.is_at_end() {
                return;
            }
            if self.starts("]]") {
                self.at += 2;
                return;
            }
            if self.word().is_none() {
                self.at += 1;
            }
        }
    }

    fn simple(&mut self) -> Option<Node> {
        let mut simple = Simple::default();
        loop {
            self.skip_blanks();
            if let Some(redirect) = self.redirect() {
                simple.redirects.push(redirect);
                continue;
            }
            match self.peek() {
                None | Some('\n' | ';' | '&' | '|' | ')') => break,
                Some('(') => {
                    let is_function = simple.words.len() == 1 && simple.assignments.is_empty();
                    match simple.words.first().and_then(Word::literal) {
                        Some(name) if is_function && self.peek_at(1) == Some(')') => {
                            return self.function(name);
                        }
                        // No shell accepts it; a language that looks like one does.
                        Some(_) | None => {
                            self.at += 1;
                            continue;
                        }
                    }
                }
                Some(_) => {}
            }
            if simple.words.is_empty()
                && let Some(assignment) = self.assignment()
            {
                simple.assignments.push(assignment);
                continue;
            }
            match self.word() {
                Some(word) => simple.words.push(word),
                None => break,
            }
        }
        let is_empty =
            simple.words.is_empty() && simple.assignments.is_empty() && simple.redirects.is_empty();
        (!is_empty).then_some(Node::Simple(simple))
    }

    fn assignment(&mut self) -> Option<Assignment> {
        let mut end = self.at;
        let is_name = |char: char, first: bool| {
            char == '_' || char.is_ascii_alphabetic() || (!first && char.is_ascii_digit())
        };
        while self.chars.get(end).is_some_and(|char| is_name(*char, end == self.at)) {
            end += 1;
        }
        if end == self.at {
            return None;
        }
        let name: String = self.chars[self.at..end].iter().collect();
        match (self.chars.get(end), self.chars.get(end + 1)) {
            (Some('='), _) => end += 1,
            (Some('+'), Some('=')) => end += 2,
            _ => return None,
        }
        self.at = end;
        let mut values = Vec::new();
        if self.peek() == Some('(') {
            self.at += 1;
            loop {
                self.skip_lines();
                match self.peek() {
                    None => break,
                    Some(')') => {
                        self.at += 1;
                        break;
                    }
                    Some(_) => match self.word() {
                        Some(word) => values.push(word),
                        None => self.at += 1,
                    },
                }
            }
        } else {
            values.extend(self.word());
        }
        Some(Assignment { name, values })
    }

    fn redirects(&mut self) -> Vec<Redirect> {
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            match self.redirect() {
                Some(redirect) => redirects.push(redirect),
                None => return redirects,
            }
        }
    }

    fn redirect(&mut self) -> Option<Redirect> {
        let begin = self.at;
        while self.peek().is_some_and(|char| char.is_ascii_digit()) {
            self.at += 1;
        }
        let found = self.redirect_here();
        if found.is_none() {
            self.at = begin;
        }
        found.map(|kind| Redirect { kind })
    }

    fn redirect_here(&mut self) -> Option<RedirectKind> {
        let operators = ["&>>", "&>", "<<<", "<<-", "<<", "<>", "<&", ">>", ">&", ">|", ">", "<"];
        let operator = operators.into_iter().find(|operator| self.starts(operator))?;
        // `<( ... )` is a word.
        if matches!(operator, "<" | ">") && self.peek_at(1) == Some('(') {
            return None;
        }
        self.at += operator.chars().count();
        self.skip_blanks();
        if matches!(operator, "<<" | "<<-") {
            return Some(self.heredoc(operator == "<<-"));
        }
        let is_number = self.peek().is_some_and(|char| char.is_ascii_digit() || char == '-');
        if matches!(operator, ">&" | "<&") && is_number {
            while self.peek().is_some_and(|char| char.is_ascii_digit() || char == '-') {
                self.at += 1;
            }
            return Some(RedirectKind::Duplicate);
        }
        let word = self.word().unwrap_or_default();
        Some(match operator {
            "<<<" => RedirectKind::HereString(word),
            "<" | "<&" => RedirectKind::Read(word),
            ">>" | "&>>" => RedirectKind::Append(word),
            _ => RedirectKind::Write(word),
        })
    }

    fn heredoc(&mut self, strips_tabs: bool) -> RedirectKind {
        let begin = self.at;
        let word = self.word().unwrap_or_default();
        let raw: String = self.chars[begin..self.at].iter().collect();
        let number = self.heredocs.len();
        self.heredocs.push(Word::default());
        self.pending.push(Pending {
            number,
            delimiter: word.text(),
            strips_tabs,
            is_literal: raw.contains(['\'', '"', '\\']),
        });
        RedirectKind::HereDocument(number)
    }

    fn word(&mut self) -> Option<Word> {
        let mut word = Word::default();
        let begin = self.at;
        while let Some(char) = self.peek() {
            match char {
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | ')' => break,
                '<' | '>' if self.peek_at(1) == Some('(') => {
                    self.at += 2;
                    let nodes = self.inner_list();
                    word.pieces.push(Piece::Process(nodes));
                }
                '<' | '>' => break,
                // `?(a|b)` and `!(a|b)` are patterns, and everything else is no word.
                '(' if self.at > begin => {
                    let before = self.chars[self.at - 1];
                    if !matches!(before, '?' | '*' | '+' | '@' | '!') {
                        break;
                    }
                    self.skip_arithmetic();
                    word.pieces.push(Piece::Unknown);
                }
                '(' => break,
                '\\' => {
                    self.at += 1;
                    match self.peek() {
                        Some('\n') => {}
                        Some(char) => word.push(char, true),
                        None => break,
                    }
                    self.at += 1;
                }
                '\'' => {
                    self.at += 1;
                    word.push_str("", true);
                    while let Some(char) = self.peek() {
                        self.at += 1;
                        if char == '\'' {
                            break;
                        }
                        word.push(char, true);
                    }
                }
                '"' => {
                    self.at += 1;
                    self.double_quoted(&mut word);
                }
                '$' if self.peek_at(1) == Some('\'') => {
                    self.at += 2;
                    self.escaped_text(&mut word);
                }
                '$' if self.peek_at(1) == Some('"') => {
                    self.at += 2;
                    self.double_quoted(&mut word);
                }
                '$' => self.dollar(&mut word, false),
                '`' => self.backticks(&mut word, false),
                other => {
                    word.push(other, false);
                    self.at += 1;
                }
            }
        }
        (self.at > begin && !word.pieces.is_empty()).then_some(word)
    }

    fn double_quoted(&mut self, word: &mut Word) {
        word.push_str("", true);
        while let Some(char) = self.peek() {
            if char == '"' {
                self.at += 1;
                return;
            }
            self.quoted_piece(word, Some('"'));
        }
    }

    /// One character or expansion inside double quotes, or inside the body of a heredoc.
    fn quoted_piece(&mut self, word: &mut Word, quote: Option<char>) {
        match self.peek() {
            Some('\\') => {
                self.at += 1;
                match self.peek() {
                    Some('\n') => self.at += 1,
                    Some(char) if matches!(char, '$' | '`' | '\\') || Some(char) == quote => {
                        word.push(char, true);
                        self.at += 1;
                    }
                    Some(_) | None => word.push('\\', true),
                }
            }
            Some('$') => self.dollar(word, true),
            Some('`') => self.backticks(word, true),
            Some(char) => {
                word.push(char, true);
                self.at += 1;
            }
            None => {}
        }
    }

    /// `$'...'`.
    fn escaped_text(&mut self, word: &mut Word) {
        word.push_str("", true);
        while let Some(char) = self.peek() {
            self.at += 1;
            match char {
                '\'' => return,
                '\\' => {
                    let escaped = self.peek();
                    self.at += 1;
                    match escaped {
                        Some('n') => word.push('\n', true),
                        Some('t') => word.push('\t', true),
                        Some('x') => word.push(self.code(16, 2), true),
                        Some('u') => word.push(self.code(16, 4), true),
                        Some('U') => word.push(self.code(16, 8), true),
                        Some('0'..='7') => {
                            self.at -= 1;
                            word.push(self.code(8, 3), true);
                        }
                        Some(other) => word.push(other, true),
                        None => return,
                    }
                }
                other => word.push(other, true),
            }
        }
    }

    /// A character by its number: `\x66`, `\146`.
    fn code(&mut self, base: u32, digits_max: usize) -> char {
        let mut code = 0;
        for _ in 0..digits_max {
            let Some(digit) = self.peek().and_then(|char| char.to_digit(base)) else { break };
            code = code * base + digit;
            self.at += 1;
        }
        char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    fn dollar(&mut self, word: &mut Word, quoted: bool) {
        self.at += 1;
        match self.peek() {
            Some('(') if self.peek_at(1) == Some('(') => {
                self.skip_arithmetic();
                word.pieces.push(Piece::Unknown);
            }
            Some('(') => {
                self.at += 1;
                let nodes = self.inner_list();
                word.pieces.push(Piece::Output { nodes, quoted });
            }
            Some('{') => {
                self.at += 1;
                let piece = self.braced(quoted);
                word.pieces.push(piece);
            }
            Some(char) if char == '_' || char.is_ascii_alphabetic() => {
                let begin = self.at;
                while self.peek().is_some_and(|char| char == '_' || char.is_ascii_alphanumeric()) {
                    self.at += 1;
                }
                let name = self.chars[begin..self.at].iter().collect();
                word.pieces.push(Piece::Variable { name, fallback: None, quoted });
            }
            Some(char)
                if char.is_ascii_digit() || matches!(char, '@' | '*' | '#' | '?' | '!' | '$' | '-') =>
            {
                self.at += 1;
                word.pieces.push(Piece::Variable { name: char.to_string(), fallback: None, quoted });
            }
            Some(_) | None => word.push('$', true),
        }
    }

    /// After `${`.
    fn braced(&mut self, quoted: bool) -> Piece {
        let begin = self.at;
        let mut open = 1usize;
        while let Some(char) = self.peek() {
            self.at += 1;
            match char {
                '{' => open += 1,
                '}' => {
                    open -= 1;
                    if open == 0 {
                        break;
                    }
                }
                '\\' => self.at += 1,
                _ => {}
            }
        }
        let end = self.at.saturating_sub(1).clamp(begin, self.chars.len());
        let inner: String = self.chars[begin..end].iter().collect();
        let length = inner
            .find(|char: char| !(char == '_' || char.is_ascii_alphanumeric() || matches!(char, '@' | '*')))
            .unwrap_or(inner.len());
        let (name, rest) = inner.split_at(length);
        let name = name.to_owned();
        match rest {
            _ if name.is_empty() => Piece::Unknown,
            "" | "[@]" | "[*]" => Piece::Variable { name, fallback: None, quoted },
            _ => {
                let fallback = [":-", "-", ":=", "="].iter().find_map(|sign| rest.strip_prefix(sign));
                match fallback {
                    Some(fallback) => {
                        let word = self.nested(fallback.chars().collect(), |parser| {
                            let mut word = Word::default();
                            while !parser.is_at_end() {
                                parser.quoted_piece(&mut word, Some('"'));
                            }
                            word
                        });
                        Piece::Variable { name, fallback: Some(word), quoted }
                    }
                    None => Piece::Unknown,
                }
            }
        }
    }

    fn backticks(&mut self, word: &mut Word, quoted: bool) {
        self.at += 1;
        let mut inner = Vec::new();
        while let Some(char) = self.peek() {
            self.at += 1;
            match char {
                '`' => break,
                '\\' if matches!(self.peek(), Some('`' | '\\' | '$')) => {
                    inner.extend(self.peek());
                    self.at += 1;
                }
                other => inner.push(other),
            }
        }
        let nodes = self.nested(inner, Parser::list_until_parenthesis);
        word.pieces.push(Piece::Output { nodes, quoted });
    }

    /// The commands of a substitution, with its `)`.
    fn inner_list(&mut self) -> Vec<Node> {
        if self.depth >= DEPTH_MAX {
            self.cut_short = true;
            self.at = self.chars.len();
            return Vec::new();
        }
        self.depth += 1;
        // A heredoc of the line outside begins after the substitution, not in it.
        let outer = std::mem::take(&mut self.pending);
        let nodes = self.list_until_parenthesis();
        self.pending.splice(0..0, outer);
        self.depth -= 1;
        nodes
    }
}

impl Word {
    fn push(&mut self, char: char, is_quoted: bool) {
        match self.pieces.last_mut() {
            Some(Piece::Text { text, quoted }) if *quoted == is_quoted => text.push(char),
            Some(_) | None => self.pieces.push(Piece::Text { text: char.to_string(), quoted: is_quoted }),
        }
    }

    fn push_str(&mut self, text: &str, quoted: bool) {
        self.pieces.push(Piece::Text { text: text.to_owned(), quoted });
    }

    /// Its text, if nothing in it is expanded or quoted.
    fn literal(&self) -> Option<String> {
        match self.pieces.as_slice() {
            [Piece::Text { text, quoted: false }] => Some(text.clone()),
            _ => None,
        }
    }

    /// Its text without what would be expanded.
    fn text(&self) -> String {
        let texts = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Text { text, .. } => Some(text.as_str()),
            Piece::Variable { .. } | Piece::Output { .. } | Piece::Process(_) | Piece::Unknown => None,
        });
        texts.collect()
    }
}
