//! Layer 4: events to links. A stack of base URIs (RFC 2396 section 5.1), and the references that
//! wait until their base is known.

mod base_scope;
mod labels;
mod link;
mod pending;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

pub use base_scope::Ruling;
pub use link::{Diagnostic, Envelope, Link, LinkMember, Sink};

use crate::bytes::steps::step;
use crate::document::diagnostic::{self, Code};
use crate::document::events::{
    self, Batch, EntityBaseField, EntityHeading, Event, FoundReference, RestartHints, RuleFamily,
};
use crate::uri::unwrap::Unwrapper;
use crate::uri::{self, Base, BaseSource};
use base_scope::BaseScope;
use labels::PartLabels;
use link::LinkWriter;
use pending::PendingReferences;

/// References that wait for their base take up to this many bytes; past it they resolve against
/// the base known so far, and a diagnostic says so.
const HELD_LIMIT: usize = 16 << 20;

/// Whether the bases that documents bring are honoured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EmbeddedBases {
    /// They are (RFC 2396 sections 5.1.1 and 5.1.2).
    #[default]
    Honour,
    /// They are not: only where a document was found counts.
    Ignore,
}

/// Turns the events of one document after the other into links.
///
/// References go out as soon as their document is settled, in document order. Until then they are
/// held: inside a batch by their index, from one batch to the next by a copy.
#[derive(Debug)]
pub struct Linker {
    ruling: Ruling,
    embedded: EmbeddedBases,
    /// The longest base of a document's contents that is honoured, in bytes.
    longest_base: usize,
    /// The document, and the documents in it that are open or have references held; a slot is
    /// used again for later documents. `frames[..live]` are in use.
    ///
    /// INVARIANT: `open` ascends, and closed frames are in use only while something is unsettled.
    frames: Vec<BaseScope>,
    live: usize,
    /// The identity of the document that began last: slots are moved, identities are not.
    next: u64,
    /// The open documents, outermost first.
    open: Vec<usize>,
    /// Open or held documents that are not settled yet.
    unsettled: usize,
    held: PendingReferences,
    /// References of the batch at hand that wait: their frame and their index in the batch.
    waiting: Vec<(usize, usize)>,
    labels: PartLabels,
    writer: LinkWriter,
    /// How the document asked to be read again.
    again: Option<RestartHints>,
}

impl Linker {
    /// A linker that follows `ruling`.
    pub fn new(ruling: Ruling, embedded: EmbeddedBases) -> Self {
        Linker {
            ruling,
            embedded,
            longest_base: usize::MAX,
            frames: Vec::new(),
            live: 0,
            next: 0,
            open: Vec::new(),
            unsettled: 0,
            held: PendingReferences::default(),
            waiting: Vec::new(),
            labels: PartLabels::default(),
            writer: LinkWriter::default(),
            again: None,
        }
    }

    /// Refuses longer bases of documents' contents.
    pub fn set_longest_base(&mut self, bytes: usize) {
        self.longest_base = bytes;
        self.writer.longest_base = bytes;
    }

    /// Looks into targets that a mail gateway has rewritten.
    pub fn set_unwrapper(&mut self, unwrapper: Option<Unwrapper>) {
        self.writer.unwrapper = unwrapper;
    }

    /// Starts a document whose base, without one of its own, is `base`.
    pub fn begin(&mut self, family: RuleFamily, base: Option<&Base>) {
        self.live = 0;
        self.open.clear();
        self.held.clear();
        self.waiting.clear();
        self.unsettled = 0;
        self.again = None;
        self.labels.clear();
        let frame = self.open_frame(family);
        if let Some(base) = base {
            let fallback = &mut self.frames[frame].fallback;
            fallback.set(&base.uri, base.source.clone());
        }
    }

    /// Takes a batch of events with the window it came from, and hands on the links that are ready;
    /// [`Linker::limit`] included.
    #[cfg(any(test, feature = "internals"))]
    pub fn batch(&mut self, events: &Batch, window: &[u8], sink: &mut impl Sink) -> Handed {
        self.take(events, window, sink);
        self.limit(sink)
    }

