//! The document of the API (OpenAPI 3.1), made from the table of verbs: the schemas of requests are the ones that read them.

use kenning::core::Code;
use kenning::core::schema::{is_written_spelling, other_spelling};
use kenning::verb::{Authority, Doors, Effect, Field};
use serde_json::{Map, Value, json};

use super::problem::OWN_CODES;
use super::routes::Route;
use super::{BASE, events};

/// The schemas of answers, written by a test from their types.
const ANSWERS: &str = include_str!("answers.json");

/// The whole document.
pub(crate) fn document(routes: &[Route]) -> Value {
    let mut answers: Value = serde_json::from_str(ANSWERS).unwrap_or_default();
    let mut schemas = match answers["schemas"].take() {
        Value::Object(schemas) => schemas,
        _ => Map::new(),
    };
    schemas.insert("Problem".to_owned(), problem());
    schemas.insert("StreamedEvent".to_owned(), events::schema());
    let mut paths = Map::new();
    for route in routes {
        let path = paths.entry(format!("{BASE}{}", route.path)).or_insert_with(|| json!({}));
        path[route.method.as_str().to_lowercase()] = operation(route, &answers["answers"][route.row.name]);
    }
    paths.insert(
        format!("{BASE}/openapi.json"),
        json!({"get": {
            "operationId": "openapi", "summary": "This document", "tags": ["API"], "security": [],
            "responses": {"200": {"description": "OpenAPI 3.1", "content": {"application/json": {"schema": {"type": "object"}}}}},
        }}),
    );
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Kenning",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "What was learned about a project, and whether it still holds",
            "description": "Every verb of `ken`, with the same fields, answers and refusals. `Ken-Exit` is what the command line would end with.",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "`ken token add NAME --role ROLE` makes one"},
            },
            "schemas": schemas,
            "responses": problems(),
            "headers": {"Exit": {"description": "The exit code of the command line", "schema": {"type": "integer"}}},
        },
        "security": [{"token": []}],
    })
}

fn operation(route: &Route, answer: &Value) -> Value {
    let row = route.row;
    let fields = row.fields();
    let free: Vec<&Field> = fields.iter().filter(|field| route.is_free(field, &fields)).collect();
    let mut parameters: Vec<Value> = Vec::new();
    for name in route.names() {
        let field = route.field(name, &fields);
        let about = field.map(|field| field.about).unwrap_or_default();
        let schema = json!({"type": "string", "minLength": 1});
        parameters.push(json!({
            "name": name, "in": "path", "required": true, "description": about, "schema": schema,
            "x-ken-field": field.map(|field| &field.name),
        }));
    }
    let by_query = route.method == "GET";
    if by_query {
        for field in &free {
            let mut schema = field.schema();
            let about = schema.as_object_mut().and_then(|schema| schema.remove("description"));
            parameters.push(json!({
                "name": field.name, "in": "query", "required": field.required, "description": about, "schema": schema,
            }));
        }
    } else {
        parameters.push(json!({
            "name": "Idempotency-Key", "in": "header", "required": false,
            "description": "A request that is sent again with the same key is carried out once",
            "schema": {"type": "string", "minLength": 1, "maxLength": 200},
        }));
        if route.path.starts_with("/entries/{") {
            parameters.push(json!({
                "name": "If-Match", "in": "header", "required": false,
                "description": "The ETag of the entry as it was read: 412 if it changed since",
                "schema": {"type": "string"},
            }));
        }
    }
    if route.path == "/events" {
        parameters.push(json!({
            "name": "Last-Event-ID", "in": "header", "required": false,
            "description": "With Accept: text/event-stream: the id of the last event that was heard",
            "schema": {"type": "string"},
        }));
    }
    let mut told = json!({
        "operationId": operation_id(route),
        "summary": row.about,
        "tags": [row.group.title()],
        "parameters": parameters,
        "responses": responses(route, answer),
        "x-ken-verb": row.name,
        "x-ken-role": row.role(by_query).word(),
        "x-ken-person": row.nature.authority == Authority::Person || row.nature.doors == Doors::Person,
        "x-ken-effect": match row.nature.effect {
            Effect::Reads => "reads",
            Effect::Writes => "writes",
            Effect::Removes => "removes",
        },
    });
    if !by_query {
        let properties: Map<String, Value> =
            free.iter().map(|field| (body_name(field).to_owned(), field.schema())).collect();
        let required: Vec<&str> =
            free.iter().filter(|field| field.required).map(|field| body_name(field)).collect();
        let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        told["requestBody"] = json!({
            "required": free.iter().any(|field| field.required),
            "content": {"application/json": {"schema": schema}},
        });
    }
    told
}

/// The name of a field in a body: `tags`, as answers have it, for the flag `--tag`. The other name is taken as well.
fn body_name(field: &Field) -> &'static str {
    match other_spelling(field.name) {
        // Answers have citations under both names, and `provenance` says more than a request can.
        Some(written) if field.many && is_written_spelling(written) && written != "provenance" => written,
        _ => field.name,
    }
}

/// A verb with several paths has several names.
fn operation_id(route: &Route) -> String {
    let own = route.row.tool();
    let path = route.path.trim_matches('/').replace(['/', '-'], "_").replace(['{', '}'], "");
    match route.fixed.is_empty() {
        true => format!("{}_{path}_{own}", route.method.as_str().to_lowercase()),
        false => format!("{}_{path}", route.method.as_str().to_lowercase()),
    }
}

