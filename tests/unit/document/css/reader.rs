use super::super::unescape;
use super::*;

fn found(css: &str) -> Vec<String> {
    let mut found = Vec::new();
    references(css.as_bytes(), 0..css.len(), Sheet::Whole, |range| {
        let mut out = Vec::new();
        unescape(css[range].as_bytes(), &mut out);
        found.push(String::from_utf8(out).unwrap());
    });
    found
}

#[test]
fn references_are_found_as_the_standard_says() {
    for (css, expected) in [
        ("background:url(a.png)", vec!["a.png"]),
        ("x:url( a.png ) y:URL('b c')", vec!["a.png", "b c"]),
        (
            "@import 'i'; @import url(j) screen; @import \"k\" layer;",
            vec!["i", "j", "k"],
        ),
        (
            "@namespace url(no); p{content:'url(no)'} /* url(no) */ x:url(y)",
            vec!["y"],
        ),
        ("@namespace svg url(no); x:url(y)", vec!["y"]),
        ("x:url(a b) y:url(c)", vec!["c"]),
        ("x:url(a\"b) y:url(c)", vec!["c"]),
        ("x:url(a\\)b)", vec!["a)b"]),
        ("x:url(\"a\\26 b\\.png\")", vec!["a&b.png"]),
        ("x:\\75rl(a)", vec!["a"]),
        (
            "x:image-set('a' 1x, url(b) 2x, 'c' type('no') 3x) 'no'",
            vec!["a", "b", "c"],
        ),
        ("x:src('a') format('no')", vec!["a"]),
        ("x:'cut\n url(a)", vec!["a"]),
        ("x:url(a", vec!["a"]),
        ("x:curl(no) url (no)", vec![]),
        ("x:url(\"a\" crossorigin(anonymous))", vec!["a"]),
        ("@import layer 'no'; x:url()", vec![""]),
        ("x:#url(no) <!--url(a)--><!-- 1url(no)", vec!["a"]),
        ("x:image-set({ 'no' } ( 'no' ) 'a')", vec!["a"]),
    ] {
        assert_eq!(found(css), expected, "{css}");
    }
}
