//! CSV (RFC 4180) and TSV: a header, then one row for each link.

use super::column::Value;
use super::escape::{Escape, make_visible, push_decimal};
use super::json::{push_base64, push_separated};
use super::layout::Layout;
use super::record::DocumentPath;
use super::text::push_lossy;
use crate::bytes::simd::{self, Block};
use crate::linker::Link;

pub(super) fn push_header(layout: &Layout, separator: u8, out: &mut Vec<u8>) {
    push_separated(separator, layout.fields.iter(), out, |field, out| {
        out.extend_from_slice(field.name.as_bytes());
    });
    out.push(b'\n');
}

/// Appends a row. `protect` escapes the cell from an index to the end of the buffer.
pub(super) fn push_row(
    layout: &Layout,
    path: &DocumentPath,
    link: &Link<'_>,
    separator: u8,
    protect: fn(usize, &mut Vec<u8>),
    out: &mut Vec<u8>,
) {
    for (index, field) in layout.fields.iter().enumerate() {
        if index > 0 {
            out.push(separator);
        }
        let value = (field.value)(path, link);
        // Most cells, which need no escape.
        if matches!(value, Value::Null) {
            continue;
        }
        let start = out.len();
        push_cell(&value, out);
        let is_formula = |first| b"=+-@\t\r".contains(first);
        if layout.protects_formulas && out.get(start).is_some_and(is_formula) {
            out.insert(start, b'\'');
        }
        protect(start, out);
        if layout.escape == Escape::Controls || layout.protects_formulas {
            make_visible(start, out);
        }
    }
    out.push(b'\n');
}

/// Appends a value; several are separated by spaces.
fn push_cell(value: &Value<'_>, out: &mut Vec<u8>) {
    match *value {
        Value::Null => {}
        Value::Number(number) => push_decimal(number, out),
        Value::Plain(text) => out.extend_from_slice(text),
        Value::Bytes(bytes) => push_lossy(bytes, out),
        Value::Base64(bytes) => push_base64(bytes, out),
        Value::Flags(flags) => push_separated(b' ', flags.names(), out, push_lossy),
        Value::List(texts) => push_separated(b' ', texts.iter(), out, push_lossy),
        Value::Formed(bytes, form) => push_lossy(form(bytes).unwrap_or_default(), out),
        Value::Texts(texts) => push_separated(b' ', texts.iter(), out, push_lossy),
        Value::Words(words) => push_lossy(words, out),
    }
}

/// Quotes a cell of CSV where necessary (RFC 4180 section 2, rules 6 and 7).
pub(super) fn quote(start: usize, out: &mut Vec<u8>) {
    if has_any(*b",\"\r\n", &out[start..]) {
        escape(start, out, |byte| (byte == b'"').then_some(*b"\"\""));
        out.insert(start, b'"');
        out.push(b'"');
    }
}

/// Escapes a cell of TSV: `\t`, `\n`, `\r`, `\\`.
pub(super) fn escape_cell(start: usize, out: &mut Vec<u8>) {
    if has_any(*b"\t\n\r\\", &out[start..]) {
        escape(start, out, |byte| match byte {
            b'\t' => Some(*b"\\t"),
            b'\n' => Some(*b"\\n"),
            b'\r' => Some(*b"\\r"),
            b'\\' => Some(*b"\\\\"),
            _ => None,
        });
    }
}

fn has_any(special: [u8; 4], bytes: &[u8]) -> bool {
    let mask = |block: Block| block.any_of(special);
    simd::any(bytes, mask, |byte| special.contains(&byte))
}

fn escape(start: usize, out: &mut Vec<u8>, escaped: fn(u8) -> Option<[u8; 2]>) {
    for byte in out.split_off(start) {
        match escaped(byte) {
            Some(pair) => out.extend(pair),
            None => out.push(byte),
        }
    }
}
