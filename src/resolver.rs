//! Layer 4: events to links. A stack of base URIs (RFC 2396 section 5.1), and the references that
//! wait until their base is known.

use crate::bytes::lines::Position;
use crate::document::diagnostic::Code;
use crate::document::events::{Context, Span};
use crate::document::flags::Flags;

/// A reference with its place and what it resolves to.
#[derive(Clone, Debug)]
pub struct Link<'a> {
    /// The enclosed document that it stands in; none for a plain document.
    pub member: Option<&'a str>,
    /// Line and column of the span's start, when asked for.
    pub position: Option<Position>,
    /// From the reference's first to its last byte.
    pub span: Span,
    /// The reference as cleaned.
    pub reference: &'a [u8],
    /// The absolute URI, or why there is none: the name of the error in records.
    pub target: Result<&'a [u8], &'static str>,
    /// The base URI that resolution used, and what named it; none when nothing was inherited.
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
}

/// Something that readers of a document's links should know, once for each document and code.
#[derive(Clone, Debug)]
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

/// Takes what an extractor finds, in document order.
pub trait Sink {
    /// Takes a link.
    fn link(&mut self, link: &Link<'_>);

    /// Takes a diagnostic; by default it is left aside.
    fn diagnostic(&mut self, _diagnostic: &Diagnostic<'_>) {}
}

impl<F: FnMut(&Link<'_>)> Sink for F {
    fn link(&mut self, link: &Link<'_>) {
        self(link);
    }
}
