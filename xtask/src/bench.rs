//! `cargo xtask bench`: what Kenning costs, each number beside the least the machine could do for it.
//!
//! A suite never fails on a slow machine: it prints what it met and what it missed. It fails only when a command does.

mod corpus;
mod ledger;
mod measure;
mod report;
mod scratch;

use crate::context::{Context, Failure, Outcome};
use crate::nearest::nearest;

/// Where a suite's table is kept.
const PAGE: &str = "docs/internals/benchmarks.md";

/// Store sizes of a whole run, in entries.
const SIZES: [usize; 3] = [1_000, 10_000, 100_000];

/// Sizes of `--quick`.
const SIZES_QUICK: [usize; 2] = [1_000, 10_000];

pub(crate) fn run(context: &Context, arguments: &[String]) -> Outcome {
    let request = parse(arguments)?;
    let table = ledger::run(context, &request)?;
    println!("\n{}", table.for_terminal());
    if request.write {
        report::write(&context.root.join(PAGE), "ledger", &table)?;
        println!("wrote {PAGE}");
    }
    Ok(())
}

/// What was asked for.
#[derive(Debug, PartialEq)]
struct Request {
    sizes: Vec<usize>,
    effort: Effort,
    write: bool,
}

/// How often everything is repeated.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Effort {
    Quick,
    Whole,
}

impl Effort {
    /// Repetitions of a command that takes milliseconds.
    fn short_rounds(self) -> usize {
        match self {
            Effort::Quick => 11,
            Effort::Whole => 25,
        }
    }

    /// Repetitions of a command that works on a whole store.
    fn long_rounds(self) -> usize {
        3
    }
}

fn parse(arguments: &[String]) -> Result<Request, Failure> {
    const USAGE: &str = "usage: cargo xtask bench ledger [--quick] [--sizes 1000,10000] [--write]";
    let usage = |problem: String| Err(Failure::Usage(format!("{problem}\n{USAGE}")));
    let mut rest = arguments.iter();
    match rest.next().map(String::as_str) {
        Some("ledger") => {}
        Some(other) => {
            let near = nearest(other, &["ledger"]).map(|near| format!("; the nearest is `{near}`"));
            return usage(format!("there is no suite `{other}`{}", near.unwrap_or_default()));
        }
        None => return usage("name a suite; there is one, `ledger`".to_owned()),
    }
    let mut request = Request { sizes: SIZES.to_vec(), effort: Effort::Whole, write: false };
    let mut sizes = None;
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--quick" => request.effort = Effort::Quick,
            "--write" => request.write = true,
            "--sizes" => sizes = Some(rest.next().map_or("", String::as_str)),
            other => match other.strip_prefix("--sizes=") {
                Some(value) => sizes = Some(value),
                None => return usage(format!("`bench ledger` does not know `{other}`")),
            },
        }
    }
    if request.effort == Effort::Quick {
        request.sizes = SIZES_QUICK.to_vec();
    }
    if let Some(text) = sizes {
        let read: Result<Vec<usize>, _> = text.split(',').map(|word| word.trim().parse()).collect();
        match read {
            Ok(list) if list.iter().all(|size| *size >= scratch::ENTRIES_MIN) => request.sizes = list,
            Ok(_) | Err(_) => {
                return usage(format!(
                    "`--sizes` takes numbers from {} on with commas between them, but was given `{text}`",
                    scratch::ENTRIES_MIN
                ));
            }
        }
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str) -> Result<Request, Failure> {
        parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn a_plain_run_is_the_whole_run() {
        let request = asked("ledger").unwrap();
        assert_eq!(request, Request { sizes: SIZES.to_vec(), effort: Effort::Whole, write: false });
    }

    #[test]
    fn sizes_said_outright_win_over_quick() {
        let request = asked("ledger --sizes 2000,500 --quick --write").unwrap();
        assert_eq!(request, Request { sizes: vec![2000, 500], effort: Effort::Quick, write: true });
        assert_eq!(asked("ledger --quick").unwrap().sizes, SIZES_QUICK.to_vec());
    }

    #[test]
    fn what_is_not_known_is_refused() {
        for line in ["", "ledgr", "ledger --fast", "ledger --sizes", "ledger --sizes=1,x", "ledger --sizes 3"]
        {
            assert_eq!(asked(line).unwrap_err().exit_code(), 2, "{line}");
        }
    }
}
