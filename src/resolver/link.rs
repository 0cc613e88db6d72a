//! The product: links, diagnostics, and whoever takes them.

use std::borrow::Cow;
use std::fmt;

use super::base_scope::{self, BaseScope};
use super::labels::PartLabels;
use crate::bytes::lines::Position;
use crate::bytes::steps::step;
use crate::document::diagnostic::Code;
use crate::document::events::{BaseSelector, Context, FoundReference, NameRange, Span, TextRange};
use crate::document::flags::Flags;
use crate::uri::unwrap::Unwrapper;
use crate::uri::{self, Reference, ResolveErrorKind};

/// A reference with its place and what it resolves to.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Link<'a> {
    /// The enclosed document that it stands in; none for a plain document.
    pub member: Option<&'a str>,
    /// Line and column of the span's start, when asked for.
    pub position: Option<Position>,
    /// From the reference's first to its last byte.
    pub span: Span,
    /// The reference as cleaned.
    pub reference: &'a [u8],
    /// The absolute URI, or why there is none.
    pub target: Result<&'a [u8], ResolveErrorKind>,
    /// The base URI that resolution used, and what named it (`content:base`); none when nothing was
    /// inherited or no base is known.
    pub base: Option<(&'a [u8], &'a str)>,
    /// Where it stands.
    pub context: Context,
    /// The element in lower case, if any.
    pub element: Option<&'a str>,
    /// The attribute or the header field in lower case, if any.
    pub attribute: Option<&'a str>,
    /// What was done to it and what is odd about it.
    pub flags: Flags,
    /// Other readings, best first.
    pub alternatives: &'a [&'a [u8]],
    /// What the target stands for where a mail gateway has rewritten it, when asked for.
    pub unwrapped: Option<&'a [u8]>,
    /// What is known of the message or the record, and of its part.
    pub part: LinkMember<'a>,
}

impl Link<'_> {
    /// The reference, if it is UTF-8.
    #[must_use]
    pub fn reference_str(&self) -> Option<&str> {
        std::str::from_utf8(self.reference).ok()
    }

    /// The target, if there is one and it is UTF-8.
    #[must_use]
    pub fn target_str(&self) -> Option<&str> {
        std::str::from_utf8(self.target.ok()?).ok()
    }

    /// The base, if resolution used one and it is UTF-8.
    #[must_use]
    pub fn base_str(&self) -> Option<&str> {
        std::str::from_utf8(self.base?.0).ok()
    }
}

/// What is known of the message or the record that a link stands in, and of its part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LinkMember<'a> {
    /// The message's identifier.
    pub message_id: Option<&'a str>,
    /// Offset of the message's first byte in the archive, decompressed.
    pub message_offset: Option<u64>,
    /// The message's date, sender and subject; none where there is no message, or nobody asks.
    pub envelope: Option<Envelope<'a>>,
    /// Offset in the compressed file of the gzip member, or whatever a file is made of, in which
    /// that byte is; none where nothing is compressed.
    pub member_offset: Option<u64>,
    /// The part's media type.
    pub media_type: Option<&'a str>,
    /// Its declared charset.
    pub charset: Option<&'a str>,
    /// The part of the same message that the link names (RFC 2557, RFC 2392).
    pub target_part: Option<&'a str>,
}

/// The date, the sender and the subject of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Envelope<'a> {
    /// The date as a time of UTC (RFC 3339 section 5.6); none where it cannot be read.
    pub date: Option<&'a str>,
    /// The address of the first author, at most 512 bytes.
    pub from: Option<&'a str>,
    /// The subject, decoded, at most 512 bytes.
    pub subject: Option<&'a str>,
}

/// Something that readers of a document's links should know, once for each document and code.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Diagnostic<'a> {
    /// The enclosed document, if any.
    pub member: Option<&'a str>,
    /// What it is.
    pub code: &'static Code,
    /// How often it occurred.
    pub count: u64,
    /// Offset of the first occurrence.
    pub offset: u64,
}

impl fmt::Display for Diagnostic<'_> {
    /// In words, on one line.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(member) = self.member {
            write!(formatter, "{member}: ")?;
        }
        let (code, count, offset) = (self.code, self.count, self.offset);
        write!(formatter, "{} ({}, ", code.message, code.name)?;
        match count {
            1 => write!(formatter, "at byte {offset})"),
            _ => write!(formatter, "{count} times, first at byte {offset})"),
        }
    }
}

