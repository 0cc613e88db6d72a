//! The journal of the first pass, for the second, which reads no document again.
//!
//! It has the damage and the remarks of documents, and every link that may have a finding. The
//! target of an existing link may lack the fragment or redirect elsewhere, which is known when all
//! documents are: such a link can be skipped.

use std::io::{self, Read, Seek, SeekFrom, Write};

use parking_lot::Mutex;
use tempfile::SpooledTempFile;

use super::location::{Audit, Located};
use super::names::FileId;
use super::wire::{LinkContext, Packed, packed_fields, packed_variants, push_reference};
use crate::linker::{Diagnostic, Link, Remark};

/// Maximum length in memory, in bytes; the rest is in a temporary file.
const IN_MEMORY: usize = 8 << 20;

/// Maximum length in bytes of a block of records of one document.
pub(super) const BLOCK: usize = 1 << 20;

#[derive(Clone, Debug)]
pub(super) enum JournalRecord<'a> {
    Document(JournalDocument),
    /// The context of the next links follows.
    Context,
    /// The location and the fragment of a link, which follows.
    Link(Located<'a>),
    /// A link whose target exists, and the names needed there.
    Existing(Located<'a>, NeededNames, &'a [u8]),
    Diagnostic(Diagnostic<'a>),
    Remark(Remark<'a>),
    /// The offset and the name of an anchor that the document has already.
    Repeated(u64, &'a [u8]),
    /// The offset and the name of an anchor, if targets are listed.
    Anchor(u64, &'a [u8]),
    /// The document is read again: its anchors and remarks so far are dropped.
    Restart,
    /// The reason for an unreadable document.
    Failure(&'a str),
}

packed_variants! {
    JournalRecord<'a> {
        Document(document), Context, Link(located), Existing(located, names, link), Diagnostic(diagnostic),
        Remark(remark), Repeated(offset, name), Anchor(offset, name), Restart, Failure(message)
    }
}

/// A document, or an unreadable path.
#[derive(Clone, Debug, Default)]
pub(super) struct JournalDocument {
    /// The path as reached from the arguments.
    pub(super) path: Vec<u8>,
    /// `None` for an error.
    pub(super) file: Option<FileId>,
    /// The member of the archive at the path.
    pub(super) member: Option<DocumentMember>,
}

impl JournalDocument {
    /// Returns the path of the file, in its archive if it is in one.
    pub(super) fn file_path(&self, audit: &Audit) -> Vec<u8> {
        match (&self.member, self.file) {
            (Some(_), Some(file)) => audit.checker.paths.path(file).to_vec(),
            _ => self.path.clone(),
        }
    }

    pub(super) fn member_name(&self) -> Option<&str> {
        self.member.as_ref().map(|member| member.name.as_str())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DocumentMember {
    /// The number in the archive or its piece, from 1, in the order of reading.
    pub(super) number: u64,
    pub(super) name: String,
}

/// The hashes of the names that a link needs in an existing file.
pub(super) type NeededNames = (Option<[u8; 8]>, Option<[u8; 8]>);

packed_fields! {
    JournalDocument { path, file, member }
    DocumentMember { number, name }
}

#[derive(Debug, Default)]
pub(super) struct JournalWriter {
    pub(super) bytes: Vec<u8>,
    /// The base of the last link, unless it has a member.
    base: Vec<u8>,
    source: String,
    has_member: bool,
    next: Vec<u8>,
}

impl JournalWriter {
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.base.clear();
        self.source.clear();
        self.has_member = false;
    }

    /// `names` are of a link whose target exists.
    pub(super) fn link(&mut self, link: &Link<'_>, at: Located<'_>, names: Option<NeededNames>) {
        let base = link.base.unwrap_or_default();
        let (base, source) = (base.uri, base.label);
        let has_member = link.member.is_some();
        if has_member || self.has_member || self.base != base || self.source != source {
            self.has_member = has_member;
            base.clone_into(&mut self.base);
            source.clone_into(&mut self.source);
            JournalRecord::Context.pack(&mut self.bytes);
            LinkContext::of(link).pack(&mut self.bytes);
        }
        let Some(names) = names else {
            JournalRecord::Link(at).pack(&mut self.bytes);
            return push_reference(link, &mut self.bytes);
        };
        self.next.clear();
        push_reference(link, &mut self.next);
        JournalRecord::Existing(at, names, &self.next).pack(&mut self.bytes);
    }
}

/// The blocks of records: in memory up to [`IN_MEMORY`], then all in a temporary file.
pub(super) struct Journal(Mutex<SpooledTempFile>);

pub(super) enum JournalBlock {
    Written { at: u64, length: usize },
    Kept(Box<[u8]>),
}

impl Default for Journal {
    fn default() -> Self {
        Journal(Mutex::new(SpooledTempFile::new(IN_MEMORY)))
    }
}

impl Journal {
    pub(super) fn add(&self, records: &[u8]) -> JournalBlock {
        let mut file = self.0.lock();
        let (end, length) = (file.seek(SeekFrom::End(0)), records.len());
        match end.and_then(|at| file.write_all(records).map(|()| at)) {
            Ok(at) => JournalBlock::Written { at, length },
            // There may be no room for temporary files.
            Err(_) => JournalBlock::Kept(records.into()),
        }
    }

    /// Written blocks are read into `buffer`.
    pub(super) fn read<'b>(
        &self,
        block: &'b JournalBlock,
        buffer: &'b mut Vec<u8>,
    ) -> io::Result<&'b [u8]> {
        match block {
            JournalBlock::Kept(records) => Ok(records),
            JournalBlock::Written { at, length } => {
                buffer.resize(*length, 0);
                let mut file = self.0.lock();
                file.seek(SeekFrom::Start(*at))?;
                file.read_exact(buffer)?;
                Ok(buffer)
            }
        }
    }
}
