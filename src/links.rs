//! The links of a document in memory, as values that own their bytes.

use std::vec;

use crate::bytes::lines::Position;
use crate::document::Format;
use crate::document::events::{Context, Quoting, Span};
use crate::document::flags::Flags;
use crate::extractor::{Document, Extractor, ExtractorOptions, Positions};
use crate::linker::{Envelope, Link, LinkDescription, LinkMember, WebRecord};
use crate::uri::{Base, BaseSource, ResolveErrorKind};

/// Returns the links of a document, in document order, with their lines and columns.
///
/// `base` is the URI that the document was retrieved from, or a default (RFC 2396 sections 5.1.3 and
/// 5.1.4); a base that the document declares wins. All links are found before the first is
/// returned. [`Extractor`] takes options, lends the links instead of copying them, and reads streams.
///
/// ```
/// use uriscan::{Format, links};
///
/// let text = b"Yes, Jim, I found it under <http://www.example.com/rfc/\n rfc1738.txt>";
/// let link = links(text, Format::TEXT, None).next().unwrap();
/// assert_eq!(link.target_str(), Some("http://www.example.com/rfc/rfc1738.txt"));
/// assert_eq!((link.span.start, link.span.end), (28, 68));
/// ```
pub fn links(bytes: &[u8], format: &'static Format, base: Option<&Base>) -> Links {
    let options = ExtractorOptions::default().with_positions(Positions::Lines);
    let mut found = Vec::new();
    let mut sink = |link: &Link<'_>| found.push(OwnedLink::from(link));
    Extractor::new(&options).extract_bytes(&Document::new(format, base), bytes, &mut sink);
    Links(found.into_iter())
}

/// The iterator that [`links()`] returns.
#[derive(Clone, Debug)]
pub struct Links(vec::IntoIter<OwnedLink>);

impl Iterator for Links {
    type Item = OwnedLink;

    fn next(&mut self) -> Option<OwnedLink> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for Links {}

/// A [`Link`] that owns its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OwnedLink {
    /// The enclosed document that holds the reference, such as a part of a message.
    pub member: Option<String>,
    /// Line and column of the start of the span.
    pub position: Option<Position>,
    /// The bytes of the document from which the reference was read.
    pub span: Span,
    /// The reference after unescaping and removal of line breaks.
    pub reference: Vec<u8>,
    /// The absolute URI, or the reason why the reference has none.
    pub target: Result<Vec<u8>, ResolveErrorKind>,
    /// The base URI that resolution used; `None` if nothing was inherited or no base is known.
    pub base: Option<Vec<u8>>,
    /// The source of the base.
    pub base_source: Option<BaseSource>,
    /// The kind of syntax around the reference.
    pub context: Context,
    /// The escapes of the bytes in the span.
    pub quoting: Quoting,
    /// The element, in lower case.
    pub element: Option<String>,
    /// The attribute or the header field, in lower case.
    pub attribute: Option<String>,
    /// The changes made to the reference, and its peculiarities.
    pub flags: Flags,
    /// Other readings of the reference, the likeliest first.
    pub alternatives: Vec<Vec<u8>>,
    /// The link of a gateway that was resolved before, if unwrapping is enabled and the target was inside.
    pub unwrapped_from: Option<Vec<u8>>,
    /// The message or record, and the part.
    pub part: OwnedMember,
    /// The description in markup, if it is requested.
    pub description: Option<LinkDescription<String>>,
}

/// A [`LinkMember`] that owns its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OwnedMember {
    /// The message's identifier.
    pub message_id: Option<String>,
    /// Offset of the message's first byte in the archive, decompressed.
    pub message_offset: Option<u64>,
    /// The message's fields; `None` outside messages, or if not enabled.
    pub envelope: Option<Envelope>,
    /// The bytes of the name of the member of an archive, where they are not UTF-8.
    pub name_bytes: Option<Vec<u8>>,
    /// Offset in the compressed file of the member (of gzip, say) that holds that byte.
    pub member_offset: Option<u64>,
    /// The number of compressed bytes of the record, or of the member that holds it.
    pub member_length: Option<u64>,
    /// The record of a web archive.
    pub record: Option<WebRecord<String>>,
    /// The part's media type.
    pub media_type: Option<String>,
    /// The part's declared charset.
    pub charset: Option<String>,
    /// The part of the same message that the link names (RFC 2557, RFC 2392).
    pub target_part: Option<String>,
    /// The part's file name, if asked for.
    pub filename: Option<String>,
    /// The part's disposition, if asked for.
    pub disposition: Option<String>,
    /// The offset of the part, or of its header, in the document, if it is stored there unencoded.
    pub part_offset: Option<u64>,
}

impl From<&LinkMember<'_>> for OwnedMember {
    fn from(part: &LinkMember<'_>) -> Self {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let record = |record: &WebRecord<&str>| record.map(|text| (*text).to_owned());
        OwnedMember {
            message_id: owned(part.message_id),
            message_offset: part.message_offset,
            envelope: part.envelope.cloned(),
            name_bytes: part.name_bytes.map(<[u8]>::to_vec),
            member_offset: part.member_offset,
            member_length: part.member_length,
            record: part.record.map(record),
            media_type: owned(part.media_type),
            charset: owned(part.charset),
            target_part: owned(part.target_part),
            filename: owned(part.filename),
            disposition: owned(part.disposition),
            part_offset: part.part_offset,
        }
    }
}

impl OwnedLink {
    /// The reference, if it is UTF-8.
    #[must_use]
    pub fn reference_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.reference).ok()
    }

    /// The target, if it exists and is UTF-8.
    #[must_use]
    pub fn target_str(&self) -> Option<&str> {
        std::str::from_utf8(self.target.as_ref().ok()?).ok()
    }

    /// The base, if it was used and is UTF-8.
    #[must_use]
    pub fn base_str(&self) -> Option<&str> {
        std::str::from_utf8(self.base.as_ref()?).ok()
    }
}

impl From<&Link<'_>> for OwnedLink {
    fn from(link: &Link<'_>) -> Self {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let description = |one: LinkDescription<&str>| one.map(|text| (*text).to_owned());
        OwnedLink {
            member: owned(link.member),
            position: link.position,
            span: link.span,
            reference: link.reference.to_vec(),
            target: link.target.map(<[u8]>::to_vec),
            base: link.base.map(|base| base.uri.to_vec()),
            base_source: link.base.and_then(|base| base.source()),
            context: link.context,
            quoting: link.quoting,
            element: owned(link.element),
            attribute: owned(link.attribute),
            flags: link.flags,
            alternatives: link.alternatives.iter().map(|text| text.to_vec()).collect(),
            unwrapped_from: link.unwrapped_from.map(<[u8]>::to_vec),
            part: link.part.into(),
            description: link.description.map(description),
        }
    }
}
