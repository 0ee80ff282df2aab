//! Messages over two pipes, a line each: what is no message is told so, under its own id where that can be read.
//!
//! The transport of the SDK says nothing to a line it cannot read, loses the id of a request with wrong parameters, ends when a
//! notification comes before the greeting, and reads on however much is still to be answered. A client would wait for ever.

use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorCode, ErrorData, GetMeta, JsonRpcError,
    JsonRpcMessage, ProtocolVersion, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// The longest line, the same as the longest request over HTTP.
const LINE_BYTES_MAX: usize = 4 << 20;
/// Requests that wait for an answer at the same time.
const OPEN_MAX: usize = 256;
/// Lines that wait to be written; who does not read is not read from.
const UNWRITTEN_MAX: usize = 16;
/// The last lines are written within this time, or not at all.
const CLOSE_WITHIN: Duration = Duration::from_secs(2);
/// CallScope that is kept for the next line.
const KEPT_BYTES_MAX: usize = 64 << 10;
/// Methods that are answered, if their parameters can be read.
const SERVED: &[&str] = &[
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
];
/// More requests than are answered at a time.
const TOO_MANY: ErrorCode = ErrorCode(-32000);

/// Two pipes and what is under way between them.
pub(crate) struct Wire<R> {
    input: BufReader<R>,
    line: Vec<u8>,
    /// The line was too long, and its rest is skipped.
    skips: bool,
    /// A conversation has begun; before that, only requests are handed on.
    greeted: bool,
    open: Open,
    /// An error that is sent before anything else is read.
    owed: Option<JsonRpcError>,
    output: Option<mpsc::Sender<Vec<u8>>>,
    writer: JoinHandle<()>,
}

/// Requests that are not answered yet.
#[derive(Clone, Default)]
struct Open(Arc<Mutex<HashSet<RequestId>>>);

impl Open {
    fn with<T>(&self, work: impl FnOnce(&mut HashSet<RequestId>) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<R: AsyncRead + Send + Unpin> Wire<R> {
    pub(crate) fn new<W: AsyncWrite + Send + Unpin + 'static>(input: R, mut output: W) -> Wire<R> {
        let (sender, mut lines) = mpsc::channel::<Vec<u8>>(UNWRITTEN_MAX);
        let writer = tokio::spawn(async move {
            while let Some(line) = lines.recv().await {
                // Nobody listens any more; the closed channel tells the other half.
                if output.write_all(&line).await.is_err() || output.flush().await.is_err() {
                    return;
                }
            }
        });
        Wire {
            input: BufReader::new(input),
            line: Vec::new(),
            skips: false,
            greeted: false,
            open: Open::default(),
            owed: None,
            output: Some(sender),
            writer,
        }
    }

    /// The next line, without its end; none when the client has gone. It can be called off at any time and asked again.
    async fn next_line(&mut self) -> Option<Line> {
        loop {
            let seen = self.input.fill_buf().await.ok().filter(|seen| !seen.is_empty())?;
            let end = seen.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(seen.len(), |end| end + 1);
            let fits = self.line.len() + taken <= LINE_BYTES_MAX;
            if !self.skips && fits {
                self.line.extend_from_slice(&seen[..taken]);
            }
            self.input.consume(taken);
            if !self.skips && !fits {
                self.line = Vec::new();
                self.skips = end.is_none();
                return Some(Line::TooLong);
            }
            if end.is_some() {
                if std::mem::take(&mut self.skips) {
                    continue;
                }
                return Some(Line::Whole);
            }
        }
    }

    /// What a line says, or what is to be said about it.
    fn read(&mut self) -> Result<Option<ClientJsonRpcMessage>, JsonRpcError> {
        let message = message(self.line.trim_ascii());
        self.line.clear();
        self.line.shrink_to(KEPT_BYTES_MAX);
        let message = message?;
        match &message {
            Some(JsonRpcMessage::Request(request)) => self.open.with(|open| {
                if open.contains(&request.id) {
                    let told = format!("request {} is still running; use another id", request.id);
                    return Err(error(ErrorCode::INVALID_REQUEST, told, Some(request.id.clone())));
                }
                if open.len() >= OPEN_MAX {
                    let told = format!(
                        "{OPEN_MAX} requests wait for an answer already; ask again when some are answered"
                    );
                    return Err(error(TOO_MANY, told, Some(request.id.clone())));
                }
                open.insert(request.id.clone());
                Ok(())
            })?,
            Some(JsonRpcMessage::Notification(notification)) => {
                // What is called off gets no answer.
                if let ClientNotification::CancelledNotification(called_off) = &notification.notification
                    && let Some(id) = &called_off.params.request_id
                {
                    self.open.with(|open| open.remove(id));
                }
            }
            Some(JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)) | None => {}
        }
        // The SDK ends when anything but a request comes before the greeting.
        let is_request = match &message {
            Some(JsonRpcMessage::Request(request)) => {
                self.greeted |= greets(&request.request);
                true
            }
            Some(_) | None => false,
        };
        Ok(message.filter(|_| is_request || self.greeted))
    }
}

