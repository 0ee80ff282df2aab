//! Feeds (RSS, Atom) and sitemaps: which pages a site has, and what it says of them.
//!
//! Entities that a file declares are not expanded, and nothing that it names is loaded.

use quick_xml::Reader;
use quick_xml::events::Event;

use crate::limits::{
    FEED_ADDRESS_CHARS_MAX, FEED_DEPTH_MAX, FEED_SUMMARY_CHARS_MAX, FEED_TITLE_CHARS_MAX, SITE_LINKS_MAX,
};

/// A page that a site names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    pub address: String,
    pub title: String,
    /// As HTML, where a feed has one.
    pub summary: String,
    /// It is another sitemap.
    pub is_sitemap: bool,
}

/// The pages that a feed or sitemap names; none where it is neither.
pub fn read(xml: &str) -> Option<Vec<Link>> {
    let mut reader = Reader::from_str(xml);
    reader.config_mut().check_end_names = false;
    let (mut links, mut link) = (Vec::new(), None::<Link>);
    let (mut path, mut is_known): (Vec<String>, bool) = (Vec::new(), false);
    // A file that is broken, or cut, is read as far as it can be.
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Start(tag) => {
                let name = tag.local_name().as_ref().to_ascii_lowercase();
                is_known |= matches!(name.as_str(), "rss" | "feed" | "rdf" | "urlset" | "sitemapindex");
                if let "item" | "entry" | "url" | "sitemap" = name.as_str() {
                    link = Some(Link { is_sitemap: name == "sitemap", ..Link::default() });
                }
                if name == "link" {
                    take_href(&tag, link.as_mut());
                }
                if path.len() < FEED_DEPTH_MAX {
                    path.push(name);
                }
            }
            Event::Empty(tag) if tag.local_name().as_ref().eq_ignore_ascii_case("link") => {
                take_href(&tag, link.as_mut());
            }
            Event::End(tag) => {
                let name = tag.local_name().as_ref().to_ascii_lowercase();
                if let Some(at) = path.iter().rposition(|open| *open == name) {
                    path.truncate(at);
                }
                if matches!(name.as_str(), "item" | "entry" | "url" | "sitemap")
                    && let Some(done) = link.take().filter(|link| !link.address.is_empty())
                {
                    links.push(done);
                    if links.len() >= SITE_LINKS_MAX {
                        break;
                    }
                }
            }
            Event::Text(text) => {
                take_text(&path, link.as_mut(), &text);
            }
            Event::CData(text) => take_text(&path, link.as_mut(), &text),
            Event::GeneralRef(name) => {
                let text = match &*name {
                    "amp" => "&",
                    "lt" => "<",
                    "gt" => ">",
                    "quot" => "\"",
                    "apos" => "'",
                    _ => match name.resolve_char_ref() {
                        Ok(Some(sign)) => {
                            take_text(&path, link.as_mut(), sign.encode_utf8(&mut [0; 4]));
                            continue;
                        }
                        _ => " ",
                    },
                };
                take_text(&path, link.as_mut(), text);
            }
            Event::Eof => break,
            _ => {}
        }
    }
    is_known.then_some(links)
}

/// Atom has the address in an attribute. Of several links, the one to the page itself counts.
fn take_href(tag: &quick_xml::events::BytesStart<'_>, link: Option<&mut Link>) {
    let Some(link) = link else { return };
    let attribute = |wanted: &str| {
        let found = tag.attributes().flatten().find(|one| one.key.local_name().as_ref() == wanted)?;
        Some(found.value.replace("&amp;", "&"))
    };
    let is_page = attribute("rel").is_none_or(|rel| rel == "alternate");
    if let Some(href) = attribute("href").filter(|_| is_page) {
        link.address = href;
    }
}

fn take_text(path: &[String], link: Option<&mut Link>, text: &str) {
    let (Some(link), Some(name)) = (link, path.last()) else { return };
    let (field, most) = match name.as_str() {
        "loc" | "link" => (&mut link.address, FEED_ADDRESS_CHARS_MAX),
        "title" => (&mut link.title, FEED_TITLE_CHARS_MAX),
        "description" | "summary" | "content" | "encoded" => (&mut link.summary, FEED_SUMMARY_CHARS_MAX),
        _ => return,
    };
    let text = if most == FEED_ADDRESS_CHARS_MAX { text.trim() } else { text };
    let room = most - field.chars().count().min(most);
    field.extend(text.chars().take(room));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feeds_and_sitemaps_are_read() {
        let told = |xml: &str| -> Vec<String> {
            let links = read(xml).unwrap_or_default();
            links
                .iter()
                .map(|link| {
                    format!("{} {:?} {:?} {}", link.address, link.title, link.summary, link.is_sitemap)
                })
                .collect()
        };
        let rss = "<rss><channel><title>Site</title><link>http://s/</link><item><title>A &amp; B</title><link> http://s/a?x=1&amp;y=2 </link>\
            <description><![CDATA[<p>Text</p>]]></description></item></channel></rss>";
        assert_eq!(told(rss), [r#"http://s/a?x=1&y=2 "A & B" "<p>Text</p>" false"#]);
        let atom = "<feed xmlns='http://www.w3.org/2005/Atom'><entry><title>T</title><link rel='edit' href='http://s/e'/>\
            <link href='http://s/t'/><summary>S</summary></entry></feed>";
        assert_eq!(told(atom), [r#"http://s/t "T" "S" false"#]);
        let map = "<sitemapindex><sitemap><loc>http://s/m.xml</loc></sitemap></sitemapindex>";
        assert_eq!(told(map), [r#"http://s/m.xml "" "" true"#]);
        assert_eq!(read("<html><p>no</html>"), None);
    }

    #[test]
    fn entities_are_not_expanded_and_nothing_is_loaded() {
        let bomb = "<!DOCTYPE a [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;'><!ENTITY x SYSTEM 'file:///etc/passwd'>]>\
            <rss><item><link>http://s/</link><title>&b;&x;z</title></item></rss>";
        assert_eq!(read(bomb).unwrap()[0].title.trim(), "z");
        assert!(
            read(&format!("<rss>{}", "<item><link>http://s/</link></item>".repeat(20_000))).unwrap().len()
                <= SITE_LINKS_MAX
        );
        assert!(read(&"<rss>".repeat(100_000)).unwrap().is_empty());
    }
}
