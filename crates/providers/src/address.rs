//! Where a server is: a strict reading of a URL, so that what is judged is what is connected to.
//!
//! Two parsers that disagree about a host are an old way past a check. So the parts are kept, everything unusual is refused, and
//! the URL that is used is put together from the parts again.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

use crate::{Protocol, Purpose};

/// The address of a server, normalised: equal addresses are the same server and the same path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    scheme: Scheme,
    host: Host,
    /// None where it is the scheme's own.
    port: Option<u16>,
    /// Empty, or with a slash in front and none behind.
    path: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scheme {
    Http,
    Https,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Host {
    V4(Ipv4Addr),
    V6(Ipv6Addr),
    Name(String),
}

/// The longest name a host can have.
const HOST_BYTES_MAX: usize = 253;
/// Longer than any address somebody would type.
const URL_BYTES_MAX: usize = 1_000;

impl Address {
    /// Reads a URL. A slash at the end, and an endpoint of the protocol, may be there or not. The problem is a clause
    /// that never repeats a password.
    pub fn parse(protocol: Protocol, text: &str) -> Result<Address, String> {
        let mut address = Address::with_path(text)?;
        let endpoints = [Purpose::Embed, Purpose::Judge].map(|purpose| protocol.endpoint(purpose));
        let path = endpoints.iter().find_map(|endpoint| address.path.strip_suffix(endpoint));
        address.path = path.unwrap_or(&address.path).trim_end_matches('/').to_owned();
        Ok(address)
    }

    /// Reads a URL whose path is all of the path.
    pub(crate) fn with_path(text: &str) -> Result<Address, String> {
        let text = text.trim();
        if text.len() > URL_BYTES_MAX {
            return Err(format!("an address of {} bytes is too long", text.len()));
        }
        if text.contains('@') {
            return Err(
                "an address must not contain a user name or password; keys are environment variables"
                    .to_owned(),
            );
        }
        let wrong = |what: &str| format!("{text:?} cannot be used: {what}");
        let (scheme, rest) =
            text.split_once("://").ok_or_else(|| wrong("it must begin with https:// or http://"))?;
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            _ => return Err(wrong("it must begin with https:// or http://")),
        };
        let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
        let plain = |c: char| c.is_ascii_alphanumeric() || "-._~/:".contains(c);
        if !path.chars().all(plain) || path.split('/').any(|part| part == "." || part == "..") {
            return Err(wrong(
                "its path may have letters, digits and -._~: between slashes, and nothing after it",
            ));
        }
        let (host, port) = split_port(authority).ok_or_else(|| wrong("host and port are ambiguous"))?;
        let host = Host::parse(host).ok_or_else(|| wrong("it has no host"))?;
        let port = match port {
            None => None,
            Some(digits) if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                let number = digits.parse::<u16>().ok().filter(|number| *number > 0);
                Some(number.ok_or_else(|| wrong("its port is not one of 1 to 65535"))?)
            }
            Some(_) => return Err(wrong("its port is not one of 1 to 65535")),
        };
        let path = path.trim_end_matches('/');
        Ok(Address { scheme, host, port: port.filter(|port| *port != scheme.port()), path: path.to_owned() })
    }

    /// Where a protocol's server is when nobody says.
    pub fn usual(protocol: Protocol) -> Address {
        Address::parse(protocol, protocol.usual_url()).expect("our own addresses can be read")
    }

    /// Whether it is this machine: 127.0.0.0/8, ::1 or `localhost`, in plain words. Other spellings count as elsewhere.
    pub fn is_loopback(&self) -> bool {
        match &self.host {
            Host::V4(address) => address.is_loopback(),
            Host::V6(address) => address.is_loopback(),
            Host::Name(name) => name == "localhost",
        }
    }

    /// Whether it is OpenAI's own, over TLS.
    pub fn is_openai(&self) -> bool {
        self.is_of("api.openai.com")
    }

    /// Whether it is Anthropic's own, over TLS.
    pub fn is_anthropic(&self) -> bool {
        self.is_of("api.anthropic.com")
    }

    fn is_of(&self, name: &str) -> bool {
        let host = Host::Name(name.to_owned());
        self.scheme == Scheme::Https && self.port.is_none() && self.host == host
    }

    /// Whether nobody on the way can read along.
    pub fn is_private(&self) -> bool {
        self.scheme == Scheme::Https || self.is_loopback()
    }

    /// The host, with the port where it is not the usual one.
    pub fn place(&self) -> String {
        match self.port {
            Some(port) => format!("{}:{port}", self.host),
            None => self.host.to_string(),
        }
    }
}

impl Scheme {
    fn port(self) -> u16 {
        match self {
            Scheme::Http => 80,
            Scheme::Https => 443,
        }
    }
}

