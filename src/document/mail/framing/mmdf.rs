//! MMDF: messages between lines of four control-A.

use memchr::memmem;

use super::ArchiveState;
use crate::bytes::window::Window;
use crate::document::diagnostic;
use crate::document::events::Events;
use crate::document::mail::tree::Ending;
use crate::document::mail::unquote::LineUnquoter;

const SEPARATOR: &[u8] = b"\x01\x01\x01\x01";

/// Such an archive in the making.
#[derive(Debug, Default)]
pub(super) struct Mmdf {
    open: bool,
    /// A separator has come.
    begun: bool,
}

impl Mmdf {
    pub(super) fn scan(
        &mut self,
        window: Window<'_>,
        archive: &mut ArchiveState,
        out: &mut Events,
    ) -> usize {
        let bytes = window.bytes;
        let mut at = window.start;
        loop {
            if !self.open {
                at += bytes[at..]
                    .iter()
                    .take_while(|&&byte| matches!(byte, b'\n' | b'\r'))
                    .count();
            }
            let found = separator(bytes, at, window.last);
            let end = match found {
                MmdfMark::At(line, _) | MmdfMark::Unknown(line) => line,
                MmdfMark::No => bytes.len(),
            };
            if !self.open && end > at {
                self.begin(&window, at, archive, out);
            }
            match found {
                MmdfMark::At(line, next) => {
                    if self.open {
                        archive.finish(&window, at, line, Ending::Whole, out);
                        self.open = false;
                    }
                    self.begun = true;
                    at = next;
                }
                MmdfMark::Unknown(_) | MmdfMark::No if !window.last => {
                    if !self.open {
                        return at;
                    }
                    let header = archive.tree.in_first_header();
                    let stopped = archive.feed(&window, at, end, false, out);
                    if !header || archive.tree.in_first_header() {
                        return stopped;
                    }
                    at = stopped;
                }
                _ => {
                    if self.open {
                        archive.finish(&window, at, bytes.len(), Ending::Truncated, out);
                        self.open = false;
                    }
                    return bytes.len();
                }
            }
        }
    }

    fn begin(
        &mut self,
        window: &Window<'_>,
        at: usize,
        archive: &mut ArchiveState,
        out: &mut Events,
    ) {
        self.open = true;
        let offset = window.offset_at(at);
        if self.begun {
            archive.begin(offset, LineUnquoter::default());
        } else {
            archive.begin_junk(offset, out);
            archive
                .tree
                .diagnose(&diagnostic::LEADING_JUNK, offset, out);
        }
    }
}

enum MmdfMark {
    /// A separator line, from here to there.
    At(usize, usize),
    /// What may become one.
    Unknown(usize),
    No,
}

fn separator(bytes: &[u8], from: usize, last: bool) -> MmdfMark {
    let starts = |at: usize| at == 0 || bytes[at - 1] == b'\n';
    for at in memmem::find_iter(&bytes[from..], SEPARATOR).map(|at| from + at) {
        if !starts(at) {
            continue;
        }
        match bytes[at + SEPARATOR.len()..] {
            [b'\n', ..] => return MmdfMark::At(at, at + SEPARATOR.len() + 1),
            [b'\r', b'\n', ..] => return MmdfMark::At(at, at + SEPARATOR.len() + 2),
            [] | [b'\r'] if last => return MmdfMark::At(at, bytes.len()),
            [] | [b'\r'] => return MmdfMark::Unknown(at),
            _ => {}
        }
    }
    let ones = bytes[from..]
        .iter()
        .rev()
        .take_while(|&&byte| byte == 1)
        .count();
    let at = bytes.len() - ones;
    if !last && (1..=SEPARATOR.len()).contains(&ones) && starts(at) {
        return MmdfMark::Unknown(at);
    }
    MmdfMark::No
}
