//! Layer 4: turns events into links, with a stack of base URIs (RFC 2396 section 5.1).
//!
//! References are pending until the base of their document is known.

mod base_scope;
mod labels;
mod link;
mod writer;

use std::iter;
use std::ops::Range;
use std::sync::Arc;

pub use base_scope::Ruling;
pub use link::{
    Attachment, Diagnostic, DocumentContext, Envelope, Found, FoundMember, Link, LinkBase,
    LinkDescription, LinkMember, Remark, Sink, WebRecord,
};
pub(crate) use link::{Enclosure, EnclosureKind};

use crate::bytes::steps::step;
use crate::document::diagnostic::{self, Code};
use crate::document::events::{
    self, BaseSelector, Batch, EntityBaseField, EntityHeading, Event, FoundAttachment,
    RestartHints, RuleFamily, cut_name,
};
use crate::uri::unwrap::Unwrapper;
use crate::uri::{self, Base, BaseSource};
use base_scope::{BaseScope, LazyEnvelope};
use labels::LabelKind;
pub(crate) use writer::lossy;
use writer::{BatchTexts, LinkWriter, ScopedReference};

/// The most bytes of pending references; past it they resolve against the base known so far.
const PENDING_LIMIT: usize = 16 << 20;

/// Whether bases that documents declare are honoured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EmbeddedBases {
    /// They are (RFC 2396 sections 5.1.1 and 5.1.2).
    #[default]
    Honour,
    /// Only retrieval and default bases are used.
    Ignore,
}

/// Turns the events of documents into links, one document after the other.
///
/// References are resolved as soon as their document is settled, in document order. Until then they
/// are kept: within a batch by their index, from one batch to the next by a copy.
#[derive(Debug, Default)]
pub struct Linker {
    ruling: Ruling,
    embedded: EmbeddedBases,
    /// Scopes that are open or have references pending; those from `live` on are free for reuse.
    ///
    /// INVARIANT: `open` ascends, and closed scopes are in use only while a document is unsettled.
    scopes: Vec<BaseScope>,
    live: usize,
    /// The identity of the last scope: scopes are moved, identities stay.
    last_id: u64,
    /// The open documents, outermost first.
    open: Vec<usize>,
    unsettled: usize,
    pending: PendingReferences,
    /// References of the current batch to become pending: their scope and their index in the batch.
    waiting: Vec<(usize, usize)>,
    writer: LinkWriter,
    /// The last restart that the outermost document requested.
    restart: Option<RestartHints>,
    leaves_references: bool,
    /// Whether all fields of messages are known: the sink may list them.
    lists_messages: bool,
    depth: usize,
}

impl Linker {
    /// Creates a linker that resolves by `ruling`; a base that a document declares has at most
    /// `longest_base` bytes.
    pub fn new(
        ruling: Ruling,
        embedded: EmbeddedBases,
        longest_base: usize,
        unwrapper: Option<Unwrapper>,
    ) -> Self {
        Linker {
            ruling,
            embedded,
            writer: LinkWriter::new(longest_base, unwrapper),
            ..Linker::default()
        }
    }

    /// Skips references from now on.
    pub(crate) fn leave_references(&mut self) {
        self.leaves_references = true;
    }

    /// Starts a document.
    pub fn begin(&mut self, context: DocumentContext<'_>) {
        self.live = 0;
        self.open.clear();
        self.pending.clear();
        self.waiting.clear();
        self.unsettled = 0;
        self.restart = None;
        self.depth = context.depth;
        self.writer.begin(&context);
        let scope = self.open_scope(context.family);
        let longest = self.writer.longest_base;
        let is_refused = |base: &Base| context.depth > 0 && base.uri.len() > longest;
        let mut base = context.base;
        if base.is_some_and(is_refused) {
            // The archive names its members and the URIs of its records.
            self.diagnose(&diagnostic::BASE_TOO_LONG, 0);
            base = context.outer;
        }
        if let Some(base) = base {
            let fallback = &mut self.scopes[scope].fallback.named;
            fallback.set(&base.uri, base.source.clone());
        }
    }

    /// Returns whether the sink has stopped the document.
    pub(crate) fn is_stopped(&self) -> bool {
        self.writer.stopped
    }

