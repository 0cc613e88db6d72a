//! A finding: what is wrong with a link or a document, and how a worker hands it on.

use super::packed::{Packed, push_bytes, push_link, push_number, push_optional, text};
use super::rules::{Level, RULES, Rule};
use crate::bytes::lines::Position;
use crate::document::events::Span;
use crate::resolver::Link;

/// What is wrong with a link or a document.
#[derive(Clone, Copy)]
pub struct Finding<'a> {
    /// What it is about.
    pub subject: Subject<'a>,
    /// The rule.
    pub rule: &'static Rule,
    /// How much it matters.
    pub level: Level,
    /// What may have been meant.
    pub suggestion: Option<&'a [u8]>,
    /// What names the finding from one run to the next.
    pub key: &'a str,
}

/// What a finding is about.
#[derive(Clone, Copy)]
pub enum Subject<'a> {
    /// A link.
    Link(&'a Link<'a>),
    /// A document, or a place in it.
    Document(Spot<'a>),
}

/// A place in a document that is no link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spot<'a> {
    /// The enclosed document that it is in, if any.
    pub member: Option<&'a str>,
    /// Its line and column, if known.
    pub position: Option<Position>,
    /// Its bytes, if it is not the document as a whole.
    pub span: Option<Span>,
    /// What stands there.
    pub name: &'a [u8],
}

impl<'a> Finding<'a> {
    /// The line and column.
    pub fn position(&self) -> Option<Position> {
        match self.subject {
            Subject::Link(link) => link.position,
            Subject::Document(spot) => spot.position,
        }
    }

    /// The enclosed document that it is in, if any.
    pub fn member(&self) -> Option<&'a str> {
        match self.subject {
            Subject::Link(link) => link.member,
            Subject::Document(spot) => spot.member,
        }
    }

    /// The bytes that it is about.
    pub fn span(&self) -> Option<Span> {
        match self.subject {
            Subject::Link(link) => Some(link.span),
            Subject::Document(spot) => spot.span,
        }
    }

    /// The reference, or what else stands there.
    pub fn reference(&self) -> &'a [u8] {
        match self.subject {
            Subject::Link(link) => link.reference,
            Subject::Document(spot) => spot.name,
        }
    }

    /// Appends it for [`read`].
    pub fn push(&self, out: &mut Vec<u8>) {
        let rule = RULES.iter().position(|rule| std::ptr::eq(rule, self.rule));
        push_number(rule.unwrap_or(0) as u64, out);
        push_number(self.level as u64, out);
        push_optional(self.suggestion, out);
        push_bytes(self.key.as_bytes(), out);
        match self.subject {
            Subject::Link(link) => {
                out.push(0);
                push_link(link, out);
            }
            Subject::Document(spot) => {
                out.push(1);
                spot.push(out);
            }
        }
    }
}

impl Spot<'_> {
    fn push(&self, out: &mut Vec<u8>) {
        push_optional(self.member.map(str::as_bytes), out);
        push_number(self.position.map_or(0, |position| position.line), out);
        push_number(self.position.map_or(0, |position| position.column), out);
        push_number(self.span.map_or(0, |span| span.start + 1), out);
        push_number(self.span.map_or(0, |span| span.end - span.start), out);
        push_bytes(self.name, out);
    }
}

/// Reads a finding that was appended, and hands it on.
pub fn read<T>(packed: &mut Packed<'_>, then: impl FnOnce(&Finding<'_>) -> T) -> T {
    let rule = &RULES[packed.number() as usize % RULES.len()];
    let level = match packed.number() {
        0 => Level::Allow,
        1 => Level::Warning,
        _ => Level::Error,
    };
    let suggestion = packed.optional();
    let key = text(packed.bytes());
    let finding = |subject| Finding {
        subject,
        rule,
        level,
        suggestion,
        key,
    };
    if packed.byte() == 0 {
        return packed.link(|link| {
            // The link lives as long as the closure, and so does what is made of it.
            then(&Finding {
                subject: Subject::Link(link),
                rule,
                level,
                suggestion,
                key,
            })
        });
    }
    let member = packed.optional().map(text);
    let (line, column) = (packed.number(), packed.number());
    let start = packed.number().checked_sub(1);
    let length = packed.number();
    let spot = Spot {
        member,
        position: (line > 0).then_some(Position { line, column }),
        span: start.map(|start| Span {
            start,
            end: start + length,
        }),
        name: packed.bytes(),
    };
    then(&finding(Subject::Document(spot)))
}
