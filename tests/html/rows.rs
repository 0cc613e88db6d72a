//! The parts of the oracle, each against rows that follow from the standards.

use encoding_rs::Encoding;

use super::oracle::{charset, json, values};
use crate::css::oracle::{Sheet, references};

/// HTML, "shared declarative refresh steps".
#[test]
fn refresh() {
    #[rustfmt::skip]
    let rows = [
        ("", None), ("1", None), ("1;", None), ("; url=n", None), ("+1; url=n", None), ("-1; url=n", None), ("x; url=n", None),
        (" 1 ; url=n", Some("n")), ("1 url=n", Some("n")), ("1,url=n", Some("n")), ("1\nurl=n", Some("n")), ("1x; url=n", None),
        ("1.9.; url=n", Some("n")), (".; url=n", Some("n")), (".9;n", Some("n")), ("1; n", Some("n")), ("1; u", Some("u")),
        ("1; ur=n", Some("ur=n")), ("1; urln", Some("urln")), ("1; url", Some("url")), ("1; url x", Some("url x")), ("1; url=", Some("")),
        ("1; url = n", Some("n")), ("1; URL=n ", Some("n ")), ("1; url='n", Some("n")), ("1; url='n'x", Some("n")), ("1; url=\"n'\"", Some("n'")),
        ("1; 'n'", Some("n")), ("1; url=n'x", Some("n'x")), ("1;;url=n", Some(";url=n")), ("1;,url=n", Some(",url=n")), ("1; url=''", Some("")),
        ("1;\u{a0}url=n", Some("\u{a0}url=n")), ("1\u{a0};url=n", None), ("1; ''", Some("")),
    ];
    for (value, expected) in rows {
        assert_eq!(values::refresh(value).as_deref(), expected, "{value:?}");
    }
}

/// HTML, "parse a srcset attribute".
#[test]
fn srcset() {
    #[rustfmt::skip]
    let rows: &[(&str, &[&str])] = &[
        ("", &[]), (",", &[]), ("a", &["a"]), ("a,", &["a"]), (",a", &["a"]), ("a,,b", &["a,,b"]), ("a, b", &["a", "b"]), ("a,, b", &["a", "b"]),
        ("a 1x,b", &["a", "b"]), ("a 1w 1x", &[]), ("a 1x 1w", &[]), ("a 1x 1x", &[]), ("a 1w 1w", &[]), ("a 1w 1h", &["a"]), ("a 1h 1w", &["a"]),
        ("a 1h", &[]), ("a 1h 1x", &[]), ("a 0w", &[]), ("a 00w", &[]), ("a 01w", &["a"]), ("a +1w", &[]), ("a 1.0w", &[]), ("a 0x", &["a"]),
        ("a -0x", &["a"]), ("a -1x", &[]), ("a +1x", &[]), ("a 1e3x", &["a"]), ("a 1E-3x", &["a"]), ("a 1e+3x", &["a"]), ("a .5x", &["a"]), ("a 5.x", &[]),
        ("a 1ex", &[]), ("a x", &[]), ("a w", &[]), ("a 1X", &[]), ("a 1W", &[]), ("a 1q", &[]), ("a (", &[]), ("a (,b 1x), c", &["c"]), ("a ( b, c", &[]),
        ("a 1x (", &[]), ("a 1x( , ), b", &["b"]), ("a 1x\u{c},\rb", &["a", "b"]), ("a\u{a0}1x", &["a\u{a0}1x"]), ("data:,x 1x", &["data:,x"]), ("a 1x , b", &["a", "b"]),
    ];
    for (value, expected) in rows {
        assert_eq!(values::srcset(value), *expected, "{value:?}");
    }
}

#[test]
fn lists() {
    assert_eq!(
        values::spaces(" a\tb\n\u{c}c,d \u{a0}"),
        ["a", "b", "c,d", "\u{a0}"]
    );
    assert_eq!(values::commas(" a b,, c ,"), ["a b", "c"]);
}

