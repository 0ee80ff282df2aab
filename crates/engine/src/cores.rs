//! Work that falls into parts which need nothing of each other.

use std::sync::OnceLock;

use crate::limits::cores::{ALONE_MAX, WORKERS_MAX};

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
