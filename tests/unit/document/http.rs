use regex::bytes::Regex;

use super::*;

fn targets(value: &str) -> Vec<&str> {
    let ranges = link_targets(value.as_bytes());
    ranges.into_iter().map(|range| &value[range]).collect()
}

#[test]
fn a_link_field_holds_targets_outside_quotes() {
    assert_eq!(
        targets("<a>; rel=x, <b,c>;title=\"<d>, <e>\" ,<f>"),
        ["a", "b,c", "f"]
    );
    assert_eq!(targets("<a>; x=\"\\\"<b>\", <c"), ["a"]);
    assert_eq!(targets("x <a>, y, <b>"), ["b"]);
    // What nothing closes is read once.
    assert_eq!(targets("<a>,<b\"\",<c\"\""), ["a"]);
}

#[test]
fn fields_may_be_folded() {
    let block = b"HTTP/1.1 200 OK\r\nLink: <a>,\r\n <b>\nX : y\n\n";
    let found: Vec<_> = fields(block)
        .map(|field| (field.name, &block[field.value], field.line))
        .collect();
    let expected: [(&[u8], &[u8], u64); 2] = [(b"Link", b"<a>,\r\n <b>", 2), (b"X", b"y", 4)];
    assert_eq!(found, expected);
}

/// The fields that a regular expression finds are those of all blocks of a few bytes.
#[test]
fn fields_are_those_of_their_grammar() {
    let grammar = Regex::new(r"(?m-u)^[!-9;-~]+[\t\f\r ]*:(?:[^\n]|\n[\t ])*").unwrap();
    let bytes = b"a: \t\r\n";
    for number in 0..6_usize.pow(6) {
        let digits = (0..6).map(|place| number / 6_usize.pow(place) % 6);
        let block: Vec<u8> = digits.map(|digit| bytes[digit]).collect();
        let expected = grammar.find_iter(&block).map(|found| {
            let colon = memchr::memchr(b':', found.as_bytes()).unwrap();
            let line = 1 + memchr::memchr_iter(b'\n', &block[..found.start()]).count() as u64;
            let name = found.as_bytes()[..colon].trim_ascii_end();
            (
                name,
                trimmed(&block, found.start() + colon + 1..found.end()),
                line,
            )
        });
        let found = fields(&block).map(|field| (field.name, field.value, field.line));
        assert!(found.eq(expected), "{:?}", block.escape_ascii().to_string());
    }
}
