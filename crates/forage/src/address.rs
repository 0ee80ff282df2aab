//! Addresses of pages, read strictly: what is judged is what is connected to.
//!
//! Two parsers that disagree about a host are an old way past a check. Whatever could be read in two ways is refused: numbers that stand
//! for an address, user names, backslashes, a dot at the end, letters that look like others. What is used is put together from the parts.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::limits::{HOST_BYTES_MAX, LABEL_BYTES_MAX, URL_CHARS_MAX};

/// The address of a page, normalised: equal addresses are the same page. Without a fragment.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address {
    pub scheme: Scheme,
    pub host: Host,
    /// None where it is the scheme's own.
    port: Option<u16>,
    /// With a slash in front.
    path: String,
    query: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scheme {
    Http,
    Https,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Host {
    V4(Ipv4Addr),
    V6(Ipv6Addr),
    /// In small letters, as DNS has it: names in other scripts are in punycode.
    Name(String),
}

impl Address {
    /// Reads an address. The problem is a clause that never repeats a password.
    pub fn parse(text: &str) -> Result<Address, String> {
        let text = text.trim_matches(' ');
        check_characters(text)?;
        let (scheme, rest) = text.split_once("://").ok_or("it must begin with https:// or http://")?;
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            _ => return Err("it must begin with https:// or http://".to_owned()),
        };
        let (authority, rest) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        let (host, port) = read_authority(authority)?;
        let (path, query) = read_rest(rest);
        Ok(Address { scheme, host, port: port.filter(|port| *port != scheme.port()), path, query })
    }

    /// Where a link on this page leads, as `Location` headers and `href`s have it.
    pub fn join(&self, link: &str) -> Result<Address, String> {
        let link = link.trim_matches(|c: char| c.is_ascii_whitespace());
        check_characters(link)?;
        let scheme = match self.scheme {
            Scheme::Http => "http",
            Scheme::Https => "https",
        };
        let before_path = link.split(['/', '?', '#']).next().unwrap_or_default();
        if before_path.contains(':') {
            return Address::parse(link);
        }
        if let Some(rest) = link.strip_prefix("//") {
            return Address::parse(&format!("{scheme}://{rest}"));
        }
        let folder = self.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let whole = match link.chars().next() {
            None | Some('#') => return Ok(self.clone()),
            Some('/') => link.to_owned(),
            Some('?') => format!("{}{link}", self.path),
            Some(_) => format!("{folder}/{link}"),
        };
        let (path, query) = read_rest(&whole);
        Ok(Address { path, query, ..self.clone() })
    }

    /// The same server, and another path.
    pub fn at(&self, path: &str) -> Address {
        Address { path: path.to_owned(), query: None, ..self.clone() }
    }

    /// The same with a query of names and values.
    pub fn with_query(&self, pairs: &[(&str, &str)]) -> Address {
        let pairs: Vec<String> =
            pairs.iter().map(|(name, value)| format!("{name}={}", encoded(value, ""))).collect();
        Address { query: Some(pairs.join("&")), ..self.clone() }
    }

    pub fn port(&self) -> u16 {
        self.port.unwrap_or(self.scheme.port())
    }

    pub fn path(&self) -> &str {
        &self.path
    }

    /// Path and query, as a server and its `robots.txt` see them.
    pub fn target(&self) -> String {
        match &self.query {
            Some(query) => format!("{}?{query}", self.path),
            None => self.path.clone(),
        }
    }

    /// The host as text, without brackets.
    pub fn host_name(&self) -> String {
        match &self.host {
            Host::V4(address) => address.to_string(),
            Host::V6(address) => address.to_string(),
            Host::Name(name) => name.clone(),
        }
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
    /// Reads a host. A number that some programs take for an address is none: `127.1`, `0x7f.1`, `2130706433`, `010.0.0.1`.
    pub fn parse(text: &str) -> Option<Host> {
        if let Some(inner) = text.strip_prefix('[') {
            return inner.strip_suffix(']')?.parse().ok().map(Host::V6);
        }
        if let Ok(address) = text.parse() {
            return Some(Host::V4(address));
        }
        let is_label = |label: &str| {
            !label.is_empty()
                && label.len() <= LABEL_BYTES_MAX
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
                && !label.starts_with('-')
                && !label.ends_with('-')
        };
        let last = text.rsplit('.').next().unwrap_or_default();
        // No domain ends in a number: that is how browsers know an address in odd notation.
        let is_number = last.starts_with(|c: char| c.is_ascii_digit());
        let is_name = text.len() <= HOST_BYTES_MAX && text.split('.').all(is_label) && !is_number;
        is_name.then(|| Host::Name(text.to_ascii_lowercase()))
    }

    pub fn ip(&self) -> Option<IpAddr> {
        match self {
            Host::V4(address) => Some(IpAddr::V4(*address)),
            Host::V6(address) => Some(IpAddr::V6(*address)),
            Host::Name(_) => None,
        }
    }
}

fn check_characters(text: &str) -> Result<(), String> {
    if text.chars().count() > URL_CHARS_MAX {
        return Err(format!("it is longer than {URL_CHARS_MAX} characters"));
    }
    if text.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\') {
        return Err("it has a blank, a backslash or a control character".to_owned());
    }
    Ok(())
}

