//! The reorder buffer: blocks of many workers, written in the order of their tickets, in bounded
//! memory.
//!
//! Each ticket belongs to a worker that is processing it. The worker of the current ticket, the lowest
//! unfinished one, writes its blocks, and those that were pushed meanwhile and whose turn has come.
//! Other blocks, and all while a worker is writing, are buffered up to a limit, beyond which their
//! workers wait. Whoever writes, and the worker of the current ticket where nobody does, never waits, so
//! the run always makes progress, and the buffer never exceeds the limit by more than one block for each
//! worker.

use std::collections::VecDeque;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::options::OutputOrder;

/// A part of the output of one ticket.
pub(crate) trait OutputBlock: Send {
    /// Returns the memory that the contents take, in bytes.
    fn weight(&self) -> usize;

    /// Removes the contents and keeps the memory.
    fn clear(&mut self);

    /// Moves the contents to a block of little more memory than they need; keeps the memory, or goes on
    /// with one of the `spare` buffers.
    fn take(&mut self, spare: &mut Vec<Vec<u8>>) -> Self;

    /// Returns a buffer for another block, if there is a large one.
    fn into_buffer(self) -> Option<Vec<u8>>
    where
        Self: Sized,
    {
        None
    }
}

/// Writes blocks.
pub(crate) trait BlockSink<B>: Send {
    /// Writes a block.
    ///
    /// # Errors
    ///
    /// Those of the output, after which nothing more is written.
    fn consume(&mut self, block: &B) -> io::Result<()>;
}

/// The error of a worker whose output is no longer wanted, since writing has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stopped;

/// Writes blocks to a sink in the order of their tickets.
pub(crate) struct ReorderBuffer<B, S> {
    state: Mutex<ReorderState<B>>,
    /// Notified when `state` has changed.
    changed: Condvar,
    /// Locked before `state` where both are. With an order, by the worker that is writing.
    sink: Mutex<S>,
    limit: usize,
    order: OutputOrder,
}

struct ReorderState<B> {
    /// The current ticket: the lowest one that is not finished.
    current: u64,
    /// Blocks of the current ticket and of later ones.
    pending: VecDeque<PendingBlocks<B>>,
    /// Whether a worker is writing. While none is, the current ticket has no pending blocks.
    is_writing: bool,
    /// The weight of all pending blocks.
    weight: usize,
    /// Buffers of blocks that were pending. Without them the heap grows and shrinks with each block, and
    /// its pages fault again and again.
    spare: Vec<Vec<u8>>,
    /// The workers that wait for a change.
    waiting: usize,
    error: Option<io::Error>,
    stopped: bool,
    /// Without an order: the ticket that may use much memory.
    exclusive: Option<u64>,
}

struct PendingBlocks<B> {
    blocks: Vec<B>,
    finished: bool,
}

impl<B: OutputBlock> ReorderState<B> {
    fn buffer(&mut self, ticket: u64, block: &mut B, part: TicketPart) {
        let index = (ticket - self.current) as usize;
        while self.pending.len() <= index {
            self.pending.push_back(PendingBlocks {
                blocks: Vec::new(),
                finished: false,
            });
        }
        self.weight += block.weight();
        let pending = &mut self.pending[index];
        pending.blocks.push(block.take(&mut self.spare));
        pending.finished = part == TicketPart::Last;
    }
}

/// Whether more blocks of a ticket follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TicketPart {
    Some,
    Last,
}

impl<B: OutputBlock, S: BlockSink<B>> ReorderBuffer<B, S> {
    /// Starts with ticket 0 and buffers up to `limit` bytes; without an order it buffers nothing.
    pub(crate) fn new(sink: S, limit: usize, order: OutputOrder) -> Self {
        ReorderBuffer {
            state: Mutex::new(ReorderState {
                current: 0,
                pending: VecDeque::new(),
                is_writing: false,
                waiting: 0,
                weight: 0,
                spare: Vec::new(),
                error: None,
                stopped: false,
                exclusive: None,
            }),
            changed: Condvar::new(),
            sink: Mutex::new(sink),
            limit,
            order,
        }
    }

    /// Writes or buffers a block of a ticket, and empties it.
    ///
    /// # Errors
    ///
    /// When the output has failed.
    pub(crate) fn push(&self, ticket: u64, block: &mut B) -> Result<(), Stopped> {
        self.push_part(ticket, block, TicketPart::Some)
    }

