//! References in Markdown: CommonMark with the extensions of GitHub.
//!
//! pulldown-cmark says where blocks and spans are; where in a link its destination stands is read
//! from the source. The rest is left to the scanners that know it: raw HTML goes through the
//! scanner for HTML and text through that for text, each as a copy of the document in which
//! everything else is blank, so that offsets stay what they are.
//!
//! | what | context | element, attribute |
//! | --- | --- | --- |
//! | `[text](destination)`, `![text](destination)` | `attribute` | what it becomes: `a href`, `img src` |
//! | `[label]: destination` | `attribute` | none: it depends on who refers to it |
//! | `<http://example.com/>` | `angle` | none |
//! | `<user@example.com>` | `email` | none |
//! | raw HTML | as in HTML | as in HTML |
//! | other text, but no code | as in text | none |
//!
//! A reference by label adds no reference: its definition is one. A document is read as a whole,
//! unless that takes too much memory: then it is read in pieces.

mod slug;
mod split;

use std::ops::Range;

use encoding_rs::UTF_8;
use memchr::memmem;
use pulldown_cmark::{Event as Mark, LinkType, Options as Extensions, Parser, Tag, TagEnd};

use super::events::{
    Context, Event, Events, FoundReference, NameRange, RuleFamily, Span, TextRange,
};
use super::flags::Flags;
use super::{AnchorReporting, Format, Passes, Retrieval, Scan, ScanStart, diagnostic, html, text};
use crate::bytes::steps::step;
use crate::bytes::window::{Bounds, Window};
use crate::decode::charset::Conversion;
use slug::Slugs;

/// How Markdown is read.
#[derive(Clone, Debug, Default)]
pub struct MarkdownOptions {
    /// What fragments can name a heading by.
    pub slug: Slug,
}

/// What fragments can name a heading by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Slug {
    /// The slug that GitHub makes of its text.
    #[default]
    GitHub,
    /// Nothing.
    None,
}

/// CommonMark with the extensions of GitHub.
pub(super) const FORMAT: Format = Format {
    name: "markdown",
    extensions: &["md", "markdown", "mkd", "mdown"],
    family: RuleFamily::Plain,
    bounds: Bounds {
        look_behind: 0,
        look_ahead: split::LONGEST + 1,
    },
    reading: Passes::Once,
    prescan: None,
    conversion: Conversion::Always,
    split_point: None,
    retrieval: Retrieval::Place,
    scanner: |options| Box::new(MarkdownScanner::new(options)),
};

/// The scanner for Markdown.
pub struct MarkdownScanner {
    slug: Slug,
    anchors: AnchorReporting,
    html: html::HtmlOptions,
    text: text::TextOptions,
    slugs: Slugs,
    /// A base has been named.
    based: bool,
    settled: bool,
}

impl MarkdownScanner {
    /// A scanner with these options.
    pub fn new(options: &super::FormatOptions) -> Self {
        MarkdownScanner {
            slug: options.markdown.slug,
            anchors: options.anchors,
            html: options.html.clone(),
            text: options.text.clone(),
            slugs: Slugs::default(),
            based: false,
            settled: false,
        }
    }

    /// Reports what stands in `bytes` from an index on; their first byte has an offset.
    fn document(&mut self, bytes: &[u8], from: usize, offset: u64, events: &mut Events) {
        let source = readable(&bytes[from..]);
        let mut walk = MarkdownWalk::new(bytes, from, offset, &source);
        walk.run(events);
        if self.anchors == AnchorReporting::Report {
            for (at, heading) in std::mem::take(&mut walk.headings) {
                let name = match self.slug {
                    Slug::GitHub => self.slugs.next(&heading),
                    Slug::None => continue,
                };
                let name = events.store(name.as_bytes());
                events.push(Event::Anchor(name, offset + at as u64));
            }
        }
        let html = walk.masked(&walk.html);
        let text = walk.masked(&walk.text);
        let mut found = walk.found;
        let offset = offset + from as u64;
        self.raw_html(&html, offset, events, &mut found);
        self.plain_text(&text, offset, events, &mut found);
        found.sort_by_key(|found| (found.span.start, found.span.end));
        for found in found {
            events.push(Event::Reference(found));
        }
    }

