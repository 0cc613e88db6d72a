//! Laws that hold for every scanner of text, including the oracle.
//!
//! A scanner is a function of a text, options and the size of the windows. Each law takes one, and
//! panics with the text, the expected finds and the actual ones.

use super::oracle::{Find, Options, find_all};
use super::soup::{self, Numbers};
use super::vectors::{self, Case};

/// A function that finds the URIs in a text, in windows of a number of bytes.
pub(crate) type Scanner<'a> = &'a dyn Fn(&[u8], &Options, usize) -> Vec<Find>;

/// The size of a window for the whole text.
pub(crate) const WHOLE: usize = usize::MAX;

/// Every case has its finds, in windows of each size.
pub(crate) fn cases_hold(scan: Scanner<'_>, windows: &[usize]) {
    for case in vectors::cases() {
        for &window in windows {
            let finds = scan(&case.text, &case.options, window);
            assert!(
                case.suits(&case.text, &finds),
                "{}\n got {finds:?}\n in windows of {window}",
                case.describe(&case.text)
            );
            check_spans(&case.text, &finds);
        }
    }
}

/// The finds in soups are the oracle's.
pub(crate) fn soups_agree(scan: Scanner<'_>, seeds: std::ops::Range<u64>, windows: &[usize]) {
    for seed in seeds {
        let mut numbers = Numbers::seeded(seed);
        let longest = *numbers.pick(&[6, 12, 40, 200]);
        let text = soup::soup(&mut numbers, longest);
        let options = soup::options(&mut numbers);
        agrees(scan, &text, &options, windows, &format!("soup {seed}"));
    }
}

/// The finds in hostile repetitions of `length` bytes are the oracle's.
///
/// The oracle takes quadratic time for a run of `mailto:`; a few KiB are enough.
pub(crate) fn repetitions_agree(scan: Scanner<'_>, length: usize, windows: &[usize]) {
    for seed in 0..2 {
        let options = soup::options(&mut Numbers::seeded(seed));
        for token in soup::HOSTILE {
            let text = soup::repeated(token, length);
            let name = format!("repeated {}", token.escape_ascii());
            agrees(scan, &text, &options, windows, &name);
        }
    }
}

/// The finds in `text`, which `name` describes, are the oracle's.
pub(crate) fn agrees(
    scan: Scanner<'_>,
    text: &[u8],
    options: &Options,
    windows: &[usize],
    name: &str,
) {
    let expected = find_all(text, options);
    for &window in windows {
        let finds = scan(text, options, window);
        if finds == expected {
            continue;
        }
        let same = finds
            .iter()
            .zip(&expected)
            .take_while(|(got, want)| got == want);
        let first = same.count();
        // A long text is shown from the end of the last find that is right.
        let start = first.checked_sub(1).map_or(0, |last| expected[last].end);
        let end = text.len().min(start + 2000);
        panic!(
            "{name} in windows of {window}, {options:?}, from {start}:\n{}\n expected {:?}\n got {:?}",
            text[start..end].escape_ascii(),
            expected.get(first),
            finds.get(first),
        );
    }
}

/// White space inside `<...>` leaves the URIs of a case as they are (RFC 2396 Appendix E).
pub(crate) fn white_space_in_angles_is_ignored(scan: Scanner<'_>, seeds: std::ops::Range<u64>) {
    let uris = |finds: &[Find]| {
        finds
            .iter()
            .map(|find| find.uri.clone())
            .collect::<Vec<_>>()
    };
    let mut tried = 0;
    for case in vectors::cases() {
        let expected = uris(&scan(&case.text, &case.options, WHOLE));
        for seed in seeds.clone() {
            let Some(text) = soup::woven(&case, &mut Numbers::seeded(seed)) else {
                continue;
            };
            tried += 1;
            let finds = scan(&text, &case.options, WHOLE);
            assert!(
                uris(&finds) == expected,
                "{}\n got {finds:?}",
                case.describe(&text)
            );
            check_spans(&text, &finds);
        }
    }
    assert!(tried > 0, "no case has a URI in angle brackets");
}

