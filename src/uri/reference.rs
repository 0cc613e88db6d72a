//! Splits references into components. Splitting never fails and never copies.

use crate::bytes::class::{ByteSet, split_once};

/// RFC 1808 section 2.2: `scheme = 1*( alpha | digit | "+" | "-" | "." )`.
///
/// The later RFCs require a letter first.
pub(crate) const SCHEME: ByteSet = ByteSet::ALPHANUMERIC.with(b"+-.");
/// The delimiters of the regular expression of RFC 2396 Appendix B.
const GENERAL_DELIMITER: ByteSet = ByteSet::EMPTY.with(b":/?#");

/// Returns the length of the scheme that a reference begins with, without its colon (RFC 3986, section 3.1).
pub(crate) fn scheme_length(reference: &[u8]) -> Option<usize> {
    let length = SCHEME.first_outside(reference)?;
    (reference[length] == b':' && reference[0].is_ascii_alphabetic()).then_some(length)
}

/// The five components of a URI reference, RFC 2396 and RFC 3986 Appendix B.
///
/// `None` is an undefined component, `Some(b"")` one that is defined and empty; the path is always
/// defined. The split does not validate: see [`validate()`](super::validate()).
///
/// ```
/// use uriscan::Reference;
///
/// let parts = Reference::split(b"http://www.example.com?#top");
/// assert_eq!(parts.scheme, Some(&b"http"[..]));
/// assert_eq!(parts.authority, Some(&b"www.example.com"[..]));
/// assert_eq!(parts.path, b"");
/// assert_eq!(parts.query, Some(&b""[..]));
/// assert_eq!(parts.fragment, Some(&b"top"[..]));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reference<'a> {
    /// Before the first `:`.
    pub scheme: Option<&'a [u8]>,
    /// The authority, between `//` and the next `/`, `?` or `#`.
    pub authority: Option<&'a [u8]>,
    /// Up to the first `?` or `#`.
    pub path: &'a [u8],
    /// The query, between the first `?` and the first `#`.
    pub query: Option<&'a [u8]>,
    /// After the first `#`.
    pub fragment: Option<&'a [u8]>,
}

impl<'a> Reference<'a> {
    /// Splits a reference as `^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?` does.
    #[must_use]
    pub fn split(reference: &'a [u8]) -> Self {
        let ends = Ends::of(reference);
        let after = |mark, start, end| (start < end).then(|| &reference[start + mark..end]);
        Self {
            scheme: ends.has_scheme().then(|| &reference[..ends.scheme - 1]),
            authority: after(2, ends.scheme, ends.authority),
            path: &reference[ends.authority..ends.path],
            query: after(1, ends.path, ends.query),
            fragment: after(1, ends.query, reference.len()),
        }
    }
}

/// The ends of the components of Appendix B with their delimiters; a defined component is not empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ends {
    /// Past the `:`; 0 without a scheme.
    pub(crate) scheme: usize,
    /// The index at which the path begins.
    pub(crate) authority: usize,
    /// The index of the query's `?`, else the end of the path.
    pub(crate) path: usize,
    /// The index of the fragment's `#`, else the end of the reference.
    pub(crate) query: usize,
}

impl Ends {
    pub(crate) fn of(reference: &[u8]) -> Self {
        let scheme = match GENERAL_DELIMITER.first_inside(reference) {
            Some(at) if at > 0 && reference[at] == b':' => at + 1,
            _ => 0,
        };
        let query = memchr::memchr(b'#', reference).unwrap_or(reference.len());
        let path = memchr::memchr(b'?', &reference[..query]).unwrap_or(query);
        let authority = match reference[scheme..path].strip_prefix(b"//") {
            Some(after) => scheme + 2 + memchr::memchr(b'/', after).unwrap_or(after.len()),
            None => scheme,
        };
        Self {
            scheme,
            authority,
            path,
            query,
        }
    }

    pub(crate) const fn has_scheme(&self) -> bool {
        self.scheme > 0
    }

    pub(crate) const fn has_authority(&self) -> bool {
        self.authority > self.scheme
    }

    pub(crate) const fn has_query(&self) -> bool {
        self.query > self.path
    }
}

/// The six components of an RFC 1808 URL (section 2.1).
///
/// An absent component and an empty one are the same.
///
/// ```
/// use uriscan::uri::Reference1808;
///
/// let parts = Reference1808::split(b"//g;x?y/z;p?q");
/// assert_eq!((parts.net_loc, parts.path), (&b"g;x?y"[..], &b"/z"[..]));
/// assert_eq!((parts.params, parts.query), (&b"p"[..], &b"q"[..]));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reference1808<'a> {
    /// Section 2.4.2; may start with a digit.
    pub scheme: &'a [u8],
    /// Section 2.4.3: between `//` and the next `/`; may hold `?` and `;`.
    pub net_loc: &'a [u8],
    /// Section 2.4.6: the rest.
    pub path: &'a [u8],
    /// Section 2.4.5: after the first `;` of the rest.
    pub params: &'a [u8],
    /// Section 2.4.4: after the first `?`.
    pub query: &'a [u8],
    /// Section 2.4.1: after the first `#`.
    pub fragment: &'a [u8],
    /// Whether `//` precedes the network location; recombination keeps the slashes of an empty one.
    pub(crate) slashes: bool,
}

impl<'a> Reference1808<'a> {
    /// Splits a URL in the order of section 2.4.
    ///
    /// Fragment, scheme, network location, query, parameters, path.
    #[must_use]
    pub fn split(reference: &'a [u8]) -> Self {
        let mut parts = Reference1808::default();
        let (mut rest, fragment) = split_once(reference, b'#');
        parts.fragment = fragment.unwrap_or_default();
        if let Some(at) = SCHEME.first_outside(rest)
            && at > 0
            && rest[at] == b':'
        {
            parts.scheme = &rest[..at];
            rest = &rest[at + 1..];
        }
        if let Some(after) = rest.strip_prefix(b"//") {
            let end = memchr::memchr(b'/', after).unwrap_or(after.len());
            parts.slashes = true;
            parts.net_loc = &after[..end];
            rest = &after[end..];
        }
        let (rest, query) = split_once(rest, b'?');
        parts.query = query.unwrap_or_default();
        let (path, params) = split_once(rest, b';');
        parts.params = params.unwrap_or_default();
        parts.path = path;
        parts
    }
}