    fn raw_html(
        &mut self,
        html: &[u8],
        offset: u64,
        events: &mut Events,
        found: &mut Vec<FoundReference>,
    ) {
        if html.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        let mut scanner = html::HtmlScanner::new(&super::FormatOptions {
            html: self.html.clone(),
            anchors: self.anchors,
            ..super::FormatOptions::default()
        });
        let mut inner = Events::default();
        scanner.begin(&ScanStart {
            declared: Some(UTF_8),
            ..ScanStart::default()
        });
        scanner.scan(Window::whole(html), &mut inner);
        for event in &inner.list {
            match events.adopt(event, &inner, html) {
                Event::Reference(mut reference) => {
                    reference.span.start += offset;
                    reference.span.end += offset;
                    found.push(reference);
                }
                Event::Anchor(name, at) => events.push(Event::Anchor(name, offset + at)),
                // The first base of all pieces counts.
                Event::Base(..) if self.based => {}
                Event::Base(text, at) => {
                    self.based = true;
                    events.push(Event::Base(text, offset + at));
                }
                Event::Diagnostic(code, at) => events.push(Event::Diagnostic(code, offset + at)),
                Event::Exact(rule) => events.push(Event::Exact(rule)),
                _ => {}
            }
        }
    }

    fn plain_text(
        &self,
        text: &[u8],
        offset: u64,
        events: &mut Events,
        found: &mut Vec<FoundReference>,
    ) {
        for find in text::find(text, &self.text) {
            let span = Span {
                start: offset + find.span.start as u64,
                end: offset + find.span.end as u64,
            };
            let reference = events.store(&find.reference);
            let alternatives: Vec<_> = (find.alternatives.iter())
                .map(|alternative| events.store(alternative))
                .collect();
            found.push(FoundReference {
                flags: find.flags,
                alternatives: events.store_alternatives(&alternatives),
                ..FoundReference::new(span, reference, find.context)
            });
        }
    }
}

impl Scan for MarkdownScanner {
    fn begin(&mut self, _start: &ScanStart) {
        self.slugs = Slugs::default();
        self.based = false;
        self.settled = false;
    }

    fn scan(&mut self, window: Window<'_>, events: &mut Events) -> usize {
        let mut from = window.start;
        while from < window.bytes.len() {
            let rest = &window.bytes[from..];
            if !window.last && rest.len() <= split::LONGEST {
                return from;
            }
            let to = from + split::next(rest);
            if to < window.bytes.len() || !window.last {
                let at = window.offset_at(to);
                events.push(Event::Diagnostic(&diagnostic::APPROXIMATE, at));
            }
            self.document(&window.bytes[..to], from, window.offset, events);
            events.forget_stored();
            from = to;
        }
        if window.last && !std::mem::replace(&mut self.settled, true) {
            events.push(Event::Settled);
        }
        window.bytes.len()
    }
}

/// The document as text of the same length: a byte that is not UTF-8 becomes a control character,
/// and so does a byte order mark.
fn readable(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let start = if bytes.starts_with(b"\xEF\xBB\xBF") {
        3
    } else {
        0
    };
    text.extend(std::iter::repeat_n(' ', start));
    for chunk in bytes[start..].utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(std::iter::repeat_n('\u{1A}', chunk.invalid().len()));
    }
    text
}

/// A link or an image whose end is to come.
struct Open {
    /// The index of its reference, whose place is not known yet.
    found: Option<usize>,
    range: Range<usize>,
    /// How far its text reaches.
    reach: usize,
}

/// One walk over the marks of a document.
struct MarkdownWalk<'a> {
    bytes: &'a [u8],
    /// Index of the source's first byte.
    from: usize,
    offset: u64,
    source: &'a str,
    found: Vec<FoundReference>,
    /// Where raw HTML stands, and where text.
    html: Vec<Range<usize>>,
    text: Vec<Range<usize>>,
    /// Where headings stand, and their texts.
    headings: Vec<(usize, String)>,
    heading: Option<(usize, String)>,
    /// Open links and images.
    links: Vec<Open>,
    /// Code blocks, metadata and images: their text is none.
    silent: usize,
}

impl<'a> MarkdownWalk<'a> {
    fn new(bytes: &'a [u8], from: usize, offset: u64, source: &'a str) -> Self {
        MarkdownWalk {
            bytes,
            from,
            offset,
            source,
            found: Vec::new(),
            html: Vec::new(),
            text: Vec::new(),
            headings: Vec::new(),
            heading: None,
            links: Vec::new(),
            silent: 0,
        }
    }

