//! The exact source of feedback: html5ever's tree builder behind the tokenizer.
//!
//! Two passes. The first feeds the tree builder every token and writes down the tags that may
//! hold references; the second, when the tree is complete, reports those whose element is in it.
//! Text is fed for what it decides, which is whether there is white space or anything else.

use std::collections::HashMap;
use std::ops::Range;

use html5ever::interface::QuirksMode;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    Doctype, Tag as Token, TagKind, Token as Any, TokenSink, TokenSinkResult,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{Attribute as Html5Attribute, LocalName, QualName, ns};

use super::attributes::{AttributeSet, Space, row};
use super::characters;
use super::dom::{self, Id, Place};
use super::encoding::Charset;
use super::names::{Attribute, Element};
use super::report::{Document, Report};
use super::skim::Sought;
use super::source::Source;
use super::tag::{Attributes, Given, Held, Step, Tag};
use super::tokens::{Run, Tokens};
use super::tree::{Bail, Halt, Halted, TextKind, Then, Tree, Verdict};
use super::value::Decoded;
use crate::bytes::seek::is_space;
use crate::document::events::Events;
use crate::document::flags::Flags;

/// How deep elements may nest: the tree builder takes quadratic time.
const DEPTH: u32 = 4096;
/// How many elements one token may make.
const CREATED: usize = 16;
/// How many nodes a tree may have.
const NODES: usize = 1 << 21;
/// How many attributes a tag may have.
const ATTRIBUTES: usize = 1 << 16;
/// How many steps are paid for in advance, and with each tag. A tag takes as many as elements are
/// open, and so many again for each of its attributes: formatting elements are compared.
const STEPS: (u64, u64) = (1 << 24, 256);

/// A tag that may hold references.
#[derive(Debug)]
struct Record {
    tag: Tag,
    id: Id,
    /// The pieces of its text, if it is wanted; whether they have character references.
    text: Vec<(Range<usize>, bool)>,
}

/// Drives the tree builder.
pub(super) struct Exact {
    builder: TreeBuilder<Id, dom::Tree>,
    charset: Charset,
    records: Vec<Record>,
    /// The records of style elements, by the index of the element.
    styles: HashMap<usize, usize>,
    /// Character data that is wanted, and where it went.
    texts: Vec<(Range<usize>, Id)>,
    wants_texts: bool,
    tags: u64,
    steps: u64,
    /// Why the document must be read in another way, once that is so.
    halt: Halt,
}

/// Scans a document that is in view as a whole; fails when it is beyond the limits.
pub(super) fn scan(
    source: Source<'_>,
    at: usize,
    events: &mut Events,
    document: &mut Document,
) -> Result<(), Halt> {
    let mut exact = Exact::new(document);
    let mut run = Run {
        source,
        last: true,
        tokens: &mut Tokens::new(),
        tree: &mut exact,
        events,
        document,
    };
    run.run(at)?;
    let _ = exact.feed(Any::EOFToken);
    exact.builder.end();
    exact.report(source, events, document);
    Ok(())
}

impl Exact {
    fn new(document: &Document) -> Self {
        let options = TreeBuilderOpts {
            exact_errors: false,
            scripting_enabled: document.options.scripting,
            iframe_srcdoc: document.depth > 0,
            drop_doctype: true,
            quirks_mode: QuirksMode::NoQuirks,
        };
        Exact {
            builder: TreeBuilder::new(dom::Tree::new(), options),
            charset: document.charset,
            records: Vec::new(),
            styles: HashMap::new(),
            texts: Vec::new(),
            wants_texts: document.characters.is_some(),
            tags: 0,
            steps: STEPS.0,
            halt: Halt::Bail(Bail::Limit),
        }
    }

    fn feed(&self, token: Any) -> TokenSinkResult<Id> {
        self.builder.process_token(token, 1)
    }

    fn characters(&self, text: &'static str) {
        let _ = self.feed(Any::CharacterTokens(StrTendril::from_slice(text)));
    }

    /// Whether a token went beyond the limits of what the tree builder does in linear time.
    fn within_limits(&mut self, attributes: usize) -> Result<(), Halted> {
        let tree = &self.builder.sink;
        let depth = u64::from(tree.depth());
        self.tags += 1;
        let steps = depth * (1 + attributes as u64);
        self.steps = (self.steps + STEPS.1).saturating_sub(steps);
        let beyond = tree.created() > CREATED
            || tree.depth() > DEPTH
            || tree.len() > NODES
            || self.steps == 0;
        match beyond {
            true => {
                self.halt = Halt::Bail(Bail::Limit);
                Err(Halted)
            }
            false => Ok(()),
        }
    }

