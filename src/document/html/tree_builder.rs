//! The exact source of feedback: html5ever's tree builder behind the tokenizer.
//!
//! Two passes. The first feeds the tree builder every token and writes down where the tags are that
//! may hold references; the second, when the tree is complete, reads those again and reports the
//! ones whose element is in it. Text is fed for what it decides, which is whether there is white
//! space or anything else.
//!
//! What is kept of a document besides its bytes is counted, and has a limit.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

use html5ever::interface::QuirksMode;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    Doctype, Tag as Token, TagKind, Token as Any, TokenSink, TokenSinkResult,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{Attribute as Html5Attribute, LocalName, QualName, ns};

use super::LIMIT;
use super::attributes::{AttributeSet, ElementNamespace, row};
use super::dom::{self, NodeId, TreePosition};
use super::encoding::EncodingState;
use super::feedback::{AfterTag, Bail, Halt, Halted, TagFeedback, TextKind, TreeFeedback};
use super::names::{Attribute, Element};
use super::report::{ReferenceReporter, ReportState};
use super::tag::{AttributeNames, Attributes, KnownAttribute, RawAttribute, Tag, TagStep};
use super::tokenizer::{TokenizerRun, TokenizerState};
use super::value::{CharacterContext, ValueDecoder, ValueSource, decode_reference};
use crate::bytes::seek::{self, is_space};
use crate::bytes::steps::step;
use crate::document::events::{Event, Events};
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

/// A value up to this many bytes is handed to the tree builder as it is.
const SHORT: usize = 64;
/// So many attributes of a formatting element are kept for nothing: there are few such elements.
const FEW: usize = 16;
/// Bytes that an attribute takes in the tree builder's list of formatting elements.
const ATTRIBUTE: u64 = 128;
/// Documents in a value may keep this part of what documents may.
const NESTED: u64 = 4;
/// So many bytes may be kept of any document.
const LEAST: u64 = 1 << 20;

/// A tag that may hold references.
#[derive(Clone, Copy, Debug)]
struct PendingTag {
    /// Index of its `<`.
    start: u32,
    id: NodeId,
    /// It added attributes to an element that was there.
    merged: bool,
}

/// A stretch of text that is wanted, and the index of the record or the node that it belongs to.
#[derive(Clone, Copy, Debug)]
struct Piece {
    start: u32,
    end: u32,
    of: u32,
    /// Character references in it stand for characters.
    references: bool,
}

impl Piece {
    fn new(range: Range<usize>, of: usize, references: bool) -> Self {
        Piece {
            start: range.start as u32,
            end: range.end as u32,
            of: of as u32,
            references,
        }
    }

    fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Drives the tree builder.
pub(super) struct TreeBuilderDriver {
    builder: TreeBuilder<NodeId, dom::DomTree>,
    charset: EncodingState,
    records: Vec<PendingTag>,
    /// What each of the few tags added that were merged into another element.
    added: HashMap<usize, AttributeSet>,
    /// The base elements with `href`.
    bases: HashSet<NodeId>,
    /// The records of style elements, by the index of the element.
    styles: HashMap<usize, usize>,
    /// The texts of style and script elements.
    contents: Vec<Piece>,
    /// Where text of the last record starts, if it has any.
    text_at: Option<usize>,
    /// Character data that is wanted.
    texts: Vec<Piece>,
    wants_texts: bool,
    /// Stands for long values: the tree builder only compares them.
    hasher: RandomState,
    decoded: ValueDecoder,
    tags: u64,
    steps: u64,
    /// Bytes kept in the tree builder.
    formatting: u64,
    /// The most bytes to keep.
    most: u64,
    /// Why the document must be read in another way, once that is so.
    halt: Halt,
}

/// Scans a document that is in view as a whole, up to its report; fails when it is beyond the
/// limits.
pub(super) fn scan(
    source: ValueSource<'_>,
    at: usize,
    events: &mut Events,
    document: &mut ReportState,
) -> Result<TreeBuilderDriver, Halt> {
    if u32::try_from(source.bytes.len()).is_err() {
        return Err(Halt::Bail(Bail::Limit));
    }
    let mut exact = TreeBuilderDriver::new(document);
    let mut run = TokenizerRun {
        source,
        last: true,
        tokens: &mut TokenizerState::new(),
        tree: &mut exact,
        events,
        document,
    };
    run.run(at)?;
    let _ = exact.feed(Any::EOFToken);
    exact.builder.end();
    Ok(exact)
}

impl TreeBuilderDriver {
    fn new(document: &ReportState) -> Self {
        let options = TreeBuilderOpts {
            exact_errors: false,
            scripting_enabled: document.options.scripting,
            iframe_srcdoc: document.depth > 0,
            drop_doctype: true,
            quirks_mode: QuirksMode::NoQuirks,
        };
        let most = document.options.max_document;
        TreeBuilderDriver {
            builder: TreeBuilder::new(dom::DomTree::new(), options),
            charset: document.charset,
            records: Vec::new(),
            added: HashMap::new(),
            bases: HashSet::new(),
            styles: HashMap::new(),
            contents: Vec::new(),
            text_at: None,
            texts: Vec::new(),
            wants_texts: document.characters.is_some(),
            hasher: RandomState::new(),
            decoded: ValueDecoder::default(),
            tags: 0,
            steps: STEPS.0,
            formatting: 0,
            most: match document.depth {
                0 => most.max(LEAST),
                _ => (most / NESTED).max(LEAST),
            },
            halt: Halt::Bail(Bail::Limit),
        }
    }

