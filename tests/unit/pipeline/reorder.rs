use super::*;
use std::sync::atomic::{AtomicU64, Ordering};

impl OutputBlock for Vec<u8> {
    fn weight(&self) -> usize {
        self.len()
    }

    fn clear(&mut self) {
        self.clear();
    }

    fn take(&mut self, _spare: &mut Vec<Vec<u8>>) -> Self {
        std::mem::take(self)
    }
}

struct Collected(Vec<u8>, Option<usize>);

impl BlockSink<Vec<u8>> for Collected {
    fn consume(&mut self, block: &Vec<u8>) -> io::Result<()> {
        self.0.extend_from_slice(block);
        match self.1 {
            Some(limit) if self.0.len() > limit => Err(io::ErrorKind::BrokenPipe.into()),
            _ => Ok(()),
        }
    }
}

/// Ticket t writes t % 5 pieces of its number.
fn run(workers: usize, limit: usize, breaks: Option<usize>) -> (Vec<u8>, bool) {
    let ordered = ReorderBuffer::new(Collected(Vec::new(), breaks), limit, OutputOrder::Path);
    let next = AtomicU64::new(0);
    let work = || {
        let mut block = Vec::new();
        loop {
            let ticket = next.fetch_add(1, Ordering::Relaxed);
            if ticket >= 500 {
                return Ok(());
            }
            for _ in 0..ticket % 5 {
                block.extend_from_slice(format!("{ticket},").as_bytes());
                ordered.push(ticket, &mut block)?;
            }
            ordered.finish(ticket, &mut block)?;
        }
    };
    let stopped = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let mut results = handles.into_iter().map(|handle| handle.join().unwrap());
        results.any(|result: Result<(), Stopped>| result.is_err())
    });
    (ordered.into_inner().0.0, stopped)
}

#[test]
fn blocks_come_out_in_ticket_order_with_any_limit() {
    let expected: String = (0..500)
        .map(|ticket| format!("{ticket},").repeat(ticket % 5))
        .collect();
    for workers in [1, 2, 3, 8] {
        for limit in [0, 1, 10, 1 << 20] {
            let (got, stopped) = run(workers, limit, None);
            let got = String::from_utf8(got).unwrap();
            assert_eq!(
                (got, stopped),
                (expected.clone(), false),
                "{workers}, {limit}"
            );
        }
    }
}

/// Tickets that push many blocks early must not keep the current one from its memory.
#[test]
fn one_ticket_at_a_time_has_much_memory() {
    for order in [OutputOrder::Path, OutputOrder::None] {
        let ordered = ReorderBuffer::new(Collected(Vec::new(), None), 1, order);
        let (next, inside) = (AtomicU64::new(0), AtomicU64::new(0));
        let work = || {
            let mut block = Vec::new();
            loop {
                let ticket = next.fetch_add(1, Ordering::Relaxed);
                if ticket >= 300 {
                    return;
                }
                if ticket % 3 > 0 {
                    block.extend_from_slice(b"before ");
                    ordered.push(ticket, &mut block).unwrap();
                }
                ordered.acquire_memory(ticket);
                assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                block.extend_from_slice(b"meanwhile ");
                ordered.push(ticket, &mut block).unwrap();
                inside.fetch_sub(1, Ordering::SeqCst);
                ordered.release_memory(ticket);
                ordered.finish(ticket, &mut block).unwrap();
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(work);
            }
        });
    }
}

#[test]
fn a_broken_output_stops_all_workers() {
    for workers in [1, 2, 8] {
        assert!(run(workers, 10, Some(100)).1);
    }
}
