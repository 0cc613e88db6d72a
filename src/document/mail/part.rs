//! One part that holds something to read: decoded, converted, reflowed and scanned, piece by
//! piece as it comes.

use std::io::{Cursor, Read};

use encoding_rs::{Encoding, UTF_8};
use memchr::{memchr, memrchr};

use super::binary_block::BinaryBlocks;
use super::header::{Header, HeaderStop, Hyphens};
use super::part_scanners::{BodyBuffers, HTML_KEPT, PIECE, PartScanners};
use super::reflow::Reflow;
use super::signature::SignatureFinder;
use super::trailer::{Trailer, TrailerSplit};
use super::tree::MimeTree;
use super::unquote::LineUnquoter;
use crate::bytes::window::Window;
use crate::decode::charset::{
    self, Confidence, Converter, ConverterInput, Detected, TextCharset, detect, needs_transcoding,
};
use crate::decode::compression::{Codec, Decompressed};
use crate::decode::offset_map::OffsetMap;
use crate::decode::transfer::{Base64, QuotedPrintable, TransferEncoding};
use crate::decode::{Decode, RecordOffsets};
use crate::document::diagnostic::{self, Code};
use crate::document::events::{Batch, Enter, Event, Events, RestartHints, RuleFamily};
use crate::document::flags::Flags;
use crate::document::nested::{self, NestedDocument, NestedScope, NestedView};
use crate::document::{Positions, Reread, ScanStart, html, text};

/// A longer attachment is passed over: what is gathered takes memory.
const MOST: usize = 8 << 20;
/// So many first bytes tell whether something is compressed.
const MAGIC: usize = 8;
/// How much is decompressed at a time.
const BLOCK: usize = 64 << 10;

/// What a part is read as.
#[derive(Debug, Default)]
pub(super) enum PartContent {
    /// It is passed over.
    #[default]
    Skip,
    /// Text, perhaps reflowed.
    Text(Option<Reflow>),
    Html,
    /// A message whose own transfer encoding hides it, or a header block alone.
    Nested(Box<NestedPart>),
    /// An attachment that is opened if it turns out to be compressed.
    Packed(Box<Attachment>),
}

/// A part to be read.
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
    clean: LineUnquoter,
    charset: Option<TextCharset>,
    converter: Option<Converter>,
    converted: OffsetMap,
    pub(super) document: NestedDocument,
    signature: SignatureFinder,
    blobs: BinaryBlocks,
    body: BodyBuffers,
    /// Something to tell, with the message's offset added by the owner.
    pub(super) diagnostics: Vec<&'static Code>,
}

/// What a part is, as its heading says.
pub(super) struct PartDescription<'a> {
    pub(super) kind: PartContent,
    pub(super) transfer: TransferEncoding,
    pub(super) charset: &'a [u8],
    pub(super) scope: NestedScope,
    pub(super) flags: Flags,
    /// Whether lines of the mailbox were quoted.
    pub(super) clean: LineUnquoter,
    /// Whether its text is the source of a man page.
    pub(super) source: text::TextSource,
}

impl LeafPart {
    /// Starts a part.
    pub(super) fn begin(&mut self, description: PartDescription<'_>) {
        self.source = description.source;
        self.kind = description.kind;
        self.transfer = description.transfer;
        self.clean = description.clean;
        self.quoted_printable = QuotedPrintable::default();
        self.base64 = Base64::default();
        self.trailer.begin();
        self.in_trailer = false;
        self.begin_kind(description.scope, description.flags, description.charset);
    }

    /// Gets ready for contents of the kind at hand.
    fn begin_kind(&mut self, scope: NestedScope, flags: Flags, charset: &[u8]) {
        let (family, bounds, threshold) = match self.kind {
            PartContent::Html => (RuleFamily::Markup, html::FORMAT.bounds, HTML_KEPT),
            _ => (RuleFamily::Plain, text::FORMAT.bounds, PIECE),
        };
        self.document.begin(family, scope, flags);
        self.signature = SignatureFinder::default();
        if !matches!(self.kind, PartContent::Skip) {
            self.body.begin(bounds, threshold);
            self.blobs.begin();
            self.begin_charset(charset);
        }
    }

