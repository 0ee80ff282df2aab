//! What is known of runs: where their events are, who was shown what, and what was used together.
//!
//! Rows name the event they come from, and count as long as that event is known: a branch may take it away again.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use ken_core::exposed::{Exposed, day_of};
use ken_core::run::{Exposure, Finished, RunKind, RunOutcome, Started};
use ken_core::{Body, Clock, EntryKey, Event, EventHash, Millis, RunEvent, Serviced, belief};
use ken_engine::intake::redacted_text;
use ken_engine::{Injected, Questions, Use};
use rusqlite::{OptionalExtension, Result as SqlResult, params};

use super::intake::Intake;
use super::{Index, Source, hash_column, key_column};

pub(super) const TABLES: &str = "
CREATE TABLE runs(run TEXT NOT NULL, what INTEGER NOT NULL, hash BLOB NOT NULL, clock INTEGER NOT NULL, kind TEXT NOT NULL,
  project TEXT NOT NULL, PRIMARY KEY(run, what, hash)) WITHOUT ROWID;
CREATE TABLE exposures(run TEXT NOT NULL, hash BLOB NOT NULL, agent TEXT NOT NULL, how TEXT NOT NULL, actor TEXT NOT NULL,
  clock INTEGER NOT NULL, shown BLOB NOT NULL, summary INTEGER NOT NULL, PRIMARY KEY(run, hash)) WITHOUT ROWID;
CREATE TABLE uses(entry BLOB NOT NULL, run TEXT NOT NULL, hash BLOB NOT NULL, clock INTEGER NOT NULL, PRIMARY KEY(entry, run, hash)) WITHOUT ROWID;
CREATE TABLE places(path TEXT NOT NULL, key BLOB NOT NULL, PRIMARY KEY(path, key)) WITHOUT ROWID;
CREATE INDEX places_by_key ON places(key);
";

/// What a row of `runs` is about, as the column `what` has it.
#[derive(Clone, Copy)]
pub(super) enum What {
    Cleared = 0,
    Started = 1,
    Reported = 2,
    Finished = 3,
    Missed = 4,
    Unanswered = 5,
    Serviced = 6,
    Foraged = 7,
}

/// Whether a briefing tells of it: a run that came to something, or an answer that was too weak. What was read, and conversations that
/// come and go, change nothing in it.
pub(super) fn is_briefed(said: &RunEvent) -> bool {
    match said {
        RunEvent::Finished(finished) => finished.outcome != RunOutcome::Abandoned,
        RunEvent::Missed { .. } => true,
        RunEvent::Exposed { .. }
        | RunEvent::Started(_)
        | RunEvent::Reported(_)
        | RunEvent::Unanswered { .. }
        | RunEvent::Cleared { .. }
        | RunEvent::Serviced(_)
        | RunEvent::Exceeded { .. } => false,
    }
}

