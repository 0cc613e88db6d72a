//! A tree without text and attributes: the links between elements that the tree builder needs, and
//! the position of each element in the final tree.

use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};
use std::collections::{HashMap, HashSet};
use std::num::NonZeroU32;

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, QualName, local_name, ns};

/// The index of a node, plus one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct NodeId(NonZeroU32);

impl NodeId {
    pub(super) const DOCUMENT: NodeId = NodeId(NonZeroU32::MIN);
    /// The handle of all comments, which are not kept.
    const COMMENT: NodeId = NodeId(NonZeroU32::MAX);

    pub(super) fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

#[derive(Debug, Default)]
struct Node {
    name: u32,
    parent: Option<NodeId>,
    previous: Option<NodeId>,
    next: Option<NodeId>,
    first: Option<NodeId>,
    last: Option<NodeId>,
    depth: u32,
}

#[derive(Debug, Default)]
struct Extras {
    contents: Option<NodeId>,
    shadow: Option<NodeId>,
    /// Whether the node is an `annotation-xml` whose `encoding` is HTML.
    integration_point: bool,
}

#[derive(Debug, Default)]
struct ElementNames {
    list: Vec<QualName>,
    indices: HashMap<QualName, u32>,
}

impl ElementNames {
    fn index(&mut self, name: QualName) -> u32 {
        let next = self.list.len() as u32;
        *self.indices.entry(name).or_insert_with_key(|name| {
            self.list.push(name.clone());
            next
        })
    }
}

/// Memory of a name, and of a node with its position in the final tree, in bytes.
const NAME_SIZE: usize = 256;
const NODE_SIZE: usize = size_of::<Node>() + size_of::<TreePosition>();

/// The position of a node in the final tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TreePosition {
    /// Removed, or never inserted.
    #[default]
    Nowhere,
    Document,
    /// In a shadow tree: references are reported, base elements are not.
    Shadow,
    Template,
}

#[derive(Debug, Default)]
pub(super) struct TokenEffect {
    /// The element created last: clones of formatting elements are created before.
    pub(super) created: Option<NodeId>,
    created_count: usize,
    /// The element that the token merged into, with the attributes that it added.
    pub(super) merged: Option<(NodeId, Vec<LocalName>)>,
    pub(super) text: Option<NodeId>,
}

#[derive(Debug, Default)]
pub(super) struct DomTree {
    nodes: RefCell<Vec<Node>>,
    extras: RefCell<HashMap<NodeId, Extras>>,
    names: RefCell<ElementNames>,
    /// Attributes of `html` and `body`, the elements that others merge into.
    attributes: RefCell<HashSet<(NodeId, LocalName)>>,
    effect: RefCell<TokenEffect>,
    /// Depth of the node inserted last.
    pub(super) depth: Cell<u32>,
}

impl DomTree {
    pub(super) fn new() -> Self {
        let tree = DomTree::default();
        tree.add(nameless());
        tree
    }

    /// Returns the changes since the last call.
    pub(super) fn take_effect(&self) -> TokenEffect {
        self.effect.take()
    }

    pub(super) fn created(&self) -> usize {
        self.effect.borrow().created_count
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.borrow().len()
    }

    pub(super) fn name(&self, id: NodeId) -> QualName {
        let name = self.nodes.borrow()[id.index()].name;
        self.names.borrow().list[name as usize].clone()
    }

    pub(super) fn memory(&self) -> usize {
        self.len() * NODE_SIZE
            + self.names.borrow().list.len() * NAME_SIZE
            + self.extras.borrow().len() * 2 * size_of::<(NodeId, Extras)>()
            + self.attributes.borrow().len() * 2 * size_of::<(NodeId, LocalName)>()
    }

    fn contents(&self, id: NodeId) -> Option<NodeId> {
        self.extras.borrow().get(&id)?.contents
    }

    /// Returns the position of every node, and the first node in tree order that `matches`.
    pub(super) fn positions(
        &self,
        matches: impl Fn(NodeId) -> bool,
    ) -> (Vec<TreePosition>, Option<NodeId>) {
        let nodes = self.nodes.borrow();
        let extras = self.extras.borrow();
        let mut positions = vec![TreePosition::Nowhere; nodes.len()];
        let mut found = None;
        let mut stack = vec![(NodeId::DOCUMENT, TreePosition::Document)];
        while let Some((id, position)) = stack.pop() {
            let node = &nodes[id.index()];
            positions[id.index()] = position;
            if position == TreePosition::Document && found.is_none() && matches(id) {
                found = Some(id);
            }
            // Children are popped before the next sibling.
            stack.extend(node.next.map(|next| (next, position)));
            stack.extend(node.first.map(|first| (first, position)));
            let Some(extras) = extras.get(&id) else {
                continue;
            };
            let contents = extras.contents;
            stack.extend(contents.map(|contents| (contents, TreePosition::Template)));
            let shadow = match position {
                TreePosition::Template => TreePosition::Template,
                _ => TreePosition::Shadow,
            };
            stack.extend(extras.shadow.map(|root| (root, shadow)));
        }
        (positions, found)
    }

