//! Gives out files in batches, each with a ticket.

use super::shard::Shard;
use super::walk::{Entry, Kind, Unreadable, Walk};

/// A batch ends at this many files, so that the lock is taken rarely,
const BATCH_FILES: usize = 32;
/// and at this many bytes, so that no worker is left with much more than the others.
const BATCH_BYTES: u64 = 512 << 10;

/// Something for a worker to do.
#[derive(Debug)]
pub enum Job {
    /// A file to read.
    File(Entry),
    /// A path to complain of.
    Unreadable(Unreadable),
}

/// The files that are left, and the ticket of the next batch.
pub struct Queue {
    walk: Walk,
    shard: Shard,
    ticket: u64,
}

impl Queue {
    /// Gives out what the walk finds, if it belongs to the shard.
    pub fn new(walk: Walk, shard: Shard) -> Self {
        Queue {
            walk,
            shard,
            ticket: 0,
        }
    }

    /// Fills `jobs` with the next batch and returns its ticket; none when nothing is left.
    pub fn pull(&mut self, jobs: &mut Vec<Job>) -> Option<u64> {
        jobs.clear();
        let mut bytes = 0;
        while jobs.len() < BATCH_FILES && bytes < BATCH_BYTES {
            let Some(found) = self.walk.next() else {
                break;
            };
            let path = found
                .as_ref()
                .map_or_else(|error| &error.path, |entry| &entry.path);
            if !self.shard.holds(path.as_os_str().as_encoded_bytes()) {
                continue;
            }
            match found {
                Ok(entry) => {
                    bytes += match entry.kind {
                        Kind::File(length) => length,
                        // There is no telling how long it takes.
                        Kind::Standard | Kind::Stream => BATCH_BYTES,
                    };
                    jobs.push(Job::File(entry));
                }
                Err(unreadable) => jobs.push(Job::Unreadable(unreadable)),
            }
        }
        if jobs.is_empty() {
            return None;
        }
        let ticket = self.ticket;
        self.ticket += 1;
        Some(ticket)
    }
}
