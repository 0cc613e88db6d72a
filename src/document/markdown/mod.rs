//! References in Markdown: CommonMark with the extensions of GitHub.
//!
//! pulldown-cmark finds blocks and spans; the position of a link's destination is read from the source.
//! Raw HTML and text are scanned as copies of the document in which everything else is blank, so that
//! offsets stay the same.
//!
//! A document is parsed as a whole, or in pieces if that takes too much memory (`split`).
#![doc = include_str!("rules.md")]

pub(crate) mod construct;
mod mdx;
mod slug;
mod source;
mod split;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use memchr::memmem;
use pulldown_cmark::{
    BrokenLink, CodeBlockKind, CowStr, Event as MarkdownEvent, LinkType, Options as Extensions,
    Parser, Tag, TagEnd,
};
use regex::bytes::Captures;

use super::docutils::normal_name;
use super::events::{
    Context, Escapes, Event, Events, FoundReference, NameRange, Quoting, RemarkKind, Span,
    TextRange,
};
use super::flags::{Flags, holds_placeholder};
use super::html::{CharacterContext, decode_reference};
use super::nested::{Member, NestedScanners, NestedScope};
pub use super::options::{MarkdownOptions, Slug};
use super::source_text::{Origin, SourceText};
use super::{AnchorReporting, Format, Scan, ScanStart, diagnostic, text};
use crate::bytes::lines::with_line_feeds;
use crate::bytes::pattern::Pattern;
use crate::bytes::steps::step;
use crate::bytes::window::{Bounds, Window};
use crate::uri::base::push_path;
use mdx::MdxParts;
use slug::{AttributeLists, Dialect, HeadingSource, ImplicitLabels, Slugs};
use source::Metadata;

/// CommonMark with the extensions of GitHub.
pub(super) const FORMAT: Format = Format {
    name: "markdown",
    extensions: &["md", "markdown", "mdown", "mkd", "mkdn", "mdc"],
    file_names: &["llms.txt", "llms-full.txt"],
    is_settled: false,
    bounds: Bounds::new(0, split::MAX_PIECE + 1),
    scanner: |options| MarkdownScanner::boxed(options, Flavor::CommonMark),
    ..text::UNSPLIT
};

/// Markdown with components of JSX.
pub(super) const MDX: Format = Format {
    name: "mdx",
    extensions: &["mdx"],
    file_names: &[],
    scanner: |options| MarkdownScanner::boxed(options, Flavor::Mdx),
    ..FORMAT
};

/// The Markdown of Quarto and R Markdown, which is Pandoc's.
pub(super) const QUARTO: Format = Format {
    name: "qmd",
    extensions: &["qmd", "rmd"],
    file_names: &[],
    scanner: |options| MarkdownScanner::boxed(options, Flavor::Quarto),
    ..FORMAT
};

/// The Markdown of a cell in a notebook, which has no front matter.
pub(super) const CELL: Format = Format {
    scanner: |options| MarkdownScanner::boxed(options, Flavor::Cell),
    ..FORMAT
};

/// What a format of Markdown has besides the dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flavor {
    CommonMark,
    Mdx,
    Quarto,
    Cell,
}

pub(crate) struct MarkdownScanner {
    flavor: Flavor,
    /// The dialect of documents whose tree has no mark.
    usual: Slug,
    slug: Slug,
    wiki_links: bool,
    anchors: AnchorReporting,
    scanners: NestedScanners,
    slugs: Slugs,
    /// Whether raw HTML has named a base.
    has_base: bool,
    settled: bool,
}

impl MarkdownScanner {
    fn boxed(options: &super::FormatOptions, flavor: Flavor) -> Box<dyn Scan> {
        Box::new(MarkdownScanner {
            flavor,
            usual: options.markdown.slug,
            slug: options.markdown.slug,
            wiki_links: options.markdown.wiki_links,
            anchors: options.anchors,
            scanners: NestedScanners::new(options.clone()),
            slugs: Slugs::new(Dialect::of(options.markdown.slug)),
            has_base: false,
            settled: false,
        })
    }

