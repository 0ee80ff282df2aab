//! Reads a command line into a tree: quoting, lists, pipelines, substitutions, heredocs, compound commands.
//!
//! A line that no shell would accept is read as far as it makes sense, because a guard that gives up on a missing quote is easily avoided.

use std::rc::Rc;

use crate::limits::{CHARS_MAX, COMMANDS_MAX, DEPTH_MAX};
use crate::script::{Assignment, Node, Piece, Redirect, Script, Simple, Step, Then, Word};

/// Reads a command line.
pub fn read(line: &str) -> Script {
    let chars: Vec<char> = line.chars().take(CHARS_MAX).filter(|char| *char != '\0').collect();
    let mut parser = Parser { chars, ..Parser::default() };
    let steps = parser.lists();
    let cut_short = parser.cut_short || line.chars().nth(CHARS_MAX).is_some();
    Script { steps, heredocs: parser.heredocs, cut_short, malformed: parser.malformed }
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
    malformed: bool,
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
        self.malformed = true;
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
            return Word { pieces: vec![Piece::Text { text, quoted: true }], raw: String::new() };
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
        let mut parser = Parser { chars, depth, commands, heredocs, ..Parser::default() };
        let value = read(&mut parser);
        self.commands = parser.commands;
        self.cut_short |= parser.cut_short;
        self.malformed |= parser.malformed;
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

    /// Commands up to the end.
    fn lists(&mut self) -> Vec<Step> {
        let mut steps = self.list();
        while !self.is_at_end() {
            // A stray `)` or `fi`: what follows is read all the same.
            self.skip_stray();
            steps.extend(self.list());
        }
        steps
    }

    /// Commands up to the end, a `)`, a `;;` or a word that closes a compound command.
    fn list(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        loop {
            self.skip_blanks();
            match self.peek() {
                None | Some(')') => return steps,
                Some('\n') => self.newline(),
                Some(';') if self.peek_at(1) == Some(';') => return steps,
                Some(';' | '|') => self.skip_stray_sign(),
                Some('&') if self.peek_at(1) != Some('>') => self.skip_stray_sign(),
                Some(_) => {
                    if self.peek_word().is_some_and(|word| CLOSERS.contains(&word.as_str())) {
                        return steps;
                    }
                    let before = self.at;
                    if let Some(node) = self.pipeline() {
                        let then = self.operator();
                        steps.push(Step { node, then });
                    }
                    if self.at == before {
                        self.at += 1;
                    }
                }
            }
        }
    }

    fn skip_stray_sign(&mut self) {
        self.malformed = true;
        self.at += 1;
    }

    /// What stands between two commands of a list.
    fn operator(&mut self) -> Option<Then> {
        self.skip_blanks();
        let (then, length) = match (self.peek()?, self.peek_at(1)) {
            ('&', Some('&')) => (Then::And, 2),
            ('|', Some('|')) => (Then::Or, 2),
            (';', Some(';')) | ('&', Some('>')) => return None,
            (';', _) => (Then::Next, 1),
            ('&', _) => (Then::Background, 1),
            // What begins after the line, such as a heredoc, is read by the list.
            ('\n', _) => (Then::Next, 0),
            _ => return None,
        };
        self.at += length;
        Some(then)
    }

    fn pipeline(&mut self) -> Option<Node> {
        let mut stages = Vec::new();
        loop {
            let stage = self.command();
            self.malformed |= stage.is_none() && !stages.is_empty();
            stages.extend(stage);
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
            return Some(Node::Test(Vec::new()));
        }
        if self.peek() == Some('(') {
            self.at += 1;
            let steps = self.list_until_parenthesis();
            return Some(Node::Subshell { steps, redirects: self.redirects() });
        }
        let word = self.peek_word().unwrap_or_default();
        match word.as_str() {
            "!" => {
                self.at += 1;
                self.command().map(|node| Node::Negated(Box::new(node)))
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
                let steps = self.lists_until("}");
                Some(Node::Group { steps, redirects: self.redirects() })
            }
            "if" => {
                self.at += 2;
                let steps = self.lists_until("fi");
                Some(Node::Branches { steps, redirects: self.redirects() })
            }
            "while" | "until" => {
                self.at += 5;
                let steps = self.lists_until("done");
                Some(Node::Branches { steps, redirects: self.redirects() })
            }
            "for" | "select" => {
                self.at += word.len();
                Some(self.loop_command())
            }
            "case" => {
                self.at += 4;
                let steps = self.case_command();
                Some(Node::Branches { steps, redirects: self.redirects() })
            }
            "function" => {
                self.at += 8;
                self.skip_blanks();
                let name = self.peek_word()?;
                self.at += name.chars().count();
                self.function(name)
            }
            "[[" => {
                self.at += 2;
                Some(Node::Test(self.test_words()))
            }
            _ => self.simple(),
        }
    }

    /// Everything up to the word that closes a compound command.
    fn lists_until(&mut self, closer: &str) -> Vec<Step> {
        let mut steps = Vec::new();
        loop {
            steps.extend(self.list());
            match self.peek_word() {
                Some(word) if CLOSERS.contains(&word.as_str()) => {
                    self.at += word.chars().count();
                    if word == closer {
                        return steps;
                    }
                }
                _ if self.starts(";;") => self.at += 2,
                Some(_) | None => {
                    self.malformed = true;
                    return steps;
                }
            }
        }
    }

    fn list_until_parenthesis(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        loop {
            steps.extend(self.list());
            match self.peek() {
                Some(')') => {
                    self.at += 1;
                    return steps;
                }
                Some(_) => self.skip_stray(),
                None => {
                    self.malformed = true;
                    return steps;
                }
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
        self.skip_blanks();
        if self.peek() == Some(';') {
            self.at += 1;
        }
        let steps = self.lists_until("done");
        Node::Loop { variable, values, steps, redirects: self.redirects() }
    }

    fn case_command(&mut self) -> Vec<Step> {
        self.skip_blanks();
        let mut steps = Vec::new();
        // What is compared may hold a substitution that runs.
        if let Some(word) = self.word() {
            let mut nothing = Word { raw: ":".to_owned(), ..Word::default() };
            nothing.push_str(":", false);
            let node = Node::Simple(Simple { words: vec![nothing, word], ..Simple::default() });
            steps.push(Step { node, then: None });
        }
        self.skip_lines();
        if self.peek_word().as_deref() == Some("in") {
            self.at += 2;
        }
        loop {
            self.skip_lines();
            if self.is_at_end() {
                self.malformed = true;
                return steps;
            }
            if self.peek_word().as_deref() == Some("esac") {
                self.at += 4;
                return steps;
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
            steps.extend(self.list());
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
            Some(Node::Group { steps, .. } | Node::Branches { steps, .. } | Node::Subshell { steps, .. }) => {
                steps
            }
            Some(node) => vec![Step { node, then: None }],
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

    /// The words of `[[ ... ]]`. It compares; `<` and `&&` in it are no operators of the shell.
    fn test_words(&mut self) -> Vec<Word> {
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            if self.is_at_end() {
                self.malformed = true;
                return words;
            }
            if self.starts("]]") {
                self.at += 2;
                return words;
            }
            match self.word() {
                Some(word) => words.push(word),
                None => self.at += 1,
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
        found
    }

    fn redirect_here(&mut self) -> Option<Redirect> {
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
            return Some(Redirect::Duplicate);
        }
        let word = self.word().unwrap_or_default();
        Some(match operator {
            "<<<" => Redirect::HereString(word),
            "<" | "<&" => Redirect::Read(word),
            ">>" | "&>>" => Redirect::Append(word),
            _ => Redirect::Write(word),
        })
    }

    fn heredoc(&mut self, strips_tabs: bool) -> Redirect {
        let word = self.word().unwrap_or_default();
        let number = self.heredocs.len();
        self.heredocs.push(Word::default());
        self.pending.push(Pending {
            number,
            delimiter: word.text(),
            strips_tabs,
            is_literal: word.is_quoted(),
        });
        Redirect::HereDocument(number)
    }

    fn word(&mut self) -> Option<Word> {
        let mut word = Word::default();
        let begin = self.at;
        while let Some(char) = self.peek() {
            match char {
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | ')' => break,
                '<' | '>' if self.peek_at(1) == Some('(') => {
                    self.at += 2;
                    let steps = self.inner_list();
                    word.pieces.push(Piece::Process(steps));
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
                        None => {
                            self.malformed = true;
                            break;
                        }
                    }
                    self.at += 1;
                }
                '\'' => {
                    self.at += 1;
                    word.push_str("", true);
                    loop {
                        let Some(char) = self.peek() else {
                            self.malformed = true;
                            break;
                        };
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
        word.raw = self.chars[begin..self.at.min(self.chars.len())].iter().collect();
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
        self.malformed = true;
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
                let steps = self.inner_list();
                word.pieces.push(Piece::Output { steps, quoted });
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
        loop {
            let Some(char) = self.peek() else {
                self.malformed = true;
                break;
            };
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
        let steps = self.nested(inner, Parser::lists);
        word.pieces.push(Piece::Output { steps, quoted });
    }

    /// The commands of a substitution, with its `)`.
    fn inner_list(&mut self) -> Vec<Step> {
        if self.depth >= DEPTH_MAX {
            self.cut_short = true;
            self.at = self.chars.len();
            return Vec::new();
        }
        self.depth += 1;
        // A heredoc of the line outside begins after the substitution, not in it.
        let outer = std::mem::take(&mut self.pending);
        let steps = self.list_until_parenthesis();
        self.pending.splice(0..0, outer);
        self.depth -= 1;
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list as it was understood: words between blanks, and what stands between the commands.
    fn shown(steps: &[Step]) -> String {
        let then = |step: &Step| match step.then {
            None => "",
            Some(Then::And) => " && ",
            Some(Then::Or) => " || ",
            Some(Then::Next) => " ; ",
            Some(Then::Background) => " & ",
        };
        steps.iter().map(|step| node(&step.node) + then(step)).collect()
    }

    fn node(shown_node: &Node) -> String {
        let words = |words: &[Word]| words.iter().map(word).collect::<Vec<_>>().join(" ");
        match shown_node {
            Node::Simple(simple) => {
                let set =
                    simple.assignments.iter().map(|one| format!("{}:={} ", one.name, words(&one.values)));
                let redirects = simple.redirects.iter().map(|redirect| match redirect {
                    Redirect::Write(file) => format!(" >{}", word(file)),
                    Redirect::Append(file) => format!(" >>{}", word(file)),
                    Redirect::Read(file) => format!(" <{}", word(file)),
                    Redirect::HereDocument(number) => format!(" <<{number}"),
                    Redirect::HereString(text) => format!(" <<<{}", word(text)),
                    Redirect::Duplicate => " >&".to_owned(),
                });
                set.collect::<String>() + &words(&simple.words) + &redirects.collect::<String>()
            }
            Node::Pipeline(stages) => stages.iter().map(node).collect::<Vec<_>>().join(" | "),
            Node::Negated(inner) => format!("not {}", node(inner)),
            Node::Test(inner) => format!("test[{}]", words(inner)),
            Node::Group { steps, .. } => format!("group[{}]", shown(steps)),
            Node::Branches { steps, .. } => format!("branches[{}]", shown(steps)),
            Node::Subshell { steps, .. } => format!("sub[{}]", shown(steps)),
            Node::Loop { variable, values, steps, .. } => {
                format!("loop {variable} {}[{}]", words(values), shown(steps))
            }
            Node::Function { name, body } => format!("function {name}[{}]", shown(body)),
        }
    }

    fn word(word: &Word) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Text { text, quoted } => {
                if *quoted {
                    format!("'{text}'")
                } else {
                    text.clone()
                }
            }
            Piece::Variable { name, .. } => format!("${name}"),
            Piece::Output { steps, .. } => format!("$({})", shown(steps)),
            Piece::Process(steps) => format!("<({})", shown(steps)),
            Piece::Unknown => "?".to_owned(),
        };
        word.pieces.iter().map(piece).collect()
    }

    #[test]
    fn a_line_is_read_into_a_tree() {
        for (line, wanted) in [
            ("a b && c || d; e | f & g", "a b && c || d ; e | f & g"),
            ("a 'b c'\"$d\" e\\ f # g", "a 'b c'''$d e' 'f"),
            ("A=1 B=(c d) a; ! b", "A:=1 B:=c d a ; not b"),
            ("a > b 2>&1 >> c < d <<< e &> f", "a >b >& >>c <d <<<e >f"),
            ("a <<E <<'F'; b\n$x\nE\n$y\nF\nc", "a <<0 <<1 ; b ; c"),
            ("a $(b | c) <(d) `e` $((1 + 2)) ${f:-g}", "a $(b | c) <(d) $(e) ? $f"),
            ("(a; b) && { c; }", "sub[a ; b] && group[c ; ]"),
            ("if a; then b; else c; fi; while d; do e; done", "branches[a ; b ; c ; ] ; branches[d ; e ; ]"),
            ("for i in a b; do c; done; f() { g; }", "loop i a b[c ; ] ; function f[g ; ]"),
            ("case a in b) c;; *) d;; esac", "branches[: acd]"),
            ("[[ a < $(b) ]] && ((c++)) || d", "test[a $(b)] && test[] || d"),
        ] {
            let script = read(line);
            assert_eq!(shown(&script.steps), wanted, "{line}");
            assert!(!script.malformed && !script.cut_short, "{line}");
        }
    }

    #[test]
    fn what_no_shell_accepts_is_read_and_said() {
        for (line, wanted) in [
            ("a 'b", "a 'b'"),
            ("a \"$(b", "a ''$(b)"),
            ("a `b", "a $(b)"),
            ("a; ) b; fi; c", "a ; b ; c"),
            ("(a; b", "sub[a ; b]"),
            ("if a; then b", "branches[a ; b]"),
            ("a | ; b", "a ; b"),
            ("; a", "a"),
        ] {
            let script = read(line);
            assert_eq!(shown(&script.steps), wanted, "{line}");
            assert!(script.malformed, "{line}");
        }
    }
}
