//! The references of XML documents by the tree that roxmltree makes of them, and a table of our own.

use roxmltree::{Document, Error, Node, ParsingOptions};
use url::Url;

use super::{Found, FoundLink, read};

const XML: &str = "http://www.w3.org/XML/1998/namespace";
const XLINK: &str = "http://www.w3.org/1999/xlink";
const XHTML: &str = "http://www.w3.org/1999/xhtml";
const SVG: &str = "http://www.w3.org/2000/svg";
const MATHML: &str = "http://www.w3.org/1998/Math/MathML";
const ATOM: &str = "http://www.w3.org/2005/Atom";
const SITEMAP: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";
const DOCBOOK: &str = "http://docbook.org/ns/docbook";
const SITEMAP_IMAGE: &str = "http://www.google.com/schemas/sitemap-image/1.1";
const MEDIA: &str = "http://search.yahoo.com/mrss/";
const ITUNES: &str = "http://www.itunes.com/dtds/podcast-1.0.dtd";

/// A reference: its element and attribute, and its text. Of text of unknown vocabularies neither is known.
type Reference = (Option<String>, Option<String>, String);

/// What the tree says.
#[derive(Default)]
struct Expected {
    references: Vec<Reference>,
    targets: Vec<Option<String>>,
    /// Whether there is HTML inside, or something else that this reading does not know.
    is_beyond: bool,
}

/// The attributes that are references, by namespace and element.
fn attribute_is_reference(space: &str, element: &str, attribute: &str) -> bool {
    match space {
        "rss" => matches!((element, attribute), ("enclosure" | "source", "url")),
        ATOM => matches!(
            (element, attribute),
            ("link", "href") | ("content", "src") | ("generator", "uri" | "url")
        ),
        MEDIA => matches!(
            (element, attribute),
            ("content" | "thumbnail" | "player", "url")
        ),
        ITUNES => (element, attribute) == ("image", "href"),
        DOCBOOK => matches!(
            (element, attribute),
            ("ulink", "url") | ("imagedata", "fileref")
        ),
        SVG => matches!((element, attribute), ("a" | "image" | "use", "href")),
        XHTML => matches!(
            (element, attribute),
            ("a" | "link", "href") | ("img", "src")
        ),
        _ => false,
    }
}

/// The elements whose text is a reference.
fn text_is_reference(space: &str, element: &str) -> bool {
    match space {
        "rss" => matches!(element, "link" | "comments" | "docs" | "url" | "guid"),
        ATOM => matches!(element, "icon" | "logo" | "uri" | "url" | "homepage"),
        SITEMAP | SITEMAP_IMAGE => element == "loc",
        ITUNES => element == "new-feed-url",
        _ => false,
    }
}

fn is_white(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\r' | '\n')
}

/// The text of an element before its first child element, in which comments and instructions are left
/// out.
fn text_before_children(node: Node<'_, '_>) -> String {
    let children = node.children().take_while(|child| !child.is_element());
    let texts = children
        .filter(Node::is_text)
        .filter_map(|child| child.text());
    texts.collect()
}

impl Expected {
    fn push(&mut self, element: Option<&str>, attribute: Option<&str>, text: &str, base: &Url) {
        let text = text.trim_matches(is_white);
        if !text.is_empty() {
            let names = [element, attribute].map(|name| name.map(str::to_owned));
            let [element, attribute] = names;
            self.references.push((element, attribute, text.to_owned()));
            // Both families of rules resolve plain references in the same way.
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/:.-#".contains(&byte);
            let target = text
                .bytes()
                .all(is_plain)
                .then(|| base.join(text).ok())
                .flatten();
            self.targets.push(target.map(String::from));
        }
    }

    fn text(&mut self, text: &str, base: &Url) {
        for word in text
            .split(is_white)
            .filter(|word| word.starts_with("http://"))
        {
            self.push(None, None, word.trim_end_matches('.'), base);
        }
    }

