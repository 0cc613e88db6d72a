//! JSON Lines: one object a line, with the keys in the order of [`FIELDS`].

use std::io::Write as _;
use std::ops::Range;

use data_encoding::BASE64;

use super::escape::{is_control, push_decimal};
use super::field::{FIELDS, FieldPresence, FieldSubject, RecordField, Value};
use super::layout::Layout;
use super::record::{ArchiveRecord, DocumentPath, Failure, Skip, Summary, Usage};
use crate::bytes::simd::{self, Block};
use crate::document::events::Context;
use crate::document::flags::Flags;
use crate::resolver::{Diagnostic, Link, LinkMember, WebRecord};

/// Appends a link; `repeats` is that of the links before.
pub(super) fn push_link(
    layout: &Layout,
    path: &DocumentPath,
    link: &Link<'_>,
    repeats: &mut RepeatedValues,
    out: &mut Vec<u8>,
) {
    open("link", out);
    let is_member = link.part.is_known();
    repeats.compare(layout, path, link);
    for run in &mut repeats.runs {
        if run.is_for_members && !is_member {
            continue;
        }
        if run.is_current {
            out.extend_from_slice(&run.written);
            continue;
        }
        let start = out.len();
        push_fields(&layout.fields[run.fields.clone()], path, link, out);
        if run.subject != FieldSubject::Link {
            run.written.clear();
            run.written.extend_from_slice(&out[start..]);
            run.is_current = true;
        }
    }
    out.extend_from_slice(b"}\n");
}

/// The values that a link has in common with the link before, as they were written.
///
/// Most links of a document have the path, the base, the element and the attribute of the one before.
#[derive(Debug, Default)]
pub struct RepeatedValues {
    runs: Vec<FieldRun>,
    path: Vec<u8>,
    member: Option<String>,
    base: Option<(Vec<u8>, String)>,
    context: Option<Context>,
    element: Option<String>,
    attribute: Option<String>,
    flags: Flags,
    record_numbers: [Option<u64>; RECORD_NUMBERS],
    record_texts: [Option<Vec<u8>>; RECORD_TEXTS],
}

const RECORD_NUMBERS: usize = 4;
const RECORD_TEXTS: usize = 10;

/// Keys of a layout that follow one another and are of one subject.
#[derive(Debug)]
struct FieldRun {
    subject: FieldSubject,
    /// The keys are those of members alone.
    is_for_members: bool,
    fields: Range<usize>,
    written: Vec<u8>,
    /// Whether what was written last holds for the link.
    is_current: bool,
}

impl RepeatedValues {
    /// Notes which values differ from those of the link before. All links have the same layout.
    fn compare(&mut self, layout: &Layout, path: &DocumentPath, link: &Link<'_>) {
        if self.runs.is_empty() {
            self.runs = runs(layout);
        }
        if self.path != path.path() || self.member.as_deref() != link.member {
            self.path.clear();
            self.path.extend_from_slice(path.path());
            set(&mut self.member, link.member);
            self.forget(FieldSubject::Place);
        }
        let base = self.base.as_ref();
        if base.map(|(uri, source)| (uri.as_slice(), source.as_str())) != link.base {
            self.base = (link.base).map(|(uri, source)| (uri.to_vec(), source.to_owned()));
            self.forget(FieldSubject::Base);
        }
        if self.flags != link.flags
            || self.context != Some(link.context)
            || self.element.as_deref() != link.element
            || self.attribute.as_deref() != link.attribute
        {
            (self.flags, self.context) = (link.flags, Some(link.context));
            set(&mut self.element, link.element);
            set(&mut self.attribute, link.attribute);
            self.forget(FieldSubject::Syntax);
        }
        let (numbers, texts) = record(link.part);
        if self.record_numbers != numbers
            || (self.record_texts.iter().map(Option::as_deref)).ne(texts.iter().copied())
        {
            self.record_numbers = numbers;
            self.record_texts = texts.map(|text| text.map(<[u8]>::to_vec));
            self.forget(FieldSubject::Record);
        }
    }

    fn forget(&mut self, subject: FieldSubject) {
        for run in &mut self.runs {
            run.is_current &= run.subject != subject;
        }
    }
}

