//! Writing: whoever has a node's turn writes what waits as one transaction, which begins with the lock of the log's head. Under it
//! the cache is brought to the very end, so that decisions are checked against what is there.

use std::collections::HashSet;
use std::sync::mpsc::{SyncSender, TryRecvError, sync_channel};
use std::sync::{Condvar, Mutex, PoisonError};

use ken_core::event::{EntryEvent, Event, Line};
use ken_core::{Body, Clock, Code, EventHash, Refusal, ReplicaId};
use ken_engine::log::{check, check_line, hash_of};
use ken_engine::{AppendError, Appended, Bytes, Error, ReadSet, Received, Result, Sealer, Tail};
use ken_index::{Index, index_error};
use postgres::Client;
use postgres::types::Type;

use crate::cache::{self, Lines};
use crate::database::{Trouble, until_connected};
use crate::head::{Batch, HEAD, Head, batches_behind, bytes_of};
use crate::limits::{BEHIND_MAX, FOLLOWED_BYTES, GATHERED, GROUP_MAX};
use crate::{PostgresLog, Turn, admin, locked};

type Outcome = std::result::Result<Appended, AppendError>;

/// Appends that wait, and whether somebody is writing some.
#[derive(Default)]
pub(crate) struct Queue {
    line: Mutex<Waits>,
    /// Somebody came.
    came: Condvar,
    /// Somebody was served, or nobody is writing any more.
    moved: Condvar,
}

#[derive(Default)]
struct Waits {
    /// The oldest first.
    waiting: Vec<Waiting>,
    is_led: bool,
    /// How many were written together last.
    last: usize,
}

struct Waiting {
    read: ReadSet,
    seal: Sealer,
    answer: SyncSender<Outcome>,
}

/// Whoever writes for those who wait, until it is dropped.
struct Leader<'a>(&'a Queue);

impl Drop for Leader<'_> {
    fn drop(&mut self) {
        locked(&self.0.line).is_led = false;
        self.0.moved.notify_all();
    }
}

/// Appends together with others. Whoever finds nobody writing writes for all who wait; the others sleep until they are served.
pub(crate) fn append(log: &PostgresLog, read: &ReadSet, seal: Sealer) -> Outcome {
    let Queue { line, came, moved } = &log.queue;
    let (answer, outcome) = sync_channel(1);
    let mut waits = locked(line);
    waits.waiting.push(Waiting { read: read.clone(), seal, answer });
    came.notify_one();
    loop {
        match outcome.try_recv() {
            Ok(outcome) => return outcome,
            Err(TryRecvError::Empty) => {}
            Err(TryRecvError::Disconnected) => {
                let stopped =
                    "the thread that was writing stopped; look whether it was written before you try again";
                return Err(Error::failed("appending with others")(stopped).into());
            }
        }
        if waits.is_led {
            waits = moved.wait(waits).unwrap_or_else(PoisonError::into_inner);
            continue;
        }
        waits.is_led = true;
        let leader = Leader(&log.queue);
        // Those who were written last are about to come again: alone, the first of them would make all others wait for a sync.
        let are_fewer = |waits: &mut Waits| waits.waiting.len() < waits.last.min(GROUP_MAX);
        (waits, _) =
            came.wait_timeout_while(waits, GATHERED, are_fewer).unwrap_or_else(PoisonError::into_inner);
        let count = waits.waiting.len().min(GROUP_MAX);
        let group = waits.waiting.drain(..count).collect();
        waits.last = count;
        drop(waits);
        append_group(log, &mut log.turn(), group);
        drop(leader);
        waits = locked(line);
    }
}

/// Writes what waited.
fn append_group(log: &PostgresLog, turn: &mut Turn, mut waiting: Vec<Waiting>) {
    let mut outcomes: Vec<Outcome> = Vec::new();
    let written = write(log, turn, "appending to PostgreSQL", &mut |index, writing| {
        outcomes.clear();
        for Waiting { read, seal, .. } in &mut waiting {
            outcomes.push(seal_one(index, writing, read, seal));
        }
        Ok(())
    });
    if let Err(error) = written {
        // Who was refused is refused all the same.
        outcomes.resize_with(waiting.len(), || Ok(Appended::default()));
        for outcome in outcomes.iter_mut().filter(|outcome| outcome.is_ok()) {
            *outcome = Err(error.repeated().into());
        }
    }
    for (waiting, outcome) in waiting.into_iter().zip(outcomes) {
        // Who no longer waits has no use for it.
        let _ = waiting.answer.send(outcome);
    }
}

