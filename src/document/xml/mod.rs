//! References in XML: SVG, XHTML, feeds, sitemaps and other vocabularies, which are tables of rows
//! (`vocabulary`). `tokens` reads tags and finds the ends of other tokens, `text` decodes, `elements`
//! has the open elements and their kinds, `scanner` goes from token to token, and `attributes` and
//! `contents` report.
//!
//! A scanner sees windows of any size, has to map each decoded byte to its source, and reads on after
//! damage, which readers such as quick-xml do not do. quick-xml is the bench's comparison; its tokens
//! and the tree of roxmltree are the oracles of the tests.
#![doc = include_str!("rules.md")]

mod attributes;
mod contents;
mod elements;
mod entries;
mod field;
mod report;
mod scanner;
mod text;
mod tokens;
mod vocabulary;

use encoding_rs::Encoding;

use super::Format;
use crate::bytes::class::split_once;
use crate::bytes::lines::mark_length;
use crate::bytes::pattern::Pattern;
use crate::bytes::window::Bounds;
use crate::decode::charset::readable_encoding;
use entries::LONGEST;
use scanner::XmlScanner;
use tokens::{XmlTag, read_attributes, read_start_tag, starts_name};

pub(super) const FORMAT: Format = Format {
    name: "xml",
    extensions: &[
        "xml", "svg", "atom", "rss", "opf", "ncx", "xhtml", "xht", "opml", "xspf", "xsl", "xslt",
        "rdf",
    ],
    starts: b"<",
    // Before: the runs of an instruction, whose resource may begin in a run before the last.
    bounds: Bounds::new(8192, LONGEST + 64),
    prescan: Some(declared),
    scanner: |options| Box::new(XmlScanner::new(options, false)),
    ..crate::document::text::UNSPLIT
};

/// XML in a package: only rows of a vocabulary are references, nothing is guessed.
#[cfg(feature = "audit")]
pub(super) const PART: Format = Format {
    name: "part",
    extensions: &[],
    scanner: |options| Box::new(XmlScanner::new(options, true)),
    ..FORMAT
};

/// Returns the encoding that the XML declaration names (XML 1.0, 4.3.3 and appendix F).
fn declared(first: &[u8]) -> Option<&'static Encoding> {
    if first.starts_with(b"<\0?\0") {
        return Some(encoding_rs::UTF_16LE);
    }
    if first.starts_with(b"\0<\0?") {
        return Some(encoding_rs::UTF_16BE);
    }
    if !first.starts_with(b"<?xml") {
        return None;
    }
    let mut tag = XmlTag::default();
    read_attributes(first, 5, &mut tag);
    let named = tag.attribute(first, b"encoding")?;
    readable_encoding(&first[named.value.clone()])
}

/// Whether a file begins with the XML declaration, a namespace or the name of a known vocabulary.
pub(crate) fn is_xml(head: &[u8]) -> bool {
    let head = &head[mark_length(head)..];
    if head.starts_with(b"<?xml") && head.get(5).is_some_and(u8::is_ascii_whitespace) {
        return true;
    }
    let Some([prolog, html]) = PROLOG.group_at(head, 0) else {
        return false;
    };
    let mut tag = XmlTag::default();
    let is_element = matches!(&head[prolog.end..], [b'<', first, ..] if starts_name(*first));
    if !html.is_empty() || !is_element || read_start_tag(head, prolog.end, &mut tag).is_none() {
        return false;
    }
    let name = &head[tag.name.clone()];
    let declaration = match split_once(name, b':') {
        (prefix, Some(_)) => &[b"xmlns:", prefix].concat()[..],
        _ => b"xmlns",
    };
    match tag.attribute(head, declaration) {
        // XHTML without a declaration is served as HTML.
        Some(attribute) => {
            let namespace = &head[attribute.value.clone()];
            !namespace.is_empty()
                && vocabulary::namespace(namespace) != vocabulary::Namespace::Xhtml
        }
        None => vocabulary::FIRST_ELEMENTS.contains(&name),
    }
}

/// White space, comments, processing instructions and a DOCTYPE; the one of HTML, which is not XML's, is the group.
static PROLOG: Pattern = Pattern::new(
    r"^(?:[ \t\n\f\r]|<!--(?:-?>|.*?-->)|<\?.*?\?>|(<!DOCTYPE[ \t\n\f\r]*(?i:html).*?>)|<!DOC.*?>)*",
);
