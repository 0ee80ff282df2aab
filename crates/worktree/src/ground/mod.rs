//! The code around a store, as entries ask for it: a tree, grammars to read it by, and what was found out before.

mod prefetch;
mod screen;
mod search;
mod trees;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::git::Git;
use crate::{CommitTree, Evaluator, KnownBlob, Limits, Look, Needs, Stamp, Suggestion, Tree, WorkingTree};
use ken_anchors::judge::{Here, here};
use ken_anchors::limits::PREFETCHED_MAX;
use ken_anchors::worker::{Borrowed, InProcess, Reader};
use ken_anchors::{Code, Unread, capture};
use ken_core::condition::{Atom, Condition};
use ken_core::validity::Answer;
use ken_core::{Anchor, Captured, Millis, PlaceVerdict, Spot, Verdict};
use ken_engine::Judgements;
use ken_engine::judgements::{Judged, Judgement, JudgementUpdate, SeenFile};
use ken_engine::{Brief, CodeTree, Effort, Uncaptured};

use self::prefetch::Prefetch;
use self::screen::Screen;
use self::search::{Lost, SEARCHED_BYTES_MAX};
use self::trees::{ByGrammar, NoReader, Nowhere, Trees, Watched};
use crate::limits::PREFETCHED_BYTES_MAX;
use crate::past::Past;

/// Files of a tree up to which code that is not where it was is searched for while somebody waits.
const QUICK_FILES_MAX: usize = 2_000;
/// Files that a judgement names one by one; one that rests on more is found out anew when anything changes.
const LOOKED_MAX: usize = 256;
/// The look at the whole tree that a file belongs to which was only seen by itself.
const NOT_LISTED: i64 = 0;
/// What a check may take. A store or a tree that asks for more is told so.
const CHECK_TIME_MAX: Duration = Duration::from_secs(30);
/// What looking at code may add to a search.
const RECALL_TIME_MAX: Duration = Duration::from_secs(2);
/// What is said of what nobody came to.
const NO_TIME: &str = "there was not enough time to check";
/// What stands for the content of a folder.
const FOLDER: &str = "folder";
/// Changed files that are searched for the words of what was lost, before everything lost is judged anew.
const CHANGED_MAX: usize = 64;
/// Bytes of files that are kept read while places are taken down. What is made of a file takes several times that.
const CODES_BYTES_MAX: usize = 32 * 1024 * 1024;

/// How the grammars are run.
#[derive(Clone, Debug, Default)]
pub enum Parser {
    /// In this process: an abort of a grammar would be ours.
    #[default]
    Here,
    /// In a process of its own, started with these arguments.
    Apart(PathBuf, Vec<String>),
}

/// Other files that are offered where a name is defined in several.
const OFFERED_MAX: usize = 3;

/// Which file a name was looked for in, where several define it.
fn homes_remark(spot: &Spot, home: &str, others: &[String]) -> Option<String> {
    let name = spot.symbol.as_deref().filter(|_| !others.is_empty())?;
    let at =
        |path: &str| Spot { path: Some(path.to_owned()), lines: None, symbol: Some(name.to_owned()) }.text();
    let shown: Vec<String> = others.iter().take(OFFERED_MAX).map(|path| at(path)).collect();
    let rest = others.len().saturating_sub(shown.len());
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    Some(format!("was resolved to {}; other matches: {}{more}", at(home), shown.join(", ")))
}

/// Whether a file looks like one of tests, by its name or a folder.
fn is_test(path: &str) -> bool {
    let is_word = |word: &str| {
        matches!(word, "test" | "tests" | "spec" | "specs" | "__tests__" | "testdata" | "fixtures")
    };
    path.split(['/', '.', '_', '-']).any(|word| is_word(&word.to_lowercase()))
}

/// A tree of files and what is known of it.
pub struct CodeGround {
    tree: Trees,
    parser: Parser,
    reader: Option<Box<dyn Reader>>,
    memory: Option<Memory>,
    listing: Option<Result<Listing, String>>,
    codes: HashMap<String, Result<Option<Rc<Code>>, String>>,
    codes_bytes: usize,
    prefetched: Prefetch,
    /// The words of changed files.
    words: HashMap<String, Rc<HashSet<u64>>>,
    evaluator: Evaluator,
    screen: Screen,
    begun: Instant,
    /// How long somebody waits for all of it.
    time_max: Duration,
    /// What was before, where there is a history.
    past: Option<Past>,
    /// What all conditions about manifests and facts rest on.
    shared: BTreeMap<String, Option<String>>,
}

/// What was found out before, in this worktree.
struct Memory {
    kept: Box<dyn Judgements>,
    /// Files as they were last seen, those that were asked for; none where there was none.
    files: HashMap<String, Option<SeenFile>>,
    /// All of them were asked for.
    all_files: bool,
    /// Judgements that were asked for; none where there is none.
    judged: HashMap<u64, Option<Rc<Judgement>>>,
    /// All of them were asked for.
    all_judged: bool,
    /// When contents of files came to be, in seconds.
    changed: HashMap<u64, i64>,
    news: JudgementUpdate,
    /// Nothing may be written.
    read_only: bool,
}

impl Memory {
    /// When a content of a file came to be, if somebody found that out. What cannot be read is found out again.
    fn changed_at(&mut self, mark: u64) -> Option<i64> {
        if let Some(seconds) = self.changed.get(&mark) {
            return Some(*seconds);
        }
        let seconds = self.kept.changed_at(mark).ok().flatten()?;
        self.changed.insert(mark, seconds);
        Some(seconds)
    }
}

/// Which files there are, and which changed when.
struct Listing {
    paths: Rc<[String]>,
    /// Names the list.
    name: u64,
    /// The latest look in which a file was found changed.
    generation: i64,
    /// Of each file, the look in which it was found changed.
    changed: HashMap<String, i64>,
}

