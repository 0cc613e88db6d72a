//! The scanner of the library as a [`Scan`](super::Scan).

use std::io::Cursor;
use std::ops::ControlFlow;

use encoding_rs::Encoding;

use uriscan::document::Format;
use uriscan::document::flags::Flags;
use uriscan::extractor::{self, Document, Extractor};
use uriscan::linker::{self, Link, Sink};
use uriscan::uri::{Base, BaseSource};

use super::oracle::{Expected, Options};

/// Returns the references that the library finds, reading `window` bytes at a time.
pub(crate) fn scan(html: &[u8], options: &Options, window: usize) -> Vec<Expected> {
    read(html, options, window).references
}

/// The references that the library finds, and how they were found.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) references: Vec<Expected>,
    /// The bail rules that applied to the document or a srcdoc document in it.
    pub(crate) rules: Vec<&'static str>,
    /// Whether a part was approximated.
    pub(crate) approximate: bool,
}

impl Sink for Found {
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
        // The tree that the oracle reads has comments without contents.
        if !link.flags.contains(Flags::CONDITIONAL) {
            self.references.push(expected(link));
        }
        ControlFlow::Continue(())
    }

    fn event(&mut self, found: &linker::Found<'_>) {
        match found {
            linker::Found::Exact(rule) => {
                self.rules.push(rule);
            }
            linker::Found::Diagnostic(diagnostic) => {
                self.approximate |= diagnostic.code.name == "html.approximate";
            }
            _ => {}
        }
    }
}

/// Reads a document `window` bytes at a time.
pub(crate) fn read(html: &[u8], options: &Options, window: usize) -> Found {
    let mut settings = extractor::ExtractorOptions::default()
        .with_window(window)
        .with_positions(extractor::Positions::Lines);
    settings.formats.html.extended = options.extended;
    settings.formats.html.scripting = options.scripting;
    let base = options.document_uri.as_ref().map(|uri| Base {
        uri: uri.clone().into_bytes(),
        source: BaseSource::RetrievalFile,
    });
    let label = options.transport_charset.as_deref();
    let format = Format::named("html").expect("it is a format");
    let mut document = Document::new(format, base.as_ref());
    document.declared = label.and_then(|label| Encoding::for_label(label.as_bytes()));
    let mut found = Found::default();
    let mut extractor = Extractor::new(&settings);
    let read = extractor.extract_seekable(&document, Cursor::new(html), &mut found);
    read.expect("a slice reads without errors");
    found
}

fn expected(link: &Link<'_>) -> Expected {
    Expected {
        reference: link.reference.to_vec(),
        target: link
            .target
            .ok()
            .map(|target| String::from_utf8_lossy(target).into_owned()),
        element: link.element.unwrap_or_default().to_owned(),
        attribute: link.attribute.unwrap_or_default().to_owned(),
        group: "",
        inert: link.flags.contains(Flags::INERT),
        via: link.flags.contains(Flags::SRCDOC).then_some("srcdoc"),
    }
}
