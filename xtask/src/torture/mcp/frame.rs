//! Frames that no client should send, and what must come back for each.

use serde_json::{Map, Value, json};

/// The longest line that the server takes.
const LINE_BYTES_MAX: usize = 4 << 20;
/// Frames of a burst. The server takes more requests than that at a time.
const BURST_MAX: usize = 24;

/// One line to a server.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Frame {
    /// Without the end of the line.
    pub(super) bytes: Vec<u8>,
    pub(super) expected: Expected,
    /// It may change the store.
    pub(super) writes: bool,
    /// It is written in small pieces.
    pub(super) slow: bool,
}

/// What must come back.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expected {
    /// One answer under this id, as JSON writes it.
    Answer(String),
    /// Such an answer, or none: it may be called off before it is there.
    Perhaps(String),
    /// One error without an id.
    ErrorWithoutId,
    Nothing,
}

impl Frame {
    fn new(bytes: Vec<u8>) -> Frame {
        let bytes: Vec<u8> = bytes.into_iter().map(|byte| if byte == b'\n' { b' ' } else { byte }).collect();
        Frame { expected: expected(&bytes), bytes, writes: false, slow: false }
    }

    fn json(value: &Value) -> Frame {
        Frame::new(value.to_string().into_bytes())
    }

    /// The beginning of it, for a message.
    pub(super) fn shown(&self) -> String {
        let cut = &self.bytes[..self.bytes.len().min(1_500)];
        format!("{} ({} bytes, {:?})", String::from_utf8_lossy(cut), self.bytes.len(), self.expected)
    }
}

/// What JSON-RPC and MCP want for a line.
fn expected(line: &[u8]) -> Expected {
    if line.trim_ascii().is_empty() {
        return Expected::Nothing;
    }
    if line.len() >= LINE_BYTES_MAX {
        return Expected::ErrorWithoutId;
    }
    let Ok(Value::Object(said)) = serde_json::from_slice::<Value>(line.trim_ascii()) else {
        return Expected::ErrorWithoutId;
    };
    let id = match said.get("id") {
        Some(id @ Value::String(_)) => Some(id.to_string()),
        Some(Value::Number(id)) if id.is_i64() => Some(id.to_string()),
        _ => None,
    };
    // Whether 1e3 is a whole number is the reader's business.
    if let Some(Value::Number(id)) = said.get("id")
        && let Some(number) = id.as_f64().filter(|number| id.is_f64() && number.fract() == 0.0)
    {
        return Expected::Perhaps((number as i64).to_string());
    }
    let versed = said.get("jsonrpc").is_some_and(|version| version == "2.0");
    match said.get("method") {
        Some(Value::String(_)) if versed && !said.contains_key("id") => Expected::Nothing,
        None if said.contains_key("result") || said.contains_key("error") => Expected::Nothing,
        _ => id.map_or(Expected::ErrorWithoutId, Expected::Answer),
    }
}

/// A tool as it is listed.
#[derive(Clone, Debug)]
pub(super) struct Tool {
    name: String,
    arguments: Vec<String>,
    reads: bool,
}

impl Tool {
    pub(super) fn listed(tool: &Value) -> Tool {
        let arguments = tool["inputSchema"]["properties"].as_object();
        Tool {
            name: tool["name"].as_str().unwrap_or_default().to_owned(),
            arguments: arguments.map(|all| all.keys().cloned().collect()).unwrap_or_default(),
            reads: tool["annotations"]["readOnlyHint"] == true,
        }
    }
}

/// Writes frames by the fall of the dice.
pub(super) struct Writer {
    dice: u64,
    tools: Vec<Tool>,
    /// What entries are called by.
    ids: Vec<String>,
    next_id: u64,
    /// A frame that wants a burst of its own.
    kept: Option<Frame>,
}

/// Tools that are written in the server itself come first; the others start a process each.
const OWN_TOOLS: usize = 9;

