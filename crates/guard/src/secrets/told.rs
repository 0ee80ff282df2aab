//! Secrets told by the words around them: "the password is ...", `DB_PASS=...`, "log in with admin / ...".

use std::sync::LazyLock;

use super::blocks::{Span, is_public};
use super::named::{is_hash, line_end, line_start};
use super::value::{self, Strength};
use ken_language::WordList;

use crate::limits::secrets_told::{
    ARGUMENTS_BYTES_MAX, BEFORE_BYTES_MAX, BEHIND_BYTES_MAX, CALL_BYTES_MAX, ENDING_BYTES_MAX,
    ENTRY_ID_DIGITS, KEY_BYTES_MIN, LITERAL_BYTES_MAX, NAME_BYTES_MAX, TAG_BYTES_MAX, USER_BYTES_MAX,
};

/// What a word announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Announces {
    /// Something that a person made up and types.
    Password,
    /// `pass`: the same, but only as a name in code.
    Pass,
    /// `PIN`: a number that opens something.
    Pin,
    /// Something that a machine drew.
    Key,
    /// `key`: the same, where the word before says what kind.
    PlainKey,
    /// `auth`: the same, only as a name in code.
    Auth,
    /// A name and a password together.
    Login,
    /// A clause of SQL or of a configuration that a literal follows.
    Clause,
    /// A function that is given a key: `hmac.new("...")`.
    Call,
}

/// The words, and what they announce.
pub const WORDS: &[(&str, Announces)] = &[
    ("password", Announces::Password),
    ("passwd", Announces::Password),
    ("passphrase", Announces::Password),
    ("passcode", Announces::Password),
    ("pwd", Announces::Password),
    ("passwort", Announces::Password),
    ("kennwort", Announces::Password),
    ("mot de passe", Announces::Password),
    ("contrase\u{f1}a", Announces::Password),
    ("contrasena", Announces::Password),
    ("senha", Announces::Password),
    ("wachtwoord", Announces::Password),
    ("has\u{142}o", Announces::Password),
    ("l\u{f6}senord", Announces::Password),
    ("adgangskode", Announces::Password),
    ("salasana", Announces::Password),
    ("\u{43f}\u{430}\u{440}\u{43e}\u{43b}\u{44c}", Announces::Password),
    ("\u{41f}\u{430}\u{440}\u{43e}\u{43b}\u{44c}", Announces::Password),
    ("\u{5bc6}\u{7801}", Announces::Password),
    ("\u{5bc6}\u{78bc}", Announces::Password),
    ("\u{30d1}\u{30b9}\u{30ef}\u{30fc}\u{30c9}", Announces::Password),
    ("\u{be44}\u{bc00}\u{bc88}\u{d638}", Announces::Password),
    ("pass", Announces::Pass),
    ("pw", Announces::Pass),
    ("pin", Announces::Pin),
    ("secret", Announces::Key),
    ("token", Announces::Key),
    ("credential", Announces::Key),
    ("key", Announces::PlainKey),
    ("auth", Announces::Auth),
    ("log in", Announces::Login),
    ("login", Announces::Login),
    ("log into", Announces::Login),
    ("sign in", Announces::Login),
    ("credentials", Announces::Login),
    ("creds", Announces::Login),
    ("account", Announces::Login),
    ("hmac", Announces::Call),
    ("aes", Announces::Call),
    ("cipher", Announces::Call),
    ("jwt", Announces::Call),
    ("sign", Announces::Call),
    ("crypt", Announces::Call),
    ("fernet", Announces::Call),
    ("keyspec", Announces::Call),
    ("identified by", Announces::Clause),
    ("requirepass", Announces::Clause),
    ("masterauth", Announces::Clause),
];

/// A word in the text, between its neighbours that announce the same.
pub struct Word {
    /// What it announces.
    pub announces: Announces,
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// Where the one before ends.
    pub after: usize,
    /// Where the next begins.
    pub until: usize,
}

/// The value that a word announces, with the rule that found it.
pub fn value_of(text: &str, word: &Word) -> Option<(&'static str, Span)> {
    if word.announces == Announces::Call {
        return argument(text, word).map(|span| ("key-assignment", span));
    }
    if word.announces == Announces::PlainKey && !is_qualified(text, word) {
        return any_key(text, word).map(|span| ("key-assignment", span));
    }
    let name = name_around(text, word)?;
    if word.announces == Announces::Login {
        return login(text, word).or_else(|| argument(text, word)).map(|span| ("login-pair", span));
    }
    if word.announces == Announces::Clause {
        return clause(text, word).map(|span| ("password-clause", span));
    }
    let password = matches!(word.announces, Announces::Password | Announces::Pass);
    if let Some(span) = assigned(text, &name, word.announces).or_else(|| chosen_secret(text, word, &name)) {
        return Some((if password { "password-assignment" } else { "key-assignment" }, span));
    }
    if !password && let Some(span) = argument(text, word) {
        return Some(("key-assignment", span));
    }
    if let Some(span) = compared(text, &name, word.announces) {
        return Some((if password { "password-comparison" } else { "key-comparison" }, span));
    }
    match word.announces {
        Announces::Password => password_behind(text, word, &name)
            .or_else(|| password_before(text, word))
            .map(|span| ("password-in-prose", span)),
        Announces::Key | Announces::PlainKey => {
            key_around(text, word, &name).map(|span| ("key-in-prose", span))
        }
        Announces::Pass => pass_behind(text, word, &name).map(|span| ("password-in-prose", span)),
        Announces::Pin => pin_behind(text, word, &name).map(|span| ("password-in-prose", span)),
        Announces::Auth | Announces::Login | Announces::Clause | Announces::Call => None,
    }
}

/// `secret = "..."` with what a person made up and types: no name of a secret is written with such signs.
fn chosen_secret(text: &str, word: &Word, name: &Name) -> Option<Span> {
    if !text[word.start..word.end].eq_ignore_ascii_case("secret") {
        return None;
    }
    let (start, end) = assigned(text, name, Announces::Password)?;
    let value = text.get(start..end)?;
    let look = value::Look::at(value);
    let is_literal = matches!(text.as_bytes().get(end), Some(b'"' | b'\'' | b'`'));
    let is_mixed = look.lower > 0 && look.upper > 0 && look.digit > 0;
    let is_chosen = is_literal && is_mixed && is_unlike_a_name(value);
    (is_chosen && value::as_password(value) == Strength::Strong).then_some((start, end))
}

