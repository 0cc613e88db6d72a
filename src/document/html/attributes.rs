//! The table of attributes that hold references, and the index that finds the row of an attribute
//! on an element.

use super::HtmlOptions;
use super::names::Element::{self, *};
use super::names::{Attribute, Attribute as At};
use crate::document::AnchorReporting;
use ElementFilter::{Any, These};
use ValueSyntax::*;

/// The namespace of an element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::document) enum ElementNamespace {
    #[default]
    Html,
    Svg,
    MathMl,
}

/// The grammar of an attribute's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueSyntax {
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

/// The meaning of an empty value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Empty {
    Reference,
    /// No reference.
    Nothing,
}

/// The base that a reference resolves against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResolvedAgainst {
    Document,
    /// The fallback base URI: that of a document without a base element.
    Fallback,
    Codebase,
    /// None: the reference must be absolute.
    Nothing,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum ElementFilter {
    Any,
    These(&'static [Element]),
}

/// One row of the table: an attribute on some elements of one namespace.
#[derive(Clone, Copy, Debug)]
pub(super) struct AttributeRow {
    pub(super) space: ElementNamespace,
    pub(super) on: ElementFilter,
    pub(super) attribute: Attribute,
    pub(super) grammar: ValueSyntax,
    pub(super) empty: Empty,
    pub(super) against: ResolvedAgainst,
    /// A reference by convention only (`--extended`).
    is_extended: bool,
}

impl AttributeRow {
    const fn new(
        space: ElementNamespace,
        on: ElementFilter,
        attribute: Attribute,
        grammar: ValueSyntax,
    ) -> Self {
        AttributeRow {
            space,
            on,
            attribute,
            grammar,
            empty: Empty::Nothing,
            against: ResolvedAgainst::Document,
            is_extended: false,
        }
    }

    const fn or_empty(mut self) -> AttributeRow {
        self.empty = Empty::Reference;
        self
    }

    const fn against(mut self, against: ResolvedAgainst) -> AttributeRow {
        self.against = against;
        self
    }

    const fn extended(mut self) -> AttributeRow {
        self.is_extended = true;
        self
    }
}

const fn html(on: &'static [Element], attribute: Attribute, grammar: ValueSyntax) -> AttributeRow {
    AttributeRow::new(ElementNamespace::Html, These(on), attribute, grammar)
}

const fn svg(on: ElementFilter, attribute: Attribute, grammar: ValueSyntax) -> AttributeRow {
    AttributeRow::new(ElementNamespace::Svg, on, attribute, grammar)
}

const fn math(on: ElementFilter, attribute: Attribute, grammar: ValueSyntax) -> AttributeRow {
    AttributeRow::new(ElementNamespace::MathMl, on, attribute, grammar)
}

const fn any(attribute: Attribute, grammar: ValueSyntax) -> AttributeRow {
    AttributeRow::new(ElementNamespace::Html, Any, attribute, grammar)
}

const SVG_LINKS: ElementFilter = These(&[
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
]);
const TABLE_PARTS: &[Element] = &[Body, Table, Thead, Tbody, Tfoot, Tr, Td, Th];

/// Every attribute that is read. Where two rows match an element, the earlier one counts.
#[rustfmt::skip]
pub(super) const ATTRIBUTES: &[AttributeRow] = &[
    // The HTML standard.
    html(&[A, Area], At::Href, Uri).or_empty(),
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
    any(At::Itemid, Uri),
    any(At::Itemtype, SpaceList).against(ResolvedAgainst::Nothing),
    any(At::Style, Css),
    // Obsolete in the HTML standard, or HTML 4.
    html(&[Frame], At::Src, Uri),
    html(&[Frame, Img, Iframe], At::Longdesc, Uri),
    html(TABLE_PARTS, At::Background, Uri),
    html(&[Img, Input], At::Lowsrc, Uri),
    html(&[Img, Input], At::Dynsrc, Uri),
    html(&[Html], At::Manifest, Uri).against(ResolvedAgainst::Fallback),
    html(&[Head], At::Profile, SpaceList),
    html(&[Object, Applet], At::Codebase, Uri),
    html(&[Object], At::Classid, Uri).against(ResolvedAgainst::Codebase),
    html(&[Object], At::Archive, SpaceList).against(ResolvedAgainst::Codebase),
    html(&[Applet], At::Archive, CommaList).against(ResolvedAgainst::Codebase),
    html(&[Param], At::Value, ParamValue),
    html(&[Bgsound, Xml, Layer, Ilayer], At::Src, Uri),
    html(&[Layer], At::Background, Uri),
    html(&[Menuitem, Command], At::Icon, Uri),
    // SVG.
    svg(These(&[A]), At::Href, Uri).or_empty(),
    svg(These(&[A]), At::XlinkHref, Uri).or_empty(),
    svg(SVG_LINKS, At::Href, Uri),
    svg(SVG_LINKS, At::XlinkHref, Uri),
    svg(These(&[A]), At::Ping, SpaceList),
    svg(Any, At::Fill, Css),
    svg(Any, At::Stroke, Css),
    svg(Any, At::Filter, Css),
    svg(Any, At::Mask, Css),
    svg(Any, At::ClipPath, Css),
    svg(Any, At::Marker, Css),
    svg(Any, At::MarkerStart, Css),
    svg(Any, At::MarkerMid, Css),
    svg(Any, At::MarkerEnd, Css),
    svg(Any, At::Cursor, Css),
    svg(Any, At::Style, Css),
    // MathML.
    math(These(&[A]), At::Href, Uri).or_empty(),
    math(These(&[A]), At::XlinkHref, Uri).or_empty(),
    math(Any, At::Href, Uri),
    math(Any, At::XlinkHref, Uri),
    math(These(&[Math]), At::Altimg, Uri),
    math(These(&[Mglyph]), At::Src, Uri),
    math(These(&[Csymbol, Annotation]), At::DefinitionUrl, Uri),
    math(Any, At::Style, Css),
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
    svg(These(&[Style]), At::Type, Condition),
    svg(These(&[Font]), At::Color, Condition),
    svg(These(&[Font]), At::Face, Condition),
    svg(These(&[Font]), At::Size, Condition),
    math(These(&[Font]), At::Color, Condition),
    math(These(&[Font]), At::Face, Condition),
    math(These(&[Font]), At::Size, Condition),
    math(These(&[AnnotationXml]), At::Encoding, Condition),
    // Anchors.
    any(At::Id, Anchor),
    html(&[A], At::Name, Anchor),
    svg(Any, At::Id, Anchor),
    math(Any, At::Id, Anchor),
    // References by convention.
    any(At::Src, Uri).extended(),
    any(At::Href, Uri).extended(),
    any(At::Srcset, CustomSrcset).extended(),
    any(At::About, Uri).extended(),
    any(At::Resource, Uri).extended(),
    any(At::Vocab, Uri).extended(),
    any(At::DataSrc, Uri).extended(),
    any(At::DataSrcset, Srcset).extended(),
    any(At::DataOriginal, Uri).extended(),
    any(At::DataOriginalSet, Srcset).extended(),
    any(At::DataLazy, Uri).extended(),
    any(At::DataLazySrcset, Srcset).extended(),
    any(At::DataHref, Uri).extended(),
    any(At::DataUri, Uri).extended(),
    any(At::Onclick, Location).extended(),
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
        let count = match row.on {
            ElementFilter::Any => Element::COUNT,
            ElementFilter::These(these) => these.len(),
        };
        let mut j = 0;
        while j < count {
            let element = match row.on {
                ElementFilter::Any => j,
                ElementFilter::These(these) => these[j] as usize,
            };
            let entry = &mut elements[element][row.attribute as usize];
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
    anchors: bool,
}

impl EnabledRows {
    pub(super) fn new(options: &HtmlOptions, anchors: AnchorReporting) -> Self {
        EnabledRows {
            extended: options.extended,
            anchors: anchors == AnchorReporting::Report,
        }
    }

    /// Whether anchors are reported, and with them remarks.
    pub(super) fn reports_anchors(self) -> bool {
        self.anchors
    }

    /// Whether a row is enabled.
    pub(super) fn has(self, row: &AttributeRow) -> bool {
        (self.extended || !row.is_extended) && (self.anchors || row.grammar != ValueSyntax::Anchor)
    }

    /// The enabled rows.
    pub(super) fn rows(self) -> impl Iterator<Item = &'static AttributeRow> {
        ATTRIBUTES.iter().filter(move |row| self.has(row))
    }

    /// The attributes that no enabled row has.
    pub(super) fn disabled(self) -> AttributeSet {
        let mut enabled = AttributeSet::default();
        for row in self.rows() {
            enabled.insert(row.attribute);
        }
        AttributeSet(!enabled.0)
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
