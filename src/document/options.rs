//! The options of the formats.

use smart_default::SmartDefault;

/// The options of all formats.
#[derive(Clone, Debug, SmartDefault)]
pub struct FormatOptions {
    /// Plain text.
    pub text: TextOptions,
    /// HTML.
    pub html: HtmlOptions,
    /// Markdown.
    #[cfg(feature = "markdown")]
    pub markdown: MarkdownOptions,
    /// Mail and news.
    #[cfg(feature = "mail")]
    pub mail: MailOptions,
    /// Whether the places that fragments can name are reported too.
    pub anchors: AnchorReporting,
    /// Maximum length in bytes of a base that a document declares, before and after resolution.
    ///
    /// Longer ones are refused with a diagnostic, because each target repeats its base.
    #[default(LONGEST_BASE)]
    pub longest_base: usize,
}

/// The default of [`FormatOptions::longest_base`].
pub(crate) const LONGEST_BASE: usize = 8 << 10;

/// Whether scanners report what fragments can name: `id`, `a[name]`, headings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnchorReporting {
    /// They report references only.
    #[default]
    Leave,
    /// They report both, in one pass.
    Report,
}

/// Options for scanning text.
#[derive(Clone, Debug, Default)]
pub struct TextOptions {
    /// The bytes beyond ASCII that belong to a URI.
    pub non_ascii: NonAscii,
    /// Also report `www.example.com`, as `http://www.example.com` (RFC 2396 Appendix F).
    pub www: bool,
    /// Also report `user@example.com`, as `mailto:user@example.com`.
    pub email: bool,
    /// Follow RFC 2396 Appendix E without limits on the white space inside delimiters.
    pub strict: bool,
    /// Undo what makes URIs harmless, such as `hxxp://example[.]com`.
    pub refang: bool,
}

/// The kind of text: prose, or the source of formatted text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextSource {
    /// Only lines that start with `.` are read as troff's (T39).
    #[default]
    Prose,
    /// Every line is troff: the media type `text/troff` (RFC 4263) or one of its older names.
    Troff,
}

/// The software whose roles reStructuredText has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RstRoles {
    /// docutils alone.
    #[default]
    Docutils,
    /// Sphinx: the document is in a tree with its configuration.
    Sphinx,
}

/// The bytes beyond ASCII that belong to a URI in text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum NonAscii {
    /// Letters and marks, as in an IRI (RFC 3987).
    #[default]
    Iri,
    /// None.
    Ascii,
}

/// Options for HTML.
#[derive(Clone, Debug, SmartDefault)]
pub struct HtmlOptions {
    /// Also report references by convention: Open Graph, lazy loading, JSON-LD, conditional comments and
    /// the like.
    pub extended: bool,
    /// Parse `noscript` as a browser with scripting does.
    pub scripting: bool,
    /// Also scan character data for URIs, by the rules for text.
    pub text: bool,
    /// The largest document, in bytes, that is held or read twice where exactness needs it.
    #[default(64 << 20)]
    pub max_document: u64,
    /// Also report what the markup says of links: the text of `a` and `area`, `rel`, `hreflang` and
    /// `title`.
    pub descriptions: bool,
    /// Also report the title of the document, as a remark.
    pub titles: bool,
    /// Also report the reference of the `base` element that names the base of a document.
    pub report_base: bool,
    /// Also read the contents of conditional comments, and JSON-LD, as in mail and with `extended`.
    pub mail: bool,
    /// An attribute, in lower case: references of elements that have it get
    /// [`Flags::IGNORED`](super::flags::Flags::IGNORED).
    pub ignore: Option<String>,
}

/// Options for Markdown.
#[cfg(feature = "markdown")]
#[derive(Clone, Debug, Default)]
pub struct MarkdownOptions {
    /// The anchors that headings get.
    pub slug: Slug,
    /// Whether `[[Page]]`, `[[Page|text]]` and `[[Page#Heading]]` are links.
    pub wiki_links: bool,
}

/// The dialect of Markdown that decides about anchors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Slug {
    /// GitHub.
    #[default]
    GitHub,
    /// GitLab.
    GitLab,
    /// mdBook.
    MdBook,
    /// MkDocs, by Python-Markdown.
    MkDocs,
    /// Docusaurus.
    Docusaurus,
    /// Hugo.
    Hugo,
    /// kramdown.
    Kramdown,
    /// Jekyll: kramdown, or its parser of the Markdown of GitHub.
    Jekyll,
    /// Pandoc.
    Pandoc,
    /// VitePress.
    VitePress,
    /// Zola.
    Zola,
    /// HonKit, and GitBook.
    HonKit,
    /// Docsify.
    Docsify,
    /// MyST in Sphinx.
    Myst,
    /// Starlight.
    Starlight,
    /// Nextra.
    Nextra,
    /// Hexo, by its renderer marked.
    Hexo,
    /// Headings have no anchors.
    None,
}

/// Options for mail and news.
#[cfg(feature = "mail")]
#[derive(Clone, Debug, SmartDefault)]
pub struct MailOptions {
    /// Which header fields are read for references.
    pub headers: Headers,
    /// Whether message identifiers are reported as `mid:`, and news groups as `news:`.
    pub ids: bool,
    /// Which parts of a `multipart/alternative` are read.
    pub alternatives: Alternatives,
    /// Whether the date, the sender and the subject of each message are reported.
    pub envelope: bool,
    /// Whether more is reported of each message and part: recipients, list, labels, file names.
    pub message_fields: bool,
    /// Whether a relative Content-Location is a base.
    pub mime_base: MimeBase,
    /// Which attachments are read.
    pub attachments: Attachments,
    /// The deepest nesting of entities; deeper ones are read as text.
    #[default(NestingLimit::ENTITIES.0)]
    pub max_depth: usize,
}

/// Which header fields are read for references.
#[cfg(feature = "mail")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Headers {
    /// None.
    None,
    /// Those that are known to hold URIs or free text.
    #[default]
    Known,
    /// All, trace fields too.
    All,
}

/// Which parts of a `multipart/alternative` are read.
#[cfg(feature = "mail")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Alternatives {
    /// All.
    #[default]
    All,
    // RFC 2046 section 5.1.4.
    /// The last that can be read.
    Last,
}

/// Whether a relative Content-Location is a base.
#[cfg(feature = "mail")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum MimeBase {
    /// It is a base, resolved against the enclosing base.
    #[default]
    Chained,
    /// It is not (RFC 2557 section 5, to the letter).
    Strict,
}

/// The attachments that are read, besides those that are documents.
#[cfg(feature = "mail")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Attachments {
    /// None: they are skipped, and counted.
    #[default]
    Skip,
    /// Compressed ones, by their file names; the command reads archives, packages and PDF, too.
    Open,
}

/// How many documents of a kind may enclose each other. A container asks before it opens a member, and
/// reports or reads the member as text where no other level is admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NestingLimit(pub(crate) usize);

impl NestingLimit {
    /// Archives in archives: tar, zip, web archives.
    pub(crate) const ARCHIVES: Self = NestingLimit(4);
    /// Compressed data in compressed data.
    pub(crate) const COMPRESSION: Self = NestingLimit(4);
    /// Entities of mail: parts in parts, and messages in messages.
    pub(crate) const ENTITIES: Self = NestingLimit(64);
    /// Documents in `srcdoc` attributes.
    pub(crate) const SRCDOC: Self = NestingLimit(16);

    /// Returns whether a member may be opened inside `depth` others.
    pub(crate) fn admits(self, depth: usize) -> bool {
        depth < self.0
    }
}
