//! Where the log of a workspace ends, as its one row says, and reading what lies before that.

use ken_core::event::{Line, read_line};
use ken_core::{Clock, EventHash, ReplicaId};
use ken_engine::log::line_bytes;
use ken_engine::{Bytes, Error, Result, Tail};
use postgres::Client;
use postgres::types::Type;

use crate::database::Trouble;
use crate::limits::BATCHES_TOGETHER;

/// The query that gives a head; with `FOR UPDATE` behind it, it is the turn to write.
pub(crate) const HEAD: &str = include_str!("../sql/head.sql");

/// The end of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) position: i64,
    pub(crate) erasures: i64,
    pub(crate) tail: Tail,
    /// The server and timeline that its last number is known on, and those it is on now.
    pub(crate) lineage: String,
    pub(crate) lineage_now: String,
}

/// A batch as the database has it.
#[derive(Clone, Debug)]
pub(crate) struct Batch {
    pub(crate) position: i64,
    /// The name it was appended under; none where it was received.
    pub(crate) replica: Option<ReplicaId>,
    /// The first number of the command that it goes on with.
    pub(crate) continues: Option<i64>,
    pub(crate) lines: Vec<Line>,
}

impl Head {
    pub(crate) fn read(row: &[Option<String>]) -> Result<Head> {
        Head::parse(row).ok_or_else(|| {
            Error::failed("reading the end of the log")("its row is not there, or is not what it should be")
        })
    }

    fn parse(row: &[Option<String>]) -> Option<Head> {
        let [position, erasures, replica, seq, clock, newest, lineage, lineage_now] = row else {
            return None;
        };
        let newest = newest.as_deref().unwrap_or_default().split_whitespace();
        Some(Head {
            position: position.as_ref()?.parse().ok()?,
            erasures: erasures.as_ref()?.parse().ok()?,
            tail: Tail {
                replica: replica.as_ref()?.parse().ok()?,
                seq: seq.as_ref()?.parse().ok()?,
                clock: Clock::unpacked(clock.as_ref()?.parse().ok()?),
                heads: newest.map(|hash| hash.parse().ok()).collect::<Option<Vec<EventHash>>>()?,
            },
            lineage: lineage.clone()?,
            lineage_now: lineage_now.clone()?,
        })
    }
}

/// The batches behind a position, at most so many bytes of them, but one if there is any.
pub(crate) fn batches_behind(
    client: &mut Client,
    position: i64,
    limit: Bytes,
) -> std::result::Result<Vec<Batch>, Trouble> {
    let mut batches: Vec<Batch> = Vec::new();
    let (mut at, mut bytes) = (position, 0_u64);
    loop {
        let sizes = client.query_typed(
            include_str!("../sql/batches.sql"),
            &[(&at, Type::INT8), (&BATCHES_TOGETHER, Type::INT8)],
        )?;
        let begun = batches.len();
        for row in &sizes {
            bytes = bytes.saturating_add(u64::try_from(row.try_get::<_, i64>(3)?).unwrap_or(0));
            if bytes > limit.0 && !batches.is_empty() {
                break;
            }
            let replica: Option<Vec<u8>> = row.try_get(1)?;
            let replica = replica.and_then(|bytes| <[u8; 6]>::try_from(bytes).ok()).map(ReplicaId);
            let (position, continues) = (row.try_get(0)?, row.try_get(2)?);
            batches.push(Batch { position, replica, continues, lines: Vec::new() });
        }
        let new = &mut batches[begun..];
        let Some(last) = new.last().map(|batch| batch.position) else { break };
        let lines = client
            .query_typed(include_str!("../sql/lines.sql"), &[(&at, Type::INT8), (&last, Type::INT8)])?;
        for row in &lines {
            let position: i64 = row.try_get(0)?;
            let place = new.binary_search_by_key(&position, |batch| batch.position);
            let Ok(place) = place else { continue };
            new[place].lines.push(read(row.try_get(1)?)?);
        }
        let is_all = (new.len() as i64) < BATCHES_TOGETHER;
        at = last;
        if is_all || bytes > limit.0 {
            break;
        }
    }
    Ok(batches)
}

/// A line as the database has it.
pub(crate) fn read(text: &str) -> Result<Line> {
    read_line(text).map_err(|fault| Error::failed("reading the log")(format!("a line in PostgreSQL {fault}")))
}

/// How long the lines of a batch are together.
pub(crate) fn bytes_of(lines: &[Line]) -> i64 {
    i64::try_from(lines.iter().map(line_bytes).sum::<u64>()).unwrap_or(i64::MAX)
}
