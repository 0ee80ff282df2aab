//! `reflect`: what waits in staging beside what the store holds: what says the same, what belongs together, what cannot both be
//! followed, and what is missing (DIG-1). It changes nothing unless it is asked to tie what belongs together.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ken_core::answer::{ChangeOutcome, DuplicateKind};
use ken_core::contradiction::{self, Norm};
use ken_core::kinds::Polarity;
use ken_core::similar::{Claim, differences};
use ken_core::words::normalise_statement;
use ken_core::{Anchor, Memory, Relation, Scope, Type, TypeName};
use ken_digest::Place;
use ken_engine::{Caller, Embedder, Ledger, Query, Result};
use ken_worktree::{Look, Tree, WorkingTree};
use serde::Serialize;
use serde_json::Value;

use super::staging::Staging;
use crate::limits::digest_reflect::{
    COMMON_WORD_MIN, MEANINGS_MAX, PAIRS_MAX, WORDS_SAME_MIN, WORDS_SUBJECT_MIN,
};
use crate::{ClusterView, Layout, ModelsInUse, Site};

/// Why two norms belong together that a machine checks in the same way.
const SAME_CHECK: &str = "the same check";

/// What `reflect` answers.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReflectAnswer {
    /// Candidates that were looked at.
    pub staged: usize,
    /// Entries that were looked at.
    pub entries: usize,
    /// `meaning`, or `words` where no model could be asked.
    pub compared_by: &'static str,
    /// Pairs that say the same.
    pub duplicates: Vec<Duplicate>,
    /// Pairs that belong together.
    pub related: Vec<RelatedPair>,
    /// Pairs that cannot both be followed.
    pub contradictions: Vec<ContradictingPair>,
    /// Signals that amount to something (DIG-2).
    pub clusters: Vec<ClusterView>,
    /// What is missing.
    pub gaps: Vec<GapLine>,
    /// Ties that were made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub linked: Option<Vec<[String; 2]>>,
}

/// Two that say the same.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Duplicate {
    pub pair: [String; 2],
    pub how: DuplicateKind,
    /// How near they are, in percent.
    pub near_percent: u8,
    /// What both say, in the words of each.
    pub statements: [String; 2],
}

/// Two that belong together.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RelatedPair {
    pub pair: [String; 2],
    /// Why, in a sentence.
    pub why: String,
    /// Both are entries, so that `--link` can tie them.
    pub can_be_linked: bool,
}

/// Two that cannot both be followed.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContradictingPair {
    pub pair: [String; 2],
    /// Why, in a sentence.
    pub why: String,
    /// What each says.
    pub statements: [String; 2],
}

/// Something that is missing.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GapLine {
    /// Of which entry or candidate.
    pub id: String,
    pub missing: Vec<String>,
}

/// A candidate or an entry, as much of it as is compared.
pub(super) struct Item {
    pub id: String,
    pub is_entry: bool,
    pub kind: TypeName,
    pub text: String,
    pub polarity: Option<Polarity>,
    pub anchors: Vec<Anchor>,
    /// Files it speaks of.
    paths: BTreeSet<String>,
    subject: Option<String>,
    enforcement: Option<Value>,
    exceptions: Vec<String>,
    scope: String,
    words: BTreeSet<String>,
    claim: String,
    /// Entries it is tied to as a contradiction.
    against: BTreeSet<String>,
    tied: BTreeSet<String>,
}