    fn element(&mut self, node: Node<'_, '_>, root: &str, base: &Url) {
        let name = node.tag_name();
        let space = match name.namespace() {
            None | Some("") => root,
            Some(space) if root == "unknown" && !is_known(space) => "unknown",
            Some(space) => space,
        };
        let base = match node.attribute((XML, "base")) {
            Some(base_of_element) => match base.join(base_of_element.trim_matches(is_white)) {
                Ok(base) => base,
                Err(_) => {
                    self.is_beyond = true;
                    return;
                }
            },
            None => base.clone(),
        };
        let is_markup = [XHTML, SVG, MATHML].contains(&space);
        let has_href = node.attribute("href").is_some();
        for attribute in node.attributes() {
            match (attribute.namespace(), attribute.name()) {
                (Some(XLINK), "href")
                    if space == SVG
                        && !has_href
                        && attribute_is_reference(SVG, name.name(), "href") =>
                {
                    self.push(
                        Some(name.name()),
                        Some("xlink:href"),
                        attribute.value(),
                        &base,
                    );
                }
                (Some(XLINK), "href") if is_markup => {}
                (Some(XLINK), "href") => {
                    let kind = node.attribute((XLINK, "type"));
                    if kind.is_none_or(|kind| kind == "simple" || kind == "locator") {
                        self.push(
                            Some(name.name()),
                            Some("xlink:href"),
                            attribute.value(),
                            &base,
                        );
                    }
                }
                (None, local) if attribute_is_reference(space, name.name(), local) => {
                    self.push(Some(name.name()), Some(local), attribute.value(), &base);
                }
                (None, local) if space == "unknown" && local != "id" => {
                    let value = attribute.value().trim_matches(is_white);
                    if value.starts_with("http://") && value.len() > 7 && !value.contains(is_white)
                    {
                        self.push(Some(name.name()), Some(local), value, &base);
                    }
                }
                _ => {}
            }
        }
        let text = text_before_children(node);
        let is_html = match (space, name.name()) {
            ("rss", "description") => true,
            (ATOM, "content" | "summary" | "title") => node.attribute("type").is_some(),
            (XHTML | SVG, "style" | "script") => true,
            _ => false,
        };
        self.is_beyond |= is_html && !text.trim_matches(is_white).is_empty();
        if text_is_reference(space, name.name()) {
            let text = text.trim_matches(is_white);
            let is_guid = name.name() == "guid";
            let is_none = is_guid
                && (node.attribute("isPermaLink") == Some("false") || !text.starts_with("http:"));
            if !is_none {
                self.push(Some(name.name()), None, text, &base);
                if space == SITEMAP && !text.starts_with("http:") {
                    self.targets.pop();
                    self.targets.push(None);
                }
            }
        }
        for child in node.children() {
            if child.is_element() {
                self.element(child, root, &base);
            } else if child.is_text() && space == "unknown" {
                self.text(child.text().unwrap_or_default(), &base);
            }
        }
    }
}

/// Whether the vocabulary of a namespace is known.
fn is_known(space: &str) -> bool {
    let prefixes = [
        "http://www.",
        "http://search.yahoo.com/",
        "http://docbook.org/",
        "http://purl.org/",
    ];
    prefixes.iter().any(|prefix| space.starts_with(prefix))
}

/// The vocabulary of elements without a namespace.
fn vocabulary(root: Node<'_, '_>) -> &'static str {
    let name = root.tag_name();
    match (name.namespace(), name.name()) {
        (None, "rss") => "rss",
        (None, "urlset") => SITEMAP,
        (None, "book" | "article") => DOCBOOK,
        (None, "opml" | "sitemapindex" | "topic" | "map" | "chapter") => "other",
        (None, _) => "unknown",
        (Some(space), _) if !is_known(space) => "unknown",
        // Elements without a namespace in another vocabulary are none of a vocabulary of their own.
        _ => "nameless",
    }
}

