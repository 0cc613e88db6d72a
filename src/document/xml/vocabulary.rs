//! The vocabularies: which elements and attributes hold references, one row a kind.

use Namespace::*;
use ValueKind::*;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Namespace {
    #[default]
    Unknown,
    /// No namespace; the root's name determines the vocabulary.
    Nameless,
    Xml,
    Xlink,
    Xinclude,
    SchemaInstance,
    Xhtml,
    Svg,
    MathMl,
    Atom,
    /// RSS of all versions: elements without a namespace in `rss`, or those of RSS 1.0 and 0.90.
    Rss,
    RssContent,
    Media,
    Itunes,
    Podcast,
    PodcastChapters,
    CreativeCommons,
    Rdf,
    Sitemap,
    SitemapImage,
    SitemapVideo,
    Opf,
    Ncx,
    Opml,
    Xsl,
    Xspf,
    DocBook,
    Dita,
    Gpx,
    Kml,
    CommentApi,
    AtomThreads,
    Smil,
    Relationships,
    Word,
    Sheet,
    Office,
}

#[rustfmt::skip]
static NAMESPACES: &[(&[u8], Namespace)] = &[
    (b"", Nameless),
    (b"http://www.w3.org/XML/1998/namespace", Xml),
    (b"http://www.w3.org/1999/xlink", Xlink),
    (b"http://www.w3.org/2001/XInclude", Xinclude),
    (b"http://www.w3.org/2001/XMLSchema-instance", SchemaInstance),
    (b"http://www.w3.org/1999/xhtml", Xhtml),
    (b"http://www.w3.org/2000/svg", Svg),
    (b"http://www.w3.org/1998/Math/MathML", MathMl),
    (b"http://www.w3.org/2005/Atom", Atom),
    (b"http://purl.org/atom/ns#", Atom),
    (b"http://purl.org/rss/1.0/", Rss),
    (b"http://my.netscape.com/rdf/simple/0.9/", Rss),
    (b"http://channel.netscape.com/rdf/simple/0.9/", Rss),
    (b"http://backend.userland.com/rss2", Rss),
    (b"http://purl.org/rss/1.0/modules/content/", RssContent),
    (b"http://search.yahoo.com/mrss/", Media),
    (b"http://search.yahoo.com/mrss", Media),
    (b"http://www.itunes.com/dtds/podcast-1.0.dtd", Itunes),
    // Names are compared as they stand, and feeds write this one in two ways.
    (b"http://www.itunes.com/DTDs/Podcast-1.0.dtd", Itunes),
    (b"https://podcastindex.org/namespace/1.0", Podcast),
    (b"http://podlove.org/simple-chapters", PodcastChapters),
    (b"http://podlove.org/simple-chapters/", PodcastChapters),
    (b"http://backend.userland.com/creativeCommonsRssModule", CreativeCommons),
    (b"http://www.w3.org/1999/02/22-rdf-syntax-ns#", Rdf),
    (b"http://www.sitemaps.org/schemas/sitemap/0.9", Sitemap),
    (b"http://www.google.com/schemas/sitemap/0.84", Sitemap),
    (b"http://www.google.com/schemas/sitemap-image/1.1", SitemapImage),
    (b"http://www.google.com/schemas/sitemap-video/1.1", SitemapVideo),
    (b"http://www.idpf.org/2007/opf", Opf),
    (b"http://www.daisy.org/z3986/2005/ncx/", Ncx),
    (b"http://www.w3.org/1999/XSL/Transform", Xsl),
    (b"http://xspf.org/ns/0/", Xspf),
    (b"http://docbook.org/ns/docbook", DocBook),
    (b"http://www.topografix.com/GPX/1/0", Gpx),
    (b"http://www.topografix.com/GPX/1/1", Gpx),
    (b"http://www.opengis.net/kml/2.2", Kml),
    (b"http://earth.google.com/kml/2.0", Kml),
    (b"http://earth.google.com/kml/2.1", Kml),
    (b"http://earth.google.com/kml/2.2", Kml),
    (b"http://wellformedweb.org/CommentAPI/", CommentApi),
    (b"http://purl.org/syndication/thread/1.0", AtomThreads),
    (b"http://www.w3.org/ns/SMIL", Smil),
    (b"http://www.w3.org/2001/SMIL20/", Smil),
    (b"http://schemas.openxmlformats.org/package/2006/relationships", Relationships),
    (b"http://schemas.openxmlformats.org/wordprocessingml/2006/main", Word),
    (b"http://purl.oclc.org/ooxml/wordprocessingml/main", Word),
    (b"http://schemas.openxmlformats.org/spreadsheetml/2006/main", Sheet),
    (b"http://purl.oclc.org/ooxml/spreadsheetml/main", Sheet),
    (b"urn:oasis:names:tc:opendocument:xmlns:office:1.0", Office),
];

