//! Diagnostics: what a reader of the links should know about a document. One row per code.

use crate::decode::charset::LabelFault;
#[cfg(feature = "compression")]
use crate::decode::compression::DecompressFault;
use crate::decode::transfer::TransferFault;

/// The consequence of a diagnostic for the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Worth knowing.
    Note,
    /// An encrypted message was not read.
    Encrypted,
    /// A message in a signature was not read.
    Signed,
    /// Another body was not read.
    Opaque,
    /// A container is damaged: the exit code says so.
    Damage,
}

impl Effect {
    /// What is not read of messages, with the noun of one.
    pub(crate) const UNREAD: [(Effect, &'static str); 3] = [
        (Effect::Encrypted, "encrypted message"),
        (Effect::Signed, "signed message"),
        (Effect::Opaque, "opaque part"),
    ];
}

/// A kind of diagnostic.
#[derive(Debug)]
pub struct Code {
    /// The name in records.
    pub name: &'static str,
    /// One sentence.
    pub message: &'static str,
    /// The consequence for the run.
    pub effect: Effect,
}

/// The explanation of a name that stands in records, for `--explain` and the man pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Explanation {
    /// The name.
    pub name: &'static str,
    /// The meaning, in one sentence.
    pub meaning: &'static str,
    /// The reason why it matters.
    pub why: &'static str,
    /// An input that has it.
    pub example: &'static str,
    /// Advice to allow or to avoid it; `FLAG` stands for the name.
    pub allow: &'static str,
}

