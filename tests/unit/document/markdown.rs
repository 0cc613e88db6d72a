use super::*;

#[test]
fn destinations_follow_the_text() {
    for (source, expected) in [
        ("[a](b)", "b"),
        ("[a]( b \"title\")", "b"),
        ("[a](<b c> 'title')", "b c"),
        ("[a](b\\)c(d))", "b\\)c(d)"),
        ("[a](\n> b)", "b"),
        ("[a]()", ""),
        ("[a](<>)", ""),
    ] {
        let range = link_destination(source.as_bytes(), 2..source.len());
        assert_eq!(&source[range.unwrap()], expected, "{source}");
    }
    for (source, expected) in [
        ("[a]: b", "b"),
        ("[a\\]: b]: c 'title'", "c"),
        ("[a]:\n  <b c>", "b c"),
    ] {
        let range = definition_destination(source.as_bytes(), 0..source.len());
        assert_eq!(&source[range.unwrap()], expected, "{source}");
    }
}
