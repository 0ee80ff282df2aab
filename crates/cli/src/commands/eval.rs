//! `eval retrieval`: how well the right entries are found, measured in a throw-away store; and `eval calibration`, shown.

use std::io::Write;
use std::path::Path;

use indicatif::ProgressBar;
use kenning::core::{Code, Refusal};
use kenning::evaluate::{self, Collection, Outcome, RefusedText, Way};
use kenning::table::{EvalCalibration, EvalJudge};
use kenning::verb::{Call, Group, Nature, Verb, read_word, sorted};
use kenning::{CalibrationAnswer, Caller, Channel, Error, EvalJudgeAnswer, Options, Reach, Result, SetUp};
use serde::Serialize;
use serde_json::json;

use super::search::progress;
use super::{Session, Shown};
use crate::args::RetrievalArgs;
use crate::output::{exit, println};

impl Shown for EvalCalibration {
    fn say(answer: &CalibrationAnswer) {
        let told = &answer.reliability;
        if told.count == 0 {
            println!(
                "no entry was used yet, so there is nothing to compare; `ken task finish` and `ken feedback` record outcomes"
            );
            return;
        }
        println!(
            "{} uses of {} entries; Brier score {:.4} (lower is better, 0.25 is a coin)",
            told.count, answer.entries, told.brier
        );
        println!("believed   uses   came true");
        for bin in &told.bins {
            println!(
                "{:>3.0}-{:<3.0} %  {:>5}   {:>5.1} % where {:.1} % was believed",
                bin.from * 100.0,
                bin.to * 100.0,
                bin.count,
                bin.observed * 100.0,
                bin.predicted * 100.0
            );
        }
    }
}

impl Shown for EvalJudge {
    fn say(answer: &EvalJudgeAnswer) {
        println!("judge: {}", answer.judge);
        println!("set      sought        pairs   precision   recall   unanswered");
        let percent =
            |share: Option<f64>| share.map_or("-".to_owned(), |share| format!("{:.1} %", share * 100.0));
        for set in &answer.sets {
            println!(
                "{:<8} {:<12} {:>6}   {:>9}   {:>6}   {:>10}",
                set.set,
                set.sought.word(),
                set.pairs,
                percent(set.precision),
                percent(set.recall),
                set.unanswered
            );
        }
        if let Some(cost) = &answer.cost {
            println!("{} calls, {} tokens, {:.2} cents", cost.calls, cost.tokens, cost.cents);
        }
        if let Some(why) = &answer.stopped {
            println!("stopped before the end: {why}");
        }
    }
}

/// Measure retrieval quality in a temporary store.
pub(crate) struct EvalRetrieval;

/// What `eval retrieval` answers.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RetrievalAnswer {
    format: String,
    #[serde(serialize_with = "sorted")]
    modes: Vec<Outcome>,
    questions: usize,
    texts: usize,
    /// Texts that the store refused; questions about them cannot be answered, and count.
    #[serde(serialize_with = "sorted", skip_serializing_if = "Vec::is_empty")]
    refused: Vec<RefusedText>,
}

impl Verb for EvalRetrieval {
    const NAME: &'static str = "eval retrieval";
    const ABOUT: &'static str = "Measure retrieval quality in a temporary store";
    const EXAMPLE: &'static str = "ken eval retrieval --format locomo locomo10.json --mode lexical,hybrid";
    const GROUP: Group = Group::Measure;
    const NATURE: Nature = Nature::WRITES.at_terminal();
    type Request = RetrievalArgs;
    type Answer = RetrievalAnswer;

    fn run(call: &mut Call, request: RetrievalArgs) -> Result<RetrievalAnswer> {
        measure(call, &request, &|_| ProgressBar::hidden())
    }
}

impl Shown for EvalRetrieval {
    fn execute(session: &Session, request: RetrievalArgs) -> Result<u8> {
        let answer = measure(&session.call(None)?, &request, &|total| progress(total, session))?;
        session.output.answer(&answer, || Self::say(&answer))?;
        for why in answer.modes.iter().filter_map(|outcome| outcome.fallback.as_ref()).take(1) {
            session.output.note(&format!("fallback to keyword search for some questions: {why}"));
        }
        Ok(exit::OK)
    }

    fn say(answer: &RetrievalAnswer) {
        println!("{} texts, {} questions", answer.texts, answer.questions);
        for refused in &answer.refused {
            println!("refused {}: {}", refused.text, refused.why);
        }
        println!(
            "{:<11} {:>6} {:>6} {:>6} {:>8} {:>6} {:>13} {:>13}",
            "mode", "R@5", "R@10", "R@20", "nDCG@10", "MRR", "empty, right", "empty, wrong"
        );
        for outcome in &answer.modes {
            row(outcome.mode, &outcome.all);
            for (category, measures) in outcome.by_category.iter().filter(|_| outcome.by_category.len() > 1) {
                row(&format!("  {category}"), measures);
            }
        }
    }
}

