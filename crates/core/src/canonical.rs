//! Canonical JSON: sorted keys, no insignificant space, one spelling for one value.

use serde::Serialize;
use serde_json::Value;

/// The canonical text of any serialisable value.
///
/// Going through [`Value`] sorts the keys of every object by code point; `serde_json` then writes without space.
pub fn to_string<T: Serialize>(value: &T) -> String {
    let value = serde_json::to_value(value).expect("domain values have string keys and finite numbers");
    value_to_string(&value)
}

/// The canonical text of a JSON value.
pub fn value_to_string(value: &Value) -> String {
    serde_json::to_string(value).expect("a JSON value can always be written")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_filter("JSON has no NaN", |f| f.is_finite()).prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..6)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        // STO-3: one value, one line, and reading it back gives the value and the line.
        #[test]
        fn canonical_json_round_trips(value in json()) {
            let line = value_to_string(&value);
            prop_assert!(!line.contains('\n'));
            let read: Value = serde_json::from_str(&line).unwrap();
            prop_assert_eq!(value_to_string(&read), line);
            prop_assert_eq!(read, value);
        }
    }

    #[test]
    fn keys_are_sorted_at_every_level() {
        let value: Value = serde_json::from_str(r#"{ "b": {"z":1,"a":2}, "a": [ 1, 2 ] }"#).unwrap();
        assert_eq!(value_to_string(&value), r#"{"a":[1,2],"b":{"a":2,"z":1}}"#);
    }
}
