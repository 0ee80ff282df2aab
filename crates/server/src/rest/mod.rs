//! The HTTP API: every verb of the table under `/api/v1`, with the fields, answers and refusals of every other door.

mod events;
mod openapi;
mod problem;
mod replays;
mod routes;

use std::sync::{Arc, OnceLock};

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use kenning::core::schema::respell;
use kenning::verb::{Field, FieldKind, InRun, Prepared, Row};
use kenning::{Caller, Channel, Origin, Reach, Result, Secret};
use serde_json::{Map, Value, json};
use tokio::sync::{Semaphore, watch};

use crate::door::{ServedStore, Standing};
use crate::http::policy::{Asked, Entrance, confirm_hint, may};
use crate::http::{Gate, Metrics, Principal, away, same};
use crate::limits::{READERS, WRITERS};
use crate::resources;
use crate::shared::Deed;
use crate::verb::Outcome;

pub(crate) use problem::Problem;
use replays::Replays;
use routes::Route;

/// Where the API begins.
pub(crate) const BASE: &str = "/api/v1";
/// What describes the API, below [`BASE`]. Anybody may read it.
pub(crate) const DOCUMENT: &str = "/openapi.json";
/// What the command line would end with, for programs that look at nothing else.
const EXIT: &str = "ken-exit";

/// What a server works with: the store, who may ask, and what is known about requests.
pub(crate) struct Site {
    pub(crate) door: Arc<ServedStore>,
    pub(crate) gate: Gate,
    /// What `ken open` shows to be given a link.
    pub(crate) key: Secret,
    pub(crate) stopping: watch::Receiver<bool>,
    routes: Vec<Route>,
    /// The document of the API, written when it is first asked for.
    document: OnceLock<String>,
    readers: Arc<Semaphore>,
    writers: Arc<Semaphore>,
    replays: Replays,
    feed: events::Feed,
    pub(crate) metrics: Metrics,
}

impl Site {
    pub(crate) fn new(
        door: Arc<ServedStore>,
        gate: Gate,
        key: Secret,
        stopping: watch::Receiver<bool>,
    ) -> Arc<Site> {
        let state = door.settings.state();
        let identity = door.settings.identity.clone();
        let may_keep = !door.settings.options.read_only;
        Arc::new(Site {
            door,
            gate,
            key,
            stopping,
            routes: routes::routes(),
            document: OnceLock::new(),
            readers: Arc::new(Semaphore::new(READERS)),
            writers: Arc::new(Semaphore::new(WRITERS)),
            replays: Replays::open(state.filter(|_| may_keep), identity),
            feed: events::Feed::default(),
            metrics: Metrics::default(),
        })
    }

