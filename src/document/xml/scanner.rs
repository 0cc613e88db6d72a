//! The scanner: open elements, namespaces and bases, and what the rows of the vocabularies report.

use std::ops::Range;

use encoding_rs::UTF_8;

use super::text::{Entities, EntityFault, LONGEST_ENTITY, Piece, XmlText};
use super::tokens::{
    Declaration, TokenEnd, XmlTag, end_of, read_attributes, read_doctype, read_end_tag,
    read_start_tag, starts_name,
};
use super::vocabulary::{self, Namespace, ValueKind};
use crate::bytes::seek::is_space;
use crate::bytes::steps::step;
use crate::bytes::window::Window;
use crate::decode::charset::{Confidence, Detected};
use crate::document::diagnostic;
use crate::document::events::{
    BaseSelector, Batch, Context, Event, Events, FoundReference, FoundRemark, NameRange,
    RemarkKind, RuleFamily, Span, TextRange,
};
use crate::document::flags::Flags;
use crate::document::html::xml::{MarkupContents, MarkupNamespace, MarkupReporter, MarkupTag};
use crate::document::nested::{Member, NestedReader, NestedScanners, NestedScope, enter};
use crate::document::remark::{RemarkCheck, check_remark};
use crate::document::text::TextScanner;
use crate::document::{AnchorReporting, Format, FormatOptions, Scan, ScanStart};

/// Longer tags and texts of elements are left out, and diagnosed.
pub(super) const LONGEST: usize = 4 << 20;
/// Elements that nest deeper are read, but have no namespaces, bases or entries of their own.
const DEEPEST: usize = 4096;
/// Namespace declarations that are in force; further ones do not count.
const MOST_BINDINGS: usize = 256;
/// `xml:base` that nests deeper does not count.
const MOST_BASES: usize = 64;
/// An end tag is looked up among this many open elements.
const NEAREST: usize = 64;

/// What is read of the text up to the next tag.
enum Contents {
    /// Nothing.
    Ignored,
    /// By a row of a vocabulary.
    Row(&'static str, ValueKind),
    /// A style or script element.
    Markup(MarkupContents),
    /// Text of an unknown vocabulary.
    Guessed,
}

/// An open element.
struct Open {
    /// The hash of its name as written.
    name: u64,
    namespace: Namespace,
    /// The number of bindings in force around it.
    bindings: usize,
    /// Whether it is a document of its own, with its own base.
    has_scope: bool,
    /// Whether it is an item or a channel.
    is_entry: bool,
}

/// The link of an item or of a channel.
#[derive(Clone)]
enum EntryLink {
    /// None has been read so far.
    Unread,
    /// None has been read, and none stands near behind either.
    NotNear,
    /// The reference and its offset.
    Found(Vec<u8>, u64),
}

/// The scanner for XML.
pub(super) struct XmlScanner {
    options: FormatOptions,
    markup: MarkupReporter,
    text_scanner: TextScanner,
    text_events: Batch,
    nested: NestedScanners,
    reader: NestedReader,
    entities: Entities,
    text: XmlText,
    tag: XmlTag,
    open: Vec<Open>,
    /// The number of open elements beyond [`DEEPEST`].
    deeper: u64,
    bindings: Vec<(Vec<u8>, Namespace)>,
    entries: Vec<EntryLink>,
    bases: usize,
    /// The vocabulary of elements without a namespace; `None` before the root.
    root: Option<Namespace>,
    /// Whether the root's vocabulary is unknown.
    guesses: bool,
    family: RuleFamily,
    contents: Contents,
    /// The marker behind which reading goes on.
    skips_to: Option<&'static [u8]>,
    /// Whether a DOCTYPE was read, or given up.
    has_doctype: bool,
    started: bool,
}

/// The consumed part of a window.
enum Step {
    /// Up to an index.
    To(usize),
    /// More bytes decide.
    Wait,
}

fn hash(name: &[u8]) -> u64 {
    use std::hash::{DefaultHasher, Hasher};
    let mut hasher = DefaultHasher::new();
    hasher.write(name);
    hasher.finish()
}

fn local(name: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memchr(b':', name) {
        Some(colon) => (&name[..colon], &name[colon + 1..]),
        None => (b"", name),
    }
}

/// Returns the range without white space of XML at both ends.
fn trimmed(bytes: &[u8], range: Range<usize>) -> Range<usize> {
    let value = &bytes[range.clone()];
    let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    let start = value.iter().take_while(is_blank).count();
    let end = value[start..].iter().rev().take_while(is_blank).count();
    range.start + start..range.end - end
}

/// Whether a reference has a scheme.
fn is_absolute(reference: &[u8]) -> bool {
    let scheme = memchr::memchr(b':', reference).map(|colon| &reference[..colon]);
    scheme.is_some_and(|scheme| {
        scheme.first().is_some_and(u8::is_ascii_alphabetic)
            && (scheme.iter()).all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte))
    })
}

