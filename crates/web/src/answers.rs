//! What pages read of the answers of verbs. A field that an answer leaves out is empty.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::parts::shown;

/// An answer, or a part of one: everything may be missing.
macro_rules! answers {
    ($($(#[$doc:meta])* $name:ident { $($(#[$attribute:meta])* $field:ident: $kind:ty,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug, Default, Deserialize)]
            #[serde(default)]
            pub(crate) struct $name { $($(#[$attribute])* pub(crate) $field: $kind,)* }
        )*
    };
}

answers! {
    /// The fields by which every answer names an entry, and what some say beside them.
    Named {
        id: String,
        handle: String,
        memory: String,
        #[serde(rename = "type")]
        kind: String,
        status: String,
        title: String,
        statement: String,
        verdict: String,
        why: String,
        line: String,
        similarity: f64,
    }

    /// `show`.
    Entry {
        id: String,
        handle: String,
        memory: String,
        #[serde(rename = "type")]
        kind: String,
        status: String,
        status_reason: String,
        overlay: Overlay,
        title: String,
        statement: String,
        summary: String,
        detail: String,
        tags: Vec<String>,
        domains: Vec<String>,
        anchors: Vec<Anchor>,
        verification: Vec<Value>,
        depends_on: Vec<String>,
        scope: String,
        decay_class: String,
        reviewer: String,
        polarity: String,
        provenance: Vec<Citation>,
        validity: Validity,
        belief: Belief,
        last_confirmed: String,
        confirmation: String,
        review_debt: u64,
        prediction_errors: u64,
        gaps: Vec<String>,
        unverified: bool,
        /// That the run that stated it failed.
        failed_source: String,
        /// That the last run that used it failed.
        failed_last: String,
        state: String,
        links: Vec<Link>,
        linked_from: Vec<Link>,
        superseded_by: String,
        merged_into: String,
        merged_from: Vec<String>,
        scan: Option<Scan>,
        taint: Vec<Taint>,
        released: Option<Released>,
        authority: Option<Authority>,
        similar_to: Vec<Similar>,
        wordings: Vec<Value>,
        on_this_branch: bool,
        file: String,
        created: String,
        created_by: String,
        updated: String,
        code: Vec<Code>,
        exposures: Vec<Shown>,
        used_with: Vec<UsedWith>,
        /// The fields of its type, and the user's own.
        #[serde(flatten)]
        other: Map<String, Value>,
    }

    Overlay {
        pinned: Option<Mark>,
        muted: Option<Mark>,
        invalidated: Option<Mark>,
        notes: Vec<Note>,
    }

    Mark { by: String, at: String, reason: String, }

    Note { by: String, at: String, text: String, }

    Anchor { at: String, }

    Citation { evidence_type: String, evidence_ref: String, cited_by: String, cited_at: i64, unverified: bool, withdrawn: bool, }

    /// Whether an entry still holds.
    Validity { verdict: String, because: Vec<Value>, conditions: Vec<Condition>, anchors: Vec<Held>, }

    Condition { text: String, verdict: String, why: String, }

    /// What became of the code at an anchor.
    Held { at: String, verdict: String, now: String, why: String, }

    Belief { alpha: f64, beta: f64, mean: f64, observations: f64, }

    Link { relation: String, to: String, title: String, }

    Scan { scanner: u64, tier: String, findings: Vec<Finding>, }

    Finding { axis: String, rule: String, severity: String, field: String, }

    Taint { from: String, tier: String, }

    Released { by: String, reason: String, at: String, }

    /// Whether a norm is in force, and who approved it.
    Authority { state: String, by: String, why: String, promotion: String, solo: bool, }

    Similar { id: String, similarity: f64, }

    /// The code at an anchor, as it was captured and as it is now.
    Code { at: String, captured: Option<Excerpt>, now: Option<Excerpt>, why: String, }

    Excerpt { path: String, line: u64, text: String, cut: bool, }

    /// Who was shown an entry, and where.
    Shown {
        run: String,
        agent: String,
        how: String,
        at: String,
        /// How often, in the same run and in the same way; counted by the page.
        #[serde(skip)]
        times: usize,
    }

    /// An entry that runs used together with this one.
    UsedWith { id: String, handle: String, title: String, weight: f64, }

    /// `why`.
    Why { entry: Entry, because: Vec<String>, history: Vec<Event>, }

    Event {
        hash: String,
        at: String,
        actor: String,
        #[serde(rename = "type")]
        kind: String,
        summary: String,
        data: Value,
        on_this_branch: bool,
    }

    /// `belief`.
    BeliefHistory { alpha: f64, beta: f64, mean: f64, interval: Vec<f64>, observations: f64, decay_class: String, history: Vec<BeliefPoint>, }

    BeliefPoint { date: String, mean: f64, interval: Vec<f64>, what: String, weight: f64, }

    /// `status`.
    Status {
        holds: Option<Holds>,
        /// None where git does not track the store.
        uncommitted: Option<Uncommitted>,
        broken: u64,
        drifted: u64,
        checked_at: String,
        damaged_lines: u64,
        waiting: Waiting,
        next: String,
    }

    Holds { entries: u64, verified: u64, active: u64, candidate: u64, not_in_use: u64, global: u64, }

    Uncommitted { added: u64, changed: u64, removed: u64, other_files: u64, }

    Waiting { rejected: u64, drafts: u64, duplicates: u64, approvals: u64, contradictions: u64, held: u64, open: u64, }

    /// `brief`.
    Brief { fallen: Vec<Named>, believed: Vec<Named>, insights: Vec<Insight>, }

    Insight { rule: String, severity: String, text: String, entries: Vec<Named>, affected: u64, action: String, task: Option<Task>, }

    Task { role: String, goal: String, }

    /// `log` with `daily`.
    Log { days: Vec<Day>, }

    /// What happened on a day.
    Day { date: String, added: u64, changed: u64, runs: u64, }

    /// `list`.
    List { items: Vec<Listed>, cursor: String, total: u64, }

    Listed {
        id: String,
        handle: String,
        memory: String,
        #[serde(rename = "type")]
        kind: String,
        status: String,
        title: String,
        statement: String,
        tags: Vec<String>,
        domains: Vec<String>,
        scope: String,
        reviewer: String,
        belief: Belief,
        gaps: Vec<String>,
        unverified: bool,
        failed_source: String,
        failed_last: String,
        overlay: Overlay,
        created_by: String,
        updated: String,
        authority: Option<Authority>,
        links: Vec<Link>,
        used_with: Vec<UsedWith>,
        changes: Vec<Change>,
    }

    /// A field that differs, in a diff.
    Change { field: String, before: String, after: String, }

    /// `search`.
    Search { status: String, fallback: String, results: Vec<Match>, understood: Understood, }

    Understood { text: String, confidence: f64, words_weight: f64, meaning_weight: f64, }

    Match {
        id: String,
        handle: String,
        memory: String,
        #[serde(rename = "type")]
        kind: String,
        status: String,
        title: String,
        score: f64,
        parts: Vec<Part>,
        validity: String,
        trouble: String,
        belief: Belief,
        confidence: String,
        preview: String,
        overlay: Overlay,
        scope: String,
        source: String,
        date: String,
        unverified: bool,
        gaps: Vec<String>,
        tags: Vec<String>,
        domains: Vec<String>,
        /// Entries that say the opposite.
        competing_with: Vec<Named>,
        held_back: String,
        failed_source: String,
        failed_last: String,
    }

    Part { signal: String, value: f64, weight: f64, part: f64, why: String, }

    /// `queue`.
    Queue { items: Vec<Item>, total: u64, kept_out: Vec<KeptOut>, results: Vec<Ruled>, }

    /// What the scan kept out. Its statement is for a person.
    KeptOut { id: String, handle: String, by: String, why: String, statement: String, }

    Item { item: String, question: String, answers: Vec<String>, fixes: Vec<Fix>, entries: Vec<Named>, }

    Fix { does: String, command: String, }

    Ruled { item: String, accepted: bool, done: String, }

    /// `task list` and `review list`.
    Runs { items: Vec<Run>, total: usize, }

    /// A run, as a list, a report or `task show` has it.
    Run {
        run: String,
        kind: String,
        state: String,
        /// Of a review: `safe`, `needs-changes`, `risky`, `error`.
        verdict: String,
        about: String,
        by: String,
        started: String,
        finished: String,
        quality: Option<f64>,
        strategy: String,
        agents: Vec<Agent>,
        rounds: Option<f64>,
        cost: Option<f64>,
        duration: Option<f64>,
        accessed: u64,
        used: Option<u64>,
        extracted: u64,
        exposures: BTreeMap<String, Vec<Exposure>>,
        reported: Vec<String>,
        created: Vec<String>,
        findings: Vec<ReviewFinding>,
        compounding: Option<Value>,
    }

    Agent { name: String, role: String, family: String, }

    Exposure { id: String, handle: String, how: String, title: String, }

    ReviewFinding { title: String, text: String, places: Vec<String>, severity: f64, severity_word: String, agents: Vec<String>, }

    /// `outcomes`.
    Outcomes {
        totals: Totals,
        strategies: BTreeMap<String, Totals>,
        #[serde(rename = "items")]
        runs: Vec<Run>,
        cursor: String,
    }

    Totals {
        runs: u64,
        succeeded: u64,
        failed: u64,
        killed: u64,
        abandoned: u64,
        ended: u64,
        open: u64,
        rated: u64,
        success_rate: Option<f64>,
        quality: Option<f64>,
        rounds: Option<f64>,
        cost: Option<f64>,
    }

    /// `health report`.
    Health { made_at: String, counts: Counts, }

    Counts { entries: u64, handed_out: u64, by: Vec<Counted>, }

    Counted {
        memory: String,
        #[serde(rename = "type")]
        kind: String,
        status: String,
        count: u64,
    }

    /// `health review`.
    HealthReview { tripped: u64, thresholds: Vec<Threshold>, notes: Vec<String>, }

    Threshold { about: String, setting: String, value: f64, limit: f64, tripped: bool, entries: Vec<Value>, more: u64, actions: Vec<Value>, }

    /// `friction report`.
    Friction { period: String, since: String, total: FrictionCount, types: Vec<FrictionCount>, causes: Vec<FrictionCount>, }

    FrictionCount {
        cause: String,
        #[serde(rename = "type")]
        kind: String,
        types: Vec<String>,
        records: u64,
        before: u64,
        trend: String,
        minutes: f64,
        examples: Vec<String>,
    }

    /// `signals`.
    Signals {
        signals: u64,
        alone: u64,
        #[serde(rename = "items")]
        clusters: Vec<Cluster>,
    }

    /// Signals that say much the same, and what they need before something can be proposed.
    Cluster { kind: String, tags: Vec<String>, severity: String, weight: f64, threshold: f64, missing: f64, told: String, qualifies: bool, signals: Vec<Named>, proposal: String, }

    /// `forage status`.
    Forage {
        on: bool,
        provider: String,
        pages: u64,
        pages_max: u64,
        waiting: Vec<ForageWaiting>,
        cycles: Vec<ForageCycle>,
        overrides: Vec<ForageOverride>,
    }

    ForageWaiting { at: String, by: String, trigger: String, query: String, }

    ForageCycle { at: String, by: String, trigger: String, query: String, ended: String, pages: u64, entries: u64, rejected: u64, }

    ForageOverride { domain: String, action: String, by: String, at: String, reason: String, }

    /// `forage strategies`.
    ForageStrategies { domains: Vec<ForageStrategy>, }

    ForageStrategy { domain: String, level: u64, successes: u64, failures: u64, }

    /// `drift`.
    Drift { reviewers: Vec<Reviewer>, store: Option<Reviewer>, recommendation: String, check: CheckSummary, }

    Reviewer { reviewer: String, entries: u64, signals: DriftSignals, recommendation: String, }

    DriftSignals {
        stale: Vec<Named>,
        bloated: Vec<Named>,
        contradictory: Vec<Named>,
        orphaned: Vec<Named>,
        drifted: Vec<Named>,
        broken: Vec<Named>,
    }

    CheckSummary { entries: u64, fresh: u64, moved: u64, drifted: u64, broken: u64, unverifiable: u64, to_accept: u64, }

    /// `check`.
    Check { entries: Vec<Checked>, summary: CheckSummary, files: u64, base: String, head: String, }

    Checked {
        id: String,
        handle: String,
        memory: String,
        #[serde(rename = "type")]
        kind: String,
        status: String,
        title: String,
        verdict: String,
        /// What a change does to it: `contradicts`, `reanchors`, `mends` ...
        effect: String,
        was: String,
        conditions: Vec<Condition>,
        anchors: Vec<Held>,
    }

    /// `promote list`.
    Promotions {
        approvers: Vec<String>,
        #[serde(rename = "items")]
        promotions: Vec<Promotion>,
        solo: bool,
        /// Why this visitor may answer no proposal.
        cannot_answer: String,
        /// Why this visitor may not approve some of them, by their ids.
        cannot_approve: BTreeMap<String, String>,
    }

    Promotion {
        id: String,
        entry: String,
        evidence: Vec<String>,
        notes: Vec<String>,
        proposed_at: String,
        proposer: String,
        reason: String,
        /// What the entry says that should count, where it is there already.
        says: Map<String, Value>,
        /// What the new entry would say.
        draft: Map<String, Value>,
        sources: Vec<Named>,
        state: String,
        to: String,
        answered_by: String,
        answered_at: String,
        solo: bool,
        /// Hash of the words that an approval would be of.
        words: String,
    }

    /// `gate`.
    Gate { passed: bool, blocking: u64, warnings: u64, judged: String, gates: Vec<GateLine>, norms: Vec<NormLine>, notes: Vec<String>, }

    GateLine { name: String, checks: String, on_failure: String, state: String, found: Vec<GateFinding>, }

    GateFinding { level: String, id: String, handle: String, title: String, message: String, hint: String, }

    NormLine { norm: String, rule: String, enforcement: String, state: String, blocks: bool, why: String, places: Vec<NormPlace>, solo: bool, }

    NormPlace { commit: String, path: String, line: u64, why: String, }

    /// `diff`.
    Diff { added: Vec<Listed>, changed: Vec<Listed>, removed: Vec<Listed>, totals: DiffTotals, }

    DiffTotals { added: usize, changed: usize, removed: usize, }

    /// What verbs that change an entry answer.
    Changed { id: String, outcome: String, reasons: Vec<String>, undone: Vec<Changed>, }

    /// `show` with `quarantined`.
    Quarantined { entries: Vec<HeldBack>, }

    HeldBack { id: String, held: Option<Value>, }

    /// `show` of several entries.
    Entries { entries: Vec<Entry>, }
}

impl Entry {
    /// Names what the form for revising it shows: two that are the same have the same.
    pub(crate) fn fingerprint(&self) -> String {
        let anchors: Vec<&str> = self.anchors.iter().map(|anchor| anchor.at.as_str()).collect();
        let steps: Vec<String> = self.verification.iter().map(shown).collect();
        let mut hasher = DefaultHasher::new();
        (&self.title, &self.statement, &self.detail, &self.tags, anchors, steps).hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    }

    /// Names the words that a confirmation is of (COR-18): neither tags nor anchors, which say where it is found.
    pub(crate) fn words(&self) -> String {
        let steps: Vec<String> = self.verification.iter().map(shown).collect();
        let enforcement = self.other.get("enforcement").map(shown);
        let mut hasher = DefaultHasher::new();
        (&self.title, &self.statement, &self.summary, &self.detail, steps).hash(&mut hasher);
        (&self.depends_on, &self.polarity, enforcement).hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    }
}

impl Quarantined {
    /// Names what the quarantine holds: a release is of these words. Empty where it holds nothing.
    pub(crate) fn words(&self) -> String {
        let held: Vec<String> =
            self.entries.iter().filter_map(|entry| entry.held.as_ref()).map(shown).collect();
        if held.is_empty() {
            return String::new();
        }
        let mut hasher = DefaultHasher::new();
        held.hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    }
}