/// Whether we diagnose this fault (X17): it changes which elements, attributes and texts there are, and is
/// not in a namespace, a declaration or an entity with markup inside.
fn is_diagnosed(error: &Error) -> bool {
    matches!(
        error,
        Error::UnexpectedCloseTag(..)
            | Error::NoRootNode
            | Error::UnclosedRootNode
            | Error::InvalidAttributeValue(_)
    )
}

/// Compares what was found with the tree of a document.
pub(super) fn compare(xml: &str, found: &Found) {
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    let has = |wanted: &str| found.codes.iter().any(|(code, _)| *code == wanted);
    let document = match Document::parse_with_options(xml, options) {
        Ok(document) => document,
        Err(error) => {
            let is_told = !is_diagnosed(&error) || has("xml.not-well-formed");
            assert!(is_told, "{error}: {xml:?}");
            return;
        }
    };
    if has("xml.depth-limit") || has("xml.entity-limit") || has("xml.value-too-long") {
        return;
    }
    assert!(!has("xml.not-well-formed"), "{xml:?}");
    let mut expected = Expected::default();
    let base = Url::parse("http://example.com/dir/a.xml").unwrap();
    for node in document.root().children().filter(Node::is_pi) {
        expected.is_beyond |= node.pi().is_some_and(|pi| pi.target == "xml-stylesheet");
    }
    let root = document.root_element();
    expected.element(root, vocabulary(root), &base);
    // References of characters in replacement texts are left as they are by roxmltree.
    expected.is_beyond |= xml.contains("&#38;#");
    // A base element counts before xml:base.
    if expected.is_beyond
        || document
            .descendants()
            .any(|node| node.has_tag_name((XHTML, "base")))
    {
        return;
    }
    let known = |link: &&FoundLink| {
        link.is_bare
            || expected.references.iter().any(|(element, attribute, _)| {
                (element, attribute) == (&link.element, &link.attribute)
            })
    };
    let links: Vec<_> = found.links.iter().filter(known).collect();
    // The table of HTML leaves white space around references as it is.
    let got = links.iter().map(|link| {
        let text = link.reference.trim_matches(is_white).to_owned();
        (link.element.clone(), link.attribute.clone(), text)
    });
    let got: Vec<Reference> = got.collect();
    assert_eq!(got, expected.references, "{xml:?}");
    for (link, target) in links.iter().zip(&expected.targets) {
        if let (Some(target), Some(got)) = (target, &link.target) {
            assert_eq!(got, target, "{link:?} in {xml:?}");
        }
    }
}

/// Documents that are well-formed, now and then but for one piece.
pub(super) mod generate {
    use crate::text::soup::Numbers;

    const ROOTS: &[&str] = &[
        "rss version='2.0' xmlns:media='http://search.yahoo.com/mrss/' xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd' xmlns:atom='http://www.w3.org/2005/Atom'",
        "feed xmlns='http://www.w3.org/2005/Atom'",
        "urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'",
        "urlset",
        "svg xmlns='http://www.w3.org/2000/svg' xmlns:x='http://www.w3.org/1999/xlink'",
        "html xmlns='http://www.w3.org/1999/xhtml'",
        "book xmlns='http://docbook.org/ns/docbook' xmlns:l='http://www.w3.org/1999/xlink'",
        "data",
        "n:data xmlns:n='urn:example:n' xmlns:x='http://www.w3.org/1999/xlink'",
    ];
    const ELEMENTS: &[&str] = &[
        "channel",
        "item",
        "link",
        "guid",
        "comments",
        "docs",
        "enclosure",
        "source",
        "title",
        "icon",
        "logo",
        "uri",
        "content",
        "generator",
        "loc",
        "url",
        "a",
        "image",
        "use",
        "g",
        "img",
        "p",
        "ulink",
        "imagedata",
        "para",
        "data",
    ];
    const ATTRIBUTES: &[&str] = &[
        "href",
        "src",
        "url",
        "uri",
        "fileref",
        "id",
        "class",
        "isPermaLink",
        "title",
        "xml:base",
        "xml:id",
        "xml:lang",
    ];
    const VALUES: &[&str] = &[
        "http://example.com/a",
        "b.html",
        "c/d",
        "#e",
        "false",
        "&e;f",
        "http://example.org/&#x67;",
        " h ",
        "http://example.net/?i&amp;j",
        "",
        "\u{e9}",
        "k\tl",
        "../m",
        "&quot;",
        "http://example.com/ n",
        "/o/",
    ];
    const TEXTS: &[&str] = &[
        " http://example.com/t1 ",
        " word ",
        "\n  ",
        "p.html",
        "&amp;",
        "&#32;",
        "<![CDATA[ q ]]>",
        "<!-- c -->",
        "<?pi d?>",
        " http://example.org/u&amp;v ",
        "&e;",
        "\r\n",
        "]",
        ">",
        "\u{e9}",
        "<![CDATA[ http://example.com/w ]]>",
    ];
    const FAULTS: &[&str] = &[
        "<",
        "&",
        "&no;",
        "</a>",
        "<a>",
        "]]>",
        "<!-- -- -->",
        "<a b='1' b='2'/>",
        "<a b='<'/>",
        "</",
        "<!-- x --->",
    ];