    /// A name as the tokenizer makes it.
    fn name(&self, source: &Source<'_>, range: Range<usize>) -> LocalName {
        let mut decoded = Decoded::default();
        decoded.fill(source, range, self.charset.scanned, None);
        decoded.bytes.make_ascii_lowercase();
        LocalName::from(&*String::from_utf8_lossy(&decoded.bytes))
    }

    fn value(&self, source: &Source<'_>, range: Range<usize>) -> StrTendril {
        let mut decoded = Decoded::default();
        decoded.fill(
            source,
            range,
            self.charset.scanned,
            Some(characters::Place::Attribute),
        );
        StrTendril::from_slice(&String::from_utf8_lossy(&decoded.bytes))
    }

    /// Reads the attributes of a tag, duplicates left out.
    fn attributes(
        &mut self,
        source: &Source<'_>,
        tag: &mut Tag,
    ) -> Result<(Vec<Given>, Vec<Html5Attribute>), Then> {
        let mut walker = Attributes::new(source.bytes, tag.name.end);
        let mut seen = std::collections::HashSet::new();
        let (mut given, mut attributes) = (Vec::new(), Vec::new());
        loop {
            match walker.step() {
                Step::Attribute(next) => {
                    let local = self.name(source, next.name.clone());
                    if !seen.insert(local.clone()) {
                        continue;
                    }
                    if seen.len() > ATTRIBUTES {
                        self.halt = Halt::Bail(Bail::Limit);
                        return Err(Then::Halt);
                    }
                    let mut value = self.value(source, next.value.clone());
                    if tag.element == Element::Template && &*local == "shadowrootmode" {
                        // Its keywords are the same in any case.
                        value = StrTendril::from(value.to_ascii_lowercase());
                    }
                    let name = QualName::new(None, ns!(), local);
                    attributes.push(Html5Attribute { name, value });
                    given.push(next);
                }
                Step::End { end, self_closing } => {
                    tag.end = end;
                    tag.self_closing = self_closing;
                    return Ok((given, attributes));
                }
                Step::Cut(_) => return Err(Then::Wait),
            }
        }
    }

    /// Writes down a tag that made or extended an element.
    fn record(
        &mut self,
        source: &Source<'_>,
        tag: &mut Tag,
        given: Vec<Given>,
    ) -> Result<(), Halted> {
        let outcome = self.builder.sink.outcome();
        let (id, merged) = match (outcome.merged, outcome.created) {
            (Some((id, added)), _) => (id, Some(added)),
            (None, Some(id)) => (id, None),
            (None, None) => return Ok(()),
        };
        let name = self.builder.sink.name(id);
        if merged.is_none() && !self.claims(source, tag, &name.local) {
            return Ok(());
        }
        tag.space = match name.ns {
            ns!(html) => Space::Html,
            ns!(svg) => Space::Svg,
            _ => Space::MathMl,
        };
        tag.element = Element::of(name.local.as_bytes());
        tag.attributes.clear();
        let added = merged
            .as_ref()
            .map(|names| AttributeSet::of(names.iter().map(|name| name.as_bytes())));
        for given in given {
            let attribute = Attribute::of(&source.bytes[given.name]);
            let counts = added.is_none_or(|added| added.has(attribute));
            let row = row(tag.space, tag.element, attribute);
            if let Some(row) = row.filter(|_| counts) {
                let value = given.value;
                tag.attributes.push(Held {
                    attribute,
                    row,
                    value,
                });
            }
        }
        let has_text = matches!(tag.element, Element::Style | Element::Script) && merged.is_none();
        if has_text || !tag.attributes.is_empty() {
            let tag = tag.clone();
            let text = Vec::new();
            if tag.element == Element::Style {
                self.styles.insert(id.index(), self.records.len());
            }
            self.records.push(Record { tag, id, text });
        }
        if tag.is_meta()
            && self.charset.tentative
            && let Some(encoding) = self.charset.hear(source, tag)
        {
            self.halt = Halt::Encoding(encoding);
            return Err(Halted);
        }
        Ok(())
    }

    /// Whether the element made last is the tag's own, and no clone of another.
    fn claims(&self, source: &Source<'_>, tag: &Tag, name: &str) -> bool {
        let own = self.name(source, tag.name.clone());
        str::eq_ignore_ascii_case(&own, name) || &*own == "image" && name == "img"
    }

