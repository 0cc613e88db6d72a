//! Sinks that change some of what they pass on.

use crate::document::Format;
use crate::linker::{Diagnostic, Link, Remark, Sink};

/// A change of what a sink gets; by default there is none.
pub(super) trait SinkChange {
    /// Passes on a link.
    fn link<S: Sink + ?Sized>(&mut self, link: &Link<'_>, sink: &mut S) {
        sink.link(link);
    }

    /// Passes on a diagnostic.
    fn diagnostic<S: Sink + ?Sized>(&mut self, diagnostic: &Diagnostic<'_>, sink: &mut S) {
        sink.diagnostic(diagnostic);
    }

    /// Passes on that a member begins; returns whether it is read.
    fn begin_member<S: Sink + ?Sized>(&mut self, name: &str, path: &[u8], sink: &mut S) -> bool {
        sink.begin_member(name, path)
    }

    /// Passes on that a member ends.
    fn end_member<S: Sink + ?Sized>(&mut self, format: &'static Format, length: u64, sink: &mut S) {
        sink.end_member(format, length);
    }
}

/// A sink behind a change.
pub(super) struct ChangingSink<'s, S: ?Sized, C> {
    pub(super) sink: &'s mut S,
    pub(super) change: C,
}

impl<S: Sink + ?Sized, C: SinkChange> Sink for ChangingSink<'_, S, C> {
    // Where the change is known, no link is made only to be copied.
    #[inline(always)]
    fn link(&mut self, link: &Link<'_>) {
        self.change.link(link, self.sink);
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic<'_>) {
        self.change.diagnostic(diagnostic, self.sink);
    }

    fn anchor(&mut self, name: &[u8], offset: u64) {
        self.sink.anchor(name, offset);
    }

    fn remark(&mut self, remark: &Remark<'_>) {
        self.sink.remark(remark);
    }

    fn exact(&mut self, rule: &'static str) {
        self.sink.exact(rule);
    }

    fn heavy(&mut self) {
        self.sink.heavy();
    }

    fn restart(&mut self) {
        self.sink.restart();
    }

    fn begin_member(&mut self, name: &str, path: &[u8]) -> bool {
        self.change.begin_member(name, path, self.sink)
    }

    fn root_of_member(&mut self, path: &[u8]) -> Option<Vec<u8>> {
        self.sink.root_of_member(path)
    }

    fn end_member(&mut self, format: &'static Format, length: u64) {
        self.change.end_member(format, length, self.sink);
    }
}