    /// Takes a batch of events with the window it came from, and hands on the links that are ready.
    pub fn take(&mut self, events: &Batch, window: &[u8], sink: &mut impl Sink) {
        step(events.list.len());
        for (index, event) in events.list.iter().enumerate() {
            match *event {
                Event::Reference(ref found) => self.reference(index, found, events, window, sink),
                Event::Base(text, offset) => {
                    self.base(events.bytes(text, window), offset);
                }
                Event::Settled => self.settle(events, window, sink),
                Event::Encoding(encoding) => self.top().encoding = encoding,
                Event::Diagnostic(code, offset) => self.diagnose(code, offset),
                Event::Enter(ref enter) => self.enter(enter, events, window),
                Event::Heading(ref heading) => self.heading(heading, events, window),
                Event::Envelope(ref envelope) => self.envelope(envelope, events, window),
                Event::Leave => self.leave(events, window, sink),
                Event::Anchor(text, offset) => sink.anchor(events.bytes(text, window), offset),
                Event::Exact(rule) => sink.exact(rule),
                Event::Restart(again) => {
                    if self.open.len() == 1 {
                        self.again = Some(again);
                    }
                    self.restart();
                    sink.restart();
                }
            }
        }
        // What still waits outlives the window.
        for (frame, index) in self.waiting.drain(..) {
            if let Event::Reference(found) = &events.list[index] {
                self.held.push(frame, found, events, window);
            }
        }
    }

    /// Hands on what is held, settled or not, where it is too much.
    ///
    /// Says whether it did: no later event may retract those references, so the document must not be
    /// read again.
    pub fn limit(&mut self, sink: &mut impl Sink) -> Handed {
        let closed = self.live.saturating_sub(self.open.len());
        if self.held.size() + closed * size_of::<BaseScope>() <= HELD_LIMIT {
            return Handed::Settled;
        }
        self.diagnose(&diagnostic::HELD_LIMIT, 0);
        self.settle_all();
        self.release(&Batch::default(), &[], sink);
        Handed::Early
    }

    /// How the document, and not one that it encloses, asked to be read again since the last call.
    pub fn take_again(&mut self) -> Option<RestartHints> {
        self.again.take()
    }

    /// Ends the document: everything is settled, and its diagnostics follow its links.
    pub fn end(&mut self, sink: &mut impl Sink) {
        self.settle_all();
        let nothing = Batch::default();
        self.release(&nothing, &[], sink);
        self.open.clear();
        self.report(0, sink);
        self.live = 0;
    }

    fn top(&mut self) -> &mut BaseScope {
        let top = self.open.last().copied().unwrap_or(0);
        &mut self.frames[top]
    }

    fn open_frame(&mut self, family: RuleFamily) -> usize {
        let index = self.live;
        if index == self.frames.len() {
            self.frames.push(BaseScope::new(self.ruling));
        }
        self.live += 1;
        let parent = self.open.last().copied();
        let mark = self.held.len() + self.waiting.len();
        self.next += 1;
        self.frames[index].begin(self.next, family, parent, mark);
        self.open.push(index);
        self.unsettled += 1;
        index
    }

    fn reference(
        &mut self,
        index: usize,
        found: &FoundReference,
        events: &Batch,
        window: &[u8],
        sink: &mut impl Sink,
    ) {
        let frame = self.open.last().copied().unwrap_or(0);
        let text = events.bytes(found.text, window);
        if labels::names_part(text) {
            self.await_part(text);
        }
        if self.unsettled > 0 {
            self.waiting.push((frame, index));
            return;
        }
        self.prepare(frame);
        let alternatives = events.alternatives(found);
        let bytes = |text| events.bytes(text, window);
        self.writer.emit(
            (&self.frames, frame),
            &mut self.labels,
            found,
            alternatives,
            bytes,
            sink,
        );
    }

