//! Gives out files in batches, and the pieces of huge ones, each with a ticket.
//!
//! Whoever has nothing to do takes the next names of the walk, which goes on in one thread at a
//! time, and reads those that are short, which any number of threads can do at a time. They then wait
//! in the worker's hand until what comes before them has been given out, and the worker helps with
//! that. Of a long file the length must be known before anything behind it is given out, for it may
//! be cut; to ask for it first was a fifth of the time of a run over small files.

use std::collections::VecDeque;
use std::fs::File;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::input::{self, SHORT};
use super::options::{Choice, PipelineOptions};
use super::sniff::HEAD;
use super::split_lines::{FilePiece, LineSplitter, UNCUT};
use super::split_members::MemberSplitter;
use super::walk::{Entry, EntryKind, Unreadable, Walk};
use crate::document::SplitPoint;

/// A batch ends at this many files, so that the lock is taken rarely,
const BATCH_FILES: usize = 32;
/// and at this many bytes, so that no worker is left with much more than the others.
const BATCH_BYTES: u64 = 512 << 10;

/// Something for a worker to do.
#[derive(Debug)]
pub enum Job {
    /// A file to read.
    File(Entry),
    /// A short file that has been read.
    Read(Entry, FileBytes),
    /// A piece of a file to read.
    Piece(FilePiece),
    /// A path to complain of.
    Unreadable(Unreadable),
}

/// The bytes of a file that has been read, in one room with those of its batch.
#[derive(Debug)]
pub struct FileBytes {
    room: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl FileBytes {
    /// All bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.room[self.range.clone()]
    }
}

/// How a file is cut.
enum FileSplitter {
    Lines(LineSplitter),
    Members(MemberSplitter),
}

/// One worker's hold of the queue. Who lets go of it before the end stops the others, for they may
/// wait for what is in this hand.
pub struct WorkerHandle<'a> {
    queue: &'a Queue<'a>,
    batch: Option<FileBatch>,
    ended: bool,
}

/// Files that one worker has begun with, and whose turn has not come.
struct FileBatch {
    /// Batches come in the order of the walk.
    number: u64,
    jobs: Vec<Job>,
}

/// The files that are left, and the ticket of what is given out next.
pub struct Queue<'a> {
    options: &'a PipelineOptions,
    walking: Mutex<WalkState>,
    line: Mutex<DispatchState>,
    /// Something in the line has changed.
    moved: Condvar,
}

struct WalkState {
    walk: Walk,
    /// How many batches have been taken.
    batches: u64,
}

/// What is given out, in order.
#[derive(Default)]
struct DispatchState {
    ticket: u64,
    /// The number of the batch that comes next.
    batch: u64,
    /// How many there are, once the walk has ended.
    batches: Option<u64>,
    /// What is left of the batch at hand.
    rest: VecDeque<Job>,
    /// The file that is being cut.
    cutter: Option<FileSplitter>,
    /// Memory of pieces that have been read.
    spare: Vec<Vec<u8>>,
    /// Memory of batches that have been read.
    rooms: Vec<Vec<u8>>,
    stopped: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Queue<'a> {
    /// Gives out what the walk finds, if it belongs to the shard.
    pub fn new(walk: Walk, options: &'a PipelineOptions) -> Self {
        Queue {
            options,
            walking: Mutex::new(WalkState { walk, batches: 0 }),
            line: Mutex::default(),
            moved: Condvar::new(),
        }
    }

