//! Feedback from tree construction to the tokenizer, as a trait with two implementors: the
//! [simulator](super::simulator) and the [tree builder](super::tree_builder).

use std::ops::Range;

use encoding_rs::Encoding;

use super::tag::{AttributeNames, Tag};
use super::value::ValueSource;

/// The tokenizer state that a start tag switches to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextKind {
    /// Markup.
    Data,
    /// Text with character references up to the end tag.
    Rcdata,
    /// Text up to the end tag.
    Rawtext,
    /// Script data, with special rules for `<!--`.
    Script,
    /// Text to the end of the document.
    Plaintext,
}

/// The effect of a start tag. Kept small enough for a register: there is one for each tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TagFeedback {
    /// It created an element, or added attributes to one.
    pub(super) accepted: bool,
    /// The element is in the contents of a template.
    pub(super) inert: bool,
    /// The tokenizer state after the tag.
    pub(super) text: TextKind,
    /// Whether the tokenizer continues.
    pub(super) then: AfterTag,
}

/// Whether the tokenizer continues after a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AfterTag {
    GoOn,
    /// The bytes end before the tag does.
    Wait,
    /// The document must be scanned in another way; see [`TreeFeedback::halt`].
    Halt,
}

impl TagFeedback {
    /// Feedback for a tag without effect.
    pub(super) const fn none(then: AfterTag) -> Self {
        TagFeedback {
            accepted: false,
            inert: false,
            text: TextKind::Data,
            then,
        }
    }
}

/// The document must be scanned in another way; see [`TreeFeedback::halt`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Halted;

/// Why a document must be scanned in another way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Halt {
    /// The simulator cannot decide, or the tree builder is beyond its limits.
    Bail(Bail),
    /// The document is in another encoding.
    Encoding(&'static Encoding),
}

/// The exactness of a completed scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScanEnd {
    Exactly,
    /// Beyond the limits of exact parsing.
    Approximately,
}

/// The rules by which the simulator bails out of a document (`rules.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Bail {
    /// B1: `<frameset>`.
    Frameset,
    /// B2: a start tag at an integration point.
    IntegrationPoint,
    /// B3: a start tag that breaks out of SVG or MathML.
    Breakout,
    /// B4: `</br>` or `</p>` in SVG or MathML.
    BreakoutEnd,
    /// B5: an end tag in SVG or MathML that closes none of their elements.
    ForeignEnd,
    /// Too many open elements of SVG or MathML.
    ForeignDepth,
    /// B6: `<col>` in a template.
    TemplateColumn,
    /// B7: a reference on a table part.
    TablePart,
    /// B8: a reference on a table or form in a template, after a table part.
    TemplateTable,
    /// B9: a reference on `select` or `noscript`.
    Select,
    /// B10: a reference on a `head` that may be a second one.
    Head,
    /// B11: a second base, where the first followed a `<table>`.
    Base,
    /// B12: `style` in SVG, whose text is parsed as markup.
    Style,
    /// B13: a declarative shadow root.
    ShadowRoot,
    /// The limits of the tree builder.
    Limit,
}

impl Bail {
    /// Returns the rule's name, for statistics.
    pub(super) fn name(self) -> &'static str {
        match self {
            Bail::Frameset => "B1",
            Bail::IntegrationPoint => "B2",
            Bail::Breakout => "B3",
            Bail::BreakoutEnd => "B4",
            Bail::ForeignEnd => "B5",
            Bail::TemplateColumn => "B6",
            Bail::TablePart => "B7",
            Bail::TemplateTable => "B8",
            Bail::Select => "B9",
            Bail::Head => "B10",
            Bail::Base => "B11",
            Bail::Style => "B12",
            Bail::ShadowRoot => "B13",
            Bail::ForeignDepth | Bail::Limit => "limit",
        }
    }
}

/// The tree construction stage, as far as the tokenizer depends on it.
pub(super) trait TreeFeedback {
    /// Whether text, comments and doctypes must be fed as well.
    const WANTS_ALL: bool;

    /// Reads the attributes of a start tag and processes it. `start`, `name` and `element` of the
    /// tag are set.
    fn start_tag(&mut self, source: &ValueSource<'_>, tag: &mut Tag) -> TagFeedback;

    /// Reads the attributes of a further piece of a start tag.
    fn read_attributes(&mut self, source: &ValueSource<'_>, tag: &mut Tag);

    /// Returns why the document must be scanned in another way, after a [`Halted`].
    fn halt(&mut self) -> Halt;

    /// Forbids [`Halt`]s from here on: references were handed on that cannot be retracted.
    fn forbid_halt(&mut self) {}

    /// Processes an end tag.
    fn end_tag(&mut self, source: &ValueSource<'_>, name: Range<usize>) -> Result<(), Halted>;

    /// Whether `<![CDATA[` starts a section here.
    fn allows_cdata(&self) -> bool;

    /// Processes character data, in which character references count.
    fn text(&mut self, source: &ValueSource<'_>, range: Range<usize>);

    /// Whether character data is in the contents of a template.
    fn is_inert(&self) -> bool;

    /// Returns the attributes to look for if [`scan_tags`](super::tag::scan_tags) may run here, that
    /// is, if no tag it handles changes the state.
    fn fast_path(&self) -> Option<&AttributeNames>;

    /// Processes the contents of a CDATA section.
    fn cdata(&mut self, _source: &ValueSource<'_>, _range: Range<usize>) {}

    /// Processes a comment.
    fn comment(&mut self) {}

    /// Processes a doctype; `range` is between `<!doctype` and `>`.
    fn doctype(&mut self, _source: &ValueSource<'_>, _range: Range<usize>) {}

    /// Processes the text of an element without markup.
    fn raw_text(&mut self, _range: Range<usize>) {}

    /// Whether a `<head>` here may still be the first.
    fn in_prolog(&self) -> bool;

    /// Processes a base element with `href`, the first in token order if `first`. Halts if tree order
    /// may differ (B11).
    fn base(&mut self, _: &ValueSource<'_>, _tag: &Tag, _first: bool) -> Result<(), Halted> {
        Ok(())
    }
}
