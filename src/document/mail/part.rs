//! Leaf parts: what mail does to a part before and after it is decoded (rules M14 to M19).

use memchr::memrchr;

use super::binary_block::{self, BinaryBlocks};
use super::body_text::{SignatureFinder, Trailer, TrailerSplit};
use super::header::{Header, HeaderStop, Hyphens};
use super::part_scanners::{PartScanners, Run};
use super::reflow::Reflow;
use super::tree::MimeTree;
use super::unquote::LineUnquoter;
use crate::bytes::window::{Window, Windows};
use crate::decode::offset_map::OffsetMap;
use crate::decode::transfer::TransferEncoding;
use crate::document::events::{Event, Events, FoundAttachment, RuleFamily};
use crate::document::flags::Flags;
use crate::document::nested::compressed::CompressedMember;
use crate::document::nested::{self, Member, NestedReader, PIECE, PreparedText, TextFilter};
use crate::document::source_text::SourceText;
use crate::document::{Format, diagnostic, text};

/// The treatment of a part.
#[derive(Debug, Default)]
pub(super) enum PartContent {
    /// It is skipped.
    #[default]
    Skip,
    /// A document, perhaps reflowed.
    Document(Option<Reflow>),
    /// A message in a transfer encoding, or a header block.
    Nested(Box<NestedPart>),
    /// An attachment that is not read as it is stored.
    Attachment(Box<HeldAttachment>),
}

/// An attachment that is decompressed, if it is compressed text, or else passed on as a file.
#[derive(Debug, Default)]
pub(super) struct HeldAttachment {
    pub(super) bytes: CompressedMember,
    /// The treatment of its text.
    pub(super) contents: PartContent,
    pub(super) file_name: Vec<u8>,
}

/// The leaf part that is being read.
#[derive(Default)]
pub(super) struct LeafPart {
    kind: PartContent,
    pub(super) reader: NestedReader,
    text: PartText,
    /// Base64, with which clear text may stand behind the body.
    has_trailer: bool,
    trailer: Trailer,
    /// The clear text behind base64 has begun.
    in_trailer: bool,
    /// Undoes what the mailbox changed.
    unquoter: LineUnquoter,
}

impl LeafPart {
    /// Begins a part.
    pub(super) fn begin(&mut self, kind: PartContent, member: Member, unquoter: LineUnquoter) {
        self.kind = kind;
        self.unquoter = unquoter;
        self.has_trailer = member.transfer == TransferEncoding::Base64;
        self.trailer.begin();
        self.in_trailer = false;
        if self.is_skipped() {
            self.reader.document.member = member;
        } else {
            self.begin_member(member);
        }
    }

    /// Takes the member of the last part out, to describe another one with its memory.
    pub(super) fn take_member(&mut self) -> Member {
        let mut member = std::mem::take(&mut self.reader.document.member);
        member.clear();
        member
    }

    /// Begins a member of the current kind.
    fn begin_member(&mut self, member: Member) {
        let reflow = match &mut self.kind {
            PartContent::Document(reflow) => reflow.take(),
            _ => None,
        };
        self.text.begin(reflow);
        self.reader.begin(member);
    }

    /// Returns whether the contents are skipped.
    pub(super) fn is_skipped(&self) -> bool {
        matches!(self.kind, PartContent::Skip)
    }

    /// Returns whether the part is in base64, where no line starts with a hyphen.
    pub(super) fn is_base64(&self) -> bool {
        self.has_trailer && !self.in_trailer
    }

    /// Takes bytes of the part, as in the archive; `whole`: the part ends with them.
    pub(super) fn take(&mut self, raw: &[u8], whole: bool, run: &mut Run<'_, '_>) {
        if whole && self.scan_in_place(raw, run) {
            // Its contents were scanned.
            self.kind = PartContent::Skip;
        } else {
            self.push(raw, run);
        }
    }

    /// Takes a piece of the part.
    fn push(&mut self, raw: &[u8], run: &mut Run<'_, '_>) {
        if self.is_skipped() || raw.is_empty() {
            return;
        }
        if self.unquoter.is_on() && !self.has_trailer {
            let mut unquoter = std::mem::take(&mut self.unquoter);
            unquoter.push(raw, |piece| self.decode(piece, run));
            self.unquoter = unquoter;
        } else if self.is_base64() {
            let mut trailer = std::mem::take(&mut self.trailer);
            trailer.push(raw, |split, bytes| self.split(split, bytes, run));
            self.trailer = trailer;
        } else {
            self.decode(raw, run);
        }
    }

    /// Undoes the transfer encoding of a piece.
    fn decode(&mut self, raw: &[u8], run: &mut Run<'_, '_>) {
        let mut buffer = std::mem::take(&mut run.scanners.decoded);
        let decoded = self.reader.decode(raw, &mut buffer);
        self.decoded(decoded, run);
        run.scanners.decoded = buffer;
    }

