//! Whether a value looks like a secret that somebody uses, or like a word, a reference or a stand-in.

use std::sync::{LazyLock, OnceLock};

use ken_language::WordList;

use super::literals::Literals;

use crate::limits::secrets_value::{
    BREAKS_MIN, CHOSEN_DIGITS_MIN, DONE_BYTES_MAX, SHORT_HEX_BYTES_MIN, SHORT_KEY_BYTES_MAX,
    SHORT_KEY_BYTES_MIN, SHORT_KEY_MIXED_MIN, TERM_BYTES_MAX, WORDY_BYTES_MAX,
};
pub use crate::limits::secrets_value::{PASSWORD_BYTES_MAX, PASSWORD_BYTES_MIN};

/// Shannon entropy in bits for each byte.
pub fn entropy(bytes: &[u8]) -> f32 {
    if bytes.is_empty() {
        return 0.0;
    }
    let mut counts = [0u32; 256];
    for &byte in bytes {
        counts[byte as usize] += 1;
    }
    let total = bytes.len() as f32;
    let share = |count: u32| {
        let p = count as f32 / total;
        -p * p.log2()
    };
    // Most letters are there once or twice, and logarithms take their time.
    let few = [0.0, share(1), share(2), share(3)];
    counts
        .iter()
        .filter(|&&count| count > 0)
        .map(|&count| few.get(count as usize).copied().unwrap_or_else(|| share(count)))
        .sum()
}

/// Whether a run of letters has the disorder that a drawn key of its length has. Stand-ins such as `xxxx` do not.
pub fn is_drawn(bytes: &[u8]) -> bool {
    let least = match bytes.len() {
        0..=9 => 1.5,
        10..=15 => 2.2,
        16..=23 => 2.5,
        24..=29 => 2.8,
        _ => 3.0,
    };
    entropy(bytes) >= least
}

/// What a value is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Look {
    /// Bytes.
    pub length: usize,
    /// Small letters.
    pub lower: usize,
    /// Capitals.
    pub upper: usize,
    /// Digits.
    pub digit: usize,
    /// Signs that words and names do not have inside.
    pub hard: usize,
    /// Different ones of these.
    pub hard_kinds: usize,
    /// Signs that join words: `-`, `_`, `.`.
    pub soft: usize,
    /// Runs of letters and digits that nobody would write as a word or a name.
    pub odd: usize,
}

impl Look {
    /// Looks at a value.
    pub fn at(value: &str) -> Look {
        let mut look = Look { length: value.len(), ..Look::default() };
        let mut kinds = 0u128;
        for byte in value.bytes() {
            match byte {
                b'a'..=b'z' => look.lower += 1,
                b'A'..=b'Z' => look.upper += 1,
                b'0'..=b'9' => look.digit += 1,
                b'-' | b'_' | b'.' => look.soft += 1,
                0..=127 => {
                    look.hard += 1;
                    kinds |= 1 << byte;
                }
                _ => {}
            }
        }
        look.hard_kinds = kinds.count_ones() as usize;
        look.odd =
            value.as_bytes().split(|byte| !byte.is_ascii_alphanumeric()).filter(|run| is_odd(run)).count();
        look
    }

    /// Letters of both cases.
    pub fn letters(&self) -> usize {
        self.lower + self.upper
    }
}

/// Whether a run of letters and digits is neither a word, a name in camel case, a number nor a word with a number behind.
fn is_odd(bytes: &[u8]) -> bool {
    let digits_behind = bytes.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let word = &bytes[..bytes.len() - digits_behind];
    if word.is_empty() {
        return false;
    }
    if word.iter().any(u8::is_ascii_digit) {
        return true;
    }
    // Camel case: humps of a capital and at least two small letters; capitals together are an abbreviation.
    let mut at = 0;
    let mut first = true;
    while at < word.len() {
        let capitals = word[at..].iter().take_while(|byte| byte.is_ascii_uppercase()).count();
        let smalls = word[at + capitals..].iter().take_while(|byte| byte.is_ascii_lowercase()).count();
        let whole = at == 0 && capitals + smalls == word.len();
        match (capitals, smalls) {
            (0, 1) if !whole && !first => return true,
            // `iPhone` and `eBPF` are names; `nBTec` is not.
            (0, 1) if !whole => {
                let capitals = word[1..].iter().take_while(|byte| byte.is_ascii_uppercase()).count();
                if digits_behind > 0 || (capitals > 1 && capitals + 1 < word.len()) {
                    return word.len() > 2;
                }
            }
            (2.., 1) if !whole || word.len() > 4 => return true,
            (1, 1) if !whole => return true,
            _ => {}
        }
        at += (capitals + smalls).max(1);
        first = false;
    }
    false
}

