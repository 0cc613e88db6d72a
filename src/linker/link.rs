//! Links, diagnostics, and the sink that receives them.

use std::fmt;
use std::ops::ControlFlow;

use crate::bytes::lines::Position;
use crate::document::diagnostic::Code;
use crate::document::events::{Context, Quoting, RemarkKind, RuleFamily, Span};
pub use crate::document::events::{Envelope, LinkDescription};
use crate::document::flags::Flags;
use crate::uri::{Base, BaseSource, ResolveErrorKind};

/// A reference, its location and its target.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Link<'a> {
    /// The enclosed document that holds the reference; `None` outside containers.
    pub member: Option<&'a str>,
    /// Line and column of the span's start, if positions are enabled.
    pub position: Option<Position>,
    /// The offsets of the reference in the document.
    pub span: Span,
    /// The reference after unescaping and removal of line breaks.
    pub reference: &'a [u8],
    /// The absolute URI, or the reason why the reference has none.
    pub target: Result<&'a [u8], ResolveErrorKind>,
    /// The base; `None` when the target inherits nothing or no base is known.
    pub base: Option<LinkBase<'a>>,
    /// Links with the same number, which is not 0, are in one member, have the same base or none, and static
    /// names.
    pub(crate) revision: u64,
    /// The kind of syntax around the reference.
    pub context: Context,
    /// The escapes of the bytes in the span, for [`replacement`](crate::rewrite::replacement).
    pub quoting: Quoting,
    /// The element in lower case, if any.
    pub element: Option<&'a str>,
    /// The attribute or the header field in lower case, if any.
    pub attribute: Option<&'a str>,
    /// Repairs and irregularities.
    pub flags: Flags,
    /// Other interpretations of the same text, best first.
    pub alternatives: &'a [&'a [u8]],
    /// The link of a gateway that was resolved before, if unwrapping is enabled and the target was inside.
    pub unwrapped_from: Option<&'a [u8]>,
    /// The message or record, and the part.
    pub part: &'a LinkMember<'a>,
    /// The description in markup, if
    /// [`HtmlOptions::descriptions`](crate::formats::HtmlOptions::descriptions) asks for it.
    pub description: Option<LinkDescription<&'a str>>,
    /// Whether the reference and the target are known to be plain
    /// ([`is_plain`](crate::bytes::simd::is_plain)) and to have no blank.
    pub(crate) is_plain: bool,
}

/// A base URI that a reference was resolved against, and its source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkBase<'a> {
    /// The URI.
    pub uri: &'a [u8],
    /// The source as records name it.
    pub(crate) label: &'a str,
}

impl<'a> LinkBase<'a> {
    /// The source; `None` for a base that nothing names.
    #[must_use]
    pub fn source(&self) -> Option<BaseSource> {
        BaseSource::named(self.label)
    }

    /// The source as records name it, such as `content:base`.
    #[must_use]
    pub fn source_name(&self) -> &'a str {
        self.label
    }
}

impl<'a> Link<'a> {
    /// Creates a link at no place of a member, which has no target.
    pub(crate) fn unresolved(reference: &'a [u8], part: &'a LinkMember<'a>) -> Self {
        Link {
            member: None,
            position: None,
            span: Span::default(),
            reference,
            target: Err(ResolveErrorKind::InvalidReference),
            base: None,
            revision: 0,
            context: Context::Bare,
            quoting: Quoting::default(),
            element: None,
            attribute: None,
            flags: Flags::NONE,
            alternatives: &[],
            unwrapped_from: None,
            part,
            description: None,
            is_plain: false,
        }
    }
}

impl Link<'_> {
    /// The offsets of the reference; `None` in a compressed stream of a PDF, whose offsets [`Link::span`]
    /// holds.
    #[must_use]
    pub fn exact_span(&self) -> Option<Span> {
        (!self.flags.contains(Flags::PACKED)).then_some(self.span)
    }

    /// The offsets in the outermost document, which holds the part of a message; `None` if the part is
    /// encoded, or a file of another file.
    #[must_use]
    pub fn document_span(&self) -> Option<Span> {
        let offset = match self.member {
            None => 0,
            Some(_) => self.part.part_offset?,
        };
        self.exact_span().map(|span| Span {
            start: offset + span.start,
            end: offset + span.end,
        })
    }

    /// The reference, if it is UTF-8.
    #[must_use]
    pub fn reference_str(&self) -> Option<&str> {
        std::str::from_utf8(self.reference).ok()
    }

    /// The target, if it exists and is UTF-8.
    #[must_use]
    pub fn target_str(&self) -> Option<&str> {
        std::str::from_utf8(self.target.ok()?).ok()
    }

    /// The base, if it was used and is UTF-8.
    #[must_use]
    pub fn base_str(&self) -> Option<&str> {
        std::str::from_utf8(self.base?.uri).ok()
    }
}