    fn run(&mut self, events: &mut Events) {
        let extensions = Extensions::ENABLE_TABLES
            | Extensions::ENABLE_FOOTNOTES
            | Extensions::ENABLE_STRIKETHROUGH
            | Extensions::ENABLE_TASKLISTS
            | Extensions::ENABLE_YAML_STYLE_METADATA_BLOCKS
            | Extensions::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS;
        let mut marks = Parser::new_ext(self.source, extensions).into_offset_iter();
        for (mark, range) in marks.by_ref() {
            step(1);
            self.mark(mark, range, events);
        }
        let definitions = marks.reference_definitions();
        let definitions: Vec<_> = (definitions.iter())
            .map(|(_, definition)| (definition.span.clone(), definition.dest.to_string()))
            .collect();
        for (span, destination) in definitions {
            let source = self.source.as_bytes();
            if let Some(place) = definition_destination(source, span) {
                self.push(place, &destination, Context::Attribute, None, events);
            }
        }
    }

    fn mark(&mut self, mark: Mark<'_>, range: Range<usize>, events: &mut Events) {
        match mark {
            Mark::Start(tag) => return self.start(tag, range, events),
            Mark::End(tag) => return self.end(tag, range),
            Mark::Html(_) | Mark::InlineHtml(_) => self.html.push(range.clone()),
            Mark::Text(ref text) | Mark::Code(ref text) => {
                if let Some((_, heading)) = &mut self.heading
                    && self.silent == 0
                {
                    heading.push_str(text);
                }
                let is_text = matches!(mark, Mark::Text(_));
                if is_text && self.silent == 0 && self.links.is_empty() {
                    self.text.push(range.clone());
                }
            }
            _ => {}
        }
        self.reach(range.end);
    }

