//! The table of attributes that hold references, and the index that finds the row of an attribute
//! on an element.

use super::HtmlOptions;
use super::names::Element::{self, *};
use super::names::{Attribute, Attribute as At};
use crate::document::AnchorReporting;
use crate::document::events::{BaseSelector, TextRange};
use ValueSyntax::*;

/// The namespace of an element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::document) enum ElementNamespace {
    #[default]
    Html,
    Svg,
    MathMl,
}

/// The grammar of an attribute's value. An empty value is a reference by [`ValueSyntax::AnyUri`] alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueSyntax {
    /// One reference, which may be empty.
    AnyUri,
    /// One reference.
    Uri,
    /// References separated by white space.
    SpaceList,
    /// References separated by commas.
    CommaList,
    /// Image candidates.
    Srcset,
    /// Image candidates, on elements whose name has a hyphen.
    CustomSrcset,
    Css,
    Document,
    /// `param value`: a reference if `valuetype` is `ref`.
    ParamValue,
    /// `meta content`: a reference depending on `http-equiv`, `property`, `name` and `itemprop`.
    MetaContent,
    /// A script that may assign a location.
    Location,
    /// An anchor, which a fragment can name; enabled by [`AnchorReporting::Report`].
    Anchor,
    /// No reference: the value decides about other attributes.
    Condition,
}

/// One row of the table: an attribute on some elements of one namespace.
#[derive(Clone, Copy, Debug)]
pub(super) struct AttributeRow {
    pub(super) space: ElementNamespace,
    /// The elements, or [`ANY`].
    pub(super) on: &'static [Element],
    pub(super) attribute: Attribute,
    pub(super) grammar: ValueSyntax,
    /// The base that the reference resolves against; of [`CODEBASE`], the element has the range.
    pub(super) against: BaseSelector,
    /// A reference by convention only (`--extended`).
    is_extended: bool,
}

impl AttributeRow {
    const fn against(mut self, against: BaseSelector) -> AttributeRow {
        self.against = against;
        self
    }

    const fn extended(mut self) -> AttributeRow {
        self.is_extended = true;
        self
    }
}

const fn row_of(
    space: ElementNamespace,
    on: &'static [Element],
    attribute: Attribute,
    grammar: ValueSyntax,
) -> AttributeRow {
    AttributeRow {
        space,
        on,
        attribute,
        grammar,
        against: BaseSelector::Document,
        is_extended: false,
    }
}

const fn html(on: &'static [Element], attribute: Attribute, grammar: ValueSyntax) -> AttributeRow {
    row_of(ElementNamespace::Html, on, attribute, grammar)
}

const fn svg(on: &'static [Element], attribute: Attribute, grammar: ValueSyntax) -> AttributeRow {
    row_of(ElementNamespace::Svg, on, attribute, grammar)
}

const fn math(on: &'static [Element], attribute: Attribute, grammar: ValueSyntax) -> AttributeRow {
    row_of(ElementNamespace::MathMl, on, attribute, grammar)
}

const CODEBASE: BaseSelector = BaseSelector::Codebase(TextRange::Window(0, 0));
pub(super) const ANY: &[Element] = &Element::ALL;
const SVG_LINKS: &[Element] = &[
    Image,
    Use,
    Script,
    FeImage,
    LinearGradient,
    RadialGradient,
    Pattern,
    TextPath,
    Mpath,
    Animate,
    AnimateMotion,
    AnimateTransform,
    Set,
    Discard,
    Filter,
    Cursor,
    Tref,
    AltGlyph,
    GlyphRef,
    FontFaceUri,
    ColorProfile,
];
const TABLE_PARTS: &[Element] = &[Body, Table, Thead, Tbody, Tfoot, Tr, Td, Th];

