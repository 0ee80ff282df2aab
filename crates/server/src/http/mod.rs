//! The same tools over streamable HTTP: on the loopback, or anywhere with a token. Who may not ask is told so before anything is done.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::Response;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use kenning::core::{Code, Refusal};
use kenning::{Error, Result, Secret};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use crate::door::{Door, Settings};
use crate::limits::{ACCEPT_PAUSE, BODY_BYTES_MAX, BODY_TIME, CONNECTIONS_MAX, HEADER_TIME, SESSIONS_MAX};
use crate::mcp::Server;

/// Where to listen, and to whom.
pub struct Listen {
    /// The address; port 0 takes a free one.
    pub address: SocketAddr,
    /// What a client must show; without it only the loopback is served.
    pub token: Option<Secret>,
    /// Names that the server may be called by, beside the loopback's and the address.
    pub hosts: Vec<String>,
}

/// The place of the protocol.
const PATH: &str = "/mcp";
/// A shorter token is a password, and can be guessed.
const TOKEN_CHARS_MIN: usize = 16;

/// Serves until somebody presses Ctrl-C. `ready` is told the address once it can be reached.
pub fn serve(settings: Settings, listen: Listen, ready: impl FnOnce(SocketAddr)) -> Result<()> {
    if !listen.address.ip().is_loopback() && listen.token.is_none() {
        let message = format!("{} can be reached from elsewhere, and there is no token", listen.address);
        return Err(Refusal::new(Code::NotAllowed, message)
            .hint("give one with --token-file FILE or KEN_TOKEN, or listen on 127.0.0.1")
            .field("listen")
            .into());
    }
    if listen.token.as_ref().is_some_and(|token| token.reveal().chars().count() < TOKEN_CHARS_MIN) {
        let message = format!("the token is too short; at least {TOKEN_CHARS_MIN} characters are required");
        return Err(Refusal::new(Code::Invalid, message).field("token").into());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(Error::failed("starting the server"))?;
    runtime.block_on(async {
        let doing = format!("listening on {}", listen.address);
        let socket = tokio::net::TcpListener::bind(listen.address).await.map_err(Error::failed(doing))?;
        let address = socket.local_addr().map_err(Error::failed("finding the address"))?;
        ready(address);
        let router = router(settings, listen, address);
        let stopped = async {
            let _ = tokio::signal::ctrl_c().await;
        };
        tokio::select! {
            () = accept(socket, router, HEADER_TIME) => {}
            () = stopped => {}
        }
        Ok::<(), Error>(())
    })?;
    runtime.shutdown_background();
    Ok(())
}

/// Takes connections for ever. Who does not say what it wants in time, or is silent between two requests, is let go: a connection that was
/// left half open would be held until the process ends.
async fn accept(socket: tokio::net::TcpListener, router: Router, header_time: Duration) {
    let free = Arc::new(tokio::sync::Semaphore::new(CONNECTIONS_MAX));
    let mut protocol = http1::Builder::new();
    protocol.timer(TokioTimer::new()).header_read_timeout(header_time);
    loop {
        let Ok(place) = free.clone().acquire_owned().await else { return };
        let stream = match socket.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                use std::io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
                // Whoever came has gone again.
                if !matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset) {
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
                continue;
            }
        };
        let service = TowerToHyperService::new(router.clone());
        let connection = protocol.serve_connection(TokioIo::new(stream), service);
        tokio::spawn(async move {
            // What a client does to its connection is no failure of ours.
            let _ = connection.await;
            drop(place);
        });
    }
}

