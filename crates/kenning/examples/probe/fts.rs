//! A plain FTS5 table: what SQLite itself makes of texts and questions; and the room that tables take.

use std::time::Instant;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::Outcome;

/// Puts texts into a new table, numbered from 1.
pub fn insert<'a>(connection: &Connection, texts: impl Iterator<Item = &'a str>) -> rusqlite::Result<()> {
    connection
        .execute_batch("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize = 'porter unicode61'); BEGIN")?;
    {
        let mut statement = connection.prepare("INSERT INTO texts(text) VALUES(?)")?;
        for text in texts {
            statement.execute([text])?;
        }
    }
    connection.execute_batch("COMMIT; INSERT INTO texts(texts) VALUES('optimize')")
}

/// The best texts for any of a question's words.
pub fn ask(connection: &Connection, query: &str, answers: usize) -> rusqlite::Result<Vec<i64>> {
    let words: Vec<String> = query
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| format!("\"{word}\""))
        .collect();
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let sql = "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?";
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_map(rusqlite::params![words.join(" OR "), answers as i64], |row| row.get(0))?.collect()
}

/// A database file with the texts of lines of JSON.
pub fn fill(entries: &str, database: &str) -> Outcome {
    let lines = std::fs::read_to_string(entries)?;
    let texts: Vec<String> = lines.lines().map(text_of).collect::<Result<_, _>>()?;
    let connection = Connection::open(database)?;
    let begun = Instant::now();
    insert(&connection, texts.iter().map(String::as_str))?;
    Ok(json!({"texts": texts.len(), "seconds": begun.elapsed().as_secs_f64()}))
}

/// Everything that an entry of the scratch corpus says.
pub fn text_of(line: &str) -> Result<String, serde_json::Error> {
    let value: Value = serde_json::from_str(line)?;
    let word = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let list = |name: &str| {
        let items = value[name].as_array().into_iter().flatten();
        items.filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
    };
    Ok([word("title"), word("statement"), list("tags"), list("anchors")].join("\n"))
}

/// Asks each question of a file with a connection of its own, and tells how long each took, opening included.
pub fn ask_file(database: &str, queries: &str) -> Outcome {
    let mut micros = Vec::new();
    for query in std::fs::read_to_string(queries)?.lines() {
        let begun = Instant::now();
        let connection = Connection::open(database)?;
        let found = ask(&connection, query, 10)?;
        micros.push(begun.elapsed().as_secs_f64() * 1e6);
        if found.is_empty() {
            return Err(format!("FTS5 finds nothing for {query:?}").into());
        }
    }
    Ok(json!({ "micros": micros }))
}

/// Bytes of each table and index of a database.
pub fn room(database: &str) -> Outcome {
    let connection = Connection::open_with_flags(database, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut statement = connection.prepare(
        "SELECT m.tbl_name, sum(s.pgsize) FROM dbstat s LEFT JOIN sqlite_schema m ON m.name = s.name GROUP BY 1",
    )?;
    let rows = statement.query_map([], |row| {
        Ok((row.get::<_, Option<String>>(0)?.unwrap_or_default(), row.get::<_, i64>(1)?))
    })?;
    let tables: serde_json::Map<String, Value> =
        rows.map(|row| row.map(|(name, bytes)| (name, bytes.into()))).collect::<Result<_, _>>()?;
    Ok(json!({ "tables": tables }))
}
