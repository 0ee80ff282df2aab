//! A text as the rules see it: normalised, with the way back to the bytes that were given (IN-3).

use std::borrow::Cow;

use unicode_normalization::char::{canonical_combining_class, compose, decompose_compatible};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use crate::limits::text::{ENTITY_BYTES_MAX, GROWTH_BYTES_MAX};

/// A text to be scanned.
pub struct Text<'a> {
    /// As it was given.
    pub raw: &'a str,
    /// NFKC, HTML entities decoded once, control and format characters removed. Letter case is kept.
    pub plain: Cow<'a, str>,
    /// Which bytes of `plain` came from where, in order. Empty when both are the same.
    pieces: Vec<Piece>,
    has_unseen: bool,
    is_cut: bool,
}

impl<'a> Text<'a> {
    /// Reads a text.
    pub fn new(raw: &'a str) -> Text<'a> {
        if raw.bytes().all(is_ordinary) {
            return Text::unchanged(raw);
        }
        let mut natures = Remembered::new(Nature::classify);
        if !raw.contains('&') && is_normal(raw, &mut natures) {
            return Text::unchanged(raw);
        }
        let mut out = Output { raw, plain: String::with_capacity(raw.len()), pieces: Vec::new() };
        let mut cluster = Cluster::default();
        let (mut at, mut has_unseen, mut is_cut) = (0, false, false);
        while let Some(first) = raw[at..].chars().next() {
            // Ordinary characters are taken over as they are, but for the last of a row: an accent may follow it.
            let row = raw.as_bytes()[at..].iter().take_while(|byte| is_ordinary(**byte)).count();
            if row > 1 {
                out.close(&mut cluster);
                out.keep(at, at + row - 1);
                at += row - 1;
                continue;
            }
            if out.plain.len() > at + GROWTH_BYTES_MAX {
                is_cut = true;
                break;
            }
            let (character, length) = match first {
                '&' => entity(&raw[at..]).unwrap_or(('&', 1)),
                other => (other, other.len_utf8()),
            };
            let from = at;
            at += length;
            let nature = natures.get(character);
            match nature.kind {
                Kind::Removed => {
                    has_unseen = true;
                    continue;
                }
                Kind::Joins => {
                    cluster.shape = match cluster.shape {
                        Shape::Letter if nature.is_whole && nature.class != 0 => Shape::Accented,
                        _ => Shape::Other,
                    }
                }
                Kind::Begins => {
                    out.close(&mut cluster);
                    cluster.start = from;
                    cluster.shape = match nature.is_sure {
                        true if character.is_ascii() => Shape::Letter,
                        true => Shape::Normal,
                        false => Shape::Other,
                    };
                }
            }
            cluster.characters.push(character);
            cluster.end = at;
        }
        out.close(&mut cluster);
        if is_cut {
            out.keep(at, raw.len());
        } else if out.plain == raw {
            return Text::unchanged(raw);
        }
        Text {
            raw,
            plain: Cow::Owned(out.plain),
            pieces: out.pieces,
            has_unseen: has_unseen || is_cut,
            is_cut,
        }
    }

    fn unchanged(raw: &'a str) -> Text<'a> {
        Text { raw, plain: Cow::Borrowed(raw), pieces: Vec::new(), has_unseen: false, is_cut: false }
    }

    /// Whether something in `raw` may be a character that nobody sees. Never false when there is one.
    pub(crate) fn has_unseen(&self) -> bool {
        self.has_unseen
    }

    /// Whether the text grew so much that its end was left as it is. Such a text was made to be slow.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The bytes of `raw` that a span of `plain` came from.
    pub fn place(&self, start: usize, end: usize) -> (usize, usize) {
        if self.pieces.is_empty() {
            return (start, end);
        }
        let end = end.max(start);
        let first = self.piece(start).map_or(self.raw.len(), |piece| match piece.kept {
            true => piece.raw.0 + (start - piece.plain).min(piece.raw.1 - piece.raw.0),
            false => piece.raw.0,
        });
        if end == start {
            return (first, first);
        }
        let last = self.piece(end - 1).map_or(self.raw.len(), |piece| match piece.kept {
            true => (piece.raw.0 + end - piece.plain).min(piece.raw.1),
            false => piece.raw.1,
        });
        (first, last.max(first))
    }

    /// The place in `plain` at which a byte of `raw` is, or would be had it been kept.
    pub fn plain_place(&self, raw: usize) -> usize {
        if self.pieces.is_empty() {
            return raw.min(self.plain.len());
        }
        let after = self.pieces.partition_point(|piece| piece.raw.0 <= raw);
        let next = self.pieces.get(after).map_or(self.plain.len(), |piece| piece.plain);
        match after.checked_sub(1).map(|last| &self.pieces[last]) {
            Some(piece) if piece.kept && raw < piece.raw.1 => piece.plain + raw - piece.raw.0,
            Some(piece) if !piece.kept && raw < piece.raw.1 => piece.plain,
            _ => next,
        }
    }

    /// The piece that a byte of `plain` lies in.
    fn piece(&self, at: usize) -> Option<&Piece> {
        let after = self.pieces.partition_point(|piece| piece.plain <= at);
        self.pieces.get(after.checked_sub(1)?)
    }
}

/// A stretch of `plain` and where it came from.
struct Piece {
    plain: usize,
    raw: (usize, usize),
    /// Byte for byte the same on both sides.
    kept: bool,
}

/// Characters that have to be normalised together: one that can stand alone and those that join it.
#[derive(Default)]
struct Cluster {
    characters: String,
    start: usize,
    end: usize,
    shape: Shape,
}

/// What a cluster is made of, where that is simple.
#[derive(Clone, Copy, Default, PartialEq)]
enum Shape {
    /// One letter of ASCII.
    Letter,
    /// One character that normalisation leaves alone.
    Normal,
    /// A letter of ASCII and one accent.
    Accented,
    #[default]
    Other,
}

/// What normalisation does to a character.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// It is left out.
    Removed,
    /// It may change together with what is before it.
    Joins,
    /// It may change, alone or together with what follows.
    Begins,
}

#[derive(Clone, Copy)]
struct Nature {
    kind: Kind,
    /// The class by which accents are put in order.
    class: u8,
    /// Whether it stays as it is in every text that has its accents in order.
    is_sure: bool,
    /// Whether it stays as it is where nothing joins it.
    is_whole: bool,
}

impl Nature {
    fn classify(character: char) -> Nature {
        let kind = if is_removed(character) {
            Kind::Removed
        } else if begins_cluster(character) {
            Kind::Begins
        } else {
            Kind::Joins
        };
        let quick = is_nfkc_quick(std::iter::once(character));
        Nature {
            kind,
            class: canonical_combining_class(character),
            is_sure: kind != Kind::Removed && quick == IsNormalized::Yes,
            is_whole: quick != IsNormalized::No,
        }
    }
}

/// Whether a text surely is in NFKC and has nothing to be left out: the quick check of the standard, with a memory.
fn is_normal(raw: &str, natures: &mut Remembered<Nature>) -> bool {
    let mut last = 0;
    raw.chars().all(|character| {
        if (character as u32) < 0x80 {
            last = 0;
            return is_ordinary(character as u8);
        }
        let nature = natures.get(character);
        let is_ordered = nature.class == 0 || nature.class >= last;
        last = nature.class;
        is_ordered && nature.is_sure
    })
}

/// Answers about characters, remembered: a text has few different ones, and the tables are large.
pub(crate) struct Remembered<T> {
    ask: fn(char) -> T,
    /// The character that was last asked about, for each remainder of its number.
    answers: Vec<(char, T)>,
}

impl<T: Copy> Remembered<T> {
    const SLOTS: usize = 512;

