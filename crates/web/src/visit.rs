//! A visit to a page: who asks for what, and what they get.

use serde_json::{Map, Value};

/// The verbs that pages ask, in the name of whoever visits. The server has the real ones; tests have their own.
pub trait Verbs {
    /// Runs a verb of the table, such as `task start`, with the fields that it takes.
    fn run(&self, verb: &str, given: Map<String, Value>) -> Result<Answer, Box<Problem>>;
}

/// What a verb answered.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The same JSON that `ken VERB --json` prints.
    pub value: Value,
    /// The verb worked, and says that something is wrong.
    pub finds: bool,
    /// What was asked for was not done, and the answer says why.
    pub rejects: bool,
}

/// Why a verb did not do what it was asked.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// The HTTP status that it is answered with.
    pub status: u16,
    /// The kind, for programs, such as `not_found`.
    pub code: String,
    /// One sentence for people.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
    /// The field that is wrong.
    pub field: Option<String>,
    /// What a person would have to confirm for it to be done.
    pub confirm: Option<String>,
}

/// Who visits.
#[derive(Clone, Debug, Default)]
pub struct Visitor {
    /// The name that is shown and credited.
    pub name: String,
    /// `reader`, `writer`, `approver` or `admin`.
    pub role: String,
    /// Whether a person confirmed this session: then what needs a person can be done here.
    pub is_person: bool,
    /// What every form of the session carries in its field `csrf`.
    pub csrf: String,
    /// The code that makes this a person's session, to be typed where `ken serve` runs; none where nobody can type it.
    pub code: Option<String>,
}

/// A request for a page, or a form that was sent.
pub struct Visit<'a> {
    pub verbs: &'a dyn Verbs,
    pub visitor: &'a Visitor,
    /// The path, decoded, such as `/entries/L-1a2b3c`.
    pub path: &'a str,
    /// The fields of the query, decoded, in their order.
    pub query: &'a [(String, String)],
    /// The fields of a form that was sent (POST), decoded, in their order; the server has checked its `csrf`.
    pub form: Option<&'a [(String, String)]>,
    /// The element that the reply replaces, where a script sent the form (header `HX-Target`, such as `main#main`): then the page itself is the reply to
    /// a form, and no redirect.
    pub target: Option<&'a str>,
}

/// What is answered.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    pub status: u16,
    /// HTML.
    pub body: String,
    /// Where to go instead (status 303).
    pub location: Option<String>,
}

impl Reply {
    pub(crate) fn page(status: u16, body: String) -> Reply {
        Reply { status, body, location: None }
    }

    /// What a form was sent for is done: the browser is to ask for this page.
    pub(crate) fn see_other(location: String) -> Reply {
        Reply { status: 303, body: String::new(), location: Some(location) }
    }
}

impl Problem {
    pub(crate) fn new(status: u16, code: &str, message: impl Into<String>) -> Problem {
        Problem { status, code: code.to_owned(), message: message.into(), ..Problem::default() }
    }
}

impl Visit<'_> {
    /// A field of the query; one that is empty is as if it were not there.
    pub(crate) fn asked(&self, name: &str) -> Option<&str> {
        field(self.query, name)
    }
}

impl Visit<'_> {
    /// Whether a part of a page that takes long is asked for: by its name, or with everything. Without a script one follows a link to it.
    pub(crate) fn wants(&self, part: &str) -> bool {
        self.asked("part").is_some_and(|asked| asked == part || asked == "all")
    }

    /// Whether a script wants nothing but a part of the page.
    pub(crate) fn wants_only_a_part(&self) -> bool {
        self.target.is_some() && self.asked("part").is_some_and(|asked| asked != "all")
    }
}

/// A field of a query or a form; one that is empty is as if it were not there.
pub(crate) fn field<'a>(fields: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let value = fields.iter().find(|(key, _)| key == name).map(|(_, value)| value.trim());
    value.filter(|value| !value.is_empty())
}
