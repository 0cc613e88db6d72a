//! The open elements: their names, what prefixes mean inside, and the rows of their vocabularies.

use std::ops::Range;

use super::names::{NameAt, NameNumbers, name_code, name_end, split_name};
use super::vocabulary::{self, Namespace, ValueKind, XmlRows};
use crate::bytes::simd;
use crate::bytes::steps::step;
use crate::document::html::xml::{MarkupElement, MarkupNamespace};

/// Elements that nest deeper are read, but have no namespaces, bases or entries of their own.
const DEEPEST: usize = 4096;
/// Namespace declarations that are in force; further ones do not count.
const MOST_BINDINGS: usize = 256;
/// An end tag is looked up among this many open elements.
const NEAREST: usize = 64;
/// Kinds of longer names are not kept.
const LONGEST_KEPT: usize = 64;

/// The facts about all elements of one name, while the same prefixes are in force.
#[derive(Clone, Copy, Debug)]
pub(super) struct ElementKind {
    /// The code of the name as written, and the length.
    name: (u128, usize),
    pub(super) namespace: Namespace,
    /// The namespace of an element that the table of HTML knows.
    pub(super) markup: Option<MarkupElement>,
    pub(super) rows: XmlRows,
    /// The row of the element's text.
    pub(super) text: Option<(&'static str, ValueKind)>,
    /// Whether it is an item, a channel, or what has a link of its own in one.
    pub(super) is_entry: bool,
    /// Whether text and attributes are searched, because nothing is known of them.
    pub(super) is_guessed: bool,
    /// The part of the text behind a tag without attributes that is read; none where more is to be done.
    pub(super) simple: Option<XmlContents>,
}

/// The part of the text up to the next tag that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum XmlContents {
    /// Nothing.
    Ignored,
    /// By a row of a vocabulary.
    Row(&'static str, ValueKind),
    /// A style or script element, by what was captured of its tag.
    Markup,
    /// Text of an unknown vocabulary.
    Guessed,
}

/// A kind, and the prefixes with which it counts.
struct KeptKind {
    bindings: u32,
    kind: ElementKind,
}

/// An open element.
pub(super) struct OpenElement {
    /// The code of its name as written, and the length.
    name: (u128, usize),
    /// The prefixes in force around it.
    outer: Bindings,
    /// Whether it is a document of its own, with its own base.
    pub(super) has_scope: bool,
    pub(super) is_entry: bool,
    pub(super) is_guessed: bool,
}

impl OpenElement {
    #[inline(always)]
    fn new(kind: &ElementKind, outer: Bindings, has_scope: bool) -> Self {
        OpenElement {
            name: kind.name,
            outer,
            has_scope,
            is_entry: kind.is_entry,
            is_guessed: kind.is_guessed,
        }
    }
}

/// The prefixes in force: how many there are, and a number that no other set of them has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Bindings {
    count: u32,
    number: u32,
}

/// The open elements of a document.
#[derive(Default)]
pub(super) struct OpenElements {
    open: Vec<OpenElement>,
    /// The number of open elements beyond [`DEEPEST`].
    deeper: u64,
    prefixes: Vec<(Vec<u8>, Namespace)>,
    bindings: Bindings,
    /// The number of sets of prefixes there have been.
    sets: u32,
    kept: NameNumbers<KeptKind>,
    /// The vocabulary of elements without a namespace; `None` before the root.
    root: Option<Namespace>,
    /// Whether the root's vocabulary is unknown.
    guesses: bool,
    /// Whether nothing is searched although its vocabulary is unknown.
    pub(super) never_guesses: bool,
}

impl OpenElements {
    /// Closes everything, and forgets the document.
    pub(super) fn clear(&mut self) {
        self.open.clear();
        self.deeper = 0;
        self.prefixes.clear();
        // The root of another document may have another vocabulary.
        self.kept.clear();
        self.bindings = Bindings::default();
        self.sets = 0;
        self.root = None;
        self.guesses = false;
    }

    /// Whether the root has begun.
    pub(super) fn has_root(&self) -> bool {
        self.root.is_some()
    }