    /// Processes a batch of events and the window of the batch; passes settled links to the sink.
    pub fn take(&mut self, events: &Batch, window: &[u8], sink: &mut dyn Sink) {
        let texts = BatchTexts { events, window };
        step(events.list.len());
        for (index, event) in events.list.iter().enumerate() {
            if self.is_stopped() {
                return;
            }
            match *event {
                Event::Reference(_) | Event::Attachment(_) if self.leaves_references => {}
                Event::Reference(_) | Event::Attachment(_) => self.reference(index, texts, sink),
                Event::Base(text, offset) => self.base(texts.bytes(text), offset),
                Event::Settled => self.settle(texts, sink),
                Event::Encoding(encoding) => self.innermost().set_encoding(encoding),
                Event::Diagnostic(code, offset) => self.diagnose(code, offset),
                Event::Enter(ref enter) => self.enter(enter, texts),
                Event::Heading(ref heading) => self.heading(heading, texts),
                Event::Envelope(ref envelope) => self.envelope(envelope, texts),
                Event::End(offset) => self.innermost().heading.message_end = Some(offset),
                Event::Leave => self.leave(texts, sink),
                Event::Anchor(text, at) => sink.event(&Found::Anchor(texts.bytes(text), at)),
                Event::Remark(ref found) => sink.event(&Found::Remark(Remark {
                    kind: found.kind,
                    text: texts.bytes(found.text),
                    span: found.span,
                    position: found.position,
                })),
                Event::Exact(rule) => sink.event(&Found::Exact(rule)),
                Event::Readable => self.drop_alternatives(),
                Event::Restart(hints) => {
                    if self.open.len() == 1 {
                        self.restart = Some(hints);
                    }
                    self.restart();
                    sink.event(&Found::Restart);
                }
            }
        }
        // The texts of waiting references may lie in the window, which ends here.
        for (scope, index) in self.waiting.drain(..) {
            let mut event = events.list[index];
            if let Event::Reference(found) = &mut event
                && let BaseSelector::Codebase(text) = &mut found.base
            {
                // An overlong one is refused for each of its references.
                *text = text.first(self.writer.longest_base.saturating_add(1));
            }
            self.pending.push(scope, &event, texts);
        }
    }

    /// Releases pending references above the limit, settled or not; returns whether it did.
    /// No later event may retract those references, so the document must not restart.
    pub fn limit(&mut self, sink: &mut dyn Sink) -> bool {
        let closed = self.live.saturating_sub(self.open.len());
        if self.pending.size() + closed * size_of::<BaseScope>() <= PENDING_LIMIT {
            return false;
        }
        self.diagnose(&diagnostic::HTML_HELD_LIMIT, 0);
        self.settle_all();
        self.release(BatchTexts::stored(&Batch::default()), sink);
        true
    }

    /// Takes the restart that the outermost document requested since the last call.
    pub(crate) fn take_restart(&mut self) -> Option<RestartHints> {
        self.restart.take()
    }

    /// Ends the document: settles everything, and reports diagnostics after the links.
    pub fn end(&mut self, sink: &mut dyn Sink) {
        if self.is_stopped() {
            return;
        }
        self.settle_all();
        self.release(BatchTexts::stored(&Batch::default()), sink);
        self.open.clear();
        self.report_scopes(0..self.live, sink);
        self.live = 0;
    }

    fn innermost(&mut self) -> &mut BaseScope {
        let index = self.open.last().copied().unwrap_or(0);
        &mut self.scopes[index]
    }

    fn open_scope(&mut self, family: RuleFamily) -> usize {
        let index = self.live;
        if index == self.scopes.len() {
            let scope = BaseScope::new(self.ruling, self.writer.longest_base);
            self.scopes.push(scope);
        }
        self.live += 1;
        let parent = self.open.last().copied();
        let mark = self.pending.len() + self.waiting.len();
        self.last_id += 1;
        self.scopes[index].begin(self.last_id, family, parent, mark);
        self.open.push(index);
        self.unsettled += 1;
        index
    }

