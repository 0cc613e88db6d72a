use super::*;

/// The naive version: one character at a time over the whole document.
fn naive(bytes: &[u8], offset: usize) -> Position {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let before = &text[..offset - (bytes.len() - text.len())];
    let mut line = 1;
    let mut start = 0;
    for at in 0..before.len() {
        let breaks = match before[at] {
            b'\n' => true,
            b'\r' => text.get(at + 1) != Some(&b'\n') || at + 1 == before.len(),
            _ => false,
        };
        if breaks {
            // A CR whose LF follows the offset has already ended its line.
            line += 1;
            start = at + 1;
        }
    }
    let rest = &before[start..];
    let column = rest
        .utf8_chunks()
        .map(|chunk| chunk.valid().chars().count() + chunk.invalid().len())
        .sum::<usize>() as u64
        + 1;
    Position { line, column }
}

/// The window of some of all bytes, with those behind that a window holds.
fn window(bytes: &[u8], range: std::ops::Range<usize>) -> Window<'_> {
    let behind = range.start.saturating_sub(LOOK_BEHIND);
    Window {
        bytes: &bytes[behind..range.end],
        start: range.start - behind,
        offset: behind as u64,
        last: range.end == bytes.len(),
    }
}

#[test]
fn windows_of_any_size_count_like_the_whole_document() {
    let text = "\u{feff}a\r\nbü\n\n\r\r\nq€x𝄞y\rz é\n".as_bytes();
    let mut bytes = text.to_vec();
    bytes.extend_from_slice(b"\xE2\x82 tail \xC3\n x \x80\x80 y");
    // Blocks without and with bytes beyond ASCII.
    for length in [15, 16, 31, 32, 33, 64, 100] {
        bytes.resize(bytes.len() + length, b'a');
        bytes.extend_from_slice("\u{A7} \u{2019}s ".as_bytes());
        bytes.resize(bytes.len() + length, b'b');
        bytes.extend_from_slice(b"\xE2\x80 c\n");
    }
    let small = (1..12).map(|size| (size, 3));
    for (size, step) in small.chain([(40, 3), (100, 64), (2000, 70), (2000, 171)]) {
        let mut lines = LineCounter::new();
        let mut start = 0;
        while start < bytes.len() {
            let end = (start + size).min(bytes.len());
            let window = window(&bytes, start..end);
            for at in start..end {
                let boundary = bytes[at] & 0xC0 != 0x80;
                if boundary && at >= 3 && at % step == 0 && bytes[at] != b'\n' {
                    let got = lines.position(&window, at as u64);
                    assert_eq!(got, naive(&bytes, at), "size {size}, offset {at}");
                }
            }
            lines.pass(&window, window.bytes.len());
            start = end;
        }
    }
}

/// The encoding changes from UTF-8 in the middle of a line.
#[test]
fn the_current_line_is_recounted_in_bytes() {
    let mut lines = LineCounter::new();
    let window = Window::whole("a\né é".as_bytes());
    assert_eq!(lines.position(&window, 5).column, 3);
    lines.set_encoding(encoding_rs::WINDOWS_1252);
    assert_eq!(lines.position(&window, 7).column, 6);
}

#[test]
fn block_counts_equal_byte_counts() {
    let mut state = 3u32;
    for round in 0..400 {
        let bytes: Vec<u8> = (0..1124)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                b"a\nbcdefghijklmnopqrstuvwxyz"[(state >> 16) as usize % (2 + round % 25)]
            })
            .collect();
        for range in [0..64, 3..100, 1..236, 70..71, 70..70, 5..22, 1..1124] {
            let mut lines = LineCounter::new();
            lines.count(&bytes, range.clone());
            let (breaks, line) = count_breaks(&bytes[..range.end], range.start);
            let column = range.end - line.unwrap_or(range.start);
            let counted = (lines.line - 1, lines.column as usize);
            assert_eq!(counted, (breaks, column), "{range:?}");
        }
    }
}

#[test]
fn characters_of_two_bytes_are_never_split() {
    // KATAKANA SO ends in a backslash in Shift_JIS; the last byte is half a character.
    let bytes = b"<a>\x83\x5C\x83\x5C\x83\x83\x83\x5Cab\x94\x5C\n\x83\x5Cx\x83";
    let naive = |at: usize| {
        let start = memrchr(b'\n', &bytes[..at]).map_or(0, |feed| feed + 1);
        characters(encoding_rs::SHIFT_JIS, &bytes[start..at]) + 1
    };
    for size in 1..12 {
        let mut lines = LineCounter::new();
        lines.set_encoding(encoding_rs::SHIFT_JIS);
        for end in (0..bytes.len()).step_by(size).skip(1) {
            let behind = end.saturating_sub(size + LOOK_BEHIND);
            let window = Window {
                bytes: &bytes[behind..end],
                start: 0,
                offset: behind as u64,
                last: false,
            };
            lines.pass(&window, window.bytes.len());
        }
        for at in [18, bytes.len() - 1] {
            let mut lines = lines.clone();
            if lines.offset <= at as u64 {
                let position = lines.position(&Window::whole(bytes), at as u64);
                assert_eq!(position.column, naive(at), "size {size}, offset {at}");
            }
        }
    }
}
