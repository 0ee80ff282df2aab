//! How long reading takes. It is printed, and holds nobody to anything: `cargo test -p ken-formats pace -- --ignored --nocapture`.

use std::time::Instant;

/// How often each file is read.
const ROUNDS: usize = 20;

#[test]
#[ignore = "prints a pace, and proves nothing"]
fn reading() {
    for (word, folder) in
        [("flux-drive", "flux-drive"), ("gsd", "gsd"), ("wfc", "wfc"), ("wfc-solutions", "wfc")]
    {
        let files = crate::promises::corpus(folder);
        let format = ken_formats::named(word).unwrap();
        let start = Instant::now();
        let mut items = 0;
        for _ in 0..ROUNDS {
            items += files.iter().map(|(path, text)| format.read(path, text).items().count()).sum::<usize>();
        }
        let spent = start.elapsed();
        let reads = files.len() * ROUNDS;
        println!(
            "{word}: {reads} files, {items} items, {:.1} µs a file",
            spent.as_secs_f64() * 1e6 / reads.max(1) as f64
        );
    }
}
