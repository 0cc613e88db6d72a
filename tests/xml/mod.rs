//! XML: documents in windows of any size, and cases of the rules of `document/xml`.

mod oracle;
mod tokens;

use std::ops::ControlFlow;

use uriscan::document::AnchorReporting;
use uriscan::document::events::Context;
use uriscan::extractor::{Document, Extractor, ExtractorOptions};
use uriscan::linker::{self, Link, Sink};
use uriscan::uri::{Base, BaseSource};
use uriscan::{Format, Positions};

use crate::text::soup::Numbers;

/// The references that the library finds, and its diagnostics.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    links: Vec<FoundLink>,
    anchors: Vec<String>,
    codes: Vec<(&'static str, u64)>,
}

#[derive(Debug, PartialEq, Eq)]
struct FoundLink {
    reference: String,
    target: Option<String>,
    element: Option<String>,
    attribute: Option<String>,
    /// Whether it stands in text of an unknown vocabulary.
    is_bare: bool,
    span: (u64, u64),
    flags: Vec<&'static str>,
}

impl Sink for Found {
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
        let target = link.target.as_ref().ok();
        self.links.push(FoundLink {
            reference: String::from_utf8_lossy(link.reference).into_owned(),
            target: target.map(|target| String::from_utf8_lossy(target).into_owned()),
            element: link.element.map(str::to_owned),
            attribute: link.attribute.map(str::to_owned),
            is_bare: link.context == Context::Bare,
            span: (link.span.start, link.span.end),
            flags: link.flags.names().collect(),
        });
        ControlFlow::Continue(())
    }

    fn event(&mut self, found: &linker::Found<'_>) {
        match found {
            linker::Found::Anchor(name, _) => {
                self.anchors
                    .push(String::from_utf8_lossy(name).into_owned());
            }
            linker::Found::Diagnostic(diagnostic) => {
                self.codes.push((diagnostic.code.name, diagnostic.count));
            }
            _ => {}
        }
    }
}

/// Reads a document `window` bytes at a time.
fn read(xml: &[u8], window: usize) -> Found {
    let base = Base {
        uri: b"http://example.com/dir/a.xml".to_vec(),
        source: BaseSource::RetrievalFile,
    };
    let mut options = ExtractorOptions::default().with_window(window);
    options.formats.anchors = AnchorReporting::Report;
    let mut extractor = Extractor::new(&options);
    let mut found = Found::default();
    let document = Document::new(Format::XML, Some(&base));
    let outcome = extractor.extract(&document, xml, &mut found);
    outcome.expect("a slice reads without errors");
    found
}

/// Checks that windows make no difference, that references stand where they are said to stand, and that
/// they are those of the tree.
pub(crate) fn check(xml: &[u8], window: usize) {
    let whole = read(xml, 1 << 20);
    assert_eq!(
        read(xml, window),
        whole,
        "windows of {window}: {:?}",
        String::from_utf8_lossy(xml)
    );
    if let Ok(text) = str::from_utf8(xml) {
        oracle::compare(text, &whole);
    }
    for link in &whole.links {
        let (start, end) = link.span;
        assert!(
            start <= end && end <= xml.len() as u64,
            "{link:?} in {:?}",
            String::from_utf8_lossy(xml)
        );
    }
}

fn references(xml: &str) -> Vec<String> {
    let found = read(xml.as_bytes(), 7).links.into_iter();
    found.map(|link| link.reference).collect()
}

fn targets(xml: &str) -> Vec<String> {
    let found = read(xml.as_bytes(), 7).links.into_iter();
    found.filter_map(|link| link.target).collect()
}

fn codes(xml: &str) -> Vec<&'static str> {
    let found = read(xml.as_bytes(), 7).codes.into_iter();
    found.map(|(code, _)| code).collect()
}