/// Every attribute that is read. Where two rows match an element, the earlier one counts.
#[rustfmt::skip]
pub(super) const ATTRIBUTES: &[AttributeRow] = &[
    // The HTML standard.
    html(&[A, Area], At::Href, AnyUri),
    html(&[A, Area], At::Ping, SpaceList),
    html(&[Audio, Video, Source, Track, Embed, Img, Iframe, Input, Script], At::Src, Uri),
    html(&[Img, Source], At::Srcset, Srcset),
    html(&[Link], At::Href, Uri),
    html(&[Link], At::Imagesrcset, Srcset),
    html(&[Video], At::Poster, Uri),
    html(&[Object], At::Data, Uri),
    html(&[Iframe], At::Srcdoc, Document),
    html(&[Form], At::Action, Uri),
    html(&[Button, Input], At::Formaction, Uri),
    html(&[Blockquote, Q, Ins, Del], At::Cite, Uri),
    html(&[Meta], At::Content, MetaContent),
    html(&[A, Img, Script], At::Attributionsrc, SpaceList),
    html(ANY, At::Itemid, Uri),
    html(ANY, At::Itemtype, SpaceList).against(BaseSelector::Nothing),
    html(ANY, At::Style, Css),
    // Obsolete in the HTML standard, or HTML 4.
    html(&[Frame], At::Src, Uri),
    html(&[Frame, Img, Iframe], At::Longdesc, Uri),
    html(TABLE_PARTS, At::Background, Uri),
    html(&[Img, Input], At::Lowsrc, Uri),
    html(&[Img, Input], At::Dynsrc, Uri),
    html(&[Html], At::Manifest, Uri).against(BaseSelector::Fallback),
    html(&[Head], At::Profile, SpaceList),
    html(&[Object, Applet], At::Codebase, Uri),
    html(&[Object], At::Classid, Uri).against(CODEBASE),
    html(&[Object], At::Archive, SpaceList).against(CODEBASE),
    html(&[Applet], At::Archive, CommaList).against(CODEBASE),
    html(&[Param], At::Value, ParamValue),
    html(&[Bgsound, Xml, Layer, Ilayer], At::Src, Uri),
    html(&[Layer], At::Background, Uri),
    html(&[Menuitem, Command], At::Icon, Uri),
    // SVG.
    svg(&[A], At::Href, AnyUri),
    svg(&[A], At::XlinkHref, AnyUri),
    svg(SVG_LINKS, At::Href, Uri),
    svg(SVG_LINKS, At::XlinkHref, Uri),
    svg(&[A], At::Ping, SpaceList),
    svg(ANY, At::Fill, Css),
    svg(ANY, At::Stroke, Css),
    svg(ANY, At::Filter, Css),
    svg(ANY, At::Mask, Css),
    svg(ANY, At::ClipPath, Css),
    svg(ANY, At::Marker, Css),
    svg(ANY, At::MarkerStart, Css),
    svg(ANY, At::MarkerMid, Css),
    svg(ANY, At::MarkerEnd, Css),
    svg(ANY, At::Cursor, Css),
    svg(ANY, At::Style, Css),
    // MathML.
    math(&[A], At::Href, AnyUri),
    math(&[A], At::XlinkHref, AnyUri),
    math(ANY, At::Href, Uri),
    math(ANY, At::XlinkHref, Uri),
    math(&[Math], At::Altimg, Uri),
    math(&[Mglyph], At::Src, Uri),
    math(&[Csymbol, Annotation], At::DefinitionUrl, Uri),
    math(ANY, At::Style, Css),
    // Conditions: they decide about other attributes, about elements, or about the encoding.
    html(&[Base], At::Href, Condition),
    html(&[Meta], At::HttpEquiv, Condition),
    html(&[Meta], At::Charset, Condition),
    html(&[Meta], At::Property, Condition),
    html(&[Meta], At::Name, Condition),
    html(&[Meta], At::ItemProp, Condition),
    html(&[Param], At::Valuetype, Condition),
    html(&[Script, Style], At::Type, Condition),
    html(&[Template], At::ShadowRootMode, Condition),
    svg(&[Style], At::Type, Condition),
    svg(&[Font], At::Color, Condition),
    svg(&[Font], At::Face, Condition),
    svg(&[Font], At::Size, Condition),
    math(&[Font], At::Color, Condition),
    math(&[Font], At::Face, Condition),
    math(&[Font], At::Size, Condition),
    math(&[AnnotationXml], At::Encoding, Condition),
    // Anchors.
    html(ANY, At::Id, Anchor),
    html(&[A], At::Name, Anchor),
    svg(ANY, At::Id, Anchor),
    math(ANY, At::Id, Anchor),
    // References by convention.
    html(ANY, At::Src, Uri).extended(),
    html(ANY, At::Href, Uri).extended(),
    html(ANY, At::Srcset, CustomSrcset).extended(),
    html(ANY, At::About, Uri).extended(),
    html(ANY, At::Resource, Uri).extended(),
    html(ANY, At::Vocab, Uri).extended(),
    html(ANY, At::DataSrc, Uri).extended(),
    html(ANY, At::DataSrcset, Srcset).extended(),
    html(ANY, At::DataOriginal, Uri).extended(),
    html(ANY, At::DataOriginalSet, Srcset).extended(),
    html(ANY, At::DataLazy, Uri).extended(),
    html(ANY, At::DataLazySrcset, Srcset).extended(),
    html(ANY, At::DataHref, Uri).extended(),
    html(ANY, At::DataUri, Uri).extended(),
    html(ANY, At::Onclick, Location).extended(),
];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AttributeSet(u128);

