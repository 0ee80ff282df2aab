//! The suite `extraction`: what `ken harvest` makes of transcripts, beside what somebody who had not seen the extractor would keep (EXT-1).
//!
//! Every transcript of a folder is harvested twice into a repository of its own. What came in is compared with `NAME.labels.json`; the second
//! harvest must add nothing. How labels are meant and what counts as a match is in `evals/extraction/README.md`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::pairs::{need, percent};
use super::sessions::copy;
use crate::context::{Failure, capture, failed};
use crate::harness::arguments::{Flag, Takes};
use crate::harness::figure::Figure;
use crate::harness::report::Report;
use crate::harness::session::Session;
use crate::harness::{Suite, Tool};
use crate::page;

pub(crate) const SUITE: Suite = Suite {
    page: Some("docs/internals/extraction-quality.md"),
    flags: &[
        Flag { name: "--dir", takes: Takes::Value("FOLDER") },
        Flag { name: "--only", takes: Takes::Value("NAME") },
        Flag { name: "--counts-only", takes: Takes::Nothing },
    ],
    needs: &[Tool::Ken],
    optimised: false,
    ..Suite::evaluation("extraction", run)
};

const FOLDER: &str = "evals/extraction/held";
/// Kinds that may stand for each other where a match is counted leniently.
const COMPATIBLE: &[[&str; 2]] = &[
    ["cause", "lesson"],
    ["dead_end", "lesson"],
    ["convention", "decision"],
    ["convention", "lesson"],
    ["fact", "setup"],
    ["fact", "lesson"],
];

/// A transcript with its labels.
struct Labelled {
    name: String,
    path: PathBuf,
    host: String,
    keep: Vec<Kept>,
    noise: Vec<(u32, u32)>,
    optional: Vec<(u32, u32)>,
    forbidden: Vec<String>,
}

/// Something that should become a candidate.
struct Kept {
    kind: String,
    span: (u32, u32),
    must_mention: Vec<String>,
    places: Vec<String>,
    summary: String,
}