/// Pieces of documents, for soup.
const PIECES: &[&str] = &[
    "<?xml version='1.0'?>",
    "<?xml-stylesheet href='s.css'?>",
    "<!DOCTYPE a [<!ENTITY e 'x/'><!ENTITY f '&e;&e;'>]>",
    "<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'http://example.com/no.dtd'>",
    "<!--",
    "-->",
    "<!-- uriscan-ignore -->",
    "<![CDATA[",
    "]]>",
    "<rss version='2.0'>",
    "</rss>",
    "<channel>",
    "</channel>",
    "<item>",
    "</item>",
    "<link>",
    "</link>",
    "http://example.com/a",
    "b.html",
    "<description>",
    "</description>",
    "&lt;a href='c'&gt;",
    "<guid isPermaLink='false'>",
    "</guid>",
    "<svg xmlns='http://www.w3.org/2000/svg' xmlns:x='http://www.w3.org/1999/xlink'>",
    "</svg>",
    "<a href='d.html'>",
    "</a>",
    "<use x:href='#e'/>",
    "<style>p{x:url(f)}</style>",
    "<g xml:base='h/' id='i'>",
    "</g>",
    "<feed xmlns='http://www.w3.org/2005/Atom'>",
    "<link href='&e;&#65;'/>",
    "<content type='html'>",
    "</content>",
    "<html xmlns='http://www.w3.org/1999/xhtml'>",
    "<base href='http://example.org/'/>",
    "<img srcset='j 1x, k 2x'/>",
    "<iframe srcdoc='&lt;a href=&quot;l?m&amp;amp;n&quot;>'/>",
    "</html>",
    "<doc>",
    "</doc>",
    "<p q='http://example.net/r'>",
    "see http://example.org/s?t&amp;u ",
    "&e;",
    "&f;",
    "&nope;",
    "&",
    "&#x41;",
    "<",
    ">",
    "'",
    "\"",
    "=",
    "/",
    "\r\n",
    "\t",
    "\0",
    "\u{e9}",
    " ",
];

fn soup(seed: u64) -> String {
    let mut numbers = Numbers::seeded(seed);
    let count = 1 + numbers.below(30);
    (0..count)
        .map(|_| PIECES[numbers.below(PIECES.len())])
        .collect()
}

/// `XML_SEEDS=100000` in the environment runs more documents.
#[test]
fn windows_make_no_difference_to_generated_documents() {
    let seeds = std::env::var("XML_SEEDS").map(|seeds| seeds.parse());
    let seeds = seeds
        .unwrap_or(Ok(crate::rounds(700, 2_000)))
        .expect("XML_SEEDS is a number");
    for seed in 0..seeds {
        let window = 1 + Numbers::seeded(seed).below(40);
        check(soup(seed).as_bytes(), window);
    }
}

#[test]
fn windows_make_no_difference_to_documents_with_expectations() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/documents");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if extension.and_then(Format::of_extension) != Some(Format::XML) {
            continue;
        }
        let xml = std::fs::read(&path).unwrap();
        let step = (xml.len() / 40).max(1);
        for window in [1, 2, 3, 64] {
            check(&xml, window);
        }
        // Cut off anywhere.
        for end in (0..xml.len()).step_by(step) {
            check(&xml[..end], 5);
        }
        count += 1;
    }
    assert!(count > 15, "{count}");
}

#[test]
fn link_of_an_item_is_the_base_of_earlier_references() {
    let item = "<rss><channel><description>&lt;a href='x'></description><link>http://example.org/c/</link>\
        <item><description><![CDATA[<a href='y'> <link>no</link>]]></description>\
        <link>http://example.net/i/</link><comments>z</comments></item>\
        <item><description>&lt;a href='w'></description></item></channel></rss>";
    assert_eq!(
        targets(item),
        [
            "http://example.org/c/x",
            "http://example.org/c/",
            "http://example.net/i/y",
            "http://example.net/i/",
            "http://example.com/dir/z",
            "http://example.com/dir/w",
        ]
    );
}

#[test]
fn a_link_after_the_description_is_read_as_one_before_it() {
    let description = "<description>&lt;a href='x'></description>";
    for link in [
        "<link>http://example.org/i/</link>",
        "<link />\n<link>http://example.org/i/</link>",
        "<link></link><link>http://example.org/i/</link>",
        "<link>\n<![CDATA[http://example.org/i/]]>\n</link>",
        "<link><!-- a --> http://example.org<?b c?>/i/ <!-- d --></link>",
        "<link a='>'>http://example.org/i/</link>",
        "<link>http://<![CDATA[example.org]]>/i&#47;</link>",
        "<a:link xmlns:a='http://www.w3.org/2005/Atom'>no</a:link><link>http://example.org/i/</link>",
        "<image><link>no</link></image><link>http://example.org/i/</link>",
        "<image/><textInput/><link>http://example.org/i/</link>",
        "<media title='&lt;/item>'/><link>http://example.org/i/</link>",
    ] {
        let item = |inner: &str| format!("<rss><channel><item>{inner}</item></channel></rss>");
        let after = targets(&item(&format!("{description}{link}")));
        let before = targets(&item(&format!("{link}{description}")));
        assert_eq!(before.last().unwrap(), "http://example.org/i/x", "{link}");
        assert_eq!(after.first(), before.last(), "{link}");
    }
    let channel = "<rss><channel><description>&lt;a href='x'></description>\
        <item><link>http://example.net/i/</link></item><link>http://example.org/c/</link></channel></rss>";
    assert_eq!(targets(channel)[0], "http://example.org/c/x");
}

