//! The schemas of answers, as their types say them, and answers that keep to them.

use kenning::core::plain_schema::simplify;
use kenning::verb::Doors;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The schema of every answer, and what they have in common.
fn schemas() -> Value {
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    settings.definitions_path = "/components/schemas".into();
    settings.meta_schema = None;
    let mut generator = settings.into_generator();
    let is_offered =
        |name: &str| kenning::table::find(name).is_some_and(|row| row.nature.doors != Doors::Terminal);
    let answers: Map<String, Value> = kenning::table::answers(&mut generator)
        .into_iter()
        .filter(|(name, _)| is_offered(name))
        .map(|(name, schema)| (name.to_owned(), schema.to_value()))
        .collect();
    let mut whole = json!({"answers": answers, "schemas": generator.take_definitions(true)});
    simplify(&mut whole);
    whole
}

// The server has them from a file, so that nobody who builds it pays for them.
#[test]
fn the_schemas_of_answers_are_those_of_their_types() {
    let written = serde_json::to_string_pretty(&schemas()).unwrap() + "\n";
    expect_test::expect_file!["../../../server/src/rest/answers.json"].assert_eq(&written);
}