    /// Works on the store, away from the loop that talks. Reading and writing have places of their own: neither waits for the other.
    pub(crate) async fn work<T: Send + 'static>(
        self: &Arc<Site>,
        reads: bool,
        work: impl FnOnce(&Arc<Site>) -> T + Send + 'static,
    ) -> std::result::Result<T, Problem> {
        let places = if reads { &self.readers } else { &self.writers };
        let place = places.clone().acquire_owned().await;
        let site = self.clone();
        away(move || {
            let _place = place;
            work(&site)
        })
        .await
    }

    /// Runs a verb for somebody, if they may.
    pub(crate) fn run(
        &self,
        principal: &Principal,
        row: &'static Row,
        given: Map<String, Value>,
    ) -> std::result::Result<Outcome, Problem> {
        let ready = row.read(given)?;
        self.run_ready(principal, row, &*ready, None)
    }

    fn run_ready(
        &self,
        principal: &Principal,
        row: &'static Row,
        ready: &dyn Prepared,
        expected: Option<Standing>,
    ) -> std::result::Result<Outcome, Problem> {
        self.admit(principal, &Asked::of(row.name, row, ready.only_reads()))?;
        let caller = |in_run: Option<&InRun>| self.caller(principal, in_run);
        let expects = |ken: &mut Reach, _: &Caller| {
            expected.into_iter().for_each(|standing| kenning::show::expect(&mut ken.ledger, standing));
            Ok(())
        };
        let mut outcome = self.door.run_for(row, ready, &expects, &caller);
        if let Err(kenning::Error::Refused(refusal)) = &mut outcome
            && refusal.confirm.is_some()
        {
            refusal.hint = Some(confirm_hint(principal));
        }
        let outcome = outcome.map_err(Problem::from);
        if !ready.only_reads() {
            self.door.settings.record(|| deed(principal, row, &outcome));
        }
        outcome
    }

    /// Whether somebody may have what they ask for; who may not is written down.
    fn admit(&self, principal: &Principal, asked: &Asked<'_>) -> std::result::Result<(), Problem> {
        let admitted = may(principal, asked);
        if let Err(problem) = &admitted {
            let door = door_of(principal);
            self.door.settings.record(|| Deed::by(principal, door, asked.name, &problem.code));
        }
        admitted
    }

    /// Who makes a call: a person who confirmed the session, else an agent of the token's or the browser's name.
    fn caller(&self, principal: &Principal, in_run: Option<&InRun>) -> Result<Caller> {
        let run = in_run.and_then(|named| named.run.clone());
        let agent = in_run.and_then(|named| named.agent.clone());
        let agent = agent.or_else(|| run.as_ref().map(|_| principal.name.clone()));
        let origin =
            Origin { host: Some("http".to_owned()), token: principal.token.clone(), ..Origin::default() };
        let time = self.door.settings.identity.time();
        let caller = Caller::new(format!("agent:{}", principal.name), time, Channel::Http)
            .from_origin(origin)
            .in_run(run, agent)?;
        Ok(match &principal.person {
            Some(person) => caller.confirmed_by(person.clone()),
            None => caller,
        })
    }
}

/// A call that may have written something, as it is written down.
fn deed(principal: &Principal, row: &Row, outcome: &std::result::Result<Outcome, Problem>) -> Deed {
    let told = match outcome {
        Ok(outcome) if outcome.rejects => "rejected",
        Ok(_) => "done",
        Err(problem) => &problem.code,
    };
    let entry = outcome.as_ref().ok().and_then(|outcome| {
        ["id", "entry", "handle"].iter().find_map(|field| outcome.answer.get(*field)?.as_str())
    });
    Deed::by(principal, door_of(principal), row.name, told).on(entry)
}

/// Sessions are those of pages.
fn door_of(principal: &Principal) -> &'static str {
    if principal.session.is_some() { "page" } else { "api" }
}