/// The message or the record that holds a link, and the part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LinkMember<'a> {
    /// The message's identifier.
    pub message_id: Option<&'a str>,
    /// Offset of the message's first byte in the archive, decompressed.
    pub message_offset: Option<u64>,
    /// The message's fields; `None` outside messages, or if not enabled.
    pub envelope: Option<&'a Envelope>,
    /// The bytes of the name of the member of an archive, if not UTF-8.
    pub name_bytes: Option<&'a [u8]>,
    /// Offset in the compressed file of the member (of gzip, say) that holds that byte.
    ///
    /// `None` if the file is not compressed.
    pub member_offset: Option<u64>,
    /// The number of compressed bytes of the record, or of the member that holds it.
    pub member_length: Option<u64>,
    /// The record of a web archive.
    pub record: Option<&'a WebRecord<&'a str>>,
    /// The part's media type.
    pub media_type: Option<&'a str>,
    /// The part's declared charset.
    pub charset: Option<&'a str>,
    /// The part of the same message that the link names (RFC 2557, RFC 2392).
    pub target_part: Option<&'a str>,
    /// The part's file name, if `MailOptions::message_fields` asks for it.
    pub filename: Option<&'a str>,
    /// The part's disposition in lower case, if `MailOptions::message_fields` asks for it.
    pub disposition: Option<&'a str>,
    /// The offset of the part, or of its header, in the document, if it is stored there unencoded.
    pub part_offset: Option<u64>,
}

impl LinkMember<'_> {
    /// Returns whether the link is in a message, a record or a member: anything but its fields on request is known.
    pub(crate) fn is_known(&self) -> bool {
        let text = self.message_id.or(self.media_type);
        let text = text.or(self.charset).or(self.target_part);
        let number = self.message_offset.or(self.member_offset);
        let number = number.or(self.member_length);
        let is_named = self.name_bytes.is_some() || self.record.is_some();
        text.is_some() || number.is_some() || is_named
    }
}

/// A record of a web archive: fields of its header, and of the HTTP response in it; in `&str` or in `String`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WebRecord<T> {
    /// The identifier, in angle brackets (ISO 28500, `WARC-Record-ID`).
    pub id: Option<T>,
    /// The URI that was retrieved.
    pub target_uri: Option<T>,
    /// The status code of the response.
    pub http_status: Option<u16>,
    /// The media type, as the response has it, else the record.
    pub content_type: Option<T>,
    /// Why the record does not hold everything.
    pub truncated: Option<T>,
    /// The type of the record.
    pub warc_type: Option<T>,
    /// The date of the retrieval, as written.
    pub warc_date: Option<T>,
    /// The language of the response, as its header has it.
    pub content_language: Option<T>,
    /// The digest of the payload, as written (ISO 28500, `WARC-Payload-Digest`).
    pub payload_digest: Option<T>,
}

impl<T> WebRecord<T> {
    /// Returns the same with other texts.
    pub(crate) fn map<'s, U>(&'s self, mut map: impl FnMut(&'s T) -> U) -> WebRecord<U> {
        WebRecord {
            id: self.id.as_ref().map(&mut map),
            target_uri: self.target_uri.as_ref().map(&mut map),
            http_status: self.http_status,
            content_type: self.content_type.as_ref().map(&mut map),
            truncated: self.truncated.as_ref().map(&mut map),
            warc_type: self.warc_type.as_ref().map(&mut map),
            warc_date: self.warc_date.as_ref().map(&mut map),
            content_language: self.content_language.as_ref().map(&mut map),
            payload_digest: self.payload_digest.as_ref().map(&mut map),
        }
    }
}

/// Something that readers of a document's links should know, once for each document and code.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Diagnostic<'a> {
    /// The enclosed document, if any.
    pub member: Option<&'a str>,
    /// The kind of diagnostic.
    pub code: &'static Code,
    /// The number of occurrences.
    pub count: u64,
    /// Offset of the first occurrence.
    pub offset: u64,
}

impl<'a> Diagnostic<'a> {
    pub(crate) fn new(member: Option<&'a str>, code: &'static Code, offset: u64) -> Self {
        let count = 1;
        Diagnostic {
            member,
            code,
            count,
            offset,
        }
    }
}

impl fmt::Display for Diagnostic<'_> {
    /// Formats the diagnostic as one line.
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

/// A remark in a document for those who check it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Remark<'a> {
    /// The kind.
    pub kind: RemarkKind,
    /// The text of the comment, or the label.
    pub text: &'a [u8],
    /// The bytes of the document.
    pub span: Span,
    /// Line and column of the end of a comment, or of the start of a link.
    pub position: Option<Position>,
}

