//! "A bulk check survives a parser that aborts": whatever the process that parses does, only what it was asked for cannot be told.

#![cfg(unix)]

use crate::verbs::Verbs as _;
use std::path::{Path, PathBuf};

use kenning::core::decide::Outcome;
use kenning::{AddInput, Options, Parser, Reach, SetUp, Which};
use serde_json::json;

const RETRY: &str = "fn retry(limit: u32) -> u32 {\n    let waited = limit * 3;\n    log(waited);\n    sleep(waited);\n    waited + jitter(limit)\n}\n";
const PAUSE: &str = "fn pause(long: bool) -> u32 {\n    if long {\n        LONG_PAUSE\n    } else {\n        SHORT_PAUSE\n    }\n}\n";
const NOTES: &str =
    "# Waiting\n\nEvery retry waits three times as long as the one before, and then a little more.\n";

struct Scene(tempfile::TempDir);

impl Scene {
    /// Entries about two files that have a grammar, one that has none, and one that stays as it is; the others have changed since.
    fn new() -> Scene {
        let scene = Scene(tempfile::tempdir().unwrap());
        kenning::init(scene.root(), SetUp::default()).unwrap();
        scene.write("retry.rs", RETRY);
        scene.write("pause.rs", PAUSE);
        scene.write("same.rs", PAUSE);
        scene.write("notes.md", NOTES);
        let mut ken = scene.open(Parser::Here);
        let entries = [
            ("retry", "retry.rs#retry", None),
            ("pause", "pause.rs#pause", None),
            ("same", "same.rs#pause", None),
            ("notes", "notes.md:3", None),
            ("rests", "same.rs#pause", Some("retry.rs#retry")),
        ];
        for (id, at, on) in entries {
            let mut input = AddInput {
                kind: Some("lesson".into()),
                evidence: vec!["pr:1".into()],
                ..AddInput::default()
            };
            input.content.insert("id".into(), json!(id));
            input.content.insert("statement".into(), json!(format!("What {id} says about waiting.")));
            input.content.insert("anchors".into(), json!([at]));
            input.content.insert("verification".into(), json!(["look"]));
            input.content.insert("depends_on".into(), json!(on.into_iter().collect::<Vec<_>>()));
            assert_eq!(ken.add(input).unwrap().outcome, Outcome::Added);
        }
        scene.write("retry.rs", &format!("// Longer each time.\n{RETRY}"));
        scene.write("pause.rs", &format!("// By name.\n{PAUSE}"));
        scene.write("notes.md", &format!("Read this first.\n\n{NOTES}"));
        scene
    }

    fn root(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, path: &str, text: &str) {
        std::fs::write(self.root().join(path), text).unwrap();
    }

    fn open(&self, parser: Parser) -> Reach {
        let options = Options { parser, no_model: true, ..Options::at(self.root()) };
        kenning::open_for(options, kenning::caller("human:ada")).unwrap()
    }

    fn standing(&self, parser: Parser) -> String {
        let answer = self.open(parser).check(&Which::All).unwrap();
        let mut lines: Vec<String> = answer
            .entries
            .iter()
            .flat_map(|entry| {
                let places = entry.anchors.iter().map(|anchor| {
                    format!("{}: {} {}", entry.head.id, anchor.found.verdict, anchor.found.why)
                });
                let conditions = entry
                    .conditions
                    .iter()
                    .map(|condition| format!("{}: {} {}", entry.head.id, condition.verdict, condition.why));
                places.chain(conditions).collect::<Vec<_>>()
            })
            .collect();
        lines.sort();
        lines.join("\n")
    }

