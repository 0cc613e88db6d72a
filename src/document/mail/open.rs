//! What follows from a heading: the bases and labels that it brings, and how its body is read.

use super::classify::Class;
use super::header::Entity;
use super::leaf::{Description, Kind};
use super::nested::{Holds, Nested};
use super::packed::Packed;
use super::readers::Readers;
use super::splice::Frame;
use super::transfer::Transfer;
use super::tree::{Level, Shape, Tree};
use super::{Alternatives, Attachments, MimeBase};
use crate::document::diagnostic;
use crate::document::events::{Enter, EntityBase, Event, Events, Family, Heading, Labels, Message};
use crate::document::flags::Flags;
use crate::document::text;
use crate::uri::Reference;

/// References of a preamble that are held; past it they count as a preamble's.
const HELD: usize = 4 << 20;

/// The longest label of a charset: names have up to 40 bytes (RFC 2978 section 2.3), and every record
/// of a part repeats it.
const CHARSET: usize = 255;

impl Tree {
    /// The header block is complete: enters the entity and gets ready for its body.
    pub(super) fn open(&mut self, readers: &mut Readers, out: &mut Events) {
        let entity = std::mem::take(&mut self.block.entity);
        let parent = self.levels.last_mut();
        let (shape, count) = parent.map_or((Shape::Message, 0), |level| (level.shape, level.count));
        // The header of a message, and not of one of its parts.
        let message = shape == Shape::Message;
        self.set_number(message);
        self.content_length = entity.length;
        let media_type = media_type(&entity, shape);
        let mut class = Class::of(&media_type, &entity);
        if matches!(class, Class::Multipart | Class::Message)
            && self.path.len() >= readers.options.max_depth
        {
            self.diagnose_here(&diagnostic::MIME_DEPTH_LIMIT, out);
            class = Class::Text;
        }
        let signature = shape == Shape::Signed && count > 1 || shape == Shape::Encrypted;
        if signature {
            class = Class::Binary;
        }
        if shape == Shape::LastOf && count > 1 && class.is_read() {
            out.push(Event::Restart(crate::document::events::Again::default()));
        }
        let frames = self.enter_heading(&entity, message, class, &media_type, readers, out);
        self.tell_header_diagnostics(out);
        let mut frames = if message {
            if let Some(level) = self.levels.last_mut() {
                level.frames += frames;
            }
            0
        } else {
            frames
        };
        let transfer = self.transfer(&entity, class, out);
        if class == Class::Multipart {
            let boundary = entity
                .content_type
                .as_ref()
                .and_then(|content_type| content_type.parameter("boundary"))
                .map(|boundary| boundary.trim_ascii_end().to_vec())
                .filter(|boundary| !boundary.is_empty());
            if let Some(boundary) = boundary {
                self.open_multipart(boundary, message, &media_type, &mut frames, readers, out);
                return;
            }
            self.diagnose_here(&diagnostic::BOUNDARY_MISSING, out);
            class = Class::Text;
        }
        if message {
            self.path.push(1);
        }
        if class == Class::Message && transfer == Transfer::Identity {
            self.begin_message();
            if let Some(level) = self.levels.last_mut() {
                level.frames = frames;
            }
            return;
        }
        self.part_frames = frames;
        self.begin_leaf(&entity, class, transfer, media_type, readers, out);
    }

    fn tell_header_diagnostics(&mut self, out: &mut Events) {
        let offset = self.offset;
        for (code, _) in std::mem::take(&mut self.block.diagnostics) {
            self.diagnose(code, offset, out);
        }
    }

    fn transfer(&mut self, entity: &Entity, class: Class, out: &mut Events) -> Transfer {
        let Some(name) = &entity.transfer else {
            return Transfer::Identity;
        };
        let transfer = Transfer::named(name);
        if transfer.is_none() {
            self.diagnose_here(&diagnostic::TRANSFER_UNKNOWN, out);
        }
        let transfer = transfer.unwrap_or_default();
        if class == Class::Multipart {
            if transfer != Transfer::Identity {
                self.diagnose_here(&diagnostic::TRANSFER_ON_MULTIPART, out);
            }
            return Transfer::Identity;
        }
        transfer
    }

