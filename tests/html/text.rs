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
    let rows: [(&str, &[&str]); 16] = [
        ("<title>http://example.com/?a&amp;b</title>", &["http://example.com/?a&b at http://example.com/?a&amp;b"]),
        ("<template><textarea>\nhttp://example.com/t</textarea>", &["http://example.com/t at http://example.com/t inert"]),
        ("<xmp>http://example.com/?a&amp;b <b></xmp>", &["http://example.com/?a&amp;b at http://example.com/?a&amp;b"]),
        ("<plaintext>http://example.com/a <b> http://example.com/b", &["http://example.com/a at http://example.com/a", "http://example.com/b at http://example.com/b"]),
        ("<svg><text><![CDATA[http://example.com/?a&amp;b]]></text></svg>", &["http://example.com/?a&amp;b at http://example.com/?a&amp;b"]),
        ("<svg><script><![CDATA['http://example.com/no']]></script><script>http://example.com/no</script></svg>", &[]),
        ("<iframe>http://example.com/no</iframe><noembed>http://example.com/no</noembed><style>http://example.com/no</style>", &[]),
        // The tree builder reads these.
        ("<table><td background=b><textarea>http://example.com/?a&amp;b\0</textarea><xmp>http://example.com/?a&amp;b</xmp><style>http://example.com/no</style>", &["http://example.com/?a&b at http://example.com/?a&amp;b", "http://example.com/?a&amp;b at http://example.com/?a&amp;b"]),
        ("<table><td background=b><svg><script><![CDATA[http://example.com/no]]></script><![CDATA[http://example.com/c]]></svg><plaintext>http://example.com/p", &["http://example.com/c at http://example.com/c", "http://example.com/p at http://example.com/p"]),
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
