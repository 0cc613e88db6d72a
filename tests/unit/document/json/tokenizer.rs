use super::*;
use crate::document::json::unescaped;

/// Makes a document of usual pieces and faults.
fn generate(state: &mut u32) -> Vec<u8> {
    const PIECES: [&str; 36] = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        " ",
        "\n",
        "\n    ",
        "\n                     ",
        "\t",
        "\r\n",
        "\"a\":",
        "\"name\" : ",
        "\"\"",
        "\"a:b\"",
        "\"\\u003a\"",
        "\"\\n\\\"\"",
        "\"\\x\"",
        "\\",
        "1",
        "-0.5",
        "12.25,",
        "[1,2.5,-3]",
        "[1, 2 ,3 ]",
        "01",
        "1.",
        "-",
        "1e5",
        "123456789012345678901",
        "true",
        "false,",
        "null",
        "nul",
        "\u{1}",
    ];
    let mut next = |below: usize| {
        *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (*state >> 16) as usize % below
    };
    let mut bytes = Vec::new();
    for _ in 0..next(30) {
        match next(8) {
            0 => {
                // Strings longer than the vectors that look for their ends.
                bytes.push(b'"');
                bytes.extend(std::iter::repeat_n(b'x', next(400)));
                bytes.extend_from_slice([":", "", "\\t", "\\u00e9"][next(4)].as_bytes());
                bytes.extend(std::iter::repeat_n(b'y', next(40)));
                bytes.extend_from_slice([&b"\","[..], b"\"", b"\":", b"\n"][next(4)]);
            }
            _ => bytes.extend_from_slice(PIECES[next(PIECES.len())].as_bytes()),
        }
    }
    bytes
}

/// Reads all tokens of a document, of which `step` more bytes are seen whenever one is cut.
fn all(bytes: &[u8], sequence: JsonSequence, step: usize) -> (Vec<JsonToken>, bool) {
    let mut tokenizer = JsonTokenizer::new(sequence);
    let (mut found, mut end) = (Vec::new(), step.min(bytes.len()));
    loop {
        let window = Window {
            last: end == bytes.len(),
            ..Window::whole(&bytes[..end])
        };
        match tokenizer.next(&window) {
            JsonToken::End => return (found, tokenizer.faults.is_empty()),
            JsonToken::More => end = bytes.len().min(end + step),
            JsonToken::Other(count) => found.extend((0..count).map(|_| JsonToken::Other(1))),
            token => found.push(token),
        }
    }
}

#[test]
fn tokens_do_not_depend_on_windows() {
    let (mut state, mut count) = (7, 0);
    for _ in 0..1_000 {
        let bytes = generate(&mut state);
        for sequence in [
            JsonSequence::One,
            JsonSequence::Lines,
            JsonSequence::Relaxed,
        ] {
            let whole = all(&bytes, sequence, usize::MAX);
            count += whole.0.len();
            for step in [1, 7] {
                let shown = bytes.escape_ascii();
                assert_eq!(all(&bytes, sequence, step), whole, "{sequence:?} {shown}");
            }
        }
    }
    assert!(count > 10_000, "{count}");
}

#[test]
fn flags_of_strings_agree_with_their_contents() {
    let (mut state, mut seen) = (3, [0; 2]);
    for _ in 0..300 {
        let bytes = generate(&mut state);
        for start in 0..bytes.len() {
            let scan = scan_string(&bytes, start, true);
            if scan.fault.is_some() {
                continue;
            }
            let text = &scan.text;
            let raw = &bytes[text.range.clone()];
            assert_eq!(text.has_escapes, raw.contains(&b'\\'));
            assert!(text.may_have_colon || !unescaped(raw).contains(&b':'));
            assert!(!text.may_have_colon || raw.contains(&b':') || raw.contains(&b'u'));
            assert!(!matches!(scan.end, StringEnd::Closed(end) if bytes[end] != b'"'));
            seen[usize::from(text.may_have_colon)] += 1;
        }
    }
    assert!(seen.iter().all(|seen| *seen > 100), "{seen:?}");
}