    /// A hand for a worker.
    pub fn hand(&'a self) -> WorkerHandle<'a> {
        WorkerHandle {
            queue: self,
            batch: None,
            ended: false,
        }
    }

    /// The next files of the shard, the short ones read into a room; the number of all batches when
    /// there are none left.
    fn walk(&self, room: Vec<u8>) -> Result<FileBatch, u64> {
        let shard = self.options.shard;
        // A file belongs to a shard by its path, an error by that of what it is about.
        let belongs = |found: &Result<Entry, Unreadable>| {
            let path = match found {
                Ok(entry) => &entry.path,
                Err(unreadable) => &unreadable.path,
            };
            shard.holds(path.as_os_str().as_encoded_bytes())
        };
        let mut walking = lock(&self.walking);
        let found = walking.walk.by_ref().filter(belongs).take(BATCH_FILES);
        let mut jobs: Vec<Job> = found
            .map(|found| found.map_or_else(Job::Unreadable, Job::File))
            .collect();
        if jobs.is_empty() {
            return Err(walking.batches);
        }
        let number = walking.batches;
        walking.batches += 1;
        drop(walking);
        // Who is alone needs no help with long files, and reads short ones when their turn comes.
        if self.options.threads > 1 && self.options.piece < UNCUT {
            jobs = begin(jobs, room);
        }
        Ok(FileBatch { number, jobs })
    }

    /// Takes the next piece, or files of the batch at hand.
    fn take(&self, line: &mut DispatchState, jobs: &mut Vec<Job>) -> bool {
        if take_piece(line, jobs) {
            return true;
        }
        let mut bytes = 0;
        while bytes < BATCH_BYTES {
            let Some(job) = line.rest.pop_front() else {
                break;
            };
            if let Job::Read(_, read) = &job {
                bytes += read.bytes().len() as u64;
            }
            if let Job::File(entry) = &job {
                bytes += match entry.kind {
                    EntryKind::File(length)
                        if LineSplitter::is_worthwhile(length, self.options.piece) =>
                    {
                        if !jobs.is_empty() {
                            line.rest.push_front(job);
                            return true;
                        }
                        line.cutter = self.cutter_of(entry, length);
                        if take_piece(line, jobs) {
                            // Those who wait can help.
                            self.moved.notify_all();
                            return true;
                        }
                        length
                    }
                    EntryKind::File(length) => length,
                    EntryKind::Unmeasured | EntryKind::LeftOut(_) => 0,
                    // There is no telling how long it takes, and no going back in it.
                    EntryKind::Standard | EntryKind::Stream => BATCH_BYTES,
                };
            }
            jobs.push(job);
        }
        !jobs.is_empty()
    }

    /// A file's cutter, if it is of a format that can be cut. Whatever is wrong with the file is
    /// told by whoever reads it.
    fn cutter_of(&self, entry: &Entry, length: u64) -> Option<FileSplitter> {
        let mut file = File::open(&entry.path).ok()?;
        let mut buffer = Vec::new();
        let head = input::read(&mut file, &mut buffer, HEAD).ok()?;
        match self.options.choose(entry, head) {
            Choice::Read(format) if self.options.may_cut(format, head) => {
                let (entry, size) = (entry.clone(), self.options.piece);
                match format.split_point? {
                    SplitPoint::Line(_) => {
                        let cutter = LineSplitter::new(entry, format, file, length, size);
                        Some(FileSplitter::Lines(cutter))
                    }
                    SplitPoint::Member(_) => {
                        MemberSplitter::new(entry, format, file, size).map(FileSplitter::Members)
                    }
                }
            }
            _ => None,
        }
    }
}

impl WorkerHandle<'_> {
    /// Fills `jobs` with what comes next and returns its ticket; none when nothing is left.
    pub fn pull(&mut self, jobs: &mut Vec<Job>) -> Option<u64> {
        let queue = self.queue;
        let mut line = lock(&queue.line);
        for job in jobs.drain(..) {
            match job {
                Job::Piece(FilePiece {
                    handed: Some(handed),
                    ..
                }) => line.spare.push(handed.into_buffer()),
                // Whoever is the last of a batch gives its memory back.
                Job::Read(_, taken) => line.rooms.extend(Arc::into_inner(taken.room)),
                _ => {}
            }
        }
        while !line.stopped {
            if queue.take(&mut line, jobs) {
                let ticket = line.ticket;
                line.ticket += 1;
                return Some(ticket);
            }
            match self.batch.take() {
                Some(batch) if batch.number == line.batch => {
                    line.batch += 1;
                    line.rest.extend(batch.jobs);
                    queue.moved.notify_all();
                }
                None if line.batches == Some(line.batch) => {
                    self.ended = true;
                    return None;
                }
                // Somebody else has what comes before.
                waiting if waiting.is_some() || line.batches.is_some() => {
                    self.batch = waiting;
                    line = queue
                        .moved
                        .wait(line)
                        .unwrap_or_else(PoisonError::into_inner);
                }
                _ => {
                    let room = line.rooms.pop().unwrap_or_default();
                    drop(line);
                    let found = queue.walk(room);
                    line = lock(&queue.line);
                    match found {
                        Ok(batch) => self.batch = Some(batch),
                        Err(batches) => {
                            line.batches = Some(batches);
                            queue.moved.notify_all();
                        }
                    }
                }
            }
        }
        None
    }
}

impl Drop for WorkerHandle<'_> {
    fn drop(&mut self) {
        if !self.ended {
            lock(&self.queue.line).stopped = true;
            self.queue.moved.notify_all();
        }
    }
}

/// Takes the next piece of the file that is being cut.
fn take_piece(line: &mut DispatchState, jobs: &mut Vec<Job>) -> bool {
    let piece = match &mut line.cutter {
        Some(FileSplitter::Lines(cutter)) => cutter.next(),
        Some(FileSplitter::Members(splitter)) => splitter.next(&mut line.spare),
        None => None,
    };
    let found = piece.is_some();
    jobs.extend(piece.map(Job::Piece));
    if !found {
        line.cutter = None;
        line.spare.clear();
    }
    found
}

/// Reads the files that are short into a room, and learns of the others how long they are, which takes
/// a system call less for most files than to ask first. Whatever is wrong with one is told by whoever
/// reads it.
fn begin(jobs: Vec<Job>, mut room: Vec<u8>) -> Vec<Job> {
    let mut end = 0;
    let mut begin = |mut job: Job| {
        let mut range = None;
        if let Job::File(entry) = &mut job
            && entry.kind == EntryKind::Unmeasured
            && let Ok(mut file) = File::open(&entry.path)
        {
            if room.len() < end + SHORT {
                room.resize(end + SHORT, 0);
            }
            match input::fill(&mut file, &mut room[end..end + SHORT]) {
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
        (job, range)
    };
    let begun: Vec<_> = jobs.into_iter().map(&mut begin).collect();
    let room = Arc::new(room);
    let taken = |(job, range)| match (job, range) {
        (Job::File(entry), Some(range)) => {
            let room = Arc::clone(&room);
            Job::Read(entry, FileBytes { room, range })
        }
        (job, _) => job,
    };
    begun.into_iter().map(taken).collect()
}