impl CodeGround {
    /// The working tree, with what was found out before.
    pub fn working(
        root: &std::path::Path,
        git: Option<&Git>,
        kept: Option<Box<dyn Judgements>>,
        read_only: bool,
        parser: Parser,
    ) -> CodeGround {
        let memory = kept.map(|kept| Memory {
            kept,
            files: HashMap::new(),
            all_files: false,
            judged: HashMap::new(),
            all_judged: false,
            changed: HashMap::new(),
            news: JudgementUpdate::default(),
            read_only,
        });
        let tree = Trees::Working(Box::new(WorkingTree::new(root, git, HashMap::new())));
        // A store below the top of a repository calls its files by other names than git does.
        let past = git.filter(|git| git.work_tree == root).map(|git| Past::new(git, "HEAD"));
        CodeGround { past, ..CodeGround::new(tree, memory, parser) }
    }

    /// The tree of a commit. Nothing is kept: who asks for the past asks once.
    pub fn commit(git: &Git, commit: &str, parser: Parser) -> CodeGround {
        let tree = Trees::Commit(Box::new(CommitTree::new(git, commit)));
        CodeGround { past: Some(Past::new(git, commit)), ..CodeGround::new(tree, None, parser) }
    }

    /// No tree at all, and why.
    pub fn nowhere(why: &str) -> CodeGround {
        CodeGround::new(Trees::None(Nowhere(why.to_owned())), None, Parser::Here)
    }

    fn new(tree: Trees, memory: Option<Memory>, parser: Parser) -> CodeGround {
        CodeGround {
            tree,
            parser,
            reader: None,
            memory,
            listing: None,
            codes: HashMap::new(),
            codes_bytes: 0,
            prefetched: Prefetch::default(),
            words: HashMap::new(),
            evaluator: Evaluator::new(Limits::default()),
            screen: Screen::default(),
            begun: Instant::now(),
            time_max: CHECK_TIME_MAX,
            past: None,
            shared: BTreeMap::new(),
        }
    }

    /// Somebody waits for an answer that this is only a part of.
    pub fn in_a_hurry(mut self) -> CodeGround {
        self.time_max = RECALL_TIME_MAX;
        self
    }

    /// Nobody waits: many entries come in, and each is looked at once.
    pub fn at_leisure(mut self) -> CodeGround {
        self.time_max = Duration::MAX;
        self
    }

    fn out_of_time(&self) -> bool {
        self.begun.elapsed() > self.time_max
    }

    /// The tree itself.
    pub fn tree(&mut self) -> &mut dyn Tree {
        self.tree.get()
    }

    /// Loads everything that was found out before: for a check of the whole store that is faster than asking one by one.
    pub fn load_all(&mut self) {
        if let Trees::Working(tree) = &mut self.tree {
            tree.begin();
        }
        let Some(memory) = &mut self.memory else { return };
        if let Ok(all) = memory.kept.all() {
            memory.judged =
                all.into_iter().map(|(mark, judgement)| (mark, Some(Rc::new(judgement)))).collect();
            memory.all_judged = true;
        }
        self.load_files();
    }

    fn load_files(&mut self) {
        let Some(memory) = self.memory.as_mut().filter(|memory| !memory.all_files) else { return };
        memory.all_files = true;
        let Ok(files) = memory.kept.files() else { return };
        for (path, seen) in files {
            if let Trees::Working(tree) = &mut self.tree {
                tree.know(&path, known(&seen));
            }
            memory.files.entry(path).or_insert(Some(seen));
        }
    }

    /// Keeps what was found out. Failing to is no loss but of time.
    pub fn save(&mut self) {
        let (Some(memory), Trees::Working(tree)) = (&mut self.memory, &self.tree) else { return };
        if memory.read_only {
            return;
        }
        let listed = self.listing.as_ref().and_then(|listing| listing.as_ref().ok());
        for (path, known) in tree.known() {
            let before = memory.files.get(path).and_then(Option::as_ref);
            let same = before.is_some_and(|seen| seen.blob == known.blob);
            // Where nobody looked at the whole tree, a change belongs to the look that is still to come.
            // One that is not listed, such as one that git ignores, is new when it comes to be.
            let generation = match (listed.map(|listing| listing.changed.get(path)), before) {
                (Some(Some(generation)), _) => *generation,
                (Some(None), _) => NOT_LISTED,
                (None, Some(seen)) if same => seen.generation,
                (None, _) => NOT_LISTED,
            };
            let seen = seen_file(known, generation);
            if before != Some(&seen) {
                memory.news.files.push((path.clone(), seen));
            }
        }
        if !memory.news.is_empty() {
            let _ = memory.kept.keep(&memory.news);
            memory.news = JudgementUpdate::default();
        }
    }

    fn reader(&mut self) -> &mut dyn Reader {
        let parser = &self.parser;
        let reader = self.reader.get_or_insert_with(|| match parser {
            Parser::Here => Box::new(InProcess::default()),
            Parser::Apart(program, args) => {
                let args: Vec<&str> = args.iter().map(String::as_str).collect();
                match Borrowed::start(program, &args) {
                    Ok(worker) => Box::new(worker),
                    Err(error) => Box::new(NoReader(format!("the parser could not be started: {error}"))),
                }
            }
        });
        &mut **reader
    }

    /// Sends the parser what it can work on before somebody waits for it.
    fn send_ahead(&mut self) {
        while self.prefetched.sent.len() < PREFETCHED_MAX && self.prefetched.sent_bytes < PREFETCHED_BYTES_MAX
        {
            let Some(path) = self.prefetched.expected.pop_front() else { return };
            let is_sent = self.prefetched.sent.iter().any(|(sent, _)| *sent == path);
            if is_sent || self.codes.contains_key(&path) || self.tree.is_ignored(&path) {
                continue;
            }
            if let Look::File { .. } = self.tree.get().look(&path)
                && let Ok(Some(bytes)) = self.tree.get().read(&path)
            {
                Code::prefetch(&path, &bytes, self.reader());
                self.prefetched.sent_bytes += bytes.len();
                self.prefetched.sent.push_back((path, bytes));
            }
        }
    }

