//! Instructions of fields in word processing (ECMA-376 part 1, 17.16): those that name a resource.

use std::ops::Range;

use super::report::report_item;
use crate::bytes::pattern::Pattern;
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

/// The start of text before which another field ended.
static FIELD: Pattern =
    Pattern::new(r"^[\t\n\f\r ]*(?i:HYPERLINK|INCLUDEPICTURE)(?:[\t\n\f\r ]|$)");
/// A word: in quotes, where a quote in it has a backslash before it, in quotes that are not closed, or without.
static WORD: Pattern = Pattern::new(r#""(?:((?:.*?[^\\])??)"|(.*))|([^"\t\n\f\r ][^\t\n\f\r ]*)"#);

/// Returns the resource that the start of an instruction names, if any.
pub(super) fn resource(instruction: &[u8]) -> FieldResource {
    let words = WORD.captures_iter(instruction);
    let mut words = words.filter_map(|word| {
        let [whole, cut, bare] = [1, 2, 3].map(|kind| Some(word.get(kind)?.range()));
        let (is_cut, is_bare) = (cut.is_some(), bare.is_some());
        Some((whole.or(cut).or(bare)?, is_cut, is_bare))
    });
    let Some((name, ..)) = words.next() else {
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
    for (word, is_cut, is_bare) in words {
        let is_value = std::mem::take(&mut takes_word);
        match instruction[word.clone()] {
            _ if is_value && !is_cut => {}
            // A switch, and the word that belongs to it.
            [b'\\', switch, ..] if is_bare => {
                has_switch = true;
                takes_word = valued.contains(&switch.to_ascii_lowercase());
            }
            _ => {
                let is_whole = !is_cut && !word.is_empty();
                return FieldResource {
                    is_decided: word.end < instruction.len(),
                    range: is_whole.then_some(word),
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
        if !self.has_marks && FIELD.is_match(&text.bytes) && !self.is_cut() {
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

#[cfg(test)]
#[path = "../../../tests/unit/document/xml/field.rs"]
mod tests;