    /// Feeds character data: first its white space, then one character for all the others.
    fn feed_text(&mut self, source: &Source<'_>, range: Range<usize>, references: bool) {
        let bytes = &source.bytes[..range.end];
        let mut at = range.start;
        let mut null = false;
        let mut spaces = 0;
        let mut out = Vec::new();
        while let Some(&byte) = bytes.get(at) {
            if byte == 0 {
                at += 1;
                if !std::mem::replace(&mut null, true) {
                    let _ = self.feed(Any::NullCharacterToken);
                    spaces = 0;
                }
                continue;
            }
            out.clear();
            let length = match byte {
                b'&' if references => {
                    characters::decode(&bytes[at..], characters::Place::Text, &mut out)
                }
                b'\r' if bytes.get(at + 1) == Some(&b'\n') => Some(2),
                _ => None,
            };
            let character = *out.first().unwrap_or(&byte);
            if !is_space(character) {
                return self.characters("x");
            }
            at += length.unwrap_or(1);
            // A line feed may be dropped where it comes first; more white space says no more.
            spaces += 1;
            if spaces <= 2 {
                let feed = if spaces == 1 && matches!(character, b'\n' | b'\r') {
                    "\n"
                } else {
                    " "
                };
                self.characters(feed);
            }
        }
    }

    fn take_text(&mut self, source: &Source<'_>, range: Range<usize>, references: bool) {
        if range.is_empty() {
            return;
        }
        let _ = self.builder.sink.outcome();
        self.feed_text(source, range.clone(), references);
        let Some(into) = self.builder.sink.outcome().text else {
            return;
        };
        match self.styles.get(&into.index()) {
            Some(&record) => self.records[record].text.push((range, references)),
            None if self.wants_texts && references => self.texts.push((range, into)),
            None => {}
        }
    }

    /// Reports what is in the tree, in the order of the tags.
    fn report(self, source: Source<'_>, events: &mut Events, document: &mut Document) {
        let (places, order) = self.builder.sink.places();
        let mut is_base = vec![false; places.len()];
        for record in &self.records {
            is_base[record.id.index()] |= record.tag.is_base();
        }
        let winner = order.into_iter().find(|id| is_base[id.index()]);
        let mut texts = self.texts.into_iter().peekable();
        let mut texts_before = |end: usize, report: &mut Report<'_, '_>| {
            while let Some((range, id)) = texts.next_if(|(range, _)| range.start < end) {
                let flags = match places[id.index()] {
                    Place::Nowhere => continue,
                    Place::Template => Flags::INERT,
                    Place::Document | Place::Shadow => Flags::NONE,
                };
                report.characters(range, Some(characters::Place::Text), flags);
            }
        };
        for mut record in self.records {
            let mut report = Report {
                source,
                events,
                document,
            };
            texts_before(record.tag.start, &mut report);
            let place = places[record.id.index()];
            if place == Place::Nowhere {
                continue;
            }
            let verdict = Verdict {
                accepted: true,
                inert: place == Place::Template,
                ..Verdict::none(Then::GoOn)
            };
            report.tag(&record.tag, verdict);
            if record.tag.is_base() && place == Place::Document {
                report.base(&record.tag, winner == Some(record.id));
            }
            if let Some(capture) = report.capture(&record.tag, verdict) {
                match &*record.text {
                    [] => {}
                    // In a CDATA section of a foreign element nothing is a character reference.
                    [(range, references)] if *references == capture.has_references() => {
                        report.contents(&capture, range.clone());
                    }
                    _ => {
                        let mut whole = Decoded::default();
                        for (range, references) in record.text.drain(..) {
                            let place = references.then_some(characters::Place::Text);
                            whole.append(&source, range, report.document.charset.scanned, place);
                        }
                        report.decoded_contents(&capture, &whole);
                    }
                }
            }
        }
        let mut report = Report {
            source,
            events,
            document,
        };
        texts_before(usize::MAX, &mut report);
    }
}

impl Tree for Exact {
    const WANTS_ALL: bool = true;

    fn start_tag(&mut self, source: &Source<'_>, tag: &mut Tag) -> Verdict {
        let (given, attributes) = match self.attributes(source, tag) {
            Ok(read) => read,
            Err(then) => return Verdict::none(then),
        };
        let count = attributes.len();
        let _ = self.builder.sink.outcome();
        let token = Token {
            kind: TagKind::StartTag,
            name: self.name(source, tag.name.clone()),
            self_closing: tag.self_closing,
            attrs: attributes,
            had_duplicate_attributes: false,
        };
        let result = self.feed(Any::TagToken(token));
        let within = self.within_limits(count);
        if within
            .and_then(|()| self.record(source, tag, given))
            .is_err()
        {
            return Verdict::none(Then::Halt);
        }
        let text = match result {
            TokenSinkResult::Plaintext => TextKind::Plaintext,
            TokenSinkResult::RawData(RawKind::Rcdata) => TextKind::Rcdata,
            TokenSinkResult::RawData(RawKind::Rawtext) => TextKind::Rawtext,
            TokenSinkResult::RawData(_) => TextKind::Script,
            _ => TextKind::Data,
        };
        // Whether it stays in the tree is known at the end.
        Verdict {
            text,
            ..Verdict::none(Then::GoOn)
        }
    }

