//! The references of a PDF file, and its destinations: pages with their annotations, then the catalog,
//! the outlines and the form.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};

use super::file::{PdfCursor, PdfFile, PdfString, PdfValue};
use super::lexer::{marked_text, text_string};
use crate::bytes::class::split_once;
use crate::document::events::{
    BaseSelector, Context, Event, Events, FoundReference, NameRange, RuleFamily, Span, TextRange,
};
use crate::document::flags::Flags;
use crate::document::nested::enter;
use crate::uri::base::push_path;

pub(super) struct PdfWalk<'a, 'e, 'f> {
    file: &'e mut PdfFile<'a>,
    events: &'e mut Events<'f>,
    offset: u64,
    /// The number of the page, from 1; `None` for the rest of the file. Records name a page as a document:
    /// URI actions have another base than file specifications, which have the file's.
    page: Option<u64>,
    /// Whether a reference of the page or the rest was reported.
    is_entered: bool,
    /// The base of URI actions, and its offset.
    base: Option<(Vec<u8>, u64)>,
    /// The objects of annotations, which a form may name again as its fields.
    annotations: HashSet<u32>,
    /// The actions that were reported.
    reported: HashSet<PdfValue>,
    /// Something that the file names is missing.
    is_lost: bool,
    /// All objects are searched for actions, each of which is reported once.
    is_searching: bool,
}

struct ActionTarget {
    text: PdfString,
    base: BaseSelector,
}

/// The bytes that are encoded in names: all but those that are unreserved (RFC 3986, section 2.3).
const NAME: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');
/// The element of records about actions of annotations.
const ANNOTATION: &str = "annotation";
/// The element of records about other actions.
const ACTION: &str = "action";

impl<'a, 'e, 'f> PdfWalk<'a, 'e, 'f> {
    pub(super) fn new(file: &'e mut PdfFile<'a>, events: &'e mut Events<'f>, offset: u64) -> Self {
        PdfWalk {
            file,
            events,
            offset,
            page: None,
            is_entered: false,
            base: None,
            annotations: HashSet::new(),
            reported: HashSet::new(),
            is_lost: false,
            is_searching: false,
        }
    }

    /// Reports all references; returns whether there is a page tree.
    pub(super) fn references(&mut self, catalog: Option<PdfValue>, anchors: bool) -> bool {
        let keys = ["Pages", "URI", "OpenAction", "AA", "Outlines", "AcroForm"];
        let fields = catalog.and_then(|catalog| self.file.fields(catalog, keys));
        let [pages, uri, open, additional, outlines, form] = fields.unwrap_or_default();
        self.base = uri.and_then(|uri| self.base(uri));
        let has_pages = pages.is_some_and(|pages| self.pages(pages, anchors));
        self.chain(open, ACTION);
        if has_pages {
            self.additional(additional, ACTION);
            self.outlines(outlines);
            self.form(form);
        }
        if !has_pages || self.is_lost && self.file.is_rebuilt() {
            self.objects();
        }
        self.leave();
        if let Some(catalog) = catalog.filter(|_| anchors) {
            self.destinations(catalog);
        }
        has_pages
    }

    /// Reports the actions of all objects that were not reported, for a file that was cut.
    fn objects(&mut self) {
        self.is_searching = true;
        let objects = self.file.objects();
        for &object in &objects {
            if let Some([Some(annotations)]) = self.file.fields(object, ["Annots"]) {
                self.annotations(annotations);
            }
        }
        for &object in &objects {
            self.annotations(object);
            let kind = self.file.fields(object, ["Subtype"]);
            let is_annotation = matches!(kind, Some([Some(_)]));
            self.actions(object, [ACTION, ANNOTATION][usize::from(is_annotation)]);
        }
        for object in objects {
            if let Some([Some(_)]) = self.file.fields(object, ["S"]) {
                self.chain(Some(object), ACTION);
            }
        }
    }

    /// Returns the base of URI actions (section 12.6.4.8).
    fn base(&mut self, uri: PdfValue) -> Option<(Vec<u8>, u64)> {
        let [base] = self.file.fields(uri, ["Base"])?;
        let base = self.file.string(base?)?;
        Some((base.bytes, self.offset + base.range.start as u64))
    }