    /// The text of the open links reaches so far.
    fn reach(&mut self, end: usize) {
        if let Some(open) = self.links.last_mut() {
            open.reach = end.max(open.reach);
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>, events: &mut Events) {
        match tag {
            Tag::Heading { .. } => self.heading = Some((self.from + range.start, String::new())),
            Tag::CodeBlock(_) | Tag::MetadataBlock(_) => self.silent += 1,
            Tag::Link {
                link_type,
                dest_url,
                ..
            } => {
                self.link(link_type, &dest_url, range, ("a", "href"), events);
            }
            Tag::Image {
                link_type,
                dest_url,
                ..
            } => {
                self.silent += 1;
                self.link(link_type, &dest_url, range, ("img", "src"), events);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Heading(_) => self.headings.extend(self.heading.take()),
            TagEnd::CodeBlock | TagEnd::MetadataBlock(_) => {
                self.silent = self.silent.saturating_sub(1);
            }
            TagEnd::Image | TagEnd::Link => {
                if tag == TagEnd::Image {
                    self.silent = self.silent.saturating_sub(1);
                }
                self.close();
            }
            _ => {}
        }
        self.reach(range.end);
    }

    /// A link begins: what stands between angle brackets is complete, the place of any other
    /// destination is known when its text has ended.
    fn link(
        &mut self,
        kind: LinkType,
        destination: &str,
        range: Range<usize>,
        names: (&'static str, &'static str),
        events: &mut Events,
    ) {
        let inner = range.start + 1..range.end.saturating_sub(1);
        match kind {
            LinkType::Autolink => self.push(inner, destination, Context::Angle, None, events),
            LinkType::Email => {
                let target = format!("mailto:{destination}");
                self.push(inner, &target, Context::Email, None, events);
                if let Some(found) = self.found.last_mut() {
                    found.flags |= Flags::SCHEME_GUESSED;
                }
            }
            LinkType::Inline => {
                // The span is put right when the link ends.
                let place = range.start..range.start;
                self.push(place, destination, Context::Attribute, Some(names), events);
            }
            _ => {}
        }
        let found = (kind == LinkType::Inline).then(|| self.found.len() - 1);
        let reach = range.start + 1;
        self.links.push(Open {
            found,
            range,
            reach,
        });
    }

    fn close(&mut self) {
        let Some(Open {
            found: Some(found),
            range,
            reach,
        }) = self.links.pop()
        else {
            return;
        };
        let source = self.source.as_bytes();
        let place = link_destination(source, reach..range.end);
        self.found[found].span = self.span(place.unwrap_or(range));
    }

    fn span(&self, range: Range<usize>) -> Span {
        let start = self.offset + (self.from + range.start) as u64;
        let end = self.offset + (self.from + range.end) as u64;
        Span { start, end }
    }

    fn push(
        &mut self,
        range: Range<usize>,
        destination: &str,
        context: Context,
        names: Option<(&'static str, &'static str)>,
        events: &mut Events,
    ) {
        let at = self.from + range.start..self.from + range.end;
        let text = match self.bytes.get(at.clone()) == Some(destination.as_bytes()) {
            true => TextRange::window(at),
            false => events.store(destination.as_bytes()),
        };
        let mut found = FoundReference::new(self.span(range), text, context);
        if let Some((element, attribute)) = names {
            found.element = NameRange::Known(element);
            found.attribute = NameRange::Known(attribute);
        }
        self.found.push(found);
    }

    /// The source with everything but these ranges blank; line breaks stay.
    fn masked(&self, ranges: &[Range<usize>]) -> Vec<u8> {
        if ranges.is_empty() {
            return Vec::new();
        }
        let blank = |byte: &u8| match byte {
            b'\n' | b'\r' => *byte,
            _ => b' ',
        };
        let bytes = &self.bytes[self.from..];
        let mut masked: Vec<u8> = bytes.iter().map(blank).collect();
        for range in ranges {
            masked[range.clone()].copy_from_slice(&bytes[range.clone()]);
        }
        masked
    }
}

/// The destination of an inline link, somewhere behind the end of its text: `](destination`.
fn link_destination(source: &[u8], within: Range<usize>) -> Option<Range<usize>> {
    let rest = source.get(within.clone())?;
    let bracket = memmem::find(rest, b"](")?;
    destination(source, within.start + bracket + 2, within.end)
}

/// The destination of a definition: `[label]: destination`.
fn definition_destination(source: &[u8], within: Range<usize>) -> Option<Range<usize>> {
    let mut at = within.start;
    loop {
        match source.get(at..within.end)? {
            [b'\\', _, ..] => at += 2,
            [b']', b':', ..] => return destination(source, at + 2, within.end),
            [_, ..] => at += 1,
            [] => return None,
        }
    }
}

fn destination(source: &[u8], at: usize, end: usize) -> Option<Range<usize>> {
    let source = source.get(..end)?;
    let mut start = at;
    let mut breaks = false;
    // A line may break here, and the next one start with the marks of the quotes that it is in.
    while let Some(&byte) = source.get(start) {
        match byte {
            b' ' | b'\t' => {}
            b'\n' | b'\r' => breaks = true,
            b'>' if breaks => {}
            _ => break,
        }
        start += 1;
    }
    let angle = source.get(start) == Some(&b'<');
    if angle {
        start += 1;
    }
    let mut at = start;
    let mut depth = 0;
    while let Some(&byte) = source.get(at) {
        match byte {
            b'\\' if source.get(at + 1).is_some_and(u8::is_ascii_punctuation) => at += 1,
            b'>' if angle => break,
            0..=b' ' | 0x7F if !angle => break,
            b'(' if !angle => depth += 1,
            b')' if !angle && depth == 0 => break,
            b')' if !angle => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    Some(start..at.min(source.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn destinations_stand_behind_the_text() {
        for (source, expected) in [
            ("[a](b)", "b"),
            ("[a]( b \"title\")", "b"),
            ("[a](<b c> 'title')", "b c"),
            ("[a](b\\)c(d))", "b\\)c(d)"),
            ("[a](\n> b)", "b"),
            ("[a]()", ""),
            ("[a](<>)", ""),
        ] {
            let place = link_destination(source.as_bytes(), 2..source.len());
            assert_eq!(&source[place.unwrap()], expected, "{source}");
        }
        for (source, expected) in [
            ("[a]: b", "b"),
            ("[a\\]: b]: c 'title'", "c"),
            ("[a]:\n  <b c>", "b c"),
        ] {
            let place = definition_destination(source.as_bytes(), 0..source.len());
            assert_eq!(&source[place.unwrap()], expected, "{source}");
        }
    }
}
