//! A document inside a container, as the container describes it, and what is changed in its text.

use crate::bytes::window::{Window, Windows};
use crate::decode::offset_map::OffsetMap;
use crate::decode::transfer::TransferEncoding;
use crate::document::events::{Enter, EntityBase, Event, Events, RuleFamily, TextRange};
use crate::document::flags::Flags;
use crate::document::options::TextSource;
use crate::document::{AnchorReporting, Format};

/// The number of bytes of a nested document that are scanned at a time.
pub(in crate::document) const PIECE: usize = 256 << 10;
/// The longest nested document that is kept to be read a second time, in bytes.
pub(in crate::document) const KEPT: usize = 8 << 20;

/// Whether references belong to the nested document or to the one around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::document) enum NestedScope {
    /// They belong to the document around it.
    Enclosing,
    /// They belong to the nested document, which is entered with the first of them.
    Own,
}

/// A document inside another, as its container describes it.
pub(in crate::document) struct Member {
    /// The place in the container, such as `17/1.2`.
    pub(in crate::document) name: String,
    pub(in crate::document) media_type: String,
    /// The label of the declared charset; empty if there is none.
    pub(in crate::document) charset: Vec<u8>,
    pub(in crate::document) transfer: TransferEncoding,
    /// The format of the decoded bytes.
    pub(in crate::document) format: &'static Format,
    /// The source of its text.
    pub(in crate::document) source: TextSource,
    pub(in crate::document) scope: NestedScope,
    /// Flags of every reference.
    pub(in crate::document) flags: Flags,
    /// Whether anchors are those of the container.
    pub(in crate::document) anchors: AnchorReporting,
    /// The offset that all diagnostics get; without one they keep their own.
    pub(in crate::document) diagnostic_offset: Option<u64>,
}

impl Member {
    /// Makes the member as a default one, which keeps the memory of its texts.
    pub(in crate::document) fn clear(&mut self) {
        let mut texts = [&mut self.name, &mut self.media_type].map(std::mem::take);
        texts.iter_mut().for_each(String::clear);
        let [name, media_type] = texts;
        let mut charset = std::mem::take(&mut self.charset);
        charset.clear();
        *self = Member {
            name,
            media_type,
            charset,
            ..Member::default()
        };
    }
}

impl Default for Member {
    fn default() -> Self {
        Member {
            name: String::new(),
            media_type: String::new(),
            charset: Vec::new(),
            transfer: TransferEncoding::Identity,
            format: Format::TEXT,
            source: TextSource::Prose,
            scope: NestedScope::Own,
            flags: Flags::NONE,
            anchors: AnchorReporting::Leave,
            diagnostic_offset: None,
        }
    }
}

/// Reports that a document begins; without a base it inherits that of its host.
pub(in crate::document) fn enter(
    member: Option<TextRange>,
    family: RuleFamily,
    base: Option<EntityBase>,
    events: &mut Events,
) {
    events.push(Event::Enter(Enter {
        member,
        family,
        base,
    }));
}

/// Flags of references from where they stand in plain text.
pub(in crate::document) trait TextFlags {
    /// Reads the part of a window that has not been read.
    fn read(&mut self, text: &Window<'_>);

    /// Returns the flags of a reference at an offset in the text.
    fn at(&self, offset: u64) -> Flags;
}

/// No flags.
impl TextFlags for () {
    fn read(&mut self, _text: &Window<'_>) {}

    fn at(&self, _offset: u64) -> Flags {
        Flags::NONE
    }
}

/// Text that was derived from another, and the map to that.
pub(in crate::document) type DerivedText<'a> = (Window<'a>, &'a OffsetMap);

/// The changes of a container to plain text before it is scanned.
pub(in crate::document) trait TextFilter {
    type Flags: TextFlags;

    /// Overwrites what is no text in the pending bytes; returns the offset up to which that is done.
    fn blank(&mut self, text: &mut Windows, last: bool) -> u64;

    /// Derives the text that is scanned instead, if any.
    fn derive(
        &mut self,
        text: &Window<'_>,
        last: bool,
    ) -> (Option<DerivedText<'_>>, &mut Self::Flags);

    /// Consumes the derived text before an index of its window.
    fn consume(&mut self, at: usize);
}
