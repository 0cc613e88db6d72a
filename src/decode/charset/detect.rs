//! The encoding of a document by its first bytes, and whether the document is converted.

use encoding_rs::{Encoding, REPLACEMENT, UTF_8};

/// The number of first bytes that are searched for a declaration (WHATWG HTML 13.2.3.2).
pub(crate) const PRESCAN: usize = 1024;

/// Finds the encoding that a document declares for itself in its first bytes.
pub(crate) type Prescan = fn(&[u8]) -> Option<&'static Encoding>;

/// The result of the search for a document's encoding in its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detected {
    /// The encoding; none when nothing declares one, "replacement" for UTF-32.
    pub encoding: Option<&'static Encoding>,
    /// Length of the byte order mark, in bytes.
    pub mark: usize,
    /// Whether a byte order mark or the transport declares it, so that no `meta` element changes it.
    pub is_certain: bool,
}

impl Detected {
    pub(crate) const fn unmarked(encoding: Option<&'static Encoding>, is_certain: bool) -> Self {
        Detected {
            encoding,
            mark: 0,
            is_certain,
        }
    }
}

/// Length of the byte order mark of UTF-32, which the Encoding Standard does not have, and of its code units.
pub(super) const UTF_32_MARK: usize = 4;
/// The number of first bytes by which UTF-32 is recognised.
pub(super) const UTF_32_HEAD: usize = 16;

/// Returns whether a text starts with a byte order mark of UTF-16 or UTF-32, and so may hold NUL.
pub(crate) fn is_wide(head: &[u8]) -> bool {
    head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") || is_utf_32(head)
}

/// The same bytes are one of UTF-16 before a NUL, or no mark: the first characters have to be in Unicode.
pub(super) fn is_utf_32(head: &[u8]) -> bool {
    let fits = |plane: usize, above: usize| {
        let mut units = head.chunks_exact(4).take(UTF_32_HEAD / 4);
        units.all(|unit| unit[above] == 0 && unit[plane] <= 0x10)
    };
    head.starts_with(b"\xff\xfe\0\0") && fits(2, 3)
        || head.starts_with(b"\0\0\xfe\xff") && fits(1, 0)
}

/// Which documents of a format are converted to UTF-8 before they are scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conversion {
    /// None: the scanner decodes them itself.
    Never,
    /// Those in which bytes of markup may stand for something else.
    WhereNeeded,
    /// All documents with a known encoding other than UTF-8.
    Always,
}

/// Detects the encoding of a document from its first [`PRESCAN`] bytes, or all there are: by a byte order mark,
/// else by the declaration of the transport or the user, else by the format's prescan.
pub(crate) fn detect(
    prescan: Option<Prescan>,
    declared: Option<&'static Encoding>,
    first: &[u8],
) -> Detected {
    let utf_32 = is_utf_32(first).then_some((REPLACEMENT, UTF_32_MARK));
    if let Some((encoding, mark)) = utf_32.or_else(|| Encoding::for_bom(first)) {
        let unmarked = Detected::unmarked(Some(encoding), true);
        return Detected { mark, ..unmarked };
    }
    let found = prescan.and_then(|prescan| prescan(&first[..first.len().min(PRESCAN)]));
    Detected::unmarked(declared.or(found), declared.is_some())
}

/// Returns the encoding that a declaration in ASCII names: UTF-8 in place of UTF-16, which has no ASCII, and of
/// encodings without a decoder.
pub(crate) fn readable_encoding(label: &[u8]) -> Option<&'static Encoding> {
    Encoding::for_label(label).map(Encoding::output_encoding)
}

/// Returns whether scanners can read an encoding only after conversion.
pub(crate) fn needs_transcoding(encoding: &'static Encoding) -> bool {
    !encoding.is_ascii_compatible()
}

pub(crate) fn converts(conversion: Conversion, encoding: Option<&'static Encoding>) -> bool {
    encoding.is_some_and(|encoding| match conversion {
        Conversion::Never => false,
        Conversion::WhereNeeded => needs_transcoding(encoding),
        Conversion::Always => encoding != UTF_8,
    })
}