    /// Nothing is remembered yet.
    pub(crate) fn new(ask: fn(char) -> T) -> Remembered<T> {
        Remembered { ask, answers: Vec::new() }
    }

    /// The answer for a character.
    pub(crate) fn get(&mut self, character: char) -> T {
        if self.answers.is_empty() {
            self.answers = vec![('\0', (self.ask)('\0')); Self::SLOTS];
        }
        let slot = &mut self.answers[character as usize % Self::SLOTS];
        if slot.0 != character {
            *slot = (character, (self.ask)(character));
        }
        slot.1
    }
}

/// The normalised text while it grows.
struct Output<'a> {
    raw: &'a str,
    plain: String,
    pieces: Vec<Piece>,
}

impl Output<'_> {
    fn close(&mut self, cluster: &mut Cluster) {
        if cluster.characters.is_empty() {
            return;
        }
        let plain = self.plain.len();
        match cluster.shape {
            Shape::Letter | Shape::Normal => self.plain.push_str(&cluster.characters),
            Shape::Accented => accented(&cluster.characters, &mut self.plain),
            Shape::Other => normalise(&cluster.characters, &mut self.plain),
        }
        let raw = (cluster.start, cluster.end);
        let kept = self.plain.as_bytes()[plain..] == self.raw.as_bytes()[raw.0..raw.1];
        self.note(plain, raw, kept);
        cluster.characters.clear();
    }

    /// Takes a stretch over as it is.
    fn keep(&mut self, start: usize, end: usize) {
        let plain = self.plain.len();
        self.plain.push_str(&self.raw[start..end]);
        self.note(plain, (start, end), true);
    }

    fn note(&mut self, plain: usize, raw: (usize, usize), kept: bool) {
        match self.pieces.last_mut() {
            Some(last) if kept && last.kept && last.raw.1 == raw.0 => last.raw.1 = raw.1,
            _ => self.pieces.push(Piece { plain, raw, kept }),
        }
    }
}

