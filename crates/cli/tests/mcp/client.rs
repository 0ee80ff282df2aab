//! A small MCP client of our own: JSON-RPC over the pipes of `ken mcp`, and over a plain socket to `ken serve --mcp`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::world::World;

/// The revision without a handshake: each request says who asks.
pub const NEWEST: &str = "2026-07-28";
/// The revision that most hosts speak, with a handshake.
pub const USUAL: &str = "2025-06-18";

/// The token of servers over HTTP, where a test has none of its own.
pub const TOKEN: &str = "a-token-of-sixteen-letters-or-more";

/// No answer takes this long; a server that is silent for so long hangs, and the test says so.
const PATIENCE: Duration = Duration::from_secs(120);

/// `ken` in a world, without what the machine around says about hosts and tokens.
pub fn ken(world: &World, args: &[&str]) -> Command {
    let mut command = world.command(&World::binary().display().to_string());
    for name in ["CLAUDE_CODE_SESSION_ID", "KEN_AGENT", "KEN_TOKEN", "KEN_CHECK_ALLOW"] {
        command.env_remove(name);
    }
    command.envs(world.env.iter().map(|(name, value)| (name, value))).args(args);
    command
}

/// What a tool answered.
#[derive(Debug)]
pub struct Called {
    pub text: String,
    pub value: Value,
    pub is_error: bool,
}

impl Called {
    /// Reads the result of `tools/call`.
    pub fn of(response: &Value) -> Called {
        let result = &response["result"];
        assert!(result.is_object(), "no result: {response}");
        Called {
            text: result["content"][0]["text"].as_str().unwrap_or_default().to_owned(),
            value: result["structuredContent"].clone(),
            is_error: result["isError"].as_bool().unwrap_or(false),
        }
    }

    /// Insists that it worked.
    pub fn ok(self) -> Called {
        assert!(!self.is_error, "{self:?}");
        self
    }

    /// Insists that it did not; gives the error.
    pub fn error(self) -> Value {
        assert!(self.is_error, "{self:?}");
        let error = self.value["error"].clone();
        let message = error["message"].as_str().unwrap_or_else(|| panic!("{self:?}"));
        // The text names fields where the message names flags of the command line.
        let begin = message.split(['(', '`']).next().unwrap_or_default();
        assert!(self.text.contains(begin), "the text says less than the value: {self:?}");
        error
    }
}

/// Makes requests in the words of a revision.
pub struct Speech {
    pub revision: String,
    pub capabilities: Value,
    next: u64,
}

impl Speech {
    pub fn new(revision: &str) -> Speech {
        Speech { revision: revision.to_owned(), capabilities: json!({}), next: 0 }
    }

    fn is_newest(&self) -> bool {
        self.revision.as_str() >= NEWEST
    }

    /// A request with a new id; the newest revision says in each who asks.
    pub fn request(&mut self, method: &str, mut params: Value) -> Value {
        self.next += 1;
        if self.is_newest() {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": self.revision,
                "io.modelcontextprotocol/clientCapabilities": self.capabilities,
                "io.modelcontextprotocol/clientInfo": {"name": "driver", "version": "1"},
            });
        }
        json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params})
    }

    /// How a conversation begins.
    pub fn greeting(&mut self) -> Value {
        if self.is_newest() {
            return self.request("server/discover", json!({}));
        }
        let (revision, capabilities) = (self.revision.clone(), self.capabilities.clone());
        let client = json!({"name": "driver", "version": "1"});
        self.request(
            "initialize",
            json!({"protocolVersion": revision, "capabilities": capabilities, "clientInfo": client}),
        )
    }
}

/// A conversation over pipes.
pub struct Client {
    child: Child,
    pipe: Option<ChildStdin>,
    lines: Receiver<String>,
    pub speech: Speech,
    /// What is answered when the server asks for something; nothing may be asked where there is no answer.
    pub elicited: Option<Value>,
    /// Everything that was said, in order.
    pub said: Vec<(&'static str, Value)>,
}

impl Client {
    /// Starts `ken mcp` and greets it.
    pub fn start(world: &World, args: &[&str], revision: &str) -> Client {
        Client::with_capabilities(world, args, revision, json!({}))
    }

    /// The same for a client that can do more.
    pub fn with_capabilities(world: &World, args: &[&str], revision: &str, capabilities: Value) -> Client {
        let mut client = Client::silent(world, args, revision);
        client.speech.capabilities = capabilities;
        client.greet();
        client
    }

