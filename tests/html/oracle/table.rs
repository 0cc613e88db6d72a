//! A second table of the attributes that hold references, independent of the library's.

use std::collections::BTreeSet;

use crate::css::oracle::Sheet;

/// The namespace of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Html,
    Svg,
    MathMl,
    /// All three.
    Any,
}

/// The grammar of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Grammar {
    Url,
    Spaces,
    Commas,
    Srcset,
    Refresh,
    Css(Sheet),
    /// A document (srcdoc).
    Document,
    ImportMap,
    SpeculationRules,
    LinkedData,
}

/// The meaning of an empty value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Empty {
    Reference,
    Nothing,
}

/// The base that a reference resolves against.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Base {
    Document,
    Fallback,
    Codebase,
    Nothing,
}

/// A condition on the element.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Condition {
    Always,
    /// The attribute has this value, in any case.
    Equals(&'static str, &'static str),
    /// The attribute without white space around it has this value, in any case.
    Trimmed(&'static str, &'static str),
    /// The attribute is absent, empty or has this value, in any case.
    DefaultsTo(&'static str, &'static str),
    /// The attribute exists.
    Has(&'static str),
    /// The attribute is missing.
    Lacks(&'static str),
    /// One of the attributes has one of these values, in any case.
    OneOf(&'static [&'static str], &'static [&'static str]),
    /// The element's name has a hyphen.
    CustomElement,
    /// The element is not `base`.
    NoBase,
}

/// A row of the table.
pub(crate) struct Row {
    pub(crate) space: Space,
    /// Empty for every element.
    pub(crate) elements: &'static [&'static str],
    /// `#text` is the element's text.
    pub(crate) attributes: &'static [&'static str],
    pub(crate) grammar: Grammar,
    pub(crate) empty: Empty,
    pub(crate) base: Base,
    pub(crate) condition: Condition,
    pub(crate) group: &'static str,
}

/// The group that `--extended` adds.
pub(crate) const EXTENDED: &str = "extended";

macro_rules! rows {
    ($($group:ident $space:ident [$($element:literal)*] [$($attribute:literal)*] $grammar:expr,
        $empty:ident $base:ident $condition:expr;)*) => {
        &[$(Row {
            space: Space::$space,
            elements: &[$($element),*],
            attributes: &[$($attribute),*],
            grammar: $grammar,
            empty: Empty::$empty,
            base: Base::$base,
            condition: $condition,
            group: stringify!($group),
        }),*]
    };
}

use Condition::{Always, CustomElement, DefaultsTo, Equals, Has, Lacks, NoBase, OneOf, Trimmed};
use Grammar::{
    Commas, Css, Document, ImportMap, LinkedData, Refresh, Spaces, SpeculationRules, Srcset, Url,
};

