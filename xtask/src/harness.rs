//! What every benchmark and evaluation shares: the list of them, their arguments, a session to measure in, and the page they write.
//!
//! A suite is a value: see [`Suite`]. To add one, write a module with a `SUITE`, put it into [`SUITES`], and name its figures in
//! [`goals`].

pub(crate) mod aged;
pub(crate) mod arguments;
pub(crate) mod client;
pub(crate) mod corpus;
pub(crate) mod figure;
pub(crate) mod goals;
pub(crate) mod machine;
pub(crate) mod measure;
pub(crate) mod memory;
pub(crate) mod probe;
pub(crate) mod report;
pub(crate) mod scratch;
pub(crate) mod session;
pub(crate) mod store;

use self::arguments::{Flag, Flags, Takes};
use self::report::Report;
use self::session::{Session, Tools};
use crate::context::{Context, Failure, Outcome, failed, show};
use crate::nearest::nearest;
use crate::{bench, eval, page};

/// A benchmark or an evaluation.
pub(crate) struct Suite {
    pub(crate) kind: Kind,
    /// The word that it is asked for by; also the first part of the names of its figures.
    pub(crate) name: &'static str,
    /// The page that keeps its tables, between two marks. The scoreboard has its figures in any case.
    pub(crate) page: Option<&'static str>,
    /// Sizes of store in a quick run and in a full one; empty where there is nothing to choose.
    pub(crate) sizes: [&'static [usize]; 2],
    /// What it knows beside [`COMMON`].
    pub(crate) flags: &'static [Flag],
    /// What it measures with.
    pub(crate) needs: &'static [Tool],
    /// Whether its numbers say something only if this program is optimised, too.
    pub(crate) optimised: bool,
    /// Whether some of its texts are not ours to hand out, and are looked for where `KEN_CORPORA` says.
    pub(crate) corpora: bool,
    /// Whether it fails when a goal is missed.
    pub(crate) strict: bool,
    pub(crate) run: fn(&Session<'_>) -> Result<Report, Failure>,
}

/// What a suite says about Kenning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// What it costs.
    Bench,
    /// How good its answers are.
    Evaluation,
}

impl Kind {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Kind::Bench => "bench",
            Kind::Evaluation => "eval",
        }
    }
}

/// What a suite needs to be built first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Tool {
    /// The `ken` binary.
    Ken,
    /// The program that measures inside a process.
    Probe,
}

/// How often everything is repeated, and how large stores are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Effort {
    #[default]
    Quick,
    Full,
}

impl Effort {
    pub(crate) fn pick<T: Copy>(self, quick: T, full: T) -> T {
        match self {
            Effort::Quick => quick,
            Effort::Full => full,
        }
    }

    /// Repetitions of a command that takes milliseconds.
    pub(crate) fn short_rounds(self) -> usize {
        self.pick(11, 25)
    }

    /// Repetitions of a command that works on a whole store.
    pub(crate) fn long_rounds(self) -> usize {
        3
    }
}

impl Suite {
    pub(crate) const fn bench(name: &'static str, run: fn(&Session<'_>) -> Result<Report, Failure>) -> Suite {
        Suite {
            kind: Kind::Bench,
            name,
            page: None,
            sizes: [&[], &[]],
            flags: &[],
            needs: &[Tool::Ken],
            optimised: true,
            corpora: false,
            strict: false,
            run,
        }
    }

    pub(crate) const fn evaluation(
        name: &'static str,
        run: fn(&Session<'_>) -> Result<Report, Failure>,
    ) -> Suite {
        Suite { kind: Kind::Evaluation, needs: &[], strict: true, ..Suite::bench(name, run) }
    }

    /// `bench ledger`.
    pub(crate) fn words(&self) -> String {
        format!("{} {}", self.kind.word(), self.name)
    }

    /// A command that measures it, with what has to stand before it.
    pub(crate) fn command(&self, words: &str) -> String {
        let corpora = if self.corpora { "KEN_CORPORA=FOLDER " } else { "" };
        format!("{corpora}cargo xtask {words}")
    }

    /// Every flag that it takes.
    pub(crate) fn flags(&self) -> Vec<Flag> {
        let common = COMMON.iter().filter(|flag| match flag.name {
            "--sizes" => !self.sizes[1].is_empty(),
            "--ken" => self.needs.contains(&Tool::Ken),
            "--probe" => self.needs.contains(&Tool::Probe),
            "--write" => self.page.is_some(),
            _ => true,
        });
        common.chain(self.flags).copied().collect()
    }
}

/// Flags of every suite that has a use for them.
const COMMON: &[Flag] = &[
    Flag { name: "--quick", takes: Takes::Nothing },
    Flag { name: "--sizes", takes: Takes::Value("N,N") },
    Flag { name: "--ken", takes: Takes::Value("PATH") },
    Flag { name: "--probe", takes: Takes::Value("PATH") },
    Flag { name: "--write", takes: Takes::Nothing },
];

/// Every suite, in the order in which the scoreboard has them.
pub(crate) const SUITES: &[Suite] = &[
    bench::ledger::SUITE,
    bench::recall::SUITE,
    bench::validity::SUITE,
    bench::learning::SUITE,
    bench::belief::SUITE,
    bench::health::SUITE,
    bench::verbs::SUITE,
    bench::maintain::SUITE,
    bench::scale::SUITE,
    bench::age::SUITE,
    bench::mcp::SUITE,
    bench::import::SUITE,
    bench::concurrent::SUITE,
    bench::http::SUITE,
    eval::recall::SUITE,
    eval::lessons::SUITE,
    eval::guard::SUITE,
    eval::families::SUITE,
    eval::norms::SUITE,
    eval::reduce::SUITE,
    eval::review::SUITE,
    eval::belief::SUITE,
    eval::validity::SUITE,
    eval::dedup::SUITE,
    eval::cascade::SUITE,
    eval::commands::SUITE,
    eval::sessions::SUITE,
    eval::extraction::SUITE,
    eval::upkeep::SUITE,
    eval::moments::SUITE,
    eval::world::SUITE,
];

