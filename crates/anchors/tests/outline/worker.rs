//! A parser that aborts, hangs or talks nonsense costs one file.

#![cfg(all(unix, feature = "rust"))]

use std::path::Path;
use std::time::Duration;

use ken_anchors::outline::Limits;
use ken_anchors::worker::{Borrowed, RESTARTS_MAX, Worker, serve};
use ken_anchors::{InProcess, Language, Reader, Unread};

const TEXT: &str = "struct Client { retries: u8 }\n\nimpl Client {\n    fn retry(&self) {}\n}\n";

/// A worker that is a script.
fn script(script: &str, limits: Limits) -> Worker {
    Worker::start_with(Path::new("/bin/sh"), &["-c", script], limits).expect("there is a shell")
}

fn hasty() -> Limits {
    Limits { time: Duration::ZERO, ..Limits::default() }
}

fn crashed(why: &str) -> Unread {
    Unread::Crashed(why.to_owned())
}

/// What a worker says that gets these requests, without the lengths.
fn served(requests: &[Vec<u8>]) -> Vec<u8> {
    let mut answers = Vec::new();
    serve(requests.concat().as_slice(), &mut answers).expect("the requests make sense");
    answers
}

fn request(language: u8, text: &str) -> Vec<u8> {
    let mut body = vec![language];
    for number in [1u64 << 20, 1 << 20, 2_000_000] {
        body.extend_from_slice(&number.to_le_bytes());
    }
    body.extend_from_slice(text.as_bytes());
    [(body.len() as u32).to_le_bytes().as_slice(), &body].concat()
}

#[test]
fn what_a_worker_answers_is_what_is_read_here() {
    let answers = served(&[request(0, TEXT), request(0, "fn (")]);
    // A script that gives the same answers: what arrives is the same outline, fault and all.
    let file = std::env::temp_dir().join(format!("ken-anchors-{}", std::process::id()));
    std::fs::write(&file, answers).unwrap();
    let mut worker = script(&format!("cat {}; cat >/dev/null", file.display()), Limits::default());
    for text in [TEXT, "fn ("] {
        let here = InProcess::default().read(Language::Rust, text);
        assert!(here.is_ok());
        assert_eq!(worker.read(Language::Rust, text), here);
    }
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn a_worker_serves_until_there_is_no_more_input() {
    assert!(served(&[]).is_empty());
    assert!(serve([9u8, 0].as_slice(), Vec::new()).is_err());
    assert!(serve(request(99, "x").as_slice(), Vec::new()).is_err());
    assert!(serve([0xff, 0xff, 0xff, 0xff].as_slice(), Vec::new()).is_err());
}

#[test]
fn a_parser_that_aborts_is_replaced() {
    let mut worker = script("kill -ABRT $$", Limits::default());
    for _ in 0..=RESTARTS_MAX {
        assert_eq!(worker.read(Language::Rust, TEXT), Err(crashed("the parser stopped: signal 6")));
    }
    let given_up = "the parser stopped 20 times, and is not started again";
    assert_eq!(worker.read(Language::Rust, TEXT), Err(crashed(given_up)));
}

#[test]
fn a_parser_that_ends_says_how() {
    let mut worker = script("exit 3", Limits::default());
    assert_eq!(worker.read(Language::Rust, TEXT), Err(crashed("the parser stopped: exit code 3")));
}

#[test]
fn a_parser_that_hangs_is_given_up() {
    // It does not even read: a text that fits no pipe must not keep us waiting.
    let mut worker = script("exec sleep 600", hasty());
    assert_eq!(worker.read(Language::Rust, &TEXT.repeat(10_000)), Err(Unread::TooSlow));
}

#[test]
fn nonsense_is_no_answer() {
    for (said, why) in [
        (r"printf '\001\000\000\000\143'", "the parser answered nonsense"),
        (r"printf '\002\000\000\000\000\000'", "the parser answered nonsense"),
        (
            "echo hello world",
            "the parser answered nonsense: a message of 1819043176 bytes, where at most 268435456 are allowed",
        ),
    ] {
        let mut worker = script(&format!("{said}; cat >/dev/null"), Limits::default());
        assert_eq!(worker.read(Language::Rust, TEXT), Err(crashed(why)));
    }
}

#[test]
fn a_large_text_is_not_even_sent() {
    let mut worker = script("exit 3", Limits { bytes: 10, ..Limits::default() });
    assert_eq!(worker.read(Language::Rust, TEXT), Err(Unread::TooLarge));
}

#[test]
fn a_parser_is_kept_for_who_comes_next_while_it_runs() {
    let folder = std::env::temp_dir().join(format!("ken-anchors-kept-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("answers"), served(&[request(0, TEXT), request(0, TEXT)])).unwrap();
    let starts = || std::fs::read_to_string(folder.join("starts")).unwrap_or_default().lines().count();
    let script =
        |then: &str| format!("echo started >> {0}/starts; cat {0}/answers; {then}", folder.display());
    let read = |script: &str| {
        let mut parser = Borrowed::start(Path::new("/bin/sh"), &["-c", script]).unwrap();
        parser.read(Language::Rust, TEXT).unwrap();
    };
    let stays = script("cat >/dev/null");
    read(&stays);
    read(&stays);
    assert_eq!(starts(), 1);
    // One that ended meanwhile is no use to anybody. It ends when it was asked: who writes to one that is gone is told so.
    let ends = script(&format!("head -c {} >/dev/null", request(0, TEXT).len()));
    read(&ends);
    std::thread::sleep(Duration::from_millis(100));
    read(&ends);
    assert_eq!(starts(), 3);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn prefetched_texts_are_read_in_any_order() {
    let file = std::env::temp_dir().join(format!("ken-anchors-prefetch-{}", std::process::id()));
    let texts = [TEXT, "fn one() {}", "fn two() {}"];
    std::fs::write(&file, served(&texts.map(|text| request(0, text)))).unwrap();
    let mut worker = script(&format!("cat {}; cat >/dev/null", file.display()), hasty());
    for text in texts {
        worker.prefetch(Language::Rust, text);
        // The second time it is not sent: the script answers three times.
        worker.prefetch(Language::Rust, text);
    }
    for text in [texts[2], texts[0], texts[1]] {
        assert_eq!(worker.read(Language::Rust, text), InProcess::default().read(Language::Rust, text));
    }
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn a_parser_that_aborts_on_a_prefetched_text_costs_that_file_alone() {
    let folder = std::env::temp_dir().join(format!("ken-anchors-prefetch-abort-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let [first, bad, last] = [TEXT, "fn bad() {}", "fn last() {}"];
    std::fs::write(folder.join("first"), served(&[request(0, first)])).unwrap();
    std::fs::write(folder.join("last"), served(&[request(0, last)])).unwrap();
    let mut worker = script(
        &format!(
            "cd {}; if mkdir once 2>/dev/null; then cat first; kill -ABRT $$; else cat last; cat >/dev/null; fi",
            folder.display()
        ),
        Limits::default(),
    );
    for text in [first, bad, last] {
        worker.prefetch(Language::Rust, text);
    }
    let here = |text| InProcess::default().read(Language::Rust, text);
    assert_eq!(worker.read(Language::Rust, last), here(last));
    assert_eq!(worker.read(Language::Rust, first), here(first));
    assert_eq!(worker.read(Language::Rust, bad), Err(crashed("the parser stopped: signal 6")));
    std::fs::remove_dir_all(&folder).unwrap();
}
