//! References and faults as events.

use std::ops::Range;

use crate::bytes::class::{run_end, run_start};
use crate::bytes::seek::is_space;
use crate::document::events::{
    BaseSelector, Context, Escapes, Event, Events, FoundReference, NameRange, Quoting, WindowEvents,
};
use crate::document::flags::Flags;
use crate::document::source_text::SourceText;
use crate::uri::scheme_length;

/// Returns the trimmed reference in a range of a text; `None` if it is empty.
pub(super) fn reference(
    text: SourceText<'_>,
    range: Range<usize>,
    names: [NameRange; 2],
    events: &mut Events,
) -> Option<FoundReference> {
    let range = trimmed(text.bytes, range);
    let [element, attribute] = names;
    let context = match attribute {
        NameRange::None => Context::Text,
        _ => Context::Attribute,
    };
    (!range.is_empty()).then(|| FoundReference {
        element,
        attribute,
        quoting: text.quoting,
        ..text.reference(range, context, events)
    })
}

/// Reports a reference that is a word of a text.
pub(super) fn report_item(
    text: SourceText<'_>,
    range: Range<usize>,
    names: [NameRange; 2],
    base: BaseSelector,
    events: &mut Events,
) {
    if let Some(mut found) = reference(text, range, names, events) {
        found.base = base;
        found.quoting = text.quoted(Escapes::Item);
        events.push(Event::Reference(found));
    }
}

/// Reads the references from an index on as attribute value templates (XSLT 3.0, 5.6.1): references
/// with an expression are templates, in others doubled braces are undone.
pub(super) fn read_templates(first: usize, run: &mut WindowEvents) {
    let events = &mut *run.events;
    for index in first..events.list.len() {
        let Event::Reference(mut found) = events.list[index] else {
            continue;
        };
        found.quoting = Quoting::of(Escapes::Item).within(Quoting::of(Escapes::Xml));
        events.list[index] = Event::Reference(found);
        let text = events.bytes(found.text, run.window.bytes);
        if memchr::memchr2(b'{', b'}', text).is_none() {
            continue;
        }
        let (mut value, mut rest) = (Vec::new(), text);
        while let [first, after @ ..] = rest {
            let is_brace = matches!(first, b'{' | b'}');
            let is_doubled = is_brace && after.first() == Some(first);
            if *first == b'{' && !is_doubled {
                found.flags |= Flags::TEMPLATE;
                break;
            }
            value.push(*first);
            rest = &after[usize::from(is_doubled)..];
        }
        if !found.flags.contains(Flags::TEMPLATE) {
            found.text = events.store(&value);
        }
        events.list[index] = Event::Reference(found);
    }
}

/// Removes the base of relative references from an index on, for what a sitemap lists.
pub(super) fn refuse_relative(first: usize, run: &mut WindowEvents) {
    let events = &mut *run.events;
    for index in first..events.list.len() {
        if let Event::Reference(mut found) = events.list[index]
            && scheme_length(events.bytes(found.text, run.window.bytes)).is_none()
        {
            found.flags |= Flags::NONCONFORMING;
            found.base = BaseSelector::Nothing;
            events.list[index] = Event::Reference(found);
        }
    }
}

pub(super) fn seconds(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut at = 0;
    let words = bytes.split(|&byte| is_space(byte)).map(|word| {
        let start = at;
        at += word.len() + 1;
        start..start + word.len()
    });
    words
        .filter(|word| !word.is_empty())
        .skip(1)
        .step_by(2)
        .collect()
}

pub(super) fn trimmed(bytes: &[u8], range: Range<usize>) -> Range<usize> {
    let is_blank = |byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    let start = run_end(&bytes[..range.end], range.start, is_blank);
    start..run_start(bytes, start..range.end, is_blank)
}
