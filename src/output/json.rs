//! JSON Lines: one object a line.

use std::io::Write as _;

use data_encoding::BASE64;

use super::column::Value;
use super::escape::{is_control, push_decimal, push_escaping};
use super::record::{ArchiveRecord, Counted, DocumentPath, Skip, Summary, Usage};
use crate::bytes::simd::is_plain;
use crate::linker::Diagnostic;

pub(crate) fn push_diagnostic(path: &DocumentPath, diagnostic: &Diagnostic<'_>, out: &mut Vec<u8>) {
    open_at("diagnostic", path, diagnostic.member, out);
    push_member("code", diagnostic.code.name, out);
    push_member("message", diagnostic.code.message, out);
    push_count("count", diagnostic.count, out);
    push_count("offset", diagnostic.offset, out);
    close(path, out);
}

/// Appends the reason why a document could not be read.
pub(crate) fn push_failure(path: &DocumentPath, message: &str, out: &mut Vec<u8>) {
    open_at("error", path, None, out);
    push_member("message", message, out);
    close(path, out);
}

/// Appends the reason why a file was skipped, and whether it was named.
pub(crate) fn push_skip(path: &DocumentPath, skip: &Skip, named: bool, out: &mut Vec<u8>) {
    open_at("skipped", path, None, out);
    push_member("message", &skip.to_string(), out);
    push_member("reason", skip.reason.name(), out);
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

pub(crate) fn push_archive(path: &DocumentPath, archive: &ArchiveRecord, out: &mut Vec<u8>) {
    open("archive", out);
    push_text("path", Some(path.path()), out);
    let members = archive.counts.members;
    let messages = if archive.is_container { 0 } else { members };
    push_count("messages", messages, out);
    if archive.is_container {
        push_count("members", members, out);
    }
    push_count("parts", archive.counts.parts, out);
    let skipped = archive.counts.skipped.iter();
    let skipped = skipped.map(|(name, &count)| (name.as_str(), count));
    push_counts("skipped_parts", skipped, out);
    push_count("links", archive.links, out);
    push_count("bytes", archive.bytes, out);
    push_counts("diagnostics", archive.diagnostics.counts(), out);
    close(path, out);
}

/// Appends a comma, a key, and an object of numbers.
pub(crate) fn push_counts<'a>(
    name: &str,
    counts: impl Iterator<Item = (&'a str, u64)>,
    out: &mut Vec<u8>,
) {
    push_key(name, out);
    out.push(b'{');
    push_separated(b',', counts, out, |(name, count), out| {
        push_string(name.as_bytes(), out);
        out.push(b':');
        push_decimal(count, out);
    });
    out.push(b'}');
}

/// Appends the number of links with a value of a key, or lists of keys and values; an empty value is null.
pub(super) fn push_counted((keys, values): Counted<'_>, count: u64, out: &mut Vec<u8>) {
    open("count", out);
    let push = |value: &&[u8], out: &mut Vec<u8>| match *value {
        b"" => out.extend_from_slice(b"null"),
        value => push_string(value, out),
    };
    let value: &[u8] = if let ([key], [value]) = (keys, values) {
        push_member("key", key, out);
        push_key("value", out);
        push(value, out);
        value
    } else {
        push_key("key", out);
        push_list(keys.iter(), out, push_quoted);
        push_key("value", out);
        push_list(values.iter(), out, push);
        b""
    };
    push_count("count", count, out);
    // Two values that are not UTF-8 may be replaced by the same text.
    if std::str::from_utf8(value).is_err() {
        push_key("value_bytes", out);
        push_value(&Value::Base64(value), out);
    }
    out.extend_from_slice(b"}\n");
}

/// Appends the summary, with the time and memory that the run used if they are given.
pub(crate) fn push_stats(summary: &Summary, usage: Option<&Usage>, out: &mut Vec<u8>) {
    open("summary", out);
    push_each_count(summary.counts(), out);
    for (name, figure) in usage.iter().flat_map(|usage| usage.figures()) {
        push_key(name, out);
        out.extend_from_slice(figure.as_deref().unwrap_or("null").as_bytes());
    }
    push_each_count(summary.skips(), out);
    out.extend_from_slice(b"}\n");
}

pub(crate) fn push_each_count(rows: impl Iterator<Item = (&'static str, u64)>, out: &mut Vec<u8>) {
    for (name, count) in rows {
        push_count(name, count, out);
    }
}

pub(crate) fn open(kind: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"type\":\"");
    out.extend_from_slice(kind.as_bytes());
    out.push(b'"');
}

/// Opens a record about a document.
fn open_at(kind: &str, path: &DocumentPath, member: Option<&str>, out: &mut Vec<u8>) {
    open(kind, out);
    push_text("path", Some(path.path()), out);
    push_text("member", member.map(str::as_bytes), out);
}

fn close(path: &DocumentPath, out: &mut Vec<u8>) {
    if !path.is_utf8 {
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
    push_value(&Value::bytes(text), out);
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

/// Appends a comma, a key, and a number or null.
pub(crate) fn push_number(name: &str, number: Option<u64>, out: &mut Vec<u8>) {
    push_key(name, out);
    push_value(&Value::number(number), out);
}

/// Inlined, so that only the type that a field has is left in its function.
#[inline(always)]
pub(super) fn push_value(value: &Value<'_>, out: &mut Vec<u8>) {
    match *value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Number(number) => push_decimal(number, out),
        Value::Plain(text) => push_quoted(text, out),
        Value::Bytes(bytes) => push_string(bytes, out),
        Value::Base64(bytes) => {
            out.push(b'"');
            push_base64(bytes, out);
            out.push(b'"');
        }
        Value::Flags(flags) => push_list(flags.names(), out, push_quoted),
        Value::List(texts) => push_list(texts.iter().copied(), out, push_string),
        Value::Formed(bytes, form) => match form(bytes) {
            Some(text) => push_string(text.as_bytes(), out),
            None => out.extend_from_slice(b"null"),
        },
        Value::Texts(texts) => push_list(texts.iter().map(String::as_bytes), out, push_string),
        Value::Words(words) => {
            let words = words.split_terminator(' ').map(str::as_bytes);
            push_list(words, out, push_string);
        }
    }
}

pub(crate) fn push_list<T>(
    items: impl Iterator<Item = T>,
    out: &mut Vec<u8>,
    push: impl Fn(T, &mut Vec<u8>),
) {
    out.push(b'[');
    push_separated(b',', items, out, push);
    out.push(b']');
}

#[inline(always)]
pub(super) fn push_separated<T>(
    separator: u8,
    items: impl Iterator<Item = T>,
    out: &mut Vec<u8>,
    push: impl Fn(T, &mut Vec<u8>),
) {
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push(separator);
        }
        push(item, out);
    }
}

