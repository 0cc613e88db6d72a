//! Text: one target a line, after its location where the layout has one.

use super::escape::{Escape, is_plain, push_decimal, push_on_one_line};
use super::layout::Layout;
use super::record::DocumentPath;
use crate::linker::{Link, lossy};

/// The colours of locations, and their end.
pub(crate) const PATH: &str = "\x1b[35m";
pub(crate) const NUMBER: &str = "\x1b[32m";
pub(crate) const PLAIN: &str = "\x1b[0m";
/// Starts a hyperlink, which ends with an empty one.
const HYPERLINK: &[u8] = b"\x1b]8;;";
/// Ends the target of a hyperlink.
const END: &[u8] = b"\x1b\\";

pub(super) fn push_link(layout: &Layout, path: &DocumentPath, link: &Link<'_>, out: &mut Vec<u8>) {
    let before = out.len();
    push_location(layout, path, link, out);
    if out.len() > before {
        out.push(b' ');
    }
    // A reference without a target is printed as written.
    let shown = link.target.unwrap_or(link.reference);
    if layout.hyperlinks && link.target.is_ok() && shown.iter().all(u8::is_ascii_graphic) {
        for part in [HYPERLINK, shown, END, shown, HYPERLINK, END] {
            out.extend_from_slice(part);
        }
    } else if link.is_plain {
        out.extend_from_slice(shown);
    } else {
        return push_line(layout, shown, out);
    }
    out.push(layout.terminator);
}

fn push_location(layout: &Layout, path: &DocumentPath, link: &Link<'_>, out: &mut Vec<u8>) {
    let location = layout.location;
    if location.path {
        push_path(layout, path, link.member, out);
        out.push(b':');
    }
    if location.position
        && let Some(position) = link.position
    {
        push_number(layout, position.line, out);
        // In header fields the column is 0, for none.
        if position.column > 0 {
            push_number(layout, position.column, out);
        }
    }
    if location.offset
        && let Some(span) = link.exact_span()
    {
        push_number(layout, span.start, out);
    }
}

/// Appends the path, and after a `!` the member.
pub(crate) fn push_path(
    layout: &Layout,
    path: &DocumentPath,
    member: Option<&str>,
    out: &mut Vec<u8>,
) {
    paint(layout, PATH, out, |out| {
        if path.is_plain {
            out.extend_from_slice(path.path());
        } else {
            layout.escape.push(path.path(), out);
        }
        if let Some(member) = member {
            out.push(b'!');
            layout.escape.push(member.as_bytes(), out);
        }
    });
}

fn push_number(layout: &Layout, number: u64, out: &mut Vec<u8>) {
    paint(layout, NUMBER, out, |out| push_decimal(number, out));
    out.push(b':');
}

fn paint(layout: &Layout, color: &str, out: &mut Vec<u8>, push: impl FnOnce(&mut Vec<u8>)) {
    if !layout.color {
        return push(out);
    }
    out.extend_from_slice(color.as_bytes());
    push(out);
    out.extend_from_slice(PLAIN.as_bytes());
}

/// Appends a URI, escaped as the layout asks, and the terminator.
pub(crate) fn push_line(layout: &Layout, uri: &[u8], out: &mut Vec<u8>) {
    if is_plain(uri) {
        out.extend_from_slice(uri);
    } else if layout.escape == Escape::LineBreaks {
        push_on_one_line(lossy(uri).as_bytes(), out);
    } else {
        layout.escape.push(uri, out);
    }
    out.push(layout.terminator);
}

/// Appends bytes, with invalid UTF-8 as U+FFFD.
pub(crate) fn push_lossy(bytes: impl AsRef<[u8]>, out: &mut Vec<u8>) {
    let bytes = bytes.as_ref();
    if bytes.is_ascii() {
        return out.extend_from_slice(bytes);
    }
    out.extend_from_slice(lossy(bytes).as_bytes());
}
