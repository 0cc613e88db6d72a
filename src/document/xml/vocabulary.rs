//! The vocabularies: which elements and attributes hold references, one row a kind.

use Namespace::*;
use Place::{Attribute, Text};
use ValueKind::*;

/// A namespace that a row names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Namespace {
    /// Any namespace without rows.
    Unknown,
    /// No namespace; the root's name tells the vocabulary.
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
    /// Relationships of parts in packages of OOXML.
    Relationships,
    /// Word processing of OOXML.
    Word,
    /// Spreadsheets of OOXML.
    Sheet,
    /// Documents of ODF.
    Office,
}

/// The names of namespaces.
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

/// Roots without a namespace whose vocabulary is known.
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

/// Names of first elements that tell XML without a declaration.
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

/// Where in an element a value stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Attribute(&'static str),
    Text,
}

/// The meaning of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    /// One reference.
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
    /// An instruction of a field, which may name a resource.
    Field,
    /// Where an instruction of a field begins or ends: the element itself.
    FieldMark,
    /// A place in a workbook, as a fragment names it.
    Location,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct XmlRow {
    namespace: Namespace,
    /// The local name, or `*` for all.
    element: &'static str,
    place: Place,
    pub(super) kind: ValueKind,
    /// Whether only `--extended` reports it.
    extended: bool,
}