    /// Takes a piece of base64, or of the clear text behind it.
    fn split(&mut self, split: TrailerSplit, bytes: &[u8], run: &mut Run<'_, '_>) {
        if split == TrailerSplit::Clear && !self.in_trailer {
            self.end_decoding(run);
            self.end_body(run);
            self.begin_trailer();
        }
        self.decode(bytes, run);
    }

    fn begin_trailer(&mut self) {
        self.reader.diagnostics.push(&diagnostic::TRAILING_TEXT);
        self.kind = PartContent::Document(None);
        self.in_trailer = true;
        let member = std::mem::take(&mut self.reader.document.member);
        self.begin_member(Member {
            format: Format::TEXT,
            charset: Vec::new(),
            transfer: TransferEncoding::Identity,
            flags: member.flags | Flags::TRAILER,
            ..member
        });
    }

    /// Scans a complete attachment, if it is compressed text.
    fn decompress(&mut self, held: HeldAttachment, run: &mut Run<'_, '_>) {
        let mut attachment = match held.bytes.open() {
            Ok(attachment) => attachment,
            Err(bytes) => return self.pass_on(&bytes, &held.file_name, run.out),
        };
        run.scanners.counts.parts += 1;
        self.kind = held.contents;
        let member = std::mem::take(&mut self.reader.document.member);
        self.begin_member(Member {
            charset: Vec::new(),
            transfer: TransferEncoding::Identity,
            ..member
        });
        while !attachment.block.is_empty() {
            self.decoded(&attachment.block, run);
            attachment.read();
        }
        self.reader.diagnostics.extend(attachment.fault());
        self.end_body(run);
    }

    /// Reports an attachment as a file, which is counted by who reads it.
    fn pass_on(&mut self, contents: &[u8], file_name: &[u8], out: &mut Events) {
        self.kind = PartContent::Skip;
        let member = &self.reader.document.member;
        let name = Some(out.store(member.name.as_bytes()));
        nested::enter(name, RuleFamily::Plain, None, out);
        out.push(Event::Settled);
        let found = FoundAttachment {
            contents: out.store(contents),
            file_name: out.store(file_name),
            media_type: out.store(member.media_type.as_bytes()),
        };
        out.push(Event::Attachment(found));
        out.push(Event::Leave);
        out.forget_stored();
    }

    /// Skips the rest of the part.
    fn skip(&mut self, scanners: &mut PartScanners) {
        let media_type = &self.reader.document.member.media_type;
        scanners.counts.skip(media_type);
        self.kind = PartContent::Skip;
    }

    /// Takes decoded bytes of the part.
    fn decoded(&mut self, bytes: &[u8], run: &mut Run<'_, '_>) {
        match &mut self.kind {
            PartContent::Skip => {}
            PartContent::Document(_) => {
                let (text, scanners) = (&mut self.text, &mut *run.scanners);
                (self.reader).push(bytes, &mut PartFilter { text, scanners }, run.out);
            }
            PartContent::Nested(nested) => nested.push(bytes, run),
            PartContent::Attachment(held) => {
                if !held.bytes.push(bytes) {
                    self.skip(run.scanners);
                }
            }
        }
    }

    /// Scans a part of which all bytes are in view without a copy; returns whether that was
    /// possible.
    fn scan_in_place(&mut self, raw: &[u8], run: &mut Run<'_, '_>) -> bool {
        let member = &self.reader.document.member;
        let is_stored = matches!(self.kind, PartContent::Document(_))
            && member.format.family == RuleFamily::Plain
            && member.transfer == TransferEncoding::Identity
            && self.text.reflow.is_none();
        if !is_stored
            || self.in_trailer
            || !(self.reader.is_empty() && self.unquoter.is_empty())
            || self.unquoter.is_on() && LineUnquoter::has_any(raw, run.scanners.quoted)
            || BinaryBlocks::may_begin_in(raw)
            || !self.reader.is_utf8(raw)
        {
            return false;
        }
        let (nested, signature) = (&mut run.scanners.nested, &mut self.text.signature);
        let (text, start) = (SourceText::window(raw, 0), self.reader.start(true));
        (self.reader.document).scan_whole(text, start, signature, nested, run.out);
        true
    }

    /// Returns the offset of the part in the archive, for diagnostics.
    pub(super) fn offset(&self) -> u64 {
        let member = &self.reader.document.member;
        member.diagnostic_offset.unwrap_or_default()
    }

    /// Ends the part.
    pub(super) fn end(&mut self, run: &mut Run<'_, '_>) {
        if self.is_skipped() {
            return;
        }
        let mut unquoter = std::mem::take(&mut self.unquoter);
        unquoter.end(|piece| self.decode(piece, run));
        if unquoter.has_dropped {
            self.reader.diagnostics.push(&diagnostic::NUL_BYTES);
        }
        if self.has_trailer {
            let mut trailer = std::mem::take(&mut self.trailer);
            trailer.end(|split, bytes| self.split(split, bytes, run));
            self.trailer = trailer;
        }
        self.end_decoding(run);
        self.end_body(run);
        self.kind = PartContent::Skip;
    }