/// A drawn value that is assigned to a name which says "key" and nothing of what it opens.
fn any_key(text: &str, word: &Word) -> Option<Span> {
    let bytes = text.as_bytes();
    let left = word.start.checked_sub(1).map_or(b' ', |at| bytes[at]);
    if left.is_ascii_alphabetic() && !bytes[word.start].is_ascii_uppercase() {
        return None;
    }
    let name = named(text, word)?;
    let (start, end) = assigned(text, &name, Announces::PlainKey)?;
    let value = text.get(start..end)?;
    let look = value::Look::at(value);
    let mixed = look.lower >= 4 && look.upper >= 4 && look.digit >= 2 && look.soft + look.hard <= 4;
    (mixed && look.length >= 24 && value::as_key(value) == Strength::Strong).then_some((start, end))
}

/// A drawn literal among the arguments of a call whose name says that it takes a key, a token or a password.
fn argument(text: &str, word: &Word) -> Option<Span> {
    let bytes = text.as_bytes();
    let left = word.start.checked_sub(1).map_or(b' ', |at| bytes[at]);
    if left.is_ascii_lowercase() && bytes[word.start].is_ascii_lowercase() {
        return None;
    }
    let path = run(&bytes[word.end..], CALL_BYTES_MAX, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':')
    });
    let open = word.end + path;
    if bytes.get(open) != Some(&b'(') {
        return None;
    }
    let end = line_end(bytes, open, ARGUMENTS_BYTES_MAX);
    let takes_password = matches!(word.announces, Announces::Login | Announces::Auth)
        || text[word.start..word.end].eq_ignore_ascii_case("credential");
    let mut at = open + 1;
    let mut literals = 0;
    while at < end {
        let quote = bytes[at];
        if !matches!(quote, b'"' | b'\'' | b'`') {
            at += 1;
            continue;
        }
        let start = at + 1;
        let length = run(&bytes[start..end], LITERAL_BYTES_MAX, |byte| byte != quote);
        at = start + length + 1;
        literals += 1;
        let Some(literal) = text.get(start..start + length) else { continue };
        if is_public(literal) || literal.contains(' ') || is_call(bytes, at) || is_hash(text, start, literal)
        {
            continue;
        }
        let is_plain = |byte: u8| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'+' | b'/' | b'=' | b'.' | b'~')
        };
        let strength = match literal.bytes().all(is_plain) {
            true => value::as_key(literal.trim_start_matches('/')),
            false => Strength::None,
        };
        let is_hex = literal.len() >= 32 && literal.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_key =
            literal.len() >= 16 && (strength == Strength::Strong || is_hex && strength >= Strength::Weak);
        let is_password = takes_password && literals > 1 && value::as_password(literal) == Strength::Strong;
        if is_key || is_password {
            return Some((start, start + length));
        }
    }
    None
}

/// "The pass is ...", "user admin, pass ...": the word has other meanings, so what follows must look like nothing else, or stand behind
/// a name.
fn pass_behind(text: &str, word: &Word, name: &Name) -> Option<Span> {
    if name.start != word.start || name.end != word.end {
        return None;
    }
    let end = reach(text, word, name.end);
    let mut chunks = Chunks { text, at: name.end, end };
    let points = chunks.next()?;
    if is_pass_of(points.core, user_before(text, word)) {
        return Some(points.span);
    }
    let value = chunks.next()?;
    if !matches!(points.core, "is" | "was" | "=") {
        return None;
    }
    let is_alone = is_unlike_a_name(value.core) && as_typed(value.core) == Strength::Strong
        // "pw" means nothing else, as "pass" does.
        || text[word.start..word.end].eq_ignore_ascii_case("pw") && value::is_guessable(value.core);
    (is_alone || is_pass_of(value.core, user_before(text, word))).then_some(value.span)
}

/// How a name stands before "pass".
#[derive(Clone, Copy, PartialEq, Eq)]
enum User {
    /// Not at all.
    None,
    /// Without anything between: "the user can pass ..." reads the same.
    Near,
    /// With a sign or an "and" between: "user admin, pass ...", "admin / pass ...".
    Apart,
}

/// Whether a value behind "pass" is the password of the name before it.
fn is_pass_of(value: &str, user: User) -> bool {
    let strength = as_typed(value);
    let is_sure = value::is_guessable(value) || strength == Strength::Strong && is_unlike_a_name(value);
    match user {
        User::None => false,
        User::Near => strength != Strength::None && is_sure,
        User::Apart => {
            is_sure || strength == Strength::Strong || strength == Strength::Weak && is_mixed(value)
        }
    }
}

/// Whether "user" or a word like it, with a name behind, stands before a word, in the same sentence.
fn user_before(text: &str, word: &Word) -> User {
    static USERS: WordList = WordList::new(include_str!("../../words/secrets/users.txt"));
    let is_one = |core: &str| USERS.iter().any(|known| known.eq_ignore_ascii_case(core));
    let start = reach_back(text, word, USER_BYTES_MAX);
    let mut apart = false;
    let mut names = 0;
    for chunk in (Chunks { text, at: start, end: word.start }).rev().take(6) {
        if names > 0 && is_one(chunk.core) {
            return if apart { User::Apart } else { User::Near };
        }
        if chunk.whole.ends_with(['.', ';', '?']) {
            return User::None;
        }
        apart |= names == 0
            && (chunk.whole.ends_with([',', '/', '|', '&']) || matches!(chunk.core, "and" | "with"));
        let is_filler =
            matches!(chunk.core, "and" | "with" | "is" | "the" | "its" | "his" | "her" | "my" | "a");
        names += usize::from(is_user(chunk.core) && !is_filler);
    }
    User::None
}

