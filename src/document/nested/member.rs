//! A document inside a container, as the container describes it, and the changes to its text.

use encoding_rs::UTF_8;

use crate::bytes::window::{Window, Windows};
use crate::decode::charset::Detected;
use crate::decode::transfer::TransferEncoding;
use crate::document::events::{Enter, Event, Events, RuleFamily, TextRange};
use crate::document::flags::Flags;
use crate::document::options::TextSource;
use crate::document::{AnchorReporting, Format};

pub(crate) const PIECE: usize = 256 << 10;
/// The longest nested document that is kept to be read a second time, in bytes.
pub(crate) const KEPT: usize = 8 << 20;

pub(super) const DECODED: Detected = Detected::unmarked(Some(UTF_8), true);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum NestedScope {
    Enclosing,
    /// To the nested document, which is entered with the first of them.
    #[default]
    Own,
}

#[derive(Default)]
pub(crate) struct Member {
    /// The place in the container, such as `17/1.2`.
    pub(crate) name: String,
    pub(crate) media_type: String,
    /// The label of the declared charset; may be empty.
    pub(crate) charset: Vec<u8>,
    /// The file name and the disposition, if they are asked for.
    pub(crate) file: Option<Box<[Vec<u8>; 2]>>,
    pub(crate) transfer: TransferEncoding,
    /// The offset in the outermost document of the bytes, if they are stored there unencoded.
    pub(crate) stored_at: Option<u64>,
    pub(crate) format: &'static Format,
    pub(crate) source: TextSource,
    pub(crate) scope: NestedScope,
    pub(crate) flags: Flags,
    /// Whether anchors belong to the container.
    pub(crate) anchors: AnchorReporting,
    /// The offset of all diagnostics; without one they keep their own.
    pub(crate) diagnostic_offset: Option<u64>,
}

impl Member {
    /// Keeps the memory of the texts.
    pub(crate) fn clear(&mut self) {
        let mut old = std::mem::take(self);
        old.name.clear();
        old.media_type.clear();
        old.charset.clear();
        (self.name, self.media_type, self.charset) = (old.name, old.media_type, old.charset);
    }
}

/// Without a base, the document inherits its host's.
pub(crate) fn enter(member: Option<TextRange>, family: RuleFamily, events: &mut Events) {
    let base = None;
    events.push(Event::Enter(Enter {
        member,
        family,
        base,
    }));
}

/// The changes of a container to plain text, and its flags. The default methods change nothing.
pub(crate) trait TextFilter {
    /// Overwrites everything but text in the pending bytes; returns the offset of the end.
    fn blank(&mut self, text: &mut Windows, _last: bool) -> u64 {
        let window = text.window();
        window.offset_at(window.bytes.len())
    }

    fn read(&mut self, _text: &Window<'_>) {}

    fn flags(&self, _offset: u64) -> Flags {
        Flags::NONE
    }
}

impl TextFilter for () {}
