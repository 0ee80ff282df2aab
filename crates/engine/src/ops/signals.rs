//! `note` with what it says about a signal, and `signals`: those that speak of the same thing, with what each lacks to be proposed (DIG-2).

use ken_core::cluster::{self, Cluster, Confidence, Severity, Signal};
use ken_core::decide::Outcome;
use ken_core::finding::scale;
use ken_core::kinds::Polarity;
use ken_core::signal::SignalState;
use ken_core::words::{normalise_tag, one_line};
use ken_core::{Code, Fault, Refusal, Type};
use serde::Serialize;
use serde_json::{Map, Value};

use super::add::{AddAnswer, AddInput, add};
use crate::deliver;
use crate::error::Result;
use crate::intake::{Intake, clean_word};
use crate::ledger::Ledger;
use crate::limits::ops_signals::TITLE_CHARS_MAX;
use crate::ports::{Repository, Writer};
use crate::projection::Projection;
use crate::upkeep::Episode;

/// What a note says about itself, beside its text.
#[derive(Clone, Debug, Default)]
pub struct SignalInput {
    pub tags: Vec<String>,
    /// What kind of signal it is: `deviation`, `struggle`, `good_pattern`, or a word of your own.
    pub kind: Option<String>,
    pub severity: Option<Severity>,
    pub confidence: Option<Confidence>,
    /// For or against.
    pub polarity: Option<Polarity>,
}

/// Records an observation worth a line.
pub fn note(
    ledger: &mut Ledger,
    repository: &dyn Repository,
    text: &str,
    said: &SignalInput,
    intake: &Intake<'_>,
    writer: &Writer,
) -> Result<AddAnswer> {
    let mut content = Map::new();
    content.insert("statement".into(), Value::from(text));
    if !said.tags.is_empty() {
        content.insert("tags".into(), Value::from(said.tags.clone()));
    }
    if let Some(kind) = &said.kind {
        // Before it is a label: a token is not known again once its signs are others.
        let mut kind = kind.clone();
        clean_word("kind", &mut kind)?;
        let kind = normalise_tag(&kind).map_err(|problem| {
            let fault = Fault { field: "kind".to_owned(), problem };
            Refusal::from_faults(Code::Invalid, vec![fault]).expect("there is a fault")
        })?;
        content.insert("subtype".into(), Value::from(kind));
    }
    if let Some(severity) = said.severity {
        let word = severity.word();
        content.insert("severity_word".into(), Value::from(word));
        content
            .extend(scale::severity(word).ok().map(|(number, _)| ("severity".into(), Value::from(number))));
    }
    if let Some(confidence) = said.confidence {
        let number = scale::confidence(confidence.word()).ok();
        content.extend(number.map(|number| ("confidence".into(), Value::from(number))));
    }
    if let Some(polarity) = said.polarity {
        content.insert("polarity".into(), Value::from(polarity.word()));
    }
    let input = AddInput { kind: Some(Type::Signal.word().to_owned()), content, ..AddInput::default() };
    let mut answer = add(ledger, repository, input, intake, writer)?;
    if answer.outcome == Outcome::Reinforced {
        answer.reasons.push(kept(said));
    }
    Ok(answer)
}

/// What a note that was there already says about what was said with it: words make a signal, so the same words make no second one.
fn kept(said: &SignalInput) -> String {
    let parts = [
        (said.kind.is_some(), "kind"),
        (said.severity.is_some(), "severity"),
        (said.confidence.is_some(), "confidence"),
        (said.polarity.is_some(), "polarity"),
        (!said.tags.is_empty(), "tags"),
    ];
    let named: Vec<&str> = parts.iter().filter(|(said, _)| *said).map(|(_, name)| *name).collect();
    let again = "describe what was different to add another";
    match named.as_slice() {
        [] => format!("no second signal was added; {again}"),
        names => {
            let were = if names.len() == 1 && names[0] != "tags" { "was" } else { "were" };
            format!("no second signal was added, and its {} {were} not changed; {again}", names.join(", "))
        }
    }
}

/// Signals that speak of the same thing.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClusterView {
    /// The type of all of them; none where nobody said one.
    pub kind: Option<String>,
    /// The side of all of them.
    pub polarity: &'static str,
    /// The tags that all of them share.
    pub tags: Vec<String>,
    /// The gravest of them.
    pub severity: Severity,
    /// What they weigh together.
    pub weight: f64,
    /// What they must weigh for somebody to look at them.
    pub threshold: f64,
    /// What they lack; 0 where nothing is.
    pub missing: f64,
    /// The same in words.
    pub told: String,
    /// Whether they weigh enough.
    pub qualifies: bool,
    pub signals: Vec<SignalLine>,
    /// The command that proposes what they say, where they weigh enough. Whether somebody did is not looked up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<String>,
}

