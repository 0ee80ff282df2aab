//! A browser: the one-time link, the cookie, the token of forms, and the code that makes a session a person's.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::{Value, json};

use super::client::{Api, token};
use crate::mcp::client::{Reply, read_reply};
use crate::team::Team;
use crate::world::World;

/// A browser with a session.
struct Browser {
    address: String,
    cookie: String,
    csrf: String,
}

fn send(address: &str, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let mut head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n{body}").as_bytes()).unwrap();
    read_reply(stream)
}

impl Browser {
    fn begin(address: &str, reply: &Reply) -> Browser {
        let cookie = reply.header("Set-Cookie").unwrap_or_else(|| panic!("{reply:?}"));
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
        let cookie = cookie.split(';').next().unwrap().to_owned();
        let mut browser = Browser { address: address.to_owned(), cookie, csrf: String::new() };
        let page = browser.get("/session");
        assert_eq!(page.status, 200, "{page:?}");
        let at = page.body.find("name=\"csrf\" value=\"").unwrap_or_else(|| panic!("{page:?}"));
        browser.csrf = page.body[at..].split('"').nth(3).unwrap().to_owned();
        browser
    }

    fn get(&self, path: &str) -> Reply {
        send(&self.address, "GET", path, &[("Cookie", &self.cookie), ("Accept", "text/html")], "")
    }

    /// A call of the API, as a page makes it.
    fn call(&self, method: &str, path: &str, body: Option<Value>) -> Reply {
        let text = body.map(|body| body.to_string()).unwrap_or_default();
        let headers = [
            ("Cookie", self.cookie.as_str()),
            ("X-CSRF-Token", self.csrf.as_str()),
            ("Content-Type", "application/json"),
        ];
        let headers = if text.is_empty() { &headers[..2] } else { &headers[..] };
        send(&self.address, method, &format!("/api/v1{path}"), headers, &text)
    }

    /// The code that the page shows.
    fn code(&self) -> String {
        let page = self.get("/session").body;
        let is_code = |word: &&str| {
            word.len() == 9
                && word.as_bytes()[4] == b'-'
                && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-')
        };
        let found = page.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').find(is_code);
        found.unwrap_or_else(|| panic!("no code: {page}")).to_owned()
    }
}

fn path_of(link: &str) -> &str {
    let rest = link.strip_prefix("http://").unwrap();
    &rest[rest.find('/').unwrap()..]
}

#[test]
fn a_link_works_once_and_makes_a_writer_whose_forms_carry_a_token() {
    let world = World::with_store();
    let id = world.lesson("Retry network calls with jitter, or all clients come back at once.");
    let api = Api::start(&world, "reader");
    assert_eq!(api.send("GET", "/", &[], "").status, 401);
    assert_eq!(api.send("GET", "/login?key=guess", &[], "").status, 401);
    let first = api.send("GET", path_of(&api.link), &[], "");
    let browser = Browser::begin(&api.address, &first);
    assert_eq!(api.send("GET", path_of(&api.link), &[], "").status, 401, "a link works once");
    let page = browser.get("/");
    assert_eq!(page.status, 200, "{page:?}");
    let policy = page.header("Content-Security-Policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self'"), "{policy}");
    // A form without its token, and one of another session.
    let note = json!({"text": "The build was red for an hour."});
    let bare =
        Browser { csrf: String::new(), address: browser.address.clone(), cookie: browser.cookie.clone() };
    assert_eq!(bare.call("POST", "/note", Some(note.clone())).status, 403);
    let other =
        Browser { csrf: "0".repeat(64), address: browser.address.clone(), cookie: browser.cookie.clone() };
    assert_eq!(other.call("POST", "/note", Some(note.clone())).status, 403);
    assert_eq!(browser.call("POST", "/note", Some(note)).status, 200);
    // It writes as an agent; what a person decides it does not.
    let purge = browser.call("POST", &format!("/entries/{id}/release"), Some(json!({"reason": "fine"})));
    assert_eq!((purge.status, &purge.json()["code"]), (403, &json!("needs_person")), "{purge:?}");
    // `ken open` makes another link.
    let link = world.ken_args(&["open", "--print"]).ok().out;
    let again = api.send("GET", path_of(link.trim()), &[], "");
    Browser::begin(&api.address, &again);
    // Without a terminal no code is shown.
    assert!(!browser.get("/session").body.contains("class=\"code\""));
    // Signing out ends it.
    let form = format!("csrf={}", browser.csrf);
    let headers =
        [("Cookie", browser.cookie.as_str()), ("Content-Type", "application/x-www-form-urlencoded")];
    assert_eq!(send(&api.address, "POST", "/logout", &headers, &form).status, 200);
    assert_eq!(browser.get("/").status, 401);
}

