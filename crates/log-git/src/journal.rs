//! The journal: this clone's own append-only record of everything it wrote, outside the tree and untouched by git (STO-5).
//!
//! A segment is a file of frames. A frame is one write: a header line with the length and checksum of what follows, then a line per event,
//! each with the ledger file it belongs to. A frame counts when it is whole, and is acknowledged when it is synced.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ken_core::event::{Line, LineFault, read_line};
use ken_core::{Clock, EventHash};
use serde::{Deserialize, Serialize};

use crate::disk::Disk;
use crate::limits::trim::FREED_PART;
use crate::segment_files::SegmentFiles;

/// A segment grows to this size before the next one begins: small enough to read whole after a crash.
pub const SEGMENT_BYTES_MAX: u64 = 8 * 1024 * 1024;

const MARK: &str = "#ken1 ";
/// Bytes that the head of a frame has at most: numbers, a hash, and the names of a branch and a worktree.
const HEAD_BYTES_MAX: u64 = 4096;
/// Heads that are looked at to know whose frames they are; more frames than that are a burst of one writer.
const HEADS_LOOKED_AT_MAX: usize = 64;

/// A place in the journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// The number of the segment, from 1.
    pub segment: u64,
    /// Bytes from its beginning.
    pub offset: u64,
}

/// Where a frame was written from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The branch that was checked out; empty when none was.
    #[serde(default)]
    pub branch: String,
    /// The worktree: empty for the main one.
    #[serde(default)]
    pub tree: String,
    /// The run of the machine, to tell a power loss from a deliberate change.
    #[serde(default)]
    pub boot: String,
    /// The first running number of the command whose earlier frames this one goes on with: `undo` takes them back together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continues: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct Header {
    bytes: u64,
    check: String,
    clock: Clock,
    #[serde(flatten)]
    origin: Origin,
    seq: u64,
}

/// One event of a frame, with the ledger file it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The ledger file, below the store's folder, without the two-digit subfolder.
    pub file: String,
    /// The line of the event, or what a purge left of it.
    pub text: String,
}

impl Record {
    /// The line, read. Frames are checked as a whole, so this fails only on what was damaged before it was written.
    pub fn line(&self) -> Result<Line, LineFault> {
        read_line(&self.text)
    }

    /// The hash the line states, found without reading the line: enough to ask whether it is known already.
    pub fn stated_hash(&self) -> Option<EventHash> {
        let after =
            if self.text.starts_with("{\"hash\":\"") { 9 } else { self.text.rfind(",\"hash\":\"")? + 9 };
        self.text.get(after..after + 40)?.parse().ok()
    }
}

/// One write, read back.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Where it begins.
    pub start: Position,
    /// Where the next one begins.
    pub end: Position,
    /// Where it was written from.
    pub origin: Origin,
    /// What it says.
    pub records: Vec<Record>,
}

/// What is to be written as one frame.
pub struct Written {
    /// The lines, in their order.
    pub records: Vec<Record>,
    /// This clone's last running number after them.
    pub seq: u64,
    /// This clone's clock after them.
    pub clock: Clock,
}

/// Something in the journal that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    pub at: Position,
    /// What is wrong.
    pub problem: String,
}

/// What a writer must know of what was written before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tail {
    end: Position,
    /// The last running number that was used.
    pub seq: u64,
    /// The latest clock that was used.
    pub clock: Clock,
}

impl Tail {
    const EMPTY: Tail = Tail { end: Position { segment: 1, offset: 0 }, seq: 0, clock: Clock::ZERO };
}

/// A journal in some folder.
#[derive(Clone)]
pub struct Journal {
    files: SegmentFiles,
    segment_bytes_max: u64,
}

impl Journal {
    /// A journal in a folder, which need not exist yet.
    pub fn new(disk: Arc<dyn Disk>, folder: PathBuf) -> Self {
        Journal { files: SegmentFiles { disk, folder }, segment_bytes_max: SEGMENT_BYTES_MAX }
    }

    /// The same journal with other segments: tests want small ones.
    pub fn with_segments_of(self, segment_bytes_max: u64) -> Self {
        Journal { segment_bytes_max, ..self }
    }

    pub fn folder(&self) -> &Path {
        &self.files.folder
    }

