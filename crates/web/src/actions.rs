//! What forms do: each calls one verb, then shows the page it was sent from.

use serde_json::{Map, Value, json};

use crate::answers::{Entry, Promotion, Quarantined, Queue};
use crate::ask::{ask, run};
use crate::layout::{Done, Notice, Refused, changed, place_of};
use crate::pages::{self, approval, judging};
use crate::parts::{entry_address, escaped, shown};
use crate::visit::{Problem, Reply, Visit, field};

type Form<'a> = &'a [(String, String)];

/// A verb to call, and where its result is shown.
struct Action {
    verb: &'static str,
    given: Value,
    /// The page that shows what was done.
    back: String,
    /// The word by which that page says so.
    done: &'static str,
    undo: bool,
    /// Where on that page, if the word for it does not tell.
    place: Option<String>,
}

/// Does what a form says.
pub(crate) fn act(visit: &Visit<'_>, form: Form<'_>) -> Reply {
    let action = match action(visit, form) {
        Ok(action) => action,
        Err(problem) => return refused(visit, form, &back_of(visit, form), problem),
    };
    let answer = match run(visit, action.verb, action.given) {
        Ok(answer) => answer,
        Err(problem) => return refused(visit, form, &action.back, problem),
    };
    if answer.rejects {
        let problem = Problem::new(422, "rejected", why_rejected(&answer.value));
        return refused(visit, form, &action.back, problem);
    }
    // Without a script the browser asks for the page itself; the address says what was done, and where on the page that is told.
    if visit.target.is_none() {
        let joint = if action.back.contains('?') { '&' } else { '?' };
        let place = action.place.map(|place| format!("&place={}", escaped(&place))).unwrap_or_default();
        return Reply::see_other(format!("{}{joint}done={}{place}#done", action.back, action.done));
    }
    // Where nothing was written, the last change is another one.
    let undo = action.undo && answer.value.get("outcome").is_none_or(|outcome| outcome != "unchanged");
    let told = ruled(&answer.value).or_else(|| proposal(&answer.value)).or_else(|| maintained(&answer.value));
    let text = told.unwrap_or_else(|| changed(&serde_json::from_value(answer.value).unwrap_or_default()));
    let place = action.place.unwrap_or_else(|| place_of(action.done).to_owned());
    show(visit, &action.back, Notice::Done(Done { text, undo, place, in_place: true }))
}

/// The page that a form is on, with what was typed and why it was refused: in the form, at the top of a page that no longer has it, or on a
/// page of its own.
fn refused(visit: &Visit<'_>, form: Form<'_>, back: &str, problem: Problem) -> Reply {
    for in_form in [true, false] {
        let refused =
            Refused { problem: problem.clone(), form: name_of(visit, form), fields: form.to_vec(), in_form };
        let reply = show(visit, back, Notice::Refused(refused));
        if reply.body.contains(PROBLEM) {
            return reply;
        }
    }
    pages::failure(visit, problem)
}

/// What a page has that says why a form was refused.
const PROBLEM: &str = "id=\"problem\"";

/// The name by which a page knows a form that was sent.
fn name_of(visit: &Visit<'_>, form: Form<'_>) -> String {
    let path: Vec<&str> = visit.path.trim_matches('/').split('/').collect();
    match path.as_slice() {
        // Two buttons of one form.
        ["entries", .., "retract"] => "archive".to_owned(),
        ["entries", .., what] => (*what).to_owned(),
        ["promotions", id, _] => (*id).to_owned(),
        ["queue"] => judging(field(form, "item").unwrap_or_default()),
        _ => visit.path.to_owned(),
    }
}

/// The page of an address, with a notice.
fn show(visit: &Visit<'_>, back: &str, notice: Notice) -> Reply {
    let (path, query) = back.split_once('?').unwrap_or((back, ""));
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let query: Vec<(String, String)> =
        pairs.map(|(name, value)| (unescaped(name), unescaped(value))).collect();
    let path = unescaped(path);
    let there = Visit { path: &path, query: &query, form: None, ..*visit };
    pages::page(&there, Some(notice))
}

