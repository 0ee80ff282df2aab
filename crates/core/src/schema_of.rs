//! JSON schemas of types that write themselves, for the document of the API.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

macro_rules! schema_of {
    ($($name:ty, $shown:literal, $schema:tt;)*) => {$(
        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                Cow::Borrowed($shown)
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    )*};
}

schema_of! {
    crate::EventHash, "EventHash", {"type": "string"};
    crate::EntryKey, "EntryKey", {"type": "string"};
    crate::ReplicaId, "ReplicaId", {"type": "string"};
    crate::Millis, "Millis", {"type": "string", "format": "date-time"};
    crate::Clock, "Clock", {"type": "string"};
    crate::belief::Record, "Record", {"type": "string"};
    crate::friction::Thousandths, "Thousandths", {"type": "number"};
}