    fn enter(&mut self) {
        if std::mem::replace(&mut self.is_entered, true) {
            return;
        }
        let name = self.page.map(|number| format!("page {number}"));
        let name = name.map(|name| self.events.store(name.as_bytes()));
        enter(name, RuleFamily::Plain, self.events);
        if let Some((base, offset)) = &self.base {
            let base = self.events.store(base);
            self.events.push(Event::Base(base, *offset));
        }
        self.events.push(Event::Settled);
    }

    fn leave(&mut self) {
        if std::mem::replace(&mut self.is_entered, false) {
            self.events.push(Event::Leave);
        }
    }

    /// Reports the references of all pages; returns whether there is a page tree.
    fn pages(&mut self, root: PdfValue, anchors: bool) -> bool {
        let Some([Some(kids)]) = self.file.fields(root, ["Kids"]) else {
            return false;
        };
        let mut count = 0;
        let root = self.file.reference(root);
        self.tree(root, kids, |walk, kid| {
            let Some([kids, annotations, additional]) =
                walk.file.fields(kid, ["Kids", "Annots", "AA"])
            else {
                walk.file.damage(kid);
                walk.is_lost = true;
                return None;
            };
            if kids.is_some() {
                return kids;
            }
            count += 1;
            if anchors {
                let name = walk.events.store(format!("page={count}").as_bytes());
                walk.events.push(Event::Anchor(name, 0));
            }
            walk.page = Some(count);
            if let Some(annotations) = annotations {
                walk.annotations(annotations);
            }
            walk.additional(additional, ACTION);
            walk.leave();
            walk.events.forget_stored();
            None
        });
        self.page = None;
        true
    }

    /// Visits what an array holds, and the arrays of kids that visits return; each object once.
    fn tree(
        &mut self,
        root: Option<u32>,
        kids: PdfValue,
        mut visit: impl FnMut(&mut Self, PdfValue) -> Option<PdfValue>,
    ) {
        let mut seen: HashSet<u32> = root.into_iter().collect();
        let mut open: Vec<PdfCursor> = self.file.array(kids).into_iter().collect();
        while let Some(kids) = open.last_mut() {
            let Some(kid) = self.file.next_item(kids) else {
                open.pop();
                continue;
            };
            let number = self.file.reference(kid);
            if number.is_none_or(|number| seen.insert(number))
                && let Some(kids) = visit(self, kid)
            {
                open.extend(self.file.array(kids));
            }
        }
    }

    fn graph(
        &mut self,
        first: Option<PdfValue>,
        mut visit: impl FnMut(&mut Self, PdfValue) -> Option<Vec<PdfValue>>,
    ) {
        let mut seen = HashSet::new();
        let mut waiting: Vec<PdfValue> = first.into_iter().collect();
        while let Some(value) = waiting.pop() {
            let value = self.file.resolve(value);
            self.is_lost |= value.is_none();
            if let Some(value) = value
                && seen.insert(value)
                && let Some(next) = visit(self, value)
            {
                waiting.extend(next);
            }
        }
    }

    fn items(&mut self, array: PdfValue) -> Option<Vec<PdfValue>> {
        let mut cursor = self.file.array(array)?;
        Some(std::iter::from_fn(|| self.file.next_item(&mut cursor)).collect())
    }

    fn annotations(&mut self, annotations: PdfValue) {
        let Some(mut items) = self.file.array(annotations) else {
            self.is_lost = true;
            return;
        };
        while let Some(annotation) = self.file.next_item(&mut items) {
            self.annotations.extend(self.file.reference(annotation));
            self.actions(annotation, ANNOTATION);
        }
    }

    /// Reports the actions of an annotation, a field or an outline item.
    fn actions(&mut self, holder: PdfValue, element: &'static str) {
        if let Some([action, additional]) = self.file.fields(holder, ["A", "AA"]) {
            self.chain(action, element);
            self.additional(additional, element);
        }
    }

    /// Reports the actions of an additional-actions dictionary (section 12.6.3).
    fn additional(&mut self, actions: Option<PdfValue>, element: &'static str) {
        let actions = actions.and_then(|actions| self.file.dictionary(actions));
        let Some(mut entries) = actions else { return };
        while let Some((_, action)) = self.file.next_entry(&mut entries) {
            self.chain(Some(action), element);
        }
    }

