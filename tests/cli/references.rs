//! `resolve` and `parse`: references from the arguments or, line by line, from standard input.

use super::{Ran, Tree};

const BASE: &str = "http://a/b/c/d;p?q";

fn run(arguments: &[&str]) -> Ran {
    Tree::new(&[]).run(arguments)
}

fn resolve(arguments: &[&str]) -> Ran {
    run(&[&["resolve", "--base", BASE], arguments].concat())
}

#[test]
fn resolve_prints_targets_in_order() {
    resolve(&["g", "../../../g", "", "#s", "http:g"]).is(
        0,
        "http://a/b/c/g\nhttp://a/g\nhttp://a/b/c/d;p?q\nhttp://a/b/c/d;p?q#s\nhttp:g\n",
    );
    resolve(&["--rules", "rfc2396", "?y", "../../../g", "#s"])
        .is(0, "http://a/b/c/?y\nhttp://a/../g\nhttp://a/b/c/d;p?q#s\n");
    resolve(&["--rules", "rfc1808", "?y", "//"]).is(0, "http://a/b/c/d;p?y\nhttp://a/b/c/d;p?q\n");
    resolve(&["--rules", "whatwg", "///x", "g^"]).is(0, "http://x/\nhttp://a/b/c/g%5E\n");
    resolve(&["--same-scheme", "compat", "http:g"]).is(0, "http://a/b/c/g\n");
    resolve(&[
        "--rules",
        "rfc2396",
        "--excess-dots",
        "remove",
        "../../../g",
    ])
    .is(0, "http://a/g\n");
    resolve(&["--", "-x"]).is(0, "http://a/b/c/-x\n");
}

#[test]
fn resolve_follows_the_letter() {
    run(&["resolve", "--base", "http://a", "--rules", "rfc2396", "g"]).is(0, "http://ag\n");
    run(&["resolve", "--base", "a:/b", ".//x"]).is(0, "a://x\n");
    run(&["resolve", "--base", "mailto:a@b", "g"]).is(0, "mailto:g\n");
}

#[test]
fn resolve_leaves_a_line_empty_where_there_is_no_target() {
    resolve(&[
        "--rules",
        "rfc2396",
        "--excess-dots",
        "error",
        "../../../g",
        "g",
    ])
    .tells(
        1,
        "\nhttp://a/b/c/g\n",
        "uriscan: ../../../g: the reference escapes the root\n",
    );
    resolve(&["--rules", "whatwg", "http://[/", "http://h:x"]).tells(
        1,
        "\n\n",
        "http://[/: the host does not parse\nuriscan: http://h:x: the port does not parse\n",
    );
    run(&["resolve", "g", "http://h/a/../b"]).tells(
        1,
        "\nhttp://h/b\n",
        "g: the reference is relative",
    );
    run(&["resolve", "--base=", "g"]).tells(1, "\n", "there is no base");
    run(&[
        "resolve",
        "--rules",
        "whatwg",
        "--base",
        "mailto:a@b",
        "g",
        "#f",
    ])
    .tells(1, "\nmailto:a@b#f\n", "the base has no hierarchy");
    run(&["resolve", "--rules", "rfc1808", "../g"]).is(0, "../g\n");
}

#[test]
fn resolve_rejects_invalid_bases_and_rules() {
    run(&["resolve", "--base", "/a/b", "g"]).tells(
        2,
        "",
        "--base: the base URI has no scheme: /a/b",
    );
    run(&["resolve", "--base", "http://[/", "--rules", "whatwg", "g"]).tells(
        2,
        "",
        "does not parse: http://[/",
    );
    run(&["resolve", "--rules", "auto", "g"]).tells(2, "", "auto");
    run(&["parse", "--rules", "auto", "g"]).tells(
        2,
        "",
        "rfc1738, rfc1808, rfc2396, rfc3986, whatwg",
    );
    run(&["resolve", "--tab", "g"]).tells(2, "", "cannot be used with");
}

#[test]
fn resolve_reads_lines() {
    let pipe = |input: &[u8], arguments: &[&str]| {
        Tree::new(&[]).pipe(input, &[&["resolve", "--base", BASE], arguments].concat())
    };
    pipe(b"g\r\n\n#s\nlast", &[]).is(
        0,
        "http://a/b/c/g\nhttp://a/b/c/d;p?q\nhttp://a/b/c/d;p?q#s\nhttp://a/b/c/last\n",
    );
    pipe(b"", &[]).is(1, "");
    pipe(b"x\ty\n", &["--rules", "whatwg"]).is(0, "http://a/b/c/xy\n");
    pipe(b"x\thttp://h/i/j\ng\n\thttp://h\n", &["--tab"])
        .is(0, "http://h/i/x\nhttp://a/b/c/g\nhttp://h\n");
    pipe(b"x\ny\r\0g\r\n\0last", &["--null", "--rules", "whatwg"])
        .is(0, "http://a/b/c/xy\nhttp://a/b/c/g\nhttp://a/b/c/last\n");
    pipe(b"x\thttp://h\0g", &["-0", "--tab"]).is(0, "http://h/x\nhttp://a/b/c/g\n");
    pipe(b"x\tnowhere\nhttp://h/\tnowhere\n", &["--tab"]).tells(
        1,
        "\nhttp://h/\n",
        "the base URI has no scheme",
    );
}

