//! Leaf parts: decoded, converted, reflowed and scanned, piece by piece (rules M14 to M19).

use std::io::{Cursor, Read};

use memchr::{memchr, memrchr};

use super::binary_block::BinaryBlocks;
use super::body_text::{SignatureFinder, Trailer, TrailerSplit};
use super::header::{Header, HeaderStop, Hyphens};
use super::part_scanners::{BodyBuffers, HTML_KEPT, PartScanners};
use super::reflow::Reflow;
use super::tree::MimeTree;
use super::unquote::LineUnquoter;
use crate::bytes::window::Window;
use crate::decode::Decode;
use crate::decode::compression::{Codec, Decompressed};
use crate::decode::transfer::{Base64, QuotedPrintable, TransferEncoding};
use crate::document::diagnostic::{self, Code};
use crate::document::events::{Batch, Enter, Event, Events, RestartHints, RuleFamily};
use crate::document::flags::Flags;
use crate::document::nested::{NestedDocument, NestedScope, NestedText, NestedView, PIECE};
use crate::document::{Positions, Reread, ScanStart, text};

/// The longest attachment that is decompressed, in bytes; it is kept in memory.
const MAX_ATTACHMENT: usize = 8 << 20;
/// The number of first bytes that tell whether something is compressed.
const MAGIC: usize = 8;
/// The number of bytes that are decompressed at a time.
const BLOCK: usize = 64 << 10;

/// The treatment of a part.
#[derive(Debug, Default)]
pub(super) enum PartContent {
    /// It is skipped.
    #[default]
    Skip,
    /// Text, perhaps reflowed.
    Text(Option<Reflow>),
    Html,
    /// A message in a transfer encoding, or a header block.
    Nested(Box<NestedPart>),
    /// An attachment that is decompressed, if it is compressed.
    Compressed(Box<Attachment>),
}

/// The leaf part that is being read.
#[derive(Default)]
pub(super) struct LeafPart {
    kind: PartContent,
    source: text::TextSource,
    transfer: TransferEncoding,
    quoted_printable: QuotedPrintable,
    base64: Base64,
    trailer: Trailer,
    /// The clear text behind base64 has begun.
    in_trailer: bool,
    unquoter: LineUnquoter,
    pub(super) document: NestedDocument,
    signature: SignatureFinder,
    binary_blocks: BinaryBlocks,
    text: NestedText,
    body: BodyBuffers,
    /// The diagnostics; the tree adds their offset.
    pub(super) diagnostics: Vec<&'static Code>,
}

/// The description of a part by its header.
pub(super) struct PartDescription<'a> {
    pub(super) kind: PartContent,
    pub(super) transfer: TransferEncoding,
    pub(super) charset: &'a [u8],
    pub(super) scope: NestedScope,
    pub(super) flags: Flags,
    /// Undoes what the mailbox changed.
    pub(super) unquoter: LineUnquoter,
    /// The source of its text.
    pub(super) source: text::TextSource,
}

impl LeafPart {
    /// Begins a part.
    pub(super) fn begin(&mut self, description: PartDescription<'_>) {
        self.source = description.source;
        self.kind = description.kind;
        self.transfer = description.transfer;
        self.unquoter = description.unquoter;
        self.quoted_printable = QuotedPrintable::default();
        self.base64 = Base64::default();
        self.trailer.begin();
        self.in_trailer = false;
        self.begin_kind(description.scope, description.flags, description.charset);
    }

    /// Prepares for contents of the current kind.
    fn begin_kind(&mut self, scope: NestedScope, flags: Flags, charset: &[u8]) {
        let (family, threshold) = match self.kind {
            PartContent::Html => (RuleFamily::Markup, HTML_KEPT),
            _ => (RuleFamily::Plain, PIECE),
        };
        self.document.begin(family, scope, flags);
        self.signature = SignatureFinder::default();
        if !matches!(self.kind, PartContent::Skip) {
            self.body.begin(threshold);
            self.binary_blocks.begin();
            self.document.charset.clear();
            self.document.charset.extend_from_slice(charset);
            let fault = self.text.begin(family, charset);
            self.diagnostics.extend(fault.map(<&Code>::from));
            self.document.set_encoding(self.text.encoding());
        }
    }

    fn is_html(&self) -> bool {
        matches!(self.kind, PartContent::Html)
    }

    /// Returns whether the contents are skipped.
    pub(super) fn is_skipped(&self) -> bool {
        matches!(self.kind, PartContent::Skip)
    }

