//! What a style hides: in an attribute, or in a style sheet of the page itself.

use std::collections::HashSet;

/// Whether declarations, in small letters, make an element invisible: not shown, of no size, off the screen, or in the colour of its ground.
pub fn hides(declarations: &str) -> bool {
    let all: Vec<(&str, &str)> = declarations
        .split(';')
        .filter_map(|one| one.split_once(':'))
        .map(|(name, value)| (name.trim(), value.split('!').next().unwrap_or_default().trim()))
        .collect();
    let value = |wanted: &str| all.iter().rev().find(|(name, _)| *name == wanted).map(|(_, value)| *value);
    let is_zero = |value: &str| pixels(value).is_some_and(|size| size.abs() < 2.0);
    let is_far = |value: &str| pixels(value).is_some_and(|size| size <= -500.0);
    let is_flat = ["width", "height", "max-height", "max-width"].into_iter().filter_map(value).any(is_zero);
    let is_clipped =
        value("overflow").or(value("overflow-x")).or(value("overflow-y")).is_some_and(|v| v != "visible");
    let ground = value("background-color").or(value("background"));
    let is_of_its_ground = match (value("color"), ground) {
        (Some("transparent"), _) => true,
        (Some(colour), Some(ground)) => colour_name(colour) == colour_name(ground),
        _ => false,
    };
    value("display") == Some("none")
        || matches!(value("visibility"), Some("hidden" | "collapse"))
        || value("content-visibility") == Some("hidden")
        || value("opacity")
            .and_then(|value| value.trim_end_matches('%').parse().ok())
            .is_some_and(|share: f64| share < 0.05)
        || value("font-size").is_some_and(is_zero)
        || (is_flat && is_clipped)
        || ["left", "right", "top", "bottom", "text-indent", "margin-left", "margin-top"]
            .into_iter()
            .filter_map(value)
            .any(is_far)
        || value("clip").is_some_and(|clip| clip.starts_with("rect(0") || clip.starts_with("rect(1px"))
        || value("clip-path").is_some_and(|clip| {
            clip.starts_with("inset(50") || clip.starts_with("inset(100") || clip.starts_with("circle(0")
        })
        || value("transform").is_some_and(|by| {
            by.contains("scale(0") || (by.contains("translate") && by.contains("(-") && by.contains("999"))
        })
        || is_of_its_ground
}

/// A length, roughly in pixels.
fn pixels(value: &str) -> Option<f64> {
    let end = value.find(|c: char| c.is_ascii_alphabetic() || c == '%').unwrap_or(value.len());
    let number: f64 = value[..end].trim().parse().ok()?;
    Some(match &value[end..] {
        "em" | "rem" | "ex" | "ch" => number * 16.0,
        "vw" | "vh" | "%" => number * 10.0,
        _ => number,
    })
}

/// One spelling for the commonest colours.
fn colour_name(colour: &str) -> String {
    let short: Vec<char> =
        colour.strip_prefix('#').filter(|hex| hex.len() == 3).into_iter().flat_map(str::chars).collect();
    let colour = match short.is_empty() {
        false => format!("#{}", short.iter().flat_map(|c| [*c, *c]).collect::<String>()),
        true => colour.replace(' ', ""),
    };
    match colour.as_str() {
        "white" | "rgb(255,255,255)" => "#ffffff".to_owned(),
        "black" | "rgb(0,0,0)" => "#000000".to_owned(),
        _ => colour,
    }
}

/// The classes and ids that a style sheet hides: the last of each selector, so that rather too much is hidden than too little.
pub fn hiding_selectors(sheet: &str, rules_max: usize) -> HashSet<String> {
    let mut found = HashSet::new();
    let sheet = without_comments(&sheet.to_ascii_lowercase());
    for rule in sheet.split('}').take(rules_max) {
        let Some((before, declarations)) = rule.rsplit_once('{') else { continue };
        if !hides(declarations) {
            continue;
        }
        // Within `@media` another brace stands before the selector.
        let selectors = before.rsplit(['{', ';']).next().unwrap_or_default();
        for selector in selectors.split(',').take(50) {
            let last = selector.split_whitespace().next_back().unwrap_or_default();
            // `:hover` and the like are no state that a page begins in, but `:not(...)` and `:is(...)` may hide as well.
            let plain = last.split([':', '[', '>', '+', '~']).next().unwrap_or_default();
            if let Some(at) = plain.rfind(['.', '#']) {
                found.insert(plain[at..].to_owned());
            }
        }
    }
    found
}

fn without_comments(sheet: &str) -> String {
    let mut out = String::with_capacity(sheet.len());
    let mut rest = sheet;
    while let Some((before, comment)) = rest.split_once("/*") {
        out.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out
}
