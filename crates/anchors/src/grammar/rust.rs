//! Rust, and what rustfmt does to it.

use tree_sitter::Node;

use super::Part::{Bracketed, Comment, Leaf as Sign, Prefix, Whole};
use super::Sort::{Function, Holder, Value};
use super::{Leaf, Place, Rules, defines, defines_by, has_one, inside, never, to_the_byte};

pub(super) const RULES: Rules = Rules {
    kinds: &[
        (Comment, &["line_comment", "block_comment"]),
        (Whole, &["string_literal", "raw_string_literal", "char_literal"]),
        (Prefix, &["attribute_item"]),
        (Bracketed, &["block", "use_list", "parenthesized_expression", "token_tree"]),
        (Sign, &[",", ";", "|"]),
    ],
    definitions: &[
        defines("function_item", Function),
        defines("function_signature_item", Function),
        defines("struct_item", Holder),
        defines("enum_item", Holder),
        defines("union_item", Holder),
        defines("trait_item", Holder),
        defines_by("impl_item", Holder, implemented),
        defines("mod_item", Holder),
        defines("enum_variant", Holder),
        defines("field_declaration", Value),
        defines("const_item", Value),
        defines("static_item", Value),
        defines("type_item", Value),
        defines("associated_type", Value),
        defines("macro_definition", Value),
    ],
    closers: b")]}>|",
    bare,
    comment: never,
    leaf,
    text: to_the_byte,
};

/// The type, without what it is made with: `Client` of `impl<T> Retry for net::Client<T>`.
fn implemented(place: &Place) -> Vec<String> {
    let mut node = place.node.child_by_field_name("type");
    while let Some(inner) = node {
        node = match inner.kind() {
            "generic_type" | "reference_type" | "pointer_type" => inner.child_by_field_name("type"),
            "scoped_type_identifier" => inner.child_by_field_name("name"),
            "dynamic_type" => inner.child_by_field_name("trait"),
            _ => return vec![place.said(inner).split_whitespace().collect()],
        };
    }
    Vec::new()
}

fn bare(place: &Place) -> bool {
    match place.node.kind() {
        "parenthesized_expression" => place.kind_up(0) == "parenthesized_expression",
        "use_list" => matches!(inside(place.node)[..], [only] if only.kind() != "self"),
        // In a macro there are only tokens; a closure shows by its bar.
        "token_tree" => {
            place.last == b'|' && place.said(place.node).starts_with('{') && is_without_statements(place.node)
        }
        "block" => is_body(place) && is_one_expression(place.node),
        _ => false,
    }
}

/// The body of a match arm, or of a closure that does not say what it answers.
fn is_body(place: &Place) -> bool {
    match place.up(0) {
        Some(around) if around.kind() == "match_arm" => true,
        Some(around) if around.kind() == "closure_expression" => {
            around.child_by_field_name("return_type").is_none()
        }
        Some(_) | None => false,
    }
}

fn is_one_expression(block: Node) -> bool {
    match inside(block)[..] {
        [only] if only.kind() == "expression_statement" => never_returns(only) || !ends_with_semicolon(only),
        [only] => {
            !only.kind().ends_with("_item")
                && !matches!(
                    only.kind(),
                    "let_declaration" | "empty_statement" | "label" | "use_declaration" | "macro_definition"
                )
        }
        _ => false,
    }
}

fn is_without_statements(tokens: Node) -> bool {
    tokens.child_count() > 2
        && !tokens.children(&mut tokens.walk()).any(|token| matches!(token.kind(), ";" | "let"))
}

fn ends_with_semicolon(statement: Node) -> bool {
    statement.child(statement.child_count().saturating_sub(1)).is_some_and(|last| last.kind() == ";")
}

fn leaf(place: &Place) -> Leaf {
    let around = place.kind_up(0);
    match place.node.kind() {
        "," => match around {
            "match_arm" => Leaf::Dropped,
            "where_clause" if place.is_last() => Leaf::Dropped,
            "tuple_expression" | "tuple_type" | "tuple_pattern"
                if place.up(0).is_some_and(|tuple| has_one(tuple)) =>
            {
                Leaf::Held
            }
            _ => Leaf::Kept,
        },
        ";" => match around {
            "macro_definition" => Leaf::Dropped,
            "expression_statement" if place.up(0).is_some_and(never_returns) => Leaf::Dropped,
            _ => Leaf::Kept,
        },
        "|" if matches!(around, "or_pattern" | "match_pattern") && place.is_first() => Leaf::Dropped,
        _ => Leaf::Kept,
    }
}

fn never_returns(statement: Node) -> bool {
    statement.child(0).is_some_and(|first| {
        matches!(first.kind(), "return_expression" | "break_expression" | "continue_expression")
    })
}
