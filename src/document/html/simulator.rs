//! The fast source of feedback: what can be proved about the tree without building it.
//!
//! State: the open SVG and MathML elements, how many templates are open, the form pointer, and a
//! few marks. Claim: while no rule of [`Bail`] applies, (a) the tokenizer gets every answer that
//! the tree builder would give, (b) exactly the tags that make or extend an element are accepted,
//! and (c) the base is the first `base` with `href` in tree order.
//!
//! Proof, by induction over the tokens. Invariant: the elements of [`ForeignElements`] are the maximal run
//! of foreign elements on top of the stack of open elements, and none lies below an HTML element;
//! the insertion mode is none of those in or after a frameset, nor "in column group" with a
//! template as current node; template depth and form pointer are right. In HTML content no tag
//! that switches the tokenizer is then ignored, so the switch depends on its name alone, and only
//! `<svg>` and `<math>` open a foreign element. In foreign content B2 to B5 leave the tokens that
//! the rules "any other start tag" and "any other end tag" handle, which read the foreign run
//! alone. Columns in a template (B6) and framesets (B1) are the only ways out of the modes. B7 to
//! B10 are the tags whose acceptance needs the stack. Foster parenting alone makes the order of
//! tokens differ from that of the tree, hence B11; a declarative shadow root attaches or not by
//! the current node, hence B13.

use std::ops::Range;

use memchr::memchr2;

use super::HtmlOptions;
use super::attributes::{AttributeSet, ElementNamespace, EnabledRows, ValueSyntax};
use super::feedback::{AfterTag, Bail, Halt, Halted, ScanEnd, TagFeedback, TextKind, TreeFeedback};
use super::names::{Attribute, Element};
use super::report::ReportState;
use super::tag::{AttributeNames, Attributes, Tag, TagStep};
use super::tokenizer::{TokenizerRun, TokenizerState};
use super::value::{self, ValueSource};
use crate::document::events::Events;

/// What the theorem keeps of a document.
#[derive(Debug)]
pub(super) struct Simulator {
    foreign: ForeignElements,
    templates: u64,
    form_open: bool,
    tables: bool,
    base_behind_table: bool,
    table_parts_in_template: bool,
    prolog: bool,
    html: AttributeSet,
    body: AttributeSet,
    scripting: bool,
    /// Rules that would bail from this offset on are passed over.
    limit: u64,
    /// One was.
    guessed: bool,
    /// Why the document must be read in another way, once that is so.
    halt: Bail,
    /// The attributes that are looked for.
    sought: AttributeNames,
}

/// What parses one document after the other, fast.
pub(super) struct SimulatorParser {
    pub(super) tokens: TokenizerState,
    pub(super) fast: Simulator,
}

impl SimulatorParser {
    pub(super) fn new(options: &HtmlOptions, wanted: EnabledRows) -> Self {
        SimulatorParser {
            tokens: TokenizerState::new(),
            fast: Simulator::new(options, wanted),
        }
    }
}

/// Scans a document that is in view as a whole; from the offset `limit` on it only approximates.
pub(super) fn scan(
    source: ValueSource<'_>,
    at: usize,
    limit: u64,
    parser: &mut SimulatorParser,
    events: &mut Events,
    document: &mut ReportState,
) -> Result<ScanEnd, Halt> {
    let SimulatorParser { tokens, fast } = parser;
    tokens.begin();
    fast.begin(limit);
    let mut run = TokenizerRun {
        source,
        last: true,
        tokens,
        tree: fast,
        events,
        document,
    };
    run.run(at)?;
    Ok(match fast.took_a_guess() {
        true => ScanEnd::Approximately,
        false => ScanEnd::Exactly,
    })
}