    /// Writes or buffers the last block of a ticket, and empties it.
    ///
    /// # Errors
    ///
    /// When the output has failed.
    pub(crate) fn finish(&self, ticket: u64, block: &mut B) -> Result<(), Stopped> {
        self.push_part(ticket, block, TicketPart::Last)
    }

    /// Waits until a ticket may use much memory, which one does at a time: the current ticket, since
    /// that never waits for another; without an order the first to ask.
    pub(crate) fn acquire_memory(&self, ticket: u64) {
        let mut state = self.lock();
        while !state.stopped {
            let granted = match self.order {
                OutputOrder::Path => state.current == ticket,
                OutputOrder::None => *state.exclusive.get_or_insert(ticket) == ticket,
            };
            if granted {
                return;
            }
            state = self.wait(state);
        }
    }

    /// Ends what [`acquire_memory`](Self::acquire_memory) began.
    pub(crate) fn release_memory(&self, ticket: u64) {
        let mut state = self.lock();
        if state.exclusive == Some(ticket) {
            state.exclusive = None;
            self.notify(&state);
        }
    }

    /// Returns the sink, and the error that ended the output early.
    pub(crate) fn into_inner(self) -> (S, Option<io::Error>) {
        let state = self.state.into_inner();
        let state = state.unwrap_or_else(PoisonError::into_inner);
        let sink = self.sink.into_inner();
        (sink.unwrap_or_else(PoisonError::into_inner), state.error)
    }

    fn push_part(&self, ticket: u64, block: &mut B, part: TicketPart) -> Result<(), Stopped> {
        let mut state = self.lock();
        if self.order == OutputOrder::Path {
            while !state.stopped && (state.current != ticket || state.is_writing) {
                if state.weight == 0 || state.weight + block.weight() <= self.limit {
                    state.buffer(ticket, block, part);
                    return Ok(());
                }
                state = self.wait(state);
            }
            state.is_writing = true;
        }
        if state.stopped {
            return Err(Stopped);
        }
        drop(state);
        let mut sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner);
        let mut result = sink.consume(block);
        block.clear();
        if self.order == OutputOrder::Path && result.is_ok() {
            result = self.write_pending(&mut *sink, part);
        }
        result.map_err(|error| self.stop(error))
    }

    /// Writes the pending blocks whose turn has come, behind a block of the current ticket, and ends the
    /// writing of this worker.
    fn write_pending(&self, sink: &mut S, mut part: TicketPart) -> io::Result<()> {
        let mut state = self.lock();
        loop {
            if part == TicketPart::Last {
                state.current += 1;
                state.pending.pop_front();
                self.notify(&state);
            }
            let Some(pending) = state.pending.front_mut() else {
                break;
            };
            let blocks = std::mem::take(&mut pending.blocks);
            part = match pending.finished {
                true => TicketPart::Last,
                false => TicketPart::Some,
            };
            if blocks.is_empty() && part == TicketPart::Some {
                break;
            }
            drop(state);
            for block in &blocks {
                sink.consume(block)?;
            }
            let weight: usize = blocks.iter().map(B::weight).sum();
            let buffers: Vec<_> = blocks.into_iter().filter_map(B::into_buffer).collect();
            state = self.lock();
            state.weight -= weight;
            state.spare.extend(buffers);
            self.notify(&state);
        }
        state.is_writing = false;
        self.notify(&state);
        Ok(())
    }

    /// Ends the output early with an error, unless it has ended already. Waiting workers return.
    pub(crate) fn stop(&self, error: io::Error) -> Stopped {
        let mut state = self.lock();
        state.stopped = true;
        state.error.get_or_insert(error);
        self.notify(&state);
        Stopped
    }

    fn wait<'s>(
        &self,
        mut state: MutexGuard<'s, ReorderState<B>>,
    ) -> MutexGuard<'s, ReorderState<B>> {
        state.waiting += 1;
        let state = self.changed.wait(state);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        state.waiting -= 1;
        state
    }

    /// Wakes the workers that wait, if there are some, which a call of the system does.
    fn notify(&self, state: &ReorderState<B>) {
        if state.waiting > 0 {
            self.changed.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, ReorderState<B>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
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
    fn blocks_come_out_in_ticket_order_whatever_the_limit() {
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
}
