//! The tree builder simulator: tracks what tags alone decide about the tree, without building it.
//!
//! State: the open SVG and MathML elements, the number of open templates, the form pointer, and a
//! few flags. Claim: while no rule of [`Bail`] applies, (a) the tokenizer gets the feedback that the
//! tree builder would give, (b) exactly the tags that create or extend an element are accepted, and
//! (c) the base is the first `base` with `href` in tree order.
//!
//! Proof, by induction over the tokens. Invariant: [`ForeignElements`] is the maximal run of foreign
//! elements on top of the stack of open elements, and no foreign element is below an HTML element;
//! the insertion mode is none of those in or after a frameset, nor "in column group" with a template
//! as current node; template depth and form pointer are those of the tree builder. In HTML content
//! no tag that switches the tokenizer is then ignored, so the switch depends on the name alone, and
//! only `<svg>` and `<math>` open a foreign element. In foreign content B2 to B5 leave the tokens
//! that the rules "any other start tag" and "any other end tag" handle, which read the foreign run
//! alone. Columns in a template (B6) and framesets (B1) are the only ways into the excluded modes. B7
//! to B10 are the tags whose acceptance needs the stack. Only foster parenting makes tree order
//! differ from token order, hence B11; whether a declarative shadow root attaches depends on the
//! current node, hence B13.

use std::ops::Range;

use memchr::memchr2;

use super::HtmlOptions;
use super::attributes::{AttributeSet, ElementNamespace, EnabledRows, ValueSyntax};
use super::feedback::{
    Bail, Halt, ScanEnd, StartTagFeedback, TagFeedback, TokenizerMode, TreeFeedback,
};
use super::names::{Attribute, Element};
use super::raw_text::ScriptEscape;
use super::report::ReferenceReporter;
use super::tag::{AttributeNames, Tag};
use super::tokenizer::{TokenizerRun, TokenizerState};
use crate::bytes::seek::is_space;
use crate::document::flags::Flags;
use crate::document::source_text::SourceText;

#[derive(Debug, Default)]
pub(super) struct Simulator {
    foreign: ForeignElements,
    templates: u64,
    form_open: bool,
    table_seen: bool,
    base_after_table: bool,
    /// Whether there was a table part or a table in an open template.
    table_parts_in_template: bool,
    /// Whether a `<head>` here cannot be the first.
    past_prolog: bool,
    html: AttributeSet,
    body: AttributeSet,
    scripting: bool,
    /// Offset in the document from which on bail rules are ignored.
    limit: u64,
    approximated: bool,
    names: AttributeNames,
}

pub(super) struct SimulatorParser {
    pub(super) tokenizer: TokenizerState,
    pub(super) simulator: Simulator,
}

impl SimulatorParser {
    pub(super) fn new(options: &HtmlOptions, enabled: EnabledRows) -> Self {
        SimulatorParser {
            tokenizer: TokenizerState::default(),
            simulator: Simulator {
                scripting: options.scripting,
                names: AttributeNames::new(enabled),
                ..Simulator::default()
            },
        }
    }

    /// Scans a document that is in one window; approximates from the offset `limit` on.
    pub(super) fn scan(
        &mut self,
        at: usize,
        limit: u64,
        report: &mut ReferenceReporter,
    ) -> Result<ScanEnd, Halt> {
        self.tokenizer.begin();
        self.simulator.begin(limit);
        self.run(at, true, report)?;
        let is_approximate = self.simulator.take_approximated();
        Ok([ScanEnd::Exactly, ScanEnd::Approximately][usize::from(is_approximate)])
    }

    /// Scans a window, which may be the `last`, from an index on; returns the consumed end.
    pub(super) fn run(
        &mut self,
        at: usize,
        last: bool,
        report: &mut ReferenceReporter,
    ) -> Result<usize, Halt> {
        let mut run = TokenizerRun {
            report: report.reborrow(),
            last,
            state: &mut self.tokenizer,
            tree: &mut self.simulator,
        };
        run.run(at)
    }
}

