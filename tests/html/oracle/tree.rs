//! The tree that html5ever's tree builder builds. Nodes are in one vector, so that dropping a deep tree
//! does not recurse.

use std::borrow::Cow;
use std::cell::{Ref, RefCell};

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, QualName, local_name, ns};

/// The index of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Id(pub(crate) usize);

/// The kind of a node.
#[derive(Debug)]
pub(crate) enum Kind {
    Document,
    /// The contents of a template, or a shadow root.
    Fragment,
    Element(Element),
    Text(String),
    /// A comment or a document type.
    Other,
}

/// An element.
#[derive(Debug)]
pub(crate) struct Element {
    pub(crate) name: QualName,
    pub(crate) attributes: Vec<Attribute>,
    /// The contents of a template element.
    pub(crate) contents: Option<Id>,
    /// A declarative shadow root.
    pub(crate) shadow: Option<Id>,
    integration_point: bool,
}

impl Element {
    /// Whether it is the HTML element of that name.
    pub(crate) fn is_html(&self, name: &str) -> bool {
        self.name.ns == ns!(html) && &*self.name.local == name
    }
}

/// A node with its links.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) parent: Option<Id>,
    pub(crate) children: Vec<Id>,
}

/// The effect of one start tag.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// The element created last; clones by reconstruction come before.
    pub(crate) created: Option<Id>,
    /// The element that the tag merged into, with the names of the added attributes.
    pub(crate) merged: Option<(Id, Vec<String>)>,
}

/// A tree under construction, with the effect of the current start tag.
#[derive(Debug)]
pub(crate) struct Tree {
    nodes: RefCell<Vec<Node>>,
    /// The name of the current start tag, in lower case.
    tag: RefCell<Option<String>>,
    outcome: RefCell<Outcome>,
}

impl Tree {
    pub(crate) fn new() -> Self {
        Tree {
            nodes: RefCell::new(vec![Node {
                kind: Kind::Document,
                parent: None,
                children: Vec::new(),
            }]),
            tag: RefCell::new(None),
            outcome: RefCell::new(Outcome::default()),
        }
    }

    /// The nodes; the first is the document.
    pub(crate) fn nodes(&self) -> Ref<'_, Vec<Node>> {
        self.nodes.borrow()
    }

    /// Starts a start tag.
    pub(crate) fn begin(&self, name: &str) {
        self.tag.replace(Some(name.to_owned()));
    }

    /// Ends a start tag; returns its effect.
    pub(crate) fn end(&self) -> Outcome {
        self.tag.replace(None);
        self.outcome.take()
    }

    fn add(&self, kind: Kind) -> Id {
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(Node {
            kind,
            parent: None,
            children: Vec::new(),
        });
        Id(nodes.len() - 1)
    }

    fn node(&self, child: NodeOrText<Id>) -> Id {
        match child {
            NodeOrText::AppendNode(id) => id,
            NodeOrText::AppendText(text) => self.add(Kind::Text(text.to_string())),
        }
    }

    fn detach(&self, id: Id) {
        let mut nodes = self.nodes.borrow_mut();
        if let Some(parent) = nodes[id.0].parent.take() {
            // Most children are removed from the end: the last children are searched first.
            let children = &mut nodes[parent.0].children;
            let at = children.iter().rposition(|&child| child == id);
            children.remove(at.expect("a parent lists its children"));
        }
    }

    fn insert(&self, parent: Id, before: Option<Id>, child: NodeOrText<Id>) {
        let child = self.node(child);
        self.detach(child);
        let mut nodes = self.nodes.borrow_mut();
        nodes[child.0].parent = Some(parent);
        let children = &mut nodes[parent.0].children;
        let at = match before {
            None => children.len(),
            Some(sibling) => children
                .iter()
                .rposition(|&known| known == sibling)
                .expect("a parent lists its children"),
        };
        children.insert(at, child);
    }

    fn element(&self, id: Id) -> Ref<'_, Element> {
        Ref::map(self.nodes.borrow(), |nodes| match &nodes[id.0].kind {
            Kind::Element(element) => element,
            other => panic!("not an element: {other:?}"),
        })
    }

    fn change(&self, id: Id, change: impl FnOnce(&mut Element)) {
        match &mut self.nodes.borrow_mut()[id.0].kind {
            Kind::Element(element) => change(element),
            other => panic!("not an element: {other:?}"),
        }
    }

    /// DOM, "attach a shadow root": which elements may be hosts.
    fn may_host(&self, id: Id) -> bool {
        const HOSTS: [&str; 18] = [
            "article",
            "aside",
            "blockquote",
            "body",
            "div",
            "footer",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "header",
            "main",
            "nav",
            "p",
            "section",
            "span",
        ];
        let element = self.element(id);
        let name = &*element.name.local;
        element.name.ns == ns!(html)
            && element.shadow.is_none()
            && (HOSTS.contains(&name) || is_custom_element(name))
    }
}

