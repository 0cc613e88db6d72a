//! As much of a tree as the tree builder and the questions about it need: links between elements,
//! no text, no attributes.

use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};
use std::collections::{HashMap, HashSet};

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, QualName, local_name, ns};

/// The index of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Id(u32);

impl Id {
    const NONE: Id = Id(u32::MAX);
    pub(super) const DOCUMENT: Id = Id(0);

    fn some(self) -> Option<Id> {
        (self != Id::NONE).then_some(self)
    }

    /// Its place among the nodes.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A node: small, for a document may have millions.
#[derive(Debug)]
struct Node {
    /// The index of its name.
    name: u32,
    parent: Id,
    previous: Id,
    next: Id,
    first: Id,
    last: Id,
    depth: u32,
}

/// What few nodes have.
#[derive(Debug)]
struct Extras {
    /// The contents of a template.
    contents: Id,
    /// The shadow root of a host.
    shadow: Id,
    /// It is an `annotation-xml` that holds HTML.
    integration_point: bool,
}

impl Default for Extras {
    fn default() -> Self {
        Extras {
            contents: Id::NONE,
            shadow: Id::NONE,
            integration_point: false,
        }
    }
}

/// The names of elements, each once.
#[derive(Debug, Default)]
struct Names {
    list: Vec<QualName>,
    indices: HashMap<QualName, u32>,
}

impl Names {
    fn index(&mut self, name: QualName) -> u32 {
        let next = self.list.len() as u32;
        *self.indices.entry(name).or_insert_with_key(|name| {
            self.list.push(name.clone());
            next
        })
    }
}

/// Bytes that a name takes, and those that a node takes with its place in the final tree.
const NAME: usize = 256;
const NODE: usize = size_of::<Node>() + size_of::<Place>();

/// Where a node stands in the final tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Place {
    /// It was removed, or never inserted.
    #[default]
    Nowhere,
    /// In the document.
    Document,
    /// In a shadow tree: its references are live, its base elements are not.
    Shadow,
    /// In the contents of a template.
    Template,
}

/// What the token at work has done.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// The element that it made: clones of formatting elements are made before it.
    pub(super) created: Option<Id>,
    /// The element that it merged into, with the attributes that were missing there.
    pub(super) merged: Option<(Id, Vec<LocalName>)>,
    /// Where its text went.
    pub(super) text: Option<Id>,
}

/// The tree under construction.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: RefCell<Vec<Node>>,
    extras: RefCell<HashMap<Id, Extras>>,
    names: RefCell<Names>,
    /// Attributes of `html` and `body`, the elements that others merge into.
    attributes: RefCell<HashSet<(Id, LocalName)>>,
    outcome: RefCell<Outcome>,
    created: Cell<usize>,
    depth: Cell<u32>,
}

impl Tree {
    pub(super) fn new() -> Self {
        let tree = Tree {
            nodes: RefCell::default(),
            extras: RefCell::default(),
            names: RefCell::default(),
            attributes: RefCell::default(),
            outcome: RefCell::default(),
            created: Cell::new(0),
            depth: Cell::new(0),
        };
        tree.add(nameless());
        tree
    }

    /// What has been done since the last call.
    pub(super) fn outcome(&self) -> Outcome {
        self.created.set(0);
        self.outcome.take()
    }

    /// How many elements the token at work has made.
    pub(super) fn created(&self) -> usize {
        self.created.get()
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.borrow().len()
    }

    /// How deep the node inserted last stands.
    pub(super) fn depth(&self) -> u32 {
        self.depth.get()
    }

    /// The name of an element.
    pub(super) fn name(&self, id: Id) -> QualName {
        let name = self.nodes.borrow()[id.index()].name;
        self.names.borrow().list[name as usize].clone()
    }

    /// About how many bytes it takes.
    pub(super) fn kept(&self) -> usize {
        self.len() * NODE
            + self.names.borrow().list.len() * NAME
            + self.extras.borrow().len() * 2 * size_of::<(Id, Extras)>()
            + self.attributes.borrow().len() * 2 * size_of::<(Id, LocalName)>()
    }

    fn contents(&self, id: Id) -> Option<Id> {
        self.extras.borrow().get(&id)?.contents.some()
    }

