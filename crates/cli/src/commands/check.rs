//! `check`: which entries still hold, and what a change of the code does to them.

mod report;

use std::collections::BTreeMap;

use kenning::core::answer::ConditionVerdict;
use kenning::core::{Code, Refusal, Verdict};
use kenning::{
    Accept, Accepted, Affected, CheckAnswer, Checked, DiffAnswer, Effect, Kenning, Proof, Result,
    StepOutcome, Summary, Which,
};
use serde::Serialize;
use serde_json::Value;

use super::{Session, word};
use crate::args::CheckArgs;
use crate::output::{bold, cut, dim, exit, println, width};

/// Entries shown of each verdict; the rest are counted.
const SHOWN_MAX: usize = 40;

/// From which verdict on a check fails.
#[derive(Clone, Copy, PartialEq)]
enum FailOn {
    Never,
    Broken,
    Drifted,
    Moved,
}

pub(super) fn check(session: &Session, args: &CheckArgs) -> Result<u8> {
    let mut ken = session.open()?;
    let fail_on = fail_on(&mut ken, args)?;
    if let Some(range) = &args.diff {
        return diff(session, &mut ken, range, args, fail_on);
    }
    let which = match (args.changed, args.ids.is_empty()) {
        (true, _) => Which::Touching(ken.changed_files()?),
        (false, true) => Which::All,
        (false, false) => Which::Named(args.ids.clone()),
    };
    let answer = match &args.as_of {
        Some(when) => ken.check_as_of(when, &which)?,
        None => ken.check(&which)?,
    };
    let accepted = match (args.accept, args.drifted) {
        (false, _) => None,
        (true, false) => Some(ken.accept(&answer.entries, Accept::Found)?),
        (true, true) => Some(ken.accept(&answer.entries, Accept::Drifted)?),
    };
    let answer = match &accepted {
        Some(accepted) if !accepted.is_empty() => ken.check(&which)?,
        _ => answer,
    };
    let keys: Vec<_> = answer.entries.iter().map(|entry| entry.key).collect();
    let proofs = if args.run { Some(ken.prove(&keys)?) } else { None };
    session.notes(&mut ken);
    let failed = proofs
        .iter()
        .flatten()
        .flat_map(|proof| &proof.steps)
        .any(|step| step.outcome == StepOutcome::Failed);
    match format(args)? {
        Format::Sarif => say_sarif(&report::of_check(&answer)),
        Format::Plain => {
            let whole = Whole { answer: &answer, accepted: accepted.as_deref(), proofs: proofs.as_deref() };
            session.output.answer(&whole, || {
                accepted.iter().flatten().for_each(say_accepted);
                proofs.iter().flatten().for_each(say_proof);
                say(&answer, args.ids.is_empty());
            })?;
        }
    }
    let found = worst(answer.entries.iter().map(|entry| entry.verdict), fail_on) || failed;
    // The process ends here: taking ten thousand entries apart would cost more than telling about them.
    std::mem::forget(answer);
    Ok(if found { exit::FOUND } else { exit::OK })
}

/// The answer, with what was done besides looking.
#[derive(Serialize)]
struct Whole<'a> {
    #[serde(flatten)]
    answer: &'a CheckAnswer,
    #[serde(skip_serializing_if = "Option::is_none")]
    accepted: Option<&'a [Accepted]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proofs: Option<&'a [Proof]>,
}

enum Format {
    Plain,
    Sarif,
}

fn format(args: &CheckArgs) -> Result<Format> {
    let format = args.format.as_deref().unwrap_or("text");
    word("format", "format", format, &["text", "sarif"], |word| match word {
        "text" => Some(Format::Plain),
        "sarif" => Some(Format::Sarif),
        _ => None,
    })
}

fn fail_on(ken: &mut Kenning, args: &CheckArgs) -> Result<FailOn> {
    let set = ken.config().get("check.fail_on")?;
    let said = args.fail_on.as_deref().unwrap_or(&set);
    word("fail-on", "verdict to fail on", said, &["broken", "drifted", "moved", "never"], |word| match word {
        "never" => Some(FailOn::Never),
        "broken" => Some(FailOn::Broken),
        "drifted" => Some(FailOn::Drifted),
        "moved" => Some(FailOn::Moved),
        _ => None,
    })
}

fn worst(verdicts: impl Iterator<Item = Verdict>, fail_on: FailOn) -> bool {
    let mut verdicts = verdicts;
    verdicts.any(|verdict| match fail_on {
        FailOn::Never => false,
        FailOn::Broken => verdict == Verdict::Broken,
        FailOn::Drifted => matches!(verdict, Verdict::Broken | Verdict::Drifted),
        FailOn::Moved => matches!(verdict, Verdict::Broken | Verdict::Drifted | Verdict::Moved),
    })
}