fn push_quoted(bytes: impl AsRef<[u8]>, out: &mut Vec<u8>) {
    out.push(b'"');
    out.extend_from_slice(bytes.as_ref());
    out.push(b'"');
}

/// Appends bytes as a JSON string, with invalid UTF-8 as U+FFFD and all control characters escaped:
/// records are shown on terminals and in logs.
///
/// ```
/// let mut out = Vec::new();
/// uriscan::output::json::push_string(b"a\"b\n\x7F\xFF", &mut out);
/// assert_eq!(out, "\"a\\\"b\\n\\u007f\u{FFFD}\"".as_bytes());
/// ```
pub fn push_string(bytes: &[u8], out: &mut Vec<u8>) {
    if is_plain(bytes) {
        push_quoted(bytes, out);
    } else {
        push_lossily(bytes, out);
    }
}

/// Returns a JSON string, as [`push_string`] appends it.
pub(crate) fn quoted(bytes: &[u8]) -> String {
    let mut out = Vec::new();
    push_string(bytes, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

#[cold]
fn push_lossily(bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    let needs_escape = |character| matches!(character, '"' | '\\') || is_control(character);
    push_escaping(bytes, out, needs_escape, push_escape);
    out.push(b'"');
}

fn push_escape(character: char, out: &mut Vec<u8>) {
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
}

/// Appends bytes in base64 with padding (RFC 4648 section 4).
pub fn push_base64(bytes: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + BASE64.encode_len(bytes.len()), 0);
    BASE64.encode_mut(bytes, &mut out[start..]);
}

#[cfg(test)]
#[path = "../../tests/unit/output/json.rs"]
mod tests;
