//! Server-sent events: what changes in the store, as it changes. A client that comes back with `Last-Event-ID` misses nothing.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use http_body::Frame;
use serde_json::{Map, Value, json};
use tokio::sync::{broadcast, mpsc};

use super::{Problem, Site, query};
use crate::http::{Busy, Principal, stops};
use crate::limits::{FEED_EVENTS_MAX, FEED_PAUSE, FEED_PULSE, FEED_WAITING_MAX, LISTENERS_MAX};

/// What changed, for all who listen.
pub(crate) struct Feed {
    told: broadcast::Sender<Arc<News>>,
    listeners: AtomicUsize,
    /// Somebody asks the store for all of them.
    is_asking: AtomicBool,
}

impl Default for Feed {
    fn default() -> Feed {
        Feed {
            told: broadcast::channel(FEED_WAITING_MAX).0,
            listeners: AtomicUsize::new(0),
            is_asking: AtomicBool::new(false),
        }
    }
}

/// Some events, between two cursors.
#[derive(Debug)]
struct News {
    from: String,
    to: String,
    /// As they are sent.
    text: Bytes,
}

/// One who listens; the last one ends the asking.
struct Listener(Arc<Site>);

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.feed.listeners.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A stream of events, from the client's cursor on, else from now on.
pub(crate) async fn stream(
    site: &Arc<Site>,
    head: &Parts,
    principal: &Principal,
) -> Result<Response, Problem> {
    if site.feed.listeners.fetch_add(1, Ordering::SeqCst) >= LISTENERS_MAX {
        site.feed.listeners.fetch_sub(1, Ordering::SeqCst);
        return Err(
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", "too many clients listen").retry_after(60)
        );
    }
    let listener = Listener(site.clone());
    // Before the cursor is looked up: what happens meanwhile is heard.
    let heard = site.feed.told.subscribe();
    let last = head.headers.get("last-event-id").and_then(|value| value.to_str().ok()).map(str::to_owned);
    let is_cursor = |(name, _): &(String, String)| matches!(name.as_str(), "cursor" | "since");
    let given = query(head.uri.query().unwrap_or_default()).into_iter().find(is_cursor);
    let cursor = match last.or(given.map(|(_, cursor)| cursor)) {
        // A cursor that is none is told now, not in the stream.
        Some(cursor) if cursor != "now" => news(site, principal, &cursor, 1).await.map(|_| cursor)?,
        _ => news(site, principal, "now", 1).await?.to,
    };
    if !site.feed.is_asking.swap(true, Ordering::SeqCst) {
        tokio::spawn(ask(site.clone(), cursor.clone(), principal.clone()));
    }
    let (send, receive) = mpsc::channel(FEED_WAITING_MAX);
    // A stream is work: it makes no room for others.
    let working = head.extensions.get::<Busy>().map(Busy::begin);
    let (site, principal, headers) = (site.clone(), principal.clone(), head.headers.clone());
    tokio::spawn(async move {
        let _ = tell(&site, &principal, &headers, cursor, heard, &send).await;
        drop((listener, working));
    });
    let mut response = Response::new(Body::new(Stream(receive)));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

/// Asks the store for what changed, as long as somebody listens.
async fn ask(site: Arc<Site>, mut cursor: String, principal: Principal) {
    let mut stopping = site.stopping.clone();
    loop {
        if site.feed.listeners.load(Ordering::SeqCst) == 0 {
            site.feed.is_asking.store(false, Ordering::SeqCst);
            // Whoever came just now found somebody asking.
            let nobody_came = site.feed.listeners.load(Ordering::SeqCst) == 0;
            if nobody_came || site.feed.is_asking.swap(true, Ordering::SeqCst) {
                return;
            }
        }
        tokio::select! {
            () = tokio::time::sleep(FEED_PAUSE) => {}
            () = stops(&mut stopping) => return,
        }
        let Ok(news) = news(&site, &principal, &cursor, FEED_EVENTS_MAX).await else { continue };
        if news.from != news.to {
            cursor.clone_from(&news.to);
            let _ = site.feed.told.send(Arc::new(news));
        }
    }
}

/// Tells one client, until it goes, is too slow, its token is revoked or its session ends, or the server stops.
async fn tell(
    site: &Arc<Site>,
    principal: &Principal,
    headers: &HeaderMap,
    mut cursor: String,
    mut heard: broadcast::Receiver<Arc<News>>,
    send: &mpsc::Sender<Bytes>,
) -> Result<(), mpsc::error::SendTimeoutError<Bytes>> {
    let mut stopping = site.stopping.clone();
    let said = |text: Bytes| send.send_timeout(text, FEED_PULSE);
    said(Bytes::from(format!("retry: 2000\nid: {cursor}\n\n"))).await?;
    // What it missed comes first, by itself.
    loop {
        let Ok(missed) = news(site, principal, &cursor, FEED_EVENTS_MAX).await else { break };
        if missed.from == missed.to {
            break;
        }
        cursor.clone_from(&missed.to);
        said(missed.text).await?;
    }
    loop {
        let pulse = tokio::time::sleep(FEED_PULSE);
        let told = tokio::select! {
            told = heard.recv() => Some(told),
            () = pulse => None,
            () = stops(&mut stopping) => return Ok(()),
            () = send.closed() => return Ok(()),
        };
        if !site.gate.still_admits(headers) {
            return Ok(());
        }
        match told {
            Some(Ok(news)) if news.from == cursor => {
                cursor.clone_from(&news.to);
                said(news.text.clone()).await?;
            }
            // Something else: it was told already, or some was missed.
            Some(Ok(_) | Err(broadcast::error::RecvError::Lagged(_))) => {
                let Ok(missed) = news(site, principal, &cursor, FEED_EVENTS_MAX).await else { continue };
                if missed.from != missed.to {
                    cursor.clone_from(&missed.to);
                    said(missed.text).await?;
                }
            }
            Some(Err(broadcast::error::RecvError::Closed)) => return Ok(()),
            None => said(Bytes::from_static(b": still here\n\n")).await?,
        }
    }
}

/// What happened since a cursor.
async fn news(site: &Arc<Site>, principal: &Principal, cursor: &str, limit: usize) -> Result<News, Problem> {
    let (principal, from) = (principal.clone(), cursor.to_owned());
    let answer = site.work(true, move |site| {
        let row = kenning::table::find("events").ok_or_else(|| {
            Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "failed", "there are no events")
        })?;
        let given = Map::from_iter([("cursor".to_owned(), json!(from)), ("limit".to_owned(), json!(limit))]);
        site.run(&principal, row, given).map(|outcome| outcome.answer)
    });
    let answer = answer.await??;
    let to = answer["position"].as_str().unwrap_or_default().to_owned();
    let mut text = String::new();
    for event in answer["items"].as_array().into_iter().flatten() {
        let part = |name: &str| event[name].as_str().unwrap_or_default();
        let data = json!({
            "id": part("hash"), "entry": event["entry"], "type": part("type"), "at": part("at"), "actor": part("actor"),
        });
        // A name has no line breaks; whatever is in the data is JSON on one line.
        let kind: String = part("type").chars().filter(|c| !c.is_control()).collect();
        text.push_str(&format!("event: {kind}\ndata: {data}\nid: {}\n\n", part("cursor")));
    }
    let from = if cursor == "now" { to.clone() } else { cursor.to_owned() };
    Ok(News { from, to, text: Bytes::from(text) })
}

/// A body that is sent as it is said.
struct Stream(mpsc::Receiver<Bytes>);

impl http_body::Body for Stream {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|said| said.map(|said| Ok(Frame::data(said))))
    }
}

/// The data of an event, for the document of the API.
pub(crate) fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "id": {"type": "string", "description": "The event's content hash"},
            "entry": {"type": ["string", "null"], "description": "The key of the entry it is about"},
            "type": {"type": "string", "description": "Its family and name, such as entry.added"},
            "at": {"type": "string", "format": "date-time"},
            "actor": {"type": "string"},
        },
        "required": ["id", "entry", "type", "at", "actor"],
    })
}