    fn piece(&mut self, window: &Window<'_>, range: Range<usize>, events: &mut Events) {
        let dialect = Dialect::of(self.slug);
        let is_start = window.offset_at(range.start) == 0;
        let is_whole = is_start && window.last && range.end == window.bytes.len();
        let from = range.start;
        // CommonMark reads a CR alone as the end of a line.
        let bytes = &*with_line_feeds(&window.bytes[range]);
        let metadata = match self.flavor {
            Flavor::Cell => Metadata::None,
            Flavor::Quarto => Metadata::Anywhere,
            _ if self.slug == Slug::Pandoc => Metadata::Anywhere,
            _ => Metadata::FrontMatter,
        };
        let mut hidden = source::metadata(bytes, metadata, is_start);
        let metadata_end = hidden.last().map_or(0, |range| range.end);
        hidden.extend(construct::comments(self.slug, bytes, metadata_end));
        let is_mdx = self.flavor == Flavor::Mdx || dialect.writes_mdx;
        let mdx = is_mdx.then(|| mdx::parts(bytes, metadata_end));
        let own = mdx.as_ref().map_or(bytes, |parts| &parts.markdown);
        let marked = match self.slug {
            Slug::MkDocs => source::as_items(own),
            Slug::HonKit => source::without_open_fences(own),
            _ => Cow::Borrowed(own),
        };
        let mut source = source::to_text(&marked, &hidden);
        let mut map = None;
        if let Some(parts) = &mdx {
            let text = mdx::without_code(&source, parts);
            // Parts of a text are text.
            source = String::from_utf8(text.bytes).unwrap_or_default();
            map = Some(text.map);
        }
        let mut walk = MarkdownWalk {
            document: bytes,
            bytes: own,
            from,
            offset: window.offset_at(from),
            source: &source,
            origin: map.as_ref().map_or(Origin::Offset(0), Origin::Decoded),
            is_mdx,
            dialect,
            wiki_links: self.wiki_links,
            events: &mut *events,
            found: Vec::new(),
            html: Vec::new(),
            text: Vec::new(),
            headings: Vec::new(),
            heading: None,
            links: Vec::new(),
            undefined: Vec::new(),
            footnotes: HashMap::new(),
            opaque: 0,
        };
        walk.run();
        let mut html = walk.masked(&walk.html);
        let text = walk.masked(&walk.text);
        let mut cuts = Vec::new();
        if let Some(parts) = mdx.as_ref() {
            walk.components(parts);
            html.clone_from(&parts.html);
            cuts.clone_from(&parts.cuts);
        }
        if self.anchors == AnchorReporting::Report {
            walk.constructs(self.slug, bytes, metadata_end);
            let modules = mdx.iter().flat_map(|parts| &parts.modules);
            for module in modules.filter(|_| dialect.imports_modules) {
                construct::imports(bytes, module.clone(), |range| {
                    walk.construct("import", range);
                });
            }
            if is_start {
                let ids = dialect.page_ids.iter();
                ids.for_each(|id| walk.anchor(0, id.as_bytes()));
            }
            for (at, name) in self.anchors_of(&walk.headings) {
                walk.anchor(at, name.as_bytes());
            }
            if dialect.attributes == AttributeLists::Anywhere {
                for (at, id) in attribute_ids(&text) {
                    walk.anchor(at, String::from_utf8_lossy(id).as_bytes());
                }
            }
            // A label may be defined in another piece of the document, or in a file that is taken in.
            if is_whole && !construct::PART.is_match(bytes) {
                walk.undefined_labels();
            }
        }
        let (offset, mut found) = (walk.offset, walk.found);
        cuts.push(html.len());
        let mut start = 0;
        for end in cuts {
            let offset = offset + start as u64;
            self.nested(Format::HTML, &html[start..end], offset, events, &mut found);
            start = end;
        }
        self.nested(Format::TEXT, &text, offset, events, &mut found);
        found.sort_by_key(|found| (found.span.start, found.span.end));
        for found in found {
            events.push(Event::Reference(found));
        }
    }

    /// Returns the anchors of headings, each with the index of its heading.
    fn anchors_of(&mut self, headings: &[Heading]) -> Vec<(usize, String)> {
        let ids = headings.iter().filter_map(|heading| heading.id.as_ref());
        ids.for_each(|id| self.slugs.reserve(id));
        let mut anchors = Vec::new();
        for heading in headings {
            match &heading.id {
                Some(id) => anchors.push((heading.at, id.clone())),
                None if self.slug == Slug::None => {}
                None => {
                    let (name, also) = self.slugs.next(&heading.text, &heading.raw);
                    let names = [name].into_iter().chain(also);
                    anchors.extend(names.map(|name| (heading.at, name)));
                }
            }
        }
        anchors
    }

