//! What scanners report: events, and the bytes that they speak of.

use std::ops::Range;

use encoding_rs::Encoding;

use super::diagnostic::Code;
use super::flags::Flags;
use crate::bytes::lines::Position;

/// A half-open pair of offsets in the document, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u64,
    /// Offset behind the last byte.
    pub end: u64,
}

/// Where the bytes of a reference or a name stand: in the window, as they are in the document, or
/// in the batch's own store, where a scanner puts what it had to clean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextRange {
    /// `window.bytes[start..end]`.
    Window(u32, u32),
    /// A range of the batch's store.
    Stored(u32, u32),
}

impl TextRange {
    /// The bytes of the window at `range`.
    pub fn window(range: Range<usize>) -> Self {
        TextRange::Window(range.start as u32, range.end as u32)
    }
}

/// The name of an element, an attribute or a header field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameRange {
    /// There is none.
    None,
    /// A name from a table.
    Known(&'static str),
    /// Any other name, in lower case.
    Other(TextRange),
}

/// Where in a document a reference stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Context {
    /// Text between angle brackets (RFC 2396 Appendix E).
    Angle,
    /// Text between double quotes (RFC 2396 Appendix E).
    Quoted,
    /// Text without delimiters.
    Bare,
    /// A terminal hyperlink, `ESC ]8;;`.
    Osc8,
    /// Text that starts with `www.` (RFC 2396 Appendix F).
    Www,
    /// A mail address in text.
    Email,
    /// An attribute of a markup element, or the data of a script element.
    Attribute,
    /// CSS in a style attribute or a style element.
    Style,
    /// Character data of a markup document.
    Text,
    /// A header field of a message or a response.
    Header,
}

impl Context {
    /// Every context with its name in records.
    pub const NAMES: [(Context, &'static str); 10] = [
        (Context::Angle, "angle"),
        (Context::Quoted, "quoted"),
        (Context::Bare, "bare"),
        (Context::Osc8, "osc8"),
        (Context::Www, "www"),
        (Context::Email, "email"),
        (Context::Attribute, "attribute"),
        (Context::Style, "style"),
        (Context::Text, "text"),
        (Context::Header, "header"),
    ];

    /// The name in records.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].1
    }
}

/// Which base a reference resolves against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseSelector {
    /// The document's base URI.
    Document,
    /// The same, and the document goes there by itself: a `javascript:` URI is refused (WHATWG HTML,
    /// "shared declarative refresh steps").
    Refresh,
    /// The base that the document has without its own BASE element.
    Fallback,
    /// The element's codebase, which resolves against the document's base URI.
    Codebase(TextRange),
    /// None: the reference must be absolute.
    Nothing,
}

/// One reference that a scanner found.
#[derive(Clone, Copy, Debug)]
pub struct FoundReference {
    /// From the reference's first to its last byte.
    pub span: Span,
    /// Line and column of the span's start, when the scanner knows better than its driver.
    pub position: Option<Position>,
    /// The reference as cleaned.
    pub text: TextRange,
    /// Where it stands.
    pub context: Context,
    /// The element, if any.
    pub element: NameRange,
    /// The attribute or the header field, if any.
    pub attribute: NameRange,
    /// What was done to it and what is odd about it.
    pub flags: Flags,
    /// The base it resolves against.
    pub wants: BaseSelector,
    /// Other readings, best first: a range of the batch's alternatives.
    pub alternatives: (u32, u32),
}

impl FoundReference {
    /// A reference as it stands in the document, resolved against the document's base.
    pub fn new(span: Span, text: TextRange, context: Context) -> Self {
        FoundReference {
            span,
            position: None,
            text,
            context,
            element: NameRange::None,
            attribute: NameRange::None,
            flags: Flags::default(),
            wants: BaseSelector::Document,
            alternatives: (0, 0),
        }
    }
}

/// A base URI that the heading of an enclosed document names (RFC 2396 section 5.1.2 and 5.1.3).
#[derive(Clone, Copy, Debug)]
pub struct EntityBase {
    /// The URI reference; a relative one resolves against the enclosing base.
    pub reference: TextRange,
    /// The field that names the base.
    pub source: EntityBaseField,
}

