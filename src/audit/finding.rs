//! Findings, and the baseline: the keys of findings that are known and accepted.

use std::borrow::Cow;
use std::io::{self, BufRead, Read};
use std::path::PathBuf;

use foldhash::HashSet;

use super::names::FileId;
use super::rules::{Level, RuleId};
use super::wire::{Packed, WireReader, packed_fields, packed_variants, push_link};
use crate::bytes::lines::{BYTE_ORDER_MARK, Position};
use crate::document::events::Span;
use crate::linker::Link;
use crate::output::DocumentPath;
use crate::output::escape::push_visible;
use crate::pipeline::options::{FNV1A_START, fnv1a};
use crate::pipeline::walk::path_of;

/// A link or a document to which a rule applies.
#[derive(Clone, Debug)]
pub struct Finding<'a> {
    pub(super) document: &'a DocumentPath,
    pub(super) draft: &'a FindingDraft<'a>,
    pub(super) suggestion: Option<&'a Suggestion>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FindingCause<'a> {
    pub(super) kind: CauseKind,
    text: Cow<'a, [u8]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CauseKind {
    /// A symbolic link to a path, out of the roots.
    Outside,
    /// A symbolic link to nothing, by its text.
    Dangling,
    /// More `..` segments than there are directories; resolution drops the others.
    AboveRoot,
    /// Out of the repository of the document.
    OutOfRepository,
    /// A placeholder of a template.
    Unfilled,
    /// A description, as of the rules of a server, or the name of a missing fragment.
    Words,
}

impl FindingCause<'static> {
    pub(super) fn new(kind: CauseKind, text: impl Into<Vec<u8>>) -> Self {
        let text = Cow::Owned(text.into());
        FindingCause { kind, text }
    }
}

/// A reference that may have been meant instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Suggestion {
    /// The suggested reference, in the form of the original.
    pub(super) reference: Vec<u8>,
    /// If it is certain that this was meant.
    pub(super) repair: Option<Repair>,
}

/// The place in the sources of a built site that a finding comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SourceOrigin {
    pub(super) path: Option<Vec<u8>>,
    pub(super) line: Option<u64>,
}

impl Suggestion {
    pub(super) fn new(reference: Vec<u8>, repair: Option<Repair>) -> Self {
        Suggestion { reference, repair }
    }
}

