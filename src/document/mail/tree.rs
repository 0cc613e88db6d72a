//! The MIME structure of one message, as a stream (RFC 2045, RFC 2046): header blocks, delimiters,
//! parts. Nothing that a message does wrong ends it: what is not understood is text.

use std::fmt::Write;

use super::delimiter::{self, Delimiter, DelimiterLine};
use super::header::{Entity, Header, HeaderStop, Hyphens};
use super::media_type::{self, PartClass};
use super::part::{Attachment, LeafPart, NestedContent, NestedPart, PartContent, PartDescription};
use super::part_scanners::PartScanners;
use super::unquote::LineUnquoter;
use super::{Alternatives, Attachments, MimeBase};
use crate::decode::transfer::TransferEncoding;
use crate::document::diagnostic::{self, Code};
use crate::document::events::{
    Batch, Enter, EntityBase, EntityBaseField, EntityHeading, Event, Events, LabelScope,
    MessageHeading, RestartHints, RuleFamily, TextRange,
};
use crate::document::flags::Flags;
use crate::document::nested::NestedScope;
use crate::document::text;
use crate::uri::Reference;

/// References of a preamble that are held; past it they count as a preamble's.
const HELD: usize = 4 << 20;

/// The longest label of a charset: names have up to 40 bytes (RFC 2978 section 2.3), and every record
/// of a part repeats it.
const CHARSET: usize = 255;

/// An entity that encloses others.
#[derive(Debug, Default)]
pub(super) struct OpenEntity {
    /// The delimiters of a multipart entity; none for a message.
    pub(super) boundary: Vec<u8>,
    /// Length of the path of the entity itself.
    pub(super) depth: usize,
    /// It is the body of a message, and its number ends in 0.
    pub(super) zero: bool,
    pub(super) shape: EntityKind,
    pub(super) stage: MultipartStage,
    /// Parts so far.
    pub(super) count: u32,
    /// Documents to leave when it ends.
    pub(super) frames: usize,
}

/// Kinds of enclosing entities that are read each in a way of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum EntityKind {
    #[default]
    Message,
    Mixed,
    Digest,
    /// Only the last part that can be read counts.
    LastOf,
    Signed,
    Encrypted,
}

/// How far a multipart entity has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum MultipartStage {
    #[default]
    Preamble,
    Parts,
    Closed,
}

/// What the tree waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TreePhase {
    Header,
    Body,
}

/// Whether a message ends where its archive says, or with the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Whole,
    Truncated,
}

/// One message in the making.
pub(super) struct MimeTree {
    /// The message's number in the archive, and a slash.
    pub(super) prefix: String,
    /// Offset of its first byte, with its separator.
    pub(super) offset: u64,
    /// The number of the part at hand.
    pub(super) path: Vec<u32>,
    pub(super) levels: Vec<OpenEntity>,
    phase: TreePhase,
    pub(super) block: Header,
    pub(super) leaf: LeafPart,
    /// The last header block ended with the bytes.
    pub(super) cut: bool,
    /// What is pending starts a line.
    line_start: bool,
    /// References of a preamble, until a delimiter shows that it is one.
    pub(super) held: Batch,
    /// The leaf is a preamble whose references are held.
    pub(super) holding: bool,
    /// How the mailbox changed lines.
    pub(super) clean: LineUnquoter,
    /// Offset of the bytes at hand in the archive.
    at: u64,
    /// To be told when the message is entered.
    diagnostics: Vec<(&'static Code, u64)>,
    pub(super) entered: bool,
    pub(super) number: String,
    /// What the message's own header says of its length.
    pub(super) content_length: Option<u64>,
    /// Documents to leave when the part at hand ends.
    pub(super) part_frames: usize,
}

impl Default for MimeTree {
    fn default() -> Self {
        MimeTree {
            prefix: String::new(),
            offset: 0,
            path: Vec::new(),
            levels: Vec::new(),
            phase: TreePhase::Header,
            block: Header::default(),
            leaf: LeafPart::default(),
            cut: false,
            line_start: true,
            held: Batch::default(),
            holding: false,
            clean: LineUnquoter::default(),
            at: 0,
            diagnostics: Vec::new(),
            entered: false,
            number: String::new(),
            content_length: None,
            part_frames: 0,
        }
    }
}

impl MimeTree {
    /// Starts message `index`, whose first byte stands at `offset`.
    pub(super) fn begin(&mut self, index: u64, offset: u64, clean: LineUnquoter) {
        self.prefix.clear();
        // Writing to a String cannot fail.
        let _ = write!(self.prefix, "{index}/");
        self.offset = offset;
        self.at = offset;
        self.path.clear();
        self.clean = clean;
        self.entered = false;
        self.cut = false;
        self.diagnostics.clear();
        self.levels.clear();
        self.begin_message();
    }

