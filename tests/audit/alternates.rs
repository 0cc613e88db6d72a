//! Links of pages to their translations, and to the page that search engines should show.

use crate::cli::Tree;

/// The findings of a rule, without the message.
fn findings(tree: &Tree, rule: &str, arguments: &[&str]) -> Vec<String> {
    let ran = tree.run(
        &[
            &["audit", "--group", "none", "--warn", rule],
            arguments,
            &["site"],
        ]
        .concat(),
    );
    let lines = ran.out.lines().map(|line| {
        let rest = line.strip_prefix("site/").unwrap();
        let (place, rest) = rest.split_once(&format!(": warning[{rule}]: ")).unwrap();
        format!("{place} {}", rest.split_once(" (").unwrap().0)
    });
    lines.collect()
}

/// A line with a link element.
fn link(rel: &str, more: &str, href: &str) -> String {
    format!("<link rel='{rel}' {more} href='{href}'>\n")
}

#[test]
fn translations_that_do_not_link_back_are_findings() {
    let to = |language: &str, href: &str| link("alternate", &format!("hreflang={language}"), href);
    let english = [
        to("en", "en.html"),
        to("fr", "fr/"),
        to("de", "de.html"),
        to("it", "it.html"),
        to("x-default", "index.html"),
        to("es", "https://es.example.org/"),
        to("ja", "ja.pdf"),
        // Not translations.
        link("alternate", "type=application/rss+xml", "feed.html"),
        link("stylesheet", "hreflang=de", "feed.html"),
        "<a rel=alternate hreflang=de href=feed.html>a</a>\n".into(),
    ];
    let french = to("en", "https://example.com/en.html?a=1");
    let german = link("alternate", "", "en.html");
    let italian = link("ALTERNATE", "HREFLANG=x-default", "en.html");
    let tree = Tree::new(&[
        ("site/en.html", &english.concat()),
        ("site/fr/index.html", &french),
        ("site/de.html", &german),
        ("site/it.html", &italian),
        ("site/index.html", ""),
        ("site/feed.html", ""),
    ]);
    tree.write("site/ja.pdf", b"%PDF-1.4\n");
    let root = ["--root", "site=https://example.com/"];
    let found = findings(&tree, "hreflang-return", &root);
    assert_eq!(found, ["en.html:3:41 de.html"]);
    assert_eq!(tree.run(&["audit", "site", root[0], root[1]]).out, "");
}

#[test]
fn canonical_links_to_other_pages_or_hosts_are_findings() {
    let canonical = |href: &str| link("canonical", "", href);
    let host = "https://example.com/docs/";
    let pages = [
        ("site/index.html", canonical("./")),
        ("site/own.html", canonical("own.html#top")),
        ("site/bare.html", canonical(&format!("{host}bare?a=1"))),
        ("site/guide/index.html", canonical("/docs/guide/")),
        ("site/other.html", canonical("own.html")),
        ("site/up.html", canonical("./")),
        (
            "site/host.html",
            canonical("https://www.example.com/docs/host.html"),
        ),
        (
            "site/twice.html",
            link("nofollow Canonical", "", "own.html"),
        ),
        ("site/not.html", link("next", "", "own.html")),
        (
            "site/text.html",
            "<template><link rel=canonical href=own.html></template>".into(),
        ),
    ];
    let tree = Tree::new(&pages.each_ref().map(|(name, text)| (*name, text.as_str())));
    let root = format!("site={host}");
    let arguments = ["--root", &root, "--try-ext", "html"];
    assert_eq!(
        findings(&tree, "canonical-elsewhere", &arguments),
        [
            "host.html:1:30 https://www.example.com/docs/host.html",
            "other.html:1:30 own.html",
            "twice.html:1:39 own.html",
            "up.html:1:30 ./",
        ]
    );
    assert_eq!(
        tree.run(&[&["audit", "site"], &arguments[..]].concat()).out,
        ""
    );
}

#[test]
fn canonical_links_to_hosts_are_not_decided_without_a_host() {
    let canonical = |href: &str| link("canonical", "", href);
    let tree = Tree::new(&[
        ("site/a.html", &canonical("https://example.com/a.html")),
        ("site/b.html", &canonical("a.html")),
    ]);
    let found = findings(&tree, "canonical-elsewhere", &[]);
    assert_eq!(found, ["b.html:1:30 a.html"]);
}