    /// Reports the finds of a format's scanner in a copy of the document, apart from references, which are
    /// put in order with Markdown's.
    fn nested(
        &mut self,
        format: &'static Format,
        copy: &[u8],
        offset: u64,
        events: &mut Events,
        found: &mut Vec<FoundReference>,
    ) {
        if copy.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        let member = Member {
            format,
            charset: b"utf-8".to_vec(),
            scope: NestedScope::Enclosing,
            anchors: self.anchors,
            ..Member::default()
        };
        let mark = events.mark();
        let from = events.list.len();
        self.scanners
            .nested(member, SourceText::window(copy, offset), events);
        let dropped = events.list.extract_if(from.., |event| match event {
            Event::Reference(reference) => {
                found.push(*reference);
                true
            }
            // The first base of all pieces is used.
            Event::Base(..) => std::mem::replace(&mut self.has_base, true),
            // References of a `srcdoc` document belong to the whole.
            Event::Enter(_) | Event::Leave => true,
            _ => false,
        });
        dropped.for_each(drop);
        events.keep(mark);
    }
}

impl Scan for MarkdownScanner {
    fn begin(&mut self, start: &ScanStart) {
        self.slug = start.slug.unwrap_or(self.usual);
        self.slugs = Slugs::new(Dialect::of(self.slug));
        self.has_base = false;
        self.settled = false;
    }

    fn scan(&mut self, window: Window<'_>, events: &mut Events) -> usize {
        let mut from = window.start;
        while from < window.bytes.len() {
            let rest = &window.bytes[from..];
            if !window.last && rest.len() <= split::MAX_PIECE {
                return from;
            }
            let to = from + split::next(rest);
            if to < window.bytes.len() || !window.last {
                let at = window.offset_at(to);
                events.push(Event::Diagnostic(&diagnostic::HTML_APPROXIMATE, at));
            }
            self.piece(&window, from..to, events);
            events.forget_stored();
            from = to;
        }
        if window.last && !std::mem::replace(&mut self.settled, true) {
            events.push(Event::Settled);
        }
        window.bytes.len()
    }
}

struct OpenLink<'a> {
    /// The destination whose place is not known yet, and the element.
    destination: Option<(CowStr<'a>, &'static str)>,
    range: Range<usize>,
    text_end: usize,
}

/// A heading, or a term of a definition list, which has an anchor.
struct Heading {
    /// Index of the heading in the bytes of the source.
    at: usize,
    text: String,
    /// The source, where the anchor is made of it.
    raw: String,
    /// The anchor, where the author names it.
    id: Option<String>,
}

impl Heading {
    fn new(at: usize, id: Option<String>) -> Self {
        Heading {
            at,
            text: String::new(),
            raw: String::new(),
            id,
        }
    }
}

struct MarkdownWalk<'a, 'e, 'f> {
    document: &'a [u8],
    /// The bytes that `source` was made of.
    bytes: &'a [u8],
    from: usize,
    offset: u64,
    source: &'a str,
    origin: Origin<'a>,
    is_mdx: bool,
    dialect: &'static Dialect,
    wiki_links: bool,
    events: &'e mut Events<'f>,
    found: Vec<FoundReference>,
    /// The ranges of raw HTML.
    html: Vec<Range<usize>>,
    /// The ranges of text.
    text: Vec<Range<usize>>,
    headings: Vec<Heading>,
    heading: Option<Heading>,
    links: Vec<OpenLink<'a>>,
    /// The ranges and the labels of reference links that are not defined.
    undefined: Vec<(Range<usize>, String)>,
    /// The numbers of footnotes by their labels, with the count of references so far.
    footnotes: HashMap<String, (usize, usize)>,
    /// Number of open code blocks and images, whose text is not used.
    opaque: usize,
}