/// What follows [`BASE`] in a path; none where the path is no path of the API.
pub(crate) fn below(path: &str) -> Option<&str> {
    path.strip_prefix(BASE).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Answers a request under [`BASE`].
pub(crate) async fn answer(site: &Arc<Site>, request: Request) -> Response {
    let mut response = match answer_or_problem(site, request).await {
        Ok(response) => response,
        Err(problem) => problem.response(),
    };
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

async fn answer_or_problem(site: &Arc<Site>, request: Request) -> std::result::Result<Response, Problem> {
    let (head, body) = request.into_parts();
    let path = head.uri.path().strip_prefix(BASE).unwrap_or_default().to_owned();
    let method = if head.method == Method::HEAD { Method::GET } else { head.method.clone() };
    if path == DOCUMENT && method == Method::GET {
        let text = site.document.get_or_init(|| openapi::document(&site.routes).to_string()).clone();
        return Ok(json_response(StatusCode::OK, text));
    }
    let Some(principal) = head.extensions.get::<Principal>().cloned() else {
        return Err(Entrance::TokenOrSession.closed());
    };
    let route = find(site, &method, &path)?;
    check_csrf(&principal, &head, None)?;
    // Before anybody reads what is asked: a GET reads, and anything else may write.
    let asked = Asked::of(route.row.name, route.row, method == Method::GET);
    tokio::task::block_in_place(|| site.admit(&principal, &asked))?;
    let body = axum::body::to_bytes(body, usize::MAX)
        .await
        .map_err(|_| Problem::new(StatusCode::BAD_REQUEST, "invalid", "the body could not be read"))?;
    let row = route.row;
    if row.name == "events" && accepts(&head.headers, "text/event-stream") {
        return events::stream(site, &head, &principal).await;
    }
    let mut given = fields(route, &path, &head, &body)?;
    let fingerprint = fingerprint(&head, &body);
    if let ("PATCH", "/entries/{id}", Some(id)) = (method.as_str(), &*route.path, entry_of(route, &path))
        && !takes(row, &given)
    {
        let principal = principal.clone();
        given = site.work(true, move |site| site.changed(&principal, row, &id, given)).await??;
    }
    let ready = row.read(given)?;
    let only_reads = ready.only_reads();
    if method == Method::GET && !only_reads {
        let message = format!("with these fields `{}` writes; GET only reads", row.name);
        return Err(Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", message)
            .allow(allowed(site, &path)));
    }
    let key = replays::key(&head.headers, &principal)?.filter(|_| method != Method::GET);
    let wants = Wants::new(&head.headers, route.path == "/entries/{id}" && method == Method::GET);
    let about = route.names().next().and_then(|_| entry_of(route, &path));
    site.work(only_reads, move |site| {
        if let Some(key) = key {
            return site.replays.once(&key, &fingerprint, || {
                site.answered(&principal, row, &*ready, about.as_deref(), &wants)
            });
        }
        site.answered(&principal, row, &*ready, about.as_deref(), &wants)
    })
    .await?
    .map(Answered::response)
}

/// What the headers of a request ask for beside the answer itself.
struct Wants {
    /// The state that an entry must still have.
    if_match: Option<String>,
    /// The state that the client knows already.
    if_none_match: Option<String>,
    /// An entry as text for an agent.
    markdown: bool,
    /// The answer has a state of its own.
    tagged: bool,
}

impl Wants {
    fn new(headers: &HeaderMap, tagged: bool) -> Wants {
        let text = |name: header::HeaderName| {
            headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
        };
        Wants {
            if_match: text(header::IF_MATCH),
            if_none_match: text(header::IF_NONE_MATCH),
            markdown: tagged && accepts(headers, "text/markdown"),
            tagged,
        }
    }
}

/// An answer, before it is a response: this is what an idempotency key gives again.
#[derive(Clone, Debug)]
pub(crate) struct Answered {
    pub(crate) status: StatusCode,
    pub(crate) body: String,
    pub(crate) exit: u8,
    tag: Option<String>,
    markdown: bool,
}

impl Answered {
    pub(crate) fn new(status: StatusCode, body: String, exit: u8) -> Answered {
        Answered { status, body, exit, tag: None, markdown: false }
    }

    fn response(self) -> Response {
        let mut response = json_response(self.status, self.body);
        let headers = response.headers_mut();
        headers.insert(EXIT, HeaderValue::from(u16::from(self.exit)));
        if self.markdown {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/markdown; charset=utf-8"));
        }
        if let Some(tag) = self.tag.and_then(|tag| HeaderValue::from_str(&tag).ok()) {
            headers.insert(header::ETAG, tag);
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
            headers.insert(header::VARY, HeaderValue::from_static("Accept"));
        }
        response
    }
}

impl Site {
    /// Runs a verb and writes its answer.
    fn answered(
        &self,
        principal: &Principal,
        row: &'static Row,
        ready: &dyn Prepared,
        about: Option<&str>,
        wants: &Wants,
    ) -> std::result::Result<Answered, Problem> {
        let expected = match (&wants.if_match, about) {
            (Some(wanted), Some(id)) => self.expected(principal, id, wanted)?,
            _ => None,
        };
        let outcome = self.run_ready(principal, row, ready, expected)?;
        // What changes nothing appends nothing, and nobody looked whether the entry is as the client read it.
        let is_unchanged = outcome.answer.get("outcome").is_some_and(|outcome| outcome == "unchanged");
        if let (true, Some(wanted), Some(id)) = (is_unchanged, &wants.if_match, about) {
            self.expected(principal, id, wanted)?;
        }
        let body = outcome.answer.to_string();
        // What the command line ends with: a finding is 1, a refusal 4.
        let (status, exit) = match (outcome.rejects, outcome.finds) {
            (true, _) => (StatusCode::UNPROCESSABLE_ENTITY, 4),
            (false, true) => (StatusCode::OK, 1),
            (false, false) => (StatusCode::OK, 0),
        };
        let mut answered = Answered::new(status, body, exit);
        if wants.tagged {
            let tag = tag(&answered.body);
            if wants
                .if_none_match
                .as_deref()
                .is_some_and(|known| known.split(',').any(|one| one.trim() == tag))
            {
                answered.status = StatusCode::NOT_MODIFIED;
                answered.body.clear();
            } else if wants.markdown {
                answered.body = resources::entry_text(&outcome.answer);
                answered.markdown = true;
            }
            answered.tag = Some(tag);
        }
        // Whoever compares goes on from here.
        if let (true, Some(id), Some(_)) = (status == StatusCode::OK, about, &wants.if_match) {
            answered.tag = self.tag_of(principal, id).ok();
        }
        Ok(answered)
    }

    /// How an entry stands, if it is as the client read it. The append looks again, whichever server or process changes it meanwhile.
    fn expected(
        &self,
        principal: &Principal,
        id: &str,
        wanted: &str,
    ) -> std::result::Result<Option<Standing>, Problem> {
        let caller = self.caller(principal, None)?;
        let standing = self.door.standing_of(caller, id)?;
        let now = self.tag_of(principal, id)?;
        if wanted.split(',').any(|tag| matches!(tag.trim(), "*") || tag.trim() == now) {
            return Ok(standing);
        }
        let message = format!("{id} changed since it was read");
        Err(Problem::new(StatusCode::PRECONDITION_FAILED, "changed", message)
            .hint("read the entry again, and send its ETag in If-Match"))
    }

    /// The state of an entry.
    fn tag_of(&self, principal: &Principal, id: &str) -> std::result::Result<String, Problem> {
        Ok(tag(&self.shown(principal, id)?.to_string()))
    }

    /// An entry as `GET` gives it.
    fn shown(&self, principal: &Principal, id: &str) -> std::result::Result<Value, Problem> {
        let show = kenning::table::find("show").ok_or_else(|| {
            Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "failed", "entries cannot be shown")
        })?;
        let given = Map::from_iter([("ids".to_owned(), json!([id]))]);
        Ok(self.run(principal, show, given)?.answer)
    }

    /// The fields of a `PATCH` that differ from what `GET` gives, as the verb takes them.
    fn changed(
        &self,
        principal: &Principal,
        row: &'static Row,
        id: &str,
        mut given: Map<String, Value>,
    ) -> std::result::Result<Map<String, Value>, Problem> {
        let shown = self.shown(principal, id)?;
        given.retain(|name, value| shown.get(name) != Some(value));
        let fields = row.fields();
        let is_read_only = |name: &str, value: &Value| {
            // `GET` gives citations as objects, and they can only be added, as texts.
            let is_citation = value.as_array().is_some_and(|list| !list.is_empty()) && !holds_objects(value);
            !is_field(&fields, name) || (name == "provenance" && !is_citation)
        };
        let read_only =
            given.iter().find(|(name, value)| shown.get(*name).is_some() && is_read_only(name, value));
        if let Some((name, _)) = read_only {
            let message = format!("`{name}` is read-only here");
            let hint = match name.as_str() {
                "provenance" => "add citations with `evidence`; none can be removed".to_owned(),
                "status" => format!("use {BASE}/entries/{id}/archive, retract, restore or supersede"),
                _ => "leave it out, or send it as it was read".to_owned(),
            };
            return Err(Problem::new(StatusCode::BAD_REQUEST, "invalid", message).hint(hint));
        }
        // A citation that the entry has is not made again by whoever sends back what was read.
        if let (Some(Value::Array(cited)), Some(Value::Array(known))) =
            (given.get_mut("evidence"), shown.get("evidence"))
        {
            cited.retain(|one| !known.contains(one));
        }
        Ok(given)
    }
}

/// Whether the verb takes every field as it is, so that the entry need not be read first.
fn takes(row: &Row, given: &Map<String, Value>) -> bool {
    let fields = row.fields();
    let is_taken =
        |name: &str, value: &Value| is_field(&fields, name) && name != "evidence" && !holds_objects(value);
    given.iter().all(|(name, value)| is_taken(name, value))
}

/// Whether a verb has a field of this name, or one that the name is another spelling of.
fn is_field(fields: &[Field], name: &str) -> bool {
    let is_known = |name: &str| fields.iter().any(|field| field.name == name);
    let mut one = Map::from_iter([(name.to_owned(), Value::Null)]);
    respell(&mut one, is_known);
    one.keys().all(|name| is_known(name))
}

/// Whether a value is a list with an object in it, as `GET` gives anchors and citations.
fn holds_objects(value: &Value) -> bool {
    value.as_array().is_some_and(|list| list.iter().any(Value::is_object))
}

/// The state of an answer: two that are the same, byte by byte, have the same.
fn tag(body: &str) -> String {
    format!("\"{}\"", &blake3::hash(body.as_bytes()).to_hex()[..32])
}

/// The route of a request, or what is wrong about its path or method.
fn find<'a>(site: &'a Site, method: &Method, path: &str) -> std::result::Result<&'a Route, Problem> {
    let mut others = site.routes.iter().filter(|route| route.parameters(path).is_some()).peekable();
    if others.peek().is_none() {
        let message = format!("there is no {BASE}{}", kenning::core::words::one_line(path, 200));
        return Err(Problem::new(StatusCode::NOT_FOUND, "no_such_path", message)
            .hint(format!("{BASE}/openapi.json lists every path")));
    }
    // A path with fewer parameters is meant first: /staging/accept is no candidate named `accept`.
    let best = others.filter(|route| route.method == *method).min_by_key(|route| route.names().count());
    best.ok_or_else(|| {
        let message = format!("{method} is not allowed here");
        Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", message).allow(allowed(site, path))
    })
}

