//! The scanner of the library as a [`Scan`](super::Scan).

use std::io::Cursor;

use encoding_rs::Encoding;

use uriscan::document::Format;
use uriscan::document::flags::Flags;
use uriscan::extractor::{self, Document, Extractor};
use uriscan::resolver::Link;
use uriscan::uri::{Base, BaseSource};

use super::oracle::{Expected, Options};

/// What the library finds in a document that it reads `window` bytes at a time.
pub(crate) fn scan(html: &[u8], options: &Options, window: usize) -> Vec<Expected> {
    let mut settings = extractor::Options {
        window,
        positions: extractor::Positions::Lines,
        ..extractor::Options::default()
    };
    settings.formats.html.extended = options.extended;
    settings.formats.html.scripting = options.scripting;
    let base = options.document_uri.as_ref().map(|uri| Base {
        uri: uri.clone().into_bytes(),
        source: BaseSource::RetrievalFile,
    });
    let label = options.transport_charset.as_deref();
    let format = Format::named("html").expect("it is a format");
    let document = Document {
        declared: label.and_then(|label| Encoding::for_label(label.as_bytes())),
        ..Document::new(format, base.as_ref())
    };
    let mut found = Vec::new();
    let mut take = |link: &Link<'_>| found.push(expected(link));
    let mut extractor = Extractor::new(&settings);
    let read = extractor.extract_seekable(&document, Cursor::new(html), &mut take);
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
