//! `cargo xtask eval`: how good the answers are, beside those of plainer ways, over questions whose answers are known.
//!
//! Like a benchmark `recall` never fails on a bad number: it prints what it met and what it missed. `guard`, `review`, `norms`, `reduce`, `validity` and `belief` do fail.

mod belief;
pub(crate) mod guard;
mod norms;
mod recall;
mod reduce;
mod review;
mod sets;
mod table;
mod validity;

use crate::context::{Context, Failure, Outcome};
use crate::nearest::nearest;
use crate::page;

/// Where the table is kept.
const PAGE: &str = "docs/internals/recall-quality.md";

pub(crate) fn run(context: &Context, arguments: &[String]) -> Outcome {
    match arguments.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        Some(("belief", rest)) => return belief::run(context, rest),
        Some(("guard", rest)) => return guard::run(context, rest),
        Some(("norms", rest)) => return norms::run(context, rest),
        Some(("reduce", rest)) => return reduce::run(context, rest),
        Some(("review", rest)) => return review::run(context, rest),
        Some(("validity", rest)) => return validity::run(context, rest),
        _ => {}
    }
    let request = parse(arguments)?;
    let report = recall::run(context, request)?;
    println!("\n{}", report.text);
    println!("targets met: {} of {}", report.met, report.targets);
    if request.write {
        page::put(&context.root.join(PAGE), "eval recall", &report.text)?;
        println!("wrote {PAGE}");
    }
    Ok(())
}

/// What was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Request {
    quick: bool,
    write: bool,
}

fn parse(arguments: &[String]) -> Result<Request, Failure> {
    const USAGE: &str = "usage: cargo xtask eval recall [--quick] [--write], or: cargo xtask eval guard|review|norms|reduce|validity|belief";
    let usage = |problem: String| Err(Failure::Usage(format!("{problem}\n{USAGE}")));
    let mut rest = arguments.iter();
    match rest.next().map(String::as_str) {
        Some("recall") => {}
        Some(other) => {
            let near =
                nearest(other, &["recall", "guard", "review", "norms", "reduce", "validity", "belief"])
                    .map(|near| format!("; the nearest is `{near}`"));
            return usage(format!("there is no suite `{other}`{}", near.unwrap_or_default()));
        }
        None => {
            return usage(
                "name a suite: `recall`, `guard`, `review`, `norms`, `reduce`, `validity` or `belief`"
                    .to_owned(),
            );
        }
    }
    let mut request = Request::default();
    for argument in rest {
        match argument.as_str() {
            "--quick" => request.quick = true,
            "--write" => request.write = true,
            other => return usage(format!("`eval recall` does not know `{other}`")),
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
    fn a_suite_has_to_be_named() {
        assert_eq!(asked("recall --write").unwrap(), Request { quick: false, write: true });
        for line in ["", "recal", "recall --fast"] {
            assert_eq!(asked(line).unwrap_err().exit_code(), 2, "{line}");
        }
    }
}
