//! From a tree to an outline, without recursion: how deep code is nested is decided by whoever wrote it.

use std::borrow::Cow;

use tree_sitter::{Node, Tree};

use super::{Outline, Symbol, Token};
use crate::grammar::{Grammar, Leaf, Name, NormalizedText, Part, Place, Role, Sort};

/// A node whose children are being walked.
pub(crate) struct Frame<'t> {
    pub(crate) node: Node<'t>,
    /// How many of its children were more than comments.
    pub(crate) children: u32,
    role: Role,
    /// Where it begins, with what belongs to it.
    from: Start,
    /// Where it begins itself.
    tokens: usize,
    /// Where what belongs to the next child begins.
    prefix: Option<Start>,
    /// Its brackets say nothing.
    bare: bool,
    /// Every byte in it counts.
    is_text: bool,
    /// A wrapper around one definition only.
    is_single: bool,
}

#[derive(Clone, Copy)]
struct Start {
    token: usize,
    row: usize,
}

/// A symbol whose end is not reached.
struct Open {
    symbol: usize,
    sort: Sort,
    depth: usize,
}

/// What a token is; two are the same if this and their text are.
#[derive(Clone, Copy)]
pub(super) enum Class {
    Code,
    Text,
    Layout,
}

struct Walk<'g, 't> {
    grammar: &'g Grammar,
    text: &'t str,
    outline: Outline,
    frames: Vec<Frame<'t>>,
    open: Vec<Open>,
    /// Up to where the text has been walked.
    at: usize,
    row: usize,
    /// A comma that counts unless a closer follows.
    comma: Option<Token>,
    /// The last byte of the last token; zero if that is no code.
    last: u8,
}

/// How many nodes are walked between two looks at the clock.
const NODES_BETWEEN_LOOKS: u32 = 4096;

/// Nobody says a longer name; where there is one, the grammar went astray, or someone nests for the sake of it.
const NAME_BYTES_MAX: usize = 400;

/// The outline of a tree; nothing if there was no time for it.
pub(super) fn walk(
    grammar: &Grammar,
    tree: &Tree,
    text: &str,
    in_time: impl Fn() -> bool,
) -> Option<Outline> {
    let mut walk = Walk {
        grammar,
        text,
        outline: Outline::default(),
        frames: Vec::new(),
        open: Vec::new(),
        at: 0,
        row: 0,
        comma: None,
        last: 0,
    };
    let mut cursor = tree.walk();
    let mut walked = 0u32;
    loop {
        walked += 1;
        if walked.is_multiple_of(NODES_BETWEEN_LOOKS) && !in_time() {
            return None;
        }
        if walk.enter(cursor.node()) && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Some(walk.outline);
            }
            walk.leave();
        }
    }
}

