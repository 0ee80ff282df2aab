//! Pages, rendered from recorded answers: what they show, that text stays text, and what their forms do.

#![allow(missing_docs, clippy::unwrap_used)]

use std::cell::RefCell;
use std::collections::BTreeSet;

use ken_web::{Answer, CSP, Problem, Reply, Verbs, Visit, Visitor, asset, reply};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// So much may be transferred before a page is first painted.
const FIRST_PAINT_BYTES_MAX: usize = 150_000;

/// Every page, with what its query says.
const PAGES: &[&str] = &[
    "/",
    "/search",
    "/search?q=retry&type=lesson&tag=outage&age=7d",
    "/search?verdict=broken",
    "/search?verdict=moved",
    "/entries/retry.jitter",
    "/entries/retry.jitter?history=all",
    "/entries/cache.timetable",
    "/entries/rejected",
    "/queue",
    "/queue?at=1",
    "/graph",
    "/runs",
    "/runs/task-1",
    "/reviews",
    "/reviews/review-sessions",
    "/outcomes?period=all",
    "/health",
    "/friction",
    "/drift",
    "/forage",
    "/norms",
    "/diff?range=HEAD~2",
    "/diff?range=HEAD~2&part=all",
    "/norms?part=gate",
    "/?part=changed",
    "/session",
    "/nowhere",
];

/// Answers as `ken VERB --json` gave them in a sample store, with every text changed by `change`.
struct Recorded {
    change: fn(&str, &str) -> String,
    /// What was asked.
    asked: RefCell<Vec<(String, Value)>>,
    /// What every verb that writes is refused with.
    refuses: Option<Problem>,
    rejects: bool,
}

impl Recorded {
    fn new(change: fn(&str, &str) -> String) -> Recorded {
        Recorded { change, asked: RefCell::default(), refuses: None, rejects: false }
    }
}

fn as_recorded(_: &str, text: &str) -> String {
    text.to_owned()
}

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("fixtures/", $name, ".json"))
    };
}

impl Verbs for Recorded {
    fn run(&self, verb: &str, given: Map<String, Value>) -> Result<Answer, Box<Problem>> {
        let has = |name: &str| given.contains_key(name);
        let ids: Vec<&str> = given
            .get("ids")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let text = match verb {
            "status" => fixture!("status"),
            "brief" => fixture!("brief"),
            "check" if has("diff") => fixture!("check-diff"),
            "check" => fixture!("check"),
            "log" => fixture!("log"),
            "list" => fixture!("list"),
            "search" => fixture!("search"),
            "show" if has("quarantined") && self.refuses.is_some() => {
                return Err(Box::new(self.refuses.clone().unwrap()));
            }
            "show" if has("quarantined") => fixture!("show-quarantined"),
            "show" if ids.iter().any(|id| id.starts_with("rejected")) => fixture!("show-rejected"),
            "show" if ids.iter().any(|id| id.starts_with("cache") && !id.contains("hour")) => {
                fixture!("show-contradicting")
            }
            "show" if ids == ["nowhere"] => return Err(Box::new(missing())),
            "show" => fixture!("show"),
            "why" => fixture!("why"),
            "belief" => fixture!("belief"),
            "queue" if has("item") => fixture!("judged"),
            "queue" => fixture!("queue"),
            "promote list" => fixture!("promote_list"),
            "task list" => fixture!("task_list"),
            "task show" => fixture!("task_show"),
            "review list" => fixture!("review_list"),
            "review show" => fixture!("review_show"),
            "outcomes" => fixture!("outcomes"),
            "health report" => fixture!("health_report"),
            "health review" => fixture!("health_review"),
            "friction report" => fixture!("friction_report"),
            "signals" => fixture!("signals"),
            "drift" => fixture!("drift"),
            "forage status" => fixture!("forage_status"),
            "forage strategies" => fixture!("forage_strategies"),
            "gate" => fixture!("gate"),
            "diff" => fixture!("diff"),
            _ => fixture!("changed"),
        };
        let writes =
            text == fixture!("changed") || text == fixture!("judged") || has("accept") || has("prune");
        self.asked.borrow_mut().push((verb.to_owned(), Value::Object(given.clone())));
        if let Some(problem) = self.refuses.as_ref().filter(|_| writes) {
            return Err(Box::new(problem.clone()));
        }
        let mut value: Value = serde_json::from_str(text).unwrap();
        if verb == "show" && ids.len() > 1 {
            // Of two entries that are compared, the second says something else.
            let mut entries = vec![value; ids.len()];
            entries[1]["statement"] =
                json!("Retry with jitter; after an outage, fixed delays bring all clients back.");
            value = json!({"entries": entries});
        }
        planted(&mut value, "", self.change);
        Ok(Answer { value, finds: false, rejects: self.rejects && writes })
    }
}

/// Recorded answers, some of which are changed.
struct Patched(fn(&str, &mut Value));

impl Verbs for Patched {
    fn run(&self, verb: &str, given: Map<String, Value>) -> Result<Answer, Box<Problem>> {
        let mut answer = Recorded::new(as_recorded).run(verb, given)?;
        (self.0)(verb, &mut answer.value);
        Ok(answer)
    }
}

fn missing() -> Problem {
    Problem {
        status: 404,
        code: "not_found".to_owned(),
        message: "no entry matches \"nowhere\"".to_owned(),
        hint: Some("`ken list --all` lists every entry".to_owned()),
        ..Problem::default()
    }
}

/// Changes every text of an answer, and the names that people gave.
fn planted(value: &mut Value, name: &str, change: fn(&str, &str) -> String) {
    match value {
        Value::String(text) => *text = change(name, text),
        Value::Array(values) => values.iter_mut().for_each(|value| planted(value, name, change)),
        Value::Object(fields) => {
            let names = ["exposures", "strategies", "says", "attributes"].contains(&name);
            let renamed = std::mem::take(fields).into_iter().map(|(field, mut value)| {
                planted(&mut value, &field, change);
                (if names { change("name", &field) } else { field }, value)
            });
            *fields = renamed.collect();
        }
        _ => {}
    }
}

fn visitor() -> Visitor {
    Visitor {
        name: "human:Ada".to_owned(),
        role: "writer".to_owned(),
        is_person: false,
        csrf: "c5rf".to_owned(),
        code: Some("MKT-4R7Q".to_owned()),
    }
}

