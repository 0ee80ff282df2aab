//! A real history: what is said of anchors from an older commit, beside what git says of the same lines.
//!
//! Nobody knows the truth here: what is listed is for a person to read.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::process::{Command, Stdio};
use std::rc::Rc;

use ken_anchors::{Code, Files, InProcess, Language, capture};
use ken_core::PlaceVerdict;
use ken_core::anchor::{Captured, Spot, Verdict};
use serde_json::json;

use super::dice::Dice;
use crate::context::{Outcome, failed};

/// Commits between the two of a pair: next to each other, and far apart.
const STRIDES: [usize; 3] = [1, 8, 40];
/// Anchors taken in one changed file of a pair.
const ANCHORS_MAX: usize = 4;
/// Files of a pair that are looked at.
const FILES_MAX: usize = 12;

/// What git says of some lines.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Said {
    Same(String, (u32, u32)),
    Changed,
    Gone,
}

impl Said {
    fn text(&self) -> String {
        match self {
            Said::Same(path, (first, last)) => format!("same, at {path}:{first}-{last}"),
            Said::Changed => "changed".to_owned(),
            Said::Gone => "gone".to_owned(),
        }
    }
}

/// Replays the history of a repository and lists where git and we disagree.
pub(super) fn run(repo: &Path, commits: usize, seed: u64, as_json: bool) -> Outcome {
    let git = Repository { folder: repo };
    let Some(log) = git.text(&["log", "--first-parent", "--format=%H", &format!("-n{}", commits + 1)]) else {
        return failed("that is no git repository, or it has no commits");
    };
    let log: Vec<&str> = log.lines().collect();
    let mut dice = Dice::new(seed);
    let mut agreed: BTreeMap<&str, usize> = BTreeMap::new();
    let mut listed = Vec::new();
    for stride in STRIDES {
        for at in (0..log.len().saturating_sub(stride)).step_by(stride) {
            let (newer, older) = (log[at], log[at + stride]);
            for (anchor, said, judged) in pair(&git, older, newer, &mut dice) {
                let what = compare(&said, &judged, &anchor);
                *agreed.entry(what).or_default() += 1;
                if what.starts_with("git") {
                    listed.push(json!({
                        "older": &older[..10], "newer": &newer[..10], "at": anchor.spot.text(), "kind": what,
                        "git": said.text(), "verdict": judged.verdict.word(), "now": judged.now, "why": judged.why,
                    }));
                }
            }
        }
    }
    if as_json {
        println!("{}", json!({"counts": agreed, "disagreements": listed}));
        return Ok(());
    }
    for (what, count) in &agreed {
        println!("{count:6}  {what}");
    }
    println!();
    for one in &listed {
        let text = |name: &str| one[name].as_str().unwrap_or_default();
        println!(
            "{}..{} {}\n    git: {}; we: {} {} ({})",
            text("older"),
            text("newer"),
            text("at"),
            text("git"),
            text("verdict"),
            text("now"),
            text("why")
        );
    }
    Ok(())
}

struct Anchor {
    spot: Spot,
    captured: Captured,
}

fn compare(said: &Said, judged: &PlaceVerdict, anchor: &Anchor) -> &'static str {
    match (said, judged.verdict) {
        (_, Verdict::Unverifiable) => "we cannot tell",
        (Said::Same(path, lines), Verdict::Fresh | Verdict::Moved) => {
            let known = Spot { lines: anchor.spot.lines.and(anchor.captured.lines), ..anchor.spot.clone() };
            let now = judged.now.as_deref().map_or(known, Spot::parse);
            let there = now.path.as_deref() == Some(path) && now.lines.is_none_or(|now| now == *lines);
            if there {
                "both: as it was, in the same place"
            } else {
                "git: as it was, in another place than we say"
            }
        }
        (Said::Same(..), Verdict::Drifted | Verdict::Broken) => "git: as it was; we: not",
        (Said::Changed | Said::Gone, Verdict::Drifted | Verdict::Broken) => "both: no longer as it was",
        (Said::Changed | Said::Gone, Verdict::Fresh | Verdict::Moved) => {
            "git: changed or gone; we: as it was"
        }
    }
}