fn read_authority(authority: &str) -> Result<(Host, Option<u16>), String> {
    if authority.contains('@') {
        return Err("it has a user name or password".to_owned());
    }
    let (host, port) = match authority.rsplit_once(':') {
        // A colon within brackets belongs to the address.
        Some((_, behind)) if behind.contains(']') => (authority, None),
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    let port = match port {
        None => None,
        Some(digits)
            if !digits.is_empty()
                && !digits.starts_with('0')
                && digits.bytes().all(|b| b.is_ascii_digit()) =>
        {
            Some(digits.parse::<u16>().map_err(|_| "its port is not one of 1 to 65535")?)
        }
        Some(_) => return Err("its port is not one of 1 to 65535".to_owned()),
    };
    let host = Host::parse(host).ok_or(
        "its host is not a plain name, an IPv4 address of four numbers or an IPv6 address in brackets",
    )?;
    Ok((host, port))
}

/// The path without `.` and `..`, and the query, each escaped where it must be.
fn read_rest(rest: &str) -> (String, Option<String>) {
    let rest = rest.split('#').next().unwrap_or_default();
    let (path, query) = match rest.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (rest, None),
    };
    let path = encoded(path, "/:@!$&'()*+,;=");
    let mut parts: Vec<&str> = Vec::new();
    let mut is_folder = false;
    for part in path.split('/').skip(usize::from(path.starts_with('/'))) {
        let plain = part.replace("%2E", ".").replace("%2e", ".");
        is_folder = matches!(plain.as_str(), "." | "..") || part.is_empty();
        match plain.as_str() {
            "." => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    let mut whole = format!("/{}", parts.join("/"));
    if is_folder && !whole.ends_with('/') {
        whole.push('/');
    }
    (whole, query.map(|query| encoded(query, "/:@!$&'()*+,;=?")))
}

/// A text with everything escaped but letters, digits, `-._~` and some other signs. Where there are such signs it is a part of an address,
/// in which something may be escaped already; else it is a value.
fn encoded(text: &str, plain: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let is_escape = c == '%'
            && !plain.is_empty()
            && text.get(at + 1..at + 3).is_some_and(|two| two.bytes().all(|b| b.is_ascii_hexdigit()));
        if c.is_ascii_alphanumeric() || "-._~".contains(c) || plain.contains(c) || is_escape {
            out.push(c);
            continue;
        }
        for byte in c.encode_utf8(&mut [0; 4]).bytes() {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
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
        write!(out, "{scheme}://{}{}", self.place(), self.target())
    }
}
