//! Embedders against servers that this file plays: good ones, poor ones and hostile ones.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod judges;
mod stub;

use std::time::Duration;

use ken_engine::Embedder;
use ken_providers::limits::Patience;
use ken_providers::{Address, HttpEmbedder, Key, Protocol, Purpose, Server};
use stub::{Reply, Stub, numbers};

const SECRET: &str = "sk-very-secret";
const BOTH: [Protocol; 2] = [Protocol::OpenAi, Protocol::Ollama];

/// Patient enough for a busy machine, and no pause before a retry.
const PATIENCE: Patience = Patience {
    connect: Duration::from_secs(10),
    one: Duration::from_secs(20),
    batch: Duration::from_secs(20),
    pause: Duration::ZERO,
    retries: 1,
};

fn server(protocol: Protocol, url: &str, key: Option<&str>) -> Server {
    let key = key.map(|key| Key::new("KEN_EMBEDDER_KEY", key).unwrap());
    let address = Address::parse(protocol, url).unwrap();
    Server::new(Purpose::Embed, protocol, address, "some-model", key).unwrap().with_patience(PATIENCE)
}

/// The embedder of a stub whose vectors are known to have four dimensions.
fn embedder(protocol: Protocol, stub: &Stub) -> HttpEmbedder {
    HttpEmbedder::open(server(protocol, &stub.url, Some(SECRET)), Some(4)).unwrap()
}

/// What comes of asking for two texts.
fn problem(protocol: Protocol, replies: Vec<Reply>) -> String {
    let stub = Stub::start(protocol, replies);
    let error = embedder(protocol, &stub).embed(&["one", "three"]).unwrap_err();
    let (shown, debug) = (error.to_string(), format!("{error:?}"));
    assert!(!shown.contains("secret") && !debug.contains("secret"), "{debug}");
    assert!(shown.contains(&stub.place()), "the host is named: {shown}");
    assert!(!shown.contains(['\n', '\x1b']) && shown.len() < 600, "{shown}");
    shown.replace(&stub.place(), "HOST")
}

fn says(protocol: Protocol, replies: Vec<Reply>, parts: &[&str]) {
    let problem = problem(protocol, replies);
    for part in parts {
        assert!(problem.contains(part), "{part:?} is not in: {problem}");
    }
}

fn text(status: u16, body: &str) -> Reply {
    Reply::Text(status, body.to_owned())
}

#[test]
fn each_protocol_is_spoken_as_its_servers_expect() {
    let stub = Stub::start(Protocol::OpenAi, vec![Reply::Meanings(4)]);
    assert_eq!(
        embedder(Protocol::OpenAi, &stub).embed(&["one", "three"]).unwrap(),
        [numbers(3, 4), numbers(5, 4)]
    );
    let request = stub.request();
    assert_eq!(request.line, "POST /v1/embeddings HTTP/1.1");
    assert_eq!(request.header("authorization"), Some("Bearer sk-very-secret"));
    assert_eq!(request.header("content-type"), Some("application/json"));
    let expected =
        serde_json::json!({"model": "some-model", "input": ["one", "three"], "encoding_format": "float"});
    assert_eq!(request.body, expected);

    let stub = Stub::start(Protocol::Ollama, vec![Reply::Meanings(4)]);
    let embedder = HttpEmbedder::open(server(Protocol::Ollama, &stub.url, None), Some(4)).unwrap();
    assert_eq!(embedder.embed(&["one", "three"]).unwrap(), [numbers(3, 4), numbers(5, 4)]);
    let request = stub.request();
    assert_eq!(request.line, "POST /api/embed HTTP/1.1");
    assert_eq!(request.header("authorization"), None);
    assert_eq!(request.body, serde_json::json!({"model": "some-model", "input": ["one", "three"]}));
}

