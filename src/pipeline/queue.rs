//! The work queue: files in batches, and the pieces of huge files, each with a ticket.
//!
//! A worker without work reads ahead: it takes the next names of the walk, which runs in one thread
//! at a time, and reads the short files among them, which any number of threads do at a time. The
//! batch then waits in the worker's handle until all batches before it are dispatched, and the
//! worker helps with those. The length of a long file must be known before anything after it is
//! dispatched, since the file may be split; asking for each length first took a fifth of the time of
//! a run over small files.

use std::collections::VecDeque;
use std::fs::File;
use std::ops::Range;
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

use super::input::{self, SHORT};
use super::options::{PipelineOptions, ReportMode};
use super::piece::{Piece, Splitter};
use super::split_archive::ArchiveSplitter;
use super::split_document::{DocumentSplitter, is_worthwhile};
use super::walk::{Entry, EntryKind, Unreadable, Walk, bytes_of};
use crate::bytes::source::fill;
use crate::document::sniff::HEAD;

/// The most files of a batch, so that locks are taken rarely.
const BATCH_FILES: usize = 32;
/// A batch ends at this many bytes, so that all workers end at about the same time.
const BATCH_BYTES: u64 = 512 << 10;

pub(crate) enum Job {
    /// A file to read, with its bytes if it is a short one that has been read.
    File(Entry, Option<FileBytes>),
    Piece(Piece),
    /// A path to report as unreadable.
    Unreadable(Unreadable),
}

/// The bytes of a file, in the buffer of its batch.
pub(crate) struct FileBytes {
    buffer: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl FileBytes {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[self.range.clone()]
    }
}

pub(crate) struct WorkerHandle<'a> {
    queue: &'a Queue<'a>,
    /// The number, from 0, and the jobs of the batch that the worker has read ahead.
    batch: Option<(u64, Vec<Job>)>,
}

pub(crate) struct Queue<'a> {
    options: &'a PipelineOptions,
    walk: Mutex<WalkState>,
    dispatch: Mutex<DispatchState>,
    changed: Condvar,
}

struct WalkState {
    walk: Walk,
    batches: u64,
}

#[derive(Default)]
struct DispatchState {
    ticket: u64,
    /// The number of the batch to dispatch next.
    batch: u64,
    /// The number of all batches, once the walk has ended.
    batches: Option<u64>,
    jobs: VecDeque<Job>,
    splitter: Option<Box<dyn Splitter>>,
    /// Buffers of pieces, to be used again.
    piece_buffers: Vec<Vec<u8>>,
    batch_buffers: Vec<Vec<u8>>,
    stopped: bool,
}

