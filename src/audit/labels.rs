//! Labels that all documents of a tree can name, as those of Sphinx.

use std::fs::File;
use std::io::Read;

use foldhash::HashSet;
use memchr::memmem;

use crate::pipeline::walk::path_of;

/// The file in the root of a tree of Sphinx.
const SPHINX: &[u8] = b"/conf.py";
/// Extensions that bring labels which stand in no document of the tree.
const EXTENSIONS: [&[u8]; 3] = [b"autosectionlabel", b"gallery", b"intersphinx"];
/// A longer configuration is taken for one with such extensions, in bytes.
const LONGEST: u64 = 1 << 20;

/// The labels of all documents that were read.
#[derive(Debug, Default)]
pub(super) struct TreeLabels {
    /// The hashes of the names.
    names: HashSet<u64>,
    /// The roots of trees whose documents were all read, each with the slash at its end.
    roots: Vec<Box<[u8]>>,
}

impl TreeLabels {
    /// Notes a file of the walk.
    pub(super) fn walked(&mut self, path: &[u8]) {
        if path.ends_with(SPHINX) && !has_labels_from_elsewhere(path) {
            let root = &path[..=path.len() - SPHINX.len()];
            self.roots.push(root.into());
        }
    }

    /// Adds the label with a hash.
    pub(super) fn insert(&mut self, name: u64) {
        self.names.insert(name);
    }

    /// Adds the labels of another worker.
    pub(super) fn add(&mut self, other: TreeLabels) {
        self.names.extend(other.names);
        self.roots.extend(other.roots);
    }

    /// Returns whether a label that a document names is missing: none has it, and all documents of
    /// the tree were read.
    pub(super) fn lacks(&self, document: &[u8], name: u64) -> bool {
        !self.names.contains(&name) && self.roots.iter().any(|root| document.starts_with(root))
    }
}

/// Returns whether a configuration names extensions that bring labels, or cannot be read.
fn has_labels_from_elsewhere(path: &[u8]) -> bool {
    let mut text = Vec::new();
    let read = File::open(path_of(path)).and_then(|file| file.take(LONGEST).read_to_end(&mut text));
    let names = |extension: &&[u8]| memmem::find(&text, extension).is_some();
    read.is_err() || text.len() as u64 == LONGEST || EXTENSIONS.iter().any(names)
}
