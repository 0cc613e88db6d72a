//! `--results`: answers of online checkers and archives about external targets.

use crate::cli::Tree;

fn site() -> Tree {
    Tree::new(&[(
        "docs/a.md",
        "[a](https://example.com/gone#x)\n[b](http://example.org/moved#y)\n[c](https://example.net/down)\n\
         [d](https://example.com/fine) [e](https://example.com/unknown)\n[again](https://example.com/gone)\n",
    )])
}

/// The rules, references and suggestions of all findings.
fn found(tree: &Tree, flags: &[&str]) -> Vec<String> {
    let ran = tree.run(
        &[
            &["audit", "--json", "--warn", "external-moved", "docs"],
            flags,
        ]
        .concat(),
    );
    let records = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let findings = records.filter(|record: &serde_json::Value| record["type"] == "finding");
    let text =
        |record: &serde_json::Value, key: &str| record[key].as_str().unwrap_or("-").to_owned();
    let row = |record: serde_json::Value| {
        format!(
            "{} {} {}",
            text(&record, "rule"),
            text(&record, "reference"),
            text(&record, "suggestion")
        )
    };
    let rows: Vec<_> = findings.map(row).collect();
    assert!(ran.code < 2, "{}", ran.err);
    rows
}

const EXPECTED: [&str; 4] = [
    "external-broken https://example.com/gone#x -",
    "external-moved http://example.org/moved#y https://example.org/new#y",
    "external-unreachable https://example.net/down -",
    "external-broken https://example.com/gone -",
];

const LYCHEE: &str = r#"{"total":4,"successful":1,"errors":3,"success_map":{"docs/a.md":[{"url":"https://example.com/fine","status":{"text":"200 OK","code":200}}]},
"error_map":{"docs/a.md":[{"url":"https://example.com/gone","status":{"text":"Rejected status code: 404 Not Found","code":404},"span":{"line":1,"column":1}},
{"url":"https://example.net/down","status":{"text":"Network error: connection refused"}}]},
"redirect_map":{"docs/a.md":[{"url":"http://example.org/moved","status":{"text":"Redirect","code":200,"redirects":{"origin":"http://example.org/moved","redirects":[{"code":301,"url":"https://example.org/new"}]}}}]},
"excluded_map":{"docs/a.md":[{"url":"https://example.com/unknown","status":{"text":"Excluded"}}]},"suggestion_map":{}}"#;

/// Without --verbose lychee 0.24 lists redirects alone.
const LYCHEE_REDIRECTS: &str = r#"{"total":1,"successful":1,"error_map":{},"suggestion_map":{},"excluded_map":{},
"redirect_map":{"docs/a.md":[{"origin":"http://example.org/moved","redirects":[{"url":"https://example.org/new","code":301}]}]}}"#;

/// A redirect to an error, and a link to the computer of its author, as lychee 0.24 reports them.
const LYCHEE_ERROR: &str = r#"{"total":2,"success_map":{"docs/a.md":[{"url":"http://127.0.0.1/ok","status":{"text":"200 OK","code":200}}]},
"error_map":{"docs/a.md":[{"url":"http://example.org/moved","status":{"text":"Rejected status code: 404 Not Found","code":404},
"redirects":{"origin":"http://example.org/moved","redirects":[{"url":"http://example.org/gone","code":301}]}}]},
"redirect_map":{"docs/a.md":[{"origin":"http://example.org/moved","redirects":[{"url":"http://example.org/gone","code":301}]}]}}"#;

const LINKINATOR: &str = r#"{"passed":false,"links":[
{"url":"https://example.com/gone","status":404,"state":"BROKEN","parent":"docs/a.md","failureDetails":[]},
{"url":"https://example.net/down","status":0,"state":"BROKEN","parent":"docs/a.md"},
{"url":"https://example.com/fine","status":200,"state":"OK","parent":"docs/a.md"},
{"url":"https://example.com/unknown","status":0,"state":"SKIPPED","parent":"docs/a.md"}]}"#;

const MUFFET: &str = r#"[{"url":"http://localhost/","links":[
{"url":"https://example.com/gone","error":"404"},{"url":"https://example.net/down","error":"dial tcp: connection refused"},
{"url":"https://example.com/fine","status":200}]}]"#;