/// A field of a heading that names a base, and the number of the part that has the field.
#[derive(Clone, Copy, Debug)]
pub enum EntityBaseField {
    /// `Content-Base`.
    ContentBase(TextRange),
    /// `Content-Location`.
    ContentLocation(TextRange),
    /// `Snapshot-Content-Location`, which names a retrieval URI.
    SnapshotContentLocation,
}

/// Whose rules `auto` follows for the references of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RuleFamily {
    /// Where a browser would go: WHATWG URL.
    Markup,
    /// What was written: RFC 3986 in its corrected form.
    #[default]
    Plain,
}

/// The start of an enclosed document.
#[derive(Clone, Copy, Debug)]
pub struct Enter {
    /// Its place in the container, or none where it keeps its host's.
    pub member: Option<TextRange>,
    /// Whose rules its references follow.
    pub family: RuleFamily,
    /// The base that its heading brings; without one the enclosing base is inherited.
    pub base: Option<EntityBase>,
}

/// What the heading of the document just entered says of it, beyond its base.
#[derive(Clone, Copy, Debug, Default)]
pub struct EntityHeading {
    /// It is a message or a record; the diagnostics of what it encloses are its own.
    pub message: Option<MessageHeading>,
    /// Its media type.
    pub media_type: Option<TextRange>,
    /// Its declared charset.
    pub charset: Option<TextRange>,
    /// References may name it by this URI reference (RFC 2557 section 4.2).
    pub location: Option<TextRange>,
    /// `cid:` references may name it by this identifier (RFC 2392).
    pub content_id: Option<TextRange>,
    /// Whether what it encloses can be named from inside.
    pub labels: LabelScope,
    /// It is a message, perhaps inside another: a `cid:` reference anywhere in it may name any part
    /// of it (RFC 2392).
    pub names_parts: bool,
}

/// A message or a record in an archive.
#[derive(Clone, Copy, Debug)]
pub struct MessageHeading {
    /// Its identifier.
    pub id: Option<TextRange>,
    /// Offset of its first byte in the archive.
    pub offset: u64,
}

/// Decodes the raw value of a field; none where it cannot be read.
pub type FieldDecoder = fn(&[u8]) -> Option<String>;

/// Raw values of the fields of a message that records show.
#[derive(Clone, Copy, Debug)]
pub struct EnvelopeRanges {
    /// The value of `Date`, of `From` and of `Subject`.
    pub fields: [Option<TextRange>; 3],
    /// The decoder of each.
    pub decode: [FieldDecoder; 3],
}

/// Whether the labels of enclosed documents count from here inwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LabelScope {
    /// They do not.
    #[default]
    Apart,
    /// They do: this is a `multipart/related` (RFC 2557 section 5).
    Related,
}

/// What a scanner reports, in document order.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A document inside the document begins.
    Enter(Enter),
    /// What its heading says.
    Heading(EntityHeading),
    /// What the heading of a message says of it, behind that, if it is asked for.
    Envelope(EnvelopeRanges),
    /// It ends, and is settled.
    Leave,
    /// The document itself names its base (RFC 2396 section 5.1.1), at an offset.
    Base(TextRange, u64),
    /// No later event changes this document's base or retracts its references.
    Settled,
    /// Drop everything since the document's `Enter`; it is scanned again from its first byte.
    Restart(RestartHints),
    /// The encoding of the document, for the queries of its references.
    Encoding(&'static Encoding),
    /// A reference.
    Reference(FoundReference),
    /// A place that a fragment can name, when [`FormatOptions::anchors`](super::FormatOptions) asks for them.
    Anchor(TextRange, u64),
    /// The document was read by every rule of its format, at a price; the name of the rule that
    /// asked for it, for statistics.
    Exact(&'static str),
    /// Something that readers of the links should know, with the offset of its first occurrence.
    Diagnostic(&'static Code, u64),
}

/// What a scanner must know when it scans a document once more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RestartHints {
    /// Follow every rule of the format, at any price.
    pub exact: bool,
    /// The encoding that the first pass found out.
    pub encoding: Option<&'static Encoding>,
    /// The document has declared it: what else it declares does not count (WHATWG HTML 13.2.3.4).
    pub declared: bool,
}

/// The number of enclosed documents that are open in a stream of events.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenDocuments(usize);

impl OpenDocuments {
    /// Counts an event; returns whether it is one of the outermost document itself.
    pub fn is_outermost(&mut self, event: &Event) -> bool {
        match event {
            Event::Enter(_) => self.0 += 1,
            Event::Leave => self.0 = self.0.saturating_sub(1),
            _ => return self.0 == 0,
        }
        false
    }
}

/// A place in a batch of events.
#[derive(Clone, Copy, Debug)]
pub struct EventMark {
    events: usize,
    store: usize,
    alternatives: usize,
}

/// Takes the events of a batch while its scanner is still at work on the window.
pub type Relief<'f> = dyn FnMut(&mut Events<'_>) + 'f;

