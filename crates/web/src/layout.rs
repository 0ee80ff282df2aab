//! What every page has: its head, the navigation, who visits, and what was just done.

use crate::answers::Changed;
use crate::assets::address;
use crate::parts::escaped;
use crate::visit::{Problem, Visit, Visitor};

/// What surrounds a page.
pub(crate) struct Layout<'a> {
    pub(crate) title: String,
    /// The path of the page in the navigation.
    pub(crate) section: &'static str,
    pub(crate) visitor: &'a Visitor,
    pub(crate) notice: Option<Notice>,
    /// The address of the page, to come back to.
    pub(crate) here: String,
    /// The page has a search field of its own.
    pub(crate) searches: bool,
    pub(crate) scripts: Vec<String>,
    pub(crate) styles: Vec<String>,
}

/// What was just done, or why it was not.
pub(crate) enum Notice {
    Done(Done),
    Refused(Refused),
}

/// What was done.
#[derive(Clone)]
pub(crate) struct Done {
    pub(crate) text: String,
    /// The change can be taken back by `undo`.
    pub(crate) undo: bool,
    /// Names the place of the page where it was done.
    pub(crate) place: String,
    /// It is said there; at the top of a page that does not have the place.
    pub(crate) in_place: bool,
}

/// A form that was refused: the page shows it as it was sent, and why.
pub(crate) struct Refused {
    pub(crate) problem: Problem,
    /// Names the form.
    pub(crate) form: String,
    /// What was typed into it.
    pub(crate) fields: Vec<(String, String)>,
    /// Why is said in the form; at the top of a page that does not have it.
    pub(crate) in_form: bool,
}

/// What a verb that changes something answered, in words.
pub(crate) fn changed(changed: &Changed) -> String {
    let parts = match changed.undone.is_empty() {
        true => vec![changed],
        false => changed.undone.iter().collect(),
    };
    let reasons: Vec<String> = parts.iter().map(|part| part.reasons.join("; ")).collect();
    let text = reasons.iter().filter(|text| !text.is_empty()).cloned().collect::<Vec<_>>().join("; ");
    if text.is_empty() { "Done.".to_owned() } else { text }
}

/// A group of pages in the navigation.
pub(crate) struct Group {
    pub(crate) name: &'static str,
    pub(crate) pages: &'static [Link],
}

pub(crate) struct Link {
    pub(crate) path: &'static str,
    pub(crate) name: &'static str,
    /// The key that goes there, after `g`.
    pub(crate) key: &'static str,
}

const fn link(path: &'static str, name: &'static str, key: &'static str) -> Link {
    Link { path, name, key }
}

const GROUPS: &[Group] = &[
    Group {
        name: "Knowledge",
        pages: &[
            link("/", "Home", "h"),
            link("/search", "Search", "s"),
            link("/queue", "Queue", "q"),
            link("/graph", "Graph", "g"),
        ],
    },
    Group {
        name: "Work",
        pages: &[
            link("/runs", "Runs", "r"),
            link("/reviews", "Reviews", "v"),
            link("/outcomes", "Outcomes", "o"),
        ],
    },
    Group {
        name: "Upkeep",
        pages: &[
            link("/health", "Health", "e"),
            link("/friction", "Friction", "f"),
            link("/drift", "Drift", "d"),
            link("/norms", "Norms and gates", "n"),
            link("/forage", "Web", "w"),
            link("/diff", "Memory diff", "m"),
        ],
    },
];

