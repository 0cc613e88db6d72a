//! Leaf parts: what mail does to a part before and after it is decoded (rules M14 to M19).

use memchr::memrchr;

use super::binary_block::{self, BinaryBlocks};
use super::body_text::{SignatureFinder, Trailer, TrailerSplit};
use super::header::{Header, HeaderStop, Hyphens};
use super::part_scanners::Run;
use super::signed_data::{SignedData, SignedState};
use super::tree::MimeTree;
use super::unquote::LineUnquoter;
use crate::bytes::window::{Window, Windows};
use crate::decode::transfer::TransferEncoding;
use crate::document::Format;
use crate::document::diagnostic::{self, Code};
use crate::document::events::{EntityHeading, Event, Events, FoundAttachment, RuleFamily};
use crate::document::flags::Flags;
use crate::document::nested::compressed::CompressedMember;
use crate::document::nested::{self, Member, NestedReader, TextFilter};
use crate::document::source_text::SourceText;

/// The treatment of a part, with the decoded bytes that are pending.
#[derive(Default)]
pub(super) enum PartContent {
    #[default]
    Skip,
    Document,
    /// A message in a transfer encoding.
    Message(Box<MimeTree>, Vec<u8>),
    /// A message inside a signature.
    Signed(Box<SignedPart>),
    Headers(Box<Header>, Vec<u8>),
    Attachment(Box<HeldAttachment>),
}

/// A message inside a signature, with its bytes that are pending.
#[derive(Default)]
pub(super) struct SignedPart {
    tree: MimeTree,
    data: SignedData,
    pending: Vec<u8>,
    has_content: bool,
}

impl SignedPart {
    /// Creates the part with the parser of the message in it.
    pub(super) fn new(tree: MimeTree) -> Self {
        SignedPart {
            tree,
            ..SignedPart::default()
        }
    }

    /// Takes bytes of the part; returns the diagnostic of one that was not read to its `end`.
    fn take(&mut self, bytes: &[u8], end: bool, run: &mut Run) -> Option<&'static Code> {
        self.data.push(bytes, &mut self.pending);
        self.has_content |= !self.pending.is_empty();
        if self.has_content {
            let taken = self.tree.feed_all(&self.pending, end, run);
            self.pending.drain(..taken);
        }
        match self.data.state {
            SignedState::Encrypted => Some(&diagnostic::ENCRYPTED),
            SignedState::Failed | SignedState::Going => Some(&diagnostic::SIGNED),
            SignedState::Done => None,
        }
        .filter(|_| end)
    }
}

/// An attachment to decompress, if it is compressed text, or else to report as a file.
#[derive(Default)]
pub(super) struct HeldAttachment {
    pub(super) bytes: CompressedMember,
    /// The treatment of its text.
    pub(super) contents: PartContent,
    pub(super) file_name: Vec<u8>,
}

#[derive(Default)]
pub(super) struct LeafPart {
    lines: RawLines,
    pub(super) body: PartBody,
}

#[derive(Default)]
enum RawLines {
    #[default]
    Stored,
    /// Lines of a mailbox.
    Unquoted(LineUnquoter),
    /// Base64, after which clear text may follow.
    Base64(Trailer),
}

impl LeafPart {
    /// Begins the part that the member describes, perhaps of a mailbox that quoted its lines.
    pub(super) fn begin(&mut self, kind: PartContent, unquotes: bool) {
        self.lines = match self.body.reader.document.member.transfer {
            TransferEncoding::Base64 => RawLines::Base64(Trailer::default()),
            _ if unquotes => RawLines::Unquoted(LineUnquoter::default()),
            _ => RawLines::Stored,
        };
        self.body.kind = kind;
        if !self.body.is_skipped() {
            self.body.begin();
        }
    }

    /// Returns the empty member of the next part, in the memory of the last one.
    pub(super) fn next_member(&mut self) -> &mut Member {
        let member = &mut self.body.reader.document.member;
        member.clear();
        member
    }

    /// Returns whether the part is in base64, where no line starts with a hyphen.
    pub(super) fn is_base64(&self) -> bool {
        matches!(self.lines, RawLines::Base64(_)) && !self.body.is_trailer()
    }

    /// Takes raw bytes of the part; `whole`: the part ends with them.
    pub(super) fn take(&mut self, raw: &[u8], whole: bool, run: &mut Run) {
        if whole && self.scan_in_place(raw, run) {
            self.body.kind = PartContent::Skip;
        }
        if self.body.is_skipped() || raw.is_empty() {
            return;
        }
        let body = &mut self.body;
        match &mut self.lines {
            RawLines::Stored => body.decode(Some(raw), run),
            RawLines::Unquoted(lines) => {
                body.reader.is_stored &= !lines.changes(raw);
                lines.push(raw, |piece| body.decode(Some(piece), run));
            }
            RawLines::Base64(lines) => lines.push(raw, |kind, bytes| body.split(kind, bytes, run)),
        }
    }