    /// Returns whether the part is in base64, where no line starts with a hyphen.
    pub(super) fn is_base64(&self) -> bool {
        self.transfer == TransferEncoding::Base64 && !self.in_trailer
    }

    /// Takes a piece of the part, as in the archive.
    pub(super) fn push(&mut self, raw: &[u8], scanners: &mut PartScanners, out: &mut Events) {
        if self.is_skipped() || raw.is_empty() {
            return;
        }
        if self.unquoter.is_on() && self.transfer != TransferEncoding::Base64 {
            let mut unquoter = std::mem::take(&mut self.unquoter);
            unquoter.push(raw, |piece| self.transfer_decode(piece, scanners, out));
            self.unquoter = unquoter;
        } else {
            self.transfer_decode(raw, scanners, out);
        }
    }

    fn transfer_decode(&mut self, raw: &[u8], scanners: &mut PartScanners, out: &mut Events) {
        match self.transfer {
            _ if self.in_trailer => self.decoded(raw, scanners, out),
            TransferEncoding::Identity => self.decoded(raw, scanners, out),
            TransferEncoding::QuotedPrintable => {
                let mut decoded = std::mem::take(&mut scanners.decoded);
                decoded.clear();
                self.quoted_printable.push(raw, &mut decoded, &mut ());
                self.decoded(&decoded, scanners, out);
                scanners.decoded = decoded;
            }
            TransferEncoding::Base64 => {
                let mut trailer = std::mem::take(&mut self.trailer);
                trailer.push(raw, |split, bytes| self.split(split, bytes, scanners, out));
                self.trailer = trailer;
            }
        }
    }

    /// Takes a piece of base64, or of the clear text behind it.
    fn split(
        &mut self,
        split: TrailerSplit,
        bytes: &[u8],
        scanners: &mut PartScanners,
        out: &mut Events,
    ) {
        match split {
            TrailerSplit::Encoded => {
                let mut decoded = std::mem::take(&mut scanners.decoded);
                decoded.clear();
                self.base64.push(bytes, &mut decoded, &mut ());
                self.decoded(&decoded, scanners, out);
                scanners.decoded = decoded;
            }
            TrailerSplit::Clear => {
                if !self.in_trailer {
                    self.end_decoding(scanners, out);
                    self.end_body(scanners, out);
                    self.begin_trailer();
                }
                self.decoded(bytes, scanners, out);
            }
        }
    }

    fn begin_trailer(&mut self) {
        self.diagnostics.push(&diagnostic::TRAILING_TEXT);
        self.kind = PartContent::Text(None);
        self.in_trailer = true;
        self.begin_kind(
            self.document.scope,
            self.document.flags | Flags::TRAILER,
            b"",
        );
    }

    /// Scans a complete attachment, if it is compressed.
    fn decompress(
        &mut self,
        attachment: Attachment,
        scanners: &mut PartScanners,
        out: &mut Events,
    ) {
        let Some((mut reader, inner)) = attachment.open() else {
            self.skip(scanners);
            return;
        };
        scanners.counts.parts += 1;
        self.kind = inner;
        self.begin_kind(self.document.scope, self.document.flags, b"");
        while !reader.block.is_empty() {
            self.decoded(&reader.block, scanners, out);
            reader.read();
        }
        self.diagnostics.extend(reader.fault());
        self.end_body(scanners, out);
    }

    /// Skips the rest of the part.
    fn skip(&mut self, scanners: &mut PartScanners) {
        scanners.counts.skip(&self.document.media_type);
        self.kind = PartContent::Skip;
    }

    /// Takes decoded bytes of the part.
    fn decoded(&mut self, bytes: &[u8], scanners: &mut PartScanners, out: &mut Events) {
        if let PartContent::Nested(nested) = &mut self.kind {
            nested.push(bytes, scanners, out);
            return;
        }
        if let PartContent::Compressed(attachment) = &mut self.kind {
            if attachment.push(bytes) == AttachmentNeed::Nothing {
                self.skip(scanners);
            }
            return;
        }
        if self.is_skipped() {
            return;
        }
        self.text.push(bytes);
        if self.text.windows.pending().len() >= self.body.threshold {
            self.scan(false, scanners, out);
            let pending = self.text.windows.pending().len();
            self.body.threshold = PIECE.max(2 * pending);
        }
    }

