//! Shell scripts, and what shfmt does to them.

use super::Part::{Block, Code, Comment, Leaf as Sign, Statements, Text, Whole, Wrapper};
use super::Sort::{Function, Variable};
use super::{Leaf, NormalizedText, Place, Rules, defines, inside, never, to_the_byte};

pub(super) const RULES: Rules = Rules {
    kinds: &[
        (Comment, &["comment"]),
        (Text, &["string", "heredoc_body", "translated_string"]),
        (Code, &["command_substitution", "arithmetic_expansion"]),
        (Whole, &["expansion", "raw_string", "ansi_c_string", "regex"]),
        (Wrapper, &["declaration_command"]),
        (Sign, &[";", "`"]),
        // What is written together is one word.
        (Block, &["concatenation"]),
        (
            Statements,
            &[
                "program",
                "compound_statement",
                "do_group",
                "if_statement",
                "elif_clause",
                "else_clause",
                "while_statement",
                "case_item",
                "subshell",
                "command_substitution",
            ],
        ),
    ],
    definitions: &[defines("function_definition", Function), defines("variable_assignment", Variable)],
    closers: b"",
    bare: never,
    comment: never,
    leaf,
    text,
};

fn leaf(place: &Place) -> Leaf {
    match place.node.kind() {
        ";" if place.kind_up(0) == "c_style_for_statement" => Leaf::Kept,
        ";" => Leaf::Dropped,
        "`" if place.is_first() => Leaf::Is("$("),
        "`" => Leaf::Is(")"),
        _ => Leaf::Kept,
    }
}

fn text<'t>(place: &Place<'_, 't>) -> Option<NormalizedText<'t>> {
    let is_plain = |kind: &str| matches!(kind, "string_content" | "heredoc_content" | "heredoc_end");
    match inside(place.node).iter().all(|child| is_plain(child.kind())) {
        true => to_the_byte(place),
        false => None,
    }
}