    /// The content of a file as it is named in judgements; empty where there is none.
    fn blob(&mut self, path: &str) -> Option<String> {
        self.recall(path);
        blob_of(&self.tree.get().look(path))
    }

    /// Whether a file has some content.
    fn has(&mut self, path: &str, blob: &str) -> bool {
        self.recall(path);
        match &mut self.tree {
            Trees::Working(tree) => tree.has(path, blob),
            Trees::Commit(_) | Trees::None(_) => {
                blob_of(&self.tree.get().look(path)).as_deref() == Some(blob)
            }
        }
    }

    /// Tells the tree what was known of a file, so that it need not be read.
    fn recall(&mut self, path: &str) {
        if let (Trees::Working(tree), Some(memory)) = (&mut self.tree, &mut self.memory)
            && !memory.all_files
            && !memory.files.contains_key(path)
        {
            let seen = memory.kept.file(path).ok().flatten();
            if let Some(seen) = &seen {
                tree.know(path, known(seen));
            }
            memory.files.insert(path.to_owned(), seen);
        }
    }

    /// A file, read. None where there is none.
    fn code(&mut self, path: &str) -> Result<Option<Rc<Code>>, String> {
        if let Some(code) = self.codes.get(path) {
            return code.clone();
        }
        let code = self.read_code(path);
        if let Ok(Some(code)) = &code {
            self.codes_bytes += code.text.len();
        }
        if self.codes_bytes > CODES_BYTES_MAX {
            self.codes.clear();
            self.codes_bytes = 0;
        }
        self.codes.insert(path.to_owned(), code.clone());
        code
    }

    fn read_code(&mut self, path: &str) -> Result<Option<Rc<Code>>, String> {
        let sent = self.prefetched.take(path);
        self.send_ahead();
        if let Some(bytes) = sent {
            return Code::read(path, &bytes, self.reader()).map(|code| Some(Rc::new(code)));
        }
        match self.tree.get().look(path) {
            Look::Absent => return Ok(None),
            Look::Folder => return Err(format!("{path} is a folder")),
            Look::Unknown(why) => return Err(why.to_string()),
            Look::File { .. } => {}
        }
        let Some(bytes) = self.tree.get().read(path)? else { return Ok(None) };
        Code::read(path, &bytes, self.reader()).map(|code| Some(Rc::new(code)))
    }

    fn listing(&mut self) -> Result<&Listing, String> {
        if self.listing.is_none() {
            let listing = self.list();
            self.listing = Some(listing);
        }
        match self.listing.as_ref().expect("it was just made") {
            Ok(listing) => Ok(listing),
            Err(why) => Err(why.clone()),
        }
    }

    fn list(&mut self) -> Result<Listing, String> {
        let paths = self.tree.get().list()?;
        let mut name = blake3::Hasher::new();
        for path in paths.iter() {
            name.update(path.as_bytes()).update(&[0]);
        }
        let name = first_eight(&name.finalize());
        self.load_files();
        let (Trees::Working(tree), Some(memory)) = (&mut self.tree, &mut self.memory) else {
            return Ok(Listing { paths, name, generation: 0, changed: HashMap::new() });
        };
        // Never the number of an earlier look, though the files it found changed may be gone.
        let Ok(latest) = memory.kept.latest() else {
            return Err("cached verdicts cannot be read".to_owned());
        };
        let mut changed = HashMap::with_capacity(paths.len());
        let mut generation = latest;
        for path in paths.iter() {
            let Look::File { blob, .. } = tree.look(path) else { continue };
            let before = memory.files.get(path).and_then(Option::as_ref);
            match before.filter(|seen| seen.blob == blob && seen.generation != NOT_LISTED) {
                Some(seen) => changed.insert(path.clone(), seen.generation),
                None => {
                    generation = latest + 1;
                    changed.insert(path.clone(), generation)
                }
            };
        }
        // Files that git ignores may be anchored all the same: only what is gone is forgotten.
        let unlisted: Vec<&String> =
            memory.files.keys().filter(|path| !changed.contains_key(*path)).collect();
        for path in unlisted {
            if matches!(tree.look(path), Look::Absent) {
                memory.news.gone.push(path.clone());
            }
        }
        Ok(Listing { paths, name, generation, changed })
    }

    fn judgement(&mut self, mark: u64) -> Option<Rc<Judgement>> {
        let memory = self.memory.as_mut()?;
        if let Some(known) = memory.judged.get(&mark) {
            return known.clone();
        }
        if memory.all_judged {
            return None;
        }
        let found = memory.kept.get(mark).ok().flatten().map(Rc::new);
        memory.judged.insert(mark, found.clone());
        found
    }

    fn keep(&mut self, mark: u64, judgement: Judgement) {
        if let Some(memory) = &mut self.memory {
            memory.judged.insert(mark, Some(Rc::new(judgement.clone())));
            memory.news.judgements.push((mark, judgement));
        }
    }

    /// Whether the files that a judgement rests on are as they were.
    fn unchanged(&mut self, judgement: &Judgement) -> bool {
        let is_file = |blob: &str| !blob.is_empty() && blob != FOLDER;
        judgement.looked.iter().all(|(path, blob)| match is_file(blob) {
            true => self.has(path, blob),
            false => self.blob(path).as_deref() == Some(blob),
        })
    }

    fn still_counts(&mut self, judgement: &Judgement, effort: Effort) -> bool {
        if !self.unchanged(judgement) {
            return false;
        }
        if let Some(name) = judgement.listing
            && effort == Effort::Thorough
            && self.listing().map(|listing| listing.name).ok() != Some(name)
        {
            return false;
        }
        match (judgement.generation, effort) {
            (None, _) | (Some(_), Effort::Quick) => true,
            (Some(generation), Effort::Thorough) => self.cannot_change(generation, &judgement.words),
        }
    }

