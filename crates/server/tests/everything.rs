//! Everything runs on every log: a workspace in memory, and one in PostgreSQL, answer each route of the API and each tool of MCP as one in
//! git does, but for what is git's or takes a person. Requests, and what of their answers differs, are in `requests.json`.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::channel;
use std::time::Duration;

use ken_server::{Listen, Profile, Settings};
use ken_testkit::PostgresServer;
use kenning::access::Access;
use kenning::core::{Millis, ReplicaId};
use kenning::verb::Role;
use kenning::{Caller, Channel, Identity, Options, Person, SetUp, Workspace};
use serde_json::{Map, Value, json};

const NOW: &str = "2026-01-02T03:04:05Z";
/// The revision of MCP without a handshake: each request says who asks.
const REVISION: &str = "2026-07-28";
/// No answer takes so long.
const PATIENCE: Duration = Duration::from_secs(60);
/// The status of a tool that did not work: it says no more than that.
const TOOL_FAILED: u64 = 0;
/// Differences that are told at once.
const TOLD_MAX: usize = 40;

/// Runs one of the tests below with a home of its own: what whoever runs the tests has at home is not theirs.
fn played(name: &str) {
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", name, "--ignored", "--nocapture", "--test-threads=1"]);
    for (variable, _) in std::env::vars_os() {
        let told = variable.to_string_lossy().into_owned();
        let is_told_to_us = ["KEN_", "GIT_", "XDG_", "CLAUDE", "CODEX_", "CURSOR_", "GEMINI_"]
            .iter()
            .any(|begin| told.starts_with(begin));
        if is_told_to_us {
            command.env_remove(variable);
        }
    }
    command.env("HOME", home.path()).env("USERPROFILE", home.path()).env("GIT_CONFIG_NOSYSTEM", "1");
    let output = command.output().unwrap();
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let told = said(&output.stdout) + &said(&output.stderr);
    assert!(output.status.success() && told.contains("1 passed"), "{told}");
    for skipped in told.lines().filter(|line| line.starts_with("SKIPPED")) {
        // Past the harness, which keeps what a passing test says to itself.
        std::io::stderr().write_all(format!("\n{skipped}\n").as_bytes()).unwrap();
    }
}

#[test]
fn every_route_answers_on_memory_as_it_does_on_git() {
    played("routes");
}

#[test]
fn every_tool_answers_on_memory_as_it_does_on_git() {
    played("tools");
}

#[test]
fn every_route_answers_on_postgres_as_it_does_on_git() {
    played("routes_on_postgres");
}

#[test]
fn every_tool_answers_on_postgres_as_it_does_on_git() {
    played("tools_on_postgres");
}

#[test]
#[ignore = "it is run with a home of its own"]
fn routes() {
    play_routes(World::pair(Kept::Memory));
}

#[test]
#[ignore = "it is run with a home of its own"]
fn tools() {
    play_tools(World::pair(Kept::Memory));
}

#[test]
#[ignore = "it is run with a home of its own"]
fn routes_on_postgres() {
    if let Some(server) = PostgresServer::start() {
        play_routes(World::pair(Kept::Postgres(server.address())));
    }
}

#[test]
#[ignore = "it is run with a home of its own"]
fn tools_on_postgres() {
    if let Some(server) = PostgresServer::start() {
        play_tools(World::pair(Kept::Postgres(server.address())));
    }
}

fn play_routes(worlds: [World; 2]) {
    let script = Script::read();
    let mut play = Play::new(&script, &worlds);
    let mut left: BTreeSet<String> = worlds[0].routes().into_iter().map(|route| route.name).collect();
    for step in script.requests.iter().filter(|step| step.door != Door::Mcp) {
        let route = worlds[0].route_of(step);
        left.remove(&route.name);
        play.step(step, &format!("{} {}", route.name, step.given), &|world, given| {
            world.send_to(&route, given)
        });
    }
    play.end();
    assert!(left.is_empty(), "nobody asked: {left:#?}");
}

fn play_tools(worlds: [World; 2]) {
    let script = Script::read();
    let mut play = Play::new(&script, &worlds);
    let [on_git, on_memory] = worlds.each_ref().map(|world| world.talk("tools/list", json!({})));
    assert_eq!(on_git, on_memory);
    let listed = on_git["tools"].as_array().unwrap();
    let mut left: BTreeSet<&str> = listed.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let listed = left.clone();
    for step in script.requests.iter().filter(|step| step.door != Door::Api) {
        // What is done in person is no tool.
        if !listed.contains(step.tool().as_str()) {
            assert!(step.person, "{} is no tool", step.name);
            continue;
        }
        left.remove(step.tool().as_str());
        play.step(step, &format!("{} {}", step.tool(), step.given), &|world, given| {
            world.call(&step.tool(), given)
        });
    }
    play.end();
    assert!(left.is_empty(), "nobody called: {left:#?}");
}

