//! Fetching one page (FOR-3): where to, how often, how much and for how long.
//!
//! Every hop goes the same way: the address is read, the domain may be read, the site's `robots.txt` allows it, it is our turn, and the
//! guard lets the connection be made. No cookies, no credentials, no referrer and no proxy.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufReader, Read};
use std::net::IpAddr;
use std::time::{Duration, Instant};

use flate2::bufread::{MultiGzDecoder, ZlibDecoder};
use ureq::Agent;
use ureq::http::HeaderMap;
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::DefaultConnector;

use crate::address::{Address, Scheme};
use crate::charset;
use crate::domains::Domains;
use crate::guard::{AddressPolicy, Blocked, GuardedResolver, Names};
use crate::limits::{
    AHEAD_BYTES, CYCLE_BYTES_MAX, CYCLE_REQUESTS_MAX, CYCLE_TIME, PAGE_BYTES_MAX, PAGE_TIME, RATE_A_SECOND,
    RATE_BURST, RATE_WAIT_MAX, RATIO_FREE_BYTES, RATIO_MAX, REDIRECTS_MAX, ROBOTS_BYTES_MAX, ROBOTS_TIME,
};
use crate::robots::Robots;

/// What an answer is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Html,
    Plain,
    Xml,
    Json,
}

/// A page as it was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Where it was found in the end.
    pub address: Address,
    pub format: Format,
    pub text: String,
    /// Bytes that came over the wire.
    pub bytes: usize,
    /// There was more of it than is read.
    pub is_cut: bool,
}

/// Why there is no page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Its address may not be connected to, or cannot be read.
    Blocked(String),
    /// A person denied its domain.
    Denied(String),
    /// The site asks not to read it.
    Robots,
    /// Its site was asked too often.
    Rate,
    /// It sends us elsewhere too often, nowhere, or from https to http.
    Redirects(String),
    Status(u16),
    /// It is no text that we read.
    Type(String),
    /// It was compressed so that much comes of little, or in a way we do not read.
    Compression(String),
    Late,
    Unreachable(String),
    /// The cycle has used up its time, bytes or requests.
    Spent(&'static str),
}

impl Fault {
    /// A word for counting.
    pub fn word(&self) -> &'static str {
        match self {
            Fault::Blocked(_) => "blocked",
            Fault::Denied(_) => "denied",
            Fault::Robots => "robots",
            Fault::Rate => "rate",
            Fault::Redirects(_) => "redirects",
            Fault::Status(_) => "status",
            Fault::Type(_) => "type",
            Fault::Compression(_) => "compression",
            Fault::Late => "late",
            Fault::Unreachable(_) => "unreachable",
            Fault::Spent(_) => "spent",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Blocked(why) => write!(out, "not read: {why}"),
            Fault::Denied(domain) => write!(out, "not read: {domain} is distrusted"),
            Fault::Robots => out.write_str("not read: the site's robots.txt asks not to"),
            Fault::Rate => out.write_str("not read: the site was asked too often"),
            Fault::Redirects(why) => write!(out, "not read: {why}"),
            Fault::Status(status) => write!(out, "not read: the site answered {status}"),
            Fault::Type(found) => write!(out, "not read: it is {found}, and only text is read"),
            Fault::Compression(why) => write!(out, "not read: {why}"),
            Fault::Late => out.write_str("not read: the site did not answer in time"),
            Fault::Unreachable(why) => write!(out, "not read: {why}"),
            Fault::Spent(what) => write!(out, "not read: the {what} of this cycle are used up"),
        }
    }
}

/// Reads pages, one after the other, within the bounds of one cycle.
#[derive(Debug)]
pub struct Fetcher {
    agent: Agent,
    policy: AddressPolicy,
    robots: BTreeMap<String, Robots>,
    turns: BTreeMap<String, Bucket>,
    began: Instant,
    bytes: u64,
    requests: usize,
}

/// What one request brought.
struct Raw {
    status: u16,
    headers: HeaderMap,
    body: Vec<u8>,
    wire_bytes: usize,
    is_cut: bool,
}

/// How much of an answer is read, how long that may take, and what is asked for.
#[derive(Clone, Copy)]
struct Bounds {
    bytes_max: usize,
    until: Instant,
    accept: &'static str,
}

const ACCEPT_PAGE: &str =
    "text/html, application/xhtml+xml, text/markdown, text/plain, application/xml;q=0.8";

impl Fetcher {
    /// A fetcher that resolves names as the system does.
    pub fn new(policy: AddressPolicy) -> Fetcher {
        Fetcher::with(policy, Names::System(DefaultResolver::default()))
    }