    /// Starts with the body, as if an empty header had come.
    pub(super) fn begin_body(&mut self, readers: &mut PartScanners, out: &mut Events) {
        self.phase = TreePhase::Body;
        self.open(readers, out);
    }

    /// A message in the part at `path` of a message.
    pub(super) fn nested(outer: &MimeTree) -> Self {
        let mut tree = MimeTree {
            prefix: outer.prefix.clone(),
            offset: outer.offset,
            at: outer.at,
            path: outer.path.clone(),
            ..MimeTree::default()
        };
        tree.begin_message();
        tree
    }

    /// The bytes that come are the header of a message.
    pub(super) fn begin_message(&mut self) {
        self.levels.push(OpenEntity {
            depth: self.path.len(),
            ..OpenEntity::default()
        });
        self.begin_header();
    }

    fn begin_header(&mut self) {
        self.phase = TreePhase::Header;
        self.block.begin();
        self.line_start = true;
    }

    /// Whether the message's own header is still to come.
    pub(super) fn in_first_header(&self) -> bool {
        self.phase == TreePhase::Header && self.levels.len() == 1 && self.path.is_empty()
    }

    /// Says something of the message.
    pub(super) fn diagnose(&mut self, code: &'static Code, offset: u64, out: &mut Events) {
        if self.entered && !self.holding {
            out.push(Event::Diagnostic(code, offset));
        } else {
            self.diagnostics.push((code, offset));
        }
    }

    /// Says what could not be said yet.
    pub(super) fn tell_diagnostics(&mut self, out: &mut Events) {
        for (code, offset) in self.diagnostics.drain(..) {
            out.push(Event::Diagnostic(code, offset));
        }
    }

    /// Offset in the archive of the bytes at hand.
    pub(super) fn here(&self) -> u64 {
        self.at
    }

    pub(super) fn diagnose_here(&mut self, code: &'static Code, out: &mut Events) {
        self.diagnose(code, self.at, out);
    }

    /// What changes where no byte is taken: a header ends in front of a line that is no field, and
    /// the message that it describes begins there.
    fn progress(&self) -> (TreePhase, usize) {
        (self.phase, self.levels.len())
    }

    /// Takes bytes that stand at `offset`; returns how many, which may be fewer unless they are
    /// the `end` of the message. Stops behind the message's own header.
    pub(super) fn feed(
        &mut self,
        bytes: &[u8],
        offset: u64,
        end: bool,
        readers: &mut PartScanners,
        out: &mut Events,
    ) -> usize {
        let mut at = 0;
        loop {
            self.at = offset + at as u64;
            let before = (at, self.progress());
            match self.phase {
                TreePhase::Header => {
                    let first = self.in_first_header();
                    at = self.header(bytes, at, end, readers, out);
                    if first {
                        self.at = offset + at as u64;
                        return at;
                    }
                }
                TreePhase::Body => at = self.body(bytes, at, end, readers, out),
            }
            if (at, self.progress()) == before
                || (at == bytes.len() && self.phase == TreePhase::Body)
            {
                self.at = offset + at as u64;
                return at;
            }
        }
    }

    /// The same for a message that is not the archive's own.
    pub(super) fn feed_all(
        &mut self,
        bytes: &[u8],
        end: bool,
        readers: &mut PartScanners,
        out: &mut Events,
    ) -> usize {
        let mut at = 0;
        loop {
            let before = (at, self.progress());
            at += self.feed(&bytes[at..], self.offset, end, readers, out);
            if (at, self.progress()) == before {
                break;
            }
        }
        if end {
            self.end(Ending::Whole, readers, out);
        }
        at
    }

