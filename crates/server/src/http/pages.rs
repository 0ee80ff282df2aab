//! The pages of the browser, and how one comes in: by a one-time link, or with a token.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use ken_web::{Answer, Problem as PageProblem, Verbs, Visit, Visitor};
use kenning::Person;
use kenning::verb::Role;
use serde_json::{Map, Value, json};

use super::policy::Entrance;
use super::{Peer, Principal, same};
use crate::rest::{self, Problem, Site, check_csrf, query};

/// Where a session begins.
pub(super) const LOGIN_PATH: &str = "/login";
const LOGOUT_PATH: &str = "/logout";
/// Where `ken open` is given a link.
pub(crate) const LINK_PATH: &str = "/login/link";
/// Where an approver enters a code.
const SESSION_PATH: &str = "/session";
pub(super) const ASSETS: &str = "/assets/";

/// Answers everything but MCP.
pub(super) async fn answer(State(site): State<Arc<Site>>, request: Request) -> Response {
    if rest::below(request.uri().path()).is_some() {
        return rest::answer(&site, request).await;
    }
    let (head, body) = request.into_parts();
    let form = axum::body::to_bytes(body, usize::MAX).await.unwrap_or_default();
    let response = page(&site, &head, &String::from_utf8_lossy(&form)).await;
    let mut response = match response {
        Ok(response) => response,
        Err(problem) if is_page(&head) => html(problem.status, &told(&problem)),
        Err(problem) => problem.response(),
    };
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(ken_web::CSP));
    // Without any referrer browsers send forms of ours with `Origin: null`, as if they came from a page of nobody.
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Whether somebody looks at what is answered.
fn is_page(head: &Parts) -> bool {
    let accepts = head.headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accepts.contains("text/html")
}

async fn page(site: &Arc<Site>, head: &Parts, form: &str) -> Result<Response, Problem> {
    let path = head.uri.path();
    let reads = matches!(head.method, Method::GET | Method::HEAD);
    if !reads && head.method != Method::POST {
        return Err(Problem::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "method_not_allowed",
            "pages know GET and POST",
        ));
    }
    if let Some(name) = path.strip_prefix(ASSETS) {
        return asset(name, head);
    }
    let fields = if reads { Vec::new() } else { form_fields(head, form)? };
    let field = |name: &str| fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    let principal = head.extensions.get::<Principal>();
    match (path, reads) {
        (LINK_PATH, false) => return link(site, head),
        (LOGIN_PATH, true) => return follow(site, head),
        (LOGIN_PATH, false) => {
            let next = field("next").unwrap_or_default();
            return sign_in(site, head, field("token").unwrap_or_default(), next);
        }
        _ => {}
    }
    let Some(principal) = principal.filter(|one| Entrance::Session.admits(Some(one))).cloned() else {
        // A form that was sent is gone: it is not sent again by who signs in.
        let next = head.uri.path_and_query().map(|asked| asked.as_str()).filter(|_| reads);
        return Ok(html(StatusCode::UNAUTHORIZED, &sign_in_form(next.unwrap_or_default())));
    };
    check_csrf(&principal, head, Some(&fields))?;
    match (path, reads) {
        (LOGOUT_PATH, false) => {
            if let Some((_, cookie)) = &principal.session {
                site.gate.sessions.end(cookie);
            }
            return Ok(html(StatusCode::OK, "Signed out."));
        }
        (SESSION_PATH, false) => return confirm(site, head, &principal, field("code").unwrap_or_default()),
        _ => {}
    }
    let asked: Vec<(String, String)> = query(head.uri.query().unwrap_or_default());
    let path = percent_encoding::percent_decode_str(path).decode_utf8_lossy().into_owned();
    let target = head.headers.get("hx-target").and_then(|value| value.to_str().ok()).map(str::to_owned);
    let reply = site.work(reads, move |site| {
        let verbs = PageVerbs { site, principal: &principal };
        let visitor = visitor(site, &principal);
        let form = (!reads).then_some(fields.as_slice());
        ken_web::reply(&Visit {
            verbs: &verbs,
            visitor: &visitor,
            path: &path,
            query: &asked,
            form,
            target: target.as_deref(),
        })
    });
    let reply = reply.await?;
    let mut response = Response::new(Body::from(reply.body));
    *response.status_mut() = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    if let Some(location) = reply.location.and_then(|location| HeaderValue::from_str(&location).ok()) {
        headers.insert(header::LOCATION, location);
    }
    Ok(response)
}

