//! Reads the ledger files of a tree, line by line: those of a commit, or those that lie here.

use ken_core::event::Line;
use ken_engine::LedgerAt;

use crate::lines::FileLines;

/// Takes the lines of a file into the ledger of its tree.
pub(crate) fn take(ledger: &mut LedgerAt, file: FileLines, bytes: &[u8]) {
    let mut counted = 0;
    let mut number = 1;
    for (line, at, _) in file.lines {
        let upto = usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
        number += bytes[counted..upto].iter().filter(|byte| **byte == b'\n').count() as u64;
        counted = upto;
        match line {
            Line::Event(event) => ledger.events.push((*event, file.path.clone(), number)),
            stub @ Line::Stub(_) => ledger.stubs.push(stub),
        }
    }
    ledger.problems.extend(file.problems.into_iter().map(|problem| (file.path.clone(), problem)));
}
