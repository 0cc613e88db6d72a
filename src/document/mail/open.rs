//! What follows from a heading: the bases and labels that it brings, and how its body is read.

use super::attachment::Attachment;
use super::classify::PartClass;
use super::header::Entity;
use super::nested::{NestedContent, NestedPart};
use super::part::{PartContent, PartDescription};
use super::part_scanners::PartScanners;
use super::splice::PartScope;
use super::tree::{EntityKind, MimeTree, OpenEntity};
use super::{Alternatives, Attachments, MimeBase};
use crate::decode::transfer::TransferEncoding;
use crate::document::diagnostic;
use crate::document::events::{
    Enter, EntityBase, EntityHeading, Event, Events, LabelScope, MessageHeading, RuleFamily,
};
use crate::document::flags::Flags;
use crate::document::text;
use crate::uri::Reference;

/// References of a preamble that are held; past it they count as a preamble's.
const HELD: usize = 4 << 20;

/// The longest label of a charset: names have up to 40 bytes (RFC 2978 section 2.3), and every record
/// of a part repeats it.
const CHARSET: usize = 255;

impl MimeTree {
    /// The header block is complete: enters the entity and gets ready for its body.
    pub(super) fn open(&mut self, readers: &mut PartScanners, out: &mut Events) {
        let entity = std::mem::take(&mut self.block.entity);
        let parent = self.levels.last_mut();
        let (shape, count) =
            parent.map_or((EntityKind::Message, 0), |level| (level.shape, level.count));
        // The header of a message, and not of one of its parts.
        let message = shape == EntityKind::Message;
        self.set_number(message);
        self.content_length = entity.length;
        let media_type = media_type(&entity, shape);
        let mut class = PartClass::of(&media_type, &entity);
        if matches!(class, PartClass::Multipart | PartClass::Message)
            && self.path.len() >= readers.options.max_depth
        {
            self.diagnose_here(&diagnostic::MIME_DEPTH_LIMIT, out);
            class = PartClass::Text;
        }
        let signature = shape == EntityKind::Signed && count > 1 || shape == EntityKind::Encrypted;
        if signature {
            class = PartClass::Binary;
        }
        if shape == EntityKind::LastOf && count > 1 && class.is_read() {
            out.push(Event::Restart(
                crate::document::events::RestartHints::default(),
            ));
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
        if class == PartClass::Multipart {
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
            class = PartClass::Text;
        }
        if message {
            self.path.push(1);
        }
        if class == PartClass::Message && transfer == TransferEncoding::Identity {
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

    fn transfer(
        &mut self,
        entity: &Entity,
        class: PartClass,
        out: &mut Events,
    ) -> TransferEncoding {
        let Some(name) = &entity.transfer else {
            return TransferEncoding::Identity;
        };
        let transfer = TransferEncoding::named(name);
        if transfer.is_none() {
            self.diagnose_here(&diagnostic::TRANSFER_UNKNOWN, out);
        }
        let transfer = transfer.unwrap_or_default();
        if class == PartClass::Multipart {
            if transfer != TransferEncoding::Identity {
                self.diagnose_here(&diagnostic::TRANSFER_ON_MULTIPART, out);
            }
            return TransferEncoding::Identity;
        }
        transfer
    }

    /// Enters the entity, if there is anything to say of it before its body; returns how many
    /// documents that are.
    fn enter_heading(
        &mut self,
        entity: &Entity,
        message: bool,
        class: PartClass,
        media_type: &str,
        readers: &mut PartScanners,
        out: &mut Events,
    ) -> usize {
        let root = message && self.levels.len() == 1 && self.path.is_empty();
        let tells = entity.location.is_some()
            || entity.base.is_some()
            || entity.content_id.is_some()
            || !self.block.events.list.is_empty();
        if !message && class != PartClass::Multipart && !tells {
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
        let related = class == PartClass::Multipart && media_type == "multipart/related";
        let mut store = |bytes: &Option<Vec<u8>>| bytes.as_ref().map(|bytes| out.store(bytes));
        let heading = EntityHeading {
            location: store(&entity.location),
            content_id: store(&entity.content_id),
            message: root.then(|| MessageHeading {
                id: store(&entity.message_id),
                offset: self.offset,
            }),
            media_type: Some(out.store(media_type.as_bytes())),
            charset: None,
            labels: if related {
                LabelScope::Related
            } else {
                LabelScope::Apart
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
            family: RuleFamily::Plain,
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
        readers: &mut PartScanners,
        out: &mut Events,
    ) {
        let last = readers.options.alternatives == Alternatives::Last;
        let shape = match media_type {
            "multipart/digest" => EntityKind::Digest,
            "multipart/signed" => EntityKind::Signed,
            "multipart/encrypted" => {
                self.diagnose_here(&diagnostic::OPAQUE, out);
                EntityKind::Encrypted
            }
            "multipart/alternative" if last => {
                // Whatever came before the last alternative is taken back.
                out.push(Event::Enter(Enter {
                    member: None,
                    family: RuleFamily::Plain,
                    base: None,
                }));
                *frames += 1;
                EntityKind::LastOf
            }
            _ => EntityKind::Mixed,
        };
        self.levels.push(OpenEntity {
            boundary,
            depth: self.path.len(),
            zero,
            shape,
            frames: *frames,
            ..OpenEntity::default()
        });
        self.begin_between(Flags::NONE);
        self.held.clear();
        self.holding = true;
    }

    /// Text between the parts of a multipart entity: it belongs to the entity itself.
    fn begin_between(&mut self, flags: Flags) {
        self.part_frames = 0;
        self.leaf.splice.offset = self.here();
        self.leaf.begin(PartDescription {
            kind: PartContent::Text(None),
            transfer: TransferEncoding::Identity,
            charset: b"",
            frame: PartScope::Enclosing,
            flags,
            clean: self.clean.clone(),
            source: text::TextSource::Prose,
        });
    }

    pub(super) fn begin_epilogue(&mut self) {
        self.begin_between(Flags::EPILOGUE);
    }

    fn begin_leaf(
        &mut self,
        entity: &Entity,
        class: PartClass,
        transfer: TransferEncoding,
        media_type: String,
        readers: &mut PartScanners,
        out: &mut Events,
    ) {
        self.set_number(false);
        let member = [self.prefix.as_str(), &self.number].concat();
        if class == PartClass::Opaque {
            self.diagnose_here(&diagnostic::OPAQUE, out);
        }
        let content_type = entity.content_type.as_deref();
        let packed = class == PartClass::Binary && readers.options.attachments == Attachments::Open;
        let inside = if packed {
            PartClass::inside(entity)
        } else {
            class
        };
        if packed {
            // It is counted when it is known whether it can be opened.
        } else if class.is_read() {
            readers.tally.parts += 1;
        } else {
            readers.tally.skip(&media_type);
        }
        let kind = match inside {
            PartClass::Html => PartContent::Html,
            PartClass::Headers => PartContent::Nested(Box::new(NestedPart::new(
                NestedContent::Headers(Box::default()),
                &member,
            ))),
            PartClass::Message => PartContent::Nested(Box::new(NestedPart::new(
                NestedContent::Message(Box::new(MimeTree::nested(self))),
                &member,
            ))),
            PartClass::Text | PartClass::Enriched | PartClass::Folded => {
                PartContent::Text(class.reflow(content_type))
            }
            PartClass::Opaque | PartClass::Binary | PartClass::Multipart => PartContent::Skip,
        };
        let kind = match packed {
            true => PartContent::Packed(Box::new(Attachment::new(kind))),
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
        self.leaf.begin(PartDescription {
            kind,
            transfer,
            charset,
            frame: PartScope::Own,
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
                family: RuleFamily::Plain,
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
    fn member(&self, out: &mut Events) -> crate::document::events::TextRange {
        out.store_with(|store| {
            store.extend_from_slice(self.prefix.as_bytes());
            store.extend_from_slice(self.number.as_bytes());
        })
    }
}

/// The media type of an entity, which for a part of a digest is a message by default.
fn media_type(entity: &Entity, parent: EntityKind) -> String {
    match &entity.content_type {
        Some(content_type) if !content_type.value.is_empty() => content_type.value.clone(),
        _ if parent == EntityKind::Digest => "message/rfc822".to_owned(),
        _ => "text/plain".to_owned(),
    }
}

impl PartClass {
    /// Whether something of it is read.
    fn is_read(self) -> bool {
        !matches!(self, PartClass::Opaque | PartClass::Binary)
    }
}
