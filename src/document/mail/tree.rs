//! The MIME structure of one message, read as a stream (RFC 2045, RFC 2046; rules M11 and M12):
//! headers, delimiters, parts. Unparsable input is read as text.

use super::delimiter::{self, Delimiter, DelimiterLine};
use super::envelope;
use super::field_value::Parameters;
use super::header::{Header, HeaderStop, Hyphens};
use super::header_field::EntityProperty;
use super::media_type::{self, PartClass};
use super::part::{HeldAttachment, LeafPart, PartContent, SignedPart};
use super::part_scanners::Run;
use super::{Alternatives, Attachments, MimeBase};
use crate::bytes::lines::without_break;
use crate::decode::transfer::TransferEncoding;
use crate::document::diagnostic::{self, Code};
use crate::document::events::{
    Batch, Enter, EntityBase, EntityBaseField, EntityHeading, Event, Events, MessageHeading,
    RuleFamily, TextRange,
};
use crate::document::flags::Flags;
use crate::document::nested::compressed::CompressedMember;
use crate::document::nested::{self, NestedScope};
use crate::document::options::NestingLimit;
use crate::uri::{Resolver, Rules};

/// The most bytes of references that wait for a delimiter to confirm a preamble; longer text is
/// taken for a preamble.
const MAX_PENDING: usize = 4 << 20;

/// The longest charset label, in bytes: names have up to 40 (RFC 2978 section 2.3); records repeat it.
const MAX_CHARSET: usize = 255;

/// The longest name of an attachment that is used, in bytes: every base in an archive repeats it.
const MAX_FILE_NAME: usize = 255;

/// An open entity that encloses others.
#[derive(Debug, Default)]
struct OpenEntity {
    /// The boundary of a multipart entity; empty for a message, and after the close delimiter.
    boundary: Vec<u8>,
    /// The length of the path of the entity itself.
    depth: usize,
    /// Whether it is the body of a message, with 0 as its last number.
    is_body: bool,
    kind: EntityKind,
    /// The number of parts that have begun.
    count: u32,
    /// The number of documents to leave at its end.
    documents: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum EntityKind {
    #[default]
    Message,
    Mixed,
    Digest,
    Signed,
    Encrypted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Whole,
    Truncated,
}

#[derive(Default)]
pub(super) struct MimeTree {
    /// The message's number in the archive, and a slash.
    prefix: String,
    /// The offset of the first byte of its separator.
    offset: u64,
    path: Vec<u32>,
    levels: Vec<OpenEntity>,
    /// Whether the message is decoded from a part of another one.
    is_decoded: bool,
    /// The offset of the first byte of the header.
    header_at: u64,
    /// After the header of the current entity.
    in_body: bool,
    header: Header,
    leaf: LeafPart,
    /// The last header ended with the input.
    pub(super) ended_in_header: bool,
    /// The pending input starts a line.
    line_start: bool,
    /// The references of an unconfirmed preamble.
    preamble: Batch,
    /// Whether the leaf is a preamble whose references are pending.
    in_preamble: bool,
    /// The mailbox quoted lines of parts.
    unquotes: bool,
    at: u64,
    /// The diagnostics to report when the message is entered.
    diagnostics: Vec<(&'static Code, u64)>,
    is_entered: bool,
    /// The position of the current entity in the archive.
    name: String,
    /// The value of Content-Length in the message's own header.
    pub(super) content_length: Option<u64>,
    /// The number of documents to leave at the end of the current part.
    part_documents: usize,
}

impl MimeTree {
    /// Begins message `index`, whose first byte is at `offset`.
    pub(super) fn begin(&mut self, index: u64, offset: u64, unquotes: bool) {
        self.prefix.clear();
        self.prefix.push_str(itoa::Buffer::new().format(index));
        self.prefix.push('/');
        (self.offset, self.at, self.unquotes) = (offset, offset, unquotes);
        self.path.clear();
        self.is_entered = false;
        self.ended_in_header = false;
        self.diagnostics.clear();
        // A part may be open if the last document was left.
        self.leaf.body.reader.diagnostics.clear();
        self.levels.clear();
        self.begin_message();
    }

    pub(super) fn begin_body(&mut self, run: &mut Run) {
        self.in_body = true;
        self.open(run);
    }