/// Whether a value stands for another: a template, a reference, a word of the documentation.
pub fn is_stand_in(value: &str) -> bool {
    if value.len() < 4 || holds(value.as_bytes(), b"[REDACTED") {
        return true;
    }
    let lower = value.to_ascii_lowercase();
    stand_ins().any_in(lower.as_bytes())
        || is_repetitive(value)
        || is_alphabetical(value)
        || is_printed(value)
        || has_template(value)
        || is_reference(value)
        || is_only_words(&lower)
}

/// Keys that their makers print in documentation and tests, by a hash: anybody may know them.
const PRINTED: &[u64] = &[
    0xc800bf2100a21c67,
    0x6acbd824bd32bbd4,
    0x29a336c7244f48dd,
    0x08b545962adc7d8b,
    0xe7666dbb286c6c2e,
    0x99b2726346a1e92a,
    0x12113c2e6979f447,
    0x828818f833257868,
    0x6835e0f288832a40,
    0x816cd10fdb11ead0,
    0xadbd04e3fe1b6d49,
    0xdb9422f1dd332dcc,
    0x515cb771a4238032,
    0xe754678ea2b14ef1,
    0xc73f1e61952e6987,
    0x294c63f8344d5df1,
    0xd8e13cded25333c6,
];

/// Whether a value is one that documentation prints.
pub fn is_printed(value: &str) -> bool {
    // FNV-1a: short, and good enough to tell a dozen values apart from all others.
    let hash = value.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    PRINTED.contains(&hash)
}

/// Ten letters one after the other in the alphabet.
fn is_alphabetical(value: &str) -> bool {
    let (mut run, mut last) = (0, 0);
    value.bytes().any(|byte| {
        run = match byte.is_ascii_alphabetic() {
            true if run > 0 && byte == last + 1 => run + 1,
            true => 1,
            false => 0,
        };
        last = byte;
        run == 10
    })
}

/// Whether the body of a token in a known format is a stand-in. Milder than [`is_stand_in`]: drawn letters spell words by chance.
pub fn is_sample(body: &str) -> bool {
    let lower = body.to_ascii_lowercase();
    [
        "example",
        "xxxxxx",
        "your",
        "placeholder",
        "redacted",
        "replace",
        "changeme",
        "insert",
        "0000000000",
        "1234567890abcdef1234567890abcdef",
    ]
    .iter()
    .any(|word| holds(lower.as_bytes(), word.as_bytes()))
        || is_alphabetical(body)
}

fn stand_ins() -> &'static Literals {
    static WORDS: OnceLock<Literals> = OnceLock::new();
    WORDS.get_or_init(|| Literals::new(STAND_INS.iter().copied()))
}

static STAND_INS: WordList = WordList::new(include_str!("../../words/secrets/stand_ins.txt"));

/// Few different letters for its length.
fn is_repetitive(value: &str) -> bool {
    let mut seen = 0u128;
    for byte in value.bytes() {
        seen |= 1 << (byte & 127);
    }
    let kinds = seen.count_ones() as usize;
    let stretched = value.as_bytes().windows(6).any(|run| run.iter().all(|byte| *byte == run[0]));
    kinds <= 2 || (value.len() >= 12 && kinds <= 4) || stretched
}