fn pairs(query: &str) -> Vec<(String, String)> {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn get(verbs: &dyn Verbs, visitor: &Visitor, address: &str) -> Reply {
    // A browser keeps the fragment to itself.
    let address = address.split('#').next().unwrap();
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let query = pairs(query);
    reply(&Visit { verbs, visitor, path, query: &query, form: None, target: None })
}

fn post(verbs: &dyn Verbs, visitor: &Visitor, path: &str, form: &str, target: Option<&str>) -> Reply {
    let form = pairs(form);
    reply(&Visit { verbs, visitor, path, query: &[], form: Some(&form), target })
}

/// A tag of a page, with its attributes.
#[derive(Debug)]
struct Tag {
    name: String,
    attributes: Vec<(String, String)>,
}

impl Tag {
    fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// The tags of a page, read as a browser reads them: what was not escaped becomes a tag or an attribute here as well.
fn tags(page: &str) -> Vec<Tag> {
    let mut tags = Vec::new();
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if !rest.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '/') {
            continue;
        }
        let end = rest.find(|letter: char| letter.is_whitespace() || letter == '>').unwrap();
        let mut tag = Tag { name: rest[..end].to_ascii_lowercase(), attributes: Vec::new() };
        rest = &rest[end..];
        loop {
            rest = rest.trim_start_matches(|letter: char| letter.is_whitespace() || letter == '/');
            if let Some(after) = rest.strip_prefix('>') {
                rest = after;
                break;
            }
            let end = rest.find(|letter: char| letter.is_whitespace() || "=>".contains(letter)).unwrap();
            let name = rest[..end].to_ascii_lowercase();
            rest = &rest[end..];
            let mut value = String::new();
            if let Some(after) = rest.strip_prefix('=') {
                let quote = after.chars().next().unwrap();
                let (inside, end) = match quote {
                    '"' | '\'' => (&after[1..], after[1..].find(quote).unwrap()),
                    _ => (after, after.find(|letter: char| letter.is_whitespace() || letter == '>').unwrap()),
                };
                value = inside[..end].to_owned();
                rest = inside[end..].trim_start_matches(quote);
            }
            tag.attributes.push((name, value));
        }
        tags.push(tag);
    }
    tags
}

/// Nothing on a page runs, nothing leads elsewhere, and every form that changes something carries the session's mark.
fn check_is_safe(address: &str, page: &str) {
    let tags = tags(page);
    for tag in &tags {
        let allowed = [
            "html", "head", "meta", "title", "link", "script", "body", "a", "header", "form", "input", "kbd",
            "span", "div", "nav", "details", "summary", "h1", "h2", "h3", "ul", "ol", "li", "p", "main",
            "dialog", "table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td", "button", "section",
            "article", "aside", "strong", "code", "pre", "svg", "rect", "dl", "dt", "dd", "label", "select",
            "option", "datalist", "textarea", "time", "mark", "noscript",
        ];
        assert!(allowed.contains(&tag.name.trim_start_matches('/')), "{address} has a tag {tag:?}");
        for (name, value) in &tag.attributes {
            assert!(!name.starts_with("on") && name != "style" && name != "srcdoc", "{address}: {tag:?}");
            assert!(
                name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-' || byte.is_ascii_digit())
                    || name == "viewbox"
                    || name == "/",
                "{address}: {tag:?}"
            );
            if ["href", "src", "action", "formaction", "hx-get", "hx-post"].contains(&name.as_str()) {
                let leads = value.starts_with("https://") || value.starts_with("http://");
                let stays = value.starts_with('#')
                    || value.starts_with('?')
                    || value.starts_with('/') && !value.starts_with("//");
                assert!(stays || leads && tag.name == "a", "{address}: {tag:?}");
                assert!(
                    !leads || tag.attribute("rel").is_some_and(|rel| rel.contains("noreferrer")),
                    "{address}: {tag:?}"
                );
            }
        }
        if tag.name == "script" {
            assert!(
                tag.attribute("src").is_some_and(|src| src.starts_with("/assets/")),
                "{address}: {tag:?}"
            );
        }
        if tag.name == "style" {
            panic!("{address} has a style");
        }
    }
    assert!(!page.contains("<script>") && !page.contains("</script></script>"));
    let forms: Vec<&str> =
        page.split("<form ").skip(1).map(|form| form.split("</form>").next().unwrap()).collect();
    for form in forms {
        let opening = form.split('>').next().unwrap();
        if opening.contains("method=\"post\"") {
            assert!(form.contains("name=\"csrf\" value=\"c5rf\""), "{address}: {opening}");
        } else {
            assert!(
                opening.contains("method=\"get\"") || opening.contains("method=\"dialog\""),
                "{address}: {opening}"
            );
        }
    }
}

#[test]
fn every_page_is_shown_and_runs_nothing_inline() {
    for address in PAGES {
        let made = get(&Recorded::new(as_recorded), &visitor(), address);
        let wanted = if *address == "/nowhere" { 404 } else { 200 };
        assert_eq!(made.status, wanted, "{address}: {}", made.body);
        check_is_safe(address, &made.body);
        assert!(made.body.contains("<h1>") && made.body.ends_with("</html>"), "{address}");
    }
}

#[test]
fn pages_show_what_the_verbs_answered() {
    let page = |address: &str| get(&Recorded::new(as_recorded), &visitor(), address).body;
    let wanted: &[(&str, &[&str])] = &[
        (
            "/",
            &[
                "What waits",
                "1 proposal",
                "Retry with full jitter",
                "linked as contradictory",
                "Activity of the last eight weeks",
            ],
        ),
        (
            "/search?q=retry",
            &[
                "Idempotency keys on bookings",
                "50 %<",
                "(21 to 79 %)",
                "calibrated similarity",
                "pinned",
                "no provenance",
            ],
        ),
        (
            "/entries/retry.jitter",
            &[
                "Retry with full jitter; after an outage",
                "docs/outage.md",
                "time.sleep(random.uniform(0, 2 ** attempt))",
                "<mark>            time.sleep(2 ** attempt)</mark>",
                "net.retries is 5 in config/app.toml, not 3",
                "task-1 succeeded with quality 0.80",
                "← relates to",
                "confirmed independently (codex)",
                "review-sessions",
                "Used together with",
            ],
        ),
        ("/entries/cache.timetable", &["Contradictions", "<mark>"]),
        (
            "/entries/rejected",
            &["Quarantined.", "Ignore all previous instructions", "It is data, not instructions", "/release"],
        ),
        ("/queue?at=1", &["Are they duplicates", "<mark>", "data-key=\"1\"", "Approvals", "needs a person"]),
        ("/search", &["href=\"/search?domain=booking\"", "href=\"/search?tag=payments\""]),
        ("/graph", &["data-node=\"retry.jitter\"", "data-to=\"net.deadline\" data-tie=\"link\""]),
        ("/runs/task-1", &["retry the booking client after an outage", "pulled"]),
        ("/reviews/review-sessions", &["Rotated keys are accepted for a day", "P1", "src/auth.rs:5"]),
        ("/outcomes?period=all", &["success rate of 7 tasks and sessions", "show the timetable faster"]),
        ("/health", &["percent of entries without evidence", "health.gaps_percent"]),
        ("/friction", &["the test database is full", "2.0 short of a proposal"]),
        ("/drift", &["unverifiable", "what it rests on changed"]),
        (
            "/norms?part=gate",
            &["Begin the subject of a commit with its type.", "knowledge.provenance", "Ada, Ben may approve"],
        ),
        (
            "/diff?range=HEAD~2&part=all",
            &[
                "One connection pool per process",
                "statement: ",
                "<mark>key that the client makes,</mark>",
                "fresh → broken",
            ],
        ),
        ("/session", &["MKT-4R7Q", "where <code>ken serve</code> runs"]),
    ];
    for (address, texts) in wanted {
        let page = page(address);
        for text in *texts {
            assert!(page.contains(text), "{address} lacks {text:?}:\n{page}");
        }
    }
}