    /// Whether no file that changed since a look at the tree holds any of some words.
    fn cannot_change(&mut self, since: i64, words: &[String]) -> bool {
        let changed: Vec<String> = match self.listing() {
            Ok(listing) if listing.generation == since => return true,
            Ok(_) if words.is_empty() => return false,
            Ok(listing) => {
                let later = listing.changed.iter().filter(|(_, changed)| **changed > since);
                later.map(|(path, _)| path.clone()).take(CHANGED_MAX + 1).collect()
            }
            Err(_) => return false,
        };
        if changed.len() > CHANGED_MAX {
            return false;
        }
        let wanted: Vec<u64> = words.iter().map(|word| hashed(word.as_bytes())).collect();
        changed.iter().all(|path| {
            let held = self.words_of(path);
            !wanted.iter().any(|word| held.contains(word))
        })
    }

    /// The words of a file. One that cannot be read, or that nobody would search, holds none.
    fn words_of(&mut self, path: &str) -> Rc<HashSet<u64>> {
        if let Some(words) = self.words.get(path) {
            return words.clone();
        }
        let is_searched = match self.tree.get().look(path) {
            Look::File { size, .. } => size <= SEARCHED_BYTES_MAX,
            Look::Absent | Look::Folder | Look::Unknown(_) => false,
        };
        let bytes = if is_searched { self.tree.get().read(path).ok().flatten() } else { None };
        let words = bytes.as_deref().unwrap_or_default().split(|byte| !is_of_word(*byte));
        let words: Rc<HashSet<u64>> = Rc::new(words.filter(|word| !word.is_empty()).map(hashed).collect());
        self.words.insert(path.to_owned(), words.clone());
        words
    }

    /// What a condition answered before, if that still counts.
    fn answered(&mut self, mark: u64, effort: Effort) -> Option<Answer> {
        let judgement = self.judgement(mark)?;
        match &judgement.judged {
            Judged::Condition(answer) if self.still_counts(&judgement, effort) => Some(answer.clone()),
            Judged::Condition(_) | Judged::Place(_) => None,
        }
    }

    /// What can be said of a place that nobody took down.
    fn judge_unseen(&mut self, spot: &Spot, effort: Effort) -> PlaceVerdict {
        let judged = |verdict, why: String| PlaceVerdict { verdict, now: None, why };
        let again = "no fingerprint was stored when it was added; `ken check --accept` stores one";
        let Some(path) = &spot.path else {
            let home = match effort {
                Effort::Thorough => {
                    self.home_of(spot.symbol.as_deref().unwrap_or_default()).map(|(home, _)| home)
                }
                Effort::Quick => Ok(String::new()),
            };
            return judged(
                Verdict::Unverifiable,
                home.err().map_or_else(|| again.to_owned(), |why| why.reason().to_owned()),
            );
        };
        let path = path.trim_end_matches('/');
        match self.tree.get().look(path) {
            Look::Absent => return self.judge_absent(spot, path, effort),
            Look::Unknown(why) => return judged(Verdict::Unverifiable, why.to_string()),
            Look::Folder => return judged(Verdict::Fresh, format!("{path} is a folder and exists")),
            Look::File { .. } => {}
        }
        if self.tree.is_ignored(path) {
            return judged(Verdict::Unverifiable, git_ignores(path));
        }
        let code = match self.code(path) {
            Ok(Some(code)) => code,
            Ok(None) => return self.judge_absent(spot, path, effort),
            Err(why) => return judged(Verdict::Unverifiable, why),
        };
        match capture::capture(spot, path, &code) {
            Ok(_) => judged(Verdict::Unverifiable, again.to_owned()),
            // It was not found when it was added either: nothing shows that it was ever there (COR-22).
            Err(why) => judged(Verdict::Unverifiable, why),
        }
    }

    /// A file that is not there, and of which no fingerprint was stored. It is never broken: nobody knows what was at that place (COR-22).
    fn judge_absent(&mut self, spot: &Spot, path: &str, effort: Effort) -> PlaceVerdict {
        let was_there = match effort {
            Effort::Thorough => self.past.as_mut().and_then(|past| past.had_file(path)),
            Effort::Quick => None,
        };
        // What follows a file that was renamed cannot be told without a fingerprint, but it is not gone.
        if was_there == Some(true)
            && let Some(now) = self.renamed(path)
        {
            let why = format!("{path} was renamed to {now}, and no fingerprint was stored");
            let now = Spot { path: Some(now), ..spot.clone() }.text();
            return PlaceVerdict { verdict: Verdict::Unverifiable, now: Some(now), why };
        }
        let why = match was_there {
            Some(true) => format!("{path} is gone, and no fingerprint was stored"),
            Some(false) => format!("{path} does not exist, and never did in this history"),
            None => format!("{path} does not exist, and no fingerprint was stored"),
        };
        PlaceVerdict::unverifiable(why)
    }

    /// Whether git may yet say where an absent file went: a commit that only names a rename changes no file.
    fn may_turn_up(&mut self, path: &str, judged: &PlaceVerdict) -> bool {
        let past = self.past.as_mut().filter(|_| judged.now.is_none());
        past.is_some_and(|past| past.had_file(path) == Some(true))
    }

    /// Where a file is now that is no longer at its path: where git has it, else where its bytes are.
    fn renamed(&mut self, path: &str) -> Option<String> {
        let by_git = self.past.as_mut().and_then(|past| past.renamed(path));
        let by_git = by_git.filter(|now| self.tree.get().look(now).is_there());
        by_git.or_else(|| self.with_last_bytes(path))
    }

