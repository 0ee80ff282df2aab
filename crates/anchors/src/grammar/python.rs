//! Python, and what black and ruff do to it.

use std::borrow::Cow;

use tree_sitter::Node;

use super::Part::{Block, Bracketed, Code, Comment, Leaf as Sign, Perhaps, Statements, Text, Wrapper};
use super::Sort::{Function, Holder, Value, Variable};
use super::quotes::{content, unescaped};
use super::{Leaf, NormalizedText, Place, Rules, defines, defines_by, has_one, inside};

pub(super) const RULES: Rules = Rules {
    kinds: &[
        (Comment, &["comment", "line_continuation"]),
        (Perhaps, &["expression_statement"]),
        (Text, &["string", "concatenated_string", "integer", "float"]),
        (Code, &["interpolation", "concatenated_string"]),
        (Wrapper, &["decorated_definition", "expression_statement"]),
        (Bracketed, &["parenthesized_expression", "tuple", "tuple_pattern", "argument_list"]),
        (Sign, &[",", ";", "(", ")", "string_start", "string_end"]),
        (Statements, &["module", "block"]),
        (Block, &["block"]),
    ],
    definitions: &[
        defines("function_definition", Function),
        defines("class_definition", Holder),
        defines_by("assignment", Variable, assigned),
        defines_by("type_alias_statement", Value, alias),
    ],
    closers: b")]}",
    bare,
    comment: is_docstring,
    leaf,
    text,
};

fn assigned(place: &Place) -> Vec<String> {
    match place.node.child_by_field_name("left") {
        Some(left) if left.kind() == "identifier" => vec![place.said(left).to_owned()],
        Some(left) if matches!(left.kind(), "pattern_list" | "tuple_pattern") => inside(left)
            .into_iter()
            .filter(|name| name.kind() == "identifier")
            .map(|name| place.said(name).to_owned())
            .collect(),
        Some(_) | None => Vec::new(),
    }
}

fn alias(place: &Place) -> Vec<String> {
    let name = place.field("left").unwrap_or_default();
    vec![name.split('[').next().unwrap_or(name).trim().to_owned()]
}

fn is_docstring(place: &Place) -> bool {
    let is_first = place.around.last().is_some_and(|around| around.children == 0);
    let begins = matches!(place.kind_up(0), "module" | "block");
    is_first && begins && matches!(inside(place.node)[..], [only] if only.kind() == "string")
}

fn bare(place: &Place) -> bool {
    let around = place.kind_up(0);
    match place.node.kind() {
        "parenthesized_expression" => match around {
            "binary_operator"
            | "boolean_operator"
            | "comparison_operator"
            | "not_operator"
            | "await"
            | "attribute" => is_atom(place.node),
            "unary_operator" => is_atom(place.node) || is_power(place),
            "conditional_expression" => {
                let inner = place.node.named_child(0).map_or("", |inner| inner.kind());
                let binds_weaker =
                    matches!(inner, "conditional_expression" | "lambda" | "named_expression" | "yield");
                !binds_weaker || place.is_last() && inner != "named_expression"
            }
            "call" | "subscript" if place.is_first() => is_atom(place.node),
            _ => true,
        },
        "tuple" => {
            let may = match around {
                "return_statement"
                | "assignment"
                | "for_statement"
                | "yield"
                | "expression_statement"
                | "delete_statement" => true,
                "subscript" => !place.is_first(),
                _ => false,
            };
            may && place.node.named_child_count() > 0
        }
        "tuple_pattern" => matches!(around, "for_statement" | "assignment" | "for_in_clause"),
        "argument_list" => around == "class_definition" && inside(place.node).is_empty(),
        _ => false,
    }
}

/// Whether what is in the brackets holds together without them.
fn is_atom(brackets: Node) -> bool {
    matches!(
        inside(brackets)[..],
        [only] if matches!(
            only.kind(),
            "identifier" | "call" | "attribute" | "subscript" | "string" | "concatenated_string" | "integer"
            | "float" | "true" | "false" | "none" | "list" | "dictionary" | "set" | "tuple"
            | "parenthesized_expression" | "list_comprehension" | "dictionary_comprehension" | "set_comprehension"
            | "generator_expression"
        )
    )
}

fn is_power(brackets: &Place) -> bool {
    let inner = brackets.node.named_child(0);
    inner.and_then(|inner| inner.child_by_field_name("operator")).is_some_and(|sign| sign.kind() == "**")
}

fn leaf(place: &Place) -> Leaf {
    let around = place.kind_up(0);
    match place.node.kind() {
        ";" => Leaf::Dropped,
        "(" | ")" => match around {
            "import_from_statement" | "future_import_statement" | "with_clause" => Leaf::Dropped,
            _ => Leaf::Kept,
        },
        "," => match around {
            "tuple" | "expression_list" | "pattern_list" | "tuple_pattern" => {
                match place.up(0).is_some_and(|list| has_one(list)) {
                    true => Leaf::Held,
                    false if place.is_last() => Leaf::Dropped,
                    false => Leaf::Kept,
                }
            }
            _ => Leaf::Kept,
        },
        "string_start" => {
            match place.said(place.node).trim_end_matches(['"', '\'']).to_ascii_lowercase().as_str() {
                "f" => Leaf::Is("f\""),
                "rf" | "fr" => Leaf::Is("rf\""),
                _ => Leaf::Kept,
            }
        }
        "string_end" => Leaf::Is("\""),
        _ => Leaf::Kept,
    }
}

fn text<'t>(place: &Place<'_, 't>) -> Option<NormalizedText<'t>> {
    if matches!(place.node.kind(), "integer" | "float") {
        return Some(NormalizedText::Code(Cow::Owned(number(place.said(place.node)).into_bytes())));
    }
    let parts = match place.node.kind() {
        "concatenated_string" => inside(place.node),
        _ => vec![place.node],
    };
    let mut joined: Option<(String, String)> = None;
    for part in parts {
        let (prefix, said) = one(place, part)?;
        match &mut joined {
            Some((before, _)) if *before != prefix => return None,
            Some((_, all)) => all.push_str(&said),
            None => joined = Some((prefix, said)),
        }
    }
    let (prefix, said) = joined?;
    Some(NormalizedText::Text(Cow::Owned(format!("{prefix}\"{said}").into_bytes())))
}

/// The same number, without what may be left out.
fn number(said: &str) -> String {
    let said = said.to_ascii_lowercase().replace("e+", "e");
    let said = if said.starts_with('.') { format!("0{said}") } else { said };
    match said.strip_suffix('.') {
        Some(whole) => format!("{whole}.0"),
        None => said,
    }
}

/// The prefix and the content of a text without code in it.
fn one(place: &Place, node: Node) -> Option<(String, String)> {
    if node.kind() != "string" || inside(node).iter().any(|child| child.kind() == "interpolation") {
        return None;
    }
    let whole = place.said(node);
    let at = whole.find(['"', '\''])?;
    let (prefix, quoted) = whole.split_at(at);
    let mut prefix = prefix.to_ascii_lowercase().replace('u', "");
    if prefix == "rb" {
        prefix = "br".to_owned();
    }
    let length =
        if quoted.len() >= 6 && (quoted.starts_with("\"\"\"") || quoted.starts_with("'''")) { 3 } else { 1 };
    let said = content(quoted, length);
    Some(if prefix.contains('r') { (prefix, said.to_owned()) } else { (prefix, unescaped(said)) })
}
