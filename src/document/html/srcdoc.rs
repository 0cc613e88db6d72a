//! Documents in `iframe srcdoc`: whole documents that inherit the base of their host.

use std::ops::Range;

use super::feedback::ScanEnd;
use super::report::{ReferenceReporter, ReportState};
use super::scanner;
use super::value::CharacterContext;
use crate::document::events::{Event, RuleFamily};
use crate::document::flags::Flags;
use crate::document::{diagnostic, nested};

/// The deepest nesting of srcdoc documents.
const MAX_DEPTH: usize = 16;

/// Scans the document in an attribute's value.
pub(super) fn scan(report: &mut ReferenceReporter<'_, '_, '_>, range: Range<usize>, flags: Flags) {
    if range.is_empty() {
        return;
    }
    if report.document.depth == MAX_DEPTH {
        let offset = report.source.offset(range.start);
        let event = Event::Diagnostic(&diagnostic::SRCDOC_DEPTH, offset);
        return report.events.push(event);
    }
    report.with_decoded(range, Some(CharacterContext::Attribute), |report, range| {
        scan_decoded(report, range, flags)
    });
}

fn scan_decoded(report: &mut ReferenceReporter<'_, '_, '_>, range: Range<usize>, flags: Flags) {
    let mut document = ReportState::new(report.document.options.clone(), report.document.enabled);
    document.depth = report.document.depth + 1;
    document.flags = flags | Flags::SRCDOC;
    document.decoders = std::mem::take(&mut report.document.decoders);
    document.text_scanner = report.document.text_scanner.take();
    nested::enter(None, RuleFamily::Markup, report.events);
    let source = report.source.until(range.end);
    let end = scanner::srcdoc(source, range.start, report.events, &mut document);
    if end != ScanEnd::Exactly {
        let offset = report.source.offset(range.start);
        let event = Event::Diagnostic(&diagnostic::APPROXIMATE, offset);
        report.events.push(event);
    }
    report.events.push(Event::Leave);
    report.document.references += document.references;
    report.document.decoders = document.decoders;
    report.document.text_scanner = document.text_scanner;
}