    fn begin_charset(&mut self, label: &[u8]) {
        self.converted.clear();
        self.converter = None;
        self.document.charset.clear();
        self.document.charset.extend_from_slice(label);
        let (charset, fault) = charset::of_label(label);
        self.diagnostics.extend(fault.map(<&Code>::from));
        self.set_charset(charset);
    }

    fn set_charset(&mut self, charset: TextCharset) {
        self.charset = Some(charset);
        match charset {
            // Markup is decoded value by value.
            TextCharset::Superset(encoding) if self.is_html() => {
                self.document.set_encoding(encoding)
            }
            // Text is ASCII, or converted, or UTF-8.
            TextCharset::Superset(_) | TextCharset::Guess => {}
            TextCharset::Convert(source) => {
                self.converter = Some(Converter::new(source));
                self.document.set_encoding(UTF_8);
            }
        }
    }

    /// The encoding that text is converted from where it is not ASCII.
    fn legacy(&self) -> Option<&'static Encoding> {
        match self.charset {
            Some(TextCharset::Superset(encoding)) if !self.is_html() && encoding != UTF_8 => {
                Some(encoding)
            }
            _ => None,
        }
    }

    fn is_html(&self) -> bool {
        matches!(self.kind, PartContent::Html)
    }

    /// Whether its contents are passed over.
    pub(super) fn is_skipped(&self) -> bool {
        matches!(self.kind, PartContent::Skip)
    }

    /// Whether it is base64, in which no line starts like a delimiter.
    pub(super) fn is_base64(&self) -> bool {
        self.transfer == TransferEncoding::Base64 && !self.in_trailer
    }

    /// Takes a piece of the part as it stands in the archive.
    pub(super) fn push(&mut self, raw: &[u8], readers: &mut PartScanners, out: &mut Events) {
        if self.is_skipped() || raw.is_empty() {
            return;
        }
        if self.clean.is_on() && self.transfer != TransferEncoding::Base64 {
            let mut clean = std::mem::take(&mut self.clean);
            clean.push(raw, |piece| self.transfer_decode(piece, readers, out));
            self.clean = clean;
        } else {
            self.transfer_decode(raw, readers, out);
        }
    }

    fn transfer_decode(&mut self, raw: &[u8], readers: &mut PartScanners, out: &mut Events) {
        match self.transfer {
            _ if self.in_trailer => self.decoded(raw, readers, out),
            TransferEncoding::Identity => self.decoded(raw, readers, out),
            TransferEncoding::QuotedPrintable => {
                let mut decoded = std::mem::take(&mut readers.decoded);
                decoded.clear();
                self.quoted_printable.push(raw, &mut decoded, &mut ());
                self.decoded(&decoded, readers, out);
                readers.decoded = decoded;
            }
            TransferEncoding::Base64 => {
                let mut trailer = std::mem::take(&mut self.trailer);
                trailer.push(raw, |split, bytes| self.split(&split, bytes, readers, out));
                self.trailer = trailer;
            }
        }
    }

    /// Takes base64, or the clear text behind it.
    fn split(
        &mut self,
        split: &TrailerSplit,
        bytes: &[u8],
        readers: &mut PartScanners,
        out: &mut Events,
    ) {
        match split {
            TrailerSplit::Encoded => {
                let mut decoded = std::mem::take(&mut readers.decoded);
                decoded.clear();
                self.base64.push(bytes, &mut decoded, &mut ());
                self.decoded(&decoded, readers, out);
                readers.decoded = decoded;
            }
            TrailerSplit::Clear => {
                if !self.in_trailer {
                    self.end_decoding(readers, out);
                    self.end_body(readers, out);
                    self.begin_trailer();
                }
                self.decoded(bytes, readers, out);
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

    /// Opens an attachment that has come to its end, if it is compressed.
    fn unpack(&mut self, packed: Attachment, readers: &mut PartScanners, out: &mut Events) {
        let Some((mut opened, inner)) = packed.open() else {
            self.pass_over(readers);
            return;
        };
        readers.counts.parts += 1;
        self.kind = inner;
        self.begin_kind(self.document.scope, self.document.flags, b"");
        while !opened.block.is_empty() {
            self.decoded(&opened.block, readers, out);
            opened.read();
        }
        self.diagnostics.extend(opened.fault());
        self.end_body(readers, out);
    }

    /// The rest of the part is passed over.
    fn pass_over(&mut self, readers: &mut PartScanners) {
        readers.counts.skip(&self.document.media_type);
        self.kind = PartContent::Skip;
    }

    /// Takes bytes of the part.
    fn decoded(&mut self, bytes: &[u8], readers: &mut PartScanners, out: &mut Events) {
        if let PartContent::Nested(nested) = &mut self.kind {
            nested.push(bytes, readers, out);
            return;
        }
        if let PartContent::Packed(packed) = &mut self.kind {
            if packed.push(bytes) == AttachmentState::None {
                self.pass_over(readers);
            }
            return;
        }
        if self.is_skipped() {
            return;
        }
        if self.converter.is_none()
            && let Some(encoding) = self.legacy()
            && !bytes.is_ascii()
        {
            // So far ASCII came, which is what it stands for.
            let text = self.body.text.window();
            self.converted
                .copy(text.offset_at(text.bytes.len()) as usize);
            self.converter = Some(Converter::new(ConverterInput::Encoding(encoding)));
        }
        if let Some(converter) = &mut self.converter {
            let mut scratch = std::mem::take(&mut readers.scratch);
            scratch.clear();
            converter.push(bytes, &mut scratch, &mut self.converted);
            self.body.text.push(&scratch);
            readers.scratch = scratch;
        } else {
            self.body.text.push(bytes);
        }
        if self.body.text.pending().len() >= self.body.threshold {
            self.scan(false, readers, out);
            let pending = self.body.text.pending().len();
            self.body.threshold = PIECE.max(2 * pending);
        }
    }

    /// Scans a part that is whole in view, where it stands; false when that cannot be.
    pub(super) fn scan_in_place(
        &mut self,
        raw: &[u8],
        readers: &mut PartScanners,
        out: &mut Events,
    ) -> bool {
        let plain = matches!(self.kind, PartContent::Text(None))
            && self.transfer == TransferEncoding::Identity;
        if !plain || self.in_trailer || self.converter.is_some() || !self.is_empty() {
            return false;
        }
        if self.clean.is_on() && LineUnquoter::concerns(raw, readers.quoted)
            || BinaryBlocks::suspicious(raw)
        {
            return false;
        }
        let charset = match self.charset {
            Some(TextCharset::Guess) => charset::guess(raw),
            Some(known) => known,
            None => return false,
        };
        let plain = match charset {
            TextCharset::Superset(encoding) => encoding == UTF_8 || raw.is_ascii(),
            TextCharset::Guess | TextCharset::Convert(_) => false,
        };
        if !plain {
            return false;
        }
        let window = Window::whole(raw);
        let mut inner = Events::from(std::mem::take(&mut readers.inner));
        inner.clear();
        readers.text.begin(&ScanStart {
            source: self.source,
            ..ScanStart::default()
        });
        readers.text.scan(window, &mut inner);
        let view = NestedView::stored(window, 0, readers.positions);
        map_batch(&mut self.document, &mut self.signature, &inner, &view, out);
        readers.inner = inner.into();
        self.document.leave(out);
        true
    }

    /// Offset of the part in the archive, for diagnostics.
    pub(super) fn offset(&self) -> u64 {
        self.document.diagnostic_offset.unwrap_or_default()
    }

    /// Whether nothing has come yet.
    fn is_empty(&self) -> bool {
        !self.body.begun && self.body.text.pending().is_empty() && self.clean.is_empty()
    }

    /// The part was scanned where it stands.
    pub(super) fn forget(&mut self) {
        self.kind = PartContent::Skip;
    }

    /// The part ends.
    pub(super) fn end(&mut self, readers: &mut PartScanners, out: &mut Events) {
        if self.is_skipped() {
            return;
        }
        let mut clean = std::mem::take(&mut self.clean);
        clean.end(|piece| self.transfer_decode(piece, readers, out));
        if clean.dropped {
            self.diagnostics.push(&diagnostic::NUL_BYTES);
        }
        if self.transfer == TransferEncoding::Base64 {
            let mut trailer = std::mem::take(&mut self.trailer);
            trailer.end(|split, bytes| self.split(&split, bytes, readers, out));
            self.trailer = trailer;
        }
        if !self.in_trailer {
            self.end_decoding(readers, out);
        }
        self.end_body(readers, out);
        self.kind = PartContent::Skip;
    }

    fn end_decoding(&mut self, readers: &mut PartScanners, out: &mut Events) {
        let mut decoded = std::mem::take(&mut readers.decoded);
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
        self.decoded(&decoded, readers, out);
        readers.decoded = decoded;
    }

    fn end_body(&mut self, readers: &mut PartScanners, out: &mut Events) {
        if let PartContent::Nested(nested) = &mut self.kind {
            nested.end(readers, out);
            return;
        }
        if matches!(self.kind, PartContent::Packed(_)) {
            if let PartContent::Packed(packed) = std::mem::take(&mut self.kind) {
                self.unpack(*packed, readers, out);
            }
            return;
        }
        if self.is_skipped() {
            return;
        }
        self.scan(true, readers, out);
        if self.converter.as_ref().is_some_and(|it| it.faults() > 0) {
            self.diagnostics.push(&diagnostic::CHARSET_MALFORMED);
        }
        self.document.leave(out);
    }

    /// Nothing reliable was declared: the text itself tells.
    fn resolve_guess(&mut self, readers: &mut PartScanners) {
        let head = self.body.text.pending();
        if self.is_html() && self.converter.is_none() {
            let detected = detect(Some(html::prescan), self.declared(), head);
            match detected.encoding {
                Some(encoding) if needs_transcoding(encoding) => {
                    let (charset, _) = charset::of_label(encoding.name().as_bytes());
                    self.set_charset(charset);
                }
                _ => return,
            }
        } else if matches!(self.charset, Some(TextCharset::Guess)) {
            let charset = charset::guess(head);
            self.set_charset(charset);
            if let Some(encoding) = self.legacy() {
                self.converter = Some(Converter::new(ConverterInput::Encoding(encoding)));
            }
        } else {
            return;
        }
        if let Some(converter) = &mut self.converter {
            let mut scratch = std::mem::take(&mut readers.scratch);
            scratch.clear();
            let raw = self.body.text.pending();
            converter.push(raw, &mut scratch, &mut self.converted);
            let bounds = if self.is_html() {
                html::FORMAT.bounds
            } else {
                text::FORMAT.bounds
            };
            self.body.text.begin(bounds);
            self.body.text.push(&scratch);
            readers.scratch = scratch;
        }
    }

    /// Scans what is pending.
    fn scan(&mut self, last: bool, readers: &mut PartScanners, out: &mut Events) {
        if !self.body.begun {
            self.resolve_guess(readers);
        }
        if last {
            self.flush_converter(readers);
        }
        if last {
            self.body.text.end_here();
        }
        if !self.is_html() {
            self.clear_blobs(last, readers);
        }
        let mut again = None;
        if !self.body.begun {
            self.begin_scanner(RestartHints::default(), last, readers);
            self.body.begun = true;
        }
        loop {
            let restart = self.scan_once(last, readers, out);
            // Every restart asks for more exactness; there is little of it.
            if restart.is_none() || restart == again {
                return;
            }
            again = restart;
            self.document.restart();
            self.begin_scanner(restart.unwrap_or_default(), last, readers);
        }
    }

    fn flush_converter(&mut self, readers: &mut PartScanners) {
        if let Some(converter) = &mut self.converter {
            let mut scratch = std::mem::take(&mut readers.scratch);
            scratch.clear();
            converter.finish(&mut scratch, &mut self.converted);
            self.body.text.push(&scratch);
            readers.scratch = scratch;
        }
    }

    fn begin_scanner(&mut self, again: RestartHints, last: bool, readers: &mut PartScanners) {
        if !self.is_html() {
            readers.text.begin(&ScanStart {
                source: self.source,
                ..ScanStart::default()
            });
            return;
        }
        let reread = if last {
            Reread::Possible
        } else {
            Reread::Impossible
        };
        let detected = self.converter.is_some().then_some(Detected {
            encoding: Some(UTF_8),
            mark: 0,
            confidence: Confidence::Certain,
        });
        readers.html.begin(&ScanStart {
            declared: self.declared(),
            detected,
            again,
            reread,
            ..ScanStart::default()
        });
    }

    /// The encoding that the heading declares.
    fn declared(&self) -> Option<&'static Encoding> {
        match self.charset {
            Some(TextCharset::Superset(encoding)) => Some(encoding),
            Some(TextCharset::Convert(ConverterInput::Encoding(encoding))) => Some(encoding),
            _ => None,
        }
    }

    fn clear_blobs(&mut self, last: bool, readers: &mut PartScanners) {
        let view = self.body.text.window();
        let from = view.at_offset(self.body.cleared) - view.start;
        let pending = &mut self.body.text.pending_mut()[from..];
        let whole = match memrchr(b'\n', pending) {
            _ if last => pending.len(),
            Some(end) => end + 1,
            None => pending.len(),
        };
        let counts = &mut readers.counts;
        let blank = &mut pending[..whole];
        let cleared = self.blobs.blank(blank, last, |name| counts.skip(name));
        self.body.cleared += cleared as u64;
    }

    /// Scans what is pending once; returns how to start over, if the scanner asks for it.
    fn scan_once(
        &mut self,
        last: bool,
        readers: &mut PartScanners,
        out: &mut Events,
    ) -> Option<RestartHints> {
        let body = &mut self.body;
        let text = body.text.window();
        let limit = if self.document.family == RuleFamily::Plain {
            text.at_offset(body.cleared)
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
                let mut scratch = std::mem::take(&mut readers.scratch);
                scratch.clear();
                let pending = &text.bytes[from..];
                body.reflowed += reflow.push(pending, last, &mut scratch, &mut body.reflow) as u64;
                body.scanned.push(&scratch);
                readers.scratch = scratch;
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
            converted: self.converter.is_some().then_some(&self.converted),
            origin: 0,
            positions: readers.positions,
        };
        let scanner = match self.document.family {
            RuleFamily::Markup => &mut readers.html,
            RuleFamily::Plain => &mut readers.text,
        };
        let (document, signature) = (&mut self.document, &mut self.signature);
        let take = |inner: &Batch| map_batch(document, signature, inner, &view, out);
        let (consumed, again) =
            nested::scan(&mut **scanner, view.scanned, &mut readers.inner, take);
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
            body.text.consume(at);
            let offset = body.text.window().offset;
            self.converted.forget(offset);
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

/// An attachment that may turn out to be compressed.
#[derive(Debug)]
pub(super) struct Attachment {
    bytes: Vec<u8>,
    /// What it holds is read as this.
    inner: PartContent,
}

/// Whether an attachment is worth more bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AttachmentState {
    Some,
    None,
}

impl Attachment {
    pub(super) fn new(inner: PartContent) -> Self {
        Attachment {
            bytes: Vec::new(),
            inner,
        }
    }

    /// Gathers decoded bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) -> AttachmentState {
        self.bytes.extend_from_slice(bytes);
        let known = self.bytes.len() < MAGIC || Codec::of(&self.bytes).is_some();
        match known && self.bytes.len() <= MOST {
            true => AttachmentState::Some,
            false => AttachmentState::None,
        }
    }

    /// Decompresses it, if it is compressed and holds text; and what that is read as.
    pub(super) fn open(self) -> Option<(AttachmentReader, PartContent)> {
        let codec = Codec::of(&self.bytes)?;
        let mut opened = AttachmentReader {
            reader: Decompressed::new(codec, Box::new(Cursor::new(self.bytes))),
            block: Vec::new(),
        };
        opened.read();
        // Text has no NUL; an archive of files has.
        if memchr(0, &opened.block).is_some() || Codec::of(&opened.block).is_some() {
            return None;
        }
        Some((opened, self.inner))
    }
}

/// What a compressed attachment holds, block by block.
pub(super) struct AttachmentReader {
    reader: Decompressed,
    /// The block at hand; empty behind the last one.
    pub(super) block: Vec<u8>,
}

impl AttachmentReader {
    /// Goes on to the next block.
    pub(super) fn read(&mut self) {
        self.block.clear();
        // Memory reads without errors, and damage ends the content.
        let _ = (&mut self.reader)
            .take(BLOCK as u64)
            .read_to_end(&mut self.block);
    }

    /// What is wrong with it, as far as it was read.
    pub(super) fn fault(&self) -> Option<&'static Code> {
        self.reader.error().map(|error| error.fault.into())
    }
}