    fn header(
        &mut self,
        bytes: &[u8],
        mut at: usize,
        end: bool,
        readers: &mut PartScanners,
        out: &mut Events,
    ) -> usize {
        let mut hyphens = Hyphens::Stop;
        let from = at;
        loop {
            let (stopped, stop) = self.block.feed(bytes, at, end, hyphens, readers);
            at = stopped;
            match stop {
                HeaderStop::More => return at,
                HeaderStop::Empty | HeaderStop::End => {
                    self.cut = stop == HeaderStop::End;
                    self.at += (at - from) as u64;
                    break;
                }
                HeaderStop::NoField => {
                    self.at += (at - from) as u64;
                    self.diagnose_here(&diagnostic::NO_BLANK_LINE, out);
                    break;
                }
                HeaderStop::Hyphens => match self.delimiter(&bytes[at..], end) {
                    DelimiterLine::Unknown => return at,
                    DelimiterLine::No => hyphens = Hyphens::Take,
                    DelimiterLine::Delimiter(delimiter) => {
                        // A part that ends inside its header is empty.
                        self.at += (at - from) as u64;
                        self.open(readers, out);
                        return at + self.separate(delimiter, readers, out);
                    }
                },
            }
        }
        self.phase = TreePhase::Body;
        self.line_start = true;
        self.open(readers, out);
        at
    }

    fn delimiter(&self, line: &[u8], end: bool) -> DelimiterLine {
        let open = self.levels.iter().enumerate().rev();
        let boundaries = open
            .filter(|(_, level)| {
                !level.boundary.is_empty() && level.stage != MultipartStage::Closed
            })
            .map(|(index, level)| (index, level.boundary.as_slice()));
        delimiter::test(line, end, boundaries)
    }

    fn body(
        &mut self,
        bytes: &[u8],
        mut at: usize,
        end: bool,
        readers: &mut PartScanners,
        out: &mut Events,
    ) -> usize {
        let multipart = self
            .levels
            .iter()
            .any(|level| !level.boundary.is_empty() && level.stage != MultipartStage::Closed);
        if !multipart {
            self.data(&bytes[at..], end, readers, out);
            return bytes.len();
        }
        let mut line_start = std::mem::take(&mut self.line_start);
        let mut from = at;
        loop {
            let candidate = if line_start {
                Some(from)
            } else {
                let base64 = self.leaf.is_base64();
                delimiter::candidate(bytes, from, base64, &readers.hyphens)
            };
            let Some(candidate) = candidate else { break };
            let line = &bytes[candidate..];
            match self.delimiter(line, end) {
                DelimiterLine::No => {
                    line_start = false;
                    from = candidate;
                }
                DelimiterLine::Unknown => {
                    self.line_start = line_start;
                    let data = before_break(bytes, at, candidate);
                    self.data(&bytes[at..data], false, readers, out);
                    return data;
                }
                DelimiterLine::Delimiter(delimiter) => {
                    let data = before_break(bytes, at, candidate);
                    self.data(&bytes[at..data], true, readers, out);
                    self.at += (candidate - at) as u64;
                    return candidate + self.separate(delimiter, readers, out);
                }
            }
        }
        let mut stop = bytes.len();
        if !end {
            // A line end may belong to a delimiter, and so may a hyphen behind it.
            let tail = bytes[at..].strip_suffix(b"-").map_or(stop, |_| stop - 1);
            let held = before_break(bytes, at, tail);
            if held < tail {
                stop = held;
            } else if tail == stop && bytes[at..].ends_with(b"\r") {
                stop -= 1;
            }
        }
        self.data(&bytes[at..stop], end, readers, out);
        at = stop;
        at
    }

    /// Hands a stretch of the body to the leaf; `whole` when it ends there.
    fn data(&mut self, raw: &[u8], whole: bool, readers: &mut PartScanners, out: &mut Events) {
        let mut held = Events::from(std::mem::take(&mut self.held));
        let target = if self.holding { &mut held } else { &mut *out };
        let done = whole && self.leaf.scan_in_place(raw, readers, target);
        if !done {
            self.leaf.push(raw, readers, target);
        }
        self.held = held.into();
        if done {
            self.leaf.forget();
        }
        self.limit_held(out);
    }