    /// Holds the references of a message from here on where one names a part by a label that has
    /// not come: the part may follow (RFC 2392 section 2).
    fn await_part(&mut self, target: &[u8]) {
        let is_message = |index: usize| self.frames[index].heading.names_parts;
        let Some(outermost) = self.open.iter().position(|&index| is_message(index)) else {
            return;
        };
        // A message around this one may have a part of the same name, which counts last.
        let innermost = self.open.iter().rposition(|&index| is_message(index));
        let inner = &self.open[innermost.unwrap_or(outermost)..];
        let scopes: Vec<u64> = inner.iter().map(|&index| self.frames[index].id).collect();
        if self.labels.part(target, &scopes).is_some() {
            return;
        }
        let message = &mut self.frames[self.open[outermost]];
        message.awaits_parts = true;
        if std::mem::replace(&mut message.settled, false) {
            self.unsettled += 1;
        }
    }

    fn base(&mut self, reference: &[u8], offset: u64) {
        if self.embedded == EmbeddedBases::Ignore {
            return;
        }
        if reference.len() > self.longest_base {
            return self.diagnose(&diagnostic::BASE_REFUSED, offset);
        }
        let frame = self.top();
        frame.own.clear();
        frame.own.extend_from_slice(reference);
        frame.own_offset = Some(offset);
    }

    fn diagnose(&mut self, code: &'static Code, offset: u64) {
        // What a message encloses has its say with the message: once for each code.
        let mut frame = self.open.last().copied().unwrap_or(0);
        let top = frame;
        while !self.frames[frame].heading.message {
            step(1);
            match self.frames[frame].parent {
                Some(parent) => frame = parent,
                None => {
                    frame = top;
                    break;
                }
            }
        }
        self.frames[frame].diagnose(code, offset);
    }

    /// What the heading of the innermost document says.
    fn heading(&mut self, heading: &EntityHeading, events: &Batch, window: &[u8]) {
        let index = self.open.last().copied().unwrap_or(0);
        let owned = |text| lossy(events.bytes(text, window)).into_owned();
        let known = &mut self.frames[index].heading;
        if let Some(message) = heading.message {
            known.message = true;
            known.message_id = message.id.map(|id| owned(id).into());
            known.message_offset = Some(message.offset);
        }
        let push = |text, into: &mut String| {
            into.push_str(&lossy(events.bytes(text, window)));
        };
        if let Some(text) = heading.media_type {
            push(text, &mut known.media_type);
        }
        if let Some(text) = heading.charset {
            push(text, &mut known.charset);
        }
        known.related = heading.labels == events::LabelScope::Related;
        known.names_parts = heading.names_parts;
        let id = heading.content_id.map(|id| events.bytes(id, window));
        let location = heading.location.map(|uri| events.bytes(uri, window));
        if id.is_some() || location.is_some() {
            self.label(index, id, location);
        }
    }

    /// The envelope of the innermost document, which is a message.
    fn envelope(&mut self, envelope: &events::EnvelopeRanges, events: &Batch, window: &[u8]) {
        let owned = |text| events.bytes(text, window).to_vec();
        let fields = envelope.fields.map(|field| field.map(owned));
        let text = base_scope::EnvelopeText::new(fields, envelope.decode);
        self.top().heading.envelope = Some(Arc::new(text));
    }