    /// Scans a part of which all bytes are in view without a copy; returns whether that was
    /// possible.
    pub(super) fn scan_in_place(
        &mut self,
        raw: &[u8],
        scanners: &mut PartScanners,
        out: &mut Events,
    ) -> bool {
        let plain = matches!(self.kind, PartContent::Text(None))
            && self.transfer == TransferEncoding::Identity;
        if !plain || self.in_trailer || !self.is_empty() {
            return false;
        }
        if self.unquoter.is_on() && LineUnquoter::has_any(raw, scanners.quoted)
            || BinaryBlocks::may_begin_in(raw)
        {
            return false;
        }
        if !self.text.is_utf8(raw) {
            return false;
        }
        let start = ScanStart {
            source: self.source,
            ..ScanStart::default()
        };
        let window = Window::whole(raw);
        let view = NestedView::stored(window, 0, scanners.positions);
        let (document, signature) = (&mut self.document, &mut self.signature);
        let take = |inner: &Batch| map_batch(document, signature, inner, &view, out);
        let nested = &mut scanners.nested;
        nested.scan_whole(RuleFamily::Plain, &start, window, take);
        self.document.leave(out);
        true
    }

    /// Returns the offset of the part in the archive, for diagnostics.
    pub(super) fn offset(&self) -> u64 {
        self.document.diagnostic_offset.unwrap_or_default()
    }

    /// Returns whether the part has had no input.
    fn is_empty(&self) -> bool {
        !self.body.has_begun && self.text.windows.pending().is_empty() && self.unquoter.is_empty()
    }

    /// Drops the contents, which were scanned in place.
    pub(super) fn drop_content(&mut self) {
        self.kind = PartContent::Skip;
    }

    /// Ends the part.
    pub(super) fn end(&mut self, scanners: &mut PartScanners, out: &mut Events) {
        if self.is_skipped() {
            return;
        }
        let mut unquoter = std::mem::take(&mut self.unquoter);
        unquoter.end(|piece| self.transfer_decode(piece, scanners, out));
        if unquoter.has_dropped {
            self.diagnostics.push(&diagnostic::NUL_BYTES);
        }
        if self.transfer == TransferEncoding::Base64 {
            let mut trailer = std::mem::take(&mut self.trailer);
            trailer.end(|split, bytes| self.split(split, bytes, scanners, out));
            self.trailer = trailer;
        }
        if !self.in_trailer {
            self.end_decoding(scanners, out);
        }
        self.end_body(scanners, out);
        self.kind = PartContent::Skip;
    }

    fn end_decoding(&mut self, scanners: &mut PartScanners, out: &mut Events) {
        let mut decoded = std::mem::take(&mut scanners.decoded);
        decoded.clear();
        match self.transfer {
            TransferEncoding::Identity => {}
            TransferEncoding::QuotedPrintable => {
                self.quoted_printable.finish(&mut decoded, &mut ());
                if self.quoted_printable.faults() > 0 {
                    self.diagnostics.push(&diagnostic::BAD_ESCAPE);
                }
            }
            TransferEncoding::Base64 => {
                self.base64.finish(&mut decoded, &mut ());
                if self.base64.is_truncated() {
                    self.diagnostics.push(&diagnostic::BASE64_TRUNCATED);
                }
                if self.base64.faults() > 0 {
                    self.diagnostics.push(&diagnostic::BASE64_GARBAGE);
                }
            }
        }
        self.decoded(&decoded, scanners, out);
        scanners.decoded = decoded;
    }

    fn end_body(&mut self, scanners: &mut PartScanners, out: &mut Events) {
        if let PartContent::Nested(nested) = &mut self.kind {
            nested.end(scanners, out);
            return;
        }
        if matches!(self.kind, PartContent::Compressed(_)) {
            if let PartContent::Compressed(attachment) = std::mem::take(&mut self.kind) {
                self.decompress(*attachment, scanners, out);
            }
            return;
        }
        if self.is_skipped() {
            return;
        }
        self.scan(true, scanners, out);
        if self.text.is_malformed() {
            self.diagnostics.push(&diagnostic::CHARSET_MALFORMED);
        }
        self.document.leave(out);
    }