const HOSTILE: &[&str] = &[
    "",
    " ",
    "-",
    "--",
    "--help",
    "-h",
    "--json",
    "--store=../outside",
    "--global",
    "-rf",
    "../outside",
    "../../../../../../../nonexistent/outside",
    "/dev/null",
    "/dev/zero",
    "/proc/self/mem",
    "$(touch ../outside)",
    "`touch ../outside`",
    "; touch ../outside",
    "| tee ../outside",
    "&& touch ../outside",
    "a\u{0}b",
    "\u{1b}[31mred\u{1b}[0m",
    "\u{202e}right to left",
    "line\r\nbreak",
    "\u{feff}mark",
    "😀😀😀",
    "%s%n%x",
    "' OR 1=1 --",
    "{{7*7}}",
    "HEAD..",
    "HEAD~1..HEAD",
    "main..--output=../outside",
    "NaN",
    "-1",
    "1e999",
    "99999999999999999999999",
    "commit:deadbeef",
    "doc:../outside",
    "doc:docs/auth.md",
    "test:src/auth.rs",
    "src/auth.rs:999999-1",
    "src/auth.rs#step_1",
    "lesson",
    "decision",
    "researcher",
    "L-000000",
    "lesson.0000000000000000",
    "*",
    "[",
    "(",
    "the retry loop of auth holds its lock while it waits for the network",
];

const ADDRESSES: &[&str] = &[
    "ken://index",
    "ken://health",
    "ken://briefing",
    "ken://entry/%",
    "ken://entry/%4",
    "ken://entry/%zz",
    "ken://entry/%00",
    "ken://entry/%ff%fe",
    "ken://entry/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "ken://entry/../../etc/passwd",
    "ken://entry/%F0%9F%98%80",
    "ken://entry/é%",
    "ken://entry/",
    "ken://entry//",
    "ken://as-of/HEAD/%",
    "ken://as-of/--output=x/L-000000",
    "ken://as-of/%2d%2dhelp/L-000000",
    "ken://as-of/HEAD~99999/L-000000",
    "ken://as-of//",
    "ken://",
    "ken:/index",
    "KEN://index",
    "file:///etc/passwd",
    "http://127.0.0.1/",
    "",
    "\u{0}",
];

const METHODS: &[&str] = &[
    "",
    "no/such",
    "tools",
    "tools/call/",
    "TOOLS/LIST",
    "rpc.discover",
    "sampling/createMessage",
    "elicitation/create",
    "roots/list",
    "completion/complete",
    "logging/setLevel",
    "resources/subscribe",
    "tasks/list",
    "notifications/initialized",
    "notifications/cancelled",
    "notifications/no-such",
    "\u{0}",
    "__proto__",
];

const REVISIONS: &[&str] =
    &["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2026-07-28", "1999-01-01", ""];

impl Writer {
    pub(super) fn new(seed: u64, tools: Vec<Tool>) -> Writer {
        Writer { dice: seed, tools, ids: Vec::new(), next_id: 0, kept: None }
    }

    /// Entries that calls may name.
    pub(super) fn knows(&mut self, ids: Vec<String>) {
        self.ids = ids;
    }