/// Whether a value is wholly an absolute URI: with a known scheme, or any scheme and an authority.
fn is_whole_uri(value: &[u8]) -> bool {
    let colon = memchr::memchr(b':', value).unwrap_or(0);
    let has_authority = value[colon..].starts_with(b"://") && value.len() > colon + 3;
    let is_known = [
        "http", "https", "ftp", "mailto", "urn", "tel", "news", "file",
    ]
    .iter()
    .any(|scheme| value[..colon].eq_ignore_ascii_case(scheme.as_bytes()));
    is_absolute(value)
        && (has_authority || is_known && value.len() > colon + 1)
        && !value
            .iter()
            .any(|&byte| is_space(byte) || b"<>\"".contains(&byte))
}

impl XmlScanner {
    pub(super) fn new(options: &FormatOptions) -> Self {
        XmlScanner {
            options: options.clone(),
            markup: MarkupReporter::new(options),
            text_scanner: TextScanner::new(options.text.clone()),
            text_events: Batch::default(),
            nested: NestedScanners::new(options.clone()),
            reader: NestedReader::default(),
            entities: Entities::default(),
            text: XmlText::default(),
            tag: XmlTag::default(),
            open: Vec::new(),
            deeper: 0,
            bindings: Vec::new(),
            entries: Vec::new(),
            bases: 0,
            root: None,
            guesses: false,
            family: RuleFamily::Plain,
            contents: Contents::Ignored,
            skips_to: None,
            has_doctype: false,
            started: false,
        }
    }

    fn extended(&self) -> bool {
        self.options.html.extended
    }

    fn not_well_formed(at: u64, events: &mut Events) {
        events.push(Event::Diagnostic(&diagnostic::XML_NOT_WELL_FORMED, at));
    }

    /// Reports what is wrong with the references in the text that was decoded last.
    fn report_faults(&mut self, events: &mut Events) {
        for (fault, at) in self.text.faults.drain(..) {
            report_fault(fault, at, events);
        }
    }

    /// Reads from `at` on, outside tags and between them.
    fn step(&mut self, window: &Window<'_>, at: usize, events: &mut Events) -> Step {
        let bytes = window.bytes;
        if let Some(marker) = self.skips_to {
            return match end_of(bytes, at, marker) {
                TokenEnd::At(end) => {
                    self.skips_to = None;
                    Step::To(end)
                }
                TokenEnd::Cut if window.last => {
                    Self::not_well_formed(window.offset_at(bytes.len()), events);
                    Step::To(bytes.len())
                }
                // The marker may begin in the last bytes.
                TokenEnd::Cut => match (bytes.len() + 1).saturating_sub(marker.len()) {
                    end if end > at => Step::To(end),
                    _ => Step::Wait,
                },
            };
        }
        if !matches!(self.contents, Contents::Ignored) {
            return self.read_contents(window, at, events);
        }
        let Some(length) = memchr::memchr(b'<', &bytes[at..]) else {
            return self.skip_text(window, at, bytes.len(), events);
        };
        if length > 0 {
            return self.skip_text(window, at, at + length, events);
        }
        self.markup(window, at, events)
    }

    /// Passes over text that is not read, but for the faults in it.
    fn skip_text(
        &mut self,
        window: &Window<'_>,
        at: usize,
        end: usize,
        events: &mut Events,
    ) -> Step {
        let bytes = window.bytes;
        let mut end = end;
        if end == bytes.len() && !window.last {
            // A reference may go on behind the window.
            let tail = end.saturating_sub(LONGEST_ENTITY + 2).max(at);
            if let Some(found) = memchr::memrchr(b'&', &bytes[tail..end])
                && memchr::memchr(b';', &bytes[tail + found..end]).is_none()
            {
                end = tail + found;
            }
            if end == at {
                return Step::Wait;
            }
        }
        let offset = window.offset_at(at);
        self.entities
            .check(&bytes[at..end], offset, |fault, index| {
                report_fault(fault, offset + index as u64, events);
            });
        Step::To(end)
    }

    /// Reads the markup at `at`, a `<`.
    fn markup(&mut self, window: &Window<'_>, at: usize, events: &mut Events) -> Step {
        let bytes = window.bytes;
        let rest = &bytes[at..];
        let is_cut =
            |start: &[u8]| !window.last && rest.len() < start.len() && start.starts_with(rest);
        if is_cut(b"<![CDATA[") || is_cut(b"<!--") || is_cut(b"</a") {
            return Step::Wait;
        }
        match rest {
            [b'<', b'!', b'-', b'-', ..] => self.comment(window, at, events),
            _ if rest.starts_with(b"<![CDATA[") => {
                self.skips_to = Some(b"]]>");
                Step::To(at + 9)
            }
            // Only the first DOCTYPE is read: each may reach to the end of the document.
            [b'<', b'!', ..] if !self.has_doctype => {
                let step = self.doctype(window, at, events);
                self.has_doctype = matches!(step, Step::To(_));
                step
            }
            [b'<', b'?', ..] => self.instruction(window, at, events),
            [b'<', b'/', next, ..] if starts_name(*next) => {
                let tag = read_end_tag(bytes, at);
                match self.bounded(tag.as_ref().map(|tag| tag.end), window, at, events) {
                    Ok(end) => {
                        let tag = tag.unwrap_or_default();
                        let offset = window.offset_at(at);
                        self.end_tag(&bytes[tag.name], tag.is_broken, offset, events);
                        Step::To(end)
                    }
                    Err(step) => step,
                }
            }
            [b'<', next, ..] if starts_name(*next) => self.start_tag(window, at, events),
            _ => {
                Self::not_well_formed(window.offset_at(at), events);
                self.contents = self.between();
                Step::To(at + 1)
            }
        }
    }

