//! Proving that a host's server works: the very command in its file is started and spoken to, as the host would.

use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::{Value, json};

/// What a host starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Started {
    pub program: String,
    pub args: Vec<String>,
    /// What the host adds to its environment.
    pub env: Vec<(String, String)>,
}

/// One thing that was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Step {
    /// What: `start`, `discover`, `tools`, `recall`, `version`.
    pub name: &'static str,
    /// Whether it went well.
    pub ok: bool,
    /// What came of it, in a sentence.
    pub found: String,
}

/// The newest revision of the protocol, and the one asked for where a server does not know it.
const REVISION: &str = "2026-07-28";
const OLDER_REVISION: &str = "2025-06-18";

/// Starts a host's command in a folder and goes through discovery, the list of tools and a recall. Stops at the first that fails.
pub fn prove(started: &Started, folder: &Path, version: &str, limit: Duration) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut step = |name: &'static str, answer: Result<String, String>| {
        let (ok, found) = match answer {
            Ok(found) => (true, found),
            Err(found) => (false, found),
        };
        steps.push(Step { name, ok, found });
        ok
    };
    let mut talk = match Talk::begin(started, folder, limit) {
        Ok(talk) => talk,
        Err(error) => {
            let program = &started.program;
            let told = match error.kind() {
                ErrorKind::NotFound => format!("`{program}` does not exist"),
                _ => format!("`{program}` cannot be started: {error}"),
            };
            step("start", Err(told));
            return steps;
        }
    };
    let greeted = talk.greet();
    let info = greeted.as_ref().cloned().unwrap_or_default();
    let told = greeted.map(|info| {
        format!("{} answers in {} ms", text(&info["name"]), info["millis"].as_u64().unwrap_or(0))
    });
    if !step("discover", told) {
        return steps;
    }
    let theirs = text(&info["version"]);
    let same = if theirs == version {
        Ok(format!("version {version}, the same as this ken"))
    } else {
        Err(format!("it has version {theirs}, this ken has {version}"))
    };
    step("version", same);
    let tools = talk.tools();
    let has_recall = tools.as_ref().is_ok_and(|names| names.iter().any(|name| name == "recall"));
    let told = tools.and_then(|names| match names.is_empty() {
        true => Err("it lists no tools".to_owned()),
        false => Ok(format!("{} tools: {}", names.len(), names.join(", "))),
    });
    if step("tools", told) && has_recall {
        step("recall", talk.recall());
    }
    steps
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or("a server without a name").to_owned()
}

/// A conversation with a server.
struct Talk {
    child: Child,
    heard: Receiver<String>,
    next: u64,
    limit: Duration,
    /// It knows the newest revision: every request carries what it needs.
    newest: bool,
}

impl Talk {
    fn begin(started: &Started, folder: &Path, limit: Duration) -> std::io::Result<Talk> {
        let mut command = Command::new(&started.program);
        command.args(&started.args).current_dir(folder).envs(started.env.iter().cloned());
        // Who looks whether it works leaves no trace.
        command.env("KEN_READONLY", "1");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let (say, heard) = channel();
        if let Some(out) = child.stdout.take() {
            std::thread::spawn(move || {
                for line in BufReader::new(out).lines().map_while(Result::ok) {
                    if say.send(line).is_err() {
                        return;
                    }
                }
            });
        }
        Ok(Talk { child, heard, next: 0, limit, newest: false })
    }

    fn send(&mut self, message: &Value) -> Result<(), String> {
        let stdin = self.child.stdin.as_mut().ok_or("it has no standard input")?;
        let sent = stdin.write_all(format!("{message}\n").as_bytes()).and_then(|()| stdin.flush());
        sent.map_err(|error| format!("it exited: {error}"))
    }