impl<'a> Queue<'a> {
    /// Creates a queue of the files of a walk that belong to the shard.
    pub(crate) fn new(walk: Walk, options: &'a PipelineOptions) -> Self {
        Queue {
            options,
            walk: Mutex::new(WalkState { walk, batches: 0 }),
            dispatch: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    pub(crate) fn handle(&'a self) -> WorkerHandle<'a> {
        let (queue, batch) = (self, None);
        WorkerHandle { queue, batch }
    }

    /// Stops all workers. A worker that ends early must call this: others may wait for its batch.
    pub(crate) fn stop(&self) {
        self.dispatch.lock().stopped = true;
        self.changed.notify_all();
    }

    /// Takes the next files of the shard and reads the short ones; at the end returns the number of batches.
    fn read_batch(&self, buffer: Vec<u8>) -> Result<(u64, Vec<Job>), u64> {
        let shard = self.options.shard;
        // An error belongs to the shard of the path that it is about.
        let belongs = |found: &Result<Entry, Unreadable>| {
            let path = (found.as_ref()).map_or_else(|error| &error.path, |entry| &entry.path);
            shard.holds(bytes_of(path))
        };
        let mut state = self.walk.lock();
        let found = state.walk.by_ref().filter(belongs).take(BATCH_FILES);
        let job = |entry| Job::File(entry, None);
        let found = found.map(|found| found.map_or_else(Job::Unreadable, job));
        let mut jobs: Vec<Job> = found.collect();
        if jobs.is_empty() {
            return Err(state.batches);
        }
        let number = state.batches;
        state.batches += 1;
        drop(state);
        // A single worker gains nothing by reading ahead.
        if self.options.threads > 1 && !self.options.is_audit {
            jobs = read_ahead(jobs, buffer);
        }
        Ok((number, jobs))
    }

    /// Takes the next piece, or files of the current batch; returns whether there are any.
    fn next_jobs(&self, state: &mut DispatchState, jobs: &mut Vec<Job>) -> bool {
        if state.next_piece(jobs) {
            return true;
        }
        let mut bytes = 0;
        while bytes < BATCH_BYTES {
            let Some(job) = state.jobs.pop_front() else {
                break;
            };
            bytes += match &job {
                Job::File(_, Some(read)) => read.bytes().len() as u64,
                Job::File(entry, None) => match entry.kind {
                    EntryKind::File(length) if is_worthwhile(length, self.options.piece_size()) => {
                        if !jobs.is_empty() {
                            state.jobs.push_front(job);
                            return true;
                        }
                        state.splitter = self.splitter(entry);
                        if state.next_piece(jobs) {
                            // Workers that wait for a batch can take pieces.
                            self.changed.notify_all();
                            return true;
                        }
                        length
                    }
                    EntryKind::File(length) => length,
                    EntryKind::Unmeasured | EntryKind::LeftOut(_) => 0,
                    // A stream may take any time, and is a separate batch.
                    EntryKind::Standard | EntryKind::Stream | EntryKind::Repository => BATCH_BYTES,
                },
                Job::Piece(_) | Job::Unreadable(_) => 0,
            };
            jobs.push(job);
        }
        !jobs.is_empty()
    }

    /// Returns the splitter of a file. Errors are left to the worker that reads the file.
    fn splitter(&self, entry: &Entry) -> Option<Box<dyn Splitter>> {
        let options = self.options;
        let mut file = File::open(&entry.path).ok()?;
        let mut buffer = Vec::new();
        let head = input::read(&mut file, &mut buffer, HEAD).ok()?;
        // A single worker gains nothing by splitting archives.
        if options.threads > 1
            && options.report != ReportMode::Files
            && let Some(splitter) = ArchiveSplitter::new(options, entry, head, &file)
        {
            return Some(Box::new(splitter));
        }
        // An archive is not a document, even if its first bytes look like one.
        if options.codec(entry, head).is_some()
            || options.archive(entry, entry.bytes(), head).is_some()
        {
            return None;
        }
        let format = options.choose(entry.bytes(), entry.named, head).ok()?;
        if !options.may_split(format, head) {
            return None;
        }
        let splitter = DocumentSplitter::new(options, entry, format, file)?;
        Some(Box::new(splitter))
    }
}

impl WorkerHandle<'_> {
    /// Replaces `jobs` with the next ones and returns their ticket, from 0; `None` at the end or after a stop.
    pub(crate) fn pull(&mut self, jobs: &mut Vec<Job>) -> Option<u64> {
        let queue = self.queue;
        let mut state = queue.dispatch.lock();
        if state.splitter.is_some() {
            // Others may wait for what the jobs held.
            queue.changed.notify_all();
        }
        for job in jobs.drain(..) {
            match job {
                Job::Piece(mut piece) => state.piece_buffers.extend(piece.take_buffer()),
                // The last job of a batch to end returns its buffer.
                Job::File(_, Some(read)) => {
                    state.batch_buffers.extend(Arc::into_inner(read.buffer));
                }
                _ => {}
            }
        }
        while !state.stopped {
            if (state.splitter.as_ref()).is_some_and(|splitter| splitter.is_waiting()) {
                queue.changed.wait(&mut state);
                continue;
            }
            if queue.next_jobs(&mut state, jobs) {
                let ticket = state.ticket;
                state.ticket += 1;
                return Some(ticket);
            }
            match self.batch.take() {
                Some((number, jobs)) if number == state.batch => {
                    state.batch += 1;
                    state.jobs.extend(jobs);
                    queue.changed.notify_all();
                }
                None if state.batches == Some(state.batch) => return None,
                // Another worker holds the batch to dispatch next.
                waiting if waiting.is_some() || state.batches.is_some() => {
                    self.batch = waiting;
                    queue.changed.wait(&mut state);
                }
                _ => {
                    let buffer = state.batch_buffers.pop().unwrap_or_default();
                    drop(state);
                    let batch = queue.read_batch(buffer);
                    state = queue.dispatch.lock();
                    match batch {
                        Ok(batch) => self.batch = Some(batch),
                        Err(batches) => {
                            state.batches = Some(batches);
                            queue.changed.notify_all();
                        }
                    }
                }
            }
        }
        None
    }
}

impl DispatchState {
    /// Takes the next piece of the file that is being split. Returns whether there was a piece.
    fn next_piece(&mut self, jobs: &mut Vec<Job>) -> bool {
        let splitter = self.splitter.as_mut();
        let piece = splitter.and_then(|splitter| splitter.next(&mut self.piece_buffers));
        let found = piece.is_some();
        jobs.extend(piece.map(Job::Piece));
        if !found {
            self.splitter = None;
            self.piece_buffers.clear();
        }
        found
    }
}

/// Reads the short files among `jobs`, and asks for the lengths of the others: for most files that saves a
/// system call. Errors are left to the worker that reads the file.
fn read_ahead(mut jobs: Vec<Job>, mut buffer: Vec<u8>) -> Vec<Job> {
    let mut end = 0;
    let mut ranges = Vec::with_capacity(jobs.len());
    for job in &mut jobs {
        let mut range = None;
        if let Job::File(entry, None) = job
            && entry.kind == EntryKind::Unmeasured
            && let Ok(mut file) = File::open(&entry.path)
        {
            if buffer.len() < end + SHORT {
                buffer.resize(end + SHORT, 0);
            }
            match fill(&mut file, &mut buffer[end..end + SHORT]) {
                Ok(length) if length < SHORT => {
                    range = Some(end..end + length);
                    end += length;
                }
                Ok(_) => {
                    if let Ok(metadata) = file.metadata() {
                        entry.kind = EntryKind::File(metadata.len());
                    }
                }
                Err(_) => {}
            }
        }
        ranges.push(range);
    }
    let buffer = Arc::new(buffer);
    for (job, range) in jobs.iter_mut().zip(ranges) {
        if let (Job::File(_, bytes), Some(range)) = (job, range) {
            let buffer = Arc::clone(&buffer);
            *bytes = Some(FileBytes { buffer, range });
        }
    }
    jobs
}
