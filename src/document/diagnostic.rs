//! What readers of the links should know about a document: coded, counted, one row each.

use crate::decode::charset::labels::LabelFault;
use crate::decode::compression::DecompressFault;

/// What a diagnostic says about the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Worth knowing.
    Note,
    /// A container is damaged: the exit code says so.
    Damage,
}

/// A kind of diagnostic.
#[derive(Debug)]
pub struct Code {
    /// The name in records.
    pub name: &'static str,
    /// One sentence.
    pub message: &'static str,
    /// What it means for the run.
    pub effect: Effect,
}

macro_rules! codes {
    ($($constant:ident = $name:literal, $effect:ident, $message:literal;)*) => {
        $(
            #[doc = concat!("`", $name, "`: ", $message, ".")]
            pub static $constant: Code =
                Code { name: $name, message: $message, effect: Effect::$effect };
        )*

        /// Every code.
        pub static CODES: &[&Code] = &[$(&$constant),*];
    };
}

codes! {
    BASE_AFTER_LINKS = "html.base-after-links", Note, "the base element stands behind references that it applies to";
    BASE_SECOND = "html.base-second", Note, "only the first base element with href counts";
    BASE_REFUSED = "html.base-refused", Note, "the base element's reference cannot be a base URI";
    APPROXIMATE = "html.approximate", Note, "the document is beyond the limits of exact parsing";
    VALUE_TOO_LONG = "html.value-too-long", Note, "an attribute value is longer than the limit and was left out";
    SRCDOC_DEPTH = "html.srcdoc-depth", Note, "srcdoc documents nest deeper than the limit; the innermost were left out";
    HELD_LIMIT = "html.held-limit", Note, "too many references before the base was known; they resolve against the base known so far";
    COMPRESS_TRUNCATED = "compress.truncated", Damage, "the compressed data ends too early";
    COMPRESS_CORRUPT = "compress.corrupt", Damage, "the compressed data is damaged";
    COMPRESS_WINDOW = "compress.window-limit", Damage, "the compressed data needs a window above the limit of 128 MiB and was left out";
    COMPRESS_UNSUPPORTED = "compress.unsupported", Damage, "the compressed data needs a dictionary or a feature that is not supported and was left out";
    COMPRESS_TRAILING = "compress.trailing-garbage", Damage, "something else follows the compressed data";
    GZIP_TRAILING = "gzip.trailing-garbage", Note, "something else follows the gzip members";
    RATIO_LIMIT = "archive.ratio-limit", Damage, "the compressed data grows beyond all measure; the rest was left out";
    DEPTH_LIMIT = "archive.depth-limit", Damage, "compressed data nests deeper than the limit";
    FROM_LINE_IN_BODY = "mbox.from-line-in-body", Note, "a line of the body looks like a separator and is none";
    CONTENT_LENGTH_MISMATCH = "mbox.content-length-mismatch", Note, "the Content-Length field does not lead to a separator and was ignored";
    LEADING_JUNK = "mbox.leading-junk", Note, "text stands before the first message";
    NUL_BYTES = "mbox.nul-bytes", Note, "a run of NUL bytes was left out";
    MBOX_TRUNCATED = "mbox.truncated", Note, "the file ends inside a header block";
    RNEWS_RESYNC = "rnews.resync", Damage, "an article is longer or shorter than its batch says";
    NO_BLANK_LINE = "header.no-blank-line", Note, "a line that is no header field ends the header block";
    HEADER_TOO_LONG = "header.too-long", Note, "a header field or a header block is longer than the limit and was cut";
    BOUNDARY_MISSING = "mime.boundary-missing", Note, "a multipart entity has no boundary parameter and was read as text";
    BOUNDARY_NEVER_FOUND = "mime.boundary-never-found", Note, "the boundary of a multipart entity never occurs, and it was read as text";
    CLOSE_MISSING = "mime.close-missing", Note, "a multipart entity has no closing delimiter";
    TRANSFER_ON_MULTIPART = "mime.cte-on-multipart", Note, "a multipart entity has a transfer encoding, which was ignored";
    TRANSFER_UNKNOWN = "mime.cte-unknown", Note, "nobody knows the transfer encoding, and the body was read as it is";
    MIME_DEPTH_LIMIT = "mime.depth-limit", Note, "an entity is nested too deep and was read as text";
    LABEL_LIMIT = "mime.label-limit", Note, "too many parts are labelled; the rest cannot be named";
    BAD_ESCAPE = "qp.bad-escape", Note, "an escape of quoted-printable is none and was kept as it is";
    BASE64_GARBAGE = "base64.garbage", Note, "bytes outside the alphabet of base64 were left out";
    BASE64_TRUNCATED = "base64.truncated", Note, "base64 ends inside a byte";
    TRAILING_TEXT = "base64.trailing-text", Note, "clear text stands behind base64 and was read as text";
    CHARSET_UNKNOWN = "charset.unknown", Note, "nobody knows the charset; UTF-8 or windows-1252 was assumed";
    CHARSET_MALFORMED = "charset.malformed", Note, "some bytes mean nothing in the declared charset";
    CHARSET_UNSUPPORTED = "charset.unsupported", Note, "the charset cannot be decoded, and the text was read as it is";
    OPAQUE = "body.opaque", Note, "an encrypted or opaque body was not read";
}

impl From<DecompressFault> for &'static Code {
    fn from(fault: DecompressFault) -> Self {
        match fault {
            DecompressFault::Truncated => &COMPRESS_TRUNCATED,
            DecompressFault::Corrupt => &COMPRESS_CORRUPT,
            DecompressFault::Memory => &COMPRESS_WINDOW,
            DecompressFault::Unsupported => &COMPRESS_UNSUPPORTED,
            DecompressFault::TrailingGarbage => &COMPRESS_TRAILING,
            DecompressFault::GzipTrailingGarbage => &GZIP_TRAILING,
            DecompressFault::RatioLimit => &RATIO_LIMIT,
            DecompressFault::DepthLimit => &DEPTH_LIMIT,
        }
    }
}

impl From<LabelFault> for &'static Code {
    fn from(fault: LabelFault) -> Self {
        match fault {
            LabelFault::Unknown => &CHARSET_UNKNOWN,
            LabelFault::Unsupported => &CHARSET_UNSUPPORTED,
        }
    }
}