    /// Returns the end of a token; gives it up where the document cuts it off, or if it is too long.
    fn bounded(
        &mut self,
        end: Option<usize>,
        window: &Window<'_>,
        at: usize,
        events: &mut Events,
    ) -> Result<usize, Step> {
        let length = end.unwrap_or(window.bytes.len()) - at;
        let offset = window.offset_at(at);
        match end {
            Some(end) if length <= LONGEST => return Ok(end),
            None if length <= LONGEST && !window.last => return Err(Step::Wait),
            None if length <= LONGEST => Self::not_well_formed(offset, events),
            _ => {
                events.push(Event::Diagnostic(&diagnostic::XML_TOO_LONG, offset));
                self.skips_to = Some(b">");
            }
        }
        // What is left may hold tags all the same.
        Err(Step::To(at + 1))
    }

    fn comment(&mut self, window: &Window<'_>, at: usize, events: &mut Events) -> Step {
        let bytes = window.bytes;
        let start = at + 4;
        match end_of(bytes, start, b"-->") {
            TokenEnd::At(end) => {
                let contents = start..end - 3;
                if check_remark(&bytes[contents.clone()], true) == RemarkCheck::Yes {
                    events.push(Event::Remark(FoundRemark {
                        kind: RemarkKind::Ignore,
                        text: TextRange::window(contents),
                        span: Span {
                            start: window.offset_at(at),
                            end: window.offset_at(end),
                        },
                        position: None,
                    }));
                }
                Step::To(end)
            }
            TokenEnd::Cut
                if !window.last && check_remark(&bytes[start..], false) == RemarkCheck::Cut =>
            {
                Step::Wait
            }
            TokenEnd::Cut => {
                self.skips_to = Some(b"-->");
                Step::To(start)
            }
        }
    }

    fn doctype(&mut self, window: &Window<'_>, at: usize, events: &mut Events) -> Step {
        let bytes = window.bytes;
        let mut found = Vec::new();
        let end = read_doctype(bytes, at, |declaration| found.push(declaration));
        let end = match self.bounded(end.index(), window, at, events) {
            Ok(end) => end,
            Err(step) => return step,
        };
        for declaration in found {
            match declaration {
                Declaration::Entity(name, literal) => self.entities.declare(name, literal),
                Declaration::Open => self.entities.is_open = true,
            }
        }
        Step::To(end)
    }

    /// Reads a processing instruction: `xml-stylesheet` before the root (Associating Style Sheets
    /// with XML documents, section 3).
    fn instruction(&mut self, window: &Window<'_>, at: usize, events: &mut Events) -> Step {
        let bytes = window.bytes;
        const TARGET: &[u8] = b"<?xml-stylesheet";
        let data = at + TARGET.len();
        let is_sheet = self.root.is_none()
            && match bytes[at..].get(..TARGET.len()) {
                Some(target) => target == TARGET,
                None => !window.last && TARGET.starts_with(&bytes[at..]),
            }
            && bytes.get(data).is_none_or(|&byte| is_space(byte));
        // Others are passed over, whatever their length.
        let end = match is_sheet {
            true => end_of(bytes, at + 2, b"?>").index(),
            false => None,
        };
        if !is_sheet || window.last && end.is_none() {
            self.skips_to = Some(b"?>");
            return Step::To(at + 2);
        }
        let end = match self.bounded(end, window, at, events) {
            Ok(end) => end,
            Err(step) => return step,
        };
        {
            let mut tag = std::mem::take(&mut self.tag);
            read_attributes(&bytes[..end], data, &mut tag);
            let mut attributes = tag.attributes.iter();
            if let Some(href) = attributes.find(|given| bytes[given.name.clone()] == *b"href") {
                let value = href.value.clone();
                self.text.begin(window.offset_at(value.start));
                let raw = &bytes[value.clone()];
                self.text.append(
                    raw,
                    window.offset_at(value.start),
                    Piece::Value,
                    &mut self.entities,
                );
                let names = [NameRange::Known("xml-stylesheet"), NameRange::Known("href")];
                self.report(
                    0..self.text.bytes.len(),
                    Context::Attribute,
                    names,
                    Flags::NONE,
                    BaseSelector::Document,
                    events,
                );
                self.report_faults(events);
            }
            self.tag = tag;
        }
        Step::To(end)
    }