    /// The place of every node, and the first in tree order of those in the document that `seeks`
    /// is true of.
    pub(super) fn places(&self, seeks: impl Fn(Id) -> bool) -> (Vec<Place>, Option<Id>) {
        let nodes = self.nodes.borrow();
        let extras = self.extras.borrow();
        let mut places = vec![Place::Nowhere; nodes.len()];
        let mut found = None;
        let mut stack = vec![(Id::DOCUMENT, Place::Document)];
        while let Some((id, place)) = stack.pop() {
            let node = &nodes[id.index()];
            places[id.index()] = place;
            if place == Place::Document && found.is_none() && seeks(id) {
                found = Some(id);
            }
            // What stands behind it comes after what stands in it.
            stack.extend(node.next.some().map(|next| (next, place)));
            stack.extend(node.first.some().map(|first| (first, place)));
            let Some(extras) = extras.get(&id) else {
                continue;
            };
            let contents = extras.contents.some();
            stack.extend(contents.map(|contents| (contents, Place::Template)));
            let shadow = match place {
                Place::Template => Place::Template,
                _ => Place::Shadow,
            };
            stack.extend(extras.shadow.some().map(|root| (root, shadow)));
        }
        (places, found)
    }

    fn add(&self, name: QualName) -> Id {
        let name = self.names.borrow_mut().index(name);
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(Node {
            name,
            parent: Id::NONE,
            previous: Id::NONE,
            next: Id::NONE,
            first: Id::NONE,
            last: Id::NONE,
            depth: 0,
        });
        Id((nodes.len() - 1) as u32)
    }

    fn insert(&self, parent: Id, before: Option<Id>, child: NodeOrText<Id>) {
        let child = match child {
            NodeOrText::AppendNode(child) => child,
            NodeOrText::AppendText(_) => {
                let into = before.is_none().then_some(parent);
                self.outcome.borrow_mut().text = into;
                return;
            }
        };
        self.detach(child);
        let nodes = &mut *self.nodes.borrow_mut();
        let previous = match before {
            Some(next) => std::mem::replace(&mut nodes[next.index()].previous, child),
            None => std::mem::replace(&mut nodes[parent.index()].last, child),
        };
        match previous.some() {
            Some(previous) => nodes[previous.index()].next = child,
            None => nodes[parent.index()].first = child,
        }
        let depth = nodes[parent.index()].depth + 1;
        let node = &mut nodes[child.index()];
        node.parent = parent;
        node.previous = previous;
        node.next = before.unwrap_or(Id::NONE);
        node.depth = depth;
        if let Some(contents) = self.contents(child) {
            nodes[contents.index()].depth = depth;
        }
        self.depth.set(depth);
    }

    fn detach(&self, id: Id) {
        let nodes = &mut *self.nodes.borrow_mut();
        let node = &mut nodes[id.index()];
        let Some(parent) = std::mem::replace(&mut node.parent, Id::NONE).some() else {
            return;
        };
        let previous = std::mem::replace(&mut node.previous, Id::NONE);
        let next = std::mem::replace(&mut node.next, Id::NONE);
        match previous.some() {
            Some(previous) => nodes[previous.index()].next = next,
            None => nodes[parent.index()].first = next,
        }
        match next.some() {
            Some(next) => nodes[next.index()].previous = previous,
            None => nodes[parent.index()].last = previous,
        }
    }

    fn parent(&self, id: Id) -> Option<Id> {
        self.nodes.borrow()[id.index()].parent.some()
    }

    /// Whether a shadow root may be attached to an element (DOM, "attach a shadow root").
    fn may_host(&self, id: Id) -> bool {
        let name = self.name(id);
        let extras = self.extras.borrow();
        let hosts = extras.get(&id).is_some_and(|it| it.shadow != Id::NONE);
        if name.ns != ns!(html) || hosts {
            return false;
        }
        matches!(
            name.local,
            local_name!("article")
                | local_name!("aside")
                | local_name!("blockquote")
                | local_name!("body")
                | local_name!("div")
                | local_name!("footer")
                | local_name!("h1")
                | local_name!("h2")
                | local_name!("h3")
                | local_name!("h4")
                | local_name!("h5")
                | local_name!("h6")
                | local_name!("header")
                | local_name!("main")
                | local_name!("nav")
                | local_name!("p")
                | local_name!("section")
                | local_name!("span")
        ) || is_custom_element(&name.local)
    }
}

