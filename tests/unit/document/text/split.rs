use super::super::{TextOptions, TextReference, find};
use super::*;

const TOKENS: &[&str] = &[
    "<",
    ">",
    "\"",
    "\n",
    "\n",
    "\n",
    " ",
    " ",
    "\r\n",
    "\t",
    "http://a.example/b",
    "http://",
    "http:",
    "//a.example/",
    "URL:",
    "<URL:",
    "<http://a.example/x",
    "\"http://a.example/y",
    "mailto:u@a.example",
    "www.a.example",
    "u@a.example",
    "> ",
    "# ",
    "// ",
    "word",
    "7",
    "-",
    ".",
    ",",
    "\u{1b}]8;;",
    "\u{7}",
    "\u{a0}",
    "\u{ad}",
    "\u{200b}",
    "\u{e9}",
    "urn:a:b",
    "tel:555-1234",
    "ftp",
    ":",
    "/x",
    "(",
    ")",
    "[1]",
    "'",
    "http://a.example/a-long-path-that-makes-the-line-longer-than-sixty-bytes/and-more",
];

fn soup(seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) as usize % below
    };
    let length = 5 + next(60);
    (0..length).map(|_| TOKENS[next(TOKENS.len())]).collect()
}

fn shifted(find: TextReference<'_>, by: usize) -> String {
    let span = find.span.start + by..find.span.end + by;
    format!("{span:?} {:?}", TextReference { span: 0..0, ..find })
}

#[test]
fn no_rule_reaches_across_a_split_point() {
    let plain = TextOptions::default();
    let all = TextOptions {
        www: true,
        email: true,
        ..TextOptions::default()
    };
    let strict = TextOptions {
        strict: true,
        ..all.clone()
    };
    let mut splits = 0;
    for seed in 0..8000 {
        let text = soup(seed);
        let bytes = text.as_bytes();
        let options = [&plain, &all, &strict][seed as usize % 3];
        let whole: Vec<_> = find(bytes, options).map(|find| shifted(find, 0)).collect();
        for at in memchr_iter(b'\n', bytes).map(|at| at + 1) {
            if is_split_point(bytes, at) {
                let one = find(&bytes[..at], options).map(|find| shifted(find, 0));
                let other = find(&bytes[at..], options).map(|find| shifted(find, at));
                let pieces: Vec<_> = one.chain(other).collect();
                assert_eq!(pieces, whole, "{text:?} cut at {at}");
                splits += 1;
            }
        }
    }
    assert!(splits > 2000, "{splits}");
}

#[test]
fn a_log_has_split_points_and_an_open_delimiter_has_none() {
    let log =
        "127.0.0.1 \"GET /x HTTP/1.1\" 200 \"http://example.com/\" \"Agent/1.0\"\n".repeat(1000);
    let at = split_point(log.as_bytes()).unwrap();
    assert!(at.abs_diff(log.len() / 2) < 200, "{at}");
    let words = "word word\n".repeat(6000);
    assert!(split_point(words.as_bytes()).is_some());
    let times = "10:00:00 http://example.com/\n".repeat(3000);
    assert_eq!(split_point(times.as_bytes()), None);
    let open = format!(
        "{}<http://example.com/\n{}",
        "word\n".repeat(3000),
        "word\n".repeat(3000)
    );
    assert_eq!(split_point(open.as_bytes()), None);
    let closed = format!("{open}>\n{}", "word\n".repeat(8000));
    assert!(split_point(closed.as_bytes()).unwrap() > open.len());
}
