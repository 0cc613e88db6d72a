//! Splits one huge archive into pieces of whole members.
//!
//! The worker that asks for a piece goes through the archive, and takes the next members along. Records that are
//! compressed one by one are decompressed ahead on other threads. The members of a zip are found by its directory,
//! and are read by the worker of the piece. A member that is too long to be held is read from the archive, while
//! others wait.

use std::fs::File;
use std::sync::Arc;

use super::input::OpenedFile;
use super::options::PipelineOptions;
use super::piece::{ArchivePiece, Piece, PieceContents, SplitFile, Splitter};
use super::walk::Entry;
use crate::archive::{
    ArchiveFormat, ArchiveKind, ArchiveSource, Container, HeldMembers, SharedContainer,
};
use crate::bytes::source::{Section, Shared, fill};
use crate::decode::compression::{Decompressed, STRETCH};

pub(super) struct ArchiveSplitter {
    whole: Arc<SplitFile>,
    format: &'static ArchiveFormat,
    container: SharedContainer,
    /// The compressed file that the archive is in.
    compressed: Option<OpenedFile>,
    /// The next members, where they can be read without those before.
    range: Option<Box<dyn Container>>,
    size: u64,
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
        let file = file.try_clone().ok()?;
        let (format, source, compressed) = match options.codec(entry, head) {
            // An audit reads archives again, which takes ranges.
            Some(_) if options.is_audit => return None,
            Some(codec) => {
                let file = Arc::new(file);
                let whole = Box::new(Section::from(Arc::clone(&file), 0));
                let layer = Decompressed::new(codec, whole);
                let layer = layer.ahead(file, options.threads, STRETCH);
                let opened = OpenedFile::new(entry.bytes(), layer, fill).ok()?;
                let format = options.archive(entry, &opened.path, &opened.head)?;
                let source = opened.input().into_source(Some(&opened.members));
                (format, source, Some(opened))
            }
            None => {
                let format = options.archive(entry, entry.bytes(), head)?;
                (format, ArchiveSource::File(Arc::new(file)), None)
            }
        };
        if matches!(format.kind, ArchiveKind::Package(_)) {
            return None;
        }
        let mut container = options.open(format, source);
        let size = options.piece_size();
        let range = container.split(size);
        if range.is_none() && options.is_audit {
            return None;
        }
        Some(ArchiveSplitter {
            whole: SplitFile::new(entry),
            format,
            container: Shared::new(container),
            compressed,
            range,
            size,
            is_finished: false,
        })
    }
}

impl Splitter for ArchiveSplitter {
    fn is_waiting(&self) -> bool {
        self.container.is_shared()
    }

    fn next(&mut self, _spare: &mut Vec<Vec<u8>>) -> Option<Piece> {
        if self.is_finished {
            return None;
        }
        let members = if let Some(range) = self.range.take() {
            self.range = self.container.lock().split(self.size);
            self.is_finished = self.range.is_none();
            range
        } else {
            let (members, is_last) = HeldMembers::take(&self.container, self.size);
            self.is_finished = is_last;
            Box::new(members)
        };
        let contents = PieceContents::Members(ArchivePiece {
            format: self.format,
            members: Some(members),
            ended: self.compressed.take_if(|_| self.is_finished),
        });
        Some((self.whole).piece(self.is_finished, contents))
    }
}
