//! Events, which scanners report, and the bytes that events refer to.

use std::fmt;
use std::ops::Range;

use encoding_rs::Encoding;

use super::diagnostic::Code;
use super::flags::Flags;
use crate::bytes::lines::Position;
use crate::bytes::window::Window;
use crate::uri::ByteClasses;

/// A half-open pair of offsets in the document, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u64,
    /// Offset after the last byte.
    pub end: u64,
}

impl Span {
    pub(crate) fn of(range: &Range<usize>, window: &Window<'_>) -> Self {
        Span::at(window.offset, range)
    }

    /// Returns the span of a range in bytes that begin at an offset.
    pub(crate) fn at(offset: u64, range: &Range<usize>) -> Self {
        let (start, end) = (offset + range.start as u64, offset + range.end as u64);
        Span { start, end }
    }
}

/// A window of a document, and its events.
pub(crate) struct WindowEvents<'w, 'e> {
    pub(crate) window: Window<'w>,
    pub(crate) events: &'w mut Events<'e>,
}

impl WindowEvents<'_, '_> {
    pub(crate) fn diagnose(&mut self, code: &'static Code, at: usize) {
        let offset = self.window.offset_at(at);
        self.events.push(Event::Diagnostic(code, offset));
    }

    pub(crate) fn span(&self, range: &Range<usize>) -> Span {
        Span::of(range, &self.window)
    }
}

/// The bytes of a reference or a name: a range of the window, or of the batch's store, which holds
/// text that a scanner had to decode or clean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextRange {
    /// `window.bytes[start..end]`.
    Window(u32, u32),
    /// A range of the batch's store.
    Stored(u32, u32),
}

impl TextRange {
    /// Returns a range of the window.
    pub fn window(range: Range<usize>) -> Self {
        TextRange::Window(range.start as u32, range.end as u32)
    }

    /// Returns the first `length` bytes of the range.
    pub fn first(self, length: usize) -> Self {
        let cut = |start: u32, end: u32| {
            end.min(start.saturating_add(length.min(u32::MAX as usize) as u32))
        };
        match self {
            TextRange::Window(start, end) => TextRange::Window(start, cut(start, end)),
            TextRange::Stored(start, end) => TextRange::Stored(start, cut(start, end)),
        }
    }
}

/// The name of an element, an attribute or a header field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameRange {
    /// No name.
    None,
    /// A name from a table.
    Known(&'static str),
    /// Any other name, in lower case.
    Other(TextRange),
}

/// Maximum length in bytes of a name that records repeat: an element, a member, an identifier.
pub(crate) const MAX_NAME_LEN: usize = 8 << 10;

impl NameRange {
    /// Creates a name, one byte too long if it is longer than [`MAX_NAME_LEN`].
    pub fn other(text: TextRange) -> Self {
        NameRange::Other(text.first(MAX_NAME_LEN + 1))
    }
}

/// Cuts a name that is longer than [`MAX_NAME_LEN`] before the character there; returns whether it did.
pub(crate) fn cut_name(name: &[u8]) -> (&[u8], bool) {
    if name.len() <= MAX_NAME_LEN {
        return (name, false);
    }
    let starts = |at: &usize| !(0x80..0xC0).contains(&name[*at]);
    let end = (MAX_NAME_LEN - 3..=MAX_NAME_LEN).rev().find(starts);
    (&name[..end.unwrap_or(MAX_NAME_LEN)], true)
}

named! {
    /// The syntax around a reference in its document.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Context {
        /// Text between angle brackets (RFC 2396 Appendix E).
        Angle = "angle",
        /// Text between double quotes (RFC 2396 Appendix E).
        Quoted = "quoted",
        /// Text without delimiters.
        Bare = "bare",
        /// A terminal hyperlink, `ESC ]8;;`.
        Osc8 = "osc8",
        /// Text that starts with `www.` (RFC 2396 Appendix F).
        Www = "www",
        /// A mail address in text.
        Email = "email",
        /// An attribute of a markup element, or the data of a script element.
        Attribute = "attribute",
        /// CSS in a style attribute or a style element.
        Style = "style",
        /// Character data of a markup document.
        Text = "text",
        /// A header field of a message or a response.
        Header = "header",
        /// A comment.
        Comment = "comment",
    }
}

