//! The document that records speak of.

use super::escape::is_plain;

/// The path of a document, as reached from the arguments.
#[derive(Clone, Debug)]
pub struct DocumentPath {
    path: Vec<u8>,
    is_utf8: bool,
    is_plain: bool,
}

impl DocumentPath {
    /// The document at a path; `-` is standard input.
    pub fn new(path: &[u8]) -> Self {
        DocumentPath {
            path: path.to_vec(),
            is_utf8: std::str::from_utf8(path).is_ok(),
            is_plain: is_plain(path),
        }
    }

    /// Moves on to another document and keeps the memory.
    pub fn set(&mut self, path: &[u8]) {
        self.path.clear();
        self.path.extend_from_slice(path);
        self.is_utf8 = std::str::from_utf8(path).is_ok();
        self.is_plain = is_plain(path);
    }

    /// The path's bytes.
    pub fn path(&self) -> &[u8] {
        &self.path
    }

    /// Whether the path can be written in a record as it is.
    pub fn is_utf8(&self) -> bool {
        self.is_utf8
    }

    /// Whether the path is printable ASCII: it looks the same in every output.
    pub(super) fn is_plain(&self) -> bool {
        self.is_plain
    }
}
