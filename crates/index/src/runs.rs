//! What is known of runs: where their events are, who was shown what, and what was used together.
//!
//! Rows name the event they come from, and count as long as that event is known: a branch may take it away again.

use std::collections::BTreeMap;

use ken_core::run::{Exposure, Finished, RunOutcome, Started};
use ken_core::{Body, Clock, EntryKey, Event, EventHash, Millis, RunEvent, Serviced, belief};
use ken_engine::intake::redacted_text;
use ken_engine::{Glance, Injected, Questions, Use};
use rusqlite::{Result as SqlResult, params};

use super::intake::Intake;
use super::{Index, Source, hash_column, key_column};

pub(super) const TABLES: &str = "
CREATE TABLE runs(run TEXT NOT NULL, what INTEGER NOT NULL, hash BLOB NOT NULL, clock INTEGER NOT NULL, kind TEXT NOT NULL,
  project TEXT NOT NULL, PRIMARY KEY(run, what, hash)) WITHOUT ROWID;
CREATE TABLE exposures(entry BLOB NOT NULL, run TEXT NOT NULL, agent TEXT NOT NULL, how TEXT NOT NULL, hash BLOB NOT NULL,
  clock INTEGER NOT NULL, actor TEXT NOT NULL, PRIMARY KEY(entry, run, agent, how, hash)) WITHOUT ROWID;
CREATE INDEX exposures_by_run ON exposures(run);
CREATE TABLE uses(entry BLOB NOT NULL, run TEXT NOT NULL, hash BLOB NOT NULL, clock INTEGER NOT NULL, PRIMARY KEY(entry, run, hash)) WITHOUT ROWID;
CREATE TABLE places(path TEXT NOT NULL, key BLOB NOT NULL, PRIMARY KEY(path, key)) WITHOUT ROWID;
CREATE INDEX places_by_key ON places(key);
";

/// What a row of `runs` is about, as the column `what` has it.
#[derive(Clone, Copy)]
enum What {
    Cleared = 0,
    Started = 1,
    Reported = 2,
    Finished = 3,
    Missed = 4,
    Unanswered = 5,
    Serviced = 6,
}

/// Where what was shown outside of any run is kept: a day stands for a run (REV-1).
pub(crate) fn day_of(clock: Clock) -> String {
    format!("@{}", clock.millis().date())
}

impl Intake<'_> {
    /// Takes down what an event says about runs.
    pub(super) fn run(&mut self, event: &Event, said: &RunEvent) -> SqlResult<()> {
        match said {
            RunEvent::Exposed { run, agent, how, entries } => {
                let run = run.as_deref().map_or_else(|| day_of(event.clock), redacted_text);
                let actor = agent_of(&event.actor);
                let agent = agent.as_deref().unwrap_or(actor);
                for entry in entries.iter().chain(&event.entry) {
                    let sql = "INSERT OR IGNORE INTO exposures VALUES(?, ?, ?, ?, ?, ?, ?)";
                    self.tx.prepare_cached(sql)?.execute(params![
                        &entry.0[..],
                        run,
                        redacted_text(agent),
                        redacted_text(how),
                        &event.hash.0[..],
                        event.clock.packed(),
                        redacted_text(actor)
                    ])?;
                }
            }
            RunEvent::Started(started) => {
                let Started { run, kind, project, .. } = &**started;
                self.run_row(event, run, What::Started, kind.word(), project)?;
            }
            RunEvent::Reported(reported) => self.run_row(event, &reported.run, What::Reported, "", "")?,
            RunEvent::Finished(finished) => {
                let Finished { run, outcome, used, ended, .. } = &**finished;
                self.run_row(event, run, What::Finished, outcome.word(), "")?;
                for entry in used.iter().flatten().filter(|_| *ended || *outcome == RunOutcome::Succeeded) {
                    let sql = "INSERT OR IGNORE INTO uses VALUES(?, ?, ?, ?)";
                    self.tx.prepare_cached(sql)?.execute(params![
                        &entry.0[..],
                        redacted_text(run),
                        &event.hash.0[..],
                        event.clock.packed()
                    ])?;
                }
            }
            RunEvent::Missed { run, .. } => self.question_row(event, run.as_deref(), What::Missed)?,
            RunEvent::Unanswered { run, .. } => self.question_row(event, run.as_deref(), What::Unanswered)?,
            RunEvent::Cleared { run, .. } => self.run_row(event, run, What::Cleared, "", "")?,
            RunEvent::Serviced(serviced) => {
                self.run_row(event, &day_of(event.clock), What::Serviced, serviced.outcome.word(), "")?;
            }
            RunEvent::Exceeded { .. } => {}
        }
        Ok(())
    }

    /// A question that nothing answered belongs to no run that counts: it is found by when it was asked.
    fn question_row(&mut self, event: &Event, run: Option<&str>, what: What) -> SqlResult<()> {
        let run = run.map_or_else(|| day_of(event.clock), redacted_text);
        self.run_row(event, &run, what, "", "")
    }

    fn run_row(&mut self, event: &Event, run: &str, what: What, kind: &str, project: &str) -> SqlResult<()> {
        let sql = "INSERT OR IGNORE INTO runs VALUES(?, ?, ?, ?, ?, ?)";
        self.tx
            .prepare_cached(sql)?
            .execute(params![
                redacted_text(run),
                what as i64,
                &event.hash.0[..],
                event.clock.packed(),
                kind,
                redacted_text(project)
            ])
            .map(drop)
    }
}