/// Compares what waits with itself and with the entries. With `link`, entries that belong together are tied.
pub fn reflect(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    link: bool,
) -> Result<ReflectAnswer> {
    if link {
        ledger.may_write()?;
    }
    let staging = Staging::read(site.state().clone())?;
    staging.odd.iter().for_each(|notice| ledger.notice(notice.clone()));
    let mut answer =
        ReflectAnswer { staged: staging.waiting.len(), compared_by: "words", ..ReflectAnswer::default() };
    let mut items: Vec<Item> = staging.waiting.values().map(of_staged).collect();
    let memories = vec![Memory::Semantic, Memory::Procedural];
    let page = ledger.list(&Query { memories, ..Query::default() })?;
    answer.entries = page.entries.len();
    let ids: HashMap<_, String> =
        page.entries.iter().map(|stored| (stored.entry.key, stored.id.clone())).collect();
    for stored in &page.entries {
        items.push(of_entry(stored, &ids));
        let gaps = stored.entry.gaps();
        if !gaps.is_empty() {
            let missing = gaps.iter().map(|gap| gap.word().to_owned()).collect();
            answer.gaps.push(GapLine { id: stored.id.clone(), missing });
        }
    }
    let mut near = pairs_by_words(&items);
    if let Ok(embedder) = crate::embedding::embedder(ledger, models)
        && let Ok(found) = pairs_by_meaning(ledger, &items, embedder.as_ref())
    {
        answer.compared_by = "meaning";
        for (pair, share) in found {
            let known = near.entry(pair).or_insert(0.0);
            *known = known.max(share);
        }
    }
    sort_pairs(&items, &near, &mut answer);
    answer.gaps.extend(changed_sources(&site.layout, &staging));
    answer.clusters = crate::health::signal_clusters(ledger, caller)?;
    if link {
        let mut linked = Vec::new();
        for related in answer.related.iter().filter(|related| related.can_be_linked) {
            let [from, to] = &related.pair;
            if crate::link::link(ledger, site, models, caller, from, Relation::RelatesTo.word(), to, false)?
                .outcome
                == ChangeOutcome::Changed
            {
                linked.push(related.pair.clone());
            }
        }
        answer.linked = Some(linked);
    }
    Ok(answer)
}

/// Makes duplicates, contradictions and relations of the pairs that are near each other.
fn sort_pairs(items: &[Item], near: &BTreeMap<(usize, usize), f64>, answer: &mut ReflectAnswer) {
    let pair = |a: &Item, b: &Item| [a.id.clone(), b.id.clone()];
    let statements = |a: &Item, b: &Item| [a.text.clone(), b.text.clone()];
    let clashes = clashes(items);
    for ((one, other), why) in &clashes {
        let (a, b) = (&items[*one], &items[*other]);
        let why = why.clone();
        answer.contradictions.push(ContradictingPair { pair: pair(a, b), why, statements: statements(a, b) });
    }
    for ((one, other), share) in near {
        let (a, b) = (&items[*one], &items[*other]);
        let same = a.claim == b.claim;
        if clashes.contains_key(&(*one.min(other), *one.max(other))) {
            continue;
        }
        let apart = if same { Vec::new() } else { differences(&a.as_claim(), &b.as_claim()) };
        if same || *share >= WORDS_SAME_MIN && apart.is_empty() {
            let how = if same { DuplicateKind::Same } else { DuplicateKind::Near };
            let near_percent = if same { 100 } else { percent(*share) };
            answer.duplicates.push(Duplicate {
                pair: pair(a, b),
                how,
                near_percent,
                statements: statements(a, b),
            });
        } else if *share >= WORDS_SAME_MIN {
            let why = format!("nearly the same words, but {}", apart[0]);
            relate(a, b, why, answer);
        } else if *share >= WORDS_SUBJECT_MIN {
            relate(a, b, format!("{} % of their words match", percent(*share)), answer);
        }
    }
    for (a, b, why) in pairs_by_check(items).into_iter().chain(pairs_by_place(items)) {
        let known = |found: &[String; 2]| found.contains(&a.id) && found.contains(&b.id);
        let told = answer.related.iter().any(|related| known(&related.pair))
            || answer.duplicates.iter().any(|duplicate| known(&duplicate.pair))
            || answer.contradictions.iter().any(|against| known(&against.pair));
        if !told {
            relate(a, b, why, answer);
        }
    }
    // What somebody tied as a contradiction is one, whatever its words are.
    for a in items {
        for b in items.iter().filter(|b| a.against.contains(&b.id)) {
            let found = pair(a, b);
            if !answer
                .contradictions
                .iter()
                .any(|known| known.pair.contains(&a.id) && known.pair.contains(&b.id))
            {
                let why = "somebody said so".to_owned();
                answer.contradictions.push(ContradictingPair {
                    pair: found,
                    why,
                    statements: statements(a, b),
                });
            }
        }
    }
    answer.duplicates.truncate(PAIRS_MAX);
    answer.related.truncate(PAIRS_MAX);
    answer.contradictions.truncate(PAIRS_MAX);
}

