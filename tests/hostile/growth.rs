//! What each record repeats is bounded, and memory does not grow with items.

use uriscan::{Document, Extractor, ExtractorOptions, Format, Link};

use super::{Counted, allocated};
use crate::cli::Tree;

/// Documents with a reference `b`, a base of `¤` bytes, and the target with the next outer base.
#[rustfmt::skip]
const BASES: [(&str, &str, &str); 17] = [
    ("a.html", "<base href='http://a/¤/'><a href=b>", "http://r/b"),
    ("a.html", "<object codebase='http://a/¤/' classid=b>", "http://r/b"),
    ("a.html", "<base href=/c/><iframe srcdoc='<base href=http://a/¤/><a href=b>'>", "http://r/c/b"),
    ("a.xhtml", "<html xmlns='http://www.w3.org/1999/xhtml' xml:base='http://a/¤/'><a href='b'/></html>", "http://r/b"),
    ("a.svg", "<svg xmlns='http://www.w3.org/2000/svg' xml:base='c/'><g xml:base='¤/'><a href='b'/></g></svg>", "http://r/c/b"),
    ("a.rss", "<rss><channel><item><link>http://a/¤/</link><description>&lt;a href='b'></description></item></channel></rss>", "http://r/b"),
    ("a.map", "{\"version\":3,\"mappings\":\"\",\"sourceRoot\":\"http://a/¤/\",\"sources\":[\"b\"]}", "http://r/b"),
    ("a.jsonld", "{\"@context\":{\"@base\":\"http://a/¤/\"},\"url\":\"b\"}", "http://r/b"),
    ("a.jsonld", "{\"@context\":{\"@base\":\"c/\"},\"@graph\":[{\"@context\":{\"@base\":\"http://a/¤/\"},\"url\":\"b\"}]}", "http://r/c/b"),
    ("a.har", "{\"log\":{\"entries\":[{\"request\":{\"url\":\"http://a/¤/\"},\"response\":{\"headers\":[{\"name\":\"Location\",\"value\":\"b\"}]}}]}}", "http://r/b"),
    ("a.eml", "Content-Base: http://a/¤/\nContent-Type: text/html\n\n<a href=b>", "http://r/b"),
    ("a.eml", "Content-Location: http://a/¤/\nContent-Type: text/html\n\n<a href=b>", "http://r/b"),
    ("a.mhtml", "Snapshot-Content-Location: http://a/¤/\nContent-Type: text/html\n\n<a href=b>", "http://r/b"),
    ("a.pdf", "%PDF-1.4\n1 0 obj<</Type/Catalog/URI<</Base(http://a/¤/)>>/Pages 2 0 R>>endobj 2 0 obj<</Kids[3 0 R]>>endobj 3 0 obj<</Annots[<</A<</URI(b)>>>>]>>endobj trailer<</Root 1 0 R>>", "http://r/b"),
    ("a.warc", "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a/¤/\r\nContent-Type: text/html\r\nContent-Length: 10\r\n\r\n<a href=b>\r\n\r\n", "http://r/b"),
    ("a.warc", "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a/¤/\r\nContent-Type: application/http\r\nContent-Length: 54\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=b>\r\n\r\n", "http://r/b"),
    ("a.html", "<base href='¤é/'><a href=b>", "http://r/b"),
];

