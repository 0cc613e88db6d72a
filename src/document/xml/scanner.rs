//! The scanner: from one token to the next, with the elements, namespaces and bases that are in force.

use std::ops::Range;

use super::elements::{ElementKind, OpenElements, XmlContents};
use super::entries::{DEEPEST, Entries, FeedEntry, LONGEST};
use super::field::FieldInstruction;
use super::report::{read_templates, refuse_relative, report_item, trimmed};
use super::text::{LONGEST_ENTITY, RawText, XmlValues};
use super::tokens::{Declaration, RawXmlAttribute, XmlTag, end_of, first_of, starts_name};
use super::tokens::{read_attributes, read_doctype, read_end_tag, read_start_tag};
use super::vocabulary::{self, Namespace, ValueKind};
use crate::bytes::seek::is_space;
use crate::bytes::steps::step;
use crate::bytes::window::Window;
use crate::document::diagnostic::{XML_DEPTH_LIMIT, XML_NOT_WELL_FORMED, XML_VALUE_TOO_LONG};
use crate::document::events::{
    BaseSelector, Event, Events, NameRange, RemarkKind, RuleFamily, TextRange, WindowEvents,
};
use crate::document::html::xml::MarkupReporter;
use crate::document::nested::{NestedScanners, enter};
use crate::document::remark::{RemarkCheck, check_remark};
use crate::document::source_text::SourceText;
use crate::document::{FormatOptions, Scan, ScanStart};

/// Maximum nesting of `xml:base`; deeper ones are ignored.
const MOST_BASES: usize = 64;

#[derive(Default)]
pub(super) struct XmlScanner {
    pub(super) options: FormatOptions,
    pub(super) markup: MarkupReporter,
    pub(super) nested: NestedScanners,
    pub(super) values: XmlValues,
    pub(super) elements: OpenElements,
    pub(super) entries: Entries,
    pub(super) field: FieldInstruction,
    pub(super) kind: ElementKind,
    tag: Option<Box<XmlTag>>,
    bases: usize,
    family: RuleFamily,
    contents: XmlContents,
    /// The marker at which reading continues.
    skips_to: Option<&'static [u8]>,
    has_doctype: bool,
}

type Step = Result<usize, XmlStop>;

enum XmlStop {
    /// It was given up; reading continues at an index.
    GivenUp(usize),
    Wait,
}

impl XmlScanner {
    /// `never_guesses` is for XML in a package, where unknown vocabularies are not searched.
    pub(super) fn new(options: &FormatOptions, never_guesses: bool) -> Self {
        XmlScanner {
            options: options.clone(),
            markup: MarkupReporter::new(options),
            nested: NestedScanners::new(options.clone()),
            elements: OpenElements::new(never_guesses),
            ..XmlScanner::default()
        }
    }

    fn step(&mut self, at: usize, run: &mut WindowEvents) -> Step {
        let bytes = run.window.bytes;
        if let Some(marker) = self.skips_to {
            // The marker may begin in the last bytes.
            let cut = (bytes.len() + 1).saturating_sub(marker.len());
            return match end_of(bytes, at, marker) {
                Some(end) => {
                    self.skips_to = None;
                    Ok(end)
                }
                None if run.window.last => {
                    run.diagnose(&XML_NOT_WELL_FORMED, bytes.len());
                    Ok(bytes.len())
                }
                None if cut > at => Ok(cut),
                None => Err(XmlStop::Wait),
            };
        }
        if !matches!(self.contents, XmlContents::Ignored) {
            return self.read_contents(at, run);
        }
        if bytes[at] != b'<' {
            return self.skip_text(at, run);
        }
        let starts = |at: usize| bytes.get(at).is_some_and(|&byte| starts_name(byte));
        match bytes.get(at + 1) {
            Some(b'/') if starts(at + 2) => self.end_tag(at, run),
            _ if starts(at + 1) => self.start_tag(at, run),
            _ => self.markup(at, run),
        }
    }

