//! Which server may be asked for the meaning of texts or for a judgement, and with which key.
//!
//! `config.toml` is committed, so a stranger can have written it. It may choose among servers that are harmless to choose: this
//! machine, and OpenAI's own. Any other one has to be named by the user's own environment too. See decision 0010.

use std::sync::Arc;

use ken_engine::{Embedder, Judge};
use ken_providers::{Address, HttpEmbedder, HttpJudge, Key, Protocol, Purpose, Server};

use crate::{Options, Secret};

/// The server that the settings mean, opened; or why it cannot be asked.
pub(crate) fn open(
    kind: &str,
    url: &str,
    model: &str,
    options: &Options,
    known: &dyn Fn(&str) -> Option<usize>,
) -> Result<Arc<dyn Embedder>, String> {
    let protocol = if kind == Protocol::Ollama.word() { Protocol::Ollama } else { Protocol::OpenAi };
    let server = permitted(protocol, url, model, options)?;
    let known = known(&server.name());
    let embedder = HttpEmbedder::open(server, known).map_err(|fault| fault.to_string())?;
    Ok(Arc::new(embedder))
}

/// The judge that a person chose for this clone, opened; or why it cannot be asked. Its settings lie beside the journal, so that no commit
/// chooses who reads texts, and the user's key is for the server that was named there.
pub(crate) fn open_judge(
    kind: &str,
    url: &str,
    model: &str,
    options: &Options,
) -> Result<Arc<dyn Judge>, String> {
    let protocol = Protocol::of_word(kind).ok_or_else(|| format!("judge.kind is {kind:?}"))?;
    let address = match url.trim() {
        "" => Address::usual(protocol),
        url => Address::parse(protocol, url).map_err(|problem| format!("judge.url: {problem}"))?,
    };
    let named = |variable, key: &Option<Secret>| key.as_ref().map(|key| Key::new(variable, key.reveal()));
    let key = match &options.judge_key {
        key @ Some(_) => named(Purpose::Judge.key_variable(), key),
        None if address.is_openai() => named("OPENAI_API_KEY", &options.openai_key),
        None if address.is_anthropic() => named("ANTHROPIC_API_KEY", &options.anthropic_key),
        None => None,
    };
    let key = key.transpose()?;
    if key.is_none() && (address.is_openai() || address.is_anthropic()) {
        // It would answer 401, after it has been sent the texts.
        let variable = if address.is_openai() { "OPENAI_API_KEY" } else { "ANTHROPIC_API_KEY" };
        return Err(format!("{} requires a key; set {variable}", address.place()));
    }
    if !address.is_private() {
        return Err(format!("texts are not sent to {} over plain http; use https", address.place()));
    }
    let server = Server::new(Purpose::Judge, protocol, address, model, key)?;
    Ok(Arc::new(HttpJudge::open(server)))
}

/// The server that the settings mean, if it may be asked.
fn permitted(protocol: Protocol, url: &str, model: &str, options: &Options) -> Result<Server, String> {
    let read = |name: &str, text: &str| {
        Address::parse(protocol, text).map_err(|problem| format!("{name}: {problem}"))
    };
    let configured = Some(url.trim()).filter(|url| !url.is_empty());
    let configured = configured.map(|url| read("embedder.url", url)).transpose()?;
    let named = options.embedder_url.as_deref().map(|url| read("KEN_EMBEDDER_URL", url)).transpose()?;
    let address = match (configured, &named) {
        (None, None) => Address::usual(protocol),
        (None, Some(named)) => named.clone(),
        (Some(address), Some(named)) if address == *named => address,
        (Some(address), _) if is_harmless(protocol, &address) => address,
        (Some(address), _) => {
            return Err(format!(
                "embedder.url in .kenning/config.toml is {address}, beyond this machine, and a file that comes with a repository \
                 does not choose who reads your texts; whoever knows that server and trusts it sets KEN_EMBEDDER_URL to the same"
            ));
        }
    };
    let key = key(&address, named.as_ref(), options)?;
    if address.is_openai() && key.is_none() {
        // It would answer 401, after it has been sent the texts.
        return Err(
            "api.openai.com requires a key; set OPENAI_API_KEY, or choose another embedder.kind".to_owned()
        );
    }
    Server::new(Purpose::Embed, protocol, address, model, key)
}

