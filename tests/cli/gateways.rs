//! Links of gateways, texts that name another host, and parts of HTML that only mail has.

use super::Tree;

const REWRITTEN: &str =
    "https://nam02.safelinks.protection.outlook.com/?url=https%3A%2F%2Fwww.Example.org%2Fx&data=05";

#[test]
fn filters_counts_and_unique_see_the_link_inside() {
    let text = format!("<{REWRITTEN}>\n<https://www.Example.org/x>\n<https://lnkd.in/dAbC>\n");
    let tree = Tree::new(&[("a.txt", &text)]);
    let run = |arguments: &[&str]| tree.run(&[&["a.txt", "--unwrap"], arguments].concat());
    run(&["--unique"]).is(0, "https://www.Example.org/x\nhttps://lnkd.in/dAbC\n");
    run(&["--count-by", "host"]).is(0, "2\twww.example.org\n1\tlnkd.in\n");
    run(&["--host", "www.example.org", "-c"]).is(0, "2\n");
    run(&["--include", "outlook", "-c"]).is(1, "");
    let ran = run(&["--json", "--stats"]);
    assert!(
        ran.out.contains("\"flags\":[\"opaque-gateway\"]"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("\"opaque_gateways\":1"), "{}", ran.out);
    // Without the flag nothing is unwrapped or marked.
    let ran = tree.run(&["a.txt", "--json", "--stats"]);
    assert!(
        !ran.out.contains("opaque-gateway") && ran.out.contains(REWRITTEN),
        "{}",
        ran.out
    );
}

#[test]
fn the_link_inside_resolves_by_the_rules_of_its_document() {
    let tree = Tree::new(&[("a.html", &format!("<a href='{REWRITTEN}'>x</a>"))]);
    tree.run(&["a.html", "--unwrap"])
        .is(0, "https://www.example.org/x\n");
}

#[test]
fn users_name_gateways_by_host_and_parameter() {
    let text = "<https://Go.Example.com./x?a=1&to=http%3A%2F%2Fexample.org%2Fa>\n\
                <https://n1.track.example.net/c?u=aHR0cDovL2V4YW1wbGUub3JnL2I>\n\
                <https://track.example.net/c?u=aHR0cDovL2V4YW1wbGUub3JnL2I>\n";
    let tree = Tree::new(&[("a.txt", text)]);
    tree.run(&[
        "a.txt",
        "--unwrap-host=go.example.com=to",
        "--unwrap-host=.track.example.net=u:base64",
    ])
    .is(
        0,
        "http://example.org/a\nhttp://example.org/b\nhttps://track.example.net/c?u=aHR0cDovL2V4YW1wbGUub3JnL2I\n",
    );
}

/// The flags of the links of an HTML mail, in order.
fn flags(html: &str, arguments: &[&str]) -> Vec<String> {
    let letter = format!("Subject: x\nContent-Type: text/html; charset=utf-8\n\n{html}");
    let tree = Tree::new(&[("a.eml", &letter)]);
    let fields = ["a.eml", "--format", "csv", "--fields", "target,flags"];
    let ran = tree.run(&[&fields[..], arguments].concat());
    ran.out.lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn a_text_that_names_another_host_is_flagged_with_anchor_text() {
    let html = "<a href='https://example.org/'>www.example.com</a>\
                <a href='https://example.com/'>https://www.example.com/</a>\
                <a href='https://ann@example.org/'>x</a>";
    let expected = [
        "https://example.org/,text-host-differs",
        "https://example.com/,",
        "https://ann@example.org/,userinfo",
    ];
    assert_eq!(flags(html, &["--anchor-text"])[2], expected[2]);
    let letter = format!("Subject: x\nContent-Type: text/html\n\n{html}");
    let tree = Tree::new(&[("a.eml", &letter)]);
    let fields = ["a.eml", "--format", "csv", "--fields", "target,flags,text"];
    let texts = ["www.example.com", "https://www.example.com/", "x"];
    let rows = expected
        .iter()
        .zip(texts)
        .map(|(row, text)| format!("{row},{text}\n"));
    let rows = rows.collect::<Vec<_>>().concat();
    tree.run(&fields)
        .is(0, &format!("target,flags,text\n{rows}"));
}

#[test]
fn conditional_comments_are_read_in_mail() {
    let html = "<!--[if mso]><table><tr><td><a href='http://example.com/1'>x</a>\
                <v:roundrect href=\"http://example.com/2\"><v:fill src='http://example.com/3'/></v:roundrect><![endif]-->\
                <!--[if !mso]><!--><a href='http://example.com/4'>x</a><!--<![endif]-->\
                <!-- <a href='http://example.com/5'> -->\
                <!--[if gte mso 9]><xml></xml><![endif]-->\
                <!--[IF mso | IE]><img src='http://example.com/6'><![endif]-->";
    let expected = [
        "http://example.com/1,conditional",
        "http://example.com/2,conditional",
        "http://example.com/3,conditional",
        "http://example.com/4,",
        "http://example.com/6,conditional",
    ];
    assert_eq!(flags(html, &[]), expected);
    // Elsewhere a browser reads none of them.
    let tree = Tree::new(&[("a.html", html)]);
    tree.run(&["a.html"]).is(0, "http://example.com/4\n");
    // In any window.
    for window in ["1", "7", "64"] {
        assert_eq!(flags(html, &["--window", window]), expected);
    }
}

/// Rule H10.
#[test]
fn conditional_comments_are_read_with_extended() {
    let comment = "<!--[if IE]><link href=a><v:fill src=b><img data-src=c><![endif]-->";
    let read = "http://example.com/a,conditional\nhttp://example.com/b,conditional\nhttp://example.com/c,conditional\n";
    let link = "http://example.com/1,\n";
    let nested = read.replace("conditional", "srcdoc conditional");
    let rows = [
        (format!("{comment}<a href=1>"), format!("{read}{link}")),
        ("<!-- <a href=x> --><a href=1>".to_owned(), link.to_owned()),
        // In document order from the tree builder, too (B7, B1).
        (
            format!("<table><tr background=1>{comment}<tr background=1></table>"),
            format!("{link}{read}{link}"),
        ),
        (format!("<a href=1>{comment}<frameset>"), read.to_owned()),
        (
            format!("<iframe srcdoc='{comment}'></iframe><a href=1>"),
            format!("{nested}{link}"),
        ),
        // The base is the host's.
        (
            format!("{comment}<base href=/d/>"),
            read.replace(".com/", ".com/d/"),
        ),
    ];
    for (html, expected) in rows {
        let tree = Tree::new(&[("a.html", &html)]);
        for window in ["1", "7", "64", "65536"] {
            let fields = [
                "--format=csv",
                "--fields=target,flags",
                "--base=http://example.com/",
            ];
            let arguments = ["a.html", "--extended", "--window", window];
            tree.run(&[&arguments[..], &fields].concat())
                .is(0, &format!("target,flags\n{expected}"));
        }
    }
}

#[test]
fn linked_data_is_read_in_mail() {
    let html = "<script type='application/ld+json'>\
        {\"@context\":\"http://schema.org\",\"@type\":\"EmailMessage\",\
        \"potentialAction\":{\"@type\":\"ViewAction\",\"url\":\"http://example.com/watch\"}}</script>";
    let found = flags(html, &[]);
    assert!(
        found
            .iter()
            .any(|link| link.starts_with("http://example.com/watch,")),
        "{found:?}"
    );
    let tree = Tree::new(&[("a.html", html)]);
    tree.run(&["a.html"]).is(1, "");
}
