//! One line on standard error that says how far a long run has come.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::output::decimal::counted;
use crate::pipeline::progress::Progress;

/// Short runs show nothing.
const FIRST: Duration = Duration::from_secs(1);
const NEXT: Duration = Duration::from_millis(100);

/// The line, as long as it lives.
pub(super) struct ProgressLine {
    ends: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ProgressLine {
    /// Shows `progress` until it is dropped.
    pub(super) fn show(progress: Arc<Progress>) -> Self {
        let (ends, ended) = mpsc::channel();
        let thread = thread::Builder::new().spawn(move || {
            let mut wait = FIRST;
            while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                let now = progress.reading();
                let files = counted(now.files, "file");
                let references = counted(now.references, "reference");
                let megabytes = now.bytes / 1_000_000;
                // Who closes standard error does not want to know.
                let _ = write!(
                    io::stderr(),
                    "\r\x1b[K{files}, {megabytes} MB, {references}",
                );
                wait = NEXT;
            }
            if wait == NEXT {
                let _ = write!(io::stderr(), "\r\x1b[K");
            }
        });
        ProgressLine {
            ends: Some(ends),
            // Without a thread there is no line, and the run goes on.
            thread: thread.ok(),
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        drop(self.ends.take());
        if let Some(thread) = self.thread.take() {
            // It only writes; if it panicked, there is no line to erase.
            let _ = thread.join();
        }
    }
}
