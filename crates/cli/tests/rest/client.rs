//! A client of the HTTP API that sends exactly what it is told.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use kenning::verb::Row;
use serde_json::{Map, Value, json};

use crate::mcp::client::{Reply, ken, read_reply};
use crate::world::World;

/// No request takes so long.
const PATIENCE: Duration = Duration::from_secs(60);

/// `ken serve`, and a token for it.
pub struct Api {
    child: Child,
    pub address: String,
    /// The link that the server printed.
    pub link: String,
    pub token: String,
    document: Value,
}

impl Drop for Api {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Makes a token; one that only a person may make is made on a terminal.
pub fn token(world: &World, name: &str, role: &str) -> String {
    let words = ["token", "add", name, "--role", role, "--json"];
    let added = match role {
        "reader" | "writer" => world.ken_args(&words).ok().json(),
        _ => {
            let talk = [("Type `yes` to continue: ", "yes\n")];
            let screen = crate::pty::ken_on_terminal(world, &[], &words, &talk).out;
            let at = screen.find('{').unwrap_or_else(|| panic!("{screen}"));
            serde_json::from_str(screen[at..].trim()).unwrap_or_else(|error| panic!("{error}: {screen}"))
        }
    };
    added["token"].as_str().unwrap_or_else(|| panic!("{added}")).to_owned()
}

impl Api {
    /// Starts a server, with a token named `tester`.
    pub fn start(world: &World, role: &str) -> Api {
        Api::start_with(world, role, &[])
    }

    /// The same, with more flags.
    pub fn start_with(world: &World, role: &str, flags: &[&str]) -> Api {
        Api::serve(world, &token(world, "tester", role), flags)
    }

    /// The same, with a token that was made before.
    pub fn serve(world: &World, token: &str, flags: &[&str]) -> Api {
        let mut child = ken(world, &[&["serve", "--listen", "127.0.0.1:0"], flags].concat())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut link = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut link).unwrap();
        let link = link.trim().to_owned();
        let address = link.strip_prefix("http://").and_then(|rest| rest.split_once('/'));
        let address = address.unwrap_or_else(|| panic!("no link is printed: {link:?}")).0.to_owned();
        let mut api = Api { child, address, link, token: token.to_owned(), document: Value::Null };
        api.document = api.send("GET", "/api/v1/openapi.json", &[], "").json();
        api
    }

    /// The process of the server.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    pub fn document(&self) -> &Value {
        &self.document
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends a request with these headers beside `Host`, `Connection` and `Content-Length`, and no token.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        let given = |name: &str| headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
        let length = body.len().to_string();
        let usual =
            [("Host", self.address.as_str()), ("Connection", "close"), ("Content-Length", length.as_str())];
        for (name, value) in usual.into_iter().filter(|(name, _)| !given(name)).chain(headers.iter().copied())
        {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let mut stream = self.connect();
        stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
        // Who is refused at the door may find it closed before everything was said.
        let _ = stream.write_all(body.as_bytes());
        read_reply(stream)
    }

    /// The same under `/api/v1`, with the token and a JSON body.
    pub fn ask(&self, method: &str, path: &str, body: Option<Value>) -> Reply {
        self.ask_with(method, path, &[], body)
    }

    pub fn ask_with(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Option<Value>) -> Reply {
        let bearer = format!("Bearer {}", self.token);
        let mut all = vec![("Authorization", bearer.as_str())];
        if body.is_some() {
            all.push(("Content-Type", "application/json"));
        }
        all.extend_from_slice(headers);
        let body = body.map(|body| body.to_string()).unwrap_or_default();
        self.send(method, &format!("/api/v1{path}"), &all, &body)
    }

