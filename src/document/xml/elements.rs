//! The open elements: their names, what prefixes mean inside, and the rows of their vocabularies.

use std::ops::Range;

use super::vocabulary::{self, Namespace, ValueKind, XmlRows};
use crate::bytes::steps::step;
use crate::document::html::xml::{MarkupElement, MarkupNamespace};

/// Elements that nest deeper are read, but have no namespaces, bases or entries of their own.
const DEEPEST: usize = 4096;
/// Namespace declarations that are in force; further ones do not count.
const MOST_BINDINGS: usize = 256;
/// An end tag is looked up among this many open elements.
const NEAREST: usize = 64;
/// The number of names whose kinds are kept.
const KEPT: usize = 256;
/// Kinds of longer names are not kept.
const LONGEST_KEPT: usize = 64;

/// The facts about all elements of one name, while the same prefixes are in force.
#[derive(Clone, Copy, Debug)]
pub(super) struct ElementKind {
    /// The hash of the name as written, and the length.
    name: u64,
    length: u32,
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

/// A kind, and when it counts.
struct KeptKind {
    hash: u64,
    name: Vec<u8>,
    bindings: u32,
    kind: ElementKind,
}

/// An open element.
pub(super) struct OpenElement {
    /// The hash of its name as written, and the length.
    name: u64,
    length: u32,
    /// The prefixes in force around it.
    outer: Bindings,
    /// Whether it is a document of its own, with its own base.
    pub(super) has_scope: bool,
    pub(super) is_entry: bool,
    pub(super) is_guessed: bool,
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
    kept: Vec<Option<KeptKind>>,
    /// The vocabulary of elements without a namespace; `None` before the root.
    root: Option<Namespace>,
    /// Whether the root's vocabulary is unknown.
    guesses: bool,
    /// Whether nothing is searched although its vocabulary is unknown.
    pub(super) never_guesses: bool,
}

/// Names up to this length have the same hash only if they are the same, for each length.
const SHORT: usize = 8;

/// Hashes the name `bytes[start..end]`. Names of the same hash and length are taken to be the same where
/// tags are matched.
#[inline(always)]
fn hash(bytes: &[u8], start: usize, end: usize) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |hash: u64, word: u64| {
        let hash = (hash ^ word).wrapping_mul(FACTOR);
        hash ^ hash >> 29
    };
    let word = |at: usize| {
        let chunk = bytes.get(at..).and_then(<[u8]>::first_chunk);
        chunk.map(|chunk| u64::from_le_bytes(*chunk))
    };
    let length = end - start;
    if length > SHORT {
        let mut hash = 0;
        for at in (start..end - SHORT).step_by(8) {
            hash = mix(hash, word(at).unwrap_or_default());
        }
        // The last eight bytes may overlap with those before.
        return mix(hash, word(end - SHORT).unwrap_or_default());
    }
    let last = match word(start) {
        // Shifts out the bytes after a shorter name.
        Some(word) => {
            let cut = 64 - 8 * length as u32;
            word.unbounded_shl(cut).unbounded_shr(cut)
        }
        None => {
            let bytes = bytes[start..end].iter().rev();
            bytes.fold(0, |word, &byte| word << 8 | u64::from(byte))
        }
    };
    mix(0, last)
}

/// Returns the prefix of a name and its local part.
pub(super) fn split_name(name: &[u8]) -> (&[u8], &[u8]) {
    match name.iter().position(|&byte| byte == b':') {
        Some(colon) => (&name[..colon], &name[colon + 1..]),
        None => (b"", name),
    }
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

    /// Whether the text behind a tag that ended is searched.
    #[inline]
    pub(super) fn is_guessed(&self) -> bool {
        self.open.last().is_some_and(|open| open.is_guessed)
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

    /// Returns what is known of elements of a name; the first one asked for is the root.
    #[inline]
    pub(super) fn kind(&mut self, bytes: &[u8], name: Range<usize>, extended: bool) -> ElementKind {
        let hash = hash(bytes, name.start, name.end);
        let name = &bytes[name];
        let slot = (hash >> 56) as usize % KEPT;
        // One of two places, so that two names of one slot do not drive each other out.
        for slot in [slot, slot ^ 1] {
            if let Some(Some(kept)) = self.kept.get(slot)
                && kept.hash == hash
                && kept.bindings == self.bindings.number
                && kept.name.len() == name.len()
                && (name.len() <= SHORT || kept.name == name)
            {
                return kept.kind;
            }
        }
        let kind = self.new_kind(name, extended);
        if name.len() <= LONGEST_KEPT {
            if self.kept.is_empty() {
                self.kept.resize_with(KEPT, || None);
            }
            let is_free = |slot: &usize| self.kept[*slot].is_none();
            let slot = [slot, slot ^ 1].into_iter().find(is_free).unwrap_or(slot);
            self.kept[slot] = Some(KeptKind {
                hash,
                name: name.to_vec(),
                bindings: self.bindings.number,
                kind,
            });
        }
        kind
    }

    fn new_kind(&mut self, name: &[u8], extended: bool) -> ElementKind {
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
        let rows = XmlRows::of(namespace, local, extended);
        let is_guessed = self.guesses && namespace == Namespace::Unknown;
        let text = rows.text();
        let simple = match (markup, text) {
            // Style and script elements are among them.
            (Some(_), _) => None,
            (None, Some((_, ValueKind::TypedHtml))) => Some(XmlContents::Ignored),
            (None, Some((element, kind))) => Some(XmlContents::Row(element, kind)),
            (None, None) if is_guessed => Some(XmlContents::Guessed),
            (None, None) => Some(XmlContents::Ignored),
        };
        ElementKind {
            simple,
            name: hash(name, 0, name.len()),
            length: name.len() as u32,
            namespace,
            markup: (markup.map(|namespace| MarkupElement::new(namespace, local))),
            rows,
            text,
            is_entry: namespace == Namespace::Rss
                && matches!(
                    local,
                    b"item" | b"channel" | b"image" | b"textinput" | b"textInput"
                ),
            is_guessed,
        }
    }

    /// Opens an element that does not end in its own tag; returns false if it is only counted.
    #[inline]
    pub(super) fn push(&mut self, kind: &ElementKind, outer: Bindings, has_scope: bool) -> bool {
        if self.is_full() {
            self.deeper += 1;
            return false;
        }
        self.open.push(OpenElement {
            name: kind.name,
            length: kind.length,
            outer,
            has_scope,
            is_entry: kind.is_entry,
            is_guessed: kind.is_guessed,
        });
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
        let (name, length) = (hash(name, 0, name.len()), name.len() as u32);
        step(self.open.len().min(NEAREST));
        let near = self.open.iter().rev().take(NEAREST);
        let mut near = near.map(|open| (open.name, open.length));
        let above = near.position(|open| open == (name, length));
        above.map(|above| above + 1)
    }

    /// Returns the index after the end tag at `at` that closes the innermost element and nothing else, if
    /// it is one.
    #[inline(always)]
    pub(super) fn closing(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let innermost = self.open.last().filter(|_| self.deeper == 0)?;
        let end = at + 2 + innermost.length as usize;
        let is_it = bytes.get(end) == Some(&b'>') && hash(bytes, at + 2, end) == innermost.name;
        is_it.then_some(end + 1)
    }

    /// Closes the innermost element.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<OpenElement> {
        let open = self.open.pop()?;
        self.unbind(open.outer);
        Some(open)
    }
}
