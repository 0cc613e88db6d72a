//! Where a report lies, and references from there to documents.

use std::fs;
use std::path::Path;

use crate::pipeline::bases::{AbsolutePaths, Bases};
use crate::uri::base::push_path;

#[derive(Clone, Debug)]
pub(crate) struct ReportPlace {
    /// An absolute path with a trailing slash; empty if it is unknown.
    directory: Vec<u8>,
    /// The current directory, from which the paths of documents start.
    here: Vec<u8>,
}

impl ReportPlace {
    /// Returns the directory of a file; the current directory without one, as for standard output.
    pub(crate) fn of(file: Option<&Path>) -> Self {
        let here = Bases::here().here;
        let above = file.and_then(Path::parent);
        let above = above.filter(|above| !above.as_os_str().is_empty());
        let directory = match above.map(fs::canonicalize) {
            None => here.clone(),
            Some(Err(_)) => Vec::new(),
            Some(Ok(above)) => {
                let above = above.as_os_str().as_encoded_bytes();
                [above.strip_suffix(b"/").unwrap_or(above), b"/"].concat()
            }
        };
        ReportPlace { directory, here }
    }

    /// Returns the relative reference to a document: percent-encoded, and beginning with `./` or `../`,
    /// so that no name in it is taken for a scheme or a host. Empty if it is unknown.
    pub(super) fn reference_to(&self, path: &[u8]) -> Vec<u8> {
        let mut names = AbsolutePaths::default();
        let Some(path) = names.absolute(&self.here, path) else {
            return Vec::new();
        };
        if self.directory.is_empty() {
            return Vec::new();
        }
        let both = self.directory.iter().zip(path);
        let same = both.take_while(|(one, other)| one == other).count();
        // The part that both share ends in a slash.
        let same = memchr::memrchr(b'/', &path[..same]).map_or(0, |slash| slash + 1);
        let up = memchr::memchr_iter(b'/', &self.directory[same..]).count();
        let mut reference = match up {
            0 => b"./".to_vec(),
            up => b"../".repeat(up),
        };
        push_path(&path[same..], &mut reference);
        reference
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/audit/report/place.rs"]
mod tests;
