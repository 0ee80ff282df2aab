use std::io::BufRead;
fn main() {
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let t = std::time::Instant::now();
        eprint!("{} ", line.len());
        let v = ken_guard::scan(&line);
        eprintln!("{:?} {}", t.elapsed(), v.findings.len());
    }
}