/// Servers that a stranger may choose.
fn is_harmless(protocol: Protocol, address: &Address) -> bool {
    address.is_loopback() || (protocol == Protocol::OpenAi && address.is_openai())
}

/// The key for a server. The user's key is for the server that the user named, and for OpenAI; what only the settings name, be it on
/// this machine, does not get it.
fn key(address: &Address, named: Option<&Address>, options: &Options) -> Result<Option<Key>, String> {
    let for_this_one = named.map_or(address.is_openai(), |named| named == address);
    if let Some(key) = options.embedder_key.as_ref().filter(|_| for_this_one) {
        return Key::new("KEN_EMBEDDER_KEY", key.reveal()).map(Some);
    }
    match &options.openai_key {
        Some(key) if address.is_openai() => Key::new("OPENAI_API_KEY", key.reveal()).map(Some),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpListener;
    use std::sync::mpsc::{Receiver, channel};

    use ken_core::decide::Outcome;
    use serde_json::Value;

    use super::*;
    use crate::{AddInput, Reach, SearchInput};

    /// What comes of an `embedder.url` in the settings and of an environment: where texts go, and which key goes along.
    fn goes(kind: Protocol, url: &str, environment: &[(&str, &str)]) -> String {
        let mut options = Options::default();
        for (name, value) in environment {
            match *name {
                "KEN_EMBEDDER_URL" => options.embedder_url = Some((*value).to_owned()),
                "KEN_EMBEDDER_KEY" => options.embedder_key = Some(Secret::new(*value)),
                "OPENAI_API_KEY" => options.openai_key = Some(Secret::new(*value)),
                other => panic!("{other}"),
            }
        }
        let shown = format!("{options:?}");
        assert!(!shown.contains("sk-"), "{shown}");
        match permitted(kind, url, "some-model", &options) {
            Ok(server) => match server.key() {
                Some(key) => format!("{} with {}", server.address(), key.variable()),
                None => server.address().to_string(),
            },
            Err(problem) => {
                assert!(!problem.contains("sk-") && !problem.contains("hunter2"), "{problem}");
                let reasons = [
                    "beyond this machine",
                    "plain http",
                    "password",
                    "begin with",
                    "cannot be used",
                    "requires a key",
                ];
                let reason = reasons.iter().find(|reason| problem.contains(**reason));
                format!("refused: {}", reason.unwrap_or(&problem.as_str()))
            }
        }
    }

    const ALL_KEYS: &[(&str, &str)] = &[("KEN_EMBEDDER_KEY", "sk-ken"), ("OPENAI_API_KEY", "sk-openai")];
    const OPENAI_KEY: &[(&str, &str)] = &[("OPENAI_API_KEY", "sk-openai")];

    #[test]
    fn a_stranger_s_config_sends_nothing_to_a_stranger() {
        for (url, says) in [
            ("https://evil.example/v1", "refused: beyond this machine"),
            ("http://evil.example/v1", "refused: beyond this machine"),
            ("https://api.openai.com.evil.example/v1", "refused: beyond this machine"),
            ("https://api.openai.com:8443/v1", "refused: beyond this machine"),
            ("http://api.openai.com/v1", "refused: beyond this machine"),
            ("http://127.0.0.1.evil.example", "refused: beyond this machine"),
            ("http://localhost.evil.example", "refused: beyond this machine"),
            ("http://169.254.169.254/latest", "refused: beyond this machine"),
            ("http://10.0.0.1:11434", "refused: beyond this machine"),
            ("http://0.0.0.0:11434", "refused: beyond this machine"),
            ("http://[::ffff:127.0.0.1]:11434", "refused: beyond this machine"),
            ("http://2130706433", "refused: beyond this machine"),
            ("https://api.openai.com@evil.example/v1", "refused: password"),
            ("https://hunter2:hunter2@api.openai.com/v1", "refused: password"),
            ("http://127.0.0.1:11434@evil.example", "refused: password"),
            ("http://localhost\\.evil.example", "refused: cannot be used"),
            ("http://localhost#.evil.example", "refused: cannot be used"),
            ("http://localhost?.evil.example", "refused: cannot be used"),
            ("file:///etc/passwd", "refused: begin with"),
            ("gopher://127.0.0.1", "refused: begin with"),
            ("evil.example", "refused: begin with"),
        ] {
            for kind in [Protocol::OpenAi, Protocol::Ollama] {
                for keys in [&[], OPENAI_KEY, ALL_KEYS] {
                    assert_eq!(goes(kind, url, keys), says, "{url}");
                }
            }
        }
        assert_eq!(
            goes(Protocol::Ollama, "https://api.openai.com/v1", ALL_KEYS),
            "refused: beyond this machine"
        );
    }

    #[test]
    fn this_machine_and_openai_need_no_confirmation() {
        let openai = |url, environment| goes(Protocol::OpenAi, url, environment);
        assert_eq!(openai("", &[]), "refused: requires a key");
        assert_eq!(openai("", OPENAI_KEY), "https://api.openai.com/v1 with OPENAI_API_KEY");
        assert_eq!(
            openai("https://api.openai.com/v1/", ALL_KEYS),
            "https://api.openai.com/v1 with KEN_EMBEDDER_KEY"
        );
        assert_eq!(openai("http://localhost:1234/v1", OPENAI_KEY), "http://localhost:1234/v1");
        assert_eq!(openai("http://127.0.0.1:1/v1", ALL_KEYS), "http://127.0.0.1:1/v1");
        assert_eq!(goes(Protocol::Ollama, "", OPENAI_KEY), "http://127.0.0.1:11434");
        assert_eq!(goes(Protocol::Ollama, "http://[::1]:11434", &[]), "http://[::1]:11434");
    }

    #[test]
    fn the_environment_confirms_a_server_or_names_one() {
        let named = ("KEN_EMBEDDER_URL", "https://vectors.example/v1/");
        let key = ("KEN_EMBEDDER_KEY", "sk-ken");
        let openai_key = ("OPENAI_API_KEY", "sk-openai");
        let goes = |url, environment: &[(&str, &str)]| goes(Protocol::OpenAi, url, environment);
        let there = "https://vectors.example/v1";
        assert_eq!(goes("https://Vectors.example:443/v1/embeddings", &[named, openai_key]), there);
        assert_eq!(goes("", &[named, openai_key]), there);
        assert_eq!(goes("", &[named, key]), format!("{there} with KEN_EMBEDDER_KEY"));
        assert_eq!(goes("https://vectors.example/v2", &[named, key]), "refused: beyond this machine");
        assert_eq!(goes("http://vectors.example/v1", &[named, key]), "refused: beyond this machine");
        // The key belongs to the server that the user named.
        assert_eq!(goes("https://api.openai.com/v1", &[named, key]), "refused: requires a key");
        assert_eq!(goes("http://127.0.0.1:9/v1", &[named, key, openai_key]), "http://127.0.0.1:9/v1");
        let clear = ("KEN_EMBEDDER_URL", "http://10.0.0.5:11434");
        assert_eq!(goes("", &[clear]), "http://10.0.0.5:11434");
        assert_eq!(goes("", &[clear, key]), "refused: plain http");
        assert_eq!(goes("", &[("KEN_EMBEDDER_URL", "http://u:hunter2@10.0.0.5")]), "refused: password");
    }

    /// A store whose settings name a server.
    fn store(url: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("src")).unwrap();
        std::fs::write(folder.path().join("src/net.rs"), "fn retry() {}\n").unwrap();
        crate::init(folder.path(), Default::default()).unwrap();
        let mut ken = crate::open_for(Options::at(folder.path()), crate::caller("human:ada")).unwrap();
        for (key, value) in [("embedder.kind", "ollama"), ("embedder.model", "m"), ("embedder.url", url)] {
            ken.site.config.set(key, value).unwrap();
        }
        folder
    }

    fn add(ken: &mut Reach, statement: &str) {
        let mut lesson = AddInput { kind: Some("lesson".into()), ..Default::default() };
        lesson.content.insert("statement".into(), statement.into());
        lesson.content.insert("anchors".into(), serde_json::json!(["src/net.rs#retry"]));
        lesson.content.insert("verification".into(), serde_json::json!(["grep -n jitter src/net.rs"]));
        lesson.evidence.push("pr:42".into());
        assert_eq!(
            crate::add::add(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller, lesson)
                .unwrap()
                .outcome,
            Outcome::Added
        );
    }

    fn fallback(ken: &mut Reach, query: &str) -> Option<String> {
        let answer = crate::recall::search(
            &mut ken.ledger,
            &ken.site,
            &mut ken.models,
            &ken.caller,
            &SearchInput { query: query.into(), ..Default::default() },
        )
        .unwrap();
        assert_eq!(answer.hits.len(), 1, "words answer whatever the server does");
        answer.fallback
    }

    #[test]
    fn a_server_that_may_not_be_asked_or_is_not_there_fails_no_add() {
        let closed = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).unwrap();
        let closed = format!("http://{closed}");
        for (url, why) in [("https://evil.example", "KEN_EMBEDDER_URL"), (&closed, "cannot be reached")] {
            let folder = store(url);
            let mut ken = crate::open_for(Options::at(folder.path()), crate::caller("human:ada")).unwrap();
            add(&mut ken, "Retry network calls with jitter.");
            let fallback = fallback(&mut ken, "jitter").unwrap_or_default();
            assert!(fallback.contains(why), "{fallback}");
        }
    }

    /// Answers each connection with vectors of the next length, and tells what it was sent.
    fn ollama(dimensions: &'static [usize]) -> (String, Receiver<Value>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (told, asked) = channel();
        std::thread::spawn(move || {
            for dimensions in dimensions {
                let mut reader = BufReader::new(listener.accept().unwrap().0);
                let mut length = 0;
                let mut line = String::new();
                while reader.read_line(&mut line).unwrap() > 2 {
                    if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                        length = value.trim().parse().unwrap();
                    }
                    line.clear();
                }
                let mut body = vec![0; length];
                reader.read_exact(&mut body).unwrap();
                let body: Value = serde_json::from_slice(&body).unwrap();
                let vectors = vec![vec![0.5; *dimensions]; body["input"].as_array().unwrap().len()];
                let answer = serde_json::json!({ "embeddings": vectors }).to_string();
                told.send(body["input"].clone()).unwrap();
                let head = format!(
                    "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
                    answer.len()
                );
                reader.get_mut().write_all((head + &answer).as_bytes()).unwrap();
            }
        });
        (url, asked)
    }

    #[test]
    fn a_server_is_asked_for_its_dimensions_once_and_never_mixed_with_another_model() {
        let (url, asked) = ollama(&[3, 3, 3, 5, 5, 5, 5, 5]);
        let folder = store(&url);
        let mut ken = crate::open_for(Options::at(folder.path()), crate::caller("human:ada")).unwrap();
        add(&mut ken, "Retry network calls with jitter.");
        assert_eq!(
            asked.recv().unwrap(),
            serde_json::json!(["meaning"]),
            "nobody's text is sent to find out"
        );
        assert!(asked.recv().unwrap()[0].as_str().unwrap().contains("jitter"));
        let vectors = ken.site.layout.clone_home().join("vectors");
        drop(ken);
        let mut ken = crate::open_for(Options::at(folder.path()), crate::caller("human:ada")).unwrap();
        assert_eq!(fallback(&mut ken, "jitter"), None);
        assert_eq!(
            asked.recv().unwrap(),
            serde_json::json!(["jitter"]),
            "dimensions are known from what is kept"
        );
        // The server's model changes: one question of which it knows no meaning yet, one add.
        let changed = fallback(&mut ken, "network jitter").unwrap_or_default();
        assert!(changed.contains("5 dimensions") && changed.contains("never mixes"), "{changed}");
        add(&mut ken, "Close what was opened.");
        let notices = ken.ledger.take_notices().join("\n");
        assert!(notices.contains("added, but") && notices.contains("never mixes"), "{notices}");
        drop(ken);
        // As the message says: the folder goes, and everything is made anew.
        let kept = std::fs::read_dir(&vectors).unwrap().next().unwrap().unwrap();
        assert!(changed.contains(kept.file_name().to_str().unwrap()), "{changed}");
        std::fs::remove_dir_all(kept.path()).unwrap();
        let mut ken = crate::open_for(Options::at(folder.path()), crate::caller("human:ada")).unwrap();
        let report = crate::embedding::embed(
            &mut ken.ledger,
            &ken.site.config,
            &mut ken.models,
            &ken.caller,
            &mut |_| true,
        )
        .unwrap();
        assert_eq!((report.made, report.backlog), (2, 0));
    }
}