    /// Reports an action and those after it, each once.
    fn chain(&mut self, action: Option<PdfValue>, element: &'static str) {
        self.graph(action, |walk, action| {
            if !walk.reported.insert(action) && walk.is_searching {
                return None;
            }
            let keys = ["S", "URI", "F", "D", "Win", "Next"];
            let [kind, uri, file, destination, windows, next] = walk.file.fields(action, keys)?;
            if let Some(target) = walk.target(kind, uri, file.or(windows), destination) {
                walk.report(&target, element);
            }
            let next = next?;
            let mut all = walk.items(next).unwrap_or_else(|| vec![next]);
            all.reverse();
            Some(all)
        });
    }

    /// Returns the target of an action by its kind (section 12.6.4).
    fn target(
        &mut self,
        kind: Option<PdfValue>,
        uri: Option<PdfValue>,
        file: Option<PdfValue>,
        destination: Option<PdfValue>,
    ) -> Option<ActionTarget> {
        let kind = kind.and_then(|kind| self.file.name(kind));
        match kind.as_deref().unwrap_or(b"URI") {
            b"URI" => {
                let uri = self.file.string(uri?)?;
                Some(uri_target(uri))
            }
            b"GoToR" => {
                let mut target = self.file_specification(file?)?;
                let fragment = destination.and_then(|place| self.fragment(place));
                if let (Some(fragment), BaseSelector::Fallback) = (fragment, target.base) {
                    let fragment = self.events.store(&fragment);
                    target.base = BaseSelector::FallbackWithFragment(fragment);
                }
                Some(target)
            }
            b"Launch" | b"GoToE" | b"ImportData" => self.file_specification(file?),
            b"SubmitForm" => {
                let mut target = self.file_specification(file?)?;
                target.base = BaseSelector::Document;
                Some(target)
            }
            _ => None,
        }
    }

    /// Reads a file specification, a string or a dictionary (section 7.11).
    fn file_specification(&mut self, value: PdfValue) -> Option<ActionTarget> {
        let (mut is_uri, mut is_text) = (false, false);
        let mut text = match self.file.string(value) {
            Some(string) => string,
            None => {
                let [unicode, file, system] = self.file.fields(value, ["UF", "F", "FS"])?;
                let system = system.and_then(|system| self.file.name(system));
                is_uri = system.as_deref() == Some(b"URL");
                is_text = unicode.is_some();
                self.file.string(unicode.or(file)?)?
            }
        };
        if is_uri || is_absolute(&text.bytes) {
            return Some(uri_target(text));
        }
        let path = if is_text {
            text_string(&text.bytes)
        } else {
            uri_string(text.bytes)
        };
        // A colon in the first segment would end a scheme.
        let first = path.split(|&byte| byte == b'/').next().unwrap_or_default();
        text.bytes = Vec::new();
        if first.contains(&b':') {
            text.bytes.extend(b"./");
        }
        push_path(&path, &mut text.bytes);
        let base = BaseSelector::Fallback;
        Some(ActionTarget { text, base })
    }

    /// Returns the fragment of a destination in another file (RFC 8118, section 3).
    fn fragment(&mut self, destination: PdfValue) -> Option<Vec<u8>> {
        if let Some(mut items) = self.file.array(destination) {
            let page = self.file.next_item(&mut items)?;
            let page = self.file.number(page)?.checked_add(1)?;
            return Some(format!("page={page}").into_bytes());
        }
        let name = match self.file.string(destination) {
            Some(name) => text_string(&name.bytes),
            None => self.file.name(destination)?,
        };
        let mut fragment = b"nameddest=".to_vec();
        fragment.extend(percent_encode(&name, NAME).flat_map(str::bytes));
        Some(fragment)
    }