    /// Scans the pending text.
    fn scan(&mut self, last: bool, scanners: &mut PartScanners, out: &mut Events) {
        if !self.body.has_begun {
            self.text.detect();
            self.document.set_encoding(self.text.encoding());
        }
        if last {
            self.text.finish();
        }
        if !self.is_html() {
            self.blank_binary_blocks(last, scanners);
        }
        let mut previous = None;
        if !self.body.has_begun {
            self.begin_scanner(RestartHints::default(), last, scanners);
            self.body.has_begun = true;
        }
        loop {
            let restart = self.scan_once(last, scanners, out);
            // Each restart has to ask for more than the one before.
            if restart.is_none() || restart == previous {
                return;
            }
            previous = restart;
            self.document.restart();
            self.begin_scanner(restart.unwrap_or_default(), last, scanners);
        }
    }

    fn begin_scanner(&mut self, restart: RestartHints, last: bool, scanners: &mut PartScanners) {
        let start = match self.document.family {
            RuleFamily::Plain => ScanStart {
                source: self.source,
                ..ScanStart::default()
            },
            RuleFamily::Markup => ScanStart {
                restart,
                reread: match last {
                    true => Reread::Possible,
                    false => Reread::Impossible,
                },
                ..self.text.start()
            },
        };
        scanners.nested.begin(self.document.family, &start);
    }

    fn blank_binary_blocks(&mut self, last: bool, scanners: &mut PartScanners) {
        let view = self.text.windows.window();
        let from = view.at_offset(self.body.blanked) - view.start;
        let pending = &mut self.text.windows.pending_mut()[from..];
        let whole = match memrchr(b'\n', pending) {
            _ if last => pending.len(),
            Some(end) => end + 1,
            None => pending.len(),
        };
        let counts = &mut scanners.counts;
        let blank = &mut pending[..whole];
        let cleared = self
            .binary_blocks
            .blank(blank, last, |name| counts.skip(name));
        self.body.blanked += cleared as u64;
    }

    /// Scans the pending text once; returns how to restart, if the scanner asks for that.
    fn scan_once(
        &mut self,
        last: bool,
        scanners: &mut PartScanners,
        out: &mut Events,
    ) -> Option<RestartHints> {
        let body = &mut self.body;
        let text = self.text.windows.window();
        let limit = if self.document.family == RuleFamily::Plain {
            text.at_offset(body.blanked)
        } else {
            text.bytes.len()
        };
        let text = Window {
            bytes: &text.bytes[..limit],
            ..text
        };
        let reflow = match &mut self.kind {
            PartContent::Text(reflow) => reflow.as_mut(),
            _ => None,
        };
        let scanned = match reflow {
            Some(reflow) => {
                let from = text.at_offset(body.reflowed);
                let mut scratch = std::mem::take(&mut scanners.scratch);
                scratch.clear();
                let pending = &text.bytes[from..];
                body.reflowed += reflow.push(pending, last, &mut scratch, &mut body.reflow) as u64;
                body.scanned.push(&scratch);
                scanners.scratch = scratch;
                if last {
                    body.scanned.end_here();
                }
                Some(body.scanned.window())
            }
            None => None,
        };
        let view = NestedView {
            scanned: scanned.unwrap_or(text),
            text,
            reflow: scanned.is_some().then_some(&body.reflow),
            converted: self.text.map(),
            origin: 0,
            positions: scanners.positions,
        };
        let (document, signature) = (&mut self.document, &mut self.signature);
        let family = document.family;
        let take = |inner: &Batch| map_batch(document, signature, inner, &view, out);
        let (consumed, again) = scanners.nested.scan_window(family, view.scanned, take);
        let again = again.filter(|_| text.offset == 0 && text.start == 0);
        if again.is_none() {
            let at = match view.reflow {
                Some(map) if !last => text.at_offset(map.start(view.scanned.offset_at(consumed))),
                Some(_) => text.bytes.len(),
                None => consumed,
            };
            if view.positions == Positions::Lines {
                self.document.lines.pass(&text, at);
            }
            if scanned.is_some() {
                body.scanned.consume(consumed);
            }
            self.text.consume(at);
            let derived = body.scanned.window().offset;
            body.reflow.forget(derived);
        }
        again
    }
}

/// Maps events of a part's scanner to events of the archive.
fn map_batch(
    document: &mut NestedDocument,
    signature: &mut SignatureFinder,
    inner: &Batch,
    view: &NestedView<'_>,
    out: &mut Events,
) {
    // Nothing follows the last window that could be in the signature.
    let is_plain = document.family == RuleFamily::Plain;
    if is_plain && !(inner.list.is_empty() && view.text.last) {
        signature.search(&view.text);
    }
    document.map(inner, view, |offset| signature.flags_at(offset), out);
}