    /// Emits a reference or a file, or lets it wait while a base is not settled.
    fn reference(&mut self, index: usize, texts: BatchTexts<'_>, sink: &mut dyn Sink) {
        let scope = self.open.last().copied().unwrap_or(0);
        let event = &texts.events.list[index];
        if let Event::Reference(found) = event
            && found.classes.may_have_colon()
            && let text = uri::trim(texts.bytes(found.text))
            && labels::names_part(text)
        {
            self.await_part(text);
        }
        if self.unsettled > 0 {
            self.waiting.push((scope, index));
        } else {
            self.emit(scope, event, texts, sink);
        }
    }

    fn emit(&mut self, scope: usize, event: &Event, texts: BatchTexts<'_>, sink: &mut dyn Sink) {
        self.prepare(scope);
        match event {
            _ if self.is_stopped() || self.scopes[scope].is_dropped => {}
            Event::Reference(found) => {
                let reference = ScopedReference {
                    found,
                    texts,
                    scopes: &self.scopes,
                    scope,
                };
                self.writer.emit(reference, sink);
                while let Some(code) = self.writer.refused.pop() {
                    self.diagnose_in(scope, code, found.span.start);
                }
            }
            Event::Attachment(found) => self.attachment(scope, found, texts, sink),
            _ => {}
        }
    }

    #[cold]
    fn attachment(
        &mut self,
        scope: usize,
        found: &FoundAttachment,
        texts: BatchTexts<'_>,
        sink: &mut dyn Sink,
    ) {
        let scope = &self.scopes[scope];
        sink.event(&Found::Attachment(&Attachment {
            member: scope.member().unwrap_or_default(),
            contents: texts.bytes(found.contents),
            file_name: texts.bytes(found.file_name),
            media_type: &lossy(texts.bytes(found.media_type)),
            directory: scope.directory(),
            message: scope.message(),
            depth: self.depth,
        }));
    }

    /// Makes the references of a message pending if one names a part that may follow (RFC 2392 section 2).
    fn await_part(&mut self, target: &[u8]) {
        let is_message = |index: usize| self.scopes[index].heading.names_parts;
        let Some(outermost) = self.open.iter().position(|&index| is_message(index)) else {
            return;
        };
        // An outer message may have a part with the same label, which is tried last.
        let innermost = self.open.iter().rposition(|&index| is_message(index));
        let inner = &self.open[innermost.unwrap_or(outermost)..];
        let scope_ids: Vec<u64> = inner.iter().map(|&index| self.scopes[index].id).collect();
        if self.writer.labels.part(target, &scope_ids).is_some() {
            return;
        }
        let message = &mut self.scopes[self.open[outermost]];
        message.awaits_parts = true;
        if std::mem::replace(&mut message.settled, false) {
            self.unsettled += 1;
        }
    }

    fn base(&mut self, reference: &[u8], offset: u64) {
        if self.embedded == EmbeddedBases::Ignore {
            return;
        }
        if reference.len() > self.writer.longest_base {
            return self.diagnose(&diagnostic::BASE_TOO_LONG, offset);
        }
        let scope = self.innermost();
        scope.own = scope.strip(reference).into_owned();
        scope.own_offset = Some(offset);
    }

    fn diagnose(&mut self, code: &'static Code, offset: u64) {
        self.diagnose_in(self.open.last().copied().unwrap_or(0), code, offset);
    }

    /// Adds a diagnostic to the message that a document is in, else to the document that has its member:
    /// records are one for each code.
    fn diagnose_in(&mut self, innermost: usize, code: &'static Code, offset: u64) {
        let parent = |&index: &usize| self.scopes[index].parent;
        let around = || iter::successors(Some(innermost), parent).inspect(|_| step(1));
        let message = around().find(|&index| self.scopes[index].heading.message);
        let named = || around().find(|&index| self.scopes[index].has_member);
        let owner = message.or_else(named).or_else(|| around().last());
        self.scopes[owner.unwrap_or(innermost)].diagnose(code, offset);
    }

