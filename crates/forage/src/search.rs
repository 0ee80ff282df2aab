//! Where pages are found (FOR-1): SearXNG, a service like Brave's, or a fixed list of sites.

use serde_json::Value;

use crate::address::Address;
use crate::domains::Domains;
use crate::feed;
use crate::fetch::{Fault, Fetcher, Format};
use crate::guard::AddressPolicy;
use crate::limits::{RESULTS_BYTES_MAX, RESULTS_MAX, SITE_FILES_MAX};
use crate::query::overlap;

/// Who is asked where pages are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Provider {
    /// `GET {address}/search?q=...&format=json`.
    SearXng { address: Address, key: Option<Key> },
    /// `GET {address}?q=...`, with the key in a header.
    Brave { address: Address, key: Option<Key> },
    /// Sites that are looked through by their sitemaps and feeds.
    Sites(Vec<Address>),
}

/// What a provider knows us by. It is sent to that provider and shown to nobody.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// A key, where it is one: visible ASCII without blanks.
    pub fn new(text: &str) -> Option<Key> {
        let text = text.trim();
        (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())).then(|| Key(text.to_owned()))
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Key")
    }
}

/// A page that may answer a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    pub address: Address,
    pub title: String,
}

/// Where Brave's own service is.
pub const BRAVE_URL: &str = "https://api.search.brave.com/res/v1/web/search";

impl Provider {
    pub fn word(&self) -> &'static str {
        match self {
            Provider::SearXng { .. } => "searxng",
            Provider::Brave { .. } => "brave",
            Provider::Sites(_) => "sites",
        }
    }

    /// What is asked, as it leaves: shown by a dry run.
    pub fn request(&self, query: &str) -> Vec<String> {
        match self {
            Provider::SearXng { .. } | Provider::Brave { .. } => {
                self.search_address(query).map(|one| one.to_string()).into_iter().collect()
            }
            Provider::Sites(sites) => sites.iter().map(ToString::to_string).collect(),
        }
    }

    fn search_address(&self, query: &str) -> Option<Address> {
        match self {
            Provider::SearXng { address, .. } => {
                let path = address.path().trim_end_matches('/');
                let path = if path.ends_with("/search") { path.to_owned() } else { format!("{path}/search") };
                Some(address.at(&path).with_query(&[("q", query), ("format", "json")]))
            }
            Provider::Brave { address, .. } => Some(address.with_query(&[("q", query), ("count", "10")])),
            Provider::Sites(_) => None,
        }
    }

    /// Pages for a query, best first. Each has a word of the query in its title, its text or its address, and no domain that is denied.
    /// `pages` reads the sites' own files; a search service is asked through a guard of its own.
    pub fn search(&self, query: &str, pages: &mut Fetcher, domains: &Domains) -> Result<Vec<Hit>, Fault> {
        let mut hits: Vec<(usize, Hit)> = Vec::new();
        let mut take = |address: Address, title: &str, text: &str| {
            let shared = overlap(query, &format!("{title} {text} {}", address.path()));
            let is_known = hits.iter().any(|(_, hit)| hit.address == address);
            if shared > 0 && !is_known && !domains.is_denied(&address.host_name()) {
                hits.push((shared, Hit { address, title: title.chars().take(200).collect() }));
            }
        };
        match self {
            Provider::SearXng { address, key } | Provider::Brave { address, key } => {
                let mut service = Fetcher::new(AddressPolicy::of_provider(address));
                let name = if matches!(self, Provider::Brave { .. }) {
                    "x-subscription-token"
                } else {
                    "authorization"
                };
                let value = key.as_ref().map(|key| match name {
                    "authorization" => format!("Bearer {}", key.0),
                    _ => key.0.clone(),
                });
                let asked = self.search_address(query).expect("it is a service");
                let answer =
                    service.ask(&asked, value.as_deref().map(|value| (name, value)), RESULTS_BYTES_MAX)?;
                let answer: Value =
                    serde_json::from_str(&answer).map_err(|_| Fault::Type("no JSON".to_owned()))?;
                let results = answer["results"].as_array().or_else(|| answer["web"]["results"].as_array());
                for result in results.into_iter().flatten().take(RESULTS_MAX) {
                    let text = |name: &str| result[name].as_str().unwrap_or_default();
                    if let Ok(address) = Address::parse(text("url")) {
                        let said = format!("{} {}", text("content"), text("description"));
                        take(address, text("title"), &said);
                    }
                }
                // A service knows better than a count of words which result is best.
            }
            Provider::Sites(sites) => {
                for link in site_links(sites, pages, domains) {
                    if let Ok(address) = Address::parse(&link.address) {
                        take(address, &link.title, &link.summary);
                    }
                }
                hits.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
            }
        }
        Ok(hits.into_iter().map(|(_, hit)| hit).take(RESULTS_MAX).collect())
    }
}

/// The pages that some sites name: in the file that was given, if it is a feed or sitemap, else in the sitemaps of their `robots.txt`. A
/// site that cannot be read is left out.
fn site_links(sites: &[Address], pages: &mut Fetcher, domains: &Domains) -> Vec<feed::Link> {
    let mut links = Vec::new();
    for site in sites {
        let host = site.host_name();
        let is_file = site.path().ends_with(".xml")
            || ["feed", "rss", "atom"].iter().any(|word| site.path().contains(word));
        let mut files: Vec<Address> = match is_file {
            true => vec![site.clone()],
            false => {
                let named = pages
                    .sitemaps(site, domains)
                    .iter()
                    .filter_map(|text| Address::parse(text).ok())
                    .collect();
                let named: Vec<Address> = named;
                if named.is_empty() { vec![site.at("/sitemap.xml")] } else { named }
            }
        };
        let mut read = 0;
        while let Some(file) = files.pop() {
            read += 1;
            if read > SITE_FILES_MAX {
                break;
            }
            let Ok(answer) = pages.page(&file, domains) else { continue };
            if answer.format != Format::Xml {
                continue;
            }
            for link in feed::read(&answer.text).unwrap_or_default() {
                // A site speaks for itself: what it says of others was not asked for.
                let Ok(address) = answer.address.join(&link.address) else { continue };
                if address.host_name() != host {
                    continue;
                }
                match link.is_sitemap {
                    true => files.push(address),
                    false => links.push(feed::Link { address: address.to_string(), ..link }),
                }
            }
        }
    }
    links
}