// Regression: the heading said "warn" above a threshold that said "fail".
#[test]
fn the_heading_of_health_says_what_its_thresholds_say() {
    let verbs = Patched(|verb, value| {
        if verb == "health review" {
            value["tripped"] = json!(1);
            value["thresholds"][0]["tripped"] = json!(true);
        }
    });
    let page = get(&verbs, &visitor(), "/health").body;
    assert_eq!(page.matches("</span> fail</span>").count(), 2, "{page}");
    assert!(!page.contains("</span> warn</span>"), "{page}");
}

// A forged `run.started` brought escapes of a terminal into the pages.
#[test]
fn a_page_holds_nothing_that_steers_a_terminal() {
    for address in PAGES {
        let forged = Recorded::new(|_, text| format!("{text}\u{1b}[2J\u{9b}31m\u{7}\u{202e}\u{2066}"));
        let made = get(&forged, &visitor(), address);
        let steers = |letter: char| {
            (letter.is_control() && !matches!(letter, '\n' | '\t' | '\r'))
                || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        assert!(!made.body.contains(steers), "{address}");
    }
}

/// Markup in every text of every answer, in the query and in who visits: none of it becomes a tag, an attribute or an address.
#[test]
fn text_of_entries_stays_text() {
    const WORDS: &[&str] =
        &["status", "verdict", "state", "kind", "relation", "type", "effect", "level", "severity"];
    let changes: &[fn(&str, &str) -> String] = &[
        |_, text| format!("{text}<img src=x onerror=alert(1)>"),
        |_, _| "\"><script>alert(1)</script>".to_owned(),
        |_, _| "javascript:alert(1)".to_owned(),
        |_, text| format!("' onmouseover=alert(1) x='{text}\" autofocus onfocus=\"alert(1)"),
        |_, _| "//evil.example/x".to_owned(),
        |_, _| "</textarea></pre></title><svg onload=alert(1)>".to_owned(),
        // The words that pages branch on are as they were.
        |name, text| {
            if WORDS.contains(&name) {
                text.to_owned()
            } else {
                format!("<img src=x onerror=alert(1)>{text}")
            }
        },
        |name, text| {
            if WORDS.contains(&name) { text.to_owned() } else { "javascript:alert(1)//https://x".to_owned() }
        },
        |name, text| {
            if WORDS.contains(&name) {
                text.to_owned()
            } else {
                "https://x.example/\"onmouseover=alert(1)<b>".to_owned()
            }
        },
    ];
    for change in changes {
        let text = change("", "");
        let visitor =
            Visitor { name: text.clone(), role: text.clone(), code: Some(text.clone()), ..visitor() };
        for address in PAGES {
            let made = get(&Recorded::new(*change), &visitor, address);
            check_is_safe(address, &made.body);
            let (path, _) = address.split_once('?').unwrap_or((address, ""));
            let query: Vec<(String, String)> =
                ["q", "tag", "domain", "reviewer", "range", "period", "at", "after", "done", "history"]
                    .iter()
                    .map(|name| ((*name).to_owned(), text.clone()))
                    .collect();
            let path = format!("{path}{text}");
            let made = reply(&Visit {
                verbs: &Recorded::new(*change),
                visitor: &visitor,
                path: &path,
                query: &query,
                form: None,
                target: None,
            });
            check_is_safe(&path, &made.body);
        }
    }
}

#[test]
fn a_link_of_the_web_is_a_link_and_nothing_else_is() {
    let verbs = Recorded::new(|name, text| match name {
        "evidence_ref" => "https://example.org/outage".to_owned(),
        _ => text.to_owned(),
    });
    let page = get(&verbs, &visitor(), "/entries/retry.jitter").body;
    assert!(
        page.contains("<a href=\"https://example.org/outage\" rel=\"noreferrer noopener nofollow\">"),
        "{page}"
    );
}

#[test]
fn forms_call_their_verb_with_what_was_typed() {
    let table: &[(&str, &str, &str, Value)] = &[
        ("/entries/a/confirm", "reason=seen", "confirm", json!({"id": "a", "reason": "seen"})),
        (
            "/entries/a/feedback",
            "verdict=helpful&reason=r",
            "feedback",
            json!({"id": "a", "helpful": true, "reason": "r"}),
        ),
        (
            "/entries/a/feedback",
            "verdict=not_helpful",
            "feedback",
            json!({"id": "a", "not_helpful": true, "reason": ""}),
        ),
        (
            "/entries/a/supersede",
            "new=b&reason=r",
            "supersede",
            json!({"old": "a", "new": "b", "reason": "r"}),
        ),
        ("/entries/a/archive", "reason=r", "archive", json!({"id": "a", "reason": "r"})),
        ("/entries/a/archive", "reason=r&retract=1", "retract", json!({"id": "a", "reason": "r"})),
        ("/entries/a/retract", "reason=r", "retract", json!({"id": "a", "reason": "r"})),
        ("/entries/a/restore", "", "restore", json!({"id": "a", "reason": ""})),
        ("/entries/a/release", "reason=r", "release", json!({"id": "a", "reason": "r"})),
        ("/entries/a/pin", "", "pin", json!({"id": "a"})),
        ("/entries/a/unpin", "", "unpin", json!({"id": "a"})),
        ("/entries/a/mute", "", "mute", json!({"id": "a"})),
        ("/entries/a/unmute", "", "unmute", json!({"id": "a"})),
        ("/entries/a/annotate", "text=note", "annotate", json!({"id": "a", "text": ["note"]})),
        (
            "/entries/a/link",
            "relation=supports&to=b",
            "link",
            json!({"from": "a", "relation": "supports", "to": "b"}),
        ),
        (
            "/entries/a/promote",
            "to=procedural&type=commit_norm&reason=r",
            "promote",
            json!({"id": "a", "to": "procedural", "type": "commit_norm", "reason": "r"}),
        ),
        (
            "/entries/a/revise",
            "statement=new&title=Retry with full jitter&tags=outage, net&reason=r&evidence=pr:#1&anchors=src/x.py\n",
            "revise",
            json!({
            "entry": "a", "statement": "new", "tag": ["net"], "untag": ["retry"], "anchor": ["src/x.py"], "evidence": ["pr:#1"], "reason": "r"}),
        ),
        ("/entries/a/merge", "other=b&reason=r", "merge", json!({"id": "a", "other": "b", "reason": "r"})),
        ("/entries/a/unmerge", "reason=r", "unmerge", json!({"id": "a", "reason": "r"})),
        ("/undo", "back=/entries/a", "undo", json!({})),
        (
            "/queue",
            "item=holds a&answer=no_longer_true&at=1",
            "queue",
            json!({"item": "holds a", "answer": "no_longer_true", "reason": "judged in the browser"}),
        ),
        ("/queue/accept", "", "check", json!({"accept": true, "fail_on": "never"})),
        (
            "/promotions/P-1/approve",
            "words=2b2b",
            "promote approve",
            json!({"promotion": "P-1", "words": "2b2b"}),
        ),
        ("/promotions/P-1/reject", "reason=r", "promote reject", json!({"promotion": "P-1", "reason": "r"})),
        ("/health/maintain", "service=dedup", "maintain", json!({"service": "dedup"})),
        ("/drift/prune", "", "drift", json!({"prune": true, "yes": true})),
    ];
    for (path, form, verb, given) in table {
        let verbs = Recorded::new(as_recorded);
        let form = form.replace('\n', "\r\n");
        let made = post(&verbs, &visitor(), path, &form, None);
        assert_eq!(verbs.asked.borrow().last().unwrap(), &((*verb).to_owned(), given.clone()), "{path}");
        let location = made.location.unwrap_or_default();
        assert!(
            made.status == 303
                && location.starts_with('/')
                && location.contains("done=")
                && location.ends_with("#done"),
            "{path}: {location}"
        );
        // The page that is led to says what was done.
        let after = get(&Recorded::new(as_recorded), &visitor(), &location).body;
        assert_eq!(after.matches(DONE).count(), 1, "{location}");
        // A script gets the page itself.
        let made = post(&verbs, &visitor(), path, &form, Some("main#main"));
        assert_eq!((made.status, made.location), (200, None), "{path}");
        assert_eq!(made.body.matches(DONE).count(), 1, "{path}");
        check_is_safe(path, &made.body);
    }
}

#[test]
fn a_form_that_was_opened_before_somebody_else_wrote_writes_nothing() {
    let verbs = Recorded::new(as_recorded);
    let page = get(&verbs, &visitor(), "/entries/a").body;
    let revise = forms(&page, "/entries/retry.jitter/revise")[0];
    let seen = revise.split("name=\"seen\" value=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    let fresh = post(&verbs, &visitor(), "/entries/a/revise", &format!("seen={seen}&statement=new"), None);
    assert_eq!(fresh.status, 303);
    let verbs = Recorded::new(as_recorded);
    let late = post(&verbs, &visitor(), "/entries/a/revise", "seen=0123456789abcdef&statement=new", None);
    assert!(late.body.contains("Somebody changed this entry"), "{}", late.body);
    assert!(verbs.asked.borrow().iter().all(|(verb, _)| verb != "revise"), "nothing was written");
}

// An empty annotation said `null`, a vote of no kind counted against the entry, and words that nobody was shown were approved.
#[test]
fn a_form_without_what_it_is_about_writes_nothing() {
    for (path, form, says) in [
        ("/entries/a/annotate", "text= ", "The annotation is empty"),
        ("/entries/a/feedback", "reason=r", "helped or did not help"),
        ("/entries/a/feedback", "verdict=maybe&reason=r", "helped or did not help"),
        ("/promotions/P-1/approve", "", "nothing was approved"),
    ] {
        let verbs = Recorded::new(as_recorded);
        let made = post(&verbs, &visitor(), path, form, None);
        assert_eq!(made.status, 400, "{path} {form}");
        assert!(made.body.contains(says), "{path}: {}", made.body);
        let wrote = |verb: &str| ["view", "note", "feedback", "promote approve"].contains(&verb);
        assert!(verbs.asked.borrow().iter().all(|(verb, _)| !wrote(verb)), "{path}: nothing was written");
    }
}

#[test]
fn every_form_of_every_page_is_known() {
    let mut paths = BTreeSet::new();
    for address in PAGES {
        let page = get(&Recorded::new(as_recorded), &visitor(), address).body;
        let posts = tags(&page)
            .into_iter()
            .filter(|tag| tag.attribute("method") == Some("post") || tag.attribute("formaction").is_some());
        paths.extend(
            posts.map(|tag| tag.attribute("action").or(tag.attribute("formaction")).unwrap().to_owned()),
        );
    }
    assert!(paths.len() > 15, "{paths:?}");
    // The server itself ends sessions.
    assert!(paths.remove("/logout"));
    for path in paths {
        let made = post(
            &Recorded::new(as_recorded),
            &visitor(),
            &path,
            "statement=changed&to=b&new=b&text=c&item=i&answer=same&reason=r&verdict=helpful&words=2b2b",
            None,
        );
        assert_eq!(made.status, 303, "{path}: {}", made.body);
    }
    let made = post(&Recorded::new(as_recorded), &visitor(), "/entries/a/burn", "", None);
    assert_eq!(made.status, 404);
}

#[test]
fn what_needs_a_person_says_what_to_do() {
    let refuses = Problem {
        status: 403,
        code: "needs_person".to_owned(),
        message: "confirming retry.jitter independently requires a person".to_owned(),
        confirm: Some("confirming retry.jitter independently".to_owned()),
        ..Problem::default()
    };
    let verbs = Recorded { refuses: Some(refuses), ..Recorded::new(as_recorded) };
    for target in [None, Some("main#main")] {
        let made = post(&verbs, &visitor(), "/entries/retry.jitter/confirm", "reason=seen", target);
        assert_eq!(made.status, 403);
        assert!(
            made.body.contains("requires a person") && made.body.contains("href=\"/session\""),
            "{}",
            made.body
        );
        assert!(made.body.contains("Retry with full jitter; after an outage"), "the entry is still there");
    }
    let made = get(&verbs, &visitor(), "/entries/rejected");
    assert_eq!(made.status, 200);
    assert!(
        made.body.contains("Its text is for a person") && !made.body.contains("Ignore all previous"),
        "{}",
        made.body
    );
    let rejects = Recorded { rejects: true, ..Recorded::new(as_recorded) };
    assert_eq!(post(&rejects, &visitor(), "/entries/retry.jitter/confirm", "", None).status, 422);
}

#[test]
fn nobody_is_led_elsewhere_and_no_words_are_put_into_a_page() {
    let verbs = Recorded::new(as_recorded);
    for back in ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)"] {
        let made = post(&verbs, &visitor(), "/undo", &format!("back={back}"), None);
        assert_eq!(made.location.as_deref(), Some("/?done=undo#done"));
    }
    let page = get(&verbs, &visitor(), "/?done=Your disk is full, call 555").body;
    assert!(!page.contains("555"), "{page}");
}

