//! A command line as a tree. Nothing in it is expanded.

use std::rc::Rc;

/// A command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    pub steps: Vec<Step>,
    /// Bodies of heredocs, by their number.
    pub heredocs: Vec<Word>,
    /// It is longer or deeper than what was read of it.
    pub cut_short: bool,
    /// No shell would accept it: a quote or a bracket is not closed, or an operator joins nothing.
    pub malformed: bool,
}

/// One command of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub node: Node,
    /// What follows it. None is the end of the list.
    pub then: Option<Then>,
}

/// An operator between two commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `;`, or the end of the line.
    Next,
    /// `&`
    Background,
}

/// A command, simple or compound.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    Simple(Simple),
    /// Commands whose output goes into the next.
    Pipeline(Vec<Node>),
    /// `! command`
    Negated(Box<Node>),
    /// `[[ ... ]]` with the words between, or `(( ... ))`.
    Test(Vec<Word>),
    /// `{ ...; }`
    Group {
        steps: Vec<Step>,
        redirects: Vec<Redirect>,
    },
    /// `if`, `while`, `case`: everything in it may run, in this order.
    Branches {
        steps: Vec<Step>,
        redirects: Vec<Redirect>,
    },
    /// `( ... )`: it leaves the folder and the variables as they were.
    Subshell {
        steps: Vec<Step>,
        redirects: Vec<Redirect>,
    },
    /// `for NAME in WORDS; do ...; done`.
    Loop {
        variable: String,
        values: Vec<Word>,
        steps: Vec<Step>,
        redirects: Vec<Redirect>,
    },
    /// `NAME() { ... }`: nothing runs before it is called.
    Function {
        name: String,
        body: Rc<Vec<Step>>,
    },
}

/// A program with its words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Simple {
    pub assignments: Vec<Assignment>,
    pub words: Vec<Word>,
    pub redirects: Vec<Redirect>,
}

/// `NAME=value` or `NAME=(a b)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    pub name: String,
    pub values: Vec<Word>,
}

/// A word, not expanded yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Word {
    pub pieces: Vec<Piece>,
    /// As it is written, with its quotes. Empty for the body of a heredoc.
    pub raw: String,
}

/// A part of a word.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
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
        steps: Vec<Step>,
        quoted: bool,
    },
    /// `<( ... )` and `>( ... )`.
    Process(Vec<Step>),
    /// Arithmetic, and expansions that are not followed.
    Unknown,
}

/// Where input comes from or output goes.
#[derive(Clone, Debug, PartialEq)]
pub enum Redirect {
    Write(Word),
    Append(Word),
    Read(Word),
    /// A heredoc, by its number.
    HereDocument(usize),
    HereString(Word),
    /// `2>&1`.
    Duplicate,
}

impl Word {
    pub(crate) fn push(&mut self, char: char, is_quoted: bool) {
        match self.pieces.last_mut() {
            Some(Piece::Text { text, quoted }) if *quoted == is_quoted => text.push(char),
            Some(_) | None => self.pieces.push(Piece::Text { text: char.to_string(), quoted: is_quoted }),
        }
    }

    pub(crate) fn push_str(&mut self, text: &str, quoted: bool) {
        self.pieces.push(Piece::Text { text: text.to_owned(), quoted });
    }

    /// Its text, if nothing in it is expanded or quoted.
    pub(crate) fn literal(&self) -> Option<String> {
        match self.pieces.as_slice() {
            [Piece::Text { text, quoted: false }] => Some(text.clone()),
            _ => None,
        }
    }

    /// Whether a part of it is quoted or escaped.
    pub fn is_quoted(&self) -> bool {
        self.raw.contains(['\'', '"', '\\'])
    }

    /// Its text without what would be expanded.
    pub fn text(&self) -> String {
        let texts = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Text { text, .. } => Some(text.as_str()),
            Piece::Variable { .. } | Piece::Output { .. } | Piece::Process(_) | Piece::Unknown => None,
        });
        texts.collect()
    }
}