    fn pick<'a>(random: &mut Numbers, list: &[&'a str]) -> &'a str {
        list[random.below(list.len())]
    }

    fn attributes(random: &mut Numbers, out: &mut String) {
        let mut used = Vec::new();
        for _ in 0..random.below(4) {
            let name = pick(random, ATTRIBUTES);
            if !used.contains(&name) {
                used.push(name);
                let quote = ["'", "\""][random.below(2)];
                let blank = ["", " "][random.below(2)];
                let value = pick(random, VALUES);
                *out += &format!(" {name}{blank}={blank}{quote}{value}{quote}");
            }
        }
    }

    fn contents(random: &mut Numbers, depth: usize, fault: bool, out: &mut String) {
        for _ in 0..2 + random.below(5) {
            if depth > 0 && random.below(2) == 0 {
                let name = pick(random, ELEMENTS);
                *out += &format!("<{name}");
                attributes(random, out);
                if random.below(4) == 0 {
                    *out += "/>";
                } else {
                    *out += ">";
                    contents(random, depth - 1, fault, out);
                    *out += &format!("</{name}>");
                }
            } else {
                *out += pick(random, TEXTS);
            }
            if fault && random.below(12) == 0 {
                *out += pick(random, FAULTS);
            }
        }
    }

    /// Writes a document.
    pub(crate) fn document(random: &mut Numbers, fault: bool) -> String {
        let mut out = String::new();
        out += pick(
            random,
            &["", "<?xml version='1.0'?>", "<!-- c -->", "\u{feff}"],
        );
        let root = pick(random, ROOTS);
        let name = root.split(' ').next().unwrap_or_default();
        out += &format!("<!DOCTYPE {name} [<!ENTITY e 'w/'>]>\n<{root}>");
        contents(random, 3, fault, &mut out);
        out += &format!("</{name}>");
        out += pick(random, &["", "\n", "<!-- c -->"]);
        if fault && random.below(8) == 0 {
            out += pick(random, &["x", "<a/>", "&amp;", "<![CDATA[]]>"]);
        }
        out
    }
}

/// `XML_SEEDS=100000` in the environment runs more documents.
#[test]
fn generated_documents_agree_with_roxmltree() {
    use crate::text::soup::Numbers;
    let seeds = std::env::var("XML_SEEDS").map(|seeds| seeds.parse());
    let seeds: u64 = seeds
        .unwrap_or(Ok(crate::rounds(300, 1_000)))
        .expect("XML_SEEDS is a number");
    let mut compared = 0;
    for seed in 0..seeds {
        let mut random = Numbers::seeded(seed);
        let xml = generate::document(&mut random, seed % 2 == 1);
        super::check(xml.as_bytes(), 1 + random.below(40));
        compared += usize::from(!read(xml.as_bytes(), 1 << 20).links.is_empty());
    }
    assert!(
        compared * 5 > seeds as usize,
        "{compared} documents with links"
    );
}