/// Reads the body before anybody works on it, and not for longer than it may take.
async fn in_time(limit: Duration, request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    let (status, why) = match tokio::time::timeout(limit, axum::body::to_bytes(body, BODY_BYTES_MAX)).await {
        Ok(Ok(bytes)) => return next.run(Request::from_parts(head, Body::from(bytes))).await,
        Ok(Err(_)) => (StatusCode::PAYLOAD_TOO_LARGE, "the request is too long, or ended early\n"),
        Err(_) => (StatusCode::REQUEST_TIMEOUT, "the request took too long to arrive\n"),
    };
    let mut response = Response::new(Body::from(why));
    *response.status_mut() = status;
    // The rest of it is not waited for.
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

fn router(settings: Settings, listen: Listen, address: SocketAddr) -> Router {
    let server = Server::new(Door::new(settings));
    let gate = Arc::new(Gate::new(&listen, address));
    // The gate has looked at hosts and origins; the transport's own look is off, for it knows no token.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_json_response(true)
        .with_max_request_body_bytes(BODY_BYTES_MAX);
    let sessions = Arc::new(LocalSessionManager::default());
    let count = sessions.clone();
    let service = StreamableHttpService::new(move || Ok(server.for_connection()), sessions, config);
    Router::new()
        .route_service(PATH, service)
        .layer(middleware::from_fn(|request: Request, next: Next| in_time(BODY_TIME, request, next)))
        .layer(middleware::from_fn(move |request: Request, next: Next| few(count.clone(), request, next)))
        .layer(middleware::from_fn_with_state(gate, let_in))
}

/// Who is let in.
struct Gate {
    hosts: Vec<String>,
    /// It listens on every address of the machine, and may be called by any of them.
    everywhere: bool,
    token: Option<Secret>,
}

impl Gate {
    fn new(listen: &Listen, address: SocketAddr) -> Gate {
        let mut hosts = listen.hosts.clone();
        let everywhere = address.ip().is_unspecified();
        if address.ip().is_loopback() || everywhere {
            hosts.extend(["localhost", "127.0.0.1", "[::1]"].map(str::to_owned));
        }
        hosts.push(match address {
            SocketAddr::V4(v4) => v4.ip().to_string(),
            SocketAddr::V6(v6) => format!("[{}]", v6.ip()),
        });
        Gate { hosts, everywhere, token: listen.token.clone() }
    }

    /// Why a request is not let in. A page of another site that was led here by a trick of names has another Host, or an Origin.
    fn objection(&self, headers: &HeaderMap) -> Option<(StatusCode, &'static str)> {
        let text =
            |name: header::HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("\u{0}"));
        if [header::HOST, header::ORIGIN].iter().any(|name| headers.get_all(name).iter().count() > 1) {
            return Some((StatusCode::BAD_REQUEST, "Host and Origin may be given only once"));
        }
        let host = text(header::HOST).unwrap_or_default();
        if !self.is_ours(host) {
            return Some((StatusCode::FORBIDDEN, "unknown Host; allow it with --host-name NAME"));
        }
        if let Some(origin) = text(header::ORIGIN) {
            // Another port is another origin: whatever else runs on this machine is not us.
            let from = origin.split_once("://").map(|(_, from)| from).unwrap_or_default();
            if from.is_empty() || !from.eq_ignore_ascii_case(host) {
                return Some((StatusCode::FORBIDDEN, "requests from this Origin are not allowed"));
            }
        }
        let token = self.token.as_ref()?;
        let shown = text(header::AUTHORIZATION).unwrap_or_default();
        let shown = shown.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        let same = shown.is_some_and(|(_, shown)| same(shown.trim().as_bytes(), token.reveal().as_bytes()));
        (!same).then_some((StatusCode::UNAUTHORIZED, "a token is required: Authorization: Bearer TOKEN"))
    }

    /// Whether a host, with or without a port, is one of ours.
    fn is_ours(&self, host: &str) -> bool {
        let bare = match host.rfind(':') {
            Some(at)
                if host[at + 1..].bytes().all(|byte| byte.is_ascii_digit()) && !host[..at].is_empty() =>
            {
                &host[..at]
            }
            _ => host,
        };
        let is_address = || bare.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok();
        // A page led here by a trick of names has a name for a Host, and no number.
        self.everywhere && is_address()
            || self
                .hosts
                .iter()
                .any(|known| known.eq_ignore_ascii_case(bare) || known.eq_ignore_ascii_case(host))
    }
}

/// Compares in a time that does not tell how far two texts agree.
fn same(one: &[u8], other: &[u8]) -> bool {
    blake3::hash(one) == blake3::hash(other)
}

/// Who begins one conversation after the other is told to end some.
async fn few(sessions: Arc<LocalSessionManager>, request: Request, next: Next) -> Response {
    let begins = !request.headers().contains_key("mcp-session-id");
    if begins && sessions.sessions.read().await.len() >= SESSIONS_MAX {
        let mut response = Response::new(Body::from("too many sessions; close one or retry later\n"));
        *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        return response;
    }
    next.run(request).await
}

