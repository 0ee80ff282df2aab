//! Work that falls into parts which need nothing of each other.

use std::sync::OnceLock;
use std::sync::mpsc::{channel, sync_channel};

use crate::limits::cores::{AHEAD_MAX, ALONE_MAX, WORKERS_MAX};

/// How many threads work side by side. The system reads files to tell, so it is asked once.
pub fn workers() -> usize {
    static WORKERS: OnceLock<usize> = OnceLock::new();
    *WORKERS.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from).min(WORKERS_MAX))
}

/// Does something with each of many, on several cores where there are enough of them. The answers come in the same order.
pub fn each<T: Send, A: Send>(many: &mut [T], work: impl Fn(&mut T) -> A + Sync) -> Vec<A> {
    if many.len() <= ALONE_MAX || workers() == 1 {
        return many.iter_mut().map(work).collect();
    }
    let work = &work;
    let share = many.len().div_ceil(workers());
    let (own, others) = many.split_at_mut(share);
    std::thread::scope(|scope| {
        let spawn = |part| scope.spawn(move || <[T]>::iter_mut(part).map(work).collect::<Vec<A>>());
        let others: Vec<_> = others.chunks_mut(share).map(spawn).collect();
        let mut done: Vec<A> = own.iter_mut().map(work).collect();
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    })
}

/// Gets one part after the other, does something with each, and takes what came of it, in the same order, until told to stop. Only the work is
/// done by other threads: this one gets and takes meanwhile.
pub fn stream<T: Send, A: Send, E>(
    mut next: impl FnMut() -> Result<Option<T>, E>,
    work: impl Fn(T) -> A + Sync,
    mut take: impl FnMut(A) -> Result<bool, E>,
) -> Result<(), E> {
    let Some(first) = next()? else { return Ok(()) };
    let second = if workers() > 1 { next()? } else { None };
    let Some(second) = second else {
        let mut part = Some(first);
        while let Some(some) = part {
            part = if take(work(some))? { next()? } else { None };
        }
        return Ok(());
    };
    let work = &work;
    std::thread::scope(|scope| {
        let start = |_| {
            let (give, given) = sync_channel::<T>(AHEAD_MAX);
            let (answer, answers) = channel();
            scope.spawn(move || given.into_iter().try_for_each(|part| answer.send(work(part))));
            (give, answers)
        };
        let others: Vec<_> = (1..workers()).map(start).collect();
        let (mut given, mut taken) = (0, 0);
        let mut waiting = [first, second].into_iter();
        let mut is_at_end = false;
        loop {
            while !is_at_end && given - taken < others.len() * AHEAD_MAX {
                let part = waiting.next().map_or_else(&mut next, |part| Ok(Some(part)))?;
                match part.map(|part| others[given % others.len()].0.send(part)) {
                    Some(Ok(())) => given += 1,
                    Some(Err(_)) | None => is_at_end = true,
                }
            }
            // One that answers no more has panicked, and so will the scope.
            let answer = if taken < given { others[taken % others.len()].1.recv().ok() } else { None };
            let Some(answer) = answer else { return Ok(()) };
            taken += 1;
            if !take(answer)? {
                return Ok(());
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubled(count: usize, until: usize) -> Result<Vec<usize>, String> {
        let (mut next, mut taken) = (0..count, Vec::new());
        let take = |answer| {
            taken.push(answer);
            Ok::<_, String>(taken.len() < until)
        };
        stream(|| Ok(next.next()), |number| number * 2, take)?;
        Ok(taken)
    }

    #[test]
    fn a_stream_keeps_the_order_and_stops_when_told() {
        for count in [0, 1, 2, 3, 1_000] {
            let all: Vec<usize> = (0..count).map(|number| number * 2).collect();
            assert_eq!(doubled(count, usize::MAX), Ok(all));
        }
        assert_eq!(doubled(1_000, 3), Ok(vec![0, 2, 4]));
        assert_eq!(doubled(1_000, 1), Ok(vec![0]));
    }

    #[test]
    fn what_cannot_be_got_or_taken_ends_a_stream() {
        let mut left = 50;
        let next = || {
            left -= 1;
            if left == 0 { Err("nothing more") } else { Ok(Some(left)) }
        };
        assert_eq!(stream(next, |number| number, |_| Ok(true)), Err("nothing more"));
        assert_eq!(stream(|| Ok(Some(1)), |number| number, |_| Err("full")), Err("full"));
    }
}