static ROOTS: &[(&[u8], Namespace)] = &[
    (b"rss", Rss),
    (b"opml", Opml),
    (b"urlset", Sitemap),
    (b"sitemapindex", Sitemap),
    (b"book", DocBook),
    (b"article", DocBook),
    (b"chapter", DocBook),
    (b"part", DocBook),
    (b"preface", DocBook),
    (b"appendix", DocBook),
    (b"refentry", DocBook),
    (b"topic", Dita),
    (b"concept", Dita),
    (b"task", Dita),
    (b"map", Dita),
    (b"bookmap", Dita),
];

/// Names of first elements by which XML is recognized without a declaration.
static FIRST_ELEMENTS: &[&[u8]] = &[
    b"rss",
    b"feed",
    b"opml",
    b"urlset",
    b"sitemapindex",
    b"svg",
    b"rdf:RDF",
    b"ncx",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    Uri,
    /// One reference in RSS, which has no bases.
    RssUri,
    /// One reference, the address of the item or channel that the element is in.
    EntryLink,
    /// One reference, absolute by definition (sitemaps.org, "loc").
    Absolute,
    /// The `guid` of RSS 2.0: a reference unless `isPermaLink` denies it, and if it is absolute.
    Guid,
    /// Escaped HTML, with the base of its item or channel.
    EntryHtml,
    /// Pairs of a namespace and a reference.
    Pairs,
    /// A text construct of Atom (RFC 4287, 3.1): HTML where its type says so.
    TypedHtml,
    /// The target of a relationship, in the package or outside.
    Relationship,
    Field,
    /// Where an instruction of a field begins or ends: the element itself.
    FieldMark,
    /// A place in a workbook, as a fragment names it.
    Location,
}

#[derive(Debug)]
pub(super) struct XmlRow {
    namespace: Namespace,
    /// The local name, or `*` for all.
    pub(super) element: &'static str,
    /// The name of the attribute, with a prefix if it is global, or [`TEXT`].
    pub(super) attribute: &'static str,
    pub(super) kind: ValueKind,
    extended: bool,
}

/// The text of an element, in place of an attribute.
pub(super) const TEXT: &str = "";

const fn row(
    namespace: Namespace,
    element: &'static str,
    attribute: &'static str,
    kind: ValueKind,
) -> XmlRow {
    XmlRow {
        namespace,
        element,
        attribute,
        kind,
        extended: false,
    }
}

impl XmlRow {
    const fn extended(self) -> Self {
        XmlRow {
            extended: true,
            ..self
        }
    }
}

