//! The scoreboard as a page, and as what the terminal shows at the end of a run.

use std::fmt::Write as _;

use super::board::{Board, Change, Known, SuiteRun};
use super::word;
use crate::harness::figure::grouped;
use crate::harness::goals::FIGURES;
use crate::page;

const HEAD: &str = "# Scoreboard

Written by `cargo xtask score`; do not edit it by hand. `scoreboard.json` beside it holds the same for programs, and is what the next run is compared with.

```sh
cargo xtask score --quick --write      # before you say that something is done; under 15 minutes on two quiet cores
cargo xtask score --full --write       # larger stores and more rounds: an hour and more
cargo xtask score --only mcp,norms     # some suites; `bench:recall` is one of the two of that name
cargo xtask score --check              # fails if something got worse
cargo xtask score --build --write      # a cold `cargo build --release`: minutes
```

- Goals stand in one table, in `xtask/src/harness/goals.rs`. **Better** says which direction is.
- **Floor** is the least that the machine could do for the same effect, or a plainer way to the same answer, measured in the same run. **Ratio** is how many times worse than the
  floor the figure is; below 1 it is better. When a machine has other things to do, values get worse and ratios hardly do.
- **Last** is the figure before this one. A change is told only if it is larger than the noise: a quarter for times and rates (and twice the spread of the runs, and only as far as the
  ratio changed, too), 2 % for bytes, half a point for qualities, nothing for counts.
- `ken` is the binary that was given or built; `in the library` is measured by `crates/kenning/examples/probe`; guard, norms, reduce, review, belief, validity (as evaluations) and dedup link the
  library into this program, optimised.
- Evaluations whose texts are not ours to hand out need `KEN_CORPORA`; without it they are skipped, which is told below.
";

/// The whole page.
pub(super) fn text(board: &Board, changes: &[Change]) -> String {
    let mut text = format!("{HEAD}\n## Last run\n\n");
    for line in &board.machine {
        let _ = writeln!(text, "- {line}");
    }
    let _ = writeln!(text, "- measured: `{}`, {}\n", board.commit, word(board.effort));
    text.push_str(&summary(board, changes));
    for run in &board.runs {
        text.push_str(&section(board, run));
    }
    let unmeasured: Vec<[String; 3]> = FIGURES
        .iter()
        .filter(|spec| board.figures.iter().all(|known| known.figure.spec.name != spec.name))
        .map(|spec| {
            let why = spec.pending.unwrap_or("no run so far; some figures are left out of a quick run");
            [format!("`{}`", spec.name), spec.what.to_owned(), why.to_owned()]
        })
        .collect();
    if !unmeasured.is_empty() {
        let _ =
            write!(text, "\n## Not measured yet\n\n{}", page::table(["Figure", "What", "Why"], &unmeasured));
    }
    text
}

/// Goals, changes, and what could not be measured.
pub(super) fn summary(board: &Board, changes: &[Change]) -> String {
    let mut text = String::new();
    let with_goal = board.figures.iter().filter(|known| known.figure.met().is_some()).count();
    let missed: Vec<&Known> =
        board.figures.iter().filter(|known| known.figure.met() == Some(false)).collect();
    let _ = writeln!(text, "Goals met: {} of {with_goal}. Missed:\n", with_goal - missed.len());
    for known in missed {
        let figure = &known.figure;
        let _ = writeln!(
            text,
            "- `{}`: {}{}, goal {}",
            figure.key(),
            figure.shown(),
            ratio(known),
            figure.goal()
        );
    }
    let seconds: f64 =
        board.runs.iter().filter(|run| run.commit == board.commit).map(|run| run.seconds).sum();
    let _ = writeln!(text, "\nThe suites of this commit took {:.1} minutes together.", seconds / 60.0);
    for run in &board.runs {
        if let Some(failure) = &run.failed {
            let _ = writeln!(text, "\n**{} FAILED**: {failure}", run.suite);
        }
        for sentence in &run.skipped {
            let _ = writeln!(text, "\n**Skipped**: {sentence}");
        }
    }
    let list = |text: &mut String, title: &str, lines: Vec<String>| match lines.is_empty() {
        true => {
            let _ = writeln!(text, "\n{title}: nothing.");
        }
        false => {
            let _ = writeln!(text, "\n{title}:\n\n{}", lines.concat().trim_end());
        }
    };
    let line = |change: &Change| match change {
        Change::Worse { key, from, to } | Change::Better { key, from, to } => {
            format!("- `{key}`: {from} -> {to}\n")
        }
        Change::Gone { key } => format!("- `{key}`: is no longer measured\n"),
    };
    let worse = changes.iter().filter(|change| change.is_worse()).map(line).collect();
    let better = changes.iter().filter(|change| !change.is_worse()).map(line).collect();
    list(&mut text, "Worse than last time, beyond noise", worse);
    list(&mut text, "Better than last time, beyond noise", better);
    text
}

