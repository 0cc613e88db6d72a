use super::*;

#[test]
fn failed_stream_stays_failed_when_finished() {
    // A declaration of another encoding asks for a second pass.
    let space = " ".repeat(1500);
    let page = format!("<a href=\u{e9}>{space}<meta charset=iso-8859-2>{space}");
    let options = ExtractorOptions::default().with_window(64);
    let mut extractor = Extractor::new(&options);
    let document = Document::new(Format::HTML, None);
    for writes_again in [false, true] {
        let mut sink = |_: &Link<'_>| {};
        let mut stream = extractor.stream(&document, &mut sink);
        // Nothing is kept for it.
        stream.kept = Kept::default();
        assert!(stream.write(page.as_bytes()).is_err());
        if writes_again {
            assert!(stream.write(b"<a href=c>").is_err());
        }
        assert!(!stream.is_stopped() && stream.finish().is_err());
    }
    let mut links = Vec::new();
    let mut sink = |link: &Link<'_>| links.push(link.reference.to_vec());
    extractor.extract_bytes(&document, b"<a href=d>", &mut sink);
    assert_eq!(links, [b"d"]);
}
