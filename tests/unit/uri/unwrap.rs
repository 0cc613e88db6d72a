use super::*;

#[test]
    #[rustfmt::skip]
    fn layers_are_removed() {
        let mut unwrapper = Unwrapper::default();
        unwrapper.add(Gateway::SafeLinks, ".safelinks.example.com");
        unwrapper.add(Gateway::UrlDefense, "urldefense.example.com");
        let rows: &[(&str, Option<&str>)] = &[
            ("https://n1.safelinks.example.com/?url=http%3A%2F%2Fwww.example.org%2Fx%3Fa%3D1&data=05%7C01&sdata=zz&reserved=0", Some("http://www.example.org/x?a=1")),
            ("https://urldefense.example.com/v2/url?u=http-3A__www.example.org_a-2Db_&d=DwM&c=q", Some("http://www.example.org/a-b/")),
            ("https://urldefense.example.com/v3/__https://www.example.org/?q=a*b*c__;JiM!!AbC!x$", Some("https://www.example.org/?q=a&b#c")),
            ("https://urldefense.example.com/v3/__https://www.example.org/**Bx__;JiMm!!AbC!x$", Some("https://www.example.org/&#&x")),
            ("https://urldefense.example.com/v1/url?u=http://n1.safelinks.example.com/?url%3Dhttp%253A%252F%252Fwww.example.org%252Fy&k=1", Some("http://www.example.org/y")),
            ("https://n1.safelinks.example.com/?data=05", None),
            ("https://safelinks.example.com/?url=x", None),
            ("https://urldefense.example.com/v3/__relative__;!!x", None),
        ];
        for (link, expected) in rows {
            let got = unwrapper.unwrap(link.as_bytes());
            assert_eq!(got.map(|got| String::from_utf8(got).unwrap()).as_deref(), *expected, "{link}");
        }
    }
