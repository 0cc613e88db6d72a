//! The documents in `iframe srcdoc`: whole documents that inherit the base of their host.

use std::ops::Range;

use encoding_rs::UTF_8;

use super::characters::Place;
use super::report::{Document, Report};
use crate::document::events::{Enter, Event, Family};
use crate::document::flags::Flags;
use crate::document::{Anchors, diagnostic};

/// How deep such documents may nest.
const DEPTH: usize = 16;

/// Scans the document in a value.
pub(super) fn scan(report: &mut Report<'_, '_>, range: Range<usize>, flags: Flags) {
    if range.is_empty() {
        return;
    }
    if report.document.depth == DEPTH {
        let offset = report.source.offset(range.start);
        let event = Event::Diagnostic(&diagnostic::SRCDOC_DEPTH, offset);
        return report.events.push(event);
    }
    report.decoding(range, Some(Place::Attribute), |report, range| {
        nested(report, range, flags)
    });
}

fn nested(report: &mut Report<'_, '_>, range: Range<usize>, flags: Flags) {
    let mut document = Document::new(report.document.options.clone());
    // What is named in it is no place in its host.
    document.options.anchors = Anchors::Leave;
    document.depth = report.document.depth + 1;
    document.flags = flags | Flags::SRCDOC;
    document.spare = std::mem::take(&mut report.document.spare);
    report.events.push(Event::Enter(Enter {
        member: None,
        family: Family::Markup,
        base: None,
    }));
    if report.document.encoding != UTF_8 {
        report.events.push(Event::Encoding(UTF_8));
    }
    let source = report.source.until(range.end);
    super::whole(source, range.start, report.events, &mut document);
    report.events.push(Event::Leave);
    report.document.references += document.references;
    report.document.spare = document.spare;
}
