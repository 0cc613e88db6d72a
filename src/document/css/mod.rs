//! References in style sheets: CSS Syntax 3, CSS Values 4 (`url()`, `src()`), CSS Cascade 5
//! (`@import`), CSS Images 4 (`image-set()`, `image()`).
#![doc = include_str!("rules.md")]

mod lexical;
mod reader;
mod statement;

use encoding_rs::Encoding;

use super::events::{
    Context, Escapes, Event, Events, FoundReference, NameRange, RemarkKind, RuleFamily, TextRange,
};
use super::flags::Flags;
use super::source_text::SourceText;
use super::{Format, FormatOptions, Scan, ScanStart, text};
use crate::bytes::window::{Bounds, Window};
use crate::decode::charset::readable_encoding;
pub(crate) use lexical::unescape;
use reader::{CssFind, CssOwner, CssReader, LONGEST_TOKEN, LOOK_BEHIND};
pub(crate) use reader::{Sheet, references, remarks};

pub(super) const FORMAT: Format = Format {
    name: "css",
    extensions: &["css"],
    media_types: &["text/css"],
    family: RuleFamily::Markup,
    bounds: Bounds::new(LOOK_BEHIND, LONGEST_TOKEN + 64),
    prescan: Some(declared),
    scanner: |_: &FormatOptions| Box::new(CssScanner(CssReader::new(Sheet::Whole))),
    ..text::UNSPLIT
};

/// Returns the encoding that `@charset` declares (CSS Syntax 3.2).
fn declared(first: &[u8]) -> Option<&'static Encoding> {
    let label = first.strip_prefix(b"@charset \"")?;
    let end = memchr::memmem::find(label, b"\";")?;
    readable_encoding(&label[..end])
}

struct CssScanner(CssReader);

impl Scan for CssScanner {
    fn begin(&mut self, _start: &ScanStart) {
        self.0 = CssReader::new(Sheet::Whole);
    }

    fn scan(&mut self, window: Window, events: &mut Events) -> usize {
        let source = SourceText::window(window.bytes, window.offset);
        let range = window.start..window.bytes.len();
        let end = (self.0).read(window.bytes, range, window.last, &mut |find| match find {
            CssFind::Fault(code, at) => events.push(Event::Diagnostic(code, window.offset_at(at))),
            CssFind::Remark(range) => {
                let text = TextRange::window(range.start + 2..range.end - 2);
                let span = source.span(range);
                events.push(Event::remark(RemarkKind::Ignore, text, span));
            }
            CssFind::SourceMap(range) => {
                let mut map = found(&source, range, Context::Comment, events);
                map.quoting = source.quoted(Escapes::Item);
                events.push(Event::Reference(map));
            }
            CssFind::Reference { range, .. } if range.is_empty() => {}
            CssFind::Reference { range, owner } => {
                let mut reference = found(&source, range, Context::Style, events);
                let text = events.bytes(reference.text, window.bytes);
                // An escaped line break is removed.
                if text.is_empty() {
                    return;
                }
                reference.flags |= Flags::LOCAL.when(text.starts_with(b"#"));
                reference.attribute = match owner {
                    CssOwner::Unknown => NameRange::None,
                    CssOwner::Import { inert } => {
                        reference.flags |= Flags::INERT.when(inert);
                        NameRange::Known("@import")
                    }
                    CssOwner::Property(name) => {
                        let is_custom = name.starts_with(b"--");
                        reference.flags |= Flags::CUSTOM_PROPERTY.when(is_custom);
                        NameRange::other(events.store(name))
                    }
                    CssOwner::FontFace(name) => {
                        let name = [b"@font-face/", name].concat();
                        NameRange::other(events.store(&name))
                    }
                };
                events.push(Event::Reference(reference));
            }
        });
        events.forget_stored();
        end
    }
}

fn found(
    source: &SourceText,
    range: std::ops::Range<usize>,
    context: Context,
    events: &mut Events,
) -> FoundReference {
    let raw = &source.bytes[range.clone()];
    let mut found = source.reference(range, context, events);
    found.quoting = source.quoted(Escapes::Css);
    if memchr::memchr2(b'\\', 0, raw).is_some() {
        found.text = events.store_with(|store| unescape(raw, store));
    }
    found
}
