//! How far a run has come, for whoever watches it.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters that the workers raise document by document.
#[derive(Debug, Default)]
pub struct Progress {
    files: AtomicU64,
    bytes: AtomicU64,
    references: AtomicU64,
}

/// What the counters say at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgressSnapshot {
    /// Documents that have been read.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// References found in them.
    pub references: u64,
}

impl Progress {
    /// Adds documents, or a part of one.
    pub fn add(&self, files: u64, bytes: u64, references: u64) {
        self.files.fetch_add(files, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.references.fetch_add(references, Ordering::Relaxed);
    }

    /// What has been read so far.
    pub fn reading(&self) -> ProgressSnapshot {
        ProgressSnapshot {
            files: self.files.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
            references: self.references.load(Ordering::Relaxed),
        }
    }
}