/// `${NAME}`, `{{ name }}`, `<name>`, `$(command)`, `%NAME%`, `#{name}`, `[name]`, `%s`: anything that is filled in later.
fn has_template(value: &str) -> bool {
    const PAIRS: &[(&str, &str)] = &[
        ("${", "}"),
        ("#{", "}"),
        ("{{", "}}"),
        ("<", ">"),
        ("$(", ")"),
        ("[", "]"),
        ("{", "}"),
        ("%(", ")"),
        ("`", "`"),
    ];
    let bytes = value.as_bytes();
    if !bytes.iter().any(|byte| matches!(byte, b'$' | b'#' | b'{' | b'<' | b'[' | b'%' | b'`' | b'@')) {
        return false;
    }
    let plain = |inner: &str| {
        inner.bytes().all(|b| {
            b.is_ascii_alphanumeric()
                || matches!(
                    b,
                    b' ' | b'_' | b'-' | b'.' | b':' | b'/' | b'|' | b'\'' | b'"' | b'$' | b'?' | b'!'
                )
        })
    };
    for (open, close) in PAIRS {
        let Some(start) = value.find(open) else { continue };
        let rest = &value[start + open.len()..];
        // A single bracket is a template only when it holds the whole value; the double ones anywhere.
        let whole = open.len() == 1;
        if let Some(end) = rest.find(close) {
            let covers = start == 0 && start + open.len() + end + close.len() == value.len();
            let filled = *open == "{"
                && end > 0
                && rest[..end]
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b':' | b'#' | b'?'));
            if filled || (plain(&rest[..end]) && (!whole || covers)) {
                return true;
            }
        }
    }
    let named =
        |inner: &[u8]| !inner.is_empty() && inner.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_');
    match bytes {
        [b'%', inner @ .., b'%'] | [b'@', inner @ .., b'@'] if named(inner) => true,
        [b'%', rest @ ..] if rest.len() <= 3 => true,
        [b'$', inner @ ..]
            if named(inner)
                && (inner.iter().all(|b| !b.is_ascii_lowercase())
                    || inner.iter().all(|b| !b.is_ascii_uppercase())) =>
        {
            true
        }
        _ => value.contains("%s") && value.len() <= 12,
    }
}

/// Code that gets the value, a path where it lies, an address of it.
fn is_reference(value: &str) -> bool {
    let bytes = value.as_bytes();
    if value.starts_with("./")
        || value.starts_with("../")
        || value.starts_with("~/")
        || value.starts_with("arn:")
        || holds(bytes, b"://")
    {
        return true;
    }
    if bytes[0] == b'/' && value[1..].contains('/') && !value.contains('+') && !value.ends_with('=') {
        return true;
    }
    // A call or an index: a name directly before the bracket and the bracket closed behind it.
    for (open, close) in [(b'(', b')'), (b'[', b']')] {
        if let Some(at) = bytes.iter().position(|&b| b == open) {
            let named = bytes[..at].iter().all(|b| {
                b.is_ascii_alphanumeric()
                    || matches!(b, b'_' | b'.' | b':' | b'&' | b'*' | b'!' | b'?' | b'>' | b'-' | b'$')
            });
            let closed = bytes[at..].contains(&close) || at + 1 == bytes.len();
            if at > 0 && named && closed {
                return true;
            }
        }
    }
    holds(bytes, b"(?")
        || holds(bytes, b"::")
        || holds(bytes, b"->")
        || holds(bytes, b"=>")
        || is_dotted_name(value)
}

/// Whether a short value holds a shorter one; without the preparation that pays only for long texts.
fn holds(bytes: &[u8], inner: &[u8]) -> bool {
    bytes.windows(inner.len()).any(|window| window[0] == inner[0] && window == inner)
}

/// `settings.database.password`, `auth.example.org`, `config.toml`: words with dots between.
fn is_dotted_name(value: &str) -> bool {
    if !value.as_bytes().contains(&b'.') {
        return false;
    }
    let mut parts = value.split('.').peekable();
    let mut count = 0;
    let all = parts.all(|part| {
        count += 1;
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
            && Look::at(part).odd == 0
            && part.len() < 24
    });
    all && count > 1
}

/// Nothing but words that are said of secrets, with numbers between: `my-secret-password1`, `P@ssw0rd`.
fn is_only_words(lower: &str) -> bool {
    let are_words = |letters: Option<Letters>| {
        letters.is_some_and(|letters| {
            letters.length * 2 >= lower.len() && is_made_of_words(&letters.bytes[..letters.length])
        })
    };
    let leet = || {
        let numbered = lower.trim_end_matches(|c: char| c.is_ascii_digit() || c == '!');
        Letters::count(numbered.bytes().filter_map(undisguised))
    };
    // Three letters or more in disguise, and a number behind: somebody made that up to use it.
    let core = lower.trim_end_matches(|c: char| c.is_ascii_digit());
    let disguised = core.bytes().filter(|byte| !byte.is_ascii_lowercase()).count();
    let is_made_up = disguised >= 3 && lower.len() - core.len() >= 2;
    let digits = lower.bytes().filter(u8::is_ascii_digit).count();
    (digits <= 4 && are_words(Letters::count(lower.bytes().filter(u8::is_ascii_lowercase))))
        || (!is_made_up && are_words(leet()))
        || is_counted(lower)
}