    /// Notes the names of a part: its location counts in the innermost `multipart/related` around
    /// it, its identifier in the messages around it too.
    fn label(&mut self, index: usize, id: Option<&[u8]>, location: Option<&[u8]>) {
        let parent = self.frames[index].parent;
        let around = std::iter::successors(parent, |&index| self.frames[index].parent);
        let around = around.map(|index| &self.frames[index]);
        let related = around.clone().find(|frame| frame.heading.related);
        let related = related.map(|frame| frame.id);
        let mut messages = around.filter(|frame| frame.heading.names_parts);
        let innermost = messages.next();
        // INVARIANT: of messages inside each other, the innermost and the outermost are enough, for
        // every message looks in the outermost last.
        let outermost = messages.last().or(innermost);
        let messages = [innermost, outermost].map(|frame| frame.map(|frame| frame.id));
        let member = self.frames[index].member().unwrap_or_default();
        let part = member.rsplit('/').next().unwrap_or_default().to_owned();
        let mut room = true;
        if let Some(id) = id {
            let scopes = [related, messages[0], messages[1]];
            room &= self
                .labels
                .add(labels::LabelKind::ContentId, id, &scopes, &part);
        }
        if let (Some(location), Some(_), Some(parent)) = (location, related, parent) {
            let scopes = [related];
            self.prepare(parent);
            // RFC 2557 section 8.2: a relative label resolves against the enclosing base.
            let by = if self.frames[parent].is_default() && self.frames[index].has_content_base() {
                self.prepare(index);
                &self.frames[index].by_fallback
            } else {
                &self.frames[parent].by_document
            };
            let mut uri = Vec::new();
            if by.resolve_into(location, &mut uri).is_ok() {
                room &= self
                    .labels
                    .add(labels::LabelKind::Location, &uri, &scopes, &part);
                // References in markup resolve to what a browser makes of the same URI.
                let markup = uri::Resolver::new(&uri, self.ruling.markup).ok();
                let mut normal = Vec::new();
                let same = markup.and_then(|by| by.resolve_into(&uri, &mut normal).ok());
                if same.is_some() && normal != uri {
                    room &= self
                        .labels
                        .add(labels::LabelKind::Location, &normal, &scopes, &part);
                }
            }
        }
        if !room {
            self.diagnose(&diagnostic::LABEL_LIMIT, 0);
        }
    }

    fn settle(&mut self, events: &Batch, window: &[u8], sink: &mut impl Sink) {
        let frame = self.top();
        if !frame.settled && !frame.awaits_parts {
            frame.settled = true;
            self.unsettled -= 1;
        }
        if self.unsettled == 0 {
            self.release(events, window, sink);
        }
    }

    fn settle_all(&mut self) {
        step(self.live);
        for frame in &mut self.frames[..self.live] {
            frame.settled = true;
            frame.awaits_parts = false;
        }
        self.unsettled = 0;
    }

    fn enter(&mut self, enter: &crate::document::events::Enter, events: &Batch, window: &[u8]) {
        let index = self.open_frame(enter.family);
        let frame = &mut self.frames[index];
        if let Some(member) = enter.member {
            let member = lossy(events.bytes(member, window));
            frame.set_member(&member);
        }
        if let Some(base) = &enter.base
            && self.embedded == EmbeddedBases::Honour
            && events.bytes(base.reference, window).len() <= self.longest_base
        {
            let part = |part| lossy(events.bytes(part, window)).into();
            let source = match base.source {
                EntityBaseField::ContentBase(text) => {
                    BaseSource::EntityContentBase { part: part(text) }
                }
                EntityBaseField::ContentLocation(text) => {
                    BaseSource::EntityContentLocation { part: part(text) }
                }
                EntityBaseField::SnapshotContentLocation => {
                    BaseSource::RetrievalSnapshotContentLocation
                }
            };
            let reference = events.bytes(base.reference, window);
            frame.entity.set(reference, source);
        }
    }

    fn leave(&mut self, events: &Batch, window: &[u8], sink: &mut impl Sink) {
        self.top().awaits_parts = false;
        self.settle(events, window, sink);
        let Some(frame) = self.open.pop() else { return };
        if self.unsettled == 0 {
            // Nothing is held: the frame and what it enclosed are done with.
            self.report(frame, sink);
            self.live = frame.max(1);
            let named = |&index: &usize| self.frames[index].heading.names_parts;
            if !self.labels.is_empty() && !self.open.iter().any(named) {
                self.labels.clear();
            }
        } else if frame > 0 && frame + 1 == self.live && self.is_empty(frame) {
            // No reference waits for it or for what it enclosed: the slot is free.
            self.live = frame;
        }
    }

