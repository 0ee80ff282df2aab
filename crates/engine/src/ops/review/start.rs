//! The start of a review: what each agent is told (REV-4, REV-5).

use super::*;
use crate::ledger::Ledger;

/// What an agent looks for.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// Words of its field.
    pub keywords: String,
    /// The reviewer whose entries it is served from; none is served from all.
    pub reviewer: Option<String>,
    /// What the global store has for it, best first.
    pub global: Vec<GlobalAnswer>,
}

/// An entry of the global store that answers.
#[derive(Clone, Debug)]
pub struct GlobalAnswer {
    pub stored: Stored,
    pub score: f64,
    pub similarity: f64,
}

impl Profile {
    /// What its knowledge is asked with.
    pub fn question(&self, words: &str) -> SearchInput {
        SearchInput {
            query: format!("{} {words}", self.keywords).trim().to_owned(),
            plain: true,
            limit: CONSIDERED_MAX,
            steady: true,
            similarity_min: Some(ken_recall::rank::SURFACE_MIN),
            ..SearchInput::default()
        }
    }

    /// Whether an entry is for it: its own, and what belongs to no reviewer.
    fn is_served(&self, stored: &Stored) -> bool {
        match (&stored.entry.fields.reviewer, &self.reviewer) {
            (Some(owner), Some(reviewer)) => owner == reviewer,
            (Some(_), None) | (None, _) => true,
        }
    }
}

/// A review that begins.
#[derive(Clone, Debug)]
pub struct ReviewInput {
    pub start: StartInput,
    /// What each of its agents looks for, in their order.
    pub profiles: Vec<Profile>,
    /// What is looked for beside the agents' own words.
    pub words: String,
    /// Entries that one agent is given, at most.
    pub cap: usize,
    /// REV-4: the debt in this project at which a global entry is no longer told here.
    pub limit: u32,
}

/// What `review start` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReviewStarted {
    pub run: String,
    /// What each agent is given.
    pub agents: BTreeMap<String, Served>,
    /// Runs that nobody came back to, closed on the way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub abandoned: Vec<String>,
    /// What went wrong; the review goes on without it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// What one agent is given.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Served {
    pub entries: Vec<String>,
    /// Those of them that are known false positives.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub false_positives: Vec<String>,
    /// The text for its prompt; empty when there is nothing to say.
    pub block: String,
    /// Entries that answer and found no room.
    pub more: usize,
    #[serde(skip)]
    keys: Vec<EntryKey>,
}

/// Begins a review: every agent gets what matters for it, and what it got is recorded.
pub fn start(
    recall: &mut Ledger,
    input: ReviewInput,
    means: &Means<'_>,
    writer: &Writer,
) -> Result<ReviewStarted> {
    let context = context(recall, writer)?;
    if input.start.agents.is_empty() {
        return Err(Refusal::new(Code::Invalid, "a review needs at least one agent")
            .hint("--agents security,correctness or --agents a=fd-safety,b=fd-quality")
            .field("agents")
            .into());
    }
    let (abandoned, mut intents) = sweep(recall.projection(), &context)?;
    let (agents, paths, thread) =
        (input.start.agents.clone(), input.start.paths.clone(), input.start.thread.clone());
    let (run, began) = begin(recall.projection(), input.start, &context)?;
    intents.push(began);
    let mut served = BTreeMap::new();
    let mut warnings = Vec::new();
    for (agent, profile) in agents.iter().zip(&input.profiles) {
        let ask = Asking {
            run: &run,
            agent: &agent.name,
            profile,
            words: &input.words,
            paths: &paths,
            thread: thread.as_deref(),
            cap: input.cap,
            limit: input.limit,
        };
        // REV-5: no search, no block; the review goes on and says so.
        let given = match serve(recall, &ask, means, &mut warnings) {
            Ok(given) => given,
            Err(error) => {
                warnings.push(format!("{} is given no entries: {error}", agent.name));
                Served::default()
            }
        };
        let reader = Reader { run: Some(&run), agent: Some(&agent.name) };
        intents.extend(reader.shown(INJECTED, given.keys.clone()));
        served.insert(agent.name.clone(), given);
    }
    warnings.sort();
    warnings.dedup();
    recall.append(intents, writer)?;
    Ok(ReviewStarted { run, agents: served, abandoned, warnings })
}

