//! The knowledge browser: what verbs answer in, pages out.
//!
//! It knows no store, no files and no network. Whatever a page shows it asks of [`Verbs`], by the names and fields that every other door
//! has; so a page cannot show what the API does not give.

mod visit;

/// What pages may load and do, for the header of every page: nothing from elsewhere, nothing written into a page.
pub const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
    form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

pub use visit::{Answer, Problem, Reply, Verbs, Visit, Visitor};

/// The reply to a request for a page, or to a form of a page.
pub fn reply(visit: &Visit<'_>) -> Reply {
    Reply::not_found(visit)
}

/// A file that pages refer to, such as `style.css`: its bytes and its type. It is compiled into the program.
pub fn asset(_name: &str) -> Option<Asset> {
    None
}

/// A file that pages refer to.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    pub bytes: &'static [u8],
    /// Its content type, such as `text/css; charset=utf-8`.
    pub kind: &'static str,
}