    /// The leaf at hand ends.
    fn end_leaf(&mut self, readers: &mut PartScanners, out: &mut Events) {
        let mut held = Events::from(std::mem::take(&mut self.held));
        let target = if self.holding { &mut held } else { &mut *out };
        self.leaf.end(readers, target);
        self.held = held.into();
        let codes = std::mem::take(&mut self.leaf.diagnostics);
        for &code in &codes {
            self.diagnose(code, self.leaf.offset(), out);
        }
        self.leaf.diagnostics = codes;
        self.leaf.diagnostics.clear();
        for _ in 0..std::mem::take(&mut self.part_frames) {
            out.push(Event::Leave);
        }
    }

    /// A delimiter ends what is open inside its entity, and starts a part or the epilogue.
    fn separate(
        &mut self,
        delimiter: Delimiter,
        readers: &mut PartScanners,
        out: &mut Events,
    ) -> usize {
        self.end_leaf(readers, out);
        self.release_held(delimiter.level + 1 == self.levels.len(), out);
        while self.levels.len() > delimiter.level + 1 {
            self.end_level(out);
        }
        let level = &mut self.levels[delimiter.level];
        self.path.truncate(level.depth);
        if delimiter.close {
            level.stage = MultipartStage::Closed;
            self.begin_epilogue();
            // The line end of the delimiter begins it.
            self.phase = TreePhase::Body;
            self.line_start = false;
            delimiter.text
        } else {
            level.stage = MultipartStage::Parts;
            level.count += 1;
            self.path.push(level.count);
            self.begin_header();
            delimiter.line
        }
    }

    /// Ends the innermost enclosing entity.
    fn end_level(&mut self, out: &mut Events) {
        let Some(level) = self.levels.pop() else {
            return;
        };
        let code = match level.stage {
            _ if level.boundary.is_empty() => None,
            MultipartStage::Preamble => Some(&diagnostic::BOUNDARY_NEVER_FOUND),
            MultipartStage::Parts => Some(&diagnostic::CLOSE_MISSING),
            MultipartStage::Closed => None,
        };
        if let Some(code) = code {
            self.diagnose_here(code, out);
        }
        for _ in 0..level.frames {
            out.push(Event::Leave);
        }
    }

    /// The message ends.
    pub(super) fn end(&mut self, ending: Ending, readers: &mut PartScanners, out: &mut Events) {
        let header = self.phase == TreePhase::Header;
        if ending == Ending::Truncated && (header || self.cut) {
            self.diagnose_here(&diagnostic::MBOX_TRUNCATED, out);
        }
        if header {
            self.open(readers, out);
        }
        self.end_leaf(readers, out);
        self.release_held(false, out);
        while !self.levels.is_empty() {
            if self.levels.len() == 1 {
                self.tell_diagnostics(out);
            }
            self.end_level(out);
        }
        self.path.clear();
    }

    /// The place in the archive of the entity at the path; `zero` for the header of a message.
    pub(super) fn set_number(&mut self, zero: bool) {
        self.number.clear();
        for &number in &self.path {
            match u8::try_from(number) {
                // Most numbers have one digit.
                Ok(digit @ 0..10) => self.number.push(char::from(b'0' + digit)),
                _ => drop(write!(self.number, "{number}")),
            }
            self.number.push('.');
        }
        if zero {
            self.number.push('0');
        } else {
            self.number.pop();
        }
    }