#[test]
fn a_redirect_to_an_error_is_broken() {
    let tree = Tree::new(&[
        ("docs/a.md", "[a](http://example.org/moved)\n"),
        ("docs/b.html", "<a href=http://127.0.0.1/ok>b</a>"),
        ("answers", LYCHEE_ERROR),
    ]);
    let ran = tree.run(&["audit", "--results", "answers", "docs"]);
    let expected = "docs/a.md:1:5: error[external-broken]: http://example.org/moved (the page is gone: 404)\n\
        docs/b.html:1:9: warning[leaked-local]: http://127.0.0.1/ok (the reference is to the computer of its author)\n";
    assert_eq!(ran.out, expected);
}

#[test]
fn answers_of_online_checkers_become_findings() {
    let tree = site();
    let csv = "url,status,checked_at,location,note\n\"https://example.com/gone\",404,2026-11-20T10:00:00Z,\n\
        http://example.org/moved,308,2026-11-20,https://example.org/new,\"two\nlines\"\r\nhttps://EXAMPLE.net/down,503\nhttps://example.com/fine,200\n";
    let jsonl = "{\"url\":\"https://example.com/gone\",\"status\":410}\n{\"url\":\"http://example.org/moved\",\"status\":\"301\",\"location\":\"https://example.org/new\"}\n\
        {\"url\":\"https://example.net/down\",\"status\":\"timeout\"}\n";
    let moved: Vec<_> = EXPECTED
        .into_iter()
        .filter(|row| row.contains("moved"))
        .collect();
    let without_move: Vec<_> = EXPECTED
        .into_iter()
        .filter(|row| !row.contains("moved"))
        .collect();
    for (name, text, expected) in [
        ("lychee.json", LYCHEE, &EXPECTED[..]),
        ("redirects.json", LYCHEE_REDIRECTS, &moved),
        ("linkinator.json", LINKINATOR, &without_move),
        ("muffet.json", MUFFET, &without_move),
        ("results.csv", csv, &EXPECTED),
        ("results.jsonl", jsonl, &EXPECTED),
    ] {
        tree.write(name, text.as_bytes());
        assert_eq!(found(&tree, &["--results", name]), expected, "{name}");
    }
    assert_eq!(found(&tree, &[]), [""; 0]);
    let ran = tree.run(&["audit", "docs", "--results", "results.csv"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.out
            .contains("external-broken (error: the page is gone: 404)"),
        "{}",
        ran.out
    );
    assert!(!ran.out.contains("external-moved"));
    assert_eq!(
        tree.run(&[
            "audit",
            "docs",
            "--allow=external-broken",
            "--results",
            "results.csv"
        ])
        .code,
        0
    );
    tree.write("other", b"{\"name\":1}");
    assert_eq!(tree.run(&["audit", "docs", "--results", "other"]).code, 2);
    assert_eq!(tree.run(&["audit", "docs", "--results", "none"]).code, 2);
}

#[test]
fn an_open_quote_in_a_table_is_an_error() {
    let tree = site();
    let table = "url,status\n\"https://example.com/gone,404\nhttps://example.com/fine,200\n";
    tree.write("results.csv", table.as_bytes());
    let ran = tree.run(&["audit", "docs", "--results", "results.csv"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err
            .contains("results.csv: line 2: a quote is not closed"),
        "{}",
        ran.err
    );
}

#[test]
fn a_copy_in_an_archive_is_suggested() {
    let tree = site();
    tree.write("results.csv", b"url,status\nhttps://example.com/gone,404\n");
    let archived = "https://web.archive.org/web/20240102030405/https://example.com/gone";
    let expected = [
        format!("external-broken https://example.com/gone#x {archived}"),
        format!("external-broken https://example.com/gone {archived}"),
    ];
    let cdx = " CDX N b a m s k r M S V g\ncom,example)/gone 20200101000000 https://example.com/gone text/html 200 X - - 1 2 f\n\
        com,example)/gone 20240102030405 https://example.com/gone text/html 200 X - - 1 2 f\n\
        com,example)/gone 20250101000000 https://example.com/gone text/html 404 X - - 1 2 f\n";
    let cdxj = "!meta {}\ncom,example)/gone 20240102030405 {\"url\":\"https://example.com/gone\",\"status\":\"200\",\"mime\":\"text/html\"}\n\
        com,example)/fine 20240102030405 {\"url\":\"https://example.com/fine\",\"status\":\"404\"}\n";
    for (name, text) in [("a.cdx", cdx), ("a.cdxj", cdxj)] {
        tree.write(name, text.as_bytes());
        assert_eq!(
            found(&tree, &["--results", "results.csv", "--results", name]),
            expected,
            "{name}"
        );
        // An archive alone says nothing about the page.
        assert_eq!(found(&tree, &["--results", name]), [""; 0], "{name}");
    }
}

#[test]
fn a_file_of_results_in_the_tree_is_not_a_document() {
    let tree = site();
    let results = b"url,status,location\nhttps://example.com/gone,404,\nhttp://example.org/moved,301,https://example.org/new\n";
    tree.write("docs/results.csv", results);
    let rows = found(&tree, &["--results", "docs/results.csv", "--fix=write"]);
    assert!(!rows.is_empty());
    let ran = tree.run(&["audit", "docs", "--results", "docs/results.csv", "--json"]);
    assert!(
        !ran.out.contains("\"path\":\"docs/results.csv\""),
        "{}",
        ran.out
    );
    let after = std::fs::read(tree.path().join("docs/results.csv")).unwrap();
    assert_eq!(after, results);
}

#[test]
fn moved_pages_are_fixed() {
    let tree = site();
    tree.write(
        "results.csv",
        b"url,status,location\nhttp://example.org/moved,301,https://example.org/new\n",
    );
    let flags = [
        "audit",
        "docs",
        "--warn",
        "external-moved",
        "--results",
        "results.csv",
        "--fix=write",
    ];
    let ran = tree.run(&flags);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let text = std::fs::read_to_string(tree.path().join("docs/a.md")).unwrap();
    assert!(text.contains("[b](https://example.org/new#y)\n"), "{text}");
}

#[test]
fn external_targets_are_listed_with_their_places() {
    let tree = site();
    let ran = tree.run(&["audit", "docs", "--external=jsonl"]);
    let records: Vec<serde_json::Value> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(records.len(), 6);
    assert_eq!(records[0]["target"], "https://example.com/gone#x");
    assert_eq!(
        records[0]["places"],
        serde_json::json!([{"path": "docs/a.md", "member": null, "line": 1, "column": 5}])
    );
    tree.write("docs/b.md", b"[a](https://example.com/fine)\n");
    let ran = tree.run(&["audit", "docs", "--external=jsonl"]);
    let fine = ran.out.lines().find(|line| line.contains("fine")).unwrap();
    assert!(
        fine.contains("\"count\":2") && fine.contains("docs/b.md"),
        "{fine}"
    );
}

#[test]
fn only_unknown_targets_are_listed_to_be_asked() {
    let tree = site();
    tree.write("results.csv", b"url,status,checked_at\nhttps://example.com/gone,404,2001-01-01\nhttps://example.com/fine,200\n");
    let list = |flags: &[&str]| {
        let ran = tree.run(
            &[
                &["audit", "docs", "--external", "--results", "results.csv"],
                flags,
            ]
            .concat(),
        );
        ran.out.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(list(&[]).len(), 6);
    let unknown = [
        "http://example.org/moved#y",
        "https://example.net/down",
        "https://example.com/unknown",
    ];
    assert_eq!(list(&["--only-unknown"]), unknown);
    // The answer without a time has the file's.
    let with_old = [
        "https://example.com/gone#x",
        "http://example.org/moved#y",
        "https://example.net/down",
        "https://example.com/unknown",
        "https://example.com/gone",
    ];
    assert_eq!(list(&["--only-unknown", "--max-age", "7d"]), with_old);
    assert_eq!(
        found(&tree, &["--results", "results.csv", "--max-age=7d"]),
        [""; 0]
    );
    assert_eq!(tree.run(&["audit", "docs", "--max-age", "7d"]).code, 2);
    assert_eq!(
        tree.run(&["audit", "docs", "--results=results.csv", "--max-age", "7"])
            .code,
        2
    );
}

#[test]
fn answers_are_forgiven_and_ignored_as_other_findings() {
    let tree = site();
    tree.write("results.csv", b"url,status\nhttps://example.com/gone,404\n");
    let flags = ["audit", "docs", "--results", "results.csv"];
    tree.run(&[&flags[..], &["--write-baseline", "known"]].concat());
    assert_eq!(
        tree.run(&[&flags[..], &["--baseline", "known"]].concat())
            .code,
        0
    );
    tree.write("docs/a.md", b"<!-- uriscan-ignore-next-line external-broken: known -->\n[a](https://example.com/gone)\n");
    assert_eq!(tree.run(&flags).code, 0);
}

#[test]
fn answers_may_come_from_standard_input() {
    let answers = b"url,status\nhttps://example.com/gone,404\n";
    let ran = site().pipe(answers, &["audit", "--results", "-", "docs"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.out.contains("external-broken"), "{}", ran.out);
}
