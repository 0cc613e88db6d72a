//! Exact parsing: drives html5ever's tree builder with our tokenizer.
//!
//! Two passes. The first feeds every token to the tree builder and records the tags that may hold
//! references. The second reads those tags again and reports the ones whose element is in the final
//! tree. Of text only what the tree builder distinguishes is fed: white space, NUL, anything else.
//!
//! Memory beyond the document's bytes is counted and limited, and so are steps: the tree builder
//! takes quadratic time on deep and misnested documents.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

use html5ever::interface::QuirksMode;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Doctype, Tag as Token, TagKind, Token as Any, TokenSink, TokenSinkResult,
    Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{Attribute as Html5Attribute, LocalName, QualName, ns};

use super::attributes::{AttributeSet, ElementNamespace};
use super::dom::{self, NodeId, TreePosition};
use super::encoding::EncodingState;
use super::feedback::{Bail, Halt, StartTagFeedback, TagFeedback, TokenizerMode, TreeFeedback};
use super::names::Element;
use super::raw_text::ScriptEscape;
use super::report::{ReferenceReporter, ReportState};
use super::tag::{AttributeNames, Attributes, Tag, TagStep};
use super::tokenizer::{TokenizerRun, TokenizerState};
use super::value::{CharacterContext, decode_reference};
use super::value_syntax::LIMIT;
use crate::bytes::seek::{self, is_space};
use crate::bytes::steps::step;
use crate::document::events::Event;
use crate::document::flags::Flags;
use crate::document::source_text::{DecodedText, SourceText};

const MAX_DEPTH: u32 = 4096;
const MAX_CREATED: usize = 16;
const MAX_NODES: usize = 1 << 21;
const MAX_ATTRIBUTES: usize = 1 << 16;
/// The budget of steps at the start, and the steps that each tag adds. A tag costs the depth of the
/// tree, times one more than its number of attributes: formatting elements are compared.
const STEP_BUDGET: u64 = 1 << 24;
const STEPS_PER_TAG: u64 = 256;

/// Values up to this many bytes are fed verbatim, longer ones as a hash.
const MAX_FED_VALUE: usize = 64;
/// Number of attributes of a formatting element that are not added to the memory.
const FREE_ATTRIBUTES: usize = 16;
/// Memory of an attribute in the list of active formatting elements, in bytes.
const ATTRIBUTE_SIZE: u64 = 128;
/// The index of the contents of conditional comments.
const NO_ELEMENT: usize = u32::MAX as usize;
const NESTED_DIVISOR: u64 = 4;
const MIN_MEMORY: u64 = 1 << 20;

#[derive(Clone, Copy, Debug)]
struct PendingTag {
    start: u32,
    id: NodeId,
    /// Whether the tag added attributes to an existing element.
    merged: bool,
}

#[derive(Clone, Copy, Debug)]
struct TextPiece {
    start: u32,
    end: u32,
    /// The index of an element, or [`NO_ELEMENT`].
    of: u32,
    references: bool,
}