const fn row(namespace: Namespace, element: &'static str, place: Place, kind: ValueKind) -> XmlRow {
    XmlRow {
        namespace,
        element,
        place,
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

/// Every row; those of an element are adjacent.
#[rustfmt::skip]
static ROWS: &[XmlRow] = &[
    row(Xinclude, "include", Attribute("href"), Uri),
    // RFC 4287.
    row(Atom, "link", Attribute("href"), Uri),
    row(Atom, "generator", Attribute("uri"), Uri),
    row(Atom, "generator", Attribute("url"), Uri),
    row(Atom, "icon", Text, Uri),
    row(Atom, "logo", Text, Uri),
    row(Atom, "uri", Text, Uri),
    // Version 0.3, whose elements later feeds still have.
    row(Atom, "url", Text, Uri),
    row(Atom, "homepage", Text, Uri),
    row(Atom, "id", Text, Uri).extended(),
    row(Atom, "category", Attribute("scheme"), Uri).extended(),
    row(Atom, "content", Attribute("src"), Uri),
    row(Atom, "content", Text, TypedHtml),
    row(Atom, "summary", Text, TypedHtml),
    row(Atom, "title", Text, TypedHtml),
    row(Atom, "subtitle", Text, TypedHtml),
    row(Atom, "rights", Text, TypedHtml),
    // RSS 2.0, and what 1.0 and 0.9x have of it.
    row(Rss, "link", Text, EntryLink),
    row(Rss, "guid", Text, Guid),
    row(Rss, "comments", Text, RssUri),
    row(Rss, "docs", Text, RssUri),
    row(Rss, "url", Text, RssUri),
    row(Rss, "source", Attribute("url"), Uri),
    row(Rss, "enclosure", Attribute("url"), Uri),
    row(Rss, "description", Text, EntryHtml),
    row(RssContent, "encoded", Text, EntryHtml),
    // Media RSS.
    row(Media, "content", Attribute("url"), Uri),
    row(Media, "thumbnail", Attribute("url"), Uri),
    row(Media, "player", Attribute("url"), Uri),
    row(Media, "license", Attribute("href"), Uri),
    row(Media, "subTitle", Attribute("href"), Uri),
    row(Media, "peerLink", Attribute("href"), Uri),
    row(Media, "embed", Attribute("url"), Uri),
    row(Itunes, "image", Attribute("href"), Uri),
    row(Itunes, "new-feed-url", Text, Uri),
    row(Podcast, "transcript", Attribute("url"), Uri),
    row(Podcast, "chapters", Attribute("url"), Uri),
    row(PodcastChapters, "chapter", Attribute("href"), Uri),
    row(PodcastChapters, "chapter", Attribute("image"), Uri),
    row(CreativeCommons, "license", Text, Uri),
    row(Podcast, "funding", Attribute("url"), Uri),
    row(Podcast, "person", Attribute("href"), Uri),
    row(Podcast, "person", Attribute("img"), Uri),
    row(Podcast, "source", Attribute("uri"), Uri),
    row(Podcast, "trailer", Attribute("url"), Uri),
    row(Podcast, "license", Attribute("url"), Uri),
    row(Podcast, "image", Attribute("href"), Uri),
    row(Podcast, "contentLink", Attribute("href"), Uri),
    row(Podcast, "remoteItem", Attribute("feedUrl"), Uri),
    row(Podcast, "socialInteract", Attribute("uri"), Uri),
    row(CommentApi, "comment", Text, Uri),
    row(CommentApi, "commentRss", Text, Uri),
    row(AtomThreads, "in-reply-to", Attribute("href"), Uri),
    // RDF 1.1 XML.
    row(Rdf, "*", Attribute("rdf:about"), Uri).extended(),
    row(Rdf, "*", Attribute("rdf:resource"), Uri).extended(),
    // sitemaps.org, and the extensions of Google.
    row(Sitemap, "loc", Text, Absolute),
    row(SitemapImage, "loc", Text, Absolute),
    row(SitemapVideo, "thumbnail_loc", Text, Absolute),
    row(SitemapVideo, "content_loc", Text, Absolute),
    row(SitemapVideo, "player_loc", Text, Absolute),
    // EPUB.
    row(Opf, "item", Attribute("href"), Uri),
    row(Opf, "reference", Attribute("href"), Uri),
    row(Opf, "link", Attribute("href"), Uri),
    row(Ncx, "content", Attribute("src"), Uri),
    // SMIL 3.0, for media overlays of EPUB.
    row(Smil, "text", Attribute("src"), Uri),
    row(Smil, "audio", Attribute("src"), Uri),
    row(Smil, "video", Attribute("src"), Uri),
    row(Smil, "img", Attribute("src"), Uri),
    // OOXML (ECMA-376).
    row(Relationships, "Relationship", Attribute("Target"), Relationship),
    row(Word, "fldSimple", Attribute("instr"), Field),
    row(Word, "instrText", Text, Field),
    row(Word, "fldChar", Text, FieldMark),
    row(Sheet, "hyperlink", Attribute("location"), Location),
    // Others.
    row(Opml, "outline", Attribute("xmlUrl"), Uri),
    row(Opml, "outline", Attribute("htmlUrl"), Uri),
    row(Opml, "outline", Attribute("url"), Uri),
    row(Xsl, "import", Attribute("href"), Uri),
    row(Xsl, "include", Attribute("href"), Uri),
    row(Xspf, "location", Text, Uri),
    row(Xspf, "info", Text, Uri),
    row(Xspf, "image", Text, Uri),
    row(Xspf, "identifier", Text, Uri).extended(),
    row(DocBook, "ulink", Attribute("url"), Uri),
    row(DocBook, "imagedata", Attribute("fileref"), Uri),
    row(DocBook, "videodata", Attribute("fileref"), Uri),
    row(DocBook, "audiodata", Attribute("fileref"), Uri),
    row(DocBook, "textdata", Attribute("fileref"), Uri),
    row(Gpx, "link", Attribute("href"), Uri),
    row(Gpx, "url", Text, Uri),
    row(Gpx, "license", Text, Uri),
    row(Kml, "href", Text, Uri),
    row(Kml, "styleUrl", Text, Uri),
    row(Kml, "targetHref", Text, Uri),
    row(Kml, "description", Text, EntryHtml),
    row(Dita, "*", Attribute("href"), Uri),
    row(Dita, "*", Attribute("conref"), Uri),
];

/// Returns the namespace of a name.
pub(super) fn namespace(name: &[u8]) -> Namespace {
    let known = NAMESPACES.iter().find(|(known, _)| *known == name);
    known.map_or(Unknown, |(_, namespace)| *namespace)
}

/// Returns the vocabulary of elements without a namespace, by the local name of the root.
pub(super) fn of_root(name: &[u8]) -> Namespace {
    let known = ROOTS.iter().find(|(known, _)| *known == name);
    known.map_or(Unknown, |(_, namespace)| *namespace)
}

/// Whether the name of a first element, as written, tells XML.
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

/// Returns the name in the row of an attribute, and its kind.
pub(super) fn attribute_row(
    rows: &'static [XmlRow],
    name: &[u8],
    extended: bool,
) -> Option<(&'static str, ValueKind)> {
    let mut rows = rows.iter().filter(|row| extended || !row.extended);
    rows.find_map(|row| match row.place {
        Attribute(known) if known.as_bytes() == name => Some((known, row.kind)),
        _ => None,
    })
}

/// Returns the element in the row of the text, and its kind.
pub(super) fn text_row(
    rows: &'static [XmlRow],
    extended: bool,
) -> Option<(&'static str, ValueKind)> {
    let mut rows = rows.iter().filter(|row| extended || !row.extended);
    let row = rows.find(|row| row.place == Text)?;
    Some((row.element, row.kind))
}

/// Returns the row of an attribute of RDF, which stands on elements of any namespace.
pub(super) fn rdf_attribute(local: &[u8], extended: bool) -> Option<(&'static str, ValueKind)> {
    let name = [b"rdf:", local].concat();
    attribute_row(rows(Rdf, b"*"), &name, extended)
}

#[cfg(test)]
#[path = "../../../tests/unit/document/xml/vocabulary.rs"]
mod tests;