impl Simulator {
    pub(super) fn new(options: &HtmlOptions, wanted: EnabledRows) -> Self {
        Simulator {
            foreign: ForeignElements::default(),
            templates: 0,
            form_open: false,
            tables: false,
            base_behind_table: false,
            table_parts_in_template: false,
            prolog: true,
            html: AttributeSet::default(),
            body: AttributeSet::default(),
            scripting: options.scripting,
            limit: 0,
            guessed: false,
            halt: Bail::Limit,
            sought: AttributeNames::new(wanted),
        }
    }

    /// Starts a document; from the offset `limit` on it will not be read again, whatever turns up,
    /// and the result approximates.
    pub(super) fn begin(&mut self, limit: u64) {
        self.foreign.clear();
        self.templates = 0;
        self.form_open = false;
        self.tables = false;
        self.base_behind_table = false;
        self.table_parts_in_template = false;
        self.prolog = true;
        self.html = AttributeSet::default();
        self.body = AttributeSet::default();
        self.limit = limit;
        self.guessed = false;
    }

    /// Whether something was passed over since the last time.
    pub(super) fn took_a_guess(&mut self) -> bool {
        std::mem::take(&mut self.guessed)
    }

    fn bail(&mut self, source: &ValueSource<'_>, at: usize, bail: Bail) -> Result<(), Halted> {
        if source.offset(at) < self.limit {
            self.halt = bail;
            return Err(Halted);
        }
        self.guessed = true;
        Ok(())
    }

    /// The namespace that an element of this name would be in.
    fn space(&mut self, source: &ValueSource<'_>, tag: &Tag) -> Result<ElementNamespace, Halted> {
        let element = tag.element;
        let Some((_, point)) = self.foreign.top() else {
            return Ok(ElementNamespace::Html);
        };
        let html = match point {
            IntegrationPoint::Html => true,
            IntegrationPoint::MathText => !matches!(element, Element::Mglyph | Element::Malignmark),
            IntegrationPoint::Annotation => element == Element::Svg,
            IntegrationPoint::None => false,
        };
        if html || element.breaks_out() {
            let bail = if html {
                Bail::IntegrationPoint
            } else {
                Bail::Breakout
            };
            self.bail(source, tag.start, bail)?;
            self.foreign.clear();
            return Ok(ElementNamespace::Html);
        }
        Ok(self.foreign.space())
    }

    fn foreign_tag(&mut self, source: &ValueSource<'_>, tag: &Tag) -> Result<TagFeedback, Halted> {
        let breaks_out = [Attribute::Color, Attribute::Face, Attribute::Size];
        if tag.element == Element::Font
            && breaks_out
                .iter()
                .any(|&attribute| tag.value(attribute).is_some())
        {
            self.bail(source, tag.start, Bail::Breakout)?;
            self.foreign.clear();
            return Ok(self.verdict(true, TextKind::Data));
        }
        if !tag.self_closing {
            if tag.space == ElementNamespace::Svg && tag.element == Element::Style {
                self.bail(source, tag.start, Bail::Style)?;
            }
            self.open_foreign(source, tag, tag.space)?;
        }
        Ok(self.verdict(true, TextKind::Data))
    }

    fn open_foreign(
        &mut self,
        source: &ValueSource<'_>,
        tag: &Tag,
        space: ElementNamespace,
    ) -> Result<(), Halted> {
        if self.foreign.is_full() {
            return self.bail(source, tag.start, Bail::ForeignDepth);
        }
        let says_html = tag.value(Attribute::Encoding).is_some_and(|range| {
            let encoding = value::plain(source, range);
            encoding.eq_ignore_ascii_case(b"text/html")
                || encoding.eq_ignore_ascii_case(b"application/xhtml+xml")
        });
        let name = &source.bytes[tag.name.clone()];
        let point = point(space, tag.element, says_html);
        self.foreign.push(space, name, tag.element, point);
        Ok(())
    }

    fn verdict(&self, accepted: bool, text: TextKind) -> TagFeedback {
        TagFeedback {
            accepted,
            inert: self.templates > 0,
            text,
            then: AfterTag::GoOn,
        }
    }