#[test]
fn alternates_in_a_sitemap_are_absolute() {
    let sitemap = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'
        xmlns:xhtml='http://www.w3.org/1999/xhtml'><url><loc>http://example.com/a</loc>
        <xhtml:link rel='alternate' hreflang='de' href='/de/a'/>
        <xhtml:link rel='alternate' hreflang='fr' href='http://example.com/fr/a'/></url></urlset>";
    let links = read(sitemap.as_bytes(), 7).links.into_iter().skip(1);
    let links = links.map(|link| (link.reference, link.target, link.flags));
    let links = links.collect::<Vec<_>>();
    let absolute = "http://example.com/fr/a".to_owned();
    let expected = [
        ("/de/a".to_owned(), None, vec!["nonconforming"]),
        (absolute.clone(), Some(absolute), vec![]),
    ];
    assert_eq!(links, expected);
}

#[test]
fn faults_under_inner_bases_are_counted_in_one_diagnostic() {
    let feed = "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='http://example.com/'>&a;\
        <entry xml:base='b/'>&b;<content type='html'>&lt;base href='http://['>&lt;a href='x'>\
        &lt;iframe srcdoc=\"&lt;base href='http://['>&lt;a href='y'>\"></content></entry>&c;</feed>";
    let found = read(feed.as_bytes(), 7).codes;
    assert_eq!(
        found,
        [("xml.not-well-formed", 3), ("html.base-refused", 2)]
    );
}

#[test]
fn the_base_of_xhtml_counts_and_xml_base_does_without_one() {
    let xhtml = |head: &str| {
        format!(
            "<html xmlns='http://www.w3.org/1999/xhtml'><head>{head}</head>\
             <body xml:base='http://example.net/n/'><a href='x'/></body></html>"
        )
    };
    let based = xhtml("<base href='http://example.org/o/'/>");
    assert_eq!(targets(&based), ["http://example.org/o/x"]);
    assert_eq!(targets(&xhtml("")), ["http://example.net/n/x"]);
    // XHTML inside a feed has no base for the feed.
    let feed = "<feed xmlns='http://www.w3.org/2005/Atom'><entry xml:base='e/'><content type='xhtml'>\
        <base xmlns='http://www.w3.org/1999/xhtml' href='no/'/></content><link href='x'/></entry>\
        <entry xml:base='http://example.net/n/'><link href='x'/></entry></feed>";
    let expected = ["http://example.com/dir/e/x", "http://example.net/n/x"];
    assert_eq!(targets(feed), expected);
}

#[test]
fn base_elements_in_a_description_resolve_against_the_link_of_the_item() {
    for html in [
        "&lt;base href='b/'>&lt;a href='x'>",
        "&lt;a href='x'>&lt;base href='b/'>",
    ] {
        let item = format!(
            "<rss><item><link>http://example.net/i/</link><description>{html}</description></item></rss>"
        );
        let expected = ["http://example.net/i/", "http://example.net/i/b/x"];
        assert_eq!(targets(&item), expected, "{html}");
    }
}

