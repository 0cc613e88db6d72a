//! A finding: what is wrong with a link or a document, and how a worker hands it on.

use std::borrow::Cow;

use super::paths::FileId;
use super::rules::{Level, RULES, Rule};
use super::wire::{WireReader, push_bytes, push_link, push_number, push_optional, text};
use crate::bytes::lines::Position;
use crate::document::events::Span;
use crate::resolver::Link;

/// What is wrong with a link or a document.
#[derive(Clone, Copy)]
pub struct Finding<'a> {
    /// What it is about.
    pub subject: FindingSubject<'a>,
    /// The rule.
    pub rule: &'static Rule,
    /// How much it matters.
    pub level: Level,
    /// The symbolic link on the way to the target that matters.
    pub symlink: Option<Symlink<'a>>,
    /// What may have been meant.
    pub suggestion: Option<&'a [u8]>,
    /// What names the finding from one run to the next.
    pub key: &'a str,
}

/// Where a symbolic link leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symlink<'a> {
    /// Out of the roots, to this path.
    Outside(&'a [u8]),
    /// To nothing; the text of the link.
    Dangling(&'a [u8]),
}

/// How the suggestion of a finding is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SuggestionHint<'a> {
    /// There is none.
    Nothing,
    /// This is it.
    Known(&'a [u8]),
    /// It is a name in the directory of the target.
    File,
    /// It is a name in a document.
    Fragment(FileId),
}

/// What a finding is about.
#[derive(Clone, Copy)]
pub enum FindingSubject<'a> {
    /// A link.
    Link(&'a Link<'a>),
    /// A document, or a place in it.
    Document(DocumentPosition<'a>),
}

/// A place in a document that is no link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DocumentPosition<'a> {
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
            FindingSubject::Link(link) => link.position,
            FindingSubject::Document(spot) => spot.position,
        }
    }

    /// The enclosed document that it is in, if any.
    pub fn member(&self) -> Option<&'a str> {
        match self.subject {
            FindingSubject::Link(link) => link.member,
            FindingSubject::Document(spot) => spot.member,
        }
    }

    /// The bytes that it is about.
    pub fn span(&self) -> Option<Span> {
        match self.subject {
            FindingSubject::Link(link) => Some(link.span),
            FindingSubject::Document(spot) => spot.span,
        }
    }

    /// The reference, or what else stands there.
    pub fn reference(&self) -> &'a [u8] {
        match self.subject {
            FindingSubject::Link(link) => link.reference,
            FindingSubject::Document(spot) => spot.name,
        }
    }

    /// What is wrong, in words.
    pub fn message(&self) -> Cow<'static, str> {
        match self.symlink {
            None => Cow::Borrowed(self.rule.message),
            Some(Symlink::Outside(path)) => Cow::Owned(format!(
                "a symbolic link leads out of the root, to {}",
                String::from_utf8_lossy(path)
            )),
            Some(Symlink::Dangling(text)) => Cow::Owned(format!(
                "{}: a symbolic link points to {}",
                self.rule.message,
                String::from_utf8_lossy(text)
            )),
        }
    }
}

/// A finding on its way to the reports: its suggestion is yet to be found, and its key to be
/// written.
pub(super) struct FindingDraft<'a> {
    pub(super) subject: FindingSubject<'a>,
    /// The rule's place in the table.
    pub(super) rule: usize,
    pub(super) level: Level,
    pub(super) symlink: Option<Symlink<'a>>,
    pub(super) hint: SuggestionHint<'a>,
    pub(super) key: u64,
}

impl<'a> FindingDraft<'a> {
    /// Appends it for [`FindingDraft::read`].
    pub(super) fn push(&self, out: &mut Vec<u8>) {
        push_number(self.rule as u64, out);
        out.push(self.level as u8);
        out.extend_from_slice(&self.key.to_le_bytes());
        match self.symlink {
            None => out.push(0),
            Some(Symlink::Outside(path)) => {
                out.push(1);
                push_bytes(path, out);
            }
            Some(Symlink::Dangling(text)) => {
                out.push(2);
                push_bytes(text, out);
            }
        }
        match self.hint {
            SuggestionHint::Nothing => out.push(0),
            SuggestionHint::Known(suggestion) => {
                out.push(1);
                push_bytes(suggestion, out);
            }
            SuggestionHint::File => out.push(2),
            SuggestionHint::Fragment(file) => {
                out.push(3);
                push_number(u64::from(file.0), out);
            }
        }
        match self.subject {
            FindingSubject::Link(link) => {
                out.push(0);
                push_link(link, out);
            }
            FindingSubject::Document(spot) => {
                out.push(1);
                spot.push(out);
            }
        }
    }

    /// Reads a draft that was appended, and hands it on.
    pub(super) fn read<T>(
        packed: &mut WireReader<'_>,
        then: impl FnOnce(&FindingDraft<'_>) -> T,
    ) -> T {
        let rule = packed.number() as usize % RULES.len();
        let level = match packed.byte() {
            0 => Level::Allow,
            1 => Level::Warning,
            _ => Level::Error,
        };
        let key = packed.fixed();
        let symlink = match packed.byte() {
            0 => None,
            1 => Some(Symlink::Outside(packed.bytes())),
            _ => Some(Symlink::Dangling(packed.bytes())),
        };
        let hint = match packed.byte() {
            0 => SuggestionHint::Nothing,
            1 => SuggestionHint::Known(packed.bytes()),
            2 => SuggestionHint::File,
            _ => SuggestionHint::Fragment(FileId(packed.number() as u32)),
        };
        let draft = |subject| FindingDraft {
            subject,
            rule,
            level,
            symlink,
            hint,
            key,
        };
        if packed.byte() != 0 {
            let spot = DocumentPosition::read(packed);
            return then(&draft(FindingSubject::Document(spot)));
        }
        // A link lives as long as the closure, and so does the draft that is made of it.
        packed.link(|link| {
            then(&FindingDraft {
                subject: FindingSubject::Link(link),
                rule,
                level,
                symlink,
                hint,
                key,
            })
        })
    }

    /// The finding, once its suggestion has been found and its key been written.
    pub(super) fn finding<'f>(&'f self, suggestion: Option<&'f [u8]>, key: &'f str) -> Finding<'f> {
        Finding {
            subject: self.subject,
            rule: &RULES[self.rule],
            level: self.level,
            symlink: self.symlink,
            suggestion,
            key,
        }
    }
}

impl<'a> DocumentPosition<'a> {
    fn push(&self, out: &mut Vec<u8>) {
        push_optional(self.member.map(str::as_bytes), out);
        push_number(self.position.map_or(0, |position| position.line), out);
        push_number(self.position.map_or(0, |position| position.column), out);
        push_number(self.span.map_or(0, |span| span.start + 1), out);
        push_number(self.span.map_or(0, |span| span.end - span.start), out);
        push_bytes(self.name, out);
    }

    fn read(packed: &mut WireReader<'a>) -> Self {
        let member = packed.optional().map(text);
        let (line, column) = (packed.number(), packed.number());
        let start = packed.number().checked_sub(1);
        let length = packed.number();
        DocumentPosition {
            member,
            position: (line > 0).then_some(Position { line, column }),
            span: start.map(|start| Span {
                start,
                end: start + length,
            }),
            name: packed.bytes(),
        }
    }
}