    /// The numbers of its segments, in order.
    pub fn segments(&self) -> io::Result<Vec<u64>> {
        self.files.numbers()
    }

    /// A number that changes whenever bytes that were already read may have changed: after a purge or a clean-up.
    pub fn generation(&self) -> u64 {
        let bytes = self.files.disk.read(&self.files.folder.join("generation"), 0).unwrap_or_default();
        String::from_utf8_lossy(&bytes).trim().parse().unwrap_or(0)
    }

    /// Whether anything lies behind a position: a cheap question for every command.
    pub fn has_more(&self, from: Position) -> bool {
        let size = |segment| self.files.disk.looks(&self.files.segment(segment)).map(|looks| looks.size);
        match size(from.segment.max(1)) {
            Ok(size) => {
                size > from.offset || self.files.disk.looks(&self.files.segment(from.segment + 1)).is_ok()
            }
            Err(_) => self.segments().is_ok_and(|all| all.iter().any(|segment| *segment > from.segment)),
        }
    }

    /// Whether it ends before a position that somebody once read up to: it was deleted, cut, or replaced by an older copy of itself.
    pub fn ends_before(&self, read: Position) -> bool {
        if read.offset == 0 {
            return false;
        }
        match self.files.disk.looks(&self.files.segment(read.segment)) {
            Ok(looks) => looks.size < read.offset,
            // Segments that went elsewhere leave word of where they ended.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                !self.has_more(read) && self.files.hint().is_none_or(|hint| hint.end < read)
            }
            Err(_) => false,
        }
    }

    /// Begins a generation after its own and after one that somebody remembers: what is remembered of its bytes no longer holds.
    pub fn begin_generation_after(&self, known: u64) -> io::Result<()> {
        let next = self.generation().max(known) + 1;
        self.files.disk.replace_synced(&self.files.folder.join("generation"), next.to_string().as_bytes())
    }

    /// When something was last written behind a position, in nanoseconds since the epoch.
    pub fn changed_behind(&self, from: Position) -> Option<i64> {
        let last = self.segments().ok()?.into_iter().filter(|segment| *segment >= from.segment).max()?;
        self.files.disk.looks(&self.files.segment(last)).ok().map(|looks| looks.mtime)
    }

    /// Whether everything behind a position was written from one worktree, by the heads of its frames alone: a bulk add is megabytes that
    /// nobody reads just to know whose they are. False where nothing whole is there.
    pub fn is_all_from(&self, from: Position, tree: &str) -> io::Result<bool> {
        let mut seen = 0;
        for segment in self.segments()?.into_iter().filter(|segment| *segment >= from.segment) {
            let path = self.files.segment(segment);
            let size = match self.files.disk.looks(&path) {
                Ok(looks) => looks.size,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            let mut at = if segment == from.segment { from.offset } else { 0 };
            while at < size && seen < HEADS_LOOKED_AT_MAX {
                let head = self.files.disk.read_exact(&path, at, HEAD_BYTES_MAX.min(size - at))?;
                let Some((header, length)) = header_at(&head, 0) else { break };
                let end = at.saturating_add(length as u64).saturating_add(header.bytes);
                if end > size {
                    break;
                }
                if header.origin.tree != tree {
                    return Ok(false);
                }
                seen += 1;
                at = end;
            }
        }
        Ok(seen > 0)
    }

    /// Every whole frame from a position on, and what could not be read.
    ///
    /// An unfinished frame at the very end is somebody writing right now, or a crash: it is left out and is not damage.
    pub fn read(&self, from: Position) -> io::Result<(Vec<Frame>, Vec<Damage>)> {
        self.read_some(from, u64::MAX)
    }

    /// The same, a segment at a time, until so many bytes were read.
    pub fn read_some(&self, from: Position, bytes_max: u64) -> io::Result<(Vec<Frame>, Vec<Damage>)> {
        let mut frames = Vec::new();
        let mut damage = Vec::new();
        let mut read = 0;
        for segment in self.segments()?.into_iter().filter(|segment| *segment >= from.segment) {
            if read > 0 && read >= bytes_max {
                break;
            }
            let offset = if segment == from.segment { from.offset } else { 0 };
            read += self.read_segment(Position { segment, offset }, &mut frames, &mut damage)?;
        }
        Ok((frames, damage))
    }

    /// The same of one segment, with how many bytes were read. One that is gone has none.
    pub fn read_segment(
        &self,
        from: Position,
        frames: &mut Vec<Frame>,
        damage: &mut Vec<Damage>,
    ) -> io::Result<u64> {
        let bytes = match self.files.disk.read(&self.files.segment(from.segment), from.offset) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            Err(error) => return Err(error),
        };
        parse(&bytes, from, frames, damage);
        self.judge_end(from.segment, from.offset, &bytes, frames, damage);
        Ok(bytes.len() as u64)
    }

    /// Hands over every frame from the beginning, a segment at a time, and answers what is damaged: whoever needs no more than a look at
    /// each need not hold them all.
    pub fn each(&self, each: &mut dyn FnMut(Frame)) -> io::Result<Vec<Damage>> {
        let mut damage = Vec::new();
        for segment in self.segments()? {
            let bytes = match self.files.disk.read(&self.files.segment(segment), 0) {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            let mut frames = Vec::new();
            parse(&bytes, Position { segment, offset: 0 }, &mut frames, &mut damage);
            self.judge_end(segment, 0, &bytes, &mut frames, &mut damage);
            drop(bytes);
            frames.into_iter().for_each(&mut *each);
        }
        Ok(damage)
    }

    /// What stands behind the last whole frame is somebody writing, or a crash; unless it was acknowledged once, then it is damage.
    fn judge_end(
        &self,
        segment: u64,
        offset: u64,
        bytes: &[u8],
        frames: &mut Vec<Frame>,
        damage: &mut Vec<Damage>,
    ) {
        let end = frames
            .iter()
            .rev()
            .find(|frame| frame.start.segment == segment)
            .map_or(offset, |frame| frame.end.offset);
        let size = offset + bytes.len() as u64;
        if end >= size
            || self.files.hint().is_none_or(|hint| hint.end != (Position { segment, offset: size }))
        {
            return;
        }
        let start = Position { segment, offset: end };
        damage.push(Damage { at: start, problem: "the last acknowledged frame is damaged".to_owned() });
        let Some(rest) = usize::try_from(end - offset).ok().and_then(|at| bytes.get(at..)) else { return };
        let mut records = records(rest);
        records.retain(|record| record.line().is_ok());
        if !records.is_empty() {
            frames.push(Frame {
                start,
                end: Position { segment, offset: size },
                origin: Origin::default(),
                records,
            });
        }
    }

    /// The end of the last whole frame.
    pub fn end(&self) -> io::Result<Position> {
        let (frames, _) =
            self.read(Position { segment: self.segments()?.last().copied().unwrap_or(1), offset: 0 })?;
        Ok(frames.last().map_or(Position { segment: 1, offset: 0 }, |frame| frame.end))
    }

    /// The records of one frame.
    pub fn read_frame(&self, start: Position, length: u64) -> io::Result<Vec<Record>> {
        self.read_frame_and_origin(start, length).map(|(_, records)| records)
    }

    /// The same with where the frame was written from.
    pub fn read_frame_and_origin(&self, start: Position, length: u64) -> io::Result<(Origin, Vec<Record>)> {
        let bytes = self.files.disk.read_exact(&self.files.segment(start.segment), start.offset, length)?;
        if let Some((header, body)) = frame_at(&bytes, 0) {
            return Ok((header.origin, records(&bytes[body])));
        }
        // Of a damaged frame, whatever is sound by its own hash.
        let mut found = records(&bytes);
        found.retain(|record| record.line().is_ok());
        Ok((Origin::default(), found))
    }

    /// Appends frames durably and with one sync: each is whole or not there, and all are acknowledged by returning.
    ///
    /// `write` is called under the lock with what was written before, and gives the frames with where each was written from: the lines
    /// in their order with the ledger file of each, and this clone's running number and clock after them. It may refuse, and then nothing
    /// is written.
    pub fn append<E: From<io::Error>>(
        &self,
        write: impl FnOnce(&Tail) -> Result<Vec<(Origin, Written)>, E>,
    ) -> Result<(), E> {
        let _held = self.lock()?;
        let tail = self.settled_tail()?;
        let mut bytes = Vec::new();
        let mut last = None;
        for (origin, Written { records, seq, clock }) in write(&tail)? {
            if records.is_empty() {
                continue;
            }
            let borrowed: Vec<(&str, &str)> =
                records.iter().map(|record| (record.file.as_str(), record.text.as_str())).collect();
            bytes.extend(encode(&borrowed, seq, clock, &origin));
            last = Some((seq, clock));
        }
        if let Some((seq, clock)) = last {
            self.append_bytes(tail, &bytes, seq, clock)?;
        }
        Ok(())
    }

    /// Takes over what another journal holds and empties that (STO-2: a sandbox's journal moves home). Says how many events came.
    pub fn take_over(&self, other: &Journal) -> io::Result<usize> {
        // Whoever still writes there waits, and finds it empty.
        let _theirs = other.lock()?;
        let their_tail = other.settled_tail()?;
        let (frames, _) = other.read(Position { segment: 1, offset: 0 })?;
        let _held = self.lock()?;
        let mut tail = self.settled_tail()?;
        // A process that died here before took some over already.
        let (own, _) = self.read(Position { segment: 1, offset: 0 })?;
        let known: HashSet<EventHash> =
            own.iter().flat_map(|frame| &frame.records).filter_map(Record::stated_hash).collect();
        let is_known = |record: &Record| record.stated_hash().is_some_and(|hash| known.contains(&hash));
        let mut events = 0;
        for frame in frames.iter().filter(|frame| !frame.records.iter().all(is_known)) {
            let records: Vec<(&str, &str)> =
                frame.records.iter().map(|r| (r.file.as_str(), r.text.as_str())).collect();
            let bytes = encode(&records, tail.seq, tail.clock, &frame.origin);
            tail = self.append_bytes(tail, &bytes, tail.seq, tail.clock)?;
            events += frame.records.len();
        }
        // Its numbers must never repeat, so their end stays, and is durable before the frames that show it go.
        let hint = ken_core::canonical::to_string(&their_tail);
        other.files.disk.replace_synced(&other.files.tail(), hint.as_bytes())?;
        for segment in other.segments()? {
            other.files.disk.remove(&other.files.segment(segment))?;
        }
        Ok(events)
    }

    /// Whoever holds this is alone with its bytes.
    pub(crate) fn lock(&self) -> io::Result<Box<dyn Send>> {
        self.files.disk.lock(&self.files.folder.join("lock"))
    }

    /// Appends frames at a settled tail, and gives the tail after them.
    fn append_bytes(&self, tail: Tail, frames: &[u8], seq: u64, clock: Clock) -> io::Result<Tail> {
        let mut at = tail.end;
        if at.offset > 0 && at.offset + frames.len() as u64 > self.segment_bytes_max {
            at = Position { segment: at.segment + 1, offset: 0 };
        }
        let path = self.files.segment(at.segment);
        let new = at.offset == 0;
        let written = self.files.disk.append(&path, frames).and_then(|()| self.files.disk.sync(&path));
        let written =
            written.and_then(|()| if new { self.files.disk.sync_folder(&self.files.folder) } else { Ok(()) });
        if let Err(error) = written {
            // Not acknowledged: take back whatever part of it was written, so that nobody sees it later.
            let _ =
                if new { self.files.disk.remove(&path) } else { self.files.disk.truncate(&path, at.offset) };
            let _ = if new {
                self.files.disk.sync_folder(&self.files.folder)
            } else {
                self.files.disk.sync(&path)
            };
            return Err(error);
        }
        let end = Position { segment: at.segment, offset: at.offset + frames.len() as u64 };
        let tail = Tail { end, seq, clock };
        self.files.write_hint(&tail);
        Ok(tail)
    }

    /// Makes what lies in the journal durable, also what a process wrote that died before it could sync.
    ///
    /// Whatever is derived from a frame comes after this: else a power loss could take the frame and leave a part of what followed it.
    pub fn settle(&self) -> io::Result<()> {
        let settled = self.files.hint().is_some_and(|hint| {
            let size = self.files.disk.looks(&self.files.segment(hint.end.segment)).map(|looks| looks.size);
            let next = self.files.disk.looks(&self.files.segment(hint.end.segment + 1));
            size.is_ok_and(|size| size == hint.end.offset) && next.is_err()
        });
        if settled || self.segments()?.is_empty() {
            return Ok(());
        }
        let _held = self.lock()?;
        let tail = self.settled_tail()?;
        self.files.write_hint(&tail);
        Ok(())
    }

    /// The end of the last whole frame, with everything before it durable and nothing behind it. Called under the lock.
    fn settled_tail(&self) -> io::Result<Tail> {
        let hint = self.files.hint();
        let segments = self.segments()?;
        let Some(last) = segments.last().copied() else {
            self.files.sync_way()?;
            // Segments may have been cleaned away, but numbers never repeat.
            return Ok(hint.map_or(Tail::EMPTY, |hint| Tail {
                end: Position { segment: hint.end.segment + 1, offset: 0 },
                ..hint
            }));
        };
        let size = self.files.disk.looks(&self.files.segment(last))?.size;
        if let Some(hint) = hint
            && hint.end == (Position { segment: last, offset: size })
        {
            // The hint is written when everything is synced.
            return Ok(hint);
        }
        let mut tail = Tail { end: Position { segment: last, offset: 0 }, ..hint.unwrap_or(Tail::EMPTY) };
        for segment in segments {
            let bytes = self.files.disk.read(&self.files.segment(segment), 0)?;
            let mut good = 0;
            each_frame(&bytes, |header, frame| {
                tail.seq = tail.seq.max(header.seq);
                // The last one counts, not the highest: a wrong clock is left behind (COR-4).
                tail.clock = header.clock;
                good = frame.end as u64;
            });
            if segment == last {
                tail.end.offset = good;
            }
        }
        if tail.end.offset < size {
            self.files.disk.truncate(&self.files.segment(last), tail.end.offset)?;
        }
        self.files.disk.sync(&self.files.segment(last))?;
        self.files.disk.sync_folder(&self.files.folder)?;
        self.files.sync_way()?;
        Ok(tail)
    }

    /// The bytes of all segments but the last, which is still written to.
    pub fn closed_bytes(&self) -> io::Result<u64> {
        let segments = self.segments()?;
        let closed = segments.split_last().map_or(&[][..], |(_, closed)| closed);
        closed.iter().map(|segment| Ok(self.files.disk.looks(&self.files.segment(*segment))?.size)).sum()
    }

    /// Bytes that a segment grows to.
    pub fn segment_bytes(&self) -> u64 {
        self.segment_bytes_max
    }

    /// Takes records out of closed segments, and says how many bytes that freed (STO-5). Only segments that shrink by a quarter are
    /// written anew.
    ///
    /// `moved` is called, with everybody else kept from writing, once the new segments are there.
    pub fn take_out(
        &self,
        leaves: &dyn Fn(&Record) -> bool,
        moved: &mut dyn FnMut(&Moves) -> io::Result<()>,
    ) -> io::Result<u64> {
        let _held = self.lock()?;
        // Numbers must never repeat, so their end stays, and is durable before the frames that show it may go.
        let tail = self.settled_tail()?;
        self.files
            .disk
            .replace_synced(&self.files.tail(), ken_core::canonical::to_string(&tail).as_bytes())?;
        let segments = self.segments()?;
        let closed = segments.split_last().map_or(&[][..], |(_, closed)| closed);
        let (mut moves, mut freed) = (Moves::default(), 0);
        for segment in closed {
            let path = self.files.segment(*segment);
            let bytes = self.files.disk.read(&path, 0)?;
            let Some((kept, offsets)) = without(&bytes, leaves) else { continue };
            let gone = (bytes.len() - kept.len()) as u64;
            if gone == 0 || gone < bytes.len() as u64 / FREED_PART {
                continue;
            }
            if freed == 0 {
                // Before any byte moves: an index that is made anew for nothing is no harm.
                self.begin_generation_after(0)?;
            }
            self.files.disk.replace_synced(&path, &kept)?;
            moves.0.insert(*segment, offsets);
            freed += gone;
        }
        if freed > 0 {
            moved(&moves)?;
        }
        Ok(freed)
    }

    /// Replaces the lines of purged events by stubs, in every segment (STO-13). Every other byte stays where it is.
    pub fn purge(&self, purged: &dyn Fn(&EventHash) -> bool) -> io::Result<bool> {
        let _held = self.lock()?;
        let tail = self.settled_tail()?;
        self.files.write_hint(&tail);
        let mut changed = false;
        for segment in self.segments()? {
            let path = self.files.segment(segment);
            let mut bytes = self.files.disk.read(&path, 0)?;
            if stub_out(&mut bytes, purged) {
                self.files.disk.replace_synced(&path, &bytes)?;
                changed = true;
            }
        }
        if changed {
            self.begin_generation_after(0)?;
        }
        Ok(changed)
    }
}