/// Returns what the keys of messages and records are made of, but for the envelope and what depends on
/// the link.
fn record<'a>(
    part: &LinkMember<'a>,
) -> (
    [Option<u64>; RECORD_NUMBERS],
    [Option<&'a [u8]>; RECORD_TEXTS],
) {
    let LinkMember {
        message_id,
        message_offset,
        envelope: _,
        name_bytes,
        member_offset,
        member_length,
        record,
        media_type,
        charset,
        target_part: _,
    } = *part;
    let WebRecord {
        id,
        target_uri,
        http_status,
        content_type,
        truncated,
        warc_type,
        warc_date,
    } = record.copied().unwrap_or_default();
    let text = |text: Option<&'a str>| text.map(str::as_bytes);
    let numbers = [
        message_offset,
        member_offset,
        member_length,
        http_status.map(u64::from),
    ];
    let texts = [
        text(message_id),
        name_bytes,
        text(media_type),
        text(charset),
        text(id),
        text(target_uri),
        text(content_type),
        text(truncated),
        text(warc_type),
        text(warc_date),
    ];
    (numbers, texts)
}

/// Returns the runs of keys of a layout; [`open`] has written the type.
fn runs(layout: &Layout) -> Vec<FieldRun> {
    let mut runs: Vec<FieldRun> = Vec::new();
    for (index, field) in layout.fields.iter().enumerate() {
        if std::ptr::eq(*field, &FIELDS[0]) {
            continue;
        }
        let is_for_members = field.kind == FieldPresence::Member;
        match runs.last_mut() {
            Some(last)
                if last.fields.end == index
                    && (last.subject, last.is_for_members) == (field.subject, is_for_members) =>
            {
                last.fields.end += 1;
            }
            _ => runs.push(FieldRun {
                subject: field.subject,
                is_for_members,
                fields: index..index + 1,
                written: Vec::new(),
                is_current: false,
            }),
        }
    }
    runs
}

/// Replaces a text and keeps its memory.
fn set(text: &mut Option<String>, new: Option<&str>) {
    match (text.as_mut(), new) {
        (Some(text), Some(new)) => {
            text.clear();
            text.push_str(new);
        }
        _ => *text = new.map(str::to_owned),
    }
}

/// Appends the keys of a link with `kind` as `type`, and leaves the object open for further keys.
pub(crate) fn open_link(
    kind: &str,
    layout: &Layout,
    path: &DocumentPath,
    link: &Link<'_>,
    out: &mut Vec<u8>,
) {
    open(kind, out);
    push_fields(&layout.fields, path, link, out);
}

fn push_fields(
    fields: &[&'static RecordField],
    path: &DocumentPath,
    link: &Link<'_>,
    out: &mut Vec<u8>,
) {
    let is_member = link.part.is_known();
    for field in fields {
        match field.kind {
            // `open` has written it.
            _ if std::ptr::eq(*field, &FIELDS[0]) => continue,
            FieldPresence::Member if !is_member => continue,
            FieldPresence::Mail if link.part.envelope.is_none() => continue,
            _ => {}
        }
        let value = (field.value)(path, link);
        let may_lack = matches!(field.kind, FieldPresence::Appended | FieldPresence::Member);
        if may_lack && matches!(value, Value::Null) {
            continue;
        }
        field.key.push(out);
        push_value(&value, out);
    }
}

/// Appends a diagnostic.
pub(crate) fn push_diagnostic(path: &DocumentPath, diagnostic: &Diagnostic<'_>, out: &mut Vec<u8>) {
    open("diagnostic", out);
    push_path(path, diagnostic.member, out);
    push_member("code", diagnostic.code.name, out);
    push_member("message", diagnostic.code.message, out);
    push_count("count", diagnostic.count, out);
    push_count("offset", diagnostic.offset, out);
    close(path, out);
}

/// Appends an error.
pub(crate) fn push_failure(path: &DocumentPath, failure: &Failure<'_>, out: &mut Vec<u8>) {
    open("error", out);
    push_path(path, failure.member, out);
    push_member("message", failure.message, out);
    close(path, out);
}

/// Appends the reason why a file was skipped, with its key in the summary, and whether it was named.
pub(crate) fn push_skip(path: &DocumentPath, skip: &Skip, named: bool, out: &mut Vec<u8>) {
    open("skipped", out);
    push_path(path, None, out);
    push_member("message", &skip.to_string(), out);
    push_member("reason", skip.reason.key(), out);
    push_bool("named", named, out);
    close(path, out);
}

/// Appends the error that ends a run, which is about no file.
pub(crate) fn push_fatal(message: &str, out: &mut Vec<u8>) {
    open("error", out);
    push_text("path", None, out);
    push_text("member", None, out);
    push_member("message", message, out);
    out.extend_from_slice(b"}\n");
}

/// Appends the counts of an archive.
pub(crate) fn push_archive(path: &DocumentPath, archive: &ArchiveRecord, out: &mut Vec<u8>) {
    open("archive", out);
    push_key("path", out);
    push_string(path.path(), out);
    let members = archive.counts.members;
    match archive.is_container {
        true => {
            push_count("messages", 0, out);
            push_count("members", members, out);
        }
        false => push_count("messages", members, out),
    }
    push_count("parts", archive.counts.parts, out);
    let skipped = archive.counts.skipped.iter();
    push_counts(
        "skipped_parts",
        skipped.map(|(name, &count)| (name.as_str(), count)),
        out,
    );
    push_count("links", archive.links, out);
    push_count("bytes", archive.bytes, out);
    push_counts("diagnostics", archive.diagnostics.counts(), out);
    close(path, out);
}

fn push_counts<'a>(name: &str, counts: impl Iterator<Item = (&'a str, u64)>, out: &mut Vec<u8>) {
    push_key(name, out);
    out.push(b'{');
    for (index, (name, count)) in counts.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        push_string(name.as_bytes(), out);
        out.push(b':');
        push_decimal(count, out);
    }
    out.push(b'}');
}