/// Seals one append behind those that are written with it.
fn seal_one(index: &Index, writing: &mut Writing, read: &ReadSet, seal: &mut Sealer) -> Outcome {
    if !read.is_empty() {
        writing.tell(index).map_err(index_error)?;
        if let Some(conflict) = read.conflict(index)? {
            return Err(AppendError::Conflict(conflict));
        }
    }
    let batch = seal(&writing.tail)?;
    check(&batch, &writing.tail)?;
    let lines: Vec<Line> = batch.events.iter().map(|event| Line::Event(Box::new(event.clone()))).collect();
    lines.iter().try_for_each(check_line)?;
    writing.follow(&batch.events, batch.clock);
    let continues = batch.continues.and_then(|first| i64::try_from(first).ok());
    writing.add(Some(writing.tail.replica), continues, lines);
    Ok(Appended { events: batch.events, notices: batch.notices })
}

/// Takes in lines of others.
pub(crate) fn receive(log: &PostgresLog, lines: &[Line]) -> Result<Received> {
    let mut received = Received::default();
    write(log, &mut log.turn(), "taking lines into PostgreSQL", &mut |index, writing| {
        let (known, mut seen) = (Lines(index.connection()), HashSet::new());
        let mut fresh = Vec::new();
        for line in lines {
            let hash = hash_of(line);
            let is_erased = match line {
                Line::Event(event) => index.purge_counts(event).map_err(index_error)?,
                Line::Stub(_) => false,
            };
            if !is_erased && seen.insert(hash) && known.line(&hash).map_err(index_error)?.is_none() {
                fresh.push(line.clone());
            }
        }
        received = Received { new: fresh.len(), known: lines.len() - fresh.len() };
        writing.add(None, None, fresh);
        Ok(())
    })?;
    Ok(received)
}

/// Takes the bytes of events out. The database asks for itself whether a purge names them.
pub(crate) fn erase(log: &PostgresLog, hashes: &[EventHash]) -> Result<Vec<String>> {
    let mut turn = log.turn();
    log.follow(&mut turn)?;
    let mut stubs = Vec::new();
    for hash in hashes {
        let line = Lines(turn.index.connection()).line(hash).map_err(index_error)?;
        let Some(event) = line.and_then(cache::event_of) else { continue };
        if !turn.index.purge_counts(&event).map_err(index_error)? {
            let message = format!("no valid purge names event {hash}; it is kept");
            return Err(Refusal::new(Code::NotAllowed, message).into());
        }
        stubs.push(event.stub());
    }
    log.workspace.patiently("erasing events in PostgreSQL", |client| {
        for stub in &stubs {
            let (hash, line) = (&stub.hash.0[..], stub.line());
            let given: [(&(dyn postgres::types::ToSql + Sync), Type); 2] =
                [(&hash, Type::BYTEA), (&line, Type::TEXT)];
            client.query_typed("SELECT kenning.erase($1, $2)", &given)?;
        }
        Ok(())
    })?;
    log.follow(&mut turn)?;
    Ok(Vec::new())
}

/// What is about to be written, behind an end of the log.
pub(crate) struct Writing {
    head: Head,
    tail: Tail,
    batches: Vec<Batch>,
    /// How many of the batches the index was told.
    told: usize,
}

impl Writing {
    fn add(&mut self, replica: Option<ReplicaId>, continues: Option<i64>, lines: Vec<Line>) {
        if !lines.is_empty() {
            let position = self.head.position + 1 + self.batches.len() as i64;
            self.batches.push(Batch { position, replica, continues, lines });
        }
    }

    /// Moves the end behind events.
    fn follow(&mut self, events: &[Event], clock: Clock) {
        let Some(last) = events.last() else { return };
        (self.tail.seq, self.tail.clock) = (last.seq, clock);
        if let Some(newest) = events.iter().rfind(|event| !event.is_deferred()) {
            self.tail.heads = vec![newest.hash];
        }
    }

    /// Tells the index what it was not told yet: the next decision is checked against it.
    fn tell(&mut self, index: &Index) -> rusqlite::Result<()> {
        cache::tell(index, &self.batches[self.told..])?;
        self.told = self.batches.len();
        Ok(())
    }
}

/// Says what to write at the end of a log. Asked again with another end where the first one was not written.
type Prepare<'a> = dyn FnMut(&Index, &mut Writing) -> Result<()> + 'a;