displayed_by_name!(Context);

/// The escapes of one syntax around a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Escapes {
    /// None that is known: only characters that no format escapes can be written.
    Plain,
    /// The name of a file in markup: no escapes, and none of the characters that end it.
    Name,
    /// An item of a list, or a string of a script: no escapes, and no white space, commas or quotes.
    Item,
    /// Character references of HTML, in quotes or in text.
    Html,
    /// Character references of HTML, without quotes.
    HtmlUnquoted,
    /// Character references of XML.
    Xml,
    /// Escapes of a string of JSON.
    Json,
    /// Escapes of CSS, in a string or in `url()`.
    Css,
    /// Character references in a destination of Markdown, which has no white space.
    Markdown,
    /// A cross reference of AsciiDoc, which may lack the `#` before an identifier, or the extension of a file.
    CrossReference,
    /// Code units of UTF-16, the low byte first.
    Utf16Le,
    /// Code units of UTF-16, the high byte first.
    Utf16Be,
    /// Nothing can be written: the bytes are encoded, or elsewhere.
    Encoded,
}

/// The escapes of the syntaxes around a reference, such as CSS in an attribute of HTML.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Quoting([Option<Escapes>; 5]);

impl Quoting {
    /// The escapes of a document as a whole: none.
    pub(crate) const DOCUMENT: Quoting = Quoting([None; 5]);

    pub(crate) const fn of(escapes: Escapes) -> Self {
        Quoting([Some(escapes), None, None, None, None])
    }

    /// Returns the escapes inside the syntaxes of an outer text.
    #[inline]
    pub(crate) fn within(self, outer: Quoting) -> Self {
        if outer.0[0].is_none() {
            return self;
        }
        let mut all = self.0;
        for escapes in outer.escapes() {
            match all.iter_mut().find(|place| place.is_none()) {
                Some(place) => *place = Some(escapes),
                None => return Quoting::default(),
            }
        }
        Quoting(all)
    }

    /// Returns whether the document is in code units of two bytes.
    pub(crate) fn is_wide(self) -> bool {
        let is_wide = |escapes| matches!(escapes, Escapes::Utf16Le | Escapes::Utf16Be);
        self.escapes().any(is_wide)
    }

    /// Returns the escapes of each syntax, the innermost first.
    pub fn escapes(self) -> impl Iterator<Item = Escapes> {
        self.0.into_iter().map_while(|escapes| escapes)
    }
}

impl Default for Quoting {
    fn default() -> Self {
        Quoting::of(Escapes::Encoded)
    }
}

impl fmt::Debug for Quoting {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.escapes()).finish()
    }
}

/// The base that a reference is resolved against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseSelector {
    /// The document's base URI.
    Document,
    /// The document's base URI, for a meta refresh: a `javascript:` URI is refused (WHATWG HTML,
    /// "shared declarative refresh steps").
    Refresh,
    /// The base that the document would have without its BASE element.
    Fallback,
    /// The same; the target gets a fragment, which is not part of the reference.
    FallbackWithFragment(TextRange),
    /// The element's codebase, which is resolved against the document's base URI.
    Codebase(TextRange),
    /// The root of the tree that the document is in; the document's base URI if that is not known.
    Tree,
    /// The package that the document is in; the document's base URI if it is in none.
    Package,
    /// None: the reference must be absolute.
    Nothing,
}

/// A reference that a scanner found.
#[derive(Clone, Copy, Debug)]
pub struct FoundReference {
    /// The bytes of the document from which the reference was read.
    pub span: Span,
    /// Line and column of the start of the span; `None` if the caller determines them.
    pub position: Option<Position>,
    /// The reference, without additions of the format such as line breaks or character references.
    pub text: TextRange,
    /// The classes of the bytes of the text, if the scanner knows them.
    pub classes: ByteClasses,
    /// The syntax around the reference.
    pub context: Context,
    /// The escapes of the bytes in the span.
    pub quoting: Quoting,
    /// The element, if any.
    pub element: NameRange,
    /// The attribute or the header field, if any.
    pub attribute: NameRange,
    /// The changes made to the reference, and its peculiarities.
    pub flags: Flags,
    /// The base that the reference is resolved against.
    pub base: BaseSelector,
    /// The reference to resolve instead, such as one with the suffix that its format leaves out.
    pub resolves_as: Option<TextRange>,
    /// Other readings, the likeliest first: a range of the batch's alternatives.
    pub alternatives: (u32, u32),
    /// The description of the link: a range of the batch's descriptions, of one at most.
    pub description: (u32, u32),
}

