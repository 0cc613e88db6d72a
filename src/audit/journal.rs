//! The journal: what the first pass found, for the second, which reads no document again.
//!
//! It holds each document with its damage and its remarks, and every link that may have a finding. A
//! link whose target exists may still have one: the target may lack the fragment or redirect elsewhere,
//! which is known when all documents are. Such a link is written so that it can be skipped.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, PoisonError};

use super::names::FileId;
use super::wire::{
    WireReader, push_bytes, push_context, push_diagnostic, push_number, push_reference, push_remark,
};
use crate::linker::{Diagnostic, Link, Remark};

/// The journal takes memory up to this many bytes; the rest is in a temporary file.
const IN_MEMORY: usize = 16 << 20;

/// Records of one document are moved to the journal when they take this many bytes.
pub(super) const BLOCK: usize = 1 << 20;

/// The kinds of records, by the byte that each begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JournalRecord {
    /// The path of the document that the following records belong to, its file, and its member.
    Document,
    /// The context of the following links.
    Context,
    /// A link.
    Link,
    /// A link whose target exists, and its needs.
    Existing,
    Diagnostic,
    Remark,
    /// The offset and the name of an anchor that the document has before.
    Repeated,
    /// The document is read again: its anchors and remarks so far do not count.
    Restart,
    /// A message: why the document could not be read.
    Failure,
}

impl JournalRecord {
    const ALL: [JournalRecord; 9] = [
        JournalRecord::Document,
        JournalRecord::Context,
        JournalRecord::Link,
        JournalRecord::Existing,
        JournalRecord::Diagnostic,
        JournalRecord::Remark,
        JournalRecord::Repeated,
        JournalRecord::Restart,
        JournalRecord::Failure,
    ];

    /// Reads the kind of the next record.
    pub(super) fn read(packed: &mut WireReader<'_>) -> Self {
        Self::ALL[usize::from(packed.byte()) % Self::ALL.len()]
    }
}

/// A document, or a path that could not be read.
#[derive(Clone, Debug, Default)]
pub(super) struct JournalDocument {
    /// The path, as reached from the arguments.
    pub(super) path: Vec<u8>,
    /// The number of the file; `None` for an error.
    pub(super) file: Option<FileId>,
    /// The member of the archive at the path that the document is, if it is one.
    pub(super) member: Option<DocumentMember>,
}

impl JournalDocument {
    pub(super) fn read(packed: &mut WireReader<'_>) -> Self {
        let path = packed.bytes().to_vec();
        let file = packed.number().checked_sub(1);
        let number = packed.number();
        JournalDocument {
            path,
            file: file.map(|file| FileId(file as u32)),
            member: (number > 0).then(|| DocumentMember {
                number,
                name: String::from_utf8_lossy(packed.bytes()).into_owned(),
            }),
        }
    }
}

/// A document that is a member of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DocumentMember {
    /// The number in the archive or its piece, from 1, in the order in which members are read.
    pub(super) number: u64,
    /// The name, as in records.
    pub(super) name: String,
}

/// The needs of a link whose target exists.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LinkNeeds {
    /// The file at the target.
    pub(super) file: FileId,
    /// The hashes of the names that the file must have, of which the first `count` are used.
    names: [u64; 2],
    count: usize,
    /// The fragment is a route of a script.
    pub(super) is_route: bool,
}

impl LinkNeeds {
    pub(super) fn new(file: FileId, is_route: bool) -> Self {
        LinkNeeds {
            file,
            is_route,
            ..LinkNeeds::default()
        }
    }

    /// Adds the hash of one of at most two names.
    pub(super) fn add(&mut self, name: u64) {
        self.names[self.count] = name;
        self.count += 1;
    }

    /// Returns whether nothing is needed beyond a target that does not redirect.
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the hashes of the names that the file must have.
    pub(super) fn names(&self) -> &[u64] {
        &self.names[..self.count]
    }

    fn push(&self, out: &mut Vec<u8>) {
        let flags = (self.count as u64) << 1 | u64::from(self.is_route);
        push_number(u64::from(self.file.0) << 3 | flags, out);
        for name in self.names() {
            out.extend_from_slice(&name.to_le_bytes());
        }
    }

    pub(super) fn read(packed: &mut WireReader<'_>) -> Self {
        let number = packed.number();
        let mut needs = LinkNeeds::new(FileId((number >> 3) as u32), number & 1 == 1);
        for _ in 0..(number >> 1 & 3).min(2) {
            needs.add(packed.fixed());
        }
        needs
    }
}

/// Appends records.
#[derive(Debug, Default)]
pub(super) struct JournalWriter {
    pub(super) bytes: Vec<u8>,
    /// The base of the last context, and its source.
    base: Vec<u8>,
    source: String,
    /// The last context has a member.
    has_member: bool,
}