/// "Valid custom element name" of the DOM standard, for names that a tokenizer makes.
pub(crate) fn is_custom_element(name: &str) -> bool {
    const RESERVED: [&str; 8] = [
        "annotation-xml",
        "color-profile",
        "font-face",
        "font-face-src",
        "font-face-uri",
        "font-face-format",
        "font-face-name",
        "missing-glyph",
    ];
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.contains('-')
        && !name.contains('\u{0}')
        && !RESERVED.contains(&name)
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
        Id(0)
    }

    fn elem_name<'a>(&'a self, target: &'a Id) -> Ref<'a, QualName> {
        Ref::map(self.element(*target), |element| &element.name)
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<Attribute>,
        flags: ElementFlags,
    ) -> Id {
        let contents = flags.template.then(|| self.add(Kind::Fragment));
        // HTML: the parser turns `image` into `img`; SVG names get their upper-case letters back.
        let claimed = self.tag.borrow().as_ref().is_some_and(|tag| {
            str::eq_ignore_ascii_case(&name.local, tag)
                || (tag == "image" && name.local == local_name!("img"))
        });
        let id = self.add(Kind::Element(Element {
            name,
            attributes,
            contents,
            shadow: None,
            integration_point: flags.mathml_annotation_xml_integration_point,
        }));
        if claimed {
            self.outcome.borrow_mut().created = Some(id);
        }
        id
    }

    fn create_comment(&self, _text: StrTendril) -> Id {
        self.add(Kind::Other)
    }

    fn create_pi(&self, _target: StrTendril, _data: StrTendril) -> Id {
        self.add(Kind::Other)
    }

    fn append(&self, parent: &Id, child: NodeOrText<Id>) {
        self.insert(*parent, None, child);
    }

    fn append_based_on_parent_node(
        &self,
        element: &Id,
        previous_element: &Id,
        child: NodeOrText<Id>,
    ) {
        let parent = self.nodes.borrow()[element.0].parent;
        match parent {
            Some(parent) => self.insert(parent, Some(*element), child),
            None => self.insert(*previous_element, None, child),
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &Id) -> Id {
        self.element(*target).contents.expect("only for templates")
    }

    fn same_node(&self, one: &Id, other: &Id) -> bool {
        one == other
    }

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Id, new: NodeOrText<Id>) {
        let parent = self.nodes.borrow()[sibling.0].parent;
        self.insert(parent.expect("a sibling has a parent"), Some(*sibling), new);
    }

    fn add_attrs_if_missing(&self, target: &Id, attributes: Vec<Attribute>) {
        let mut added = Vec::new();
        self.change(*target, |element| {
            for attribute in attributes {
                let known = |other: &Attribute| other.name == attribute.name;
                if !element.attributes.iter().any(known) {
                    added.push(attribute.name.local.to_string());
                    element.attributes.push(attribute);
                }
            }
        });
        self.outcome.borrow_mut().merged = Some((*target, added));
    }

    fn remove_from_parent(&self, target: &Id) {
        self.detach(*target);
    }

    fn reparent_children(&self, node: &Id, new_parent: &Id) {
        let children = std::mem::take(&mut self.nodes.borrow_mut()[node.0].children);
        let mut nodes = self.nodes.borrow_mut();
        for child in &children {
            nodes[child.0].parent = Some(*new_parent);
        }
        nodes[new_parent.0].children.extend(children);
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &Id) -> bool {
        self.element(*target).integration_point
    }

    fn attach_declarative_shadow(
        &self,
        location: &Id,
        template: &Id,
        _attributes: &[Attribute],
    ) -> bool {
        if !self.may_host(*location) {
            return false;
        }
        let contents = self.element(*template).contents;
        self.change(*location, |host| host.shadow = contents);
        true
    }
}