    /// Skips text that is not read, but for the entities in it.
    fn skip_text(&mut self, start: usize, run: &mut WindowEvents) -> Step {
        let bytes = run.window.bytes;
        let mut at = first_of(*b"<&", bytes, start);
        while bytes.get(at) == Some(&b'&') {
            let rest = &bytes[at..];
            // A reference may continue after the window.
            let is_cut = rest.len() < LONGEST_ENTITY + 2 && memchr::memchr(b';', rest).is_none();
            if is_cut && !run.window.last {
                break;
            }
            self.values.pass_reference(&run.window, at);
            self.values.report_faults(run.events);
            at = first_of(*b"<&", bytes, at + 1);
        }
        (at > start).then_some(at).ok_or(XmlStop::Wait)
    }

    /// Reads the markup at `at`, a `<` that does not begin a tag.
    fn markup(&mut self, at: usize, run: &mut WindowEvents) -> Step {
        let (rest, last) = (&run.window.bytes[at..], run.window.last);
        let is_cut = |start: &[u8]| !last && rest.len() < start.len() && start.starts_with(rest);
        let starts: [&[u8]; 4] = [b"<![CDATA[", b"<!--", b"</a", b"<?xml-stylesheet "];
        if starts.into_iter().any(is_cut) {
            return Err(XmlStop::Wait);
        }
        match rest {
            [b'<', b'!', b'-', b'-', ..] => self.comment(at, run),
            _ if rest.starts_with(b"<![CDATA[") => {
                self.skips_to = Some(b"]]>");
                Ok(at + 9)
            }
            // Only the first DOCTYPE is read: each may reach to the end of the document.
            [b'<', b'!', ..] if !self.has_doctype => {
                let step = self.doctype(at, run);
                self.has_doctype = !matches!(step, Err(XmlStop::Wait));
                step
            }
            [b'<', b'?', ..] => self.instruction(at, run),
            _ => {
                run.diagnose(&XML_NOT_WELL_FORMED, at);
                self.contents = self.elements.between();
                Ok(at + 1)
            }
        }
    }

    /// Returns the end of a token; gives it up if the document ends in it, or if it is too long.
    #[inline(always)]
    fn bounded(&mut self, end: Option<usize>, at: usize, run: &mut WindowEvents) -> Step {
        let length = end.unwrap_or(run.window.bytes.len()) - at;
        match end {
            Some(end) if length <= LONGEST => return Ok(end),
            None if length <= LONGEST && !run.window.last => return Err(XmlStop::Wait),
            None if length <= LONGEST => run.diagnose(&XML_NOT_WELL_FORMED, at),
            _ => {
                run.diagnose(&XML_VALUE_TOO_LONG, at);
                self.skips_to = Some(b">");
            }
        }
        // The rest may still hold tags.
        Err(XmlStop::GivenUp(at + 1))
    }

    fn comment(&mut self, at: usize, run: &mut WindowEvents) -> Step {
        let bytes = run.window.bytes;
        self.contents = self.elements.between();
        // The comment's remark is reported before its end.
        let end = end_of(bytes, at + 4, b"-->");
        let contents = at + 4..end.map_or(bytes.len(), |end| end - 3);
        match check_remark(&bytes[contents.clone()], end.is_some()) {
            RemarkCheck::Yes => {
                let span = run.span(&(at..contents.end + 3));
                let text = TextRange::window(contents);
                (run.events).push(Event::remark(RemarkKind::Ignore, text, span));
            }
            RemarkCheck::Cut if !run.window.last => return Err(XmlStop::Wait),
            RemarkCheck::Cut | RemarkCheck::No => {}
        }
        self.skips_to = Some(b"-->");
        Ok(at + 4)
    }

    fn doctype(&mut self, at: usize, run: &mut WindowEvents) -> Step {
        let (bytes, mut found) = (run.window.bytes, Vec::new());
        let end = read_doctype(bytes, at, &mut found);
        let end = self.bounded(end, at, run)?;
        if self.elements.root.is_some() || !bytes[at..].starts_with(b"<!DOCTYPE") {
            run.diagnose(&XML_NOT_WELL_FORMED, at);
        }
        for declaration in found {
            match declaration {
                Declaration::Entity(name, literal) => self.values.entities.declare(name, literal),
                Declaration::Open => self.values.entities.is_open = true,
                Declaration::System(keyword, identifier) if self.options.html.extended => {
                    let names = [NameRange::Known(keyword), NameRange::Known("system")];
                    let text = SourceText::window(bytes, run.window.offset);
                    report_item(text, identifier, names, BaseSelector::Document, run.events);
                }
                Declaration::System(..) => {}
            }
        }
        Ok(end)
    }