    /// Reports a range of the decoded text, without white space around it.
    fn report(
        &mut self,
        range: Range<usize>,
        context: Context,
        [element, attribute]: [NameRange; 2],
        flags: Flags,
        base: BaseSelector,
        events: &mut Events,
    ) {
        let range = trimmed(&self.text.bytes, range);
        if range.is_empty() {
            return;
        }
        let span = self.span(&range);
        let text = events.store(&self.text.bytes[range]);
        events.push(Event::Reference(FoundReference {
            element,
            attribute,
            flags,
            base,
            ..FoundReference::new(span, text, context)
        }));
    }

    /// Returns where a range of the decoded text comes from.
    fn span(&self, range: &Range<usize>) -> Span {
        let start = self.text.map.start(range.start as u64);
        let end = match range.is_empty() {
            true => start,
            false => self.text.map.end(range.end as u64),
        };
        Span { start, end }
    }

    fn binding(&self, prefix: &[u8]) -> Namespace {
        step(self.bindings.len());
        let bindings = self.bindings.iter().rev();
        let mut named = bindings.filter(|(known, _)| known == prefix);
        match (named.next(), prefix) {
            (_, b"xml") => Namespace::Xml,
            (Some((_, namespace)), _) => *namespace,
            (None, b"") => Namespace::Nameless,
            (None, _) => Namespace::Unknown,
        }
    }

    fn bind(&mut self, prefix: &[u8], namespace: Namespace) {
        if self.binding(prefix) != namespace && self.bindings.len() < MOST_BINDINGS {
            self.bindings.push((prefix.to_vec(), namespace));
        }
    }

    fn start_tag(&mut self, window: &Window<'_>, at: usize, events: &mut Events) -> Step {
        let bytes = window.bytes;
        let mut tag = std::mem::take(&mut self.tag);
        let end = read_start_tag(bytes, at, &mut tag).index();
        let step = match self.bounded(end, window, at, events) {
            Ok(end) => {
                step(end - at);
                self.read_tag(window, at, &tag, events);
                Step::To(end)
            }
            Err(step) => step,
        };
        self.tag = tag;
        step
    }