/// What a number that opens something is the number of.
static LOCKED: WordList = WordList::new(include_str!("../../words/secrets/locked.txt"));

/// "PIN of the vault: 123456".
fn pin_behind(text: &str, word: &Word, name: &Name) -> Option<Span> {
    if name.start != word.start || name.end != word.end {
        return None;
    }
    let end = reach(text, word, name.end);
    let start = reach_back(text, word, 40);
    // To pin something is a verb.
    let follows = (Chunks { text, at: name.end, end }).next().map_or("", |chunk| chunk.core);
    let is_noun = text[word.start..word.end].bytes().all(|byte| byte.is_ascii_uppercase())
        || text[name.end..].starts_with(':')
        || matches!(follows, "of" | "for" | "is" | "was" | "code" | "number");
    if !is_noun {
        return None;
    }
    let is_locked = |core: &str| LOCKED.iter().any(|known| known.eq_ignore_ascii_case(core));
    let mut locked = (Chunks { text, at: start, end: word.start }).any(|chunk| is_locked(chunk.core));
    let mut pointed = text[name.end..].starts_with(':');
    for chunk in (Chunks { text, at: name.end, end }).take(8) {
        let is_number =
            (4..=10).contains(&chunk.core.len()) && chunk.core.bytes().all(|byte| byte.is_ascii_digit());
        if is_number {
            return (pointed && locked && !value::is_stand_in(chunk.core)).then_some(chunk.span);
        }
        locked |= is_locked(chunk.core);
        pointed = chunk.whole.ends_with([':', '=']) || matches!(chunk.core, "is" | "was");
        if chunk.whole.ends_with(['.', ';']) {
            return None;
        }
    }
    None
}

/// The name in code of which a word is part: `spring.datasource.password`, `dbPassword`, `--api-key`.
struct Name {
    start: usize,
    end: usize,
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// The name around a word, unless the word is only part of another or the name says that its value is no secret.
fn name_around(text: &str, word: &Word) -> Option<Name> {
    let bytes = text.as_bytes();
    let first = bytes.get(word.start).copied().unwrap_or(b' ');
    let left = word.start.checked_sub(1).map_or(b' ', |at| bytes[at]);
    let right = bytes.get(word.end).copied().unwrap_or(b' ');
    // A hump of camel case begins with a capital; a name in capitals has no humps.
    let joined_left =
        left.is_ascii_alphabetic() && !(left.is_ascii_lowercase() && first.is_ascii_uppercase());
    let plural =
        right.eq_ignore_ascii_case(&b's') && !bytes.get(word.end + 1).is_some_and(u8::is_ascii_alphabetic);
    let hump = right.is_ascii_uppercase() && bytes[word.end - 1].is_ascii_lowercase();
    let joined_right = right.is_ascii_alphabetic() && !plural && !hump;
    let short = word.end - word.start <= 4;
    let glued = match word.announces {
        Announces::PlainKey => !is_qualified(text, word),
        Announces::Pass | Announces::Auth | Announces::Pin => joined_left,
        Announces::Password | Announces::Key => joined_left && short,
        Announces::Login | Announces::Clause | Announces::Call => joined_left,
    };
    // `secrete`, `tokenizer`: one letter more is a slip or a trick, more is another word.
    let other = joined_right && (short || bytes[word.end..].iter().take(3).all(u8::is_ascii_lowercase));
    if glued || (other && word.announces != Announces::Login) {
        return None;
    }
    named(text, word)
}

/// The name around a word, unless some part of it says that its value is no secret.
fn named(text: &str, word: &Word) -> Option<Name> {
    let bytes = text.as_bytes();
    let before = bytes[..word.start]
        .iter()
        .rev()
        .take(64)
        .take_while(|byte| is_name_byte(**byte) || **byte == b'.')
        .count();
    let behind = bytes[word.end..].iter().take(64).take_while(|byte| is_name_byte(**byte)).count();
    let start = word.start - before;
    let end = word.end + behind;
    let denied = segments(&text[word.end..end]).any(|part| is_one_of(part, &NOT_A_VALUE, &VALUE_LENGTHS))
        || segments(&text[start..word.start]).any(|part| is_one_of(part, &NOT_A_SECRET, &SECRET_LENGTHS));
    (!denied).then_some(Name { start, end })
}

fn is_one_of(part: &str, words: &[&str], lengths: &[u32; 32]) -> bool {
    let first = part.bytes().next().unwrap_or(0);
    lengths[usize::from(first & 31)] >> part.len().min(31) & 1 == 1
        && words.iter().any(|word| part.eq_ignore_ascii_case(word))
}

/// For each first letter, by its last five bits, a bit for each length that a word has: most names end here.
fn lengths(words: &[&str]) -> [u32; 32] {
    let mut lengths = [0; 32];
    for word in words {
        lengths[usize::from(word.as_bytes()[0] & 31)] |= 1 << word.len();
    }
    lengths
}

static VALUE_LENGTHS: LazyLock<[u32; 32]> = LazyLock::new(|| lengths(&NOT_A_VALUE));
static SECRET_LENGTHS: LazyLock<[u32; 32]> = LazyLock::new(|| lengths(&NOT_A_SECRET));

/// The parts of a name.
fn segments(name: &str) -> impl Iterator<Item = &str> + '_ {
    let mut rest = name;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
        if rest.is_empty() {
            return None;
        }
        let bytes = rest.as_bytes();
        let mut length = 1;
        while length < bytes.len()
            && bytes[length].is_ascii_alphanumeric()
            && !(bytes[length].is_ascii_uppercase() && bytes[length - 1].is_ascii_lowercase())
        {
            length += 1;
        }
        let part = &rest[..length];
        rest = &rest[length..];
        Some(part)
    })
}

/// What behind "password" or "token" in a name makes it a name of something else.
static NOT_A_VALUE: WordList = WordList::new(include_str!("../../words/secrets/not_a_value.txt"));

/// What before it does.
static NOT_A_SECRET: WordList = WordList::new(include_str!("../../words/secrets/not_a_secret.txt"));

