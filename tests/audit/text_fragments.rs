//! Text directives, `#:~:text=`, whose text the page has or lacks.

use crate::cli::Tree;

const PAGE: &str = "<!doctype html><title>Only here</title>
<style>p { color: hidden }</style><script>let unseen = 1;</script><!-- remark -->
<p>Install <b>i</b>t
first &amp;   slowly.</p><p>Tom&nbsp;&amp; Jerry<br>caf&eacute; na\u{ef}ve, auto\u{ad}matic</p>
<ul><li>one</li><li>two</li></ul><table><td>left<td>right</table></table></svg>
<p title=attribute>the word twice, the end twice <a href=x.html>linked</a> words</p>
<p>\u{65e5}\u{672c}\u{8a9e}\u{306e}\u{6587}\u{7ae0}</p><a id=x href=page.html>here</a>
";

/// The fragments of links to a page whose text it lacks.
fn lacking<'f>(name: &str, page: &[u8], fragments: &[&'f str]) -> Vec<&'f str> {
    let links = fragments.iter().map(|fragment| {
        let fragment = fragment.replace('&', "&amp;");
        format!("<a href=\"{name}#{fragment}\">a</a>\n")
    });
    let tree = Tree::new(&[("site/index.html", &links.collect::<String>())]);
    tree.write(format!("site/{name}"), page);
    tree.write("site/x.html", b"");
    let ran = tree.run(&["audit", "--group", "none", "site"]);
    let lines = ran.out.lines().filter_map(|line| {
        let found = line.strip_prefix("site/index.html:")?;
        assert!(
            found.contains(": warning[text-fragment]: "),
            "{line} {}",
            ran.err
        );
        found.split_once(':')?.0.parse::<usize>().ok()
    });
    lines.map(|line| fragments[line - 1]).collect()
}

#[test]
fn texts_of_a_page_are_found() {
    let found = [
        ":~:text=Install%20it%20first",
        "x:~:text=INSTALL%20IT",
        ":~:text=first%20%26%20slowly",
        ":~:text=tom%20&text=jerry",
        ":~:text=Tom%20%26%20Jerry%20caf%C3%A9",
        ":~:text=cafe%20naive&text=automatic",
        ":~:text=left%20right",
        ":~:text=Install,slowly",
        ":~:text=the%20word-,twice",
        ":~:text=end-,twice,-linked",
        ":~:text=install-,it,linked,-words",
        ":~:text=twice,twice,-linked",
        ":~:text=linked%20words",
        ":~:text=%E6%97%A5%E6%9C%AC&text=%E6%96%87%E7%AB%A0",
        // Not text directives, or malformed ones, which browsers ignore.
        ":~:selector=absent",
        ":~:text=",
        ":~:text=a,b,c,d,e",
        "x",
    ];
    assert_eq!(
        lacking("page.html", PAGE.as_bytes(), &found),
        Vec::<&str>::new()
    );
}

#[test]
fn texts_that_a_page_lacks_are_findings() {
    let absent = [
        ":~:text=absent",
        "x:~:text=instal",
        ":~:text=nstall",
        ":~:text=onetwo",
        ":~:text=slowly,Install",
        ":~:text=a%20word-,twice",
        ":~:text=twice,-words",
        ":~:text=install&text=absent",
        ":~:text=only%20here",
        ":~:text=hidden",
        ":~:text=unseen",
        ":~:text=remark",
        ":~:text=attribute",
        ":~:text=%E6%9C%AC%E6%97%A5",
    ];
    assert_eq!(lacking("page.html", PAGE.as_bytes(), &absent), absent);
}

#[test]
fn texts_of_markdown_are_found_roughly() {
    let page = "# A *new* [guide](guide.html \"title\")\n\nUse `Vec<u8>` and <b>not</b> **bo**ld, see [it][1].\n\n\
                snake_case\n\n[1]: x.html\n";
    let found = [
        ":~:text=a%20new%20guide%20use",
        ":~:text=Vec%3Cu8%3E%20and",
        ":~:text=and%20not%20bold,see%20it",
        ":~:text=snake_case",
    ];
    let absent = [":~:text=old%20guide", ":~:text=snak"];
    let all = [&found[..], &absent].concat();
    assert_eq!(lacking("page.md", page.as_bytes(), &all), absent);
}

#[test]
fn texts_of_other_documents_are_not_decided() {
    let absent = [":~:text=absent"];
    let nothing = Vec::<&str>::new();
    for name in ["page.txt", "page.rst", "page.adoc", "page.xml"] {
        assert_eq!(lacking(name, b"<a/>\n", &absent), nothing, "{name}");
    }
    for page in ["{% include part.html %}\n", "{{ content }}\n"] {
        assert_eq!(lacking("page.md", page.as_bytes(), &absent), nothing);
    }
    // Not UTF-8; too long; a page that refreshes to another one.
    assert_eq!(lacking("page.html", b"<p>caf\xe9", &absent), nothing);
    let long = "<p>word ".repeat(1 << 20);
    assert_eq!(lacking("page.html", long.as_bytes(), &absent), nothing);
    let ran = Tree::new(&[
        (
            "site/index.html",
            "<a href=old.html#:~:text=absent>a</a> <a href=//www.example.org/#:~:text=x>a</a>",
        ),
        (
            "site/old.html",
            "<meta http-equiv=refresh content='0; url=index.html'>",
        ),
    ])
    .run(&["audit", "--allow", "redirected", "site"]);
    assert_eq!(ran.out, "", "{}", ran.err);
}

#[test]
fn a_page_outside_the_walk_is_read_and_links_within_a_page_are_checked() {
    let files = [
        (
            "site/a.html",
            "<p>own text</p><a href=b.html#:~:text=absent>a</a>\n<a href='#:~:text=own%20text'>a</a>\n\
             <a href='#:~:text=other%20text'>a</a>\n",
        ),
        ("site/b.html", "<p>text"),
    ];
    let tree = Tree::new(&files);
    let expected = "\
site/a.html:1:24: warning[text-fragment]: b.html#:~:text=absent (the page does not have this text)
site/a.html:3:10: warning[text-fragment]: #:~:text=other%20text (the page does not have this text)
";
    assert_eq!(tree.run(&["audit", "site/a.html"]).out, expected);
    let allow = ["audit", "--allow", "text-fragment", "site"];
    assert_eq!(tree.run(&allow).out, "");
    let ran = tree.run(&["audit", "--deny", "text-fragment", "--json", "site"]);
    assert!(ran.out.contains("\"broken\":2"), "{}", ran.out);
}