/// A prefix before each line leaves the finds of a case as they are.
///
/// The unfit cases are about a reply mark behind no others (T17), or have a prefix of their own,
/// which does not count behind another kind of prefix (T15).
pub(crate) fn line_prefixes_are_ignored(scan: Scanner<'_>) {
    let unfit = [
        ("> ", &["W16", "P06", "P07"][..]),
        ("# ", &["P02", "P04", "P06", "P07", "P12"]),
    ];
    for case in vectors::cases() {
        for (prefix, unfit) in unfit {
            if unfit.contains(&case.id.as_str()) {
                continue;
            }
            let text = soup::prefixed(&case.text, prefix.as_bytes());
            let finds = scan(&text, &case.options, WHOLE);
            assert!(
                case.suits_apart_from_spans(&finds),
                "{}\n got {finds:?}",
                case.describe(&text)
            );
            check_spans(&text, &finds);
        }
    }
}

/// Cases joined by empty lines, in any order, give the same finds as alone.
pub(crate) fn empty_lines_separate_cases(scan: Scanner<'_>, seeds: std::ops::Range<u64>) {
    let is_plain = |case: &Case| !case.has_options && !case.id.starts_with('K');
    let mut cases: Vec<Case> = vectors::cases().into_iter().filter(is_plain).collect();
    let options = Options::default();
    for seed in seeds {
        Numbers::seeded(seed).shuffle(&mut cases);
        let texts: Vec<&[u8]> = cases.iter().map(|case| &case.text[..]).collect();
        let (text, offsets) = soup::joined(&texts);
        let alone = texts.iter().zip(offsets);
        let expected = alone.flat_map(|(text, by)| moved(scan(text, &options, WHOLE), by));
        let finds = scan(&text, &options, WHOLE);
        assert_same(&text, &expected.collect::<Vec<_>>(), &finds, seed);
    }
}

/// Soups split at their empty lines give the same finds as whole.
pub(crate) fn soups_split_at_empty_lines(scan: Scanner<'_>, seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let mut numbers = Numbers::seeded(seed);
        let text = soup::soup(&mut numbers, 80);
        let options = soup::options(&mut numbers);
        let pieces = soup::pieces(&text).into_iter();
        let expected = pieces.flat_map(|(by, piece)| moved(scan(piece, &options, WHOLE), by));
        let finds = scan(&text, &options, WHOLE);
        assert_same(&text, &expected.collect::<Vec<_>>(), &finds, seed);
        check_spans(&text, &finds);
    }
}

fn moved(mut finds: Vec<Find>, by: usize) -> Vec<Find> {
    for find in &mut finds {
        find.start += by;
        find.end += by;
    }
    finds
}

fn assert_same(text: &[u8], expected: &[Find], got: &[Find], seed: u64) {
    let text = text.escape_ascii();
    assert!(
        expected == got,
        "seed {seed}: {text}\n expected {expected:?}\n got {got:?}"
    );
}

/// Returns bytes without the escapes of troff (T39).
fn without_escapes(raw: &[u8]) -> Vec<u8> {
    let mut written = Vec::new();
    let mut rest = raw;
    while let Some((&byte, behind)) = rest.split_first() {
        rest = match rest {
            [b'\\', b':', behind @ ..] => behind,
            [b'\\', b'-', behind @ ..] => {
                written.push(b'-');
                behind
            }
            _ => {
                written.push(byte);
                behind
            }
        };
    }
    written
}

/// Spans are in order, do not overlap, and hold the finds.
pub(crate) fn check_spans(text: &[u8], finds: &[Find]) {
    let mut last = 0;
    for find in finds {
        let ordered = last <= find.start && find.start < find.end && find.end <= text.len();
        let written = find.uri.as_slice();
        let suits = |raw: &[u8]| match find.kind {
            "osc8" => written == raw,
            // T39
            "bare" => written == raw || written == without_escapes(raw),
            "www" => written.strip_prefix(b"http://") == Some(raw),
            // T41
            "email" => (written.strip_prefix(b"mailto:")).is_some_and(|address| {
                percent_encoding::percent_decode(address).eq(raw.iter().copied())
            }),
            // Removed bytes stand in between.
            _ => {
                let mut raw = raw.iter();
                written.iter().all(|byte| raw.any(|there| there == byte))
            }
        };
        assert!(
            ordered && suits(&text[find.start..find.end]),
            "{}\n got {find:?}, after {last}",
            text.escape_ascii()
        );
        last = find.end;
    }
}
