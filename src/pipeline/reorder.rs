//! Many workers, one output, in the order of their tickets, within a bounded memory.
//!
//! Tickets are handed out in ascending order, each to a worker that is at work on it. The ticket
//! whose turn it is writes straight through. What later ones hand over is held up to a limit, past
//! which their workers wait. The one whose turn it is never waits, so there is always somebody who
//! gets on, and what is held never exceeds the limit by more than one block for each worker.

use std::collections::VecDeque;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::options::OutputOrder;

/// What workers hand over, piece by piece.
pub trait OutputBlock: Send {
    /// How many bytes it holds.
    fn weight(&self) -> usize;

    /// Empties it and keeps its memory.
    fn clear(&mut self);

    /// What it holds, in no more memory than that needs; it is left empty and keeps its own.
    fn take(&mut self) -> Self;
}

/// Takes the blocks in order.
pub trait BlockSink<B>: Send {
    /// Takes a block.
    ///
    /// # Errors
    ///
    /// Those of the output, after which nothing more is consumed.
    fn consume(&mut self, block: &B) -> io::Result<()>;
}

/// Somebody else met an error with the output: there is nothing left to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// Puts blocks in the order of their tickets.
pub struct ReorderBuffer<B, C> {
    state: Mutex<ReorderState<B>>,
    turned: Condvar,
    /// Locked before `state` where both are.
    consumer: Mutex<C>,
    limit: usize,
    order: OutputOrder,
}

struct ReorderState<B> {
    /// The ticket whose turn it is.
    turn: u64,
    /// What later tickets have handed over, from `turn + 1` on.
    held: VecDeque<PendingBlocks<B>>,
    /// Of all that is held.
    weight: usize,
    error: Option<io::Error>,
    stopped: bool,
    /// Without an order: the ticket that is alone with its memory.
    alone: Option<u64>,
}

struct PendingBlocks<B> {
    blocks: Vec<B>,
    finished: bool,
}

impl<B: OutputBlock> ReorderState<B> {
    fn hold(&mut self, ticket: u64, block: &mut B, part: TicketPart) {
        let index = (ticket - self.turn - 1) as usize;
        while self.held.len() <= index {
            self.held.push_back(PendingBlocks {
                blocks: Vec::new(),
                finished: false,
            });
        }
        self.weight += block.weight();
        let held = &mut self.held[index];
        held.blocks.push(block.take());
        held.finished = part == TicketPart::Last;
    }
}

/// Whether more blocks of the same ticket follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TicketPart {
    Some,
    Last,
}

impl<B: OutputBlock, C: BlockSink<B>> ReorderBuffer<B, C> {
    /// Starts with ticket 0 and holds up to `limit` bytes; without an order it holds nothing.
    pub fn new(consumer: C, limit: usize, order: OutputOrder) -> Self {
        ReorderBuffer {
            state: Mutex::new(ReorderState {
                turn: 0,
                held: VecDeque::new(),
                weight: 0,
                error: None,
                stopped: false,
                alone: None,
            }),
            turned: Condvar::new(),
            consumer: Mutex::new(consumer),
            limit,
            order,
        }
    }

    /// Hands over some of a ticket's output; the block comes back empty.
    ///
    /// # Errors
    ///
    /// When the output has failed.
    pub fn hand_over(&self, ticket: u64, block: &mut B) -> Result<(), Stopped> {
        self.pass(ticket, block, TicketPart::Some)
    }

    /// Hands over the last of a ticket's output; the block comes back empty.
    ///
    /// # Errors
    ///
    /// When the output has failed.
    pub fn finish(&self, ticket: u64, block: &mut B) -> Result<(), Stopped> {
        self.pass(ticket, block, TicketPart::Last)
    }

    /// Waits until a ticket may take much memory, which one has at a time: the one whose turn it is,
    /// for that one never waits for another; without an order the first that asks.
    pub fn alone(&self, ticket: u64) {
        let mut state = self.lock();
        while !state.stopped {
            let mine = match self.order {
                OutputOrder::Path => state.turn == ticket,
                _ => *state.alone.get_or_insert(ticket) == ticket,
            };
            if mine {
                return;
            }
            state = self
                .turned
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The ticket has given its memory back.
    pub fn together(&self, ticket: u64) {
        let mut state = self.lock();
        if state.alone == Some(ticket) {
            state.alone = None;
            self.turned.notify_all();
        }
    }

    /// The consumer, and the error that ended the output early.
    pub fn into_inner(self) -> (C, Option<io::Error>) {
        let state = self.state.into_inner();
        let state = state.unwrap_or_else(PoisonError::into_inner);
        let consumer = self.consumer.into_inner();
        let consumer = consumer.unwrap_or_else(PoisonError::into_inner);
        (consumer, state.error)
    }

    fn pass(&self, ticket: u64, block: &mut B, part: TicketPart) -> Result<(), Stopped> {
        let mut state = self.lock();
        while self.order == OutputOrder::Path && !state.stopped && state.turn != ticket {
            if state.weight == 0 || state.weight + block.weight() <= self.limit {
                state.hold(ticket, block, part);
                return Ok(());
            }
            state = self
                .turned
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if state.stopped {
            return Err(Stopped);
        }
        drop(state);
        // With an order it stays this ticket's turn until this worker says otherwise.
        let mut consumer = self.consumer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut result = consumer.consume(block);
        block.clear();
        if part == TicketPart::Last && self.order == OutputOrder::Path && result.is_ok() {
            result = self.advance(&mut *consumer);
        }
        result.map_err(|error| self.stop(error))
    }

    /// Gives the turn to the next ticket, and writes what is held of it and of those after it.
    fn advance(&self, consumer: &mut C) -> io::Result<()> {
        loop {
            let mut state = self.lock();
            state.turn += 1;
            let held = state.held.pop_front();
            let Some(held) = held else {
                self.turned.notify_all();
                return Ok(());
            };
            drop(state);
            // The next ticket's worker may see its turn from here on, but cannot get hold of the
            // consumer before what it handed over earlier is written.
            for block in &held.blocks {
                consumer.consume(block)?;
            }
            let mut state = self.lock();
            state.weight -= held.blocks.iter().map(B::weight).sum::<usize>();
            self.turned.notify_all();
            if !held.finished {
                return Ok(());
            }
        }
    }

    /// Ends the output early: whoever waits or hands over anything learns of it.
    pub fn stop(&self, error: io::Error) -> Stopped {
        let mut state = self.lock();
        state.stopped = true;
        state.error.get_or_insert(error);
        self.turned.notify_all();
        Stopped
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

        fn take(&mut self) -> Self {
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
                    ordered.hand_over(ticket, &mut block)?;
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

    /// One ticket at a time is alone, and those that hand over much before their turn do not keep
    /// it from that.
    #[test]
    fn one_ticket_at_a_time_is_alone() {
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
                        ordered.hand_over(ticket, &mut block).unwrap();
                    }
                    ordered.alone(ticket);
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                    block.extend_from_slice(b"meanwhile ");
                    ordered.hand_over(ticket, &mut block).unwrap();
                    inside.fetch_sub(1, Ordering::SeqCst);
                    ordered.together(ticket);
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
    fn a_broken_output_stops_everybody() {
        for workers in [1, 2, 8] {
            assert!(run(workers, 10, Some(100)).1);
        }
    }
}
