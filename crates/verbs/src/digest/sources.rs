//! What `reduce` reads: files below the repository root and messages of commits. Nothing else is ever opened.

use ken_core::{Code, Fault, Refusal, Scan, Tier};
use ken_digest::{Candidate, Commit, Form, Place, Pull, Source, reduce, undecided};
use ken_engine::{Result, intake};
use ken_worktree::{Look, Tree, WorkingTree};

use crate::limits::digest_sources::{BYTES_MAX, COMMITS_MAX, FILES_MAX, SOURCE_BYTES_MAX};
use crate::{Layout, Site};

/// What a folder is read for.
const ENDINGS: &[&str] = &["md", "markdown", "mdx", "mdc", "txt", "rst", "adoc"];

/// Something that was read, whole.
pub(super) enum Read {
    Document { path: String, text: String, form: Form, bad: Vec<Bad> },
    Commits { name: String, commits: Vec<Commit> },
    Pulls { path: String, pulls: Vec<Pull> },
}

/// Lines of a document that the scan keeps out.
pub(super) struct Bad {
    lines: (u32, u32),
    found: ken_core::judged::ScanHit,
    tier: Tier,
}

impl Read {
    /// What it is called.
    pub fn name(&self) -> &str {
        match self {
            Read::Document { path, .. } | Read::Pulls { path, .. } => path,
            Read::Commits { name, .. } => name,
        }
    }

    pub fn reduce(&self) -> Vec<Candidate> {
        reduce(&self.source())
    }

    /// What rules take for no candidate and a judge may.
    pub fn undecided(&self) -> Vec<Candidate> {
        undecided(&self.source())
    }

    fn source(&self) -> Source<'_> {
        match self {
            Read::Document { path, text, form, .. } => Source::Document { path, text, form: *form },
            Read::Commits { commits, .. } => Source::Commits(commits),
            Read::Pulls { pulls, .. } => Source::Pulls(pulls),
        }
    }

    /// What the scan found where a candidate stands: taken apart, an injected order may look harmless.
    pub fn add_findings(&self, place: &Place, scan: &mut Scan) {
        let (Read::Document { bad, .. }, Place::Lines { first, last, .. }) = (self, place) else { return };
        for bad in bad.iter().filter(|bad| bad.lines.0 <= *last && *first <= bad.lines.1) {
            scan.tier = scan.tier.max(bad.tier);
            scan.findings.push(bad.found.clone());
        }
    }
}

