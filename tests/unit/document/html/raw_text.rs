use super::*;

fn script(text: &str) -> Option<usize> {
    let whole = find_script_end(text.as_bytes(), 0, &mut ScriptEscape::None, true);
    for cut in 0..text.len() {
        let mut escape = ScriptEscape::None;
        let mut found = find_script_end(&text.as_bytes()[..cut], 0, &mut escape, false);
        if let Err(at) = found {
            found = find_script_end(text.as_bytes(), at, &mut escape, true);
        }
        assert_eq!(found, whole, "{text} cut at {cut}");
    }
    whole.ok()
}

#[test]
fn scripts_end_as_the_standard_says() {
    for (text, end) in [
        ("a</script>", Some(1)),
        ("</scripty></SCRIPT\n>", Some(10)),
        ("<!-- </script>", Some(5)),
        ("<!--<script></script>--></script>", Some(24)),
        ("<!--><script></script>", Some(13)),
        ("<!---><script></script>", Some(14)),
        ("<!-<script></script>", Some(11)),
        ("<!--<script>--></script>", Some(15)),
        ("<!--<script></script></script>", Some(21)),
        ("<!--<script/</script/</script ", Some(21)),
        ("<!--<scripty></script>", Some(13)),
        ("<!--<script>--></script", None),
        ("</script", None),
    ] {
        assert_eq!(script(text), end, "{text}");
    }
}

#[test]
fn comments_end_as_the_standard_says() {
    for (text, end) in [
        (" a -->b", Some(6)),
        (" a --!>b", Some(7)),
        ("-->", Some(3)),
        ("!>-->", Some(5)),
        (" - -> --", None),
        ("--- >--->", Some(9)),
    ] {
        assert_eq!(find_comment_end(text.as_bytes(), 0).ok(), end, "{text}");
        for cut in 0..text.len() {
            let found = find_comment_end(&text.as_bytes()[..cut], 0)
                .or_else(|at| find_comment_end(text.as_bytes(), at));
            assert_eq!(found.ok(), end, "{text} cut at {cut}");
        }
    }
}
