//! Where messages begin and end in an archive.

mod counted;
mod cut;
mod date;
mod mbox;
mod mmdf;
mod separator;
mod single;

use crate::bytes::window::Window;
use crate::document::events::Events;
use crate::document::{Quoting, Share};

use super::Archive;
use super::clean::Clean;
use super::tree::Ending;
use counted::{Emlx, Rnews};
pub(super) use cut::Cutter;
use mbox::Mbox;
use mmdf::Mmdf;
pub use separator::{Style, is_separator};
use single::Single;

/// How far ahead a framing may look for what a count of bytes leads to.
pub(super) const LOOK_AHEAD: usize = 4 << 20;

/// Lines that may separate messages, found by whoever cut the archive.
pub(super) struct Lines {
    pub(super) offsets: Vec<u64>,
    pub(super) quoting: Quoting,
}

/// The ways in which archives hold messages.
pub(super) struct Framing(Kind);

enum Kind {
    Mbox(Box<Mbox>),
    Single(Single),
    Rnews(Rnews),
    Mmdf(Mmdf),
    Emlx(Emlx),
}

impl Framing {
    pub(super) fn mbox() -> Self {
        Framing(Kind::Mbox(Box::default()))
    }

    pub(super) fn single() -> Self {
        Framing(Kind::Single(Single::default()))
    }

    pub(super) fn rnews() -> Self {
        Framing(Kind::Rnews(Rnews::default()))
    }

    pub(super) fn mmdf() -> Self {
        Framing(Kind::Mmdf(Mmdf::default()))
    }

    pub(super) fn emlx() -> Self {
        Framing(Kind::Emlx(Emlx::default()))
    }

    pub(super) fn begin(&mut self, share: Share, lines: Option<Lines>) {
        *self = match &mut self.0 {
            Kind::Mbox(_) => Framing(Kind::Mbox(Box::new(Mbox::share(share, lines)))),
            Kind::Single(_) => Self::single(),
            Kind::Rnews(_) => Self::rnews(),
            Kind::Mmdf(_) => Self::mmdf(),
            Kind::Emlx(_) => Self::emlx(),
        };
    }

    pub(super) fn scan(
        &mut self,
        window: Window<'_>,
        archive: &mut Archive,
        out: &mut Events,
    ) -> usize {
        match &mut self.0 {
            Kind::Mbox(mbox) => mbox.scan(window, archive, out),
            Kind::Single(single) => single.scan(window, archive, out),
            Kind::Rnews(rnews) => rnews.scan(window, archive, out),
            Kind::Mmdf(mmdf) => mmdf.scan(window, archive, out),
            Kind::Emlx(emlx) => emlx.scan(window, archive, out),
        }
    }
}

impl Archive {
    /// The next message begins at `offset`.
    fn begin(&mut self, offset: u64, clean: Clean) {
        self.count += 1;
        self.readers.tally.messages += 1;
        self.tree.begin(self.count, offset, clean);
    }

    /// Text before the first message: message 0, of text alone.
    fn begin_junk(&mut self, offset: u64, out: &mut Events) {
        self.tree.begin(0, offset, Clean::default());
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