#[test]
fn a_base_above_8_kib_is_refused_once_and_the_next_outer_base_is_used() {
    for (name, text, expected) in BASES {
        // Each byte of an `é` becomes three bytes of the base.
        let long = if text.contains('é') {
            "é".repeat(2_000)
        } else {
            "x".repeat(8_193)
        };
        let tree = Tree::new(&[(name, &text.replace('¤', &long))]);
        let is_container = [".warc", ".eml", ".mhtml"]
            .iter()
            .any(|end| name.ends_with(end));
        let base = if is_container {
            "--base=http://r/"
        } else {
            "--root=http://r/"
        };
        let ran = tree.run(&["--json", base, "-j1", name]);
        let targets = ran
            .out
            .lines()
            .filter(|line| line.contains("\"reference\":\"b\""));
        let targets: Vec<_> = targets.collect();
        let expected = format!("\"target\":\"{expected}\"");
        assert!(
            targets.len() == 1 && targets[0].contains(&expected),
            "{name} {text}\n{}",
            ran.out
        );
        assert_eq!(
            ran.out.matches("base.too-long").count(),
            1,
            "{name} {text}\n{}",
            ran.out
        );
        assert_eq!(ran.code, 0, "{name} {}", ran.err);
        let longer = tree.run(&["--longest-base=100K", base, "-j1", name]);
        assert!(longer.out.len() > 8_192, "{name} {text}\n{}", longer.out);
    }
}

#[test]
fn a_base_of_8_kib_is_used() {
    let base = format!("http://a/{}/", "x".repeat(8_192 - 10));
    let page = format!("<base href='{base}'><a href=b>");
    let [link] = &*uriscan::links(page.as_bytes(), Format::HTML, None).collect::<Vec<_>>() else {
        panic!("one link");
    };
    assert_eq!(link.target, Ok(format!("{base}b").into_bytes()));
    let page = page.replacen('x', "xx", 1);
    let [link] = &*uriscan::links(page.as_bytes(), Format::HTML, None).collect::<Vec<_>>() else {
        panic!("one link");
    };
    assert!(link.target.is_err());
}

#[test]
fn a_megabyte_of_links_with_a_long_base_gives_some_megabytes_of_output() {
    let page = format!(
        "<base href='{}'>{}",
        "/x".repeat(250_000),
        "<a href=b>".repeat(50_000)
    );
    let tree = Tree::new(&[("a.html", &page)]);
    let ran = tree.run(&["a.html"]);
    assert!(ran.out.len() < 10 << 20, "{}", ran.out.len());
}

#[test]
fn a_name_above_8_kib_is_cut_in_each_record_and_that_is_diagnosed() {
    let long = "é".repeat(10_000);
    for (name, text) in [
        ("a.html", format!("<x{long} style='url(b)'>")),
        (
            "a.warc",
            format!(
                "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <{long}>\r\nWARC-Target-URI: http://a/\r\nContent-Type: text/html\r\nContent-Length: 10\r\n\r\n<a href=b>\r\n\r\n"
            ),
        ),
    ] {
        let tree = Tree::new(&[(name, &text)]);
        let ran = tree.run(&["--json", name]);
        let mut lines = ran.out.lines();
        let link = lines
            .find(|line| line.contains("\"reference\""))
            .unwrap_or_default();
        assert!(
            (8_000..10_000).contains(&link.len()),
            "{name} {}",
            link.len()
        );
        assert!(!link.contains('\u{fffd}'), "{name} {link}");
        assert_eq!(
            ran.out.matches("record.name-too-long").count(),
            1,
            "{name} {}",
            ran.err
        );
        assert_eq!(ran.code, 0, "{name} {}", ran.err);
    }
}

/// Returns the memory that a document takes by default options, with `--extended`.
fn memory(format: &str, text: &str) -> u64 {
    let format = Format::named(format).unwrap();
    let mut options = ExtractorOptions::default();
    options.formats.html.extended = true;
    let (read, bytes) = allocated::peak(|| {
        let document = Document::new(format, None);
        Extractor::new(&options).extract(&document, text.as_bytes(), &mut Counted::default())
    });
    assert_eq!(read.unwrap(), text.len() as u64);
    bytes
}