/// Adds the NFKC form of a letter and an accent that do not fall apart.
fn accented(cluster: &str, out: &mut String) {
    let mut characters = cluster.chars();
    match characters.next().zip(characters.next()).and_then(|(letter, accent)| compose(letter, accent)) {
        Some(one) => out.push(one),
        None => out.push_str(cluster),
    }
}

/// Adds the NFKC form of a cluster. One character that stands for one other is most of what there is and goes a shorter way.
fn normalise(cluster: &str, out: &mut String) {
    let mut characters = cluster.chars();
    if let (Some(one), None) = (characters.next(), characters.next()) {
        let from = out.len();
        let mut parts = 0;
        decompose_compatible(one, |part| {
            parts += 1;
            out.push(part);
        });
        if parts == 1 {
            return;
        }
        out.truncate(from);
    }
    out.extend(cluster.nfkc());
}

/// Bytes that normalisation leaves alone wherever they stand.
fn is_ordinary(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..=0x7e) && byte != b'&'
}

/// Whether nothing before this character can change together with it.
fn begins_cluster(character: char) -> bool {
    if character < '\u{300}' {
        return true;
    }
    if canonical_combining_class(character) != 0 {
        return false;
    }
    match is_nfkc_quick(std::iter::once(character)) {
        IsNormalized::Yes => true,
        IsNormalized::Maybe => false,
        IsNormalized::No => {
            let mut first = None;
            decompose_compatible(character, |part| {
                first.get_or_insert(part);
            });
            first.is_none_or(|part| part == character || begins_cluster(part))
        }
    }
}

/// Whether a character is left out of `plain`. Line ends and tabs stay.
fn is_removed(character: char) -> bool {
    match character {
        '\t' | '\n' | '\r' => false,
        ' '..='~' => false,
        other => other.is_control() || is_unseen(other),
    }
}