impl<'a> MarkdownWalk<'a, '_, '_> {
    fn run(&mut self) {
        let mut extensions = Extensions::ENABLE_TABLES
            | Extensions::ENABLE_FOOTNOTES
            | Extensions::ENABLE_STRIKETHROUGH
            | Extensions::ENABLE_TASKLISTS;
        let has_attributes = self.is_mdx || self.dialect.attributes != AttributeLists::None;
        extensions.set(Extensions::ENABLE_HEADING_ATTRIBUTES, has_attributes);
        extensions.set(Extensions::ENABLE_DEFINITION_LIST, self.dialect.definitions);
        extensions.set(Extensions::ENABLE_WIKILINKS, self.wiki_links);
        let mut undefined = Vec::new();
        let mut on_undefined = |link: BrokenLink<'a>| -> Option<(CowStr<'a>, CowStr<'a>)> {
            if matches!(link.link_type, LinkType::Reference | LinkType::Collapsed) {
                undefined.push((link.span, link.reference.into_string()));
            }
            None
        };
        let parser =
            Parser::new_with_broken_link_callback(self.source, extensions, Some(&mut on_undefined));
        let mut parser = parser.into_offset_iter();
        for (event, range) in parser.by_ref() {
            step(1);
            self.event(event, range);
        }
        for (_, definition) in parser.reference_definitions().iter() {
            let source = self.source.as_bytes();
            if let Some(range) = definition_destination(source, definition.span.clone())
                && !self.is_expression(range.start)
            {
                self.push(range, &definition.dest).quoting = Quoting::of(Escapes::Markdown);
            }
        }
        drop(parser);
        undefined.retain(|(span, label)| means_a_link(self.source, span.clone(), label));
        self.undefined = undefined;
    }

    fn event(&mut self, event: MarkdownEvent<'a>, range: Range<usize>) {
        match event {
            MarkdownEvent::Start(tag) => return self.start(tag, range),
            MarkdownEvent::End(tag) => return self.end(tag, range),
            MarkdownEvent::Html(_) | MarkdownEvent::InlineHtml(_) => self.html.push(range.clone()),
            MarkdownEvent::Text(ref text) | MarkdownEvent::Code(ref text) => {
                self.extend_heading(text);
                let is_text = matches!(event, MarkdownEvent::Text(_));
                if is_text && self.opaque == 0 && self.links.is_empty() {
                    self.text.push(range.clone());
                }
            }
            MarkdownEvent::SoftBreak | MarkdownEvent::HardBreak => self.extend_heading("\n"),
            MarkdownEvent::FootnoteReference(ref label) => self.footnote(label, range.clone()),
            _ => {}
        }
        self.extend_link_text(range.end);
    }

    /// Adds the anchors of a footnote and of a reference to it.
    fn footnote(&mut self, label: &str, range: Range<usize>) {
        let last = self.footnotes.len() + 1;
        let (number, count) = self.footnotes.entry(label.to_owned()).or_insert((last, 0));
        *count += 1;
        let (again, slug) = (*count - 1, self.dialect.slug);
        let name = match slug {
            Slug::Hugo => number.to_string(),
            _ => label.to_owned(),
        };
        let link = match (slug, again) {
            (Slug::MkDocs | Slug::Hugo | Slug::Kramdown | Slug::Jekyll, 0) => {
                format!("fnref:{name}")
            }
            (Slug::MkDocs, _) => format!("fnref{count}:{name}"),
            (Slug::Hugo, _) => format!("fnref{again}:{name}"),
            (Slug::Kramdown | Slug::Jekyll, _) => format!("fnref:{name}:{again}"),
            _ => return,
        };
        let at = self.range(range).start;
        for id in [format!("fn:{name}"), link] {
            self.headings.push(Heading::new(at, Some(id)));
        }
    }

    fn extend_heading(&mut self, text: &str) {
        // Docusaurus uses the text of images.
        if let Some(heading) = &mut self.heading
            && (self.opaque == 0 || self.dialect.slug == Slug::Docusaurus)
        {
            heading.text.push_str(text);
        }
    }

    fn extend_link_text(&mut self, end: usize) {
        if let Some(open) = self.links.last_mut() {
            open.text_end = end.max(open.text_end);
        }
    }

    fn start(&mut self, tag: Tag<'a>, range: Range<usize>) {
        match tag {
            Tag::Heading { id, attrs, .. } => {
                // Some dialects write `{:#id}`.
                let colon = attrs.iter().find_map(|(name, _)| name.strip_prefix(":#"));
                let id = id.map(|id| id.to_string()).or(colon.map(str::to_owned));
                let mut heading = Heading::new(self.range(range.clone()).start, id);
                if self.dialect.heading == HeadingSource::Markup {
                    heading.raw = heading_markup(&self.source[range]).to_owned();
                }
                self.heading = Some(heading);
            }
            // mdBook gives terms anchors as it does headings.
            Tag::DefinitionListTitle if self.dialect.numbers_terms => {
                self.heading = Some(Heading::new(self.range(range).start, None));
            }
            // MDX has no such code: the rest of it is text.
            Tag::CodeBlock(CodeBlockKind::Indented) if self.is_mdx => {}
            Tag::CodeBlock(_) => self.opaque += 1,
            Tag::Link {
                link_type,
                dest_url,
                title,
                ..
            } => {
                // Docsify takes the file in, from beside the page.
                let is_taken_in =
                    self.dialect.slug == Slug::Docsify && title.starts_with(":include");
                let element = if is_taken_in { "embed" } else { "a" };
                self.link(link_type, dest_url, range, element);
            }
            Tag::Image {
                link_type,
                dest_url,
                ..
            } => {
                self.opaque += 1;
                self.link(link_type, dest_url, range, "img");
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Heading(_) | TagEnd::DefinitionListTitle => {
                if let Some(heading) = &mut self.heading
                    && self.dialect.has_list_after_heading
                    && heading.id.is_none()
                {
                    heading.id = list_after(&self.source[range.end..]);
                }
                if let Some(heading) = &mut self.heading
                    && self.dialect.has_bracketed_ids
                    && let Some(text) = heading.text.trim_end().strip_suffix(']')
                    && let Some((text, id)) = text.rsplit_once("[#")
                {
                    (heading.id, heading.text) = (Some(id.to_owned()), text.to_owned());
                }
                self.headings.extend(self.heading.take());
            }
            TagEnd::HtmlBlock if self.dialect.has_html_headings => {
                self.html_headings(range.clone())
            }
            TagEnd::CodeBlock => self.opaque = self.opaque.saturating_sub(1),
            TagEnd::Image | TagEnd::Link => {
                let is_image = tag == TagEnd::Image;
                self.opaque = self.opaque.saturating_sub(is_image.into());
                self.close_link();
            }
            _ => {}
        }
        self.extend_link_text(range.end);
    }

    /// Adds the headings in a block of raw HTML, each with the text between its tags.
    fn html_headings(&mut self, block: Range<usize>) {
        static HEADING: Pattern = Pattern::new(r"(?i)<h[1-6](?:\s[^>]*)?>(.*?)</h[1-6]\s*>");
        static MARKUP: Pattern = Pattern::new(r"<[^>]*>|&[#0-9A-Za-z]+;");
        let bytes = &self.source.as_bytes()[block.clone()];
        for [whole, text] in HEADING.groups(bytes, 0) {
            let text = MARKUP.replace_all(&bytes[text], |found: &Captures<'_>| {
                let mut decoded = Vec::new();
                if found[0].starts_with(b"&") {
                    decode_reference(&found[0], CharacterContext::Text, &mut decoded);
                }
                decoded
            });
            let at = self.range(block.start + whole.start..block.end).start;
            let mut heading = Heading::new(at, None);
            heading.text = String::from_utf8_lossy(text.trim_ascii()).into_owned();
            self.headings.push(heading);
        }
    }

    /// Starts a link. An autolink is complete; other destinations are located at the end of the link's text.
    fn link(
        &mut self,
        kind: LinkType,
        destination: CowStr<'a>,
        range: Range<usize>,
        element: &'static str,
    ) {
        let inner = range.start + 1..range.end.saturating_sub(1);
        let mut open = OpenLink {
            destination: None,
            range: range.clone(),
            text_end: range.start + 1,
        };
        match kind {
            LinkType::Autolink => self.push(inner, &destination).context = Context::Angle,
            LinkType::Email => {
                let found = self.push(inner, &format!("mailto:{destination}"));
                found.context = Context::Email;
                found.flags |= Flags::SCHEME_GUESSED;
            }
            LinkType::WikiLink { .. } => {
                let link = self.source.get(range.clone()).unwrap_or_default();
                let start = range.start + link.find("[[").map_or(0, |at| at + 2);
                let mut target = wiki_target(&destination, self.dialect);
                if destination.contains(source::REPLACED) {
                    // `push` puts the bytes of the document in the place of stand-ins.
                    target = target.replace("%7F", "\x7F");
                }
                let found = self.element(start..start + destination.len(), &target, element);
                found.flags |= Flags::WIKI;
            }
            LinkType::Inline => open.destination = Some((destination, element)),
            _ => {}
        }
        self.links.push(open);
    }

    fn element(
        &mut self,
        range: Range<usize>,
        destination: &str,
        element: &'static str,
    ) -> &mut FoundReference {
        let found = self.push(range, destination);
        found.element = NameRange::Known(element);
        found.attribute = NameRange::Known(if element == "a" { "href" } else { "src" });
        found
    }

    /// Returns whether an expression of MDX was at an index of the source: a destination that begins with one
    /// is not known.
    fn is_expression(&self, at: usize) -> bool {
        self.source.as_bytes().get(at) == Some(&(source::REPLACED as u8))
            && self.document.get(self.range(at..at + 1).start) == Some(&b'{')
    }

    fn close_link(&mut self) {
        let Some(OpenLink {
            destination: Some((destination, element)),
            range,
            text_end,
        }) = self.links.pop()
        else {
            return;
        };
        let source = self.source.as_bytes();
        let (place, quoting) = match link_destination(source, text_end..range.end) {
            Some(place) if self.is_expression(place.start) => return,
            Some(place) => (place, Quoting::of(Escapes::Markdown)),
            None => (range, Quoting::default()),
        };
        self.element(place, &destination, element).quoting = quoting;
    }

    /// Returns the range of `bytes` that a range of the source comes from.
    fn range(&self, range: Range<usize>) -> Range<usize> {
        let span = self.origin.span(Span::at(0, &range));
        span.start as usize..span.end as usize
    }

    fn span(&self, range: Range<usize>) -> Span {
        self.span_of(&self.range(range))
    }

    fn span_of(&self, range: &Range<usize>) -> Span {
        Span::at(self.offset, range)
    }

    fn anchor(&mut self, at: usize, name: &[u8]) {
        let name = self.events.store(name);
        let anchor = Event::Anchor(name, self.offset + at as u64);
        self.events.push(anchor);
    }

    /// Reports the reference links whose labels are not defined.
    fn undefined_labels(&mut self) {
        let headings = self.headings.iter();
        let headings: HashSet<_> = match self.dialect.labels {
            ImplicitLabels::Headings => headings
                .map(|heading| normal_name(heading.text.as_bytes()))
                .collect(),
            _ => HashSet::new(),
        };
        for (range, label) in std::mem::take(&mut self.undefined) {
            let is_implicit = match self.dialect.labels {
                ImplicitLabels::None => false,
                ImplicitLabels::Headings => headings.contains(&normal_name(label.as_bytes())),
                ImplicitLabels::Words => !label.contains(char::is_whitespace),
            };
            if !is_implicit {
                let (text, span) = (self.events.store(label.as_bytes()), self.span(range));
                let remark = Event::remark(RemarkKind::UndefinedLabel, text, span);
                self.events.push(remark);
            }
        }
    }

    /// Adds the references of components.
    fn components(&mut self, parts: &MdxParts) {
        for component in &parts.references {
            let text = self.events.store(&component.text);
            // The range is in the document, not in the source.
            let span = self.span_of(&component.range);
            let mut found = FoundReference::new(span, text, Context::Attribute);
            found.element = NameRange::Other(self.events.store(&component.element));
            found.attribute = NameRange::Known(component.attribute);
            found.flags |= Flags::COMPONENT;
            self.found.push(found);
        }
    }

    /// Adds the references in constructs of the generator.
    fn constructs(&mut self, slug: Slug, bytes: &[u8], body: usize) {
        construct::find(slug, bytes, body, |name, range| {
            if name.starts_with(construct::LABEL) {
                let label = bytes[range.clone()].to_ascii_lowercase();
                let mut kind = RemarkKind::LabelReference;
                if name == construct::LABEL {
                    self.anchor(range.start, &bytes[range.clone()]);
                    kind = RemarkKind::Label;
                }
                let text = self.events.store(&label);
                let remark = Event::remark(kind, text, self.span_of(&range));
                return self.events.push(remark);
            }
            self.construct(name, range);
        });
    }

    fn construct(&mut self, name: &'static str, range: Range<usize>) {
        let text = TextRange::window(self.from + range.start..self.from + range.end);
        let mut found = FoundReference::new(self.span_of(&range), text, Context::Attribute);
        found.element = NameRange::Known(name);
        self.found.push(found);
    }

    fn push(&mut self, range: Range<usize>, destination: &str) -> &mut FoundReference {
        let source = self.source.get(range.clone()).unwrap_or_default();
        let at = self.range(range);
        let written = self.document.get(at.clone()).unwrap_or_default();
        let is_written = written == destination.as_bytes() && !destination.contains([' ', '\t']);
        let text = if is_written {
            TextRange::window(self.from + at.start..self.from + at.end)
        } else {
            self.events
                .store_with(|text| encode_destination(destination, source, written, text))
        };
        let mut found = FoundReference::new(self.span_of(&at), text, Context::Attribute);
        found.flags |= Flags::OWN_SYNTAX;
        self.found.push(found);
        let last = self.found.len() - 1;
        &mut self.found[last]
    }

    /// Returns the source with everything but `ranges` and line breaks replaced by spaces.
    fn masked(&self, ranges: &[Range<usize>]) -> Vec<u8> {
        if ranges.is_empty() {
            return Vec::new();
        }
        let bytes = self.bytes;
        let mut masked = mdx::blank(bytes);
        for range in ranges {
            let range = self.range(range.clone());
            masked[range.clone()].copy_from_slice(&bytes[range]);
        }
        masked
    }
}