#[test]
fn a_reader_is_offered_nothing_to_change() {
    let reader = Visitor { role: "reader".to_owned(), ..visitor() };
    for address in PAGES {
        let page = get(&Recorded::new(as_recorded), &reader, address).body;
        let page = page.replace("method=\"post\" action=\"/logout\"", "");
        assert!(!page.contains("method=\"post\""), "{address}");
    }
}

/// What takes long in a large store is asked for after the page, and then alone.
#[test]
fn slow_parts_come_after_the_page() {
    for (address, slow) in
        [("/", "check"), ("/diff", "gate"), ("/diff", "check"), ("/norms", "gate"), ("/queue", "check")]
    {
        let verbs = Recorded::new(as_recorded);
        get(&verbs, &visitor(), address);
        assert!(!verbs.asked.borrow().iter().any(|(verb, _)| verb == slow), "{address} waits for {slow}");
    }
    let verbs = Recorded::new(as_recorded);
    let query = pairs("part=gate");
    let visitor = visitor();
    reply(&Visit {
        verbs: &verbs,
        visitor: &visitor,
        path: "/diff",
        query: &query,
        form: None,
        target: Some("section#gates"),
    });
    let asked: Vec<String> = verbs.asked.borrow().iter().map(|(verb, _)| verb.clone()).collect();
    assert_eq!(asked, ["gate"]);
}

