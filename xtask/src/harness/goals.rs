//! Every figure with its goal: the one place where either is written down.
//!
//! The word before the dot is the suite. A figure that a suite measures and that is not here stops the suite; a figure that is here and
//! that its suite does not measure is told by `cargo xtask score`.

use super::figure::Better::{self, Higher, Lower};
use super::figure::Limit::{self, AtLeast, AtMost, BeyondFloorAtMost, RatioAtMost};
use super::figure::Unit::{self, Bytes, Count, PerSecond, Percent, Points, Seconds, Share, Times};
use super::figure::{Goal, Noise, Spec};

const fn spec(
    name: &'static str,
    what: &'static str,
    unit: Unit,
    better: Better,
    goals: &'static [Goal],
) -> Spec {
    Spec { name, what, unit, better, goals, noise: None, pending: None }
}

const fn time(name: &'static str, what: &'static str, goals: &'static [Goal]) -> Spec {
    spec(name, what, Seconds, Lower, goals)
}

const fn rate(name: &'static str, what: &'static str, goals: &'static [Goal]) -> Spec {
    spec(name, what, PerSecond, Higher, goals)
}

const fn bytes(name: &'static str, what: &'static str, goals: &'static [Goal]) -> Spec {
    spec(name, what, Bytes, Lower, goals)
}

const fn found(name: &'static str, what: &'static str, goals: &'static [Goal]) -> Spec {
    spec(name, what, Percent, Higher, goals)
}

const fn wrong(name: &'static str, what: &'static str, goals: &'static [Goal]) -> Spec {
    spec(name, what, Percent, Lower, goals)
}

const fn share(name: &'static str, what: &'static str, goals: &'static [Goal]) -> Spec {
    spec(name, what, Share, Higher, goals)
}

const fn always(limit: Limit) -> Goal {
    Goal { at: None, limit }
}

const fn at(size: usize, limit: Limit) -> Goal {
    Goal { at: Some(size), limit }
}

impl Spec {
    const fn with_noise(self, noise: Noise) -> Spec {
        Spec { noise: Some(noise), ..self }
    }

    const fn pending(self, why: &'static str) -> Spec {
        Spec { pending: Some(why), ..self }
    }
}

/// A thousandth of a second.
const MS: f64 = 0.001;
/// The sizes of store that have goals.
const SMALL: usize = 10_000;
const LARGE: usize = 100_000;
const HUGE: usize = 1_000_000;

