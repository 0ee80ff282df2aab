//! What is to be known of a language beside its grammar: which nodes are comments, which define something, and what
//! formatters change in it.

// No language needs everything that is here; all of them together do.
#![cfg_attr(not(feature = "all"), allow(dead_code))]

use std::borrow::Cow;
use std::sync::OnceLock;

use tree_sitter::Node;

use crate::Language;

#[cfg(any(feature = "c", feature = "cpp"))]
mod c;
#[cfg(feature = "go")]
mod go;
#[cfg(feature = "java")]
mod java;
#[cfg(feature = "python")]
mod python;
#[cfg(any(feature = "python", feature = "typescript"))]
mod quotes;
#[cfg(feature = "ruby")]
mod ruby;
#[cfg(feature = "rust")]
mod rust;
#[cfg(feature = "shell")]
mod shell;
#[cfg(feature = "typescript")]
mod typescript;

/// A grammar, ready to be walked.
pub(crate) struct Grammar {
    pub(crate) language: tree_sitter::Language,
    pub(crate) rules: Rules,
    roles: Vec<Role>,
}

/// What a language says of its nodes, by their kind.
pub(crate) struct Rules {
    /// What kinds of node are.
    pub(crate) kinds: &'static [(Part, &'static [&'static str])],
    /// What defines something.
    pub(crate) definitions: &'static [Definition],
    /// The tokens before which a comma says nothing.
    pub(crate) closers: &'static [u8],
    /// Whether the brackets of a [`Part::Bracketed`] node say nothing.
    pub(crate) bare: fn(&Place) -> bool,
    /// Whether a [`Part::Perhaps`] node is a comment in this place.
    pub(crate) comment: fn(&Place) -> bool,
    /// What a [`Part::Leaf`] says.
    pub(crate) leaf: fn(&Place) -> Leaf,
    /// What a [`Part::Text`] says as one token; nothing if code is in it.
    pub(crate) text: for<'t> fn(&Place<'_, 't>) -> Option<NormalizedText<'t>>,
}

/// The part that nodes of a kind play. A kind may play several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// It does not count.
    Comment,
    /// It may be a comment, by its place.
    Perhaps,
    /// A text in which every byte counts. Code may be in it.
    Text,
    /// The code in a text.
    Code,
    /// One token, whatever is in it.
    Whole,
    /// Words; the space between them does not count.
    Words,
    /// It belongs to the definition that follows it.
    Prefix,
    /// It belongs to the only definition in it.
    Wrapper,
    /// Its brackets may say nothing.
    Bracketed,
    /// A leaf that may say something else, by its place.
    Leaf,
    /// Its nodes are statements, and where they end counts.
    Statements,
    /// Where it begins and ends counts, and no token says so.
    Block,
}

/// Something that defines a name.
pub(crate) struct Definition {
    pub(crate) kind: &'static str,
    pub(crate) sort: Sort,
    pub(crate) name: Name,
}

/// What is defined, as far as it matters for what is inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// Others are defined in it.
    Holder,
    /// Code is in it; variables in there are its own business.
    Function,
    /// Nothing is in it.
    Value,
    /// As a value, but only outside functions.
    Variable,
}

/// Where the name is.
pub(crate) enum Name {
    /// In a field.
    Field(&'static str),
    /// Somewhere else: none, one or several.
    Read(fn(&Place) -> Vec<String>),
}

/// What becomes of a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaf {
    /// It is a token.
    Kept,
    /// It is a token even before a closer.
    Held,
    /// It says nothing.
    Dropped,
    /// It is this token.
    Is(&'static str),
}

/// What a text says, normalised.
pub(crate) enum NormalizedText<'t> {
    Text(Cow<'t, [u8]>),
    /// The same as this code.
    Code(Cow<'t, [u8]>),
}

/// A node and what is around it.
pub(crate) struct Place<'a, 't> {
    pub(crate) node: Node<'t>,
    pub(crate) text: &'t str,
    /// The last byte of the token before it; zero if that is no code.
    pub(crate) last: u8,
    pub(crate) around: &'a [crate::outline::walk::Frame<'t>],
}

/// The parts that a kind plays, and the definition that it is.
#[derive(Clone, Copy, Default)]
pub(crate) struct Role {
    parts: u16,
    definition: Option<u8>,
}

/// The grammar of a language, if this build has it.
pub(crate) fn for_language(language: Language) -> Option<&'static Grammar> {
    static GRAMMARS: [OnceLock<Option<Grammar>>; Language::ALL.len()] =
        [const { OnceLock::new() }; Language::ALL.len()];
    GRAMMARS[language as usize].get_or_init(|| made(language)).as_ref()
}