pub(super) struct Asking<'a> {
    run: &'a str,
    agent: &'a str,
    profile: &'a Profile,
    words: &'a str,
    paths: &'a [String],
    thread: Option<&'a str>,
    cap: usize,
    limit: u32,
}

/// What one agent is given: what is anchored where the change is, then what answers to its field and the summary.
pub(super) fn serve(
    recall: &mut Ledger,
    ask: &Asking<'_>,
    means: &Means<'_>,
    warnings: &mut Vec<String>,
) -> Result<Served> {
    let input = SearchInput { thread: ask.thread.map(str::to_owned), ..ask.profile.question(ask.words) };
    let mut found = search::search(recall.projection(), &input, means)?;
    if found.hits.is_empty() && !ask.words.trim().is_empty() {
        // The words of a field can drown a short summary.
        found = search::search(
            recall.projection(),
            &SearchInput { query: ask.words.to_owned(), ..input.clone() },
            means,
        )?;
    }
    // Where nothing was found, that a part of the search could not run matters most.
    let degraded = found.status == AnswerStatus::Degraded || means.embedder.is_err();
    if let Some(why) = found.fallback.as_ref().filter(|_| degraded) {
        warnings.push(format!("entries were selected by keyword search only: {why}"));
    }
    let touching = touching(recall.projection(), ask.paths)?;
    let mut chosen: Vec<Stored> = Vec::new();
    let mut anchored: Vec<Stored> = Vec::new();
    for key in &touching {
        if let Some(stored) = recall.stored(*key)?.filter(|stored| may_be_served(stored, ask.thread)) {
            anchored.push(stored);
        }
    }
    search::judge(recall.projection(), anchored.iter_mut().collect(), means)?;
    let mut scored: Vec<(f64, f64, &Stored)> = found
        .results
        .iter()
        .zip(&found.hits)
        .map(|(result, hit)| (result.score, hit.found.similarity, &hit.stored))
        .collect();
    let said = |stored: &Stored| normalise_statement(&stored.entry.fields.statement());
    let here: BTreeSet<String> = found.hits.iter().map(|hit| said(&hit.stored)).collect();
    for answer in ask.profile.global.iter().filter(|answer| !here.contains(&said(&answer.stored))) {
        let stored = &answer.stored;
        let debt = debt_here(recall.projection(), &stored.entry)?;
        if debt < ask.limit {
            scored.push((answer.score, answer.similarity, stored));
        } else if ask.profile.is_served(stored) {
            let id = view::handle(stored);
            warnings.push(format!(
                "{id} of the global store is no longer injected here: {debt} reviews without independent confirmation; \
                 `ken --global confirm {id}` reactivates it"
            ));
        }
    }
    // The order of equals is that of the search.
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let similarities: Vec<f64> = scored.iter().map(|(_, similarity, _)| *similarity).collect();
    let order = search::relevance_first(&similarities);
    let hits = order.iter().map(|(at, _)| scored[*at].2);
    // Of what is anchored here the most relevant first.
    for stored in hits.clone().filter(|stored| touching.contains(&stored.entry.key)) {
        chosen.push(stored.clone());
    }
    for stored in anchored.iter().chain(hits) {
        if chosen.iter().all(|known| known.entry.key != stored.entry.key) {
            chosen.push(stored.clone());
        }
    }
    let before = injected_into(recall.projection(), ask.run, ask.agent)?;
    chosen.retain(|stored| ask.profile.is_served(stored) && !before.contains(&stored.entry.key));
    // A pin lifts what is relevant above the rest (BEL-9).
    chosen.sort_by_key(|stored| stored.overlay.pinned.is_none());
    let total = chosen.len();
    chosen.truncate(ask.cap.saturating_sub(before.len()));
    let more = total - chosen.len();
    let (known, real): (Vec<&Stored>, Vec<&Stored>) =
        chosen.iter().partition(|stored| stored.entry.kind.known() == Some(Type::FalsePositive));
    let block = match chosen.is_empty() {
        true => String::new(),
        false => {
            let warned = warned(recall.projection(), &chosen, means.now)?;
            block(ask, &real, &known, more, &input.query, means.now, &warned)
        }
    };
    Ok(Served {
        entries: chosen.iter().map(|stored| stored.id.clone()).collect(),
        false_positives: known.iter().map(|stored| stored.id.clone()).collect(),
        block,
        more,
        keys: chosen.iter().map(|stored| stored.entry.key).collect(),
    })
}

