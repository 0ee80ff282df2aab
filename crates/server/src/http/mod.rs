//! One server for programs and browsers: MCP, the API under `/api/v1` and the pages, on the loopback, or anywhere with tokens.

mod connections;
mod gate;
mod health;
mod notices;
mod pages;
pub(crate) mod policy;
mod sessions;

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::get;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use kenning::core::{Code, Refusal};
use kenning::{Error, Result, Secret};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::watch;
use tower_service::Service;

use crate::door::{ServedStore, Settings};
use crate::limits::{
    ACCEPT_PAUSE, BODY_BYTES_MAX, BODY_TIME, HEAD_BYTES_MAX, HEADER_TIME, HEADERS_MAX, MAINTAIN_PAUSE,
    SESSIONS_MAX, STOP_TIME,
};
use crate::mcp::Server;
use crate::rest::{Problem, Site};
use crate::shared::Deed;

pub(crate) use connections::{Busy, Connections};
pub(crate) use gate::{Gate, Peer, Principal, same};
pub(crate) use health::Metrics;
pub use notices::Notify;
use policy::Entrance;
pub use sessions::Sessions;

/// Where to listen, and to whom.
pub struct Listen {
    /// The address; port 0 takes a free one.
    pub address: SocketAddr,
    /// A token that opens the server beside those of the clone.
    pub token: Option<Secret>,
    /// Names that the server may be called by, beside the loopback's and the address.
    pub hosts: Vec<String>,
    /// Serve MCP, and neither API nor pages.
    pub only_mcp: bool,
    /// Who is told, outside the browser, that something waits for a person.
    pub notify: Option<Notify>,
}

/// A server that can be reached.
pub struct Serving {
    pub address: SocketAddr,
    /// Where links and the terminal begin and confirm sessions.
    pub sessions: Arc<Sessions>,
    /// What `ken open` shows to be given a link.
    pub key: Secret,
}

impl Serving {
    /// A link that begins one session in a browser of this machine; elsewhere a session begins with a token.
    pub fn link(&self) -> Result<Option<String>> {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(std::net::IpAddr::from([127, 0, 0, 1]));
        }
        if !address.ip().is_loopback() {
            return Ok(None);
        }
        Ok(Some(format!("http://{address}/login?key={}", self.sessions.link()?)))
    }
}

/// The place of the protocol.
const MCP_PATH: &str = "/mcp";
/// A shorter token is a password, and can be guessed.
const TOKEN_CHARS_MIN: usize = 16;

/// Serves until somebody presses Ctrl-C or asks the process to end. `ready` is told once it can be reached.
pub fn serve(settings: Settings, mut listen: Listen, ready: impl FnOnce(Serving)) -> Result<()> {
    let state = settings.state();
    let has_tokens = || {
        let access = state.clone().map(kenning::access::Access::of);
        let tokens = access.map(|access| access.list(settings.identity.time()));
        tokens.and_then(Result::ok).is_some_and(|tokens| tokens.iter().any(|token| token.state == "valid"))
    };
    // On the loopback a link opens the browser; programs have no other way in than a token.
    let is_public = !listen.address.ip().is_loopback();
    if (is_public || listen.only_mcp) && listen.token.is_none() && !has_tokens() {
        let make = "make one with `ken token add NAME --role writer`, or give one with --token-file FILE or KEN_TOKEN";
        let (message, hint, field) = match is_public {
            true => (
                format!("{} can be reached from elsewhere, and there is no token", listen.address),
                make.to_owned(),
                "listen",
            ),
            false => (
                "clients of MCP over HTTP show a token, and there is none".to_owned(),
                format!("{make}; `ken mcp` serves one agent over standard input and output, without a token"),
                "token",
            ),
        };
        return Err(Refusal::new(Code::NotAllowed, message).hint(hint).field(field).into());
    }
    if listen.token.as_ref().is_some_and(|token| token.reveal().chars().count() < TOKEN_CHARS_MIN) {
        let message = format!("the token is too short; at least {TOKEN_CHARS_MIN} characters are required");
        return Err(Refusal::new(Code::Invalid, message).field("token").into());
    }
    let key = Secret::new(kenning::access::random_hex()?);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(Error::failed("starting the server"))?;
    runtime.block_on(async {
        let doing = format!("listening on {}", listen.address);
        let socket = tokio::net::TcpListener::bind(listen.address).await.map_err(Error::failed(doing))?;
        let address = socket.local_addr().map_err(Error::failed("finding the address"))?;
        let sessions = Arc::new(Sessions::default());
        let gate = Gate::new(&listen, address, &settings, sessions.clone());
        let (stop, stopping) = watch::channel(false);
        let site = Site::new(ServedStore::new(settings), gate, key.clone(), stopping.clone());
        if let Some(notify) = listen.notify.take() {
            tokio::spawn(notices::watch(site.clone(), notify));
        }
        tokio::spawn(maintain(site.clone()));
        let router = router(site, listen.only_mcp);
        ready(Serving { address, sessions, key });
        let connections = Arc::new(Connections::default());
        tokio::select! {
            () = accept(socket, router, HEADER_TIME, connections.clone(), stopping) => {}
            () = asked_to_end() => {}
        }
        // Nobody new is let in; what was begun is answered.
        let _ = stop.send(true);
        let _ = tokio::time::timeout(STOP_TIME, connections.are_gone()).await;
        Ok::<(), Error>(())
    })?;
    runtime.shutdown_background();
    Ok(())
}