    /// The header block is complete: enters the entity and gets ready for its body.
    pub(super) fn open(&mut self, readers: &mut PartScanners, out: &mut Events) {
        let entity = std::mem::take(&mut self.block.entity);
        let parent = self.levels.last_mut();
        let (shape, count) =
            parent.map_or((EntityKind::Message, 0), |level| (level.shape, level.count));
        // The header of a message, and not of one of its parts.
        let message = shape == EntityKind::Message;
        self.set_number(message);
        self.content_length = entity.length;
        let media_type = media_type_of(&entity, shape);
        let mut class = PartClass::of(&media_type, &entity);
        if matches!(class, PartClass::Multipart | PartClass::Message)
            && self.path.len() >= readers.options.max_depth
        {
            self.diagnose_here(&diagnostic::MIME_DEPTH_LIMIT, out);
            class = PartClass::Text;
        }
        let signature = shape == EntityKind::Signed && count > 1 || shape == EntityKind::Encrypted;
        if signature {
            class = PartClass::Binary;
        }
        if shape == EntityKind::LastOf && count > 1 && class.is_read() {
            out.push(Event::Restart(RestartHints::default()));
        }
        let frames = self.enter_heading(&entity, message, class, &media_type, readers, out);
        self.tell_header_diagnostics(out);
        let mut frames = if message {
            if let Some(level) = self.levels.last_mut() {
                level.frames += frames;
            }
            0
        } else {
            frames
        };
        let transfer = self.transfer(&entity, class, out);
        if class == PartClass::Multipart {
            let boundary = entity
                .content_type
                .as_ref()
                .and_then(|content_type| content_type.parameter("boundary"))
                .map(|boundary| boundary.trim_ascii_end().to_vec())
                .filter(|boundary| !boundary.is_empty());
            if let Some(boundary) = boundary {
                self.open_multipart(boundary, message, &media_type, &mut frames, readers, out);
                return;
            }
            self.diagnose_here(&diagnostic::BOUNDARY_MISSING, out);
            class = PartClass::Text;
        }
        if message {
            self.path.push(1);
        }
        if class == PartClass::Message && transfer == TransferEncoding::Identity {
            self.begin_message();
            if let Some(level) = self.levels.last_mut() {
                level.frames = frames;
            }
            return;
        }
        self.part_frames = frames;
        self.begin_leaf(&entity, class, transfer, media_type, readers, out);
    }

    fn tell_header_diagnostics(&mut self, out: &mut Events) {
        let offset = self.offset;
        for (code, _) in std::mem::take(&mut self.block.diagnostics) {
            self.diagnose(code, offset, out);
        }
    }

    fn transfer(
        &mut self,
        entity: &Entity,
        class: PartClass,
        out: &mut Events,
    ) -> TransferEncoding {
        let Some(name) = &entity.transfer else {
            return TransferEncoding::Identity;
        };
        let transfer = TransferEncoding::named(name);
        if transfer.is_none() {
            self.diagnose_here(&diagnostic::TRANSFER_UNKNOWN, out);
        }
        let transfer = transfer.unwrap_or_default();
        if class == PartClass::Multipart {
            if transfer != TransferEncoding::Identity {
                self.diagnose_here(&diagnostic::TRANSFER_ON_MULTIPART, out);
            }
            return TransferEncoding::Identity;
        }
        transfer
    }

    /// Enters the entity, if there is anything to say of it before its body; returns how many
    /// documents that are.
    fn enter_heading(
        &mut self,
        entity: &Entity,
        message: bool,
        class: PartClass,
        media_type: &str,
        readers: &mut PartScanners,
        out: &mut Events,
    ) -> usize {
        let root = message && self.levels.len() == 1 && self.path.is_empty();
        let tells = entity.location.is_some()
            || entity.base.is_some()
            || entity.content_id.is_some()
            || !self.block.events.list.is_empty();
        if !message && class != PartClass::Multipart && !tells {
            return 0;
        }
        let mut frames = 1;
        if root
            && let Some(snapshot) = &entity.snapshot
            && Reference::split(snapshot).scheme.is_some()
        {
            let base = EntityBase {
                reference: out.store(snapshot),
                source: EntityBaseField::SnapshotContentLocation,
            };
            self.enter_with(Some(base), out);
            out.push(Event::Settled);
            frames += 1;
        }
        let base = self.base(entity, readers.options.mime_base, out);
        self.enter_with(base, out);
        let related = class == PartClass::Multipart && media_type == "multipart/related";
        let mut store = |bytes: &Option<Vec<u8>>| bytes.as_ref().map(|bytes| out.store(bytes));
        let heading = EntityHeading {
            location: store(&entity.location),
            content_id: store(&entity.content_id),
            message: root.then(|| MessageHeading {
                id: store(&entity.message_id),
                offset: self.offset,
            }),
            media_type: Some(out.store(media_type.as_bytes())),
            charset: None,
            labels: if related {
                LabelScope::Related
            } else {
                LabelScope::Apart
            },
            names_parts: message,
        };
        out.push(Event::Heading(heading));
        if root && readers.options.envelope {
            let envelope = entity.envelope.store(&self.block.kept, out);
            out.push(Event::Envelope(envelope));
        }
        self.entered = true;
        for event in &self.block.events.list {
            let copy = out.adopt(event, &self.block.events, &[]);
            out.push(copy);
        }
        self.block.events.clear();
        if !related {
            out.push(Event::Settled);
        }
        frames
    }