/// Writes at the end of the log, in the database and in the cache: all of it or nothing.
fn write(log: &PostgresLog, turn: &mut Turn, doing: &str, prepare: &mut Prepare<'_>) -> Result<()> {
    // What a transaction was to write of which nobody knows whether it was committed.
    let mut unclear: Option<EventHash> = None;
    let lock = format!("{HEAD} FOR UPDATE");
    let written = until_connected(doing, || {
        let (mut transaction, row) = log.workspace.begin(&lock)?;
        let mut head = Head::read(&row)?;
        if head.position - turn.position > BEHIND_MAX {
            // Nobody waits for a node that is far behind.
            transaction.abandon();
            log.follow(turn)?;
            let (again, row) = log.workspace.begin(&lock)?;
            (transaction, head) = (again, Head::read(&row)?);
        }
        let client = &mut transaction.client;
        log.follow_to(&head, turn, |position| batches_behind(client, position, Bytes(FOLLOWED_BYTES)))?;
        // Whoever held the lock has ended: what it committed is here.
        if let Some(hash) = unclear.take()
            && Lines(turn.index.connection()).line(&hash)?.is_some()
        {
            transaction.abandon();
            return Ok(());
        }
        let tail = continued(&head)?;
        turn.index.begin_write()?;
        let mut writing = Writing { head, tail, batches: Vec::new(), told: 0 };
        let sent = turn
            .index
            .add_own(writing.tail.replica)
            .map_err(Trouble::from)
            .and_then(|()| Ok(prepare(&turn.index, &mut writing)?))
            .and_then(|()| Ok(writing.tell(&turn.index)?));
        if sent.is_err() || writing.batches.is_empty() {
            turn.index.abandon_write();
            transaction.abandon();
            return sent;
        }
        let sent = send(&mut transaction.client, &writing).and_then(|()| transaction.commit());
        if let Err(trouble) = sent {
            turn.index.abandon_write();
            if matches!(trouble, Trouble::Unclear(_)) {
                unclear = writing.batches[0].lines.first().map(hash_of);
            }
            return Err(trouble);
        }
        let end = writing.head.position + writing.batches.len() as i64;
        // It is acknowledged: a cache that cannot keep it is made anew by the next call.
        match turn.index.end_write() {
            Ok(()) => turn.position = end,
            Err(_) => log.start_anew(turn)?,
        }
        log.note(turn, writing.batches.iter().map(|batch| batch.lines.len()).sum());
        Ok(())
    });
    match (written, unclear) {
        (Err(error), Some(_)) => {
            let told = format!("{error}; nobody knows whether it was written, look before you try again");
            Err(Error::failed(doing)(told))
        }
        (written, _) => written,
    }
}

/// The end that the next event follows. On a server or a timeline that did not write it, the last number may have been used for something that was lost:
/// the log goes on under a new name.
fn continued(head: &Head) -> Result<Tail> {
    if head.lineage.is_empty() || head.lineage == head.lineage_now {
        return Ok(head.tail.clone());
    }
    Ok(Tail { replica: admin::new_replica()?, seq: 0, clock: Clock::ZERO, heads: Vec::new() })
}

/// Sends batches and the new end, as one statement.
fn send(client: &mut Client, writing: &Writing) -> std::result::Result<(), Trouble> {
    let Writing { head, tail, batches, .. } = writing;
    let each = |of: fn(&Batch) -> i64| -> Vec<i64> { batches.iter().map(of).collect() };
    let positions = each(|batch| batch.position);
    let replicas: Vec<Option<Vec<u8>>> =
        batches.iter().map(|batch| batch.replica.map(|replica| replica.0.to_vec())).collect();
    let continues: Vec<Option<i64>> = batches.iter().map(|batch| batch.continues).collect();
    let bytes = each(|batch| bytes_of(&batch.lines));
    let (mut of, mut numbers, mut hashes, mut lines) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut purged, mut said_in) = (Vec::new(), Vec::new());
    for Batch { position, lines: told, .. } in batches {
        for (number, line) in (0_i32..).zip(told) {
            let hash = hash_of(line).0.to_vec();
            if let Line::Event(event) = line
                && let Some(Body::Entry(EntryEvent::Purged { hashes, .. })) = &event.body
            {
                purged.extend(hashes.iter().map(|hash| hash.0.to_vec()));
                said_in.resize(purged.len(), hash.clone());
            }
            of.push(*position);
            numbers.push(number);
            hashes.push(hash);
            lines.push(cache::text_of(line));
        }
    }
    let end = head.position + batches.len() as i64;
    let newest: Vec<Vec<u8>> = tail.heads.iter().map(|hash| hash.0.to_vec()).collect();
    let seq = i64::try_from(tail.seq).unwrap_or(i64::MAX);
    let replica = &tail.replica.0[..];
    let moved = client.execute_typed(
        include_str!("../sql/write.sql"),
        &[
            (&positions, Type::INT8_ARRAY),
            (&replicas, Type::BYTEA_ARRAY),
            (&continues, Type::INT8_ARRAY),
            (&bytes, Type::INT8_ARRAY),
            (&of, Type::INT8_ARRAY),
            (&numbers, Type::INT4_ARRAY),
            (&hashes, Type::BYTEA_ARRAY),
            (&lines, Type::TEXT_ARRAY),
            (&purged, Type::BYTEA_ARRAY),
            (&said_in, Type::BYTEA_ARRAY),
            (&end, Type::INT8),
            (&replica, Type::BYTEA),
            (&seq, Type::INT8),
            (&tail.clock.packed(), Type::INT8),
            (&newest, Type::BYTEA_ARRAY),
            (&head.lineage_now, Type::TEXT),
            (&head.position, Type::INT8),
        ],
    )?;
    if moved == 1 {
        return Ok(());
    }
    Err(Error::failed("appending to PostgreSQL; nothing was written")(
        "the head of the log is not where it was",
    )
    .into())
}