    /// Returns a parser for the message in the current part of `outer`.
    pub(super) fn nested(outer: &MimeTree) -> Self {
        let mut tree = MimeTree {
            prefix: outer.prefix.clone(),
            offset: outer.offset,
            at: outer.at,
            path: outer.path.clone(),
            is_decoded: true,
            ..MimeTree::default()
        };
        tree.begin_message();
        tree
    }

    fn begin_message(&mut self) {
        self.levels.push(OpenEntity {
            depth: self.path.len(),
            documents: std::mem::take(&mut self.part_documents),
            ..OpenEntity::default()
        });
        self.begin_header();
    }

    fn begin_header(&mut self) {
        self.in_body = false;
        self.header.begin();
        self.line_start = true;
    }

    pub(super) fn take_separator(&mut self, line: &[u8], envelope: bool) {
        self.header.take_separator(line, envelope);
    }

    /// Returns whether the message's own header has not ended.
    pub(super) fn in_first_header(&self) -> bool {
        !self.in_body && self.levels.len() == 1 && self.path.is_empty()
    }

    /// Reports a diagnostic of the message, or keeps it until the message is entered.
    pub(super) fn diagnose(&mut self, code: &'static Code, offset: u64, out: &mut Events) {
        if self.is_entered && !self.in_preamble {
            out.push(Event::Diagnostic(code, offset));
        } else {
            self.diagnostics.push((code, offset));
        }
    }

    fn diagnose_here(&mut self, code: &'static Code, out: &mut Events) {
        self.diagnose(code, self.at, out);
    }

    /// The state that changes without consuming a byte: a message begins where its header ends before a
    /// line that is not a field.
    fn progress(&self) -> (bool, usize) {
        (self.in_body, self.levels.len())
    }

    /// Consumes bytes at `offset`, and returns how many: all of them at the `end` of the message. Stops
    /// after the message's own header.
    pub(super) fn feed(&mut self, bytes: &[u8], offset: u64, end: bool, run: &mut Run) -> usize {
        let mut at = 0;
        loop {
            self.at = offset + at as u64;
            let before = (at, self.progress());
            let is_first = self.in_first_header();
            at = if self.in_body {
                self.body(bytes, at, end, run)
            } else {
                self.header(bytes, at, end, run)
            };
            let is_done = at == bytes.len() && self.in_body;
            if is_first || is_done || (at, self.progress()) == before {
                self.at = offset + at as u64;
                return at;
            }
        }
    }

    /// Consumes bytes of a nested message, and returns how many.
    pub(super) fn feed_all(&mut self, bytes: &[u8], end: bool, run: &mut Run) -> usize {
        let mut at = 0;
        loop {
            let before = (at, self.progress());
            at += self.feed(&bytes[at..], self.offset, end, run);
            if (at, self.progress()) == before {
                break;
            }
        }
        if end {
            self.end(Ending::Whole, run);
        }
        at
    }

    fn header(&mut self, bytes: &[u8], mut at: usize, end: bool, run: &mut Run) -> usize {
        let mut hyphens = Hyphens::Stop;
        let from = at;
        if self.header.is_empty() {
            self.header_at = self.at;
        }
        loop {
            let (stopped, stop) = self.header.feed(bytes, at, end, hyphens, run.scanners);
            at = stopped;
            match stop {
                HeaderStop::NeedMore => return at,
                HeaderStop::Empty | HeaderStop::End | HeaderStop::NoField => {
                    self.at += (at - from) as u64;
                    if stop == HeaderStop::NoField {
                        self.diagnose_here(&diagnostic::HEADER_NO_BLANK_LINE, run.out);
                    } else {
                        self.ended_in_header = stop == HeaderStop::End;
                    }
                    break;
                }
                HeaderStop::Hyphens => match self.delimiter(&bytes[at..], end) {
                    DelimiterLine::Unknown => return at,
                    DelimiterLine::No => hyphens = Hyphens::Take,
                    DelimiterLine::Delimiter(delimiter) => {
                        // A part that ends within its header is empty.
                        self.at += (at - from) as u64;
                        self.open(run);
                        return at + self.separate(delimiter, run);
                    }
                },
            }
        }
        self.in_body = true;
        self.line_start = true;
        self.open(run);
        at
    }

    fn boundaries(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let open = self.levels.iter().enumerate().rev();
        open.filter(|(_, level)| !level.boundary.is_empty())
            .map(|(index, level)| (index, level.boundary.as_slice()))
    }

    fn delimiter(&self, line: &[u8], end: bool) -> DelimiterLine {
        delimiter::test(line, end, self.boundaries())
    }

