//! PDF (ISO 32000-2): the actions that refer to other files, and the destinations in it.
//!
//! The file is held, as its last bytes say where its objects are. Objects are read in place and never
//! become a tree, so that neither memory nor time depends on their references.
#![doc = include_str!("rules.md")]

mod file;
mod lexer;
mod stream;
mod walk;

use memchr::memmem;

use super::diagnostic::{self, Code};
use super::events::{Event, Events};
use super::{AnchorReporting, Format, Passes, Scan, ScanStart, text};
use crate::bytes::window::{Bounds, Window};
use crate::decode::charset::Conversion;
use file::PdfFile;
use walk::PdfWalk;

/// PDF.
pub(super) const FORMAT: Format = Format {
    name: "pdf",
    extensions: &["pdf"],
    // Attachments of messages are skipped: no media type.
    bounds: Bounds::new(0, 0),
    reading: Passes::Held,
    conversion: Conversion::Never,
    scanner: |options| {
        Box::new(PdfScanner {
            anchors: options.anchors,
            max_document: usize::try_from(options.html.max_document).unwrap_or(usize::MAX),
            is_done: false,
        })
    },
    ..text::UNSPLIT
};

struct PdfScanner {
    anchors: AnchorReporting,
    max_document: usize,
    is_done: bool,
}

impl PdfScanner {
    /// Reads a file, or the start of one that `is_cut`, whose first byte has a document offset.
    fn read(&self, bytes: &[u8], is_cut: bool, offset: u64, events: &mut Events) {
        let diagnose = |code: &'static Code, at: usize, events: &mut Events| {
            events.push(Event::Diagnostic(code, offset + at as u64));
        };
        let mut file = PdfFile::open(bytes, self.max_document);
        let anchors = self.anchors == AnchorReporting::Report;
        if file.is_encrypted {
            return diagnose(&diagnostic::PACKAGE_ENCRYPTED, 0, events);
        }
        let catalog = file.catalog();
        let has_pages = PdfWalk::new(&mut file, events, offset).references(catalog, anchors);
        for (code, at) in std::mem::take(&mut file.faults) {
            // Where a file is cut, an object has no end.
            if !(is_cut && *code == diagnostic::PDF_DAMAGED) {
                diagnose(code, at, events);
            }
        }
        if !has_pages {
            diagnose(&diagnostic::PDF_NO_PAGES, 0, events);
        }
    }
}

impl Scan for PdfScanner {
    fn begin(&mut self, _start: &ScanStart) {
        self.is_done = false;
    }

    fn scan(&mut self, window: Window, events: &mut Events) -> usize {
        let pending = &window.bytes[window.start..];
        if !self.is_done {
            if !window.last && pending.len() <= self.max_document {
                return window.start;
            }
            self.is_done = true;
            let offset = window.offset_at(window.start);
            let is_cut = pending.len() > self.max_document;
            if is_cut {
                let end = offset + self.max_document as u64;
                events.push(Event::Diagnostic(&diagnostic::PDF_TOO_LONG, end));
            }
            let held = &pending[..pending.len().min(self.max_document)];
            let start = header(held);
            self.read(&held[start..], is_cut, offset + start as u64, events);
        }
        window.bytes.len()
    }
}

/// Returns the index of the header, which offsets in the file begin at.
fn header(bytes: &[u8]) -> usize {
    /// The header may be after other bytes (ISO 32000-1, Annex H, implementation note 13).
    const NEAR: usize = 1024;
    let head = &bytes[..bytes.len().min(NEAR)];
    memmem::find(head, b"%PDF-").unwrap_or(0)
}
