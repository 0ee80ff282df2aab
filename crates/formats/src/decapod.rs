//! decapod.

use crate::{Document, Format, Known, Outgoing, Place, Rewritten, Role};

/// decapod.
pub(crate) struct Decapod;

impl Format for Decapod {
    fn word(&self) -> &'static str {
        "decapod"
    }

    fn about(&self) -> &'static str {
        "decapod"
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
