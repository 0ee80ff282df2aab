//! JSON schemas in the forms that generators of clients read: a closed set of words is one `enum`, and a choice between objects that are told
//! apart by the name of their only field is one object.
//!
//! schemars writes `oneOf` with a `const` for each variant that has a doc comment. Generators make a type for each of them.

use serde_json::{Map, Value, json};

/// Rewrites a schema and everything in it. Doing it twice changes nothing more.
pub fn simplify(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            object.values_mut().for_each(simplify);
            if let Some(word) = object.get("const").filter(|word| word.is_string()).cloned() {
                object.remove("const");
                object.insert("type".to_owned(), Value::from("string"));
                object.insert("enum".to_owned(), json!([word]));
            }
            for choice in ["oneOf", "anyOf"] {
                let arms = object.get(choice).and_then(Value::as_array).cloned().unwrap_or_default();
                if let Some(parts) = words_of(&arms).or_else(|| fields_of(&arms)) {
                    object.remove(choice);
                    join(object, parts);
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(simplify),
        _ => {}
    }
}

/// What stands for a choice: the keywords, and what is said of each arm.
type Parts = (Map<String, Value>, Vec<String>);

/// Writes the parts of a choice into the schema that it stood in.
fn join(object: &mut Map<String, Value>, (keywords, notes): Parts) {
    object.extend(keywords);
    if notes.is_empty() {
        return;
    }
    let own = object.get("description").and_then(Value::as_str).map(str::to_owned);
    let whole: Vec<String> = own.into_iter().chain(notes).collect();
    object.insert("description".to_owned(), Value::from(whole.join(" ")));
}

/// The words of a choice of which every arm is a word or a list of words.
fn words_of(arms: &[Value]) -> Option<Parts> {
    let (mut words, mut notes) = (Vec::new(), Vec::new());
    for arm in arms {
        let arm = arm.as_object()?;
        let is_plain = arm.keys().all(|name| matches!(name.as_str(), "type" | "enum" | "description"));
        let said = arm.get("enum").and_then(Value::as_array).filter(|_| is_plain)?;
        if !said.iter().all(Value::is_string) {
            return None;
        }
        // A description of several words is about none of them.
        if let ([Value::String(word)], Some(note)) = (said.as_slice(), note(arm)) {
            notes.push(format!("`{word}`: {note}"));
        }
        words.extend(said.iter().cloned());
    }
    let is_a_choice = !words.is_empty();
    let keywords = [("type".to_owned(), Value::from("string")), ("enum".to_owned(), Value::from(words))];
    is_a_choice.then(|| (keywords.into_iter().collect(), notes))
}

/// The fields of a choice of which every arm is an object with one field, and no two with the same.
fn fields_of(arms: &[Value]) -> Option<Parts> {
    let (mut fields, mut notes) = (Map::new(), Vec::new());
    for arm in arms {
        let arm = arm.as_object()?;
        let properties = arm.get("properties").and_then(Value::as_object)?;
        let (name, field) = properties.iter().next().filter(|_| properties.len() == 1)?;
        let is_closed = arm.get("additionalProperties") == Some(&Value::Bool(false));
        let is_required = arm.get("required") == Some(&json!([name]));
        if !is_closed || !is_required || fields.insert(name.clone(), field.clone()).is_some() {
            return None;
        }
        notes.extend(note(arm).map(|note| format!("`{name}`: {note}")));
    }
    if fields.len() < 2 {
        return None;
    }
    let one = json!({
        "type": "object", "properties": fields, "additionalProperties": false, "minProperties": 1, "maxProperties": 1,
    });
    let Value::Object(keywords) = one else { return None };
    Some((keywords, notes))
}

/// What is said of an arm, on one line.
fn note(arm: &Map<String, Value>) -> Option<String> {
    let said = arm.get("description")?.as_str()?;
    Some(said.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn simplified(mut schema: Value) -> Value {
        simplify(&mut schema);
        let once = schema.clone();
        simplify(&mut schema);
        assert_eq!(once, schema);
        schema
    }

    #[test]
    fn words_are_one_enum_and_keep_what_is_said_of_them() {
        let scope = json!({
            "description": "How far an entry reaches.",
            "oneOf": [
                {"type": "string", "enum": ["project"]},
                {"type": "string", "const": "thread", "description": "One line\nof work."},
            ],
        });
        assert_eq!(
            simplified(json!({"properties": {"scope": scope}})),
            json!({"properties": {"scope": {
                "description": "How far an entry reaches. `thread`: One line of work.",
                "type": "string", "enum": ["project", "thread"],
            }}})
        );
        assert_eq!(simplified(json!({"const": "lesson"})), json!({"type": "string", "enum": ["lesson"]}));
    }

    #[test]
    fn objects_told_apart_by_their_only_field_are_one_object() {
        let arm = |name: &str, kind: &str| {
            json!({
                "type": "object", "properties": {name: {"type": kind}}, "required": [name], "additionalProperties": false,
                "description": "Said of it.",
            })
        };
        assert_eq!(
            simplified(json!({"oneOf": [arm("commit", "string"), arm("pull", "integer")]})),
            json!({
                "type": "object", "properties": {"commit": {"type": "string"}, "pull": {"type": "integer"}},
                "additionalProperties": false, "minProperties": 1, "maxProperties": 1,
                "description": "`commit`: Said of it. `pull`: Said of it.",
            })
        );
    }

    #[test]
    fn what_may_be_null_and_other_choices_stay() {
        let reference = json!({"$ref": "#/components/schemas/Scope"});
        for arms in
            [json!([reference, {"type": "null"}]), json!([{"type": "string"}, {"type": "object"}]), json!([])]
        {
            let schema = json!({"anyOf": arms});
            assert_eq!(simplified(schema.clone()), schema);
        }
    }
}