fn unescaped(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.bytes());
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let digits = [rest.next(), rest.next()]
                    .map(|digit| digit.map(char::from).and_then(|digit| digit.to_digit(16)));
                if let [Some(high), Some(low)] = digits {
                    bytes.push((high * 16 + low) as u8);
                }
            }
            other => bytes.push(other),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Where a form was sent from: a page of ours, and nothing else.
fn back_of(visit: &Visit<'_>, form: Form<'_>) -> String {
    let path: Vec<&str> = visit.path.trim_matches('/').split('/').collect();
    match path.as_slice() {
        ["entries", id @ .., _] if !id.is_empty() => entry_address(&id.join("/")),
        [section @ ("queue" | "norms" | "drift" | "health" | "forage"), ..] => format!("/{section}"),
        _ => match field(form, "back") {
            Some(back) if back.starts_with('/') && !back.starts_with("//") && !back.contains('\\') => {
                back.to_owned()
            }
            _ => "/".to_owned(),
        },
    }
}

fn action(visit: &Visit<'_>, form: Form<'_>) -> Result<Action, Problem> {
    let path: Vec<&str> = visit.path.trim_matches('/').split('/').collect();
    let back = back_of(visit, form);
    let said = |name: &str| field(form, name).map(str::to_owned);
    let reason = || said("reason").unwrap_or_default();
    let made = |verb, given, done, undo| Action { verb, given, back: back.clone(), done, undo, place: None };
    Ok(match path.as_slice() {
        ["undo"] => Action { place: said("place"), ..made("undo", json!({}), "undo", false) },
        ["entries", id @ .., what] if !id.is_empty() => {
            let id = id.join("/");
            let kept = json!({"id": id, "reason": reason()});
            match *what {
                "confirm" => {
                    still_says(form, "confirmed", || {
                        ask(visit, "show", json!({"ids": [id]})).map(|entry: Entry| entry.words())
                    })?;
                    made("confirm", kept, "confirm", false)
                }
                "feedback" => {
                    let word = said("verdict").unwrap_or_default();
                    if !matches!(word.as_str(), "helpful" | "not_helpful") {
                        return Err(Problem::new(400, "invalid", "Say whether it helped or did not help."));
                    }
                    made("feedback", json!({"id": id, word: true, "reason": reason()}), "feedback", false)
                }
                "revise" => made("revise", revision(visit, &id, form)?, "revise", true),
                "supersede" => made(
                    "supersede",
                    json!({"old": id, "new": said("new"), "reason": reason()}),
                    "supersede",
                    true,
                ),
                "merge" => {
                    let given = json!({"id": id, "other": said("other"), "reason": reason()});
                    made("merge", given, "merge", true)
                }
                "unmerge" => made("unmerge", kept, "unmerge", true),
                "archive" if said("retract").is_some() => made("retract", kept, "retract", true),
                "archive" => made("archive", kept, "archive", true),
                "retract" => made("retract", kept, "retract", true),
                "restore" => made("restore", kept, "restore", true),
                "release" => {
                    still_says(form, "released", || {
                        let given = json!({"ids": [id], "quarantined": true});
                        ask(visit, "show", given).map(|held: Quarantined| held.words())
                    })?;
                    made("release", kept, "release", false)
                }
                "pin" => made("pin", json!({"id": id}), "pin", false),
                "unpin" => made("unpin", json!({"id": id}), "unpin", false),
                "mute" => made("mute", json!({"id": id}), "mute", false),
                "unmute" => made("unmute", json!({"id": id}), "unmute", false),
                "annotate" => {
                    let Some(text) = said("text") else {
                        return Err(Problem::new(
                            400,
                            "invalid",
                            "The annotation is empty. Write what it says.",
                        ));
                    };
                    made("annotate", json!({"id": id, "text": [text]}), "annotate", false)
                }
                "link" => {
                    let given = json!({"from": id, "relation": said("relation"), "to": said("to")});
                    made("link", given, "link", true)
                }
                "promote" => {
                    let given = json!({"id": id, "to": said("to"), "type": said("type"), "reason": reason()});
                    made("promote", given, "promote", false)
                }
                _ => return Err(unknown(visit)),
            }
        }
        ["queue"] => {
            let given = json!({"item": said("item"), "answer": said("answer"), "reason": said("reason").unwrap_or_else(|| "judged in the browser".to_owned())});
            let back = match field(form, "at").and_then(|at| at.parse::<usize>().ok()) {
                Some(at) => format!("/queue?at={at}"),
                None => "/queue".to_owned(),
            };
            Action { back, ..made("queue", given, "answer", true) }
        }
        ["queue", "accept"] => {
            let given = json!({"accept": true, "fail_on": "never"});
            Action { back: "/search?verdict=moved".to_owned(), ..made("check", given, "accept", true) }
        }
        ["promotions", id, "approve"] => {
            // Whoever approves on a page has read the words that it showed.
            let Some(words) = said("words") else {
                let message = "This form does not say which words it approves, so nothing was approved.";
                let hint = Some("Open the page again, read the proposal, and approve it there.".to_owned());
                return Err(Problem { hint, ..Problem::new(400, "invalid", message) });
            };
            let given = json!({"promotion": id, "words": words});
            Action {
                back: page_of(form),
                place: row(form),
                ..made("promote approve", given, "approve", false)
            }
        }
        ["promotions", id, "reject"] => {
            let given = json!({"promotion": id, "reason": reason()});
            Action { back: page_of(form), place: row(form), ..made("promote reject", given, "reject", false) }
        }
        ["health", "maintain"] => made("maintain", json!({"service": said("service")}), "maintain", true),
        ["forage", "override"] => {
            let given = json!({"domain": said("domain"), "action": said("decision"), "reason": reason()});
            made("forage override", given, "override", false)
        }
        ["drift", "prune"] => made("drift", json!({"prune": true, "yes": true}), "prune", true),
        _ => return Err(unknown(visit)),
    })
}