    fn body(&mut self, bytes: &[u8], at: usize, end: bool, run: &mut Run) -> usize {
        if self.boundaries().next().is_none() {
            self.data(&bytes[at..], end, run);
            return bytes.len();
        }
        let base64 = self.leaf.is_base64();
        let here = std::mem::take(&mut self.line_start).then_some(at);
        let mut next = here.or_else(|| delimiter::next_candidate(bytes, at, base64));
        let mut found = DelimiterLine::No;
        while let Some(line) = next {
            found = self.delimiter(&bytes[line..], end);
            if found != DelimiterLine::No {
                break;
            }
            next = delimiter::next_candidate(bytes, line, base64);
        }
        let mut stop = before_break(bytes, at, next.unwrap_or(bytes.len()));
        match (found, next) {
            (DelimiterLine::Delimiter(delimiter), Some(line)) => {
                self.data(&bytes[at..stop], true, run);
                self.at += (line - at) as u64;
                return line + self.separate(delimiter, run);
            }
            (DelimiterLine::Unknown, Some(line)) => self.line_start = line == at,
            _ if end => stop = bytes.len(),
            // A line end, and a hyphen after it, may belong to a delimiter.
            _ if bytes[at..].ends_with(b"-") => {
                let line = bytes.len() - 1;
                let before = before_break(bytes, at, line);
                stop = if before < line { before } else { bytes.len() };
            }
            _ if bytes[at..].ends_with(b"\r") => stop = bytes.len() - 1,
            _ => {}
        }
        let is_whole = end && found == DelimiterLine::No;
        self.data(&bytes[at..stop], is_whole, run);
        stop
    }

    /// Calls a method of the leaf, whose events are kept while it is a preamble.
    fn with_leaf(&mut self, run: &mut Run, act: impl FnOnce(&mut LeafPart, &mut Run<'_, '_>)) {
        if !self.in_preamble {
            return act(&mut self.leaf, run);
        }
        let mut preamble = Events::from(std::mem::take(&mut self.preamble));
        let mut inner = Run {
            scanners: &mut *run.scanners,
            out: &mut preamble,
        };
        act(&mut self.leaf, &mut inner);
        self.preamble = preamble.batch;
    }

    /// Passes bytes of the body to the leaf; `whole`: the leaf ends with them.
    fn data(&mut self, raw: &[u8], whole: bool, run: &mut Run) {
        self.with_leaf(run, |leaf, run| leaf.take(raw, whole, run));
        if self.in_preamble && self.preamble.size() > MAX_PENDING {
            self.release_preamble(true, run.out);
            self.leaf.body.reader.document.member.flags |= Flags::PREAMBLE;
        }
    }

    fn end_leaf(&mut self, run: &mut Run) {
        self.with_leaf(run, LeafPart::end);
        let reader = &mut self.leaf.body.reader;
        let offset = reader.document.member.diagnostic_offset;
        for code in std::mem::take(&mut reader.diagnostics) {
            self.diagnose(code, offset.unwrap_or_default(), run.out);
        }
        for _ in 0..std::mem::take(&mut self.part_documents) {
            run.out.push(Event::Leave);
        }
    }

    /// Ends the entities inside the entity of a delimiter, and begins a part or the epilogue; returns the
    /// number of bytes consumed.
    fn separate(&mut self, delimiter: Delimiter, run: &mut Run) -> usize {
        self.end_leaf(run);
        self.release_preamble(delimiter.level + 1 == self.levels.len(), run.out);
        while self.levels.len() > delimiter.level + 1 {
            self.end_level(run.out);
        }
        let level = &mut self.levels[delimiter.level];
        self.path.truncate(level.depth);
        if delimiter.close {
            level.boundary.clear();
            self.begin_between(Flags::EPILOGUE);
            // The epilogue begins with the line end of the delimiter.
            self.in_body = true;
            self.line_start = false;
            delimiter.text
        } else {
            level.count += 1;
            self.path.push(level.count);
            self.begin_header();
            delimiter.line
        }
    }

    fn end_level(&mut self, out: &mut Events) {
        let Some(level) = self.levels.pop() else {
            return;
        };
        if !level.boundary.is_empty() {
            let codes = [
                &diagnostic::MIME_BOUNDARY_NEVER_FOUND,
                &diagnostic::MIME_CLOSE_MISSING,
            ];
            self.diagnose_here(codes[usize::from(level.count > 0)], out);
        }
        for _ in 0..level.documents {
            out.push(Event::Leave);
        }
    }

