//! One huge archive in blocks of whole members, so that all workers can share it.
//!
//! The worker that asks for a block goes through the archive, decompresses what is compressed, and takes the
//! next members along. Those of a zip are found by its directory, and are read by the worker of the block.
//! A member that is too long to be held is read from the archive, while others wait.

use std::fs::File;
use std::sync::Arc;

use super::compressed::OpenedFile;
use super::input::Input;
use super::options::PipelineOptions;
use super::split_document::PieceSum;
use super::walk::Entry;
use crate::archive::{
    ArchiveFormat, ArchiveKind, ArchiveSource, Container, HeldMembers, MemberRange, SharedContainer,
};
use crate::bytes::source::Shared;
use crate::decode::compression::DecompressError;
use crate::output::record::ArchiveRecord;

/// An archive that is split.
#[derive(Debug)]
pub(crate) struct SplitArchive {
    /// The path and the length of the file.
    pub(crate) entry: Entry,
    /// The format of the archive.
    pub(crate) format: &'static ArchiveFormat,
    pub(super) sum: PieceSum<ArchiveRecord>,
    /// The damage to the archive, by the number of the block.
    faults: PieceSum<Vec<(usize, Vec<u8>)>>,
}

/// Some members of an archive.
pub(crate) struct ArchiveBlock {
    /// The archive.
    pub(crate) whole: Arc<SplitArchive>,
    /// Counts the blocks of the archive from 0.
    pub(crate) index: usize,
    /// No block follows.
    pub(super) is_last: bool,
    /// The members, until they are taken.
    pub(crate) members: Option<BlockMembers>,
    /// The damage to the compression of the archive, with the last block.
    pub(super) damage: Vec<DecompressError>,
}

/// The members of a block.
pub(crate) enum BlockMembers {
    /// In memory.
    Held(Box<HeldMembers>),
    /// In the file.
    Range(Arc<dyn MemberRange>),
}

/// Splits an archive, block by block.
pub(super) struct ArchiveSplitter {
    whole: Arc<SplitArchive>,
    container: SharedContainer,
    compressed: Option<OpenedFile>,
    /// The next members, where they can be read without those before.
    range: Option<Arc<dyn MemberRange>>,
    size: u64,
    index: usize,
    is_finished: bool,
}

impl ArchiveSplitter {
    /// Splits a file, if it is an archive that can be split; `head` holds its first bytes.
    pub(super) fn new(
        options: &PipelineOptions,
        entry: &Entry,
        head: &[u8],
        file: &File,
    ) -> Option<Self> {
        let (format, source, compressed) = match options.codec(entry, head) {
            // An audit reads archives again, which takes ranges.
            Some(_) if !options.splits_documents => return None,
            Some(codec) => {
                let path = entry.path.as_os_str().as_encoded_bytes();
                let input = Input::File(head, file.try_clone().ok()?);
                let opened = OpenedFile::new(path, codec, input).ok()?;
                let format = options.archive_at(entry, &opened.path, &opened.head)?;
                let members = Some(opened.members.clone());
                let source = ArchiveSource::Stream(Box::new(opened.reader()), members);
                (format, source, Some(opened))
            }
            None => {
                let format = options.archive(entry, head)?;
                let file = Arc::new(file.try_clone().ok()?);
                (format, ArchiveSource::File(file), None)
            }
        };
        if matches!(format.kind, ArchiveKind::Package(_)) {
            return None;
        }
        let mut container = options.open(format, source);
        let size = options.piece_size;
        let range = container.split(size);
        if range.is_none() && !options.splits_documents {
            return None;
        }
        Some(ArchiveSplitter {
            whole: Arc::new(SplitArchive {
                entry: entry.clone(),
                format,
                sum: PieceSum::default(),
                faults: PieceSum::default(),
            }),
            container: Shared::new(container),
            compressed,
            range,
            size,
            index: 0,
            is_finished: false,
        })
    }

    /// Returns whether the next block has to wait: a worker reads a member from the archive.
    pub(super) fn is_waiting(&self) -> bool {
        self.container.is_shared()
    }
}

impl Iterator for ArchiveSplitter {
    type Item = ArchiveBlock;

    fn next(&mut self) -> Option<ArchiveBlock> {
        if self.is_finished {
            return None;
        }
        let members = match self.range.take() {
            Some(range) => {
                self.range = self.container.lock().split(self.size);
                self.is_finished = self.range.is_none();
                BlockMembers::Range(range)
            }
            None => {
                let (mut members, is_last) = HeldMembers::take(&self.container, self.size);
                self.is_finished = is_last;
                if let Some(opened) = self.compressed.as_ref().filter(|_| is_last) {
                    // An archive may end before its compression does.
                    if let Err(error) = opened.read_to_end() {
                        members.fail(error);
                    }
                }
                BlockMembers::Held(Box::new(members))
            }
        };
        let errors = self.compressed.as_ref().filter(|_| self.is_finished);
        self.index += 1;
        Some(ArchiveBlock {
            whole: Arc::clone(&self.whole),
            index: self.index - 1,
            is_last: self.is_finished,
            members: Some(members),
            damage: errors.map_or(Vec::new(), OpenedFile::errors),
        })
    }
}

impl BlockMembers {
    /// Returns a container of the members.
    pub(crate) fn open(self) -> Box<dyn Container> {
        match self {
            BlockMembers::Held(members) => members,
            BlockMembers::Range(range) => range.open(),
        }
    }
}

impl ArchiveBlock {
    /// Adds the counts of the block to those of its archive. The last block waits for all others and
    /// returns the sum.
    pub(super) fn add_counts(&self, counts: &ArchiveRecord) -> Option<ArchiveRecord> {
        let add = |sum: &mut ArchiveRecord| sum.add(counts);
        self.whole.sum.add(self.index, self.is_last, add)
    }

    /// Adds what is wrong with the archive in the block. The last block waits for all others and returns
    /// everything, in the order of the blocks.
    pub(crate) fn add_faults(&self, items: Vec<u8>) -> Option<Vec<u8>> {
        let add = |faults: &mut Vec<_>| faults.push((self.index, items));
        let mut faults = self.whole.faults.add(self.index, self.is_last, add)?;
        faults.sort();
        Some(faults.into_iter().flat_map(|(_, items)| items).collect())
    }
}
