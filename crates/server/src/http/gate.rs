//! Who is let in: by which name the server was called, from which page, with which token or session, and how often.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use kenning::CloneState;
use kenning::access::Access;
use kenning::core::Millis;
use kenning::verb::Role;
use kenning::{Identity, Person, Secret};

use super::Listen;
use super::sessions::{Session, Sessions};
use crate::door::Settings;
use crate::limits::{ATTEMPTS_A_MINUTE, PEERS_MAX, REQUESTS_A_SECOND, REQUESTS_AT_ONCE};
use crate::rest::Problem;

/// Who makes a request.
#[derive(Clone, Debug)]
pub(crate) struct Principal {
    /// The name that is shown and credited.
    pub(crate) name: String,
    pub(crate) role: Role,
    /// The name of the token that it came with.
    pub(crate) token: Option<String>,
    /// The person who confirmed the session.
    pub(crate) person: Option<Person>,
    /// The session, and its cookie.
    pub(crate) session: Option<(Session, String)>,
    /// The other end of the connection.
    pub(crate) peer: Option<IpAddr>,
}

/// The other end of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// The door keeper.
pub(crate) struct Gate {
    hosts: Vec<String>,
    /// It listens on every address of the machine, and may be called by any of them.
    everywhere: bool,
    /// The one token that the server was started with.
    token: Option<Secret>,
    /// The clone's folder, with its tokens.
    state: Option<Arc<dyn CloneState>>,
    pub(crate) sessions: Arc<Sessions>,
    cookie: String,
    identity: Identity,
    attempts: Mutex<HashMap<IpAddr, Bucket>>,
    requests: Mutex<HashMap<String, Bucket>>,
}

/// What may still be asked: it fills up again at an even pace.
struct Bucket {
    left: f64,
    at: Instant,
}

impl Bucket {
    /// Takes one out, where there is one.
    fn take(&mut self, per_second: f64, most: f64) -> bool {
        let now = Instant::now();
        self.left = (self.left + now.duration_since(self.at).as_secs_f64() * per_second).min(most);
        self.at = now;
        let has = self.left >= 1.0;
        if has {
            self.left -= 1.0;
        }
        has
    }
}

fn take<K: std::hash::Hash + Eq>(
    buckets: &Mutex<HashMap<K, Bucket>>,
    key: K,
    per_second: f64,
    most: f64,
) -> bool {
    let mut buckets = buckets.lock().unwrap_or_else(PoisonError::into_inner);
    if buckets.len() >= PEERS_MAX && !buckets.contains_key(&key) {
        // Who was not seen for a minute has a full bucket again.
        buckets.retain(|_, bucket| bucket.at.elapsed().as_secs() < 60);
    }
    buckets.entry(key).or_insert_with(|| Bucket { left: most, at: Instant::now() }).take(per_second, most)
}

impl Gate {
    pub(crate) fn new(
        listen: &Listen,
        address: SocketAddr,
        settings: &Settings,
        sessions: Arc<Sessions>,
    ) -> Gate {
        let mut hosts = listen.hosts.clone();
        let everywhere = address.ip().is_unspecified();
        if address.ip().is_loopback() || everywhere {
            hosts.extend(["localhost", "127.0.0.1", "[::1]"].map(str::to_owned));
        }
        hosts.push(match address {
            SocketAddr::V4(v4) => v4.ip().to_string(),
            SocketAddr::V6(v6) => format!("[{}]", v6.ip()),
        });
        Gate {
            hosts,
            everywhere,
            token: listen.token.clone(),
            state: settings.state(),
            identity: settings.identity.clone(),
            sessions,
            // Cookies know no ports: two servers on one machine must not take each other's.
            cookie: format!("ken_session_{}", address.port()),
            attempts: Mutex::default(),
            requests: Mutex::default(),
        }
    }

    /// The name of the session's cookie.
    pub(crate) fn cookie_name(&self) -> &str {
        &self.cookie
    }

    /// Why a request is not looked at. A page of another site that was led here by a trick of names has another Host, or an Origin.
    pub(crate) fn objection(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Option<Problem> {
        let refused = |message: &str| Problem::new(StatusCode::FORBIDDEN, "forbidden", message);
        let text =
            |name: header::HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("\u{0}"));
        if uri.authority().is_some_and(|named| !self.is_ours(named.as_str())) {
            return Some(refused("unknown Host"));
        }
        if [header::HOST, header::ORIGIN].iter().any(|name| headers.get_all(name).iter().count() > 1) {
            let message = "Host and Origin may be given only once";
            return Some(Problem::new(StatusCode::BAD_REQUEST, "invalid", message));
        }
        let host = text(header::HOST).unwrap_or_default();
        if !self.is_ours(host) {
            return Some(refused("unknown Host; allow it with --host-name NAME"));
        }
        if let Some(origin) = text(header::ORIGIN) {
            // Another port is another origin: whatever else runs on this machine is not us.
            let from = origin.split_once("://").map(|(_, from)| from).unwrap_or_default();
            if from.is_empty() || !from.eq_ignore_ascii_case(host) {
                return Some(refused("requests from this Origin are not allowed"));
            }
        }
        // Browsers say where a request comes from. A link from elsewhere may be followed; nothing else may come from there.
        let site = headers.get("sec-fetch-site").and_then(|value| value.to_str().ok());
        let follows = method == Method::GET
            && headers.get("sec-fetch-mode").is_some_and(|mode| mode == "navigate")
            && headers.get("sec-fetch-dest").is_none_or(|dest| dest == "document");
        if matches!(site, Some("cross-site" | "same-site")) && !follows {
            return Some(refused("requests from other sites are not allowed"));
        }
        None
    }

