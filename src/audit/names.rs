//! The names of what fragments can name, for suggestions: read again where one is missing.

use std::collections::HashMap;
use std::rc::Rc;

use super::Audit;
use super::paths::FileId;
use super::suggest::Nearest;
use super::survey::entry;
use crate::pipeline::read::Reader;
use crate::resolver::{Link, Sink};

/// Names are remembered up to this many bytes.
const REMEMBERED: usize = 16 << 20;

/// The names of documents that fragments were missing in.
#[derive(Debug, Default)]
pub(super) struct Anchors {
    known: HashMap<FileId, Rc<Names>>,
    size: usize,
}

/// The names of one document.
#[derive(Debug, Default)]
struct Names {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Names {
    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts
            .zip(&self.ends)
            .map(|(&start, &end)| &self.bytes[start..end])
    }
}

impl Sink for Names {
    fn link(&mut self, _link: &Link<'_>) {}

    fn anchor(&mut self, name: &[u8], _offset: u64) {
        self.bytes.extend_from_slice(name);
        self.ends.push(self.bytes.len());
    }

    fn restart(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }
}

impl Anchors {
    /// The name in a document that is nearest to one that is missing.
    pub(super) fn nearest(
        &mut self,
        audit: &Audit,
        reader: &mut Reader<'_>,
        file: FileId,
        wanted: &[u8],
    ) -> Option<Vec<u8>> {
        let names = match self.known.get(&file) {
            Some(names) => Rc::clone(names),
            None => self.read(audit, reader, file)?,
        };
        let mut nearest = Nearest::new(wanted);
        for name in names.iter() {
            nearest.offer(name);
        }
        nearest.found().map(<[u8]>::to_vec)
    }

    fn read(&mut self, audit: &Audit, reader: &mut Reader<'_>, file: FileId) -> Option<Rc<Names>> {
        let entry = entry(&audit.checker.paths.path(file))?;
        let mut names = Names::default();
        reader.read(&entry, &mut names).ok()?;
        let size = names.bytes.len() + names.ends.len() * size_of::<usize>();
        if self.size + size > REMEMBERED {
            self.known.clear();
            self.size = 0;
        }
        self.size += size;
        let names = Rc::new(names);
        self.known.insert(file, Rc::clone(&names));
        Some(names)
    }
}
