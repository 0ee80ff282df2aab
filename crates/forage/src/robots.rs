//! `robots.txt` (RFC 9309): what a site asks programs to leave alone.

use crate::limits::{ROBOTS_PATTERN_CHARS_MAX, ROBOTS_RULES_MAX, ROBOTS_STARS_MAX, SITEMAPS_MAX};

/// The name by which sites can speak to us.
pub const AGENT: &str = "ken";

/// The rules of a site that concern us.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Robots {
    rules: Vec<Rule>,
    /// Sitemaps that it names.
    pub sitemaps: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    allows: bool,
    pattern: String,
}

impl Robots {
    /// A site that wants nothing read.
    pub fn nothing() -> Robots {
        Robots { rules: vec![Rule { allows: false, pattern: "/".to_owned() }], sitemaps: Vec::new() }
    }

    /// Reads a file. Groups that name us count together, and those for everybody only where none does.
    pub fn parse(text: &str) -> Robots {
        let (mut ours, mut anybodys, mut sitemaps) = (Vec::new(), Vec::new(), Vec::new());
        let (mut is_ours, mut is_anybodys, mut names_agents, mut has_own) = (false, false, false, false);
        for line in text.trim_start_matches('\u{feff}').lines() {
            let line = line.split('#').next().unwrap_or_default();
            let Some((key, value)) = line.split_once(':') else { continue };
            let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
            match key.as_str() {
                "user-agent" => {
                    if !names_agents {
                        (is_ours, is_anybodys) = (false, false);
                    }
                    names_agents = true;
                    let name = value.split(['/', ' ']).next().unwrap_or_default();
                    is_ours |= name.eq_ignore_ascii_case(AGENT);
                    is_anybodys |= name == "*";
                    has_own |= is_ours;
                }
                "allow" | "disallow" => {
                    names_agents = false;
                    let is_kept = value.starts_with(['/', '*'])
                        && value.len() <= ROBOTS_PATTERN_CHARS_MAX
                        && value.matches('*').count() <= ROBOTS_STARS_MAX;
                    // What cannot be read as a rule forbids nothing; a rule that is too much for us forbids its beginning.
                    let pattern = match is_kept {
                        true => value.to_owned(),
                        false if !value.starts_with(['/', '*']) || key == "allow" => continue,
                        false => value
                            .split('*')
                            .next()
                            .unwrap_or_default()
                            .chars()
                            .take(ROBOTS_PATTERN_CHARS_MAX)
                            .collect(),
                    };
                    let rule = Rule { allows: key == "allow", pattern: normal(&pattern) };
                    if is_ours && ours.len() < ROBOTS_RULES_MAX {
                        ours.push(rule.clone());
                    }
                    if is_anybodys && anybodys.len() < ROBOTS_RULES_MAX {
                        anybodys.push(rule);
                    }
                }
                "sitemap" if sitemaps.len() < SITEMAPS_MAX => sitemaps.push(value.to_owned()),
                _ => {}
            }
        }
        Robots { rules: if has_own { ours } else { anybodys }, sitemaps }
    }

    /// Whether a path with its query may be read. The longest rule counts, and of equal ones the kinder.
    pub fn allows(&self, target: &str) -> bool {
        let target = normal(target);
        let matching = self.rules.iter().filter(|rule| matches(&rule.pattern, &target));
        let best = matching.max_by_key(|rule| (rule.pattern.len(), rule.allows));
        best.is_none_or(|rule| rule.allows)
    }
}

/// Escapes in capitals, and none of what needs none: `/%7ejoe` is `/~joe`.
fn normal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let byte = escape.get(1..3).and_then(|two| u8::from_str_radix(two, 16).ok());
        match byte {
            Some(byte) if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => {
                out.push(char::from(byte))
            }
            Some(byte) => out.push_str(&format!("%{byte:02X}")),
            None => out.push('%'),
        }
        rest = if byte.is_some() { &escape[3..] } else { &escape[1..] };
    }
    out.push_str(rest);
    out
}

/// Whether a path begins as a pattern says; `*` stands for anything, and `$` at the end for the end.
fn matches(pattern: &str, target: &str) -> bool {
    let (pattern, to_end) = match pattern.strip_suffix('$') {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = target.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    for (at, part) in parts.iter().enumerate() {
        if to_end && at + 1 == parts.len() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(found) => rest = &rest[found + part.len()..],
            None => return false,
        }
    }
    !to_end || rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_standard() {
        let robots = Robots::parse(
            "User-Agent: *\nDisallow: *.gif$\nDisallow: /example/\nAllow: /publications/\n\nUser-Agent: foobot\nDisallow:/\nAllow:/example/page.html\n",
        );
        for (target, allowed) in [
            ("/", true),
            ("/a.gif", false),
            ("/a.gif?x", true),
            ("/example/page.html", false),
            ("/publications/a", true),
        ] {
            assert_eq!(robots.allows(target), allowed, "{target}");
        }
        let longest = Robots::parse(
            "User-agent: ken\nUser-agent: other\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\nUser-agent: *\nDisallow: /\n",
        );
        assert!(longest.allows("/example/page/a") && !longest.allows("/example/page/disallowed.gif"));
        assert!(longest.allows("/anything"), "a group that names us replaces the one for everybody");
    }

    #[test]
    fn traps_are_read_as_they_are_meant() {
        for (file, target, allowed) in [
            ("User-agent: *\nDisallow:\n", "/a", true),
            ("User-agent: *\nDisallow: /\nAllow: /\n", "/a", true),
            ("user-agent : *\ndisallow : /%7ejoe/\n", "/~joe/a", false),
            ("User-agent: *\nDisallow: /a%2fb\n", "/a%2Fb", false),
            ("User-agent: KEN/1.0\nDisallow: /x\n", "/x/y", false),
            ("User-agent: kenx\nDisallow: /\n", "/a", true),
            ("User-agent: *\nDisallow: /*/private*.html$\n", "/a/private-1.html", false),
            ("User-agent: *\nDisallow: /*/private*.html$\n", "/a/private-1.htmlx", true),
            ("User-agent: *\nCrawl-delay: 9\nDisallow: /q?\n", "/q?x=1", false),
            ("\u{feff}User-agent: *\r\nDisallow: /w\r\n", "/w", false),
            ("User-agent: *\nDisallow: /#fragment\n", "/", false),
            ("<html>not found</html>", "/a", true),
            ("User-agent: *\nDisallow: /****************x\n", "/a", false),
        ] {
            assert_eq!(Robots::parse(file).allows(target), allowed, "{file:?} {target}");
        }
        assert!(!Robots::nothing().allows("/"));
    }

    #[test]
    fn a_hostile_file_takes_no_time() {
        let file = format!("User-agent: *\n{}", "Disallow: /a*a*a*a*a*a*b\n".repeat(20_000));
        let robots = Robots::parse(&file);
        assert!(robots.rules.len() <= ROBOTS_RULES_MAX && robots.allows(&format!("/{}", "a".repeat(1_900))));
    }
}