/// Names with a hyphen that are no custom elements (HTML, "valid custom element name").
const RESERVED: [&str; 8] = [
    "annotation-xml",
    "color-profile",
    "font-face",
    "font-face-format",
    "font-face-name",
    "font-face-src",
    "font-face-uri",
    "missing-glyph",
];

fn is_custom_element(name: &str) -> bool {
    name.contains('-') && !name.contains('\0') && !RESERVED.contains(&name)
}

fn nameless() -> QualName {
    QualName::new(None, ns!(), local_name!(""))
}

impl TreeSink for Tree {
    type Handle = Id;
    type Output = Self;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> Id {
        Id::DOCUMENT
    }

    fn elem_name<'a>(&'a self, target: &'a Id) -> Ref<'a, QualName> {
        let name = self.nodes.borrow()[target.index()].name;
        Ref::map(self.names.borrow(), |names| &names.list[name as usize])
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<Attribute>,
        flags: ElementFlags,
    ) -> Id {
        let contents = flags.template.then(|| self.add(nameless()));
        let merges =
            name.ns == ns!(html) && matches!(name.local, local_name!("html") | local_name!("body"));
        let id = self.add(name);
        if merges {
            let names = attributes.into_iter().map(|it| (id, it.name.local));
            self.attributes.borrow_mut().extend(names);
        }
        let integration_point = flags.mathml_annotation_xml_integration_point;
        if contents.is_some() || integration_point {
            let extras = Extras {
                contents: contents.unwrap_or(Id::NONE),
                integration_point,
                ..Extras::default()
            };
            self.extras.borrow_mut().insert(id, extras);
        }
        self.created.set(self.created.get() + 1);
        self.outcome.borrow_mut().created = Some(id);
        id
    }

    fn create_comment(&self, _text: StrTendril) -> Id {
        Id::NONE
    }

    fn create_pi(&self, _target: StrTendril, _data: StrTendril) -> Id {
        Id::NONE
    }

    fn append(&self, parent: &Id, child: NodeOrText<Id>) {
        if !matches!(child, NodeOrText::AppendNode(Id::NONE)) {
            self.insert(*parent, None, child);
        }
    }

    fn append_based_on_parent_node(&self, element: &Id, previous: &Id, child: NodeOrText<Id>) {
        match self.parent(*element) {
            Some(_) => self.append_before_sibling(element, child),
            None => self.append(previous, child),
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &Id) -> Id {
        self.contents(*target).unwrap_or(Id::NONE)
    }

    fn same_node(&self, one: &Id, other: &Id) -> bool {
        one == other
    }

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Id, child: NodeOrText<Id>) {
        if matches!(child, NodeOrText::AppendNode(Id::NONE)) {
            return;
        }
        if let Some(parent) = self.parent(*sibling) {
            self.insert(parent, Some(*sibling), child);
        }
    }

    fn add_attrs_if_missing(&self, target: &Id, attributes: Vec<Attribute>) {
        let mut known = self.attributes.borrow_mut();
        let mut added = Vec::new();
        for attribute in attributes {
            let name = attribute.name.local;
            if known.insert((*target, name.clone())) {
                added.push(name);
            }
        }
        self.outcome.borrow_mut().merged = Some((*target, added));
    }

    fn remove_from_parent(&self, target: &Id) {
        self.detach(*target);
    }

    fn reparent_children(&self, node: &Id, new_parent: &Id) {
        loop {
            let first = self.nodes.borrow()[node.index()].first;
            let Some(first) = first.some() else { break };
            self.insert(*new_parent, None, NodeOrText::AppendNode(first));
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &Id) -> bool {
        let extras = self.extras.borrow();
        extras.get(target).is_some_and(|it| it.integration_point)
    }

    fn attach_declarative_shadow(&self, host: &Id, template: &Id, _: &[Attribute]) -> bool {
        let attaches = self.may_host(*host);
        if attaches && let Some(contents) = self.contents(*template) {
            let nodes = &mut *self.nodes.borrow_mut();
            nodes[contents.index()].depth = nodes[host.index()].depth;
            self.extras.borrow_mut().entry(*host).or_default().shadow = contents;
        }
        attaches
    }
}
