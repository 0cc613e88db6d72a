//! Baselines, changed files, several reports, links, what is left for other tools.

use std::fs;

use crate::cli::Tree;

const PAGE: &str = "<!doctype html>
<a href=missing.html>x</a> <a href=missing.html>x</a>
<a href='#nowhere'>x</a> <a href=http://www.example.org/>x</a>
";

fn tree() -> Tree {
    Tree::new(&[
        ("site/index.html", PAGE),
        (
            "site/sub/page.html",
            "<a href=../index.html#none>x</a> <a href=http://www.example.org/>x</a>",
        ),
    ])
}

const AUDIT: &[&str] = &["audit", "--root", "site=https://example.com/"];

fn audit(tree: &Tree, flags: &[&str]) -> (i32, String) {
    let ran = tree.run(&[AUDIT, flags].concat());
    (ran.code, ran.out)
}

#[test]
fn baseline_forgives_known_findings_on_moved_lines() {
    let tree = tree();
    let (code, _) = audit(&tree, &["--write-baseline", "known.txt"]);
    assert_eq!(code, 1);
    let keys = fs::read_to_string(tree.path().join("known.txt")).unwrap();
    assert_eq!(keys.lines().count(), 4, "{keys}");
    // Some editors mark a file.
    tree.write("known.txt", format!("\u{feff}{keys}").as_bytes());
    assert_eq!(
        audit(&tree, &["--baseline", "known.txt"]),
        (0, String::new())
    );
    // Lines move; a third of a kind is new, whichever it is.
    let moved = format!("\n\n{PAGE}<a href=missing.html>x</a>");
    tree.write("site/index.html", moved.as_bytes());
    let (code, out) = audit(&tree, &["--baseline", "known.txt"]);
    assert_eq!(
        (code, out.as_str()),
        (
            1,
            "site/index.html:6:9: error[broken-file]: missing.html (no such file)\n"
        )
    );
}

