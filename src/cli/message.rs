//! Messages of the command itself, and the line on standard error that shows progress.

use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::process::Exit;
use crate::output::escape::visible;
use crate::output::record::counted;
use crate::pipeline::Progress;

/// A run that cannot start, or could not end well: what the user is told.
#[derive(Debug)]
pub(super) struct Error(String);

impl Error {
    /// An error with this message: lower case, no full stop.
    pub(super) fn new(message: impl Into<String>) -> Self {
        Error(message.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// Tells the user something on standard error, on one line and with control characters escaped: names
/// of files and references may stand in it.
pub(super) fn tell(message: &impl fmt::Display) {
    let line = format!("uriscan: {}\n", visible(&message.to_string()));
    // Errors on standard error are ignored.
    let _ = io::stderr().write_all(line.as_bytes());
}

/// Prints what is no links; a reader that has had enough is fine.
pub(super) fn print(bytes: &[u8]) -> Result<Exit, Error> {
    match io::stdout().write_all(bytes) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::new(format!("cannot write: {error}")))
        }
        _ => Ok(Exit::Found),
    }
}

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
                let now = progress.snapshot();
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
