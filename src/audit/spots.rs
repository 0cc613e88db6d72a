//! Lines and columns of places that are no links: counted when one is wanted.

use std::fs;
use std::path::Path;

use crate::bytes::lines::{Lines, Position};
use crate::bytes::window::Window;

/// Files up to this length are read for the positions of places in them.
const LONGEST: u64 = 64 << 20;

/// The positions of ascending offsets in a file; none where it cannot be read.
pub(super) fn positions(
    path: &Path,
    offsets: impl ExactSizeIterator<Item = u64>,
) -> Vec<Option<Position>> {
    if offsets.len() == 0 {
        return Vec::new();
    }
    let is_short = fs::metadata(path).is_ok_and(|metadata| metadata.len() <= LONGEST);
    let bytes = is_short.then(|| fs::read(path).ok()).flatten();
    let bytes = bytes.unwrap_or_default();
    let window = Window::whole(&bytes);
    let mut lines = Lines::new();
    offsets
        .map(|offset| (offset < bytes.len() as u64).then(|| lines.position(&window, offset)))
        .collect()
}
