//! Fixes: certain suggestions, put into the files of their findings.
//!
//! A fix replaces the part of a reference that differs, and nothing else in the file. It is made only
//! where reading the file again gives the reference that was found, and where reading the result gives
//! the same links but for the new references (A75).

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write as _};
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::finding::{Finding, Repair};
use super::names::common_prefix;
use super::rules::{Level, RuleId};
use super::target::split_fragment;
use crate::bytes::lines::Position;
use crate::decode::compression::Codec;
use crate::document::events::{Escapes, Quoting, RemarkKind, Span};
use crate::document::flags::Flags;
use crate::linker::{Found, Link, Sink};
use crate::pipeline::PipelineOptions;
use crate::pipeline::archive::ArchiveSink;
use crate::pipeline::input::Input;
use crate::pipeline::options::{Replaced, Splice, fnv1a, spliced};
use crate::pipeline::read::{FileOutcome, FileReader};
use crate::pipeline::walk::{Entry, EntryKind, bytes_of, path_of};
use crate::rewrite::replacement_of;

/// The number of unchanged lines around a change in a diff.
const CONTEXT: usize = 3;

pub(crate) struct FixList {
    pub(crate) moved: bool,
    /// The fixed findings are not reported.
    pub(crate) is_written: bool,
    /// The documents with fixes, in the order of the walk.
    pub(crate) documents: Vec<DocumentFixes>,
}

#[derive(Debug, Default)]
pub(crate) struct DocumentFixes {
    /// The path, as reached from the arguments.
    pub(crate) path: PathBuf,
    pub(crate) fixes: Vec<Fix>,
    refused: Vec<LeftFix>,
}

