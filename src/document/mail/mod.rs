//! Mail and news: messages in archives, the MIME structure of each, and the references in headers
//! and parts.
//!
//! An archive is one document. Its framing (`framing`) cuts it into messages; a message is a tree
//! of entities (`tree`, `open`), each with a header block (`header`); what can be read is decoded
//! (`transfer`), converted (`charset`), reflowed (`reflow`) and handed to the scanners for text and
//! HTML (`part`), whose events become events of the archive (`document::nested`). Everything is a stream:
//! no buffer depends on the size of a message or an attachment.

mod binary_block;
mod delimiter;
pub(crate) mod envelope;
mod field_value;
mod framing;
mod header;
mod mbox;
mod media_type;
mod part;
mod part_scanners;
mod reflow;
mod separator;
mod signature;
mod sniff;
mod trailer;
mod tree;
mod unquote;

use super::events::{Event, Events, RuleFamily};
use super::{ArchiveCounts, Format, Passes, PieceIndex, Retrieval, Scan, ScanStart, SplitPoint};
use crate::bytes::window::{Bounds, Window};
use crate::decode::charset::Conversion;
use framing::{ArchiveState, Emlx, Framing, LOOK_AHEAD, Mmdf, Rnews, SingleMessage};
use mbox::{Mbox, MboxFinder};
use part_scanners::PartScanners;
pub use separator::is_separator;
pub use sniff::{is_message, starts_with_field};
use tree::MimeTree;

/// How mail is read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MailOptions {
    /// Which header fields are read for references.
    pub headers: Headers,
    /// Also report identifiers of messages, as `mid:`, and news groups, as `news:`.
    pub ids: bool,
    /// Which parts of a `multipart/alternative` count.
    pub alternatives: Alternatives,
    /// Also report the date, the sender and the subject of each message.
    pub envelope: bool,
    /// What a relative Content-Location is to the base.
    pub mime_base: MimeBase,
    /// What becomes of compressed attachments.
    pub attachments: Attachments,
    /// Entities that are nested deeper are read as text.
    pub max_depth: usize,
}

impl Default for MailOptions {
    fn default() -> Self {
        MailOptions {
            headers: Headers::default(),
            ids: false,
            envelope: false,
            alternatives: Alternatives::default(),
            mime_base: MimeBase::default(),
            attachments: Attachments::default(),
            max_depth: 64,
        }
    }
}

/// Which header fields are read for references.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Headers {
    /// None.
    None,
    /// Those that are known to hold URIs or free text.
    #[default]
    Known,
    /// All of them, trace fields too.
    All,
}

/// Which parts of a `multipart/alternative` count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alternatives {
    /// All of them.
    #[default]
    All,
    /// The last that can be read (RFC 2046 section 5.1.4).
    Last,
}

/// What a relative Content-Location is to the base.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MimeBase {
    /// Resolved against the enclosing base, it is the base of its own part.
    #[default]
    Chained,
    /// Only an absolute one is a base (RFC 2557 section 5, to the letter).
    Strict,
}

/// What becomes of compressed attachments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Attachments {
    /// They are passed over, and counted.
    #[default]
    Skip,
    /// They are decompressed, and what they hold is read by its name.
    Open,
}

/// A mailbox: messages back to back, each behind a `From ` line.
pub(super) const MBOX: Format = Format {
    name: "mbox",
    extensions: &["mbox", "mbx"],
    scanner: |options| Box::new(MailScanner::<Mbox>::new(options)),
    split_point: Some(SplitPoint::Member(|| Box::new(MboxFinder::default()))),
    ..FORMAT
};

/// One message: a file of its own, of a Maildir, an MH folder or a news spool.
pub(super) const EML: Format = Format {
    name: "eml",
    extensions: &["eml"],
    ..FORMAT
};

/// A web page with what it refers to, as one message (RFC 2557).
pub(super) const MHTML: Format = Format {
    name: "mhtml",
    extensions: &["mht", "mhtml"],
    ..FORMAT
};

/// A batch of news articles, each behind a `#! rnews` line.
pub(super) const NEWS: Format = Format {
    name: "news",
    extensions: &["rnews"],
    scanner: |options| Box::new(MailScanner::<Rnews>::new(options)),
    ..FORMAT
};

/// A mailbox of messages between lines of four control-A.
pub(super) const MMDF: Format = Format {
    name: "mmdf",
    extensions: &["mmdf"],
    scanner: |options| Box::new(MailScanner::<Mmdf>::new(options)),
    ..FORMAT
};

/// A message between its length and a property list.
pub(super) const EMLX: Format = Format {
    name: "emlx",
    extensions: &["emlx"],
    scanner: |options| Box::new(MailScanner::<Emlx>::new(options)),
    ..FORMAT
};

const FORMAT: Format = Format {
    name: "eml",
    extensions: &[],
    family: RuleFamily::Plain,
    retrieval: Retrieval::Elsewhere,
    bounds: Bounds {
        // Enough to see whether the line before is blank.
        look_behind: 8,
        // A Content-Length is believed if what it leads to is so near; a header line is shorter.
        look_ahead: LOOK_AHEAD + (256 << 10),
    },
    reading: Passes::Once,
    // Each part has an encoding of its own.
    prescan: None,
    conversion: Conversion::Never,
    split_point: None,
    scanner: |options| Box::new(MailScanner::<SingleMessage>::new(options)),
};

/// The scanner for all formats of mail.
struct MailScanner<F> {
    framing: F,
    archive: ArchiveState,
    /// The archive is known to be one that brings no base of its own.
    settled: bool,
    /// Of the piece that begins next.
    index: Option<PieceIndex>,
}

impl<F: Framing> MailScanner<F> {
    fn new(options: &super::FormatOptions) -> Self {
        MailScanner {
            framing: F::default(),
            archive: ArchiveState {
                tree: MimeTree::default(),
                readers: PartScanners::new(options),
                count: 0,
            },
            settled: false,
            index: None,
        }
    }
}

impl<F: Framing> Scan for MailScanner<F> {
    fn begin(&mut self, start: &ScanStart) {
        self.framing = F::piece(start.split, self.index.take());
        self.archive.count = start.split.before;
        self.settled = false;
        self.archive.readers.counts = ArchiveCounts::default();
        self.archive.readers.positions = start.positions;
    }

    fn scan(&mut self, window: Window<'_>, events: &mut Events) -> usize {
        if !std::mem::replace(&mut self.settled, true) {
            events.push(Event::Settled);
        }
        self.framing.scan(window, &mut self.archive, events)
    }

    fn set_index(&mut self, index: Option<&PieceIndex>) {
        self.index = index.cloned();
    }

    fn counts(&self) -> Option<&ArchiveCounts> {
        Some(&self.archive.readers.counts)
    }
}
