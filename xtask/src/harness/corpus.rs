//! Entries that read like real ones: lessons of about 430 bytes with evidence, a place, a step and two tags.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

/// Parts of an imagined code base. Each has a source file and a page.
pub(crate) const AREAS: [&str; 24] = [
    "auth",
    "billing",
    "cache",
    "catalog",
    "checkout",
    "config",
    "export",
    "gateway",
    "importer",
    "indexer",
    "inventory",
    "ledger",
    "mailer",
    "metrics",
    "orders",
    "parser",
    "payments",
    "queue",
    "reports",
    "router",
    "scheduler",
    "search",
    "sessions",
    "storage",
];

const SUBJECTS: [&str; 16] = [
    "retry loop",
    "connection pool",
    "batch writer",
    "token check",
    "schema change",
    "cursor",
    "lock file",
    "rate limit",
    "cache key",
    "webhook",
    "time zone",
    "feature flag",
    "background job",
    "page size",
    "serializer",
    "health probe",
];

const FAULTS: [&str; 16] = [
    "drops the last item when the input ends without a line break",
    "holds its lock while it waits for the network",
    "counts a cancelled request as a failed one",
    "reads the clock twice and compares the two readings",
    "keeps the old value until the process is restarted",
    "treats an empty list like a missing one",
    "writes the file in place, so a reader can see half of it",
    "starts a second run when the first one is slow",
    "rounds to whole cents before it sums up",
    "trusts the order in which the folder is listed",
    "follows a redirect and loses the header on the way",
    "answers from the replica before the write has reached it",
    "gives up after the first refused connection",
    "leaks a handle on every early return",
    "escapes the text twice when it is shown in a table",
    "lets two tenants share one entry of the cache",
];

pub(crate) const RULES: [&str; 16] = [
    "Do the slow part first and take the lock for the exchange alone",
    "Write to a neighbour, sync it, and rename it over the old one",
    "Pass the time in and let the caller decide what now means",
    "Keep sums in the smallest unit and round once, at the edge",
    "Make the key from everything the answer depends on",
    "Check for the end of the input before looking at the last byte",
    "Wait a random part of the interval, so that clients spread out",
    "Sort by name before comparing, since no order is promised",
    "Let the type say whether nothing was given or nothing was found",
    "Carry a number with every run and drop what belongs to an older one",
    "Ask the primary when the caller has just written",
    "Close what was opened in the scope that opened it",
    "Escape in one place, as late as possible, and nowhere else",
    "Tell a cancelled request apart and leave it out of the count",
    "Reload on a signal and log which value is now in force",
    "Bound the queue and refuse loudly when it is full",
];

pub(crate) const REASONS: [&str; 8] = [
    "We lost half a day to it in the last release and the log showed nothing.",
    "Two customers saw each other's numbers before anybody noticed.",
    "The test passes on a fast machine and fails on the small one.",
    "It only shows when the disk is nearly full, which is when it hurts.",
    "The fix looked harmless and made the nightly run twice as long.",
    "Whoever reads the code first will want to simplify it away.",
    "It came back three times because the reason was never written down.",
    "The vendor's page says otherwise, and the vendor's page is wrong.",
];

const TAGS: [&str; 12] = [
    "concurrency",
    "correctness",
    "performance",
    "security",
    "durability",
    "testing",
    "network",
    "time",
    "encoding",
    "memory",
    "deploy",
    "api",
];

