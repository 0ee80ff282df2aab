//! Listing entries: a query as SQL, a page at a time.

use super::intake::SUBTYPE;
use super::limits::ROWS_TOGETHER;
use super::*;
use ken_engine::{Threads, cores};

impl Index {
    /// A page of entries. What was counted and what was found come from different parts of the file: where they differ, one is damaged.
    pub fn list(&self, query: &Query) -> SqlResult<Page> {
        let is_whole =
            |page: &Page| page.next.is_some() || query.after.is_some() || page.entries.len() == page.total;
        let page = self.list_once(query)?;
        if is_whole(&page) {
            return Ok(page);
        }
        // Somebody may have written between the two.
        let moment = self.connection.is_autocommit().then(|| self.connection.unchecked_transaction());
        let _moment = moment.transpose()?;
        let page = self.list_once(query)?;
        if is_whole(&page) { Ok(page) } else { Err(damaged(0)) }
    }

    fn list_once(&self, query: &Query) -> SqlResult<Page> {
        let (conditions, mut values) = conditions(query);
        let filter = if conditions.is_empty() { "1".to_owned() } else { conditions.join(" AND ") };
        let plain = query.text.is_none();
        let total: i64 = if plain {
            let sql = format!("SELECT count(*) FROM entries WHERE {filter}");
            self.connection
                .prepare_cached(&sql)?
                .query_row(rusqlite::params_from_iter(&values), |row| row.get(0))?
        } else {
            0
        };
        let Order { by, column, direction, compare } = order(query);
        let mut filter = filter;
        if let Some((value, key)) = query.after.as_deref().and_then(|after| after.rsplit_once('.')) {
            let value = if query.sort == Sort::Id {
                Sql::Text(value.to_owned())
            } else {
                Sql::Integer(value.parse().unwrap_or(0))
            };
            let key = key.parse::<EntryKey>().map(|key| key.0.to_vec()).unwrap_or_default();
            filter.push_str(&format!(" AND ({column}, key) {compare} (?, ?)"));
            values.extend([value, Sql::Blob(key)]);
        }
        let sql = format!(
            "SELECT {COLUMNS}, changed, stated FROM entries{by} WHERE {filter} ORDER BY {column} {direction}, key {direction}"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query(rusqlite::params_from_iter(&values))?;
        let words = words(query);
        let limit = if query.limit == 0 { usize::MAX } else { query.limit };
        let mut page = Page::default();
        let mut matched = 0;
        let mut last = None;
        while let Some(row) = rows.next()? {
            if page.entries.len() >= limit && plain {
                page.next = last;
                break;
            }
            let item = stored(row, query.subset.is_some())?;
            if !words.is_empty() && !says(&item, &words) {
                continue;
            }
            matched += 1;
            if page.entries.len() >= limit {
                page.next = last.clone();
                continue;
            }
            let value = match query.sort {
                Sort::Updated => row.get::<_, i64>("changed")?.to_string(),
                Sort::Created => row.get::<_, i64>("stated")?.to_string(),
                Sort::Id | Sort::Any => item.id.clone(),
            };
            // The order is that of a column, which is as the entry says.
            let (changed, stated) = (item.entry.changed_at().packed(), item.entry.stated_at().packed());
            if query.subset.is_none()
                && (row.get::<_, i64>("changed")? != changed || row.get::<_, i64>("stated")? != stated)
            {
                return Err(damaged(0));
            }
            last = Some(format!("{value}.{}", item.entry.key));
            page.entries.push(item);
        }
        page.total = if plain { usize::try_from(total).unwrap_or(0) } else { matched };
        Ok(page)
    }

    /// The keys of every entry that a query means, in its order and without its limits. What the entries say is not read, so that a query
    /// for words is not for this.
    pub fn keys(&self, query: &Query) -> SqlResult<Vec<EntryKey>> {
        let (conditions, values) = conditions(query);
        let filter = if conditions.is_empty() { "1".to_owned() } else { conditions.join(" AND ") };
        let Order { column, direction, .. } = order(query);
        let sql =
            format!("SELECT key FROM entries WHERE {filter} ORDER BY {column} {direction}, key {direction}");
        let mut statement = self.connection.prepare_cached(&sql)?;
        statement.query_map(rusqlite::params_from_iter(&values), |row| key_column(row, 0))?.collect()
    }

    /// Every entry that a query means, in its order and without its limits, until `each` answers no.
    pub fn each(&self, query: &Query, each: &mut dyn FnMut(Stored) -> bool) -> SqlResult<()> {
        let (conditions, values) = conditions(query);
        let filter = if conditions.is_empty() { "1".to_owned() } else { conditions.join(" AND ") };
        let Order { by, column, direction, .. } = order(query);
        let sql = format!(
            "SELECT {COLUMNS} FROM entries{by} WHERE {filter} ORDER BY {column} {direction}, key {direction}"
        );
        // Not from the cache of statements: what is asked meanwhile may be the same.
        let mut statement = self.connection.prepare(&sql)?;
        let mut rows = statement.query(rusqlite::params_from_iter(&values))?;
        let next = || {
            let mut some = Vec::with_capacity(ROWS_TOGETHER);
            while some.len() < ROWS_TOGETHER
                && let Some(row) = rows.next()?
            {
                some.push(EntryRow::of(row, query.subset.is_some())?);
            }
            Ok((!some.is_empty()).then_some(some))
        };
        let words = words(query);
        let read = |rows: Vec<EntryRow>| {
            let stored = rows.into_iter().map(EntryRow::read);
            let is_meant = |stored: &SqlResult<Stored>| {
                words.is_empty() || stored.as_ref().map_or(true, |stored| says(stored, &words))
            };
            stored.filter(is_meant).collect::<Vec<_>>()
        };
        cores::stream(next, read, |some| {
            for stored in some {
                if !each(stored?) {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }
}

/// The words that a query wants, in lower case.
fn words(query: &Query) -> Vec<String> {
    query.text.iter().flat_map(|text| text.split_whitespace()).map(str::to_lowercase).collect()
}

/// How SQL puts entries in order.
struct Order {
    by: &'static str,
    column: &'static str,
    direction: &'static str,
    compare: &'static str,
}

/// A page is short: walking in order and skipping beats finding every match and sorting it.
fn order(query: &Query) -> Order {
    let by = match query.sort {
        Sort::Updated => " INDEXED BY entries_by_changed",
        Sort::Id => " INDEXED BY entries_by_id",
        Sort::Created => "",
        // A few entries are looked up; else the table is read from its beginning.
        Sort::Any if query.only.is_some() => "",
        Sort::Any => " NOT INDEXED",
    };
    let (column, direction, compare) = match query.sort {
        Sort::Updated => ("changed", "DESC", "<"),
        Sort::Created => ("stated", "DESC", "<"),
        Sort::Id => ("id", "ASC", ">"),
        Sort::Any => ("n", "ASC", ">"),
    };
    Order { by, column, direction, compare }
}

/// Whether an entry's words contain all of some words. The names of fields and the keys we made are not words of the entry.
fn says(item: &Stored, words: &[String]) -> bool {
    fn gather(value: &serde_json::Value, text: &mut String) {
        match value {
            serde_json::Value::String(word) => {
                text.push_str(word);
                text.push('\n');
            }
            serde_json::Value::Array(list) => list.iter().for_each(|item| gather(item, text)),
            serde_json::Value::Object(map) => map.values().for_each(|item| gather(item, text)),
            serde_json::Value::Number(number) => text.push_str(&format!("{number}\n")),
            serde_json::Value::Null | serde_json::Value::Bool(_) => {}
        }
    }
    let mut text = item.entry.given_id.as_ref().map(ToString::to_string).unwrap_or_default();
    text.push('\n');
    let mut fields = item.entry.fields.clone();
    // What was seen at a place is not said by anybody.
    fields.anchors.iter_mut().for_each(|anchor| anchor.captured = None);
    gather(&serde_json::to_value(&fields).unwrap_or_default(), &mut text);
    let text = text.to_lowercase();
    words.iter().all(|word| text.contains(word.as_str()))
}

/// The conditions of a query as SQL.
pub(super) fn conditions(query: &Query) -> (Vec<String>, Vec<Sql>) {
    let mut conditions = Vec::new();
    if !query.purge_asked {
        conditions.push("NOT asked".to_owned());
    }
    let mut values: Vec<Sql> = Vec::new();
    let mut any = |column: &str, words: Vec<String>| {
        if !words.is_empty() {
            let marks = vec!["?"; words.len()].join(", ");
            conditions.push(format!("{column} IN ({marks})"));
            values.extend(words.into_iter().map(Sql::Text));
        }
    };
    any("memory", query.memories.iter().map(|memory| memory.word().to_owned()).collect());
    any("type", query.types.iter().map(|kind| kind.word().to_owned()).collect());
    let retrieved = ken_core::Status::ALL.iter().filter(|status| status.is_retrieved());
    any(
        "status",
        match (query.statuses.is_empty(), query.all) {
            (false, _) => query.statuses.iter().map(|status| status.word().to_owned()).collect(),
            (true, true) => Vec::new(),
            (true, false) => retrieved.map(|status| status.word().to_owned()).collect(),
        },
    );
    any("scope", query.scope.iter().map(|scope| scope.word().to_owned()).collect());
    if let Threads::Only(thread) = &query.threads {
        any("thread", vec![thread.clone()]);
    }
    any("reviewer", query.reviewer.iter().cloned().collect());
    any("actor", query.actor.iter().cloned().collect());
    if let Some(since) = query.since {
        conditions.push("changed >= ?".to_owned());
        values.push(Sql::Integer(ken_core::Clock::at(since).packed()));
    }
    match &query.threads {
        Threads::Any | Threads::Only(_) => {}
        Threads::SeenFrom(None) => conditions.push("scope <> 'thread'".to_owned()),
        Threads::SeenFrom(Some(thread)) => {
            conditions.push("(scope <> 'thread' OR thread = ?)".to_owned());
            values.push(Sql::Text(thread.clone()));
        }
    }
    if query.subset.is_some() {
        conditions.push(
            "NOT EXISTS (SELECT 1 FROM standing s WHERE s.key = entries.key AND NOT s.here)".to_owned(),
        );
    }
    // One parameter however many there are: the statement stays the same, and no limit on parameters is met.
    for (keys, not) in
        [(query.only.as_deref(), ""), (Some(&query.without[..]).filter(|keys| !keys.is_empty()), "NOT ")]
    {
        if let Some(keys) = keys {
            conditions.push(format!("entries.key {not}IN (SELECT unhex(value) FROM json_each(?))"));
            values.push(Sql::Text(serde_json::to_string(keys).unwrap_or_default()));
        }
    }
    if !query.subtypes.is_empty() {
        let marks = vec!["?"; query.subtypes.len()].join(", ");
        conditions.push(format!(
            "EXISTS (SELECT 1 FROM labels l WHERE l.key = entries.key AND l.kind = ? AND l.label IN ({marks}))"
        ));
        values.push(Sql::Integer(SUBTYPE));
        values.extend(query.subtypes.iter().cloned().map(Sql::Text));
    }
    let labels = query.domain.iter().map(|label| (1, label)).chain(query.tags.iter().map(|label| (0, label)));
    for (kind, label) in labels {
        let label = ken_core::words::normalise_tag(label).unwrap_or_else(|_| label.clone());
        conditions.push("EXISTS (SELECT 1 FROM labels l WHERE l.key = entries.key AND l.kind = ? AND (l.label = ? OR l.label >= ? AND l.label < ?))".to_owned());
        values.extend([
            Sql::Integer(kind),
            Sql::Text(label.clone()),
            Sql::Text(format!("{label}/")),
            Sql::Text(format!("{label}0")),
        ]);
    }
    (conditions, values)
}
