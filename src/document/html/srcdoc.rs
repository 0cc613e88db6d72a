//! The documents in `iframe srcdoc`: whole documents that inherit the base of their host.

use std::ops::Range;

use super::feedback::ScanEnd;
use super::report::{ReferenceReporter, ReportState};
use super::scanner;
use super::simulator::SimulatorParser;
use super::value::CharacterContext;
use crate::document::diagnostic;
use crate::document::events::{Enter, Event, RuleFamily};
use crate::document::flags::Flags;

/// How deep such documents may nest.
const DEPTH: usize = 16;

/// Scans the document in a value.
pub(super) fn scan(report: &mut ReferenceReporter<'_, '_, '_>, range: Range<usize>, flags: Flags) {
    if range.is_empty() {
        return;
    }
    if report.document.depth == DEPTH {
        let offset = report.source.offset(range.start);
        let event = Event::Diagnostic(&diagnostic::SRCDOC_DEPTH, offset);
        return report.events.push(event);
    }
    report.decoding(range, Some(CharacterContext::Attribute), |report, range| {
        nested(report, range, flags)
    });
}

fn nested(report: &mut ReferenceReporter<'_, '_, '_>, range: Range<usize>, flags: Flags) {
    let mut document = ReportState::new(report.document.options.clone(), report.document.wanted);
    document.depth = report.document.depth + 1;
    document.flags = flags | Flags::SRCDOC;
    document.spare = std::mem::take(&mut report.document.spare);
    document.characters = report.document.characters.take();
    report.events.push(Event::Enter(Enter {
        member: None,
        family: RuleFamily::Markup,
        base: None,
    }));
    let source = report.source.until(range.end);
    // It is UTF-8, whatever it says of itself.
    let mut parser = SimulatorParser::new(&document.options, document.wanted);
    let at = range.start;
    let done = scanner::whole(source, at, None, &mut parser, report.events, &mut document);
    if done != Ok(ScanEnd::Exactly) {
        let offset = report.source.offset(range.start);
        let event = Event::Diagnostic(&diagnostic::APPROXIMATE, offset);
        report.events.push(event);
    }
    report.events.push(Event::Leave);
    report.document.references += document.references;
    report.document.spare = document.spare;
    report.document.characters = document.characters;
}
