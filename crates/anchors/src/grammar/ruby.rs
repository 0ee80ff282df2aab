//! Ruby, and what its formatters do to it.

use std::borrow::Cow;

use super::Part::{Code, Comment, Leaf as Sign, Statements, Text, Whole};
use super::Sort::{Function, Holder, Variable};
use super::{Leaf, NormalizedText, Place, Rules, defines_by, inside, never};

pub(super) const RULES: Rules = Rules {
    kinds: &[
        (Comment, &["comment", "empty_statement", "uninterpreted"]),
        (
            Text,
            &[
                "string",
                "subshell",
                "regex",
                "delimited_symbol",
                "heredoc_body",
                "bare_string",
                "bare_symbol",
            ],
        ),
        (Code, &["interpolation"]),
        (Whole, &["character"]),
        (Sign, &[";"]),
        (
            Statements,
            &[
                "program",
                "body_statement",
                "block_body",
                "then",
                "else",
                "do",
                "begin",
                "ensure",
                "parenthesized_statements",
            ],
        ),
    ],
    definitions: &[
        defines_by("module", Holder, named),
        defines_by("class", Holder, named),
        defines_by("method", Function, named),
        defines_by("singleton_method", Function, named),
        defines_by("assignment", Variable, constant),
    ],
    closers: b")]}",
    bare: never,
    comment: never,
    leaf: |_| Leaf::Dropped,
    text,
};

fn named(place: &Place) -> Vec<String> {
    place.field("name").map(|name| name.replace("::", ".")).into_iter().collect()
}

fn constant(place: &Place) -> Vec<String> {
    match place.node.child_by_field_name("left") {
        Some(left) if left.kind() == "constant" => vec![place.said(left).to_owned()],
        Some(_) | None => Vec::new(),
    }
}

fn text<'t>(place: &Place<'_, 't>) -> Option<NormalizedText<'t>> {
    if inside(place.node).iter().any(|child| child.kind() == "interpolation") {
        return None;
    }
    let said = place.said(place.node);
    let content = said.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    Some(NormalizedText::Text(match content {
        Some(content) if !content.contains(['\\', '"', '#', '\'']) => {
            Cow::Owned(format!("\"{content}\"").into_bytes())
        }
        Some(_) | None => Cow::Borrowed(said.as_bytes()),
    }))
}
