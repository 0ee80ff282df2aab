//! The pages, by their paths.

mod diff;
mod drift;
mod entry;
pub(crate) mod forage;
mod friction;
mod graph;
mod health;
mod home;
mod norms;
mod outcomes;
mod queue;
mod runs;
mod search;

use askama::Template;

pub(crate) use queue::{approval, judging};

use crate::layout::{Done, Layout, Notice};
use crate::visit::{Problem, Reply, Visit};

type Page = Result<String, Problem>;

/// What a page has that says what was done.
const DONE: &str = "id=\"done\"";

/// The page of a path; `notice` is what was just done on it, if its address does not say so.
pub(crate) fn page(visit: &Visit<'_>, notice: Option<Notice>) -> Reply {
    match notice.or_else(|| Done::of_address(visit).map(Notice::Done)) {
        Some(Notice::Done(done)) => {
            let reply = page_with(visit, Some(Notice::Done(done.clone())));
            // What was acted on is gone, and its place with it: the top says so.
            match reply.status == 200 && !reply.body.contains(DONE) {
                true => page_with(visit, Some(Notice::Done(Done { in_place: false, ..done }))),
                false => reply,
            }
        }
        other => page_with(visit, other),
    }
}

fn page_with(visit: &Visit<'_>, notice: Option<Notice>) -> Reply {
    let path: Vec<&str> = visit.path.trim_matches('/').split('/').collect();
    let status = match &notice {
        Some(Notice::Refused(refused)) => refused.problem.status,
        Some(Notice::Done(_)) | None => 200,
    };
    let made = match path.as_slice() {
        [""] => home::page(visit, notice),
        ["search"] => search::page(visit, notice),
        ["entries", id @ ..] if !id.is_empty() => entry::page(visit, &id.join("/"), notice),
        ["queue"] => queue::page(visit, notice),
        ["graph"] => graph::page(visit),
        ["runs"] => runs::tasks(visit),
        ["runs", id @ ..] => runs::task(visit, &id.join("/")),
        ["reviews"] => runs::reviews(visit),
        ["reviews", id @ ..] => runs::review(visit, &id.join("/")),
        ["outcomes"] => outcomes::page(visit),
        ["health"] => health::page(visit, notice),
        ["friction"] => friction::page(visit),
        ["drift"] => drift::page(visit, notice),
        ["forage"] => forage::page(visit, notice),
        ["norms"] => norms::page(visit, notice),
        ["diff"] => diff::page(visit),
        ["session"] => session(visit),
        _ => Err(Problem::new(404, "not_found", format!("There is no page {}.", visit.path))),
    };
    match made {
        Ok(body) => Reply::page(status, body),
        Err(problem) => failure(visit, problem),
    }
}

/// A page that says why there is none.
pub(crate) fn failure(visit: &Visit<'_>, problem: Problem) -> Reply {
    #[derive(Template)]
    #[template(path = "problem.html")]
    struct Failure<'a> {
        layout: Layout<'a>,
        heading: &'static str,
        problem: &'a Problem,
    }
    let heading = match problem.status {
        404 => "Not found",
        401 | 403 => "Not allowed",
        400..=499 => "That did not work",
        _ => "Something failed",
    };
    let layout = Layout { notice: None, ..Layout::new(visit, "", heading) };
    let status = if problem.status == 0 { 500 } else { problem.status };
    match render(&Failure { layout, heading, problem: &problem }) {
        Ok(body) => Reply::page(status, body),
        Err(problem) => Reply::page(500, problem.message),
    }
}

fn session(visit: &Visit<'_>) -> Page {
    #[derive(Template)]
    #[template(path = "session.html")]
    struct Session<'a> {
        layout: Layout<'a>,
    }
    render(&Session { layout: Layout::new(visit, "/session", "Session") })
}

fn render(page: &impl Template) -> Page {
    let text = page.render().map_err(|error| {
        Problem::new(500, "unrendered", format!("the page could not be written: {error}"))
    })?;
    Ok(if text.contains(is_control) { text.replace(is_control, "\u{fffd}") } else { text })
}

/// Whether a character has no place in a page: it steers a terminal that the page is copied to, or reorders what follows. Templates have
/// none, so it came with an entry or a run.
fn is_control(letter: char) -> bool {
    (letter.is_control() && !matches!(letter, '\n' | '\t' | '\r'))
        || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