impl Host {
    fn parse(text: &str) -> Option<Host> {
        if let Some(inner) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            return inner.parse().ok().map(Host::V6);
        }
        if let Ok(address) = text.parse() {
            return Some(Host::V4(address));
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
        let name = !text.is_empty() && text.len() <= HOST_BYTES_MAX && text.chars().all(plain);
        name.then(|| Host::Name(text.to_ascii_lowercase()))
    }
}

fn split_port(authority: &str) -> Option<(&str, Option<&str>)> {
    if let Some(end) = authority.find(']') {
        let (host, rest) = authority.split_at(end + 1);
        return if rest.is_empty() {
            Some((host, None))
        } else {
            Some((host, Some(rest.strip_prefix(':')?)))
        };
    }
    match authority.split_once(':') {
        Some((_, port)) if port.contains(':') => None,
        Some((host, port)) => Some((host, Some(port))),
        None => Some((authority, None)),
    }
}

impl fmt::Display for Host {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Host::V4(address) => address.fmt(out),
            Host::V6(address) => write!(out, "[{address}]"),
            Host::Name(name) => name.fmt(out),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.scheme {
            Scheme::Http => "http",
            Scheme::Https => "https",
        };
        write!(out, "{scheme}://{}{}", self.place(), self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        match Address::parse(Protocol::OpenAi, text) {
            Ok(address) if address.is_loopback() => format!("here {address}"),
            Ok(address) if address.is_openai() => format!("openai {address}"),
            Ok(address) => format!("elsewhere {address}"),
            Err(_) => "refused".to_owned(),
        }
    }

    #[test]
    fn one_server_has_one_spelling() {
        for text in [
            "https://api.openai.com/v1",
            " https://API.OpenAI.com:443/v1/ ",
            "HTTPS://api.openai.com/v1/embeddings",
            "https://api.openai.com/v1/embeddings/",
        ] {
            assert_eq!(read(text), "openai https://api.openai.com/v1", "{text}");
        }
        let ollama = |text: &str| Address::parse(Protocol::Ollama, text).unwrap();
        assert_eq!(ollama("http://127.0.0.1:11434/api/embed/"), Address::usual(Protocol::Ollama));
    }

    #[test]
    fn only_plain_spellings_of_this_machine_are_this_machine() {
        for (text, says) in [
            ("http://127.0.0.1:11434", "here http://127.0.0.1:11434"),
            ("http://127.9.8.7", "here http://127.9.8.7"),
            ("http://[::1]:80/v1", "here http://[::1]/v1"),
            ("http://LocalHost:1", "here http://localhost:1"),
            ("http://127.0.0.1.example.com", "elsewhere http://127.0.0.1.example.com"),
            ("http://localhost.example.com", "elsewhere http://localhost.example.com"),
            ("http://localhost./", "elsewhere http://localhost."),
            ("http://2130706433/", "elsewhere http://2130706433"),
            ("http://127.1/", "elsewhere http://127.1"),
            ("http://0.0.0.0/", "elsewhere http://0.0.0.0"),
            ("http://[::ffff:127.0.0.1]/", "elsewhere http://[::ffff:127.0.0.1]"),
            ("http://169.254.169.254/", "elsewhere http://169.254.169.254"),
            ("http://api.openai.com/v1", "elsewhere http://api.openai.com/v1"),
            ("https://api.openai.com:8443/v1", "elsewhere https://api.openai.com:8443/v1"),
            ("https://api.openai.com.example.com", "elsewhere https://api.openai.com.example.com"),
        ] {
            assert_eq!(read(text), says, "{text}");
        }
    }

    #[test]
    fn what_two_parsers_could_read_differently_is_refused() {
        for text in [
            "",
            "127.0.0.1:11434",
            "localhost",
            "ftp://localhost",
            "file:///etc/passwd",
            "unix:/run/socket",
            "http://",
            "http:///v1",
            "http://user@localhost",
            "http://user:secret@localhost",
            "http://127.0.0.1:80@example.com/",
            "http://localhost\\@example.com",
            "http://localhost\\.example.com",
            "http://localhost#.example.com",
            "http://localhost?.example.com",
            "http://localhost/v1?key=1",
            "http://localhost/v1#part",
            "http://localhost/../v1",
            "http://localhost/%2e%2e",
            "http://localhost:",
            "http://localhost:0",
            "http://localhost:65536",
            "http://localhost:+80",
            "http://localhost:80:90",
            "http://::1/",
            "http://[::1",
            "http://[::1]80",
            "http://[fe80::1%25eth0]/",
            "http://local host/",
            "http://loc\talhost/",
            "http://localhost\r\nX: y/",
            "http://ⓛocalhost/",
            "http://exämple.com/",
        ] {
            assert_eq!(read(text), "refused", "{text:?}");
        }
        let problem = Address::parse(Protocol::OpenAi, "http://user:secret@localhost").unwrap_err();
        assert!(!problem.contains("secret"), "{problem}");
        assert!(
            Address::parse(Protocol::OpenAi, &format!("http://{}", "a".repeat(5000))).unwrap_err().len()
                < 100
        );
    }
}