/// Puts the questions to stores that are made for them; `bar` shows how far it is.
fn measure(call: &Call, args: &RetrievalArgs, bar: &dyn Fn(usize) -> ProgressBar) -> Result<RetrievalAnswer> {
    let names: Vec<&str> = Way::ALL.iter().map(|way| way.word()).collect();
    let mut ways = Vec::new();
    for text in &args.mode {
        ways.push(read_word("mode", "mode", text, &names, |word| {
            Way::ALL.into_iter().find(|way| way.word() == word)
        })?);
    }
    let collections = read(args)?;
    let questions: usize = collections.iter().map(|collection| collection.questions.len()).sum();
    if questions == 0 {
        return Err(Refusal::new(Code::Invalid, "no question has its answer among the documents")
            .field("files")
            .into());
    }
    let scratch = tempfile::tempdir().map_err(Error::failed("creating a temporary store"))?;
    let mut each = vec![(Vec::new(), None); ways.len()];
    let mut refused = Vec::new();
    for (at, collection) in collections.iter().enumerate() {
        let root = scratch.path().join(at.to_string());
        let mut ken = store_for(&root, collection, call, args.vectors.as_deref())?;
        let filled = evaluate::fill(&mut ken, collection)?;
        if ways.iter().any(|way| *way != Way::Lexical)
            && kenning::embedding::embedder(&mut ken.ledger, &mut ken.models).is_ok()
        {
            let bar = bar(kenning::embedding::backlog(&mut ken.ledger, &mut ken.models)?);
            kenning::embedding::embed(
                &mut ken.ledger,
                &ken.site.config,
                &mut ken.models,
                &ken.caller,
                &mut |made| {
                    bar.inc(made as u64);
                    true
                },
            )?;
            bar.finish_and_clear();
            if let Some(kept) = &args.vectors {
                copy(&root.join(".kenning/.local/vectors"), kept)?;
            }
        }
        for (way, (answered, fallback)) in ways.iter().zip(&mut each) {
            let bar = bar(collection.questions.len());
            let (some, why) = evaluate::ask(&mut ken, collection, &filled, *way, &mut || {
                bar.inc(1);
                true
            })?;
            bar.finish_and_clear();
            answered.extend(some);
            *fallback = why.or(fallback.take());
        }
        refused.extend(filled.refused);
    }
    let modes: Vec<Outcome> =
        ways.iter().zip(each).map(|(way, (answered, why))| evaluate::outcome(*way, answered, why)).collect();
    if let Some(path) = &args.each {
        write_each(path, &modes)?;
    }
    let texts = collections.iter().map(|collection| collection.texts.len()).sum();
    Ok(RetrievalAnswer { format: args.format.clone(), modes, questions, texts, refused })
}

fn row(name: &str, measures: &evaluate::Measures) {
    let empty = |share: f64, of: usize| if of == 0 { "-".to_owned() } else { format!("{share:.3}") };
    println!(
        "{name:<11} {:>6.3} {:>6.3} {:>6.3} {:>8.3} {:>6.3} {:>13} {:>13}",
        measures.recall_5,
        measures.recall_10,
        measures.recall_20,
        measures.ndcg_10,
        measures.mrr,
        empty(measures.empty_right, measures.unanswerable),
        empty(measures.empty_wrong, measures.questions)
    );
}

fn read(args: &RetrievalArgs) -> Result<Vec<Collection>> {
    let formats = ["locomo", "pairs"];
    let format = read_word("format", "format", &args.format, &formats, |word| {
        formats.into_iter().find(|known| *known == word)
    })?;
    let mut collections = match (format, args.files.as_slice()) {
        ("locomo", [file]) => evaluate::read_locomo(file)?,
        ("pairs", [docs, queries]) => vec![evaluate::read_pairs(docs, queries)?],
        ("locomo", files) => return Err(wrong_count("locomo needs one file", files.len())),
        (_, files) => {
            return Err(wrong_count("pairs needs two files, the documents and the queries", files.len()));
        }
    };
    if let Some(most) = args.questions {
        collections.iter_mut().for_each(|collection| collection.sample_questions(most));
    }
    Ok(collections)
}

fn wrong_count(wanted: &str, given: usize) -> Error {
    Refusal::new(Code::Invalid, format!("{wanted}; {given} were given")).field("files").into()
}

/// An empty store of its own, outside any repository.
fn store_for(root: &Path, collection: &Collection, call: &Call, vectors: Option<&Path>) -> Result<Reach> {
    std::fs::create_dir_all(root)
        .map_err(Error::failed(format!("creating a store for {}", collection.name)))?;
    let options = Options { no_model: call.options().no_model, ..Options::at(root) };
    kenning::init_with(&options, SetUp::default())?;
    let settings = "[index_page]\nwrite = false\n[search]\nexposures = false\n";
    std::fs::write(root.join(".kenning/config.toml"), settings).map_err(Error::failed("writing settings"))?;
    if let Some(kept) = vectors.filter(|kept| kept.is_dir()) {
        copy(kept, &root.join(".kenning/.local/vectors"))?;
    }
    kenning::open_for(options, Caller::new("agent:eval", call.caller().now(), Channel::Cli))
}

/// Copies a folder of folders of files.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let failed =
        |error: std::io::Error| Error::failed(format!("copying embeddings to {}", to.display()))(error);
    for folder in std::fs::read_dir(from).map_err(failed)? {
        let folder = folder.map_err(failed)?;
        if !folder.path().is_dir() {
            continue;
        }
        let home = to.join(folder.file_name());
        std::fs::create_dir_all(&home).map_err(failed)?;
        for file in std::fs::read_dir(folder.path()).map_err(failed)? {
            let file = file.map_err(failed)?;
            std::fs::copy(file.path(), home.join(file.file_name())).map_err(failed)?;
        }
    }
    Ok(())
}

fn write_each(path: &Path, outcomes: &[Outcome]) -> Result<()> {
    let failed = |error: std::io::Error| Error::failed(format!("writing {}", path.display()))(error);
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).map_err(failed)?);
    for outcome in outcomes {
        for answered in &outcome.each {
            writeln!(file, "{}", json!({"mode": outcome.mode, "answered": answered})).map_err(failed)?;
        }
    }
    file.flush().map_err(failed)
}
