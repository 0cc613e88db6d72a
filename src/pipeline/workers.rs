//! Worker threads: the calling thread, and a private pool for the others.

use std::thread;

use parking_lot::Mutex;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The most workers, unless there are more cores: each has its buffers.
const MAX_WORKERS: usize = 256;

/// Returns the number of workers for a number of threads; 0 means one for each core.
pub(crate) fn worker_count(threads: usize) -> usize {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let wanted = if threads > 0 { threads } else { cores };
    wanted.min(MAX_WORKERS.max(cores))
}

/// Runs `work` once on each of up to `threads` threads, the calling one among them; returns the results in no
/// order. Fewer are used where the system refuses more.
///
/// `work` may block: no thread runs it twice. `stop` is called when a worker panics, and must make the others
/// return, since they may wait for the ticket of that worker. Panics then.
pub(crate) fn run_workers<T: Send>(
    threads: usize,
    stop: impl Fn() + Sync,
    work: impl Fn() -> T + Sync,
) -> Vec<T> {
    let results = Mutex::new(Vec::new());
    let run = || {
        let _guard = WorkerGuard(&stop);
        let result = work();
        results.lock().push(result);
    };
    match pool(threads.saturating_sub(1)) {
        None => run(),
        Some(pool) => pool.in_place_scope(|scope| {
            // A broadcast runs a task on each thread; other tasks could be run one after the
            // other by a thread that is the first to wake.
            scope.spawn_broadcast(|_, _| run());
            run();
        }),
    }
    results.into_inner()
}

/// Returns the results of `map` for all items, in their order, by up to `threads` threads, each for at least
/// `grain` items; `init` makes the state that `map` reuses.
pub(crate) fn map_items<S, T: Sync, R: Send>(
    threads: usize,
    grain: usize,
    items: &[T],
    init: impl Fn() -> S + Send + Sync,
    map: impl Fn(&mut S, &T) -> R + Send + Sync,
) -> Vec<R> {
    let threads = threads.min(items.len() / grain);
    match Some(threads).filter(|&threads| threads > 1).and_then(pool) {
        Some(pool) => pool.install(|| items.par_iter().map_init(init, map).collect()),
        None => {
            let mut state = init();
            items.iter().map(|item| map(&mut state, item)).collect()
        }
    }
}

/// Stops all workers when the worker that holds it panics.
struct WorkerGuard<F: Fn()>(F);

impl<F: Fn()> Drop for WorkerGuard<F> {
    fn drop(&mut self) {
        if thread::panicking() {
            (self.0)();
        }
    }
}

/// Returns a pool of `threads` threads, or half as many as often as the system refuses them.
fn pool(mut threads: usize) -> Option<ThreadPool> {
    while threads > 0 {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        if pool.is_ok() {
            return pool.ok();
        }
        threads /= 2;
    }
    None
}

#[cfg(test)]
#[path = "../../tests/unit/pipeline/workers.rs"]
mod tests;
