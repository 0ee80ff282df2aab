//! The parts of the programme. To add one, write a test that calls `ken_testkit::torture` and add a row.

use super::Run;
use super::fuzz::Fuzz;
use super::mcp::Frames;
use super::seeded::SeededTest;

/// A part of the programme.
pub(super) struct Part {
    pub(super) name: &'static str,
    /// The name that several parts share on the command line.
    pub(super) group: Option<&'static str>,
    /// What is counted.
    pub(super) unit: &'static str,
    /// Tries that a full programme has.
    pub(super) target: u64,
    /// Its part of the time, beside those of the others.
    pub(super) share: u32,
    /// What a try is and what must hold, in one sentence.
    pub(super) meaning: &'static str,
    pub(super) run: &'static dyn Run,
}

/// A part that is one test.
macro_rules! test {
    ($package:literal, $binary:literal, $test:literal) => {
        &SeededTest { package: $package, binary: $binary, test: $test }
    };
}

/// Every part, in the order they run: those that end early come first, for their time goes to the others.
pub(super) const PARTS: &[Part] = &[
    Part {
        name: "peers",
        group: None,
        unit: "lines",
        target: 4_000,
        share: 2,
        meaning: "A peer forges ledger lines of all 40 kinds about an entry that others verified: no line gives its trust to other words, and the store can still be read and checked.",
        run: test!("ken-cli", "scenarios", "torture::peers::a_hostile_peer_moves_no_trust_to_other_words"),
    },
    Part {
        name: "gradual",
        group: None,
        unit: "writes",
        target: 5_000,
        share: 2,
        meaning: "One origin raises its own entries by 500 writes under any names, runs and days: nothing becomes verified.",
        run: test!(
            "ken-cli",
            "scenarios",
            "torture::gradual::whatever_one_origin_writes_nothing_becomes_verified"
        ),
    },
    Part {
        name: "poison",
        group: None,
        unit: "poisoned stores",
        target: 30,
        share: 3,
        meaning: "0.1, 1 and 10 % of 10,000 entries are hostile and repeat 100 questions word by word: they take at most 2 % of the first five places of the answers, and none stands above a verified entry.",
        run: test!(
            "ken-cli",
            "scenarios",
            "torture::poison::hostile_entries_take_no_places_and_stand_above_nothing_verified"
        ),
    },
    Part {
        name: "checks",
        group: None,
        unit: "checks",
        target: 200,
        share: 1,
        meaning: "`ken verify` and rebuilds run while four others write: no false alarm.",
        run: test!("ken-log-git", "main", "moving::a_check_raises_no_alarm_while_others_write"),
    },
    Part {
        name: "bits",
        group: None,
        unit: "flipped bits",
        target: 10_000,
        share: 4,
        meaning: "One bit of any file of a store is flipped: every answer is the right one, or an error or a notice tells.",
        run: test!("ken-cli", "scenarios", "torture::bits::a_flipped_bit_is_noticed_or_changes_no_answer"),
    },
    Part {
        name: "kills",
        group: None,
        unit: "kills",
        target: 10_000,
        share: 5,
        meaning: "`ken` is killed at random moments while it writes, alone and beside others: nothing acknowledged is lost, nothing is half, no temporary file stays.",
        run: test!(
            "ken-cli",
            "scenarios",
            "torture::kills::a_killed_writer_loses_nothing_acknowledged_and_leaves_nothing_behind"
        ),
    },
    Part {
        name: "histories",
        group: None,
        unit: "histories",
        target: 10_000,
        share: 5,
        meaning: "Random histories of two worktrees and a colleague's clone with the real git (merge, rebase, cherry-pick, revert, stash, reset): nothing acknowledged is lost and nothing in the store conflicts.",
        run: test!(
            "ken-cli",
            "scenarios",
            "git_histories::random::whatever_git_does_nothing_acknowledged_is_lost_and_nothing_conflicts"
        ),
    },
    Part {
        name: "disks",
        group: Some("seeds"),
        unit: "simulated ends",
        target: 100_000,
        share: 4,
        meaning: "A store lives on a simulated disk with faults and power losses and stops at a random moment: what was acknowledged is there whole, and the rest whole or not at all.",
        run: test!(
            "ken-log-git",
            "main",
            "seeds::whatever_a_seed_does_to_disks_nothing_acknowledged_is_lost"
        ),
    },
    Part {
        name: "replicas",
        group: Some("seeds"),
        unit: "simulated histories",
        target: 900_000,
        share: 5,
        meaning: "Three replicas write random events that arrive in any order, repeated and in part: all replicas fold the same entries and runs, and eight laws of histories hold.",
        run: test!("ken-core", "main", "laws::every_law_holds_for_seeded_histories_of_replicas"),
    },
    Part {
        name: "mcp",
        group: None,
        unit: "frames",
        target: 100_000,
        share: 2,
        meaning: "Frames that no client should send go to the MCP server: it answers each by the rules of JSON-RPC, never crashes or hangs, and the store verifies.",
        run: &Frames,
    },
    Part {
        name: "fuzz",
        group: None,
        unit: "inputs",
        target: u64::MAX,
        share: 6,
        meaning: "Coverage-guided inputs (libFuzzer) for every target of `fuzz/`, each for an equal time: no panic, no hang, no broken property.",
        run: &Fuzz,
    },
];