#[test]
fn damage_is_diagnosed_and_later_references_are_read() {
    let feed = "<feed xmlns='http://www.w3.org/2005/Atom'>";
    for damage in [
        "<title>a & b</title>",
        "<title>&nope;</title>",
        "<p><q></p>",
        "</nothing>",
        "<p a='b<p>",
        "<p a=b></p>",
        "<p a='b < c'/>",
        "<p></p q>",
        "a < b",
        "<p xmlns='urn:example:a&b' xmlns:c='d'><q e='f'/> g</p>",
    ] {
        let xml = format!("{feed}<link href='before'/>{damage}<link href='after'/></feed>");
        assert_eq!(references(&xml), ["before", "after"], "{damage}");
        assert_eq!(codes(&xml), ["xml.not-well-formed"], "{damage}");
    }
    assert_eq!(
        codes(&format!("{feed}<link href='a'/>")),
        ["xml.not-well-formed"]
    );
    let footer = format!("{feed}<link href='a'/>http://b.example/</feed>\nhttp://c.example/\n");
    assert_eq!(references(&footer), ["a", "http://c.example/"]);
    // The end of the document leaves out what it cuts.
    for (cut, expected) in [
        ("<link href='cut'", &["a", "cut"][..]),
        ("<link href='cut' title='x", &["a", "cut"]),
        ("<link href='cut' title = ", &["a", "cut"]),
        ("<link href='cut' title='<!-- x", &["a", "cut"]),
        ("<link title='' href=cut", &["a"]),
        ("<link href='cut", &["a"]),
        ("<link ", &["a"]),
    ] {
        let xml = format!("{feed}<link href='a'/>{cut}");
        assert_eq!(references(&xml), expected, "{cut}");
        assert_eq!(codes(&xml), ["xml.not-well-formed"], "{cut}");
    }
    // Faults that change no reference (X17).
    for fault in [
        "<?>?>",
        "<title>a <? b?> c ]]></title>",
        "<!-- a -- b -->",
        "<p a='&nope;' b='' b=''/>",
    ] {
        let xml = format!("x {feed}<link href='a'/>{fault}<link href='b'/></feed> x");
        assert_eq!(references(&xml), ["a", "b"], "{fault}");
        assert_eq!(codes(&xml), [] as [&str; 0], "{fault}");
    }
    assert_eq!(
        codes(&format!("{feed}<link href='a'/></feed>")),
        [] as [&str; 0]
    );
}

#[test]
fn a_guid_that_is_a_permanent_link_may_be_relative() {
    let guid = |attribute: &str| {
        let guid = format!("<guid {attribute}>a/b</guid>");
        references(&format!(
            "<rss><channel><item>{guid}</item></channel></rss>"
        ))
    };
    assert_eq!(guid("isPermaLink='true'"), ["a/b"]);
    assert_eq!(guid(""), [] as [&str; 0]);
    assert_eq!(guid("isPermaLink='false'"), [] as [&str; 0]);
}

#[test]
fn entities_are_expanded_up_to_the_limit() {
    let recursive = "<!DOCTYPE f [<!ENTITY a '&b;'><!ENTITY b '&a;'>]>\
        <feed xmlns='http://www.w3.org/2005/Atom'><link href='x&a;'/><link href='y'/></feed>";
    assert_eq!(codes(recursive), ["xml.entity-limit"]);
    assert_eq!(references(recursive).last().map(String::as_str), Some("y"));
    // What may be declared elsewhere is no fault.
    for open in ["%b;", "<!ENTITY % b SYSTEM 'b.ent'> %b;"] {
        let xml = format!("<!DOCTYPE f [{open}]><f>&a;</f>");
        assert_eq!(codes(&xml), [] as [&str; 0], "{open}");
    }
    // They may stand for the name of a namespace.
    let drawn = "<!DOCTYPE svg [<!ENTITY ns 'http://www.w3.org/2000/svg'>]>\
        <svg xmlns='&ns;'><circle fill='url(#a)'/></svg>";
    assert_eq!(references(drawn), ["#a"]);
    // The start of a reference before another one is text.
    let doubled = "<!DOCTYPE f [<!ENTITY a 'x&#38;#&#38;#65;&#38;b&#38;#x42;y'>]>\
        <feed xmlns='http://www.w3.org/2005/Atom'><link href='?&a;z'/></feed>";
    assert_eq!(references(doubled), ["?x&#A&bByz"]);
    // An external entity is never loaded.
    let external = "<!DOCTYPE f [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>\
        <feed xmlns='http://www.w3.org/2005/Atom'><title type='html'>&a;</title></feed>";
    assert_eq!(references(external), [] as [&str; 0]);
    assert_eq!(codes(external), [] as [&str; 0]);
}