    /// A fetcher for which names are what a function says.
    pub fn with_names(
        policy: AddressPolicy,
        names: impl Fn(&str) -> Vec<IpAddr> + Send + Sync + 'static,
    ) -> Fetcher {
        Fetcher::with(policy, Names::Given(Box::new(names)))
    }

    fn with(policy: AddressPolicy, names: Names) -> Fetcher {
        let config = Agent::config_builder()
            // A proxy would connect in our place, to whatever the name means there.
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            // Each request asks the guard anew.
            .max_idle_connections(0)
            .user_agent(concat!("ken/", env!("CARGO_PKG_VERSION"), " (reads single pages for a developer)"))
            .build();
        let resolver = GuardedResolver { policy: policy.clone(), names };
        let agent = Agent::with_parts(config, DefaultConnector::new(), resolver);
        let (robots, turns) = (BTreeMap::new(), BTreeMap::new());
        Fetcher { agent, policy, robots, turns, began: Instant::now(), bytes: 0, requests: 0 }
    }

    /// Bytes that came over the wire, everything included.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Reads a page.
    pub fn page(&mut self, address: &Address, domains: &Domains) -> Result<Answer, Fault> {
        let until = self.until(PAGE_TIME);
        let bounds = Bounds { bytes_max: PAGE_BYTES_MAX, until, accept: ACCEPT_PAGE };
        let (address, raw) = self.follow(address, domains, bounds, true)?;
        if !(200..300).contains(&raw.status) {
            return Err(Fault::Status(raw.status));
        }
        let declared = header(&raw.headers, "content-type");
        let format = format_of(declared).ok_or_else(|| Fault::Type(shown(declared)))?;
        let text = charset::decode(&raw.body, declared, format)
            .ok_or_else(|| Fault::Type("not in a known character set, or binary".to_owned()))?;
        Ok(Answer { address, format, text, bytes: raw.wire_bytes, is_cut: raw.is_cut })
    }

