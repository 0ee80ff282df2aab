//! `cargo xtask bench`: what Kenning costs, each number beside the least the machine could do for it.
//!
//! A suite never fails on a slow machine: it prints what it met and what it missed. It fails only when a command does.

mod belief;
pub(crate) mod corpus;
mod filled;
mod foreign;
mod health;
mod learning;
mod ledger;
mod machine;
mod mcp;
mod measure;
mod memory;
mod recall;
mod report;
pub(crate) mod scratch;
mod validity;

use crate::context::{Context, Failure, Outcome};
use crate::eval::guard::again_in_release;
use crate::nearest::nearest;

pub(crate) fn run(context: &Context, arguments: &[String]) -> Outcome {
    let request = parse(arguments)?;
    if request.suite == Suite::Belief && cfg!(debug_assertions) {
        return again_in_release(context, &["bench"], arguments);
    }
    // The scratch folder goes last: deleting so many files can take longer than measuring them.
    let (table, _scratch) = match request.suite {
        Suite::Ledger => ledger::run(context, &request)?,
        Suite::Recall => recall::run(context, &request)?,
        Suite::Validity => validity::run(context, &request)?,
        Suite::Belief => belief::run(context, &request)?,
        Suite::Learning => learning::run(context, &request)?,
        Suite::Mcp => mcp::run(context, &request)?,
        Suite::Health => health::run(context, &request)?,
        Suite::Import => foreign::run(context, &request)?,
    };
    println!("\n{}", table.for_terminal());
    if request.write {
        let page = request.suite.page();
        report::write(&context.root.join(page), request.suite.word(), &table)?;
        println!("wrote {page}");
    }
    Ok(())
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Suite {
    Ledger,
    Recall,
    Validity,
    Belief,
    Learning,
    Mcp,
    Health,
    Import,
}

impl Suite {
    const ALL: [Suite; 8] = [
        Suite::Ledger,
        Suite::Recall,
        Suite::Validity,
        Suite::Belief,
        Suite::Learning,
        Suite::Mcp,
        Suite::Health,
        Suite::Import,
    ];

    fn word(self) -> &'static str {
        match self {
            Suite::Ledger => "ledger",
            Suite::Recall => "recall",
            Suite::Validity => "validity",
            Suite::Belief => "belief",
            Suite::Learning => "learning",
            Suite::Mcp => "mcp",
            Suite::Health => "health",
            Suite::Import => "import",
        }
    }

    /// Where its table is kept.
    fn page(self) -> &'static str {
        match self {
            Suite::Ledger | Suite::Recall | Suite::Validity | Suite::Belief | Suite::Learning => {
                "docs/internals/benchmarks.md"
            }
            Suite::Mcp => "docs/internals/mcp-quality.md",
            Suite::Health => "docs/internals/health-quality.md",
            Suite::Import => "docs/internals/import-quality.md",
        }
    }

    /// Store sizes, in entries.
    fn sizes(self, effort: Effort) -> Vec<usize> {
        match (self, effort) {
            (Suite::Ledger, Effort::Whole) => vec![1_000, 10_000, 100_000],
            (Suite::Ledger, Effort::Quick) => vec![1_000, 10_000],
            (Suite::Recall, Effort::Whole) => vec![10_000, 100_000],
            (Suite::Recall, Effort::Quick)
            | (Suite::Validity | Suite::Learning | Suite::Mcp | Suite::Health | Suite::Import, _) => {
                vec![10_000]
            }
            (Suite::Belief, _) => vec![100_000],
        }
    }
}

/// What was asked for.
#[derive(Debug, PartialEq)]
struct Request {
    suite: Suite,
    sizes: Vec<usize>,
    effort: Effort,
    write: bool,
    /// A `ken` to measure instead of building one; the suites `mcp`, `health` and `import` know it.
    ken: Option<std::path::PathBuf>,
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
    const USAGE: &str = "usage: cargo xtask bench ledger|recall|validity|belief|learning|mcp|health|import [--quick] [--sizes 1000,10000] [--write]";
    let usage = |problem: String| Err(Failure::Usage(format!("{problem}\n{USAGE}")));
    let mut rest = arguments.iter();
    let words = Suite::ALL.map(Suite::word);
    let Some(word) = rest.next() else {
        return usage(format!("name a suite: {}", words.join(" or ")));
    };
    let Some(suite) = Suite::ALL.into_iter().find(|suite| suite.word() == word) else {
        let near = nearest(word, &words).map(|near| format!("; the nearest is `{near}`"));
        return usage(format!("there is no suite `{word}`{}", near.unwrap_or_default()));
    };
    let (mut effort, mut write, mut sizes, mut ken) = (Effort::Whole, false, None, None);
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--quick" => effort = Effort::Quick,
            "--write" => write = true,
            "--ken" if matches!(suite, Suite::Mcp | Suite::Health | Suite::Import) => {
                ken = rest.next().map(std::path::PathBuf::from)
            }
            "--sizes" => sizes = Some(rest.next().map_or("", String::as_str)),
            other => match other.strip_prefix("--sizes=") {
                Some(value) => sizes = Some(value),
                None => return usage(format!("`bench {word}` does not know `{other}`")),
            },
        }
    }
    let mut request = Request { suite, sizes: suite.sizes(effort), effort, write, ken };
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
        let sizes = vec![1_000, 10_000, 100_000];
        assert_eq!(
            request,
            Request { suite: Suite::Ledger, sizes, effort: Effort::Whole, write: false, ken: None }
        );
        assert_eq!(asked("recall").unwrap().sizes, [10_000, 100_000]);
    }

    #[test]
    fn sizes_said_outright_win_over_quick() {
        let request = asked("ledger --sizes 2000,500 --quick --write").unwrap();
        let sizes = vec![2000, 500];
        assert_eq!(
            request,
            Request { suite: Suite::Ledger, sizes, effort: Effort::Quick, write: true, ken: None }
        );
        assert_eq!(asked("ledger --quick").unwrap().sizes, [1_000, 10_000]);
    }

    #[test]
    fn what_is_not_known_is_refused() {
        for line in ["", "ledgr", "ledger --fast", "ledger --sizes", "ledger --sizes=1,x", "ledger --sizes 3"]
        {
            assert_eq!(asked(line).unwrap_err().exit_code(), 2, "{line}");
        }
    }
}