/// Passwords that many people choose: a phrase with a number behind it (`letmein99`), or words with some letter in disguise and
/// something more (`Passw0rd!`, `S3cr3tPass`). They stand for another value everywhere but where a password is due.
pub fn is_guessable(value: &str) -> bool {
    let typed = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'!' | b'@' | b'$' | b'#')
    };
    if !(PASSWORD_BYTES_MIN..=PASSWORD_BYTES_MAX).contains(&value.len()) || !value.bytes().all(typed) {
        return false;
    }
    let lower = value.to_ascii_lowercase();
    let core = lower.trim_end_matches(|c: char| !c.is_ascii_lowercase());
    let behind = &lower[core.len()..];
    let digits = behind.bytes().filter(u8::is_ascii_digit).count();
    let Some(letters) = Letters::count(core.bytes().filter(u8::is_ascii_lowercase)) else { return false };
    let letters = &letters.bytes[..letters.length];
    let is_chosen = digits >= CHOSEN_DIGITS_MIN
        && CHOSEN.iter().any(|phrase| {
            letters
                .strip_suffix(phrase.as_bytes())
                .is_some_and(|before| before.is_empty() || is_made_of_words(before))
        });
    let is_disguised = || {
        let disguised = core.bytes().any(|byte| !byte.is_ascii_lowercase() && undisguised(byte).is_some());
        let Some(letters) = Letters::count(core.bytes().filter_map(undisguised)) else { return false };
        let words = count_words(&letters.bytes[..letters.length]);
        // `P@ssw0rd` alone is the example that everybody writes.
        disguised && words.is_some_and(|count| count > 1 || !behind.is_empty())
    };
    is_chosen || is_disguised()
}

/// Words with letters in disguise: `p4ssw0rd`, `S3cr3t`. Documentation writes one of them as an example of a weak password, but nobody
/// puts a disguise into an address that is only to show where the password goes.
pub fn is_disguised(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let core = lower.trim_end_matches(|c: char| !c.is_ascii_lowercase());
    let Some(letters) = Letters::count(core.bytes().filter_map(undisguised)) else { return false };
    let all = core.bytes().all(|byte| undisguised(byte).is_some() || matches!(byte, b'-' | b'_' | b'.'));
    all && core.bytes().any(|byte| byte.is_ascii_digit())
        && is_made_of_words(&letters.bytes[..letters.length])
}

/// Letters and digits, too few to be drawn for sure: a key only directly behind the name of one (`api_key=...`).
pub fn is_short_key(value: &str) -> bool {
    let look = Look::at(value);
    let hex = value.bytes().all(|byte| byte.is_ascii_hexdigit());
    let least = if hex { SHORT_HEX_BYTES_MIN } else { SHORT_KEY_BYTES_MIN };
    let lower = value.to_ascii_lowercase();
    let words = Letters::count(lower.bytes().filter(u8::is_ascii_lowercase));
    (least..=SHORT_KEY_BYTES_MAX).contains(&look.length)
        && look.letters() + look.digit == look.length
        && look.letters().min(look.digit) >= SHORT_KEY_MIXED_MIN
        && is_drawn(value.as_bytes())
        && !words.is_some_and(|letters| is_made_of_words(&letters.bytes[..letters.length]))
        && !is_stand_in(value)
        && !is_name(value)
}

static CHOSEN: WordList = WordList::new(include_str!("../../words/secrets/chosen.txt"));

/// The letter that a digit or a sign stands for in a disguised word, or the letter itself.
fn undisguised(byte: u8) -> Option<u8> {
    match byte {
        b'0' => Some(b'o'),
        b'1' | b'!' => Some(b'i'),
        b'3' => Some(b'e'),
        b'4' | b'@' => Some(b'a'),
        b'5' | b'$' => Some(b's'),
        b'a'..=b'z' => Some(byte),
        _ => None,
    }
}

/// The letters of a value that may be made of words.
struct Letters {
    bytes: [u8; Letters::MAX],
    length: usize,
}

