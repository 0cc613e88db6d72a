//! The MIME structure of one message, as a stream (RFC 2045, RFC 2046): header blocks, delimiters,
//! parts. Nothing that a message does wrong ends it: what is not understood is text.

use std::fmt::Write;

use super::delimiter::{self, Delimiter, DelimiterLine};
use super::header::{Header, HeaderStop, Hyphens};
use super::part::LeafPart;
use super::part_scanners::PartScanners;
use super::unquote::LineUnquoter;
use crate::document::diagnostic::{self, Code};
use crate::document::events::{Batch, Event, Events};

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
            self.diagnose(code, self.leaf.splice.offset, out);
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