fn relate(a: &Item, b: &Item, why: String, answer: &mut ReflectAnswer) {
    // What is tied already needs no telling.
    if a.tied.contains(&b.id) || b.tied.contains(&a.id) {
        return;
    }
    let check = a.enforcement.as_ref().and_then(mechanical);
    let same = check.is_some() && check == b.enforcement.as_ref().and_then(mechanical);
    let why = if same { SAME_CHECK.to_owned() } else { why };
    let can_be_linked = a.is_entry && b.is_entry;
    answer.related.push(RelatedPair { pair: [a.id.clone(), b.id.clone()], why, can_be_linked });
}

/// Candidates whose source is gone or says something else by now.
fn changed_sources(layout: &Layout, staging: &Staging) -> Vec<GapLine> {
    let mut tree = WorkingTree::new(&layout.root, layout.git.as_ref(), Default::default());
    let mut texts: HashMap<String, Option<String>> = HashMap::new();
    let mut gaps = Vec::new();
    for staged in staging.waiting.values() {
        let Place::Lines { path, .. } = &staged.candidate.place else { continue };
        let text = texts.entry(path.clone()).or_insert_with(|| match tree.look(path) {
            Look::File { .. } => {
                tree.read(path).ok().flatten().map(|bytes| bare(&String::from_utf8_lossy(&bytes)))
            }
            Look::Absent | Look::Folder | Look::Unknown(_) => None,
        });
        let missing = match text {
            None => format!("{path} no longer exists"),
            // A row of a table is quoted with marks between its cells.
            Some(text) if staged.candidate.quote.split(" | ").all(|part| text.contains(&bare(part))) => {
                continue;
            }
            Some(_) => format!("{path} no longer says it"),
        };
        gaps.push(GapLine { id: staged.id.clone(), missing: vec![missing] });
    }
    gaps
}

/// Pairs with a candidate in them that are near in meaning.
fn pairs_by_meaning(
    store: &mut Ledger,
    items: &[Item],
    embedder: &dyn Embedder,
) -> Result<BTreeMap<(usize, usize), f64>> {
    let calibration = embedder.card().calibration;
    let staged: Vec<usize> = (0..items.len()).filter(|at| !items[*at].is_entry).take(MEANINGS_MAX).collect();
    let texts: Vec<&str> = staged.iter().map(|at| items[*at].text.as_str()).collect();
    if texts.is_empty() {
        return Ok(BTreeMap::new());
    }
    let meanings = embedder.embed(&texts)?;
    let mut found = BTreeMap::new();
    for (one, first) in meanings.iter().enumerate() {
        for (other, second) in meanings.iter().enumerate().skip(one + 1) {
            let cosine: f64 = first.iter().zip(second).map(|(a, b)| f64::from(a * b)).sum();
            if cosine >= calibration.ask_min {
                found.insert((staged[one], staged[other]), cosine);
            }
        }
    }
    let ids: HashMap<String, usize> =
        items.iter().enumerate().map(|(at, item)| (item.id.clone(), at)).collect();
    for at in staged {
        let fields = ken_core::Fields { statement: Some(items[at].text.clone()), ..Default::default() };
        let memory = items[at].kind.known().map_or(Memory::Semantic, Type::memory);
        let near = crate::ops::similar::near(store, memory, &fields, embedder)?.unwrap_or_default();
        for near in near.iter().filter(|near| near.cosine >= calibration.ask_min) {
            let id = store.stored(near.key)?.map(|stored| stored.id);
            if let Some(other) = id.and_then(|id| ids.get(&id)) {
                found.insert((at.min(*other), at.max(*other)), near.cosine);
            }
        }
    }
    Ok(found)
}