    /// Who makes a request; none where it says nothing about that. A wrong token is a problem, not a stranger.
    pub(crate) fn principal(&self, headers: &HeaderMap, peer: IpAddr) -> Result<Option<Principal>, Problem> {
        if let Some(shown) = headers.get(header::AUTHORIZATION) {
            let holder = bearer(shown).map(|token| self.holder(token)).transpose()?.flatten();
            return match holder {
                Some(principal) => Ok(Some(Principal { peer: Some(peer), ..principal })),
                None => Err(self.wrong_token(peer)),
            };
        }
        let Some(cookie) = self.cookie(headers) else { return Ok(None) };
        let Some(session) = self.sessions.of(&cookie) else { return Ok(None) };
        // A token that was revoked ends the sessions that it began.
        if let Some(token) = &session.token
            && self.holder(token)?.is_none()
        {
            self.sessions.end(&cookie);
            return Ok(None);
        }
        Ok(Some(Principal {
            name: session.name.clone(),
            role: self.sessions.role(&session),
            token: session.token.as_ref().map(|_| session.name.clone()),
            person: session.person().cloned(),
            session: Some((session, cookie)),
            peer: Some(peer),
        }))
    }

    /// Whether who was let in with these headers would be let in again: the token was not revoked meanwhile, and the session did not end.
    /// Asking keeps no session awake.
    pub(crate) fn still_admits(&self, headers: &HeaderMap) -> bool {
        if let Some(shown) = headers.get(header::AUTHORIZATION) {
            return bearer(shown).is_some_and(|token| self.is_held(token));
        }
        let session = self.cookie(headers).and_then(|cookie| self.sessions.peek(&cookie));
        session.is_some_and(|session| session.token.is_none_or(|token| self.is_held(&token)))
    }

    fn is_held(&self, token: &str) -> bool {
        matches!(self.holder(token), Ok(Some(_)))
    }

    /// Who holds a token.
    pub(crate) fn holder(&self, token: &str) -> Result<Option<Principal>, Problem> {
        let named = |name: &str, role: Role| Principal {
            name: name.to_owned(),
            role,
            token: Some(name.to_owned()),
            person: None,
            session: None,
            peer: None,
        };
        if let Some(own) = &self.token
            && same(token.as_bytes(), own.reveal().as_bytes())
        {
            return Ok(Some(named("token", Role::Writer)));
        }
        let Some(access) = self.access() else { return Ok(None) };
        // Tokens may lie in a database: other requests of this thread go on elsewhere meanwhile.
        let holder = tokio::task::block_in_place(|| access.holder(token, self.now()))?;
        Ok(holder.map(|holder| named(&holder.name, holder.role)))
    }

    /// The time for what expires.
    pub(crate) fn now(&self) -> Millis {
        self.identity.time()
    }

    /// The tokens of the clone.
    pub(crate) fn access(&self) -> Option<Access> {
        self.state.clone().map(Access::of)
    }

    /// What somebody is told whose token or code is wrong; who tries too often is told to wait.
    pub(crate) fn wrong_token(&self, peer: IpAddr) -> Problem {
        let most = f64::from(ATTEMPTS_A_MINUTE);
        if !take(&self.attempts, peer, most / 60.0, most) {
            let message = "too many attempts with a wrong token or code";
            return Problem::new(StatusCode::TOO_MANY_REQUESTS, "too_many_requests", message)
                .hint("wait a minute")
                .retry_after(60);
        }
        Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", "the token is unknown, expired or revoked")
            .hint("`ken token list` lists those of this clone, and `ken token add NAME` makes one")
    }

    /// Whether somebody may ask one more time now.
    pub(crate) fn is_patient(&self, principal: &Principal) -> bool {
        let key =
            principal.session.as_ref().map_or_else(|| principal.name.clone(), |(_, cookie)| cookie.clone());
        take(&self.requests, key, f64::from(REQUESTS_A_SECOND), f64::from(REQUESTS_AT_ONCE))
    }

    /// The value of our cookie.
    fn cookie(&self, headers: &HeaderMap) -> Option<String> {
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs =
            cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.find(|(name, _)| *name == self.cookie).map(|(_, value)| value.to_owned())
    }

    /// Whether a host, with or without a port, is one of ours.
    fn is_ours(&self, host: &str) -> bool {
        let bare = match host.rfind(':') {
            Some(at)
                if host[at + 1..].bytes().all(|byte| byte.is_ascii_digit()) && !host[..at].is_empty() =>
            {
                &host[..at]
            }
            _ => host,
        };
        let is_address = || bare.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
        // A page led here by a trick of names has a name for a Host, and no number.
        self.everywhere && is_address()
            || self
                .hosts
                .iter()
                .any(|known| known.eq_ignore_ascii_case(bare) || known.eq_ignore_ascii_case(host))
    }
}

