use super::*;

#[test]
    #[rustfmt::skip]
    fn values_are_unfolded_and_decoded() {
        let rows: &[(&str, &str)] = &[
            ("plain text", "plain text"),
            ("one\r\n two\n\tthree", "one two\tthree"),
            ("=?utf-8?Q?see_<http://example.com/?=\n =?utf-8?Q?caf=C3=A9>?=", "see <http://example.com/café>"),
            ("a =?utf-8?B?w6k=?= b", "a é b"),
            ("=?utf-8?Q?=C3?= =?utf-8?Q?=A9?=", "é"),
            ("=?iso-8859-1?Q?=E9?= =?utf-8?Q?=C3=A9?= x", "éé x"),
            ("=?utf-8*en?q?x?=", "x"),
            ("=?broken", "=?broken"),
            ("a=b =?x?Z?y?=", "a=b =?x?Z?y?="),
        ];
        for (raw, expected) in rows {
            let mut out = DecodedText::default();
            text(raw.as_bytes(), &mut out);
            assert_eq!(String::from_utf8_lossy(&out.bytes), *expected, "{raw:?}");
            assert_eq!(out.map.start(out.bytes.len() as u64), raw.len() as u64, "{raw:?}");
        }
        let mut out = DecodedText::default();
        let raw = b"caf\xE9\r\n =?utf-8?Q?=C3=A9?= \xABx\xBB y";
        text(raw, &mut out);
        assert_eq!(String::from_utf8_lossy(&out.bytes), "café é «x» y");
        assert_eq!(out.map.start(out.bytes.len() as u64), raw.len() as u64);

        let mut cut = DecodedText::default();
        text("http://example.com/é \u{2019}".as_bytes().split_last().unwrap().1, &mut cut);
        assert!(cut.bytes.starts_with("http://example.com/é ".as_bytes()));
    }

/// Returns the index after the comment that starts at `at`, or after its bracket.
fn searched_end(value: &[u8], at: usize) -> usize {
    let (mut depth, mut index) = (0, at);
    while index < value.len() {
        match value[index] {
            b'\\' => index += 1,
            b'(' => depth += 1,
            b')' if depth == 1 => return index + 1,
            b')' => depth -= 1,
            _ => {}
        }
        index += 1;
    }
    at + 1
}

#[test]
fn comments_end_where_a_search_from_their_start_says() {
    let digits = [b'(', b')', b'\\', b'a'];
    for number in 0..4_usize.pow(8) {
        let value: Vec<u8> = (0..8)
            .map(|place| digits[number >> (2 * place) & 3])
            .collect();
        let mut comments = Comments::default();
        for at in (0..value.len()).filter(|&at| value[at] == b'(') {
            let expected = searched_end(&value, at);
            let value_text = String::from_utf8_lossy(&value);
            assert_eq!(comments.end(&value, at), expected, "{value_text} {at}");
        }
    }
}

#[test]
    #[rustfmt::skip]
    fn brackets_are_found_outside_comments() {
        let rows: &[(&str, &[&str])] = &[
            ("<http://a.example/> (see <b>), <mailto:c@d.example>", &["http://a.example/", "mailto:c@d.example"]),
            ("(open <http://a.example/>", &["http://a.example/"]),
            ("NO", &[]),
            (" http://a.example/ ", &["http://a.example/"]),
            ("(a (b) <c>) <d:e>", &["d:e"]),
            ("<never closed", &[]),
            ("http://a.example/ (see it)", &["http://a.example/"]),
            ("(x) http://a.example/b_(c)", &["http://a.example/b_(c)"]),
            ("git+https://a.example/x", &["git+https://a.example/x"]),
            ("<http://a.example/", &["http://a.example/"]),
            ("<mailto:c@d.example>, <http://a.example/ (open", &["mailto:c@d.example"]),
            ("<mailto:c@d.example>, <http://a.example/\n", &["mailto:c@d.example", "http://a.example/"]),
            ("see http://a.example/", &[]),
        ];
        for (value, expected) in rows {
            let mut got = Vec::new();
            brackets(value.as_bytes(), |start, end| got.push(&value[start..end]));
            assert_eq!(got, *expected, "{value:?}");
        }
    }

#[test]
    #[rustfmt::skip]
    fn lone_uris_are_unwrapped() {
        let rows: &[(&str, &str)] = &[
            (" http://a.example/x\r\n /y", "http://a.example/x/y"),
            ("<http://a.example/ x>", "http://a.example/x"),
            ("\"http://a.example/\" (home)", "http://a.example/"),
            ("http://a.example/(x) (home)", "http://a.example/(x)"),
            ("(home) <http://a.example/> x", "http://a.example/"),
            ("=?us-ascii?Q?http://a.example/a_b/?=\n =?us-ascii?Q?c?=", "http://a.example/ab/c"),
        ];
        for (value, expected) in rows {
            assert_eq!(String::from_utf8_lossy(&lone_uri(value.as_bytes())), *expected, "{value:?}");
        }
    }

#[test]
    #[rustfmt::skip]
    fn parameters_are_read() {
        let rows: &[(&str, &str, &str, Option<&str>)] = &[
            ("text/plain; charset=utf-8", "text/plain", "charset", Some("utf-8")),
            (" Text/HTML ;CHARSET = \"a\\\"b\" ; x=y", "text/html", "charset", Some("a\"b")),
            ("multipart/mixed; boundary=\"a; b\";", "multipart/mixed", "boundary", Some("a; b")),
            ("a/b (c; boundary=no); boundary=yes (no)", "a/b", "boundary", Some("yes")),
            ("a/b; url*0=\"http://a.example/\"; url*1=b", "a/b", "url", Some("http://a.example/b")),
            ("a/b; name*=iso-8859-1'en'caf%E9", "a/b", "name", Some("café")),
            ("a/b; name*0*=utf-8''caf%C3; name*1*=%A9; name*2=\"%41\"", "a/b", "name", Some("café%41")),
            ("a/b; charset", "a/b", "charset", None),
            ("", "", "charset", None),
            ("a/b; boundary=one two; x=y", "a/b", "boundary", Some("one two")),
            ("a/b; charset=x; charset=y", "a/b", "charset", Some("x")),
        ];
        for (raw, value, name, expected) in rows {
            let got = Parameters::parse(raw.as_bytes());
            let parameter = got.parameter(name).map(|value| String::from_utf8_lossy(value));
            assert_eq!((got.value(), parameter.as_deref()), (*value, *expected), "{raw:?}");
        }
    }