/// Numbers that look random and are the same in every run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// A number below another one.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.roll() % count.max(1) as u64) as usize
    }

    /// The same, where small numbers come up more often: some entries matter more than others.
    pub(crate) fn low(&mut self, count: usize) -> usize {
        let (one, other) = (self.below(count), self.below(count));
        one.min(other)
    }

    pub(crate) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn pick(&mut self, list: &[&'static str]) -> &'static str {
        list[(self.roll() % list.len() as u64) as usize]
    }
}

/// A lesson, the same for the same number and different for every other one.
pub(crate) struct Lesson {
    pub(crate) title: String,
    pub(crate) statement: String,
    pub(crate) evidence: String,
    pub(crate) anchor: String,
    pub(crate) verification: String,
    pub(crate) tags: [&'static str; 2],
}

impl Lesson {
    pub(crate) fn number(number: u64) -> Lesson {
        let mut dice = Dice(number.wrapping_mul(0x2545_f491_4f6c_dd1d));
        let area = dice.pick(&AREAS);
        let (subject, fault) = (dice.pick(&SUBJECTS), dice.pick(&FAULTS));
        let (rule, reason) = (dice.pick(&RULES), dice.pick(&REASONS));
        let first_tag = dice.roll() % TAGS.len() as u64;
        let second_tag = (first_tag + 1 + dice.roll() % (TAGS.len() as u64 - 1)) % TAGS.len() as u64;
        let line = 1 + dice.roll() % 30;
        Lesson {
            title: format!("The {subject} of {area} {fault}"),
            statement: format!(
                "The {subject} in `{area}::handle_{number}` {fault}. {rule}, or keep it as it is and say why in a comment; the callers in `{}` and `{}` rely on it. {reason}",
                dice.pick(&AREAS),
                dice.pick(&AREAS)
            ),
            evidence: format!("doc:docs/{area}.md"),
            anchor: format!("src/{area}.rs:{line}-{}", line + 5),
            verification: format!("cargo test -p {area} handle_{number}"),
            tags: [TAGS[first_tag as usize], TAGS[second_tag as usize]],
        }
    }

    fn json(&self) -> Value {
        json!({
            "type": "lesson",
            "title": self.title,
            "statement": self.statement,
            "provenance": [self.evidence],
            "anchors": [self.anchor],
            "verification": [self.verification],
            "tags": self.tags,
        })
    }

    /// The arguments of `ken` that add it.
    pub(crate) fn arguments(&self) -> Vec<&str> {
        let mut arguments = vec!["add", "lesson", "--title", &self.title, "--statement", &self.statement];
        arguments.extend(["--evidence", &self.evidence, "--anchor", &self.anchor]);
        arguments.extend(["--verify", &self.verification, "--tag", self.tags[0], "--tag", self.tags[1]]);
        arguments
    }
}

/// So many lessons, one line of JSON each.
pub(crate) fn lines(count: usize) -> String {
    lines_from(0, count)
}

/// So many lessons from a number on, one line of JSON each.
pub(crate) fn lines_from(first: u64, count: usize) -> String {
    let mut text = String::with_capacity(count * 700);
    for number in first..first + count as u64 {
        let _ = writeln!(text, "{}", Lesson::number(number).json());
    }
    text
}

/// Questions about lessons, no two alike: in words of the title, in other words, and by name.
pub(crate) fn questions(count: usize, lessons: usize) -> Vec<String> {
    let mut dice = Dice(99);
    let question = |at: usize| {
        let number = dice.roll() % lessons.max(1) as u64;
        let lesson = Lesson::number(number);
        let area = lesson.evidence.trim_start_matches("doc:docs/").trim_end_matches(".md");
        let subject = dice.pick(&SUBJECTS);
        match at % 3 {
            0 => format!("{} ({})", lesson.title, lesson.tags[0]),
            1 => {
                format!("what do we know about the {subject} in {area} when requests are slow or cancelled?")
            }
            _ => format!("{area}::handle_{number} fails after a restart"),
        }
    };
    (0..count).map(question).collect()
}

/// The files that the lessons cite and point at.
pub(crate) fn write_code_base(root: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(root.join("src"))?;
    std::fs::create_dir_all(root.join("docs"))?;
    for area in AREAS {
        let code: String = (1..=40).map(|line| format!("pub fn step_{line}() {{}} // {area}\n")).collect();
        std::fs::write(root.join(format!("src/{area}.rs")), code)?;
        std::fs::write(root.join(format!("docs/{area}.md")), format!("# {area}\n\nHow {area} works.\n"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lessons_are_of_the_promised_size_and_all_different() {
        let lessons: Vec<Lesson> = (0..2_000).map(Lesson::number).collect();
        let bytes: usize =
            lessons.iter().map(|l| l.title.len() + l.statement.len() + l.verification.len()).sum();
        let mean = bytes / lessons.len();
        assert!((400..=460).contains(&mean), "{mean} bytes of text");
        let different: std::collections::BTreeSet<&str> =
            lessons.iter().map(|lesson| lesson.statement.as_str()).collect();
        assert_eq!(different.len(), lessons.len());
        assert!(lessons.iter().all(|lesson| lesson.tags[0] != lesson.tags[1]));
    }
}