const _: () = assert!(Attribute::COUNT <= 128);

impl AttributeSet {
    /// The attributes with the given names.
    pub(super) fn of<T: AsRef<[u8]>>(names: impl IntoIterator<Item = T>) -> Self {
        let mut set = AttributeSet::default();
        for name in names {
            set.insert(Attribute::of(name.as_ref()));
        }
        set
    }

    pub(super) fn has(self, attribute: Attribute) -> bool {
        self.0 >> attribute as u32 & 1 != 0
    }

    /// Adds an attribute; returns false if the set already had it.
    #[inline]
    pub(super) fn insert(&mut self, attribute: Attribute) -> bool {
        let bit = 1 << attribute as u32;
        let new = self.0 & bit == 0;
        self.0 |= bit;
        new
    }
}

/// For every namespace, element and attribute: the index of its row plus one, 0 for none.
type AttributeIndex = [[[u8; Attribute::COUNT]; Element::COUNT]; 3];

static INDEX: AttributeIndex = index();

const fn index() -> AttributeIndex {
    assert!(ATTRIBUTES.len() < 255);
    let mut index = [[[0; Attribute::COUNT]; Element::COUNT]; 3];
    let mut i = 0;
    while i < ATTRIBUTES.len() {
        let row = &ATTRIBUTES[i];
        let elements = &mut index[row.space as usize];
        let mut j = 0;
        while j < row.on.len() {
            let entry = &mut elements[row.on[j] as usize][row.attribute as usize];
            if *entry == 0 {
                *entry = i as u8 + 1;
            }
            j += 1;
        }
        i += 1;
    }
    index
}

/// The groups of rows that the options enable.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EnabledRows {
    extended: bool,
    /// Whether anchors are reported, and with them remarks.
    pub(super) anchors: bool,
}

impl EnabledRows {
    pub(super) fn new(options: &HtmlOptions, anchors: AnchorReporting) -> Self {
        EnabledRows {
            extended: options.extended,
            anchors: anchors == AnchorReporting::Report,
        }
    }

    /// Whether a row is enabled.
    pub(super) fn has(self, row: &AttributeRow) -> bool {
        (self.extended || !row.is_extended) && (self.anchors || row.grammar != ValueSyntax::Anchor)
    }

    /// The enabled rows.
    pub(super) fn rows(self) -> impl Iterator<Item = &'static AttributeRow> {
        ATTRIBUTES.iter().filter(move |row| self.has(row))
    }
}

/// Returns the row of an attribute on an element.
#[inline]
pub(super) fn row(
    space: ElementNamespace,
    element: Element,
    attribute: Attribute,
) -> Option<&'static AttributeRow> {
    let entry = INDEX[space as usize][element as usize][attribute as usize];
    ATTRIBUTES.get((entry as usize).wrapping_sub(1))
}