    /// Starts `ken mcp` and says nothing yet.
    pub fn silent(world: &World, args: &[&str], revision: &str) -> Client {
        let mut child = ken(world, &[&["mcp"], args].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (pipe, out) = (child.stdin.take(), child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Client { child, pipe, lines, speech: Speech::new(revision), elicited: None, said: Vec::new() }
    }

    /// Says hello, as the revision has it; gives the answer.
    pub fn greet(&mut self) -> Value {
        let greeting = self.speech.greeting();
        let answer = self.ask(greeting);
        if !self.speech.is_newest() {
            self.tell(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        }
        answer
    }

    /// Sends a message.
    pub fn tell(&mut self, message: Value) {
        let pipe = self.pipe.as_mut().expect("the pipe is open until the client ends");
        writeln!(pipe, "{message}").unwrap();
        pipe.flush().unwrap();
        self.said.push(("client", message));
    }

    fn hear(&mut self) -> Value {
        let line = match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => line,
            Err(_) => {
                let mut notes = String::new();
                let _ = self.child.kill();
                let _ = self.child.stderr.take().unwrap().read_to_string(&mut notes);
                panic!("the server said nothing more; last: {:?}\n{notes}", self.said.last());
            }
        };
        let message: Value =
            serde_json::from_str(&line).unwrap_or_else(|error| panic!("no JSON ({error}): {line}"));
        self.said.push(("server", message.clone()));
        message
    }

    /// Sends a request and waits for its answer; what the server asks meanwhile is answered.
    pub fn ask(&mut self, request: Value) -> Value {
        let id = request["id"].clone();
        self.tell(request);
        loop {
            let message = self.hear();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            if message["method"] == "elicitation/create" {
                let answer = self.elicited.clone().unwrap_or_else(|| panic!("nobody to ask: {message}"));
                self.tell(json!({"jsonrpc": "2.0", "id": message["id"], "result": answer}));
            }
        }
    }

    /// A request by its method.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let request = self.speech.request(method, params);
        self.ask(request)
    }

    /// Calls a tool.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Called {
        Called::of(&self.request("tools/call", json!({"name": tool, "arguments": arguments})))
    }

    /// Closes the pipe; gives the exit code.
    pub fn end(mut self) -> Option<i32> {
        drop(self.pipe.take());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A test that failed leaves no process behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A server over HTTP.
pub struct Site {
    child: Child,
    /// `127.0.0.1:PORT`.
    pub address: String,
    /// What its requests show.
    pub token: Option<String>,
}

/// What a server answered over HTTP.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: String,
    pub body: String,
}

impl Reply {
    /// The body as JSON; an event stream has it behind `data:`.
    pub fn json(&self) -> Value {
        let data = self.body.lines().rev().find_map(|line| line.strip_prefix("data:"));
        let text = data.filter(|data| !data.trim().is_empty()).unwrap_or(&self.body);
        serde_json::from_str(text.trim()).unwrap_or_else(|error| panic!("no JSON ({error}): {self:?}"))
    }

    /// A header, in whatever case it came.
    pub fn header(&self, name: &str) -> Option<String> {
        self.headers.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        })
    }
}

impl Site {
    /// Starts `ken serve --mcp` on a free port, with [`TOKEN`].
    pub fn start(world: &World, args: &[&str]) -> Site {
        let mut child = ken(world, &[&["serve", "--mcp", "--listen", "127.0.0.1:0"], args].concat())
            .env("KEN_TOKEN", TOKEN)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix("/mcp"));
        let address = address.unwrap_or_else(|| panic!("no address is printed: {line:?}")).to_owned();
        assert!(!address.ends_with(":0"), "the port is the one that was taken: {address}");
        Site { child, address, token: Some(TOKEN.to_owned()) }
    }

    /// A connection that gives up before a test would hang.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Posts a body with some headers beside the usual ones.
    pub fn post(&self, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut stream = self.connect();
        let mut head = format!("POST /mcp HTTP/1.1\r\nContent-Length: {}\r\n", body.len());
        let usual = [
            ("Host", self.address.as_str()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("Connection", "close"),
        ];
        let given = |name: &str| headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
        let usual = usual.into_iter().filter(|(name, _)| !given(name));
        for (name, value) in usual.chain(headers.iter().copied()) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if let Some(token) = self.token.as_ref().filter(|_| !given("Authorization")) {
            head.push_str(&format!("Authorization: Bearer {token}\r\n"));
        }
        stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
        // Who is refused at the door may find it closed before everything was said.
        let _ = stream.write_all(body.as_bytes());
        read_reply(stream)
    }

    /// One request of the newest revision, which needs no session.
    pub fn ask(&self, speech: &mut Speech, method: &str, params: Value) -> Value {
        let named = ["name", "uri"].iter().find_map(|field| params[*field].as_str().map(str::to_owned));
        let request = speech.request(method, params).to_string();
        let mut headers = vec![("MCP-Protocol-Version", speech.revision.as_str()), ("Mcp-Method", method)];
        headers.extend(named.as_deref().map(|name| ("Mcp-Name", name)));
        self.post(&headers, &request).json()
    }

    /// Calls a tool.
    pub fn call(&self, tool: &str, arguments: Value) -> Called {
        let mut speech = Speech::new(NEWEST);
        Called::of(&self.ask(&mut speech, "tools/call", json!({"name": tool, "arguments": arguments})))
    }
}

/// Reads a reply until the server closes the connection.
pub fn read_reply(mut stream: TcpStream) -> Reply {
    let mut bytes = Vec::new();
    // A connection that is reset after the answer still has the answer.
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (headers, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = headers.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    let mut reply = Reply { status, headers: headers.to_owned(), body: body.to_owned() };
    if reply.header("Transfer-Encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
        reply.body = without_chunks(body);
    }
    reply
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

impl Drop for Site {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