#[test]
fn resolutions_are_objects() {
    for (arguments, code, expected) in [
        (
            &["--rules", "rfc2396", "#s"][..],
            0,
            r##"{"type":"resolution","reference":"#s","target":"http://a/b/c/d;p?q#s","same_document":true,"base":"http://a/b/c/d;p?q","rules":"rfc2396","error":null}"##,
        ),
        (
            &["d;p?q#\"", "--rules", "whatwg"],
            0,
            r##"{"type":"resolution","reference":"d;p?q#\"","target":"http://a/b/c/d;p?q#%22","same_document":true,"base":"http://a/b/c/d;p?q","rules":"whatwg","error":null}"##,
        ),
        (
            &["mailto:x"],
            0,
            r#"{"type":"resolution","reference":"mailto:x","target":"mailto:x","same_document":false,"base":null,"rules":"rfc3986","error":null}"#,
        ),
        (
            &["--rules", "rfc2396", "--excess-dots", "error", "../../../g"],
            1,
            r#"{"type":"resolution","reference":"../../../g","target":null,"same_document":false,"base":"http://a/b/c/d;p?q","rules":"rfc2396","error":"excess-dots"}"#,
        ),
    ] {
        let ran = resolve(&[&["--json"], arguments].concat());
        assert_eq!(
            (ran.code, ran.out),
            (code, format!("{expected}\n")),
            "{arguments:?}"
        );
    }
}

#[test]
fn parse_shows_components_and_faults() {
    run(&["parse", "http://a?#f"]).is(
        0,
        "scheme: http\nauthority: a\npath:\nquery:\nfragment: f\nvalid\n",
    );
    run(&["parse", "a b", "g"]).is(
        1,
        "path: a b\ninvalid: path at byte 1: a space is not allowed here, only %20\npath: g\nvalid\n",
    );
    run(&["parse", "--rules", "rfc2396", "?y"])
        .is(1, "path:\nquery: y\ninvalid: path at byte 0: the path is empty, which the grammar cannot derive\n");
    run(&["parse", "--rules", "rfc1738", "ftp://h.dom/f;type=x"]).is(
        1,
        "scheme: ftp\nauthority: h.dom\npath: /f;type=x\n\
         invalid: typecode at byte 19: the type code is one of `a`, `i` and `d`\n",
    );
    run(&["parse", "--rules", "rfc1808", "//g;x?y/z"]).is(
        0,
        "scheme:\nnet_loc: g;x?y\npath: /z\nparams:\nquery:\nfragment:\nvalid\n",
    );
    run(&["parse", "--rules", "whatwg", "http://h:99999/"]).tells(1, "scheme: http\nauthority: h:99999\npath: /\ninvalid: port at byte 9: a port is a number of at most 65535\n", "");
    Tree::new(&[])
        .pipe(b"g\n\n", &["parse"])
        .is(0, "path: g\nvalid\npath:\nvalid\n");
}

#[test]
fn components_are_objects() {
    for (rules, input, code, expected) in [
        (
            "rfc2396",
            "HTTP://A:80/",
            0,
            r#""scheme":"HTTP","authority":"A:80","path":"/","query":null,"fragment":null,"valid":true,"fault":null,"fault_at":null,"message":null,"authority_kind":"server","normalized":{"syntax":null,"scheme":"http://a/"}}"#,
        ),
        (
            "rfc3986",
            "HTTP://A:80?",
            0,
            r#""scheme":"HTTP","authority":"A:80","path":"","query":"","fragment":null,"valid":true,"fault":null,"fault_at":null,"message":null,"authority_kind":null,"normalized":{"syntax":"http://a:80?","scheme":"http://a/?"}}"#,
        ),
        (
            "rfc3986",
            "/%",
            1,
            r#""scheme":null,"authority":null,"path":"/%","query":null,"fragment":null,"valid":false,"fault":"path","fault_at":1,"message":"`%` needs two hexadecimal digits after it","authority_kind":null,"normalized":null}"#,
        ),
        (
            "rfc1808",
            "FTP://h/f;type=a",
            0,
            r#""scheme":"FTP","net_loc":"h","path":"/f","params":"type=a","query":"","fragment":"","valid":true,"fault":null,"fault_at":null,"message":null,"authority_kind":null,"normalized":{"syntax":null,"scheme":"ftp://h/f;type=a"}}"#,
        ),
    ] {
        let ran = run(&["parse", "--json", "--rules", rules, input]);
        let expected =
            format!(r#"{{"type":"components","input":"{input}","rules":"{rules}",{expected}"#);
        assert_eq!(
            (ran.code, ran.out),
            (code, expected + "\n"),
            "{input} by {rules}"
        );
    }
}

/// The blanks around a URL in markup, and the line breaks in it, are not part of the URL (HTML, "valid URL
/// potentially surrounded by spaces").
#[test]
fn padding_in_markup_is_left_out_by_every_rules() {
    let html = "<a href=' http://x.example/ '><a href='\n//y.example/\n'><a href=' #f'><a href='ht\ntp://q.example/'>\
        <base href=' /b/\n'><object codebase=' c/ ' classid=' d '>";
    for rules in ["rfc3986", "rfc2396", "rfc1808", "whatwg"] {
        let base = "https://ex.example/dir/p";
        let arguments = ["-t", "html", "--rules", rules, "--base", base];
        Tree::new(&[]).pipe(html.as_bytes(), &arguments).is(
            0,
            "http://x.example/\nhttps://y.example/\nhttps://ex.example/b/#f\nhttp://q.example/\n\
             https://ex.example/b/c/\nhttps://ex.example/b/c/d\n",
        );
    }
}
