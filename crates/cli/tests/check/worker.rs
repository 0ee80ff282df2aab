//! The process that parses: whatever it is fed, it ends, and says nothing that is no answer.

use std::io::Write;
use std::process::{Output, Stdio};

use super::{checked, lesson, world};
use crate::world::World;

fn fed(world: &World, bytes: &[u8]) -> Output {
    let mut command = world.command(&World::binary().display().to_string());
    command.arg("parse-worker").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    // It may end before it has heard everything.
    let _ = input.write_all(bytes);
    drop(input);
    child.wait_with_output().unwrap()
}

#[test]
fn a_parser_that_is_fed_nothing_or_nonsense_ends() {
    let world = World::bare();
    let request = |language: u8, text: &[u8]| {
        let limits = [1_u64 << 20, 1 << 20, 1_000_000].map(u64::to_le_bytes).concat();
        let message = [&[language], &limits[..], text].concat();
        [&(message.len() as u32).to_le_bytes(), &message[..]].concat()
    };
    let table: [(&str, Vec<u8>, bool); 8] = [
        ("nothing", Vec::new(), true),
        ("half of a length", vec![1, 2], false),
        ("a length and no more", vec![9, 0, 0, 0], false),
        ("the largest length", vec![255; 4], false),
        ("a large length and a few bytes", vec![0, 0, 0, 15, 1, 2, 3], false),
        ("words", b"GET / HTTP/1.1\r\n\r\n".to_vec(), false),
        ("a language that there is not", request(200, b"fn a() {}"), false),
        ("bytes that are no text", request(0, &[0xff, 0xfe]), false),
    ];
    for (what, bytes, well) in table {
        let output = fed(&world, &bytes);
        assert!(output.stdout.is_empty(), "{what}");
        assert_eq!(output.status.success(), well, "{what}: {:?}", output.status);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!said.contains("panicked"), "{what}: {said}");
    }
    let output = fed(&world, &request(0, b"fn a() {}"));
    assert!(output.status.success() && output.stdout.len() > 4);
}

#[test]
fn a_parser_that_is_killed_is_gone() {
    let world = World::bare();
    let mut command = world.command(&World::binary().display().to_string());
    let mut child = command.arg("parse-worker").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success());
}

/// No parser is left behind when a check ends.
#[cfg(target_os = "linux")]
#[test]
fn a_check_takes_its_parser_along() {
    let mut world = world();
    let mark = format!("check-{}", std::process::id());
    world.env.push(("KEN_TEST_MARK".to_owned(), mark.clone()));
    lesson(&world, "wait", &["--anchor", "src/net.rs#jitter"]);
    world.write("src/net.rs", &format!("// Changed.\n{}", super::NET));
    checked(&world, &[]);
    let left = || -> Vec<String> {
        let is_ours = |process: &std::fs::DirEntry| {
            std::fs::read(process.path().join("environ"))
                .is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(&mark))
        };
        let ours = std::fs::read_dir("/proc").unwrap().flatten().filter(is_ours);
        ours.map(|process| std::fs::read_to_string(process.path().join("cmdline")).unwrap_or_default())
            .collect()
    };
    // Whoever ends takes a moment to be gone on a busy machine; a parser that is left behind stays.
    for _ in 0..100 {
        if left().is_empty() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert_eq!(left(), Vec::<String>::new());
}

/// A parser that stops at one file, and reads every other as ours does: its requests go through the real one, one by one.
#[cfg(unix)]
const STOPS_AT_ONE: &str = r#"
while head -c 4 > length && [ -s length ]; do
    head -c "$(od -An -tu4 length | tr -d ' ')" > message
    grep -q 'deadly' message && kill -ABRT $$
    cat length message | "$1" parse-worker
done
"#;

/// "A bulk check survives a parser that aborts."
#[cfg(unix)]
#[test]
fn a_file_that_the_parser_stops_at_costs_no_other_file() {
    let world = world();
    let names: Vec<String> = (0..8).map(|number| format!("src/part{number}.rs")).collect();
    for (number, name) in names.iter().enumerate() {
        world.write(name, &format!("fn part(a: u32) -> u32 {{\n    let b = a + {number};\n    log(b);\n    wait(a);\n    other(b, {number})\n}}\n"));
        lesson(&world, &format!("part{number}"), &["--anchor", &format!("{name}#part")]);
    }
    for (number, name) in names.iter().enumerate() {
        let comment = if number == 3 { "// This one is deadly." } else { "// This one is not." };
        world.write(name, &format!("{comment}\n{}", world.read(name)));
    }
    let scratch = world.path().parent().unwrap().join("scratch");
    std::fs::create_dir_all(&scratch).unwrap();
    let script = format!("cd '{}'\n{STOPS_AT_ONE}", scratch.display());
    let binary = World::binary().display().to_string();
    let parser =
        kenning::Parser::Apart("/bin/sh".into(), vec!["-c".to_owned(), script, "sh".to_owned(), binary]);
    let options = kenning::Options { parser, no_model: true, ..kenning::Options::at(world.path()) };
    let mut reach = kenning::open_for(options, kenning::caller("human:Ada")).unwrap();
    let answer =
        kenning::check::check(&mut reach.ledger, &reach.site, &reach.caller, &kenning::Which::All).unwrap();
    let mut told: Vec<String> = answer
        .entries
        .iter()
        .map(|entry| format!("{}: {} {}", entry.head.id, entry.verdict, entry.anchors[0].found.why))
        .collect();
    told.sort();
    let expected: Vec<String> = (0..8)
        .map(|number| match number {
            3 => "part3: unverifiable the grammar stopped on src/part3.rs: the parser stopped: signal 6"
                .to_owned(),
            other => format!("part{other}: fresh `part` is as it was"),
        })
        .collect();
    assert_eq!(told, expected);
}