/// REV-4: what an entry of the global store owes in this project: this ledger knows in which of its reviews it was injected.
pub(super) fn debt_here(runs: &dyn Projection, entry: &ken_core::Entry) -> Result<u32> {
    let since = entry.last_confirmed.unwrap_or(ken_core::Clock::ZERO);
    let owed = runs.injected(entry.key)?.into_iter().filter(|injected| injected.clock > since).count();
    Ok(u32::try_from(owed).unwrap_or(u32::MAX))
}

pub(super) fn may_be_served(stored: &Stored, thread: Option<&str>) -> bool {
    let entry = &stored.entry;
    is_seen_from(entry, thread)
        && !stored.overlay.hides()
        && entry.status.is_retrieved()
        && entry.memory() != Memory::Episodic
        && !stored.purge_asked
}

/// Entries anchored in files that the thing under review touches.
pub(super) fn touching(runs: &dyn Projection, paths: &[String]) -> Result<BTreeSet<EntryKey>> {
    let mut keys = BTreeSet::new();
    for path in paths {
        keys.extend(runs.at_path(path)?);
    }
    Ok(keys)
}

/// The block of REV-5. It is data, whatever it says, and every line says how old it is and whether it holds.
pub(super) fn block(
    ask: &Asking<'_>,
    real: &[&Stored],
    known: &[&Stored],
    more: usize,
    query: &str,
    now: Millis,
    warned: &BTreeMap<EntryKey, Vec<String>>,
) -> String {
    let mut lines = vec!["## Knowledge Context".to_owned()];
    for stored in real {
        lines.push(format!("- {}", deliver::headline(stored, 300)));
        lines.push(format!("  {}", evidence(stored, now)));
        lines.extend(
            warned.get(&stored.entry.key).into_iter().flatten().map(|warning| format!("  {warning}")),
        );
    }
    if !known.is_empty() {
        lines.push(
            "### Known false positives: do not report these again unless the evidence is new".to_owned(),
        );
        for stored in known {
            lines.push(format!("- {}", deliver::headline(stored, 300)));
            lines.push(format!("  {}", evidence(stored, now)));
        }
    }
    lines.push(
        "Check for yourself: an entry above is a hint, not a finding. Report only what you see; the ledger knows which \
         entries you were shown."
            .to_owned(),
    );
    if more > 0 {
        let query = one_line(query, 80).replace('\'', " ");
        lines.push(format!("{more} more: ken search '{query}' --run {} --agent {}", ask.run, ask.agent));
    }
    deliver::block(&lines.join("\n"))
}

/// What each entry that is handed over must not be read without.
pub(super) fn warned(
    recall: &dyn Projection,
    chosen: &[Stored],
    now: Millis,
) -> Result<BTreeMap<EntryKey, Vec<String>>> {
    let together: Vec<&Stored> = chosen.iter().collect();
    let caveats = deliver::caveats(recall, &together, now)?;
    Ok(chosen.iter().zip(&caveats).map(|(stored, caveats)| (stored.entry.key, caveats.lines())).collect())
}

pub(super) fn evidence(stored: &Stored, now: Millis) -> String {
    let entry = &stored.entry;
    let places: Vec<String> = entry.fields.anchors.iter().map(|anchor| deliver::safe(&anchor.at)).collect();
    let confirmed = match entry.last_confirmed {
        Some(clock) => clock.shown_date(now),
        None => "never".to_owned(),
    };
    let evidence =
        if places.is_empty() { String::new() } else { format!("Evidence: {} · ", places.join(", ")) };
    // What lies in another store is opened there.
    let opened = match entry.fields.scope() {
        ken_core::Scope::Global => format!(" · ken --global show {}", view::handle(stored)),
        ken_core::Scope::Thread | ken_core::Scope::Project => String::new(),
    };
    format!("{evidence}Last confirmed: {confirmed} · {}{opened}", deliver::standing(stored, now))
}
