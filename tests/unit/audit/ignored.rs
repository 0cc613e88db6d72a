use chrono::NaiveDate;

use super::*;
use crate::audit::date::seconds;
use crate::document::events::RemarkKind;

fn rule(name: &str) -> RuleId {
    RuleId::named(name).unwrap()
}

fn comments(texts: &[(&str, u64, u64)]) -> IgnoreComments {
    let mut comments = IgnoreComments::default();
    for &(text, start, line) in texts {
        comments.add(&Remark {
            kind: RemarkKind::Ignore,
            text: text.as_bytes(),
            span: Span {
                start,
                end: start + 10,
            },
            position: Some(Position { line, column: 1 }),
        });
    }
    comments
}

#[test]
fn a_comment_ignores_the_next_line_or_a_region() {
    let mut comments = comments(&[
        ("uriscan-ignore-next-line broken-file: made later", 0, 1),
        ("uriscan-ignore", 100, 5),
        ("uriscan-ignore redirected, broken-file", 120, 6),
        ("uriscan-ignore-end", 140, 7),
        ("uriscan-ignore-end", 200, 9),
        ("uriscan-ignore no-such-rule", 300, 12),
        ("uriscan-ignored", 400, 13),
        ("uriscan-ignore-end", 500, 14),
        ("uriscan-ignore-end", 600, 15),
    ]);
    let file = rule("broken-file");
    for (name, offset, line, expected) in [
        ("broken-file", 20, 2, true),
        ("broken-fragment", 20, 2, false),
        ("broken-file", 30, 3, false),
        ("broken-fragment", 115, 5, true),
        ("broken-fragment", 135, 6, true),
        ("broken-file", 160, 8, true),
        ("broken-file", 210, 10, false),
        ("broken-file", 350, 12, false),
    ] {
        let ignored = comments.ignores(rule(name), offset, Some(line));
        assert_eq!(ignored, expected, "{name} at {offset}");
    }
    let unused: Vec<_> = comments
        .unused()
        .map(|comment| comment.span.start)
        .collect();
    assert_eq!(unused, [120, 300, 400, 600]);
    assert!(comments.ignores(file, 135, Some(6)));
    assert_eq!(comments.unused().count(), 3);
}

#[test]
fn globs_match_targets_and_paths() {
    for (is_path, pattern, text, expected) in [
        (
            false,
            "https://example.com/*",
            "https://example.com/a/b?c",
            true,
        ),
        (false, "a.html?x", "a.html?x", true),
        (false, "a.html", "b/a.html", false),
        (true, "*.md", "docs/a.md", true),
        (true, "docs/*.md", "docs/a/b.md", false),
        (true, "docs/**/b.md", "docs/b.md", true),
        (true, "docs/**", "docs/a/b.md", true),
        (true, "d?cs/a.(b)", "docs/a.(b)", true),
    ] {
        let glob = glob(pattern, is_path).unwrap();
        assert_eq!(glob.is_match(text.as_bytes()), expected, "{pattern} {text}");
    }
}

fn day((year, month, day): (i32, u32, u32)) -> NaiveDate {
    NaiveDate::from_ymd_opt(year, month, day).unwrap()
}

#[test]
fn dates_are_days_of_the_calendar() {
    for (days, date) in [
        (0, "1970-01-01"),
        (11_016, "2000-02-29"),
        (11_017, "2000-03-01"),
        (19_722, "2023-12-31"),
        (0, "1969-12-31"),
    ] {
        assert_eq!(seconds(date), Some(days * 86_400));
    }
    let is_past = |date| days_from_today(day(date)) < 0;
    assert!(is_past((2024, 1, 1)) && !is_past((9999, 12, 31)));
    assert_eq!(date("2030-12-31"), Some(day((2030, 12, 31))));
    assert_eq!(date("2030-12-31T00:00:00Z"), Some(day((2030, 12, 31))));
    assert_eq!(date("2028-02-29"), Some(day((2028, 2, 29))));
    for text in [
        "",
        "2030",
        "2030-13-01",
        "30-12-31",
        "2030-12-31-1",
        "2030-1-1",
        "2030-02-31",
        "2030-02-29",
        "2030-04-31",
        "2030-06-00",
    ] {
        assert_eq!(date(text), None, "{text}");
    }
}