/// Reads everything that is named. All that is wrong is told together, and then nothing is read.
pub(super) fn sources(site: &Site, named: &[String]) -> Result<Vec<Read>> {
    let mut faults = Vec::new();
    let mut fault = |problem: String| {
        faults.push(Fault { field: "sources".to_owned(), problem: intake::redacted_text(&problem) });
    };
    if named.is_empty() {
        fault("matches nothing to read; give paths, globs like 'docs/**/*.md', or git:RANGE".to_owned());
    }
    let root = site.layout.root.clone();
    let mut tree = WorkingTree::new(&root, site.layout.git.as_ref(), Default::default());
    let below = folder_below_root(site);
    let mut paths: Vec<String> = Vec::new();
    let mut read = Vec::new();
    for name in named {
        if let Some(range) = name.strip_prefix("git:") {
            match commits(&site.layout, range) {
                Ok(commits) => read.push(Read::Commits { name: name.clone(), commits }),
                Err(why) => fault(format!("{name}: {why}")),
            }
            continue;
        }
        match named_files(name, &below, &mut tree) {
            Ok(found) => paths.extend(found),
            Err(why) => fault(why),
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    paths.retain(|path| seen.insert(path.clone()));
    if paths.len() > FILES_MAX {
        fault(format!("name {} files; at most {FILES_MAX} are read at once", paths.len()));
        paths.clear();
    }
    let mut bytes = 0;
    for path in paths {
        match file(&path, &mut tree, &mut bytes) {
            Ok(file) => read.push(file),
            Err(why) => fault(why),
        }
    }
    match Refusal::from_faults(Code::Invalid, faults) {
        Some(refusal) => Err(refusal.into()),
        None => Ok(read),
    }
}

/// Where the caller stands, below the repository root: empty, or with a `/` at its end.
fn folder_below_root(site: &Site) -> String {
    let root = site.layout.root.canonicalize();
    let from = site.options.from.canonicalize();
    let (Ok(root), Ok(from)) = (root, from) else { return String::new() };
    let below = from.strip_prefix(root).ok().and_then(|below| below.to_str()).unwrap_or_default();
    if below.is_empty() { String::new() } else { format!("{}/", below.replace('\\', "/")) }
}

fn commits(layout: &Layout, range: &str) -> std::result::Result<Vec<Commit>, String> {
    let Some(git) = layout.git.as_ref() else {
        return Err("this store is not in a git repository".to_owned());
    };
    if range.trim().is_empty() || range.starts_with('-') {
        return Err("is not a range of commits; write git:main..HEAD or git:HEAD".to_owned());
    }
    let most = format!("--max-count={COMMITS_MAX}");
    let args = ["log", "--format=%H%x00%B%x01", most.as_str(), "--end-of-options", range, "--"];
    let printed = git.text(&args).map_err(|_| "is not a range of commits known to git".to_owned())?;
    let commit = |record: &str| {
        let (hash, message) = record.trim_start_matches('\n').split_once('\0')?;
        Some(Commit { hash: hash.to_owned(), message: message.to_owned() })
    };
    Ok(printed.split('\u{1}').filter_map(commit).collect())
}

/// The files that a name means: itself, those of a folder, or those that a pattern matches.
fn named_files(name: &str, below: &str, tree: &mut WorkingTree) -> std::result::Result<Vec<String>, String> {
    let said = name.trim().replace('\\', "/");
    let said = said.trim_start_matches("./").trim_end_matches('/');
    let wrong = |why: &str| Err(format!("{name:?} {why}"));
    if said.is_empty() || said == "." {
        return wrong("is the whole repository; name files or folders in it");
    }
    if said.split('/').any(|part| part == "..") {
        return wrong("points outside the repository; only files inside it are read");
    }
    ken_core::fields::relative_path(said)?;
    if said.split('/').any(|part| part.eq_ignore_ascii_case(".git") || part == crate::STORE_FOLDER) {
        return wrong("belongs to git or to the store; neither is read for norms");
    }
    if said.contains(['*', '?', '[', '{']) {
        let glob = globset::GlobBuilder::new(&format!("{below}{said}")).literal_separator(true).build();
        let matcher = glob.map_err(|error| format!("invalid pattern {name:?}: {error}"))?.compile_matcher();
        let listing = tree.list().map_err(|why| format!("{name:?} cannot be searched: {why}"))?;
        let found: Vec<String> = listing.iter().filter(|path| matcher.is_match(path)).cloned().collect();
        return if found.is_empty() { wrong("matches no file of this repository") } else { Ok(found) };
    }
    // From a folder of the repository its own files are meant first.
    for path in [format!("{below}{said}"), said.to_owned()] {
        match tree.look(&path) {
            Look::Absent => {}
            Look::File { .. } => return Ok(vec![path]),
            Look::Unknown(why) => return Err(why.to_string()),
            Look::Folder => {
                let inside = format!("{path}/");
                let listing = tree.list().map_err(|why| format!("{name:?} cannot be listed: {why}"))?;
                let is_text = |path: &&String| {
                    let ending = path.rsplit_once('.').map(|(_, ending)| ending.to_lowercase());
                    path.starts_with(&inside)
                        && ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()))
                };
                let found: Vec<String> = listing.iter().filter(is_text).cloned().collect();
                return if found.is_empty() { wrong("holds no documents") } else { Ok(found) };
            }
        }
    }
    wrong("is not in this repository")
}

fn file(path: &str, tree: &mut WorkingTree, total: &mut u64) -> std::result::Result<Read, String> {
    if let Look::File { size, .. } = tree.look(path) {
        if size > SOURCE_BYTES_MAX {
            return Err(format!("{path} has {size} bytes; at most {SOURCE_BYTES_MAX} are read"));
        }
        *total += size;
        if *total > BYTES_MAX {
            return Err(format!("{path} exceeds the limit: at most {BYTES_MAX} bytes are read at once"));
        }
    }
    let bytes = tree.read(path)?.ok_or_else(|| format!("{path} is not in this repository"))?;
    if bytes.contains(&0) {
        return Err(format!("{path} is not a text file"));
    }
    let text = String::from_utf8(bytes).map_err(|_| format!("{path} is not UTF-8 text"))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned();
    if path.to_lowercase().ends_with(".json") {
        let pulls = Pull::read(&text).map_err(|why| format!("{path} {why}"))?;
        return Ok(Read::Pulls { path: path.to_owned(), pulls });
    }
    let form = Form::detect(path, &text);
    let bad = bad_lines(&text);
    Ok(Read::Document { path: path.to_owned(), text, form, bad })
}

/// The lines of a document in which the scan finds what it keeps out.
fn bad_lines(text: &str) -> Vec<Bad> {
    let verdict = ken_guard::scan(text);
    let breaks: Vec<usize> =
        text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect();
    let line = |byte: usize| u32::try_from(breaks.partition_point(|at| *at < byte) + 1).unwrap_or(u32::MAX);
    let rejected = verdict.findings.iter().filter(|finding| finding.severity.is_rejected());
    rejected
        .map(|finding| {
            let tier = intake::tier(finding.severity);
            let (start, end) = (line(finding.start), line(finding.end));
            let found = ken_core::judged::ScanHit {
                axis: finding.axis.word().to_owned(),
                rule: finding.rule.to_owned(),
                severity: tier,
                field: "source".to_owned(),
                start,
                end,
            };
            Bad { lines: (start, end), found, tier }
        })
        .collect()
}