impl Letters {
    /// Nobody writes more of them in one value.
    const MAX: usize = 64;

    /// None, if they are too many.
    fn count(all: impl Iterator<Item = u8>) -> Option<Letters> {
        let mut letters = Letters { bytes: [0; Letters::MAX], length: 0 };
        for byte in all {
            *letters.bytes.get_mut(letters.length)? = byte;
            letters.length += 1;
        }
        Some(letters)
    }
}

/// `123456`, `12345678`, `987654321`.
fn is_counted(value: &str) -> bool {
    let bytes = value.as_bytes();
    bytes.iter().all(u8::is_ascii_digit)
        && (bytes.windows(2).all(|w| w[1] == w[0] + 1 || (w[0] == b'9' && w[1] == b'0'))
            || bytes.windows(2).all(|w| w[0] == w[1] + 1))
}

fn is_made_of_words(letters: &[u8]) -> bool {
    count_words(letters).is_some()
}

/// How many words there are, if there is nothing else.
fn count_words(mut rest: &[u8]) -> Option<usize> {
    let words = WORDS.items();
    let mut count = 0;
    while let Some(first) = rest.first() {
        let (from, to) = WORD_RANGES[usize::from(first & 31)];
        // Backwards, so that of two words the longer comes first where one begins the other.
        let after = words[from..to].iter().rev().find_map(|word| rest.strip_prefix(word.as_bytes()));
        rest = after?;
        count += 1;
    }
    (count > 0).then_some(count)
}

/// For each first letter, by its last five bits, from where to where its words stand in [`WORDS`].
static WORD_RANGES: LazyLock<[(usize, usize); 32]> = LazyLock::new(|| {
    let mut ranges = [(0, 0); 32];
    for (at, word) in WORDS.iter().enumerate() {
        let range = &mut ranges[usize::from(word.as_bytes()[0] & 31)];
        *range = if range.1 == 0 { (at, at + 1) } else { (range.0, at + 1) };
    }
    ranges
});

/// Words that make up names and passwords nobody has to guess; all begin with a small letter.
static WORDS: WordList = WordList::new(include_str!("../../words/secrets/words.txt"));

/// Words with numbers that are names of techniques, not passwords.
static TERMS: WordList = WordList::new(include_str!("../../words/secrets/terms.txt"));

/// How sure the look of a value alone makes one that it is a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// A word, a name, a number, a reference.
    None,
    /// Could be one where the words around say so directly.
    Weak,
    /// Nothing else looks so.
    Strong,
}

/// Judges a value as a password.
pub fn as_password(value: &str) -> Strength {
    if !(PASSWORD_BYTES_MIN..=PASSWORD_BYTES_MAX).contains(&value.len()) {
        return Strength::None;
    }
    let look = Look::at(value);
    // Most words of a text end here.
    if look.digit + look.hard + look.odd == 0 {
        return Strength::None;
    }
    if is_stand_in(value) {
        return if is_guessable(value) { Strength::Weak } else { Strength::None };
    }
    if is_name(value) {
        return Strength::None;
    }
    let letters = look.letters() > 0;
    let inner =
        value.get(1..value.len() - 1).unwrap_or("").bytes().any(|b| {
            is_hard(b) && b != b'/' && b != b':' && b != b',' && b != b'\'' && b != b'"' && b != b'`'
        });
    let mixed = look.lower > 0 && look.upper > 0 && look.digit > 0;
    if look.length >= 7 && letters {
        if look.hard_kinds >= 3 && look.length >= 8 {
            return Strength::Strong;
        }
        if inner && (look.upper > 0 || look.digit > 0) {
            return Strength::Strong;
        }
        if mixed && look.odd > 0 {
            return Strength::Strong;
        }
        if look.soft > 0 && look.odd > 0 && (look.digit > 0 || look.upper > 1) {
            return Strength::Strong;
        }
    }
    let named = look.digit + look.hard == 0 && is_wordy(value);
    if letters && look.length >= 6 && !named {
        return Strength::Weak;
    }
    if look.digit == look.length && look.length >= 6 && look.length <= 12 {
        return Strength::Weak;
    }
    Strength::None
}