/// The description of a link in markup (WHATWG HTML, "links"), in `&str` or in `String`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LinkDescription<T> {
    /// The text that a reader sees of an `a` or `area` element, at most 128 scalar values.
    pub text: Option<T>,
    /// The link types, in lower case, with a space between two.
    pub rel: Option<T>,
    /// The language of the target, as written.
    pub hreflang: Option<T>,
    /// The advisory text.
    pub title: Option<T>,
}

impl<T> LinkDescription<T> {
    /// Returns the same with other texts.
    pub(crate) fn map<'s, U>(&'s self, mut map: impl FnMut(&'s T) -> U) -> LinkDescription<U> {
        LinkDescription {
            text: self.text.as_ref().map(&mut map),
            rel: self.rel.as_ref().map(&mut map),
            hreflang: self.hreflang.as_ref().map(&mut map),
            title: self.title.as_ref().map(&mut map),
        }
    }
}

impl FoundReference {
    /// Returns a reference without names or flags, for the document's base.
    #[inline]
    pub fn new(span: Span, text: TextRange, context: Context) -> Self {
        FoundReference {
            span,
            position: None,
            text,
            classes: ByteClasses::default(),
            context,
            quoting: Quoting::of(Escapes::Plain),
            element: NameRange::None,
            attribute: NameRange::None,
            flags: Flags::default(),
            base: BaseSelector::Document,
            resolves_as: None,
            alternatives: (0, 0),
            description: (0, 0),
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

/// The family of formats, which decides the rules of resolution by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RuleFamily {
    /// Markup: the WHATWG URL standard, as browsers use it.
    Markup,
    /// Everything else: RFC 3986 in its corrected form, which keeps the written form.
    #[default]
    Plain,
}

/// The start of an enclosed document.
#[derive(Clone, Copy, Debug)]
pub struct Enter {
    /// The name of the document in its container; `None` for its host's name.
    pub member: Option<TextRange>,
    /// The family of its format.
    pub family: RuleFamily,
    /// The base that its heading names; without one the enclosing base is inherited.
    pub base: Option<EntityBase>,
}

/// The heading of the document that was entered last, without its base.
#[derive(Clone, Copy, Debug, Default)]
pub struct EntityHeading {
    /// The heading of a message or a record, which collects the diagnostics of all its parts.
    pub message: Option<MessageHeading>,
    /// The media type.
    pub media_type: Option<TextRange>,
    /// The declared charset.
    pub charset: Option<TextRange>,
    /// The file name and the disposition of the part, if the options ask for them.
    pub file: [Option<TextRange>; 2],
    /// References may name it by this URI reference (RFC 2557 section 4.2).
    pub location: Option<TextRange>,
    /// `cid:` references may name it by this identifier (RFC 2392).
    pub content_id: Option<TextRange>,
    /// The offset in the outermost document of its bytes, or of its heading, if they are stored there
    /// unencoded.
    pub stored_at: Option<u64>,
    /// Whether the labels of enclosed documents are visible here and inside: the document is a
    /// `multipart/related` (RFC 2557 section 5).
    pub related: bool,
    /// Whether the document is a message: a `cid:` reference anywhere in a message may name any of its
    /// parts (RFC 2392).
    pub names_parts: bool,
    /// Whether [`Event::Readable`] in one of the enclosed documents drops those before it: only the last
    /// part of a `multipart/alternative` is used.
    pub keeps_last: bool,
}

/// A message or a record in an archive.
#[derive(Clone, Copy, Debug)]
pub struct MessageHeading {
    /// The identifier.
    pub id: Option<TextRange>,
    /// The offset of the first byte in the archive.
    pub offset: u64,
}

/// Raw values of the fields of a message that records show.
#[derive(Clone, Copy, Debug)]
pub struct RawEnvelope {
    /// The values, in the form of the decoder.
    pub fields: TextRange,
    /// The decoder of all.
    pub decode: fn(&[u8]) -> Envelope,
    /// Whether `MailOptions::message_fields` asks for all.
    pub is_whole: bool,
}

/// The fields of a message that records show. All but the first three are `None` and empty unless
/// `MailOptions::message_fields` asks for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Envelope {
    /// The date in UTC (RFC 3339 section 5.6); `None` if no field has a readable one.
    pub date: Option<String>,
    /// The address of the first author, at most 512 bytes.
    pub from: Option<String>,
    /// The subject, decoded, at most 512 bytes.
    pub subject: Option<String>,
    /// What gave the date: `date`, `iso8601` or `from-line`.
    pub date_source: Option<&'static str>,
    /// The name of the first author, decoded.
    pub from_name: Option<String>,
    /// The first address of Reply-To.
    pub reply_to: Option<String>,
    /// The addresses of To.
    pub to: Vec<String>,
    /// The value of To, decoded.
    pub to_text: Option<String>,
    /// The addresses of Cc.
    pub cc: Vec<String>,
    /// The first identifier of In-Reply-To, in angle brackets.
    pub in_reply_to: Option<String>,
    /// The first and the last identifier of References.
    pub references: Vec<String>,
    /// The identifier of the mailing list (RFC 2919), without brackets.
    pub list_id: Option<String>,
    /// The labels of X-Gmail-Labels.
    pub labels: Vec<String>,
}

/// An event of a document. Scanners report events in document order.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event {
    /// An enclosed document begins.
    Enter(Enter),
    /// The heading of the enclosed document.
    Heading(EntityHeading),
    /// The envelope of the enclosed message, after its heading, if the options ask for it.
    Envelope(RawEnvelope),
    /// The offset of the end of the enclosed message, before it is left.
    End(u64),
    /// The enclosed document ends, and is settled.
    Leave,
    /// The base that the document names itself (RFC 2396 section 5.1.1), and its offset.
    Base(TextRange, u64),
    /// No later event changes this document's base or retracts its references.
    Settled,
    /// Drops everything since the document's `Enter`: it is scanned again from its first byte.
    Restart(RestartHints),
    /// A part that can be read begins, and replaces earlier alternatives.
    Readable,
    /// The encoding of the document, for the queries of its references.
    Encoding(&'static Encoding),
    /// A reference.
    Reference(FoundReference),
    /// A name that a fragment can refer to, and its offset, if
    /// [`FormatOptions::anchors`](super::FormatOptions) asks for them.
    Anchor(TextRange, u64),
    /// A remark, if [`FormatOptions::anchors`](super::FormatOptions) asks for anchors.
    Remark(FoundRemark),
    /// The slow, exact path read the document; the name of the rule that needed it, for statistics.
    Exact(&'static str),
    /// A diagnostic, with the offset of its first occurrence.
    Diagnostic(&'static Code, u64),
    /// The enclosed document is a file that scanners cannot read, as a whole.
    Attachment(FoundAttachment),
}

/// A file in a message.
#[derive(Clone, Copy, Debug)]
pub struct FoundAttachment {
    /// The decoded bytes.
    pub contents: TextRange,
    /// The name that the message gives the file; empty if it has none.
    pub file_name: TextRange,
    /// The declared media type.
    pub media_type: TextRange,
}

/// A remark that a scanner found.
#[derive(Clone, Copy, Debug)]
pub struct FoundRemark {
    /// The kind.
    pub kind: RemarkKind,
    /// The text of the comment, or the label.
    pub text: TextRange,
    /// The bytes of the document.
    pub span: Span,
    /// Line and column of [`FoundRemark::place`]; `None` if the caller determines them.
    pub position: Option<Position>,
}

/// The kinds of remarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemarkKind {
    /// A comment that begins with `uriscan-ignore`.
    Ignore,
    /// A reference link whose label is not defined.
    UndefinedLabel,
    /// A label that references in all documents of the tree can name.
    Label,
    /// A reference to a label, which any document of the tree may have.
    LabelReference,
    /// A use of the name of a title or a target of the same document; the text is its identifier.
    NameReference,
    /// The title of the document, if [`HtmlOptions::titles`](super::html::HtmlOptions) asks for it.
    Title,
}

impl Event {
    pub(crate) fn remark(kind: RemarkKind, text: TextRange, span: Span) -> Self {
        Event::Remark(FoundRemark {
            kind,
            text,
            span,
            position: None,
        })
    }
}

impl FoundRemark {
    /// Returns the offset whose position is wanted: the last byte of a comment, the first of a link.
    pub fn place(&self) -> u64 {
        match self.kind {
            RemarkKind::Ignore => self.span.end.saturating_sub(1),
            _ => self.span.start,
        }
    }
}

/// The findings of an earlier pass over the same document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RestartHints {
    /// Whether the exact path is needed.
    pub exact: bool,
    /// The encoding that the earlier pass found.
    pub encoding: Option<&'static Encoding>,
    /// Whether the document declares that encoding: later declarations are ignored (WHATWG HTML
    /// 13.2.3.4).
    pub declared: bool,
}

/// The number of enclosed documents that are open in a stream of events.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenDocuments(usize);

impl OpenDocuments {
    /// Follows an event; returns whether it belongs to the outermost document.
    pub fn is_outermost(&mut self, event: &Event) -> bool {
        match event {
            Event::Enter(_) => self.0 += 1,
            Event::Leave => self.0 = self.0.saturating_sub(1),
            _ => return self.0 == 0,
        }
        false
    }
}

/// A position in a batch of events, for [`Events::rollback`].
#[derive(Clone, Copy, Debug)]
pub struct EventMark {
    events: usize,
    store: usize,
    alternatives: usize,
    descriptions: usize,
}

/// Processes the events of a full batch while the scanner is still at work on the window.
pub(crate) type Flush<'f> = dyn FnMut(&mut Events<'_>) + 'f;