impl<'t> Walk<'_, 't> {
    /// Begins a node, and says whether its children are to be walked.
    fn enter(&mut self, node: Node<'t>) -> bool {
        self.pass(node.start_byte(), node.start_position().row);
        if (node.is_error() || node.is_missing()) && self.outline.fault.is_none() {
            self.outline.fault = Some(line(node.start_position().row));
        }
        let role = self.grammar.role(&node);
        if role.is(Part::Comment) || role.is(Part::Perhaps) && (self.grammar.rules.comment)(&self.place(node))
        {
            self.skip_to_end(node);
            return false;
        }
        if role.is(Part::Prefix) || role.is(Part::Wrapper) || role.defines() {
            self.flush();
        }
        let begin = Start { token: self.outline.tokens.len(), row: node.start_position().row };
        let before = self.frames.last_mut().and_then(|frame| frame.prefix.take());
        let from = before.unwrap_or(begin);
        if role.is(Part::Prefix)
            && let Some(around) = self.frames.last_mut()
        {
            around.prefix = Some(from);
        }
        let mut frame = Frame {
            node,
            children: 0,
            role,
            from,
            tokens: begin.token,
            prefix: None,
            bare: false,
            is_text: false,
            is_single: false,
        };
        if role.defines() {
            self.define(&frame);
        }
        if self.is_one_token(node, role) {
            self.after(node, begin.token);
            self.close();
            return false;
        }
        frame.bare = role.is(Part::Bracketed) && (self.grammar.rules.bare)(&self.place(node));
        frame.is_text = !role.is(Part::Code)
            && (role.is(Part::Text) || self.frames.last().is_some_and(|around| around.is_text));
        frame.is_single = role.is(Part::Wrapper) && self.is_single(node);
        self.frames.push(frame);
        if role.is(Part::Block) {
            self.say(Class::Layout, b"begin", node.start_position().row, node.start_position().row);
        }
        true
    }

    /// Ends the node whose children have been walked.
    fn leave(&mut self) {
        let Some(frame) = self.frames.last() else { return };
        let (node, role, tokens) = (frame.node, frame.role, frame.tokens);
        self.pass(node.end_byte(), node.end_position().row);
        if role.is(Part::Block) {
            let row = self.row;
            self.say(Class::Layout, b"end", row, row);
        }
        self.frames.pop();
        self.after(node, tokens);
        self.close();
    }

    /// Notes for the node around that one of its children is done.
    fn after(&mut self, node: Node<'t>, tokens: usize) {
        let said = self.outline.tokens.len() > tokens;
        let Some(around) = self.frames.last_mut() else { return };
        around.children += 1;
        if said && node.is_named() && around.role.is(Part::Statements) {
            let row = self.row;
            self.say(Class::Layout, b";", row, row);
        }
    }

    /// Says the node, if it is one token or less.
    fn is_one_token(&mut self, node: Node<'t>, role: Role) -> bool {
        let text = self.text.as_bytes().get(node.byte_range()).unwrap_or_default();
        let (first, last) = (node.start_position().row, node.end_position().row);
        if role.is(Part::Whole) {
            self.say(Class::Text, text, first, last);
        } else if role.is(Part::Words) {
            self.say_words(text, first);
        } else if role.is(Part::Text)
            && let Some(said) = (self.grammar.rules.text)(&self.place(node))
        {
            match said {
                NormalizedText::Text(text) => self.say(Class::Text, &text, first, last),
                NormalizedText::Code(text) => self.say(Class::Code, &text, first, last),
            }
        } else if node.child_count() == 0 {
            self.say_leaf(node, role, text);
        } else {
            return false;
        }
        self.skip_to_end(node);
        true
    }

    fn say_leaf(&mut self, node: Node<'t>, role: Role, text: &[u8]) {
        let (first, last) = (node.start_position().row, node.end_position().row);
        if self.frames.last().is_some_and(|around| around.is_text) {
            let leaf =
                if role.is(Part::Leaf) { (self.grammar.rules.leaf)(&self.place(node)) } else { Leaf::Kept };
            match leaf {
                Leaf::Kept | Leaf::Held => self.say(Class::Text, text, first, last),
                Leaf::Dropped => {}
                Leaf::Is(other) => self.say(Class::Text, other.as_bytes(), first, last),
            }
            return;
        }
        if is_layout(text) {
            return;
        }
        if let [byte] = text
            && self.frames.last().is_some_and(|around| around.bare)
            && b"()[]{}".contains(byte)
        {
            // A comma before a closer that says nothing says nothing either.
            if b")]}".contains(byte) {
                self.comma = None;
            }
            return;
        }
        let leaf =
            if role.is(Part::Leaf) { (self.grammar.rules.leaf)(&self.place(node)) } else { Leaf::Kept };
        match leaf {
            Leaf::Kept
                if text == b"," && !self.is_after_nothing() && !self.grammar.rules.closers.is_empty() =>
            {
                self.flush();
                self.comma = Some(token(Class::Code, b",", first, last));
                self.last = b',';
            }
            Leaf::Kept => {
                if let [byte] = text
                    && self.grammar.rules.closers.contains(byte)
                {
                    self.comma = None;
                }
                self.say(Class::Code, text, first, last);
            }
            Leaf::Held => {
                self.say(Class::Code, text, first, last);
            }
            Leaf::Dropped => {
                if text == b")" {
                    self.comma = None;
                }
            }
            Leaf::Is(other) => self.say(Class::Code, other.as_bytes(), first, last),
        }
    }

    fn say_words(&mut self, text: &[u8], first: usize) {
        for (row, line) in (first..).zip(text.split(|byte| *byte == b'\n')) {
            for word in line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty() && *word != b"\\")
            {
                self.say(Class::Text, word, row, row);
            }
        }
    }

    fn say(&mut self, class: Class, text: &[u8], first: usize, last: usize) {
        if text.is_empty() {
            return;
        }
        self.flush();
        self.last = match class {
            Class::Code => text.last().copied().unwrap_or_default(),
            Class::Text | Class::Layout => 0,
        };
        self.outline.tokens.push(token(class, text, first, last));
    }

    /// After an opener or a comma, a comma counts always: there is a hole.
    fn is_after_nothing(&self) -> bool {
        b"([{<,".contains(&self.last)
    }

    fn flush(&mut self) {
        self.outline.tokens.extend(self.comma.take());
    }

    /// Passes what no node covers: layout, or in a text, the text.
    fn pass(&mut self, to: usize, row: usize) {
        if to > self.at {
            let bytes = self.text.as_bytes().get(self.at..to).unwrap_or_default();
            let first = self.row;
            if self.frames.last().is_some_and(|around| around.is_text) {
                self.say(Class::Text, bytes, first, row);
            } else if !is_layout(bytes) {
                let words = bytes.trim_ascii();
                self.say(Class::Code, words, first, row);
            }
        }
        self.go_on(to, row);
    }

    fn skip_to_end(&mut self, node: Node<'t>) {
        self.go_on(node.end_byte(), node.end_position().row);
    }

    fn go_on(&mut self, to: usize, row: usize) {
        if to > self.at {
            (self.at, self.row) = (to, row);
        }
    }

    fn place(&self, node: Node<'t>) -> Place<'_, 't> {
        Place { node, text: self.text, last: self.last, around: &self.frames }
    }

    /// Opens the symbols that a node defines.
    fn define(&mut self, frame: &Frame<'t>) {
        let Some(definition) = self.grammar.definition(frame.role) else { return };
        let around = self.open.last().map(|open| (open.symbol, open.sort));
        if definition.sort == Sort::Variable && matches!(around, Some((_, Sort::Function))) {
            return;
        }
        let place = self.place(frame.node);
        let names = match definition.name {
            Name::Field(field) => place.field(field).map(str::to_owned).into_iter().collect(),
            Name::Read(read) => read(&place),
        };
        let mut depth = self.frames.len();
        let (mut from, mut node) = (frame.from, frame.node);
        while let Some(wrapper) = depth.checked_sub(1).and_then(|above| self.frames.get(above))
            && wrapper.is_single
        {
            depth -= 1;
            (from, node) = (wrapper.from, wrapper.node);
        }
        let end = node.end_position();
        let last = if end.column == 0 && end.row > from.row { end.row - 1 } else { end.row };
        // A name is one line, even where it is a whole expression.
        let names = names.into_iter().map(|name| name.split_whitespace().collect::<Vec<_>>().join(" "));
        for name in names.filter(|name| !name.is_empty()) {
            let name = match around {
                Some((above, _)) => format!("{}.{name}", self.outline.symbols[above].name),
                None => name,
            };
            if name.len() > NAME_BYTES_MAX {
                continue;
            }
            if let Some((above, Sort::Holder)) = around {
                self.outline.symbols[above].holds_others = true;
            }
            let start = number(from.token);
            self.open.push(Open { symbol: self.outline.symbols.len(), sort: definition.sort, depth });
            self.outline.symbols.push(Symbol {
                name,
                holds_others: false,
                lines: (line(from.row), line(last)),
                tokens: (start, start),
                faulty: frame.node.has_error(),
            });
        }
    }

    /// Closes the symbols that end here.
    fn close(&mut self) {
        while let Some(open) = self.open.last()
            && open.depth >= self.frames.len()
        {
            self.outline.symbols[open.symbol].tokens.1 = number(self.outline.tokens.len());
            self.open.pop();
        }
    }

    fn is_single(&self, node: Node<'t>) -> bool {
        let counts = |child: &Node| {
            let role = self.grammar.role(child);
            role.defines() || role.is(Part::Wrapper)
        };
        node.named_children(&mut node.walk()).filter(counts).take(2).count() == 1
    }
}

