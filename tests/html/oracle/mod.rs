//! The oracle: html5ever builds the tree, and a table of its own is applied to the elements. Shares
//! nothing with the scanner.

pub(crate) mod base;
pub(crate) mod charset;
pub(crate) mod json;
pub(crate) mod table;
pub(crate) mod tokens;
pub(crate) mod tree;
pub(crate) mod values;

use std::collections::HashMap;

use encoding_rs::{Encoding, UTF_8};
use html5ever::ns;
use url::Url;

use base::Frozen;
use table::{Base, EXTENDED, Empty, Grammar, ROWS, Row, Space};
use tokens::{Parsed, Parsing, StartTag, parse};
use tree::{Element, Id, Kind, Tree};

/// The deepest nesting of srcdoc documents.
const MAX_DEPTH: usize = 16;

/// The options of a scan.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(crate) extended: bool,
    pub(crate) scripting: bool,
    pub(crate) transport_charset: Option<String>,
    pub(crate) document_uri: Option<String>,
}

/// A reference in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Expected {
    /// The reference before it is resolved, in UTF-8.
    pub(crate) reference: Vec<u8>,
    /// The absolute URI, if it resolves.
    pub(crate) target: Option<String>,
    pub(crate) element: String,
    pub(crate) attribute: String,
    pub(crate) group: &'static str,
    pub(crate) inert: bool,
    pub(crate) via: Option<&'static str>,
}

/// Returns the references of a document in the order of tokens, attributes and values.
pub(crate) fn references(html: &[u8], options: &Options) -> Vec<Expected> {
    let document = Document::read(html, options);
    let mut found = Vec::new();
    document.references(options, &mut found);
    found
}

/// Returns the base of a document.
pub(crate) fn base(html: &[u8], options: &Options) -> Frozen {
    Document::read(html, options).base
}

/// What the markup says of a link: its text, `rel`, `hreflang` and `title`.
pub(crate) type Described = [Option<String>; 4];

