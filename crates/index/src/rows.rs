//! Rows that are inserted many at a time.

use rusqlite::{Connection, Result as SqlResult, Statement, ToSql};

use super::limits::ROWS_OF_A_STATEMENT;

/// The next places of a statement.
pub struct Binder<'s, 'c> {
    statement: &'s mut Statement<'c>,
    next: usize,
}

impl Binder<'_, '_> {
    /// Fills the next place.
    pub fn put(&mut self, value: impl ToSql) -> SqlResult<()> {
        self.next += 1;
        self.statement.raw_bind_parameter(self.next, value)
    }
}

/// Inserts rows with as few statements as there can be: to run one for each costs more than its row. `begin` is what stands before the
/// values, `end` what stands behind them. Rows of which not all were new are handed to `fewer`.
pub fn insert_many<R>(
    connection: &Connection,
    (begin, columns, end): (&str, usize, &str),
    rows: &[R],
    bind: impl Fn(&mut Binder<'_, '_>, &R) -> SqlResult<()>,
    mut fewer: impl FnMut(&[R]) -> SqlResult<()>,
) -> SqlResult<()> {
    for some in rows.chunks(ROWS_OF_A_STATEMENT) {
        let places = format!("({})", vec!["?"; columns].join(", "));
        let sql = format!("{begin} VALUES {} {end}", vec![places.as_str(); some.len()].join(", "));
        let inserted = {
            let mut statement = connection.prepare_cached(&sql)?;
            let mut binder = Binder { statement: &mut statement, next: 0 };
            some.iter().try_for_each(|row| bind(&mut binder, row))?;
            statement.raw_execute()?
        };
        if inserted < some.len() {
            fewer(some)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_rows_are_inserted_and_those_that_were_there_are_told() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT)").unwrap();
        let rows: Vec<i64> = (0..ROWS_OF_A_STATEMENT as i64 * 2 + 3).collect();
        let mut told = Vec::new();
        let insert = |rows: &[i64], told: &mut Vec<i64>| {
            insert_many(
                &connection,
                ("INSERT INTO t", 2, "ON CONFLICT DO NOTHING"),
                rows,
                |binder, row| {
                    binder.put(row)?;
                    binder.put(row.to_string())
                },
                |some| {
                    told.extend_from_slice(some);
                    Ok(())
                },
            )
            .unwrap();
        };
        insert(&rows[..5], &mut told);
        assert!(told.is_empty());
        insert(&rows, &mut told);
        assert_eq!(told, rows[..ROWS_OF_A_STATEMENT]);
        let sum = "SELECT count(*), sum(a = CAST(b AS INTEGER)) FROM t";
        let counts: (i64, i64) = connection.query_row(sum, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        assert_eq!(counts, (rows.len() as i64, rows.len() as i64));
    }
}
