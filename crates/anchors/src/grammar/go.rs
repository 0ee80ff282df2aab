//! Go, and what gofmt does to it.

use super::Part::{Bracketed, Comment, Leaf as Sign, Statements, Whole, Wrapper};
use super::Sort::{Function, Holder, Variable};
use super::{Leaf, Place, Rules, defines, defines_by, never, to_the_byte};

pub(super) const RULES: Rules = Rules {
    kinds: &[
        (Comment, &["comment"]),
        (Whole, &["interpreted_string_literal", "raw_string_literal", "rune_literal"]),
        (Wrapper, &["type_declaration", "const_declaration", "var_declaration", "var_spec_list"]),
        (Bracketed, &["parenthesized_expression"]),
        (Sign, &[";"]),
        (Statements, LISTS),
    ],
    definitions: &[
        defines("function_declaration", Function),
        defines_by("method_declaration", Function, method),
        defines("type_spec", Holder),
        defines("type_alias", Holder),
        defines_by("const_spec", Variable, names),
        defines_by("var_spec", Variable, names),
        defines_by("field_declaration", Variable, field),
        defines("method_elem", Function),
    ],
    closers: b")]}",
    bare: |place| {
        matches!(place.kind_up(0), "if_statement" | "for_statement" | "expression_switch_statement")
    },
    comment: never,
    leaf,
    text: to_the_byte,
};

const LISTS: &[&str] = &[
    "source_file",
    "statement_list",
    "block",
    "field_declaration_list",
    "interface_type",
    "import_spec_list",
    "var_spec_list",
    "const_declaration",
    "type_declaration",
    "expression_case",
    "type_case",
    "communication_case",
    "default_case",
];

/// `Client.Retry` of `func (c *Client[T]) Retry()`.
fn method(place: &Place) -> Vec<String> {
    let name = place.field("name").unwrap_or_default();
    let receiver = place.field("receiver").unwrap_or_default();
    let of = receiver.trim_matches(['(', ')']).split('[').next().unwrap_or_default();
    match of.split([' ', '*', '\t']).rfind(|part| !part.is_empty()) {
        Some(of) => vec![format!("{of}.{name}")],
        None => vec![name.to_owned()],
    }
}

fn names(place: &Place) -> Vec<String> {
    let mut cursor = place.node.walk();
    let names = place.node.children_by_field_name("name", &mut cursor).filter(|name| name.is_named());
    names.map(|name| place.said(name).to_owned()).filter(|name| name != "_").collect()
}

/// The names of a field; if it has none, it is called like its type.
fn field(place: &Place) -> Vec<String> {
    let named = names(place);
    if !named.is_empty() {
        return named;
    }
    let of = place.field("type").unwrap_or_default();
    let of = of.split('[').next().unwrap_or(of);
    of.rsplit(['.', '*']).next().map(str::to_owned).into_iter().collect()
}

fn leaf(place: &Place) -> Leaf {
    if LISTS.contains(&place.kind_up(0)) { Leaf::Dropped } else { Leaf::Kept }
}