/// CSS Syntax 3, section 4.
#[test]
fn css() {
    #[rustfmt::skip]
    let rows: &[(&str, &[&str])] = &[
        ("url(a)", &["a"]), ("url( a )", &["a"]), ("URL('a')", &["a"]), ("url( \"a\" )", &["a"]), ("url(a b) url(c)", &["c"]), ("url(a'b) url(c)", &["c"]),
        ("url(a(b) url(c)", &["c"]), ("url(a\\)b)", &["a)b"]), ("url(a", &["a"]), ("url('a", &["a"]), ("url()", &[]), ("url('')", &[]), ("\\75 rl(a)", &["a"]),
        ("u\\72l(a)", &["a"]), ("url('a\\\nb')", &["ab"]), ("url('a\nb') url(c)", &[]), ("'url(a)'", &[]), ("/*url(a)*/", &[]), ("/*url(a)", &[]), ("xurl(a)", &[]),
        ("-url(a)", &[]), ("1url(a)", &[]), ("#url(a)", &[]), ("url (a)", &[]), ("url/**/(a)", &[]), ("<!--url(a)-->url(b)", &["a", "b"]), ("src('a')", &["a"]), ("src(a)", &[]),
        ("src(/**/'a')", &["a"]), ("url(/**/'a')", &[]), ("image-set('a' 1x, url(b) 2x, 'c' type('d'))", &["a", "b", "c"]), ("-webkit-image-set(\"a\" 1x)", &["a"]),
        ("image-set(x('a') 'b')", &["b"]), ("image-set(('a'))", &[]), ("@import 'a'", &["a"]), ("@import/**/\"a\";", &["a"]), ("@IMPORT url(a)", &["a"]), ("@import x 'a'", &[]),
        ("@imports 'a'", &[]), ("@namespace 'a'; url(b)", &["b"]), ("@namespace p url(a); url(b)", &["b"]), ("@namespace p url('a')", &[]), ("a{b:url(c);d:'e'}", &["c"]),
        ("url(a\\", &["a\u{fffd}"]), ("url(\\26 a)", &["&a"]), ("url(\\0 a)", &["\u{fffd}a"]), ("url(a\u{1}) url(b)", &["b"]), ("@font-face{src:url(a)format('b'),local(c)}", &["a"]),
        ("url(a?b;c)", &["a?b;c"]), ("url(\u{e9})", &["\u{e9}"]), ("url('a'", &["a"]), ("'a\nurl(b)'", &["b"]), ("1e3url(a)", &[]), ("+.5url(a) url(b)", &["b"]), ("@url(a)", &[]),
    ];
    for (value, expected) in rows {
        assert_eq!(references(value, Sheet::Whole), *expected, "{value:?}");
    }
    assert_eq!(
        references("@import 'a'; b:url(c)", Sheet::Declarations),
        ["c"]
    );
}

/// HTML, "determining the character encoding".
#[test]
fn charsets() {
    #[rustfmt::skip]
    let rows: &[(&[u8], Option<&str>, &str)] = &[
        (b"", None, "UTF-8"), (b"\xc3\xa9", None, "UTF-8"), (b"\xe9", None, "windows-1252"), (b"\xe9", Some("nonsense"), "windows-1252"), (b"\xe9", Some(" GBK "), "GBK"),
        (b"\xef\xbb\xbf<meta charset=gbk>", Some("big5"), "UTF-8"), (b"\xff\xfea\0", Some("gbk"), "UTF-16LE"), (b"\xfe\xff\0a", None, "UTF-16BE"),
        (b"<meta charset=gbk>", Some("big5"), "Big5"), (b"<META/CHARSET='gbk'>", None, "GBK"), (b"<meta charset = \"gbk\" >", None, "GBK"), (b"<metacharset=gbk>", None, "UTF-8"),
        (b"<!-- <meta charset=gbk> --><meta charset=big5>", None, "Big5"), (b"<!--><meta charset=gbk>", None, "GBK"), (b"<!---><meta charset=gbk>-->", None, "GBK"),
        (b"<a title='<meta charset=gbk>'>", None, "UTF-8"), (b"</a title='<meta charset=gbk>'>", None, "UTF-8"), (b"<?x <meta charset=gbk>", None, "UTF-8"),
        (b"<script>'<meta charset=gbk>'", None, "GBK"), (b"<meta charset=gbk", None, "UTF-8"), (b"<meta name=x charset=nonsense><meta charset=gbk>", None, "GBK"),
        (b"<meta charset=utf-16>", None, "UTF-8"), (b"<meta charset=x-user-defined>", None, "windows-1252"), (b"<meta content='text/html;charset=gbk'>", None, "UTF-8"),
        (b"<meta http-equiv=content-type content='text/html; charset = gbk ; x'>", None, "GBK"), (b"<meta content='charset charset=\"gbk\"' http-equiv=CONTENT-TYPE>", None, "GBK"),
        (b"<meta http-equiv=content-type content=\"charset='gbk\">", None, "UTF-8"), (b"<meta http-equiv=x content='charset=gbk' charset=big5>", None, "Big5"),
        (b"<meta charset=gbk charset=big5>", None, "GBK"), (b"<?xml version='1.0' encoding='gbk'?>", None, "GBK"), (b" <?xml encoding='gbk'?>", None, "UTF-8"),
        (b"<?xml encoding='gbk'?><meta charset=big5>", None, "Big5"), (b"<?xml encoding='utf-16'?>", None, "UTF-8"), (b"<?xml encoding=gbk?>", None, "UTF-8"),
        (b"<\0?\0x\0m\0l\0", None, "UTF-16LE"), (b"\0<\0?\0x\0m\0l", None, "UTF-16BE"),
    ];
    for (html, transport, expected) in rows {
        let encoding = charset::sniff(html, *transport).encoding;
        assert_eq!(encoding.name(), *expected, "{}", html.escape_ascii());
    }
    let mut late = vec![b' '; 1024];
    late.extend_from_slice(b"<meta charset=gbk>");
    assert_eq!(charset::sniff(&late, None).encoding.name(), "UTF-8");
}