/// The requests, and what of their answers is not compared.
struct Script {
    /// Fields that are git's or this machine's.
    differs: BTreeSet<String>,
    /// What is told where something is git's.
    refusals: BTreeMap<String, String>,
    requests: Vec<Step>,
}

/// A request of a verb, or a call of a tool.
struct Step {
    name: String,
    /// Its route, where the verb has several: `GET /log`.
    at: Option<String>,
    given: Value,
    /// What both answer.
    status: u64,
    /// Names for parts of the answer, by where they are.
    keep: BTreeMap<String, String>,
    /// Which refusal memory gives.
    on_memory: Option<String>,
    /// It takes a person.
    person: bool,
    /// Fields of this answer that differ.
    differs: BTreeSet<String>,
    /// Members of lists, by name, of which one or the other has none like it.
    left_out: BTreeSet<String>,
    door: Door,
}

/// Where a request is made.
#[derive(Clone, Copy, PartialEq)]
enum Door {
    Both,
    /// Only at the API: the tool of this name takes something else.
    Api,
    /// Only through MCP: it is a tool that is no verb.
    Mcp,
}

impl Script {
    fn read() -> Script {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/requests.json"));
        let written: Value = serde_json::from_str(&text.unwrap()).unwrap();
        let refusals = written["refusals"].as_object().unwrap();
        Script {
            differs: words(&written["differs"]),
            refusals: refusals.iter().map(|(kind, told)| (kind.clone(), text_of(told))).collect(),
            requests: written["requests"].as_array().unwrap().iter().map(Step::read).collect(),
        }
    }
}

impl Step {
    fn read(written: &Value) -> Step {
        let fields = [
            "verb",
            "tool",
            "at",
            "with",
            "status",
            "keep",
            "on_memory",
            "person",
            "differs",
            "left_out",
            "door",
        ];
        let unknown = written.as_object().unwrap().keys().find(|name| !fields.contains(&name.as_str()));
        assert_eq!(unknown, None, "{written}");
        let keep = written["keep"].as_object().cloned().unwrap_or_default();
        Step {
            name: text_of(if written["tool"].is_null() { &written["verb"] } else { &written["tool"] }),
            at: written["at"].as_str().map(str::to_owned),
            given: if written["with"].is_null() { json!({}) } else { written["with"].clone() },
            status: written["status"].as_u64().unwrap_or(200),
            keep: keep.into_iter().map(|(name, place)| (name, text_of(&place))).collect(),
            on_memory: written["on_memory"].as_str().map(str::to_owned),
            person: written["person"] == true,
            differs: words(&written["differs"]),
            left_out: words(&written["left_out"]),
            door: match (written["tool"].is_null(), written["door"] == "api") {
                (false, _) => Door::Mcp,
                (true, true) => Door::Api,
                (true, false) => Door::Both,
            },
        }
    }

    fn tool(&self) -> String {
        self.name.replace(" --", " ").replace([' ', '-'], "_")
    }
}

fn words(list: &Value) -> BTreeSet<String> {
    list.as_array().into_iter().flatten().map(text_of).collect()
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// A script that is played on two worlds, with what differed.
struct Play<'a> {
    script: &'a Script,
    worlds: &'a [World; 2],
    /// What each world calls what was kept.
    kept: [BTreeMap<String, String>; 2],
    told: Vec<String>,
}

/// What was answered, through whichever door.
struct Reply {
    status: u64,
    body: Value,
}