/// Judges a value as a key or a token: longer than a password and drawn at random.
pub fn as_key(value: &str) -> Strength {
    if value.len() < 12 || value.len() > 512 {
        return Strength::None;
    }
    let look = Look::at(value);
    if look.digit + look.hard == 0 || is_stand_in(value) || is_name(value) || is_uuid(value) {
        return Strength::None;
    }
    if look.hard_kinds >= 4 && look.letters() > 0 {
        return Strength::Strong;
    }
    let token = value.bytes().all(|b| {
        b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'+' | b'/' | b'=' | b'~' | b':')
    });
    if !token || look.digit == 0 || look.letters() == 0 {
        return if look.hard > 0 && token_like(value) && look.digit > 0 {
            Strength::Weak
        } else {
            Strength::None
        };
    }
    if is_wordy(value) && look.digit < 6 {
        return Strength::None;
    }
    let bits = entropy(value.as_bytes());
    let hex = value.bytes().all(|b| b.is_ascii_hexdigit());
    let cased = look.lower > 0 && look.upper > 0;
    if hex {
        return if value.len() >= 16 && bits >= 2.5 { Strength::Weak } else { Strength::None };
    }
    // Words joined by signs with a number somewhere are names; a drawn key has odd runs.
    if look.odd == 0 && look.soft + look.hard > 0 {
        return Strength::None;
    }
    if value.len() >= 20 && cased && look.odd > 0 && bits >= 3.5 {
        return Strength::Strong;
    }
    if bits >= 3.0 && (look.odd > 0 || look.digit >= 3) { Strength::Weak } else { Strength::None }
}

fn token_like(value: &str) -> bool {
    value.bytes().all(|b| b.is_ascii_graphic())
}

/// A sign that is neither a letter, a digit nor a joiner of words.
fn is_hard(byte: u8) -> bool {
    byte.is_ascii_punctuation() && !matches!(byte, b'-' | b'_' | b'.')
}

/// Whether a value is a name of something known: a path, an address, a version, a date, an identifier, a hash, a technique.
pub fn is_name(value: &str) -> bool {
    let bytes = value.as_bytes();
    if bytes.is_empty()
        || (bytes.len() <= TERM_BYTES_MAX && TERMS.iter().any(|term| value.eq_ignore_ascii_case(term)))
        || is_done_by_a_term(value)
    {
        return true;
    }
    if matches!(bytes[0], b'-' | b'/' | b'.' | b'~' | b'(' | b'[' | b'{' | b'<' | b'\\' | b'|')
        && !bytes.iter().skip(1).any(|b| matches!(b, b'!' | b'#' | b'$' | b'%' | b'^' | b'*'))
    {
        return true;
    }
    if is_number(value)
        || is_email(value)
        || is_path(value)
        || is_uuid(value)
        || is_version_or_date(value)
        || is_constant(value)
    {
        return true;
    }
    // user@host, both plain words.
    if let Some((left, right)) = value.split_once('@') {
        let word = |part: &str| {
            !part.is_empty()
                && part.bytes().all(|b| b.is_ascii_lowercase() || matches!(b, b'-' | b'_' | b'.'))
        };
        if word(left)
            && right
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'.' | b'/'))
        {
            return true;
        }
        if left.is_empty()
            || (left.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'/' | b'.'))
                && is_version_or_date(right))
        {
            return true;
        }
    }
    if !bytes.iter().any(|byte| byte.is_ascii_punctuation() && !matches!(byte, b'-' | b'_' | b'.')) {
        return false;
    }
    // Words with `+`, `=`, `&`, `|`, `,` or `:` between are lists, sums, options.
    let parts: Vec<&str> = value
        .split(['+', '=', '&', '|', ',', ':', ';', '/', '(', ')', '\'', '"', '<', '>', '[', ']', '{', '}'])
        .collect();
    parts.len() > 1
        && !value.ends_with('=')
        && Look::at(value).hard_kinds < 3
        && parts.iter().all(|part| {
            part.bytes().all(|b| {
                b.is_ascii_alphanumeric()
                    || matches!(b, b'-' | b'_' | b'.' | b'*' | b'$' | b'%' | b'#' | b'@' | b'?' | b'!' | b'~')
            }) && Look::at(part).odd == 0
        })
}