/// A certain difference between a reference and its suggestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repair {
    /// The case or the Unicode form of names.
    Case,
    /// The encoding of characters.
    Encoding,
    /// A slash at the end of the path.
    Slash,
    /// The destination of a page that redirects.
    Redirect,
    /// The new name of a file that has been renamed.
    Renamed,
    /// The directory of the only file with the name.
    Moved,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SuggestionHint {
    Nothing,
    /// This one alone.
    Known(Suggestion),
    /// The names in the directory of the target.
    File,
    /// The names in a document, and whether the reference reaches it by its name, without a
    /// redirect.
    Fragment(FileId, bool),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum FindingSubject<'a> {
    Link(&'a Link<'a>),
    /// A document, or a place in it.
    Document(DocumentPosition<'a>),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct DocumentPosition<'a> {
    pub(super) member: Option<&'a str>,
    pub(super) position: Option<Position>,
    /// `None` if the subject is the document as a whole.
    pub(super) span: Option<Span>,
    /// The name at the place, such as a duplicate id.
    pub(super) name: &'a [u8],
}

impl<'a> FindingSubject<'a> {
    fn place(self) -> DocumentPosition<'a> {
        match self {
            FindingSubject::Document(position) => position,
            FindingSubject::Link(link) => DocumentPosition {
                member: link.member,
                position: link.position,
                span: link.exact_span(),
                name: link.reference,
            },
        }
    }
}

impl<'a> Finding<'a> {
    /// Returns the path of the document, as reached from the paths of the audit.
    pub fn path(&self) -> PathBuf {
        path_of(self.document.path())
    }

    /// Returns the enclosed document, such as a part of a message, if the finding is in one.
    pub fn member(&self) -> Option<&'a str> {
        self.draft.subject.place().member
    }

    /// Returns the line and column, if known.
    pub fn position(&self) -> Option<Position> {
        self.draft.subject.place().position
    }

    /// Returns the bytes of the reference or the position, unless the finding is about the document
    /// as a whole.
    pub fn span(&self) -> Option<Span> {
        self.draft.subject.place().span
    }

    /// Returns the link, if the finding is about one.
    pub fn link(&self) -> Option<&'a Link<'a>> {
        match self.draft.subject {
            FindingSubject::Link(link) => Some(link),
            FindingSubject::Document(_) => None,
        }
    }

    /// Returns the reference, or the name at the position, such as a duplicate id.
    pub fn reference(&self) -> &'a [u8] {
        self.draft.subject.place().name
    }

    /// Returns the reference or name, if it is UTF-8.
    pub fn reference_str(&self) -> Option<&'a str> {
        str::from_utf8(self.reference()).ok()
    }

    /// Returns the name of the rule.
    pub fn rule(&self) -> &'static str {
        self.draft.rule.name()
    }

    /// Returns the severity.
    pub fn level(&self) -> Level {
        self.draft.level
    }

    /// Returns the message for people.
    pub fn message(&self) -> Cow<'static, str> {
        let message = self.draft.rule.rule().message;
        let Some(cause) = &self.draft.cause else {
            return message.into();
        };
        let text = String::from_utf8_lossy(&cause.text);
        Cow::Owned(match cause.kind {
            CauseKind::Outside => format!("a symbolic link escapes the root, to {text}"),
            CauseKind::Dangling => format!("{message}: a symbolic link points to {text}"),
            CauseKind::OutOfRepository => "the reference escapes the repository".to_owned(),
            CauseKind::Unfilled => "the placeholder of a template is unfilled".to_owned(),
            CauseKind::AboveRoot => format!("{message}: the reference escapes the root"),
            CauseKind::Words => format!("{message}: {text}"),
        })
    }

    /// Returns the message for a group by target or by rule, and the message of the finding if others may have
    /// another cause.
    pub(super) fn group_message(&self, is_of_target: bool) -> (Cow<'static, str>, Option<String>) {
        let is_shared =
            |cause: &FindingCause<'_>| is_of_target && cause.kind != CauseKind::AboveRoot;
        if self.draft.cause.as_ref().is_none_or(is_shared) {
            return (self.message(), None);
        }
        let own = self.message().into_owned();
        (self.draft.rule.rule().message.into(), Some(own))
    }

    /// Returns the reference that may have been meant.
    pub fn suggestion(&self) -> Option<&'a [u8]> {
        self.suggestion.map(|known| &*known.reference)
    }

    /// Returns the reference that may have been meant, if it is UTF-8.
    pub fn suggestion_str(&self) -> Option<&'a str> {
        str::from_utf8(self.suggestion()?).ok()
    }

    /// Returns the path of the source that the finding comes from, if the audit has sources.
    pub fn source_path(&self) -> Option<PathBuf> {
        let origin = self.draft.origin.as_ref()?;
        origin.path.as_deref().map(path_of)
    }

    /// Returns the line in the source.
    pub fn source_line(&self) -> Option<u64> {
        self.draft.origin.as_ref()?.line
    }

    /// Returns the key for a baseline: 16 hexadecimal digits, which stay the same when other lines of
    /// the document change.
    pub fn key(&self) -> String {
        format!("{:016x}", self.draft.key)
    }

    /// Returns the key of the findings of this rule with this target: 16 hexadecimal digits, the same
    /// from one run to the next.
    pub fn group(&self) -> String {
        format!("{:016x}", self.draft.group)
    }
}