/// What such a part holds.
pub(super) enum NestedContent {
    Message(Box<MimeTree>),
    Headers(Box<Header>),
}

/// A part that is read by rules of its own.
pub(super) struct NestedPart {
    holds: NestedContent,
    carry: Vec<u8>,
    /// The place in the archive.
    member: String,
    /// The header block is complete.
    done: bool,
}

impl std::fmt::Debug for NestedPart {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Nested")
    }
}

impl NestedPart {
    pub(super) fn new(mut holds: NestedContent, member: &str) -> Self {
        if let NestedContent::Headers(block) = &mut holds {
            block.begin();
        }
        NestedPart {
            holds,
            carry: Vec::new(),
            member: member.to_owned(),
            done: false,
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8], readers: &mut PartScanners, out: &mut Events) {
        self.carry.extend_from_slice(bytes);
        self.feed(false, readers, out);
    }

    pub(super) fn end(&mut self, readers: &mut PartScanners, out: &mut Events) {
        self.feed(true, readers, out);
    }

    fn feed(&mut self, end: bool, readers: &mut PartScanners, out: &mut Events) {
        let taken = match &mut self.holds {
            NestedContent::Message(tree) => {
                let carry = std::mem::take(&mut self.carry);
                let taken = tree.feed_all(&carry, end, readers, out);
                self.carry = carry;
                taken
            }
            NestedContent::Headers(block) => {
                if self.done {
                    self.carry.len()
                } else {
                    let (at, stop) = block.feed(&self.carry, 0, end, Hyphens::TakeAll, readers);
                    self.done = stop != HeaderStop::More;
                    if self.done {
                        headers(block, &self.member, out);
                    }
                    at
                }
            }
        };
        self.carry.drain(..taken);
    }
}

/// Tells the references of a header block that is a part.
fn headers(block: &Header, member: &str, out: &mut Events) {
    if block.events.list.is_empty() {
        return;
    }
    let member = Some(out.store(member.as_bytes()));
    out.push(Event::Enter(Enter {
        member,
        family: RuleFamily::Plain,
        base: None,
    }));
    out.push(Event::Settled);
    for event in &block.events.list {
        let copy = out.adopt(event, &block.events, &[]);
        out.push(copy);
    }
    out.push(Event::Leave);
}
