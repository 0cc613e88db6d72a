//! SARIF and JUnit, read by parsers.

use serde_json::Value;

use crate::cli::Tree;
use crate::packages::zip::{Member, zip};

fn report(format: &str) -> String {
    let tree = Tree::new(&[
        (
            "site/a b/x&y.html",
            "<a href='<&quot;>'>x</a>\n<a href='#&#1;x'>x</a> <a href='sub'>x</a>",
        ),
        ("site/a b/sub/index.html", ""),
    ]);
    let ran = tree.run(&[
        "audit",
        "--root",
        "site=https://example.com/",
        "--format",
        format,
    ]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    ran.out
}

#[test]
fn sarif_is_json_with_a_result_for_each_finding() {
    let log: Value = serde_json::from_str(&report("sarif")).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 3, "{log:#}");
    for result in results {
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "site/a%20b/x&y.html");
        assert!(place["region"]["startLine"].as_u64().unwrap() > 0);
        assert_eq!(
            result["partialFingerprints"]["uriscan/v1"]
                .as_str()
                .unwrap()
                .len(),
            16
        );
    }
    assert_eq!(results[0]["message"]["text"], "<\"> (no such file)");
    assert_eq!(results[2]["level"], "warning");
}

#[test]
fn junit_is_xml_with_a_case_for_each_finding() {
    let xml = report("junit");
    let document = roxmltree::Document::parse(&xml).unwrap();
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "testsuites");
    let suites: Vec<_> = root
        .children()
        .filter(roxmltree::Node::is_element)
        .collect();
    assert_eq!(suites.len(), 2);
    assert_eq!(suites[0].attribute("name"), Some("site/a b/x&y.html"));
    assert_eq!(suites[0].attribute("tests"), Some("3"));
    assert_eq!(suites[0].attribute("failures"), Some("2"));
    let named = |name: &'static str| {
        root.descendants()
            .filter(move |node| node.has_tag_name(name))
    };
    assert_eq!(named("testcase").count(), 4);
    assert_eq!(named("failure").count(), 2);
    let first = named("failure").next().unwrap();
    assert_eq!(first.attribute("type"), Some("broken-file"));
    assert_eq!(first.attribute("message"), Some("<\"> (no such file)"));
    // No character that XML cannot hold.
    assert_eq!(
        named("failure").nth(1).unwrap().attribute("message"),
        Some("#\\x01x (no such id)")
    );
}

#[test]
fn annotations_are_one_line_each() {
    let tree = Tree::new(&[("site/a,b.html", "<a href='x%\ny'>x</a>")]);
    let ran = tree.run(&[
        "audit",
        "--root",
        "site=https://example.com/",
        "--format",
        "github",
    ]);
    assert_eq!(
        ran.out,
        "::error file=site/a%2Cb.html,line=1,col=10,title=broken-file::x%25\\x0ay (no such file)\n"
    );
}

#[test]
fn reports_name_the_member_of_a_finding() {
    let tree = Tree::new(&[]);
    let members = [Member::new("a/x&y.html", "<p>\n<a href=no.html>a</a>")];
    tree.write("site.zip", &zip(&members));
    let report = |format: &str| tree.run(&["audit", "site.zip", "--format", format]).out;
    assert_eq!(
        report("github"),
        "::error file=site.zip,title=broken-file::a/x&y.html:2:9: no.html (no such file)\n"
    );
    let junit = report("junit");
    let case = "name=\"site.zip!a/x&amp;y.html:2:9: no.html (no such file)\"";
    assert!(junit.contains(case), "{junit}");
    assert!(report("markdown").contains("site.zip!a/x&y.html:2:9"));
}

/// One document that cannot be read, and one archive that is damaged.
fn failing_report(format: &str) -> String {
    let tree = Tree::new(&[("site/a.html", "<p>")]);
    tree.write("site/cut.gz", b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x4b");
    tree.write("list", b"site/a.html\nsite/cut.gz\nsite/b:no.html\n");
    let flags = ["audit", "-z", "--root", "site", "--files-from", "list"];
    let ran = tree.run(&[&flags[..], &["--format", format]].concat());
    assert_eq!(ran.code, 2, "{}", ran.err);
    ran.out
}

#[test]
fn junit_has_an_error_for_each_failure() {
    let xml = failing_report("junit");
    let document = roxmltree::Document::parse(&xml).unwrap();
    let named =
        |name: &'static str| (document.descendants()).filter(move |node| node.has_tag_name(name));
    let of_failures = named("testsuite").filter(|suite| suite.attribute("errors") == Some("1"));
    let names: Vec<_> = of_failures
        .filter_map(|suite| suite.attribute("name"))
        .collect();
    assert_eq!(names, ["site/cut.gz", "site/b:no.html"], "{xml}");
    assert_eq!(named("error").count(), 2);
    assert!(xml.contains("No such file"), "{xml}");
}

#[test]
fn sarif_has_a_notification_for_each_failure() {
    let log: Value = serde_json::from_str(&failing_report("sarif")).unwrap();
    let run = &log["runs"][0]["invocations"][0];
    assert_eq!(run["executionSuccessful"], false);
    let notes = run["toolExecutionNotifications"].as_array().unwrap();
    assert_eq!(notes.len(), 2, "{log:#}");
    let place = &notes[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "site/cut.gz");
    assert_eq!(notes[0]["level"], "error");
    let log: Value = serde_json::from_str(&report("sarif")).unwrap();
    let run = &log["runs"][0]["invocations"][0];
    assert_eq!(run["executionSuccessful"], true);
}

#[test]
fn markdown_and_annotations_name_failures() {
    let text = failing_report("markdown");
    assert!(text.starts_with("## Links: 0 errors, 0 warnings, 2 failures\n"));
    assert!(text.contains("- ` site/cut.gz `: ` "), "{text}");
    let text = failing_report("github");
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(text.contains("::error file=site/b%3Ano.html::"), "{text}");
    let page = failing_report("html");
    assert!(page.contains("\"failures\":2"));
    assert!(page.contains("counted(totals.failures, 'failure')"));
}
