//! Domains: which may be read, whose word counts for what, and which are independent of each other.

use std::collections::BTreeSet;

use ken_language::WordList;

use crate::limits::{TRUSTED_CREDIBILITY, UNKNOWN_CREDIBILITY};

static CREDIBILITY: WordList = WordList::new(include_str!("../words/credibility.txt"));

/// What people decided of domains. Each covers all names below it, and what is denied is denied whoever trusts it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Domains {
    pub denied: BTreeSet<String>,
    pub trusted: BTreeSet<String>,
}

/// Whether a name is a domain or below it.
pub fn is_below(name: &str, domain: &str) -> bool {
    name.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

impl Domains {
    pub fn is_denied(&self, host: &str) -> bool {
        self.denied.iter().any(|domain| is_below(host, domain))
    }

    /// How credible a site is: never by what it says of itself.
    pub fn credibility(&self, host: &str) -> f64 {
        let known = credibility(host);
        match !self.is_denied(host) && self.trusted.iter().any(|domain| is_below(host, domain)) {
            true => known.max(TRUSTED_CREDIBILITY),
            false => known,
        }
    }
}

/// The credibility of a site by its name: exactly, then the nearest domain above it (seed 8.5).
fn credibility(host: &str) -> f64 {
    let mut name = host;
    loop {
        if let Some(value) = CREDIBILITY.value(name).and_then(|value| value.parse().ok()) {
            return value;
        }
        match name.split_once('.') {
            Some((_, above)) => name = above,
            None => return UNKNOWN_CREDIBILITY,
        }
    }
}

/// Whose site a host is, as far as its name tells: its last two labels, or three where the last two are everybody's. Neighbours on one
/// platform count as one, so that what they say together counts too little, and never too much.
pub fn owner(host: &str) -> String {
    if host.parse::<std::net::IpAddr>().is_ok() {
        return host.to_owned();
    }
    let labels: Vec<&str> = host.split('.').collect();
    const GENERAL: [&str; 7] = ["ac", "co", "com", "edu", "gov", "net", "org"];
    let is_general = labels.len() > 2
        && GENERAL.contains(&labels[labels.len() - 2])
        && labels[labels.len() - 1].len() == 2;
    let kept = if is_general { 3 } else { 2 };
    labels[labels.len().saturating_sub(kept)..].join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deny_beats_allow_and_both_cover_subdomains() {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let domains =
            Domains { denied: set(&["bad.org", "x.good.org"]), trusted: set(&["good.org", "a.bad.org"]) };
        for (host, denied, credibility) in [
            ("good.org", false, 0.85),
            ("docs.good.org", false, 0.85),
            ("x.good.org", true, 0.30),
            ("y.x.good.org", true, 0.30),
            ("a.bad.org", true, 0.30),
            ("notbad.org", false, 0.30),
            ("other.org", false, 0.30),
        ] {
            assert_eq!(domains.is_denied(host), denied, "{host}");
            assert_eq!(domains.credibility(host), credibility, "{host}");
        }
    }

    #[test]
    fn the_tiers_of_the_seed() {
        for (host, value) in [
            ("docs.python.org", 1.0),
            ("doc.rust-lang.org", 1.0),
            ("cs.stanford.edu", 0.85),
            ("arxiv.org", 0.85),
            ("www.legislation.gov.uk", 0.85),
            ("github.com", 0.65),
            ("en.wikipedia.org", 0.65),
            ("someone.medium.com", 0.45),
            ("dev.to", 0.45),
            ("example.com", 0.30),
            ("docs.python.org.evil.net", 0.30),
        ] {
            assert_eq!(Domains::default().credibility(host), value, "{host}");
        }
    }

    #[test]
    fn neighbours_are_not_independent() {
        for (one, other, same) in [
            ("docs.example.com", "example.com", true),
            ("a.github.io", "b.github.io", true),
            ("one.co.uk", "two.co.uk", false),
            ("www.one.co.uk", "one.co.uk", true),
            ("127.0.0.1", "127.0.0.2", false),
            ("example.com", "example.org", false),
        ] {
            assert_eq!(owner(one) == owner(other), same, "{one} {other}");
        }
    }
}
