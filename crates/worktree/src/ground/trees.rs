//! The trees and readers that a ground asks: the real ones, one that is watched, and none at all.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::{CommitTree, Look, Symbols, Tree, Unjudged, WorkingTree};
use ken_anchors::worker::Reader;
use ken_anchors::{Code, Language, Outline, Unread, capture};
use ken_core::Spot;

use super::{blob_of, fault, was_cut_short};

/// The tree that is asked.
pub(super) enum Trees {
    Working(Box<WorkingTree>),
    Commit(Box<CommitTree>),
    None(Nowhere),
}

impl Trees {
    pub(super) fn get(&mut self) -> &mut dyn Tree {
        match self {
            Trees::Working(tree) => &mut **tree,
            Trees::Commit(tree) => &mut **tree,
            Trees::None(tree) => tree,
        }
    }

    /// Whether git ignores a file. What a commit holds is not ignored.
    pub(super) fn is_ignored(&mut self, path: &str) -> bool {
        match self {
            Trees::Working(tree) => tree.is_ignored(path),
            Trees::Commit(_) | Trees::None(_) => false,
        }
    }
}

/// A tree that remembers what was asked of it.
pub(super) struct Watched<'a> {
    pub(super) tree: &'a mut dyn Tree,
    /// Files and their contents; none where that cannot be told.
    pub(super) looked: BTreeMap<String, Option<String>>,
    pub(super) listed: bool,
}

impl Tree for Watched<'_> {
    fn look(&mut self, path: &str) -> Look {
        let look = self.tree.look(path);
        self.looked.insert(path.to_owned(), blob_of(&look));
        look
    }

    fn read(&mut self, path: &str) -> Result<Option<Vec<u8>>, String> {
        self.look(path);
        self.tree.read(path)
    }

    fn list(&mut self) -> Result<Rc<[String]>, String> {
        self.listed = true;
        self.tree.list()
    }

    fn unlisted(&mut self) -> Option<String> {
        self.tree.unlisted()
    }

    fn since(&mut self, path: &str) -> Option<i64> {
        self.tree.since(path)
    }
}

pub(super) struct Nowhere(pub(super) String);

impl Tree for Nowhere {
    fn look(&mut self, _: &str) -> Look {
        Look::Unknown(Unjudged::Elsewhere(self.0.clone()))
    }

    fn read(&mut self, _: &str) -> Result<Option<Vec<u8>>, String> {
        Err(self.0.clone())
    }

    fn list(&mut self) -> Result<Rc<[String]>, String> {
        Err(self.0.clone())
    }

    fn since(&mut self, _: &str) -> Option<i64> {
        None
    }
}

/// Reads nothing: what was to read in a process of its own is never read in this one.
pub(super) struct NoReader(pub(super) String);

impl Reader for NoReader {
    fn read(&mut self, _: Language, _: &str) -> Result<Outline, Unread> {
        Err(Unread::Crashed(self.0.clone()))
    }
}

/// Finds symbols by parsing.
pub(super) struct ByGrammar<'a> {
    pub(super) reader: &'a mut dyn Reader,
    /// Some file was not read to its end, see [`was_cut_short`].
    pub(super) cut_short: bool,
}

impl Symbols for ByGrammar<'_> {
    fn has(&mut self, tree: &mut dyn Tree, path: &str, symbol: &str) -> Result<bool, String> {
        let Some(bytes) = tree.read(path)? else { return Ok(false) };
        let code = Code::read(path, &bytes, self.reader)?;
        self.cut_short |= was_cut_short(&code);
        let spot = Spot { path: Some(path.to_owned()), lines: None, symbol: Some(symbol.to_owned()) };
        match capture::capture(&spot, path, &code) {
            Ok(_) => Ok(true),
            Err(why) if code.unread.is_some() => Err(why),
            Err(_) => match fault(&code) {
                Some(line) => Err(format!("{path} does not parse (line {line})")),
                None => Ok(false),
            },
        }
    }
}
