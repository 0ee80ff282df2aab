//! Java, and what google-java-format does to it.

use super::Part::{Comment, Whole};
use super::Sort::{Function, Holder, Value};
use super::{Leaf, Place, Rules, defines, defines_by, never, to_the_byte};

pub(super) const RULES: Rules = Rules {
    kinds: &[
        (Comment, &["line_comment", "block_comment"]),
        (Whole, &["string_literal", "character_literal"]),
    ],
    definitions: &[
        defines("class_declaration", Holder),
        defines("interface_declaration", Holder),
        defines("enum_declaration", Holder),
        defines("record_declaration", Holder),
        defines("annotation_type_declaration", Holder),
        defines("method_declaration", Function),
        defines("constructor_declaration", Function),
        defines("compact_constructor_declaration", Function),
        defines("annotation_type_element_declaration", Function),
        defines("enum_constant", Holder),
        defines_by("field_declaration", Value, declared),
        defines_by("constant_declaration", Value, declared),
    ],
    closers: b"}",
    bare: never,
    comment: never,
    leaf: |_| Leaf::Kept,
    text: to_the_byte,
};

fn declared(place: &Place) -> Vec<String> {
    place
        .node
        .children_by_field_name("declarator", &mut place.node.walk())
        .filter_map(|declarator| declarator.child_by_field_name("name"))
        .map(|name| place.said(name).to_owned())
        .collect()
}
