//! URIs in character data (`--html-text`), rule H12.

use std::io::Cursor;

use uriscan::document::Format;
use uriscan::document::events::Context;
use uriscan::document::flags::Flags;
use uriscan::extractor::{Document, Extractor, ExtractorOptions};
use uriscan::linker::Link;

/// Returns the references in character data, with their source text and whether they are inert.
fn found(html: &str, window: usize) -> Vec<String> {
    let mut options = ExtractorOptions::default().with_window(window);
    options.formats.html.text = true;
    let document = Document::new(Format::named("html").expect("it is a format"), None);
    let mut found = Vec::new();
    let mut take = |link: &Link<'_>| {
        if link.context == Context::Text {
            let reference = String::from_utf8_lossy(link.reference);
            let raw = &html[link.span.start as usize..link.span.end as usize];
            let inert = if link.flags.contains(Flags::INERT) {
                " inert"
            } else {
                ""
            };
            found.push(format!("{reference} at {raw}{inert}"));
        }
    };
    let read = Extractor::new(&options).extract_seekable(&document, Cursor::new(html), &mut take);
    read.expect("a slice reads without errors");
    found
}

#[test]
fn uris_in_character_data_are_found_in_windows_of_any_size() {
    #[rustfmt::skip]
    let rows: [(&str, &[&str]); 7] = [
        ("<p>see http://example.com/a?b&amp;c, or", &["http://example.com/a?b&c at http://example.com/a?b&amp;c"]),
        ("<p>http://example.com/<b>a</b>", &["http://example.com/ at http://example.com/"]),
        ("<!-- http://example.com/no --><script>'http://example.com/no'</script>", &[]),
        ("<a href=http://example.com/no>http://example.com/a</a>", &["http://example.com/a at http://example.com/a"]),
        ("<template>http://example.com/t</template>", &["http://example.com/t at http://example.com/t inert"]),
        ("<table><td background=b>http://example.com/x</table><template>http://example.com/t", &["http://example.com/x at http://example.com/x", "http://example.com/t at http://example.com/t inert"]),
        ("&lt;http://example.com/a b&gt;", &["http://example.com/ab at http://example.com/a b"]),
    ];
    for (html, expected) in rows {
        for window in [1, 2, 5, 17, 64, 1 << 16] {
            assert_eq!(found(html, window), expected, "{html}, window {window}");
        }
    }
}