    /// The one file that has the bytes which an absent file had last, and did not have them then: git was not told of a rename.
    fn with_last_bytes(&mut self, path: &str) -> Option<String> {
        let (commit, bytes) = self.past.as_mut()?.last_content(path)?;
        let paths = self.listing().ok()?.paths.clone();
        let mut found = None;
        for other in paths.iter().filter(|other| *other != path) {
            if self.out_of_time() {
                return None;
            }
            if self.blob(other).as_ref() != Some(&bytes) || self.past.as_mut()?.had(&commit, other, &bytes) {
                continue;
            }
            if found.replace(other.clone()).is_some() {
                return None;
            }
        }
        found
    }
}

impl CodeTree for CodeGround {
    fn is_unchanged(&mut self, path: &str, blob: &str) -> bool {
        !blob.is_empty() && self.has(path, blob)
    }

    fn remembered(&mut self, place: &Brief, effort: Effort) -> Option<PlaceVerdict> {
        if self.is_unchanged(&place.path, &place.blob) {
            return Some(PlaceVerdict { verdict: Verdict::Fresh, now: None, why: "unchanged".to_owned() });
        }
        let judgement = self.judgement(place.mark)?;
        if !self.still_counts(&judgement, effort) {
            return None;
        }
        let said = judgement.place().cloned()?;
        // Whether git ignores a file is not told by the file.
        let is_unseen = place.blob.is_empty() && said.verdict == Verdict::Unverifiable;
        let is_ignored = is_unseen && !place.path.is_empty() && self.tree.is_ignored(&place.path);
        (!is_ignored).then_some(said)
    }

