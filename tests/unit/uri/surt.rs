use super::*;

/// The keys that the package `surt` 0.3.1 for Python gives.
#[test]
fn keys_are_those_of_the_python_package() {
    for (uri, key) in [
        ("http://www.example.com/", "com,example)/"),
        ("https://example.com:443", "com,example)/"),
        ("http://example.com:8080/x", "com,example:8080)/x"),
        (
            "http://www2.example.co.uk/a//b/./c/",
            "uk,co,example)/a/b/c",
        ),
        ("http://user:pw@example.com/", "com,example)/"),
        ("ftp://ftp.example.org/pub/", "org,example,ftp)/pub"),
        ("Tel:(223)", "Tel:(223)"),
        ("mailto:Ann@Example.com", "mailto:ann@example.com"),
        ("http://192.0.2.1/x", "1,2,0,192)/x"),
        ("http://example.com/a%2520b%20c", "com,example)/a%20b%20c"),
        ("http://example.com/?", "com,example)/"),
        ("http://example.com/?b&a=1&a&a=", "com,example)/?a&a=&a=1&b"),
        (
            "http://example.com/x?jsessionid=0123456789abcdef0123456789abcdef&a=1",
            "com,example)/x?a=1",
        ),
        (
            "http://example.com/(0123456789abcdefghijabcd)/Page.aspx",
            "com,example)/page.aspx",
        ),
        (
            "http://b\u{fc}cher.example/\u{fc}",
            "example,xn--bcher-kva)/%c3%bc",
        ),
        ("http://example.com/../../a", "com,example)/a"),
        ("http://[2001:db8::1]/a", "2001:db8::1)/a"),
        ("urn:isbn:0451450523", "urn:isbn:0451450523"),
        ("http://www.example.com./a", "com,example)/a"),
        ("http://example.com/%zz%41", "com,example)/%25zza"),
        ("data:text/plain,Hi%20There", "data:text/plain,hi%20there"),
    ] {
        assert_eq!(surt(uri.as_bytes()), key, "{uri}");
    }
}