    fn html_tag(&mut self, source: &ValueSource<'_>, tag: &mut Tag) -> Result<TagFeedback, Halted> {
        use Element::*;
        let prolog = self.prolog;
        self.prolog &= tag.element == Html;
        let mut verdict = self.verdict(true, TextKind::Data);
        match tag.element {
            Title | Textarea => verdict.text = TextKind::Rcdata,
            Element::Style | Xmp | Iframe | Noembed | Noframes => verdict.text = TextKind::Rawtext,
            Script => verdict.text = TextKind::Script,
            Plaintext => verdict.text = TextKind::Plaintext,
            Noscript if self.scripting => {
                verdict.text = TextKind::Rawtext;
                self.bail_if_linked(source, tag, Bail::Select)?;
            }
            Select | Noscript => self.bail_if_linked(source, tag, Bail::Select)?,
            Frameset => {
                self.bail(source, tag.start, Bail::Frameset)?;
                verdict.accepted = false;
            }
            Frame => verdict.accepted = false,
            Head if !prolog => {
                self.bail_if_linked(source, tag, Bail::Head)?;
                verdict.accepted = false;
            }
            Html | Body => verdict.accepted = self.merge(tag),
            Form => verdict.accepted = self.form(source, tag)?,
            Table => {
                self.tables = true;
                if self.templates > 0 {
                    if self.table_parts_in_template {
                        self.bail_if_linked(source, tag, Bail::TemplateTable)?;
                    }
                    // A form directly in a table is dropped inside a template.
                    self.table_parts_in_template = true;
                }
            }
            Template => self.template(source, tag)?,
            Svg | Math if !tag.self_closing => {
                self.open_foreign(source, tag, tag.space)?;
            }
            _ if tag.element.is_table_part() => {
                if self.templates > 0 {
                    self.table_parts_in_template = true;
                    if tag.element == Col {
                        self.bail(source, tag.start, Bail::TemplateColumn)?;
                    }
                }
                self.bail_if_linked(source, tag, Bail::TablePart)?;
            }
            _ => {}
        }
        Ok(verdict)
    }

    fn bail_if_linked(
        &mut self,
        source: &ValueSource<'_>,
        tag: &Tag,
        bail: Bail,
    ) -> Result<(), Halted> {
        let linked = tag.attributes.iter().any(|held| {
            match held.row.grammar {
                ValueSyntax::Condition | ValueSyntax::Anchor => false,
                // Without a parenthesis there is no `url()`; a character reference may be one.
                ValueSyntax::Css => {
                    memchr2(b'(', b'&', &source.bytes[held.value.clone()]).is_some()
                }
                _ => true,
            }
        });
        match linked {
            true => self.bail(source, tag.start, bail),
            false => Ok(()),
        }
    }

    /// A second `html` or `body` adds the attributes that the first has not.
    fn merge(&mut self, tag: &mut Tag) -> bool {
        if self.templates > 0 {
            return false;
        }
        let seen = match tag.element {
            Element::Html => &mut self.html,
            _ => &mut self.body,
        };
        tag.attributes.retain(|held| seen.insert(held.attribute));
        true
    }

    fn form(&mut self, source: &ValueSource<'_>, tag: &Tag) -> Result<bool, Halted> {
        if self.templates > 0 {
            if self.table_parts_in_template {
                self.bail_if_linked(source, tag, Bail::TemplateTable)?;
            }
            return Ok(true);
        }
        Ok(!std::mem::replace(&mut self.form_open, true))
    }

    fn template(&mut self, source: &ValueSource<'_>, tag: &Tag) -> Result<(), Halted> {
        if tag.value(Attribute::ShadowRootMode).is_some() {
            self.bail(source, tag.start, Bail::ShadowRoot)?;
        }
        self.templates += 1;
        Ok(())
    }