/// Space, and the marks that say that a line goes on or that a file is in Unicode.
fn is_layout(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let mut rest = bytes.iter().peekable();
    while let Some(byte) = rest.next() {
        let goes_on = *byte == b'\\' && matches!(rest.peek(), Some(b'\n' | b'\r'));
        if !goes_on && !byte.is_ascii_whitespace() && !matches!(byte, 0 | 0x0b) {
            return false;
        }
    }
    true
}

fn token(class: Class, text: &[u8], first: usize, last: usize) -> Token {
    Token { print: print(class, text), line: line(first), last: line(last) }
}

/// FNV-1a, and a last stir, since only half of it is kept. Line ends are the same on every machine.
pub(super) fn print(class: Class, text: &[u8]) -> u32 {
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let text = if text.contains(&b'\r') {
        let mut kept = text.to_vec();
        let mut at = 0;
        kept.retain(|byte| {
            at += 1;
            *byte != b'\r' || text.get(at) != Some(&b'\n')
        });
        Cow::Owned(kept)
    } else {
        Cow::Borrowed(text)
    };
    let mut hash = 0xcbf2_9ce4_8422_2325 ^ (class as u64);
    for byte in text.iter() {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(PRIME);
    }
    ((hash ^ (hash >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

fn line(row: usize) -> u32 {
    number(row).saturating_add(1)
}

fn number(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}
