//! JSON Lines: one object a line, with the keys in the order of [`FIELDS`].

use data_encoding::BASE64;

use super::escape::push_decimal;
use super::field::{FIELDS, FieldPresence, Value};
use super::layout::Layout;
use super::record::{ArchiveRecord, DocumentPath, Failure, Summary, Usage};
use crate::bytes::simd::{self, Block};
use crate::resolver::{Diagnostic, Link};

pub(super) fn push_link(layout: &Layout, path: &DocumentPath, link: &Link<'_>, out: &mut Vec<u8>) {
    open_link("link", layout, path, link, out);
    out.extend_from_slice(b"}\n");
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
    let is_member = link.part.is_known();
    for field in &layout.fields {
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
    push_message("error", path, failure.member, failure.message, out);
}

/// Appends the reason why a file was skipped.
pub(crate) fn push_skip(path: &DocumentPath, reason: &str, out: &mut Vec<u8>) {
    push_message("skipped", path, None, reason, out);
}

fn push_message(
    kind: &str,
    path: &DocumentPath,
    member: Option<&str>,
    message: &str,
    out: &mut Vec<u8>,
) {
    open(kind, out);
    push_path(path, member, out);
    push_member("message", message, out);
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
    let diagnostics = archive.diagnostics.iter();
    push_counts(
        "diagnostics",
        diagnostics.map(|(name, &count)| (*name, count)),
        out,
    );
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

/// Appends bytes as a JSON string, with invalid UTF-8 as U+FFFD.
///
/// ```
/// let mut out = Vec::new();
/// uriscan::output::json::push_string(b"a\"b\n\xFF", &mut out);
/// assert_eq!(out, "\"a\\\"b\\n\u{FFFD}\"".as_bytes());
/// ```
pub fn push_string(bytes: &[u8], out: &mut Vec<u8>) {
    if is_plain(bytes) {
        return push_quoted(bytes, out);
    }
    out.push(b'"');
    for chunk in bytes.utf8_chunks() {
        push_escaped(chunk.valid().as_bytes(), out);
        if !chunk.invalid().is_empty() {
            out.extend_from_slice("\u{FFFD}".as_bytes());
        }
    }
    out.push(b'"');
}

/// Returns whether all bytes are ASCII that needs no escape.
fn is_plain(bytes: &[u8]) -> bool {
    let mask =
        |block: Block| block.up_to(0x1F) | block.any_of([b'"', b'\\']) | block.beyond_ascii();
    !simd::any(
        bytes,
        mask,
        |byte| matches!(byte, 0..0x20 | b'"' | b'\\' | 0x80..),
    )
}

fn push_escaped(valid: &[u8], out: &mut Vec<u8>) {
    let mut from = 0;
    for (at, &byte) in valid.iter().enumerate() {
        let short = match byte {
            b'"' | b'\\' => byte,
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            0x08 => b'b',
            0x0C => b'f',
            0..0x20 => b'u',
            _ => continue,
        };
        out.extend_from_slice(&valid[from..at]);
        out.extend_from_slice(&[b'\\', short]);
        if short == b'u' {
            let digits = b"0123456789abcdef";
            out.extend_from_slice(b"00");
            out.extend_from_slice(&[
                digits[usize::from(byte >> 4)],
                digits[usize::from(byte & 15)],
            ]);
        }
        from = at + 1;
    }
    out.extend_from_slice(&valid[from..]);
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

    #[test]
    fn strings_are_what_serde_json_writes() {
        let mut cases: Vec<Vec<u8>> = (0..=255).map(|byte| vec![b'a', byte, b'z']).collect();
        cases.push("déjà \u{2028} \u{10FFFF} \u{7f}".into());
        cases.push(b"\xE2\x82 cut, \xED\xA0\x80 surrogate, \xF0\x9F\x98 cut".to_vec());
        cases.push(b"http://example.com/a/long/enough/path?with=query#fragment \" ".to_vec());
        for case in cases {
            let mut out = Vec::new();
            push_string(&case, &mut out);
            let expected = serde_json::to_string(&String::from_utf8_lossy(&case)).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), expected, "{case:?}");
        }
    }
}