/// Where in the list the proposal stood that a form answered: the next one stands there now.
fn row(form: Form<'_>) -> Option<String> {
    field(form, "at").and_then(|at| at.parse::<usize>().ok()).map(approval)
}

/// Refuses what was said of words that were reworded since the page was made: nobody has read the new ones.
fn still_says(
    form: Form<'_>,
    done: &str,
    words: impl FnOnce() -> Result<String, Problem>,
) -> Result<(), Problem> {
    let Some(seen) = field(form, "seen") else { return Ok(()) };
    if seen == words()? {
        return Ok(());
    }
    let message = format!("This entry was reworded since you opened the page, so nothing was {done}.");
    let hint = Some("The page shows it as it is now: read it, then decide again.".to_owned());
    Err(Problem { hint, ..Problem::new(412, "changed", message) })
}

/// The page that a form about a proposal is on: the queue, or the norms.
fn page_of(form: Form<'_>) -> String {
    match field(form, "back") {
        Some("/norms") => "/norms".to_owned(),
        _ => "/queue".to_owned(),
    }
}

fn unknown(visit: &Visit<'_>) -> Problem {
    Problem::new(404, "not_found", format!("There is no form {}.", visit.path))
}

/// What a revision changes: the form has the whole entry, the verb takes what is different.
fn revision(visit: &Visit<'_>, id: &str, form: Form<'_>) -> Result<Value, Problem> {
    let entry: Entry = ask(visit, "show", json!({"ids": [id]}))?;
    // Whoever saves over what somebody else wrote meanwhile would not know it.
    if field(form, "seen").is_some_and(|seen| seen != entry.fingerprint()) {
        let message = "Somebody changed this entry since you opened the page, so nothing was written.";
        let hint = "The page shows it as it is now, and this form has what you typed: saving it writes your text over theirs.";
        let hint = Some(hint.to_owned());
        return Err(Problem { hint, ..Problem::new(412, "changed", message) });
    }
    let mut given = Map::from_iter([("entry".to_owned(), json!(id))]);
    let (mut cleared, texts) =
        (Vec::new(), [("title", &entry.title), ("statement", &entry.statement), ("detail", &entry.detail)]);
    for (name, was) in texts {
        // Browsers send line ends as CR LF.
        let Some((_, is)) = form.iter().find(|(field, _)| field == name) else { continue };
        let is = is.replace("\r\n", "\n");
        match is.trim() {
            same if same == was.trim() => {}
            "" => cleared.push(name),
            changed => drop(given.insert(name.to_owned(), json!(changed))),
        }
    }
    if let Some((_, tags)) = form.iter().find(|(field, _)| field == "tags") {
        let tags: Vec<&str> = tags.split(',').map(str::trim).filter(|tag| !tag.is_empty()).collect();
        let added: Vec<&str> =
            tags.iter().copied().filter(|tag| !entry.tags.iter().any(|had| had == tag)).collect();
        let removed: Vec<&str> =
            entry.tags.iter().map(String::as_str).filter(|had| !tags.contains(had)).collect();
        given.insert("tag".to_owned(), json!(added));
        given.insert("untag".to_owned(), json!(removed));
    }
    let anchors: Vec<String> = entry.anchors.iter().map(|anchor| anchor.at.clone()).collect();
    let steps: Vec<String> = entry.verification.iter().map(shown).collect();
    for (name, flag, was) in [("anchors", "anchor", anchors), ("verification", "verify", steps)] {
        let Some((_, lines)) = form.iter().find(|(field, _)| field == name) else { continue };
        let is: Vec<&str> = lines.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        match is.is_empty() {
            _ if is == was => {}
            true => cleared.push(name),
            false => drop(given.insert(flag.to_owned(), json!(is))),
        }
    }
    given.extend(field(form, "evidence").map(|one| ("evidence".to_owned(), json!([one]))));
    given.insert("clear".to_owned(), json!(cleared));
    given.retain(|_, value| value.as_array().is_none_or(|list| !list.is_empty()));
    if given.len() == 1 {
        return Err(Problem::new(422, "unchanged", "Nothing was changed, so nothing was written."));
    }
    given.extend(field(form, "reason").map(|reason| ("reason".to_owned(), json!(reason))));
    Ok(Value::Object(given))
}

