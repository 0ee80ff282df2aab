//! Whatever the text is, reading it ends, and with an honest answer.

use std::time::Duration;

use ken_anchors::outline::{self, Limits};
use ken_anchors::{Language, Unread};
use proptest::prelude::*;

fn built_in() -> impl Iterator<Item = Language> {
    Language::ALL.into_iter().filter(|language| language.is_built_in())
}

#[test]
fn a_large_text_is_not_read() {
    let text = "x\n".repeat(5 << 19);
    for language in built_in() {
        assert_eq!(outline::read(language, &text, &Limits::default()), Err(Unread::TooLarge));
    }
}

#[test]
fn many_nodes_are_not_followed() {
    let limits = Limits { nodes: 100, ..Limits::default() };
    for language in built_in() {
        assert_eq!(
            outline::read(language, &"a = [1]\n".repeat(100), &limits),
            Err(Unread::TooMany),
            "{language:?}"
        );
    }
}

#[test]
fn no_time_is_no_answer() {
    let limits = Limits { time: Duration::ZERO, ..Limits::default() };
    for language in built_in() {
        assert_eq!(
            outline::read(language, &"a = [1]\n".repeat(1000), &limits),
            Err(Unread::TooSlow),
            "{language:?}"
        );
    }
}

#[test]
fn deep_nesting_does_not_overflow() {
    for language in built_in() {
        let openers =
            ["[", "{", "a(", "if a {", "-", "\"${", "const a = (", "fn a() {", "class A {", "def a():"];
        for (opener, times) in openers.map(|opener| (opener, 5_000)).into_iter().chain([("(", 100_000)]) {
            for text in [opener.repeat(times), format!("fn a() {{ {} }}", opener.repeat(times / 5))] {
                match outline::read(language, &text, &Limits::default()) {
                    Ok(_) | Err(Unread::TooSlow | Unread::TooMany) => {}
                    Err(unread) => panic!("{language:?} {opener}: {unread:?}"),
                }
            }
        }
    }
}

#[test]
#[cfg(feature = "rust")]
fn a_fault_is_said_and_the_rest_is_read() {
    let text = "fn a() {}\n\nfn b() { let = ; }\n\nfn c() {}\n";
    let outline = outline::read(Language::Rust, text, &Limits::default()).unwrap();
    assert_eq!(outline.fault, Some(3));
    let faulty: Vec<_> = outline.symbols.iter().map(|symbol| (symbol.name.as_str(), symbol.faulty)).collect();
    assert_eq!(faulty, [("a", false), ("b", true), ("c", false)]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_text_is_read(bytes in proptest::collection::vec(any::<u8>(), 0..400), number in 0..Language::ALL.len()) {
        let text = String::from_utf8_lossy(&bytes);
        check(Language::ALL[number], &text)?;
    }

    #[test]
    fn any_mix_of_code_is_read(
        parts in proptest::collection::vec(proptest::sample::select(PARTS), 0..60),
        number in 0..Language::ALL.len(),
    ) {
        check(Language::ALL[number], &parts.concat())?;
    }
}

const PARTS: &[&str] = &[
    "fn ", "def ", "class ", "a", "b", "(", ")", "{", "}", "[", "]", "<", ">", ",", ";", ":", "\n", "\n    ",
    "\"", "'", "`", "${", "#{", "f'", "=>", "=", "|", "match ", "if ", "return ", "import ", "type ",
    "impl ", "#define ", "<<A\n", "//", "/*", "*/", "#", "\\", "1", "é", "@", "end ", "do ", "\r\n",
    "struct ", "enum ", "export ", "const ", ".", " ",
];

/// What is said of a text can be looked up in it.
fn check(language: Language, text: &str) -> Result<(), TestCaseError> {
    if !language.is_built_in() {
        prop_assert_eq!(outline::read(language, text, &Limits::default()), Err(Unread::NoGrammar));
        return Ok(());
    }
    let outline = crate::outline(language, text);
    let lines = text.split('\n').count() as u32;
    for token in &outline.tokens {
        prop_assert!(
            1 <= token.line && token.line <= token.last && token.last <= lines,
            "{:?} of {}",
            token,
            lines
        );
    }
    for symbol in &outline.symbols {
        prop_assert!(symbol.tokens.0 <= symbol.tokens.1 && symbol.tokens.1 as usize <= outline.tokens.len());
        prop_assert!(1 <= symbol.lines.0 && symbol.lines.0 <= symbol.lines.1 && symbol.lines.1 <= lines);
        prop_assert!(
            outline.find(&symbol.name).iter().any(|number| outline.symbols[*number].name == symbol.name)
        );
    }
    Ok(())
}