/// An attachment that may be compressed.
#[derive(Debug)]
pub(super) struct Attachment {
    bytes: Vec<u8>,
    /// The treatment of the decompressed contents.
    inner: PartContent,
}

/// Whether an attachment takes more bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AttachmentNeed {
    More,
    Nothing,
}

impl Attachment {
    pub(super) fn new(inner: PartContent) -> Self {
        Attachment {
            bytes: Vec::new(),
            inner,
        }
    }

    /// Appends decoded bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) -> AttachmentNeed {
        self.bytes.extend_from_slice(bytes);
        let known = self.bytes.len() < MAGIC || Codec::of(&self.bytes).is_some();
        match known && self.bytes.len() <= MAX_ATTACHMENT {
            true => AttachmentNeed::More,
            false => AttachmentNeed::Nothing,
        }
    }

    /// Starts decompression, if the attachment is compressed text; returns how that is read.
    pub(super) fn open(self) -> Option<(AttachmentReader, PartContent)> {
        let codec = Codec::of(&self.bytes)?;
        let mut reader = AttachmentReader {
            reader: Decompressed::new(codec, Box::new(Cursor::new(self.bytes))),
            block: Vec::new(),
        };
        reader.read();
        // An archive of files has NULs; text has none.
        if memchr(0, &reader.block).is_some() || Codec::of(&reader.block).is_some() {
            return None;
        }
        Some((reader, self.inner))
    }
}

/// The contents of a compressed attachment, block by block.
pub(super) struct AttachmentReader {
    reader: Decompressed,
    /// The current block; empty behind the last one.
    pub(super) block: Vec<u8>,
}

impl AttachmentReader {
    /// Reads the next block.
    pub(super) fn read(&mut self) {
        self.block.clear();
        // Reading from memory does not fail, and damage ends the contents.
        let _ = (&mut self.reader)
            .take(BLOCK as u64)
            .read_to_end(&mut self.block);
    }

    /// Returns the code of damage in what was read.
    pub(super) fn fault(&self) -> Option<&'static Code> {
        self.reader.error().map(|error| error.fault.into())
    }
}

/// The contents of a nested part.
pub(super) enum NestedContent {
    Message(Box<MimeTree>),
    Headers(Box<Header>),
}

/// A message inside a transfer encoding, or a header block that is a part, with the bytes that are
/// pending.
pub(super) struct NestedPart {
    content: NestedContent,
    pending: Vec<u8>,
    /// The position in the archive.
    member: String,
    /// The header block is complete.
    is_done: bool,
}

impl std::fmt::Debug for NestedPart {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Nested")
    }
}

impl NestedPart {
    pub(super) fn new(mut content: NestedContent, member: &str) -> Self {
        if let NestedContent::Headers(header) = &mut content {
            header.begin();
        }
        NestedPart {
            content,
            pending: Vec::new(),
            member: member.to_owned(),
            is_done: false,
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8], scanners: &mut PartScanners, out: &mut Events) {
        self.pending.extend_from_slice(bytes);
        self.feed(false, scanners, out);
    }

    pub(super) fn end(&mut self, scanners: &mut PartScanners, out: &mut Events) {
        self.feed(true, scanners, out);
    }

    fn feed(&mut self, end: bool, scanners: &mut PartScanners, out: &mut Events) {
        let taken = match &mut self.content {
            NestedContent::Message(tree) => {
                let pending = std::mem::take(&mut self.pending);
                let taken = tree.feed_all(&pending, end, scanners, out);
                self.pending = pending;
                taken
            }
            NestedContent::Headers(header) => {
                if self.is_done {
                    self.pending.len()
                } else {
                    let (at, stop) = header.feed(&self.pending, 0, end, Hyphens::TakeAll, scanners);
                    self.is_done = stop != HeaderStop::NeedMore;
                    if self.is_done {
                        report_headers(header, &self.member, out);
                    }
                    at
                }
            }
        };
        self.pending.drain(..taken);
    }
}

/// Reports the references of a header block that is a part.
fn report_headers(header: &Header, member: &str, out: &mut Events) {
    if header.events.list.is_empty() {
        return;
    }
    let member = Some(out.store(member.as_bytes()));
    out.push(Event::Enter(Enter {
        member,
        family: RuleFamily::Plain,
        base: None,
    }));
    out.push(Event::Settled);
    header.report(out);
    out.push(Event::Leave);
}
