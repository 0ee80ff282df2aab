//! What goes wrong, as `application/problem+json` (RFC 9457) with the code, field and hint that every other door has.

use std::ops::{Deref, DerefMut};

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use kenning::Error;
use kenning::core::{Code, Refusal};
use serde_json::{Map, Value, json};

/// A problem, before it is written.
#[derive(Clone, Debug)]
pub(crate) struct Problem(Box<Told>);

impl Deref for Problem {
    type Target = Told;

    fn deref(&self) -> &Told {
        &self.0
    }
}

impl DerefMut for Problem {
    fn deref_mut(&mut self) -> &mut Told {
        &mut self.0
    }
}

/// What a problem says.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) status: StatusCode,
    /// The kind, for programs.
    pub(crate) code: String,
    /// One sentence for people.
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    pub(crate) field: Option<String>,
    /// What a person would have to confirm for it to be done.
    pub(crate) confirm: Option<String>,
    /// Every fault, when the request has several.
    faults: Vec<(String, String)>,
    /// The seconds after which it may work.
    retry_after: Option<u64>,
    /// The methods that are allowed instead.
    allow: Option<String>,
}

/// Every kind of problem that no refusal of the domain is, with its status.
pub(crate) const OWN_CODES: &[(&str, u16)] = &[
    ("unauthorized", 401),
    ("too_slow", 408),
    ("forbidden", 403),
    ("needs_person", 403),
    ("no_such_path", 404),
    ("method_not_allowed", 405),
    ("too_long", 413),
    ("unsupported_media_type", 415),
    ("replayed", 422),
    ("too_many_requests", 429),
    ("busy", 503),
    ("full", 507),
    ("failed", 500),
];

impl Problem {
    pub(crate) fn new(status: StatusCode, code: &str, message: impl Into<String>) -> Problem {
        Problem(Box::new(Told {
            status,
            code: code.to_owned(),
            message: message.into(),
            hint: None,
            field: None,
            confirm: None,
            faults: Vec::new(),
            retry_after: None,
            allow: None,
        }))
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Problem {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn field(mut self, field: impl Into<String>) -> Problem {
        self.field = Some(field.into());
        self
    }

    pub(crate) fn confirm(mut self, what: impl Into<String>) -> Problem {
        self.confirm = Some(what.into());
        self
    }

    pub(crate) fn retry_after(mut self, seconds: u64) -> Problem {
        self.retry_after = Some(seconds);
        self
    }

    pub(crate) fn allow(mut self, methods: String) -> Problem {
        self.hint = Some(format!("allowed: {methods}"));
        self.allow = Some(methods);
        self
    }

    pub(crate) fn response(&self) -> Response {
        let mut told = Map::new();
        told.insert("type".to_owned(), Value::from("about:blank"));
        told.insert("title".to_owned(), Value::from(self.status.canonical_reason().unwrap_or("Problem")));
        told.insert("status".to_owned(), Value::from(self.status.as_u16()));
        told.insert("code".to_owned(), Value::from(self.code.clone()));
        told.insert("detail".to_owned(), Value::from(self.message.clone()));
        for (name, text) in [("hint", &self.hint), ("field", &self.field), ("confirm", &self.confirm)] {
            if let Some(text) = text {
                told.insert(name.to_owned(), Value::from(text.clone()));
            }
        }
        if !self.faults.is_empty() {
            let faults =
                self.faults.iter().map(|(field, problem)| json!({"field": field, "problem": problem}));
            told.insert("faults".to_owned(), faults.collect());
        }
        let mut response = Response::new(Body::from(Value::Object(told).to_string()));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(methods) = self.allow.as_deref().and_then(|methods| HeaderValue::from_str(methods).ok()) {
            headers.insert(header::ALLOW, methods);
        }
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

/// The status of a refusal.
pub(crate) fn status(code: Code) -> StatusCode {
    match code {
        Code::Invalid => StatusCode::BAD_REQUEST,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::NotAllowed | Code::ReadOnly => StatusCode::FORBIDDEN,
        Code::Ambiguous | Code::IdTaken | Code::NoStore | Code::Version => StatusCode::CONFLICT,
        Code::Changed => StatusCode::PRECONDITION_FAILED,
        Code::ProvenanceRequired
        | Code::Incomplete
        | Code::DirectionalFlow
        | Code::Rejected
        | Code::OutOfScope
        | Code::Noise => StatusCode::UNPROCESSABLE_ENTITY,
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Problem {
        let mut problem = Problem::new(status(refusal.code), refusal.code.word(), refusal.message);
        problem.hint = refusal.hint;
        problem.confirm = refusal.confirm;
        problem.field = refusal.faults.first().map(|fault| fault.field.clone());
        if refusal.faults.len() > 1 {
            problem.faults = refusal.faults.into_iter().map(|fault| (fault.field, fault.problem)).collect();
        }
        problem
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Problem {
        match error {
            Error::Refused(refusal) => refusal.into(),
            Error::Busy(_) => {
                Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", error.to_string()).retry_after(1)
            }
            Error::Full(_) => Problem::new(StatusCode::INSUFFICIENT_STORAGE, "full", error.to_string()),
            Error::Damaged(part, _) => {
                Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "failed", error.to_string()).hint(part.mend())
            }
            Error::Denied(_) | Error::Failed(_) => {
                Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "failed", error.to_string())
            }
        }
    }
}