/// Waits until the server stops.
pub(crate) async fn stops(stopping: &mut watch::Receiver<bool>) {
    let _ = stopping.wait_for(|stops| *stops).await;
}

/// Starts services now and then that are due and allowed.
async fn maintain(site: Arc<Site>) {
    let mut stopping = site.stopping.clone();
    loop {
        let door = site.door.clone();
        let _ = away(move || door.maintain()).await;
        tokio::select! {
            () = tokio::time::sleep(MAINTAIN_PAUSE) => {}
            () = stops(&mut stopping) => return,
        }
    }
}

/// Ctrl-C, or the signal that ends a process.
async fn asked_to_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut ends) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = ends.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

/// Takes connections for ever. Who does not say what it wants in time, or is silent between two requests, is let go: a connection that was
/// left half open would be held until the process ends. Where no place is free, the one that was silent longest makes room.
async fn accept(
    socket: tokio::net::TcpListener,
    router: Router,
    header_time: Duration,
    connections: Arc<Connections>,
    stopping: watch::Receiver<bool>,
) {
    let mut protocol = http1::Builder::new();
    protocol
        .timer(TokioTimer::new())
        .header_read_timeout(header_time)
        .max_headers(HEADERS_MAX)
        .max_buf_size(HEAD_BYTES_MAX);
    loop {
        let (stream, peer) = match socket.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                use std::io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
                // Whoever came has gone again.
                if !matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset) {
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
                continue;
            }
        };
        let Some(place) = connections.enter() else { continue };
        let (busy, dismissed) = (place.busy.clone(), place.dismissed.clone());
        let router = router.clone();
        let service = hyper::service::service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(Peer(peer.ip()));
            request.extensions_mut().insert(busy.clone());
            let working = busy.begin();
            let answer = router.clone().call(request);
            async move {
                let answer = answer.await;
                drop(working);
                answer
            }
        });
        let connection = protocol.serve_connection(TokioIo::new(stream), service);
        let mut stopping = stopping.clone();
        tokio::spawn(async move {
            let mut connection = pin!(connection);
            tokio::select! {
                // What a client does to its connection is no failure of ours.
                _ = connection.as_mut() => {}
                () = dismissed.notified() => {}
                () = stops(&mut stopping) => {
                    connection.as_mut().graceful_shutdown();
                    let _ = connection.await;
                }
            }
            drop(place);
        });
    }
}

