//! How a request asks for a page of a list.

use ken_engine::Result;
use ken_engine::listing::Listing;

use crate::limits::page::{ROWS, ROWS_MAX};

/// Which page of a list is asked for.
#[derive(Clone, Debug, clap::Args)]
pub struct PageRequest {
    /// Rows per page, at most 1000
    #[arg(long, short = 'n', value_name = "N", default_value_t = ROWS, value_parser = rows)]
    pub limit: usize,
    /// Cursor of the previous page
    #[arg(long, value_name = "CURSOR", allow_hyphen_values = true)]
    pub cursor: Option<String>,
}

impl Default for PageRequest {
    fn default() -> PageRequest {
        PageRequest { limit: ROWS, cursor: None }
    }
}

impl PageRequest {
    /// The page of some rows that is asked for. `name` tells rows apart.
    pub fn of<T>(&self, rows: Vec<T>, name: impl Fn(&T) -> String) -> Result<Listing<T>> {
        Listing::of(rows, self.limit, self.cursor.as_deref(), name)
    }
}

fn rows(text: &str) -> std::result::Result<usize, String> {
    let rows = text.parse().ok().filter(|rows| (1..=ROWS_MAX).contains(rows));
    rows.ok_or_else(|| format!("expected a whole number from 1 to {ROWS_MAX}"))
}
