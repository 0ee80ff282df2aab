//! The stem of an English word, for comparing claims.
//!
//! It is coarse on purpose and no stemmer of a search index: `ken-recall` keeps Snowball for its terms, whose hashes are stored on disks.

/// Endings off, coarsely: `deploying`, `deployed`, `deploys` and `deployment` are one word. Endings that make another thing of
/// it stay: a caller is not a call.
pub fn stem(word: &str) -> String {
    if word.len() <= 3 || !word.is_ascii() {
        return word.to_owned();
    }
    let mut stem = word;
    if let Some(rest) = stem.strip_suffix("ies").filter(|rest| rest.len() >= 3) {
        return format!("{rest}y");
    }
    if let Some(rest) = stem.strip_suffix("ier").filter(|rest| rest.len() >= 3) {
        return format!("{rest}y");
    }
    for ending in ["sses", "xes", "ches", "shes", "zes"] {
        if stem.ends_with(ending) {
            stem = &stem[..stem.len() - 2];
        }
    }
    if stem.ends_with('s') && !stem.ends_with("ss") && !stem.ends_with("us") && !stem.ends_with("is") {
        stem = &stem[..stem.len() - 1];
    }
    for ending in ["ization", "isation"] {
        if let Some(rest) = stem.strip_suffix(ending).filter(|rest| rest.len() >= 3) {
            return format!("{rest}iz");
        }
    }
    for ending in ["ication", "ation", "ment", "ing", "ion", "ied", "ed", "ly"] {
        let Some(rest) = stem.strip_suffix(ending) else { continue };
        if rest.len() < if ending == "ment" { 5 } else { 3 } || !rest.contains(['a', 'e', 'i', 'o', 'u', 'y'])
        {
            continue;
        }
        stem = rest;
        if ending == "ied" || ending == "ication" {
            return format!("{stem}y");
        }
        break;
    }
    let letters = stem.as_bytes();
    let doubled = letters.len() > 3
        && letters[letters.len() - 1] == letters[letters.len() - 2]
        && !b"lsz".contains(&letters[letters.len() - 1]);
    if doubled {
        stem = &stem[..stem.len() - 1];
    }
    if stem.len() > 3 {
        stem = stem.strip_suffix('e').unwrap_or(stem);
    }
    if stem.len() > 4 {
        stem = stem.strip_suffix("at").filter(|rest| rest.len() > 4).unwrap_or(stem);
    }
    match stem.strip_suffix("is") {
        Some(rest) if rest.len() >= 5 => format!("{rest}iz"),
        _ => stem.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn forms_of_one_word_have_one_stem() {
        for word in ["deploying", "deployed", "deploys", "deployment"] {
            assert_eq!(stem(word), "deploy", "{word}");
        }
        assert_eq!(stem("retries"), "retry");
        assert_ne!(stem("caller"), stem("call"), "a caller is not a call");
    }
}