impl TextPiece {
    fn new(range: Range<usize>, of: usize, references: bool) -> Self {
        TextPiece {
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

/// The tree builder with its records for the second pass.
pub(super) struct TreeBuilderDriver {
    builder: TreeBuilder<NodeId, dom::DomTree>,
    charset: EncodingState,
    names: AttributeNames,
    found: TreeFinds,
    wants_texts: bool,
    /// Hashes long values: the tree builder only compares them.
    hasher: RandomState,
    steps: u64,
    /// Memory of the attributes of formatting elements, in bytes.
    formatting: u64,
    memory_limit: u64,
}

#[derive(Default)]
struct TreeFinds {
    records: Vec<PendingTag>,
    /// The attributes that merged tags added, by record.
    added: HashMap<usize, AttributeSet>,
    bases: HashSet<NodeId>,
    /// The records of style elements, by the index of the element.
    styles: HashMap<usize, usize>,
    contents: Vec<TextPiece>,
    /// Index at which text of the last record starts, if it can have any.
    text_at: Option<usize>,
    texts: Vec<TextPiece>,
}

/// First pass: builds the tree. Fails beyond the limits or if the document is in another encoding.
pub(super) fn scan(at: usize, report: &mut ReferenceReporter) -> Result<TreeBuilderDriver, Halt> {
    if u32::try_from(report.source.bytes.len()).is_err() {
        return Err(Halt::Bail(Bail::LIMIT));
    }
    let mut driver = TreeBuilderDriver::new(report.document);
    let mut run = TokenizerRun {
        report: report.reborrow(),
        last: true,
        state: &mut TokenizerState::default(),
        tree: &mut driver,
    };
    run.run(at)?;
    let _ = driver.feed(Any::EOFToken);
    driver.builder.end();
    Ok(driver)
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
        let mut limit = document.options.max_document;
        if document.depth > 0 {
            limit /= NESTED_DIVISOR;
        }
        TreeBuilderDriver {
            builder: TreeBuilder::new(dom::DomTree::new(), options),
            charset: document.charset,
            names: AttributeNames::new(document.enabled),
            found: TreeFinds::default(),
            wants_texts: document.text_scanners.is_some(),
            hasher: RandomState::new(),
            steps: STEP_BUDGET,
            formatting: 0,
            memory_limit: limit.max(MIN_MEMORY),
        }
    }

    fn memory(&self) -> u64 {
        let lists = self.found.records.len() * size_of::<PendingTag>()
            + (self.found.contents.len() + self.found.texts.len()) * size_of::<TextPiece>()
            + self.found.styles.len() * 2 * size_of::<(usize, usize)>();
        self.builder.sink.memory() as u64 + self.formatting + lists as u64
    }

    fn feed(&self, token: Any) -> TokenSinkResult<NodeId> {
        self.builder.process_token(token, 1)
    }

    fn feed_tag(
        &self,
        kind: TagKind,
        name: LocalName,
        self_closing: bool,
        attrs: Vec<Html5Attribute>,
    ) -> TokenSinkResult<NodeId> {
        self.feed(Any::TagToken(Token {
            kind,
            name,
            self_closing,
            attrs,
            had_duplicate_attributes: false,
        }))
    }

    fn characters(&self, text: &'static str) {
        let _ = self.feed(Any::CharacterTokens(StrTendril::from_slice(text)));
    }

    fn within_limits(&mut self, attributes: usize) -> Result<(), Halt> {
        let tree = &self.builder.sink;
        let depth = u64::from(tree.depth.get());
        let steps = depth * (1 + attributes as u64);
        step(steps as usize);
        self.steps = (self.steps + STEPS_PER_TAG).saturating_sub(steps);
        let beyond = tree.created() > MAX_CREATED
            || tree.depth.get() > MAX_DEPTH
            || tree.len() > MAX_NODES
            || self.memory() > self.memory_limit
            || self.steps == 0;
        if beyond {
            return Err(Halt::Bail(Bail::LIMIT));
        }
        Ok(())
    }

    fn name(&self, source: &SourceText, range: Range<usize>) -> LocalName {
        let name = source.name(range, self.charset.scanned);
        LocalName::from(&*String::from_utf8_lossy(&name))
    }

    /// Returns a value for a token, or the hash of a long one: only formatting elements' values are
    /// compared.
    fn value(&self, source: &SourceText, range: Range<usize>) -> StrTendril {
        let value = if range.len() > LIMIT {
            Cow::Borrowed(&source.bytes[range])
        } else {
            source.decoded_value(range, self.charset.scanned)
        };
        if value.len() <= MAX_FED_VALUE {
            return StrTendril::from_slice(&String::from_utf8_lossy(&value));
        }
        let hash = self.hasher.hash_one(value.as_ref());
        StrTendril::from_slice(&format!("{hash:x} {:x}", value.len()))
    }

    /// Reads the attributes of a tag without duplicates.
    fn attributes(
        &mut self,
        source: &SourceText,
        tag: &mut Tag,
    ) -> Result<Option<Vec<Html5Attribute>>, Halt> {
        let mut walker = Attributes::new(source.bytes, tag.name.end);
        let mut seen = HashSet::new();
        let mut attributes = Vec::new();
        loop {
            match walker.step() {
                TagStep::Attribute { name, value } => {
                    let local = self.name(source, name);
                    if !seen.insert(local.clone()) {
                        continue;
                    }
                    if seen.len() > MAX_ATTRIBUTES {
                        return Err(Halt::Bail(Bail::LIMIT));
                    }
                    let mut value = self.value(source, value);
                    if tag.element == Element::Template && &*local == "shadowrootmode" {
                        // html5ever compares the keywords case-sensitively.
                        value = StrTendril::from(value.to_ascii_lowercase());
                    }
                    let name = QualName::new(None, ns!(), local);
                    attributes.push(Html5Attribute { name, value });
                }
                TagStep::End { end, self_closing } => {
                    tag.end = end;
                    tag.self_closing = self_closing;
                    return Ok(Some(attributes));
                }
                TagStep::Cut(_) => return Ok(None),
            }
        }
    }

    fn record(&mut self, source: &SourceText, tag: &mut Tag) -> Result<(), Halt> {
        let effect = self.builder.sink.take_effect();
        let (id, merged) = match (effect.merged, effect.created) {
            (Some((id, added)), _) => (id, Some(added)),
            (None, Some(id)) => (id, None),
            (None, None) => return Ok(()),
        };
        let name = self.builder.sink.name(id);
        if merged.is_none() && !self.is_own(source, tag, &name.local) {
            return Ok(());
        }
        let added = merged
            .as_ref()
            .map(|names| AttributeSet::of(names.iter().map(|name| name.as_bytes())));
        read(&self.names, source.bytes, &name, added, tag);
        let has_text = matches!(
            tag.element,
            Element::Style | Element::Script | Element::Title
        ) && added.is_none();
        self.found.text_at = None;
        if has_text || !tag.attributes.is_empty() {
            let record = self.found.records.len();
            if tag.element == Element::Style && added.is_none() {
                self.found.styles.insert(id.index(), record);
            }
            if tag.is_base() {
                self.found.bases.insert(id);
            }
            self.found.added.extend(added.map(|added| (record, added)));
            self.found.records.push(PendingTag {
                start: tag.start as u32,
                id,
                merged: added.is_some(),
            });
            self.found.text_at = Some(tag.end);
        }
        if tag.is_meta()
            && self.charset.tentative
            && let Some(encoding) = self.charset.apply_meta(source, tag)
        {
            return Err(Halt::Encoding(encoding));
        }
        Ok(())
    }

    /// Whether the last created element is the tag's own, not a clone of a formatting element.
    fn is_own(&self, source: &SourceText, tag: &Tag, name: &str) -> bool {
        let own = self.name(source, tag.name.clone());
        str::eq_ignore_ascii_case(&own, name) || &*own == "image" && name == "img"
    }

    /// Feeds character data: leading white space, then one character for the rest.
    fn feed_text(&mut self, source: &SourceText, range: Range<usize>, references: bool) {
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
            // A leading line feed may be dropped; a third white space changes nothing.
            spaces += 1;
            if spaces <= 2 {
                let is_feed = spaces == 1 && matches!(character, b'\n' | b'\r');
                self.characters(if is_feed { "\n" } else { " " });
            }
        }
    }

    fn add_text(&mut self, source: &SourceText, range: Range<usize>, references: bool) {
        if range.is_empty() {
            return;
        }
        let _ = self.builder.sink.take_effect();
        self.feed_text(source, range.clone(), references);
        self.add_piece(range, references);
    }

    /// Records the text that was fed, if it was added to an element.
    fn add_piece(&mut self, range: Range<usize>, references: bool) {
        let Some(into) = self.builder.sink.take_effect().text else {
            return;
        };
        if let Some(&record) = self.found.styles.get(&into.index()) {
            let piece = TextPiece::new(range, record, references);
            self.found.contents.push(piece);
        } else if self.wants_texts && &*self.builder.sink.name(into).local != "script" {
            let piece = TextPiece::new(range, into.index(), references);
            self.found.texts.push(piece);
        }
    }

    /// Second pass: reports references of the final tree, in the order of the tags.
    pub(super) fn report(self, report: &mut ReferenceReporter) {
        let (builder, names, found) = (self.builder, self.names, self.found);
        let (records, mut contents) = (found.records, found.contents);
        let (positions, winner) = builder.sink.positions(|id| found.bases.contains(&id));
        // Pieces of several elements may alternate; a stable sort keeps the order within each.
        contents.sort_by_key(|piece| piece.of);
        let mut contents = &contents[..];
        let mut texts = found.texts.into_iter().peekable();
        let mut texts_before = |end: usize, report: &mut ReferenceReporter<'_, '_, '_>| {
            while let Some(piece) = texts.next_if(|piece| piece.range().start < end) {
                let flags = match positions.get(piece.of as usize) {
                    None => {
                        report.conditional(piece.range());
                        continue;
                    }
                    Some(TreePosition::Nowhere) => continue,
                    Some(TreePosition::Template) => Flags::INERT,
                    Some(TreePosition::Document | TreePosition::Shadow) => Flags::NONE,
                };
                let context = piece.references.then_some(CharacterContext::Text);
                report.character_data(piece.range(), context, flags);
            }
        };
        let source = report.source;
        let mut tag = Tag::default();
        let again = |record: usize, tag: &mut Tag| {
            let PendingTag { start, id, merged } = records[record];
            tag.start = start as usize;
            tag.name = tag.start + 1..seek::tag_name_end(source.bytes, tag.start + 1);
            let added = merged.then(|| found.added.get(&record).copied().unwrap_or_default());
            read(&names, source.bytes, &builder.sink.name(id), added, tag);
        };
        // The base is known, so no reference has to be held.
        if let Some(winner) = records.iter().position(|it| Some(it.id) == winner) {
            again(winner, &mut tag);
            report.emit_base(&tag);
        }
        report.events.push(Event::Settled);
        for (index, record) in records.iter().enumerate() {
            let count = contents.partition_point(|piece| piece.of as usize <= index);
            let text;
            (text, contents) = contents.split_at(count);
            report.events.forget_stored();
            texts_before(record.start as usize, report);
            let position = positions[record.id.index()];
            if position == TreePosition::Nowhere {
                continue;
            }
            again(index, &mut tag);
            let feedback = TagFeedback {
                inert: position == TreePosition::Template,
                ..TagFeedback::ACCEPTED
            };
            report.tag(&tag, feedback);
            if tag.is_base() && position == TreePosition::Document {
                report.base(&tag, winner == Some(record.id));
            }
            if let Some(capture) = report.capture(&tag, feedback) {
                match text {
                    [] => {}
                    // CDATA sections of foreign elements have no character references.
                    [piece] if piece.references == capture.has_references => {
                        report.contents(&capture, piece.range());
                    }
                    _ => {
                        let mut whole = DecodedText::default();
                        for piece in text {
                            let context = piece.references.then_some(CharacterContext::Text);
                            let encoding = report.document.charset.scanned;
                            whole.append(&source, piece.range(), encoding, context);
                        }
                        report.decoded_contents(&capture, &whole);
                    }
                }
            }
        }
        texts_before(usize::MAX, report);
    }
}