/// Where the frames of segments that were written anew begin now.
#[derive(Debug, Default)]
pub struct Moves(BTreeMap<u64, Offsets>);

/// Where frames of a segment began, and where they begin now; the last pair is where it ends.
type Offsets = Vec<(u64, u64)>;

impl Moves {
    /// The place that a place has now: that of the first frame at or behind it which is left.
    pub fn of(&self, at: Position) -> Position {
        let Some(offsets) = self.0.get(&at.segment) else { return at };
        let next = offsets.partition_point(|(old, _)| *old < at.offset);
        let (_, offset) = offsets.get(next).or(offsets.last()).copied().unwrap_or_default();
        Position { segment: at.segment, offset }
    }
}

/// A segment without the records that leave it, and the offsets of its frames and its end, before and after. None where it has damage:
/// what cannot be read is not written anew.
fn without(bytes: &[u8], leaves: &dyn Fn(&Record) -> bool) -> Option<(Vec<u8>, Offsets)> {
    let (mut kept, mut offsets) = (Vec::with_capacity(bytes.len()), Offsets::new());
    let mut at = 0;
    while at < bytes.len() {
        let (header, body) = frame_at(bytes, at)?;
        let end = body.end;
        offsets.push((at as u64, kept.len() as u64));
        let all = records(&bytes[body]);
        let stay: Vec<(&str, &str)> =
            all.iter().filter(|record| !leaves(record)).map(|r| (r.file.as_str(), r.text.as_str())).collect();
        if stay.len() == all.len() {
            kept.extend_from_slice(&bytes[at..end]);
        } else if !stay.is_empty() {
            kept.extend(encode(&stay, header.seq, header.clock, &header.origin));
        }
        at = end;
    }
    offsets.push((bytes.len() as u64, kept.len() as u64));
    Some((kept, offsets))
}