/// The fields of a form.
fn form_fields(head: &Parts, form: &str) -> Result<Vec<(String, String)>, Problem> {
    let kind = head.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !form.is_empty() && !kind.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        let message = "a form must be application/x-www-form-urlencoded";
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", message));
    }
    Ok(query(form))
}

fn visitor(site: &Site, principal: &Principal) -> Visitor {
    let session = principal.session.as_ref().map(|(session, _)| session);
    let is_person = principal.person.is_some();
    let can_type = !is_person && principal.token.is_none() && site.gate.sessions.has_terminal();
    Visitor {
        name: principal
            .person
            .as_ref()
            .map_or_else(|| principal.name.clone(), |person| person.name().to_owned()),
        role: principal.role.word().to_owned(),
        is_person,
        csrf: session.map(|session| session.csrf.clone()).unwrap_or_default(),
        code: session.filter(|_| can_type).map(|session| session.code.clone()),
    }
}

/// The verbs in the name of whoever visits.
struct PageVerbs<'a> {
    site: &'a Site,
    principal: &'a Principal,
}

impl Verbs for PageVerbs<'_> {
    fn run(&self, verb: &str, given: Map<String, Value>) -> Result<Answer, Box<PageProblem>> {
        let row = kenning::table::find(verb).ok_or_else(|| {
            Box::new(PageProblem {
                status: 404,
                code: "not_found".to_owned(),
                message: format!("there is no verb `{verb}`"),
                ..PageProblem::default()
            })
        })?;
        match self.site.run(self.principal, row, given) {
            Ok(done) => Ok(Answer { value: done.answer, finds: done.finds, rejects: done.rejects }),
            Err(problem) => Err(Box::new(PageProblem {
                status: problem.status.as_u16(),
                code: problem.code.clone(),
                message: problem.message.clone(),
                hint: problem.hint.clone(),
                field: problem.field.clone(),
                confirm: problem.confirm.clone(),
            })),
        }
    }
}

/// Gives `ken open` a link: it knows the key that lies in the clone's folder.
fn link(site: &Site, head: &Parts) -> Result<Response, Problem> {
    let shown =
        head.headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let shown = shown.strip_prefix("Bearer ").unwrap_or_default();
    if !same(shown.as_bytes(), site.key.reveal().as_bytes()) {
        return Err(site.gate.wrong_token(peer(head)));
    }
    let secret = site.gate.sessions.link()?;
    Ok(rest::json_response(StatusCode::OK, json!({"path": format!("{LOGIN_PATH}?key={secret}")}).to_string()))
}

fn peer(head: &Parts) -> std::net::IpAddr {
    head.extensions.get::<Peer>().map_or(std::net::IpAddr::from([0, 0, 0, 0]), |Peer(peer)| *peer)
}

/// Follows a one-time link: it is used up, and the browser has a session.
fn follow(site: &Site, head: &Parts) -> Result<Response, Problem> {
    let asked = query(head.uri.query().unwrap_or_default());
    let Some((_, secret)) = asked.iter().find(|(name, _)| name == "key") else {
        return Ok(html(StatusCode::OK, &sign_in_form(next(&asked))));
    };
    // Beyond this machine a session begins with a token: a link could be read on its way.
    if !peer(head).is_loopback() {
        return Ok(html(StatusCode::UNAUTHORIZED, &sign_in_form(next(&asked))));
    }
    if head.method != Method::GET || !site.gate.sessions.follow(secret) {
        // Guessing is slowed down here, too.
        let problem = site.gate.wrong_token(peer(head));
        let status = problem.status;
        let message = "This link was used before, or is too old. Run `ken open` for another one.";
        return Ok(html(
            if status == StatusCode::TOO_MANY_REQUESTS { status } else { StatusCode::UNAUTHORIZED },
            message,
        ));
    }
    // A link is read by whoever started the server, which may be an agent: it makes a writer, and no person.
    begin(site, "browser", Role::Writer, None, next(&asked))
}

