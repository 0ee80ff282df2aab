//! A server that may be asked: how it speaks, where it is, which of its models is meant, and the key it wants.

use std::fmt;

use crate::Address;
use crate::limits::{JUDGE_PATIENCE, MODEL_CHARS_MAX, PATIENCE, Patience};

/// What a server is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The embeddings of texts.
    Embed,
    /// Answers to questions that rules cannot answer.
    Judge,
}

impl Purpose {
    /// What its settings begin with.
    pub(crate) fn setting(self) -> &'static str {
        match self {
            Purpose::Embed => "embedder",
            Purpose::Judge => "judge",
        }
    }

    /// The variable that holds the key of a server that the user named.
    pub fn key_variable(self) -> &'static str {
        match self {
            Purpose::Embed => "KEN_EMBEDDER_KEY",
            Purpose::Judge => "KEN_JUDGE_KEY",
        }
    }
}

/// How a server is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// `POST {url}/embeddings` and `{url}/chat/completions`, as OpenAI has it and many others do.
    OpenAi,
    /// `POST {url}/api/embed` and `{url}/api/chat`.
    Ollama,
    /// `POST {url}/v1/messages`. It has no embeddings.
    Anthropic,
}

impl Protocol {
    /// The word for it in the settings.
    pub fn word(self) -> &'static str {
        match self {
            Protocol::OpenAi => "openai",
            Protocol::Ollama => "ollama",
            Protocol::Anthropic => "anthropic",
        }
    }

    /// The protocol of a word in the settings.
    pub fn of_word(word: &str) -> Option<Protocol> {
        [Protocol::OpenAi, Protocol::Ollama, Protocol::Anthropic].into_iter().find(|one| one.word() == word)
    }

    pub(crate) fn endpoint(self, purpose: Purpose) -> &'static str {
        match (self, purpose) {
            (Protocol::OpenAi, Purpose::Embed) => "/embeddings",
            (Protocol::OpenAi, Purpose::Judge) => "/chat/completions",
            (Protocol::Ollama, Purpose::Embed) => "/api/embed",
            (Protocol::Ollama, Purpose::Judge) => "/api/chat",
            (Protocol::Anthropic, _) => "/v1/messages",
        }
    }

    pub(crate) fn usual_url(self) -> &'static str {
        match self {
            Protocol::OpenAi => "https://api.openai.com/v1",
            Protocol::Ollama => "http://127.0.0.1:11434",
            Protocol::Anthropic => "https://api.anthropic.com",
        }
    }
}

/// What a server knows us by. It is sent to that server and shown to nobody.
#[derive(Clone, PartialEq, Eq)]
pub struct Key {
    variable: &'static str,
    value: String,
}

impl Key {
    /// A key, and the environment variable it came from.
    pub fn new(variable: &'static str, value: &str) -> Result<Key, String> {
        let value = value.trim();
        if value.is_empty() || !value.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(format!("{variable} is not a key: expected visible ASCII characters without spaces"));
        }
        Ok(Key { variable, value: value.to_owned() })
    }

    /// The environment variable it came from.
    pub fn variable(&self) -> &'static str {
        self.variable
    }

    /// The header that carries it.
    pub(crate) fn header(&self, protocol: Protocol) -> (&'static str, String) {
        match protocol {
            Protocol::Anthropic => ("x-api-key", self.value.clone()),
            Protocol::OpenAi | Protocol::Ollama => ("authorization", format!("Bearer {}", self.value)),
        }
    }

    /// A text without the key in it, whoever put it there.
    pub(crate) fn struck_from(&self, text: &str) -> String {
        text.replace(&self.value, "[key]")
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Key(from {})", self.variable)
    }
}

/// A server, ready to be asked.
#[derive(Clone, Debug)]
pub struct Server {
    pub(crate) purpose: Purpose,
    pub(crate) protocol: Protocol,
    pub(crate) address: Address,
    pub(crate) model: String,
    pub(crate) key: Option<Key>,
    pub(crate) patience: Patience,
}

