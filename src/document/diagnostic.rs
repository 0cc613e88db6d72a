//! Diagnostics: peculiarities of a document that affect its links. One row per code.

use crate::decode::charset::LabelFault;
#[cfg(feature = "compression")]
use crate::decode::compression::DecompressFault;

/// The consequence of a diagnostic for the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Information; the exit code stays.
    Note,
    /// An encrypted message was not read.
    Encrypted,
    /// A message in a signature was not read.
    Signed,
    /// Another body was not read.
    Opaque,
    /// A container is damaged: the exit code is 2.
    Damage,
}

impl Effect {
    /// Documents in messages that are not read, each with its noun.
    pub(crate) const UNREAD: [(Effect, &'static str); 3] = [
        (Effect::Encrypted, "encrypted message"),
        (Effect::Signed, "signed message"),
        (Effect::Opaque, "opaque part"),
    ];
}

/// A kind of diagnostic.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Code {
    /// The name in records.
    pub name: &'static str,
    /// The meaning in one sentence, without a full stop.
    pub message: &'static str,
    /// The consequence for the run.
    pub effect: Effect,
}

impl std::fmt::Display for Code {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(self.name)
    }
}

macro_rules! codes {
    ($($constant:ident = $name:literal, $effect:ident, $message:literal;)*) => {
        $(
            #[doc = concat!("`", $name, "`: ", $message, ".")]
            pub(crate) static $constant: Code =
                Code { name: $name, message: $message, effect: Effect::$effect };
        )*

        /// Every kind of diagnostic, to compare with [`Diagnostic::code`](crate::Diagnostic::code).
        pub mod codes {
            $(
                #[doc = concat!("`", $name, "`: ", $message, ".")]
                pub const $constant: &crate::document::diagnostic::Code =
                    &crate::document::diagnostic::$constant;
            )*
        }

        /// Every code.
        pub static CODES: &[&Code] = &[$(&$constant),*];
    };
}

/// `body.opaque` for an encrypted body.
pub(crate) static ENCRYPTED: Code = Code {
    name: "body.opaque",
    message: "an encrypted body was not read",
    effect: Effect::Encrypted,
};

/// `body.opaque` for a body inside a signature.
pub(crate) static SIGNED: Code = Code {
    name: "body.opaque",
    message: "a body inside a signature was not read",
    effect: Effect::Signed,
};

