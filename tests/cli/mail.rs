//! Mail as files: how it is known, and what its base is.

use super::Tree;

const MESSAGE: &str = "Subject: x\nList-Help: <http://example.com/help>\n\
    Content-Type: text/html\n\n<a href=y>y</a>\n";

#[test]
fn mail_is_known_by_name_or_content() {
    let mailbox = format!("From a@example.com Thu Mar  2 10:11:12 2006\n{MESSAGE}\n");
    let batch = format!("#! rnews {}\n{MESSAGE}", MESSAGE.len());
    let targets = "http://example.com/help\nthismessage:/y\n";
    for (path, text) in [
        ("one.eml", MESSAGE),
        ("folder/17", MESSAGE),
        ("maildir/cur/1:2,S", MESSAGE),
        ("2006-March.txt", &mailbox),
        ("batch", &batch),
    ] {
        let tree = Tree::new(&[(path, text)]);
        tree.run(&["."]).is(0, targets);
        tree.run(&[".", "-c"]).is(0, &format!("./{path}:2\n"));
        tree.run(&[".", "-t", "text"])
            .tells(2, "", "nothing was read");
    }
    Tree::new(&[("folder/x17", "see http://example.com/\n")])
        .run(&["-t", "text", "."])
        .is(0, "http://example.com/\n");
}

#[test]
fn the_place_of_mail_is_no_base() {
    let tree = Tree::new(&[("m.eml", MESSAGE)]);
    let fields = [
        "m.eml",
        "--json",
        "--element",
        "a",
        "--fields",
        "target,base_source",
    ];
    for (options, target, source) in [
        (&[][..], "thismessage:/y", "default:thismessage"),
        (
            &["--root", ".=http://example.org/"],
            "thismessage:/y",
            "default:thismessage",
        ),
        (
            &["--base", "http://example.net/a/b"],
            "http://example.net/a/y",
            "retrieval:option",
        ),
        (
            &["--default-base", "http://example.net/"],
            "http://example.net/y",
            "default:option",
        ),
    ] {
        let line =
            format!("{{\"type\":\"link\",\"target\":\"{target}\",\"base_source\":\"{source}\"}}\n");
        tree.run(&[&fields, options].concat()).is(0, &line);
    }
}

#[test]
fn a_header_field_has_a_line_and_no_column() {
    let tree = Tree::new(&[("m.eml", MESSAGE)]);
    let ran = tree.run(&["m.eml", "-n"]);
    ran.is(
        0,
        "m.eml!1/0:2: http://example.com/help\nm.eml!1/1:1:9: thismessage:/y\n",
    );
    let ran = tree.run(&[
        "m.eml",
        "--format",
        "csv",
        "--fields",
        "member,line,column,attribute",
    ]);
    ran.is(
        0,
        "member,line,column,attribute\n1/0,2,,list-help\n1/1,1,9,href\n",
    );
}