    /// Reads a processing instruction: `xml-stylesheet` before the root (Associating Style Sheets
    /// with XML documents, section 3).
    fn instruction(&mut self, at: usize, run: &mut WindowEvents) -> Step {
        const TARGET: &[u8] = b"<?xml-stylesheet";
        let (bytes, data) = (run.window.bytes, at + TARGET.len());
        self.contents = self.elements.between();
        let is_sheet = self.elements.root.is_none()
            && bytes[at..].starts_with(TARGET)
            && bytes.get(data).is_none_or(|&byte| is_space(byte));
        // Others are skipped at any length.
        let end = is_sheet.then(|| end_of(bytes, at + 2, b"?>")).flatten();
        if !is_sheet || run.window.last && end.is_none() {
            self.skips_to = Some(b"?>");
            return Ok(at + 2);
        }
        let end = self.bounded(end, at, run)?;
        let mut tag = XmlTag::default();
        read_attributes(&bytes[..end], data, &mut tag);
        if let Some(href) = tag.attribute(bytes, b"href") {
            let names = [NameRange::Known("xml-stylesheet"), NameRange::Known("href")];
            let text = self.values.value(&run.window, href).source();
            let (all, base) = (0..text.bytes.len(), BaseSelector::Document);
            report_item(text, all, names, base, run.events);
            self.values.report_faults(run.events);
        }
        Ok(end)
    }

    fn start_tag(&mut self, at: usize, run: &mut WindowEvents) -> Step {
        let mut tag = self.tag.take().unwrap_or_default();
        let bytes = run.window.bytes;
        let mut end = read_start_tag(bytes, at, &mut tag);
        // The document ends in the tag: the attributes before are whole.
        if let (None, true, Some(attribute)) = (end, run.window.last, tag.attributes.last()) {
            tag.is_broken = true;
            end = Some(first_of([b'<'; 2], bytes, attribute.value.end));
        }
        let end = self.bounded(end, at, run);
        if let Ok(end) = end {
            step(end - at);
            self.open(&tag, run);
        }
        self.tag = Some(tag);
        end
    }

    /// Reports the references of a start tag, and opens its element.
    fn open(&mut self, tag: &XmlTag, run: &mut WindowEvents) {
        let start = tag.name.start - 1;
        if tag.is_broken {
            run.diagnose(&XML_NOT_WELL_FORMED, start);
        }
        let is_root = self.elements.root.is_none();
        let outer = self.elements.prefixes.len();
        if tag.has_prefix && !self.elements.is_full() {
            self.bind_prefixes(tag, run);
        }
        let kind = self.elements.kind(run.window.bytes, tag);
        self.kind = kind;
        let is_browsed = is_root && kind.markup.is_some();
        if is_browsed {
            self.family = RuleFamily::Markup;
            self.markup.is_page = kind.namespace == Namespace::Xhtml;
        }
        let base = self.own_base(tag, run);
        // An element with a base, or a root that browsers show, is a separate document.
        let has_scope = is_browsed || base.is_some();
        if has_scope {
            self.enter(base, run.window, run.events);
            // A base element may follow.
            if !(is_browsed && self.markup.is_page) {
                run.events.push(Event::Settled);
            }
        }
        let first = run.events.list.len();
        let contents = self.read_tag(tag, run);
        if kind.namespace != Namespace::Xsl && self.elements.has_stylesheet() {
            read_templates(first, run);
        }
        if kind.namespace == Namespace::Xhtml && self.elements.root == Some(Namespace::Sitemap) {
            refuse_relative(first, run);
        }
        run.events.forget_stored();
        if tag.is_empty {
            self.elements.unbind(outer);
            if has_scope {
                self.bases -= 1;
                run.events.push(Event::Leave);
            }
            self.contents = self.elements.between();
            return;
        }
        self.contents = contents;
        if self.elements.push(kind, outer, has_scope) {
            if kind.is_entry {
                self.entries.open.push(FeedEntry::default());
            }
        } else if self.elements.deeper == 1 {
            run.diagnose(&XML_DEPTH_LIMIT, start);
        }
    }