/// Whether a conversation begins with a request: the greeting of the older revisions, or any that says of itself what the newest wants.
fn greets(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        other => {
            let meta = other.get_meta();
            let version = meta.protocol_version();
            version.is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
                && meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
        }
    }
}

/// What was read into the buffer.
enum Line {
    Whole,
    TooLong,
}

impl<R: AsyncRead + Send + Unpin> Transport<RoleServer> for Wire<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (output, open) = (self.output.clone(), self.open.clone());
        async move {
            let answered = match &message {
                JsonRpcMessage::Response(response) => Some(response.id.clone()),
                JsonRpcMessage::Error(error) => error.id.clone(),
                JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
            };
            let line = line_of(&message)?;
            let sent = match output {
                Some(output) => output.send(line).await.map_err(|_| gone()),
                None => Err(gone()),
            };
            if let Some(id) = answered {
                open.with(|open| open.remove(&id));
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let output = self.output.as_ref()?;
            if self.owed.is_some() {
                let room = output.reserve().await.ok()?;
                if let Some(line) =
                    self.owed.take().and_then(|owed| line_of(&ServerJsonRpcMessage::Error(owed)).ok())
                {
                    room.send(line);
                }
            }
            if output.is_closed() {
                return None;
            }
            match self.next_line().await? {
                Line::Whole => match self.read() {
                    Ok(Some(message)) => return Some(message),
                    Ok(None) => {}
                    Err(error) => self.owed = Some(error),
                },
                Line::TooLong => {
                    let told = format!("the line is too long; at most {LINE_BYTES_MAX} bytes are allowed");
                    self.owed = Some(error(ErrorCode::INVALID_REQUEST, told, None));
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        // What waits is still written, unless the client does not read it.
        self.output = None;
        if tokio::time::timeout(CLOSE_WITHIN, &mut self.writer).await.is_err() {
            self.writer.abort();
        }
        Ok(())
    }
}

/// What a line says: a message, nothing that concerns us, or an error.
fn message(line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, JsonRpcError> {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    if line.is_empty() {
        return Ok(None);
    }
    let problem = match serde_json::from_slice::<ClientJsonRpcMessage>(line) {
        Ok(message) => {
            // The SDK takes a request that it cannot read for one with a method of somebody's own.
            if let JsonRpcMessage::Request(request) = &message
                && let ClientRequest::CustomRequest(custom) = &request.request
                && SERVED.contains(&custom.method.as_str())
            {
                let told = format!("invalid parameters of {:?}", custom.method);
                return Err(error(ErrorCode::INVALID_PARAMS, told, Some(request.id.clone())));
            }
            return Ok(Some(message));
        }
        Err(problem) => problem,
    };
    let said: Value = match serde_json::from_slice(line) {
        Ok(said) => said,
        Err(problem) => {
            let told = format!("the line is not JSON: {problem}");
            return Err(error(ErrorCode::PARSE_ERROR, told, None));
        }
    };
    let id = match &said["id"] {
        Value::String(id) => Some(RequestId::String(id.as_str().into())),
        Value::Number(id) => id.as_i64().map(RequestId::Number),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    match said["method"].as_str() {
        // A notification is never answered, and an answer is not either: both could go on for ever.
        Some(_) if said.get("id").is_none() && said["jsonrpc"] == "2.0" => Ok(None),
        None if said.get("result").is_some() || said.get("error").is_some() => Ok(None),
        Some(method) if id.is_some() && said["jsonrpc"] == "2.0" => {
            let told = format!("invalid parameters of {method:?}: {problem}");
            Err(error(ErrorCode::INVALID_PARAMS, told, id))
        }
        Some(_) | None => {
            let told = "a request is an object with jsonrpc \"2.0\", an id that is a string or an integer, and a method; \
                        there are no batches";
            Err(error(ErrorCode::INVALID_REQUEST, told.to_owned(), id))
        }
    }
}

fn error(code: ErrorCode, told: String, id: Option<RequestId>) -> JsonRpcError {
    JsonRpcError::new(id, ErrorData::new(code, told, None))
}

fn line_of(message: &ServerJsonRpcMessage) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

fn gone() -> io::Error {
    io::Error::new(io::ErrorKind::BrokenPipe, "the client has gone")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The code and the id of the error that a line is answered with; `read` when it is handed on, `nothing` when it is passed over.
    fn told(line: &[u8]) -> String {
        match message(line) {
            Ok(Some(_)) => "read".to_owned(),
            Ok(None) => "nothing".to_owned(),
            Err(error) => {
                let id = error.id.map(|id| format!(" {}", id.into_json_value())).unwrap_or_default();
                format!("{}{id}", error.error.code.0)
            }
        }
    }

    #[test]
    fn what_is_no_message_is_told_so_under_its_own_id() {
        let deep = [b"[".repeat(100_000), b"]".repeat(100_000)].concat();
        let table: &[(&[u8], &str)] = &[
            (br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "read"),
            (b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\"}", "read"),
            (br#"{"jsonrpc":"2.0","id":7,"method":"no/such"}"#, "read"),
            (br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, "read"),
            (b"", "nothing"),
            (b"not json", "-32700"),
            (br#"{"jsonrpc":"2.0","id":1,"meth"#, "-32700"),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\xff\"}", "-32700"),
            (b"\0\0", "-32700"),
            (&deep, "-32700"),
            (br#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":5}"#, "-32602 5"),
            (br#"{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":3}}"#, "-32602 \"x\""),
            (br#"{"jsonrpc":"1.0","id":6,"method":"ping"}"#, "-32600 6"),
            (br#"{"id":6,"method":"ping"}"#, "-32600 6"),
            (br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, "-32600"),
            (br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, "-32600"),
            (br#"{"jsonrpc":"2.0","id":99999999999999999999,"method":"ping"}"#, "-32600"),
            (br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, "-32600"),
            (br#"{"foo":"bar"}"#, "-32600"),
            (b"17", "-32600"),
            (br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":7}"#, "nothing"),
            (br#"{"jsonrpc":"2.0","id":{},"result":7}"#, "nothing"),
        ];
        for (line, wanted) in table {
            let shown = String::from_utf8_lossy(&line[..line.len().min(80)]);
            assert_eq!(told(line), *wanted, "{shown}");
        }
    }

    /// Everything that was written when a client says so much and goes.
    fn conversation(said: &[u8]) -> (Vec<String>, Vec<Value>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        runtime.block_on(async {
            let (output, mut heard) = tokio::io::duplex(1 << 20);
            let mut wire = Wire::new(said, output);
            let mut methods = Vec::new();
            while let Some(message) = wire.receive().await {
                let message = serde_json::to_value(&message).expect("a message");
                methods.push(message["method"].as_str().unwrap_or("answer").to_owned());
            }
            wire.close().await.expect("it closes");
            drop(wire);
            let mut text = String::new();
            tokio::io::AsyncReadExt::read_to_string(&mut heard, &mut text).await.expect("it is text");
            (methods, text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect())
        })
    }

    #[test]
    fn a_line_that_is_too_long_is_told_so_and_the_next_one_is_read() {
        let mut said = vec![b' '; 2 * LINE_BYTES_MAX];
        said.extend_from_slice(b"\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
        let (methods, told) = conversation(&said);
        assert_eq!(methods, ["ping"]);
        assert_eq!(told.len(), 1);
        assert_eq!(told[0]["error"]["code"], -32600);
    }

    #[test]
    fn before_the_greeting_only_requests_count() {
        let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
        let said = [
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":4,"result":{}}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#.to_owned(),
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(),
            format!(r#"{{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{{"_meta":{meta}}}}}"#),
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(),
            String::new(),
        ];
        let (methods, told) = conversation(said.join("\n").as_bytes());
        assert_eq!(methods, ["ping", "tools/list", "tools/list", "notifications/initialized"]);
        assert!(told.is_empty(), "{told:?}");
    }

    #[test]
    fn an_id_that_is_taken_and_more_than_can_be_answered_are_refused() {
        let mut said = String::new();
        for id in (0..=OPEN_MAX).chain([7]) {
            said.push_str(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n"));
        }
        let (methods, told) = conversation(said.as_bytes());
        assert_eq!(methods.len(), OPEN_MAX);
        let told: Vec<_> =
            told.iter().map(|line| (line["error"]["code"].as_i64(), line["id"].as_i64())).collect();
        assert_eq!(told, [(Some(-32000), Some(OPEN_MAX as i64)), (Some(-32600), Some(7))]);
    }
}