    /// Bytes that are kept of the document.
    fn kept(&self) -> u64 {
        let lists = self.records.len() * size_of::<PendingTag>()
            + (self.contents.len() + self.texts.len()) * size_of::<Piece>()
            + self.styles.len() * 2 * size_of::<(usize, usize)>();
        self.builder.sink.kept() as u64 + self.formatting + lists as u64
    }

    fn feed(&self, token: Any) -> TokenSinkResult<NodeId> {
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
        step(steps as usize);
        self.steps = (self.steps + STEPS.1).saturating_sub(steps);
        let beyond = tree.created() > CREATED
            || tree.depth() > DEPTH
            || tree.len() > NODES
            || self.kept() > self.most
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
    fn name(&mut self, source: &ValueSource<'_>, range: Range<usize>) -> LocalName {
        let name = &source.bytes[range.clone()];
        let plain = |byte: &u8| byte.is_ascii() && *byte != 0 && !byte.is_ascii_uppercase();
        if name.iter().all(plain)
            && let Ok(name) = str::from_utf8(name)
        {
            return LocalName::from(name);
        }
        let decoded = &mut self.decoded;
        decoded.fill(source, range, self.charset.scanned, None);
        decoded.bytes.make_ascii_lowercase();
        LocalName::from(&*String::from_utf8_lossy(&decoded.bytes))
    }

    /// A value, or what stands for a long one: nothing long means anything to the tree builder,
    /// which keeps values to tell formatting elements apart.
    fn value(&mut self, source: &ValueSource<'_>, range: Range<usize>) -> StrTendril {
        let raw = &source.bytes[range.clone()];
        if raw.len() > LIMIT {
            return self.stand_in(raw);
        }
        self.decoded.fill(
            source,
            range,
            self.charset.scanned,
            Some(CharacterContext::Attribute),
        );
        match self.decoded.bytes.len() > SHORT {
            true => self.stand_in(&self.decoded.bytes),
            false => StrTendril::from_slice(&String::from_utf8_lossy(&self.decoded.bytes)),
        }
    }

    fn stand_in(&self, value: &[u8]) -> StrTendril {
        let hash = self.hasher.hash_one(value);
        StrTendril::from_slice(&format!("{hash:x} {:x}", value.len()))
    }

    /// Reads the attributes of a tag, duplicates left out.
    fn attributes(
        &mut self,
        source: &ValueSource<'_>,
        tag: &mut Tag,
    ) -> Result<Vec<Html5Attribute>, AfterTag> {
        let mut walker = Attributes::new(source.bytes, tag.name.end);
        let mut seen = HashSet::new();
        let mut attributes = Vec::new();
        loop {
            match walker.step() {
                TagStep::Attribute(next) => {
                    let local = self.name(source, next.name.clone());
                    if !seen.insert(local.clone()) {
                        continue;
                    }
                    if seen.len() > ATTRIBUTES {
                        self.halt = Halt::Bail(Bail::Limit);
                        return Err(AfterTag::Halt);
                    }
                    let mut value = self.value(source, next.value);
                    if tag.element == Element::Template && &*local == "shadowrootmode" {
                        // Its keywords are the same in any case.
                        value = StrTendril::from(value.to_ascii_lowercase());
                    }
                    let name = QualName::new(None, ns!(), local);
                    attributes.push(Html5Attribute { name, value });
                }
                TagStep::End { end, self_closing } => {
                    tag.end = end;
                    tag.self_closing = self_closing;
                    return Ok(attributes);
                }
                TagStep::Cut(_) => return Err(AfterTag::Wait),
            }
        }
    }

    /// Writes down a tag that made or extended an element.
    fn record(&mut self, source: &ValueSource<'_>, tag: &mut Tag) -> Result<(), Halted> {
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
        let added = merged
            .as_ref()
            .map(|names| AttributeSet::of(names.iter().map(|name| name.as_bytes())));
        read(source, &name, added, tag);
        let has_text = matches!(tag.element, Element::Style | Element::Script) && added.is_none();
        self.text_at = None;
        if has_text || !tag.attributes.is_empty() {
            let record = self.records.len();
            if tag.element == Element::Style && added.is_none() {
                self.styles.insert(id.index(), record);
            }
            if tag.is_base() {
                self.bases.insert(id);
            }
            self.added.extend(added.map(|added| (record, added)));
            self.records.push(PendingTag {
                start: tag.start as u32,
                id,
                merged: added.is_some(),
            });
            self.text_at = Some(tag.end);
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
    fn claims(&mut self, source: &ValueSource<'_>, tag: &Tag, name: &str) -> bool {
        let own = self.name(source, tag.name.clone());
        str::eq_ignore_ascii_case(&own, name) || &*own == "image" && name == "img"
    }

    /// Feeds character data: first its white space, then one character for all the others.
    fn feed_text(&mut self, source: &ValueSource<'_>, range: Range<usize>, references: bool) {
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
                    decode_reference(&bytes[at..], CharacterContext::Text, &mut out)
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

    fn take_text(&mut self, source: &ValueSource<'_>, range: Range<usize>, references: bool) {
        if range.is_empty() {
            return;
        }
        let _ = self.builder.sink.outcome();
        self.feed_text(source, range.clone(), references);
        let Some(into) = self.builder.sink.outcome().text else {
            return;
        };
        match self.styles.get(&into.index()) {
            Some(&record) => self.contents.push(Piece::new(range, record, references)),
            None if self.wants_texts && references => {
                self.texts.push(Piece::new(range, into.index(), references));
            }
            None => {}
        }
    }

    /// Reports what is in the tree, in the order of the tags.
    pub(super) fn report(
        self,
        source: ValueSource<'_>,
        events: &mut Events,
        document: &mut ReportState,
    ) {
        let TreeBuilderDriver {
            builder,
            records,
            added,
            bases,
            mut contents,
            texts,
            ..
        } = self;
        let (places, winner) = builder.sink.places(|id| bases.contains(&id));
        // The pieces of a style element's text stand in order, but others may stand between them.
        contents.sort_by_key(|piece| piece.of);
        let mut contents = &contents[..];
        let mut texts = texts.into_iter().peekable();
        let mut texts_before = |end: usize, report: &mut ReferenceReporter<'_, '_, '_>| {
            while let Some(piece) = texts.next_if(|piece| piece.range().start < end) {
                let flags = match places[piece.of as usize] {
                    TreePosition::Nowhere => continue,
                    TreePosition::Template => Flags::INERT,
                    TreePosition::Document | TreePosition::Shadow => Flags::NONE,
                };
                report.characters(piece.range(), Some(CharacterContext::Text), flags);
            }
        };
        let mut report = ReferenceReporter {
            source,
            events,
            document,
        };
        let mut tag = Tag::new();
        let again = |record: usize, tag: &mut Tag| {
            let PendingTag { start, id, merged } = records[record];
            tag.start = start as usize;
            tag.name = tag.start + 1..seek::tag_name_end(source.bytes, tag.start + 1);
            let added = merged.then(|| added.get(&record).copied().unwrap_or_default());
            read(&source, &builder.sink.name(id), added, tag);
        };
        // The base that counts is known, and so is every reference: none has to wait.
        if let Some(winner) = records.iter().position(|it| Some(it.id) == winner) {
            again(winner, &mut tag);
            report.name_base(&tag);
        }
        report.events.push(Event::Settled);
        for (index, record) in records.iter().enumerate() {
            let count = contents.partition_point(|piece| piece.of as usize <= index);
            let text;
            (text, contents) = contents.split_at(count);
            report.events.forget_stored();
            texts_before(record.start as usize, &mut report);
            let place = places[record.id.index()];
            if place == TreePosition::Nowhere {
                continue;
            }
            again(index, &mut tag);
            let verdict = TagFeedback {
                accepted: true,
                inert: place == TreePosition::Template,
                ..TagFeedback::none(AfterTag::GoOn)
            };
            report.tag(&tag, verdict);
            if tag.is_base() && place == TreePosition::Document {
                report.base(&tag, winner == Some(record.id));
            }
            if let Some(capture) = report.capture(&tag, verdict) {
                match text {
                    [] => {}
                    // In a CDATA section of a foreign element nothing is a character reference.
                    [piece] if piece.references == capture.has_references() => {
                        report.contents(&capture, piece.range());
                    }
                    _ => {
                        let mut whole = ValueDecoder::default();
                        for piece in text {
                            let place = piece.references.then_some(CharacterContext::Text);
                            let encoding = report.document.charset.scanned;
                            whole.append(&source, piece.range(), encoding, place);
                        }
                        report.decoded_contents(&capture, &whole);
                    }
                }
            }
        }
        texts_before(usize::MAX, &mut report);
    }
}

/// Reads the attributes of a tag that made an element of this name, or added some to it.
fn read(source: &ValueSource<'_>, name: &QualName, added: Option<AttributeSet>, tag: &mut Tag) {
    tag.space = match name.ns {
        ns!(html) => ElementNamespace::Html,
        ns!(svg) => ElementNamespace::Svg,
        _ => ElementNamespace::MathMl,
    };
    tag.element = Element::of(name.local.as_bytes());
    tag.attributes.clear();
    let mut seen = AttributeSet::default();
    let mut walker = Attributes::new(source.bytes, tag.name.end);
    loop {
        match walker.step() {
            TagStep::Attribute(RawAttribute { name, value }) => {
                let attribute = Attribute::of(&source.bytes[name]);
                let counts = seen.insert(attribute) && added.is_none_or(|set| set.has(attribute));
                let row = row(tag.space, tag.element, attribute);
                if let Some(row) = row.filter(|_| counts) {
                    tag.attributes.push(KnownAttribute {
                        attribute,
                        row,
                        value,
                    });
                }
            }
            TagStep::End { end, self_closing } => {
                tag.end = end;
                tag.self_closing = self_closing;
                return;
            }
            TagStep::Cut(_) => return,
        }
    }
}

/// Whether the tree builder keeps elements of this name with their attributes (WHATWG HTML, "the
/// list of active formatting elements").
fn is_formatting(name: &str) -> bool {
    matches!(
        name,
        "a" | "b"
            | "big"
            | "code"
            | "em"
            | "font"
            | "i"
            | "nobr"
            | "s"
            | "small"
            | "strike"
            | "strong"
            | "tt"
            | "u"
    )
}

impl TreeFeedback for TreeBuilderDriver {
    const WANTS_ALL: bool = true;

    fn start_tag(&mut self, source: &ValueSource<'_>, tag: &mut Tag) -> TagFeedback {
        let attributes = match self.attributes(source, tag) {
            Ok(read) => read,
            Err(then) => return TagFeedback::none(then),
        };
        let count = attributes.len();
        let name = self.name(source, tag.name.clone());
        if count > FEW && is_formatting(&name) {
            self.formatting += count as u64 * ATTRIBUTE;
        }
        let _ = self.builder.sink.outcome();
        let token = Token {
            kind: TagKind::StartTag,
            name,
            self_closing: tag.self_closing,
            attrs: attributes,
            had_duplicate_attributes: false,
        };
        let result = self.feed(Any::TagToken(token));
        let within = self.within_limits(count);
        if within.and_then(|()| self.record(source, tag)).is_err() {
            return TagFeedback::none(AfterTag::Halt);
        }
        let text = match result {
            TokenSinkResult::Plaintext => TextKind::Plaintext,
            TokenSinkResult::RawData(RawKind::Rcdata) => TextKind::Rcdata,
            TokenSinkResult::RawData(RawKind::Rawtext) => TextKind::Rawtext,
            TokenSinkResult::RawData(_) => TextKind::Script,
            _ => TextKind::Data,
        };
        // Whether it stays in the tree is known at the end.
        TagFeedback {
            text,
            ..TagFeedback::none(AfterTag::GoOn)
        }
    }

    /// Its documents are in view as a whole, and so are their tags.
    fn read_attributes(&mut self, _source: &ValueSource<'_>, _tag: &mut Tag) {}

    fn halt(&mut self) -> Halt {
        self.halt
    }

    fn end_tag(&mut self, source: &ValueSource<'_>, name: Range<usize>) -> Result<(), Halted> {
        let _ = self.builder.sink.outcome();
        let name = self.name(source, name);
        let token = Token {
            kind: TagKind::EndTag,
            name,
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

    fn text(&mut self, source: &ValueSource<'_>, range: Range<usize>) {
        self.take_text(source, range, true);
    }

    fn is_inert(&self) -> bool {
        false
    }

    fn skims(&self) -> Option<&AttributeNames> {
        None
    }

    fn cdata(&mut self, source: &ValueSource<'_>, range: Range<usize>) {
        self.take_text(source, range, false);
    }

    fn comment(&mut self) {
        let _ = self.feed(Any::CommentToken(StrTendril::new()));
    }

    fn doctype(&mut self, source: &ValueSource<'_>, range: Range<usize>) {
        let cut = range.end == source.bytes.len();
        let _ = self.feed(Any::DoctypeToken(doctype(&source.bytes[range], cut)));
    }

    fn in_prolog(&self) -> bool {
        true
    }

    fn base(&mut self, _source: &ValueSource<'_>, _tag: &Tag, _first: bool) -> Result<(), Halted> {
        Ok(())
    }

    fn raw_text(&mut self, range: Range<usize>) {
        if self.text_at == Some(range.start) {
            let record = self.records.len() - 1;
            self.contents.push(Piece::new(range, record, false));
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
