//! Messages of the command itself.

use std::fmt;
use std::io::{self, Write};

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

/// Tells the user something on standard error.
pub(super) fn tell(message: &impl fmt::Display) {
    // Who closes standard error does not want to know.
    let _ = writeln!(io::stderr(), "uriscan: {message}");
}
