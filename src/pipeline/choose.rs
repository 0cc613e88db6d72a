//! What becomes of a file: by what it is, and what the user asked for.

use std::fs::File;
use std::io::Read as _;

use encoding_rs::UTF_8;

use super::sniff::{self, Content, HEAD};
use super::walk::{Entry, EntryKind};
use super::{Decompress, PipelineOptions};
use crate::document::container::Codec;
use crate::document::{Format, SplitPoint};
use crate::output::record::{Skip, SkipReason};

/// What becomes of a file.
#[derive(Clone, Copy)]
pub enum Choice {
    /// It is read as a document of this format.
    Read(&'static Format),
    /// It is left out.
    Skip(Skip),
}

impl PipelineOptions {
    /// What becomes of a file with these first bytes.
    pub fn choose(&self, entry: &Entry, head: &[u8]) -> Choice {
        self.choose_by(entry.path.as_os_str().as_encoded_bytes(), entry, head)
    }

    /// The same for what a compressed file holds, under the name that is left.
    pub fn choose_by(&self, path: &[u8], entry: &Entry, head: &[u8]) -> Choice {
        match (sniff::content(path, head), self.formats.as_slice()) {
            // What is named is taken for what the user says that it is.
            (_, [format]) if entry.named => Choice::Read(format),
            (Content::Other(name), _) => Choice::Skip(Skip {
                reason: sniff::reason(name),
                format: name,
            }),
            (Content::Document(format), []) => Choice::Read(format),
            (Content::Document(format), wanted) => {
                if wanted.iter().any(|one| one.name == format.name) {
                    Choice::Read(format)
                } else {
                    Choice::Skip(Skip {
                        reason: SkipReason::Type,
                        format: format.name,
                    })
                }
            }
        }
    }

    /// Whether a file is read as a document, by its name and its first bytes.
    pub fn reads(&self, entry: &Entry) -> bool {
        if matches!(entry.kind, EntryKind::LeftOut(_)) {
            return false;
        }
        let mut head = Vec::new();
        let read =
            File::open(&entry.path).and_then(|file| file.take(HEAD as u64).read_to_end(&mut head));
        read.is_ok()
            && (self.codec(entry, &head).is_some()
                || matches!(self.choose(entry, &head), Choice::Read(_)))
    }

    /// The codec of a compressed file that is to be looked into.
    pub fn codec(&self, entry: &Entry, head: &[u8]) -> Option<&'static Codec> {
        let wanted = entry.named || self.decompress == Decompress::All;
        Codec::of(head).filter(|_| wanted)
    }

    /// Whether a document with these first bytes may be cut into pieces: each of them must be
    /// readable without those before it.
    pub fn may_cut(&self, format: &Format, head: &[u8]) -> bool {
        let seams = match format.seam {
            None => false,
            Some(SplitPoint::Line(_)) => true,
            // One worker is faster without a look ahead.
            Some(SplitPoint::Message(_)) => self.threads > 1,
        };
        seams
            && !self.report.is_by_file()
            && self.declared.is_none_or(|encoding| encoding == UTF_8)
            && !sniff::is_wide(head)
    }
}
