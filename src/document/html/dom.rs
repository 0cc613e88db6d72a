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
pub(super) struct NodeId(u32);

impl NodeId {
    const NONE: NodeId = NodeId(u32::MAX);
    pub(super) const DOCUMENT: NodeId = NodeId(0);

    fn some(self) -> Option<NodeId> {
        (self != NodeId::NONE).then_some(self)
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
    parent: NodeId,
    previous: NodeId,
    next: NodeId,
    first: NodeId,
    last: NodeId,
    depth: u32,
}

/// What few nodes have.
#[derive(Debug)]
struct Extras {
    /// The contents of a template.
    contents: NodeId,
    /// The shadow root of a host.
    shadow: NodeId,
    /// It is an `annotation-xml` that holds HTML.
    integration_point: bool,
}

impl Default for Extras {
    fn default() -> Self {
        Extras {
            contents: NodeId::NONE,
            shadow: NodeId::NONE,
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
const NODE: usize = size_of::<Node>() + size_of::<TreePosition>();

/// Where a node stands in the final tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TreePosition {
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
pub(super) struct TokenEffect {
    /// The element that it made: clones of formatting elements are made before it.
    pub(super) created: Option<NodeId>,
    /// The element that it merged into, with the attributes that were missing there.
    pub(super) merged: Option<(NodeId, Vec<LocalName>)>,
    /// Where its text went.
    pub(super) text: Option<NodeId>,
}

/// The tree under construction.
#[derive(Debug)]
pub(super) struct DomTree {
    nodes: RefCell<Vec<Node>>,
    extras: RefCell<HashMap<NodeId, Extras>>,
    names: RefCell<Names>,
    /// Attributes of `html` and `body`, the elements that others merge into.
    attributes: RefCell<HashSet<(NodeId, LocalName)>>,
    outcome: RefCell<TokenEffect>,
    created: Cell<usize>,
    depth: Cell<u32>,
}

impl DomTree {
    pub(super) fn new() -> Self {
        let tree = DomTree {
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
    pub(super) fn outcome(&self) -> TokenEffect {
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
    pub(super) fn name(&self, id: NodeId) -> QualName {
        let name = self.nodes.borrow()[id.index()].name;
        self.names.borrow().list[name as usize].clone()
    }

    /// About how many bytes it takes.
    pub(super) fn kept(&self) -> usize {
        self.len() * NODE
            + self.names.borrow().list.len() * NAME
            + self.extras.borrow().len() * 2 * size_of::<(NodeId, Extras)>()
            + self.attributes.borrow().len() * 2 * size_of::<(NodeId, LocalName)>()
    }

    fn contents(&self, id: NodeId) -> Option<NodeId> {
        self.extras.borrow().get(&id)?.contents.some()
    }

    /// The place of every node, and the first in tree order of those in the document that `seeks`
    /// is true of.
    pub(super) fn places(
        &self,
        seeks: impl Fn(NodeId) -> bool,
    ) -> (Vec<TreePosition>, Option<NodeId>) {
        let nodes = self.nodes.borrow();
        let extras = self.extras.borrow();
        let mut places = vec![TreePosition::Nowhere; nodes.len()];
        let mut found = None;
        let mut stack = vec![(NodeId::DOCUMENT, TreePosition::Document)];
        while let Some((id, place)) = stack.pop() {
            let node = &nodes[id.index()];
            places[id.index()] = place;
            if place == TreePosition::Document && found.is_none() && seeks(id) {
                found = Some(id);
            }
            // What stands behind it comes after what stands in it.
            stack.extend(node.next.some().map(|next| (next, place)));
            stack.extend(node.first.some().map(|first| (first, place)));
            let Some(extras) = extras.get(&id) else {
                continue;
            };
            let contents = extras.contents.some();
            stack.extend(contents.map(|contents| (contents, TreePosition::Template)));
            let shadow = match place {
                TreePosition::Template => TreePosition::Template,
                _ => TreePosition::Shadow,
            };
            stack.extend(extras.shadow.some().map(|root| (root, shadow)));
        }
        (places, found)
    }

    fn add(&self, name: QualName) -> NodeId {
        let name = self.names.borrow_mut().index(name);
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(Node {
            name,
            parent: NodeId::NONE,
            previous: NodeId::NONE,
            next: NodeId::NONE,
            first: NodeId::NONE,
            last: NodeId::NONE,
            depth: 0,
        });
        NodeId((nodes.len() - 1) as u32)
    }

    fn insert(&self, parent: NodeId, before: Option<NodeId>, child: NodeOrText<NodeId>) {
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
        node.next = before.unwrap_or(NodeId::NONE);
        node.depth = depth;
        if let Some(contents) = self.contents(child) {
            nodes[contents.index()].depth = depth;
        }
        self.depth.set(depth);
    }

    fn detach(&self, id: NodeId) {
        let nodes = &mut *self.nodes.borrow_mut();
        let node = &mut nodes[id.index()];
        let Some(parent) = std::mem::replace(&mut node.parent, NodeId::NONE).some() else {
            return;
        };
        let previous = std::mem::replace(&mut node.previous, NodeId::NONE);
        let next = std::mem::replace(&mut node.next, NodeId::NONE);
        match previous.some() {
            Some(previous) => nodes[previous.index()].next = next,
            None => nodes[parent.index()].first = next,
        }
        match next.some() {
            Some(next) => nodes[next.index()].previous = previous,
            None => nodes[parent.index()].last = previous,
        }
    }

    fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.nodes.borrow()[id.index()].parent.some()
    }

    /// Whether a shadow root may be attached to an element (DOM, "attach a shadow root").
    fn may_host(&self, id: NodeId) -> bool {
        let name = self.name(id);
        let extras = self.extras.borrow();
        let hosts = extras.get(&id).is_some_and(|it| it.shadow != NodeId::NONE);
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

impl TreeSink for DomTree {
    type Handle = NodeId;
    type Output = Self;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> NodeId {
        NodeId::DOCUMENT
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> Ref<'a, QualName> {
        let name = self.nodes.borrow()[target.index()].name;
        Ref::map(self.names.borrow(), |names| &names.list[name as usize])
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<Attribute>,
        flags: ElementFlags,
    ) -> NodeId {
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
                contents: contents.unwrap_or(NodeId::NONE),
                integration_point,
                ..Extras::default()
            };
            self.extras.borrow_mut().insert(id, extras);
        }
        self.created.set(self.created.get() + 1);
        self.outcome.borrow_mut().created = Some(id);
        id
    }

    fn create_comment(&self, _text: StrTendril) -> NodeId {
        NodeId::NONE
    }

    fn create_pi(&self, _target: StrTendril, _data: StrTendril) -> NodeId {
        NodeId::NONE
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        if !matches!(child, NodeOrText::AppendNode(NodeId::NONE)) {
            self.insert(*parent, None, child);
        }
    }

    fn append_based_on_parent_node(
        &self,
        element: &NodeId,
        previous: &NodeId,
        child: NodeOrText<NodeId>,
    ) {
        match self.parent(*element) {
            Some(_) => self.append_before_sibling(element, child),
            None => self.append(previous, child),
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        self.contents(*target).unwrap_or(NodeId::NONE)
    }

    fn same_node(&self, one: &NodeId, other: &NodeId) -> bool {
        one == other
    }

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &NodeId, child: NodeOrText<NodeId>) {
        if matches!(child, NodeOrText::AppendNode(NodeId::NONE)) {
            return;
        }
        if let Some(parent) = self.parent(*sibling) {
            self.insert(parent, Some(*sibling), child);
        }
    }

    fn add_attrs_if_missing(&self, target: &NodeId, attributes: Vec<Attribute>) {
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

    fn remove_from_parent(&self, target: &NodeId) {
        self.detach(*target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        loop {
            let first = self.nodes.borrow()[node.index()].first;
            let Some(first) = first.some() else { break };
            self.insert(*new_parent, None, NodeOrText::AppendNode(first));
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &NodeId) -> bool {
        let extras = self.extras.borrow();
        extras.get(target).is_some_and(|it| it.integration_point)
    }

    fn attach_declarative_shadow(&self, host: &NodeId, template: &NodeId, _: &[Attribute]) -> bool {
        let attaches = self.may_host(*host);
        if attaches && let Some(contents) = self.contents(*template) {
            let nodes = &mut *self.nodes.borrow_mut();
            nodes[contents.index()].depth = nodes[host.index()].depth;
            self.extras.borrow_mut().entry(*host).or_default().shadow = contents;
        }
        attaches
    }
}