/// `base64encoded`, `sha256-hashed`, `bcrypt-hash`: how something is kept, and not what.
fn is_done_by_a_term(value: &str) -> bool {
    static DONE: WordList = WordList::new(include_str!("../../words/secrets/done.txt"));
    let bytes = value.as_bytes();
    if bytes.len() > DONE_BYTES_MAX || !bytes.last().is_some_and(u8::is_ascii_lowercase) {
        return false;
    }
    let term = DONE.iter().find_map(|done| value.strip_suffix(done));
    let term = term.map(|term| term.strip_suffix(['-', '_']).unwrap_or(term));
    term.is_some_and(|term| TERMS.iter().any(|known| term.eq_ignore_ascii_case(known)))
}

fn is_email(value: &str) -> bool {
    let Some((left, right)) = value.rsplit_once('@') else { return false };
    let Some((_, top)) = right.rsplit_once('.') else { return false };
    !left.is_empty()
        && left.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b'+'))
        && right.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b':' | b'/'))
        && top.bytes().take(2).all(|b| b.is_ascii_lowercase())
}

fn is_path(value: &str) -> bool {
    static ENDINGS: WordList = WordList::new(include_str!("../../words/secrets/endings.txt"));
    if !value.as_bytes().contains(&b'.') && !value.as_bytes().contains(&b'/') {
        return false;
    }
    let bare =
        value.trim_end_matches(|c: char| c.is_ascii_digit() || c == ':' || c == ',' || c == '-' || c == '#');
    let lower = bare.to_ascii_lowercase();
    if ENDINGS.iter().any(|ending| lower.ends_with(ending)) {
        return true;
    }
    let parts: Vec<&str> = value.split('/').collect();
    parts.len() > 1
        && parts.iter().filter(|part| !part.is_empty()).all(|part| {
            part.bytes().all(|b| {
                b.is_ascii_alphanumeric()
                    || matches!(b, b'-' | b'_' | b'.' | b'@' | b'*' | b':' | b'#' | b'$' | b'~')
            }) && Look::at(part).odd == 0
                && part.len() < 32
        })
}

/// Eight, four, four, four and twelve hexadecimal digits.
pub fn is_uuid(value: &str) -> bool {
    let mut lengths = value.split('-').map(str::len);
    value.len() == 36
        && [8, 4, 4, 4, 12].iter().all(|&n| lengths.next() == Some(n))
        && value.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
}

fn is_version_or_date(value: &str) -> bool {
    let bare = value.trim_start_matches(['v', 'V', '^', '~', '=', '<', '>']);
    let bytes = bare.as_bytes();
    if !bytes.first().is_some_and(u8::is_ascii_digit) {
        return false;
    }
    let numbers = bare.split(['.', '-', ':', '/', '+', '_', '%', ',']).filter(|part| !part.is_empty());
    let mut total = 0;
    let mut counted = 0;
    for part in numbers {
        total += 1;
        // The letters of a time and of a size: `14T20`, `01Z`, `1920x1080`.
        let number = part.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'T' | b'Z' | b'x'));
        counted += usize::from(number && part.as_bytes()[0].is_ascii_digit());
    }
    (total > 1 && counted + 1 >= total && counted > 1) || (total == 1 && counted == 1 && value != bare)
}

/// `DB_PASSWORD`, `LOGON32_MAX`: the name of a constant or a variable of the environment.
fn is_constant(value: &str) -> bool {
    let named = |part: &str| part.len() > 2 && part.bytes().all(|byte| byte.is_ascii_uppercase());
    value.contains('_')
        && value.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && value.split('_').any(named)
}

/// `0x8031_005C`, `512u32`, `16384`, `30s`, `10px`.
fn is_number(value: &str) -> bool {
    let bytes = value.as_bytes();
    if let [b'0', b'x' | b'X' | b'b' | b'o', digits @ ..] = bytes {
        return digits.len() <= 24
            && digits
                .iter()
                .all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b'_' | b'u' | b'i' | b'L' | b'U'));
    }
    let digits =
        bytes.iter().take_while(|byte| byte.is_ascii_digit() || matches!(byte, b'_' | b'.' | b',')).count();
    let unit = &value[digits..];
    let suffixes = [
        "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64",
        "_u32", "_i32", "_u64", "_usize",
    ];
    digits > 0
        && !unit.is_empty()
        && ((unit.len() <= 2 && unit.bytes().all(|byte| byte.is_ascii_alphabetic()))
            || suffixes.contains(&unit))
}