/// Whether the word before "key" says that it opens something.
fn is_qualified(text: &str, word: &Word) -> bool {
    let bytes = text.as_bytes();
    let mut at = word.start;
    let gap =
        bytes[..at].iter().rev().take(1).take_while(|byte| matches!(byte, b' ' | b'_' | b'-' | b'.')).count();
    at -= gap;
    let length = bytes[..at].iter().rev().take(24).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let before = &bytes[at - length..at];
    let ends = |kind: &str| {
        before.len() >= kind.len()
            && before[before.len() - kind.len()..].eq_ignore_ascii_case(kind.as_bytes())
    };
    // Written together it must be a hump of camel case, or one of the two that everybody writes so.
    let apart = gap == 1 || bytes[word.start].is_ascii_uppercase();
    if apart {
        KEY_KINDS.iter().any(|kind| ends(kind))
    } else {
        ends("api") || ends("access") || ends("secret")
    }
}

static KEY_KINDS: WordList = WordList::new(include_str!("../../words/secrets/key_kinds.txt"));

/// A literal or a word behind the name and a sign that assigns: `=`, `:`, `:=`, `=>`, or a quote alone.
fn assigned(text: &str, name: &Name, announces: Announces) -> Option<Span> {
    let bytes = text.as_bytes();
    let mut at = name.end;
    let skip = |at: usize, most: usize, set: &[u8]| {
        at + bytes[at..].iter().take(most).take_while(|byte| set.contains(byte)).count()
    };
    // What closes the name: `"password":`, `env['PASSWORD'] =`, `<password>`, `password[] =`.
    let closed = skip(at, 4, b"\"'`])>*\\");
    let mut closed_by_tag = closed > at && bytes[closed - 1] == b'>';
    at = skip(closed, 8, b" \t");
    // `<token type="bearer">...`.
    let opens_tag = name.start > 0 && bytes[name.start - 1] == b'<';
    if opens_tag && !closed_by_tag && at > name.end {
        let inside = run(&bytes[at..], TAG_BYTES_MAX, |byte| !matches!(byte, b'>' | b'<' | b'\n'));
        if bytes.get(at + inside) == Some(&b'>') && !bytes[at..at + inside].ends_with(b"/") {
            at += inside + 1;
            closed_by_tag = true;
        }
    }
    if closed_by_tag {
        at += bytes[at..].iter().take(40).take_while(|byte| byte.is_ascii_whitespace()).count();
    }
    // `<add key="Password" value="..."/>`, and a list of the environment where the value is on its own line.
    let spread = at + bytes[at..].iter().take(40).take_while(|byte| byte.is_ascii_whitespace()).count();
    if text[spread..].starts_with("value=") || text[spread..].starts_with("value:") {
        at = spread + 5;
    }
    let sign_start = at;
    at = skip(at, 4, b":=>?|");
    if text[sign_start..].starts_with("->") {
        at = sign_start + 2;
    }
    let sign = &text[sign_start..at];
    let mut spaced = sign_start > closed;
    let mut direct = false;
    let is_flag = bytes[name.start] == b'-' && closed == name.end && spaced;
    if sign.is_empty() {
        if is_flag {
            // `--api-key ...`.
        } else if closed_by_tag {
            // The text of an element.
        } else if text[at..].starts_with(".assign(") {
            at += 8;
        } else if (spaced || bytes.get(at) == Some(&b'(') || bytes.get(at) == Some(&b','))
            && closed <= name.end + 2
            // To pass something is a verb.
            && announces != Announces::Pass
        {
            // Only a literal may follow without a sign.
            at = skip(at, 3, b"(, ");
            direct = true;
        } else {
            return None;
        }
    } else if sign.starts_with('|')
        || sign == "?"
        || sign == ">"
        || (sign.starts_with("::") && !sign.ends_with('='))
    {
        return None;
    }
    at = skip(at, 8, b" \t*");
    spaced |= at > sign_start + sign.len();
    // `password: String = "..."`, `value: "..."` on the next line of a list of the environment.
    let typed = bytes[at..]
        .iter()
        .take(24)
        .take_while(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'&' | b'\'' | b'_' | b'<' | b'>' | b':')
        })
        .count();
    if sign == ":" && typed > 0 {
        let behind = skip(at + typed, 2, b" ");
        if bytes.get(behind) == Some(&b'=') && bytes.get(behind + 1) != Some(&b'=') && behind > at + typed {
            at = skip(behind + 1, 4, b" ");
        }
    }
    // A type before the value, and a value on the line below: `!!binary ...`, `|`.
    if sign == ":" && text[at..].starts_with("!!") {
        at += bytes[at..].iter().take(16).take_while(|byte| byte.is_ascii_graphic()).count();
        at = skip(at, 2, b" ");
    } else if sign == ":" && matches!(bytes.get(at), Some(b'|' | b'>')) {
        let below = skip(at, 2, b"|>-+");
        if bytes.get(below) == Some(&b'\n') {
            at = below + bytes[below..].iter().take(24).take_while(|byte| byte.is_ascii_whitespace()).count();
        }
    }
    at = skip(at, 1, b"\\");
    let quote = bytes.get(at).copied().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
    match quote {
        Some(quote) => {
            let start = at + 1;
            let length = run(&bytes[start..], LITERAL_BYTES_MAX, |byte| byte != quote && byte != b'\n');
            if length == LITERAL_BYTES_MAX {
                return None;
            }
            let mut end = start + length;
            if end > start && bytes[end - 1] == b'\\' {
                end -= 1;
            }
            let literal = text.get(start..end)?;
            (!is_call(bytes, end + 1) && accepts(announces, literal, Place::Literal)).then_some((start, end))
        }
        None if direct => None,
        None => {
            let length = run(&bytes[at..], LITERAL_BYTES_MAX, |byte| {
                byte.is_ascii_graphic()
                    && !matches!(byte, b'"' | b'\'' | b'`' | b'&' | b'\\')
                    && !(closed_by_tag && byte == b'<')
            });
            if length == LITERAL_BYTES_MAX {
                return None;
            }
            let (start, end) = trimmed(text, at, at + length);
            let literal = text.get(start..end)?;
            let place = if is_flag || sign.contains('=') && !spaced { Place::Bare } else { Place::Loose };
            (!is_expression(literal) && accepts(announces, literal, place) && !is_hash(text, start, literal))
                .then_some((start, end))
        }
    }
}