/// A batch with a [`Relief`] holds up to this many events, about 2 MiB.
const MOST: usize = 16 << 10;
/// So many bytes are stored before they are forgotten, where they can be.
const STORED: usize = 1 << 20;

/// Events, with the bytes that do not stand in the window as they are.
#[derive(Debug, Default)]
pub struct Batch {
    /// The events, in document order.
    pub list: Vec<Event>,
    store: Vec<u8>,
    alternatives: Vec<TextRange>,
}

/// A batch of events on its way.
///
/// What one window holds can be far more than the window: 2 million references in one attribute of
/// 4 MiB. Where a batch has a [`Relief`], its events are taken as soon as there are many; their
/// bytes stay, for later events may speak of them.
pub struct Events<'f> {
    batch: Batch,
    relief: Option<&'f mut Relief<'f>>,
    /// How many events there may be before there is something to do.
    room: usize,
    /// Some events are beyond being retracted.
    handed_on: bool,
    /// How many marks may be rolled back to: meanwhile nothing is taken.
    marks: usize,
    /// The events are of no interest, but for the document's base.
    draft: Option<Draft>,
}

/// What is kept of a document that is scanned to see how it must be read.
#[derive(Debug)]
struct Draft {
    open: OpenDocuments,
    /// The document's own base.
    base: Option<Event>,
    /// How much of the store is kept.
    stored: usize,
    /// The same of the alternatives.
    alternatives: usize,
}

impl std::fmt::Debug for Events<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Events")
            .field("list", &self.list)
            .finish_non_exhaustive()
    }
}

impl std::ops::Deref for Events<'_> {
    type Target = Batch;

    #[inline]
    fn deref(&self) -> &Batch {
        &self.batch
    }
}

impl std::ops::DerefMut for Events<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Batch {
        &mut self.batch
    }
}

impl Default for Events<'_> {
    fn default() -> Self {
        Events::from(Batch::default())
    }
}

impl From<Batch> for Events<'_> {
    /// The batch, which nobody relieves.
    fn from(batch: Batch) -> Self {
        Events {
            batch,
            relief: None,
            room: usize::MAX,
            handed_on: false,
            marks: 0,
            draft: None,
        }
    }
}

impl From<Events<'_>> for Batch {
    fn from(events: Events<'_>) -> Self {
        events.batch
    }
}

impl<'f> Events<'f> {
    /// A batch with somebody who takes its events when there are many.
    pub fn relieved(batch: Batch, relief: &'f mut Relief<'f>) -> Self {
        Events {
            batch,
            relief: Some(relief),
            room: MOST,
            handed_on: false,
            marks: 0,
            draft: None,
        }
    }

    /// Whether somebody takes events when there are many.
    pub fn is_relieved(&self) -> bool {
        self.relief.is_some() && self.marks == 0 && self.draft.is_none()
    }

    /// Hands the events over, if there is somebody who takes them and nobody may roll back.
    #[cold]
    fn relieve(&mut self) {
        if self.marks > 0 {
            return;
        }
        if let Some(relief) = self.relief.take() {
            relief(self);
            self.list.clear();
            self.relief = Some(relief);
        }
    }

    /// Says that references of the batch went out before their document was settled.
    pub fn hand_on_early(&mut self) {
        self.handed_on = true;
    }