    fn end_decoding(&mut self, run: &mut Run<'_, '_>) {
        let mut buffer = std::mem::take(&mut run.scanners.decoded);
        let decoded = self.reader.end_decoding(&mut buffer);
        self.decoded(decoded, run);
        run.scanners.decoded = buffer;
    }

    fn end_body(&mut self, run: &mut Run<'_, '_>) {
        match &mut self.kind {
            PartContent::Skip => {}
            PartContent::Document(_) => {
                let (text, scanners) = (&mut self.text, &mut *run.scanners);
                (self.reader).end(&mut PartFilter { text, scanners }, run.out);
                if std::mem::take(&mut self.text.has_encrypted) {
                    self.reader.diagnostics.push(&diagnostic::ENCRYPTED);
                }
            }
            PartContent::Nested(nested) => nested.end(run),
            PartContent::Attachment(held) => {
                let held = std::mem::take(&mut **held);
                self.decompress(held, run);
            }
        }
    }
}

/// The text of a part, and how far it has been prepared for the scanner.
struct PartText {
    signature: SignatureFinder,
    binary_blocks: BinaryBlocks,
    /// An encrypted message was blanked.
    has_encrypted: bool,
    /// The offset up to which binary blocks were blanked.
    blanked: u64,
    reflow: Option<Reflow>,
    /// The offset up to which the text was reflowed.
    reflowed: u64,
    /// The reflowed text, and the map to the text.
    scanned: Windows,
    map: OffsetMap,
}

impl Default for PartText {
    fn default() -> Self {
        PartText {
            signature: SignatureFinder::default(),
            binary_blocks: BinaryBlocks::default(),
            has_encrypted: false,
            blanked: 0,
            reflow: None,
            reflowed: 0,
            scanned: Windows::new(PIECE),
            map: OffsetMap::default(),
        }
    }
}

impl PartText {
    fn begin(&mut self, reflow: Option<Reflow>) {
        self.signature = SignatureFinder::default();
        self.binary_blocks.begin();
        self.blanked = 0;
        self.reflow = reflow;
        self.reflowed = 0;
        self.scanned.begin(text::FORMAT.bounds);
        self.map.clear();
    }
}

/// Blanks and reflows the text of a part.
struct PartFilter<'a> {
    text: &'a mut PartText,
    scanners: &'a mut PartScanners,
}

impl TextFilter for PartFilter<'_> {
    fn blank(&mut self, windows: &mut Windows, last: bool) -> u64 {
        let window = windows.window();
        let from = window.at_offset(self.text.blanked) - window.start;
        let pending = &mut windows.pending_mut()[from..];
        let whole = match memrchr(b'\n', pending) {
            _ if last => pending.len(),
            Some(end) => end + 1,
            None => pending.len(),
        };
        let PartText {
            binary_blocks,
            has_encrypted,
            ..
        } = &mut *self.text;
        let blanked = binary_blocks.blank(&mut pending[..whole], last, |name| {
            *has_encrypted |= name == binary_block::ENCRYPTED;
            self.scanners.counts.skip(name);
        });
        self.text.blanked += blanked as u64;
        self.text.blanked
    }

    fn prepare(&mut self, text: &Window<'_>, last: bool) -> PreparedText<'_> {
        let PartText {
            signature,
            reflow,
            reflowed,
            scanned,
            map,
            ..
        } = &mut *self.text;
        let mut derived = None;
        if let Some(reflow) = reflow {
            let from = text.at_offset(*reflowed);
            let scratch = &mut self.scanners.scratch;
            scratch.clear();
            *reflowed += reflow.push(&text.bytes[from..], last, scratch, map) as u64;
            scanned.push(scratch);
            if last {
                scanned.end_here();
            }
            derived = Some((scanned.window(), &*map));
        }
        PreparedText {
            derived,
            flags: signature,
            scanners: &mut self.scanners.nested,
        }
    }

    fn consume(&mut self, at: usize) {
        self.text.scanned.consume(at);
        self.text.map.forget(self.text.scanned.window().offset);
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

    pub(super) fn push(&mut self, bytes: &[u8], run: &mut Run<'_, '_>) {
        self.pending.extend_from_slice(bytes);
        self.feed(false, run);
    }

    pub(super) fn end(&mut self, run: &mut Run<'_, '_>) {
        self.feed(true, run);
    }

    fn feed(&mut self, end: bool, run: &mut Run<'_, '_>) {
        let taken = match &mut self.content {
            NestedContent::Message(tree) => {
                let pending = std::mem::take(&mut self.pending);
                let taken = tree.feed_all(&pending, end, run);
                self.pending = pending;
                taken
            }
            NestedContent::Headers(header) => {
                if self.is_done {
                    self.pending.len()
                } else {
                    let (at, stop) =
                        header.feed(&self.pending, 0, end, Hyphens::TakeAll, run.scanners);
                    self.is_done = stop != HeaderStop::NeedMore;
                    if self.is_done {
                        report_headers(header, &self.member, run.out);
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
    nested::enter(member, RuleFamily::Plain, None, out);
    out.push(Event::Settled);
    header.report(out);
    out.push(Event::Leave);
}
