//! basic-memory.

use crate::{Document, Format, Known, Outgoing, Place, Rewritten, Role};

/// basic-memory.
pub(crate) struct BasicMemory;

impl Format for BasicMemory {
    fn word(&self) -> &'static str {
        "basic-memory"
    }

    fn about(&self) -> &'static str {
        "basic-memory"
    }

    fn claims(&self, _path: &str, _head: &str) -> u8 {
        0
    }

    fn read(&self, _path: &str, text: &str) -> Document {
        Document::opaque(Role::Other, text, None)
    }

    fn rewrite(&self, item: Place<'_>, _now: &Outgoing<'_>) -> Rewritten {
        Rewritten::in_place(item.text)
    }

    fn path_for(&self, _now: &Outgoing<'_>, _known: &Known<'_>) -> Option<String> {
        None
    }

    fn insert(&self, _path: &str, text: Option<&str>, _now: &Outgoing<'_>) -> String {
        text.unwrap_or_default().to_owned()
    }
}