#[test]
fn feeds_with_srcdoc_take_no_memory_for_each_item() {
    let html = "&lt;iframe srcdoc='&amp;lt;base href=/b/>&amp;lt;a href=x>'>&lt;/iframe>";
    for (head, item) in [
        (
            "<rss><channel>",
            format!("<item><link>http://a/</link><description>{html}</description></item>"),
        ),
        (
            "<rss><channel>",
            format!("<item><description>{html}</description></item>"),
        ),
        (
            "<feed xmlns='http://www.w3.org/2005/Atom'>",
            format!("<entry><content type='html'>{html}</content></entry>"),
        ),
        (
            "<rss><channel>",
            format!("<item><content:encoded>{html}{html}</content:encoded></item>"),
        ),
    ] {
        let [some, many] = crate::rounds([2_000, 8_000], [6_000, 24_000])
            .map(|n| memory("xml", &format!("{head}{}", item.repeat(n))));
        assert!(
            many < some + (256 << 10),
            "{some} then {many} bytes: {item}"
        );
    }
}

#[test]
fn sources_below_a_long_root_take_no_memory_for_each() {
    let head = format!(
        r#"{{"version":3,"sourceRoot":"{}/","sources":[""#,
        "x".repeat(7_999)
    );
    let map = |many| format!("{head}{}\"]}}", "a\",\"".repeat(many));
    let [some, many] = [1_000, 4_000].map(|many| memory("sourcemap", &map(many)));
    assert!(many < some + (1 << 20), "{some} then {many} bytes");
}

#[test]
fn the_base_in_the_srcdoc_of_an_item_is_not_the_base_of_later_items() {
    let item = "<item><description>&lt;iframe srcdoc='&amp;lt;base href=/b/>'>&lt;/iframe>&lt;a href=x></description></item>";
    let feed = format!("<rss><channel>{item}{item}</channel></rss>");
    let base = uriscan::Base::retrieved("http://r/").unwrap();
    let targets = uriscan::links(feed.as_bytes(), Format::named("xml").unwrap(), Some(&base));
    let targets: Vec<_> = targets
        .filter(|link| link.reference == b"x")
        .map(|link| link.target.unwrap())
        .collect();
    assert_eq!(targets, [b"http://r/x", b"http://r/x"]);
}

#[test]
fn contexts_of_linked_data_take_16_mib_at_most_and_later_ones_are_diagnosed() {
    const MANY: usize = 60_000;
    let inside = format!(
        "{}1{}",
        "{\"@context\":{\"a\":\"b\"},\"c\":".repeat(MANY),
        "}".repeat(MANY)
    );
    let beside = format!(
        "[{}1]",
        "{\"@context\":{\"a\":\"b\"},\"url\":\"c\"},".repeat(MANY)
    );
    let terms: String = (0..MANY * 3)
        .map(|n| format!("\"a{n}\":{{\"@id\":\"b\"}},"))
        .collect();
    let terms = format!("{{\"@context\":{{{terms}\"z\":\"y\"}}}}");
    for text in [inside, beside, terms] {
        let bytes = memory("jsonld", &text);
        assert!(bytes < 48 << 20, "{bytes} bytes");
        let tree = Tree::new(&[("a.jsonld", &text)]);
        let ran = tree.run(&["--json", "a.jsonld"]);
        assert!(ran.out.contains("json.held-limit"), "{}", &text[..100]);
    }
}

#[test]
fn a_window_of_no_bytes_is_one_of_one_byte() {
    let text = b"<http://example.com/> and http://example.org/";
    let mut all = Vec::new();
    for format in [Format::TEXT, Format::HTML] {
        for window in [0, 1] {
            let options = ExtractorOptions::default().with_window(window);
            let mut extractor = Extractor::new(&options);
            let mut targets = Vec::new();
            let mut take = |link: &Link<'_>| targets.push(link.target.unwrap().to_vec());
            let document = Document::new(format, None);
            extractor.extract_bytes(&document, text, &mut take);
            extractor.extract(&document, &text[..], &mut take).unwrap();
            all.push((format.name, targets));
        }
    }
    assert_eq!(all[0], all[1]);
    assert_eq!(all[2], all[3]);
    assert_eq!(all[0].1.len(), 4);
}