    fn heading(&mut self, heading: &EntityHeading, texts: BatchTexts<'_>) {
        let index = self.open.last().copied().unwrap_or(0);
        let known = &mut self.scopes[index].heading;
        let mut is_any_cut = false;
        let mut name = |text| {
            let (name, is_cut) = cut_name(texts.bytes(text));
            is_any_cut |= is_cut;
            lossy(name)
        };
        if let Some(message) = heading.message {
            known.message = true;
            known.message_id = message.id.map(|id| Arc::from(&*name(id)));
            known.message_offset = Some(message.offset);
        }
        known.stored_at = heading.stored_at;
        let (media_type, charset) = (&mut known.media_type, &mut known.charset);
        (heading.media_type.iter()).for_each(|text| media_type.push_str(&name(*text)));
        (heading.charset.iter()).for_each(|text| charset.push_str(&name(*text)));
        let has_file = heading.file.iter().any(Option::is_some);
        let text = |text: Option<_>| text.map(|text| name(text).into_owned()).unwrap_or_default();
        known.file = has_file.then(|| Arc::new(heading.file.map(text)));
        known.related = heading.related;
        known.names_parts = heading.names_parts;
        self.scopes[index].kept_from = heading.keeps_last.then_some(0);
        if is_any_cut {
            self.diagnose(&diagnostic::RECORD_NAME_TOO_LONG, 0);
        }
        let id = heading.content_id.map(|id| texts.bytes(id));
        let location = heading.location.map(|uri| texts.bytes(uri));
        if id.is_some() || location.is_some() {
            self.label(index, id, location);
        }
    }

    /// Applies an envelope to the innermost document, which is a message.
    fn envelope(&mut self, envelope: &events::RawEnvelope, texts: BatchTexts<'_>) {
        let fields = texts.bytes(envelope.fields).to_vec();
        self.lists_messages = envelope.is_whole;
        let decode = envelope.decode;
        let lazy = LazyEnvelope::new(Box::new(move || decode(&fields)));
        self.innermost().heading.envelope = Some(Arc::new(lazy));
    }

    /// Adds the labels of a part: a location to the innermost enclosing `multipart/related`, an
    /// identifier also to the enclosing messages.
    fn label(&mut self, index: usize, id: Option<&[u8]>, location: Option<&[u8]>) {
        let parent = self.scopes[index].parent;
        let around = iter::successors(parent, |&index| self.scopes[index].parent);
        let around = around.map(|index| &self.scopes[index]);
        let related = around.clone().find(|scope| scope.heading.related);
        let related = related.map(|scope| scope.id);
        let mut messages = around.filter(|scope| scope.heading.names_parts);
        let innermost = messages.next();
        // INVARIANT: of nested messages the innermost and the outermost are enough, because a lookup
        // ends with the outermost.
        let outermost = messages.last().or(innermost);
        let messages = [innermost, outermost].map(|scope| scope.map(|scope| scope.id));
        let member = self.scopes[index].member().unwrap_or_default();
        let part = member.rsplit('/').next().unwrap_or_default().to_owned();
        let mut fits = true;
        if let Some(id) = id {
            let scope_ids = [related, messages[0], messages[1]];
            let labels = &mut self.writer.labels;
            fits &= labels.add(LabelKind::ContentId, id, &scope_ids, &part);
        }
        if let (Some(location), Some(_), Some(parent)) = (location, related, parent) {
            self.prepare(parent);
            // RFC 2557 section 8.2: a relative label resolves against the enclosing base. The
            // part's Content-Base applies only if that is a default.
            let by = if self.scopes[parent].is_default() && self.scopes[index].has_content_base() {
                self.prepare(index);
                &self.scopes[index].fallback
            } else {
                self.scopes[parent].chosen()
            };
            let mut uri = Vec::new();
            if by.resolver.resolve_into(location, &mut uri).is_ok() {
                // Targets in markup are normalised by the WHATWG rules, so this label must be, too.
                let markup = uri::Resolver::new(&uri, self.ruling.markup).ok();
                let mut normal = Vec::new();
                let same = markup.and_then(|by| by.resolve_into(&uri, &mut normal).ok());
                let normal = same.map(|_| normal).filter(|normal| *normal != uri);
                let labels = &mut self.writer.labels;
                for uri in iter::once(uri).chain(normal) {
                    fits &= labels.add(LabelKind::Location, &uri, &[related], &part);
                }
            }
        }
        if !fits {
            self.diagnose(&diagnostic::MIME_LABEL_LIMIT, 0);
        }
    }