    pub(super) fn end(&mut self, run: &mut Run) {
        let body = &mut self.body;
        if body.is_skipped() {
            return;
        }
        match &mut self.lines {
            RawLines::Stored => {}
            RawLines::Unquoted(unquoter) => {
                unquoter.end(|piece| body.decode(Some(piece), run));
                if unquoter.has_dropped {
                    body.reader.diagnostics.push(&diagnostic::MBOX_NUL_BYTES);
                }
            }
            RawLines::Base64(lines) => lines.end(|kind, bytes| body.split(kind, bytes, run)),
        }
        body.decode(None, run);
        body.take(&[], true, run);
        body.kind = PartContent::Skip;
    }

    /// Scans a part in view without a copy; returns whether it could.
    fn scan_in_place(&mut self, raw: &[u8], run: &mut Run) -> bool {
        let quoted = run.scanners.quoted;
        let are_left = || match &self.lines {
            RawLines::Stored => true,
            RawLines::Unquoted(unquoter) => unquoter.leaves(raw, quoted),
            RawLines::Base64(_) => false,
        };
        let PartBody { kind, reader, .. } = &mut self.body;
        let member = &reader.document.member;
        let is_stored = matches!(kind, PartContent::Document)
            && member.format.family == RuleFamily::Plain
            && member.format.starts.is_empty()
            && member.transfer == TransferEncoding::Identity;
        if !is_stored || !reader.is_empty() || !are_left() {
            return false;
        }
        // Nothing is in most texts between parts.
        if !reader.converts() && raw.trim_ascii().is_empty() {
            return true;
        }
        if BinaryBlocks::may_begin_in(raw) || !reader.is_utf8(raw) {
            return false;
        }
        let text = SourceText {
            quoting: reader.quoting(),
            ..SourceText::window(raw, 0)
        };
        let start = reader.start(true);
        let (filter, nested) = (&mut reader.filter, &mut run.scanners.nested);
        (reader.document).scan_whole(text, start, filter, nested, run.out);
        true
    }
}

/// The bytes of a part, once its transfer encoding is undone.
#[derive(Default)]
pub(super) struct PartBody {
    kind: PartContent,
    pub(super) reader: NestedReader<PartText>,
}

impl PartBody {
    fn begin(&mut self) {
        self.reader.filter = PartText::default();
        self.reader.begin();
    }

    /// Begins the rest or the contents of the part, whose encoding is undone.
    fn begin_anew(&mut self, kind: PartContent) {
        self.kind = kind;
        let member = &mut self.reader.document.member;
        member.charset.clear();
        member.transfer = TransferEncoding::Identity;
        member.stored_at = None;
        self.begin();
    }

    fn is_skipped(&self) -> bool {
        matches!(self.kind, PartContent::Skip)
    }

    /// Returns whether the part is the clear text after base64.
    fn is_trailer(&self) -> bool {
        self.reader.document.member.flags.contains(Flags::TRAILER)
    }

    /// Undoes the transfer encoding of a piece, or ends the part.
    fn decode(&mut self, raw: Option<&[u8]>, run: &mut Run) {
        if let Some(raw) = raw
            && matches!(self.kind, PartContent::Document)
            && self.reader.decode_in_place(raw)
        {
            return self.take(&[], false, run);
        }
        let mut buffer = std::mem::take(&mut run.scanners.decoded);
        let decoded = self.reader.decode(raw, &mut buffer);
        self.take(decoded, false, run);
        run.scanners.decoded = buffer;
    }

    fn split(&mut self, split: TrailerSplit, bytes: &[u8], run: &mut Run) {
        if split == TrailerSplit::Clear && !self.is_trailer() {
            self.decode(None, run);
            self.take(&[], true, run);
            let code = &diagnostic::BASE64_TRAILING_TEXT;
            self.reader.diagnostics.push(code);
            let member = &mut self.reader.document.member;
            member.format = Format::TEXT;
            member.flags |= Flags::TRAILER;
            self.begin_anew(PartContent::Document);
        }
        self.decode(Some(bytes), run);
    }