/// Whether most of a value is words written together, as in the names of types and functions.
fn is_wordy(value: &str) -> bool {
    let in_words: usize =
        value.split(|c: char| !c.is_ascii_lowercase()).map(str::len).filter(|&length| length >= 3).sum();
    value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
        && in_words * 10 >= value.len() * 6
        && !(value.len() >= WORDY_BYTES_MAX && breaks(value.as_bytes()) >= BREAKS_MIN)
}

/// Places where no name breaks: digits in its middle, and humps of a single small letter.
fn breaks(bytes: &[u8]) -> usize {
    bytes
        .windows(3)
        .filter(|three| match three {
            [a, b, c] if b.is_ascii_digit() => a.is_ascii_alphabetic() && c.is_ascii_alphabetic(),
            [a, b, c] if b.is_ascii_lowercase() => {
                (a.is_ascii_uppercase() || a.is_ascii_digit())
                    && (c.is_ascii_uppercase() || c.is_ascii_digit())
            }
            _ => false,
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_names_and_references_are_no_passwords() {
        for value in [
            "required",
            "P@ssw0rd",
            "Password123",
            "hunter",
            "getUserName",
            "PostgreSQL",
            "config.toml",
            "src/auth_v2.rs:45",
            "ops@bastion.internal",
            "2026-02-11",
            "v1.22.3",
            "os.environ[\"DB\"]",
            "${DB_PASS}",
            "{{ secret }}",
            "<your-token>",
            "sha256",
            "DB_PASSWORD",
            "analytics-replica",
            "auth.refresh_token().await?",
            "read-only",
            "user@host",
            "[REDACTED:password]",
            "my-secret-key",
            "xxxxxxxx",
            "changeme",
            "changeme1",
            "change_me",
            "your-changeme123",
            "example-letmein99",
            "test1",
            "$2",
            "12345678",
        ] {
            assert_eq!(as_password(value), Strength::None, "{value}");
        }
    }

    #[test]
    fn mixed_values_are_passwords() {
        for value in [
            "Autumn!qRtz",
            "juniper-7kQd",
            "Lagoon_zT4v",
            "brass-heron#x9Lp",
            "M0nsoon-1pQp",
            "s3aGull$Kd",
            "Cobalt@JqDzQQ",
        ] {
            assert_eq!(as_password(value), Strength::Strong, "{value}");
        }
        assert_eq!(as_password("trombone7"), Strength::Weak);
    }

    #[test]
    fn guessable_passwords_are_passwords_only_where_one_is_due() {
        for value in
            ["Passw0rd!", "S3cr3tPass", "letmein99", "changeme123", "ChangeMe-2024", "admin-qwerty12"]
        {
            assert_eq!(as_password(value), Strength::Weak, "{value}");
            assert!(is_stand_in(value), "{value}");
            assert_eq!(as_key(value), Strength::None, "{value}");
        }
    }

    #[test]
    fn a_disguise_and_a_short_key_count_only_where_one_is_due() {
        for value in ["p4ssw0rd", "S3cr3t", "t3st", "adm1n-p4ss"] {
            assert!(is_disguised(value), "{value}");
        }
        for value in ["password", "secret", "password1", "changeme1", "user2", "secret-2024", "v1beta2"] {
            assert!(!is_disguised(value), "{value}");
        }
        for value in ["12345abcde", "k7b29xq4", "Zx81mQ2p"] {
            assert!(is_short_key(value), "{value}");
            assert!(as_key(value) < Strength::Strong, "{value}");
        }
        for value in ["YOUR_KEY", "test12345", "1234567890", "3f9ac41b", "sha256hash", "aaaa1111", "abcdefgh"]
        {
            assert!(!is_short_key(value), "{value}");
        }
    }

    #[test]
    fn keys_are_long_and_drawn() {
        assert_eq!(as_key("qT7bZ0vLx94KpWm2RfYh6dNc"), Strength::Strong);
        assert_eq!(as_key("3f9ac41be07d5526"), Strength::Weak);
        for value in [
            "prod/db/credentials",
            "my-service-key-2",
            "settings.api.token",
            "0b5d1c2e-9a77-4c1b-8c55-1f2a3b4c5d6e",
            "aaaaaaaaaaaaaaaaaaaaaaaa1",
        ] {
            assert_eq!(as_key(value), Strength::None, "{value}");
        }
    }
}
