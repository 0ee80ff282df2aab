//! TypeScript and JavaScript, and what prettier does to them.

use std::borrow::Cow;

use tree_sitter::Node;

use super::Part::{
    Bracketed, Code, Comment, Leaf as Sign, Perhaps, Prefix, Statements, Text, Whole, Words, Wrapper,
};
use super::Sort::{Function, Holder, Value, Variable};
use super::quotes::{content, unescaped};
use super::{Leaf, NormalizedText, Place, Rules, defines, defines_by, inside};

pub(super) const RULES: Rules = Rules {
    kinds: &[
        (Comment, &["comment", "html_comment", "empty_statement"]),
        (Perhaps, &["jsx_expression"]),
        (Text, &["string", "template_string", "number"]),
        (Code, &["template_substitution"]),
        (Whole, &["regex"]),
        (Words, &["jsx_text"]),
        (Prefix, &["decorator"]),
        (
            Wrapper,
            &[
                "export_statement",
                "ambient_declaration",
                "lexical_declaration",
                "variable_declaration",
                "expression_statement",
            ],
        ),
        (Bracketed, &["parenthesized_expression", "formal_parameters", "arguments"]),
        (Sign, &[",", ";", "|", "&"]),
        (
            Statements,
            &[
                "program",
                "statement_block",
                "class_body",
                "interface_body",
                "object_type",
                "switch_case",
                "switch_default",
            ],
        ),
    ],
    definitions: &[
        defines("function_declaration", Function),
        defines("generator_function_declaration", Function),
        defines("function_signature", Function),
        defines("class_declaration", Holder),
        defines("abstract_class_declaration", Holder),
        defines("interface_declaration", Holder),
        defines("enum_declaration", Holder),
        defines("type_alias_declaration", Holder),
        defines_by("internal_module", Holder, module),
        defines_by("module", Holder, module),
        defines_by("method_definition", Function, key),
        defines_by("method_signature", Function, key),
        defines_by("abstract_method_signature", Function, key),
        defines_by("public_field_definition", Value, key),
        defines_by("property_signature", Variable, key),
        defines_by("enum_assignment", Value, key),
        defines_by("property_identifier", Value, variant),
        defines_by("variable_declarator", Function, function_variable),
        defines_by("pair", Function, function_pair),
        defines_by("assignment_expression", Function, function_assigned),
    ],
    closers: b")]}>",
    bare,
    comment: is_space,
    leaf,
    text,
};

fn unquoted(said: &str) -> String {
    said.trim_matches(['"', '\'', '`']).to_owned()
}

fn key(place: &Place) -> Vec<String> {
    // Which quotes a computed name has does not change it.
    place.field("name").map(|name| unquoted(name).replace('"', "'")).into_iter().collect()
}

fn module(place: &Place) -> Vec<String> {
    let Some(name) = place.node.child_by_field_name("name") else { return Vec::new() };
    match name.kind() {
        // The name of another file: its dots separate nothing.
        "string" => vec![unquoted(place.said(name))],
        _ => vec![place.said(name).split_whitespace().collect()],
    }
}

/// A variant of an enumeration without a value has no node of its own.
fn variant(place: &Place) -> Vec<String> {
    match place.kind_up(0) {
        "enum_body" => vec![place.said(place.node).to_owned()],
        _ => Vec::new(),
    }
}

fn is_function(node: Node) -> bool {
    let mut node = node;
    loop {
        match node.kind() {
            "arrow_function" | "function_expression" | "generator_function" | "class" => return true,
            "parenthesized_expression" => match node.named_child(0) {
                Some(inner) => node = inner,
                None => return false,
            },
            _ => return false,
        }
    }
}

/// A variable that holds a function; any other counts outside functions only.
fn function_variable(place: &Place) -> Vec<String> {
    let Some(name) = place.node.child_by_field_name("name") else { return Vec::new() };
    let holds_function = place.node.child_by_field_name("value").is_some_and(is_function);
    if is_in_function(place) && !holds_function {
        return Vec::new();
    }
    match name.kind() {
        "identifier" => vec![place.said(name).to_owned()],
        "object_pattern" | "array_pattern" => inside(name)
            .into_iter()
            .filter(|part| matches!(part.kind(), "identifier" | "shorthand_property_identifier_pattern"))
            .map(|part| place.said(part).to_owned())
            .collect(),
        _ => Vec::new(),
    }
}