/// The number of events that a batch with a [`Flush`] holds, about 2 MiB.
const FULL: usize = 16 << 10;
/// Stored bytes beyond this number are dropped where possible.
const STORE_LIMIT: usize = 1 << 20;

/// Events, with a store of the bytes that are not in the window.
#[derive(Debug, Default)]
pub struct Batch {
    /// The events, in document order.
    pub list: Vec<Event>,
    store: Vec<u8>,
    alternatives: Vec<TextRange>,
    descriptions: Vec<LinkDescription<TextRange>>,
}

/// A batch of events that is being filled.
///
/// The events of a window can take far more memory than the window: 2 million references in one
/// attribute of 4 MiB. A batch with a [`Flush`] is flushed when it is full, without its stored bytes.
#[derive(Default)]
pub struct Events<'f> {
    /// The events so far.
    pub batch: Batch,
    relief: Option<&'f mut Flush<'f>>,
    /// References were released before their document was settled: it must not be read again.
    pub is_released: bool,
    /// The number of open marks. While there are any, nothing is flushed.
    marks: usize,
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

impl From<Batch> for Events<'_> {
    fn from(batch: Batch) -> Self {
        Events {
            batch,
            ..Events::default()
        }
    }
}

impl<'f> Events<'f> {
    /// Returns a batch that is flushed when it is full.
    pub fn with_flush(batch: Batch, relief: &'f mut Flush<'f>) -> Self {
        Events {
            relief: Some(relief),
            ..Events::from(batch)
        }
    }