    /// Enters the entity, if there is anything to say of it before its body; returns how many
    /// documents that are.
    fn enter_heading(
        &mut self,
        entity: &Entity,
        message: bool,
        class: Class,
        media_type: &str,
        readers: &mut Readers,
        out: &mut Events,
    ) -> usize {
        let root = message && self.levels.len() == 1 && self.path.is_empty();
        let tells = entity.location.is_some()
            || entity.base.is_some()
            || entity.content_id.is_some()
            || !self.block.events.list.is_empty();
        if !message && class != Class::Multipart && !tells {
            return 0;
        }
        let mut frames = 1;
        if root
            && let Some(snapshot) = &entity.snapshot
            && Reference::split(snapshot).scheme.is_some()
        {
            let base = EntityBase {
                reference: out.store(snapshot),
                source: out.store(b"retrieval:snapshot-content-location"),
            };
            self.enter_with(Some(base), out);
            out.push(Event::Settled);
            frames += 1;
        }
        let base = self.base(entity, readers.options.mime_base, out);
        self.enter_with(base, out);
        let related = class == Class::Multipart && media_type == "multipart/related";
        let mut store = |bytes: &Option<Vec<u8>>| bytes.as_ref().map(|bytes| out.store(bytes));
        let heading = Heading {
            location: store(&entity.location),
            content_id: store(&entity.content_id),
            message: root.then(|| Message {
                id: store(&entity.message_id),
                offset: self.offset,
            }),
            media_type: Some(out.store(media_type.as_bytes())),
            charset: None,
            labels: if related {
                Labels::Related
            } else {
                Labels::Apart
            },
            names_parts: message,
        };
        out.push(Event::Heading(heading));
        if root && readers.options.envelope {
            let envelope = entity.envelope.store(&self.block.kept, out);
            out.push(Event::Envelope(envelope));
        }
        self.entered = true;
        for event in &self.block.events.list {
            let copy = out.adopt(event, &self.block.events, &[]);
            out.push(copy);
        }
        self.block.events.clear();
        if !related {
            out.push(Event::Settled);
        }
        frames
    }

    fn enter_with(&self, base: Option<EntityBase>, out: &mut Events) {
        let member = Some(self.member(out));
        out.push(Event::Enter(Enter {
            member,
            family: Family::Plain,
            base,
        }));
    }

    /// The base that a heading names (RFC 2557 section 5): Content-Base, which must be absolute,
    /// before Content-Location.
    fn base(&self, entity: &Entity, mime_base: MimeBase, out: &mut Events) -> Option<EntityBase> {
        let absolute = |uri: &Vec<u8>| Reference::split(uri).scheme.is_some();
        let (reference, field) = match (&entity.base, &entity.location) {
            (Some(base), _) if absolute(base) => (base, "content-base"),
            (_, Some(location)) if mime_base == MimeBase::Chained || absolute(location) => {
                (location, "content-location")
            }
            _ => return None,
        };
        Some(EntityBase {
            reference: out.store(reference),
            source: out.store_with(|store| {
                store.extend_from_slice(b"entity:");
                store.extend_from_slice(field.as_bytes());
                store.push(b'@');
                store.extend_from_slice(self.number.as_bytes());
            }),
        })
    }

    fn open_multipart(
        &mut self,
        boundary: Vec<u8>,
        zero: bool,
        media_type: &str,
        frames: &mut usize,
        readers: &mut Readers,
        out: &mut Events,
    ) {
        let last = readers.options.alternatives == Alternatives::Last;
        let shape = match media_type {
            "multipart/digest" => Shape::Digest,
            "multipart/signed" => Shape::Signed,
            "multipart/encrypted" => {
                self.diagnose_here(&diagnostic::OPAQUE, out);
                Shape::Encrypted
            }
            "multipart/alternative" if last => {
                // Whatever came before the last alternative is taken back.
                out.push(Event::Enter(Enter {
                    member: None,
                    family: Family::Plain,
                    base: None,
                }));
                *frames += 1;
                Shape::LastOf
            }
            _ => Shape::Mixed,
        };
        self.levels.push(Level {
            boundary,
            depth: self.path.len(),
            zero,
            shape,
            frames: *frames,
            ..Level::default()
        });
        self.begin_between(Flags::NONE);
        self.held.clear();
        self.holding = true;
    }

    /// Text between the parts of a multipart entity: it belongs to the entity itself.
    fn begin_between(&mut self, flags: Flags) {
        self.part_frames = 0;
        self.leaf.splice.offset = self.here();
        self.leaf.begin(Description {
            kind: Kind::Text(None),
            transfer: Transfer::Identity,
            charset: b"",
            frame: Frame::Enclosing,
            flags,
            clean: self.clean.clone(),
            source: text::Source::Prose,
        });
    }