/// Blocks belong to functions and loops, except for that of a namespace.
fn is_in_function(place: &Place) -> bool {
    let kinds = place.around.iter().map(|frame| frame.node.kind());
    let before = std::iter::once("").chain(kinds.clone());
    kinds.zip(before).any(|(kind, around)| match kind {
        "arrow_function" | "for_statement" => true,
        "statement_block" => !matches!(around, "internal_module" | "module"),
        _ => false,
    })
}

fn function_pair(place: &Place) -> Vec<String> {
    match place.node.child_by_field_name("value") {
        Some(value) if is_function(value) => place.field("key").map(unquoted).into_iter().collect(),
        Some(_) | None => Vec::new(),
    }
}

/// `exports.retry = function ..`, `Client.prototype.retry = ..`: definitions of an older kind.
fn function_assigned(place: &Place) -> Vec<String> {
    let (Some(left), Some(right)) =
        (place.node.child_by_field_name("left"), place.node.child_by_field_name("right"))
    else {
        return Vec::new();
    };
    let said = place.said(left);
    if left.kind() != "member_expression" || !is_function(right) || said.contains(['(', '[', '\n', ' ']) {
        return Vec::new();
    }
    let name = said.strip_prefix("module.").unwrap_or(said);
    let name = name.strip_prefix("exports.").unwrap_or(name).replace(".prototype.", ".");
    if name.starts_with("this.") || name == "exports" { Vec::new() } else { vec![name] }
}

/// `{" "}` between elements, which stands where a line is broken.
fn is_space(place: &Place) -> bool {
    matches!(
        inside(place.node)[..],
        [only] if only.kind() == "string" && place.said(only).trim_matches(['"', '\'']) == " "
    )
}

fn bare(place: &Place) -> bool {
    match place.node.kind() {
        // `new Client` is `new Client()`.
        "arguments" => place.kind_up(0) == "new_expression" && place.node.named_child_count() == 0,
        "formal_parameters" => place.up(0).is_some_and(|around| is_short_arrow(place.node, around)),
        "parenthesized_expression" => match inside(place.node)[..] {
            [only] if only.kind() == "parenthesized_expression" => true,
            [only] => is_redundant(place, only),
            _ => false,
        },
        _ => false,
    }
}

/// `(x) => ..`, which may as well be `x => ..`.
fn is_short_arrow(parameters: Node, arrow: Node) -> bool {
    let is_name = |node: Node| match node.kind() {
        "identifier" => true,
        "required_parameter" => {
            node.child_count() == 1 && node.child(0).is_some_and(|only| only.kind() == "identifier")
        }
        _ => false,
    };
    arrow.kind() == "arrow_function"
        && arrow.child_by_field_name("return_type").is_none()
        && arrow.child_by_field_name("type_parameters").is_none()
        && matches!(inside(parameters)[..], [only] if is_name(only))
}

/// How many brackets around brackets are looked through.
const BRACKETS_MAX: usize = 8;

/// Whether the brackets around an expression change nothing.
fn is_redundant(place: &Place, only: Node) -> bool {
    let outer = (0..BRACKETS_MAX).find(|level| place.kind_up(*level) != "parenthesized_expression");
    let Some(outer) = outer else { return false };
    let Some(around) = place.up(outer) else { return false };
    let outermost = outer.checked_sub(1).and_then(|level| place.up(level)).unwrap_or(place.node);
    let is_first = around.start_byte() == outermost.start_byte();
    let kind = only.kind();
    let is_atom = matches!(
        kind,
        "identifier"
            | "member_expression"
            | "subscript_expression"
            | "string"
            | "number"
            | "template_string"
            | "true"
            | "false"
            | "null"
            | "undefined"
            | "this"
            | "array"
            | "parenthesized_expression"
            | "regex"
    ) || kind.starts_with("jsx_")
        || kind == "new_expression" && only.child_by_field_name("arguments").is_some();
    match around.kind() {
        "arrow_function" => {
            !matches!(kind, "object" | "function_expression" | "class" | "sequence_expression")
        }
        "expression_statement" => !matches!(kind, "object" | "function_expression" | "class"),
        "binary_expression" => {
            is_atom || matches!(kind, "call_expression") || binds_tighter(place, only, around, is_first)
        }
        "ternary_expression" => match kind {
            "sequence_expression"
            | "assignment_expression"
            | "augmented_assignment_expression"
            | "yield_expression" => false,
            "ternary_expression" | "arrow_function" => !is_first,
            _ => true,
        },
        "unary_expression" | "await_expression" | "as_expression" | "satisfies_expression" => {
            is_atom || kind == "call_expression"
        }
        "member_expression" | "subscript_expression" if !is_first => kind != "sequence_expression",
        "call_expression" if !is_first => false,
        // A function that is called at once may have its brackets around it, or around the call.
        "call_expression" if kind == "function_expression" => true,
        "member_expression" | "subscript_expression" | "call_expression" | "non_null_expression" => {
            is_atom && kind != "number" || kind == "call_expression" && !place.said(only).contains("?.")
        }
        "new_expression"
        | "update_expression"
        | "extends_clause"
        | "class_heritage"
        | "decorator"
        | "type_assertion"
        | "instantiation_expression" => matches!(kind, "identifier" | "parenthesized_expression"),
        "arguments"
        | "array"
        | "pair"
        | "spread_element"
        | "variable_declarator"
        | "assignment_expression"
        | "augmented_assignment_expression"
        | "assignment_pattern"
        | "sequence_expression"
        | "yield_expression" => kind != "sequence_expression",
        _ => true,
    }
}