    pub(super) fn end(&mut self, ending: Ending, run: &mut Run) {
        if ending == Ending::Truncated && (!self.in_body || self.ended_in_header) {
            self.diagnose_here(&diagnostic::MBOX_TRUNCATED, run.out);
        }
        if !self.in_body {
            self.open(run);
        }
        self.end_leaf(run);
        self.release_preamble(false, run.out);
        while !self.levels.is_empty() {
            if self.levels.len() == 1 {
                run.out.push(Event::End(self.at));
                for (code, offset) in self.diagnostics.drain(..) {
                    run.out.push(Event::Diagnostic(code, offset));
                }
            }
            self.end_level(run.out);
        }
        self.path.clear();
    }

    /// Names the entity at the path, with a last number `0` for the header of a message.
    fn set_name(&mut self, of_header: bool) {
        self.name.clear();
        self.name.push_str(&self.prefix);
        for &number in &self.path {
            self.name.push_str(itoa::Buffer::new().format(number));
            self.name.push('.');
        }
        if of_header {
            self.name.push('0');
        } else {
            self.name.pop();
        }
    }

    /// Enters the entity whose header is complete, and prepares for its body.
    fn open(&mut self, run: &mut Run) {
        let content_type = self.header.entity.content_type.clone();
        let content_type = content_type.as_deref();
        let parent = self.levels.last();
        let (kind, count) =
            parent.map_or((EntityKind::Message, 0), |level| (level.kind, level.count));
        // The header belongs to a message, not to one of its parts.
        let message = kind == EntityKind::Message;
        self.set_name(message);
        self.content_length = self.header.entity.length;
        // The default in a digest is message/rfc822.
        let media_type = match content_type.map(Parameters::value) {
            Some(value) if media_type::is_valid(value) => value,
            _ if kind == EntityKind::Digest => "message/rfc822",
            _ => "text/plain",
        };
        let mut class = PartClass::of(media_type, &self.header);
        use PartClass::{Message, Multipart, Signed};
        if matches!(class, Multipart | Message | Signed)
            && !NestingLimit(run.scanners.options.max_depth).admits(self.path.len())
        {
            self.diagnose_here(&diagnostic::MIME_DEPTH_LIMIT, run.out);
            class = match class {
                Signed => PartClass::Opaque,
                _ => PartClass::TEXT,
            };
        }
        let is_signature = kind == EntityKind::Signed && count > 1;
        if is_signature && matches!(class, Signed | PartClass::Opaque)
            || kind == EntityKind::Encrypted
        {
            class = PartClass::Binary;
        }
        self.enter_heading(message, class, media_type, run);
        for code in std::mem::take(&mut self.header.diagnostics) {
            self.diagnose(code, self.offset, run.out);
        }
        if message && let Some(level) = self.levels.last_mut() {
            level.documents += std::mem::take(&mut self.part_documents);
        }
        let transfer = self.transfer(class, run.out);
        if class == PartClass::Multipart {
            let boundary = content_type.and_then(|known| known.parameter("boundary"));
            let boundary = boundary.unwrap_or_default().trim_ascii_end();
            if !boundary.is_empty() {
                return self.open_multipart(boundary.to_vec(), message, media_type, run);
            }
            self.diagnose_here(&diagnostic::MIME_BOUNDARY_MISSING, run.out);
            class = PartClass::TEXT;
        }
        if message {
            self.path.push(1);
            self.set_name(false);
        }
        if class == PartClass::Message && transfer == TransferEncoding::Identity {
            return self.begin_message();
        }
        self.begin_part(class, transfer, media_type, run);
    }

    fn transfer(&mut self, class: PartClass, out: &mut Events) -> TransferEncoding {
        let name = self.header.value(EntityProperty::Transfer);
        let known = name.map(TransferEncoding::named);
        if known == Some(None) {
            self.diagnose_here(&diagnostic::MIME_CTE_UNKNOWN, out);
        }
        let transfer = known.flatten().unwrap_or_default();
        if class == PartClass::Multipart && transfer != TransferEncoding::Identity {
            self.diagnose_here(&diagnostic::MIME_CTE_ON_MULTIPART, out);
            return TransferEncoding::Identity;
        }
        transfer
    }