/// Puts stubs in the place of purged lines, and spaces into what that frees: positions in the journal stay true.
fn stub_out(bytes: &mut [u8], purged: &dyn Fn(&EventHash) -> bool) -> bool {
    let mut changed = false;
    let mut at = 0;
    while at < bytes.len() {
        let (body, whole) = match frame_at(bytes, at) {
            Some((_, body)) => (body, true),
            None => (at..next_mark(bytes, at + 1).unwrap_or(bytes.len()), false),
        };
        let end = body.end;
        let mut new = Vec::with_capacity(body.len());
        let mut hit = false;
        for line in bytes[body.clone()].split_inclusive(|byte| *byte == b'\n') {
            match records(line)
                .into_iter()
                .next()
                .filter(|r| r.stated_hash().is_some_and(|hash| purged(&hash)))
            {
                None => new.extend_from_slice(line),
                Some(record) => {
                    match record.line() {
                        // Purging again changes nothing.
                        Ok(Line::Stub(_)) => {
                            new.extend_from_slice(line);
                            continue;
                        }
                        // The name of the file may be part of what must go, and stubs need no file.
                        Ok(Line::Event(event)) => {
                            new.extend_from_slice(format!("\t{}\n", event.stub().line()).as_bytes());
                        }
                        Err(_) => {}
                    }
                    hit = true;
                }
            }
        }
        // A stub has less than its event, which has a clock and an actor besides.
        if hit && new.len() <= body.len() {
            if let Some(spaces) = (body.len() - new.len()).checked_sub(1) {
                new.extend(std::iter::repeat_n(b' ', spaces));
                new.push(b'\n');
            }
            let sum = check(&new);
            bytes[body.clone()].copy_from_slice(&new);
            if whole {
                state_check(&mut bytes[at..body.start], &sum);
            }
            changed = true;
        }
        at = end;
    }
    changed
}

