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

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::options::OutputOrder;

/// A part of the output of one ticket.
pub(crate) trait OutputBlock: Default + Send {
    /// Returns the memory that the contents take, in bytes.
    fn weight(&self) -> usize;

    fn clear(&mut self);

    /// Moves the contents to a block that fits; keeps the memory, or takes a `spare` buffer.
    fn take(&mut self, spare: &mut Vec<Vec<u8>>) -> Self;

    /// Returns a buffer for another block, if there is a large one.
    fn into_buffer(self) -> Option<Vec<u8>> {
        None
    }
}

pub(crate) trait BlockSink<B>: Send {
    fn consume(&mut self, block: &B) -> io::Result<()>;
}

/// The error of a worker after writing has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stopped;

/// Writes blocks to a sink in the order of their tickets.
pub(crate) struct ReorderBuffer<B, S> {
    state: Mutex<ReorderState<B>>,
    changed: Condvar,
    /// Locked before `state` where both are. With an order, by the worker that is writing.
    sink: Mutex<S>,
    limit: usize,
    order: OutputOrder,
}

#[derive(Default)]
struct ReorderState<B> {
    /// The current ticket: the lowest one that is not finished.
    current: u64,
    pending: VecDeque<PendingBlocks<B>>,
    /// Whether a worker is writing. While none is, the current ticket has no pending blocks.
    is_writing: bool,
    weight: usize,
    /// Buffers of earlier blocks. Without them the heap grows and shrinks, and its pages fault, with each block.
    spare: Vec<Vec<u8>>,
    waiting: usize,
    error: Option<io::Error>,
    stopped: bool,
    /// The ticket that may use much memory, if the output has no order.
    exclusive: Option<u64>,
}

#[derive(Default)]
struct PendingBlocks<B> {
    blocks: Vec<B>,
    finished: bool,
}

impl<B: OutputBlock> ReorderState<B> {
    fn buffer(&mut self, ticket: u64, block: &mut B, is_last: bool) {
        let index = (ticket - self.current) as usize;
        if self.pending.len() <= index {
            self.pending.resize_with(index + 1, PendingBlocks::default);
        }
        self.weight += block.weight();
        let pending = &mut self.pending[index];
        pending.blocks.push(block.take(&mut self.spare));
        pending.finished = is_last;
    }
}

impl<B: OutputBlock, S: BlockSink<B>> ReorderBuffer<B, S> {
    /// Starts with ticket 0 and buffers up to `limit` bytes; without an order it buffers nothing.
    pub(crate) fn new(sink: S, limit: usize, order: OutputOrder) -> Self {
        ReorderBuffer {
            state: Mutex::default(),
            changed: Condvar::new(),
            sink: Mutex::new(sink),
            limit,
            order,
        }
    }

    pub(crate) fn push(&self, ticket: u64, block: &mut B) -> Result<(), Stopped> {
        self.push_part(ticket, block, false)
    }

    /// Writes or buffers the last block of a ticket, and empties it.
    pub(crate) fn finish(&self, ticket: u64, block: &mut B) -> Result<(), Stopped> {
        self.push_part(ticket, block, true)
    }

    /// Waits until a ticket may use much memory, alone: the current one, because it never waits for another;
    /// without an order the first to ask.
    pub(crate) fn acquire_memory(&self, ticket: u64) {
        let mut state = self.state.lock();
        while !state.stopped {
            let granted = match self.order {
                OutputOrder::Path => state.current == ticket,
                OutputOrder::None | OutputOrder::Line => {
                    *state.exclusive.get_or_insert(ticket) == ticket
                }
            };
            if granted {
                return;
            }
            self.wait(&mut state);
        }
    }

    /// Ends what [`acquire_memory`](Self::acquire_memory) began.
    pub(crate) fn release_memory(&self, ticket: u64) {
        let mut state = self.state.lock();
        if state.exclusive == Some(ticket) {
            state.exclusive = None;
            self.notify(&state);
        }
    }

    /// Returns the sink, and the error that ended the output early.
    pub(crate) fn into_inner(self) -> (S, Option<io::Error>) {
        (self.sink.into_inner(), self.state.into_inner().error)
    }

    fn push_part(&self, ticket: u64, block: &mut B, is_last: bool) -> Result<(), Stopped> {
        let mut state = self.state.lock();
        if self.order == OutputOrder::Path {
            while !state.stopped && (state.current != ticket || state.is_writing) {
                if state.weight == 0 || state.weight + block.weight() <= self.limit {
                    state.buffer(ticket, block, is_last);
                    return Ok(());
                }
                self.wait(&mut state);
            }
            state.is_writing = true;
        }
        if state.stopped {
            return Err(Stopped);
        }
        drop(state);
        let mut sink = self.sink.lock();
        let mut result = sink.consume(block);
        block.clear();
        if self.order == OutputOrder::Path && result.is_ok() {
            result = self.write_pending(&mut *sink, is_last);
        }
        result.map_err(|error| self.stop(error))
    }

    /// Writes the pending blocks whose turn has come, and ends the writing of this worker.
    fn write_pending(&self, sink: &mut S, mut is_last: bool) -> io::Result<()> {
        let mut state = self.state.lock();
        loop {
            if is_last {
                state.current += 1;
                state.pending.pop_front();
                self.notify(&state);
            }
            let Some(pending) = state.pending.front_mut() else {
                break;
            };
            let blocks = std::mem::take(&mut pending.blocks);
            is_last = pending.finished;
            if blocks.is_empty() && !is_last {
                break;
            }
            drop(state);
            for block in &blocks {
                sink.consume(block)?;
            }
            let weight: usize = blocks.iter().map(B::weight).sum();
            let buffers: Vec<_> = blocks.into_iter().filter_map(B::into_buffer).collect();
            state = self.state.lock();
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
        let mut state = self.state.lock();
        state.stopped = true;
        state.error.get_or_insert(error);
        self.notify(&state);
        Stopped
    }

    fn wait(&self, state: &mut MutexGuard<'_, ReorderState<B>>) {
        state.waiting += 1;
        self.changed.wait(state);
        state.waiting -= 1;
    }

    /// Wakes the workers that wait, if there are some, which a call of the system does.
    fn notify(&self, state: &ReorderState<B>) {
        if state.waiting > 0 {
            self.changed.notify_all();
        }
    }
}

#[cfg(test)]
#[path = "../../tests/unit/pipeline/reorder.rs"]
mod tests;