    /// Whether some did: the document must not be read again.
    #[inline]
    pub fn is_handed_on(&self) -> bool {
        self.handed_on
    }

    /// Hands over what is left, once the scanner has done with the window.
    pub fn hand_over(&mut self) {
        self.marks = 0;
        self.relieve();
    }

    /// Frees memory where no event to come speaks of bytes that are stored already.
    pub fn forget_stored(&mut self) {
        if self.store.len() > STORED && self.is_relieved() {
            self.relieve();
            self.store.clear();
            self.alternatives.clear();
        }
    }

    /// Drops events from here on until [`Events::end_draft`].
    pub fn begin_draft(&mut self) {
        self.draft = Some(Draft {
            open: OpenDocuments::default(),
            base: None,
            stored: self.store.len(),
            alternatives: self.alternatives.len(),
        });
        self.set_room();
    }

    /// Takes events again; returns the base that the document in the draft names.
    pub fn end_draft(&mut self) -> Option<Event> {
        let draft = self.draft.take()?;
        self.set_room();
        self.store.truncate(draft.stored);
        self.alternatives.truncate(draft.alternatives);
        draft.base
    }

    fn push_draft(&mut self, event: Event) {
        let (Some(draft), batch) = (&mut self.draft, &mut self.batch) else {
            return;
        };
        if draft.open.is_outermost(&event) && matches!(event, Event::Base(..)) {
            draft.base = Some(event);
            draft.stored = batch.store.len();
        }
        batch.store.truncate(draft.stored);
        batch.alternatives.truncate(draft.alternatives);
    }

    /// Where the batch stands, for [`Events::rollback`]. Until then, or until [`Events::keep`],
    /// nothing is taken.
    pub fn mark(&mut self) -> EventMark {
        self.marks += 1;
        self.set_room();
        EventMark {
            events: self.list.len(),
            store: self.store.len(),
            alternatives: self.alternatives.len(),
        }
    }

    /// Drops everything since a mark of the same batch.
    pub fn rollback(&mut self, mark: EventMark) {
        self.marks = self.marks.saturating_sub(1);
        self.set_room();
        self.list.truncate(mark.events);
        self.store.truncate(mark.store);
        self.alternatives.truncate(mark.alternatives);
    }

    /// Keeps everything since a mark.
    pub fn keep(&mut self, _mark: EventMark) {
        self.marks = self.marks.saturating_sub(1);
        self.set_room();
    }

    /// Appends an event.
    ///
    /// The limit is looked at afterwards, so that the event is built where it is to stay.
    #[inline]
    pub fn push(&mut self, event: Event) {
        self.batch.list.push(event);
        if self.batch.list.len() > self.room {
            self.overflow();
        }
    }

    /// Hands over a full batch, or takes the last event into the draft.
    #[cold]
    fn overflow(&mut self) {
        if self.draft.is_none() {
            self.relieve();
        } else if let Some(event) = self.batch.list.pop() {
            self.push_draft(event);
        }
    }

    /// Finds out when there is something to do.
    fn set_room(&mut self) {
        self.room = match (&self.draft, &self.relief, self.marks) {
            (Some(_), ..) => 0,
            (None, Some(_), 0) => MOST,
            _ => usize::MAX,
        };
    }
}

impl Batch {
    /// Empties the batch and keeps its memory.
    pub fn clear(&mut self) {
        self.list.clear();
        self.store.clear();
        self.alternatives.clear();
    }

    /// Returns the restart that the outermost document requests, not one that it encloses.
    pub fn outermost_restart(&self, open: &mut OpenDocuments) -> Option<RestartHints> {
        let mut own = self.list.iter().filter(|event| open.is_outermost(event));
        own.find_map(|event| match *event {
            Event::Restart(hints) => Some(hints),
            _ => None,
        })
    }

    /// Bytes in use.
    pub fn size(&self) -> usize {
        self.store.len() + self.list.len() * size_of::<Event>()
    }