    /// Asks for a verb, at the path that the document gives it.
    pub fn verb(&self, row: &'static Row, mut given: Map<String, Value>) -> Reply {
        let (method, path, names) = self.operation(row, &given);
        let mut filled = path.clone();
        for (name, field) in names {
            let value = match given.remove(&field) {
                Some(Value::Array(list)) => list[0].clone(),
                Some(value) => value,
                None => panic!("{path} needs {name}: {given:?}"),
            };
            filled = filled.replace(&format!("{{{name}}}"), &encoded(value.as_str().unwrap()));
        }
        if method != "get" {
            let reply = self.ask(&method.to_uppercase(), &filled, Some(Value::Object(given)));
            self.keeps_to_its_schema(&method, &path, &reply);
            return reply;
        }
        let mut pairs = Vec::new();
        for (name, value) in given {
            let list = if let Value::Array(list) = value { list } else { vec![value] };
            pairs.extend(list.iter().map(|one| {
                format!("{name}={}", encoded(&one.as_str().map_or_else(|| one.to_string(), str::to_owned)))
            }));
        }
        let query = if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) };
        let reply = self.ask("GET", &format!("{filled}{query}"), None);
        self.keeps_to_its_schema(&method, &path, &reply);
        reply
    }

    /// Panics unless a reply is what the document says of it.
    fn keeps_to_its_schema(&self, method: &str, path: &str, reply: &Reply) {
        let told =
            &self.document["paths"][format!("/api/v1{path}")][method]["responses"][reply.status.to_string()];
        // Problems are the same everywhere.
        let told = match told["$ref"].as_str().and_then(|place| place.strip_prefix('#')) {
            Some(place) => self.document.pointer(place).unwrap(),
            None => told,
        };
        let kind = reply.header("Content-Type").unwrap_or_default();
        let schema = &told["content"][&kind]["schema"];
        assert!(
            schema.is_object(),
            "{method} {path} does not say that it answers {} as {kind:?}",
            reply.status
        );
        let mut whole = schema.clone();
        whole["components"] = self.document["components"].clone();
        let validator = jsonschema::validator_for(&whole).unwrap();
        let faults: Vec<String> = validator
            .iter_errors(&reply.json())
            .map(|fault| format!("{}: {fault}", fault.instance_path()))
            .collect();
        assert!(faults.is_empty(), "{method} {path}: {faults:#?}\n{}", reply.body);
    }

    /// The method and path that fit what is given best, and the field that each parameter of the path fills.
    fn operation(
        &self,
        row: &'static Row,
        given: &Map<String, Value>,
    ) -> (String, String, Vec<(String, String)>) {
        let has = |field: &str| {
            given.get(field).is_some_and(|value| value.as_array().is_none_or(|list| list.len() == 1))
        };
        let only_reads = row.read(given.clone()).is_ok_and(|ready| ready.only_reads());
        let mut fitting = Vec::new();
        for (path, methods) in self.document["paths"].as_object().unwrap() {
            let path = path.strip_prefix("/api/v1").unwrap();
            for (method, operation) in methods.as_object().unwrap() {
                if operation["x-ken-verb"] != row.name || path == "/norms" || (method == "get" && !only_reads)
                {
                    continue;
                }
                let text = |value: &Value| value.as_str().unwrap().to_owned();
                let parameters = operation["parameters"].as_array().unwrap().iter();
                let names: Vec<(String, String)> = parameters
                    .filter(|one| one["in"] == "path")
                    .map(|one| (text(&one["name"]), text(&one["x-ken-field"])))
                    .collect();
                if names.iter().all(|(_, field)| has(field)) {
                    fitting.push((method == "get", names.len(), method.clone(), path.to_owned(), names));
                }
            }
        }
        fitting.sort();
        let best = fitting.pop().unwrap_or_else(|| panic!("{} has no path for {given:?}", row.name));
        (best.2, best.3, best.4)
    }
}

/// A value as a part of an address.
pub fn encoded(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    text.bytes()
        .map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// A lesson as a request states it.
pub fn lesson(statement: &str) -> Value {
    json!({
        "type": "lesson", "statement": statement, "evidence": ["pr:1"], "anchor": ["src/net.rs"], "verify": ["look"],
    })
}
