//! Mail and news: archives, the MIME structure of messages, and the references in headers and
//! parts.
//!
//! An archive is one document. Its framing (`framing`, `mbox`) splits it into messages; a message is a
//! tree of entities (`tree`), each with a header block (`header`); a part (`part`) is decoded and
//! converted ([`decode`](crate::decode)), and passed to the scanners for text and HTML, whose events
//! become events of the archive. No buffer depends on the size of a message or an attachment.
//!
//! | rules | file | contents |
//! |---|---|---|
//! | M1, M7-M9 | `framing` | one message, batches of news, MMDF, emlx |
//! | M2-M4, M6, M26 | `mbox`, `separator` | separators of mailboxes |
//! | M5 | `unquote` | quoted lines, runs of NULs |
//! | M10, M13 | `header`, `header_field`, `field_value` | header blocks, and references in fields |
//! | M11, M12 | `tree`, `delimiter` | the MIME structure |
//! | M14, M17 | `part`, `body_text` | decoding and scanning |
//! | M15, M16 | `media_type` | how an entity is read |
//! | M19 | `binary_block`, `body_text` | binary blocks in text, signatures |
//! | M20, M21 | `sniff` | recognition |
//! | M28 | `signed_data` | messages inside signatures |
//! | M24 | `envelope` | date, sender, subject |
#![doc = include_str!("rules.md")]

mod binary_block;
mod body_text;
mod delimiter;
pub(crate) mod envelope;
mod field_value;
mod framing;
mod header;
mod header_field;
mod mbox;
mod media_type;
mod part;
mod part_scanners;
mod separator;
mod signed_data;
mod sniff;
mod tree;
mod unquote;

use super::events::Events;
pub use super::options::{Alternatives, Attachments, Headers, MailOptions, MimeBase};
use super::{ArchiveCounts, Format, PieceIndex, Retrieval, Scan, ScanStart, SplitPoint, text};
use crate::bytes::window::{Bounds, Window};
use crate::decode::charset::Conversion;
use framing::{ArchiveState, Emlx, Feed, Framing, LOOK_AHEAD, Mmdf, Rnews, SingleMessage};
use mbox::{Mbox, MboxFinder};
use part_scanners::PartScanners;
pub use separator::is_separator;
pub use sniff::{is_message, starts_with_field};
use tree::MimeTree;

/// A mailbox: messages back to back, each after a `From ` line.
pub(super) const MBOX: Format = Format {
    name: "mbox",
    extensions: &["mbox", "mbx"],
    scanner: |options| Box::new(MailScanner::<Mbox>::new(options)),
    split_point: Some(SplitPoint::Member(|| Box::new(MboxFinder::default()))),
    ..EML
};

/// One message in a file: alone, or of a Maildir, an MH folder or a news spool.
pub(super) const EML: Format = Format {
    name: "eml",
    extensions: &["eml"],
    retrieval: Retrieval::Elsewhere,
    // Before: enough to see whether the line before a separator is blank. After: a Content-Length field is
    // checked within this distance; a header line is shorter.
    bounds: Bounds::new(8, LOOK_AHEAD + (256 << 10)),
    // Each part has a separate encoding.
    conversion: Conversion::Never,
    scanner: |options| Box::new(MailScanner::<SingleMessage>::new(options)),
    ..text::UNSPLIT
};

/// A web page with the resources that it refers to, as one message (RFC 2557).
pub(super) const MHTML: Format = Format {
    name: "mhtml",
    extensions: &["mht", "mhtml"],
    ..EML
};

/// A batch of news articles, each after a `#! rnews` line.
pub(super) const NEWS: Format = Format {
    name: "news",
    extensions: &["rnews"],
    scanner: |options| Box::new(MailScanner::<Rnews>::new(options)),
    ..EML
};

/// A mailbox with lines of four control-A around its messages.
pub(super) const MMDF: Format = Format {
    name: "mmdf",
    extensions: &["mmdf"],
    scanner: |options| Box::new(MailScanner::<Mmdf>::new(options)),
    ..EML
};

/// A message after its length in bytes and before a property list.
pub(super) const EMLX: Format = Format {
    name: "emlx",
    extensions: &["emlx"],
    scanner: |options| Box::new(MailScanner::<Emlx>::new(options)),
    ..EML
};

struct MailScanner<F> {
    framing: F,
    archive: ArchiveState,
    /// The window in the form that the framing needs.
    copy: Vec<u8>,
    /// The index of the piece that begins next.
    index: Option<PieceIndex>,
}

impl<F: Framing> MailScanner<F> {
    fn new(options: &super::FormatOptions) -> Self {
        MailScanner {
            framing: F::default(),
            archive: ArchiveState {
                tree: MimeTree::default(),
                scanners: PartScanners::new(options),
                count: 0,
                is_open: false,
            },
            copy: Vec::new(),
            index: None,
        }
    }
}

impl<F: Framing> Scan for MailScanner<F> {
    fn begin(&mut self, start: &ScanStart) {
        self.framing = F::piece(start.split, self.index.take());
        self.archive.count = start.split.before;
        self.archive.is_open = false;
        self.archive.scanners.counts = ArchiveCounts::default();
        self.archive.scanners.nested.positions = start.positions;
    }

    fn scan(&mut self, window: Window, events: &mut Events) -> usize {
        let is_copy = self.framing.translate(&window, &mut self.copy);
        let bytes = if is_copy { &self.copy } else { window.bytes };
        let mut feed = Feed {
            window: Window { bytes, ..window },
            archive: &mut self.archive,
            out: events,
        };
        feed.feed_messages(&mut self.framing)
    }

    fn set_index(&mut self, index: Option<&PieceIndex>) {
        self.index = index.cloned();
    }

    fn counts(&self) -> Option<&ArchiveCounts> {
        Some(&self.archive.scanners.counts)
    }
}
