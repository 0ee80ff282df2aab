//! Tables on Markdown pages: padded, so that they can be read as they are, and kept between two marks.

use std::path::Path;

use crate::context::{Failure, Outcome, failed};

/// A table with padded columns.
pub(crate) fn table<const N: usize>(head: [&str; N], rows: &[[String; N]]) -> String {
    let mut lines = vec![head.map(str::to_owned)];
    lines.extend_from_slice(rows);
    let mut widths = [3; N];
    for line in &lines {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for (number, line) in lines.iter().enumerate() {
        for (cell, width) in line.iter().zip(widths) {
            let missing = width - cell.chars().count();
            text.push_str(&format!("| {cell}{} ", " ".repeat(missing)));
        }
        text.push_str("|\n");
        if number == 0 {
            for width in widths {
                text.push_str(&format!("|{}", "-".repeat(width + 2)));
            }
            text.push_str("|\n");
        }
    }
    text
}

/// Puts a text between two marks of a page, such as `<!-- bench ledger: begin -->` and `<!-- bench ledger: end -->`.
pub(crate) fn put(page: &Path, mark: &str, text: &str) -> Outcome {
    let name = page.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let old = std::fs::read_to_string(page)
        .map_err(|error| Failure::Failed(format!("cannot read {name}: {error}")))?;
    match between_marks(&old, mark, text) {
        Some(new) => std::fs::write(page, new)
            .map_err(|error| Failure::Failed(format!("cannot write {name}: {error}"))),
        None => failed(format!("{name} has no place for it: `<!-- {mark}: begin -->` and `: end -->`")),
    }
}

fn between_marks(page: &str, mark: &str, text: &str) -> Option<String> {
    let (begin, end) = (format!("<!-- {mark}: begin -->"), format!("<!-- {mark}: end -->"));
    let from = page.find(&begin)? + begin.len();
    let to = from + page[from..].find(&end)?;
    Some(format!("{}\n\n{text}\n{}", &page[..from], &page[to..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_replaces_the_one_before_and_nothing_else() {
        let page = "# A\n<!-- bench x: begin -->\nold\n<!-- bench x: end -->\nrest\n";
        let new = between_marks(page, "bench x", "new\n").unwrap();
        assert_eq!(new, "# A\n<!-- bench x: begin -->\n\nnew\n\n<!-- bench x: end -->\nrest\n");
        assert_eq!(between_marks(&new, "bench x", "new\n").unwrap(), new, "doing it twice is doing it once");
        assert_eq!(between_marks(page, "bench y", "new"), None);
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let text = table(["A", "B"], &[["µs".to_owned(), "longer".to_owned()]]);
        assert_eq!(text, "| A   | B      |\n|-----|--------|\n| µs  | longer |\n");
    }
}
