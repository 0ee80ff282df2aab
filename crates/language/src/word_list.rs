//! Word lists kept as data files: one word or phrase per line, sorted, comments after `#`.

use std::ops::Deref;
use std::sync::OnceLock;

use crate::limits::BITS_PER_ITEM;

/// A sorted list of words or phrases, read from the text of a data file on first use.
///
/// Each line holds one item. Empty lines and lines that begin with `#` are comments. A line in double quotes keeps the blanks at its ends, and may begin
/// with `#`. Items are sorted by their bytes and occur once; `tests/lists.rs` checks every file under `crates/*/words`.
///
/// ```
/// # use ken_language::WordList;
/// static MODALS: WordList = WordList::new("# Verbs that oblige.\nmust\nshall\n");
/// assert!(MODALS.contains("must") && !MODALS.contains("may"));
/// ```
#[derive(Debug)]
pub struct WordList {
    text: &'static str,
    items: OnceLock<Items>,
}

/// The items of a list, in their order.
#[derive(Debug)]
struct Items {
    items: Box<[&'static str]>,
    /// A bit for each item, some of which share one: most words that are looked up are on no list, and have none.
    bits: Box<[u64]>,
}

impl Items {
    fn new(items: Box<[&'static str]>) -> Items {
        let mut bits =
            vec![0; (items.len() * BITS_PER_ITEM).div_ceil(64).next_power_of_two()].into_boxed_slice();
        for item in &items {
            let (word, bit) = place(item, bits.len());
            bits[word] |= bit;
        }
        Items { items, bits }
    }
}

/// Where the bit of an item is, among so many words: by its length, its first letters and its last.
fn place(item: &str, words: usize) -> (usize, u64) {
    let bytes = item.as_bytes();
    let first = bytes.iter().take(6).fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
    let last = u64::from(bytes.last().copied().unwrap_or_default());
    let mixed = (first << 16 | last << 8 | bytes.len() as u64 & 0xff).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let at = (mixed >> 32) as usize;
    (at / 64 % words, 1 << (at % 64))
}

impl WordList {
    /// A list over the text of a data file, usually `include_str!("../words/name.txt")`.
    pub const fn new(text: &'static str) -> WordList {
        WordList { text, items: OnceLock::new() }
    }

    /// Whether an item is on the list, letter by letter.
    pub fn contains(&self, item: &str) -> bool {
        let Items { items, bits } = self.read();
        let (word, bit) = place(item, bits.len());
        bits[word] & bit != 0 && items.binary_search(&item).is_ok()
    }

    /// The items in their order.
    pub fn items(&self) -> &[&'static str] {
        &self.read().items
    }

    fn read(&self) -> &Items {
        self.items.get_or_init(|| {
            let items: Box<[&'static str]> = lines(self.text).collect();
            debug_assert!(items.is_sorted(), "{:?}", items.windows(2).find(|pair| pair[0] >= pair[1]));
            Items::new(items)
        })
    }

    /// The items of a list whose lines are `item = value`. A line without a sign has the empty value.
    pub fn pairs(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.items().iter().map(|line| match line.split_once(" =") {
            Some((item, value)) => (item, value.trim_start()),
            None => (*line, ""),
        })
    }

    /// The value of an item of such a list.
    pub fn value(&self, item: &str) -> Option<&'static str> {
        let key = |line: &str| -> usize { line.find(" =").unwrap_or(line.len()) };
        let at = self.items().binary_search_by(|line| line[..key(line)].cmp(item)).ok()?;
        self.pairs().nth(at).map(|(_, value)| value)
    }
}

/// The slice, for `iter()` and for functions that take `&[&str]`.
impl Deref for WordList {
    type Target = [&'static str];

    fn deref(&self) -> &[&'static str] {
        self.items()
    }
}

/// Why the text of a data file is not a word list, if it is none: an unsorted or repeated item.
pub fn fault(text: &str) -> Option<String> {
    let items: Vec<&str> = lines(text).collect();
    let wrong = items.windows(2).find(|pair| pair[0] >= pair[1])?;
    Some(match wrong[0] == wrong[1] {
        true => format!("{:?} occurs twice", wrong[0]),
        false => format!("{:?} belongs before {:?}", wrong[1], wrong[0]),
    })
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let line = line.trim();
        let quoted = line.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        quoted.or((!line.is_empty()).then_some(line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_blanks_are_no_items() {
        static LIST: WordList = WordList::new("# About.\n\n\" if \"\n\"#tag\"\nmust\n");
        assert_eq!(LIST.items(), [" if ", "#tag", "must"]);
        assert!(LIST.contains(" if ") && LIST.contains("must") && !LIST.contains("if"));
    }

    #[test]
    fn a_pair_has_a_value() {
        static LIST: WordList = WordList::new("at least = >=\nfor example\nmake sure =\n");
        let pairs: Vec<(&str, &str)> = LIST.pairs().collect();
        assert_eq!(pairs, [("at least", ">="), ("for example", ""), ("make sure", "")]);
        assert_eq!(
            (LIST.value("at least"), LIST.value("make sure"), LIST.value("at")),
            (Some(">="), Some(""), None)
        );
    }

    #[test]
    fn an_unsorted_or_repeated_item_is_a_fault() {
        assert_eq!(fault("a\nb\n"), None);
        assert_eq!(fault("b\na\n").as_deref(), Some(r#""a" belongs before "b""#));
        assert_eq!(fault("a\n# Again.\na\n").as_deref(), Some(r#""a" occurs twice"#));
    }
}
