//! What those who run a server look at: whether it lives, whether it can serve, and how much it does (Prometheus text format).

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::MCP_PATH;
use crate::limits::REQUEST_BUCKETS;
use crate::rest::{Problem, Site, below};
use crate::shared::Deed;

/// Says that the process answers.
pub(super) const LIVE: &str = "/healthz";
/// Says whether requests can be served here.
pub(super) const READY: &str = "/readyz";
/// What is counted, for holders of a token.
pub(super) const METRICS: &str = "/metrics";

/// Requests that were answered, by door and status.
#[derive(Default)]
pub(crate) struct Metrics(Mutex<BTreeMap<(&'static str, u16), Tally>>);

/// Requests of one door and status.
#[derive(Clone, Copy, Default)]
struct Tally {
    count: u64,
    took: Duration,
    /// How many took at most as long as each of [`REQUEST_BUCKETS`].
    within: [u64; REQUEST_BUCKETS.len()],
}

/// The door of a path.
fn door_of(path: &str) -> &'static str {
    match path {
        MCP_PATH => "mcp",
        LIVE | READY | METRICS => "health",
        _ if below(path).is_some() => "api",
        _ => "page",
    }
}

/// What is written down of a call with a wrong token.
pub(super) fn wrong_token(path: &str) -> Deed {
    Deed {
        door: door_of(path),
        verb: "sign in".to_owned(),
        outcome: "unauthorized".to_owned(),
        ..Deed::default()
    }
}

/// Counts a request.
pub(super) async fn count(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    let (door, began) = (door_of(request.uri().path()), Instant::now());
    let response = next.run(request).await;
    site.metrics.count(door, response.status(), began.elapsed());
    response
}

impl Metrics {
    fn count(&self, door: &'static str, status: StatusCode, took: Duration) {
        let mut tallies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let tally = tallies.entry((door, status.as_u16())).or_default();
        tally.count += 1;
        tally.took += took;
        for (within, most) in tally.within.iter_mut().zip(REQUEST_BUCKETS) {
            *within += u64::from(took <= most);
        }
    }

    /// What was counted, as Prometheus reads it.
    fn text(&self, progress: Option<(i64, i64)>) -> String {
        let tallies = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut text = String::from(
            "# HELP ken_request_seconds How long requests took.\n# TYPE ken_request_seconds histogram\n",
        );
        for ((door, status), tally) in &tallies {
            let labels = format!("door=\"{door}\",status=\"{status}\"");
            for (within, most) in tally.within.iter().zip(REQUEST_BUCKETS) {
                let most = most.as_secs_f64();
                let _ = writeln!(text, "ken_request_seconds_bucket{{{labels},le=\"{most}\"}} {within}");
            }
            let Tally { count, took, .. } = tally;
            let _ = writeln!(text, "ken_request_seconds_bucket{{{labels},le=\"+Inf\"}} {count}");
            let _ = writeln!(text, "ken_request_seconds_sum{{{labels}}} {}", took.as_secs_f64());
            let _ = writeln!(text, "ken_request_seconds_count{{{labels}}} {count}");
        }
        if let Some((position, known)) = progress {
            for (name, help, value) in [
                ("ken_log_position", "Batches that the log of the workspace has.", position),
                ("ken_node_position", "Batches that this node has taken in.", known),
            ] {
                let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}");
            }
        }
        text
    }
}

/// Asks the store that several servers share, where there is one.
async fn progress(site: &Arc<Site>) -> Result<Option<(i64, i64)>, Problem> {
    let site = site.clone();
    let asked =
        super::away(move || site.door.settings.shared.as_ref().map(|shared| shared.progress()).transpose());
    Ok(asked.await??)
}

/// Whether requests can be served: the server does not stop, and the database answers.
pub(super) async fn ready(State(site): State<Arc<Site>>) -> Response {
    if *site.stopping.borrow() {
        return (StatusCode::SERVICE_UNAVAILABLE, "the server stops\n").into_response();
    }
    match progress(&site).await {
        Ok(_) => "ok\n".into_response(),
        Err(problem) => (StatusCode::SERVICE_UNAVAILABLE, format!("{}\n", problem.message)).into_response(),
    }
}

pub(super) async fn metrics(State(site): State<Arc<Site>>) -> Response {
    // What was counted is told without the database, too.
    let progress = progress(&site).await.ok().flatten();
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], site.metrics.text(progress)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_door_and_status() {
        let metrics = Metrics::default();
        metrics.count(door_of("/api/v1/entries"), StatusCode::OK, Duration::from_millis(3));
        metrics.count(door_of("/api/v1/entries"), StatusCode::OK, Duration::from_secs(60));
        metrics.count(door_of("/mcp"), StatusCode::UNAUTHORIZED, Duration::ZERO);
        let text = metrics.text(Some((7, 6)));
        for line in [
            "ken_request_seconds_bucket{door=\"api\",status=\"200\",le=\"0.005\"} 1",
            "ken_request_seconds_bucket{door=\"api\",status=\"200\",le=\"+Inf\"} 2",
            "ken_request_seconds_count{door=\"mcp\",status=\"401\"} 1",
            "ken_log_position 7",
            "ken_node_position 6",
        ] {
            assert!(text.lines().any(|told| told == line), "{line} in\n{text}");
        }
    }
}