    /// Whether nothing is to be told of the last frame in use any more.
    fn is_empty(&self, frame: usize) -> bool {
        let frame = &self.frames[frame];
        frame.mark == self.held.len() + self.waiting.len() && frame.diagnostics.is_empty()
    }

    fn restart(&mut self) {
        let top = self.open.last().copied().unwrap_or(0);
        // Those that wait are held by the next batch, behind those that are.
        let mark = self.frames[top].mark;
        self.waiting.truncate(mark.saturating_sub(self.held.len()));
        self.held.truncate(mark);
        if self.frames[top].settled {
            self.unsettled += 1;
        }
        self.live = top + 1;
        self.frames[top].again();
    }

    /// Hands on everything that waited, in document order.
    fn release(&mut self, events: &Batch, window: &[u8], sink: &mut impl Sink) {
        step(self.held.len() + self.waiting.len());
        for index in 0..self.held.len() {
            let frame = self.held.scope(index);
            self.prepare(frame);
            let (found, alternatives) = self.held.found(index);
            let bytes = |text| self.held.bytes(text);
            self.writer.emit(
                (&self.frames, frame),
                &mut self.labels,
                found,
                alternatives,
                bytes,
                sink,
            );
        }
        self.held.clear();
        let waiting = std::mem::take(&mut self.waiting);
        for &(frame, index) in &waiting {
            if let Event::Reference(found) = &events.list[index] {
                self.prepare(frame);
                let alternatives = events.alternatives(found);
                let bytes = |text| events.bytes(text, window);
                self.writer.emit(
                    (&self.frames, frame),
                    &mut self.labels,
                    found,
                    alternatives,
                    bytes,
                    sink,
                );
            }
        }
        self.waiting = waiting;
        self.waiting.clear();
        self.drop_closed(sink);
    }

    /// Makes the bases of a frame known, its parents' first.
    #[inline]
    fn prepare(&mut self, frame: usize) {
        step(1);
        if !self.frames[frame].ready {
            self.make_ready(frame);
        }
    }

    #[cold]
    fn make_ready(&mut self, frame: usize) {
        let parent = self.frames[frame].parent;
        if let Some(parent) = parent {
            self.prepare(parent);
            let (before, rest) = self.frames.split_at_mut(frame);
            rest[0].prepare(Some(&before[parent]));
        } else {
            self.frames[frame].prepare(None);
        }
    }

    /// Tells the diagnostics of the frames that are closed and moves the open ones to the front, so
    /// that a closed frame is walked over once.
    fn drop_closed(&mut self, sink: &mut impl Sink) {
        if self.live == self.open.len() {
            return;
        }
        let mut place = 0;
        step(self.live);
        for index in 0..self.live {
            if self.open.get(place) == Some(&index) {
                place += 1;
            } else {
                self.report_frames(index..index + 1, sink);
            }
        }
        for place in 0..self.open.len() {
            let index = std::mem::replace(&mut self.open[place], place);
            self.frames.swap(place, index);
            // An open frame's parent is the open one before it.
            self.frames[place].parent = place.checked_sub(1);
            self.frames[place].mark = 0;
        }
        self.live = self.open.len().max(1);
    }

    fn report(&mut self, from: usize, sink: &mut impl Sink) {
        self.report_frames(from..self.live, sink);
    }

    fn report_frames(&mut self, range: Range<usize>, sink: &mut impl Sink) {
        step(range.len());
        for index in range {
            let frame = &mut self.frames[index];
            frame
                .diagnostics
                .sort_by_key(|&(code, _, offset)| (offset, code.name));
            for &(code, count, offset) in &frame.diagnostics {
                sink.diagnostic(&Diagnostic {
                    member: frame.member(),
                    code,
                    count,
                    offset,
                });
            }
            frame.diagnostics.clear();
        }
    }
}

/// Whether references were handed on before their document was settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handed {
    /// None was.
    Settled,
    /// More were held than there is room for: what is out cannot be retracted.
    Early,
}

/// Bytes as text: most are, and need no second look.
fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}