impl JournalWriter {
    /// Removes all records; keeps the memory.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.base.clear();
        self.source.clear();
        self.has_member = false;
    }

    fn start(&mut self, record: JournalRecord) -> &mut Vec<u8> {
        self.bytes.push(record as u8);
        &mut self.bytes
    }

    pub(super) fn document(
        &mut self,
        path: &[u8],
        file: Option<FileId>,
        member: Option<&DocumentMember>,
    ) {
        let out = self.start(JournalRecord::Document);
        push_bytes(path, out);
        push_number(file.map_or(0, |file| u64::from(file.0) + 1), out);
        push_number(member.map_or(0, |member| member.number), out);
        if let Some(member) = member {
            push_bytes(member.name.as_bytes(), out);
        }
    }

    fn context(&mut self, link: &Link<'_>) {
        let (base, source) = link.base.unwrap_or_default();
        let has_member = link.member.is_some();
        if has_member || self.has_member || self.base != base || self.source != source {
            self.has_member = has_member;
            base.clone_into(&mut self.base);
            source.clone_into(&mut self.source);
            push_context(link, self.start(JournalRecord::Context));
        }
    }

    pub(super) fn link(&mut self, link: &Link<'_>) {
        self.context(link);
        push_reference(link, self.start(JournalRecord::Link));
    }

    /// Appends a link whose target exists.
    pub(super) fn existing(&mut self, needs: &LinkNeeds, link: &Link<'_>) {
        self.context(link);
        let out = self.start(JournalRecord::Existing);
        needs.push(out);
        let start = out.len();
        out.extend([0; 8]);
        push_reference(link, out);
        let length = (out.len() - start - 8) as u64;
        out[start..start + 8].copy_from_slice(&length.to_le_bytes());
    }

    pub(super) fn diagnostic(&mut self, found: &Diagnostic<'_>) {
        push_diagnostic(found, self.start(JournalRecord::Diagnostic));
    }

    pub(super) fn remark(&mut self, remark: &Remark<'_>) {
        push_remark(remark, self.start(JournalRecord::Remark));
    }

    /// Appends an anchor that the document has before.
    pub(super) fn repeated(&mut self, name: &[u8], offset: u64) {
        let out = self.start(JournalRecord::Repeated);
        push_number(offset, out);
        push_bytes(name, out);
    }

    pub(super) fn restart(&mut self) {
        self.start(JournalRecord::Restart);
    }

    pub(super) fn failure(&mut self, message: &str) {
        push_bytes(message.as_bytes(), self.start(JournalRecord::Failure));
    }
}

/// The records of all documents, in blocks.
#[derive(Debug, Default)]
pub(super) struct Journal(Mutex<JournalState>);

#[derive(Debug, Default)]
struct JournalState {
    /// The bytes in memory.
    kept: usize,
    /// The temporary file, which has no name, and its length.
    file: Option<File>,
    length: u64,
}

/// Consecutive records.
#[derive(Debug)]
pub(super) enum JournalBlock {
    Kept(Box<[u8]>),
    /// A part of the temporary file.
    Spilled {
        at: u64,
        length: usize,
    },
}

impl Journal {
    /// Adds a block.
    pub(super) fn add(&self, records: &[u8]) -> JournalBlock {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.kept + records.len() > IN_MEMORY
            && let Ok(at) = state.spill(records)
        {
            let length = records.len();
            return JournalBlock::Spilled { at, length };
        }
        // Without room for temporary files all is kept.
        state.kept += records.len();
        JournalBlock::Kept(records.into())
    }

    /// Reads a block, into `buffer` if it is not in memory.
    ///
    /// # Errors
    ///
    /// Those of the temporary file.
    pub(super) fn read<'b>(
        &self,
        block: &'b JournalBlock,
        buffer: &'b mut Vec<u8>,
    ) -> io::Result<&'b [u8]> {
        match block {
            JournalBlock::Kept(records) => Ok(records),
            JournalBlock::Spilled { at, length } => {
                buffer.resize(*length, 0);
                let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                let file = state.file()?;
                file.seek(SeekFrom::Start(*at))?;
                file.read_exact(buffer)?;
                Ok(buffer)
            }
        }
    }
}

impl JournalState {
    fn file(&mut self) -> io::Result<&mut File> {
        if self.file.is_none() {
            self.file = Some(tempfile::tempfile()?);
        }
        self.file
            .as_mut()
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Appends records to the temporary file; returns their offset.
    fn spill(&mut self, records: &[u8]) -> io::Result<u64> {
        let at = self.length;
        let file = self.file()?;
        file.seek(SeekFrom::Start(at))?;
        file.write_all(records)?;
        self.length += records.len() as u64;
        Ok(at)
    }
}