/// The token of an `Authorization` header.
fn bearer(shown: &HeaderValue) -> Option<&str> {
    let (scheme, token) = shown.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

/// Compares in a time that does not tell how far two texts agree.
pub(crate) fn same(one: &[u8], other: &[u8]) -> bool {
    blake3::hash(one) == blake3::hash(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(token: Option<&str>) -> Gate {
        let listen = Listen {
            address: SocketAddr::from(([127, 0, 0, 1], 4100)),
            token: token.map(Secret::new),
            hosts: vec!["ken.example".to_owned()],
            only_mcp: false,
            notify: None,
        };
        let settings = Settings {
            options: kenning::Options::at("/nowhere"),
            workspace: None,
            shared: None,
            identity: Identity::default(),
            profile: crate::Profile::Default,
            host: None,
            session: None,
        };
        Gate::new(&listen, listen.address, &settings, Arc::default())
    }

    type Pairs<'a> = &'a [(&'static str, &'a str)];

    fn headers(pairs: Pairs<'_>) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &str)| {
            (header::HeaderName::from_static(name), HeaderValue::from_str(value).expect("a header"))
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn only_our_own_names_are_answered_and_only_pages_of_ours_may_ask() {
        let table: &[(Pairs<'_>, Option<u16>)] = &[
            (&[("host", "127.0.0.1:4100")], None),
            (&[("host", "localhost")], None),
            (&[("host", "[::1]:4100")], None),
            (&[("host", "KEN.example:443")], None),
            (&[("host", "evil.example")], Some(403)),
            (&[("host", "evil.example:4100")], Some(403)),
            (&[("host", "localhost.evil.example")], Some(403)),
            (&[("host", "127.0.0.1.evil.example:4100")], Some(403)),
            (&[("host", ":4100")], Some(403)),
            (&[], Some(403)),
            (&[("host", "localhost:4100"), ("origin", "http://localhost:4100")], None),
            (&[("host", "localhost:4100"), ("origin", "http://localhost:5173")], Some(403)),
            (&[("host", "localhost"), ("host", "evil.example")], Some(400)),
            (&[("host", "localhost"), ("origin", "https://evil.example")], Some(403)),
            (&[("host", "localhost"), ("origin", "http://localhost@evil.example")], Some(403)),
            (&[("host", "localhost"), ("origin", "null")], Some(403)),
            (&[("host", "localhost"), ("origin", "")], Some(403)),
            (&[("host", "localhost"), ("sec-fetch-site", "same-origin")], None),
            (&[("host", "localhost"), ("sec-fetch-site", "none")], None),
            (&[("host", "localhost"), ("sec-fetch-site", "cross-site")], Some(403)),
            (
                &[("host", "localhost"), ("sec-fetch-site", "same-site"), ("sec-fetch-mode", "no-cors")],
                Some(403),
            ),
            (
                &[("host", "localhost"), ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")],
                None,
            ),
            (
                &[
                    ("host", "localhost"),
                    ("sec-fetch-site", "cross-site"),
                    ("sec-fetch-mode", "navigate"),
                    ("sec-fetch-dest", "iframe"),
                ],
                Some(403),
            ),
        ];
        for (given, wanted) in table {
            let objection = gate(None).objection(&Method::GET, &Uri::from_static("/"), &headers(given));
            assert_eq!(objection.map(|problem| problem.status.as_u16()), *wanted, "{given:?}");
        }
        let cross = headers(&[
            ("host", "localhost"),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "navigate"),
        ]);
        assert!(gate(None).objection(&Method::POST, &Uri::from_static("/"), &cross).is_some());
    }

    #[test]
    fn a_token_is_shown_as_a_bearer_and_guessing_is_slowed_down() {
        let peer = IpAddr::from([127, 0, 0, 1]);
        let gate = gate(Some("a secret of sixteen"));
        let ask = |value: &str| gate.principal(&headers(&[("authorization", value)]), peer);
        assert!(gate.principal(&HeaderMap::new(), peer).unwrap().is_none());
        assert_eq!(ask("Bearer a secret of sixteen").unwrap().unwrap().role, Role::Writer);
        assert_eq!(ask("bearer  a secret of sixteen").unwrap().unwrap().role, Role::Writer);
        for wrong in [
            "Bearer",
            "Bearer ",
            "Bearer another secret!",
            "Basic a secret of sixteen",
            "a secret of sixteen",
        ] {
            assert_eq!(ask(wrong).unwrap_err().status, 401, "{wrong}");
        }
        for _ in 0..ATTEMPTS_A_MINUTE {
            let _ = ask("Bearer guess");
        }
        assert_eq!(ask("Bearer guess").unwrap_err().status, 429);
        // Who has the token is not kept out by those who guess.
        assert!(ask("Bearer a secret of sixteen").is_ok());
    }
}
