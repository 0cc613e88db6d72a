//! Reads archives in memory, and collects their links.

use std::io::{self, Read};
use std::ops::ControlFlow;

use uriscan::bytes::lines::Position;
use uriscan::document::{self, Format};
use uriscan::extractor::{Document, Extractor, ExtractorOptions, Positions};
use uriscan::linker::{self, Link, Sink};
use uriscan::uri::{Base, BaseSource};

/// A link with all properties that tests compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Got {
    pub(crate) member: String,
    pub(crate) position: Option<Position>,
    pub(crate) span: (u64, u64),
    pub(crate) reference: String,
    pub(crate) target: Option<String>,
    pub(crate) base: Option<(String, String)>,
    pub(crate) context: &'static str,
    pub(crate) element: String,
    pub(crate) attribute: String,
    pub(crate) flags: Vec<&'static str>,
    pub(crate) message_id: Option<String>,
    pub(crate) message_offset: Option<u64>,
    pub(crate) media_type: Option<String>,
    pub(crate) charset: Option<String>,
    pub(crate) target_part: Option<String>,
    pub(crate) unwrapped_from: Option<String>,
}

/// The links and diagnostics of an archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) links: Vec<Got>,
    /// Member, code and count.
    pub(crate) diagnostics: Vec<(Option<String>, &'static str, u64)>,
}

impl Found {
    /// Fails with the first link that differs.
    pub(crate) fn expect_same(&self, expected: &Found, name: &str) {
        if self == expected {
            return;
        }
        let same = |(one, other): &(&Got, &Got)| one == other;
        let first = self
            .links
            .iter()
            .zip(&expected.links)
            .take_while(same)
            .count();
        panic!(
            "{name}: got {} links, {:#?}\n{:?}\nexpected {} links, {:#?}\n{:?}",
            self.links.len(),
            self.links.get(first),
            self.diagnostics,
            expected.links.len(),
            expected.links.get(first),
            expected.diagnostics,
        );
    }
}

impl Sink for Found {
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        self.links.push(Got {
            member: link.member.unwrap_or_default().to_owned(),
            position: link.position,
            span: (link.span.start, link.span.end),
            reference: text(link.reference),
            target: link.target.ok().map(text),
            base: link
                .base
                .map(|base| (text(base.uri), base.source_name().to_owned())),
            context: link.context.name(),
            element: link.element.unwrap_or_default().to_owned(),
            attribute: link.attribute.unwrap_or_default().to_owned(),
            flags: link.flags.names().collect(),
            message_id: link.part.message_id.map(str::to_owned),
            message_offset: link.part.message_offset,
            media_type: link.part.media_type.map(str::to_owned),
            charset: link.part.charset.map(str::to_owned),
            target_part: link.part.target_part.map(str::to_owned),
            unwrapped_from: link.unwrapped_from.map(text),
        });
        ControlFlow::Continue(())
    }

    fn event(&mut self, found: &linker::Found<'_>) {
        if let linker::Found::Diagnostic(diagnostic) = found {
            self.diagnostics.push((
                diagnostic.member.map(str::to_owned),
                diagnostic.code.name,
                diagnostic.count,
            ));
        }
    }
}

/// The base that archives have unless they bring one (RFC 2557 section 5).
pub(crate) fn this_message() -> Base {
    Base {
        uri: b"thismessage:/".to_vec(),
        source: BaseSource::DefaultThisMessage,
    }
}

/// Reads an archive, `window` bytes at a time.
pub(crate) fn read(
    format: &str,
    bytes: &[u8],
    formats: &document::FormatOptions,
    window: usize,
) -> Found {
    let options = ExtractorOptions::default().with_formats(formats.clone());
    read_with(format, bytes, &options, window)
}

/// Reads an archive with options of the extractor.
pub(crate) fn read_with(
    format: &str,
    bytes: &[u8],
    options: &ExtractorOptions,
    window: usize,
) -> Found {
    let mut found = Found::default();
    let format = Format::named(format).unwrap();
    let base = this_message();
    let mut extractor = Extractor::new(
        &options
            .clone()
            .with_positions(Positions::Lines)
            .with_window(window),
    );
    let document = Document::new(format, Some(&base));
    extractor
        .extract(&document, ShortReads(bytes, window), &mut found)
        .unwrap();
    found
}

/// A reader that returns a limited number of bytes at a time, as a pipe does.
struct ShortReads<'a>(&'a [u8], usize);

impl Read for ShortReads<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.0.len().min(self.1).min(into.len());
        into[..n].copy_from_slice(&self.0[..n]);
        self.0 = &self.0[n..];
        Ok(n)
    }
}
