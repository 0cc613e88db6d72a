//! Labels that all documents of a tree can name, as in Sphinx.

use std::collections::BTreeSet;
use std::ops::Bound;

use foldhash::HashSet;
use memchr::memmem;

use super::disk::start_of;
use super::location::Audit;
use crate::Format;
use crate::bytes::pattern::Pattern;
use crate::pipeline::members;

const SPHINX: &[u8] = b"/conf.py";
/// Extensions that bring labels of no document of the tree.
const EXTENSIONS: [&[u8]; 3] = [b"autosectionlabel", b"gallery", b"intersphinx"];
/// Labels that Sphinx makes.
pub(super) const MADE_LABELS: [&[u8]; 4] = [b"genindex", b"modindex", b"py-modindex", b"search"];
/// Maximum length of a configuration in bytes; a longer one is treated as having such extensions.
const LONGEST: u64 = 1 << 20;

/// The bytes of an archive that are read before a configuration.
const LONGEST_WAY: u64 = 4 << 20;

/// The hashes of all labels.
#[derive(Debug, Default)]
pub(super) struct TreeLabels {
    pub(super) names: HashSet<u64>,
    /// The roots of trees that were read as a whole, each with the slash at its end.
    roots: Vec<Box<[u8]>>,
    /// The documents that include text that was not read.
    pub(super) open: BTreeSet<Box<[u8]>>,
}

impl TreeLabels {
    pub(super) fn walked(&mut self, audit: &Audit, path: &[u8]) {
        if path.ends_with(SPHINX) && !has_labels_from_elsewhere(audit, path) {
            let root = &path[..=path.len() - SPHINX.len()];
            self.roots.push(root.into());
        }
    }

    pub(super) fn add(&mut self, other: TreeLabels) {
        self.names.extend(other.names);
        self.roots.extend(other.roots);
        self.open.extend(other.open);
    }

    /// Returns whether no document has a label, and all documents of the tree were read.
    pub(super) fn lacks(&self, document: &[u8], name: u64) -> bool {
        let is_closed = |root: &[u8]| {
            let from = (Bound::Included(root), Bound::Unbounded);
            let next = self.open.range::<[u8], _>(from).next();
            !next.is_some_and(|open| open.starts_with(root))
        };
        let mut roots = self.roots.iter().filter(|root| document.starts_with(root));
        !self.names.contains(&name) && roots.any(|root| is_closed(root))
    }
}

/// True for a configuration that cannot be read.
fn has_labels_from_elsewhere(audit: &Audit, path: &[u8]) -> bool {
    let Some(text) = read(audit, path) else {
        return true;
    };
    let names = |extension: &&[u8]| memmem::find(&text, extension).is_some();
    text.len() as u64 == LONGEST || EXTENSIONS.iter().any(names)
}

/// The end of the name of text in any markup.
static TEXT: Pattern = Pattern::new(r"\.(?:inc|txt)$");
/// A label of reStructuredText, or a line of signs, as under a title.
static LABEL: Pattern = Pattern::new(r"(?m)^[ \t]*(?:\.\. _|:name:|[!-/:-@\[-`{-~]+[ \t\r]*$)");

/// A heading or an id of Markdown.
static HEADING: Pattern =
    Pattern::new(r"(?m)^ {0,3}(?:#{1,6}[ \t]|(?:=+|-+)[ \t\r]*$)|\{[ \t]*#|\b(?:id|name)=");

/// Returns whether a part of a document has labels or titles, but is not read as markup.
pub(super) fn has_unread_labels(audit: &Audit, format: &Format, path: &[u8]) -> bool {
    let labels = [&HEADING, &LABEL][usize::from(format.name == "rst")];
    TEXT.is_match(path) && read(audit, path).is_some_and(|text| labels.is_match(&text))
}

fn read(audit: &Audit, path: &[u8]) -> Option<Vec<u8>> {
    if let Some(cost) = members::cost(path) {
        let bytes = || members::bytes(&audit.options.reading, path, LONGEST);
        return (cost <= LONGEST_WAY).then(bytes).flatten();
    }
    start_of(path, LONGEST)
}
