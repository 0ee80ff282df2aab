//! C and C++, and what clang-format does to them.

use std::borrow::Cow;

use tree_sitter::Node;

use super::Part::{Comment, Leaf as Sign, Text, Whole, Words, Wrapper};
use super::Sort::{Function, Holder, Value, Variable};
use super::{Leaf, NormalizedText, Place, Rules, defines, defines_by, inside, never};

pub(super) const RULES: Rules = Rules {
    kinds: &[
        (Comment, &["comment"]),
        (Whole, &["char_literal", "raw_string_literal"]),
        (Text, &["string_literal", "concatenated_string"]),
        (Words, &["preproc_arg", "preproc_directive"]),
        (Wrapper, &["template_declaration"]),
        (Sign, DIRECTIVES),
    ],
    definitions: &[
        defines_by("function_definition", Function, declared),
        defines_by("declaration", Variable, declared),
        defines_by("field_declaration", Variable, declared),
        defines_by("struct_specifier", Holder, with_body),
        defines_by("class_specifier", Holder, with_body),
        defines_by("union_specifier", Holder, with_body),
        defines_by("enum_specifier", Holder, with_body),
        defines("enumerator", Value),
        defines_by("type_definition", Holder, declared),
        defines_by("alias_declaration", Value, qualified),
        defines_by("namespace_definition", Holder, qualified),
        defines("concept_definition", Value),
        defines("preproc_def", Value),
        defines("preproc_function_def", Value),
    ],
    // In calls an empty last argument may count: macros tell the difference.
    closers: b"}",
    bare: never,
    comment: never,
    leaf,
    text,
};

const DIRECTIVES: &[&str] =
    &["#define", "#include", "#if", "#ifdef", "#ifndef", "#elif", "#elifdef", "#elifndef", "#else", "#endif"];

/// What a declaration declares; several, if there are commas.
fn declared(place: &Place) -> Vec<String> {
    let declarators =
        place.node.children_by_field_name("declarator", &mut place.node.walk()).collect::<Vec<_>>();
    declarators.into_iter().filter_map(|declarator| name(place, declarator)).collect()
}

/// The name in a declarator, under its stars and brackets.
fn name(place: &Place, declarator: Node) -> Option<String> {
    let mut node = declarator;
    loop {
        node = match node.kind() {
            "identifier"
            | "field_identifier"
            | "type_identifier"
            | "destructor_name"
            | "operator_name"
            | "operator_cast"
            | "primitive_type"
            | "qualified_identifier" => {
                return Some(joined(place.said(node)));
            }
            "template_function" | "template_type" => node.child_by_field_name("name")?,
            _ => match node.child_by_field_name("declarator") {
                Some(inner) => inner,
                None => *inside(node).first()?,
            },
        };
    }
}

/// `Client.retry` of `Client<T>::retry`.
fn joined(said: &str) -> String {
    let mut depth = 0;
    let is_operator = said.contains("operator");
    let plain: String = said
        .chars()
        .filter(|c| match c {
            '<' if !is_operator => {
                depth += 1;
                false
            }
            '>' if !is_operator => {
                depth -= 1;
                false
            }
            c => depth == 0 && !c.is_whitespace(),
        })
        .collect();
    plain.trim_start_matches("::").replace("::", ".")
}

fn qualified(place: &Place) -> Vec<String> {
    place.field("name").map(joined).into_iter().collect()
}

/// A type with a body; without one it is only mentioned. What `typedef` names is not named twice.
fn with_body(place: &Place) -> Vec<String> {
    if place.node.child_by_field_name("body").is_none() {
        return Vec::new();
    }
    let name = qualified(place);
    let named_around = match place.up(0) {
        Some(around) if around.kind() == "type_definition" => {
            let place = Place { node: around, text: place.text, last: place.last, around: place.around };
            declared(&place)
        }
        Some(_) | None => Vec::new(),
    };
    if name.iter().all(|name| named_around.contains(name)) { Vec::new() } else { name }
}

/// `#  define` is `#define`.
fn leaf(place: &Place) -> Leaf {
    DIRECTIVES
        .iter()
        .find(|directive| **directive == place.node.kind())
        .map_or(Leaf::Kept, |said| Leaf::Is(said))
}

/// Long texts are broken in two, and two are one.
fn text<'t>(place: &Place<'_, 't>) -> Option<NormalizedText<'t>> {
    let whole = place.said(place.node);
    if place.node.kind() == "string_literal" {
        return Some(NormalizedText::Text(Cow::Borrowed(whole.as_bytes())));
    }
    let mut all = String::from("\"");
    for part in inside(place.node) {
        if part.kind() != "string_literal" {
            return None;
        }
        all.push_str(place.said(part).strip_prefix('"')?.strip_suffix('"')?);
    }
    all.push('"');
    Some(NormalizedText::Text(Cow::Owned(all.into_bytes())))
}