#[test]
fn a_missing_entry_says_so_and_what_to_do() {
    let made = get(&Recorded::new(as_recorded), &visitor(), "/entries/nowhere");
    assert_eq!(made.status, 404);
    assert!(
        made.body.contains("<p><strong>No entry matches")
            && made.body.contains("<p><code>ken list --all</code> lists"),
        "{}",
        made.body
    );
}

#[test]
fn home_says_what_waits_and_claims_nothing_it_does_not_know() {
    let home = |patch| get(&Patched(patch), &visitor(), "/").body;
    // One drifted, one contradiction, one duplicate, one draft.
    let page = home(|_, _| {});
    assert!(
        page.contains("<strong>4 items</strong> in the queue") && page.contains("whose code changed"),
        "{page}"
    );
    assert!(page.contains("1 file of records and settings is not committed"), "{page}");
    let quiet = |verb: &str, value: &mut Value| match verb {
        "status" => {
            value["drifted"] = json!(0);
            value["waiting"] = json!({"rejected": 0, "drafts": 0, "duplicates": 0, "approvals": 0, "contradictions": 0, "held": 0, "open": 0});
            value["uncommitted"] = json!({"added": 0, "changed": 0, "removed": 0, "other_files": 0});
        }
        "brief" => value["insights"] = json!([]),
        _ => {}
    };
    let page = home(quiet);
    assert!(page.contains("Nothing waits for you.") && page.contains("The store is committed."), "{page}");
    let page = home(|verb, value| {
        if verb == "status" {
            value["uncommitted"] = Value::Null;
            value["checked_at"] = Value::Null;
        }
    });
    assert!(!page.contains("is committed") && !page.contains("At the last check nothing"), "{page}");
}

#[test]
fn the_queue_speaks_in_the_words_of_its_buttons() {
    let page = get(
        &Patched(|verb, value| {
            if verb == "queue" {
                value["items"][0]["question"] = json!("src/net.py: `send` has changed; is it still true?");
                value["items"][1]["question"] =
                    json!("Both are in use. supersede one, or answer `both_hold`");
                value["items"][1]["answers"] = json!(["both_hold"]);
            }
        }),
        &visitor(),
        "/queue?at=1",
    )
    .body;
    assert!(page.contains("<h2>Both are in use. Supersede one, or answer “Both hold”</h2>"), "{page}");
    assert!(
        page.contains("src/net.py: <code>send</code> has changed") && !page.contains("Src/net.py"),
        "{page}"
    );
}

#[test]
fn a_review_shows_its_verdict_and_the_worst_finding_first() {
    let verbs = Patched(|verb, value| match verb {
        "review show" => {
            value["verdict"] = json!("needs-changes");
            let mut graver = value["findings"][0].clone();
            graver["title"] = json!("Tokens are logged");
            graver["severity"] = json!(9.5);
            value["findings"].as_array_mut().unwrap().push(graver);
        }
        "review list" => value["items"][1]["verdict"] = json!("risky"),
        _ => {}
    });
    let page = get(&verbs, &visitor(), "/reviews/review-sessions").body;
    assert!(page.contains("needs-changes</span>"), "{page}");
    assert!(page.find("Tokens are logged").unwrap() < page.find("Rotated keys").unwrap(), "{page}");
    assert!(get(&verbs, &visitor(), "/reviews").body.contains("risky</span>"));
}

#[test]
fn a_page_marks_only_what_it_was_told() {
    // Nothing was captured: no line is known to have changed.
    let verbs = Patched(|verb, value| {
        if verb == "show" {
            value["code"][0]["captured"] = Value::Null;
        }
    });
    let page = get(&verbs, &visitor(), "/entries/retry.jitter").body;
    assert!(page.contains("Not recorded") && !page.contains("line differs"), "{page}");
    // The answer leaves out what a rejected entry cites, and who was shown it.
    let verbs = Patched(|verb, value| {
        if verb == "why" {
            value["history"][0]["type"] = json!("run.exposed");
            value["history"][0]["summary"] = json!("run.exposed");
        }
    });
    let page = get(&verbs, &visitor(), "/entries/rejected?history=all").body;
    for text in ["It cites nothing", "No agent has been shown it", "run.exposed"] {
        assert!(!page.contains(text), "{text}: {page}");
    }
    // What contradicts a result is named beside it.
    let verbs = Patched(|verb, value| {
        if verb == "search" {
            value["results"][0]["competing_with"] = json!([{"id": "b", "title": "Never retry", "mean": 0.5}]);
        }
    });
    let page = get(&verbs, &visitor(), "/search?q=retry").body;
    assert!(page.contains("Contradicted by <a href=\"/entries/b\">Never retry</a>"), "{page}");
}