/// The archive that a document is a member of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Enclosure {
    /// The URI of its root, with a slash at its end.
    pub(crate) root: Vec<u8>,
    /// The meaning of references to the root and above.
    pub(crate) kind: EnclosureKind,
}

/// The meaning of references to the root of an archive and above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EnclosureKind {
    /// A `..` stops at the root.
    Archive,
    /// A `..` stops at the root, which is a mistake; a leading slash is the root (OCF 3.3, 4.2.5;
    /// ECMA-376 part 2, 6.2).
    Package,
    /// A `..` leaves the archive (ODF 1.2 part 3, 3.7); a leading slash is the root.
    Open,
}

/// Where a document comes from.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct DocumentContext<'a> {
    /// The rules that the references of its format follow.
    pub family: RuleFamily,
    /// The retrieval or default base.
    pub base: Option<&'a Base>,
    /// The base in its place if an archive declares it and it is too long.
    pub(crate) outer: Option<&'a Base>,
    /// The URI of the root of the tree that the document is in.
    pub(crate) tree: Option<&'a [u8]>,
    /// The archive that the document is in.
    pub(crate) enclosure: Option<&'a Enclosure>,
    /// The number of archives around the document.
    pub(crate) depth: usize,
}

impl<'a> DocumentContext<'a> {
    /// Creates the context of a document that is in no tree and no archive.
    pub fn new(family: RuleFamily, base: Option<&'a Base>) -> Self {
        DocumentContext {
            family,
            base,
            outer: None,
            tree: None,
            enclosure: None,
            depth: 0,
        }
    }
}

/// Anything but a link that is found in a document.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Found<'a> {
    /// A diagnostic.
    Diagnostic(Diagnostic<'a>),
    /// A name that fragments can refer to, and its offset.
    Anchor(&'a [u8], u64),
    /// A remark, before the links that follow it.
    #[doc(hidden)]
    Remark(Remark<'a>),
    /// A file in a message that no scanner reads.
    #[doc(hidden)]
    Attachment(&'a Attachment<'a>),
    /// An enclosed document ends.
    #[doc(hidden)]
    Member(FoundMember<'a>),
    /// The document is read by every rule of its format, because of the named rule.
    #[doc(hidden)]
    Exact(&'static str),
    /// The current document is about to need much memory.
    ///
    /// One of several sinks may block here until few others need much.
    #[doc(hidden)]
    Heavy,
    /// The document is read again: its anchors and remarks so far do not apply.
    Restart,
}

/// An enclosed document: a message, a record of a web archive, or a member of an archive.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FoundMember<'a> {
    /// The name.
    pub member: Option<&'a str>,
    /// The message or the record.
    pub part: &'a LinkMember<'a>,
    /// The length in bytes, if the document was read as a whole.
    pub bytes: Option<u64>,
    /// The kind of the document, if it was not read.
    pub skipped: Option<&'a str>,
}

impl<'a> FoundMember<'a> {
    /// Creates a document in no other one, of unknown length.
    pub(crate) fn new(part: &'a LinkMember<'a>) -> Self {
        FoundMember {
            member: None,
            part,
            bytes: None,
            skipped: None,
        }
    }
}

/// A file in a message.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Attachment<'a> {
    /// The part that holds the file.
    pub member: &'a str,
    /// The decoded bytes.
    pub contents: &'a [u8],
    /// The name that the message gives the file; empty if it has none.
    pub file_name: &'a [u8],
    /// The declared media type.
    pub media_type: &'a str,
    /// The URI of the directory that the file is in, by the base of the part.
    pub directory: Option<Base>,
    /// The message.
    pub message: LinkMember<'a>,
    /// The number of archives around the message.
    pub depth: usize,
}

/// Receives links, and whatever else is found, in document order.
///
/// A closure that takes a link is a sink, which ignores everything else and never stops. Its argument
/// needs a type: `|link: &Link<'_>|`.
pub trait Sink {
    /// Receives a link; after `Break` nothing more of the document is read or received.
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()>;

    /// Receives anything but a link; ignored by default.
    fn event(&mut self, _found: &Found<'_>) {}
}

impl<F: FnMut(&Link<'_>)> Sink for F {
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
        self(link);
        ControlFlow::Continue(())
    }
}

macro_rules! pass_on {
    ($($sink:ty),*) => {$(
        impl Sink for $sink {
            fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
                (**self).link(link)
            }

            fn event(&mut self, found: &Found<'_>) {
                (**self).event(found);
            }
        }
    )*};
}

// For every type of sink they would overlap with closures.
pass_on!(&mut dyn Sink, Box<dyn Sink + '_>, Box<dyn Sink + Send + '_>);