    fn report(&mut self, target: &ActionTarget, element: &'static str) {
        self.enter();
        let range = &target.text.range;
        let text = self.events.store(&target.text.bytes);
        let span = Span::at(self.offset, range);
        let mut found = FoundReference::new(span, text, Context::Attribute);
        found.element = NameRange::Known(element);
        found.attribute = NameRange::Known("uri");
        found.base = target.base;
        found.flags = Flags::OBJECT | Flags::PACKED.when(target.text.is_packed);
        self.events.push(Event::Reference(found));
        self.events.forget_stored();
    }

    /// Reports the actions of all outline items (section 12.3.3).
    fn outlines(&mut self, root: Option<PdfValue>) {
        self.graph(root, |walk, item| {
            walk.actions(item, ACTION);
            let fields = walk.file.fields(item, ["First", "Next"]);
            walk.is_lost |= fields.is_none();
            let [first, next] = fields?;
            Some([next, first].into_iter().flatten().collect())
        });
    }

    /// Reports the actions of all fields that are not annotations of pages (section 12.7).
    fn form(&mut self, form: Option<PdfValue>) {
        let fields = form.and_then(|form| self.file.fields(form, ["Fields"])?[0]);
        let Some(fields) = fields else { return };
        self.tree(None, fields, |walk, field| {
            let number = walk.file.reference(field);
            if number.is_none_or(|number| !walk.annotations.contains(&number)) {
                walk.actions(field, ACTION);
            }
            walk.file.fields(field, ["Kids"])?[0]
        });
    }

    /// Reports the names of destinations: the tree of names, and the older dictionary (section 12.3.2.4).
    fn destinations(&mut self, catalog: PdfValue) {
        let [names, old] = (self.file.fields(catalog, ["Names", "Dests"])).unwrap_or_default();
        let mut anchors = DestinationNames::default();
        if let Some(mut entries) = old.and_then(|old| self.file.dictionary(old)) {
            while let Some((name, _)) = self.file.next_entry(&mut entries) {
                let name = self.file.key(entries, name);
                anchors.report(&name, self.events);
            }
        }
        let tree = names.and_then(|names| self.file.fields(names, ["Dests"])?[0]);
        self.graph(tree, |walk, node| {
            let [kids, names] = walk.file.fields(node, ["Kids", "Names"])?;
            if let Some(mut items) = names.and_then(|names| walk.file.array(names)) {
                while let Some(name) = walk.file.next_item(&mut items) {
                    if let Some(name) = walk.file.string(name) {
                        anchors.report(&name.bytes, walk.events);
                    }
                    walk.file.next_item(&mut items);
                }
            }
            walk.items(kids?)
        });
    }
}

/// The names of destinations that were reported, by their hashes.
#[derive(Default)]
struct DestinationNames {
    hasher: RandomState,
    seen: HashSet<u64>,
}

impl DestinationNames {
    /// Reports a name as text, and its bytes where they are UTF-8 too.
    fn report(&mut self, name: &[u8], events: &mut Events) {
        self.anchor(&text_string(name), events);
        if !name.is_ascii() && str::from_utf8(name).is_ok() {
            self.anchor(name, events);
        }
    }

    fn anchor(&mut self, name: &[u8], events: &mut Events) {
        if self.seen.insert(self.hasher.hash_one(name)) {
            let name: TextRange = events.store_with(|store| {
                store.extend_from_slice(b"nameddest=");
                store.extend_from_slice(name);
            });
            events.push(Event::Anchor(name, 0));
            events.forget_stored();
        }
    }
}

/// Returns the target that a string names as a URI.
fn uri_target(mut uri: PdfString) -> ActionTarget {
    uri.bytes = uri_string(uri.bytes);
    let base = BaseSelector::Document;
    ActionTarget { text: uri, base }
}

/// Returns a URI as text: its bytes, but for those who write it as a text string.
fn uri_string(bytes: Vec<u8>) -> Vec<u8> {
    marked_text(&bytes).map_or(bytes, String::into_bytes)
}

/// Returns whether a file specification is a URI, as some writers have it.
fn is_absolute(bytes: &[u8]) -> bool {
    let (scheme, Some(rest)) = split_once(bytes, b':') else {
        return false;
    };
    // A letter alone names a drive.
    scheme.len() > 1
        && scheme.iter().all(u8::is_ascii_alphabetic)
        && (rest.starts_with(b"//") || scheme.eq_ignore_ascii_case(b"mailto"))
}
