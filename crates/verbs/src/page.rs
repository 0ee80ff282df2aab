//! How a request asks for a page of a list.

use ken_engine::Result;
use ken_engine::listing::Listing;

use crate::limits::page::{ROWS, ROWS_MAX};
use crate::request::Request;

/// Which page of a list is asked for.
#[derive(Clone, Debug, Request)]
pub struct PageRequest {
    /// Rows per page, at most 1000
    #[field(long, short = 'n', value_name = "N", default = ROWS, min = 1, max = ROWS_MAX)]
    pub limit: usize,
    /// Cursor of the previous page
    #[field(long, value_name = "CURSOR", hyphens)]
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