/// Takes what an extractor finds, in document order.
pub trait Sink {
    /// Takes a link.
    fn link(&mut self, link: &Link<'_>);

    /// Takes a diagnostic; by default it is left aside.
    fn diagnostic(&mut self, _diagnostic: &Diagnostic<'_>) {}

    /// Takes a place that a fragment can name, and its offset; by default it is left aside.
    fn anchor(&mut self, _name: &[u8], _offset: u64) {}

    /// The document was read by every rule of its format, because of the rule named; by default
    /// nobody counts.
    fn exact(&mut self, _rule: &'static str) {}

    /// The document at hand is about to take much memory. Whoever reads several at once may let this
    /// one wait here, until few others do; by default it goes on.
    fn heavy(&mut self) {}

    /// The document is read once more: its anchors so far do not count.
    fn restart(&mut self) {}
}

impl<F: FnMut(&Link<'_>)> Sink for F {
    fn link(&mut self, link: &Link<'_>) {
        self(link);
    }
}

/// Resolves references into buffers of its own and hands the links on.
#[derive(Debug)]
pub(super) struct LinkWriter {
    pub(super) unwrapper: Option<Unwrapper>,
    /// The longest codebase that is honoured, in bytes.
    pub(super) longest_base: usize,
    target: Vec<u8>,
    codebase: Vec<u8>,
}

impl Default for LinkWriter {
    fn default() -> Self {
        LinkWriter {
            unwrapper: None,
            longest_base: usize::MAX,
            target: Vec::new(),
            codebase: Vec::new(),
        }
    }
}

/// What records name as the source of an element's codebase.
const CODEBASE: &str = "content:codebase";

impl LinkWriter {
    /// Hands on one reference as a link, resolved against the bases of its document's frame.
    pub(super) fn emit<'a>(
        &mut self,
        (frames, index): (&[BaseScope], usize),
        labels: &mut PartLabels,
        found: &FoundReference,
        alternatives: &[TextRange],
        bytes: impl Fn(TextRange) -> &'a [u8],
        sink: &mut impl Sink,
    ) {
        let frame = &frames[index];
        let reference = bytes(found.text);
        let own;
        let (resolver, base) = match found.wants {
            BaseSelector::Document | BaseSelector::Refresh => {
                (&frame.by_document, frame.document_base())
            }
            BaseSelector::Fallback => (&frame.by_fallback, frame.fallback_base()),
            BaseSelector::Nothing => {
                own = uri::Resolver::without_base(frame.rules());
                (&own, None)
            }
            BaseSelector::Codebase(text) => match self.codebase(frame, bytes(text)) {
                Some(resolver) => {
                    own = resolver;
                    (&own, Some((self.codebase.as_slice(), CODEBASE)))
                }
                None => (&frame.by_document, frame.document_base()),
            },
        };
        self.target.clear();
        let (target, inherits) = if names_message(reference) {
            (Ok(reference), false)
        } else {
            match resolver.resolve_into(reference, &mut self.target) {
                Ok(_) if found.wants == BaseSelector::Refresh && is_script(&self.target) => {
                    (Err(ResolveErrorKind::InvalidReference), false)
                }
                Ok(resolved) => (Ok(self.target.as_slice()), resolved.inherits_base()),
                Err(error) => (Err(error.kind()), !has_scheme(reference)),
            }
        };
        let mut flags = found.flags;
        if inherits && frame.is_chained() && found.wants == BaseSelector::Document {
            flags |= Flags::BASE_CHAINED;
        }
        let target_part = match target {
            Ok(target) if labels.may_name(target) => labels.part(target, &scopes(frames, index)),
            _ => None,
        };
        let unwrapped = match (&self.unwrapper, target) {
            (Some(unwrapper), Ok(target)) => unwrapper.unwrap(target),
            _ => None,
        };
        let heading = &frame.heading;
        let element = name(found.element, &bytes);
        let attribute = name(found.attribute, &bytes);
        let alternatives: Vec<&[u8]> = alternatives.iter().map(|&text| bytes(text)).collect();
        sink.link(&Link {
            member: frame.member(),
            position: found.position,
            span: found.span,
            reference,
            target,
            base: base.filter(|_| inherits),
            context: found.context,
            element: element.as_deref(),
            attribute: attribute.as_deref(),
            flags,
            alternatives: &alternatives,
            unwrapped: unwrapped.as_deref(),
            part: LinkMember {
                message_id: heading.message_id.as_deref(),
                message_offset: heading.message_offset,
                envelope: heading
                    .envelope
                    .as_deref()
                    .map(base_scope::EnvelopeText::read),
                // Only who decompresses knows.
                member_offset: None,
                media_type: some(&heading.media_type),
                charset: some(&heading.charset),
                target_part,
            },
        });
    }

    /// The resolver of an element's codebase, which resolves against the document's base.
    fn codebase(&mut self, frame: &BaseScope, codebase: &[u8]) -> Option<uri::Resolver> {
        self.codebase.clear();
        if codebase.len() > self.longest_base {
            return None;
        }
        let by_document = &frame.by_document;
        by_document
            .resolve_into(codebase, &mut self.codebase)
            .ok()?;
        let mut resolver = uri::Resolver::new(&self.codebase, frame.rules()).ok()?;
        resolver.set_encoding(frame.encoding);
        Some(resolver)
    }
}

/// `cid:` and `mid:` references are their own targets (RFC 2392).
fn names_message(reference: &[u8]) -> bool {
    reference.get(3) == Some(&b':') && Reference::split(reference).names_message()
}

fn is_script(target: &[u8]) -> bool {
    Reference::split(target)
        .scheme
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"javascript"))
}

fn some(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// The identities of the frames in which the labels that a document can use count, the innermost
/// first.
fn scopes(frames: &[BaseScope], index: usize) -> Vec<u64> {
    let chain = std::iter::successors(Some(index), |&index| frames[index].parent);
    chain
        .inspect(|_| step(1))
        .filter(|&index| {
            let heading = &frames[index].heading;
            heading.related || heading.names_parts
        })
        .map(|index| frames[index].id)
        .collect()
}

fn has_scheme(reference: &[u8]) -> bool {
    Reference::split(reference.trim_ascii()).scheme.is_some()
}

fn name<'a>(name: NameRange, bytes: impl Fn(TextRange) -> &'a [u8]) -> Option<Cow<'a, str>> {
    match name {
        NameRange::None => None,
        NameRange::Known(name) => Some(Cow::Borrowed(name)),
        NameRange::Other(text) => Some(String::from_utf8_lossy(bytes(text))),
    }
}
