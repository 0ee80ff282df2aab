//! Reads the ledger files of a tree, line by line: those of a commit, or those that lie here.

use std::collections::HashMap;
use std::rc::Rc;

use ken_core::event::Line;
use ken_engine::{LedgerAt, cores};

use crate::disk::Looks;
use crate::lines::{FileLines, read_lines, read_lines_beside};

/// A ledger file of a tree, with its lines.
pub(crate) struct TreeFile {
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
    lines: Option<Rc<FileLines>>,
}

impl TreeFile {
    pub(crate) fn new(path: String, bytes: Vec<u8>) -> TreeFile {
        TreeFile { path, bytes, lines: None }
    }
}

/// Reads the lines of the files of some trees. Trees of one store have most files alike: what two of them hold is read once.
pub(crate) fn read(trees: &mut [Vec<TreeFile>]) {
    let mut known: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
    let mut first: Vec<(usize, usize)> = Vec::new();
    // The others, each with the first of its path.
    let mut others: Vec<((usize, usize), (usize, usize))> = Vec::new();
    for (tree, files) in trees.iter().enumerate() {
        for (at, file) in files.iter().enumerate() {
            let known = known.entry(&file.path).or_default();
            let same = known.iter().find(|(other, there)| trees[*other][*there].bytes == file.bytes);
            match same.or(known.first()) {
                Some(first) => others.push((*first, (tree, at))),
                None => first.push((tree, at)),
            }
            known.push((tree, at));
        }
    }
    let of = |(tree, at): &(usize, usize)| (&*trees[*tree][*at].path, &*trees[*tree][*at].bytes);
    let mut unread: Vec<(&str, &[u8])> = first.iter().map(of).collect();
    let read = cores::each(&mut unread, |(path, bytes)| read_lines(path, NOTHING, bytes));
    for ((tree, at), lines) in first.into_iter().zip(read) {
        trees[tree][at].lines = Some(Rc::new(lines));
    }
    for ((tree, at), (other, there)) in others {
        let (known, file) = (&trees[tree][at], &trees[other][there]);
        let lines = match &known.lines {
            Some(lines) if known.bytes == file.bytes => lines.clone(),
            Some(lines) => Rc::new(read_lines_beside(&file.bytes, lines, &known.bytes)),
            None => Rc::new(read_lines(&file.path, NOTHING, &file.bytes)),
        };
        trees[other][there].lines = Some(lines);
    }
}

/// What a file looks like that is read for what it says alone.
const NOTHING: Looks = Looks { size: 0, mtime: 0, inode: 0, is_folder: false, is_file: true };

/// Takes the lines of a file into the ledger of its tree.
pub(crate) fn take(ledger: &mut LedgerAt, file: &TreeFile) {
    let Some(lines) = &file.lines else { return };
    let mut counted = 0;
    let mut number = 1;
    for (line, at, _) in &lines.lines {
        let upto = usize::try_from(*at).unwrap_or(usize::MAX).min(file.bytes.len());
        number += file.bytes[counted..upto].iter().filter(|byte| **byte == b'\n').count() as u64;
        counted = upto;
        match line {
            Line::Event(event) => ledger.events.push(((**event).clone(), file.path.clone(), number)),
            stub @ Line::Stub(_) => ledger.stubs.push(stub.clone()),
        }
    }
    ledger.problems.extend(lines.problems.iter().map(|problem| (file.path.clone(), problem.clone())));
}