/// The name of an agent whose events say nothing but who acted.
fn agent_of(actor: &str) -> &str {
    actor.strip_prefix("agent:").unwrap_or(actor)
}

/// An entry's belief as a column: how fast it fades, where it started, and its record.
pub(super) fn believed(entry: &ken_core::Entry) -> String {
    let class = entry.fields.decay_class().word();
    let prior = belief::prior(entry);
    format!("{class} {} {} {}", prior.alpha, prior.beta, entry.whole_record())
}

impl Index {
    /// Everything that was said about a run: how it began, what was reported, how it ended.
    pub fn run_events(&self, run: &str, source: &dyn Source) -> SqlResult<Vec<Event>> {
        self.events_where("runs r", "r.run = ?1 AND r.what <= 3", &[&run], source)
    }

    /// How every run began and ended.
    pub fn runs(&self, source: &dyn Source) -> SqlResult<Vec<Event>> {
        self.events_where("runs r", "r.what IN (1, 3)", &[], source)
    }

    /// What became of services since a time, oldest first.
    pub fn serviced(&self, since: Millis, source: &dyn Source) -> SqlResult<Vec<Serviced>> {
        let since = Clock::at(since).packed();
        let events = self.events_where("runs r", "r.what = 6 AND r.clock >= ?1", &[&since], source)?;
        let said = events.into_iter().filter_map(|event| match event.body {
            Some(Body::Run(RunEvent::Serviced(serviced))) => Some(*serviced),
            _ => None,
        });
        Ok(said.collect())
    }

    /// Everything that was said about promotions.
    pub fn promotions(&self, source: &dyn Source) -> SqlResult<Vec<Event>> {
        self.events_where("promotions r", "1", &[], source)
    }

