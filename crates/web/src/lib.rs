//! The knowledge browser: what verbs answer in, pages out.
//!
//! It knows no store, no files and no network. Whatever a page shows it asks of [`Verbs`], by the names and fields that every other door
//! has; so a page cannot show what the API does not give.

// A problem is rare, and shown to a person: its size does not matter.
#![allow(clippy::result_large_err)]

mod actions;
mod answers;
mod ask;
mod assets;
mod layout;
mod limits;
mod pages;
mod parts;
mod visit;
mod words;

pub use assets::{Asset, asset};
pub use visit::{Answer, Problem, Reply, Verbs, Visit, Visitor};

/// What the header `Content-Security-Policy` of every page says: scripts and styles of our own files alone, nothing inline, nothing from elsewhere.
pub const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
                       form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// The reply to a request for a page, or to a form of a page.
pub fn reply(visit: &Visit<'_>) -> Reply {
    match visit.form {
        Some(form) => actions::act(visit, form),
        None => pages::page(visit, None),
    }
}