    /// An event of another batch, with its bytes copied into this one's store.
    pub fn adopt(&mut self, event: &Event, from: &Batch, window: &[u8]) -> Event {
        let mut text = |text| self.store(from.bytes(text, window));
        match *event {
            Event::Enter(mut enter) => {
                enter.member = enter.member.map(&mut text);
                if let Some(base) = &mut enter.base {
                    base.reference = text(base.reference);
                    if let EntityBaseField::ContentBase(part)
                    | EntityBaseField::ContentLocation(part) = &mut base.source
                    {
                        *part = text(*part);
                    }
                }
                Event::Enter(enter)
            }
            Event::Heading(mut heading) => {
                if let Some(message) = &mut heading.message {
                    message.id = message.id.map(&mut text);
                }
                heading.media_type = heading.media_type.map(&mut text);
                heading.charset = heading.charset.map(&mut text);
                heading.location = heading.location.map(&mut text);
                heading.content_id = heading.content_id.map(&mut text);
                Event::Heading(heading)
            }
            Event::Envelope(envelope) => Event::Envelope(EnvelopeRanges {
                fields: envelope.fields.map(|field| field.map(&mut text)),
                ..envelope
            }),
            Event::Base(reference, offset) => Event::Base(text(reference), offset),
            Event::Anchor(name, offset) => Event::Anchor(text(name), offset),
            Event::Reference(ref found) => {
                Event::Reference(self.adopt_reference(found, from, window))
            }
            other => other,
        }
    }

    /// Returns a reference of another batch, with its bytes copied into this one's store.
    #[inline]
    pub fn adopt_reference(
        &mut self,
        found: &FoundReference,
        from: &Batch,
        window: &[u8],
    ) -> FoundReference {
        let mut text = |text| self.store(from.bytes(text, window));
        let mut copy = *found;
        // INVARIANT: the reference itself is the first text that is stored of it.
        copy.text = text(found.text);
        for name in [&mut copy.element, &mut copy.attribute] {
            if let NameRange::Other(other) = name {
                *other = text(*other);
            }
        }
        if let BaseSelector::Codebase(codebase) = &mut copy.wants {
            *codebase = text(*codebase);
        }
        copy.alternatives = self.copy_alternatives(found, from, window);
        copy
    }

    /// Drops the texts of an adopted reference and all texts stored after it.
    pub fn drop_texts_from(&mut self, adopted: &FoundReference) {
        let (TextRange::Window(start, _) | TextRange::Stored(start, _)) = adopted.text;
        self.store.truncate(start as usize);
        self.alternatives.truncate(adopted.alternatives.0 as usize);
    }

    /// Copies the other readings of a reference of another batch.
    pub fn copy_alternatives(
        &mut self,
        found: &FoundReference,
        from: &Batch,
        window: &[u8],
    ) -> (u32, u32) {
        let start = self.alternatives.len() as u32;
        for &text in from.alternatives(found) {
            let text = self.store(from.bytes(text, window));
            self.alternatives.push(text);
        }
        (start, self.alternatives.len() as u32)
    }

    /// Appends an event.
    pub fn push(&mut self, event: Event) {
        self.list.push(event);
    }

    /// Stores bytes and says where.
    pub fn store(&mut self, bytes: &[u8]) -> TextRange {
        self.store_with(|store| store.extend_from_slice(bytes))
    }

    /// Stores what `write` appends.
    pub fn store_with(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> TextRange {
        let start = self.store.len();
        write(&mut self.store);
        TextRange::Stored(start as u32, self.store.len() as u32)
    }

    /// Stores other readings of a reference, for [`FoundReference::alternatives`].
    pub fn store_alternatives(&mut self, texts: &[TextRange]) -> (u32, u32) {
        let start = self.alternatives.len();
        self.alternatives.extend_from_slice(texts);
        (start as u32, self.alternatives.len() as u32)
    }

    /// The bytes of a text, given the window that the batch came from.
    pub fn bytes<'a>(&'a self, text: TextRange, window: &'a [u8]) -> &'a [u8] {
        match text {
            TextRange::Window(start, end) => &window[start as usize..end as usize],
            TextRange::Stored(start, end) => &self.store[start as usize..end as usize],
        }
    }

    /// The other readings of a reference.
    pub fn alternatives(&self, found: &FoundReference) -> &[TextRange] {
        let (start, end) = found.alternatives;
        &self.alternatives[start as usize..end as usize]
    }
}
