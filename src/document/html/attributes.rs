//! The table of attributes that hold references, and its index by element and attribute.

use super::HtmlOptions;
use super::names::Element::{self, *};
use super::names::{Attribute, Attribute as At};
use crate::document::AnchorReporting;
use crate::document::events::{BaseSelector, TextRange};
use ValueSyntax::*;

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
    Uri,
    SpaceList,
    CommaList,
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

#[derive(Clone, Copy, Debug)]
pub(super) struct AttributeRow {
    pub(super) space: ElementNamespace,
    /// Or [`ANY`].
    pub(super) on: &'static [Element],
    pub(super) attributes: &'static [Attribute],
    pub(super) grammar: ValueSyntax,
    /// The base of the reference; for [`CODEBASE`], the element has its range.
    pub(super) against: BaseSelector,
    /// A reference by convention only (`--extended`).
    pub(super) is_extended: bool,
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
    attributes: &'static [Attribute],
    grammar: ValueSyntax,
) -> AttributeRow {
    AttributeRow {
        space,
        on,
        attributes,
        grammar,
        against: BaseSelector::Document,
        is_extended: false,
    }
}

const HTML: ElementNamespace = ElementNamespace::Html;
const SVG: ElementNamespace = ElementNamespace::Svg;
const MATH: ElementNamespace = ElementNamespace::MathMl;
const CODEBASE: BaseSelector = BaseSelector::Codebase(TextRange::Window(0, 0));
pub(super) const ANY: &[Element] = &Element::ALL;
#[rustfmt::skip]
const SVG_LINKS: &[Element] = &[
    Image, Use, Script, FeImage, LinearGradient, RadialGradient, Pattern, TextPath, Mpath, Animate, AnimateMotion,
    AnimateTransform, Set, Discard, Filter, Cursor, Tref, AltGlyph, GlyphRef, FontFaceUri, ColorProfile,
];
const TABLE_PARTS: &[Element] = &[Body, Table, Thead, Tbody, Tfoot, Tr, Td, Th];