impl Intake<'_> {
    /// Takes down what an event says about runs.
    pub(super) fn run(&mut self, event: &Event, said: &RunEvent) -> SqlResult<()> {
        match said {
            RunEvent::Exposed { .. } => self.exposed(event)?,
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

    /// Takes down what an event says about the forager. It belongs to no run.
    pub(super) fn foraged(&mut self, event: &Event) -> SqlResult<()> {
        self.run_row(event, &day_of(event.clock), What::Foraged, "", "")
    }

    /// Who was shown what: one row for an answer, and one for a summary of many.
    fn exposed(&mut self, event: &Event) -> SqlResult<()> {
        let Some(exposed) = Exposed::read(event) else { return Ok(()) };
        let Exposed { place, agent, actor, how, shown, is_summary } = exposed;
        let [run, agent, how, actor] = [&place, agent, how, actor].map(redacted_text);
        let sql = "INSERT OR IGNORE INTO exposures VALUES(?, ?, ?, ?, ?, ?, ?, ?)";
        let hash = &event.hash.0[..];
        let row = params![run, hash, agent, how, actor, event.clock.packed(), packed(&shown), is_summary];
        self.tx.prepare_cached(sql)?.execute(row).map(drop)
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

/// What an answer or a summary showed, as a column: eight bytes of each entry's key, and eight of its time.
fn packed(shown: &[(EntryKey, Clock)]) -> Vec<u8> {
    shown.iter().flat_map(|(key, clock)| [key.0, clock.packed().to_be_bytes()]).flatten().collect()
}

/// What such a column lists.
fn unpacked(column: &[u8]) -> impl Iterator<Item = (EntryKey, Clock)> + '_ {
    column.as_chunks::<16>().0.iter().map(|one| {
        let (mut key, mut clock) = ([0; 8], [0; 8]);
        key.copy_from_slice(&one[..8]);
        clock.copy_from_slice(&one[8..]);
        (EntryKey(key), Clock::unpacked(i64::from_be_bytes(clock)))
    })
}

/// An exposure, with the run or the day.
pub type PlacedExposure = (String, Exposure);

/// What a summary says: entry, time, agent, way, actor.
type Said = (EntryKey, Clock, String, String, String);

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

    /// When contexts of a run were cleared.
    pub fn clears(&self, run: &str, source: &dyn Source) -> SqlResult<Vec<Event>> {
        self.events_where("runs r", "r.run = ?1 AND r.what = 0", &[&redacted_text(run)], source)
    }

    /// How every run began and ended.
    pub fn runs(&self, source: &dyn Source) -> SqlResult<Vec<Event>> {
        self.events_where("runs r", "r.what IN (1, 3)", &[], source)
    }

    /// The same of runs of some kinds.
    pub fn runs_of(&self, kinds: &[RunKind], source: &dyn Source) -> SqlResult<Vec<Event>> {
        let kinds = serde_json::json!(kinds.iter().map(|kind| kind.word()).collect::<Vec<_>>()).to_string();
        let of_kinds = "r.run IN (SELECT s.run FROM runs s
                                  WHERE s.what = 1 AND s.kind IN (SELECT value FROM json_each(?1)))";
        self.events_where("runs r", &format!("r.what IN (1, 3) AND {of_kinds}"), &[&kinds], source)
    }

    /// The name of every run.
    pub fn run_names(&self) -> SqlResult<Vec<String>> {
        let sql = "SELECT DISTINCT r.run FROM runs r JOIN events e ON e.hash = r.hash
                   WHERE r.what = 1 AND e.flags & 2 = 0 ORDER BY r.run";
        self.connection.prepare_cached(sql)?.query_map([], |row| row.get(0))?.collect()
    }

    /// The same of runs that began or ended since a time.
    pub fn runs_since(&self, since: Millis, source: &dyn Source) -> SqlResult<Vec<Event>> {
        let lately = "r.run IN (SELECT s.run FROM runs s INDEXED BY runs_by_clock
                                WHERE s.what IN (1, 3) AND s.clock >= ?1)";
        let condition = format!("r.what IN (1, 3) AND {lately}");
        self.events_where("runs r", &condition, &[&Clock::at(since).packed()], source)
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

    /// Everything that was said about the forager, oldest first.
    pub fn foraged(&self, source: &dyn Source) -> SqlResult<Vec<Event>> {
        self.events_where("runs r", "r.what = 7", &[], source)
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

    /// Exposures that meet a condition. Of what an event lists, a part may count.
    fn exposed_where(
        &self,
        condition: &str,
        values: &[&dyn rusqlite::ToSql],
        counts: &dyn Fn(EntryKey, Clock) -> bool,
    ) -> SqlResult<Vec<PlacedExposure>> {
        let sql = format!(
            "SELECT x.run, x.agent, x.how, x.actor, x.shown
             FROM exposures x CROSS JOIN events e ON e.hash = x.hash WHERE {condition}"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query(values)?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            for (entry, clock) in unpacked(row.get_ref(4)?.as_blob()?) {
                if counts(entry, clock) {
                    let (agent, how, actor) = (row.get(1)?, row.get(2)?, row.get(3)?);
                    all.push((row.get(0)?, Exposure { agent, actor, entry, how, clock }));
                }
            }
        }
        // An event of the journal and its summary say the same.
        all.sort_unstable_by(|(a_run, a), (b_run, b): &PlacedExposure| {
            let order = (a.clock, a_run, a.entry).cmp(&(b.clock, b_run, b.entry));
            order.then_with(|| (&a.agent, &a.how, &a.actor).cmp(&(&b.agent, &b.how, &b.actor)))
        });
        all.dedup();
        Ok(all)
    }

    /// Who was shown what in a run; for a day, in none.
    pub fn exposures(&self, run: &str) -> SqlResult<Vec<Exposure>> {
        let found = self.exposed_where("x.run = ?1", &[&run], &|_, _| true)?;
        Ok(found.into_iter().map(|(_, exposure)| exposure).collect())
    }

    /// What an agent was shown in a run, or on a day in none. A day has many exposures, and every read asks.
    pub fn shown_to(&self, run: &str, agent: &str) -> SqlResult<HashSet<EntryKey>> {
        let sql = "SELECT x.shown FROM exposures x CROSS JOIN events e ON e.hash = x.hash WHERE x.run = ? AND x.agent = ?";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([redacted_text(run), redacted_text(agent)])?;
        let mut shown = HashSet::new();
        while let Some(row) = rows.next()? {
            shown.extend(unpacked(row.get_ref(0)?.as_blob()?).map(|(entry, _)| entry));
        }
        Ok(shown)
    }

    /// Everybody who was shown an entry since a time, with the run or the day.
    pub fn shown(&self, key: EntryKey, since: Millis) -> SqlResult<Vec<PlacedExposure>> {
        let since = Clock::at(since);
        // All of them are read in their order; a few are found by their time.
        let since_when = if since == Clock::at(Millis(0)) { "+x.clock" } else { "x.clock" };
        let condition = format!("{since_when} >= ?2 AND instr(x.shown, ?1)");
        let values: &[&dyn rusqlite::ToSql] = &[&&key.0[..], &since.packed()];
        self.exposed_where(&condition, values, &|entry, clock| entry == key && clock >= since)
    }

    /// What one actor had injected since a time, with the run or the day.
    pub fn injected_by(&self, actor: &str, since: Millis) -> SqlResult<Vec<PlacedExposure>> {
        let since = Clock::at(since);
        let condition = "x.how = 'injected' AND x.actor = ?1 AND x.clock >= ?2";
        let values: &[&dyn rusqlite::ToSql] = &[&redacted_text(actor), &since.packed()];
        self.exposed_where(condition, values, &|_, clock| clock >= since)
    }

    /// Completed reviews in which an entry was injected before they ended, each with the latest time that happened.
    pub fn injected(&self, key: EntryKey) -> SqlResult<Vec<Injected>> {
        let condition = "x.run IN (SELECT run FROM runs WHERE what = 1 AND kind = 'review')
                         AND x.how = 'injected' AND instr(x.shown, ?1)";
        let shown = self.exposed_where(condition, &[&&key.0[..]], &|entry, _| entry == key)?;
        let mut runs: BTreeMap<String, Vec<Clock>> = BTreeMap::new();
        for (run, exposure) in shown {
            runs.entry(run).or_default().push(exposure.clock);
        }
        let mut found = Vec::new();
        for (run, clocks) in runs {
            let Some((project, ended)) = self.review(&run)? else { continue };
            if let Some(clock) = clocks.into_iter().filter(|clock| *clock <= ended).max() {
                found.push(Injected { run, clock, project });
            }
        }
        found.sort_by(|a, b| (a.clock, &a.run).cmp(&(b.clock, &b.run)));
        Ok(found)
    }

    /// The project of a review that was completed, and when it last was.
    fn review(&self, run: &str) -> SqlResult<Option<(String, Clock)>> {
        let sql = "SELECT s.project, (SELECT max(f.clock) FROM runs f JOIN events g ON g.hash = f.hash
                     WHERE f.run = s.run AND f.what = 3 AND f.kind = 'succeeded')
                   FROM runs s JOIN events e ON e.hash = s.hash WHERE s.run = ? AND s.what = 1 AND s.kind = 'review'
                   ORDER BY s.clock, s.hash LIMIT 1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let found = statement.query_row([run], |row| Ok((row.get(0)?, row.get::<_, Option<i64>>(1)?)));
        Ok(found.optional()?.and_then(|(project, ended)| Some((project, Clock::unpacked(ended?)))))
    }

    /// Completed reviews in which each entry was injected before they ended, each with the latest time that happened.
    pub fn injections(&self) -> SqlResult<Vec<(EntryKey, Injected)>> {
        let sql = "SELECT DISTINCT run FROM runs WHERE what = 1 AND kind = 'review'";
        let mut statement = self.connection.prepare_cached(sql)?;
        let runs: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<SqlResult<_>>()?;
        let mut found = Vec::new();
        for run in runs {
            let Some((project, ended)) = self.review(&run)? else { continue };
            let condition = "x.run = ?1 AND x.how = 'injected'";
            let shown = self.exposed_where(condition, &[&run], &|_, clock| clock <= ended)?;
            // By time: the latest of an entry remains.
            let latest: BTreeMap<EntryKey, Clock> =
                shown.into_iter().map(|(_, exposure)| (exposure.entry, exposure.clock)).collect();
            found.extend(
                latest.into_iter().map(|(key, clock)| {
                    (key, Injected { run: run.clone(), clock, project: project.clone() })
                }),
            );
        }
        found.sort_by(|(a_key, a), (b_key, b)| (a_key, a.clock, &a.run).cmp(&(b_key, b.clock, &b.run)));
        Ok(found)
    }

    /// Tells of every exposure once: the entry and when.
    pub(super) fn each_exposed(&self, each: &mut dyn FnMut(EntryKey, Clock)) -> SqlResult<()> {
        let mut singles: HashSet<(EntryKey, Clock, u64)> = HashSet::new();
        for is_summary in [false, true] {
            let sql = "SELECT x.run, x.agent, x.how, x.actor, x.shown FROM exposures x JOIN events e ON e.hash = x.hash WHERE x.summary = ?";
            let mut statement = self.connection.prepare_cached(sql)?;
            let mut rows = statement.query([is_summary])?;
            while let Some(row) = rows.next()? {
                // Without single events there is nothing that a summary could say again.
                let is_alone = is_summary && singles.is_empty();
                let whose = if is_alone { 0 } else { whose(row)? };
                for (entry, clock) in unpacked(row.get_ref(4)?.as_blob()?) {
                    let one = (entry, clock, whose);
                    let is_new =
                        is_alone || if is_summary { !singles.contains(&one) } else { singles.insert(one) };
                    if is_new {
                        each(entry, clock);
                    }
                }
            }
        }
        Ok(())
    }

    /// Which of some exposures the ledger files say in a summary already.
    pub fn summed_up(&self, exposures: &[Event]) -> SqlResult<HashSet<EventHash>> {
        let mut said: HashMap<String, HashSet<Said>> = HashMap::new();
        let mut found = HashSet::new();
        for event in exposures {
            let Some(exposed) = Exposed::read(event).filter(|exposed| !exposed.is_summary) else { continue };
            let run = redacted_text(&exposed.place);
            if !said.contains_key(&run) {
                let all = self.exposed_where("x.run = ?1 AND x.summary", &[&run], &|_, _| true)?;
                let all = all
                    .into_iter()
                    .map(|(_, seen)| (seen.entry, seen.clock, seen.agent, seen.how, seen.actor));
                said.insert(run.clone(), all.collect());
            }
            let [agent, how, actor] = [exposed.agent, exposed.how, exposed.actor].map(redacted_text);
            let is_said = |(entry, clock): &(EntryKey, Clock)| {
                said[&run].contains(&(*entry, *clock, agent.clone(), how.clone(), actor.clone()))
            };
            if exposed.shown.iter().all(is_said) {
                found.insert(event.hash);
            }
        }
        Ok(found)
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

    /// Successful runs that said they used several entries.
    pub fn runs_with_uses(&self) -> SqlResult<Vec<String>> {
        let sql = "SELECT u.run FROM uses u JOIN events e ON e.hash = u.hash
                   GROUP BY u.run HAVING count(DISTINCT u.entry) > 1 ORDER BY u.run";
        self.connection.prepare_cached(sql)?.query_map([], |row| row.get(0))?.collect()
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
        let mut times = BTreeMap::new();
        self.each_exposed(&mut |entry, _| *times.entry(entry).or_default() += 1)?;
        Ok(times)
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

    /// Names everything that a briefing looks at: entries, runs that came to something, and answers that were too weak.
    pub fn position(&self) -> SqlResult<String> {
        let sql = "SELECT value FROM meta WHERE name = 'runs'";
        let runs: Option<i64> =
            self.connection.prepare_cached(sql)?.query_row([], |row| row.get(0)).optional()?;
        let sql = "SELECT count(*) FROM entries WHERE asked > 0";
        let asked: i64 = self.connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
        Ok(format!("{:x}.{}.{asked}", self.digest()?, runs.unwrap_or(0)))
    }

    /// The belief in every entry, on some day, by key. The entries themselves, which are long, are not read.
    pub fn beliefs(&self, today: i32) -> SqlResult<Vec<(EntryKey, belief::Belief)>> {
        let sql = "SELECT key, belief FROM entries";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            if let Some((class, prior, record)) = read_belief(row.get_ref(1)?.as_str()?) {
                all.push((key_column(row, 0)?, belief::fold(&record, prior, class, today)));
            }
        }
        all.sort_unstable_by_key(|(key, _)| *key);
        Ok(all)
    }
}

/// A hash of run, agent, way and actor: the first four columns.
fn whose(row: &rusqlite::Row<'_>) -> SqlResult<u64> {
    let mut hasher = DefaultHasher::new();
    for at in 0..4 {
        row.get_ref(at)?.as_str()?.hash(&mut hasher);
    }
    Ok(hasher.finish())
}

pub(super) fn read_belief(text: &str) -> Option<(ken_core::kinds::DecayClass, belief::Beta, belief::Record)> {
    let mut parts = text.splitn(4, ' ');
    let class = ken_core::kinds::DecayClass::from_word(parts.next()?)?;
    let prior = belief::Beta { alpha: parts.next()?.parse().ok()?, beta: parts.next()?.parse().ok()? };
    Some((class, prior, parts.next()?.parse().ok()?))
}
