//! `--count-by`: the keys that references and findings are counted by.

use super::Tree;

const MAIL: &str = "From: Ann <ann@example.com>
Date: Thu, 2 Mar 2006 23:11:12 -0200
Message-ID: <1@example.com>
Content-Type: text/html

<a href=http://example.com/1>x</a> <img src=http://example.com/2> <a href=mailto:b@example.com>
";

#[test]
fn count_by_host_names_targets_without_host_by_scheme() {
    let tree = Tree::new(&[(
        "a.txt",
        "http://example.com/ mailto:a@example.com mailto:b@example.com urn:isbn:0451450523\n",
    )]);
    tree.run(&["--count-by", "host", "a.txt"])
        .is(0, "2\tmailto:\n1\texample.com\n1\turn:\n");
}

#[test]
fn references_are_counted_by_message_and_element() {
    let tree = Tree::new(&[("1.eml", MAIL), ("b.txt", "http://example.com/\n")]);
    tree.run(&["--count-by", "message", "--headers=none", "."])
        .is(0, "3\t<1@example.com>\n1\t-\n");
    tree.run(&["--count-by", "element", "--headers=none", "."])
        .is(0, "2\ta\n1\t-\n1\timg\n");
}

#[test]
fn references_are_counted_by_the_day_and_the_sender_of_their_message() {
    let tree = Tree::new(&[("1.eml", MAIL), ("b.txt", "http://example.com/\n")]);
    tree.run(&["--count-by", "date", "--headers=none", "."])
        .is(0, "3\t2006-03-03\n1\t-\n");
    tree.run(&["--count-by", "sender", "--headers=none", "."])
        .is(0, "3\tann@example.com\n1\t-\n");
    tree.run(&[
        "audit",
        "--root=.=http://example.com/",
        "--count-by=sender",
        "--headers=none",
        "1.eml",
    ])
    .tells(1, "2\tann@example.com\n", "2 errors");
}

#[test]
fn counts_are_records_with_json() {
    let tree = Tree::new(&[("1.eml", MAIL), ("b.txt", "http://example.com/\n")]);
    tree.run(&["--count-by", "element", "--headers=none", "--json", "."])
        .is(
            0,
            concat!(
                r#"{"type":"count","key":"element","value":"a","count":2}"#,
                "\n",
                r#"{"type":"count","key":"element","value":null,"count":1}"#,
                "\n",
                r#"{"type":"count","key":"element","value":"img","count":1}"#,
                "\n",
            ),
        );
    tree.run(&["--count-by", "element", "--format=csv", "."])
        .tells(2, "", "--json");
    tree.run(&["--count-by", "colour", "."])
        .tells(2, "", "host, scheme, target");
}

#[cfg(target_os = "linux")]
#[test]
fn counts_of_paths_that_look_alike_tell_their_bytes() {
    let tree = Tree::new(&[]);
    tree.write(super::os(b"a\xff.txt"), b"http://example.com/\n");
    let ran = tree.run(&["--count-by", "path", "--json", "."]);
    assert!(
        ran.out.contains(r#""value_bytes":"Li9h/y50eHQ=""#),
        "{ran:?}"
    );
}

#[test]
fn audit_counts_findings_by_rule_and_by_keys_of_links() {
    let tree = Tree::new(&[
        (
            "a.html",
            "<!doctype html><p id=x><a href=b.html>x</a><a href=#y>x</a>",
        ),
        (
            "c.html",
            "<!doctype html><link href=b.html><a href=b.html>x</a>",
        ),
    ]);
    let count = |key: &str| tree.run(&["audit", "--root=.=http://example.com/", "--count-by", key]);
    assert_eq!(count("rule").out, "3\tbroken-file\n1\tbroken-fragment\n");
    assert_eq!(count("path").out, "2\ta.html\n2\tc.html\n");
    assert_eq!(count("element").out, "3\ta\n1\tlink\n");
    let target = "3\thttp://example.com/b.html\n1\thttp://example.com/a.html#y\n";
    assert_eq!(count("target").out, target);
    assert_eq!(count("rule").code, 1);
    let several = "2\tbroken-file\tc.html\n1\tbroken-file\ta.html\n1\tbroken-fragment\ta.html\n";
    assert_eq!(count("rule,path").out, several);
    tree.write("uriscan.toml", b"count-by = \"host\"\n");
    let flags = ["--count-by=rule,path", "--top=1", "--json"];
    let ran = tree.run(&[&["audit", "--root=.=http://example.com/"], &flags[..]].concat());
    let first =
        r#"{"type":"count","key":["rule","path"],"value":["broken-file","c.html"],"count":2}"#;
    assert!(ran.out.starts_with(first), "{ran:?}");
    assert_eq!(ran.out.matches(r#""type":"count""#).count(), 1, "{ran:?}");
    let ran = tree.run(&[
        "audit",
        "--root=.=http://example.com/",
        "--count-by=rule",
        "--json",
    ]);
    let first = r#"{"type":"count","key":"rule","value":"broken-file","count":3}"#;
    assert!(ran.out.starts_with(first), "{ran:?}");
    assert!(ran.out.contains(r#"{"type":"summary""#), "{ran:?}");
    tree.run(&["--count-by", "rule", "."])
        .tells(2, "", "uriscan audit --count-by rule");
}