/// Reads the body before anybody works on it, and not for longer than it may take.
async fn in_time(limit: Duration, request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    let problem = match tokio::time::timeout(limit, axum::body::to_bytes(body, BODY_BYTES_MAX)).await {
        Ok(Ok(bytes)) => return next.run(Request::from_parts(head, Body::from(bytes))).await,
        Ok(Err(_)) => {
            let message = "the request is too long, or ended early";
            Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_long", message)
                .hint(format!("a request may have {BODY_BYTES_MAX} bytes"))
        }
        Err(_) => {
            let message = "the request took too long to arrive";
            Problem::new(StatusCode::REQUEST_TIMEOUT, "too_slow", message)
        }
    };
    let mut response = problem.response();
    // The rest of it is not waited for.
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

fn router(site: Arc<Site>, only_mcp: bool) -> Router {
    let server = Server::new(site.door.clone());
    // The gate has looked at hosts and origins; the transport's own look is off, for it knows no token.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_json_response(true)
        .with_max_request_body_bytes(BODY_BYTES_MAX);
    let sessions = Arc::new(LocalSessionManager::default());
    let count = sessions.clone();
    let service = StreamableHttpService::new(move || Ok(server.for_connection()), sessions, config);
    let router = Router::new()
        .route_service(MCP_PATH, service)
        .route(health::LIVE, get(async || "ok\n"))
        .route(health::READY, get(health::ready))
        .route(health::METRICS, get(health::metrics));
    let router = match only_mcp {
        true => router.fallback(async || {
            let message = "this server was started for MCP alone, at /mcp";
            Problem::new(StatusCode::NOT_FOUND, "no_such_path", message).response()
        }),
        false => router.fallback(pages::answer),
    };
    router
        .with_state(site.clone())
        .layer(middleware::from_fn(|request: Request, next: Next| in_time(BODY_TIME, request, next)))
        .layer(middleware::from_fn(move |request: Request, next: Next| few(count.clone(), request, next)))
        .layer(middleware::from_fn_with_state(site.clone(), let_in))
        .layer(middleware::from_fn_with_state(site, health::count))
}

/// Who begins one conversation after the other is told to end some.
async fn few(sessions: Arc<LocalSessionManager>, request: Request, next: Next) -> Response {
    let begins = request.uri().path() == MCP_PATH && !request.headers().contains_key("mcp-session-id");
    if begins && sessions.sessions.read().await.len() >= SESSIONS_MAX {
        let message = "too many sessions; close one or retry later";
        return Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message).retry_after(60).response();
    }
    next.run(request).await
}

/// Looks at who asks before anybody reads the rest.
async fn let_in(State(site): State<Arc<Site>>, mut request: Request, next: Next) -> Response {
    let gate = &site.gate;
    if let Some(problem) = gate.objection(request.method(), request.uri(), request.headers()) {
        return problem.response();
    }
    let Some(Peer(peer)) = request.extensions().get::<Peer>().copied() else {
        return Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "failed", "the connection has no address")
            .response();
    };
    let entrance = Entrance::of(request.method(), request.uri().path());
    let principal = match entrance {
        Entrance::Key => None,
        Entrance::Open | Entrance::Token | Entrance::TokenOrSession | Entrance::Session => {
            match gate.principal(request.headers(), peer) {
                Ok(principal) => principal,
                Err(problem) => {
                    if problem.status == StatusCode::UNAUTHORIZED {
                        let deed =
                            || Deed { address: Some(peer), ..health::wrong_token(request.uri().path()) };
                        tokio::task::block_in_place(|| site.door.settings.record(deed));
                    }
                    return problem.response();
                }
            }
        }
    };
    // The pages answer a stranger with the sign-in page.
    if entrance != Entrance::Session && !entrance.admits(principal.as_ref()) {
        return entrance.closed().response();
    }
    if let Some(principal) = principal {
        if !gate.is_patient(&principal) {
            let message = "too many requests";
            return Problem::new(StatusCode::TOO_MANY_REQUESTS, "too_many_requests", message)
                .retry_after(1)
                .response();
        }
        request.extensions_mut().insert(principal);
    }
    next.run(request).await
}

/// Works away from the loop that talks.
pub(crate) async fn away<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> std::result::Result<T, Problem> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        let message = format!("the call was aborted: {error}");
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "failed", message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let (_stop, stopping) = watch::channel(false);
        runtime.spawn(accept(socket, answers, limit, Arc::default(), stopping));
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
}