    /// Asks a search provider. It is asked by name, so `robots.txt` does not concern it, and it sends us nowhere.
    pub fn ask(
        &mut self,
        address: &Address,
        key: Option<(&'static str, &str)>,
        bytes_max: usize,
    ) -> Result<String, Fault> {
        let bounds = Bounds { bytes_max, until: self.until(PAGE_TIME), accept: "application/json" };
        self.may(address, &Domains::default())?;
        let raw = self.call(address, bounds, key)?;
        match raw.status {
            200..300 if raw.is_cut => Err(Fault::Type("larger than a list of results".to_owned())),
            200..300 => String::from_utf8(raw.body).map_err(|_| Fault::Type("not UTF-8".to_owned())),
            status => Err(Fault::Status(status)),
        }
    }

    /// The sitemaps that a site names.
    pub fn sitemaps(&mut self, address: &Address, domains: &Domains) -> Vec<String> {
        self.robots_of(address, domains).map(|robots| robots.sitemaps.clone()).unwrap_or_default()
    }

    fn until(&self, time: Duration) -> Instant {
        (Instant::now() + time).min(self.began + CYCLE_TIME)
    }

    /// Follows redirects; every hop is checked as the first was.
    fn follow(
        &mut self,
        from: &Address,
        domains: &Domains,
        bounds: Bounds,
        asks_robots: bool,
    ) -> Result<(Address, Raw), Fault> {
        let mut address = from.clone();
        for _ in 0..=REDIRECTS_MAX {
            self.may(&address, domains)?;
            if asks_robots && !self.robots_of(&address, domains)?.allows(&address.target()) {
                return Err(Fault::Robots);
            }
            self.take_turn(&address)?;
            let raw = self.call(&address, bounds, None)?;
            if !matches!(raw.status, 301 | 302 | 303 | 307 | 308) {
                return Ok((address, raw));
            }
            let to = header(&raw.headers, "location")
                .ok_or_else(|| Fault::Redirects("it leads nowhere".to_owned()))?;
            let next = address
                .join(to)
                .map_err(|why| Fault::Redirects(format!("it leads to an address where {why}")))?;
            if address.scheme == Scheme::Https && next.scheme == Scheme::Http {
                return Err(Fault::Redirects("it leads from https to http".to_owned()));
            }
            address = next;
        }
        Err(Fault::Redirects(format!("it leads elsewhere more than {REDIRECTS_MAX} times")))
    }

    /// What can be said of an address before anything is sent.
    fn may(&self, address: &Address, domains: &Domains) -> Result<(), Fault> {
        let host = address.host_name();
        if domains.is_denied(&host) {
            return Err(Fault::Denied(host));
        }
        let blocked = |why: Blocked| Fault::Blocked(why.0);
        self.policy.check_host(&address.host, address.port()).map_err(blocked)
    }

    /// The rules of a site. One that cannot be asked wants nothing read, and one without rules anything (RFC 9309).
    fn robots_of(&mut self, address: &Address, domains: &Domains) -> Result<&Robots, Fault> {
        let site = address.at("/robots.txt");
        let place = site.to_string();
        if !self.robots.contains_key(&place) {
            let until = self.until(ROBOTS_TIME);
            let bounds = Bounds { bytes_max: ROBOTS_BYTES_MAX, until, accept: "text/plain" };
            let robots = match self.follow(&site, domains, bounds, false) {
                Ok((_, raw)) if (200..300).contains(&raw.status) => {
                    Robots::parse(&String::from_utf8_lossy(&raw.body))
                }
                Ok((_, raw)) if (400..500).contains(&raw.status) && raw.status != 429 => Robots::default(),
                Ok(_) | Err(Fault::Late | Fault::Unreachable(_)) => Robots::nothing(),
                Err(Fault::Redirects(_)) => Robots::default(),
                Err(fault) => return Err(fault),
            };
            self.robots.insert(place.clone(), robots);
        }
        Ok(&self.robots[&place])
    }

    /// Waits for our turn at a host, if that is soon.
    fn take_turn(&mut self, address: &Address) -> Result<(), Fault> {
        let bucket = self.turns.entry(address.host_name()).or_insert_with(|| Bucket::new(Instant::now()));
        let wait = bucket.take(Instant::now()).ok_or(Fault::Rate)?;
        std::thread::sleep(wait);
        Ok(())
    }

    fn call(
        &mut self,
        address: &Address,
        bounds: Bounds,
        key: Option<(&'static str, &str)>,
    ) -> Result<Raw, Fault> {
        if self.requests >= CYCLE_REQUESTS_MAX {
            return Err(Fault::Spent("requests"));
        }
        let room = CYCLE_BYTES_MAX.saturating_sub(self.bytes);
        if room == 0 {
            return Err(Fault::Spent("bytes"));
        }
        let left = bounds.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(if self.began.elapsed() >= CYCLE_TIME {
                Fault::Spent("seconds")
            } else {
                Fault::Late
            });
        }
        self.requests += 1;
        let mut request = self
            .agent
            .get(address.to_string())
            .header("accept", bounds.accept)
            .header("accept-encoding", "gzip, identity;q=0.5");
        if let Some((name, value)) = key {
            request = request.header(name, value);
        }
        let mut response =
            request.config().timeout_global(Some(left)).build().call().map_err(|error| fault_of(&error))?;
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let mut raw = Raw { status, headers, body: Vec::new(), wire_bytes: 0, is_cut: false };
        // Only what is kept is read.
        if (200..300).contains(&status) {
            let room = usize::try_from(room).unwrap_or(usize::MAX);
            let coding = header(&raw.headers, "content-encoding").map(str::to_ascii_lowercase);
            let mut wire = Counted { inner: response.body_mut().as_reader(), bytes: 0, bytes_max: room };
            let read = read_coded(&mut wire, coding.as_deref(), bounds.bytes_max);
            raw.wire_bytes = wire.bytes;
            self.bytes += wire.bytes as u64;
            (raw.body, raw.is_cut) = read?;
        }
        Ok(raw)
    }
}

/// Reads an answer to its end or its bound, decompressing it on the way.
fn read_coded(
    wire: &mut Counted<impl Read>,
    coding: Option<&str>,
    bytes_max: usize,
) -> Result<(Vec<u8>, bool), Fault> {
    match coding.unwrap_or("identity").trim() {
        "identity" | "" => read_bounded(wire, bytes_max, |wire| wire.bytes),
        "gzip" | "x-gzip" => {
            let gzip = MultiGzDecoder::new(BufReader::with_capacity(AHEAD_BYTES, wire));
            read_bounded(gzip, bytes_max, |gzip| gzip.get_ref().get_ref().bytes)
        }
        "deflate" => {
            let zlib = ZlibDecoder::new(BufReader::with_capacity(AHEAD_BYTES, wire));
            read_bounded(zlib, bytes_max, |zlib| zlib.get_ref().get_ref().bytes)
        }
        other => Err(Fault::Compression(format!("it is compressed by {}", shown(Some(other))))),
    }
}

fn read_bounded<R: Read>(
    mut reader: R,
    bytes_max: usize,
    wire_bytes: impl Fn(&R) -> usize,
) -> Result<(Vec<u8>, bool), Fault> {
    let mut body = Vec::new();
    let mut chunk = [0; 16 * 1024];
    loop {
        let count = match reader.read(&mut chunk) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            // The client's own errors wrap another one.
            Err(error)
                if error.get_ref().is_none_or(|inner| !inner.is::<ureq::Error>()) && is_bad_data(&error) =>
            {
                return Err(Fault::Compression(
                    "it ends early, or what was compressed cannot be read".to_owned(),
                ));
            }
            Err(error) => return Err(fault_of(&ureq::Error::from(error))),
        };
        if count == 0 {
            return Ok((body, false));
        }
        let room = bytes_max - body.len();
        body.extend_from_slice(&chunk[..count.min(room)]);
        if body.len() > RATIO_FREE_BYTES.max(wire_bytes(&reader).saturating_mul(RATIO_MAX)) {
            return Err(Fault::Compression(format!(
                "it grows more than {RATIO_MAX}-fold when it is decompressed"
            )));
        }
        if count > room {
            return Ok((body, true));
        }
    }
}