/// Code rather than a value: a call, a macro, a type with parameters.
fn is_expression(literal: &str) -> bool {
    let name = literal
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':'))
        .count();
    let rest = &literal[name..];
    name > 0
        && (rest.starts_with(['(', '<'])
            || rest.starts_with("!(")
            || rest.starts_with("![")
            || rest.starts_with("!{"))
}

/// `"%s" % name`, `"..." + name`: a literal that is only part of the value.
fn is_call(bytes: &[u8], at: usize) -> bool {
    let rest = bytes.get(at..).unwrap_or(&[]);
    let rest = &rest[rest.iter().take(2).take_while(|byte| **byte == b' ').count()..];
    matches!(rest.first(), Some(b'%' | b'+')) || rest.starts_with(b".format")
}

/// `"..." == password`.
fn compared(text: &str, name: &Name, announces: Announces) -> Option<Span> {
    let bytes = text.as_bytes();
    let back = |at: usize, most: usize, set: &[u8]| {
        at - bytes[..at].iter().rev().take(most).take_while(|byte| set.contains(byte)).count()
    };
    let behind_sign = back(name.start, 4, b" (");
    let sign = back(behind_sign, 3, b"=!");
    if behind_sign - sign < 2 {
        return None;
    }
    let close = back(sign, 4, b" ");
    let quote = bytes[..close].last().copied().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'))?;
    let end = close - 1;
    let length = bytes[..end]
        .iter()
        .rev()
        .take(LITERAL_BYTES_MAX)
        .take_while(|byte| **byte != quote && **byte != b'\n')
        .count();
    let start = end - length;
    if start == 0 || bytes[start - 1] != quote {
        return None;
    }
    accepts(announces, text.get(start..end)?, Place::Literal).then_some((start, end))
}

/// Where in code a value stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Between quotes.
    Literal,
    /// Directly behind an equals sign.
    Bare,
    /// Behind a sign and a blank, as also in prose.
    Loose,
}

fn accepts(announces: Announces, literal: &str, place: Place) -> bool {
    // Slack's tokens are known by their shape; what only begins like one is a stand-in.
    if is_public(literal) || literal.starts_with("xox") || literal.starts_with([')', ',', ';', ']', '}']) {
        return false;
    }
    match announces {
        Announces::Password | Announces::Pass => {
            if literal.contains([' ', '\t']) {
                return false;
            }
            if place == Place::Literal && is_garbled(literal) {
                return true;
            }
            if place == Place::Loose && literal.bytes().all(|byte| byte.is_ascii_digit()) {
                return false;
            }
            if announces == Announces::Pass && place == Place::Loose && is_test(literal) {
                return false;
            }
            let is_sum = place != Place::Loose && is_joined(literal);
            is_sum
                || value::as_password(literal) >= Strength::Weak
                || value::as_key(literal) >= Strength::Weak
        }
        Announces::Key | Announces::PlainKey => {
            (place == Place::Literal && is_garbled(literal))
                || (place != Place::Loose && value::is_short_key(literal))
                || (!literal.contains(' ') && value::as_key(literal) >= Strength::Weak)
        }
        Announces::Auth => literal.len() >= 24 && value::as_key(literal) == Strength::Strong,
        Announces::Pin | Announces::Login | Announces::Clause | Announces::Call => false,
    }
}

/// Words with a plus sign between, a capital and a number: a sum anywhere but behind "password".
fn is_joined(literal: &str) -> bool {
    let look = value::Look::at(literal);
    literal.contains('+')
        && literal.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+')
        && look.length >= 10
        && look.lower > 0
        && look.upper > 0
        && look.digit > 1
        && !value::is_stand_in(literal)
}

/// A literal of many different signs with something to read between.
fn is_garbled(literal: &str) -> bool {
    let look = value::Look::at(literal);
    (8..=64).contains(&look.length)
        && look.letters() + look.digit > 0
        && look.hard_kinds >= 5
        && !literal.contains(' ')
        && !value::is_stand_in(literal)
}

/// Words that point at what follows.
fn points(word: &str) -> bool {
    const LONGEST: usize = 7;
    if word.len() > LONGEST {
        return false;
    }
    [
        "is", "was", "are", "be", "as", "to", "with", "=", ":", "use", "used", "using", "me", "it's", "be",
        "ist", "lautet", "war", "est", "es", "\u{e9}", "\u{e8}", "jest", "\u{e4}r", "er", "on", "\u{2014}",
        "-", "->", "\u{2192}", "\u{2013}", "now", "still", "by", "called", "becomes", "enter", "try", "type",
        "via",
    ]
    .iter()
    .any(|known| word.eq_ignore_ascii_case(known))
}

/// Words of a text between blanks, with what hangs on them taken off.
struct Chunks<'a> {
    text: &'a str,
    at: usize,
    end: usize,
}

struct Chunk<'a> {
    /// As it stands between blanks.
    whole: &'a str,
    /// Without quotes, brackets and the sentence's signs.
    core: &'a str,
    span: Span,
    quoted: bool,
}

impl<'a> Iterator for Chunks<'a> {
    type Item = Chunk<'a>;

    fn next(&mut self) -> Option<Chunk<'a>> {
        let bytes = self.text.as_bytes();
        // Only what can be typed into a field anywhere is part of a value; other scripts separate.
        while self.at < self.end && !bytes[self.at].is_ascii_graphic() {
            self.at += 1;
        }
        if self.at >= self.end {
            return None;
        }
        let start = self.at;
        self.at += run(&bytes[start..self.end], usize::MAX, |byte| byte.is_ascii_graphic());
        Some(Chunk::new(self.text, start, self.at))
    }
}

impl DoubleEndedIterator for Chunks<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let bytes = self.text.as_bytes();
        while self.at < self.end && !bytes[self.end - 1].is_ascii_graphic() {
            self.end -= 1;
        }
        if self.at >= self.end {
            return None;
        }
        let end = self.end;
        while self.at < self.end && bytes[self.end - 1].is_ascii_graphic() {
            self.end -= 1;
        }
        Some(Chunk::new(self.text, self.end, end))
    }
}

