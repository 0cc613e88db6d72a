use super::*;

fn texts(text: &str, items: impl Iterator<Item = Range<usize>>) -> Vec<&str> {
    items.map(|item| &text[item]).collect()
}

#[test]
fn lists_are_split() {
    let text = " a  b\tc ";
    assert_eq!(
        texts(text, split(text.as_bytes(), 0..8, is_space)),
        ["a", "b", "c"]
    );
    let text = " a.jar, b c ,, d";
    let items = commas(text.as_bytes(), 0..text.len());
    assert_eq!(texts(text, items), ["a.jar", "b c", "d"]);
}

#[test]
fn candidates_are_those_of_the_standard() {
    for (text, expected) in [
        ("a.png,b.png", vec!["a.png,b.png"]),
        ("a 1x,b 2x", vec!["a", "b"]),
        (
            "a 1x, b -0x, c -1x, d .5x, e 1.x, f 1e3x, g +1x",
            vec!["a", "b", "d", "f"],
        ),
        ("a 0w, b 1h, c 1w 1h, d 1w 1w, e 1x 1h", vec!["c"]),
        ("data:,a ( , ) 1x, b", vec!["b"]),
        (",, a,,, b", vec!["a", "b"]),
        ("a (x", vec![]),
        ("", vec![]),
    ] {
        assert_eq!(
            texts(text, srcset(text.as_bytes(), 0..text.len())),
            expected,
            "{text}"
        );
    }
}

#[test]
fn a_refresh_names_its_reference() {
    for (text, expected) in [
        ("5; url=next", Some("next")),
        ("1;;url=x", Some(";url=x")),
        ("1", None),
        ("1;", None),
        ("x;url=y", None),
        ("+1;url=y", None),
        (".;url=y", Some("y")),
        ("1 url = 'a b' c", Some("a b")),
        ("1;ur=x", Some("ur=x")),
        ("1;url x", Some("url x")),
        ("1;url=", Some("")),
        ("1;'x", Some("x")),
    ] {
        let found = refresh(text.as_bytes(), 0..text.len()).map(|range| &text[range]);
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn a_location_is_a_string_that_is_assigned() {
    let script = "location='a'; window.location.href = \"b\"; location==x; location.reload(); \
        allocation='v'; $location='w'; _location='x'; é=1;élocation='y'; \
        location='http:\\/\\/e.example\\/x'; location='c\\'; location=\"d\"'; location='e'";
    let found: Vec<_> = locations(script.as_bytes(), 0..script.len())
        .map(|range| &script[range])
        .collect();
    assert_eq!(found, ["a", "b", "e"]);
}