    fn read_tag(&mut self, window: &Window<'_>, at: usize, tag: &XmlTag, events: &mut Events) {
        let bytes = window.bytes;
        let offset = window.offset_at(at);
        if tag.is_broken {
            Self::not_well_formed(offset, events);
        }
        let is_deep = self.open.len() >= DEEPEST;
        let bindings = self.bindings.len();
        for attribute in &tag.attributes {
            let name = &bytes[attribute.name.clone()];
            let prefix = match name {
                b"xmlns" => Some(&b""[..]),
                _ => name.strip_prefix(b"xmlns:"),
            };
            if let (Some(prefix), false) = (prefix, is_deep) {
                let value = trimmed(bytes, attribute.value.clone());
                self.bind(prefix, vocabulary::namespace(&bytes[value]));
            }
        }
        let (prefix, name) = local(&bytes[tag.name.clone()]);
        let mut namespace = self.binding(prefix);
        let is_root = self.root.is_none();
        if is_root {
            let root = vocabulary::of_root(name);
            self.root = Some(root);
            self.guesses = match namespace {
                Namespace::Nameless => root == Namespace::Unknown,
                known => known == Namespace::Unknown,
            };
        }
        if namespace == Namespace::Nameless {
            namespace = self.root.unwrap_or(Namespace::Unknown);
        }
        // Values are decoded one behind the other, and the name stands behind them.
        let mut values = Vec::with_capacity(tag.attributes.len());
        self.text.begin(offset);
        for attribute in &tag.attributes {
            let name = &bytes[attribute.name.clone()];
            if name.starts_with(b"xmlns") {
                continue;
            }
            let start = self.text.bytes.len();
            let value = attribute.value.clone();
            let from = window.offset_at(value.start);
            self.text
                .append(&bytes[value], from, Piece::Value, &mut self.entities);
            let (prefix, local) = local(name);
            let space = match prefix {
                b"" => Namespace::Nameless,
                prefix => self.binding(prefix),
            };
            values.push((space, local, start..self.text.bytes.len(), name));
        }
        self.report_faults(events);
        let value = |space: Namespace, wanted: &[u8]| {
            let mut values = values.iter();
            let found = values.find(|(given, local, ..)| *given == space && *local == wanted);
            found.map(|(_, _, range, _)| range.clone())
        };
        let markup = match namespace {
            Namespace::Xhtml => Some(MarkupNamespace::Html),
            Namespace::Svg => Some(MarkupNamespace::Svg),
            Namespace::MathMl => Some(MarkupNamespace::MathMl),
            _ => None,
        };
        // The base of the element itself is that of its xml:base (XML Base, section 4).
        let base = value(Namespace::Xml, b"base").filter(|_| !self.markup.has_base() && !is_deep);
        let base = match base {
            Some(_) if self.bases >= MOST_BASES => {
                events.push(Event::Diagnostic(&diagnostic::XML_DEPTH_LIMIT, offset));
                None
            }
            base => base,
        };
        let is_browsed = is_root && markup.is_some();
        if is_browsed {
            self.family = RuleFamily::Markup;
        }
        let has_scope = is_browsed || base.is_some();
        if has_scope {
            enter(None, self.family, None, events);
            self.bases += 1;
            if let Some(base) = base {
                let at = self.span(&base).start;
                let base = events.store(&self.text.bytes[trimmed(&self.text.bytes, base)]);
                events.push(Event::Base(base, at));
            }
            // A base element may follow.
            if !(is_browsed && namespace == Namespace::Xhtml) {
                events.push(Event::Settled);
            }
        }
        let is_entry = namespace == Namespace::Rss
            && matches!(
                name,
                b"item" | b"channel" | b"image" | b"textinput" | b"textInput"
            );
        let mut contents = Contents::Ignored;
        if let Some(markup) = markup {
            contents = self.read_markup(markup, name, &values, events);
        } else {
            let mut is_hidden = Vec::new();
            for (space, local, range, name_as_written) in &values {
                is_hidden.push(*space == Namespace::Xlink);
                self.read_attribute(
                    (namespace, name),
                    (*space, local, name_as_written),
                    range.clone(),
                    &value(Namespace::Xlink, b"type"),
                    events,
                );
            }
            let kind = vocabulary::text_kind(namespace, name, self.extended());
            contents = match kind {
                Some((element, ValueKind::Guid)) => {
                    let denies = value(Namespace::Nameless, b"isPermaLink")
                        .is_some_and(|range| self.text.bytes[range] == *b"false");
                    match denies {
                        true => Contents::Ignored,
                        false => Contents::Row(element, ValueKind::Guid),
                    }
                }
                Some((element, ValueKind::TypedHtml)) => {
                    let kind = value(Namespace::Nameless, b"type");
                    let kind = kind
                        .map(|range| &self.text.bytes[range])
                        .unwrap_or_default();
                    let is_html = kind == b"html" || kind.eq_ignore_ascii_case(b"text/html");
                    match is_html {
                        true => Contents::Row(element, ValueKind::TypedHtml),
                        false => Contents::Ignored,
                    }
                }
                Some((element, kind)) => Contents::Row(element, kind),
                None if self.guesses && namespace == Namespace::Unknown => Contents::Guessed,
                None => contents,
            };
        }
        events.forget_stored();
        if tag.is_empty {
            self.bindings.truncate(bindings);
            if has_scope {
                self.bases -= 1;
                events.push(Event::Leave);
            }
            self.contents = self.between();
            return;
        }
        self.contents = contents;
        if is_deep {
            if self.deeper == 0 {
                events.push(Event::Diagnostic(&diagnostic::XML_DEPTH_LIMIT, offset));
            }
            self.deeper += 1;
            return;
        }
        if is_entry {
            self.entries.push(EntryLink::Unread);
        }
        self.open.push(Open {
            name: hash(&bytes[tag.name.clone()]),
            namespace,
            bindings,
            has_scope,
            is_entry,
        });
    }

    /// Returns what is read of text behind a tag that ended.
    fn between(&self) -> Contents {
        let inner = self.open.last().map(|open| open.namespace);
        match self.guesses && inner == Some(Namespace::Unknown) {
            true => Contents::Guessed,
            false => Contents::Ignored,
        }
    }

    /// Reports an element of XHTML, SVG or MathML by the table of HTML.
    fn read_markup(
        &mut self,
        namespace: MarkupNamespace,
        name: &[u8],
        values: &[(Namespace, &[u8], Range<usize>, &[u8])],
        events: &mut Events,
    ) -> Contents {
        let attributes: Vec<(&[u8], Range<usize>)> = (values.iter())
            .filter_map(|(space, local, range, _)| match space {
                Namespace::Nameless => Some((*local, range.clone())),
                Namespace::Xlink if *local == b"href" => Some((&b"xlink:href"[..], range.clone())),
                Namespace::Xml if *local == b"id" => Some((&b"id"[..], range.clone())),
                _ => None,
            })
            .collect();
        let name = self.text.append_name(name);
        let tag = MarkupTag {
            namespace,
            bytes: &self.text.bytes,
            map: &self.text.map,
            name,
            attributes: &attributes,
        };
        match self.markup.start_tag(&tag, events) {
            Some(contents) => Contents::Markup(contents),
            None => Contents::Ignored,
        }
    }