    fn roll(&mut self) -> u64 {
        self.dice = self.dice.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.dice;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below a bound.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.roll() % bound.max(1) as u64) as usize
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }

    fn bytes(&mut self, most: usize) -> Vec<u8> {
        let count = 1 + self.below(most);
        (0..count).map(|_| self.roll() as u8).collect()
    }

    /// An id that was not used before.
    pub(super) fn fresh_id(&mut self) -> Value {
        self.next_id += 1;
        if self.below(4) == 0 { json!(format!("r-{}", self.next_id)) } else { json!(self.next_id) }
    }

    pub(super) fn request(&mut self, method: &str, params: Value) -> Value {
        json!({"jsonrpc": "2.0", "id": self.fresh_id(), "method": method, "params": params})
    }

    /// How a conversation begins: as it should, by an older or newer revision, or not at all.
    pub(super) fn greeting(&mut self) -> Vec<Frame> {
        let revision = self.pick(REVISIONS);
        let client = json!({"name": "torture", "version": "1"});
        let hello = json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": client});
        let hello = self.request("initialize", hello);
        let noted = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        match self.below(8) {
            // Nobody greets: only requests that say everything themselves are answered with a result.
            0 => vec![Frame::json(&noted), Frame::json(&json!({"jsonrpc": "2.0", "id": 1, "result": {}}))],
            1 => {
                let meta = meta();
                let discover = self.request("server/discover", json!({ "_meta": meta }));
                let list = self.request("tools/list", json!({ "_meta": meta }));
                vec![Frame::json(&discover), Frame::json(&list)]
            }
            2 => vec![Frame::json(&hello)],
            _ => vec![Frame::json(&hello), Frame::json(&noted)],
        }
    }

    /// Some frames to be sent at once; one that writes comes alone.
    pub(super) fn burst(&mut self, most: usize) -> Vec<Frame> {
        let wanted = (1 + self.below(BURST_MAX)).min(most.max(1));
        let mut burst: Vec<Frame> = Vec::new();
        while burst.len() < wanted {
            let frame = match self.kept.take() {
                Some(frame) => frame,
                None => self.frame(&mut burst),
            };
            match (frame.writes, burst.is_empty()) {
                (true, true) => return vec![frame],
                (true, false) => {
                    self.kept = Some(frame);
                    break;
                }
                (false, _) => burst.push(frame),
            }
        }
        burst
    }

    fn frame(&mut self, burst: &mut [Frame]) -> Frame {
        let mut frame = match self.below(100) {
            0..8 => Frame::new(self.bytes(300)),
            8..15 => {
                let mut bytes = self.sound().to_string().into_bytes();
                bytes.truncate(1 + self.below(bytes.len() - 1));
                Frame::new(bytes)
            }
            15..21 => self.mutated(),
            21..24 => {
                let mut bytes = self.sound().to_string().into_bytes();
                let at = self.below(bytes.len());
                let odd: &[u8] =
                    [&b"\xff"[..], b"\xc3\x28", b"\xed\xa0\x80", b"\0", b"\0\0\0"][self.below(5)];
                bytes.splice(at..at, odd.iter().copied());
                Frame::new(bytes)
            }
            24 => self.long(),
            25 | 26 => self.deep(),
            27..35 => self.odd_id(burst),
            35..39 => {
                let mut request = self.sound();
                let versions =
                    [json!("1.0"), json!(2.0), json!("2.1"), json!(null), json!(["2.0"]), json!("")];
                request["jsonrpc"] = versions[self.below(versions.len())].clone();
                Frame::json(&request)
            }
            39..42 => {
                let count = self.below(5);
                let batch: Vec<Value> = (0..count).map(|_| self.sound()).collect();
                Frame::json(&json!(batch))
            }
            42..50 => {
                let method = self.pick(METHODS);
                let params = self.value(2);
                let request = self.request(method, params);
                Frame::json(&request)
            }
            50..54 => {
                let (method, params) = (self.pick(METHODS), self.value(2));
                Frame::json(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
            }
            54 | 55 => {
                let params = self.value(2);
                let request = self.request("initialize", params);
                Frame::json(&request)
            }
            56..60 => self.calling_off(burst),
            60..63 => {
                let (id, value) = (self.value(0), self.value(2));
                let name = self.pick(&["result", "error"]);
                Frame::json(&json!({"jsonrpc": "2.0", "id": id, name: value}))
            }
            63..70 => {
                let request = self.sound();
                Frame::json(&request)
            }
            70..76 => {
                let uri = match self.below(3) {
                    0 => format!("ken://entry/{}", self.text()),
                    _ => self.pick(ADDRESSES).to_owned(),
                };
                let request = self.request("resources/read", json!({ "uri": uri }));
                Frame::json(&request)
            }
            76..79 => {
                let (name, arguments) = (self.text(), self.value(1));
                let request = self.request("prompts/get", json!({"name": name, "arguments": arguments}));
                Frame::json(&request)
            }
            _ => self.call(),
        };
        frame.slow = frame.bytes.len() < 2_000 && self.below(400) == 0;
        frame
    }

    /// A request that a client could send.
    fn sound(&mut self) -> Value {
        let method =
            self.pick(&["ping", "tools/list", "resources/list", "prompts/list", "resources/templates/list"]);
        let params = if self.below(3) == 0 { json!({ "_meta": meta() }) } else { json!({}) };
        self.request(method, params)
    }

    fn mutated(&mut self) -> Frame {
        let mut bytes = self.sound().to_string().into_bytes();
        for _ in 0..=self.below(4) {
            let at = self.below(bytes.len());
            match self.below(4) {
                0 => bytes[at] = self.roll() as u8,
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, b"{}[],:\"\\0 "[self.below(10)]),
                _ => {
                    let end = (at + 1 + self.below(12)).min(bytes.len());
                    let again = bytes[at..end].to_vec();
                    bytes.splice(at..at, again);
                }
            }
            if bytes.is_empty() {
                bytes.push(b'{');
            }
        }
        let mut frame = Frame::new(bytes);
        // A name that is there twice may be read either way.
        if let Expected::Answer(id) = &frame.expected
            && serde_json::from_slice::<Value>(&frame.bytes)
                .is_ok_and(|value| value.to_string().len() + 8 < frame.bytes.len())
        {
            frame.expected = Expected::Perhaps(id.clone());
        }
        frame
    }

    fn long(&mut self) -> Frame {
        // Most are as long as a pipe is deep; a few are as long as can be, or longer.
        let length = match self.below(12) {
            0 => LINE_BYTES_MAX - 300,
            1 => LINE_BYTES_MAX + 1 + self.below(LINE_BYTES_MAX),
            _ => 60_000 + self.below(80_000),
        };
        let filler = if self.below(2) == 0 { "a" } else { " " }.repeat(length);
        let request = self.request("ping", json!({ "filler": filler }));
        Frame::json(&request)
    }

    fn deep(&mut self) -> Frame {
        let levels = [100, 127, 128, 1_000, 100_000][self.below(5)];
        let (open, close) = if self.below(2) == 0 { ("[", "]") } else { ("{\"a\":", "}") };
        let core = if open == "[" { "" } else { "1" };
        let nested = format!("{}{core}{}", open.repeat(levels), close.repeat(levels));
        let id = self.fresh_id();
        let text = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/list\",\"params\":{{\"x\":{nested}}}}}"
        );
        let mut frame = Frame::new(text.into_bytes());
        // How deep is too deep is the reader's business, as long as it says so.
        if (100..=200).contains(&levels) {
            frame.expected = Expected::Perhaps(id.to_string());
        }
        frame
    }

    fn odd_id(&mut self, burst: &mut [Frame]) -> Frame {
        let mut request = self.sound();
        let huge = "x".repeat(5_000);
        let ids = [
            "null",
            "1.5",
            "true",
            "[1]",
            "{\"a\":1}",
            "18446744073709551615",
            "1e3",
            "-0.0",
            "\"\"",
            "-9223372036854775808",
            "9223372036854775807",
            "\"\\u0000\"",
        ];
        match self.below(4) {
            // The same id twice at the same time: each is answered.
            0 => {
                if let Some(Expected::Answer(id)) = burst.last().map(|frame| frame.expected.clone()) {
                    request["id"] = serde_json::from_str(&id).unwrap_or_default();
                }
                Frame::json(&request)
            }
            1 => {
                request["id"] = json!(format!("{huge}{}", self.next_id));
                Frame::json(&request)
            }
            _ => {
                let id = self.pick(&ids);
                let text = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}");
                Frame::new(text.into_bytes())
            }
        }
    }

    fn calling_off(&mut self, burst: &mut [Frame]) -> Frame {
        let at = self.below(burst.len());
        let id = match burst.get(at).map(|frame| frame.expected.clone()) {
            Some(Expected::Answer(id)) if self.below(3) > 0 => serde_json::from_str(&id).unwrap_or_default(),
            _ => self.value(0),
        };
        // By chance it may be an id that is under way.
        for frame in burst.iter_mut() {
            if frame.expected == Expected::Answer(id.to_string()) {
                frame.expected = Expected::Perhaps(id.to_string());
            }
        }
        let params = json!({"requestId": id, "reason": "torture"});
        Frame::json(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}))
    }

    /// A call of a tool with arguments that it may or may not have.
    pub(super) fn call(&mut self) -> Frame {
        let count = self.tools.len();
        let at = if self.below(2) == 0 { self.below(OWN_TOOLS.min(count)) } else { self.below(count) };
        let tool = self.tools[at].clone();
        let mut arguments = Map::new();
        if tool.name == "remember" && self.below(8) == 0 {
            let statement =
                format!("The page size of catalog is capped at {} rows by the gateway", self.roll() % 9_000);
            arguments.insert("statement".to_owned(), json!(statement));
            arguments.insert("evidence".to_owned(), json!(["doc:docs/catalog.md"]));
            arguments.insert("anchors".to_owned(), json!(["src/catalog.rs:3-9"]));
            arguments.insert("verify".to_owned(), json!(["look at the gateway"]));
        } else {
            for name in &tool.arguments {
                if self.below(tool.arguments.len()) < 3 {
                    let value = match self.below(3) {
                        0 => self.value(2),
                        1 => json!([self.text()]),
                        _ => json!(self.text()),
                    };
                    arguments.insert(name.clone(), value);
                }
            }
            if self.below(12) == 0 {
                let (name, value) = (self.text(), self.value(1));
                arguments.insert(name, value);
            }
        }
        let name = if self.below(40) == 0 { self.text() } else { tool.name.clone() };
        let params = match self.below(30) {
            0 => self.value(2),
            1 => json!({"name": self.value(1), "arguments": arguments}),
            2 => json!({"name": name, "arguments": self.value(1)}),
            3 => json!({"name": name, "arguments": arguments, "_meta": meta()}),
            _ => json!({"name": name, "arguments": arguments}),
        };
        let request = self.request("tools/call", params);
        Frame { writes: !tool.reads, ..Frame::json(&request) }
    }

    fn text(&mut self) -> String {
        match self.below(20) {
            0 => "A".repeat(1 + self.below(20_000)),
            1 if self.below(20) == 0 => "B".repeat(200_000),
            2 => String::from_utf8_lossy(&self.bytes(60)).into_owned(),
            3..7 if !self.ids.is_empty() => {
                let at = self.below(self.ids.len());
                self.ids[at].clone()
            }
            _ => self.pick(HOSTILE).to_owned(),
        }
    }

    fn value(&mut self, levels: usize) -> Value {
        match self.below(if levels == 0 { 9 } else { 12 }) {
            0 => Value::Null,
            1 => json!(self.below(2) == 0),
            2 => json!(self.roll()),
            3 => json!(-((self.roll() >> 1) as i64)),
            4 => json!(1e308),
            5 => json!(0.1),
            6..9 => json!(self.text()),
            9 | 10 => {
                let count = self.below(5);
                (0..count).map(|_| self.value(levels - 1)).collect()
            }
            _ => {
                let count = self.below(4);
                let pairs: Map<String, Value> =
                    (0..count).map(|_| (self.text(), self.value(levels - 1))).collect();
                Value::Object(pairs)
            }
        }
    }
}

/// What a request of the newest revision says about its client.
fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "torture", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_must_come_back_follows_from_the_line() {
        let answer = |id: &str| Expected::Answer(id.to_owned());
        let table: &[(&str, Expected)] = &[
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, answer("1")),
            (r#"{"jsonrpc":"2.0","id":"1","method":"no/such"}"#, answer("\"1\"")),
            (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, answer("1")),
            (r#"{"jsonrpc":"2.0","method":"ping"}"#, Expected::Nothing),
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, Expected::Nothing),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, Expected::ErrorWithoutId),
            ("[]", Expected::ErrorWithoutId),
            ("{", Expected::ErrorWithoutId),
            ("", Expected::Nothing),
        ];
        for (line, wanted) in table {
            assert_eq!(expected(line.as_bytes()), *wanted, "{line}");
        }
    }
}