/// The library's prescan agrees with the standard's steps on generated input (rule H39).
#[test]
fn prescans() {
    const PIECES: [&[u8]; 32] = [
        b"<",
        b"<",
        b">",
        b">",
        b"!",
        b"--",
        b"/",
        b" ",
        b"\n",
        b"\x0C",
        b"\0",
        b"=",
        b"=",
        b"\"",
        b"'",
        b";",
        b"x",
        b"?",
        b"<meta",
        b"<META ",
        b"charset",
        b"Charset=",
        b"gbk",
        b"big5",
        b"utf-16",
        b"x-user-defined",
        b"http-equiv=",
        b"content-type",
        b"content=",
        b"<?xml ",
        b"encoding",
        b"<!--",
    ];
    let prescan = uriscan::document::html::prescan;
    let mut state = 1_u64;
    let mut below = |n: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % n
    };
    let mut declared = 0;
    for _ in 0..100_000 {
        let mut html =
            [&b""[..], b"<meta ", b"<meta charset=", b"<?xml encoding="][below(4)].to_vec();
        for _ in 0..1 + below(12) {
            html.extend_from_slice(PIECES[below(PIECES.len())]);
        }
        html.extend_from_slice(b" >");
        let expected = charset::prescan(&html);
        assert_eq!(prescan(&html), expected, "{}", html.escape_ascii());
        declared += usize::from(expected.is_some());
    }
    assert!(declared > 500, "{declared}");
}

/// URL, "percent-encode after encoding": unmappable characters become character references.
#[test]
fn queries() {
    let rows = [
        ("windows-1252", "\u{e9}\u{3b1}", &b"\xe9%26%23945%3B"[..]),
        ("utf-16le", "\u{e9}", b"\xc3\xa9"),
        ("shift_jis", "\u{3042}", b"\x82\xa0"),
    ];
    for (label, query, expected) in rows {
        let encoding = Encoding::for_label(label.as_bytes()).expect(label);
        assert_eq!(
            &*charset::encode_query(encoding, query),
            expected,
            "{label}"
        );
    }
}

#[test]
fn scripts_that_are_data() {
    let map = r#"{"scopes":{"/s/":{"a":"./b","c":"bare","d":null}},"imports":{"../e":"https://example.com/f"},"integrity":{"/g":"sha384-h"},"x":{"/i":"/j"}}"#;
    let expected = ["/s/", "./b", "../e", "https://example.com/f", "/g"];
    assert_eq!(json::import_map(map), expected);
    assert_eq!(json::import_map("{"), [""; 0]);
    let twice = r#"{"imports":{"./a":"./b","./a":"./c"},"imports":{"./a":1.5}}"#;
    assert_eq!(json::import_map(twice), ["./a", "./b", "./a", "./c", "./a"]);
    let rules = r#"{"prefetch":[{"urls":["a",""]},{"where":{"href_matches":"b"}}],"prerender":[{"source":"list","urls":["c"]}],"tag":"d"}"#;
    assert_eq!(json::speculation_rules(rules), ["a", "c"]);
}
