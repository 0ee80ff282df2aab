//! What may be connected to (FOR-3): asked for every name and every literal, on every hop, when the connection is made.
//!
//! The guard is the resolver of the HTTP client. What it answers is what the client connects to, so nothing lies between the check and
//! the connection: a name that resolves to another address a moment later is never resolved again.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::LazyLock;

use ken_language::WordList;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use crate::address::{Address, Host};
use crate::domains::is_below;
use crate::limits::{ADDRESSES_MAX, PORTS};

static PRIVATE_NAMES: WordList = WordList::new(include_str!("../words/private_names.txt"));

/// Which addresses may be connected to. By itself it allows what is public; a person can add more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddressPolicy {
    /// Addresses with their port that a person allowed although they are not public.
    pub allowed: BTreeSet<SocketAddr>,
    /// The only server there is, for the traffic with a search provider. A person chose it, so it may be in a private network, but not
    /// where clouds keep their keys.
    pub only: Option<(Host, u16)>,
}

/// Why nothing is connected to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocked(pub String);

impl fmt::Display for Blocked {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl std::error::Error for Blocked {}

impl AddressPolicy {
    /// The policy for a search provider: that server and no other.
    pub fn of_provider(address: &Address) -> AddressPolicy {
        AddressPolicy { allowed: BTreeSet::new(), only: Some((address.host.clone(), address.port())) }
    }

    /// What can be said before a name is resolved.
    pub fn check_host(&self, host: &Host, port: u16) -> Result<(), Blocked> {
        if let Some(only) = &self.only {
            return match only.0 == *host && only.1 == port {
                true => Ok(()),
                false => Err(Blocked(format!("{host}:{port} is not the search provider"))),
            };
        }
        match host {
            Host::V4(_) | Host::V6(_) => self.check(SocketAddr::new(host.ip().expect("it is one"), port)),
            Host::Name(name) => {
                // A name that is allowed by its address is checked when that is known.
                if self.allowed.iter().any(|address| address.port() == port) {
                    return Ok(());
                }
                let is_private = |of: &&str| is_below(name, of);
                if !name.contains('.') || PRIVATE_NAMES.iter().any(is_private) {
                    return Err(Blocked(format!("{name} is a name of a private network")));
                }
                check_port(port)
            }
        }
    }

    /// Whether an address may be connected to.
    pub fn check(&self, address: SocketAddr) -> Result<(), Blocked> {
        if self.allowed.contains(&address) {
            return Ok(());
        }
        let refused = |what: &str| Err(Blocked(format!("{} is not public ({what})", address.ip())));
        match (range_of(address.ip()), &self.only) {
            // Where a provider is has been decided by a person; keys of a cloud are nowhere a provider is.
            (Some(what), Some(_)) if what.contains("metadata") || what.contains("link-local") => {
                refused(what)
            }
            (_, Some(_)) => Ok(()),
            (Some(what), None) => refused(what),
            (None, None) => check_port(address.port()),
        }
    }
}

fn check_port(port: u16) -> Result<(), Blocked> {
    match PORTS.contains(&port) {
        true => Ok(()),
        false => Err(Blocked(format!("port {port} is not one of {PORTS:?}"))),
    }
}

struct Range {
    network: u128,
    bits: u32,
    is_v4: bool,
    what: &'static str,
}

static RANGES: LazyLock<Vec<Range>> = LazyLock::new(|| {
    let lines = include_str!("../data/ranges.txt").lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| {
            let (range, what) = line.split_once(' ')?;
            let (network, bits) = range.split_once('/')?;
            let (address, bits): (IpAddr, u32) = (network.parse().ok()?, bits.parse().ok()?);
            Some(Range { network: number(address), bits, is_v4: address.is_ipv4(), what })
        })
        .collect()
});

fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(v4) => u128::from(u32::from(v4)) << 96,
        IpAddr::V6(v6) => u128::from(v6),
    }
}