    /// Asks, and waits for the answer to that very question.
    fn ask(&mut self, method: &str, mut params: Value) -> Result<Value, String> {
        self.next += 1;
        if self.newest {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": REVISION,
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": {"name": "ken-doctor", "version": env!("CARGO_PKG_VERSION")},
            });
        }
        self.send(&json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}))?;
        let until = Instant::now() + self.limit;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let line = self.heard.recv_timeout(left).map_err(|error| match error {
                RecvTimeoutError::Timeout => {
                    format!("{method} was not answered within {} s", self.limit.as_secs())
                }
                RecvTimeoutError::Disconnected => format!("it exited during {method}"),
            })?;
            let answer: Value = serde_json::from_str(&line)
                .map_err(|_| "it writes something other than messages to standard output".to_owned())?;
            if answer["id"] == json!(self.next) {
                return match answer.get("error") {
                    Some(error) => Err(format!("{method}: {}", text(&error["message"]))),
                    None => Ok(answer["result"].clone()),
                };
            }
        }
    }

    /// Discovery, or the greeting of older revisions: who answers, and how fast.
    fn greet(&mut self) -> Result<Value, String> {
        let began = Instant::now();
        self.newest = true;
        let discovered = self.ask("server/discover", json!({}));
        let answer = match discovered {
            Ok(answer) => answer,
            Err(_) => {
                self.newest = false;
                let client = json!({"name": "ken-doctor", "version": env!("CARGO_PKG_VERSION")});
                let greeting =
                    json!({"protocolVersion": OLDER_REVISION, "capabilities": {}, "clientInfo": client});
                let answer = self.ask("initialize", greeting)?;
                self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
                answer
            }
        };
        let own = &answer["serverInfo"];
        let own = if own.is_null() { &answer["_meta"]["io.modelcontextprotocol/serverInfo"] } else { own };
        let millis = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(json!({"name": own["name"], "version": own["version"], "millis": millis}))
    }

    fn tools(&mut self) -> Result<Vec<String>, String> {
        let answer = self.ask("tools/list", json!({}))?;
        let tools = answer["tools"].as_array().cloned().unwrap_or_default();
        Ok(tools.iter().map(|tool| text(&tool["name"])).collect())
    }

    fn recall(&mut self) -> Result<String, String> {
        let began = Instant::now();
        let arguments = json!({"name": "recall", "arguments": {"query": "what is known here", "limit": 1}});
        let answer = self.ask("tools/call", arguments)?;
        if answer["isError"] == json!(true) {
            return Err(text(&answer["content"][0]["text"]));
        }
        Ok(format!("answers in {} ms", began.elapsed().as_millis()))
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // A server that does not end when its input does is stopped.
        let until = Instant::now() + Duration::from_millis(500);
        while Instant::now() < until {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn proof(script: &str) -> Vec<(&'static str, bool, String)> {
        let started = Started {
            program: "sh".to_owned(),
            args: vec!["-c".to_owned(), script.to_owned()],
            env: Vec::new(),
        };
        let steps = prove(&started, Path::new("."), "0.1.0", Duration::from_secs(5));
        steps.into_iter().map(|step| (step.name, step.ok, step.found)).collect()
    }

    #[test]
    fn what_does_not_start_or_speak_is_told_apart() {
        let none = Started { program: "no-such-program-here".to_owned(), args: Vec::new(), env: Vec::new() };
        let steps = prove(&none, Path::new("."), "0.1.0", Duration::from_secs(5));
        assert!(steps.len() == 1 && steps[0].name == "start" && !steps[0].ok, "{steps:?}");
        assert_eq!(steps[0].found, "`no-such-program-here` does not exist");

        let ended = proof("exit 0");
        assert!(ended.len() == 1 && !ended[0].1, "{ended:?}");
        assert!(ended[0].2.contains("exited") || ended[0].2.contains("went away"), "{ended:?}");

        let noise = proof("read x; echo hello; read x; echo hello; sleep 5");
        assert!(noise[0].2.contains("other than messages"), "{noise:?}");
    }

    #[test]
    fn an_older_server_is_greeted_as_it_expects_and_another_version_is_named() {
        let script = r#"
            read x; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no such method"}}'
            read x; echo '{"jsonrpc":"2.0","id":2,"result":{"serverInfo":{"name":"kenning","version":"0.0.9"}}}'
            read x; read x; echo '{"jsonrpc":"2.0","method":"notifications/message"}'
            echo '{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"recall"}]}}'
            read x; echo '{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"a reason"}],"isError":true}}'
        "#;
        let steps = proof(script);
        let names: Vec<(&str, bool)> = steps.iter().map(|(name, ok, _)| (*name, *ok)).collect();
        assert_eq!(
            names,
            [("discover", true), ("version", false), ("tools", true), ("recall", false)],
            "{steps:?}"
        );
        assert_eq!(steps[1].2, "it has version 0.0.9, this ken has 0.1.0");
        assert_eq!(steps[3].2, "a reason");
    }
}