#[test]
fn pages_are_small_and_name_files_that_are_there() {
    for address in PAGES {
        let page = get(&Recorded::new(as_recorded), &visitor(), address).body;
        let mut bytes = page.len();
        for tag in tags(&page) {
            let file = tag.attribute("src").or(tag.attribute("href").filter(|_| tag.name == "link"));
            let Some(name) = file.and_then(|file| file.strip_prefix("/assets/")) else { continue };
            let (name, mark) = name.split_once("?v=").unwrap();
            assert_eq!(mark.len(), 8);
            bytes += asset(name).unwrap_or_else(|| panic!("{address} names {name}")).bytes.len();
        }
        assert!(bytes <= FIRST_PAINT_BYTES_MAX, "{address}: {bytes} bytes to the first paint");
    }
    assert!(asset("../Cargo.toml").is_none() && asset("").is_none());
}

#[test]
fn the_policy_allows_our_own_files_alone() {
    assert!(CSP.starts_with(
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:"
    ));
    assert!(!CSP.contains("unsafe"));
}

#[test]
fn files_of_others_are_as_they_came() {
    let sums = include_str!("../assets/vendor/SHA256SUMS");
    let names = [
        ("htmx.js", "htmx.min.js"),
        ("uplot.js", "uplot.min.js"),
        ("uplot.css", "uplot.min.css"),
        ("d3-force.js", "d3-force.min.js"),
    ];
    assert_eq!(sums.lines().count(), names.len());
    for (name, file) in names {
        let digest = Sha256::digest(asset(name).unwrap().bytes);
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        assert!(
            sums.lines().any(|line| line == format!("{hex}  {file}")),
            "{file} is not what its checksum says"
        );
    }
    let licences = include_str!("../assets/vendor/LICENSES.txt");
    for package in ["htmx.org", "uplot", "d3-force", "d3-dispatch", "d3-quadtree", "d3-timer"] {
        assert!(licences.contains(&format!("== {package}\n")), "{package} has no licence");
    }
}

/// The forms of a page that go to an address, whole.
fn forms<'a>(page: &'a str, action: &str) -> Vec<&'a str> {
    let marked = format!("action=\"{action}\"");
    let forms = page.split("<form ").skip(1).map(|form| form.split("</form>").next().unwrap());
    forms.filter(|form| form.split('>').next().unwrap().contains(&marked)).collect()
}

/// What of a page says why a form was refused.
const PROBLEM: &str = "<div class=\"notice bad\" id=\"problem\" role=\"alert\" tabindex=\"-1\" autofocus>";