/// Reads the attributes of a tag that created the element `name`, or only those in `added`.
fn read(
    names: &AttributeNames,
    bytes: &[u8],
    name: &QualName,
    added: Option<AttributeSet>,
    tag: &mut Tag,
) {
    tag.space = match name.ns {
        ns!(html) => ElementNamespace::Html,
        ns!(svg) => ElementNamespace::Svg,
        _ => ElementNamespace::MathMl,
    };
    tag.element = Element::of(name.local.as_bytes());
    names.read(bytes, tag);
    if let Some(added) = added {
        tag.attributes.retain(|known| added.has(known.name));
    }
}

/// Whether elements of this name enter the list of active formatting elements (WHATWG HTML).
fn is_formatting(name: &str) -> bool {
    const NAMES: [&str; 14] = [
        "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt",
        "u",
    ];
    NAMES.contains(&name)
}

impl TreeFeedback for TreeBuilderDriver {
    const WANTS_ALL: bool = true;

    fn start_tag(&mut self, source: &SourceText, tag: &mut Tag) -> StartTagFeedback {
        let Some(attributes) = self.attributes(source, tag)? else {
            return Ok(None);
        };
        let count = attributes.len();
        let name = self.name(source, tag.name.clone());
        if count > FREE_ATTRIBUTES && is_formatting(&name) {
            self.formatting += count as u64 * ATTRIBUTE_SIZE;
        }
        let _ = self.builder.sink.take_effect();
        let result = self.feed_tag(TagKind::StartTag, name, tag.self_closing, attributes);
        self.within_limits(count)?;
        self.record(source, tag)?;
        let mode = match result {
            TokenSinkResult::Plaintext => TokenizerMode::Plaintext,
            TokenSinkResult::RawData(RawKind::Rcdata | RawKind::Rawtext) => {
                TokenizerMode::Raw(tag.element)
            }
            TokenSinkResult::RawData(_) => TokenizerMode::Script(ScriptEscape::None),
            _ => TokenizerMode::Data,
        };
        // Whether the element stays in the tree is known at the end.
        Ok(Some(TagFeedback {
            mode,
            ..TagFeedback::default()
        }))
    }

