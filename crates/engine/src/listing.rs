//! What every answer that is a list looks like: rows, how many there are, and a cursor where more follow.

use ken_core::{Code, Refusal};
use serde::Serialize;

use crate::error::Result;

/// A page of a list.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "{T}List"))]
pub struct Listing<T> {
    /// The rows of this page.
    pub items: Vec<T>,
    /// How many rows there are in all.
    pub total: usize,
    /// Where the next page begins: give it back as `cursor`. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

impl<T> Listing<T> {
    /// The rows behind a cursor, at most so many. `name` tells rows apart.
    pub fn of(
        rows: Vec<T>,
        limit: usize,
        cursor: Option<&str>,
        name: impl Fn(&T) -> String,
    ) -> Result<Listing<T>> {
        let total = rows.len();
        let from = cursor.map(Place::read).transpose()?;
        let from = from.map_or(0, |last| last.behind(&rows, &name));
        let items: Vec<T> = rows.into_iter().skip(from).take(limit).collect();
        let shown = from + items.len();
        let more = items.last().filter(|_| shown < total);
        let cursor = more.map(|last| Place { at: shown - 1, name: name(last) }.written());
        Ok(Listing { items, total, cursor })
    }
}

/// The last row of a page: where it stood, and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// How many rows stood before it.
    pub at: usize,
    name: String,
}

impl Place {
    /// Reads a cursor.
    pub fn read(cursor: &str) -> Result<Place> {
        let parts = cursor.split_once('.').and_then(|(at, name)| Some((at.parse().ok()?, name)));
        let Some((at, name)) = parts else {
            return Err(Refusal::new(Code::Invalid, format!("{cursor:?} is not a cursor"))
                .hint("give the `cursor` of the previous page, or none for the first page")
                .field("cursor")
                .into());
        };
        Ok(Place { at, name: name.to_owned() })
    }

    fn written(&self) -> String {
        format!("{}.{}", self.at, self.name)
    }

    /// Where the rows behind it begin. Rows come and go between two pages: it is looked for by its name, and where it is gone, the next row
    /// has taken its place.
    fn behind<T>(&self, rows: &[T], name: impl Fn(&T) -> String) -> usize {
        let is_it = |row: &T| name(row) == self.name;
        if rows.get(self.at).is_some_and(is_it) {
            return self.at + 1;
        }
        rows.iter().position(is_it).map_or(self.at.min(rows.len()), |at| at + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(rows: &[&str], limit: usize, cursor: Option<&str>) -> Listing<String> {
        let rows = rows.iter().map(|row| (*row).to_owned()).collect();
        Listing::of(rows, limit, cursor, String::clone).unwrap()
    }

    #[test]
    fn pages_go_to_the_end_and_the_last_one_has_no_cursor() {
        let rows = ["a", "b", "c", "d", "e"];
        let (mut read, mut cursor) = (Vec::new(), None);
        loop {
            let page = page(&rows, 2, cursor.as_deref());
            assert_eq!(page.total, 5);
            read.extend(page.items);
            cursor = page.cursor;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(read, rows);
        assert_eq!(page(&rows, 5, None).cursor, None);
        assert_eq!(page(&[], 5, None).total, 0);
    }

    #[test]
    fn rows_that_come_and_go_between_two_pages_hide_no_other() {
        let cursor = page(&["a", "b", "c", "d"], 2, None).cursor.unwrap();
        assert_eq!(page(&["new", "a", "b", "c", "d"], 2, Some(&cursor)).items, ["c", "d"]);
        assert_eq!(page(&["a", "c", "d"], 2, Some(&cursor)).items, ["c", "d"]);
        assert!(page(&["a"], 2, Some(&cursor)).items.is_empty());
    }

    #[test]
    fn what_is_no_cursor_is_refused() {
        for wrong in ["", "7", "x.a", "-1.a"] {
            assert!(Listing::of(vec![1], 1, Some(wrong), i32::to_string).is_err(), "{wrong:?}");
        }
    }
}