/// The first row that matches an attribute counts.
#[rustfmt::skip]
pub(crate) static ROWS: &[Row] = rows! {
    // The current standard.
    core Html ["a" "area"] ["href"] Url, Reference Document Always;
    ping Html ["a" "area"] ["ping"] Spaces, Nothing Document Always;
    core Html ["audio" "video" "source" "track" "embed" "img" "iframe" "input" "script"] ["src"] Url, Nothing Document Always;
    srcset Html ["img" "source"] ["srcset"] Srcset, Nothing Document Always;
    core Html ["link"] ["href"] Url, Nothing Document Always;
    srcset Html ["link"] ["imagesrcset"] Srcset, Nothing Document Always;
    core Html ["video"] ["poster"] Url, Nothing Document Always;
    core Html ["object"] ["data"] Url, Nothing Document Always;
    core Html ["iframe"] ["srcdoc"] Document, Nothing Document Always;
    core Html ["form"] ["action"] Url, Nothing Document Always;
    core Html ["button" "input"] ["formaction"] Url, Nothing Document Always;
    core Html ["blockquote" "q" "ins" "del"] ["cite"] Url, Nothing Document Always;
    refresh Html ["meta"] ["content"] Refresh, Reference Document Equals("http-equiv", "refresh");
    identity Html [] ["itemid"] Url, Nothing Document Always;
    vocabulary Html [] ["itemtype"] Spaces, Nothing Nothing Always;
    css Any [] ["style"] Css(Sheet::Declarations), Nothing Document Always;
    css Html ["style"] ["#text"] Css(Sheet::Whole), Nothing Document DefaultsTo("type", "text/css");
    json Html ["script"] ["#text"] ImportMap, Nothing Document Trimmed("type", "importmap");
    json Html ["script"] ["#text"] SpeculationRules, Nothing Document Trimmed("type", "speculationrules");
    ping Html ["a" "img" "script"] ["attributionsrc"] Spaces, Nothing Document Always;

    // Obsolete, but processed or listed.
    obsolete Html ["frame"] ["src" "longdesc"] Url, Nothing Document Always;
    obsolete Html ["body" "table" "thead" "tbody" "tfoot" "tr" "td" "th"] ["background"] Url, Nothing Document Always;
    obsolete Html ["img" "iframe"] ["longdesc"] Url, Nothing Document Always;
    obsolete Html ["img" "input"] ["lowsrc" "dynsrc"] Url, Nothing Document Always;
    obsolete Html ["html"] ["manifest"] Url, Nothing Fallback Always;
    obsolete Html ["head"] ["profile"] Spaces, Nothing Document Always;
    legacy Html ["object" "applet"] ["codebase"] Url, Nothing Document Always;
    legacy Html ["object"] ["classid"] Url, Nothing Codebase Always;
    legacy Html ["object"] ["archive"] Spaces, Nothing Codebase Always;
    legacy Html ["applet"] ["archive"] Commas, Nothing Codebase Always;
    legacy Html ["param"] ["value"] Url, Nothing Document Equals("valuetype", "ref");
    obsolete Html ["bgsound" "xml" "layer" "ilayer"] ["src"] Url, Nothing Document Always;
    obsolete Html ["layer"] ["background"] Url, Nothing Document Always;
    obsolete Html ["menuitem" "command"] ["icon"] Url, Nothing Document Always;

    // Foreign content.
    svg Svg ["a"] ["href"] Url, Reference Document Always;
    svg Svg ["a"] ["xlink:href"] Url, Reference Document Lacks("href");
    svg Svg ["image" "use" "script" "feimage" "lineargradient" "radialgradient" "pattern" "textpath" "mpath"
        "animate" "animatemotion" "animatetransform" "set" "discard" "filter" "cursor" "tref" "altglyph"
        "glyphref" "font-face-uri" "color-profile"] ["href"] Url, Nothing Document Always;
    svg Svg ["image" "use" "script" "feimage" "lineargradient" "radialgradient" "pattern" "textpath" "mpath"
        "animate" "animatemotion" "animatetransform" "set" "discard" "filter" "cursor" "tref" "altglyph"
        "glyphref" "font-face-uri" "color-profile"] ["xlink:href"] Url, Nothing Document Lacks("href");
    ping Svg ["a"] ["ping"] Spaces, Nothing Document Always;
    css Svg [] ["fill" "stroke" "filter" "mask" "clip-path" "marker" "marker-start" "marker-mid" "marker-end"
        "cursor"] Css(Sheet::Declarations), Nothing Document Always;
    css Svg ["style"] ["#text"] Css(Sheet::Whole), Nothing Document DefaultsTo("type", "text/css");
    mathml MathMl ["a"] ["href"] Url, Reference Document Always;
    mathml MathMl ["a"] ["xlink:href"] Url, Reference Document Lacks("href");
    mathml MathMl [] ["href"] Url, Nothing Document Always;
    mathml MathMl [] ["xlink:href"] Url, Nothing Document Lacks("href");
    mathml MathMl ["math"] ["altimg"] Url, Nothing Document Always;
    mathml MathMl ["mglyph"] ["src"] Url, Nothing Document Always;
    mathml MathMl ["csymbol" "annotation"] ["definitionurl"] Url, Nothing Document Always;

    // What `--extended` adds.
    extended Html ["meta"] ["content"] Url, Nothing Document OneOf(&["property", "name"], CARDS);
    extended Html ["meta"] ["content"] Url, Nothing Document Has("itemprop");
    extended Html ["script"] ["#text"] LinkedData, Nothing Document Trimmed("type", "application/ld+json");
    extended Html [] ["data-src" "data-original" "data-lazy" "data-href" "data-uri"] Url, Nothing Document Always;
    extended Html [] ["data-srcset" "data-original-set" "data-lazy-srcset"] Srcset, Nothing Document Always;
    extended Html [] ["srcset"] Srcset, Nothing Document CustomElement;
    extended Html [] ["about" "resource" "vocab" "src"] Url, Nothing Document Always;
    extended Html [] ["href"] Url, Nothing Document NoBase;
};

/// The properties of social cards and site tiles that are references.
#[rustfmt::skip]
static CARDS: &[&str] = &[
    "og:image", "og:image:url", "og:image:secure_url",
    "og:video", "og:video:url", "og:video:secure_url",
    "og:audio", "og:audio:url", "og:audio:secure_url",
    "og:url", "twitter:image", "twitter:image:src",
    "twitter:player", "twitter:player:stream",
    "msapplication-tileimage", "msapplication-config",
];

impl Condition {
    /// Whether the element `name` with these attributes meets it.
    pub(crate) fn holds(self, name: &str, value: &dyn Fn(&str) -> Option<String>) -> bool {
        let is = |attribute: &str, wanted: &str| {
            value(attribute).is_some_and(|value| value.eq_ignore_ascii_case(wanted))
        };
        match self {
            Always => true,
            Equals(attribute, wanted) => is(attribute, wanted),
            Trimmed(attribute, wanted) => value(attribute).is_some_and(|value| {
                let bare = value.trim_matches(super::values::is_space);
                bare.eq_ignore_ascii_case(wanted)
            }),
            DefaultsTo(attribute, wanted) => {
                is(attribute, wanted) || value(attribute).is_none_or(|value| value.is_empty())
            }
            Has(attribute) => value(attribute).is_some(),
            Lacks(attribute) => value(attribute).is_none(),
            OneOf(attributes, wanted) => attributes
                .iter()
                .any(|attribute| wanted.iter().any(|wanted| is(attribute, wanted))),
            CustomElement => name.contains('-'),
            NoBase => name != "base",
        }
    }
}

/// The groups that are on by default.
pub(crate) fn groups() -> BTreeSet<&'static str> {
    ROWS.iter()
        .map(|row| row.group)
        .filter(|&group| group != EXTENDED)
        .collect()
}