    fn judge(&mut self, anchors: &[Anchor], effort: Effort) -> Vec<PlaceVerdict> {
        let mut seen: Vec<Option<PlaceVerdict>> = vec![None; anchors.len()];
        let mut by_path: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut lost: Vec<(usize, Lost<'_>)> = Vec::new();
        for (at, anchor) in anchors.iter().enumerate() {
            let spot = anchor.spot();
            let Some(captured) = &anchor.captured else {
                let judged = self.judge_unseen(&spot, effort);
                // The file does not show whether git ignores it, and a quick look does not ask the history.
                if let Some(path) = spot.path
                    && !self.tree.is_ignored(&path)
                    && !matches!(self.codes.get(&path), Some(Ok(Some(code))) if was_cut_short(code))
                    && let Some(blob) = self.blob(&path)
                    && (!blob.is_empty() || (effort == Effort::Thorough && !self.may_turn_up(&path, &judged)))
                {
                    let renamed = judged.now.as_deref().and_then(|now| Spot::parse(now).path);
                    let renamed = renamed.and_then(|to| Some((to.clone(), self.blob(&to)?)));
                    // Whether an absent file was renamed is not told by its path.
                    let generation = match blob.is_empty() {
                        true => self.listing().ok().map(|listing| listing.generation),
                        false => None,
                    };
                    let looked = [(path, blob)].into_iter().chain(renamed).collect();
                    self.keep(Brief::new(anchor).mark, kept(&judged, looked, false, generation));
                }
                seen[at] = Some(judged);
                continue;
            };
            let path = captured.path.clone().or_else(|| spot.path.clone()).unwrap_or_default();
            let before = self.judgement(Brief::new(anchor).mark).filter(|judgement| judgement.lost);
            let said = before.as_ref().and_then(|before| before.place().cloned());
            match (before.as_ref().and_then(|before| before.generation), before, said) {
                // Its own file is as it was when it was not found there: only what changed elsewhere is new.
                (Some(since), Some(before), Some(said)) if self.unchanged(&before) => {
                    lost.push((at, Lost { spot, captured, path, said, since }));
                }
                _ => by_path.entry(path).or_default().push(at),
            }
        }
        self.prefetch(by_path.keys().cloned().collect());
        for (path, wanting) in by_path {
            if self.out_of_time() {
                // Nobody is left without an answer: those that were not looked at say so at the end.
                break;
            }
            let code = self.code(&path);
            let blob = self.blob(&path);
            for at in wanting {
                let anchor = &anchors[at];
                let (spot, Some(captured)) = (anchor.spot(), anchor.captured.as_ref()) else { continue };
                let code = match &code {
                    Ok(code) => code.as_deref(),
                    Err(why) => {
                        seen[at] = Some(PlaceVerdict::unverifiable(why.clone()));
                        continue;
                    }
                };
                match here(&spot, captured, &path, code) {
                    Here::Settled(judged) => {
                        let judged = harmless_judged(judged);
                        let looked = blob.clone().map(|blob| vec![(path.clone(), blob)]);
                        if let Some(looked) = looked.filter(|_| !code.is_some_and(was_cut_short)) {
                            self.keep(Brief::new(anchor).mark, kept(&judged, looked, false, None));
                        }
                        seen[at] = Some(judged);
                    }
                    Here::Lost(said) => {
                        let path = path.clone();
                        lost.push((at, Lost { spot, captured, path, said, since: i64::MIN }));
                    }
                }
            }
            if let Some(Ok(Some(code))) = self.codes.remove(&path) {
                self.codes_bytes -= code.text.len();
            }
        }
        self.prefetched = Prefetch::default();
        if lost.is_empty() {
            return seen.into_iter().map(|seen| seen.unwrap_or_else(nobody)).collect();
        }
        let files = self.listing().map(|listing| (listing.paths.len(), listing.generation));
        let (places, lost): (Vec<usize>, Vec<Lost<'_>>) = lost.into_iter().unzip();
        let judged = match &files {
            Ok((files, _)) if effort == Effort::Quick && *files > QUICK_FILES_MAX => {
                for (at, lost) in places.iter().zip(&lost) {
                    let why = format!("{}; `ken check` searches for it elsewhere", lost.said.why);
                    seen[*at] = Some(PlaceVerdict::unverifiable(why));
                }
                Vec::new()
            }
            Ok(_) => self.search(&lost),
            Err(why) => {
                for (at, lost) in places.iter().zip(&lost) {
                    let why = format!("{}; other files could not be searched: {why}", lost.said.why);
                    seen[*at] = Some(PlaceVerdict::unverifiable(why));
                }
                Vec::new()
            }
        };
        let generation = files.as_ref().map(|(_, generation)| *generation).unwrap_or(0);
        let cut_short = self.out_of_time();
        for ((at, lost), judged) in places.iter().zip(&lost).zip(judged) {
            if cut_short && !judged.verdict.holds() {
                let why = format!("{}; {NO_TIME} all files", lost.said.why);
                seen[*at] = Some(PlaceVerdict::unverifiable(why));
                continue;
            }
            let mut looked = vec![(lost.path.clone(), self.blob(&lost.path).unwrap_or_default())];
            if let Some(path) = judged.now.as_deref().and_then(|now| Spot::parse(now).path)
                && let Some(blob) = self.blob(&path)
            {
                looked.push((path, blob));
            }
            // What was found again stays found as long as it is there; what was not may turn up in any file.
            let generation = (!judged.verdict.holds()).then_some(generation);
            // A heading has several words, and any of them may bring it back.
            let words = lost
                .words()
                .into_iter()
                .flat_map(|word| word.split(|c: char| c.is_ascii() && !is_of_word(c as u8)));
            let words = words.filter(|word| !word.is_empty()).map(str::to_owned).collect();
            let judgement = Judgement { words, ..kept(&judged, looked, true, generation) };
            self.keep(Brief::new(&anchors[*at]).mark, judgement);
            seen[*at] = Some(judged);
        }
        seen.into_iter().map(|seen| seen.unwrap_or_else(nobody)).collect()
    }

    fn condition(&mut self, condition: &Condition) -> Answer {
        let mark = condition_mark(condition);
        if let Some(answer) = self.answered(mark, Effort::Thorough) {
            return answer;
        }
        if self.out_of_time() {
            return Answer::Unverifiable(NO_TIME.to_owned());
        }
        if let Atom::Content { path, blob } = &condition.atom
            && let Some(answer) = self.unchanged_since_commit(path, blob, condition.negated)
        {
            return answer;
        }
        self.reader();
        let mut reader = self.reader.take().expect("it was just made");
        let mut watched = Watched { tree: self.tree.get(), looked: BTreeMap::new(), listed: false };
        let mut symbols = ByGrammar { reader: &mut *reader, cut_short: false };
        let answer = self.evaluator.evaluate(condition, &mut watched, &mut symbols);
        let cut_short = symbols.cut_short;
        let (mut looked, mut listed) = (watched.looked, watched.listed);
        self.reader = Some(reader);
        match crate::needs(condition) {
            Needs::Path(path) => {
                let blob = self.blob(&path);
                looked.insert(path, blob);
            }
            Needs::Glob(_) => {}
            // Manifests are read once for all conditions: each rests on all of them.
            Needs::Manifests | Needs::Name(_) => {
                self.shared.append(&mut looked);
                looked = self.shared.clone();
                listed = true;
            }
        }
        // A setting may hold a secret under a harmless name, and a version may be an order to whoever reads it.
        let answer = match answer {
            Answer::Holds(why) => Answer::Holds(harmless(why)),
            Answer::Broken(why) => Answer::Broken(harmless(why)),
            Answer::Unverifiable(why) => Answer::Unverifiable(harmless(why)),
        };
        if !cut_short {
            self.remember(mark, &answer, looked, listed);
        }
        answer
    }

    fn remembered_condition(&mut self, condition: &Condition) -> Option<Answer> {
        self.answered(condition_mark(condition), Effort::Quick)
    }

    fn prefetch(&mut self, paths: Vec<String>) {
        if matches!(self.parser, Parser::Apart(..)) {
            self.prefetched.expected.extend(paths);
            self.send_ahead();
        }
    }

    fn capture(&mut self, anchor: &mut Anchor) -> Result<Option<String>, Uncaptured> {
        anchor.captured = None;
        let mut spot = anchor.spot();
        // A word that is no file is the symbol somebody means.
        if let Some(word) =
            spot.path.clone().filter(|word| is_name(word) && spot.symbol.is_none() && spot.lines.is_none())
            && matches!(self.tree.get().look(&word), Look::Absent)
        {
            self.home_of(&word).map_err(|why| match why {
                Uncaptured::Absent(why) => {
                    Uncaptured::Absent(format!("the file {word} does not exist, and {why}"))
                }
                Uncaptured::Unknown(why) => {
                    Uncaptured::Unknown(format!("the file {word} does not exist, and {why}"))
                }
            })?;
            spot = Spot { path: None, lines: None, symbol: Some(word.clone()) };
            anchor.at = format!("#{word}");
        }
        let mut remark = None;
        let (path, alone) = match &spot.path {
            Some(path) => (path.trim_end_matches('/').to_owned(), false),
            None => {
                let (home, others) = self.home_of(spot.symbol.as_deref().unwrap_or_default())?;
                remark = homes_remark(&spot, &home, &others);
                (home, true)
            }
        };
        if matches!(path.as_str(), "" | ".") {
            return Err(Uncaptured::Absent("it is the whole repository; name a file in it".to_owned()));
        }
        // Before it is read: an error could quote it.
        if self.tree.is_ignored(&path) {
            return Err(Uncaptured::Unknown(git_ignores(&path)));
        }
        let code = match self.code(&path).map_err(Uncaptured::Unknown)? {
            Some(code) => code,
            None => return Err(self.missing_file(&path)),
        };
        let mut captured = capture::capture(&spot, &path, &code).map_err(|why| {
            // A name that no grammar finds may still be there, made by a macro: only one that the text does not have is invented.
            let is_unknown_name = code.outline.is_some()
                && spot.lines.is_none()
                && spot.symbol.as_deref().is_some_and(|symbol| !has_word(&code.text, last_word(symbol)));
            let is_past_the_end = spot.lines.is_some_and(|(first, last)| first.max(last) > code.line_count());
            if is_unknown_name || is_past_the_end {
                Uncaptured::Absent(why)
            } else {
                Uncaptured::Unknown(why)
            }
        })?;
        let remark = remark.or_else(|| capture::ambiguity(&spot, &path, &code));
        captured.path = alone.then_some(path);
        let flagged = self.screen.flagged(&code, captured.lines);
        let excerpt_is_clean = captured.text.as_deref().is_none_or(|text| self.screen.is_clean(text));
        captured.text = captured.text.filter(|_| excerpt_is_clean && flagged.is_empty());
        // A heading is kept in small letters, in which the scanner knows no token.
        let mut may_keep =
            |name: &str| self.screen.is_clean(name) && !is_opaque(name) && !flagged.has_word_of(name);
        captured.symbol = captured.symbol.filter(|name| may_keep(name)).or_else(|| spot.symbol.clone());
        // What somebody named was looked at when it came in.
        let own = captured.symbol.as_deref().map(last_word);
        captured.needles.retain(|needle| {
            let is_own = own.is_some_and(|own| own.eq_ignore_ascii_case(needle));
            // Of an excerpt that was left out for another reason than a secret, no word is left.
            is_own || (excerpt_is_clean || !flagged.is_empty()) && may_keep(needle)
        });
        anchor.captured = Some(captured);
        Ok(remark)
    }

    /// Finding the commit that changed a file can mean walking a long history: it is found once for each content.
    fn since(&mut self, path: &str) -> Option<Millis> {
        let blob = self.blob(path)?;
        let mark = first_eight(&blake3::hash(format!("since\0{path}\0{blob}").as_bytes()));
        let known = self.memory.as_mut().and_then(|memory| memory.changed_at(mark));
        if let Some(seconds) = known {
            return Some(Millis(seconds * 1000));
        }
        let seconds = self.tree.get().since(path)?;
        if let Some(memory) = &mut self.memory {
            memory.changed.insert(mark, seconds);
            memory.news.changes.push((mark, seconds));
        }
        Some(Millis(seconds * 1000))
    }
}

impl CodeGround {
    /// `path@hash` where somebody wrote a commit: whether the file is what it was then.
    fn unchanged_since_commit(&mut self, path: &str, hash: &str, negated: bool) -> Option<Answer> {
        let now = self.blob(path).filter(|blob| !blob.starts_with(hash))?;
        let git = self.past.as_ref()?.git().clone();
        let commit = match git.commit(hash) {
            Ok(commit) => commit?,
            Err(error) => {
                return Some(Answer::Unverifiable(format!("git could not look for {hash}: {error}")));
            }
        };
        let Look::File { blob, .. } = CommitTree::new(&git, &commit).look(path) else { return None };
        let (same, hash) = (blob == now, &hash[..hash.len().min(10)]);
        let why = match same {
            true => format!("{path} is unchanged since commit {hash}"),
            false => format!("{path} changed since commit {hash}"),
        };
        Some(if same != negated { Answer::Holds(why) } else { Answer::Broken(why) })
    }

    /// Keeps what a condition answered with what that rests on, if that can be told.
    fn remember(
        &mut self,
        mark: u64,
        answer: &Answer,
        looked: BTreeMap<String, Option<String>>,
        listed: bool,
    ) {
        if self.memory.is_none() || looked.values().any(Option::is_none) {
            return;
        }
        let many = looked.len() > LOOKED_MAX;
        let listing = if listed { self.listing().map(|listing| listing.name).ok() } else { None };
        let generation = if many { self.listing().map(|listing| listing.generation).ok() } else { None };
        if listed != listing.is_some() || many != generation.is_some() {
            return;
        }
        let looked = looked.into_iter().filter(|_| !many);
        let judgement = Judgement {
            judged: Judged::Condition(answer.clone()),
            looked: looked.map(|(path, blob)| (path, blob.unwrap_or_default())).collect(),
            lost: false,
            listing,
            generation,
            words: Vec::new(),
        };
        self.keep(mark, judgement);
    }

    /// Conditions that something seems to depend on which speaks of these places.
    pub fn suggest(&mut self, anchors: &[String], text: &str) -> Vec<Suggestion> {
        self.reader();
        let mut reader = self.reader.take().expect("it was just made");
        let suggested = crate::suggest(
            anchors,
            text,
            self.tree.get(),
            &mut ByGrammar { reader: &mut *reader, cut_short: false },
        );
        self.reader = Some(reader);
        suggested
    }

    /// The one file that defines a symbol.
    fn home_of(&mut self, symbol: &str) -> Result<(String, Vec<String>), Uncaptured> {
        let last = last_word(symbol);
        let seed = Captured { needles: vec![last.to_owned()], ..Captured::default() };
        let lost = Lost {
            spot: Spot::default(),
            captured: &seed,
            path: String::new(),
            said: PlaceVerdict { verdict: Verdict::Broken, now: None, why: String::new() },
            since: i64::MIN,
        };
        self.listing().map_err(Uncaptured::Unknown)?;
        let paths = self.candidates(std::slice::from_ref(&lost)).remove(0);
        let is_named = !paths.is_empty();
        // What a grammar sees goes before what only the text defines.
        let (mut homes, mut text_homes) = (Vec::new(), Vec::new());
        for path in paths {
            let Ok(Some(code)) = self.code(&path) else { continue };
            match &code.outline {
                Some(outline) if !outline.find(symbol).is_empty() => homes.push(path),
                Some(_) | None if capture::defines(&code, symbol) => text_homes.push(path),
                Some(_) | None => {}
            }
        }
        if homes.is_empty() {
            homes = text_homes;
        }
        // What is tested goes before its tests, what is nearer to the top before what is further down; else the first by name.
        homes.sort_by_cached_key(|path| (is_test(path), path.matches('/').count(), path.clone()));
        match homes.is_empty() {
            false => Ok((homes.remove(0), homes)),
            true => {
                let why = format!("no file defines `{symbol}`");
                // Where a search ends early, or a file was too large for it, nothing is proved.
                let is_proved = !is_named && !self.out_of_time() && self.has_searchable_files_only();
                Err(if is_proved { Uncaptured::Absent(why) } else { Uncaptured::Unknown(why) })
            }
        }
    }

    /// Why there is no file: it is in no listing, or a sparse checkout or a submodule that is not checked out may have it.
    fn missing_file(&mut self, path: &str) -> Uncaptured {
        let why = format!("{path} does not exist");
        match self.past.as_ref().map(|past| past.git().may_have(path)) {
            Some(Ok(false)) | None => Uncaptured::Absent(why),
            Some(Ok(true)) => Uncaptured::Unknown(format!("{why} in this working tree")),
            Some(Err(_)) => Uncaptured::Unknown(why),
        }
    }

    /// Whether every listed file is small enough to be searched for a word.
    fn has_searchable_files_only(&mut self) -> bool {
        let paths = match self.listing() {
            Ok(listing) => listing.paths.clone(),
            Err(_) => return false,
        };
        let too_large = |look: Look| match look {
            Look::File { size, .. } => size > SEARCHED_BYTES_MAX,
            Look::Unknown(_) => true,
            Look::Absent | Look::Folder => false,
        };
        !paths.iter().any(|path| too_large(self.tree.get().look(path)))
    }
}

fn git_ignores(path: &str) -> String {
    format!("git ignores {path}, so nothing of it is recorded")
}

/// The last name of a symbol: `retry` of `Client.retry()`.
fn last_word(symbol: &str) -> &str {
    symbol.rsplit(['.', ':', '#', '/']).next().unwrap_or(symbol).trim_end_matches("()")
}

/// Whether a text has a word.
fn has_word(text: &str, word: &str) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(word).any(|(at, found)| {
        !is_word(text[..at].chars().next_back()) && !is_word(text[at + found.len()..].chars().next())
    })
}

/// Whether some part of a name is long and full of digits, as no name that somebody gave is.
fn is_opaque(name: &str) -> bool {
    name.split(|c: char| !c.is_alphanumeric())
        .any(|part| part.len() >= 16 && part.bytes().filter(u8::is_ascii_digit).count() >= 3)
}

/// Whether a parser stopped or took too long. The next time it may not: nothing of that is kept.
fn was_cut_short(code: &Code) -> bool {
    match &code.unread {
        Some(Unread::Crashed(_) | Unread::TooSlow) => true,
        Some(Unread::NoGrammar | Unread::TooLarge | Unread::TooMany) | None => false,
    }
}

/// Whether a text could be the name of a symbol: `backoff`, `Client::fetch`.
fn is_name(text: &str) -> bool {
    let parts: Vec<&str> = text.split("::").collect();
    let is_word = |part: &&str| {
        !part.is_empty()
            && !part.starts_with(|c: char| c.is_ascii_digit())
            && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    parts.iter().all(is_word)
}

/// Whether a byte is part of a word.
fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 128
}

/// Names a word within this process.
fn hashed(word: &[u8]) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    std::hash::Hash::hash(word, &mut hasher);
    std::hash::Hasher::finish(&hasher)
}

