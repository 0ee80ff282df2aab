//! The suite `cascade`: what follows when a fact that entries rest on changes, by the cases of `evals/cascade`.
//!
//! The cases are run by a test of the library, which has to be compiled for it; so they are left out of a quick run.

use crate::context::{Failure, failed};
use crate::harness::figure::Figure;
use crate::harness::report::Report;
use crate::harness::session::Session;
use crate::harness::{Effort, Suite};

pub(crate) const SUITE: Suite = Suite { optimised: false, ..Suite::evaluation("cascade", run) };

const TESTS: [&str; 5] = ["test", "-p", "kenning", "--test", "cascade"];

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
    match results(&text) {
        Some((passed, failed)) if passed + failed > 0 => {
            print!("{text}");
            Ok(Report::new(vec![Figure::new("cascade.failed", failed as f64).at(passed + failed)]))
        }
        Some(_) | None => failed(format!(
            "the tests of the cascade did not run: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        )),
    }
}

/// Tests that passed and failed, by the line that a test program ends with.
fn results(text: &str) -> Option<(usize, usize)> {
    let line = text.lines().rev().find_map(|line| line.strip_prefix("test result: "))?;
    let count = |word: &str| {
        let part = line.split(['.', ';']).map(str::trim).find(|part| part.ends_with(word))?;
        part.split(' ').next()?.parse().ok()
    };
    Some((count("passed")?, count("failed")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_a_test_program_is_read() {
        let text = "running 2 tests\n\ntest result: FAILED. 9 passed; 1 failed; 0 ignored; 0 measured\n";
        assert_eq!(results(text), Some((9, 1)));
        assert_eq!(results("error: could not compile"), None);
    }
}