/// Anchors of the older commit on what the newer one touched, with both opinions.
fn pair(
    git: &Repository<'_>,
    older: &str,
    newer: &str,
    dice: &mut Dice,
) -> Vec<(Anchor, Said, PlaceVerdict)> {
    let Some(status) = git.text(&["diff", "--name-status", "-M", "-z", older, newer]) else {
        return Vec::new();
    };
    let mut fields = status.split('\0');
    let mut files: Vec<(String, Option<String>)> = Vec::new();
    while let (Some(kind), Some(old)) = (fields.next(), fields.next()) {
        match kind.chars().next() {
            Some('M') => files.push((old.to_owned(), Some(old.to_owned()))),
            Some('D') => files.push((old.to_owned(), None)),
            Some('R') => files.push((old.to_owned(), fields.next().map(str::to_owned))),
            _ => {}
        }
    }
    files.retain(|(old, _)| {
        Language::detect(old, "").is_some() || old.ends_with(".md") || old.ends_with(".toml")
    });
    dice.shuffle(&mut files);
    files.truncate(FILES_MAX);
    let mut tree = Tree { git, commit: newer, read: HashMap::new() };
    let mut answers = Vec::new();
    for (old, new) in files {
        let Some(code) = git.code(older, &old) else { continue };
        let hunks = match &new {
            Some(new) => git.hunks(older, newer, &old, new),
            None => Vec::new(),
        };
        for (at, lines) in anchors(&old, &code, &hunks, dice) {
            let spot = Spot::parse(&at);
            let Ok(captured) = capture(&spot, &old, &code) else { continue };
            // A symbol is as long as the grammar says; lines are as many as were asked for.
            let lines = captured.lines.filter(|_| spot.symbol.is_some()).unwrap_or(lines);
            let said = match &new {
                None => Said::Gone,
                Some(new) => opinion(&hunks, new, captured.lines.unwrap_or(lines)),
            };
            let judged = ken_anchors::judge(&spot, &captured, &mut tree);
            answers.push((Anchor { spot, captured }, said, judged));
        }
    }
    answers.retain(|(anchor, _, _)| !anchor.captured.print.is_empty());
    answers
}

/// Functions and lines in and near what changed.
fn anchors(path: &str, code: &Code, hunks: &[Hunk], dice: &mut Dice) -> Vec<(String, (u32, u32))> {
    let count = code.line_count();
    let near = |lines: (u32, u32)| {
        hunks.is_empty()
            || hunks.iter().any(|hunk| hunk.old.0 <= lines.1 + 6 && lines.0 <= hunk.old.0 + hunk.old.1 + 6)
    };
    let mut found: Vec<(String, (u32, u32))> = Vec::new();
    if let Some(outline) = &code.outline {
        for symbol in &outline.symbols {
            let alone = outline.symbols.iter().filter(|other| other.name == symbol.name).count() == 1;
            if alone && !symbol.holds_others && symbol.lines.1 > symbol.lines.0 + 2 && near(symbol.lines) {
                found.push((format!("{path}#{}", symbol.name), symbol.lines));
            }
        }
    }
    let lines: Vec<&str> = code.text.lines().collect();
    for _ in 0..ANCHORS_MAX {
        let first = 1 + dice.below(count.max(1) as usize) as u32;
        let last = (first + dice.below(5) as u32).min(count);
        let told = |line: u32| {
            lines.get(line as usize - 1).is_some_and(|line| line.chars().any(char::is_alphanumeric))
        };
        if near((first, last)) && told(first) && told(last) {
            found.push((format!("{path}:{first}-{last}"), (first, last)));
        }
    }
    dice.shuffle(&mut found);
    found.truncate(ANCHORS_MAX);
    found
}

/// A changed stretch: first line and count, before and after.
#[derive(Clone, Copy, Debug)]
struct Hunk {
    old: (u32, u32),
    new: (u32, u32),
}