    fn enter_with(&self, base: Option<EntityBase>, out: &mut Events) {
        let member = Some(self.member(out));
        out.push(Event::Enter(Enter {
            member,
            family: RuleFamily::Plain,
            base,
        }));
    }

    /// The base that a heading names (RFC 2557 section 5): Content-Base, which must be absolute,
    /// before Content-Location.
    fn base(&self, entity: &Entity, mime_base: MimeBase, out: &mut Events) -> Option<EntityBase> {
        let absolute = |uri: &Vec<u8>| Reference::split(uri).scheme.is_some();
        let (reference, field): (_, fn(TextRange) -> _) = match (&entity.base, &entity.location) {
            (Some(base), _) if absolute(base) => (base, EntityBaseField::ContentBase),
            (_, Some(location)) if mime_base == MimeBase::Chained || absolute(location) => {
                (location, EntityBaseField::ContentLocation)
            }
            _ => return None,
        };
        Some(EntityBase {
            reference: out.store(reference),
            source: field(out.store(self.number.as_bytes())),
        })
    }

    fn open_multipart(
        &mut self,
        boundary: Vec<u8>,
        zero: bool,
        media_type: &str,
        frames: &mut usize,
        readers: &mut PartScanners,
        out: &mut Events,
    ) {
        let last = readers.options.alternatives == Alternatives::Last;
        let shape = match media_type {
            "multipart/digest" => EntityKind::Digest,
            "multipart/signed" => EntityKind::Signed,
            "multipart/encrypted" => {
                self.diagnose_here(&diagnostic::OPAQUE, out);
                EntityKind::Encrypted
            }
            "multipart/alternative" if last => {
                // Whatever came before the last alternative is taken back.
                out.push(Event::Enter(Enter {
                    member: None,
                    family: RuleFamily::Plain,
                    base: None,
                }));
                *frames += 1;
                EntityKind::LastOf
            }
            _ => EntityKind::Mixed,
        };
        self.levels.push(OpenEntity {
            boundary,
            depth: self.path.len(),
            zero,
            shape,
            frames: *frames,
            ..OpenEntity::default()
        });
        self.begin_between(Flags::NONE);
        self.held.clear();
        self.holding = true;
    }

    /// Text between the parts of a multipart entity: it belongs to the entity itself.
    fn begin_between(&mut self, flags: Flags) {
        self.part_frames = 0;
        self.leaf.document.diagnostic_offset = Some(self.here());
        self.leaf.begin(PartDescription {
            kind: PartContent::Text(None),
            transfer: TransferEncoding::Identity,
            charset: b"",
            scope: NestedScope::Enclosing,
            flags,
            clean: self.clean.clone(),
            source: text::TextSource::Prose,
        });
    }

    pub(super) fn begin_epilogue(&mut self) {
        self.begin_between(Flags::EPILOGUE);
    }

