//! What the command itself writes: errors and progress on standard error, documentation on standard
//! output.

use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::process::{self, Exit};
use crate::output::escape::visible;
use crate::output::record::counted;
use crate::pipeline::Progress;

/// The error of a run that cannot start or has failed.
/// Converts from anything displayed: another error, or a message in lower case without a full stop.
pub(super) struct Error(pub(super) String);

// INVARIANT: `Error` does not implement `Display`, so this does not overlap `From<T> for T`.
impl<E: fmt::Display> From<E> for Error {
    fn from(error: E) -> Self {
        Error(error.to_string())
    }
}

/// The result of a part of a run.
pub(super) type Result<T, E = Error> = std::result::Result<T, E>;

/// Puts the name of a flag before its error.
pub(super) fn flag(name: &str) -> impl Fn(Error) -> Error {
    move |Error(message)| format!("--{name}: {message}").into()
}

/// Writes a message to standard error on one line, with control characters escaped.
pub(super) fn report(message: &impl fmt::Display) {
    write_stderr(format!("uriscan: {}\n", visible(&message.to_string())).as_bytes());
}

/// Writes to standard error. Errors are ignored: there is nowhere to report them.
pub(super) fn write_stderr(bytes: &[u8]) {
    let _ = io::stderr().write_all(bytes);
}

/// Writes to standard output. A closed pipe is not an error.
pub(super) fn print(bytes: &[u8]) -> Result<Exit> {
    let written = process::standard_output().and_then(|mut stdout| stdout.write_all(bytes));
    unless_closed(written).map(|_| Exit::Found)
}

/// Returns the result of writing output; `None` where the pipe was closed, which is not an error.
pub(super) fn unless_closed<T>(written: io::Result<T>) -> Result<Option<T>> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(None),
        Err(error) => Err(format!("cannot write: {error}").into()),
        Ok(written) => Ok(Some(written)),
    }
}

/// The time before the first update: short runs show no progress.
const FIRST: Duration = Duration::from_secs(1);
const NEXT: Duration = Duration::from_millis(100);

/// A line on standard error that shows the progress of a run, and is erased when dropped.
pub(super) struct ProgressLine {
    /// Dropped to end the thread.
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ProgressLine {
    /// Starts to show `progress`. Shows nothing if the system refuses a thread.
    pub(super) fn show(progress: Arc<Progress>) -> Self {
        let (end, ended) = mpsc::channel();
        let thread = thread::Builder::new().spawn(move || {
            let mut wait = FIRST;
            while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                let files = counted(progress.files.load(Ordering::Relaxed), "file");
                let references = progress.references.load(Ordering::Relaxed);
                let references = counted(references, "reference");
                let megabytes = progress.bytes.load(Ordering::Relaxed) / 1_000_000;
                let line = format!("\r\x1b[K{files}, {megabytes} MB, {references}");
                write_stderr(line.as_bytes());
                wait = NEXT;
            }
            if wait == NEXT {
                write_stderr(b"\r\x1b[K");
            }
        });
        let (end, thread) = (Some(end), thread.ok());
        ProgressLine { end, thread }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // A panic of the thread does not fail the run.
            let _ = thread.join();
        }
    }
}