fn opinion(hunks: &[Hunk], path: &str, (first, last): (u32, u32)) -> Said {
    let mut shift = 0_i64;
    let mut touched = 0;
    for hunk in hunks {
        // With nothing taken away the new lines come after that line.
        let (from, to) = match hunk.old {
            (line, 0) => (line + 1, line),
            (line, count) => (line, line + count - 1),
        };
        if hunk.old.1 == 0 {
            if first < from && from <= last {
                return Said::Changed;
            }
        } else if from <= last && first <= to {
            touched += to.min(last) - from.max(first) + 1;
            if touched > last - first && hunk.new.1 == 0 {
                return Said::Gone;
            }
            continue;
        }
        if to < first {
            shift += i64::from(hunk.new.1) - i64::from(hunk.old.1);
        }
    }
    if touched > 0 {
        return Said::Changed;
    }
    let moved = |line: u32| (i64::from(line) + shift).max(1) as u32;
    Said::Same(path.to_owned(), (moved(first), moved(last)))
}

struct Repository<'a> {
    folder: &'a Path,
}

impl Repository<'_> {
    fn bytes(&self, arguments: &[&str]) -> Option<Vec<u8>> {
        let mut command = Command::new("git");
        command.arg("-C").arg(self.folder).args(["-c", "core.quotePath=false", "--no-pager"]).args(arguments);
        command.env("GIT_OPTIONAL_LOCKS", "0").stdin(Stdio::null()).stderr(Stdio::null());
        command.output().ok().filter(|output| output.status.success()).map(|output| output.stdout)
    }

    fn text(&self, arguments: &[&str]) -> Option<String> {
        self.bytes(arguments).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    fn code(&self, commit: &str, path: &str) -> Option<Code> {
        let bytes = self.bytes(&["show", &format!("{commit}:{path}")])?;
        Code::read(path, &bytes, &mut InProcess::default()).ok()
    }

    fn hunks(&self, older: &str, newer: &str, old: &str, new: &str) -> Vec<Hunk> {
        let words =
            ["diff", "--no-ext-diff", "--no-textconv", "-U0", "-w", "-M", older, newer, "--", old, new];
        let text = self.text(&words).unwrap_or_default();
        let range = |text: &str| {
            let (line, count) = text[1..].split_once(',').unwrap_or((&text[1..], "1"));
            Some((line.parse().ok()?, count.parse().ok()?))
        };
        let heads = text.lines().filter_map(|line| line.strip_prefix("@@ "));
        heads
            .filter_map(|head| {
                let mut words = head.split(' ');
                Some(Hunk { old: range(words.next()?)?, new: range(words.next()?)? })
            })
            .collect()
    }
}

/// The files of a commit.
struct Tree<'a> {
    git: &'a Repository<'a>,
    commit: &'a str,
    read: HashMap<String, Option<Rc<Code>>>,
}

impl Files for Tree<'_> {
    fn code(&mut self, path: &str) -> Result<Option<Rc<Code>>, String> {
        if !self.read.contains_key(path) {
            let code = self.git.code(self.commit, path).map(Rc::new);
            self.read.insert(path.to_owned(), code);
        }
        Ok(self.read.get(path).cloned().flatten())
    }

    fn holding(&mut self, needles: &[String]) -> Vec<String> {
        let mut words = vec!["grep", "-l", "-z", "-I", "-F"];
        for needle in needles {
            words.extend(["-e", needle]);
        }
        words.push(self.commit);
        let found = self.git.text(&words).unwrap_or_default();
        let paths =
            found.split('\0').filter_map(|line| line.split_once(':').map(|(_, path)| path.to_owned()));
        paths.take(200).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_is_asked_by_its_hunks() {
        let hunks = [
            Hunk { old: (3, 0), new: (4, 2) },
            Hunk { old: (10, 2), new: (14, 0) },
            Hunk { old: (20, 1), new: (22, 3) },
        ];
        let said = |lines| opinion(&hunks, "a", lines);
        assert_eq!(said((1, 3)), Said::Same("a".to_owned(), (1, 3)));
        assert_eq!(said((3, 4)), Said::Changed);
        assert_eq!(said((4, 5)), Said::Same("a".to_owned(), (6, 7)));
        assert_eq!(said((10, 11)), Said::Gone);
        assert_eq!(said((9, 12)), Said::Changed);
        assert_eq!(said((20, 20)), Said::Changed);
        assert_eq!(said((21, 22)), Said::Same("a".to_owned(), (23, 24)));
    }
}