/// Puts another checksum, which is as long, into the text of a header.
fn state_check(header: &mut [u8], sum: &str) {
    let name = br#""check":""#;
    if let Some(at) = header.windows(name.len()).position(|window| window == name) {
        let at = at + name.len();
        if let Some(place) = header.get_mut(at..at + sum.len()) {
            place.copy_from_slice(sum.as_bytes());
        }
    }
}

/// The bytes of a frame.
fn encode(records: &[(&str, &str)], seq: u64, clock: Clock, origin: &Origin) -> Vec<u8> {
    let mut body = Vec::with_capacity(records.iter().map(|(file, line)| file.len() + line.len() + 2).sum());
    for (file, line) in records {
        body.extend_from_slice(file.as_bytes());
        body.push(b'\t');
        body.extend_from_slice(line.as_bytes());
        body.push(b'\n');
    }
    let header = Header { bytes: body.len() as u64, check: check(&body), clock, origin: origin.clone(), seq };
    let mut frame = format!("{MARK}{}\n", ken_core::canonical::to_string(&header)).into_bytes();
    frame.extend_from_slice(&body);
    frame
}

fn check(body: &[u8]) -> String {
    EventHash::from_parts(&[body]).to_string()[..16].to_owned()
}

/// Calls back for every whole and sound frame, with its header and its place.
fn each_frame(bytes: &[u8], mut found: impl FnMut(&Header, Range<usize>)) {
    let mut at = 0;
    while at < bytes.len() {
        match frame_at(bytes, at) {
            Some((header, body)) => {
                found(&header, at..body.end);
                at = body.end;
            }
            // Something is broken here; what follows may still be sound.
            None => match next_mark(bytes, at + 1) {
                Some(next) => at = next,
                None => return,
            },
        }
    }
}