impl<'a> Play<'a> {
    fn new(script: &'a Script, worlds: &'a [World; 2]) -> Play<'a> {
        Play { script, worlds, kept: Default::default(), told: Vec::new() }
    }

    fn step(&mut self, step: &Step, name: &str, ask: &dyn Fn(&World, Value) -> Reply) {
        let mut bodies = Vec::new();
        for (at, world) in self.worlds.iter().enumerate() {
            let reply = ask(world, filled(&step.given, &self.kept[at]));
            for (name, place) in &step.keep {
                if let Some(found) = reply.body.pointer(place).and_then(Value::as_str) {
                    self.kept[at].insert(name.clone(), found.to_owned());
                } else {
                    self.told.push(format!("{name} on {}: nothing at {place}: {}", world.name, reply.body));
                }
            }
            if let Some(problem) = self.problem(step, world, &reply) {
                self.told
                    .push(format!("{name} on {}: {problem}: {} {}", world.name, reply.status, reply.body));
            }
            bodies.push(self.normal(reply.body, step, at));
        }
        if step.on_memory.is_none() {
            differences("", &bodies[0], &bodies[1], &mut |place, on_git, on_memory| {
                self.told
                    .push(format!("{name}\n  {place}\n    git        {on_git}\n    elsewhere  {on_memory}"));
            });
        }
    }

    /// What is wrong about an answer by itself.
    fn problem(&self, step: &Step, world: &World, reply: &Reply) -> Option<String> {
        let told = reply.body["detail"].as_str().unwrap_or_default();
        if step.person {
            let is_refused = matches!(reply.body["code"].as_str(), Some("needs_person" | "not_allowed"));
            let is_told = ["a person", "in a terminal"].iter().any(|words| told.contains(words));
            return (!is_refused || !is_told).then(|| "a person is not asked for".to_owned());
        }
        if let Some(kind) = step.on_memory.as_ref().filter(|_| world.is_in_memory) {
            let is_refused = reply.body["code"] == "not_allowed" && told == self.script.refusals[kind];
            return (!is_refused).then(|| format!("it is not refused as {kind}"));
        }
        let is_expected = match reply.status {
            TOOL_FAILED => step.status != 200,
            status => status == step.status,
        };
        (!is_expected).then(|| format!("{} was expected", step.status))
    }

    /// An answer without what must differ.
    fn normal(&self, body: Value, step: &Step, at: usize) -> Value {
        match body {
            Value::String(text) => self.worlds[at].plain(&text, &self.kept[at]).into(),
            Value::Array(list) => {
                let is_left_out = |one: &Value| {
                    let name = ["name", "threshold"].iter().find_map(|field| one[*field].as_str());
                    name.is_some_and(|name| step.left_out.contains(name))
                };
                let list = list.into_iter().filter(|one| !is_left_out(one));
                list.map(|one| self.normal(one, step, at)).collect()
            }
            Value::Object(object) => {
                let without = |(name, value): (String, Value)| {
                    let differs = self.script.differs.contains(&name) || step.differs.contains(&name);
                    let value = if differs { Value::from("...") } else { self.normal(value, step, at) };
                    (name, value)
                };
                object.into_iter().map(without).collect()
            }
            other => other,
        }
    }

    fn end(&self) {
        let more = self.told.len().saturating_sub(TOLD_MAX);
        let told: Vec<&str> = self.told.iter().take(TOLD_MAX).map(String::as_str).collect();
        assert!(self.told.is_empty(), "{}\n... and {more} more", told.join("\n"));
        for world in self.worlds.iter().filter(|world| world.is_in_memory) {
            for folder in [".kenning", ".git/kenning"] {
                assert!(!world.root.join(folder).exists(), "a store in memory made {folder}");
            }
        }
    }
}

/// What a request says, with the names of what was kept.
fn filled(given: &Value, kept: &BTreeMap<String, String>) -> Value {
    match given {
        Value::String(text) => {
            let fill =
                |text: String, (name, value): (&String, &String)| text.replace(&format!("${name}"), value);
            kept.iter().fold(text.clone(), fill).into()
        }
        Value::Array(list) => list.iter().map(|one| filled(one, kept)).collect(),
        Value::Object(object) => {
            object.iter().map(|(name, value)| (name.clone(), filled(value, kept))).collect()
        }
        other => other.clone(),
    }
}

/// Tells where two values differ.
fn differences(place: &str, one: &Value, other: &Value, tell: &mut dyn FnMut(&str, &Value, &Value)) {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            for name in names {
                let (left, right) = (one.get(name), other.get(name));
                let absent = Value::from("(absent)");
                let place = format!("{place}/{name}");
                differences(&place, left.unwrap_or(&absent), right.unwrap_or(&absent), tell);
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (at, (one, other)) in one.iter().zip(other).enumerate() {
                differences(&format!("{place}/{at}"), one, other, tell);
            }
        }
        _ if one == other => {}
        _ => tell(place, one, other),
    }
}

/// A repository, a workspace for it, and a server for that.
struct World {
    name: &'static str,
    is_in_memory: bool,
    folder: tempfile::TempDir,
    root: PathBuf,
    address: SocketAddr,
    token: String,
    document: Value,
}

