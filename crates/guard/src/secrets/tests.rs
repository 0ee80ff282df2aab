//! Every rule finds its own hits, nobody finds its misses, and no rule is there for nothing.

use super::*;

/// Rules that find by the words around what others know by shape.
const GENERIC: &[&str] = &[
    "key-assignment",
    "key-in-prose",
    "password-assignment",
    "password-in-prose",
    "drawn-literal",
    "bearer-token",
    "login-pair",
];

fn format_text(start: &str, body: &str) -> String {
    format!("See {start}{body} there.")
}

/// All rules with the texts of their hits and misses.
fn cases() -> Vec<(&'static str, Vec<String>, Vec<String>)> {
    let mut cases = Vec::new();
    for format in formats::FORMATS {
        let hits = format.starts.iter().take(1).map(|start| format_text(start, format.hit)).collect();
        let stand_in = format_text(format.starts[0], &"x".repeat(format.hit.len()));
        cases.push((format.id, hits, vec![format_text(format.starts[0], format.miss), stand_in]));
    }
    for kind in formats::ANCHORED {
        let text = |(before, behind): (&str, &str)| format_text(before, &format!("{}{behind}", kind.anchor));
        cases.push((kind.id, vec![text(kind.hit)], vec![text(kind.miss)]));
    }
    for kind in named::NAMED {
        let word = kind.words[0];
        let hits = kind.keys.iter().map(|key| format!("The {word} key is {key} here.")).collect();
        // A maker's name that says "key" itself, and a shape with a literal of its own, need no other word.
        let telling = kind.shapes.iter().any(|shape| named::is_telling(shape));
        let misses = kind
            .keys
            .iter()
            .filter(|_| !telling && !word.ends_with("key"))
            .map(|key| format!("The {word} page is {key} here."))
            .collect();
        cases.push((kind.id, hits, misses));
    }
    for rule in RULES {
        let owned = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect();
        cases.push((rule.id, owned(rule.hits), owned(rule.misses)));
    }
    cases
}

#[test]
fn every_rule_finds_its_hits() {
    let mut wrong = Vec::new();
    for (id, hits, _) in cases() {
        assert!(!hits.is_empty(), "{id} has no hit");
        for hit in hits {
            let found = find(&hit);
            if !found.iter().any(|finding| finding.rule == id) {
                wrong.push(format!(
                    "{id}: {hit:?} gave {:?}",
                    found.iter().map(|f| f.rule).collect::<Vec<_>>()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nobody_finds_the_misses() {
    let mut wrong = Vec::new();
    for (id, _, misses) in cases() {
        for miss in misses {
            for finding in find(&miss) {
                wrong.push(format!(
                    "{id}: {miss:?} gave {} {:?}",
                    finding.rule,
                    &miss[finding.start..finding.end]
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn taking_a_rule_away_loses_something() {
    let mut wrong = Vec::new();
    for (id, hits, _) in cases() {
        let needed = hits.iter().any(|hit| {
            let all = candidates(hit);
            let Some(own) = all.iter().find(|c| c.rule == id) else { return false };
            !all.iter().any(|c| {
                c.rule != id && !GENERIC.contains(&c.rule) && c.start <= own.start && c.end >= own.end
            })
        });
        if !needed {
            wrong.push(id);
        }
    }
    assert!(wrong.is_empty(), "not needed: {wrong:?}");
}

#[test]
fn names_of_rules_are_unique() {
    let mut ids: Vec<&str> = rule_ids().collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count);
    assert!(
        ids.iter().all(|id| id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'))
    );
}

#[test]
fn a_mark_hides_no_secret() {
    let token = format!("[REDACTED:{}{}]", formats::FORMATS[0].starts[0], formats::FORMATS[0].hit);
    assert!(!find(&token).is_empty());
    assert!(find("the password is [REDACTED:password-in-prose], user is tern").is_empty());
}

/// A run was named `run-ghp_...`, an address had `token%3Dghp_...`, and both reached a tracked file.
#[test]
fn a_token_is_found_whatever_it_is_glued_to() {
    let mut wrong = Vec::new();
    for format in formats::FORMATS {
        let token = format!("{}{}", format.starts[0], format.hit);
        // What may be part of a longer name or number is told apart only by a blank.
        let is_word = format.starts[0] == "key-";
        let is_number =
            format.starts[0].len() < 3 || format.starts[0].starts_with(|c: char| c.is_ascii_digit());
        let glue = ["run%3D", "run%3d", "run%20", "run=3D", "run\\u003d", "run\\x3d", "run\\n", "--", "a.b/"];
        let joints = ["run-", "run_"].iter().filter(|_| !is_word);
        let digits = ["run7", "2026"].iter().filter(|_| !is_number);
        for before in glue.iter().chain(joints).chain(digits) {
            let text = format!("See {before}{token} there.");
            let left = crate::redact(&text);
            if left.contains(format.hit) {
                wrong.push(format!("{}: {text}", format.id));
            }
        }
    }
    for kind in formats::ANCHORED {
        for before in ["run-", "run_", "run%3D"] {
            let text = format!("See {before}{}{}{} there.", kind.hit.0, kind.anchor, kind.hit.1);
            if find(&text).is_empty() {
                wrong.push(format!("{}: {text}", kind.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_address_of_a_telegram_bot_holds_its_token() {
    let address = "https://api.telegram.org/bot7302918465:AAGx0qW3vTn5Lk8Yb-2ZrHd_6MfPcJsUe1aO/getMe";
    assert_eq!(crate::redact(address), "https://api.telegram.org/bot[REDACTED:telegram-bot-token]/getMe");
}

/// None of 250 secrets that began with a slash was found.
#[test]
fn an_aws_secret_may_begin_with_any_letter_of_its_alphabet() {
    for first in ["/", "+", "r", "7"] {
        let key = format!("{first}ec8TNecj9iNOrjj5VfqRTk8j1d/bWWbjkloG1QX");
        for text in [
            format!("aws_secret_access_key = {key}"),
            format!("aws_secret_access_key={key}"),
            format!("AWS_SECRET_ACCESS_KEY=\"{key}\""),
            format!("aws_secret_access_key%3D{key}"),
            format!("The secret access key is {key}."),
            format!("{{\"SecretAccessKey\": \"{key}\"}}"),
        ] {
            let left = crate::redact(&text);
            assert!(!left.contains(&key[1..]), "{text} gave {left}");
        }
    }
    let path = "The aws secret key lies in /etc/kelp/gannet/secrets/production/keys";
    assert_eq!(crate::redact(path), path);
}