/// `ken serve` on a terminal of its own.
struct Terminal {
    child: Child,
    terminal: File,
    said: String,
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Terminal {
    fn start(world: &World) -> Terminal {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap();
        let theirs = rustix::fs::open(name.as_c_str(), OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        let mut command: Command = world.command("setsid");
        command.args(["--ctty", "--wait"]).arg(World::binary()).args(["serve", "--listen", "127.0.0.1:0"]);
        for variable in ["CLAUDE_CODE_SESSION_ID", "KEN_AGENT", "KEN_TOKEN", "KEN_ACTOR"] {
            command.env_remove(variable);
        }
        let end = |fd: &std::os::fd::OwnedFd| Stdio::from(fd.try_clone().unwrap());
        command.stdin(end(&theirs)).stdout(end(&theirs)).stderr(end(&theirs));
        let child = command.spawn().unwrap();
        drop(theirs);
        let mut terminal = Terminal { child, terminal: File::from(ours), said: String::new() };
        terminal.until("Ctrl-C");
        terminal
    }

    fn until(&mut self, wanted: &str) {
        let began = Instant::now();
        let mut some = [0; 4096];
        while !self.said.contains(wanted) {
            assert!(began.elapsed() < Duration::from_secs(60), "{wanted:?} is not said: {}", self.said);
            let count = self.terminal.read(&mut some).unwrap_or(0);
            self.said.push_str(&String::from_utf8_lossy(&some[..count]));
        }
    }

    fn link(&self) -> String {
        let at = self.said.find("http://").unwrap();
        self.said[at..].split_whitespace().next().unwrap().to_owned()
    }
}

#[test]
fn a_code_that_is_typed_at_the_terminal_makes_the_session_a_persons() {
    let world = World::with_store();
    let id = world.lesson("Retry network calls with jitter, or all clients come back at once.");
    let mut terminal = Terminal::start(&world);
    let link = terminal.link();
    let address = link.strip_prefix("http://").unwrap().split('/').next().unwrap().to_owned();
    let browser = Browser::begin(&address, &send(&address, "GET", path_of(&link), &[], ""));
    let purge = || {
        browser.call("POST", &format!("/entries/{id}/purge"), Some(json!({"reason": "it names a customer"})))
    };
    assert_eq!(purge().json()["code"], "needs_person");
    terminal.terminal.write_all(b"AAAA-AAAA\n").unwrap();
    terminal.until("no page shows that code");
    assert_eq!(purge().json()["code"], "needs_person");
    let code = browser.code();
    terminal.terminal.write_all(format!("{code}\n").as_bytes()).unwrap();
    terminal.until("is now");
    let done = purge();
    assert_eq!(done.status, 200, "{done:?}");
    let gone = world.ken_args(&["show", &id]);
    assert_ne!(gone.code, 0, "{}", gone.out);
    // The code was used up.
    assert!(!browser.get("/session").body.contains(&code));
}

#[test]
fn an_approver_from_elsewhere_is_confirmed_by_an_invitation() {
    let world = World::with_store();
    let id = world.lesson("Retry network calls with jitter, or all clients come back at once.");
    let api = Api::start(&world, "reader");
    let grace = token(&world, "grace", "approver");
    let form = [("Content-Type", "application/x-www-form-urlencoded")];
    assert_eq!(api.send("POST", "/login", &form, "token=ken_guess").status, 401);
    let browser = Browser::begin(&api.address, &api.send("POST", "/login", &form, &format!("token={grace}")));
    let reset = || {
        browser.call("POST", &format!("/entries/{id}/reset"), Some(json!({"reason": "start again"}))).json()
    };
    assert!(reset()["confirm"].is_string(), "a token makes no person");
    let refused = world.ken_args(&["gate", "approver", "grace"]);
    assert_ne!(refused.code, 0, "an agent invites nobody");
    let talk = [("Type `yes` to continue: ", "yes\n")];
    let screen =
        crate::pty::ken_on_terminal(&world, &[], &["gate", "approver", "grace", "--json"], &talk).out;
    let invited: Value = serde_json::from_str(screen[screen.find('{').unwrap()..].trim()).unwrap();
    let code = invited["code"].as_str().unwrap();
    let enter = |code: &str| {
        let body = format!("csrf={}&code={code}", browser.csrf);
        send(&api.address, "POST", "/session", &[("Cookie", &browser.cookie), form[0]], &body).status
    };
    assert_eq!(enter("AAAA-AAAA"), 403);
    assert_eq!(enter(code), 303);
    assert_eq!(enter(code), 403, "it works once");
    // The person is heard now; what the person asks for is judged as ever.
    let judged = reset();
    assert!(
        judged["confirm"].is_null() && judged["detail"].as_str().unwrap().contains("cannot be reset"),
        "{judged}"
    );
    let confirmed = browser.call(
        "POST",
        &format!("/entries/{id}/confirm"),
        Some(json!({"reason": "seen in the outage"})),
    );
    assert_eq!(confirmed.status, 200, "{confirmed:?}");
    let log = world.ken_args(&["log", &id, "--json"]).ok().json();
    assert_eq!(log["items"].as_array().unwrap().last().unwrap()["actor"], "human:grace");
}

// Signing in led to the first page, whatever page had been asked for.
#[test]
fn signing_in_leads_to_the_page_that_was_asked_for_and_to_no_other_site() {
    let world = World::with_store();
    let api = Api::start(&world, "reader");
    let ben = token(&world, "ben", "writer");
    let headers = [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "text/html")];
    let hidden = |page: &str| {
        let value = page.split("name=\"next\" value=\"").nth(1).unwrap_or_else(|| panic!("{page}"));
        value.split('"').next().unwrap().to_owned()
    };
    let asked = send(&api.address, "GET", "/search?q=retry&tag=net", &[("Accept", "text/html")], "");
    assert_eq!((asked.status, hidden(&asked.body)), (401, "/search?q=retry&amp;tag=net".to_owned()));
    let next = "next=%2Fsearch%3Fq%3Dretry%26tag%3Dnet";
    // A wrong token does not lose the way.
    let wrong = api.send("POST", "/login", &headers, &format!("token=ken_guess&{next}"));
    assert_eq!((wrong.status, hidden(&wrong.body)), (401, "/search?q=retry&amp;tag=net".to_owned()));
    let leads = |next: &str| {
        let page = api.send("POST", "/login", &headers, &format!("token={ben}&{next}"));
        assert_eq!(page.status, 200, "{page:?}");
        let target =
            page.body.split("content=\"0;url=").nth(1).unwrap().split('"').next().unwrap().to_owned();
        assert!(page.body.contains(&format!("<a href=\"{target}\">")), "{page:?}");
        target
    };
    assert_eq!(leads(next), "/search?q=retry&amp;tag=net");
    for elsewhere in [
        "",
        "next=",
        "next=%2F%2Fevil",
        "next=%2F%5Cevil",
        "next=https:evil",
        "next=%2F%09%2Fevil",
        "next=%2F%0A%2Fevil",
    ] {
        assert_eq!(leads(elsewhere), "/", "{elsewhere}");
    }
}

// Between the page and the click the norm was reworded, and the approval held for words that nobody had read.
#[test]
fn an_approval_on_a_page_holds_for_the_words_that_it_showed() {
    let team = Team::new();
    team.settle("approvers.grace", "yes");
    // A norm without evidence is a draft, which can still be reworded.
    let rule = "Every change comes with a test.";
    team.ken_by(crate::team::AGENT, &["add", "commit_norm", rule, "--id", "norm.tests", "--draft"]).ok();
    let proposal = team.proposal("norm.tests", &[]);
    let api = Api::start(&team.world, "reader");
    let grace = token(&team.world, "grace", "approver");
    let form = ("Content-Type", "application/x-www-form-urlencoded");
    let browser =
        Browser::begin(&api.address, &api.send("POST", "/login", &[form], &format!("token={grace}")));
    let invite = ["gate", "approver", "grace", "--json"];
    let screen = team.terminal("Ada", &invite, &[("Type `yes` to continue: ", "yes\n")]).out;
    let invited: Value = serde_json::from_str(screen[screen.find('{').unwrap()..].trim()).unwrap();
    let post = |path: &str, fields: &str| {
        let body = format!("csrf={}&{fields}", browser.csrf);
        send(&api.address, "POST", path, &[("Cookie", &browser.cookie), form], &body)
    };
    assert_eq!(post("/session", &format!("code={}", invited["code"].as_str().unwrap())).status, 303);
    let words = |page: &str| {
        let words = page.split("name=\"words\" value=\"").nth(1).unwrap_or_else(|| panic!("{page}"));
        words.split('"').next().unwrap().to_owned()
    };
    let shown = browser.get("/queue").body;
    assert!(shown.contains(rule), "{shown}");
    let said = "Every change comes with two tests.";
    team.ken_by(crate::team::AGENT, &["edit", "norm.tests", "--statement", said, "--reason", "more"]).ok();
    let approve = format!("/promotions/{proposal}/approve");
    let late = post(&approve, &format!("words={}", words(&shown)));
    assert_eq!(late.status, 403, "{late:?}");
    assert!(
        late.body.contains("was reworded since it was shown to you") && late.body.contains(said),
        "{late:?}"
    );
    let state = || team.ken(&["promote", "show", &proposal, "--json"]).ok().json();
    assert_eq!(state()["state"], "open");
    assert_eq!(state()["words"], words(&late.body), "the form is of the new words");
    // A program says the same in the API.
    let stale = json!({"words": words(&shown)});
    let refused = browser.call("POST", &approve, Some(stale));
    assert_eq!((refused.status, &refused.json()["field"]), (403, &json!("words")), "{refused:?}");
    let done = post(&approve, &format!("words={}", words(&late.body)));
    assert_eq!(done.status, 303, "{done:?}");
    assert_eq!(state()["state"], "approved");
}