/// Whether a character takes no room on a page and is no control character: format characters, variation selectors, fillers.
pub(crate) fn is_unseen(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{8e2}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// The names that are decoded: those that hide markup, quotes, or nothing at all.
const ENTITIES: &[(&str, char)] = &[
    ("amp", '&'),
    ("apos", '\''),
    ("bsol", '\\'),
    ("colon", ':'),
    ("comma", ','),
    ("commat", '@'),
    ("dollar", '$'),
    ("equals", '='),
    ("excl", '!'),
    ("grave", '`'),
    ("gt", '>'),
    ("hyphen", '-'),
    ("lbrace", '{'),
    ("lbrack", '['),
    ("lowbar", '_'),
    ("lpar", '('),
    ("lrm", '\u{200e}'),
    ("lsqb", '['),
    ("lt", '<'),
    ("nbsp", ' '),
    ("newline", '\n'),
    ("num", '#'),
    ("period", '.'),
    ("quot", '"'),
    ("rbrace", '}'),
    ("rbrack", ']'),
    ("rlm", '\u{200f}'),
    ("rpar", ')'),
    ("rsqb", ']'),
    ("semi", ';'),
    ("shy", '\u{ad}'),
    ("sol", '/'),
    ("tab", '\t'),
    ("verbar", '|'),
    ("vert", '|'),
    ("zerowidthspace", '\u{200b}'),
    ("zwj", '\u{200d}'),
    ("zwnj", '\u{200c}'),
];

/// The character that a reference at the start of `rest` stands for, and its length in bytes.
fn entity(rest: &str) -> Option<(char, usize)> {
    let body = rest.strip_prefix('&')?;
    if let Some(number) = body.strip_prefix('#') {
        let (digits, radix, skipped) = match number.strip_prefix(['x', 'X']) {
            Some(hex) => (hex, 16, 3),
            None => (number, 10, 2),
        };
        let length =
            digits.bytes().take(ENTITY_BYTES_MAX).take_while(|b| (*b as char).is_digit(radix)).count();
        let character = char::from_u32(u32::from_str_radix(&digits[..length], radix).ok()?)?;
        let closed = digits[length..].starts_with(';') as usize;
        return Some((character, skipped + length + closed));
    }
    let length = body.bytes().take(ENTITY_BYTES_MAX).take_while(u8::is_ascii_alphabetic).count();
    if length == 0 || body.as_bytes().get(length) != Some(&b';') {
        return None;
    }
    let name = &body[..length];
    let (_, character) = ENTITIES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    Some((*character, length + 2))
}

/// The last place where a character begins, up to `at`.
pub(crate) fn floor(plain: &str, at: usize) -> usize {
    let mut at = at.min(plain.len());
    while !plain.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Adds a character as words are compared: lower case, without accents. `İgnoré` is `ignore`.
pub(crate) fn fold(character: char, out: &mut String) {
    match character {
        'A'..='Z' => out.push(character.to_ascii_lowercase()),
        '\0'..='\u{7f}' => out.push(character),
        '’' | 'ʼ' | '＇' => out.push('\''),
        // Accents, and the vowel signs that Arabic leaves out as often as not.
        '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{20d0}'..='\u{20ff}' => {}
        '\u{640}' | '\u{64b}'..='\u{652}' | '\u{670}' => {}
        'أ' | 'إ' | 'آ' => out.push('ا'),
        'ى' => out.push('ي'),
        // Letters of scripts without cases, and Cyrillic ones without accents: nothing to look up.
        'а'..='и' | 'к'..='я' => out.push(character),
        '\u{600}'..='\u{109f}' | '\u{3041}'..='\u{a48c}' | '\u{ac00}'..='\u{d7a3}' => out.push(character),
        'ß' => out.push_str("ss"),
        'æ' | 'Æ' => out.push_str("ae"),
        'œ' | 'Œ' => out.push_str("oe"),
        'ø' | 'Ø' => out.push('o'),
        'đ' | 'Đ' | 'ð' | 'Ð' => out.push('d'),
        'ł' | 'Ł' => out.push('l'),
        'ı' => out.push('i'),
        '\u{80}'..='\u{5ff}' | '\u{1d00}'..='\u{1fff}' | '\u{1f130}'..='\u{1f1ff}' => {
            unicode_normalization::char::decompose_canonical(character, |part| {
                if canonical_combining_class(part) == 0 {
                    out.extend(drawn_as(part).unwrap_or(part).to_lowercase());
                }
            });
        }
        other => out.extend(other.to_lowercase()),
    }
}

/// The Latin letter that a small capital or a letter in a box stands for.
fn drawn_as(character: char) -> Option<char> {
    if character.is_ascii() {
        return None;
    }
    let boxed = |first: char| char::from_u32('a' as u32 + (character as u32 - first as u32));
    match character {
        '\u{1f130}'..='\u{1f149}' => boxed('\u{1f130}'),
        '\u{1f150}'..='\u{1f169}' => boxed('\u{1f150}'),
        '\u{1f170}'..='\u{1f189}' => boxed('\u{1f170}'),
        '\u{1f1e6}'..='\u{1f1ff}' => boxed('\u{1f1e6}'),
        _ => SMALL_CAPITALS.iter().find(|(from, _)| *from == character).map(|(_, to)| *to),
    }
}

const SMALL_CAPITALS: &[(char, char)] = &[
    ('ᴀ', 'a'),
    ('ʙ', 'b'),
    ('ᴄ', 'c'),
    ('ᴅ', 'd'),
    ('ᴇ', 'e'),
    ('ɢ', 'g'),
    ('ʜ', 'h'),
    ('ɪ', 'i'),
    ('ᴊ', 'j'),
    ('ᴋ', 'k'),
    ('ʟ', 'l'),
    ('ᴍ', 'm'),
    ('ɴ', 'n'),
    ('ᴏ', 'o'),
    ('ᴘ', 'p'),
    ('ʀ', 'r'),
    ('ᴛ', 't'),
    ('ᴜ', 'u'),
    ('ᴠ', 'v'),
    ('ᴡ', 'w'),
    ('ʏ', 'y'),
    ('ᴢ', 'z'),
    ('ɑ', 'a'),
    ('ɡ', 'g'),
    ('ı', 'i'),
];

/// The Latin letter that a (lower-case) letter of another script is drawn like, for words that mix scripts.
pub(crate) fn looks_like(character: char) -> Option<char> {
    if !('\u{370}'..'\u{600}').contains(&character) {
        return None;
    }
    LOOK_ALIKES.iter().find(|(from, _)| *from == character).map(|(_, to)| *to)
}

/// Cyrillic, Greek, Armenian and Cherokee letters by the Latin letter they pass for.
const LOOK_ALIKES: &[(char, char)] = &[
    ('а', 'a'),
    ('в', 'b'),
    ('ь', 'b'),
    ('с', 'c'),
    ('ԁ', 'd'),
    ('е', 'e'),
    ('є', 'e'),
    ('ғ', 'f'),
    ('н', 'h'),
    ('һ', 'h'),
    ('і', 'i'),
    ('ӏ', 'l'),
    ('ј', 'j'),
    ('к', 'k'),
    ('м', 'm'),
    ('о', 'o'),
    ('п', 'n'),
    ('р', 'p'),
    ('ԛ', 'q'),
    ('г', 'r'),
    ('ѕ', 's'),
    ('т', 't'),
    ('у', 'y'),
    ('ү', 'y'),
    ('ѵ', 'v'),
    ('ԝ', 'w'),
    ('ѡ', 'w'),
    ('х', 'x'),
    ('α', 'a'),
    ('β', 'b'),
    ('ϲ', 'c'),
    ('ε', 'e'),
    ('η', 'n'),
    ('ι', 'i'),
    ('ϳ', 'j'),
    ('κ', 'k'),
    ('μ', 'u'),
    ('ν', 'v'),
    ('ο', 'o'),
    ('ρ', 'p'),
    ('σ', 'o'),
    ('τ', 't'),
    ('υ', 'u'),
    ('χ', 'x'),
    ('γ', 'y'),
    ('ω', 'w'),
    ('ա', 'w'),
    ('գ', 'q'),
    ('հ', 'h'),
    ('ո', 'n'),
    ('ս', 'u'),
    ('օ', 'o'),
    ('ց', 'g'),
    ('զ', 'q'),
    ('ј', 'j'),
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(raw: &str, plain: &str) {
        assert_eq!(Text::new(raw).plain, plain);
    }

    /// What `word`, found in the normalised text, was in the text that was given.
    fn origin<'a>(raw: &'a str, word: &str) -> &'a str {
        let text = Text::new(raw);
        let start = text.plain.find(word).unwrap();
        let (from, to) = text.place(start, start + word.len());
        &raw[from..to]
    }

    #[test]
    fn plain_text_is_left_alone() {
        let text = Text::new("one line\n\tand another");
        assert!(matches!(text.plain, Cow::Borrowed(_)));
        assert_eq!(text.place(4, 8), (4, 8));
    }

    #[test]
    fn what_is_drawn_alike_becomes_alike() {
        check("ｉｇｎｏｒｅ 𝐭𝐡𝐢𝐬 ﬁle", "ignore this file");
        check("cafe\u{301}", "café");
        check("ｶﾞ", "ガ");
        check("\u{1100}\u{1161}\u{11a8}", "각");
    }

    #[test]
    fn what_nobody_sees_is_gone() {
        check("sec\u{200b}ret\u{ad}\u{e0041} \u{202e}x\u{7}", "secret x");
    }

    #[test]
    fn references_are_read_once() {
        check(
            "&lt;b&gt; &#105;&#x67;n &amp;lt; &unknown; a&b &#; &#xD800;",
            "<b> ign &lt; &unknown; a&b &#; &#xD800;",
        );
        check("i&#8203;g&ZeroWidthSpace;n", "ign");
    }

    #[test]
    fn a_place_is_known_after_any_change() {
        assert_eq!(origin("é a\u{200b}bc &lt;x&gt; end", "abc"), "a\u{200b}bc");
        assert_eq!(origin("é a\u{200b}bc &lt;x&gt; end", "<x>"), "&lt;x&gt;");
        assert_eq!(origin("é a\u{200b}bc &lt;x&gt; end", "end"), "end");
        assert_eq!(origin("ｐａｓｓ word", "ass"), "ａｓｓ");
        let text = Text::new("é a\u{200b}bc");
        assert_eq!((text.plain_place(3), text.plain_place(4), text.plain_place(7)), (3, 4, 4));
    }

    #[test]
    fn the_short_ways_lead_where_the_long_ones_do() {
        for character in '\0'..=char::MAX {
            if is_removed(character) || character == '&' {
                continue;
            }
            for cluster in [format!("{character}"), format!("a{character}"), format!("<{character}")] {
                let expected = cluster.nfkc().collect::<String>();
                let cleaned: String = expected.chars().filter(|c| !is_removed(*c)).collect();
                let text = Text::new(&cluster);
                assert!(text.plain == expected || text.plain == cleaned, "{cluster:?}");
            }
            if matches!(character, 'а'..='я' | '\u{653}'..='\u{109f}' | '\u{3041}'..='\u{a48c}' | '\u{ac00}'..='\u{d7a3}')
                && !matches!(character, 'й' | '\u{670}')
            {
                assert!(character.to_lowercase().eq([character]), "{character:?}");
                assert!(looks_like(character).is_none() || character < '\u{600}');
            }
        }
        assert!(LOOK_ALIKES.iter().all(|(from, to)| looks_like(*from) == Some(*to)));
    }

    #[test]
    fn a_text_does_not_grow_without_bound() {
        let raw = "\u{fdfa}".repeat(100_000);
        let text = Text::new(&raw);
        assert!(text.is_cut() && text.plain.len() <= raw.len() + GROWTH_BYTES_MAX + 64);
        assert_eq!(text.place(text.plain.len() - 3, text.plain.len()), (raw.len() - 3, raw.len()));
        assert!(!Text::new(&"\u{fdfa}".repeat(1000)).is_cut());
    }

    proptest! {
        #[test]
        fn the_memory_changes_nothing(raw in "[a é\u{301}\u{323}\u{e34}\u{e48}\u{64b}\u{651}ｶﾞ가\u{11a8}]{0,12}") {
            prop_assert_eq!(&Text::new(&raw).plain, &raw.nfkc().collect::<String>());
            let is_sure = is_nfkc_quick(raw.chars()) == IsNormalized::Yes;
            prop_assert_eq!(is_normal(&raw, &mut Remembered::new(Nature::classify)), is_sure);
        }

        #[test]
        fn every_span_has_a_place(raw in any::<String>(), with in "[a&#;x0-9\u{301}\u{200b}é가ｶﾞ]{0,24}") {
            for raw in [raw, with] {
                let text = Text::new(&raw);
                let marks: Vec<usize> =
                    text.plain.char_indices().map(|(at, _)| at).chain([text.plain.len()]).collect();
                for (n, start) in marks.iter().enumerate() {
                    for end in &marks[n..] {
                        let (from, to) = text.place(*start, *end);
                        prop_assert!(from <= to && raw.get(from..to).is_some());
                    }
                }
            }
        }
    }
}