/// Norms that cannot both be followed, by their places, and why.
fn clashes(items: &[Item]) -> BTreeMap<(usize, usize), String> {
    let duties: Vec<(usize, Norm<'_>)> =
        items.iter().enumerate().filter_map(|(at, item)| Some((at, item.as_norm()?))).collect();
    let norms: Vec<Norm<'_>> = duties.iter().map(|(_, norm)| *norm).collect();
    let found = contradiction::among(&norms).into_iter();
    found.map(|(one, other, clash)| ((duties[one].0, duties[other].0), clash.why)).collect()
}

impl Item {
    fn as_norm(&self) -> Option<Norm<'_>> {
        let kind = self.kind.known().filter(|kind| kind.memory() == Memory::Procedural)?;
        Some(Norm {
            id: &self.id,
            kind: Some(kind),
            rule: &self.text,
            subject: self.subject.as_deref(),
            merge_key: None,
            enforcement: self.enforcement.as_ref(),
            exceptions: &self.exceptions,
            scope: &self.scope,
        })
    }

    fn as_claim(&self) -> Claim<'_> {
        Claim { text: &self.text, polarity: self.polarity, anchors: &self.anchors }
    }
}

fn of_staged(staged: &super::Staged) -> Item {
    let candidate = &staged.candidate;
    Item {
        id: staged.id.clone(),
        is_entry: false,
        kind: TypeName::Known(candidate.kind),
        polarity: Some(candidate.polarity),
        anchors: Vec::new(),
        paths: paths_in(&candidate.statement),
        subject: None,
        enforcement: candidate.enforcement.clone(),
        exceptions: Vec::new(),
        scope: Scope::Project.word().to_owned(),
        words: content(&candidate.statement),
        claim: normalise_statement(&candidate.statement),
        text: candidate.statement.clone(),
        against: BTreeSet::new(),
        tied: BTreeSet::new(),
    }
}

fn of_entry(stored: &crate::Stored, ids: &HashMap<ken_core::EntryKey, String>) -> Item {
    let fields = &stored.entry.fields;
    let text = fields.statement().into_owned();
    let mut paths = paths_in(&text);
    paths
        .extend(fields.anchors.iter().map(|anchor| anchor.path().to_owned()).filter(|path| !path.is_empty()));
    let tied = |wanted: &dyn Fn(Relation) -> bool| -> BTreeSet<String> {
        stored
            .entry
            .links
            .iter()
            .filter(|link| wanted(link.relation))
            .filter_map(|link| ids.get(&link.to).cloned())
            .collect()
    };
    Item {
        id: stored.id.clone(),
        is_entry: true,
        kind: stored.entry.kind.clone(),
        polarity: fields.polarity,
        anchors: fields.anchors.clone(),
        paths,
        subject: fields.subject.as_deref().map(normalise_statement),
        enforcement: fields.enforcement.clone(),
        exceptions: fields.exceptions.clone(),
        scope: fields.scope_key(),
        words: content(&text),
        claim: normalise_statement(&text),
        text,
        against: tied(&|relation| relation == Relation::Contradicts),
        tied: tied(&|_| true),
    }
}

/// Pairs that share many of their words; a word that everybody uses finds none.
fn pairs_by_words(items: &[Item]) -> BTreeMap<(usize, usize), f64> {
    let mut holders: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, item) in items.iter().enumerate() {
        for word in &item.words {
            holders.entry(word).or_default().push(at);
        }
    }
    let mut seen: BTreeSet<(usize, usize)> = BTreeSet::new();
    for at in holders.values().filter(|at| at.len() <= COMMON_WORD_MIN) {
        for (number, one) in at.iter().enumerate() {
            seen.extend(at[number + 1..].iter().map(|other| (*one, *other)));
        }
    }
    let share = |(one, other): (usize, usize)| ((one, other), shared(&items[one].words, &items[other].words));
    seen.into_iter().map(share).filter(|(_, share)| *share >= WORDS_SUBJECT_MIN).collect()
}

