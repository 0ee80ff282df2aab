//! Takes the values of secrets out of a text (IN-2).

use std::borrow::Cow;

use crate::limits::redact::ROUNDS_MAX;
use crate::secrets;

/// The text with every secret's value replaced by `[REDACTED:rule]`. Doing it twice is doing it once, and nothing is found in what
/// comes back.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut current = Cow::Borrowed(text);
    for _ in 0..ROUNDS_MAX {
        match redact_once(&current) {
            None => return current,
            Some(next) => current = Cow::Owned(next),
        }
    }
    // A text that yields a secret however often it is cleaned was made to do so.
    if contains_secret(&current) { Cow::Borrowed("[REDACTED:whole-text]") } else { current }
}

/// Whether a text has a secret's value in it.
pub fn contains_secret(text: &str) -> bool {
    !secrets::find(text).is_empty()
}

fn redact_once(text: &str) -> Option<String> {
    let found = secrets::find(text);
    if found.is_empty() {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for finding in found {
        // Findings come in order and do not overlap.
        out.push_str(&text[at..finding.start]);
        out.push_str("[REDACTED:");
        out.push_str(finding.rule);
        out.push(']');
        at = finding.end;
    }
    out.push_str(&text[at..]);
    Some(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::secrets::formats::FORMATS;
    use crate::secrets::named::NAMED;

    /// A secret with words around it, and the value that must not be left.
    fn planted() -> impl Strategy<Value = (String, String)> {
        let format = (0..FORMATS.len()).prop_map(|index| {
            let token = format!("{}{}", FORMATS[index].starts[0], FORMATS[index].hit);
            (format!("export IT={token} now"), token)
        });
        let named = (0..NAMED.len()).prop_map(|index| {
            let kind = &NAMED[index];
            (format!("the {} key is {} here", kind.words[0], kind.keys[0]), kind.keys[0].to_string())
        });
        // Letters that spell no placeholder: `xxxx` and `test` stand for a password and are none.
        let told = "[B-DF-H][b-df-hj-np-rv-w]{3,6}[!#$][A-Z][a-d]{2}[0-9][A-Z][a-d]"
            .prop_map(|password| (format!("the password is {password}, user is tern"), password));
        prop_oneof![format, named, told]
    }

    proptest! {
        #[test]
        fn what_comes_back_has_no_secret_and_stays_as_it_is(
            before in "[a-zA-Z .,:=\"'`/\n-]{0,40}",
            secrets in prop::collection::vec(planted(), 1..4),
            between in "[a-z .,\n]{1,20}",
        ) {
            let mut text = before;
            for (sentence, _) in &secrets {
                text.push('\n');
                text.push_str(sentence);
                text.push_str(&between);
            }
            let clean = redact(&text).into_owned();
            for (_, value) in &secrets {
                prop_assert!(!clean.contains(value.as_str()), "{value} is left in {clean}");
            }
            prop_assert!(!contains_secret(&clean), "{clean}");
            prop_assert_eq!(redact(&clean).into_owned(), clean);
        }

        #[test]
        fn hidden_letters_and_entities_hide_no_secret(index in 0..FORMATS.len(), place in 1..12usize, entity in any::<bool>()) {
            let format = &FORMATS[index];
            let token = format!("{}{}", format.starts[0], format.hit);
            let (left, right) = token.split_at(place);
            let split = if entity {
                format!("{left}&#{};{}", right.as_bytes()[0], &right[1..])
            } else {
                format!("{left}\u{200b}{right}")
            };
            let clean = redact(&format!("See {split} there.")).into_owned();
            prop_assert!(!clean.contains(&split), "{clean}");
            prop_assert!(clean.contains("[REDACTED:"), "{clean}");
            prop_assert!(!contains_secret(&clean), "{clean}");
        }

        #[test]
        fn any_text_at_all_is_taken(text in any::<String>(), more in "[ -~\n\u{e9}\u{5bc6}\u{7801}]{0,200}") {
            let text = text + " password: " + &more;
            let clean = redact(&text).into_owned();
            prop_assert!(!contains_secret(&clean), "{clean}");
            prop_assert_eq!(redact(&clean).into_owned(), clean);
        }
    }

    #[test]
    fn the_words_around_a_value_are_kept() {
        assert_eq!(
            redact("The password for the wiki is Gannet_kE7lp, user is tern."),
            "The password for the wiki is [REDACTED:password-in-prose], user is tern."
        );
        assert!(matches!(redact("Nothing to hide."), Cow::Borrowed("Nothing to hide.")));
    }
}