/// A path of a verb.
#[derive(Clone)]
struct Route {
    /// `GET /log`.
    name: String,
    method: String,
    path: String,
    verb: String,
    /// The field that each parameter of the path fills.
    parameters: Vec<(String, String)>,
}

/// Where a world keeps its store.
enum Kept {
    Git,
    Memory,
    /// In the database at an address.
    Postgres(String),
}

impl World {
    /// One world on git, and one elsewhere.
    fn pair(elsewhere: Kept) -> [World; 2] {
        [World::start("git", Kept::Git), World::start("elsewhere", elsewhere)]
    }

    fn start(name: &'static str, kept: Kept) -> World {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("repo");
        repository(&root);
        let mut options = Options::at(&root);
        options.no_model = true;
        options.inside = true;
        options.global_folder = Some(folder.path().join("global"));
        let is_in_memory = !matches!(kept, Kept::Git);
        let workspace = match kept {
            Kept::Memory => kenning::in_memory(options.clone()).unwrap(),
            Kept::Postgres(address) => in_postgres(&options, &address),
            Kept::Git => {
                kenning::init_with(&options, SetUp::default()).unwrap();
                name_as_in_memory(&root.join(".git/kenning"));
                kenning::open_with(options.clone()).unwrap()
            }
        };
        settings(&workspace);
        let token = administrators(&workspace);
        let identity = Identity { now: Some(Millis::parse(NOW).unwrap()), ..Identity::default() };
        let settings = Settings {
            options,
            workspace: Some(workspace),
            shared: None,
            identity,
            profile: Profile::Full,
            host: None,
            session: None,
        };
        let listen = Listen {
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            token: None,
            hosts: Vec::new(),
            only_mcp: false,
            notify: None,
        };
        let (ready, reached) = channel();
        std::thread::spawn(move || {
            ken_server::serve(settings, listen, |serving| ready.send(serving.address).unwrap()).unwrap();
        });
        let address = reached.recv_timeout(PATIENCE).unwrap();
        let mut world = World { name, is_in_memory, folder, root, address, token, document: Value::Null };
        world.document = world.send("GET", "/api/v1/openapi.json", &[], "").body;
        world
    }

    /// A text without what is this world's.
    fn plain(&self, text: &str, kept: &BTreeMap<String, String>) -> String {
        let folder = self.folder.path().to_str().unwrap();
        let text = text.replace(folder, "$folder");
        let text = without_places(&text);
        kept.iter().fold(text, |text, (name, value)| text.replace(value.as_str(), &format!("${name}")))
    }