    /// Whether no element is open.
    pub(super) fn is_outside(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether elements nest so deep that further ones are only counted.
    pub(super) fn is_full(&self) -> bool {
        self.open.len() >= DEEPEST
    }

    /// Whether text and attributes may be searched somewhere in the document, or the root tells only now.
    pub(super) fn may_guess(&self) -> bool {
        self.guesses || self.root.is_none()
    }

    pub(super) fn bindings(&self) -> Bindings {
        self.bindings
    }

    /// Returns the namespace of a prefix.
    pub(super) fn binding(&self, prefix: &[u8]) -> Namespace {
        step(self.prefixes.len());
        if prefix == b"xml" {
            return Namespace::Xml;
        }
        let mut known = self.prefixes.iter().rev();
        match known.find(|(known, _)| known == prefix) {
            Some((_, namespace)) => *namespace,
            None if prefix.is_empty() => Namespace::Nameless,
            None => Namespace::Unknown,
        }
    }

    /// Binds a prefix to a namespace.
    pub(super) fn bind(&mut self, prefix: &[u8], namespace: Namespace) {
        if self.binding(prefix) != namespace && self.prefixes.len() < MOST_BINDINGS {
            self.prefixes.push((prefix.to_vec(), namespace));
            self.sets = self.sets.wrapping_add(1);
            self.bindings = Bindings {
                count: self.prefixes.len() as u32,
                number: self.sets,
            };
        }
    }

    /// Returns to the prefixes that were in force.
    #[inline]
    pub(super) fn unbind(&mut self, outer: Bindings) {
        if self.bindings != outer {
            self.prefixes.truncate(outer.count as usize);
            self.bindings = outer;
        }
    }

    /// Returns the end of the element name at `at`, and the slot of its kind if it was met.
    #[inline(always)]
    pub(super) fn name_end(&self, bytes: &[u8], at: usize) -> (usize, Option<usize>) {
        if let Some(block) = simd::at(bytes, at) {
            let ends = block.up_to(b' ') | block.any_of(*b"/>");
            let length = ends.trailing_zeros() as usize;
            if ends != 0
                && length > 0
                && let Some((slot, _)) = self.kept.find(&NameAt::new(bytes, at, at + length))
            {
                return (at + length, Some(slot));
            }
        }
        (name_end(bytes, at), None)
    }

    /// Returns what is known of elements of a name; the first one asked for is the root.
    #[inline]
    pub(super) fn kind(&mut self, bytes: &[u8], name: Range<usize>, extended: bool) -> ElementKind {
        let name = NameAt::new(bytes, name.start, name.end);
        match self.kept.find(&name) {
            Some((_, kept)) if kept.bindings == self.bindings.number => kept.kind,
            _ => self.new_kind(&name, extended),
        }
    }

    /// Reads a tag whose name has a slot and whose attributes are of no use; returns the part of the text
    /// behind the tag that is read. None where more is to be done.
    #[inline(always)]
    pub(super) fn simple(&mut self, slot: usize, is_empty: bool) -> Option<XmlContents> {
        let kept = self.kept.get(slot)?;
        let is_one = kept.bindings == self.bindings.number
            && !kept.kind.is_entry
            && !self.is_outside()
            && !self.is_full();
        let contents = kept.kind.simple.filter(|_| is_one)?;
        if is_empty {
            return Some(self.between());
        }
        self.open
            .push(OpenElement::new(&kept.kind, self.bindings, false));
        Some(contents)
    }

    /// Returns what is read of text behind a tag that ended.
    #[inline]
    pub(super) fn between(&self) -> XmlContents {
        match self.open.last() {
            Some(open) if open.is_guessed => XmlContents::Guessed,
            _ => XmlContents::Ignored,
        }
    }

    #[inline(never)]
    fn new_kind(&mut self, at: &NameAt<'_>, extended: bool) -> ElementKind {
        let name = at.as_bytes();
        let (prefix, local) = split_name(name);
        let mut namespace = self.binding(prefix);
        if self.root.is_none() {
            let root = vocabulary::of_root(local);
            self.root = Some(root);
            self.guesses = match namespace {
                Namespace::Nameless => root == Namespace::Unknown,
                known => known == Namespace::Unknown,
            } && !self.never_guesses;
        }
        if namespace == Namespace::Nameless {
            namespace = self.root.unwrap_or(Namespace::Unknown);
        }
        let markup = match namespace {
            Namespace::Xhtml => Some(MarkupNamespace::Html),
            Namespace::Svg => Some(MarkupNamespace::Svg),
            Namespace::MathMl => Some(MarkupNamespace::MathMl),
            _ => None,
        };
        let markup = markup.map(|namespace| MarkupElement::new(namespace, local));
        let rows = XmlRows::of(namespace, local, extended);
        let is_guessed = self.guesses && namespace == Namespace::Unknown;
        let text = rows.text();
        let simple = match (markup, text) {
            (Some(element), _) if element.has_contents() => None,
            (Some(_), _) => Some(XmlContents::Ignored),
            (None, Some((_, ValueKind::TypedHtml))) => Some(XmlContents::Ignored),
            (None, Some((_, ValueKind::FieldMark))) => None,
            (None, Some((element, kind))) => Some(XmlContents::Row(element, kind)),
            (None, None) if is_guessed => Some(XmlContents::Guessed),
            (None, None) => Some(XmlContents::Ignored),
        };
        let kind = ElementKind {
            simple,
            name: at.code(),
            namespace,
            markup,
            rows,
            text,
            is_entry: namespace == Namespace::Rss
                && matches!(
                    local,
                    b"item" | b"channel" | b"image" | b"textinput" | b"textInput"
                ),
            is_guessed,
        };
        if name.len() <= LONGEST_KEPT {
            let bindings = self.bindings.number;
            self.kept.insert(at, KeptKind { bindings, kind }, true);
        }
        kind
    }

    /// Opens an element that does not end in its own tag; returns false if it is only counted.
    #[inline]
    pub(super) fn push(&mut self, kind: &ElementKind, outer: Bindings, has_scope: bool) -> bool {
        if self.is_full() {
            self.deeper += 1;
            return false;
        }
        self.open.push(OpenElement::new(kind, outer, has_scope));
        true
    }

    /// Whether no element was counted beyond the deepest.
    pub(super) fn is_shallow(&self) -> bool {
        self.deeper == 0
    }

    /// Closes an element that was only counted; returns false if there is none.
    #[inline]
    pub(super) fn pop_counted(&mut self) -> bool {
        let is_counted = self.deeper > 0;
        self.deeper -= u64::from(is_counted);
        is_counted
    }

    /// Returns the number of elements around which the end tag of a name closes, with its own; none
    /// if it closes nothing near.
    #[inline]
    pub(super) fn closed_by(&self, name: &[u8]) -> Option<usize> {
        let name = (name_code(name, 0, name.len()), name.len());
        step(self.open.len().min(NEAREST));
        let near = self.open.iter().rev().take(NEAREST);
        let mut near = near.map(|open| open.name);
        let above = near.position(|open| open == name);
        above.map(|above| above + 1)
    }

    /// Returns the index after the end tag at `at` that closes the innermost element and nothing else, if
    /// it is one.
    #[inline(always)]
    pub(super) fn closing(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let innermost = self.open.last().filter(|_| self.deeper == 0)?;
        let (code, length) = innermost.name;
        let end = at + 2 + length;
        let is_it = bytes.get(end) == Some(&b'>') && name_code(bytes, at + 2, end) == code;
        is_it.then_some(end + 1)
    }

    /// Closes the innermost element by the end tag at `at`, if it is an element that has nothing of its
    /// own; returns the index after the tag.
    #[inline(always)]
    pub(super) fn close_simple(&mut self, bytes: &[u8], at: usize) -> Option<usize> {
        let end = self.closing(bytes, at)?;
        let is_simple = (self.open.last()).is_some_and(|open| !open.is_entry && !open.has_scope);
        is_simple.then(|| {
            self.pop();
            end
        })
    }

    /// Closes the innermost element.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<OpenElement> {
        let open = self.open.pop()?;
        self.unbind(open.outer);
        Some(open)
    }
}
