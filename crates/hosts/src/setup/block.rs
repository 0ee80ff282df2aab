//! A block of lines at the end of a text, and how it is taken away so that the text is as before.
//!
//! A blank line sets it apart. A text without a last line end gets a block without one, which is how `cut` knows.

use std::ops::Range;

use super::json::newline;

/// Puts a block after a text. No text is an absent file. The block's lines end with `\n`, the last one too.
pub(super) fn append(text: Option<&str>, block: &str) -> String {
    let Some(text) = text else { return block.to_owned() };
    let newline = newline(text);
    let block = block.replace('\n', newline);
    match text.is_empty() || text.ends_with('\n') {
        true => format!("{text}{newline}{block}"),
        false => format!("{text}{newline}{newline}{}", block.trim_end()),
    }
}

/// Takes the lines of a block away. None when the file was made for it.
pub(super) fn cut(text: &str, lines: Range<usize>) -> Option<String> {
    let (before, after) = (&text[..lines.start], &text[lines.end..]);
    if before.is_empty() && after.is_empty() && text.ends_with('\n') {
        return None;
    }
    let shorter = |text: &'_ str| {
        let line = text.strip_suffix('\n').map(|text| text.strip_suffix('\r').unwrap_or(text));
        line.map(str::len)
    };
    let mut end = before.len();
    // The line that set it apart goes only where it is blank.
    let blank = before.ends_with("\n\n") || before.ends_with("\n\r\n") || before == "\n" || before == "\r\n";
    if blank {
        end = shorter(before).unwrap_or(end);
    }
    if after.is_empty() && !text.ends_with('\n') {
        end = shorter(&before[..end]).unwrap_or(end);
    }
    Some(format!("{}{after}", &before[..end]))
}

/// The whole lines around a range, with the line end.
pub(super) fn lines_around(text: &str, range: Range<usize>) -> Range<usize> {
    let start = text[..range.start].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[range.end..].find('\n').map_or(text.len(), |newline| range.end + newline + 1);
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_leaves_no_trace() {
        for text in ["", "\n", "a", "a\n", "a\n\n", "a\r\n", "a\r\nb", "\r\n", "  ", "\n\n\n", "a\nb\n\n"] {
            let with = append(Some(text), "[x]\ny = 1\n");
            let start = with.rfind("[x]").expect("it is there");
            assert_eq!(cut(&with, start..with.len()).as_deref(), Some(text), "{text:?} -> {with:?}");
        }
        assert_eq!(append(None, "x\n"), "x\n");
        assert_eq!(cut("x\n", 0..2), None);
    }
}
