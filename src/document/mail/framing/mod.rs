//! Where messages begin and end in an archive.

mod counted;
mod date;
mod mbox;
mod mmdf;
mod separator;
mod single;
mod split;

use crate::bytes::window::Window;
use crate::document::events::Events;
use crate::document::{LineQuoting, SplitContext};

use super::ArchiveState;
use super::tree::Ending;
use super::unquote::LineUnquoter;
use counted::{Emlx, Rnews};
use mbox::Mbox;
use mmdf::Mmdf;
pub use separator::{SeparatorStyle, is_separator};
use single::SingleMessage;
pub(super) use split::Cutter;

/// How far ahead a framing may look for what a count of bytes leads to.
pub(super) const LOOK_AHEAD: usize = 4 << 20;

/// Lines that may separate messages, found by whoever cut the archive.
pub(super) struct SeparatorLines {
    pub(super) offsets: Vec<u64>,
    pub(super) quoting: LineQuoting,
}

/// The ways in which archives hold messages.
pub(super) struct Framing(FramingKind);

enum FramingKind {
    Mbox(Box<Mbox>),
    Single(SingleMessage),
    Rnews(Rnews),
    Mmdf(Mmdf),
    Emlx(Emlx),
}

impl Framing {
    pub(super) fn mbox() -> Self {
        Framing(FramingKind::Mbox(Box::default()))
    }

    pub(super) fn single() -> Self {
        Framing(FramingKind::Single(SingleMessage::default()))
    }

    pub(super) fn rnews() -> Self {
        Framing(FramingKind::Rnews(Rnews::default()))
    }

    pub(super) fn mmdf() -> Self {
        Framing(FramingKind::Mmdf(Mmdf::default()))
    }

    pub(super) fn emlx() -> Self {
        Framing(FramingKind::Emlx(Emlx::default()))
    }

    pub(super) fn begin(&mut self, share: SplitContext, lines: Option<SeparatorLines>) {
        *self = match &mut self.0 {
            FramingKind::Mbox(_) => Framing(FramingKind::Mbox(Box::new(Mbox::share(share, lines)))),
            FramingKind::Single(_) => Self::single(),
            FramingKind::Rnews(_) => Self::rnews(),
            FramingKind::Mmdf(_) => Self::mmdf(),
            FramingKind::Emlx(_) => Self::emlx(),
        };
    }

    pub(super) fn scan(
        &mut self,
        window: Window<'_>,
        archive: &mut ArchiveState,
        out: &mut Events,
    ) -> usize {
        match &mut self.0 {
            FramingKind::Mbox(mbox) => mbox.scan(window, archive, out),
            FramingKind::Single(single) => single.scan(window, archive, out),
            FramingKind::Rnews(rnews) => rnews.scan(window, archive, out),
            FramingKind::Mmdf(mmdf) => mmdf.scan(window, archive, out),
            FramingKind::Emlx(emlx) => emlx.scan(window, archive, out),
        }
    }
}

impl ArchiveState {
    /// The next message begins at `offset`.
    fn begin(&mut self, offset: u64, clean: LineUnquoter) {
        self.count += 1;
        self.readers.tally.messages += 1;
        self.tree.begin(self.count, offset, clean);
    }

    /// Text before the first message: message 0, of text alone.
    fn begin_junk(&mut self, offset: u64, out: &mut Events) {
        self.tree.begin(0, offset, LineUnquoter::default());
        self.tree.begin_body(&mut self.readers, out);
    }

    /// Feeds `window[at..to]`, stopping behind the message's own header; returns where.
    fn feed(
        &mut self,
        window: &Window<'_>,
        at: usize,
        to: usize,
        end: bool,
        out: &mut Events,
    ) -> usize {
        let bytes = &window.bytes[at..to];
        let offset = window.offset_at(at);
        at + self.tree.feed(bytes, offset, end, &mut self.readers, out)
    }

    /// Feeds `window[at..to]` to its end, which is the message's end.
    fn finish(
        &mut self,
        window: &Window<'_>,
        mut at: usize,
        to: usize,
        ending: Ending,
        out: &mut Events,
    ) {
        loop {
            let header = self.tree.in_first_header();
            at = self.feed(window, at, to, true, out);
            if !header || at >= to {
                break;
            }
        }
        self.tree.end(ending, &mut self.readers, out);
    }
}