fn diff(session: &Session, ken: &mut Kenning, range: &str, args: &CheckArgs, fail_on: FailOn) -> Result<u8> {
    if args.changed || args.accept || args.run || args.as_of.is_some() || !args.ids.is_empty() {
        return Err(Refusal::new(
            Code::Invalid,
            "--diff looks at every entry and records nothing; leave the other flags out",
        )
        .hint("`ken check --diff main..HEAD`, then `ken check --accept` where you are")
        .field("diff")
        .into());
    }
    let answer = ken.check_diff(range)?;
    session.notes(ken);
    match format(args)? {
        Format::Sarif => say_sarif(&report::of_diff(&answer)),
        Format::Plain => session.output.answer(&answer, || say_diff(&answer))?,
    }
    let worse = answer.entries.iter().filter(|affected| affected.effect != Effect::Mends);
    let found = worst(worse.map(|affected| affected.entry.verdict), fail_on);
    Ok(if found { exit::FOUND } else { exit::OK })
}

pub(super) fn say_sarif(document: &Value) {
    println!("{document:#}");
}

fn say(answer: &CheckAnswer, brief: bool) {
    let mut shown: BTreeMap<Verdict, usize> = BTreeMap::new();
    for entry in &answer.entries {
        // Of everything, only what somebody could do something about is told.
        let open =
            entry.verdict == Verdict::Unverifiable && entry.anchors.is_empty() && entry.conditions.is_empty();
        if brief && (entry.verdict == Verdict::Fresh || open) {
            continue;
        }
        let count = shown.entry(entry.verdict).or_default();
        *count += 1;
        if *count <= SHOWN_MAX {
            say_entry(entry, entry.verdict.word());
        }
    }
    for (verdict, count) in shown.iter().filter(|(_, count)| **count > SHOWN_MAX) {
        println!("{} more {verdict}: ken check --json lists them", count - SHOWN_MAX);
    }
    say_summary(&answer.summary);
    say_hints(&answer.summary);
}

fn say_entry(entry: &Checked, mark: &str) {
    let title = entry.title.as_deref().unwrap_or_default();
    println!("{:<12} {}  {}", mark, bold(&entry.handle), cut(title, width().saturating_sub(26)));
    if let Some(inactive) = &entry.inactive {
        println!("    it is {inactive}");
    }
    if !entry.chain.is_empty() {
        let cause = entry.cause.as_ref().map(|cause| format!(": {}", dim(cause))).unwrap_or_default();
        println!("    because of {}{cause}", entry.chain.join(", which rests on "));
    }
    for condition in entry.conditions.iter().filter(|condition| condition.verdict != ConditionVerdict::Holds)
    {
        println!("    {} {}: {}", condition.text, condition.verdict, dim(&condition.why));
    }
    for anchor in entry.anchors.iter().filter(|anchor| anchor.found.verdict != Verdict::Fresh) {
        match &anchor.found.now {
            Some(now) if anchor.found.verdict == Verdict::Moved => {
                println!("    {} moved to {now}", anchor.at)
            }
            Some(now) => {
                println!("    {} {}, now {now}: {}", anchor.at, anchor.found.verdict, dim(&anchor.found.why))
            }
            None => println!("    {} {}: {}", anchor.at, anchor.found.verdict, dim(&anchor.found.why)),
        }
    }
}

fn say_summary(summary: &Summary) {
    if summary.entries == 0 {
        println!("There is no entry to look at.");
        return;
    }
    let counts = [
        (summary.fresh, "fresh"),
        (summary.moved, "moved"),
        (summary.drifted, "drifted"),
        (summary.broken, "broken"),
        (summary.unverifiable, "unverifiable"),
    ];
    let told: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    let entries = if summary.entries == 1 { "entry" } else { "entries" };
    println!("{} {entries}: {}", summary.entries, told.join(", "));
}

fn say_hints(summary: &Summary) {
    if summary.to_accept > 0 {
        println!("{}", dim("`ken check --accept` records where the code is now"));
    }
    if summary.drifted > 0 {
        println!(
            "{}",
            dim(
                "what drifted and still holds: `ken check ID --accept --drifted`; else revise, supersede or retract it"
            )
        );
    }
}

fn say_accepted(accepted: &Accepted) {
    let was = if accepted.from == accepted.to {
        "taken down again".to_owned()
    } else {
        format!("is now {}", accepted.to)
    };
    println!("{}  {} {was}", bold(&accepted.handle), accepted.from);
}

fn say_proof(proof: &Proof) {
    for step in &proof.steps {
        println!("{:<12} {}  {}: {}", step.outcome.word(), bold(&proof.handle), step.step, dim(&step.why));
    }
}

fn say_diff(answer: &DiffAnswer) {
    let files = if answer.files == 1 { "file" } else { "files" };
    println!("{} to {}: {} {files} changed", bold(&answer.base), bold(&answer.head), answer.files);
    for Affected { effect, entry, .. } in answer.entries.iter().take(SHOWN_MAX) {
        say_entry(entry, effect.word());
    }
    if answer.entries.len() > SHOWN_MAX {
        println!("{} more: --json lists them", answer.entries.len() - SHOWN_MAX);
    }
    if answer.entries.is_empty() {
        println!("No entry is affected.");
    }
    for norm in answer.norms.iter().take(SHOWN_MAX) {
        println!("{:<12} {}  {}", "norm", bold(&norm.id), norm.rule);
        println!("    speaks of {}", norm.files.iter().take(5).cloned().collect::<Vec<_>>().join(", "));
    }
    if answer.summary.entries > 0 {
        println!("After it, of all entries:");
    }
    say_summary(&answer.summary);
}