    /// Returns whether the batch would be flushed if it were full.
    pub fn can_flush(&self) -> bool {
        self.relief.is_some() && self.marks == 0
    }

    /// Flushes the batch, unless there is an open mark.
    #[cold]
    fn flush(&mut self) {
        if self.marks > 0 {
            return;
        }
        if let Some(relief) = self.relief.take() {
            relief(self);
            self.list.clear();
            self.relief = Some(relief);
        }
    }

    /// Flushes the batch at the end of a window.
    pub fn end_window(&mut self) {
        self.marks = 0;
        self.flush();
    }

    /// Drops stored bytes. Only for a scanner none of whose later events refers to them.
    pub fn forget_stored(&mut self) {
        if self.store.len() > STORE_LIMIT && self.can_flush() {
            self.flush();
            self.clear_texts();
        }
    }

    /// Returns a mark for [`Events::rollback`]; nothing is flushed before that or [`Events::keep`].
    pub fn mark(&mut self) -> EventMark {
        self.marks += 1;
        EventMark {
            events: self.list.len(),
            ..self.text_mark()
        }
    }

    /// Drops everything since a mark of the same batch.
    pub fn rollback(&mut self, mark: EventMark) {
        self.marks = self.marks.saturating_sub(1);
        self.list.truncate(mark.events);
        self.drop_texts(mark);
    }