codes! {
    HTML_BASE_LATE = "html.base-after-links", Note,
        "the base element appears after references that it applies to";
    HTML_BASE_SECOND = "html.base-second", Note, "only the first base element with href is used";
    BASE_TOO_LONG = "base.too-long", Note, "a base is longer than the limit and was refused";
    RECORD_NAME_TOO_LONG = "record.name-too-long", Note,
        "a name that records repeat is longer than 8 KiB and was cut";
    HTML_BASE_REFUSED = "html.base-refused", Note, "the base element's reference cannot be a base URI";
    HTML_APPROXIMATE = "html.approximate", Note, "the document exceeds the limits of exact parsing";
    HTML_VALUE_TOO_LONG = "html.value-too-long", Note,
        "an attribute value, a tag or the text of an element is longer than the limit and was not read as a whole";
    HTML_SRCDOC_DEPTH = "html.srcdoc-depth", Note,
        "srcdoc documents nest deeper than the limit; the innermost were left out";
    CSS_BAD_URL = "css.bad-url", Note, "a url() has characters that no URL may have, and was left out";
    CSS_BAD_STRING = "css.bad-string", Note, "a string ends at a line break, and was left out";
    CSS_URL_MODIFIER = "css.url-modifier", Note, "a url() has modifiers after its string";
    CSS_TOKEN_TOO_LONG = "css.token-too-long", Note,
        "a string or a URL of CSS is longer than the limit and was left out";
    MARKUP_BLOCK_TOO_LONG = "markup.block-too-long", Note,
        "a block of lines is longer than the limit and was cut";
    ADOC_ATTRIBUTE_LIMIT = "adoc.attribute-limit", Note,
        "an attribute exceeds the limits, and references to it are not replaced";
    JSON_NOT_WELL_FORMED = "json.not-well-formed", Note,
        "the document is not well-formed JSON and was read as far as possible";
    JSON_STRING_TOO_LONG = "json.string-too-long", Note,
        "a string of JSON is longer than the limit and was left out";
    JSON_TOO_DEEP = "json.too-deep", Note,
        "arrays and objects nest too deeply; the innermost were left out";
    JSON_HELD_LIMIT = "json.held-limit", Note,
        "a member that others depend on was not found near them and is treated as missing";
    XML_NOT_WELL_FORMED = "xml.not-well-formed", Note,
        "the document is not well-formed XML and was read as far as possible";
    XML_ENTITY_LIMIT = "xml.entity-limit", Note, "entities expand beyond the limit and were left out";
    XML_VALUE_TOO_LONG = "xml.value-too-long", Note,
        "a tag or a text is longer than the limit and was left out";
    XML_DEPTH_LIMIT = "xml.depth-limit", Note, "elements or bases nest deeper than the limit";
    PACKAGE_ENCRYPTED = "package.encrypted", Damage, "the document is encrypted and was not read";
    PDF_XREF_REBUILT = "pdf.xref-rebuilt", Note,
        "the cross references are missing or wrong; the file was searched for its objects";
    PDF_DAMAGED = "pdf.damaged", Damage, "an object or a stream of objects is damaged";
    PDF_LIMIT = "pdf.limit", Damage,
        "the file decompresses beyond the limit, or its objects are read too often; the rest was left out";
    PDF_NO_PAGES = "pdf.no-pages", Damage, "the catalog or its page tree is missing";
    PDF_TOO_LONG = "pdf.too-long", Damage,
        "the file is longer than --max-document, and only its start was read";
    HTML_HELD_LIMIT = "html.held-limit", Note,
        "too many references precede the base element; they resolve against the base known so far";
    COMPRESS_TRUNCATED = "compress.truncated", Damage, "the compressed data ends too early";
    COMPRESS_CORRUPT = "compress.corrupt", Damage, "the compressed data is damaged";
    COMPRESS_WINDOW_LIMIT = "compress.window-limit", Damage,
        "the compressed data needs a window above the limit of 128 MiB and was left out";
    COMPRESS_UNSUPPORTED = "compress.unsupported", Damage,
        "the compressed data needs a dictionary or a feature that is not supported and was left out";
    GZIP_TRAILING_GARBAGE = "gzip.trailing-garbage", Note, "zero bytes follow a gzip member";
    ARCHIVE_RATIO_LIMIT = "archive.ratio-limit", Damage,
        "the compression ratio exceeds the limit; the rest was left out";
    ARCHIVE_DEPTH_LIMIT = "archive.depth-limit", Damage,
        "compressed data or archives nest deeper than the limit";
    ARCHIVE_UNREADABLE_MEMBER = "archive.unreadable-member", Damage,
        "a member is encrypted, missing or compressed by an unknown method, and was left out";
    ARCHIVE_TRUNCATED = "archive.truncated", Damage, "the archive ends too early";
    ARCHIVE_INCONSISTENT = "archive.inconsistent", Damage,
        "headers of the archive contradict each other or are damaged";
    PACKAGE_FIELD_BROKEN = "package.field-broken", Note,
        "the instruction of a field is incomplete, and its resource was left out";
    PACKAGE_INVALID = "package.invalid", Damage, "the file is named as a package but is not a zip archive";
    ARCHIVE_MEMBER_LIMIT = "archive.member-limit", Damage,
        "the archive has more members than the limit; the rest was left out";
    WARC_RESYNC = "warc.resync", Damage,
        "there is no record where one should be; reading went on at the next one";
    WARC_SHORT_RECORD = "warc.short-record", Damage, "the archive ends inside a record";
    WARC_CONTENT_LENGTH_MISSING = "warc.content-length-missing", Damage,
        "a record has no length and was left out";
    WARC_CONTINUATION_MISSING = "warc.continuation-missing", Damage,
        "a segment does not follow the segment that it continues and was left out";
    HTTP_BAD_STATUS = "http.bad-status", Note,
        "a response does not begin with a status line and was read as its body";
    HTTP_NOT_CHUNKED = "http.not-chunked", Note,
        "a body is not chunked although its header says so, and was read undecoded";
    HTTP_CONTENT_ENCODING_FALSE = "http.content-encoding-false", Note,
        "a body is not in the content coding that its header names, and was read undecoded";
    HTTP_CONTENT_ENCODING_UNKNOWN = "http.content-encoding-unknown", Note,
        "the content coding is unknown, and the body was read undecoded";
    MBOX_FROM_LINE_IN_BODY = "mbox.from-line-in-body", Note,
        "a line of the body looks like a separator but belongs to the text";
    MBOX_CONTENT_LENGTH_MISMATCH = "mbox.content-length-mismatch", Note,
        "the Content-Length field does not point to a separator and was ignored";
    MBOX_LEADING_JUNK = "mbox.leading-junk", Note, "text precedes the first message";
    MBOX_NUL_BYTES = "mbox.nul-bytes", Note, "a run of NUL bytes was left out";
    MBOX_TRUNCATED = "mbox.truncated", Note, "the file ends inside a header block";
    RNEWS_RESYNC = "rnews.resync", Damage, "an article is longer or shorter than its batch says";
    HEADER_NO_BLANK_LINE = "header.no-blank-line", Note,
        "a line that is not a header field ends the header block";
    HEADER_TOO_LONG = "header.too-long", Note,
        "a header field or a header block is longer than the limit and was cut";
    MIME_BOUNDARY_MISSING = "mime.boundary-missing", Note,
        "a multipart entity has no boundary parameter and was read as text";
    MIME_BOUNDARY_NEVER_FOUND = "mime.boundary-never-found", Note,
        "the boundary of a multipart entity never occurs, and it was read as text";
    MIME_CLOSE_MISSING = "mime.close-missing", Note, "a multipart entity has no closing delimiter";
    MIME_CTE_ON_MULTIPART = "mime.cte-on-multipart", Note,
        "a multipart entity has a transfer encoding, which was ignored";
    MIME_CTE_UNKNOWN = "mime.cte-unknown", Note,
        "the transfer encoding is unknown, and the body was read undecoded";
    MIME_DEPTH_LIMIT = "mime.depth-limit", Note,
        "an entity is nested too deeply and was read as text";
    MIME_LABEL_LIMIT = "mime.label-limit", Note,
        "too many parts have labels; references to the rest are not matched to parts";
    QP_BAD_ESCAPE = "qp.bad-escape", Note,
        "an escape of quoted-printable is invalid and was kept unchanged";
    BASE64_GARBAGE = "base64.garbage", Note, "bytes outside the alphabet of base64 were left out";
    BASE64_TRUNCATED = "base64.truncated", Note, "base64 ends inside a byte";
    BASE64_TRAILING_TEXT = "base64.trailing-text", Note,
        "plain text follows base64 and was read as text";
    CHARSET_UNKNOWN = "charset.unknown", Note,
        "the charset is unknown; UTF-8 or windows-1252 was assumed";
    CHARSET_MALFORMED = "charset.malformed", Note,
        "some bytes are invalid in the declared charset";
    CHARSET_UNSUPPORTED = "charset.unsupported", Note,
        "the charset cannot be decoded: a part of a message was read as ASCII, a document not at all";
    SERVER_INVALID = "server.invalid", Note,
        "the file or the line is not a valid rule, and servers ignore it too";
    SERVER_TOO_LONG = "server.too-long", Note,
        "the redirect file is over 1 MiB long, and the rest was not read";
    SERVER_UNFOLLOWED = "server.unfollowed", Note, "some rules or directives are not followed";
    CSV_UNCLOSED_QUOTE = "csv.unclosed-quote", Note,
        "a quoted cell is not closed and takes in the rest of the table";
    BODY_OPAQUE = "body.opaque", Opaque, "an encrypted or opaque body was not read";
}

#[cfg(feature = "compression")]
impl From<DecompressFault> for &'static Code {
    fn from(fault: DecompressFault) -> Self {
        match fault {
            DecompressFault::Truncated => &COMPRESS_TRUNCATED,
            DecompressFault::Corrupt | DecompressFault::TrailingGarbage => &COMPRESS_CORRUPT,
            DecompressFault::Memory => &COMPRESS_WINDOW_LIMIT,
            DecompressFault::Unsupported => &COMPRESS_UNSUPPORTED,
            DecompressFault::Padding => &GZIP_TRAILING_GARBAGE,
            DecompressFault::RatioLimit => &ARCHIVE_RATIO_LIMIT,
            DecompressFault::DepthLimit => &ARCHIVE_DEPTH_LIMIT,
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