impl Server {
    /// A server; refused where the model has no name, or where the key could be read on its way.
    pub fn new(
        purpose: Purpose,
        protocol: Protocol,
        address: Address,
        model: &str,
        key: Option<Key>,
    ) -> Result<Server, String> {
        let (model, setting) = (model.trim(), purpose.setting());
        if model.is_empty() {
            let word = protocol.word();
            return Err(format!(
                "{setting}.kind is {word}, but {setting}.model is not set; run `ken config {setting}.model NAME`"
            ));
        }
        if model.chars().count() > MODEL_CHARS_MAX || model.chars().any(char::is_control) {
            return Err(format!(
                "{setting}.model is not a name of at most {MODEL_CHARS_MAX} characters on one line"
            ));
        }
        if let Some(key) = key.as_ref().filter(|_| !address.is_private()) {
            return Err(format!(
                "the key in {} is not sent to {} over plain http; use https there, or unset {}",
                key.variable,
                address.place(),
                key.variable
            ));
        }
        let patience = match purpose {
            Purpose::Embed => PATIENCE,
            Purpose::Judge => JUDGE_PATIENCE,
        };
        Ok(Server { purpose, protocol, address, model: model.to_owned(), key, patience })
    }

    /// The same server, with less patience for it.
    pub fn with_patience(self, patience: Patience) -> Server {
        Server { patience, ..self }
    }

    /// Where it is.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// The key it gets.
    pub fn key(&self) -> Option<&Key> {
        self.key.as_ref()
    }

    /// What its vectors, or its answers, are filed under. It can be a folder's name, and different models have different ones whatever
    /// their letters: what had to be left out is in the digest.
    pub fn name(&self) -> String {
        let whole = format!("{}\n{}\n{}", self.protocol.word(), self.address, self.model);
        let digest = blake3::hash(whole.as_bytes()).to_hex();
        let safe = |text: &str| -> String {
            const SHOWN_CHARS_MAX: usize = 60;
            let plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
            text.chars().take(SHOWN_CHARS_MAX).map(|c| if plain(c) { c } else { '_' }).collect()
        };
        format!(
            "{}-{}-{}-{}",
            self.protocol.word(),
            safe(&self.model),
            safe(&self.address.place()),
            &digest.as_str()[..8]
        )
    }

    /// The variable that should hold its key.
    pub(crate) fn key_variable(&self) -> &'static str {
        match &self.key {
            Some(key) => key.variable,
            None if self.address.is_openai() => "OPENAI_API_KEY",
            None if self.address.is_anthropic() => "ANTHROPIC_API_KEY",
            None => self.purpose.key_variable(),
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("{}{}", self.address, self.protocol.endpoint(self.purpose))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(protocol: Protocol, url: &str, model: &str) -> Server {
        Server::new(Purpose::Embed, protocol, Address::parse(protocol, url).unwrap(), model, None).unwrap()
    }

    #[test]
    fn models_that_differ_have_names_that_differ() {
        use Protocol::{Ollama, OpenAi};
        let here = "http://127.0.0.1:11434";
        let mut names: Vec<String> = [
            server(Ollama, here, "llama3:8b"),
            server(Ollama, here, "llama3_8b"),
            server(Ollama, here, "LLAMA3_8b"),
            server(OpenAi, here, "llama3_8b"),
            server(Ollama, "http://localhost:11434", "llama3_8b"),
            server(Ollama, "http://127.0.0.1:11434/two", "llama3_8b"),
            server(Ollama, here, &"x".repeat(100)),
            server(Ollama, here, &"x".repeat(101)),
        ]
        .iter()
        .map(|server| server.name().to_lowercase())
        .collect();
        for name in &names {
            assert!(name.len() < 150 && !name.contains(['/', ':', '@']), "{name}");
        }
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 8);
    }

    #[test]
    fn a_key_is_never_printed_nor_sent_in_the_clear() {
        let key = Key::new("KEN_EMBEDDER_KEY", " sk-secret\n").unwrap();
        let at = |url| {
            Server::new(
                Purpose::Embed,
                Protocol::OpenAi,
                Address::parse(Protocol::OpenAi, url).unwrap(),
                "m",
                Some(key.clone()),
            )
        };
        for url in ["https://example.com", "http://127.0.0.1:8080", "http://[::1]/v1", "http://localhost"] {
            let shown = format!("{:?}", at(url).unwrap());
            assert!(shown.contains("KEN_EMBEDDER_KEY") && !shown.contains("secret"), "{shown}");
        }
        for url in ["http://example.com", "http://10.0.0.5:11434", "http://api.openai.com/v1"] {
            let problem = at(url).unwrap_err();
            assert!(problem.contains("plain http") && !problem.contains("secret"), "{problem}");
        }
        for odd in ["", "  ", "two words", "line\nbreak", "ключ"] {
            assert!(Key::new("KEN_EMBEDDER_KEY", odd).is_err(), "{odd:?}");
        }
    }
}
