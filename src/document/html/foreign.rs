//! The open elements of SVG and MathML on top of the stack of open elements.

use super::attributes::ElementNamespace;
use super::names::Element;

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
