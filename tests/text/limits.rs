//! Texts at each limit of the rules, and one step beyond.

use super::laws::{Scanner, WHOLE, check_spans};
use super::oracle::{Find, Options};

/// A limit, and the finds in its text at the limit and one step beyond.
struct Row {
    rule: &'static str,
    limit: usize,
    text: fn(usize) -> String,
    within: &'static str,
    past: &'static str,
}

macro_rules! rows {
    ($($rule:literal, $limit:literal, |$n:ident| $text:expr, $within:literal, $past:literal;)*) => {
        &[$(Row { rule: $rule, limit: $limit, text: |$n| $text, within: $within, past: $past }),*]
    };
}

#[rustfmt::skip]
const ROWS: &[Row] = rows! {
    "T1", 64, |n| format!("{}://x.example/", "a".repeat(n)), "bare unknown-scheme", "";
    "T1 T5", 64, |n| format!("{}https://x.example/", "a".repeat(n - 5)), "bare glued", "bare glued";
    "T7", 2, |n| format!("tel:{}x", "1".repeat(n)), "", "bare";
    "T7", 25, |n| format!("bitcoin:{}", "a".repeat(n)), "", "bare";
    "T9", 64, |n| format!("<{}http://a.example/>", " ".repeat(n)), "angle", "bare";
    "T9", 64, |n| format!("<URL:{}http://a.example/>", " ".repeat(n)), "angle url-prefix", "bare";
    "T9", 64, |n| format!("<{}URL:http://a.example/>", " ".repeat(n)), "angle url-prefix", "bare url-prefix";
    "T9", 64, |n| format!("<URL:{}x.html>", " ".repeat(n)), "angle relative url-prefix", "";
    "T9", 1, |n| format!("<{}http://a.example/>", "\r\n".repeat(n)), "angle", "bare";
    "T13", 16_384, |n| format!("<http://a.example/{}>", "x".repeat(n - 17)), "angle", "bare unclosed";
    "T13", 64, |n| format!("<http://a.example/{}>", "\nx".repeat(n)), "angle wrapped", "bare unclosed";
    "T13", 8, |n| format!("<http://a.example/{}>", " x".repeat(n)), "angle inner-space", "bare unclosed";
    "T13", 8, |n| format!("\"http://a.example/{}\"", "\nx".repeat(n)), "quoted wrapped", "bare unclosed";
    "T13", 1, |n| format!("\"http://a.example/{}\"", " x".repeat(n)), "quoted inner-space", "bare unclosed";
    "T15", 1024, |n| format!("# {}<http://a.example/x\n# y>", "y".repeat(n - 2)), "angle wrapped", "angle inner-space wrapped";
    "T24", 256, |n| format!("\x1b]8;{};http://a.example/\x07", "p".repeat(n - 5)), "osc8", "bare";
    "T24", 16_384, |n| format!("\x1b]8;;http://a.example/{}\x07", "x".repeat(n - 17)), "osc8", "bare";
    "T25", 64, |n| format!("|{}http://a.example/?a|b.", " ".repeat(n)), "bare", "bare nonconforming trimmed";
    "T27", 1024, |n| format!("http://{}/", "a".repeat(n)), "bare odd-host", "";
    "odd-host", 63, |n| format!("http://{}.example/", "a".repeat(n)), "bare", "bare odd-host";
    "T30", 16, |n| format!("http://a.example/{}x{}", "(".repeat(n), ")".repeat(n)), "bare", "bare trimmed";
    "T30", 3, |n| format!("http://a.example/x[{}]", "1".repeat(n)), "bare footnote-cut", "bare nonconforming";
    "T31", 1, |n| format!("http://a.example/x{}", ".".repeat(n)), "bare trimmed", "bare ellipsis trimmed";
    "T33", 59, |n| format!("http://a.example/{}\nx", "x".repeat(n - 17)), "bare", "bare maybe-wrapped";
    "T33", 1, |n| format!("http://a.example/{}\n{}x", "x".repeat(60), " ".repeat(n)), "bare maybe-wrapped", "bare";
    "T33", 64, |n| format!("http://a.example/{}\n{}://y", "x".repeat(60), "x".repeat(n)), "bare, bare unknown-scheme", "bare maybe-wrapped";
    "T33 T15", 1024, |n| format!("> http://a.example/{}\n{}>x", "x".repeat(60), " ".repeat(n - 1)), "bare maybe-wrapped", "bare";
    "T37", 65_536, |n| format!("http://a.example/{}", "x".repeat(n - 17)), "bare", "bare overlong";
    "T37", 65_534, |n| format!("http://a.example/{}\u{E9}", "x".repeat(n - 17)), "bare non-ascii", "bare overlong";
    "T37 T39", 32_759, |n| format!(".http://a.example/{}x", "\\:".repeat(n)), "bare", "bare overlong";
    "T37 T39", 32_791, |n| format!(".http://a.example/{}x", "\\:".repeat(n)), "bare overlong", "bare";
    "T40", 1, |n| format!("www{}", ".example".repeat(n)), "", "www scheme-guessed";
    "T40", 1, |n| format!("www.a.{}", "b".repeat(n)), "", "www scheme-guessed";
    "T41", 64, |n| format!("{}@a.example", "a".repeat(n)), "email scheme-guessed", "";
    "T41", 63, |n| format!("a@{}.example", "a".repeat(n)), "email scheme-guessed", "";
    "T41", 255, |n| format!("a@{}{}example", "aa.".repeat((n + 1) % 2), "a.".repeat((n - 7) / 2 - (n + 1) % 2)), "email scheme-guessed", "";
};

/// Checks the finds at each limit, and one step beyond.
pub(crate) fn limits_hold(scan: Scanner<'_>, windows: &[usize]) {
    let options = Options {
        www: true,
        email: true,
        ..Options::default()
    };
    for row in ROWS {
        for (size, expected) in [(row.limit, row.within), (row.limit + 1, row.past)] {
            for &window in windows {
                let text = (row.text)(size);
                let finds = scan(text.as_bytes(), &options, window);
                let got: Vec<String> = finds.iter().map(summary).collect();
                let shown: String = text.chars().take(200).collect();
                assert!(
                    got.join(", ") == expected,
                    "{} at {size} in windows of {window}: {shown}\n expected {expected}\n got {got:?}",
                    row.rule,
                );
                check_spans(text.as_bytes(), &finds);
            }
        }
    }
}

/// `strict` lifts the limits of wraps and inner spaces.
pub(crate) fn strict_lifts_limits(scan: Scanner<'_>) {
    let options = Options {
        strict: true,
        ..Options::default()
    };
    for (blank, flag) in [("\nx", "wrapped"), (" x", "inner-space")] {
        let body = blank.repeat(1000);
        for (open, close, kind) in [("<", ">", "angle"), ("\"", "\"", "quoted")] {
            let text = format!("{open}http://a.example/{body}{close}");
            let finds = scan(text.as_bytes(), &options, WHOLE);
            let got: Vec<String> = finds.iter().map(summary).collect();
            assert!(
                got == [format!("{kind} {flag}")],
                "{text}\n expected {kind} {flag}\n got {finds:?}"
            );
        }
    }
}

/// Returns the kind and the flags.
fn summary(find: &Find) -> String {
    let flags = find.flags.iter().copied();
    let words: Vec<&str> = std::iter::once(find.kind).chain(flags).collect();
    words.join(" ")
}