    fn routes(&self) -> Vec<Route> {
        let mut routes = Vec::new();
        for (path, methods) in self.document["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                let Some(verb) = operation["x-ken-verb"].as_str() else { continue };
                let parameters = operation["parameters"].as_array().unwrap().iter();
                let in_path = parameters.filter(|one| one["in"] == "path");
                let method = method.to_uppercase();
                routes.push(Route {
                    name: format!("{method} {}", path.strip_prefix("/api/v1").unwrap()),
                    method,
                    path: path.clone(),
                    verb: verb.to_owned(),
                    parameters: in_path
                        .map(|one| (text_of(&one["name"]), text_of(&one["x-ken-field"])))
                        .collect(),
                });
            }
        }
        routes
    }

    /// The route that a request names, or the only one of its verb.
    fn route_of(&self, step: &Step) -> Route {
        let is_meant = |route: &Route| {
            route.verb == step.name && step.at.as_ref().is_none_or(|wanted| *wanted == route.name)
        };
        let found: Vec<Route> = self.routes().into_iter().filter(is_meant).collect();
        let names: Vec<&str> = found.iter().map(|route| route.name.as_str()).collect();
        assert_eq!(found.len(), 1, "{} has several routes, or none: {names:?}", step.name);
        found[0].clone()
    }

    /// Asks for what a route answers; parameters of the path are taken from what is given.
    fn send_to(&self, route: &Route, given: Value) -> Reply {
        let Value::Object(mut given) = given else { panic!("no object: {given}") };
        let mut path = route.path.clone();
        for (name, field) in &route.parameters {
            let value = match given.remove(field) {
                Some(Value::Array(list)) => list[0].clone(),
                Some(value) => value,
                None => panic!("{} needs {field}: {given:?}", route.name),
            };
            path = path.replace(&format!("{{{name}}}"), &encoded(&text_of(&value)));
        }
        if route.method != "GET" {
            return self.send(&route.method, &path, &[], &Value::Object(given).to_string());
        }
        let pairs: Vec<String> = pairs(given);
        let query = if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) };
        self.send("GET", &format!("{path}{query}"), &[], "")
    }

    /// Calls a tool. An error is told as the API tells it.
    fn call(&self, tool: &str, given: Value) -> Reply {
        let result = self.talk("tools/call", json!({"name": tool, "arguments": given}));
        let error = &result["structuredContent"]["error"];
        if result["isError"] != true {
            // The text is often the value again, or its beginning.
            let text = result["content"][0]["text"].as_str().unwrap_or_default();
            let mut body = result["structuredContent"].clone();
            let begin = text.split("\n... and so on").next().unwrap_or_default();
            if !body.to_string().starts_with(begin) {
                body["content"] = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
            }
            return Reply { status: 200, body };
        }
        if error.is_null() {
            return Reply { status: TOOL_FAILED, body: result["structuredContent"].clone() };
        }
        let body = json!({"code": error["code"], "detail": error["message"], "hint": error["hint"]});
        Reply { status: TOOL_FAILED, body }
    }

    /// A request of MCP that works.
    fn talk(&self, method: &str, mut params: Value) -> Value {
        let named = params["name"].as_str().map(str::to_owned);
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": REVISION,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "tester", "version": "1"},
        });
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let mut headers = vec![("MCP-Protocol-Version", REVISION), ("Mcp-Method", method)];
        headers.extend(named.as_deref().map(|name| ("Mcp-Name", name)));
        let mut reply = self.send("POST", "/mcp", &headers, &request.to_string());
        assert!(reply.body["result"].is_object(), "{request}: {}", reply.body);
        reply.body["result"].take()
    }

    /// Sends a request, and reads until the server closes the connection.
    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", self.address);
        let (bearer, length) = (format!("Bearer {}", self.token), body.len().to_string());
        let usual = [
            ("Authorization", bearer.as_str()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("Content-Length", length.as_str()),
        ];
        let usual = usual.iter().filter(|(name, _)| *name != "Accept" || path == "/mcp");
        for (name, value) in usual.chain(headers) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        let body = match head.to_lowercase().contains("transfer-encoding: chunked") {
            true => without_chunks(body),
            false => body.to_owned(),
        };
        // An event stream has it behind `data:`.
        let data = body.lines().rev().find_map(|line| line.strip_prefix("data:"));
        let text = data.filter(|data| !data.trim().is_empty()).unwrap_or(&body).trim();
        let body = serde_json::from_str(text).unwrap_or_else(|error| panic!("no JSON ({error}): {answer}"));
        Reply { status, body }
    }
}

/// A text that says of an entry that it is in the journal, where it says in which ledger file.
fn without_places(text: &str) -> String {
    let mut parts = text.split(".kenning/");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_end = |letter: char| letter.is_whitespace() || matches!(letter, '`' | '"' | ',' | ')');
        let (path, rest) = part.split_at(part.find(is_end).unwrap_or(part.len()));
        let is_ledger = path.ends_with(".jsonl");
        plain.push_str(if is_ledger { "in the journal" } else { ".kenning/" });
        plain.push_str(if is_ledger { "" } else { path });
        plain.push_str(rest);
    }
    plain
}

fn without_chunks(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        let Some(chunk) = rest.get(..size).filter(|_| size > 0) else { break };
        whole.push_str(chunk);
        body = rest[size..].strip_prefix("\r\n").unwrap_or("");
    }
    whole
}

/// Fields as a query has them.
fn pairs(given: Map<String, Value>) -> Vec<String> {
    let mut pairs = Vec::new();
    for (name, value) in given {
        let list = if let Value::Array(list) = value { list } else { vec![value] };
        pairs.extend(list.iter().map(|one| {
            format!("{name}={}", encoded(&one.as_str().map_or_else(|| one.to_string(), str::to_owned)))
        }));
    }
    pairs
}