/// Pairs of norms that a machine checks in the same way, whatever their words are.
fn pairs_by_check(items: &[Item]) -> Vec<(&Item, &Item, String)> {
    let mut holders: BTreeMap<String, Vec<&Item>> = BTreeMap::new();
    for item in items {
        if let Some(check) = item.enforcement.as_ref().and_then(mechanical) {
            holders.entry(check).or_default().push(item);
        }
    }
    let mut found = Vec::new();
    for alike in holders.into_values() {
        for (number, one) in alike.iter().enumerate() {
            let why = || SAME_CHECK.to_owned();
            found.extend(alike[number + 1..].iter().take(PAIRS_MAX).map(|other| (*one, *other, why())));
        }
        found.truncate(PAIRS_MAX);
    }
    found
}

/// What a machine checks, as one text; none where no machine does.
fn mechanical(enforcement: &Value) -> Option<String> {
    let mut check = enforcement.as_object()?.clone();
    let is_mechanical = match check.remove("kind") {
        Some(kind) => kind == "mechanical",
        // A rule or a check needs no kind to be one.
        None => check.contains_key("rule") || check.contains_key("check"),
    };
    is_mechanical.then(|| ken_core::canonical::to_string(&check))
}

/// Pairs that speak of the same file, or have the same subject.
fn pairs_by_place(items: &[Item]) -> Vec<(&Item, &Item, String)> {
    let mut holders: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, item) in items.iter().enumerate() {
        for path in &item.paths {
            holders.entry(format!("both are about {path}")).or_default().push(at);
        }
        if let Some(subject) = &item.subject {
            holders.entry(format!("both are about {subject}")).or_default().push(at);
        }
    }
    let mut found = Vec::new();
    // A file that everything speaks of ties nothing together.
    for (why, at) in holders.into_iter().filter(|(_, at)| at.len() <= 12) {
        for (number, one) in at.iter().enumerate() {
            found.extend(at[number + 1..].iter().map(|other| (&items[*one], &items[*other], why.clone())));
        }
    }
    found.truncate(PAIRS_MAX);
    found
}

fn shared(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let both = a.intersection(b).count();
    both as f64 / (a.len() + b.len() - both).max(1) as f64
}

fn percent(share: f64) -> u8 {
    (share.clamp(0.0, 1.0) * 100.0).round() as u8
}

/// The words of a text that say what it is about.
fn content(text: &str) -> BTreeSet<String> {
    const DUTY: [&str; 12] =
        ["must", "should", "shall", "never", "always", "not", "do", "don't", "need", "has", "have", "may"];
    let told = |word: &&str| {
        let lower = word.to_lowercase();
        let lower = lower.trim_matches(|c: char| !c.is_alphanumeric());
        !lower.is_empty() && !DUTY.contains(&lower) && !ken_recall::terms::is_stop_word(lower)
    };
    let kept: Vec<&str> = text.split_whitespace().filter(told).collect();
    ken_recall::terms::words(&kept.join(" ")).into_iter().map(|word| word.form).collect()
}

/// The files that a text names: words with a `/` in them.
fn paths_in(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')' | '`' | '"'));
    let path = |word: &str| {
        let word = word.trim_matches(|c: char| matches!(c, '.' | ':' | '*')).trim_end_matches('/');
        let fits = word.len() > 2
            && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-'));
        fits.then(|| word.to_owned())
    };
    words.filter(|word| word.contains('/') && !word.contains("//")).filter_map(path).collect()
}

/// Letters and digits alone: markup and line breaks make no difference.
fn bare(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