/// Appends a destination: blanks, which a target lacks, are percent-encoded, and the bytes `written` in the
/// document come back where the source has a stand-in.
fn encode_destination(destination: &str, source: &str, written: &[u8], text: &mut Vec<u8>) {
    const REPLACED: u8 = source::REPLACED as u8;
    let pairs = source.bytes().zip(written);
    let mut replaced = pairs.filter(|&(byte, _)| byte == REPLACED);
    for byte in destination.bytes() {
        match byte {
            b' ' => text.extend_from_slice(b"%20"),
            b'\t' => text.extend_from_slice(b"%09"),
            REPLACED => match replaced.next() {
                Some((_, 0)) => text.extend_from_slice("\u{FFFD}".as_bytes()),
                written => text.push(written.map_or(byte, |(_, &byte)| byte)),
            },
            _ => text.push(byte),
        }
    }
}

/// Returns the reference of a wiki link: the page with its extension, and the heading's anchor.
fn wiki_target(link: &str, dialect: &Dialect) -> String {
    if link.contains("://") {
        return link.trim().to_owned();
    }
    let split = link.split_once('#');
    let (page, heading) =
        split.map_or((link, None), |(page, rest)| (page, rest.rsplit('#').next()));
    let page = page.trim();
    let mut target = Vec::new();
    let first = page.split('/').next();
    if first.is_some_and(|first| first.contains(':')) {
        target.extend_from_slice(b"./");
    }
    push_path(page.as_bytes(), &mut target);
    let extension = page.rsplit_once('.').map_or("", |(_, extension)| extension);
    let has_extension = (1..=8).contains(&extension.len())
        && extension.starts_with(|first: char| first.is_ascii_alphabetic())
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !page.is_empty() && !has_extension {
        target.extend_from_slice(b".md");
    }
    // `^id` names a block, which has no anchor.
    if let Some(heading) = heading.filter(|heading| !heading.starts_with('^')) {
        target.push(b'#');
        push_path((dialect.make)(heading).as_bytes(), &mut target);
    }
    String::from_utf8_lossy(&target).into_owned()
}