    /// Enters the entity, if it has references or properties to report before its body.
    fn enter_heading(&mut self, message: bool, class: PartClass, media_type: &str, run: &mut Run) {
        let root = message && self.levels.len() == 1 && self.path.is_empty();
        use EntityProperty::{Base, ContentId, Location};
        let is_named = |property| self.header.value(property).is_some();
        let has_events = [Location, Base, ContentId].into_iter().any(is_named)
            || !self.header.events.list.is_empty();
        if !message && class != PartClass::Multipart && !has_events {
            return;
        }
        if root
            && let Some(snapshot) = self.header.value(EntityProperty::Snapshot)
            && is_absolute(snapshot)
        {
            let base = EntityBase {
                reference: run.out.store(snapshot),
                source: EntityBaseField::SnapshotContentLocation,
            };
            self.enter_with(Some(base), run.out);
            run.out.push(Event::Settled);
        }
        let base = self.base(run.scanners.options.mime_base, run.out);
        self.enter_with(base, run.out);
        let is = |kind| class == PartClass::Multipart && media_type == kind;
        let related = is("multipart/related");
        let is_last = run.scanners.options.alternatives == Alternatives::Last;
        let keeps_last = is_last && is("multipart/alternative");
        let mut store = |property| Some(run.out.store(self.header.value(property)?));
        let heading = EntityHeading {
            location: store(Location),
            content_id: store(ContentId),
            message: root.then(|| MessageHeading {
                id: store(EntityProperty::MessageId),
                offset: self.offset,
            }),
            media_type: Some(run.out.store(media_type.as_bytes())),
            stored_at: self.stored_at(self.header_at),
            related,
            names_parts: message,
            keeps_last,
            ..EntityHeading::default()
        };
        run.out.push(Event::Heading(heading));
        if root && run.scanners.options.envelope {
            let envelope = envelope::store(&self.header, &run.scanners.options, run.out);
            run.out.push(Event::Envelope(envelope));
        }
        self.is_entered = true;
        self.header.report(run.out);
        self.header.events.clear();
        if !related && !keeps_last {
            run.out.push(Event::Settled);
        }
    }

    /// Returns an offset, unless it lies in a decoded part.
    fn stored_at(&self, offset: u64) -> Option<u64> {
        (!self.is_decoded).then_some(offset)
    }

    fn enter_with(&mut self, base: Option<EntityBase>, out: &mut Events) {
        let member = Some(out.store(self.name.as_bytes()));
        let family = RuleFamily::Plain;
        out.push(Event::Enter(Enter {
            member,
            family,
            base,
        }));
        self.part_documents += 1;
    }

    /// Returns the base that a heading names (RFC 2557 section 5; rule M22): an absolute Content-Base,
    /// else Content-Location.
    fn base(&self, mime_base: MimeBase, out: &mut Events) -> Option<EntityBase> {
        let base = self.header.value(EntityProperty::Base);
        let location = self.header.value(EntityProperty::Location);
        let (reference, field): (_, fn(TextRange) -> _) = match (base, location) {
            (Some(base), _) if is_absolute(base) => (base, EntityBaseField::ContentBase),
            (_, Some(location)) if mime_base == MimeBase::Chained || is_absolute(location) => {
                (location, EntityBaseField::ContentLocation)
            }
            _ => return None,
        };
        Some(EntityBase {
            reference: out.store(reference),
            source: field(out.store(&self.name.as_bytes()[self.prefix.len()..])),
        })
    }

    fn open_multipart(&mut self, boundary: Vec<u8>, is_body: bool, kind: &str, run: &mut Run) {
        let kind = match kind {
            "multipart/digest" => EntityKind::Digest,
            "multipart/signed" => EntityKind::Signed,
            "multipart/encrypted" => {
                self.diagnose_here(&diagnostic::ENCRYPTED, run.out);
                EntityKind::Encrypted
            }
            _ => EntityKind::Mixed,
        };
        self.levels.push(OpenEntity {
            boundary,
            depth: self.path.len(),
            is_body,
            kind,
            documents: std::mem::take(&mut self.part_documents),
            ..OpenEntity::default()
        });
        self.begin_between(Flags::NONE);
        self.preamble.clear();
        self.in_preamble = true;
    }

    /// Begins text of a multipart entity itself, between its parts.
    fn begin_between(&mut self, flags: Flags) {
        let member = self.leaf.next_member();
        member.scope = NestedScope::Enclosing;
        member.flags = flags;
        member.diagnostic_offset = Some(self.at);
        (self.leaf).begin(PartContent::Document, self.unquotes);
    }

