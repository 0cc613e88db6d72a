//! What fragments name (WHATWG HTML 7.4.6.4, "find a potential indicated element").

use std::borrow::Cow;

use percent_encoding::percent_decode;

/// A target without its fragment, and the fragment.
///
/// ```
/// use uriscan::audit::fragment::split;
/// assert_eq!(split(b"http://example.com/a?b#c"), (&b"http://example.com/a?b"[..], Some(&b"c"[..])));
/// assert_eq!(split(b"http://example.com/"), (&b"http://example.com/"[..], None));
/// ```
pub fn split(target: &[u8]) -> (&[u8], Option<&[u8]>) {
    match memchr::memchr(b'#', target) {
        Some(at) => (&target[..at], Some(&target[at + 1..])),
        None => (target, None),
    }
}

/// What a document must have for a fragment to name a place in it; none where any document will
/// do: the fragment is empty, or `top`, or only tells the browser to look for text.
pub fn wanted(fragment: &[u8]) -> Option<&[u8]> {
    // What stands behind `:~:` is no part of the fragment.
    let end = memchr::memmem::find(fragment, b":~:").unwrap_or(fragment.len());
    let fragment = &fragment[..end];
    let anywhere = fragment.is_empty() || fragment.eq_ignore_ascii_case(b"top");
    (!anywhere).then_some(fragment)
}

/// A fragment with its percent-encoded bytes decoded; a sign without two digits stays.
///
/// ```
/// use uriscan::audit::fragment::decoded;
/// assert_eq!(&*decoded(b"a%20b"), b"a b");
/// assert_eq!(&*decoded(b"100%"), b"100%");
/// ```
pub fn decoded(fragment: &[u8]) -> Cow<'_, [u8]> {
    percent_decode(fragment).into()
}