    /// Reports an attribute of an element that is none of markup.
    fn read_attribute(
        &mut self,
        (namespace, element): (Namespace, &[u8]),
        (space, local, name): (Namespace, &[u8], &[u8]),
        range: Range<usize>,
        xlink_type: &Option<Range<usize>>,
        events: &mut Events,
    ) {
        let is_id = local == b"id" && matches!(space, Namespace::Nameless | Namespace::Xml);
        if is_id && !range.is_empty() && self.options.anchors == AnchorReporting::Report {
            let at = self.span(&range).start;
            let anchor = events.store(&self.text.bytes[range]);
            return events.push(Event::Anchor(anchor, at));
        }
        let bytes = &self.text.bytes;
        let known = match space {
            Namespace::Nameless => {
                vocabulary::attribute_row(namespace, element, local, self.extended())
            }
            Namespace::Rdf => {
                let name = [b"rdf:", local].concat();
                vocabulary::attribute_row(namespace, element, &name, self.extended())
            }
            Namespace::Xlink if local == b"href" => {
                let kind = xlink_type.clone().map(|range| &bytes[range]);
                let is_link = kind.is_none_or(|kind| kind == b"simple" || kind == b"locator");
                is_link.then_some(("xlink:href", ValueKind::Uri))
            }
            Namespace::SchemaInstance if local == b"schemaLocation" && self.extended() => {
                return self.schema_locations(element, range, events);
            }
            _ => None,
        };
        let (attribute, flags) = match known {
            Some((attribute, _)) => (NameRange::Known(attribute), Flags::NONE),
            None => {
                let is_guess = self.guesses
                    && namespace == Namespace::Unknown
                    && matches!(space, Namespace::Nameless | Namespace::Unknown)
                    && is_whole_uri(&bytes[trimmed(bytes, range.clone())]);
                if !is_guess {
                    return;
                }
                (NameRange::Other(events.store(name)), Flags::GUESSED)
            }
        };
        let element = NameRange::Other(events.store(element));
        self.report(
            range,
            Context::Attribute,
            [element, attribute],
            flags,
            BaseSelector::Document,
            events,
        );
    }

    /// Reports the second of each pair of `xsi:schemaLocation`.
    fn schema_locations(&mut self, element: &[u8], range: Range<usize>, events: &mut Events) {
        let element = NameRange::Other(events.store(element));
        let mut at = range.start;
        let mut count = 0;
        while at < range.end {
            let rest = &self.text.bytes[at..range.end];
            let length = rest.iter().take_while(|&&byte| !is_space(byte)).count();
            if length > 0 {
                count += 1;
                if count % 2 == 0 {
                    let names = [element, NameRange::Known("xsi:schemaLocation")];
                    self.report(
                        at..at + length,
                        Context::Attribute,
                        names,
                        Flags::NONE,
                        BaseSelector::Document,
                        events,
                    );
                }
            }
            at += length + 1;
        }
    }

    fn end_tag(&mut self, name: &[u8], is_broken: bool, at: u64, events: &mut Events) {
        if self.deeper > 0 {
            self.deeper -= 1;
            self.contents = self.between();
            return;
        }
        let name = hash(name);
        step(self.open.len().min(NEAREST));
        let found = self
            .open
            .iter()
            .rev()
            .take(NEAREST)
            .position(|open| open.name == name);
        if found != Some(0) || is_broken {
            Self::not_well_formed(at, events);
        }
        for _ in 0..found.map_or(0, |above| above + 1) {
            self.close(events);
        }
        self.contents = self.between();
    }

    /// Closes the innermost element.
    fn close(&mut self, events: &mut Events) {
        let Some(open) = self.open.pop() else {
            return;
        };
        self.bindings.truncate(open.bindings);
        if open.is_entry {
            self.entries.pop();
        }
        if open.has_scope {
            self.bases -= 1;
            events.push(Event::Leave);
        }
    }