    /// Reads the attributes that the table knows on this element.
    #[inline]
    fn read(&self, source: &ValueSource<'_>, tag: &mut Tag) -> AfterTag {
        let bytes = source.bytes;
        let mut attributes = Attributes::new(bytes, tag.name.end);
        let mut seen = self.sought.unseen();
        tag.attributes.clear();
        loop {
            match attributes.step() {
                TagStep::Attribute(given) => self.sought.take(bytes, given, &mut seen, tag),
                TagStep::End { end, self_closing } => {
                    tag.end = end;
                    tag.self_closing = self_closing;
                    return AfterTag::GoOn;
                }
                TagStep::Cut(_) => return AfterTag::Wait,
            }
        }
    }
}

impl TreeFeedback for Simulator {
    const WANTS_ALL: bool = false;

    #[inline]
    fn start_tag(&mut self, source: &ValueSource<'_>, tag: &mut Tag) -> TagFeedback {
        tag.space = ElementNamespace::Html;
        if !self.foreign.is_empty() {
            match self.space(source, tag) {
                Ok(space) => tag.space = space,
                Err(Halted) => return TagFeedback::none(AfterTag::Halt),
            }
        }
        let in_html = tag.space == ElementNamespace::Html;
        if in_html {
            match tag.element {
                Element::Image => tag.element = Element::Img,
                // By the rules of HTML these two open their own namespaces.
                Element::Svg => tag.space = ElementNamespace::Svg,
                Element::Math => tag.space = ElementNamespace::MathMl,
                _ => {}
            }
        }
        if self.read(source, tag) == AfterTag::Wait {
            return TagFeedback::none(AfterTag::Wait);
        }
        if in_html && !tag.element.is_structural() {
            self.prolog = false;
            return self.verdict(true, TextKind::Data);
        }
        let verdict = match in_html {
            true => self.html_tag(source, tag),
            false => self.foreign_tag(source, tag),
        };
        verdict.unwrap_or(TagFeedback::none(AfterTag::Halt))
    }

    fn read_attributes(&mut self, source: &ValueSource<'_>, tag: &mut Tag) {
        self.read(source, tag);
    }

    fn halt(&mut self) -> Halt {
        Halt::Bail(self.halt)
    }

    fn settle(&mut self) {
        self.limit = 0;
    }

    #[inline]
    fn end_tag(&mut self, source: &ValueSource<'_>, name: Range<usize>) -> Result<(), Halted> {
        self.prolog = false;
        let at = name.start;
        let name = &source.bytes[name];
        if self.foreign.is_empty() {
            // These two alone close anything that matters.
            if !matches!((name.len(), name[0] | 0x20), (4, b'f') | (8, b't')) {
                return Ok(());
            }
            match Element::of(name) {
                Element::Form if self.templates == 0 => self.form_open = false,
                Element::Template => {
                    self.templates = self.templates.saturating_sub(1);
                    if self.templates == 0 {
                        self.table_parts_in_template = false;
                    }
                }
                _ => {}
            }
            return Ok(());
        }
        if matches!(Element::of(name), Element::Br | Element::P) {
            self.bail(source, at, Bail::BreakoutEnd)?;
            self.foreign.clear();
        } else if !self.foreign.close(name) {
            self.bail(source, at, Bail::ForeignEnd)?;
            self.foreign.clear();
        }
        Ok(())
    }

    fn allows_cdata(&self) -> bool {
        !self.foreign.is_empty()
    }

    fn text(&mut self, source: &ValueSource<'_>, range: Range<usize>) {
        let text = &source.bytes[range];
        if !text.iter().all(|&byte| crate::bytes::seek::is_space(byte)) {
            self.prolog = false;
        }
    }

    fn is_inert(&self) -> bool {
        self.templates > 0
    }

    #[inline]
    fn skims(&self) -> Option<&AttributeNames> {
        let skims = !self.prolog && self.templates == 0 && self.foreign.is_empty();
        skims.then_some(&self.sought)
    }

