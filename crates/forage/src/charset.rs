//! From bytes to text, by the character set that a page is in.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

use crate::fetch::Format;
use crate::limits::{PRESCAN_BYTES, UNREADABLE_SHARE};

/// The text of an answer; none where it is binary. A mark at its beginning counts first, then the header, then what the page says.
pub fn decode(bytes: &[u8], content_type: Option<&str>, format: Format) -> Option<String> {
    let declared = content_type.and_then(|declared| parameter(declared, "charset"));
    let said = || match format {
        Format::Html | Format::Xml => said_within(&bytes[..bytes.len().min(PRESCAN_BYTES)]),
        Format::Plain | Format::Json => None,
    };
    let encoding = Encoding::for_bom(bytes)
        .map(|(encoding, _)| encoding)
        .or_else(|| Encoding::for_label(declared?.as_bytes()))
        .or_else(said)
        .unwrap_or_else(|| if is_utf8(bytes) { UTF_8 } else { WINDOWS_1252 });
    let (text, _, _) = encoding.decode(bytes);
    let unreadable = text.chars().filter(|c| matches!(c, '\u{fffd}' | '\0')).count();
    (unreadable * UNREADABLE_SHARE <= text.chars().count()).then(|| text.replace('\0', ""))
}

/// Whether bytes are UTF-8, a letter cut at the end aside.
fn is_utf8(bytes: &[u8]) -> bool {
    match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    }
}

/// What `<meta charset=...>`, its older form or an XML declaration says. A page that is read as ASCII cannot be in UTF-16.
fn said_within(bytes: &[u8]) -> Option<&'static Encoding> {
    let text = String::from_utf8_lossy(bytes).to_ascii_lowercase();
    let label = match text.find("encoding=").filter(|_| text.starts_with("<?xml")) {
        Some(at) => value_at(&text[at + "encoding=".len()..]),
        None => {
            let meta = text.match_indices("<meta").map(|(at, _)| &text[at..]);
            let mut charsets = meta.filter_map(|meta| {
                let meta = meta.split('>').next()?;
                Some(value_at(&meta[meta.find("charset=")? + "charset=".len()..]))
            });
            charsets.next()?
        }
    };
    let encoding = Encoding::for_label(label.as_bytes())?;
    Some(if encoding.is_ascii_compatible() { encoding } else { UTF_8 })
}

fn parameter<'a>(header: &'a str, name: &str) -> Option<&'a str> {
    header.split(';').skip(1).find_map(|part| {
        let (key, value) = part.split_once('=')?;
        key.trim().eq_ignore_ascii_case(name).then(|| value_at(value.trim()))
    })
}

fn value_at(text: &str) -> &str {
    let text = text.trim_start_matches(['"', '\'', ' ']);
    text.split(['"', '\'', ' ', ';', '/', '?']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_then_the_header_then_the_page() {
        let (html, plain) = (Format::Html, Format::Plain);
        type Case = (&'static [u8], Option<&'static str>, Format, Option<&'static str>);
        let cases: [Case; 11] = [
            ("grün".as_bytes(), None, plain, Some("grün")),
            (b"gr\xfcn", None, plain, Some("grün")),
            (b"gr\xfcn", Some("text/plain; charset=ISO-8859-1"), plain, Some("grün")),
            (b"\x82\xa0", Some("text/plain;charset=\"shift_jis\""), plain, Some("あ")),
            (b"<meta charset='shift_jis'>\x82\xa0", None, html, Some("<meta charset='shift_jis'>あ")),
            (
                b"<meta charset=utf-8>gr\xc3\xbcn",
                Some("text/html; charset=nonsense"),
                html,
                Some("<meta charset=utf-8>grün"),
            ),
            (b"\xef\xbb\xbfgr\xc3\xbcn", Some("text/plain; charset=windows-1252"), plain, Some("grün")),
            (b"\xff\xfeg\x00r\x00\xfc\x00n\x00", None, plain, Some("grün")),
            (b"<meta charset=utf-16>ab", None, html, Some("<meta charset=utf-16>ab")),
            (b"+ADw-script+AD4-", Some("text/html; charset=utf-7"), html, Some("+ADw-script+AD4-")),
            (b"\x89PNG\r\n\x1a\n\0\0\0\0\0\0\0\0", None, plain, None),
        ];
        for (bytes, header, format, text) in cases {
            assert_eq!(decode(bytes, header, format).as_deref(), text, "{bytes:?} {header:?}");
        }
    }
}
