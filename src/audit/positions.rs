//! Lines and columns of findings that are not about links, from a second reading of the document.

use std::fs::File;
use std::io::{Cursor, Read};

use super::location::Audit;
use crate::bytes::lines::{LOOK_BEHIND, LineCounter, Position};
use crate::bytes::window::{Bounds, Windows};
use crate::pipeline::members;
use crate::pipeline::walk::path_of;

const WINDOW: usize = 64 << 10;

/// Finds lines and columns of ascending offsets.
pub(super) struct PositionFinder {
    /// `None` after the end or a failed read.
    file: Option<Box<dyn Read>>,
    windows: Windows,
    lines: LineCounter,
}

impl PositionFinder {
    /// Opens a file, or a document in an archive.
    pub(super) fn open(audit: &Audit, path: &[u8], in_archive: bool) -> Self {
        let file: Option<Box<dyn Read>> = if in_archive {
            let reading = &audit.options.reading;
            let limit = reading.extractor.formats.html.max_document;
            let bytes = members::bytes(reading, path, limit);
            bytes.map(|bytes| Box::new(Cursor::new(bytes)) as _)
        } else {
            let file = File::open(path_of(path)).ok();
            file.map(|file| Box::new(file) as _)
        };
        let mut windows = Windows::new(WINDOW);
        windows.begin(Bounds {
            look_behind: LOOK_BEHIND,
            look_ahead: WINDOW,
        });
        PositionFinder {
            file,
            windows,
            lines: LineCounter::new(),
        }
    }

    /// Offsets do not descend; `None` if the file cannot be read that far.
    pub(super) fn at(&mut self, offset: u64) -> Option<Position> {
        loop {
            let window = self.windows.window();
            if offset < window.offset_at(window.bytes.len()) {
                return Some(self.lines.position(&window, offset));
            }
            let file = self.file.as_mut()?;
            let end = window.bytes.len();
            self.lines.pass(&window, end);
            let is_last = self.windows.consume(end);
            if is_last || self.windows.fill(file).is_err() {
                self.file = None;
            }
        }
    }
}