/// A finding before the search for its suggestion.
#[derive(Clone, Debug)]
pub(super) struct FindingDraft<'a> {
    pub(super) subject: FindingSubject<'a>,
    pub(super) rule: RuleId,
    pub(super) level: Level,
    pub(super) cause: Option<FindingCause<'a>>,
    pub(super) hint: SuggestionHint,
    pub(super) key: u64,
    /// The key of the rule and the target (A47).
    pub(super) group: u64,
    /// The target as shown for a group.
    pub(super) target_name: Cow<'a, [u8]>,
    /// `None` in an audit without sources.
    pub(super) origin: Option<SourceOrigin>,
}

impl<'a> FindingDraft<'a> {
    /// Makes a finding about the document instead of a link.
    pub(super) fn about(
        position: DocumentPosition<'a>,
        (rule, level): (RuleId, Level),
        key: u64,
        target_name: &'a [u8],
    ) -> Self {
        FindingDraft {
            subject: FindingSubject::Document(position),
            rule,
            level,
            cause: None,
            hint: SuggestionHint::Nothing,
            key,
            group: group_key(rule, target_name),
            target_name: shortened(target_name),
            origin: None,
        }
    }

    pub(super) fn push(&self, out: &mut Vec<u8>) {
        self.rule.pack(out);
        self.level.pack(out);
        self.cause.pack(out);
        self.hint.pack(out);
        (self.key.to_le_bytes(), self.group.to_le_bytes()).pack(out);
        self.target_name.pack(out);
        self.origin.pack(out);
        matches!(self.subject, FindingSubject::Link(_)).pack(out);
        match self.subject {
            FindingSubject::Link(link) => push_link(link, out),
            FindingSubject::Document(position) => position.pack(out),
        }
    }

    /// Reads a pushed draft and passes it to a closure.
    pub(super) fn read<T>(
        packed: &mut WireReader<'_>,
        then: impl FnOnce(&FindingDraft<'_>) -> T,
    ) -> T {
        let mut draft = FindingDraft {
            subject: FindingSubject::Document(DocumentPosition::default()),
            rule: Packed::unpack(packed),
            level: Packed::unpack(packed),
            cause: Packed::unpack(packed),
            hint: Packed::unpack(packed),
            key: u64::from_le_bytes(Packed::unpack(packed)),
            group: u64::from_le_bytes(Packed::unpack(packed)),
            target_name: Packed::unpack(packed),
            origin: Packed::unpack(packed),
        };
        if bool::unpack(packed) {
            return packed.link(|link| {
                let subject = FindingSubject::Link(link);
                then(&FindingDraft { subject, ..draft })
            });
        }
        draft.subject = FindingSubject::Document(Packed::unpack(packed));
        then(&draft)
    }

    /// Returns a draft that is only shown: with its suggestion, and in place of a link its
    /// reference and position.
    pub(super) fn to_show<'f>(&'f self, suggestion: Option<&'f Suggestion>) -> FindingDraft<'f> {
        let mut position = self.subject.place();
        if let FindingSubject::Link(_) = self.subject {
            position.span = None;
        }
        let known = suggestion.cloned().map(SuggestionHint::Known);
        FindingDraft {
            subject: FindingSubject::Document(position),
            hint: known.unwrap_or(SuggestionHint::Nothing),
            ..self.clone()
        }
    }
}

packed_fields! {
    DocumentPosition<'a> { member, position, span, name }
    FindingCause<'a> { kind, text }
    SourceOrigin { path, line }
    Suggestion { reference, repair }
}

packed_variants! {
    CauseKind { Outside, Dangling, AboveRoot, OutOfRepository, Unfilled, Words }
    Repair { Case, Encoding, Slash, Redirect, Renamed, Moved }
    SuggestionHint { Nothing, Known(suggestion), File, Fragment(file, is_settled) }
}

/// In bytes: reports keep a name for each group, and messages of a million findings may each have
/// several.
const LONGEST_NAME: usize = 240;

pub(super) fn shortened(name: &[u8]) -> Cow<'_, [u8]> {
    if name.len() <= LONGEST_NAME {
        return name.into();
    }
    // Not within a character: further bytes begin with the bits 10.
    let is_start = |at: &usize| name.get(*at).is_none_or(|byte| byte & 0xC0 != 0x80);
    let head = (0..=LONGEST_NAME / 2).rev().find(is_start).unwrap_or(0);
    let tail = (name.len() - LONGEST_NAME / 2..=name.len()).find(is_start);
    let tail = tail.unwrap_or(name.len());
    let parts = [&name[..head], "\u{2026}".as_bytes(), &name[tail..]];
    parts.concat().into()
}

