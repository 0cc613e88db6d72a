//! Texts at each limit of the rules, and one step past it.

use super::laws::{Scanner, WHOLE, check_spans};
use super::oracle::{Find, Options};

/// A limit: what is found where `text` is given the limit, and where it is given one more.
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
    "S1", 64, |n| format!("{}://x.example/", "a".repeat(n)), "bare unknown-scheme", "";
    "S1 S5", 64, |n| format!("{}https://x.example/", "a".repeat(n - 5)), "bare glued", "bare glued";
    "S7", 2, |n| format!("tel:{}x", "1".repeat(n)), "", "bare";
    "S7", 25, |n| format!("bitcoin:{}", "a".repeat(n)), "", "bare";
    "D1", 64, |n| format!("<{}http://a.example/>", " ".repeat(n)), "angle", "bare";
    "D1", 64, |n| format!("<URL:{}http://a.example/>", " ".repeat(n)), "angle url-prefix", "bare";
    "D1", 64, |n| format!("<{}URL:http://a.example/>", " ".repeat(n)), "angle url-prefix", "bare url-prefix";
    "D1", 64, |n| format!("<URL:{}x.html>", " ".repeat(n)), "angle relative url-prefix", "";
    "D1", 1, |n| format!("<{}http://a.example/>", "\r\n".repeat(n)), "angle", "bare";
    "D5", 16_384, |n| format!("<http://a.example/{}>", "x".repeat(n - 17)), "angle", "bare unclosed";
    "D5", 64, |n| format!("<http://a.example/{}>", "\nx".repeat(n)), "angle wrapped", "bare unclosed";
    "D5", 8, |n| format!("<http://a.example/{}>", " x".repeat(n)), "angle inner-space", "bare unclosed";
    "D5", 8, |n| format!("\"http://a.example/{}\"", "\nx".repeat(n)), "quoted wrapped", "bare unclosed";
    "D5", 1, |n| format!("\"http://a.example/{}\"", " x".repeat(n)), "quoted inner-space", "bare unclosed";
    "D6", 1024, |n| format!("# {}<http://a.example/x\n# y>", "y".repeat(n - 2)), "angle wrapped", "angle inner-space wrapped";
    "D14", 256, |n| format!("\x1b]8;{};http://a.example/\x07", "p".repeat(n - 5)), "osc8", "bare";
    "D14", 16_384, |n| format!("\x1b]8;;http://a.example/{}\x07", "x".repeat(n - 17)), "osc8", "bare";
    "B1", 64, |n| format!("|{}http://a.example/?a|b.", " ".repeat(n)), "bare", "bare nonconforming trimmed";
    "B3", 1024, |n| format!("http://{}/", "a".repeat(n)), "bare odd-host", "";
    "odd-host", 63, |n| format!("http://{}.example/", "a".repeat(n)), "bare", "bare odd-host";
    "B5", 16, |n| format!("http://a.example/{}x{}", "(".repeat(n), ")".repeat(n)), "bare", "bare trimmed";
    "B5", 3, |n| format!("http://a.example/x[{}]", "1".repeat(n)), "bare footnote-cut", "bare nonconforming";
    "B6", 1, |n| format!("http://a.example/x{}", ".".repeat(n)), "bare trimmed", "bare ellipsis trimmed";
    "B8", 59, |n| format!("http://a.example/{}\nx", "x".repeat(n - 17)), "bare", "bare maybe-wrapped";
    "B8", 1, |n| format!("http://a.example/{}\n{}x", "x".repeat(60), " ".repeat(n)), "bare maybe-wrapped", "bare";
    "B8", 64, |n| format!("http://a.example/{}\n{}://y", "x".repeat(60), "x".repeat(n)), "bare, bare unknown-scheme", "bare maybe-wrapped";
    "B8 D6", 1024, |n| format!("> http://a.example/{}\n{}>x", "x".repeat(60), " ".repeat(n - 1)), "bare maybe-wrapped", "bare";
    "B11", 65_536, |n| format!("http://a.example/{}", "x".repeat(n - 17)), "bare", "bare overlong";
    "B11", 65_534, |n| format!("http://a.example/{}\u{E9}", "x".repeat(n - 17)), "bare non-ascii", "bare overlong";
    "B11 B14", 32_759, |n| format!(".http://a.example/{}x", "\\:".repeat(n)), "bare", "bare overlong";
    "B11 B14", 32_791, |n| format!(".http://a.example/{}x", "\\:".repeat(n)), "bare overlong", "bare";
    "O1", 1, |n| format!("www{}", ".example".repeat(n)), "", "www scheme-guessed";
    "O1", 1, |n| format!("www.a.{}", "b".repeat(n)), "", "www scheme-guessed";
    "O2", 64, |n| format!("{}@a.example", "a".repeat(n)), "email scheme-guessed", "";
    "O2", 63, |n| format!("a@{}.example", "a".repeat(n)), "email scheme-guessed", "";
    "O2", 255, |n| format!("a@{}{}example", "aa.".repeat((n + 1) % 2), "a.".repeat((n - 7) / 2 - (n + 1) % 2)), "email scheme-guessed", "";
};

/// What is found at each limit is what the rules say.
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

/// The kind and the flags.
fn summary(find: &Find) -> String {
    let flags = find.flags.iter().copied();
    let words: Vec<&str> = std::iter::once(find.kind).chain(flags).collect();
    words.join(" ")
}