/// Returns what the document says of its `a` and `area` elements with `href`, in the order of the tags.
pub(crate) fn descriptions(html: &[u8]) -> Vec<Described> {
    let document = Document::read(html, &Options::default());
    let nodes = document.parsed.tree.nodes();
    let mut found = Vec::new();
    for tag in &document.parsed.tags {
        let Some(id) = tag.outcome.created else {
            continue;
        };
        let Kind::Element(element) = &nodes[id.0].kind else {
            continue;
        };
        let value = |name: &str| {
            let mut attributes = element.attributes.iter();
            let found = attributes.find(|attribute| &*attribute.name.local == name);
            found.map(|attribute| attribute.value.to_string())
        };
        let is_link = ["a", "area"].contains(&&*element.name.local) && value("href").is_some();
        if !is_link {
            continue;
        }
        let mut text = value("alt").unwrap_or_default();
        if &*element.name.local == "a" {
            text.clear();
            seen_text(&nodes, id, &mut text);
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let cut: String = words.join(" ").chars().take(128).collect();
        let rel = value("rel").map(|rel| rel.to_ascii_lowercase());
        let rel = rel.map(|rel| rel.split_ascii_whitespace().collect::<Vec<_>>().join(" "));
        found.push([
            Some(cut.trim_end().to_owned()),
            rel,
            value("hreflang"),
            value("title"),
        ]);
    }
    found
}

/// Appends what a reader sees of an element, with a space around what stands apart.
fn seen_text(nodes: &[tree::Node], id: Id, text: &mut String) {
    for &child in &nodes[id.0].children {
        match &nodes[child.0].kind {
            Kind::Text(more) => text.push_str(more),
            Kind::Element(element) => match &*element.name.local {
                "script" | "style" | "template" | "title" | "iframe" | "textarea" => {}
                "img" => {
                    let mut attributes = element.attributes.iter();
                    let alt = attributes.find(|attribute| &*attribute.name.local == "alt");
                    let alt = alt.map_or("", |attribute| &*attribute.value);
                    text.push_str(&format!(" {alt} "));
                }
                name => {
                    let apart = ["br", "div", "p", "h2", "li", "ul", "table", "tr", "td"];
                    let blank = if apart.contains(&name) { " " } else { "" };
                    text.push_str(blank);
                    seen_text(nodes, child, text);
                    text.push_str(blank);
                }
            },
            _ => {}
        }
    }
}

/// A document or srcdoc document.
struct Document {
    parsed: Parsed,
    encoding: &'static Encoding,
    fallback: Option<Url>,
    base: Frozen,
    depth: usize,
    /// Whether the host is in the contents of a template.
    inert: bool,
}

impl Document {
    fn read(html: &[u8], options: &Options) -> Self {
        let parsing = Parsing {
            scripting: options.scripting,
            srcdoc: false,
        };
        let mut sniffed = charset::sniff(html, options.transport_charset.as_deref());
        let mut parsed = parse(&charset::decode(html, sniffed), parsing);
        if let Some(encoding) = charset::late(sniffed, &parsed.tags) {
            sniffed.encoding = encoding;
            parsed = parse(&charset::decode(html, sniffed), parsing);
        }
        let uri = options.document_uri.as_deref();
        let fallback = uri.and_then(|uri| Url::parse(uri).ok());
        let encoding = sniffed.encoding;
        Document {
            base: base::freeze(base::href(&parsed.tree), fallback.as_ref(), encoding),
            parsed,
            encoding,
            fallback,
            depth: 0,
            inert: false,
        }
    }

    fn srcdoc(html: &str, host: &Document, scripting: bool, inert: bool) -> Self {
        let parsing = Parsing {
            scripting,
            srcdoc: true,
        };
        let parsed = parse(html, parsing);
        let fallback = host.base.uri.clone();
        Document {
            base: base::freeze(base::href(&parsed.tree), fallback.as_ref(), UTF_8),
            parsed,
            encoding: UTF_8,
            fallback,
            depth: host.depth + 1,
            inert,
        }
    }

    fn references(&self, options: &Options, found: &mut Vec<Expected>) {
        let reached = reach(&self.parsed.tree);
        let nodes = self.parsed.tree.nodes();
        for tag in &self.parsed.tags {
            let (id, names) = match (&tag.outcome.created, &tag.outcome.merged) {
                (Some(id), _) => (*id, None),
                (None, Some((id, added))) => (*id, Some(added)),
                (None, None) => continue,
            };
            let Some(&inert) = reached.get(&id.0) else {
                continue;
            };
            let Kind::Element(element) = &nodes[id.0].kind else {
                unreachable!("start tags make elements");
            };
            let mut of_tag = OfTag {
                document: self,
                options,
                tag,
                element,
                inert: inert || self.inert,
                found,
            };
            for (name, value) in &tag.attributes {
                if names.is_none_or(|names| names.contains(name)) {
                    of_tag.attribute(name, value);
                }
            }
            if names.is_none() {
                of_tag.attribute("#text", &child_text(&self.parsed.tree, id));
            }
        }
    }
}

/// Returns the nodes of the final tree, and whether they are in the contents of a template.
fn reach(tree: &Tree) -> HashMap<usize, bool> {
    let nodes = tree.nodes();
    let mut reached = HashMap::new();
    let mut stack = vec![(Id(0), false)];
    while let Some((id, inert)) = stack.pop() {
        reached.insert(id.0, inert);
        let node = &nodes[id.0];
        stack.extend(node.children.iter().map(|&child| (child, inert)));
        if let Kind::Element(element) = &node.kind {
            stack.extend(element.contents.map(|contents| (contents, true)));
            stack.extend(element.shadow.map(|shadow| (shadow, inert)));
        }
    }
    reached
}

/// DOM, "child text content".
fn child_text(tree: &Tree, id: Id) -> String {
    let nodes = tree.nodes();
    let texts = nodes[id.0]
        .children
        .iter()
        .map(|child| &nodes[child.0].kind);
    texts
        .filter_map(|kind| match kind {
            Kind::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

/// Collects the references of one start tag.
struct OfTag<'a> {
    document: &'a Document,
    options: &'a Options,
    tag: &'a StartTag,
    element: &'a Element,
    inert: bool,
    found: &'a mut Vec<Expected>,
}

impl OfTag<'_> {
    fn attribute(&mut self, attribute: &str, value: &str) {
        let name = self.element.name.local.to_ascii_lowercase();
        let space = match self.element.name.ns {
            ns!(html) => Space::Html,
            ns!(svg) => Space::Svg,
            _ => Space::MathMl,
        };
        let fits = |row: &&Row| {
            let of_tag = |wanted: &str| self.tag.value(wanted).map(str::to_owned);
            (row.space == Space::Any || row.space == space)
                && (row.elements.is_empty() || row.elements.contains(&&*name))
                && row.attributes.contains(&attribute)
                && (row.group != EXTENDED || self.options.extended)
                && row.condition.holds(&name, &of_tag)
        };
        let Some(row) = ROWS.iter().find(fits) else {
            return;
        };
        if value.is_empty() && row.empty == Empty::Nothing {
            return;
        }
        let references = match row.grammar {
            Grammar::Url => vec![value.to_owned()],
            Grammar::Spaces => values::spaces(value),
            Grammar::Commas => values::commas(value),
            Grammar::Srcset => values::srcset(value),
            Grammar::Refresh => values::refresh(value).into_iter().collect(),
            Grammar::Css(sheet) => crate::css::oracle::references(value, sheet),
            Grammar::ImportMap => json::import_map(value),
            Grammar::SpeculationRules => json::speculation_rules(value),
            Grammar::LinkedData => json::linked_data(value),
            Grammar::Document => return self.nested(value),
        };
        for reference in references {
            self.found.push(Expected {
                target: self.target(row, &reference),
                reference: reference.into_bytes(),
                element: name.to_string(),
                attribute: attribute.to_owned(),
                group: row.group,
                inert: self.inert,
                via: (self.document.depth > 0).then_some("srcdoc"),
            });
        }
    }

    fn nested(&mut self, html: &str) {
        if self.document.depth < MAX_DEPTH {
            let scripting = self.options.scripting;
            let nested = Document::srcdoc(html, self.document, scripting, self.inert);
            nested.references(self.options, self.found);
        }
    }

    fn target(&self, row: &Row, reference: &str) -> Option<String> {
        let document = self.document;
        let resolve =
            |reference: &str, base: Option<&Url>| base::resolve(reference, base, document.encoding);
        let of_document = document.base.uri.as_ref();
        let target = match row.base {
            Base::Document => resolve(reference, of_document),
            Base::Fallback => resolve(reference, document.fallback.as_ref()),
            Base::Nothing => resolve(reference, None),
            Base::Codebase => {
                let codebase = self.tag.value("codebase");
                let codebase = codebase.and_then(|codebase| resolve(codebase, of_document));
                resolve(reference, codebase.as_ref().or(of_document))
            }
        };
        // HTML, "shared declarative refresh steps".
        target
            .filter(|uri| {
                !(matches!(row.grammar, Grammar::Refresh) && uri.scheme() == "javascript")
            })
            .map(String::from)
    }
}