pub(crate) const FIGURES: &[Spec] = &[
    // Ledger: start, read, durable add, bulk add, rebuild, catch-up, room.
    bytes("ledger.binary", "the measured `ken` binary", &[always(AtMost(56e6))]),
    time("ledger.version", "`ken --version`", &[]),
    time("ledger.version_cpu", "`ken --version`, processor time", &[always(AtMost(1.5 * MS))]),
    spec(
        "ledger.first_syncs",
        "syncs of the first `ken add` in a new store",
        Count,
        Lower,
        &[always(AtMost(6.0))],
    ),
    rate("ledger.bulk_add", "bulk `ken add --file`", &[always(AtLeast(8_000.0)), always(RatioAtMost(2.5))]),
    bytes("ledger.room_files", "bytes per entry, ledger files", &[]),
    bytes("ledger.room_journal", "bytes per entry, journal", &[]),
    bytes("ledger.room_index", "bytes per entry, index", &[]),
    bytes("ledger.room_page", "bytes per entry, INDEX.md", &[]),
    bytes("ledger.room_packed", "bytes per entry, packed by git", &[]),
    time("ledger.show", "`ken show ID`", &[always(AtMost(10.0 * MS))]),
    time("ledger.list", "`ken list`", &[]),
    time("ledger.list_tag", "`ken list --tag T`", &[]),
    time("ledger.add", "durable `ken add`", &[]),
    spec("ledger.syncs", "most syncs of a `ken add`", Count, Lower, &[always(AtMost(2.0))]),
    rate("ledger.rebuild", "`ken rebuild`, entries", &[always(AtLeast(40_000.0))]),
    time(
        "ledger.show_changed",
        "`ken show` after git changed that file",
        &[always(BeyondFloorAtMost(50.0 * MS))],
    ),
    time(
        "ledger.list_changed",
        "`ken list` after git changed one file",
        &[always(BeyondFloorAtMost(50.0 * MS))],
    ),
    spec(
        "ledger.stale",
        "changed files that `ken show` did not notice",
        Count,
        Lower,
        &[always(AtMost(0.0))],
    ),
    // Recall: searching, embeddings, memory.
    rate("recall.embed_avx512", "texts embedded on one core, avx512", &[always(AtLeast(100.0))]),
    rate("recall.embed_avx512bw", "texts embedded on one core, avx512 without VNNI", &[]),
    rate("recall.embed_avx2", "texts embedded on one core, avx2", &[always(AtLeast(50.0))]),
    rate("recall.embed_command", "`ken rebuild --embeddings`, texts of about 90 tokens", &[]),
    rate("recall.bulk_add", "bulk `ken add --file` with the search index", &[]),
    time(
        "recall.cold",
        "cold `ken search`, exposure recorded",
        &[at(SMALL, AtMost(25.0 * MS)), at(LARGE, AtMost(50.0 * MS))],
    ),
    time(
        "recall.cold_unrecorded",
        "cold `ken search --mode hybrid`, nothing recorded",
        &[at(SMALL, AtMost(25.0 * MS)), at(LARGE, AtMost(50.0 * MS))],
    ),
    time(
        "recall.cold_keyword",
        "cold `ken --no-model search`, exposure recorded",
        &[at(SMALL, AtMost(25.0 * MS)), at(LARGE, AtMost(50.0 * MS))],
    ),
    bytes(
        "recall.memory",
        "anonymous memory of a cold `ken search`, highest sample",
        &[at(LARGE, AtMost(40e6))],
    )
    .with_noise(Noise::Relative(0.1)),
    time(
        "recall.warm",
        "warm search in the library, exposure recorded",
        &[at(LARGE, AtMost(8.0 * MS)), at(HUGE, AtMost(60.0 * MS))],
    ),
    time("recall.warm_p99", "the same, p99", &[at(LARGE, AtMost(25.0 * MS))])
        .with_noise(Noise::Relative(0.6)),
    time(
        "recall.warm_unrecorded",
        "warm search in the library, nothing recorded",
        &[at(LARGE, AtMost(12.0 * MS))],
    ),
    bytes("recall.room", "bytes per entry, search tables and vectors", &[always(AtMost(1_000.0))]),
    bytes("recall.room_all", "bytes per entry, whole index and vectors", &[]),
    time(
        "recall.rank_in_memory",
        "ranking in memory, no store, query embedded",
        &[always(AtMost(60.0 * MS))],
    ),
    // Recall: what is found.
    share("recall.fixture_lexical", "our fixture, keyword search: R@10", &[]),
    share("recall.fixture_hybrid", "our fixture, hybrid: R@10", &[]),
    share("recall.fixture_composite", "our fixture, composite: R@10", &[]),
    found("recall.fixture_empty", "our fixture: questions without an answer that get none", &[]),
    share("recall.locomo_lexical", "LoCoMo, keyword search: R@10", &[always(AtLeast(0.70))]),
    share("recall.locomo_hybrid", "LoCoMo, hybrid: R@10", &[always(AtLeast(0.74))]),
    share("recall.locomo_hybrid_20", "LoCoMo, hybrid: R@20", &[always(AtLeast(0.81))]),
    share("recall.cosqa_hybrid", "CoSQA, hybrid: R@10", &[always(AtLeast(0.80))]),
    spec(
        "recall.over_half",
        "hybrid over its better half, worst lower bound of all sets",
        Points,
        Higher,
        &[always(AtLeast(-2.0))],
    ),
    spec(
        "recall.composite_apart",
        "how far the composite order moves R@10, most of all sets",
        Points,
        Lower,
        &[always(AtMost(1.0))],
    ),
    // One lesson among very many.
    share("lessons.hybrid", "the lesson that was asked for, hybrid: R@10", &[at(LARGE, AtLeast(0.97))]),
    // Validity: the checks.
    rate("validity.add", "bulk `ken add --file` that captures anchors", &[at(SMALL, AtLeast(3_000.0))]),
    time(
        "validity.cold",
        "`ken check`, nothing known, a tenth of the files changed",
        &[at(SMALL, AtMost(3.0))],
    ),
    time("validity.warm", "`ken check`, nothing changed", &[at(SMALL, AtMost(60.0 * MS))]),
    time("validity.one_file", "`ken check`, one file changed", &[at(SMALL, AtMost(120.0 * MS))]),
    time(
        "validity.conditions",
        "`ken check` of ten conditions an entry, nothing changed",
        &[at(SMALL, AtMost(1.0))],
    ),
    // Validity: whether changed code is noticed.
    wrong("validity.stale_served", "changed code that is called unchanged", &[always(AtMost(1.0))]),
    wrong("validity.false_stale", "unchanged code that is called changed", &[always(AtMost(5.0))]),
    wrong("validity.wrong_place", "code that is found in a wrong place", &[]),
    // Learning.
    time("learning.cold_search", "cold `ken search`, no run yet", &[]),
    time("learning.warm_search", "warm search in the library, no run yet", &[]),
    time("learning.cold_search_used", "cold `ken search`, after many tasks", &[]),
    time("learning.warm_search_used", "warm search in the library, after many tasks", &[]),
    time("learning.review_start", "`review start` for 8 agents, in the library", &[]),
    time("learning.review_report", "`review report` of 25 findings, in the library", &[]),
    time(
        "learning.review_complete_library",
        "completing a review of 200 findings, in the library",
        &[at(SMALL, AtMost(300.0 * MS))],
    ),
    time(
        "learning.review_complete",
        "`ken review complete` of 200 findings",
        &[at(SMALL, AtMost(300.0 * MS))],
    ),
    time("learning.task_start", "`task start`, in the library", &[]),
    time("learning.task_finish", "`task finish` with 5 used entries, in the library", &[]),
    time("learning.confirm", "`confirm`, in the library", &[]),
    time("learning.feedback", "`feedback`, in the library", &[]),
    rate("learning.long_report", "`review report` of a far too long list, findings, in the library", &[]),
    rate("learning.long_complete", "`ken review complete` of it, findings", &[]),
    time(
        "learning.beliefs_folded",
        "belief in every entry, from records in memory",
        &[at(LARGE, AtMost(100.0 * MS))],
    ),
    time("learning.beliefs_open", "belief in every entry, from a store that is open", &[]),
    time(
        "learning.beliefs_cold",
        "belief in every entry, store opened for it",
        &[at(LARGE, AtMost(500.0 * MS))],
    ),
    rate("learning.observe", "receiving observations of another clone", &[]),
    // Belief: arithmetic.
    time("belief.fold", "belief in every entry, from records in memory", &[at(LARGE, AtMost(100.0 * MS))]),
    time("belief.read", "reading the records from their text", &[]),
    time("belief.intervals", "intervals of a thousand entries", &[]),
    time("belief.long", "belief in one entry with 20,000 observations", &[]),
    time("belief.history", "the history of that entry", &[]),
    // Belief: whether good entries are believed.
    share("belief.auc_own", "AUC after 30 uses, an outcome for each entry", &[always(AtLeast(0.99))]),
    share("belief.auc_most", "AUC after 30 uses, one outcome for all", &[always(AtLeast(0.99))]),
    spec(
        "belief.brier_own",
        "Brier score above the ideal observer's, an outcome for each entry",
        Share,
        Lower,
        &[always(AtMost(0.02))],
    ),
    spec(
        "belief.brier_most",
        "Brier score above the ideal observer's, one outcome for all",
        Share,
        Lower,
        &[always(AtMost(0.02))],
    ),
    found(
        "belief.false_sunk",
        "worlds in which a false entry sinks below every good one, and stays there",
        &[always(AtLeast(100.0))],
    ),
    // Health.
    time("health.report", "`ken health report`", &[at(SMALL, AtMost(50.0 * MS))]),
    time("health.review", "`ken health review`", &[at(SMALL, AtMost(50.0 * MS))]),
    time("health.signals", "`ken digest list --signals`", &[]),
    time("health.friction", "`ken friction report`", &[]),
    time(
        "health.report_library",
        "`health report`, in a library that stays open",
        &[at(SMALL, AtMost(50.0 * MS))],
    ),
    time(
        "health.review_library",
        "`health review`, in a library that stays open",
        &[at(SMALL, AtMost(50.0 * MS))],
    ),
    time("health.signals_library", "`signals`, in a library that stays open", &[]),
    time(
        "health.report_broken",
        "`ken health report`, entries about one file broken",
        &[at(SMALL, AtMost(50.0 * MS))],
    ),
    time("health.many_signals", "`ken digest list --signals --json` of nothing but signals", &[]),
    // Common verbs, in a process of their own. What reads three whole ledgers, or every line, has no goal.
    time("verbs.list", "`ken list`", &[at(3_000, AtMost(100.0 * MS))]),
    time("verbs.show", "`ken show ID`", &[at(3_000, AtMost(100.0 * MS))]),
    time("verbs.why", "`ken why ID`", &[at(3_000, AtMost(100.0 * MS))]),
    time("verbs.log", "`ken log ID`", &[at(3_000, AtMost(100.0 * MS))]),
    time("verbs.search", "`ken search`", &[at(3_000, AtMost(100.0 * MS))]),
    time("verbs.menu", "`ken surface --menu`", &[at(3_000, AtMost(100.0 * MS))]),
    time("verbs.surface", "`ken surface`", &[at(3_000, AtMost(100.0 * MS))]),
    time("verbs.brief", "`ken brief`", &[at(3_000, AtMost(100.0 * MS))]),
    time("verbs.stats", "`ken stats`", &[at(3_000, AtMost(100.0 * MS))]),
    time("verbs.queue", "`ken queue`", &[at(3_000, AtMost(100.0 * MS))]),
    time("verbs.drift", "`ken drift`", &[at(3_000, AtMost(100.0 * MS))]),
    time("verbs.check", "`ken check`", &[at(3_000, AtMost(100.0 * MS))]),
    time("verbs.gate", "`ken gate`", &[at(3_000, AtMost(100.0 * MS))]),
    time("verbs.diff", "`ken diff`, nothing changed", &[at(3_000, AtMost(100.0 * MS))]),
    time("verbs.diff_commit", "`ken diff`, a commit of three entries", &[at(3_000, AtMost(100.0 * MS))]),
    time("verbs.gate_diff", "`ken gate --diff`, the same commit", &[at(3_000, AtMost(300.0 * MS))]),
    time("verbs.check_diff", "`ken check --diff`, the same commit", &[at(3_000, AtMost(300.0 * MS))]),
    time("verbs.events", "`ken events`, the newest twenty", &[at(3_000, AtMost(100.0 * MS))]),
    time("verbs.commit", "`ken commit`, nothing to commit", &[at(3_000, AtMost(100.0 * MS))]),
    time("verbs.task_list", "`ken task list`", &[at(3_000, AtMost(100.0 * MS))]),
    time("verbs.promote_list", "`ken promote list`", &[at(3_000, AtMost(100.0 * MS))]),
    time("verbs.where", "`ken status --stores`", &[at(3_000, AtMost(100.0 * MS))]),
    time("verbs.verify", "`ken verify`", &[]),
    // MCP: what an agent host waits for.
    time("mcp.cold", "cold `initialize` and `tools/list`", &[always(AtMost(5.0 * MS))]),
    time("mcp.cold_discover", "cold `server/discover` and `tools/list`", &[always(AtMost(5.0 * MS))]),
    bytes("mcp.idle_memory", "memory of a server after the list of tools", &[always(AtMost(12e6))])
        .with_noise(Noise::Relative(0.1)),
    bytes("mcp.read_memory", "memory of a server after one entry was read", &[always(AtMost(12e6))])
        .with_noise(Noise::Relative(0.1)),
    bytes("mcp.recall_memory", "memory of a server after a hundred recalls", &[])
        .with_noise(Noise::Relative(0.1)),
    time("mcp.first_recall", "the first `recall`, which opens the store and the model", &[]),
    time("mcp.recall", "`recall` over pipes", &[always(AtMost(10.0 * MS))]),
    time("mcp.recall_p99", "the same, p99", &[always(AtMost(30.0 * MS))]).with_noise(Noise::Relative(0.6)),
    time("mcp.remember", "`remember` over pipes", &[always(BeyondFloorAtMost(3.0 * MS))]),
    spec("mcp.remember_syncs", "syncs of a `remember`", Count, Lower, &[]).with_noise(Noise::Absolute(0.3)),
    time("mcp.list_full", "`list` through the full profile", &[always(RatioAtMost(1.5))]),
    time("mcp.hook_session_start", "`ken hook session-start`, cold", &[always(AtMost(50.0 * MS))]),
    time("mcp.hook_prompt", "`ken hook prompt`, cold", &[always(AtMost(50.0 * MS))]),
    time("mcp.hook_touch", "`ken hook touch`, cold", &[always(AtMost(50.0 * MS))]),
    // Import.
    rate("import.flux_drive_first", "`ken import flux-drive`, files", &[at(SMALL, AtLeast(3_000.0))]),
    time("import.flux_drive_again", "`ken import flux-drive` again, nothing added", &[]),
    time("import.flux_drive_first_sync", "the first `ken mirror sync` of flux-drive", &[]),
    time(
        "import.flux_drive_idle_sync",
        "`ken mirror sync` of flux-drive, nothing changed",
        &[at(SMALL, AtMost(200.0 * MS))],
    ),
    time("import.flux_drive_edited_sync", "`ken mirror sync` of flux-drive, one file edited", &[]),
    rate("import.flux_drive_export", "`ken export flux-drive`, to the byte, files", &[]),
    rate("import.gsd_first", "`ken import gsd`, files", &[at(SMALL, AtLeast(3_000.0))]),
    time("import.gsd_again", "`ken import gsd` again, nothing added", &[]),
    time("import.gsd_first_sync", "the first `ken mirror sync` of gsd", &[]),
    time(
        "import.gsd_idle_sync",
        "`ken mirror sync` of gsd, nothing changed",
        &[at(SMALL, AtMost(200.0 * MS))],
    ),
    time("import.gsd_edited_sync", "`ken mirror sync` of gsd, one file edited", &[]),
    rate("import.gsd_export", "`ken export gsd`, to the byte, files", &[]),
    rate(
        "import.embed",
        "`ken rebuild --embeddings` after `ken import`, texts",
        &[always(RatioAtMost(1.25))],
    ),
    // Several processes and threads on one store.
    wrong(
        "concurrent.verify_alarms",
        "false alarms of `ken verify` with four writers at work",
        &[always(AtMost(0.0))],
    )
    .with_noise(Noise::Absolute(10.0)),
    wrong(
        "concurrent.doctor_alarms",
        "false alarms of `ken doctor` with four writers at work",
        &[always(AtMost(0.0))],
    )
    .with_noise(Noise::Absolute(10.0)),
    wrong("concurrent.refused_adds", "adds of four writers that fail", &[always(AtMost(0.0))]),
    rate("concurrent.adds", "adds of four writers together, a process each", &[]),
    rate("concurrent.http_adds_1", "adds over HTTP, one client", &[]),
    rate("concurrent.http_adds_4", "adds over HTTP, four clients", &[always(AtLeast(100.0))]),
    rate("concurrent.http_adds_8", "adds over HTTP, eight clients", &[always(AtLeast(100.0))]),
    time("concurrent.http_add_p99", "one of the adds of four clients, p99", &[always(AtMost(200.0 * MS))]),
    time(
        "concurrent.search_p95_beside",
        "one of twenty searches a second beside four clients that add, p95",
        &[always(RatioAtMost(2.0))],
    ),
    rate("concurrent.searches_1", "searches over HTTP, one client", &[]),
    rate("concurrent.searches_8", "searches over HTTP, eight clients", &[]),
    spec(
        "concurrent.searches_scaling",
        "searches of eight clients over those of one",
        Times,
        Higher,
        &[always(AtLeast(1.7))],
    ),
    rate("concurrent.searches_during_add", "searches over HTTP, eight clients, while a bulk add runs", &[])
        .with_noise(Noise::Relative(0.5)),
    rate("concurrent.library_searches_1", "searches in the library, one reader thread", &[])
        .pending("the library has no workspace yet that threads can share"),
    spec(
        "concurrent.library_scaling",
        "searches of eight reader threads over those of one",
        Times,
        Higher,
        &[always(AtLeast(1.7))],
    )
    .pending("the library has no workspace yet that threads can share"),
    // Large stores: processor time of what agents run often, and what looks at everything.
    time("scale.scan", "`ken scan` of 1 MiB of plain text", &[always(BeyondFloorAtMost(40.0 * MS))]),
    time("scale.list_cpu", "`ken list`, processor time", &[at(SMALL, AtMost(8.0 * MS))]),
    time("scale.search_cpu", "hybrid `ken search`, processor time", &[at(SMALL, AtMost(12.0 * MS))]),
    time("scale.add_cpu", "`ken add` without a model, processor time", &[at(SMALL, AtMost(8.0 * MS))]),
    time(
        "scale.list_cpu_beside",
        "`ken list`, processor time, a global store of 1,000 entries beside",
        &[at(SMALL, AtMost(8.0 * MS))],
    ),
    time(
        "scale.search_cpu_beside",
        "hybrid `ken search`, processor time, the same beside",
        &[at(SMALL, AtMost(12.0 * MS))],
    ),
    time(
        "scale.add_cpu_beside",
        "`ken add` without a model, processor time, the same beside",
        &[at(SMALL, AtMost(8.0 * MS))],
    ),
    time("scale.verify", "`ken verify`", &[at(SMALL, AtMost(0.8)), at(LARGE, AtMost(8.0))]),
    bytes(
        "scale.verify_memory",
        "anonymous memory of `ken verify`, highest sample",
        &[always(AtMost(150e6))],
    )
    .with_noise(Noise::Relative(0.1)),
    time("scale.gate", "`ken gate`", &[at(LARGE, AtMost(2.0))]),
    bytes("scale.gate_memory", "anonymous memory of `ken gate`, highest sample", &[always(AtMost(150e6))])
        .with_noise(Noise::Relative(0.1)),
    time("scale.drift", "`ken drift`", &[at(LARGE, AtMost(2.0))]),
    bytes("scale.drift_memory", "anonymous memory of `ken drift`, highest sample", &[always(AtMost(150e6))])
        .with_noise(Noise::Relative(0.1)),
    time("scale.list_all", "`ken list --all --limit 0`", &[]),
    bytes("scale.list_all_memory", "anonymous memory of the same, highest sample", &[always(AtMost(150e6))])
        .with_noise(Noise::Relative(0.1)),
    time("scale.doctor", "`ken doctor`", &[at(LARGE, AtMost(10.0))]),
    bytes(
        "scale.doctor_memory",
        "anonymous memory of `ken doctor`, highest sample",
        &[always(AtMost(150e6))],
    )
    .with_noise(Noise::Relative(0.1)),
    time("scale.brief", "`ken brief`", &[at(SMALL, AtMost(100.0 * MS))]),
    bytes("scale.brief_memory", "anonymous memory of `ken brief`, highest sample", &[always(AtMost(150e6))])
        .with_noise(Noise::Relative(0.1)),
    time("scale.health", "the resource ken://health, first read of a server", &[at(LARGE, AtMost(2.0))]),
    time("scale.fresh_clone", "the first command in a fresh clone", &[at(LARGE, AtMost(20.0))]),
    // A store after five years.
    bytes("age.session", "tracked bytes of one session of an agent", &[always(AtMost(1_000.0))]),
    bytes("age.tracked", "ledger files", &[]),
    bytes("age.objects", "the same as objects of git, not packed", &[]),
    time("age.fresh_clone", "the first command in a fresh clone", &[at(LARGE, AtMost(20.0))]),
    bytes("age.fresh_clone_memory", "its anonymous memory, highest sample", &[]),
    time("age.search", "keyword `ken search`", &[at(LARGE, AtMost(30.0 * MS))]),
    time("age.brief", "`ken brief`", &[at(LARGE, AtMost(100.0 * MS))]),
    time("age.check", "`ken check`", &[]),
    time("age.verify", "`ken verify`", &[]),
    bytes("age.verify_memory", "its anonymous memory, highest sample", &[]),
    time("age.after_pull", "the first command after a pull of a day's work", &[]),
    // The browser and the API.
    time("http.page", "a page, at the client", &[]),
    time("http.slowest_page", "the slowest of the pages, median", &[at(SMALL, AtMost(30.0 * MS))]),
    time("http.home_changed", "the first page after an entry changed", &[at(SMALL, AtMost(100.0 * MS))]),
    time("http.drift", "the page of drift", &[at(SMALL, AtMost(150.0 * MS))]),
    time("http.diff", "the page of a diff that adds every entry", &[at(SMALL, AtMost(150.0 * MS))]),
    rate("http.queues", "`queue` over the API, eight clients", &[at(SMALL, AtLeast(100.0))])
        .with_noise(Noise::Relative(0.5)),
    bytes("http.first_paint", "bytes to the first paint of the first page", &[always(AtMost(150e3))]),
    time("http.keystroke", "a search as one types", &[]),
    time("http.keystroke_p95", "the same, p95", &[at(SMALL, AtMost(40.0 * MS))])
        .with_noise(Noise::Relative(0.5)),
    rate(
        "http.reads_during_add",
        "entries, lists and keyword searches over the API, eight clients, while a bulk add runs",
        &[at(SMALL, AtLeast(400.0))],
    )
    .with_noise(Noise::Relative(0.5)),
    time("http.reads_p99", "the same, p99", &[at(SMALL, AtMost(80.0 * MS))]).with_noise(Noise::Relative(0.6)),
    rate(
        "http.searches_during_add",
        "hybrid searches over the API, eight clients, while a bulk add runs",
        &[at(SMALL, AtLeast(60.0))],
    )
    .with_noise(Noise::Relative(0.5)),
    time("http.searches_p99", "the same, p99", &[at(SMALL, AtMost(80.0 * MS))])
        .with_noise(Noise::Relative(0.6)),
    time("http.heard_by_200", "until 200 listeners heard of a new entry", &[])
        .with_noise(Noise::Relative(0.6)),
    bytes("http.memory", "anonymous memory of the server then", &[at(SMALL, AtMost(60e6))])
        .with_noise(Noise::Relative(0.2)),
    // The scanner.
    found("guard.secrets_found", "secrets found", &[always(AtLeast(80.0))]),
    wrong("guard.secrets_near", "texts that look like secrets, wrongly found", &[always(AtMost(4.0))]),
    wrong("guard.secrets_benign", "innocent texts, wrongly called secrets", &[always(AtMost(0.2))]),
    found("guard.secrets_tokens", "tokens in notes found", &[always(AtLeast(97.0))]),
    found("guard.secrets_passwords", "passwords in notes found", &[always(AtLeast(70.0))]),
    found("guard.injection_found", "injections found", &[always(AtLeast(90.0))]),
    wrong("guard.injection_near", "texts that look like injections, wrongly found", &[always(AtMost(4.0))]),
    wrong("guard.injection_benign", "innocent texts, wrongly called injections", &[always(AtMost(0.3))]),
    found("guard.exfiltration_found", "exfiltration found", &[always(AtLeast(90.0))]),
    wrong("guard.exfiltration_benign", "innocent texts, wrongly called exfiltration", &[always(AtMost(0.5))]),
    found("guard.unsafe_found", "unsafe code found", &[always(AtLeast(80.0))]),
    wrong("guard.unsafe_benign", "innocent texts, wrongly called unsafe code", &[always(AtMost(1.0))]),
    time("guard.first", "the first scan of a process, 42 bytes", &[]).with_noise(Noise::Relative(0.6)),
    time("guard.short", "scan of 2 KiB, p50", &[]),
    time("guard.short_p99", "scan of 2 KiB, p99", &[always(AtMost(2.0 * MS))])
        .with_noise(Noise::Relative(0.6)),
    time("guard.long", "scan of 1 MiB of innocent texts", &[]),
    time("guard.model", "the model's part of that", &[always(AtMost(30.0 * MS))]),
    time("guard.worst", "scan of 1 MiB that was made to be slow, the worst", &[always(AtMost(100.0 * MS))]),
    // The scanner on our own texts, by family. Goals are for those that no rule was written with.
    found("families.known_secrets_found", "known set: secrets found", &[]),
    wrong("families.known_secrets_wrong", "known set: look-alikes wrongly found", &[]),
    found("families.known_exfiltration_found", "known set: data sent out found", &[]),
    wrong("families.known_exfiltration_wrong", "known set: ordinary commands wrongly found", &[]),
    found("families.known_unsafe_found", "known set: unsafe code found", &[]),
    wrong("families.known_unsafe_wrong", "known set: safe code wrongly found", &[]),
    found("families.known_orders_found", "known set: orders phrased as conventions found", &[]),
    wrong("families.known_orders_wrong", "known set: conventions wrongly found", &[]),
    found("families.unseen_secrets_found", "unseen set: secrets found", &[always(AtLeast(82.0))]),
    wrong("families.unseen_secrets_wrong", "unseen set: look-alikes wrongly found", &[always(AtMost(4.0))]),
    found("families.unseen_exfiltration_found", "unseen set: data sent out found", &[always(AtLeast(85.0))]),
    wrong("families.unseen_exfiltration_wrong", "unseen set: ordinary commands wrongly found", &[]),
    found("families.unseen_unsafe_found", "unseen set: unsafe code found", &[always(AtLeast(82.0))]),
    wrong("families.unseen_unsafe_wrong", "unseen set: safe code wrongly found", &[]),
    found(
        "families.unseen_orders_found",
        "unseen set: orders phrased as conventions found",
        &[always(AtLeast(80.0))],
    ),
    wrong("families.unseen_orders_wrong", "unseen set: conventions wrongly found", &[]),
    found(
        "families.fresh_orders_found",
        "fresh set: orders phrased as conventions found",
        &[always(AtLeast(80.0))],
    ),
    wrong("families.fresh_orders_wrong", "fresh set: conventions wrongly found", &[]),
    // Labelled pairs.
    found("norms.precision", "contradictions among norms that are some", &[always(AtLeast(98.0))]),
    found("norms.recall", "contradictions among norms that are found", &[]),
    time("norms.clock", "comparing norms with one another", &[]),
    found("reduce.precision", "norms found in guides that are some", &[always(AtLeast(85.0))]),
    found("reduce.recall", "norms of guides that are found", &[always(AtLeast(70.0))]),
    found("reduce.typed", "of those, with the right type", &[]),
    found("review.precision", "findings matched with an entry that says the same", &[always(AtLeast(95.0))]),
    found("review.recall", "findings that an entry covers, and are matched", &[always(AtLeast(80.0))]),
    found("review.precision_words", "the same without embeddings: precision", &[always(AtLeast(95.0))]),
    found("review.recall_words", "the same without embeddings: recall", &[always(AtLeast(80.0))]),
    wrong("dedup.merged", "different claims that are taken for one", &[always(AtMost(0.0))]),
    wrong("dedup.apart", "one claim in two wordings that is kept apart", &[always(AtMost(15.0))]),
    spec(
        "cascade.failed",
        "themes of the cascade set with a case that fails",
        Count,
        Lower,
        &[always(AtMost(0.0))],
    ),
    // Norms at the moment of action.
    found("commands.stopped", "forbidden commands and edits that are stopped", &[always(AtLeast(95.0))]),
    found("commands.stopped_held_out", "the same, norms that were held out", &[always(AtLeast(95.0))]),
    wrong("commands.wrong", "commands and edits that are stopped wrongly", &[always(AtMost(0.5))]),
    wrong("commands.wrong_held_out", "the same, norms that were held out", &[always(AtMost(0.5))]),
    time("commands.decision", "deciding one action against every rule, p50", &[])
        .with_noise(Noise::Relative(0.6)),
    time("commands.decision_p99", "the same, p99", &[always(AtMost(1.0 * MS))])
        .with_noise(Noise::Relative(0.6)),
    // Conversations, in the words of four hosts.
    found(
        "sessions.capture",
        "marked statements that are captured, with type, anchor and tags",
        &[always(AtLeast(95.0))],
    ),
    wrong("sessions.wrong", "captured entries that nobody stated", &[always(AtMost(1.0))]),
    wrong(
        "sessions.noisy",
        "conversations without a statement in which something is captured",
        &[always(AtMost(1.0))],
    ),
    found("sessions.reports", "reports of used and wrong entries that count", &[always(AtLeast(100.0))]),
    found(
        "sessions.pairs",
        "conversations with the right number of mended failures",
        &[always(AtLeast(95.0))],
    ),
    found(
        "sessions.shown",
        "entries that are put before the agent where they should be",
        &[always(AtLeast(95.0))],
    ),
    found("sessions.belief", "entries believed as their reports say", &[always(AtLeast(100.0))]),
    spec(
        "sessions.verified",
        "entries that a conversation verified by itself",
        Count,
        Lower,
        &[always(AtMost(0.0))],
    ),
    // Transcripts, and what somebody else would keep of them.
    found("extraction.precision", "drafts that somebody would keep", &[always(AtLeast(90.0))]),
    found("extraction.recall", "what somebody would keep and is drafted", &[always(AtLeast(60.0))]),
    found("extraction.precision_strict", "drafts that somebody would keep, of the same kind", &[]),
    found("extraction.recall_strict", "what somebody would keep and is drafted as that kind", &[]),
    wrong("extraction.junk", "drafts from places that were made to mislead", &[always(AtMost(3.0))]),
    spec(
        "extraction.leaks",
        "drafts with a secret, or with words that a tool's output addresses to agents",
        Count,
        Lower,
        &[always(AtMost(0.0))],
    ),
    found("extraction.quiet", "transcripts with nothing to keep from which nothing is drafted", &[]),
    spec("extraction.again", "drafts that a second harvest adds", Count, Lower, &[always(AtMost(0.0))]),
    // Conversations of strangers, and what two readers would keep of them.
    found(
        "world.harvest_kept",
        "drafts from strangers' conversations that a reader would keep",
        &[always(AtLeast(65.0))],
    ),
    found(
        "world.harvest_found",
        "what readers would keep of strangers' conversations and is drafted",
        &[always(AtLeast(45.0))],
    ),
    found(
        "world.harvest_quiet",
        "strangers' conversations with nothing to keep from which nothing is drafted",
        &[],
    ),
    // Instruction files of strangers, and the rules that two readers found in them.
    found(
        "world.rules_labelled",
        "imported entries on the lines of a rule of a reader",
        &[always(AtLeast(95.0))],
    ),
    found("world.rules_found", "rules of the readers that are imported", &[always(AtLeast(95.0))]),
    wrong("world.rules_fragments", "imported entries that are fragments", &[always(AtMost(1.0))]),
    found(
        "world.rules_proposed",
        "proposed enforcements that a reader has as well",
        &[always(AtLeast(80.0))],
    ),
    found(
        "world.rules_enforceable",
        "enforceable rules for which an enforcement is proposed",
        &[always(AtLeast(60.0))],
    ),
    // A year in which a store is used and maintained every day.
    spec(
        "upkeep.recall_lost",
        "questions that are answered without maintenance and not with it",
        Points,
        Lower,
        &[always(AtMost(0.0))],
    ),
    spec(
        "upkeep.growth",
        "tracked bytes a day in the last third, beside the third before",
        Times,
        Lower,
        &[always(AtMost(1.25))],
    ),
    time("upkeep.maintain", "`ken maintain` in the last quarter", &[]),
    // Services over a large store.
    time("maintain.dedup", "looking for duplicates", &[at(100_000, AtMost(10.0))]),
    time("maintain.stale_sweep", "looking for stale entries", &[at(100_000, AtMost(10.0))]),
    time("maintain.contradiction", "looking for contradictions", &[at(100_000, AtMost(10.0))]),
    time("maintain.cooccurrence", "looking for entries that are used together", &[at(100_000, AtMost(10.0))]),
    time("maintain.distill", "looking for groups to sum up", &[at(100_000, AtMost(10.0))]),
    time("maintain.confidence_reset", "looking for belief that is undecided", &[at(100_000, AtMost(10.0))]),
    bytes("maintain.memory", "the most memory that a service takes for itself", &[always(AtMost(200e6))]),
    time("maintain.brief", "a briefing that is made anew", &[at(10_000, AtMost(0.1))]),
    // Moments at which entries matter, over the stores of five projects.
    found("moments.served", "moments at which an entry that matters is shown", &[always(AtLeast(65.0))]),
    found("moments.prompts_served", "prompts at which one is", &[]),
    found("moments.touches_served", "touched files at which one is", &[always(AtLeast(95.0))]),
    spec(
        "moments.noise",
        "entries that were not needed, per 100 prompts",
        Count,
        Lower,
        &[always(AtMost(10.0))],
    ),
    wrong(
        "moments.disturbed",
        "moments without such an entry at which something is shown",
        &[always(AtMost(8.0))],
    ),
    found(
        "moments.left_out_served",
        "prompts served with thresholds of the other stores",
        &[always(AtLeast(55.0))],
    ),
    spec(
        "moments.left_out_noise",
        "entries not needed with thresholds of the other stores, per 100 prompts",
        Count,
        Lower,
        &[always(AtMost(12.0))],
    ),
    found(
        "moments.session_served",
        "moments in conversations of ten by which an entry that matters was shown",
        &[],
    ),
    spec(
        "moments.session_tokens",
        "tokens put before the agent in a conversation of ten moments",
        Count,
        Lower,
        &[always(AtMost(1_000.0))],
    ),
    found(
        "moments.surface_served",
        "prompts for which `surface` hands over an entry that matters",
        &[always(AtLeast(80.0))],
    ),
    spec(
        "moments.surface_noise",
        "entries not needed that `surface` hands over, per 100 prompts",
        Count,
        Lower,
        &[always(AtMost(100.0))],
    ),
    found("moments.words_served", "prompts served without a model", &[]),
    spec(
        "moments.words_noise",
        "entries not needed without a model, per 100 prompts",
        Count,
        Lower,
        &[always(AtMost(15.0))],
    ),
    // The build, measured by `cargo xtask score --build` alone.
    time("build.cpu", "cold `cargo build --release`, processor time", &[always(AtMost(600.0))])
        .with_noise(Noise::Relative(0.1)),
    time("build.wall", "cold `cargo build --release`, wall", &[always(AtMost(360.0))]),
    bytes("build.binary", "the binary that it makes", &[always(AtMost(56e6))]),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_figure_is_named_once_and_after_a_suite() {
        let names: BTreeSet<&str> = FIGURES.iter().map(|spec| spec.name).collect();
        assert_eq!(names.len(), FIGURES.len());
        let suites: BTreeSet<&str> = crate::harness::SUITES.iter().map(|suite| suite.name).collect();
        for spec in FIGURES {
            assert!(suites.contains(spec.suite()) || spec.suite() == "build", "{} has no suite", spec.name);
        }
        for suite in suites {
            assert!(FIGURES.iter().any(|spec| spec.suite() == suite), "{suite} has no figure");
        }
    }

    #[test]
    fn a_limit_points_in_the_direction_that_is_better() {
        for spec in FIGURES {
            for goal in spec.goals {
                match goal.limit {
                    AtMost(_) | BeyondFloorAtMost(_) => assert_eq!(spec.better, Lower, "{}", spec.name),
                    AtLeast(_) => assert_eq!(spec.better, Higher, "{}", spec.name),
                    RatioAtMost(_) => {}
                }
            }
        }
    }
}