    /// Reads text up to the next tag, all of which must be in the window.
    fn read_contents(&mut self, window: &Window<'_>, start: usize, events: &mut Events) -> Step {
        let bytes = window.bytes;
        let is_too_long = bytes.len() - start > LONGEST;
        let too_long = |scanner: &mut Self, events: &mut Events| {
            let offset = window.offset_at(start);
            events.push(Event::Diagnostic(&diagnostic::XML_TOO_LONG, offset));
            scanner.contents = Contents::Ignored;
            Step::To(start)
        };
        self.text.begin(window.offset_at(start));
        let mut at = start;
        // What is read of the entities again counts once.
        let before = self.entities.expanded();
        let end = loop {
            let Some(length) = memchr::memchr(b'<', &bytes[at..]) else {
                break window.last.then_some(bytes.len()).map(|end| (end, at..end));
            };
            let plain = at..at + length;
            let rest = &bytes[plain.end..];
            let (skip, marker): (usize, &[u8]) = match rest {
                [b'<', b'!', b'-', b'-', ..] => (4, b"-->"),
                _ if rest.starts_with(b"<![CDATA[") => (9, b"]]>"),
                [b'<', b'?', ..] => (2, b"?>"),
                [b'<', next, ..] if *next == b'/' || starts_name(*next) => {
                    break Some((plain.end, plain));
                }
                _ if rest.len() < 9 && !window.last => break None,
                _ => break Some((plain.end, plain)),
            };
            let inner = plain.end + skip;
            let end = match end_of(bytes, inner, marker) {
                TokenEnd::At(end) => end,
                TokenEnd::Cut if window.last => break Some((plain.end, plain)),
                TokenEnd::Cut => break None,
            };
            let from = window.offset_at(plain.start);
            self.text
                .append(&bytes[plain], from, Piece::Data, &mut self.entities);
            if skip == 9 {
                let from = window.offset_at(inner);
                self.text.append(
                    &bytes[inner..end - 3],
                    from,
                    Piece::Cdata,
                    &mut self.entities,
                );
            }
            at = end;
        };
        let Some((end, plain)) = end else {
            self.entities.set_expanded(before);
            return match is_too_long {
                true => too_long(self, events),
                false => Step::Wait,
            };
        };
        if end - start > LONGEST {
            self.entities.set_expanded(before);
            return too_long(self, events);
        }
        let from = window.offset_at(plain.start);
        self.text
            .append(&bytes[plain], from, Piece::Data, &mut self.entities);
        let contents = std::mem::replace(&mut self.contents, Contents::Ignored);
        if let Contents::Row(_, ValueKind::EntryHtml) = contents
            && let Some(EntryLink::Unread) = self.entries.last()
            && !trimmed(&self.text.bytes, 0..self.text.bytes.len()).is_empty()
        {
            let near = bytes.len().min(start + LONGEST);
            step(near - end);
            match find_link(&bytes[..near], end) {
                LinkSearch::Found(range) => {
                    let text = std::mem::take(&mut self.text);
                    self.set_link(&bytes[range.clone()], window.offset_at(range.start));
                    self.text = text;
                }
                LinkSearch::Cut if !window.last && near < start + LONGEST => {
                    self.entities.set_expanded(before);
                    self.contents = contents;
                    return Step::Wait;
                }
                // One search for an entry, however many elements need its link.
                LinkSearch::None | LinkSearch::Cut => self.set_entry(EntryLink::NotNear),
            }
        }
        self.report_faults(events);
        self.report_contents(&contents, events);
        events.forget_stored();
        Step::To(end)
    }

    /// Sets the link of the innermost entry, as written, which stands behind what needs it.
    fn set_link(&mut self, raw: &[u8], offset: u64) {
        let raw = raw
            .strip_prefix(b"<![CDATA[")
            .map_or(raw, |raw| raw.strip_suffix(b"]]>").unwrap_or(raw));
        self.text = XmlText::default();
        self.text.begin(offset);
        let before = self.entities.expanded();
        self.text
            .append(raw, offset, Piece::Data, &mut self.entities);
        self.entities.set_expanded(before);
        self.text.faults.clear();
        let range = trimmed(&self.text.bytes, 0..self.text.bytes.len());
        let link = match range.is_empty() {
            true => EntryLink::NotNear,
            false => EntryLink::Found(self.text.bytes[range].to_vec(), offset),
        };
        self.set_entry(link);
    }

    /// Sets the link of the innermost entry, if it has none.
    fn set_entry(&mut self, link: EntryLink) {
        if let Some(entry @ (EntryLink::Unread | EntryLink::NotNear)) = self.entries.last_mut() {
            *entry = link;
        }
    }

    /// Reports the decoded text of an element.
    fn report_contents(&mut self, contents: &Contents, events: &mut Events) {
        let whole = 0..self.text.bytes.len();
        let (element, kind) = match contents {
            Contents::Ignored => return,
            Contents::Guessed => return self.guess(events),
            Contents::Markup(contents) => {
                let (bytes, map) = (&self.text.bytes, &self.text.map);
                return self.markup.contents(contents, bytes, map, events);
            }
            Contents::Row(element, kind) => (*element, *kind),
        };
        let names = [NameRange::Known(element), NameRange::None];
        let value = trimmed(&self.text.bytes, whole.clone());
        let is_absolute = is_absolute(&self.text.bytes[value.clone()]);
        let (flags, base) = match kind {
            ValueKind::TypedHtml | ValueKind::EntryHtml if value.is_empty() => return,
            ValueKind::TypedHtml => return self.embedded(None, events),
            ValueKind::EntryHtml => {
                let link = match self.entries.last() {
                    Some(EntryLink::Found(link, at)) => Some((link.clone(), *at)),
                    _ => None,
                };
                return self.embedded(link, events);
            }
            ValueKind::Guid if !is_absolute => return,
            ValueKind::EntryLink if !value.is_empty() => {
                let at = self.text.map.start(value.start as u64);
                let link = self.text.bytes[value].to_vec();
                self.set_entry(EntryLink::Found(link, at));
                (Flags::NONE, BaseSelector::Document)
            }
            ValueKind::Absolute if !is_absolute => (Flags::NONCONFORMING, BaseSelector::Nothing),
            _ => (Flags::NONE, BaseSelector::Document),
        };
        self.report(whole, Context::Text, names, flags, base, events);
    }

