//! Feedback from tree construction to the tokenizer, as a trait with two implementors: the
//! [simulator](super::simulator) and the [tree builder](super::tree_builder).

use std::ops::Range;

use encoding_rs::Encoding;

use super::names::Element;
use super::raw_text::ScriptEscape;
use super::tag::{AttributeNames, Tag};
use crate::document::flags::Flags;
use crate::document::source_text::SourceText;

/// The tokenizer state between two windows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TokenizerMode {
    #[default]
    Data,
    /// In a tag that is read in pieces.
    LongTag,
    /// RCDATA or RAWTEXT.
    Raw(Element),
    Script(ScriptEscape),
    Plaintext,
    Comment,
    /// In a bogus comment or a doctype, up to the next `>`.
    Bogus,
    Cdata,
}

/// The effect of a start tag; the default created nothing. Fits in a register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TagFeedback {
    /// It created an element, or added attributes to one.
    pub(super) accepted: bool,
    /// The element is in the contents of a template.
    pub(super) inert: bool,
    pub(super) mode: TokenizerMode,
}

impl TagFeedback {
    pub(super) const ACCEPTED: TagFeedback = TagFeedback {
        accepted: true,
        inert: false,
        mode: TokenizerMode::Data,
    };
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Halt {
    /// The simulator cannot decide, or the tree builder is beyond its limits.
    Bail(Bail),
    Encoding(&'static Encoding),
}

/// The exactness of a completed scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScanEnd {
    Exactly,
    /// Beyond the limits of exact parsing.
    Approximately,
}

/// The rules by which the simulator bails out of a document (`rules.md`): the name, for statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bail(pub(super) &'static str);

impl Bail {
    pub(super) const FRAMESET: Bail = Bail("B1");
    /// A start tag at an integration point.
    pub(super) const INTEGRATION_POINT: Bail = Bail("B2");
    /// A start tag that breaks out of SVG or MathML.
    pub(super) const BREAKOUT: Bail = Bail("B3");
    /// `</br>` or `</p>` in SVG or MathML.
    pub(super) const BREAKOUT_END: Bail = Bail("B4");
    /// An end tag in SVG or MathML that closes none of their elements.
    pub(super) const FOREIGN_END: Bail = Bail("B5");
    pub(super) const TEMPLATE_COLUMN: Bail = Bail("B6");
    /// A reference on a table part.
    pub(super) const TABLE_PART: Bail = Bail("B7");
    /// A reference on a table or form in a template, after a table part.
    pub(super) const TEMPLATE_TABLE: Bail = Bail("B8");
    /// A reference on `select` or `noscript`.
    pub(super) const SELECT: Bail = Bail("B9");
    /// A reference on a `head` that may be a second one.
    pub(super) const HEAD: Bail = Bail("B10");
    /// A second base, where the first followed a `<table>`.
    pub(super) const BASE: Bail = Bail("B11");
    /// `style` in SVG, whose text is parsed as markup.
    pub(super) const STYLE: Bail = Bail("B12");
    pub(super) const SHADOW_ROOT: Bail = Bail("B13");
    /// The limits of the tree builder, or of the open elements of SVG and MathML.
    pub(super) const LIMIT: Bail = Bail("limit");
}

/// The feedback to a start tag; `None` if the bytes end before the tag.
pub(super) type StartTagFeedback = Result<Option<TagFeedback>, Halt>;

/// The tree construction stage, as far as the tokenizer depends on it.
pub(super) trait TreeFeedback {
    /// Whether text, comments and doctypes must be fed as well.
    const WANTS_ALL: bool;

    /// Processes a start tag and reads its attributes.
    fn start_tag(&mut self, source: &SourceText, tag: &mut Tag) -> StartTagFeedback;

    /// Forbids [`Halt`]s from here on: released references cannot be retracted.
    fn forbid_halt(&mut self) {}

    fn end_tag(&mut self, source: &SourceText, name: Range<usize>) -> Result<(), Halt>;

    /// Whether `<![CDATA[` starts a section here.
    fn allows_cdata(&self) -> bool;

    /// Processes character data, in which character references are decoded.
    fn text(&mut self, source: &SourceText, range: Range<usize>);

    /// Returns the flags of references in character data: it may be in the contents of a template. `None`
    /// in a foreign script, and where the tree is not known yet.
    fn text_flags(&self) -> Option<Flags> {
        None
    }

    /// Returns the attributes for [`scan_tags`](super::tag::scan_tags), if no tag it handles changes
    /// the state.
    fn fast_path(&self) -> Option<&AttributeNames> {
        None
    }

    fn cdata(&mut self, _source: &SourceText, _range: Range<usize>) {}

    fn comment(&mut self) {}

    /// Keeps the contents of a conditional comment for later; returns false if they are to be reported now.
    fn defers_conditional(&mut self, _range: &Range<usize>) -> bool {
        false
    }

    /// Processes a doctype; `range` is between `<!doctype` and `>`.
    fn doctype(&mut self, _source: &SourceText, _range: Range<usize>) {}

    /// Processes text without markup; it is scanned as character data, with character references or
    /// without, if `has_references` is known.
    fn raw_text(&mut self, _range: Range<usize>, _has_references: Option<bool>) {}

    /// Processes a base element with `href`, the first in token order if `first`. Halts if tree order
    /// may differ (B11).
    fn base(&mut self, _: &SourceText, _tag: &Tag, _first: bool) -> Result<(), Halt> {
        Ok(())
    }
}
