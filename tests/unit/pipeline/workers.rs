use std::panic::{self, AssertUnwindSafe};
use std::sync::Barrier;

use parking_lot::Condvar;

use super::*;

#[test]
fn all_workers_run_at_a_time() {
    for threads in [1, 2, 5] {
        let barrier = Barrier::new(threads);
        let results = run_workers(threads, || {}, || barrier.wait().is_leader());
        assert_eq!(results.len(), threads);
        assert_eq!(results.iter().filter(|leader| **leader).count(), 1);
    }
}

#[test]
fn one_worker_is_the_calling_thread() {
    let threads = run_workers(1, || {}, || thread::current().id());
    assert_eq!(threads, [thread::current().id()]);
}

#[test]
fn a_panic_of_one_worker_stops_those_that_wait_for_it() {
    let (stopped, changed) = (Mutex::new(false), Condvar::new());
    let (next, stop) = (Mutex::new(0), || {
        *stopped.lock() = true;
        changed.notify_all();
    });
    let work = || {
        let number = {
            let mut next = next.lock();
            *next += 1;
            *next
        };
        assert!(number != 2, "the second worker");
        changed.wait_while(&mut stopped.lock(), |stopped| !*stopped);
    };
    let run = AssertUnwindSafe(|| run_workers(3, stop, work));
    assert!(panic::catch_unwind(run).is_err());
}

#[test]
fn results_are_in_the_order_of_the_items() {
    let items: Vec<usize> = (0..1000).collect();
    let doubled: Vec<usize> = items.iter().map(|item| item * 2).collect();
    for (threads, grain) in [(0, 1), (1, 1), (2, 1), (8, 1), (8, 100), (8, 5000)] {
        let got = map_items(threads, grain, &items, || (), |(), item| item * 2);
        assert_eq!(got, doubled, "{threads} threads, {grain} items each");
    }
    assert!(map_items(4, 1, &[] as &[u8], || (), |(), item| *item).is_empty());
}