macro_rules! codes {
    ($($constant:ident = $name:literal, $effect:ident {
        message: $message:literal,
        meaning: $meaning:literal,
        why: $why:literal,
        example: $example:literal,
        allow: $allow:expr,
    })*) => {
        $(
            #[doc = concat!("`", $name, "`: ", $message, ".")]
            pub(crate) static $constant: Code =
                Code { name: $name, message: $message, effect: Effect::$effect };
        )*

        /// Every code.
        pub static CODES: &[&Code] = &[$(&$constant),*];

        /// The explanation of every code, in the same order.
        pub(crate) static EXPLANATIONS: &[Explanation] = &[$(Explanation {
            name: $name,
            meaning: $meaning,
            why: $why,
            example: $example,
            allow: $allow,
        }),*];
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

/// Advice for a code that nothing has to be done about.
const NOTE: &str =
    "It is a note: it does not change the exit code. Without -v and --json it is not shown.";

/// Advice for a code that makes the exit code 2.
const DAMAGE: &str = "It makes the exit code 2. What was read before the damage is reported; repair or replace the file.";

codes! {
    BASE_AFTER_LINKS = "html.base-after-links", Note {
        message: "the base element stands behind references that it applies to",
        meaning: "A base element with href stands behind references that it applies to.",
        why: "A browser resolves the references before it against the old base when it loads them \
            early; uriscan gives all of them the base that holds for the whole document.",
        example: "<a href=x>x</a><base href=http://example.com/>",
        allow: NOTE,
    }
    BASE_SECOND = "html.base-second", Note {
        message: "only the first base element with href counts",
        meaning: "A second base element with href stands in the document, and it is ignored.",
        why: "Only the first one counts (HTML, 4.2.3). Whoever wrote the second one expects that it does.",
        example: "<base href=/a/><base href=/b/>",
        allow: "It is a note; the audit's rule several-bases makes it a finding.",
    }
    BASE_TOO_LONG = "base.too-long", Note {
        message: "a base is longer than the limit and was refused",
        meaning: "A base that the document, its part or its record declares is longer than --longest-base (8 KiB).",
        why: "Each target would repeat it. References resolve against the next outer base.",
        example: "<base href=/xxxx...> with a megabyte of x",
        allow: "Raise --longest-base. It is a note: it does not change the exit code.",
    }
    NAME_TOO_LONG = "record.name-too-long", Note {
        message: "a name that records repeat is longer than 8 KiB and was cut",
        meaning: "The name of an element or a member, an identifier, a title or the like is longer than 8 KiB.",
        why: "Each link would repeat it. The first 8 KiB are reported.",
        example: "an archive whose member has a name of 64 KB",
        allow: NOTE,
    }
    BASE_REFUSED = "html.base-refused", Note {
        message: "the base element's reference cannot be a base URI",
        meaning: "The base element's reference does not parse, or is a data: or javascript: URI.",
        why: "The document keeps the base that it has without the element.",
        example: "<base href=data:text/plain,x>",
        allow: NOTE,
    }
    APPROXIMATE = "html.approximate", Note {
        message: "the document is beyond the limits of exact parsing",
        meaning: "The document is beyond a limit of exact parsing, and a part was read by approximation.",
        why: "Near the place, references may be attributed to the wrong element, or be inert and not marked so.",
        example: "an SVG element in broken nesting, in a document longer than --max-document",
        allow: "Raise --max-document; standard input cannot be read a second time, a file can.",
    }
    VALUE_TOO_LONG = "html.value-too-long", Note {
        message: "an attribute value is longer than the limit and was left out",
        meaning: "An attribute value is longer than 4 MiB, and was left out.",
        why: "References in it are not reported.",
        example: "<img src=\"data:image/png;base64,...\"> of 5 MB",
        allow: "There is no flag for it. Store such data in files of their own.",
    }
    SRCDOC_DEPTH = "html.srcdoc-depth", Note {
        message: "srcdoc documents nest deeper than the limit; the innermost were left out",
        meaning: "srcdoc documents nest deeper than 16 levels; the innermost were left out.",
        why: "References in them are not reported.",
        example: "<iframe srcdoc=\"<iframe srcdoc='...'>\">, 17 levels deep",
        allow: NOTE,
    }
    CSS_BAD_URL = "css.bad-url", Note {
        message: "a url() holds what no URL may hold, and was left out",
        meaning: "A `url()` without quotes holds white space, a quote or a parenthesis, and was left out.",
        why: "Browsers drop the declaration (CSS Syntax 3, section 4.3.14).",
        example: "background: url(a b.png)",
        allow: "Put quotes around the URL.",
    }
    CSS_BAD_STRING = "css.bad-string", Note {
        message: "a string ends at a line break, and was left out",
        meaning: "A string of CSS has a line break before its quote, and was left out.",
        why: "Browsers drop the declaration (CSS Syntax 3, section 4.3.5).",
        example: "@import \"a.css",
        allow: "Close the string.",
    }
    CSS_URL_MODIFIER = "css.url-modifier", Note {
        message: "a url() has modifiers behind its string",
        meaning: "A `url()` has modifiers behind its string (CSS Values 4, section 4.5.3).",
        why: "Browsers that do not know them drop the declaration. The string was reported.",
        example: "background: url(\"a.png\" crossorigin(anonymous))",
        allow: NOTE,
    }
    CSS_TOO_LONG = "css.token-too-long", Note {
        message: "a string or a URL of CSS is longer than the limit and was left out",
        meaning: "A string, a URL or a comment with a source map is longer than 4 MiB, and was left out.",
        why: "A reference in it is not reported.",
        example: "src: url(data:font/woff2;base64,...) of 5 MB",
        allow: "There is no flag for it. Store such data in files of their own.",
    }
    BLOCK_TOO_LONG = "markup.block-too-long", Note {
        message: "a block of lines is longer than the limit and was cut",
        meaning: "In reStructuredText, AsciiDoc, Org or LaTeX lines over 1 MiB follow each other without a blank line, \
            and were read in pieces.",
        why: "A construct that stands across a cut is not recognised.",
        example: "a table of 2 MB",
        allow: NOTE,
    }
    ADOC_ATTRIBUTE_LIMIT = "adoc.attribute-limit", Note {
        message: "an attribute is beyond the limits, and references to it stay as they are",
        meaning: "The value of an attribute of AsciiDoc is over 4 KiB, or all attributes take over 8 MiB.",
        why: "References that need it have the flag template and no target.",
        example: "a document that sets 100,000 attributes",
        allow: NOTE,
    }
    JSON_NOT_WELL_FORMED = "json.not-well-formed", Note {
        message: "the document is not well-formed JSON; it was read as far as it makes sense",
        meaning: "The document departs from the grammar of JSON (RFC 8259), first at this offset.",
        why: "Most software refuses all of it. What is readable before and behind is reported.",
        example: "{\"a\": 1,}",
        allow: NOTE,
    }
    JSON_TOO_LONG = "json.string-too-long", Note {
        message: "a string of JSON is longer than the limit and was left out",
        meaning: "A string of JSON, or a text that an array of strings holds, is longer than 4 MiB; the string, or the rest of the text, was left out.",
        why: "A reference in it is not reported.",
        example: "{\"image\": \"data:image/png;base64,...\"} of 5 MB",
        allow: "There is no flag for it. Store such data in files of their own.",
    }
    JSON_TOO_DEEP = "json.too-deep", Note {
        message: "arrays and objects nest too deep; what is inside was left out",
        meaning: "Arrays and objects nest deeper than 1,048,576 levels.",
        why: "References inside are not reported.",
        example: "2 million opening brackets",
        allow: NOTE,
    }
    JSON_HELD_LIMIT = "json.held-limit", Note {
        message: "a member that others refer to was not found near them and was taken to be missing",
        meaning: "The member that gives a reference its base, such as `sourceRoot`, does not stand within 8 MiB; or a \
            context of JSON-LD stands behind the first --max-document bytes, in 64 others, or behind contexts that \
            take 16 MiB.",
        why: "The reference was resolved as if there were no such member.",
        example: "{\"sources\": [\"a.js\"], \"sourcesContent\": [... 9 MB ...], \"sourceRoot\": \"/x/\"}",
        allow: NOTE,
    }
    XML_NOT_WELL_FORMED = "xml.not-well-formed", Note {
        message: "the document is not well-formed XML and was read as far as that is possible",
        meaning: "The document is not well-formed: a tag, an ampersand or an entity is wrong.",
        why: "Readers of XML stop there. References near the place may be read wrongly.",
        example: "<title>A & B</title>",
        allow: NOTE,
    }
    XML_ENTITY_LIMIT = "xml.entity-limit", Note {
        message: "entities grow beyond the limit and were left out",
        meaning: "Entities grow beyond 1 MiB or ten times the document, or contain themselves.",
        why: "A few lines that grow to gigabytes are an attack. What needs them is not complete.",
        example: "ten entities, each of which is ten times the one before",
        allow: NOTE,
    }
    XML_TOO_LONG = "xml.value-too-long", Note {
        message: "a tag or a text is longer than the limit and was left out",
        meaning: "A tag, or the text of an element that is read, is longer than 4 MiB, and was left out.",
        why: "References in it are not reported.",
        example: "an item of a feed with 5 MB of HTML in its description",
        allow: NOTE,
    }
    XML_DEPTH_LIMIT = "xml.depth-limit", Note {
        message: "elements or bases nest deeper than the limit",
        meaning: "Elements nest deeper than 4096, or xml:base nests deeper than 64.",
        why: "Namespaces and bases that are declared deeper do not count.",
        example: "ten thousand elements, each in the one before",
        allow: NOTE,
    }
    PACKAGE_ENCRYPTED = "package.encrypted", Damage {
        message: "the document is encrypted and was not read",
        meaning: "The document is encrypted: a PDF that asks for a password or restricts its use, a package \
            (EPUB, OOXML, ODF), or a member of one.",
        why: "Its references and what fragments can name in it are not readable.",
        example: "a PDF whose trailer has /Encrypt, a docx that asks for a password",
        allow: "There is no flag for it. Remove the encryption, as `qpdf --decrypt` does, and give what comes out.",
    }
    PDF_REBUILT = "pdf.xref-rebuilt", Note {
        message: "the cross references are missing or wrong; the file was searched for its objects",
        meaning: "The cross references of a PDF are missing, or lead to something else than the objects.",
        why: "Objects were found by a search of the file; of several with one number the last one counts.",
        example: "a PDF that was changed with a text editor",
        allow: NOTE,
    }
    PDF_DAMAGED = "pdf.damaged", Damage {
        message: "an object stream cannot be read",
        meaning: "A stream that holds objects or cross references is damaged, or has a filter other \
            than FlateDecode.",
        why: "The objects in it are missing, and with them references and destinations.",
        example: "one changed byte in an object stream",
        allow: DAMAGE,
    }
    PDF_LIMIT = "pdf.limit", Damage {
        message: "the file unpacks to too much, or its objects are read too often; the rest was left out",
        meaning: "Object streams unpack to more than --max-document, or objects lead to the same bytes \
            again and again.",
        why: "A few kilobytes that take gigabytes or hours are an attack, not a document.",
        example: "an object stream of zeros, compressed twice",
        allow: "Raise --max-document for a document whose object streams are that long.",
    }
    PDF_NO_PAGES = "pdf.no-pages", Damage {
        message: "there is no catalog with pages",
        meaning: "The catalog of a PDF, or its page tree, is missing.",
        why: "Annotations are found through their pages, so that their references are missing.",
        example: "head -c 1000 manual.pdf > cut.pdf",
        allow: DAMAGE,
    }
    PDF_TOO_LONG = "pdf.too-long", Damage {
        message: "the file is longer than --max-document, and only its start was read",
        meaning: "A PDF is longer than --max-document, and what is behind that was not read.",
        why: "A PDF is held in memory, because its last bytes tell where its objects are.",
        example: "a PDF of 100 MB, with the default of 64 MiB",
        allow: "Raise --max-document.",
    }
    HELD_LIMIT = "html.held-limit", Note {
        message: "too many references before the base was known; they resolve against the base known so far",
        meaning: "More than 16 MiB of references stood before the base was known.",
        why: "The first of them were resolved against the base known so far, which a later base \
            element would have changed.",
        example: "a page with a million links and <base> at its end",
        allow: "Put the base element in front of the links.",
    }
    COMPRESS_TRUNCATED = "compress.truncated", Damage {
        message: "the compressed data ends too early",
        meaning: "The compressed data ends before its end mark.",
        why: "The file was cut, by a broken download or a full disk, and links behind the cut are missing.",
        example: "head -c 1000 list.mbox.gz > cut.mbox.gz",
        allow: DAMAGE,
    }
    COMPRESS_CORRUPT = "compress.corrupt", Damage {
        message: "the compressed data is damaged",
        meaning: "The compressed data is damaged: a checksum or a code is wrong, or bytes that are not \
            compressed follow its end.",
        why: "Reading goes on at the next member that decompresses. Links before it are missing, and \
            those near the damage may be wrong.",
        example: "one changed byte in list.mbox.gz",
        allow: DAMAGE,
    }
    COMPRESS_WINDOW = "compress.window-limit", Damage {
        message: "the compressed data needs a window above the limit of 128 MiB and was left out",
        meaning: "The compressed data needs a window (zstd) or a dictionary (xz) of more than 128 MiB.",
        why: "A decoder holds the window in memory. The content of the frame or stream was not read.",
        example: "zstd --long=31 list.mbox",
        allow: "There is no flag for it. Unpack the file yourself, and give what comes out.",
    }
    COMPRESS_UNSUPPORTED = "compress.unsupported", Damage {
        message: "the compressed data needs a dictionary or a feature that is not supported and was left out",
        meaning: "The compressed data needs a dictionary that is not in it, or a feature that is \
            reserved or not supported.",
        why: "The content of the member was not read.",
        example: "zstd -D dictionary list.mbox",
        allow: "There is no flag for it. Unpack the file yourself, and give what comes out.",
    }
    GZIP_TRAILING = "gzip.trailing-garbage", Note {
        message: "zeros follow a gzip member",
        meaning: "Bytes of zero follow a gzip member.",
        why: "Tapes and file systems pad files so; nothing is missing.",
        example: "a member padded to a full tape block",
        allow: NOTE,
    }
    RATIO_LIMIT = "archive.ratio-limit", Damage {
        message: "the compressed data grows beyond all measure; the rest was left out",
        meaning: "The compressed data grows by more than any real document does; the rest was left out.",
        why: "A few kilobytes that unpack to gigabytes are an attack, not a document.",
        example: "10 GB of zeros, compressed",
        allow: "There is no flag for it. Unpack the file yourself, and give what comes out.",
    }
    DEPTH_LIMIT = "archive.depth-limit", Damage {
        message: "compressed data or archives nest deeper than the limit",
        meaning: "Compressed data or archives nest deeper than the limit.",
        why: "What is inside the innermost layer was not read.",
        example: "gzip in gzip in gzip in gzip in gzip",
        allow: "There is no flag for it. Unpack the outer layers yourself.",
    }
    ARCHIVE_UNREADABLE = "archive.unreadable-member", Damage {
        message: "a member is encrypted or packed in an unknown way and was left out",
        meaning: "A member of an archive is encrypted, or packed by a method that is not read.",
        why: "Its links are missing.",
        example: "zip -e secret.zip page.html",
        allow: "There is no flag for it. Unpack the archive yourself, and give what comes out.",
    }
    ARCHIVE_TRUNCATED = "archive.truncated", Damage {
        message: "the archive ends too early",
        meaning: "An archive ends inside a member or a header.",
        why: "The file was cut, and members behind the cut are missing.",
        example: "head -c 1000 site.tar > cut.tar",
        allow: DAMAGE,
    }
    ARCHIVE_INCONSISTENT = "archive.inconsistent", Damage {
        message: "headers of the archive contradict each other or are damaged",
        meaning: "Headers of an archive contradict each other, or are none.",
        why: "Programs disagree on what is in such an archive. In a zip the central directory was followed.",
        example: "a zip whose local header has another name than its central directory",
        allow: DAMAGE,
    }
    FIELD_BROKEN = "package.field-broken", Note {
        message: "an instruction of a field is not whole, and its resource was left out",
        meaning: "An instruction of a field of OOXML ends inside a word, or takes more than 8 KiB; its resource was left out.",
        why: "What stands there is not the resource. Instructions that go on in another run of text are joined.",
        example: "<w:instrText>HYPERLINK \"http://exa</w:instrText> before the end of the field",
        allow: NOTE,
    }
    NO_PACKAGE = "package.invalid", Damage {
        message: "the file is named as a package and is none",
        meaning: "A file is said to be a package (EPUB, OOXML, ODF) and is no zip.",
        why: "Nothing of it was read.",
        example: "a .doc that was renamed to .docx",
        allow: DAMAGE,
    }
    ARCHIVE_MEMBER_LIMIT = "archive.member-limit", Damage {
        message: "the archive has more members than are read; the rest was left out",
        meaning: "An archive has more than 1,048,576 members; the rest was left out.",
        why: "A few megabytes of empty members can keep a reader busy for hours.",
        example: "a zip of ten million empty files",
        allow: "There is no flag for it. Unpack the archive yourself, and give what comes out.",
    }
    WARC_RESYNC = "warc.resync", Damage {
        message: "no record stands where one should, and the next one was searched",
        meaning: "No record of a web archive stands where one should; the next one was searched.",
        why: "A length was wrong or bytes are damaged; links of the records there may be missing.",
        example: "a record whose Content-Length is too short",
        allow: DAMAGE,
    }
    WARC_SHORT_RECORD = "warc.short-record", Damage {
        message: "the archive ends inside a record",
        meaning: "A web archive ends inside a record.",
        why: "The file was cut, and what stood behind the cut is missing.",
        example: "head -c 1000 crawl.warc > cut.warc",
        allow: DAMAGE,
    }
    WARC_LENGTH_MISSING = "warc.content-length-missing", Damage {
        message: "a record has no length and was left out",
        meaning: "A record of a web archive has no Content-Length that is a number; it was left out.",
        why: "Nothing tells where it ends. The next record was searched.",
        example: "a record with `Content-Length: unknown`",
        allow: DAMAGE,
    }
    WARC_CONTINUATION = "warc.continuation-missing", Damage {
        message: "a segment does not follow the one that it continues and was left out",
        meaning: "A segment of a record does not follow the one that it continues; it was left out.",
        why: "Links in it are missing.",
        example: "a record in two segments that stand in two files",
        allow: DAMAGE,
    }
    HTTP_BAD_STATUS = "http.bad-status", Note {
        message: "a response does not begin with a status line and was read as its body",
        meaning: "A response in a web archive does not begin with a status line.",
        why: "All of it was read as its body.",
        example: "a record of type response that holds the page alone",
        allow: NOTE,
    }
    HTTP_NOT_CHUNKED = "http.not-chunked", Note {
        message: "a body that is said to come in chunks does not, and was read as it is",
        meaning: "A header says that a body comes in chunks, and it does not.",
        why: "Crawlers store bodies without chunks under the old header.",
        example: "Transfer-Encoding: chunked before a whole page",
        allow: NOTE,
    }
    HTTP_ENCODING_FALSE = "http.content-encoding-false", Note {
        message: "a body is not in the content coding that its header names, and was read as it is",
        meaning: "A body is not in the content coding that its header names.",
        why: "Crawlers store decoded bodies under the old header.",
        example: "Content-Encoding: gzip before a page that is not compressed",
        allow: NOTE,
    }
    HTTP_ENCODING_UNKNOWN = "http.content-encoding-unknown", Note {
        message: "nobody knows the content coding, and the body was read as it is",
        meaning: "The content coding of a body is an unknown one.",
        why: "If the body is in it after all, its links are missing.",
        example: "Content-Encoding: x-own",
        allow: NOTE,
    }
    FROM_LINE_IN_BODY = "mbox.from-line-in-body", Note {
        message: "a line of the body looks like a separator and is none",
        meaning: "A line of a body starts with `From ` and looks like a separator, and is none.",
        why: "Its writer did not quote it; other readers may split the message there.",
        example: "From now on, see http://example.com/",
        allow: NOTE,
    }
    CONTENT_LENGTH_MISMATCH = "mbox.content-length-mismatch", Note {
        message: "the Content-Length field does not lead to a separator and was ignored",
        meaning: "A Content-Length field does not lead to a separator, and was ignored.",
        why: "A message that was edited keeps its old length. Separator lines were used instead.",
        example: "Content-Length: 10 before a body of 5000 bytes",
        allow: NOTE,
    }
    LEADING_JUNK = "mbox.leading-junk", Note {
        message: "text stands before the first message",
        meaning: "Text stands before the first message of a mailbox.",
        why: "It was read as text, and its links have no message.",
        example: "a line of a web page saved in front of the archive",
        allow: NOTE,
    }
    NUL_BYTES = "mbox.nul-bytes", Note {
        message: "a run of NUL bytes was left out",
        meaning: "A run of NUL bytes was left out.",
        why: "A file system lost a write there; text may be missing.",
        example: "a mailbox after a crash",
        allow: NOTE,
    }
    MBOX_TRUNCATED = "mbox.truncated", Note {
        message: "the file ends inside a header block",
        meaning: "The mailbox ends inside a header block.",
        why: "The last message is not complete.",
        example: "head -c 1000 list.mbox",
        allow: NOTE,
    }
    RNEWS_RESYNC = "rnews.resync", Damage {
        message: "an article is longer or shorter than its batch says",
        meaning: "An article of a news batch is longer or shorter than its count says.",
        why: "Articles near the place may have been split wrongly.",
        example: "#! rnews 100 before an article of 90 bytes",
        allow: DAMAGE,
    }
    NO_BLANK_LINE = "header.no-blank-line", Note {
        message: "a line that is no header field ends the header block",
        meaning: "A line that is no header field ends a header block, without an empty line.",
        why: "The line was taken for the first one of the body.",
        example: "Subject: x\\nsee http://example.com/",
        allow: NOTE,
    }
    HEADER_TOO_LONG = "header.too-long", Note {
        message: "a header field or a header block is longer than the limit and was cut",
        meaning: "A header field is longer than 64 KiB, or a block longer than 1 MiB, and was cut.",
        why: "References behind the cut are missing.",
        example: "a References field of 100 KB",
        allow: NOTE,
    }
    BOUNDARY_MISSING = "mime.boundary-missing", Note {
        message: "a multipart entity has no boundary parameter and was read as text",
        meaning: "A multipart entity has no boundary parameter, and was read as text.",
        why: "Encoded parts in it were not decoded.",
        example: "Content-Type: multipart/mixed",
        allow: NOTE,
    }
    BOUNDARY_NEVER_FOUND = "mime.boundary-never-found", Note {
        message: "the boundary of a multipart entity never occurs, and it was read as text",
        meaning: "The boundary of a multipart entity never occurs, and it was read as text.",
        why: "Encoded parts in it were not decoded.",
        example: "boundary=a, and lines of --b",
        allow: NOTE,
    }
    CLOSE_MISSING = "mime.close-missing", Note {
        message: "a multipart entity has no closing delimiter",
        meaning: "A multipart entity has no closing delimiter.",
        why: "The message may have been cut; its last part ends where the message does.",
        example: "--a at the start of each part, and no --a--",
        allow: NOTE,
    }
    TRANSFER_ON_MULTIPART = "mime.cte-on-multipart", Note {
        message: "a multipart entity has a transfer encoding, which was ignored",
        meaning: "A multipart entity has a transfer encoding, which was ignored.",
        why: "Only its parts can be encoded (RFC 2045, 6.4).",
        example: "Content-Type: multipart/mixed with Content-Transfer-Encoding: base64",
        allow: NOTE,
    }
    TRANSFER_UNKNOWN = "mime.cte-unknown", Note {
        message: "nobody knows the transfer encoding, and the body was read as it is",
        meaning: "The transfer encoding is an unknown one, and the body was read as it is.",
        why: "If the body is encoded after all, its links are missing.",
        example: "Content-Transfer-Encoding: x-own",
        allow: NOTE,
    }
    MIME_DEPTH_LIMIT = "mime.depth-limit", Note {
        message: "an entity is nested too deep and was read as text",
        meaning: "An entity is nested deeper than the limit, and was read as text.",
        why: "Encoded parts in it were not decoded.",
        example: "a message that was forwarded as an attachment, over and over",
        allow: NOTE,
    }
    LABEL_LIMIT = "mime.label-limit", Note {
        message: "too many parts are labelled; the rest cannot be named",
        meaning: "More parts of a message are labelled than are kept in mind.",
        why: "target_part is missing for links to the others.",
        example: "a message with 100,000 Content-ID fields",
        allow: NOTE,
    }
    BAD_ESCAPE = "qp.bad-escape", Note {
        message: "an escape of quoted-printable is none and was kept as it is",
        meaning: "A `=` of quoted-printable has no two hexadecimal digits behind it, and was kept.",
        why: "The part was probably not encoded, or changed on its way.",
        example: "http://example.com/?a=zz in a part that claims to be quoted-printable",
        allow: NOTE,
    }
    BASE64_GARBAGE = "base64.garbage", Note {
        message: "bytes outside the alphabet of base64 were left out",
        meaning: "Bytes outside the alphabet of base64 were left out.",
        why: "The part was changed on its way; what was decoded may differ from what was sent.",
        example: "aGVsbG8*gd29ybGQ=",
        allow: NOTE,
    }
    BASE64_TRUNCATED = "base64.truncated", Note {
        message: "base64 ends inside a byte",
        meaning: "base64 ends inside a byte.",
        why: "The part was cut; links behind the cut are missing.",
        example: "aGVsb",
        allow: NOTE,
    }
    TRAILING_TEXT = "base64.trailing-text", Note {
        message: "clear text stands behind base64 and was read as text",
        meaning: "Clear text stands behind base64, and was read as text.",
        why: "Mailing lists append their footers so. Such links have the flag trailer.",
        example: "aGVsbG8=\\n____\\nhttp://lists.example.com/",
        allow: NOTE,
    }
    CHARSET_UNKNOWN = "charset.unknown", Note {
        message: "nobody knows the charset; UTF-8 or windows-1252 was assumed",
        meaning: "The declared charset is an unknown one; UTF-8 or windows-1252 was assumed.",
        why: "Characters beyond ASCII in references may be wrong.",
        example: "Content-Type: text/plain; charset=x-own",
        allow: "For documents that are no mail, --encoding says which one it is.",
    }
    CHARSET_MALFORMED = "charset.malformed", Note {
        message: "some bytes mean nothing in the declared charset",
        meaning: "Some bytes mean nothing in the declared charset, and became U+FFFD.",
        why: "References with such bytes lead elsewhere than their author meant.",
        example: "Latin-1 text in a part that claims to be UTF-8",
        allow: NOTE,
    }
    CHARSET_UNSUPPORTED = "charset.unsupported", Note {
        message: "the charset cannot be decoded, and the text was read as it is",
        meaning: "The charset is known and cannot be decoded; the text was read as it is.",
        why: "ASCII in it was found, anything else may be wrong.",
        example: "Content-Type: text/plain; charset=utf-7 in a part that is too odd",
        allow: NOTE,
    }
    SERVER_INVALID = "server.invalid", Note {
        message: "what stands here is no rule, and servers ignore it too",
        meaning: "A redirect file does not parse, or has lines that are no rules.",
        why: "Servers ignore them, so that links which need them are broken.",
        example: "a line /old in _redirects, without a destination",
        allow: NOTE,
    }
    SERVER_TOO_LONG = "server.too-long", Note {
        message: "the redirect file is over 1 MiB long, and the rest was not read",
        meaning: "A redirect file is over 1 MiB long; the rest was not read.",
        why: "Links which need the rest are reported as broken.",
        example: "_redirects with a line for each of 50,000 pages",
        allow: "Rules with `*` or `:name` take the place of many.",
    }
    SERVER_UNFOLLOWED = "server.unfollowed", Note {
        message: "some rules or directives are not followed",
        meaning: "A redirect file has rules or directives that the audit does not follow.",
        why: "Links which need them are reported as broken.",
        example: "RewriteRule in .htaccess",
        allow: "--exclude leaves out the links that such rules answer.",
    }
    CSV_UNCLOSED = "csv.unclosed-quote", Note {
        message: "a quoted cell is not closed, so that the rest of the table is in it",
        meaning: "A cell of a table of comma-separated values begins with a quote and does not end with one.",
        why: "The rest of the table is read as text of that cell: its separators may be taken for parts of URIs.",
        example: "a,\"b\nhttp://example.com/,c",
        allow: NOTE,
    }
    OPAQUE = "body.opaque", Opaque {
        message: "an encrypted or opaque body was not read",
        meaning: "An encrypted or opaque body was not read.",
        why: "Links in it are not reported, for nothing but its key can tell them.",
        example: "Content-Type: application/pkcs7-mime",
        allow: "Decrypt the message first.",
    }
}

#[cfg(feature = "compression")]
impl From<DecompressFault> for &'static Code {
    fn from(fault: DecompressFault) -> Self {
        match fault {
            DecompressFault::Truncated => &COMPRESS_TRUNCATED,
            DecompressFault::Corrupt | DecompressFault::TrailingGarbage => &COMPRESS_CORRUPT,
            DecompressFault::Memory => &COMPRESS_WINDOW,
            DecompressFault::Unsupported => &COMPRESS_UNSUPPORTED,
            DecompressFault::Padding => &GZIP_TRAILING,
            DecompressFault::RatioLimit => &RATIO_LIMIT,
            DecompressFault::DepthLimit => &DEPTH_LIMIT,
        }
    }
}

impl From<TransferFault> for &'static Code {
    fn from(fault: TransferFault) -> Self {
        match fault {
            TransferFault::BadEscape => &BAD_ESCAPE,
            TransferFault::Truncated => &BASE64_TRUNCATED,
            TransferFault::Garbage => &BASE64_GARBAGE,
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