/// The whole and sound frame that begins at a place: its header, and where its body is.
fn frame_at(bytes: &[u8], at: usize) -> Option<(Header, Range<usize>)> {
    let (header, start) = header_at(bytes, at)?;
    let body = start..start.checked_add(usize::try_from(header.bytes).ok()?)?;
    (check(bytes.get(body.clone())?) == header.check).then_some((header, body))
}

fn header_at(bytes: &[u8], at: usize) -> Option<(Header, usize)> {
    let rest = bytes.get(at..)?;
    let text = rest.strip_prefix(MARK.as_bytes())?;
    let length = text.iter().position(|byte| *byte == b'\n')?;
    let header = serde_json::from_slice(&text[..length]).ok()?;
    Some((header, at + MARK.len() + length + 1))
}

fn next_mark(bytes: &[u8], from: usize) -> Option<usize> {
    let needle = MARK.as_bytes();
    (from..bytes.len().saturating_sub(needle.len()))
        .find(|at| bytes[*at - 1] == b'\n' && bytes[*at..].starts_with(needle))
}

/// Reads frames from bytes that begin at a position.
fn parse(bytes: &[u8], from: Position, frames: &mut Vec<Frame>, damage: &mut Vec<Damage>) {
    let mut at = 0;
    let place = |at: usize| Position { segment: from.segment, offset: from.offset + at as u64 };
    while at < bytes.len() {
        match frame_at(bytes, at) {
            Some((header, body)) => {
                let (end, records) = (body.end, records(&bytes[body]));
                frames.push(Frame { start: place(at), end: place(end), origin: header.origin, records });
                at = end;
            }
            None => {
                let Some(next) = next_mark(bytes, at + 1) else { return };
                damage.push(Damage { at: place(at), problem: "a frame is damaged".to_owned() });
                // It was whole once, since others follow it: keep every line of it that is sound by its own hash.
                let lines = &bytes[at..next];
                let mut records = records(lines);
                records.retain(|record| record.line().is_ok());
                if !records.is_empty() {
                    frames.push(Frame {
                        start: place(at),
                        end: place(next),
                        origin: Origin::default(),
                        records,
                    });
                }
                at = next;
            }
        }
    }
}

fn records(body: &[u8]) -> Vec<Record> {
    let lines = body.split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
    let pairs = lines.filter_map(|line| line.split_once('\t'));
    pairs.map(|(file, text)| Record { file: file.to_owned(), text: text.to_owned() }).collect()
}

/// Reads a journal segment's bytes, for tests that throw anything at it.
#[doc(hidden)]
pub fn parse_bytes(bytes: &[u8]) -> (Vec<Frame>, Vec<Damage>) {
    let (mut frames, mut damage) = (Vec::new(), Vec::new());
    parse(bytes, Position { segment: 1, offset: 0 }, &mut frames, &mut damage);
    (frames, damage)
}
