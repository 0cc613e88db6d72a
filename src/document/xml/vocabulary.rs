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

#[rustfmt::skip]
static ROOTS: &[(&[u8], Namespace)] = &[
    (b"rss", Rss), (b"opml", Opml), (b"urlset", Sitemap), (b"sitemapindex", Sitemap),
    (b"book", DocBook), (b"article", DocBook), (b"chapter", DocBook), (b"part", DocBook),
    (b"preface", DocBook), (b"appendix", DocBook), (b"refentry", DocBook), (b"topic", Dita),
    (b"concept", Dita), (b"task", Dita), (b"map", Dita), (b"bookmap", Dita), (b"dita", Dita),
    (b"glossentry", Dita), (b"troubleshooting", Dita), (b"sect1", DocBook),
];

/// Names of first elements by which XML is recognized without a declaration.
#[rustfmt::skip]
pub(super) static FIRST_ELEMENTS: &[&[u8]] = &[
    b"rss", b"feed", b"opml", b"urlset", b"sitemapindex", b"svg", b"rdf:RDF", b"ncx",
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
    /// The `guid` of RSS 2.0: a reference if `isPermaLink` says so, or does not say anything and it is absolute.
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

/// Rows by their namespaces: an element, an attribute or [`TEXT`], the kind, and whether it is extended.
macro_rules! rows {
    ($($namespace:ident: $($element:literal $attribute:tt $kind:ident $($extended:ident)?),+;)*) => {
        &[$($(XmlRow {
            namespace: $namespace,
            element: $element,
            attribute: $attribute,
            kind: $kind,
            extended: !stringify!($($extended)?).is_empty(),
        }),+),*]
    };
}

/// A `guid` of RSS 2.0 that says that it is a permanent link.
pub(super) static PERMALINK: &[XmlRow] = rows! { Rss: "guid" TEXT RssUri; };

/// Every row; the rows of an element are adjacent.
static ROWS: &[XmlRow] = rows! {
    Xinclude: "include" "href" Uri;
    // RFC 4287.
    Atom: "link" "href" Uri, "generator" "uri" Uri, "generator" "url" Uri, "icon" TEXT Uri,
        "logo" TEXT Uri, "uri" TEXT Uri;
    // Version 0.3, whose elements later feeds still have.
    Atom: "url" TEXT Uri, "homepage" TEXT Uri, "id" TEXT Uri extended,
        "category" "scheme" Uri extended, "content" "src" Uri, "content" TEXT TypedHtml,
        "summary" TEXT TypedHtml, "title" TEXT TypedHtml, "subtitle" TEXT TypedHtml,
        "rights" TEXT TypedHtml;
    // RSS 2.0, and what 1.0 and 0.9x have of it.
    Rss: "link" TEXT EntryLink, "guid" TEXT Guid, "comments" TEXT RssUri, "docs" TEXT RssUri,
        "url" TEXT RssUri, "source" "url" Uri, "enclosure" "url" Uri, "description" TEXT EntryHtml;
    RssContent: "encoded" TEXT EntryHtml;
    // Media RSS.
    Media: "content" "url" Uri, "thumbnail" "url" Uri, "player" "url" Uri, "license" "href" Uri,
        "subTitle" "href" Uri, "peerLink" "href" Uri, "embed" "url" Uri;
    Itunes: "image" "href" Uri, "new-feed-url" TEXT Uri;
    Podcast: "transcript" "url" Uri, "chapters" "url" Uri;
    PodcastChapters: "chapter" "href" Uri, "chapter" "image" Uri;
    CreativeCommons: "license" TEXT Uri;
    Podcast: "funding" "url" Uri, "person" "href" Uri, "person" "img" Uri, "source" "uri" Uri,
        "trailer" "url" Uri, "license" "url" Uri, "image" "href" Uri, "contentLink" "href" Uri,
        "remoteItem" "feedUrl" Uri, "socialInteract" "uri" Uri;
    CommentApi: "comment" TEXT Uri, "commentRss" TEXT Uri;
    AtomThreads: "in-reply-to" "href" Uri;
    // RDF 1.1 XML.
    Rdf: "*" "rdf:about" Uri extended, "*" "rdf:resource" Uri extended;
    // XLink 1.1, and XML Schema.
    Xlink: "*" "xlink:href" Uri;
    SchemaInstance: "*" "xsi:schemaLocation" Pairs extended;
    // sitemaps.org, and the extensions of Google.
    Sitemap: "loc" TEXT Absolute;
    SitemapImage: "loc" TEXT Absolute;
    SitemapVideo: "thumbnail_loc" TEXT Absolute, "content_loc" TEXT Absolute,
        "player_loc" TEXT Absolute;
    // EPUB.
    Opf: "item" "href" Uri, "reference" "href" Uri, "link" "href" Uri;
    Ncx: "content" "src" Uri;
    // SMIL 3.0, for media overlays of EPUB.
    Smil: "text" "src" Uri, "audio" "src" Uri, "video" "src" Uri, "img" "src" Uri;
    // OOXML (ECMA-376).
    Relationships: "Relationship" "Target" Relationship;
    Word: "fldSimple" "instr" Field, "instrText" TEXT Field, "fldChar" TEXT FieldMark;
    Sheet: "hyperlink" "location" Location;
    // Others.
    Opml: "outline" "xmlUrl" Uri, "outline" "htmlUrl" Uri, "outline" "url" Uri;
    Xsl: "import" "href" Uri, "include" "href" Uri;
    Xspf: "location" TEXT Uri, "info" TEXT Uri, "image" TEXT Uri, "identifier" TEXT Uri extended;
    DocBook: "ulink" "url" Uri, "imagedata" "fileref" Uri, "videodata" "fileref" Uri,
        "audiodata" "fileref" Uri, "textdata" "fileref" Uri, "graphic" "fileref" Uri,
        "inlinegraphic" "fileref" Uri;
    Gpx: "link" "href" Uri, "url" TEXT Uri, "license" TEXT Uri;
    Kml: "href" TEXT Uri, "styleUrl" TEXT Uri, "targetHref" TEXT Uri, "description" TEXT EntryHtml;
    Dita: "*" "href" Uri, "*" "conref" Uri;
};

pub(super) fn namespace(name: &[u8]) -> Namespace {
    let known = NAMESPACES.iter().find(|(known, _)| *known == name);
    known.map_or(Unknown, |(_, namespace)| *namespace)
}

pub(super) fn of_root(name: &[u8]) -> Namespace {
    let known = ROOTS.iter().find(|(known, _)| *known == name);
    known.map_or(Unknown, |(_, namespace)| *namespace)
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
