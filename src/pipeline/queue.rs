//! Gives out files in batches, and the pieces of huge ones, each with a ticket.

use std::fs::File;

use super::Options;
use super::choose::Choice;
use super::input;
use super::messages::Splitter;
use super::pieces::{Cutter, Piece};
use super::sniff::HEAD;
use super::walk::{Entry, Kind, Unreadable, Walk};
use crate::document::Seam;

/// A batch ends at this many files, so that the lock is taken rarely,
const BATCH_FILES: usize = 32;
/// and at this many bytes, so that no worker is left with much more than the others.
const BATCH_BYTES: u64 = 512 << 10;

/// Something for a worker to do.
#[derive(Debug)]
pub enum Job {
    /// A file to read.
    File(Entry),
    /// A piece of a file to read.
    Piece(Piece),
    /// A path to complain of.
    Unreadable(Unreadable),
}

/// How a file is cut.
enum Knife {
    Lines(Cutter),
    Messages(Splitter),
}

/// The files that are left, and the ticket of the next batch.
pub struct Queue<'a> {
    walk: Walk,
    options: &'a Options,
    /// A file whose turn comes when the batch before it is given out.
    next: Option<Result<Entry, Unreadable>>,
    /// The file that is being cut.
    cutter: Option<Knife>,
    /// Memory of pieces that have been read.
    spare: Vec<Vec<u8>>,
    ticket: u64,
}

impl<'a> Queue<'a> {
    /// Gives out what the walk finds, if it belongs to the shard.
    pub fn new(walk: Walk, options: &'a Options) -> Self {
        Queue {
            walk,
            options,
            next: None,
            cutter: None,
            spare: Vec::new(),
            ticket: 0,
        }
    }

    /// Fills `jobs` with the next batch and returns its ticket; none when nothing is left.
    pub fn pull(&mut self, jobs: &mut Vec<Job>) -> Option<u64> {
        for job in jobs.drain(..) {
            if let Job::Piece(Piece {
                handed: Some(handed),
                ..
            }) = job
            {
                self.spare.push(handed.into_buffer());
            }
        }
        if !self.pull_piece(jobs) {
            self.pull_files(jobs);
        }
        if jobs.is_empty() {
            return None;
        }
        let ticket = self.ticket;
        self.ticket += 1;
        Some(ticket)
    }

    fn pull_piece(&mut self, jobs: &mut Vec<Job>) -> bool {
        let piece = match &mut self.cutter {
            Some(Knife::Lines(cutter)) => cutter.next(),
            Some(Knife::Messages(splitter)) => splitter.next(&mut self.spare),
            None => None,
        };
        let found = piece.is_some();
        jobs.extend(piece.map(Job::Piece));
        if !found {
            self.cutter = None;
            self.spare.clear();
        }
        found
    }

    fn pull_files(&mut self, jobs: &mut Vec<Job>) {
        let mut bytes = 0;
        while jobs.len() < BATCH_FILES && bytes < BATCH_BYTES {
            let Some(found) = self.find() else {
                return;
            };
            let entry = match found {
                Ok(entry) => entry,
                Err(unreadable) => {
                    jobs.push(Job::Unreadable(unreadable));
                    continue;
                }
            };
            let (length, is_file) = match entry.kind {
                Kind::File(length) => (length, true),
                // There is no telling how long it takes, and no going back in it.
                Kind::Standard | Kind::Stream => (BATCH_BYTES, false),
            };
            if is_file && Cutter::is_worthwhile(length, self.options.piece) {
                if !jobs.is_empty() {
                    self.next = Some(Ok(entry));
                    return;
                }
                self.cutter = self.cutter_of(&entry, length);
                if self.pull_piece(jobs) {
                    return;
                }
            }
            bytes += length;
            jobs.push(Job::File(entry));
        }
    }

    /// The next file of the shard.
    fn find(&mut self) -> Option<Result<Entry, Unreadable>> {
        if let Some(found) = self.next.take() {
            return Some(found);
        }
        let shard = self.options.shard;
        // A file belongs to a shard by its path, an error by that of what it is about.
        self.walk.find(|found| {
            let path = match found {
                Ok(entry) => &entry.path,
                Err(unreadable) => &unreadable.path,
            };
            shard.holds(path.as_os_str().as_encoded_bytes())
        })
    }

    /// A file's cutter, if it is of a format that can be cut. Whatever is wrong with the file is
    /// told by whoever reads it.
    fn cutter_of(&self, entry: &Entry, length: u64) -> Option<Knife> {
        let mut file = File::open(&entry.path).ok()?;
        let mut head = Vec::new();
        input::read(&mut file, &mut head, HEAD).ok()?;
        match self.options.choose(entry, &head) {
            Choice::Read(format) if self.options.may_cut(format, &head) => {
                let (entry, size) = (entry.clone(), self.options.piece);
                match format.seam? {
                    Seam::Line(_) => {
                        let cutter = Cutter::new(entry, format, file, length, size);
                        Some(Knife::Lines(cutter))
                    }
                    Seam::Message(_) => {
                        Splitter::new(entry, format, file, size).map(Knife::Messages)
                    }
                }
            }
            _ => None,
        }
    }
}
