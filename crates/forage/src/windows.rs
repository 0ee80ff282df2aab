//! A text in windows that overlap, and the hash by which a copy is known.

use sha2::{Digest, Sha256};

use crate::limits::{WINDOW_CHARS, WINDOW_OVERLAP_CHARS};

/// The SHA-256 of a text in small letters, with each run of blanks as one.
pub fn content_hash(text: &str) -> String {
    let plain = text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    Sha256::digest(plain.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A text in pieces of at most 1,500 characters. Each ends with a paragraph where it can, else with a sentence, else with a word, and the
/// next begins 200 characters before that.
pub fn windows(text: &str) -> Vec<&str> {
    let text = text.trim();
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let chars = starts.len() - 1;
    if chars <= WINDOW_CHARS {
        return vec![text];
    }
    let (mut all, mut first) = (Vec::new(), 0);
    while first < chars {
        let last = (first + WINDOW_CHARS).min(chars);
        let window = &text[starts[first]..starts[last]];
        let end = match last == chars {
            true => window.len(),
            // The second half has to have the end: a window is no smaller than half of what it may be.
            false => ["\n\n", ". ", " "]
                .into_iter()
                .filter_map(|stop| window.rfind(stop).map(|at| at + stop.len()))
                .find(|end| *end > window.len() / 2)
                .unwrap_or(window.len()),
        };
        all.push(window[..end].trim());
        let taken = window[..end].chars().count();
        if first + taken >= chars {
            break;
        }
        first += taken.saturating_sub(WINDOW_OVERLAP_CHARS).max(1);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    // The seed: windows of 1,500 with 200 overlap; SHA-256 of the text in small letters with blanks collapsed.
    #[test]
    fn windows_and_hashes_of_the_seed() {
        assert_eq!(windows("short"), ["short"]);
        assert_eq!(windows(&"x".repeat(1_500)).len(), 1);
        let long = "x".repeat(4_000);
        let lengths: Vec<usize> = windows(&long).iter().map(|window| window.len()).collect();
        assert_eq!(lengths, [1_500, 1_500, 1_400]);
        assert_eq!(
            content_hash("  Retry\n\nTHE upload "),
            "0172bf832145efbaad924dc4c120cfd1fd60bad657f0fbb0abf91a31eb01a51f"
        );
    }

    #[test]
    fn a_window_ends_where_a_paragraph_or_sentence_does() {
        let paragraph = format!("{}\n\n", "A sentence of ten words that says one thing well. ".repeat(18));
        let text = paragraph.repeat(4);
        let all = windows(&text);
        assert!(
            all.iter().all(|window| window.chars().count() <= WINDOW_CHARS && window.ends_with("well.")),
            "{all:#?}"
        );
        assert!(all.windows(2).all(|pair| {
            let tail: String = pair[0].chars().skip(pair[0].chars().count() - 150).collect();
            pair[1].contains(tail.trim())
        }));
    }
}