impl Simulator {
    /// Starts a document; from the offset `limit` on, bail rules are ignored.
    pub(super) fn begin(&mut self, limit: u64) {
        let mut foreign = std::mem::take(&mut self.foreign);
        foreign.clear();
        *self = Simulator {
            foreign,
            limit,
            scripting: self.scripting,
            names: self.names,
            ..Simulator::default()
        };
    }

    pub(super) fn take_approximated(&mut self) -> bool {
        std::mem::take(&mut self.approximated)
    }

    fn bail(&mut self, source: &SourceText, at: usize, bail: Bail) -> Result<(), Halt> {
        if source.offset(at) < self.limit {
            return Err(Halt::Bail(bail));
        }
        self.approximated = true;
        Ok(())
    }

    fn space(&mut self, source: &SourceText, tag: &Tag) -> Result<ElementNamespace, Halt> {
        let element = tag.element;
        let Some((_, admits_html)) = self.foreign.open.last() else {
            return Ok(ElementNamespace::Html);
        };
        let is_html = admits_html(element);
        if is_html || element.breaks_out() {
            let bails = [Bail::BREAKOUT, Bail::INTEGRATION_POINT];
            self.bail(source, tag.start, bails[usize::from(is_html)])?;
            self.foreign.clear();
            return Ok(ElementNamespace::Html);
        }
        Ok(self.foreign.space)
    }

    fn foreign_tag(&mut self, source: &SourceText, tag: &Tag) -> Result<TagFeedback, Halt> {
        let breaks_out = [Attribute::Color, Attribute::Face, Attribute::Size];
        if tag.element == Element::Font && breaks_out.iter().any(|&it| tag.value(it).is_some()) {
            self.bail(source, tag.start, Bail::BREAKOUT)?;
            self.foreign.clear();
        } else if !tag.self_closing {
            if tag.space == ElementNamespace::Svg && tag.element == Element::Style {
                self.bail(source, tag.start, Bail::STYLE)?;
            }
            self.open_foreign(source, tag)?;
        }
        Ok(self.feedback())
    }

    fn open_foreign(&mut self, source: &SourceText, tag: &Tag) -> Result<(), Halt> {
        use Element::*;
        if self.foreign.is_full() {
            return self.bail(source, tag.start, Bail::LIMIT);
        }
        let says_html = || {
            tag.value(Attribute::Encoding).is_some_and(|range| {
                let encoding = source.keyword(range);
                encoding.eq_ignore_ascii_case(b"text/html")
                    || encoding.eq_ignore_ascii_case(b"application/xhtml+xml")
            })
        };
        // The integration points of WHATWG HTML 13.2.6.
        let admits_html: fn(Element) -> bool = match (tag.space, tag.element) {
            (ElementNamespace::Svg, ForeignObject | Desc | Title) => |_| true,
            (ElementNamespace::MathMl, Mi | Mn | Mo | Ms | Mtext) => {
                |inner| !matches!(inner, Mglyph | Malignmark)
            }
            (ElementNamespace::MathMl, AnnotationXml) if says_html() => |_| true,
            (ElementNamespace::MathMl, AnnotationXml) => |inner| inner == Svg,
            _ => |_| false,
        };
        let name = &source.bytes[tag.name.clone()];
        self.foreign.push(tag.space, name, admits_html);
        Ok(())
    }

    fn feedback(&self) -> TagFeedback {
        TagFeedback {
            inert: self.templates > 0,
            ..TagFeedback::ACCEPTED
        }
    }

