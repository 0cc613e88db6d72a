//! References in AsciiDoc: what Asciidoctor would link.
//!
//! A document is read block by block: `body` finds the structure of the lines, `attributes` replaces
//! the references to attributes, and `inline` finds the macros and the URIs in text.
#![doc = include_str!("rules.md")]

mod attributes;
mod body;
mod ids;
mod inline;

use super::blocks::{BOUNDS, BlockFinds, BlockWindows};
use super::events::{Events, RuleFamily};
use super::options::TextOptions;
use super::{Format, FormatOptions, Passes, Retrieval, Scan, ScanStart};
use crate::bytes::window::Window;
use crate::decode::charset::Conversion;
use body::AdocReader;

/// AsciiDoc.
pub(super) const FORMAT: Format = Format {
    name: "adoc",
    extensions: &["adoc", "asciidoc", "asc"],
    file_names: &[],
    media_types: &[],
    family: RuleFamily::Plain,
    bounds: BOUNDS,
    reading: Passes::Once,
    prescan: None,
    conversion: Conversion::Always,
    split_point: None,
    retrieval: Retrieval::Place,
    scanner: |options| Box::new(AdocScanner::new(options)),
};

/// The scanner for AsciiDoc.
struct AdocScanner {
    text: TextOptions,
    extended: bool,
    windows: BlockWindows,
    reader: AdocReader,
    finds: BlockFinds,
}

impl AdocScanner {
    fn new(options: &FormatOptions) -> Self {
        AdocScanner {
            text: options.text.clone(),
            extended: options.html.extended,
            windows: BlockWindows::default(),
            reader: AdocReader::default(),
            finds: BlockFinds::new(options.anchors),
        }
    }
}

impl Scan for AdocScanner {
    fn begin(&mut self, _start: &ScanStart) {
        self.windows = BlockWindows::default();
        self.reader = AdocReader::new(self.text.clone(), self.extended);
    }

    fn scan(&mut self, window: Window<'_>, events: &mut Events) -> usize {
        self.windows
            .read(&window, &mut self.reader, &mut self.finds, events)
    }
}