fn made(language: Language) -> Option<Grammar> {
    match language {
        #[cfg(feature = "rust")]
        Language::Rust => Some(Grammar::new(tree_sitter_rust::LANGUAGE, rust::RULES)),
        #[cfg(feature = "python")]
        Language::Python => Some(Grammar::new(tree_sitter_python::LANGUAGE, python::RULES)),
        #[cfg(feature = "typescript")]
        Language::TypeScript => {
            Some(Grammar::new(tree_sitter_typescript::LANGUAGE_TYPESCRIPT, typescript::RULES))
        }
        #[cfg(feature = "typescript")]
        Language::JavaScript => Some(Grammar::new(tree_sitter_typescript::LANGUAGE_TSX, typescript::RULES)),
        #[cfg(feature = "go")]
        Language::Go => Some(Grammar::new(tree_sitter_go::LANGUAGE, go::RULES)),
        #[cfg(feature = "java")]
        Language::Java => Some(Grammar::new(tree_sitter_java::LANGUAGE, java::RULES)),
        #[cfg(feature = "c")]
        Language::C => Some(Grammar::new(tree_sitter_c::LANGUAGE, c::RULES)),
        #[cfg(feature = "cpp")]
        Language::Cpp => Some(Grammar::new(tree_sitter_cpp::LANGUAGE, c::RULES)),
        #[cfg(feature = "ruby")]
        Language::Ruby => Some(Grammar::new(tree_sitter_ruby::LANGUAGE, ruby::RULES)),
        #[cfg(feature = "shell")]
        Language::Shell => Some(Grammar::new(tree_sitter_bash::LANGUAGE, shell::RULES)),
        #[allow(unreachable_patterns)]
        Language::Rust
        | Language::Python
        | Language::TypeScript
        | Language::JavaScript
        | Language::Go
        | Language::Java
        | Language::C
        | Language::Cpp
        | Language::Ruby
        | Language::Shell => None,
    }
}

impl Grammar {
    fn new(language: impl Into<tree_sitter::Language>, rules: Rules) -> Self {
        let language: tree_sitter::Language = language.into();
        let kind = |number| language.node_kind_for_id(number).unwrap_or_default();
        let roles = (0..u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX))
            .map(|number| Role {
                parts: rules
                    .kinds
                    .iter()
                    .filter(|(_, kinds)| kinds.contains(&kind(number)))
                    .fold(0, |parts, (part, _)| parts | part.bit()),
                definition: rules
                    .definitions
                    .iter()
                    .position(|definition| {
                        definition.kind == kind(number) && language.node_kind_is_named(number)
                    })
                    .and_then(|position| u8::try_from(position).ok()),
            })
            .collect();
        Self { language, rules, roles }
    }

    pub(crate) fn role(&self, node: &Node) -> Role {
        self.roles.get(usize::from(node.kind_id())).copied().unwrap_or_default()
    }

    pub(crate) fn definition(&self, role: Role) -> Option<&Definition> {
        role.definition.map(|number| &self.rules.definitions[usize::from(number)])
    }
}

impl Part {
    fn bit(self) -> u16 {
        1 << self as u16
    }
}

impl Role {
    pub(crate) fn is(self, part: Part) -> bool {
        self.parts & part.bit() != 0
    }

    pub(crate) fn defines(self) -> bool {
        self.definition.is_some()
    }
}

impl<'t> Place<'_, 't> {
    /// The node that is this many levels above; zero is the one around it.
    pub(crate) fn up(&self, levels: usize) -> Option<Node<'t>> {
        self.around.iter().rev().nth(levels).map(|frame| frame.node)
    }

    /// The kind of the node that is this many levels above; nothing above the first.
    pub(crate) fn kind_up(&self, levels: usize) -> &'t str {
        self.up(levels).map_or("", |node| node.kind())
    }

    /// Whether it is the first in the node around it.
    pub(crate) fn is_first(&self) -> bool {
        self.up(0).is_some_and(|around| around.start_byte() == self.node.start_byte())
    }

    /// Whether it is the last in the node around it.
    pub(crate) fn is_last(&self) -> bool {
        self.up(0).is_some_and(|around| around.end_byte() == self.node.end_byte())
    }

    /// What a node says.
    pub(crate) fn said(&self, node: Node) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// What the node in a field says.
    pub(crate) fn field(&self, name: &str) -> Option<&'t str> {
        self.node.child_by_field_name(name).map(|node| self.said(node))
    }
}

/// The named nodes in a node, without comments.
pub(crate) fn inside(node: Node) -> Vec<Node> {
    node.named_children(&mut node.walk()).filter(|child| !child.is_extra()).collect()
}

/// Whether there is one named node in a node, beside comments.
#[cfg(any(feature = "rust", feature = "python"))]
pub(crate) fn has_one(node: Node) -> bool {
    node.named_children(&mut node.walk()).filter(|child| !child.is_extra()).take(2).count() == 1
}

pub(crate) const fn defines(kind: &'static str, sort: Sort) -> Definition {
    Definition { kind, sort, name: Name::Field("name") }
}

pub(crate) const fn defines_by(
    kind: &'static str,
    sort: Sort,
    name: fn(&Place) -> Vec<String>,
) -> Definition {
    Definition { kind, sort, name: Name::Read(name) }
}

pub(crate) fn never(_: &Place) -> bool {
    false
}

/// The text to the byte.
pub(crate) fn to_the_byte<'t>(place: &Place<'_, 't>) -> Option<NormalizedText<'t>> {
    Some(NormalizedText::Text(Cow::Borrowed(place.said(place.node).as_bytes())))
}
