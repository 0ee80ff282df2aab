//! Telling somebody outside the browser that something waits for a person.

use std::sync::Arc;

use axum::http::StatusCode;
use kenning::verb::Role;
use serde_json::{Map, Value, json};

use super::{Principal, stops};
use crate::limits::NOTICE_PAUSE;
use crate::rest::{Problem, Site};

/// Posts a notice somewhere, and says whether it arrived.
pub type Notify = Box<dyn Fn(&str) -> bool + Send + Sync>;

/// What waits, by the words of `ken status`, in the order in which a person is asked.
const WAITING: &[(&str, &str, &str)] = &[
    ("approvals", "approval", "approvals"),
    ("contradictions", "contradiction", "contradictions"),
    ("held", "edited or deleted file", "edited or deleted files"),
    ("drafts", "draft", "drafts"),
    ("duplicates", "possible duplicate", "possible duplicates"),
    ("rejected", "quarantined entry", "quarantined entries"),
];

/// Looks at what waits now and then, and tells when it became more. What waited already when the server began is told once.
pub(crate) async fn watch(site: Arc<Site>, notify: Notify) {
    let notify = Arc::new(notify);
    let mut stopping = site.stopping.clone();
    let mut told = Map::new();
    loop {
        if let Ok(waiting) = waiting(&site).await {
            let text = notice(&waiting, &told);
            let sent = match text {
                Some(text) => {
                    let notify = notify.clone();
                    super::away(move || notify(&text)).await.is_ok_and(|sent| sent)
                }
                None => true,
            };
            // What could not be sent is tried again, with what waits by then.
            if sent {
                told = waiting;
            }
        }
        tokio::select! {
            () = tokio::time::sleep(NOTICE_PAUSE) => {}
            () = stops(&mut stopping) => return,
        }
    }
}

/// What waits for a person, by kind.
async fn waiting(site: &Arc<Site>) -> Result<Map<String, Value>, Problem> {
    let principal = Principal {
        name: "webhook".to_owned(),
        role: Role::Reader,
        token: None,
        person: None,
        session: None,
        peer: None,
    };
    let answer = site.work(true, move |site| {
        let row = kenning::table::find("status")
            .ok_or_else(|| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "failed", "there is no status"))?;
        site.run(&principal, row, Map::new()).map(|outcome| outcome.answer)
    });
    let answer = answer.await??;
    Ok(answer["waiting"].as_object().cloned().unwrap_or_default())
}

/// What is posted where more waits than was told; none where it does not. No word of an entry is in it: the address is somebody else's.
fn notice(waiting: &Map<String, Value>, told: &Map<String, Value>) -> Option<String> {
    let count =
        |counts: &Map<String, Value>, kind: &str| counts.get(kind).and_then(Value::as_u64).unwrap_or(0);
    if !WAITING.iter().any(|(kind, _, _)| count(waiting, kind) > count(told, kind)) {
        return None;
    }
    let parts: Vec<String> = WAITING
        .iter()
        .filter_map(|(kind, one, many)| match count(waiting, kind) {
            0 => None,
            1 => Some(format!("1 {one}")),
            number => Some(format!("{number} {many}")),
        })
        .collect();
    let mut body = json!({ "text": format!("Kenning: {} to decide. Run `ken queue`, or open /queue.", parts.join(", ")) });
    for (kind, _, _) in WAITING {
        body[*kind] = json!(count(waiting, kind));
    }
    Some(body.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(pairs: &[(&str, u64)]) -> Map<String, Value> {
        pairs.iter().map(|(kind, count)| ((*kind).to_owned(), json!(count))).collect()
    }

    #[test]
    fn a_notice_says_what_became_more_and_nothing_else() {
        let none = Map::new();
        assert_eq!(notice(&counts(&[("drafts", 0)]), &none), None);
        let first = counts(&[("drafts", 3), ("approvals", 1), ("rejected", 0)]);
        let body: Value = serde_json::from_str(&notice(&first, &none).unwrap()).unwrap();
        assert_eq!(body["text"], "Kenning: 1 approval, 3 drafts to decide. Run `ken queue`, or open /queue.");
        assert_eq!((&body["approvals"], &body["duplicates"]), (&json!(1), &json!(0)));
        // The same, and less, is no news; more of anything is.
        assert_eq!(notice(&first, &first), None);
        assert_eq!(notice(&counts(&[("drafts", 2)]), &first), None);
        assert!(notice(&counts(&[("drafts", 1), ("approvals", 2)]), &first).is_some());
    }
}