/// Appends the number of links with a value of a key; an empty value is null.
pub(super) fn push_counted(key: &str, value: &[u8], count: u64, out: &mut Vec<u8>) {
    open("count", out);
    push_member("key", key, out);
    push_text("value", Some(value).filter(|value| !value.is_empty()), out);
    push_count("count", count, out);
    // Two values that are not UTF-8 may be replaced by the same text.
    if std::str::from_utf8(value).is_err() {
        push_key("value_bytes", out);
        push_value(&Value::Base64(value), out);
    }
    out.extend_from_slice(b"}\n");
}

/// Appends the summary.
pub(crate) fn push_summary(summary: &Summary, out: &mut Vec<u8>) {
    open("summary", out);
    push_run(summary, out);
    push_skips(summary, out);
    out.extend_from_slice(b"}\n");
}

/// Appends the summary with the time and memory that the run used.
pub(crate) fn push_stats(summary: &Summary, usage: &Usage, out: &mut Vec<u8>) {
    open("summary", out);
    push_run(summary, out);
    for (name, figure) in usage.figures() {
        push_key(name, out);
        out.extend_from_slice(figure.as_deref().unwrap_or("null").as_bytes());
    }
    push_skips(summary, out);
    out.extend_from_slice(b"}\n");
}

fn push_run(summary: &Summary, out: &mut Vec<u8>) {
    for (name, count) in summary.counts() {
        push_count(name, count, out);
    }
}

/// Appends the last keys of a summary: skipped files by reason.
pub(crate) fn push_skips(summary: &Summary, out: &mut Vec<u8>) {
    for (name, count) in summary.skips() {
        push_count(name, count, out);
    }
}

/// Opens an object with its type.
pub(crate) fn open(kind: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"type\":\"");
    out.extend_from_slice(kind.as_bytes());
    out.push(b'"');
}

fn push_path(path: &DocumentPath, member: Option<&str>, out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"path\":");
    push_string(path.path(), out);
    push_text("member", member.map(str::as_bytes), out);
}

fn close(path: &DocumentPath, out: &mut Vec<u8>) {
    if !path.is_utf8() {
        out.extend_from_slice(b",\"path_bytes\":");
        push_value(&Value::Base64(path.path()), out);
    }
    out.extend_from_slice(b"}\n");
}

/// Appends a comma, a key and a colon.
pub(crate) fn push_key(name: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
}

/// Appends a comma, a key and a string.
pub(crate) fn push_member(name: &str, text: &str, out: &mut Vec<u8>) {
    push_key(name, out);
    push_string(text.as_bytes(), out);
}

/// Appends a comma, a key, and a string or null.
pub(crate) fn push_text(name: &str, text: Option<&[u8]>, out: &mut Vec<u8>) {
    push_key(name, out);
    match text {
        Some(text) => push_string(text, out),
        None => out.extend_from_slice(b"null"),
    }
}

