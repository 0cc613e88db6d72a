//! The open elements: their names, what prefixes mean inside, and the rows of their vocabularies.

use std::collections::HashMap;

use super::tokens::{XmlTag, split_name};
use super::vocabulary::{self, Namespace, XmlRow};
use crate::bytes::steps::step;
use crate::document::html::xml::{MarkupContents, MarkupElement, MarkupNamespace};

/// Elements that nest deeper are read, but their namespaces, bases and entries are ignored.
const DEEPEST: usize = 4096;
/// Maximum number of namespace declarations in force; further ones are ignored.
const MOST_BINDINGS: usize = 256;
const NEAREST: usize = 64;
const MAX_KINDS: usize = 256;

/// The facts about all elements of one name, while the same prefixes are in force.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ElementKind {
    name: u64,
    pub(super) namespace: Namespace,
    pub(super) markup: Option<MarkupElement>,
    pub(super) rows: &'static [XmlRow],
    /// Whether it is an item, a channel, or has a separate link in one.
    pub(super) is_entry: bool,
    /// Whether text and attributes are searched, because the vocabulary is unknown.
    pub(super) is_guessed: bool,
}

#[derive(Default)]
pub(super) enum XmlContents {
    #[default]
    Ignored,
    Row(&'static XmlRow),
    Markup(MarkupContents),
    Guessed,
}

pub(super) struct OpenElement {
    pub(super) kind: ElementKind,
    /// The number of prefixes in force around it.
    outer: usize,
    /// Whether it is a separate document, with its own base.
    pub(super) has_scope: bool,
}

#[derive(Default)]
pub(super) struct OpenElements {
    pub(super) open: Vec<OpenElement>,
    pub(super) deeper: u64,
    pub(super) prefixes: Vec<(Vec<u8>, Namespace)>,
    /// The kinds of elements by the hash of the name, while the same prefixes are in force.
    kinds: HashMap<u64, ElementKind>,
    /// The vocabulary of elements without a namespace; `None` before the root.
    pub(super) root: Option<Namespace>,
    guesses: bool,
    has_bound_stylesheet: bool,
    /// Whether nothing is searched although its vocabulary is unknown.
    pub(super) never_guesses: bool,
}

impl OpenElements {
    pub(super) fn new(never_guesses: bool) -> Self {
        OpenElements {
            never_guesses,
            ..OpenElements::default()
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.open.len() >= DEEPEST
    }

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

    /// Whether a prefix is bound to XSLT, whose attributes are templates.
    pub(super) fn has_stylesheet(&self) -> bool {
        let is_stylesheet = |known: &(Vec<u8>, Namespace)| known.1 == Namespace::Xsl;
        self.has_bound_stylesheet && self.prefixes.iter().any(is_stylesheet)
    }

    pub(super) fn bind(&mut self, prefix: &[u8], namespace: Namespace) {
        self.has_bound_stylesheet |= namespace == Namespace::Xsl;
        if self.binding(prefix) != namespace && self.prefixes.len() < MOST_BINDINGS {
            self.prefixes.push((prefix.to_vec(), namespace));
            self.kinds.clear();
        }
    }

    #[inline]
    pub(super) fn unbind(&mut self, outer: usize) {
        if self.prefixes.len() != outer {
            self.prefixes.truncate(outer);
            self.kinds.clear();
        }
    }

    /// Returns the kind of the elements of a name; the first one requested is the root.
    pub(super) fn kind(&mut self, bytes: &[u8], tag: &XmlTag) -> ElementKind {
        if let Some(kind) = self.kinds.get(&tag.hash) {
            return *kind;
        }
        let kind = self.new_kind(&bytes[tag.name.clone()], tag.hash);
        if self.kinds.len() >= MAX_KINDS {
            self.kinds.clear();
        }
        self.kinds.insert(tag.hash, kind);
        kind
    }

    /// Returns how text after an end tag is read.
    #[inline]
    pub(super) fn between(&self) -> XmlContents {
        match self.open.last() {
            Some(open) if open.kind.is_guessed => XmlContents::Guessed,
            // A text after the root, such as the footer of a mailing list.
            None if self.root.is_some() && !self.never_guesses => XmlContents::Guessed,
            _ => XmlContents::Ignored,
        }
    }

    #[inline(never)]
    fn new_kind(&mut self, name: &[u8], hash: u64) -> ElementKind {
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
            // Stylesheets mostly make HTML.
            if namespace == Namespace::Unknown && !self.guesses && self.has_stylesheet() {
                namespace = Namespace::Xhtml;
            }
        }
        let markup = match namespace {
            Namespace::Xhtml => Some(MarkupNamespace::Html),
            Namespace::Svg => Some(MarkupNamespace::Svg),
            Namespace::MathMl => Some(MarkupNamespace::MathMl),
            _ => None,
        };
        let entries: [&[u8]; 5] = [b"item", b"channel", b"image", b"textinput", b"textInput"];
        ElementKind {
            name: hash,
            namespace,
            markup: markup.map(|namespace| MarkupElement::new(namespace, local)),
            rows: vocabulary::rows(namespace, local),
            is_entry: namespace == Namespace::Rss && entries.contains(&local),
            is_guessed: self.guesses && namespace == Namespace::Unknown,
        }
    }

    /// Opens an element that does not end in its own tag; returns false if it is only counted.
    #[inline]
    pub(super) fn push(&mut self, kind: ElementKind, outer: usize, has_scope: bool) -> bool {
        if self.is_full() {
            self.deeper += 1;
            return false;
        }
        self.open.push(OpenElement {
            kind,
            outer,
            has_scope,
        });
        true
    }

    /// Returns the number of elements that an end tag closes; `None` if it closes none nearby.
    #[inline]
    pub(super) fn closed_by(&self, name: u64) -> Option<usize> {
        if self.open.last().is_some_and(|open| open.kind.name == name) {
            return Some(1);
        }
        step(self.open.len().min(NEAREST));
        let mut near = self.open.iter().rev().take(NEAREST);
        let above = near.position(|open| open.kind.name == name);
        above.map(|above| above + 1)
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<OpenElement> {
        let open = self.open.pop()?;
        self.unbind(open.outer);
        Some(open)
    }
}
