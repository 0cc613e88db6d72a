//! References and faults as events.

use std::ops::Range;

use super::text::{EntityFault, XmlSource};
use crate::bytes::seek::is_space;
use crate::document::diagnostic;
use crate::document::events::{
    BaseSelector, Context, Event, Events, FoundReference, NameRange, TextRange,
};
use crate::document::flags::Flags;

/// A reference to be reported, but for its text.
pub(super) struct XmlReference {
    pub(super) context: Context,
    pub(super) names: [NameRange; 2],
    pub(super) flags: Flags,
    pub(super) base: BaseSelector,
    pub(super) resolves_as: Option<TextRange>,
}

impl XmlReference {
    /// The value of an attribute.
    pub(super) fn attribute(names: [NameRange; 2]) -> Self {
        XmlReference {
            context: Context::Attribute,
            names,
            flags: Flags::NONE,
            base: BaseSelector::Document,
            resolves_as: None,
        }
    }
}

/// Reports a range of a text, without white space around it.
#[inline]
pub(super) fn report(
    source: &XmlSource<'_>,
    range: Range<usize>,
    reference: XmlReference,
    events: &mut Events,
) {
    let range = trimmed(source.bytes(), range);
    if range.is_empty() {
        return;
    }
    let span = source.span(&range);
    let text = source.text(range, events);
    let [element, attribute] = reference.names;
    events.push(Event::Reference(FoundReference {
        element,
        attribute,
        flags: reference.flags,
        base: reference.base,
        resolves_as: reference.resolves_as,
        ..FoundReference::new(span, text, reference.context)
    }));
}

/// Returns the second of each pair of words in a range.
pub(super) fn seconds(bytes: &[u8], range: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut at, mut count) = (range.start, 0);
    while at < range.end {
        let rest = &bytes[at..range.end];
        let length = rest.iter().take_while(|&&byte| !is_space(byte)).count();
        count += usize::from(length > 0);
        if length > 0 && count % 2 == 0 {
            found.push(at..at + length);
        }
        at += length + 1;
    }
    found
}

pub(super) fn report_fault(fault: EntityFault, at: u64, events: &mut Events) {
    let code = match fault {
        EntityFault::NotWellFormed => &diagnostic::XML_NOT_WELL_FORMED,
        EntityFault::Limit => &diagnostic::XML_ENTITY_LIMIT,
    };
    events.push(Event::Diagnostic(code, at));
}

/// Returns the range without white space of XML at both ends.
pub(super) fn trimmed(bytes: &[u8], range: Range<usize>) -> Range<usize> {
    let value = &bytes[range.clone()];
    let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    let start = value.iter().take_while(is_blank).count();
    let end = value[start..].iter().rev().take_while(is_blank).count();
    range.start + start..range.end - end
}

/// Whether a reference has a scheme.
pub(super) fn is_absolute(reference: &[u8]) -> bool {
    let scheme = memchr::memchr(b':', reference).map(|colon| &reference[..colon]);
    scheme.is_some_and(|scheme| {
        scheme.first().is_some_and(u8::is_ascii_alphabetic)
            && (scheme.iter()).all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte))
    })
}