    fn begin_leaf(
        &mut self,
        entity: &Entity,
        class: PartClass,
        transfer: TransferEncoding,
        media_type: String,
        readers: &mut PartScanners,
        out: &mut Events,
    ) {
        self.set_number(false);
        let member = [self.prefix.as_str(), &self.number].concat();
        if class == PartClass::Opaque {
            self.diagnose_here(&diagnostic::OPAQUE, out);
        }
        let content_type = entity.content_type.as_deref();
        let packed = class == PartClass::Binary && readers.options.attachments == Attachments::Open;
        let inside = if packed {
            PartClass::inside(entity)
        } else {
            class
        };
        if packed {
            // It is counted when it is known whether it can be opened.
        } else if class.is_read() {
            readers.counts.parts += 1;
        } else {
            readers.counts.skip(&media_type);
        }
        let kind = match inside {
            PartClass::Html => PartContent::Html,
            PartClass::Headers => PartContent::Nested(Box::new(NestedPart::new(
                NestedContent::Headers(Box::default()),
                &member,
            ))),
            PartClass::Message => PartContent::Nested(Box::new(NestedPart::new(
                NestedContent::Message(Box::new(MimeTree::nested(self))),
                &member,
            ))),
            PartClass::Text | PartClass::Enriched | PartClass::Folded => {
                PartContent::Text(class.reflow(content_type))
            }
            PartClass::Opaque | PartClass::Binary | PartClass::Multipart => PartContent::Skip,
        };
        let kind = match packed {
            true => PartContent::Packed(Box::new(Attachment::new(kind))),
            false => kind,
        };
        let charset = content_type
            .and_then(|content_type| content_type.parameter("charset"))
            .unwrap_or_default();
        let charset = &charset[..charset.len().min(CHARSET)];
        self.leaf.document.member = member;
        let source = media_type::source(&media_type);
        self.leaf.document.media_type = media_type;
        self.leaf.document.diagnostic_offset = Some(self.here());
        self.leaf.begin(PartDescription {
            kind,
            transfer,
            charset,
            scope: NestedScope::Own,
            flags: Flags::NONE,
            clean: self.clean.clone(),
            source,
        });
    }

    /// Tells the references of a preamble, once it is known whether it is one.
    pub(super) fn release_held(&mut self, preamble: bool, out: &mut Events) {
        if !std::mem::take(&mut self.holding) || self.held.list.is_empty() {
            return;
        }
        let flags = if preamble {
            Flags::PREAMBLE
        } else {
            Flags::NONE
        };
        if !preamble {
            // The boundary never came: the body is a part, as text.
            let zero = self.levels.last().is_some_and(|level| level.zero);
            if zero {
                self.path.push(1);
            }
            self.set_number(false);
            let member = Some(self.member(out));
            out.push(Event::Enter(Enter {
                member,
                family: RuleFamily::Plain,
                base: None,
            }));
            out.push(Event::Settled);
        }
        for event in &self.held.list {
            let mut copy = out.adopt(event, &self.held, &[]);
            if let Event::Reference(found) = &mut copy {
                found.flags |= flags;
            }
            out.push(copy);
        }
        if !preamble {
            out.push(Event::Leave);
        }
        self.held.clear();
    }

    /// A preamble that is too long to be held is one.
    pub(super) fn limit_held(&mut self, out: &mut Events) {
        if self.holding && self.held.size() > HELD {
            self.release_held(true, out);
            self.leaf.document.flags |= Flags::PREAMBLE;
        }
    }

    /// The place in the archive of the entity with the number at hand.
    fn member(&self, out: &mut Events) -> TextRange {
        out.store_with(|store| {
            store.extend_from_slice(self.prefix.as_bytes());
            store.extend_from_slice(self.number.as_bytes());
        })
    }
}

/// The media type of an entity, which for a part of a digest is a message by default.
fn media_type_of(entity: &Entity, parent: EntityKind) -> String {
    match &entity.content_type {
        Some(content_type) if !content_type.value.is_empty() => content_type.value.clone(),
        _ if parent == EntityKind::Digest => "message/rfc822".to_owned(),
        _ => "text/plain".to_owned(),
    }
}

/// The index before the line end in front of `at`, but not before `from`.
fn before_break(bytes: &[u8], from: usize, at: usize) -> usize {
    let bytes = &bytes[from..at];
    let bytes = match bytes.strip_suffix(b"\n") {
        Some(rest) => rest.strip_suffix(b"\r").unwrap_or(rest),
        None => bytes,
    };
    from + bytes.len()
}
