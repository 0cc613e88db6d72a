use super::*;

fn run(make: fn() -> Box<dyn Rewrite>, text: &str, size: usize) -> String {
    let mut reflow = make();
    let mut out = DecodedText::default();
    let (mut start, mut end) = (0, 0);
    loop {
        end = (end + size).min(text.len());
        let last = end == text.len();
        start += reflow.push(&text.as_bytes()[start..end], last, &mut out);
        if last {
            break;
        }
    }
    assert_eq!(start, text.len());
    assert_eq!(
        out.map
            .end(out.bytes.len() as u64)
            .max(out.map.start(out.bytes.len() as u64)),
        text.len() as u64
    );
    String::from_utf8(out.bytes).unwrap()
}

#[test]
    #[rustfmt::skip]
    fn texts_are_reflowed_in_pieces_of_any_size() {
        type Make = fn() -> Box<dyn Rewrite>;
        let flowed: Make = || Box::new(Flowed::default());
        let delsp: Make = || Box::new(Flowed::without_spaces());
        let enriched: Make = || Box::new(Enriched::default());
        let rows: &[(Make, &str, &str)] = &[
            (flowed, "a \nb\nc \n-- \nd", "a b\nc \n-- \nd"),
            (flowed, "> a \r\n> b\r\n>> c \r\n> d", "> a b\r\n>> c \r\n> d"),
            // A paragraph that ends softly ends before another depth and before a signature.
            (delsp, "> http://a/ \r\nb \n-- \nc \n", "> http://a/ \r\nb \n-- \nc \n"),
            (flowed, " >stuffed \n  two\n", "\x0C>stuffed  two\n"),
            (flowed, " > stuffed\n >> two\n", "\x0C> stuffed\n\x0C>> two\n"),
            (flowed, "<http://a/ \n > b>", "<http://a/ \n\x0C> b>"),
            // Inside delimiters the rules for text count lines.
            (flowed, "<http://a/ \nb \nc> d \ne", "<http://a/ \nb \nc> d e"),
            (flowed, "> x \"http://a/ \n> b\" c \n> d", "> x \"http://a/ \n> b\" c d"),
            (flowed, "< \nhttp://a/ \nb>", "< http://a/ \nb>"),
            (flowed, "<URL:a \nb>", "<URL:a \nb>"),
            (flowed, "a < b \nc \"d \ne\" http://f/ \ng", "a < b c \"d e\" http://f/ g"),
            (flowed, "<http://a/ \n> b>", "<http://a/ \n> b>"),
            (delsp, "http://a/ \nb  \nc", "http://a/b c"),
            (enriched, "<bold>See</bold> <<x> <color><param>red <<</param>y", "See <x> y"),
            (enriched, "a <lt>b > c <", "a <b > c <"),
        ];
        for (make, text, expected) in rows {
            for size in 1..8 {
                assert_eq!(run(*make, text, size), *expected, "{text:?} by {size}");
            }
        }
    }
