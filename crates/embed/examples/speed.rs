//! How fast the embedder is here: `cargo run --release -p ken-embed --example speed`.
//!
//! Cold figures are those of this process up to its first vector; texts for a second are those of one core.

use ken_embed::{DIMENSIONS, Model, Simd, scan_bits, scan_i8};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// A query of ten tokens.
const QUERY: &str = "how do we retry a failed job?";
const WORDS: &str =
    "the upload failed because cache key of old schema was read with new code and worker had no retry left ";
const MEASURED: Duration = Duration::from_millis(1500);

fn main() {
    let Some(model) = Model::bundled() else {
        println!("built without the model: nothing to measure");
        return;
    };
    let begin = Instant::now();
    black_box(model.embed(QUERY));
    println!("first vector    {:>8.2} ms, {} tokens", millis(begin.elapsed()), model.tokenize(QUERY).len());
    println!("process so far  {:>8.2} ms of CPU", cpu_millis());
    for line in status(&["RssAnon", "RssFile", "VmHWM"]) {
        println!("{line}");
    }

    // Names of paths as arguments: only those.
    let named: Vec<String> = std::env::args().skip(1).collect();
    for simd in Simd::available() {
        if !named.is_empty() && !named.iter().any(|name| name == simd.name()) {
            continue;
        }
        let model = model.clone().with_simd(simd);
        for tokens in [10, 50, 256] {
            let words: Vec<&str> = WORDS.split(' ').cycle().take(tokens * 10 / 11 - 1).collect();
            let text = words.join(" ");
            let tokens = model.tokenize(&text).len();
            let alone = per_second(1, || _ = black_box(model.embed(&text)));
            let together = per_second(16, || _ = black_box(model.embed_all(&[text.as_str(); 16])));
            println!(
                "{:<8} {tokens:>3} tokens  {alone:>7.1} texts/s alone  {together:>7.1} together",
                simd.name()
            );
        }
    }

    // What is compared makes no difference to how long it takes.
    let query = model.embed(QUERY).map(|number| (number * 127.0) as i8);
    let signs = [0x5555_5555_5555_5555; 6];
    for rows in [10_000, 100_000] {
        let bytes: Vec<i8> = (0..rows * DIMENSIONS).map(|i| (i * 31 % 255) as i8).collect();
        let bits: Vec<u8> = (0..rows * DIMENSIONS / 8).map(|i| (i * 31 % 255) as u8).collect();
        let (mut products, mut distances) = (Vec::new(), Vec::new());
        let scans = per_second(1, || scan_i8(&query, black_box(&bytes), &mut products));
        let bit_scans = per_second(1, || scan_bits(&signs, black_box(&bits), &mut distances));
        println!("{rows:>6} rows  int8 {:>6.3} ms  bits {:>6.3} ms", 1000.0 / scans, 1000.0 / bit_scans);
    }
    let tokenized = per_second(1, || _ = black_box(model.tokenize(black_box(WORDS))));
    println!("tokenize, {} bytes  {:.2} µs", WORDS.len(), 1e6 / tokenized);
}

fn per_second(each: usize, mut work: impl FnMut()) -> f64 {
    work();
    let (begin, cpu) = (Instant::now(), cpu_millis());
    let mut done = 0;
    while begin.elapsed() < MEASURED {
        work();
        done += each;
    }
    // Where the system tells it, time that others took does not count.
    let spent = cpu_millis() - cpu;
    done as f64 * 1000.0 / if spent > 0.0 { spent } else { millis(begin.elapsed()) }
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

/// The CPU time of this process, to the nanosecond where the system tells it.
fn cpu_millis() -> f64 {
    // The system brings the figure up to date when a thread steps back.
    std::thread::yield_now();
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|nanos| nanos.parse::<f64>().ok()).map_or(f64::NAN, |nanos| nanos / 1e6)
}

fn status(names: &[&str]) -> Vec<String> {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    text.lines().filter(|line| names.iter().any(|name| line.starts_with(name))).map(str::to_owned).collect()
}
