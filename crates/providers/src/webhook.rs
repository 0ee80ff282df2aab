//! Posting a notice to an address that the user chose.

use ureq::{Agent, Proxy};

use crate::Address;
use crate::limits::{WEBHOOK_CONNECT_TIME, WEBHOOK_TIME};

/// An address that takes notices as JSON, as chat systems and automation services do.
pub struct Webhook {
    address: Address,
    agent: Agent,
}

impl Webhook {
    /// The problem is a clause. The path of such an address often is its password, so no message repeats it, and it is not sent in the
    /// clear to another machine.
    pub fn open(url: &str) -> Result<Webhook, String> {
        let address = Address::with_path(url)?;
        if !address.is_private() {
            return Err(format!("notices are not sent to {} over plain http; use https", address.place()));
        }
        let proxy = if address.is_loopback() { None } else { Proxy::try_from_env() };
        let agent = Agent::config_builder()
            .proxy(proxy)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .timeout_connect(Some(WEBHOOK_CONNECT_TIME))
            .timeout_global(Some(WEBHOOK_TIME))
            .user_agent(concat!("ken/", env!("CARGO_PKG_VERSION")))
            .build()
            .into();
        Ok(Webhook { address, agent })
    }

    /// Host and port.
    pub fn place(&self) -> String {
        self.address.place()
    }

    /// Posts a JSON text. What is answered is not read, only its status.
    pub fn post(&self, body: &str) -> Result<(), String> {
        let sent = self.agent.post(self.address.to_string()).content_type("application/json").send(body);
        let place = self.place();
        match sent.map(|response| response.status().as_u16()) {
            Ok(200..300) => Ok(()),
            Ok(status @ 300..400) => Err(format!(
                "{place} answered {status}; redirects are not followed, so give the final address"
            )),
            Ok(status) => Err(format!("{place} answered {status}")),
            Err(ureq::Error::Timeout(_)) => Err(format!("{place} did not answer in time")),
            // Messages of the client may repeat the whole address.
            Err(ureq::Error::Io(error)) => Err(format!("{place} cannot be reached ({})", error.kind())),
            Err(_) => Err(format!("{place} cannot be reached")),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpListener;

    use super::*;

    /// A server that answers one request so; what it was sent comes back.
    fn answering(status: &'static str) -> (String, std::thread::JoinHandle<String>) {
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/services/T0/secret-path", socket.local_addr().unwrap());
        let served = std::thread::spawn(move || {
            let (stream, _) = socket.accept().unwrap();
            let mut reader = BufReader::new(stream);
            let (mut head, mut length) = (String::new(), 0);
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                if line.trim().is_empty() {
                    break;
                }
                head.push_str(&line);
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let answer =
                format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nLocation: http://127.0.0.1:1/\r\n\r\n");
            reader.get_mut().write_all(answer.as_bytes()).unwrap();
            format!("{head}\n{}", String::from_utf8(body).unwrap())
        });
        (url, served)
    }

    #[test]
    fn a_notice_is_posted_as_it_is_and_no_problem_repeats_the_address() {
        for (status, wanted) in [
            ("200 OK", ""),
            ("204 No Content", ""),
            ("404 Not Found", "answered 404"),
            ("302 Found", "redirects are not followed"),
            ("500 Oops", "answered 500"),
        ] {
            let (url, served) = answering(status);
            let told = Webhook::open(&url).unwrap().post(r#"{"text":"one entry waits"}"#);
            let sent = served.join().unwrap();
            assert!(sent.starts_with("POST /services/T0/secret-path HTTP/1.1"), "{sent}");
            assert!(sent.ends_with(r#"{"text":"one entry waits"}"#), "{sent}");
            match told {
                Ok(()) => assert_eq!(wanted, "", "{status}"),
                Err(problem) => {
                    assert!(!wanted.is_empty() && problem.contains(wanted), "{status}: {problem}");
                    assert!(!problem.contains("secret-path"), "{problem}");
                }
            }
        }
        let gone = Webhook::open("http://127.0.0.1:1/secret-path").unwrap().post("{}").unwrap_err();
        assert!(gone.contains("127.0.0.1:1") && !gone.contains("secret-path"), "{gone}");
    }

    #[test]
    fn an_address_that_others_could_read_along_is_refused() {
        for url in ["https://hooks.example/services/T0/B0/x", "http://127.0.0.1:9/x", "http://localhost/x"] {
            assert!(Webhook::open(url).is_ok(), "{url}");
        }
        for url in
            ["http://hooks.example/x", "ftp://hooks.example", "hooks.example/x", "https://u:p@hooks.example/"]
        {
            let problem = Webhook::open(url).err().unwrap_or_else(|| panic!("{url} was taken"));
            assert!(!problem.contains("u:p"), "{problem}");
        }
    }
}