/// A value as a part of an address.
fn encoded(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    text.bytes()
        .map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// Has a folder mirrored and a name kept in the project, as a person of the clone says.
fn settings(workspace: &Workspace) {
    #[allow(clippy::disallowed_methods, reason = "a test plays the person")]
    let ada = Person::confirmed_at_terminal("human:Ada");
    let caller = Caller::new("human:Ada", Millis::parse(NOW).unwrap(), Channel::Library).confirmed_by(ada);
    for (key, value) in [("mirrors.decisions", "adr:docs/adr"), ("guard.organisations", "Acme")] {
        workspace
            .call(&caller, |ken| {
                kenning::config::set_setting(&ken.ledger, &mut ken.site.config, &ken.caller, key, value)
            })
            .unwrap();
    }
}

/// A token that opens everything but what takes a person.
fn administrators(workspace: &Workspace) -> String {
    let access = Access::of(workspace.state());
    let added = access.add("tester", Role::Admin, None, "human:Ada", Millis::parse(NOW).unwrap()).unwrap();
    added.token
}

/// A workspace in a database, with the name that the log in memory has.
fn in_postgres(options: &Options, address: &str) -> Workspace {
    let address = || kenning::postgres::Address::parse(address).unwrap();
    kenning::postgres::migrate(address(), false).unwrap();
    kenning::postgres::create_workspace_as(address(), "main", ReplicaId([0; 6])).unwrap();
    kenning::postgres::in_postgres(options.clone(), address(), "main").unwrap()
}

/// Gives a clone the name that the log in memory has, so that both say the same events.
fn name_as_in_memory(home: &Path) {
    fs::create_dir_all(home).unwrap();
    let folder = fs::metadata(home).unwrap().ino();
    let known = json!({"id": "000000000000", "folder": folder});
    fs::write(home.join("replica"), known.to_string()).unwrap();
}

/// What a host wrote of a session, in a folder that nobody has.
fn session() -> String {
    let says = |kind: &str, content: Value| {
        let message = json!({"role": kind, "content": content});
        json!({"type": kind, "sessionId": "5c1e-0001", "cwd": "/nowhere", "isSidechain": false, "message": message})
    };
    let run = |id: &str, failed: bool, output: &str| {
        let call =
            json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "cargo test"}}]);
        let result =
            json!([{"type": "tool_result", "tool_use_id": id, "is_error": failed, "content": output}]);
        [says("assistant", call), says("user", result)]
    };
    let mut lines = vec![says("user", json!("the tests of the cache fail since yesterday, why?"))];
    lines.extend(run("t1", true, "Exit code 101\nFAILED tests/net.rs - it_retries"));
    let told =
        "`evict` in `src/cache.rs` halves an odd limit and loses one entry, so the test that counts fails.";
    lines.push(says("assistant", json!([{"type": "text", "text": told}])));
    lines.push(says("user", json!("No, we never round down here, limits belong in `src/cache.rs`.")));
    let lesson =
        "Done.\n\nLesson: limits of the cache in `src/cache.rs` are even; an odd one loses an entry.";
    lines.push(says("assistant", json!([{"type": "text", "text": lesson}])));
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// A repository with some code, an instruction file, a decision and two commits.
fn repository(root: &Path) {
    let write = |path: &str, text: &str| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.args(args).current_dir(root);
        for date in ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"] {
            command.env(date, NOW);
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    fs::create_dir_all(root).unwrap();
    git(&["init", "-q", "-b", "main"]);
    for (name, value) in [
        ("user.name", "Ada"),
        ("user.email", "ada@example.org"),
        ("commit.gpgsign", "false"),
        ("gc.auto", "0"),
    ] {
        git(&["config", name, value]);
    }
    write("src/net.rs", "pub fn retry() {\n    jitter();\n}\n\nfn jitter() {}\n");
    write("src/cache.rs", "pub fn evict(limit: usize) -> usize {\n    limit / 2\n}\n");
    write("src/auth.rs", "pub fn same(a: &[u8], b: &[u8]) -> bool {\n    a == b\n}\n");
    write("tests/net.rs", "#[test]\nfn it_retries() {}\n");
    write(
        "CLAUDE.md",
        "# Rules\n\n- Always run `cargo fmt` before a commit, because CI refuses unformatted code.\n- Never log the text of a token.\n",
    );
    write(
        "docs/adr/0001-one-writer.md",
        "# 1. One writer at a time\n\nStatus: accepted\n\n## Context\n\nTwo writers tore the journal in `src/cache.rs`.\n\n\
         ## Decision\n\nWe let one writer append at a time, because a torn journal cannot be read again.\n\n\
         ## Consequences\n\nWriters wait for each other.\n",
    );
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "A first version"]);
    write(
        "src/net.rs",
        "pub fn retry() {\n    // All at once would be too many.\n    jitter();\n}\n\nfn jitter() {}\n",
    );
    write("session.jsonl", &session());
    git(&["add", "-A"]);
    git(&[
        "commit",
        "-q",
        "-m",
        "Fix retries\n\nThe root cause was that all clients came back at once, so retry() waits for a random time.",
    ]);
}