    fn add(&self, name: QualName) -> NodeId {
        let name = self.names.borrow_mut().index(name);
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(Node {
            name,
            ..Node::default()
        });
        let index = NonZeroU32::new(nodes.len() as u32);
        index.map_or(NodeId::COMMENT, NodeId)
    }

    fn insert(&self, parent: NodeId, before: Option<NodeId>, child: NodeOrText<NodeId>) {
        let child = match child {
            NodeOrText::AppendNode(NodeId::COMMENT) => return,
            NodeOrText::AppendNode(child) => child,
            NodeOrText::AppendText(_) => {
                let into = before.is_none().then_some(parent);
                self.effect.borrow_mut().text = into;
                return;
            }
        };
        self.detach(child);
        let nodes = &mut *self.nodes.borrow_mut();
        let previous = match before {
            Some(next) => nodes[next.index()].previous.replace(child),
            None => nodes[parent.index()].last.replace(child),
        };
        match previous {
            Some(previous) => nodes[previous.index()].next = Some(child),
            None => nodes[parent.index()].first = Some(child),
        }
        let depth = nodes[parent.index()].depth + 1;
        let node = &mut nodes[child.index()];
        node.parent = Some(parent);
        node.previous = previous;
        node.next = before;
        node.depth = depth;
        if let Some(contents) = self.contents(child) {
            nodes[contents.index()].depth = depth;
        }
        self.depth.set(depth);
    }

    fn detach(&self, id: NodeId) {
        let nodes = &mut *self.nodes.borrow_mut();
        let node = &mut nodes[id.index()];
        let Some(parent) = node.parent.take() else {
            return;
        };
        let (previous, next) = (node.previous.take(), node.next.take());
        match previous {
            Some(previous) => nodes[previous.index()].next = next,
            None => nodes[parent.index()].first = next,
        }
        match next {
            Some(next) => nodes[next.index()].previous = previous,
            None => nodes[parent.index()].last = previous,
        }
    }

    fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.nodes.borrow()[id.index()].parent
    }

    /// Whether a shadow root may be attached to an element (DOM, "attach a shadow root").
    fn may_host(&self, id: NodeId) -> bool {
        let name = self.name(id);
        let extras = self.extras.borrow();
        let hosts = extras.get(&id).is_some_and(|it| it.shadow.is_some());
        if name.ns != ns!(html) || hosts {
            return false;
        }
        const HOSTS: &str = "article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main \
            nav p section span";
        HOSTS.split(' ').any(|host| host == &*name.local) || is_custom_element(&name.local)
    }
}

/// Names with a hyphen that are not custom elements, separated by spaces (HTML, "valid custom element
/// name").
const RESERVED: &str = "annotation-xml color-profile font-face font-face-format font-face-name \
    font-face-src font-face-uri missing-glyph";

fn is_custom_element(name: &str) -> bool {
    name.contains('-')
        && !name.contains('\0')
        && RESERVED.split(' ').all(|reserved| reserved != name)
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

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, flags: ElementFlags) -> NodeId {
        let contents = flags.template.then(|| self.add(nameless()));
        let merges =
            name.ns == ns!(html) && matches!(name.local, local_name!("html") | local_name!("body"));
        let id = self.add(name);
        if merges {
            let names = attrs.into_iter().map(|it| (id, it.name.local));
            self.attributes.borrow_mut().extend(names);
        }
        let integration_point = flags.mathml_annotation_xml_integration_point;
        if contents.is_some() || integration_point {
            let extras = Extras {
                contents,
                integration_point,
                ..Extras::default()
            };
            self.extras.borrow_mut().insert(id, extras);
        }
        let mut effect = self.effect.borrow_mut();
        effect.created = Some(id);
        effect.created_count += 1;
        id
    }

    fn create_comment(&self, _text: StrTendril) -> NodeId {
        NodeId::COMMENT
    }

    fn create_pi(&self, _target: StrTendril, _data: StrTendril) -> NodeId {
        NodeId::COMMENT
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        self.insert(*parent, None, child);
    }

    fn append_based_on_parent_node(&self, node: &NodeId, prev: &NodeId, child: NodeOrText<NodeId>) {
        match self.parent(*node) {
            Some(_) => self.append_before_sibling(node, child),
            None => self.append(prev, child),
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        self.contents(*target).unwrap_or(NodeId::COMMENT)
    }

    fn same_node(&self, one: &NodeId, other: &NodeId) -> bool {
        one == other
    }

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &NodeId, child: NodeOrText<NodeId>) {
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
        self.effect.borrow_mut().merged = Some((*target, added));
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.detach(*target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        let first = || self.nodes.borrow()[node.index()].first;
        while let Some(first) = first() {
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
            self.extras.borrow_mut().entry(*host).or_default().shadow = Some(contents);
        }
        attaches
    }
}
