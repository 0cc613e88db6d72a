use super::*;

#[test]
fn declarations_are_found_as_the_standard_says() {
    for (head, expected) in [
        ("<meta charset=koi8-r>", Some("KOI8-R")),
        ("<META CHARSET = 'KOI8-R' >", Some("KOI8-R")),
        ("<meta charset=koi8-r", None),
        (
            "<!-- <meta charset=koi8-r> --><p a='<meta charset=gbk>'>",
            None,
        ),
        ("<!--><meta charset=koi8-r>", Some("KOI8-R")),
        ("<meta content='x; charset=gbk'>", None),
        (
            "<meta content='x; charset=gbk' http-equiv=Content-Type>",
            Some("GBK"),
        ),
        (
            "<meta content='charset gbk charset=\"gbk\"' http-equiv=content-type>",
            Some("GBK"),
        ),
        ("<meta charset=utf-16>", Some("UTF-8")),
        ("<meta charset=x-user-defined>", Some("windows-1252")),
        ("<meta charset=nonsense><meta/charset=gbk>", Some("GBK")),
        ("<?xml version='1.0' encoding='gbk'?>", Some("GBK")),
        (
            "<?xml encoding='gbk'?><meta charset=koi8-r>",
            Some("KOI8-R"),
        ),
        ("<\0?\0x\0", Some("UTF-16LE")),
        ("no markup at all", None),
        ("", None),
    ] {
        let found = prescan(head.as_bytes()).map(Encoding::name);
        assert_eq!(found, expected, "{head}");
    }
}
