//! Documents besides pages are sources of references, and assets may be orphans.

use crate::cli::Tree;

/// The findings of an audit of `site`, served at `http://example.com/`: path, rule and reference.
fn findings(files: &[(&str, &str)], flags: &[&str]) -> Vec<(String, String, String)> {
    let tree = Tree::new(files);
    let arguments = [
        "audit",
        "--json",
        "--root",
        "site=http://example.com/",
        "site",
    ];
    let ran = tree.run(&[&arguments, flags].concat());
    let records = ran.out.lines().map(|line| {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        record
    });
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let records = records.filter(|record| record["type"] == "finding");
    let rows = records.map(|it| (text(&it["path"]), text(&it["rule"]), text(&it["reference"])));
    rows.collect()
}

#[test]
fn documents_of_all_kinds_are_sources() {
    for (path, document, reference) in [
        ("a.css", "p { background: url(no.png) } q { background: url(yes.png) }", "no.png"),
        ("a.webmanifest", "{\"icons\": [{\"src\": \"yes.png\"}, {\"src\": \"no.png\"}]}", "no.png"),
        ("a.map", "{\"version\": 3, \"sources\": [\"yes.png\", \"no.ts\"]}", "no.ts"),
        (
            "a.ipynb",
            "{\"cells\": [{\"cell_type\": \"markdown\", \"source\": [\"[y](yes.png) [n](no.md)\"]}]}",
            "no.md",
        ),
        (
            "a.ipynb",
            "{\"cells\": [{\"cell_type\": \"markdown\", \"source\": [\"[y](p.html#i) [n](p.html#j)\"]}]}",
            "p.html#j",
        ),
        (
            "a.jsonld",
            "{\"url\": \"/yes.png\", \"image\": \"http://example.com/no.png\"}",
            "http://example.com/no.png",
        ),
        (
            "a.har",
            "{\"log\": {\"entries\": [{\"request\": {\"url\": \"http://example.com/p.html\"}, \"response\": {\"content\":
              {\"mimeType\": \"text/html\", \"text\": \"<a href=no.html><a href=yes.png>\"}}}]}}",
            "no.html",
        ),
        (
            "feed.json",
            "{\"version\": \"https://jsonfeed.org/version/1.1\", \"items\": [{\"url\": \"http://example.com/no.html\"}]}",
            "http://example.com/no.html",
        ),
        (
            "feed.rss",
            "<rss version=\"2.0\"><channel><link>http://example.com/p.html</link>
             <item><link>http://example.com/no.html</link></item></channel></rss>",
            "http://example.com/no.html",
        ),
        (
            "sitemap.xml",
            "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><url><loc>http://example.com/p.html</loc></url>
             <url><loc>http://example.com/no.html</loc></url></urlset>",
            "http://example.com/no.html",
        ),
        ("a.Rmd", "[y](yes.png) [n](no.html)", "no.html"),
    ] {
        let site = [
            ("site/yes.png", "\u{89}PNG"),
            ("site/p.html", "<p id=i>"),
            (&format!("site/{path}"), document),
        ];
        let rule = match reference.contains('#') {
            true => "broken-fragment",
            false => "broken-file",
        };
        let found = findings(&site, &[]);
        let expected = (format!("site/{path}"), rule.to_owned(), reference.to_owned());
        assert_eq!(found, [expected], "{path}");
    }
}

#[test]
fn assets_may_be_orphans() {
    let site = [
        (
            "site/index.html",
            "<link rel=stylesheet href=a.css><a href=b.html>b</a>",
        ),
        ("site/a.css", "p { background: url(used.png) }"),
        ("site/b.html", "<p>"),
        ("site/c.html", "<p>"),
        ("site/robots.txt", "User-agent: *"),
        ("site/unused.css", "p { color: red }"),
        ("site/unused.js", "f()"),
        ("site/unused.png", "\0PNG"),
        ("site/used.png", "\0PNG"),
    ];
    let orphans = |flags: &[&str]| {
        let found = findings(&site, flags).into_iter();
        let orphans = found.filter(|(_, rule, _)| rule == "orphan");
        orphans.map(|(path, ..)| path).collect::<Vec<_>>()
    };
    assert_eq!(orphans(&[]), [""; 0]);
    assert_eq!(orphans(&["--orphans"]), ["site/c.html"]);
    let all = [
        "site/c.html",
        "site/unused.css",
        "site/unused.js",
        "site/unused.png",
    ];
    assert_eq!(orphans(&["--orphans=all"]), all);
    assert_eq!(
        orphans(&["--orphans=all", "--entry", "*.js"]),
        [all[0], all[1], all[3]]
    );
}

#[test]
fn local_and_foreign_resources_are_findings() {
    let page = "<a href=file:///home/me/a.html>a</a>
<img src=C:/logo.png><img src='c:\\logo.png'>
<a href=http://localhost:8000/>a</a> <a href=http://127.0.0.1/>a</a> <a href='http://[::1]/'>a</a>
<script src=https://cdn.example.net/a.js></script><script src=//cdn.example.org/a.js></script>
<link rel=stylesheet href=https://cdn.example.net/a.css><a href=https://cdn.example.net/>a</a>
<a href=http://localhost.example.com/>a</a>
";
    let tree = Tree::new(&[
        ("site/index.html", page),
        (
            "site/notes.md",
            "[a](http://localhost:8000/) http://127.0.0.1/\n",
        ),
        (
            "site/notes.rst",
            "`a <http://localhost/>`_ http://localhost/\n",
        ),
    ]);
    let audit = [
        "audit",
        "--warn",
        "external-resource",
        "--allowed-hosts",
        "cdn.example.org",
        "site",
    ];
    let ran = tree.run(&audit);
    let rules = ran.out.lines().filter_map(|line| {
        let (place, rest) = line.split_once(": warning[")?;
        Some((
            place.strip_prefix("site/index.html:")?,
            rest.split_once(']')?.0,
        ))
    });
    let leaked =
        ["1:9", "2:10", "2:32", "3:9", "3:46", "3:79"].map(|place| (place, "leaked-local"));
    let foreign = ["4:13", "5:27"].map(|place| (place, "external-resource"));
    assert_eq!(
        rules.collect::<Vec<_>>(),
        [&leaked[..], &foreign].concat(),
        "{}",
        ran.out
    );
    assert_eq!(ran.out.lines().count(), 8, "{}", ran.out);
}

#[test]
fn unfilled_placeholders_of_built_pages_are_findings() {
    let page = "<a href='{{ url }}/a'>a</a> <a href='${a}'>a</a> <a href='{% url %}'>a</a>\
                <template><a href='{{ url }}'>a</a></template>\n";
    let found = |files: &[(&str, &str)], args: &[&str]| {
        let ran = Tree::new(files).run(&[&["audit", "site"], args].concat());
        ran.out
    };
    assert_eq!(
        found(&[("site/index.html", page)], &[]),
        "site/index.html:1:10: warning[leaked-local]: {{ url }}/a (the placeholder of a template is unfilled)\n"
    );
    let filled = format!("---\n---\n{page}");
    type Row<'r> = (&'r [(&'r str, &'r str)], &'r [&'r str]);
    let none: [Row<'_>; 7] = [
        (&[("site/index.html", &filled)], &[]),
        (&[("site/index.html", ""), ("site/_x/a.html", page)], &[]),
        (&[("site/index.html", page)], &["--exclude", "url"]),
        (&[("site/page.html", page)], &[]),
        (&[("site/index.html", "<a href='{{a'>x</a>")], &[]),
        (&[("site/index.html", ""), ("site/a.md", page)], &[]),
        (
            &[
                ("site/index.html", page),
                ("site/_config.yml", "theme: minima\n"),
            ],
            &[],
        ),
    ];
    for (files, args) in none {
        assert_eq!(found(files, args), "", "{files:?} {args:?}");
    }
}
