//! Instructions of fields in word processing (ECMA-376 part 1, 17.16): those that name a resource.

use std::ops::Range;

use super::report::report_item;
use crate::bytes::steps::step;
use crate::document::diagnostic;
use crate::document::events::{BaseSelector, Event, Events, NameRange};
use crate::document::source_text::DecodedText;

/// The names of fields whose instructions name a resource, and their switches with a word.
const FIELDS: [(&[u8], &[u8]); 2] = [(b"HYPERLINK", b"lot"), (b"INCLUDEPICTURE", b"c")];
const LONGEST_INSTRUCTION: usize = 8 << 10;

#[derive(Debug, Default)]
pub(super) struct FieldResource {
    pub(super) range: Option<Range<usize>>,
    /// Whether further text makes no difference.
    is_decided: bool,
    pub(super) is_cut: bool,
}

/// Returns the resource that the start of an instruction names, if any.
pub(super) fn resource(instruction: &[u8]) -> FieldResource {
    let mut words = Words {
        bytes: instruction,
        at: 0,
        is_bare: true,
    };
    let Some(name) = words.next() else {
        return FieldResource::default();
    };
    let may_go_on = name.end == instruction.len();
    let name = instruction[name].to_ascii_uppercase();
    let Some((_, valued)) = FIELDS.iter().find(|(known, _)| *known == name) else {
        let is_start = |(known, _): &(&[u8], &[u8])| known.starts_with(&name);
        return FieldResource {
            is_decided: !(may_go_on && FIELDS.iter().any(is_start)),
            ..FieldResource::default()
        };
    };
    let (mut has_switch, mut takes_word) = (false, false);
    while let Some(word) = words.next() {
        let is_end = word.end == instruction.len();
        // A quoted word is whole only if its closing quote was read.
        let is_cut = is_end && !words.is_bare;
        let is_value = std::mem::take(&mut takes_word);
        match instruction[word.clone()] {
            _ if is_value && !is_cut => {}
            // A switch, and the word that belongs to it.
            [b'\\', switch, ..] if words.is_bare => {
                has_switch = true;
                takes_word = valued.contains(&switch.to_ascii_lowercase());
            }
            _ => {
                let is_whole = !is_cut && !word.is_empty();
                return FieldResource {
                    range: is_whole.then_some(word),
                    is_decided: !is_end,
                    is_cut,
                };
            }
        }
    }
    FieldResource {
        is_cut: !has_switch,
        ..FieldResource::default()
    }
}

fn begins_field(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    FIELDS.iter().any(|(name, _)| {
        let start = text.get(..name.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(name))
            && text.get(name.len()).is_none_or(u8::is_ascii_whitespace)
    })
}

/// The instruction of a field, in one or more runs of text: writers break it as any other text.
#[derive(Default)]
pub(super) struct FieldInstruction {
    text: DecodedText,
    /// Whether the rest of the instruction is ignored.
    is_decided: bool,
    has_marks: bool,
}

impl FieldInstruction {
    fn forget(&mut self) {
        self.text.begin(0);
        self.is_decided = false;
    }

    pub(super) fn run(&mut self, text: &DecodedText, events: &mut Events) {
        // Without marks, the name of another field ends this one.
        if !self.has_marks && begins_field(&text.bytes) && !self.is_cut() {
            self.end(events);
        }
        if self.is_decided || text.bytes.is_empty() {
            return;
        }
        let before = self.text.bytes.len();
        if before == 0 {
            self.text.begin(text.map.start(0));
        } else if before + text.bytes.len() > LONGEST_INSTRUCTION {
            let at = self.text.map.start(0);
            events.push(Event::Diagnostic(&diagnostic::PACKAGE_FIELD_BROKEN, at));
            self.is_decided = true;
            return;
        }
        self.text.join(text);
        self.text.quoting = text.quoting;
        step(self.text.bytes.len());
        let resource = resource(&self.text.bytes);
        self.is_decided = resource.is_decided;
        if resource.is_decided {
            self.report(resource.range, events);
        }
    }

    /// Takes a mark, after which another instruction or the text of the field begins.
    pub(super) fn mark(&mut self, events: &mut Events) {
        self.has_marks = true;
        self.end(events);
    }

    pub(super) fn end(&mut self, events: &mut Events) {
        if !self.is_decided {
            let resource = resource(&self.text.bytes);
            self.report(resource.range, events);
            if resource.is_cut {
                let at = self.text.map.start(0);
                events.push(Event::Diagnostic(&diagnostic::PACKAGE_FIELD_BROKEN, at));
            }
        }
        self.forget();
    }

    fn is_cut(&self) -> bool {
        !self.is_decided && resource(&self.text.bytes).is_cut
    }

    fn report(&self, part: Option<Range<usize>>, events: &mut Events) {
        let (text, base) = (self.text.source(), BaseSelector::Package);
        let names = [NameRange::Known("instrText"), NameRange::None];
        if let Some(part) = part {
            report_item(text, part, names, base, events);
        }
    }
}

/// Words of an instruction, which may be quoted.
struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Whether the last word was not quoted.
    is_bare: bool,
}

impl Words<'_> {
    fn next(&mut self) -> Option<Range<usize>> {
        let rest = &self.bytes[self.at..];
        let start = self.at + rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
        self.is_bare = self.bytes[start] != b'"';
        let inner = start + usize::from(!self.is_bare);
        let rest = &self.bytes[inner..];
        let end = if self.is_bare {
            rest.iter().position(u8::is_ascii_whitespace)
        } else {
            // A quote in a word has a backslash before it.
            let mut quotes = memchr::memchr_iter(b'"', rest);
            quotes.find(|&at| at == 0 || rest[at - 1] != b'\\')
        };
        let end = inner + end.unwrap_or(rest.len());
        self.at = self.bytes.len().min(end + usize::from(!self.is_bare));
        Some(inner..end)
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/document/xml/field.rs"]
mod tests;