/// Appends a comma, a key, and true or false.
pub(crate) fn push_bool(name: &str, value: bool, out: &mut Vec<u8>) {
    push_key(name, out);
    out.extend_from_slice(if value { b"true" } else { b"false" });
}

/// Appends a comma, a key and a number.
pub(crate) fn push_count(name: &str, count: u64, out: &mut Vec<u8>) {
    push_key(name, out);
    push_decimal(count, out);
}

fn push_value(value: &Value<'_>, out: &mut Vec<u8>) {
    match *value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Number(number) => push_decimal(number, out),
        Value::Name(name) => push_quoted(name.as_bytes(), out),
        Value::Text(text) => push_string(text.as_bytes(), out),
        Value::Bytes(bytes) => push_string(bytes, out),
        Value::Base64(bytes) => {
            out.push(b'"');
            push_base64(bytes, out);
            out.push(b'"');
        }
        Value::Flags(flags) => {
            push_list(flags.names(), out, |name, out| {
                push_quoted(name.as_bytes(), out)
            });
        }
        Value::List(texts) => push_list(texts.iter(), out, |text, out| push_string(text, out)),
        Value::Words(words) => push_list(words.split_terminator(' '), out, |word, out| {
            push_string(word.as_bytes(), out);
        }),
    }
}

fn push_list<T>(items: impl Iterator<Item = T>, out: &mut Vec<u8>, push: impl Fn(T, &mut Vec<u8>)) {
    out.push(b'[');
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        push(item, out);
    }
    out.push(b']');
}

fn push_quoted(bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    out.extend_from_slice(bytes);
    out.push(b'"');
}

/// Appends bytes as a JSON string, with invalid UTF-8 as U+FFFD. Control characters are escaped, also
/// those that JSON allows: records are shown on terminals and in logs.
///
/// ```
/// let mut out = Vec::new();
/// uriscan::output::json::push_string(b"a\"b\n\x7F\xFF", &mut out);
/// assert_eq!(out, "\"a\\\"b\\n\\u007f\u{FFFD}\"".as_bytes());
/// ```
pub fn push_string(bytes: &[u8], out: &mut Vec<u8>) {
    if is_plain(bytes) {
        return push_quoted(bytes, out);
    }
    out.push(b'"');
    for chunk in bytes.utf8_chunks() {
        push_escaped(chunk.valid(), out);
        if !chunk.invalid().is_empty() {
            out.extend_from_slice("\u{FFFD}".as_bytes());
        }
    }
    out.push(b'"');
}

/// Returns whether all bytes are ASCII that needs no escape.
fn is_plain(bytes: &[u8]) -> bool {
    let mask =
        |block: Block| block.up_to(0x1F) | block.any_of([b'"', b'\\', 0x7F]) | block.beyond_ascii();
    !simd::any(
        bytes,
        mask,
        |byte| matches!(byte, 0..0x20 | b'"' | b'\\' | 0x7F..),
    )
}

fn push_escaped(valid: &str, out: &mut Vec<u8>) {
    let mut rest = valid;
    let is_escaped = |character| matches!(character, '"' | '\\') || is_control(character);
    while let Some(at) = rest.find(is_escaped) {
        out.extend_from_slice(&rest.as_bytes()[..at]);
        let mut after = rest[at..].chars();
        // INVARIANT: `find` returns the index of a character.
        let character = after.next().unwrap_or_default();
        let short = match character {
            '"' | '\\' => character,
            '\n' => 'n',
            '\r' => 'r',
            '\t' => 't',
            '\u{8}' => 'b',
            '\u{C}' => 'f',
            _ => 'u',
        };
        // Writing to a buffer does not fail.
        let _ = write!(out, "\\{short}");
        if short == 'u' {
            // No control character is beyond the basic plane.
            let _ = write!(out, "{:04x}", u32::from(character));
        }
        rest = after.as_str();
    }
    out.extend_from_slice(rest.as_bytes());
}

