//! The page of findings: what is in it, and how a browser shows it.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::cli::Tree;

/// Names and references that would be markup, or scripts, if they were not text.
const HOSTILE: [&str; 4] = [
    "<img src=x onerror=alert(1)>",
    "\"><script>alert(2)</script>",
    "</script><script>alert(3)</script>",
    "<!--<script>",
];

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;")
}

/// Pages whose names and references are hostile, and the report of them.
fn report(flags: &[&str]) -> (Tree, String) {
    let tree = Tree::new(&[
        ("site/b/late.html", "<a href=zebra.html>x</a>"),
        (
            "site/b/index.html",
            "<a href=apple.html>x</a>\n<a href=late.html#none>x</a>\n<a href='../b'>x</a>",
        ),
    ]);
    for (number, text) in HOSTILE.iter().enumerate() {
        let links: String = (HOSTILE.iter())
            .map(|reference| format!("<a href=\"{}\">x</a>\n", escape(reference)))
            .collect();
        let name = text.replace('/', "_");
        tree.write(format!("site/a/{number}{name}.html"), links.as_bytes());
    }
    tree.write(
        "site/a/javascript:alert(5).html",
        b"<a href=javascripts/x.js>x</a>",
    );
    tree.write(
        "site/a/\u{1b}[2J\u{202e}.html",
        "<a href='\u{2028}.js'>x</a>".as_bytes(),
    );
    fs::create_dir(tree.path().join("out")).unwrap();
    let all = [
        "audit",
        "-q",
        "--root",
        "site=https://example.com/",
        "--report",
        "html=out/r.html",
    ];
    let ran = tree.run(&[&all, flags].concat());
    assert_eq!(ran.code, 1, "{}", ran.err);
    let page = fs::read_to_string(tree.path().join("out/r.html")).unwrap();
    (tree, page)
}

/// Returns the data of a block of the page.
fn block(page: &str, id: &str) -> Value {
    let start = format!("<script type=\"application/json\" id=\"{id}\">");
    let (_, rest) = page.split_once(&start).unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    assert!(!data.contains('<'), "{data}");
    serde_json::from_str(data).unwrap()
}

#[test]
fn the_page_has_all_findings_and_names_in_it_are_no_markup() {
    let (_, page) = report(&[]);
    let rows = block(&page, "findings");
    let rows = rows.as_array().unwrap();
    let (documents, findings): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row[0].is_string());
    assert_eq!(documents.len(), 8, "{documents:?}");
    assert_eq!(findings.len(), 16 + 2 + 4, "{findings:?}");
    let totals = block(&page, "totals");
    let count = |key: &str| totals[key].as_u64().unwrap();
    assert_eq!(count("errors") + count("warnings"), 22, "{totals}");
    let rules = totals["rules"].as_array().unwrap();
    let levels = ["error", "warning", "allow"];
    assert!(
        rules
            .iter()
            .all(|rule| levels.contains(&rule["level"].as_str().unwrap()))
    );
    for document in documents {
        let (path, reference) = (document[0].as_str().unwrap(), document[1].as_str().unwrap());
        assert!(!path.contains(char::is_control), "{path:?}");
        // Relative to where the page lies, and never a scheme or markup.
        assert!(reference.starts_with("../site/"), "{reference}");
        assert!(
            !reference.contains(['<', '>', '"', ' ', '\\']),
            "{reference}"
        );
    }
    // Only this page's own elements of style and script.
    assert_eq!(page.matches("<style").count(), 1);
    assert_eq!(page.matches("<script").count(), 3);
    assert!(page.contains("default-src 'none'; script-src 'sha256-"));
    assert!(!page.contains("http://") && !page.contains("onerror=alert(1)>"));
}

#[test]
fn the_page_is_the_same_for_any_number_of_workers_and_on_standard_output() {
    let (tree, page) = report(&["-j1"]);
    assert_eq!(report(&["-j4"]).1, page);
    let flags = [
        "audit",
        "--root",
        "site=https://example.com/",
        "--format",
        "html",
        "-o",
        "out/other.html",
    ];
    tree.run(&flags);
    assert_eq!(
        fs::read_to_string(tree.path().join("out/other.html")).unwrap(),
        page
    );
}

#[test]
fn findings_of_one_target_are_numbered_alike() {
    let tree = Tree::new(&[
        ("site/a.html", "<a href=x.js>x</a><a href=y.js>x</a>"),
        ("site/b.html", "<a href=./x.js>x</a>"),
    ]);
    let ran = tree.run(&["audit", "site", "--format", "html"]);
    let rows = block(&ran.out, "findings");
    let targets: Vec<&Value> = rows.as_array().unwrap().iter().map(|row| &row[3]).collect();
    // The rows of documents have no target.
    let null = &Value::Null;
    let (x, y) = (&Value::from("x.js"), &Value::from("y.js"));
    assert_eq!(targets, [null, x, y, null, &Value::from(0)]);
}

#[test]
fn a_tree_without_findings_has_a_page_too() {
    let tree = Tree::new(&[("site/a.html", "")]);
    let ran = tree.run(&["audit", "site", "--format", "html"]);
    assert_eq!(ran.code, 0);
    assert_eq!(block(&ran.out, "findings"), Value::Array(Vec::new()));
}