    fn events_where(
        &self,
        table: &str,
        condition: &str,
        values: &[&dyn rusqlite::ToSql],
        source: &dyn Source,
    ) -> SqlResult<Vec<Event>> {
        let sql = format!(
            "SELECT e.hash FROM {table} JOIN events e ON e.hash = r.hash
             WHERE {condition} AND e.flags & 2 = 0 ORDER BY r.clock, e.hash"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map(values, |row| hash_column(row, 0))?;
        let hashes: Vec<EventHash> = rows.collect::<SqlResult<_>>()?;
        let mut found = Vec::with_capacity(hashes.len());
        for hash in hashes {
            let Some(event) = source.event(&hash)? else { continue };
            if !self.purge_counts(&event)? {
                found.push(event);
            }
        }
        Ok(found)
    }

    /// Who was shown what in a run; for a day, in none.
    pub fn exposures(&self, run: &str) -> SqlResult<Vec<Exposure>> {
        let sql =
            "SELECT x.agent, x.entry, x.how, x.clock, x.actor FROM exposures x INDEXED BY exposures_by_run
                   JOIN events e ON e.hash = x.hash WHERE x.run = ? ORDER BY x.clock, x.entry";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([run], |row| {
            Ok(Exposure {
                agent: row.get(0)?,
                entry: key_column(row, 1)?,
                how: row.get(2)?,
                clock: Clock::unpacked(row.get(3)?),
                actor: row.get(4)?,
            })
        })?;
        rows.collect()
    }

    /// Whether an agent was shown an entry in a run, or on a day in none. A day has many exposures, and every read asks.
    pub fn was_shown(&self, run: &str, agent: &str, key: EntryKey) -> SqlResult<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM exposures x JOIN events e ON e.hash = x.hash
                   WHERE x.entry = ? AND x.run = ? AND x.agent = ?)";
        let mut statement = self.connection.prepare_cached(sql)?;
        statement.query_row(params![&key.0[..], redacted_text(run), redacted_text(agent)], |row| row.get(0))
    }

    /// Everybody who was shown an entry, with the run or the day.
    pub fn shown(&self, key: EntryKey) -> SqlResult<Vec<(String, Exposure)>> {
        let sql =
            "SELECT x.run, x.agent, x.how, x.clock, x.actor FROM exposures x JOIN events e ON e.hash = x.hash
                   WHERE x.entry = ? ORDER BY x.clock, x.run";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([&key.0[..]], |row| {
            let (agent, how, actor) = (row.get(1)?, row.get(2)?, row.get(4)?);
            Ok((row.get(0)?, Exposure { agent, actor, entry: key, how, clock: Clock::unpacked(row.get(3)?) }))
        })?;
        rows.collect()
    }

    /// What one actor had injected since a time, with the run or the day.
    pub fn injected_by(&self, actor: &str, since: Millis) -> SqlResult<Vec<(String, Exposure)>> {
        let sql = "SELECT x.run, x.agent, x.entry, x.how, x.clock, x.actor FROM exposures x JOIN events e ON e.hash = x.hash
                   WHERE x.how = 'injected' AND x.actor = ? AND x.clock >= ? ORDER BY x.clock, x.entry";
        let mut statement = self.connection.prepare_cached(sql)?;
        let since = Clock::at(since).packed();
        let rows = statement.query_map(params![redacted_text(actor), since], |row| {
            let (agent, how, actor) = (row.get(1)?, row.get(3)?, row.get(5)?);
            let clock = Clock::unpacked(row.get(4)?);
            Ok((row.get(0)?, Exposure { agent, actor, entry: key_column(row, 2)?, how, clock }))
        })?;
        rows.collect()
    }

    /// Completed reviews in which an entry was injected before they ended, each with the latest time that happened.
    pub fn injected(&self, key: EntryKey) -> SqlResult<Vec<Injected>> {
        let sql = "SELECT x.run, max(x.clock), s.project FROM exposures x
                   JOIN events e ON e.hash = x.hash
                   JOIN runs s ON s.run = x.run AND s.what = 1 AND s.kind = 'review'
                   WHERE x.entry = ? AND x.how = 'injected' AND EXISTS (
                     SELECT 1 FROM runs f JOIN events g ON g.hash = f.hash WHERE f.run = x.run AND f.what = 3 AND f.kind = 'succeeded'
                     AND f.clock >= x.clock)
                   GROUP BY x.run ORDER BY 2, 1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([&key.0[..]], |row| {
            Ok(Injected { run: row.get(0)?, clock: Clock::unpacked(row.get(1)?), project: row.get(2)? })
        })?;
        rows.collect()
    }

    /// Successful runs that said they used an entry.
    pub fn uses(&self, key: EntryKey) -> SqlResult<Vec<Use>> {
        let sql = "SELECT u.run, u.clock FROM uses u JOIN events e ON e.hash = u.hash WHERE u.entry = ? ORDER BY u.clock, u.run";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([&key.0[..]], |row| {
            Ok(Use { run: row.get(0)?, clock: Clock::unpacked(row.get(1)?) })
        })?;
        rows.collect()
    }

    /// Entries that name a run as their source.
    pub fn made_in(&self, run: &str) -> SqlResult<Vec<EntryKey>> {
        let sql = "SELECT key FROM labels WHERE label = ? AND kind = 2 ORDER BY 1";
        let mut statement = self.connection.prepare_cached(sql)?;
        statement.query_map([run], |row| key_column(row, 0))?.collect()
    }

    /// Entries with an anchor in a file.
    pub fn at_path(&self, path: &str) -> SqlResult<Vec<EntryKey>> {
        let sql = "SELECT p.key FROM places p JOIN entries e ON e.key = p.key WHERE p.path = ?
          ORDER BY e.status <> 'verified', e.status <> 'active', e.updated DESC, p.key";
        let mut statement = self.connection.prepare_cached(sql)?;
        statement.query_map([path], |row| key_column(row, 0))?.collect()
    }

    /// How often each entry was put before somebody.
    pub fn times_shown(&self) -> SqlResult<BTreeMap<EntryKey, usize>> {
        let sql =
            "SELECT x.entry, count(*) FROM exposures x JOIN events e ON e.hash = x.hash GROUP BY x.entry";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows =
            statement.query_map([], |row| Ok((key_column(row, 0)?, row.get::<_, i64>(1)? as usize)))?;
        rows.collect()
    }

    /// Questions since a time that were not answered, and what the latest of them asked.
    pub fn questions(&self, since: Millis, latest: usize, source: &dyn Source) -> SqlResult<Questions> {
        let since = Clock::at(since).packed();
        let count = |what: What| -> SqlResult<usize> {
            let sql = "SELECT count(*) FROM runs r JOIN events e ON e.hash = r.hash WHERE r.what = ? AND r.clock >= ?";
            let count: i64 =
                self.connection.prepare_cached(sql)?.query_row([what as i64, since], |row| row.get(0))?;
            Ok(count as usize)
        };
        let (missed, unanswered) = (count(What::Missed)?, count(What::Unanswered)?);
        let sql = "SELECT e.hash FROM runs r JOIN events e ON e.hash = r.hash
                   WHERE r.what = ? AND r.clock >= ? AND e.flags & 2 = 0 ORDER BY r.clock DESC, e.hash LIMIT ?";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement
            .query_map([What::Unanswered as i64, since, latest as i64], |row| hash_column(row, 0))?;
        let hashes: Vec<EventHash> = rows.collect::<SqlResult<_>>()?;
        let mut asked = Vec::with_capacity(hashes.len());
        for hash in hashes {
            let Some(event) = source.event(&hash)? else { continue };
            if let Some(Body::Run(RunEvent::Unanswered { query, .. })) = &event.body
                && !self.purge_counts(&event)?
            {
                asked.push(redacted_text(query));
            }
        }
        Ok(Questions { missed, unanswered, latest: asked })
    }

    /// Names everything that a briefing looks at: entries, answers that were too weak, and runs that came to something. What was
    /// read, and conversations that come and go, change nothing in it.
    pub fn position(&self) -> SqlResult<String> {
        let sql = "SELECT count(*), max(r.clock) FROM runs r JOIN events e ON e.hash = r.hash WHERE (r.what = ? AND r.kind <> ?) OR r.what = ?";
        let (runs, latest): (i64, Option<i64>) = self.connection.prepare_cached(sql)?.query_row(
            params![What::Finished as i64, RunOutcome::Abandoned.word(), What::Missed as i64],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        let sql = "SELECT count(*) FROM entries WHERE asked";
        let asked: i64 = self.connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
        Ok(format!("{:x}.{runs}.{:x}.{asked}", self.digest()?, latest.unwrap_or(0)))
    }

    /// Every semantic and procedural entry in short, by key.
    pub fn glances(&self) -> SqlResult<Vec<Glance>> {
        let sql = "SELECT id, state FROM entries WHERE NOT asked AND memory <> 'episodic'";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            let glance = Glance::read(row.get(0)?, row.get_ref(1)?.as_str()?).map_err(|error| {
                rusqlite::Error::FromSqlConversionFailure(1, rusqlite::types::Type::Text, error.into())
            })?;
            all.push(glance);
        }
        all.sort_unstable_by_key(|glance| glance.key);
        Ok(all)
    }

    /// The belief in every entry, on some day. One pass over an index, and not over the entries, which are long.
    pub fn beliefs(&self, today: i32) -> SqlResult<Vec<(EntryKey, belief::Belief)>> {
        let sql = "SELECT key, belief FROM entries INDEXED BY entries_by_belief";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            if let Some((class, prior, record)) = read_belief(row.get_ref(1)?.as_str()?) {
                all.push((key_column(row, 0)?, belief::fold(&record, prior, class, today)));
            }
        }
        Ok(all)
    }
}

fn read_belief(text: &str) -> Option<(ken_core::kinds::DecayClass, belief::Beta, belief::Record)> {
    let mut parts = text.splitn(4, ' ');
    let class = ken_core::kinds::DecayClass::from_word(parts.next()?)?;
    let prior = belief::Beta { alpha: parts.next()?.parse().ok()?, beta: parts.next()?.parse().ok()? };
    Some((class, prior, parts.next()?.parse().ok()?))
}