fn responses(route: &Route, answer: &Value) -> Value {
    let row = route.row;
    let exit = json!({"Ken-Exit": {"$ref": "#/components/headers/Exit"}});
    let mut content = json!({"application/json": {"schema": answer}});
    if row.name == "events" {
        content["text/event-stream"] = json!({"schema": {"type": "string"}});
    }
    let mut responses = Map::new();
    let is_entry = route.path == "/entries/{id}" && route.method == "GET";
    if is_entry {
        content["text/markdown"] = json!({"schema": {"type": "string"}});
        responses
            .insert("304".to_owned(), json!({"description": "It is as the client knows it (If-None-Match)"}));
    }
    responses.insert(
        "200".to_owned(),
        json!({"description": "The answer of the verb", "headers": exit, "content": content}),
    );
    for status in PROBLEMS {
        // Reading changes no entry, has no body and takes no room.
        if route.method != "GET" || !matches!(status, 412 | 413 | 415 | 507) {
            responses.insert(
                status.to_string(),
                json!({"$ref": format!("#/components/responses/Problem{status}")}),
            );
        }
    }
    let refused = json!({"$ref": "#/components/schemas/Problem"});
    let mut content = json!({PROBLEM: {"schema": refused}});
    if route.method != "GET" {
        // What was asked for was not done, and the answer says why; or a rule said no. Clients look at the status alone, and take the first
        // of several contents: it names both.
        content["application/json"] = json!({"schema": {"anyOf": [answer, refused]}});
    }
    responses.insert("422".to_owned(), json!({"description": describe(422), "content": content}));
    Value::Object(responses)
}

/// The type of a problem.
const PROBLEM: &str = "application/problem+json";

/// The statuses of problems.
const PROBLEMS: [u16; 13] = [400, 401, 403, 404, 405, 409, 412, 413, 415, 429, 500, 503, 507];

/// What is answered where something is wrong, the same for all paths.
fn problems() -> Value {
    let one = |status: u16| {
        let content = json!({PROBLEM: {"schema": {"$ref": "#/components/schemas/Problem"}}});
        (format!("Problem{status}"), json!({"description": describe(status), "content": content}))
    };
    PROBLEMS.into_iter().map(one).collect::<Map<String, Value>>().into()
}

fn describe(status: u16) -> &'static str {
    match status {
        400 => "The request is not well-formed",
        401 => "A token or a session is required",
        403 => "The role does not allow it, or a person must confirm it",
        404 => "There is no such entry, run or path",
        405 => "The method is not allowed here",
        409 => "The state of the store does not allow it",
        412 => "The entry changed since it was read (If-Match)",
        413 => "The request is too long",
        415 => "The body is not JSON",
        422 => "A rule says no: nothing was written, or the answer says what was not",
        429 => "Too many requests",
        500 => "The machine failed, or the store is damaged; the hint says what mends it",
        503 => "Somebody else writes, or too many ask; try again in a moment",
        _ => "There is no space left",
    }
}

fn problem() -> Value {
    let mut codes: Vec<String> = CODES.iter().map(|code| code.word().to_owned()).collect();
    codes.extend(OWN_CODES.iter().map(|(code, _)| (*code).to_owned()));
    json!({
        "type": "object",
        "description": "RFC 9457, with the code, field and hint of every other door",
        "properties": {
            "type": {"type": "string"},
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "code": {"type": "string", "enum": codes},
            "detail": {"type": "string", "description": "One sentence for people"},
            "hint": {"type": "string", "description": "What to do next"},
            "field": {"type": "string", "description": "The field that is wrong"},
            "confirm": {"type": "string", "description": "What a person would have to confirm"},
            "faults": {"type": "array", "items": {
                "type": "object",
                "properties": {"field": {"type": "string"}, "problem": {"type": "string"}},
                "required": ["field", "problem"],
            }},
        },
        "required": ["type", "title", "status", "code", "detail"],
    })
}

/// Every refusal of the domain.
const CODES: &[Code] = &[
    Code::Invalid,
    Code::ProvenanceRequired,
    Code::Incomplete,
    Code::NotFound,
    Code::Ambiguous,
    Code::IdTaken,
    Code::DirectionalFlow,
    Code::NotAllowed,
    Code::Rejected,
    Code::OutOfScope,
    Code::Noise,
    Code::NoStore,
    Code::ReadOnly,
    Code::Version,
    Code::Changed,
];

#[cfg(test)]
mod tests {
    use super::super::problem::status;
    use super::super::routes::routes;
    use super::*;

    #[test]
    fn every_status_of_a_refusal_is_documented() {
        let routes = routes();
        let document = document(&routes);
        let add = &document["paths"]["/api/v1/entries"]["post"]["responses"];
        for code in CODES {
            assert!(add[status(*code).as_str()].is_object(), "{}", code.word());
        }
        let mut ids: Vec<&str> = Vec::new();
        for path in document["paths"].as_object().unwrap().values() {
            ids.extend(path.as_object().unwrap().values().map(|one| one["operationId"].as_str().unwrap()));
        }
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }

    // A generator makes a type for each constant of a `oneOf`, and its client reads none but the first.
    #[test]
    fn a_closed_set_of_words_is_a_plain_enum() {
        let whole = document(&routes()).to_string();
        for keyword in ["\"oneOf\":", "\"const\":", "\"allOf\":"] {
            assert!(!whole.contains(keyword), "{keyword}");
        }
    }
}