/// A signal in a line.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SignalLine {
    /// The id it answers to.
    pub id: String,
    /// What it says.
    pub title: String,
    pub severity: Severity,
    pub confidence: Confidence,
    /// How far somebody got with it.
    pub state: SignalState,
    /// What it weighs.
    pub weight: f64,
}

/// What `signals` answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SignalsAnswer {
    /// How many signals there are.
    pub signals: usize,
    /// How many of them are alone and weigh too little by themselves.
    pub alone: usize,
    /// The others: what qualifies first, then by how little it lacks.
    pub clusters: Vec<ClusterView>,
}

/// Puts the signals of a store together.
pub fn signals(ledger: &dyn Projection, thread: Option<&str>) -> Result<SignalsAnswer> {
    let mut episodes = ledger.episodes(Type::Signal, None, thread)?;
    // What was none speaks for nothing.
    episodes.retain(|episode| episode.state != SignalState::Invalidated);
    let signals: Vec<Signal> = episodes.iter().map(read).collect();
    let (told, alone): (Vec<Cluster>, Vec<Cluster>) = cluster::clusters(&signals)
        .into_iter()
        .partition(|cluster| cluster.members.len() > 1 || cluster.qualifies());
    let clusters = told.iter().map(|cluster| view(cluster, &signals, &episodes)).collect();
    Ok(SignalsAnswer { signals: signals.len(), alone: alone.len(), clusters })
}

/// A record as far as clustering looks at it. The word counts before the number: who wrote it by hand meant the word.
fn read(episode: &Episode) -> Signal {
    let word = episode.severity_word.as_deref().map(str::to_lowercase);
    let severity = word.as_deref().and_then(Severity::from_word);
    Signal {
        id: episode.id.clone(),
        kind: episode.subtype.as_deref().and_then(|kind| normalise_tag(kind).ok()),
        tags: episode.tags.iter().map(|tag| tag.as_str().to_owned()).collect(),
        polarity: episode.polarity.unwrap_or(Polarity::Neutral),
        severity: severity.unwrap_or_else(|| Severity::from_number(episode.severity)),
        confidence: Confidence::from_number(episode.confidence),
    }
}

fn view(cluster: &Cluster, signals: &[Signal], episodes: &[Episode]) -> ClusterView {
    let line = |at: &usize| SignalLine {
        id: episodes[*at].id.clone(),
        title: one_line(&deliver::safe(&episodes[*at].title), TITLE_CHARS_MAX),
        severity: signals[*at].severity,
        confidence: signals[*at].confidence,
        state: episodes[*at].state,
        weight: number(signals[*at].weight()),
    };
    let lines: Vec<SignalLine> = cluster.members.iter().map(line).collect();
    ClusterView {
        kind: cluster.kind.clone(),
        polarity: cluster.polarity.word(),
        tags: cluster.tags.iter().cloned().collect(),
        severity: cluster.severity,
        weight: number(cluster.weight),
        threshold: number(cluster.threshold()),
        missing: number(cluster.missing()),
        told: missing(cluster),
        qualifies: cluster.qualifies(),
        proposal: cluster.qualifies().then(|| proposal(cluster, &lines)),
        signals: lines,
    }
}

fn number(thousandths: u64) -> f64 {
    thousandths as f64 / 1_000.0
}

fn missing(cluster: &Cluster) -> String {
    if cluster.qualifies() {
        return "weighs enough".to_owned();
    }
    let (more, word) = (cluster.more_needed(), cluster.severity.word());
    let signals = if more == 1 { "signal" } else { "signals" };
    format!("needs {}: {more} more {word} {signals} of medium confidence", number(cluster.missing()))
}

fn proposal(cluster: &Cluster, lines: &[SignalLine]) -> String {
    let ids: Vec<&str> = lines.iter().map(|line| line.id.as_str()).collect();
    let kind = cluster.kind.as_deref().unwrap_or("signals");
    let tags: Vec<&str> = cluster.tags.iter().map(String::as_str).collect();
    let about = if tags.is_empty() { String::new() } else { format!(" about {}", tags.join(", ")) };
    let many = if lines.len() == 1 { "1 signal".to_owned() } else { format!("{} signals", lines.len()) };
    let (weight, threshold) = (number(cluster.weight), number(cluster.threshold()));
    // Types and tags hold no quotes: they are normalised.
    let reason = format!("{kind}{about}: {many}, weight {weight} of {threshold}");
    // What they have in common is for somebody to say.
    format!(
        "ken promote propose {} --to semantic --statement '...' --evidence KIND:REF --reason '{reason}'",
        ids.join(" ")
    )
}