/// Something that became one.
#[derive(Clone, Debug)]
struct Candidate {
    kind: String,
    span: (u32, u32),
    /// Everything it says, in small letters with single blanks.
    text: String,
    places: Vec<String>,
    statement: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Matching {
    /// The kind has to be the same.
    Strict,
    /// Or one that may stand for it.
    Lenient,
}

fn run(session: &Session<'_>) -> Result<Report, Failure> {
    let only = session.flags.value("--only");
    let named = session.flags.value("--dir");
    let folder = named.map_or_else(|| session.context.root.join(FOLDER), PathBuf::from);
    let mut labelled = read(&folder)?;
    labelled.retain(|one| only.is_none_or(|only| one.name == only));
    if labelled.is_empty() {
        return failed(format!("there are no transcripts with labels in {}", named.unwrap_or(FOLDER)));
    }
    let template = template(session)?;
    let mut counts = (Count::default(), Count::default());
    let mut hosts: Vec<(String, Count)> = Vec::new();
    let mut told: Vec<String> = Vec::new();
    let mut again = 0;
    for one in &labelled {
        let (candidates, second) = harvest(session, &template, one)?;
        again += second;
        let strict = Count::new(one, &candidates, Matching::Strict);
        let lenient = Count::new(one, &candidates, Matching::Lenient);
        told.extend(lenient.told.iter().map(|line| format!("{}: {line}", one.name)));
        match hosts.iter_mut().find(|(host, _)| *host == one.host) {
            Some((_, count)) => count.add(&lenient),
            None => hosts.push((one.host.clone(), lenient.clone())),
        }
        counts.0.add(&strict);
        counts.1.add(&lenient);
    }
    // Who measures what was held out sees how many, and not which.
    if !session.flags.has("--counts-only") {
        told.iter().for_each(|line| println!("{line}"));
    }
    let (strict, lenient) = counts;
    let mut figures = lenient.figures("");
    figures.extend(strict.figures("_strict"));
    figures.push(Figure::new("extraction.again", again as f64).at(labelled.len()));
    let mut report = Report::new(figures);
    let rows: Vec<[String; 9]> = hosts
        .iter()
        .map(|(host, count)| count.row(host))
        .chain([lenient.row("all"), strict.row("all, kinds equal")])
        .collect();
    report.tables = page::table(
        [
            "Transcripts",
            "Number",
            "To keep",
            "Kept",
            "Wrong",
            "Of them in noise",
            "Twice",
            "Quiet",
            "Places named",
        ],
        &rows,
    );
    Ok(report)
}

/// Harvests a transcript twice, and answers with what came in and how much the second time added.
fn harvest(
    session: &Session<'_>,
    template: &Path,
    one: &Labelled,
) -> Result<(Vec<Candidate>, usize), Failure> {
    let root = session.scratch.folder.join(format!("{}.repository", one.name));
    copy(template, &root).map_err(|error| Failure::Failed(format!("{}: {error}", one.name)))?;
    let path = one.path.display().to_string();
    let arguments = ["harvest", path.as_str()];
    let (_, answer) = session.json(&root, &arguments)?;
    let (_, second) = session.json(&root, &arguments)?;
    let drafts = |answer: &Value| -> Vec<Candidate> {
        let all = answer["drafts"].as_array().into_iter().flatten();
        all.filter(|draft| draft["outcome"] == "added").map(Candidate::read).collect()
    };
    let again = drafts(&second).len();
    Ok((drafts(&answer), again))
}

impl Candidate {
    fn read(draft: &Value) -> Candidate {
        let text = |name: &str| draft[name].as_str().unwrap_or_default();
        let places = draft["places"].as_array().into_iter().flatten().filter_map(Value::as_str);
        Candidate {
            kind: text("kind").to_owned(),
            span: span(&draft["lines"]).unwrap_or_default(),
            text: flat(&[text("statement"), text("detail"), text("error")].join(" ")),
            places: places.map(flat).collect(),
            statement: text("statement").to_owned(),
        }
    }

    fn matches(&self, kept: &Kept, matching: Matching) -> bool {
        let same = self.kind == kept.kind;
        let near = COMPATIBLE
            .iter()
            .any(|pair| pair.contains(&self.kind.as_str()) && pair.contains(&kept.kind.as_str()) && !same);
        let says = |word: &String| self.text.contains(word) || self.places.iter().any(|at| at.contains(word));
        (same || near && matching == Matching::Lenient)
            && overlap(self.span, kept.span) > 0
            && kept.must_mention.iter().all(says)
    }
}

/// What is counted over some transcripts.
#[derive(Clone, Default)]
struct Count {
    transcripts: usize,
    keep: usize,
    kept: usize,
    wrong: usize,
    /// Wrong ones that lie in a place that was labelled as tempting.
    traps: usize,
    duplicates: usize,
    candidates: usize,
    /// Transcripts without anything to keep, and those of them from which nothing was kept.
    silent: (usize, usize),
    /// Items with places that were kept, and those of them of which one place is named.
    places: (usize, usize),
    leaks: usize,
    told: Vec<String>,
}

impl Count {
    fn new(one: &Labelled, candidates: &[Candidate], matching: Matching) -> Count {
        let mut count =
            Count { transcripts: 1, keep: one.keep.len(), candidates: candidates.len(), ..Count::default() };
        let mut taken: BTreeSet<usize> = BTreeSet::new();
        for kept in &one.keep {
            // One of the same kind first: another item may need the other.
            let mut order: Vec<usize> = (0..candidates.len()).filter(|at| !taken.contains(at)).collect();
            order.sort_by_key(|at| candidates[*at].kind != kept.kind);
            let Some(at) = order.into_iter().find(|at| candidates[*at].matches(kept, matching)) else {
                count.told.push(format!("missed {} {:?}: {}", kept.kind, kept.span, kept.summary));
                continue;
            };
            taken.insert(at);
            count.kept += 1;
            if !kept.places.is_empty() {
                let named = |place: &String| {
                    candidates[at].places.contains(place) || candidates[at].text.contains(place.as_str())
                };
                count.places.1 += 1;
                count.places.0 += usize::from(kept.places.iter().any(named));
            }
        }
        for (at, candidate) in candidates.iter().enumerate() {
            if one.forbidden.iter().any(|text| candidate.text.contains(text)) {
                count.leaks += 1;
                count.told.push(format!("leaked in {} {:?}", candidate.kind, candidate.span));
            }
            if taken.contains(&at) {
                continue;
            }
            if one.keep.iter().any(|kept| candidate.matches(kept, matching)) {
                count.duplicates += 1;
                continue;
            }
            let inside = |spans: &[(u32, u32)]| -> u32 {
                spans.iter().map(|span| overlap(candidate.span, *span)).max().unwrap_or(0)
            };
            if inside(&one.optional) > 0
                && one.keep.iter().all(|kept| overlap(candidate.span, kept.span) == 0)
            {
                continue;
            }
            count.wrong += 1;
            let length = candidate.span.1 - candidate.span.0 + 1;
            let is_trap = inside(&one.noise) * 2 > length;
            count.traps += usize::from(is_trap);
            let how = if is_trap { "noise" } else { "wrong" };
            count
                .told
                .push(format!("{how} {} {:?}: {}", candidate.kind, candidate.span, candidate.statement));
        }
        if one.keep.is_empty() {
            count.silent = (1, usize::from(count.wrong == 0));
        }
        count
    }