#[test]
fn hostile_documents_are_read_in_linear_time_and_bounded_memory() {
    let svg = "<svg xmlns='http://www.w3.org/2000/svg'>";
    let deep = "<g xml:base='a/'>".repeat(1_000_000);
    let found = read(format!("{svg}{deep}<a href='x'/>").as_bytes(), 1 << 16);
    assert_eq!(found.links.len(), 1);
    assert!(
        found
            .codes
            .iter()
            .any(|(code, _)| *code == "xml.depth-limit")
    );

    let long = "x".repeat(5 << 20);
    let too_long = Some("xml.value-too-long");
    for (middle, code) in [
        (format!("<a href='{long}'/>"), too_long),
        (format!("<{long} href='z'/>"), too_long),
        (format!("<a {long}='z'/>"), too_long),
        (format!("<style>{long}</style>"), too_long),
        (format!("<!--{long}-->"), None),
        (format!("<?pi {long}?>"), None),
    ] {
        let xml = format!("{svg}{middle}<a href='y'/></svg>");
        let found = read(xml.as_bytes(), 1 << 16);
        assert_eq!(found, read(xml.as_bytes(), 64 << 20), "{}", &middle[..10]);
        assert_eq!(
            found.codes.first().map(|(code, _)| *code),
            code,
            "{}",
            &middle[..10]
        );
        let last = found.links.last().map(|link| &*link.reference);
        assert_eq!(last, Some("y"), "{}", &middle[..10]);
    }
    // Internal subsets: many entities, one of a great length, and each in the next.
    let many: String = (0..20_000)
        .map(|number| format!("<!ENTITY e{number} 'x'>"))
        .collect();
    let nested: String = (1..20_000)
        .map(|number| format!("<!ENTITY e{number} '&e{};&e{0};'>", number - 1))
        .collect();
    for (subset, entity, code) in [
        (many, "e9", None),
        (nested, "e9000", Some("xml.entity-limit")),
        (format!("<!ENTITY e '{long}'>"), "e", too_long),
        (
            format!("<!ENTITY e '{}'>", &long[..3 << 20]),
            "e",
            Some("xml.entity-limit"),
        ),
    ] {
        let xml =
            format!("<!DOCTYPE svg [{subset}]>{svg}<a href='&{entity};'/><a href='y'/></svg>");
        let found = read(xml.as_bytes(), 1 << 16);
        let last = found.links.last().map(|link| &*link.reference);
        assert_eq!(last, Some("y"), "{}", &subset[..20]);
        let codes: Vec<_> = found.codes.iter().map(|(code, _)| *code).collect();
        assert!(
            code.is_none_or(|code| codes.contains(&code)),
            "{codes:?}: {}",
            &subset[..20]
        );
    }
    for unit in [
        "<",
        "&",
        "<a ",
        "<!--",
        "<![CDATA[",
        "<?",
        "<!DOCTYPE [",
        "&#",
        "</a",
        "<a href='",
    ] {
        let xml = [svg, &unit.repeat(300_000)].concat();
        assert!(read(xml.as_bytes(), 1 << 16).links.len() <= 1, "{unit}");
    }
}

#[test]
fn identifiers_of_systems_and_locations_of_schemas_are_references_on_request() {
    let xml = "<!DOCTYPE a PUBLIC '-//X' 'a.dtd' [<!ENTITY b SYSTEM 'b.ent'>]>\
        <a xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:schemaLocation='urn:example:c c.xsd urn:example:d d.xsd'/>";
    assert_eq!(references(xml), [] as [&str; 0]);
    let mut options = ExtractorOptions::default();
    options.formats.html.extended = true;
    let mut found = Found::default();
    let document = Document::new(Format::XML, None);
    let outcome = Extractor::new(&options).extract(&document, xml.as_bytes(), &mut found);
    outcome.expect("a slice reads without errors");
    let found: Vec<_> = found.links.iter().map(|link| &*link.reference).collect();
    assert_eq!(found, ["a.dtd", "b.ent", "c.xsd", "d.xsd"]);
}