impl<'a> Chunk<'a> {
    fn new(text: &'a str, start: usize, end: usize) -> Chunk<'a> {
        let bytes = text.as_bytes();
        let (core_start, core_end) = trimmed(text, start, end);
        let quoted = matches!(bytes[start], b'"' | b'\'' | b'`')
            || (core_start > 0 && matches!(bytes[core_start - 1], b'"' | b'\'' | b'`'));
        let (whole, core) = (&text[start..end], &text[core_start..core_end]);
        Chunk { whole, core, span: (core_start, core_end), quoted }
    }
}

/// How many of the first `most` bytes are in a set. Long runs are what a text made to be slow has, so it goes by blocks.
fn run(bytes: &[u8], most: usize, is_in: impl Fn(u8) -> bool) -> usize {
    const BLOCK: usize = 16;
    let bytes = &bytes[..bytes.len().min(most)];
    let is_whole = |block: &&[u8]| block.iter().fold(true, |all, byte| all & is_in(*byte));
    let from = bytes.chunks_exact(BLOCK).take_while(is_whole).count() * BLOCK;
    from + bytes[from..].iter().take_while(|byte| is_in(**byte)).count()
}

/// A word without the quotes, brackets and signs around it.
fn trimmed(text: &str, mut start: usize, mut end: usize) -> Span {
    let bytes = text.as_bytes();
    while start < end
        && matches!(
            bytes[start],
            b'"' | b'\'' | b'`' | b'(' | b'[' | b'{' | b'<' | b',' | b';' | b':' | b'=' | b'*' | b'|'
        )
    {
        start += 1;
    }
    while start < end
        && matches!(
            bytes[end - 1],
            b'"' | b'\'' | b'`' | b')' | b']' | b'}' | b'>' | b',' | b';' | b':' | b'.' | b'*' | b'\\' | b'|'
        )
    {
        end -= 1;
    }
    (start, end)
}

/// The end of what belongs to a word: of the line, of what may be far, or the next word like it.
fn reach(text: &str, word: &Word, from: usize) -> usize {
    let most = BEHIND_BYTES_MAX.min(word.until.saturating_sub(from));
    let mut end = line_end(text.as_bytes(), from, most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    // A value may have such a word inside; it is looked at whole.
    if end == word.until || (end > from && text.as_bytes()[end - 1].is_ascii_graphic()) {
        end += run(&text.as_bytes()[end..], BEHIND_BYTES_MAX, |byte| byte.is_ascii_graphic());
    }
    end
}

/// The same towards the beginning of the text.
fn reach_back(text: &str, word: &Word, most: usize) -> usize {
    let bytes = text.as_bytes();
    let back = most.min(word.start.saturating_sub(word.after));
    let mut start = line_start(bytes, word.start, back);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    if bytes.get(start).is_some_and(u8::is_ascii_graphic) {
        start -= bytes[..start].iter().rev().take(most).take_while(|byte| byte.is_ascii_graphic()).count();
    }
    start.min(word.start)
}

fn password_behind(text: &str, word: &Word, name: &Name) -> Option<Span> {
    let end = reach(text, word, name.end);
    let mut previous = "";
    let mut pointed = text[name.end..end].trim_start_matches(['"', '\'', '`', '*']).starts_with([':', '=']);
    let mut sentence = 0;
    let mut since = 0;
    let at = behind_place(text, name.end).min(end);
    for (index, chunk) in (Chunks { text, at, end }).enumerate().take(16) {
        let direct = index == 0 && chunk.span.0 > name.end;
        let strength = as_typed(chunk.core);
        let pointed_now = strength != Strength::None && (pointed || points(previous));
        let guessable = strength == Strength::Weak && value::is_guessable(chunk.core);
        let near = sentence == 0 || (pointed_now && since <= 6);
        let taken = match strength {
            Strength::Strong => {
                near && (pointed_now
                    || chunk.quoted
                    || direct
                    || index == 1
                    || (sentence == 0 && is_unlike_a_name(chunk.core)))
            }
            Strength::Weak => {
                sentence == 0
                    && ((direct && (is_mixed(chunk.core) || is_phrase(chunk.core) || guessable))
                        || (pointed_now && points_firmly(previous, pointed))
                        // "Passwords such as `letmein99`" gives none.
                        || (chunk.quoted && (direct || (pointed_now && !guessable))))
            }
            Strength::None => false,
        };
        if taken && !is_hash(text, chunk.span.0, chunk.core) {
            return Some(chunk.span);
        }
        if !chunk.core.is_empty() {
            previous = chunk.core;
        }
        pointed = chunk.whole.ends_with([':', '=']);
        since += 1;
        if chunk.whole.ends_with(['.', '?', ';']) {
            sentence += 1;
            since = 0;
        }
        if sentence > 1 {
            return None;
        }
    }
    passphrase_of_words(text, name.end, end)
}

/// Where a text goes on behind a name. `message/password.rs#EXPECTED` is a place in code: what hangs on the name belongs to it.
fn behind_place(text: &str, end: usize) -> usize {
    let bytes = &text.as_bytes()[end..];
    let Some(ending) = bytes.strip_prefix(b".") else { return end };
    let letters = run(ending, ENDING_BYTES_MAX, |byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    match letters > 0 && ending.get(letters) == Some(&b'#') {
        true => end + run(bytes, usize::MAX, |byte| byte.is_ascii_graphic()),
        false => end,
    }
}

/// Judges a word of a sentence: brackets, commas and quotes inside are code.
fn as_typed(word: &str) -> Strength {
    if !(value::PASSWORD_BYTES_MIN..=value::PASSWORD_BYTES_MAX).contains(&word.len()) {
        return Strength::None;
    }
    let code = word.bytes().any(|byte| {
        matches!(
            byte,
            b'(' | b')'
                | b'['
                | b']'
                | b'{'
                | b'}'
                | b'<'
                | b'>'
                | b'"'
                | b'\''
                | b'`'
                | b';'
                | b','
                | b'\\'
                | b'|'
        )
    });
    if code || is_public(word) || is_bound(word) { Strength::None } else { value::as_password(word) }
}

/// `minimum12`: a number with the word for what it bounds.
fn is_bound(word: &str) -> bool {
    const BOUNDS: &[&str] = &["atleast", "length", "least", "max", "maximum", "min", "minimum", "most"];
    let name = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
    name.len() < word.len() && BOUNDS.iter().any(|bound| name.eq_ignore_ascii_case(bound))
}

/// `test_login1`: what passes is named so.
fn is_test(word: &str) -> bool {
    word.starts_with("test_")
        && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Four words or more and a number, joined by hyphens.
fn is_phrase(word: &str) -> bool {
    let parts = || word.split('-');
    let is_word = |part: &str| part.len() >= 3 && part.bytes().all(|byte| byte.is_ascii_alphabetic());
    parts().filter(|part| is_word(part)).count() >= 4
        && parts().any(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A capital, small letters and a number of more than one digit.
fn is_mixed(word: &str) -> bool {
    let look = value::Look::at(word);
    look.upper > 0 && look.lower > 0 && look.digit > 1 && look.length >= 8
}

/// Whether what points leaves no doubt, so that a word with a number is enough.
fn points_firmly(previous: &str, by_sign: bool) -> bool {
    by_sign
        || ["is", "was", "=", "ist", "lautet", "est", "es", "jest", "\u{e4}r", "now", "to"]
            .iter()
            .any(|known| previous.eq_ignore_ascii_case(known))
}

/// Signs between letters, with capitals or digits: no name of anything is written so.
fn is_unlike_a_name(value: &str) -> bool {
    let look = value::Look::at(value);
    look.length <= 40
        && value.bytes().skip(1).any(|byte| matches!(byte, b'!' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*'))
        && look.lower > 0
        && (look.upper > 0 || look.digit > 0)
        && !value.contains(['(', ')', '/', '{', '}', '<', '>', '[', ']', '|', '\\', ',', ';', '"', '\'', '`'])
}

/// `passphrase is "four plain words here"`.
fn passphrase_of_words(text: &str, from: usize, end: usize) -> Option<Span> {
    let rest = &text[from..end];
    let open = rest.find(['"', '`'])?;
    let lead = rest[..open].trim().trim_end_matches(':');
    if !matches!(lead, "" | "is" | "was" | "=" | "ist" | "est" | "es") {
        return None;
    }
    let quote = rest.as_bytes()[open];
    let inner = &rest[open + 1..];
    let close = inner.bytes().position(|byte| byte == quote)?;
    let words: Vec<&str> = inner[..close].split([' ', '-']).collect();
    let plain = (4..=8).contains(&words.len())
        && words
            .iter()
            .all(|word| (3..=10).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase()))
        && !words.iter().any(|word| SENTENCE_WORDS.contains(word));
    plain.then_some((from + open + 1, from + open + 1 + close))
}

/// Words of sentences about passwords, which drawn passphrases seldom have.
static SENTENCE_WORDS: WordList = WordList::new(include_str!("../../words/secrets/sentence_words.txt"));

/// "... as the password", "... is the root password".
fn password_before(text: &str, word: &Word) -> Option<Span> {
    let start = reach_back(text, word, 72);
    let mut linked = false;
    // "Letmein99 is a weak password" gives none, "letmein99 is the root password" does.
    let mut is_any = false;
    for (index, chunk) in (Chunks { text, at: start, end: word.start }).rev().enumerate().take(6) {
        let links = ["as", "is", "was", "for", "=", "als", "ist"]
            .iter()
            .any(|known| chunk.core.eq_ignore_ascii_case(known));
        if linked {
            let strength = as_typed(chunk.core);
            let taken = match strength {
                Strength::Strong => true,
                Strength::Weak if value::is_guessable(chunk.core) => !is_any,
                Strength::Weak => chunk.quoted,
                Strength::None => false,
            };
            return (taken && !is_hash(text, chunk.span.0, chunk.core)).then_some(chunk.span);
        }
        if chunk.whole.ends_with(['.', ';', ',', ':']) && index > 0 {
            return None;
        }
        is_any |= ["a", "an", "any", "no", "not"].iter().any(|known| chunk.core.eq_ignore_ascii_case(known));
        linked = links;
    }
    None
}

fn key_around(text: &str, word: &Word, name: &Name) -> Option<Span> {
    let end = reach(text, word, name.end);
    let mut previous = "";
    let mut pointed = false;
    let ahead = if may_hold_key(text, name.end, end) { 24 } else { 0 };
    for (index, chunk) in (Chunks { text, at: name.end, end }).enumerate().take(ahead) {
        let is_firm = || pointed || points(previous) || index == 0 || chunk.quoted;
        if chunk.core.len() >= KEY_BYTES_MIN && is_told_key(text, &chunk, is_firm()) {
            return Some(chunk.span);
        }
        if let Some(span) = literal_within(text, &chunk) {
            return Some(span);
        }
        if !chunk.core.is_empty() {
            previous = chunk.core;
        }
        pointed = chunk.whole.ends_with([':', '=']);
    }
    let start = reach_back(text, word, BEFORE_BYTES_MAX);
    if !may_hold_key(text, start, name.start) {
        return None;
    }
    let mut linked = false;
    for chunk in (Chunks { text, at: start, end: name.start.max(start) }).rev() {
        linked |=
            ["as", "is", "for", "was", "with"].iter().any(|known| chunk.core.eq_ignore_ascii_case(known));
        if is_told_key(text, &chunk, linked || chunk.quoted) {
            return Some(chunk.span);
        }
        if let Some(span) = literal_within(text, &chunk) {
            return Some(span);
        }
    }
    None
}

/// The drawn letters between the quotes or tags of a word of code: `Api("...")`, `<value>...</value>`.
fn literal_within(text: &str, chunk: &Chunk) -> Option<Span> {
    let (start, end) = chunk.span;
    if chunk.core.len() < KEY_BYTES_MIN || !chunk.core.contains(['"', '\'', '`', '>']) {
        return None;
    }
    let bytes = text.as_bytes();
    let is_in = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'+' | b'/' | b'=');
    let mut at = start;
    while at < end {
        let length = run(&bytes[at..end], usize::MAX, is_in);
        let opened = at > start && matches!(bytes[at - 1], b'"' | b'\'' | b'`' | b'>');
        if opened && length >= KEY_BYTES_MIN {
            let body = &text[at..at + length];
            if value::as_key(body) == Strength::Strong
                && !is_public(body)
                && !is_hash(text, at, body)
                && !is_called_an_id(text, at)
            {
                return Some((at, at + length));
            }
        }
        at += length.max(1);
    }
    None
}

/// Whether some word of a stretch is as long as a key. Looks at one byte in many.
fn may_hold_key(text: &str, mut at: usize, end: usize) -> bool {
    while at + KEY_BYTES_MIN <= end {
        let word = &text.as_bytes()[at..at + KEY_BYTES_MIN];
        match word.iter().rposition(|byte| !byte.is_ascii_graphic()) {
            Some(blank) => at += blank + 1,
            None => return true,
        }
    }
    false
}

/// Whether a word near "token" is one: drawn from both cases and digits, or drawn and pointed at.
fn is_told_key(text: &str, chunk: &Chunk, firm: bool) -> bool {
    let core = chunk.core;
    if core.len() < KEY_BYTES_MIN
        || is_public(core)
        || core.starts_with("xox")
        || core.contains(['/', ':', '=']) && core.contains('.')
        || is_entry_id(core)
    {
        return false;
    }
    let strength = value::as_key(core);
    let plain = core
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'+' | b'/' | b'=' | b'.'));
    let enough = match strength {
        Strength::Strong => true,
        Strength::Weak => firm && core.len() >= 24,
        Strength::None => false,
    };
    enough && plain && !is_hash(text, chunk.span.0, core) && !is_called_an_id(text, chunk.span.0)
}

/// `lesson.d08f9b65e301dfad`: the id of an entry.
fn is_entry_id(word: &str) -> bool {
    let Some((kind, digits)) = word.split_once('.') else { return false };
    !kind.is_empty()
        && kind.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        && digits.len() == ENTRY_ID_DIGITS
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit() && !byte.is_ascii_uppercase())
}

/// Whether a value has a name of its own, other than the word near it, which says that it is an id or the print of something:
/// `"tokens": 71, "parts": "084317f9..."`, `call_id="..."`.
fn is_called_an_id(text: &str, start: usize) -> bool {
    static IDS: WordList = WordList::new(include_str!("../../words/secrets/ids.txt"));
    static OPENING: WordList = WordList::new(include_str!("../../words/secrets/opening.txt"));
    let bytes = text.as_bytes();
    let back = |at: usize, most: usize, set: &[u8]| {
        at - bytes[..at].iter().rev().take(most).take_while(|byte| set.contains(byte)).count()
    };
    let sign = back(back(start, 4, b"\"'`\\"), 4, b" ");
    if sign == 0 || !matches!(bytes[sign - 1], b':' | b'=') {
        return false;
    }
    let closed = back(sign - 1, 2, b" ");
    let end = back(closed, 4, b"\"'`\\");
    // "The key has two parts: ..." is a sentence.
    if end == closed && bytes[sign - 1] == b':' {
        return false;
    }
    let length =
        bytes[..end].iter().rev().take(NAME_BYTES_MAX).take_while(|byte| is_name_byte(**byte)).count();
    let name = &text[end - length..end];
    let is_one = |part: &str, words: &[&str]| words.iter().any(|word| part.eq_ignore_ascii_case(word));
    segments(name).last().is_some_and(|last| is_one(last, &IDS))
        && !segments(name).any(|part| is_one(part, &OPENING))
}

/// A name and a password with a stroke or a colon between.
fn login(text: &str, word: &Word) -> Option<Span> {
    let end = reach(text, word, word.end);
    let chunks: Vec<Chunk> = Chunks { text, at: word.end, end }.take(20).collect();
    for (index, chunk) in chunks.iter().enumerate() {
        let separate = chunk.whole == "/" || chunk.whole == "|" || chunk.whole == ":" || chunk.whole == "//";
        if separate && index > 0 {
            let user = chunks[index - 1].core;
            let Some(next) = chunks.get(index + 1) else { continue };
            let strength = as_typed(next.core);
            let mixed = user.bytes().all(|byte| !byte.is_ascii_uppercase()) && is_mixed(next.core);
            let mixed = mixed || value::is_guessable(next.core);
            if is_user(user)
                && (strength == Strength::Strong || (strength == Strength::Weak && (next.quoted || mixed)))
            {
                return Some(next.span);
            }
        }
        // In one word: admin/..., admin:...
        if let Some(at) = chunk.core.find(['/', ':']) {
            let (user, password) = (&chunk.core[..at], &chunk.core[at + 1..]);
            if is_user(user)
                && !password.contains(['/', ':'])
                && (value::is_guessable(password)
                    || (value::as_password(password) == Strength::Strong && is_unlike_a_path(password)))
            {
                return Some((chunk.span.0 + at + 1, chunk.span.1));
            }
        }
        if chunk.whole.ends_with('.') && index > 0 {
            return None;
        }
    }
    None
}

fn is_user(word: &str) -> bool {
    (2..=32).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'@'))
        && word.bytes().any(|byte| byte.is_ascii_alphabetic())
}

fn is_unlike_a_path(password: &str) -> bool {
    let look = value::Look::at(password);
    look.hard > 0 || (look.odd > 0 && look.digit > 0 && look.upper > 0)
}

/// `IDENTIFIED BY '...'`, `requirepass ...`.
fn clause(text: &str, word: &Word) -> Option<Span> {
    let end = reach(text, word, word.end);
    let chunk = Chunks { text, at: word.end, end }.find(|chunk| !["password", "by"].contains(&chunk.core))?;
    (value::as_password(chunk.core) >= Strength::Weak).then_some(chunk.span)
}