    /// Its documents are in view as a whole, and so are their tags.
    fn read_attributes(&mut self, _source: &Source<'_>, _tag: &mut Tag) {}

    fn halt(&mut self) -> Halt {
        self.halt
    }

    fn end_tag(&mut self, source: &Source<'_>, name: Range<usize>) -> Result<(), Halted> {
        let _ = self.builder.sink.outcome();
        let token = Token {
            kind: TagKind::EndTag,
            name: self.name(source, name),
            self_closing: false,
            attrs: Vec::new(),
            had_duplicate_attributes: false,
        };
        let _ = self.feed(Any::TagToken(token));
        self.within_limits(0)
    }

    fn allows_cdata(&self) -> bool {
        self.builder
            .adjusted_current_node_present_but_not_in_html_namespace()
    }

    fn text(&mut self, source: &Source<'_>, range: Range<usize>) {
        self.take_text(source, range, true);
    }

    fn is_inert(&self) -> bool {
        false
    }

    fn skims(&self) -> Option<&Sought> {
        None
    }

    fn cdata(&mut self, source: &Source<'_>, range: Range<usize>) {
        self.take_text(source, range, false);
    }

    fn comment(&mut self) {
        let _ = self.feed(Any::CommentToken(StrTendril::new()));
    }

    fn doctype(&mut self, source: &Source<'_>, range: Range<usize>) {
        let cut = range.end == source.bytes.len();
        let _ = self.feed(Any::DoctypeToken(doctype(&source.bytes[range], cut)));
    }

    fn in_prolog(&self) -> bool {
        true
    }

    fn base(&mut self, _source: &Source<'_>, _tag: &Tag, _first: bool) -> Result<(), Halted> {
        Ok(())
    }

    fn raw_text(&mut self, range: Range<usize>) {
        if let Some(record) = self.records.last_mut()
            && record.tag.end == range.start
        {
            record.text.push((range, false));
        }
    }
}

/// Reads what stands between `<!doctype` and `>` (WHATWG HTML 13.2.5.53 to 13.2.5.68).
fn doctype(bytes: &[u8], cut: bool) -> Doctype {
    let mut doctype = Doctype {
        force_quirks: true,
        ..Doctype::default()
    };
    let text = |bytes: &[u8]| Some(StrTendril::from_slice(&String::from_utf8_lossy(bytes)));
    let trim = |bytes: &mut &[u8]| {
        while let [first, rest @ ..] = *bytes
            && is_space(*first)
        {
            *bytes = rest;
        }
    };
    let mut rest = bytes;
    trim(&mut rest);
    let length = rest
        .iter()
        .position(|&byte| is_space(byte))
        .unwrap_or(rest.len());
    if length == 0 {
        return doctype;
    }
    doctype.name = text(&rest[..length].to_ascii_lowercase());
    rest = &rest[length..];
    trim(&mut rest);
    let keyword = rest.get(..6).unwrap_or_default().to_ascii_lowercase();
    let mut identifiers = match &*keyword {
        b"public" => 2,
        b"system" => 1,
        _ => {
            doctype.force_quirks = cut || !rest.is_empty();
            return doctype;
        }
    };
    rest = &rest[6..];
    let needed = identifiers;
    while identifiers > 0 {
        trim(&mut rest);
        let Some(&quote @ (b'"' | b'\'')) = rest.first() else {
            // Only the system identifier behind a public one may be missing.
            doctype.force_quirks = cut || !rest.is_empty() || identifiers == needed;
            return doctype;
        };
        let end = memchr::memchr(quote, &rest[1..]);
        let identifier = text(&rest[1..end.map_or(rest.len(), |end| end + 1)]);
        match identifiers {
            2 => doctype.public_id = identifier,
            _ => doctype.system_id = identifier,
        }
        let Some(end) = end else {
            return doctype;
        };
        rest = &rest[end + 2..];
        identifiers -= 1;
    }
    doctype.force_quirks = cut;
    doctype
}