    /// Reads an HTML document in the decoded text, with the link of its entry as its base.
    fn embedded(&mut self, link: Option<(Vec<u8>, u64)>, events: &mut Events) {
        let flags = match link {
            Some(_) => Flags::ASSUMED_BASE,
            None => Flags::NONE,
        };
        enter(None, RuleFamily::Markup, None, events);
        if let Some((link, at)) = link {
            let link = events.store(&link);
            events.push(Event::Base(link, at));
            events.push(Event::Settled);
        }
        self.reader.begin(Member {
            charset: b"utf-8".to_vec(),
            format: Format::HTML,
            scope: NestedScope::Enclosing,
            flags,
            diagnostic_offset: Some(self.text.map.start(0)),
            ..Member::default()
        });
        let text = &self.text;
        self.reader
            .scan_decoded(&text.bytes, &text.map, &mut self.nested, events);
        events.push(Event::Leave);
    }

    /// Reports the URIs in text of an unknown vocabulary.
    fn guess(&mut self, events: &mut Events) {
        if memchr::memchr2(b':', b'.', &self.text.bytes).is_none() && !self.options.text.email {
            return;
        }
        self.text_scanner.begin(&ScanStart {
            detected: Some(Detected {
                encoding: Some(UTF_8),
                mark: 0,
                confidence: Confidence::Certain,
            }),
            ..ScanStart::default()
        });
        let mut found = Events::from(std::mem::take(&mut self.text_events));
        found.clear();
        let bytes = &self.text.bytes;
        self.text_scanner.scan(Window::whole(bytes), &mut found);
        for event in &found.list {
            if let Event::Reference(reference) = event {
                let mut copy = events.adopt_reference(reference, &found, bytes);
                copy.span =
                    self.span(&(reference.span.start as usize..reference.span.end as usize));
                copy.position = None;
                events.push(Event::Reference(copy));
            }
        }
        self.text_events = found.into();
    }
}

fn report_fault(fault: EntityFault, at: u64, events: &mut Events) {
    let code = match fault {
        EntityFault::NotWellFormed => &diagnostic::XML_NOT_WELL_FORMED,
        EntityFault::Limit => &diagnostic::XML_ENTITY_LIMIT,
    };
    events.push(Event::Diagnostic(code, at));
}

/// The link of an entry behind its description.
enum LinkSearch {
    /// The raw text of the `link` element.
    Found(Range<usize>),
    /// There is none.
    None,
    /// More bytes decide.
    Cut,
}

/// Looks for the `link` element of the entry that `at` is in; the bytes may be cut.
fn find_link(bytes: &[u8], mut at: usize) -> LinkSearch {
    let cut = LinkSearch::Cut;
    // The depth of elements that have links of their own.
    let mut inner = 0;
    while let Some(length) = memchr::memchr(b'<', &bytes[at..]) {
        at += length;
        let rest = &bytes[at..];
        if rest.len() < 16 {
            return cut;
        }
        let is_tag = |name: &[u8]| {
            rest.starts_with(name)
                && rest
                    .get(name.len())
                    .is_some_and(|&next| is_space(next) || next == b'>')
        };
        let marker: Option<&[u8]> = match rest {
            [b'<', b'!', b'-', b'-', ..] => Some(b"-->"),
            _ if rest.starts_with(b"<![CDATA[") => Some(b"]]>"),
            _ => None,
        };
        if let Some(marker) = marker {
            match end_of(bytes, at + 3, marker) {
                TokenEnd::At(end) => at = end,
                TokenEnd::Cut => return cut,
            }
            continue;
        }
        if is_tag(b"</item") || is_tag(b"</channel") || is_tag(b"<item") {
            return LinkSearch::None;
        }
        inner += usize::from(is_tag(b"<image") || is_tag(b"<textInput"));
        inner -= usize::from(inner > 0 && (is_tag(b"</image") || is_tag(b"</textInput")));
        if is_tag(b"<link") && inner == 0 {
            let Some(start) = memchr::memchr(b'>', rest) else {
                return cut;
            };
            let start = at + start + 1;
            return match end_of(bytes, start, b"</") {
                TokenEnd::At(end) => LinkSearch::Found(start..end - 2),
                TokenEnd::Cut => cut,
            };
        }
        at += 1;
    }
    cut
}

impl Scan for XmlScanner {
    fn begin(&mut self, start: &ScanStart) {
        let options = std::mem::take(&mut self.options);
        let positions = start.positions;
        *self = XmlScanner::new(&options);
        self.nested.positions = positions;
    }

    fn scan(&mut self, window: Window<'_>, events: &mut Events) -> usize {
        if !std::mem::replace(&mut self.started, true) {
            events.push(Event::Settled);
        }
        let mut at = window.start;
        while at < window.bytes.len() {
            match self.step(&window, at, events) {
                Step::To(end) => at = end,
                Step::Wait => return at,
            }
        }
        if window.last {
            if !self.open.is_empty() {
                Self::not_well_formed(window.offset_at(window.bytes.len()), events);
            }
            while !self.open.is_empty() {
                self.close(events);
            }
        }
        events.forget_stored();
        at
    }
}