#[test]
fn vocabularies_have_their_references() {
    for (xml, expected) in [
        (
            "<gpx xmlns='http://www.topografix.com/GPX/1/1'><metadata><link href='a'><text>b</text></link></metadata></gpx>",
            "a",
        ),
        (
            "<kml xmlns='http://www.opengis.net/kml/2.2'><Icon><href> a </href></Icon><styleUrl>#b</styleUrl></kml>",
            "a #b",
        ),
        (
            "<playlist xmlns='http://xspf.org/ns/0/'><track><location>a</location><info>b</info></track></playlist>",
            "a b",
        ),
        (
            "<article><ulink url='a'/><imagedata fileref='b.png'/></article>",
            "a b.png",
        ),
        (
            "<sect1><graphic fileref='a.png'/><inlinegraphic fileref='b.png'/></sect1>",
            "a.png b.png",
        ),
        (
            "<glossentry><p conref='a.dita#b/c'/><xref href='d.dita'/></glossentry>",
            "a.dita#b/c d.dita",
        ),
        // Bibliographies of RFCs have this root, too.
        (
            "<reference target='http://example.com/a'/>",
            "http://example.com/a",
        ),
        (
            "<rss xmlns:m='http://search.yahoo.com/mrss/' xmlns:p='https://podcastindex.org/namespace/1.0'>\
             <m:content url='a'/><m:player url='b'/><p:chapters url='c'/><p:person href='d' img='e'/></rss>",
            "a b c d e",
        ),
        (
            "<feed xmlns='http://purl.org/atom/ns#'><generator url='a'/><author><url>b</url><homepage>c</homepage></author></feed>",
            "a b c",
        ),
        (
            "<rss xmlns:i='http://www.itunes.com/DTDs/Podcast-1.0.dtd' xmlns:p='http://podlove.org/simple-chapters'>\
             <i:image href='a'/><p:chapter href='b' image='c'/>\
             <l:license xmlns:l='http://backend.userland.com/creativeCommonsRssModule'>d</l:license></rss>",
            "a b c d",
        ),
    ] {
        assert_eq!(references(xml).join(" "), expected, "{xml}");
    }
}

#[test]
fn ids_are_anchors() {
    for xml in [
        "<svg xmlns='http://www.w3.org/2000/svg'><symbol id='a'/><g xml:id='b'/></svg>",
        "<doc><p id='a'/><q xml:id='b'/></doc>",
        "<html xmlns='http://www.w3.org/1999/xhtml'><p id='a'/><a name='b'/></html>",
    ] {
        assert_eq!(read(xml.as_bytes(), 7).anchors, ["a", "b"], "{xml}");
    }
}

#[test]
fn documents_in_iso_2022_jp_are_decoded() {
    let mut xml = b"<?xml version='1.0' encoding='iso-2022-jp'?><opml><outline url='".to_vec();
    xml.extend_from_slice(b"\x1b$BI=\x1b(B.html'/></opml>");
    check(&xml, 3);
    assert_eq!(read(&xml, 7).links[0].reference, "\u{8868}.html");
}

#[test]
fn is_xml_by_its_first_bytes() {
    use uriscan::document::sniff::{Content, content};
    let is_xml = |head: &str| matches!(content(b"a", head.as_bytes(), &[], None), Content::Document(format) if *format == *Format::XML);
    for head in [
        "<?xml version='1.0'?><a/>",
        "\u{feff}<?xml version='1.0'?><a/>",
        "<!-- c -->\n<svg xmlns='http://www.w3.org/2000/svg'/>",
        "<rss version='2.0'><channel/></rss>",
        "<s:svg xmlns:s='http://www.w3.org/2000/svg'/>",
    ] {
        assert!(is_xml(head), "{head}");
    }
    for head in [
        "<p>a</p>",
        "<html><body>",
        "a <?xml",
        "<",
        "",
        "<?php echo 1 ?><a/>",
    ] {
        assert!(!is_xml(head), "{head}");
    }
}

/// An instruction in three runs, between the marks of a field, and the offset of each unit.
fn field(units: &[&str], first: usize, second: usize) -> (String, Vec<usize>) {
    let mut xml =
        format!("<w:document xmlns:w='{WORD}'><w:p><w:r><w:fldChar w:fldCharType='begin'/></w:r>");
    let mut offsets = Vec::new();
    for run in [&units[..first], &units[first..second], &units[second..]] {
        xml.push_str("<w:r><w:instrText xml:space='preserve'>");
        for unit in run {
            offsets.push(xml.len());
            xml.push_str(unit);
        }
        xml.push_str("</w:instrText></w:r>");
    }
    xml.push_str("<w:r><w:fldChar w:fldCharType='separate'/><w:t>x</w:t></w:r></w:p></w:document>");
    (xml, offsets)
}

const WORD: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";