/// Returns whether the undefined `[text][label]` or `[label][]` was meant as a link, unlike text such
/// as `a[i][j]`, a task box or a footnote.
fn means_a_link(source: &str, span: Range<usize>, label: &str) -> bool {
    let (Some(link), Some(before)) = (source.get(span.clone()), source.get(..span.start)) else {
        return false;
    };
    let is_apart = before.chars().next_back().is_none_or(|before| {
        !before.is_alphanumeric() && !matches!(before, ']' | ')' | '_' | '}' | source::REPLACED)
    });
    let text = link.trim_start_matches(['!', '[']);
    let text = text.find(']').map_or(text, |end| &text[..end]).trim();
    // Indices: `[i][j]`, `[0][12]`.
    let is_index = |word: &str| word.len() <= 1 || word.bytes().all(|byte| byte.is_ascii_digit());
    let are_indices = is_index(text) && is_index(label.trim());
    let is_box = text.is_empty() || text.eq_ignore_ascii_case("x");
    // The path of an item, which rustdoc links, has `::`.
    let has_other_meaning = label.starts_with(['^', '!', '@']) || label.contains("::");
    let is_text = are_indices || is_box || has_other_meaning;
    is_apart && !is_text && !holds_placeholder(link.as_bytes())
}

/// Returns the source of a heading without the marks that make it one and without an attribute list.
fn heading_markup(source: &str) -> &str {
    let source = source.trim();
    let text = match source.strip_prefix('#') {
        Some(rest) => rest.trim_start_matches('#'),
        // The last line is the underline.
        None => source.rsplit_once('\n').map_or(source, |(text, _)| text),
    };
    let text = text.trim();
    let text = match (text.ends_with('}'), text.rfind('{')) {
        (true, Some(open)) => text[..open].trim_end(),
        _ => text,
    };
    let without_marks = text.trim_end_matches('#');
    if without_marks.ends_with([' ', '\t']) {
        return without_marks.trim_end();
    }
    text
}

