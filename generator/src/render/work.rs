//! Distributes work among threads.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The stack of a thread. Parsing and printing recurse, and a document may be nested in 127 levels.
const STACK: usize = 32 * 1024 * 1024;

/// Does each job, on as many threads as the machine has cores. Returns the results in the order of the jobs.
pub(super) fn on_all_cores<J: Sync, R: Send>(jobs: &[J], work: impl Fn(&J) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let run = || {
        let take =
            || Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|index| Some((index, jobs.get(index)?)));
        std::iter::from_fn(take).map(|(index, job)| (index, work(job))).collect::<Vec<_>>()
    };
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(jobs.len());
    let mut results = thread::scope(|scope| {
        let spawn = || thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run);
        let workers: Vec<_> = (0..threads).map(|_| spawn()).collect();
        let mut results = Vec::new();
        for worker in workers {
            match worker.map(thread::ScopedJoinHandle::join) {
                Ok(Ok(others)) => results.extend(others),
                Ok(Err(panic)) => std::panic::resume_unwind(panic),
                // Without another thread, this one does the rest.
                Err(_) => results.extend(run()),
            }
        }
        results
    });
    results.sort_unstable_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
