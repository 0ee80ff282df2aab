//! Which entries are said to stand for which others: what an entry comes to depends on those, and is settled anew when they change.

use std::collections::{BTreeSet, HashSet};

use ken_core::merge::{self, Others};
use ken_core::{Entry, EntryKey};
use rusqlite::{Connection, OptionalExtension, Result as SqlResult, params};

use super::intake::Intake;
use super::{key_column, limits};

/// The entries of a transaction as their rows have them.
struct Rows<'a>(&'a Connection);

impl Others for Rows<'_> {
    type Error = rusqlite::Error;

    fn entry(&self, key: EntryKey) -> SqlResult<Option<Entry>> {
        let state: Option<String> = self
            .0
            .prepare_cached("SELECT s.state FROM entries e JOIN states s ON s.n = e.n WHERE e.key = ?")?
            .query_row([&key.0[..]], |row| row.get(0))
            .optional()?;
        Ok(state.and_then(|state| serde_json::from_str(&state).ok()))
    }

    fn merged_into(&self, key: EntryKey) -> SqlResult<Vec<EntryKey>> {
        let mut statement = self.0.prepare_cached("SELECT absorbed FROM merges WHERE kept = ? ORDER BY 1")?;
        statement.query_map([&key.0[..]], |row| key_column(row, 0))?.collect()
    }
}

impl Intake<'_> {
    /// Gives an entry that was just folded what others have to do with it, and says whether any have. Most have none.
    pub(super) fn settle(&self, entry: &mut Entry) -> SqlResult<bool> {
        let rows = Rows(self.tx);
        let is_tied = entry.merged_into.is_some() || !rows.merged_into(entry.key)?.is_empty();
        if is_tied {
            merge::settle(entry, &rows)?;
        }
        Ok(is_tied)
    }

    /// Keeps which entry stands for another, as that one says.
    pub(super) fn write_merge(&mut self, absorbed: EntryKey, kept: Option<EntryKey>) -> SqlResult<()> {
        let before = self.kept_of(absorbed)?;
        if before == kept {
            return Ok(());
        }
        match kept {
            Some(kept) => self
                .tx
                .prepare_cached("INSERT OR REPLACE INTO merges VALUES(?, ?)")?
                .execute(params![&absorbed.0[..], &kept.0[..]])?,
            None => {
                self.tx.prepare_cached("DELETE FROM merges WHERE absorbed = ?")?.execute([&absorbed.0[..]])?
            }
        };
        self.merge_moved.extend(before.into_iter().chain(kept));
        Ok(())
    }

    fn kept_of(&self, absorbed: EntryKey) -> SqlResult<Option<EntryKey>> {
        self.tx
            .prepare_cached("SELECT kept FROM merges WHERE absorbed = ?")?
            .query_row([&absorbed.0[..]], |row| key_column(row, 0))
            .optional()
    }

    /// The entries that must be settled again because of some that changed: those that stand for them, and those they stand for.
    pub(super) fn merged_with(&mut self, changed: &[EntryKey]) -> SqlResult<BTreeSet<EntryKey>> {
        let mut starts = std::mem::take(&mut self.merge_moved);
        let tied: HashSet<EntryKey> = {
            let sql = "SELECT absorbed FROM merges UNION SELECT kept FROM merges";
            let mut statement = self.tx.prepare_cached(sql)?;
            statement.query_map([], |row| key_column(row, 0))?.collect::<SqlResult<_>>()?
        };
        starts.extend(changed.iter().filter(|key| tied.contains(key)));
        let mut beside = BTreeSet::new();
        for start in starts {
            let mut at = Some(start);
            // What was seen was followed from there.
            for _ in 0..limits::MERGE_STEPS_MAX {
                let Some(key) = at.filter(|key| beside.insert(*key)) else { break };
                at = self.kept_of(key)?;
            }
            beside.extend(Rows(self.tx).merged_into(start)?);
        }
        Ok(beside)
    }
}