    fn begin_part(
        &mut self,
        class: PartClass,
        transfer: TransferEncoding,
        media_type: &str,
        run: &mut Run,
    ) {
        let content_type = self.header.entity.content_type.clone();
        let content_type = content_type.as_deref();
        if class == PartClass::Opaque {
            self.diagnose_here(media_type::opaque_code(media_type, content_type), run.out);
        }
        let may_open =
            class == PartClass::Binary && run.scanners.options.attachments == Attachments::Open;
        let mut contents = class;
        match class {
            // It is added to the statistics once it has been decompressed or skipped.
            PartClass::Binary if may_open => contents = PartClass::decompressed(&self.header),
            // It is added to the statistics at its end.
            PartClass::Signed => {}
            PartClass::Opaque | PartClass::Binary => run.scanners.counts.skip(media_type),
            _ => run.scanners.counts.parts += 1,
        }
        if run.scanners.options.alternatives == Alternatives::Last
            && matches!(class, PartClass::Document(_) | PartClass::Headers)
        {
            run.out.push(Event::Readable);
        }
        let mut kind = match contents {
            PartClass::Headers => PartContent::Headers(Box::default(), Vec::new()),
            PartClass::Message => {
                PartContent::Message(Box::new(MimeTree::nested(self)), Vec::new())
            }
            PartClass::Signed => {
                PartContent::Signed(Box::new(SignedPart::new(MimeTree::nested(self))))
            }
            PartClass::Document(_) => PartContent::Document,
            PartClass::Opaque | PartClass::Binary | PartClass::Multipart => PartContent::Skip,
        };
        if may_open {
            kind = PartContent::Attachment(Box::new(HeldAttachment {
                bytes: CompressedMember::new(media_type.starts_with("application/")),
                contents: kind,
                file_name: Some(media_type::file_name(&self.header))
                    .filter(|name| name.len() <= MAX_FILE_NAME)
                    .unwrap_or_default(),
            }));
        }
        let stored_at = self.stored_at(self.at);
        let member = self.leaf.next_member();
        member.name.push_str(&self.name);
        member.media_type.push_str(media_type);
        if let Some(charset) = content_type.and_then(|known| known.parameter("charset")) {
            (member.charset).extend_from_slice(&charset[..charset.len().min(MAX_CHARSET)]);
        }
        if run.scanners.options.message_fields {
            let file_name = media_type::file_name(&self.header);
            let disposition = media_type::disposition(&self.header);
            member.file = Some(Box::new([file_name, disposition]));
        }
        member.source = media_type::text_source(media_type);
        member.stored_at = stored_at.filter(|_| transfer == TransferEncoding::Identity);
        member.transfer = transfer;
        if let PartClass::Document(format) = contents {
            member.format = format;
        }
        member.diagnostic_offset = Some(self.at);
        self.leaf.begin(kind, self.unquotes);
    }

    /// Reports or drops the pending references, once a preamble is confirmed or refuted.
    fn release_preamble(&mut self, confirmed: bool, out: &mut Events) {
        if !std::mem::take(&mut self.in_preamble) || self.preamble.list.is_empty() {
            return;
        }
        if !confirmed {
            // Without a boundary the body is one part, read as text.
            let is_body = self.levels.last().is_some_and(|level| level.is_body);
            if is_body {
                self.path.push(1);
            }
            self.set_name(false);
            let member = Some(out.store(self.name.as_bytes()));
            out.push(Event::Readable);
            nested::enter(member, RuleFamily::Plain, out);
            out.push(Event::Settled);
        }
        for event in &self.preamble.list {
            let mut copy = out.adopt(event, &self.preamble, &[]);
            if let Event::Reference(found) = &mut copy {
                found.flags |= Flags::PREAMBLE.when(confirmed);
            }
            out.push(copy);
        }
        if !confirmed {
            out.push(Event::Leave);
        }
        self.preamble.clear();
    }
}

/// Returns whether a URI parses, and needs no base.
fn is_absolute(uri: &[u8]) -> bool {
    Resolver::new(uri, Rules::Whatwg).is_ok()
}

/// Returns the index before the line end that precedes `at`, but not before `from`.
fn before_break(bytes: &[u8], from: usize, at: usize) -> usize {
    let bytes = &bytes[from..at];
    let is_line = bytes.ends_with(b"\n");
    from + (if is_line { without_break(bytes) } else { bytes }).len()
}
