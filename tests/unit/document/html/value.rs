use super::*;

fn in_attribute(text: &str) -> Option<(String, usize)> {
    let mut out = Vec::new();
    let length = decode_reference(text.as_bytes(), CharacterContext::Attribute, &mut out)?;
    Some((String::from_utf8(out).unwrap(), length))
}

#[test]
fn references_are_read_as_the_standard_says() {
    for (text, expected) in [
        ("&amp;b", Some(("&", 5))),
        ("&copy&y", Some(("\u{a9}", 5))),
        ("&copy=1", None),
        ("&copyright", None),
        ("&hearts=1", None),
        ("&hearts;", Some(("\u{2665}", 8))),
        ("&notin;", Some(("\u{2209}", 7))),
        ("&notit;", None),
        ("&Amp;", None),
        ("&lt", Some(("<", 3))),
        ("&NotEqualTilde;", Some(("\u{2242}\u{338}", 15))),
        ("&CounterClockwiseContourIntegral;", Some(("\u{2233}", 33))),
        ("&#104;", Some(("h", 6))),
        ("&#x2Fc", Some(("\u{2fc}", 6))),
        ("&#46b", Some((".", 4))),
        ("&#146;", Some(("\u{2019}", 6))),
        ("&#0;", Some(("\u{fffd}", 4))),
        ("&#xD800;", Some(("\u{fffd}", 8))),
        ("&#99999999999999999999;", Some(("\u{fffd}", 23))),
        ("&#;", None),
        ("&#x;", None),
        ("&", None),
    ] {
        let expected = expected.map(|(text, length): (&str, _)| (text.to_owned(), length));
        assert_eq!(in_attribute(text), expected, "{text}");
    }
    let mut out = Vec::new();
    assert_eq!(
        decode_reference(b"&notit;", CharacterContext::Text, &mut out),
        Some(4)
    );
    assert_eq!(out, "\u{ac}".as_bytes());
}

#[test]
fn decoded_value_is_decoded_again_with_its_places() {
    let bytes = "\u{fc}&amp;amp;x\u{fc}".as_bytes();
    let context = Some(CharacterContext::Attribute);
    let (mut outer, mut inner) = (DecodedText::default(), DecodedText::default());
    outer.begin(0);
    outer.append(
        &SourceText::window(bytes, 10),
        0..bytes.len(),
        UTF_8,
        context,
    );
    inner.begin(0);
    inner.append(&outer.source(), 0..outer.bytes.len(), UTF_8, context);
    assert_eq!(inner.bytes, "\u{fc}&x\u{fc}".as_bytes());
    let spans = [0..2, 2..3, 3..4, 4..6].map(|range| inner.source().span(range));
    let spans = spans.map(|span| span.start..span.end);
    assert_eq!(spans, [10..12, 12..21, 21..22, 22..24]);
}
