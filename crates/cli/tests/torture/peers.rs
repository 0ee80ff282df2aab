//! Ledger lines of a hostile peer about an entry that others trust: no line gives its trust to other words, and none breaks the store.

use ken_testkit::{Dice, forged_lines, torture};
use serde_json::{Value, json};

use super::{Pool, Snapshot};
use crate::forged::{STATEMENT, Trusted};
use crate::team::sealed;

/// Clocks before everything, shortly after everything, and far in the future.
const CLOCKS: [&str; 3] =
    ["2025-01-01T00:00:00.000Z-0000", "2026-01-02T03:06:00.000Z-0000", "2999-01-01T00:00:00.000Z-0000"];
const SEQUENCES: [u64; 3] = [1, 7, u64::MAX];
/// Lines of one attack.
const LINES_MAX: usize = 3;
/// The fields that an entry's trust belongs to.
const WORDS: [&str; 4] = ["statement", "title", "summary", "detail"];

/// A store with a trusted entry and another one, before the peer writes.
struct Attacked {
    trusted: Trusted,
    other: String,
    other_key: String,
    own_replica: String,
    before: Value,
    snapshot: Snapshot,
}

impl Attacked {
    fn new() -> Attacked {
        let trusted = Trusted::new();
        let other = trusted.team.lesson("Close sockets where they were opened.");
        let other_key = trusted.team.key(&other);
        let first = trusted.team.world.read(&trusted.file);
        let first: Value = serde_json::from_str(first.lines().next().unwrap()).unwrap();
        let path = trusted.team.world.path();
        Attacked {
            own_replica: first["replica"].as_str().unwrap().to_owned(),
            before: trusted.team.ken(&["show", &trusted.id, "--json"]).ok().json(),
            snapshot: Snapshot::take(vec![path.join(".kenning"), path.join(".git/kenning")]),
            trusted,
            other,
            other_key,
        }
    }

    /// Writes the lines of one attack, and checks what became of the store. The kinds take turns, so that forty seeds try all of them.
    fn attack(&self, seed: u64) -> u64 {
        self.snapshot.restore();
        let mut dice = Dice::new(seed);
        let kinds = forged_lines(&self.trusted.key, STATEMENT, &self.other_key);
        let count = 1 + dice.below(LINES_MAX);
        let mut lines = Vec::new();
        for number in 0..count {
            let at = if number == 0 { seed as usize % kinds.len() } else { dice.below(kinds.len()) };
            let (kind, data) = &kinds[at];
            lines.push(self.line(&mut dice, kind, data.clone()));
        }
        // Somebody who can write a line can also cut it short or write nonsense beside it.
        if dice.below(8) == 0 {
            let mut cut = lines[0].clone();
            cut.truncate(dice.below(cut.len()));
            lines.push(cut);
        }
        for line in &lines {
            self.trusted.team.forge(&self.trusted.file, line);
        }
        self.holds(&lines);
        lines.len() as u64
    }

    fn line(&self, dice: &mut Dice, kind: &str, mut data: Value) -> String {
        if kind == "entry.revised" {
            let field = WORDS[dice.below(WORDS.len())];
            data = json!({"set": {field: "Never retry."}});
        }
        let stranger = "0a0a0a0a0a0a";
        let replica = if dice.flip() { stranger } else { &self.own_replica };
        let mut line = json!({
            "actor": if dice.flip() { "human:Mallory" } else { "human:Ada" }, "clock": CLOCKS[dice.below(CLOCKS.len())],
            "data": data, "entry": self.trusted.key, "replica": replica, "seq": SEQUENCES[dice.below(SEQUENCES.len())],
            "type": kind, "v": 1,
        });
        if dice.flip() {
            line["upon"] = json!(self.trusted.upon);
        }
        if dice.flip() {
            line["words"] = json!(self.trusted.words);
        }
        sealed(line)
    }

    fn holds(&self, lines: &[String]) {
        let team = &self.trusted.team;
        let told = lines.join("\n");
        let shown = team.ken(&["show", &self.trusted.id, "--json"]);
        assert_eq!(shown.code, 0, "{told}\n{}", shown.err);
        let shown = shown.json();
        let same_words = WORDS.iter().all(|field| shown[*field] == self.before[*field]);
        let trusted = shown["status"] == "verified" || shown["last_confirmed"].is_string();
        assert!(same_words || !trusted, "other words with the trust of the old ones:\n{told}\n{shown:#}");
        let other = team.ken(&["show", &self.other, "--json"]).ok().json();
        assert_eq!(other["status"], "candidate", "{told}");
        for args in [&["list", "--all", "--json"][..], &["search", "network calls", "--json"]] {
            assert_eq!(team.ken(args).code, 0, "{args:?}\n{told}");
        }
        for args in [&["verify"][..], &["gate"]] {
            let answer = team.ken(args);
            assert!(
                [0, 1].contains(&answer.code) && !answer.err.contains("panicked"),
                "{args:?}\n{told}\n{}",
                answer.err
            );
        }
    }
}

#[test]
fn a_hostile_peer_moves_no_trust_to_other_words() {
    let stores = Pool::new(Attacked::new);
    torture("peers", 40, |seed| stores.with(|store| store.attack(seed)));
}