    pub(super) fn begin_epilogue(&mut self) {
        self.begin_between(Flags::EPILOGUE);
    }

    fn begin_leaf(
        &mut self,
        entity: &Entity,
        class: Class,
        transfer: Transfer,
        media_type: String,
        readers: &mut Readers,
        out: &mut Events,
    ) {
        self.set_number(false);
        let member = [self.prefix.as_str(), &self.number].concat();
        if class == Class::Opaque {
            self.diagnose_here(&diagnostic::OPAQUE, out);
        }
        let content_type = entity.content_type.as_deref();
        let packed = class == Class::Binary && readers.options.attachments == Attachments::Open;
        let inside = if packed { Class::inside(entity) } else { class };
        if packed {
            // It is counted when it is known whether it can be opened.
        } else if class.is_read() {
            readers.tally.parts += 1;
        } else {
            readers.tally.skip(&media_type);
        }
        let kind = match inside {
            Class::Html => Kind::Html,
            Class::Headers => Kind::Nested(Box::new(Nested::new(
                Holds::Headers(Box::default()),
                &member,
            ))),
            Class::Message => Kind::Nested(Box::new(Nested::new(
                Holds::Message(Box::new(Tree::nested(self))),
                &member,
            ))),
            Class::Text | Class::Enriched | Class::Folded => Kind::Text(class.reflow(content_type)),
            Class::Opaque | Class::Binary | Class::Multipart => Kind::Skip,
        };
        let kind = match packed {
            true => Kind::Packed(Box::new(Packed::new(kind))),
            false => kind,
        };
        let charset = content_type
            .and_then(|content_type| content_type.parameter("charset"))
            .unwrap_or_default();
        let charset = &charset[..charset.len().min(CHARSET)];
        self.leaf.splice.member = member;
        let source = super::classify::source(&media_type);
        self.leaf.splice.media_type = media_type;
        self.leaf.splice.offset = self.here();
        self.leaf.begin(Description {
            kind,
            transfer,
            charset,
            frame: Frame::Own,
            flags: Flags::NONE,
            clean: self.clean.clone(),
            source,
        });
    }

    /// Tells the references of a preamble, once it is known whether it is one.
    pub(super) fn release_held(&mut self, preamble: bool, out: &mut Events) {
        if !std::mem::take(&mut self.holding) || self.held.list.is_empty() {
            return;
        }
        let flags = if preamble {
            Flags::PREAMBLE
        } else {
            Flags::NONE
        };
        if !preamble {
            // The boundary never came: the body is a part, as text.
            let zero = self.levels.last().is_some_and(|level| level.zero);
            if zero {
                self.path.push(1);
            }
            self.set_number(false);
            let member = Some(self.member(out));
            out.push(Event::Enter(Enter {
                member,
                family: Family::Plain,
                base: None,
            }));
            out.push(Event::Settled);
        }
        for event in &self.held.list {
            let mut copy = out.adopt(event, &self.held, &[]);
            if let Event::Reference(found) = &mut copy {
                found.flags |= flags;
            }
            out.push(copy);
        }
        if !preamble {
            out.push(Event::Leave);
        }
        self.held.clear();
    }

    /// A preamble that is too long to be held is one.
    pub(super) fn limit_held(&mut self, out: &mut Events) {
        if self.holding && self.held.size() > HELD {
            self.release_held(true, out);
            self.leaf.splice.flags |= Flags::PREAMBLE;
        }
    }

    /// The place in the archive of the entity with the number at hand.
    fn member(&self, out: &mut Events) -> crate::document::events::Text {
        out.store_with(|store| {
            store.extend_from_slice(self.prefix.as_bytes());
            store.extend_from_slice(self.number.as_bytes());
        })
    }
}

/// The media type of an entity, which for a part of a digest is a message by default.
fn media_type(entity: &Entity, parent: Shape) -> String {
    match &entity.content_type {
        Some(content_type) if !content_type.value.is_empty() => content_type.value.clone(),
        _ if parent == Shape::Digest => "message/rfc822".to_owned(),
        _ => "text/plain".to_owned(),
    }
}

impl Class {
    /// Whether something of it is read.
    fn is_read(self) -> bool {
        !matches!(self, Class::Opaque | Class::Binary)
    }
}