    fn bind_prefixes(&mut self, tag: &XmlTag, run: &mut WindowEvents) {
        for attribute in tag.attributes.iter().filter(|given| given.has_prefix) {
            let name = &run.window.bytes[attribute.name.clone()];
            let prefix = match name.strip_prefix(b"xmlns:") {
                Some(prefix) => prefix,
                None if name == b"xmlns" => b"",
                None => continue,
            };
            // Drawing programs declare entities for the names of namespaces.
            let name = &self.values.value(&run.window, attribute).bytes;
            let namespace = vocabulary::namespace(&name[trimmed(name, 0..name.len())]);
            self.elements.bind(prefix, namespace);
            self.values.report_faults(run.events);
        }
    }

    /// Returns the `xml:base` of an element, which applies to its own attributes, too (XML Base,
    /// section 4).
    fn own_base<'t>(&self, tag: &'t XmlTag, run: &mut WindowEvents) -> Option<&'t RawXmlAttribute> {
        if !tag.has_prefix || self.markup.has_base() || self.elements.is_full() {
            return None;
        }
        let base = tag.attribute(run.window.bytes, b"xml:base")?;
        if self.bases >= MOST_BASES {
            run.diagnose(&XML_DEPTH_LIMIT, tag.name.start - 1);
            return None;
        }
        Some(base)
    }

    fn enter(&mut self, base: Option<&RawXmlAttribute>, window: Window<'_>, events: &mut Events) {
        enter(None, self.family, events);
        self.bases += 1;
        if let Some(base) = base {
            let text = self.values.value(&window, base);
            let range = trimmed(&text.bytes, 0..text.bytes.len());
            let at = text.map.start(range.start as u64);
            let base = events.store(&text.bytes[range]);
            events.push(Event::Base(base, at));
            self.values.report_faults(events);
        }
    }

    fn end_tag(&mut self, at: usize, run: &mut WindowEvents) -> Step {
        let tag = read_end_tag(run.window.bytes, at);
        let end = self.bounded(tag.as_ref().map(|tag| tag.end), at, run)?;
        let Some(tag) = tag else {
            return Ok(end);
        };
        if self.elements.deeper > 0 {
            // It closes an element that was only counted.
            self.elements.deeper -= 1;
        } else {
            let count = self.elements.closed_by(tag.hash);
            if count != Some(1) || tag.is_broken {
                run.diagnose(&XML_NOT_WELL_FORMED, at);
            }
            for _ in 0..count.unwrap_or(0) {
                self.close(run.events);
            }
        }
        self.contents = self.elements.between();
        Ok(end)
    }

    #[inline]
    fn close(&mut self, events: &mut Events) {
        let Some(open) = self.elements.pop() else {
            return;
        };
        if open.kind.is_entry {
            self.entries.open.pop();
        }
        if open.has_scope {
            self.bases -= 1;
            events.push(Event::Leave);
        }
    }

    /// Reads text up to the next tag, which must be in the window as a whole.
    fn read_contents(&mut self, start: usize, run: &mut WindowEvents) -> Step {
        let window = run.window;
        // Expansions that are repeated are counted once.
        let mark = self.values.entities.mark();
        self.values.text.begin(window.offset_at(start));
        let end = self.append_contents(&window, start);
        if end.unwrap_or(window.bytes.len()) - start > LONGEST {
            self.values.entities.rollback(mark);
            self.contents = XmlContents::Ignored;
            run.diagnose(&XML_VALUE_TOO_LONG, start);
            return Ok(start);
        }
        let end = end.filter(|&end| {
            let text = &self.values.text.bytes;
            !self.entries.needs_link(&self.contents, text)
                || self.find_link(&window, start..end).is_some()
        });
        let Some(end) = end else {
            self.values.entities.rollback(mark);
            return Err(XmlStop::Wait);
        };
        self.values.report_faults(run.events);
        let contents = std::mem::take(&mut self.contents);
        self.report_text(&contents, run.events);
        run.events.forget_stored();
        Ok(end)
    }

    /// Looks for the entry's link up to [`LONGEST`] bytes after a text; `None` if more bytes decide.
    fn find_link(&mut self, window: &Window<'_>, text: Range<usize>) -> Option<()> {
        let near = window.bytes.len().min(text.start + LONGEST);
        let window = &Window {
            bytes: &window.bytes[..near],
            last: window.last || near == text.start + LONGEST,
            ..*window
        };
        let described = std::mem::take(&mut self.values.text);
        let mark = self.values.entities.mark();
        let (mut tag, mut at) = (XmlTag::default(), text.end);
        // The depth of elements that have links of their own.
        let (mut inner, mut is_link) = (0, false);
        loop {
            self.values.text.begin(window.offset_at(at));
            at = self.append_contents(window, at)?;
            let text = &self.values.text;
            let link = trimmed(&text.bytes, 0..text.bytes.len());
            if is_link && !link.is_empty() {
                let offset = text.map.start(link.start as u64);
                self.entries.set_link(&text.bytes[link], offset);
                break;
            }
            let is_end = window.bytes.get(at + 1) == Some(&b'/');
            let Some(end) = read_start_tag(window.bytes, at + usize::from(is_end), &mut tag) else {
                if window.last {
                    break;
                }
                return None;
            };
            step(end - at);
            at = end;
            let kind = self.elements.kind(window.bytes, &tag);
            let is_start = !is_end && !tag.is_empty;
            if kind.is_entry {
                match inner {
                    0 if is_end => break,
                    DEEPEST if is_start => break,
                    _ => inner = inner + usize::from(is_start) - usize::from(is_end),
                }
            }
            let row = vocabulary::find(kind.rows, vocabulary::TEXT.as_bytes(), false);
            is_link =
                is_start && inner == 0 && row.is_some_and(|row| row.kind == ValueKind::EntryLink);
        }
        self.values.entities.rollback(mark);
        self.values.text = described;
        // One search for an entry serves all elements that need its link.
        if let Some(entry) = self.entries.open.last_mut() {
            entry.is_searched = true;
        }
        Some(())
    }

    /// Decodes text up to the next tag, without comments; returns its end, `None` if more bytes decide.
    fn append_contents(&mut self, window: &Window<'_>, start: usize) -> Option<usize> {
        let bytes = window.bytes;
        let mut at = start;
        loop {
            let length = memchr::memchr(b'<', &bytes[at..]);
            if length.is_none() && !window.last {
                return None;
            }
            let markup = length.map_or(bytes.len(), |length| at + length);
            self.values.append(window, at..markup, RawText::Data);
            let rest = &bytes[markup..];
            let (skip, marker): (usize, &[u8]) = match rest {
                // A URI ends there, and the comment may be a remark.
                [b'<', b'!', b'-', b'-', ..] | [b'<', b'?', ..]
                    if matches!(self.contents, XmlContents::Guessed) =>
                {
                    return Some(markup);
                }
                [b'<', b'!', b'-', b'-', ..] => (4, b"-->"),
                [b'<', b'?', ..] => (2, b"?>"),
                _ if rest.starts_with(b"<![CDATA[") => (9, b"]]>"),
                [b'<', next, ..] if *next == b'/' || starts_name(*next) => return Some(markup),
                _ if rest.len() < 9 && !window.last => return None,
                _ => return Some(markup),
            };
            let Some(end) = end_of(bytes, markup + skip, marker) else {
                return window.last.then_some(markup);
            };
            if skip == 9 {
                let data = markup + skip..end - 3;
                self.values.append(window, data, RawText::Cdata);
            }
            at = end;
        }
    }
}

impl Scan for XmlScanner {
    fn begin(&mut self, start: &ScanStart) {
        *self = XmlScanner::new(&self.options, self.elements.never_guesses);
        self.markup.begin();
        self.nested.positions = start.positions;
    }

    fn scan(&mut self, window: Window<'_>, events: &mut Events) -> usize {
        let mut at = window.start;
        let run = &mut WindowEvents { window, events };
        while at < window.bytes.len() {
            match self.step(at, run) {
                Ok(end) | Err(XmlStop::GivenUp(end)) => at = end,
                Err(XmlStop::Wait) => return at,
            }
        }
        if window.last {
            self.field.end(run.events);
            // Elements are open at the end, or there is no root.
            if !self.elements.open.is_empty() || self.elements.root.is_none() {
                run.diagnose(&XML_NOT_WELL_FORMED, window.bytes.len());
            }
            while !self.elements.open.is_empty() {
                self.close(run.events);
            }
        }
        run.events.forget_stored();
        at
    }
}
