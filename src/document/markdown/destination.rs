//! Where in a link its destination stands (CommonMark 0.31, "link destination").

use std::ops::Range;

/// The destination of an inline link, somewhere behind the end of its text: `](destination`.
pub(super) fn of_link(source: &[u8], within: Range<usize>) -> Option<Range<usize>> {
    let rest = source.get(within.clone())?;
    let bracket = memchr::memmem::find(rest, b"](")?;
    read(source, within.start + bracket + 2, within.end)
}

/// The destination of a definition: `[label]: destination`.
pub(super) fn of_definition(source: &[u8], within: Range<usize>) -> Option<Range<usize>> {
    let mut at = within.start;
    loop {
        match source.get(at..within.end)? {
            [b'\\', _, ..] => at += 2,
            [b']', b':', ..] => return read(source, at + 2, within.end),
            [_, ..] => at += 1,
            [] => return None,
        }
    }
}

fn read(source: &[u8], at: usize, end: usize) -> Option<Range<usize>> {
    let source = source.get(..end)?;
    let mut start = at;
    let mut breaks = false;
    // A line may break here, and the next one start with the marks of the quotes that it is in.
    while let Some(&byte) = source.get(start) {
        match byte {
            b' ' | b'\t' => {}
            b'\n' | b'\r' => breaks = true,
            b'>' if breaks => {}
            _ => break,
        }
        start += 1;
    }
    let angle = source.get(start) == Some(&b'<');
    if angle {
        start += 1;
    }
    let mut at = start;
    let mut depth = 0;
    while let Some(&byte) = source.get(at) {
        match byte {
            b'\\' if source.get(at + 1).is_some_and(u8::is_ascii_punctuation) => at += 1,
            b'>' if angle => break,
            0..=b' ' | 0x7F if !angle => break,
            b'(' if !angle => depth += 1,
            b')' if !angle && depth == 0 => break,
            b')' if !angle => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    Some(start..at.min(source.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn destinations_stand_behind_the_text() {
        for (source, expected) in [
            ("[a](b)", "b"),
            ("[a]( b \"title\")", "b"),
            ("[a](<b c> 'title')", "b c"),
            ("[a](b\\)c(d))", "b\\)c(d)"),
            ("[a](\n> b)", "b"),
            ("[a]()", ""),
            ("[a](<>)", ""),
        ] {
            let place = of_link(source.as_bytes(), 2..source.len());
            assert_eq!(&source[place.unwrap()], expected, "{source}");
        }
        for (source, expected) in [
            ("[a]: b", "b"),
            ("[a\\]: b]: c 'title'", "c"),
            ("[a]:\n  <b c>", "b c"),
        ] {
            let place = of_definition(source.as_bytes(), 0..source.len());
            assert_eq!(&source[place.unwrap()], expected, "{source}");
        }
    }
}
