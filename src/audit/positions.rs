//! Lines and columns of places that are no links: counted when one is wanted.

use std::fs::File;
use std::path::Path;

use crate::bytes::lines::{LOOK_BEHIND, LineCounter, Position};
use crate::bytes::window::{Bounds, Windows};

/// Bytes that are read at a time.
const WINDOW: usize = 64 << 10;

/// The positions of ascending offsets in a file.
pub(super) struct PositionFinder {
    /// None once the file has ended or could not be read.
    file: Option<File>,
    windows: Windows,
    lines: LineCounter,
}

impl PositionFinder {
    pub(super) fn open(path: &Path) -> Self {
        let mut windows = Windows::new(WINDOW);
        windows.begin(Bounds {
            look_behind: LOOK_BEHIND,
            look_ahead: WINDOW,
        });
        PositionFinder {
            file: File::open(path).ok(),
            windows,
            lines: LineCounter::new(),
        }
    }

    /// The position of an offset, which is not before the one asked for last; none where the file
    /// cannot be read so far.
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