    fn html_tag(&mut self, source: &SourceText, tag: &mut Tag) -> Result<TagFeedback, Halt> {
        use Element::*;
        let past_prolog = self.past_prolog;
        self.past_prolog |= tag.element != Html;
        let mut feedback = self.feedback();
        match tag.element {
            Title | Textarea | Style | Xmp | Iframe | Noembed | Noframes => {
                feedback.mode = TokenizerMode::Raw(tag.element);
            }
            Script => feedback.mode = TokenizerMode::Script(ScriptEscape::None),
            Plaintext => feedback.mode = TokenizerMode::Plaintext,
            Noscript if self.scripting => {
                feedback.mode = TokenizerMode::Raw(tag.element);
                self.bail_if_linked(source, tag, Bail::SELECT)?;
            }
            Select | Noscript => self.bail_if_linked(source, tag, Bail::SELECT)?,
            Frameset => {
                self.bail(source, tag.start, Bail::FRAMESET)?;
                feedback.accepted = false;
            }
            Frame => feedback.accepted = false,
            Head if past_prolog => {
                self.bail_if_linked(source, tag, Bail::HEAD)?;
                feedback.accepted = false;
            }
            Html | Body => feedback.accepted = self.merge(tag),
            Form => feedback.accepted = self.form(source, tag)?,
            Table => {
                self.table_seen = true;
                if self.templates > 0 {
                    if self.table_parts_in_template {
                        self.bail_if_linked(source, tag, Bail::TEMPLATE_TABLE)?;
                    }
                    // A form directly in a table is dropped inside a template.
                    self.table_parts_in_template = true;
                }
            }
            Template => {
                if tag.value(Attribute::ShadowRootMode).is_some() {
                    self.bail(source, tag.start, Bail::SHADOW_ROOT)?;
                }
                self.templates += 1;
            }
            Svg | Math if !tag.self_closing => {
                self.open_foreign(source, tag)?;
            }
            _ if tag.element.is_table_part() => {
                if self.templates > 0 {
                    self.table_parts_in_template = true;
                    if tag.element == Col {
                        self.bail(source, tag.start, Bail::TEMPLATE_COLUMN)?;
                    }
                }
                self.bail_if_linked(source, tag, Bail::TABLE_PART)?;
            }
            _ => {}
        }
        Ok(feedback)
    }

    /// Bails if the tag may hold a reference.
    fn bail_if_linked(&mut self, source: &SourceText, tag: &Tag, bail: Bail) -> Result<(), Halt> {
        let linked = tag.attributes.iter().any(|known| {
            match known.row.grammar {
                ValueSyntax::Condition | ValueSyntax::Anchor => false,
                // `url()` needs a parenthesis, which may be written as a character reference.
                ValueSyntax::Css => {
                    memchr2(b'(', b'&', &source.bytes[known.value.clone()]).is_some()
                }
                _ => true,
            }
        });
        if linked {
            self.bail(source, tag.start, bail)?;
        }
        Ok(())
    }

    /// A second `html` or `body` adds the attributes that the first lacks.
    fn merge(&mut self, tag: &mut Tag) -> bool {
        if self.templates > 0 {
            return false;
        }
        let seen = match tag.element {
            Element::Html => &mut self.html,
            _ => &mut self.body,
        };
        tag.attributes.retain(|known| seen.insert(known.name));
        true
    }

    fn form(&mut self, source: &SourceText, tag: &Tag) -> Result<bool, Halt> {
        if self.templates > 0 {
            if self.table_parts_in_template {
                self.bail_if_linked(source, tag, Bail::TEMPLATE_TABLE)?;
            }
            return Ok(true);
        }
        Ok(!std::mem::replace(&mut self.form_open, true))
    }
}

impl TreeFeedback for Simulator {
    const WANTS_ALL: bool = false;