/// Returns the key of the `nth` finding with a document, rule and reference, without lines and
/// offsets (A31): an edit elsewhere changes no key.
pub(super) fn finding_key(
    path: &[u8],
    member: Option<&str>,
    rule: RuleId,
    reference: &[u8],
    nth: u64,
) -> u64 {
    let mut hash = FNV1A_START;
    let member = member.unwrap_or("").as_bytes();
    for part in [path, member, rule.name().as_bytes(), reference] {
        hash = fnv1a(hash, &(part.len() as u64).to_le_bytes());
        hash = fnv1a(hash, part);
    }
    fnv1a(hash, &nth.to_le_bytes())
}

pub(super) fn group_key(rule: RuleId, target_name: &[u8]) -> u64 {
    let rule = rule.name();
    let hash = fnv1a(FNV1A_START, &(rule.len() as u64).to_le_bytes());
    fnv1a(fnv1a(hash, rule.as_bytes()), target_name)
}

/// The keys of accepted findings.
#[derive(Clone, Debug, Default)]
pub(super) struct Baseline {
    pub(super) keys: HashSet<u64>,
    /// The starts of the lines in their order.
    lines: Vec<(u64, Box<[u8]>)>,
}

/// The bytes of a line that are read: the key, and then words for people.
const START: u64 = 160;

impl Baseline {
    /// Reads the first word of each line that is neither empty nor a `#` comment.
    pub(super) fn read(mut reader: impl BufRead) -> io::Result<Self> {
        let mut baseline = Baseline::default();
        let mut line = Vec::new();
        for number in 1u64.. {
            line.clear();
            if reader.by_ref().take(START).read_until(b'\n', &mut line)? == 0 {
                break;
            }
            if line.last() != Some(&b'\n') {
                reader.skip_until(b'\n')?;
            }
            let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&line);
            let line = line.trim_ascii();
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            let Some(key) = read_key(line) else {
                let reason = "does not start with the key of a finding";
                let reason = format!("not a baseline: line {number} {reason}");
                return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
            };
            if baseline.keys.insert(key) {
                baseline.lines.push((key, line.into()));
            }
        }
        Ok(baseline)
    }

    /// Returns the lines whose keys were not found.
    pub(super) fn stale(&self, found: &HashSet<u64>) -> impl Iterator<Item = &[u8]> {
        let lines = self.lines.iter();
        let stale = lines.filter(move |(key, _)| !found.contains(key));
        stale.map(|(_, line)| &**line)
    }
}

/// Reads the key at the start of a line: 16 hexadecimal digits, then white space or nothing.
fn read_key(line: &[u8]) -> Option<u64> {
    let (word, rest) = line.split_at_checked(16)?;
    let is_key =
        word.iter().all(u8::is_ascii_hexdigit) && rest.first().is_none_or(u8::is_ascii_whitespace);
    let word = str::from_utf8(word).ok().filter(|_| is_key)?;
    u64::from_str_radix(word, 16).ok()
}

/// Appends the line of a baseline for a finding.
pub(super) fn push_baseline_line(finding: &Finding<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(finding.key().as_bytes());
    let (rule, path) = (finding.rule().as_bytes(), finding.document.path());
    for words in [rule, path, finding.reference()] {
        out.push(b' ');
        // A line holds one key.
        push_visible(words, out);
    }
    out.push(b'\n');
}

#[cfg(test)]
#[path = "../../tests/unit/audit/finding.rs"]
mod tests;