impl<'a> Layout<'a> {
    pub(crate) fn new(visit: &Visit<'a>, section: &'static str, title: impl Into<String>) -> Layout<'a> {
        Layout {
            title: title.into(),
            section,
            visitor: visit.visitor,
            notice: Done::of_address(visit).map(|done| Notice::Done(Done { in_place: false, ..done })),
            here: here(visit),
            searches: false,
            scripts: Vec::new(),
            styles: Vec::new(),
        }
    }

    /// With what was just done; without it, with what the address says was done.
    pub(crate) fn noting(mut self, notice: Option<Notice>) -> Layout<'a> {
        self.notice = notice.or(self.notice);
        self
    }

    pub(crate) fn with_charts(mut self) -> Layout<'a> {
        self.scripts.extend([address("uplot.js"), address("charts.js")]);
        self.styles.push(address("uplot.css"));
        self
    }

    pub(crate) fn with_graph(mut self) -> Layout<'a> {
        self.scripts.extend([address("d3-force.js"), address("graph.js")]);
        self
    }

    pub(crate) fn groups(&self) -> &'static [Group] {
        GROUPS
    }

    pub(crate) fn asset(&self, name: &str) -> String {
        address(name)
    }

    /// The address of the same page with a part that takes long.
    pub(crate) fn part(&self, name: &str) -> String {
        let joint = if self.here.contains('?') { '&' } else { '?' };
        format!("{}{joint}part={name}", self.here)
    }

    /// Why a form of the page was refused.
    pub(crate) fn refused(&self, form: &str) -> Option<&Problem> {
        self.refusal(form).map(|refused| &refused.problem)
    }

    /// What a field of a form holds: what was typed, where the form was refused, else what is given.
    pub(crate) fn typed<'t>(&'t self, form: &str, name: &str, given: &'t str) -> &'t str {
        let fields = self.refusal(form).map(|refused| refused.fields.iter()).into_iter().flatten();
        fields.filter(|(field, _)| field == name).map(|(_, typed)| typed.as_str()).next().unwrap_or(given)
    }

    fn refusal(&self, form: &str) -> Option<&Refused> {
        match &self.notice {
            Some(Notice::Refused(refused)) if refused.in_form && refused.form == form => Some(refused),
            Some(Notice::Refused(_) | Notice::Done(_)) | None => None,
        }
    }

    /// What was just done at a place of the page.
    pub(crate) fn done(&self, place: &str) -> Option<&Done> {
        match &self.notice {
            Some(Notice::Done(done)) if done.in_place && done.place == place => Some(done),
            Some(Notice::Done(_) | Notice::Refused(_)) | None => None,
        }
    }

    /// Whether this visitor may change anything.
    pub(crate) fn may_write(&self) -> bool {
        self.visitor.role != "reader"
    }
}

/// The address that was visited, without what it says was done.
fn here(visit: &Visit<'_>) -> String {
    let path: Vec<String> = visit.path.split('/').map(escaped).collect();
    let fields = visit
        .query
        .iter()
        .filter(|(name, value)| !["done", "place", "part"].contains(&name.as_str()) && !value.is_empty());
    let fields: Vec<String> =
        fields.map(|(name, value)| format!("{}={}", escaped(name), escaped(value))).collect();
    match fields.is_empty() {
        true => path.join("/"),
        false => format!("{}?{}", path.join("/"), fields.join("&")),
    }
}

impl Done {
    /// What the address says was just done: one of a few known words, so that nobody can put words of their own into a page.
    pub(crate) fn of_address(visit: &Visit<'_>) -> Option<Done> {
        let word = visit.asked("done")?;
        let (text, undo) = told(word)?;
        let place = visit.asked("place").unwrap_or(place_of(word)).to_owned();
        Some(Done { text: text.to_owned(), undo, place, in_place: true })
    }
}

/// Where on its page something is done, by the word for it.
pub(crate) fn place_of(done: &str) -> &str {
    match done {
        "retract" | "restore" => "archive",
        "unmerge" => "merge",
        "pin" | "unpin" | "mute" | "unmute" => "overlay",
        "answer" => "judge",
        other => other,
    }
}

/// What the word for something says of it, and whether `undo` takes it back.
fn told(done: &str) -> Option<(&'static str, bool)> {
    Some(match done {
        "confirm" => ("Recorded. The history below says how it counts.", false),
        "feedback" => ("Recorded. Belief and history below have it.", false),
        "revise" => ("Revised.", true),
        "supersede" => ("Superseded.", true),
        "merge" => ("Merged. The more trusted entry stands for both.", true),
        "unmerge" => ("Unmerged. Both entries stand as before.", true),
        "archive" => ("Archived. It is no longer shown to agents.", true),
        "retract" => ("Retracted. A tombstone remains.", true),
        "restore" => ("Restored.", true),
        "pin" => ("Pinned in this clone.", false),
        "unpin" => ("Unpinned.", false),
        "mute" => ("Muted in this clone.", false),
        "unmute" => ("Shown again.", false),
        "annotate" => ("Annotated in this clone.", false),
        "link" => ("Linked.", true),
        "promote" => ("Promoted, or proposed where an approver has to agree: see Norms and gates.", false),
        "release" => ("Released from quarantine.", false),
        "approve" => ("Approved. The norm is in force.", false),
        "reject" => ("The proposal is rejected.", false),
        "answer" => ("Answered.", true),
        "accept" => ("Anchors of code that only moved are updated.", true),
        "undo" => ("Your last change is undone.", false),
        "maintain" => ("The service ran.", true),
        "prune" => ("Stale and orphaned entries are archived.", true),
        _ => return None,
    })
}