    /// Takes decoded bytes of the part; `end`: no more follow.
    fn take(&mut self, bytes: &[u8], end: bool, run: &mut Run) {
        match &mut self.kind {
            PartContent::Skip => {}
            PartContent::Document => {
                let nested = &mut run.scanners.nested;
                if end {
                    self.reader.end(nested, run.out);
                } else {
                    self.reader.push(bytes, nested, run.out);
                }
                let text = &mut self.reader.filter;
                for name in text.blocks.begun.drain(..) {
                    text.has_encrypted |= name == binary_block::ENCRYPTED;
                    run.scanners.counts.skip(name);
                }
                if end && std::mem::take(&mut text.has_encrypted) {
                    self.reader.diagnostics.push(&diagnostic::ENCRYPTED);
                }
            }
            PartContent::Message(tree, pending) => {
                pending.extend_from_slice(bytes);
                let taken = tree.feed_all(pending, end, run);
                pending.drain(..taken);
            }
            PartContent::Signed(signed) => {
                let fault = signed.take(bytes, end, run);
                if fault.is_some() {
                    let media_type = &self.reader.document.member.media_type;
                    run.scanners.counts.skip(media_type);
                } else if end {
                    run.scanners.counts.parts += 1;
                }
                self.reader.diagnostics.extend(fault);
            }
            PartContent::Headers(header, pending) => {
                pending.extend_from_slice(bytes);
                let (taken, stop) = header.feed(pending, 0, end, Hyphens::TakeAll, run.scanners);
                let mut taken: Vec<u8> = pending.drain(..taken).collect();
                // Blanks keep the positions of a text after the block.
                let bytes = taken.iter_mut();
                bytes
                    .filter(|byte| !b"\r\n".contains(byte))
                    .for_each(|byte| *byte = b' ');
                self.reader.push(&taken, &mut run.scanners.nested, run.out);
                if stop != HeaderStop::NeedMore {
                    report_headers(header, &self.reader.document.member.name, run.out);
                    let text = std::mem::take(pending);
                    self.kind = PartContent::Document;
                    self.take(&text, false, run);
                    self.take(&[], end, run);
                }
            }
            PartContent::Attachment(held) if end => {
                let held = std::mem::take(&mut **held);
                self.decompress(held, run);
            }
            PartContent::Attachment(held) => {
                if !held.bytes.push(bytes) {
                    let media_type = &self.reader.document.member.media_type;
                    run.scanners.counts.skip(media_type);
                    self.kind = PartContent::Skip;
                }
            }
        }
    }

    /// Scans a complete attachment, if it is compressed text.
    fn decompress(&mut self, held: HeldAttachment, run: &mut Run) {
        let mut attachment = match held.bytes.open() {
            Ok(attachment) => attachment,
            Err(bytes) => return self.pass_on(&bytes, &held.file_name, run.out),
        };
        run.scanners.counts.parts += 1;
        self.begin_anew(held.contents);
        while !attachment.block.is_empty() {
            self.take(&attachment.block, false, run);
            attachment.read();
        }
        self.reader.diagnostics.extend(attachment.fault());
        self.take(&[], true, run);
    }

    /// Reports an attachment as a file; its reader adds it to the statistics.
    fn pass_on(&mut self, contents: &[u8], file_name: &[u8], out: &mut Events) {
        self.kind = PartContent::Skip;
        let member = &self.reader.document.member;
        let name = Some(out.store(member.name.as_bytes()));
        nested::enter(name, RuleFamily::Plain, out);
        let file = member.file.as_deref();
        let file = file.map_or([None; 2], |file| {
            file.each_ref().map(|text| Some(out.store(text)))
        });
        out.push(Event::Heading(EntityHeading {
            file,
            ..EntityHeading::default()
        }));
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
}

/// Blanks the binary blocks of a text, and finds its signature.
#[derive(Default)]
pub(super) struct PartText {
    signature: SignatureFinder,
    blocks: BinaryBlocks,
    has_encrypted: bool,
    /// The offset up to which binary blocks were blanked.
    blanked: u64,
}

impl TextFilter for PartText {
    fn blank(&mut self, windows: &mut Windows, last: bool) -> u64 {
        let window = windows.window();
        let from = window.at_offset(self.blanked) - window.start;
        let pending = &mut windows.pending_mut()[from..];
        let whole = match memrchr(b'\n', pending) {
            Some(end) if !last => end + 1,
            _ => pending.len(),
        };
        self.blanked += self.blocks.blank(&mut pending[..whole], last) as u64;
        self.blanked
    }

    fn read(&mut self, text: &Window) {
        self.signature.read(text);
    }

    fn flags(&self, offset: u64) -> Flags {
        self.signature.at(offset)
    }
}

/// Reports the references of a header block that is a part.
fn report_headers(header: &Header, member: &str, out: &mut Events) {
    if header.events.list.is_empty() {
        return;
    }
    let member = Some(out.store(member.as_bytes()));
    nested::enter(member, RuleFamily::Plain, out);
    out.push(Event::Settled);
    header.report(out);
    out.push(Event::Leave);
}