#[test]
fn many_texts_go_in_batches_and_come_back_in_order() {
    for protocol in BOTH {
        let stub = Stub::start(protocol, vec![Reply::Meanings(4), Reply::Meanings(4), Reply::Meanings(4)]);
        let texts: Vec<String> = (0..150).map(|at| "x".repeat(at)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let vectors = embedder(protocol, &stub).embed(&texts).unwrap();
        assert_eq!(vectors, (0..150).map(|at| numbers(at, 4)).collect::<Vec<_>>());
        let sizes = [(); 3].map(|()| stub.request().body["input"].as_array().unwrap().len());
        assert_eq!(sizes, [64, 64, 22]);
    }
}

#[test]
fn no_texts_are_no_request() {
    let stub = Stub::start(Protocol::Ollama, vec![]);
    assert!(embedder(Protocol::Ollama, &stub).embed(&[]).unwrap().is_empty());
}

#[test]
fn a_long_text_is_cut_between_characters() {
    let stub = Stub::start(Protocol::OpenAi, vec![Reply::Meanings(4)]);
    let long = format!("a{}", "é".repeat(10_000));
    embedder(Protocol::OpenAi, &stub).embed(&[&long]).unwrap();
    let sent = stub.request().body["input"][0].as_str().unwrap().to_owned();
    assert_eq!(sent.len(), 7_999);
}

#[test]
fn dimensions_are_asked_for_once_when_they_are_not_known() {
    for protocol in BOTH {
        let stub = Stub::start(protocol, vec![Reply::Meanings(7), Reply::Meanings(7)]);
        let embedder = HttpEmbedder::open(server(protocol, &stub.url, None), None).unwrap();
        assert_eq!(embedder.card().dimensions, 7);
        assert_eq!(embedder.card().name, server(protocol, &stub.url, None).name());
        assert_eq!(
            stub.request().body["input"],
            serde_json::json!(["meaning"]),
            "nobody's text is sent to find out"
        );
        assert_eq!(embedder.embed(&["one"]).unwrap(), [numbers(3, 7)]);
    }
}

#[test]
fn a_server_whose_model_changed_is_not_mixed_in() {
    for protocol in BOTH {
        says(
            protocol,
            vec![Reply::Meanings(5)],
            &[
                "5 dimensions",
                "have 4",
                "never mixes",
                "embedder.model",
                "delete the folder vectors/",
                ".4 of this clone",
            ],
        );
    }
}

#[test]
fn an_answer_that_is_not_what_was_asked_for_is_refused() {
    use Protocol::{Ollama, OpenAi};
    let item = |index: usize, numbers: &str| format!(r#"{{"index":{index},"embedding":[{numbers}]}}"#);
    let list = |items: &[String]| text(200, &format!(r#"{{"data":[{}]}}"#, items.join(",")));
    let good = "1,2,3,4";
    says(OpenAi, vec![list(&[item(0, good)])], &["it returned 1 embeddings for 2 texts"]);
    says(
        OpenAi,
        vec![list(&[item(0, good), item(1, good), item(2, good)])],
        &["it returned 3 embeddings for 2 texts"],
    );
    says(OpenAi, vec![list(&[item(0, good), item(0, good)])], &["not numbered"]);
    says(OpenAi, vec![list(&[item(1, good), item(2, good)])], &["not numbered"]);
    says(OpenAi, vec![list(&[item(0, good), item(1, "1,2")])], &["4 dimensions and another 2"]);
    says(OpenAi, vec![list(&[item(0, ""), item(1, "")])], &["0 dimensions"]);
    says(OpenAi, vec![list(&[item(0, good), item(1, "1,2,null,4")])], &["not the JSON that was expected"]);
    says(OpenAi, vec![list(&[item(0, good), item(1, "1,2,NaN,4")])], &["not the JSON that was expected"]);
    // Where a number is too large for its type, the reader of JSON may notice first.
    says(OpenAi, vec![list(&[item(0, good), item(1, "1,2,1e39,4")])], &["returned an invalid response"]);
    says(OpenAi, vec![list(&[item(0, good), item(1, "1,2,1e999,4")])], &["not the JSON that was expected"]);
    says(OpenAi, vec![text(200, r#"{"data":[{"embedding":"AAAA"}]}"#)], &["not the JSON that was expected"]);
    says(Ollama, vec![text(200, r#"{"embeddings":[[1,2,3,4]]}"#)], &["it returned 1 embeddings for 2 texts"]);
    says(
        Ollama,
        vec![text(200, r#"{"embeddings":[[1,2,3,4],[1,2,null,4]]}"#)],
        &["not the JSON that was expected"],
    );
    says(
        Ollama,
        vec![text(200, r#"{"embeddings":[[1,2,3,4],[1,2,-1e39,4]]}"#)],
        &["returned an invalid response"],
    );
    says(Ollama, vec![text(200, r#"{"error":"sk-very-secret"}"#)], &["not the JSON that was expected"]);
    for protocol in BOTH {
        says(protocol, vec![text(200, "<html>hello</html>")], &["not the JSON that was expected"]);
        says(protocol, vec![text(200, "")], &["not the JSON that was expected"]);
        says(protocol, vec![Reply::Raw("nonsense\r\n\r\n")], &["HOST"]);
    }
    // Servers that leave the numbers out mean the order.
    let stub =
        Stub::start(OpenAi, vec![text(200, r#"{"data":[{"embedding":[1,2,3,4]},{"embedding":[5,6,7,8]}]}"#)]);
    let vectors = embedder(OpenAi, &stub).embed(&["one", "three"]).unwrap();
    assert_eq!(vectors, [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]);
}

#[test]
fn an_answer_larger_than_its_numbers_could_be_is_not_read_to_its_end() {
    for protocol in BOTH {
        says(protocol, vec![Reply::Flood], &["larger than"]);
        // Nor is a complaint.
        says(protocol, vec![text(400, &"x".repeat(1_000_000))], &["answered 400; check that"]);
    }
}

#[test]
fn a_missing_or_wrong_key_names_the_variable_to_set() {
    let echo = r#"{"error":{"message":"Incorrect API key provided: sk-very-secret"}}"#;
    for status in [401, 403] {
        let number = status.to_string();
        says(Protocol::OpenAi, vec![text(status, echo)], &[&number, "rejected the key", "KEN_EMBEDDER_KEY"]);
    }
    let stub = Stub::start(Protocol::OpenAi, vec![text(401, echo)]);
    let fault =
        HttpEmbedder::open(server(Protocol::OpenAi, &stub.url, None), None).err().unwrap().to_string();
    assert!(fault.contains("answered 401: it requires a key; set KEN_EMBEDDER_KEY"), "{fault}");
}

#[test]
fn what_a_server_complains_of_is_quoted_without_the_key() {
    let complaint = "{\"error\":{\"message\":\"no\\u001b[31m model\\nfor sk-very-secret\"}}";
    says(
        Protocol::OpenAi,
        vec![text(400, complaint)],
        &["answered 400 (no [31m model for [key])", "embedder.model"],
    );
    let missing = r#"{"error":"model \"some-model\" not found, try pulling it first"}"#;
    says(
        Protocol::Ollama,
        vec![text(404, missing)],
        &["answered 404", "try pulling it first", "embedder.url"],
    );
    says(Protocol::Ollama, vec![text(400, &"long ".repeat(2_000))], &["long ...)"]);
}

#[test]
fn what_fails_in_passing_is_tried_once_more() {
    for protocol in BOTH {
        for first in [text(429, ""), text(500, ""), text(503, "busy"), Reply::HangUp] {
            let stub = Stub::start(protocol, vec![first, Reply::Meanings(4)]);
            assert_eq!(embedder(protocol, &stub).embed(&["one"]).unwrap(), [numbers(3, 4)]);
        }
        // Once, and not more often: the third reply is never asked for.
        says(
            protocol,
            vec![text(429, ""), text(429, ""), Reply::Meanings(4)],
            &["answered 429", "retry later"],
        );
        says(
            protocol,
            vec![text(500, ""), text(502, ""), Reply::Meanings(4)],
            &["answered 502", "retry later"],
        );
        says(
            protocol,
            vec![Reply::HangUp, Reply::HangUp, Reply::Meanings(4)],
            &["HOST closed the connection", "retry later"],
        );
        // What would fail again is not tried again.
        says(protocol, vec![text(400, ""), Reply::Meanings(4)], &["answered 400"]);
    }
}

#[test]
fn nobody_at_home_is_said_calmly() {
    for protocol in BOTH {
        says(protocol, vec![], &["HOST cannot be reached", "start the server, or correct embedder.url"]);
    }
}

#[test]
fn a_server_that_never_answers_is_not_waited_for() {
    let brief = Duration::from_millis(50);
    for protocol in BOTH {
        let stub = Stub::start(protocol, vec![Reply::Silence, Reply::Silence, Reply::Silence]);
        let patience = Patience { one: brief, batch: brief, ..PATIENCE };
        let hasty = server(protocol, &stub.url, None).with_patience(patience);
        let fault = HttpEmbedder::open(hasty.clone(), None).err().unwrap().to_string();
        assert!(fault.contains("did not answer within 0.05 s"), "{fault}");
        let embedder = HttpEmbedder::open(hasty, Some(4)).unwrap();
        for texts in [&["one"][..], &["one", "two"]] {
            let problem = embedder.embed(texts).unwrap_err().to_string();
            assert!(problem.contains("did not answer within 0.05 s"), "{problem}");
        }
    }
}

#[test]
fn a_redirect_takes_neither_texts_nor_key_elsewhere() {
    for status in [301, 302, 303, 307, 308] {
        let elsewhere = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let to = format!("http://{}/v1/embeddings", elsewhere.local_addr().unwrap());
        says(
            Protocol::OpenAi,
            vec![Reply::Redirect(status, to), Reply::Meanings(4)],
            &[&format!("answered {status}"), "redirects are not followed", "embedder.url"],
        );
        elsewhere.set_nonblocking(true).unwrap();
        assert_eq!(elsewhere.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock, "nobody came");
    }
}