/// How a proposal stands now.
fn proposal(answer: &Value) -> Option<String> {
    let promotion: Promotion =
        serde_json::from_value(answer.clone()).ok().filter(|one: &Promotion| !one.proposer.is_empty())?;
    Some(match promotion.state.as_str() {
        "open" => format!("{} is proposed, and waits for an approver.", promotion.id),
        state => format!("{} is {state}.", promotion.id),
    })
}

/// What `queue` did with an answer.
fn ruled(answer: &Value) -> Option<String> {
    let queue: Queue = serde_json::from_value(answer.clone()).ok()?;
    let done: Vec<String> = queue.results.into_iter().map(|ruled| ruled.done).collect();
    (!done.is_empty()).then(|| done.join("; "))
}

/// What services did.
fn maintained(answer: &Value) -> Option<String> {
    let services = answer.get("services")?.as_array()?;
    let told = services.iter().map(|service| {
        let count = |name: &str| service.get(name).and_then(Value::as_array).map_or(0, Vec::len);
        let name = service.get("service").map(shown).unwrap_or_default().replace('_', " ");
        format!("{name}: {} changed, {} to look at", count("changes"), count("left"))
    });
    Some(told.collect::<Vec<_>>().join("; ")).filter(|text| !text.is_empty())
}

/// Why a verb that worked did not do it.
fn why_rejected(answer: &Value) -> String {
    let queue: Queue = serde_json::from_value(answer.clone()).unwrap_or_default();
    let refused: Vec<String> =
        queue.results.iter().filter(|ruled| !ruled.accepted).map(|ruled| ruled.done.clone()).collect();
    match (refused.is_empty(), answer.get("reasons")) {
        (false, _) => refused.join("; "),
        (true, Some(reasons)) => shown(reasons),
        (true, None) => "It was not done.".to_owned(),
    }
}