    fn end_tag(&mut self, source: &SourceText, name: Range<usize>) -> Result<(), Halt> {
        let _ = self.builder.sink.take_effect();
        let name = self.name(source, name);
        let _ = self.feed_tag(TagKind::EndTag, name, false, Vec::new());
        self.within_limits(0)
    }

    fn allows_cdata(&self) -> bool {
        self.builder
            .adjusted_current_node_present_but_not_in_html_namespace()
    }

    fn text(&mut self, source: &SourceText, range: Range<usize>) {
        self.add_text(source, range, true);
    }

    fn cdata(&mut self, source: &SourceText, range: Range<usize>) {
        self.add_text(source, range, false);
    }

    fn comment(&mut self) {
        let _ = self.feed(Any::CommentToken(StrTendril::new()));
    }

    fn defers_conditional(&mut self, range: &Range<usize>) -> bool {
        let piece = TextPiece::new(range.clone(), NO_ELEMENT, false);
        self.found.texts.push(piece);
        true
    }

    fn doctype(&mut self, source: &SourceText, range: Range<usize>) {
        let cut = range.end == source.bytes.len();
        let _ = self.feed(Any::DoctypeToken(doctype(&source.bytes[range], cut)));
    }

    fn raw_text(&mut self, range: Range<usize>, has_references: Option<bool>) {
        if let Some(references) = has_references.filter(|_| !range.is_empty()) {
            // The tree builder expects no NUL in such text, and does not look at the characters.
            let _ = self.builder.sink.take_effect();
            self.characters("x");
            self.add_piece(range.clone(), references);
        }
        if self.found.text_at == Some(range.start) {
            let record = self.found.records.len() - 1;
            let piece = TextPiece::new(range, record, false);
            self.found.contents.push(piece);
        }
    }
}

/// Parses a doctype between `<!doctype` and `>`; `cut` is whether the document ends before the `>`.
fn doctype(bytes: &[u8], cut: bool) -> Doctype {
    #[derive(Default)]
    struct DoctypeSink(RefCell<Doctype>);

    impl TokenSink for DoctypeSink {
        type Handle = ();

        fn process_token(&self, token: Any, _line: u64) -> TokenSinkResult<()> {
            if let Any::DoctypeToken(doctype) = token {
                self.0.replace(doctype);
            }
            TokenSinkResult::Continue
        }
    }

    let end = if cut { "" } else { ">" };
    let markup = format!("<!doctype{}{end}", String::from_utf8_lossy(bytes));
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(markup));
    let tokenizer = Tokenizer::new(DoctypeSink::default(), TokenizerOpts::default());
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.0.into_inner()
}