/// Appends bytes in base64 with padding (RFC 4648 section 4).
pub fn push_base64(bytes: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + BASE64.encode_len(bytes.len()), 0);
    BASE64.encode_mut(bytes, &mut out[start..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::field::default_fields;
    use crate::{Base, Document, Extractor, ExtractorOptions, Format};

    /// Returns no part, and parts of which each differs from the one before in one value.
    fn parts(seed: usize) -> Vec<LinkMember<'static>> {
        static RECORD: WebRecord<'static> = WebRecord {
            id: Some("<urn:a>"),
            target_uri: Some("http://example.com/"),
            http_status: Some(200),
            content_type: None,
            truncated: None,
            warc_type: Some("response"),
            warc_date: None,
        };
        static OTHER: WebRecord<'static> = WebRecord {
            truncated: Some("length"),
            ..RECORD
        };
        let mut parts = vec![LinkMember::default()];
        let changes: [fn(&mut LinkMember<'static>); 9] = [
            |part| part.message_id = Some("a@example.com"),
            |part| part.message_offset = Some(1),
            |part| part.member_offset = Some(2),
            |part| part.member_length = Some(3),
            |part| part.name_bytes = Some(b"\xFF"),
            |part| part.record = Some(&RECORD),
            |part| part.record = Some(&OTHER),
            |part| part.media_type = Some("text/html"),
            |part| part.target_part = Some("1.2"),
        ];
        let order = changes.iter().cycle().skip(seed).take(changes.len());
        for change in order {
            let mut part = *parts.last().unwrap();
            change(&mut part);
            parts.push(part);
        }
        parts
    }

    #[test]
    fn repeated_values_change_no_record() {
        let page =
            b"<p id=a><a href=b>b</a> <a href=c>c</a> <img src=c> <a href='//example.com/ d'>
            <a href=http://example.net/>e</a> <a href=http://example.net/f>f</a> <a href=g>g</a>
            <template><a href=h>h</a></template> <x-y itemid=i></x-y> <a href='{{j}}'>j</a>";
        let default = default_fields().collect::<Vec<_>>();
        let mixed = [
            "attribute",
            "type",
            "target",
            "path",
            "base",
            "line",
            "member",
        ];
        let mixed = mixed.map(|name| RecordField::named(name).unwrap());
        for fields in [default, mixed.to_vec()] {
            let layout = Layout {
                fields,
                ..Layout::default()
            };
            let (mut repeated, mut single) = (Vec::new(), Vec::new());
            let mut repeats = RepeatedValues::default();
            let mut extractor = Extractor::new(&ExtractorOptions::default());
            for (path, base) in [("a", "/x"), ("b", "/x"), ("a", "/y"), ("\u{1}", "/x")] {
                let path = DocumentPath::new(path.as_bytes());
                let base = Base::retrieved(format!("http://example.org{base}"));
                let document = Document::new(Format::HTML, Some(&base));
                for (at, member) in [None, Some("m"), Some("m"), Some("n"), None]
                    .into_iter()
                    .enumerate()
                {
                    for part in parts(at) {
                        extractor.extract_bytes(&document, page, &mut |link: &Link<'_>| {
                            let link = Link {
                                member,
                                part: &part,
                                ..link.clone()
                            };
                            push_link(&layout, &path, &link, &mut repeats, &mut repeated);
                            open_link("link", &layout, &path, &link, &mut single);
                            single.extend_from_slice(b"}\n");
                        });
                    }
                }
            }
            assert!(single.len() > 10_000);
            assert_eq!(String::from_utf8(repeated), String::from_utf8(single));
        }
    }

    #[test]
    fn strings_are_what_serde_json_reads_and_have_no_control_characters() {
        let mut cases: Vec<Vec<u8>> = (0..=255).map(|byte| vec![b'a', byte, b'z']).collect();
        cases.push("déjà \u{2028} \u{10FFFF} \u{7f}".into());
        cases.push(b"\xE2\x82 cut, \xED\xA0\x80 surrogate, \xF0\x9F\x98 cut".to_vec());
        cases.push(b"http://example.com/a/long/enough/path?with=query#fragment \" ".to_vec());
        for case in cases {
            let mut out = Vec::new();
            push_string(&case, &mut out);
            let written = String::from_utf8(out).unwrap();
            let expected = String::from_utf8_lossy(&case);
            let read: String = serde_json::from_str(&written).unwrap();
            assert_eq!(read, expected, "{case:?}");
            let is_kept = |c: char| !is_control(c) && !c.is_ascii();
            assert!(
                expected
                    .chars()
                    .filter(|&c| is_kept(c))
                    .all(|c| written.contains(c))
            );
            assert!(!written.contains(is_control), "{written:?}");
        }
    }
}