fn ratio(known: &Known) -> String {
    known.figure.ratio().map(|ratio| format!(" (ratio {ratio:.2})")).unwrap_or_default()
}

fn section(board: &Board, run: &SuiteRun) -> String {
    let mut text = format!("\n## {}\n\n```sh\n{}\n```\n\n", run.suite, run.command);
    let _ = writeln!(
        text,
        "- {:.0} s at `{}`; load average of the last minute {} before and {} after",
        run.seconds, run.commit, run.load.0, run.load.1
    );
    for note in run.notes.iter().chain(&run.skipped) {
        let _ = writeln!(text, "- {note}");
    }
    if let Some(failure) = &run.failed {
        let _ = writeln!(text, "- **failed**: {failure}");
    }
    let rows: Vec<[String; 11]> =
        board.figures.iter().filter(|known| known.suite == run.suite).map(row).collect();
    if !rows.is_empty() {
        let head = [
            "Figure", "What", "Size", "Measured", "Better", "Goal", "Met", "Floor", "Ratio", "Last", "Commit",
        ];
        let _ = write!(text, "\n{}", page::table(head, &rows));
    }
    text
}

fn row(known: &Known) -> [String; 11] {
    let figure = &known.figure;
    let what = match figure.note.as_str() {
        "" => figure.spec.what.to_owned(),
        note => format!("{} ({note})", figure.spec.what),
    };
    let last = match &known.last {
        Some((value, commit)) => format!("{} at {commit}", figure.spec.unit.show(*value)),
        None => String::new(),
    };
    [
        format!("`{}`", figure.spec.name),
        what,
        figure.size.map(|size| grouped(size as u64)).unwrap_or_default(),
        figure.shown(),
        figure.spec.better.word().to_owned(),
        figure.goal(),
        figure.met_shown(),
        figure.floor_shown(),
        figure.ratio_shown(),
        last,
        known.commit.clone(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::figure::Figure;

    #[test]
    fn the_page_tells_what_failed_what_was_skipped_and_what_is_missing() {
        let run = SuiteRun {
            suite: "bench ledger".to_owned(),
            skipped: vec!["LoCoMo was SKIPPED".to_owned()],
            figures: vec![Figure::new("ledger.show", 0.02).floor("empty", 0.001)],
            ..SuiteRun::default()
        };
        let broken = SuiteRun {
            suite: "eval norms".to_owned(),
            failed: Some("no pairs".to_owned()),
            ..SuiteRun::default()
        };
        let mut board = Board::default();
        board.take(&run);
        board.take(&broken);
        let changes = [Change::Gone { key: "ledger.list".to_owned() }];
        let text = text(&board, &changes);
        for part in [
            "Goals met: 0 of 1",
            "`ledger.show`: 20.0 ms (ratio 20.00), goal ≤ 10.0 ms",
            "**eval norms FAILED**: no pairs",
            "**Skipped**: LoCoMo was SKIPPED",
            "`ledger.list`: is no longer measured",
            "| `concurrent.library_scaling`",
        ] {
            assert!(text.contains(part), "{part} is missing in {text}");
        }
    }
}