fn is_bad_data(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::UnexpectedEof
    )
}

/// Counts what comes over the wire, and ends where the cycle's room does.
struct Counted<R> {
    inner: R,
    bytes: usize,
    bytes_max: usize,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let room = out.len().min(self.bytes_max - self.bytes);
        let count = self.inner.read(&mut out[..room])?;
        self.bytes += count;
        Ok(count)
    }
}

/// How often a host may be asked: so many at once, and so many a second.
#[derive(Clone, Copy, Debug)]
pub struct Bucket {
    /// Requests that may be made now; below zero, others wait for theirs.
    room: f64,
    at: Instant,
}

impl Bucket {
    pub fn new(now: Instant) -> Bucket {
        Bucket { room: RATE_BURST, at: now }
    }

    /// Takes a turn, and says how long to wait for it; none where that is too long.
    pub fn take(&mut self, now: Instant) -> Option<Duration> {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        let room = (self.room + passed * RATE_A_SECOND).min(RATE_BURST) - 1.0;
        let wait = Duration::from_secs_f64((-room).max(0.0) / RATE_A_SECOND);
        if wait > RATE_WAIT_MAX {
            return None;
        }
        (self.room, self.at) = (room, now.max(self.at));
        Some(wait)
    }
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// What a server said, fit to be shown: short, and of plain signs.
fn shown(text: Option<&str>) -> String {
    let plain = |c: &char| c.is_ascii_alphanumeric() || "/+-._; =".contains(*c);
    match text {
        Some(text) => text.chars().filter(plain).take(60).collect(),
        None => "of no stated type".to_owned(),
    }
}

fn format_of(content_type: Option<&str>) -> Option<Format> {
    let kind = content_type?.split(';').next()?.trim().to_ascii_lowercase();
    match kind.as_str() {
        "text/html" | "application/xhtml+xml" => Some(Format::Html),
        "text/plain" | "text/markdown" | "text/x-markdown" | "text/x-rst" => Some(Format::Plain),
        "text/xml" | "application/xml" => Some(Format::Xml),
        "application/json" => Some(Format::Json),
        kind if kind.ends_with("+xml") && kind != "image/svg+xml" => Some(Format::Xml),
        kind if kind.ends_with("+json") => Some(Format::Json),
        _ => None,
    }
}

fn fault_of(error: &ureq::Error) -> Fault {
    match error {
        ureq::Error::Timeout(_) => Fault::Late,
        ureq::Error::HostNotFound => Fault::Unreachable("the host was not found".to_owned()),
        ureq::Error::Io(error) => {
            let inner = error.get_ref();
            if let Some(Blocked(why)) = inner.and_then(|inner| inner.downcast_ref()) {
                return Fault::Blocked(why.clone());
            }
            if let Some(error) = inner.and_then(|inner| inner.downcast_ref::<ureq::Error>()) {
                return fault_of(error);
            }
            match error.kind() {
                io::ErrorKind::TimedOut => Fault::Late,
                kind => Fault::Unreachable(format!("the connection failed ({kind})")),
            }
        }
        _ => Fault::Unreachable("the answer is not valid HTTP".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The seed: a burst of five, then two a second.
    #[test]
    fn five_at_once_and_then_two_a_second() {
        let start = Instant::now();
        let mut bucket = Bucket::new(start);
        let waits: Vec<Option<u128>> =
            (0..10).map(|_| bucket.take(start).map(|wait| wait.as_millis())).collect();
        let some = |list: &[u128]| list.iter().map(|wait| Some(*wait)).collect::<Vec<_>>();
        assert_eq!(waits[..9], some(&[0, 0, 0, 0, 0, 500, 1000, 1500, 2000]));
        assert_eq!(waits[9], None);
        assert_eq!(bucket.take(start + Duration::from_secs(3)), Some(Duration::ZERO));
    }
}
