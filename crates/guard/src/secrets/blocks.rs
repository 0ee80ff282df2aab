//! Secrets known by how they are built: key files, signed tokens, addresses with a password, headers, drawn literals in code.

use super::formats::{B64, B64E, URL, begins_at};
use super::value::{self, Strength};

use crate::limits::secrets_blocks::{KEY_FILE_BYTES_MAX, SIGNATURE_LETTERS, TOKEN_BYTES_MAX};

/// A place in the text: where a value begins and ends.
pub type Span = (usize, usize);

/// The body of a private key whose first line begins at `at`.
pub fn private_key(text: &str, at: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let title = &bytes[at + 5..bytes.len().min(at + 80)];
    let title_end = title.windows(5).position(|window| window == b"-----")?;
    let title = &title[..title_end];
    let private = title.windows(11).any(|window| window.eq_ignore_ascii_case(b"PRIVATE KEY"));
    if !private {
        return None;
    }
    let start = at + 5 + title_end + 5;
    let rest = &bytes[start..bytes.len().min(start + KEY_FILE_BYTES_MAX)];
    let end = rest.windows(5).position(|window| window == b"-----").unwrap_or_else(|| {
        // A key that was cut off: as far as it can be one.
        rest.iter()
            .take_while(|byte| {
                B64E.has(**byte) || byte.is_ascii_whitespace() || matches!(byte, b'\\' | b'"' | b',' | b':')
            })
            .count()
    });
    let body = &rest[..end];
    let letters: Vec<u8> = body.iter().copied().filter(|byte| B64E.has(*byte)).collect();
    let drawn = letters.len() >= 40 && value::entropy(&letters) >= 3.5;
    let blank = |byte: &u8| byte.is_ascii_whitespace();
    let lead = body.iter().take_while(|byte| blank(byte)).count();
    let trail = body.iter().rev().take_while(|byte| blank(byte)).count();
    (drawn && text.is_char_boundary(start + end)).then(|| (start + lead, start + end - trail))
}

/// A signed web token that begins at `at`: its first part says how it is signed.
pub fn web_token(text: &str, at: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    if !text[at..].starts_with("eyJ") || !begins_at(bytes, at) && bytes[at - 1] != b'-' {
        return None;
    }
    let run = |from: usize| {
        bytes[from..]
            .iter()
            .take(TOKEN_BYTES_MAX)
            .take_while(|byte| URL.has(**byte) || **byte == b'=')
            .count()
    };
    let head = run(at);
    if head < 12 || bytes.get(at + head) != Some(&b'.') {
        return None;
    }
    let header = decode(&bytes[at..at + head]);
    let says = |word: &[u8]| header.windows(word.len()).any(|window| window == word);
    if !header.starts_with(b"{") || !(says(b"\"alg\"") || says(b"\"enc\"") || says(b"\"typ\"")) {
        return None;
    }
    let mut end = at + head;
    let mut parts = 0;
    while parts < 4 && bytes.get(end) == Some(&b'.') {
        let length = run(end + 1);
        if length < 8 && parts == 0 {
            return None;
        }
        if length == 0 {
            break;
        }
        end += 1 + length;
        parts += 1;
    }
    (parts > 0).then_some((at, end))
}

/// The password in `scheme://user:password@host`, where `at` is the place of `://`.
pub fn address_password(text: &str, at: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    if at == 0 || !bytes[at - 1].is_ascii_alphanumeric() {
        return None;
    }
    let start = at + 3;
    let run = bytes[start..]
        .iter()
        .take(300)
        .take_while(|byte| {
            byte.is_ascii_graphic()
                && !matches!(
                    byte,
                    b'/' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'(' | b')' | b'|' | b'\\' | b'?'
                )
        })
        .count();
    let authority = &text[start..start + run];
    let (info, host) = authority.rsplit_once('@')?;
    let (user, password) = info.split_once(':')?;
    if host.is_empty()
        || password.len() < 4
        || (value::is_stand_in(password) && !value::is_guessable(password) && !value::is_disguised(password))
        || password.eq_ignore_ascii_case(user)
    {
        return None;
    }
    if password.bytes().any(|byte| matches!(byte, b'{' | b'}' | b'[' | b']'))
        && !password.bytes().any(|byte| byte.is_ascii_digit())
    {
        return None;
    }
    let look = value::Look::at(password);
    let only_letters = look.letters() == look.length;
    // A port or an account number is no password.
    if look.digit == look.length && look.length < 6
        || (only_letters && (look.length < 6 || look.upper == look.length || is_local(host)))
    {
        return None;
    }
    let password_start = start + user.len() + 1;
    Some((password_start, password_start + password.len()))
}