/// Runs one suite, as `cargo xtask bench NAME` and `cargo xtask eval NAME` ask for it.
pub(crate) fn run(context: &Context, kind: Kind, arguments: &[String]) -> Outcome {
    let (suite, flags) = read(kind, arguments)?;
    let effort = if flags.has("--quick") { Effort::Quick } else { Effort::Full };
    let sizes = flags.sizes(suite, effort)?;
    if suite.optimised && cfg!(debug_assertions) {
        return again_in_release(context, &[kind.word()], arguments);
    }
    let tools = Tools::new(context, flags.value("--ken"), flags.value("--probe"))?;
    let session = tools.session(suite, effort, sizes, flags)?;
    let machine = machine::describe(context, &session.scratch.folder)?;
    let report = (suite.run)(&session)?;
    let text = report.text(&command(&session), &machine);
    println!("\n{text}");
    for sentence in &report.skipped {
        println!("{sentence}");
    }
    let missed = report.figures.iter().filter(|figure| figure.met() == Some(false)).count();
    let goals = report.figures.iter().filter(|figure| figure.met().is_some()).count();
    println!("goals met: {} of {goals}", goals - missed);
    if session.flags.has("--write")
        && let Some(file) = suite.page
    {
        page::put(&context.root.join(file), &suite.words(), &text)?;
        println!("wrote {file}");
    }
    match missed {
        1.. if suite.strict => failed(format!("{missed} of {goals} goals are missed")),
        _ => Ok(()),
    }
}

/// The command that measures the same once more.
fn command(session: &Session<'_>) -> String {
    let mut command = session.suite.command(&session.suite.words());
    for (name, value) in
        session.flags.given().filter(|(name, _)| !matches!(*name, "--sizes" | "--ken" | "--probe"))
    {
        command.push_str(&format!(" {name}"));
        // A path says something about a machine, and nothing about what was measured.
        if let Some(value) = value.filter(|value| !value.contains('/')) {
            command.push_str(&format!(" {value}"));
        }
    }
    if !session.sizes.is_empty() {
        let sizes: Vec<String> = session.sizes.iter().map(usize::to_string).collect();
        command.push_str(&format!(" --sizes {}", sizes.join(",")));
    }
    command
}

fn read(kind: Kind, arguments: &[String]) -> Result<(&'static Suite, Flags), Failure> {
    let suites: Vec<&'static Suite> = SUITES.iter().filter(|suite| suite.kind == kind).collect();
    let names: Vec<&str> = suites.iter().map(|suite| suite.name).collect();
    let usage = |problem: String| {
        Failure::Usage(format!("{problem}\nusage: cargo xtask {} {} [FLAGS]", kind.word(), names.join("|")))
    };
    let Some((name, rest)) = arguments.split_first() else {
        return Err(usage("name a suite".to_owned()));
    };
    let Some(suite) = suites.iter().find(|suite| suite.name == name) else {
        let near = nearest(name, &names).map(|near| format!("; the nearest is `{near}`"));
        return Err(usage(format!("there is no suite `{name}`{}", near.unwrap_or_default())));
    };
    Ok((suite, Flags::read(&suite.words(), &suite.flags(), rest)?))
}

/// Optimised, since time is measured too, and since training takes ten times as long otherwise.
pub(crate) fn again_in_release(context: &Context, words: &[&str], arguments: &[String]) -> Outcome {
    let mut command = context.cargo(["run", "--quiet", "--release", "--package", "xtask", "--"]);
    show(command.args(words).args(arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(kind: Kind, line: &str) -> Result<(&'static Suite, Flags), Failure> {
        read(kind, &line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn a_plain_run_is_the_full_run_and_sizes_win_over_quick() {
        let (suite, flags) = asked(Kind::Bench, "ledger").unwrap();
        assert_eq!(flags.sizes(suite, Effort::Full).unwrap(), [1_000, 10_000, 100_000]);
        let (suite, flags) = asked(Kind::Bench, "ledger --sizes 2000,500 --quick --write").unwrap();
        assert_eq!(flags.sizes(suite, Effort::Quick).unwrap(), [2_000, 500]);
        assert!(flags.has("--quick") && flags.has("--write"));
    }

    #[test]
    fn what_is_not_known_is_refused() {
        for (kind, line) in [
            (Kind::Bench, ""),
            (Kind::Bench, "ledgr"),
            (Kind::Bench, "ledger --fast"),
            (Kind::Bench, "ledger --sizes"),
            (Kind::Evaluation, "recal"),
            (Kind::Evaluation, "recall --fast"),
            (Kind::Evaluation, "norms --wrong"),
            (Kind::Evaluation, "guard --axis"),
            (Kind::Evaluation, "reduce --docs"),
        ] {
            assert_eq!(asked(kind, line).map(drop).unwrap_err().exit_code(), 2, "{line}");
        }
        for line in ["ledger --sizes=1,x", "ledger --sizes 3"] {
            let (suite, flags) = asked(Kind::Bench, line).unwrap();
            assert_eq!(flags.sizes(suite, Effort::Full).unwrap_err().exit_code(), 2, "{line}");
        }
    }

    #[test]
    fn no_two_suites_of_a_kind_have_the_same_name() {
        for (at, suite) in SUITES.iter().enumerate() {
            assert!(SUITES[at + 1..].iter().all(|other| other.words() != suite.words()), "{}", suite.words());
        }
    }
}