    fn cdata(&mut self, _source: &ValueSource<'_>, _range: Range<usize>) {}

    fn comment(&mut self) {}

    fn raw_text(&mut self, _range: Range<usize>) {}

    fn doctype(&mut self, _source: &ValueSource<'_>, _range: Range<usize>) {}

    fn in_prolog(&self) -> bool {
        self.prolog
    }

    fn base(&mut self, source: &ValueSource<'_>, tag: &Tag, first: bool) -> Result<(), Halted> {
        if first {
            self.base_behind_table = self.tables;
            return Ok(());
        }
        match self.base_behind_table {
            true => self.bail(source, tag.start, Bail::Base),
            false => Ok(()),
        }
    }
}

/// Where HTML may stand inside SVG or MathML (WHATWG HTML 13.2.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IntegrationPoint {
    /// Nowhere.
    None,
    /// In every start tag.
    Html,
    /// In every start tag but `mglyph` and `malignmark`.
    MathText,
    /// In `<svg>` alone: an `annotation-xml` of no encoding that says HTML.
    Annotation,
}

/// Open elements that are not in the HTML namespace, all of one namespace.
#[derive(Debug, Default)]
pub(super) struct ForeignElements {
    space: ElementNamespace,
    names: Vec<u8>,
    open: Vec<ForeignElement>,
}

#[derive(Clone, Copy, Debug)]
struct ForeignElement {
    name: u32,
    element: Element,
    point: IntegrationPoint,
}

impl ForeignElements {
    /// The most elements that are kept, and a sixteenth of the bytes of their names.
    const LIMIT: usize = 1 << 12;

    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether no more elements are kept.
    pub(super) fn is_full(&self) -> bool {
        self.open.len() >= Self::LIMIT || self.names.len() >= 16 * Self::LIMIT
    }

    pub(super) fn space(&self) -> ElementNamespace {
        self.space
    }

    /// The innermost element.
    pub(super) fn top(&self) -> Option<(Element, IntegrationPoint)> {
        self.open.last().map(|open| (open.element, open.point))
    }

    pub(super) fn clear(&mut self) {
        self.names.clear();
        self.open.clear();
    }

    /// Opens an element; the first one decides the namespace.
    pub(super) fn push(
        &mut self,
        space: ElementNamespace,
        name: &[u8],
        element: Element,
        point: IntegrationPoint,
    ) {
        self.space = space;
        let start = self.names.len() as u32;
        self.names.extend_from_slice(name);
        self.names[start as usize..].make_ascii_lowercase();
        self.open.push(ForeignElement {
            name: start,
            element,
            point,
        });
    }

    /// Closes the innermost element of a name with all within it; false when there is none.
    pub(super) fn close(&mut self, name: &[u8]) -> bool {
        let mut end = self.names.len();
        for (depth, open) in self.open.iter().enumerate().rev() {
            let start = open.name as usize;
            if self.names[start..end].eq_ignore_ascii_case(name) {
                self.names.truncate(start);
                self.open.truncate(depth);
                return true;
            }
            end = start;
        }
        false
    }
}

/// The kind of integration point that an element is; `says_html` tells whether its `encoding`
/// names HTML or XHTML.
pub(super) fn point(
    space: ElementNamespace,
    element: Element,
    says_html: bool,
) -> IntegrationPoint {
    match (space, element) {
        (ElementNamespace::Svg, Element::ForeignObject | Element::Desc | Element::Title) => {
            IntegrationPoint::Html
        }
        (
            ElementNamespace::MathMl,
            Element::Mi | Element::Mn | Element::Mo | Element::Ms | Element::Mtext,
        ) => IntegrationPoint::MathText,
        (ElementNamespace::MathMl, Element::AnnotationXml) if says_html => IntegrationPoint::Html,
        (ElementNamespace::MathMl, Element::AnnotationXml) => IntegrationPoint::Annotation,
        _ => IntegrationPoint::None,
    }
}
