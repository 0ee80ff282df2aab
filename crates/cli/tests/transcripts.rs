//! Runs every transcript of `tests/transcripts/*.txt` and the console samples of every page: one test per file. The files are found
//! when the tests run, so that a new or a changed one compiles nothing. `tests/transcripts/README.md` says how transcripts are
//! written, and `pages.rs` how samples are.

#![allow(missing_docs, clippy::unwrap_used)]
// World, terminal and rendering are shared with the other test binary, which uses more of them.
#![allow(dead_code)]

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Instant;

use expect_test::expect_file;

#[cfg(unix)]
mod pages;
#[cfg(unix)]
mod pty;
#[cfg(unix)]
mod session;
mod transcript;
mod world;

/// A test: its name, and a function that panics if it fails.
struct Test {
    name: String,
    run: Box<dyn FnOnce() + Send>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts")
}

#[cfg(unix)]
fn tests() -> Vec<Test> {
    let files = std::fs::read_dir(folder()).unwrap().map(|file| file.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|end| end == "txt"));
    let of_file = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        Test { name, run: Box::new(move || play(&path)) }
    };
    let checks = session::CHECKS.iter().map(|(name, run)| {
        let run = *run;
        Test { name: format!("runner::{name}"), run: Box::new(run) }
    });
    let runner = pages::CHECKS.iter().map(|(name, run)| {
        let run = *run;
        Test { name: format!("pages::{name}"), run: Box::new(run) }
    });
    let samples = pages::pages().into_iter().filter_map(|path| {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.components().rev().take_while(|part| part.as_os_str() != "..");
        let name: Vec<_> = name.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
        let name = name.into_iter().rev().collect::<Vec<_>>().join("/");
        pages::has_samples(&text).then(|| Test {
            name: format!("page::{name}"),
            run: Box::new(move || match pages::replay(&text) {
                Ok(page) => expect_file![path].assert_eq(&page),
                Err(fault) => panic!("{}: {fault}", path.display()),
            }),
        })
    });
    let mut tests: Vec<Test> = files.map(of_file).chain(checks).chain(runner).chain(samples).collect();
    tests.sort_by(|a, b| a.name.cmp(&b.name));
    tests
}

/// Transcripts are written for `sh`.
#[cfg(not(unix))]
fn tests() -> Vec<Test> {
    Vec::new()
}

/// Runs a transcript and compares the result with the file. `UPDATE_EXPECT=1` rewrites it instead.
#[cfg(unix)]
fn play(path: &Path) {
    let text = std::fs::read_to_string(path).unwrap();
    match session::replay(&text) {
        Ok(played) => {
            played.skipped.iter().for_each(|why| transcript::skip(why));
            expect_file![path].assert_eq(&played.text);
        }
        Err(fault) => panic!("{}: {fault}", path.display()),
    }
}

/// The command line of the test binary. Flags that only change how libtest prints are ignored.
#[derive(Default)]
struct Options {
    filters: Vec<String>,
    skips: Vec<String>,
    exact: bool,
    list: bool,
    threads: Option<usize>,
}

impl Options {
    fn read(mut words: VecDeque<String>) -> Options {
        let mut options = Options::default();
        while let Some(word) = words.pop_front() {
            let (flag, value) = match word.split_once('=') {
                Some((flag, value)) if flag.starts_with("--") => (flag.to_owned(), Some(value.to_owned())),
                _ => (word, None),
            };
            let mut value = || value.clone().or_else(|| words.pop_front()).unwrap_or_default();
            match flag.as_str() {
                "--list" => options.list = true,
                "--exact" => options.exact = true,
                "--skip" => options.skips.push(value()),
                "--test-threads" => options.threads = value().parse().ok(),
                "--format" | "--color" | "--logfile" | "-Z" => drop(value()),
                _ if flag.starts_with('-') => {}
                _ => options.filters.push(flag),
            }
        }
        options
    }

    fn takes(&self, name: &str) -> bool {
        let fits = |filter: &String| if self.exact { name == filter } else { name.contains(filter.as_str()) };
        (self.filters.is_empty() || self.filters.iter().any(fits)) && !self.skips.iter().any(fits)
    }
}

fn main() -> ExitCode {
    let options = Options::read(std::env::args().skip(1).collect());
    let all = tests();
    let count = all.len();
    let chosen: VecDeque<Test> = all.into_iter().filter(|test| options.takes(&test.name)).collect();
    if options.list {
        chosen.iter().for_each(|test| println!("{}: test", test.name));
        return ExitCode::SUCCESS;
    }
    let begun = Instant::now();
    let (filtered, running) = (count - chosen.len(), chosen.len());
    println!("\nrunning {running} tests");
    let environment = std::env::var("RUST_TEST_THREADS").ok().and_then(|text| text.parse().ok());
    // Much of the time is spent waiting for the disk.
    let machine = || std::thread::available_parallelism().map_or(1, |count| count.get() * 2);
    let threads = options.threads.or(environment).unwrap_or_else(machine).max(1);
    let waiting = Mutex::new(chosen);
    let failed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let Some(test) = waiting.lock().unwrap().pop_front() else { break };
                    // A thread of its own, so that a panic names the test.
                    let thread = std::thread::Builder::new().name(test.name.clone()).spawn(test.run).unwrap();
                    let passed = thread.join().is_ok();
                    println!("test {} ... {}", test.name, if passed { "ok" } else { "FAILED" });
                    if !passed {
                        failed.lock().unwrap().push(test.name);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    if !failed.is_empty() {
        println!("\nfailures:\n    {}", failed.join("\n    "));
    }
    println!(
        "\ntest result: {}. {} passed; {} failed; 0 ignored; 0 measured; {filtered} filtered out; finished in {:.2}s\n",
        if failed.is_empty() { "ok" } else { "FAILED" },
        running - failed.len(),
        failed.len(),
        begun.elapsed().as_secs_f64()
    );
    // The code that libtest ends with.
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(101) }
}
