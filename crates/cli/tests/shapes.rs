//! The JSON that other programs rely on, field by field, and the variables that change what `ken` does.
//!
//! A field may be added here. One that goes or changes its type breaks somebody: see `docs/reference/json.md`.

use expect_test::expect;
use serde_json::{Value, json};

use crate::transcript::{files, play, shell};
use crate::world::World;

const LESSON: &[&str] = &[
    "add",
    "lesson",
    "--title",
    "Jitter",
    "--statement",
    "Retry with jitter.",
    "--evidence",
    "pr:1",
    "--evidence",
    "doc:src/net.rs",
    "--anchor",
    "src/net.rs:1-3",
    "--anchor",
    "src/net.rs#retry",
    "--verify",
    "look",
    "--verify",
    "look again",
    "--depends-on",
    "src/net.rs exists",
    "--tag",
    "net",
    "--tag",
    "retry/policy",
    "--domain",
    "backend",
    "--id",
    "lesson.jitter",
    "--json",
];

fn with_lesson() -> World {
    let world = World::with_store();
    world.ken_args(LESSON).ok();
    world
}

/// The names of an object's fields with the shapes of their values.
fn shape(value: &Value) -> Value {
    match value {
        Value::Null => json!("null"),
        Value::Bool(_) => json!("bool"),
        Value::Number(number) if number.is_f64() => json!("number"),
        Value::Number(_) => json!("integer"),
        Value::String(_) => json!("string"),
        Value::Array(list) => Value::Array(list.iter().take(1).map(shape).collect()),
        Value::Object(map) => map.iter().map(|(name, value)| (name.clone(), shape(value))).collect(),
    }
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

#[test]
fn add_answers_outcome_id_handle_and_reasons() {
    let world = World::with_store();
    let added = world.ken_args(LESSON).ok().json();
    assert_eq!(
        added,
        json!({
            "outcome": "added", "id": "lesson.jitter", "handle": "L-7b9baa", "reasons": [],
            "scan": {"scanner": 4, "tier": "safe"},
            "admission": {
                "outcome": "as_proposed", "score": 0.789, "flags": [],
                "signals": {
                    "scanner": 1.0, "confidence": 0.5, "provenance": 1.0, "federation": 1.0,
                    "observation_mass": 0.393, "content_type": 0.5, "recency": 1.0
                }
            }
        })
    );
    let again = world.ken_args(LESSON).ok().json();
    assert_eq!(again["outcome"], "reinforced");
    assert_eq!(
        shape(&again),
        json!({
            "outcome": "string", "id": "string", "handle": "string", "reasons": ["string"],
            "scan": {"scanner": "integer", "tier": "string"}
        })
    );
    let held = world.ken_args(&["add", "lesson", "Not finished.", "--draft", "--json"]).ok().json();
    assert_eq!(held["outcome"], "held");
    assert_eq!(held["reasons"].as_array().unwrap().len(), 3);
}

#[test]
fn show_has_every_field_that_is_promised() {
    let world = with_lesson();
    let shown = world.ken("show lesson.jitter --json").ok().json();
    let promised = [
        "id",
        "handle",
        "memory",
        "type",
        "status",
        "title",
        "statement",
        "tags",
        "scope",
        "provenance",
        "anchors",
        "verification",
        "depends_on",
        "validity",
        "belief",
        "last_confirmed",
        "confirmation",
        "review_debt",
        "gaps",
        "created",
        "updated",
    ];
    for name in promised {
        assert!(shown.get(name).is_some(), "{name}");
    }
    expect![[r#"
        {
          "admission": {
            "flags": [],
            "outcome": "as_proposed",
            "score": 0.789,
            "signals": {
              "confidence": 0.5,
              "content_type": 0.5,
              "federation": 1.0,
              "observation_mass": 0.393,
              "provenance": 1.0,
              "recency": 1.0,
              "scanner": 1.0
            }
          },
          "anchors": [
            {
              "at": "src/net.rs:1-3",
              "captured": {
                "blob": "ca71f7cc7ea492d1fccfd79304170f0a91b92f9d",
                "by": "rust.1",
                "lines": [
                  1,
                  3
                ],
                "needles": [
                  "retry",
                  "jitter"
                ],
                "parts": "000000000000000000c1e64e00000000056a7614049860df",
                "print": "0e323cfc34b6c11a",
                "symbol": "retry",
                "text": "fn retry() {\njitter();\n}",
                "tokens": 10
              }
            },
            {
              "at": "src/net.rs#retry",
              "captured": {
                "blob": "ca71f7cc7ea492d1fccfd79304170f0a91b92f9d",
                "by": "rust.1",
                "lines": [
                  1,
                  3
                ],
                "needles": [
                  "retry",
                  "jitter"
                ],
                "parts": "056a7614049860df",
                "print": "01473de99b001bd8",
                "symbol": "retry",
                "text": "fn retry() {\njitter();\n}",
                "tokens": 9
              }
            }
          ],
          "belief": {
            "alpha": 5.0,
            "beta": 5.0,
            "certainty": 0.2,
            "mean": 0.5,
            "observations": 0.0
          },
          "confirmation": null,
          "created": "2026-01-02T03:04:05.000Z",
          "created_by": "human:Ada",
          "decay_class": "stable",
          "depends_on": [
            "src/net.rs exists"
          ],
          "domains": [
            "backend"
          ],
          "evidence": [
            "pr:1",
            "doc:src/net.rs"
          ],
          "file": "semantic/v1/entities/lesson.jitter.jsonl",
          "gaps": [],
          "handle": "L-7b9baa",
          "id": "lesson.jitter",
          "key": "7b9baa8856474b00",
          "last_confirmed": null,
          "links": [],
          "memory": "semantic",
          "not_run": [],
          "on_this_branch": true,
          "prediction_errors": 0,
          "provenance": [
            {
              "cited_at": 1767323045,
              "cited_by": "human:Ada",
              "evidence_ref": "1",
              "evidence_type": "pr",
              "unverified": true
            },
            {
              "cited_at": 1767323045,
              "cited_by": "human:Ada",
              "evidence_ref": "src/net.rs",
              "evidence_type": "doc"
            }
          ],
          "review_debt": 0,
          "scan": {
            "scanner": 4,
            "tier": "safe"
          },
          "schema_version": "1.0.0",
          "scope": "project",
          "statement": "Retry with jitter.",
          "status": "candidate",
          "tags": [
            "net",
            "retry/policy"
          ],
          "title": "Jitter",
          "type": "lesson",
          "unverified": false,
          "updated": "2026-01-02T03:04:05.000Z",
          "validity": {
            "anchors": [
              {
                "at": "src/net.rs:1-3",
                "now": null,
                "verdict": "fresh",
                "why": "unchanged"
              },
              {
                "at": "src/net.rs#retry",
                "now": null,
                "verdict": "fresh",
                "why": "unchanged"
              }
            ],
            "because": [],
            "conditions": [
              {
                "text": "src/net.rs exists",
                "verdict": "holds",
                "why": "src/net.rs exists"
              }
            ],
            "verdict": "fresh"
          },
          "verification": [
            "look",
            "look again"
          ]
        }
    "#]]
    .assert_eq(&pretty(&shown));
    // A bare entry has them too.
    world.ken("note bare").ok();
    let bare = world.ken("show signal --json").ok().json();
    for name in promised {
        assert!(bare.get(name).is_some(), "{name}");
    }
    // Several at once are a list.
    let other = world.lesson("Another one.");
    let both = world.ken(&format!("show lesson.jitter {other} --json")).ok().json();
    assert_eq!(both["entries"].as_array().unwrap().len(), 2);
}

#[test]
fn list_is_items_a_cursor_and_total() {
    let world = with_lesson();
    world.ken("note one").ok();
    let page = world.ken("list --limit 1 --json").ok().json();
    expect![[r#"
        {
          "cursor": "string",
          "items": [
            {
              "belief": {
                "alpha": "number",
                "beta": "number",
                "certainty": "number",
                "mean": "number",
                "observations": "number"
              },
              "created": "string",
              "created_by": "string",
              "domains": [],
              "gaps": [],
              "handle": "string",
              "id": "string",
              "memory": "string",
              "on_this_branch": "bool",
              "scope": "string",
              "statement": "string",
              "status": "string",
              "tags": [],
              "title": "string",
              "type": "string",
              "unverified": "bool",
              "updated": "string"
            }
          ],
          "total": "integer"
        }
    "#]]
    .assert_eq(&pretty(&shape(&page)));
    let last = world.ken_args(&["list", "--json", "--cursor", page["cursor"].as_str().unwrap()]).ok().json();
    assert_eq!(last.get("cursor"), None);
    assert_eq!(world.ken("list --text nothing-like-it --json").ok().json(), json!({"items": [], "total": 0}));
}

#[test]
fn the_other_answers_keep_their_shapes() {
    let world = with_lesson();
    let mut text = String::new();
    for words in [
        "init --json",
        "revise lesson.jitter --summary x --json",
        "tag lesson.jitter new --json",
        "undo --json",
        "archive lesson.jitter --json",
        "restore lesson.jitter --json",
        "log lesson.jitter --json",
        "why lesson.jitter --json",
        "diff HEAD --json",
        "verify --json",
        "recover --json",
        "flush --json",
        "rebuild --json",
        "where --json",
        "config --json",
        "config list.limit --json",
        "migrate --json",
        "doctor --json",
        "archive --older-than 1 --json",
        "commit --json",
    ] {
        let answer = world.ken(words).ok();
        text += &format!("$ ken {words}\n{}\n", serde_json::to_string(&shape(&answer.json())).unwrap());
    }
    expect![[r#"
        $ ken init --json
        {"changed":"bool","done":[],"store":"string"}
        $ ken revise lesson.jitter --summary x --json
        {"handle":"string","id":"string","memory":"string","outcome":"string","reasons":["string"],"status":"string","title":"string","type":"string"}
        $ ken tag lesson.jitter new --json
        {"handle":"string","id":"string","memory":"string","outcome":"string","reasons":["string"],"status":"string","title":"string","type":"string"}
        $ ken undo --json
        {"undone":[{"handle":"string","id":"string","memory":"string","outcome":"string","reasons":["string"],"status":"string","title":"string","type":"string"}]}
        $ ken archive lesson.jitter --json
        {"handle":"string","id":"string","memory":"string","outcome":"string","reasons":["string"],"status":"string","title":"string","type":"string"}
        $ ken restore lesson.jitter --json
        {"handle":"string","id":"string","memory":"string","outcome":"string","reasons":["string"],"status":"string","title":"string","type":"string"}
        $ ken log lesson.jitter --json
        {"items":[{"actor":"string","at":"string","branch":"string","data":{"admission":{"outcome":"string","score":"integer","signals":["integer"]},"evidence":[{"cited_at":"integer","cited_by":"string","evidence_ref":"string","evidence_type":"string","unverified":"bool"}],"fields":{"anchors":[{"at":"string","captured":{"blob":"string","by":"string","lines":["integer"],"needles":["string"],"parts":"string","print":"string","symbol":"string","text":"string","tokens":"integer"}}],"depends_on":["string"],"domains":["string"],"statement":"string","tags":["string"],"title":"string","verification":["string"]},"handle":"string","id":"string","scan":{"scanner":"integer","tier":"string"},"type":"string"},"entry":"string","file":"string","hash":"string","on_this_branch":"bool","replica":"string","seq":"integer","summary":"string","type":"string"}]}
        $ ken why lesson.jitter --json
        {"because":["string"],"entry":{"admission":{"flags":[],"outcome":"string","score":"number","signals":{"confidence":"number","content_type":"number","federation":"number","observation_mass":"number","provenance":"number","recency":"number","scanner":"number"}},"anchors":[{"at":"string","captured":{"blob":"string","by":"string","lines":["integer"],"needles":["string"],"parts":"string","print":"string","symbol":"string","text":"string","tokens":"integer"}}],"belief":{"alpha":"number","beta":"number","certainty":"number","mean":"number","observations":"number"},"confirmation":"null","created":"string","created_by":"string","decay_class":"string","depends_on":["string"],"domains":["string"],"evidence":["string"],"file":"string","gaps":[],"handle":"string","id":"string","key":"string","last_confirmed":"null","links":[],"memory":"string","not_run":[],"on_this_branch":"bool","prediction_errors":"integer","provenance":[{"cited_at":"integer","cited_by":"string","evidence_ref":"string","evidence_type":"string","unverified":"bool"}],"review_debt":"integer","scan":{"scanner":"integer","tier":"string"},"schema_version":"string","scope":"string","statement":"string","status":"string","summary":"string","tags":["string"],"title":"string","type":"string","unverified":"bool","updated":"string","validity":{"anchors":[{"at":"string","now":"null","verdict":"string","why":"string"}],"because":[],"conditions":[{"text":"string","verdict":"string","why":"string"}],"verdict":"string"},"verification":["string"]},"history":[{"actor":"string","at":"string","branch":"string","data":{"admission":{"outcome":"string","score":"integer","signals":["integer"]},"evidence":[{"cited_at":"integer","cited_by":"string","evidence_ref":"string","evidence_type":"string","unverified":"bool"}],"fields":{"anchors":[{"at":"string","captured":{"blob":"string","by":"string","lines":["integer"],"needles":["string"],"parts":"string","print":"string","symbol":"string","text":"string","tokens":"integer"}}],"depends_on":["string"],"domains":["string"],"statement":"string","tags":["string"],"title":"string","verification":["string"]},"handle":"string","id":"string","scan":{"scanner":"integer","tier":"string"},"type":"string"},"entry":"string","file":"string","hash":"string","on_this_branch":"bool","replica":"string","seq":"integer","summary":"string","type":"string"}]}
        $ ken diff HEAD --json
        {"added":[{"belief":{"alpha":"number","beta":"number","certainty":"number","mean":"number","observations":"number"},"changes":[],"created":"string","created_by":"string","domains":["string"],"evidence":["string"],"gaps":[],"handle":"string","id":"string","memory":"string","on_this_branch":"bool","scope":"string","statement":"string","status":"string","tags":["string"],"title":"string","type":"string","unverified":"bool","updated":"string"}],"changed":[],"removed":[]}
        $ ken verify --json
        {"entries":"integer","errors":[],"events":"integer","files":"integer","fixed":[],"in_use":"integer","lines":"integer","notices":[],"pass":"bool"}
        $ ken recover --json
        {"from":[],"put_back":"integer","still_missing":[]}
        $ ken flush --json
        {"flushed":"integer","staged":"bool"}
        $ ken rebuild --json
        {"entries":"integer"}
        $ ken where --json
        {"actor":"string","global":"null","global_folder":"string","handed_out":"integer","hosts":[],"project":{"branch":"string","index":"string","journal":"string","store":"string","worktree":"string"},"read_only":"bool","why":"string"}
        $ ken config --json
        {"settings":[{"about":"string","is_default":"bool","key":"string","value":"string"}]}
        $ ken config list.limit --json
        {"key":"string","value":"string"}
        $ ken migrate --json
        {"migrated":"bool","version":"string"}
        $ ken doctor --json
        {"checks":[{"found":"string","name":"string","state":"string"}],"mended":[]}
        $ ken archive --older-than 1 --json
        {"archived":[]}
        $ ken commit --json
        {"committed":"string"}
    "#]].assert_eq(&text);
}

#[test]
fn a_refusal_is_an_error_object_and_the_same_words_for_people() {
    let world = with_lesson();
    let cases: &[(&[&str], i32, &str, Option<&str>)] = &[
        (&["add", "lesson", "x y"], 2, "provenance_required", Some("provenance")),
        (&["add", "lesson", "x y", "--evidence", "pr:1"], 2, "incomplete", Some("anchors")),
        (&["add", "leson", "x y"], 2, "invalid", Some("type")),
        (&["add", "lesson", "--content", "{"], 2, "invalid", Some("content")),
        (&["show", "nobody"], 3, "not_found", Some("id")),
        (&["edit", "lesson.jitter", "--id", "x"], 4, "not_allowed", Some("id")),
        (
            &["add", "entity", "--name", "N", "--evidence", "pr:1", "--id", "lesson.jitter"],
            4,
            "id_taken",
            Some("id"),
        ),
        (&["knowledge", "promote", "--from", "episodic", "--to", "procedural"], 4, "directional_flow", None),
        (&["--store", "nowhere", "list"], 3, "no_store", None),
        (&["frob"], 2, "usage", Some("frob")),
        (&["list", "--frob"], 2, "usage", Some("frob")),
        (&["config", "list.limt"], 2, "invalid", Some("key")),
        (&["add", "--file", "nowhere.json"], 3, "not_found", Some("file")),
    ];
    for (args, exit, code, field) in cases {
        let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let answer = world.ken_args(&args).fails_with(*exit);
        let error = &answer.json()["error"];
        assert_eq!(error["code"], *code, "{args:?}");
        assert_eq!(error["field"], json!(field), "{args:?}");
        assert!(error.get("hint").is_some(), "{args:?}");
        let message = error["message"].as_str().unwrap();
        assert!(answer.err.starts_with(&format!("error: {message}\n")), "{args:?}\n{}", answer.err);
        if let Some(hint) = error["hint"].as_str() {
            assert!(answer.err.ends_with(&format!("hint: {hint}\n")), "{args:?}\n{}", answer.err);
        }
    }
    let ambiguous = {
        world.ken("note one").ok();
        world.ken("note two").ok();
        world.ken("show signal --json").fails_with(2).json()
    };
    assert_eq!(ambiguous["error"]["code"], "ambiguous");
    // Several faults of one write come together.
    let faulty = world
        .ken_args(&["add", "lesson", "x", "--polarity", "up", "--severity", "11", "--json"])
        .fails_with(2)
        .json();
    expect![[r#"
        {
          "error": {
            "code": "invalid",
            "faults": [
              {
                "field": "polarity",
                "problem": "unknown value `up`, allowed: `positive`, `negative`, `neutral`"
              },
              {
                "field": "severity",
                "problem": "is outside 0 to 10"
              },
              {
                "field": "provenance",
                "problem": "provenance required: at least one citation, --evidence KIND:REF"
              }
            ],
            "field": "polarity",
            "hint": null,
            "message": "3 problems\n  - polarity: unknown value `up`, allowed: `positive`, `negative`, `neutral`\n  - severity: is outside 0 to 10\n  - provenance: provenance required: at least one citation, --evidence KIND:REF"
          }
        }
    "#]].assert_eq(&pretty(&faulty));
    let readonly = shell(&world, "KEN_READONLY=1 ken note x --json");
    assert_eq!((readonly.code, readonly.json()["error"]["code"].clone()), (5, json!("read_only")));
    world.write(".kenning/VERSION", "7.0.0\n");
    assert_eq!(world.ken("note x --json").fails_with(5).json()["error"]["code"], "version");
}

#[test]
fn a_bulk_report_counts_what_became_of_every_line() {
    let world = World::with_store();
    let rest = r#""type":"lesson","anchors":["src/net.rs"],"verification":["look"],"provenance":["pr:1"]"#;
    world.write(
        "many.jsonl",
        &format!("{{\"statement\":\"One.\",{rest}}}\n{{\"statement\":\"one\",{rest}}}\n{{\"statement\":\"\",{rest}}}\n"),
    );
    let report = world.ken("add --file many.jsonl --keep-going --json").fails_with(1).json();
    assert_eq!(
        report,
        json!({
            "acknowledged": 3, "added": 1, "reinforced": 0, "unchanged": 1, "held": 0, "merged": 0, "rejected": 0, "kept_out": [], "refused": 1, "complete": true, "remarks": [], "restored": 0,
            "faults": ["line 3: statement: is missing or empty; a lesson needs `statement`"]
        })
    );
    // What was added and cannot be watched is told.
    let odd = rest.replace("src/net.rs", ".git/config");
    world.write(
        "odd.jsonl",
        &format!("{{\"statement\":\"Six.\",{odd}}}\n{{\"statement\":\"Seven.\",{rest}}}\n"),
    );
    let report = world.ken("add --file odd.jsonl --json").json();
    assert_eq!(report["added"], 2);
    let remarks: Vec<&str> = report["remarks"].as_array().unwrap().iter().flat_map(Value::as_str).collect();
    assert!(
        matches!(remarks[..], [one] if one.starts_with("line 1: L-") && one.ends_with(" .git/config cannot be tracked: .git/config is inside the .git folder")),
        "{remarks:?}"
    );
    // What cannot be tracked comes before what is only worth knowing: a long report is cut.
    for (path, calls) in [("src/one.rs", 1), ("src/two.rs", 2)] {
        world.write(path, &format!("fn stop_all() {{\n    stop({calls});\n}}\n"));
    }
    let known = rest.replace("src/net.rs", "#stop_all");
    world.write(
        "mixed.jsonl",
        &format!("{{\"statement\":\"Eight.\",{known}}}\n{{\"statement\":\"Nine.\",{odd}}}\n"),
    );
    let report = world.ken("add --file mixed.jsonl --json").json();
    let remarks: Vec<&str> = report["remarks"].as_array().unwrap().iter().flat_map(Value::as_str).collect();
    assert!(
        matches!(remarks[..], [one, two] if one.contains("cannot be tracked") && two.contains("was resolved to")),
        "{remarks:?}"
    );
    // A line that is no text is one of them.
    let line = |statement: &[u8]| [b"{\"statement\":\"", statement, b"\",", rest.as_bytes(), b"}\n"].concat();
    let many = [line(b"Two."), line(b"Thr\xffee."), line(b"Four.")].concat();
    std::fs::write(world.path().join("odd.jsonl"), many).unwrap();
    let report = world.ken("add --file odd.jsonl --keep-going --json").fails_with(1).json();
    assert_eq!((&report["added"], &report["refused"]), (&json!(2), &json!(1)));
    assert_eq!(report["faults"], json!(["line 2: is not UTF-8 text"]));
    let refused = world.ken("add --file odd.jsonl").fails_with(2);
    assert!(refused.err.contains("line 2: is not UTF-8 text"), "{}", refused.err);
    // Whatever finds a fault, they are told in the order of their lines.
    std::fs::write(world.path().join("odd.jsonl"), [line(b""), line(b"Fi\xffve."), line(b"")].concat())
        .unwrap();
    let faults = world.ken("add --file odd.jsonl --keep-going --json").fails_with(1).json()["faults"].clone();
    let faults = faults.as_array().unwrap().iter().map(|fault| fault.as_str().unwrap()[..6].to_owned());
    assert_eq!(faults.collect::<Vec<_>>(), ["line 1", "line 2", "line 3"]);
    // Flags about lines say nothing of one entry.
    let alone = world.ken_args(&["add", "lesson", "Six is enough.", "--keep-going"]).fails_with(2);
    assert!(alone.err.contains("--keep-going is about the lines of a file"), "{}", alone.err);
}

#[test]
fn an_entity_gives_its_callers_fields_back_unchanged() {
    let world = World::with_store();
    let own = json!({"name": "Gateway", "colour": "red", "ports": [80, 443], "nested": {"a": {"b": null}}, "ratio": 0.1});
    world.ken_args(&["add", "entity", "--evidence", "pr:1", "--content", &own.to_string()]).ok();
    let shown = world.ken("show entity --json").ok().json();
    for (name, value) in own.as_object().unwrap() {
        assert_eq!(&shown[name], value, "{name}");
    }
}

#[test]
fn ken_now_replaces_the_clock() {
    let world = World::with_store();
    let script = "KEN_NOW=2025-06-01T12:00:00Z ken note one --json
ken show signal --json | grep -e created -e updated
KEN_NOW=2025-06-02 ken note two
KEN_NOW=2025-06-02T10:00:00+02:00 ken note three
ken list
KEN_NOW=yesterday ken list
KEN_NOW='' ken list --limit 1 --quiet";
    expect![[r#"
        $ KEN_NOW=2025-06-01T12:00:00Z ken note one --json
        {
          "outcome": "added",
          "id": "signal.b2d366deb4c3afb7",
          "handle": "G-b2d366",
          "reasons": [],
          "scan": {
            "scanner": 4,
            "tier": "safe"
          },
          "admission": {
            "outcome": "as_proposed",
            "score": 0.684,
            "signals": {
              "confidence": 0.5,
              "content_type": 0.5,
              "federation": 1.0,
              "observation_mass": 0.393,
              "provenance": 0.3,
              "recency": 1.0,
              "scanner": 1.0
            },
            "flags": []
          }
        }
        $ ken show signal --json | grep -e created -e updated
          "created": "2025-06-01T12:00:00.000Z",
          "created_by": "human:Ada",
          "updated": "2025-06-01T12:00:00.000Z"
        $ KEN_NOW=2025-06-02 ken note two
        added G-1f3df2  signal.1f3df225d0cfe87a
        $ KEN_NOW=2025-06-02T10:00:00+02:00 ken note three
        added G-d64234  signal.d64234d5ee72a3fb
        $ ken list
        G-d64234	signal	candidate	three		2025-06-02	50 %
        G-1f3df2	signal	candidate	two		2025-06-02	50 %
        G-b2d366	signal	candidate	one		2025-06-01	50 %
        $ KEN_NOW=yesterday ken list
        ! error: KEN_NOW: "yesterday" is not a time; write 2026-11-15 or 2026-11-15T02:04:26Z
        [exit 2]
        $ KEN_NOW='' ken list --limit 1 --quiet
        G-d64234	signal	candidate	three		2025-06-02	50 %
    "#]]
    .assert_eq(&play(&world, script));
}

#[test]
fn who_acts_is_said_detected_or_the_git_user() {
    let world = World::with_store();
    for (variables, actor) in [
        ("", "human:Ada"),
        ("KEN_ACTOR=agent:me", "agent:me"),
        ("CLAUDECODE=1", "agent:claude-code"),
        ("CODEX_SANDBOX=seatbelt", "agent:codex"),
        ("CODEX_THREAD_ID=7", "agent:codex"),
        ("CURSOR_AGENT=1", "agent:cursor"),
        ("CURSOR_TRACE_ID=7", "agent:cursor"),
        ("GEMINI_CLI=1", "agent:gemini-cli"),
        ("CLAUDECODE=", "human:Ada"),
        ("CLAUDECODE=1 KEN_ACTOR=human:Bea", "human:Bea"),
        ("GIT_AUTHOR_NAME=Cleo", "human:Cleo"),
    ] {
        let answer = shell(&world, &format!("{variables} ken status --stores --json"));
        assert_eq!(answer.json()["actor"], actor, "{variables}");
    }
    for odd in ["bogus", "robot:ada", "human:", "agent: "] {
        let refused = shell(&world, &format!("KEN_ACTOR='{odd}' ken status --stores"));
        assert!(refused.err.contains("is not `human:NAME` or `agent:NAME`"), "{odd}: {}", refused.err);
    }
    shell(&world, "CLAUDECODE=1 ken note 'By an agent.'").ok();
    let shown = world.ken("show signal --json").ok().json();
    assert_eq!(shown["created_by"], "agent:claude-code");
}

#[test]
fn ken_log_git_names_another_store() {
    let world = World::with_store();
    let script = "mkdir -p ../elsewhere
KEN_STORE=../elsewhere ken list
KEN_STORE=../elsewhere ken init
KEN_STORE=../elsewhere ken note 'Kept elsewhere.'
KEN_STORE=../elsewhere ken list
ken --store ../elsewhere/.kenning list
ken --store ../elsewhere where
KEN_STORE=nowhere ken --store ../elsewhere list --limit 1
ken list";
    expect![[r#"
        $ mkdir -p ../elsewhere
        $ KEN_STORE=../elsewhere ken list
        ! error: there is no knowledge store in ../elsewhere
        ! hint: check --store and KEN_STORE; `ken init` with the same setting creates a store there
        [exit 3]
        $ KEN_STORE=../elsewhere ken init
        created .kenning/VERSION
        created .kenning/config.toml
        created .kenning/.gitattributes
        created .kenning/.gitignore

        A store is ready. Next:
          ken add lesson 'What you learned.' --evidence commit:HASH --anchor PATH --verify 'how to check it'
        $ KEN_STORE=../elsewhere ken note 'Kept elsewhere.'
        added G-4fc10d  signal.4fc10d2cf6e1c8ae
        $ KEN_STORE=../elsewhere ken list
        G-4fc10d	signal	candidate	Kept elsewhere.		2026-01-02	50 %
        $ ken --store ../elsewhere/.kenning list
        G-4fc10d	signal	candidate	Kept elsewhere.		2026-01-02	50 %
        $ ken --store ../elsewhere where
        project  ../elsewhere/.kenning  (named by --store or KEN_STORE)
        journal  ../elsewhere/.kenning/.local/journal
        index    ../elsewhere/.kenning/.index/index
        global   none yet; `ken --global init` creates one in /scratch/home/data/kenning
        actor    human:Ada
        hosts    none connected; `ken setup --list` lists them
        agents   see 0 entries; `ken brief` prints their briefing, `ken stats` what they were given
        ! note: `ken where` is now `ken status --stores`
        $ KEN_STORE=nowhere ken --store ../elsewhere list --limit 1
        G-4fc10d	signal	candidate	Kept elsewhere.		2026-01-02	50 %
        $ ken list
    "#]]
    .assert_eq(&play(&world, script));
}

#[test]
fn the_global_store_reaches_beyond_the_repository() {
    let world = World::with_store();
    let script = "ken --global list
ken --global init
ken --global note 'Everywhere.'
ken --global list
ken list
ken status --stores | grep global
KEN_GLOBAL=../mine ken --global list
KEN_GLOBAL=../mine ken --global init --json
KEN_GLOBAL=../mine ken status --stores | grep global";
    expect![[r#"
        $ ken --global list
        ! error: there is no global store in /scratch/home/data/kenning yet
        ! hint: `ken --global init` creates one
        [exit 3]
        $ ken --global init
        created .kenning/VERSION
        created .kenning/config.toml
        created .kenning/.gitattributes
        created .kenning/.gitignore

        A store is ready. Next:
          ken --global add lesson 'What you learned.' --evidence commit:HASH --anchor PATH --verify 'how to check it'
        $ ken --global note 'Everywhere.'
        added G-64ac4c  signal.64ac4c0f48cf87a5
        $ ken --global list
        G-64ac4c	signal	candidate	Everywhere.		2026-01-02	50 %
        $ ken list
        $ ken status --stores | grep global
        global   /scratch/home/data/kenning/.kenning
        $ KEN_GLOBAL=../mine ken --global list
        ! error: there is no global store in ../mine yet
        ! hint: `ken --global init` creates one
        [exit 3]
        $ KEN_GLOBAL=../mine ken --global init --json
        {
          "store": ".kenning",
          "changed": true,
          "done": [
            "created .kenning/VERSION",
            "created .kenning/config.toml",
            "created .kenning/.gitattributes",
            "created .kenning/.gitignore"
          ]
        }
        $ KEN_GLOBAL=../mine ken status --stores | grep global
        global   ../mine/.kenning
    "#]].assert_eq(&play(&world, script));
}

#[test]
fn a_read_only_store_answers_and_records_nothing() {
    let world = with_lesson();
    // The index is gone, and even that is not made anew on disk.
    std::fs::remove_dir_all(world.path().join(".git/kenning/index")).unwrap();
    let before = files(&world);
    let script = "KEN_READONLY=1 ken list
KEN_READONLY=1 KEN_RUN=run-1 ken show lesson.jitter --json | grep '\"id\"'
KEN_READONLY=1 ken verify
KEN_READONLY=1 ken note no
KEN_READONLY=1 ken tag lesson.jitter no
KEN_READONLY=1 ken undo
KEN_READONLY=1 ken commit --no-commit
KEN_READONLY=1 ken recover
KEN_READONLY=1 ken verify --fix
KEN_READONLY=1 ken config list.limit 3
KEN_READONLY=1 ken purge lesson.jitter --yes
KEN_READONLY=1 ken commit
KEN_READONLY=1 ken maintain migrate
KEN_READONLY=1 ken recover --adopt .kenning/semantic/v1/entities/lesson.jitter.jsonl
KEN_READONLY=1 ken init
KEN_READONLY=1 ken init --remove
KEN_READONLY=0 ken status --stores | tail -1
KEN_READONLY=1 ken status --stores | tail -1";
    expect![[r#"
        $ KEN_READONLY=1 ken list
        L-7b9baa	lesson	candidate	Jitter	net retry/policy	2026-01-02	50 %
        $ KEN_READONLY=1 KEN_RUN=run-1 ken show lesson.jitter --json | grep '"id"'
          "id": "lesson.jitter",
        ! note: run run-1 was never started; its exposures are recorded under that name
        $ KEN_READONLY=1 ken verify
        pass: 2 files, 3 lines, 3 events, 1 entry; 0 errors, 0 notices
        $ KEN_READONLY=1 ken note no
        ! error: the store is read-only; nothing was written
        ! hint: unset KEN_READONLY, or make .kenning and the git folder writable
        [exit 5]
        $ KEN_READONLY=1 ken tag lesson.jitter no
        ! error: the store is read-only; nothing was written
        ! hint: unset KEN_READONLY, or make .kenning and the git folder writable
        [exit 5]
        $ KEN_READONLY=1 ken undo
        ! error: the store is read-only; nothing was written
        ! hint: unset KEN_READONLY, or make .kenning and the git folder writable
        [exit 5]
        $ KEN_READONLY=1 ken commit --no-commit
        ! error: the store is read-only; nothing was written
        ! hint: unset KEN_READONLY, or make .kenning and the git folder writable
        [exit 5]
        $ KEN_READONLY=1 ken recover
        ! error: the store is read-only; nothing was written
        ! hint: unset KEN_READONLY, or make .kenning and the git folder writable
        [exit 5]
        $ KEN_READONLY=1 ken verify --fix
        ! error: the store is read-only; nothing was written
        ! hint: unset KEN_READONLY, or make .kenning and the git folder writable
        [exit 5]
        $ KEN_READONLY=1 ken config list.limit 3
        ! error: the store is read-only; nothing was written
        ! hint: unset KEN_READONLY, or make .kenning and the git folder writable
        [exit 5]
        $ KEN_READONLY=1 ken purge lesson.jitter --yes
        ! error: the store is read-only; nothing was written
        ! hint: unset KEN_READONLY, or make .kenning and the git folder writable
        [exit 5]
        $ KEN_READONLY=1 ken commit
        ! error: the store is read-only; nothing was written
        ! hint: unset KEN_READONLY, or make .kenning and the git folder writable
        [exit 5]
        $ KEN_READONLY=1 ken maintain migrate
        ! error: the store is read-only; nothing was written
        ! hint: unset KEN_READONLY, or make .kenning and the git folder writable
        [exit 5]
        $ KEN_READONLY=1 ken recover --adopt .kenning/semantic/v1/entities/lesson.jitter.jsonl
        ! error: the store is read-only; nothing was written
        ! hint: unset KEN_READONLY, or make .kenning and the git folder writable
        [exit 5]
        $ KEN_READONLY=1 ken init
        ! error: KEN_READONLY is set; nothing was created
        [exit 5]
        $ KEN_READONLY=1 ken init --remove
        ! error: the store is read-only; nothing was written
        ! hint: unset KEN_READONLY, or make .kenning and the git folder writable
        [exit 5]
        $ KEN_READONLY=0 ken status --stores | tail -1
        hosts    none connected; `ken setup --list` lists them
        $ KEN_READONLY=1 ken status --stores | tail -1
        KEN_READONLY is set: nothing is recorded
    "#]]
    .assert_eq(&play(&world, script));
    assert!(files(&world) == before);
    assert!(!world.path().join(".git/kenning/index").exists());
}

#[test]
fn every_answer_to_a_program_is_one_json_document() {
    let world = with_lesson();
    for words in [
        "show lesson.jitter",
        "list",
        "log",
        "why lesson.jitter",
        "diff",
        "verify",
        "doctor",
        "where",
        "config",
        "schema",
        "recover",
        "flush",
        "rebuild",
        "undo",
        "frob",
        "show nobody",
        "help nothing",
        "commit",
    ] {
        let answer = world.ken(&format!("{words} --json"));
        answer.json();
        assert!(answer.out.ends_with("}\n"), "{words}");
    }
}

/// STO-10: a store of a newer minor version is read, revised and committed, and every line of it stays as it was, to the byte.
#[test]
fn a_store_from_the_future_survives_being_used() {
    let mut world = World::repository();
    world.env.push(("KEN_NOW".to_owned(), "2027-01-02T03:04:05Z".to_owned()));
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/future-1.9");
    shell(&world, &format!("cp -r {source} .kenning && git add -A && git commit -q -m future")).ok();
    let before = files(&world);
    let shown = play(
        &world,
        "ken list --all --sort id
ken show omen.001
ken verify | tail -n 1
ken tag omen.001 seen
ken tag norm.commit.900 seen
ken note 'A word from the past.'
ken commit -m 'knowledge: from the past'
ken diff HEAD~1..HEAD
cat .kenning/VERSION
ken rebuild
ken verify | tail -n 1",
    );
    expect![[r#"
        $ ken list --all --sort id
        L-d693f9	lesson	candidate	Seen on film.		2026-11-15	50 %
        L-dabdb8	lesson	candidate	From the future	plain	2026-11-15	50 %
        norm.commit.900	commit_norm	candidate	Sign every commit.		2026-11-15	50 %
        omen.001	omen	archived	A type nobody knows yet.	sky/north	2026-11-15	50 %
        $ ken show omen.001
        omen.001  omen  archived
        A type nobody knows yet.

          because       it came true
          evidence      doc:docs/omens.md by agent:REPLICA
          decay class   stable
          portent       good
          scope         project
          tags          sky/north
          validity      unverifiable: it has no anchor and no condition
          belief        50 % ▕██░░░░░░▏ not used yet
          created       2026-11-15 by agent:REPLICA
          updated       2026-11-15
          file          semantic/v1/omens/omen.001.jsonl
        $ ken verify | tail -n 1
        pass: 7 files, 19 lines, 19 events, 4 entries and notes (3 entries in use); 0 errors, 3 notices
        $ ken tag omen.001 seen
        changed omen.001: added tags seen
        $ ken tag norm.commit.900 seen
        changed norm.commit.900: added tags seen
        $ ken note 'A word from the past.'
        added G-589804  signal.589804f16be25522
        $ ken commit -m 'knowledge: from the past'
        committed COMMIT knowledge: from the past
        $ ken diff HEAD~1..HEAD
        + G-589804 signal A word from the past.
        ~ norm.commit.900 commit_norm Sign every commit.
            tags: nothing -> seen
        ~ omen.001 omen A type nobody knows yet.
            tags: sky/north -> seen, sky/north
        $ cat .kenning/VERSION
        1.9.0
        $ ken rebuild
        rebuilt the index: 5 entries
        $ ken verify | tail -n 1
        pass: 9 files, 22 lines, 22 events, 5 entries and notes (3 entries in use); 0 errors, 3 notices
    "#]]
    .assert_eq(&shown);
    let after = files(&world);
    for (name, bytes) in before.iter().filter(|(name, _)| name.ends_with(".jsonl")) {
        let old: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
        let new: Vec<&[u8]> = after[name].split(|byte| *byte == b'\n').collect();
        for line in old {
            assert!(new.contains(&line), "{name} lost {}", String::from_utf8_lossy(line));
        }
    }
}

// ENT-3: a place that was absent, or evidence that could not be read, hid what else was wrong.
#[test]
fn a_revision_is_told_every_fault_at_once() {
    let world = World::with_store();
    let id = world.lesson("Close what you open.");
    let wrong = ["--statement", "", "--anchor", "nope.rs", "--tag", "a!", "--evidence", "nonsense"];
    let mut command = world.command(&World::binary().display().to_string());
    command.args(["edit", &id]).args(wrong).env("KEN_ACTOR", "agent:coder");
    let answer: crate::world::Answer = command.output().unwrap().into();
    for part in ["4 problems", "statement: ", "nope.rs does not exist", "tags: \"a!\"", "evidence: "] {
        assert!(answer.err.contains(part), "{part}: {}", answer.err);
    }
}