/// Every attribute that is read. The first row that matches an element is used.
#[rustfmt::skip]
pub(super) const ATTRIBUTES: &[AttributeRow] = &[
    // The HTML standard.
    row_of(HTML, &[A, Area], &[At::Href], AnyUri),
    row_of(HTML, &[A, Area], &[At::Ping], SpaceList),
    row_of(HTML, &[Audio, Video, Source, Track, Embed, Img, Iframe, Input, Script], &[At::Src], Uri),
    row_of(HTML, &[Img, Source], &[At::Srcset], Srcset),
    row_of(HTML, &[Link], &[At::Href], Uri),
    row_of(HTML, &[Link], &[At::Imagesrcset], Srcset),
    row_of(HTML, &[Video], &[At::Poster], Uri),
    row_of(HTML, &[Object], &[At::Data], Uri),
    row_of(HTML, &[Iframe], &[At::Srcdoc], Document),
    row_of(HTML, &[Form], &[At::Action], Uri),
    row_of(HTML, &[Button, Input], &[At::Formaction], Uri),
    row_of(HTML, &[Blockquote, Q, Ins, Del], &[At::Cite], Uri),
    row_of(HTML, &[Meta], &[At::Content], MetaContent),
    row_of(HTML, &[A, Img, Script], &[At::Attributionsrc], SpaceList),
    row_of(HTML, ANY, &[At::Itemid], Uri),
    row_of(HTML, ANY, &[At::Itemtype], SpaceList).against(BaseSelector::Nothing),
    row_of(HTML, ANY, &[At::Style], Css),
    // Obsolete in the HTML standard, or HTML 4.
    row_of(HTML, &[Frame], &[At::Src], Uri),
    row_of(HTML, &[Frame, Img, Iframe], &[At::Longdesc], Uri),
    row_of(HTML, TABLE_PARTS, &[At::Background], Uri),
    row_of(HTML, &[Img, Input], &[At::Lowsrc, At::Dynsrc], Uri),
    row_of(HTML, &[Html], &[At::Manifest], Uri).against(BaseSelector::Fallback),
    row_of(HTML, &[Head], &[At::Profile], SpaceList),
    row_of(HTML, &[Object, Applet], &[At::Codebase], Uri),
    row_of(HTML, &[Object], &[At::Classid], Uri).against(CODEBASE),
    row_of(HTML, &[Object], &[At::Archive], SpaceList).against(CODEBASE),
    row_of(HTML, &[Applet], &[At::Archive], CommaList).against(CODEBASE),
    row_of(HTML, &[Param], &[At::Value], ParamValue),
    row_of(HTML, &[Bgsound, Xml, Layer, Ilayer], &[At::Src], Uri),
    row_of(HTML, &[Layer], &[At::Background], Uri),
    row_of(HTML, &[Menuitem, Command], &[At::Icon], Uri),
    // SVG.
    row_of(SVG, &[A], &[At::Href, At::XlinkHref], AnyUri),
    row_of(SVG, SVG_LINKS, &[At::Href, At::XlinkHref], Uri),
    row_of(SVG, &[A], &[At::Ping], SpaceList),
    row_of(SVG, ANY, &[At::Fill, At::Stroke, At::Filter, At::Mask, At::ClipPath, At::Cursor, At::Style], Css),
    row_of(SVG, ANY, &[At::Marker, At::MarkerStart, At::MarkerMid, At::MarkerEnd], Css),
    // MathML.
    row_of(MATH, &[A], &[At::Href, At::XlinkHref], AnyUri),
    row_of(MATH, ANY, &[At::Href, At::XlinkHref], Uri),
    row_of(MATH, &[Math], &[At::Altimg], Uri),
    row_of(MATH, &[Mglyph], &[At::Src], Uri),
    row_of(MATH, &[Csymbol, Annotation], &[At::DefinitionUrl], Uri),
    row_of(MATH, ANY, &[At::Style], Css),
    // Conditions: they decide about other attributes, about elements, or about the encoding.
    row_of(HTML, &[Base], &[At::Href], Condition),
    row_of(HTML, &[Meta], &[At::HttpEquiv, At::Charset, At::Property, At::Name, At::ItemProp], Condition),
    row_of(HTML, &[Param], &[At::Valuetype], Condition),
    row_of(HTML, &[Script, Style], &[At::Type], Condition),
    row_of(HTML, &[Template], &[At::ShadowRootMode], Condition),
    row_of(SVG, &[Style], &[At::Type], Condition),
    row_of(SVG, &[Font], &[At::Color, At::Face, At::Size], Condition),
    row_of(MATH, &[Font], &[At::Color, At::Face, At::Size], Condition),
    row_of(MATH, &[AnnotationXml], &[At::Encoding], Condition),
    // Anchors.
    row_of(HTML, ANY, &[At::Id], Anchor),
    row_of(HTML, &[A], &[At::Name], Anchor),
    row_of(SVG, ANY, &[At::Id], Anchor),
    row_of(MATH, ANY, &[At::Id], Anchor),
    // References by convention.
    row_of(HTML, ANY, &[At::Src, At::Href, At::About, At::Resource, At::Vocab], Uri).extended(),
    row_of(HTML, ANY, &[At::DataSrc, At::DataOriginal, At::DataLazy, At::DataHref, At::DataUri], Uri).extended(),
    row_of(HTML, ANY, &[At::DataSrcset, At::DataOriginalSet, At::DataLazySrcset], Srcset).extended(),
    row_of(HTML, ANY, &[At::Srcset], CustomSrcset).extended(),
    row_of(HTML, ANY, &[At::Onclick], Location).extended(),
];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AttributeSet(u128);

const _: () = assert!(Attribute::COUNT <= 128);

impl AttributeSet {
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

/// The index of the row plus one for every namespace, element and attribute; 0 for none.
type AttributeIndex = [[[u8; Attribute::COUNT]; Element::COUNT]; 3];

static INDEX: AttributeIndex = index();

const fn index() -> AttributeIndex {
    assert!(ATTRIBUTES.len() < 255);
    let mut index = [[[0; Attribute::COUNT]; Element::COUNT]; 3];
    let mut i = 0;
    while i < ATTRIBUTES.len() {
        let row = &ATTRIBUTES[i];
        let mut pair = 0;
        while pair < row.on.len() * row.attributes.len() {
            let element = row.on[pair / row.attributes.len()] as usize;
            let attribute = row.attributes[pair % row.attributes.len()] as usize;
            let entry = &mut index[row.space as usize][element][attribute];
            if *entry == 0 {
                *entry = i as u8 + 1;
            }
            pair += 1;
        }
        i += 1;
    }
    index
}

/// The groups of rows that the options enable.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EnabledRows {
    pub(super) extended: bool,
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

    pub(super) fn has(self, row: &AttributeRow) -> bool {
        (self.extended || !row.is_extended) && (self.anchors || row.grammar != ValueSyntax::Anchor)
    }

    pub(super) fn attributes(self) -> impl Iterator<Item = &'static Attribute> {
        let rows = ATTRIBUTES.iter().filter(move |row| self.has(row));
        rows.flat_map(|row| row.attributes)
    }
}

#[inline]
pub(super) fn row(
    space: ElementNamespace,
    element: Element,
    attribute: Attribute,
) -> Option<&'static AttributeRow> {
    let entry = INDEX[space as usize][element as usize][attribute as usize];
    ATTRIBUTES.get((entry as usize).wrapping_sub(1))
}