/// A fix that is not made, with the reason.
pub(crate) type LeftFix = (Fix, Cow<'static, str>);

#[derive(Clone, Debug)]
pub(crate) struct Fix {
    span: Span,
    pub(crate) position: Option<Position>,
    pub(super) rule: RuleId,
    pub(super) level: Level,
    /// The link redirects, or its target does.
    redirects: bool,
    /// The target before the fix.
    target: Box<[u8]>,
    reference: Box<[u8]>,
    pub(crate) replacement: Box<[u8]>,
}

/// Adds a fix to the last document if that has the path, else to another one.
pub(super) fn add_fix(documents: &mut Vec<DocumentFixes>, path: &[u8], fix: Fix) {
    let path = path_of(path);
    match documents.last_mut() {
        Some(last) if last.path == path => last.fixes.push(fix),
        _ => documents.push(DocumentFixes {
            path,
            fixes: vec![fix],
            refused: Vec::new(),
        }),
    }
}

/// Returns whether a link is in a part of a message or of a container, so that its span does not refer to the
/// file.
pub(super) fn is_inner(link: &Link<'_>) -> bool {
    link.member.is_some() || link.flags.contains(Flags::OBJECT)
}

impl Fix {
    /// For a reference that a move changes.
    pub(super) fn moving(link: &Link<'_>, replacement: &[u8]) -> Self {
        Fix {
            span: link.span,
            position: link.position,
            rule: RuleId::BrokenFile,
            level: Level::Error,
            redirects: false,
            target: link.target.unwrap_or_default().into(),
            reference: link.reference.into(),
            replacement: replacement.into(),
        }
    }
}

impl FixList {
    fn refuse(&mut self, reason: impl Fn(&Path, &Fix) -> Option<String>) -> bool {
        let mut is_refused = false;
        for document in &mut self.documents {
            for fix in std::mem::take(&mut document.fixes) {
                match reason(&document.path, &fix) {
                    Some(reason) => {
                        is_refused = true;
                        document.refused.push((fix, reason.into()));
                    }
                    None => document.fixes.push(fix),
                }
            }
        }
        is_refused
    }

    pub(super) fn add(&mut self, rule: RuleId, finding: &Finding<'_>) -> bool {
        let (Some(link), Some(suggestion)) = (finding.link(), finding.suggestion) else {
            return false;
        };
        let is_certain =
            (suggestion.repair).is_some_and(|repair| repair != Repair::Moved || self.moved);
        if !is_certain || is_inner(link) || *suggestion.reference == *link.reference {
            return false;
        }
        let fix = Fix {
            rule,
            level: finding.level(),
            target: (*finding.draft.target_name).into(),
            redirects: link.flags.contains(Flags::REFRESH)
                || suggestion.repair == Some(Repair::Redirect),
            ..Fix::moving(link, &suggestion.reference)
        };
        add_fix(&mut self.documents, finding.document.path(), fix);
        true
    }
}

pub(crate) const CHANGED: &str = "the file has changed since it was read";
const COMPRESSED: &str = "the file is compressed";
const ESCAPED: &str = "the new reference cannot be written in its place";
const OVERLAPPING: &str = "it overlaps another reference";
const MISREAD: &str = "the new reference would be read differently there";

#[derive(Debug, Default)]
pub(crate) struct FixedFile {
    /// Replacements, in ascending order.
    splices: Vec<Splice>,
    pub(crate) fixed: Vec<Fix>,
    pub(crate) left: Vec<LeftFix>,
}

impl DocumentFixes {
    /// Makes the fixes in the bytes of the document, where possible; the reader reads files as the audit does.
    pub(crate) fn make(&self, reader: &mut FileReader<'_>, bytes: &[u8]) -> io::Result<FixedFile> {
        if Codec::of(bytes).is_some() {
            let left = self.fixes.iter().cloned();
            return Ok(FixedFile {
                left: left.map(|fix| (fix, COMPRESSED.into())).collect(),
                ..FixedFile::default()
            });
        }
        let mut fixes = self.fixes.clone();
        fixes.sort_by_key(|fix| (fix.span.start, fix.span.end));
        let before = ReadLinks::read(reader, &self.path, bytes, &fixes)?;
        let mut left = self.refused.clone();
        // The index of the link, the fix, and the splice.
        let mut made: Vec<(usize, Fix, Splice)> = Vec::new();
        for fix in &fixes {
            let index = before.index_of(fix);
            match index.map(|index| (index, before.links[index].splice.clone())) {
                None => left.push((fix.clone(), CHANGED.into())),
                Some((_, None)) => left.push((fix.clone(), ESCAPED.into())),
                Some((index, Some(splice))) => made.push((index, fix.clone(), splice)),
            }
        }
        let mut kept: Vec<(usize, Fix, Splice)> = Vec::new();
        for one in made {
            match kept.last() {
                Some(last) if last.1.span.end > one.1.span.start && last.2 != one.2 => {
                    left.push((one.1, OVERLAPPING.into()));
                }
                _ => kept.push(one),
            }
        }
        loop {
            let mut splices: Vec<_> = kept.iter().map(|(_, _, splice)| splice.clone()).collect();
            // Several links of Markdown may share a reference.
            splices.dedup();
            let fixed = spliced(bytes, 0..bytes.len(), &splices);
            let after = ReadLinks::read(reader, &self.path, &fixed, &[])?;
            let count = kept.len();
            let is_alike = after.links.len() == before.links.len() && after.names == before.names;
            let reads = |index| after.reads(index, &before, &kept);
            if is_alike && (0..after.links.len()).all(reads) {
                return Ok(FixedFile {
                    splices,
                    fixed: kept.into_iter().map(|(_, fix, _)| fix).collect(),
                    left,
                });
            }
            let misread: Vec<bool> = kept.iter().map(|(index, ..)| !reads(*index)).collect();
            // Without a known culprit all are left.
            let all = !is_alike || !misread.contains(&true);
            let mut misread = misread.into_iter();
            let rejected = kept.extract_if(.., |_| misread.next() == Some(true) || all);
            left.extend(rejected.map(|(_, fix, _)| (fix, MISREAD.into())));
            debug_assert!(kept.len() < count);
        }
    }
}

/// Runs the audit on files with splices, and passes each finding on.
pub(crate) type Rerun<'a> =
    dyn FnMut(Replaced, &mut (dyn FnMut(&Finding<'_>) + Send)) -> io::Result<()> + 'a;

/// A finding that some fixes would cause.
struct NewFinding {
    path: PathBuf,
    reference: Box<[u8]>,
    target: Box<[u8]>,
    rule: &'static str,
}

impl NewFinding {
    /// Returns whether a fix is the likely cause: its new reference, the page that has lost its
    /// link, or the page that redirects elsewhere.
    fn is_by(&self, path: &Path, fix: &Fix) -> bool {
        self.path == path && self.reference == fix.replacement
            || self.target == fix.target && self.reference != fix.reference
            || fix.redirects && bytes_of(path).ends_with(&self.target)
    }

    fn reason(&self, path: &Path) -> String {
        let reason = format!("there would be a new finding, {}", self.rule);
        if self.path == path {
            return reason;
        }
        format!("{reason}, in {}", self.path.display())
    }
}

const MOST_RUNS: usize = 8;

/// Refuses the fixes that would cause new findings (A75).
pub(crate) fn refuse_harmful(
    list: &mut FixList,
    reading: &PipelineOptions,
    bytes: impl Fn(&Path) -> io::Result<Vec<u8>>,
    rerun: &mut Rerun<'_>,
) -> io::Result<()> {
    let mut known = HashSet::new();
    let mut reader = FileReader::new(reading);
    let mut blamed = 0;
    for run in 0.. {
        let mut replaced = BTreeMap::new();
        for document in &list.documents {
            // A file that cannot be read is reported when it is fixed.
            let fixed = bytes(&document.path).and_then(|bytes| document.make(&mut reader, &bytes));
            if let Ok(fixed) = fixed
                && !fixed.is_empty()
            {
                replaced.insert(document.path.clone(), fixed.splices);
            }
        }
        if replaced.is_empty() {
            return Ok(());
        }
        if run == 0 {
            rerun(Replaced::default(), &mut |finding| {
                known.insert(finding.draft.key);
            })?;
        }
        let mut new: Vec<NewFinding> = Vec::new();
        rerun(Arc::new(replaced), &mut |finding| {
            if !known.contains(&finding.draft.key) {
                new.push(NewFinding {
                    path: path_of(finding.document.path()),
                    reference: finding.reference().into(),
                    target: split_fragment(&finding.draft.target_name).0.into(),
                    rule: finding.rule(),
                });
            }
        })?;
        let Some(first) = new.first() else {
            return Ok(());
        };
        let is_last = run >= MOST_RUNS;
        let is_refused = list.refuse(|path, fix| {
            let found = new.iter().find(|found| found.is_by(path, fix))?;
            Some(found.reason(path))
        });
        if is_refused && !is_last {
            continue;
        }
        // The finding is far from its cause, which is most likely a redirect.
        blamed += 1;
        let all = is_last || blamed > 1;
        list.refuse(|path, fix| (all || fix.redirects).then(|| first.reason(path)));
    }
    Ok(())
}

impl FixedFile {
    /// Adds changes to the changes of the references.
    pub(crate) fn add(&mut self, splices: Vec<Splice>) {
        self.splices.extend(splices);
        self.splices.sort_by_key(|splice| splice.range.start);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.splices.is_empty()
    }

    pub(crate) fn bytes(&self, bytes: &[u8]) -> Vec<u8> {
        spliced(bytes, 0..bytes.len(), &self.splices)
    }

    pub(crate) fn push_diff(&self, path: &[u8], bytes: &[u8], out: &mut Vec<u8>) {
        self.push_diff_between([path; 2], bytes, out);
    }

    /// For a file that gets another path.
    pub(crate) fn push_diff_between(&self, paths: [&[u8]; 2], bytes: &[u8], out: &mut Vec<u8>) {
        let changes = self.changes(bytes);
        for ((mark, side), path) in [("---", "a/"), ("+++", "b/")].into_iter().zip(paths) {
            if mark == "---" && bytes.is_empty() {
                out.extend_from_slice(b"--- /dev/null\n");
            } else if !changes.is_empty() {
                push_diff_path(mark, side, path, out);
            }
        }
        let is_near = |one: &Splice, next: &Splice| {
            count_lines(&bytes[one.range.end..next.range.start]) <= 2 * CONTEXT
        };
        // The end of the last hunk, the lines before it, and the lines that hunks have added.
        let (mut at, mut line, mut added) = (0, 0, 0_isize);
        for hunk in changes.chunk_by(is_near) {
            let before = &bytes[at..hunk[0].range.start];
            let start = memchr::memrchr_iter(b'\n', before).nth(CONTEXT);
            let start = start.map_or(at, |start| at + start + 1);
            line += count_lines(&bytes[at..start]);
            let (mut text, mut old_count, mut new_count) = (Vec::new(), 0, 0);
            at = start;
            for Splice { range, bytes: new } in hunk {
                let kept = push_lines(b' ', &bytes[at..range.start], &mut text);
                old_count += kept + push_lines(b'-', &bytes[range.clone()], &mut text);
                new_count += kept + push_lines(b'+', new, &mut text);
                at = range.end;
            }
            let end = memchr::memchr_iter(b'\n', &bytes[at..]).nth(CONTEXT - 1);
            let end = end.map_or(bytes.len(), |end| at + end + 1);
            let kept = push_lines(b' ', &bytes[at..end], &mut text);
            (old_count, new_count) = (old_count + kept, new_count + kept);
            let new_line = (line + 1).saturating_add_signed(added);
            // No line has the number of the line before.
            let old_line = line + usize::from(old_count > 0);
            let header = format!("@@ -{old_line},{old_count} +{new_line},{new_count} @@\n");
            out.extend_from_slice(header.as_bytes());
            out.extend_from_slice(&text);
            line += old_count;
            added += new_count as isize - old_count as isize;
            at = end;
        }
    }

    /// Returns the changes of whole lines, in ascending order.
    fn changes(&self, bytes: &[u8]) -> Vec<Splice> {
        // Runs of splices on the same lines.
        let mut runs: Vec<(Range<usize>, Range<usize>)> = Vec::new();
        for (index, splice) in self.splices.iter().enumerate() {
            // The ends of a long line are searched for once.
            if let Some((lines, splices)) = runs.last_mut()
                && splice.range.end < lines.end
            {
                splices.end = index + 1;
                continue;
            }
            let start = memchr::memrchr(b'\n', &bytes[..splice.range.start]);
            let start = start.map_or(0, |at| at + 1);
            let end = memchr::memchr(b'\n', &bytes[splice.range.end..]);
            let end = end.map_or(bytes.len(), |at| splice.range.end + at + 1);
            match runs.last_mut() {
                Some((lines, splices)) if lines.end > start => {
                    (lines.end, splices.end) = (end, index + 1);
                }
                _ => runs.push((start..end, index..index + 1)),
            }
        }
        let change = |(range, splices): (Range<usize>, Range<usize>)| Splice {
            bytes: spliced(bytes, range.clone(), &self.splices[splices]),
            range,
        };
        runs.into_iter().map(change).collect()
    }
}

struct ReadLink {
    span: Span,
    is_inner: bool,
    /// The targets of other links depend on it.
    is_base: bool,
    reference: Box<[u8]>,
    target: Option<Box<[u8]>>,
    /// The change of its fix, if it can be written.
    splice: Option<Splice>,
}

/// In the order of the spans.
#[derive(Default)]
pub(super) struct ReadLinks<'a> {
    bytes: &'a [u8],
    /// In ascending order.
    fixes: &'a [Fix],
    links: Vec<ReadLink>,
    names: u64,
    /// The names that fragments can refer to, with their offsets.
    pub(super) anchors: Vec<(Vec<u8>, u64)>,
    /// The uses of names.
    pub(super) uses: Vec<(Vec<u8>, Span)>,
}

impl<'a> ReadLinks<'a> {
    pub(super) fn read(
        reader: &mut FileReader<'_>,
        path: &Path,
        bytes: &'a [u8],
        fixes: &'a [Fix],
    ) -> io::Result<Self> {
        let mut links = ReadLinks {
            bytes,
            fixes,
            ..ReadLinks::default()
        };
        let entry = Entry {
            path: path.to_path_buf(),
            kind: EntryKind::Unmeasured,
            named: false,
        };
        match reader.open(&entry, Input::Whole(bytes), &mut links)? {
            FileOutcome::Read(read) if read.format.is_some() => read.error.map_or(Ok(()), Err)?,
            _ => links.links.clear(),
        }
        links.links.sort_by_key(|link| link.span.start);
        Ok(links)
    }

    /// Returns the index of the link of a fix, if it is where it was found.
    fn index_of(&self, fix: &Fix) -> Option<usize> {
        let links = &self.links;
        let start = links.partition_point(|link| link.span.start < fix.span.start);
        let end = links.partition_point(|link| link.span.start <= fix.span.start);
        (start..end).find(|&index| {
            let link = &links[index];
            link.span == fix.span && !link.is_inner && link.reference == fix.reference
        })
    }

    fn reads(&self, index: usize, before: &ReadLinks<'_>, fixes: &[(usize, Fix, Splice)]) -> bool {
        let (Some(old), Some(new)) = (before.links.get(index), self.links.get(index)) else {
            return false;
        };
        // INVARIANT: fixes ascend, and fixes of one span are equal.
        let at = fixes.partition_point(|(_, fix, _)| fix.span.start < old.span.start);
        let fix = fixes.get(at).filter(|(_, fix, _)| fix.span == old.span);
        match fix.filter(|(_, fix, _)| fix.reference == old.reference) {
            Some((_, fix, _)) => {
                let is_same = new.reference.trim_ascii() == fix.replacement.trim_ascii();
                is_same && new.target.is_some()
            }
            None => {
                let is_base = |(index, ..): &(usize, Fix, Splice)| before.links[*index].is_base;
                new.reference == old.reference
                    && (new.target == old.target || fixes.iter().any(is_base))
            }
        }
    }
}

impl Sink for ReadLinks<'_> {
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
        let at = (self.fixes).partition_point(|fix| fix.span.start < link.span.start);
        let fix = (self.fixes.get(at)).filter(|fix| fix.span == link.span);
        self.links.push(ReadLink {
            splice: fix.and_then(|fix| splice(self.bytes, link, &fix.replacement)),
            span: link.span,
            is_inner: is_inner(link),
            is_base: link.element == Some("base"),
            reference: link.reference.into(),
            target: link.target.ok().map(Into::into),
        });
        ControlFlow::Continue(())
    }

    fn event(&mut self, found: &Found<'_>) {
        match found {
            Found::Anchor(name, offset) => {
                self.names = fnv1a(fnv1a(self.names, name), b"\n");
                self.anchors.push((name.to_vec(), *offset));
            }
            Found::Remark(remark) if remark.kind == RemarkKind::NameReference => {
                self.uses.push((remark.text.to_vec(), remark.span));
            }
            Found::Restart => {
                self.names = 0;
                self.anchors.clear();
            }
            _ => {}
        }
    }
}

impl ArchiveSink for ReadLinks<'_> {}

/// Returns the splice for the part in which the references differ, with the part that is written
/// otherwise in the file.
fn splice(bytes: &[u8], link: &Link<'_>, new: &[u8]) -> Option<Splice> {
    let range = usize::try_from(link.span.start).ok()?..usize::try_from(link.span.end).ok()?;
    let raw = bytes.get(range.clone())?;
    let old = link.reference;
    let mut front = common_prefix(old, new);
    let mut back = common_back(old, new).min(old.len().min(new.len()) - front);
    let text = str::from_utf8(new).ok()?;
    while !text.is_char_boundary(front) {
        front -= 1;
    }
    while !text.is_char_boundary(new.len() - back) {
        back -= 1;
    }
    // Units of two bytes stay whole.
    let verbatim = Some((common_prefix(raw, old), common_back(raw, old)));
    let verbatim = verbatim
        .filter(|_| !link.quoting.is_wide())
        .unwrap_or_default();
    let part = if old.len() - back <= verbatim.0 {
        front..old.len() - back
    } else if old.len() - front <= verbatim.1 {
        raw.len() - (old.len() - front)..raw.len() - back
    } else {
        front = front.min(verbatim.0);
        let most = raw.len().min(old.len()).min(new.len()) - front;
        back = back.min(verbatim.1).min(most);
        front..raw.len() - back
    };
    // Characters beyond ASCII are written as in the old reference, which is in the file itself.
    let is_utf8 = raw == old && !old.is_ascii();
    // White space around the reference stays or is left out, and is not written.
    let start = new.len() - new.trim_ascii_start().len();
    let inner = new.trim_ascii();
    let mut bytes = Vec::new();
    for (at, character) in text[front..new.len() - back].char_indices() {
        let at = (front + at).checked_sub(start);
        let Some(at) = at.filter(|&at| at < inner.len()) else {
            continue;
        };
        let range = at..at + character.len_utf8();
        if is_utf8 && !character.is_ascii() {
            bytes.extend_from_slice(&inner[range]);
        } else {
            bytes.extend(replacement_of(link, inner, range).ok()?);
        }
    }
    // Markdown reads blanks in angle brackets as `%20`.
    if raw.contains(&b' ') && !old.contains(&b' ') && link.quoting == Quoting::of(Escapes::Markdown)
    {
        bytes = String::from_utf8_lossy(&bytes).replace("%20", " ").into();
    }
    Some(Splice {
        range: range.start + part.start..range.start + part.end,
        bytes,
    })
}

fn common_back(one: &[u8], other: &[u8]) -> usize {
    let pairs = one.iter().rev().zip(other.iter().rev());
    pairs.take_while(|(one, other)| one == other).count()
}

/// Appends a line of the head of a diff.
fn push_diff_path(mark: &str, side: &str, path: &[u8], out: &mut Vec<u8>) {
    let _ = write!(out, "{mark} ");
    push_diff_name(side, path, out);
    // A tab ends a name that holds blanks.
    let has_tab = path.contains(&b' ') && !out.ends_with(b"\"");
    out.extend_from_slice(if has_tab { b"\t\n" } else { b"\n" });
}

/// Appends a name after a side, with quotes as of git where it needs them.
pub(crate) fn push_diff_name(side: &str, path: &[u8], out: &mut Vec<u8>) {
    let start = path.iter().position(|&byte| byte != b'/').unwrap_or(0);
    let relative = path[start..].strip_prefix(b"./").unwrap_or(&path[start..]);
    let path = [side.as_bytes(), relative].concat();
    let is_odd = |byte: &u8| *byte < b' ' || b"\"\\\x7F".contains(byte);
    let quote: &[u8] = if path.iter().any(is_odd) { b"\"" } else { b"" };
    out.extend_from_slice(quote);
    for byte in &path {
        if is_odd(byte) {
            let _ = write!(out, "\\{byte:03o}");
        } else {
            out.push(*byte);
        }
    }
    out.extend_from_slice(quote);
}

fn push_lines(mark: u8, lines: &[u8], out: &mut Vec<u8>) -> usize {
    let mut count = 0;
    for line in lines.split_inclusive(|&byte| byte == b'\n') {
        out.push(mark);
        out.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            out.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
        count += 1;
    }
    count
}

fn count_lines(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', bytes).count()
}