/// What an address is for where it is not public; none where it is.
pub fn range_of(address: IpAddr) -> Option<&'static str> {
    let is_within = |range: &&Range| {
        range.is_v4 == address.is_ipv4() && (number(address) ^ range.network).leading_zeros() >= range.bits
    };
    if let Some(range) = RANGES.iter().find(is_within) {
        return Some(range.what);
    }
    match address {
        IpAddr::V4(_) => None,
        // Of IPv6 only this much is handed out; all else is old, new or local.
        IpAddr::V6(v6) => (v6.segments()[0] & 0xe000 != 0x2000).then_some("outside 2000::/3"),
    }
}

/// The addresses of a name.
type Lookup = Box<dyn Fn(&str) -> Vec<IpAddr> + Send + Sync>;

/// Resolves names. The system does, or a test.
pub(crate) enum Names {
    System(DefaultResolver),
    Given(Lookup),
}

impl fmt::Debug for Names {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Names")
    }
}

/// The guard as the client asks it.
#[derive(Debug)]
pub(crate) struct GuardedResolver {
    pub(crate) policy: AddressPolicy,
    pub(crate) names: Names,
}

impl GuardedResolver {
    fn checked(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<Result<Vec<SocketAddr>, ureq::Error>, Blocked> {
        let unclear = || Blocked("its host cannot be read".to_owned());
        let host = uri.host().and_then(Host::parse).ok_or_else(unclear)?;
        let is_https = uri.scheme_str() == Some("https");
        let port = uri.port_u16().unwrap_or(if is_https { 443 } else { 80 });
        self.policy.check_host(&host, port)?;
        let found: Vec<SocketAddr> = match (&host, &self.names) {
            (Host::V4(_) | Host::V6(_), _) => {
                host.ip().map(|ip| SocketAddr::new(ip, port)).into_iter().collect()
            }
            (Host::Name(name), Names::Given(names)) => {
                names(name).into_iter().map(|ip| SocketAddr::new(ip, port)).collect()
            }
            (Host::Name(_), Names::System(system)) => match system.resolve(uri, config, timeout) {
                Ok(found) => found.iter().copied().collect(),
                Err(error) => return Ok(Err(error)),
            },
        };
        // One address that is not public makes all of them suspect: the next answer may have it first.
        for address in &found {
            self.policy.check(*address)?;
        }
        Ok(Ok(found))
    }
}

impl Resolver for GuardedResolver {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let blocked = |why: Blocked| ureq::Error::Io(io::Error::new(io::ErrorKind::PermissionDenied, why));
        let found = self.checked(uri, config, timeout).map_err(blocked)??;
        let mut all = self.empty();
        found.into_iter().take(ADDRESSES_MAX).for_each(|address| all.push(address));
        match all.is_empty() {
            true => Err(ureq::Error::HostNotFound),
            false => Ok(all),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_range_is_read_and_the_public_is_public() {
        let lines = include_str!("../data/ranges.txt").lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(RANGES.len(), lines);
        for public in
            ["1.1.1.1", "8.8.8.8", "93.184.216.34", "172.32.0.1", "192.0.1.1", "2606:4700::1111", "2a00::1"]
        {
            assert_eq!(range_of(public.parse().unwrap()), None, "{public}");
        }
    }

    #[test]
    fn a_provider_may_be_private_and_is_the_only_one() {
        let policy = AddressPolicy::of_provider(&Address::parse("http://127.0.0.1:8888/search").unwrap());
        let host = |text: &str| Host::parse(text).unwrap();
        assert!(policy.check_host(&host("127.0.0.1"), 8888).is_ok());
        assert!(policy.check_host(&host("127.0.0.1"), 8889).is_err());
        assert!(policy.check_host(&host("example.com"), 8888).is_err());
        assert!(policy.check("127.0.0.1:8888".parse().unwrap()).is_ok());
        assert!(policy.check("169.254.169.254:8888".parse().unwrap()).is_err());
    }
}
