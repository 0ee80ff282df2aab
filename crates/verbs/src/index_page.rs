//! INDEX.md: every entry in a line (COR-16).

use ken_engine::{Caller, Ledger, Query, Result, Sort, Threads};

use crate::Site;

/// Every entry in a line, the first thousand of them. What is in it counts as read.
pub fn index_page(ledger: &mut Ledger, site: &Site, caller: &Caller) -> Result<String> {
    const LINES_MAX: usize = 1_000;
    let query =
        Query { limit: LINES_MAX, sort: Sort::Id, threads: Threads::SeenFrom(None), ..Query::default() };
    let answer = crate::list::list(ledger, site, caller, &query)?;
    let mut text = "# Knowledge index\n".to_owned();
    for line in &answer.items {
        let said = ken_core::words::one_line(&ken_guard::fence::fenced(&line.title, usize::MAX).text, 120);
        text.push_str(&format!("\n- `{}` {} ({}): {said}", line.handle, line.kind, line.status));
    }
    let more = answer.total.saturating_sub(answer.items.len());
    if more > 0 {
        text.push_str(&format!("\n\nand {more} more; use `recall` to find them"));
    }
    text.push('\n');
    Ok(text)
}