fn is_local(host: &str) -> bool {
    [
        "localhost",
        "127.0.0.1",
        "0.0.0.0",
        "db",
        "host",
        "hostname",
        "server",
        "postgres",
        "redis",
        "mongo",
        "mysql",
        "rabbitmq",
    ]
    .contains(&host.split(':').next().unwrap_or(""))
        || host.contains("example")
}

/// What follows `Bearer` at `end`.
pub fn bearer(text: &str, end: usize) -> Option<Span> {
    let (start, end) = header_value(text, end)?;
    let token = &text[start..end];
    let look = value::Look::at(token);
    let drawn =
        look.length >= 16 && look.digit > 0 && look.letters() > 0 && value::entropy(token.as_bytes()) >= 2.75;
    (drawn && !value::is_stand_in(token) && !value::is_name(token)).then_some((start, end))
}

/// What follows `Basic` at `end`: a name and a password in base 64.
pub fn basic(text: &str, end: usize) -> Option<Span> {
    let (start, end) = header_value(text, end)?;
    let token = &text[start..end];
    if token.len() < 12 || !token.bytes().all(|byte| B64E.has(byte)) {
        return None;
    }
    let pair = decode(token.as_bytes());
    let colon = pair.iter().position(|&byte| byte == b':')?;
    let printable = pair[..colon].iter().all(u8::is_ascii_graphic);
    let password = String::from_utf8_lossy(&pair[colon + 1..]);
    let is_used = !value::is_stand_in(&password) || value::is_guessable(&password);
    (colon > 0 && printable && is_used).then_some((start, end))
}

fn header_value(text: &str, end: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let blanks = bytes[end..].iter().take(4).take_while(|byte| matches!(byte, b' ' | b':' | b'\t')).count();
    if blanks == 0 {
        return None;
    }
    let start = end + blanks;
    let run = bytes[start..]
        .iter()
        .take(TOKEN_BYTES_MAX)
        .take_while(|byte| URL.has(**byte) || matches!(byte, b'.' | b'+' | b'/' | b'=' | b'~'))
        .count();
    let mut stop = start + run;
    while stop > start && bytes[stop - 1] == b'.' {
        stop -= 1;
    }
    (stop > start).then_some((start, stop))
}

/// The signature of a shared access address, behind the `sig=` or `sig%3D` that ends at `end`: 32 bytes in base 64, whose signs may be
/// escaped.
pub fn access_signature(text: &str, start: usize, end: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    // `design=` and `config=` end so, too.
    if !begins_at(bytes, start) {
        return None;
    }
    let (mut at, mut letters) = (end, 0);
    while letters < SIGNATURE_LETTERS {
        at += match bytes.get(at..)? {
            [b'%', b'2', b'B' | b'b' | b'F' | b'f', ..] => 3,
            [letter, ..] if B64.has(*letter) => 1,
            _ => return None,
        };
        letters += 1;
    }
    // The last byte is padded.
    let padding = match &bytes[at..] {
        [b'%', b'3', b'D' | b'd', ..] => 3,
        [b'=', ..] => 1,
        _ => 0,
    };
    let whole = bytes.get(at + padding).is_none_or(|next| !next.is_ascii_alphanumeric());
    let value = &text[end..at];
    (whole
        && value::is_drawn(value.as_bytes())
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && !value::is_sample(value))
    .then_some((end, at + padding))
}