fn binds_tighter(place: &Place, inner: Node, outer: Node, is_first: bool) -> bool {
    let Some(sign) = outer.child_by_field_name("operator").map(|sign| place.said(sign)) else { return false };
    match inner.kind() {
        "unary_expression" | "await_expression" | "update_expression" => sign != "**",
        "binary_expression" => {
            let Some(tighter) = inner.child_by_field_name("operator").map(|sign| place.said(sign)) else {
                return false;
            };
            match (rank(tighter), rank(sign)) {
                (Some(inner), Some(outer)) if inner == outer => match sign {
                    "||" | "&&" => true,
                    "**" => false,
                    _ => is_first,
                },
                (Some(inner), Some(outer)) => inner > outer,
                (_, None) | (None, _) => false,
            }
        }
        _ => false,
    }
}

fn rank(sign: &str) -> Option<u8> {
    Some(match sign {
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" | "===" | "!==" => 6,
        "<" | ">" | "<=" | ">=" | "in" | "instanceof" => 7,
        "<<" | ">>" | ">>>" => 8,
        "+" | "-" => 9,
        "*" | "/" | "%" => 10,
        "**" => 11,
        _ => return None,
    })
}

fn leaf(place: &Place) -> Leaf {
    let around = place.kind_up(0);
    match place.node.kind() {
        ";" => match is_in_head(place) {
            true => Leaf::Kept,
            false => Leaf::Dropped,
        },
        "," if matches!(around, "interface_body" | "object_type") => Leaf::Dropped,
        "|" if around == "union_type" && place.is_first() => Leaf::Dropped,
        "&" if around == "intersection_type" && place.is_first() => Leaf::Dropped,
        _ => Leaf::Kept,
    }
}

/// In the head of a loop, where the semicolons say which part is which.
fn is_in_head(place: &Place) -> bool {
    match (place.up(0), place.up(1)) {
        (Some(head), _) if head.kind() == "for_statement" => true,
        (part, Some(head)) if head.kind() == "for_statement" => head.child_by_field_name("body") != part,
        (_, _) => false,
    }
}

fn text<'t>(place: &Place<'_, 't>) -> Option<NormalizedText<'t>> {
    let said = place.said(place.node);
    if place.node.kind() == "number" {
        return Some(NormalizedText::Code(number(said)));
    }
    if place.node.kind() == "template_string" {
        let has_code = inside(place.node).iter().any(|child| child.kind() == "template_substitution");
        return (!has_code).then_some(NormalizedText::Text(Cow::Borrowed(said.as_bytes())));
    }
    let content = content(said, 1);
    if place.kind_up(0) == "pair" && place.is_first() && (is_name(content) || is_index(content)) {
        return Some(NormalizedText::Code(Cow::Borrowed(content.as_bytes())));
    }
    Some(NormalizedText::Text(Cow::Owned(format!("\"{}", unescaped(content)).into_bytes())))
}

/// The same number, without what may be left out.
fn number(said: &str) -> Cow<'_, [u8]> {
    let is_plain = said.bytes().all(|byte| byte.is_ascii_digit());
    if is_plain {
        return Cow::Borrowed(said.as_bytes());
    }
    let mut said = said.to_ascii_lowercase();
    if said.contains('.') && said.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        said.truncate(said.trim_end_matches('0').trim_end_matches('.').len());
    }
    if said.starts_with('.') {
        said.insert(0, '0');
    }
    Cow::Owned(said.into_bytes())
}

fn is_index(content: &str) -> bool {
    content == "0"
        || !content.is_empty()
            && !content.starts_with('0')
            && content.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_name(content: &str) -> bool {
    !content.is_empty()
        && !content.starts_with(|c: char| c.is_ascii_digit())
        && content.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$'))
}
