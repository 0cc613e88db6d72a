//! References in reStructuredText: what docutils would link, and the files that Sphinx would read.
//!
//! A document is read block by block: `body` finds the elements of the lines, `inline` the markup in
//! their text, and `uri` the URIs between that.
#![doc = include_str!("rules.md")]

mod body;
mod boundary;
mod directives;
mod ids;
mod inline;
mod references;
mod uri;

use super::blocks::{BOUNDS, BlockFinds, BlockWindows};
use super::events::{Events, RuleFamily};
use super::{Format, FormatOptions, Passes, Retrieval, Scan, ScanStart};
use crate::bytes::window::Window;
use crate::decode::charset::Conversion;
use body::BodyReader;

/// reStructuredText.
pub(super) const FORMAT: Format = Format {
    name: "rst",
    extensions: &["rst", "rest"],
    file_names: &[],
    media_types: &[],
    family: RuleFamily::Plain,
    bounds: BOUNDS,
    reading: Passes::Once,
    prescan: None,
    conversion: Conversion::Always,
    split_point: None,
    retrieval: Retrieval::Place,
    scanner: |options| Box::new(RstScanner::new(options)),
};

/// The scanner for reStructuredText.
struct RstScanner {
    email: bool,
    windows: BlockWindows,
    reader: BodyReader,
    finds: BlockFinds,
}

impl RstScanner {
    fn new(options: &FormatOptions) -> Self {
        RstScanner {
            email: options.text.email,
            windows: BlockWindows::default(),
            reader: BodyReader::default(),
            finds: BlockFinds::new(options.anchors),
        }
    }
}

impl Scan for RstScanner {
    fn begin(&mut self, start: &ScanStart) {
        self.windows = BlockWindows::default();
        self.reader = BodyReader::new(self.email, start.roles);
    }

    fn scan(&mut self, window: Window<'_>, events: &mut Events) -> usize {
        self.windows
            .read(&window, &mut self.reader, &mut self.finds, events)
    }
}