/// A Discord bot's token around the dot at `at`: an id, a time and a signature.
pub fn discord_bot(text: &str, at: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    if bytes.get(at + 7) != Some(&b'.') || !bytes[at + 1..at + 7].iter().all(|&byte| URL.has(byte)) {
        return None;
    }
    let before = bytes[..at].iter().rev().take(29).take_while(|byte| URL.has(**byte)).count();
    let start = at - before;
    let behind = bytes[at + 8..].iter().take(40).take_while(|byte| URL.has(**byte)).count();
    let end = at + 8 + behind;
    let shape = (23..=28).contains(&before)
        && (27..=38).contains(&behind)
        && matches!(bytes[start], b'M' | b'N' | b'O');
    (shape && value::entropy(&bytes[start..end]) >= 4.0 && !value::is_sample(&text[start..end]))
        .then_some((start, end))
}

/// A drawn literal that is assigned in code, whatever it is called: the quote at `at` opens it.
pub fn drawn_literal(text: &str, at: usize) -> Option<Span> {
    const LONG_MIN: usize = 32;
    const LONG_MAX: usize = 128;
    let bytes = text.as_bytes();
    let quote = bytes[at];
    let start = at + 1;
    let run = bytes[start..]
        .iter()
        .take(LONG_MAX + 1)
        .take_while(|byte| URL.has(**byte) || matches!(byte, b'+' | b'/' | b'='))
        .count();
    let end = start + run;
    if !(LONG_MIN..=LONG_MAX).contains(&run) || bytes.get(end) != Some(&quote) {
        return None;
    }
    let from = super::named::line_start(bytes, at, 64);
    let before = &bytes[from..at];
    let assigned = before
        .iter()
        .rev()
        .find(|byte| !byte.is_ascii_whitespace())
        .is_some_and(|byte| matches!(byte, b'=' | b':'));
    let literal = &text[start..end];
    let look = value::Look::at(literal);
    let mixed = look.lower >= 4 && look.upper >= 4 && look.digit >= 2 && look.odd > 0;
    if !assigned
        || !mixed
        || value::entropy(literal.as_bytes()) < 4.4
        || value::as_key(literal) != Strength::Strong
    {
        return None;
    }
    let name = before.to_ascii_lowercase();
    let innocent: &[&[u8]] = &[
        b"hash",
        b"sha",
        b"digest",
        b"integrity",
        b"checksum",
        b"etag",
        b"public",
        b"pub",
        b"fingerprint",
        b"id",
        b"sri",
        b"image",
        b"img",
        b"data",
        b"icon",
        b"src",
        b"cursor",
        b"alphabet",
        b"chars",
        b"charset",
        b"url",
        b"cert",
        b"signature",
        b"base64",
        b"hidden",
        b"nonce",
        b"expected",
        b"encoded",
        b"trace",
        b"blob",
        b"page",
    ];
    let is_innocent = innocent.iter().any(|word| name.windows(word.len()).any(|window| window == *word));
    let ordered =
        literal.as_bytes().windows(6).any(|window| window.windows(2).all(|pair| pair[1] == pair[0] + 1));
    (!is_innocent && !ordered && !is_public(literal)).then_some((start, end))
}

/// Whether a value is known to be public: a key for others to read, a hash with its name before it, an image.
pub fn is_public(value: &str) -> bool {
    [
        "AAAAB3Nza",
        "AAAAC3Nza",
        "AAAAE2Vjc",
        "sha1-",
        "sha256-",
        "sha384-",
        "sha512-",
        "iVBORw0KGgo",
        "R0lGOD",
        "/9j/",
        "MIIBIjAN",
        "MIGfMA0G",
        "LS0tLS1CRUdJTiBDRVJU",
        "pk_live_",
        "pk_test_",
        "$2a$",
        "$2b$",
        "$2y$",
        "$argon2",
        "$6$",
        "$5$",
        "$1$",
        "pbkdf2",
        "pk.",
    ]
    .iter()
    .any(|known| value.starts_with(known))
}

/// Base 64 of either alphabet to bytes, leniently.
fn decode(letters: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(letters.len() * 3 / 4);
    let (mut bits, mut count) = (0u32, 0);
    for &letter in letters {
        let six = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => continue,
        };
        bits = bits << 6 | u32::from(six);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    out
}
