//! What a scanner reported of a part, told as events of the archive: positions counted in the
//! part, spans led back to its bytes, texts copied.

use std::sync::LazyLock;

use encoding_rs::{Encoding, UTF_8};
use memchr::memmem::Finder;

use crate::bytes::lines::LineCounter;
use crate::bytes::window::Window;
use crate::decode::offset_map::OffsetMap;
use crate::document::Positions;
use crate::document::events::{
    Batch, Enter, EntityHeading, Event, Events, FoundReference, RuleFamily, Span,
};
use crate::document::flags::Flags;

static MARK: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"-- "));

/// The text of a part at one time, and how it was made.
pub(super) struct PartView<'a> {
    /// What the scanner saw.
    pub(super) scanned: Window<'a>,
    /// The text that lines are counted in.
    pub(super) text: Window<'a>,
    /// From the scanned text to the text.
    pub(super) reflow: Option<&'a OffsetMap>,
    /// From the text to the part's bytes.
    pub(super) converted: Option<&'a OffsetMap>,
    /// Whether lines are counted.
    pub(super) positions: Positions,
}

impl PartView<'_> {
    /// The span in the text.
    fn in_text(&self, span: Span) -> Span {
        match self.reflow {
            Some(map) => Span {
                start: map.start(span.start),
                end: map.end(span.end),
            },
            None => span,
        }
    }

    /// The span in the part's bytes.
    fn in_part(&self, text: Span) -> Span {
        match self.converted {
            Some(map) => Span {
                start: map.start(text.start),
                end: map.end(text.end),
            },
            None => text,
        }
    }
}

/// How the events of a part enter those of the archive.
#[derive(Debug)]
pub(super) struct EventMapper {
    /// The place in the archive, such as `17/1.2`, and what the heading says.
    pub(super) member: String,
    pub(super) media_type: String,
    pub(super) charset: Vec<u8>,
    pub(super) family: RuleFamily,
    /// Whether the part has a frame of its own, entered with its first reference.
    pub(super) frame: PartScope,
    entered: bool,
    /// Its references are settled before the first.
    settled: bool,
    /// Flags of every reference.
    pub(super) flags: Flags,
    /// Of the text's characters.
    pub(super) encoding: &'static Encoding,
    pub(super) lines: LineCounter,
    /// What the scanner said of the part's encoding before the part was entered.
    declared: Option<&'static Encoding>,
    /// Offset of the signature mark in the text, and how far it was searched.
    signature: Option<u64>,
    searched: u64,
    /// Offset of the part in the archive, for its scanner's diagnostics.
    pub(super) offset: u64,
}

/// Whether a part's references get a frame of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartScope {
    /// They belong to the enclosing entity.
    Enclosing,
    /// They do.
    Own,
}

impl Default for EventMapper {
    fn default() -> Self {
        EventMapper {
            member: String::new(),
            media_type: String::new(),
            charset: Vec::new(),
            family: RuleFamily::Plain,
            frame: PartScope::Own,
            entered: false,
            settled: false,
            flags: Flags::NONE,
            encoding: UTF_8,
            lines: LineCounter::new(),
            declared: None,
            signature: None,
            searched: 0,
            offset: 0,
        }
    }
}

impl EventMapper {
    /// Gets ready for another part; member, type and charset are set by the caller.
    pub(super) fn begin(&mut self, family: RuleFamily, frame: PartScope, flags: Flags) {
        self.family = family;
        self.frame = frame;
        self.flags = flags;
        self.entered = false;
        self.declared = None;
        self.signature = None;
        self.searched = 0;
        self.set_encoding(UTF_8);
        self.again();
    }

    /// The part is scanned once more.
    pub(super) fn again(&mut self) {
        self.settled = false;
        self.lines = LineCounter::new();
        self.lines.set_encoding(self.encoding);
    }

    pub(super) fn set_encoding(&mut self, encoding: &'static Encoding) {
        self.encoding = encoding;
        self.lines.set_encoding(encoding);
    }

