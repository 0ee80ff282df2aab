//! Asking a language model for an answer in a given form.

use ken_engine::judge::{Completion, Prompt, SHORT_ANSWER_TOKENS, Usage};
use ken_engine::{Error, Judge, Result};
use serde_json::{Value, json};

use crate::client::Client;
use crate::limits::{JUDGEMENT_BYTES_MAX, Patience};
use crate::{Protocol, Server};

/// A language model behind a server. Nothing is kept here: who asks keeps answers and counts what they cost.
pub struct HttpJudge {
    client: Client,
    name: String,
}

/// What the answer is called where a protocol wants a name for it.
const ANSWER: &str = "answer";

impl HttpJudge {
    pub fn open(server: Server) -> HttpJudge {
        let name = format!("{}:{}@{}", server.protocol.word(), server.model, server.address.place());
        HttpJudge { client: Client::open(server), name }
    }

    /// The request, with the form of the answer as each protocol wants it.
    fn body(&self, prompt: &Prompt) -> Value {
        let Server { protocol, model, address, .. } = &self.client.server;
        let matter = prompt.matter.to_string();
        let messages = json!([
            { "role": "system", "content": prompt.instructions },
            { "role": "user", "content": matter },
        ]);
        match protocol {
            Protocol::OpenAi => {
                let form = json!({ "name": ANSWER, "strict": true, "schema": prompt.schema });
                let mut body = json!({
                    "model": model,
                    "messages": messages,
                    "response_format": { "type": "json_schema", "json_schema": form },
                });
                // OpenAI's own reasoning models refuse the older name and a temperature; other servers know only these.
                match address.is_openai() {
                    true => body["max_completion_tokens"] = prompt.tokens_max.into(),
                    false => {
                        body["max_tokens"] = prompt.tokens_max.into();
                        body["temperature"] = 0.into();
                    }
                }
                body
            }
            Protocol::Anthropic => json!({
                "model": model,
                "max_tokens": prompt.tokens_max,
                "system": prompt.instructions,
                "messages": [{ "role": "user", "content": matter }],
                "tools": [{ "name": ANSWER, "description": "Give the answer.", "input_schema": prompt.schema }],
                "tool_choice": { "type": "tool", "name": ANSWER },
            }),
            Protocol::Ollama => json!({
                "model": model,
                "messages": messages,
                "stream": false,
                "format": prompt.schema,
                "options": { "temperature": 0, "num_predict": prompt.tokens_max },
            }),
        }
    }
}

impl Judge for HttpJudge {
    fn name(&self) -> &str {
        &self.name
    }

    fn complete(&self, prompt: &Prompt) -> Result<Completion> {
        let body = self.body(prompt).to_string();
        let Patience { one, batch, .. } = self.client.server.patience;
        // What may be longer is text that takes its time to be written.
        let time = if prompt.tokens_max <= SHORT_ANSWER_TOKENS { one } else { batch };
        match self.client.ask(&body, JUDGEMENT_BYTES_MAX, time) {
            Ok(bytes) => {
                Ok(read(self.client.server.protocol, &bytes, |why| self.client.unusable(why).to_string()))
            }
            Err(fault) if fault.is_about_the_question() => {
                Ok(unanswered(fault.to_string(), Usage::default()))
            }
            Err(fault) => Err(Error::failed("asking the judge")(fault)),
        }
    }
}

fn unanswered(why: String, usage: Usage) -> Completion {
    Completion { answer: Err(why), usage }
}

/// Reads what was answered. What is no answer is told as `tell` puts it, and costs what it cost.
fn read(protocol: Protocol, bytes: &[u8], tell: impl Fn(&str) -> String) -> Completion {
    let said: Value = match serde_json::from_slice(bytes) {
        Ok(said) => said,
        Err(error) => return unanswered(tell(&format!("it is not JSON ({error})")), Usage::default()),
    };
    let counted = match protocol {
        Protocol::OpenAi => ["/usage/prompt_tokens", "/usage/completion_tokens"],
        Protocol::Anthropic => ["/usage/input_tokens", "/usage/output_tokens"],
        Protocol::Ollama => ["/prompt_eval_count", "/eval_count"],
    };
    let [read, written] = counted.map(|path| said.pointer(path).and_then(Value::as_u64).unwrap_or(0));
    Completion { answer: answer(protocol, &said).map_err(|why| tell(&why)), usage: Usage { read, written } }
}

/// The answer in what a server said. The problem is a clause.
fn answer(protocol: Protocol, said: &Value) -> std::result::Result<Value, String> {
    let reason = match protocol {
        Protocol::OpenAi => "/choices/0/finish_reason",
        Protocol::Anthropic => "/stop_reason",
        Protocol::Ollama => "/done_reason",
    };
    let word = |path: &str| said.pointer(path).and_then(Value::as_str);
    if matches!(word(reason), Some("length" | "max_tokens")) {
        return Err("the answer was cut off before its end".to_owned());
    }
    if word("/choices/0/message/refusal").is_some()
        || matches!(word(reason), Some("refusal" | "content_filter"))
    {
        return Err("the model refused to answer".to_owned());
    }
    match protocol {
        Protocol::Anthropic => {
            let blocks = said["content"].as_array().into_iter().flatten();
            let mut given =
                blocks.filter(|block| block["type"] == "tool_use").map(|block| block["input"].clone());
            given.next().ok_or_else(|| "it has no answer in the form that was asked for".to_owned())
        }
        Protocol::OpenAi => written(word("/choices/0/message/content")),
        Protocol::Ollama => written(word("/message/content")),
    }
}

/// The JSON that a model wrote. Models that do not keep to a form wrap it in a fence.
fn written(content: Option<&str>) -> std::result::Result<Value, String> {
    let text = content.ok_or("it has no message")?.trim();
    let inner = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    let inner = inner.map_or(text, |inner| inner.strip_prefix("json").unwrap_or(inner).trim());
    serde_json::from_str(inner).map_err(|error| format!("the model wrote no JSON ({error})"))
}