/// The line that a grammar could not make sense of.
fn fault(code: &Code) -> Option<u32> {
    code.outline.as_ref().and_then(|outline| outline.fault)
}

/// What is said about code may hold words of that code, and reaches agents: no secret of it does, and no order.
fn harmless(why: String) -> String {
    let why = ken_guard::redact(&why).into_owned();
    match ken_guard::scan(&why).tier {
        ken_guard::Tier::Safe | ken_guard::Tier::Low => why,
        ken_guard::Tier::Medium | ken_guard::Tier::High | ken_guard::Tier::Critical => {
            "its content is hidden: the scanner reports a finding".to_owned()
        }
    }
}

/// The same of a judgement. A name that is an order is nobody's name.
fn harmless_judged(judged: PlaceVerdict) -> PlaceVerdict {
    let is_plain = |now: &String| harmless(now.clone()) == *now;
    PlaceVerdict { now: judged.now.filter(is_plain), why: harmless(judged.why), ..judged }
}

/// Names a condition among judgements.
fn condition_mark(condition: &Condition) -> u64 {
    first_eight(&blake3::hash(format!("condition\0{condition}").as_bytes()))
}

fn nobody() -> PlaceVerdict {
    PlaceVerdict::unverifiable(NO_TIME)
}

fn kept(
    judged: &PlaceVerdict,
    looked: Vec<(String, String)>,
    lost: bool,
    generation: Option<i64>,
) -> Judgement {
    Judgement {
        judged: Judged::Place(judged.clone()),
        looked,
        lost,
        listing: None,
        generation,
        words: Vec::new(),
    }
}

/// What a look at a path comes to in a judgement; none where that cannot be told.
fn blob_of(look: &Look) -> Option<String> {
    match look {
        Look::Absent => Some(String::new()),
        Look::File { blob, .. } => Some(blob.clone()),
        Look::Folder => Some(FOLDER.to_owned()),
        Look::Unknown(_) => None,
    }
}

fn known(seen: &SeenFile) -> KnownBlob {
    let stamp = Stamp { size: seen.size, modified: seen.mtime, changed: seen.ctime, inode: seen.inode };
    KnownBlob { stamp, blob: seen.blob.clone(), at: seen.seen }
}

fn seen_file(known: &KnownBlob, generation: i64) -> SeenFile {
    SeenFile {
        size: known.stamp.size,
        mtime: known.stamp.modified,
        ctime: known.stamp.changed,
        inode: known.stamp.inode,
        seen: known.at,
        blob: known.blob.clone(),
        generation,
    }
}

fn first_eight(hash: &blake3::Hash) -> u64 {
    u64::from_le_bytes(hash.as_bytes()[..8].try_into().expect("a hash has eight bytes"))
}