/// The methods of a path.
fn allowed(site: &Site, path: &str) -> String {
    let mut methods: Vec<&str> = site
        .routes
        .iter()
        .filter(|route| route.parameters(path).is_some())
        .map(|route| route.method.as_str())
        .collect();
    methods.sort_unstable();
    methods.dedup();
    methods.join(", ")
}

/// The entry that a path is about.
fn entry_of(route: &Route, path: &str) -> Option<String> {
    route.path.starts_with("/entries/{id}").then_some(())?;
    let parameters = route.parameters(path)?;
    parameters.first().map(|(_, id)| decoded(id))
}

/// `%2F` and the like, as addresses write them.
fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// What a request says, as the fields of its verb: its path, its query and its body.
fn fields(
    route: &Route,
    path: &str,
    head: &Parts,
    body: &Bytes,
) -> std::result::Result<Map<String, Value>, Problem> {
    let invalid = |message: String| Problem::new(StatusCode::BAD_REQUEST, "invalid", message);
    let known = route.row.fields();
    let mut given = Map::new();
    if !body.is_empty() {
        let kind =
            head.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        if !kind.eq_ignore_ascii_case("application/json") {
            let message = format!("the body must be application/json, not {kind:?}");
            return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", message));
        }
        if head.method == Method::GET || head.method == Method::HEAD {
            return Err(invalid("a GET request has no body; write its fields into the query".to_owned()));
        }
        given = match serde_json::from_slice(body) {
            Ok(Value::Object(object)) => object,
            Ok(_) => return Err(invalid("the body must be a JSON object".to_owned())),
            Err(error) => return Err(invalid(format!("the body is not JSON: {error}"))),
        };
    }
    for (mut name, value) in query(head.uri.query().unwrap_or_default()) {
        // What everybody types.
        if name == "q" && known.iter().any(|field| field.name == "query") {
            name = "query".to_owned();
        }
        let field = known.iter().find(|field| field.name == name);
        insert(&mut given, field, name, value).map_err(invalid)?;
    }
    for (name, value) in route.parameters(path).unwrap_or_default() {
        let Some(field) = route.field(name, &known) else { continue };
        let value = decoded(value);
        // What the path says is said.
        given.insert(field.name.to_owned(), if field.many { json!([value]) } else { Value::from(value) });
    }
    for (name, value) in route.fixed {
        given.insert((*name).to_owned(), Value::from(*value));
    }
    Ok(given)
}