    fn add(&mut self, other: &Count) {
        self.transcripts += other.transcripts;
        self.keep += other.keep;
        self.kept += other.kept;
        self.wrong += other.wrong;
        self.traps += other.traps;
        self.duplicates += other.duplicates;
        self.candidates += other.candidates;
        self.leaks += other.leaks;
        self.silent = (self.silent.0 + other.silent.0, self.silent.1 + other.silent.1);
        self.places = (self.places.0 + other.places.0, self.places.1 + other.places.1);
    }

    fn figures(&self, ending: &str) -> Vec<Figure> {
        let counted = self.kept + self.wrong;
        let figure = |name: &str, value: f64, of: usize| {
            Figure::new(&format!("extraction.{name}{ending}"), value).at(of)
        };
        let mut figures = vec![
            figure("precision", percent(self.kept, counted), counted),
            figure("recall", percent(self.kept, self.keep), self.keep),
        ];
        if ending.is_empty() {
            figures.push(figure("junk", percent(self.traps, counted), counted));
            figures.push(figure("leaks", self.leaks as f64, self.candidates));
            figures.push(figure("quiet", percent(self.silent.1, self.silent.0), self.silent.0));
        }
        figures
    }

    fn row(&self, name: &str) -> [String; 9] {
        [
            name.to_owned(),
            self.transcripts.to_string(),
            self.keep.to_string(),
            self.kept.to_string(),
            self.wrong.to_string(),
            self.traps.to_string(),
            self.duplicates.to_string(),
            format!("{} of {}", self.silent.1, self.silent.0),
            format!("{} of {}", self.places.0, self.places.1),
        ]
    }
}

/// Records that two spans share.
fn overlap(one: (u32, u32), other: (u32, u32)) -> u32 {
    (one.1.min(other.1) + 1).saturating_sub(one.0.max(other.0))
}

fn flat(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn span(value: &Value) -> Option<(u32, u32)> {
    let number = |at: usize| value.get(at)?.as_u64().and_then(|number| u32::try_from(number).ok());
    Some((number(0)?, number(1)?))
}

/// Every transcript of a folder that has labels, by name.
fn read(folder: &Path) -> Result<Vec<Labelled>, Failure> {
    let problem = |error: std::io::Error| Failure::Failed(format!("cannot read the labels: {error}"));
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(problem)? {
        let path = entry.map_err(problem)?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".labels.json")) else {
            continue;
        };
        let text = fs::read_to_string(&path).map_err(problem)?;
        let value: Value = serde_json::from_str(&text)
            .map_err(|error| Failure::Failed(format!("{name}.labels.json: {error}")))?;
        let one = labelled(name, folder, &value);
        found.push(one.map_err(|why| Failure::Failed(format!("{name}.labels.json: {why}")))?);
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}

fn labelled(name: &str, folder: &Path, value: &Value) -> Result<Labelled, String> {
    let list = |value: &Value, name: &str| value[name].as_array().cloned().unwrap_or_default();
    let texts = |value: &Value, name: &str| -> Vec<String> {
        list(value, name).iter().filter_map(Value::as_str).map(flat).collect()
    };
    let spans = |name: &str| list(value, name).iter().filter_map(|one| span(&one["span"])).collect();
    let kept = |one: &Value| {
        Ok(Kept {
            kind: need(one, "kind")?,
            span: span(&one["span"]).ok_or("`span` is missing")?,
            must_mention: texts(one, "must_mention"),
            places: texts(one, "places"),
            summary: one["summary"].as_str().unwrap_or_default().to_owned(),
        })
    };
    Ok(Labelled {
        name: name.to_owned(),
        path: folder.join(need(value, "transcript")?),
        host: need(value, "host")?,
        keep: list(value, "keep").iter().map(kept).collect::<Result<_, String>>()?,
        noise: spans("noise"),
        optional: spans("optional"),
        forbidden: texts(value, "forbidden"),
    })
}

/// A repository with an empty store.
fn template(session: &Session<'_>) -> Result<PathBuf, Failure> {
    let root = session.scratch.folder.join("template");
    fs::create_dir_all(&root).map_err(|error| Failure::Failed(format!("cannot make a folder: {error}")))?;
    capture(&mut session.scratch.git(&root, &["init", "-q", "-b", "main"]))?;
    session.scratch.name_the_author(&root)?;
    capture(&mut session.ken(&root, &["init"]))?;
    session.commit(&root, "store")?;
    Ok(root)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_count_can_be_wrong() {
        let labels = json!({"transcript": "x.jsonl", "host": "codex", "forbidden": ["SECRET"],
            "keep": [{"kind": "cause", "span": [3, 9], "must_mention": ["Pool", "close"], "places": ["src/pool.rs"]},
                     {"kind": "convention", "span": [20, 21], "must_mention": ["pnpm"]}],
            "noise": [{"span": [30, 40]}], "optional": [{"span": [50, 52]}]});
        let one = labelled("x", Path::new("."), &labels).unwrap();
        let draft = |kind: &str, statement: &str, lines: [u32; 2]| {
            Candidate::read(
                &json!({"kind": kind, "statement": statement, "lines": lines, "places": ["src/pool.rs"]}),
            )
        };
        let all = [
            draft("cause", "The pool leaks: close is never called.", [4, 8]),
            draft("lesson", "the POOL needs a  close", [9, 9]),
            draft("decision", "pnpm it is", [21, 21]),
            draft("cause", "secret", [31, 35]),
            draft("fact", "nobody minds", [51, 51]),
            draft("fact", "wrong", [60, 61]),
        ];
        let lenient = Count::new(&one, &all, Matching::Lenient);
        let strict = Count::new(&one, &all, Matching::Strict);
        let shown = |count: &Count| {
            (count.kept, count.wrong, count.traps, count.duplicates, count.leaks, count.places)
        };
        assert_eq!(shown(&lenient), (2, 2, 1, 1, 1, (1, 1)), "{:?}", lenient.told);
        assert_eq!(shown(&strict), (1, 4, 1, 0, 1, (1, 1)), "{:?}", strict.told);
    }
}