    /// Keeps everything since a mark.
    pub fn keep(&mut self, _mark: EventMark) {
        self.marks = self.marks.saturating_sub(1);
    }

    /// Appends an event. The limit is checked afterwards, so that the event is built in place.
    #[inline]
    pub fn push(&mut self, event: Event) {
        self.batch.list.push(event);
        if self.batch.list.len() > FULL {
            self.flush();
        }
    }
}

impl Batch {
    /// Empties the batch and keeps its memory.
    pub fn clear(&mut self) {
        self.list.clear();
        self.clear_texts();
    }

    fn clear_texts(&mut self) {
        self.store.clear();
        self.alternatives.clear();
        self.descriptions.clear();
    }

    fn text_mark(&self) -> EventMark {
        EventMark {
            events: 0,
            store: self.store.len(),
            alternatives: self.alternatives.len(),
            descriptions: self.descriptions.len(),
        }
    }

    fn drop_texts(&mut self, mark: EventMark) {
        self.store.truncate(mark.store);
        self.alternatives.truncate(mark.alternatives);
        self.descriptions.truncate(mark.descriptions);
    }

    /// Returns the restart that the outermost document requests, not one that it encloses.
    pub fn outermost_restart(&self, open: &mut OpenDocuments) -> Option<RestartHints> {
        let mut own = self.list.iter().filter(|event| open.is_outermost(event));
        own.find_map(|event| match *event {
            Event::Restart(hints) => Some(hints),
            _ => None,
        })
    }

    /// Returns the number of bytes in use.
    pub fn size(&self) -> usize {
        self.store.len() + self.list.len() * size_of::<Event>()
    }

    /// Returns an event of another batch, with its bytes copied into the store.
    pub fn adopt(&mut self, event: &Event, from: &Batch, window: &[u8]) -> Event {
        let mut copy = *event;
        let mut own = |text: &mut TextRange| *text = self.store(from.bytes(*text, window));
        match &mut copy {
            Event::Enter(enter) => {
                enter.member.iter_mut().for_each(&mut own);
                if let Some(base) = &mut enter.base {
                    own(&mut base.reference);
                    match &mut base.source {
                        EntityBaseField::ContentBase(part)
                        | EntityBaseField::ContentLocation(part) => own(part),
                        EntityBaseField::SnapshotContentLocation => {}
                    }
                }
            }
            Event::Heading(heading) => {
                let message = heading.message.as_mut();
                let [filename, disposition] = &mut heading.file;
                let texts = [
                    message.and_then(|message| message.id.as_mut()),
                    heading.media_type.as_mut(),
                    heading.charset.as_mut(),
                    filename.as_mut(),
                    disposition.as_mut(),
                    heading.location.as_mut(),
                    heading.content_id.as_mut(),
                ];
                texts.into_iter().flatten().for_each(own);
            }
            Event::Envelope(envelope) => own(&mut envelope.fields),
            Event::Attachment(FoundAttachment {
                contents,
                file_name,
                media_type,
            }) => [contents, file_name, media_type].into_iter().for_each(own),
            Event::Base(text, _)
            | Event::Anchor(text, _)
            | Event::Remark(FoundRemark { text, .. }) => own(text),
            Event::Reference(found) => *found = self.adopt_reference(found, from, window),
            _ => {}
        }
        copy
    }

