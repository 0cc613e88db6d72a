//! TSV: a header, then one row for each link; a tab, a line break and a backslash in a cell are
//! written `\t`, `\n`, `\r` and `\\`.

use super::Output;
use super::csv::{push_header, push_row};

/// TSV with a header.
pub(super) const OUTPUT: Output = Output {
    name: "tsv",
    header: |layout, out| push_header(layout, b'\t', out),
    link: |layout, place, link, out| push_row(layout, place, link, b'\t', escape, out),
    others: None,
};

fn escaped(byte: u8) -> Option<u8> {
    match byte {
        b'\t' => Some(b't'),
        b'\n' => Some(b'n'),
        b'\r' => Some(b'r'),
        b'\\' => Some(b'\\'),
        _ => None,
    }
}

fn escape(start: usize, out: &mut Vec<u8>) {
    let more = out[start..]
        .iter()
        .filter(|&&byte| escaped(byte).is_some())
        .count();
    if more == 0 {
        return;
    }
    let mut from = out.len();
    let mut to = from + more;
    out.resize(to, 0);
    // From behind, so that nothing is overwritten before it has moved.
    while from > start {
        from -= 1;
        to -= 1;
        if let Some(letter) = escaped(out[from]) {
            out[to] = letter;
            to -= 1;
            out[to] = b'\\';
        } else {
            out[to] = out[from];
        }
    }
}