/// Every row; the rows of an element are adjacent.
#[rustfmt::skip]
static ROWS: &[XmlRow] = &[
    row(Xinclude, "include", "href", Uri),
    // RFC 4287.
    row(Atom, "link", "href", Uri),
    row(Atom, "generator", "uri", Uri),
    row(Atom, "generator", "url", Uri),
    row(Atom, "icon", TEXT, Uri),
    row(Atom, "logo", TEXT, Uri),
    row(Atom, "uri", TEXT, Uri),
    // Version 0.3, whose elements later feeds still have.
    row(Atom, "url", TEXT, Uri),
    row(Atom, "homepage", TEXT, Uri),
    row(Atom, "id", TEXT, Uri).extended(),
    row(Atom, "category", "scheme", Uri).extended(),
    row(Atom, "content", "src", Uri),
    row(Atom, "content", TEXT, TypedHtml),
    row(Atom, "summary", TEXT, TypedHtml),
    row(Atom, "title", TEXT, TypedHtml),
    row(Atom, "subtitle", TEXT, TypedHtml),
    row(Atom, "rights", TEXT, TypedHtml),
    // RSS 2.0, and what 1.0 and 0.9x have of it.
    row(Rss, "link", TEXT, EntryLink),
    row(Rss, "guid", TEXT, Guid),
    row(Rss, "comments", TEXT, RssUri),
    row(Rss, "docs", TEXT, RssUri),
    row(Rss, "url", TEXT, RssUri),
    row(Rss, "source", "url", Uri),
    row(Rss, "enclosure", "url", Uri),
    row(Rss, "description", TEXT, EntryHtml),
    row(RssContent, "encoded", TEXT, EntryHtml),
    // Media RSS.
    row(Media, "content", "url", Uri),
    row(Media, "thumbnail", "url", Uri),
    row(Media, "player", "url", Uri),
    row(Media, "license", "href", Uri),
    row(Media, "subTitle", "href", Uri),
    row(Media, "peerLink", "href", Uri),
    row(Media, "embed", "url", Uri),
    row(Itunes, "image", "href", Uri),
    row(Itunes, "new-feed-url", TEXT, Uri),
    row(Podcast, "transcript", "url", Uri),
    row(Podcast, "chapters", "url", Uri),
    row(PodcastChapters, "chapter", "href", Uri),
    row(PodcastChapters, "chapter", "image", Uri),
    row(CreativeCommons, "license", TEXT, Uri),
    row(Podcast, "funding", "url", Uri),
    row(Podcast, "person", "href", Uri),
    row(Podcast, "person", "img", Uri),
    row(Podcast, "source", "uri", Uri),
    row(Podcast, "trailer", "url", Uri),
    row(Podcast, "license", "url", Uri),
    row(Podcast, "image", "href", Uri),
    row(Podcast, "contentLink", "href", Uri),
    row(Podcast, "remoteItem", "feedUrl", Uri),
    row(Podcast, "socialInteract", "uri", Uri),
    row(CommentApi, "comment", TEXT, Uri),
    row(CommentApi, "commentRss", TEXT, Uri),
    row(AtomThreads, "in-reply-to", "href", Uri),
    // RDF 1.1 XML.
    row(Rdf, "*", "rdf:about", Uri).extended(),
    row(Rdf, "*", "rdf:resource", Uri).extended(),
    // XLink 1.1, and XML Schema.
    row(Xlink, "*", "xlink:href", Uri),
    row(SchemaInstance, "*", "xsi:schemaLocation", Pairs).extended(),
    // sitemaps.org, and the extensions of Google.
    row(Sitemap, "loc", TEXT, Absolute),
    row(SitemapImage, "loc", TEXT, Absolute),
    row(SitemapVideo, "thumbnail_loc", TEXT, Absolute),
    row(SitemapVideo, "content_loc", TEXT, Absolute),
    row(SitemapVideo, "player_loc", TEXT, Absolute),
    // EPUB.
    row(Opf, "item", "href", Uri),
    row(Opf, "reference", "href", Uri),
    row(Opf, "link", "href", Uri),
    row(Ncx, "content", "src", Uri),
    // SMIL 3.0, for media overlays of EPUB.
    row(Smil, "text", "src", Uri),
    row(Smil, "audio", "src", Uri),
    row(Smil, "video", "src", Uri),
    row(Smil, "img", "src", Uri),
    // OOXML (ECMA-376).
    row(Relationships, "Relationship", "Target", Relationship),
    row(Word, "fldSimple", "instr", Field),
    row(Word, "instrText", TEXT, Field),
    row(Word, "fldChar", TEXT, FieldMark),
    row(Sheet, "hyperlink", "location", Location),
    // Others.
    row(Opml, "outline", "xmlUrl", Uri),
    row(Opml, "outline", "htmlUrl", Uri),
    row(Opml, "outline", "url", Uri),
    row(Xsl, "import", "href", Uri),
    row(Xsl, "include", "href", Uri),
    row(Xspf, "location", TEXT, Uri),
    row(Xspf, "info", TEXT, Uri),
    row(Xspf, "image", TEXT, Uri),
    row(Xspf, "identifier", TEXT, Uri).extended(),
    row(DocBook, "ulink", "url", Uri),
    row(DocBook, "imagedata", "fileref", Uri),
    row(DocBook, "videodata", "fileref", Uri),
    row(DocBook, "audiodata", "fileref", Uri),
    row(DocBook, "textdata", "fileref", Uri),
    row(Gpx, "link", "href", Uri),
    row(Gpx, "url", TEXT, Uri),
    row(Gpx, "license", TEXT, Uri),
    row(Kml, "href", TEXT, Uri),
    row(Kml, "styleUrl", TEXT, Uri),
    row(Kml, "targetHref", TEXT, Uri),
    row(Kml, "description", TEXT, EntryHtml),
    row(Dita, "*", "href", Uri),
    row(Dita, "*", "conref", Uri),
];

pub(super) fn namespace(name: &[u8]) -> Namespace {
    let known = NAMESPACES.iter().find(|(known, _)| *known == name);
    known.map_or(Unknown, |(_, namespace)| *namespace)
}

pub(super) fn of_root(name: &[u8]) -> Namespace {
    let known = ROOTS.iter().find(|(known, _)| *known == name);
    known.map_or(Unknown, |(_, namespace)| *namespace)
}

/// Whether the name of a first element, as written, identifies XML.
pub(super) fn is_first_element(name: &[u8]) -> bool {
    FIRST_ELEMENTS.contains(&name)
}

/// Returns the rows of an element, with and without `--extended`.
pub(super) fn rows(namespace: Namespace, element: &[u8]) -> &'static [XmlRow] {
    let is_of = |row: &XmlRow| {
        row.namespace == namespace && (row.element == "*" || row.element.as_bytes() == element)
    };
    let start = ROWS.iter().position(is_of).unwrap_or(ROWS.len());
    let count = ROWS[start..].iter().take_while(|row| is_of(row)).count();
    &ROWS[start..start + count]
}

pub(super) fn find<'r>(rows: &'r [XmlRow], name: &[u8], extended: bool) -> Option<&'r XmlRow> {
    let mut rows = rows.iter().filter(|row| extended || !row.extended);
    rows.find(|row| row.attribute.as_bytes() == name)
}

/// Returns the row of a global attribute of a namespace.
pub(super) fn find_global(
    namespace: Namespace,
    local: &[u8],
    extended: bool,
) -> Option<&'static XmlRow> {
    let mut rows = rows(namespace, b"*").iter();
    rows.find(|row| {
        let name = row.attribute.split_once(':');
        name.is_some_and(|(_, name)| name.as_bytes() == local) && (extended || !row.extended)
    })
}

#[cfg(test)]
#[path = "../../../tests/unit/document/xml/vocabulary.rs"]
mod tests;
