//! The suite `cascade`: what follows when a fact that entries rest on changes, by the cases of `evals/cascade`.
//!
//! The cases are run by a test of the library, which has to be compiled for it; so they are left out of a quick run.

use crate::context::{Failure, failed};
use crate::harness::figure::Figure;
use crate::harness::report::Report;
use crate::harness::session::Session;
use crate::harness::{Effort, Suite};
use crate::page;

pub(crate) const SUITE: Suite = Suite { optimised: false, ..Suite::evaluation("cascade", run) };

const TESTS: [&str; 8] = ["test", "-p", "kenning", "--test", "main", "cascade::", "--", "--nocapture"];
const KINDS: [&str; 6] = ["exact", "aggregation", "tracking", "deletion", "cascade", "absence"];

fn run(session: &Session<'_>) -> Result<Report, Failure> {
    if session.effort == Effort::Quick {
        let skipped = "cascade is left out of a quick run: its cases are tests that have to be compiled first (`cargo xtask eval cascade`)";
        return Ok(Report { skipped: vec![skipped.to_owned()], ..Report::default() });
    }
    // Cases that fail end the tests with a failure; that is what is counted here.
    let output = match session.context.cargo(TESTS).output() {
        Ok(output) => output,
        Err(error) => return failed(format!("cannot start the tests of the cascade: {error}")),
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let counts: Vec<(&str, usize, usize)> = KINDS.iter().map(|kind| counted(&text, kind)).collect();
    let (right, wrong) = counts.iter().fold((0, 0), |(right, wrong), (_, r, w)| (right + r, wrong + w));
    if right + wrong == 0 {
        let why = String::from_utf8_lossy(&output.stderr);
        return failed(format!("the tests of the cascade did not run: {}", why.trim()));
    }
    let rows: Vec<[String; 3]> = counts
        .iter()
        .map(|(kind, right, wrong)| [(*kind).to_owned(), (right + wrong).to_string(), wrong.to_string()])
        .collect();
    let figures = vec![Figure::new("cascade.failed", wrong as f64).at(right + wrong)];
    Ok(Report { tables: page::table(["Kind", "Cases", "Wrong"], &rows), ..Report::new(figures) })
}

/// Cases of a kind that were answered right and wrong, by the lines that the tests print.
fn counted<'a>(text: &str, kind: &'a str) -> (&'a str, usize, usize) {
    let count = |how: &str| {
        let wanted = format!("cascade: {kind} {how}");
        text.lines().filter(|line| line.ends_with(&wanted)).count()
    };
    (kind, count("right"), count("wrong"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_counted_by_kind() {
        let text = "running 2 tests\ncascade: exact right\ntest a ... cascade: exact wrong\ncascade: absence right\n";
        assert_eq!(counted(text, "exact"), ("exact", 1, 1));
        assert_eq!(counted(text, "absence"), ("absence", 1, 0));
        assert_eq!(counted("error: could not compile", "exact"), ("exact", 0, 0));
    }
}