    /// Returns a reference of another batch, with its bytes copied into the store.
    #[inline]
    pub fn adopt_reference(
        &mut self,
        found: &FoundReference,
        from: &Batch,
        window: &[u8],
    ) -> FoundReference {
        let mut own = |text: &mut TextRange| *text = self.store(from.bytes(*text, window));
        let mut copy = *found;
        // INVARIANT: the reference itself is the first text that is stored of it.
        own(&mut copy.text);
        copy.resolves_as.iter_mut().for_each(&mut own);
        for name in [&mut copy.element, &mut copy.attribute] {
            if let NameRange::Other(other) = name {
                own(other);
            }
        }
        if let BaseSelector::Codebase(other) | BaseSelector::FallbackWithFragment(other) =
            &mut copy.base
        {
            own(other);
        }
        let own = |text: &TextRange| self.store(from.bytes(*text, window));
        let description = from.description(found).map(|ranges| ranges.map(own));
        copy.description = self.store_description(description);
        let start = self.alternatives.len() as u32;
        for &text in from.alternatives(found) {
            let text = self.store(from.bytes(text, window));
            self.alternatives.push(text);
        }
        copy.alternatives = (start, self.alternatives.len() as u32);
        copy
    }

    /// Drops the texts of an adopted reference and all texts stored after it.
    pub fn drop_texts_from(&mut self, adopted: &Event) {
        let mut mark = self.text_mark();
        let first = match adopted {
            Event::Reference(found) => {
                mark.alternatives = found.alternatives.0 as usize;
                mark.descriptions = found.description.0 as usize;
                found.text
            }
            Event::Attachment(found) => found.contents,
            _ => return,
        };
        let (TextRange::Window(start, _) | TextRange::Stored(start, _)) = first;
        mark.store = start as usize;
        self.drop_texts(mark);
    }

    /// Appends an event.
    pub fn push(&mut self, event: Event) {
        self.list.push(event);
    }

    /// Stores bytes and returns their range.
    pub fn store(&mut self, bytes: &[u8]) -> TextRange {
        self.store_with(|store| store.extend_from_slice(bytes))
    }

    /// Stores the codebase of a reference: of one longer than `longest` enough to be refused.
    pub fn store_codebase(&mut self, base: &[u8], longest: usize) -> BaseSelector {
        let stored = &base[..base.len().min(longest.saturating_add(1))];
        BaseSelector::Codebase(self.store(stored))
    }

    /// Stores the bytes that `write` appends, and returns their range.
    pub fn store_with(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> TextRange {
        let start = self.store.len();
        write(&mut self.store);
        TextRange::Stored(start as u32, self.store.len() as u32)
    }

    /// Stores other readings of a reference, for [`FoundReference::alternatives`].
    pub fn store_alternatives(&mut self, texts: &[TextRange]) -> (u32, u32) {
        let start = self.alternatives.len() as u32;
        self.alternatives.extend_from_slice(texts);
        (start, self.alternatives.len() as u32)
    }

    /// Stores the description of a link, for [`FoundReference::description`].
    pub fn store_description(
        &mut self,
        description: Option<LinkDescription<TextRange>>,
    ) -> (u32, u32) {
        let start = self.descriptions.len();
        self.descriptions.extend(description);
        (start as u32, self.descriptions.len() as u32)
    }

    /// Returns the bytes of a range, given the window that the batch came from.
    pub fn bytes<'a>(&'a self, text: TextRange, window: &'a [u8]) -> &'a [u8] {
        match text {
            TextRange::Window(start, end) => &window[start as usize..end as usize],
            TextRange::Stored(start, end) => &self.store[start as usize..end as usize],
        }
    }

    /// Whether there are other readings of a reference or a description of the link.
    #[inline]
    pub fn has_details(&self, found: &FoundReference) -> bool {
        let (readings, descriptions) = (found.alternatives, found.description);
        readings.0 != readings.1 || descriptions.0 != descriptions.1
    }

    /// Returns the other readings of a reference.
    pub fn alternatives(&self, found: &FoundReference) -> &[TextRange] {
        let (start, end) = found.alternatives;
        &self.alternatives[start as usize..end as usize]
    }

    /// Returns the description of a link.
    pub fn description(&self, found: &FoundReference) -> Option<&LinkDescription<TextRange>> {
        let (start, end) = found.description;
        self.descriptions[start as usize..end as usize].first()
    }
}
