//! A message inside a transfer encoding, or a header block that is a part: bytes of a part that
//! are no text, with what of them is not decided yet.

use super::header::{Header, HeaderStop, Hyphens};
use super::part_scanners::PartScanners;
use super::tree::MimeTree;
use crate::document::events::{Enter, Event, Events, RuleFamily};

/// What such a part holds.
pub(super) enum NestedContent {
    Message(Box<MimeTree>),
    Headers(Box<Header>),
}

/// A part that is read by rules of its own.
pub(super) struct NestedPart {
    holds: NestedContent,
    carry: Vec<u8>,
    /// The place in the archive.
    member: String,
    /// The header block is complete.
    done: bool,
}

impl std::fmt::Debug for NestedPart {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Nested")
    }
}

impl NestedPart {
    pub(super) fn new(mut holds: NestedContent, member: &str) -> Self {
        if let NestedContent::Headers(block) = &mut holds {
            block.begin();
        }
        NestedPart {
            holds,
            carry: Vec::new(),
            member: member.to_owned(),
            done: false,
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8], readers: &mut PartScanners, out: &mut Events) {
        self.carry.extend_from_slice(bytes);
        self.feed(false, readers, out);
    }

    pub(super) fn end(&mut self, readers: &mut PartScanners, out: &mut Events) {
        self.feed(true, readers, out);
    }

    fn feed(&mut self, end: bool, readers: &mut PartScanners, out: &mut Events) {
        let taken = match &mut self.holds {
            NestedContent::Message(tree) => {
                let carry = std::mem::take(&mut self.carry);
                let taken = tree.feed_all(&carry, end, readers, out);
                self.carry = carry;
                taken
            }
            NestedContent::Headers(block) => {
                if self.done {
                    self.carry.len()
                } else {
                    let (at, stop) = block.feed(&self.carry, 0, end, Hyphens::TakeAll, readers);
                    self.done = stop != HeaderStop::More;
                    if self.done {
                        headers(block, &self.member, out);
                    }
                    at
                }
            }
        };
        self.carry.drain(..taken);
    }
}

/// Tells the references of a header block that is a part.
fn headers(block: &Header, member: &str, out: &mut Events) {
    if block.events.list.is_empty() {
        return;
    }
    let member = Some(out.store(member.as_bytes()));
    out.push(Event::Enter(Enter {
        member,
        family: RuleFamily::Plain,
        base: None,
    }));
    out.push(Event::Settled);
    for event in &block.events.list {
        let copy = out.adopt(event, &block.events, &[]);
        out.push(copy);
    }
    out.push(Event::Leave);
}