async fn let_in(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let elsewhere = request.uri().authority().is_some_and(|named| !gate.is_ours(named.as_str()));
    let objection = match elsewhere {
        true => Some((StatusCode::FORBIDDEN, "unknown Host")),
        false => gate.objection(request.headers()),
    };
    let Some((status, why)) = objection else { return next.run(request).await };
    let mut response = Response::new(Body::from(format!("{why}\n")));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    if status == StatusCode::UNAUTHORIZED {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(token: Option<&str>) -> Gate {
        let listen = Listen {
            address: SocketAddr::from(([127, 0, 0, 1], 4100)),
            token: token.map(Secret::new),
            hosts: vec!["ken.example".to_owned()],
        };
        Gate::new(&listen, listen.address)
    }

    type Pairs<'a> = &'a [(header::HeaderName, &'a str)];

    fn headers(pairs: Pairs<'_>) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (name.clone(), HeaderValue::from_str(value).expect("a header")))
            .collect()
    }

    /// A server that waits for this long, and what becomes of a connection that says so much and no more.
    fn left_half_open(said: &str, limit: Duration) -> String {
        use std::io::{Read, Write};
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let answers = Router::new()
            .route("/mcp", axum::routing::any(|body: String| async move { body }))
            .layer(middleware::from_fn(move |request: Request, next: Next| in_time(limit, request, next)));
        let socket = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = socket.local_addr().unwrap();
        runtime.spawn(accept(socket, answers, limit));
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        // Where nobody lets go, this test fails instead of waiting for ever.
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(said.as_bytes()).unwrap();
        let mut heard = String::new();
        let ended = stream.read_to_string(&mut heard);
        runtime.shutdown_background();
        assert!(ended.is_ok(), "{said:?} is still open: {ended:?}");
        heard
    }

    // Connections that said half of a header, or nothing, were kept until the process ended; a few hundred of them used up its files.
    #[test]
    fn a_connection_that_is_left_half_open_is_let_go() {
        let limit = Duration::from_millis(100);
        let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\n";
        assert_eq!(left_half_open("", limit), "");
        left_half_open(head, limit);
        let half = left_half_open(&format!("{head}Content-Length: 10\r\n\r\nhalf"), limit);
        assert!(half.starts_with("HTTP/1.1 408"), "{half}");
        // One that was answered, and is silent since, is let go as well.
        let whole = left_half_open(&format!("{head}Content-Length: 4\r\n\r\nfull"), limit);
        assert!(whole.starts_with("HTTP/1.1 200") && whole.ends_with("full"), "{whole}");
    }

    #[test]
    fn only_our_own_names_are_answered_and_only_pages_of_ours_may_ask() {
        use header::{HOST, ORIGIN};
        let table: &[(Pairs<'_>, Option<u16>)] = &[
            (&[(HOST, "127.0.0.1:4100")], None),
            (&[(HOST, "localhost")], None),
            (&[(HOST, "[::1]:4100")], None),
            (&[(HOST, "KEN.example:443")], None),
            (&[(HOST, "evil.example")], Some(403)),
            (&[(HOST, "evil.example:4100")], Some(403)),
            (&[(HOST, "localhost.evil.example")], Some(403)),
            (&[(HOST, "127.0.0.1.evil.example:4100")], Some(403)),
            (&[(HOST, ":4100")], Some(403)),
            (&[], Some(403)),
            (&[(HOST, "localhost:4100"), (ORIGIN, "http://localhost:4100")], None),
            (&[(HOST, "localhost:4100"), (ORIGIN, "http://localhost:5173")], Some(403)),
            (&[(HOST, "localhost"), (HOST, "evil.example")], Some(400)),
            (&[(HOST, "localhost"), (ORIGIN, "https://evil.example")], Some(403)),
            (&[(HOST, "localhost"), (ORIGIN, "http://localhost@evil.example")], Some(403)),
            (&[(HOST, "localhost"), (ORIGIN, "null")], Some(403)),
            (&[(HOST, "localhost"), (ORIGIN, "")], Some(403)),
        ];
        for (given, wanted) in table {
            let objection = gate(None).objection(&headers(given)).map(|(status, _)| status.as_u16());
            assert_eq!(objection, *wanted, "{given:?}");
        }
    }

    #[test]
    fn a_token_is_asked_for_before_anything_else_is_done() {
        use header::{AUTHORIZATION, HOST};
        let token = "a-long-enough-token";
        let table: &[(Option<&str>, Option<u16>)] = &[
            (None, Some(401)),
            (Some("Bearer a-long-enough-token"), None),
            (Some("bearer a-long-enough-token"), None),
            (Some("Bearer a-long-enough-toke"), Some(401)),
            (Some("Bearer "), Some(401)),
            (Some("Basic a-long-enough-token"), Some(401)),
        ];
        for (shown, wanted) in table {
            let mut given = vec![(HOST, "localhost")];
            given.extend(shown.map(|shown| (AUTHORIZATION, shown)));
            let objection = gate(Some(token)).objection(&headers(&given)).map(|(status, _)| status.as_u16());
            assert_eq!(objection, *wanted, "{shown:?}");
        }
    }
}