/// The document after its scripts have run, and what the browser wrote on its console; none where there
/// is no Chromium.
fn open(page: &Path, view: &str) -> Option<(String, String)> {
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new("chromium")
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
        ])
        .args(["--no-first-run", "--disable-background-networking"])
        .args([
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
        ])
        .args([
            "--enable-logging=stderr",
            "--v=0",
            "--virtual-time-budget=10000",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}#{view}", page.display()))
        .stdin(Stdio::null())
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            // Not a macro: their output is only shown of tests that fail.
            let _ = writeln!(
                io::stderr(),
                "the page is tried in no browser: chromium: {error}"
            );
            return None;
        }
    };
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    let console: String = (told.lines().filter(|line| line.contains("CONSOLE")))
        .map(|line| format!("{line}\n"))
        .collect();
    let document = String::from_utf8_lossy(&output.stdout).into_owned();
    Some((document, console))
}

/// The texts of the code elements of each row of the table: the reference, a suggestion, the target.
fn rows(document: &str) -> Vec<Vec<String>> {
    let (_, body) = document.split_once("<tbody id=\"rows\"").unwrap();
    let (body, _) = body.split_once("</tbody>").unwrap();
    let texts = |row: &str| {
        let codes = row.split("<code").skip(1);
        let text = |code: &str| {
            let (_, rest) = code.split_once('>').unwrap();
            rest.split_once("</code>").unwrap().0.to_owned()
        };
        codes.map(text).collect()
    };
    body.split("<tr").skip(1).map(texts).collect()
}

#[test]
fn a_browser_opens_filters_and_sorts_and_shows_hostile_names_as_text() {
    let (tree, _) = report(&[]);
    let page = tree.path().join("out/r.html");
    let Some((document, console)) = open(&page, "") else {
        return;
    };
    assert_eq!(console, "", "nothing on the console");
    assert!(
        document.contains("data-ready="),
        "the script ran to its end"
    );
    assert!(document.contains("<title>Link audit: 21 errors, 1 warning</title>"));
    assert_eq!(rows(&document).len(), 22);
    // Names became text: no element but those of the page itself.
    assert!(!document.contains("<img"), "an image was made");
    assert_eq!(document.matches("<script").count(), 3, "a script was made");
    for (number, text) in HOSTILE.iter().enumerate() {
        let shown = text.replace('<', "&lt;").replace('>', "&gt;");
        let name = format!("site/a/{number}{}.html", shown.replace('/', "_"));
        assert!(document.contains(&name), "{name}");
        assert!(
            document.contains(&format!("<code>{shown}</code>")),
            "{shown}"
        );
    }
    // Links lead to files, from where the page lies.
    let links = document.matches("<a href=\"").count();
    assert_eq!(document.matches("<a href=\"../site/").count(), links);
    assert!(document.contains("<a href=\"../site/a/javascript:alert(5).html\""));

    let (document, console) = open(&page, "q=LATE&rule=broken-fragment").unwrap();
    assert_eq!(console, "");
    assert_eq!(rows(&document), [["late.html#none", "b/late.html#none"]]);
    assert!(document.contains("1 of 22 findings"));

    let (document, console) =
        open(&page, "folder=site/b/&sort=reference&order=descending").unwrap();
    assert_eq!(console, "");
    let references: Vec<String> = rows(&document).iter().map(|row| row[0].clone()).collect();
    assert_eq!(
        references,
        ["zebra.html", "late.html#none", "apple.html", "../b"]
    );
    assert!(document.contains("aria-sort=\"descending\""));

    // A view of an address is text too.
    let view = "q=%3Cimg%20src%3Dx%20onerror%3Dalert(9)%3E&level=%3Cb%3E&sort=__proto__&page=-1";
    let (document, console) = open(&page, view).unwrap();
    assert_eq!(console, "");
    assert!(!document.contains("<img"));
    assert!(document.contains("data-ready="));
}

#[test]
fn markdown_for_a_summary_shows_hostile_names_as_text() {
    let tree = Tree::new(&[(
        "site/`|<b>.html",
        "<a href='a``b|c'>x</a><a href='<h1>'>x</a><a href='<h1>?2'>x</a><a href='x\ny\u{1b}'>x</a>",
    )]);
    let ran = tree.run(&["audit", "site", "--format", "markdown"]);
    let place = "`` site/`|<b>.html";
    let expected = format!(
        "## Links: 4 errors, 0 warnings

4 references in 1 file: 0 ok, 4 broken, 0 external, 0 unresolved, 0 skipped.

| findings | rule | level |
| ---: | --- | --- |
| 4 | broken-file | error |

### Findings

- {place}:1:10 ``: error broken-file: ``` a``b|c ``` (no such file)
- **2\u{d7}** ` <h1> `: error broken-file: no such file
  - {place}:1:32 ``: ` <h1> `
  - {place}:1:52 ``: ` <h1>?2 `
- {place}:1:74 ``: error broken-file: ` x\\x0ay\\x1b ` (no such file)
"
    );
    assert_eq!(ran.out, expected);
}

#[test]
fn markdown_report_stops_at_the_summary_limit_and_counts_the_rest() {
    let tree = Tree::new(&[]);
    for file in 0..20 {
        let links: String = (0..1000)
            .map(|n| format!("<a href={file}/{n:0100}>"))
            .collect();
        tree.write(format!("site/{file:02}.html"), links.as_bytes());
    }
    let flags = ["audit", "site", "-q", "--report", "markdown=summary.md"];
    tree.run(&flags);
    let text = fs::read_to_string(tree.path().join("summary.md")).unwrap();
    assert!(
        text.len() <= 1 << 20 && text.len() > 1_000_000,
        "{}",
        text.len()
    );
    let shown = text.lines().filter(|line| line.starts_with("- ")).count();
    let last = text.lines().last().unwrap();
    assert_eq!(last, format!("... and {} more findings", 20_000 - shown));
}
