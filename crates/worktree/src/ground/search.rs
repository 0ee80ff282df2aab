//! Looking for code that is no longer in its file: one pass over the tree, and a few files read by their grammar.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::Look;
use aho_corasick::AhoCorasick;
use ken_anchors::judge::{Candidate, elsewhere, settle};
use ken_core::PlaceVerdict;
use ken_core::{Captured, Spot};

use super::{CodeGround, harmless_judged, is_of_word};

/// Files that are read to find one place again: those with its rarest word, and a few with the next ones.
const CANDIDATES_MAX: [usize; 3] = [16, 8, 4];
/// Files larger than this are not searched for code that went elsewhere.
pub(super) const SEARCHED_BYTES_MAX: u64 = 1024 * 1024;

/// A place that is not in its own file.
pub(super) struct Lost<'a> {
    pub(super) spot: Spot,
    pub(super) captured: &'a Captured,
    pub(super) path: String,
    /// What to say if it is nowhere else.
    pub(super) said: PlaceVerdict,
    /// The look at the tree up to which it was searched for already, in vain.
    pub(super) since: i64,
}

impl Lost<'_> {
    /// Words to look for: those that were taken down, and the symbol's own name.
    pub(super) fn words(&self) -> Vec<&str> {
        let symbol = self.captured.symbol.as_deref().and_then(|symbol| symbol.rsplit('.').next());
        let mut words: Vec<&str> = self.captured.needles.iter().map(String::as_str).chain(symbol).collect();
        words.sort_unstable();
        words.dedup();
        words
    }
}

impl CodeGround {
    /// The places that were not found in their own files, looked for everywhere else, in one pass over the tree.
    pub(super) fn search(&mut self, lost: &[Lost<'_>]) -> Vec<PlaceVerdict> {
        let mut found: Vec<Vec<Candidate>> = lost.iter().map(|_| Vec::new()).collect();
        let mut by_file: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, paths) in self.candidates(lost).into_iter().enumerate() {
            for path in paths {
                by_file.entry(path).or_default().push(at);
            }
        }
        for (path, wanting) in by_file {
            if self.out_of_time() {
                break;
            }
            let Ok(Some(code)) = self.read_code(&path) else { continue };
            for at in wanting {
                let lost = &lost[at];
                if let Some(candidate) = elsewhere(&lost.spot, lost.captured, &path, &code)
                    && !self.stood_there(lost, &path)
                {
                    found[at].push(candidate);
                }
            }
        }
        let settled = lost.iter().zip(found).map(|(lost, found)| settle(lost.said.clone(), found));
        settled.map(harmless_judged).collect()
    }

    /// The commits in which lost places were still where they were; none where that cannot be told of all of them.
    fn bases(&mut self, lost: &[Lost<'_>]) -> Option<BTreeSet<String>> {
        let past = self.past.as_mut()?;
        lost.iter().map(|lost| past.when(&lost.path, &lost.captured.blob)).collect()
    }

    /// Whether a file is what it was when a lost place was still where it was: then nothing went there.
    fn stood_there(&mut self, lost: &Lost<'_>, path: &str) -> bool {
        let now = self.blob(path);
        let Some(past) = &mut self.past else { return false };
        match past.beside(&lost.path, &lost.captured.blob, path) {
            Some(Look::File { blob, .. }) => Some(blob) == now,
            Some(Look::Absent | Look::Folder | Look::Unknown(_)) | None => false,
        }
    }

    /// For each lost place, the files it may have gone to, the likeliest first: one with the very content its file had, else those
    /// that hold its rarest words.
    pub(super) fn candidates(&mut self, lost: &[Lost<'_>]) -> Vec<Vec<String>> {
        let nothing = || lost.iter().map(|_| Vec::new()).collect();
        let since = lost.iter().map(|lost| lost.since).min().unwrap_or(0);
        let files: Vec<(String, i64)> = match self.listing() {
            Ok(listing) => {
                let changed = |path: &String| listing.changed.get(path).copied().unwrap_or(i64::MAX);
                let files = listing.paths.iter().map(|path| (path.clone(), changed(path)));
                files.filter(|(_, changed)| *changed > since).collect()
            }
            Err(_) => return nothing(),
        };
        let mut words: Vec<&str> = Vec::new();
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let wanted: Vec<Vec<usize>> = lost
            .iter()
            .map(|lost| {
                let mut number = |word| {
                    *numbers.entry(word).or_insert_with(|| {
                        words.push(word);
                        words.len() - 1
                    })
                };
                lost.words().into_iter().map(&mut number).collect()
            })
            .collect();
        let Ok(automaton) = AhoCorasick::new(&words) else { return nothing() };
        let mut holding: Vec<Vec<usize>> = vec![Vec::new(); words.len()];
        let mut by_blob: HashMap<String, usize> = HashMap::new();
        let bases = self.bases(lost);
        for (at, (path, _)) in files.iter().enumerate() {
            if self.out_of_time() {
                break;
            }
            let blob = match self.tree.get().look(path) {
                Look::File { size, blob } if size <= SEARCHED_BYTES_MAX => blob,
                Look::File { .. } | Look::Absent | Look::Folder | Look::Unknown(_) => continue,
            };
            // A file that is what it was is no place that anything went to: it need not be read.
            if let (Some(past), Some(bases)) = (&mut self.past, &bases)
                && bases.iter().all(|commit| past.had(commit, path, &blob))
            {
                continue;
            }
            by_blob.entry(blob).or_insert(at);
            let Ok(Some(bytes)) = self.tree.get().read(path) else { continue };
            let is_word = |byte: Option<&u8>| byte.is_some_and(|byte| is_of_word(*byte));
            let mut seen = HashSet::new();
            for found in automaton.find_overlapping_iter(&bytes) {
                let whole = !is_word(found.start().checked_sub(1).and_then(|at| bytes.get(at)))
                    && !is_word(bytes.get(found.end()));
                if whole && seen.insert(found.pattern().as_usize()) {
                    holding[found.pattern().as_usize()].push(at);
                }
            }
        }
        let mut likely = Vec::with_capacity(lost.len());
        for (lost, mut wanted) in lost.iter().zip(wanted) {
            let may_be = |at: &usize| files[*at].1 > lost.since && files[*at].0 != lost.path;
            let same = by_blob.get(&lost.captured.blob).filter(|at| may_be(at));
            if let Some(at) = same.filter(|at| !self.stood_there(lost, &files[**at].0)) {
                likely.push(vec![files[*at].0.clone()]);
                continue;
            }
            wanted.retain(|word| holding[*word].iter().any(may_be));
            wanted.sort_by_key(|word| holding[*word].len());
            let mut paths: Vec<String> = Vec::new();
            for (word, most) in wanted.iter().zip(CANDIDATES_MAX) {
                let mut near: Vec<&String> =
                    holding[*word].iter().filter(|at| may_be(at)).map(|at| &files[*at].0).collect();
                near.sort_by_cached_key(|path| (distance(&lost.path, path), (*path).clone()));
                for path in near.into_iter().take(most) {
                    if !paths.contains(path) {
                        paths.push(path.clone());
                    }
                }
            }
            likely.push(paths);
        }
        likely
    }
}

/// How far a file is from another: the same name counts most, then the folders they share.
fn distance(from: &str, to: &str) -> (bool, usize) {
    let split = |path: &str| -> Vec<String> { path.split('/').map(str::to_owned).collect() };
    let (from, to) = (split(from), split(to));
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    (from.last() != to.last(), from.len() + to.len() - 2 * shared)
}