    #[inline]
    fn start_tag(&mut self, source: &SourceText, tag: &mut Tag) -> StartTagFeedback {
        tag.space = ElementNamespace::Html;
        if !self.foreign.open.is_empty() {
            tag.space = self.space(source, tag)?;
        }
        let in_html = tag.space == ElementNamespace::Html;
        if in_html {
            match tag.element {
                Element::Image => tag.element = Element::Img,
                // In HTML content these two open their own namespaces.
                Element::Svg => tag.space = ElementNamespace::Svg,
                Element::Math => tag.space = ElementNamespace::MathMl,
                _ => {}
            }
        }
        if !self.names.read(source.bytes, tag) && !tag.in_pieces {
            return Ok(None);
        }
        if in_html && !tag.element.is_structural() {
            self.past_prolog = true;
            return Ok(Some(self.feedback()));
        }
        let feedback = if in_html {
            self.html_tag(source, tag)
        } else {
            self.foreign_tag(source, tag)
        };
        feedback.map(Some)
    }

    fn forbid_halt(&mut self) {
        self.limit = 0;
    }

    #[inline]
    fn end_tag(&mut self, source: &SourceText, name: Range<usize>) -> Result<(), Halt> {
        self.past_prolog = true;
        let at = name.start;
        let name = &source.bytes[name];
        if self.foreign.open.is_empty() {
            // `form` and `template` alone have state here.
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
            self.bail(source, at, Bail::BREAKOUT_END)?;
            self.foreign.clear();
        } else if !self.foreign.close(name) {
            self.bail(source, at, Bail::FOREIGN_END)?;
            self.foreign.clear();
        }
        Ok(())
    }

    fn allows_cdata(&self) -> bool {
        !self.foreign.open.is_empty()
    }

    #[inline]
    fn text(&mut self, source: &SourceText, range: Range<usize>) {
        self.past_prolog =
            self.past_prolog || !source.bytes[range].iter().all(|&byte| is_space(byte));
    }

    fn text_flags(&self) -> Option<Flags> {
        (!self.foreign.is_in(b"script")).then_some(Flags::INERT.when(self.templates > 0))
    }

    #[inline]
    fn fast_path(&self) -> Option<&AttributeNames> {
        let applies = self.past_prolog && self.templates == 0 && self.foreign.open.is_empty();
        applies.then_some(&self.names)
    }

    fn base(&mut self, source: &SourceText, tag: &Tag, first: bool) -> Result<(), Halt> {
        if first {
            self.base_after_table = self.table_seen;
        } else if self.base_after_table {
            self.bail(source, tag.start, Bail::BASE)?;
        }
        Ok(())
    }
}

/// Whether the start tag of an element is HTML content in another one.
type Admission = fn(Element) -> bool;

/// The open SVG or MathML elements on top of the stack of open elements, all of one namespace.
#[derive(Debug, Default)]
struct ForeignElements {
    space: ElementNamespace,
    /// The names of the open elements in lower case, joined.
    names: Vec<u8>,
    /// The start of each name, and what its element admits.
    open: Vec<(u32, Admission)>,
}

impl ForeignElements {
    /// Maximum number of open elements, and a sixteenth of the maximum length of their names in bytes.
    const LIMIT: usize = 1 << 12;

    fn is_full(&self) -> bool {
        self.open.len() >= Self::LIMIT || self.names.len() >= 16 * Self::LIMIT
    }

    fn clear(&mut self) {
        self.names.clear();
        self.open.clear();
    }

    fn push(&mut self, space: ElementNamespace, name: &[u8], admits_html: Admission) {
        self.space = space;
        let start = self.names.len() as u32;
        self.names.extend_from_slice(name);
        self.names[start as usize..].make_ascii_lowercase();
        self.open.push((start, admits_html));
    }

    /// Whether the innermost open element has a name.
    fn is_in(&self, name: &[u8]) -> bool {
        let open = self.open.last();
        open.is_some_and(|&(start, _)| &self.names[start as usize..] == name)
    }

    /// Closes the innermost element of a name and those in it; returns false if none is open.
    fn close(&mut self, name: &[u8]) -> bool {
        let mut end = self.names.len();
        for (depth, &(start, _)) in self.open.iter().enumerate().rev() {
            let start = start as usize;
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