/// Begins a session with a token, as its holder.
fn sign_in(site: &Site, head: &Parts, token: &str, next: &str) -> Result<Response, Problem> {
    match site.gate.holder(token.trim())? {
        Some(holder) => begin(site, &holder.name, holder.role, Some(token.trim().to_owned()), next),
        None => {
            let problem = site.gate.wrong_token(peer(head));
            match is_page(head) {
                true => Ok(html(problem.status, &format!("{}</p><p>{}", told(&problem), sign_in_form(next)))),
                false => Err(problem),
            }
        }
    }
}

fn begin(
    site: &Site,
    name: &str,
    role: Role,
    token: Option<String>,
    next: &str,
) -> Result<Response, Problem> {
    let next = escaped(own_page(next));
    let cookie = site.gate.sessions.begin(name, role, token)?;
    let name = site.gate.cookie_name();
    let cookie = format!("{name}={cookie}; HttpOnly; SameSite=Strict; Path=/");
    // The first page is asked for by a page of ours, so that the browser sends the cookie along.
    let mut response =
        html_page(StatusCode::OK, &format!("Signed in. <a href=\"{next}\">Continue</a>"), Some(&next));
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

/// Makes an approver's session a person's, by the code of an invitation.
fn confirm(site: &Site, head: &Parts, principal: &Principal, code: &str) -> Result<Response, Problem> {
    let (Some(token), Some((_, cookie))) = (&principal.token, &principal.session) else {
        let message = "this session is confirmed at the terminal where `ken serve` runs";
        return Err(Problem::new(StatusCode::FORBIDDEN, "needs_person", message)
            .hint("type the code of this page there"));
    };
    let access = site.gate.access().filter(|_| principal.role >= Role::Approver);
    let redeem = || access.map(|access| access.redeem(token, code, site.gate.now())).transpose();
    let is_invited = tokio::task::block_in_place(redeem)?;
    if is_invited != Some(true) {
        let mut problem = site.gate.wrong_token(peer(head));
        if problem.status == StatusCode::UNAUTHORIZED {
            problem.status = StatusCode::FORBIDDEN;
            problem.message =
                "the code is wrong, used or too old, or this session is no approver's".to_owned();
            problem.hint = Some(format!("an admin makes a new one: ken gate approver {token}"));
        }
        return Err(problem);
    }
    #[allow(clippy::disallowed_methods, reason = "the code of an admin's invitation was entered just now")]
    let person = Person::confirmed_by_approval(format!("human:{token}"));
    site.gate.sessions.confirm_invited(cookie, person);
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    response.headers_mut().insert(header::LOCATION, HeaderValue::from_static(SESSION_PATH));
    Ok(response)
}

/// A file that pages refer to.
fn asset(name: &str, head: &Parts) -> Result<Response, Problem> {
    let Some(asset) = ken_web::asset(name) else {
        return Err(Problem::new(StatusCode::NOT_FOUND, "no_such_path", "there is no such file"));
    };
    let tag = format!("\"{}\"", &blake3::hash(asset.bytes).to_hex()[..16]);
    let known = head.headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    let is_known = known == Some(tag.as_str());
    let mut response = Response::new(if is_known { Body::empty() } else { Body::from(asset.bytes) });
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(asset.kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=300"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    Ok(response)
}

/// How one signs in, and comes to the page that was asked for.
fn sign_in_form(next: &str) -> String {
    format!(
        "Run <code>ken open</code> in the project to open this page with a link, or sign in with a token. \
         <form method=\"post\" action=\"{LOGIN_PATH}\"><input type=\"hidden\" name=\"next\" value=\"{}\">\
         <label>Token <input type=\"password\" name=\"token\" autocomplete=\"off\" required></label> <button>Sign in</button></form>",
        escaped(own_page(next))
    )
}

/// What a query says comes after signing in.
fn next(asked: &[(String, String)]) -> &str {
    asked.iter().find(|(name, _)| name == "next").map_or("/", |(_, next)| next.as_str())
}

/// An address that leads to a page of ours and nowhere else; the first page for any other. Browsers take `//` and `/\` for the beginning
/// of another host, and drop line ends and tabs before they look: only what an address may hold unescaped is let through.
fn own_page(address: &str) -> &str {
    let is_plain = |c: char| {
        c.is_ascii_alphanumeric()
            || matches!(
                c,
                '/' | '-' | '_' | '.' | '~' | '%' | '?' | '=' | '&' | '+' | ',' | ':' | ';' | '@' | '!' | '*'
            )
    };
    let path = address.split('?').next().unwrap_or_default();
    let is_ours = path.starts_with('/') && !path.contains("//") && address.chars().all(is_plain);
    let is_page =
        ![LOGIN_PATH, LOGOUT_PATH].iter().any(|door| path == *door || path.starts_with(&format!("{door}/")));
    if is_ours && is_page { address } else { "/" }
}

/// A problem as sentences of a page.
fn told(problem: &Problem) -> String {
    let hint = problem.hint.as_deref().map(|hint| format!(" {}.", sentence(hint))).unwrap_or_default();
    format!("{}.{hint}", sentence(&problem.message))
}

/// A message as it stands in a page: it begins with a capital, and what is typed is marked.
fn sentence(text: &str) -> String {
    let marked: Vec<String> = text
        .split('`')
        .enumerate()
        .map(|(at, part)| match at % 2 {
            0 => escaped(part),
            _ => format!("<code>{}</code>", escaped(part)),
        })
        .collect();
    let mut marked = marked.concat();
    if let Some(first) = marked.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    marked
}

/// Text as it may stand in a page.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A page of a sentence. The sentence is ours, never a visitor's.
fn html(status: StatusCode, said: &str) -> Response {
    html_page(status, said, None)
}

fn html_page(status: StatusCode, said: &str, next: Option<&str>) -> Response {
    let next = next
        .map(|next| format!("<meta http-equiv=\"refresh\" content=\"0;url={next}\">"))
        .unwrap_or_default();
    let page = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         {next}<title>Kenning</title><link rel=\"stylesheet\" href=\"/assets/style.css\"></head><body><main id=\"main\" class=\"notice\"><h1>Kenning</h1><p>{said}</p></main></body></html>"
    );
    let mut response = Response::new(Body::from(page));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signing_in_leads_to_a_page_of_this_server_and_nowhere_else() {
        for address in [
            "/",
            "/queue",
            "/queue?at=3",
            "/entries/retry.jitter?history=all",
            "/search?q=two%20words&tag=a%2Fb&age=7d",
            "/entries/a%2F%2Fb",
        ] {
            assert_eq!(own_page(address), address);
        }
        for address in [
            "",
            "queue",
            "//evil.example",
            "///evil.example",
            "/\\evil.example",
            "/\\/evil.example",
            "\\\\evil.example",
            "https:evil.example",
            "https://evil.example/",
            "javascript:alert(1)",
            "/\t/evil.example",
            "/\n/evil.example",
            "/\r\nSet-Cookie:a=b",
            "\t//evil.example",
            " //evil.example",
            "/\u{0}/evil.example",
            "/.//evil.example",
            "/queue\"><script>",
            "/queue;url='//evil.example'",
            "/login",
            "/login?next=/queue",
            "/login/link",
            "/logout",
        ] {
            assert_eq!(own_page(address), "/", "{address:?}");
        }
        let form = sign_in_form("/search?q=a&tag=b");
        assert!(form.contains("name=\"next\" value=\"/search?q=a&amp;tag=b\""), "{form}");
    }
}