    /// The same, without what is said about symbols beside the reason.
    fn plain(&self, parser: Parser) -> String {
        let found = self.standing(parser);
        let lines = found.lines().map(|line| line.split(", so no symbol").next().unwrap_or(line));
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// A parser that is a shell script.
fn script(text: &str) -> Parser {
    Parser::Apart(PathBuf::from("/bin/sh"), vec!["-c".to_owned(), text.to_owned()])
}

/// How everything stands when the parser fails in some way. That a name is defined is seen in the text, too.
fn without_grammar(why: &str) -> String {
    format!(
        "notes: moved it is now at notes.md:5\n\
         pause: unverifiable {0}\n\
         rests: fresh unchanged\n\
         rests: holds retry.rs has retry\n\
         retry: unverifiable {1}\n\
         same: fresh unchanged",
        why.replace("FILE", "pause.rs"),
        why.replace("FILE", "retry.rs"),
    )
}

const WELL: &str = "notes: moved it is now at notes.md:5\n\
    pause: fresh `pause` is as it was\n\
    rests: fresh unchanged\n\
    rests: holds retry.rs has retry\n\
    retry: fresh `retry` is as it was\n\
    same: fresh unchanged";

#[test]
fn a_parser_that_aborts_answers_nonsense_or_is_not_there_costs_what_it_was_asked_for() {
    let stopped = "the grammar stopped on FILE: the parser stopped: ";
    let nonsense = "the grammar stopped on FILE: the parser answered nonsense";
    let table = [
        ("kill -ABRT $$", format!("{stopped}signal 6")),
        ("kill -SEGV $$", format!("{stopped}signal 11")),
        ("head -c 40 > /dev/null; kill -KILL $$", format!("{stopped}signal 9")),
        ("exit 3", format!("{stopped}exit code 3")),
        ("printf '\\003\\000\\000\\000abc'; cat > /dev/null", nonsense.to_owned()),
        (
            "printf '\\377\\377\\377\\377'; cat > /dev/null",
            format!("{nonsense}: a message of 4294967295 bytes, where at most 268435456 are allowed"),
        ),
        // It says that there is more than there is: tokens and symbols without end.
        (
            "printf '\\011\\000\\000\\000\\000\\000\\000\\000\\000\\377\\377\\377\\377'; cat > /dev/null",
            nonsense.to_owned(),
        ),
        (
            "while printf '\\001\\000\\000\\000\\001'; do :; done",
            "this version of ken has no grammar for FILE".to_owned(),
        ),
    ];
    for (text, why) in table {
        assert_eq!(Scene::new().plain(script(text)), without_grammar(&why), "{text}");
    }
}

/// What a parser could not tell is not remembered: the next one is asked anew.
#[test]
fn what_a_failing_parser_left_open_is_found_out_by_the_next() {
    let scene = Scene::new();
    assert!(scene.standing(script("kill -ABRT $$")).contains("unverifiable"));
    let found = scene.standing(Parser::Here);
    assert!(!found.contains("unverifiable") && !found.contains("broken"), "{found}");
    assert_eq!(found, WELL);
}

#[test]
fn a_parser_that_hangs_is_given_up() {
    let scene = Scene::new();
    scene.write("pause.rs", PAUSE);
    let found = scene.standing(script("exec sleep 600"));
    assert!(found.contains("retry: unverifiable retry.rs took its grammar too long"), "{found}");
    assert!(found.contains("pause: fresh") && found.contains("notes: moved"), "{found}");
}

#[test]
fn a_parser_that_cannot_be_started_is_told_as_well() {
    let found = Scene::new().plain(Parser::Apart(PathBuf::from("/nowhere/ken"), Vec::new()));
    let why = "the grammar stopped on FILE: the parser could not be started: No such file or directory (os error 2)";
    assert_eq!(found, without_grammar(why));
}

/// An add goes on as well: without a grammar the place is tracked by its text, and holds when the grammar is back.
#[test]
fn a_parser_that_aborts_stops_no_add() {
    let scene = Scene::new();
    let mut input =
        AddInput { kind: Some("lesson".into()), evidence: vec!["pr:2".into()], ..AddInput::default() };
    input.content.insert("id".into(), json!("added"));
    input.content.insert("statement".into(), json!("Pauses have names."));
    input.content.insert("anchors".into(), json!(["pause.rs#pause"]));
    input.content.insert("verification".into(), json!(["look"]));
    let added = scene.open(script("kill -ABRT $$")).add(input).unwrap();
    assert_eq!(added.outcome, Outcome::Added);
    let found = |parser| {
        let standing = scene.standing(parser);
        standing.lines().find(|line| line.starts_with("added:")).unwrap_or_default().to_owned()
    };
    assert_eq!(found(script("kill -ABRT $$")), "added: fresh unchanged");
    assert_eq!(found(Parser::Here), "added: fresh unchanged");
    scene.write("pause.rs", &format!("// A line more.\n{PAUSE}"));
    assert!(found(Parser::Here).starts_with("added: fresh"), "{}", found(Parser::Here));
    scene.write("pause.rs", &PAUSE.replace("LONG_PAUSE", "LONG_PAUSE * 2"));
    assert!(found(Parser::Here).starts_with("added: drifted"), "{}", found(Parser::Here));
}