#[test]
fn a_baseline_does_not_depend_on_how_the_tree_is_named() {
    let tree = tree();
    audit(&tree, &["--write-baseline", "known.txt"]);
    let ran = tree.run(&["audit", "--baseline", "known.txt", "./site/../site"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{}", ran.err);
}

#[test]
fn touching_shows_findings_by_source_or_target() {
    let tree = tree();
    let lines = |flags: &[&str]| {
        let flags = [&["--group", "none"], flags].concat();
        audit(&tree, &flags).1.lines().count()
    };
    assert_eq!(lines(&[]), 4);
    assert_eq!(lines(&["--touching", "site/sub/page.html"]), 1);
    assert_eq!(lines(&["--touching", "site/index.html"]), 4);
    assert_eq!(lines(&["--touching", "site/missing.html"]), 2);
    assert_eq!(lines(&["--touching", "site/sub"]), 1);
    assert_eq!(lines(&["--touching", "site/other.html"]), 0);
    assert_eq!(audit(&tree, &["--touching", "README"]).0, 2);
}

#[test]
fn reports_say_the_same_in_all_their_formats() {
    let tree = tree();
    let formats = ["text", "jsonl", "sarif", "junit", "github"];
    let files: Vec<String> = formats
        .iter()
        .map(|format| format!("{format}=report.{format}"))
        .collect();
    let mut flags = vec!["--quiet"];
    for file in &files {
        flags.extend(["--report", file]);
    }
    assert_eq!(audit(&tree, &flags), (1, String::new()));
    for format in formats {
        let report = fs::read_to_string(tree.path().join(format!("report.{format}"))).unwrap();
        let (_, out) = audit(&tree, &["--format", format]);
        assert_eq!(report, out, "{format}");
        assert!(report.contains("#nowhere"), "{format}");
    }
}

#[test]
fn links_are_shown_with_their_states() {
    let (_, out) = audit(&tree(), &["--links", "--json"]);
    let states: Vec<String> = (out.lines())
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|record| record["type"] == "link")
        .map(|record| record["state"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        states,
        [
            "broken", "broken", "broken", "external", "broken", "external"
        ]
    );
}

#[test]
fn external_lists_each_network_target_once() {
    let tree = tree();
    tree.write(
        "site/z.html",
        b"<a href='//www.example.net/?a&amp;b'>x</a><a href=mailto:ann@example.com>x</a>",
    );
    let (code, out) = audit(&tree, &["--external"]);
    assert_eq!(
        (code, out.as_str()),
        (1, "http://www.example.org/\nhttps://www.example.net/?a&b\n")
    );
}

#[test]
fn findings_have_the_keys_of_links_and_more() {
    let (_, out) = audit(&tree(), &["--json", "--warn", "orphan"]);
    let first: serde_json::Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
    let keys: Vec<&str> = first
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(
        keys,
        [
            "type",
            "path",
            "member",
            "line",
            "column",
            "start",
            "end",
            "reference",
            "target",
            "base",
            "base_source",
            "context",
            "element",
            "attribute",
            "flags",
            "rule",
            "level",
            "message",
            "suggestion",
            "key",
            "group"
        ]
    );
    let orphan = out
        .lines()
        .find(|line| line.contains("\"orphan\""))
        .unwrap();
    let orphan: serde_json::Value = serde_json::from_str(orphan).unwrap();
    let its_keys: Vec<&str> = orphan
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(its_keys, keys);
    let summary: serde_json::Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    assert_eq!(summary["references"], 6, "{summary}");
    assert_eq!(summary["findings"]["error"], 4, "{summary}");
    assert_eq!(summary["findings"]["warning"], 1, "{summary}");
}

#[test]
fn names_that_no_repository_can_hold_are_found_too() {
    let tree = Tree::new(&[(
        "site/index.html",
        "<a href='a%3Fb.html'>x</a> <a href='a?b.html'>x</a> <a href='%FF.html'>x</a> <a href='e%CC%81.html'>x</a>",
    )]);
    tree.write("site/a?b.html", b"");
    tree.write(crate::cli::os(b"site/\xFF.html"), b"");
    tree.write("site/e\u{301}.html", b"");
    let (_, out) = audit(&tree, &[]);
    assert_eq!(
        out,
        "site/index.html:1:37: error[broken-file]: a?b.html (no such file; did you mean a%3Fb.html?)\n"
    );
}

/// Whether a value is of one of the types that a schema allows.
fn conforms(value: &serde_json::Value, schema: &serde_json::Value) -> bool {
    if let Some(constant) = schema.get("const") {
        return value == constant;
    }
    let kind = match value {
        serde_json::Value::Null => "null",
        serde_json::Value::String(_) => "string",
        serde_json::Value::Number(_) => "integer",
        serde_json::Value::Array(_) => "array",
        serde_json::Value::Object(_) => "object",
        serde_json::Value::Bool(_) => "boolean",
    };
    match &schema["type"] {
        serde_json::Value::Array(kinds) => kinds.iter().any(|one| one == kind),
        one => one == kind,
    }
}

#[test]
fn records_follow_their_schemas() {
    let tree = tree();
    let flags = [
        "--json",
        "--links",
        "--warn",
        "orphan,duplicate-id,several-bases",
    ];
    tree.write(
        "site/twice.html",
        b"<p id=x><p id=x><base href=/><base href=/>",
    );
    let (_, out) = audit(&tree, &flags);
    let mut kinds = std::collections::BTreeMap::new();
    for line in out.lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let kind = record["type"].as_str().unwrap().to_owned();
        if kind == "diagnostic" {
            continue;
        }
        let schema = tree.run(&["schema", &kind]).out;
        let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
        for key in schema["required"].as_array().unwrap() {
            assert!(
                record.get(key.as_str().unwrap()).is_some(),
                "{key} is missing: {line}"
            );
        }
        for (key, value) in record.as_object().unwrap() {
            let schema = schema["properties"].get(key);
            let conforms = schema.is_some_and(|schema| conforms(value, schema));
            assert!(conforms, "{key}: {schema:?}: {line}");
        }
        *kinds.entry(kind).or_insert(0) += 1;
    }
    assert_eq!(kinds.len(), 3, "{kinds:?}");
}