    fn settle(&mut self, texts: BatchTexts<'_>, sink: &mut dyn Sink) {
        let scope = self.innermost();
        if !scope.settled && !scope.awaits_parts {
            scope.settled = true;
            self.unsettled -= 1;
        }
        if self.unsettled == 0 {
            self.release(texts, sink);
        }
    }

    fn settle_all(&mut self) {
        step(self.live);
        for scope in &mut self.scopes[..self.live] {
            scope.settled = true;
            scope.awaits_parts = false;
        }
        self.unsettled = 0;
    }

    fn enter(&mut self, enter: &crate::document::events::Enter, texts: BatchTexts<'_>) {
        let index = self.open_scope(enter.family);
        let scope = &mut self.scopes[index];
        if let Some(member) = enter.member {
            let (member, is_cut) = cut_name(texts.bytes(member));
            scope.member.push_str(&lossy(member));
            scope.has_member = !member.is_empty();
            if is_cut {
                self.diagnose(&diagnostic::RECORD_NAME_TOO_LONG, 0);
            }
        }
        if let Some(base) = &enter.base
            && self.embedded == EmbeddedBases::Honour
        {
            let reference = texts.bytes(base.reference);
            if reference.len() > self.writer.longest_base {
                return self.diagnose(&diagnostic::BASE_TOO_LONG, 0);
            }
            let part = |part| lossy(texts.bytes(part)).into();
            use EntityBaseField::{ContentBase, ContentLocation, SnapshotContentLocation};
            let source = match base.source {
                ContentBase(text) => BaseSource::EntityContentBase { part: part(text) },
                ContentLocation(text) => BaseSource::EntityContentLocation { part: part(text) },
                SnapshotContentLocation => BaseSource::RetrievalSnapshotContentLocation,
            };
            self.innermost().entity.set(reference, source);
        }
    }

    fn leave(&mut self, texts: BatchTexts<'_>, sink: &mut dyn Sink) {
        self.innermost().awaits_parts = false;
        self.settle(texts, sink);
        let Some(scope) = self.open.pop() else { return };
        if self.unsettled == 0 {
            // Nothing is pending: the scope and the scopes in it are no longer used.
            self.report_scopes(scope..self.live, sink);
            self.live = scope.max(1);
            let named = |&index: &usize| self.scopes[index].heading.names_parts;
            if !self.writer.labels.is_empty() && !self.open.iter().any(named) {
                self.writer.labels.clear();
            }
        } else if scope > 0 && scope + 1 == self.live && self.is_empty(scope) {
            // No reference of the scope or of scopes in it is pending.
            self.live = scope;
        }
    }

    /// Returns whether the last scope in use has no pending references and no diagnostics.
    fn is_empty(&self, scope: usize) -> bool {
        let scope = &self.scopes[scope];
        scope.mark == self.pending.len() + self.waiting.len() && scope.diagnostics.is_empty()
    }

    fn restart(&mut self) {
        let index = self.open.last().copied().unwrap_or(0);
        // Waiting references follow pending ones.
        let mark = self.scopes[index].mark;
        let waiting = mark.saturating_sub(self.pending.len());
        self.waiting.truncate(waiting);
        self.pending.truncate(mark);
        if self.scopes[index].settled {
            self.unsettled += 1;
        }
        self.live = index + 1;
        self.scopes[index].restart();
    }

    /// Drops the alternatives to the open document, which can be read.
    fn drop_alternatives(&mut self) {
        let inner = self.open.iter().skip(1).chain([&self.live]);
        for (&outer, &next) in self.open.iter().zip(inner) {
            if let Some(from) = &mut self.scopes[outer].kept_from {
                // Each closed scope is visited once.
                let from = std::mem::replace(from, next).max(outer + 1);
                for scope in &mut self.scopes[from..next] {
                    scope.is_dropped = true;
                }
            }
        }
    }