/// The pairs of a query, or of a form.
pub(crate) fn query(text: &str) -> Vec<(String, String)> {
    form_urlencoded::parse(text.as_bytes()).into_owned().collect()
}

/// One more pair of a query: a list grows, a switch is true or false, and anything else is said once.
fn insert(
    given: &mut Map<String, Value>,
    field: Option<&Field>,
    name: String,
    value: String,
) -> std::result::Result<(), String> {
    let Some(field) = field else {
        // The verb says which fields it has.
        given.insert(name, Value::from(value));
        return Ok(());
    };
    if field.many {
        let list = given.entry(name).or_insert_with(|| json!([]));
        if let Value::Array(list) = list {
            list.push(Value::from(value));
        }
        return Ok(());
    }
    if given.contains_key(&name) {
        return Err(format!("`{name}` is given more than once"));
    }
    let value = match (field.kind, value.as_str()) {
        (FieldKind::Switch, "true" | "1" | "") => Value::from(true),
        (FieldKind::Switch, "false" | "0") => Value::from(false),
        (FieldKind::Switch, _) => return Err(format!("`{name}` is true or false")),
        _ => Value::from(value),
    };
    given.insert(name, value);
    Ok(())
}

/// A session's cookie comes with every request of the browser; that a page of ours made it, the token of its forms says.
pub(crate) fn check_csrf(
    principal: &Principal,
    head: &Parts,
    form: Option<&[(String, String)]>,
) -> std::result::Result<(), Problem> {
    let Some((session, _)) = &principal.session else { return Ok(()) };
    if matches!(head.method, Method::GET | Method::HEAD | Method::OPTIONS) {
        return Ok(());
    }
    let by_header = head.headers.get("x-csrf-token").and_then(|value| value.to_str().ok());
    let by_form =
        form.and_then(|form| form.iter().find(|(name, _)| name == "csrf")).map(|(_, value)| value.as_str());
    let shown = by_header.or(by_form).unwrap_or_default();
    if same(shown.as_bytes(), session.csrf.as_bytes()) {
        return Ok(());
    }
    let message = "the form has no valid CSRF token";
    Err(Problem::new(StatusCode::FORBIDDEN, "forbidden", message)
        .hint("reload the page and send the form again; programs use a token instead of a session"))
}

fn accepts(headers: &HeaderMap, kind: &str) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|line| line.split(',')).any(|one| {
        let mut parts = one.split(';').map(str::trim);
        let is_kind = parts.next().is_some_and(|named| named.eq_ignore_ascii_case(kind));
        is_kind && !parts.any(|part| matches!(part, "q=0" | "q=0.0"))
    })
}

fn fingerprint(head: &Parts, body: &Bytes) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(head.method.as_str().as_bytes());
    hasher.update(head.uri.to_string().as_bytes());
    hasher.update(&[0]);
    hasher.update(body);
    hasher.finalize().to_hex()[..32].to_owned()
}

pub(crate) fn json_response(status: StatusCode, body: String) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