/// Returns the identifier of the attribute list `{: #id }` on the line after a heading.
fn list_after(rest: &str) -> Option<String> {
    static LIST: Pattern = Pattern::new(r"^\r*\n?\r*\{:(?:[^}\n]*?\s)??#([^\s}]*)[^}\n]*[}\n]");
    let [_, id] = LIST.group_at(rest.as_bytes(), 0)?;
    Some(rest[id].to_owned())
}

/// The longest attribute list, in bytes.
const LONGEST_LIST: usize = 1 << 10;

/// Finds the identifiers of attribute lists, `{#id}` or `{: #id .class}`, in text.
fn attribute_ids(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    memchr::memchr_iter(b'{', text).filter_map(|open| {
        let rest = &text[open + 1..text.len().min(open + LONGEST_LIST)];
        let rest = &rest[..memchr::memchr3(b'}', b'{', b'\n', rest)?];
        let rest = rest.strip_prefix(b":").unwrap_or(rest);
        let mut words = rest.split(u8::is_ascii_whitespace);
        let id = words.find_map(|word| word.strip_prefix(b"#"))?;
        (!id.is_empty()).then_some((open, id))
    })
}

/// Finds the destination of an inline link after its text: `](destination` (CommonMark 0.31).
fn link_destination(source: &[u8], within: Range<usize>) -> Option<Range<usize>> {
    let rest = source.get(within.clone())?;
    let bracket = memmem::find(rest, b"](")?;
    destination(source, within.start + bracket + 2, within.end)
}

