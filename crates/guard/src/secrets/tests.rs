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