// What was typed was gone, the panel was closed, and the reason stood at the top of the page, out of sight.
#[test]
fn a_refused_form_is_shown_again_with_what_was_typed_and_why() {
    let why = "the evidence commit:abc does not exist";
    let refuses =
        Problem { status: 422, code: "invalid".to_owned(), message: why.to_owned(), ..Problem::default() };
    let verbs = Recorded { refuses: Some(refuses), ..Recorded::new(as_recorded) };
    let entry = "/entries/retry.jitter";
    let page = get(&Recorded::new(as_recorded), &visitor(), entry).body;
    // Every form of an entry that somebody types into.
    let typed: BTreeSet<String> = tags(&page)
        .into_iter()
        .filter(|tag| tag.name == "form" && tag.attribute("method") == Some("post"))
        .filter_map(|tag| tag.attribute("action").map(str::to_owned))
        .filter(|action| forms(&page, action)[0].contains("<label>"))
        .collect();
    assert!(typed.len() >= 9, "{typed:?}");
    let said = "reason=my <b>reason</b>&title=my title&statement=my statement&detail=my detail&tags=mine, too&anchors=src/mine.py&\
                verification=look there&evidence=commit:abc&new=other.new&other=other.one&to=other.to&relation=depends_on&\
                type=risk_tier&text=my text&verdict=helpful";
    for action in &typed {
        // What can be chosen is chosen as it was.
        let said =
            if action.ends_with("/promote") { "to=procedural&type=risk_tier&reason=my reason" } else { said };
        for target in [None, Some("main#main")] {
            let made = post(&verbs, &visitor(), action, said, target);
            assert_eq!(made.status, 422, "{action}");
            check_is_safe(action, &made.body);
            assert_eq!(made.body.matches("id=\"problem\"").count(), 1, "{action}");
            let form = forms(&made.body, action)[0];
            assert!(
                form.contains(PROBLEM) && form.contains("The evidence commit:abc does not exist"),
                "{form}"
            );
            let panel = made.body.find(&format!("action=\"{action}\"")).unwrap();
            let opened = made.body[..panel].rfind("<details").unwrap();
            assert!(made.body[opened..panel].starts_with("<details open>"), "{action}");
            assert_eq!(
                made.body.matches("<details open>").count(),
                page.matches("<details open>").count() + 1
            );
            for tag in tags(form) {
                let name = tag.attribute("name").unwrap_or_default();
                let Some((_, typed)) = pairs(said).into_iter().find(|(field, _)| field == name) else {
                    continue;
                };
                match tag.name.as_str() {
                    "input" => {
                        let kept =
                            tag.attribute("value").unwrap().replace("&#60;", "<").replace("&#62;", ">");
                        assert_eq!(kept, typed, "{action}: {name}");
                    }
                    "textarea" => assert!(form.contains(&format!(">{typed}</textarea>")), "{action}: {name}"),
                    "select" => {
                        assert!(form.contains(&format!("value=\"{typed}\" selected")), "{action}: {name}")
                    }
                    _ => {}
                }
            }
        }
    }
    // Retracting is the other button of the form that archives.
    let made = post(&verbs, &visitor(), &format!("{entry}/retract"), "reason=wrong now&retract=1", None);
    let form = forms(&made.body, &format!("{entry}/archive"))[0];
    assert!(form.contains(PROBLEM) && form.contains("value=\"wrong now\""), "{form}");
    // An answer to an item, and to a proposal.
    let item = get(&Recorded::new(as_recorded), &visitor(), "/queue?at=1").body;
    let item =
        forms(&item, "/queue")[0].split("name=\"item\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let made =
        post(&verbs, &visitor(), "/queue", &format!("item={item}&answer=same&reason=my reason&at=1"), None);
    let form = forms(&made.body, "/queue")[0];
    assert!(form.contains(PROBLEM) && form.contains("value=\"my reason\""), "{form}");
    let made = post(&verbs, &visitor(), "/promotions/P-14c932d092/reject", "reason=not yet", None);
    let card = made.body.split("<article").find(|card| card.contains("P-14c932d092/reject")).unwrap();
    assert!(card.contains(PROBLEM) && card.contains("value=\"not yet\""), "{card}");
}

/// What of a page says what was done.
const DONE: &str = "<div class=\"notice good\" id=\"done\" role=\"status\" tabindex=\"-1\">";

// What was done was said at the top of the page, far from where one had clicked.
#[test]
fn what_was_done_is_said_where_it_was_done() {
    let entry = "/entries/retry.jitter";
    let of_entry = |action: &str| format!("{entry}/{action}");
    // Each action, what of the page stands right behind what is said of it, and what was typed.
    let table = [
        (of_entry("confirm"), "<summary>Confirm</summary>", ""),
        (of_entry("feedback"), "<summary>Feedback</summary>", "verdict=helpful"),
        (of_entry("supersede"), "<summary>Supersede</summary>", "new=b"),
        (of_entry("merge"), "<summary>Merge</summary>", "other=b"),
        (of_entry("archive"), "<summary>Archive or retract</summary>", ""),
        (of_entry("retract"), "<summary>Archive or retract</summary>", ""),
        (of_entry("restore"), "<summary>Archive or retract</summary>", ""),
        (of_entry("link"), "<summary>Link</summary>", "relation=supports&to=b"),
        (of_entry("promote"), "<summary>Promote</summary>", "to=procedural"),
        (of_entry("annotate"), "<summary>Annotate</summary>", "text=c"),
        (of_entry("pin"), "/pin\"", ""),
        (of_entry("mute"), "/pin\"", ""),
        ("/undo".to_owned(), "Undo my last change", "back=/entries/retry.jitter"),
        ("/undo".to_owned(), "<summary>Link</summary>", "back=/entries/retry.jitter&place=link"),
        ("/queue".to_owned(), "id=\"judge\"", "item=i&answer=same&at=1"),
        // The next proposal stands where the one was that was answered.
        ("/promotions/P-1/approve".to_owned(), "P-14c932d092</span>", "at=1&words=2b2b"),
        ("/promotions/P-1/reject".to_owned(), "</section>", "at=3&reason=r"),
        ("/queue/accept".to_owned(), "id=\"results\"", ""),
        ("/health/maintain".to_owned(), "action=\"/health/maintain\"", "service=dedup"),
        ("/drift/prune".to_owned(), "</main>", ""),
    ];
    for (path, behind, form) in table {
        let scripted = post(&Recorded::new(as_recorded), &ada(), &path, form, Some("main#main"));
        let plain = post(&Recorded::new(as_recorded), &ada(), &path, form, None);
        let plain = get(&Recorded::new(as_recorded), &ada(), &plain.location.unwrap());
        for page in [scripted.body, plain.body] {
            assert_eq!(page.matches(DONE).count(), 1, "{path}");
            let after = page.split(DONE).nth(1).unwrap().split_once("</div>").unwrap().1;
            let near = after.find(behind).unwrap_or_else(|| panic!("{path}: {after}"));
            assert!(near < 700, "{path}: {near} bytes before {behind}");
        }
    }
    // What was acted on is gone, and nothing of its place is left: the top says so.
    let made = post(&Recorded::new(as_recorded), &ada(), "/promotions/P-1/approve", "at=9&words=2b2b", None);
    let page = get(&Recorded::new(as_recorded), &ada(), &made.location.unwrap()).body;
    assert!(page.find(DONE).unwrap() < page.find("<h1>").unwrap(), "{page}");
}

// Undo was offered, and would have taken back the change before.
#[test]
fn what_wrote_nothing_offers_no_undo() {
    let path = "/entries/retry.jitter/link";
    let undo = |verbs: &dyn Verbs| {
        let page = post(verbs, &ada(), path, "relation=supports&to=b", Some("main#main")).body;
        page.split(DONE).nth(1).unwrap().split("</div>").next().unwrap().contains("/undo")
    };
    assert!(undo(&Recorded::new(as_recorded)));
    assert!(!undo(&Patched(|verb, value| {
        if verb == "link" {
            value["outcome"] = json!("unchanged");
        }
    })));
}

// Words that nobody had read were approved, where somebody reworded them after the page was made.
#[test]
fn a_form_holds_for_the_words_that_its_page_showed() {
    let page = get(&Recorded::new(as_recorded), &ada(), "/queue").body;
    for (promotion, words) in [("P-14c932d092", "2b"), ("P-77aa12bc34", "3c")] {
        let form = forms(&page, &format!("/promotions/{promotion}/approve"))[0];
        assert!(form.contains(&format!("name=\"words\" value=\"{}\"", words.repeat(20))), "{form}");
    }
    for (entry, action, words) in
        [("/entries/retry.jitter", "confirm", "statement"), ("/entries/rejected.1", "release", "fields")]
    {
        let path = format!("{entry}/{action}");
        let page = get(&Recorded::new(as_recorded), &ada(), entry).body;
        let form = tags(&page).into_iter().filter_map(|tag| tag.attribute("action").map(str::to_owned));
        let form = form.into_iter().find(|form| form.ends_with(action)).unwrap();
        let form = forms(&page, &form)[0].to_owned();
        let seen = form.split("name=\"seen\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
        let sent = format!("seen={seen}&reason=read");
        assert_eq!(post(&Recorded::new(as_recorded), &ada(), &path, &sent, None).status, 303, "{path}");
        let reworded = Recorded::new(match words {
            "statement" => {
                |name, text| if name == "statement" { "Other words.".to_owned() } else { text.to_owned() }
            }
            _ => |name, text| {
                if name == "statement" || name == "fields" {
                    "Other words.".to_owned()
                } else {
                    text.to_owned()
                }
            },
        });
        let made = post(&reworded, &ada(), &path, &sent, None);
        assert_eq!(made.status, 412, "{path}: {}", made.body);
        assert!(reworded.asked.borrow().iter().all(|(verb, _)| verb != action), "nothing was written");
        assert!(
            made.body.contains("was reworded since") && made.body.contains("Other words."),
            "{path}: {}",
            made.body
        );
        assert!(!made.body.contains(&seen), "the form is of the new words");
    }
}

#[test]
fn why_something_was_refused_is_in_view_where_its_form_is_not() {
    let message = "the store is read-only";
    let refuses = Problem { status: 403, message: message.to_owned(), ..Problem::default() };
    let verbs = Recorded { refuses: Some(refuses), ..Recorded::new(as_recorded) };
    for (path, form) in [
        ("/undo", "back=/entries/a"),
        ("/undo", "back=/search"),
        ("/queue/accept", ""),
        ("/health/maintain", "service=dedup"),
        ("/drift/prune", ""),
        ("/entries/a/pin", ""),
        // What was typed about one item is not offered for another.
        ("/queue", "item=gone&answer=same&reason=about another&at=1"),
        ("/promotions/P-gone/reject", "reason=about another"),
    ] {
        let made = post(&verbs, &visitor(), path, form, None);
        assert_eq!(made.status, 403, "{path}");
        assert_eq!(made.body.matches(PROBLEM).count(), 1, "{path}: {}", made.body);
        let main = made.body.split("<main").nth(1).unwrap();
        assert!(main.find(PROBLEM).unwrap() < main.find("<h1>").unwrap(), "{path}");
        assert!(!main.contains("about another"), "{path}");
    }
    // A page that says nothing of forms.
    let made = post(&verbs, &visitor(), "/undo", "back=/graph", None);
    assert!(made.status == 403 && made.body.contains("The store is read-only"), "{}", made.body);
}

fn ada() -> Visitor {
    Visitor { is_person: true, role: "admin".to_owned(), code: None, ..visitor() }
}

/// Whether a page offers the button of a form that goes to an address.
fn offers(page: &str, action: &str) -> bool {
    let form = forms(page, action)[0];
    let button = tags(form).into_iter().find(|tag| tag.name == "button").unwrap();
    button.attribute("disabled").is_none()
}

// A proposal with new wording was shown without its words, and could be approved.
#[test]
fn a_proposal_is_shown_with_the_words_that_would_count() {
    for address in ["/queue", "/norms"] {
        let page = get(&Recorded::new(as_recorded), &ada(), address).body;
        assert!(page.contains("Describe every pull request."), "{address}: {page}");
    }
    let page = get(&Recorded::new(as_recorded), &ada(), "/queue").body;
    let card = page.split("<article").find(|card| card.contains("P-77aa12bc34")).unwrap();
    assert!(card.contains("</span> Describe every pull request.</h3>"), "{card}");
    assert!(
        card.contains("<dt>type</dt><dd>pr_expectation</dd>") && !card.contains("<dt>tags</dt>"),
        "{card}"
    );
    assert!(offers(&page, "/promotions/P-77aa12bc34/approve"));
    let verbs = Patched(|verb, value| {
        if verb == "promote list" {
            value["items"][2]["draft"] = Value::Null;
        }
    });
    let page = get(&verbs, &ada(), "/queue").body;
    assert!(!offers(&page, "/promotions/P-77aa12bc34/approve") && page.contains("is missing here"), "{page}");
    assert!(offers(&page, "/promotions/P-77aa12bc34/reject"));
}

// The page of an entry whose source run failed said nothing of it.
#[test]
fn an_entry_from_failed_work_says_so_on_its_page_and_in_lists() {
    let verbs = Patched(|verb, value| {
        let entry = match verb {
            "show" => value,
            "list" => &mut value["items"][0],
            _ => return,
        };
        entry["failed_source"] = json!("from failed work: task-9 failed");
    });
    let page = get(&verbs, &visitor(), "/entries/retry.jitter").body;
    assert!(page.contains("From failed work: task-9 failed."), "{page}");
    assert!(get(&verbs, &visitor(), "/search").body.contains("from failed work: task-9 failed"));
    assert!(
        !get(&Recorded::new(as_recorded), &visitor(), "/entries/retry.jitter").body.contains("ailed work")
    );
}

// The rate left out a task that was killed, and did not say so.
#[test]
fn the_success_rate_names_the_runs_that_it_leaves_out() {
    let page = get(&Recorded::new(as_recorded), &visitor(), "/outcomes?period=all").body;
    assert!(page.contains("succeeded or failed") && page.contains("killed, abandoned"), "{page}");
    let killed = Patched(|verb, value| {
        if verb == "outcomes" {
            value["totals"]["killed"] = json!(3);
        }
    });
    let page = get(&killed, &visitor(), "/outcomes?period=all").body;
    assert!(page.contains("<strong>3</strong> <span>killed</span>"), "{page}");
}

#[test]
fn what_this_visitor_may_not_do_looks_so_and_says_why() {
    let open = ["/promotions/P-14c932d092/approve", "/promotions/P-14c932d092/reject"];
    let release = |page: &str| {
        let action = tags(page).into_iter().filter_map(|tag| tag.attribute("action").map(str::to_owned));
        let action = action.into_iter().find(|action| action.ends_with("/release")).unwrap();
        offers(page, &action)
    };
    // Nobody confirmed that a person sits here.
    let page = get(&Recorded::new(as_recorded), &visitor(), "/queue").body;
    assert!(open.iter().all(|action| !offers(&page, action)), "{page}");
    assert!(page.contains("id=\"needs-person\"") && page.contains("href=\"/session\""), "{page}");
    assert!(!release(&get(&Recorded::new(as_recorded), &visitor(), "/entries/rejected").body));
    // An approver.
    let page = get(&Recorded::new(as_recorded), &ada(), "/queue").body;
    assert!(open.iter().all(|action| offers(&page, action)) && !page.contains("needs-person"), "{page}");
    assert!(release(&get(&Recorded::new(as_recorded), &ada(), "/entries/rejected").body));
    // A person who is none.
    let verbs = Patched(|verb, value| {
        if verb == "promote list" {
            value["cannot_answer"] = json!("answering a proposal requires an approver; Cleo is not one");
        }
    });
    let page = get(&verbs, &ada(), "/queue").body;
    assert!(open.iter().all(|action| !offers(&page, action)), "{page}");
    assert!(page.contains("Answering a proposal requires an approver; Cleo is not one."), "{page}");
    // Whoever proposed it.
    let verbs = Patched(|verb, value| {
        if verb == "promote list" {
            value["cannot_approve"] =
                json!({"P-14c932d092": "Ada proposed it, so another approver must approve it"});
        }
    });
    let page = get(&verbs, &ada(), "/queue").body;
    assert!(!offers(&page, open[0]) && offers(&page, open[1]) && page.contains("Ada proposed it"), "{page}");
}