#[test]
fn instructions_over_windows_have_the_positions_of_one_window() {
    let xml = format!(
        "<w:document xmlns:w=\"{WORD}\"><w:body>\n<w:r><w:instrText> HYPERLINK \"http://a\
         </w:instrText></w:r>\n<w:r><w:instrText>.example/\" </w:instrText></w:r>\n\
         <w:r><w:fldChar w:fldCharType=\"end\"/></w:r></w:body></w:document>"
    );
    for window in [1, 7, 1000] {
        let options = ExtractorOptions::default()
            .with_positions(Positions::Lines)
            .with_window(window);
        let mut positions = Vec::new();
        let mut sink = |link: &Link<'_>| positions.extend(link.position);
        let document = Document::new(Format::named("xml").unwrap(), None);
        Extractor::new(&options).extract_bytes(&document, xml.as_bytes(), &mut sink);
        let [position] = positions[..] else {
            panic!("{} links", positions.len());
        };
        assert_eq!((position.line, position.column), (2, 31), "{window}");
    }
}

#[test]
fn instructions_are_joined_over_runs() {
    let word = [
        (
            r#" HYPERLINK "http://a.example/?b&c" \o "HYPERLINK x" "#,
            "http://a.example/?b&c",
        ),
        (r#"HYPERLINK \o "a tip" "é.html" \l "b""#, "é.html"),
        (
            "includepicture \\c x http://a.example/é.png",
            "http://a.example/é.png",
        ),
        (r#" HYPERLINK \l "_Toc1" "#, ""),
        (r#" REF HYPERLINK "x" "#, ""),
    ];
    for (instruction, expected) in word {
        let characters: Vec<String> = instruction
            .chars()
            .map(|character| match character {
                '&' => "&amp;".to_owned(),
                other => other.to_string(),
            })
            .collect();
        let units: Vec<&str> = characters.iter().map(String::as_str).collect();
        let at = instruction.find(expected).unwrap();
        let at = instruction[..at].chars().count();
        let end = at + expected.chars().count();
        for first in 0..=units.len() {
            for second in first..=units.len() {
                let (xml, offsets) = field(&units, first, second);
                let found = read(xml.as_bytes(), 1);
                assert_eq!(found.codes, [], "{xml}");
                let links: Vec<_> = (found.links.iter())
                    .map(|link| (link.reference.as_str(), link.span))
                    .collect();
                if expected.is_empty() {
                    assert_eq!(links, [], "{xml}");
                    continue;
                }
                let last = offsets[end - 1] + units[end - 1].len();
                let span = (offsets[at] as u64, last as u64);
                assert_eq!(links, [(expected, span)], "{xml}");
            }
        }
    }
}

#[test]
fn instructions_end_with_their_field() {
    let mark = "<w:fldChar w:fldCharType='end'/>";
    let read = |runs: &[&str]| {
        let runs: String = runs
            .iter()
            .map(|run| match *run {
                "|" => mark.to_owned(),
                run => format!("<w:r><w:instrText>{run}</w:instrText></w:r>"),
            })
            .collect();
        let xml = format!("<w:document xmlns:w='{WORD}'>{runs}</w:document>");
        (references(&xml), codes(&xml))
    };
    let broken = "package.field-broken";
    let long = "x".repeat(5000);
    let links = |links: &[&str]| -> Vec<String> { links.iter().map(|&link| link.into()).collect() };
    for (runs, expected, diagnosed) in [
        (
            &["HYPERLINK \"a", "|", "b\" "][..],
            links(&[]),
            &[broken][..],
        ),
        (
            &["HYPERLINK a", "|", "HYPERLINK b", "|"],
            links(&["a", "b"]),
            &[],
        ),
        (
            &["HYPERLINK \"a\" ", "HYPERLINK \"b\""],
            links(&["a", "b"]),
            &[],
        ),
        (
            &["|", "HYPERLINK \"a\" ", "HYPERLINK \"b\""],
            links(&["a"]),
            &[],
        ),
        (
            &["HYPERLINK \\l \"a\" ", "HYPERLINK \"b", "c\""],
            links(&["bc"]),
            &[],
        ),
        (&["PAGE ", "|", "HYPERLINK b"], links(&["b"]), &[]),
        (
            &["HYPERLINK \"", &long, &long, "\"", "|", "HYPERLINK b"],
            links(&["b"]),
            &[broken],
        ),
        (&["HYPERLINK \"a"], links(&[]), &[broken]),
    ] {
        assert_eq!(read(runs), (expected, diagnosed.to_vec()), "{runs:?}");
    }
}