    fn enter(&mut self, out: &mut Events) {
        if self.entered {
            return;
        }
        self.entered = true;
        if self.frame == PartScope::Own {
            let member = Some(out.store(self.member.as_bytes()));
            out.push(Event::Enter(Enter {
                member,
                family: self.family,
                base: None,
            }));
            let heading = EntityHeading {
                media_type: Some(out.store(self.media_type.as_bytes())),
                charset: (!self.charset.is_empty()).then(|| out.store(&self.charset)),
                ..EntityHeading::default()
            };
            out.push(Event::Heading(heading));
            if self.family == RuleFamily::Plain || self.settled {
                out.push(Event::Settled);
            }
        }
        if let Some(encoding) = self.declared.take() {
            out.push(Event::Encoding(encoding));
        }
    }

    /// Ends the part.
    pub(super) fn leave(&mut self, out: &mut Events) {
        if self.entered && self.frame == PartScope::Own {
            out.push(Event::Leave);
        }
        self.entered = false;
    }

    /// Tells one batch of the scanner's events.
    pub(super) fn batch(&mut self, inner: &Batch, view: &PartView<'_>, out: &mut Events) {
        if self.family == RuleFamily::Plain && !(inner.list.is_empty() && view.text.last) {
            self.search_signature(&view.text);
        }
        for event in &inner.list {
            match *event {
                Event::Reference(ref found) => {
                    self.enter(out);
                    self.reference(found, inner, view, out);
                }
                Event::Encoding(encoding) => {
                    self.set_encoding(encoding);
                    if self.entered {
                        out.push(Event::Encoding(encoding));
                    } else {
                        self.declared = Some(encoding);
                    }
                }
                Event::Settled | Event::Restart(_) | Event::Leave => {
                    // Plain parts settle where they are entered, and so does markup that is
                    // settled by then.
                    if self.entered && self.family == RuleFamily::Markup {
                        out.push(*event);
                    } else if matches!(event, Event::Settled) {
                        self.settled = true;
                    }
                }
                Event::Diagnostic(code, _) => {
                    self.enter(out);
                    out.push(Event::Diagnostic(code, self.offset));
                }
                Event::Base(..) | Event::Enter(_) | Event::Heading(_) | Event::Envelope(_) => {
                    self.enter(out);
                    let copy = out.adopt(event, inner, view.scanned.bytes);
                    out.push(copy);
                }
                // How often it happens is counted, wherever the document stands.
                Event::Exact(_) => out.push(*event),
                Event::Anchor(..) => {}
            }
        }
    }

    fn reference(
        &mut self,
        found: &FoundReference,
        inner: &Batch,
        view: &PartView<'_>,
        out: &mut Events,
    ) {
        let text = view.in_text(found.span);
        let mut copy = out.adopt_reference(found, inner, view.scanned.bytes);
        copy.span = view.in_part(text);
        copy.position = match view.positions {
            Positions::Lines => found
                .position
                .or_else(|| Some(self.lines.position(&view.text, text.start))),
            Positions::Offsets => None,
        };
        copy.flags |= self.flags;
        if self.signature.is_some_and(|mark| text.start > mark) {
            copy.flags |= Flags::IN_SIGNATURE;
        }
        out.push(Event::Reference(copy));
    }

    /// Looks for the line `-- ` in what is pending (RFC 3676 section 4.3).
    fn search_signature(&mut self, text: &Window<'_>) {
        if self.signature.is_some() {
            return;
        }
        let from = text.at_offset(self.searched.max(text.offset));
        let found = MARK
            .find_iter(&text.bytes[from..])
            .map(|at| from + at)
            .find(|&at| {
                let starts = match at.checked_sub(1) {
                    Some(before) => text.bytes[before] == b'\n',
                    None => text.offset == 0,
                };
                starts
                    && matches!(
                        text.bytes[at + 3..],
                        [] | [b'\n', ..] | [b'\r'] | [b'\r', b'\n', ..]
                    )
            });
        self.signature = found.map(|at| text.offset_at(at));
        // A mark cut by the end of the window is looked for once more.
        self.searched = text
            .offset_at(text.bytes.len().saturating_sub(4))
            .max(self.searched);
    }
}