/// The label of a definition.
static LABEL: Pattern = Pattern::new(r"^(?:\\.|[^\\])*?\]:");
/// The blanks before a destination, and its bracket. A line may end there, and the next one start with
/// the markers of block quotes.
static DESTINATION: Pattern = Pattern::new(r"^[ \t]*(?:[\r\n][ \t\r\n>]*)?<?");

/// Finds the destination of a definition: `[label]: destination`.
fn definition_destination(source: &[u8], within: Range<usize>) -> Option<Range<usize>> {
    let label = LABEL.find(source.get(within.clone())?)?;
    destination(source, within.start + label.end(), within.end)
}

fn destination(source: &[u8], at: usize, end: usize) -> Option<Range<usize>> {
    let source = source.get(..end)?;
    let before = DESTINATION.find(source.get(at..)?)?;
    let angle = before.as_bytes().ends_with(b"<");
    let start = at + before.end();
    let mut at = start;
    let mut depth = 0;
    while let Some(&byte) = source.get(at) {
        match byte {
            b'\\' if source.get(at + 1).is_some_and(u8::is_ascii_punctuation) => at += 1,
            b'>' if angle => break,
            0..=b' ' if !angle => break,
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
#[path = "../../../tests/unit/document/markdown.rs"]
mod tests;
