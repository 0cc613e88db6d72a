//! Messages of the command itself.

use std::fmt;
use std::io::{self, Write};

use crate::output::escape::visible;

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