    /// Emits all pending and waiting references, in document order.
    fn release(&mut self, texts: BatchTexts<'_>, sink: &mut dyn Sink) {
        step(self.pending.len() + self.waiting.len());
        if self.pending.len() > 0 {
            let mut pending = std::mem::take(&mut self.pending);
            for (scope, event) in &pending.list {
                // Every text was copied, so none lies in a window.
                self.emit(*scope, event, BatchTexts::stored(&pending.texts), sink);
            }
            pending.clear();
            self.pending = pending;
        }
        if !self.waiting.is_empty() {
            let mut waiting = std::mem::take(&mut self.waiting);
            for (scope, index) in waiting.drain(..) {
                self.emit(scope, &texts.events.list[index], texts, sink);
            }
            self.waiting = waiting;
        }
        self.drop_closed(sink);
    }

    /// Prepares the resolvers of a scope, its parents' first.
    #[inline]
    fn prepare(&mut self, scope: usize) {
        step(1);
        if !self.scopes[scope].ready {
            self.make_ready(scope);
        }
    }

    #[cold]
    fn make_ready(&mut self, scope: usize) {
        let parent = self.scopes[scope].parent;
        if let Some(parent) = parent {
            self.prepare(parent);
        }
        let (before, rest) = self.scopes.split_at_mut(scope);
        let known = std::mem::take(&mut rest[0].diagnostics);
        rest[0].prepare(parent.map(|parent| &before[parent]));
        for (code, _, offset) in std::mem::replace(&mut rest[0].diagnostics, known) {
            self.diagnose_in(scope, code, offset);
        }
    }

    /// Reports the diagnostics of closed scopes and moves the open ones to the front, so each is visited once.
    fn drop_closed(&mut self, sink: &mut dyn Sink) {
        if self.live == self.open.len() {
            return;
        }
        let mut opened = 0;
        step(self.live);
        for index in 0..self.live {
            if self.open.get(opened) == Some(&index) {
                opened += 1;
            } else {
                self.report_scopes(index..index + 1, sink);
            }
        }
        for to in 0..self.open.len() {
            let from = std::mem::replace(&mut self.open[to], to);
            self.scopes.swap(to, from);
            // The parent of an open scope is the open scope before it.
            self.scopes[to].parent = to.checked_sub(1);
            self.scopes[to].mark = 0;
            // Only open scopes are left.
            self.scopes[to].kept_from = self.scopes[to].kept_from.map(|_| 0);
        }
        self.live = self.open.len().max(1);
    }

    fn report_scopes(&mut self, range: Range<usize>, sink: &mut dyn Sink) {
        if self.is_stopped() {
            return;
        }
        step(range.len());
        for index in range {
            let scope = &mut self.scopes[index];
            let diagnostics = &mut scope.diagnostics;
            diagnostics.sort_by_key(|&(code, _, offset)| (offset, code.name));
            for &(code, count, offset) in &scope.diagnostics {
                let diagnostic = Diagnostic::new(scope.member(), code, offset);
                sink.event(&Found::Diagnostic(Diagnostic {
                    count,
                    ..diagnostic
                }));
            }
            scope.diagnostics.clear();
            if scope.heading.message && self.lists_messages {
                // Without the number of the part.
                let member = scope.member().and_then(|name| name.split('/').next());
                let mut part = scope.message();
                let length = |end: u64| end.checked_sub(part.message_offset?);
                part.member_length = scope.heading.message_end.and_then(length);
                sink.event(&Found::Member(FoundMember {
                    member,
                    ..FoundMember::new(&part)
                }));
            }
        }
    }
}

/// Copies of references and files, each with the index of its document's scope.
#[derive(Debug, Default)]
struct PendingReferences {
    list: Vec<(usize, Event)>,
    /// Holds the texts of the events, and no events.
    texts: Batch,
}

impl PendingReferences {
    fn clear(&mut self) {
        self.list.clear();
        self.texts.clear();
    }

    fn len(&self) -> usize {
        self.list.len()
    }

    fn size(&self) -> usize {
        self.texts.size() + self.list.len() * size_of::<(usize, Event)>()
    }

    /// Drops all but the first `len` references, and their texts.
    fn truncate(&mut self, len: usize) {
        if let Some((_, first)) = self.list.get(len) {
            self.texts.drop_texts_from(first);
        }
        self.list.truncate(len);
    }

    fn push(&mut self, scope: usize, event: &Event, texts: BatchTexts<'_>) {
        let copy = self.texts.adopt(event, texts.events, texts.window);
        self.list.push((scope, copy));
    }
}
