//! What the tokenizer must know from the tree builder, as a trait with two sources: the
//! [theorem](super::fast), and the tree builder itself.

use std::ops::Range;

use encoding_rs::Encoding;

use super::tag::{AttributeNames, Tag};
use super::value::ValueSource;

/// What the text behind a start tag is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextKind {
    /// Markup.
    Data,
    /// Text with character references, up to the end tag.
    Rcdata,
    /// Text up to the end tag.
    Rawtext,
    /// Script, with its own rules about comments.
    Script,
    /// Text to the end of the document.
    Plaintext,
}

/// What became of a start tag: small enough for a register, for there is one for each tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TagFeedback {
    /// It made an element, or added attributes to one.
    pub(super) accepted: bool,
    /// The element stands in the contents of a template.
    pub(super) inert: bool,
    /// What follows it.
    pub(super) text: TextKind,
    /// Whether the tokenizer goes on.
    pub(super) then: AfterTag,
}

/// Whether the tokenizer goes on behind a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AfterTag {
    GoOn,
    /// The bytes end before the tag does.
    Wait,
    /// The document must be read in another way; the [`TreeFeedback`] knows why.
    Halt,
}

impl TagFeedback {
    /// Nothing came of it.
    pub(super) const fn none(then: AfterTag) -> Self {
        TagFeedback {
            accepted: false,
            inert: false,
            text: TextKind::Data,
            then,
        }
    }
}

/// The document must be read in another way; the [`TreeFeedback`] knows why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Halted;

/// Why a document must be read in another way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Halt {
    /// The source of feedback cannot go on.
    Bail(Bail),
    /// It is in another encoding.
    Encoding(&'static Encoding),
}

/// How a document was scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScanEnd {
    Exactly,
    /// It is beyond the limits.
    Approximately,
}

/// The rules by which the fast path gives up.
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
    /// More elements of SVG or MathML are open than are kept.
    ForeignDepth,
    /// B6: `<col>` in a template.
    TemplateColumn,
    /// B7: a reference on a part of a table.
    TablePart,
    /// B8: a reference on a table or a form in a template, behind a part of a table.
    TemplateTable,
    /// B9: a reference on `select` or `noscript`.
    Select,
    /// B10: a reference on a `head` that may not be the first.
    Head,
    /// B11: a second base, where the first stood behind a table.
    Base,
    /// B12: `style` in SVG, whose text is put together from what stands between markup.
    Style,
    /// B13: a declarative shadow root.
    ShadowRoot,
    /// The tree builder would take too long.
    Limit,
}

impl Bail {
    /// The rule's name, for statistics.
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

/// Answers the questions of the tokenizer.
pub(super) trait TreeFeedback {
    /// It must be told of text, comments and doctypes too.
    const WANTS_ALL: bool;

    /// Reads the attributes of a start tag and decides what becomes of it. `start`, `name` and
    /// `element` of the tag are filled in.
    fn start_tag(&mut self, source: &ValueSource<'_>, tag: &mut Tag) -> TagFeedback;

    /// Reads the attributes of a further piece of a start tag.
    fn read_attributes(&mut self, source: &ValueSource<'_>, tag: &mut Tag);

    /// Why the document must be read in another way, once that is so.
    fn halt(&mut self) -> Halt;

    /// The document must not be read again, whatever turns up.
    fn settle(&mut self) {}

    /// Takes an end tag.
    fn end_tag(&mut self, source: &ValueSource<'_>, name: Range<usize>) -> Result<(), Halted>;

    /// Whether `<![CDATA[` starts a section here.
    fn allows_cdata(&self) -> bool;

    /// Takes character data with character references.
    fn text(&mut self, source: &ValueSource<'_>, range: Range<usize>);

    /// Whether character data stands in the contents of a template.
    fn is_inert(&self) -> bool;

    /// The attributes that are looked for, where tags do no more here than the skimmer knows.
    fn skims(&self) -> Option<&AttributeNames>;

    /// Takes a CDATA section's contents.
    fn cdata(&mut self, source: &ValueSource<'_>, range: Range<usize>);

    /// Takes a comment.
    fn comment(&mut self);

    /// Takes what stands between `<!doctype` and `>`.
    fn doctype(&mut self, source: &ValueSource<'_>, range: Range<usize>);

    /// Takes the text of an element that holds no markup.
    fn raw_text(&mut self, range: Range<usize>);

    /// Whether the document so far may be one whose head has not begun.
    fn in_prolog(&self) -> bool;

    /// Whether a base element found now may turn out not to be the first in tree order.
    fn base(&mut self, source: &ValueSource<'_>, tag: &Tag, first: bool) -> Result<(), Halted>;
}
